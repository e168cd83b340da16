"""Messages that a newcomer stumbled over."""

from __future__ import annotations

import refrelax as rr

FOUR = "@I.ir_module\nclass Module:\n    @R.function\n    def main(x: R.Tensor((4,), 'float32')):\n        return x\n"


def test_an_extent_that_is_a_number_is_said_once() -> None:
    """It said "expected 4 = 4, found 1"."""
    outcome = rr.run(rr.check(rr.parse(FOUR)), "main", [1.0])
    assert isinstance(outcome, rr.Trapped)
    assert "expected 4, found 1" in outcome.message
