"""The nests that legalizers wrote by hand before operators were texts, and what legalization writes now: the same for
all shapes.

``frozen/<page>.txt`` holds pairs: a call, and the module that it was lowered to.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

import refrelax as rr
from refrelax.lower.claims import Ledger
from refrelax.lower.legalize import run

FROZEN = Path(__file__).parent / "frozen"


def pairs() -> Iterator[tuple[str, str, str]]:
    """(name, call, nests)"""
    for path in sorted(FROZEN.glob("*.txt")):
        for k, part in enumerate(path.read_text().split("# ---- operator\n")[1:]):
            call, _, nests = part.partition("# ---- nests\n")
            yield f"{path.stem}-{k}", call, nests


PAIRS = list(pairs())


def verdict(call: str, nests: str) -> str:
    old, checked = rr.check(rr.parse(nests)), rr.check(rr.parse(call))
    new = run(checked, Ledger())
    if rr.structural_equal(old.module, new):
        return "the same"
    return type(rr.validate(old, rr.check(new), "main")).__name__


AS_TRUTH = "a number becomes a truth by T.Cast, which was `!= 0`; no proof knows that these are one"
WITHOUT_ZERO = "the nests were wrong: `!= 0` of a format without zero compared with its least number"
DIFFERENT = {
    "reduce-15": (
        "ProvedAt",
        "no proof passes an integer division by data; the quotient by max(2, 1) became that by 2",
    ),
    **dict.fromkeys(("reduce-39", "pool-7", "pool-8", "pool-9", "pool-13"), ("ProvedAt", "as reduce-15")),
    "binary-1": ("Tested", AS_TRUTH),
    **dict.fromkeys(("binary-20", "binary-58"), ("Refuted", "bools have no division; the nests had that of uint8")),
    **dict.fromkeys(
        ("pool-7", "pool-8", "pool-9", "pool-13"),
        ("ProvedAt", "the elements of a window are counted one by one, which was a closed form"),
    ),
    **dict.fromkeys(
        ("transform-0", "transform-1", "transform-2"), ("ProvedAt", "what does not arrive is no step, which added 0")
    ),
    **dict.fromkeys(("nn-10", "nn-11"), ("ProvedAt", "around an axis without elements the text reads none")),
    **dict.fromkeys(
        ("spread-3", "spread-4"),
        ("Tested", "an element as an index: no proof knows that it is in range, on either side"),
    ),
    **dict.fromkeys(("binary-23", "binary-43"), ("Refuted", WITHOUT_ZERO)),
}
"""Pairs without a proof for all shapes: what they give instead, and why."""


def daily(k: int, pair: tuple[str, str, str]) -> Any:
    """A third of the pairs every time, the others every night."""
    return pytest.param(*pair, id=pair[0], marks=() if k % 3 == 0 else pytest.mark.nightly)


@pytest.mark.thorough
@pytest.mark.parametrize("name, call, nests", [daily(k, pair) for k, pair in enumerate(PAIRS)])
def test_the_same_for_all_shapes(name: str, call: str, nests: str) -> None:
    found = verdict(call, nests)
    assert found == DIFFERENT[name][0] if name in DIFFERENT else found in ("the same", "Equivalent")
