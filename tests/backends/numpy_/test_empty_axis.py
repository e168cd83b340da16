"""Axes without elements: taking gives NaN where the mode says so, and no meaning where an index has to be moved; a
kernel without taps keeps the batch."""

from __future__ import annotations

import numpy as np
import pytest

import refrelax as rr
from refrelax.errors import Returned, Unspecified

TEXT = """
@I.ir_module
class Module:
    @R.function
    def main(x: R.Tensor((2, 0), "float32"), i: R.Tensor((k,), "int64")):
        return R.take(x, i, axis=1, mode="{mode}")
"""


@pytest.mark.parametrize("count", [0, 1, 3])
@pytest.mark.parametrize("mode", ["nan", "clip", "wrap"])
def test_take(mode: str, count: int) -> None:
    checked = rr.check(rr.parse('k = TypeVar("k")\n' + TEXT.format(mode=mode)))
    args = (np.zeros((2, 0), "float32"), np.zeros(count, "int64"))
    wanted, found = rr.run(checked, "main", *args), rr.compile(checked, mode="bits").run("main", *args)
    if mode != "nan" and count:
        assert isinstance(wanted, Unspecified) and isinstance(found, Unspecified)
        assert wanted.rule == found.rule == "op.take/empty-axis"
    else:
        assert isinstance(wanted, Returned) and isinstance(found, Returned)
        assert found.value.shape == (2, count) and np.isnan(found.value.numpy()).all()
        assert np.isnan(wanted.value.numpy()).all()


CONVOLUTION = """
@I.ir_module
class Module:
    @R.function
    def main(x: R.Tensor(dtype="{0}", ndim=4), w: R.Tensor(dtype="{0}", ndim=4)):
        return R.nn.conv2d(x, w)
"""


@pytest.mark.parametrize("mode", ["bits", "fast"])
@pytest.mark.parametrize("dtype", ["float32", "uint16"])
@pytest.mark.parametrize("taps", [(3, 0), (1, 0), (0, 0)])
def test_a_kernel_without_taps(taps: tuple[int, int], dtype: str, mode: str) -> None:
    checked = rr.check(rr.parse(CONVOLUTION.format(dtype)))
    args = (np.ones((3, 1, 2, 5), dtype), np.ones((4, 1, *taps), dtype))
    wanted, found = rr.run(checked, "main", *args), rr.compile(checked, mode=mode).run("main", *args)
    assert isinstance(wanted, Returned) and isinstance(found, Returned)
    assert wanted.value.shape == found.value.shape == (3, 4, 2 - taps[0] + 1, 6)
    assert (found.value.numpy() == wanted.value.numpy()).all()


@pytest.mark.parametrize("mode", ["bits", "fast"])
@pytest.mark.parametrize("shape", [(2, 1), (1, 3), (3, 3), (1, 0), (1, 1)])
def test_a_diagonal_whose_axes_broadcast(shape: tuple[int, int], mode: str) -> None:
    text = CONVOLUTION.replace(', w: R.Tensor(dtype="{0}", ndim=4)', "").replace("ndim=4", "ndim=2")
    checked = rr.check(rr.parse(text.replace("R.nn.conv2d(x, w)", 'R.einsum((x,), "ii->i")').format("int32")))
    x = np.arange(1, 1 + shape[0] * shape[1], dtype="int32").reshape(shape)
    wanted, found = rr.run(checked, "main", x), rr.compile(checked, mode=mode).run("main", x)
    assert isinstance(wanted, Returned) and isinstance(found, Returned)
    assert wanted.value.numpy().tolist() == found.value.numpy().tolist()
