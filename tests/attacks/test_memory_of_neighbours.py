"""Memory of scope ``local`` belongs to a thread, in whatever loops over threads it is used, waiting or not."""

from __future__ import annotations

import numpy as np
import pytest

import refrelax as rr
from refrelax.judge.evidence import Equivalent, Proved
from refrelax.judge.pointwise import attempt

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
        f"L = T.alloc_buffer((1,), scope='local')\nfor t in {TX}:\n    for u in {TX}:\n        L[0] = A[u]\n"
        "    B[t] = L[0]",
        [1, 2, 3, 4, 5, 6],
    ),
    "another dtype, of threads that wait": (
        f"L = T.alloc_buffer((1,), scope='local')\nfor t in {TX}:\n    L[0] = A[t]\nfor t in {TX}:\n"
        "    M = T.decl_buffer((1,), 'int32', data=L.data, scope='local')\n    T.tvm_storage_sync('shared')\n"
        f"    M[0] = M[0] + 8388608\nfor t in {TX}:\n    B[t] = L[0]",
        [2, 4, 6, 8, 10, 12],
    ),
    "what is added to it": (
        f"L = T.alloc_buffer((1,), scope='local')\nL[0] = T.float32(7)\nfor t in {TX}:\n"
        "    T.evaluate(T.atomic_add(T.address_of(L[0]), A[t]))\n    B[t] = L[0]",
        [8, 9, 10, 11, 12, 13],
    ),
    "launches of two tags, of which one waits": (
        f"L = T.alloc_buffer((2,), scope='local')\nfor k in range(2):\n    for t in {TX2}:\n        for u in {TY}:\n"
        "            L[k] = A[t * 3 + u]\n            T.tvm_storage_sync('shared')\n"
        "            B[t * 3 + u] = L[0] + L[k]",
        [2, 4, 6, 8, 10, 12],
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
    f"L = T.alloc_buffer((6,), scope='local')\nfor b in {BX}:\n    for u in {TY}:\n"
    "        L[b * 3 + u] = A[b * 3 + u]\n"
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
TX3 = X.format(3, "threadIdx.x")


def in_loop(loop: str) -> str:
    """Memory that one loop of a launch declares, and two loops of threads inside it use."""
    return (
        f"for b in {loop}:\n    L = T.alloc_buffer((3,), scope='local')\n    for t in {TX3}:\n"
        f"        L[t] = A[b * 3 + t]\n    for t in {TX3}:\n        B[b * 3 + t] = L[2 - t]"
    )


SIBLINGS = "for t in range(6):\n    B[t] = A[t // 3 * 3 + 2 - t % 3]"
AFTER_INNER = (
    f"for b in {BX}:\n    L = T.alloc_buffer((3,), scope='local')\n    for t in {TX3}:\n"
    "        L[t] = A[b * 3 + t]\n    for k in range(3):\n        B[b * 3 + k] = L[2 - k]"
)
OF_ITS_BLOCK = (
    f"L = T.alloc_buffer((2, 3), scope='local')\nfor b in {BX}:\n    for t in {TX3}:\n"
    f"        L[b, t] = A[b * 3 + t]\n    for t in {TX3}:\n        B[b * 3 + t] = L[b, 2 - t]"
)
VIEWED = (
    "L = T.alloc_buffer((6,), scope='local')\nV = T.decl_buffer((2, 3), data=L.data, scope='local')\n"
    f"for t in {TX}:\n    V[t // 3, t % 3] = A[t]\nfor t in {TX}:\n    B[t] = V[(5 - t) // 3, (5 - t) % 3]"
)
BLOCKS_INSIDE = (
    f"for t in {TX3}:\n    L = T.alloc_buffer((2,), scope='local')\n    T.tvm_storage_sync('shared')\n"
    f"    for b in {BX}:\n        L[b] = A[b]\n    for b in {BX}:\n        B[t * 2 + b] = L[1 - b]"
)
DECLARED = "    L = T.alloc_buffer((2,), scope='local')\n"
BLOCKS_OF_MEMORY_AROUND = DECLARED.strip() + "\n" + BLOCKS_INSIDE.replace(DECLARED, "")
WRONG = {
    "a neighbouring block's, in memory around the threads": (
        BLOCKS_OF_MEMORY_AROUND,
        "for t in range(6):\n    B[t] = A[1 - t % 2]",
    ),
    "a neighbour's, of one block": (in_loop(BX), SIBLINGS),
    "a neighbour's, of threads in threads": (in_loop(X.format(2, "threadIdx.y")), SIBLINGS),
    "a neighbour's, of a virtual thread": (in_loop(VX), SIBLINGS),
    "a neighbour's, of a block that is an index": (OF_ITS_BLOCK, SIBLINGS),
    "after the threads of a block": (AFTER_INNER, SIBLINGS),
    "a neighbour's, by a view of another shape": (VIEWED, "for t in range(6):\n    B[t] = A[5 - t]"),
    "a neighbouring block's, inside of threads": (BLOCKS_INSIDE, "for t in range(6):\n    B[t] = A[1 - t % 2]"),
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
    pair = module(plain), module(body)
    assert not isinstance(attempt(*map(rr.check, pair), "main"), Proved)
    assert not isinstance(rr.validate(*pair), Equivalent)


RIGHT = {
    "its own, in another loop of the launch": (
        f"for b in {BX}:\n    for t in {TX3}:\n        L = T.alloc_buffer((1,), scope='local')\n"
        "        L[0] = A[b * 3 + t]\n        B[b * 3 + t] = L[0]",
        "for t in range(6):\n    B[t] = A[t]",
    ),
    "memory of all blocks, each thread its element": (
        f"L = T.alloc_buffer((2, 3), scope='local')\nfor b in {BX}:\n    for t in {TX3}:\n"
        "        L[b, t] = A[b * 3 + t]\n        B[b * 3 + t] = L[b, t]",
        "for t in range(6):\n    B[t] = A[t]",
    ),
    "what one thread left in its turns": (
        f"for t in {TX3}:\n    L = T.alloc_buffer((2,), scope='local')\n    for v in {VX}:\n"
        f"        L[v] = A[t * 2 + v]\n    for v in {VX}:\n        B[t * 2 + v] = L[1 - v]",
        "for t in range(3):\n    for v in range(2):\n        B[t * 2 + v] = A[t * 2 + 1 - v]",
    ),
}


@pytest.mark.parametrize("name", RIGHT)
def test_what_a_thread_finds_is_proved(name: str) -> None:
    body, plain = RIGHT[name]
    assert isinstance(attempt(*(rr.check(module(each)) for each in (plain, body)), "main"), Proved)


def test_what_no_thread_finds_at_one_extent_alone() -> None:
    """Runs come to no such extent: the proof alone decides."""
    head = "n = TypeVar('n')\n" + HEAD.replace("(6,)", "(n,)")
    first, second = (
        rr.parse(
            head
            + "".join(f"        {line}\n" for line in ("if n == 100003:", *("    " + e for e in text.splitlines())))
        )
        for text in (SIBLINGS, in_loop(BX))
    )
    assert not isinstance(rr.validate(first, second), Equivalent)


@pytest.mark.parametrize("numerics", ["ieee", "enclosure"])
def test_what_a_neighbour_wrote_is_not_there(numerics: str) -> None:
    found = ran(module(NEIGHBOUR), numerics)
    assert isinstance(found, rr.Returned)
    assert {rule for _, rule in found.poison} == {"st/never-written"}
    assert len(found.poison) == 6


@pytest.mark.parametrize("wait", ["", "    T.tvm_storage_sync('shared')\n"])
def test_what_a_thread_puts_back_is_its_own(wait: str) -> None:
    body = f"L = T.alloc_buffer((1,), scope='local')\nL[0] = A[0]\nfor t in {TX}:\n{wait}    L[0] = L[0]\nB[0] = L[0]"
    found = ran(module(body))
    assert isinstance(found, rr.Returned)
    assert [rule for _, rule in found.poison] == ["ev/thread-private-memory"]
