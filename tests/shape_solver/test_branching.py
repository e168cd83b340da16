"""Logs by branching: what each part of it is there for, at the lowest effort."""

from __future__ import annotations

import pytest

from refrelax.shape_solver import Proved, prove
from refrelax.shape_solver.checker.document import examine
from refrelax.syntax.scalars import Binary, Cast, Let, Literal, Not, SymVar, int_imm

LOGGED: dict[str, list[tuple[str, list[str]]]] = {
    "splits": [
        ("min(max(x, 7), 10) == max(min(x, 10), 7)", []),
        ("max(min(x, y), min(y, z), min(x, z)) == min(max(x, y), max(y, z), max(x, z))", []),
        ("select(n == 1, m, n) == max(n, m)", ["n >= 1", "m >= 1", "n == m or n == 1 or m == 1"]),
        ("abs(min(max(x, lo), hi) - min(max(y, lo), hi)) <= abs(x - y)", ["lo <= hi"]),
        ("select(x < y, 1, 0) + select(y < x, 1, 0) + select(x == y, 1, 0) == 1", []),
    ],
    "integers": [
        ("n % 12 == 0", ["n % 4 == 0", "n % 6 == 0"]),
        ("x % 15 == 8", ["x % 3 == 2", "x % 5 == 3"]),
        ("64 * i + 10 * j != 11", []),
        ("(x % 3 == y % 3) == ((x - y) % 3 == 0)", []),
        ("truncmod(truncmod(x, 35), 7) == truncmod(x, 7)", []),
        ("max(truncdiv(x, -7), truncdiv(y, -7)) == truncdiv(min(x, y), -7)", []),
        ("x // 3 + (x + 1) // 3 + (x + 2) // 3 == x", []),
        ("(t % 32 // 4 + r // 2 * 8) * 8 + t % 4 * 2 + r % 2 < 128", ["0 <= r < 4"]),
        ("implies((c + r) % 8 == (d + r) % 8, c == d)", ["0 <= c < 8", "0 <= d < 8"]),
        ("truncdiv(x, 8) == (x + (x >> 63 & 7)) >> 3", ["-9223372036854775808 <= x", "x < 9223372036854775808"]),
    ],
    "products": [
        ("n * (n + 1) % 2 == 0", []),
        ("x * (x + 1) * (2 * x + 1) % 6 == 0", []),
        ("uint32(15) != uint32(m * m)", []),
        ("max(x, y) * min(x, y) == x * y", []),
        ("a * b * c >= a + b + c - 2", ["a >= 1", "b >= 1", "c >= 1"]),
        ("implies(n * m == 1, n == m)", []),
        ("a * a * b + b >= 2 * a * b", ["b >= 0"]),
    ],
    "quotients by symbols": [
        ("x % (d * e) // d == x // d % e", ["d >= 1", "e >= 1"]),
        ("(a + b) % c == (a % c + b % c) % c", ["c >= 1"]),
        ("(((i * b + j) * c + k) * d + l) // (c * d) % b == j", ["0 <= j < b", "0 <= k < c", "0 <= l < d"]),
        ("v // (n * m) * (n * m) + v // n % m * n + v % n == v", ["n >= 1", "m >= 1"]),
        ("x * y % y == 0", ["y != 0"]),
    ],
    "bits": [
        ("((n ^ m) ^ m) == n", []),
        ("(m & (n | m)) == m", []),
        ("(n & ~m) + (n & m) == n", []),
        ("((127 ^ j) ^ j) == 127", []),
        ("((j ^ 100) ^ 100) == j", []),
        ("((t << 2) | u) == t * 4 + u", ["0 <= u < 4"]),
        ("((c // 8) ^ (r % 8)) < 8", ["0 <= c < 64"]),
        ("(min(x, y) ^ z) == (select(x < y, x, y) ^ z)", []),
        ("(-1 - x) ^ y == ~(x ^ y)", []),
    ],
}  # fmt: skip


@pytest.mark.thorough
@pytest.mark.parametrize("kind", LOGGED)
def test_a_log_is_written_and_accepted(kind: str) -> None:
    for claim, assume in LOGGED[kind]:
        answer = prove(claim, assume)
        assert isinstance(answer, Proved), claim
        document = answer.certificate.document("quick")
        assert document["evidence"]["kind"] == "log" and examine(document).by == "checker", claim


def test_a_split_that_a_branch_does_without_is_none() -> None:
    """Disjunctions that have nothing to do with the claim leave no trace."""
    idle = [f"p{n} < 0 or p{n} > {n}" for n in range(12)]
    answer = prove("min(x, y) <= x", idle)
    assert isinstance(answer, Proved)
    steps = answer.certificate.document("quick")["evidence"]["steps"]
    assert len(steps) <= 4 and not any(step["rule"] == "cases" for step in steps)


def test_a_literal_out_of_range_is_a_step() -> None:
    """The value of a ``T.Let`` is evaluated, used or not: a literal as well, in questions about floats as well."""
    used = "T.Let(n >= 0, where={v: 300})"
    assert not isinstance(prove(used, ["n >= 0"], fits="int8"), Proved)
    assert isinstance(prove(used, ["n >= 0"], fits="int16"), Proved)
    floats = Binary("LT", Literal("float32", 0), Cast("float32", SymVar("n")))
    for value, wide in ((300, "int16"), (-1, "int8")):
        asked = Let(SymVar("v"), int_imm(value), Binary("Or", floats, Not(floats)))
        assert not isinstance(prove(asked, fits="uint8"), Proved)
        assert isinstance(prove(asked, fits=wide), Proved)
