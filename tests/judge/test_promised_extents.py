"""Tests reach what stands behind a check of two extents, and the greatest extent that a bound permits."""

from __future__ import annotations

import pytest

import refrelax as rr
from refrelax.judge.pairs import Pair
from refrelax.judge.promised_extents import promised
from refrelax.syntax.write.scalars import expression

BEHIND = """
@I.ir_module
class Module:
    @R.function
    def main(x: R.Tensor(("n", 4), "int32"), y: R.Tensor(("m", 4), "int32")) -> R.Tensor(("2 * n + 3", 4), "int32"):
        n = T.int64()
        R.func_attr({{"tir_var_upper_bound": {{"n": 5}}}})
        z = R.match_cast(y, R.Tensor((2 * n + 3, 4), "int32"))
        w = R.call_dps_packed("lib.negate", (z,), out_ty=R.Tensor((2 * n + 3, 4), "int32"))
        u = {last}
        return u
"""


def test_what_is_promised_is_kept() -> None:
    found = promised(rr.check(rr.parse(BEHIND.format(last="R.add(w, z)"))).module, "main")
    assert [name for name, _ in found.equal] == ["m"]
    assert found.kept({"n": 3, "m": 3}) == {"n": 3, "m": 9}
    assert found.kept({"n": 9, "m": 0}) == {"n": 5, "m": 13}
    assert found.kept({"n": 2, "m": 0}, most=40) == {"n": 5, "m": 13}
    assert found.kept({}) == {}


@pytest.mark.parametrize("last", ["R.subtract(w, z)", "R.add(z, z)"])
def test_a_difference_behind_a_check_is_found(last: str) -> None:
    one, two = (rr.check(rr.parse(BEHIND.format(last=each))) for each in ("R.add(w, z)", last))

    def negate(x: rr.Tensor, out: rr.Tensor) -> None:
        out.assign([[-v for v in row] for row in x.tolist()])

    pair = Pair(one, two, "main", {"lib.negate": negate}, ("n", "m"))
    assert pair.test(seed=0, count=8) is not None  # by runs alone: a proof that fails may name such extents, too


ASSUMING = """n = TypeVar("n")
m = TypeVar("m")

@I.ir_module
class Module:
    @T.prim_func
    def main(A: T.Buffer((n,), "float32"), B: T.Buffer((n,), "float32"), M: T.Buffer((m,), "float32")):
        {assumed}
        for i in range({rows}):
            for j in range(4):
                B[i * 4 + j] = A[i * 4 + j] + T.float32({added})
"""
ASSUMED = "T.evaluate(T.assume({}))"


@pytest.mark.parametrize(
    ("said", "kept"),
    [("n == 4 * m", "n == 4 * m"), ("A[m] == A[m] and n == 4 * m", "n == 4 * m"), ("A[m] == A[m]", None)],
)
def test_what_is_assumed_of_symbols_is_tried(said: str, kept: str | None) -> None:
    """Extents drawn independently never satisfy it: every run was open, and a proof said of nothing."""
    texts = [
        ASSUMING.format(assumed=assumed, rows=rows, added=added)
        for assumed, rows, added in ((ASSUMED.format(said), "n // 4", 1), ("", "m", 1), ("", "m", 2), ("", "m - 1", 1))
    ]
    first, second, *others = (rr.check(rr.parse(each)) for each in texts)
    assert [expression(each) for each in promised(first.module, "main").assumed] == ([] if kept is None else [kept])
    if said == kept:
        assert rr.validate(first, second).word == "PROVED"
        for each in others:
            assert rr.validate(first, each).word == "REFUTED"
