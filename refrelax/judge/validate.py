"""``validate``: does a second program refine a first one?

Cheap refutation first: both run on small shapes, then larger ones, with dyadic, integer, special and ordinary values.
Then proof: for all shapes by congruence (``pointwise``), else for all values at a few shapes, by running both under
the ``symbolic`` reading and comparing terms. What is left was tested.

Refinement has a direction: elements and runs that the first program leaves open may become anything; what only the
second leaves open is a difference.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from refrelax.errors import Ended, Rejection, UsageError
from refrelax.judge.evidence import Counterexample, Equivalent, Proved, ProvedAt, Refuted, Tested, Validation
from refrelax.judge.outcomes import Difference, Externs, Reference, copies
from refrelax.judge.terms import TermComparison
from refrelax.judge.verdicts import NoVerdict
from refrelax.runs import inward, parameter_types, run
from refrelax.semantics.budget import Budget, Meter
from refrelax.semantics.graph.evaluate import Interpreter
from refrelax.semantics.graph.link import link
from refrelax.semantics.numbers.symbolic import Symbolic
from refrelax.semantics.types.check import check
from refrelax.semantics.types.checked import CheckedModule
from refrelax.semantics.values import Tensor as Core
from refrelax.semantics.values import from_payloads
from refrelax.syntax.equal import structural_equal
from refrelax.syntax.module import Module
from refrelax.testing.arguments import Policy, parameters, random_arguments, symbols_of

EXTENTS: tuple[tuple[int, ...], ...] = (
    (2, 3, 5, 4, 7, 6),
    (1, 2, 1, 3, 2, 4),
    (0, 3, 2, 5, 1, 4),
    (4, 0, 2, 5, 1, 3),
    (5, 4, 3, 2, 6, 1),
    (9, 2, 3, 1, 5, 4),
)
"""Extents given to the symbols of a signature, in order, one tuple a round: small first, ones and zeros among them, and
in the end room for every special element."""

POLICIES: tuple[Policy, ...] = ("dyadic", "integer", "normal", "special")

BUDGET = Budget(steps=20_000_000, elements=20_000_000)
"""Enough for small shapes; a program that needs more gives no verdict."""


def validate(
    before: Module | CheckedModule,
    after: Module | CheckedModule,
    entry: str = "main",
    externs: Externs | None = None,
    seed: int = 0,
    rounds: int = len(EXTENTS),
) -> Validation:
    """Whether ``after`` does what ``before`` permits, on the function ``entry``.

    ``rounds``: how many choices of extents are tried (at most six), each with four kinds of values, the last with
    special ones alone.

    Raises:
        Rejection: ``before`` is no checked module.
        UsageError: no such function.
    """
    first = before if isinstance(before, CheckedModule) else check(before)
    try:
        second = after if isinstance(after, CheckedModule) else check(after)
    except Rejection as rejection:
        return NoVerdict(f"the second program is rejected: {rejection.diagnostics[0]}")
    mismatch = _interface(first.module, second.module, entry)
    if mismatch is not None:
        return NoVerdict(mismatch)
    if structural_equal(first.module, second.module):
        return Equivalent(Proved(None))
    pair = _Pair(first, second, entry, externs or {})
    tested = pair.test(seed, rounds)
    if isinstance(tested, Refuted | NoVerdict):
        return tested
    proof, suspects = _prove(first, second, entry)
    if isinstance(proof, Proved):
        return Equivalent(proof, proof.relaxations)
    for dims in suspects:
        refuted = pair.at(dims, seed)
        if refuted is not None:
            return refuted
    shapes = pair.equal_terms()
    if shapes:
        return Equivalent(ProvedAt(shapes), tuple(sorted(pair.relaxations)))
    return Equivalent(tested)


def _prove(first: CheckedModule, second: CheckedModule, entry: str) -> tuple[Proved | str, list[dict[str, int]]]:
    """A proof for all shapes and values, if congruence descent finds one, else shapes where it fails."""
    from refrelax.judge.pointwise import search

    return search(first, second, entry)


def _interface(first: Module, second: Module, entry: str) -> str | None:
    if entry not in first.functions:
        raise UsageError(f"the first program has no function {entry!r}")
    if entry not in second.functions:
        return f"the second program has no function {entry!r}"
    ours, theirs = parameters(first, entry), parameters(second, entry)
    if len(ours) != len(theirs):
        return f"{entry} takes {len(ours)} arguments in the first program and {len(theirs)} in the second"
    return None


class _Pair:
    """Two programs with one entry, run side by side."""

    def __init__(self, first: CheckedModule, second: CheckedModule, entry: str, externs: Externs) -> None:
        self.first, self.second, self.entry, self.externs = first, second, entry, externs
        self.symbols = symbols_of(first.module, entry)
        self.relaxations: set[str] = set()

    def dims(self, round_: int) -> dict[str, int]:
        extents = EXTENTS[round_ % len(EXTENTS)]
        return {name: extents[k % len(extents)] for k, name in enumerate(self.symbols)}

    def test(self, seed: int, rounds: int) -> Tested | Refuted | NoVerdict:
        """Run both on random arguments; the first difference that is not permitted refutes."""
        cases = undecided = excluded = 0
        for dims, policy in self._plan(rounds):
            args = random_arguments(self.first.module, self.entry, seed + cases, dims, policy)
            found = self.compare(args, dims)
            if isinstance(found, Refuted):
                return found
            cases += 1
            undecided += found == "undecided"
            excluded += found == "excluded"
        if cases == excluded:
            return NoVerdict("the first program leaves every tested run open", excluded=True)
        return Tested(cases, undecided, excluded)

    def at(self, dims: Mapping[str, int], seed: int) -> Refuted | None:
        """A difference at one shape, given in part."""
        whole = {**self.dims(0), **{name: k for name, k in dims.items() if name in self.symbols}}
        args = random_arguments(self.first.module, self.entry, seed, whole, "integer")
        found = self.compare(args, whole)
        return found if isinstance(found, Refuted) else None

    def _plan(self, rounds: int) -> Iterator[tuple[dict[str, int], Policy]]:
        for round_ in range(min(rounds, len(EXTENTS)) if self.symbols else 1):
            for policy in POLICIES if round_ < len(EXTENTS) - 1 else ("special",):
                yield self.dims(round_), policy

    def compare(self, args: Sequence[Any], dims: Mapping[str, int]) -> Refuted | str:
        """One run of each: ``"equal"``, ``"inside"``, ``"undecided"``, ``"excluded"``, or the difference."""
        reference = Reference(self.first, self.entry, args, self.externs, BUDGET)
        if reference.open:
            return "excluded"
        found = run(self.second, self.entry, *copies(args), externs=self.externs, budget=BUDGET)
        judged = reference.judge(found)
        if not isinstance(judged, Difference):
            return judged
        counterexample = Counterexample(tuple(args), dict(dims), judged.message, reference.outcome, found)
        return Refuted(dict(dims), (), counterexample)

    # --- all values at a few shapes ----------------------------------------------------------------------------------

    def equal_terms(self) -> tuple[dict[str, int], ...]:
        """The shapes at which both programs give the same terms; empty as soon as one is not decided."""
        proved = []
        for round_ in range(2 if self.symbols else 1):
            dims = self.dims(round_)
            if not self._terms_equal(dims):
                return ()
            proved.append(dims)
        return tuple(proved)

    def _terms_equal(self, dims: Mapping[str, int]) -> bool:
        reading = Symbolic()
        args = random_arguments(self.first.module, self.entry, 0, dims, "integer")
        try:
            ours, theirs = (self._symbolic_run(each, args, reading) for each in (self.first, self.second))
        except Ended:
            return False
        comparison = TermComparison(reading)
        equal = comparison.values(ours, theirs, lambda p: reading.poison_rule(p) is not None)
        self.relaxations |= comparison.relaxations
        return equal

    def _symbolic_run(self, checked: CheckedModule, args: Sequence[Any], reading: Symbolic) -> Any:
        """The entry's result (for a PrimFunc: its arguments afterwards) over unknown elements."""
        link(checked.module, self.entry, self.externs)
        types = parameter_types(checked.module, self.entry)
        values = [
            _unknown(inward(arg, type_, reading), f"argument {k}", reading)
            for k, (arg, type_) in enumerate(zip(args, types, strict=True))
        ]
        interpreter = Interpreter(checked.module, reading, Meter.of(BUDGET))
        result = interpreter.call_global(self.entry, values)
        return (result, values)


def _unknown(value: Any, name: str, reading: Symbolic) -> Any:
    """A value with every tensor element replaced by a variable."""
    if isinstance(value, tuple):
        return tuple(_unknown(each, f"{name}[{k}]", reading) for k, each in enumerate(value))
    if not isinstance(value, Core):
        return value
    cells = [reading.variable(f"{name}{list(index)}", value.dtype) for index in value.indices()]
    return from_payloads(reading, value.dtype, value.shape, cells)
