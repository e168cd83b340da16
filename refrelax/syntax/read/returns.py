"""A ``return`` that ends a dataflow block.

Spec: ``spec/03-syntax.md``.
"""

from __future__ import annotations

import ast

from refrelax.rules import rule
from refrelax.syntax.read.types import dotted


@rule("syn/return-last")
def return_after(body: list[ast.stmt]) -> list[ast.stmt]:
    """A body whose last dataflow block ends with ``return y``: it outputs ``y``, and the ``return`` follows it."""
    match body[-1]:
        case ast.With(items=items, body=[*inner, ast.Return(value=ast.expr() as value) as last]):
            pass
        case _:
            return body
    if isinstance(value, ast.Call) and dotted(value.func) == "R.match_cast":
        return [*body[:-1], ast.copy_location(ast.With(items, inner), body[-1]), last]  # refused there
    name = value
    if not isinstance(value, ast.Name):
        name = ast.copy_location(ast.Name("gv", ast.Store()), value)
        inner.append(ast.copy_location(ast.Assign([name], value), value))
    output = ast.Call(ast.Attribute(ast.Name("R", ast.Load()), "output", ast.Load()), [name], [])
    inner.append(ast.Expr(output))
    block, after = ast.With(items, inner), ast.Return(name)
    for made in (*ast.walk(output), inner[-1], after):
        ast.copy_location(made, last)
    return [*body[:-1], ast.copy_location(block, body[-1]), after]
