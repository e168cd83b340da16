"""What generated modules may contain."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass

from hypothesis.errors import InvalidArgument

from refrelax.syntax import dtypes as dtype_facts

LEVELS = ("graph", "loops")
"""Graph operators, and loop-level functions called from the graph."""

FEATURES = (
    "elementwise", "reductions", "shapes", "indexing", "linear", "networks", "tuples", "primitives", "match_cast",
    "branches", "functions", "recursion", "libraries", "effects", "float_extents",
)  # fmt: skip
"""Families of constructs that can be switched off (or chosen) by name. ``float_extents`` (extents that are computed by
floats) adds to what the others build."""

DTYPES = ("float32", "int32", "bool", "int64", "float16")
"""Element types of generated tensors, simplest first."""


@dataclass(frozen=True, slots=True)
class Options:
    """The choices of one call of ``modules``; see there."""

    max_bindings: int
    levels: tuple[str, ...]
    dtypes: tuple[str, ...]
    features: tuple[str, ...]
    symbols: tuple[str, ...]

    @property
    def floats(self) -> tuple[str, ...]:
        return tuple(d for d in self.dtypes if dtype_facts.is_float(d))

    @property
    def integers(self) -> tuple[str, ...]:
        return tuple(d for d in self.dtypes if dtype_facts.is_integer(d))

    @property
    def numbers(self) -> tuple[str, ...]:
        return tuple(d for d in self.dtypes if d != "bool")


def subset(name: str, given: Collection[str] | None, known: tuple[str, ...]) -> tuple[str, ...]:
    """``given`` in the order of ``known`` (``None``: all of them).

    Raises:
        InvalidArgument: something unknown, a bare string, or nothing at all.
    """
    if given is None:
        return known
    if isinstance(given, str) or not isinstance(given, Collection):
        raise InvalidArgument(f"{name}={given!r}: expected a collection of names, found {type(given).__name__}")
    unknown = sorted(set(given) - set(known))
    if unknown:
        raise InvalidArgument(f"{name}={given!r}: unknown {', '.join(map(repr, unknown))}; known: {', '.join(known)}")
    if not given:
        raise InvalidArgument(f"{name} is empty: expected at least one of {', '.join(known)}")
    return tuple(each for each in known if each in given)


def dtype_names(name: str, given: Collection[str] | None) -> tuple[str, ...]:
    """Scalar dtypes, in the caller's order. Raises ``InvalidArgument`` for anything else."""
    if given is None:
        return DTYPES
    if isinstance(given, str) or not isinstance(given, Collection):
        raise InvalidArgument(f"{name}={given!r}: expected a collection of dtypes, found {type(given).__name__}")
    for each in given:
        if not isinstance(each, str) or not dtype_facts.is_dtype(each) or dtype_facts.lanes(each) != 1:
            raise InvalidArgument(f"{name}={given!r}: {each!r} is no scalar dtype")
    if not given:
        raise InvalidArgument(f"{name} is empty: expected at least one dtype")
    return tuple(dict.fromkeys(given))


def check_integer(name: str, value: int, low: int) -> None:
    """Raises ``InvalidArgument`` unless ``value`` is an integer of at least ``low``."""
    if not isinstance(value, int) or isinstance(value, bool) or value < low:
        raise InvalidArgument(f"{name}={value!r}: expected an integer of at least {low}")
