"""Fixed-point multiplication: ``T.q_multiply_shift`` and its form with shifts per axis.

Spec: ``spec/07-evaluation.md``, *Intrinsics*.
"""

from __future__ import annotations

from refrelax.rules import rule
from refrelax.semantics.loops.elements import build_element
from refrelax.semantics.loops.frame import Builder, Element, Frame
from refrelax.semantics.numbers.interface import Payload
from refrelax.syntax.scalars import Intrinsic

FIXED_POINT = frozenset({"q_multiply_shift", "q_multiply_shift_per_axis"})


@rule("ev/fixed-point-multiply")
def build_fixed_point(build: Builder, call: Intrinsic) -> Element:
    """``x · 2**left · y / 2**(q + right)``, rounded to the nearest integer (halves up), in 64 bits."""
    args = [build_element(build, each) for each in call.args]
    wide, narrow = build.context.numerics.at("int64"), build.context.numerics.at("int32")
    zero, one = wide.lit(0), wide.lit(1)

    def multiplied(x: Payload, y: Payload, q: Payload, left: Payload, right: Payload) -> Payload:
        product = wide.mul(wide.shift_left(x, left), y)
        total = wide.add(q, right)
        half = wide.shift_left(one, wide.sub(total, one))
        return narrow.cast(wide.shift_right(wide.add(product, half), total), "int64")

    if call.op == "q_multiply_shift":

        def by_sign(frame: Frame) -> Payload:
            x, y, q, s = (wide.cast(each(frame), "int32") for each in args)
            return multiplied(x, y, q, wide.maximum(s, zero), wide.maximum(wide.neg(s), zero))

        return by_sign
    x_of, y_of, left_of, right_of, q_of, shifts_left, _ = args

    def per_axis(frame: Frame) -> Payload:
        x, y, left, right, q = (wide.cast(each(frame), "int32") for each in (x_of, y_of, left_of, right_of, q_of))
        return multiplied(x, y, q, wide.select(shifts_left(frame), left, zero), right)

    return per_axis
