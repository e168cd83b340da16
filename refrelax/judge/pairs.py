"""Two programs with one entry, run side by side: on arguments, and over unknown elements at given extents."""

from __future__ import annotations

import random
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from math import isfinite, prod
from time import perf_counter
from typing import Any

from refrelax.errors import Ended, Exhausted, Returned, Trapped, UsageError
from refrelax.judge.bad_calls import erased, refused
from refrelax.judge.counting import closed, nothing_given
from refrelax.judge.evidence import Counterexample, Refuted
from refrelax.judge.extents import MOST_NAMED, choose, further, not_negative, rounds, satisfying
from refrelax.judge.first_binding import first_other_binding
from refrelax.judge.inputs import Kind, Named, kinds, literals, made
from refrelax.judge.outcomes import Difference, Externs, Reference, copies, cores, observed, short
from refrelax.judge.promised_extents import Promised, promised
from refrelax.judge.report import Open
from refrelax.judge.sessions import other_when_called_again, records
from refrelax.judge.tally import NOTHING, Tally
from refrelax.judge.terms import TermComparison
from refrelax.running.run import inward, parameter_types, run
from refrelax.semantics.budget import Budget, Meter
from refrelax.semantics.graph.evaluate import Interpreter
from refrelax.semantics.graph.link import link
from refrelax.semantics.numbers.bounds import EXTREME_IDENTITY, ZERO_SIGN
from refrelax.semantics.numbers.exact import Unsupported
from refrelax.semantics.numbers.symbolic import Symbolic
from refrelax.semantics.types.checked import CheckedModule
from refrelax.semantics.values import TensorValue, from_payloads
from refrelax.semantics.world import AmongStrangers
from refrelax.syntax import bits, dtypes
from refrelax.syntax.graph import Function
from refrelax.syntax.module import Module
from refrelax.syntax.scalars import PrimExpr, SymVar, as_int
from refrelax.syntax.types import AnyType, DTensorType, PrimType, ShapeType, TensorType, TupleType, Type
from refrelax.testing.arguments import parameters

BUDGET = Budget(steps=20_000_000, elements=20_000_000)
"""Enough for small shapes; a program that needs more gives no verdict."""

MOST_DRAWS = 20
"""How often extents are drawn again that the signature or an assumption refuses."""

SMALL_BUDGET = Budget(steps=3_000_000, elements=3_000_000)
"""For shapes where a proof failed, which need not be small."""

MOST_UNKNOWN = 300_000
"""Elements of arguments, each of which is an unknown of its own where terms are compared."""

MOST_ELEMENTS = 4_000_000
"""How many elements arguments may have that are made up: more take longer to make than a run may take."""

MOST_EXHAUSTED = 2
"""After so many runs that a budget ended, with none that was not, no more are tried."""

LARGE: tuple[Kind, ...] = ("special", "literals")

STARTS = frozenset({EXTREME_IDENTITY, ZERO_SIGN})
"""Relaxations that leave finite numbers other than zero as they are."""

Permits = Callable[[Mapping[str, int]], bool]


class Late(Exception):
    """The time for runs is over."""


class Incomparable(Exception):
    """The first program gives something that nothing can be held against."""


@dataclass(slots=True)
class Pair:
    """``relax``: named relaxations that are on; ``permits``: whether the caller's assumptions, ``claims``, hold at some
    extents; ``deadline``: on ``perf_counter``."""

    first: CheckedModule
    second: CheckedModule
    entry: str
    externs: Externs
    symbols: tuple[str, ...]
    relax: frozenset[str] = frozenset()
    permits: Permits = lambda dims: True
    deadline: float | None = None
    claims: tuple[PrimExpr, ...] = field(default=(), kw_only=True)
    budget: Budget = BUDGET
    tally: Tally = NOTHING
    cases: int = 0
    excluded: int = 0
    undecided: int = 0
    exhausted: int = 0
    permitted: bool = False
    """Whether some extents satisfied the caller's assumptions."""
    refused: str = ""
    """Why arguments could not be made up."""
    silent: str = ""
    """That a run gave nothing to anyone, in words."""
    named: Named = field(init=False)
    promised: Promised = field(init=False)
    records: bool = field(init=False)
    """Whether the second program keeps something from one call to the next."""
    before: Reference | None = None
    """The call before, for such a program."""

    def __post_init__(self) -> None:
        self.named = literals((self.first.module, self.second.module))
        self.promised = promised(self.first.module, self.entry)
        self.records = records(self.second.module)

    # --- runs --------------------------------------------------------------------------------------------------------

    def arguments(self, dims: Mapping[str, int], seed: int, policy: Kind) -> list[Any] | None:
        """Arguments at some extents; ``None`` where the assumptions or the signature refuse these."""
        if not self.permits(dims):
            return None
        self.permitted = True
        if (count := self._elements(dims)) > MOST_ELEMENTS:
            self.refused = f"the arguments have {count} elements: too many for a run"
            return None
        try:
            return made(self.first.module, self.entry, seed, dims, policy, self.named)
        except UsageError as problem:
            self.refused = str(problem)
            return None

    def _elements(self, dims: Mapping[str, int]) -> int:
        """How many elements the arguments have."""
        return sum(_count(t, dims) for _, t in parameters(self.first.module, self.entry))

    def test(self, seed: int, count: int, enough: bool = False) -> Refuted | None:
        """Run both on random arguments, ``count`` rounds; the first difference that is not permitted refutes.
        ``enough``: stop when something of every result has been compared."""
        number, policies = 0, kinds(self.first.module, self.entry)
        for k, (kind, dims) in enumerate(rounds(self.symbols, seed, count, self.named["int"])):
            if k % 2:  # every other round goes as far as the first program's promises let it
                dims = self._assumed(self.promised.kept(dims, MOST_NAMED if kind == "large" else 0), seed + k)
            for policy in policies if kind != "large" else LARGE:
                number += 1
                drawn = self._drawn(dims, seed + number, policy)
                if drawn is None:
                    continue
                found = self.compare(*drawn, policy)
                if found is not None:
                    return found
                if enough and self.tally.compared and self.tally.blank is None:
                    return None
                if self.exhausted >= MOST_EXHAUSTED and not self.cases:
                    return None
        return None

    def _drawn(self, dims: dict[str, int], seed: int, policy: Kind) -> tuple[list[Any], dict[str, int]] | None:
        rng = random.Random(seed)
        if self.claims and not self.permits(dims):
            dims = satisfying(dims, self.claims, rng) or dims
        for _ in range(MOST_DRAWS):
            args = self.arguments(dims, seed, policy)
            if args is not None:
                return args, dims
            dims = {name: value + rng.randint(0, 3) for name, value in choose("any", self.symbols, rng).items()}
        return None

    def _assumed(self, dims: dict[str, int], seed: int) -> dict[str, int]:
        """Extents at which what the first program assumes holds, if such are found: all others are open."""
        if self.promised.hold(dims):
            return dims
        claims = (*self.claims, *self.promised.assumed, *not_negative(parameter_types(self.first.module, self.entry)))
        return satisfying(dims, claims, random.Random(seed)) or dims

    def limits(self, budget: Budget | None = None) -> Budget:
        """What a run may take: no more time than is left."""
        return replace(self.budget if budget is None else budget, until=self.deadline)

    def further(self, seed: int) -> Refuted | None:
        """A difference at shapes that no round has, before all values at a few are said to be equal."""
        before = self.exhausted
        for dims in further(self.symbols, self.named["int"]):
            if (found := self.at(dims, seed, ("dyadic",))) is not None:
                return found
            if self.exhausted - before >= MOST_EXHAUSTED:
                break  # (what follows is larger)
        return None

    def at(
        self, dims: Mapping[str, int], seed: int, policies: Sequence[Kind] = ("integer", "special")
    ) -> Refuted | None:
        """A difference at one shape, given in part."""
        self.budget = SMALL_BUDGET
        whole = {name: 2 + k for k, name in enumerate(self.symbols)}
        whole.update((name, k) for name, k in dims.items() if name in self.symbols)
        for policy in policies:
            args = self.arguments(whole, seed, policy)
            if args is not None and (found := self.compare(args, whole, policy)) is not None:
                return found
        return None

    def compare(self, args: Sequence[Any], dims: Mapping[str, int], policy: Kind | None = None) -> Refuted | None:
        """One run of each, counted; the difference, if there is one. Raises ``Late``, ``Incomparable``."""
        if self.deadline is not None and perf_counter() > self.deadline:
            raise Late
        reference = Reference(self.first, self.entry, args, self.externs, self.limits())
        if reference.open:
            self.excluded += 1
            self.exhausted += isinstance(reference.outcome, Exhausted)
            self.tally += reference.compare(reference.outcome)[1]
            return None
        wanted = reference.outcome
        if isinstance(wanted, Returned):
            if (why := closed(wanted, self.first, self.entry)) is not None:
                raise Incomparable(why)
            self.silent = nothing_given(wanted, self.first, self.entry) or self.silent
        found = run(self.second, self.entry, *copies(args), externs=self.externs, budget=self.limits())
        self.exhausted += isinstance(found, Exhausted)
        judged, tally = reference.compare(found)
        if isinstance(judged, Difference):
            if self.relax and not judged.structural and self._explained(args, reference.outcome, found, policy):
                judged, tally = "undecided", replace(tally, outside=0, undecided=max(1, tally.outside))
            else:
                binding = first_other_binding(self.first, self.second, self.entry, reference)
                example = Counterexample(
                    tuple(args), dict(dims), judged.message, reference.outcome, found, judged.field, binding
                )
                return Refuted(dict(dims), (), example, tally=self.tally + tally)
        if self.records and (refuted := self._again(reference, dims)) is not None:
            return refuted
        self.tally += tally
        self.cases += judged != "excluded"
        self.excluded += judged == "excluded"
        self.undecided += judged == "undecided"
        return None

    def _again(self, reference: Reference, dims: Mapping[str, int]) -> Refuted | None:
        """Several calls in one session, for a second program that keeps something from call to call."""
        calls = [reference, self.before or reference, reference]
        self.before = reference
        other = other_when_called_again(self.second, self.entry, calls, self.externs, self.limits())
        if other is None:
            return None
        wanted, judged, found = other
        example = Counterexample(tuple(wanted.args), dict(dims), judged.message, wanted.outcome, found, judged.field)
        return Refuted(dict(dims), (), example, tally=self.tally)

    def bad_calls(self, seed: int) -> Refuted | None:
        """Arguments that the first signature refuses, for a second program that takes anything: it must trap alike."""
        ours = parameter_types(self.first.module, self.entry)
        annotated = [t or AnyType() for t in ours]
        if not erased(ours, _annotations(self.second.module, self.entry)):
            return None
        drawn = self._drawn({name: 2 + k for k, name in enumerate(self.symbols)}, seed, "dyadic")
        if drawn is None:
            return None
        (args, dims), late = drawn, 0
        for given in refused(args, annotated):
            wanted = run(self.first, self.entry, *copies(given), externs=self.externs, budget=self.limits())
            if not isinstance(wanted, Trapped):
                continue
            found = run(self.second, self.entry, *copies(given), externs=self.externs, budget=self.limits())
            if isinstance(found, Exhausted):
                late += 1
                if late >= MOST_EXHAUSTED:
                    return None
                continue
            self.cases += 1
            if not (isinstance(found, Trapped) and found.rule == wanted.rule):
                message = f"the first ends as {short(wanted)}, the second as {short(found)}"
                example = Counterexample(tuple(given), dict(dims), message, wanted, found)
                return Refuted(dict(dims), (), example, tally=self.tally)
        return None

    def _explained(self, args: Sequence[Any], before: Any, after: Any, policy: Kind | None) -> bool:
        """Whether a relaxation that is on may be why two results differ."""
        if self.relax <= STARTS and policy in ("dyadic", "integer", "normal") and _finite_difference(before, after):
            return False
        ours, theirs = self._exact(self.first, args), self._exact(self.second, args)
        return ours is None or theirs is None or ours == theirs

    def _exact(self, checked: CheckedModule, args: Sequence[Any]) -> list[Any] | None:
        """The elements of a run without rounding: reassociation and its kin change nothing there."""
        try:
            found = run(
                checked, self.entry, *copies(args), numerics="exact", externs=self.externs, budget=self.limits(BUDGET)
            )
        except (Unsupported, ArithmeticError):
            return None
        return (
            None
            if not isinstance(found, Returned)
            else [*_payloads(cores(found.value)), *_payloads(cores(found.arguments))]
        )

    # --- all values at a few shapes ----------------------------------------------------------------------------------

    @property
    def one_shape(self) -> bool:
        """Whether terms at one shape say everything: the entry has no symbols, and the second program neither keeps
        something from one call to the next nor takes anything where the first one's parameters say something, be it in
        its checks."""
        ours = parameter_types(self.first.module, self.entry)
        return not self.symbols and not self.records and not erased(ours, _annotations(self.second.module, self.entry))

    def equal_terms(self, seed: int, until: float | None = None) -> TermProof | None:
        """The shapes at which both programs give the same terms; ``None`` as soon as one is not decided. ``until``: the
        time for it, on ``perf_counter``.

        Every element of an argument is unknown there, and nothing else is: where an argument is a scalar, or a shape
        that its type does not tell, one value of it shows nothing of the others.
        """
        if any(_further(name, type_, self.symbols) for name, type_ in parameters(self.first.module, self.entry)):
            return None
        proof = TermProof()
        for kind in ("different", "some ones") if self.symbols else ("different",):
            dims = dict(next(d for k, d in rounds(self.symbols, seed, 6) if k == kind) if self.symbols else {})
            if self._elements(dims) > MOST_UNKNOWN:
                return None
            drawn = self._drawn(dims, seed, "integer")
            if drawn is None:
                return None
            args, dims = drawn
            if not self._terms_equal(args, proof, until):
                return None
            proof.shapes.append(dims)
        return proof

    def _terms_equal(self, args: Sequence[Any], proof: TermProof, until: float | None) -> bool:
        """Whether the terms at one shape are equal. Where an operator of the second program may compute an element in
        several ways, the first one has the same choice; or the second has none, and the first computes it the one way
        that is tried."""
        if self.deadline is not None and perf_counter() > self.deadline:
            raise Late
        reading = Symbolic(choices="named")
        limits = replace(self.limits(BUDGET), until=until or self.deadline)
        try:
            theirs = self._symbolic_run(self.second, args, reading, limits)
            chose = reading.chose
            if reading.settled:
                return False  # a number that the second program may compute in several ways
            ours = self._symbolic_run(self.first, args, reading, limits)
            comparison = TermComparison(reading, self.relax)
            equal = comparison.values(ours, theirs)
            if not equal and not chose and reading.chose:
                reading.choices = "first"
                ours = self._symbolic_run(self.first, args, reading, limits)
                comparison = TermComparison(reading, self.relax)
                equal = comparison.values(ours, theirs)
        except Ended:
            return False
        proof.relaxations |= comparison.relaxations
        rules = tuple(Open(rule, count=n) for rule, n in comparison.open.items())
        open_ = sum(comparison.open.values())
        proof.tally += Tally(comparison.compared, excluded=open_, runs=1, open=rules, results=comparison.results)
        return equal

    def _symbolic_run(self, checked: CheckedModule, args: Sequence[Any], reading: Symbolic, limits: Budget) -> Any:
        """The entry's result (for a PrimFunc: its arguments afterwards) over unknown elements."""
        link(checked, self.entry, self.externs)
        types = parameter_types(checked.module, self.entry)
        values = [
            _unknown(inward(arg, type_, reading), f"argument {k}", reading)
            for k, (arg, type_) in enumerate(zip(args, types, strict=True))
        ]
        interpreter = Interpreter(checked.module, reading, Meter.of(limits), world=AmongStrangers())
        result = interpreter.call_global(self.entry, values)
        if interpreter.effects:
            raise Ended(self._no_effects())
        return (result, values)

    def _no_effects(self) -> Any:
        from refrelax.errors import Unspecified

        return Unspecified("num/undetermined", "effects are compared by runs alone")


@dataclass(slots=True)
class TermProof:
    """What equal terms show. ``tally``: elements of results that are equal, and that the first leaves open."""

    shapes: list[dict[str, int]] = field(default_factory=list)
    relaxations: set[str] = field(default_factory=set)
    tally: Tally = NOTHING


def _count(type_: Type, dims: Mapping[str, int]) -> int:
    """The elements of a value of a type; an extent that is computed counts as one."""
    match type_:
        case TensorType(shape=tuple() as shape):
            known = (dims.get(d.name, 1) if isinstance(d, SymVar) else as_int(d) for d in shape)
            return prod(1 if k is None else k for k in known)
        case TupleType(fields=fields):
            return sum(_count(each, dims) for each in fields)
        case _:
            return 0


def _annotations(module: Module, entry: str) -> list[Type | None]:
    """The parameters of a graph-level function as they are annotated."""
    function = module.functions[entry]
    return [p.type for p in function.params] if isinstance(function, Function) else []


def _further(name: str, type_: Type, symbols: Sequence[str]) -> bool:
    """Whether values of a type differ in more than their elements and the symbols of the signature."""
    match type_:
        case TensorType(shape=tuple(), dtype=str()) | ShapeType(values=tuple()):
            return False
        case DTensorType(tensor=tensor):
            return _further(name, tensor, symbols)
        case TupleType(fields=fields):
            return any(_further("", each, symbols) for each in fields)
        case PrimType():
            return name not in symbols
        case _:
            return True


def _unknown(value: Any, name: str, reading: Symbolic) -> Any:
    """A value with every tensor element replaced by a variable."""
    if isinstance(value, tuple):
        return tuple(_unknown(each, f"{name}[{k}]", reading) for k, each in enumerate(value))
    if not isinstance(value, TensorValue):
        return value
    cells = [reading.variable(f"{name}{list(index)}", value.dtype) for index in value.indices()]
    return from_payloads(reading, value.dtype, value.shape, cells)


def _payloads(value: Any) -> list[Any]:
    if isinstance(value, tuple):
        return [p for each in value for p in _payloads(each)]
    return list(value.payloads()) if isinstance(value, TensorValue) else [value]


def _finite_difference(before: Any, after: Any) -> bool:
    """Whether two results differ in an element that is finite and not zero on both sides."""
    for _, a, b in observed(before, after):
        x, y = cores(a), cores(b)
        if isinstance(x, TensorValue) and isinstance(y, TensorValue) and dtypes.is_float(x.dtype):
            for p, q in zip(x.bits(), y.bits(), strict=True):
                if p is not None and q is not None and p != q:
                    u, v = bits.decode(x.dtype, p), bits.decode(x.dtype, q)
                    if u and v and isfinite(u) and isfinite(v):
                        return True
    return False
