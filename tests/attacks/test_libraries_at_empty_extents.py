"""What a backend brings for library functions, held against their contracts at extents that are easily forgotten."""

from __future__ import annotations

import pytest

import refrelax as rr
from refrelax.lower.pipeline import lower

HEAD = "".join(f'{s} = TypeVar("{s}")\n' for s in "bhkmnost")
CASES = {
    "a window that fits nowhere": (
        'x: R.Tensor((b, 2, h, k), "float32"), w: R.Tensor((3, 2, 5, 3), "float32")',
        "R.nn.conv2d(x, w, strides=[2, 2], padding=[1, 1, 1, 1])",
        {"b": 2, "h": 1, "k": 4},
        "conv2d",
    ),
    "a window beside nothing": (
        'x: R.Tensor((b, 2, h, k), "float32"), w: R.Tensor((3, 2, s, t), "float32")',
        "R.nn.conv2d(x, w, padding=[0, 0, 0, 0])",
        {"b": 2, "h": 2, "k": 4, "s": 3, "t": 1},
        "conv2d",
    ),
    "attention over no features": (
        'x: R.Tensor((b, m, 2, 0), "float32"), w: R.Tensor((b, n, 2, 0), "float32"), '
        'v: R.Tensor((b, n, 2, 5), "float32")',
        "R.nn.attention(x, w, v)",
        {"b": 1, "m": 3, "n": 4},
        "attention",
    ),
    "a norm over nothing": (
        'x: R.Tensor((m, k), "float32"), w: R.Tensor((k,), "float32")',
        "R.nn.rms_norm(x, w, axes=[-1], epsilon=1e-05)",
        {"m": 3, "k": 0},
        "rms_norm",
    ),
    "a layer over nothing": (
        'x: R.Tensor((m, k), "float32"), w: R.Tensor((k,), "float32"), v: R.Tensor((k,), "float32")',
        "R.nn.layer_norm(x, w, v, axes=[-1], epsilon=1e-05)",
        {"m": 3, "k": 0},
        "layer_norm",
    ),
}


@pytest.mark.parametrize("name", CASES)
def test_the_library_gives_what_its_contract_says(name: str) -> None:
    params, call, dims, taken = CASES[name]
    text = f"""{HEAD}
@I.ir_module
class Module:
    @R.function
    def main({params}):
        with R.dataflow():
            y = {call}
            R.output(y)
        return y
"""
    dispatched = lower(rr.check(rr.parse(text)), passes=["dispatch_library"]).module
    assert any(taken in each and each != "main" for each in dispatched.module.functions)
    args = rr.testing.random_arguments(dispatched.module, "main", 1, dims)
    found = rr.diff(dispatched, "main", args, impl="numpy")
    assert isinstance(found, rr.Agreement), found
