"""Checks of types in generated source: kinds, dtypes and ranks first, then symbols, then extents."""

from __future__ import annotations

from collections.abc import Sequence
from typing import assert_never

import numpy as np

from refrelax.backends.errors import Unsupported
from refrelax.backends.numpy_.expressions import held
from refrelax.backends.numpy_.graph_writer import Writer, element_dtypes
from refrelax.backends.numpy_.names import local
from refrelax.backends.numpy_.runtime import USUAL
from refrelax.syntax.graph import (
    Expr,
    PrimValue,
    Tuple,
    Var,
)
from refrelax.syntax.scalars import Literal, PrimExpr, SymVar
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

OWN = (
    "bool", "int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64", "float16", "float32", "float64",
)  # fmt: skip
CODES = {name: np.dtype(name).num for name in OWN}
"""NumPy's own dtypes of ours by number, which is cheaper to look at than the dtype. (Letters are not theirs alone.)"""


def known_type(writer: Writer, expr: Expr) -> Type:
    """The type of a value as the checker derived it, as far as a variable or a scalar tells it."""
    match expr:
        case Var(name=name):
            return writer.type_of(name) or AnyType()
        case PrimValue(value=value):
            return PrimType(value.dtype)
        case Tuple(fields=fields):
            return TupleType(tuple(known_type(writer, each) for each in fields))
        case _:
            return AnyType()


def match_types(
    writer: Writer,
    kind: str,
    given: Sequence[tuple[str, Type | None, str]],
    bind: bool = True,
    known: Type | None = None,
) -> None:
    """Kinds, dtypes and ranks first; then the symbols; then the extents that are not symbols' definitions. ``known``:
    the type that the value was derived to have; ``None`` if it is an argument."""
    dims: list[tuple[PrimExpr, str, str]] = []
    unlike = [_unlike(text, type_) for text, type_, _ in given]
    if together := all(unlike) and bool(unlike):  # one look at all of them where all is well
        writer.line(f"if {' or '.join(unlike)}:")
        writer.depth += 1
    for text, type_, where in given:
        if type_ is not None:
            _structure(writer, kind, text, type_, where, dims, known)
    writer.depth -= together
    compared = []
    for dim, text, where in dims:
        if bind and isinstance(dim, SymVar) and dim.name not in writer.symbols:
            writer.symbols.add(dim.name)
            writer.line(f"{local(dim.name)} = {text}")
        else:
            compared.append((dim, text, where))
    guards = _whole(writer, given, {text for _, text, _ in compared})
    if guards:  # one look at each shape where all is well
        writer.line(f"if {' or '.join(guards)}:")
        writer.depth += 1
    for dim, text, where in compared:
        wanted = writer.dim(dim)
        writer.line(f"if {text} != {wanted}:")
        writer.line(f"    rt.expect_extent({kind!r}, {where!r}, {text}, {wanted})")
    writer.depth -= bool(guards)


def _unlike(text: str, type_: Type | None) -> str:
    """The condition under which a value may not be an array of the dtype and rank of a type; empty where a glance does
    not tell. (Arrays are in the byte order of the machine here.)"""
    if not isinstance(type_, TensorType) or not isinstance(type_.shape, tuple) or type_.dtype not in CODES:
        return ""
    rank, code = len(type_.shape), CODES[type_.dtype]
    return f"type({text}) is not np.ndarray or {text}.dtype.num != {code} or {text}.ndim != {rank}"


def _whole(writer: Writer, given: Sequence[tuple[str, Type | None, str]], compared: set[str]) -> list[str]:
    """Conditions under which an extent may be wrong: none where they do not say it of all that are ``compared``."""
    guards = []
    for text, type_, _ in given:
        if not isinstance(type_, TensorType) or not isinstance(type_.shape, tuple):
            continue
        axes = {f"{text}.shape[{axis}]" for axis in range(len(type_.shape))}
        if axes & compared and all(isinstance(dim, SymVar | Literal) for dim in type_.shape):
            dims = [writer.dim(dim) for dim in type_.shape]
            guards.append(f"{text}.shape != ({', '.join(dims)}{',' if len(dims) == 1 else ''})")
            compared = compared - axes
    return guards if not compared and len(guards) > 0 else []


def _structure(
    writer: Writer,
    kind: str,
    text: str,
    type_: Type,
    where: str,
    dims: list[tuple[PrimExpr, str, str]],
    known: Type | None,
) -> None:
    for dtype in filter(None, element_dtypes(type_)):
        held(dtype)
    match type_:
        case AnyType():
            pass
        case TensorType():
            if isinstance(type_.shape, str):
                rank = type_.ndim
                writer.line(f"rt.expect_tensor({kind!r}, {where!r}, {text}, {type_.dtype!r}, {rank})")
                writer.line(f"rt.expect_extent({kind!r}, {where!r}, {text}.shape, {local(type_.shape)}.dims)")
                return
            rank = len(type_.shape) if type_.shape is not None else type_.ndim
            writer.line(f"rt.expect_tensor({kind!r}, {where!r}, {text}, {type_.dtype!r}, {rank})")
            for axis, dim in enumerate(type_.shape or ()):
                dims.append((dim, f"{text}.shape[{axis}]", where))
        case DTensorType():
            _structure(writer, kind, text, type_.tensor, where, dims, known)
        case ShapeType():
            rank = len(type_.values) if type_.values is not None else type_.ndim
            writer.line(f"rt.expect_shape({kind!r}, {where!r}, {text}, {rank})")
            for axis, dim in enumerate(type_.values or ()):
                dims.append((dim, f"{text}.dims[{axis}]", where))
        case PrimType():
            found = _width(type_, known)
            writer.line(f"rt.expect_prim({kind!r}, {where!r}, {text}, {type_.dtype!r}{found and f', {found!r}'})")
        case TupleType():
            writer.line(f"rt.expect_tuple({kind!r}, {where!r}, {text}, {len(type_.fields)})")
            for k, each in enumerate(type_.fields):
                inner = known.fields[k] if isinstance(known, TupleType) and k < len(known.fields) else known
                _structure(writer, kind, f"{text}[{k}]", each, f"{where}[{k}]", dims, inner)
        case FuncType() | PackedFuncType():
            writer.line(f"rt.expect_function({kind!r}, {where!r}, {text})")
        case _:
            assert_never(type_)


def _width(wanted: PrimType, known: Type | None) -> str:
    """The dtype that a scalar was derived to have, where it is another than the wanted one.

    A scalar is a Python number in generated source, which tells its kind and not its width: one of a type that is not
    known is ``int64`` or ``float64``, as what comes in from outside is.

    Raises:
        Unsupported: it is not known and another width is wanted.
    """
    if isinstance(known, PrimType):
        return known.dtype if known.dtype != wanted.dtype else ""
    if known is not None and wanted.dtype not in USUAL:
        raise Unsupported(f"a scalar of unknown type as {wanted.dtype}")
    return ""


def forgets(known: Type | None, told: Type | None) -> None:
    """Refuse that a scalar of another dtype than the usual ones goes where its type is not known any more.

    Raises:
        Unsupported: a later check of it could not tell its dtype.
    """
    match known, told:
        case PrimType(dtype=dtype), None | AnyType() if dtype not in USUAL:
            raise Unsupported(f"a scalar of {dtype} where its type is not known")
        case TupleType(fields=fields), TupleType(fields=others) if len(fields) == len(others):
            for each, other in zip(fields, others, strict=True):
                forgets(each, other)
        case TupleType(fields=fields), None | AnyType():
            for each in fields:
                forgets(each, None)
        case _:
            pass
