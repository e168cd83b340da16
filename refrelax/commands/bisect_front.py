"""``bisect --front``: a program of PyTorch or ONNX, the import first, held against the program's own answer."""

from __future__ import annotations

import argparse
from dataclasses import dataclass, field
from typing import Any

from refrelax.commands import values
from refrelax.commands.reports import report
from refrelax.errors import UsageError
from refrelax.interop.names import is_tvm, python_of
from refrelax.interop.tvm.front import TvmFront
from refrelax.judge import front
from refrelax.judge.front import Imported, NoProgram
from refrelax.judge.implementation import ImplementationFailed
from refrelax.judge.verdicts import Agreement, Divergence, NoVerdict, Verdict
from refrelax.running.arrays import Tensor
from refrelax.semantics.types.checked import CheckedModule
from refrelax.syntax.module import ConstantArray


@dataclass(frozen=True, slots=True)
class Front:
    """What came of the import: the verdict on it, and for what comes after it the module and the arguments."""

    verdict: Verdict
    imported: Imported | None = None
    checked: CheckedModule | None = None
    args: list[Any] = field(default_factory=list)

    @property
    def word(self) -> str:
        """``FOUND``, ``NONE`` or that of no verdict."""
        return {"DIVERGE": "FOUND", "AGREE": "NONE"}.get(self.verdict.word, self.verdict.word)

    def said(self) -> str:
        """A line, like that of a pass."""
        by = "" if self.imported is None else f" by {self.imported.by}"
        found = self.verdict
        match found:
            case Agreement():
                return f"     import{by}: inside"
            case NoVerdict():
                return f"     import{by}: {found}"
            case Divergence():
                place = f", at {found.place}" if found.place else ""
                return f"FOUND  import{by}{place}: {found.message}{found.report.notes()}"

    def row(self) -> dict[str, Any]:
        """For JSON; where the import is wrong it is the whole answer."""
        found = self.verdict
        about = {} if self.imported is None else {"by": self.imported.by, "versions": self.imported.versions}
        said = {"verdict": self.word, "says": self.said().strip(), **about}
        if isinstance(found, NoVerdict):
            return {**said, "why": found.why, "reason": found.reason}
        text = "" if self.imported is None or self.imported.stage is None else self.imported.stage.text
        whole = {**said, **report(found.report), "pass": "import", "index": 0, "part": "import", "after": text}
        if isinstance(found, Agreement):
            return said
        more = {"kind": found.kind, "message": found.message, "detail": found.detail, "place": found.place}
        return {**whole, **more, "field": found.field, "args": [values.value_json(each) for each in self.args]}


def imported(options: argparse.Namespace, name: str) -> Front:
    """The import of ``--front`` by the TVM of a name, judged.

    Raises:
        UsageError: no such file or program; a model without example inputs, and none given.
    """
    program = {"model": options.front} if options.front.endswith(".onnx") else {"make": options.front}
    importer = TvmFront(python_of(name) if is_tvm(name) else None)
    try:
        return _imported(options, importer, program)
    except ImplementationFailed as failed:
        return Front(NoVerdict(failed.message, reason="absent", detail=failed.detail))
    except NoProgram as no:
        if no.step == "make" and "is not installed" not in no.message:
            raise UsageError(no.message) from None
        said = {"make": "", "eager": "the program does not run: ", "export": "PyTorch does not export it: "}
        return Front(NoVerdict(f"{said.get(no.step, '')}{no.message}", reason="unsupported"))
    finally:
        importer.close()


def _imported(options: argparse.Namespace, importer: TvmFront, program: dict[str, str]) -> Front:
    found = importer.imported(program, None, closely=True)
    checked = front.checked_of(found)
    if not isinstance(checked, CheckedModule):
        return Front(checked, found)
    if values.asked(options) or not found.runs:
        args = [Tensor.of(a) if isinstance(a, ConstantArray) else a for a in values.to_judge(options, checked.module)]
        found = importer.imported(program, [args], closely=True)
        if found.stage is None:
            return Front(front.refused(found), found)
    run = found.runs[0]
    return Front(front.verdict(checked, run, strict=options.strict), found, checked, list(run.args))
