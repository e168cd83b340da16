"""Sampling at the positions of a grid against the definition, bit for bit."""

from __future__ import annotations

from itertools import product

import numpy as np
import pytest

import refrelax as rr
from refrelax.running.arrays import numpy_dtype
from tests.testing.comparing import same_bits

FORMS = [
    *product(("nearest", "bilinear", "bicubic"), ("zeros", "border", "reflection"), ("NCHW", "NHWC")),
    *product(("nearest", "bilinear"), ("zeros", "border", "reflection"), ("NCDHW",)),
]

SIZES = [(3, 4, 2), (1, 1, 1), (2, 1, 3)]


def text(form: tuple[str, str, str], corners: bool, dtype: str, data: list[int], grid: list[int]) -> str:
    method, padding, layout = form
    return f"""
@I.ir_module
class Module:
    @R.function
    def main(x: R.Tensor({tuple(data)}, "{dtype}"), g: R.Tensor({tuple(grid)}, "{dtype}")):
        with R.dataflow():
            out = R.image.grid_sample(
                x, g, method="{method}", layout="{layout}", padding_mode="{padding}", align_corners={corners}
            )
            R.output(out)
        return out
"""


@pytest.mark.by_day(4)
@pytest.mark.parametrize("form", FORMS, ids=str)
def test_bits(form: tuple[str, str, str]) -> None:
    rng = np.random.default_rng(len(str(form)))
    dtypes = ("float32", "float16", "float64", "bfloat16") if form[2] == "NCHW" else ("float32",)
    for corners, dtype, sizes in product((True, False), dtypes, SIZES):
        n = 3 if form[2] == "NCDHW" else 2
        space = list(sizes[:n])
        data = [2, *space, 3] if form[2] == "NHWC" else [2, 3, *space]
        grid = [2, n, 3, 2, 1][: n + 2]
        kind = numpy_dtype(dtype)
        x = rng.standard_normal(data).astype(kind)
        g = rng.uniform(-1.6, 1.6, grid).astype(kind)
        g.reshape(-1)[:4] = [-1.0, 1.0, 0.0, -1.5]
        if dtype == "float32":
            x.reshape(-1)[0], x.reshape(-1)[-1], g.reshape(-1)[4] = np.inf, -0.0, np.nan
        checked = rr.check(rr.parse(text(form, corners, dtype, data, grid)))
        wanted = rr.run(checked, "main", x, g)
        found = rr.compile(checked, mode="bits").run("main", x, g)
        assert isinstance(wanted, rr.Returned) and isinstance(found, rr.Returned)
        assert same_bits(wanted.value, found.value), (corners, dtype, sizes)
        outcome = rr.compile(checked, mode="fast").run("main", np.nan_to_num(x), g)
        assert isinstance(outcome, rr.Returned)
