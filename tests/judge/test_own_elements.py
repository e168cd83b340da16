"""Memory of which each element is used by one thread alone: nobody waits before it is used again."""

import pytest

import refrelax as rr
from refrelax.judge.evidence import Equivalent
from refrelax.shape_solver.pointwise.own_elements import owned
from refrelax.syntax.loops import For, PrimFunc

HEAD = """n = TypeVar("n")

@I.ir_module
class Module:
    @T.prim_func(s_tir=True)
    def main(A: T.Buffer((16, n), "float32"), X: T.Buffer((16,), "int32"), C: T.Buffer((16, n), "float32")):
"""


def module(body: str) -> rr.Module:
    return rr.parse(HEAD + "".join(" " * 8 + line + "\n" for line in body.strip("\n").splitlines()))


PLAIN = """for t in range(16):
    for i in range(n):
        C[t, i] = A[15 - t, i] * T.float32(2)"""
THREADS = """for tx in T.thread_binding(16, thread="threadIdx.x"):
    with T.sblock("b"):
        vt = T.axis.spatial(16, tx)
        S = T.sblock_alloc_buffer((16,), scope="shared")
        for i in range(n):
            S[vt] = A[vt, i]
            C[vt, i] = S[15 - vt] * T.float32(2)"""
TILED = """for ty in T.thread_binding(4, thread="threadIdx.y"):
    for tx in T.thread_binding(2, thread="threadIdx.x"):
        with T.sblock("b"):
            S = T.sblock_alloc_buffer((16,), scope="shared")
            for i in range(n):
                for k in range(2):
                    S[ty * 4 + tx * 2 + k] = A[ty * 4 + tx * 2 + k, i]
                for k in range(2):
                    C[ty * 4 + tx * 2 + k, i] = S[15 - (ty * 4 + tx * 2 + k)] * T.float32(2)"""


@pytest.mark.parametrize("second", [THREADS, TILED], ids=["a thread an element", "a thread two elements"])
def test_elements_of_one_thread_are_its_own(second: str) -> None:
    assert isinstance(rr.validate(module(PLAIN), module(second), timeout=20), Equivalent)


LET = "            o: T.let[T.int32] = X[vt]\n"
ROWS = 'for ty in T.thread_binding(2, thread="threadIdx.y"):'
WRONG = {
    "all of one": THREADS.replace("C[vt, i] =", "C[0, i] ="),
    "two of one": THREADS.replace("C[vt, i] =", "C[vt // 2 * 2, i] ="),
    "the neighbour's": THREADS.replace("S[15 - vt]", "S[15 - vt] * T.float32(0) + C[(vt + 1) % 16, i]"),
    "the neighbour's, before": THREADS.replace("S[15 - vt] * T.float32(2)", "C[15 - vt, i]"),
    "the turns of another": THREADS.replace("C[vt, i] =", "C[(vt + T.Cast('int32', i)) % 16, i] ="),
    "by data": THREADS.replace("C[vt, i] =", "C[X[vt] % 16, i] ="),
    "by data that has a name": THREADS.replace("            C[vt", LET + "            C[(vt + o) % 16"),
    "of two rows of threads": THREADS.replace('.x"):', f'.x"):\n  {ROWS}', 1),
    "tiles that overlap": TILED.replace("C[ty * 4 + tx * 2 + k, i] =", "C[ty * 4 + tx + k, i] ="),
    "another element": THREADS.replace("S[15 - vt]", "S[vt]"),
    "of the shared memory": THREADS.replace("S[vt] = A", "S[0] = A"),
}  # fmt: skip


def launch(body: str) -> For:
    function = module(body).functions["main"]
    assert isinstance(function, PrimFunc) and isinstance(function.body[0], For)
    return function.body[0]


def test_which_elements_are_one_threads() -> None:
    assert owned(launch(THREADS), "C") and owned(launch(TILED), "C")
    assert not owned(launch(THREADS), "S")
    others = ("the turns of another", "another element", "of the shared memory")
    assert not any(owned(launch(body), "C") for how, body in WRONG.items() if how not in others)


@pytest.mark.by_day(3)
@pytest.mark.parametrize("how", WRONG)
def test_elements_of_several_threads_are_not(how: str) -> None:
    assert not isinstance(rr.validate(module(PLAIN), module(WRONG[how]), timeout=20), Equivalent)
