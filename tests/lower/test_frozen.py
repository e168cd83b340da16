"""The nests that legalizers wrote by hand before operators were texts, and what legalization writes now: the same for
all shapes.

``frozen/<page>.txt`` holds pairs: a call, and the module that it was lowered to.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

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


DIFFERENT = {
    "reduce-15": "no proof passes an integer division by data; the quotient by max(2, 1) became that by 2",
    **dict.fromkeys(("reduce-39", "pool-7", "pool-8", "pool-9", "pool-13"), "as reduce-15"),
    **dict.fromkeys(
        ("unary-32", "unary-33", "unary-34", "unary-35"),
        "T.isfinite and T.isinf of a text are read as what TVM's helpers write out, of which no proof knows the sum",
    ),
}
"""Pairs without a proof for all shapes, and why; they agree at the shapes that are tried."""


@pytest.mark.parametrize("name, call, nests", PAIRS, ids=[name for name, _, _ in PAIRS])
def test_the_same_for_all_shapes(name: str, call: str, nests: str) -> None:
    wanted = ("ProvedAt", "Tested") if name in DIFFERENT else ("the same", "Equivalent")
    assert verdict(call, nests) in wanted
