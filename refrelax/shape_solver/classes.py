"""What an ``Unknown`` is about: the named class that its question lies in, what keeps it out of all of them, or the
budget that it met.

The words are closed: ``INSIDE``, ``OUTSIDE`` and ``BUDGETS``. Inside a class an ``Unknown`` is a fault of the solver.

Spec: ``spec/06b-solver.md``, ``sh/classes``.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Literal as OneOf

from refrelax.rules import rule
from refrelax.shape_solver.claim import Limits, Query, Scope
from refrelax.shape_solver.core import DIVISIONS, SHIFTS, each_once
from refrelax.shape_solver.vectors import Bounds, Ranges
from refrelax.syntax.scalars import (
    COMPARISONS,
    Binary,
    Cast,
    Intrinsic,
    Literal,
    PrimExpr,
    SymVar,
    as_int,
    children,
    literal_int,
)

Inside = OneOf["finite", "polynomial", "words", "powers", "linear"]
Outside = OneOf["product", "division", "exponent", "bits", "constant", "symbols", "atoms", "opaque", "floats"]

INSIDE: dict[Inside, str] = {
    "finite": "bounds leave few points, few nodes at all of them together",
    "polynomial": "one equation or order of polynomials in at most 3 symbols, of degree at most 4",
    "words": "words of at most 64 bits, products and divisors of at most 16",
    "powers": "linear integers with masks, shifts by numbers and conversions",
    "linear": "linear integers with quotients and remainders by numbers",
}
OUTSIDE: dict[Outside, str] = {
    "product": "a product of symbols, past 16 bits each",
    "division": "a divisor that is no number, past 16 bits",
    "exponent": "a shift by a count that is no number, or past 4096",
    "bits": "a bit operator on two operands that are no numbers, past 64 bits",
    "constant": "a constant past 2**31 in magnitude",
    "symbols": "more than 8 symbols",
    "atoms": "more than 24 comparisons",
    "opaque": "a scalar that is no integer arithmetic",
    "floats": "terms that are computed from floats",
}
BUDGETS = {
    "size": "nodes, levels or steps of the question",
    "time": "the time given for it",
    "effort": "the effort asked for",
    "z3": "Z3 is not installed",
}

SHORT = 16
WORD = 64
MAX_CONSTANT = 1 << 31
MAX_SYMBOLS = 8
MAX_ATOMS = 24
MAX_COUNT = 4_096
POLYNOMIAL_SYMBOLS = 3
POLYNOMIAL_DEGREE = 4

BITS = ("bitwise_and", "bitwise_or", "bitwise_xor")


@rule("sh/classes")
def scope(query: Query, bounds: Bounds, points: int | None, limits: Limits, z3: bool) -> Scope:
    """Where a question lies that was neither proved nor refuted.

    ``bounds``: what is known of its symbols; ``points``: how many points they leave, ``None`` if there is no end of
    them, or too much to evaluate at all of them; ``z3``: whether Z3 is there.
    """
    parts = (query.claim, *query.assumptions)
    nodes = list({id(node): node for e in parts for node in each_once(e)}.values())
    reach = Ranges.within(bounds)
    found = {fault for node in nodes for fault in _faults(node, reach)}
    over = set(_oversized(query, nodes))
    if "exponent" not in found and points is not None and points <= limits.domain:
        return Scope("inside", ("finite",))
    if found <= {"product"} and _polynomial(query, nodes):
        found = set()
    if found or over:
        return Scope("outside", tuple(each for each in OUTSIDE if each in found | over))
    if not limits.resources[0]:
        return Scope("budget", ("effort",))
    if not z3:
        return Scope("budget", ("z3",))
    return Scope("inside", (_class(query, nodes),))


def _oversized(query: Query, nodes: list[PrimExpr]) -> Iterator[Outside]:
    """What there is too much of."""
    if any(isinstance(node, Literal) and abs(literal_int(node)) > MAX_CONSTANT for node in nodes):
        yield "constant"
    if len(query.symbols()) > MAX_SYMBOLS:
        yield "symbols"
    if sum(1 for node in nodes if isinstance(node, Binary) and node.op in COMPARISONS) > MAX_ATOMS:
        yield "atoms"


def _faults(e: PrimExpr, reach: Ranges) -> Iterator[Outside]:
    """What keeps one node out of every class."""
    match e:
        case Binary("Mul", a, b) if not reach.fixed(a) and not reach.fixed(b):
            if not (reach.fits(a, SHORT) and reach.fits(b, SHORT)):
                yield "product"
        case Binary(op, a, b) if op in DIVISIONS and not reach.fixed(b):
            if not (reach.fits(a, SHORT) and reach.fits(b, SHORT)):
                yield "division"
        case Intrinsic(op, (_, count)) if op in SHIFTS:
            by = reach.of(count)
            if by is None or by[0] != by[1] or by[1] > MAX_COUNT:
                yield "exponent"
        case Intrinsic(op, (a, b)) if op in BITS and not reach.fixed(a) and not reach.fixed(b):
            if not (reach.fits(a, WORD) and reach.fits(b, WORD)):
                yield "bits"
        case _:
            pass


def _polynomial(query: Query, nodes: list[PrimExpr]) -> bool:
    """Whether the claim is one equation or order of small polynomials, under linear assumptions."""
    claim, integers = query.claim, [node for node in nodes if node.dtype != "bool"]
    plain = all(
        isinstance(node, (SymVar, Literal)) or (isinstance(node, Binary) and node.op in ("Add", "Sub", "Mul"))
        for node in integers
    )
    if not plain or not isinstance(claim, Binary) or claim.op not in COMPARISONS or claim.op == "NE":
        return False
    small = max(_degree(claim.a), _degree(claim.b)) <= POLYNOMIAL_DEGREE
    linear = all(_degree(node) <= 1 for e in query.assumptions for node in each_once(e) if node.dtype != "bool")
    return small and linear and len(query.symbols()) <= POLYNOMIAL_SYMBOLS and claim.a.dtype != "bool"


def _degree(e: PrimExpr) -> int:
    """The degree of a polynomial as it stands."""
    match e:
        case SymVar():
            return 1
        case Binary("Mul", a, b):
            return _degree(a) + _degree(b)
        case _:
            return max(map(_degree, children(e)), default=0)


def _class(query: Query, nodes: list[PrimExpr]) -> Inside:
    """The first class that a question without faults lies in."""
    integers = [node for node in nodes if node.dtype != "bool" or isinstance(node, Cast)]
    if _polynomial(query, nodes) and any(isinstance(node, Binary) and node.op == "Mul" for node in integers):
        return "polynomial"
    for node in integers:
        match node:
            case Binary(op, a, b) if op in ("Mul", *DIVISIONS) and as_int(b) is None:
                if op != "Mul" or as_int(a) is None:
                    return "words"
            case Intrinsic(op, (a, b)) if op in BITS and as_int(a) is None and as_int(b) is None:
                return "words"
            case _:
                pass
    bits = any(isinstance(node, Cast) or (isinstance(node, Intrinsic) and _is_bits(node.op)) for node in integers)
    return "powers" if bits else "linear"


def _is_bits(op: str) -> bool:
    return op in (*BITS, *SHIFTS, "bitwise_not")
