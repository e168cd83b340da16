"""``validate --pipeline``: what stands after each pass against what stood before it, function by function."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import Any

from refrelax.commands import values
from refrelax.commands.reports import row
from refrelax.commands.shared import busy, emit, read_checked, without_effect
from refrelax.commands.weighing import claim, weighed
from refrelax.errors import UsageError
from refrelax.judge.pipelines import PipelineVerdict, ValidatedPass

ONE_PROGRAM = ("--consts-after", "--bind", "--save-args", "--certificates")
"""Options that are about a second program, or about one counterexample."""


def validate(options: argparse.Namespace) -> int:
    """0 every pass is, 1 a pass is refuted, 3 no verdict or weaker than required."""
    from refrelax.interop.names import validate_pipeline
    from refrelax.views import comparison

    if options.after is not None:
        raise UsageError("--pipeline makes the second programs: expected one FILE, found two")
    without_effect(options, ONE_PROGRAM, "with --pipeline")
    given_entry = options.entry
    checked = read_checked(options.before, options.consts)
    args = None
    if values.asked(options) or values.shaped(options):
        options.entry = given_entry or "main"
        args, given_entry = values.to_judge(options, checked.module), options.entry
    with busy("validate"):
        found = validate_pipeline(
            checked,
            options.pipeline,
            options.impl or "tvm",
            options.target,
            entries=(given_entry,) if given_entry else (),
            externs=values.externs(options, checked.module),
            seed=options.seed,
            relax=options.relax,
            assume=[claim(each) for each in options.assume],
            timeout=options.timeout,
            effort=options.effort,
            args=args,
            correspond=options.correspond,
            on_pass=None if options.json else _say,
        )
    if options.html:
        Path(options.html).write_text(comparison.followed(found), encoding="utf-8")
    code, refused = weighed(found, options.require)
    if options.json:
        emit(_row(found, refused))
    else:
        print("\n".join([str(found), *([f"  not enough: {refused}"] if refused else [])]))
        if found.trusts:
            print(f"  trusts: {'; '.join(found.trusts)}")
    return code


def _say(each: ValidatedPass) -> None:
    """A pass on a terminal or in a pipe, when it is judged: the functions that it changed, a line each."""
    if each.unread:
        print(f"{each.index:3}  {each.name:28}  {each.word}: {each.unread}", flush=True)
        return
    changed = [f for f in each.functions if f.answer is not None]
    if not changed:
        print(f"{each.index:3}  {each.name:28}  {each.word}", flush=True)
    for f in changed:
        name = f"{f.name}: " if len(each.functions) > 1 else ""
        print(f"{each.index:3}  {each.name:28}  {name}{f}", flush=True)
        for line in _short(getattr(f.answer, "unproved", "").splitlines()):
            print(f"       not proved: {line}", flush=True)


def _short(lines: list[str]) -> list[str]:
    """The first and the last of the lines that say why there is no proof: how it begins, where it got stuck or what
    might help; ``--json`` and ``--html`` have all."""
    if len(lines) < 4:
        return lines
    return [lines[0], f"… {len(lines) - 2} more lines (--json and --html have them)", lines[-1]]


def _row(found: PipelineVerdict, refused: str) -> dict[str, Any]:
    """The answer for JSON, with a row for each pass and function."""
    passes = [
        {
            "pass": each.name,
            "index": each.index,
            "part": each.stage.part,
            "since": each.since.name,
            "verdict": each.word,
            "unread": each.unread,
            "seconds": round(each.seconds, 3),
            "functions": [
                {"function": f.name, "verdict": f.word}
                if f.answer is None
                else {"function": f.name, **row(f.answer), "unproved": getattr(f.answer, "unproved", "")}
                for f in each.functions
            ],
        }
        for each in found.passes
    ]
    ended = "" if found.ended is None else found.ended.why
    return {**row(found), "pipeline": found.pipeline, "ended": ended, "not_enough": refused, "passes": passes}
