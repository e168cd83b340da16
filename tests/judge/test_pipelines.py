"""``validate`` along a pipeline, and ``bisect --prove``: a verdict for each pass and function, for all shapes."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from pathlib import Path

import pytest

import refrelax as rr
from refrelax.cli import main
from refrelax.interop import names
from refrelax.judge.bisect import Bisection
from refrelax.judge.pipelines import PipelineVerdict, public_functions
from refrelax.judge.stages import Stage, StagesEnded
from refrelax.syntax.module import Module
from refrelax.views import comparison

HEAD = """
n = TypeVar("n")
@I.ir_module
class Module:
"""
MAIN = """
    @R.function
    def main(x: R.Tensor((n, 4), "float32"), y: R.Tensor((n, 4), "float32")) -> R.Tensor((n, 4), "float32"):
        a = R.subtract({0}, {1})
        b = R.multiply(a, {2})
        return b
"""
OTHER = """
    @R.function
    def other(x: R.Tensor((n, 4), "float32")) -> R.Tensor((n, 4), "float32"):
        c = R.{0}(x)
        return c
"""
GOOD = MAIN.format("x", "y", "x")
SWAPPED = MAIN.format("y", "x", "x")
UNREADABLE = "class Module: nonsense("
ILL = HEAD + MAIN.format("x", "z", "x") + OTHER.format("exp")
TEXT = HEAD + GOOD + OTHER.format("exp")
WRONG = HEAD + SWAPPED + OTHER.format("exp")


class Given:
    """A compiler whose stages are these texts."""

    def __init__(self, *texts: str, ended: StagesEnded | None = None) -> None:
        self.texts, self.ended = texts, ended

    def stages(self, _module: Module, _pipeline: str) -> Iterator[Stage]:
        for k, text in enumerate((TEXT, *self.texts)):
            yield Stage(f"pass{k}" if k else "read", text, {})
        if self.ended is not None:
            raise self.ended


def along(*texts: str, ended: StagesEnded | None = None, **more: object) -> PipelineVerdict:
    return rr.validate_pipeline(rr.parse(TEXT), "given", Given(*texts, ended=ended), **more)


def words(found: PipelineVerdict) -> list[tuple[str, ...]]:
    return [tuple(f.word for f in each.functions) or (each.word,) for each in found.passes]


def test_every_pass_of_ours_is_proved_function_by_function() -> None:
    found = rr.validate_pipeline(rr.parse(TEXT), "build", "refrelax")
    assert found.word == "PROVED"
    assert {f.name for each in found.passes for f in each.functions} == {"main", "other"}
    assert [each.name for each in found.passes][:2] == ["read", "legalize"]
    assert found.report.compared > 0 and any("definitions of R.exp" in each for each in found.trusts)


def test_only_the_function_that_changed_is_asked_of() -> None:
    found = along(HEAD + GOOD + OTHER.format("sin"))
    assert words(found) == [("UNCHANGED", "UNCHANGED"), ("UNCHANGED", "REFUTED")]
    assert found.word == "REFUTED" and "first: pass1 (pass 1)" in str(found)
    assert along(HEAD + GOOD + OTHER.format("sin"), entries=("main",)).word == "PROVED"


def test_a_pass_that_is_taken_back_is_refuted_twice() -> None:
    assert words(along(WRONG, TEXT))[1:] == [("REFUTED", "UNCHANGED")] * 2


def test_what_cannot_be_read_is_answered_for_by_the_next() -> None:
    found = along(UNREADABLE, TEXT)
    assert words(found)[1:] == [("UNREAD",), ("UNCHANGED", "UNCHANGED")]
    assert found.word == "PROVED" and any("pass1 was passed over" in each for each in found.trusts)
    assert along(UNREADABLE, WRONG).word == "REFUTED"
    assert along(TEXT, UNREADABLE).word == "NO-VERDICT"


def test_a_program_that_is_none_is_no_proof_whatever_comes_after_it() -> None:
    found = along(ILL, TEXT)
    assert words(found)[1] == ("NO-VERDICT",) and found.word == "NO-VERDICT"


def test_a_function_that_is_gone() -> None:
    found = along(HEAD + GOOD)
    assert words(found)[1] == ("UNCHANGED", "NO-VERDICT")
    assert "no function 'other' after pass1" in str(found.passes[1].functions[1])


def test_a_pipeline_that_ends_early_has_no_verdict() -> None:
    found = along(TEXT, ended=StagesEnded("Next", "refused", "it does not like it"))
    assert found.word == "NO-VERDICT" and "Next ended the pipeline: it does not like it" in str(found)


def test_a_pipeline_that_cannot_begin_has_no_stage_and_rests_on_nothing() -> None:
    class Silent:
        def stages(self, _module: Module, _pipeline: str) -> Iterator[Stage]:
            raise StagesEnded("read", "refused", "it takes a target")
            yield

    found = rr.validate_pipeline(rr.parse(TEXT), "given", Silent())
    assert str(found) == "NO-VERDICT given: 0 stages; read ended the pipeline: it takes a target"
    assert not found.trusts


def test_assumptions_are_about_the_functions_that_have_the_symbols() -> None:
    assert (
        "assumed: n >= 1"
        in along(
            HEAD
            + MAIN.format("x", "y", "x").replace("b = R.multiply(a, x)", "c = a\n        b = R.multiply(c, x)")
            + OTHER.format("exp"),
            assume=["n >= 1"],
        ).trusts
    )
    with pytest.raises(rr.UsageError, match="the functions have n"):
        along(TEXT, assume=["m >= 1"])


@pytest.mark.parametrize("more, says", [({"entries": ("nobody",)}, "no function"), ({"args": []}, "one function")])
def test_questions_that_are_none(more: dict[str, object], says: str) -> None:
    with pytest.raises(rr.UsageError, match=says):
        along(TEXT, **more)
    with pytest.raises(rr.UsageError, match="no pass"):
        along()


def test_public_functions_are_those_that_somebody_else_may_call() -> None:
    loop = """
    @T.prim_func{0}
    def {1}(x: T.Buffer((4,), "float32"), y: T.Buffer((4,), "float32")):
        for i in range(4):
            y[i] = x[i]
"""
    call = """
    @R.function
    def main(x: R.Tensor((4,), "float32")) -> R.Tensor((4,), "float32"):
        y = R.call_tir(Module.used, (x,), out_ty=R.Tensor((4,), "float32"))
        return y
"""
    loops = loop.format("", "used") + loop.format("", "free") + loop.format("(private=True)", "hidden")
    assert public_functions(rr.parse("@I.ir_module\nclass Module:" + loops + call)) == ("main", "free")


# --- bisect --prove ---------------------------------------------------------------------------------------------------


def proofs(*texts: str, ended: StagesEnded | None = None, args: Sequence[object] | None = None) -> Bisection:
    return names.follow_proofs(rr.parse(TEXT), "main", args, Given(*texts, ended=ended), "given")


def test_the_first_pass_that_is_refuted_is_found_without_arguments() -> None:
    found = proofs(TEXT, WRONG, TEXT)
    assert isinstance(found.answer, rr.WrongPass) and found.word == "FOUND"
    assert (found.answer.name, found.answer.index) == ("pass2", 2) and found.answer.args
    assert [each.verdict for each in found.steps] == ["unchanged", "unchanged", "changed"]


def test_a_pass_after_one_that_cannot_be_read_is_found_at_its_own_place() -> None:
    found = proofs(UNREADABLE, TEXT, WRONG)
    assert isinstance(found.answer, rr.WrongPass) and (found.answer.name, found.answer.index) == ("pass3", 3)
    assert [each.verdict for each in found.steps] == ["unchanged", "unread", "unchanged", "changed"]
    assert found.answer.before.name == "pass2"


def test_none_is_said_only_where_all_is_proved() -> None:
    found = proofs(
        HEAD + MAIN.format("x", "y", "x").replace("return b", "c = b\n        return c") + OTHER.format("exp")
    )
    assert str(found) == "NONE  1 passes, each proved for all shapes and values" and found.answer is None
    assert "what is built after the last pass was not judged" in found.report.trusts
    tested = (
        HEAD
        + MAIN.format("x", "y", "x").replace("b = R.multiply(a, x)", "b = R.exp(R.log(R.multiply(a, x)))")
        + OTHER.format("exp")
    )
    assert proofs(TEXT, tested).word in ("FOUND", "NO-VERDICT")


@pytest.mark.parametrize(
    "texts, ended, name",
    [
        ((ILL,), None, "pass1"),
        ((HEAD + OTHER.format("exp"),), None, "pass1"),
        ((TEXT,), StagesEnded("Next", "refused", "no"), "Next"),
    ],
)
def test_a_pass_that_leaves_no_program_is_found(texts: tuple[str, ...], ended: StagesEnded | None, name: str) -> None:
    answer = proofs(*texts, ended=ended).answer
    assert isinstance(answer, rr.WrongPass) and answer.name == name


def test_what_the_first_program_permits_is_blamed_on_nobody() -> None:
    """The first pass gives an order to a sum, the second another one: no refinement of the first pass, and right."""
    first = """
@I.ir_module
class Module:
    @R.function
    def main(x: R.Tensor((3,), "float32")) -> R.Tensor((), "float32"):
        b = R.sum(x)
        return b
"""
    ordered = """
@I.ir_module
class Module:
    @T.prim_func(private=True)
    def total(x: T.Buffer((3,), "float32"), y: T.Buffer((), "float32")):
        y[()] = {0}
    @R.function
    def main(x: R.Tensor((3,), "float32")) -> R.Tensor((), "float32"):
        b = R.call_tir(Module.total, (x,), out_ty=R.Tensor((), "float32"))
        return b
"""
    one, two = (ordered.format(each) for each in ("x[0] + x[1] + x[2]", "x[0] + (x[1] + x[2])"))

    class Orders:
        def stages(self, _module: Module, _pipeline: str) -> Iterator[Stage]:
            for name, text in (("read", first), ("one", one), ("two", two)):
                yield Stage(name, text, {})

    found = names.follow_proofs(rr.parse(first), "main", None, Orders(), "orders")
    assert not isinstance(found.answer, rr.WrongPass)


# --- commands ---------------------------------------------------------------------------------------------------------


@pytest.fixture
def program(tmp_path: Path) -> str:
    path = tmp_path / "m.py"
    path.write_text(TEXT, encoding="utf-8")
    return str(path)


def test_the_command(program: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    page = tmp_path / "o.html"
    asked = ["validate", program, "--pipeline", "kernels", "--impl", "refrelax", "--require", "proved"]
    assert main([*asked, "--html", str(page)]) == 0
    out = capsys.readouterr().out
    assert "legalize" in out and "other: PROVED" in out and "\nPROVED kernels: 5 stages" in out
    shown = page.read_text(encoding="utf-8")
    assert "<h2>Passes</h2>" in shown and "claims that it rests on" in shown and "<script" not in shown
    assert main([*asked, "--json"]) == 0
    row = json.loads(capsys.readouterr().out)
    assert row["verdict"] == "PROVED" and [each["pass"] for each in row["passes"]][1] == "legalize"
    assert {f["function"] for f in row["passes"][1]["functions"]} == {"main", "other"}


def test_bisect_prove(program: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["bisect", program, "--impl", "refrelax", "--pipeline", "kernels", "--prove"]) == 0
    assert "NONE  4 passes, each proved" in capsys.readouterr().out


@pytest.mark.parametrize(
    "asked, says",
    [
        (["validate", "M"], "needs a second program"),
        (["validate", "M", "M", "--pipeline", "kernels"], "expected one FILE"),
        (["validate", "M", "M", "--impl", "refrelax"], "--impl has no effect"),
        (["validate", "M", "--pipeline", "kernels", "--impl", "refrelax", "--consts-after", "c.npz"], "--consts-after"),
        (["validate", "M", "--pipeline", "nothing", "--impl", "refrelax"], "unknown pipeline"),
        (["bisect", "M", "--impl", "refrelax", "--assume", "n >= 1"], "--assume has no effect"),
    ],
)
def test_usage(asked: list[str], says: str, program: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main([program if each == "M" else each for each in asked]) == 2
    assert says in capsys.readouterr().err


def test_the_page_of_a_refuted_pass_has_the_counterexample() -> None:
    page = comparison.followed(along(UNREADABLE, WRONG))
    assert "argument 0" in page and "first binding that differs" in page and "UNREAD" in page
