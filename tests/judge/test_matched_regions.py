"""Matched regions of blocks, read as parts of their buffers; what lies outside of a region or its buffer is not."""

import pytest

import refrelax as rr
from refrelax.judge.evidence import Equivalent

HEAD = """n = TypeVar("n")

@I.ir_module
class Module:
    @T.prim_func(s_tir=True)
    def main(A: T.Buffer((n, 3, 10), "float32"), C: T.Buffer((n, 3, 10), "float32")):
"""


def module(body: str) -> rr.Module:
    return rr.parse(HEAD + "".join(" " * 8 + line + "\n" for line in body.strip("\n").splitlines()))


PLAIN = """for i, j, k in T.grid(n, 3, 10):
    C[i, j, k] = A[i, j, k] + T.float32(1)"""
MATCHED = """for i, j, h in T.grid(n, 3, 2):
    with T.sblock("b"):
        X = T.match_buffer(A[i, j, h * 5:h * 5 + 5], (5,), offset_factor=1)
        Y = T.match_buffer(C[i, j, h * 5:h * 5 + 5], (1, 5), strides=("s0", "s1"), offset_factor=1)
        for k in range(5):
            Y[0, k] = X[k] + T.float32(1)"""
NESTED = """for i in range(n):
    with T.sblock("b"):
        X = T.match_buffer(A[i, 0:3, 0:10], (3, 10), offset_factor=1)
        Y = T.match_buffer(C[i, 0:3, 0:10], (3, 10), offset_factor=1)
        for j, h in T.grid(3, 2):
            with T.sblock("c"):
                U = T.match_buffer(X[j, h * 5:h * 5 + 5], (5,), offset_factor=1)
                V = T.match_buffer(Y[j, h * 5:h * 5 + 5], (5,), offset_factor=1)
                for k in range(5):
                    V[k] = U[k] + T.float32(1)"""
AXES = MATCHED.replace(
    '    with T.sblock("b"):', '    with T.sblock("b"):\n        vi, vj, vh = T.axis.remap("SSS", [i, j, h])', 1
)
AXES = AXES.replace("[i, j, h * 5:h * 5 + 5]", "[vi, vj, vh * 5:vh * 5 + 5]")
UNUSED = (
    PLAIN
    + """
with T.sblock("u"):
    X = T.match_buffer(A[n + 3, 0:3, 0:10], (3, 10), offset_factor=1)
    T.evaluate(0)"""
)


@pytest.mark.by_day(3)
@pytest.mark.parametrize("second", [MATCHED, NESTED, AXES, UNUSED], ids=["matched", "nested", "axes", "unused"])
def test_regions_are_parts_of_their_buffers(second: str) -> None:
    assert isinstance(rr.validate(module(PLAIN), module(second), timeout=20), Equivalent)
    assert isinstance(rr.validate(module(second), module(PLAIN), timeout=20), Equivalent)


WRONG = {
    "the row behind": MATCHED.replace("A[i, j, h * 5:", "A[i, j, h * 5 + 1:"),
    "the same half twice": MATCHED.replace("C[i, j, h * 5:h * 5 + 5]", "C[i, j, 0:5]"),
    "beyond the region": MATCHED.replace("(5,)", "(4,)"),
    "a store beyond the region": MATCHED.replace("(1, 5)", "(1, 4)"),
    "the second row of one": MATCHED.replace("Y[0, k]", "Y[1, k]"),
    "another plane": MATCHED.replace("A[i, j,", "A[n - 1 - i, j,"),
    "overlapping halves": MATCHED.replace("h * 5:h * 5 + 5", "h * 4:h * 4 + 5"),
    "reversed": MATCHED.replace("X[k]", "X[4 - k]"),
    "a region of another region": NESTED.replace(
        "U = T.match_buffer(X[j, h * 5:", "U = T.match_buffer(X[2 - j, h * 5:"
    ),
    "an axis twice": NESTED.replace("X[j, h * 5:h * 5 + 5]", "X[h, h * 5:h * 5 + 5]"),
}


@pytest.mark.by_day(7)
@pytest.mark.parametrize("second", WRONG.values(), ids=WRONG.keys())
def test_others_are_not_proved(second: str) -> None:
    assert not isinstance(rr.validate(module(PLAIN), module(second), timeout=8), Equivalent)


def test_a_row_that_goes_on_in_the_next_is_not_read() -> None:
    """Elements 0 to 11 of a row of 10: its last two are those of the next row, and no elements of this one."""
    wide = """with T.sblock("b"):
    X = T.match_buffer(A[0, 0, 0:10], (12,), offset_factor=1)
    for k in range(12):
        C[0, k // 10, k % 10] = X[k]"""
    text = HEAD.replace("(n, 3, 10)", "(1, 3, 10)")
    plain = "for k in range(12):\n    C[0, k // 10, k % 10] = A[0, k // 10, k % 10]"
    missing = plain.replace("A[0, k // 10, k % 10]", "A[0, 0, k]")

    def at(body: str) -> rr.Module:
        return rr.parse(text + "".join(" " * 8 + line + "\n" for line in body.splitlines()))

    assert not isinstance(rr.validate(at(wide), at(missing), timeout=8), Equivalent)
    assert rr.validate(at(plain), at(wide), timeout=8).word != "REFUTED"
