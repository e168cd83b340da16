"""What `f.cost` counts: the launches that would be made, and the bytes that they move."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("numpy")

import numpy as np
from programs import KERNELS, arguments, module
from row_operators import lowered

import refrelax as rr
from refrelax import examples
from refrelax.backends.cupy_ import emulate
from refrelax.backends.cupy_.compile import CudaExecutable, cost_of
from refrelax.backends.cupy_.counting import Cost, Launched
from refrelax.backends.cupy_.emulate import EmulatedDevice
from refrelax.backends.errors import Unsupported
from refrelax.cli import main
from refrelax.errors import RunError, UsageError
from refrelax.lower.pipeline import lower
from refrelax.semantics.types.checked import CheckedModule


def cost(name: str, **symbols: int) -> Cost:
    return cost_of(module(), name, symbols)


def test_elementwise() -> None:
    found = cost("concat")
    assert found.kernels == (Launched("concat__0", "elementwise", 1, 256, 4 * (12 + 20), 4 * 32),)
    assert cost("broadcast_f16", n=300, m=7).bytes == 2 * (300 + 7 + 2100)
    assert cost("in_place").read == cost("in_place").written == 96
    assert cost("running_sum", n=3, m=5).read == 4 * 15 * 2


def test_a_tile_is_read_again_by_every_block_across_it() -> None:
    found = cost("matmul", n=17, m=33, l=20)
    assert (found.read, found.written) == (4 * (17 * 20 * 3 + 33 * 20 * 2), 4 * 17 * 33)
    assert found.kernels[0].blocks == 6


def test_nothing_to_do_is_no_launch() -> None:
    assert cost("broadcast_f16", n=0, m=4) == Cost(())
    assert (cost("broadcast_f16", n=0, m=4).launches, cost("broadcast_f16", n=0, m=4).bytes) == (0, 0)


def test_loops_that_depend_on_others() -> None:
    assert cost("triangle").written <= 4 * 36
    assert cost("gather").read <= 8 * 4 + 4 * 30


@pytest.mark.thorough
@pytest.mark.skipif(emulate.compiler() is None, reason="no g++ on this machine")
@pytest.mark.parametrize(
    "name", ["concat", "broadcast_f16", "in_place", "matmul", "casts", "half_scalar", "row_max_f16"]
)
def test_what_is_counted_is_what_threads_do(name: str) -> None:
    """The emulated threads touch no more elements than are counted, and at least those that are stored."""
    run = CudaExecutable(module(), "fast", EmulatedDevice())
    for k in range(len(KERNELS[name])):
        run.program.seen.clear()
        args = arguments(name, k)
        assert isinstance(run.run(name, *args), rr.Returned)
        items = {p.buffer.name: np.asarray(a).itemsize for p, a in _pairs(name, args)}
        symbols = _symbols(name, args)
        found = run.cost(name, **symbols)
        assert found.launches == len(run.program.seen)
        assert found.written == sum(items[n] * c for each in run.program.seen for n, c in each.written.items())
        assert found.read <= sum(items[n] * c for each in run.program.seen for n, c in each.read.items())


def _pairs(name: str, args: list[Any]) -> list[tuple[Any, Any]]:
    func = module().module.prim_funcs()[name]
    return [(p, a) for p, a in zip(func.params, args, strict=True) if hasattr(p, "buffer")]


def _symbols(name: str, args: list[Any]) -> dict[str, int]:
    found: dict[str, int] = {}
    for param, array in _pairs(name, args):
        for dim, extent in zip(param.buffer.shape, array.shape, strict=True):
            found |= {dim.name: extent} if hasattr(dim, "name") else {}
    return found


# --- whole modules ---------------------------------------------------------------------------------------------------


def decoder(pipeline: str) -> CheckedModule:
    stage = examples.load("decoder").stage("imported")
    return lower(rr.check(rr.bind_constants(rr.parse(stage.text), stage.constants)), pipeline=pipeline).module


@pytest.mark.thorough
@pytest.mark.parametrize("pipeline", ["kernels", "default"])
def test_a_decoder_takes_30_launches(pipeline: str) -> None:
    for n in (1, 6, 512):
        found = cost_of(decoder(pipeline), "main", {"n": n})
        assert found.launches <= 30
        assert len({each.kernel for each in found.kernels}) <= 30


@pytest.mark.thorough
def test_what_is_asked_wrongly() -> None:
    with pytest.raises(UsageError, match="m has no value"):
        cost("row_sum", n=3)
    with pytest.raises(UsageError, match="k is no symbol"):
        cost("row_sum", n=3, m=4, k=5)
    with pytest.raises(UsageError, match="no function"):
        cost("nothing")
    with pytest.raises(RunError):
        cost_of(rr.check(rr.parse(NEGATIVE)), "main", {"n": 3})
    with pytest.raises(UsageError, match="whose type has no shape"):
        cost_of(decoder("build"), "main", {"n": 3})
    graph = examples.load("mlp").stage("imported")
    with pytest.raises(Unsupported, match="graph level"):
        cost_of(rr.check(rr.bind_constants(rr.parse(graph.text), graph.constants)), "main", {"n": 2})


NEGATIVE = """
from tvm.script import ir as I, relax as R

@I.ir_module
class Module:
    @R.function
    def main(x: R.Tensor(("n",), "float32")):
        y = R.match_cast(x, R.Tensor((5,), "float32"))
        return y
"""


@pytest.mark.thorough
def test_the_command(tmp_path: Any, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "softmax.py"
    path.write_text(rr.print_module(lowered("float32").module))
    plain = ["lower", str(path), "--pipeline", "none", "--entry", "softmax"]
    assert main([*plain, "--cost", "n=10", "--cost", "m=40"]) == 0
    assert capsys.readouterr().out.splitlines()[-1].split() == ["1", "launches", "1", "600", "1", "600"]
    assert main([*plain, "--cost", "n=10,20"]) == 2
    assert main([*plain, "--cost", "n=10"]) == 2
    assert main(plain) == 2
    capsys.readouterr()
    assert main([*plain, "--json", "--cost", "n=1", "--cost", "m=2"]) == 0
    assert '"launches": 1' in capsys.readouterr().out.splitlines()[-1]


@pytest.mark.thorough
def test_the_measurements_end_without_a_device() -> None:
    script = Path(__file__).parents[3] / "benchmarks" / "gpu.py"
    done = subprocess.run(
        [sys.executable, str(script), "--only", "softmax"], capture_output=True, text=True, check=False,
        env={**os.environ, "PYTHONPATH": str(script.parents[1]), "CUDA_VISIBLE_DEVICES": ""},
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    assert done.stdout.startswith("softmax      1 launches,     1073.7 MB read,     1073.7 MB written")
    assert "nothing measured" in done.stdout
