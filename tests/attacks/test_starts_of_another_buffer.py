"""``T.init`` of a block may store into another buffer than the body: then nothing starts a fold.

The NumPy backend took the body for a sum from zero, and left the other buffer as it was.
"""

from __future__ import annotations

import pytest

import refrelax as rr
from refrelax.errors import Returned

BODIES = {
    "sum": "O[i] = O[i] + A[i, k]",
    "product": "O[i] = O[i] + A[i, k] * A[i, k]",
    "extreme": "O[i] = T.max(O[i], A[i, k])",
    "last": "O[i] = A[i, k]",
}


def text(start: str, body: str) -> str:
    return f"""
@I.ir_module
class Module:
    @T.prim_func(s_tir=True)
    def main(A: T.Buffer((3, 2), "float32"), O: T.Buffer((3,), "float32"), Q: T.Buffer((3,), "float32")):
        for i_, k_ in T.grid(3, 2):
            with T.sblock("b"):
                i, k = T.axis.remap("SR", [i_, k_])
                with T.init():
                    {start}[i] = T.float32(0.0)
                {body}
"""


@pytest.mark.parametrize("mode", ["bits", "fast"])
@pytest.mark.parametrize("start", ["O", "Q"])
@pytest.mark.parametrize("body", BODIES)
def test_it_is_no_fold_from_there(body: str, start: str, mode: str) -> None:
    checked = rr.check(rr.parse(text(start, BODIES[body])))
    given = ([[1, -2], [3, 5], [-7, 4]], [10, 20, 30], [7, 7, 7])
    own = rr.run(checked, "main", args=[rr.Tensor.of(each, "float32") for each in given])
    found = rr.compile(checked, mode=mode).run("main", *(rr.Tensor.of(each, "float32") for each in given))
    assert isinstance(own, Returned) and isinstance(found, Returned)
    assert [x.tolist() for x in found.arguments] == [x.tolist() for x in own.arguments]
    assert own.arguments[2].tolist() == ([0.0, 0.0, 0.0] if start == "Q" else [7.0, 7.0, 7.0])
