"""Runs that are those of the definition bit for bit: permitted, whatever else is permitted.

The canonical run is one of the permitted ones. So where a backend shows every binding, there are no effects, and each
binding, the result and the final arguments have the bits of the canonical run, nothing is outside: the permitted sets
need not be computed. Whatever is not plainly the same is left to ``diff``.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from refrelax.backends.executable import Observed
from refrelax.errors import Outcome, Returned
from refrelax.judge.bindings import simple_bindings
from refrelax.judge.counting import not_comparable
from refrelax.judge.known_bindings import stores
from refrelax.judge.outcomes import cores, other_effects
from refrelax.judge.report import Report
from refrelax.judge.verdicts import Agreement
from refrelax.running.arrays import Tensor, to_constant
from refrelax.running.sharing import dtype_of
from refrelax.semantics.numbers.verdicts import Counts
from refrelax.semantics.types.checked import CheckedModule
from refrelax.semantics.values import Prim, Shape, TensorValue
from refrelax.syntax import bits, dtypes

Told = Sequence[tuple[str, str, Any]]
"""What a run of the definition gave for each binding that it went through, by function and name."""


def alike(checked: CheckedModule, entry: str, told: Told, wanted: Outcome, observed: Observed) -> Agreement | None:
    """The verdict where a backend ran a call as the definition did (``wanted``, ``told``), bit for bit; nothing in
    every other case.

    A program that stores somewhere is none of these: what a binding gave may hold something else when it is compared.
    """
    found = observed.outcome
    if not isinstance(wanted, Returned) or wanted.poison or wanted.effects or checked.once(stores):
        return None
    if not isinstance(found, Returned) or found.poison or other_effects(wanted, found) is not None:
        return None
    simple = checked.once(simple_bindings)
    ours = [each for each in told if each[:2] in simple]
    shown = [f for f in observed.frames if f.done and (f.path, f.name) in simple]
    if [each[:2] for each in ours] != [(f.path, f.name) for f in shown]:
        return None
    if not all(same(value, f.value) for (_, _, value), f in zip(ours, shown, strict=True)):
        return None
    if len(wanted.arguments) != len(found.arguments):
        return None
    pairs = zip((wanted.value, *wanted.arguments), (found.value, *found.arguments), strict=True)
    if not all(same(cores(a), b) for a, b in pairs) or not_comparable(wanted, checked, entry):
        return None
    return Agreement(report=Report(Counts(inside=sum(map(_size, _leaves(cores(wanted.value)))))))


def same(wanted: Any, found: Any) -> bool:
    """Whether a value has the bits (and the dtype and the extents) of one of the definition's, every one of which is
    determined. Any NaN is a NaN."""
    match wanted:
        case tuple():
            return isinstance(found, tuple | list) and len(found) == len(wanted) and all(map(same, wanted, found))
        case TensorValue():
            return _same_tensor(wanted, found)
        case Shape():
            return isinstance(found, Shape) and found == wanted
        case Prim(value=number) | (bool() | int() | float() as number):
            alike_ = type(found) is type(number) and found == number
            return alike_ and not (isinstance(number, float) and number == 0.0)
        case _:
            return False


def _same_tensor(wanted: TensorValue, found: Any) -> bool:
    shape = getattr(found, "shape", None)
    if shape is None or tuple(shape) != wanted.shape or dtype_of(found) != wanted.dtype:
        return False
    ours = list(wanted.bits())
    theirs = list(found.patterns() if isinstance(found, Tensor) else to_constant(found, wanted.dtype).patterns())
    if None in ours or len(ours) != len(theirs):
        return False
    if ours == theirs:
        return True
    if not dtypes.is_float(wanted.dtype):
        return False
    return all(
        x == y or (y is not None and _nan(wanted.dtype, x) and _nan(wanted.dtype, y))
        for x, y in zip(ours, theirs, strict=True)
    )


def _nan(dtype: str, pattern: int | None) -> bool:
    if pattern is None:
        return False
    number = bits.decode(dtype, pattern)
    return number != number


def _leaves(value: Any) -> Iterator[Any]:
    if isinstance(value, tuple):
        for each in value:
            yield from _leaves(each)
    else:
        yield value


def _size(value: Any) -> int:
    """How many elements are compared: one where there are none, by dtype and extents."""
    return max(1, value.size) if isinstance(value, TensorValue) else 1
