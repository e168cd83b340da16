"""Which extents the symbols of a signature get in the rounds of a test: small, independent of each other.

Some round has all of them different (of very many: as different as some small numbers are), some all of them equal;
zeros and ones are among them.

Spec: ``spec/01-conformance.md``, ``va/refinement``.
"""

from __future__ import annotations

import random
from collections.abc import Iterable, Iterator, Mapping, Sequence

from refrelax.rules import rule
from refrelax.shape_solver.claim import Refuted
from refrelax.shape_solver.prover import Prover
from refrelax.syntax.scalars import Binary, PrimExpr, SymVar, bool_imm, free_symbols, int_imm
from refrelax.syntax.types import TensorType, TupleType, Type

KINDS = ("different", "some ones", "some zeros", "equal", "any", "large")
"""The rounds, in order."""

MOST_NAMED = 40
"""The greatest number of a program from which an extent is made."""

MOST_DRAWN = 17
"""The greatest extent that is made up to satisfy claims."""

MOST_DIFFERENT = 64
"""The greatest extent of a round whose extents differ. More symbols than that share these: elements would grow as the
square of their number."""

MOST_EDGES = 4
"""The symbols that are put at an edge alone."""


MOST_SMALL, MOST_LIMIT, MOST_LIMITS = 8, 2048, 8
"""Of ``further``: up to where every number is tried, up to where those that the programs name, and how many."""


def rounds(
    symbols: Sequence[str], seed: int, count: int, named: Iterable[int | float] = ()
) -> Iterator[tuple[str, dict[str, int]]]:
    """The kind and the extents of each of ``count`` rounds; reproducible. ``named``: numbers that the programs name:
    tile sizes and limits, around and above which a difference may begin."""
    large = sorted({v for n in named if 2 <= n <= MOST_NAMED for v in (int(n) + 1, 2 * int(n), 2 * int(n) + 1)})
    for k in range(count):
        kind = KINDS[k % len(KINDS)]
        yield kind, choose(kind, symbols, random.Random(f"{seed} {k}"), large)


def choose(kind: str, symbols: Sequence[str], rng: random.Random, large: Sequence[int] = ()) -> dict[str, int]:
    """Extents for one round."""
    values: list[int]
    match kind:
        case "different":
            values = [2, 3, 5, 4, 7, 6][: len(symbols)]
            if len(symbols) > 6:
                values = [k % MOST_DIFFERENT + 1 for k in range(len(symbols))]
                rng.shuffle(values)
        case "some ones":
            values = _with(1, [rng.randint(1, 4) for _ in symbols], rng)
        case "some zeros":
            values = _with(0, [rng.randint(0, 5) for _ in symbols], rng)
        case "equal":
            values = [rng.randint(2, 4)] * len(symbols)
        case "large":
            values = [rng.randint(1, 5) for _ in symbols]
            if symbols:
                values[rng.randrange(len(symbols))] = rng.choice(large) if large else rng.randint(9, 17)
        case _:
            values = [rng.randint(0, 6) for _ in symbols]
    return dict(zip(symbols, values, strict=True))


def edges(symbols: Sequence[str]) -> Iterator[dict[str, int]]:
    """Each of several extents alone at 0 and at 1, which the rounds may only try together: a loop over one that does
    not run shows where all others do. Of the first few symbols."""
    if len(symbols) > 1:
        yield from ({name: value} for name in symbols[:MOST_EDGES] for value in (0, 1))


def further(symbols: Sequence[str], named: Iterable[int | float]) -> Iterator[dict[str, int]]:
    """Each extent alone at each small number, then at, right above and far above what the programs name, the least
    first: a difference may begin behind a limit or at a remainder that no round has."""
    small = range(MOST_SMALL + 1)
    limits = sorted({int(n) for n in named if MOST_SMALL <= n <= MOST_LIMIT})[:MOST_LIMITS]
    large = {value for n in limits for value in (n, n + 1, 2 * n + 1)} - {*small}
    for value in (*small, *sorted(large)):
        yield from ({name: value} for name in symbols[:MOST_EDGES])


def _with(value: int, values: list[int], rng: random.Random) -> list[int]:
    """``values`` with ``value`` among them."""
    if values and value not in values:
        values[rng.randrange(len(values))] = value
    return values


def not_negative(types: Iterable[Type | None]) -> Iterator[PrimExpr]:
    """That no extent of a tensor of these types is negative: of what a symbol is elsewhere it may be."""
    for each in types:
        if isinstance(each, TupleType):
            yield from not_negative(each.fields)
        elif isinstance(each, TensorType) and isinstance(each.shape, tuple):
            yield from (Binary("GE", dim, int_imm(0, dim.dtype)) for dim in each.shape if free_symbols(dim))


@rule("va/refinement")
def satisfying(dims: Mapping[str, int], claims: Sequence[PrimExpr], rng: random.Random) -> dict[str, int] | None:
    """Extents that satisfy the claims, as many of them as drawn as the claims leave; ``None``: none are found."""
    asked = sorted({name for claim in claims for name in free_symbols(claim)} & dims.keys())
    rng.shuffle(asked)
    for low in (0, -MOST_DRAWN):
        symbols = [SymVar(name, "int64") for name in asked]
        known = [*claims, *(Binary("GE", v, int_imm(low)) for v in symbols)]
        known += [Binary("LE", v, int_imm(MOST_DRAWN)) for v in symbols]
        model = _model(known)
        if model is None:
            continue
        for v in symbols:
            drawn = Binary("EQ", v, int_imm(dims[v.name]))
            if model.get(v.name) == dims[v.name]:
                known.append(drawn)
            elif (other := _model([*known, drawn])) is not None:
                model = other
                known.append(drawn)
        return {**dims, **{v.name: model.get(v.name, 0) for v in symbols}}
    return None


def _model(claims: Sequence[PrimExpr]) -> Mapping[str, int] | None:
    """A point at which all of them hold."""
    answer = Prover(tuple(claims), "normal", division="require").prove(bool_imm(False))
    return answer.model if isinstance(answer, Refuted) else None
