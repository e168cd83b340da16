"""Sums in parts, as a reduction across threads has them: each part from +0, parts beyond the end +0; the sum of all."""

from __future__ import annotations

import pytest

import refrelax as rr

HEAD = """n = TypeVar("n")
@I.ir_module
class Module:
    @T.prim_func(s_tir=True)
    def main(A: T.Buffer((n,), "float32"), B: T.Buffer((8,), "float32"), C: T.Buffer((1,), "float32")):
"""
WHOLE = """
for k in range(8):
    with T.sblock("c"):
        v = T.axis.reduce(8, k)
        with T.init():
            C[0] = T.float32(0)
        C[0] = C[0] + B[v]
"""
OF_PARTS = WHOLE.replace("B[v]", "R[v]").replace("8", "16").lstrip("\n")
ONE_EACH = (
    """
R = T.sblock_alloc_buffer((16,))
for t in range(16):
    R[t] = T.float32(0)
    if t < 8:
        R[t] = R[t] + B[t]
"""
    + OF_PARTS
)
ALL = WHOLE.replace("B[v]", "A[v]").replace("8", "n")
MANY_EACH = (
    """
R = T.sblock_alloc_buffer((16,))
for t in range(16):
    R[t] = T.float32(0)
    for j in range((n + 15) // 16):
        if j * 16 + t < n:
            R[t] = R[t] + A[j * 16 + t]
"""
    + OF_PARTS
)


def module(body: str) -> rr.Module:
    return rr.parse(HEAD + "".join(f"        {line}\n" for line in body.strip("\n").splitlines()))


def test_parts_of_one_item() -> None:
    assert rr.validate(module(WHOLE), module(ONE_EACH)).word == "PROVED"


def test_parts_of_many_items() -> None:
    assert rr.validate(module(ALL), module(MANY_EACH), assume=["n >= 1"]).word == "PROVED"
    found = rr.validate(module(ALL), module(MANY_EACH))
    assert str(found).startswith("PROVED for n >= 1, REFUTED at n = 0: ")


MINUS = ("T.float32(0)", "T.float32(-0.0)")
MAX = "T.max(C[0], B[v])"
WRONG = {
    "parts and the sum from -0": (WHOLE, ONE_EACH, [MINUS]),
    "from -0, parts from +0": (WHOLE.replace(*MINUS), ONE_EACH, []),
    "parts from 1": (WHOLE, ONE_EACH, [("R[t] = T.float32(0)", "R[t] = T.float32(1)")]),
    "an item less": (WHOLE, ONE_EACH, [("t < 8", "t < 7")]),
    "parts that are not there": (
        WHOLE,
        ONE_EACH,
        [("    R[t] = T.float32(0)\n    if t < 8:\n", "    if t < 8:\n        R[t] = T.float32(0)\n")],
    ),
    "products as parts": (WHOLE, ONE_EACH, [("R[t] + B[t]", "R[t] * B[t]")]),
    "the greatest of parts": (WHOLE, ONE_EACH, [("C[0] + R[v]", "T.max(C[0], R[v])")]),
    "the greatest of sums": (WHOLE.replace("C[0] + B[v]", MAX), ONE_EACH, [("C[0] + R[v]", MAX.replace("B", "R"))]),
    "another element": (WHOLE, ONE_EACH, [("+ B[t]", "+ B[0]")]),
    "an item twice": (WHOLE, ONE_EACH, [("t < 8", "t < 9"), ("+ B[t]", "+ B[t % 8]")]),
    "many parts from 1": (ALL, MANY_EACH, [("R[t] = T.float32(0)", "R[t] = T.float32(1)")]),
    "many parts without the last": (ALL, MANY_EACH, [("+ t < n", "+ t < n - 1")]),
    "many parts in rows": (ALL, MANY_EACH, [("A[j * 16 + t]", "A[j * 15 + t]")]),
    "many parts, fewer": (ALL, MANY_EACH, [("(n + 15) // 16", "n // 16")]),
    "many parts from -0": (ALL, MANY_EACH, [MINUS]),
}  # fmt: skip


@pytest.mark.by_day(4)
@pytest.mark.parametrize("name", WRONG)
def test_other_parts_are_not_proved(name: str) -> None:
    first, second, changes = WRONG[name]
    for old, new in changes:
        assert old in second
        second = second.replace(old, new)
    found = rr.validate(module(first), module(second), assume=["n >= 1"])
    assert found.word in ("REFUTED", "TESTED", "UNDECIDED", "PROVED-AT"), found
