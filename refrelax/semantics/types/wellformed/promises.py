"""Conditions on what a function's attributes promise of its symbols.

Spec: ``spec/04-well-formedness.md``, Functions; ``spec/07-evaluation.md``, ``ev/symbol-bounds``.
"""

from __future__ import annotations

from collections.abc import Iterator

from refrelax.rules import rule
from refrelax.semantics.symbol_bounds import symbol_bounds
from refrelax.semantics.types.wellformed.heads import text_of
from refrelax.syntax.graph import AttrDict, AttrList, Function
from refrelax.syntax.promises import LOWER, NONNEGATIVE, UPPER
from refrelax.syntax.scalars import Literal
from refrelax.syntax.types import PrimType
from refrelax.syntax.write.scalars import expression


@rule("wf/promise")
def wrong_promises(function: Function) -> Iterator[str]:
    """What is wrong with the promises of a function: a form that says nothing, ends that no call keeps. A name that its
    signature does not define is none of that: one table may be given to all functions of a module."""
    attrs = {name: value for name, value in function.attrs if value is not None}
    for name in {LOWER, UPPER} & attrs.keys():
        yield from _of_ends(name, attrs[name])
    if NONNEGATIVE in attrs:
        yield from _of_names(attrs[NONNEGATIVE])
    scalars = {p.name for p in function.params if isinstance(p.type, PrimType)}
    for symbol, (low, high) in symbol_bounds(function).items():
        if high is not None and high < 0 and symbol not in scalars:
            yield f"{UPPER} promises {symbol} <= {high}; expected 0 or more, as an extent is not negative"
        elif low is not None and high is not None and low > high:
            yield f"{low} <= {symbol} <= {high} is promised, which no call keeps"


def _of_ends(name: str, value: object) -> Iterator[str]:
    if not isinstance(value, AttrDict):
        yield f"{name} takes a dict of integers by name; found {_told(value)}"
        return
    for symbol, bound in value.items:
        if not isinstance(bound, int) or isinstance(bound, bool):
            yield f"{name} takes an integer for {symbol}; found {_told(bound)}"


def _of_names(value: object) -> Iterator[str]:
    if not isinstance(value, AttrList):
        yield f"{NONNEGATIVE} takes a list of names; found {_told(value)}"
        return
    yield from (f"{NONNEGATIVE} takes names; found {_told(e)}" for e in value.items if text_of(e) is None)


def _told(value: object) -> str:
    """An attribute in words, as far as it is short."""
    match value:
        case AttrDict():
            return "a dict"
        case AttrList():
            return "a list"
        case bool() | int() | float() | str():
            return repr(value)
        case Literal():
            return expression(value)
        case _:
            return f"a {type(value).__name__}" if text_of(value) is None else repr(text_of(value))


__all__ = ["wrong_promises"]
