"""A chapter that names a rule which no paragraph defines, or links a rule to a page that is not its own, is found."""

from __future__ import annotations

from pathlib import Path

import pytest

from refrelax.conformance import spec_text, tie

DEFINED = "# 05\n\n**`ty/one`** — It is one.\n\n**`op.add/two`** — It is two.\n"


def found(tmp_path: Path, sentence: str) -> list[str]:
    spec = tmp_path / "spec"
    (spec / "ops").mkdir(parents=True)
    (spec / "05.md").write_text(DEFINED, encoding="utf-8")
    (spec / "ops" / "add.md").write_text(f"# Operators\n\n{sentence}\n", encoding="utf-8")
    known = tie.Tie(tuple(spec_text.paragraphs(spec)), (), (), ())
    return [str(each) for each in tie.mentioned(known, spec_text.mentions(spec))]


@pytest.mark.parametrize(
    ("sentence", "wrong"),
    [
        ("As `ty/one` says.", ""),
        ("As [`ty/one`](../05.md) says, in `semantics/types`.", ""),
        ("As `ty/three` says.", "spec/ops/add.md:3: ty/three: the text names it"),
        ("| `abs` | `op.add/three` |", "op.add/three"),
        ("Said elsewhere: [`ty/one`](unary.md).", "ty/one: stands in spec/05.md, and is a link to spec/ops/unary.md"),
    ],
)
def test_what_is_named_is_defined(sentence: str, wrong: str, tmp_path: Path) -> None:
    said = found(tmp_path, sentence)
    assert len(said) == bool(wrong) and wrong in "".join(said)


@pytest.mark.thorough
def test_the_text_names_what_there_is() -> None:
    assert [*tie.mentioned(tie.read(), spec_text.mentions())] == []
