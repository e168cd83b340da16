"""``validate``: does a second program refine a first one?

Proof first, for all shapes and values by congruence (``pointwise``), under a budget; a proof is then held against a few
runs, which also show that something is compared at all. Without a proof both run on small shapes, and where steps of
the proof failed, with dyadic, integer, special and ordinary values; then at a few shapes for all values, by running
both under the ``symbolic`` reading and comparing terms. What is left was tested.

Refinement has a direction: elements and runs that the first program leaves open may become anything; what only the
second leaves open is a difference. No relaxation is on unless the caller names it.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from math import inf
from random import Random
from time import perf_counter
from typing import Any

from refrelax.errors import Ended, Rejection, Unlinkable, UsageError
from refrelax.judge import extents
from refrelax.judge.correspondence import corresponding, fetched, fetched_in_both, lifted
from refrelax.judge.counting import acts
from refrelax.judge.evidence import (
    Equivalent,
    Proved,
    ProvedAt,
    Refuted,
    Tested,
    Validation,
    undetermined,
)
from refrelax.judge.interface import mismatch, other_scalars
from refrelax.judge.lazily import Unlike
from refrelax.judge.loop_entries import Correspondence, as_memory
from refrelax.judge.outcomes import Externs
from refrelax.judge.pairs import BUDGET, SMALL_BUDGET, Incomparable, Late, Pair, Permits
from refrelax.judge.pointwise import IN_STEP, NO_ALIASES, SAME, Options, search
from refrelax.judge.same_programs import same_runs
from refrelax.judge.tally import Tally
from refrelax.judge.verdicts import NoVerdict
from refrelax.rules import rule
from refrelax.running.run import parameter_types
from refrelax.semantics.builtins.library import LIBRARY
from refrelax.semantics.dims.exact import value
from refrelax.semantics.graph.link import link
from refrelax.semantics.numbers.bounds import RELAXATIONS
from refrelax.semantics.symbol_bounds import as_claims
from refrelax.semantics.types.check import check
from refrelax.semantics.types.checked import CheckedModule, wants
from refrelax.shape_solver.claim import Effort
from refrelax.shape_solver.parse import parse_claim
from refrelax.syntax.graph import Function
from refrelax.syntax.module import Module
from refrelax.syntax.scalars import PrimExpr, SymVar, free_symbols, walk
from refrelax.testing.arguments import parameters, settled, symbols_of

__all__ = ["BUDGET", "RELAXATIONS", "ROUNDS", "validate"]

ROUNDS = 6

ONLY_SHAPE = "equal terms of both runs over unknown elements, at the only shape"
"""The procedure behind a proof for an entry that has one shape."""

SILENT = "the entry gives nothing to anyone: what it stores in memory of its own is what was compared"

WAYS = (
    (lifted, "parameters that are computed ahead"),
    (fetched_in_both, "parameters that both programs fetch by calls"),
    (fetched, "parameters that are fetched by calls"),
)
"""How entries may correspond by functions and calls, and what to say of them where nothing else is to be said."""

TERMS_SHARE = 0.8
"""Of what is left then, what equal terms at an only shape may take."""

PROOF_SHARE = 0.6
"""Of the time that a caller gives, what the proof may take."""


def validate(
    before: Module | CheckedModule,
    after: Module | CheckedModule,
    entry: str = "main",
    externs: Externs | None = None,
    seed: int = 0,
    rounds: int = ROUNDS,
    relax: Iterable[str] = (),
    assume: Sequence[str | PrimExpr] = (),
    timeout: float | None = None,
    effort: Effort = "normal",
    args: Sequence[Any] | None = None,
    correspond: bool = False,
    bind: Mapping[str, Any] | None = None,
    record: bool = False,
) -> Validation:
    """Whether ``after`` does what ``before`` permits, on the function ``entry``.

    ``rounds``: how many choices of extents are tried, each with four kinds of values; ``relax``: named relaxations of
    chapter 02 that are on; ``assume``: claims about the symbols of the first program's entry, under which alone the
    programs are compared; ``timeout``: seconds for everything; ``effort``: what the proof may spend; ``args``:
    arguments on which both are run before anything else; ``correspond``: if the entries do not take the same, find how
    they correspond; ``bind``: arrays for parameters of the first program's entry that the second one's does not take;
    ``record``: write the descent of a proof down (``sh/descent-record``), in the evidence's ``record``.

    Raises:
        Rejection: ``before`` is no checked module.
        UsageError: no such function or relaxation; a time or a number of rounds that is none; too few or too many
            arguments, or some that an assumption excludes; an assumption about a symbol that the entry does not have.
        Malformed: an assumption that is no claim.
    """
    if rounds < 1 or (timeout is not None and not 0 < timeout < inf):
        raise UsageError(f"expected rounds of at least 1 and a time above 0, found {rounds} and {timeout}")
    started = perf_counter()
    named_relaxations(relax := tuple([relax] if isinstance(relax, str) else relax))
    for each in (before, after):
        wants("validate", each)
    first = before if isinstance(before, CheckedModule) else check(before)
    try:
        second = after if isinstance(after, CheckedModule) else check(after)
    except Rejection as rejection:
        return undetermined(f"the second program is rejected: {rejection.diagnostics[0]}", "rejected")
    why = mismatch(first.module, second.module, entry)
    settings = _Settings(externs, seed, rounds, relax, assume, timeout, effort, args, bind, record)
    unlike, answer = "", None
    for way, words in WAYS if correspond and not bind else ():
        try:
            found = way(first, second, entry, externs or ())
        except Unlike as reason:
            unlike = unlike or str(reason)
            continue
        if found is not None:
            answer = _as_one(found, entry, settings, why or words)
            break
    if answer is None:
        answer = _as_they_stand(first, second, entry, settings, why, correspond, started)
    if not unlike or not isinstance(answer, NoVerdict):
        return answer
    return replace(answer, why=unlike, reason="interface", unproved=f"as they stand: {answer.why}")


def _as_they_stand(
    first: CheckedModule,
    second: CheckedModule,
    entry: str,
    asked: _Settings,
    why: str | None,
    correspond: bool,
    started: float,
) -> Validation:
    """The answer of ``validate`` where nothing is computed ahead or fetched by calls; ``why``: the entries do not take
    the same."""
    externs, args, bind, timeout = asked.externs, asked.args, asked.bind, asked.timeout
    seed, rounds = asked.seed, asked.rounds
    if why is not None and (correspond or bind):
        found = corresponding(first, second, entry, bind or {})
        return undetermined(why, "interface") if found is None else _as_one(found, entry, asked, why)
    if (
        why is None
        and args is None
        and (opened := as_memory(first.module, second.module, entry, correspond)) is not None
    ):
        return _as_one(opened, entry, asked, "the entries do not take the same")
    if why is None and entry in first.signatures and entry in second.signatures:
        why = other_scalars(first.signatures[entry].ret, second.signatures[entry].ret)
    if why is not None:
        return undetermined(why, "interface")
    unlinked = _unlinked(first, second, entry, externs or {})
    if unlinked is not None and not unlinked[1]:
        return undetermined(unlinked[0], "library")
    assumptions = tuple(parse_claim(each) if isinstance(each, str) else each for each in asked.assume)
    symbols = symbols_of(first.module, entry)
    _known_symbols(assumptions, symbols)
    relaxations = named_relaxations(asked.relax)
    end = None if timeout is None else started + timeout
    kept = (*assumptions, *_promises(first, entry, symbols))
    sizes = extents.not_negative(parameter_types(first.module, entry))
    claims = (*kept, *sizes) if kept else ()
    pair = Pair(first, second, entry, externs or {}, symbols, relaxations, _permits(kept), end, claims=claims)
    proof_end = None if timeout is None else started + timeout * PROOF_SHARE
    options = Options(relaxations, assumptions, asked.effort, proof_end, asked.record)
    if unlinked is not None:
        return _without_runs(pair, options, unlinked[0], seed, rounds)
    try:
        return _above_zero(pair, _answer(pair, options, args, seed, rounds), options, seed, rounds)
    except Incomparable as nothing:
        return undetermined(str(nothing), "interface", pair.tally)


def _unlinked(first: CheckedModule, second: CheckedModule, entry: str, externs: Externs) -> tuple[str, bool] | None:
    """Why no run is possible, and whether library functions are all that is missing."""
    found = None
    for which, program in (("first", first), ("second", second)):
        try:
            link(program, entry, externs)
        except Unlinkable as missing:
            first_of = missing.diagnostics[0]
            functions = all(each.rule == "link/library-function-missing" for each in missing.diagnostics)
            option = which == "second" and first_of.rule == "link/constant-missing"
            hint = " (of this program: --consts-after)" if option else ""
            why = f"the {which} program lacks something: {first_of}{hint}"
            if found is None or not functions:
                found = why, functions
    return found


@rule("va/events")
def _without_runs(pair: Pair, options: Options, why: str, seed: int, rounds: int) -> Validation:
    """The answer where library functions are not here: a proof, which no run is held against, or none."""
    same = not pair.records and same_runs(pair.first.module, pair.second.module, pair.entry)
    found = Proved(trusts=(SAME,), record=SAME) if same else _proof(pair, options)[0]
    if not isinstance(found, Proved):
        return undetermined(why, "library", unproved=found)
    drawn = [dims for _, dims in extents.rounds(pair.symbols, seed, rounds, ())]
    if not any(map(pair.permits, drawn)) and extents.satisfying(drawn[0], pair.claims, Random(seed)) is None:
        return undetermined("no small extents satisfy the assumptions: a proof would say nothing", "")
    return Equivalent(replace(found, trusts=(*found.trusts, f"no run was held against it: {why}")), found.relaxations)


@dataclass(frozen=True, slots=True)
class _Settings:
    """What a caller asks for, as of ``validate``."""

    externs: Externs | None
    seed: int
    rounds: int
    relax: Iterable[str]
    assume: Sequence[str | PrimExpr]
    timeout: float | None
    effort: Effort
    args: Sequence[Any] | None
    bind: Mapping[str, Any] | None
    record: bool


def _as_one(found: Correspondence, entry: str, asked: _Settings, why: str) -> Validation:
    """The answer for two programs that do not take the same, with how they were made to."""
    if mismatch(found.first, found.second, entry) is not None:
        return undetermined(why, "interface")
    try:
        check(found.first)
    except Rejection as rejection:
        if not asked.bind:
            return undetermined(why, "interface")
        raise UsageError(f"the arrays to bind do not fit: {rejection.diagnostics[0]}") from rejection
    answer = validate(
        found.first,
        found.second,
        entry,
        asked.externs,
        asked.seed,
        asked.rounds,
        asked.relax,
        asked.assume,
        asked.timeout,
        asked.effort,
        asked.args,
        record=asked.record,
    )
    words = tuple(f"interface: {each}" for each in found.words)
    match answer:
        case Equivalent(evidence):
            return replace(answer, evidence=replace(evidence, trusts=(*words, *evidence.trusts)))
        case ProvedAt() | Tested():
            return replace(answer, trusts=(*words, *answer.trusts))
        case _:
            return answer


@rule("va/above-zero")
def _above_zero(pair: Pair, found: Validation, options: Options, seed: int, rounds: int) -> Validation:
    """A difference where extents are 0, with what is proved where they are not."""
    if not isinstance(found, Refuted) or found.counterexample is None:
        return found
    zeros = tuple(name for name in pair.symbols if found.model.get(name) == 0)
    for names in dict.fromkeys((zeros, tuple(pair.symbols)) if zeros else ()):
        if pair.deadline is not None and perf_counter() >= pair.deadline:
            return found
        if _proved_above(pair, options, names, seed, rounds):
            return replace(found, otherwise=names)
    return found


def _proved_above(pair: Pair, options: Options, names: Sequence[str], seed: int, rounds: int) -> bool:
    """Whether the programs are proved equal where all these symbols are at least 1."""
    above = tuple(parse_claim(f"{name} >= 1") for name in names)
    narrow = replace(options, assume=(*options.assume, *above), deadline=pair.deadline)
    proof, _ = _proof(pair, narrow)
    if not isinstance(proof, Proved):
        return False
    rest = Pair(
        pair.first,
        pair.second,
        pair.entry,
        pair.externs,
        pair.symbols,
        pair.relax,
        _both(pair, above),
        pair.deadline,
        claims=(*pair.claims, *above),
    )
    return isinstance(_held(rest, proof, seed, rounds), Equivalent)


def _both(pair: Pair, claims: Sequence[PrimExpr]) -> Permits:
    more = _permits(claims)
    return lambda dims: pair.permits(dims) and more(dims)


def _answer(pair: Pair, options: Options, args: Sequence[Any] | None, seed: int, rounds: int) -> Validation:
    """The caller's arguments, then a proof, then runs."""
    if args is not None and (refuted := _on_arguments(pair, args, _permits(options.assume))) is not None:
        return refuted
    if (refuted := pair.bad_calls(seed)) is not None:
        return refuted
    if not pair.records and same_runs(pair.first.module, pair.second.module, pair.entry):
        return _held(pair, Proved(trusts=(SAME,), record=SAME), seed, rounds)
    found, suspects = _proof(pair, options)
    if isinstance(found, Proved):
        return _held(pair, found, seed, rounds)
    if pair.one_shape and (proof := _at_its_only_shape(pair, seed)) is not None:
        held = _held(pair, proof[0], seed, rounds)
        if proof[1] or pair.tally.compared or not isinstance(held, Equivalent):
            return held  # (where nothing is compared, nothing is shown)
    return _without_proof(pair, found, suspects, seed, rounds)


@rule("va/only-shape")
def _at_its_only_shape(pair: Pair, seed: int) -> tuple[Proved, int] | None:
    """A proof by equal terms, for an entry that has one shape: that is all shapes; and how many elements they are."""
    left = None if pair.deadline is None else (pair.deadline - perf_counter()) * TERMS_SHARE
    try:
        terms = pair.equal_terms(seed, None if left is None else perf_counter() + left)
    except Late:
        return None
    if terms is None or _open(terms.tally, pair) is not None:
        return None
    relaxations = tuple(sorted(terms.relaxations))
    return Proved(
        relaxations=relaxations, trusts=(NO_ALIASES, ONLY_SHAPE, *relaxations), record=ONLY_SHAPE
    ), terms.tally.compared


def _proof(pair: Pair, options: Options) -> tuple[Proved | str, list[dict[str, int]]]:
    """As ``search``; a proof reads the machine's own library, which nothing may stand in the place of."""
    found, suspects = search(pair.first, pair.second, pair.entry, options)
    replaced = sorted(pair.externs.keys() & LIBRARY.keys())
    if isinstance(found, Proved) and replaced:
        return f"what is registered as {replaced[0]} stands in the place of the machine's own", suspects
    return found, suspects


def _on_arguments(pair: Pair, args: Sequence[Any], allowed: Permits) -> Refuted | None:
    """Both programs on the caller's arguments; the difference, if there is one."""
    given = parameters(pair.first.module, pair.entry)
    if len(args) != len(given):
        raise UsageError(f"{pair.entry} takes {len(given)} arguments, {len(args)} were given")
    dims = dict(found for (name, type_), arg in zip(given, args, strict=True) for found in settled(name, type_, arg))
    if not set(pair.symbols) - set(dims) and not allowed(dims):
        raise UsageError("the arguments are none of those that the assumptions allow")
    try:
        return pair.compare(args, dims)
    except Late:
        return None


def _without_proof(pair: Pair, reason: str, suspects: list[dict[str, int]], seed: int, rounds: int) -> Validation:
    try:
        refuted = pair.test(seed, rounds)
        for dims in (*suspects, *(extents.edges(pair.symbols) if pair.cases else ())):
            refuted = refuted or pair.at(dims, seed)
        if refuted is not None:
            return refuted
        terms = None if pair.one_shape else pair.equal_terms(seed)
    except Late:
        terms = None
        reason = f"the time is over; {reason}"
    if terms is not None and (open_ := _open(terms.tally, pair)) is not None:
        return replace(open_, unproved=reason)
    if terms is not None and (terms.tally.compared or pair.tally.compared):
        try:
            if (refuted := pair.further(seed)) is not None:
                return refuted
        except Late:
            reason = f"the time is over; {reason}"
        needed = tuple(sorted(terms.relaxations))
        named = tuple(sorted({*needed, *pair.tally.relaxations}))  # the runs at other shapes, too
        return ProvedAt(tuple(terms.shapes), named, needed, reason, pair.tally)
    if (nothing := _nothing(pair)) is not None:
        return replace(nothing, unproved=reason)
    return Tested(pair.cases, pair.excluded, pair.tally.relaxations, (), reason, pair.tally)


def _held(pair: Pair, proof: Proved, seed: int, rounds: int) -> Validation:
    """A proof, held against runs until something of every result has been compared."""
    pair.budget = SMALL_BUDGET
    try:
        refuted = pair.test(seed, rounds, enough=True)
    except Late:
        refuted, pair.permitted = None, True
    if refuted is not None:
        return refuted
    if not pair.permitted:
        return undetermined("no small extents satisfy the assumptions: a proof would say nothing", "", pair.tally)
    if pair.silent and not pair.tally.compared:
        return _of_a_silent_entry(pair, proof)
    blind = _nothing(pair) if pair.cases == 0 and pair.tally.open else _open(pair.tally, pair) if pair.cases else None
    if blind is not None:
        return replace(blind, why=f"{blind.why}; {ELSEWHERE}")
    return Equivalent(proof, proof.relaxations, pair.tally)


ELSEWHERE = "where something is determined the programs are proved equal: give arguments on which it is"
"""What a proof says of which no run shows anything."""


@rule("va/lockstep")
def _of_a_silent_entry(pair: Pair, proof: Proved) -> Validation:
    """Where nobody is given anything, only what the programs do in memory of their own was compared, if it was."""
    if not {SAME, IN_STEP} & set(proof.trusts) or not acts(pair.first, pair.entry):
        return undetermined(pair.silent, "interface", pair.tally, "no proof is seen to compare something")
    return Equivalent(replace(proof, trusts=(*proof.trusts, SILENT)), proof.relaxations, pair.tally)


def _open(tally: Tally, pair: Pair) -> NoVerdict | None:
    """No verdict, where some result is open in every run."""
    if tally.compared and tally.blank is None:
        return None
    if not tally.open:
        return None
    where = f"{tally.blank} is " if tally.blank else ""
    first = next((each for each in pair.tally.open if each.rule == tally.open[0].rule), tally.open[0])
    why = f"the first program leaves every element open that was compared: {where}{first}"
    return undetermined(why, "open", tally)


def _nothing(pair: Pair) -> NoVerdict | None:
    """No verdict, where the runs show nothing."""
    if pair.cases == 0:
        if pair.tally.open:
            why = f"the first program leaves every tested run open: {pair.tally.open[0]}"
            return undetermined(why, "open", pair.tally)
        if not pair.permitted and not pair.refused:
            return undetermined("no small extents satisfy the assumptions", "", pair.tally)
        why = pair.refused or "no run came to an end within its budget"
        return undetermined(why, "interface" if pair.refused else "budget", pair.tally)
    if pair.undecided:
        of = f"{pair.undecided} of {pair.cases} runs"
        relaxed = f" or explained by a relaxation that is on ({', '.join(sorted(pair.relax))})" if pair.relax else ""
        why = f"{of} differ by what is too wide to tell{relaxed}; {pair.tally.inside} elements inside"
        return undetermined(why, "undecided", pair.tally)
    if not pair.tally.compared and not pair.tally.open:
        why = pair.silent or "no run gave a result, an effect or an element: there is nothing to compare"
        return undetermined(why, "interface", pair.tally)
    return _open(pair.tally, pair)


def named_relaxations(names: Iterable[str]) -> frozenset[str]:
    """The relaxations of these names.

    Raises:
        UsageError: one that there is not.
    """
    for name in (found := frozenset([names] if isinstance(names, str) else names)):
        if name not in RELAXATIONS:
            raise UsageError(f"no relaxation is called {name!r}; there are {', '.join(RELAXATIONS)}")
    return found


def _known_symbols(assumptions: Sequence[PrimExpr], symbols: Sequence[str]) -> None:
    for claim in assumptions:
        truths = {each.name for each in walk(claim) if isinstance(each, SymVar) and each.dtype == "bool"}
        for name in sorted(truths & set(symbols)):
            raise UsageError(f"an assumption takes {name!r} as a truth; it is an integer: compare it with one")
        if claim.dtype != "bool":
            raise UsageError(f"an assumption is a claim (of dtype bool), found one of {claim.dtype}")
        for name in sorted(free_symbols(claim) - set(symbols)):
            has = f"it has {', '.join(symbols)}" if symbols else "it has none"
            raise UsageError(f"an assumption about {name!r}, which is no symbol of the entry's signature; {has}")


def _promises(first: CheckedModule, entry: str, symbols: Sequence[str]) -> tuple[PrimExpr, ...]:
    """What the first program promises of its symbols: runs beyond it are open, so none are drawn."""
    function = first.module.functions[entry]
    claims = as_claims(function) if isinstance(function, Function) else ()
    return tuple(each for each in claims if free_symbols(each) <= set(symbols))


def _permits(assumptions: Sequence[PrimExpr]) -> Permits:
    """Extents at which every assumption holds; where one has no value, it does not."""

    def permits(dims: Mapping[str, int]) -> bool:
        try:
            return all(bool(value(claim, dims)) for claim in assumptions)
        except Ended:
            return False  # an assumption that has no value does not hold

    return permits
