"""Fusion into a loop program that reads at ``n - 1``, which is no place where ``n`` is 0; and of reshapes whose index
is computed where there is an element at all, so that its steps fit there alone."""

from __future__ import annotations

import numpy as np
import pytest

import refrelax as rr
from refrelax.backends.cupy_ import emulate
from refrelax.lower import lower

needs_gxx = pytest.mark.skipif(emulate.compiler() is None, reason="no g++ on this machine")

HEAD = "from tvm.script import ir as I, relax as R, tirx as T\n"


def module(first: str, index: str = "n - 1", dtype: str = "float32") -> str:
    """``first``: what a first loop program makes of an element ``A[i, j]``; a second one reads a row at ``index``."""
    return f"""{HEAD}
n = T.int64()

@I.ir_module
class Module:
    @T.prim_func(private=True, s_tir=True)
    def first(A: T.Buffer((n, 4), "{dtype}"), B: T.Buffer((n, 4), "{dtype}")):
        T.func_attr({{"tirx.noalias": True}})
        for i, j in T.grid(n, 4):
            with T.sblock("first"):
                vi, vj = T.axis.remap("SS", [i, j])
                B[vi, vj] = {first}

    @T.prim_func(private=True, s_tir=True)
    def row(A: T.Buffer((n, 4), "{dtype}"), B: T.Buffer((4,), "{dtype}")):
        T.func_attr({{"tirx.noalias": True}})
        for j in range(4):
            with T.sblock("row"):
                vj = T.axis.spatial(4, j)
                B[vj] = A[{index}, vj]

    @R.function
    def main(x: R.Tensor((n, 4), "{dtype}")) -> R.Tensor((4,), "{dtype}"):
        cls = Module
        with R.dataflow():
            a = R.call_tir(cls.first, (x,), out_ty=R.Tensor((n, 4), "{dtype}"))
            b = R.call_tir(cls.row, (a,), out_ty=R.Tensor((4,), "{dtype}"))
            R.output(b)
        return b
"""


MILD = "A[vi, vj] * T.float32(2) + T.max(A[vi, vj], T.float32(1))"


def test_the_last_row_alone_is_computed() -> None:
    checked = rr.check(rr.parse(module(MILD)))
    lowered = lower(checked, passes=("fuse_ops", "fuse_loops"))
    (fused,) = [f for f in lowered.module.module.functions.values() if hasattr(f, "root_allocs")]
    assert not fused.root_allocs and all(claim.proved for step in lowered.steps for claim in step.claims)
    assert isinstance(rr.validate(checked, lowered.module, "main", rounds=1), rr.Equivalent)
    for n in (0, 1, 3):
        x = np.arange(4 * n, dtype="float32").reshape(n, 4)
        before, after = (rr.run(each, "main", x) for each in (checked, lowered.module))
        assert isinstance(before, rr.Returned) and isinstance(after, rr.Returned)
        assert len(before.poison) == len(after.poison) == (0 if n else 4)
        if n:
            assert np.array_equal(np.from_dlpack(before.value), np.from_dlpack(after.value))


@pytest.mark.parametrize(
    ("first", "index", "dtype"),
    [
        ("A[0, 0] // A[vi, vj]", "n - 1", "int32"),
        ("A[vi * 3 % n, vj]", "n - 1", "float32"),
        ("T.if_then_else(A[vi, vj] > T.float32(0), A[vi, vj], T.float32(1))", "n - 1", "float32"),
        ("T.Cast('float32', T.Cast('int32', A[vi, vj]))", "n - 1", "float32"),
    ],
)
def test_what_may_end_a_run_is_not_computed_where_nothing_is(first: str, index: str, dtype: str) -> None:
    """A division by what is no element, an index of another place, a choice by poison: they end a run."""
    checked = rr.check(rr.parse(module(first, index, dtype)))
    lowered = lower(checked, passes=("fuse_ops", "fuse_loops"))
    assert any(getattr(f, "root_allocs", ()) for f in lowered.module.module.functions.values())
    x = np.zeros((0, 4), dtype)
    before, after = (rr.run(each, "main", x) for each in (checked, lowered.module))
    assert isinstance(before, rr.Returned) and isinstance(after, rr.Returned), (before, after)


TWICE = f"""{HEAD}
b, n = T.int64(), T.int64()

@I.ir_module
class Module:
    @R.function
    def main(x: R.Tensor((b * (n + 6), 24), "float32"), s: R.Shape([b, n])) -> R.Tensor((b * (n + 6), 24), "float32"):
        with R.dataflow():
            y = R.reshape(x, R.shape([b, n + 6, 24]))
            z = R.nn.gelu(y)
            w = R.reshape(z, R.shape([b * (n + 6), 24]))
            R.output(w)
        return w
"""


@pytest.mark.thorough
def test_steps_of_an_index_fit_where_it_is_computed() -> None:
    """``24 * (n + 6)`` has no value for a great ``n``; where ``b`` is 0 that is a legal tensor, of no element."""
    checked = rr.check(rr.parse(TWICE))
    lowered = lower(checked, pipeline="kernels")
    claims = [claim for step in lowered.steps for claim in step.claims]
    assert claims and all(claim.proved for claim in claims), [str(c) for c in claims if not c.proved]
    fused = [f for f in lowered.module.module.functions.values() if hasattr(f, "root_allocs")]
    assert len(fused) == 1 and not fused[0].root_allocs
    huge = (1 << 60) - 1
    for b, n in ((0, huge), (0, 0), (2, 1), (1, 0)):
        x = np.ones((b * (n + 6), 24), "float32")
        before, after = (rr.run(each, "main", x, rr.Shape((b, n))) for each in (checked, lowered.module))
        assert isinstance(before, rr.Returned) and isinstance(after, rr.Returned), (before, after)
        assert before.value.shape == after.value.shape == (b * (n + 6), 24)


@pytest.mark.parametrize("impl", ["numpy", pytest.param("cuda-emulated", marks=(needs_gxx, pytest.mark.thorough))])
@pytest.mark.parametrize("passes", [(), ("fuse_ops", "fuse_loops")])
@pytest.mark.parametrize("first", [MILD, "T.exp(A[n - 1 - vi, vj])"])
def test_machines_read_nothing_where_nothing_is(first: str, passes: tuple[str, ...], impl: str) -> None:
    """NumPy ended with an IndexError, a kernel read beyond the memory: an index moved into no range is no index."""
    module_ = lower(rr.check(rr.parse(module(first))), passes=passes).module
    nothing = rr.diff(module_, "main", [np.zeros((0, 4), "float32")], impl=impl)
    assert str(nothing).startswith("OPEN"), nothing
    found = rr.diff(module_, "main", [np.ones((3, 4), "float32")], impl=impl)
    assert isinstance(found, rr.Agreement), str(found)
