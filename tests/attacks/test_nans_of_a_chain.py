"""What a binding gave and what the next one was shown are the same value whatever bits a NaN has."""

from __future__ import annotations

import pytest

pytest.importorskip("numpy")

import numpy as np

from refrelax.judge.chain import same_value
from refrelax.running.arrays import Tensor


@pytest.mark.parametrize("bits", [0xFFC00000, 0x7FC00001])
def test_a_nan_hangs_together_with_a_nan(bits: int) -> None:
    shown = np.array([0x3F800000, bits, 0x80000000], np.uint32).view(np.float32)
    result = Tensor.over(shown)
    assert same_value(shown, result) and same_value(result, shown)
    assert not same_value(shown, Tensor.over(np.abs(shown))), "the sign of a zero is told"
