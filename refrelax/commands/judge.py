"""``diff``: an implementation against the definition, binding by binding. ``validate``: one program against another."""

from __future__ import annotations

import argparse
from typing import Any

from refrelax.commands import values
from refrelax.commands.shared import add_json, busy, emit, read_checked


def diff_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("file", metavar="FILE", help="TVMScript; - is standard input")
    parser.add_argument("--impl", required=True, help="numpy | cupy | cuda-emulated | tvm | module:factory")
    parser.add_argument("--strict", action="store_true", help="also hold it to what ONNX, the array API and IEEE fix")
    values.add_inputs(parser)
    add_json(parser)


def diff(options: argparse.Namespace) -> int:
    """0 agree, 1 diverge, 3 no verdict."""
    from refrelax import judge
    from refrelax.commands.reports import tell
    from refrelax.conformance.implementations import find

    implementation = find(options.impl)
    checked = read_checked(options.file, options.consts)
    given = values.arguments(options, checked.module)
    externs = values.externs(options)
    with busy("diff"):
        verdict = judge.diff(checked, options.entry, given, implementation, externs=externs, strict=options.strict)
    return tell(verdict, options)


STRENGTH = {"tested": 0, "proved-at": 1, "proved": 2}
"""What ``--require`` may ask for, weakest first."""


def validate_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("before", metavar="BEFORE", help="TVMScript")
    parser.add_argument("after", metavar="AFTER", help="TVMScript; - is standard input")
    parser.add_argument("--entry", default="main", help="the function (default: main)")
    parser.add_argument("--require", choices=tuple(STRENGTH), default="tested", help="the least evidence that counts")
    parser.add_argument("--consts", metavar="C.npz", help="constants of BEFORE")
    parser.add_argument("--consts-after", metavar="C.npz", help="constants of AFTER")
    parser.add_argument("--seed", type=int, default=0)
    values.add_externs(parser)
    add_json(parser)


def validate(options: argparse.Namespace) -> int:
    """0 equivalent, 1 refuted, 3 no verdict or weaker than required."""
    from refrelax import judge

    before = read_checked(options.before, options.consts)
    after = read_checked(options.after, options.consts_after)
    externs = values.externs(options)
    with busy("validate"):
        verdict = judge.validate(before, after, options.entry, externs=externs, seed=options.seed)
    line, code = _said(verdict, STRENGTH[options.require])
    if options.json:
        emit({"verdict": type(verdict).__name__, "says": line})
    else:
        print(line)
    return code


def _said(verdict: Any, required: int) -> tuple[str, int]:
    """A verdict as a line, and the exit code."""
    from refrelax.judge import Equivalent, ProvedAt, Refuted, Tested

    match verdict:
        case Equivalent(evidence=evidence, relaxations=relaxations):
            strength = 0 if isinstance(evidence, Tested) else 1 if isinstance(evidence, ProvedAt) else 2
            under = f" under {', '.join(relaxations)}" if relaxations else ""
            return f"{evidence}{under}", 0 if strength >= required else 3
        case Refuted(model=model, counterexample=found):
            at = " ".join(f"{k}={v}" for k, v in sorted(model.items()))
            return f"REFUTED {at}".rstrip() + (f": {found.message}" if found is not None else ""), 1
        case _:
            return f"NO VERDICT {verdict.why}", 3
