"""Search for a counterexample on exact integers, and making one small.

Points are drawn over the free symbols of the context, so that equations, divisibilities and orders among the
assumptions hold by construction; every point is judged by the **original** claim and assumptions. The generator's
seed is fixed.

Spec: ``spec/06b-solver.md``, ``sh/refute``.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from itertools import islice
from random import Random

from refrelax.rules import rule
from refrelax.semantics.dims import Facts
from refrelax.shape_solver.claim import Query
from refrelax.shape_solver.context import Context
from refrelax.shape_solver.core import names_in
from refrelax.shape_solver.evaluate import OutOfRange, Run, TooLarge, Undefined, compiled
from refrelax.shape_solver.size import total

SMALL = (0, 1, 2, 3, 4, 5, 7, 8, 16)
WIDE = (6, 9, 10, 12, 15, 17, 31, 32, 33, 63, 64, 100, 127, 128, 255, 256, 1000, 1024, 4096)
MAX_TRIALS = 1_200
"""Evaluations that making one model small may cost."""

MAX_MINIMISED = 500_000
"""Nodes that these may evaluate."""


@dataclass(frozen=True, slots=True)
class Judge:
    """The original question, compiled."""

    query: Query
    claim: Run
    assumptions: tuple[Run, ...]
    dtypes: Mapping[str, str]
    nodes: int
    """Size of the question."""

    @staticmethod
    def of(query: Query, nodes: int | None = None) -> Judge:
        assumptions = tuple(map(compiled, query.assumptions))
        if nodes is None:
            nodes = total((query.claim, *query.assumptions))[0]
        return Judge(query, compiled(query.claim, query.fits), assumptions, query.symbols(), nodes)

    def admits(self, env: Mapping[str, int]) -> bool:
        """Whether the assumptions hold here, and symbols are in the range of ``fits``.

        Raises:
            TooLarge: that is not computed.
        """
        if self.query.fits is not None:
            low, high = self.query.fits
            if not all(low <= env[name] <= high for name in self.dtypes):
                return False
        try:
            for assumption in self.assumptions:
                if not assumption(env):
                    return False
        except Undefined:
            return False
        return True

    def refuted(self, env: Mapping[str, int]) -> bool:
        """Whether it is computed that the assumptions hold here and the claim does not."""
        try:
            return self.fails(env)
        except TooLarge:
            return False

    @rule("sh/refute")
    def fails(self, env: Mapping[str, int]) -> bool:
        """Whether the assumptions hold here and the claim does not.

        Raises:
            TooLarge: that is not computed.
        """
        if self.query.fits is None:  # as below, without a call: most points are looked at here
            try:
                for assumption in self.assumptions:
                    if not assumption(env):
                        return False
            except Undefined:
                return False
        elif not self.admits(env):
            return False
        try:
            return not self.claim(env)
        except OutOfRange:
            return True
        except TooLarge:
            if self.query.fits is None:
                raise
            return True  # it is in no dtype
        except Undefined:
            return self.query.division == "require"


@dataclass(frozen=True, slots=True)
class Sampler:
    """Points of the context: free symbols drawn, the others computed."""

    free: tuple[str, ...]
    facts: Facts
    images: tuple[tuple[str, Run], ...]
    booleans: frozenset[str]
    nodes: int
    """What is computed at each point."""

    @staticmethod
    def of(judge: Judge, context: Context) -> Sampler:
        """A sampler for the symbols of ``judge``'s question under ``context``."""
        needed, chain = set(judge.dtypes), []
        for name, by in context.steps:
            if name in needed:
                needed |= names_in(by)
                chain.append((name, by))
        chain.reverse()
        replaced = dict(chain)
        below: dict[str, set[str]] = {}
        for name, by in chain:
            below[name] = set().union(*(below.get(each, {each}) for each in names_in(by)))
        free = {name: None for name in judge.dtypes if name not in replaced}
        for name in judge.dtypes:
            free.update(dict.fromkeys(sorted(below.get(name, ()))))
        images = tuple((name, compiled(by)) for name, by in chain)
        booleans = frozenset(name for name, dtype in judge.dtypes.items() if dtype == "bool")
        return Sampler(tuple(free), context.facts, images, booleans, total(by for _, by in chain)[0])

    def complete(self, env: dict[str, int]) -> dict[str, int] | None:
        """``env`` with the symbols that the context computes; ``None`` where one has no value.

        Raises:
            TooLarge: one is not computed.
        """
        try:
            for name, run in self.images:
                env[name] = run(env)
        except Undefined:
            return None
        return env

    def points(self, random: Random, count: int) -> Iterator[dict[str, int]]:
        """``count`` points: corners of the bounds first, then small values, then some large ones."""
        ends = [(name, (0, 1) if name in self.booleans else self.facts.of(name)) for name in self.free]
        for place in range(count):
            env = self.tried({name: _draw(low, high, random, place) for name, (low, high) in ends})
            if env is not None:
                yield env

    def tried(self, env: dict[str, int]) -> dict[str, int] | None:
        """As ``complete``; ``None`` also where a value is not computed."""
        try:
            return self.complete(env)
        except TooLarge:
            return None


def _draw(low: int | None, high: int | None, random: Random, place: int) -> int:
    """A value within the bounds: near one of them mostly."""
    if place < 12:
        offset = SMALL[place % 4] if place < 4 else SMALL[int(6 * random.random())]
    elif place % 3 == 0:
        offset = WIDE[int(len(WIDE) * random.random())]
    elif place % 16 == 7:
        offset = 1 << int(6 + 34 * random.random())
    else:
        offset = SMALL[int(len(SMALL) * random.random())]
    if low is not None and high is not None:
        return low + offset if offset <= high - low else random.randint(low, high)
    if low is not None:
        return low + offset
    if high is not None:
        return high - offset
    return -offset if random.random() < 0.35 else offset


def search(judge: Judge, sampler: Sampler, count: int, seed: int, after: int = 0) -> dict[str, int] | None:
    """A point that refutes the question, restricted to its own symbols, or ``None``: of ``count`` ``after`` so
    many others."""
    for env in islice(sampler.points(Random(seed), after + count), after, None):
        if judge.refuted(env):
            return {name: env[name] for name in judge.dtypes}
    return None


def minimised(judge: Judge, model: dict[str, int]) -> dict[str, int]:
    """A model with smaller values, found by lowering one symbol at a time and then two together."""
    best = dict(model)
    trials = _Trials(judge, min(MAX_TRIALS, MAX_MINIMISED // judge.nodes))
    improved = True
    while improved and trials.left > 0:
        improved = False
        for name in best:
            for value in _smaller(best[name]):
                if trials.refuted({**best, name: value}):
                    best[name] = value
                    improved = True
                    break
        if not improved:
            paired = _pair_lowered(trials, best)
            if paired is not None:
                best, improved = paired, True
    return best


@dataclass(slots=True)
class _Trials:
    """A judge that grows tired: past its limit nothing is refuted."""

    judge: Judge
    left: int

    def refuted(self, env: dict[str, int]) -> bool:
        self.left -= 1
        return self.left >= 0 and self.judge.refuted(env)


def _smaller(value: int) -> Iterator[int]:
    """Nicer values than ``value``, nicest first."""
    nice = [0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 12, 16, -1, -2, -3]
    for each in nice:
        if (abs(each), each < 0) < (abs(value), value < 0):
            yield each
    if abs(value) > 10:
        step = abs(value) // 2
        sign = 1 if value > 0 else -1
        while step:
            yield value - sign * step
            step //= 2
    if value < 0:
        yield -value


def _pair_lowered(judge: _Trials, model: dict[str, int]) -> dict[str, int] | None:
    """Two symbols lowered by the same amount, which keeps differences such as ``i < n``."""
    names = [name for name, value in model.items() if value]
    for first in names:
        for second in names:
            if judge.left <= 0:
                return None
            if first < second:
                for scale in (2, 1):
                    a, b = model[first], model[second]
                    step = min(abs(a), abs(b)) // scale if scale > 1 else 1
                    trial = {**model, first: a - _sign(a) * step, second: b - _sign(b) * step}
                    if step and judge.refuted(trial):
                        return trial
    return None


def _sign(value: int) -> int:
    return (value > 0) - (value < 0)
