"""Watching a run: one event per call, binding, effect, allocation, and, on request, loop step.

``trace`` runs a function and gives its events and its outcome; ``Tracer`` is the listener it rests on, for those who
want the events while the run goes on.

Spec: ``spec/07-evaluation.md``.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from refrelax.errors import Effect, Outcome
from refrelax.running.run import outward, run
from refrelax.semantics.graph.machine import Scope
from refrelax.semantics.storage import Storage
from refrelax.semantics.types.checked import CheckedModule
from refrelax.semantics.values import TensorValue
from refrelax.syntax.graph import Binding


@dataclass(frozen=True, slots=True)
class Event:
    """One thing that happened.

    ``kind``: ``call``, ``binding``, ``allocation``, ``step`` or ``effect``; ``path``: the function (``main``,
    ``main/inner``, ``add``); ``name``: what is bound, allocated, stepped or called; ``value``: the arguments of a call,
    the value bound (its contents at that moment), the shape, the value of the loop variable, the payload.
    """

    kind: str
    path: str
    name: str
    value: Any = None
    dtype: str = ""
    scope: str = ""
    span: Any = None


class Tracer:
    """A listener that hands every event to ``say``."""

    def __init__(self, say: Callable[[Event], None], loops: bool = False) -> None:
        self.say = say
        if loops:
            self.on_step = self._step

    def on_binding(self, path: str, binding: Binding, value: Any, scope: Scope) -> None:
        """A binding was evaluated."""
        self.say(Event("binding", path, binding.name, seen(value), span=binding.span))

    def on_call(self, path: str, args: list[Any]) -> None:
        """A function of the module is entered."""
        self.say(Event("call", path, path.rpartition("/")[2], tuple(seen(each) for each in args)))

    def on_allocation(
        self, path: str, name: str, dtype: str, shape: tuple[int, ...], scope: str, _storage: Storage
    ) -> None:
        """A buffer was allocated inside a loop-level function."""
        self.say(Event("allocation", path, name, shape, dtype, scope))

    def on_effect(self, effect: Effect) -> None:
        """Something observable happened."""
        self.say(Event("effect", "", effect.name, tuple(seen(each) for each in effect.payload), scope=effect.kind))

    def _step(self, path: str, name: str, value: int) -> None:
        self.say(Event("step", path, name, value))


def seen(value: Any) -> Any:
    """A run-time value as it is now: memory that changes later does not change it."""
    match value:
        case TensorValue():
            copy = value.numerics, value.dtype, value.shape, value.payloads()
            from refrelax.semantics.values import from_payloads

            return outward(from_payloads(*copy))
        case tuple():
            return tuple(seen(each) for each in value)
        case _:
            return outward(value)


def trace(
    checked: CheckedModule, entry: str = "main", *args: Any, loops: bool = False, **options: Any
) -> tuple[tuple[Event, ...], Outcome]:
    """Run a function and watch it; ``options`` are those of ``run``. Gives the events, in order, and the outcome."""
    events: list[Event] = []
    outcome = run(checked, entry, *args, listener=Tracer(events.append, loops), **options)
    return tuple(events), outcome
