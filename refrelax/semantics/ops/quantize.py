"""Quantisation.

Spec: ``spec/ops/quantize.md``.
"""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction

from refrelax.rules import rule
from refrelax.semantics.numbers.interface import Arithmetic, Payload
from refrelax.semantics.ops import attributes as A
from refrelax.semantics.ops import dims as D
from refrelax.semantics.ops.common import arity, known_dims, of_what_rank, rank, retyped, short, tensor
from refrelax.semantics.ops.definition import DeduceRule, Deduction, OpDef
from refrelax.semantics.ops.meaning import Array, Meaning, cast, defined
from refrelax.syntax import dtypes
from refrelax.syntax.bits import largest_finite
from refrelax.syntax.graph import Call
from refrelax.syntax.types import TensorType, Type

PAGE = "quantize"

NARROW = ("int8", "uint8", "int16", "uint16", "float8_e4m3fn", "float8_e5m2")
REAL = ("float16", "float32")
ZERO_POINTS = ("int8", "uint8", "int16", "uint16", "int32", "uint32", "float16")


@rule("op.quantize/dtypes", "op.quantize/axis-range", "op.quantize/parameter-dims")
def _deduce(inputs: tuple[str, ...], outputs: tuple[str, ...]) -> DeduceRule:
    """The data's type at ``out_dtype``."""

    def deduce(d: Deduction, call: Call, types: tuple[Type, ...]) -> Type:
        arity(d, call, 3)
        x, scale, zero = (tensor(d, call, types, k) for k in range(3))
        out = A.dtype(call, "out_dtype")
        if out not in outputs:
            d.fail("op.quantize/dtypes", f"{short(call)} does not give {out}")
        if None in (x.dtype, scale.dtype, zero.dtype):
            return retyped(x, None)
        if x.dtype not in inputs or scale.dtype not in REAL or zero.dtype not in ZERO_POINTS:
            d.fail("op.quantize/dtypes", f"{short(call)} does not take {x.dtype}, {scale.dtype}, {zero.dtype}")
        axis = A.integer(call, "axis")
        axis = axis + x.ndim if axis < 0 else axis
        if x.ndim != 0 and not 0 <= axis < x.ndim:
            d.fail("op.quantize/axis-range", f"{short(call)}: axis {A.integer(call, 'axis')} of {of_what_rank(x)}")
        for parameter in (scale, zero):
            _fits(d, call, x, parameter, axis)
        return retyped(x, out)

    return deduce


def _fits(d: Deduction, call: Call, x: TensorType, parameter: TensorType, axis: int) -> None:
    """A parameter is one element, or a vector along ``axis``."""
    own = known_dims(parameter)
    if rank(parameter) == 0 or (own is not None and all(d.equal(dim, D.ONE) is True for dim in own)):
        return
    dims = known_dims(x)
    vector = own is not None and len(own) == 1
    if own is None or not vector or not dims or d.equal(own[0], dims[axis]) is not True:
        d.fail(
            "op.quantize/parameter-dims", f"{short(call)}: a parameter is neither one element nor one an axis position"
        )


@rule("op.quantize/parameter-extents")
def _along(m: Meaning, call: Call, x: Array, p: Array) -> Array:
    """A parameter seen at the data's extents: the only element, or the one at the position along the axis."""
    wrong = "op.quantize/parameter-extents", f"{p.dims} for {x.dims}, axis {A.integer(call, 'axis')}"
    if p.ndim != 1 or not x.ndim:
        m.require(m.product(p.dims) == 1, *wrong)
        return m.reshaped(p, ())
    axis = A.integer(call, "axis") % x.ndim
    m.stretches(p.dims[0], x.dims[axis], *wrong)
    return m.along(p, [axis], x.dims)


def _clamped(f: Arithmetic, dtype: str) -> Callable[[Payload], Payload]:
    """A float clamped to the finite range of ``dtype``."""
    if dtypes.is_float(dtype):
        high = largest_finite(dtype)
        low = -high
    else:
        low, high = (Fraction(bound) for bound in dtypes.integer_range(dtype))
    a, b = f.lit(low), f.lit(high)
    return lambda v: f.maximum(f.minimum(v, b), a)


def _same(v: Payload) -> Payload:
    return v


def quantize(m: Meaning, call: Call, x: Array, scale: Array, zero: Array) -> Array:
    """``clamp(round(x / scale) + zero_point)`` to the output dtype, half to even; a float output is not rounded.

    The steps are those of float32, or of the data's dtype where neither it nor the scale is float32 and the zero point
    is a float. The clamp is to the integers of the output dtype, or to its finite numbers. NaN is poison in an output
    of integers.
    """
    out = A.dtype(call, "out_dtype") or x.dtype
    acc = "float32" if "float32" in (x.dtype, scale.dtype) or not dtypes.is_float(zero.dtype) else x.dtype
    f, g = m.at(acc), m.at(out)
    x, by, shift = cast(m, x, acc), cast(m, scale, acc), cast(m, zero, acc)
    factor, offset, clamp = _along(m, call, x, by), _along(m, call, x, shift), _clamped(f, out)
    half_even = _same if dtypes.is_float(out) else f.math("round")

    def element(a: Payload, s: Payload, z: Payload) -> Payload:
        return g.cast(clamp(f.add(half_even(f.div(a, s)), z)), acc)

    return m.pointwise(out, element, x, factor, offset)


def dequantize(m: Meaning, call: Call, x: Array, scale: Array, zero: Array) -> Array:
    """``(x - zero_point) * scale``: the difference in int32 where both are integers, wrapped and then converted to
    float32, else in float32; the product in float32. At a float16 output it is clamped to the finite numbers of
    float16, then converted."""
    out = A.dtype(call, "out_dtype") or x.dtype
    middle = "float32" if dtypes.is_float(x.dtype) or dtypes.is_float(zero.dtype) else "int32"
    f, g, h = m.at("float32"), m.at(out), m.at(middle)
    x, shift, by = cast(m, x, middle), cast(m, zero, middle), cast(m, scale, "float32")
    factor, offset, clamp = _along(m, call, x, by), _along(m, call, x, shift), _clamped(f, "float16")

    def element(a: Payload, s: Payload, z: Payload) -> Payload:
        apart = h.sub(a, z)
        value = f.mul(apart if middle == "float32" else f.cast(apart, middle), s)
        return value if out == "float32" else g.cast(clamp(value), "float32")

    return m.pointwise(out, element, x, factor, offset)


OPERATORS: tuple[OpDef, ...] = (
    defined("relax.quantize", _deduce(REAL, NARROW), quantize, PAGE),
    defined("relax.dequantize", _deduce((*NARROW, "int32", *REAL), REAL), dequantize, PAGE),
)
