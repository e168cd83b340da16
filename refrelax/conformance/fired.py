"""Which rules a piece of work went through, observed from outside.

Nothing in the definition counts or records. While ``observing`` is on, Python's profiling hook tells which functions
are entered: those marked with ``@rule`` name their rules, and ``require``, ``Diagnostic``, ``trap``, ``unspecified``,
``poison`` and a ``Claim`` say theirs in an argument.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import cache
from importlib import import_module
from pkgutil import walk_packages
from types import CodeType, FrameType
from typing import Any

from refrelax import errors, rules
from refrelax.lower.claims import Claim
from refrelax.semantics.numbers import poison as poisons


@dataclass(slots=True)
class Fired:
    """The rules that were gone through: ``entered`` (their function ran), ``held`` and ``broken`` (their check)."""

    entered: set[str] = field(default_factory=set)
    held: set[str] = field(default_factory=set)
    broken: set[str] = field(default_factory=set)

    @property
    def all(self) -> set[str]:
        return self.entered | self.held | self.broken

    def add(self, other: Fired) -> None:
        """Take over what ``other`` saw."""
        self.entered |= other.entered
        self.held |= other.held
        self.broken |= other.broken


_ROOMS = tuple(f"refrelax.{room}" for room in ("syntax", "semantics", "shape_solver", "lower", "judge"))


@cache
def import_the_definition() -> None:
    """Import every module that implements rules of the language, so that ``@rule`` has marked all that it will mark."""
    for room in map(import_module, _ROOMS):
        for module in walk_packages(room.__path__, f"{room.__name__}."):
            import_module(module.name)


def _code(function: Any) -> CodeType | None:
    """The code object behind a function, looking through wrappers."""
    while hasattr(function, "__wrapped__"):
        function = function.__wrapped__
    return getattr(function, "__code__", None)


def marked() -> dict[CodeType, tuple[str, ...]]:
    """The code of every function marked with ``@rule``, and the rules that it says it implements."""
    import_the_definition()
    table: dict[CodeType, tuple[str, ...]] = {}
    for rule, functions in rules.IMPLEMENTED_BY.items():
        for function in functions:
            code = _code(function)
            if code is not None:
                table[code] = (*table.get(code, ()), rule)
    return table


def _speakers() -> dict[CodeType, str]:
    """Functions whose argument names the rule that just broke, and the name of that argument."""
    table: dict[CodeType, str] = {}
    for function, argument in (
        (errors.Diagnostic.__init__, "rule"),
        (errors.trap, "rule"),
        (errors.unspecified, "rule"),
        (poisons.poison, "rule"),
        (poisons.Poison.__init__, "rule"),
        (Claim.__init__, "rule"),
    ):
        code = _code(function)
        if code is not None:
            table[code] = argument
    return table


def _observer(into: Fired) -> Callable[[FrameType, str, Any], None]:
    table, speakers, require = marked(), _speakers(), _code(rules.require)

    def observe(frame: FrameType, event: str, _argument: Any) -> None:
        if event != "call":
            return
        code = frame.f_code
        found = table.get(code)
        if found is not None:
            into.entered.update(found)
        elif code is require:
            names = frame.f_locals
            (into.held if names["condition"] else into.broken).add(names["id"])
        elif code in speakers:
            into.broken.add(frame.f_locals[speakers[code]])

    return observe


@contextmanager
def observing() -> Iterator[Fired]:
    """Collects what fires inside the ``with``. Nests: an outer observer does not see what an inner one saw."""
    fired = Fired()
    before = sys.getprofile()
    sys.setprofile(_observer(fired))
    try:
        yield fired
    finally:
        sys.setprofile(before)
