"""Programs of front ends: drawn, run by their own means, imported, judged, shrunk."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

import refrelax as rr
from refrelax.judge import front
from refrelax.judge.campaign import front as campaign_front
from refrelax.judge.campaign import run as campaigns
from refrelax.judge.campaign.memory import Memory
from refrelax.judge.front import Imported, NoProgram, Run
from refrelax.judge.fuzz import Finding, Plan
from refrelax.judge.stages import Stage
from refrelax.judge.verdicts import Agreement, Divergence, NoVerdict, Verdict
from refrelax.testing import front as programs
from refrelax.testing.front import Line, Param, Program

sys.path.insert(0, str(Path(__file__).parent))
import strange
import stub_front

TEXT = """
from tvm.script import ir as I
from tvm.script import relax as R

@I.ir_module
class Module:
    @R.function
    def main(x: R.Tensor((2,), "float32")) -> R.Tuple(R.Tensor((2,), "float32")):
        y = R.exp(x)
        return (y,)
"""


def verdict(value: list[float], *others: list[float], dtype: str = "float32", text: str = TEXT) -> Verdict:
    """The verdict on a program that was imported as a text and gave a value of [0, 1]."""
    imported = Imported((), stage=Stage("import", text, {}, "import"))
    checked = front.checked_of(imported)
    assert not isinstance(checked, Agreement | Divergence | NoVerdict)
    own = rr.Tensor.of(value, dtype)
    ways = tuple((rr.Tensor.of(each, "float32"),) for each in others)
    return front.verdict(checked, Run((rr.Tensor.of([0.0, 1.0], "float32"),), (own,), ways))


E = 2.7182818


def test_an_answer_inside_is_right_and_another_is_not() -> None:
    assert isinstance(verdict([1.0, E]), Agreement)
    wrong = verdict([1.0, 2.5])
    assert isinstance(wrong, Divergence) and wrong.field == "0" and "imported module permits" in wrong.message


def test_what_a_front_end_may_round_is_no_difference() -> None:
    assert verdict([1.0, E * (1 + 2e-6)]).word == "UNDECIDED"  # less than a third of the bits
    assert verdict([1.0, 2.70]).word == "DIVERGE"
    assert verdict([1.0, 2.70], [1.0, E]).word == "UNDECIDED"  # in float64 it is right
    assert verdict([1.0, 2.70], [1.01, E]).word == "UNDECIDED"  # each element by itself
    assert verdict([1.0, 2.70], [1.0, 2.71]).word == "DIVERGE"
    assert verdict([1.0, float("inf")]).word == "DIVERGE"


def test_another_dtype_is_a_difference_of_structure() -> None:
    found = verdict([1.0, E], dtype="float64")
    assert isinstance(found, Divergence) and "is float32[2], of the program itself float64[2]" in found.message


def test_a_module_that_traps_or_does_not_check_is_wrong() -> None:
    casts = TEXT.replace("y = R.exp(x)", 'y = R.match_cast(x, R.Tensor((2,), "float32"))')
    assert isinstance(verdict([0.0, 1.0], text=casts), Agreement)
    ill = front.checked_of(Imported((), stage=Stage("import", TEXT.replace("R.exp(x)", "R.exp(z)"), {}, "import")))
    assert isinstance(ill, Divergence) and "rejected" in ill.message


def test_what_an_importer_says_it_has_not_is_no_finding() -> None:
    for said, word in (
        ("Unsupported function types ['amax']", "NO-VERDICT"),
        ("mode not supported", "NO-VERDICT"),
        ("KeyError", "DIVERGE"),
    ):
        found = front.checked_of(Imported((), "from_it", kind="refused", message=said, detail=said))
        assert not hasattr(found, "module") and found.word == word, said  # type: ignore[union-attr]


# --- what is drawn ---------------------------------------------------------------------------------------------------


@pytest.mark.thorough
@pytest.mark.parametrize("framework", ["torch", "onnx"])
def test_programs_are_the_same_for_a_seed_and_every_call_comes_once(framework: Any) -> None:
    table = programs.rows(framework)
    firsts: set[str] = set()
    for k in range(2 * len(table)):
        program = programs.draw(framework, "3", k)
        assert program == programs.draw(framework, "3", k) == Program.of_row(program.row())
        assert (1 <= len(program.lines) <= programs.MOST_CALLS and program.params) or "np.array" in program.source
        compile(program.source, "program.py", "exec")
        for row in programs.arguments(program, "3"):
            assert [each.dtype for each in row] == [p.dtype for p in program.params]
        assert len(program.lines) == 1 or k >= len(table)
        firsts |= set(program.operators) if k < len(table) else set()
    assert len(firsts) > len(table) / 2  # many rows are calls of one operator


def test_calls_have_names_and_lose_their_attributes_one_by_one() -> None:
    told = {
        "torch.softmax(x0, dim=-1)": "torch.softmax",
        "F.pad(x0, (1, 2), value=1.5)": "torch.nn.functional.pad",
        "x0.to(torch.int8)": "torch.Tensor.to",
        "x0[1:]": "torch.getitem",
        "call('Gemm', x0, x1, transB=1)": "onnx.Gemm",
        "x0 // 2": "torch.Tensor",
    }
    assert {call: Line("v0", call).operator for call in told} == told
    program = Program(
        "torch",
        (Param("x0", "float32", (2, "n")),),
        (Line("v0", "torch.sum(x0, dim=(0, 1), keepdim=True)"),),
        ("v0",),
    )
    calls = [each.lines[0].call for each in programs.plainer(program)]
    assert calls == ["torch.sum(x0, keepdim=True)", "torch.sum(x0, dim=(0, 1))"]
    assert programs.fixed(program, 4).params[0].extents == (2, 4)


# --- a campaign ------------------------------------------------------------------------------------------------------


@pytest.fixture
def stub(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    monkeypatch.setitem(programs.ROWS, "torch", stub_front.ROWS)
    monkeypatch.setattr(campaign_front, "FRAMEWORKS", ("torch",))
    monkeypatch.setitem(programs.KINDS, "f", ("float32", "float64"))
    monkeypatch.setattr(programs._Drawing, "extent", lambda *_: 2)
    programs.rows.cache_clear()
    yield
    programs.rows.cache_clear()


def plan(count: int) -> Plan:
    return Plan(strange.find, "strange", kinds=("front",), count=count, importer=stub_front.make)


def go(given: Plan) -> list[Finding]:
    def here(work: Any, *args: Any) -> Any:
        return lambda: work(*args)

    ended = campaigns.campaign(given, Memory(None, {}), here, 2, {}, lambda: False)
    return [found for _, found in ended if found is not None]


@pytest.mark.usefixtures("stub")
def test_a_campaign_finds_what_the_importer_does_wrong_and_says_which_call() -> None:
    found = {each.cause.id: each for each in go(plan(30)) if each.front is not None}
    causes = set(found)
    assert {"import: elements | torch.add", "import: crash | torch.neg"} <= causes
    (refused,) = (each for each in causes if "refuses, at stub.py:floor" in each)
    assert not any("torch.abs" in each or "torch.exp" in each for each in causes)
    add = found["import: elements | torch.add"]
    assert add.blame["stage"] == "import" and add.blame["pass"] == "from_stub"
    assert add.front is not None and [line.operator for line in add.front.lines] == ["torch.add"]
    assert "R.add" in add.text and "alpha" in add.script and found[refused].text == ""


@pytest.mark.usefixtures("stub")
def test_nothing_is_found_where_the_import_is_right() -> None:
    importer = stub_front.Front()
    importer.wrong = False
    x0 = Param("x0", "float32", (2, 2))
    program = Program("torch", (x0,), (Line("v0", "torch.add(x0, x0, alpha=2)"),), ("v0",))
    assert campaign_front.verdict_of(importer, program, ()).word == "AGREE"
    unexported = Program("torch", (x0,), (Line("v0", "torch.nowhere(x0)"),), ("v0",))
    assert "export" in str(campaign_front.verdict_of(importer, unexported, ()))
    with pytest.raises(NoProgram):
        importer.imported({"source": unexported.source}, [[]])


class _Without:
    """Where a front end is not installed."""

    def imported(self, program: dict[str, str], inputs: Any = None, closely: bool = False) -> Imported:
        raise NoProgram("make", "onnx is not installed where TVM is (no module named 'onnx')")


def test_what_is_not_installed_is_said_and_counted() -> None:
    seen = campaign_front.look(_Without(), "0", 0, 3, strange.Strange(), None)
    assert (seen.programs, seen.inputs, seen.open) == (3, 0, {"onnx is not installed where TVM is": 3})


def test_a_shape_that_the_front_end_gives_by_another_way_is_no_difference() -> None:
    checked = front.checked_of(Imported((), stage=Stage("import", TEXT, {}, "import")))
    x = rr.Tensor.of([0.0, 1.0], "float32")
    own, other = (rr.Tensor.of([[1.0, E]], "float32"),), (rr.Tensor.of([1.0, E], "float32"),)
    assert front.verdict(checked, Run((x,), own)).word == "DIVERGE"  # type: ignore[arg-type]
    assert front.verdict(checked, Run((x,), own, (own, other))).word == "UNDECIDED"  # type: ignore[arg-type]
