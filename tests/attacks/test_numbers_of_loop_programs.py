"""A loop program takes a number for a number: anything else is a trap in every backend, as in the definition."""

from __future__ import annotations

from typing import Any

import pytest

pytest.importorskip("numpy")

import numpy as np

import refrelax as rr
from refrelax.backends.cupy_ import emulate
from refrelax.semantics.values import Prim, Shape

MODULE = """
@I.ir_module
class Module:
    @T.prim_func
    def scale(x: T.Buffer((3,), "float32"), s: T.float32, out: T.Buffer((3,), "float32")):
        for i in range(3):
            with T.sblock("b"):
                v = T.axis.spatial(3, i)
                out[v] = x[v] * s
"""

BACKENDS = ("numpy", *(("cuda-emulated",) if emulate.compiler() else ()))
NO_NUMBERS = (
    np.float32(2),
    np.array(2, np.float32),
    np.ones(3, np.float32),
    None,
    "a",
    Shape((2,)),
    (1, 2),
    Prim("int64", 2),
)


@pytest.mark.parametrize("backend", BACKENDS)
def test_what_is_no_number_is_a_trap(backend: str) -> None:
    checked = rr.check(rr.parse(MODULE))
    made, x = rr.compile(checked, backend=backend), np.ones(3, np.float32)
    for number in NO_NUMBERS:
        out: Any = np.zeros(3, np.float32)
        wanted, found = rr.run(checked, "scale", x, number, out), made.run("scale", x, number, out)
        assert isinstance(wanted, rr.Trapped) and isinstance(found, rr.Trapped), number
        assert found.rule == wanted.rule
        with pytest.raises(rr.RunError):
            made["scale"](x, number, out)
        if hasattr(made, "resident") and isinstance(number, np.ndarray | np.generic):
            with pytest.raises(rr.RunError):
                made.resident("scale")(x, number, out)
    assert isinstance(made.run("scale", x, Prim("float32", 2.0), x), rr.Returned)
