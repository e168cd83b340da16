"""Solving for one loop variable: from the element written back to the iteration that writes it.

Two shapes of conditions determine ``v``: ``o == e`` where ``v`` stands in ``e`` alone with factor 1 or -1, and the box
``0 <= e - s - q * v < w`` with ``0 <= s`` and ``s + w <= q``, which gives ``v == e // q`` (its upper side may be left
out where ``e < q``: then ``v`` is 0, as no iteration comes before the first). In both the solution is the
only one, so no other iteration writes that element; that the solution lies in the loop's domain is asked separately.

Spec: ``spec/06c-pointwise.md``, ``sh/store-inverse``.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from refrelax.rules import rule
from refrelax.semantics.dims import NO_FACTS
from refrelax.semantics.dims.atoms import Atoms
from refrelax.semantics.dims.normal import normal
from refrelax.semantics.dims.poly import Poly, add, scale, sub, without
from refrelax.semantics.dims.spell import spell
from refrelax.shape_solver.context import order
from refrelax.shape_solver.pointwise.logic import Given, within
from refrelax.syntax.scalars import Binary, PrimExpr, SymVar, as_int, free_symbols, int_imm

Holds = Callable[[PrimExpr], bool]


@rule("sh/store-inverse")
def solve(conditions: Sequence[PrimExpr], v: SymVar, holds: Holds | None = None) -> PrimExpr | None:
    """The only value of ``v`` that the conditions leave, over their other symbols; ``None`` if they leave more.
    ``holds``: what decides claims about the other symbols."""
    own = [c for c in conditions if v.name in free_symbols(c)]
    for condition in own:
        found = _linear(condition, v)
        if found is not None:
            return found
    return _box(own, v, holds)


@rule("sh/store-inverse")
def divided(conditions: Sequence[PrimExpr], v: SymVar, holds: Holds) -> tuple[PrimExpr, ...]:
    """The conditions with ``a == q * (v + h) + r`` as ``a // q == v + h`` and ``a % q == r``, where ``0 <= r < q``
    holds."""
    found: list[PrimExpr] = []
    for condition in conditions:
        found += _digits(condition, v, holds) or (condition,)
    return tuple(found)


def _digits(condition: PrimExpr, v: SymVar, holds: Holds) -> tuple[PrimExpr, ...] | None:
    match condition:
        case Binary("EQ", a, b) if a.dtype != "bool" and v.name in free_symbols(b) - free_symbols(a):
            pass
        case _:
            return None
    atoms = Atoms(NO_FACTS)
    factor, rest = _parted(normal(b, atoms), _key(atoms, v), atoms)
    if factor is None or factor in ({(): 1}, {(): -1}):
        return None
    high, low = _multiples(rest, factor)
    q, r, h = (spell(each, atoms, v.dtype) for each in (factor, low, high))
    if q is None or r is None or h is None:
        return None
    zero = int_imm(0, v.dtype)
    if not holds(Binary("GE", r, zero)) or not holds(Binary("LT", r, q)):
        return None
    whole = Binary("Add", v, h) if high else v
    return Binary("EQ", Binary("FloorDiv", a, q), whole), Binary("EQ", Binary("FloorMod", a, q), r)


def _multiples(p: Poly, factor: Poly) -> tuple[Poly, Poly]:
    """``p == factor * high + low``, term by term, for a factor of one term."""
    if len(factor) != 1:
        return {}, p
    ((mono, c),) = factor.items()
    high: Poly = {}
    low: Poly = {}
    for each, k in p.items():
        left = without(each, mono)
        if left is not None and k % c == 0:
            high[left] = k // c
        else:
            low[each] = k
    return high, low


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


def _box(conditions: Sequence[PrimExpr], v: SymVar, holds: Holds | None) -> PrimExpr | None:
    """``0 <= e - s - q*v < w`` where ``0 <= s`` and ``s + w <= q``: then ``v == e // q``."""
    atoms = Atoms(NO_FACTS)
    orders = [p for c in conditions if (p := order(c, atoms)) is not None]
    key = _key(atoms, v)
    for low in orders:
        factor, rest = _parted(low, key, atoms)
        if factor is None or not factor:
            continue
        q = scale(factor, -1)
        widths = [add(total, {(): 1}) for high in orders if not _mentions(total := add(low, high), key, atoms)]
        for width in widths:
            for small in _small(rest, q) if holds is not None else ({},):
                found = _quotient(rest, small, q, width, holds, atoms, v.dtype)
                if found is not None:
                    return found
        if holds is not None and not widths and (found := _only_first(rest, q, holds, atoms, v.dtype)) is not None:
            return found
    return None


def _only_first(rest: Poly, q: Poly, holds: Holds, atoms: Atoms, dtype: str) -> PrimExpr | None:
    """The upper side of a box is left out where it follows: of ``0 <= e - q * v`` with ``e < q`` and ``0 < q`` every
    ``v`` that is no less than 0 is 0, which is ``e // q``, too."""
    top, bottom = spell(rest, atoms, dtype), spell(q, atoms, dtype)
    if top is None or bottom is None:
        return None
    claims = (Binary("GT", bottom, int_imm(0, dtype)), Binary("LT", top, bottom))
    return Binary("FloorDiv", top, bottom) if all(map(holds, claims)) else None


def _small(rest: Poly, q: Poly) -> list[Poly]:
    """What may stand below ``q`` among the terms that are taken away, with its sign turned: nothing, or the smaller
    ones."""
    if len(q) != 1:
        return [{}]
    ((mono, c),) = q.items()
    taken = {m: -k for m, k in rest.items() if m and k < 0}
    smaller = {m: k for m, k in taken.items() if without(m, mono) is None or (not mono and k < c)}
    return [smaller, {}] if smaller else [{}]


def _quotient(
    rest: Poly, small: Poly, q: Poly, width: Poly, holds: Holds | None, atoms: Atoms, dtype: str
) -> PrimExpr | None:
    top, bottom = spell(add(rest, small), atoms, dtype), spell(q, atoms, dtype)
    if top is None or bottom is None:
        return None
    if small or width != q:
        if holds is None:
            return None
        s, end = spell(small, atoms, dtype), spell(add(small, width), atoms, dtype)
        if s is None or end is None:
            return None
        zero = int_imm(0, dtype)
        claims = (Binary("GT", bottom, zero), Binary("GE", s, zero), Binary("LE", end, bottom))
        if not all(map(holds, claims)):
            return None
    return Binary("FloorDiv", top, bottom)


def _mentions(p: Poly, key: str, atoms: Atoms) -> bool:
    from refrelax.shape_solver.context import mentioned

    keys = [k for mono in p for k in mono]
    return key in keys or key in mentioned(keys, atoms)


def in_domain(s: PrimExpr, extent: PrimExpr) -> Given:
    """``0 <= s < extent``; of a quotient by a literal, what that says of the dividend."""
    zero = int_imm(0, s.dtype)
    match s:
        case Binary("FloorDiv", a, d) if (as_int(d) or 0) > 0:
            return Binary("GE", a, zero), Binary("LT", a, Binary("Mul", extent, d))
        case _:
            return within(s, extent)


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
