"""Arguments for the runs of a comparison: random ones by policy, the literals of the programs, one value everywhere.

A difference often shows only at a number that a program names, or where all elements are one special value.

Spec: ``spec/01-conformance.md``, ``va/refinement``.
"""

from __future__ import annotations

import random
from collections.abc import Iterable, Mapping
from typing import Any, Literal

from refrelax.arrays import Tensor, pack
from refrelax.semantics.graph.link import nodes
from refrelax.syntax import bits, dtypes, scalars
from refrelax.syntax.module import Module
from refrelax.testing.arguments import Policy, random_arguments, specials

Kind = Policy | Literal["literals", "uniform"]

KINDS: tuple[Kind, ...] = ("dyadic", "integer", "normal", "special", "literals", "uniform")

MOST_LITERALS = 64
Named = Mapping[str, tuple[int | float, ...]]
"""Numbers for integers (``int``) and for floats (``float``)."""


def literals(modules: Iterable[Module]) -> Named:
    """The numbers that programs name, and their neighbours, for integers and floats."""
    found: dict[int | float, None] = {}
    for module in modules:
        for function in module.functions.values():
            for node in nodes(function):
                if isinstance(node, scalars.Literal) and dtypes.kind(node.dtype) in ("int", "uint", "float"):
                    value = bits.decode(node.dtype, node.bits)
                    if value == value and abs(value) != float("inf"):
                        found.setdefault(value)
                if len(found) >= MOST_LITERALS:
                    break
    around = [v + d for v in found for d in (0, 1, -1)]
    whole: tuple[int | float, ...] = tuple(dict.fromkeys(int(v) for v in around if v == int(v)))
    return {"int": whole, "float": tuple(dict.fromkeys(around))}


def made(module: Module, entry: str, seed: int, dims: Mapping[str, int], kind: Kind, named: Named) -> list[Any]:
    """Arguments of one kind, reproducible from ``seed``.

    Raises:
        UsageError: they cannot be made up.
    """
    if kind not in ("literals", "uniform"):
        return random_arguments(module, entry, seed, dims, kind)  # type: ignore[arg-type]
    rng = random.Random(seed)
    args = random_arguments(module, entry, seed, dims, "integer")
    return [_changed(each, kind, rng, seed, named) for each in args]


def _changed(value: Any, kind: Kind, rng: random.Random, seed: int, named: Named) -> Any:
    if isinstance(value, tuple):
        return tuple(_changed(each, kind, rng, seed, named) for each in value)
    if not isinstance(value, Tensor) or dtypes.kind(value.dtype) not in ("int", "uint", "float"):
        return value
    patterns = [p or 0 for p in value.patterns()]
    if kind == "uniform":
        choices = specials(value.dtype)
        patterns = [choices[seed // len(KINDS) % len(choices)]] * len(patterns) if choices else patterns
    elif choices := _encoded(value.dtype, named):
        patterns = [rng.choice(choices) if rng.random() < 0.7 else p for p in patterns]
    return Tensor.of_bytes(value.dtype, value.shape, pack(value.dtype, patterns))


def _encoded(dtype: str, named: Named) -> list[int]:
    if dtypes.is_float(dtype):
        return [bits.encode(dtype, v) for v in named["float"]]
    low, high = dtypes.integer_range(dtype)
    return [bits.encode(dtype, v) for v in named["int"] if low <= v <= high]
