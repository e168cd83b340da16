"""Loop programs in step: the same statements on the same memory are proved, whatever they do; others are not."""

import pytest

import refrelax as rr

HEAD = 'n = TypeVar("n")\n\n@I.ir_module\nclass Module:\n'
PARAMS = 'A: T.Buffer((n,), "float32"), B: T.Buffer((n,), "float32"), X: T.Buffer((n,), "int32")'


def module(body: str, params: str = PARAMS, more: str = "") -> rr.Module:
    lines = "".join(" " * 8 + line + "\n" for line in body.strip("\n").splitlines())
    return rr.parse(f"{HEAD}{more}    @T.prim_func(s_tir=True)\n    def main({params}):\n{lines}")


SCAN = "for i in range(n - 1):\n    B[i + 1] = B[i] + A[i + 1]"
BREAK = "for i in range(n):\n    if X[i] == 3:\n        break\n    B[i] = A[i]"
WHILE = """k = T.alloc_buffer((1,), "int32")
k[0] = 0
while X[k[0]] != 3:
    k[0] = k[0] + 1
B[0] = A[0]"""
BLOCK = """for i in range(n - 1):
    with T.sblock("s"):
        v = T.axis.spatial(n - 1, i)
        B[v + 1] = B[v] + A[v + 1]"""
ROLLED = "for j in range(4):\n    for i in range(n - 4):\n        B[i + j + 1] = B[i] + A[i + j]"
UNROLLED = "\n".join(f"for i in range(n - 4):\n    B[i + {j} + 1] = B[i] + A[i + {j}]" for j in range(4))
ECHO = 'T.call_packed("echo", A.data, {})\nB[0] = A[0]'
INSIDE = """for i in range(n):
    C = T.alloc_buffer((3,), "float32")
    if X[i] > 0:
        C[0] = A[i]
    B[i] = C[0]"""
OUTSIDE = """C = T.alloc_buffer((3,), "float32")
for i in range(n):
    if X[i] > 0:
        C[0] = A[i]
    B[i] = C[0]"""

SAME = {
    "another name and another sum": (SCAN, "for j in range(n - 1):\n    B[1 + j] = B[j] + A[1 + j * 1]"),
    "a scan in a block": (BLOCK, SCAN),
    "a loop that is left": (
        BREAK,
        BREAK.replace("for i in range(n)", "for q in range(0 + n)").replace("B[i]", "B[q % n]").replace("[i]", "[q]"),
    ),
    "a loop on data": (WHILE, WHILE.replace("k[0] + 1", "1 + k[0]")),
    "a loop of one iteration": (f"for o in range(1):\n    {SCAN.replace(chr(10), chr(10) + '    ')}", SCAN),
    "a call of what is not here": (ECHO.format("X[T.Add(1, 1)]"), ECHO.format("X[2]")),
    "memory that is made once": (INSIDE, OUTSIDE),
    "an order": (SCAN.replace("B[i]", "A[i]").replace("range", "T.parallel"), SCAN.replace("B[i]", "A[i]")),
    "a branch that is always taken": ("if n >= 0:\n    B[0] = B[0] + A[X[0]]", "B[0] = B[0] + A[X[0]]"),
}

OTHER = {
    "another index": (SCAN, "for i in range(n - 1):\n    B[i + 1] = B[i] + A[i]"),
    "an iteration less": (SCAN, SCAN.replace("n - 1", "n - 2")),
    "the loop backwards": (SCAN, "for i in range(n - 1):\n    B[n - 1 - i] = B[n - 2 - i] + A[n - 1 - i]"),
    "no order": (SCAN, SCAN.replace("range", "T.parallel")),
    "lanes": (SCAN, SCAN.replace("range", "T.vectorized")),
    "buffers exchanged": (SCAN, SCAN.replace("A[", "Z[").replace("B[", "A[").replace("Z[", "B[")),
    "another operation": (SCAN, SCAN.replace("B[i] + A", "B[i] - A")),
    "operands that do not commute": (
        SCAN.replace("+ A", "- A"),
        "for i in range(n - 1):\n    B[i + 1] = A[i + 1] - B[i]",
    ),
    "a store more": (SCAN, f"{SCAN}\nB[0] = A[0]"),
    "a store less": (f"{SCAN}\nB[0] = A[0]", SCAN),
    "another number": (BREAK, BREAK.replace("3", "4")),
    "the loop goes on": (BREAK, BREAK.replace("break", "continue")),
    "a loop of one iteration that is left": (
        "for o in range(1):\n    if X[0] == 3:\n        break\n    B[0] = A[0]",
        "if X[0] == 3:\n    B[0] = B[0]\nB[0] = A[0]",
    ),
    "an iteration of a loop less": (ROLLED, UNROLLED.rsplit("for", 1)[0]),
    "iterations in another order": (
        ROLLED,
        UNROLLED.replace("+ 0", "+ 9").replace("+ 3", "+ 0").replace("+ 9", "+ 3"),
    ),
    "memory made anew": (OUTSIDE, INSIDE),
    "another condition": (
        "if n > 5:\n    " + SCAN.replace("\n", "\n    "),
        "if n >= 5:\n    " + SCAN.replace("\n", "\n    "),
    ),
    "a branch that is not always taken": ("B[0] = A[X[0]]", "if n > 1:\n    B[0] = A[X[0]]"),
    "another call": (ECHO.format("X[2]"), ECHO.format("X[1]")),
    "a call more": (ECHO.format("0"), f'T.call_packed("echo", A.data, 0)\n{ECHO.format("0")}'),
    "a call of another function": (ECHO.format("0"), ECHO.format("0").replace("echo", "shout")),
    "an assertion less": (f'assert X[0] > 0, "no"\n{SCAN}', SCAN),
    "an assertion later": (f'assert X[0] > 0, "no"\n{SCAN}', f'{SCAN}\nassert X[0] > 0, "no"'),
    "a choice by poison": (
        'C = T.alloc_buffer((3,), "float32")\nB[0] = T.Select(C[0] > A[0], A[0], A[0])\nB[0] = A[0]',
        'C = T.alloc_buffer((3,), "float32")\nB[0] = T.if_then_else(C[0] > A[0], A[0], A[0])\nB[0] = A[0]',
    ),
    "a name for poison": (
        'C = T.alloc_buffer((3,), "int32")\nv: T.let[T.int32] = C[0]\nX[0] = v\nX[1] = 1',
        'C = T.alloc_buffer((3,), "int32")\nv: T.let[T.int32] = C[0]\nX[0] = v\nX[1] = T.Select(v > 0, 1, 1)',
    ),
    "a quotient that both arms evaluate": (
        "for i in range(n):\n    X[i] = T.if_then_else(i > 0, X[i] + T.Cast('int32', T.int64(7) // i), X[i])",
        "for i in range(n):\n    X[i] = T.Select(i > 0, X[i] + T.Cast('int32', T.int64(7) // i), X[i])",
    ),
}


@pytest.mark.parametrize("how", SAME)
def test_the_same_steps_are_proved(how: str) -> None:
    first, second = SAME[how]
    found = rr.validate(module(first), module(second), timeout=20)
    assert found.word == "PROVED" and "statements in step" in found.trusts


@pytest.mark.parametrize("how", OTHER)
def test_other_steps_are_not(how: str) -> None:
    first, second = OTHER[how]
    assert rr.validate(module(first), module(second), timeout=20).word != "PROVED"


@pytest.mark.thorough
def test_a_narrower_index_has_to_fit() -> None:
    wide = "for i in range(m):\n    B[i % n] = B[i % n] + A[(i * T.int64(65536)) // T.int64(65536) % n]"
    narrow = "for i in range(m):\n    B[i % n] = B[i % n] + A[T.Cast('int64', T.Cast('int32', i) * 65536 // 65536) % n]"
    params = f"{PARAMS}, m: T.int64"
    assert rr.validate(module(wide, params), module(narrow, params), timeout=20).word != "PROVED"


def test_a_reduction_in_any_order_is_no_loop() -> None:
    loop = "B[0] = T.float32(0)\nfor i in range(n):\n    B[0] = B[0] + A[i]"
    block = """for i in range(n):
    with T.sblock("s"):
        v = T.axis.reduce(n, i)
        with T.init():
            B[0] = T.float32(0)
        B[0] = B[0] + A[v]"""
    assert rr.validate(module(loop), module(block), timeout=20).word != "PROVED"


def test_threads_keep_their_names() -> None:
    text = "for t in T.thread_binding(n, thread={!r}):\n    B[t] = B[t] + A[X[t] - X[t] + t]"
    first, second = (module(text.format(tag)) for tag in ("threadIdx.x", "blockIdx.x"))
    assert "statements in step" not in rr.validate(first, second, timeout=20).trusts
