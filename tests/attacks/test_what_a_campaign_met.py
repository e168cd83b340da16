"""Faults of our own that a campaign on our backends met."""

from __future__ import annotations

import pytest

pytest.importorskip("numpy")

import numpy as np

import refrelax as rr
from refrelax.backends.cupy_ import emulate

BACKENDS = ("numpy", *(("cuda-emulated",) if emulate.compiler() else ()))
FUNCTION = """
@I.ir_module
class Module:
    @R.function(pure=False)
    def main({}):
        gv = {}
        return gv
"""


def checked(params: str, call: str) -> rr.CheckedModule:
    return rr.check(rr.parse(FUNCTION.format(params, call)))


@pytest.mark.parametrize("backend", BACKENDS)
@pytest.mark.parametrize("op", ["less_equal", "maximum", "add"])
def test_an_operator_of_two_scalars_gives_a_scalar(backend: str, op: str) -> None:
    module = checked('x: R.Prim("float32"), y: R.Prim("float32")', f"R.{op}(x, y)")
    assert rr.diff(module, "main", [1.5, 2.0], impl=backend).word == "AGREE"


@pytest.mark.parametrize(("dtype", "word"), [("int16", "AGREE"), ("int32", "OPEN")])
@pytest.mark.parametrize("backend", BACKENDS)
def test_a_norm_of_integers_is_the_definition_s(backend: str, dtype: str, word: str) -> None:
    """The type rule takes them, as TVM's does, which compiles none; there is no array form of it. What is narrower
    than 32 bits is computed in float32; an int32 has no root."""
    params = ", ".join(
        f'{name}: R.Tensor({shape}, "{dtype}")' for name, shape in (("x", "(1, 3, 2)"), ("g", "(3,)"), ("b", "(3,)"))
    )
    module = checked(params, "R.nn.instance_norm(x, g, b, channel_axis=1, axes=[2])")
    given = [np.arange(6, dtype=dtype).reshape(1, 3, 2), np.full(3, 5, dtype), np.arange(3, dtype=dtype)]
    assert rr.diff(module, "main", given, impl=backend).word == word


@pytest.mark.parametrize("numerics", ["enclosure", "ideal", "ieee"])
@pytest.mark.parametrize("dtype", ["float16", "float32"])
def test_products_of_the_greatest_doubles_in_a_narrow_result(dtype: str, numerics: str) -> None:
    params = 'x: R.Tensor((1, 1, 1), "float64"), w: R.Tensor((1, 1, 1), "float64")'
    given = [np.full((1, 1, 1), each) for each in (-1.7976931348623157e308, 2.5)]
    for call in (f'R.nn.conv1d(x, w, out_dtype="{dtype}")', f'R.matmul(x, w, out_dtype="{dtype}")'):
        assert isinstance(rr.run(checked(params, call), "main", *given, numerics=numerics), rr.Returned)
