"""Symbols that make a question hard, to be given values: what is left is linear, or words.

A count that bits are moved by, a divisor that is no number, a factor of a product. Where bounds leave such a symbol few
values, each of them is a case; elsewhere a few values find counterexamples.

Spec: ``spec/06b-solver.md``, ``sh/instances``.
"""

from __future__ import annotations

import itertools
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from math import inf

from refrelax.rules import rule
from refrelax.shape_solver.core import DIVISIONS, SHIFTS, each_once, integer, names_in, replaced
from refrelax.shape_solver.evaluate import Undefined, compiled
from refrelax.shape_solver.vectors import Bounds
from refrelax.syntax.dtypes import integer_range
from refrelax.syntax.scalars import Binary, Cast, Intrinsic, Literal, PrimExpr, SymVar, as_int, literal_int

MAX_INSTANCES = 64
"""Cases that are all looked at."""

MAX_TRIED = 24
"""Instances in which a counterexample is looked for."""

MAX_SYMBOLS = 2
MAX_COUNT = 4_096

SMALL = (0, 1, 2, 3, 4, 5, 7, 8, 16, 31)


@rule("sh/instances")
def hard(parts: Iterable[PrimExpr], bounds: Bounds | None = None) -> tuple[str, ...]:
    """At most ``MAX_SYMBOLS`` symbols without which every product, divisor and count in ``parts`` would be a number;
    none if there are no fewer. Of those that stand as often, one to which ``bounds`` leave fewer values, or the first
    that is met."""
    left = tuple(parts)
    found: list[str] = []
    while names := _blamed(left):
        if len(found) == MAX_SYMBOLS:
            return ()
        most = max(names.values())
        found.append(min((name for name in names if names[name] == most), key=lambda name: _span(name, bounds or {})))
        left = tuple(replaced(e, {found[-1]: integer(3)}) for e in left)
    return tuple(found)


def _span(name: str, bounds: Bounds) -> float:
    """How many values bounds leave."""
    low, high = bounds.get(name, (None, None))
    return inf if low is None or high is None else high - low


def _blamed(parts: Iterable[PrimExpr]) -> dict[str, int]:
    """How often each symbol stands in an operand that ought to be a number; in the order in which symbols are met."""
    nodes = [node for e in parts for node in each_once(e)]
    found = Counter({node.name: 0 for node in nodes if isinstance(node, SymVar)})  # (sets have no order of their own)
    for node in nodes:
        match node:
            case Binary("Mul", a, b):
                first, second = names_in(a), names_in(b)
                found.update((first | second) if first and second else ())
            case Binary(op, _, b) if op in DIVISIONS:
                found.update(names_in(b))
            case Intrinsic(op, (_, count)) if op in SHIFTS:
                found.update(names_in(count))
            case _:
                pass
    return {name: count for name, count in found.items() if count}


def values(names: tuple[str, ...], bounds: Bounds) -> tuple[list[tuple[int, ...]], bool]:
    """Values for ``names`` together, and whether they are all that ``bounds`` leave."""
    ranges = [_range(*bounds.get(name, (None, None))) for name in names]
    total = 1
    for each in ranges:
        total *= len(each) if isinstance(each, range) else MAX_INSTANCES + 1
    if total <= MAX_INSTANCES:
        return list(itertools.product(*ranges)), True
    most = MAX_TRIED if len(names) == 1 else 5
    few = [list(each)[:most] for each in ranges]
    return list(itertools.product(*few))[:MAX_TRIED], False


def _range(low: int | None, high: int | None) -> range | list[int]:
    if low is not None and high is not None and high - low < MAX_INSTANCES:
        return range(low, high + 1)
    if low is not None:
        return [low + each for each in SMALL if high is None or low + each <= high]
    return [high - each for each in SMALL] if high is not None else [1, 2, 3, 0, -1, -2, 4, 8, 16, 31]


@rule("sh/instances")
def points(parts: Iterable[PrimExpr], symbols: Mapping[str, str], limit: int) -> Iterator[dict[str, int]]:
    """Points at the numbers that stand in ``parts``, and next to them."""
    nodes = [node for e in parts for node in each_once(e)]
    numbers = [literal_int(n) for n in nodes if isinstance(n, Literal) and n.dtype != "bool"]
    numbers += [top << count for count in _counts(nodes) for top in (1, 48, -16)]
    numbers += _large(nodes)
    numbers += [edge for node in nodes if isinstance(node, Cast) for edge in _edges(node.dtype)]
    near = [each + by for each in sorted(set(numbers), key=abs, reverse=True) for by in (0, 1, -1)]
    lengths = sorted((abs(each).bit_length() for each in numbers), reverse=True)
    wide = (16 << sum(lengths[:2])) - 1  # past what a product of two numbers takes away
    early = [*near[:3], 0, 1, wide, *near[3:12], -1, -wide]
    chosen = list(dict.fromkeys([*early, *near[12 : 3 * MAX_TRIED], *(-each for each in near[:MAX_TRIED])]))
    names = [name for name, dtype in symbols.items() if dtype != "bool"]
    truths = [name for name, dtype in symbols.items() if dtype == "bool"]
    for count, point in enumerate(_spread(chosen, len(names))):
        if count >= limit:
            return
        for flags in itertools.product((0, 1), repeat=len(truths)):
            yield {**dict(zip(names, point)), **dict(zip(truths, flags))}


def _large(nodes: list[PrimExpr]) -> list[int]:
    """Numbers that no literal holds, which are sums of products of literals."""
    found = []
    for node in nodes:
        match node:
            case Binary("Add", Binary("Mul"), Literal()) if not names_in(node):
                try:
                    found.append(compiled(node)({}))
                except Undefined:
                    continue
    return found


def _edges(dtype: str) -> tuple[int, ...]:
    """Where a conversion to ``dtype`` begins to wrap, and where it is 0 again."""
    if dtype == "bool" or not dtype.startswith(("int", "uint")):
        return ()
    low, high = integer_range(dtype)
    return high + 1, high - low + 1


def _counts(nodes: list[PrimExpr]) -> list[int]:
    """How far bits are moved."""
    found = [as_int(node.args[1]) for node in nodes if isinstance(node, Intrinsic) and node.op in SHIFTS]
    return [each for each in found if each is not None and 0 < each <= MAX_COUNT]


def _spread(numbers: list[int], width: int) -> Iterator[tuple[int, ...]]:
    """Points whose coordinates come early in ``numbers`` together first."""
    for size in range(1, len(numbers) + 1):
        newest, older = numbers[size - 1], numbers[:size]
        for point in itertools.product(older, repeat=width):
            if newest in point:
                yield point
