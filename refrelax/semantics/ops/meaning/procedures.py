"""Operators whose value is no text.

``PROCEDURES`` give elements, but which ones is found by looking at elements: plain Python, opaque to proofs but for the
laws that are listed. ``WITHOUT_ELEMENTS``: what they mean is no element of an array. Every other operator is a
*comprehension* and has a text.
"""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Procedure:
    """Why an operator is no comprehension, and what holds of its result all the same."""

    reason: str
    laws: tuple[str, ...] = ()


SORTS = "the order of elements decides where each goes"
COUNTS = "the elements decide how many rows there are, and which"
WORKERS = "the elements of other workers, which the world hands over"

ORDERED = "every line of the result is ascending (descending: not ascending), NaNs aside"
PERMUTED = "every line of the result holds the elements of the argument's line, each as often"

PROCEDURES: dict[str, Procedure] = {
    "relax.median": Procedure(SORTS, ("the value is an element of the line", "value = x[position]")),
    "relax.sort": Procedure(SORTS, (ORDERED, PERMUTED, "sort(sort(x)) = sort(x)")),
    "relax.argsort": Procedure(SORTS, ("every line is a permutation of 0 .. n - 1", "x[argsort(x)] = sort(x)")),
    "relax.topk": Procedure(SORTS, ("the first k of sort and argsort", ORDERED)),
    "relax.nonzero": Procedure(COUNTS, ("columns ascend, row-major", "x[column] is not 0", "one column each")),
    "relax.unique": Procedure(COUNTS, ("values[inverse] = x", "x[first] = values", "the counts add up to the size")),
    "relax.vision.get_valid_counts": Procedure(COUNTS, ("rows keep their order", "row k = x[position k]", "then -1")),
    "relax.vision.non_max_suppression": Procedure(COUNTS, ("rows are rows of the argument", "two kept do not overlap")),
    "relax.vision.all_class_non_max_suppression": Procedure(COUNTS, ("two kept of a class do not overlap",)),
    "relax.ccl.allreduce": Procedure(WORKERS, ("every worker of a group has the same",)),
    "relax.ccl.allgather": Procedure(WORKERS, ("every worker of a group has the same",)),
    "relax.ccl.broadcast_from_worker0": Procedure(WORKERS, ("every worker of a group has the first one's",)),
    "relax.ccl.scatter_from_worker0": Procedure(WORKERS, ("the parts, one after the other, are the first one's",)),
    "relax.dist.redistribute_replica_to_shard": Procedure(
        WORKERS, ("the parts of all workers, one after the other, are the argument",)
    ),
}

FACT = "a fact of an array, not its elements"
MEMORY = "memory: where elements lie"
IDENTITY = "the argument itself"
EFFECT = "an effect, or nothing"

WITHOUT_ELEMENTS: dict[str, str] = {
    **dict.fromkeys(
        (
            "relax.inspect.tensor_ndim", "relax.inspect.tensor_dtype_bits", "relax.inspect.tensor_dtype_code",
            "relax.inspect.tensor_dtype_lanes", "relax.inspect.tensor_shape_i", "relax.inspect.tensor_stride_i",
            "relax.inspect.tensor_byte_offset", "relax.inspect.tensor_elem_offset", "relax.shape_of",
            "relax.tensor_to_shape",
        ),
        FACT,
    ),
    **dict.fromkeys(
        (
            "relax.builtin.alloc_tensor", "relax.memory.alloc_storage", "relax.memory.alloc_tensor",
            "relax.memory.kill_storage", "relax.memory.kill_tensor", "relax.memory.view",
            "relax.memory.ensure_zero_offset", "relax.vm.alloc_storage", "relax.vm.alloc_tensor",
            "relax.vm.kill_object", "relax.vm.call_tir_dyn",
        ),
        MEMORY,
    ),
    **dict.fromkeys(
        (
            "relax.dist.annotate_sharding", "relax.dist.redistribute", "relax.builtin.stop_lift_params",
            "relax.hint_on_device", "relax.to_vdevice", "relax.grad.no_grad", "relax.grad.start_checkpoint",
            "relax.grad.end_checkpoint",
        ),
        IDENTITY,
    ),
    **dict.fromkeys(("relax.print", "relax.assert_op", "relax.null_value"), EFFECT),
}  # fmt: skip

__all__ = ["PROCEDURES", "WITHOUT_ELEMENTS", "Procedure"]
