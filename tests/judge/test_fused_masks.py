"""Fused indices with a product of symbols among their digits, as data and in masks (``0 < int(j <= i)``)."""

import pytest

import refrelax as rr
from refrelax.judge.evidence import Equivalent

HEAD = """n = TypeVar("n")

@I.ir_module
class Module:
    @T.prim_func(s_tir=True)
    def main(A: T.Buffer((3, n, n), "float32"), C: T.Buffer((3, n, n), "float32")):
"""


def module(body: str) -> rr.Module:
    return rr.parse(HEAD + "".join(" " * 8 + line + "\n" for line in body.strip("\n").splitlines()))


PLACES = """for h, i, j in T.grid(3, n, n):
    C[h, i, j] = T.Cast("float32", i * n + j)"""
MASK = """for h, i, j in T.grid(3, n, n):
    C[h, i, j] = T.Select(T.int64(0) < T.Cast("int64", j <= i), A[h, i, j], T.float32(7))"""
FUSED = """for x in range(3 * (n * n)):
    with T.sblock("b"):
        h = T.axis.spatial(T.int64(3), x // (n * n))
        i = T.axis.spatial(n, x % (n * n) // n)
        j = T.axis.spatial(n, x % n)
"""


def fused(plain: str) -> str:
    return FUSED + "    " + plain.splitlines()[1]


@pytest.mark.by_day(1)
@pytest.mark.parametrize("plain", [PLACES, MASK], ids=["places", "mask"])
def test_fused_digits_are_proved(plain: str) -> None:
    assert isinstance(rr.validate(module(plain), module(fused(plain)), timeout=20), Equivalent)


@pytest.mark.thorough
def test_a_mask_is_the_truth_that_it_was() -> None:
    for other in ('T.Cast("int64", j <= i) != T.int64(0)', 'T.Cast("int32", j <= i) > 0', "j <= i", "j < i + 1"):
        second = MASK.replace('T.int64(0) < T.Cast("int64", j <= i)', other)
        assert isinstance(rr.validate(module(MASK), module(fused(second)), timeout=20), Equivalent), other


WRONG = {
    "columns": (PLACES, "i * n + j", "j * n + i"),
    "one more": (PLACES, "i * n + j", "i * n + j + 1"),
    "another plane": (PLACES, "i * n + j", "h * n + i * n + j"),
    "strictly": (MASK, "j <= i", "j < i"),
    "the other half": (MASK, "j <= i", "i <= j"),
    "more than one": (MASK, "T.int64(0) <", "T.int64(1) <"),
    "none less": (MASK, "T.int64(0) <", "T.int64(-1) <"),
    "not": (MASK, 'T.int64(0) < T.Cast("int64", j <= i)', 'T.Cast("int64", j <= i) == T.int64(0)'),
}


@pytest.mark.by_day(3)
@pytest.mark.parametrize(("plain", "old", "new"), WRONG.values(), ids=WRONG.keys())
def test_other_digits_and_masks_are_not_proved(plain: str, old: str, new: str) -> None:
    assert old in plain
    second = module(fused(plain.replace(old, new)))
    assert not isinstance(rr.validate(module(plain), second, timeout=8), Equivalent)
