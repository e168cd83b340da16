"""Bit operators as arithmetic: exact on all integers, and proofs that rest on them."""

from __future__ import annotations

from math import prod
from random import Random
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from refrelax.shape_solver import Proved, Refuted, injective, parse_claim, parse_dim, prove
from refrelax.shape_solver.axioms import floor_axioms, mask_axioms
from refrelax.shape_solver.bit_forms import runs
from refrelax.shape_solver.bits import opened
from refrelax.shape_solver.equations import apart
from refrelax.shape_solver.evaluate import compiled

INTEGERS = st.integers(-300, 300) | st.integers(-(2**40), 2**40)


@given(INTEGERS, INTEGERS, st.sampled_from("&|^"), st.sampled_from("&|^"), INTEGERS)
def test_opened_is_exact(x: int, y: int, first: str, second: str, mask: int) -> None:
    for text in (f"(x {first} y) {second} ({mask})", f"({mask}) {first} x", f"(x << 3) {first} (y % 8)"):
        e = parse_dim(text)
        assert compiled(opened(e))({"x": x, "y": y}) == compiled(e)({"x": x, "y": y}), text


@given(INTEGERS, INTEGERS, st.sampled_from("&|^"), st.integers(0, 6), st.integers(0, 6), st.sampled_from(("==", "!=")))
def test_opened_sums_and_equations_are_exact(x: int, y: int, op: str, k: int, width: int, compare: str) -> None:
    """Sums of what has no bit in common (and of what has), and equations with the same bits on both sides."""
    for text in (
        f"(x*{1 << k} + (y & {(1 << width) - 1})) {op} x",
        f"(x {op} y ^ x*3 ^ -1) & {1 << k}",
        f"((x & {(7 << k)}) + (y {op} x) % {1 << width}) % 64",
        f"(x {op} y) {compare} (y ^ x) + 0*x",
        f"(x ^ y % {1 << width}) {compare} ((y & 12) ^ y % {1 << width})",
        f"x*{1 << k} + (y ^ 5) % {1 << width} {compare} y*{1 << k} + (x {op} 3) % {1 << width}",
    ):
        e = parse_claim(text) if compare in text else parse_dim(text)
        for values in ({"x": x, "y": y}, {"x": x, "y": x}, {"x": x % 16, "y": y % 16}):
            assert compiled(opened(e))(values) == compiled(e)(values), text
            assert e.dtype != "bool" or compiled(opened(apart(e, {})))(values) == compiled(e)(values), text


@given(INTEGERS, INTEGERS)
def test_mask_axioms_hold(a: int, b: int) -> None:
    """What is told to Z3 of ``a & b`` holds, whatever the bits are."""
    for x, y in ((a, b), (a, -a), (a, ~a), (a, a - 1), (a, 0), (-1, b)):
        for axiom in mask_axioms(x & y, x, y):
            assert holds(axiom), (axiom, x, y)


@given(INTEGERS, INTEGERS)
def test_quotient_axioms_hold(a: int, b: int) -> None:
    for x, y in ((a, b), (a, -b), (a % 7, b % 5), (b % 3, a), (-(a % 4), b), (a, b % 4)):
        if y:
            for axiom in floor_axioms(x // y, x, y):
                assert holds(axiom), (axiom, x, y)


def holds(f: Any) -> Any:
    match f:
        case int():
            return f
        case ("+", *terms):
            return sum(map(holds, terms))
        case ("*", *terms):
            return prod(map(holds, terms))
        case ("<=", x, y):
            return holds(x) <= holds(y)
        case ("=", x, y):
            return holds(x) == holds(y)
        case ("and", *parts):
            return all(map(holds, parts))
        case ("or", *parts):
            return any(map(holds, parts))
        case ("not", part):
            return not holds(part)
    raise AssertionError(f)


@given(INTEGERS, st.integers(0, 70), st.integers(0, 70))
def test_a_remainder_of_a_remainder(x: int, j: int, k: int) -> None:
    assert x % (1 << j) % (1 << k) == x % (1 << min(j, k))


@given(st.integers(2, 60), st.integers(-9, 9), st.integers(-80, 80))
def test_an_equation_has_digits(c: int, q: int, r: int) -> None:
    if -c < r < c:
        assert (c * q + r == 0) == (q == 0 and r == 0)


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
        "implies(n != 0, (n | -n) < 0 and (n & -n) > 0)",
        "((b ^ a) & 4) == 0 or ((b ^ a) & 4) == 4",
        "(a ^ b) & 1 == (a + b) % 2",
        "(a ^ b) & 16 == (a ^ b) // 16 % 2 * 16",
        "((a | b) & 8) == 0 or ((a | b) & 8) == 8",
        "implies(x == 1 << k, x & (x - 1) == 0 and x & -x == x)",
        "implies(0 <= b and b <= a, n % (1 << a) % (1 << b) == n % (1 << b))",
        "implies(0 <= a and a <= b, n % (1 << a) % (1 << b) == n % (1 << a))",
    ],
)
def test_proved(claim: str) -> None:
    assert isinstance(prove(claim), Proved)


@pytest.mark.parametrize("claim", ["(w & 5) == w % 6", "(w | 4) == w + 4", "(w & u) <= u", "(w ^ 3) == 3 - w"])
def test_refuted(claim: str) -> None:
    assert isinstance(prove(claim), Refuted)


def test_no_overflow_is_asked_of_the_steps_as_written() -> None:
    assert isinstance(prove("(x | 1) >= x", fits="int8"), Proved)


@pytest.mark.parametrize(
    ("claim", "assume"),
    [
        ("((n + al - 1) & -al) % al == 0", ["al == 1 << k"]),
        ("((n + al - 1) & ~(al - 1)) == (n + al - 1)//al*al", ["al == 1 << k"]),
        ("x & (x - 1) == 0", ["x == 1 << k"]),
        ("(n | (x - 1)) + 1 == (n//x + 1)*x", ["1 << k == x"]),
        ("x % y == 0", ["x == 1 << k", "y == 1 << j", "0 <= j", "j <= k"]),
        ("(x | y) == x + y", ["x == 1 << k", "y == 1 << j", "0 <= j", "j < k"]),
        ("((row*32 + (col ^ row % 32)) % 32) ^ (row % 32) == col", ["0 <= col < 32"]),
        ("(row*32 + (col ^ row % 32)) // 32 == row", ["0 <= col < 32"]),
        ("row*32 + (col ^ row % 32) < rows*32", ["0 <= col < 32", "0 <= row < rows"]),
    ],
)
def test_powers_and_swizzles(claim: str, assume: list[str]) -> None:
    assert isinstance(prove(claim, assume), Proved)


@pytest.mark.parametrize(
    ("index", "variables"),
    [
        ("row*32 + (col ^ row % 32)", ["row", "col"]),
        ("row*32 + (col ^ row % 32)", ["col"]),
        ("row*32 + (col ^ (row & 31))", ["row", "col"]),
        ("row*64 + (col ^ row % 4 * 8)", ["row", "col"]),
        ("row*128 + (col ^ ((row >> 1 & 3) << 3))", ["row", "col"]),
        ("(row*8 + (col // 4 ^ row % 8))*4 + col % 4", ["row", "col"]),
    ],
)
def test_swizzles_are_one_to_one(index: str, variables: list[str]) -> None:
    """Of rows without end; the same with rows that overlap are not."""
    given = ["0 <= col < 32"]
    assert isinstance(injective(index, variables, given), Proved)
    assert len(variables) == 1 or isinstance(injective(index.replace("row*", "row*3//4*"), variables, given), Refuted)


@pytest.mark.parametrize(
    "claim",
    [
        "((1 << a) - 1 & (1 << b) - 1) == (1 << min(a, b)) - 1",
        "n % (1 << a) % (1 << b) == n % (1 << min(a, b))",
        "((n & (1 << a) - 1) & (1 << b) - 1) == n % (1 << min(a, b))",
        "((1 << a) & (1 << b)) == 0 or a == b",
        "((1 << a) & (1 << b) - 1) == select(a < b, 1 << a, 0)",
    ],
)
def test_masks_of_two_powers(claim: str) -> None:
    assert isinstance(prove(claim, ["0 <= a", "0 <= b"]), Proved)


MASKS = ("(1 << a)", "(1 << b)", "((1 << a) - 1)", "((1 << b) - 1)", "((1 << c) - 1)", "x", "7", "(~x)", "(-(1 << a))")


@given(st.integers(0, 2**32))
def test_masks_of_powers_keep_their_values(seed: int) -> None:
    random = Random(seed)
    text = random.choice(MASKS)
    for _ in range(random.choice((1, 2, 3))):
        text = f"({text} {random.choice('&&|^')} {random.choice(MASKS)})"
    e = parse_dim(text)
    plain, arithmetic = compiled(e), compiled(opened(e))
    for _ in range(12):
        env = {**{name: random.randint(0, 5) for name in "abc"}, "x": random.randint(-40, 40)}
        assert plain(env) == arithmetic(env), (text, env)
