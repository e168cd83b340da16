"""Shorter spellings, each proved equal before it is used."""

from __future__ import annotations

import pytest

from refrelax.shape_solver import parse_dim, simplify


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("k % 16 % 2", "k % 2"),
        ("k % 2 % 16", "k % 2"),
        ("ceildiv(ceildiv(n, 16), 3)", "(n + 47) // 48"),
        ("x // 8 % 10 * 8 + x % 8", "x % 80"),
        ("x % 8 + x // 8 % 10 * 8", "x % 80"),
        ("x // 8 % 10 * 8 + y % 8", "x // 8 % 10 * 8 + y % 8"),
    ],
)
def test_simplify(before: str, after: str) -> None:
    assert simplify(before) == parse_dim(after)
