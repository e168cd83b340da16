"""The tie finds each kind of difference between spec, code and cases when there is one, and none when there is none."""

from __future__ import annotations

from pathlib import Path

import pytest

from refrelax import api
from refrelax.conformance import citations, spec_text, tie
from refrelax.conformance.cases import BadCase, Case, Expectation, load_examples
from refrelax.conformance.citations import Citation
from refrelax.conformance.fired import Fired
from refrelax.conformance.run import Result
from refrelax.conformance.spec_text import Paragraph
from refrelax.conformance.tie import Tie, compare


def case(name: str, rule: str, verdict: str) -> Case:
    expect = Expectation("accepts") if verdict == "accepts" else Expectation("IllTyped", rule)
    return Case(name, rule, verdict, "", None, (), expect, None, "cases/a.toml", 1)


def result(of: Case, *, reason: str = "", entered: set[str] | None = None) -> Result:
    rules = (of.expect.rule,) if of.expect.rule else ()
    return Result(of, "", reason, rules, Fired(entered or set()))


ACCEPTS, REJECTS = case("a", "ty/one", "accepts"), case("b", "ty/one", "rejects")
PROSE = Paragraph("ty/one", "…", "spec/05.md", 3)
CODE = Citation("ty/one", "rejects", "refrelax/x.py", 7)
GOOD = Tie((PROSE,), (CODE,), (ACCEPTS, REJECTS), ())
PASSED = [result(ACCEPTS), result(REJECTS)]


def groups(t: Tie, results: list[Result]) -> list[str]:
    return [f.group for f in compare(t, results).findings]


def test_what_is_tied_has_no_findings() -> None:
    report = compare(GOOD, PASSED)
    assert report.ok and report.rules == 1 and report.reached == {"ty/one": ["b"]}


def test_each_difference_is_found() -> None:
    again = Paragraph("ty/one", "…", "spec/06.md", 9)
    assert groups(Tie((PROSE, again), GOOD.code, GOOD.cases, ()), PASSED) == ["twice"]
    assert "dangling" in groups(Tie((), GOOD.code, GOOD.cases, ()), PASSED)
    assert groups(Tie((PROSE,), (), GOOD.cases, ()), PASSED) == ["unimplemented"]
    assert groups(GOOD, PASSED[1:]) == ["no-accepting"]
    assert groups(GOOD, PASSED[:1]) == ["no-rejecting"]
    assert groups(GOOD, [result(ACCEPTS), result(REJECTS, reason="other end")]) == ["case"]


def test_a_rule_that_no_case_is_about(monkeypatch: pytest.MonkeyPatch) -> None:
    """Going through a rule on the way to another one is not enough."""
    quiet = Tie((PROSE,), (Citation("ty/one", "implements", "refrelax/x.py", 7),), (), ())
    passed = [result(case("a", "ty/other", "accepts"), entered={"ty/one"})]
    assert groups(quiet, passed) == ["no-case"]
    monkeypatch.setitem(tie.WITHOUT_CASE, "ty/one", "a reason")
    assert groups(quiet, passed) == []
    assert groups(GOOD, PASSED) == ["no-case"], "a reason that is none: there are cases"


def test_a_rule_that_no_case_reaches() -> None:
    quiet = Tie((PROSE,), (Citation("ty/one", "implements", "refrelax/x.py", 7),), GOOD.cases[:1], ())
    assert groups(quiet, [result(ACCEPTS)]) == ["unreached"]
    assert groups(quiet, [result(ACCEPTS, entered={"ty/one"})]) == []


def test_a_case_that_names_an_unknown_rule_dangles() -> None:
    stray = case("c", "ty/other", "accepts")
    (finding,) = compare(Tie(GOOD.prose, GOOD.code, (*GOOD.cases, stray), ()), [*PASSED, result(stray)]).findings
    assert finding.group == "dangling" and finding.rule == "ty/other"


def test_patterns_cite_every_rule_that_they_match() -> None:
    code = Citation(r"op\.[a-z0-9_.-]+/dtype", "rejects", "refrelax/x.py", 7, dynamic=True)
    prose = tuple(Paragraph(f"op.{name}/dtype", "", "spec/ops/a.md", 1) for name in ("add", "relu"))
    assert set(tie.rejecting(Tie(prose, (code,), (), ()))) == {"op.add/dtype", "op.relu/dtype"}


# --- the readers ------------------------------------------------------------------------------------------------------


def test_paragraphs_end_at_blank_lines_and_at_the_next_rule(tmp_path: Path) -> None:
    (tmp_path / "05.md").write_text(
        "# Five\n\n**`ty/one`** First line\nsecond.\n- **`ty/two`** an item\n\nnot `ty/three`\n\n"
        "```text\n**`ty/four`** in a fence\n```\n",
        encoding="utf-8",
    )
    found = spec_text.paragraphs(tmp_path)
    assert [(p.rule, p.line) for p in found] == [("ty/one", 3), ("ty/two", 5)]
    assert found[0].text.endswith("second.") and found[0].place == "spec/05.md:3"


def test_examples_need_an_expect_line(tmp_path: Path) -> None:
    (tmp_path / "05.md").write_text(
        "```tvmscript\nx\n```\n\n```tvmscript\n# expect: Malformed\ny (\n```\n\n```python\n# expect: accepts\n```\n",
        encoding="utf-8",
    )
    silent, found, other = spec_text.examples(tmp_path)
    assert silent.text == "x\n"  # which is no case: the loader refuses it
    assert other.language == "python"  # which no case may be in
    assert found.line == 6 and "y (" in found.text
    with pytest.raises(BadCase, match=r"05.md:2: a program of the text does not say how it ends"):
        load_examples(tmp_path)


def scan(tmp_path: Path, code: str, areas: frozenset[str] = frozenset()) -> list[Citation]:
    (tmp_path / "a.py").write_text(code, encoding="utf-8")
    return citations.scan(tmp_path, areas)


@pytest.mark.parametrize(
    ("code", "kind"),
    [
        ("@rule('ty/one')\ndef f(): ...", "implements"),
        ("require(x, 'ty/one', 'message')", "rejects"),
        ("raise IllTyped([Diagnostic('ty/one', f'{x}')])", "rejects"),
        ("d.fail('ty/one', 'm')", "rejects"),
        ("raise trap('ty/one', 'm')", "rejects"),
        ("raise errors.unspecified('ty/one', 'm')", "opens"),
        ("cell = poison('ty/one')", "opens"),
    ],
)
def test_how_a_call_cites(tmp_path: Path, code: str, kind: str) -> None:
    (found,) = scan(tmp_path, code)
    assert (found.rule, found.kind) == ("ty/one", kind)


def test_text_with_a_slash_is_no_citation(tmp_path: Path) -> None:
    assert scan(tmp_path, "open('ty/one'); x = 'ty/one'; '''ty/one'''") == []
    assert len(scan(tmp_path, "x = 'ty/one'", frozenset({"ty"}))) == 1


def test_ids_in_f_strings_are_patterns(tmp_path: Path) -> None:
    (found,) = scan(tmp_path, "d.fail(f'op.{name}/dtype', f'{a}/{b}')")
    assert found.dynamic and found.names("op.add/dtype") and not found.names("op.add/axis")


# --- what fires -------------------------------------------------------------------------------------------------------


def test_observation_sees_marked_functions_checks_and_ends() -> None:
    from refrelax.conformance.fired import observing, taps
    from refrelax.errors import IllTyped, trap
    from refrelax.rules import IMPLEMENTED_BY, require, rule

    @rule("test/marked")
    def marked() -> None:
        require(True, "test/held", "")

    taps.cache_clear()
    try:
        with observing() as fired:
            marked()
            with pytest.raises(IllTyped):
                require(False, "test/broken", "no")
            trap("test/trap", "")
        marked()
    finally:
        del IMPLEMENTED_BY["test/marked"]
        taps.cache_clear()
    assert fired.entered == {"test/marked"} and fired.held == {"test/held"}
    assert fired.broken == {"test/broken", "test/trap"}


SMALL = """
@I.ir_module
class Module:
    @R.function
    def main(x: R.Tensor(("n", 3), "float32")) -> R.Tensor(("n", 3), "float32"):
        return R.add(x, x)
"""


def test_observers_nest_and_leave_the_functions_as_they_were() -> None:
    from refrelax.conformance.fired import observing, taps
    from refrelax.rules import require

    before = [tap.function.__code__ for tap in taps()]
    with observing() as outer:
        require(True, "test/before", "")
        with observing() as inner:
            require(True, id="test/inside", message="")
            api.check(api.parse(SMALL))
        assert inner.entered and not outer.entered
        api.check(api.parse(SMALL))
        require(True, "test/after", "")
    assert all(tap.function.__code__ is code for tap, code in zip(taps(), before, strict=True))
    assert outer.entered == inner.entered and inner.held - outer.held == {"test/inside"}
    assert outer.held - inner.held == {"test/before", "test/after"}


def test_the_tie_of_this_project_reads() -> None:
    t = tie.read()
    assert len(t.prose) > 100 and len(t.code) > 100
