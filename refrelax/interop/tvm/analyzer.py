"""TVM's arithmetic analyzer beside the shape solver: the same question to both, and where they contradict each other.

TVM runs in a subprocess (``analyzer_worker.py``). Its integers are words in which nothing may overflow, so a
counterexample counts against it only if no step of the question leaves its dtype there.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

from refrelax.errors import Ended
from refrelax.interop.tvm.process import TvmProcess
from refrelax.judge.implementation import ImplementationFailed
from refrelax.semantics.dims import value
from refrelax.shape_solver import Answer, Proved, Refuted, parse_claim
from refrelax.syntax import scalars
from refrelax.syntax.scalars import Binary, Cast, Intrinsic, Let, Not, PrimExpr, Select, SymVar, literal_int

_WORKER = Path(__file__).with_name("analyzer_worker.py")

Verdict = Literal["PROVED", "DISPROVED", "OPEN", "FAILED"]


@dataclass(frozen=True, slots=True)
class Opinion:
    """What TVM's analyzer says: it proves the claim, or its negation, or neither; ``FAILED``: ``note`` says how.

    ``disagrees``: it contradicts the answer that it was compared with.
    """

    verdict: Verdict
    note: str = ""
    disagrees: bool = False

    def __str__(self) -> str:
        said = f"tvm: {self.verdict}" + (f" ({self.note})" if self.note else "")
        return f"{said}  <- contradicts the answer" if self.disagrees else said


class TvmAnalyzer:
    """``tvm.sym.Analyzer`` in a process of its own. ``python``: an interpreter that has TVM."""

    def __init__(self, python: str | None = None, timeout: float = 60.0) -> None:
        self.process = TvmProcess(python, timeout, _WORKER)

    def opinion(self, claim: str | PrimExpr, assume: Iterable[str | PrimExpr], answer: Answer) -> Opinion:
        """What TVM says of the question that ``answer`` is the solver's answer to."""
        asked = parse_claim(claim) if isinstance(claim, str) else claim
        given = [parse_claim(each) if isinstance(each, str) else each for each in assume]
        try:
            row = self.process.ask({"claim": written(asked), "assume": [written(each) for each in given]})
        except (ImplementationFailed, Untold) as failed:
            return Opinion("FAILED", str(failed))
        verdict: Verdict = row["verdict"]
        return Opinion(verdict, row["note"], contradicts(verdict, answer, (*given, asked)))

    def close(self) -> None:
        """End the subprocess."""
        self.process.close()


def contradicts(verdict: Verdict, answer: Answer, parts: Sequence[PrimExpr]) -> bool:
    """Whether TVM and the solver cannot both be right about the claim, the last of ``parts``."""
    match answer:
        case Proved(vacuous=vacuous):
            return verdict == "DISPROVED" and not vacuous
        case Refuted(model=model):
            return verdict == "PROVED" and all(_fits(each, model) for each in parts)
        case _:
            return False


def _fits(e: PrimExpr, model: dict[str, int]) -> bool:
    """Whether ``e`` has a value at ``model`` and no step on the way leaves its dtype."""
    try:
        value(e, model)
    except Ended:
        return False
    return True


class Untold(Exception):
    """A term that TVM's analyzer is not asked about."""


def written(e: PrimExpr) -> list[Any]:
    """A term as nested lists."""
    match e:
        case scalars.Literal():
            return ["lit", e.dtype, literal_int(e)]
        case SymVar(name, dtype):
            return ["sym", name, dtype]
        case Binary(op, a, b):
            return [op, *_joined(a, b, at=e.dtype)]
        case Not(a):
            return ["Not", written(a)]
        case Cast(dtype, a):
            return ["Cast", dtype, written(a)]
        case Select(c, a, b):
            return ["Select", written(c), *_joined(a, b, at=e.dtype)]
        case Let(var, bound, body):
            return ["Let", var.name, var.dtype, written(bound), written(body)]
        case Intrinsic("if_then_else", (c, a, b)):
            return ["if_then_else", written(c), *_joined(a, b, at=e.dtype)]
        case Intrinsic(op, args):
            return [op, *_joined(*args, at=e.dtype)]
        case _:
            raise Untold(f"{type(e).__name__} is no integer arithmetic")


def _joined(*parts: PrimExpr, at: str) -> list[list[Any]]:
    """Operands of one dtype, as TVM wants them: that of their result, ``at``; under a comparison, their own or int64. A
    claim is about the values of conversions, and computes with them in integers."""
    kinds = {each.dtype for each in parts}
    if at != "bool":
        common = at
    else:
        common = kinds.pop() if len(kinds) == 1 else "int64"
    return [written(each) if each.dtype == common else ["Cast", common, written(each)] for each in parts]
