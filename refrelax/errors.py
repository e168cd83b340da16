"""Rejections, the ends of a run, and where in the text they happened.

A program is *rejected* before it runs (``Malformed``, ``IllFormed``, ``IllTyped``, ``Unlinkable``: exceptions that
carry
every diagnostic found), or it runs and *ends* (``Returned``, ``Trapped``, ``Exhausted``, ``Unspecified``: plain
values).
``InternalError`` is neither: a checked program did what checking should have excluded, always a bug of refrelax.

Spec: ``spec/09-outcomes.md``.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field, replace
from typing import Any

from refrelax.notebook import table


@dataclass(frozen=True, slots=True)
class Span:
    """A place in a source text: file name, one-based line, one-based column."""

    file: str
    line: int
    column: int

    def __str__(self) -> str:
        return f"{self.file}:{self.line}:{self.column}"


@dataclass(frozen=True, slots=True)
class Diagnostic:
    """One reason for a rejection.

    ``message`` says what was expected and what was found; ``related`` names other places that matter
    (the definition that a use contradicts, the first of two definitions).
    """

    rule: str
    message: str
    span: Span | None = None
    related: tuple[tuple[str, Span | None], ...] = ()

    def __str__(self) -> str:
        place = f"{self.span}: " if self.span is not None else ""
        notes = "".join(f"; {what} at {where}" for what, where in self.related if where is not None)
        return f"{place}{self.message}{notes} [{self.rule}]"


class Rejection(Exception):
    """A program was refused before it ran. ``diagnostics`` holds all reasons, in source order; never empty."""

    def __init__(self, diagnostics: Iterable[Diagnostic]) -> None:
        self.diagnostics: tuple[Diagnostic, ...] = tuple(diagnostics)
        super().__init__("\n".join(str(d) for d in self.diagnostics))

    def __reduce__(self) -> tuple[object, ...]:
        return type(self), (self.diagnostics,)


class Malformed(Rejection):
    """The text is not a module of the language (chapter 03)."""


class IllFormed(Rejection):
    """The module breaks a structural condition (chapter 04)."""


class IllTyped(Rejection):
    """Deduction found a contradiction (chapter 05)."""


class Unlinkable(Rejection):
    """A library function or a constant that the program needs was not supplied."""


class InternalError(AssertionError):
    """refrelax broke its own promise: report it. Never a verdict about a program."""


class NoBits(InternalError):
    """An element of a reading that is no single number was asked for its bits."""


class UsageError(ValueError):
    """The *caller* asked for something that is not there: no such function, a missing argument file."""


# --- the ends of a run -----------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Effect:
    """One observable event of a run, in order: a print, a call of an impure library function."""

    kind: str
    name: str
    payload: tuple[Any, ...] = ()


class Shown:
    """What a notebook shows of an outcome."""

    __slots__ = ()

    def _repr_html_(self) -> str:
        return table(type(self).__name__, ((name, getattr(self, name)) for name in getattr(self, "__match_args__", ())))


@dataclass(frozen=True, slots=True)
class Returned(Shown):
    """The run ended with a value.

    ``arguments``: the final contents of the arguments (destination passing and in-place calls change them);
    ``effects``: prints and extern calls, in order; ``poison``: which observed elements mean nothing, and under which
    rules:
    pairs of (path such as ``value[0][2, 1]``, rule id), in order.
    """

    value: Any
    arguments: tuple[Any, ...] = ()
    effects: tuple[Effect, ...] = ()
    poison: tuple[tuple[str, str], ...] = ()


@dataclass(frozen=True, slots=True)
class Trapped(Shown):
    """A check that the language promises failed: every conforming implementation must report an error.

    ``binding``: the graph-level binding that was being evaluated (``main/lv3``), if any.
    """

    rule: str
    message: str = field(default="", compare=False)
    span: Span | None = field(default=None, compare=False)
    binding: str = field(default="", compare=False)


@dataclass(frozen=True, slots=True)
class Exhausted(Shown):
    """A step, element, depth or time budget ran out, or memory did (``what`` names it): no verdict."""

    what: str


@dataclass(frozen=True, slots=True)
class Unspecified(Shown):
    """The language leaves the whole run open from this point on. ``binding``: as in ``Trapped``."""

    rule: str
    message: str = field(default="", compare=False)
    span: Span | None = field(default=None, compare=False)
    binding: str = field(default="", compare=False)


Outcome = Returned | Trapped | Exhausted | Unspecified


class Ended(Exception):
    """Internal control flow of the evaluators: carries the outcome that ends the run. Never escapes ``rr.run``."""

    def __init__(self, outcome: Trapped | Exhausted | Unspecified) -> None:
        self.outcome = outcome
        self.loops: list[tuple[str, int]] = []
        """Loop variables in scope where it happened, innermost first; filled in as the loops are left."""
        super().__init__(str(outcome))

    def within(self, binding: str, span: Span | None) -> None:
        """Note the binding whose evaluation ended; the innermost stays, and gives its place where none is known."""
        if isinstance(self.outcome, Trapped | Unspecified) and not self.outcome.binding:
            self.outcome = replace(self.outcome, binding=binding, span=self.outcome.span or span)

    def __reduce__(self) -> tuple[object, ...]:
        return Ended, (self.outcome,), {"loops": self.loops}


def trap(rule: str, message: str, span: Span | None = None) -> Ended:
    """The exception that ends a run with ``Trapped``; used as ``raise trap("ev/…", "…")``."""
    return Ended(Trapped(rule, message, span))


def unspecified(rule: str, message: str, span: Span | None = None) -> Ended:
    """The exception that ends a run with ``Unspecified``; used as ``raise unspecified("ld/…", "…")``."""
    return Ended(Unspecified(rule, message, span))


class RunError(RuntimeError):
    """An executable called as a function (``f["main"](…)``) did not return; ``outcome`` says how it ended."""

    def __init__(self, outcome: Outcome) -> None:
        self.outcome = outcome
        super().__init__(in_words(outcome))

    def __reduce__(self) -> tuple[object, ...]:
        return RunError, (self.outcome,)


def in_words(outcome: Outcome) -> str:
    """An end of a run as one line: where, what was expected and what was found, and the rule."""
    match outcome:
        case Trapped(rule, message, span, _) | Unspecified(rule, message, span, _):
            place = "" if span is None else f"{span}: "
            return f"{place}{message or type(outcome).__name__} [{rule}]"
        case _:
            return str(outcome)
