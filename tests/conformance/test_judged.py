"""The suite on implementations: what passes, what fails, and what is neither."""

from __future__ import annotations

import json
from collections import Counter
from pathlib import Path
from typing import Any

import pytest

import refrelax as rr
from refrelax import api, conformance
from refrelax.cli import main
from refrelax.conformance import ImplementationFailed, load
from refrelax.conformance.library import LIBRARY
from refrelax.errors import IllTyped, Malformed, Outcome, Returned, Trapped, Unspecified
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
    ("types/annotation-not", ("passed", "failed", "passed")),
    ("types/return-promise", ("passed", "passed", "refused")),
])  # fmt: skip
def test_words(name: str, words: tuple[str, str, str]) -> None:
    assert isinstance(Wrong(), conformance.Implementation)
    assert (word(name, Definition()), word(name, Wrong()), word(name, Refuses())) == words


def test_without_check_nothing_is_said_of_types() -> None:
    assert word("types/annotation-not", "numpy") == "not judged"


def test_the_definition_passes_its_own_suite() -> None:
    sample = [case for k, case in enumerate(CASES.values()) if case.portable and k % 7 == 0]
    counts = Counter(each.word for each in conformance.judge_cases(sample, Definition()))
    assert not counts["failed"] and not counts["unsupported"] and counts["passed"] > 0.7 * len(sample)


@pytest.mark.parametrize("area", ["evaluation", "threads", "openness", "ops-norm"])
def test_the_numpy_backend_fails_nothing(area: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["conformance", "run", "--impl", "numpy", "--only", area, "--json"]) == 0
    rows = [json.loads(line) for line in capsys.readouterr().out.splitlines()]
    assert any(row["passed"] for row in rows) and all(row["verdict"] != "failed" for row in rows)


def test_a_wrong_implementation_ends_with_one(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["conformance", "run", "--impl", f"{__name__}:Wrong", "--only", "evaluation"]) == 1
    said = capsys.readouterr().out
    assert "FAILED evaluation/" in said and " failed" in said.splitlines()[-1]


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


def test_known_deviations(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """What is listed is counted apart and does not end with 1; another verdict than the listed one does."""
    listed = tmp_path / "known.toml"
    listed.write_text(KNOWN)
    command = ["conformance", "run", "--impl", f"{__name__}:Wrong", "--only", "evaluation/bind", "--known", str(listed)]
    cases = [name for name, case in CASES.items() if name.startswith("evaluation/bind") and case.portable]
    assert cases == ["evaluation/bind"]
    assert main(command) == 0
    assert capsys.readouterr().out == "0 passed, 1 failed; 1 known, 0 unexpected\n"
    listed.write_text(KNOWN.replace('"failed"', '"refused"'))
    assert main(command) == 1
    assert "FAILED evaluation/bind" in capsys.readouterr().out


@pytest.mark.parametrize("text", ["[[deviation]", "", KNOWN.replace("id =", "name ="), KNOWN + KNOWN,
                                  KNOWN.replace("failed", "odd")])  # fmt: skip
def test_lists_that_are_none(text: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    listed = tmp_path / "known.toml"
    listed.write_text(text)
    assert main(["conformance", "run", "--impl", "numpy", "--only", "evaluation/bind", "--known", str(listed)]) == 2
    assert str(listed) in capsys.readouterr().err


def test_a_claim_that_needs_z3_is_no_failure_without_it(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    from refrelax.shape_solver import z3_

    monkeypatch.setattr(z3_, "AVAILABLE", False)
    assert main(["conformance", "run", "--impl", "reference", "--only", "claims", "--json"]) == 0
    rows = [json.loads(line) for line in capsys.readouterr().out.splitlines()]
    assert {row["verdict"] for row in rows} == {"passed", "unsupported"}
    assert any("needs z3" in row["why"] for row in rows)
