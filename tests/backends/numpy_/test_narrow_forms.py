"""Forms of operators at float16 and bfloat16 that calculate in float32 give what is permitted, as a text says them and
lowered, where a loop program permits less."""

from __future__ import annotations

from typing import Any

import ml_dtypes
import numpy as np
import pytest

import refrelax as rr

TEXT = """@I.ir_module
class Module:
    @R.function
    def main({}):
        with R.dataflow():
            out = {}
            R.output(out)
        return out
"""

NARROW = {"float16": np.dtype(np.float16), "bfloat16": np.dtype(ml_dtypes.bfloat16)}
OF_ONE = ("nn.gelu_tanh", "nn.gelu", "nn.silu", "erf", "sigmoid", "tanh", "rsqrt")


def module(dtype: str, call: str, *shapes: tuple[int, ...]) -> rr.CheckedModule:
    params = ", ".join(f'{name}: R.Tensor({shape}, "{dtype}")' for name, shape in zip("xwb", shapes, strict=False))
    return rr.check(rr.parse(TEXT.format(params, call)))


def drawn(dtype: str, *shape: int) -> Any:
    return (np.random.default_rng(len(shape)).standard_normal(shape) * 3).astype(NARROW[dtype])


def agrees(checked: rr.CheckedModule, *args: Any) -> bool:
    modules = [checked, *(rr.lower(checked, pipeline=each).module for each in ("kernels", "build"))]
    return all(rr.diff(each, "main", list(args), impl="numpy").word == "AGREE" for each in modules)


@pytest.mark.parametrize("dtype", NARROW)
@pytest.mark.parametrize("name", OF_ONE)
def test_functions_of_one(name: str, dtype: str) -> None:
    x = drawn(dtype, 40, 20)
    if name != "rsqrt":  # (of an infinite result an enclosure is too wide to tell)
        x[0, :5] = 0.0, -0.0, -np.inf, 20, -20
    checked = module(dtype, f"R.{name}(x)", (40, 20))
    assert agrees(checked, abs(x) if name == "rsqrt" else x)
    odd = np.array([np.inf, np.nan, 0] * 200 + [1] * 200, NARROW[dtype]).reshape(40, 20)
    found, wanted = (rr.compile(checked, mode=mode)["main"](odd)[:30] for mode in ("fast", "bits"))
    assert np.array_equal(found, wanted, equal_nan=True)


@pytest.mark.parametrize("dtype", NARROW)
@pytest.mark.parametrize("name", ["nn.gelu_tanh", "nn.gelu", "nn.silu"])
def test_steps_are_rounded_where_a_loop_program_rounds_them(name: str, dtype: str) -> None:
    checked = module(dtype, f"R.{name}(x)", (40, 200))
    rounding = "near_(" if dtype == "bfloat16" else "rt.rounded("
    assert rounding not in rr.compile(checked).source
    assert rounding in rr.compile(rr.lower(checked, pipeline="kernels").module).source


@pytest.mark.parametrize("dtype", NARROW)
@pytest.mark.parametrize("beside", [0, 7, -300])
def test_layer_norm(dtype: str, beside: int) -> None:
    """Also of numbers far from zero, whose differences from the mean cancel."""
    checked = module(dtype, "R.nn.layer_norm(x, w, b, axes=[-1])", (8, 40), (40,), (40,))
    x = (drawn(dtype, 8, 40).astype(np.float32) + beside).astype(NARROW[dtype])
    assert agrees(checked, x, drawn(dtype, 40), drawn(dtype, 40))


@pytest.mark.parametrize("dtype", NARROW)
def test_convolutions(dtype: str) -> None:
    checked = module(dtype, "R.nn.conv2d(x, w, padding=[1, 1, 1, 1])", (1, 3, 6, 6), (2, 3, 3, 3))
    assert agrees(checked, drawn(dtype, 1, 3, 6, 6), drawn(dtype, 2, 3, 3, 3))


@pytest.mark.parametrize(("rows", "of"), [((70, 64), (64, 3)), ((8, 16, 40), (40, 5)), ((2, 64, 40), (2, 40, 3))])
def test_products(rows: tuple[int, ...], of: tuple[int, ...]) -> None:
    checked = module("float16", "R.matmul(x, w)", rows, of)
    assert agrees(checked, drawn("float16", *rows), drawn("float16", *of))
