"""Views at another dtype: the bits, little-endian; poison stays where its bytes are."""

from __future__ import annotations

import struct

import numpy as np
import pytest

import refrelax as rr
from refrelax.semantics.numbers import reading
from refrelax.semantics.numbers.poison import NEVER_WRITTEN
from refrelax.semantics.ops.definition import Evaluation
from refrelax.semantics.ops.memory import view
from refrelax.semantics.values import from_payloads

VALUES = [1.5, -2.0, 3.25, 0.1]


def viewed(dtype: str, count: int, offset: int) -> rr.Outcome:
    text = f"""
@I.ir_module
class Module:
    @R.function
    def main(x: R.Tensor((4,), "float32")) -> R.Tensor(({count},), "{dtype}"):
        a = R.memory.view(x, R.shape([{count}]), R.dtype("{dtype}"), {offset})
        return a
"""
    return rr.run(rr.check(rr.parse(text)), "main", VALUES)


@pytest.mark.parametrize(
    ("dtype", "count", "offset"),
    [("uint8", 16, 0), ("uint8", 5, 3), ("int32", 3, 4), ("float64", 1, 8), ("int16", 1, 6), ("uint8", 0, 16)],
)
def test_the_bits_are_numpys(dtype: str, count: int, offset: int) -> None:
    out = viewed(dtype, count, offset)
    assert isinstance(out, rr.Returned)
    wanted = np.frombuffer(struct.pack("<4f", *VALUES), dtype, count, offset) if count else np.zeros(0, dtype)
    assert out.value.numpy().tobytes() == wanted.tobytes()


def test_poison_stays() -> None:
    ieee = reading("ieee")
    x = from_payloads(ieee, "float32", (2,), [1.0, NEVER_WRITTEN])
    bytes_ = view(Evaluation(ieee, []), x, (8,), "uint8", 0)
    assert [ieee.poison_rule(each) for each in bytes_.payloads()] == [None] * 4 + ["st/never-written"] * 4
