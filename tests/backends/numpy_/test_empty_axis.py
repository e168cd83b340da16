"""Taking from an axis without elements: NaN where the mode says so, and no meaning where an index has to be moved."""

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
