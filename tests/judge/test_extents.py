"""Extents of a test: independent symbols, some round all different, some all equal, ones and zeros."""

from __future__ import annotations

import itertools

import pytest

from refrelax.judge.extents import further, rounds


@pytest.mark.parametrize("count", [1, 2, 5, 7, 12])
@pytest.mark.parametrize("seed", [0, 7])
def test_rounds_tell_symbols_apart(count: int, seed: int) -> None:
    names = [f"n{k}" for k in range(count)]
    drawn = [dims for _, dims in rounds(names, seed, 6)]
    assert any(len(set(dims.values())) == count for dims in drawn)
    assert count == 1 or any(len(set(dims.values())) == 1 for dims in drawn)
    assert any(1 in dims.values() for dims in drawn) and any(0 in dims.values() for dims in drawn)
    for a, b in itertools.combinations(names, 2):
        assert any(dims[a] != dims[b] for dims in drawn) and any(dims[a] == dims[b] for dims in drawn)
    assert drawn == [dims for _, dims in rounds(names, seed, 6)]


def test_numbers_of_the_programs_are_passed() -> None:
    assert any(dims["n"] > 32 for _, dims in rounds(["n"], 0, 6, [16, 1e30]))


def test_extents_of_very_many_symbols_stay_small() -> None:
    names = [f"n{k}" for k in range(300)]
    drawn = dict(rounds(names, 0, 6))
    assert sorted(set(drawn["different"].values())) == list(range(1, 65))
    assert max(max(dims.values()) for dims in drawn.values()) <= 64


def test_small_numbers_and_limits_one_symbol_at_a_time() -> None:
    tried = [(name, value) for dims in further(["n", "m"], [0.5, 1, 40, 1e30]) for name, value in dims.items()]
    assert set(tried) == {(name, k) for name in ("n", "m") for k in (*range(9), 40, 41, 81)}
    assert [value for _, value in tried] == sorted(value for _, value in tried)
