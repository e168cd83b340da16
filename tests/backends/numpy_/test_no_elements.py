"""Results without elements: what no element needs is not computed, so that a lacking operation is none."""

from __future__ import annotations

import pytest

import refrelax as rr
from refrelax.testing.arguments import random_arguments


@pytest.mark.parametrize("shape", ["(0, 3, 2, 0)", "(0, 3, 2, 4)", "(1, 0, 2, 4)", "(1, 3, 0, 4)"])
@pytest.mark.parametrize("dtype", ["bool", "float32", "int8"])
def test_attention(shape: str, dtype: str) -> None:
    """The truths have no quotient, which attention asks of each element."""
    text = f"""
@I.ir_module
class Module:
    @R.function
    def main(a: R.Tensor({shape}, "{dtype}")):
        gv = R.nn.attention(a, a, a, scale=None, causal_mask=None, window_size=None)
        return gv
"""
    checked = rr.check(rr.parse(text))
    args = random_arguments(checked.module)
    for mode in ("fast", "bits"):
        assert rr.diff(checked, "main", args, mode=mode).word == "AGREE", mode
