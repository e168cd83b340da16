"""Strategies for Relax types."""

from __future__ import annotations

from collections.abc import Collection
from itertools import pairwise
from typing import Any

from hypothesis import strategies as st

from refrelax.syntax.scalars import Binary, PrimExpr, SymVar, int_imm
from refrelax.syntax.types import AnyType, PrimType, ShapeType, TensorType, TupleType, Type, tensor_of
from refrelax.testing.options import check_integer, dtype_names


def dims(symbols: Collection[str] = ("n", "m")) -> st.SearchStrategy[PrimExpr]:
    """Dims: small numbers, the ``symbols``, and ``n + 1``, ``n * 2``, ``n * m`` of them."""
    names = [SymVar(name) for name in symbols]
    related: list[PrimExpr] = [*names]
    related += [Binary("Add", n, int_imm(1)) for n in names] + [Binary("Mul", n, int_imm(2)) for n in names]
    related += [Binary("Mul", a, b) for a, b in pairwise(names)]
    return st.sampled_from([*(int_imm(k) for k in (2, 3, 1, 0, 5)), *related])


def tensor_types(
    *, dtypes: Collection[str] | None = None, symbols: Collection[str] = ("n", "m"), max_rank: int = 3
) -> st.SearchStrategy[TensorType]:
    """Tensor types with known dims and dtype.

    >>> str(tensor_types(symbols=["n"]).example())  # doctest: +SKIP
    'R.Tensor((n, 2), dtype="float32")'
    """
    check_integer("max_rank", max_rank, 0)
    names = dtype_names("dtypes", dtypes)
    return st.builds(
        lambda shape, dtype: tensor_of(tuple(shape), dtype),
        st.lists(dims(symbols), max_size=max_rank),
        st.sampled_from(names),
    )


def types(
    *, dtypes: Collection[str] | None = None, symbols: Collection[str] = ("n", "m"), max_depth: int = 2
) -> st.SearchStrategy[Type]:
    """Any type of values: tensors (also with unknown dims, dtype or rank), shapes, scalars, tuples, ``R.Any``.

    Raises:
        InvalidArgument: an unknown dtype, or a negative depth.
    """
    check_integer("max_depth", max_depth, 0)
    names = dtype_names("dtypes", dtypes)
    known = tensor_types(dtypes=names, symbols=symbols)
    coarse = st.builds(_coarse, known, st.integers(1, 3))
    shapes = st.lists(dims(symbols), max_size=3).map(lambda v: ShapeType(tuple(v), len(v)))
    unknown = st.integers(-1, 3).map(lambda ndim: ShapeType(None, ndim))
    scalars = st.sampled_from(names).map(PrimType)
    leaves: st.SearchStrategy[Any] = st.one_of(known, coarse, shapes, unknown, scalars, st.just(AnyType()))
    for _ in range(max_depth):
        leaves = leaves | st.lists(leaves, max_size=3).map(lambda fields: TupleType(tuple(fields)))
    return leaves


def _coarse(type_: TensorType, level: int) -> TensorType:
    """A coarser type: without dims, then without rank, then without dtype."""
    rank = type_.ndim if level == 1 else -1
    return TensorType(None, type_.dtype if level < 3 else None, rank, type_.vdevice)
