"""A norm of narrow numbers whose mean is exact rounds to a neighbour that no order of its steps gives: a shift that
cancels what was scaled makes that many units."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import refrelax as rr

NORMS = {
    "last axis": ("(4, 40)", "R.nn.layer_norm(x, w, b, axes=[-1])"),
    "first axis": ("(40, 4)", "R.nn.layer_norm(x, w, b, axes=[0])"),
    "channels": ("(1, 40, 40)", "R.nn.instance_norm(x, w, b, channel_axis=1, axes=[2])"),
    "groups": ("(1, 40, 40)", "R.nn.group_norm(x, w, b, num_groups=20, channel_axis=1, axes=[2])"),
}


APART = np.array([[0, 0, 0, 0, 1], [0, 0, 0, 1, 1], [0, 1, 0, 2, 3], [0, 0, 1, 5, 1]])


@pytest.mark.parametrize("name", NORMS)
@pytest.mark.parametrize(("dtype", "beside", "step"), [("float16", 3, 0.004), ("float16", 100, 0.07)])
def test_a_shift_that_cancels(name: str, dtype: str, beside: float, step: float) -> None:
    shape, call = NORMS[name]
    checked = rr.check(
        rr.parse(
            f'@I.ir_module\nclass Module:\n    @R.function\n    def main(x: R.Tensor({shape}, "{dtype}"), '
            f'w: R.Tensor((40,), "{dtype}"), b: R.Tensor((40,), "{dtype}")):\n        y = {call}\n        return y\n'
        )
    )
    kind = rr.Tensor.of([0.0], dtype).numpy().dtype
    rows = np.tile(beside + step * APART, (1, 8))
    laid: Any = {"(40, 4)": rows.T, "(4, 40)": rows}.get(shape, np.tile(rows[:1], (1, 40, 1)))
    args = [v.astype(kind) for v in (laid, np.linspace(-2, 2, 40), np.linspace(-1, 3, 40))]
    verdict = rr.diff(checked, "main", args)
    assert isinstance(verdict, rr.Agreement), verdict
