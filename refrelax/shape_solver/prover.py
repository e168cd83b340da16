"""``prove`` and ``Prover``: claims through the door, and their answers out of it; what an answer takes is ``prove.py``.

Nothing is kept between calls except in a ``Prover`` of your own.

Spec: ``spec/06b-solver.md``, ``sh/prove``, ``sh/size``.
"""

from __future__ import annotations

import sys
from collections.abc import Iterable, Mapping
from copy import copy
from dataclasses import dataclass, field, replace
from math import inf
from time import monotonic

from refrelax.errors import UsageError
from refrelax.rules import rule
from refrelax.shape_solver import float_atoms, normal
from refrelax.shape_solver.allowance import Allowance
from refrelax.shape_solver.bits import opened
from refrelax.shape_solver.certificate import Certificate
from refrelax.shape_solver.claim import (
    LIMITS,
    OPAQUE,
    Answer,
    Division,
    Effort,
    Proved,
    Query,
    Refuted,
    Stage,
    Unknown,
)
from refrelax.shape_solver.context import Context
from refrelax.shape_solver.core import integer, replaced
from refrelax.shape_solver.defined import conditions
from refrelax.shape_solver.door import MAX_DEPTH, Arithmetic, Door, TooDeep, sort
from refrelax.shape_solver.equations import all_apart, has_bits
from refrelax.shape_solver.given import Assumption, claim_of, claims_of, one_of, refuse, seconds
from refrelax.shape_solver.posed import bounds_in
from refrelax.shape_solver.prove import Attempt
from refrelax.shape_solver.size import NOTHING, Measure, measure, too_large, total
from refrelax.syntax.dtypes import integer_range, is_dtype, is_integer, lanes
from refrelax.syntax.scalars import Not, PrimExpr, SymVar, bool_imm

HEADROOM = 50_000
"""Python frames allowed: what ``fits`` asks of a claim is nested as deep as the claim has steps."""

DRAWN = 6
"""What drawing the value of one symbol counts as, in evaluated nodes."""

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
    _measured: tuple[PrimExpr, Measure] | None = None

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
        self.door.settled()

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
        """The answer to a question or to the same one with other numbers, of which the same ones are opaque: a
        counterexample has no values for those, and whether they are defined is not known."""
        renamed, names = _renamed(query)
        key = (renamed, frozenset(names[name] for name in self.door.guessed & names.keys()))
        known = self._answers.get(key)
        if known is not None:
            self.hits += 1
            return _restored(known, query, names)
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
            UsageError: it is too large.
        """
        found = self._entered(claim_of(claim))
        if isinstance(found, str):
            raise UsageError(f"expected a smaller question, found one that is {found}")
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
        return self._large or too_large(self._measure(e), self._size, deep=False)

    def _measure(self, e: PrimExpr) -> Measure:
        """The size of an expression, which is asked of the same one several times in a row."""
        if self._measured is None or self._measured[0] is not e:
            self._measured = e, measure(e)
        return self._measured[1]

    def inside(self, claim: PrimExpr, allowance: Allowance | None = None) -> Answer:
        """As ``prove``, for a claim that has come through the door of this prover; a model is by number. With an
        ``allowance`` that the question shares with others, its answer is not kept."""
        found = self._query(claim)
        if isinstance(found, str):
            return _refused(found)
        return self._kept(found) if allowance is None else self._answered(found, allowance)

    def _query(self, claim: PrimExpr) -> Query | str:
        fits = None if self.fits is None else integer_range(self.fits)
        return too_large(self._measure(claim), self._size, fits is not None) or Query(
            claim, self._assumptions, fits, self.division
        )

    def _answered(self, query: Query, allowance: Allowance | None = None) -> Answer:
        nodes = self._measure(query.claim)[0] + self._size[0] + DRAWN * len(query.symbols())
        try:
            attempt = Attempt.of(query, self.context, LIMITS[self.effort], nodes)
            attempt.allowance = allowance or attempt.allowance
            attempt.until = inf if self.timeout is None else monotonic() + self.timeout
            answer = attempt.answer()
        except RecursionError:  # the obligations of a question can be deeper than the question
            return _refused(TOO_DEEP)
        guessed = self.door.guessed & query.symbols().keys() if self.door.opaque else frozenset()
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


def _restored(answer: Answer, query: Query, names: dict[str, str]) -> Answer:
    match answer:
        case Refuted():
            return Refuted({name: answer.model[number] for name, number in names.items()}, answer.stages)
        case Proved(certificate):
            return replace(answer, certificate=replace(certificate, query=query))
        case _:
            return answer
