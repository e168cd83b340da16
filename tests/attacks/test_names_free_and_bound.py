"""A name that is free in one part of an expression and bound by a ``T.Let`` in another.

Such a name counted as bound throughout, so that a replacement did not reach it: a call had a wrong type.
"""

from __future__ import annotations

from refrelax.semantics.dims.substitute import substitute
from refrelax.syntax.scalars import Binary, Let, Literal, SymVar, free_symbols

x, y, z = SymVar("x"), SymVar("y"), SymVar("z")
TWO = Literal("int64", 2)


def test_a_name_is_free_beside_a_let_that_binds_it() -> None:
    e = Binary("Add", z, Let(z, TWO, z))
    assert free_symbols(e) == {"z"} and free_symbols(Let(z, z, z)) == {"z"} and free_symbols(Let(z, TWO, z)) == set()


def test_a_replacement_reaches_what_is_free_in_the_body_of_a_let() -> None:
    inner = Let(z, TWO, z)
    assert substitute(Let(x, y, Binary("Mul", z, inner)), {"z": y}) == Let(x, y, Binary("Mul", y, inner))
