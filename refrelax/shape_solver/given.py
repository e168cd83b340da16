"""What callers pass, as terms: a text is read, an expression is taken, anything else is refused before it is looked at.

A wrong *kind* of argument is a ``UsageError``; a text or an expression that is no claim is ``Malformed``.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Set
from math import isnan
from typing import NoReturn, cast, get_args

from refrelax.errors import UsageError
from refrelax.shape_solver.core import integer
from refrelax.shape_solver.parse import parse_claim, parse_dim
from refrelax.syntax.scalars import PrimExpr

Assumption = str | PrimExpr
Dim = str | int | PrimExpr
Region = Dim | tuple[Dim, Dim]
"""One place, or the places from ``start`` to below ``start + length``."""

EXPRESSIONS = get_args(PrimExpr)
SHOWN = 60
"""Characters of what was found that are shown."""


def refuse(expected: str, found: object) -> NoReturn:
    said = repr(found)
    raise UsageError(
        f"expected {expected}, found {said if len(said) <= SHOWN else said[:SHOWN] + '…'} ({type(found).__name__})"
    )


def claim_of(given: object, called: str = "<claim>") -> PrimExpr:
    """A claim, as text or as an expression; ``called``: what a text is in messages."""
    if isinstance(given, str):
        return parse_claim(given, called)
    if not isinstance(given, EXPRESSIONS):
        refuse("a claim: a text such as 'n >= 0', or a scalar expression of dtype bool", given)
    return cast(PrimExpr, given)


def claims_of(given: object) -> tuple[PrimExpr, ...]:
    """A list of claims, in order; a set in the order of what its members say."""
    parts = listed(given, "a list of assumptions, such as ['n >= 0']")
    return tuple(claim_of(each, f"<assumption {number}>") for number, each in enumerate(parts, 1))


def dim_of(given: object) -> PrimExpr:
    """An integer, as text, as a number or as an expression."""
    if isinstance(given, str):
        return parse_dim(given)
    if isinstance(given, int) and not isinstance(given, bool):
        return integer(given)
    if not isinstance(given, EXPRESSIONS):
        refuse("an integer expression: a text such as 'n // 2', a number or a scalar expression", given)
    return cast(PrimExpr, given)


def region_of(given: object) -> tuple[PrimExpr, PrimExpr]:
    """First place and length."""
    if isinstance(given, tuple):
        if len(given) != 2:
            refuse("a region: one place, or (start, length)", given)
        return dim_of(given[0]), dim_of(given[1])
    if isinstance(given, list):
        refuse("a region: one place, or the tuple (start, length)", given)
    return dim_of(given), integer(1)


def names_of(given: object, known: Collection[str]) -> list[str]:
    """Names of symbols, each once."""
    names = list(dict.fromkeys(listed(given, "a list of variables, such as ['i', 'j']", hashable=str)))
    for name in names:
        if name not in known and not cast(str, name).isidentifier():
            refuse("the name of a variable", name)
    if not names:
        raise UsageError("expected the variables of an index map, found none")
    return cast(list[str], names)


def listed(given: object, expected: str, hashable: type = object) -> list[object]:
    """The members of a list, of members of a type."""
    if isinstance(given, (str, bytes, Mapping, *EXPRESSIONS)) or not isinstance(given, Iterable):
        refuse(expected, given)
    found = sorted(given, key=repr) if isinstance(given, Set) else list(given)
    for each in found:
        if not isinstance(each, hashable):
            refuse(expected, each)
    return found


def one_of(given: object, allowed: Iterable[str], what: str) -> None:
    """Refuses an option that there is not."""
    known = tuple(allowed)
    if not isinstance(given, str) or given not in known:
        refuse(f"one of {', '.join(known)} for {what}", given)


def seconds(given: object) -> None:
    """Refuses what is no length of time."""
    if given is None:
        return
    if isinstance(given, bool) or not isinstance(given, int | float) or isnan(given) or given < 0:
        refuse("a number of seconds for timeout", given)
