"""The law of accuracy: the exact result, rounded once to the result's dtype, is permitted.

For every operator, float dtype and argument: what the reading ``ideal`` decides lies in what ``enclosure`` permits.
Spec: ``spec/02-values.md``, ``num/exact-is-permitted``.
"""

from __future__ import annotations

import random
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from math import prod
from typing import Any

from refrelax.errors import Outcome, Returned
from refrelax.running.arrays import Tensor, pack, tensors
from refrelax.running.run import run
from refrelax.semantics.budget import Budget
from refrelax.semantics.numbers.enclosure import contains, enclose
from refrelax.semantics.numbers.ideal import FORMATS, ideal, rounded_once
from refrelax.semantics.numbers.poison import Poison
from refrelax.semantics.types import CheckedModule
from refrelax.syntax import bits, dtypes
from refrelax.testing.sweep import Param, Program

PRECISIONS = (160, 640)
"""Bits of functions, one after the other, until every element is decided."""

BUDGET = Budget(steps=200_000, elements=200_000)


@dataclass
class Found:
    """How many elements of results were decided and undecided."""

    decided: int = 0
    undecided: int = 0


def drawn(param: Param, n: int, seed: int) -> Any:
    """An argument whose floats are ordinary numbers, of one magnitude or of several."""
    if param.dtype == "shape" or not dtypes.is_float(param.dtype) or param.extents is None or param.known != "all":
        return param.value(n, seed, "plain")
    turn = random.Random(f"{param.name} {seed} {n}")
    shape = param.value(n, seed, "plain").shape
    spread = turn.choice((0.0, 0.0, 1.5))
    size = turn.choice((1.0, 0.1, 8.0))
    numbers = [turn.gauss(0, size) * 10 ** turn.uniform(-spread, spread) for _ in range(prod(shape))]
    return Tensor.of_bytes(param.dtype, shape, pack(param.dtype, [bits.encode(param.dtype, x) for x in numbers]))


def arguments(program: Program, n: int, seed: int) -> list[Any]:
    """Arguments of a program: by turns drawn, corners, and small whole numbers."""
    policy = ("drawn", "corners", "drawn", "plain")[seed % 4]
    if policy == "drawn":
        return [drawn(p, n, seed + 5 * k) for k, p in enumerate(program.params)]
    return program.arguments(n, seed, policy)


def arithmetic(dtype: str) -> bool:
    return not dtypes.is_float(dtype) or dtype in FORMATS


def exact_elements(checked: CheckedModule, arguments: Sequence[Any]) -> list[list[Any]] | None:
    """The exact elements of a result, rounded once; ``None`` for what is not decided, or for a run without a result."""
    known: list[list[Any]] | None = None
    for precision in PRECISIONS:
        out = run(checked, "main", *arguments, numerics=ideal(precision), budget=BUDGET)
        if not isinstance(out, Returned):
            return known
        found = [_elements(each) for each in tensors(out.value)]
        known = found
        if all(x is not None for column in found for x in column):
            break
    return known


def _elements(tensor: Tensor) -> list[Any]:
    payloads = tensor.core.payloads()
    if dtypes.is_float(tensor.dtype):
        return [rounded_once(tensor.dtype, each) for each in payloads]
    return [_member(each, tensor.dtype) for each in payloads]


def _member(payload: Any, dtype: str) -> Any:
    """The one integer or truth of a payload."""
    if isinstance(payload, Poison):
        return None
    held: Any = enclose(payload, dtype)
    if held.rule is not None:
        return None
    if dtype == "bool":
        return None if held.true and held.false else held.true
    return held.lo if held.count == 1 else None


def faults(
    checked: CheckedModule, arguments: Sequence[Any], permitted: Outcome | None = None, found: Found | None = None
) -> Iterator[str]:
    """The exact elements that are not permitted, as text."""
    wide = permitted or run(checked, "main", *arguments, numerics="enclosure", budget=BUDGET)
    if not isinstance(wide, Returned):
        return
    if any(not arithmetic(each.dtype) for each in (*tensors(tuple(arguments)), *tensors(wide.value))):
        return
    exact = exact_elements(checked, arguments)
    if exact is None or [len(column) for column in exact] != [each.size for each in tensors(wide.value)]:
        return  # how many rows there are is decided by what is rounded
    found = found or Found()
    for tensor, column in zip(tensors(wide.value), exact, strict=True):
        for index, payload, best in zip(tensor.core.indices(), tensor.core.payloads(), column, strict=True):
            if best is None:
                found.undecided += 1
                continue
            found.decided += 1
            if not contains(payload, tensor.dtype, best):
                yield f"{best!r} at {index} of {tensor.dtype}: permitted is {payload!r}"
