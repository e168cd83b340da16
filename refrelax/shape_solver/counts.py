"""A question by way of others: for what counts of shifts, divisors and factors that are no numbers may be.

A number that is shifted down is one of few; what ranges over few values is each of them; a count without an end is one
below the lengths of the question's numbers, or moves bits past all of them.

Spec: ``spec/06b-solver.md``, ``sh/instances``.
"""

from __future__ import annotations

from collections.abc import Iterator

from refrelax.rules import rule
from refrelax.shape_solver.claim import Answer
from refrelax.shape_solver.core import DIVISIONS, SHIFTS, each_once, integer, mapped_down
from refrelax.shape_solver.defined import conditions
from refrelax.shape_solver.equations import ONE, added
from refrelax.shape_solver.folded import folded
from refrelax.shape_solver.instances import MAX_INSTANCES
from refrelax.shape_solver.subquestions import Asking, all_of, without_value
from refrelax.shape_solver.vectors import Ranges
from refrelax.syntax.dtypes import bits
from refrelax.syntax.scalars import Binary, Cast, Intrinsic, Literal, PrimExpr, as_int, literal_int

Terms = tuple[PrimExpr, ...]
"""A claim, and assumptions."""

FEW = 16
"""Values of a part, each of which is a case."""

MAX_NESTED = 2
"""Parts with few values, one below the other."""

MAX_LENGTH = 40
"""Bits of the question's numbers past which a count is no case of its own."""


@rule("sh/instances")
def by_counts(attempt: Asking, resources: int) -> Answer | None:
    """A number shifted down by what is no number is one of few: the question for each count below its length, and for
    counts that are not, or have no value."""
    name, query = "counts", attempt.query
    if query.fits is not None or query.division == "require":
        return None
    parts = nodes_of((query.claim, *query.assumptions))
    node = next((each for each in parts if _moved(each) is not None), None)
    if node is None:
        return None
    number, count = _moved(node) or (0, node)
    length = number.bit_length()
    cases: list[tuple[PrimExpr, int | None]] = [(case, None) for (case,) in without_value(count)]
    cases += [(Binary("LT", count, integer(0)), None)]
    cases += [(Binary("GE", count, integer(length)), -1 if number < 0 else 0)]
    cases += [(Binary("EQ", count, integer(k)), number >> k) for k in range(length)]

    def answers() -> Iterator[Answer | None]:
        for given, value in cases:
            terms = (query.claim, *query.assumptions)
            if value is not None:
                terms = tuple(_put_equal(e, node, integer(value)) for e in terms)
            yield attempt.below(terms[0], (*terms[1:], given)).briefly(resources // 8)

    return all_of(attempt, name, answers(), len(cases), "a count")


def _moved(e: PrimExpr) -> tuple[int, PrimExpr] | None:
    """A number, and by how much it is shifted down, which is none."""
    match e:
        case Intrinsic("shift_right", (a, count)) if as_int(count) is None and added(a, 1, {}).keys() <= {ONE}:
            c = added(a, 1, {}).get(ONE, 0)
            return (c, count) if c.bit_length() <= MAX_INSTANCES else None
        case _:
            return None


# --- few values


@rule("sh/instances")
def by_few(attempt: Asking, resources: int, nested: int = MAX_NESTED) -> Answer | None:
    """A divisor, a factor or a count that ranges over few values is each of them, or has none."""
    name, query = "few values", attempt.query
    if query.fits is not None or query.division == "require":
        return None
    terms = tuple(map(folded, (query.claim, *query.assumptions)))
    ranges = Ranges.within(attempt.bounds())
    spans = [(part, span) for part in _hard(terms) if (span := ranges.of(part)) is not None]
    part, (low, high) = min(spans, key=lambda each: each[1][1] - each[1][0], default=(terms[0], (0, FEW)))
    if high - low >= FEW:
        return None
    cases = [(terms, case) for case in without_value(part)]
    cases += [(_all_put(terms, part, v), (Binary("EQ", part, integer(v)),)) for v in range(low, high + 1)]

    def answers() -> Iterator[Answer | None]:
        for (claim, *given), case in cases:
            below = attempt.below(claim, (*given, *case))
            answer = below.briefly(resources // 8)
            if answer is None and nested > 1:
                answer = by_few(below, resources, nested - 1) or by_lengths(below, resources)
            yield answer

    return all_of(attempt, name, answers(), len(cases), "a part")


def _hard(terms: Terms) -> Iterator[PrimExpr]:
    """Operands that are no numbers where numbers would make a question easier."""
    for node in nodes_of(terms):
        match node:
            case Binary("Mul", a, b) if as_int(a) is None and as_int(b) is None:
                yield from (a, b)
            case Binary(op, _, b) if op in DIVISIONS and as_int(b) is None:
                yield b
            case Intrinsic(op, (_, count)) if op in SHIFTS and as_int(count) is None:
                yield count
            case _:
                pass


# --- counts without an end


@rule("sh/instances")
def by_lengths(attempt: Asking, resources: int) -> Answer | None:
    """A count is negative, has no value, is one below the length of the question's numbers, or moves bits past them:
    ``a << k`` is ``(a << k - n) << n`` then."""
    name, query = "lengths", attempt.query
    if query.fits is not None or query.division == "require":
        return None
    terms = tuple(map(folded, (query.claim, *query.assumptions)))
    nodes = nodes_of(terms)
    shifts = [e for e in nodes if isinstance(e, Intrinsic) and e.op in SHIFTS]
    count = next((e.args[1] for e in shifts if as_int(e.args[1]) is None), None)
    if count is None:
        return None
    length = min(MAX_LENGTH, 1 + max((_length(each) for each in nodes), default=0))

    signs: list[PrimExpr] = []

    def past(node: PrimExpr) -> PrimExpr | None:
        match node:
            case Intrinsic(op, (a, k), dtype, attrs) if op in SHIFTS and k == count:
                first = Intrinsic(op, (a, Binary("Sub", count, integer(length))), dtype, attrs)
                signs.extend(() if conditions(a) else (_alike(first, a),))
                return Intrinsic(op, (first, integer(length)), dtype, attrs)
            case _:
                return None

    moved = tuple(mapped_down(e, past) for e in terms)
    cases = [(terms, case) for case in without_value(count)]
    cases += [(terms, (Binary("LT", count, integer(0)),))]
    cases += [(moved, (Binary("GE", count, integer(length)), *signs))]
    cases += [(_all_put(terms, count, k), (Binary("EQ", count, integer(k)),)) for k in range(length)]

    def answers() -> Iterator[Answer | None]:
        for (claim, *given), case in cases:
            yield attempt.below(claim, (*given, *case)).briefly(resources // 8)

    return all_of(attempt, name, answers(), len(cases), "a count")


def _alike(a: PrimExpr, b: PrimExpr) -> PrimExpr:
    """That both are negative, or neither is."""
    return Binary("EQ", Binary("LT", a, integer(0)), Binary("LT", b, integer(0)))


def _length(e: PrimExpr) -> int:
    """Bits of a number, or of what is converted."""
    match e:
        case Literal() if e.dtype != "bool":
            return literal_int(e).bit_length()
        case Cast(dtype) if dtype != "bool":
            return bits(dtype)
        case _:
            return 0


# --- terms


def nodes_of(terms: Terms) -> list[PrimExpr]:
    return [node for e in terms for node in each_once(e)]


def _all_put(terms: Terms, part: PrimExpr, value: int) -> Terms:
    """``terms`` with a number in place of ``part``, wherever it stands."""
    return tuple(_put_equal(e, part, integer(value)) for e in terms)


def _put_equal(e: PrimExpr, node: PrimExpr, value: PrimExpr) -> PrimExpr:
    return mapped_down(e, lambda each: value if each == node else None)
