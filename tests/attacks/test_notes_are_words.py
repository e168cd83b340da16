"""What poison notes for a reader changes nothing that a program means."""

from __future__ import annotations

import pytest

import refrelax as rr

TEXT = """
@I.ir_module
class Module:
    @T.prim_func(s_tir=True)
    def main(B: T.Buffer((3,), "float32"), C: T.Buffer((2,), "float32")):
        C[1] = B[0]
        for i in T.parallel({many}):
            C[0] = B[{index}]
"""


@pytest.mark.parametrize("index", ["i * 0 + 5", "i + 5"])
@pytest.mark.parametrize("many", [2, 1100])
def test_iterations_that_write_poison_of_one_rule_write_the_same(index: str, many: int) -> None:
    """Reads out of bounds at two indices are one mark, whatever each says of its index (1100: more than are kept)."""
    checked = rr.check(rr.parse(TEXT.format(many=many, index=index)))
    found = rr.run(checked, "main", [1.0, 2.0, 3.0], [0.0, 0.0])
    assert isinstance(found, rr.Returned), found
    assert [rule for _, rule in found.poison] == ["ld/load-out-of-bounds"]


def test_runs_that_note_different_indices_are_added_up() -> None:
    text = """
@I.ir_module
class Module:
    @R.function
    def main(x: R.Tensor((3,), "float32"), i: R.Tensor((2,), "int64")):
        y = R.take(x, i, axis=0, mode="{}")
        return y
"""
    report = rr.validate(rr.parse(text.format("fast")), rr.parse(text.format("clip"))).report
    assert [each.rule for each in report.open] == ["op.take/out-of-range"]
    assert report.open[0].count == report.excluded > 1
