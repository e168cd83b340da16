"""Small types over few symbols, so that equal and unequal ones both occur."""

from __future__ import annotations

from hypothesis import strategies as st

from refrelax.syntax.scalars import Binary, PrimExpr, SymVar, int_imm
from refrelax.syntax.types import AnyType, FuncType, PrimType, ShapeType, TensorType, TupleType, Type

N, M = SymVar("n"), SymVar("m")

dims: st.SearchStrategy[PrimExpr] = st.sampled_from([
    int_imm(0), int_imm(1), int_imm(3), N, M,
    Binary("Add", N, int_imm(1)), Binary("Add", int_imm(1), N), Binary("Mul", N, int_imm(2)), Binary("Add", N, N),
])  # fmt: skip
shapes = st.lists(dims, max_size=3).map(tuple)
dtypes = st.sampled_from([None, "float32", "float16"])
devices = st.sampled_from([None, None, "llvm:0:global"])


@st.composite
def tensors(draw: st.DrawFn) -> TensorType:
    shape = draw(st.none() | shapes)
    ndim = draw(st.integers(-1, 3)) if shape is None else len(shape)
    return TensorType(shape, draw(dtypes), ndim, draw(devices))


@st.composite
def shape_types(draw: st.DrawFn) -> ShapeType:
    values = draw(st.none() | shapes)
    return ShapeType(values, draw(st.integers(-1, 3)) if values is None else len(values))


first_order: st.SearchStrategy[Type] = st.recursive(
    st.just(AnyType()) | st.sampled_from(["int64", "bool"]).map(PrimType) | tensors() | shape_types(),
    lambda inner: st.lists(inner, max_size=3).map(lambda fields: TupleType(tuple(fields))),
    max_leaves=4,
)
functions: st.SearchStrategy[Type] = st.builds(
    FuncType, st.none() | st.lists(first_order, max_size=2).map(tuple), first_order, st.booleans()
)
types = first_order | functions
