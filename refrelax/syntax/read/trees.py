"""Python's syntax trees, walked: as ``ast.walk`` and ``ast.iter_child_nodes`` do, at more than twice
their speed.

A text is walked several times while it is read.
"""

from __future__ import annotations

import ast

LEAVES = frozenset((type(None), str, int, bool, float, complex, bytes, type(...), ast.Load, ast.Store, ast.Del))
"""The classes of what a field holds that is no node, or one without a place or anything below it: whether a name is
read or written is asked of the name."""


_CHILDLESS = frozenset((ast.Name, ast.Constant))


def children(node: ast.AST) -> list[ast.AST]:
    """The nodes directly below ``node``, in the order of its fields."""
    found: list[ast.AST] = []
    if node.__class__ in _CHILDLESS:  # half of all nodes
        return found
    for value in map(vars(node).get, node._fields):
        if value.__class__ is list:
            if value:
                found += [each for each in value if each.__class__ not in LEAVES]
        elif value.__class__ not in LEAVES:
            found += (value,)  # type: ignore[arg-type]
    return found


def walk(root: ast.AST) -> list[ast.AST]:
    """``root`` and every node below it, level by level. The list does not see what is changed later."""
    found = [root]
    for node in found:
        found += children(node)
    return found
