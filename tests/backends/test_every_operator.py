"""Every operator compiles on every backend, at some dtypes at least (``docs/backends.md`` says what does not)."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable
from functools import cache

import pytest

import refrelax as rr
from refrelax.backends.cupy_.compile import CudaExecutable
from refrelax.backends.cupy_.counting import CountingDevice
from refrelax.backends.errors import Unsupported
from refrelax.semantics.ops import OPERATORS
from refrelax.testing.cells import Cell, cells

WITHOUT_CELLS = {"vm.call_tir_dyn", "dist.redistribute"}
"""What is called in built modules alone, and what needs a module with a mesh."""

FIRST = 8
"""Cells of an operator that are tried."""


@cache
def drawn() -> dict[str, list[Cell]]:
    found: dict[str, list[Cell]] = defaultdict(list)
    for each in cells(0):
        if len(found[each.op]) < FIRST:
            found[each.op].append(each)
    return found


def cuda(checked: rr.CheckedModule) -> None:
    CudaExecutable(rr.lower(checked, "legalize").module, "fast", CountingDevice())


def compiles(op: str, compile_: Callable[[rr.CheckedModule], object]) -> bool:
    for each in drawn()[op]:
        try:
            compile_(rr.check(rr.parse(each.program.text)))
        except (rr.Rejection, Unsupported):
            continue
        return True
    return False


BACKENDS: dict[str, Callable[[rr.CheckedModule], object]] = {
    "numpy": rr.compile, "numpy, bits": lambda c: rr.compile(c, mode="bits"), "cuda": cuda,
}  # fmt: skip


@pytest.mark.thorough
@pytest.mark.parametrize("backend", BACKENDS)
def test_every_operator_compiles(backend: str) -> None:
    known = {f"relax.{name.removeprefix('relax.')}" for name in drawn()}
    assert known == OPERATORS.keys() - {f"relax.{name}" for name in WITHOUT_CELLS}
    assert not [op for op in drawn() if not compiles(op, BACKENDS[backend])]
