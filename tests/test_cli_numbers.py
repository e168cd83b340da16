"""Numbers on the command line, arguments of ``validate``, and what is broken where a module should come from."""

from __future__ import annotations

import argparse
import json
from pathlib import Path

import pytest

import refrelax as rr
from refrelax import cli
from refrelax.commands import COMMANDS

SEEDS = {"seed", "random"}
"""Any whole number is a seed."""

NONSENSE = ("-1", "0", "nan", "inf", "1e999", "1.5x", "", "-1s", "0s", "٣", "--")


def numeric() -> list[tuple[str, str, str, type | object]]:
    """Every option of every command that is read by something else than as text or a choice."""
    found = []
    for name, command in COMMANDS.items():
        parser = argparse.ArgumentParser(prog=name)
        command.load(parser)
        subs = [a for a in parser._actions if isinstance(a, argparse._SubParsersAction)]
        parsers = [(name, parser), *((f"{name} {word}", p) for each in subs for word, p in each.choices.items())]
        for path, each in parsers:
            found += [(path, a.option_strings[0], a.dest, a.type) for a in each._actions if a.option_strings and a.type]
    return found


def test_there_are_such_options() -> None:
    options = {(path, option) for path, option, _, _ in numeric()}
    assert {
        ("validate", "--timeout"),
        ("run", "--steps"),
        ("fuzz", "--count"),
        ("conformance run", "--deadline"),
    } <= options


@pytest.mark.parametrize("text", NONSENSE)
def test_a_number_that_is_none_is_refused(text: str) -> None:
    for path, option, dest, read in numeric():
        if dest in SEEDS and text in ("-1", "0", "٣"):
            continue
        with pytest.raises((ValueError, argparse.ArgumentTypeError)):
            pytest.fail(f"{path} {option} {text!r} is {read(text)!r}")  # type: ignore[operator]


@pytest.mark.parametrize("wrong", [{"timeout": -1.0}, {"timeout": 0}, {"timeout": float("nan")}, {"rounds": 0}])
def test_the_api_refuses_them_too(wrong: dict[str, float]) -> None:
    module = rr.parse(BEFORE)
    with pytest.raises(rr.UsageError):
        rr.validate(module, module, **wrong)  # type: ignore[arg-type]


def test_a_budget_is_not_negative() -> None:
    for name in ("steps", "elements", "depth"):
        with pytest.raises(rr.UsageError):
            rr.Budget(**{name: -1})


BEFORE = """
@I.ir_module
class Module:
    @R.function
    def main(x: R.Tensor(("n",), "float32"), c: R.Tensor((), "float32")):
        y = R.add(x, x)
        z = R.add(x, c)
        return (y, (z, y))
"""
AT = 'R.equal(R.multiply(c, c), R.const(6006.25, "float32"))'  # at 77.5: no number that a program names
AFTER = BEFORE.replace("R.add(x, c)", f"R.where({AT}, x, R.add(x, c))")
"""Another program at one value of ``c`` alone, which nobody draws."""


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    Path("before.py").write_text(BEFORE, encoding="utf-8")
    Path("after.py").write_text(AFTER, encoding="utf-8")
    Path("wrong.py").write_text(BEFORE.replace("R.add(x, c)", "R.subtract(x, c)"), encoding="utf-8")
    Path("live.py").write_text("def make():\n    return None\n", encoding="utf-8")
    return tmp_path


def said(capsys: pytest.CaptureFixture[str], *argv: str) -> tuple[int, str, str]:
    code = cli.main(argv)
    out, err = capsys.readouterr()
    return code, out, err


def test_validate_runs_both_on_the_arguments_given(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    given = ("validate", "before.py", "after.py")
    assert said(capsys, *given)[0] == 0
    code, out, _ = said(capsys, *given, "--arg", "x=[1,2]", "--arg", "c=77.5")
    assert code == 1 and out.startswith("REFUTED n=2: the result.1.0[0] is outside")
    code, out, _ = said(capsys, *given, "--arg", "x=[1]", "--arg", "c=77.5", "--json", "--save-args", "kept.npz")
    row = json.loads(out)
    assert (row["verdict"], row["field"]) == ("REFUTED", "1.0") and row["arguments"][1]["data"] == 77.5
    assert said(capsys, *given, "--args", "kept.npz")[0] == 1
    assert said(capsys, *given, "--args", "kept.npz", "--assume", "n >= 2")[0] == 2
    assert said(capsys, *given, "--arg", "x=[1]")[0] == 2
    assert said(capsys, *given, "--dim", "n=2")[0] == 2


def test_what_refutes_is_saved_for_the_next_command(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    code, out, _ = said(capsys, "validate", "before.py", "wrong.py", "--save-args", "kept.npz")
    assert code == 1 and "the result.1.0[" in out
    assert said(capsys, "run", "before.py", "--args", "kept.npz")[0] == 0
    code, _, err = said(capsys, "validate", "before.py", "before.py", "--save-args", "none.npz")
    assert code == 0 and "no arguments to save" in err and not Path("none.npz").exists()


class Halves:
    """Gives another second field."""

    def run(self, module: rr.Module, entry: str, args: list[object]) -> object:
        found = rr.run(rr.check(module), entry, *args)
        assert isinstance(found, rr.Returned)
        y, (z, w) = found.value
        return rr.Returned((y, (rr.Tensor.of([9.0] * z.size, "float32"), w)), found.arguments)


def test_the_field_of_a_tuple_is_named() -> None:
    checked = rr.check(rr.parse(BEFORE))
    found = rr.diff(checked, "main", [[1.0, 2.0], 3.0], Halves())
    assert isinstance(found, rr.Divergence) and found.field == "1.0"
    assert str(found).startswith("DIVERGE  main/return: return.1.0[0] (result) is outside")


@pytest.mark.parametrize("python", ["/bin/false", "/no/such/python"])
@pytest.mark.parametrize(
    "command", ["run", "check", "trace", "lower", "diff --impl numpy", "bisect", "validate live.py:make"]
)
def test_a_broken_tvm_gives_no_verdict(
    folder: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, command: str, python: str
) -> None:
    monkeypatch.setenv("REFRELAX_TVM_PYTHON", python)
    code, out, err = said(capsys, *command.split(), "live.py:make")
    assert code == 3 and "absent" in out + err
    if command.split()[0] in ("diff", "bisect", "validate"):
        row = json.loads(said(capsys, *command.split(), "live.py:make", "--json")[1])
        assert (row["verdict"], row["reason"]) == ("NO-VERDICT", "absent")
