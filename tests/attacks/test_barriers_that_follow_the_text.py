"""Where the compiler owes the barriers, they stand between statements that all threads reach: other text, other
barriers, though every statement does the same."""

import textwrap

import pytest

import refrelax as rr
from refrelax.judge.evidence import Proved
from refrelax.judge.pointwise import attempt

MODULE = """
@I.ir_module
class Module:
    @T.prim_func(s_tir=True)
    def main(n: T.int64, A: T.Buffer((8,), "int64"), B: T.Buffer((8,), "int64")):
        S = T.alloc_buffer((8,), "int64", scope="shared")
        for i in range(7):
            A[i + 1] = A[i] + A[i + 1]
        for b in T.thread_binding(1, thread="blockIdx.x"):
            for t in T.thread_binding(8, thread="threadIdx.x"):
"""

WORK = "S[t] = A[t]\nB[t] = S[7 - t]"
TWICE = "S[t] = A[t]\nS[7 - t] = A[t] + 1"


def under(head: str, body: str = WORK) -> str:
    return f"{head}\n{textwrap.indent(body, '    ')}"


PAIRS = {
    "a branch on the thread": (WORK, under("if t < 8:")),
    "a branch that becomes one on the thread": (under("if n == n:"), under("if t < 8:")),
    "a loop of one iteration that begins at the thread": (WORK, under("for k in T.serial(t, t + 1):")),
    "a loop that is written out and begins at the thread": (f"{WORK}\n{WORK}", under("for k in T.serial(t, t + 2):")),
    "an extent of the thread": (under("for k in range(2):"), under("for k in range(T.min(2, t + 2)):")),
    "a barrier that is never reached": (WORK, f'if t > 9:\n    T.tvm_storage_sync("shared")\n{WORK}'),
    "two stores as one statement": (f"{TWICE}\nB[t] = S[t]", under("for k in range(1):", TWICE) + "\nB[t] = S[t]"),
    "an element that is not loaded": (
        f"{WORK}\nA[t] = T.int64(3)\nB[t] = S[t] - S[t]\nB[t] = A[7 - t]",
        f"{WORK}\nA[t] = T.int64(3)\nB[t] = T.int64(0)\nB[t] = A[7 - t]",
    ),
}


def module(body: str) -> rr.CheckedModule:
    return rr.check(rr.parse(MODULE + textwrap.indent(body, " " * 16) + "\n"))


@pytest.mark.parametrize("how", PAIRS)
def test_other_text_is_not_proved(how: str) -> None:
    first, second = map(module, PAIRS[how])
    assert not isinstance(attempt(first, second, "main"), Proved)


def test_the_same_text_under_other_names_is() -> None:
    second = under("for k in range(2):").replace("k", "m")
    assert isinstance(attempt(module(under("for k in range(2):")), module(second), "main"), Proved)
