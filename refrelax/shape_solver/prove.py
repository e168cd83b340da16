"""One question on its way through the stages, in order.

Each stage costs more than the one before it and most questions end in the first two (``Attempt.answer`` is the order).
Limits are counts; a clock only stops the loops of Z3 that count nothing (``z3_.STOPPED``, and the log says so).
``prover.py`` asks; ``posed.py`` is what a stage finds.

Spec: ``spec/06b-solver.md``, ``sh/prove``.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from time import monotonic

from refrelax.rules import rule
from refrelax.semantics.dims.atoms import Atoms
from refrelax.shape_solver import normal, z3_
from refrelax.shape_solver.allowance import ASKED, BUILT, CARRIES, FEWEST, FORM, KEPT, LOG, SPENT, NothingLeft
from refrelax.shape_solver.axioms import Node
from refrelax.shape_solver.bits import opened
from refrelax.shape_solver.carries import MAX_BITS, Found, decided
from refrelax.shape_solver.cases import (
    by_points,
    by_residues,
    domain,
    generalised,
    without_repetition,
    without_repetitions,
)
from refrelax.shape_solver.choices import by_choices, by_own_points, by_seen_points, seen_bounds
from refrelax.shape_solver.claim import (
    Answer,
    Proved,
    Refuted,
    Scope,
    Unknown,
)
from refrelax.shape_solver.classes import scope
from refrelax.shape_solver.context import Context
from refrelax.shape_solver.core import integer, names_in
from refrelax.shape_solver.counts import by_counts, by_few, by_lengths
from refrelax.shape_solver.differences import by_differences
from refrelax.shape_solver.digits import digits
from refrelax.shape_solver.encode import Normal, Plain, TooMany, question
from refrelax.shape_solver.equations import has_bits
from refrelax.shape_solver.evaluate import TooLarge
from refrelax.shape_solver.instances import points
from refrelax.shape_solver.posed import Posed, admitted
from refrelax.shape_solver.powers import divided
from refrelax.shape_solver.refute import search
from refrelax.shape_solver.signs import by_range
from refrelax.shape_solver.size import measure
from refrelax.shape_solver.subquestions import by_divisors, by_parts, by_values
from refrelax.shape_solver.vectors import interesting, words
from refrelax.syntax.scalars import Binary, PrimExpr, SymVar

WINDOWS = (500, 40, 8)
"""How far counterexamples are looked for in words where values have no bounds; the first that fits into a word."""

FIRST = 12
"""Points that are looked at before anything else: what the normal form shows needs no more, and four of five claims
that points refute are refuted there."""

WIDE = 1 << 14
"""And how far after that."""

FEW = 60
"""Points of one instance."""

AT_ONCE = 100_000
"""Nodes at all points together that are evaluated before anything is split: at most some 10 ms."""

MAX_POINTS = 3_000
"""Points at the numbers of a question."""

MAX_LINE = 8_000
"""Points of a claim about one symbol."""

MAX_FORMULAS = 6_000

TOLD = 3
"""How often a formula costs what it costs to build it: made, and told twice to Z3."""

MAX_LOGGED = 200
"""Nodes of a claim, its obligations included, for which a log is tried."""

MAX_QUESTION = 1_000
"""And of the whole question."""

BELOW = 4
"""How much less of ``sh/carries`` a case of another question gets."""

TOO_MANY = f"more than {MAX_FORMULAS} formulas"

NOTHING_DIGESTED = Context()


@dataclass(slots=True)
class Attempt(Posed):
    """One question on its way through the stages."""

    @rule("sh/prove")
    def answer(self) -> Answer:
        """The stages, in order, up to the first that decides."""
        if self.context.absurd:
            return self.proved("assumptions", "they hold nowhere, or the claim is defined nowhere", vacuous=True)
        first, second, third = self.limits.points
        stages: list[Callable[[], Answer | None]] = [
            lambda: self.points("points", FIRST, 1),
            self.differences,
            self.normal_form,
            lambda: self.points("points", first - FIRST, 1, FIRST),
            lambda: self.all_points(AT_ONCE),
            self.in_digits,
            self.residues,
            self.ranges,
            self.all_points,
            self.own_points,
            self.carries,
            lambda: self.points("more points", second, 2),
            lambda: self.z3("z3 on the normal form", self.context, self.limits.resources[0]),
            self.z3_general,
            lambda: self.others(by_divisors),
            lambda: self.others(by_parts),
            lambda: self.others(by_counts),
            lambda: self.others(by_few),
            lambda: self.z3("z3 in digits", digits(self.claim, self.context), self.limits.resources[1]),
            self.numbers,
            lambda: by_seen_points(self),
            lambda: self.others(by_choices),
            lambda: self.z3_plain(self.limits.resources[2]),
            lambda: self.words(self.limits.resources[3]),
            self.by_signs,
            lambda: self.others(by_values),
            lambda: self.others(by_lengths),
            self.line,
            self.logged,
            lambda: self.points("many points", third, 3),
        ]
        for stage in stages:
            if monotonic() >= self.until:
                return Unknown(
                    "stopped by the time given for it", "timeout", tuple(self.log), Scope("budget", ("time",))
                )
            try:
                result = stage()
            except NothingLeft:
                self.note("other questions", SPENT)
                continue
            if result is not None:
                return result
        reason = "needs z3" if not z3_.AVAILABLE else "neither proved nor refuted within the limits of the effort"
        if self.allowance.short:
            reason = SPENT
        if any(stage.outcome == z3_.STOPPED for stage in self.log):
            reason = z3_.STOPPED
        where = scope(self.query, self.bounds(), self.countable(), self.limits, z3_.AVAILABLE)
        return Unknown(reason, self.log[-1].name, tuple(self.log), where)

    # --- the stages

    def points(self, name: str, count: int, seed: int, after: int = 0) -> Refuted | None:
        """At ``count`` points of a sequence, from one of them on."""
        count = self.allowance.points(count, self.judge.nodes)
        model = search(self.judge, self.sampler, count, seed, after)
        if model is None:
            self.note(name, f"{count} points, no counterexample")
            return None
        return self.refuted(name, model)

    def shows(self, claim: PrimExpr, context: Context) -> bool:
        """Whether the normal form shows ``claim``, a form of this question's, as far as it can be paid for."""
        spent = normal.Spent(self.allowance.left)
        found = spent.most > 0 and normal.proves(claim, context, spent)
        self.allowance.spend(spent.work + FORM * self.judge.nodes)
        self.allowance.short = self.allowance.short or spent.work >= spent.most
        return found

    def normal_form(self) -> Proved | None:
        if self.shows(self.claim, self.context):
            return self.proved("normal form", "the claim is the constant true")
        if self.other is not None and self.shows(self.other, self.context):
            return self.proved("normal form", "the claim is the constant true, quotients of bits as they stand")
        self.note("normal form", "open")
        return None

    def differences(self) -> Proved | None:
        if by_differences(self.claim, self.given):
            return self.proved("differences", "a chain of assumptions")
        return None

    def residues(self) -> Proved | None:
        cases = by_residues(self.claim, self.context, self.shows)
        if not cases and (found := generalised(self.claim, self.context)) is not None:
            cases = by_residues(*found, self.shows)
        for common, context in () if cases else without_repetition(self.asked, self.context):
            claim = opened(common, context)
            if self.shows(claim, context):
                return self.proved("residues", "the claim is true whatever a part of it that repeats is")
            cases = cases or by_residues(claim, context, self.shows)
        self.general = None if cases else without_repetitions(self.asked, self.context)
        if self.general is not None:
            claim, context = opened(*self.general), self.general[1]
            if self.shows(claim, context):
                return self.proved("residues", "the claim is true whatever parts of it that repeat are")
            cases = by_residues(claim, context, self.shows)
        if cases:
            return self.proved("residues", f"the normal form shows each of {cases} cases")
        self.note("residues", "nothing to split, or open")
        return None

    def ranges(self) -> Proved | None:
        found = self.by_range(self.context)
        if found is not None:
            claim, context = divided(opened(*found), found[1]), found[1]
            if self.shows(claim, context) or self.shows(claim, digits(claim, context)):
                return self.proved("ranges", "the claim is true whatever its bit operators are within their ranges")
            self.general = self.general or (claim, context)
        return None

    def by_signs(self) -> Proved | None:
        """The stage before it where a symbol is negative, and where it is not."""
        if not has_bits(self.asked):
            return None
        for name, (low, high) in self.bounds().items():
            if (low is None or low < 0) and (high is None or high >= 0):
                if not self.allowance.has(1):
                    return None
                symbol = SymVar(name)
                halves = (Binary("GE", symbol, integer(0)), Binary("LT", symbol, integer(0)))
                if all(self.ranged(self.context.assuming(half)) for half in halves):
                    return self.proved("ranges", "the same, for each sign of a symbol")
        return None

    def by_range(self, context: Context) -> tuple[PrimExpr, Context] | None:
        spent = normal.Spent(self.allowance.left)
        found = by_range(self.asked, context, spent)
        self.allowance.spend(spent.work + FORM * self.judge.nodes)
        return found

    def ranged(self, context: Context) -> bool:
        if context.absurd:
            return True
        found = self.by_range(context)
        if found is None:
            return False
        claim, within = divided(opened(*found), found[1]), found[1]
        return within.absurd or self.shows(claim, within)

    def all_points(self, most: int | None = None) -> Answer | None:
        """If ``most`` is given: of at most so many nodes at all points together, and nothing is said of more."""
        size = domain(self.sampler)
        if most is not None and (size is None or size * self.judge.nodes > most):
            return None
        if size is None or size > min(self.limits.domain, self.allowance.nodes // self.judge.nodes):
            self.note("all points", "too many")
            return None
        if self.allowance.points(size, self.judge.nodes) < size:
            self.note("all points", SPENT)
            return None
        try:
            model = by_points(self.judge, self.sampler)
        except TooLarge:
            self.note("all points", "a value is too large to compute")
            return None
        if model is not None:
            return self.refuted("all points", model)
        return self.proved("all points", f"all {size} points that the assumptions leave")

    def own_points(self) -> Proved | None:
        """All points of the symbols of the claim, if it does not have them all."""
        if names_in(self.query.claim) >= self.query.symbols().keys():
            return None
        return by_own_points(self, self.bounds())

    def z3(self, name: str, context: Context, resources: int) -> Answer | None:
        if not z3_.AVAILABLE or not resources or (context is self.context and name == "z3 in digits"):
            self.note(name, "skipped")
            return None
        formulas = self.formulas(name, self.claim, context, Normal(Atoms(context.facts)))
        return self.solved(name, self.asked_z3(formulas, resources), context) if formulas else None

    def formulas(self, name: str, claim: PrimExpr, context: Context, reading: Plain | Normal) -> list[Node] | None:
        """What Z3 is asked, if that can be paid for and is not too much."""
        if not self.allowance.has(FEWEST + KEPT):
            self.note(name, SPENT)
            return None
        reading.most = (self.allowance.left - KEPT) / (TOLD * BUILT)
        try:
            found = question(claim, context, reading)
        except TooMany:
            self.note(name, SPENT)
            self.allowance.short = True
            found = None
        self.allowance.spend(reading.work + BUILT * reading.size)
        if found is not None and len(found) > MAX_FORMULAS:
            self.note(name, TOO_MANY)
            return None
        return found

    def z3_general(self) -> Proved | None:
        """The question whatever parts of it that repeat are: a proof of that is one of it, and nothing else is."""
        if self.general is None or not z3_.AVAILABLE or not self.limits.resources[0]:
            return None
        name, (claim, context) = "z3 without parts that repeat", self.general
        formulas = self.formulas(name, opened(claim, context), context, Normal(Atoms(context.facts)))
        if formulas:
            found = self.asked_z3(formulas, self.limits.resources[0])
            if found == "unsat":
                return self.proved(name, "no counterexample exists")
            self.note(name, found if isinstance(found, str) else "open")
        return None

    def z3_plain(self, resources: int) -> Answer | None:
        name = "z3 on the plain expression"
        if not z3_.AVAILABLE or not resources:
            self.note(name, "skipped")
            return None
        original = Context(hypotheses=self.given)
        if self.query.fits is not None or self.query.division == "assume":
            original = self.context
        formulas = self.formulas(name, self.claim, original, Plain())
        return self.solved(name, self.asked_z3(formulas, resources, "QF_NIA"), original) if formulas else None

    def carries(self) -> Answer | None:
        """The question as it came, bit after bit."""
        if not interesting((self.query.claim, *self.query.assumptions)):
            return None
        parts, needed = self.parts()
        found = self.decided([*parts, *needed])
        if found.outcome == "open" and parts:  # what is proved under fewer assumptions holds
            found = self.decided(needed)
        if isinstance(found.outcome, dict):
            model = {name: found.outcome.get(name, 0) for name in self.query.symbols()}
            if self.judge.refuted(model):
                return self.refuted("carries", model)
        elif found.outcome == "none":
            return self.proved("carries", "no bits of a counterexample exist")
        self.note("carries", "open")
        return None

    def decided(self, parts: list[PrimExpr]) -> Found:
        """Whether integers make all parts hold, within what is left."""
        bits = MAX_BITS // BELOW if self.within else MAX_BITS
        limit = self.allowance.share(bits // CARRIES) * CARRIES
        found = decided(parts, limit) if limit else Found("open")
        self.allowance.spend(found.spent // CARRIES)
        return found

    def words(self, resources: int) -> Answer | None:
        """The question as it came, over words that hold every value in it."""
        name, query = "z3 on words", self.query
        if not z3_.AVAILABLE or not resources:
            return None
        given, some = self.parts()
        parts, bounds = [*given, *some], seen_bounds(self)
        if interesting((query.claim, *query.assumptions)):
            found = words(parts, bounds)
            if found is None and given:  # what is proved under fewer assumptions holds
                found = words(some, bounds)
            else:
                some = parts
            if found is not None:
                model = z3_.solve_words(some, *found, resources, self.until, self.allowance)
                answer = self.solved(name, model, NOTHING_DIGESTED)
                if answer is not None:
                    return answer
        near = next((window for window in WINDOWS if words(parts, bounds, window) is not None), None)
        for window in (near, WIDE):
            found = None if window is None else words(parts, bounds, window)
            if found is not None:
                model = z3_.solve_words(parts, *found, resources // 2, self.until, self.allowance)
                if isinstance(model, dict) and (answer := self.solved(name, model, NOTHING_DIGESTED)) is not None:
                    return answer
                near_by = f"no counterexample within {window} of an end or of 0"
                self.note(name, near_by if model == "unsat" or isinstance(model, dict) else model)
        return None

    def below(self, claim: PrimExpr, given: tuple[PrimExpr, ...]) -> Attempt:
        """Another question that this one asks, within the same allowance.

        Raises:
            NothingLeft: to ``answer``; no stage does anything else with what it can no longer ask.
        """
        if not self.allowance.has(ASKED + LOG):
            raise NothingLeft
        query = replace(self.query, claim=claim, assumptions=given)
        part = Attempt.of(query, Context().assuming(*map(opened, given)), self.limits, self.judge.nodes)
        part.allowance, part.until, part.within = self.allowance, self.until, True
        nodes = self.judge.nodes + sum(measure(e)[0] for e in part.context.hypotheses)
        self.allowance.spend(max(ASKED, FORM * nodes))
        return part

    def briefly(self, resources: int) -> Answer | None:
        """By few stages."""
        if self.context.absurd:
            return self.proved("assumptions", "they hold nowhere here")
        if not self.allowance.has(1):
            return None
        return (
            self.points("points", FEW, 1)
            or self.normal_form()
            or self.carries()
            or self.z3("z3 on the normal form", self.context, resources)
            or self.words(resources)
        )

    def others(self, ask: Callable[[Attempt, int], Answer | None]) -> Answer | None:
        """By other questions."""
        resources = self.limits.resources[0]
        return ask(self, resources) if resources and z3_.AVAILABLE and not self.within else None

    def numbers(self) -> Refuted | None:
        """Points at the numbers of the question."""
        if not self.limits.resources[0]:
            return None
        limit = self.allowance.points(MAX_POINTS, self.judge.nodes)
        for env in points((self.query.claim, *self.query.assumptions), self.judge.dtypes, limit):
            if self.judge.refuted(env):
                return self.refuted("numbers", env)
        self.note("numbers", f"{limit} points, no counterexample")
        return None

    def line(self) -> Refuted | None:
        """A claim about one symbol, at each of the numbers around 0."""
        names = names_in(self.query.claim)
        base = admitted(self.judge, self.sampler)
        if len(names) != 1 or names & self.sampler.booleans or base is None:
            return None
        (name,) = names
        limit = self.allowance.points(MAX_LINE, self.judge.nodes)
        for value in range(limit):
            env = {**base, name: value // 2 if value % 2 else -(value // 2)}
            if self.judge.refuted(env):
                return self.refuted("line", {symbol: env[symbol] for symbol in self.judge.dtypes})
        self.note("line", f"{limit} points, no counterexample")
        return None

    def logged(self) -> Proved | None:
        """By a log that the checker accepts."""
        # few questions come here, and nothing else loads it
        from refrelax.shape_solver.prooflog.elaborate import FIRST, prooflog

        if measure(self.asked)[0] <= MAX_LOGGED and self.judge.nodes <= MAX_QUESTION:
            if self.allowance.share(LOG) < LOG:
                self.note("log", SPENT)
                return None
            self.allowance.spend(LOG)
            if prooflog(self.query, "quick", FIRST) is not None:
                return self.proved("log", "an absurdity, by a log that the checker accepts")
        self.note("log", "none found")
        return None

    def in_digits(self) -> Proved | None:
        context = digits(self.claim, self.context)
        if context is self.context:
            self.note("digits", "nothing to split")
            return None
        if self.shows(self.claim, context):
            return self.proved("digits", "the claim is the constant true in digits")
        self.note("digits", "open")
        return None
