"""Two examples of chapter 06 stood in blocks of ``python``: what they said of their end was never looked at."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from refrelax.conformance.cases import BadCase, load_examples, load_named_examples
from refrelax.conformance.run import run_case
from refrelax.conformance.suite.records import asks_anybody

BLOCK = "# 06\n\n```{}\n# expect: accepts\n@I.ir_module\nclass Module:\n    pass\n```\n"


@pytest.mark.parametrize("language", ["python", "", "text"])
def test_a_block_that_says_its_end_is_a_case_or_refused(language: str, tmp_path: Path) -> None:
    (tmp_path / "06.md").write_text(BLOCK.format("tvmscript"), encoding="utf-8")
    assert len(load_examples(tmp_path)) == 1
    (tmp_path / "06.md").write_text(BLOCK.format(language), encoding="utf-8")
    with pytest.raises(BadCase, match="a block of tvmscript"):
        load_examples(tmp_path)


def test_a_program_that_says_no_end_is_refused(tmp_path: Path) -> None:
    (tmp_path / "06.md").write_text(BLOCK.format("tvmscript").replace("# expect: accepts\n", ""), encoding="utf-8")
    with pytest.raises(BadCase, match="does not say how it ends"):
        load_examples(tmp_path)


@pytest.mark.parametrize("chapter", ["06-shapes", "06b-solver"])
def test_the_examples_of_what_is_left_open_are_run(chapter: str) -> None:
    pytest.importorskip("z3")
    (example,) = (case for case in load_examples() if chapter in case.file and case.remarks)
    assert run_case(example).passed
    for other in (("z never",), ()):
        assert not run_case(replace(example, remarks=other)).passed


def test_nobody_else_is_asked_for_them() -> None:
    """Another implementation need not accept what is not portable."""
    assert not any(asks_anybody(case) for case in load_named_examples() if case.remarks is not None)
