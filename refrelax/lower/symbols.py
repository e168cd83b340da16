"""The symbols that a part of a graph-level function needs: those that occur free in its scalars, shapes and types."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from refrelax.semantics.graph.link import nodes
from refrelax.syntax.scalars import Let, SymVar, free_variables


def symbols_in(root: Any) -> Iterator[SymVar]:
    """The symbols that occur free below ``root``, as they stand; what a ``Let`` binds is its own."""
    for node in nodes(root, closed=Let):
        if isinstance(node, Let | SymVar):
            yield from free_variables(node)
