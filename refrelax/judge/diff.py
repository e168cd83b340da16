"""``diff``: one implementation against the definition, on given arguments.

Refinement has a direction: what the reference leaves open is excluded; what only the implementation leaves open is a
divergence. Two traps agree whatever their rules.

Where an implementation shows its bindings (``observe``), each is judged on the implementation's own inputs to it, and
beside them the run as it is: good if every binding is inside and the whole is not outside.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from refrelax.backends.errors import Unsupported
from refrelax.backends.executable import Observed
from refrelax.errors import (
    Exhausted,
    InternalError,
    Outcome,
    Rejection,
    Returned,
    Trapped,
    Unlinkable,
    Unspecified,
    UsageError,
)
from refrelax.judge import openness, zero_signs
from refrelax.judge.alike import alike
from refrelax.judge.backend import Backend
from refrelax.judge.bindings import Compared, compare, judge_frames, judged_alone, missing, simple_bindings
from refrelax.judge.chain import break_in, stored_unseen
from refrelax.judge.counting import all_open, not_comparable, scalar
from refrelax.judge.failures import failed
from refrelax.judge.known_bindings import KnownBindings, stores
from refrelax.judge.one_meaning import one_meaning
from refrelax.judge.outcomes import STRICT_ALONE, copies, cores, other_effects, same_value, words
from refrelax.judge.report import Open, Report
from refrelax.judge.verdicts import Agreement, BindingVerdict, Divergence, NoVerdict, Verdict
from refrelax.lower.orphans import called
from refrelax.running.arrays import Tensor
from refrelax.running.run import inward, outward, parameter_types, run
from refrelax.semantics.budget import Budget
from refrelax.semantics.graph.machine import Listener, Scope
from refrelax.semantics.numbers import reading
from refrelax.semantics.numbers.strict import WITHOUT_VALUE
from refrelax.semantics.numbers.verdicts import Counts, Inside, Outside, Undecided
from refrelax.semantics.types.checked import CheckedModule
from refrelax.semantics.types.wellformed.heads import contracts_of
from refrelax.semantics.values import Shape, TensorValue
from refrelax.syntax.graph import Binding, Function
from refrelax.syntax.loops import PrimFunc

Externs = Mapping[str, Callable[..., Any]]

SHOWN = "the inputs that the implementation shows for each binding"
"""What an answer trusts that rests on single bindings."""


def diff(
    checked: CheckedModule,
    entry: str,
    args: Sequence[Any],
    impl: str | Any = "numpy",
    mode: str = "fast",
    externs: Externs | None = None,
    strict: bool = False,
    budget: Budget | None = None,
    by_bits: bool = False,
) -> Verdict:
    """Judge an implementation on one call.

    ``by_bits``: a backend of ours that gives the bits of the canonical run for every binding is not held against the
    permitted sets (``judge.alike``); never with ``strict``, which may not permit them. ``impl``: a ``Backend`` or its
    name (then in ``mode``), or anything with ``run(module, entry, args) -> Outcome``;
    see ``interop.names.diff``, where other names are looked up.

    Raises:
        UsageError: no such function or backend.
    """
    question = _Question(checked, entry, args, externs or {}, "strict" if strict else "enclosure", budget or Budget())
    question.told = [] if by_bits and not strict else None
    return question.answer(Backend(impl, mode) if isinstance(impl, str) else impl, strict)


@dataclass(slots=True)
class _Question:
    """One call, and what the definition says of it."""

    checked: CheckedModule
    entry: str
    args: Sequence[Any]
    externs: Externs
    permitted: str
    """The reading that gives the sets of permitted results."""
    budget: Budget
    executed: list[tuple[str, str]] = field(default_factory=list)
    """Bindings that the definition went through, by function and name."""
    known: KnownBindings = field(init=False)
    told: list[tuple[str, str, Any]] | None = None
    """What the definition gave for each binding, where bits may decide."""

    def __post_init__(self) -> None:
        self.known = KnownBindings(self.checked, self.entry)

    def on_binding(self, path: str, binding: Binding, value: Any, scope: Scope) -> None:
        """See ``Listener``."""
        self.executed.append((path, binding.name))
        if self.told is not None:
            self.told.append((path, binding.name, value))
        self.known.note("ieee", path, binding, value, scope)

    def run(self, numerics: str = "ieee", listener: Listener | None = None) -> Outcome:
        return run(
            self.checked,
            self.entry,
            *copies(self.args),
            numerics=numerics,
            externs=self.externs,
            budget=self.budget,
            listener=listener,
        )

    def report(
        self,
        counts: Counts = Counts(),  # noqa: B008
        open_: tuple[Open, ...] = (),
        *trusts: str,
        relaxations: tuple[str, ...] = (),
    ) -> Report:
        """A report of this call."""
        given = tuple(f"the library function {name} as given" for name in sorted(self.externs))
        return Report(counts, 0, open_, relaxations, (*trusts, *given), tuple(self.args))

    # --- the answer --------------------------------------------------------------------------------------------------

    def answer(self, implementation: Any, strict: bool) -> Verdict:
        """The verdict on one implementation."""
        try:
            reference = self.run(listener=self)
        except Unlinkable as missing:
            return NoVerdict(str(missing.diagnostics[0]), reason="library", report=self.report())
        match reference:
            case Exhausted(what=what):
                return NoVerdict(f"the definition ran out of {what}", reason="budget", report=self.report())
            case Unspecified():
                return self.open(reference, implementation if strict else None)
        try:
            observed = self.observed(implementation)
        except Exception as error:  # whatever a foreign implementation raises
            return self.not_run(error)
        if self.told is not None:
            agreed = alike(self.checked, self.entry, self.told, reference, observed)
            self.told = None  # (no value outlives what may be written into it)
            if agreed is not None:
                return agreed
        verdict = _Judgement(self, reference, observed, isinstance(implementation, Backend)).verdict()
        self.executed.clear()
        return verdict

    def observed(self, implementation: Any) -> Observed:
        """What the implementation did, with its bindings if it can show them."""
        module, args = self.checked.module, list(copies(self.args))
        if isinstance(implementation, Backend):
            return implementation.observe(self.checked, self.entry, args, self.externs)
        shows = getattr(implementation, "observe", None)
        if shows is not None and not isinstance(module.functions[self.entry], PrimFunc):
            shown: Observed = shows(module, self.entry, args)
            return shown
        outcome = implementation.run(module, self.entry, args)
        if not isinstance(outcome, Outcome):
            raise UsageError(f"an implementation's run gives an Outcome, found {type(outcome).__name__}")
        return Observed(outcome, ())

    def not_run(self, error: Exception) -> Divergence | NoVerdict:
        """The verdict where the implementation gave no outcome."""
        if isinstance(error, InternalError):
            return NoVerdict(f"a fault of refrelax: {error}", reason="fault", report=self.report())
        if isinstance(error, Unsupported):
            return NoVerdict(str(error), reason="unsupported", report=self.report())
        if isinstance(error, Unlinkable):
            return NoVerdict(str(error.diagnostics[0]), reason="library", report=self.report())
        if isinstance(error, Rejection):
            message = f"the implementation refuses the program: {next(iter(error.diagnostics), error)}"
            report = replace(self.report(), refused=1)
            return Divergence("", message, kind="refused", detail=str(error), report=report)
        found = failed(error)
        return replace(found, report=replace(self.report(), refused=found.report.refused))

    def open(self, end: Unspecified, implementation: Any) -> Verdict:
        """The definition leaves the whole run open. ``implementation``: to be run all the same, for a crash, or for a
        value where a standard has none."""
        report = self.report(open_=(openness.whole_run(end),))
        if end.rule in openness.LACKING:
            return NoVerdict(f"{end.message} [{end.rule}]", reason="lacking", report=report)
        if end.rule in openness.MISSING:
            return NoVerdict(f"{end.message} [{end.rule}]", reason="library", report=report)
        if implementation is not None:
            try:
                outcome = self.observed(implementation).outcome
                if isinstance(outcome, Returned) and (by := WITHOUT_VALUE.get(end.rule)) is not None:
                    says = f"{by} has no value ({report.open[0]}), the implementation {words(outcome)}"
                    return Divergence("", f"{says}{STRICT_ALONE}", kind="end", report=report)
            except Exception as error:
                found = self.not_run(error)
                if isinstance(found, Divergence) and found.kind in ("crash", "hang"):
                    return replace(found, message=f"{found.message}, on a run that is open ({report.open[0]})")
        return NoVerdict(f"the whole run is {report.open[0]}", excluded=True, reason="open", report=report)


@dataclass(slots=True)
class _Judgement:
    """A reference outcome that determines something, and what the implementation did."""

    question: _Question
    reference: Outcome
    observed: Observed
    shows_effects: bool = False
    """Whether the implementation is known to tell its effects: those of this package do."""
    _permitted: Outcome | None = None

    @property
    def permitted(self) -> Outcome:
        """What the whole call permits."""
        if self._permitted is None:
            q = self.question
            if q.checked.once(one_meaning):
                q.known.same("ieee", q.permitted)
                self._permitted = self.reference
            else:
                self._permitted = q.run(q.permitted, q.known.under(q.permitted))
        return self._permitted

    @property
    def effects_told(self) -> bool:
        """Whether there are effects to compare: who tells none at all may have no way to."""
        outcome = self.observed.outcome
        return self.shows_effects or (isinstance(outcome, Returned) and bool(outcome.effects))

    def verdict(self) -> Verdict:
        """Ends first, then single bindings, then the whole."""
        q, found = self.question, self.observed.outcome
        early = ends_differ(self.reference, found)
        if isinstance(early, NoVerdict):
            return replace(early, report=q.report())
        if early is None and q.known.tells and self.observed.frames:
            _ = self.permitted  # which tells of bindings, and is asked for in the end
        bindings = tuple(judge_frames(q.checked, self.observed.frames, q.externs, q.permitted, q.known))
        first = next((v for v in bindings if isinstance(v.verdict, Outside)), None)
        if first is not None:
            counts = _total(bindings)
            report = q.report(counts, (), SHOWN)
            says = _outside(first) + self.by_strict_alone(first, bindings=True)
            return Divergence(f"{first.path}/{first.name}", says, bindings, report=report, field=first.field)
        if early is not None:
            return replace(early, bindings=bindings, report=q.report(Counts(outside=1)))
        if not isinstance(self.reference, Returned) or not isinstance(found, Returned):
            return Agreement(bindings, "both end in a trap", report=q.report(Counts(inside=1)))
        return self.returned(self.reference, found, bindings)

    def returned(self, wanted: Returned, found: Returned, bindings: tuple[BindingVerdict, ...]) -> Verdict:
        """Both gave a value."""
        q = self.question
        own = copies(q.args) if wanted.poison else ()
        open_ = openness.open_elements(q.checked, q.entry, own, q.externs, q.budget, wanted)
        other = newly_open(wanted, found)
        if other is not None:
            return Divergence(q.entry, other, bindings, "open", report=q.report(Counts(outside=1), open_))
        effects = other_effects(wanted, found) if self.effects_told else None
        if effects is not None:
            return Divergence(q.entry, effects, bindings, "effects", report=q.report(Counts(outside=1), open_))
        permitted = self.permitted
        results = self.results(permitted, found)
        if q.permitted == "strict" and isinstance(permitted, Returned):
            wanted = permitted  # it determines more than the definition does
        outside = next((each for each in results if isinstance(each.verdict, Outside)), None)
        if outside is not None:
            report = q.report(_total(results), open_)
            says = _outside(outside) + self.by_strict_alone(outside, bindings=False)
            return Divergence(f"{q.entry}/{outside.name}", says, bindings, report=report, field=outside.field)
        return self.decided(wanted, found, results, bindings, open_)

    def by_strict_alone(self, outside: BindingVerdict, bindings: bool) -> str:
        """A remark on what ``--strict`` does not permit and Relax does."""
        q, found = self.question, self.observed.outcome
        if q.permitted != "strict":
            return ""
        if bindings:
            place = outside.path, outside.name
            frames = tuple(each for each in self.observed.frames if (each.path, each.name) == place)
            judged = judge_frames(q.checked, frames, q.externs)
        else:
            assert isinstance(found, Returned)
            judged = [each for each in self.results(q.run("enclosure"), found) if each.name == outside.name]
        return "" if any(isinstance(each.verdict, Outside) for each in judged) else STRICT_ALONE

    def decided(
        self,
        wanted: Returned,
        found: Returned,
        results: tuple[BindingVerdict, ...],
        bindings: tuple[BindingVerdict, ...],
        open_: tuple[Open, ...],
    ) -> Verdict:
        """Nothing is outside: was everything compared?"""
        q = self.question
        whole = _total(results) + Counts(not_judged=0 if self.effects_told else len(wanted.effects))
        if not results and self.effects_told:
            whole += Counts(inside=len(wanted.effects))  # a PrimFunc without buffers: its effects are the same
        blind = next((each for each in results if each.counts.not_judged), None)
        nothing = q.report(Counts(excluded=whole.excluded, not_judged=whole.not_judged), open_)
        if (why := all_open(wanted, q.checked, q.entry, open_)) is not None:
            return NoVerdict(why, True, "open", report=nothing, bindings=bindings)
        if (why := not_comparable(wanted, q.checked, q.entry)) is not None:
            return NoVerdict(why, reason="interface", report=nothing, bindings=bindings)
        if blind is not None or not whole.compared:
            what = blind.name if blind is not None else "the results"
            why = f"nothing can be held against {what}, or against a part of it"
            return NoVerdict(why, reason="interface", report=nothing, bindings=bindings)
        if whole.undecided == 0:
            why = "" if results else "the effects are the same"
            return Agreement(bindings, why, results, q.report(whole, open_, relaxations=_relaxations(results)))
        unseen = self.unseen() if bindings else 0
        parts = replace(_total(bindings), excluded=whole.excluded)
        parts += Counts(not_judged=unseen)
        report = q.report(parts, open_, SHOWN, relaxations=_relaxations((*results, *bindings)))
        broken = break_in(q.checked, q.entry, self.observed.frames, found, given(q)) if bindings else ""
        stored = stored_unseen(q.checked, self.observed.frames) if bindings else ""
        if bindings and not parts.undecided and not unseen and parts.inside and not broken and not stored:
            return Agreement(bindings, results=results, report=report)
        if not bindings:
            report = q.report(whole, open_)
        chain = f"; the bindings shown do not hang together: {broken}" if broken else ""
        why = _undecided(results, bindings, unseen) + chain + (f"; {stored}" if stored else "")
        return NoVerdict(why, reason="undecided", report=report, bindings=bindings)

    def unseen(self) -> int:
        """Bindings that the definition went through and the implementation did not show. Those of a contract are none
        of the program's: its library function computes as it will, and the call of it is judged."""
        q = self.question
        libraries = q.checked.once(only_contracts) - {q.entry}
        every = q.checked.once(simple_bindings)
        simple = {key: each for key, each in every.items() if key[0].partition("/")[0] not in libraries}
        alone = q.checked.once(judged_alone)
        done = [(f, simple[f.path, f.name]) for f in self.observed.frames if f.done and (f.path, f.name) in simple]
        shown = {(f.path, f.name) for f, binding in done if alone(binding) and not missing(binding, f)}
        return sum(each not in shown for each in dict.fromkeys(self.question.executed) if each in simple)

    def pairs(self, ours: Returned, found: Returned, written: Sequence[int]) -> list[tuple[str, Any, Any]]:
        """What is compared of a run of the definition and the implementation's, by name."""
        assert isinstance(self.reference, Returned)
        effects = changed_effects(self.reference, ours, found) if self.effects_told else []
        return observed_pairs(ours, found, self.question, self.reference, written) + effects

    def results(self, permitted: Outcome, found: Returned) -> tuple[BindingVerdict, ...]:
        """The result (of a PrimFunc: its arguments) and what was written in place, against what the whole call
        permits."""
        q = self.question
        if not isinstance(permitted, Returned):
            wide = Compared(Undecided(float("inf")), Counts(undecided=1))
            return (wide.of(q.entry, "return", "result"),)
        verdicts = []
        assert isinstance(self.reference, Returned)
        written = written_arguments(q, self.reference, found)
        exact = {name: cores(ours) for name, ours, _ in self.pairs(self.reference, found, written)}
        for name, ours, theirs in self.pairs(permitted, found, written):
            compared = NOT_SHOWN if theirs is NOT_SHOWN else compare(cores(ours), theirs, exact.get(name))
            signs = zero_signs.needed([(exact.get(name), theirs)], q.permitted)
            verdict = compared.of(q.entry, name, "result")
            verdicts.append(replace(verdict, relaxations=signs) if signs else verdict)
        return tuple(verdicts)


NOT_SHOWN = Compared(Inside(1.0), Counts(not_judged=1))
"""Stands for an argument that the definition writes and of which the implementation shows nothing."""


def only_contracts(checked: CheckedModule) -> set[str]:
    """The functions of a module that say what library functions compute, and that nothing calls."""
    return set(contracts_of(checked.module).values()) - called(checked.module.functions)


def observed_pairs(
    permitted: Returned, found: Returned, q: _Question, canonical: Returned, written: Sequence[int]
) -> list[tuple[str, Any, Any]]:
    """What is compared of two runs: the buffers of a loop-level entry, and what it returns; else the result, and the
    arguments that either side wrote to."""
    ours, theirs = permitted.arguments, found.arguments
    if isinstance(q.checked.module.functions[q.entry], PrimFunc):
        if len(ours) != len(theirs):
            return [("arguments", tuple(ours), tuple(theirs))]
        returned = [] if canonical.value is None else [("return", permitted.value, found.value)]
        buffers = [(k, w, f) for k, (w, f) in enumerate(zip(ours, theirs, strict=True)) if not scalar(w)]
        return [*returned, *((f"argument {k}", w, f) for k, w, f in buffers)]
    shown = theirs if len(theirs) == len(ours) else (NOT_SHOWN,) * len(ours)
    return [("return", permitted.value, found.value), *((f"argument {k}", ours[k], shown[k]) for k in written)]


def written_arguments(q: _Question, canonical: Returned, found: Returned) -> list[int]:
    """Which arguments of a Relax function either side wrote to."""
    if isinstance(q.checked.module.functions[q.entry], PrimFunc):
        return []
    ours, theirs = canonical.arguments, found.arguments
    shown = theirs if len(theirs) == len(ours) else ()
    if not q.checked.once(stores) and all(map(_untouched, q.args, shown)):
        return []  # (most are)
    rows = enumerate(zip(given(q).values(), ours, strict=True))
    return [k for k, (x, y) in rows if _written(x, cores(y)) or (shown and _written(shown[k], cores(y)))]


def given(q: _Question) -> dict[str, Any]:
    """The arguments of a Relax function as values of its parameters' types, by the names of the parameters."""
    types, ieee = parameter_types(q.checked.module, q.entry), reading("ieee")
    function = q.checked.module.functions[q.entry]
    names = [each.name for each in function.params] if isinstance(function, Function) else []
    return {name: outward(inward(each, type_, ieee)) for name, each, type_ in zip(names, q.args, types, strict=True)}


def _untouched(given: Any, found: Any) -> bool:
    """Whether an argument has the bytes that it was given with, where that is soon seen."""
    if isinstance(given, Tensor) and isinstance(found, Tensor):
        if given.dtype != found.dtype or given.shape != found.shape:
            return False
        before = given.patterns()
        return None not in before and before == found.patterns()
    return isinstance(given, bool | int | Shape) and given is found


def _written(value: Any, core: Any) -> bool:
    """Whether a value holds other elements than a final argument of the definition, be it by the sign of a zero."""
    if isinstance(core, tuple):
        return isinstance(value, tuple | list) and any(map(_written, value, core))
    if not isinstance(core, TensorValue):
        return False
    if isinstance(value, Tensor) and value.shape == core.shape and value.dtype == core.dtype:
        before, after = value.patterns(), core.bits()
        if before == after and None not in after:
            return False  # (most are)
    return not isinstance(compare(core, value).verdict, Inside) or zero_signs.crossed(core, value)


def changed_effects(wanted: Returned, permitted: Returned, found: Returned) -> list[tuple[str, Any, Any]]:
    """What was printed or passed to a library, where it is not bit for bit as the definition has it."""
    three = enumerate(zip(wanted.effects, permitted.effects, found.effects, strict=True))
    shown = [(k, p.payload, outward(w.payload), outward(f.payload)) for k, (w, p, f) in three]
    return [(f"effect {k}", outward(p), f) for k, p, w, f in shown if not same_value(w, f)]


def _undecided(results: tuple[BindingVerdict, ...], bindings: tuple[BindingVerdict, ...], unseen: int) -> str:
    """What was too wide to tell, with what is inside."""
    judged = bindings or results
    kind = "bindings" if bindings else "results"
    counts = _total(judged)
    inside = sum(each.word == "inside" for each in judged)
    wide = next((each for each in judged if each.word == "undecided"), None)
    first = f"; the first that is too wide to tell: {wide.place} ({wide.what})" if wide is not None else ""
    hidden = f"; {unseen} were not shown" if unseen else ""
    whole = f" ({counts.inside} of {counts.compared} elements)"
    return f"{inside} of {len(judged) + unseen} {kind} inside{whole}{first}{hidden}"


def _relaxations(verdicts: Sequence[BindingVerdict]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(name for each in verdicts for name in each.relaxations))


def _total(verdicts: Sequence[BindingVerdict]) -> Counts:
    return sum((each.counts for each in verdicts), Counts())


def ends_differ(reference: Outcome, outcome: Outcome) -> Divergence | NoVerdict | None:
    """The verdict when the two ends alone decide it."""
    match reference, outcome:
        case _, Exhausted(what=what):
            return NoVerdict(f"the implementation ran out of {what}", reason="budget")
        case (Returned(), Returned()) | (Trapped(), Trapped()):
            return None
        case Trapped(), _:
            trap = f"{reference.message} [{reference.rule}]"
            return Divergence("", f"the definition traps ({trap}), the implementation {words(outcome)}", kind="end")
        case _:
            said = getattr(outcome, "message", "")
            return Divergence(
                "", f"the definition returns, the implementation {words(outcome)}", kind="end", detail=said
            )


def _outside(verdict: BindingVerdict) -> str:
    assert isinstance(verdict.verdict, Outside)
    index = ", ".join(map(str, verdict.verdict.index))
    where = f"{verdict.place}[{index}]" if verdict.verdict.index else verdict.place
    by = verdict.verdict.by
    how = f"by {by:.3g} units in the last place" if by < float("inf") else "altogether"
    of = f" ({verdict.counts.outside} of {verdict.counts.compared} elements)" if verdict.counts.compared > 1 else ""
    told = verdict.verdict
    values = f": {told.found}, permitted {told.permitted}" if told.found else ""
    place = f", at {verdict.span}" if verdict.span is not None else ""
    return f"{where} ({verdict.what}) is outside the permitted results {how}{of}{values}{place}"


def newly_open(reference: Returned, outcome: Returned) -> str | None:
    """An element that only the implementation leaves open: refinement has a direction."""
    known = {path for path, _ in reference.poison}
    for path, rule in outcome.poison:
        if path not in known:
            return f"{path} means nothing in the implementation [{rule}]; the definition determines it"
    return None
