"""Dtypes that NumPy holds but does not calculate in as the language does, and values told apart by their types."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import refrelax as rr
from refrelax.backends.errors import Unsupported
from refrelax.backends.numpy_ import exact, guests
from refrelax.backends.numpy_.operators import ROWS
from refrelax.running.arrays import numpy_dtype
from refrelax.syntax import bits, dtypes


def module(call: str, *types: str) -> rr.CheckedModule:
    head = ", ".join(f"{n}: {t}" for n, t in zip("xy", types, strict=False))
    text = (
        f"@I.ir_module\nclass Module:\n    @R.function\n    def main({head}):\n        gv = {call}\n        return gv\n"
    )
    return rr.check(rr.parse(text))


@given(st.floats(allow_nan=True, allow_infinity=True, width=64))
def test_e8m0_is_rounded_as_the_definition_rounds(x: float) -> None:
    found = exact.cast(np.array([x]), numpy_dtype("float8_e8m0fnu")).view(np.uint8)[0]
    assert found == bits.encode("float8_e8m0fnu", x)


@given(st.integers(-(2**63), 2**63 - 1))
def test_e8m0_of_integers(x: int) -> None:
    found = exact.cast(np.array([x], np.int64), numpy_dtype("float8_e8m0fnu")).view(np.uint8)[0]
    assert found == bits.encode("float8_e8m0fnu", x)


@pytest.mark.parametrize("mode", ["bits", "fast"])
@pytest.mark.parametrize(
    "call", ["R.add(x, y)", "R.multiply(x, y)", "R.bitwise_and(x, y)", "R.maximum(x, y)", "R.less(x, y)"]
)
@pytest.mark.parametrize("dtype", ["int4", "uint4", "int1", "uint1"])
def test_four_bits_wrap(dtype: str, call: str, mode: Any) -> None:
    c = module(call, f'R.Tensor((4,), "{dtype}")', f'R.Tensor((4,), "{dtype}")')
    low, high = dtypes.integer_range(dtype)
    args = [rr.Tensor.of([low + (k - low) % (high - low + 1) for k in x], dtype) for x in ([0, 1, 7, 5], [3, 7, 7, -1])]
    found, wanted = rr.compile(c, "numpy", mode).run("main", *args), rr.run(c, "main", *args)
    assert isinstance(found, rr.Returned) and isinstance(wanted, rr.Returned)
    assert found.value.dtype == wanted.value.dtype and found.value.tolist() == wanted.value.tolist()


@pytest.mark.parametrize("mode", ["bits", "fast"])
@pytest.mark.parametrize(
    ("call", "dtype"),
    [("R.nn.softmax(x)", "float8_e8m0fnu"), ("R.cumsum(R.add(x, x), axis=0)", "float8_e8m0fnu"),
     ("R.nn.instance_norm(x, y, y, channel_axis=1, axes=[2])", "int8"), ("R.variance(x)", "int4")],
)  # fmt: skip
def test_what_has_no_array_form_is_the_definitions(call: str, dtype: str, mode: Any) -> None:
    shape = (1, 2, 3) if "norm" in call else (4,)
    c = module(call, f'R.Tensor({shape}, "{dtype}")', f'R.Tensor((2,), "{dtype}")')
    args = [
        rr.Tensor.of([[[1, 2, 4], [2, 2, 1]]] if len(shape) == 3 else [1, 2, 4, 2], dtype),
        rr.Tensor.of([1, 2], dtype),
    ]
    found, wanted = rr.compile(c, "numpy", mode).run("main", *args), rr.run(c, "main", *args)
    assert isinstance(found, rr.Returned) and isinstance(wanted, rr.Returned)
    assert found.value.dtype == wanted.value.dtype and found.value.patterns() == wanted.value.patterns()


@pytest.mark.parametrize("mode", ["bits", "fast"])
def test_a_range_of_such_a_dtype(mode: Any) -> None:
    c = module('R.arange(T.float32(0.25), T.float32(3.0), T.float32(0.5), dtype="float8_e8m0fnu")')
    found, wanted = rr.compile(c, "numpy", mode).run("main"), rr.run(c, "main")
    assert isinstance(found, rr.Returned) and isinstance(wanted, rr.Returned)
    assert found.value.patterns() == wanted.value.patterns() and len(found.value.patterns()) == 6


def test_what_cannot_be_done_is_said() -> None:
    symbolic = module('R.arange(0, n, 1, dtype="float8_e8m0fnu")', 'R.Tensor(("n",), "float32")')
    with pytest.raises(Unsupported, match="arange of float8_e8m0fnu"):
        rr.compile(symbolic, "numpy")
    with pytest.raises(Unsupported, match="int7"):
        rr.compile(module("R.abs(x)", 'R.Tensor((2,), "int7")'), "numpy")


def test_the_lists_name_rows() -> None:
    named = guests.MOVES | guests.ONE_STEP | guests.INTEGERS
    elsewhere = {
        f"relax.{name}"
        for name in (
            "wrap_param", "memory.ensure_zero_offset", "builtin.stop_lift_params", "size", "tensor_to_shape",
            "grad.start_checkpoint", "grad.end_checkpoint", "grad.no_grad",
        )
    }  # fmt: skip
    assert not named - set(ROWS) - elsewhere


@pytest.mark.parametrize("dtype", ["float64", "float32", "int64", "bfloat16", "bool"])
@pytest.mark.parametrize("mode", ["bits", "fast"])
def test_a_tensor_of_rank_0_is_no_scalar(dtype: str, mode: Any) -> None:
    c = module("R.maximum(x, x)", f'R.Tensor((), "{dtype}")')
    x = rr.Tensor.of(1, dtype)
    found = rr.compile(c, "numpy", mode).run("main", x)
    assert isinstance(found, rr.Returned) and isinstance(found.value, rr.Tensor) and found.value.shape == ()
    assert isinstance(rr.diff(c, "main", [x], impl="numpy"), rr.Agreement)


@pytest.mark.parametrize("dtype", ["float64", "float16", "int32", "bool"])
def test_a_scalar_is_no_tensor(dtype: str) -> None:
    c = module("R.maximum(x, y)", f'R.Prim("{dtype}")', f'R.Prim("{dtype}")')
    found = rr.compile(c, "numpy", "bits").run("main", 1, 0)
    assert isinstance(found, rr.Returned) and found.value == 1 and not isinstance(found.value, rr.Tensor)


def test_attention_does_not_look_at_hidden_keys() -> None:
    """A weight of 0 times an infinite value would be NaN."""
    c = module('R.nn.attention(x, x, y, causal_mask="TopLeft")', *['R.Tensor((1, 2, 1, 1), "float32")'] * 2)
    x, v = np.ones((1, 2, 1, 1), "float32"), np.array([2.0, math.inf], "float32").reshape(1, 2, 1, 1)
    found = rr.compile(c, "numpy", "fast").run("main", x, v)
    assert isinstance(found, rr.Returned) and found.value.numpy()[0, 0, 0, 0] == 2.0
