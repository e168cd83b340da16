"""Programs whose statements seem to go in step, of which the second does something else."""

from __future__ import annotations

import textwrap

import pytest

import refrelax as rr
from refrelax.judge.evidence import Proved
from refrelax.judge.pointwise import attempt

MODULE = """
@I.ir_module
class Module:
    @T.prim_func
    def main(n: T.int64, A: T.Buffer((8,), "int64"), B: T.Buffer((8,), "int64"), C: T.Buffer((8,), "int64"),
             D: T.Buffer((8,), "bool")):
        for i in range(7):
            A[i + 1] = A[i] + A[i + 1]
"""

CALLS = 'B[0] = T.call_extern("int64", "f") + T.call_extern("int64", "g")'

POISON = 'P = T.alloc_buffer((1,), "int64")\nx: T.let[T.int64] = P[0]'
ROOM, LEFT = (f'P = T.alloc_buffer(({extent},), "int64")' for extent in ("A[0]", "n - 5"))
FILL, CHECK = "P[2] = B[A[1]]\nB[A[2]] = P[2]", 'assert n >= 5, "five"'
WHERE = 'with T.sblock("b"):\n    v = T.axis.spatial(8, n)\n    T.where(n >= 5)'
BODY = textwrap.indent(FILL, " " * 4)
BUMP = "A[0] = A[0] + T.int64(1)"
AXIS = 'with T.sblock("b"):\n    v = T.axis.spatial(8, A[0])'

REDUCES = """
@I.ir_module
class Module:
    @T.prim_func
    def main(GIVEN, A: T.Buffer((4,), "int64"), B: T.Buffer((1,), "int64")):
        s = T.alloc_buffer((1,), "int64", scope="local")
        for t in T.thread_binding(4, thread="threadIdx.x"):
            with T.attr(
                T.comm_reducer(lambda x, y: x + y * n, [T.int64(0)]),
                "reduce_scope",
                T.reinterpret("handle", T.uint64(0)),
            ):
                T.tvm_thread_allreduce(T.uint32(1), A[t], T.bool(True), s[0], t)
            if t == 0:
                B[0] = s[0]
"""

ACROSS = """
for t in T.thread_binding(4, thread="threadIdx.x"):
    u: T.let[T.int64] = T.Cast("int64", t)
    for k in range(8):
        with T.sblock("b"):
            v = T.axis.reduce(8, {})
            with T.init():
                C[0] = T.int64(0)
            C[0] = C[0] + B[v]
"""

FOLD = """
@I.ir_module
class Module:
    @T.prim_func
    def main(A: T.Buffer((4, 8), "float32"), B: T.Buffer((4,), "float32"), C: T.Buffer((4,), "int32")):
        for j in range(3):
            C[j + 1] = C[j] + C[j + 1]
        for i, k in T.grid(4, 8):
            with T.sblock("b"):
                v, w = T.axis.remap("SR", [i, k])
                with T.init():
                    B[v] = T.float32(0)
                B[{0}] = B[{0}] + A[v, w]
"""

APART: dict[str, tuple[str, str]] = {
    "a quotient that the first computes in a branch alone": (
        """
        if n > 0:
            x: T.let[T.int64] = 10 // n
            B[0] = x
        C[0] = T.int64(1)
        """,
        """
        if n > 0:
            x: T.let[T.int64] = 10 // n
            B[0] = x
        y: T.let[T.int64] = 10 // n
        C[0] = T.int64(1)
        """,
    ),
    "a quotient that the first computes in a loop alone": (
        """
        for k in range(n):
            x: T.let[T.int64] = k // n
            B[0] = x
        C[0] = T.int64(1)
        """,
        """
        for k in range(n):
            x: T.let[T.int64] = k // n
            B[0] = x
        y: T.let[T.int64] = 10 // n
        C[0] = T.int64(1)
        """,
    ),
    "a loop with a step that is no number": (
        "for k in range(8):\n    B[k] = B[A[0]] + 1",
        "for k in T.serial(0, 8, step=n):\n    B[k] = B[A[0]] + 1",
    ),
    "an element that was read at the start of a loop of one iteration": (
        f"for k in T.serial(A[0], A[0] + T.int64(1)):\n    {BUMP}\n    B[0] = k",
        f"for k in T.serial(A[0], A[0] + T.int64(1)):\n    {BUMP}\n    B[0] = A[0]",
    ),
    "an element that an axis is bound to": (
        f"{AXIS}\n    {BUMP}\n    B[0] = v",
        f"{AXIS}\n    {BUMP}\n    B[0] = A[0]",
    ),
    "an extent that the body stores anew": (
        "for k in range(A[0]):\n    A[0] = T.int64(0)\n    B[0] = B[T.if_then_else(k < A[0], T.int64(3), T.int64(5))]",
        "for k in range(A[0]):\n    A[0] = T.int64(0)\n    B[0] = B[3]",
    ),
    "a loop of one iteration that begins at poison": (
        f"{POISON}\nB[0] = B[A[0]]",
        f"{POISON}\nfor k in T.serial(x, x + T.int64(1)):\n    B[0] = B[A[0]]",
    ),
    "memory of an extent that is stored before": (f"{ROOM}\n{BUMP}\n{FILL}", f"{BUMP}\n{ROOM}\n{FILL}"),
    "memory of an extent that is checked before": (
        f"{CHECK}\n{LEFT}\n{FILL}",
        f"{LEFT}\n{CHECK}\n{FILL}",
    ),
    "memory that nobody uses, whose offset is a quotient": (
        "B[0] = B[A[0]]",
        "P = T.alloc_buffer((4,), 'int64', elem_offset=4 // n)\nB[0] = B[A[0]]",
    ),
    "memory that nobody uses, whose stride is a quotient": (
        "B[0] = B[A[0]]",
        "P = T.alloc_buffer((4,), 'int64', strides=(4 // n,))\nB[0] = B[A[0]]",
    ),
    "memory of a block that is not entered": (
        f"{WHERE}\n    {LEFT.replace('T.alloc', 'T.sblock_alloc')}\n{BODY}",
        f"{LEFT}\nif n >= 5:\n{BODY}",
    ),
    "a loop that is written out, of a beginning that nobody names": (
        "B[0] = B[A[0]]\nB[0] = B[A[0]]",
        "for k in T.serial(10 // n, 10 // n + 2):\n    B[0] = B[A[0]]",
    ),
    "a loop of no iteration, of a beginning that is none": (
        "B[0] = B[A[0]]",
        "for k in T.serial(10 // n, 10 // n):\n    B[0] = T.int64(7)\nB[0] = B[A[0]]",
    ),
    "a truth of a sum that wraps": ("D[A[0]] = n + 1 > n", "D[A[0]] = T.bool(True)"),
    "a truth of a product that wraps": ("D[A[0]] = n * n >= 0", "D[A[0]] = T.bool(True)"),
    "a branch on a difference of elements that may not fit": (
        "if A[0] == n:\n    B[0] = B[A[1]]",
        "if 0 - (0 - A[0]) == n:\n    B[0] = B[A[1]]",
    ),
    "a while on a sum of elements that may not fit": (
        "while A[0] < n:\n    A[0] = B[A[1]]",
        "while A[0] + 1 - 1 < n:\n    A[0] = B[A[1]]",
    ),
    "a check of a product of elements that may not fit": (
        "assert A[0] == n, 'm'\nB[0] = B[A[1]]",
        "assert A[0] * 2 - A[0] == n, 'm'\nB[0] = B[A[1]]",
    ),
    "a branch on poison in an arm that is not taken": (
        "if A[0] == n:\n    B[0] = B[A[1]]",
        "P = T.alloc_buffer((1,), 'int64')\nif T.Select(n == n, A[0], P[0]) == n:\n    B[0] = B[A[1]]",
    ),
    "a reduction across threads as one of each": (ACROSS.format("k + t - t"), ACROSS.format("k")),
    "a reduction across threads under another name": (ACROSS.format("k + t - t"), ACROSS.format("k + u - u")),
    "calls in the other order": (CALLS, 'B[0] = T.call_extern("int64", "g") + T.call_extern("int64", "f")'),
}


def module(body: str) -> rr.CheckedModule:
    return rr.check(rr.parse(MODULE + textwrap.indent(textwrap.dedent(body).strip(), " " * 8)))


@pytest.mark.parametrize("how", APART)
def test_it_is_not_proved(how: str) -> None:
    first, second = map(module, APART[how])
    assert not isinstance(attempt(first, second, "main"), Proved)


def test_memory_of_an_extent_that_is_one_may_be_made_before() -> None:
    more = LEFT.replace("n - 5", "T.max(n, 0)")
    first, second = (module(f"{lines}\n{FILL}") for lines in (f"{CHECK}\n{more}", f"{more}\n{CHECK}"))
    assert isinstance(attempt(first, second, "main"), Proved)


def test_a_condition_whose_sum_fits_may_be_another() -> None:
    first, second = (module(f"if A[0] > 3:\n    assert {c}, 'm'\n    B[0] = B[A[0]]") for c in ("n + 2 > 5", "n > 3"))
    assert isinstance(attempt(first, second, "main"), Proved)


def test_a_condition_of_elements_whose_sum_fits_where_the_first_one_does_may_be_another() -> None:
    first, second = (module(f"if {c} > n:\n    B[0] = B[A[0]]") for c in ("A[0] + A[0]", "A[0] * 2"))
    assert isinstance(attempt(first, second, "main"), Proved)


def test_the_same_calls_in_the_same_order_are() -> None:
    assert isinstance(attempt(module(CALLS), module(CALLS.replace("T.call", " T.call")), "main"), Proved)


@pytest.mark.parametrize(("params", "same"), [("n: T.int64, m: T.int64", True), ("m: T.int64, n: T.int64", False)])
def test_a_reducer_is_of_names_that_stand_for_the_same(params: str, same: bool) -> None:
    def reduced(given: str) -> rr.CheckedModule:
        return rr.check(rr.parse(REDUCES.replace("GIVEN", given)))

    assert isinstance(attempt(reduced("n: T.int64, m: T.int64"), reduced(params), "main"), Proved) is same


def test_what_is_no_reduction_becomes_none() -> None:
    """The first program takes one order; a reduction may take any."""
    first, second = FOLD.format("v + v - v"), FOLD.format("v")
    assert not isinstance(attempt(rr.check(rr.parse(first)), rr.check(rr.parse(second)), "main"), Proved)
    assert isinstance(attempt(rr.check(rr.parse(second)), rr.check(rr.parse(first)), "main"), Proved)
