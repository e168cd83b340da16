"""One run of a program as the measure of others: is their outcome among those that it permits?

Refinement has a direction: what the reference leaves open may become anything; what only the other side leaves open
is a difference.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, Literal

from refrelax.errors import Effect, Exhausted, Outcome, Returned, Trapped, Unspecified
from refrelax.judge import openness, zero_signs
from refrelax.judge.report import Open
from refrelax.judge.tally import NOTHING, Tally
from refrelax.rules import rule
from refrelax.running.run import outward, run
from refrelax.semantics.budget import Budget
from refrelax.semantics.graph.link import nodes
from refrelax.semantics.graph.unknown_calls import callee_of, functions_named
from refrelax.semantics.judging import magnitude, number_text, set_text
from refrelax.semantics.numbers.enclosure import judge as judge_element
from refrelax.semantics.numbers.enclosure import observed_number, surely_poison
from refrelax.semantics.numbers.strict import is_strict, sign_kept
from refrelax.semantics.numbers.verdicts import Outside, Undecided
from refrelax.semantics.types.checked import CheckedModule
from refrelax.semantics.values import TensorValue, from_payloads
from refrelax.syntax import dtypes
from refrelax.syntax.graph import Call, ExternFunc, Function

Externs = Mapping[str, Callable[..., Any]]

STRICT_ALONE = "; Relax permits it, the strict profile does not [num/strict]"
"""What is said of a result that only ``strict`` does not permit."""

Agrees = Literal["equal", "inside", "undecided", "excluded"]
"""Bit-equal where the reference determines the bits; permitted; too wide a set to tell; left open, or out of budget."""


@dataclass(frozen=True, slots=True)
class Difference:
    """What the other side does and the reference does not permit, in words. ``structural``: not a number, but the end
    of the run, a shape, an effect or an element without meaning, which no relaxation explains. ``field``: of a tuple,
    where in it (``1.0``)."""

    message: str
    structural: bool = False
    field: str = ""


class Reference:
    """One call of a checked module, and what its outcome permits.

    ``args`` are copied for every run: a run may write to what it is given.

    Raises:
        UsageError: no such function.
        Unlinkable: a library function or a constant is missing.
    """

    def __init__(
        self,
        checked: CheckedModule,
        entry: str,
        args: Sequence[Any],
        externs: Externs,
        budget: Budget,
        sets: str = "enclosure",
    ) -> None:
        self.checked, self.entry, self.args, self.externs, self.budget = checked, entry, args, externs, budget
        self.sets = sets
        """The reading that gives the permitted results: ``enclosure``, or ``strict``."""

    def _run(self, numerics: str) -> Outcome:
        given = copies(self.args)
        return run(self.checked, self.entry, *given, numerics=numerics, externs=self.externs, budget=self.budget)

    @cached_property
    def impure(self) -> frozenset[str] | None:
        """Library functions whose calls must stay: some graph-level call of them promises no purity. ``None``: all."""
        if not isinstance(self.checked.module.functions[self.entry], Function):
            return None
        functions = self.checked.module.functions
        found: set[str] = set()
        for each in self.checked.module.relax_functions().values():
            named = functions_named(each)
            for call in (node for node in nodes(each) if isinstance(node, Call)):
                callee = callee_of(call, functions, named)
                if isinstance(callee, ExternFunc):
                    found.add(callee.name)
                elif callee is None:  # a value: whichever of those that are named
                    found |= {
                        node.name for f in functions.values() for node in nodes(f) if isinstance(node, ExternFunc)
                    }
        return frozenset(found)

    def kept(self, outcome: Returned) -> tuple[Effect, ...]:
        """The effects of a run that a transformation must keep."""
        if self.impure is None:
            return outcome.effects
        return tuple(e for e in outcome.effects if e.kind != "call" or e.name in self.impure)

    @cached_property
    def outcome(self) -> Outcome:
        """The canonical outcome."""
        return self._run("ieee")

    @cached_property
    def permitted(self) -> Outcome:
        """The permitted results of the whole call."""
        return self._run(self.sets)

    @cached_property
    def origins(self) -> tuple[Open, ...]:
        """What the canonical outcome leaves open, with the binding that each came from."""
        if not isinstance(self.outcome, Returned):
            return ()
        given = copies(self.args)
        return openness.open_elements(self.checked, self.entry, given, self.externs, self.budget, self.outcome)

    @property
    def open(self) -> bool:
        """Whether nothing can be compared with this run."""
        return isinstance(self.outcome, Unspecified | Exhausted)

    def judge(self, found: Outcome) -> Agrees | Difference:
        """Whether an outcome is among the permitted ones."""
        return self.compare(found)[0]

    @rule("va/refinement")
    def compare(self, found: Outcome) -> tuple[Agrees | Difference, Tally]:
        """Whether an outcome is among the permitted ones, and how many elements were compared."""
        wanted = self.outcome
        if isinstance(wanted, Unspecified):
            return "excluded", Tally(open=(openness.whole_run(wanted),))
        if isinstance(wanted, Exhausted) or isinstance(found, Exhausted):
            return "excluded", NOTHING
        match wanted, found:
            case Returned(), Returned():
                return self._returned(wanted, found)
            case Trapped(), Trapped():
                return "equal", Tally(inside=1, runs=1, results={"the end of the run": 1})
            case _:
                message = f"the first ends as {short(wanted)}, the second as {short(found)}"
                return Difference(message, structural=True), Tally(outside=1, runs=1)

    def _returned(self, wanted: Returned, found: Returned) -> tuple[Agrees | Difference, Tally]:
        outside = Tally(outside=1, runs=1)
        open_before = {path for path, _ in wanted.poison}
        for path, why in found.poison:
            if path not in open_before:
                return Difference(f"{path} means nothing in the second program [{why}]", structural=True), outside
        wanted, found = (replace(each, effects=self.kept(each)) for each in (wanted, found))
        if (effects := other_effects(wanted, found)) is not None:
            return Difference(effects, structural=True), outside
        results = self.results(wanted)
        if self.sets != "strict" and same(wanted, found):
            return "equal", tally(results, self.origins)
        if not isinstance(self.permitted, Returned):
            return "undecided", Tally(undecided=1, runs=1)
        total = tally(results, self.origins)
        permitted = replace(self.permitted, effects=self.kept(self.permitted))
        undecided = 0
        for (what, w, f), (_, exact, _) in zip(observed(permitted, found), observed(wanted, found), strict=True):
            judged = judge_value(cores(w), cores(exact), cores(f))
            if isinstance(judged, Difference):
                where = f"{what}.{judged.field}" if judged.field else what
                return replace(judged, message=f"{where}{judged.message}{self.by_strict_alone(found)}"), outside
            undecided += judged
        signs = zero_signs.needed(((w, f) for _, w, f in observed(wanted, found)), self.sets)
        total = replace(total, inside=max(0, total.inside - undecided), undecided=undecided, relaxations=signs)
        return "undecided" if undecided else "inside", total

    def by_strict_alone(self, found: Returned) -> str:
        """A remark on what ``strict`` does not permit and Relax does."""
        if self.sets != "strict":
            return ""
        relaxed = Reference(self.checked, self.entry, self.args, self.externs, self.budget)
        return "" if isinstance(relaxed.judge(found), Difference) else STRICT_ALONE

    def results(self, wanted: Returned) -> dict[str, Any]:
        """What a run is asked for: the result, the effects, and the arguments that it changes."""
        found: dict[str, Any] = {}
        _leaves("the result", wanted.value, found)
        for k, (after, before) in enumerate(zip(wanted.arguments, self.args, strict=False)):
            if not same_bits(after, before):
                _leaves(f"argument {k}", after, found)
        if not found:  # a PrimFunc that leaves its buffers as they are
            found = {f"argument {k}": a for k, a in enumerate(wanted.arguments) if getattr(a, "size", 0)}
        for k, effect in enumerate(wanted.effects):
            _leaves(f"effect {k}", outward(effect.payload), found)
        return found


def _leaves(name: str, value: Any, found: dict[str, Any]) -> None:
    if isinstance(value, tuple) and value:
        for k, each in enumerate(value):
            _leaves(f"{name}.{k}", each, found)
    elif value is not None:
        found[name] = value


def same_bits(after: Any, before: Any) -> bool:
    """Whether an argument is what it was, bit for bit."""
    core, other = getattr(after, "core", None), getattr(before, "core", None)
    if not isinstance(core, TensorValue) or not isinstance(other, TensorValue):
        return True
    return list(core.bits()) == list(other.bits())


def tally(results: Mapping[str, Any], origins: tuple[Open, ...]) -> Tally:
    """The elements of results that are determined, all counted as inside, and those that are open."""
    compared: dict[str, int] = {}
    excluded = 0
    for name, value in results.items():
        core = getattr(value, "core", None)
        if not isinstance(core, TensorValue):
            compared[name] = 1
            continue
        patterns = list(core.bits())
        poison = sum(each is None for each in patterns)
        compared[name] = len(patterns) - poison if patterns else 1
        excluded += poison
    return Tally(sum(compared.values()), excluded=excluded, runs=1, open=origins, results=compared)


def judge_value(wanted: Any, canonical: Any, found: Any) -> int | Difference:
    """How many elements of an observed value are undecided by the permitted ones, or what is outside. What is canonical
    is permitted, however wide the enclosure is."""
    if isinstance(wanted, tuple):
        if not isinstance(found, tuple) or len(found) != len(wanted):
            return Difference(" has another structure", structural=True)
        total = 0
        for k, (w, c, f) in enumerate(zip(wanted, canonical, found, strict=True)):
            judged = judge_value(w, c, f)
            if isinstance(judged, Difference):
                return replace(judged, field=f"{k}.{judged.field}" if judged.field else str(k))
            total += judged
        return total
    if isinstance(wanted, TensorValue):
        return _judge_tensor(wanted, canonical, found)
    number = getattr(wanted, "value", wanted)
    other = getattr(found, "value", found)
    if number == other or (number != number and other != other) or callable(wanted):
        return 0
    return Difference(" is outside what the first program permits")


def _judge_tensor(wanted: TensorValue, canonical: Any, found: Any) -> int | Difference:
    if not isinstance(found, TensorValue) or (found.dtype, found.shape) != (wanted.dtype, wanted.shape):
        return Difference(" has another dtype or shape", structural=True)
    scale, undecided, nan = magnitude(wanted), 0, dtypes.is_float(wanted.dtype)
    strictly = nan and is_strict(wanted.numerics)
    rows = zip(wanted.indices(), wanted.payloads(), canonical.bits(), found.bits(), strict=True)
    for index, payload, exact, pattern in rows:
        left_open = wanted.numerics.poison_rule(payload) is not None and (exact is None or surely_poison(payload))
        if left_open or (exact is None and not is_strict(wanted.numerics)):
            continue
        if exact == pattern or (nan and exact is not None and _both_nan(wanted.dtype, exact, pattern)):
            continue
        if pattern is None:
            return Difference(f"{list(index)} means nothing in the second program")
        verdict = judge_element(payload, wanted.dtype, pattern, scale)
        other_sign = strictly and not sign_kept(payload, observed_number(wanted.dtype, pattern))
        if isinstance(verdict, Outside) or other_sign:
            at = str(list(index)) if index else ""
            told = f"{number_text(pattern, wanted.dtype)}, permitted {set_text(payload, wanted.dtype)}"
            return Difference(f"{at} is outside what the first program permits: {told}")
        undecided += isinstance(verdict, Undecided)
    return undecided


def copies(args: Sequence[Any]) -> tuple[Any, ...]:
    """Arguments in memory of their own."""
    return tuple(map(_copy, args))


def _copy(value: Any) -> Any:
    if isinstance(value, tuple):
        return copies(value)
    core = getattr(value, "core", None)
    if not isinstance(core, TensorValue):
        return value
    return type(value)(from_payloads(core.numerics, core.dtype, core.shape, list(core.payloads())))


def observed(wanted: Returned, found: Returned) -> Iterator[tuple[str, Any, Any]]:
    """The result, the final arguments and what the effects showed in two runs, side by side."""
    yield "the result", wanted.value, found.value
    for k, (w, f) in enumerate(zip(wanted.arguments, found.arguments, strict=True)):
        yield f"argument {k}", w, f
    for k, (a, b) in enumerate(zip(wanted.effects, found.effects, strict=True)):
        yield f"effect {k}", outward(a.payload), outward(b.payload)


def other_effects(wanted: Returned, found: Returned) -> str | None:
    """The first effect that differs in kind or name, or is missing on one side, in words."""
    ours, theirs = ([f"{e.kind} {e.name}" for e in each.effects] for each in (wanted, found))
    if ours == theirs:
        return None
    k = next((k for k, (a, b) in enumerate(zip(ours, theirs, strict=False)) if a != b), min(len(ours), len(theirs)))
    first, second = (each[k] if k < len(each) else "none" for each in (ours, theirs))
    return f"effect {k} of the first is {first}, of the second {second}"


def same(wanted: Returned, found: Returned) -> bool:
    """Bit-equal wherever the first program determines the element."""
    return all(same_value(w, f) for _, w, f in observed(wanted, found))


def same_value(wanted: Any, found: Any) -> bool:
    """Bit-equal, any NaN for a NaN, anything for poison."""
    if isinstance(wanted, tuple):
        return isinstance(found, tuple) and len(wanted) == len(found) and all(map(same_value, wanted, found))
    core, other = (getattr(each, "core", each) for each in (wanted, found))
    if isinstance(core, TensorValue):
        if not isinstance(other, TensorValue) or (core.dtype, core.shape) != (other.dtype, other.shape):
            return False
        pairs = zip(core.bits(), other.bits(), strict=True)
        nan = dtypes.is_float(core.dtype)
        return all(w is None or w == f or (nan and _both_nan(core.dtype, w, f)) for w, f in pairs)
    if zero_signs.crossed(wanted, found):
        return False
    return bool(wanted == found) or (wanted != wanted and found != found)


def _both_nan(dtype: str, a: int, b: int | None) -> bool:
    from refrelax.syntax.bits import decode

    if b is None:
        return False
    x, y = decode(dtype, a), decode(dtype, b)
    return x != x and y != y


def cores(value: Any) -> Any:
    """A surface value as run-time values."""
    if isinstance(value, tuple):
        return tuple(cores(each) for each in value)
    return getattr(value, "core", value)


def short(outcome: Outcome) -> str:
    """An outcome in two words."""
    rule = getattr(outcome, "rule", "")
    return f"{type(outcome).__name__} {rule}".strip()


def words(outcome: Outcome) -> str:
    """How a run ended, as the predicate of a sentence on one line: ``traps: an index of 3 in 2 [ev/bounds]``."""
    match outcome:
        case Returned(value=value):
            said = f"returns {value}"
        case Trapped(rule=rule_, message=message):
            said = f"traps: {message} [{rule_}]" if message else f"traps [{rule_}]"
        case Unspecified(rule="impl/error" as rule_, message=message):
            said = f"fails: {message} [{rule_}]"
        case Unspecified(rule=rule_, message=message):
            said = f"ends where nothing is said of it: {message} [{rule_}]"
        case Exhausted(what=what):
            said = f"runs out of {what}"
    return " ".join(said.split())
