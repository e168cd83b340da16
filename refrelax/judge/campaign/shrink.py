"""The smallest program and arguments of a cell that still have the cause.

What is tried is counted, not timed, so that a finding is the same on every machine: fixed extents for symbols, calls
without an attribute, arguments of ones, then one element after the other. Everything of one step is asked at once.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any

from refrelax.judge.campaign.causes import Cause
from refrelax.judge.campaign.look import Call, checked_of, found_in, verdicts
from refrelax.judge.verdicts import Verdict
from refrelax.running.arrays import Tensor, pack
from refrelax.syntax import bits
from refrelax.testing.cells import Cell, arguments
from refrelax.testing.sweep import Program

MOST_ELEMENTS = 24
"""Elements of an argument that are tried one by one."""


@dataclass(frozen=True, slots=True)
class Small:
    """A program, its arguments, and what was said of them."""

    program: Program
    dtype: str
    args: tuple[Any, ...]
    verdict: Verdict

    @property
    def size(self) -> int:
        return sum(len(a.tobytes()) for a in self.args if isinstance(a, Tensor)) + len(self.program.text)


class Shrinking:
    """One cause, and what is asked."""

    def __init__(self, cause: Cause, implementation: Any, strict: bool) -> None:
        self.cause, self.implementation, self.strict = cause, implementation, strict
        self.tried = 0

    def still(self, tries: Sequence[tuple[Program, str, Sequence[Any]]]) -> list[Small | None]:
        """For each program and its arguments whether the cause is there."""
        typed = [(program, dtype, list(args), checked_of(program)) for program, dtype, args in tries]
        calls: list[Call] = [(checked, [args]) for _, _, args, checked in typed if checked is not None]
        rows = iter(verdicts(calls, self.implementation, self.strict))
        self.tried += len(calls)
        found: list[Small | None] = []
        for program, dtype, args, checked in typed:
            verdict = next(rows)[0] if checked is not None else None
            met = None if verdict is None else found_in(verdict, program, dtype, args)
            same = met is not None and met[0] == self.cause
            found.append(Small(program, dtype, tuple(args), verdict) if same and verdict is not None else None)
        return found

    def elements(self, small: Small, candidates: Sequence[list[Any]]) -> list[Small | None]:
        """The same program with other arguments, built once."""
        checked = checked_of(small.program)
        if checked is None or not candidates:
            return [None] * len(candidates)
        self.tried += len(candidates)
        row = verdicts([(checked, list(candidates))], self.implementation, self.strict)[0]
        found: list[Small | None] = []
        for args, verdict in zip(candidates, row, strict=True):
            met = found_in(verdict, small.program, small.dtype, args)
            same = met is not None and met[0] == self.cause
            found.append(replace(small, args=tuple(args), verdict=verdict) if same else None)
        return found


def shrink(cell: Cell, given: int, cause: Cause, implementation: Any, strict: bool = False) -> tuple[Small | None, int]:
    """The smallest that was found, and how many were tried; nothing if the cause does not show again."""
    at = Shrinking(cause, implementation, strict)
    start = (cell.program, cell.dtype, cell.arguments(cell.inputs[given]))
    small = at.still([start])[0]
    if small is None:
        return None, at.tried
    variants = [
        (program, cell.dtype, arguments(program, replace(each, n=n)))
        for program, n in _fixed(cell.program)
        for each in (cell.inputs[given],)
    ]
    small = _least(small, at.still(variants))
    for _ in range(3):
        without = [(program, small.dtype, small.args) for program in _plainer(small.program)]
        shorter = _least(small, at.still(without))
        if shorter is small:
            break
        small = shorter
    small = _plain_elements(at, small)
    single = _of_one_element(small)
    return (_least(small, at.still([single])) if single is not None else small), at.tried


def _least(small: Small, found: Sequence[Small | None]) -> Small:
    return min((small, *(each for each in found if each is not None)), key=lambda each: each.size)


def _fixed(program: Program) -> Iterator[tuple[Program, int]]:
    """The program with a number for each of its symbols; then with extents of the parameters alone made 1."""
    if not any(e in ("n", "m", "4*n") for p in program.params for e in p.extents or ()):
        return
    for n in (1, 2, 3, 0):
        values = {"n": str(n), "m": "2", "4*n": str(4 * n)}
        params = tuple(
            p if p.extents is None else replace(p, extents=tuple(values.get(e, e) for e in p.extents))
            for p in program.params
        )
        call = re.sub(r"(?<![\w.\"])n(?![\w\"(=])", str(n), program.call)
        call = re.sub(r"(?<![\w.\"])m(?![\w\"(=])", "2", call)
        yield replace(program, params=params, call=call), n


def _plainer(program: Program) -> Iterator[Program]:
    """The program without one of its attributes."""
    for found in re.finditer(
        r", \w+=(?:\[[^\]]*\]|\([^)]*\)|\"[^\"]*\"|[^,()\[\]]+(?:\([^)]*\))?)(?=,|\)$)", program.call
    ):
        yield replace(program, call=program.call[: found.start()] + program.call[found.end() :])


def _plain_elements(at: Shrinking, small: Small) -> Small:
    """The arguments with ones wherever they may be ones."""
    for k, arg in enumerate(small.args):
        patterns = _patterns(arg)
        if not patterns:
            continue
        one = bits.encode(arg.dtype, 1) if arg.dtype != "bool" else 1
        all_ones = _with(small.args, k, [one] * len(patterns))
        shorter = at.elements(small, [all_ones])[0]
        if shorter is not None:
            small = shorter
            continue
        places = [j for j, p in enumerate(patterns) if p != one][:MOST_ELEMENTS]
        single = [_with(small.args, k, [p if i == j else one for i, p in enumerate(patterns)]) for j in places]
        alone = next((each for each in at.elements(small, single) if each is not None), None)
        if alone is not None:
            small = alone
            continue
        dropped = [_with(small.args, k, [one if i == j else p for i, p in enumerate(patterns)]) for j in places]
        free = {j for j, each in zip(places, at.elements(small, dropped), strict=True) if each is not None}
        both = _with(small.args, k, [one if i in free else p for i, p in enumerate(patterns)])
        small = at.elements(small, [both])[0] or small
    return small


def _of_one_element(small: Small) -> tuple[Program, str, list[Any]] | None:
    """The program with extents of 1 alone, and of each argument the element that is not one, if there is such."""
    params, args = [], []
    for p, arg in zip(small.program.params, small.args, strict=True):
        patterns = _patterns(arg)
        if not patterns or p.extents is None or not all(e.isdigit() for e in p.extents):
            params.append(p)
            args.append(arg)
            continue
        one = bits.encode(arg.dtype, 1) if arg.dtype != "bool" else 1
        chosen = next((each for each in patterns if each != one), one)
        shape = (1,) * len(p.extents)
        params.append(replace(p, extents=tuple(map(str, shape))))
        args.append(Tensor.of_bytes(arg.dtype, shape, pack(arg.dtype, [chosen])))
    program = replace(small.program, params=tuple(params))
    return (program, small.dtype, args) if program != small.program else None


def _patterns(value: Any) -> list[int]:
    if not isinstance(value, Tensor):
        return []
    found = [each for each in value.patterns() if each is not None]
    return found if len(found) == len(list(value.patterns())) else []


def _with(args: tuple[Any, ...], k: int, patterns: list[int]) -> list[Any]:
    """The arguments with other elements in one of them."""
    old = args[k]
    return [*args[:k], Tensor.of_bytes(old.dtype, old.shape, pack(old.dtype, patterns)), *args[k + 1 :]]
