"""An index whose value is known is evaluated all the same: what ends the run in it is not forgotten."""

from __future__ import annotations

import pytest

import refrelax as rr

MODULE = """
@I.ir_module
class Module:
    @T.prim_func(s_tir=True)
    def main(n: T.int32, A: T.Buffer((4,), "float32"), B: T.Buffer((4,), "float32")):
        C = T.alloc_buffer((4,), "int32")
        for i in range(4):
            B[i] = A[{index}]
"""
UNWRITTEN, OVERFLOW, BY_ZERO, SHIFT = (
    "st/never-written",
    "ld/index-overflow",
    "num/int-division-by-zero",
    "num/shift-range",
)


@pytest.mark.parametrize("strict", [None, False, True])
@pytest.mark.parametrize(
    ("index", "n", "rule"),
    [
        ("T.min(n * n, 3)", 65536, OVERFLOW),
        ("T.min(i + n * n, 3)", 65536, OVERFLOW),
        ("T.min(T.max(i * 1000000 * n, 1), 1)", 100000, OVERFLOW),
        ("T.max(T.min(C[i], n), n)", 2, UNWRITTEN),
        ("C[i] % n", 1, UNWRITTEN),
        ("C[i] & n", 0, UNWRITTEN),
        ("T.Select(C[i] > 0, n, n)", 2, UNWRITTEN),
        ("T.if_then_else(C[i] > 0, n, n)", 2, UNWRITTEN),
        ("T.Cast('int32', T.Cast('uint8', C[i]) % T.uint8(1))", 2, UNWRITTEN),
        ("T.min(T.max(i // n, 2), 2)", 0, BY_ZERO),
        ("T.min(T.max(T.shift_left(i, n), 2), 2)", 32, SHIFT),
    ],
)
def test_what_is_known_of_an_index_does_not_stand_for_its_evaluation(
    index: str, n: int, rule: str, strict: bool | None
) -> None:
    c = rr.check(rr.parse(MODULE.format(index=index)))
    args = [n, [1.0, 2.0, 3.0, 4.0], [0.0] * 4]
    out = rr.run(c, args=args) if strict is None else rr.run(c, args=args, numerics="enclosure", strict=strict)
    assert isinstance(out, rr.Unspecified), out
    assert out.rule == rule


def test_a_clamped_position_that_was_never_written_is_open() -> None:
    """The clamp of a gather along an axis of one element: nothing agrees there."""
    c = rr.check(rr.parse(MODULE.format(index="T.max(T.min(C[i], n - 1), 0)")))
    found = rr.diff(c, "main", [1, [1.0, 2.0, 3.0, 4.0], [0.0] * 4], impl="numpy")
    assert str(found).startswith("OPEN"), found
