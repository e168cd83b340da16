"""``refrelax explain`` answers from the text: what computes is not imported, and cases are parsed that are shown."""

from __future__ import annotations

import subprocess
import sys

import pytest

from refrelax.conformance import cases

ASKED = """
import sys
from refrelax.cli import main
assert main(["explain", *sys.argv[1:]]) == 0
heavy = {"refrelax.semantics", "refrelax.judge", "refrelax.syntax", "refrelax.shape_solver"} & sys.modules.keys()
assert not heavy, heavy
"""


@pytest.mark.thorough
@pytest.mark.parametrize("what", ["ev/constant", "A NaN in a format that has none is poison"])
def test_words_and_rules_need_nothing_of_the_definition(what: str) -> None:
    """An answer took 4 s, of which 3 s imported the definition and every backend."""
    asked = subprocess.run([sys.executable, "-c", ASKED, what], capture_output=True, text=True, check=False)
    assert asked.returncode == 0, asked.stderr


@pytest.mark.thorough
def test_a_case_alone_is_the_case_among_all() -> None:
    assert [repr(each.case()) for each in cases.blocks()] == [repr(case) for case in cases.load()]  # a NaN is no NaN
    assert [each.rule for each in cases.blocks()] == [case.rule for case in cases.load()]
