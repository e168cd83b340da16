"""A built module whose table of sizes is not as large as its programs say: NumPy gave a result where the run traps."""

from __future__ import annotations

import pytest

import refrelax as rr
from tests.lower.test_unbuilt import HEAD, MAIN, given


@pytest.mark.parametrize("size", [2, 4])
def test_the_table_of_a_built_module(size: int) -> None:
    checked = rr.check(rr.parse(HEAD + MAIN.replace('alloc_shape_heap", (3,)', f'alloc_shape_heap", ({size},)')))
    wanted, found = rr.run(checked, "main", *given(2)), rr.compile(checked).run("main", *given(2))
    assert isinstance(wanted, rr.Trapped) and isinstance(found, rr.Trapped) and wanted.rule == found.rule
