"""``prove``: the stages, in order.

1. a few points; 2. the normal form; 3. the same in digits; 4. the same for each residue; 5. all points, if they are
few; 6. more points; 7. Z3 on the normal form, then without parts that repeat; 8. Z3 in digits; 9. points at the numbers
of the question; 10. Z3 on the plain expression; 11. Z3 on words; 12. instances; 13. a log; 14. many points; then
``Unknown``. Each stage costs more than the one before it and most questions end in the first two.
Limits are counts; a clock only stops the loops of Z3 that count nothing (``z3_.STOPPED``, and the log says so). Nothing
is kept between calls except in a ``Prover`` of your own.

Spec: ``spec/06-shapes.md``, ``sh/prove``.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterable, Mapping
from copy import copy
from dataclasses import dataclass, field, replace
from math import inf
from random import Random
from time import monotonic

from refrelax.rules import rule
from refrelax.semantics.dims.atoms import Atoms
from refrelax.semantics.dims.normal import normal as normal_form
from refrelax.semantics.dims.ranges import interval
from refrelax.shape_solver import float_atoms, normal, z3_
from refrelax.shape_solver.bits import has_moves, opened
from refrelax.shape_solver.cases import (
    by_points,
    by_residues,
    domain,
    generalised,
    without_repetition,
    without_repetitions,
)
from refrelax.shape_solver.certificate import Certificate
from refrelax.shape_solver.claim import (
    LIMITS,
    OPAQUE,
    Answer,
    Division,
    Effort,
    Limits,
    Proved,
    Query,
    Refuted,
    Scope,
    Stage,
    Unknown,
)
from refrelax.shape_solver.classes import scope
from refrelax.shape_solver.context import Context, premises_of
from refrelax.shape_solver.core import integer, replaced
from refrelax.shape_solver.defined import conditions, obligation
from refrelax.shape_solver.differences import by_differences
from refrelax.shape_solver.digits import digits
from refrelax.shape_solver.door import MAX_DEPTH, Arithmetic, Door, TooDeep, sort
from refrelax.shape_solver.encode import Normal, Plain, known, question
from refrelax.shape_solver.equations import all_apart, apart, has_bits
from refrelax.shape_solver.evaluate import TooLarge
from refrelax.shape_solver.given import Assumption, claim_of, claims_of, one_of, refuse, seconds
from refrelax.shape_solver.instances import MAX_TRIED, hard, points, values
from refrelax.shape_solver.powers import divided, joined, named
from refrelax.shape_solver.refute import MAX_EVALUATED, Judge, Sampler, minimised, search
from refrelax.shape_solver.size import NOTHING, Measure, measure, too_large, total
from refrelax.shape_solver.vectors import interesting, words
from refrelax.syntax.dtypes import integer_range, is_dtype, is_integer, lanes
from refrelax.syntax.scalars import Binary, Not, PrimExpr, SymVar, bool_imm

HEADROOM = 50_000
"""Python frames allowed: what ``fits`` asks of a claim is nested as deep as the claim has steps."""

DRAWN = 6
"""What drawing the value of one symbol counts as, in evaluated nodes."""

WINDOWS = (500, 40, 8)
"""How far counterexamples are looked for in words where values have no bounds; the first that fits into a word."""

WIDE = 1 << 14
"""And how far after that."""

FEW = 60
"""Points of one instance."""

AT_ONCE = 100_000
"""Nodes at all points together that are evaluated before anything is split: at most some 10 ms."""

MAX_POINTS = 3_000
"""Points at the numbers of a question."""

MAX_FORMULAS = 6_000
MAX_LOGGED = 200
"""Nodes of a claim, its obligations included, for which a log is tried."""

TOO_MANY = f"more than {MAX_FORMULAS} formulas"

NOTHING_DIGESTED = Context()

TOO_DEEP = f"nested more than {MAX_DEPTH} levels deep"
DIVISIONS = ("assume", "require")
ARITHMETICS = ("exact", "wrap", "no-overflow")


def prove(
    claim: str | PrimExpr,
    assume: Iterable[Assumption] = (),
    effort: Effort = "normal",
    fits: str | None = None,
    division: Division = "assume",
    arithmetic: Arithmetic = "exact",
    timeout: float | None = None,
) -> Answer:
    """Whether ``claim`` holds for all integers that satisfy ``assume``.

    ``fits``: an integer dtype; every arithmetic step must then stay in its range, for symbols in its range.
    ``division="require"``: the claim must be defined wherever the assumptions hold; ``"assume"``: it is asked where
    it is. ``arithmetic``: what the operations of the question mean (``sh/arithmetic``). ``timeout``: seconds after
    which no further stage starts, and Z3 is stopped; with it, answers may depend on the machine.

    Raises:
        Malformed: ``sh/claim-syntax``, for a text that is no claim; ``sh/question``, for what is not well-typed.
        UsageError: an argument of the wrong kind, an option that there is not (a ``ValueError``).
    """
    return Prover(assume, effort, fits, division, arithmetic, timeout=timeout).answer(claim)


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
    arithmetic: Arithmetic = "exact"
    hits: int = 0
    asked: int = 0
    timeout: float | None = None
    door: Door = field(default_factory=Door)
    context: Context = field(default_factory=Context)
    _assumptions: tuple[PrimExpr, ...] = ()
    _answers: dict[object, Answer] = field(default_factory=dict)
    _size: Measure = NOTHING
    _floats: bool = False
    _large: str | None = None
    _parts: tuple[PrimExpr, ...] = ()

    def __post_init__(self) -> None:
        if sys.getrecursionlimit() < HEADROOM:
            sys.setrecursionlimit(HEADROOM)
        one_of(self.effort, LIMITS, "effort")
        one_of(self.division, DIVISIONS, "division")
        one_of(self.arithmetic, ARITHMETICS, "arithmetic")
        seconds(self.timeout)
        if self.fits is not None and not _holds_integers(self.fits):
            refuse("an integer dtype for fits", self.fits)
        self.door = Door(self.arithmetic, self.fits is not None)
        parts = claims_of(self.assume)
        self._large = too_large(NOTHING, total(parts), deep=False)
        for part in parts:
            if sort(part.dtype) != "bool":
                self.door.claim(part)  # refuses it
        if self._large is None:
            self._parts, self._floats = parts, any(map(float_atoms.has_floats, parts))
            self._large = None if self._floats else self._admit(parts)

    def _admit(self, parts: tuple[PrimExpr, ...]) -> str | None:
        """Takes the assumptions in; why not, if they are too large."""
        try:
            self._assumptions = tuple(map(self.door.claim, parts))
        except TooDeep:
            return TOO_DEEP
        self._size = total(self._assumptions)
        large = too_large(NOTHING, self._size)
        if large is None:
            self.context = Context().assuming(*map(opened, self._assumptions))
            if any(map(has_bits, self._assumptions)):
                symbols = Query(bool_imm(True), self._assumptions).symbols()
                taken = all_apart(self._assumptions, bounds_in(self.context, symbols))
                self.context = Context().assuming(*map(opened, taken))
        return large

    def prove(self, claim: str | PrimExpr) -> Answer:
        """As the function ``prove``."""
        self.asked += 1
        e = claim_of(claim)
        if self._has_floats(e):
            return self._computed_from_floats(e)
        found = self._entered(e)
        if isinstance(found, str):
            return _refused(found)
        return self.outside(self._kept(found))

    def _kept(self, query: Query) -> Answer:
        """The answer to a question or to the same one with other numbers."""
        key, names = _renamed(query)
        known = self._answers.get(key)
        if known is not None:
            self.hits += 1
            return _restored(known, names)
        answer = self._answered(query)
        if isinstance(answer, Refuted):
            self._answers[key] = Refuted({names[name]: value for name, value in answer.model.items()}, answer.stages)
        else:
            self._answers[key] = answer
        return answer

    def answer(self, claim: str | PrimExpr) -> Answer:
        """As ``prove``, but nothing is kept."""
        e = claim_of(claim)
        if self._has_floats(e):
            return self._computed_from_floats(e)
        found = self._entered(e)
        return _refused(found) if isinstance(found, str) else self.outside(self._answered(found))

    def _has_floats(self, e: PrimExpr) -> bool:
        """Whether a float stands in a question that is well-typed and not too large."""
        if sort(e.dtype) != "bool":
            self.door.claim(e)  # refuses it
        return self.large(e) is None and (self._floats or float_atoms.has_floats(e))

    def _computed_from_floats(self, claim: PrimExpr) -> Answer:
        fits = None if self.fits is None else integer_range(self.fits)
        return float_atoms.answer(Query(claim, self._parts, fits, self.division), self.effort, self._ask)

    def _ask(self, claim: PrimExpr, assumptions: tuple[PrimExpr, ...]) -> Answer:
        return Prover(assumptions, self.effort, self.fits, self.division, self.arithmetic).answer(claim)

    def posed(self, claim: str | PrimExpr) -> Certificate:
        """The question as a certificate that nobody has proved, for its ``smt2``.

        Raises:
            ValueError: it is too large.
        """
        found = self._entered(claim_of(claim))
        if isinstance(found, str):
            raise ValueError(f"expected a smaller question, found one that is {found}")
        return Certificate(found, (), self.door.names())

    @rule("sh/size")
    def _entered(self, claim: PrimExpr) -> Query | str:
        """The question inside; in words what is too large about it."""
        if sort(claim.dtype) != "bool":
            self.door.claim(claim)  # refuses it
        large = self.large(claim)
        if large is not None:
            return large
        try:
            claim = self.door.claim(claim)
        except TooDeep:
            return TOO_DEEP
        return self._query(claim)

    def large(self, e: PrimExpr) -> str | None:
        """What is too large about an expression under these assumptions, in words."""
        return self._large or too_large(measure(e), self._size, deep=False)

    def inside(self, claim: PrimExpr) -> Answer:
        """As ``prove``, for a claim that has come through the door of this prover; a model is by number."""
        found = self._query(claim)
        return _refused(found) if isinstance(found, str) else self._kept(found)

    def _query(self, claim: PrimExpr) -> Query | str:
        fits = None if self.fits is None else integer_range(self.fits)
        return too_large(measure(claim), self._size, fits is not None) or Query(
            claim, self._assumptions, fits, self.division
        )

    def _answered(self, query: Query) -> Answer:
        nodes = measure(query.claim)[0] + self._size[0] + DRAWN * len(query.symbols())
        try:
            attempt = _Attempt.of(query, self.context, LIMITS[self.effort], nodes)
            attempt.until = inf if self.timeout is None else monotonic() + self.timeout
            answer = attempt.answer()
        except RecursionError:  # the obligations of a question can be deeper than the question
            return _refused(TOO_DEEP)
        guessed = self.door.guessed & query.symbols().keys()
        if not guessed:
            return answer
        if isinstance(answer, Refuted) and not settles(query, answer.model, guessed):
            return Unknown(
                "a counterexample needs values of what is no integer arithmetic", "opaque", answer.stages, OPAQUE
            )
        if isinstance(answer, Proved) and self.division == "require":
            return Unknown("whether what is no integer arithmetic is defined", "opaque", answer.stages, OPAQUE)
        return answer

    @property
    def given(self) -> tuple[PrimExpr, ...]:
        """The assumptions inside."""
        return self._assumptions

    def quick(self) -> Prover:
        """A prover of the same door and assumptions that asks no other prover."""
        other = copy(self)
        other.effort, other._answers = "quick", {}
        return other

    def outside(self, answer: Answer) -> Answer:
        """An answer by number, by names."""
        match answer:
            case Refuted(model, stages):
                return Refuted(self.door.model(model), stages)
            case Proved(certificate):
                return replace(answer, certificate=replace(certificate, names=self.door.names()))
            case _:
                return answer


def _holds_integers(dtype: object) -> bool:
    return isinstance(dtype, str) and is_dtype(dtype) and is_integer(dtype) and lanes(dtype) == 1


def settles(query: Query, model: Mapping[str, int], guessed: frozenset[str]) -> bool:
    """Whether ``model`` refutes the question whatever the symbols ``guessed`` are, as far as the normal form sees."""
    dtypes = query.symbols()
    values: dict[str, PrimExpr] = {
        name: bool_imm(bool(value)) if dtypes[name] == "bool" else integer(value)
        for name, value in model.items()
        if name not in guessed
    }
    if query.fits is not None:
        return False
    for e in (*query.assumptions, Not(query.claim)):
        at = opened(replaced(e, values))
        if not normal.proves(at, Context()) or not all(normal.proves(each, Context()) for each in conditions(at)):
            return False
    return True


def _refused(large: str) -> Unknown:
    return Unknown(large, "size", (Stage("size", large),))


def _renamed(query: Query) -> tuple[object, dict[str, str]]:
    """The question with its symbols numbered in order of appearance, and the numbering."""
    names = {name: f"#{place}" for place, name in enumerate(query.symbols())}
    by: dict[str, PrimExpr] = {name: SymVar(names[name], dtype) for name, dtype in query.symbols().items()}
    parts = tuple(replaced(e, by) for e in (query.claim, *query.assumptions))
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
    left: int = MAX_EVALUATED
    """Nodes that may still be evaluated."""

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
        premises = premises_of(claim)
        within = context.assuming(*map(opened, premises)) if premises else context
        asked = joined(named(claim, (*query.assumptions, *premises)))
        if has_bits(asked):
            asked = apart(asked, bounds_in(within, query.symbols()))
        claim = divided(opened(asked, within), within)
        other = divided(opened(asked, within, moves=False), within) if has_moves(asked) else None
        judge = Judge.of(query, nodes)
        given = tuple(map(opened, query.assumptions))
        return _Attempt(query, claim, context, limits, judge, Sampler.of(judge, context), given, asked, other)

    @rule("sh/prove")
    def answer(self) -> Answer:
        """The stages, in order, up to the first that decides."""
        if self.context.absurd:
            return self.proved("assumptions", "they hold nowhere, or the claim is defined nowhere", vacuous=True)
        first, second, third = self.limits.points
        stages: list[Callable[[], Answer | None]] = [
            lambda: self.points("points", first, 1),
            self.differences,
            self.normal_form,
            lambda: self.all_points(AT_ONCE),
            self.in_digits,
            self.residues,
            self.all_points,
            lambda: self.points("more points", second, 2),
            lambda: self.z3("z3 on the normal form", self.context, self.limits.resources[0]),
            self.z3_general,
            lambda: self.z3("z3 in digits", digits(self.claim, self.context), self.limits.resources[1]),
            self.numbers,
            lambda: self.z3_plain(self.limits.resources[2]),
            lambda: self.words(self.limits.resources[1]),
            lambda: self.instances(self.limits.resources[0]),
            self.logged,
            lambda: self.points("many points", third, 3),
        ]
        for stage in stages:
            if monotonic() >= self.until:
                return Unknown(
                    "stopped by the time given for it", "timeout", tuple(self.log), Scope("budget", ("time",))
                )
            result = stage()
            if result is not None:
                return result
        reason = "needs z3" if not z3_.AVAILABLE else "neither proved nor refuted within the limits of the effort"
        if any(stage.outcome == z3_.STOPPED for stage in self.log):
            reason = z3_.STOPPED
        where = scope(self.query, self.bounds(), self.countable(), self.limits, z3_.AVAILABLE)
        return Unknown(reason, self.log[-1].name, tuple(self.log), where)

    # --- the stages

    def points(self, name: str, count: int, seed: int) -> Refuted | None:
        count = min(count, self.left // self.judge.nodes)
        self.left -= count * self.judge.nodes
        model = search(self.judge, self.sampler, count, seed)
        if model is None:
            self.note(name, f"{count} points, no counterexample")
            return None
        return self.refuted(name, model)

    def normal_form(self) -> Proved | None:
        if normal.proves(self.claim, self.context):
            return self.proved("normal form", "the claim is the constant true")
        if self.other is not None and normal.proves(self.other, self.context):
            return self.proved("normal form", "the claim is the constant true, quotients of bits as they stand")
        self.note("normal form", "open")
        return None

    def differences(self) -> Proved | None:
        if by_differences(self.claim, self.given):
            return self.proved("differences", "a chain of assumptions")
        return None

    def residues(self) -> Proved | None:
        cases = by_residues(self.claim, self.context)
        if not cases and (found := generalised(self.claim, self.context)) is not None:
            cases = by_residues(*found)
        for common, context in () if cases else without_repetition(self.asked, self.context):
            claim = opened(common, context)
            if normal.proves(claim, context):
                return self.proved("residues", "the claim is true whatever a part of it that repeats is")
            cases = cases or by_residues(claim, context)
        self.general = None if cases else without_repetitions(self.asked, self.context)
        if self.general is not None:
            claim, context = opened(*self.general), self.general[1]
            if normal.proves(claim, context):
                return self.proved("residues", "the claim is true whatever parts of it that repeat are")
            cases = by_residues(claim, context)
        if cases:
            return self.proved("residues", f"the normal form shows each of {cases} cases")
        self.note("residues", "nothing to split, or open")
        return None

    def all_points(self, most: int | None = None) -> Answer | None:
        """If ``most`` is given: of at most so many nodes at all points together, and nothing is said of more."""
        size = domain(self.sampler)
        if most is not None and (size is None or size * self.judge.nodes > most):
            return None
        if size is None or size > min(self.limits.domain, self.left // self.judge.nodes):
            self.note("all points", "too many")
            return None
        self.left -= size * self.judge.nodes
        try:
            model = by_points(self.judge, self.sampler)
        except TooLarge:
            self.note("all points", "a value is too large to compute")
            return None
        if model is not None:
            return self.refuted("all points", model)
        return self.proved("all points", f"all {size} points that the assumptions leave")

    def countable(self) -> int | None:
        """How many points there are, if the nodes that a question may evaluate suffice for them all."""
        size = domain(self.sampler)
        first = self.limits.points[0]
        return None if size is None or (first + size) * self.judge.nodes > MAX_EVALUATED else size

    def z3(self, name: str, context: Context, resources: int) -> Answer | None:
        if not z3_.AVAILABLE or not resources or (context is self.context and name == "z3 in digits"):
            self.note(name, "skipped")
            return None
        reading = Normal(Atoms(context.facts))
        formulas = question(self.claim, context, reading)
        if len(formulas) > MAX_FORMULAS:
            self.note(name, TOO_MANY)
            return None
        return self.solved(name, z3_.solve(formulas, resources, self.sampler.booleans, until=self.until), context)

    def z3_general(self) -> Proved | None:
        """The question whatever parts of it that repeat are: a proof of that is one of it, and nothing else is."""
        if self.general is None or not z3_.AVAILABLE or not self.limits.resources[0]:
            return None
        name, (claim, context) = "z3 without parts that repeat", self.general
        formulas = question(opened(claim, context), context, Normal(Atoms(context.facts)))
        if len(formulas) <= MAX_FORMULAS:
            found = z3_.solve(formulas, self.limits.resources[0], self.sampler.booleans, until=self.until)
            if found == "unsat":
                return self.proved(name, "no counterexample exists")
        self.note(name, "open")
        return None

    def z3_plain(self, resources: int) -> Answer | None:
        name = "z3 on the plain expression"
        if not z3_.AVAILABLE or not resources:
            self.note(name, "skipped")
            return None
        original = Context(hypotheses=self.given)
        if self.query.fits is not None or self.query.division == "assume":
            original = self.context
        formulas = question(self.claim, original, Plain())
        if len(formulas) > MAX_FORMULAS:
            self.note(name, TOO_MANY)
            return None
        return self.solved(name, z3_.solve(formulas, resources, self.sampler.booleans, "QF_NIA", self.until), original)

    def words(self, resources: int) -> Answer | None:
        """The question as it came, over words that hold every value in it."""
        name, query = "z3 on words", self.query
        if not z3_.AVAILABLE or not resources:
            return None
        claim = query.claim
        needed = [] if query.division == "require" else conditions(claim)
        if query.fits is not None or query.division == "require":
            claim, needed = obligation(claim, query.fits, query.division), []
        given = [each for part in query.assumptions for each in (*conditions(part), part)]
        parts, bounds = [*given, *needed, Not(claim)], self.bounds()
        if interesting((query.claim, *query.assumptions)):
            found = words(parts, bounds)
            some = [*needed, Not(claim)]
            if found is None and given:  # what is proved under fewer assumptions holds
                found = words(some, bounds)
            else:
                some = parts
            if found is not None:
                answer = self.solved(name, z3_.solve_words(some, *found, resources, self.until), NOTHING_DIGESTED)
                if answer is not None:
                    return answer
        near = next((window for window in WINDOWS if words(parts, bounds, window) is not None), None)
        for window in (near, WIDE):
            found = None if window is None else words(parts, bounds, window)
            if found is not None:
                model = z3_.solve_words(parts, *found, resources // 2, self.until)
                if isinstance(model, dict) and (answer := self.solved(name, model, NOTHING_DIGESTED)) is not None:
                    return answer
                self.note(name, f"no counterexample within {window} of an end or of 0")
        return None

    def instances(self, resources: int) -> Answer | None:
        """Each of few values of the symbols that make the question hard, or some of many."""
        name, query = "instances", self.query
        names = hard((query.claim, *query.assumptions)) if resources and z3_.AVAILABLE else ()
        if not names:
            return None
        chosen, complete = values(names, self.bounds())
        for each in chosen:
            by = {n: integer(v) for n, v in zip(names, each)}
            found = self.instance(by, min(resources // 4, 4 * resources // len(chosen)))
            if isinstance(found, Refuted):
                model = {**found.model, **dict(zip(names, each))}
                env = {n: model.get(n, 0) for n in query.symbols()}
                if self.judge.refuted(env):
                    return self.refuted(name, env)
            if not isinstance(found, Proved):
                complete = False
        if complete and chosen:
            return self.proved(name, f"each of {len(chosen)} values of {len(names)} symbols")
        self.note(name, f"{len(chosen)} values, open")
        return None

    def instance(self, by: Mapping[str, PrimExpr], resources: int) -> Answer | None:
        """The question with values for some symbols, by few stages."""
        claim, *given = (replaced(e, by) for e in (self.query.claim, *self.query.assumptions))
        query = replace(self.query, claim=claim, assumptions=tuple(given))
        part = _Attempt.of(query, Context().assuming(*map(opened, given)), self.limits, self.judge.nodes)
        part.left, part.until, part.within = self.left // MAX_TRIED, self.until, True
        if part.context.absurd:
            return part.proved("assumptions", "they hold nowhere here")
        return (
            part.points("points", FEW, 1)
            or part.normal_form()
            or part.z3("z3 on the normal form", part.context, resources)
            or part.words(resources)
        )

    def numbers(self) -> Refuted | None:
        """Points at the numbers of the question."""
        if not self.limits.resources[0]:
            return None
        limit = min(MAX_POINTS, self.left // self.judge.nodes)
        self.left -= limit * self.judge.nodes
        for env in points((self.query.claim, *self.query.assumptions), self.judge.dtypes, limit):
            if self.judge.refuted(env):
                return self.refuted("numbers", env)
        self.note("numbers", f"{limit} points, no counterexample")
        return None

    def logged(self) -> Proved | None:
        """By a log that the checker accepts."""
        # few questions come here, and nothing else loads it
        from refrelax.shape_solver.prooflog.elaborate import FIRST, prooflog

        if measure(self.asked)[0] <= MAX_LOGGED and prooflog(self.query, "quick", FIRST) is not None:
            return self.proved("log", "an absurdity, by a log that the checker accepts")
        self.note("log", "none found")
        return None

    def bounds(self) -> dict[str, tuple[int | None, int | None]]:
        """What is known of the symbols of the question."""
        return bounds_in(self.context, self.query.symbols())

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
        if self.within or not self.query.assumptions or admissible(self.judge, self.sampler):
            return False
        if not z3_.AVAILABLE:
            return False
        formulas = known(self.context, Plain())
        return z3_.solve(formulas, LIMITS["normal"].resources[0], self.sampler.booleans) == "unsat"


def bounds_in(context: Context, symbols: Mapping[str, str]) -> dict[str, tuple[int | None, int | None]]:
    """What ``context`` knows of ``symbols``, given with their dtypes."""
    atoms = Atoms(context.facts)
    images = {name: context.image(SymVar(name, dtype)) for name, dtype in symbols.items()}
    return {name: interval(normal_form(image, atoms), atoms) for name, image in images.items()}


def admissible(judge: Judge, sampler: Sampler) -> bool:
    """Whether one of a few points satisfies the assumptions."""
    for env in sampler.points(Random(0), 64):
        try:
            if judge.admits(env):
                return True
        except TooLarge:
            continue
    return False
