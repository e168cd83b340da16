"""``prove``: the stages, in order.

1. a few points; 2. the normal form; 3. the same in digits; 4. the same for each residue; 5. all points, if they are
few; 6. more points; 7. Z3 on the normal form; 8. Z3 in digits; 9. Z3 on the plain expression; 10. many points; then
``Unknown``. Each stage costs more than the one before it and most questions end in the first two.
Limits are counts; a clock only stops the loops of Z3 that count nothing (``z3_.STOPPED``, and the log says so). Nothing
is kept between calls except in a ``Prover`` of your own.

Spec: ``spec/06-shapes.md``, ``sh/prove``.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from random import Random

from refrelax.rules import rule
from refrelax.semantics.dims import substitute
from refrelax.semantics.dims.atoms import Atoms
from refrelax.shape_solver import float_atoms, normal, z3_
from refrelax.shape_solver.bits import opened
from refrelax.shape_solver.cases import by_points, by_residues, domain
from refrelax.shape_solver.certificate import Certificate
from refrelax.shape_solver.claim import (
    LIMITS,
    Answer,
    Division,
    Effort,
    Limits,
    Proved,
    Query,
    Refuted,
    Stage,
    Unknown,
)
from refrelax.shape_solver.context import Context
from refrelax.shape_solver.defined import conditions, obligation
from refrelax.shape_solver.digits import digits
from refrelax.shape_solver.encode import Normal, Plain, known, question
from refrelax.shape_solver.evaluate import NotInteger, TooLarge
from refrelax.shape_solver.lets import without_lets
from refrelax.shape_solver.parse import integer, parse_claim
from refrelax.shape_solver.refute import MAX_EVALUATED, Judge, Sampler, minimised, search
from refrelax.shape_solver.size import NOTHING, Measure, measure, too_large, total
from refrelax.syntax.dtypes import integer_range
from refrelax.syntax.scalars import Binary, PrimExpr, SymVar

Assumption = str | PrimExpr


def prove(
    claim: str | PrimExpr,
    assume: Iterable[Assumption] = (),
    effort: Effort = "normal",
    fits: str | None = None,
    division: Division = "assume",
) -> Answer:
    """Whether ``claim`` holds for all integers that satisfy ``assume``.

    ``fits``: an integer dtype; every arithmetic step must then stay in its range, for symbols in its range.
    ``division="require"``: the claim must be defined wherever the assumptions hold; ``"assume"``: it is asked where
    it is.

    Raises:
        Malformed: ``sh/claim-syntax``, for a text that is no claim.
    """
    return Prover(assume, effort, fits, division).answer(_expression(claim))


def _expression(claim: Assumption) -> PrimExpr:
    e = parse_claim(claim) if isinstance(claim, str) else claim
    if e.dtype != "bool":
        raise ValueError(f"expected a claim (an expression of dtype bool), found {e.dtype}")
    return e


@dataclass(slots=True)
class Prover:
    """Many claims under one set of assumptions: these are digested once, and answers are kept, up to the names of
    symbols.

    Not shared between threads; make one each.
    """

    assume: Iterable[Assumption] = ()
    effort: Effort = "normal"
    fits: str | None = None
    division: Division = "assume"
    hits: int = 0
    asked: int = 0
    _assumptions: tuple[PrimExpr, ...] = ()
    context: Context = field(default_factory=Context)
    _answers: dict[object, Answer] = field(default_factory=dict)
    _size: Measure = NOTHING
    _floats: bool = False

    def __post_init__(self) -> None:
        self._assumptions = tuple(map(_expression, self.assume))
        self._size = total(self._assumptions)
        if too_large(NOTHING, self._size) is None:
            self._assumptions = tuple(map(without_lets, self._assumptions))
            self._size = total(self._assumptions)
        if too_large(NOTHING, self._size) is None:
            self._floats = any(map(float_atoms.has_floats, self._assumptions))
        if too_large(NOTHING, self._size) is None and not self._floats:
            self.context = Context().assuming(*map(opened, self._assumptions))

    def prove(self, claim: str | PrimExpr) -> Answer:
        """As the function ``prove``."""
        e = _expression(claim)
        self.asked += 1
        if too_large(measure(e), self._size) is not None:
            return self.answer(e)
        key, names = _renamed(self._query(e))
        found = self._answers.get(key)
        if found is not None:
            self.hits += 1
            return _restored(found, names)
        answer = self.answer(e)
        if isinstance(answer, Refuted):
            self._answers[key] = Refuted({names[name]: value for name, value in answer.model.items()}, answer.stages)
        else:
            self._answers[key] = answer
        return answer

    def _ask(self, claim: PrimExpr, assumptions: tuple[PrimExpr, ...]) -> Answer:
        return Prover(assumptions, self.effort, self.fits, self.division).answer(claim)

    def _query(self, claim: PrimExpr) -> Query:
        fits = None if self.fits is None else integer_range(self.fits)
        return Query(claim, self._assumptions, fits, self.division)

    @rule("sh/size")
    def answer(self, claim: PrimExpr) -> Answer:
        """As ``prove``, but nothing is kept."""
        size = measure(claim)
        large = too_large(size, self._size, self.fits is not None)
        if large is None and (plain := without_lets(claim)) is not claim:
            claim, size = plain, measure(plain)
            large = too_large(size, self._size, self.fits is not None)
        if large is not None:
            return Unknown(large, "size", (Stage("size", large),))
        if self._floats or float_atoms.has_floats(claim):
            return float_atoms.answer(self._query(claim), self.effort, self._ask)
        nodes = size[0] + self._size[0]
        return _Attempt.of(self._query(claim), self.context, LIMITS[self.effort], nodes).answer()


def _renamed(query: Query) -> tuple[object, dict[str, str]]:
    """The question with its symbols numbered in order of appearance, and the numbering."""
    names = {name: f"#{place}" for place, name in enumerate(query.symbols())}
    by: dict[str, PrimExpr] = {name: SymVar(names[name], dtype) for name, dtype in query.symbols().items()}
    parts = tuple(substitute(e, by) for e in (query.claim, *query.assumptions))
    return (parts, query.fits, query.division), names


def _restored(answer: Answer, names: dict[str, str]) -> Answer:
    if isinstance(answer, Refuted):
        return Refuted({name: answer.model[number] for name, number in names.items()}, answer.stages)
    return answer


@dataclass(slots=True)
class _Attempt:
    """One question on its way through the stages."""

    query: Query
    claim: PrimExpr
    context: Context
    limits: Limits
    judge: Judge
    sampler: Sampler
    log: list[Stage] = field(default_factory=list)
    admitted: bool = False

    @staticmethod
    def of(query: Query, context: Context, limits: Limits, nodes: int) -> _Attempt:
        claim = query.claim
        if query.fits is not None:
            low, high = query.fits
            symbols = [SymVar(name, dtype) for name, dtype in query.symbols().items() if dtype != "bool"]
            context = context.assuming(*(Binary("GE", each, integer(low)) for each in symbols))
            context = context.assuming(*(Binary("LE", each, integer(high)) for each in symbols))
        if query.fits is not None or query.division == "require":
            claim = obligation(claim, query.fits, query.division)
        else:
            context = context.assuming(*map(opened, dict.fromkeys(conditions(claim))))
        claim = opened(claim)
        try:
            judge = Judge.of(query, nodes)
        except NotInteger as error:
            raise ValueError(f"expected integer arithmetic, found {error}") from None
        return _Attempt(query, claim, context, limits, judge, Sampler.of(judge, context))

    @rule("sh/prove")
    def answer(self) -> Answer:
        """The stages, in order, up to the first that decides."""
        if self.context.absurd:
            return self.proved("assumptions", "they hold nowhere, or the claim is defined nowhere", vacuous=True)
        first, second, third = self.limits.points
        stages: list[Callable[[], Answer | None]] = [
            lambda: self.points("points", first, 1),
            self.normal_form,
            self.in_digits,
            self.residues,
            self.all_points,
            lambda: self.points("more points", second, 2),
            lambda: self.z3("z3 on the normal form", self.context, self.limits.resources[0]),
            lambda: self.z3("z3 in digits", digits(self.claim, self.context), self.limits.resources[1]),
            lambda: self.z3_plain(self.limits.resources[2]),
            lambda: self.points("many points", third, 3),
        ]
        for stage in stages:
            result = stage()
            if result is not None:
                return result
        reason = "needs z3" if not z3_.AVAILABLE else "neither proved nor refuted within the limits of the effort"
        if any(stage.outcome == z3_.STOPPED for stage in self.log):
            reason = z3_.STOPPED
        return Unknown(reason, self.log[-1].name, tuple(self.log))

    # --- the stages

    def points(self, name: str, count: int, seed: int) -> Refuted | None:
        count = min(count, MAX_EVALUATED // self.judge.nodes)
        model = search(self.judge, self.sampler, count, seed)
        if model is None:
            self.note(name, f"{count} points, no counterexample")
            return None
        return self.refuted(name, model)

    def normal_form(self) -> Proved | None:
        if normal.proves(self.claim, self.context):
            return self.proved("normal form", "the claim is the constant true")
        self.note("normal form", "open")
        return None

    def residues(self) -> Proved | None:
        cases = by_residues(self.claim, self.context)
        if cases:
            return self.proved("residues", f"the normal form shows each of {cases} cases")
        self.note("residues", "nothing to split, or open")
        return None

    def all_points(self) -> Answer | None:
        size = domain(self.sampler)
        if size is None or size > min(self.limits.domain, 4 * MAX_EVALUATED // self.judge.nodes):
            self.note("all points", "too many")
            return None
        try:
            model = by_points(self.judge, self.sampler)
        except TooLarge:
            self.note("all points", "a value is too large to compute")
            return None
        if model is not None:
            return self.refuted("all points", model)
        return self.proved("all points", f"all {size} points that the assumptions leave")

    def z3(self, name: str, context: Context, resources: int) -> Answer | None:
        if not z3_.AVAILABLE or not resources or (context is self.context and name == "z3 in digits"):
            self.note(name, "skipped")
            return None
        reading = Normal(Atoms(context.facts))
        formulas = question(self.claim, context, reading)
        return self.solved(name, z3_.solve(formulas, resources, self.sampler.booleans), context)

    def z3_plain(self, resources: int) -> Answer | None:
        name = "z3 on the plain expression"
        if not z3_.AVAILABLE or not resources:
            self.note(name, "skipped")
            return None
        original = Context(hypotheses=tuple(map(opened, self.query.assumptions)))
        if self.query.fits is not None or self.query.division == "assume":
            original = self.context
        formulas = question(self.claim, original, Plain())
        return self.solved(name, z3_.solve(formulas, resources, self.sampler.booleans, "QF_NIA"), original)

    def in_digits(self) -> Proved | None:
        context = digits(self.claim, self.context)
        if context is self.context:
            self.note("digits", "nothing to split")
            return None
        if normal.proves(self.claim, context):
            return self.proved("digits", "the claim is the constant true in digits")
        self.note("digits", "open")
        return None

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
        if not self.query.assumptions or admissible(self.judge, self.sampler):
            return False
        if not z3_.AVAILABLE:
            return False
        formulas = known(self.context, Plain())
        return z3_.solve(formulas, LIMITS["normal"].resources[0], self.sampler.booleans) == "unsat"


def admissible(judge: Judge, sampler: Sampler) -> bool:
    """Whether one of a few points satisfies the assumptions."""
    for env in sampler.points(Random(0), 64):
        try:
            if judge.admits(env):
                return True
        except TooLarge:
            continue
    return False
