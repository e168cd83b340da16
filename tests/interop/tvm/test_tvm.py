"""Against real TVM 0.27, always in a subprocess: constants carried over, programs run, recorded examples reproduced."""

from __future__ import annotations

import json
import subprocess
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

import refrelax as rr
from refrelax import examples, judge
from refrelax.interop.tvm import TvmImplementation, find_python
from refrelax.semantics.values import DType
from refrelax.syntax.module import ConstantArray

pytestmark = [pytest.mark.tvm, pytest.mark.skipif(find_python() is None, reason="no interpreter with TVM")]
ROOT = Path(__file__).parents[3]


@pytest.fixture(scope="module")
def tvm() -> Iterator[TvmImplementation]:
    implementation = TvmImplementation(timeout=120)
    yield implementation
    implementation.close()


def in_tvm(script: str) -> Any:
    """What a script prints as JSON, run where TVM is."""
    done = subprocess.run(
        [str(find_python()), "-W", "ignore", "-c", script], cwd=ROOT, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr[-3000:]
    return json.loads(done.stdout.splitlines()[-1])


LIVE = """
import json
import numpy as np, tvm
from tvm import relax

bb = relax.BlockBuilder()
const = lambda k: relax.const(np.full((2,), k, "float32"))
c1, c2, c3 = const(1), const(2), const(3)
for name, used in (("zeta", (c2, c1, c2)), ("alpha", (const(9), c3))):
    x = relax.Var("x", relax.TensorType((2,), "float32"))
    with bb.function(name, [x]):
        with bb.dataflow():
            y = x
            for c in used:
                y = bb.emit(relax.op.add(y, c))
            y = bb.emit(relax.op.add(y, relax.const(5.0, "float32")))
            t = bb.emit(relax.Tuple([y, c3, relax.const(np.uint8(7)), const(1)]))
            gv = bb.emit_output(t)
        bb.emit_func_output(gv)
mod = bb.get()
"""


def test_the_indices_of_constants_are_those_of_tvms_own_metadata() -> None:
    """``show_meta`` tells index and array; the walk beside the text must find the same (alpha prints before zeta,
    shared constants share an index, scalars of common dtypes have none)."""
    found = in_tvm(
        LIVE
        + '''
from refrelax.interop.tvm.live import text_and_constants
text, ours = text_and_constants(mod)
with_meta = mod.script(show_meta=True)
head = with_meta.split('tvm.ir.load_json("""')[1].split('""")')[0].replace('\\\\"', '"')
theirs = [c.value.numpy() for c in tvm.ir.load_json(head)["ir.GenericConst"]]
print(json.dumps([{k: v.tolist() for k, v in ours.items()}, [v.tolist() for v in theirs]]))
'''
    )
    ours, theirs = found
    assert {int(k): v for k, v in ours.items()} == dict(enumerate(theirs))
    assert [9, 9] in theirs and 7 in theirs


def test_from_ir_module_binds_what_the_program_computes_with() -> None:
    found = in_tvm(
        LIVE
        + """
import refrelax as rr
m = rr.interop.tvm.from_ir_module(mod)
out = rr.run(rr.check(m), "zeta", [0.0, 10.0])
print(json.dumps([str(type(out).__name__), [t.tolist() for t in out.value]]))
"""
    )
    assert found == ["Returned", [[10, 20], [3, 3], 7, [1, 1]]]


@pytest.mark.parametrize("name", examples.names())
def test_the_recorded_runs_of_both_stages_come_back(tvm: TvmImplementation, name: str) -> None:
    example = examples.load(name)
    for stage in example.stages:
        module = rr.bind_constants(rr.parse(stage.text), stage.constants)
        for run in example.runs:
            out = tvm.run(module, example.entry, list(run.args))
            assert isinstance(out, rr.Returned)
            permitted = rr.run(rr.check(module), example.entry, *run.args, numerics="enclosure")
            assert isinstance(permitted, rr.Returned)
            for wanted, seen, recorded in zip(permitted.value, out.value, run.outputs, strict=True):
                assert isinstance(wanted.judge(seen), rr.Inside)
                if stage.name == "imported":
                    assert seen.tobytes() == recorded.data


def module(body: str, extra: str = "") -> rr.Module:
    return rr.parse(
        "from tvm.script import ir as I\nfrom tvm.script import relax as R\nfrom tvm.script import tirx as T\n\n"
        f"@I.ir_module\nclass Module:\n{extra}\n    @R.function\n"
        '    def main(x: R.Tensor(("n", 2), "float32")) -> R.Any:\n'
        + "".join(f"        {line}\n" for line in body.splitlines())
    )


@pytest.mark.parametrize(("dtype", "data"), [("int64", [1 << 40, -3]), ("float64", [0.1, 3.0])])
def test_wide_constants_stay_wide(tvm: TvmImplementation, dtype: str, data: list[float]) -> None:
    """Where no dtype is given, ``relax.const`` cuts them to 32 bits."""
    m = module('y = metadata["ir.GenericConst"][0]\nreturn y')
    out = tvm.run(rr.bind_constants(m, {0: rr.Tensor.of(data, dtype)}), "main", [[[1.0, 2.0]]])
    assert isinstance(out, rr.Returned) and out.value.dtype == dtype and out.value.tolist() == data


def test_a_failing_match_cast_is_a_trap(tvm: TvmImplementation) -> None:
    m = module('y = R.match_cast(x, R.Tensor((3, 2), "float32"))\nreturn y')
    good, bad = [[1.0, 2.0]] * 3, [[1.0, 2.0]] * 4
    assert isinstance(tvm.run(m, "main", [good]), rr.Returned)
    assert isinstance(tvm.run(m, "main", [bad]), rr.Trapped)
    assert isinstance(judge.diff(rr.check(m), "main", [bad], impl=tvm), judge.Agreement)


def test_values_of_every_kind_come_back(tvm: TvmImplementation) -> None:
    m = module('s = R.shape_of(x)\nh = R.astype(x, "bfloat16")\nreturn (x, (s, h))')
    out = tvm.run(m, "main", [[[1.5, 2.0]]])
    assert isinstance(out, rr.Returned)
    x, (shape, half) = out.value
    assert x.tolist() == [[1.5, 2.0]] and shape == rr.Shape((1, 2))
    assert half.dtype == "bfloat16" and half.tolist() == [[1.5, 2.0]]


def test_a_prim_func_fills_its_output(tvm: TvmImplementation) -> None:
    twice = (
        "    @T.prim_func(s_tir=True)\n"
        '    def twice(a: T.Buffer((T.int64(3),), "float32"), b: T.Buffer((T.int64(3),), "float32")):\n'
        "        for i in range(T.int64(3)):\n"
        '            with T.sblock("twice"):\n'
        "                v = T.axis.spatial(T.int64(3), i)\n"
        "                b[v] = a[v] * T.float32(2)\n"
    )
    out = tvm.run(module("return x", twice), "twice", [[1.0, 2.0, 3.0], [0.0, 0.0, 0.0]])
    assert isinstance(out, rr.Returned) and out.arguments[1].tolist() == [2, 4, 6]


def test_integer_division_by_zero_kills_tvm_and_not_us(tvm: TvmImplementation) -> None:
    """The definition leaves such a run open; TVM 0.27 dies of SIGFPE. The next request gets a new process."""
    m = rr.parse(
        "from tvm.script import ir as I\nfrom tvm.script import relax as R\n\n"
        "@I.ir_module\nclass Module:\n    @R.function\n"
        '    def main(x: R.Tensor((2,), "int32"), y: R.Tensor((2,), "int32")) -> R.Tensor((2,), "int32"):\n'
        "        z = R.divide(x, y)\n        return z\n"
    )
    verdict = judge.diff(rr.check(m), "main", [[1, 2], [0, 1]], impl=tvm)
    assert isinstance(verdict, judge.NoVerdict) and verdict.excluded
    out = tvm.run(m, "main", [[7, -7], [2, 2]])
    assert isinstance(out, rr.Returned) and out.value.tolist() == [3, -3]


READ_BACK = """
import base64, json
import numpy as np
from refrelax.interop.tvm import worker

def zeros(shape):
    return ["float32", list(shape), base64.b64encode(np.zeros(shape, "float32").tobytes()).decode()]

shapes = SHAPES
mod = worker.read_module(json.load(open(PATH)), {str(k): zeros(s) for k, s in shapes.items()})
print(json.dumps(mod.script()))
"""


def test_our_text_is_read_by_tvm(tmp_path: Path) -> None:
    stage = examples.load("mlp").stage("zero")
    text = rr.print_module(rr.parse(stage.text))
    path = tmp_path / "text.json"
    path.write_text(json.dumps(text), encoding="utf-8")
    shapes = {k: v.shape for k, v in stage.constants.items()}
    printed = in_tvm(READ_BACK.replace("PATH", repr(str(path))).replace("SHAPES", repr(shapes)))
    assert rr.structural_equal(rr.parse(printed), rr.parse(stage.text))


def test_a_dtype_is_a_dtype_and_no_string(tvm: TvmImplementation) -> None:
    text = '@R.function\ndef main(x: R.Tensor((1,), "int8")):\n    y = (R.dtype("int8"), R.str("int8"))\n    return y\n'
    ended = tvm.run(rr.parse(text), "main", [rr.Tensor.of(ConstantArray("int8", (1,), b"\x00"))])
    assert isinstance(ended, rr.Returned) and ended.value == (DType("int8"), "int8")
