"""Fresh names."""

from __future__ import annotations

from collections.abc import Iterable


class Taken:
    """The names in use somewhere; ``fresh`` gives another one and remembers it."""

    def __init__(self, names: Iterable[str] = ()) -> None:
        self.names = set(names)

    def add(self, *names: str) -> None:
        self.names.update(names)

    def fresh(self, wish: str) -> str:
        """``wish``, or the first of ``wish_1``, ``wish_2``, … that is free; ``_1`` at its end is counted up."""
        name, k = wish, 0
        before, _, number = wish.rpartition("_")
        stem = before if before and number.isdigit() else wish
        while name in self.names:
            k += 1
            name = f"{stem}_{k}"
        self.names.add(name)
        return name
