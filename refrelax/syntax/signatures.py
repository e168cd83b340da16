"""The surface of every graph operator: what is an IR argument, what is an attribute, and what is left out means.

``signature("relax.sum")`` says that ``R.sum(x, [1])`` and ``R.sum(x, axis=[1], keepdims=False)`` are one call with one
argument and the attributes ``axis`` and ``keepdims``. The table is literal, one line an operator:

    ``"name": "arguments; attributes"`` or ``"name": "arguments; attributes; surface order"``

Arguments and attributes stand in the IR's order, written ``name:kind=default``. Without a third part the surface order
is arguments, then attributes. Printed text gives all arguments by position and all attributes by keyword.

Kinds of arguments: ``expr`` (the default), ``prim`` (a number becomes a scalar), ``shape`` (a list becomes a shape;
``shape2``, ``shape3``: one number counts for each axis), ``tuple`` (a list becomes a tuple), ``dtype``, ``str``; a
trailing ``?`` means that the argument may be missing.
Kinds of attributes: ``int bool str float dtype vdevice any index_map``, ``imm`` (an integer or a float32 literal),
``sections`` (an integer or integers), ``ints`` (``ints2``: one number counts for two axes; ``pad2``: padding of two
axes, completed to four numbers), ``floats``, ``imms``; ``?``: or None. A default ``@layout`` is the value of the
attribute ``layout``.
"""

from __future__ import annotations

import ast
from dataclasses import dataclass
from functools import cache
from typing import Any


@dataclass(frozen=True, slots=True)
class Slot:
    """One parameter of an operator. ``required``: no default. ``default`` is a Python constant."""

    name: str
    kind: str
    attribute: bool
    optional: bool = False
    required: bool = True
    default: Any = None


@dataclass(frozen=True, slots=True)
class Signature:
    """``args`` and ``attrs`` in the IR's order; ``surface``: all of them in the order of hand-written text."""

    name: str
    args: tuple[Slot, ...]
    attrs: tuple[Slot, ...]
    surface: tuple[Slot, ...]


REAL_FUNCTIONS = (
    "exp", "log", "sqrt", "rsqrt", "sigmoid", "erf", "sin", "cos", "tan", "sinh", "cosh", "tanh", "asin", "acos",
    "atan", "asinh", "acosh", "atanh",
)  # fmt: skip
"""Functions of real numbers: ``R.f(x)`` of each element and ``T.f(x)`` of one; what they are says
``semantics/numbers/functions.py``."""

_UNARY = [
    *REAL_FUNCTIONS,
    "abs", "bitwise_not", "ceil", "flatten", "floor", "isfinite", "isinf", "isnan", "logical_not", "negative",
    "nonzero", "round", "sign", "square", "trunc", "nn.gelu", "nn.gelu_tanh",
    "nn.relu", "nn.selu", "nn.silu", "memory.ensure_zero_offset", "builtin.stop_lift_params",
    "ccl.broadcast_from_worker0",
]  # fmt: skip

_BINARY = [
    "add", "atan2", "bitwise_and", "bitwise_or", "bitwise_xor", "divide", "equal", "floor_divide", "floor_mod",
    "greater", "greater_equal", "left_shift", "less", "less_equal", "log_add_exp", "logical_and", "logical_or",
    "logical_xor", "maximum", "minimum", "mod", "multiply", "not_equal", "outer", "power", "right_shift", "subtract",
]  # fmt: skip

_STATISTICS = ["max", "mean", "min", "prod", "std", "sum", "variance"]

_POOL = (
    "{data}; pool_size:ints{n}={one}, strides:ints{n}={one}, dilation:ints{n}={one}, padding:pad{n}=0, "
    "ceil_mode:bool=False, "
    "count_include_pad:bool={count}, layout:str={layout!r}, out_layout:str=@layout; "
    "{data}, pool_size, strides, padding, dilation, ceil_mode, count_include_pad, layout, out_layout"
)

_CONV = (
    "data, weight; strides:ints{n}=1, padding:pad{n}=0, dilation:ints{n}=1, groups:int=1, data_layout:str={layout!r}, "
    "kernel_layout:str={kernel!r}, out_layout:str=@data_layout, out_dtype:dtype?=None"
)

_CONV_TRANSPOSE = (
    "data, weight; strides:ints{n}=1, padding:pad{n}=0, output_padding:ints{n}=0, dilation:ints{n}=1, groups:int=1, "
    "data_layout:str={layout!r}, kernel_layout:str={kernel!r}, out_layout:str=@data_layout, out_dtype:dtype?=None"
)

_RESIZE = (
    "data, size:shape{n}; roi:imms={roi}, layout:str={layout!r}, method:str='linear', "
    "coordinate_transformation_mode:str='half_pixel', rounding_method:str={rounding!r}, cubic_alpha:float=-0.75, "
    "cubic_exclude:int=0, extrapolation_value:float=0.0, out_dtype:dtype?=None"
)

_ATTENTION = "scale:imm?=None, causal_mask:str?=None, window_size:imm?=None"
_LAYOUTS = {1: "NCW", 2: "NCHW", 3: "NCDHW"}
_KERNELS = {1: "OIW", 2: "OIHW", 3: "OIDHW"}
_TRANSPOSED = {1: "IOW", 2: "IOHW", 3: "IODHW"}

_LINES: dict[str, str] = {
    **dict.fromkeys(_UNARY, "x;"),
    **dict.fromkeys(_BINARY, "x1, x2;"),
    **dict.fromkeys(_STATISTICS, "x; axis:ints?=None, keepdims:bool=False"),
    "median": "data; axis:ints?=None, keepdims:bool=False; data, axis, keepdims",
    # creation
    "arange": "start:prim, end:prim?, step:prim=1; dtype:dtype?=None",
    "eye": "n:prim, m:prim?, k:prim=0; dtype:dtype='float32'",
    "eye_like": "x, k:prim=0; dtype:dtype?=None",
    "full": "shape:shape, fill_value; dtype:dtype?=None",
    "full_like": "x, fill_value; dtype:dtype?=None",
    "hamming_window": "window_size:prim, periodic:prim, alpha:prim, beta:prim; dtype:dtype",
    "ones": "shape:shape; dtype:dtype",
    "ones_like": "x; dtype:dtype?=None",
    "zeros": "shape:shape; dtype:dtype",
    "zeros_like": "x; dtype:dtype?=None",
    "tril": "x, k:prim=0;",
    "triu": "x, k:prim=0;",
    "one_hot": "indices, on_value:prim, off_value:prim; depth:int, axis:int=-1",
    # elementwise with more than tensors
    "clip": "x, min:prim, max:prim;",
    "ewise_fma": "x1, x2, x3;",
    "where": "condition, x1, x2;",
    "astype": "x; dtype:dtype",
    "wrap_param": "data; dtype:dtype='float32'",
    # search, sort, scan, sets
    "argmax": "x; axis:int?=None, keepdims:bool=False",
    "argmin": "x; axis:int?=None, keepdims:bool=False",
    "bucketize": "input_tensor, boundaries; out_int32:bool=False, right:bool=False",
    "argsort": "data; axis:int=-1, descending:bool=False, dtype:dtype='int32'",
    "sort": "x; axis:int=-1, descending:bool=False",
    "topk": "data; k:int=1, axis:int=-1, ret_type:str='both', largest:bool=True, dtype:dtype='int32'",
    "cumsum": "data; axis:int?=None, dtype:dtype?=None, exclusive:bool=False",
    "cumprod": "data; axis:int?=None, dtype:dtype?=None, exclusive:bool=False",
    "unique": (
        "x, sorted:prim=True, return_index:prim=False, return_inverse:prim=False, return_counts:prim=False, axis:prim?;"
    ),
    "multinomial_from_uniform": "prob, uniform_sample, sample_indices; dtype:dtype='int64'",
    # manipulation and indexing
    "broadcast_to": "x, shape:shape;",
    "collapse_sum_like": "data, collapse_target;",
    "collapse_sum_to": "data, shape:shape;",
    "concat": "tensors:tuple; axis:int?=0",
    "expand_dims": "x; axis:ints",
    "flip": "data; axis:int",
    "gather_elements": "data, indices; axis:int=0",
    "gather_nd": "data, indices; batch_dims:int=0",
    "index_put": "data, indices:tuple, values; accumulate:bool=False",
    "index_tensor": "data, indices:tuple;",
    "layout_transform": "x; index_map:index_map, pad_value:expr?=None",
    "meshgrid": "tensors:tuple; indexing:str?='ij'",
    "permute_dims": "x; axes:ints?=None",
    "repeat": "data; repeats:int, axis:int?=None",
    "reshape": "x, shape:shape;",
    "reverse_sequence": "data, seq_lengths; seq_axis:int=1, batch_axis:int=0",
    "scatter_elements": "data, indices, updates; axis:int=0, reduction:str='update'",
    "scatter_nd": "data, indices, updates; reduction:str='update'",
    "slice_scatter": "input_tensor, src, start:prim, end:prim, step:prim; axis:int=0",
    "split": "x; indices_or_sections:sections, axis:int=0",
    "squeeze": "x; axis:ints?=None",
    "stack": "tensors:tuple; axis:int?=0",
    "strided_slice": "x, axes:tuple, begin:tuple, end:tuple, strides:tuple?; assume_inbound:bool=False",
    "dynamic_strided_slice": "x, begin, end, strides;",
    "take": "x, indices; axis:int?=None, mode:str='fast'",
    "tile": "data; repeats:ints",
    # linear algebra, quantisation, images
    "matmul": "x1, x2; out_dtype:dtype?=None",
    "einsum": "operands:tuple; subscripts:str",
    "quantize": (
        "data, scale, zero_point; out_dtype:dtype='int8', axis:int=-1; data, scale, zero_point, axis, out_dtype"
    ),
    "dequantize": (
        "data, scale, zero_point; out_dtype:dtype='float32', axis:int=-1; data, scale, zero_point, axis, out_dtype"
    ),
    "image.affine_grid": "data, size:shape2; align_corners:bool=True",
    "image.grid_sample": (
        "data, grid; method:str='bilinear', layout:str='NCHW', padding_mode:str='zeros', align_corners:bool=False"
    ),
    "image.resize2d": _RESIZE.format(n=2, roi=[0.0] * 4, layout="NCHW", rounding="round"),
    "image.resize3d": _RESIZE.format(n=3, roi=[0.0] * 6, layout="NCDHW", rounding=""),
    # shapes
    "shape_of": "expr;",
    "shape_to_tensor": "expr;",
    "size": "expr;",
    "tensor_to_shape": "expr;",
    # neural networks
    "nn.adaptive_avg_pool1d": "data; output_size:ints1?=None, layout:str='NCW', out_layout:str=@layout",
    "nn.adaptive_avg_pool2d": "data; output_size:ints2?=None, layout:str='NCHW', out_layout:str=@layout",
    "nn.adaptive_avg_pool3d": "data; output_size:ints3?=None, layout:str='NCDHW', out_layout:str=@layout",
    **{
        f"nn.{kind}_pool{n}d": _POOL.format(data="data", n=n, one=1, layout=_LAYOUTS[n], count=kind == "avg" and n != 2)
        for kind in ("avg", "max")
        for n in (1, 2, 3)
    },
    **{f"nn.conv{n}d": _CONV.format(n=n, layout=_LAYOUTS[n], kernel=_KERNELS[n]) for n in (1, 2, 3)},
    **{
        f"nn.conv{n}d_transpose": _CONV_TRANSPOSE.format(n=n, layout=_LAYOUTS[n], kernel=_TRANSPOSED[n])
        for n in (1, 2, 3)
    },
    "nn.attention": f"query, key, value; {_ATTENTION}",
    "nn.attention_bias": f"query, key, value, bias; {_ATTENTION}",
    "nn.attention_var_len": (
        "queries, keys, values, seqstart_q, seqstart_k?, max_seqlen_q, max_seqlen_k?; "
        f"{_ATTENTION}; queries, keys, values, seqstart_q, max_seqlen_q, seqstart_k, max_seqlen_k, scale, "
        f"causal_mask, window_size"
    ),
    "nn.batch_flatten": "data;",
    "nn.batch_norm": (
        "data, gamma, beta, moving_mean, moving_var; axis:int, epsilon:float=1e-05, center:bool=True, scale:bool=True, "
        "momentum:float=0.1, training:bool=True"
    ),
    "nn.cross_entropy_with_logits": "predictions, labels;",
    "nn.dropout": "data; rate:float=0.5",
    "nn.group_norm": (
        "data, gamma, beta; num_groups:int, channel_axis:int, axes:ints, epsilon:float=1e-05, center:bool=True, "
        "scale:bool=True"
    ),
    "nn.instance_norm": (
        "data, gamma, beta; channel_axis:int, axes:ints, epsilon:float=1e-05, center:bool=True, scale:bool=True"
    ),
    "nn.layer_norm": "data, gamma, beta; axes:ints, epsilon:float=1e-05, center:bool=True, scale:bool=True",
    "nn.leakyrelu": "data; alpha:float=0.01",
    "nn.log_softmax": "data; axis:int=-1",
    "nn.nll_loss": "predictions, targets, weights?; reduction:str='mean', ignore_index:int=-100",
    "nn.pad": (
        "data; pad_width:ints, pad_value:float=0.0, pad_mode:str='constant'; data, pad_width, pad_mode, pad_value"
    ),
    "nn.pixel_shuffle": "data; upscale_factor:int",
    "nn.prelu": "data, alpha; axis:int=1",
    "nn.rms_norm": "data, weight; axes:ints=-1, epsilon:float=1e-05",
    "nn.softmax": "data; axis:int=-1",
    "nn.softplus": "data; beta:float=1.0, threshold:float=20.0",
    # vision
    "vision.all_class_non_max_suppression": (
        "boxes, scores, max_output_boxes_per_class, iou_threshold, score_threshold; output_format:str='onnx'"
    ),
    "vision.get_valid_counts": "data; score_threshold:float=0.0, id_index:int=0, score_index:int=1",
    "vision.multibox_transform_loc": (
        "cls_pred, loc_pred, anchor; clip:bool=False, threshold:float=0.0, variances:floats=[1.0, 1.0, 1.0, 1.0], "
        "keep_background:bool=True, apply_softmax:bool=True"
    ),
    "vision.non_max_suppression": (
        "data, valid_count, indices; max_output_size:int=-1, iou_threshold:float=0.5, force_suppress:bool=False, "
        "top_k:int=-1, "
        "coord_start:int=2, score_index:int=1, id_index:int=0, return_indices:bool=True, invalid_to_bottom:bool=False, "
        "soft_nms_sigma:float=0.0, score_threshold:float=0.0"
    ),
    "vision.roi_align": (
        "data, rois; pooled_size:ints2, spatial_scale:float, sample_ratio:int=-1, aligned:bool=False, "
        "layout:str='NCHW', "
        "mode:str='avg'"
    ),
    "vision.roi_pool": "data, rois; pooled_size:ints2, spatial_scale:float, layout:str='NCHW'",
    # gradients
    "grad.start_checkpoint": "input;",
    "grad.end_checkpoint": "input;",
    "grad.no_grad": "input;",
    "grad.nll_loss_backward": (
        "output_grad, predictions, targets, weights?; reduction:str='mean', ignore_index:int=-100"
    ),
    "grad.take_backward": "output_grad, x, indices; axis:int?=None, mode:str='fast'",
    **{
        f"grad.{kind}_pool2d_backward": _POOL.format(data="output_grad, data", n=2, one=1, layout="NCHW", count=False)
        for kind in ("avg", "max")
    },
    # devices, collectives, distribution
    "to_vdevice": "data; dst_vdevice:vdevice",
    "hint_on_device": "data; device_type:int, index:int, memory_scope:str='global'",
    "ccl.allgather": "x; num_workers:int, in_group:bool=True",
    "ccl.allreduce": "x; op_type:str='sum', in_group:bool=True",
    "ccl.scatter_from_worker0": "x; num_workers:int, axis:int=0",
    "dist.annotate_sharding": "value; device_mesh:any, placement:any",
    "dist.redistribute": "value; device_mesh:any, placement:any",
    "dist.redistribute_replica_to_shard": "input; num_workers:int, axis:int",
    # memory, VM and inspection
    "builtin.alloc_tensor": "shape:shape, dtype:dtype, runtime_device_index:prim, storage_scope:str='global';",
    "memory.alloc_storage": "size:shape, virtual_device_index:prim, storage_scope:str, dtype:dtype;",
    "memory.alloc_tensor": "storage, offset:prim, shape:shape, dtype:dtype, runtime_device_ind:prim=0;",
    "memory.kill_storage": "storage;",
    "memory.kill_tensor": "tensor;",
    "memory.view": "data, shape:shape?, dtype:dtype?, relative_byte_offset:prim?;",
    "vm.alloc_storage": ("shape:shape, runtime_device_index:prim, dtype:dtype, storage_scope:str='global';"),
    "vm.alloc_tensor": "storage, offset:prim, shape:shape, dtype:dtype, runtime_device_ind:prim=0;",
    "vm.call_tir_dyn": "func, args:tuple;",
    "vm.kill_object": "obj;",
    "null_value": ";",
    **{
        f"inspect.tensor_{what}": "tensor;"
        for what in ("byte_offset", "dtype_bits", "dtype_code", "dtype_lanes", "elem_offset", "ndim")
    },
    "inspect.tensor_shape_i": "tensor, axis:prim;",
    "inspect.tensor_stride_i": "tensor, axis:prim;",
}

CALL_FORMS = (
    "call_tir", "call_tir_inplace", "call_tir_with_grad", "call_dps_packed", "call_pure_packed", "call_inplace_packed",
    "call_py_func", "call_builtin_with_ctx", "make_closure", "invoke_closure", "invoke_pure_closure",
    "dist.call_tir_local_view",
    "print", "assert_op",
)  # fmt: skip
"""Operators whose arguments do not fit a line of the table; ``read/call_forms.py`` reads each by its own function."""

FORMATS = {"relax.print": 0, "relax.assert_op": 1}
"""Which argument of the IR is the format, a string."""

OPERATOR_NAMES: frozenset[str] = frozenset(f"relax.{name}" for name in (*_LINES, *CALL_FORMS))
"""Every operator, with its prefix."""


def _split(text: str, mark: str) -> list[str]:
    """Split at ``mark`` outside brackets."""
    pieces, depth, start = [], 0, 0
    for k, char in enumerate(text):
        depth += (char in "([") - (char in ")]")
        if char == mark and depth == 0:
            pieces.append(text[start:k])
            start = k + 1
    return [*pieces, text[start:]]


def _slot(text: str, attribute: bool) -> Slot:
    head, has_default, default = text.strip().partition("=")
    name, _, kind = head.partition(":")
    if name.endswith("?"):
        name, kind = name[:-1], "expr?"
    kind = kind or "expr"
    optional = kind.endswith("?")
    if not has_default:
        return Slot(name, kind.rstrip("?"), attribute, optional, required=not optional)
    value = default if default.startswith("@") else ast.literal_eval(default)
    return Slot(name, kind.rstrip("?"), attribute, optional, False, value)


@cache
def signature(name: str) -> Signature:
    """The signature of an operator of the table, by its registered name (``"relax.sum"``).

    Raises:
        KeyError: the table has no such operator.
    """
    line = _LINES[name.removeprefix("relax.")]
    args_text, attrs_text, *order = _split(line, ";")
    args = tuple(_slot(piece, False) for piece in _split(args_text, ",") if piece.strip())
    attrs = tuple(_slot(piece, True) for piece in _split(attrs_text, ",") if piece.strip())
    surface = (*args, *attrs)
    if order and order[0].strip():
        by_name = {slot.name: slot for slot in surface}
        surface = tuple(by_name[each.strip()] for each in order[0].split(","))
    return Signature(name, args, attrs, surface)


def has_signature(name: str) -> bool:
    """Whether ``name`` is an operator of the table (a call form is not)."""
    return name.removeprefix("relax.") in _LINES
