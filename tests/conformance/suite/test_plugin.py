"""The suite as tests of pytest: a test a case, what is known to fail strictly so."""

from __future__ import annotations

import importlib.metadata
import json
import shlex
import sys
from pathlib import Path

import pytest

from refrelax.conformance import load
from refrelax.conformance.suite import store
from refrelax.conformance.suite.records import exported

pytest_plugins = ["pytester"]

SERVE = shlex.join([sys.executable, "-m", "refrelax", "conformance", "serve"])

WRONG = """
import json, sys
for line in sys.stdin:
    asked = json.loads(line)
    answer = {"protocol": 1, "profiles": ["graph", "static"]} if asked["ask"] == "hello" else {"end": "trapped"}
    print(json.dumps({"id": asked["id"], **answer}), flush=True)
"""


@pytest.fixture
def suite(tmp_path: Path) -> Path:
    """A small suite: two runs, a rule of typing both ways, a text."""
    names = ("evaluation/if-true", "evaluation/for", "types/tuple-index", "types/tuple-index-not")
    names += ("syntax/assignment-accepts",)
    chosen = [case for case in load() if case.name in names]
    assert len(chosen) == len(names)
    store.write(tmp_path / "suite", exported(chosen))
    return tmp_path / "suite"


def run(pytester: pytest.Pytester, suite: Path, impl: str, *options: str) -> pytest.RunResult:
    registered = any(e.name == "refrelax" for e in importlib.metadata.entry_points(group="pytest11"))
    plugin = () if registered else ("-p", "refrelax.pytest_options")
    given = (f"--refrelax-impl={impl}", f"--refrelax-suite={suite}", "-rA", *options)
    return pytester.runpytest_subprocess(*plugin, *given)


@pytest.mark.thorough
def test_a_test_a_case(pytester: pytest.Pytester, suite: Path) -> None:
    found = run(pytester, suite, SERVE)
    found.assert_outcomes(passed=5)
    found.stdout.fnmatch_lines(["*types/tuple-index-not*"])
    run(pytester, suite, SERVE, "-k", "tuple-index").assert_outcomes(passed=2, deselected=3)


@pytest.mark.thorough
def test_what_is_wrong_fails_and_what_says_nothing_is_skipped(pytester: pytest.Pytester, suite: Path) -> None:
    path = pytester.makepyfile(wrong=WRONG)
    found = run(pytester, suite, f"{sys.executable} {path}")
    found.assert_outcomes(failed=4, skipped=1)
    found.stdout.fnmatch_lines(["*failed: expected Returned, found trapped*", "rule ev/if, expected Returned"])
    assert "Traceback" not in found.stdout.str()


@pytest.mark.thorough
def test_expected_failures_are_strict(pytester: pytest.Pytester, suite: Path) -> None:
    path = pytester.makepyfile(wrong=WRONG)
    listed = pytester.path / "known.toml"
    listed.write_text(
        '[[deviation]]\nid = "traps"\nverdict = "failed"\ncases = ["evaluation/if-true", "types/tuple-index-not"]\n'
    )
    known = f"--refrelax-known={listed}"
    run(pytester, suite, f"{sys.executable} {path}", known, "-k", "if-true").assert_outcomes(xfailed=1, deselected=4)
    found = run(pytester, suite, SERVE, known)
    found.assert_outcomes(passed=3, failed=2)
    found.stdout.fnmatch_lines(["*listed as failed (traps), but it is passed*"])
    listed.write_text('[[deviation]]\nid = "x"\nverdict = "failed"\ncases = ["no/case"]\n')
    assert "no case of the suite" in run(pytester, suite, SERVE, known).stderr.str()


@pytest.mark.thorough
def test_a_command_that_does_not_start_says_so(pytester: pytest.Pytester, suite: Path) -> None:
    found = run(pytester, suite, json.dumps("/no/such/command here"))
    found.assert_outcomes(failed=5)
    found.stdout.fnmatch_lines(["*cannot be started*"])


@pytest.mark.thorough
def test_other_tests_of_the_folder_are_collected_where_they_are_given(pytester: pytest.Pytester, suite: Path) -> None:
    own = pytester.makepyfile(test_own="def test_own():\n    assert False\n")
    pytester.makeini("[pytest]\ntestpaths = .\n")
    run(pytester, suite, SERVE).assert_outcomes(passed=5)
    run(pytester, suite, SERVE, own.name).assert_outcomes(passed=5, failed=1)
    run(pytester, suite, SERVE, ".", "-k", "own").assert_outcomes(failed=1, deselected=5)
    assert pytester.runpytest_subprocess("-p", "no:cacheprovider").ret == pytest.ExitCode.TESTS_FAILED
