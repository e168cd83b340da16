"""``diff``: an implementation against the definition, binding by binding. ``validate``: one program against another."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path
from typing import Any

from refrelax.commands import values
from refrelax.commands.shared import add_implementation, add_json, busy, emit, read_checked, seconds, without_effect
from refrelax.commands.weighing import STRENGTH, claim, weighed
from refrelax.errors import UsageError
from refrelax.running import npz
from refrelax.syntax.module import Module


def diff_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("file", metavar="FILE", help="TVMScript; - is standard input")
    add_implementation(parser)
    values.add_inputs(parser)
    parser.add_argument("--html", metavar="OUT", help="also a page: every binding, and where they part in the source")
    add_json(parser)


def diff(options: argparse.Namespace) -> int:
    """0 agree, 1 diverge, 3 no verdict; of several, 1 if any diverges."""
    from refrelax import judge
    from refrelax.commands.reports import tell, tell_all, version_of
    from refrelax.conformance.alone import find_alone

    names = (options.impl, *options.also)
    made = [find_alone(each, options.pipeline, options.target) for each in names]
    checked = read_checked(options.file, options.consts)
    given = values.to_judge(options, checked.module)
    externs = values.externs(options, checked.module)
    verdicts: list[tuple[str, Any]] = []
    for implementation in made:
        with busy("diff"):
            verdict = judge.diff(checked, options.entry, given, implementation, externs=externs, strict=options.strict)
        verdicts.append((version_of(implementation, names[len(verdicts)]), verdict))
    if options.html:
        from refrelax.views import parting

        shown = next((k for k, (_, each) in enumerate(verdicts) if isinstance(each, judge.Divergence)), 0)
        Path(options.html).write_text(parting.page(verdicts[shown][1], checked.module, names[shown]), encoding="utf-8")
    return tell(verdicts[0][1], options) if len(verdicts) == 1 else tell_all(verdicts, options)


def validate_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("before", metavar="BEFORE", help="TVMScript")
    parser.add_argument("after", metavar="AFTER", nargs="?", help="TVMScript; - is standard input")
    stages = "instead of AFTER: what stands after each pass against what stood before it; NAME as of bisect"
    parser.add_argument("--pipeline", metavar="NAME", help=stages)
    parser.add_argument("--impl", metavar="IMPL", help="whose pipeline: tvm (default), tvm@PYTHON, refrelax")
    parser.add_argument("--target", metavar="T", help="what tvm compiles for (default: llvm)")
    values.add_inputs(parser, "main; of a pipeline every public function")
    parser.add_argument("--require", choices=tuple(STRENGTH), default="tested", help="the least evidence that counts")
    parser.add_argument("--relax", action="append", default=[], metavar="NAME", help="a named relaxation; repeatable")
    symbols = "what callers promise of the symbols, as 'n >= 1' or 'm %% 8 == 0'; repeatable"
    parser.add_argument("--assume", action="append", default=[], metavar="'n >= 1'", help=symbols)
    parser.add_argument("--timeout", type=seconds, metavar="S", help="for everything: 90, 60s, 10m, 2h")
    parser.add_argument("--effort", choices=("quick", "normal", "thorough"), default="normal", help="of the proof")
    parser.add_argument("--correspond", action="store_true", help="find how entries that take other things correspond")
    parser.add_argument("--bind", metavar="B.npz", help="arrays for parameters of BEFORE that AFTER does not take")
    parser.add_argument("--consts-after", metavar="C.npz", help="constants of AFTER")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--certificates", metavar="DIR", help="claims and descent of the proof, for `refrelax certify`")
    parser.add_argument("--html", metavar="OUT", help="also a page: verdict, claims, programs, counterexample")
    add_json(parser)


def validate(options: argparse.Namespace) -> int:
    """0 equivalent, 1 refuted, 3 no verdict or weaker than required."""
    from refrelax import judge
    from refrelax.views import comparison

    if options.pipeline is not None:
        from refrelax.commands import validate_pipeline

        return validate_pipeline.validate(options)
    if options.after is None:
        raise UsageError("validate needs a second program, or --pipeline NAME for the stages of one")
    without_effect(options, ("--impl", "--target"), "without --pipeline")
    options.entry = options.entry or "main"
    assume = [claim(each, "--given" if options.command == "prove-rewrite" else "--assume") for each in options.assume]
    before = read_checked(options.before, options.consts)
    after = read_checked(options.after, options.consts_after)
    externs = values.externs(options, before.module, after.module)
    given = values.to_judge(options, before.module) if values.asked(options) or values.shaped(options) else None
    with busy("validate"):
        verdict = judge.validate(
            before,
            after,
            options.entry,
            externs=externs,
            seed=options.seed,
            relax=options.relax,
            assume=assume,
            timeout=options.timeout,
            effort=options.effort,
            args=given,
            correspond=options.correspond,
            bind=None if options.bind is None else npz.read(Path(options.bind)),
            record=options.certificates is not None,
        )
    if options.save_args is not None and given is None:
        _save_counterexample(verdict, options, before.module)
    if options.html:
        Path(options.html).write_text(comparison.validated(verdict, before.module, after.module), encoding="utf-8")
    written = _certificates(verdict, options.certificates)
    code, refused = weighed(verdict, options.require)
    if options.json:
        emit({**_validated(verdict, refused), **({"certificates": written} if written else {})})
    else:
        print("\n".join([*_lines(verdict, refused), *([f"  certificates: {written}"] if written else [])]))
    return code


def _certificates(verdict: Any, folder: str | None) -> str:
    """What was written of the claims of a proof, if that was asked for."""
    from refrelax.commands import claims

    if folder is None:
        return ""
    if verdict.word != "PROVED":
        return "none, since nothing was proved for all shapes"
    return claims.write(verdict.evidence.claims, verdict.evidence.record, Path(folder))


def _save_counterexample(verdict: Any, options: argparse.Namespace, module: Module) -> None:
    """The arguments at which the programs differ, for ``--args``; a note where there are none."""
    if getattr(verdict, "counterexample", None) is None:
        print("refrelax: nothing was refuted: there are no arguments to save", file=sys.stderr)
        return
    values.save(options.save_args, verdict.counterexample.args, module, options.entry)


def _lines(verdict: Any, refused: str) -> list[str]:
    """An answer as text: the verdict, what it rests on, why there is no proof."""
    found = [str(verdict)]
    if refused:
        found.append(f"  not enough: {refused}")
    if verdict.report.trusts:
        found.append(f"  trusts: {'; '.join(verdict.report.trusts)}")
    found += [f"  not proved: {line}" for line in getattr(verdict, "unproved", "").splitlines()]
    return found


def _validated(verdict: Any, refused: str) -> dict[str, Any]:
    """An answer for JSON."""
    from refrelax.commands.reports import row

    return {**row(verdict), "unproved": getattr(verdict, "unproved", ""), "not_enough": refused}
