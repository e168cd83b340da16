"""``bisect``: the first pass of a pipeline that changed what a program means."""

from __future__ import annotations

import argparse
import difflib
import json
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from refrelax.commands import bisect_front, values
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
from refrelax.errors import UsageError
from refrelax.judge import Bisection, Stage, WrongPass, follow
from refrelax.judge.report import EXIT
from refrelax.judge.wheels import Told, history
from refrelax.running import npz
from refrelax.semantics.types.checked import CheckedModule

MOST_LINES = 60
"""Lines of the difference between two stages shown on a terminal; --json and --save have it all."""


def arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("file", metavar="FILE", nargs="?", help="TVMScript; - is standard input")
    own = "instead: a PyTorch model with its example inputs, or an .onnx file; the import is judged first"
    parser.add_argument("--front", metavar="FILE.py:NAME", help=own)
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
    if (options.file is None) == (options.front is None):
        raise UsageError("give FILE, or --front FILE.py:NAME (or FILE.onnx), one of the two")
    if options.front is not None:
        without_effect(options, ("--prove", "--consts"), "with --front")
    asked = options.pipeline
    if asked is not None and not asked.strip():
        raise UsageError("--pipeline: expected a pipeline, found an empty name")
    names = (options.impl or "tvm", *options.also)
    compilers = [compiler_of(each, options.target) for each in names]
    checked = None if options.file is None else read_checked(options.file, options.consts)
    unasked = checked is None or (options.prove and not values.asked(options) and not values.shaped(options))
    given = None if unasked or checked is None else values.to_judge(options, checked.module)
    externs = values.externs(options)
    told = []
    for name, compiler in zip(names, compilers, strict=True):
        pipeline = ("default" if name == "refrelax" else "default_build") if asked is None else asked
        about = {"pipeline": pipeline}
        imported = None
        if options.front is not None:
            with busy("import"):
                imported = bisect_front.imported(options, name)
            checked, given = imported.checked, imported.args
        found = None
        if checked is not None and (imported is None or imported.word != "FOUND"):
            with busy("bisect"):
                found = _followed(checked, given, compiler, pipeline, externs, options)
        version = _version(compiler, name)
        about |= {"version": version} if options.also else {}
        word = _word(imported, found)
        told.append(Told(version, word))
        if options.save is not None and found is not None:
            save(found, Path(options.save) / version if options.also else Path(options.save))
        _tell(imported, found, about, options.json)
    if options.also and not options.json:
        print(history(told))
    codes = {EXIT[each.word] for each in told}
    return next(code for code in (1, 3, 0) if code in codes)


def _word(imported: bisect_front.Front | None, found: Bisection | None) -> str:
    """What was found first: an import of which nothing can be said leaves no answer but that a pass is wrong."""
    if found is None:
        assert imported is not None
        return imported.word
    return found.word if imported is None or found.word == "FOUND" or imported.word == "NONE" else imported.word


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


def _tell(imported: bisect_front.Front | None, found: Bisection | None, about: dict[str, str], json: bool) -> None:
    if json:
        own = {} if imported is None else imported.row()
        if found is None:
            emit({**own, **about})
            return
        front = {} if imported is None else {"import": own}
        emit({**row(found), **front, "verdict": _word(imported, found), **about})
        return
    if "version" in about:
        print(f"{about['version']}:")
    if imported is not None:
        print(imported.said())
    for line in () if found is None else said(found):
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
