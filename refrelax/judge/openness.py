"""Where what the reference leaves open comes from: the rule, the first binding that it stands in, the place.

A poisoned element carries its rule only. So the run is done once more with a listener, and the first binding whose
value holds a mark of that rule, and whose operands hold none, is where it arose. Fresh memory is passed over while
there is another: it is poison by nature, and what matters is who failed to fill it.

Spec: ``spec/09-outcomes.md``, *Three kinds of openness*.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from refrelax.errors import Returned, Unspecified
from refrelax.judge.bindings import describe
from refrelax.judge.known_bindings import used
from refrelax.judge.report import Open
from refrelax.running.run import run
from refrelax.semantics.budget import Budget
from refrelax.semantics.graph.machine import Scope
from refrelax.semantics.numbers.plain import plain
from refrelax.semantics.numbers.poison import NotedPoison
from refrelax.semantics.types.checked import CheckedModule
from refrelax.semantics.values import TensorValue
from refrelax.syntax.graph import Binding

LACKING = frozenset({"ld/intrinsic-without-meaning"})
"""Rules under which a run is open because this edition gives a construct no meaning."""

MISSING = frozenset({"ev/library-missing", "ev/constant-missing"})
"""Rules under which a run is open because something was not supplied."""

MEMORY = ("alloc_", "memory.", "builtin.alloc", "vm.alloc", "vm.builtin", "empty")
"""How the words for an allocation begin."""


class Origins:
    """A listener that notes, for each rule, the first binding that its poison stands in."""

    def __init__(self) -> None:
        self.found: dict[str, Open] = {}
        self.fresh: dict[str, Open] = {}

    def on_binding(self, path: str, binding: Binding, value: Any, scope: Scope) -> None:
        """See ``Listener``."""
        notes = marks(value)
        if not notes:
            return
        before = frozenset(rule for name in used(binding) for rule in marks(scope.values.get(name)))
        what = describe(binding)
        kept = self.fresh if what.startswith(MEMORY) else self.found
        for rule, note in notes.items():
            if rule not in before and rule not in kept:
                what_ = what if " " in what else f"R.{what}"
                kept[rule] = Open(rule, f"{path}/{binding.name}", what_, binding.span, note=note)

    def of(self, rule: str, entry: str) -> Open:
        """Where the poison of a rule arose."""
        return self.found.get(rule) or self.fresh.get(rule) or Open(rule, entry)


def marks(value: Any) -> dict[str, str]:
    """The rules of the poison in a value, each with what the first mark notes."""
    match value:
        case TensorValue():
            found: dict[str, str] = {}
            payloads = value.payloads()
            if plain(payloads):
                return found
            rule_of = value.numerics.poison_rule
            for payload in payloads:
                if (rule := rule_of(payload)) is not None and rule not in found:
                    found[rule] = payload.note if isinstance(payload, NotedPoison) else ""
            return found
        case tuple():
            return {rule: note for each in reversed(value) for rule, note in marks(each).items()}
        case _:
            return {}


def whole_run(end: Unspecified) -> Open:
    """What a run that is open as a whole says of itself."""
    return Open(end.rule, end.binding, "", end.span, None, end.message)


def open_elements(
    checked: CheckedModule,
    entry: str,
    args: Sequence[Any],
    externs: Mapping[str, Any],
    budget: Budget,
    outcome: Returned,
) -> tuple[Open, ...]:
    """What a run that returned leaves open, by rule, most elements first. ``args`` are written to."""
    counts = Counter(rule for _, rule in outcome.poison)
    if not counts:
        return ()
    origins = Origins()
    run(checked, entry, *args, externs=externs, budget=budget, listener=origins)
    return _counted(origins, counts.most_common(), entry)


def _counted(origins: Origins, counts: Iterable[tuple[str, int]], entry: str) -> tuple[Open, ...]:
    found = []
    for rule, count in counts:
        at = origins.of(rule, entry)
        found.append(Open(rule, at.binding, at.what, at.span, count, at.note))
    return tuple(found)
