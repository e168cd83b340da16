"""A negative number that a check refuses, since its symbol has another number, is no run that the definition leaves
open."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import refrelax as rr
from tests.attacks.both_ends import both_ends

MODULE = """
n = TypeVar("n")
m = TypeVar("m")
@I.ir_module
class Module:
    @T.prim_func(private=True, s_tir=True)
    def fill(o: T.handle):
        k = T.int64()
        O = T.match_buffer(o, (k,), "float32")
        for i in range(k):
            with T.sblock("b"):
                v = T.axis.spatial(k, i)
                O[v] = T.float32(0)
    @R.function(private=True)
    def helper(x: R.Tensor((n,), "float32"), s: R.Shape((n,))) -> R.Tensor((n,), "float32"):
        y = R.add(x, x)
        return y
    @R.function(private=True)
    def twice(s: R.Shape((n, n))) -> R.Any:
        return s
    @R.function
    def main({params}) -> R.Any:
        cls = Module
        {body}
        return v
"""


FILL = 'z = R.call_tir(cls.fill, R.tuple(), out_ty=R.Tensor((k,), "float32"))'
SCALAR = 'x: R.Tensor((n,), "float32"), k: R.Prim("int64")'
CAST = "a = R.shape([k]); v = R.match_cast(a, R.Shape((n,)))"
TWO = "a = R.shape([n, k]); v = R.match_cast(a, R.Shape((m, m)))"
REFUSED: dict[str, tuple[str, str, str, tuple[Any, ...]]] = {
    "by a symbol of a tensor": (SCALAR, CAST, f"{FILL}; {CAST}", (np.ones(3, "float32"), -2)),
    "by the same symbol": (SCALAR, TWO, f"{FILL}; {TWO}", (np.ones(3, "float32"), -2)),
    "by a parameter": (
        'k: R.Prim("int64"), x: R.Tensor((T.max(k, 0),), "float32")',
        "v = cls.helper(x, R.shape([k]))",
        "v = R.add(x, x)",
        (-2, np.ones(0, "float32")),
    ),
    "by the same parameter": (
        'k: R.Prim("int64")',
        "v = cls.twice(R.shape([T.max(k, 0), k]))",
        "v = R.shape([T.max(k, 0), T.max(k, 0)])",
        (-2,),
    ),
}


@pytest.mark.parametrize("what", REFUSED)
def test_a_negative_number_is_refused(what: str) -> None:
    params, one, two, args = REFUSED[what]
    ends, proved = both_ends(MODULE, params, (one, two), args)
    assert isinstance(ends[0], rr.Trapped) and not isinstance(ends[1], rr.Trapped)
    assert not proved


def test_a_negative_number_that_is_the_symbols() -> None:
    """An extent that a symbol has twice is open where it is negative, and so it is seen to be none."""
    for body in ("t = R.shape([k]); v = R.match_cast(t, R.Shape((k,)))", "v = cls.twice(R.shape([k, k]))"):
        _, proved = both_ends(MODULE, 'k: R.Prim("int64")', (body, f"{body}; _ = R.shape([k])"), (2,))
        assert proved
