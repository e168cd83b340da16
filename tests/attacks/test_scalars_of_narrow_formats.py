"""Numbers of dtypes that NumPy itself lacks, as arguments, lets and variables of a loop program."""

from __future__ import annotations

from typing import Any

import pytest

pytest.importorskip("numpy")
pytest.importorskip("ml_dtypes")

import numpy as np

import refrelax as rr
from refrelax.backends.cupy_ import emulate
from refrelax.backends.errors import Unsupported
from tests.testing.comparing import same_bits

NARROW = (
    "bfloat16",
    "float8_e4m3fn",
    "float8_e5m2",
    "float8_e4m3fnuz",
    "float6_e3m2fn",
    "float4_e2m1fn",
    "int4",
    "uint4",
    "int2",
)
BODIES = (
    "c",
    "c * A[v]",
    "c + c",
    "T.max(c, A[v])",
    "T.Cast(DT, v) + c",
    "T.Select(v < 2, c, A[v])",
    "T.Cast(DT, 3) * A[v]",
)

TEXT = """
n = TypeVar("n")
@I.ir_module
class Module:
    @T.prim_func
    def k(A: T.Buffer((n,), DT), c: T.KIND, B: T.Buffer((n,), DT)):
        for i in range(n):
            with T.sblock("s"):
                v = T.axis.spatial(n, i)
                B[v] = BODY
    @R.function
    def main(x: R.Tensor(("n",), DT)) -> R.Tensor(("n",), DT):
        n = T.int64()
        y = R.call_tir(Module.k, (x, T.KIND(NUMBER)), out_ty=R.Tensor((n,), DT))
        return y
"""


def outcomes(dtype: str, body: str, mode: str) -> tuple[Any, Any]:
    number = "1" if "int" in dtype else "-1.5"
    text = TEXT.replace("BODY", body).replace("DT", f'"{dtype}"').replace("KIND", dtype).replace("NUMBER", number)
    checked, x = rr.check(rr.parse(text)), rr.Tensor.of([1, 0, 1, 1, 0], dtype)
    return rr.run(checked, "main", x), rr.compile(checked, mode=mode).run("main", x)


@pytest.mark.by_day(4)
@pytest.mark.parametrize("mode", ["bits", "fast"])
@pytest.mark.parametrize("dtype", NARROW)
def test_a_number_of_a_narrow_format_is_one(dtype: str, mode: str) -> None:
    compared = 0
    for body in BODIES:
        try:
            wanted, found = outcomes(dtype, body, mode)
        except (rr.Rejection, Unsupported):
            continue
        assert isinstance(wanted, rr.Returned) and isinstance(found, rr.Returned), (body, wanted, found)
        assert same_bits(wanted.value, found.value), (body, wanted, found)
        compared += 1
    assert compared > 0


def test_a_number_that_is_given_is_rounded_once() -> None:
    text = TEXT.replace("BODY", "c").replace("DT", '"bfloat16"').replace("KIND", "bfloat16").replace("NUMBER", "1.0")
    checked = rr.check(rr.parse(text))
    near = 1 + 2**-8 + 2**-40  # twice rounded it is 1
    x = rr.Tensor.of([0, 0], "bfloat16")
    wanted = rr.run(checked, "k", x, near, rr.Tensor.of([0, 0], "bfloat16"))
    found = rr.compile(checked, mode="bits").run("k", x, near, rr.Tensor.of([0, 0], "bfloat16"))
    assert isinstance(wanted, rr.Returned) and isinstance(found, rr.Returned)
    assert same_bits(wanted.arguments, found.arguments)


@pytest.mark.parametrize("backend", ["numpy", *(["cuda-emulated"] if emulate.compiler() else [])])
def test_a_norm_that_cancels_is_within_a_unit_of_a_small_half(backend: str) -> None:
    """``-1 * 2 + 2``: what is left of it in float32 is two units of float16."""
    text = """
@I.ir_module
class Module:
    @R.function
    def main(x: R.Tensor((2,), "float16"), g: R.Tensor((2,), "float16")) -> R.Tensor((2,), "float16"):
        with R.dataflow():
            y = R.nn.layer_norm(x, g, g, axes=[-1])
            R.output(y)
        return y
"""
    given = [np.array(each, np.float16) for each in ([2, 65504], [2, 0])]
    found = rr.diff(rr.check(rr.parse(text)), "main", given, impl=backend)
    assert found.word == "AGREE", found
