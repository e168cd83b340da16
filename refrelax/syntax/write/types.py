"""Relax types as text, as TVM 0.27 reads them, and as it prints them."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import assert_never

from refrelax.syntax.scalars import PrimExpr
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
from refrelax.syntax.write.scalars import expression, quoted

Quote = Callable[[PrimExpr], bool]
"""Whether a dimension must be written inside quotes where it stands."""


def _never(dim: PrimExpr) -> bool:
    return False


def type_text(node: Type, quote: Quote = _never, inner: bool = False) -> str:
    """``node`` as TVMScript; ``quote`` says which dims stand in quotes (compound ones in parameter annotations).

    ``inner``: it stands inside another type or in ``ty_args``, where TVM's reader takes a scalar type only as
    ``R.Prim("int64")``.
    """
    match node:
        case AnyType():
            return "R.Any"
        case PackedFuncType():
            return "R.PackedFunc"
        case PrimType():
            return f"R.Prim({quoted(node.dtype)})" if inner else f"T.{node.dtype}"
        case ShapeType():
            return "R.Shape" + (f"(ndim={node.ndim})" if node.values is None else f"([{dims(node.values, quote)}])")
        case TensorType():
            return _call("R.Tensor", _tensor(node, quote))
        case DTensorType():
            return _call("R.DTensor", _dtensor(node, quote))
        case TupleType():
            return _call("R.Tuple", [type_text(each, quote, inner=True) for each in node.fields])
        case FuncType():
            return _function(node, quote)
        case _:
            assert_never(node)


def shown(node: Type) -> str:
    """``node`` as TVM 0.27 prints it: a scalar type is ``T.int64`` everywhere."""
    return _PRIM.sub(r"T.\1", type_text(node))


_PRIM = re.compile(r'R\.Prim\("(\w+)"\)')


def _call(name: str, parts: list[str]) -> str:
    return f"{name}({', '.join(parts)})" if parts else name


def dims(values: tuple[PrimExpr, ...], quote: Quote = _never) -> str:
    """The dims of a shape, separated by commas."""
    return ", ".join(quoted(expression(each)) if quote(each) else expression(each) for each in values)


def _shape(shape: tuple[PrimExpr, ...] | str | None, quote: Quote) -> list[str]:
    match shape:
        case None:
            return []
        case str():
            return [shape]
        case (_,):
            return [f"({dims(shape, quote)},)"]
        case _:
            return [f"({dims(shape, quote)})"]


def _tensor(node: TensorType, quote: Quote) -> list[str]:
    parts = _shape(node.shape, quote)
    if node.dtype is not None:
        parts.append(f"dtype={quoted(node.dtype)}")
    if not isinstance(node.shape, tuple) and node.ndim != -1:
        parts.append(f"ndim={node.ndim}")
    if node.vdevice is not None:
        parts.append(f"vdevice={quoted(node.vdevice)}")
    return parts


def _dtensor(node: DTensorType, quote: Quote) -> list[str]:
    tensor = node.tensor
    parts = _shape(tensor.shape, quote)
    rest = [("dtype", tensor.dtype), ("device_mesh", node.device_mesh), ("placement", node.placement)]
    positional = tensor.shape is not None and tensor.dtype is not None
    for key, value in rest:
        if value is not None:
            parts.append(quoted(value) if positional else f"{key}={quoted(value)}")
    if not isinstance(tensor.shape, tuple) and tensor.ndim != -1:
        parts.append(f"ndim={tensor.ndim}")
    return parts


def _function(node: FuncType, quote: Quote) -> str:
    ret = type_text(node.ret, quote, inner=True)
    if node.params is None:
        parts = [] if isinstance(node.ret, AnyType) else [f"ret={ret}"]
        if node.purity:
            parts.append("purity=True")
        if node.derive_func is not None:
            parts.append(f"derive_func={quoted(node.derive_func)}")
        return _call("R.Callable", parts)
    params = [type_text(each, quote, inner=True) for each in node.params]
    inside = f"{params[0]}," if len(params) == 1 else ", ".join(params)
    derive = "" if node.derive_func is None else f", derive_func={quoted(node.derive_func)}"
    return f"R.Callable(({inside}), {ret}, {node.purity}{derive})"
