"""Indented lines, and generic traversal of the frozen syntax."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field, fields, is_dataclass
from functools import cache
from typing import Any

_INDENT = "    "


@dataclass(slots=True)
class Lines:
    """A text under construction."""

    lines: list[str] = field(default_factory=list)
    depth: int = 0

    def put(self, text: str) -> None:
        """One line at the present indentation."""
        self.lines.append(_INDENT * self.depth + text if text else "")

    @contextmanager
    def block(self, head: str) -> Iterator[None]:
        """``head`` and an indented block below it; ``pass`` where the block stays empty."""
        self.put(head)
        self.depth += 1
        before = len(self.lines)
        yield
        if len(self.lines) == before:
            self.put("pass")
        self.depth -= 1


@cache
def field_names(kind: type) -> tuple[str, ...]:
    """The fields of a node class that carry meaning, in order of declaration."""
    return tuple(f.name for f in fields(kind) if f.name != "span" and f.init)


@cache
def _fields_last_first(kind: type) -> tuple[str, ...] | None:
    """The fields of a node class; ``None`` for anything that is no node."""
    return field_names(kind)[::-1] if is_dataclass(kind) else None


def nodes(root: object, stop: tuple[type, ...] = ()) -> Iterator[object]:
    """Every node below ``root`` (itself included), parents first, in field order, without recursion.

    Nodes of a class in ``stop`` are yielded, but not entered (except ``root`` itself).
    """
    pending: list[object] = [root]
    while pending:
        current = pending.pop()
        kind: Any = type(current)
        if isinstance(current, tuple):
            pending.extend(reversed(current))
        elif (names := _fields_last_first(kind)) is not None:
            yield current
            if current is root or not isinstance(current, stop):
                pending.extend([getattr(current, name) for name in names])
