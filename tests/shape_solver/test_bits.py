"""Bit operators as arithmetic: exact on all integers, and proofs that rest on them."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from refrelax.shape_solver import Proved, Refuted, parse_claim, parse_dim, prove
from refrelax.shape_solver.bits import opened, runs
from refrelax.shape_solver.evaluate import compiled

INTEGERS = st.integers(-300, 300) | st.integers(-(2**40), 2**40)


@given(INTEGERS, INTEGERS, st.sampled_from("&|^"), st.sampled_from("&|^"), INTEGERS)
def test_opened_is_exact(x: int, y: int, first: str, second: str, mask: int) -> None:
    for text in (f"(x {first} y) {second} ({mask})", f"({mask}) {first} x", f"(x << 3) {first} (y % 8)"):
        e = parse_dim(text)
        assert compiled(opened(e))({"x": x, "y": y}) == compiled(e)({"x": x, "y": y}), text


def test_constant_masks_leave_no_bit_operator() -> None:
    assert "bitwise" not in repr(opened(parse_dim("(x & 12) + (x | 7) + (x ^ -8)")))
    assert "bitwise" not in repr(opened(parse_dim("(x << 5) | (y & 31)")))


def test_runs() -> None:
    assert list(runs(0b1011_0001)) == [(0, 1), (4, 2), (7, 1)]


def test_nothing_to_open_is_the_same_object() -> None:
    e = parse_claim("x // 2 <= y")
    assert opened(e) is e


@pytest.mark.parametrize(
    "claim",
    [
        "(t & -16) + (t & 15) == t",
        "(w & 12) == (w >> 2 & 3) << 2",
        "(w ^ 5) ^ 5 == w",
        "implies(w >= 0 and u >= 0, (w | u) <= w + u)",
        "(w & u) + (w | u) == w + u",
        "implies(0 <= c and c < 64, ((c // 8) ^ (r % 8)) < 8)",
    ],
)
def test_proved(claim: str) -> None:
    assert isinstance(prove(claim), Proved)


@pytest.mark.parametrize("claim", ["(w & 5) == w % 6", "(w | 4) == w + 4", "(w & u) <= u", "(w ^ 3) == 3 - w"])
def test_refuted(claim: str) -> None:
    assert isinstance(prove(claim), Refuted)


def test_no_overflow_is_asked_of_the_steps_as_written() -> None:
    assert isinstance(prove("(x | 1) >= x", fits="int8"), Proved)
