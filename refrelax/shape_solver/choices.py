"""A question by way of others: for each value of what its claim chooses by, and for all values of the claim's own
symbols where these are few.

A guard bounds what stands behind it. Where it is known, a symbol may be left few values, whatever the symbols are that
the assumptions tell of besides.

Spec: ``spec/06b-solver.md``, ``sh/instances``, ``sh/cases``.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Protocol

from refrelax.rules import rule
from refrelax.shape_solver.bits import opened
from refrelax.shape_solver.claim import Answer, Proved, conjunction
from refrelax.shape_solver.context import Context, negation
from refrelax.shape_solver.core import each_once, integer, mapped_down, names_in
from refrelax.shape_solver.equations import has_bits
from refrelax.shape_solver.posed import bounds_in
from refrelax.shape_solver.signs import by_range
from refrelax.shape_solver.subquestions import Asking, all_of, without_value
from refrelax.syntax.scalars import Binary, Intrinsic, Literal, Not, PrimExpr, Select, SymVar, bool_imm

MAX_NESTED = 2
"""Choices that are split, one below the other."""

Ends = tuple[int | None, int | None]


class Counting(Asking, Protocol):
    """A question that can be evaluated at all points that bounds leave."""

    context: Context

    def below(self, claim: PrimExpr, given: tuple[PrimExpr, ...]) -> Counting: ...
    def all_points(self) -> Answer | None: ...


# --- the claim's own symbols


@rule("sh/cases")
def by_own_points(attempt: Counting, bounds: Mapping[str, Ends]) -> Proved | None:
    """Where ``bounds`` leave the symbols of the claim few values: at all of these that the assumptions about nothing
    else leave. Others are forgotten."""
    return _by_points_of(attempt, names_in(attempt.query.claim), bounds)


@rule("sh/cases")
def by_seen_points(attempt: Counting) -> Proved | None:
    """The same, and at all points, with what the ranges of bit operators in the assumptions say."""
    query = attempt.query
    if not any(map(has_bits, query.assumptions)):
        return None
    bounds, own, every = seen_bounds(attempt), names_in(query.claim), frozenset(query.symbols())
    found = _by_points_of(attempt, own, bounds)
    return _by_points_of(attempt, every, bounds) if found is None and own < every else found


def _by_points_of(attempt: Counting, own: frozenset[str], bounds: Mapping[str, Ends]) -> Proved | None:
    query = attempt.query
    given: list[PrimExpr] = []
    for name, dtype in query.symbols().items():
        if name not in own or dtype == "bool":
            continue
        low, high = bounds.get(name, (None, None))
        if low is None or high is None:
            return None
        given += [Binary("GE", SymVar(name), integer(low)), Binary("LE", SymVar(name), integer(high))]
    given += [each for each in query.assumptions if names_in(each) <= own]
    answer = attempt.below(query.claim, tuple(given)).all_points()
    return attempt.proved("all points", answer.stages[-1].outcome) if isinstance(answer, Proved) else None


def seen_bounds(attempt: Counting) -> dict[str, Ends]:
    """What is known of the symbols, with what the ranges of bit operators in the assumptions say."""
    context, symbols = attempt.context, attempt.query.symbols()
    parts = [each for each in attempt.query.assumptions if has_bits(each)]
    found = by_range(conjunction(parts), context) if parts else None
    return bounds_in(context if found is None else found[1].assuming(opened(*found)), symbols)


# --- choices


@rule("sh/instances")
def by_choices(attempt: Counting, resources: int, nested: int = MAX_NESTED) -> Answer | None:
    """What a claim chooses by is true, or false, or has no value: the claim with what is chosen then, for each."""
    name, query = "choices", attempt.query
    if query.fits is not None or query.division == "require":
        return None
    found = next(_choices(query.claim), None)
    if found is None:
        return None
    guard, holds, fails = found
    cases = [(query.claim, case) for case in without_value(guard)]
    cases += [(holds, (guard,)), (fails, (negation(guard),))]

    def answers() -> Iterator[Answer | None]:
        for claim, case in cases:
            below = attempt.below(claim, (*query.assumptions, *case))
            answer = by_own_points(below, below.bounds()) or by_seen_points(below) or below.briefly(resources // 8)
            yield by_choices(below, resources, nested - 1) if answer is None and nested > 1 else answer

    return all_of(attempt, name, answers(), len(cases), "a choice")


def _choices(claim: PrimExpr) -> Iterator[tuple[PrimExpr, PrimExpr, PrimExpr]]:
    """What is chosen by in ``claim``, the outermost first, with ``claim`` where that holds and where it does not."""
    for node in each_once(claim):
        match node:
            case Select(guard) | Intrinsic("if_then_else", (guard, _, _)):
                pass
            case Binary("Or" | "And", Not(guard), _) | Binary("Or" | "And", guard, _):
                pass
            case _:
                continue
        if not isinstance(guard, Literal):
            yield guard, _put(claim, guard, True), _put(claim, guard, False)


def _put(claim: PrimExpr, guard: PrimExpr, value: bool) -> PrimExpr:
    """``claim`` where ``guard`` is known, without what is not chosen."""

    def change(node: PrimExpr) -> PrimExpr | None:
        if node == guard:
            return bool_imm(value)
        match node:
            case Select(c, a, b) | Intrinsic("if_then_else", (c, a, b)) if c == guard:
                return mapped_down(a if value else b, change)
            case Binary("Or" | "And" as op, Not(a), b) if a == guard:
                return mapped_down(b, change) if value == (op == "Or") else bool_imm(not value)
            case Binary("Or" | "And" as op, a, b) if a == guard:
                return mapped_down(b, change) if value == (op == "And") else bool_imm(value)
            case _:
                return None

    return mapped_down(claim, change)
