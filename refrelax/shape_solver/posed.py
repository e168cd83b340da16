"""One question as the stages find it (``prove.py``): its claim in the forms that they read, its context, what is known
and what was noted, what it may still spend; and what comes of a stage.

Spec: ``spec/06b-solver.md``, ``sh/prove``.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from math import inf
from random import Random
from typing import Self

from refrelax.semantics.dims.atoms import Atoms
from refrelax.semantics.dims.normal import normal as normal_form
from refrelax.semantics.dims.ranges import interval
from refrelax.shape_solver import z3_
from refrelax.shape_solver.allowance import MAX_EVALUATED, SLACK, SLOWEST, Allowance
from refrelax.shape_solver.axioms import Node
from refrelax.shape_solver.bits import has_moves, opened
from refrelax.shape_solver.cases import (
    domain,
)
from refrelax.shape_solver.certificate import Certificate
from refrelax.shape_solver.claim import (
    LIMITS,
    Answer,
    Limits,
    Proved,
    Query,
    Refuted,
    Stage,
)
from refrelax.shape_solver.context import Context, premises_of
from refrelax.shape_solver.core import integer
from refrelax.shape_solver.defined import conditions, obligation
from refrelax.shape_solver.encode import Plain, known
from refrelax.shape_solver.equations import apart, has_bits
from refrelax.shape_solver.evaluate import TooLarge
from refrelax.shape_solver.powers import divided, joined, named
from refrelax.shape_solver.refute import Judge, Sampler, minimised
from refrelax.syntax.scalars import Binary, Not, PrimExpr, SymVar, bool_imm


@dataclass(slots=True)
class Posed:
    """One question, what was made of it, and what was said and spent on it so far."""

    query: Query
    claim: PrimExpr
    context: Context
    limits: Limits
    judge: Judge
    sampler: Sampler
    given: tuple[PrimExpr, ...] = ()
    """The assumptions, opened, as they came."""
    asked: PrimExpr = field(default_factory=lambda: bool_imm(False))
    """The claim with its obligations, not opened."""
    other: PrimExpr | None = None
    """The claim with its bit operators opened, but not what moves their bits."""
    within: bool = False
    """Whether this is a case of another question."""
    general: tuple[PrimExpr, Context] | None = None
    """The claim with symbols for parts that repeat."""
    log: list[Stage] = field(default_factory=list)
    until: float = inf
    """When to stop, on a clock: only where somebody asked for that."""
    allowance: Allowance = field(default_factory=lambda: Allowance(0))
    """What may still be spent."""

    @classmethod
    def of(cls, query: Query, context: Context, limits: Limits, nodes: int) -> Self:
        claim = query.claim
        if query.fits is not None:
            low, high = query.fits
            symbols = [SymVar(name, dtype) for name, dtype in query.symbols().items() if dtype != "bool"]
            context = context.assuming(*(Binary("GE", each, integer(low)) for each in symbols))
            context = context.assuming(*(Binary("LE", each, integer(high)) for each in symbols))
        if query.fits is not None or query.division == "require":
            claim = obligation(claim, query.fits, query.division)
        else:
            context = context.where(map(opened, dict.fromkeys(conditions(claim))))
        premises = premises_of(claim)
        within = context.assuming(*map(opened, premises)) if premises else context
        asked = joined(named(claim, (*query.assumptions, *premises)))
        if has_bits(asked):
            asked = apart(asked, bounds_in(within, query.symbols()))
        claim = divided(opened(asked, within), within)
        other = divided(opened(asked, within, moves=False), within) if has_moves(asked) else None
        judge = Judge.of(query, nodes)
        given = tuple(map(opened, query.assumptions))
        sampler = Sampler.of(judge, context)
        judge = replace(judge, nodes=nodes + sampler.nodes)
        attempt = cls(query, claim, context, limits, judge, sampler, given, asked, other)
        attempt.allowance = Allowance(limits.work, milliseconds=SLACK * limits.work / SLOWEST)
        return attempt

    def bounds(self) -> dict[str, tuple[int | None, int | None]]:
        """What is known of the symbols of the question."""
        return bounds_in(self.context, self.query.symbols())

    def countable(self) -> int | None:
        """How many points there are, if the nodes that a question may evaluate suffice for them all."""
        size = domain(self.sampler)
        first = self.limits.points[0]
        return None if size is None or (first + size) * self.judge.nodes > MAX_EVALUATED else size

    def parts(self) -> tuple[list[PrimExpr], list[PrimExpr]]:
        """What says that the assumptions hold, and that the claim does not: no bit operator is opened."""
        query = self.query
        given = [each for part in query.assumptions for each in (*conditions(part), part)]
        if query.fits is not None or query.division == "require":
            return given, [Not(obligation(query.claim, query.fits, query.division))]
        return given, [*conditions(query.claim), Not(query.claim)]

    def asked_z3(self, formulas: list[Node], resources: int, tactic: str = "") -> str | dict[str, int]:
        """What Z3 says, within what is left."""
        return z3_.solve(formulas, resources, self.sampler.booleans, tactic, self.until, self.allowance)

    # --- what comes of a stage

    def solved(self, name: str, found: str | dict[str, int], context: Context) -> Answer | None:
        if found == "unsat":
            return self.proved(name, "no counterexample exists")
        if isinstance(found, dict):
            model = self.recovered(found, context)
            if model is not None:
                return self.refuted(name, model)
            self.note(name, "a model that does not refute the claim on exact integers")
            return None
        self.note(name, found)
        return None

    def recovered(self, found: dict[str, int], context: Context) -> dict[str, int] | None:
        """A model over the question's own symbols, if it refutes the question."""
        sampler = Sampler.of(self.judge, context)
        env = sampler.tried({name: found.get(name, max(0, context.facts.of(name)[0] or 0)) for name in sampler.free})
        if env is None or not self.judge.refuted(env):
            return None
        return {name: env[name] for name in self.judge.dtypes}

    def confirmed(self, name: str, model: Mapping[str, int]) -> Refuted | None:
        """The answer, if ``model`` refutes the question."""
        env = {symbol: model.get(symbol, 0) for symbol in self.query.symbols()}
        return self.refuted(name, env) if self.judge.refuted(env) else None

    def note(self, name: str, outcome: str) -> None:
        self.log.append(Stage(name, outcome))

    def proved(self, name: str, outcome: str, vacuous: bool = False) -> Proved:
        self.log.append(Stage(name, outcome))
        stages = tuple(self.log)
        return Proved(Certificate(self.query, stages), vacuous or self.vacuous(), stages)

    def refuted(self, name: str, model: dict[str, int]) -> Refuted:
        model = minimised(self.judge, model)
        self.log.append(Stage(name, "a counterexample"))
        return Refuted(model, tuple(self.log))

    def vacuous(self) -> bool:
        """Whether no point satisfies the assumptions: asked of Z3 only if none is at hand."""
        if self.within or not self.query.assumptions or admitted(self.judge, self.sampler) is not None:
            return False
        if not z3_.AVAILABLE:
            return False
        formulas = known(self.context, Plain())
        return self.asked_z3(formulas, LIMITS["normal"].resources[0]) == "unsat"


def bounds_in(context: Context, symbols: Mapping[str, str]) -> dict[str, tuple[int | None, int | None]]:
    """What ``context`` knows of ``symbols``, given with their dtypes."""
    atoms = Atoms(context.facts)
    images = {name: context.image(SymVar(name, dtype)) for name, dtype in symbols.items()}
    return {name: interval(normal_form(image, atoms), atoms) for name, image in images.items()}


def admitted(judge: Judge, sampler: Sampler) -> dict[str, int] | None:
    """One of a few points that satisfies the assumptions."""
    for env in sampler.points(Random(0), 64):
        try:
            if judge.admits(env):
                return env
        except TooLarge:
            continue
    return None
