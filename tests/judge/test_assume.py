"""``T.assume``: a hypothesis where the first program makes it, a claim where the second one does."""

import pytest

import refrelax as rr
from refrelax.judge.evidence import Equivalent
from refrelax.judge.pointwise import attempt

PARAMS = 'A: T.Buffer((n, 6), "int32"), F: T.Buffer((5,), "float32"), B: T.Buffer((n, 6), "int32"), m: T.int32'


def module(body: str) -> rr.Module:
    lines = "".join(" " * 8 + line + "\n" for line in body.strip("\n").splitlines())
    head = 'n = TypeVar("n")\n\n@I.ir_module\nclass Module:\n    @T.prim_func\n'
    return rr.parse(f"{head}    def main({PARAMS}):\n{lines}")


GRID = "for i, j in T.grid(n, 6):\n    "
PADDED = f"{GRID}T.evaluate(T.assume(not 4 <= j or A[i, j] == 7))\n"
PADDED += f"{GRID}B[i, j] = T.if_then_else(4 <= j, 14, A[i, j] + A[i, j])"
PLAIN = f"{GRID}B[i, j] = A[i, j] * 2"
SMALL = "T.evaluate(T.assume(m == 6))\nfor i, j in T.grid(n, 6):\n    if j < m:\n        B[i, j] = A[i, j]"
COPY = f"{GRID}B[i, j] = A[i, j]"
SCAN = "for i, j in T.grid(n - 1, 6):\n    B[i + 1, j] = B[i, j] + A[i, j]"
OF_SCAN = "T.evaluate(T.assume(m == 0))\n" + SCAN
SHIFTED = SCAN.replace("+ A[i, j]", "+ A[i, j + m]")

PROVED = {
    "elements": (PADDED, PLAIN),
    "elements, in both": (PADDED, PADDED.replace("T.if_then_else(4 <= j, 14, A[i, j] + A[i, j])", "A[i, j] * 2")),
    "an integer": (SMALL, COPY),
    "what follows": (SMALL, SMALL.replace("m == 6", "m > 5")),
    "left out": (OF_SCAN, SCAN),
    "in step": (OF_SCAN, SHIFTED),
    "in step, what follows": (OF_SCAN, OF_SCAN.replace("m == 0", "m < 1")),
}


@pytest.mark.parametrize(("first", "second"), PROVED.values(), ids=PROVED.keys())
def test_what_is_assumed_is_known(first: str, second: str) -> None:
    assert isinstance(rr.validate(module(first), module(second), timeout=20), Equivalent)


ZEROS = "for i in range(5):\n    T.evaluate(T.assume(F[i] == T.float32(0)))\n"
OTHER = {
    "a new promise": (COPY, "T.evaluate(T.assume(m == 6))\n" + COPY),
    "a stronger promise": (SMALL.replace("m == 6", "m > 5"), SMALL),
    "a promise of elements": (PLAIN, PADDED.replace("T.if_then_else(4 <= j, 14, A[i, j] + A[i, j])", "A[i, j] * 2")),
    "another number": (PADDED.replace("== 7", "== 6"), PLAIN),
    "fewer elements": (PADDED.replace("not 4 <= j", "not 5 <= j"), PLAIN),
    "other elements": (PADDED.replace("A[i, j] == 7", "A[i, j - 4] == 7"), PLAIN),
    "one row": (PADDED.replace("A[i, j] == 7", "A[0, j] == 7"), PLAIN),
    "the last row": (PADDED.replace("A[i, j] == 7", "A[n - 1, j] == 7"), PLAIN),
    "of another buffer": (PADDED.replace("A[i, j] == 7", "B[i, j] == 7"), PLAIN),
    "of some rows": (PADDED.replace("T.grid(n, 6)", "T.grid(n - 1, 6)", 1), PLAIN),
    "before a store": (PADDED.replace(f"\n{GRID}B", f"\nA[0, 5] = m\n{GRID}B"), f"A[0, 5] = m\n{PLAIN}"),
    "in a branch": (PADDED.replace("T.evaluate(", "if m > 3:\n        T.evaluate("), PLAIN),
    "a promise that reads behind the end": (
        PADDED,
        PADDED.replace("T.grid(n, 6)", "T.grid(n, 7)", 1).replace("not 4 <= j or", "not (4 <= j and j < 6) or"),
    ),
    "a promise that reads behind the end, said first": (
        PADDED,
        PADDED.replace("T.grid(n, 6)", "T.grid(n, 7)", 1).replace("not 4 <= j or A[i, j] == 7", "A[i, j] == 7 or not 4 <= j or j == 6"),  # noqa: E501
    ),
    "one of two": (PADDED.replace("or A[i, j] == 7", "or A[i, j] == 7 or A[i, j] == 8"), PLAIN),
    "not equal": (PADDED.replace("== 7", "!= 7"), PLAIN),
    "in a loop that may not run": (SMALL.replace("T.evaluate", "for k in range(m - 5):\n    T.evaluate"), COPY),
    "zeros have signs": (
        f"{ZEROS}{COPY}\nfor i in range(5):\n    F[i] = T.float32(0)",
        f"{COPY}\nfor i in range(5):\n    F[i] = F[i] + T.float32(-0.0)",
    ),
    "in step, a new promise": (SCAN, OF_SCAN),
    "in step, another one": (OF_SCAN.replace("m == 0", "m >= 0"), SHIFTED),
    "in step, of another branch": (
        "if n > 3:\n    T.evaluate(T.assume(m == 0))\n" + SCAN,
        "if n > 3:\n    T.evaluate(0)\n" + SHIFTED,
    ),
    "in step, too late": (SCAN + "\nT.evaluate(T.assume(m == 0))", SHIFTED + "\nT.evaluate(T.assume(m == 0))"),
}  # fmt: skip


@pytest.mark.parametrize(
    "how", ["a promise that reads behind the end", "a promise that reads behind the end, said first"]
)
def test_all_parts_of_a_promise_are_evaluated(how: str) -> None:
    first, second = (rr.check(module(each)) for each in OTHER[how])
    assert isinstance(attempt(first, second, "main"), str)


@pytest.mark.by_day(5)
@pytest.mark.parametrize(("first", "second"), OTHER.values(), ids=OTHER.keys())
def test_more_than_what_is_assumed_is_not(first: str, second: str) -> None:
    assert not isinstance(rr.validate(module(first), module(second), timeout=20), Equivalent)


def test_a_promise_in_a_branch_of_the_graph_is_not_known() -> None:
    text = """@I.ir_module
class Module:
    @T.prim_func(private=True)
    def f(A: T.Buffer((5,), "int32"), B: T.Buffer((5,), "int32")):
        for i in range(5):
            T.evaluate(T.assume(A[i] == 7))
            B[i] = A[i]

    @T.prim_func(private=True)
    def g(A: T.Buffer((5,), "int32"), B: T.Buffer((5,), "int32")):
        for i in range(5):
            B[i] = {}

    @R.function
    def main(x: R.Tensor((5,), "int32"), c: R.Tensor((), "bool")) -> R.Tensor((5,), "int32"):
        cls = Module
        if c:
            y = R.call_tir(cls.f, (x,), out_ty=R.Tensor((5,), "int32"))
            z = y
        else:
            z = x
        w = R.call_tir(cls.g, (x,), out_ty=R.Tensor((5,), "int32"))
        return w
"""
    found = rr.validate(rr.parse(text.format("A[i] + 1")), rr.parse(text.format("8")), timeout=20)
    assert not isinstance(found, Equivalent)
