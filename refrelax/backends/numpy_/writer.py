"""Python source under construction."""

from __future__ import annotations

from dataclasses import dataclass, field, replace

from refrelax.backends.numpy_.expressions import Text


@dataclass(slots=True)
class Writer:
    """Source under construction: lines, indentation, and what is in scope. ``in_order``: no element is stored before
    those that the program stores before it."""

    text: Text
    fast: bool
    lines: list[str] = field(default_factory=list)
    depth: int = 1
    in_order: bool = False

    def line(self, text: str) -> None:
        self.lines.append("    " * self.depth + text)

    def scope(self) -> Writer:
        """The same lines, with loop variables and aliases of its own."""
        inner = replace(
            self.text,
            extents=dict(self.text.extents),
            aliases=dict(self.text.aliases),
            elements=set(self.text.elements),
            buffers=dict(self.text.buffers),
        )
        return replace(self, text=inner)
