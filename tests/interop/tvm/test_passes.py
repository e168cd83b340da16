"""TVM's pipelines, pass by pass, and ``bisect`` through them."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

import refrelax as rr
from refrelax.interop.tvm import TvmPasses, find_python
from refrelax.interop.tvm.pass_steps import PRIMITIVES
from refrelax.judge.bindings import judge_frames
from refrelax.judge.implementation import ImplementationFailed
from refrelax.judge.stages import StagesEnded

pytestmark = [pytest.mark.tvm, pytest.mark.skipif(find_python() is None, reason="no interpreter with TVM")]

PROGRAM = """
n = TypeVar("n")
@I.ir_module
class Module:
    @R.function
    def main(x: R.Tensor((n, 4), "float32"), y: R.Tensor((n, 4), "float32")) -> R.Tensor((n, 4), "float32"):
        with R.dataflow():
            a = R.multiply(x, R.const([0.5, 2.0, 4.0, -1.0], "float32"))
            b = R.subtract(a, y)
            c = R.add(b, x)
            R.output(c)
        return c
"""

BRANCH = """
@I.ir_module
class Module:
    @R.function
    def main(c: R.Tensor((), "bool"), x: R.Tensor((2, 3), "float32")) -> R.Tensor((2, 3), "float32"):
        if c:
            a = R.add(x, x)
            b = R.multiply(a, x)
            r = R.negative(b)
        else:
            p = R.subtract(x, x)
            q = R.exp(p)
            r = R.add(q, x)
        return r
"""
X, Y = [[1.5, 2.0, -0.5, 3.0]], [[0.5, -2.0, 1.5, 2.0]]
WRONG = Path(__file__).with_name("wrong_passes.py")

LENGTHS = {"zero": 6, "default_build": 16, "cpu_generic": 19, "target": 19}


@pytest.mark.parametrize("pipeline", LENGTHS)
def test_every_pass_is_shown_once_and_nested_ones_are_not(pipeline: str) -> None:
    passes = TvmPasses()
    module = rr.parse(PROGRAM)
    names = [stage.name for stage in passes.stages(module, pipeline)]
    again = [stage.name for stage in passes.stages(module, pipeline)]
    passes.close()
    assert len(names) == LENGTHS[pipeline] and names == again
    assert names[0] == "read" and names[-1] in ("FuseTIR", "AttachGlobalSymbol")


@pytest.mark.parametrize("pipeline", LENGTHS)
def test_a_right_pipeline_is_not_blamed(pipeline: str) -> None:
    assert rr.bisect(rr.parse(PROGRAM), "main", (X, Y), pipeline=pipeline) is None


@pytest.mark.parametrize(("function", "index"), [("swapped_first", 1), ("swapped_later", 3)])
def test_a_wrong_pass_is_found_where_it_stands(function: str, index: int) -> None:
    found = rr.bisect(rr.parse(PROGRAM), "main", (X, Y), pipeline=f"{WRONG}:{function}")
    assert isinstance(found, rr.WrongPass) and (found.name, found.index) == ("SwapOperands", index)
    assert found.binding == "main/b" and "R.subtract(y, a)" in found.after.text


def test_passes_of_ones_own_that_are_right() -> None:
    assert rr.bisect(rr.parse(PROGRAM), "main", (X, Y), pipeline=f"{WRONG}:right") is None


def ended(passes: TvmPasses, function: str) -> tuple[list[str], StagesEnded]:
    """The stages of a pipeline that goes no further, and how it ends."""
    names = []
    with pytest.raises(StagesEnded) as found:
        for stage in passes.stages(rr.parse(PROGRAM), f"{WRONG}:{function}"):
            names.append(stage.name)
    return names, found.value


def test_a_pass_that_fails_is_named_with_all_that_it_said() -> None:
    """Each was tried twice; the stages before it come once."""
    passes = TvmPasses()
    list(passes.stages(rr.parse(PROGRAM), "zero"))  # the process stands
    for function, name, kind, message in (
        ("crashing", "Crash", "crash", "SIGSEGV"),
        ("refusing", "Refuse", "refused", "ValueError: not this one"),
        ("refusing_at_length", "RefuseAtLength", "refused", "ValueError: line 2"),
    ):
        names, end = ended(passes, function)
        assert names == ["read", "LegalizeOps"]
        assert (end.name, end.kind) == (name, kind) and end.message.startswith(message)
    assert end.detail == "line 0\nline 1\nline 2" and passes.process.doubted == []
    passes.process.timeout = 3
    names, end = ended(passes, "hanging")
    assert names == ["read", "LegalizeOps"] and (end.name, end.kind) == ("Hang", "hang")
    passes.process.timeout = 60
    assert rr.bisect(rr.parse(PROGRAM), "main", (X, Y), impl=passes, pipeline="zero") is None
    passes.close()


@pytest.mark.parametrize("pipeline", ["nothing", "/no/such.py:f", f"{WRONG}:no_such_function"])
def test_an_unknown_pipeline_is_a_usage_error(pipeline: str) -> None:
    with pytest.raises(rr.UsageError):
        rr.bisect(rr.parse(PROGRAM), "main", (X, Y), pipeline=pipeline)


def test_a_storage_used_where_it_is_not_defined() -> None:
    """``spec/deviations.md``, *Passes*."""
    found = rr.bisect(rr.parse(BRANCH), "main", (True, [[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]]))
    assert isinstance(found, rr.WrongPass) and found.name == "StaticPlanBlockMemory"
    assert "wf/var-defined-before-use" in found.message


def command(*words: str, env: dict[str, str] | None = None) -> tuple[int, str]:
    done = subprocess.run(
        [sys.executable, "-m", "refrelax", "bisect", *words],
        capture_output=True,
        text=True,
        env={**os.environ, **(env or {})},
    )
    assert "Traceback" not in done.stderr
    return done.returncode, done.stdout + done.stderr


@pytest.fixture
def files(tmp_path: Path) -> Any:
    for name, text in (("good", PROGRAM), ("bad", BRANCH)):
        (tmp_path / f"{name}.py").write_text(text, encoding="utf-8")
    return tmp_path


def test_the_command(files: Path) -> None:
    code, said = command(f"{files}/good.py", "--random", "1", "--dim", "n=3")
    assert code == 0 and "NONE  15 passes" in said
    code, said = command(f"{files}/bad.py", "--random", "1", "--save", f"{files}/kept", "--json")
    row = json.loads(said)
    assert code == 1 and row["pass"] == "StaticPlanBlockMemory" and row["index"] == 8
    assert (files / "kept" / "08-StaticPlanBlockMemory.py").read_text(encoding="utf-8") == row["after"]
    code, said = command(f"{files}/good.py", "--random", "1", env={"REFRELAX_TVM_PYTHON": "/no/such/python"})
    assert code == 3 and "install refrelax[tvm]" in said
    assert command(f"{files}/good.py", "--random", "1", "--pipeline", "nothing")[0] == 2


def test_what_is_built_shares_the_process() -> None:
    """A wrong pass shows in the binding that it changed; one that refuses is told as by the passes."""
    module, passes = rr.parse(PROGRAM), TvmPasses()
    list(passes.stages(module, "zero"))
    running = passes.process.start()
    for pipeline in ("default_build", f"{WRONG}:swapped_first"):
        observed = passes.implementation(pipeline).observe(module, "main", (X, Y))
        verdicts = judge_frames(rr.check(module), observed.frames)
        wrong = [v.name for v in verdicts if not isinstance(v.verdict, rr.Inside)]
        assert len(verdicts) == 3 and wrong == ([] if pipeline == "default_build" else ["b"])
    for pipeline, kind in ((f"{WRONG}:refusing", "refused"), (f"{WRONG}:crashing", "crash")):
        with pytest.raises(ImplementationFailed) as failed:
            passes.implementation(pipeline).run(module, "main", (X, Y))
        assert failed.value.kind == kind
    with pytest.raises(rr.UsageError, match="no pipeline 'nothing'"):
        passes.implementation("nothing").run(module, "main", (X, Y))
    assert passes.process.start() is running
    passes.close()


CALL = """
@I.ir_module
class Module:
    @R.function
    def main({params}):
        gv = {call}
        return gv
"""


RESIZE = 'R.image.resize2d(x, (4, 2), coordinate_transformation_mode="align_corners")'


@pytest.mark.parametrize(("params", "call", "name", "part", "kind"), [
    ('x: R.Tensor((2, 3), "float32")', "R.ewise_fma(x, x, x)", "VMCodeGen", "pass", "refused"),
    ('x: R.Tensor((1, 2, 3, "n"), "int8")', RESIZE,
     "tirx.LowerIntrin", "tir", "refused"),
])  # fmt: skip
def test_a_build_is_followed_to_the_stage(params: str, call: str, name: str, part: str, kind: str) -> None:
    module = rr.parse(CALL.format(params=params, call=call))
    given = rr.Tensor.of([[1.0, 2.0, 3.0]] * 2) if "(2, 3)" in params else rr.Tensor.of([[[[1], [0], [1]]] * 2], "int8")
    found = rr.bisect(module, "main", [given], pipeline="cpu_generic")
    assert isinstance(found, rr.WrongPass) and (found.name, found.part, found.kind) == (name, part, kind)


def test_passes_by_name_are_a_pipeline() -> None:
    passes = TvmPasses()
    steps = ["FoldConstant", "LegalizeOps", "sch.split(0,0,1,2)", "s_tir.StmtSimplify", "dlight.gpu.Fallback"]
    names = [stage.name for stage in passes.stages(rr.parse(PROGRAM), ",".join(steps))]
    assert names == ["read", *steps]
    found = rr.bisect(rr.parse(PROGRAM), "main", (X, Y), impl=passes, pipeline=",".join(steps[:4]))
    assert found is None
    for unknown in ("LegalizeOps,NoSuchPass", "sch.no_such(1)", "tirx.NoSuchPass", "LegalizeOps,(2)"):
        with pytest.raises(rr.UsageError, match=r"no such pass|no primitive|is no pass"):
            list(passes.stages(rr.parse(PROGRAM), unknown))
    passes.close()


def test_wheels_side_by_side(files: Path) -> None:
    here = f"tvm@{find_python()}"
    code, said = command(f"{files}/bad.py", "--random", "1", "--impl", "tvm", "--impl", here, "--json")
    rows = [json.loads(each) for each in said.splitlines()]
    assert code == 1 and [each["pass"] for each in rows] == ["StaticPlanBlockMemory"] * 2
    assert rows[0]["version"] == rows[1]["version"] and rows[0]["version"].startswith("tvm 0.")
    code, said = command(f"{files}/good.py", "--random", "1", "--impl", "tvm@/no/such/python")
    assert code == 2 and "tvm@PYTHON" in said


BARE = """@I.ir_module
class Module:
    @T.prim_func(private=True, s_tir=True)
    def k(A: T.Buffer((4,), "int32"), B: T.Buffer((4,), "int32")):
        for i in range(4):
            B[i] = T.min(A[i], T.if_then_else(0 < i, B[i - 1], 0))

    @R.function
    def main(x: R.Tensor((4,), "int32")) -> R.Tensor((4,), "int32"):
        y = R.add(x, x)
        z = R.call_tir(Module.k, (y,), out_ty=R.Tensor((4,), "int32"))
        return z
"""


def test_a_default_schedule_leaves_loop_programs_without_blocks() -> None:
    """It ends on them, and is made for what has some: found by a campaign, no finding."""
    passes = TvmPasses()
    steps = "LegalizeOps,dlight.gpu.Matmul,dlight.gpu.Fallback"
    *_, last = passes.stages(rr.parse(BARE), steps)
    assert "threadIdx.x" in last.text and "def k" in last.text  # the sum is scheduled, the kernel is there
    x = rr.Tensor.of([3, -1, 2, 5], "int32")
    assert rr.bisect(rr.parse(BARE), "main", (x,), impl=passes, pipeline=steps) is None
    passes.close()


def test_a_step_of_ours_that_goes_wrong_is_no_fault_of_tvms() -> None:
    """`sch.transform_layout` asked a region for its `buffer`, which has another name since 0.27; the `AttributeError`
    was reported as a refusal of TVM's. Every primitive ends by a word of TVM's, or does something."""
    passes = TvmPasses()
    for primitive in PRIMITIVES:
        steps = f"LegalizeOps,sch.{primitive}(1,0,0,1)"
        try:
            *_, last = passes.stages(rr.parse(PROGRAM), steps)
        except StagesEnded as end:
            assert end.kind in ("refused", "crash") and not end.place.startswith("pass_steps"), (primitive, end.message)
        else:
            assert last.name == f"sch.{primitive}(1,0,0,1)"
    assert "transform_layout" in PRIMITIVES and "re_cache_read" in PRIMITIVES
    passes.close()


RELAID = """@I.ir_module
class Module:
    @T.prim_func(private=True, s_tir=True)
    def k(A: T.Buffer((3, 2), "float32"), B: T.Buffer((3, 2), "float32")):
        C = T.sblock_alloc_buffer((3, 2))
        for i, j in T.grid(3, 2):
            with T.sblock("first"):
                u, v = T.axis.remap("SS", [i, j])
                C[u, v] = A[u, v] + T.float32(1)
        for i, j in T.grid(3, 2):
            with T.sblock("last"):
                u, v = T.axis.remap("SS", [i, j])
                B[u, v] = C[u, v] * T.float32(2)

    @R.function
    def main(x: R.Tensor((3, 2), "float32")):
        y = R.call_tir(Module.k, (x,), out_ty=R.Tensor((3, 2), "float32"))
        return y
"""


def test_the_layout_of_a_parameter_is_left_alone() -> None:
    """`sch.transform_layout` of an output changes what the caller passes; a campaign called that a wrong pass."""
    passes = TvmPasses()
    inner, outer = ([*passes.stages(rr.parse(RELAID), f"sch.transform_layout(0,{block})")][-1].text for block in (0, 1))
    assert "C = T.sblock_alloc_buffer((2, 3))" in inner and "B: T.Buffer((3, 2)" in inner
    assert "C = T.sblock_alloc_buffer((3, 2))" in outer and "B: T.Buffer((3, 2)" in outer
    x = rr.Tensor.of([[3, -1], [2, 5], [0, 7]], "float32")
    for block in (0, 1):
        steps = f"sch.transform_layout(0,{block})"
        assert rr.bisect(rr.parse(RELAID), "main", (x,), impl=passes, pipeline=steps) is None
    passes.close()
