"""Memory of scope ``local`` belongs to a thread, in whatever loops over threads it is used, waiting or not."""

from __future__ import annotations

import numpy as np
import pytest

import refrelax as rr
from refrelax.judge.evidence import Equivalent

HEAD = """
@I.ir_module
class Module:
    @T.prim_func(s_tir=True)
    def main(A: T.Buffer((6,), "float32"), B: T.Buffer((6,), "float32")):
"""
X = 'T.thread_binding({}, thread="{}")'
TX, TX2, TY, BX, VX = (
    X.format(n, tag)
    for n, tag in (
        (6, "threadIdx.x"),
        (2, "threadIdx.x"),
        (3, "threadIdx.y"),
        (2, "blockIdx.x"),
        (2, "vthread.x"),
    )
)
GIVEN = np.array([1, 2, 3, 4, 5, 6], "float32")

BODIES = {
    "what each wrote in a launch before": (
        f"L = T.alloc_buffer((1,), scope='local')\nfor t in {TX}:\n    L[0] = A[t]\nfor t in {TX}:\n    B[t] = L[0]",
        [1, 2, 3, 4, 5, 6],
    ),
    "what was there, not what a neighbour wrote": (
        f"L = T.alloc_buffer((1,), scope='local')\nL[0] = T.float32(7)\n"
        f"for t in {TX}:\n    B[t] = L[0]\n    L[0] = A[t]",
        [7] * 6,
    ),
    "what was written between the launches": (
        f"L = T.alloc_buffer((1,), scope='local')\nfor t in {TX}:\n    L[0] = A[t]\nL[0] = T.float32(9)\n"
        f"for t in {TX}:\n    B[t] = L[0]",
        [9] * 6,
    ),
    "two tags in another order": (
        f"L = T.alloc_buffer((1,), scope='local')\nfor t in {TX2}:\n    for u in {TY}:\n        L[0] = A[t * 3 + u]\n"
        f"for u in {TY}:\n    for t in {TX2}:\n        B[t * 3 + u] = L[0]",
        [1, 2, 3, 4, 5, 6],
    ),
    "one tag more": (
        f"L = T.alloc_buffer((1,), scope='local')\nfor t in {TX2}:\n    L[0] = A[t]\n"
        f"for u in {TY}:\n    for t in {TX2}:\n        B[t * 3 + u] = L[0]",
        [1, 1, 1, 2, 2, 2],
    ),
    "launches of a loop": (
        f"L = T.alloc_buffer((1,), scope='local')\nfor k in range(3):\n    for t in {TX}:\n"
        f"        L[0] = T.if_then_else(k == 0, A[t], L[0] * T.float32(10))\nfor t in {TX}:\n    B[t] = L[0]",
        [100, 200, 300, 400, 500, 600],
    ),
    "blocks, and threads that wait": (
        f"L = T.alloc_buffer((1,), scope='local')\nfor b in {BX}:\n    for u in {TY}:\n        L[0] = A[b * 3 + u]\n"
        f"for b in {BX}:\n    for u in {TY}:\n        T.tvm_storage_sync('shared')\n        B[b * 3 + u] = L[0]",
        [1, 2, 3, 4, 5, 6],
    ),
    "virtual threads are turns": (
        f"L = T.alloc_buffer((1,), scope='local')\nfor t in {TX}:\n    for v in {VX}:\n"
        f"        L[0] = T.if_then_else(v == 0, A[t], L[0] + T.float32(1))\nfor t in {TX}:\n    B[t] = L[0]",
        [2, 3, 4, 5, 6, 7],
    ),
    "a tag that is bound again": (
        f"for t in {TX}:\n    L = T.alloc_buffer((1,), scope='local')\n    for u in {TX}:\n        L[0] = A[u]\n"
        f"    for u in {TX}:\n        B[u] = L[0]",
        [1, 2, 3, 4, 5, 6],
    ),
    "the thread around goes on": (
        f"L = T.alloc_buffer((1,), scope='local')\nfor t in {TX}:\n"
        f"    for u in {TX}:\n        L[0] = A[u]\n    B[t] = L[0]",
        [1, 2, 3, 4, 5, 6],
    ),
    "a view that the threads declare": (
        f"L = T.alloc_buffer((1,), scope='local')\nfor t in {TX}:\n    L[0] = A[t]\nfor t in {TX}:\n"
        "    M = T.decl_buffer((1,), data=L.data, scope='local')\n    M[0] = M[0] + T.float32(1)\n"
        f"for t in {TX}:\n    B[t] = L[0]",
        [2, 3, 4, 5, 6, 7],
    ),
    "another dtype": (
        f"L = T.alloc_buffer((1,), scope='local')\nfor t in {TX}:\n    L[0] = A[t]\nfor t in {TX}:\n"
        "    M = T.decl_buffer((1,), 'int32', data=L.data, scope='local')\n    M[0] = M[0] + 8388608\n"
        f"for t in {TX}:\n    B[t] = L[0]",
        [2, 4, 6, 8, 10, 12],
    ),
}


def module(body: str) -> rr.Module:
    return rr.parse(HEAD + "".join(" " * 8 + line + "\n" for line in body.splitlines()))


def ran(of: rr.Module, numerics: str = "ieee") -> rr.Outcome:
    return rr.run(rr.check(of), "main", GIVEN, np.zeros(6, "float32"), numerics=numerics)


@pytest.mark.parametrize("name", BODIES)
def test_values(name: str) -> None:
    body, wanted = BODIES[name]
    found = ran(module(body))
    assert isinstance(found, rr.Returned)
    assert found.arguments[1].numpy().tolist() == wanted


NEIGHBOUR = (
    f"L = T.alloc_buffer((6,), scope='local')\nfor t in {TX}:\n    L[t] = A[t]\nfor t in {TX}:\n    B[t] = L[5 - t]"
)
AFTER = f"L = T.alloc_buffer((1,), scope='local')\nfor t in {TX}:\n    L[0] = A[0]\nfor k in range(6):\n    B[k] = L[0]"
TURNS = (
    f"L = T.alloc_buffer((6,), scope='local')\nfor k in range(2):\n    for t in {TX}:\n"
    "        if k == 0:\n            L[t] = A[t]\n        else:\n            B[t] = L[5 - t]"
)
BLOCKS = (
    f"L = T.alloc_buffer((6,), scope='local')\n"
    f"for b in {BX}:\n    for u in {TY}:\n        L[b * 3 + u] = A[b * 3 + u]\n"
    f"for b in {BX}:\n    for u in {TY}:\n        B[b * 3 + u] = L[5 - b * 3 - u]"
)
DEEPER = (
    f"L = T.alloc_buffer((1,), scope='local')\nfor t in {TX2}:\n    T.tvm_storage_sync('shared')\n"
    f"    for u in {TY}:\n        L[0] = A[t * 3 + u]\n    for u in {TY}:\n        B[t * 3 + u] = L[0]"
)
AGAIN = (
    f"for t in {TX}:\n    L = T.alloc_buffer((6,), scope='local')\n    for u in {TX}:\n        L[u] = A[u]\n"
    f"    for u in {TX}:\n        B[u] = L[5 - u]"
)
WRONG = {
    "a neighbour's, by a tag that is bound again": (AGAIN, "for t in range(6):\n    B[t] = A[5 - t]"),
    "a neighbour's": (NEIGHBOUR, "for t in range(6):\n    B[t] = A[5 - t]"),
    "after the launch": (AFTER, "for t in range(6):\n    B[t] = A[0]"),
    "in turns of a loop": (TURNS, "for t in range(6):\n    B[t] = A[5 - t]"),
    "of another block": (BLOCKS, "for t in range(6):\n    B[t] = A[5 - t]"),
    "the last of more threads": (DEEPER, "for t in range(6):\n    B[t] = A[t // 3 * 3 + 2]"),
}


@pytest.mark.parametrize("name", WRONG)
def test_what_no_thread_finds_is_not_proved(name: str) -> None:
    body, plain = WRONG[name]
    assert not isinstance(rr.validate(module(plain), module(body)), Equivalent)


@pytest.mark.parametrize("numerics", ["ieee", "enclosure"])
def test_what_a_neighbour_wrote_is_not_there(numerics: str) -> None:
    found = ran(module(NEIGHBOUR), numerics)
    assert isinstance(found, rr.Returned)
    assert {rule for _, rule in found.poison} == {"st/never-written"}
    assert len(found.poison) == 6
