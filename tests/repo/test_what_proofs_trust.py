"""Chapter 06c names all that a proof of equality says it rests on."""

from importlib import import_module
from pathlib import Path

import pytest

from refrelax.judge import pointwise
from refrelax.judge.evidence import LEGALIZATION

validate = import_module("refrelax.judge.validate")
SPEC = Path(__file__).resolve().parents[2] / "spec"
CHAPTER = (SPEC / "06c-pointwise.md").read_text("utf-8").partition("**What binds.**")[0]
FIXED = (*pointwise.HYPOTHESES, *pointwise.PROCEDURES, pointwise.SAME, pointwise.IN_STEP, pointwise.NO_ALIASES,
         pointwise.KEEPS_NOTHING, validate.ONLY_SHAPE, validate.SILENT, LEGALIZATION)  # fmt: skip
WITH_NAMES = (f"{pointwise.UNREAD}: …", "the contract of …", "the definitions of …, read as loops", "assumed: …",
              "interface: …", "no run was held against it: …")  # fmt: skip


@pytest.mark.parametrize("said", [*FIXED, *WITH_NAMES])
def test_the_chapter_names_what_is_trusted(said: str) -> None:
    assert f"`{said}`" in CHAPTER
