"""Finitely many cases: every residue of a symbol by a constant, every point of a small domain.

Spec: ``spec/06b-solver.md``, ``sh/cases``.
"""

from __future__ import annotations

import itertools
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import replace

from refrelax.rules import rule
from refrelax.semantics.dims.atoms import Atom, Atoms
from refrelax.semantics.dims.normal import normal
from refrelax.semantics.dims.poly import Poly, as_const, sub
from refrelax.semantics.dims.ranges import atom_interval, interval
from refrelax.semantics.dims.spell import spell
from refrelax.shape_solver.bits import opened
from refrelax.shape_solver.context import Context, multiple, settle
from refrelax.shape_solver.core import INT, integer, mapped_down
from refrelax.shape_solver.core import key as identity
from refrelax.shape_solver.digits import sides
from refrelax.shape_solver.normal import proves
from refrelax.shape_solver.refute import Judge, Sampler
from refrelax.shape_solver.size import measure
from refrelax.syntax.scalars import COMPARISONS, Binary, PrimExpr, SymVar, children

MAX_REPEATED = 4
"""Parts that are tried as symbols."""

MAX_CASES = 64
"""Residues tried together."""

MAX_NODES = 2_000
"""Nodes of a claim that is looked at for parts that repeat."""


@rule("sh/cases")
def by_residues(claim: PrimExpr, context: Context, shows: Callable[[PrimExpr, Context], bool] = proves) -> int:
    """In how many cases the normal form ``shows`` ``claim``, one for each residue of the symbols that stand in a
    product under a constant divisor; 0 if it does not, or if there are too many cases."""
    found = _split(claim, context)
    if not found:
        return 0
    total = 1
    for _, c in found:
        total *= c
    if total > MAX_CASES:
        return 0
    for residues in itertools.product(*(range(c) for _, c in found)):
        case = context
        for (key, c), residue in zip(found, residues):
            changed, step, _ = multiple(case, SymVar(key), c, residue)
            case = settle(changed, [], step)
        if not shows(claim, case):
            return 0
    return total


def _split(claim: PrimExpr, context: Context) -> list[tuple[str, int]]:
    """Symbols in products under a constant divisor, each with its greatest divisor, in order of appearance."""
    atoms = Atoms(context.facts)
    for side in sides(context.image(claim)):
        normal(side, atoms)
    found: dict[str, int] = {}
    for atom in atoms.table.values():
        divisor = as_const(atom.args[1]) if atom.kind in ("fd", "td") else None
        if divisor is None:
            continue
        for mono in atom.args[0]:
            if len(mono) > 1:
                for key in mono:
                    if atoms.table[key].kind == "var" and atoms.table[key].dtype != "bool":
                        found[key] = max(found.get(key, 1), divisor)
    return list(found.items())


@rule("sh/cases")
def generalised(claim: PrimExpr, context: Context) -> tuple[PrimExpr, Context] | None:
    """A comparison with quotients, minima and the like in products under a constant divisor replaced by new symbols of
    the same bounds: what holds of those holds of these."""
    if not isinstance(claim, Binary) or claim.op not in COMPARISONS or claim.a.dtype == "bool":
        return None
    atoms = Atoms(context.facts)
    image = context.image(claim)
    assert isinstance(image, Binary)
    difference = sub(normal(image.a, atoms), normal(image.b, atoms))
    keys = _factors(difference, atoms)
    facts = context.facts
    for place, each in enumerate(keys):
        name = f"'{place}"
        facts = facts.with_bounds(name, *atom_interval(atoms.table[each], atoms))
        atoms.table[each] = Atom(each, "var", (), name)
    spelled = spell(difference, atoms, INT) if keys else None
    if spelled is None:
        return None
    return Binary(claim.op, spelled, integer(0)), replace(context, facts=facts)


@rule("sh/cases")
def without_repetition(claim: PrimExpr, context: Context) -> Iterator[tuple[PrimExpr, Context]]:
    """``claim`` with an integer part that stands in it more than once replaced by a new symbol of the same bounds, the
    largest first: what holds of that holds of the part."""
    for part in _repeated(claim)[:MAX_REPEATED]:
        yield _without(claim, part, SymVar("'part")), _bounded("'part", part, context)


@rule("sh/cases")
def without_repetitions(claim: PrimExpr, context: Context) -> tuple[PrimExpr, Context] | None:
    """``claim`` with several such parts replaced at once, the largest first; ``None`` if there are no two."""
    count = 0
    while count < MAX_REPEATED and (found := _repeated(claim)):
        name = f"'part{count}"
        claim, context, count = _without(claim, found[0], SymVar(name)), _bounded(name, found[0], context), count + 1
    return (claim, context) if count > 1 else None


def _repeated(claim: PrimExpr) -> list[PrimExpr]:
    """Integer parts that stand in ``claim`` more than once, the largest first."""
    counts: Counter[PrimExpr] = Counter()
    if measure(claim)[0] > MAX_NODES:
        return []
    pending = [claim]
    while pending:
        node = pending.pop()
        pending.extend(children(node))
        if node.dtype != "bool" and children(node) and identity(node) is node:
            counts[node] += 1
    return sorted((node for node, count in counts.items() if count > 1), key=lambda node: -measure(node)[0])


def _bounded(name: str, part: PrimExpr, context: Context) -> Context:
    """``context`` and a symbol for ``part``, of its interval."""
    atoms = Atoms(context.facts)
    low, high = interval(normal(context.image(opened(part, context)), atoms), atoms)
    return replace(context, facts=context.facts.with_bounds(name, low, high))


def _without(claim: PrimExpr, part: PrimExpr, symbol: PrimExpr) -> PrimExpr:
    return mapped_down(claim, lambda node: symbol if node == part else None)


def _factors(p: Poly, atoms: Atoms) -> list[str]:
    """Atoms that are no symbols, in products under constant divisors, outermost."""
    found: dict[str, None] = {}
    for key in {key: None for mono in p for key in mono}:
        atom = atoms.table[key]
        if atom.kind in ("fd", "td") and as_const(atom.args[1]) is not None:
            products = [mono for mono in atom.args[0] if len(mono) > 1]
            found.update((each, None) for mono in products for each in mono if atoms.table[each].kind != "var")
    return list(found)


def domain(sampler: Sampler) -> int | None:
    """How many points the bounds of the free symbols leave, or ``None`` for infinitely many."""
    total = 1
    for name in sampler.free:
        low, high = (0, 1) if name in sampler.booleans else sampler.facts.of(name)
        if low is None or high is None:
            return None
        total *= max(0, high - low + 1)
    return total


@rule("sh/cases")
def by_points(judge: Judge, sampler: Sampler) -> dict[str, int] | None:
    """A counterexample among **all** points that the bounds leave, or ``None``: then there is none at all.

    Raises:
        TooLarge: a value is not computed.
    """
    for env in every(sampler):
        if judge.fails(env):
            return {name: env[name] for name in judge.dtypes}
    return None


def every(sampler: Sampler) -> Iterator[dict[str, int]]:
    """All points that the bounds of the free symbols leave, if they all have some.

    Raises:
        TooLarge: a value is not computed.
    """
    ends = [(0, 1) if name in sampler.booleans else sampler.facts.of(name) for name in sampler.free]
    ranges = [range(low, high + 1) for low, high in ends if low is not None and high is not None]
    for point in itertools.product(*ranges):
        env = sampler.complete(dict(zip(sampler.free, point)))
        if env is not None:
            yield env
