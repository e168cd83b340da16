"""What ``enclosure`` permits of an operator as a whole: what its steps permit, and the exact result.

A contract is kept by running the operator's definition a second time, under ``ideal``, on the same sets of arguments;
each element permits the hull of both. Spec: ``spec/02-values.md``, ``num/exact-is-permitted``.
"""

from __future__ import annotations

import math
from dataclasses import replace
from functools import cache
from typing import Any

from refrelax.errors import Ended
from refrelax.rules import rule
from refrelax.semantics.numbers.bounds import NARROW
from refrelax.semantics.numbers.ideal import DOUBLE, WIDE, entered, ideal, permitted
from refrelax.semantics.numbers.interface import Payload
from refrelax.semantics.numbers.poison import Poison
from refrelax.semantics.numbers.rounding import largest, smallest_normal
from refrelax.semantics.ops import attributes as A
from refrelax.semantics.ops.accuracy import Accuracy, accuracy_of
from refrelax.semantics.ops.definition import EvaluateRule, Evaluation, OpDef
from refrelax.semantics.values import TensorValue, Value, from_payloads
from refrelax.syntax import bits, dtypes
from refrelax.syntax.graph import Call

POWERS = 1
"""The significant bits of a format that holds powers of two alone: ``float8_e8m0fnu``."""


def contracted(row: OpDef) -> OpDef:
    """The operator with the word of its accuracy, whose enclosures keep it."""
    accuracy = accuracy_of(row.name, row.text is not None)
    keeps = row.text is not None and accuracy.word in ("reduction", "stepwise")
    return replace(row, accuracy=accuracy, evaluate=_keeping(row.evaluate, accuracy) if keeps else row.evaluate)


def _keeping(evaluate: EvaluateRule, accuracy: Accuracy) -> EvaluateRule:
    def kept(e: Evaluation, call: Call, args: tuple[Value, ...]) -> Value:
        found = evaluate(e, call, args)
        if e.numerics.name in WIDE and _asked(accuracy, call, args, found):
            return _permitted(evaluate, accuracy, e, call, args, found)
        return found

    return kept


@rule("num/accuracy-of-operators")
def _asked(accuracy: Accuracy, call: Call, args: tuple[Value, ...], found: Value) -> bool:
    """Whether the steps alone may leave the exact result out: of many additions only in narrow formats, where operands
    are converted to another format before they are added, or where a sum that is divided leaves the normal numbers."""
    if accuracy.once is not None and A.text(call, accuracy.once[0]) in accuracy.once[1]:
        return False
    met = _precisions(tuple([x.dtype for x in (*_tensors(args), *_tensors(found))]))
    if POWERS in met:
        return False  # without a zero and a sign there is no arithmetic to be exact about
    if accuracy.word == "reduction":
        return bool(met) and (min(met) < NARROW or min(met) < max(met) or any(map(_edge, _tensors(found))))
    return bool(met)


def _edge(x: TensorValue) -> bool:
    """Whether an element may be an infinity, a NaN or subnormal, which what it was divided from may not have been."""
    if not dtypes.is_float(x.dtype):
        return False
    least, most = smallest_normal(x.dtype), largest(x.dtype)
    ends = (end for each in x.payloads() if not isinstance(each, Poison) for end in _ends(each))
    return any(end and not least <= abs(end) <= most for end in ends)


def _ends(x: Payload) -> tuple[float, ...]:
    """The bounds of an element; a NaN among them if it may be one."""
    if isinstance(x, float):
        return (x,)
    return (x.lo, x.hi, math.nan) if x.nan else (x.lo, x.hi)


@cache
def _precisions(names: tuple[str, ...]) -> list[int]:
    """The significant bits of the floats among dtypes."""
    return [bits.FORMATS[name].mantissa_bits + 1 for name in names if dtypes.is_float(name)]


def _tensors(value: Any) -> list[TensorValue]:
    if isinstance(value, tuple):
        return [each for field in value for each in _tensors(field)]
    return [value] if isinstance(value, TensorValue) else []


@rule("num/exact-is-permitted")
def _permitted(
    evaluate: EvaluateRule, accuracy: Accuracy, e: Evaluation, call: Call, args: tuple[Value, ...], found: Value
) -> Value:
    """``found`` with the exact results; as it is where those have no end, or not its shape."""
    real = ideal(DOUBLE)
    try:
        again = Evaluation(real, [], e.span, e.dim, _nothing, e.world, e.type_of)
        exact = evaluate(again, call, tuple(map(_entered, args)))
    except Ended:  # an index or a size that the bounds do not decide
        return found
    return _joined(e, accuracy, found, exact)


def _nothing(_count: int) -> None:
    """What was charged once is not charged again."""


def _entered(value: Value) -> Value:
    if isinstance(value, tuple):
        return tuple(map(_entered, value))
    if not isinstance(value, TensorValue):
        return value
    real = ideal(DOUBLE)
    return from_payloads(real, value.dtype, value.shape, entered(real, value.dtype, value.payloads()))


def _joined(e: Evaluation, accuracy: Accuracy, found: Value, exact: Value) -> Value:
    if isinstance(found, tuple) and isinstance(exact, tuple):
        return tuple(_joined(e, accuracy, a, b) for a, b in zip(found, exact, strict=True))
    if not isinstance(found, TensorValue) or not isinstance(exact, TensorValue) or found.shape != exact.shape:
        return found
    home = e.numerics.at(found.dtype)
    cells = permitted(home, accuracy.units, found.payloads(), exact.payloads())
    return from_payloads(e.numerics, found.dtype, found.shape, cells)


__all__ = ["contracted"]
