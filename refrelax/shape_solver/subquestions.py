"""A question by way of others: for each value of a symbol, for each divisor of a number, and about the one place in
which two terms differ. For each value of a part: ``counts.py``.

Spec: ``spec/06b-solver.md``, ``sh/instances``, ``sh/divisors``, ``sh/parts-that-differ``.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Protocol

from refrelax.rules import rule
from refrelax.shape_solver.allowance import Allowance
from refrelax.shape_solver.claim import Answer, Proved, Query, Refuted, conjunction
from refrelax.shape_solver.core import each_once, integer, key, mapped_down, replaced
from refrelax.shape_solver.defined import conditions
from refrelax.shape_solver.equations import ONE, added
from refrelax.shape_solver.folded import folded
from refrelax.shape_solver.instances import hard, values
from refrelax.syntax.scalars import Binary, Intrinsic, Not, PrimExpr, Select, as_int, bool_imm, children

MAX_EQUATED = 1 << 34
"""A number whose divisors are looked for."""

MAX_DIVISORS = 64
MAX_NESTED = 3
"""Products one below the other."""

MAX_COMPARED = 3
"""Comparisons of one claim."""

Case = tuple[PrimExpr, ...]


class Asking(Protocol):
    """A question on its way (``prove.py``)."""

    query: Query
    allowance: Allowance

    def bounds(self) -> dict[str, tuple[int | None, int | None]]: ...
    def below(self, claim: PrimExpr, given: tuple[PrimExpr, ...]) -> Asking: ...
    def briefly(self, resources: int) -> Answer | None: ...
    def confirmed(self, name: str, model: Mapping[str, int]) -> Refuted | None: ...
    def proved(self, name: str, outcome: str) -> Proved: ...
    def note(self, name: str, outcome: str) -> None: ...


# --- values


@rule("sh/instances")
def by_values(attempt: Asking, resources: int) -> Answer | None:
    """Each of few values of the symbols that make the question hard, or some of many."""
    name, query = "instances", attempt.query
    names = hard((query.claim, *query.assumptions), attempt.bounds())
    if not names:
        return None
    chosen, complete = values(names, attempt.bounds())
    for each in chosen:
        if attempt.allowance.left <= 0:
            complete = False
            break
        by = {n: integer(v) for n, v in zip(names, each)}
        claim, *given = (replaced(e, by) for e in (query.claim, *query.assumptions))
        found = attempt.below(claim, tuple(given)).briefly(min(resources // 4, 4 * resources // len(chosen)))
        if isinstance(found, Refuted):
            model = {**found.model, **dict(zip(names, each))}
            refuted = attempt.confirmed(name, model)
            if refuted is not None:
                return refuted
        complete = complete and isinstance(found, Proved)
    if complete and chosen:
        return attempt.proved(name, f"each of {len(chosen)} values of {len(names)} symbols")
    attempt.note(name, f"{len(chosen)} values, open")
    return None


# --- divisors


@rule("sh/divisors")
def by_divisors(attempt: Asking, resources: int, nested: int = MAX_NESTED) -> Answer | None:
    """Where a product is equated with a number, a factor is one of its divisors: the question for each, and for the
    equation being false, or without a value where nothing asks for it."""
    name, query = "divisors", attempt.query
    if query.fits is not None or query.division == "require":
        return None
    asked, *assumptions = map(folded, (query.claim, *query.assumptions))
    found = next(_equated((asked, *assumptions)), None)
    if found is None:
        return None
    equation, cases = found
    holds, fails = (_settled(asked, equation, each) for each in (True, False))
    different = Binary("NE", equation.a, equation.b)
    given = tuple(each for each in assumptions if key(each) != key(equation))
    questions = [(holds, case) for case in cases]
    if len(given) == len(assumptions):  # else it is known to hold
        questions = [(fails, (different,)), *((asked, case) for case in without_value(equation)), *questions]

    def answers() -> Iterator[Answer | None]:
        for claim, case in questions:
            below = attempt.below(claim, (*given, *case))
            answer = below.briefly(resources // 8)
            if answer is None and nested > 1 and case != (different,):
                answer = by_divisors(below, resources, nested - 1)
            yield answer

    return all_of(attempt, name, answers(), len(questions), "a product")


def all_of(attempt: Asking, name: str, answers: Iterable[Answer | None], count: int, of: str) -> Answer | None:
    """The answer to a question by those to all its cases, which are asked in turn until one is not proved."""
    for answer in answers:
        if isinstance(answer, Refuted) and (refuted := attempt.confirmed(name, answer.model)) is not None:
            return refuted
        if not isinstance(answer, Proved):
            attempt.note(name, f"{count} cases, open")
            return None
    return attempt.proved(name, f"each of {count} cases of {of}")


def _equated(parts: tuple[PrimExpr, ...]) -> Iterator[tuple[Binary, list[Case]]]:
    """Equations of a product and a number other than 0, each with what it says of the factors: one of several cases."""
    for node in (node for e in parts for node in each_once(e)):
        match node:
            case Binary("EQ" | "NE", a, b) if a.dtype != "bool":
                whole = added(b, -1, added(a, 1, {}))
                rest = -whole.pop(ONE, 0)
                for product, factor in whole.items() if rest and len(whole) == 1 else ():
                    cases: list[Case] = [(bool_imm(False),)] if rest % factor else _cases(product, rest // factor)
                    if cases:
                        yield Binary("EQ", a, b), cases
            case _:
                pass


def _cases(product: PrimExpr, number: int) -> list[Case]:
    if abs(number) > MAX_EQUATED:
        return []
    match product:
        case Binary("Mul", x, y) if as_int(x) is None and as_int(y) is None:
            found = divisors(abs(number))
            both = [sign * each for each in found for sign in (1, -1)]
            if x == y:
                return [(Binary("EQ", x, integer(d)),) for d in both if d * d == number] or [(bool_imm(False),)]
            return [] if len(both) > MAX_DIVISORS else [_pair(x, d, y, number // d) for d in both]
        case Intrinsic("shift_left", (x, count)) if as_int(count) is None and as_int(x) is None:
            zeros = (number & -number).bit_length() - 1
            return [_pair(count, k, x, number >> k) for k in range(zeros + 1)]
        case _:
            return []


def _pair(x: PrimExpr, first: int, y: PrimExpr, second: int) -> Case:
    return Binary("EQ", x, integer(first)), Binary("EQ", y, integer(second))


def divisors(number: int) -> list[int]:
    """All divisors of a positive number that is at most ``MAX_EQUATED``."""
    found, prime = [1], 2
    while prime * prime <= number:
        powers = [1]
        while number % prime == 0:
            number //= prime
            powers.append(powers[-1] * prime)
        found = [d * power for d in found for power in powers]
        prime += 1 if prime == 2 else 2
    return sorted(d * last for d in found for last in ({1, number}))


def _settled(claim: PrimExpr, equation: Binary, value: bool) -> PrimExpr:
    """``claim`` where ``equation`` is known."""

    def change(node: PrimExpr) -> PrimExpr | None:
        match node:
            case Binary("EQ" | "NE" as op, a, b) if a == equation.a and b == equation.b:
                return bool_imm(value == (op == "EQ"))
            case _:
                return None

    return mapped_down(claim, change)


def without_value(e: PrimExpr) -> list[Case]:
    """That ``e`` has no value, as one case, or none if it always has one. A guard may keep ``e`` from being evaluated:
    cases of its value forget these points."""
    needed = conditions(e)
    return [(Not(conjunction(needed)),)] if needed else []


# --- parts that differ


@rule("sh/parts-that-differ")
def by_parts(attempt: Asking, resources: int) -> Proved | None:
    """Comparisons of two terms that differ in one place are decided where what stands there is equal."""
    name, query = "parts that differ", attempt.query
    if query.fits is not None or query.division == "require":
        return None
    claim, asked = query.claim, 0
    for node in [node for node in each_once(query.claim) if isinstance(node, Binary)]:
        pairs = list(_differing(node)) if node.op in DECIDED and asked < MAX_COMPARED else []
        asked += bool(pairs)
        for a, b in reversed(pairs):
            if isinstance(attempt.below(Binary("EQ", a, b), query.assumptions).briefly(resources // 4), Proved):
                value = bool_imm(DECIDED[node.op])
                claim = _put(claim, node, value)
                break
    if claim is query.claim:
        return None
    if isinstance(attempt.below(claim, query.assumptions).briefly(resources // 4), Proved):
        return attempt.proved(name, "terms that differ in one place, in which they are equal")
    attempt.note(name, "open")
    return None


def _put(claim: PrimExpr, node: PrimExpr, value: PrimExpr) -> PrimExpr:
    """``claim`` with ``value`` in place of the object ``node``."""
    return mapped_down(claim, lambda each: value if each is node else None)


DECIDED = {"EQ": True, "LE": True, "GE": True, "NE": False, "LT": False, "GT": False}


def _differing(e: Binary) -> Iterator[tuple[PrimExpr, PrimExpr]]:
    """The places in which the sides of a comparison differ, outermost first, without the whole sides."""
    a, b = e.a, e.b
    while a.dtype != "bool" and type(a) is type(b) and _head(a) == _head(b):
        pairs = [(x, y) for x, y in zip(children(a), children(b)) if x is not y and x != y]
        if len(pairs) != 1 or len(children(a)) != len(children(b)):
            return
        ((a, b),) = pairs
        if a.dtype == "bool":
            return
        yield a, b


def _head(e: PrimExpr) -> object:
    match e:
        case Binary(op) | Intrinsic(op):
            return op
        case Select():
            return "select"
        case _:
            return getattr(e, "dtype", None) if children(e) else e
