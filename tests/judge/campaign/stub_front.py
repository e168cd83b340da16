"""A front end of three functions with NumPy as its own side, and an importer of it that is wrong in known ways."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any

import numpy as np

from refrelax.judge.front import Imported, NoProgram, Run
from refrelax.judge.stages import Stage
from refrelax.running.arrays import Tensor

ROWS = (
    "torch.abs({x}) | f2 | | same",
    "torch.add({x}, {y}, alpha={2|3}) | f2 | like | same",
    "torch.exp({x}) | f2 | | same",
    "torch.floor({x}) | f2 | | same",
    "torch.neg({x}) | f2 | | same",
    "torch.nowhere({x}) | f2 | | -",
)
"""In place of the table of PyTorch."""


def _add(x: Any, y: Any, alpha: int = 1) -> Any:
    return x + np.asarray(alpha, x.dtype) * y


OWN = {"abs": np.abs, "add": _add, "exp": np.exp, "floor": np.floor, "neg": np.negative}


class Front:
    """``add`` loses its ``alpha``, ``floor`` is refused, ``neg`` ends the process; ``nowhere`` is not exported."""

    def __init__(self) -> None:
        self.asked = 0
        self.wrong = True

    def imported(
        self, program: dict[str, str], inputs: Sequence[Sequence[Any]] | None = None, closely: bool = False
    ) -> Imported:
        self.asked += 1
        source = program["source"]
        lines = re.findall(r"^        (v\d+) = torch\.(\w+)\((.*)\)$", source, re.MULTILINE)
        (names,) = re.findall(r"def forward\(self, (.*)\)", source)
        (results,) = re.findall(r"return (.*),\n", source)
        if any(op == "nowhere" for _, op, _ in lines):
            raise NoProgram("export", "nowhere")
        assert inputs is not None
        runs = tuple(self.run(names.split(", "), lines, results.split(", "), row) for row in inputs)
        told = {"by": "from_stub", "versions": {"stub": "1"}}
        if any(op == "floor" for _, op, _ in lines):
            return Imported(runs, **told, kind="refused", message="no floor", detail="no floor", place="stub.py:floor")
        if any(op == "neg" for _, op, _ in lines):
            return Imported((), kind="crash", message="SIGSEGV", detail="")
        return Imported(runs, **told, stage=Stage("import", self.text(names, lines, results, inputs[0]), {}, "import"))

    def run(self, names: list[str], lines: list[Any], results: list[str], row: Sequence[Any]) -> Run:
        values = {name: each.numpy() for name, each in zip(names, row, strict=True)}
        with np.errstate(all="ignore"):
            for name, op, given in lines:
                operands, alpha = self.call(given)
                more = {} if alpha is None else {"alpha": int(alpha)}
                values[name] = OWN[op](*(values[each] for each in operands), **more)
        return Run(tuple(row), tuple(Tensor.of(values[each]) for each in results))

    def call(self, given: str) -> tuple[list[str], str | None]:
        operands = [each for each in given.split(", ") if "=" not in each]
        return operands, next((each.partition("=")[2] for each in given.split(", ") if "=" in each), None)

    def text(self, names: str, lines: list[Any], results: str, row: Sequence[Any]) -> str:
        params = ", ".join(
            f'{name}: R.Tensor({tuple(each.shape)}, "{each.dtype}")'
            for name, each in zip(names.split(", "), row, strict=True)
        )
        body = ""
        for name, op, given in lines:
            operands, alpha = self.call(given)
            second = f"R.multiply({operands[-1]}, R.const({alpha}, {row[0].dtype!r}))"
            if op == "add" and not self.wrong:
                operands = [operands[0], second]
            spelled = {"abs": "abs", "add": "add", "exp": "exp"}[op]
            body += f"        {name} = R.{spelled}({', '.join(operands)})\n"
        return (
            "from tvm.script import ir as I\nfrom tvm.script import relax as R\n\n@I.ir_module\nclass Module:\n"
            f"    @R.function\n    def main({params}):\n{body}        return ({results},)\n"
        )

    def script(self, program: Any, args: Sequence[Any], title: str) -> str:
        return f"# {title}\n{program.source}"

    def close(self) -> None:
        """Nothing runs."""


def make(name: str) -> Front:
    return Front()
