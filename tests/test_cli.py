"""The command line: exit codes, what is said where, and that a bad program never shows a traceback."""

from __future__ import annotations

import io
import json
import subprocess
import sys
from pathlib import Path

import pytest

from refrelax import cli, examples
from refrelax.commands import COMMANDS

GOOD = """
from tvm.script import ir as I
from tvm.script import relax as R

@I.ir_module
class Module:
    @R.function
    def main(x: R.Tensor(("n", 2), "float32")) -> R.Tensor(("n", 2), "float32"):
        y = R.add(x, x)
        return y
"""


@pytest.fixture
def good(tmp_path: Path) -> str:
    path = tmp_path / "m.py"
    path.write_text(GOOD, encoding="utf-8")
    return str(path)


class Answer:
    """What one command line gave."""

    def __init__(self, code: int, out: str, err: str) -> None:
        self.code, self.out, self.err = code, out, err

    def rows(self) -> list[dict[str, object]]:
        return [json.loads(line) for line in self.out.splitlines()]


@pytest.fixture
def cmd(capsys: pytest.CaptureFixture[str]):
    def go(*argv: str) -> Answer:
        capsys.readouterr()
        try:
            code = cli.main(argv)
        except SystemExit as stop:  # argparse
            code = int(stop.code or 0)
        out, err = capsys.readouterr()
        assert "Traceback" not in out + err
        return Answer(code, out, err)

    return go


# --- reading ----------------------------------------------------------------------------------------------------------


def test_fmt_is_a_fixed_point_and_parse_gives_the_same_module(cmd, good: str, tmp_path: Path) -> None:
    text = cmd("fmt", good).out
    again = tmp_path / "again.py"
    again.write_text(text, encoding="utf-8")
    assert cmd("fmt", str(again)).out == text
    one, other = cmd("parse", good), cmd("parse", str(again), "--json")
    assert one.code == 0 and one.rows() == other.rows()


def test_fmt_write(cmd, good: str) -> None:
    text = cmd("fmt", good).out
    assert cmd("fmt", "--write", good).code == 0
    assert Path(good).read_text(encoding="utf-8") == text


def test_standard_input(cmd, good: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("sys.stdin", io.TextIOWrapper(io.BytesIO(GOOD.encode()), encoding="utf-8"))
    answer = cmd("check", "-")
    assert answer.code == 0 and "accepted (main)" in answer.out


def test_check(cmd, good: str) -> None:
    assert cmd("check", good).out == f"{good}: accepted (main)\n"
    assert "y: R.Tensor((n, 2)" in cmd("check", "--explain", good).out
    (row,) = cmd("check", "--json", good).rows()
    assert row["ok"] is True and row["types"]["main"]["y"] == 'R.Tensor((n, 2), dtype="float32")'


# --- bad programs -----------------------------------------------------------------------------------------------------


def body(text: str) -> str:
    return GOOD.replace("y = R.add(x, x)", text)


BAD = {
    "syntax error": "def main(:\n",
    "empty": "",
    "not a module": "x = 1\n",
    "nul byte": "x\0y",
    "unknown operator": body("y = R.add_up(x, x)"),
    "undefined variable": body("y = R.add(x, z)"),
    "undefined symbol": GOOD.replace('-> R.Tensor(("n", 2)', '-> R.Tensor(("q", 2)'),
    "wrong rank": body('y = R.match_cast(x, R.Tensor(("n",), "float32"))'),
    "wrong shape": body('y = R.add(x, R.zeros(R.shape([3, 5]), "float32"))'),
    "wrong argument count": body("y = R.add(x)"),
    "import in an expression": body("y = R.add(x, __import__('os').system('touch /tmp/refrelax-was-here'))"),
    "a call of eval": body("y = R.add(x, eval('x'))"),
    "deep parentheses": body("y = R.add(x, " + "(" * 100_000 + "x" + ")" * 100_000 + ")"),
    "deep unary": body("y = R.add(x, " + "-" * 100_000 + "x)"),
    "deep calls": body("y = " + "R.add(" * 5_000 + "x" + ", x)" * 5_000),
    "surrogates": body('y = R.add(x, "\\ud800")'),
}


@pytest.mark.parametrize("name", BAD)
def test_a_bad_program_is_one_clear_line_and_exit_1(cmd, tmp_path: Path, name: str) -> None:
    path = tmp_path / "bad.py"
    path.write_text(BAD[name], encoding="utf-8")
    answer = cmd("check", str(path))
    assert answer.code == 1 and answer.out == ""
    assert "a fault of refrelax" not in answer.err
    for line in answer.err.splitlines():
        assert line.startswith(f"{path}:") and line.endswith("]"), line
        assert len(line) < 1_000
    assert not Path("/tmp/refrelax-was-here").exists()
    as_json = cmd("check", "--json", str(path))
    (row,) = as_json.rows()
    assert as_json.code == 1 and row["ok"] is False and row["diagnostics"][0]["rule"]


def test_every_file_is_looked_at(cmd, good: str, tmp_path: Path) -> None:
    bad = tmp_path / "bad.py"
    bad.write_text("(", encoding="utf-8")
    answer = cmd("check", str(bad), good)
    assert answer.code == 1 and "accepted" in answer.out and str(bad) in answer.err


def test_no_utf8(cmd, tmp_path: Path) -> None:
    path = tmp_path / "latin.py"
    path.write_bytes(b"ok\n# \xe9\n")
    answer = cmd("fmt", str(path))
    assert answer.code == 1 and f"{path}:2:1: expected UTF-8" in answer.err


# --- usage ------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "argv",
    [
        [],
        ["nope"],
        ["check"],
        ["check", "/no/such/file.py"],
        ["check", "/"],
        ["run", "{good}", "--dim", "n=3"],
        ["run", "{good}", "--random", "0", "--dim", "n:3"],
        ["run", "{good}", "--random", "0", "--dim", "q=3"],
        ["run", "{good}", "--random", "0", "--entry", "other"],
        ["run", "{good}", "--random", "0", "--args", "a.npz"],
        ["run", "{good}", "--args", "/no/such.npz"],
        ["run", "{good}", "--args", "{good}"],
        ["run", "{good}", "--numerics", "roman"],
        ["diff", "{good}", "--impl", "nothing"],
        ["diff", "{good}", "--impl", "no_such_module:f"],
        ["bisect", "{good}", "--impl", "nothing"],
        ["bisect", "{good}", "--impl", "refrelax", "--random", "0", "--pipeline", "nothing"],
        ["bisect", "{good}", "--impl", "refrelax", "--random", "0", "--entry", "other"],
        ["bisect", "/no/such/file.py"],
        ["explain", "no/such-rule"],
        ["demo", "no-such-model"],
    ],
)
def test_usage_errors_are_exit_2(cmd, good: str, argv: list[str]) -> None:
    answer = cmd(*(a.format(good=good) for a in argv))
    assert answer.code == 2 and answer.err and answer.out == ""


def test_every_command_has_help(cmd) -> None:
    for name in COMMANDS:
        answer = cmd(name, "--help")
        assert answer.code == 0 and "usage: refrelax" in answer.out
    assert "apache-tvm" in cmd("--version").out


# --- bisecting --------------------------------------------------------------------------------------------------------


def test_bisect_through_the_package_own_passes(cmd, good: str, tmp_path: Path) -> None:
    kept = tmp_path / "kept"
    answer = cmd("bisect", good, "--impl", "refrelax", "--random", "1", "--dim", "n=3", "--save", str(kept))
    assert answer.code == 0 and "NONE  6 passes" in answer.out
    assert (kept / "06-plan_memory.py").is_file() and (kept / "answer.json").is_file()
    (row,) = cmd("bisect", good, "--impl", "refrelax", "--random", "1", "--json").rows()
    assert row["verdict"] == "NONE" and row["pipeline"] == "default"


def test_bisect_without_tvm_gives_no_verdict(cmd, good: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("REFRELAX_TVM_PYTHON", "/no/such/python")
    answer = cmd("bisect", good, "--random", "1")
    assert answer.code == 3 and "install refrelax[tvm]" in answer.out


# --- running ----------------------------------------------------------------------------------------------------------


def test_run_random_is_reproducible(cmd, good: str) -> None:
    first, second = (cmd("run", good, "--random", "4", "--dim", "n=3", "--json") for _ in range(2))
    (row,) = first.rows()
    assert first.code == 0 and row["outcome"] == "Returned" and row["value"]["shape"] == [3, 2]
    assert row["value"]["data"] == [[2 * v for v in line] for line in row["arguments"][0]["data"]]
    assert first.out == second.out
    assert cmd("run", good, "--random", "5", "--dim", "n=3", "--json").out != first.out


def test_run_with_arguments_from_a_file(cmd, good: str, tmp_path: Path) -> None:
    import numpy as np

    path = tmp_path / "a.npz"
    np.savez(path, x=np.array([[1, 2], [3, np.inf]], "float32"))
    answer = cmd("run", good, "--args", str(path))
    assert answer.code == 0 and "float32[2, 2] [[2.0, 4.0], [6.0, inf]]" in answer.out
    (row,) = cmd("run", good, "--args", str(path), "--json").rows()
    assert row["value"]["data"] == [[2, 4], [6, "inf"]]
    bounds = cmd("run", good, "--args", str(path), "--numerics", "enclosure")
    assert bounds.code == 0 and " from [[" in bounds.out


@pytest.mark.parametrize(("numerics", "element"), [("exact", "1/2"), ("symbolic", "1"), ("guarded", None)])
def test_readings_without_bits(cmd, good: str, numerics: str, element: str | None) -> None:
    line = ("run", good, "--arg", "x=[[0.25,2]]", "--numerics", numerics)
    if element is None:
        assert cmd(*line).code == 2  # no reading for users
        return
    assert element in cmd(*line).out
    (row,) = cmd(*line, "--json").rows()
    assert len(row["value"]["elements"]) == 2


def test_a_run_that_does_not_return_is_exit_1(cmd, good: str, tmp_path: Path) -> None:
    path = tmp_path / "trap.py"
    path.write_text(body('y = R.match_cast(x, R.Tensor((3, 2), "float32"))'), encoding="utf-8")
    answer = cmd("run", str(path), "--random", "0", "--dim", "n=4")
    assert answer.code == 1 and "Trapped" in answer.out and "[ev/match-cast" in answer.out
    out_of_steps = cmd("run", good, "--random", "0", "--elements", "1", "--json")
    (row,) = out_of_steps.rows()
    assert out_of_steps.code == 1 and (row["outcome"], row["what"]) == ("Exhausted", "elements")
    missing = cmd("run", good)
    assert (missing.code == 1 and missing.out.startswith("Trapped")) or "Trapped" in missing.out


def test_constants_from_a_file(cmd) -> None:
    stage = examples.load("mlp").stage("imported")
    missing = cmd("run", str(stage.path), "--random", "0")
    assert missing.code == 1 and "[link/constant-missing]" in missing.err
    answer = cmd("run", str(stage.path), "--random", "0", "--consts", str(stage.path.with_suffix(".npz")), "--json")
    assert answer.code == 0 and answer.rows()[0]["value"][0]["shape"] == [3, 4]


def test_validate(cmd, good: str, tmp_path: Path) -> None:
    same, other = tmp_path / "same.py", tmp_path / "other.py"
    same.write_text(GOOD.replace("y", "renamed"), encoding="utf-8")
    other.write_text(body("y = R.multiply(x, x)"), encoding="utf-8")
    assert cmd("validate", good, str(same), "--require", "proved").out.startswith("PROVED")
    refuted = cmd("validate", good, str(other))
    assert refuted.code == 1 and refuted.out.startswith("REFUTED n=")
    assert cmd("validate", good, str(other), "--entry", "nope").code in (2, 3)


def test_certify(cmd, tmp_path: Path) -> None:
    path, other = tmp_path / "c.json", tmp_path / "other.json"
    done = cmd("prove", "(x // 3) // 4 == x // 12", "--explain", "--certificate", str(path))
    assert done.code == 0 and "<- decided" in done.out and "[fd/low]" in done.out and done.out.endswith("log\n")
    assert "CERTIFIED by checker: ((x // 3) // 4) == (x // 12)" in cmd("certify", str(path)).out
    wrong = path.read_text(encoding="utf-8").replace('"const", 12', '"const", 13')
    other.write_text(wrong, encoding="utf-8")
    refused = cmd("certify", str(path), str(other), "--json")
    assert refused.code == 1 and '"REJECTED"' in refused.out and "the table" in refused.out
    assert cmd("certify", "--with", "checker", str(path)).code == 0
    assert cmd("certify", "--with", "cvc5", str(path)).code in (0, 3)  # 3: cvc5 is not installed
    assert cmd("certify", "--with", "verified", str(path)).code in (0, 3)  # 3: it is not built
    other.write_text("{", encoding="utf-8")
    assert cmd("certify", str(other)).code == 1
    assert cmd("certify", str(tmp_path / "missing.json")).code == 2
    strict = ("--fits", "int8", "--division", "require", "--certificate", str(path))
    assert cmd("prove", "n // m <= n", "--assume", "n >= 0", "--assume", "m >= 1", *strict).code == 0
    (row,) = cmd("certify", str(path), "--json").rows()
    assert row["question"] == {
        "claim": "(n // m) <= n", "assumptions": ["n >= 0", "m >= 1"], "fits": "int8", "division": "require",
    }  # fmt: skip
    assert str(row["says"]).startswith("(n // m) <= n, if n >= 0, if m >= 1, fits int8, defined")
    few = cmd("prove", "n * n != 48", "--assume", "0 <= n <= 9", "--certificate", str(path), "--json")
    assert few.code == 0 and cmd("certify", str(path)).code == 0
    assert "none" in cmd("prove", "n > 3", "--certificate", str(other)).out


def test_prove(cmd, tmp_path: Path) -> None:
    assert cmd("prove", "n*m + m == m*(n + 1)").out == "PROVED\n"
    refuted = cmd("prove", "n > 3", "--json")
    assert refuted.code == 1 and refuted.rows()[0]["model"]["n"] <= 3
    lines = (("n +",), ("n == n", "--assume", "n >"), ("implies(x, x <= 1)",), ("n +", "--smt2", str(tmp_path / "no")))
    for line in lines:
        malformed = cmd("prove", *line, "--json")  # not 1, which is a refutation
        assert malformed.code == 2 and malformed.rows()[0]["answer"] == "MALFORMED"
        assert cmd("prove", *line).code == 2 and not cmd("prove", *line).out
    (place,) = cmd("prove", "n == n", "--assume", "n >", "--json").rows()[0]["diagnostics"]
    assert place["file"] == "<assumption 1>" and place["column"] == 4 and place["rule"] == "sh/claim-syntax"
    script = tmp_path / "q.smt2"
    assert cmd("prove", "n == n", "--smt2", str(script)).code == 0
    assert "(check-sat)" in script.read_text(encoding="utf-8")


# --- the tie ----------------------------------------------------------------------------------------------------------


@pytest.mark.thorough
def test_explain_a_rule_an_operator_and_a_word(cmd) -> None:
    word = cmd("explain", "match_cast")
    assert word.code == 0
    for part in ("spec      spec/", "code      ", "refrelax/semantics/", "ev/match-cast"):
        assert part in word.out
    op = cmd("explain", "R.matmul")
    assert op.code == 0 and "relax.matmul" in op.out and "refrelax/semantics/ops/" in op.out
    rule = cmd("explain", "sh/equal", "--json")
    assert rule.rows()[0]["rule"] == "sh/equal" and rule.rows()[0]["spec"].startswith("spec/06")
    words = cmd("explain", "loads out of bounds")
    assert words.code == 0 and "ld/load-out-of-bounds" in words.out
    many = cmd("explain", "fusion")
    assert many.code == 0 and "lo/fuse-inline  " in many.out and "explain RULE" in many.out
    near = cmd("explain", "matmull")
    assert near.code == 2 and "relax.matmul" in near.err


# --- faults -----------------------------------------------------------------------------------------------------------


def test_a_fault_of_ours_is_one_line_that_asks_for_a_report(cmd, good: str, monkeypatch: pytest.MonkeyPatch) -> None:
    from refrelax import api
    from refrelax.errors import InternalError

    def broken(*_args: object) -> None:
        raise InternalError("two\nlines")

    monkeypatch.setattr(api, "check", broken)
    monkeypatch.delenv("REFRELAX_DEBUG", raising=False)
    answer = cmd("check", good)
    assert answer.code == 3 and answer.err.count("\n") == 1 and "report" in answer.err and "two" in answer.err
    monkeypatch.setenv("REFRELAX_DEBUG", "1")
    with pytest.raises(InternalError):
        cli.main(["check", good])


@pytest.mark.thorough
def test_a_closed_pipe_is_no_fault(good: str) -> None:
    command = f"{sys.executable} -m refrelax fmt {' '.join([good] * 300)} | head -1"
    done = subprocess.run(["bash", "-c", command], capture_output=True, text=True, check=False)
    assert done.stderr == "" and done.stdout.count("\n") == 1


NEGATED = """
@I.ir_module
class Module:
    @T.prim_func
    def main(A: T.Buffer((8,), "float32"), C: T.Buffer((1,), "float32")):
        C[0] = T.float32({start})
        for k in range(8):
            C[0] = T.max(C[0], A[k])
"""


def test_validate_relaxes_only_on_request(cmd, tmp_path: Path) -> None:
    """A relaxation is named by the caller, is named in the answer, and is no proof where a proof is required."""
    one, two = tmp_path / "one.py", tmp_path / "two.py"
    one.write_text(NEGATED.format(start='"-inf"'), encoding="utf-8")
    two.write_text(NEGATED.format(start="-3.4028234663852886e38"), encoding="utf-8")
    assert cmd("validate", str(one), str(two)).code == 1
    relaxed = cmd("validate", str(one), str(two), "--relax", "extreme-identity")
    assert relaxed.code == 0 and relaxed.out.startswith("PROVED") and "under extreme-identity" in relaxed.out
    assert "trusts: " in relaxed.out
    required = cmd("validate", str(one), str(two), "--relax", "extreme-identity", "--require", "proved", "--json")
    row = required.rows()[0]
    assert required.code == 3 and row["relaxations"] == ["extreme-identity"] and row["not_enough"]
    assert cmd("validate", str(one), str(two), "--relax", "wishful-thinking").code == 2


def test_validate_assumes_and_says_why_it_did_not_prove(cmd, tmp_path: Path) -> None:
    head = "n = TypeVar('n')\n@I.ir_module\nclass Module:\n    @T.prim_func\n"
    body = '    def main(x: T.Buffer((n,), "float32"), z: T.Buffer((1,), "float32")):\n        z[0] = {}\n'
    one, two = tmp_path / "one.py", tmp_path / "two.py"
    one.write_text(head + body.format("T.float32(1)"), encoding="utf-8")
    two.write_text(head + body.format("T.Select(n > 2, T.float32(1), T.float32(2))"), encoding="utf-8")
    assert cmd("validate", str(one), str(two)).code == 1
    assumed = cmd("validate", str(one), str(two), "--assume", "n >= 3", "--json")
    row = assumed.rows()[0]
    assert assumed.code == 0 and row["verdict"] == "PROVED" and any("n" in each for each in row["trusts"])
    assert cmd("validate", str(one), str(two), "--assume", "k >= 3").code == 2
    never = cmd("validate", str(one), str(two), "--assume", "n >= 3", "--assume", "n <= 2")
    assert never.code == 3 and "satisfy" in never.out
    hasty = cmd("validate", str(one), str(two), "--assume", "n >= 3", "--timeout", "0.000000001", "--json")
    assert hasty.code == 3 and hasty.rows()[0]["verdict"] == "NO-VERDICT" and hasty.rows()[0]["unproved"]


@pytest.mark.parametrize(
    "line",
    [
        "validate BAD GOOD",
        "validate GOOD BAD",
        "validate BAD --pipeline kernels --impl refrelax",
        "diff BAD --impl numpy --random 0",
        "bisect BAD --impl refrelax --pipeline default --random 0",
    ],
)
def test_what_is_no_program_differs_from_nothing(cmd, tmp_path: Path, line: str) -> None:
    """``rejected`` is no verdict (chapter 01), and 1 would say that a difference was found."""
    good, bad = tmp_path / "good.py", tmp_path / "bad.py"
    good.write_text(NEGATED.format(start="1"), encoding="utf-8")
    bad.write_text("@R.function\ndef main(x: R.Tensor((3,), 'float32')):\n    return y\n", encoding="utf-8")
    found = cmd(*line.replace("BAD", str(bad)).replace("GOOD", str(good)).split())
    assert found.code == 3 and "rejected" in found.out and "bad.py:3" in found.out
    assert cmd("check", str(bad)).code == 1
