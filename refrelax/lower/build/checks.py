"""Checks spelled out: what entry, ``match_cast`` and return did by an annotation is done by calls.

In the order of chapter 07: of all values of one check first the structure, then the symbols that they bind, then the
extents. A tensor all of whose dims can be held against the table at once takes one call for both.

Spec: ``spec/14-build.md``, *Checks*.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from refrelax.lower.build.code import Code, Unbuildable, number, packed
from refrelax.rules import rule
from refrelax.semantics.builtins.heap import EQUALS_IMMEDIATE, EQUALS_SLOT, NOTHING, STORE
from refrelax.syntax import dtypes
from refrelax.syntax.graph import DataTypeValue, Expr, PrimValue, StringValue
from refrelax.syntax.scalars import PrimExpr, SymVar, as_int
from refrelax.syntax.types import (
    AnyType,
    DTensorType,
    FuncType,
    PackedFuncType,
    PrimType,
    ShapeType,
    TensorType,
    TupleType,
    Type,
)


@dataclass(frozen=True, slots=True)
class Extents:
    """A tensor or a shape whose extents are to be matched."""

    value: Expr
    dims: tuple[PrimExpr, ...]
    context: str


@rule("lo/check-spelled")
def check(code: Code, values: Sequence[tuple[Expr, Type | None, str]]) -> None:
    """Write the checks of values against types, each with its context, as one matching."""
    found: list[Extents] = []
    for value, type_, context in values:
        if type_ is not None:
            _structure(code, value, type_, context, found)
    code.valued(dim for each in found for dim in each.dims)
    later = [each for each in found if not _at_once(code, each)]
    for each in later:
        _match(code, each, [_compared(code, d) for d in each.dims], each.dims)


def _structure(code: Code, value: Expr, type_: Type, context: str, found: list[Extents]) -> None:
    """Kind, dtype and rank, from the left; what has extents is added to ``found``."""
    told = StringValue(context)
    match type_:
        case AnyType():
            pass
        case TensorType(shape=shape, dtype=dtype):
            if isinstance(shape, str):
                raise Unbuildable("a tensor of the shape that a variable has")
            ndim = len(shape) if shape is not None else type_.ndim
            kind = (DataTypeValue(dtype),) if dtype is not None else ()
            code.do("vm.builtin.check_tensor_info", (value, number(ndim), *kind, told))
            if shape is not None:
                found.append(Extents(value, shape, context))
        case ShapeType(values=dims):
            ndim = len(dims) if dims is not None else type_.ndim
            code.do("vm.builtin.check_shape_info", (value, number(ndim), told))
            if dims is not None:
                found.append(Extents(value, dims, context))
        case PrimType(dtype=dtype):
            if dtype not in ("int64", "bool") and dtypes.kind(dtype) != "float":
                raise Unbuildable("a scalar of a width that no check tells")
            code.do("vm.builtin.check_prim_value_info", (value, DataTypeValue(dtype), told))
        case TupleType(fields=fields):
            code.do("vm.builtin.check_tuple_info", (value, number(len(fields)), told))
            for k, each in enumerate(fields):
                if not isinstance(each, AnyType):
                    item = code.emit(packed("vm.builtin.tuple_getitem", (value, number(k))))
                    _structure(code, item, each, context, found)
        case FuncType() | PackedFuncType():
            code.do("vm.builtin.check_func_info", (value, told))
        case DTensorType():
            raise Unbuildable("a tensor that is spread over devices")


def _at_once(code: Code, each: Extents) -> bool:
    """Bind the symbols of a value, and compare what can be compared without computing; whether that was all."""
    codes = []
    whole = True
    for dim in each.dims:
        if isinstance(dim, SymVar) and dim not in code.table.known:
            codes.append((STORE, code.table.define(dim)))
        elif as_int(dim) is not None or dim in code.table.known:
            codes.append(_compared(code, dim))
        else:
            codes.append((NOTHING, 0))
            whole = False
    if whole or any(kind == STORE for kind, _ in codes):
        if not whole:
            codes = [pair if pair[0] == STORE else (NOTHING, 0) for pair in codes]
        _match(code, each, codes, ())
    return whole


def _compared(code: Code, dim: PrimExpr) -> tuple[int, int]:
    value = as_int(dim)
    return (EQUALS_IMMEDIATE, value) if value is not None else (EQUALS_SLOT, code.table.slot(dim))


def _match(code: Code, each: Extents, codes: list[tuple[int, int]], needed: tuple[PrimExpr, ...]) -> None:
    code.ready(needed)
    pairs: list[PrimValue] = [number(n) for pair in codes for n in pair]
    args = (each.value, code.heap, number(len(each.dims)), *pairs, StringValue(each.context))
    code.do("vm.builtin.match_shape", args)
