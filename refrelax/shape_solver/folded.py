"""Terms in which what is a number is written as one."""

from __future__ import annotations

from refrelax.shape_solver.core import integer, mapped
from refrelax.shape_solver.evaluate import TooLarge, Undefined, compiled
from refrelax.syntax.scalars import Literal, PrimExpr, children


def folded(e: PrimExpr) -> PrimExpr:
    """``e`` with each integer of nothing but numbers as that number, where it has a value that is computed."""

    def change(node: PrimExpr) -> PrimExpr:
        parts = children(node)
        if node.dtype == "bool" or not parts or not all(isinstance(part, Literal) for part in parts):
            return node
        try:
            return integer(compiled(node)({}))
        except (Undefined, TooLarge):
            return node

    return mapped(e, change)
