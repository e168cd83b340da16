"""Who is to blame for a finding: the stage, and the pass in it, of a compiler that shows its stages."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from typing import TYPE_CHECKING, Any

from refrelax.errors import InternalError, Rejection, Unlinkable, UsageError
from refrelax.judge.bisect import BUILD, WrongPass, follow
from refrelax.judge.implementation import FINDINGS
from refrelax.judge.stages import StagesEnded
from refrelax.judge.verdicts import Divergence, NoVerdict
from refrelax.running.arrays import Tensor
from refrelax.semantics.types.check import check
from refrelax.syntax.module import ConstantArray
from refrelax.syntax.read import parse
from refrelax.testing.limits import limited

if TYPE_CHECKING:
    from refrelax.judge.fuzz import Finding, Plan

SECONDS = 60
"""The longest that the way through the passes may take."""

PIPELINE = "cpu_generic"
"""What TVM runs by default for a CPU."""


@cache
def _compiler(make: Callable[..., Any], name: str, target: str | None) -> Any:
    return make(name, target)


def compiler_of(plan: Plan, name: str | None = None) -> Any:
    """What shows the stages of the plan's implementation, or of another, once in each process; or ``None``."""
    return None if plan.compiler is None else _compiler(plan.compiler, name or plan.name, plan.target)


def blame(plan: Plan, found: Finding) -> dict[str, Any]:
    """``operator`` and ``place`` as far as they are known; of a compiler with stages, the ``stage`` (one of
    ``stages.PARTS``: ``import``, ``pass``, ``tir``, ``codegen``, ``run``), the ``pass``, its ``index``, and what was
    said of it."""
    place = found.verdict.place if isinstance(found.verdict, Divergence) else ""
    said: dict[str, Any] = {"operator": "+".join(found.signature.operators), "place": place}
    compiler = compiler_of(plan)
    if compiler is None:
        return {**said, "stage": "run" if isinstance(found.verdict, Divergence) else ""}
    pipeline = plan.pipeline or PIPELINE
    kind = found.verdict.kind if isinstance(found.verdict, Divergence) else ""
    try:
        with limited(SECONDS):
            if kind == "refused":
                return {**said, **_refusing(compiler, found.text, pipeline)}
            args = [Tensor.of(each) if isinstance(each, ConstantArray) else each for each in found.args]
            answer = follow(check(parse(found.text)), "main", args, compiler, pipeline, strict=plan.strict).answer
    except (TimeoutError, Rejection, Unlinkable, InternalError, UsageError) as error:
        return {**said, "stage": "", "why": f"{type(error).__name__}: {error}"}
    match answer:
        case WrongPass(name=name, index=index, message=message, kind=how, part=part):
            return {**said, "stage": part, "pass": name, "index": index, "how": how, "why": message[:400]}
        case NoVerdict() if kind in ("crash", "hang"):
            way = _refusing(compiler, found.text, pipeline)
            if way.get("pass") == BUILD:  # it was made of the program, and ends when it runs
                way["stage"] = "run"
            return {**said, **way, "how": kind}
        case NoVerdict(why=why):
            return {**said, "stage": "", "why": why}
        case _:
            return {**said, "stage": "", "why": "no pass changed the meaning, and what is built does not diverge"}


def _refusing(compiler: Any, text: str, pipeline: str) -> dict[str, Any]:
    """The stage that does not take a program, whatever its arguments: a pass, or what comes after the last."""
    module, index = check(parse(text)).module, -1
    try:
        for way in (compiler.stages, getattr(compiler, "below", None)):
            for _ in way(module, pipeline) if way is not None else ():
                index += 1
    except StagesEnded as ended:
        if ended.kind in FINDINGS and ended.name:
            why = f"{ended.name} {ended.kind}: {ended.message}"[:400]
            part = "import" if index < 0 else ended.part
            return {"stage": part, "pass": ended.name, "index": index + 1, "how": ended.kind, "why": why}
        return {"stage": "", "why": str(ended)[:400]}
    why = "every pass took the program"
    return {"stage": "codegen", "pass": BUILD, "index": index + 1, "how": "refused", "why": why}
