# ruff: noqa: E501
"""Writes ``hard.json``: questions that a staged solver does not simply saturate, with known answers.

Every question is checked before it is written: a false one has a counterexample at hand, a true one follows from how it was
made and survives exhaustive evaluation on a small domain; the ``finite`` family is decided by that evaluation alone, since
its assumptions bound every symbol. Run: ``python benchmarks/solver_queries/generate.py``.
"""

from __future__ import annotations

import itertools
import json
import re
from collections.abc import Iterator
from pathlib import Path
from random import Random

from finite import finite

from refrelax.shape_solver.evaluate import OutOfRange, Undefined, compiled
from refrelax.shape_solver.parse import parse_claim
from refrelax.syntax.dtypes import integer_range

HERE = Path(__file__).parent
Item = tuple[str, list[str], bool]
"""Claim, assumptions, truth."""


def shifts() -> Iterator[Item]:
    """Shifts by symbols and constants, mixed with division and masks."""
    pos = ["a >= 0", "b >= 0"]
    yield "(x << a) << b == x << (a + b)", pos, True
    yield "(x >> a) >> b == x >> (a + b)", pos, True
    yield "(x << a) >> a == x", ["a >= 0"], True
    yield "(x >> a) << a == x", ["a >= 0"], False
    yield "(x >> a) << a <= x", ["a >= 0"], True
    yield "x - ((x >> a) << a) < (1 << a)", ["a >= 0"], True
    yield "x <= x << a", ["a >= 0"], False
    yield "x <= x << a", ["a >= 0", "x >= 0"], True
    yield "(x << a) + (y << a) == (x + y) << a", ["a >= 0"], True
    yield "(x >> a) + (y >> a) == (x + y) >> a", ["a >= 0"], False
    yield "(x >> a) + (y >> a) <= (x + y) >> a", ["a >= 0"], True
    yield "(x + y) >> a <= (x >> a) + (y >> a) + 1", ["a >= 0"], True
    yield "(x << (a + 1)) == 2 * (x << a)", ["a >= 0"], True
    yield "(x >> (a + 1)) == (x >> a) // 2", ["a >= 0"], True
    yield "(x >> (a + 1)) == truncdiv(x >> a, 2)", ["a >= 0"], False
    yield "(x >> (a + 1)) == truncdiv(x >> a, 2)", ["a >= 0", "x >= 0"], True
    yield "(1 << a) * (1 << b) == 1 << (a + b)", pos, True
    yield "(1 << a) + (1 << b) == 1 << (a + b)", pos, False
    yield "(1 << a) <= (1 << b)", ["0 <= a", "a <= b"], True
    yield "(1 << a) < (1 << b)", ["0 <= a", "a < b"], True
    yield "a < (1 << a)", ["a >= 0"], True
    yield "a * a <= (1 << a)", ["a >= 0"], False
    for k in (1, 2, 3, 5):
        yield f"(x >> {k}) * {1 << k} + (x & {(1 << k) - 1}) == x", [], True
        yield f"((x + {(1 << k) - 1}) >> {k}) << {k} >= x", [], True
        yield f"((x + {(1 << k) - 1}) >> {k}) << {k} < x + {(1 << k) - 1}", [], False
        yield f"((x << {k}) + y) >> {k} == x + (y >> {k})", [], True
        yield f"((x << {k}) + y) & {(1 << k) - 1} == y & {(1 << k) - 1}", [], True
        yield f"((x << {k}) | y) == (x << {k}) + y", ["x >= 0", f"0 <= y < {1 << (k + 1)}"], False
        yield (
            f"truncdiv(x, {1 << k}) == (x + (x >> 63 & {(1 << k) - 1})) >> {k}",
            ["-9223372036854775808 <= x", "x < 9223372036854775808"],
            True,
        )
        yield f"(x >> {k}) >> a == x >> (a + {k})", ["a >= 0"], True
        yield f"(x << a) % {1 << k} == 0", [f"a >= {k}"], True
        yield f"(x << a) % {1 << k} == 0", [f"a >= {k - 1}"], False


def truncation() -> Iterator[Item]:
    """min, max and select with division towards zero."""
    yield "truncdiv(max(x, 0), y) == max(x, 0) // y", ["y >= 1"], True
    yield "truncdiv(min(x, 0), y) == -((-min(x, 0)) // y)", ["y >= 1"], True
    yield "truncdiv(x, y) == min(x // y, -((-x) // y))", ["y >= 1", "x >= 0"], True
    yield "truncdiv(x, y) == max(x // y, -((-x) // y))", ["y >= 1", "x <= 0"], True
    yield "truncdiv(x, y) == max(x // y, -((-x) // y))", ["y >= 1"], False
    yield "truncdiv(x, y) == select(x >= 0, x // y, -((-x) // y))", ["y >= 1"], True
    yield "truncdiv(x, y) * y + truncmod(x, y) == x", [], True
    yield "abs(truncmod(x, y)) < abs(y)", [], True
    yield "abs(x % y) < abs(y)", [], True
    yield "truncmod(x, y) == x % y", ["y >= 1"], False
    yield "truncmod(x, y) == x % y or truncmod(x, y) == x % y - y", ["y >= 1"], True
    yield "truncdiv(-x, y) == -truncdiv(x, y)", [], True
    yield "truncdiv(x, -y) == -truncdiv(x, y)", [], True
    yield "(-x) // y == -(x // y)", [], False
    yield "truncdiv(truncdiv(x, y), z) == truncdiv(x, y * z)", ["y >= 1", "z >= 1"], True
    yield "(x // y) // z == x // (y * z)", ["y >= 1", "z >= 1"], True
    yield "truncdiv(x // y, z) == x // (y * z)", ["y >= 1", "z >= 1"], False
    yield "truncdiv(x + z * y, y) == truncdiv(x, y) + z", ["y >= 1", "x >= 0", "z >= 0"], True
    yield "truncdiv(x + z * y, y) == truncdiv(x, y) + z", ["y >= 1"], False
    for f, g in (("min", "max"), ("max", "min")):
        yield f"{f}({g}(x, y), z) == {g}({f}(x, z), {f}(y, z))", [], True
        yield f"{f}({g}(x, y), x) == x", [], True
        yield f"{f}(x, y) // 4 == {f}(x // 4, y // 4)", [], True
        yield f"truncdiv({f}(x, y), 4) == {f}(truncdiv(x, 4), truncdiv(y, 4))", [], True
        yield f"truncdiv({f}(x, y), z) == {f}(truncdiv(x, z), truncdiv(y, z))", ["z >= 1"], True
        yield f"{f}(x, y) // z == {f}(x // z, y // z)", ["z >= 1"], True
        yield f"{f}(x, y) // z == {f}(x // z, y // z)", [], False
        yield f"{f}(x, y) % 4 == {f}(x % 4, y % 4)", [], False
        yield f"-{f}(x, y) == {g}(-x, -y)", [], True
        yield f"{f}(x, y) * z == {f}(x * z, y * z)", ["z >= 0"], True
        yield f"{f}(x, y) * z == {g}(x * z, y * z)", ["z <= 0"], True
        yield f"{f}(x, y) * z == {f}(x * z, y * z)", [], False
        yield f"{f}(x, y) + {f}(z, w) == {f}({f}(x + z, x + w), {f}(y + z, y + w))", [], True
        yield f"{f}(x * x, y * y) >= 0", [], True
    yield "max(min(n - s, k), 0) <= k", ["k >= 0"], True
    yield "min(max(b, 0), n) - min(max(a, 0), n) <= n", ["n >= 0"], True
    yield "min(max(b, 0), n) - min(max(a, 0), n) >= 0", ["n >= 0"], False
    yield "min(max(b, 0), n) - min(max(a, 0), n) >= 0", ["n >= 0", "a <= b"], True
    yield "max(0, (min(b, n) - max(a, 0) + s - 1) // s) <= n", ["n >= 0", "s >= 1"], True
    yield "max(0, truncdiv(b - a + s - 1, s)) == max(0, (b - a + s - 1) // s)", ["s >= 1"], True
    yield "truncdiv(b - a + s - 1, s) == (b - a + s - 1) // s", ["s >= 1"], False
    yield "select(p < 0, p + n, p) == p % n", ["n >= 1", "-n <= p", "p < n"], True
    yield "select(p < 0, p + n, p) == p % n", ["n >= 1", "-n <= p", "p <= n"], False
    yield "min(n, 8 * ((n + 7) // 8)) == n", [], True
    yield "max(n, 8 * (n // 8)) == n", [], True
    yield "max(n - 1, 0) // 4 + 1 == max((n + 3) // 4, 1)", [], True
    yield "truncdiv(n - 1, 4) + 1 == (n + 3) // 4", ["n >= 0"], False
    yield "truncdiv(n - 1, 4) + 1 == max((n + 3) // 4, 1)", ["n >= 0"], True


def tilings() -> Iterator[Item]:
    """Padded and guarded tilings."""
    for t in ("4", "16", "T"):
        side = ["T >= 1"] if t == "T" else []
        inside = [*side, "n >= 0", "0 <= i", "0 <= j", f"j < {t}"]
        yield f"implies(i * {t} + j < n, i < ceildiv(n, {t}))", inside, True
        yield f"implies(i < ceildiv(n, {t}), i * {t} + j < n)", inside, False
        yield f"implies(i < ceildiv(n, {t}), i * {t} < n)", inside, True
        yield f"implies(i < n // {t}, i * {t} + j < n)", inside, True
        yield f"implies(i < ceildiv(n, {t}), i * {t} + j < n + {t} - 1)", inside, True
        yield f"implies(i < ceildiv(n, {t}), min(i * {t} + {t}, n) - i * {t} >= 1)", inside, True
        yield f"implies(i < ceildiv(n, {t}), min(n - i * {t}, {t}) <= {t})", inside, True
        yield f"implies(i < ceildiv(n, {t}) - 1, min(n - i * {t}, {t}) == {t})", inside, True
        yield f"implies(i < ceildiv(n, {t}), min(n - i * {t}, {t}) == {t})", inside, False
        yield f"implies(0 <= v and v < n, v // {t} < ceildiv(n, {t}) and v % {t} < {t})", [*side, "n >= 0"], True
        yield f"implies(0 <= v and v < n, v // {t} * {t} + v % {t} == v)", [*side, "n >= 0"], True
        yield f"ceildiv(n, {t}) * {t} - n < {t}", side, True
        yield f"ceildiv(n, {t}) * {t} - n >= 0", side, True
        yield f"ceildiv(n, {t}) * {t} == n", side, False
        yield f"ceildiv(n, {t}) * {t} == n", [*side, f"n % {t} == 0"], True
        yield f"ceildiv(n, {t}) * {t} - n == (-n) % {t}", side, True
        yield f"ceildiv(n, {t}) == n // {t} + select(n % {t} == 0, 0, 1)", side, True
        yield f"ceildiv(n, {t}) == n // {t} + 1", [*side, f"n % {t} != 0"], True
        yield f"(i * {t} + j) // {t} == i and (i * {t} + j) % {t} == j", inside, True
        yield f"implies(i * {t} + j == u * {t} + v, i == u and j == v)", [*inside, "0 <= v", f"v < {t}"], True
        yield f"implies(i * {t} + j == u * {t} + v, i == u and j == v)", [*inside, "0 <= v", f"v <= {t}"], False
        yield f"ceildiv(n + {t}, {t}) == ceildiv(n, {t}) + 1", side, True
        yield f"ceildiv(n, {t}) <= n", [*side, "n >= 0"], True
        yield f"ceildiv(ceildiv(n, {t}), 3) == ceildiv(n, {t} * 3)", side, True
        yield f"ceildiv(ceildiv(n, {t}), S) == ceildiv(n, {t} * S)", [*side, "S >= 1"], True
        yield f"n // {t} // S == n // S // {t}", [*side, "S >= 1"], True
        yield f"ceildiv(n, {t}) * {t} <= ceildiv(n, {t} * S) * ({t} * S)", [*side, "S >= 1"], True
        yield f"ceildiv(n, {t} * S) * S <= ceildiv(n, {t})", [*side, "S >= 1"], False
    yield (
        "implies(io * (T * S) + im * T + ii < n, io < ceildiv(n, T * S))",
        ["T >= 1", "S >= 1", "0 <= io", "0 <= im < S", "0 <= ii < T"],
        True,
    )
    yield (
        "(io * (T * S) + im * T + ii) // T % S == im",
        ["T >= 1", "S >= 1", "0 <= io", "0 <= im < S", "0 <= ii < T"],
        True,
    )
    yield (
        "(io * (T * S) + im * T + ii) // (T * S) == io",
        ["T >= 1", "S >= 1", "0 <= io", "0 <= im < S", "0 <= ii < T"],
        True,
    )
    yield (
        "(io * (T * S) + im * T + ii) // T // S == io",
        ["T >= 1", "S >= 1", "0 <= io", "0 <= im <= S", "0 <= ii < T"],
        False,
    )


def products() -> Iterator[Item]:
    """Products of three symbols under division."""
    pos = ["a >= 1", "b >= 1", "c >= 1"]
    yield "a * b * c // (b * c) == a", pos, True
    yield "a * b * c // b // c == a", pos, True
    yield "(a * b * c + b) // (b * c) == a", pos, False
    yield "(a * b * c + b) // (b * c) == a", ["a >= 1", "b >= 1", "c >= 2"], True
    yield "(a * b + c) // b == a + c // b", ["b >= 1"], True
    yield "(a * b + c) % b == c % b", ["b >= 1"], True
    yield "(a // b) * b * c <= a * c", ["b >= 1", "c >= 0"], True
    yield "(a // b) * b * c <= a * c", ["b >= 1"], False
    yield "(a * c) // (b * c) == a // b", pos, True
    yield "(a * c) % (b * c) == a % b * c", pos, True
    yield "(a * c + d) // (b * c) == a // b", [*pos, "0 <= d < c"], True
    yield "(a * c + d) % (b * c) == a % b * c + d", [*pos, "0 <= d < c"], True
    yield "(a * c + d) // (b * c) == a // b", [*pos, "0 <= d <= c"], False
    yield "a // (b * c) * b * c + a // c % b * c + a % c == a", ["b >= 1", "c >= 1"], True
    yield "a // (b * c) == a // c // b", ["b >= 1", "c >= 1"], True
    yield "a // b // c <= a // b", ["a >= 0", "b >= 1", "c >= 1"], True
    yield "a * (b // c) <= a * b // c", ["a >= 0", "c >= 1"], True
    yield "a * (b // c) == a * b // c", ["a >= 0", "c >= 1"], False
    yield "a * b // c - a * (b // c) < a", ["a >= 1", "c >= 1"], True
    yield "a * b // c - a * (b // c) <= a", ["a >= 0", "c >= 1"], True
    yield "(a * b % c) == (a % c) * (b % c) % c", ["c >= 1"], True
    yield "(a + b) % c == (a % c + b % c) % c", ["c >= 1"], True
    yield "(a * b) % (b * c) == a % c * b", ["b >= 1", "c >= 1"], True
    yield "(a % (b * c)) % c == a % c", ["b >= 1", "c >= 1"], True
    yield "(a % (b * c)) // c == a // c % b", ["b >= 1", "c >= 1"], True
    yield "(a % (b * c)) % b == a % c", ["b >= 1", "c >= 1"], False
    yield "((i * b + j) * c + k) // (b * c) == i", ["0 <= j < b", "0 <= k < c"], True
    yield "((i * b + j) * c + k) // c % b == j", ["0 <= j < b", "0 <= k < c"], True
    yield "((i * b + j) * c + k) % c == k", ["0 <= j < b", "0 <= k < c"], True
    yield "(i * b + j) * c + k < a * b * c", ["0 <= i < a", "0 <= j < b", "0 <= k < c"], True
    yield "(i * b + j) * c + k < a * b * c", ["0 <= i < a", "0 <= j <= b", "0 <= k < c"], False
    yield (
        "((i * b + j) * c + k) * d + l < a * b * c * d",
        ["0 <= i < a", "0 <= j < b", "0 <= k < c", "0 <= l < d"],
        True,
    )
    yield "(((i * b + j) * c + k) * d + l) // d % c == k", ["0 <= j < b", "0 <= k < c", "0 <= l < d"], True
    yield "(((i * b + j) * c + k) * d + l) // (c * d) % b == j", ["0 <= j < b", "0 <= k < c", "0 <= l < d"], True
    yield "v // (b * c) < a", ["0 <= v < a * b * c", "b >= 1", "c >= 1"], True
    yield "v // (b * c) <= a - 2", ["0 <= v < a * b * c", "b >= 1", "c >= 1"], False
    yield "v % (b * c) // c < b", ["b >= 1", "c >= 1"], True
    yield "(v // (b * c)) * (b * c) + (v // c % b) * c + v % c == v", ["b >= 1", "c >= 1"], True
    yield "v % c * (a * b) + v // c < a * b * c", ["0 <= v < a * b * c", "c >= 1"], True
    yield "(v % c * (a * b) + v // c) // (a * b) == v % c", ["0 <= v < a * b * c", "c >= 1", "a >= 1", "b >= 1"], True
    yield "(v % c * (a * b) + v // c) % (a * b) == v // c", ["0 <= v < a * b * c", "c >= 1", "a >= 1", "b >= 1"], True
    yield "implies(a * b * c == a * b * d, c == d)", ["a >= 1", "b >= 1"], True
    yield "implies(a * b == c * b, a == c)", ["b >= 0"], False
    yield "a * b * c >= a", pos, True
    yield "a * b * c >= a + b + c - 2", pos, True
    yield "a * b * c >= a * b + c - 1", pos, True
    yield "a * b * c >= a + b + c", pos, False
    yield "a * a * b + b >= 2 * a * b", ["b >= 0"], True
    yield "(a + b) * (a + b) >= 4 * a * b", [], True
    yield "a * a + b * b + c * c >= a * b + b * c + a * c", [], True
    yield "a * a + b * b + c * c > a * b + b * c + a * c", [], False
    yield "a * (a + 1) % 2 == 0", [], True
    yield "a * (a + 1) * (a + 2) % 6 == 0", [], True
    yield "a * (a + 1) % 3 == 0", [], False
    yield "a * a % 4 <= 1", [], True
    yield "(a * b) % 4 == ((a % 4) * (b % 4)) % 4", [], True
    yield "(a * b + c) // (b * c) <= a + c", pos, True


def reshapes() -> Iterator[Item]:
    """Chains of reshapes and transposes through dims that do not divide each other."""
    for a, b in ((6, 4), (10, 6), (9, 15), (14, 21), (8, 12)):
        size = a * b
        bound = ["0 <= v", f"v < n * {size}"]
        yield f"(v // {a} * {a} + v % {a}) // {b} == v // {b}", bound, True
        yield f"(v // {a} * {b} + v % {a}) // {b} == v // {a}", bound, a <= b
        yield f"v // {a} // {b} == v // {b} // {a}", bound, True
        yield f"v % {size} // {a} == v // {a} % {b}", bound, True
        yield f"v % {a} % {b} == v % {b} % {a}", bound, False
        yield f"v // {size} < n", bound, True
        yield f"(v // {size} * {b} + v // {a} % {b}) * {a} + v % {a} == v", bound, True
        yield f"(v % {b} * {a} + v // {b} % {a}) % {a} == v // {b} % {a}", bound, True
        yield f"(v // {b} % {a} + v % {b} * {a}) // {a} == v % {b}", bound, True
        yield f"v // {size} * {size} + v % {b} * {a} + v // {b} % {a} < n * {size}", bound, True
        yield f"v // {a} <= n * {b} - {b}", bound, False
    inside = ["0 <= i < n", "0 <= j < m"]
    for k in (3, 4, 7):
        yield f"(i * m + j) // {k} * {k} + (i * m + j) % {k} == i * m + j", inside, True
        yield f"(i * m + j) // {k} < ceildiv(n * m, {k})", inside, True
        yield f"(i * m + j) // {k} < n * m // {k}", inside, False
        yield f"((i * m + j) // {k} * {k} + (i * m + j) % {k}) // m == i", inside, True
        yield f"((i * m + j) // {k} * {k} + (i * m + j) % {k}) % m == j", inside, True
        yield f"(i * (m * {k}) + j * {k} + l) // {k} % m == j", [*inside, f"0 <= l < {k}"], True
        yield f"(i * (m * {k}) + j * {k} + l) // (m * {k}) == i", [*inside, f"0 <= l < {k}"], True
        yield f"(i * (m * {k}) + j * {k} + l) // m % {k} == l", [*inside, f"0 <= l < {k}"], False
        yield (
            f"(j * (n * {k}) + i * {k} + l) // (n * {k}) * (n * {k}) + (j * {k} * n + i * {k} + l) % (n * {k}) < n * m * {k}",
            [*inside, f"0 <= l < {k}"],
            True,
        )
    heads = ["0 <= v", "v < s * (h * d)", "h >= 1", "d >= 1"]
    yield "(v // (h * d) * h + v // d % h) * d + v % d == v", heads, True
    yield "((v // d % h) * s + v // (h * d)) * d + v % d < s * (h * d)", heads, True
    yield "(((v // d % h) * s + v // (h * d)) * d + v % d) // (s * d) == v // d % h", heads, True
    yield "(((v // d % h) * s + v // (h * d)) * d + v % d) // d % s == v // (h * d)", heads, True
    yield "(((v // d % h) * s + v // (h * d)) * d + v % d) % d == v % d", heads, True
    yield "(v // d % h) // g < ceildiv(h, g)", [*heads, "g >= 1"], True
    yield "(v // d % h) // g < h // g", [*heads, "g >= 1"], False
    yield "(v // d % h) // g < h // g", [*heads, "g >= 1", "h % g == 0"], True
    pixel = ["0 <= y < H * r", "0 <= x < W * r", "r >= 1"]
    yield "y // r < H and x // r < W", pixel, True
    yield "(c * r + y % r) * r + x % r < (c + 1) * r * r", pixel, True
    yield "((c * r + y % r) * r + x % r) // (r * r) == c", pixel, True
    yield "((c * r + y % r) * r + x % r) // r % r == y % r", pixel, True
    yield "(y // r * W + x // r) * (r * r) + y % r * r + x % r < H * W * (r * r)", pixel, True
    yield "(y // r) * r + x % r == y", pixel, False


def overflow() -> Iterator[tuple[str, list[str], bool, str]]:
    """Nothing overflows in a narrow dtype."""
    for limit, dtype in ((1024, "int32"), (30, "int16"), (2**20, "int64")):
        dims = [f"0 <= n <= {limit}", f"0 <= m <= {limit}", "0 <= i < n", "0 <= j < m"]
        yield "i * m + j < n * m", dims, True, dtype
        yield "i * m + j >= 0", dims, True, dtype
        yield "(i * m + j) // m == i", dims, True, dtype
        yield "(i * m + j) * 2 + 1 > i", dims, True, dtype
        yield "(n + 15) // 16 * 16 >= n", dims, True, dtype
        yield "n * m - i * m - j >= 1", dims, True, dtype
        yield "max(n * m, 1) >= min(n, m)", dims, True, dtype
    for limit, dtype in ((65536, "int32"), (200, "int16"), (2**33, "int64")):
        dims = [f"0 <= n <= {limit}", f"0 <= m <= {limit}", "0 <= i < n", "0 <= j < m"]
        yield "i * m + j < n * m", dims, False, dtype
        yield "n * m >= 0", dims, False, dtype
        yield "(n + m) * (n - m) <= n * n", dims, False, dtype
    for dtype in ("int32", "int64", "int8"):
        yield "n + 1 > n", [], False, dtype
        yield "n + 1 > n", [f"n < {integer_range(dtype)[1]}"], True, dtype
        yield "n // 2 + m // 2 <= max(n, m)", [], True, dtype
        yield "n // 2 + m // 2 <= (n + m) // 2", [], False, dtype
        yield "n // m <= abs(n)", ["m >= 1"], False, dtype
        yield "n // m <= n", ["m >= 1", "n >= 0"], True, dtype
        yield "n // m <= n + 1", ["n >= 0", "n <= 100"], True, dtype
        yield "-n <= 0", ["n >= 0"], True, dtype
        yield "-n >= 0", ["n <= 0"], False, dtype
        yield "min(n, m) - max(n, m) <= 0", [], False, dtype
        yield "min(n, m) - max(n, m) <= 0", ["n >= 0", "m >= 0"], True, dtype
        yield "(n << 2) == 4 * n", ["0 <= n", f"n <= {integer_range(dtype)[1] // 4}"], True, dtype
        yield "(n << 2) == 4 * n", ["0 <= n", f"n <= {integer_range(dtype)[1] // 4 + 1}"], False, dtype
    tight = ["1 <= a <= 40", "1 <= b <= 40", "1 <= c <= 40", "0 <= i < a", "0 <= j < b", "0 <= k < c"]
    yield "(i * b + j) * c + k < a * b * c", tight, True, "int32"
    yield "(i * b + j) * c + k < a * b * c", tight, False, "int16"
    yield "((i * b + j) * c + k) // c % b == j", tight, True, "int32"


def counterexample(claim: str, assume: list[str], fits: str | None) -> dict[str, int] | None:
    """A point where the assumptions hold and the claim does not, among small and some large values."""
    limits = integer_range(fits) if fits else None
    run = compiled(parse_claim(claim), limits)
    given = [compiled(parse_claim(each)) for each in assume]
    names = sorted(set(re.findall(r"\b[a-zA-Z]+\b", " ".join([claim, *assume]))) - KEYWORDS)
    small = {1: range(-40, 80), 2: range(-12, 20), 3: range(-4, 9), 4: range(-2, 6), 5: range(5)}.get(
        len(names), range(3)
    )
    random = Random(7)
    edges = sorted(
        {*limits, *(v // 2 for v in limits), limits[1] // 4 + 1, 0, 1, 40, 199, 200, 65535, 65536, 2**33 - 1, 2**33}
        if limits
        else {0, 1, 8, 16, 100}
    )
    grid = itertools.product(small, repeat=len(names))
    drawn = ([random.choice((random.choice(edges), random.randint(-9, 50))) for _ in names] for _ in range(2_000))
    for point in itertools.chain(grid, drawn):
        env = dict(zip(names, point))
        if limits and not all(limits[0] <= v <= limits[1] for v in point):
            continue
        try:
            if all(each(env) for each in given) and not run(env):
                return env
        except Undefined:
            continue
        except OutOfRange:
            return env
    return None


KEYWORDS = {"and", "or", "not", "min", "max", "select", "truncdiv", "truncmod", "ceildiv", "implies", "abs", "True", "False"}  # fmt: skip


def main() -> None:
    families = {
        "shifts": shifts(), "truncation": truncation(), "tilings": tilings(), "products": products(), "reshapes": reshapes(),
        "finite": finite(Random(20261121), 30), "overflow": overflow(),
    }  # fmt: skip
    queries = []
    for family, items in families.items():
        for place, (claim, assume, truth, *rest) in enumerate(items):
            fits = rest[0] if rest else None
            found = counterexample(claim, assume, fits) if family != "finite" else None
            if truth and found is not None:
                raise SystemExit(
                    f"{family}/{place}: stated true, but false at {found}: {claim} if {assume} fits {fits}"
                )
            if not truth and found is None and family != "finite":
                raise SystemExit(f"{family}/{place}: stated false, and no counterexample found: {claim} if {assume}")
            queries.append(
                {"name": f"{family}/{place}", "claim": claim, "assume": assume, "fits": fits, "truth": truth}
            )
    path = HERE / "hard.json"
    path.write_text("[\n" + ",\n".join(json.dumps(each) for each in queries) + "\n]\n", encoding="utf-8")
    true = sum(1 for each in queries if each["truth"])
    print(f"{len(queries)} questions, {true} true and {len(queries) - true} false: {path}")


if __name__ == "__main__":
    main()
