"""Operators of which the elements decide how much there is: ``R.unique`` and ``R.nonzero``.

What they give is determined by what they are given, and is read no further: its extents are unknown, the same for the
same call in both programs.

Spec: ``spec/06c-pointwise.md``, ``va/same-call``.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from refrelax.judge.graph_values import NOTHING, Value, as_number
from refrelax.shape_solver.pointwise import Logic, NotRead, TensorTerm, Terms
from refrelax.shape_solver.pointwise.logic import compare
from refrelax.syntax.scalars import PrimExpr, as_int, int_imm

COUNTED = {
    "relax.nonzero": "R.nonzero", "relax.run.nonzero": "R.nonzero", "relax.unique": "R.unique",
    "relax.run.unique": "R.unique",
}  # fmt: skip
"""The operator that is meant, by the names of it and of the machine's function that it becomes."""


@dataclass(frozen=True, slots=True, eq=False)
class CountedCall:
    """A call that every run of the first program makes. ``behind``: how many events come before it."""

    op: str
    seen: tuple[Value, ...]
    gives: Value
    behind: int


def results(op: str, args: Sequence[Value], terms: Terms, logic: Logic) -> Value:
    """Unknown tensors of the types that the call gives.

    Raises:
        NotRead: which these are depends on more than is known.
    """
    x, *more = args
    if not isinstance(x, TensorTerm):
        raise NotRead(f"{op} of what is no tensor")

    def fresh() -> PrimExpr:
        extent = terms.fresh("count")
        logic.assume(compare("GE", extent, int_imm(0)))
        return extent

    def tensor(shape: tuple[PrimExpr, ...], dtype: str) -> TensorTerm:
        logic.sizes.exists(shape, dtype)
        return TensorTerm(op.removeprefix("R."), shape, dtype, computed=True)

    if op == "R.nonzero":
        return tensor((int_imm(len(x.shape)), fresh()), "int64")
    flags = [_literal(op, each) for each in more[1:4]]
    axis = None if len(more) < 5 or more[4] is NOTHING else _literal(op, more[4])
    rank, count = len(x.shape), fresh() if x.shape else int_imm(1)
    shape: tuple[PrimExpr, ...] = (count,)
    if axis is not None and rank:
        if not -rank <= axis < rank:
            raise NotRead(f"{op} along another axis than there is")
        shape = (*x.shape[: axis % rank], count, *x.shape[axis % rank + 1 :])
    extents = (count, fresh() if x.shape else count, count)  # (of the inverse: one for each slice of the argument)
    vectors = [tensor((n,), "int64") for n, wanted in zip(extents, flags, strict=False) if wanted]
    values = tensor(shape, x.dtype)
    return (values, *vectors) if vectors else values


def _literal(op: str, value: Value) -> int:
    number = as_number(value)
    known = None if number is None else as_int(number)
    if known is None:
        raise NotRead(f"{op} by what a run decides")
    return known


__all__ = ["COUNTED", "CountedCall", "results"]
