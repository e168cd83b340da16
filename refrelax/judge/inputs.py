"""Arguments for the runs of a comparison: random ones by policy, the literals of the programs, one value everywhere,
integers that are positions of some axis.

A difference often shows only at a number that a program names, or where all elements are one special value.

Spec: ``spec/01-conformance.md``, ``va/refinement``.
"""

from __future__ import annotations

import random
from collections.abc import Iterable, Iterator, Mapping, Sequence
from math import prod
from typing import Any, Literal

from refrelax.arrays import Tensor, pack
from refrelax.semantics.graph.link import nodes
from refrelax.syntax import bits, dtypes, scalars
from refrelax.syntax.graph import Constant, ConstantRef
from refrelax.syntax.module import Module
from refrelax.syntax.types import TensorType, TupleType, Type
from refrelax.testing.arguments import Policy, parameters, random_arguments, specials

Kind = Policy | Literal["literals", "uniform", "indices"]

KINDS: tuple[Kind, ...] = ("dyadic", "integer", "normal", "special", "literals", "uniform")

NEGATIVE = 0.1
"""How often an index counts from the end."""

MOST_LITERALS = 64

MOST_NAMED = 8
"""Elements of a constant that counts as so many literals; more are data."""

Named = Mapping[str, tuple[int | float, ...]]
"""Numbers for integers (``int``) and for floats (``float``)."""


def literals(modules: Iterable[Module]) -> Named:
    """The numbers that programs name, and their neighbours, for integers and floats."""
    found: dict[int | float, None] = {}
    for dtype, pattern in (each for module in modules for each in _patterns_in(module)):
        value = bits.decode(dtype, pattern)
        if value == value and abs(value) != float("inf"):
            found.setdefault(value)
        if len(found) >= MOST_LITERALS:
            break
    around = [v + d for v in found for d in (0, 1, -1)]
    whole: tuple[int | float, ...] = tuple(dict.fromkeys(int(v) for v in around if v == int(v)))
    return {"int": whole, "float": tuple(dict.fromkeys(around))}


def _patterns_in(module: Module) -> Iterator[tuple[str, int]]:
    """Scalars and the elements of small constants."""
    for node in (node for function in module.functions.values() for node in nodes(function)):
        match node:
            case scalars.Literal(dtype=dtype):
                patterns: Sequence[int] = (node.bits,)
            case Constant(dtype=dtype, data=data):
                patterns = data
            case ConstantRef(index=index) if (array := module.constants.get(index)) is not None:
                dtype, patterns = array.dtype, array.patterns() if prod(array.shape) <= MOST_NAMED else ()
            case _:
                continue
        if dtypes.lanes(dtype) == 1 and dtypes.kind(dtype) in ("int", "uint", "float") and len(patterns) <= MOST_NAMED:
            yield from ((dtype, each) for each in patterns)


def made(module: Module, entry: str, seed: int, dims: Mapping[str, int], kind: Kind, named: Named) -> list[Any]:
    """Arguments of one kind, reproducible from ``seed``.

    Raises:
        UsageError: they cannot be made up.
    """
    if kind == "indices":
        return _indices(random_arguments(module, entry, seed, dims, "integer"), random.Random(seed))
    if kind == "normal":
        return _of_any_width(random_arguments(module, entry, seed, dims, kind), random.Random(seed))
    if kind not in ("literals", "uniform"):
        return random_arguments(module, entry, seed, dims, kind)  # type: ignore[arg-type]
    args = random_arguments(module, entry, seed, dims, "integer")
    return [_changed(each, kind, seed, named, 5 * k) for k, each in enumerate(args)]


def kinds(module: Module, entry: str) -> tuple[Kind, ...]:
    """The kinds of arguments that are worth a run: positions where there is a tensor of integers."""
    whole = any(_of_integers(type_) for _, type_ in parameters(module, entry))
    return (*KINDS, "indices") if whole else KINDS


def _of_integers(type_: Type) -> bool:
    match type_:
        case TensorType(dtype=dtype):
            return dtype is None or dtypes.is_integer(dtype)
        case TupleType(fields=fields):
            return any(map(_of_integers, fields))
        case _:
            return False


def _indices(args: list[Any], rng: random.Random) -> list[Any]:
    """The arguments with every tensor of integers filled with positions of an axis of some argument: of the shortest
    half of the time, since nobody says which axis is meant."""
    extents = [n for each in _tensors(args) for n in each.shape if n > 0] or [1]

    def filled(value: Any) -> Any:
        if isinstance(value, tuple):
            return tuple(map(filled, value))
        if not isinstance(value, Tensor) or not dtypes.is_integer(value.dtype):
            return value
        extent = min(extents) if rng.random() < 0.5 else rng.choice(extents)
        low, high = dtypes.integer_range(value.dtype)
        found = [rng.randrange(extent) - extent * (rng.random() < NEGATIVE and low < 0) for _ in range(value.size)]
        patterns = [bits.encode(value.dtype, max(low, min(k, high))) for k in found]
        return Tensor.of_bytes(value.dtype, value.shape, pack(value.dtype, patterns))

    return [filled(each) for each in args]


def _of_any_width(args: list[Any], rng: random.Random) -> list[Any]:
    """The arguments with every tensor of integers filled with as many bits as chance says, half of the time all: small
    integers and the ends of the range lose nothing in a float or a narrower dtype, most of those between do."""

    def drawn(low: int, high: int) -> int:
        all_of_them = high.bit_length()
        magnitude = rng.getrandbits(all_of_them if rng.random() < 0.5 else rng.randint(1, all_of_them))
        return ~magnitude if low < 0 and rng.random() < 0.5 else magnitude

    def filled(value: Any) -> Any:
        if isinstance(value, tuple):
            return tuple(map(filled, value))
        if not isinstance(value, Tensor) or not dtypes.is_integer(value.dtype):
            return value
        patterns = [bits.encode(value.dtype, drawn(*dtypes.integer_range(value.dtype))) for _ in range(value.size)]
        return Tensor.of_bytes(value.dtype, value.shape, pack(value.dtype, patterns))

    return [filled(each) for each in args]


def _tensors(values: Iterable[Any]) -> list[Tensor]:
    found: list[Tensor] = []
    for each in values:
        found += _tensors(each) if isinstance(each, tuple) else [each] if isinstance(each, Tensor) else []
    return found


def _changed(value: Any, kind: Kind, seed: int, named: Named, shift: int) -> Any:
    if isinstance(value, tuple):
        return tuple(_changed(each, kind, seed, named, shift + k) for k, each in enumerate(value))
    if not isinstance(value, Tensor) or dtypes.kind(value.dtype) not in ("int", "uint", "float"):
        return value
    patterns = [p or 0 for p in value.patterns()]
    if kind == "uniform":
        choices = specials(value.dtype)
        patterns = [choices[seed // len(KINDS) % len(choices)]] * len(patterns) if choices else patterns
    elif choices := _encoded(value.dtype, named):
        first = seed // (len(KINDS) + 1) * len(patterns) + shift  # the next round goes on where this one ends
        patterns = [choices[(first + k) % len(choices)] for k in range(len(patterns))]
    return Tensor.of_bytes(value.dtype, value.shape, pack(value.dtype, patterns))


def _encoded(dtype: str, named: Named) -> list[int]:
    if dtypes.is_float(dtype):
        return [bits.encode(dtype, v) for v in named["float"]]
    low, high = dtypes.integer_range(dtype)
    return [bits.encode(dtype, v) for v in named["int"] if low <= v <= high]
