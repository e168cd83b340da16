"""Checks of types in generated source: kinds, dtypes and ranks first, then symbols, then extents."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, assert_never

import numpy as np

from refrelax.backends.errors import Unsupported
from refrelax.backends.numpy_.expressions import held
from refrelax.backends.numpy_.graph_writer import Writer, element_dtypes
from refrelax.backends.numpy_.names import local
from refrelax.backends.numpy_.runtime import USUAL
from refrelax.running.arrays import numpy_dtype
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
    "bfloat16",
)  # fmt: skip
"""NumPy's own dtypes of ours and bfloat16, each one object (``runtime.py`` has them by these names)."""

GLANCED: dict[str, Any] = {
    "array_": np.ndarray,
    **{f"{dtype}_": numpy_dtype(dtype) for dtype in OWN if dtype != "bool"},
}
"""What a look at an argument names: no name of a program is one of these (``names.py``)."""


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
    looked: list[tuple[PrimExpr, str, str]] = []
    for text, type_, where in given:
        if type_ is not None:
            _extents(text, type_, where, looked)
    binds, compared = [], []
    for dim, text, where in looked:
        if bind and isinstance(dim, SymVar) and dim.name not in writer.symbols:
            writer.symbols.add(dim.name)
            binds.append((dim, text))
        else:
            compared.append((dim, text, where))
    guards = _whole(writer, given, {text for _, text, _ in compared})
    # an array whose whole shape is looked at, and read by nothing before, has its rank looked at there
    read = {source.rpartition(".shape[")[0] for _, source in binds}
    later = {text for text in guards if text not in read}
    unlike = [_unlike(text, type_, text not in later) for text, type_, _ in given]
    together = all(unlike) and bool(unlike)
    wrong = [f"{text}.shape != {dims}" for text, dims in guards.items()]
    at_once = together and bool(guards) and not binds
    if not together or at_once:
        later = set()
    if together:  # one look at all of them where all is well, at their extents as well where these define nothing
        writer.line(f"if {' or '.join([*unlike, *wrong] if at_once else unlike)}:")
        writer.depth += 1
    for text, type_, where in given:
        if type_ is not None:
            _structure(writer, kind, text, type_, where, known)
    writer.depth -= together and not at_once
    for dim, text in binds:
        writer.line(f"{local(dim.name)} = {text}")
    if guards and not at_once:  # one look at each shape where all is well
        writer.line(f"if {' or '.join(wrong)}:")
        writer.depth += 1
    for text, type_, where in given:
        if text in later and type_ is not None:
            _structure(writer, kind, text, type_, where, known)
    for text, _, where in given:
        if text in guards:
            writer.line(f"rt.expect_extents({kind!r}, {where!r}, {text}.shape, {guards[text]})")
    for dim, text, where in () if guards else compared:
        wanted = writer.dim(dim)
        writer.line(f"if {text} != {wanted}:")
        writer.line(f"    rt.expect_extent({kind!r}, {where!r}, {text}, {wanted})")
    writer.depth -= bool(guards)


def _unlike(text: str, type_: Type | None, rank: bool) -> str:
    """The condition under which a value may not be an array of the dtype and (``rank``) the rank of a type; empty where
    a glance does not tell."""
    if not isinstance(type_, TensorType) or not isinstance(type_.shape, tuple) or type_.dtype not in OWN:
        return ""
    kind = f"rt.of_{type_.dtype}" if type_.dtype == "bool" else f"{type_.dtype}_"  # (names of the source itself)
    found = f"type({text}) is not array_ or {text}.dtype is not {kind}"
    return f"{found} or {text}.ndim != {len(type_.shape)}" if rank else found


def told_at_a_glance(type_: Type | None) -> bool:
    """Whether such a condition tells all there is: the bytes of bools have to be looked at."""
    return bool(_unlike("x", type_, rank=True)) and isinstance(type_, TensorType) and type_.dtype != "bool"


def _whole(writer: Writer, given: Sequence[tuple[str, Type | None, str]], compared: set[str]) -> dict[str, str]:
    """What the whole shape of a value has to be, by the value: none where that does not say it of all that are
    ``compared``."""
    guards, known, compared = {}, dict[tuple[str, ...], str](), set(compared)
    for text, type_, _ in given:
        if not isinstance(type_, TensorType) or not isinstance(type_.shape, tuple):
            continue
        axes, plain = {f"{text}.shape[{axis}]" for axis in range(len(type_.shape))}, type_.shape
        if not all(isinstance(dim, SymVar | Literal) for dim in plain):
            continue
        dims = tuple(writer.dim(dim) for dim in plain)
        if axes & compared:
            guards[text] = known.get(dims) or f"({', '.join(dims)}{',' if len(dims) == 1 else ''})"
            compared -= axes
        known.setdefault(dims, f"{text}.shape")  # (which was looked at, or tells what the symbols are)
    return {} if compared else guards


def _extents(text: str, type_: Type, where: str, dims: list[tuple[PrimExpr, str, str]]) -> None:
    """The extents that a type says, each with the text of what is there and the place of the value."""
    match type_:
        case TensorType(shape=tuple() as shape):
            dims += [(dim, f"{text}.shape[{axis}]", where) for axis, dim in enumerate(shape)]
        case DTensorType(tensor=tensor):
            _extents(text, tensor, where, dims)
        case ShapeType(values=tuple() as values):
            dims += [(dim, f"{text}.dims[{axis}]", where) for axis, dim in enumerate(values)]
        case TupleType(fields=fields):
            for k, each in enumerate(fields):
                _extents(f"{text}[{k}]", each, f"{where}[{k}]", dims)
        case _:
            pass


def _structure(
    writer: Writer,
    kind: str,
    text: str,
    type_: Type,
    where: str,
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
        case DTensorType():
            _structure(writer, kind, text, type_.tensor, where, known)
        case ShapeType():
            rank = len(type_.values) if type_.values is not None else type_.ndim
            writer.line(f"rt.expect_shape({kind!r}, {where!r}, {text}, {rank})")
        case PrimType():
            found = _width(type_, known)
            writer.line(f"rt.expect_prim({kind!r}, {where!r}, {text}, {type_.dtype!r}{found and f', {found!r}'})")
        case TupleType():
            writer.line(f"rt.expect_tuple({kind!r}, {where!r}, {text}, {len(type_.fields)})")
            for k, each in enumerate(type_.fields):
                inner = known.fields[k] if isinstance(known, TupleType) and k < len(known.fields) else known
                _structure(writer, kind, f"{text}[{k}]", each, f"{where}[{k}]", inner)
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
