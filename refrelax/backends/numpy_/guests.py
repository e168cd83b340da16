"""Dtypes that NumPy holds, through ml_dtypes, but does not calculate in as the language does.

``float8_e8m0fnu`` has no zero and rounds otherwise there; sums of the four-bit and two-bit integers come out as int8.
What only moves elements takes them as they are. What rounds once is calculated in a wider dtype and converted by
``exact.cast``. Everything else is the definition's (``by_definition.py``); where a dtype is known only as a program
runs, there is no translation.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np

from refrelax.backends.errors import Unsupported
from refrelax.backends.numpy_ import exact
from refrelax.backends.numpy_.operands import Attrs, Run, array
from refrelax.running.arrays import numpy_dtype
from refrelax.semantics.values import Prim
from refrelax.syntax import dtypes

WIDER: dict[str, Any] = {
    "float8_e8m0fnu": np.float64, "int4": np.int8, "int2": np.int8, "int1": np.int8,
    "uint4": np.uint8, "uint2": np.uint8, "uint1": np.uint8,
}  # fmt: skip
"""The guests, each with a dtype that holds its numbers and the results of one step."""

MOVES = frozenset(
    f"relax.{name}"
    for name in (
        "astype", "wrap_param", "full", "full_like", "zeros", "ones", "zeros_like", "ones_like", "reshape",
        "permute_dims", "concat", "stack", "split", "expand_dims", "squeeze", "broadcast_to", "flatten",
        "nn.batch_flatten", "repeat", "tile", "flip", "strided_slice", "dynamic_strided_slice", "take",
        "gather_elements", "gather_nd", "index_tensor", "slice_scatter", "reverse_sequence", "meshgrid",
        "shape_of", "size", "hint_on_device", "to_vdevice", "memory.ensure_zero_offset",
        "builtin.stop_lift_params", "grad.start_checkpoint", "grad.end_checkpoint", "grad.no_grad",
        "tensor_to_shape", "nn.pixel_shuffle", "unique", "nonzero", "dist.annotate_sharding",
        "dist.redistribute",
    )
)  # fmt: skip

ONE_STEP = frozenset(
    f"relax.{name}"
    for name in (
        "exp", "log", "sqrt", "tanh", "sin", "cos", "erf", "tan", "sinh", "cosh", "asin", "acos", "atan", "asinh",
        "acosh", "atanh", "floor", "ceil", "round", "trunc", "abs", "sign", "square", "negative", "bitwise_not",
        "isnan", "isinf", "isfinite", "add", "subtract", "multiply", "divide", "maximum", "minimum", "equal",
        "not_equal", "less", "less_equal", "greater", "greater_equal", "bitwise_and", "bitwise_or", "bitwise_xor",
        "max", "min", "argmax", "argmin", "sort", "where",
    )
)  # fmt: skip

INTEGERS = frozenset(
    f"relax.{name}"
    for name in (
        "sum", "prod", "matmul", "outer", "logical_not", "logical_and", "logical_or", "logical_xor",
        "nn.relu",
    )
)  # fmt: skip
"""What is right for the integers: calculated modulo a power of two, or against a zero, which e8m0 has not."""


def dtype_of(value: Any) -> Iterable[str]:
    """The dtypes of an argument."""
    if isinstance(value, tuple):
        return [name for each in value for name in dtype_of(each)]
    if isinstance(value, Prim):
        return [value.dtype]
    return [value.dtype.name] if hasattr(value, "dtype") else []


def admit(name: str, found: Iterable[str], attrs: Attrs) -> set[str]:
    """The guests among the dtypes of a call.

    Raises:
        Unsupported: the operator has no translation for one of them.
    """
    found = tuple(found)
    if name == "relax.nn.instance_norm" and not all(dtypes.is_float(each) for each in found):
        raise Unsupported(f"R.nn.instance_norm of {found[0]}")  # the type rule takes integers, as TVM's does
    if name == "relax.nn.nll_loss" and "bool" in found:
        raise Unsupported("R.nn.nll_loss of bool")  # whose negative and sum are the definition's to say
    operands = set(found[1:] if name == "relax.where" else found)  # (a condition is of no dtype of the result)
    made = {each for key in ("dtype", "out_dtype") if (each := str(attrs.get(key))) in WIDER}
    guests = (operands & set(WIDER)) | made
    for each in sorted(guests) if name not in MOVES else ():
        steps = name in ONE_STEP if each == "float8_e8m0fnu" else name in ONE_STEP | INTEGERS
        if not steps or made or operands - {each}:
            raise Unsupported(f"{name.replace('relax.', 'R.', 1)} of {each}")
    return guests


def hosted(name: str, row: Run) -> Run:
    """The row of an operator for guests as well."""

    def run(attrs: Attrs, args: Sequence[Any], fast: bool) -> Any:
        if name in MOVES or (_usual(args) and attrs.get("dtype") not in WIDER and attrs.get("out_dtype") not in WIDER):
            return row(attrs, args, fast)
        guests = admit(name, dtype_of(tuple(args)), attrs)
        if not guests:
            return row(attrs, args, fast)
        (guest,) = guests
        wide = WIDER[guest]
        result = row(attrs, tuple(_widened(each) for each in args), False)
        return _narrowed(result, np.dtype(wide), numpy_dtype(guest))

    return run


OWN = frozenset(np.dtype(code).name for code in "?bBhHiIqQefd")
"""NumPy's own dtypes, as prim values name them."""


def _usual(args: Sequence[Any]) -> bool:
    """Whether all arguments are arrays of NumPy's own dtypes, prim values of these, or tuples of such."""
    for each in args:  # (quicker than ``all``)
        if type(each) is np.ndarray:
            if each.dtype.isbuiltin != 1:
                return False
        elif isinstance(each, tuple):
            if not _usual(each):
                return False
        elif not isinstance(each, Prim) or each.dtype not in OWN:
            return False
    return True


def _widened(value: Any) -> Any:
    if isinstance(value, tuple):
        return tuple(map(_widened, value))
    if not set(dtype_of(value)) & set(WIDER):
        return value
    held = array(value)
    return held.astype(WIDER[held.dtype.name])


def _narrowed(result: Any, wide: Any, guest: Any) -> Any:
    if isinstance(result, tuple):
        return tuple(_narrowed(each, wide, guest) for each in result)
    return exact.cast(result, guest) if getattr(result, "dtype", None) == wide else result
