"""Every operator on arrays that lie in memory in other ways, and with other sizes of blocks: the same bits, and in mode
``fast`` what is permitted. The forms of the backend ask whether rows are together, how many there are and whether they
fit into a cache; programs of a few elements would always get the same answer."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache
from types import ModuleType
from typing import Any

import numpy as np
import pytest

import refrelax as rr
from refrelax.backends.errors import Unsupported
from refrelax.backends.numpy_ import (
    blocks,
    fast_groups,
    fast_losses,
    fast_norms,
    fast_operators,
    fast_rows,
    fast_scales,
    narrow,
    operators_window,
    runtime,
)
from refrelax.semantics.ops import OPERATORS
from refrelax.testing.cells import Cell, cells
from tests.contents import contents

SIZES: tuple[tuple[ModuleType, str], ...] = (
    (blocks, "NEAR"), (fast_rows, "NEAR"), (fast_rows, "SMALL"), (fast_operators, "SHORT"), (fast_operators, "LARGE"),
    (fast_groups, "FEW"), (fast_losses, "SHORT"), (fast_scales, "NEAR"), (narrow, "FEW"), (operators_window, "LANES"),
    (blocks, "NEAR_WIDE"), (blocks, "NEAR_ODDS"), (runtime, "FEW"), (fast_norms, "FEW"),
)  # fmt: skip
"""Where a form turns to another one, and how much it does at once."""

PLAIN = "as they are"
LAYOUTS = {
    PLAIN: lambda x: x,
    "columns first": lambda x: np.array(x, order="F"),
    "every second": lambda x: np.repeat(x, 2, axis=-1)[..., ::2] if x.ndim else x,
    "from the end": lambda x: np.flip(np.flip(x).copy()) if x.ndim else x,
}
FIRST = 6
"""Cells of an operator that are tried, and inputs of each."""


@cache
def drawn() -> dict[str, list[Cell]]:
    found: dict[str, list[Cell]] = {name: [] for name in OPERATORS}
    for each in cells(0):
        mine = found[f"relax.{each.op}"] if f"relax.{each.op}" in found else found[each.op]
        if len(mine) < FIRST:
            mine.append(each)
    return found


def laid(args: list[Any], layout: str) -> list[Any]:
    return [LAYOUTS[layout](x.numpy()) if isinstance(x, rr.Tensor) else x for x in args]  # type: ignore[operator]


def programs(op: str) -> Iterator[tuple[Cell, rr.CheckedModule, Any, Any]]:
    for cell in drawn()[op]:
        try:
            checked = rr.check(rr.parse(cell.program.text))
            yield cell, checked, rr.compile(checked, mode="bits"), rr.compile(checked)
        except (rr.Rejection, Unsupported):
            continue


def inside(permitted: Any, found: Any, why: object) -> None:
    if isinstance(permitted, tuple):
        for p, f in zip(permitted, found, strict=True):
            inside(p, f, why)
    elif isinstance(permitted, rr.Tensor):
        assert not isinstance(permitted.judge(found), rr.Outside), (why, permitted.judge(found), found)


@pytest.mark.thorough
@pytest.mark.parametrize("op", sorted(OPERATORS))
def test_where_elements_lie_changes_nothing(op: str, monkeypatch: pytest.MonkeyPatch) -> None:
    for cell, checked, bits, fast in programs(op):
        for given in cell.inputs[:FIRST]:
            args = cell.arguments(given)
            wanted, permitted = bits.run("main", *args), rr.run(checked, "main", *args, numerics="enclosure")
            if not isinstance(wanted, rr.Returned) or not isinstance(permitted, rr.Returned):
                continue
            for layout in LAYOUTS:
                found = bits.run("main", *laid(args, layout))
                assert isinstance(found, rr.Returned) and contents(found.value) == contents(wanted.value), (
                    cell.key,
                    layout,
                )
            for size in (1, 3, 1 << 40):
                for module, name in SIZES:
                    monkeypatch.setattr(module, name, size)
                for layout in LAYOUTS:
                    inside(permitted.value, fast["main"](*laid(args, layout)), (cell.key, layout, size))
