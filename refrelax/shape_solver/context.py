"""Assumptions, digested once: substitutions, bounds, and what is left of them.

``n == 2 * m`` replaces ``n``; ``n % 4 == 0`` replaces ``n`` by ``4 * n'``; ``i < n`` replaces ``n`` by ``i + 1 + n'``
with ``n' >= 0`` (if that loses nothing); ``n >= 3`` and the like become bounds. Whatever fits none of these stays a
hypothesis. A context is immutable: ``assuming`` gives a new one, so that many claims can be asked under one set of
assumptions.

Spec: ``spec/06b-solver.md``, ``sh/assumptions``.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass, field, replace
from math import gcd

from refrelax.rules import rule
from refrelax.semantics.dims import NO_FACTS, Facts
from refrelax.semantics.dims.atoms import Atoms
from refrelax.semantics.dims.normal import normal
from refrelax.semantics.dims.poly import Poly, as_const, sub
from refrelax.semantics.dims.ranges import interval, nonneg
from refrelax.semantics.dims.spell import spell
from refrelax.shape_solver.core import INT, distinct, integer
from refrelax.shape_solver.core import replaced as substituted
from refrelax.shape_solver.defined import conditions
from refrelax.shape_solver.size import measure
from refrelax.shape_solver.waiting import Queue, Tables
from refrelax.syntax.scalars import Binary, BinaryOp, Literal, Not, PrimExpr, SymVar, as_int, bool_imm

NEGATED: dict[str, BinaryOp] = {"EQ": "NE", "NE": "EQ", "LT": "GE", "GE": "LT", "LE": "GT", "GT": "LE"}
CROWD = 96
"""Assumptions above which orders stay hypotheses: images of hundreds of symbols help nobody."""

MAX_SETTLED = 200_000
"""Operations on terms after which no assumption is looked at any more: the others stay hypotheses."""

MAX_ROUNDS = 40
"""How often assumptions are taken in beyond once each."""
MAX_IMAGE = 64
"""Nodes of an expression that a symbol is replaced by: a longer one stays a hypothesis."""


def negation(e: PrimExpr) -> PrimExpr:
    """``not e``, pushed inwards."""
    match e:
        case Not(a):
            return a
        case Binary("And", a, b):
            return Binary("Or", negation(a), negation(b))
        case Binary("Or", a, b):
            return Binary("And", negation(a), negation(b))
        case Binary(op, a, b) if op in NEGATED:
            return Binary(NEGATED[op], a, b)
        case Literal():
            return bool_imm(not as_int(e))
        case _:
            return Not(e)


def conjuncts(e: PrimExpr) -> list[PrimExpr]:
    """The parts that all hold where ``e`` does."""
    match e:
        case Binary("And", a, b):
            return [*conjuncts(a), *conjuncts(b)]
        case Not(a) if not isinstance(pushed := negation(a), Not):
            return conjuncts(pushed)
        case _:
            return [e]


def premises_of(claim: PrimExpr) -> list[PrimExpr]:
    """What holds wherever the last part of an implication decides: elsewhere ``claim`` holds, whatever that part is."""
    match claim:
        case Binary("Or", Not(a), b):
            return [*conjuncts(a), *premises_of(b)]
        case _:
            return []


@dataclass(frozen=True, slots=True)
class Context:
    """Symbols of the question in terms of *free* symbols; what is known of those; hypotheses over those.

    ``absurd``: the assumptions were seen to contradict each other.
    """

    images: tuple[tuple[str, PrimExpr], ...] = ()
    facts: Facts = field(default_factory=lambda: NO_FACTS)
    hypotheses: tuple[PrimExpr, ...] = ()
    absurd: bool = False
    fresh: int = 0
    origins: tuple[tuple[str, PrimExpr], ...] = ()
    """What each fresh symbol stands for, in terms of symbols that were there before it; the newest last."""
    pending: tuple[tuple[str, PrimExpr], ...] = ()
    """Replacements that are not put into the images yet, in order: only while assumptions are taken in."""
    steps: tuple[tuple[str, PrimExpr], ...] = ()
    """All replacements ever made, each over the symbols that were free then, in order: values are computed along them
    from the last to the first, which is no longer than they are."""
    crowded: bool = False
    """Whether there were so many assumptions that no symbol is measured from another expression."""
    measured: bool = False
    """Whether a symbol with an upper bound of its own may be measured from another expression."""

    def image(self, e: PrimExpr) -> PrimExpr:
        """``e`` over the free symbols."""
        return substituted(e, dict(self.images))

    def restored(self, e: PrimExpr) -> PrimExpr:
        """``e`` over the original symbols again: each fresh symbol replaced by what it stands for, the newest first."""
        for name, origin in reversed(self.origins):
            e = substituted(e, {name: origin})
        return e

    def measuring(self) -> Context:
        """This context with the hypotheses taken in once more, symbols with upper bounds included."""
        if self.measured or self.crowded or not self.hypotheses:
            return self
        return settle(replace(self, measured=True), [])

    def assuming(self, *assumptions: PrimExpr) -> Context:
        """This context and more assumptions over the original symbols."""
        parts = [self.image(part) for each in assumptions for part in conjuncts(each)]
        needed = [condition for part in parts for condition in conditions(part)]
        if not parts:
            return self
        context = replace(self, crowded=True) if len(parts) > CROWD and not self.crowded else self
        return settle(context, [*parts, *needed])

    def where(self, needed: Iterable[PrimExpr]) -> Context:
        """This context where all of ``needed`` holds, which is mostly known: then nothing is looked at again."""
        atoms = Atoms(self.facts)
        return self.assuming(*(each for each in needed if not _known(self.image(each), atoms)))


def _known(part: PrimExpr, atoms: Atoms) -> bool:
    """Whether the facts show ``part``, a comparison over free symbols, at once."""
    match part:
        case Binary("NE", a, b) if a.dtype != "bool":
            low, high = interval(sub(normal(a, atoms), normal(b, atoms)), atoms)
            return (low is not None and low > 0) or (high is not None and high < 0)
        case _:
            p = order(part, atoms)
            return p is not None and nonneg(p, atoms)


@rule("sh/assumptions")
def settle(context: Context, parts: list[PrimExpr], by: dict[str, PrimExpr] | None = None) -> Context:
    """``parts`` (over free symbols) and the old hypotheses (replaced ``by``), taken in until none helps further."""
    queue = Queue()
    for each in distinct([*(substituted(each, by or {}) for each in context.hypotheses), *parts]):
        queue.put(each)
    context = replace(context, hypotheses=(), absurd=context.absurd or _crossed(context.facts))
    rounds = tightenings = MAX_ROUNDS + len(queue.parts)
    tables = Tables()
    while not context.absurd and rounds > 0 and (place := queue.next()) is not None:
        if tables.work + queue.work > MAX_SETTLED:
            break
        part, before = queue.parts[place], context.facts
        taken = _take(context, part, tables)
        if taken is None:
            tighter = _propagated(context, part, tables) if tightenings > 0 else None
            if tighter is None:
                continue
            tightenings -= 1
            taken = tighter, {}, [part]
        rounds -= 1
        context, step, more = taken
        if context.facts is not before and _crossed(context.facts):
            context = replace(context, facts=before, absurd=True)  # nobody may reckon with bounds that cross
        queue.remove(place)
        queue.changed(step, _bounded(before, context.facts))
        for each in more:
            queue.put(each)
    return replace(_resolved(context), hypotheses=tuple(queue.parts[place] for place in sorted(queue.parts)))


def _crossed(facts: Facts) -> bool:
    """Whether the bounds of a symbol leave it no value."""
    return any(low is not None and high is not None and low > high for low, high in facts.known.values())


def _bounded(before: Facts, after: Facts) -> set[str]:
    """Symbols whose bounds are others now."""
    return set() if before is after else {name for name, _ in before.known.items() ^ after.known.items()}


Taken = tuple[Context, dict[str, PrimExpr], list[PrimExpr]]
"""A context that has taken an assumption in, the replacement it made, and assumptions that this left to take in."""


def _take(context: Context, part: PrimExpr, tables: Tables) -> Taken | None:
    """``part`` taken in, or ``None`` if it stays a hypothesis."""
    match part:
        case Literal():
            return (context if as_int(part) else replace(context, absurd=True)), {}, []
        case Binary(("EQ" | "LT" | "LE" | "GT" | "GE") as op, a, b) if a.dtype != "bool":
            atoms = tables.of(context.facts)
            left, right = normal(a, atoms), normal(b, atoms)
            if op == "EQ":
                return _take_equality(context, sub(left, right), atoms)
            p = order(part, atoms)
            assert p is not None
            return _take_order(context, p, atoms)
        case Binary("NE", a, b) if a.dtype != "bool":
            return _take_difference(context, a, b, tables)
        case SymVar(name, "bool") | Not(SymVar(name, "bool")):
            return replaced(context, name, bool_imm(isinstance(part, SymVar)))
        case _:
            return None


def replaced(context: Context, name: str, by: PrimExpr) -> Taken:
    """``context`` with the free symbol ``name`` replaced."""
    facts = context.facts.without([name])
    return replace(context, pending=(*context.pending, (name, by)), facts=facts), {name: by}, []


def _resolved(context: Context) -> Context:
    """``context`` with its replacements put into its images, all at once: a chain of them costs its length."""
    if not context.pending:
        return context
    steps: dict[str, PrimExpr] = {}
    for name, by in reversed(context.pending):
        steps[name] = _short(substituted(by, steps), context)
    images = {name: substituted(image, steps) for name, image in context.images}
    images.update((name, steps[name]) for name, _ in context.pending)
    done = (*context.steps, *context.pending)
    return replace(context, images=tuple(images.items()), pending=(), steps=done)


def _short(e: PrimExpr, context: Context) -> PrimExpr:
    """An image; a long one as its normal form, if that is shorter."""
    size = measure(e)[0]
    if size <= MAX_IMAGE:
        return e
    atoms = Atoms(context.facts)
    spelled = spell(normal(e, atoms), atoms, INT)
    return e if spelled is None or measure(spelled)[0] >= size else spelled


def _plain(key: str, atoms: Atoms) -> bool:
    return atoms.table[key].kind == "var" and atoms.table[key].dtype != "bool"


def _solvable(p: Poly, atoms: Atoms, any_factor: bool = False) -> list[str]:
    """Symbols that occur in ``p`` once, alone, with coefficient 1 or -1, and nowhere inside its other atoms."""
    inside = mentioned([key for mono in p for key in mono], atoms)
    counts = Counter(key for mono in p for key in set(mono))
    found = []
    for mono, c in p.items():
        if len(mono) == 1 and (any_factor or abs(c) == 1) and _plain(mono[0], atoms) and mono[0] not in inside:
            if counts[mono[0]] == 1:
                found.append(mono[0])
    return found


def mentioned(keys: list[str], atoms: Atoms) -> set[str]:
    """Keys that occur inside the compound atoms ``keys``, at any depth."""
    inside: set[str] = set()
    pending = list(keys)
    while pending:
        for p in atoms.table[pending.pop()].args:
            for mono in p:
                for key in mono:
                    if key not in inside:
                        inside.add(key)
                        pending.append(key)
    return inside


def _take_equality(context: Context, p: Poly, atoms: Atoms) -> Taken | None:
    """``p == 0``: solved for a symbol whose bounds the solution keeps, or a divisibility."""
    if not p:
        return context, {}, []
    if as_const(p) is not None:
        return replace(context, absurd=True), {}, []
    for key in reversed(_solvable(p, atoms)):
        sign = p[(key,)]
        solution: Poly = {mono: -sign * c for mono, c in p.items() if mono != (key,)}
        low, high = context.facts.of(key)
        kept = (low is None or nonneg(sub(solution, {(): low} if low else {}), atoms)) and (
            high is None or nonneg(sub({(): high} if high else {}, solution), atoms)
        )
        spelled = spell(solution, atoms, atoms.table[key].dtype)
        if spelled is not None and measure(spelled)[0] > MAX_IMAGE:
            common = gcd(*(c for mono, c in solution.items() if mono))
            if common > 1:  # at least its residue is known
                symbol = SymVar(key, atoms.table[key].dtype)
                changed, step, _ = multiple(context, symbol, common, solution.get((), 0) % common)
                return changed, step, [Binary("EQ", step[key], spelled)]
        if spelled is None or measure(spelled)[0] > MAX_IMAGE:
            continue
        changed, step, _ = replaced(context, key, spelled)
        more: list[PrimExpr] = []
        if not kept:
            more += [Binary("GE", spelled, integer(low))] if low is not None else []
            more += [Binary("LE", spelled, integer(high))] if high is not None else []
        return changed, step, more
    return _take_divisibility(context, p, atoms)


def _take_divisibility(context: Context, p: Poly, atoms: Atoms) -> Taken | None:
    """``a*n + r - c * ((a*n + r) // c) - v == 0`` up to a factor: ``n`` is a multiple of ``c / gcd(a, c)``, and a
    residue.
    """
    for mono, coefficient in p.items():
        if len(mono) != 1 or atoms.table[mono[0]].kind != "fd":
            continue
        numerator, divisor = atoms.table[mono[0]].args
        c = as_const(divisor)
        symbols = [m for m in numerator if m]
        if c is None or coefficient % c or len(symbols) != 1 or len(symbols[0]) != 1:
            continue
        scale = -coefficient // c
        left = sub(p, {**{m: scale * v for m, v in numerator.items()}, mono: coefficient})
        extra = as_const(left)
        if extra is None or not _plain(symbols[0][0], atoms):
            continue
        if extra % scale or not 0 <= -extra // scale < c:
            return replace(context, absurd=True), {}, []
        a, r = numerator[symbols[0]], numerator.get((), 0) + extra // scale
        common = gcd(a, c)
        if r % common:
            return replace(context, absurd=True), {}, []
        step = c // common
        residue = -(r // common) * pow(a // common, -1, step) % step
        return multiple(context, SymVar(symbols[0][0], atoms.table[symbols[0][0]].dtype), step, residue)
    return None


def multiple(context: Context, symbol: SymVar, c: int, residue: int) -> Taken:
    """``symbol`` replaced by ``c * symbol' + residue``."""
    name = f"{symbol.name}'{context.fresh}"
    low, high = context.facts.of(symbol.name)
    facts = context.facts.with_bounds(
        name, None if low is None else -(-(low - residue) // c), None if high is None else (high - residue) // c
    )
    scaled = Binary("Mul", SymVar(name, symbol.dtype), integer(c))
    by = Binary("Add", scaled, integer(residue)) if residue else scaled
    origins = (*context.origins, (name, Binary("FloorDiv", symbol, integer(c))))
    return replaced(replace(context, facts=facts, fresh=context.fresh + 1, origins=origins), symbol.name, by)


def _take_order(context: Context, p: Poly, atoms: Atoms) -> Taken | None:
    """``p >= 0``: known, impossible, a bound of one symbol, or a symbol measured from another expression."""
    variables = [mono for mono in p if mono]
    if len(variables) == 1 and len(variables[0]) == 1 and _plain(variables[0][0], atoms):
        return _take_bound(context, variables[0][0], p[variables[0]], p.get((), 0))
    if nonneg(p, atoms):
        return context, {}, []
    if nonneg({mono: -c for mono, c in sub(p, {(): -1}).items()}, atoms):
        return replace(context, absurd=True), {}, []
    for key in [] if context.crowded else _solvable(p, atoms):
        if p[(key,)] != 1:
            continue
        origin: Poly = {mono: -c for mono, c in p.items() if mono != (key,)}
        low, high = context.facts.of(key)
        if high is not None and not context.measured:
            continue
        if low is not None and not nonneg(sub(origin, {(): low} if low else {}), atoms):
            continue
        spelled = spell(origin, atoms, atoms.table[key].dtype)
        if spelled is None or measure(spelled)[0] > MAX_IMAGE:
            continue
        name = f"{key}'{context.fresh}"
        facts = context.facts.with_bounds(name, 0)
        dtype = atoms.table[key].dtype
        whole = Binary("Add", spelled, SymVar(name, dtype))
        origins = (*context.origins, (name, Binary("Sub", SymVar(key, dtype), spelled)))
        context = replace(context, facts=facts, fresh=context.fresh + 1, origins=origins)
        changed, step, _ = replaced(context, key, whole)
        return changed, step, [] if high is None else [Binary("LE", whole, integer(high))]
    return None


def order(part: PrimExpr, atoms: Atoms) -> Poly | None:
    """``p`` where ``part`` says ``p >= 0``."""
    match part:
        case Binary(("LT" | "LE" | "GT" | "GE") as op, a, b) if a.dtype != "bool":
            less, more = (a, b) if op in ("LT", "LE") else (b, a)
            difference = sub(normal(more, atoms), normal(less, atoms))
            return sub(difference, {(): 1}) if op in ("LT", "GT") else difference
        case _:
            return None


def _propagated(context: Context, part: PrimExpr, tables: Tables) -> Context | None:
    """``context`` with bounds that ``part`` gives to single symbols, if that is news."""
    if not isinstance(part, Binary) or part.op not in ("LT", "LE", "GT", "GE"):
        return None
    atoms = tables.of(context.facts)
    p = order(part, atoms)
    if p is None:
        return None
    facts = context.facts
    for key in _solvable(p, atoms, any_factor=True):
        c = p[(key,)]
        _, high = interval({mono: v for mono, v in p.items() if mono != (key,)}, atoms)
        if high is not None:
            low, top = (-(high // c), None) if c > 0 else (None, high // -c)
            facts = facts.with_bounds(key, low, top)
    if facts is context.facts:
        return None
    return replace(context, facts=facts)


def _take_bound(context: Context, key: str, c: int, fixed: int) -> Taken:
    """``c * key + fixed >= 0``; a symbol with one possible value is that value."""
    low, high = (-(fixed // c), None) if c > 0 else (None, fixed // -c)
    facts = context.facts.with_bounds(key, low, high)
    if facts is context.facts:
        return context, {}, []
    least, greatest = facts.of(key)
    changed = replace(context, facts=facts)
    if least is not None and greatest is not None:
        if least == greatest:
            return replaced(changed, key, integer(least))
    return changed, {}, []


def _take_difference(context: Context, a: PrimExpr, b: PrimExpr, tables: Tables) -> Taken | None:
    """``a != b``: a bound where the difference has a known sign."""
    atoms = tables.of(context.facts)
    p = sub(normal(a, atoms), normal(b, atoms))
    if not p:
        return replace(context, absurd=True), {}, []
    low, high = interval(p, atoms)
    if (low is not None and low > 0) or (high is not None and high < 0):
        return context, {}, []
    if nonneg(p, atoms):
        return _take_order(context, sub(p, {(): 1}), atoms)
    if nonneg({mono: -c for mono, c in p.items()}, atoms):
        return _take_order(context, sub({mono: -c for mono, c in p.items()}, {(): 1}), atoms)
    return None
