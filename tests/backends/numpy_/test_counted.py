"""``R.unique`` and ``R.nonzero`` as arrays: the definition's bits at every dtype, before and after ``build``."""

from __future__ import annotations

from typing import Any

import ml_dtypes  # noqa: F401  (registers the narrow dtypes)
import numpy as np
import pytest

import refrelax as rr
from refrelax.running.arrays import numpy_dtype
from refrelax.semantics.values import Shape
from refrelax.syntax.write.module import print_module
from tests.testing.comparing import same_bits

DTYPES = (
    "float32", "float64", "float16", "bfloat16", "float8_e4m3fn", "int32", "int8", "int64", "uint8", "uint64", "bool",
    "int4", "uint4",
)  # fmt: skip
SHAPES = ((3, 5, 2), (1, 4, 2), (0, 3, 2), (4, 0, 3), (7, 1, 1))


def module(dtype: str, call: str) -> rr.CheckedModule:
    return rr.check(
        rr.parse(
            'n = TypeVar("n")\nm = TypeVar("m")\nk = TypeVar("k")\n@I.ir_module\nclass Module:\n    @R.function\n'
            f'    def main(x: R.Tensor((n, m, k), "{dtype}")):\n        return {call}\n'
        )
    )


def few(dtype: str, shape: tuple[int, ...], seed: int = 0) -> Any:
    """Few different elements, zeros of both signs among them."""
    drawn = np.random.default_rng(seed).integers(-1, 2, shape)
    if dtype == "bool" or dtype.startswith("uint"):
        return np.abs(drawn).astype(numpy_dtype(dtype))
    made = drawn.astype(numpy_dtype(dtype))
    if "float" in dtype:
        made = np.where(drawn == 0, (-np.abs(drawn.astype(np.float32)) * np.float32(1.0)), drawn).astype(made.dtype)
        made[..., ::2] = np.abs(made[..., ::2])
    return made


def held_against_the_definition(checked: rr.CheckedModule, x: Any, backend: str = "numpy") -> None:
    wanted = rr.run(checked, "main", x)
    found = rr.compile(checked, backend=backend, mode="bits").run("main", x)
    if isinstance(wanted, rr.Returned):
        assert isinstance(found, rr.Returned), found
        assert same_bits(wanted.value, found.value), (wanted.value, found.value)
    else:
        assert type(found) is type(wanted), (wanted, found)


ALL = "return_index=True, return_inverse=True, return_counts=True"


@pytest.mark.by_day(4)
@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("axis", ["", ", axis=0", ", axis=1", ", axis=-1"])
def test_the_definitions_bits(dtype: str, axis: str) -> None:
    for order in (True, False):
        checked = module(dtype, f"R.unique(x, sorted={order}, {ALL}{axis})")
        for shape in SHAPES:
            held_against_the_definition(checked, few(dtype, shape))


@pytest.mark.parametrize("flags", ["", "return_counts=True", "return_index=True", "return_inverse=True"])
def test_what_is_asked_for(flags: str) -> None:
    for shape in SHAPES:
        held_against_the_definition(module("int32", f"R.unique(x, {flags})"), few("int32", shape, 1))


def test_a_nan_leaves_the_run_open() -> None:
    x = few("float32", (2, 3, 2))
    x[1, 2, 0] = np.nan
    checked = module("float32", "R.unique(x, axis=1)")
    for run in (rr.run(checked, "main", x), rr.compile(checked).run("main", x)):
        assert isinstance(run, rr.Unspecified) and run.rule == "num/nan-in-extremes"


BUILT = f"""
n = T.int64()

@I.ir_module
class Module:
    @R.function(pure=False)
    def main(x: R.Tensor((n, 3), "float32"), s: R.Shape([n, n])):
        u = R.unique(x, sorted=True)
        v = R.unique(x, sorted=False, {ALL}, axis=0)
        z = R.nonzero(x)
        t = R.call_packed("relax.run.shape_to_tensor", s, ty_args=R.Tensor((2,), "int64"))
        return (u, v, z, t)
"""


@pytest.mark.parametrize("backend", ["numpy", "cuda-emulated"])
@pytest.mark.parametrize("n", [0, 1, 4])
def test_built_modules_compile(backend: str, n: int) -> None:
    built = rr.lower(rr.check(rr.parse(BUILT)), "build").module
    text = print_module(built.module)
    assert all(f"relax.run.{name}" in text for name in ("unique", "nonzero", "shape_to_tensor")), text
    x = few("float32", (n, 3))
    wanted, made = rr.run(built, "main", x, Shape((n, n))), rr.compile(built, backend=backend, mode="bits")
    found = made.run("main", x, Shape((n, n)))
    assert isinstance(wanted, rr.Returned) and isinstance(found, rr.Returned), (wanted, found)
    assert same_bits(wanted.value, found.value)


ERASED = """
@I.ir_module
class Module:
    @R.function(pure=False)
    def main(x: R.Any) -> R.Any:
        u = R.call_packed("relax.run.unique", x, True, False, True, False, ty_args=R.Any)
        z = R.call_packed("relax.run.nonzero", x, ty_args=R.Any)
        return (u, z)
"""


@pytest.mark.parametrize("backend", ["numpy", "cuda-emulated"])
@pytest.mark.parametrize("dtype", [*DTYPES, "float8_e8m0fnu", "int2", "uint1"])
def test_every_dtype_where_no_type_tells_it(backend: str, dtype: str) -> None:
    """Zero of ``float8_e8m0fnu``, which has none, is its least number."""
    bits = np.arange(12, dtype=np.uint8) % 2
    least = bits.view(numpy_dtype(dtype)) if dtype == "float8_e8m0fnu" else few(dtype, (12,))
    held_against_the_definition(rr.check(rr.parse(ERASED)), least, backend)


def test_nonzero_of_what_has_no_zero() -> None:
    bits = (np.arange(12, dtype=np.uint8) % 3).reshape(2, 3, 2)
    held_against_the_definition(module("float8_e8m0fnu", "R.nonzero(x)"), bits.view(numpy_dtype("float8_e8m0fnu")))
