"""``lower``: passes over a module, each with the claims that its rewrites rest on."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

from refrelax import api
from refrelax.commands.shared import add_json, emit, read_checked
from refrelax.lower import PASSES, PIPELINES, Lowered, Step
from refrelax.lower import lower as lower_module
from refrelax.lower.claims import Claim
from refrelax.lower.dispatch_library import DEFAULT, KNOWN
from refrelax.lower.pipeline import DISPATCH


def arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("file", metavar="FILE", help="TVMScript; - is standard input")
    parser.add_argument("--consts", metavar="C.npz", help='the arrays behind metadata["ir.GenericConst"][k], by index')
    chosen = parser.add_mutually_exclusive_group()
    chosen.add_argument("--pipeline", default="default", help=f"one of {', '.join(PIPELINES)}")
    chosen.add_argument("--passes", metavar="a,b", help=f"passes in order, of {', '.join(PASSES)}")
    parser.add_argument(
        "--library",
        metavar="NAME|FILE",
        action="append",
        help=f"for {DISPATCH}, in place of {', '.join(DEFAULT)}: one of {', '.join(KNOWN)}, or a file of contracts",
    )
    parser.add_argument("--effort", choices=("quick", "normal", "thorough"), default="normal", help="of the solver")
    parser.add_argument("--show-evidence", action="store_true", help="every claim, with its answer")
    parser.add_argument("-o", "--output", metavar="OUT", help="write the lowered module here instead of printing it")
    add_json(parser)


def lower(options: argparse.Namespace) -> int:
    """0 lowered, 1 rejected. The module goes to standard output (or OUT), what happened to standard error."""
    checked = read_checked(options.file, options.consts)
    passes = None if options.passes is None else [each for each in options.passes.split(",") if each]
    lowered = lower_module(checked, options.pipeline, passes, options.effort, options.library)
    text = api.print_module(lowered.module.module).rstrip("\n") + "\n"
    if options.output is not None:
        Path(options.output).write_text(text, encoding="utf-8")
    if options.json:
        for step in lowered.steps:
            emit(_row(step))
        if options.output is None:
            emit({"module": text})
        return 0
    _tell(lowered, options.show_evidence)
    if options.output is None:
        sys.stdout.write(text)
    return 0


def _tell(lowered: Lowered, claims: bool) -> None:
    for step in lowered.steps:
        print(f"{step.name}: {step.evidence}", file=sys.stderr)
        for claim in step.claims if claims else ():
            print(f"  {claim}", file=sys.stderr)


def _row(step: Step) -> dict[str, object]:
    return {"pass": step.name, "evidence": step.evidence, "claims": [_claim(each) for each in step.claims]}


def _claim(claim: Claim) -> dict[str, object]:
    from refrelax.syntax.write.scalars import expression

    return {
        "rule": claim.rule,
        "where": claim.where,
        "claim": expression(claim.statement),
        "assume": [expression(each) for each in claim.assumptions],
        "fits": claim.fits,
        "answer": type(claim.answer).__name__,
    }
