"""Where two results agree but for the sign of a zero.

Permitted sets hold no sign of a zero, so such a result is inside; the answer names the relaxation ``zero-sign``.

Spec: ``spec/02-values.md``, *Named relaxations*.
"""

from __future__ import annotations

from collections.abc import Iterable
from functools import cache
from math import copysign
from typing import Any

from refrelax.running.arrays import Tensor, to_constant
from refrelax.running.sharing import dtype_of
from refrelax.semantics.numbers.bounds import ZERO_SIGN
from refrelax.semantics.values import Prim, TensorValue
from refrelax.syntax import bits, dtypes


def needed(pairs: Iterable[tuple[Any, Any]], sets: str = "enclosure") -> tuple[str, ...]:
    """``("zero-sign",)`` where canonical and observed values differ by the sign of a zero somewhere, else nothing.
    ``sets``: the reading that permitted them; ``strict`` knows signs itself."""
    return (ZERO_SIGN,) if sets != "strict" and any(crossed(wanted, found) for wanted, found in pairs) else ()


def crossed(wanted: Any, found: Any) -> bool:
    """Whether an element is a zero on both sides, of different sign."""
    if isinstance(wanted, tuple):
        return isinstance(found, tuple) and any(map(crossed, wanted, found))
    if isinstance(wanted, Prim) or isinstance(found, Prim):
        return crossed(getattr(wanted, "value", wanted), getattr(found, "value", found))
    if isinstance(wanted, float) and isinstance(found, float):
        return wanted == found == 0 and copysign(1.0, wanted) != copysign(1.0, found)
    core = getattr(wanted, "core", wanted)
    if (
        not isinstance(core, TensorValue)
        or not dtypes.is_float(core.dtype)
        or getattr(found, "shape", None) != core.shape
        or dtype_of(found) not in (None, core.dtype)
    ):
        return False
    ours, theirs = core.bits(), _patterns(found, core.dtype)
    if ours == theirs:
        return False  # (most are)
    pairs = zip(ours, theirs, strict=True)
    return any(p != q and _zero(core.dtype, p) and _zero(core.dtype, q) for p, q in pairs)


def zeros(found: Any) -> bool:
    """Whether a value holds a zero of a float that has a sign."""
    if isinstance(found, tuple):
        return any(map(zeros, found))
    if isinstance(found, Prim | float):
        return isinstance(number := getattr(found, "value", found), float) and number == 0
    dtype = dtype_of(found)
    return (
        dtype is not None
        and dtypes.is_dtype(dtype)
        and dtypes.is_float(dtype)
        and not _zeros(dtype).isdisjoint(_patterns(found, dtype))
    )


def _patterns(found: Any, dtype: str) -> Iterable[int | None]:
    if isinstance(found, Tensor | TensorValue):
        return found.patterns() if isinstance(found, Tensor) else found.bits()
    return to_constant(found, dtype).patterns()


@cache
def _zeros(dtype: str) -> frozenset[int]:
    """The patterns of a float dtype that are zeros."""
    return frozenset(p for p in (0, 1 << (bits.FORMATS[dtype].width - 1)) if bits.decode(dtype, p) == 0)


def _zero(dtype: str, pattern: int | None) -> bool:
    return pattern in _zeros(dtype)
