"""Programs of PyTorch and ONNX, run and imported where TVM is; and what is said where they cannot be."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

import pytest

import refrelax as rr
from refrelax.cli import main
from refrelax.interop.tvm import find_python
from refrelax.interop.tvm.front import TvmFront
from refrelax.judge import front
from refrelax.judge.campaign import front as campaign_front
from refrelax.judge.front import NoProgram
from refrelax.judge.implementation import ImplementationFailed
from refrelax.testing.front import Line, Param, Program
from tests.interop.tvm.test_process import HELLO, program, says

PLANTED = Path(__file__).parents[2] / "judge" / "campaign" / "planted_front_worker.py"

TENSOR = '{"tensor": ["float32", [2], "AACAPwAAAEA="]}'  # [1, 2]
TEXT = (
    "from tvm.script import ir as I\\nfrom tvm.script import relax as R\\n\\n@I.ir_module\\nclass Module:\\n"
    '    @R.function\\n    def main(x: R.Tensor((2,), \\"float32\\")):\\n        y = R.abs(x)\\n        return y\\n'
)
RAN = (
    f'{{"end": {{"eager": [{{"returned": {TENSOR}, "others": []}}], "inputs": [[{TENSOR}]], '
    '"by": "b", "versions": {}, MORE}}'
)
MODULE = f'"text": "{TEXT}", "constants": {{}}, "well_formed": true'


def stub(folder: Path, body: str) -> TvmFront:
    return TvmFront(program(folder, HELLO + body), timeout=2)


# --- without TVM -----------------------------------------------------------------------------------------------------


def test_a_module_and_the_answer_are_read(tmp_path: Path) -> None:
    importer = stub(tmp_path, says(RAN.replace("MORE", MODULE)))
    imported = importer.imported({"source": ""}, [[rr.Tensor.of([1.0, 2.0], "float32")]])
    checked = front.checked_of(imported)
    assert front.verdict(checked, imported.runs[0]).word == "AGREE"  # type: ignore[arg-type]
    importer.close()


def test_how_an_importer_ends_has_its_word(tmp_path: Path) -> None:
    refused = RAN.replace("MORE", '"refused": ["KeyError", "no axis"], "place": "t.py:_f"')
    importer = stub(tmp_path, says(refused))
    found = front.checked_of(importer.imported({"source": ""}))
    assert isinstance(found, rr.Divergence) and (found.kind, found.place) == ("refused", "t.py:_f")
    importer.close()
    importer = stub(tmp_path, """read -r line; echo '{"step": "import"}'; kill -SEGV $$""")
    found = front.checked_of(importer.imported({"source": ""}))
    assert isinstance(found, rr.Divergence) and found.kind == "crash" and "SIGSEGV" in found.message
    importer.close()


def test_what_is_no_program_is_nobodys_fault(tmp_path: Path) -> None:
    importer = stub(tmp_path, """read -r line; echo '{"step": "eager"}'; kill -SEGV $$""")
    with pytest.raises(NoProgram, match="eager"):
        importer.imported({"source": ""})
    importer.close()
    importer = stub(tmp_path, says('{"end": {"no_program": ["export", "data dependent"]}}'))
    with pytest.raises(NoProgram, match="export: data dependent"):
        importer.imported({"source": ""})
    importer.close()
    with pytest.raises(ImplementationFailed, match="absent"):
        TvmFront(str(tmp_path / "nothing")).imported({"source": ""})


def test_programs_of_front_ends_are_for_tvm(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["fuzz", "--impl", "numpy", "--kinds", "front", "--count", "1"]) == 2
    assert "for tvm" in capsys.readouterr().err


def test_bisect_wants_one_program(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["bisect"]) == 2
    assert main(["bisect", "m.py", "--front", "p.py:f"]) == 2
    assert "--front" in capsys.readouterr().err


# --- with TVM and PyTorch --------------------------------------------------------------------------------------------

with_tvm = pytest.mark.skipif(find_python() is None, reason="no TVM")

SOFTMAX = Program(
    "torch",
    (Param("x0", "float32", ("n", 2)),),
    (Line("v0", "torch.abs(x0)"), Line("v1", "F.softmax(v0, dim=-1)")),
    ("v0", "v1"),
)


@pytest.fixture(scope="module")
def importer() -> Iterator[TvmFront]:
    with_torch = TvmFront()
    yield with_torch
    with_torch.close()


def inputs(*rows: list[list[float]]) -> list[list[rr.Tensor]]:
    return [[rr.Tensor.of(row, "float32")] for row in rows]


@pytest.mark.tvm
@with_tvm
def test_a_right_import_of_pytorch_is_right_for_all_sizes(importer: TvmFront) -> None:
    judged = campaign_front.judge(importer, SOFTMAX, inputs([[1, 2], [3, 4], [5, 5]], [[float("inf"), 1]], [[0, -0.0]]))
    assert [v.word for _, v in judged.verdicts] == ["AGREE"] * 3


@pytest.mark.tvm
@with_tvm
def test_a_planted_fault_of_the_importer_is_found_and_blamed_on_the_import() -> None:
    planted = TvmFront(worker=PLANTED)
    judged = campaign_front.judge(planted, SOFTMAX, inputs([[1, 2], [3, 4], [5, 5]]))
    assert judged.wrong is not None
    cause = campaign_front.cause_of(SOFTMAX, judged.wrong[1], judged)
    assert cause.id == "import: elements | torch.nn.functional.softmax"
    args = [campaign_front.to_json(each) for each in judged.wrong[0]]
    small = campaign_front.shrink(planted, [SOFTMAX.row(), args], cause)
    assert small is not None and [each.operator for each in small.judged.program.lines] == [
        "torch.nn.functional.softmax"
    ]
    planted.close()


FILE = """
import torch

inputs = (torch.tensor([[1.0, -2.0], [3.0, 4.0]]),)


def twice(x):
    return torch.softmax(x, -1)


def lost():
    return (lambda x, y: torch.sub(x, y, alpha=2)), (*inputs, torch.ones(2, 2))


def raises():
    return (lambda x: x.reshape(7)), inputs
"""


@pytest.mark.tvm
@with_tvm
def test_bisect_says_the_first_wrong_stage_of_a_program_of_pytorch(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "p.py"
    path.write_text(FILE, "utf-8")
    assert main(["bisect", "--front", f"{path}:twice", "--pipeline", "LegalizeOps"]) == 0
    said = capsys.readouterr().out
    assert "import by from_exported_program: inside" in said and "LegalizeOps" in said and "NONE" in said
    assert main(["bisect", "--front", f"{path}:lost", "--json"]) == 1
    row = json.loads(capsys.readouterr().out)
    assert (row["verdict"], row["part"], row["pass"]) == ("FOUND", "import", "import")
    assert main(["bisect", "--front", f"{path}:raises"]) == 3
    assert "does not run" in capsys.readouterr().out
    assert main(["bisect", "--front", f"{path}:none"]) == 2
    assert main(["bisect", "--front", str(tmp_path / "none.onnx")]) == 2


@pytest.mark.tvm
@with_tvm
def test_a_model_of_onnx_is_imported_or_what_is_missing_is_said(importer: TvmFront) -> None:
    gemm = Program(
        "onnx",
        (Param("x0", "float32", ("n", 2)), Param("x1", "float32", (3, 2))),
        (Line("v0", "call('Gemm', x0, x1, transB=1)"), Line("v1", "call('Reshape', v0, np.array([-1]))")),
        ("v0", "v1"),
    )
    given = [[rr.Tensor.of([[1.0, 2.0]], "float32"), rr.Tensor.of([[1.0, 2.0]] * 3, "float32")]]
    try:
        judged = campaign_front.judge(importer, gemm, given)
    except NoProgram as no:
        assert "onnx is not installed where TVM is" in no.message
        return
    assert [v.word for _, v in judged.verdicts] == ["AGREE"]
