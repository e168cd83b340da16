"""Every case of the suite and every example of the spec, against the definition; and the loader's refusals."""

from __future__ import annotations

from pathlib import Path

import pytest

from refrelax.conformance.cases import BadCase, Case, Expectation, load, load_examples, parse_expectation
from refrelax.conformance.run import run_case

CASES = load()
EXAMPLES = load_examples()


# `make test` judges every case in `rules check`, under observation; once is enough.
@pytest.mark.nightly
@pytest.mark.parametrize("case", [*CASES, *EXAMPLES], ids=lambda c: c.name)
def test_case(case: Case) -> None:
    result = run_case(case)
    assert result.passed, f"{case.place}: {result.reason}"


def test_there_are_cases_of_both_verdicts() -> None:
    assert {c.verdict for c in CASES} == {"accepts", "rejects"}
    assert EXAMPLES


MODULE = """
from tvm.script import ir as I
from tvm.script import relax as R

@I.ir_module
class Module:
    @R.function
    def main(x: R.Tensor((2,), "float32")) -> R.Tensor((2,), "float32"):
        y = R.add(x, x)
        return y
"""


def write(folder: Path, text: str) -> Path:
    (folder / "some.toml").write_text(text, encoding="utf-8")
    return folder


def row(**extra: str) -> str:
    keys = {"name": '"a/b"', "rule": '"ev/x"', "verdict": '"accepts"', "module": f"'''{MODULE}'''", **extra}
    return "[[case]]\n" + "\n".join(f"{k} = {v}" for k, v in keys.items() if v) + "\n"


def made(tmp_path: Path, **extra: str) -> Case:
    (case,) = load(write(tmp_path, row(**extra)))
    return case


ARGS = '[{dtype="float32", shape=[2], data=[1, 2]}]'


def test_a_right_value_passes_and_a_wrong_one_fails(tmp_path: Path) -> None:
    right = made(tmp_path, entry='"main"', args=ARGS, value='{dtype="float32", shape=[2], data=[2, 4]}')
    assert right.expect == Expectation("Returned")
    assert run_case(right).passed
    for wrong in (
        '{dtype="float32", shape=[2], data=[2, 5]}',
        '{dtype="float32", shape=[1, 2], data=[2, 4]}',
        '{dtype="float16", shape=[2], data=[2, 4]}',
        '{dtype="float32", shape=[2], data=[2, "poison"]}',
        '[{dtype="float32", shape=[2], data=[2, 4]}]',
        "4",
    ):
        result = run_case(made(tmp_path, entry='"main"', args=ARGS, value=wrong))
        assert not result.passed and result.reason, wrong


def test_another_end_than_expected_fails(tmp_path: Path) -> None:
    for expect in ('"Trapped ev/x"', '"IllTyped ty/x"', '"Returned ev/x"'):
        assert not run_case(made(tmp_path, entry='"main"', args=ARGS, expect=expect)).passed


def test_a_malformed_module_is_an_end_like_another(tmp_path: Path) -> None:
    case = made(tmp_path, module="'def ('", verdict='"rejects"', expect='"Malformed"')
    result = run_case(case)
    assert result.passed and result.rules[0].startswith("syn/")


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("[[case]\n", "some.toml"),
        (row(verdict=""), "lacks verdict"),
        (row(verdict='"maybe"'), "maybe"),
        (row(colour='"red"'), "unknown key colour"),
        (row(verdict='"rejects"'), "must say what it expects"),
        (row(expect='"Exploded"'), "Exploded"),
        (row() + row(), "already the name of"),
        (row(module=""), "needs one of module, json, claim"),
        (row(claim='"n == n"'), "needs one of module, json, claim"),
        (row(module="", claim='"n == n"'), "must say what it expects"),
        (row(module="", claim='"n == n"', expect='"Returned"'), "cannot end as Returned"),
        (row(module="", claim='"n == n"', expect='"Proved"', args="[1]"), "cannot have args"),
        (row(expect='"Proved"'), "cannot end as Proved"),
        (row(numerics='"exact"'), "numerics must be one of"),
        (row(repeat='["nowhere", "x", 3]'), "repeat must be"),
        (row(expect='"Returned"', value='{ dtype = "int8", shape = [], data = [1], dat = [2] }'), "found the keys"),
        (row(expect='"Returned"', args="[[{ shap = [2] }]]"), "found the keys"),
    ],
)
def test_bad_files_are_refused(tmp_path: Path, text: str, says: str) -> None:
    with pytest.raises(BadCase, match=says):
        load(write(tmp_path, text))


def test_expectations_print_as_they_are_read() -> None:
    for text in ("accepts", "Returned", "Trapped ev/x", "IllTyped ty/y"):
        assert str(parse_expectation(text, "here")) == text
    with pytest.raises(BadCase):
        parse_expectation("Trapped a/b c/d", "here")


def test_questions_are_answered_and_wrong_expectations_fail(tmp_path: Path) -> None:
    def asked(expect: str, **extra: str) -> bool:
        return run_case(made(tmp_path, module="", expect=f'"{expect}"', **extra)).passed

    assert asked("Proved", claim='"n*m == m*n"') and not asked("Refuted", claim='"n*m == m*n"')
    assert asked("Refuted", claim='"n + 1 > n"', fits='"int8"') and not asked("Proved", claim='"n == 7"')
    assert asked("Refuted", claim='"1 // n <= 1"', assume='["n >= 0"]', division='"require"')
    assert asked("Malformed sh/claim-syntax", claim='"n +"')
    assert asked("Proved", claim='"(4*n + r) // 4"', assume='["0 <= r", "r < 4"]', becomes='"n"')
    assert not asked("Proved", claim='"(4*n + r) // 4"', becomes='"n"')


def test_pairs_of_programs(tmp_path: Path) -> None:
    other = MODULE.replace("R.add(x, x)", "R.multiply(x, x)")
    for second, right, wrong in ((MODULE, "Equivalent", "Refuted"), (other, "Refuted", "Equivalent")):
        for expect, passes in ((right, True), (wrong, False)):
            case = made(tmp_path, validate=f"'''{second}'''", expect=f'"{expect}"')
            assert not case.portable and run_case(case).passed is passes


def test_lowered_modules_are_run(tmp_path: Path) -> None:
    for value, passes in (("[2, 4]", True), ("[2, 5]", False)):
        case = made(
            tmp_path,
            entry='"main"',
            args=ARGS,
            lower='"default"',
            value=f'{{dtype="float32", shape=[2], data={value}}}',
        )
        assert run_case(case).passed is passes


def test_permitted_sets(tmp_path: Path) -> None:
    def judged(**extra: str) -> bool:
        module = MODULE.replace("R.add(x, x)", "R.exp(x)")
        return run_case(
            made(tmp_path, module=f"'''{module}'''", entry='"main"', args=ARGS, numerics='"enclosure"', **extra)
        ).passed

    right = '{dtype="float32", shape=[2], data=[2.7182817, 7.389056]}'
    wrong = '{dtype="float32", shape=[2], data=[2.7182817, 7.3]}'
    assert judged(value=right) and judged(outside=wrong)
    assert not judged(value=wrong) and not judged(outside=right)


def test_a_module_as_json(tmp_path: Path) -> None:
    from refrelax import api
    from refrelax.syntax.json_ import to_json

    text = to_json(api.parse(MODULE))
    case = made(tmp_path, module="", json=f"'''{text}'''", entry='"main"', args=ARGS)
    assert run_case(case).passed and not case.portable


def test_a_repeated_text(tmp_path: Path) -> None:
    case = made(tmp_path, module="'''LINES'''", repeat='["LINES", "ab", 3]')
    assert case.module == "ababab"
