"""Programs that are the same but for where dataflow blocks begin and end are one program to a run."""

from __future__ import annotations

import pytest

import refrelax as rr
from refrelax.judge import Equivalent
from refrelax.judge.same_programs import same_programs, same_runs

HEAD = '@R.function\ndef main(x: R.Tensor(("n",), "float32")):\n'
ADD, MULTIPLY = "a = R.add(x, x)", "b = R.multiply(a, x)"


def text(inside: str, after: str, outputs: str) -> str:
    block = f"    with R.dataflow():\n        {inside}\n        R.output({outputs})\n" if inside else ""
    return f"{HEAD}{block}    {after}\n    return b\n"


PLAIN = text("", f"{ADD}\n    {MULTIPLY}", "")
BLOCK = text(f"{ADD}\n        {MULTIPLY}", "", "b")
HALF = text(ADD, MULTIPLY, "a")


def both(first: str, second: str) -> tuple[bool, bool]:
    a, b = (rr.check(rr.parse(each)).module for each in (first, second))
    return same_programs(a, b, "main"), same_runs(a, b, "main")


@pytest.mark.parametrize("second", [BLOCK, HALF])
def test_blocks_are_nothing_to_a_run(second: str) -> None:
    assert both(PLAIN, second) == (False, True)
    found = rr.validate(rr.check(rr.parse(PLAIN)), rr.check(rr.parse(second)), "main")
    assert isinstance(found, Equivalent)
    assert "the programs are the same up to names" in found.trusts


@pytest.mark.parametrize("old, new", [("R.multiply(a, x)", "R.multiply(x, a)"), ("R.add(x, x)", "R.subtract(x, x)")])
def test_bindings_are(old: str, new: str) -> None:
    assert both(PLAIN, BLOCK.replace(old, new)) == (False, False)


def test_symbols_that_a_block_keeps_to_itself() -> None:
    """The result's type, and with it what is checked of it, depends on the block."""
    cast = 'R.match_cast(x, R.Tensor(("n + 0",), "float32"))'
    assert both(PLAIN.replace("R.add(x, x)", cast), BLOCK.replace("R.add(x, x)", cast)) == (False, False)
