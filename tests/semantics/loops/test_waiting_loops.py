"""Loops around a barrier whose bounds are numbers, extents of the signature or elements; threads that start what one of
them folds, and one that reads what another one has started."""

from __future__ import annotations

from typing import Any

import pytest

import refrelax as rr

TEXT = """
@I.ir_module
class Module:
    @T.prim_func
    def main(a: T.handle, B: T.Buffer((4,), "int32"), N: T.Buffer((1,), "int32")):
        n = T.int64()
        A = T.match_buffer(a, (n,), "int32")
        s = T.alloc_buffer((4,), "int32", scope="shared")
        for tx in T.thread_binding(4, thread="threadIdx.x"):
            B[tx] = 0
            for k in range({}):
                s[tx] = A[k] + tx
                T.tvm_storage_sync("shared")
                B[tx] = B[tx] + s[3 - tx]
                T.tvm_storage_sync("shared")
"""


ROUNDS = {
    "3": (0, 1, 2), "n": (0, 1, 2, 3), "1, n": (1, 2, 3), "N[0]": (0, 1), "N[0], N[0] + 2": (2, 3), "N[0], 3": (2,),
}  # fmt: skip


@pytest.mark.parametrize(("bounds", "rounds"), ROUNDS.items())
def test_a_loop_around_a_barrier(bounds: str, rounds: tuple[int, ...]) -> None:
    checked = rr.check(rr.parse(TEXT.format(bounds)))
    args = [rr.Tensor.of([5, 7, 11, 13], "int32"), rr.Tensor.of([9] * 4, "int32"), rr.Tensor.of([2], "int32")]
    found: Any = rr.run(checked, "main", *args)
    assert isinstance(found, rr.Returned), found
    wanted = [sum((5, 7, 11, 13)[k] + 3 - tx for k in rounds) for tx in range(4)]
    assert found.arguments[1].tolist() == wanted


BLOCKS = """
@I.ir_module
class Module:
    @T.prim_func(s_tir=True)
    def main(A: T.Buffer((4,), "float32"), B: T.Buffer((4,), "float32"), C: T.Buffer((4,), "float32")):
        for tx in T.thread_binding(4, thread="threadIdx.x"):
            for k in range(4):
                with T.sblock("b"):
                    vi = T.axis.spatial(4, tx)
                    vk = T.axis.reduce(4, k)
                    with T.init():
                        B[vi] = T.float32(0)
                    B[vi] = B[vi] + A[vk]
            with T.sblock("c"):
                vi = T.axis.spatial(4, tx)
                C[vi] = B[{}]
"""


def test_a_fold_of_each_thread_of_its_own_is_watched() -> None:
    """Threads take turns over one result only where they reduce over the variable of the thread."""
    args = [rr.Tensor.of(each, "float32") for each in ([1.0, 2.0, 3.0, 4.0], [0.0] * 4, [0.0] * 4)]
    own = rr.run(rr.check(rr.parse(BLOCKS.format("vi"))), "main", *args)
    assert isinstance(own, rr.Returned) and own.arguments[2].tolist() == [10.0] * 4
    other = rr.run(rr.check(rr.parse(BLOCKS.format("3 - vi"))), "main", *args)
    assert isinstance(other, rr.Unspecified) and other.rule == "ev/data-race", other
