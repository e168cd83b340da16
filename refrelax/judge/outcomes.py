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
from refrelax.judge.bindings import judge_value
from refrelax.rules import rule
from refrelax.runs import outward, run
from refrelax.semantics.budget import Budget
from refrelax.semantics.graph.link import nodes
from refrelax.semantics.numbers.verdicts import Outside, Undecided
from refrelax.semantics.types.checked import CheckedModule
from refrelax.semantics.values import Tensor as Core
from refrelax.semantics.values import from_payloads
from refrelax.syntax import dtypes
from refrelax.syntax.graph import Call, ExternFunc, Function

Externs = Mapping[str, Callable[..., Any]]

Agrees = Literal["equal", "inside", "undecided", "excluded"]
"""Bit-equal where the reference determines the bits; permitted; too wide a set to tell; left open, or out of budget."""


@dataclass(frozen=True, slots=True)
class Difference:
    """What the other side does and the reference does not permit, in words."""

    message: str


class Reference:
    """One call of a checked module, and what its outcome permits.

    ``args`` are copied for every run: a run may write to what it is given.

    Raises:
        UsageError: no such function.
        Unlinkable: a library function or a constant is missing.
    """

    def __init__(
        self, checked: CheckedModule, entry: str, args: Sequence[Any], externs: Externs, budget: Budget
    ) -> None:
        self.checked, self.entry, self.args, self.externs, self.budget = checked, entry, args, externs, budget

    def _run(self, numerics: str) -> Outcome:
        given = copies(self.args)
        return run(self.checked, self.entry, *given, numerics=numerics, externs=self.externs, budget=self.budget)

    @cached_property
    def impure(self) -> frozenset[str] | None:
        """Library functions whose calls must stay: some graph-level call of them promises no purity. ``None``: all."""
        if not isinstance(self.checked.module.functions[self.entry], Function):
            return None
        functions = self.checked.module.relax_functions().values()
        calls = (node for each in functions for node in nodes(each) if isinstance(node, Call))
        return frozenset(call.op.name for call in calls if isinstance(call.op, ExternFunc))

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
        return self._run("enclosure")

    @property
    def open(self) -> bool:
        """Whether nothing can be compared with this run."""
        return isinstance(self.outcome, Unspecified | Exhausted)

    @rule("va/refinement")
    def judge(self, found: Outcome) -> Agrees | Difference:
        """Whether an outcome is among the permitted ones."""
        if self.open or isinstance(found, Exhausted):
            return "excluded"
        match self.outcome, found:
            case Returned() as wanted, Returned():
                return self._returned(wanted, found)
            case Trapped(), Trapped():
                return "equal"
            case wanted, _:
                return Difference(f"the first ends as {short(wanted)}, the second as {short(found)}")

    def _returned(self, wanted: Returned, found: Returned) -> Agrees | Difference:
        open_before = {path for path, _ in wanted.poison}
        for path, why in found.poison:
            if path not in open_before:
                return Difference(f"{path} means nothing in the second program [{why}]")
        wanted, found = (replace(each, effects=self.kept(each)) for each in (wanted, found))
        if (effects := other_effects(wanted, found)) is not None:
            return Difference(effects)
        if same(wanted, found):
            return "equal"
        if not isinstance(self.permitted, Returned):
            return "undecided"
        undecided = False
        permitted = replace(self.permitted, effects=self.kept(self.permitted))
        for what, w, f in observed(permitted, found):
            verdict, _ = judge_value(cores(w), f)
            if isinstance(verdict, Outside):
                at = f"{what}{list(verdict.index) if verdict.index else ''}"
                return Difference(f"{at} is outside what the first program permits")
            undecided = undecided or isinstance(verdict, Undecided)
        return "undecided" if undecided else "inside"


def copies(args: Sequence[Any]) -> tuple[Any, ...]:
    """Arguments in memory of their own."""
    return tuple(map(_copy, args))


def _copy(value: Any) -> Any:
    if isinstance(value, tuple):
        return copies(value)
    core = getattr(value, "core", None)
    if not isinstance(core, Core):
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
    if isinstance(core, Core):
        if not isinstance(other, Core) or (core.dtype, core.shape) != (other.dtype, other.shape):
            return False
        pairs = zip(core.bits(), other.bits(), strict=True)
        nan = dtypes.is_float(core.dtype)
        return all(w is None or w == f or (nan and _both_nan(core.dtype, w, f)) for w, f in pairs)
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
