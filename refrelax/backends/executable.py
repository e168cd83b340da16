"""What every backend gives: an executable, and what can be seen of a run of it."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, Protocol

from refrelax.errors import Outcome


@dataclass(slots=True)
class Frame:
    """One binding of a run: the names in scope just before it (surface-independent: arrays, numbers, tuples, shapes)
    and
    the value that it gave. ``name`` is empty for the entry of a function."""

    path: str
    name: str
    names: Mapping[str, Any]
    value: Any = None
    done: bool = False


@dataclass(frozen=True, slots=True)
class Observed:
    """An outcome with every binding on the way to it, in order."""

    outcome: Outcome
    frames: tuple[Frame, ...] = field(repr=False)
    unobserved: tuple[tuple[str, int], ...] = ()
    """Bindings that could not be shown, counted by the reason: the NumPy backend shows all but those whose value is the
    definition's own."""


class Executable(Protocol):
    """A compiled module."""

    @property
    def source(self) -> str: ...

    def run(
        self, entry: str = "main", *args: Any, externs: Mapping[str, Callable[..., Any]] | None = None
    ) -> Outcome: ...

    def observe(self, entry: str, *args: Any, externs: Mapping[str, Callable[..., Any]] | None = None) -> Observed: ...

    def __getitem__(self, entry: str) -> Callable[..., Any]: ...
