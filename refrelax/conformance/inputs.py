"""Arguments made up for a function: sizes for its symbols, tensors by its parameter types, the same for the same
seed."""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator, Mapping
from typing import Any, Literal

from refrelax.runs import parameter_types
from refrelax.arrays import Tensor, pack
from refrelax.errors import UsageError
from refrelax.semantics.dims import value as dim_value
from refrelax.syntax.bits import encode
from refrelax.syntax.dtypes import bits as width
from refrelax.syntax.dtypes import kind
from refrelax.syntax.module import ConstantArray, Module
from refrelax.syntax.scalars import PrimExpr, SymVar, free_symbols
from refrelax.syntax.types import PrimType, ShapeType, TensorType, TupleType, Type

Policy = Literal["normal", "dyadic", "integer"]
"""Elements of float tensors: about N(0, 1); multiples of 1/4 of small size; small integers. Sums and products of the
last two are exact in float32 at moderate sizes, so that structure can be judged bit for bit."""

SIZES = (3, 5, 2, 7, 4, 6, 11, 13)
"""Sizes for symbols that are given none, in the order of the parameters; pairwise distinct."""


def make_arguments(
    module: Module, entry: str, seed: int = 0, dims: Mapping[str, int] | None = None, policy: Policy = "normal"
) -> tuple[list[Any], dict[str, int]]:
    """Arguments for ``entry`` and the sizes they were made at.

    Raises:
        UsageError: no such function, a size for a symbol that it does not have, or a parameter that cannot be made up.
    """
    if entry not in module.functions:
        raise UsageError(f"the module has no function {entry!r}; it has {', '.join(sorted(module.functions))}")
    types = parameter_types(module, entry)
    sizes = choose_sizes(types, dims or {})
    draw = random.Random(seed)
    return [_argument(t, sizes, draw, policy) for t in types], sizes


def choose_sizes(types: list[Type | None], dims: Mapping[str, int]) -> dict[str, int]:
    """A size for every symbol of the parameters: those given, and for the rest the next of ``SIZES``."""
    symbols = list(dict.fromkeys(name for t in types if t is not None for e in _dims(t) for name in _ordered(e)))
    unknown = [name for name in dims if name not in symbols]
    if unknown:
        having = f"it has {', '.join(symbols)}" if symbols else "it has none"
        raise UsageError(f"the parameters have no symbol {unknown[0]!r}; {having}")
    free = iter([size for size in SIZES if size not in dims.values()] + list(range(14, 14 + len(symbols))))
    return {name: dims[name] if name in dims else next(free) for name in symbols}


def _ordered(dim: PrimExpr) -> list[str]:
    return [dim.name] if isinstance(dim, SymVar) else sorted(free_symbols(dim))


def _dims(type_: Type) -> Iterator[PrimExpr]:
    match type_:
        case TensorType(shape=tuple(shape)):
            yield from shape
        case ShapeType(values=tuple(values)):
            yield from values
        case TupleType(fields=fields):
            for each in fields:
                yield from _dims(each)


def _argument(type_: Type | None, sizes: Mapping[str, int], draw: random.Random, policy: Policy) -> Any:
    match type_:
        case TensorType(shape=tuple(shape), dtype=str(dtype)):
            return _tensor(dtype, tuple(dim_value(d, sizes) for d in shape), draw, policy)
        case ShapeType(values=tuple(values)):
            return tuple(dim_value(d, sizes) for d in values)
        case PrimType(dtype=dtype):
            return draw.randrange(2) if kind(dtype) == "bool" else draw.randrange(1, 4)
        case TupleType(fields=fields):
            return tuple(_argument(each, sizes, draw, policy) for each in fields)
        case None:
            raise UsageError("a parameter without a known type cannot be made up; give --args")
        case _:
            raise UsageError(f"a parameter of type {type_} cannot be made up; give --args")


def _tensor(dtype: str, shape: tuple[int, ...], draw: random.Random, policy: Policy) -> Tensor:
    count = 1
    for extent in shape:
        if extent < 0:
            raise UsageError(f"these sizes give the negative extent {extent}")
        count *= extent
    make = _element(dtype, draw, policy)
    return Tensor.of(ConstantArray(dtype, shape, pack(dtype, [encode(dtype, make()) for _ in range(count)])))


def _element(dtype: str, draw: random.Random, policy: Policy) -> Callable[[], float]:
    match kind(dtype):
        case "float" if policy == "normal":
            return lambda: draw.gauss(0.0, 1.0)
        case "float" if policy == "dyadic":
            return lambda: draw.randrange(-8, 9) / 4
        case "float":
            return lambda: float(draw.randrange(-4, 5))
        case "int":
            return lambda: draw.randrange(-4, 5) if width(dtype) > 4 else draw.randrange(-1, 2)
        case _:
            return lambda: draw.randrange(2)
