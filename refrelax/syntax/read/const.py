"""``R.const(…)``: scalars and nested lists of numbers as tensor constants.

Spec: ``spec/03-syntax.md``.
"""

from __future__ import annotations

import ast
from typing import Any

from refrelax.rules import rule
from refrelax.syntax import bits, dtypes
from refrelax.syntax.graph import Constant, DistConstant, Expr
from refrelax.syntax.read import operators
from refrelax.syntax.read.constants import constant
from refrelax.syntax.read.reader import Reader
from refrelax.syntax.read.types import read_dtype, read_type
from refrelax.syntax.scalars import as_int
from refrelax.syntax.types import DTensorType


@rule("syn/constant")
def read_const(reader: Reader, node: ast.Call) -> Expr:
    """``R.const(value, dtype)``: a scalar or a nested list; ints are int32, floats float32, truths bool by default."""
    given = operators.by_name(reader, node, ("value", "dtype"))
    if "value" not in given:
        reader.src.fail(node, "syn/constant", "R.const takes a value")
    value = constant(reader.src, given["value"], reader.scope)
    dtype = read_dtype(reader, given["dtype"]) if "dtype" in given else None
    shape, items = _flatten(reader, given["value"], value)
    if dtype is None:
        kinds = {type(v) for v in items}
        dtype = "float32" if float in kinds or str in kinds or not items else "int32" if int in kinds else "bool"
    data = tuple(_element(reader, given["value"], v, dtype) for v in items)
    return Constant(dtype, shape, data, span=reader.src.span(node))


@rule("syn/dist-constant")
def read_dist_const(reader: Reader, node: ast.Call) -> Expr:
    """``R.dist.const(value, R.DTensor(…))``: a constant of that distributed type, whose dims are numbers."""
    given = operators.by_name(reader, node, ("value", "ty"))
    if len(given) != 2:
        reader.src.fail(node, "syn/dist-constant", "R.dist.const takes a value and an R.DTensor")
    spread = read_type(reader, given["ty"])
    if not isinstance(spread, DTensorType) or spread.tensor.dtype is None or not isinstance(spread.tensor.shape, tuple):
        reader.src.fail(given["ty"], "syn/dist-constant", "expected an R.DTensor with a shape and a dtype")
    value, dtype = constant(reader.src, given["value"], reader.scope), spread.tensor.dtype
    shape, items = _flatten(reader, given["value"], value)
    if tuple(as_int(each) for each in spread.tensor.shape) != shape:
        reader.src.fail(node, "syn/dist-constant", f"the constant has the shape {shape}, its type another")
    data = tuple(_element(reader, given["value"], v, dtype) for v in items)
    return DistConstant(Constant(dtype, shape, data, span=reader.src.span(node)), spread, span=reader.src.span(node))


def _flatten(reader: Reader, node: ast.AST, value: Any) -> tuple[tuple[int, ...], list[Any]]:
    """Shape and elements, row-major, of a nested list."""
    if not isinstance(value, (list, tuple)):
        if not isinstance(value, (int, float, str)):
            reader.src.fail(node, "syn/constant", f"expected a number or nested lists of numbers, found {value!r}")
        return (), [value]
    parts = [_flatten(reader, node, v) for v in value]
    if len({shape for shape, _ in parts}) > 1:
        reader.src.fail(node, "syn/constant", "expected lists of equal lengths")
    inner = parts[0][0] if parts else ()
    return (len(parts), *inner), [v for _, items in parts for v in items]


def _element(reader: Reader, node: ast.AST, value: Any, dtype: str) -> int:
    kind = dtypes.kind(dtype)
    if kind in ("handle", "void") or dtypes.lanes(dtype) != 1:
        reader.src.fail(node, "syn/constant", f"there are no constants of dtype {dtype}")
    if isinstance(value, str):
        if value not in ("nan", "inf", "-inf"):
            reader.src.fail(node, "syn/constant", f'expected "nan", "inf" or "-inf", found {value!r}')
        value = float(value)
    if kind in ("int", "uint"):
        if isinstance(value, float) and not value.is_integer():
            reader.src.fail(node, "syn/constant", f"{value} is no {dtype}")
        low, high = dtypes.integer_range(dtype)
        if not low <= value <= high:
            reader.src.fail(node, "syn/constant", f"{value} does not fit into {dtype}")
    if not bits.has_number(dtype, value):
        reader.src.fail(node, "syn/constant", f"{dtype} has no NaN")
    return bits.encode(dtype, value)
