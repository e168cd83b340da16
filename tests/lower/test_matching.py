"""Attributes that a pattern and a program spell in two ways: axes that are left out, and axes from the end."""

from __future__ import annotations

from typing import Any

import pytest

from refrelax.lower.dispatch_library.matching import ALL_OF_FIRST, _counted, short
from refrelax.syntax.graph import AttrList, Op
from refrelax.syntax.scalars import int_imm


def axes(*numbers: int) -> AttrList:
    return AttrList(tuple(map(int_imm, numbers)))


TURN, SUM, ANY = Op("relax.permute_dims"), Op("relax.sum"), Op("relax.expand_dims")

ROWS: list[tuple[Any, Op, int | None, Any]] = [
    (-1, ANY, 3, 2), (-3, ANY, 3, 0), (-4, ANY, 3, -4), (0, ANY, 3, 0), (2, ANY, 3, 2), (-1, ANY, None, -1),
    (int_imm(-1), ANY, 3, int_imm(2)), (int_imm(-3), ANY, 3, int_imm(0)), (int_imm(-4), ANY, 3, int_imm(-4)),
    (int_imm(0), ANY, 3, int_imm(0)), (True, ANY, 3, True), (axes(-1, 0, -3), ANY, 3, axes(2, 0, 0)),
    (None, TURN, 3, AttrList((2, 1, 0))), (None, SUM, 2, AttrList((0, 1))), (None, ANY, 3, None),
    (None, SUM, None, None), (None, SUM, 0, AttrList(())), (axes(-1), SUM, 2, axes(1)),
]  # fmt: skip


@pytest.mark.parametrize("name", ["axis", "axes"])
@pytest.mark.parametrize(("value", "op", "rank", "wanted"), ROWS)
def test_axes(name: str, value: Any, op: Op, rank: int | None, wanted: Any) -> None:
    assert _counted({name: value, "other": -1}, op, rank) == {name: wanted, "other": -1}


def test_reductions_of_all_axes() -> None:
    for op in ALL_OF_FIRST:
        assert _counted({"axis": None}, op, 1) == {"axis": AttrList((0,))}
    assert _counted({"keepdims": None}, SUM, 1) == {"keepdims": None}
    assert short("relax.nn.relax.x") == "R.nn.relax.x"
