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
    "a block around two stores": (f"{TWICE}\nB[t] = S[t]", under('with T.sblock("s"):', TWICE) + "\nB[t] = S[t]"),
    "two stores out of a block": (
        under('with T.sblock("s"):', TWICE) + "\nB[t] = S[7 - t]",
        f"{TWICE}\nB[t] = S[7 - t]",
    ),
    "two stores out of a loop": (under("for k in range(1):", TWICE) + "\nB[t] = S[t]", f"{TWICE}\nB[t] = S[t]"),
    "two stores out of a hint": (under('with T.attr(0, "hint", 1):', TWICE) + "\nB[t] = S[t]", f"{TWICE}\nB[t] = S[t]"),
    "a store behind one to shared memory": (
        under('with T.sblock("s"):', "S[t] = A[t]\nB[t] = A[t] + 1") + "\nA[t] = B[7 - t] + S[t]",
        "S[t] = A[t]\nB[t] = A[t] + 1\nA[t] = B[7 - t] + S[t]",
    ),
    "a condition on which they agree": (
        under("if n + t - t > 3:", f"{TWICE}\nB[t] = S[7 - t]"),
        under("if n > 3:", f"{TWICE}\nB[t] = S[7 - t]"),
    ),
    "a hint around two stores": (f"{TWICE}\nB[t] = S[t]", under('with T.attr(0, "hint", 1):', TWICE) + "\nB[t] = S[t]"),
    "a condition that names the thread": (under("if n > 3:"), under("if n + t - t > 3:")),
    "a condition on a name that names the thread": (
        under("if n > 3:"),
        f"q: T.let[T.int64] = T.Cast('int64', t) - T.Cast('int64', t)\n{under('if n + q > 3:')}",
    ),
    "a condition on a variable that begins at the thread": (
        under("for k in range(1):\n    if n + k > 3:", textwrap.indent(WORK, "    ")),
        under("for k in T.serial(t - t, t - t + 1):\n    if n + k > 3:", textwrap.indent(WORK, "    ")),
    ),
    "a block that is not always entered": (WORK, under('with T.sblock("s"):', f"T.where(t < 8)\n{WORK}")),
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


AS_MANY = {
    "a block that is divided at another place": (
        under('with T.sblock("s"):') + "\nS[t] = A[t] + 1\nA[t] = S[7 - t]",
        "S[t] = A[t]\n" + under('with T.sblock("s"):', "B[t] = S[7 - t]\nS[t] = A[t] + 1") + "\nA[t] = S[7 - t]",
    ),
    "a block of one store": (under('with T.sblock("s"):', "S[t] = A[t]") + "\nB[t] = S[7 - t]", WORK),
    "a block that begins": (WORK, under('with T.sblock("s"):', "S[t] = A[t]") + "\nB[t] = S[7 - t]"),
    "a block that is divided": (under('with T.sblock("s"):', f"{TWICE}\nB[t] = S[7 - t]"), f"{TWICE}\nB[t] = S[7 - t]"),
    "a store before one to shared memory": (
        under('with T.sblock("s"):', "B[t] = A[t]\nS[t] = A[t] + 1") + "\nA[t] = B[7 - t] + S[t]",
        "B[t] = A[t]\nS[t] = A[t] + 1\nA[t] = B[7 - t] + S[t]",
    ),
    "a loop of one iteration": (under("for k in range(1):"), WORK),
    "an index": (WORK, WORK.replace("S[t]", "S[7 - (7 - t)]")),
    "a condition on the thread": (
        under("if t < 4:", "S[t] = A[t]") + "\nB[t] = S[t % 4]",
        under("if t + 1 <= 4:", "S[t] = A[t]") + "\nB[t] = S[t % 4]",
    ),
    "a condition on which they agree": (under("if n > 3:"), under("if n >= 4:")),
}


@pytest.mark.parametrize("how", AS_MANY)
def test_as_many_barriers_are_no_difference(how: str) -> None:
    first, second = map(module, AS_MANY[how])
    found = attempt(first, second, "main")
    assert isinstance(found, Proved), found
    assert "statements in step" in found.trusts


def test_the_same_text_under_other_names_is() -> None:
    second = under("for k in range(2):").replace("k", "m")
    assert isinstance(attempt(module(under("for k in range(2):")), module(second), "main"), Proved)
