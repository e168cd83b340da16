"""What `f.cost` is asked is checked before it is counted, and an element that many iterations touch counts once."""

from __future__ import annotations

from functools import cache
from typing import Any

import pytest

pytest.importorskip("numpy")

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

import refrelax as rr
from refrelax.backends.cupy_ import emulate
from refrelax.backends.cupy_.compile import CudaExecutable, cost_of
from refrelax.backends.cupy_.emulate import EmulatedDevice
from refrelax.backends.intervals import interval
from refrelax.errors import UsageError
from refrelax.semantics.dims import value
from refrelax.syntax.scalars import Binary, BinaryOp, SymVar

HEAD = """
@I.ir_module
class Module:
    @T.prim_func
    def grow(a: T.handle, k: T.int64, s: T.float32, b: T.handle):
        n = T.int64()
        A = T.match_buffer(a, (n,), "float32")
        B = T.match_buffer(b, (n,), "float32")
        for i in range(k):
            with T.sblock("b"):
                v = T.axis.spatial(k, i)
                B[v] = A[v] * s
    @T.prim_func
    def window(a: T.handle, b: T.handle):
        n = T.int64()
        A = T.match_buffer(a, (n - 3,), "float32")
        B = T.match_buffer(b, (n,), "float32")
        for i in range(n):
            with T.sblock("b"):
                v = T.axis.spatial(n, i)
                B[v] = T.float32(0)
    @R.function
    def main(x: R.Tensor(("n",), "float32"), k: R.Prim("int64"), s: R.Shape(["m"])) -> R.Tensor(("n",), "float32"):
        n = T.int64()
        y = R.call_tir(Module.grow, (x, R.prim_value(k), R.prim_value(T.float32(2))), out_ty=R.Tensor((n,), "float32"))
        return y
"""


@cache
def module() -> Any:
    return rr.check(rr.parse(HEAD))


@pytest.mark.parametrize(
    ("entry", "asked", "told"),
    [
        ("grow", {"n": -1, "k": 2}, "A: an extent of -1"),
        ("window", {"n": 2}, "A: an extent of -1"),
        ("main", {"n": -2, "k": 1, "m": 1}, "x: an extent of -2"),
        ("main", {"n": 2, "k": 1, "m": -1}, "s: an extent of -1"),
        ("grow", {"n": 3}, "k has no value"),
        ("main", {"n": 3, "m": 1}, "k has no value"),
        ("grow", {"n": 2.5, "k": 1}, "n=2.5: expected an integer of 64 bits"),
        ("grow", {"n": True, "k": 1}, "n=True: expected an integer of 64 bits"),
        ("grow", {"n": "3", "k": 1}, "n='3': expected an integer of 64 bits"),
        ("grow", {"n": None, "k": 1}, "n=None: expected an integer of 64 bits"),
        ("grow", {"n": 2**70, "k": 1}, "expected an integer of 64 bits"),
    ],
)
def test_what_is_no_size_is_refused(entry: str, asked: dict[str, Any], told: str) -> None:
    with pytest.raises(UsageError, match=told):
        cost_of(module(), entry, asked)


def test_a_number_is_given_by_its_name() -> None:
    assert cost_of(module(), "grow", {"n": 8, "k": 5}).bytes == 4 * 2 * 5
    assert cost_of(module(), "grow", {"n": 8, "k": np.int64(5)}).bytes == 4 * 2 * 5
    assert cost_of(module(), "grow", {"n": 8, "k": -5}).launches == 0
    assert cost_of(module(), "main", {"n": 8, "k": 5, "m": 3}).bytes == 4 * 2 * 5


READS = {
    "A[v // 4]": 10, "A[v % 5]": 5, "A[v // 4 * 4]": 10, "A[v // 2 // 2 + 1]": 10, "A[v]": 40, "A[39 - v]": 40,
    "A[T.min(v, 3)]": 4, "A[T.max(v, 30)]": 10, "A[v // 4] + A[v // 2]": 30, "A[v // 8 + v % 2]": 6,
    "A[(v + 4) // 8]": 6, "A[T.truncdiv(v, 8)]": 5, "A[T.if_then_else(v < 3, v, 3)]": 40,
}  # fmt: skip
"""What is read of 40 elements or more, and how many elements are read at most."""


@pytest.mark.thorough
@pytest.mark.parametrize("read", READS)
def test_an_element_that_many_iterations_read_is_one(read: str) -> None:
    text = f"""
@I.ir_module
class Module:
    @T.prim_func
    def main(a: T.handle, b: T.handle):
        n = T.int64()
        A = T.match_buffer(a, (n,), "float32")
        B = T.match_buffer(b, (n,), "float32")
        for i in range(n):
            with T.sblock("b"):
                v = T.axis.spatial(n, i)
                B[v] = {read}
"""
    checked = rr.check(rr.parse(text))
    found = cost_of(checked, "main", {"n": 40})
    assert found.written == 4 * 40
    assert found.read <= 4 * READS[read]
    if emulate.compiler() is None:
        return
    run = CudaExecutable(checked, "fast", EmulatedDevice())
    a = np.arange(40, dtype=np.float32)
    b = np.zeros(40, np.float32)
    run["main"](a, b)
    assert found.read >= 4 * len(set(b.tolist())) or "+ A" in read, "what is read is counted"


@given(
    st.sampled_from(["FloorDiv", "Div", "FloorMod", "Mod"]),
    *[st.tuples(st.integers(-40, 40), st.integers(0, 12)) for _ in "ab"],
)
def test_quotients_lie_in_their_interval(op: BinaryOp, a: tuple[int, int], b: tuple[int, int]) -> None:
    x, y = SymVar("x"), SymVar("y")
    low, high = interval(Binary(op, x, y), {"x": (a[0], a[0] + a[1]), "y": (b[0], b[0] + b[1])})
    for m in range(a[0], a[0] + a[1] + 1):
        for n in range(b[0], b[0] + b[1] + 1):
            assert n == 0 or low <= value(Binary(op, x, y), {"x": m, "y": n}) <= high
