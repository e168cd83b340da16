"""Which rules a piece of work went through, observed from outside.

Nothing in the definition counts or records. While ``observing`` is on, other code stands in the place of that of some
functions, says that they are called, and runs them: those marked with ``@rule`` name their rules, and ``require``,
``Diagnostic``, ``trap``, ``unspecified``, ``poison`` and a ``Claim`` say theirs in an argument. All other functions run
at full speed (with Python's profiling hook, which every call of every function would have to pass, a case took four
times as long).
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import cache
from importlib import import_module
from pkgutil import walk_packages
from types import FunctionType
from typing import Any, cast

from refrelax import errors, rules
from refrelax.extras import advice
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
    """Import every module that implements rules of the language, so that ``@rule`` has marked all that it will mark.

    What needs a package that is not installed cannot run here, so that no rule of it can fire.
    """
    for room in map(import_module, _ROOMS):
        for module in walk_packages(room.__path__, f"{room.__name__}."):
            try:
                import_module(module.name)
            except ImportError as error:
                if advice(error) is None:
                    raise


def _in_the_place(*arguments: Any, **named: Any) -> Any:
    """Whose code stands for that of a function. It runs among the globals of that function, so that what it calls must
    be a constant of it: ``_Tap`` puts itself there."""
    tap: Any = "tap"
    return tap(*arguments, **named)


Hear = Callable[[Fired, tuple[Any, ...], dict[str, Any]], None]
"""Told who wants to know, and the arguments of a call, before the function runs."""


class _Tap:
    """A function that is listened to: while the tap is open, its first call (with ``always``, every call) is heard."""

    def __init__(self, function: FunctionType, hear: Hear, always: bool = False) -> None:
        self.function, self.hear, self.always = function, hear, always
        self.honest = function.__code__
        code = _in_the_place.__code__
        constants = tuple(self if each == "tap" else each for each in code.co_consts)
        self.code = code.replace(co_consts=constants, co_freevars=self.honest.co_freevars)

    def open(self) -> None:
        if self.function.__code__ is not self.code:
            self.honest, self.function.__code__ = self.function.__code__, self.code

    def close(self) -> None:
        self.function.__code__ = self.honest

    def __call__(self, *arguments: Any, **named: Any) -> Any:
        self.close()
        if not self.always:
            _HEARD.append(self)
        self.hear(_LISTENING[-1], arguments, named)
        try:
            return self.function(*arguments, **named)
        finally:
            if self.always:
                self.open()


_LISTENING: list[Fired] = []
"""Who is told, innermost last."""

_HEARD: list[_Tap] = []
"""Taps that closed when they were heard: those that ``again`` has to open."""


def _function(wrapped: Any) -> FunctionType | None:
    """The function behind wrappers."""
    while hasattr(wrapped, "__wrapped__"):
        wrapped = wrapped.__wrapped__
    return wrapped if isinstance(wrapped, FunctionType) else None


def _enters(rules: tuple[str, ...]) -> Hear:
    return lambda into, _arguments, _named: into.entered.update(rules)


def _breaks(function: FunctionType) -> Hear:
    """Of a function whose argument ``rule`` names the rule that just broke."""
    place = function.__code__.co_varnames.index("rule")

    def hear(into: Fired, arguments: tuple[Any, ...], named: dict[str, Any]) -> None:
        into.broken.add(arguments[place] if place < len(arguments) else named["rule"])

    return hear


def _checks(into: Fired, arguments: tuple[Any, ...], named: dict[str, Any]) -> None:
    """Of ``require``."""
    said = dict(zip(("condition", "id"), arguments), **named)
    (into.held if said["condition"] else into.broken).add(said["id"])


SPEAKERS: tuple[Any, ...] = (
    errors.Diagnostic.__init__, errors.trap, errors.unspecified,
    poisons.poison, poisons.noted, poisons.Poison.__init__, Claim.__init__,
)  # fmt: skip
"""Functions whose argument ``rule`` names the rule that just broke."""


@cache
def taps() -> list[_Tap]:
    """A tap on every function marked with ``@rule``, on ``SPEAKERS`` and on ``require``; made once in a process."""
    import_the_definition()
    marked: dict[FunctionType, tuple[str, ...]] = {}
    for rule, functions in rules.IMPLEMENTED_BY.items():
        for function in filter(None, map(_function, functions)):
            marked[function] = (*marked.get(function, ()), rule)
    return [
        *(_Tap(function, _enters(names)) for function, names in marked.items()),
        *(_Tap(function, _breaks(function), always=True) for function in filter(None, map(_function, SPEAKERS))),
        _Tap(cast(FunctionType, rules.require), _checks, always=True),
    ]


@contextmanager
def observing() -> Iterator[Fired]:
    """Collects what fires inside the ``with``. Nests: an outer observer does not see what an inner one saw."""
    fired, every = Fired(), taps()
    _LISTENING.append(fired)
    for tap in every:
        tap.open()
    try:
        yield fired
    finally:
        _LISTENING.pop()
        _HEARD.clear()
        for tap in every:
            tap.open() if _LISTENING else tap.close()


def again(fired: Fired) -> set[str]:
    """What fired since the last time that this was asked; from now on every rule is heard once more."""
    heard = fired.all
    if heard:
        for each in (fired.entered, fired.held, fired.broken):
            each.clear()
        while _HEARD:
            _HEARD.pop().open()
    return heard
