"""How near to the exact result an operator's floats are: a closed vocabulary, and the word of every operator.

============================  =====================================================================================
``exact``                     nothing is rounded: elements of arguments, comparisons, integers, constants
``correctly-rounded``         the exact result, rounded once (IEEE 754-2019 §2.1)
``ulps``                      within the units in the last place of its function (``num/permitted-ulps``)
``reduction``                 a sum or a product of many in any order and association, wider, fused (IEEE 754 §9.4)
``stepwise``                  each step rounded under its own rule, or the exact result within the operator's units
``none``                      no elements: facts, memory, effects
============================  =====================================================================================

The words are ordered: what a word permits, the later ones permit. They speak of floats, and of integers that floats
decide; an operator on integers is exact. Spec: ``spec/02-values.md``, ``num/accuracy-of-operators``.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Literal, get_args

from refrelax.semantics.numbers.bounds import PERMITTED_ULPS, permitted_ulps
from refrelax.semantics.numbers.functions import FUNCTIONS
from refrelax.syntax.signatures import REAL_FUNCTIONS

Word = Literal["exact", "correctly-rounded", "ulps", "reduction", "stepwise", "none"]
WORDS: tuple[Word, ...] = get_args(Word)


@dataclass(frozen=True, slots=True)
class Accuracy:
    """A word, and the name in ``PERMITTED_ULPS`` that says how many units: a function's, the operator's, or the word's.

    ``jumps``: a computed value decides between elements or integers, so that the set holds both sides of a jump.
    ``once``: an attribute and its values with which elements are copied, and rounded to another dtype at most.
    """

    word: Word
    units: str = ""
    jumps: bool = False
    once: tuple[str, tuple[str, ...]] | None = None

    def ulps(self, precision: int) -> float:
        """The units in the last place, for a format of ``precision`` significant bits."""
        return permitted_ulps(self.units, precision) if self.units else 0.5

    @property
    def sentence(self) -> str:
        """The word as pages say it."""
        match self.word:
            case "ulps":
                return f"`ulps`: {PERMITTED_ULPS[self.units]:g} of `{self.units}`."
            case "stepwise":
                units = PERMITTED_ULPS[self.units]
                jump = " At a jump both sides." if self.jumps else ""
                name, values = self.once or ("", ())
                once = "".join(f" `correctly-rounded` with `{name}={value}`." for value in values)
                return f"`stepwise`, {units:g} ulp{'s' if units > 1 else ''}.{jump}{once}"
            case _:
                return f"`{self.word}`."


EXACT, ROUNDED, NONE = Accuracy("exact"), Accuracy("correctly-rounded"), Accuracy("none")
REDUCTION = Accuracy("reduction", "reduction")
RESIZED = Accuracy("stepwise", "stepwise", jumps=True, once=("method", ("nearest_neighbor",)))
STEPS, DECIDED = Accuracy("stepwise", "stepwise"), Accuracy("stepwise", "stepwise", jumps=True)


def _rows(accuracy: Accuracy, names: str) -> dict[str, Accuracy]:
    return {f"relax.{name}": accuracy for name in names.split()}


def _functions(*names: str) -> dict[str, Accuracy]:
    return {f"relax.{name}": Accuracy("ulps", name) for name in names}


ACCURACY: dict[str, Accuracy] = {
    **_rows(EXACT, """
        abs negative sign floor ceil round trunc logical_not bitwise_not isnan isinf isfinite maximum minimum equal
        not_equal less less_equal greater greater_equal logical_and logical_or logical_xor bitwise_and bitwise_or
        bitwise_xor left_shift right_shift where clip ones zeros ones_like zeros_like eye eye_like tril triu max min
        argmax argmin median reshape flatten nn.batch_flatten expand_dims squeeze permute_dims broadcast_to concat
        stack split repeat tile flip strided_slice dynamic_strided_slice take gather_elements gather_nd index_tensor
        slice_scatter one_hot meshgrid reverse_sequence shape_of tensor_to_shape shape_to_tensor size sort argsort topk
        bucketize nonzero unique nn.relu nn.max_pool1d nn.max_pool2d nn.max_pool3d nn.pad nn.pixel_shuffle nn.dropout
        vision.get_valid_counts layout_transform ccl.allgather ccl.broadcast_from_worker0 ccl.scatter_from_worker0
        dist.annotate_sharding dist.redistribute dist.redistribute_replica_to_shard builtin.stop_lift_params
        hint_on_device to_vdevice grad.no_grad grad.start_checkpoint grad.end_checkpoint memory.view
        memory.ensure_zero_offset inspect.tensor_ndim inspect.tensor_dtype_bits inspect.tensor_dtype_code
        inspect.tensor_dtype_lanes inspect.tensor_shape_i inspect.tensor_stride_i inspect.tensor_byte_offset
        inspect.tensor_elem_offset mod"""),
    **_rows(ROUNDED, "square sqrt add subtract multiply divide astype wrap_param full full_like nn.prelu"),
    **_functions("atan2", *(name for name in REAL_FUNCTIONS if FUNCTIONS[name].ulps > 0.5)),
    "relax.power": Accuracy("ulps", "pow"),
    **_rows(REDUCTION, """
        sum prod mean cumsum cumprod matmul einsum outer collapse_sum_like collapse_sum_to nn.conv1d nn.conv2d nn.conv3d
        nn.conv1d_transpose nn.conv2d_transpose nn.conv3d_transpose nn.avg_pool1d nn.avg_pool2d nn.avg_pool3d
        nn.adaptive_avg_pool1d nn.adaptive_avg_pool2d nn.adaptive_avg_pool3d nn.cross_entropy_with_logits
        grad.take_backward grad.max_pool2d_backward grad.avg_pool2d_backward ccl.allreduce"""),
    **_rows(replace(REDUCTION, once=("reduction", ("update", "min", "max"))), "scatter_elements scatter_nd"),
    **_rows(replace(REDUCTION, once=("accumulate", ("False",))), "index_put"),
    **_rows(STEPS, """
        arange ewise_fma hamming_window variance std nn.softmax nn.log_softmax nn.layer_norm nn.rms_norm nn.group_norm
        nn.instance_norm nn.batch_norm nn.attention nn.attention_bias nn.attention_var_len nn.nll_loss dequantize
        image.affine_grid grad.nll_loss_backward"""),
    **_rows(DECIDED, """
        floor_divide floor_mod multinomial_from_uniform quantize image.grid_sample
        vision.roi_align vision.roi_pool vision.multibox_transform_loc vision.non_max_suppression
        vision.all_class_non_max_suppression"""),
    **_rows(RESIZED, "image.resize2d image.resize3d"),
    "relax.log_add_exp": Accuracy("stepwise", "log_add_exp"),
    "relax.nn.leakyrelu": Accuracy("stepwise", "scale"),
    "relax.nn.silu": Accuracy("stepwise", "silu"),
    "relax.nn.gelu": Accuracy("stepwise", "gelu"),
    "relax.nn.gelu_tanh": Accuracy("stepwise", "gelu_tanh"),
    "relax.nn.selu": Accuracy("stepwise", "selu"),
    "relax.nn.softplus": Accuracy("stepwise", "softplus", jumps=True),
    **_rows(NONE, """
        print assert_op null_value builtin.alloc_tensor memory.alloc_storage memory.alloc_tensor memory.kill_storage
        memory.kill_tensor vm.alloc_storage vm.alloc_tensor vm.kill_object vm.call_tir_dyn"""),
}  # fmt: skip
"""Operators whose word was looked at; ``accuracy_of`` says that of the others."""


def accuracy_of(name: str, is_text: bool) -> Accuracy:
    """The word of an operator. Of a text that no row names the widest: its steps, or near the exact result."""
    return ACCURACY.get(name) or (STEPS if is_text else NONE)


__all__ = ["ACCURACY", "WORDS", "Accuracy", "Word", "accuracy_of"]
