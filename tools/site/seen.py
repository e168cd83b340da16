"""Steppers and pictures of the site, made by the commands that anybody has."""

from __future__ import annotations

import contextlib
import io
import tempfile
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from addresses import ROOT

import refrelax as rr
from refrelax.cli import main
from refrelax.judge.backend import Backend
from refrelax.syntax.module import Module
from refrelax.testing.arguments import random_arguments
from refrelax.views import parting

MODELS = ROOT / "refrelax" / "examples"

KERNEL = """\
@T.prim_func(private=True)
def main(A: T.Buffer((16,), "float32"), B: T.Buffer((2,), "float32")):
    for bx in T.thread_binding(2, thread="blockIdx.x"):
        for tx in T.thread_binding(8, thread="threadIdx.x"):
            s = T.alloc_buffer((8,), scope="shared")
            s[tx] = A[bx * 8 + tx]
            T.tvm_storage_sync("shared")
            if tx < 4:
                s[tx] = s[tx] + s[tx + 4]
            T.tvm_storage_sync("shared")
            if tx == 0:
                B[bx] = s[0] + s[1] + s[2] + s[3]
"""

PROGRAM = """\
n = TypeVar("n")
@I.ir_module
class Module:
    @R.function
    def main(x: R.Tensor((n, 3), dtype="float32"), w: R.Tensor((3, 3), dtype="float32")):
        with R.dataflow():
            a = R.matmul(x, w)
            b = R.nn.relu(a)
            c = R.matmul(b, w)
            d = R.exp(c)
            e = R.add(d, R.matmul(d, w))
            R.output(e)
        return e
"""


def model(name: str) -> list[str]:
    """The arguments that name a model of the package, with its constants."""
    home = MODELS / name
    return [str(home / "imported.py"), "--consts", str(home / "imported.npz")]


class Careless:
    """The NumPy backend, had somebody forgotten what ``relu`` is for."""

    name = "a careless backend"

    def __init__(self) -> None:
        self.backend = Backend("numpy")

    def run(self, module: Module, entry: str, args: Sequence[Any]) -> Any:
        return self.backend.run(spoiled(module), entry, args)

    def observe(self, module: Module, entry: str, args: Sequence[Any]) -> Any:
        return self.backend.observe(rr.check(spoiled(module)), entry, args, {})


def spoiled(module: Module) -> Module:
    """The program with another operator in the place of ``relu``."""
    return rr.parse(rr.print_module(module).replace("R.nn.relu(", "R.negative("))


def commands(folder: Path) -> dict[str, list[str]]:
    """Page to the command that writes it."""
    kernel = folder / "kernel.py"
    kernel.write_text(KERNEL, encoding="utf-8")
    drawn = ["--random", "0"]
    return {
        "mlp": ["trace", *model("mlp"), *drawn, "--dim", "n=3"],
        "cnn": ["trace", *model("cnn"), *drawn],
        "decoder": ["trace", *model("decoder"), *drawn],
        "kernel": ["trace", str(kernel), *drawn, "--policy", "integer", "--loops"],
        "permitted": ["run", *model("mlp"), *drawn, "--dim", "n=3", "--backend", "numpy"],
        "passes": ["lower", *model("decoder")],
        "memory": ["lower", *model("decoder"), "--memory", "n=1..16"],
    }


def write(out: Path) -> list[str]:
    """Write all of them into ``out``; their names.

    Raises:
        RuntimeError: a command did not end well.
    """
    out.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory() as folder:
        found = commands(Path(folder))
        for name, line in found.items():
            said = io.StringIO()
            with contextlib.redirect_stdout(said), contextlib.redirect_stderr(said):
                code = main([*line, "--html", str(out / f"{name}.html")])
            if code:
                raise RuntimeError(f"{name}: {line[0]} ended with {code}: {said.getvalue()[-500:]}")
    (out / "parting.html").write_text(parted(), encoding="utf-8")
    return [*found, "parting"]


def parted() -> str:
    """Where a careless backend parts from the definition."""
    checked = rr.check(rr.parse(PROGRAM, filename="program.py"))
    args = random_arguments(checked.module, "main", 0, {"n": 4}, "normal")
    verdict = rr.diff(checked, "main", args, impl=Careless())
    if not isinstance(verdict, rr.Divergence):
        raise RuntimeError(f"expected a divergence, found {verdict}")
    return parting.page(verdict, checked.module, Careless.name)
