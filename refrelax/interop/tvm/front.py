"""Programs of PyTorch and ONNX, run by their own means and imported by TVM in a subprocess (``front_worker.py``)."""

from __future__ import annotations

import re
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from refrelax.interop.tvm.front_script import script
from refrelax.interop.tvm.implementation import decode, encode, last_line
from refrelax.interop.tvm.passes import array
from refrelax.interop.tvm.process import TvmProcess
from refrelax.judge.front import IMPORT, Imported, NoProgram, Run
from refrelax.judge.implementation import FINDINGS, ImplementationFailed
from refrelax.judge.stages import Stage
from refrelax.testing.front import Program

_WORKER = Path(__file__).with_name("front_worker.py")


_OPERATOR = re.compile(r"ir\.Op\(span=.*?name=\"([\w.]+)\".*?support_level=\d+\)", re.DOTALL)
"""How TVM prints an operator in a message: with all that it knows of it."""


class TvmFront:
    """TVM's importers as an ``Importer``. ``timeout``: seconds for each step of a program."""

    def __init__(self, python: str | None = None, timeout: float = 120.0, worker: Path = _WORKER) -> None:
        self.process = TvmProcess(python, timeout, worker)

    def imported(
        self, program: dict[str, str], inputs: Sequence[Sequence[Any]] | None = None, closely: bool = False
    ) -> Imported:
        """See ``judge.front.Importer``. A crash or a hang of the importer is tried once more; every program
        has a process of its own."""
        given = None if inputs is None else [[encode(each) for each in row] for row in inputs]
        request = {**program, "inputs": given, "closely": closely}
        found = self._asked(request)
        if found.kind in ("crash", "hang"):
            if not self.process.alone:
                self.process.close()
            found = self._asked(request)
        return found

    def _asked(self, request: dict[str, Any]) -> Imported:
        step = "make"
        try:
            for row in self.process.stream(request):
                step = row.get("step", step)
                if "end" in row:
                    return _imported(row["end"])
        except ImplementationFailed as failed:
            if failed.kind not in FINDINGS:
                raise
            if step != IMPORT:
                raise NoProgram(step, str(failed)) from None
            return Imported((), "the importer", {}, None, failed.kind, failed.message, failed.detail)
        raise ImplementationFailed("fault", "the script that imports gave no answer")

    def versions(self) -> dict[str, str]:
        """What imports."""
        self.process.start()
        return {"tvm": self.process.version}

    def script(self, program: Program, args: Sequence[Any], title: str) -> str:
        """A program as a script without refrelax: see ``front_script.py``."""
        return script(program, args, title)

    def close(self) -> None:
        """End the subprocess."""
        self.process.close()


def _imported(end: dict[str, Any]) -> Imported:
    if "no_program" in end:
        raise NoProgram(*end["no_program"])
    rows = zip(end["inputs"], end["eager"], strict=True)
    runs = tuple(_run(tuple(decode(each) for each in args), row) for args, row in rows)
    by, versions = end["by"], dict(end["versions"])
    match end:
        case {"text": str(text), "constants": dict(constants)}:
            stage = Stage(IMPORT, text, {int(k): array(v) for k, v in constants.items()}, "import")
            return Imported(runs, by, versions, stage, well_formed=bool(end["well_formed"]))
        case {"refused": [kind, message]}:
            message = _OPERATOR.sub(r"\1", message)
            said = f"{kind}: {last_line(message)}"
            detail = f"{kind}: {message}"
            return Imported(runs, by, versions, None, "refused", said, detail, str(end.get("place", "")))
    return Imported(runs, by, versions, None, "unread", f"the imported module cannot be shown: {end.get('unseen')}")


def _run(args: tuple[Any, ...], row: dict[str, Any]) -> Run:
    match row:
        case {"returned": value}:
            return Run(args, decode(value), tuple(map(decode, row.get("others", ()))))
        case {"raised": str(why)}:
            return Run(args, why=f"the program itself raises {why}")
        case _:
            return Run(args, why=str(row.get("other", "")))


__all__ = ["TvmFront"]
