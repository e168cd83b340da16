"""Random arguments for a function, by the types of its parameters.

Policies: ``"normal"`` floats of moderate size; ``"dyadic"`` small multiples of a power of two, on which sums and
products
are exact, so that structure can be compared bit for bit; ``"integer"`` small whole numbers; ``"special"`` NaN,
infinities,
signed zeros, subnormals, extreme integers among normal values.
"""

from __future__ import annotations

import random
from collections.abc import Mapping
from functools import cache
from math import prod
from typing import Any, Literal

from refrelax.errors import Ended, UsageError
from refrelax.running.arrays import Tensor, pack
from refrelax.semantics.builtins.contexts import param_types
from refrelax.semantics.dims import value as dim_value
from refrelax.semantics.values import DType, Shape
from refrelax.syntax import bits, dtypes
from refrelax.syntax.graph import Function, MatchCast, Var
from refrelax.syntax.loops import BufferParam, PrimFunc
from refrelax.syntax.module import Module
from refrelax.syntax.scalars import PrimExpr, SymVar, free_symbols
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
    tensor_of,
)

Policy = Literal["normal", "dyadic", "integer", "special"]

FEW = ("integer", "dyadic")
"""Policies whose elements are a few numbers."""

EXTENTS = (3, 5, 2, 7, 4, 6)
"""Extents for symbols that nobody chose, handed out in order so that they differ."""

MOST_ELEMENTS = 100_000_000
"""Of one argument."""

MOST_AXES = 1000
"""Of one argument whose extents no type tells."""


def parameters(module: Module, entry: str) -> list[tuple[str, Type]]:
    """Names and types of a function's parameters; buffers as tensors, outputs included."""
    match module.functions.get(entry):
        case Function() as function:
            types = param_types(function)
            return [(p.name, t or AnyType()) for p, t in zip(function.params, types, strict=True)]
        case PrimFunc(params=prim_params):
            return [
                (p.buffer.name, tensor_of(p.buffer.shape, p.buffer.dtype))
                if isinstance(p, BufferParam)
                else (p.var.name, PrimType(p.var.dtype))
                for p in prim_params
            ]
        case _:
            raise UsageError(f"the module has no function {entry!r} that could be run")


def random_arguments(
    module: Module,
    entry: str = "main",
    seed: int = 0,
    dims: Mapping[str, int] | None = None,
    policy: Policy = "normal",
    most: int = MOST_ELEMENTS,
) -> list[Any]:
    """Arguments of the right types, reproducible from ``seed``.

    ``dims`` chooses symbols (``{"n": 3}``); the others get small extents that differ from each other. ``most``: the
    elements that one argument may have.

    Raises:
        UsageError: no such function, extents beyond int64, or a parameter (a function, an opaque object, more than
            ``most`` elements) that cannot be made up.
    """
    rng = random.Random(seed)
    given = _sized_by_casts(module, entry, parameters(module, entry), dims or {})
    _check_names(given, dims or {})
    symbols = _choose_symbols([t for _, t in given], dict(dims or {}))
    try:
        return _made(given, symbols, rng, policy, most)
    except Ended as end:
        said = getattr(end.outcome, "message", "") or str(end.outcome)
        raise UsageError(f"no arguments have these extents: {said}") from None


def _sized_by_casts(
    module: Module, entry: str, given: list[tuple[str, Type]], dims: Mapping[str, int]
) -> list[tuple[str, Type]]:
    """A parameter of unknown shape at the type that a match_cast of it says, if that names a symbol of ``dims``."""
    function = module.functions.get(entry)
    if not isinstance(function, Function):
        return given
    casts = {
        binding.value.name: binding.type
        for block in function.body.blocks
        for binding in block.bindings
        if isinstance(binding, MatchCast) and isinstance(binding.value, Var)
    }
    result = []
    for name, type_ in given:
        cast = casts.get(name, AnyType())
        wanted = {symbol for dim in _dims(cast) for symbol in free_symbols(dim)} & dims.keys()
        result.append((name, cast if wanted and not _dims(type_) else type_))
    return result


def _made(
    given: list[tuple[str, Type]], symbols: dict[str, int], rng: random.Random, policy: Policy, most: int
) -> list[Any]:
    result: list[Any] = []
    for name, type_ in given:
        if isinstance(type_, PrimType) and name in symbols:
            result.append(symbols[name])
            continue
        made = _value(type_, symbols, rng, policy, name, most)
        if isinstance(type_, PrimType) and dtypes.kind(type_.dtype) != "float":
            symbols[name] = int(made)
        result.append(made)
    return result


def _check_names(given: list[tuple[str, Type]], dims: Mapping[str, int]) -> None:
    """Refuse a size for a name that no parameter mentions: a typing error, most likely."""
    known = {name for _, t in given for d in _dims(t) for name in free_symbols(d)}
    known |= {name for name, t in given if isinstance(t, PrimType)}
    unknown = [name for name in dims if name not in known]
    if unknown:
        having = f"they have {', '.join(sorted(known))}" if known else "they have none"
        raise UsageError(f"the parameters have no symbol {unknown[0]!r}; {having}")


def symbols_of(module: Module, entry: str) -> tuple[str, ...]:
    """The symbols of a function's signature, in order of first occurrence."""
    found: dict[str, None] = {}
    for _, type_ in parameters(module, entry):
        for dim in _dims(type_):
            for name in [dim.name] if isinstance(dim, SymVar) else sorted(free_symbols(dim)):
                found.setdefault(name)
    return tuple(found)


def settled(name: str, type_: Type, value: Any) -> list[tuple[str, int]]:
    """The symbols that an argument settles, with their values: plain dims of its type, and an integer's own name."""
    match type_:
        case TensorType(shape=tuple(dims)):
            extents = getattr(value, "shape", ())
        case DTensorType(tensor=tensor):
            return settled(name, tensor, value)
        case ShapeType(values=tuple(dims)):
            extents = getattr(value, "dims", value)
        case TupleType(fields=fields) if isinstance(value, tuple) and len(value) == len(fields):
            return [pair for field, each in zip(fields, value, strict=True) for pair in settled("", field, each)]
        case PrimType() if isinstance(value, int) and name:
            return [(name, value)]
        case _:
            return []
    if not isinstance(extents, tuple | list) or len(extents) != len(dims):
        return []
    return [(dim.name, int(n)) for dim, n in zip(dims, extents, strict=True) if isinstance(dim, SymVar)]


def _choose_symbols(types: list[Type], symbols: dict[str, int]) -> dict[str, int]:
    spare = iter(EXTENTS * 50)
    for type_ in types:
        for dim in _dims(type_):
            for name in sorted(free_symbols(dim)) if not isinstance(dim, SymVar) else [dim.name]:
                if name not in symbols:
                    symbols[name] = next(spare)
    return symbols


def _dims(type_: Type) -> tuple[PrimExpr, ...]:
    match type_:
        case TensorType(shape=tuple() as shape):
            return shape
        case DTensorType(tensor=tensor):
            return _dims(tensor)
        case ShapeType(values=tuple() as values):
            return values
        case TupleType(fields=fields):
            return tuple(d for each in fields for d in _dims(each))
        case _:
            return ()


def _value(type_: Type, symbols: dict[str, int], rng: random.Random, policy: Policy, name: str, most: int) -> Any:
    match type_:
        case TensorType():
            return _tensor(type_, symbols, rng, policy, most)
        case DTensorType(tensor=tensor):
            return _tensor(tensor, symbols, rng, policy, most)
        case ShapeType(values=tuple() as values):
            return Shape(_extents(values, symbols))
        case ShapeType(ndim=ndim):
            return Shape(_any_extents(max(ndim, 1), rng))
        case PrimType(dtype=dtype) if dtype.startswith("handle"):
            raise UsageError(f"parameter {name} is a {dtype}: give it in --args")
        case PrimType(dtype=dtype):
            return bits.decode(dtype, element(dtype, rng, "integer"))
        case TupleType(fields=fields):
            return tuple(_value(t, symbols, rng, policy, name, most) for t in fields)
        case AnyType():
            return DType("float32")
        case FuncType() | PackedFuncType():
            raise UsageError(f"parameter {name} is a function: give it in --args")


def _extents(dims: tuple[PrimExpr, ...], symbols: Mapping[str, int]) -> tuple[int, ...]:
    try:
        return tuple(dim_value(d, symbols) for d in dims)
    except Ended as end:
        at = ", ".join(f"{name} = {value}" for name, value in symbols.items())
        why = getattr(end.outcome, "message", str(end))
        raise UsageError(f"an extent has no value at {at}: {why}") from None


def _any_extents(rank: int, rng: random.Random) -> tuple[int, ...]:
    """Extents where the type tells their number alone."""
    if rank > MOST_AXES:
        raise UsageError(f"an argument of {rank} axes is too large to be made up")
    return tuple(rng.randint(1, 4) for _ in range(rank))


def _tensor(type_: TensorType, symbols: dict[str, int], rng: random.Random, policy: Policy, most: int) -> Tensor:
    dtype = type_.dtype or "float32"
    if isinstance(type_.shape, tuple):
        shape = _extents(type_.shape, symbols)
    else:
        shape = _any_extents(1 if type_.ndim < 0 else type_.ndim, rng)
    if any(extent < 0 for extent in shape):
        raise UsageError(f"these dims give the shape {shape}")
    if prod(shape) > most:
        raise UsageError(f"an argument of shape {shape} is too large to be made up")
    patterns = [element(dtype, rng, policy) for _ in range(prod(shape))]
    if policy == "special":
        _scatter_specials(dtype, rng, patterns)
    return Tensor.of_bytes(dtype, shape, pack(dtype, patterns))


def _scatter_specials(dtype: str, rng: random.Random, patterns: list[int]) -> None:
    """Put every special element somewhere, as far as the places suffice and one is left: none is left to luck."""
    wanted = list(specials(dtype))
    rng.shuffle(wanted)
    count = min(len(wanted), max(1, len(patterns) - 1), len(patterns))
    for place, pattern in zip(rng.sample(range(len(patterns)), count), wanted, strict=False):
        patterns[place] = pattern


@cache
def specials(dtype: str) -> tuple[int, ...]:
    """Bits of the elements on which operators go wrong: zeros of both signs, infinities, NaN, the least positive
    number; the least and greatest integers."""
    match dtypes.kind(dtype):
        case "float" if dtype in bits.FORMATS:
            least = 2.0 ** (1 - bits.FORMATS[dtype].bias - bits.FORMATS[dtype].mantissa_bits)
            numbers = [0.0, -0.0, float("nan"), float("inf"), -float("inf"), 1.0, least]
            return tuple(dict.fromkeys(bits.encode(dtype, x) for x in numbers))
        case "int" | "uint":
            low, high = dtypes.integer_range(dtype)
            return tuple(bits.encode(dtype, n) for n in dict.fromkeys((low, high, 0, -1 if low < 0 else 1)))
        case _:
            return ()


def element(dtype: str, rng: random.Random, policy: Policy) -> int:
    """The bits of one random element. Raises ``UsageError``: of several lanes, or of a pointer."""
    if dtypes.lanes(dtype) != 1 or dtypes.kind(dtype) not in ("bool", "int", "uint", "float"):
        raise UsageError(f"elements of {dtype} cannot be made up: give them in --args")
    match dtypes.kind(dtype):
        case "bool":
            return rng.getrandbits(1)
        case "float":
            if policy == "special" and rng.random() < 0.3:
                return rng.choice(specials(dtype))
            number = _float(rng, policy)
            return _encoded(dtype, number) if policy in FEW else bits.encode(dtype, number)
        case _:
            low, high = dtypes.integer_range(dtype)
            if policy == "special" and rng.random() < 0.3:
                return rng.choice(specials(dtype))
            return _encoded(dtype, rng.randint(max(low, -8), min(high, 8)))


_encoded = cache(bits.encode)
"""For the few numbers of which many elements are made."""


def _float(rng: random.Random, policy: Policy) -> float:
    match policy:
        case "integer":
            return float(rng.randint(-4, 4))
        case "dyadic":
            return rng.randint(-8, 8) / 4
        case _:
            return rng.gauss(0.0, 1.0)
