"""``bisect``: the first pass of a pipeline that changed what a program means."""

from __future__ import annotations

import argparse
import difflib
import json
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from refrelax.commands import values
from refrelax.commands.reports import report
from refrelax.commands.shared import (
    Implementations,
    add_json,
    add_strict,
    busy,
    emit,
    read_checked,
    seconds,
    without_effect,
)
from refrelax.judge import Bisection, Stage, WrongPass, follow
from refrelax.judge.report import EXIT
from refrelax.judge.wheels import Told, history
from refrelax.running import npz
from refrelax.semantics.types.checked import CheckedModule

MOST_LINES = 60
"""Lines of the difference between two stages shown on a terminal; --json and --save have it all."""


def arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("file", metavar="FILE", help="TVMScript; - is standard input")
    parser.set_defaults(also=())
    whose = "whose passes: tvm (default), tvm@PYTHON (of another environment), refrelax; repeatable: side by side"
    parser.add_argument("--impl", action=Implementations, help=whose)
    parser.add_argument(
        "--pipeline",
        metavar="NAME",
        help="tvm: zero, default_build (default), cpu_generic, another that TVM knows, passes joined by commas, or "
        "FILE.py:function; refrelax: a pipeline of `refrelax lower`, or passes joined by commas",
    )
    parser.add_argument("--target", metavar="T", help="what tvm compiles for (default: llvm)")
    values.add_inputs(parser)
    parser.set_defaults(policy="dyadic")
    add_strict(parser)
    forall = "hold every pass against the one before it, for all shapes and values: no arguments are needed"
    parser.add_argument("--prove", action="store_true", help=forall)
    parser.add_argument("--relax", action="append", default=[], metavar="NAME", help="of --prove: a named relaxation")
    parser.add_argument("--assume", action="append", default=[], metavar="CLAIM", help="of --prove: about the symbols")
    parser.add_argument("--timeout", type=seconds, metavar="S", help="of --prove, for everything: 90, 60s, 10m, 2h")
    parser.add_argument("--save", metavar="DIR", help="keep every stage, its constants, and what was found")
    add_json(parser)


def bisect(options: argparse.Namespace) -> int:
    """0 none, 1 found, 3 no verdict; of several, 1 if any is found."""
    from refrelax.interop.names import compiler_of

    if not options.prove:
        without_effect(options, ("--relax", "--assume", "--timeout"), "without --prove")
    names = (options.impl or "tvm", *options.also)
    compilers = [compiler_of(each, options.target) for each in names]
    checked = read_checked(options.file, options.consts)
    unasked = options.prove and not values.asked(options) and not values.shaped(options)
    given = None if unasked else values.to_judge(options, checked.module)
    externs = values.externs(options)
    told = []
    for name, compiler in zip(names, compilers, strict=True):
        pipeline = options.pipeline or ("default" if name == "refrelax" else "default_build")
        with busy("bisect"):
            found = _followed(checked, given, compiler, pipeline, externs, options)
        version = _version(compiler, name)
        told.append(Told(version, found.word))
        if options.save is not None:
            save(found, Path(options.save) / version if options.also else Path(options.save))
        _tell(found, {"pipeline": pipeline, **({"version": version} if options.also else {})}, options.json)
    if options.also and not options.json:
        print(history(told))
    codes = {EXIT[each.word] for each in told}
    return next(code for code in (1, 3, 0) if code in codes)


def _followed(
    checked: CheckedModule, given: Any, compiler: Any, pipeline: str, externs: Any, options: argparse.Namespace
) -> Bisection:
    """On the arguments, or for all of them."""
    if not options.prove:
        return follow(checked, options.entry, given, compiler, pipeline, externs, None, options.strict)
    from refrelax.commands.weighing import claim
    from refrelax.judge.pipelines import Asked
    from refrelax.judge.proved_stages import follow_proofs

    relax, assumed = tuple(options.relax), tuple(map(claim, options.assume))
    asked = Asked((options.entry,), externs, relax=relax, claims=assumed, timeout=options.timeout, args=given)
    return follow_proofs(checked, compiler, pipeline, asked, options.strict)


def _tell(found: Bisection, about: dict[str, str], json: bool) -> None:
    if json:
        emit({**row(found), **about})
        return
    if "version" in about:
        print(f"{about['version']}:")
    for line in said(found):
        print(line)


def _version(compiler: Any, name: str) -> str:
    """What a compiler is called beside others; the process is over then."""
    process = getattr(compiler, "process", None)
    if process is None:
        return name
    compiler.close()
    return f"tvm {process.version}" if process.version else name


def said(found: Bisection) -> Iterable[str]:
    """A line a pass, then the answer."""
    for k, step in enumerate(found.steps):
        yield f"{k:3}  {step.stage.name:28}  {step.verdict}"
    yield str(found)
    if isinstance(found.answer, WrongPass):
        if found.answer.binding:
            yield f"first binding with another value: {found.answer.binding}"
        yield from _difference(found.answer.before, found.answer.after)


def _difference(before: Stage, after: Stage) -> Iterable[str]:
    lines = list(
        difflib.unified_diff(
            before.text.splitlines(),
            after.text.splitlines(),
            f"after {before.name}",
            f"after {after.name}",
            lineterm="",
        )
    )
    yield from lines[:MOST_LINES]
    if len(lines) > MOST_LINES:
        yield f"… {len(lines) - MOST_LINES} more lines (--json and --save DIR have both texts)"


def row(found: Bisection) -> dict[str, Any]:
    """The answer for JSON."""
    steps = [{"pass": step.stage.name, "verdict": step.verdict} for step in found.steps]
    said = {"verdict": found.word, "says": str(found), **report(found.report)}
    match found.answer:
        case WrongPass() as wrong:
            ends = {"expected": wrong.expected, "found": wrong.found}
            return {
                **said,
                "pass": wrong.name,
                "index": wrong.index,
                "part": wrong.part,
                "place": wrong.place,
                "kind": wrong.kind,
                "message": wrong.message,
                "detail": wrong.detail,
                "binding": wrong.binding,
                "field": wrong.field,
                "before": wrong.before.text,
                "after": wrong.after.text,
                "args": [values.value_json(each) for each in wrong.args],
                **{key: None if each is None else values.outcome_json(each) for key, each in ends.items()},
                "steps": steps,
            }
        case None:
            return {**said, "steps": steps}
        case no_verdict:
            more = {"why": no_verdict.why, "reason": no_verdict.reason, "detail": no_verdict.detail}
            return {**said, **more, "steps": steps}


def save(found: Bisection, folder: Path) -> None:
    """``00-read.py``, ``01-LegalizeOps.py``, …, each with an ``.npz`` if it has constants, and ``answer.json``."""
    folder.mkdir(parents=True, exist_ok=True)
    for k, step in enumerate(found.steps):
        stem = f"{k:02}-{step.stage.name}"
        (folder / f"{stem}.py").write_text(step.stage.text, encoding="utf-8")
        if step.stage.constants:
            npz.write(folder / f"{stem}.npz", {str(i): v for i, v in sorted(step.stage.constants.items())})
    (folder / "answer.json").write_text(json.dumps(row(found), indent=1, default=str), encoding="utf-8")
