"""Does a value have a type? The run-time check behind entry, ``match_cast`` and return.

Dimensions are compared in two steps, as the language promises: every dimension that is a plain symbol without a value
yet defines it, in order of occurrence; then all dimensions are evaluated and compared. So a compound dimension may
stand before the parameter that defines its symbol.

Spec: ``spec/07-evaluation.md``, *Matching*.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, assert_never

from refrelax.errors import unspecified
from refrelax.rules import rule
from refrelax.semantics.dims import Symbols
from refrelax.semantics.dims import value as dim_value
from refrelax.semantics.loops.evaluate import describe
from refrelax.semantics.values import Closure, PackedFunc, Prim, Shape, TensorValue
from refrelax.syntax.scalars import PrimExpr, SymVar
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
from refrelax.syntax.write.scalars import expression


class Mismatch(Exception):
    """A value does not have a type; ``aspect`` is ``"type"``, ``"dtype"``, ``"rank"`` or ``"shape"``."""

    def __init__(self, aspect: str, message: str) -> None:
        self.aspect = aspect
        self.message = message
        super().__init__(message)


@dataclass(frozen=True, slots=True)
class Buried:
    """A shape of which a closure captured no name, since its life was ended: types still speak of it."""

    shape: Shape


def named_shape(shapes: Mapping[str, Any], name: str) -> Shape | None:
    """What a variable of shape type says in a type, whether or not its life was ended."""
    found = shapes.get(name)
    found = found.shape if isinstance(found, Buried) else found
    return found if isinstance(found, Shape) else None


Pairs = list[tuple[PrimExpr, int]]
"""A dimension as written, and the extent that it meets."""


@rule("ev/match-structure")
def structure(value: Any, type_: Type, shapes: dict[str, Any], pairs: Pairs, where: str) -> None:
    """Compare kind, dtype and rank; collect the dimensions to compare in ``pairs``.

    ``shapes`` gives the values of variables of shape type, for ``R.Tensor(s, …)``. Raises ``Mismatch``.
    """
    match type_:
        case AnyType():
            return
        case TensorType():
            _tensor(value, type_, shapes, pairs, where)
        case DTensorType():
            _tensor(value, type_.tensor, shapes, pairs, where)
        case ShapeType():
            _shape(value, type_, pairs, where)
        case PrimType():
            if not isinstance(value, Prim):
                raise Mismatch("type", f"{where}: expected a {type_.dtype}, found {describe(value)}")
            if value.dtype != type_.dtype:
                raise Mismatch("dtype", f"{where}: expected a {type_.dtype}, found a {value.dtype}")
        case TupleType():
            if not isinstance(value, tuple) or len(value) != len(type_.fields):
                raise Mismatch("type", f"{where}: expected a tuple of {len(type_.fields)}, found {describe(value)}")
            for k, (item, each) in enumerate(zip(value, type_.fields, strict=True)):
                structure(item, each, shapes, pairs, f"{where}[{k}]")
        case FuncType() | PackedFuncType():
            if not isinstance(value, Closure | PackedFunc):
                raise Mismatch("type", f"{where}: expected a function, found {describe(value)}")
        case _:
            assert_never(type_)


def _tensor(value: Any, type_: TensorType, shapes: dict[str, Any], pairs: Pairs, where: str) -> None:
    if not isinstance(value, TensorValue):
        raise Mismatch("type", f"{where}: expected a tensor, found {describe(value)}")
    if type_.dtype is not None and value.dtype != type_.dtype:
        raise Mismatch("dtype", f"{where}: expected dtype {type_.dtype}, found {value.dtype}")
    ndim = len(type_.shape) if isinstance(type_.shape, tuple) else type_.ndim
    if ndim >= 0 and value.ndim != ndim:
        raise Mismatch("rank", f"{where}: expected {ndim} dimensions, found {value.ndim}")
    if isinstance(type_.shape, str):
        wanted = named_shape(shapes, type_.shape)
        if wanted is not None and wanted.dims != value.shape:
            raise Mismatch("shape", f"{where}: expected shape {wanted.dims}, found {value.shape}")
    elif type_.shape is not None:
        pairs.extend(zip(type_.shape, value.shape, strict=True))


def _shape(value: Any, type_: ShapeType, pairs: Pairs, where: str) -> None:
    if not isinstance(value, Shape):
        raise Mismatch("type", f"{where}: expected a shape, found {describe(value)}")
    ndim = len(type_.values) if type_.values is not None else type_.ndim
    if ndim >= 0 and len(value) != ndim:
        raise Mismatch("rank", f"{where}: expected a shape of {ndim} dimensions, found {len(value)}")
    if type_.values is not None:
        pairs.extend(zip(type_.values, value.dims, strict=True))


@rule("ev/match-binds-symbols", "ev/negative-extent")
def bind_symbols(pairs: Pairs, symbols: Symbols) -> None:
    """Define every plain symbol that has no value yet, first occurrence first. A plain symbol is an extent
    (``sh/facts``), one that a scalar has defined before too."""
    for dim, extent in pairs:
        if isinstance(dim, SymVar):
            if extent < 0 and symbols.get(dim.name, extent) == extent:
                raise unspecified("ev/negative-extent", f"the extent {dim.name} is {extent}", dim.span)
            symbols.setdefault(dim.name, extent)


@rule("ev/match-compares-dims")
def compare(pairs: Pairs, symbols: Symbols, where: str) -> None:
    """Every dimension has the extent that it meets. Raises ``Mismatch``."""
    for dim, extent in pairs:
        wanted = dim_value(dim, symbols)
        if wanted != extent:
            shown = str(wanted) if (text := _text(dim)) == str(wanted) else f"{text} = {wanted}"
            raise Mismatch("shape", f"{where}: expected {shown}, found {extent}")


def _text(dim: PrimExpr) -> str:
    return expression(dim)


def match(value: Any, type_: Type, symbols: Symbols, shapes: dict[str, Any], where: str) -> None:
    """Check one value against a type, defining the symbols that the type introduces. Raises ``Mismatch``."""
    pairs: Pairs = []
    structure(value, type_, shapes, pairs, where)
    bind_symbols(pairs, symbols)
    compare(pairs, symbols, where)
