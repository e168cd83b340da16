"""Every program of ``docs/paper/figures.md``, as it stands: its outcome, what passes make of it, and what of that."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

import refrelax as rr
from refrelax.conformance.cases import load_examples
from refrelax.conformance.run import run_case
from refrelax.lower.counts import launches
from refrelax.lower.memory_sizes import planned_bytes
from refrelax.lower.pattern_kinds import pattern_kind, program
from refrelax.lower.pipeline import PASSES, lower
from refrelax.lower.printed_kinds import printed_kind
from refrelax.syntax.write.scalars import expression
from tests.lower.paper_planning import planned_as_printed

PAGE = Path(__file__).resolve().parents[2] / "docs" / "paper"
TEXT = (PAGE / "figures.md").read_text(encoding="utf-8")
BLOCKS = [
    (TEXT.count("\n", 0, m.start()) + 1, m[1]) for m in re.finditer(r"^```tvmscript\n(.*?)^```", TEXT, re.M | re.S)
]
NOTE = re.compile(r"^# ([a-z ]+): (.*)$", re.MULTILINE)
EXAMPLES = load_examples(PAGE, silent=True)
PASSED = [(line, text) for line, text in BLOCKS if "# passes:" in text]
KINDS = [(line, text) for line, text in BLOCKS if "# kind:" in text]


def test_every_program_is_executed() -> None:
    assert len(BLOCKS) == len(EXAMPLES) + len(PASSED) + len(KINDS) >= 15
    figures = {int(k) for k in re.findall(r"Figure (\d+)", "\n".join(re.findall(r"^## .*$", TEXT, re.MULTILINE)))}
    assert figures >= {3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13}
    notes = {name for _, text in BLOCKS for name in dict(NOTE.findall(text))}
    known = {"passes", "kernels", "says", "validate", "bytes", "kind", "as printed", "planned as printed"}
    assert notes == known | {"expect", "args", "value"}


@pytest.mark.parametrize("case", EXAMPLES, ids=[f"line {each.line}" for each in EXAMPLES])
def test_outcome(case: object) -> None:
    found = run_case(case)  # type: ignore[arg-type]
    assert found.passed, found


@pytest.mark.by_day(7)
@pytest.mark.parametrize(("line", "text"), PASSED, ids=[f"line {line}" for line, _ in PASSED])
def test_passes(line: int, text: str) -> None:
    notes = dict(NOTE.findall(text))
    checked = rr.check(rr.parse(text))
    names = tuple(each.strip() for each in notes["passes"].split(","))
    assert set(names) <= PASSES.keys()
    lowered = lower(checked, passes=names)
    after = lowered.module
    assert all(claim.proved for claim in lowered.claims)
    if "kernels" in notes:
        first = lowered.steps[0].module if names[0] == "legalize" else checked
        assert f"{launches(first.module, 'main')} -> {launches(after.module, 'main')}" == notes["kernels"]
    if "bytes" in notes:
        assert " -> ".join(expression(each) for each in planned_bytes(after.module)) == notes["bytes"]
    assert notes.get("says", "") in rr.print_module(after.module)
    assert rr.validate(checked, after).word == notes["validate"]
    if "planned as printed" in notes:
        explicit = lower(checked, passes=names[:-1]).module
        found = rr.validate(checked, rr.check(planned_as_printed(explicit.module)))
        kind, rule = notes["planned as printed"].split()
        assert type(found).__name__ == kind and isinstance(found, rr.Refuted)
        assert found.counterexample is not None and rule in str(found.counterexample.after)


@pytest.mark.parametrize(("line", "text"), KINDS, ids=[f"line {line}" for line, _ in KINDS])
def test_kind(line: int, text: str) -> None:
    notes = dict(NOTE.findall(text))
    (function,) = rr.check(rr.parse(text)).module.prim_funcs().values()
    nests = program(function)
    assert nests is not None and str(pattern_kind(function)) == notes["kind"]
    assert str(printed_kind(function)) == notes["as printed"]
