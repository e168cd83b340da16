"""Questions in which floats stand: what is computed from them becomes a symbol each, and is computed at points.

The stages of ``prove`` know integers only. A term of ``sh/float-atom`` is taken out of a question, equal ones for one
symbol: what is proved for every integer in its place is proved. A counterexample counts where the terms *have* the
values that it needs, so it is looked for among points at which they are evaluated.

Spec: ``spec/06b-solver.md``, ``sh/float-question``.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from itertools import islice, product
from random import Random

from refrelax.errors import Ended
from refrelax.rules import rule
from refrelax.semantics.dims import NO_FACTS, value
from refrelax.semantics.dims.atoms import Atoms
from refrelax.semantics.dims.kinds import of_floats
from refrelax.semantics.dims.normal import normal
from refrelax.semantics.dims.poly import as_const, serial
from refrelax.shape_solver.claim import FLOATS, LIMITS, Answer, Effort, Proved, Query, Refuted, Stage, Unknown
from refrelax.shape_solver.core import integer, mapped_down
from refrelax.shape_solver.lets import without_lets
from refrelax.shape_solver.refute import Judge
from refrelax.syntax.dtypes import integer_range, is_float
from refrelax.syntax.scalars import (
    Binary,
    Literal,
    PrimExpr,
    SymVar,
    bool_imm,
    literal_int,
    walk,
)

SMALL = (1, 2, 3, 0, 5, 4, 7, 8)
WIDE = (
    *range(17),
    31,
    32,
    33,
    63,
    100,
    127,
    128,
    255,
    1000,
    4097,
    65537,
    1 << 24,
    (1 << 24) + 1,
    (1 << 31) - 1,
    -1,
    -2,
)
MAX_NODES = 60_000
"""Nodes that one search evaluates, all points together."""


def has_floats(e: PrimExpr) -> bool:
    """Whether a float stands in ``e``."""
    return any(map(is_float, {node.dtype for node in walk(e)}))


@dataclass(slots=True)
class FloatAtoms:
    """The terms of one question that are computed from floats, by the symbol that stands for them."""

    taken: frozenset[str]
    """Names that the question uses itself."""
    terms: dict[str, PrimExpr] = field(default_factory=dict)
    _atoms: Atoms = field(default_factory=lambda: Atoms(NO_FACTS))
    _names: dict[str, SymVar] = field(default_factory=dict)

    @rule("sh/float-question")
    def without(self, e: PrimExpr) -> PrimExpr:
        """``e`` with a symbol for each maximal term that is computed from floats, or its value where it is closed."""
        return mapped_down(e, lambda part: self.symbol(part) if of_floats(part) else None)

    def symbol(self, e: PrimExpr) -> PrimExpr:
        self._atoms.refuel()
        form = normal(e, self._atoms)
        known = as_const(form)
        if known is not None:
            return bool_imm(known != 0) if e.dtype == "bool" else integer(known)
        key = serial(form)
        if key not in self._names:
            name = next(n for k in range(len(self.taken) + len(self.terms) + 1) if self.free(n := f"float_{k}"))
            self._names[key] = SymVar(name, "bool" if e.dtype == "bool" else "int64")
            self.terms[name] = e
        return self._names[key]

    def ranges(self) -> Iterator[PrimExpr]:
        """That each term has a value of its dtype."""
        for name, term in self.terms.items():
            if term.dtype != "bool":
                low, high = integer_range(term.dtype)
                yield Binary("GE", SymVar(name), integer(low))
                yield Binary("LE", SymVar(name), integer(high))

    def free(self, name: str) -> bool:
        return name not in self.taken and name not in self.terms


@rule("sh/float-question")
def answer(query: Query, effort: Effort, ask: Callable[[PrimExpr, tuple[PrimExpr, ...]], Answer]) -> Answer:
    """The answer to a question in which floats stand. ``ask`` answers one without."""
    query = replace(query, claim=without_lets(query.claim), assumptions=tuple(map(without_lets, query.assumptions)))
    atoms = FloatAtoms(frozenset(query.symbols()))
    claim, assumptions = atoms.without(query.claim), tuple(map(atoms.without, query.assumptions))
    if not atoms.terms or _may_be_asked(query, atoms):
        found = ask(claim, (*assumptions, *atoms.ranges()))
        if isinstance(found, Proved) or (isinstance(found, Refuted) and not atoms.terms):
            return found
    model = _search(replace(query, claim=claim, assumptions=assumptions), query, atoms, effort)
    if model is not None:
        return Refuted(model, (Stage("floats", "a counterexample"),))
    reason = "terms that are computed from floats are known only at points"
    return Unknown(reason, "floats", (Stage("floats", reason),), FLOATS)


def _may_be_asked(query: Query, atoms: FloatAtoms) -> bool:
    """Whether the question without floats implies this one: every term has a value, and no step in it leaves a
    range, where that is asked for."""
    if query.division == "require":
        return False
    if query.fits is None:
        return True
    low, high = query.fits
    for term in atoms.terms.values():
        least, greatest = (0, 1) if term.dtype == "bool" else integer_range(term.dtype)
        if least < low or greatest > high:
            return False
        for node in walk(term):
            inner = node is not term and not is_float(node.dtype)
            small = isinstance(node, Literal) and not is_float(node.dtype) and low <= literal_int(node) <= high
            if inner and not small and not isinstance(node, SymVar):
                return False
    return True


def _search(plain: Query, query: Query, atoms: FloatAtoms, effort: Effort) -> dict[str, int] | None:
    """A point at which the question is refuted, every term of ``atoms`` evaluated."""
    symbols = query.symbols()
    if any(is_float(dtype) for dtype in symbols.values()):
        return None
    judge = Judge.of(plain)
    parts = (query.claim, *query.assumptions)
    nodes = sum(1 for part in parts for _ in walk(part))
    count = min(LIMITS[effort].points[1], MAX_NODES // nodes)
    for env in islice(_points(symbols), count):
        try:
            values = {name: value(term, env) for name, term in atoms.terms.items()}
        except Ended:
            continue
        if judge.refuted({**env, **values}):
            return env
    return None


def _points(symbols: Mapping[str, str]) -> Iterator[dict[str, int]]:
    """Small values first, then any of some."""
    names = list(symbols)
    if len(names) <= 3:
        for values in product(SMALL, repeat=len(names)):
            yield dict(zip(names, values, strict=True))
    random = Random(0)
    while names:
        yield {name: random.choice(WIDE) for name in names}
