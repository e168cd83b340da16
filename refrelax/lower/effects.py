"""Calls that say something to the world behind their purity: they print, call library functions for their effect, or
meet other workers.

A function with ``relax.force_pure`` may print and call libraries, and its callers are pure. A collective is pure, but
where one worker does not come to it the others wait.

Spec: ``spec/10-lowering.md``, ``lo/dead-binding``.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from refrelax.semantics.graph.link import nodes, reached_nodes
from refrelax.semantics.graph.unknown_calls import functions_named, of_library
from refrelax.semantics.ops import COLLECTIVE
from refrelax.syntax.graph import Call, Function, GlobalVar, Op, Var

CLOSURES = frozenset({"relax.invoke_closure", "relax.invoke_pure_closure"})
"""Operators that call a function that is a value."""


@dataclass(slots=True)
class Effects:
    """Asked of values of a module with these ``functions``."""

    functions: Mapping[str, Any]
    known: dict[str, bool] = field(default_factory=dict)

    def within(self, value: Any) -> bool:
        """Whether such a call may be made by a call below ``value``. Of a function that is a value nobody knows which
        one it is: all of the module count."""
        calls = [node for node in nodes(value) if isinstance(node, Call)]
        return any(_meets(call) or any(map(self._function, self._called(call))) for call in calls)

    def _called(self, call: Call) -> list[str]:
        match call.op:
            case GlobalVar(name=name):
                return [name] if isinstance(self.functions.get(name), Function) else []
            case Var():
                return [name for name, f in self.functions.items() if isinstance(f, Function)]
            case Op(name=name) if name in CLOSURES:
                return [name for name, f in self.functions.items() if isinstance(f, Function)]
            case _:
                return []

    def _function(self, name: str) -> bool:
        """Whether such a call stands in a function, or in one that it reaches."""
        if name not in self.known:
            named = {each: functions_named(function) for each, function in self.functions.items()}
            found = ((at, node) for at, node in reached_nodes(self.functions, (name,)) if isinstance(node, Call))
            self.known[name] = any(
                _meets(c) or _prints(c) or of_library(c, self.functions, named[at]) for at, c in found
            )
        return self.known[name]


def _prints(call: Call) -> bool:
    return isinstance(call.op, Op) and call.op.name == "relax.print"


def _meets(call: Call) -> bool:
    return isinstance(call.op, Op) and call.op.name in COLLECTIVE
