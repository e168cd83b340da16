"""Two negative extents may have the right product: what is reshaped to them has no meaning, and is no proof."""

from __future__ import annotations

import numpy as np
import pytest

import refrelax as rr
from refrelax.judge.evidence import Proved
from refrelax.judge.pointwise import attempt

SMALL = "k // 8589934592"
"""A scalar of either sign whose square fits."""

MODULE = """
@I.ir_module
class Module:
    @T.prim_func(private=True)
    def copy(a: T.handle, b: T.handle):
        n = T.int64()
        A = T.match_buffer(a, (n,), "float32")
        B = T.match_buffer(b, (n,), "float32")
        for i in range(n):
            B[i] = A[i]
    @R.function
    def main(k: R.Prim("int64"), x: R.Tensor(("<K> * (<K>)",), "float32")) -> R.Any:
        R.func_attr({"relax.force_pure": True})
        cls = Module
        b = R.builtin.alloc_tensor(R.shape([<K> * (<K>)]), R.dtype("float32"), 0, R.str("global"))
        <BODY>
        _ = cls.copy(z, b)
        return b
"""
VIEWS = {
    "view": "y = R.memory.view(x, R.shape([<K>, <K>])); z = R.memory.view(y, R.shape([<K> * (<K>)]))",
    "machine": 'y = R.call_packed("vm.builtin.reshape", x, R.shape([<K>, <K>]), ty_args=(R.Any,)); '
    'z = R.call_packed("vm.builtin.reshape", y, R.shape([<K> * (<K>)]), ty_args=(R.Tensor((<K> * (<K>),), "float32"),))',  # noqa: E501
    "unused": "y = R.memory.view(x, R.shape([<K>, <K>])); z = x",
    "reshape": "y = R.reshape(x, R.shape([<K>, <K>])); z = R.reshape(y, R.shape([<K> * (<K>)]))",
}
ALLOCATES = 'y = R.builtin.alloc_tensor(R.shape([<K>, <K>]), R.dtype("float32"), 0, R.str("global")); z = x'


def _checked(body: str) -> rr.CheckedModule:
    text = MODULE.replace("<BODY>", body.replace("; ", "\n        "))
    return rr.check(rr.parse(text.replace("<K>", SMALL)))


@pytest.mark.thorough
@pytest.mark.parametrize("what", VIEWS)
def test_it_is_open_and_no_proof(what: str) -> None:
    first, second = _checked("z = x"), _checked(VIEWS[what])
    x = np.arange(9, dtype="float32")
    for k in (3 << 33, -3 << 33):
        assert isinstance(rr.run(first, "main", k, x), rr.Returned)
    assert isinstance(rr.run(second, "main", 3 << 33, x), rr.Returned)
    assert isinstance(rr.run(second, "main", -3 << 33, x), rr.Unspecified)
    assert not isinstance(attempt(first, second, "main"), Proved)
    assert isinstance(attempt(second, first, "main"), Proved)
    assert isinstance(attempt(second, _checked(ALLOCATES), "main"), Proved)


@pytest.mark.parametrize(("k", "n"), [(-3, 9), (-1, 1)])
def test_a_reshape_gives_no_tensor_of_negative_extents(k: int, n: int) -> None:
    body = """
@I.ir_module
class Module:
    @R.function
    def main(k: R.Prim("int64"), x: R.Tensor(("n",), "float32")) -> R.Any:
        y = R.reshape(x, R.shape([k, k]))
        return y
"""
    found = rr.run(rr.check(rr.parse(body)), "main", k, np.ones(n, "float32"))
    assert isinstance(found, rr.Unspecified) and found.rule == "ev/negative-extent"
