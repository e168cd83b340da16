"""Schedules for threads: what is right is proved for all launch sizes, and what races, waits wrongly or misses an
element is not.

Each row: what the second program does, its body, and the words that are right for it.
"""

from __future__ import annotations

from typing import Any

import pytest

import refrelax as rr
from refrelax.judge.evidence import Proved
from refrelax.judge.pointwise import attempt

HEAD = "n = TypeVar('n')\n@I.ir_module\nclass Module:\n    @T.prim_func(s_tir={s_tir})\n    def main({params}):\n"
FLOATS = 'A: T.Buffer((n,), "float32"), C: T.Buffer((n,), "float32")'
ROWS = 'A: T.Buffer((n, 64), "float32"), C: T.Buffer((n, 64), "float32")'
SUMS = 'A: T.Buffer((n, 64), "float32"), C: T.Buffer((n,), "float32")'
BLOCKS = "        for b in T.thread_binding(n, thread='blockIdx.x'):\n"
THREADS = "            for t in T.thread_binding(64, thread='threadIdx.x'):\n"
SYNC = "                T.evaluate(T.tvm_storage_sync('shared'))\n"


def lines(depth: int, *body: str) -> str:
    return "".join(f"{'    ' * depth}{line}\n" for line in body)


def module(params: str, body: str, s_tir: bool = False) -> Any:
    return rr.check(rr.parse(HEAD.format(params=params, s_tir=s_tir) + body))


COPY = lines(2, "for i in range(n):", "    C[i] = A[i]")
REVERSE = lines(2, "for i, j in T.grid(n, 64):", "    C[i, j] = A[i, 63 - j]")
SHARED = BLOCKS + lines(3, "S = T.alloc_buffer((64,), scope='shared')") + THREADS
TURN = SHARED + lines(4, "S[t] = A[b, t]") + SYNC + lines(4, "C[b, t] = S[63 - t]")
SUM = lines(
    2,
    "for i, j in T.grid(n, 64):",
    "    with T.sblock('sum'):",
    "        vi, vj = T.axis.remap('SR', [i, j])",
    "        with T.init():",
    "            C[vi] = T.float32(0)",
    "        C[vi] = C[vi] + A[vi, vj]",
)
LAST_BLOCK = (
    "with T.sblock('last'):",
    "    vi, vj = T.axis.remap('SR', [i, j])",
    "    with T.init():",
    "        C[vi] = T.float32(0)",
    "    C[vi] = A[vi, vj]",
)
LAST = lines(2, "for i, j in T.grid(n, 64):") + lines(3, *LAST_BLOCK)
REDUCE = lines(
    4,
    "with T.attr(T.comm_reducer(lambda x, y: x + y, [T.float32(0)]), 'reduce_scope', 0):",
    "    T.tvm_thread_allreduce(T.uint32(1), {value}, {active}, R[0], t)",
)
ACROSS = (
    BLOCKS
    + THREADS
    + lines(4, "R = T.alloc_buffer((1,), scope='local')", "P = T.alloc_buffer((1,), scope='local')")
    + lines(4, "P[0] = T.float32(0)", "P[0] = P[0] + A[b, t]")
    + REDUCE.format(value="P[0]", active="T.bool(True)")
)


def tiles(extent: str, guard: str) -> str:
    return lines(
        2,
        f"for b in T.thread_binding({extent}, thread='blockIdx.x'):",
        "    for t in T.thread_binding(16, thread='threadIdx.x'):",
        f"        if {guard}:",
        "            C[b * 16 + t] = A[b * 16 + t]",
    )


GOOD = {
    "tiles with a guard": (FLOATS, COPY, tiles("(n + 15) // 16", "b * 16 + t < n"), False),
    "too many blocks": (FLOATS, COPY, tiles("n // 16 + 3", "b * 16 + t < n"), False),
    "a row turned in shared memory": (ROWS, REVERSE, TURN, False),
    "the barrier that the compiler owes": (ROWS, REVERSE, TURN.replace(SYNC, ""), True),
    "every thread fills all of it": (
        ROWS,
        REVERSE,
        SHARED + lines(4, "for k in range(64):", "    S[k] = A[b, k]") + SYNC + lines(4, "C[b, t] = S[63 - t]"),
        False,
    ),
    "shared memory used again": (
        ROWS,
        REVERSE,
        SHARED
        + lines(4, "for r in range(2):", "    S[t] = A[b, t]")
        + "    " + SYNC
        + lines(5, "C[b, t] = S[63 - t]")
        + "    " + SYNC,
        False,
    ),
    "a barrier in each turn, and what another thread left before": (
        ROWS,
        REVERSE,
        SHARED
        + lines(4, "S[t] = A[b, t]")
        + SYNC
        + lines(4, "for k in range(n):", "    C[b, t] = S[63 - t]")
        + "    " + SYNC,
        False,
    ),
    "a thread keeps what it read": (
        ROWS,
        lines(2, "for i, j in T.grid(n, 64):", "    C[i, j] = A[i, j] + A[i, 63 - j]"),
        SHARED
        + lines(4, "L = T.alloc_buffer((1,), scope='local')", "L[0] = A[b, t]", "S[t] = L[0]")
        + SYNC
        + lines(4, "C[b, t] = L[0] + S[63 - t]"),
        False,
    ),
    "steps with a rest": (
        FLOATS,
        COPY,
        lines(2, "for i in T.serial(0, n, step=4):", "    for j in range(4):", "        if i + j < n:")
        + lines(5, "C[i + j] = A[i + j]"),
        True,
    ),
    "even and odd": (
        FLOATS,
        COPY,
        lines(2, "for i in T.serial(0, n, step=2):", "    C[i] = A[i]")
        + lines(2, "for i in T.serial(1, n, step=2):", "    C[i] = A[i]"),
        True,
    ),
    "lanes": (
        ROWS,
        REVERSE,
        lines(2, "for i, j in T.grid(n, 16):", "    C[i, T.Ramp(j * 4, 1, 4)] = A[i, T.Ramp(63 - j * 4, -1, 4)]"),
        True,
    ),
    "a sum across threads": (SUMS, SUM, ACROSS + lines(4, "if t == 0:", "    C[b] = R[0]"), False),
    "every thread writes the sum": (SUMS, SUM, ACROSS + lines(4, "C[b] = R[0]"), False),
    "a reduction block over threads": (
        SUMS,
        SUM,
        BLOCKS
        + lines(
            3,
            "for t in T.thread_binding(64, thread='threadIdx.x'):",
            "    with T.sblock('sum'):",
            "        vi, vj = T.axis.remap('SR', [b, t])",
            "        with T.init():",
            "            C[vi] = T.float32(0)",
            "        C[vi] = C[vi] + A[vi, vj]",
        ),
        True,
    ),
}  # fmt: skip

BAD = {
    "the last tile is missing": (FLOATS, COPY, tiles("n // 16", "b * 16 + t < n"), False),
    "the guard leaves one out": (FLOATS, COPY, tiles("(n + 15) // 16", "b * 16 + t < n - 1"), False),
    "the guard is one too far": (FLOATS, COPY, tiles("(n + 15) // 16", "b * 16 + t <= n"), False),
    "no guard": (FLOATS, COPY, tiles("(n + 15) // 16", "b >= 0"), False),
    "tiles overlap with other values": (
        FLOATS,
        COPY,
        lines(
            2,
            "for b in T.thread_binding(n, thread='blockIdx.x'):",
            "    for t in T.thread_binding(2, thread='threadIdx.x'):",
            "        if b + t < n:",
            "            C[b + t] = A[b + t] + T.Cast('float32', t)",
        ),
        False,
    ),
    "no barrier": (ROWS, REVERSE, TURN.replace(SYNC, ""), False),
    "the barrier comes too early": (
        ROWS,
        REVERSE,
        SHARED + SYNC + lines(4, "S[t] = A[b, t]", "C[b, t] = S[63 - t]"),
        False,
    ),
    "a barrier for half of the threads": (
        ROWS,
        REVERSE,
        SHARED + lines(4, "S[t] = A[b, t]", "if t < 32:") + "    " + SYNC + lines(4, "C[b, t] = S[63 - t]"),
        False,
    ),
    "a barrier in a loop of another length for each thread": (
        ROWS,
        REVERSE,
        SHARED + lines(4, "S[t] = A[b, t]", "for k in range(t):") + "    " + SYNC + lines(4, "C[b, t] = S[63 - t]"),
        False,
    ),
    "written again before all have read": (
        ROWS,
        lines(2, "for i, j in T.grid(n, 64):", "    C[i, j] = A[i, 63 - j] * T.float32(3)"),
        SHARED
        + lines(4, "S[t] = A[b, t]")
        + SYNC
        + lines(4, "C[b, t] = S[63 - t] * T.float32(3)", "S[t] = T.float32(0)"),
        False,
    ),
    "two values in turn, the same at the end": (
        ROWS,
        lines(2, "for i, j in T.grid(n, 64):", "    C[i, j] = A[i, 1]"),
        SHARED.replace("(64,)", "(1,)") + lines(4, "S[0] = A[b, 0]", "S[0] = A[b, 1]", "C[b, t] = S[0]"),
        False,
    ),
    "two values in a loop, the same at the end": (
        ROWS,
        lines(2, "for i, j in T.grid(n, 64):", "    C[i, j] = A[i, 63]"),
        SHARED.replace("(64,)", "(1,)") + lines(4, "for k in range(64):", "    S[0] = A[b, k]", "C[b, t] = S[0]"),
        False,
    ),
    "a barrier at the end of a loop only": (
        ROWS,
        REVERSE,
        SHARED + lines(4, "S[t] = A[b, t]", "for k in range(2):", "    C[b, t] = S[63 - t]") + "    " + SYNC,
        False,
    ),
    "a barrier in a loop that may not run": (
        ROWS,
        REVERSE,
        SHARED + lines(4, "S[t] = A[b, t]", "for k in range(n - n):") + "    " + SYNC + lines(4, "C[b, t] = S[63 - t]"),
        False,
    ),
    "a barrier at the end of a branch only": (
        ROWS,
        REVERSE,
        SHARED + lines(4, "S[t] = A[b, t]", "if n > 0:", "    C[b, t] = S[63 - t]") + "    " + SYNC,
        False,
    ),
    "a barrier at the start of a branch only": (
        ROWS,
        REVERSE,
        SHARED + lines(4, "if n > 0:") + "    " + SYNC + lines(4, "    S[t] = A[b, t]", "C[b, t] = S[63 - t]"),
        False,
    ),
    "a barrier in one of two branches": (
        ROWS,
        REVERSE,
        SHARED
        + lines(4, "S[t] = A[b, t]", "if n > 4096:", "    C[b, t] = S[63 - t]", "else:")
        + "    " + SYNC
        + lines(4, "    C[b, t] = S[63 - t]"),
        False,
    ),
    "a turn begins before all have ended the one before": (
        ROWS,
        REVERSE,
        SHARED
        + lines(4, "for k in range(2):", "    S[t] = A[b, t]")
        + "    " + SYNC
        + lines(4, "    C[b, t] = S[63 - t]", "    S[t] = T.float32(0)"),
        False,
    ),
    "a name between a store and a load": (
        ROWS,
        REVERSE,
        SHARED + lines(4, "S[t] = A[b, t]", "u: T.int64 = 63 - t", "C[b, t] = S[u]") + SYNC,
        False,
    ),
    "the memory of another thread": (
        ROWS,
        REVERSE,
        SHARED.replace("'shared'", "'local'") + lines(4, "S[t] = A[b, t]") + SYNC + lines(4, "C[b, t] = S[63 - t]"),
        False,
    ),
    "shared memory that each thread has for itself": (
        ROWS,
        REVERSE,
        BLOCKS
        + THREADS
        + lines(4, "S = T.alloc_buffer((64,), scope='shared')", "S[t] = A[b, t]")
        + lines(4, "C[b, 63 - t] = S[t]", "S[0] = A[b, t]"),
        False,
    ),
    "another block's shared memory": (
        ROWS,
        lines(2, "for i, j in T.grid(n, 64):", "    C[i, j] = A[i, j]"),
        lines(2, "S = T.alloc_buffer((64,), scope='shared')")
        + BLOCKS
        + THREADS
        + lines(4, "S[t] = A[b, t]")
        + SYNC
        + lines(4, "C[b, t] = S[t]"),
        False,
    ),
    "a global exchange without order": (
        ROWS,
        REVERSE,
        lines(2, "X = T.alloc_buffer((n, 64))")
        + BLOCKS
        + THREADS
        + lines(4, "X[b, t] = A[b, t]", "C[b, t] = X[b, 63 - t]"),
        True,
    ),
    "blocks that read each other": (
        ROWS,
        REVERSE,
        lines(2, "X = T.alloc_buffer((n, 64))")
        + BLOCKS
        + THREADS
        + lines(4, "X[b, t] = A[b, t]")
        + SYNC
        + lines(4, "C[b, t] = X[n - 1 - b, 63 - t]"),
        False,
    ),
    "steps that skip the rest": (
        FLOATS,
        COPY,
        lines(2, "for i in T.serial(0, n // 4 * 4, step=4):", "    for j in range(4):", "        C[i + j] = A[i + j]"),
        True,
    ),
    "steps past the end": (
        FLOATS,
        COPY,
        lines(2, "for i in T.serial(0, n, step=4):", "    for j in range(4):", "        C[i + j] = A[i + j]"),
        True,
    ),
    "every second": (FLOATS, COPY, lines(2, "for i in T.serial(0, n, step=2):", "    C[i] = A[i]"), True),
    "lanes one apart from their place": (
        ROWS,
        REVERSE,
        lines(2, "for i, j in T.grid(n, 16):", "    C[i, T.Ramp(j * 4, 1, 4)] = A[i, T.Ramp(62 - j * 4, -1, 4)]"),
        True,
    ),
    "lanes that are loaded after they are stored": (
        ROWS,
        REVERSE,
        lines(2, "for i, j in T.grid(n, 64):", "    C[i, j] = A[i, j]")
        + lines(2, "for i in range(n):", "    C[i, T.Ramp(0, 1, 64)] = C[i, T.Ramp(63, -1, 64)]"),
        True,
    ),
    "half of a sum across threads": (
        SUMS,
        SUM,
        ACROSS.replace("T.bool(True)", "t < 32") + lines(4, "if t == 0:", "    C[b] = R[0]"),
        False,
    ),
    "a product across threads": (
        SUMS,
        SUM,
        ACROSS.replace("x + y", "x * y") + lines(4, "if t == 0:", "    C[b] = R[0]"),
        False,
    ),
    "a reduction that only some threads come to": (
        SUMS,
        SUM,
        ACROSS.replace("with T.attr", "if t < 63:\n                  with T.attr").replace(
            "    T.tvm_thread_allreduce", "      T.tvm_thread_allreduce"
        )
        + lines(4, "if t == 0:", "    C[b] = R[0]"),
        False,
    ),
    "nobody writes the sum": (SUMS, SUM, ACROSS + lines(4, "if t == 64:", "    C[b] = R[0]"), False),
    "threads that share a sum without a reduce axis": (
        SUMS,
        SUM,
        BLOCKS
        + lines(
            3,
            "for t in T.thread_binding(64, thread='threadIdx.x'):",
            "    for k in range(64):",
            "        with T.sblock('sum'):",
            "            vi, vj = T.axis.remap('SR', [b, k])",
            "            with T.init():",
            "                C[vi] = T.float32(0)",
            "            C[vi] = C[vi] + A[vi, vj]",
        ),
        True,
    ),
    "a reduction over the blocks of a grid": (
        SUMS,
        SUM,
        lines(
            2,
            "for b in T.thread_binding(n, thread='blockIdx.x'):",
            "    for t in T.thread_binding(64, thread='blockIdx.y'):",
            "        with T.sblock('sum'):",
            "            vi, vj = T.axis.remap('SR', [b, t])",
            "            with T.init():",
            "                C[vi] = T.float32(0)",
            "            C[vi] = C[vi] + A[vi, vj]",
        ),
        True,
    ),
    "threads of a reduction block that folds nothing": (
        SUMS,
        LAST,
        BLOCKS
        + THREADS
        + lines(4, *LAST_BLOCK).replace("[i, j]", "[b, t]"),
        True,
    ),
    "threads of a reduction block that folds nothing, in step": (
        SUMS,
        BLOCKS + lines(3, "for t in range(64):") + lines(4, *LAST_BLOCK).replace("[i, j]", "[b, t]"),
        BLOCKS + THREADS + lines(4, *LAST_BLOCK).replace("[i, j]", "[b, t]"),
        True,
    ),
    "a sum by plain stores": (
        SUMS,
        lines(2, "for i in range(n):", "    C[i] = T.float32(0)")
        + lines(3, "for j in range(64):", "    C[i] = C[i] + A[i, j]"),
        lines(2, "for i in range(n):", "    C[i] = T.float32(0)")
        + BLOCKS
        + THREADS
        + lines(4, "C[b] = C[b] + A[b, t]"),
        False,
    ),
}  # fmt: skip


@pytest.mark.parametrize("name", GOOD)
def test_a_right_schedule_is_proved(name: str) -> None:
    params, before, after, s_tir = GOOD[name]
    found = attempt(module(params, before, True), module(params, after, s_tir), "main")
    assert isinstance(found, Proved), found
    assert not found.relaxations


@pytest.mark.by_day(4)
@pytest.mark.parametrize("name", BAD)
def test_a_wrong_schedule_is_not_proved(name: str) -> None:
    params, before, after, s_tir = BAD[name]
    assert isinstance(attempt(module(params, before, True), module(params, after, s_tir), "main"), str)
