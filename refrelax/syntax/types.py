"""Relax types as data (TVM 0.27: one ``Type`` hierarchy; what 0.22 called struct info).

``None`` means *unknown*: an unknown dtype, unknown dims. ``ndim`` is -1 when even the rank is unknown.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Any

from refrelax.syntax.scalars import PrimExpr, SymVar, free_variables


def _text(self: Any) -> str:
    """The type as TVM 0.27 prints it."""
    from refrelax.syntax.write.types import shown  # the printer imports this module

    return shown(self)


@dataclass(frozen=True, slots=True)
class AnyType:
    """``R.Any``: the top of the lattice."""

    __str__ = _text


@dataclass(frozen=True, slots=True)
class PrimType:
    """``T.int64``, ``T.bool``, …: a scalar that is no tensor."""

    dtype: str

    __str__ = _text


@dataclass(frozen=True, slots=True)
class ShapeType:
    """``R.Shape([n, 4])``, ``R.Shape(ndim=2)``, ``R.Shape(ndim=-1)``: the dims, or their number alone, -1 where that is
    unknown too.
    """

    values: tuple[PrimExpr, ...] | None = None
    ndim: int = -1

    __str__ = _text


@dataclass(frozen=True, slots=True)
class TensorType:
    """``R.Tensor((n, 4), dtype="float32", vdevice="llvm:0:global")`` and every coarser form.

    ``shape`` is a tuple of dims, or the name of a variable of shape type (``R.Tensor(s, "float32")``), or ``None``.
    ``ndim`` is the rank, -1 where it is unknown; ``dtype`` is ``None`` where any may stand; ``vdevice`` names a target,
    its number and its memory.
    """

    shape: tuple[PrimExpr, ...] | str | None = None
    dtype: str | None = None
    ndim: int = -1
    vdevice: str | None = None

    __str__ = _text


@dataclass(frozen=True, slots=True)
class DTensorType:
    """``R.DTensor((8, 8), "float32", "mesh[0]", "S[0], R")``: a tensor spread over a device mesh."""

    tensor: TensorType
    device_mesh: str
    placement: str

    __str__ = _text


@dataclass(frozen=True, slots=True)
class TupleType:
    """``R.Tuple(…)``; the empty tuple is *void*."""

    fields: tuple[Type, ...] = ()

    __str__ = _text


@dataclass(frozen=True, slots=True)
class FuncType:
    """``R.Callable((params…), ret, purity)``; without ``params`` the opaque ``R.Callable`` (impure unless said).

    ``derive_func`` names the function that deduces the result's type, of library functions alone.
    """

    params: tuple[Type, ...] | None
    ret: Type
    purity: bool = True
    derive_func: str | None = None

    __str__ = _text


@dataclass(frozen=True, slots=True)
class PackedFuncType:
    """The type of an ``R.ExternFunc``."""

    __str__ = _text


Type = AnyType | PrimType | ShapeType | TensorType | DTensorType | TupleType | FuncType | PackedFuncType

VOID = TupleType(())
"""The type of a statement that gives no value."""


def tensor_of(shape: tuple[PrimExpr, ...], dtype: str | None, vdevice: str | None = None) -> TensorType:
    """A tensor type with known dims."""
    return TensorType(shape, dtype, len(shape), vdevice)


def dims_of(ty: Type) -> Iterator[PrimExpr]:
    """Every dim that stands in ``ty``, left to right, those of function types left out."""
    match ty:
        case TensorType(shape=tuple() as dims) | ShapeType(values=tuple() as dims):
            yield from dims
        case DTensorType():
            yield from dims_of(ty.tensor)
        case TupleType():
            for each in ty.fields:
                yield from dims_of(each)
        case _:
            return


def definable(ty: Type) -> Iterator[SymVar]:
    """The symbols that ``ty`` defines where it stands in a definitional position: its bare dims, in order."""
    return (dim for dim in dims_of(ty) if isinstance(dim, SymVar))


def defined_by(types: Iterable[Type | None]) -> tuple[str, ...]:
    """The names of the symbols that the types of parameters define, as their text mentions them: ``n + 1`` mentions
    ``n``, which a type behind it may define."""
    given = [each for each in types if each is not None]
    defined = {symbol.name for each in given for symbol in definable(each)}
    mentioned = (v.name for each in given for dim in dims_of(each) for v in free_variables(dim))
    return tuple(dict.fromkeys(name for name in mentioned if name in defined))
