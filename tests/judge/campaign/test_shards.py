"""A million programs on ourselves, in shards: each is a campaign of its own seed, and a night does some.

A night without further words does the shard of its date, so that a hundred nights do all. ``REFRELAX_SHARDS=0-9`` does
the first ten; machines share them by giving each its own. ``REFRELAX_SHARD_SIZE`` makes them smaller.
"""

from __future__ import annotations

import json
import os
from datetime import date
from pathlib import Path

import pytest

from refrelax import cli

SHARDS, SIZE = 100, 10_000
EVERY = {"numpy": 1, "lowered:default": 10, "lowered:paper": 10, "cuda-emulated": 50}
"""Of so many programs one is for an implementation: passes prove what they do, and kernels are compiled by g++."""


def chosen(text: str | None, today: int) -> list[int]:
    """``"3"``, ``"0-9"``, ``"all"``; without a word the shard of the day."""
    if not text:
        return [today % SHARDS]
    if text == "all":
        return list(range(SHARDS))
    first, _, last = text.partition("-")
    return [k for k in range(int(first), int(last or first) + 1) if 0 <= k < SHARDS]


def test_shards_are_named() -> None:
    assert chosen(None, 738_000) == [0] and chosen("all", 0) == list(range(SHARDS))
    assert chosen("3", 9) == [3] and chosen("98-120", 9) == [98, 99]
    assert SHARDS * SIZE == 10**6


def _finds_nothing(capsys: pytest.CaptureFixture[str], tmp_path: Path, impl: str, count: int, shard: int) -> None:
    line = [
        "fuzz",
        "--impl",
        impl,
        "--count",
        str(count),
        "--seed",
        str(1_000 + shard),
        "--out",
        str(tmp_path),
        "--json",
    ]
    code = cli.main([*line, *("--from", "cases") * (impl == "numpy")])
    *findings, last = map(json.loads, capsys.readouterr().out.splitlines())
    assert not findings and code == 0 and not last["lost"] and last["judged"] > last["inputs"] / 4, findings


@pytest.mark.nightly
@pytest.mark.parametrize("shard", chosen(os.environ.get("REFRELAX_SHARDS"), date.today().toordinal()))
@pytest.mark.parametrize("impl", EVERY)
def test_a_shard(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], tmp_path: Path, impl: str, shard: int
) -> None:
    monkeypatch.syspath_prepend(str(Path(__file__).parent))
    size = int(os.environ.get("REFRELAX_SHARD_SIZE", SIZE))
    _finds_nothing(capsys, tmp_path, impl, size // EVERY[impl], shard)
