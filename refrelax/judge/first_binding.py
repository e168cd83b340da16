"""Where two programs part: the first binding that both have and that got another value."""

from __future__ import annotations

from collections import Counter
from typing import Any

from refrelax.judge.bindings import judge_value
from refrelax.judge.outcomes import Reference, copies, cores
from refrelax.running.run import outward, run
from refrelax.running.trace import seen
from refrelax.semantics.graph.machine import Scope
from refrelax.semantics.numbers.verdicts import Outside
from refrelax.semantics.types.checked import CheckedModule
from refrelax.semantics.values import TensorValue
from refrelax.syntax.graph import Binding

Place = tuple[str, str, int]
"""The path of a function, the name of a binding, and how often it was evaluated before."""


class _Values:
    """A listener that keeps every value, as it was when it was bound."""

    def __init__(self) -> None:
        self.found: dict[Place, Any] = {}
        self.times: Counter[tuple[str, str]] = Counter()

    def on_binding(self, path: str, binding: Binding, value: Any, scope: Scope) -> None:
        place = (path, binding.name)
        self.found[(*place, self.times[place])] = seen(value)
        self.times[place] += 1


def first_other_binding(before: CheckedModule, after: CheckedModule, entry: str, reference: Reference) -> str:
    """``main/lv2``, or nothing: the first binding of ``after`` whose value lies outside what ``before`` permits for the
    binding of that name. Memory that is filled in later (poison so far), and values of another type, are passed over:
    after some passes a name stands for something else."""
    permitted, values = _Values(), _Values()
    for checked, numerics, listener in ((before, reference.sets, permitted), (after, "ieee", values)):
        given = copies(reference.args)
        run(
            checked,
            entry,
            *given,
            numerics=numerics,
            externs=reference.externs,
            budget=reference.budget,
            listener=listener,
        )
    for place, value in values.found.items():
        wanted = permitted.found.get(place)
        if _comparable(wanted, value) and isinstance(judge_value(cores(wanted), outward(value))[0], Outside):
            return f"{place[0]}/{place[1]}"
    return ""


def _comparable(wanted: Any, value: Any) -> bool:
    """Tensors of one type, all of whose elements mean something."""
    a, b = cores(wanted), cores(value)
    if not isinstance(a, TensorValue) or not isinstance(b, TensorValue) or (a.dtype, a.shape) != (b.dtype, b.shape):
        return False
    return not any(each.numerics.poison_rule(p) is not None for each in (a, b) for p in each.payloads())
