"""The cells of a campaign: operator × dtype × attributes, each a program of one call, with the inputs to try on it.

They come from the same table as the sweep (``sketches.py``). Every operator comes once before any comes twice; within
an operator the dtypes that programs use come before the narrow ones, and its alternatives in an order of the seed. So
the longer it goes on the more is new, and whoever stops early has seen a little of everything.
"""

from __future__ import annotations

import random
import re
from collections.abc import Collection, Iterator
from dataclasses import dataclass
from functools import cache
from itertools import zip_longest
from typing import Any

from refrelax.syntax import dtypes
from refrelax.testing.corners import ELEMENT_DTYPES
from refrelax.testing.sketches import SKETCHES
from refrelax.testing.sweep import Param, Program, programs

COMMON = ("float32", "int32", "bool", "int64", "float16", "float64", "uint8", "int8", "bfloat16")
"""Dtypes that come first."""

WHOLE = tuple(each for each in ELEMENT_DTYPES if each == "bool" or dtypes.bits(each) % 8 == 0)
"""Dtypes whose arrays every implementation holds alike: an element is whole bytes."""

DTYPE = re.compile(r"\b(?:bool|(?:u?int|float|bfloat)\d+(?:_\w+)?)\b")


@dataclass(frozen=True, slots=True)
class Input:
    """What ``n`` is, from where the elements come, and from where those come that are positions."""

    n: int
    policy: str
    positions: str = "plain"
    seed: int = 0


INPUTS = (
    Input(3, "plain"), Input(3, "corners", seed=1), Input(3, "identity", seed=2), Input(3, "corners", seed=8),
    Input(1, "corners", seed=3), Input(0, "plain", seed=4), Input(2, "corners", seed=5),
    Input(3, "plain", "corners", seed=6),
)  # fmt: skip
"""``n`` is 2 where it is to be equal to the other symbol; positions are in range but for the last."""


@dataclass(frozen=True, slots=True)
class Cell:
    """One program, and its inputs."""

    program: Program
    inputs: tuple[Input, ...]

    @property
    def op(self) -> str:
        return self.program.op

    @property
    def dtype(self) -> str:
        """The dtype that most depends on: of the first parameter that holds elements."""
        for p in self.program.params:
            if p.dtype != "shape" and not p.index:
                return p.dtype
        return next(iter(DTYPE.findall(self.program.call)), "")

    @property
    def key(self) -> str:
        """What tells it from every other cell."""
        shown = ", ".join(f"{p.name}: {p.annotation}" for p in self.program.params)
        return f"{self.program.call} | {shown}"

    def arguments(self, given: Input) -> list[Any]:
        return arguments(self.program, given)

    def every_input(self) -> list[list[Any]]:
        """The arguments of every input: the same list again where the elements are those of an earlier one."""
        met: dict[Any, list[Any]] = {}
        found = []
        for given in self.inputs:
            key = tuple([p.elements(*chosen) for p, chosen in _choices(self.program, given)])
            if key not in met:
                met[key] = arguments(self.program, given)
            found.append(met[key])
        return found


SORTED = {"bucketize": "b"}
"""Operands that ascend, or else everything is poison (``op.bucketize/ascending``): small numbers in order."""


def arguments(program: Program, given: Input) -> list[Any]:
    """The arguments of a program on an input: the same every time."""
    return [p.value(*chosen) for p, chosen in _choices(program, given)]


def _choices(program: Program, given: Input) -> Iterator[tuple[Param, tuple[int, int, str]]]:
    """For each parameter: what ``n`` is, the seed, and from where its elements come."""
    for k, p in enumerate(program.params):
        policy = given.policy if not p.index else "identity" if given.positions == "plain" else "corners"
        n = min(given.n, 1) if p.index and p.extents is None else given.n
        yield p, (n, 0, "ascending") if SORTED.get(program.op) == p.name else (n, given.seed + 5 * k, policy)


def inputs(program: Program) -> tuple[Input, ...]:
    """The inputs that differ for a program."""
    if not program.params:
        return INPUTS[:1]
    return _fitting(program.sized, True in [p.index for p in program.params])


@cache
def _fitting(sized: bool, positions: bool) -> tuple[Input, ...]:
    """The inputs that differ for a program whose arguments depend on ``n``, or that takes positions."""
    return tuple(each for each in INPUTS if (each.n == 3 or sized) and (positions or each.positions == "plain"))


def of_operator(op: str, seed: int, only: Collection[str]) -> list[Cell]:
    """The cells of an operator in the order of a seed, those of common dtypes first."""
    turn, allowed = random.Random(f"cells {op} {seed}"), {*only, "int64"}
    met, ranked = set(), []
    for program in programs(op, seed, per_dtype=3, only=tuple(only)):
        text = program.text
        if text in met:
            continue
        met.add(text)
        named = set(DTYPE.findall(text))
        if named <= allowed:
            cell = Cell(program, inputs(program))
            dtype = cell.dtype
            ranked.append((cell, dtype, _common(program, dtype, named)))
    turn.shuffle(ranked)
    return [cell for wanted in (True, False) for cell in _spread([each[:2] for each in ranked if each[2] is wanted])]


def _common(program: Program, dtype: str, named: set[str]) -> bool:
    """Whether its dtypes are those that programs use; positions may be of any."""
    return (dtype == "" or dtype in COMMON) and named <= {*COMMON, *[p.dtype for p in program.params if p.index]}


def _spread(cells: list[tuple[Cell, str]]) -> list[Cell]:
    """Every dtype once before any comes twice."""
    by: dict[str, list[Cell]] = {}
    for each, dtype in cells:
        if dtype not in by:
            by[dtype] = []
        by[dtype].append(each)
    return [each for row in zip_longest(*by.values()) for each in row if each is not None]


def cells(seed: int = 0, only: Collection[str] = WHOLE) -> Iterator[Cell]:
    """Every cell whose dtypes are among ``only``, what is new first."""
    turn = random.Random(f"operators {seed}")
    names = list(SKETCHES)
    turn.shuffle(names)
    columns = [of_operator(op, seed, only) for op in names]
    for row in zip_longest(*columns):
        yield from (each for each in row if each is not None)
