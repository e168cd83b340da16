"""Terms inside the solver, and ways over them that look at a shared part once.

Past the door (``door.py``) a term is made of few nodes of ``syntax/scalars`` and means one thing: an integer node (its
dtype is always ``int64``, which stands for *ideal integer*) is exact, a ``Cast`` wraps into its dtype, always; symbols
are numbered. Nothing is bound: names cannot capture.

Spec: ``spec/06b-solver.md``, ``sh/claim-syntax``.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping

from refrelax.syntax.scalars import (
    Binary,
    BinaryOp,
    Cast,
    Intrinsic,
    Literal,
    Not,
    PrimExpr,
    Select,
    SymVar,
    as_int,
    children,
    int_imm,
)

INT = "int64"
"""The dtype of every integer node inside the solver; it stands for the ideal integers."""

WORD = 62
"""Bits of a literal; a larger number is a sum."""


def integer(number: int) -> PrimExpr:
    """``number`` as an expression over int64 literals, however large; nested as deep as its length has digits."""
    if -(1 << 63) <= number < 1 << 63:
        return int_imm(number)
    half = WORD * max(1, number.bit_length() // WORD // 2)
    high, low = number >> half, number & ((1 << half) - 1)
    return Binary("Add", Binary("Mul", integer(high), _power(half)), integer(low))


def _power(exponent: int) -> PrimExpr:
    """``2 ** exponent`` as a product."""
    if exponent <= WORD:
        return int_imm(1 << exponent)
    half = WORD * max(1, exponent // WORD // 2)
    return Binary("Mul", _power(half), _power(exponent - half))


def spread(op: BinaryOp, parts: list[PrimExpr]) -> PrimExpr:
    """``parts`` joined by an associative operator, nested as little as can be, their order kept."""
    if len(parts) == 1:
        return parts[0]
    middle = len(parts) // 2
    return Binary(op, spread(op, parts[:middle]), spread(op, parts[middle:]))


def rebuilt(e: PrimExpr, parts: tuple[PrimExpr, ...]) -> PrimExpr:
    """``e`` with its operands replaced; ``e`` itself where they are the same objects."""
    if all(a is b for a, b in zip(children(e), parts)):
        return e
    match e:
        case Binary(op):
            return Binary(op, parts[0], parts[1])
        case Not():
            return Not(parts[0])
        case Cast(dtype):
            return Cast(dtype, parts[0])
        case Select():
            return Select(parts[0], parts[1], parts[2])
        case Intrinsic(op, _, dtype, attrs):
            return Intrinsic(op, parts, dtype, attrs)
        case _:
            raise AssertionError(e)


def each_once(e: PrimExpr) -> Iterator[PrimExpr]:
    """Every object in ``e`` once, parents first."""
    seen = {id(e)}
    pending = [e]
    while pending:
        node = pending.pop()
        yield node
        if isinstance(node, (SymVar, Literal)):  # half of all nodes
            continue
        for part in (node.b, node.a) if isinstance(node, Binary) else reversed(children(node)):
            if id(part) not in seen:
                seen.add(id(part))
                pending.append(part)


PARTIAL = "partial"
"""Among the operators of a term: some division or shift of it may have no value."""

DIVISIONS = frozenset({"FloorDiv", "FloorMod", "Div", "Mod"})
SHIFTS = frozenset({"shift_left", "shift_right"})

Parts = tuple[frozenset[str], frozenset[str]]

_parts: dict[int, tuple[PrimExpr, Parts]] = {}
"""Of the terms looked at last, by identity."""

MAX_PARTS = 512
"""Terms of which the parts are kept."""


def _parts_of(e: PrimExpr) -> Parts:
    """The symbols and the operators of ``e``: every stage asks for them, so they are looked for once."""
    known = _parts.get(id(e))
    if known is not None and known[0] is e:
        return known[1]
    names: set[str] = set()
    operators: set[str] = set()
    for node in each_once(e):
        if isinstance(node, SymVar):
            names.add(node.name)
        elif isinstance(node, Binary):
            operators.add(node.op)
            if node.op in DIVISIONS and not as_int(node.b):
                operators.add(PARTIAL)
        elif isinstance(node, Intrinsic):
            operators.add(node.op)
            if node.op in SHIFTS and ((count := as_int(node.args[1])) is None or count < 0):
                operators.add(PARTIAL)
        elif not isinstance(node, Literal):
            operators.add(type(node).__name__)
    found = frozenset(names), frozenset(operators)
    if len(_parts) >= MAX_PARTS:
        _parts.clear()
    _parts[id(e)] = e, found
    return found


def names_in(e: PrimExpr) -> frozenset[str]:
    """The symbols of a term in which nothing is bound."""
    return _parts_of(e)[0]


def operators_in(e: PrimExpr) -> frozenset[str]:
    """The operators of a term: ``op`` of what has one, else its kind (``Cast``), and ``PARTIAL`` where a division or a
    shift by something else than a number that gives it a value is among them."""
    return _parts_of(e)[1]


def replaced(e: PrimExpr, by: Mapping[str, PrimExpr]) -> PrimExpr:
    """``e`` with symbols replaced all at once, in a term in which nothing is bound. What was shared stays shared."""
    if not by:
        return e
    return mapped(e, lambda node: by.get(node.name, node) if isinstance(node, SymVar) else node)


def mapped(e: PrimExpr, change: Callable[[PrimExpr], PrimExpr]) -> PrimExpr:
    """``e`` with ``change`` applied to every node whose operands are changed already, each object once."""
    known: dict[int, PrimExpr] = {}

    def visit(node: PrimExpr) -> PrimExpr:
        found = known.get(id(node))
        if found is None:
            if isinstance(node, (SymVar, Literal)):
                found = change(node)
            else:
                found = change(rebuilt(node, tuple(map(visit, children(node)))))
            known[id(node)] = found
        return found

    return visit(e)


def mapped_down(e: PrimExpr, change: Callable[[PrimExpr], PrimExpr | None]) -> PrimExpr:
    """``e`` with every outermost node for which ``change`` gives another replaced by that."""
    found = change(e)
    if found is not None:
        return found
    if isinstance(e, (SymVar, Literal)):
        return e
    return rebuilt(e, tuple(mapped_down(part, change) for part in children(e)))


def distinct(parts: Iterable[PrimExpr]) -> list[PrimExpr]:
    """``parts`` without repetitions, in order; small ones by what they say, large ones by identity."""
    found: dict[object, PrimExpr] = {}
    for each in parts:
        found.setdefault(key(each), each)
    return list(found.values())


SMALL = 200
"""Nodes of a term that is compared by what it says."""


def key(e: PrimExpr) -> object:
    """What tells ``e`` from others: the term itself if it is small, else the object."""
    count = 0
    pending = [e]
    while pending:
        count += 1
        if count > SMALL:
            return id(e)
        pending.extend(children(pending.pop()))
    return e
