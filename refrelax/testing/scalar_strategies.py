"""Strategies for scalar expressions of each kind: what a dimension may be made of.

Spec: ``spec/06-shapes.md``, ``sh/kind``.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache

from hypothesis import strategies as st

from refrelax.syntax import bits
from refrelax.syntax.scalars import Binary, Cast, Intrinsic, Let, Literal, Not, PrimExpr, Select, SymVar, int_imm

Terms = st.SearchStrategy[PrimExpr]

FLOATS = ("float32", "float64", "float16", "bfloat16")
NUMBERS = (0.0, 1.0, 2.0, 0.5, 1.5, 2.25, 0.1, -1.0, -0.75, 3.0, 1e-45, 1e30, float("inf"), -0.0)
COMPARE = ("EQ", "NE", "LT", "LE", "GT", "GE")
WHOLE = ("floor", "ceil", "round", "trunc", "abs", "sqrt", "square")


def float_literal(dtype: str, number: float) -> Literal:
    """``number``, rounded to ``dtype``."""
    return Literal(dtype, bits.encode(dtype, number))


@cache
def index_terms(symbols: Sequence[str], depth: int = 3, dtypes: Sequence[str] = FLOATS) -> Terms:
    """Terms of dtype ``int64`` over ``symbols``, floats of ``dtypes`` in them."""
    leaves = st.one_of(st.sampled_from([SymVar(name) for name in symbols]), st.integers(-2, 5).map(int_imm))
    if not depth:
        return leaves
    inner, truth = index_terms(symbols, depth - 1, dtypes), truth_terms(symbols, depth - 1, dtypes)
    arithmetic = st.sampled_from(("Add", "Sub", "Mul", "FloorDiv", "FloorMod", "Div", "Mod", "Min", "Max"))
    number = st.sampled_from(dtypes).flatmap(lambda dtype: float_terms(symbols, depth - 1, dtype, dtypes))
    return st.one_of(
        leaves,
        st.builds(Cast, st.just("int64"), number),
        st.builds(lambda e, dtype: Cast("int64", Cast(dtype, e)), number, st.sampled_from(("int8", "uint8", "uint64"))),
        st.builds(_named, number),
        st.builds(Binary, arithmetic, inner, inner),
        st.builds(Select, truth, inner, inner),
        st.builds(lambda c, a, b: Intrinsic("if_then_else", (c, a, b), "int64"), truth, inner, inner),
        st.builds(Cast, st.just("int64"), truth),
        st.builds(lambda e, dtype: Cast("int64", Cast(dtype, e)), inner, st.sampled_from(("int8", "uint8", "uint64"))),
    )


def _named(value: PrimExpr) -> PrimExpr:
    """``T.Let(int64(v + v), where={v: value})``."""
    v = SymVar("v", value.dtype)
    return Let(v, value, Cast("int64", Binary("Add", v, v)))


@cache
def truth_terms(symbols: Sequence[str], depth: int = 3, dtypes: Sequence[str] = FLOATS) -> Terms:
    """Truth values over ``symbols``."""
    if not depth:
        inner = index_terms(symbols, 0, dtypes)
        return st.builds(Binary, st.sampled_from(COMPARE), inner, inner)
    inner, lower = index_terms(symbols, depth - 1, dtypes), truth_terms(symbols, depth - 1, dtypes)

    def compared(dtype: str) -> Terms:
        number = float_terms(symbols, depth - 1, dtype, dtypes)
        tested = st.sampled_from(("isnan", "isinf", "isfinite"))
        return st.one_of(
            st.builds(Binary, st.sampled_from(COMPARE), number, number),
            st.builds(lambda op, x: Intrinsic(op, (x,), "bool"), tested, number),
        )

    return st.one_of(
        st.builds(Binary, st.sampled_from(COMPARE), inner, inner),
        st.sampled_from(dtypes).flatmap(compared),
        st.builds(Binary, st.sampled_from(("And", "Or")), lower, lower),
        st.builds(Not, lower),
    )


@cache
def float_terms(symbols: Sequence[str], depth: int, dtype: str, dtypes: Sequence[str] = FLOATS) -> Terms:
    """Terms of the float ``dtype`` over ``symbols``, of operations that leave no choice of a result."""
    leaves = st.sampled_from(NUMBERS).map(lambda number: float_literal(dtype, number))
    converted = index_terms(symbols, max(0, depth - 1), dtypes).map(lambda e: Cast(dtype, e))
    if not depth:
        return st.one_of(leaves, converted)
    inner = float_terms(symbols, depth - 1, dtype, dtypes)
    other = st.sampled_from(dtypes).flatmap(lambda source: float_terms(symbols, depth - 1, source, dtypes))
    return st.one_of(
        leaves,
        converted,
        st.builds(Binary, st.sampled_from(("Add", "Sub", "Mul", "Div", "Min", "Max")), inner, inner),
        st.builds(lambda op, x: Intrinsic(op, (x,), dtype), st.sampled_from(WHOLE), inner),
        st.builds(Cast, st.just(dtype), other),
        st.builds(Select, truth_terms(symbols, depth - 1, dtypes), inner, inner),
    )
