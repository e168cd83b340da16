"""Groups at bfloat16 that hold two elements as one number have the bits of their steps, of operands of any shape and
layout; what cannot be seen in pairs goes the other way."""

from __future__ import annotations

from typing import Any

import ml_dtypes
import numpy as np
import pytest

import refrelax as rr
from refrelax.backends.numpy_ import pairs

UPPER = np.dtype(ml_dtypes.bfloat16)

STEPS = """n = TypeVar("n")
m = TypeVar("m")
@I.ir_module
class Module:
    @R.function
    def main(x: R.Tensor((n, m), "bfloat16"), y: R.Tensor({0}, "bfloat16"), c: R.Tensor((n, m), "bool")):
        with R.dataflow():
            a = R.add(x, y)
            b = R.multiply(a, x)
            d = R.where(c, b, y)
            e = R.sigmoid(d)
            g = R.less(e, b)
            h = R.negative(b)
            R.output(a, e, g, h)
        return (a, e, g, h)
"""


def drawn(*shape: int) -> Any:
    return np.random.default_rng(3).standard_normal(shape).astype(UPPER)


def wanted(x: Any, y: Any, c: Any) -> tuple[Any, ...]:
    a = x + y
    b = a * x
    d = np.where(c, b, np.broadcast_to(y, b.shape))
    e = (1 / (1 + np.exp(-d.astype(np.float32)))).astype(UPPER)
    return a, e, e < b, -b


LAYOUTS: dict[str, tuple[str, Any, Any, bool]] = {
    "rows": ("(n, m)", drawn(60, 40), drawn(60, 40), True),
    "rows of odd extent": ("(n, m)", drawn(61, 41), drawn(61, 41), True),
    "many rows": ("(n, m)", drawn(700, 300), drawn(700, 300), True),
    "one row": ("(n, m)", drawn(1, 4000), drawn(1, 4000), True),
    "a row beside": ("(m,)", drawn(600, 300), drawn(300), True),
    "a row of rank 2": ("(1, m)", drawn(600, 300), drawn(1, 300), True),
    "a column": ("(n, 1)", drawn(600, 300), drawn(600, 1), True),
    "a column of one row": ("(n, 1)", drawn(1, 4000), drawn(1, 1), True),
    "a number": ("()", drawn(600, 300), drawn(), True),
    "every second row": ("(n, m)", drawn(120, 40)[::2], drawn(60, 40), True),
    "backwards": ("(n, m)", drawn(60, 40)[::-1], drawn(60, 40), True),
    "a row beside, odd": ("(m,)", drawn(600, 301), drawn(301), False),
    "turned": ("(n, m)", drawn(40, 60).T, drawn(60, 40), False),
    "every second element": ("(n, m)", drawn(60, 80)[:, ::2], drawn(60, 40), False),
    "few": ("(n, m)", drawn(3, 4), drawn(3, 4), False),
    "none": ("(n, m)", drawn(0, 40), drawn(0, 40), False),
}


@pytest.mark.parametrize("name", LAYOUTS)
def test_pairs_are_their_elements(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    shape, x, y, paired = LAYOUTS[name]
    c = np.random.default_rng(4).random(x.shape) < 0.5
    f = rr.compile(rr.check(rr.parse(STEPS.format(shape))))
    assert "rt.packed" in f.source
    seen, apart = list[Any](), pairs.blocked

    def blocked(*args: Any, **more: Any) -> Any:
        seen.append(args)
        return apart(*args, **more)

    monkeypatch.setattr(pairs, "blocked", blocked)
    found = f["main"](x, y, c)
    assert bool(seen) != paired
    for own, other in zip(found, wanted(x, y, c), strict=True):
        assert own.dtype == other.dtype and own.shape == other.shape
        assert own.tobytes() == np.ascontiguousarray(other).tobytes()
