"""Indices of no numbers store to the whole of a tensor, once for each value."""

from __future__ import annotations

import numpy as np
import pytest

import refrelax as rr

REDUCTIONS = {"update": None, "add": np.add, "mul": np.multiply, "max": np.maximum, "min": np.minimum}


@pytest.mark.parametrize("mode", ["bits", "fast"])
@pytest.mark.parametrize("shape", [(3,), (2, 2), ()])
@pytest.mark.parametrize("lead", [(), (1,), (3,), (2, 2), (0,)])
def test_the_whole_is_stored(lead: tuple[int, ...], shape: tuple[int, ...], mode: str) -> None:
    rng = np.random.default_rng(7)
    x, values = (rng.integers(-4, 5, each).astype("float32") for each in (shape, (*lead, *shape)))
    for name, step in REDUCTIONS.items():
        checked = rr.check(
            rr.parse(
                "@I.ir_module\nclass Module:\n    @R.function\n"
                f'    def main(x: R.Tensor({shape}, "float32"), i: R.Tensor({(*lead, 0)}, "int64"), '
                f'v: R.Tensor({(*lead, *shape)}, "float32")):\n'
                f'        y = R.scatter_nd(x, i, v, reduction="{name}")\n        return y\n'
            )
        )
        wanted = x
        for each in values.reshape(-1, *shape):
            wanted = each if step is None else step(wanted, each)
        args = (x, np.zeros((*lead, 0), "int64"), values)
        outcome = rr.run(checked, "main", *args)
        assert isinstance(outcome, rr.Returned) and np.array_equal(outcome.value.numpy(), wanted)
        assert np.array_equal(rr.compile(checked, mode=mode)["main"](*args), wanted)
