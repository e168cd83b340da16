"""The normal form of an expression: one polynomial over atoms, computed from the normal forms of its parts.

Arithmetic opens index and truth terms. A term of kind float has a form too, one atom: a name for its value that only
other atoms mention.

Spec: ``spec/06-shapes.md``.
"""

from __future__ import annotations

from collections.abc import Callable

from refrelax.errors import Ended
from refrelax.rules import rule
from refrelax.semantics.dims import terms
from refrelax.semantics.dims.atoms import Atoms
from refrelax.semantics.dims.exact import value
from refrelax.semantics.dims.kinds import closed, of_floats
from refrelax.semantics.dims.poly import ONE, ZERO, Poly, add, as_const, const, scale, sub
from refrelax.semantics.dims.ranges import interval
from refrelax.syntax.dtypes import bits, integer_range, kind, lanes
from refrelax.syntax.scalars import (
    Binary,
    Cast,
    Intrinsic,
    Let,
    Literal,
    Not,
    PrimExpr,
    Select,
    SymVar,
    children,
    literal_int,
)

ARITHMETIC = frozenset({"Add", "Sub", "Mul", "FloorDiv", "FloorMod", "Div", "Mod", "Min", "Max"})

INTEGRAL = ("int", "uint", "bool")

Scope = dict[str, Poly]
"""Symbols bound by an enclosing ``Let``."""


def normal(e: PrimExpr, atoms: Atoms, scope: Scope | None = None) -> Poly:
    """The polynomial of ``e``. Truth values are 0 and 1; what arithmetic cannot open is an atom.

    A part that is the same object as one before is not opened twice, and costs its fuel twice.
    """
    if scope or isinstance(e, (Literal, SymVar)):
        return _normal(e, atoms, scope)
    found = atoms.remembered(e)
    if found is None:
        work, spent = atoms.work, atoms.spent
        found = _normal(e, atoms, scope)
        atoms.remember(e, found, work, spent)
    return found


def _normal(e: PrimExpr, atoms: Atoms, scope: Scope | None) -> Poly:
    match e:
        case Binary(op, a, b) if op in ARITHMETIC and kind(e.dtype) in INTEGRAL:  # most are
            return _binary(op, normal(a, atoms, scope), normal(b, atoms, scope), atoms)
        case Literal() if kind(e.dtype) in INTEGRAL:
            return const(literal_int(e))
        case SymVar() if scope and e.name in scope:
            return scope[e.name]
        case SymVar() if kind(e.dtype) in INTEGRAL and lanes(e.dtype) == 1:
            return {(atoms.var(e.name, e.dtype),): 1}
        case Let():
            return normal(e.body, atoms, {**(scope or {}), e.var.name: normal(e.value, atoms, scope)})
        case _ if of_floats(e):
            return from_floats(e, atoms, scope)
        case _ if kind(e.dtype) not in INTEGRAL:
            return opaque(e, atoms, scope)
        case Binary(("And" | "Or") as op, a, b):
            left = cast(normal(a, atoms, scope), a.dtype, "bool", atoms)
            right = cast(_guarded(b, atoms, scope), b.dtype, "bool", atoms)
            return _spent(op, left, right, atoms) if atoms.exhausted else _truth(op, left, right, atoms)
        case Binary() if kind(e.a.dtype) in INTEGRAL:
            return _binary(e.op, normal(e.a, atoms, scope), normal(e.b, atoms, scope), atoms)
        case Not():
            return sub(ONE, cast(normal(e.a, atoms, scope), e.a.dtype, "bool", atoms))
        case Select():
            return _choice(normal(e.condition, atoms, scope), e.true_value, e.false_value, atoms, scope, normal)
        case Cast() if kind(e.value.dtype) in INTEGRAL:
            return cast(normal(e.value, atoms, scope), e.value.dtype, e.dtype, atoms)
        case Intrinsic():
            return _intrinsic(e, atoms, scope)
        case _:
            return opaque(e, atoms, scope)


@rule("sh/float-atom")
def from_floats(e: PrimExpr, atoms: Atoms, scope: Scope | None) -> Poly:
    """An index or truth that is computed from floats: its value where no symbol stands in it, else an atom that is
    equal to another exactly if heads, literals (by their bits) and the forms of the parts are."""
    if not atoms.exhausted and closed(e):
        try:
            return const(value(e, {}))
        except Ended:
            pass
    return opaque(e, atoms, scope, "float")


@rule("sh/fuel")
def _binary(op: str, a: Poly, b: Poly, atoms: Atoms) -> Poly:
    """One operator; past the fuel of the question all but sums are atoms."""
    if atoms.exhausted and op not in ("Add", "Sub"):
        return _spent(op, a, b, atoms)
    match op:
        case "Add":
            return add(a, b)
        case "Sub":
            return sub(a, b)
        case "Mul":
            return terms.mul(a, b, atoms)
        case "FloorDiv":
            return terms.floordiv(a, b, atoms)
        case "FloorMod":
            return sub(a, terms.mul(b, terms.floordiv(a, b, atoms), atoms))
        case "Div":
            return terms.truncdiv(a, b, atoms)
        case "Mod":
            return sub(a, terms.mul(b, terms.truncdiv(a, b, atoms), atoms))
        case "Min":
            return terms.minimum(a, b, atoms)
        case "Max":
            return terms.maximum(a, b, atoms)
        case _:
            return _truth(op, a, b, atoms)


def _spent(op: str, a: Poly, b: Poly, atoms: Atoms) -> Poly:
    """``op`` unopened: equal to the same operator on equal operands, and bounded by nothing but being a truth value."""
    return atoms.put("call", (a, b), op, "int64" if op in ARITHMETIC else "bool")


def _truth(op: str, a: Poly, b: Poly, atoms: Atoms) -> Poly:
    match op:
        case "And":
            return terms.both(a, b, atoms)
        case "Or":
            return terms.either(a, b, atoms)
        case "EQ":
            return terms.is_zero(sub(a, b), atoms)
        case "NE":
            return sub(ONE, terms.is_zero(sub(a, b), atoms))
        case "LT":
            return terms.at_least_zero(sub(sub(b, a), ONE), atoms)
        case "LE":
            return terms.at_least_zero(sub(b, a), atoms)
        case "GT":
            return terms.at_least_zero(sub(sub(a, b), ONE), atoms)
        case _:
            return terms.at_least_zero(sub(a, b), atoms)


def _choice(
    chosen: Poly, a: PrimExpr, b: PrimExpr, atoms: Atoms, scope: Scope | None,
    arm: Callable[[PrimExpr, Atoms, Scope | None], Poly],
) -> Poly:  # fmt: skip
    value = as_const(chosen)
    if value is not None:
        return normal(a if value else b, atoms, scope)
    yes, no = arm(a, atoms, scope), arm(b, atoms, scope)
    if atoms.exhausted:
        return atoms.put("call", (chosen, yes, no), "select")
    return terms.select(chosen, yes, no, atoms)


def _guarded(e: PrimExpr, atoms: Atoms, scope: Scope | None) -> Poly:
    """The normal form of a part that is evaluated only under a condition."""
    atoms.guarded += 1
    p = normal(e, atoms, scope)
    atoms.guarded -= 1
    return p


@rule("sh/cast")
def cast(p: Poly, source: str, target: str, atoms: Atoms) -> Poly:
    """``p`` converted: itself where the target dtype holds every value that ``p`` can have."""
    if target == "bool":
        return p if source == "bool" else sub(ONE, terms.is_zero(p, atoms))
    low, high = integer_range(target)
    if kind(source) != "uint" and kind(target) == "int" and bits(target) >= bits(source):
        return p
    if kind(source) in ("uint", "bool") and bits(target) - (kind(target) == "int") >= bits(source):
        return p
    least, greatest = interval(p, atoms)
    if least is not None and greatest is not None and low <= least and greatest <= high:
        return p
    return atoms.put("cast", (p,), dtype=target)


def _intrinsic(e: Intrinsic, atoms: Atoms, scope: Scope | None) -> Poly:
    """The intrinsics of integers that arithmetic opens; the others are functions that nothing is known about."""
    match e.op, e.args:
        case "if_then_else", (c, a, b):
            return _choice(normal(c, atoms, scope), a, b, atoms, scope, _guarded)
        case "likely", (a,):
            return normal(a, atoms, scope)
        case "abs", (a,):
            p = normal(a, atoms, scope)
            return terms.maximum(p, scale(p, -1), atoms)
        case "shift_left", (a, b):
            return terms.mul(normal(a, atoms, scope), terms.power_of_two(normal(b, atoms, scope), atoms), atoms)
        case "shift_right", (a, b):
            return terms.floordiv(normal(a, atoms, scope), terms.power_of_two(normal(b, atoms, scope), atoms), atoms)
        case "bitwise_and", (a, b):
            return bit_and(normal(a, atoms, scope), normal(b, atoms, scope), e.dtype, atoms)
        case _:
            return opaque(e, atoms, scope)


@rule("sh/bit-mask")
def bit_and(a: Poly, b: Poly, dtype: str, atoms: Atoms) -> Poly:
    """``a & b``: the remainder by ``mask + 1`` where one operand is a mask of low bits."""
    left, right = as_const(a), as_const(b)
    if left is not None and right is not None:
        return const(left & right)
    for p, other in ((a, b), (b, a)):
        mask = as_const(p)
        if mask is not None and mask >= 0 and mask & (mask + 1) == 0:
            return sub(other, scale(terms.floordiv(other, const(mask + 1), atoms), mask + 1))
    return atoms.put("call", (a, b), "bitwise_and", dtype)


@rule("sh/opaque")
def opaque(e: PrimExpr, atoms: Atoms, scope: Scope | None, how: str = "call") -> Poly:
    """An atom equal to another exactly if head and parts are."""
    match e:
        case Intrinsic():
            head = f"{e.op}{list(e.attrs)!r}{[each.dtype for each in e.args]}"
        case Literal() | SymVar():
            return atoms.put(how, (ZERO,), repr(e), e.dtype)
        case _:
            head = f"{type(e).__name__}{attributes(e)}"
    arm = _guarded if isinstance(e, Intrinsic) and e.op == "if_then_else" else normal
    return atoms.put(how, tuple(arm(part, atoms, scope) for part in children(e)), head, e.dtype)


def attributes(e: PrimExpr) -> str:
    """The fields of a node that are no expressions, spelled out."""
    parts = set(map(id, children(e)))
    names = [name for name in type(e).__dataclass_fields__ if name != "span"]
    plain = [(name, getattr(e, name)) for name in names if id(getattr(e, name)) not in parts]
    return repr([(name, value) for name, value in plain if isinstance(value, (str, int)) or value is None])
