"""What a packed entry may compute before, and in, the checks of its arguments: what has no effect, and is defined.

Spec: ``spec/06c-pointwise.md``, ``va/packed``.
"""

from __future__ import annotations

from collections.abc import Sequence

from refrelax.judge.packed_arguments import INTEGERS, Given, dims_of, symbols_of
from refrelax.judge.sides_in_step import extents_of
from refrelax.rules import rule
from refrelax.semantics.graph.link import nodes
from refrelax.shape_solver.pointwise import Logic, NotRead, Term, Terms
from refrelax.shape_solver.pointwise.elements import DIVISIONS, Reading
from refrelax.shape_solver.pointwise.fits import Sizes
from refrelax.shape_solver.pointwise.logic import Given as Known
from refrelax.shape_solver.pointwise.logic import compare
from refrelax.syntax.dtypes import integer_range
from refrelax.syntax.loops import AllocBuffer, Stmt
from refrelax.syntax.scalars import (
    Binary,
    BufferLoad,
    Intrinsic,
    PrimExpr,
    SymVar,
    as_int,
    int_imm,
)
from refrelax.syntax.types import PrimType, TensorType


def names_alone(stmt: Stmt) -> bool:
    """Whether a statement that makes a name does nothing else: where it is defined, a check may as well come before
    it."""
    if isinstance(stmt, AllocBuffer):
        return all(as_int(e) is not None for e in extents_of(stmt.buffer))
    found = nodes(stmt)
    return not any(
        isinstance(each, BufferLoad | Intrinsic) or (isinstance(each, Binary) and each.op in DIVISIONS)
        for each in found
    )


def computes(stmt: Stmt) -> bool:
    """Whether a statement that makes a name computes it: that may have no value."""
    return any(isinstance(each, Binary) for each in nodes(stmt))


@rule("va/packed")
def defined(e: PrimExpr, given: Given) -> bool:
    """Whether a condition has a value for all arguments of these types: every step fits its dtype, no divisor is 0."""
    if as_int(e) is not None:
        return True
    terms = Terms()
    logic = Logic(Sizes(terms.dtype_of))
    symbols: dict[str, PrimExpr] = {**symbols_of(given)}
    for name, type_ in given:
        if isinstance(type_, PrimType) and type_.dtype in INTEGERS:
            low, high = integer_range(type_.dtype)
            logic.assume(compare("GE", symbols[name], int_imm(low)), compare("LE", symbols[name], int_imm(high)))
    for _, type_ in given:
        logic.assume(*(compare("GE", d, int_imm(0)) for d in dims_of(type_) if isinstance(d, SymVar)))
    for _, type_ in given:
        if isinstance(type_, TensorType):
            logic.sizes.exists(dims_of(type_), type_.dtype or "")
    asked: list[tuple[PrimExpr, Known]] = []

    def require(_: str, statement: PrimExpr, known: Known) -> None:
        asked.append((statement, known))

    try:
        Reading(terms, logic, symbols, (), _no_load, None, require, _no_element).index(e)
    except NotRead:
        return False
    return all(logic.holds(statement, known) for statement, known in asked)


def _no_load(e: BufferLoad, indices: Sequence[PrimExpr], scope: Known, hard: Known) -> Term:
    raise NotRead(f"an element of {e.buffer}")


def _no_element(term: Term, known: Known) -> None:
    raise NotRead("an element")


__all__ = ["computes", "defined", "names_alone"]
