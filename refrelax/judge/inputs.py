"""Arguments for the runs of a comparison: random ones by policy, the literals of the programs, one value everywhere,
integers that are positions of some axis, numbers of any size.

A difference often shows only at a number that a program names, or where all elements are one special value.

Spec: ``spec/01-conformance.md``, ``va/refinement``.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import partial
from math import prod
from typing import Any, Literal

from refrelax.rules import rule
from refrelax.running.arrays import Tensor, pack, tensors
from refrelax.semantics.graph.link import nodes
from refrelax.syntax import bits, dtypes, scalars
from refrelax.syntax.graph import Constant, ConstantRef
from refrelax.syntax.module import Module
from refrelax.syntax.types import TensorType, TupleType, Type
from refrelax.testing.arguments import Policy, parameters, random_arguments, specials

Kind = Policy | Literal["literals", "uniform", "indices", "wide", "promised", "half promised"]

KINDS: tuple[Kind, ...] = ("dyadic", "integer", "normal", "special", "literals", "uniform", "wide")

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
    rng = random.Random(seed)
    match kind:
        case "indices":
            return _indices(random_arguments(module, entry, seed, dims, "integer"), rng)
        case "wide":
            return _wide(random_arguments(module, entry, seed, dims, "normal"), rng)
        case "literals":
            args = random_arguments(module, entry, seed, dims, "integer")
            return [_refilled(x, partial(_literals, seed, named, 5 * k)) for k, x in enumerate(args)]
        case "promised":
            args, choices = random_arguments(module, entry, seed, dims, "integer"), _promised(module)
            choice = choices[seed // len(KINDS) % len(choices)]
            return [_refilled(x, partial(_all, choice)) for x in args]
        case "half promised":
            args, (zero, *others) = random_arguments(module, entry, seed, dims, "integer"), _promised(module)
            return [_refilled(x, partial(_some, rng.choice(others or [zero]), rng)) for x in args]
        case "uniform":
            args = random_arguments(module, entry, seed, dims, "integer")
            return [_refilled(x, partial(_uniform, seed)) for x in args]
        case policy:
            return random_arguments(module, entry, seed, dims, policy)


def kinds(module: Module, entry: str) -> tuple[Kind, ...]:
    """The kinds of arguments that are worth a run: positions where there is a tensor of integers, and first of all what
    the program assumes of them."""
    whole = any(_of_integers(type_) for _, type_ in parameters(module, entry))
    first: tuple[Kind, ...] = (
        ("promised", "half promised", "half promised", "half promised")
        if any(True for _ in _assumptions(module))
        else ()
    )
    return (*first, *KINDS, "indices") if whole else (*first, *KINDS)


def _assumptions(module: Module) -> Iterator[scalars.Intrinsic]:
    found = (node for function in module.functions.values() for node in nodes(function))
    return (each for each in found if isinstance(each, scalars.Intrinsic) and each.op == "assume")


@rule("ev/assume")
def _promised(module: Module) -> list[int | float]:
    """What elements are assumed to be: 0, as padding mostly is, or a number that one is compared with."""
    found: dict[int | float, None] = {0: None}
    for node in (node for each in _assumptions(module) for node in nodes(each)):
        match node:
            case scalars.Binary("EQ", scalars.BufferLoad(), scalars.Literal() as number):
                found.setdefault(bits.decode(number.dtype, number.bits))
            case scalars.Binary("EQ", scalars.Literal() as number, scalars.BufferLoad()):
                found.setdefault(bits.decode(number.dtype, number.bits))
            case _:
                pass
    return list(found)


def _all(number: int | float, x: Tensor) -> list[int] | None:
    """One number everywhere, where there is one of the dtype."""
    if dtypes.kind(x.dtype) not in ("int", "uint", "float"):
        return None
    if dtypes.is_float(x.dtype):
        return [bits.encode(x.dtype, number)] * x.size
    low, high = dtypes.integer_range(x.dtype)
    return [bits.encode(x.dtype, int(max(low, min(number, high))))] * x.size


def _some(number: int | float, rng: random.Random, x: Tensor) -> list[int] | None:
    """One number everywhere, or 1 more at one place or at some, or nothing promised: a promise may speak of some
    tensors and of some of their elements."""
    usual, other = _all(number, x), _all(number + 1, x)
    how = rng.choice(("all", "all but one", "some", "none"))
    if usual is None or other is None or how == "none":
        return None
    one = rng.randrange(x.size) if how == "all but one" and x.size else None
    return [
        b if k == one or (how == "some" and rng.random() < 0.3) else a
        for k, (a, b) in enumerate(zip(usual, other, strict=True))
    ]


def _of_integers(type_: Type) -> bool:
    match type_:
        case TensorType(dtype=dtype):
            return dtype is None or dtypes.is_integer(dtype)
        case TupleType(fields=fields):
            return any(map(_of_integers, fields))
        case _:
            return False


def _refilled(value: Any, fill: Callable[[Tensor], Sequence[int] | None]) -> Any:
    """A value with the tensors for which ``fill`` gives patterns filled with those."""
    if isinstance(value, tuple):
        return tuple(_refilled(each, fill) for each in value)
    patterns = fill(value) if isinstance(value, Tensor) else None
    return value if patterns is None else Tensor.of_bytes(value.dtype, value.shape, pack(value.dtype, patterns))


def _indices(args: list[Any], rng: random.Random) -> list[Any]:
    """The arguments with every tensor of integers filled with positions of an axis of another argument: of the
    shortest half of the time, since nobody says which axis is meant."""
    given = tensors(tuple(args))

    def positions(x: Tensor) -> list[int] | None:
        if not dtypes.is_integer(x.dtype):
            return None
        extents = [n for each in given if each is not x for n in each.shape if n > 0] or [1]
        extent = min(extents) if rng.random() < 0.5 else rng.choice(extents)
        low, high = dtypes.integer_range(x.dtype)
        found = [rng.randrange(extent) - extent * (rng.random() < NEGATIVE and low < 0) for _ in range(x.size)]
        return [bits.encode(x.dtype, max(low, min(k, high))) for k in found]

    return [_refilled(each, positions) for each in args]


def _wide(args: list[Any], rng: random.Random) -> list[Any]:
    """The arguments with numbers from the whole of their formats.

    Integers have as many bits as chance says, half of the time all: small ones and the ends of the range lose nothing
    in a float or a narrower dtype. Floats have any exponent, or all of a tensor have one and nearly one value: what
    cancels shows what was rounded.
    """

    def numbers(x: Tensor) -> list[int] | None:
        if dtypes.is_integer(x.dtype):
            return [bits.encode(x.dtype, _integer(*dtypes.integer_range(x.dtype), rng)) for _ in range(x.size)]
        if dtypes.lanes(x.dtype) != 1 or x.dtype not in bits.FORMATS:
            return None
        f = bits.FORMATS[x.dtype]
        first, last = 1 - f.bias, (1 << f.exponent_bits) - 2 - f.bias
        common = rng.randint(first // 2, last // 2) if rng.random() < 0.5 else None
        return [bits.encode(x.dtype, _float(first, last, common, rng) if f.signed else 1.0) for _ in range(x.size)]

    return [_refilled(each, numbers) for each in args]


def _integer(low: int, high: int, rng: random.Random) -> int:
    every = high.bit_length()
    magnitude = rng.getrandbits(every if rng.random() < 0.5 else rng.randint(min(1, every), every))
    return ~magnitude if low < 0 and rng.random() < 0.5 else magnitude


def _float(first: int, last: int, common: int | None, rng: random.Random) -> float:
    """A float of an exponent from ``first`` to ``last``; or of the exponent ``common``, just above its power of two."""
    if common is not None:
        return (1 + rng.random() / 64) * 2.0**common
    return rng.choice((1, -1)) * (1 + rng.random()) * 2.0 ** rng.randint(first, last)


def _literals(seed: int, named: Named, shift: int, x: Tensor) -> list[int] | None:
    """Numbers that the programs name, one after the other: the next round goes on where this one ends."""
    choices = _encoded(x.dtype, named)
    first = seed // (len(KINDS) + 1) * x.size + shift
    return [choices[(first + k) % len(choices)] for k in range(x.size)] if choices else None


def _uniform(seed: int, x: Tensor) -> list[int] | None:
    """One special value everywhere."""
    choices = specials(x.dtype)
    return [choices[seed // len(KINDS) % len(choices)]] * x.size if choices else None


def _encoded(dtype: str, named: Named) -> list[int]:
    if dtypes.kind(dtype) not in ("int", "uint", "float"):
        return []
    if dtypes.is_float(dtype):
        return [bits.encode(dtype, v) for v in named["float"]]
    low, high = dtypes.integer_range(dtype)
    return [bits.encode(dtype, v) for v in named["int"] if low <= v <= high]
