"""Reshapes: a symbol that is divided becomes quotient times divisor plus remainder.

``v // a`` and ``v % a`` with ``a >= 1`` disappear when ``v`` is replaced by ``a * q + r`` with ``0 <= r < a``; nested
quotients give digits. This helps with chains of reshapes and hurts elsewhere, hence it is tried late.

Spec: ``spec/06b-solver.md``, ``sh/digits``.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from refrelax.rules import rule
from refrelax.semantics.dims.atoms import Atom, Atoms
from refrelax.semantics.dims.normal import normal
from refrelax.semantics.dims.poly import ONE, Poly, scale, sub
from refrelax.semantics.dims.ranges import nonneg
from refrelax.semantics.dims.spell import spell
from refrelax.semantics.dims.terms import floordiv
from refrelax.shape_solver.context import Context, mentioned, order, replaced, settle
from refrelax.shape_solver.core import integer
from refrelax.shape_solver.size import measure
from refrelax.syntax.scalars import Binary, PrimExpr, SymVar, children

MAX_DIGITS = 6

MAX_IMAGE = 2_000
"""Nodes of the claim and the hypotheses above which no further symbol is split."""


@rule("sh/digits")
def digits(claim: PrimExpr, context: Context) -> Context:
    """``context`` with divided symbols written in digits; the same object if there is none."""
    for _ in range(MAX_DIGITS):
        atoms = Atoms(context.facts)
        parts = (context.image(claim), *context.hypotheses)
        if sum(measure(e)[0] for e in parts) > MAX_IMAGE:
            break
        for e in parts:
            for side in sides(e):
                normal(side, atoms)
        found = _divided(atoms)
        if found is None:
            break
        context = _split(context, *found)
    return context


def sides(e: PrimExpr) -> Iterator[PrimExpr]:
    """The integer operands of the comparisons in ``e``, outermost only."""
    pending = [e]
    while pending:
        node = pending.pop()
        if node.dtype != "bool":
            yield node
        else:
            pending.extend(reversed(children(node)))


def _divided(atoms: Atoms) -> tuple[str, PrimExpr, str] | None:
    """A symbol, the divisor to split it by (the smallest first), and the symbol's key."""
    best: tuple[tuple[int, int, str], str, PrimExpr, str] | None = None
    for atom in list(atoms.table.values()):
        if atom.kind != "fd" and not (atom.kind == "call" and atom.name == "//"):
            continue
        key = _whole_symbol(atom, atoms)
        divisor = atom.args[1]
        if key is None or not nonneg(sub(divisor, ONE), atoms) or key in _keys(divisor, atoms):
            continue
        if not _has_a_value(divisor, atoms):
            continue
        spelled = spell(divisor, atoms, atoms.table[key].dtype)
        if spelled is None:
            continue
        rank = (max(map(len, divisor)), sum(map(abs, divisor.values())), atom.key)
        if best is None or rank < best[0]:
            best = (rank, atoms.table[key].name, spelled, key)
    return None if best is None else best[1:]


def _has_a_value(divisor: Poly, atoms: Atoms) -> bool:
    """Whether no divisor in ``divisor`` may be 0 and no exponent negative: the symbol is replaced in places that are
    evaluated where the quotient is not, too, and what stands for it there has to be something."""
    found = [atoms.table[key] for key in _keys(divisor, atoms)]
    quotients = [each.args[1] for each in found if each.kind in ("fd", "td") or each.name in ("//", "truncdiv")]
    exponents = [each.args[0] for each in found if each.kind == "p2" or each.name == "1 <<"]
    return all(_never_zero(each, atoms) for each in quotients) and all(nonneg(each, atoms) for each in exponents)


def _never_zero(p: Poly, atoms: Atoms) -> bool:
    return nonneg(sub(p, ONE), atoms) or nonneg(sub(scale(p, -1), ONE), atoms)


def _whole_symbol(atom: Atom, atoms: Atoms) -> str | None:
    """The key of the symbol that the numerator is, up to a factor and a constant."""
    monos = [mono for mono in atom.args[0] if mono]
    if len(monos) != 1 or len(monos[0]) != 1 or atom.args[0][monos[0]] != 1 or atom.args[0].get((), 0):
        return None
    found = atoms.table[monos[0][0]]
    return found.key if found.kind == "var" and found.dtype != "bool" else None


def _keys(p: Poly, atoms: Atoms) -> set[str]:
    keys = [key for mono in p for key in mono]
    return {*keys, *mentioned(keys, atoms)}


def _split(context: Context, name: str, divisor: PrimExpr, key: str) -> Context:
    """``name`` replaced by ``divisor * q + r``."""
    context_before = context
    q, r = (SymVar(f"{name}'{context.fresh + k}") for k in (0, 1))
    low, high = context.facts.of(name)
    facts = context.facts.with_bounds(r.name, 0)
    if low is not None and low >= 0:
        facts = facts.with_bounds(q.name, 0)
    whole = Binary("Add", Binary("Mul", divisor, q), r)
    v = SymVar(name)
    origins = (*context.origins, (q.name, Binary("FloorDiv", v, divisor)), (r.name, Binary("FloorMod", v, divisor)))
    context, step, _ = replaced(replace(context, facts=facts, fresh=context.fresh + 2, origins=origins), name, whole)
    more: list[PrimExpr] = [Binary("LT", r, divisor)]
    more += _ends(context_before, key, divisor, q)
    if low is not None and low > 0:
        more.append(Binary("GE", whole, integer(low)))
    if high is not None:
        more.append(Binary("LE", whole, integer(high)))
    return settle(context, more, step)


def _ends(context: Context, key: str, by: PrimExpr, q: SymVar) -> list[PrimExpr]:
    """What hypotheses ``v <= e`` say of the quotient: ``q <= e // by``."""
    found: list[PrimExpr] = []
    atoms = Atoms(context.facts)
    divisor = normal(by, atoms)
    for hypothesis in context.hypotheses:
        p = order(hypothesis, atoms)
        if p is None or p.get((key,)) != -1 or sum(key in mono for mono in p) != 1:
            continue
        end = {mono: c for mono, c in p.items() if mono != (key,)}
        if key in _keys(end, atoms):
            continue
        spelled = spell(floordiv(end, divisor, atoms), atoms, "int64")
        if spelled is not None:
            found.append(Binary("LE", q, spelled))
    return found
