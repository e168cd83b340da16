"""Memory that threads declare which do not wait: shared by the block, with gaps, or each thread's own."""

import pytest

import refrelax as rr
from refrelax.judge.evidence import Equivalent, Refuted

HEAD = """n = TypeVar("n")

@I.ir_module
class Module:
    @T.prim_func(s_tir=True)
    def main(A: T.Buffer((n, 8), "float32"), C: T.Buffer((n, 8), "float32")):
"""


def module(body: str, head: str = HEAD) -> rr.Module:
    return rr.parse(head + "".join(" " * 8 + line + "\n" for line in body.strip("\n").splitlines()))


PLAIN = """for i, j in T.grid(n, 8):
    C[i, j] = A[i, j] * T.float32(2)"""
SHARED = """for bx in T.thread_binding(n, thread="blockIdx.x"):
    for ty in T.thread_binding(2, thread="threadIdx.y"):
        with T.sblock("b"):
            S = T.sblock_alloc_buffer((8,), scope="shared")
            with T.sblock("copy"):
                for k in range(2):
                    for t in T.thread_binding(2, thread="threadIdx.y"):
                        for v in T.vectorized(2):
                            S[((k * 2 + t) * 2 + v) % 8] = A[bx, ((k * 2 + t) * 2 + v) % 8]
            for i in range(8):
                C[bx, i] = S[i] * T.float32(2)"""
PADDED = SHARED.replace("(8,)", "(2, 4), strides=(5, 1)").replace("S[i]", "S[i // 4, i % 4]")
PADDED = PADDED.replace("S[((k * 2 + t) * 2 + v) % 8]", "S[((k * 2 + t) * 2 + v) // 4 % 2, ((k * 2 + t) * 2 + v) % 4]")
STAGED = """for bx in T.thread_binding(n, thread="blockIdx.x"):
    for ty in T.thread_binding(2, thread="threadIdx.y"):
        with T.sblock("b"):
            S = T.sblock_alloc_buffer((8,), scope="shared.dyn")
            with T.sblock("copy"):
                L = T.sblock_alloc_buffer((2,), scope="local")
                for t in T.thread_binding(2, thread="threadIdx.y"):
                    for x in T.thread_binding(2, thread="threadIdx.x"):
                        for k in range(2):
                            L[k] = A[bx, (k * 2 + t) * 2 + x]
                        for k in range(2):
                            S[(k * 2 + t) * 2 + x] = L[k]
            for i in range(8):
                C[bx, i] = S[i] * T.float32(2)"""
OWN = """for bx in T.thread_binding(n, thread="blockIdx.x"):
    for tx in T.thread_binding(8, thread="threadIdx.x"):
        S = T.alloc_buffer((8,), scope="shared")
        S[tx] = A[bx, tx]
        C[bx, tx] = S[tx] * T.float32(2)"""
NEIGHBOUR = OWN.replace("S[tx] *", "S[(tx + 1) % 8] *").replace("A[bx, tx]", "A[bx, (tx + 7) % 8]")
"""As the compiler owes it, threads wait for each other."""
RAW = HEAD.replace("(s_tir=True)", "")


@pytest.mark.parametrize(
    "second", [SHARED, PADDED, STAGED, OWN, NEIGHBOUR], ids=str.split("shared padded staged own owed")
)
def test_memory_of_threads_is_read(second: str) -> None:
    assert isinstance(rr.validate(module(PLAIN), module(second), timeout=20), Equivalent)


WAITS = """for bx in T.thread_binding(n, thread="blockIdx.x"):
    for tx in T.thread_binding(8, thread="threadIdx.x"):
        S = T.alloc_buffer((8,), scope="shared")
        S[7 - tx] = A[bx, 7 - tx]
        T.tvm_storage_sync("shared")
        C[bx, tx] = S[tx] * T.float32(2)"""
SYNC = '        T.tvm_storage_sync("shared")\n'
GUARDED = OWN.replace("        S[tx] =", "        if tx < 7:\n            S[tx] =")
TURNS = """for bx in T.thread_binding(n, thread="blockIdx.x"):
    for tx in T.thread_binding(8, thread="threadIdx.x"):
        for k in range(2):
            with T.sblock("b"):
                S = T.sblock_alloc_buffer((8,), scope="shared")
                if k == 0:
                    S[tx] = A[bx, tx]
                C[bx, tx] = S[tx] * T.float32(2)"""
VIEW = """for bx in T.thread_binding(n, thread="blockIdx.x"):
    for tx in T.thread_binding(1, thread="threadIdx.x"):
        S = T.alloc_buffer((2, 4), strides=(5, 1), scope="shared")
        for i in range(8):
            S[i // 4, i % 4] = A[bx, i]
        F = T.decl_buffer((8,), data=S.data, scope="shared")
        for i in range(8):
            C[bx, i] = F[i] * T.float32(2)"""
WRONG = {
    "threads that write other values": SHARED.replace("% 8] = A[", "% 8] = T.Cast('float32', ty) + A["),
    "an element that no thread writes": SHARED.replace("range(2)", "range(1)"),
    "another element a thread": SHARED.replace("S[i] *", "S[(i + ty) % 8] *"),
    "read before it is written": SHARED.replace(
        '            with T.sblock("copy"):', '            C[bx, 0] = S[0]\n            with T.sblock("copy"):'
    ).replace("range(8)", "range(1, 8)"),
    "written in a branch": GUARDED,
    "in turns": TURNS,
    "rows that overlap": PADDED.replace("(5, 1)", "(3, 1)"),
    "columns that overlap": PADDED.replace("(5, 1)", "(1, 1)"),
    "elements that are one": PADDED.replace("(5, 1)", "(5, 0)"),
    "a view of gaps": VIEW,
    "own memory that another thread wrote": STAGED.replace(
        "                            S[", "                            S[", 1
    )
    .replace("L[k] = A", "L[(k + x) % 2] = A")
    .replace("= L[k]", "= L[(k + t) % 2]"),
    "own memory that is read first": STAGED.replace("L[k] = A", "L[k] = L[k] + A"),
    "each thread its own where they share": NEIGHBOUR.replace('"shared"', '"local"'),
}


@pytest.mark.by_day(6)
@pytest.mark.parametrize("second", WRONG.values(), ids=WRONG.keys())
def test_other_memory_is_not_proved(second: str) -> None:
    assert not isinstance(rr.validate(module(PLAIN), module(second), timeout=8), Equivalent)


def test_a_missing_barrier_is_not_proved() -> None:
    assert isinstance(rr.validate(module(PLAIN), module(WAITS, RAW), timeout=20), Equivalent)
    assert isinstance(rr.validate(module(PLAIN), module(WAITS.replace(SYNC, ""), RAW), timeout=8), Refuted)
    assert not isinstance(rr.validate(module(PLAIN), module(NEIGHBOUR, RAW), timeout=8), Equivalent)


def test_own_elements_need_no_barrier() -> None:
    assert isinstance(rr.validate(module(PLAIN), module(OWN, RAW), timeout=20), Equivalent)
    local = OWN.replace('"shared"', '"local"')
    assert isinstance(rr.validate(module(PLAIN), module(local, RAW), timeout=20), Equivalent)
