"""The suite on implementations: what passes, what fails, and what is neither."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

import refrelax as rr
from refrelax import api, conformance
from refrelax.cli import main
from refrelax.conformance import ImplementationFailed, load
from refrelax.conformance.library import LIBRARY
from refrelax.conformance.patience import IN_A_ROW
from refrelax.errors import IllTyped, Malformed, Outcome, Rejection, Returned, Trapped, Unspecified
from refrelax.semantics.types.checked import CheckedModule

CASES = {case.name: case for case in load()}


class Definition:
    """An implementation that is the definition itself."""

    name = "definition"

    def run(self, module: Any, entry: str, args: Any) -> Outcome:
        return rr.run(self.check(module), entry, *args, externs=LIBRARY)

    def check(self, module: Any) -> CheckedModule:
        return api.check(module)


class Wrong(Definition):
    """Gives its first argument, and accepts everything."""

    name = "wrong"

    def run(self, module: Any, entry: str, args: Any) -> Outcome:
        return Returned(args[0] if args else 0)

    def check(self, module: Any) -> Any:
        return None


class Refuses(Definition):
    name = "refuses"

    def run(self, module: Any, entry: str, args: Any) -> Outcome:
        raise ImplementationFailed("unsupported", "no such operator")

    def check(self, module: Any) -> Any:
        raise ImplementationFailed("refused", "no")


def word(name: str, implementation: Any) -> str:
    return conformance.judge_case(CASES[name], implementation).word


@pytest.mark.parametrize(("name", "words"), [
    # returns; traps; is left open; is rejected; is accepted and not run
    ("evaluation/bind", ("passed", "failed", "unsupported")),
    ("evaluation/match-cast-not", ("passed", "failed", "unsupported")),
    ("numbers/int-division-by-zero", ("excluded", "excluded", "excluded")),
    ("types/annotation-not", ("passed", "failed", "not judged")),
    ("types/return-promise", ("passed", "not judged", "refused")),
])  # fmt: skip
def test_words(name: str, words: tuple[str, str, str]) -> None:
    assert isinstance(Wrong(), conformance.Implementation)
    assert (word(name, Definition()), word(name, Wrong()), word(name, Refuses())) == words


def test_without_check_nothing_is_said_of_types() -> None:
    assert word("types/annotation-not", "numpy") == "not judged"


def test_the_definition_passes_its_own_suite() -> None:  # (all of it: `refrelax rules check`)
    sample = [case for k, case in enumerate(CASES.values()) if case.portable and k % 29 == 0]
    nothing = ("ev/constant-missing", "ld/intrinsic-without-meaning")  # (there is nothing to be run)
    functions = ("separating-runs/a-function-returned",)  # (a value that nobody's answer is compared with)
    sample = [case for case in sample if case.rule not in nothing and case.name not in functions]
    counts = Counter(each.word for each in conformance.judge_cases(sample, Definition()))
    assert not counts["failed"] and not counts["unsupported"] and counts["passed"] > 0.7 * len(sample)


@pytest.mark.thorough
@pytest.mark.parametrize("area", ["evaluation", "threads", "openness", "ops-norm", "separating-loops"])
def test_the_numpy_backend_fails_nothing(area: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["conformance", "run", "--impl", "numpy", "--only", area, "--json"]) == 0
    rows = [json.loads(line) for line in capsys.readouterr().out.splitlines()]
    assert any(row["passed"] for row in rows) and all(row["verdict"] != "failed" for row in rows)


WRONG = """
import refrelax as rr
class Wrong:
    def run(self, module, entry, args):
        return rr.Returned(args[0] if args else 0)
    def check(self, module):
        print("noise")
"""


@pytest.fixture
def theirs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[[str], str]:
    """A module of somebody else's, by its text; gives its name."""

    def write(text: str) -> str:
        name = f"theirs_{len(list(tmp_path.iterdir()))}"
        (tmp_path / f"{name}.py").write_text(text)
        monkeypatch.syspath_prepend(str(tmp_path))
        return name

    return write


@pytest.mark.thorough
def test_a_wrong_implementation_ends_with_one(theirs: Any, capfd: pytest.CaptureFixture[str]) -> None:
    assert main(["conformance", "run", "--impl", f"{theirs(WRONG)}:Wrong", "--only", "evaluation"]) == 1
    said = capfd.readouterr().out
    assert "FAILED evaluation/" in said and "\n07-evaluation " in said and "noise" not in said


def run_by(cases: str) -> str:
    return f"""
import os, sys, time, refrelax as rr
class Mine:
    def run(self, module, entry, args):
        {cases}
"""


@pytest.mark.by_day(1)
@pytest.mark.parametrize(("does", "word", "why"), [
    ("time.sleep(3600)", "failed", "hang: no answer within 0.2 s"),
    ("os.kill(os.getpid(), 11)", "failed", "SIGSEGV"),
    ("os._exit(0)", "failed", "exit code 0"),
    ("sys.exit(0)", "failed", "SystemExit"),
    ("return {}", "failed", "run gave a dict"),
    ("return rr.Returned(args, 3)", "failed", "whose arguments are 3"),
    ("raise NotImplementedError", "unsupported", "not implemented"),
    ("raise KeyError('x')", "failed", "KeyError"),
])  # fmt: skip
def test_whatever_an_implementation_does_is_a_word(
    does: str, word: str, why: str, theirs: Any, capfd: pytest.CaptureFixture[str]
) -> None:
    name = theirs(run_by(does))
    command = ["conformance", "run", "--impl", f"{name}:Mine", "--only", "evaluation/bind", "--deadline", "0.2"]
    assert main([*command, "--json"]) == (3 if word == "unsupported" else 1)
    (row,) = [json.loads(line) for line in capfd.readouterr().out.splitlines()]
    assert row["verdict"] == word and why in row["why"]


@pytest.mark.thorough
def test_who_hangs_three_times_is_not_asked_again(theirs: Any, capfd: pytest.CaptureFixture[str]) -> None:
    name = theirs(run_by("time.sleep(3600)"))
    command = ["conformance", "run", "--impl", f"{name}:Mine", "--only", "evaluation/b", "--deadline", "0.1"]
    assert main([*command, "--json"]) == 1
    words = Counter(json.loads(line)["verdict"] for line in capfd.readouterr().out.splitlines())
    assert words["failed"] == 3 and words["not judged"] > 3 and not words["passed"]


ONE_START = """
import os, pathlib
class Once:
    def __init__(self):
        mark = pathlib.Path(__file__).with_name("made")
        made = len(mark.read_text()) if mark.exists() else 0
        mark.write_text("." * (made + 1))
        if made:
            raise ImportError("not twice")
    def run(self, module, entry, args):
        os._exit(3)
"""


def test_one_that_is_not_made_again_costs_cases_and_not_the_run(
    theirs: Any, tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    name = theirs(ONE_START)
    assert main(["conformance", "run", "--impl", f"{name}:Once", "--only", "evaluation/bind", "--json"]) == 1
    rows = [json.loads(line) for line in capfd.readouterr().out.splitlines()]
    assert rows and all(each["verdict"] == "failed" and "start" in each["why"] for each in rows)
    assert len((tmp_path / "made").read_text()) <= 1 + IN_A_ROW


@pytest.mark.parametrize(("impl", "said"), [
    ("json:loads", "called without arguments"), ("json:nope", "nope"), ("re:A", "something to call"),
    ("os:getcwd", "no method run"), ("no_such_module:f", "no_such_module"), (":", "expected"), (".:x", "expected"),
    ("nothing", "expected"), ("json.decoder:JSONDecoder.decode", "raises TypeError"),
])  # fmt: skip
@pytest.mark.parametrize("command", [
    ["diff", "{good}"], pytest.param(["conformance", "run", "--only", "evaluation/bind"], marks=pytest.mark.nightly),
])  # fmt: skip
def test_what_is_no_implementation(
    command: list[str], impl: str, said: str, tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    good = tmp_path / "m.py"
    good.write_text(CASES["evaluation/bind"].module)
    assert main([*(each.format(good=good) for each in command), "--impl", impl]) == 2
    err = capfd.readouterr().err
    assert said in err and "fault" not in err and err.count("\n") == 1


class OneSided(Definition):
    """Always gives the same answer about modules."""

    def __init__(self, refuses: bool) -> None:
        self.refuses = refuses

    def check(self, module: Any) -> Any:
        if self.refuses:
            raise ImplementationFailed("error", "no")


@pytest.mark.thorough
@pytest.mark.parametrize("refuses", [True, False])
def test_a_check_that_tells_nothing_apart_passes_nothing(refuses: bool) -> None:
    """Refusals and acceptances count in pairs."""
    rows = list(conformance.judge_cases(CHECKED, OneSided(refuses)))
    words = Counter(each.word for each in rows)
    assert not words["passed"] and words["not judged"] > 5 and words["failed"] + words["refused"] > 5


@pytest.mark.thorough
def test_a_check_that_tells_one_rule_apart_passes_its_cases() -> None:
    class One(Definition):
        def check(self, module: Any) -> Any:
            try:
                return api.check(module)
            except Rejection as rejection:
                if rejection.diagnostics[0].rule == "wf/force-pure":
                    raise
                return None

    passed = {each.case.rule for each in conformance.judge_cases(CHECKED, One()) if each.word == "passed"}
    assert "wf/force-pure" in passed and "wf/if-in-dataflow" not in passed
    assert "wf/index-count" in passed  # no case of the rule is refused: one of its area stands for it


CHECKED = [c for c in CASES.values() if c.portable and str(c.rule).startswith("wf/") and not c.runs]


@pytest.mark.thorough
@pytest.mark.parametrize("command", [
    ["conformance", "run", "--impl", "numpy"], ["conformance", "export", "{out}"],
    ["rules", "check"], ["rules", "coverage"], ["rules", "mutate"],
])  # fmt: skip
def test_a_selection_of_nothing(command: list[str], tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main([*(each.format(out=tmp_path) for each in command), "--only", "zzz"]) == 2
    assert "there are" in capsys.readouterr().err and not list(tmp_path.iterdir())


@pytest.mark.thorough
def test_export_of_an_area(tmp_path: Path) -> None:
    assert main(["conformance", "export", str(tmp_path), "--only", "evaluation/bind"]) == 0
    assert [str(p.relative_to(tmp_path)) for p in sorted(tmp_path.rglob("*")) if p.is_file()] == [
        "LICENSE", "definitions.json", "evaluation/bind.json", "intrinsics.json", "manifest.json", "operators.json",
        "schema/answer.json", "schema/case.json", "schema/definitions.json", "schema/hello.json",
        "schema/intrinsics.json", "schema/manifest.json", "schema/module.json", "schema/operators.json",
        "schema/request.json",
    ]  # fmt: skip


@pytest.mark.thorough
def test_an_exported_case_says_all_that_another_runner_needs(tmp_path: Path) -> None:
    """The arrays behind constants, and what a loop program leaves in its arguments: nothing else holds its result."""
    for name in ("constants/bound", "evaluation/for", "evaluation/match-cast-not"):
        assert main(["conformance", "export", str(tmp_path), "--only", name]) == 0
    rows = {p.stem: json.loads(p.read_text("utf-8")) for p in tmp_path.rglob("*/*.json") if p.parent.name != "schema"}
    bits = ["0x3f000000", "0xbf800000", "0x40800000"]
    assert rows["bound"]["constants"] == [{"dtype": "float32", "shape": [3], "bits": bits, "data": [0.5, -1.0, 4.0]}]
    assert rows["for"]["value"] is None and rows["for"]["effects"] == []
    assert rows["for"]["arguments"][1]["bits"] == ["0x3f800000", "0x40000000", "0x40400000"]
    assert "arguments" not in rows["match-cast-not"]
    for row in rows.values():
        assert rr.from_json(json.dumps(row["tree"])) == rr.parse(row["module"])


def test_a_structure_that_differs_is_told_by_what_it_is() -> None:
    class Forgets(Definition):
        def run(self, module: Any, entry: str, args: Any) -> Outcome:
            ended = super().run(module, entry, args)
            return replace(ended, arguments=()) if isinstance(ended, Returned) else ended

    judged = conformance.judge_case(CASES["evaluation/for"], Forgets())
    assert judged.word == "failed" and ": a tuple of 0, permitted a tuple of 2" in judged.why, judged.why


def test_what_is_not_judged_says_why() -> None:
    class Runs:
        def run(self, module: Any, entry: str, args: Any) -> Outcome:
            return Trapped("other", "no")

    judged = conformance.judge_case(CHECKED[0], Runs())
    assert judged.word == "not judged" and "no check(module)" in judged.why


def test_other_ends() -> None:
    """A trap for a return, and a return for a trap, are failures whatever they say."""

    class Traps(Definition):
        def run(self, module: Any, entry: str, args: Any) -> Outcome:
            return Trapped("other", "no")

    assert word("evaluation/bind", Traps()) == "failed"
    assert word("evaluation/match-cast-not", Traps()) == "passed"

    class Open(Definition):
        def run(self, module: Any, entry: str, args: Any) -> Outcome:
            return Unspecified("other", "no")

    assert word("evaluation/bind", Open()) == "failed"


def test_a_rejection_at_run_time_is_a_refusal() -> None:
    class Late(Definition):
        def run(self, module: Any, entry: str, args: Any) -> Outcome:
            raise IllTyped([])

    assert word("evaluation/bind", Late()) == "refused"
    with pytest.raises(Malformed):
        api.parse("nothing here", filename="x.py")


def failing(kind: str) -> Any:
    class Fails(Definition):
        def run(self, module: Any, entry: str, args: Any) -> Outcome:
            raise ImplementationFailed(kind, "so")

    return Fails()


@pytest.mark.parametrize(("kind", "found"), [
    ("refused", "refused"), ("crash", "failed"), ("hang", "failed"), ("absent", "unsupported"), ("unread", "refused"),
    ("unsupported", "unsupported"), ("fault", "not judged"),
])  # fmt: skip
def test_ways_to_fail(kind: str, found: str) -> None:
    assert word("evaluation/bind", failing(kind)) == found
    assert word("evaluation/match-cast-not", failing(kind)) == found


KNOWN = """
[[deviation]]
id = "no-bind"
verdict = "failed"
cases = ["evaluation/bind"]
"""


def test_known_deviations(theirs: Any, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """What is listed is counted apart and does not end with 1; another verdict than the listed one does."""
    listed = tmp_path / "known.toml"
    listed.write_text(KNOWN)
    chosen = ["--impl", f"{theirs(WRONG)}:Wrong", "--only", "evaluation/bind", "--known", str(listed)]
    command = ["conformance", "run", *chosen]
    cases = [name for name, case in CASES.items() if name.startswith("evaluation/bind") and case.portable]
    assert cases == ["evaluation/bind"]
    assert main(command) == 0
    assert capsys.readouterr().out.splitlines()[0] == "0 passed, 1 failed; 1 known, 0 unexpected"
    listed.write_text(KNOWN.replace('"failed"', '"refused"'))
    assert main(command) == 1
    assert "FAILED evaluation/bind" in capsys.readouterr().out


class Many:
    """An implementation that takes many programs at once: right but where it is asked alone."""

    def __init__(self) -> None:
        self.alone, self.groups = list[str](), list[int]()

    def run_many(self, programs: Any) -> list[Any]:
        self.groups.append(len(programs))
        return [[rr.run(rr.check(module), entry, *calls[0], externs=LIBRARY)] for module, entry, calls in programs]

    def run(self, module: Any, entry: str, args: Any) -> Any:
        self.alone.append(entry)
        return rr.Trapped("wrong")


def test_runs_are_asked_many_at_once_and_alone_where_that_does_not_pass() -> None:
    cases = [case for name, case in CASES.items() if name.startswith("evaluation/t") and case.portable]
    asked = [case for case in cases if case.expect.kind in ("Returned", "Trapped")]
    implementation = Many()
    words = Counter(each.word for each in conformance.judge_cases(cases, implementation))
    assert words["passed"] == len(asked) > 3 and sum(implementation.groups) == len(asked)
    assert implementation.alone == []
    implementation.run_many = lambda programs: [[rr.Returned(5)] for _ in programs]  # type: ignore[method-assign]
    words = Counter(each.word for each in conformance.judge_cases(cases, implementation))
    assert len(implementation.alone) >= len(asked)  # where it ends in a trap, which some cases expect
    assert words["passed"] == sum(case.expect.kind == "Trapped" for case in asked)


def test_a_case_that_hangs_among_many_has_had_its_deadline() -> None:
    """It is not asked again; one that crashed is, alone."""
    case = next(
        c for n, c in CASES.items() if n.startswith("evaluation/t") and c.portable and c.expect.kind == "Returned"
    )
    implementation = Many()
    for kind, why, alone in (("hang", "the implementation hung: late", 0), ("crash", "", 1)):
        lost = ImplementationFailed(kind, "late")
        implementation.run_many = lambda programs, lost=lost: [[lost] for _ in programs]  # type: ignore[misc]
        (judged,) = conformance.judge_cases([case], implementation)
        assert judged.word == "failed" and judged.why.startswith(why) and len(implementation.alone) == alone


def test_the_rows_of_json_say_rule_chapter_expected_found_and_time(
    theirs: Any, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    command = ["conformance", "run", "--impl", f"{theirs(WRONG)}:Wrong", "--only", "evaluation/bind"]
    xml = tmp_path / "out.xml"
    assert main([*command, "--json", "--junit", str(xml)]) == 1
    (row,) = map(json.loads, capsys.readouterr().out.splitlines())
    assert row.keys() >= {"case", "rule", "chapter", "expected", "found", "verdict", "why", "known", "seconds"}
    assert row["chapter"] == "07-evaluation" and row["expected"] == "Returned" and row["seconds"] > 0
    assert f"rule: {row['rule']}\nexpected: Returned" in xml.read_text("utf-8")


@pytest.mark.parametrize("text", ["[[deviation]", "", KNOWN.replace("id =", "name ="), KNOWN + KNOWN,
                                  KNOWN.replace("failed", "odd")])  # fmt: skip
def test_lists_that_are_none(text: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    listed = tmp_path / "known.toml"
    listed.write_text(text)
    assert main(["conformance", "run", "--impl", "numpy", "--only", "evaluation/bind", "--known", str(listed)]) == 2
    assert str(listed) in capsys.readouterr().err


@pytest.mark.thorough
def test_a_claim_that_needs_z3_is_no_failure_without_it(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    from refrelax.shape_solver import z3_

    monkeypatch.setattr(z3_, "AVAILABLE", False)
    assert main(["conformance", "run", "--impl", "reference", "--only", "claims", "--json"]) == 0
    rows = [json.loads(line) for line in capsys.readouterr().out.splitlines()]
    assert {row["verdict"] for row in rows} == {"passed", "unsupported"}
    assert any("needs z3" in row["why"] for row in rows)
