"""Solving for one loop variable: from the element written back to the iteration that writes it.

Two shapes of conditions determine ``v``: ``o == e`` where ``v`` stands in ``e`` alone with factor 1 or -1, and the box
``0 <= e - q * v < q``, which gives ``v == e // q``. In both the solution is the only one, so no other iteration
writes that element; that the solution lies in the loop's domain is asked separately.

Spec: ``spec/06c-pointwise.md``, ``sh/store-inverse``.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from refrelax.rules import rule
from refrelax.semantics.dims import NO_FACTS
from refrelax.semantics.dims.atoms import Atoms
from refrelax.semantics.dims.normal import normal
from refrelax.semantics.dims.poly import Poly, add, scale, sub
from refrelax.semantics.dims.spell import spell
from refrelax.shape_solver.context import order
from refrelax.syntax.scalars import Binary, PrimExpr, SymVar, free_symbols, int_imm


@rule("sh/store-inverse")
def solve(conditions: Sequence[PrimExpr], v: SymVar) -> PrimExpr | None:
    """The only value of ``v`` that the conditions leave, over their other symbols; ``None`` if they leave more."""
    own = [c for c in conditions if v.name in free_symbols(c)]
    for condition in own:
        found = _linear(condition, v)
        if found is not None:
            return found
    return _box(own, v)


@rule("sh/store-inverse")
def divided(conditions: Sequence[PrimExpr], v: SymVar, holds: Callable[[PrimExpr], bool]) -> tuple[PrimExpr, ...]:
    """The conditions with ``a == q * v + r`` as ``a // q == v`` and ``a % q == r``, where ``0 <= r < q`` holds."""
    found: list[PrimExpr] = []
    for condition in conditions:
        found += _digits(condition, v, holds) or (condition,)
    return tuple(found)


def _digits(condition: PrimExpr, v: SymVar, holds: Callable[[PrimExpr], bool]) -> tuple[PrimExpr, ...] | None:
    match condition:
        case Binary("EQ", a, b) if a.dtype != "bool" and v.name in free_symbols(b) - free_symbols(a):
            pass
        case _:
            return None
    atoms = Atoms(NO_FACTS)
    factor, rest = _parted(normal(b, atoms), _key(atoms, v), atoms)
    if factor is None or factor in ({(): 1}, {(): -1}):
        return None
    q, r = spell(factor, atoms, v.dtype), spell(rest, atoms, v.dtype)
    if q is None or r is None:
        return None
    zero = int_imm(0, v.dtype)
    if not holds(Binary("GE", r, zero)) or not holds(Binary("LT", r, q)):
        return None
    return Binary("EQ", Binary("FloorDiv", a, q), v), Binary("EQ", Binary("FloorMod", a, q), r)


def _linear(condition: PrimExpr, v: SymVar) -> PrimExpr | None:
    if not (isinstance(condition, Binary) and condition.op == "EQ") or condition.a.dtype == "bool":
        return None
    atoms = Atoms(NO_FACTS)
    p = sub(normal(condition.a, atoms), normal(condition.b, atoms))
    key = _key(atoms, v)
    factor, rest = _parted(p, key, atoms)
    if factor is None or factor not in ({(): 1}, {(): -1}):
        return None
    solution = scale(rest, -1) if factor == {(): 1} else rest
    return spell(solution, atoms, v.dtype)


def _box(conditions: Sequence[PrimExpr], v: SymVar) -> PrimExpr | None:
    """``0 <= e - q*v`` and ``e - q*v < q``."""
    atoms = Atoms(NO_FACTS)
    orders = [p for c in conditions if (p := order(c, atoms)) is not None]
    key = _key(atoms, v)
    for low in orders:
        factor, rest = _parted(low, key, atoms)
        if factor is None or not factor:
            continue
        q = scale(factor, -1)
        if any(add(low, high) == sub(q, {(): 1}) for high in orders):
            top, bottom = spell(rest, atoms, v.dtype), spell(q, atoms, v.dtype)
            if top is not None and bottom is not None:
                return Binary("FloorDiv", top, bottom)
    return None


def _key(atoms: Atoms, v: SymVar) -> str:
    return atoms.var(v.name, v.dtype)


def _parted(p: Poly, key: str, atoms: Atoms) -> tuple[Poly | None, Poly]:
    """``p == factor * v + rest``; ``factor is None`` where ``v`` stands otherwise."""
    from refrelax.shape_solver.context import mentioned

    factor: Poly = {}
    rest: Poly = {}
    for mono, c in p.items():
        if mono.count(key) == 1:
            left = list(mono)
            left.remove(key)
            factor[tuple(left)] = c
        elif key in mono:
            return None, p
        else:
            rest[mono] = c
    others = [k for mono in (*factor, *rest) for k in mono]
    if key in mentioned(others, atoms) or not factor:
        return None, p
    return factor, rest
