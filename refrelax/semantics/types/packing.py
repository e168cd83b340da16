"""Tuples in tuples: the parts that are no tuples, in order, and a value of the same form from such parts."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any, TypeVar

from refrelax.syntax.types import TupleType, Type

V = TypeVar("V")


def parts(type_: Type) -> tuple[Type, ...]:
    """What a type is made of that is no tuple, in order; of one that is none, itself."""
    return tuple(part for each in type_.fields for part in parts(each)) if isinstance(type_, TupleType) else (type_,)


def members(value: Any) -> tuple[Any, ...]:
    """What a value holds that is no tuple, in order; of one that is none, itself."""
    return tuple(part for each in value for part in members(each)) if isinstance(value, tuple) else (value,)


def packed(type_: Type, given: Iterator[V], of: Callable[[tuple[V, ...]], V]) -> V:
    """A value of the form of a type from its parts; ``of`` makes a tuple."""
    if isinstance(type_, TupleType):
        return of(tuple(packed(each, given, of) for each in type_.fields))
    return next(given)


def same_form(a: Type | None, b: Type | None) -> bool:
    """Whether both are tuples of as many fields of the same form, or neither is a tuple."""
    if isinstance(a, TupleType) and isinstance(b, TupleType):
        return len(a.fields) == len(b.fields) and all(map(same_form, a.fields, b.fields))
    return not isinstance(a, TupleType) and not isinstance(b, TupleType)


__all__ = ["members", "packed", "parts", "same_form"]
