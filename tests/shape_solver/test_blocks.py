"""Bits that move: shifts, masks, conversions and powers of two have logs; conversions to signed dtypes distribute."""

from __future__ import annotations

import itertools

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from refrelax.shape_solver import Proved, Refuted, prove
from refrelax.shape_solver.checker.document import examine
from tests.draws import draws

MOVED = (
    ("((a ^ b) >> 3) == (a >> 3) ^ (b >> 3)", []),
    ("((a ^ b ^ c) >> 3) == (a >> 3) ^ (b >> 3) ^ (c >> 3)", []),
    ("(a & b) << 3 == (a << 3) & (b << 3)", []),
    ("(x ^ (y >> 3)) >> 2 == (x >> 2) ^ (y >> 5)", []),
    ("(~r >> 3) & uint32(r) == ~(r >> 3) & uint32(r)", ["q < r"]),
    ("(9 & q) >> 2 == (9 >> 2) & (q >> 2)", ["p % 12 == 0"]),
    ("(q ^ 31) // 32 & q*p == (q >> 5) & q*p", []),
    ("uint8(a & b) == uint8(a) & uint8(b)", []),
    ("uint8(5 ^ q) == uint8(5) ^ uint8(q)", []),
    ("uint8(10 & q) >= uint8(10) & uint8(q)", []),
    ("int8(a & b) == int8(a) & int8(b)", []),
    ("int64(q & s) == int64(q) & int64(s)", []),
    ("int8(2 | p) >= int8(2) | int8(p)", []),
    ("((p - 1) // 5 + 1) & q == (p + 4) // 5 & q", []),
    ("truncdiv(-p, 16) & (q // 128) == -truncdiv(p, 16) & (q // 128)", ["p >= 0"]),
    ("n & (1 << k) == (n >> k & 1) << k", ["k >= 0"]),
    ("(n & (1 << k)) >> k == n >> k & 1", ["k >= 0"]),
    ("n & ((1 << k) - 1) == n % (1 << k)", ["k >= 0"]),
    ("x % (1 << a) % (1 << b) == x % (1 << b)", ["0 <= b <= a"]),
    ("(31 >> (p & 3)) >= 3", []),
    ("(max(p, q) % 48) // 8 <= (max(p, q) // 8) % 6", ["p % 16 == 0"]),
)  # fmt: skip


@pytest.mark.parametrize(("claim", "assume"), MOVED, ids=[claim for claim, _ in MOVED])
def test_bits_that_move_have_a_log(claim: str, assume: list[str]) -> None:
    answer = prove(claim, assume)
    assert isinstance(answer, Proved)
    document = answer.certificate.document()
    assert document["evidence"]["kind"] == "log" and examine(document).by == "checker"


MOVES = ("({} >> 2)", "({} << 3)", "uint8({})", "int8({})", "uint16({})", "({} & 12)", "({} >> 5)")


@settings(max_examples=draws(25))
@given(st.sampled_from(MOVES), st.sampled_from("&|^"), st.sampled_from("&|^"), st.booleans())
def test_a_move_of_bits_distributes(move: str, first: str, second: str, three: bool) -> None:
    """Over ``&``, ``|`` and ``^``, and the log says so."""
    whole, parts = (f"(x {first} y) {second} z", "({} %s {}) %s {}") if three else (f"x {first} y", "{} %s {}")
    operators = (first, second) if three else (first,)
    moved = (parts % operators).format(*(move.format(name) for name in ("x", "y", "z")[: 2 + three]))
    answer = prove(f"{move.format(f'({whole})')} == ({moved})")
    assert isinstance(answer, Proved)
    document = answer.certificate.document()
    assert document["evidence"]["kind"] == "log" and examine(document).by == "checker"


@pytest.mark.parametrize(
    "claim",
    [
        "int8(int32(x & y)) == int8(x) & int8(y)",
        "int8(x ^ 128) == int8(x) ^ -128",
        "(int16(p & 5) & (q - 2)) == (int16(p) & int16(5)) & (q - 2)",
        "int8(x ^ y) * max(y, z) == (int8(x) ^ int8(y)) * max(y, z)",
        "(uint8(q << 4) & (q - p)) >= (uint8(uint8(q) << 4) & (q - p))",
        "(uint32(a * b) & c) == (uint32(uint32(a) * uint32(b)) & c)",
        "((3 + (r + p) % 4) % 4 & q) == ((3 + r + p) % 4 & q)",
        "((q*p + r) % 2) ^ (r - p) == (((q*p) ^ r) & 1) ^ (r - p)",
        "(x * (x + 1) % 2) ^ y == y",
        "(min(r // 8, s // 8) & q) == (min(r, s) // 8 & q)",
        "(truncdiv(truncdiv(s, 8), 3) & q) == (truncdiv(s, 24) & q)",
    ],
)
def test_operands_that_are_equal_otherwise(claim: str) -> None:
    answer = prove(claim)
    assert isinstance(answer, Proved) and answer.stages[-1].name == "normal form"


@pytest.mark.parametrize(
    ("claim", "assume"),
    [("(p ^ s) <= 6366805760909027985741435139225176", ["q <= p"]), ("(q // 5) & q <= 429496729", []),
     ("q > ((int32(p) - p) & q)", ["q > 2"]), ("(p >> 2) & (q % (p + 2)) >= -9223372036854775808", [])],
)  # fmt: skip
def test_counterexamples_at_the_edges_of_words(claim: str, assume: list[str]) -> None:
    assert isinstance(prove(claim, assume), Refuted)


def test_conversions_by_the_bit() -> None:
    """Not every law is one: what is proved of two bits holds at every pair of small numbers."""
    for op, other in itertools.product("&|^", repeat=2):
        for cast in ("int8", "uint8"):
            answer = prove(f"{cast}(x {op} y) == {cast}(x) {other} {cast}(y)")
            assert isinstance(answer, Proved) == (op == other), (op, other, cast)
