"""``prove``: claims over integers."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import Any

from refrelax.commands.shared import add_json, emit


def arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("claim", help='for example "n*m + m == m*(n + 1)"')
    parser.add_argument("--assume", action="append", default=[], metavar="A", help="a fact; may be repeated")
    parser.add_argument("--effort", choices=("quick", "normal", "thorough"), default="normal")
    parser.add_argument("--fits", metavar="DTYPE", help="also prove that nothing overflows in this dtype")
    parser.add_argument("--division", choices=("assume", "require"), help="defined divisions: assumed, or to be proved")
    parser.add_argument("--smt2", metavar="OUT", help="write the question as SMT-LIB")
    add_json(parser)


def prove(options: argparse.Namespace) -> int:
    """0 proved, 1 refuted, 3 unknown."""
    from refrelax import shape_solver

    extra: dict[str, Any] = {k: v for k in ("fits", "division") if (v := getattr(options, k)) is not None}
    if options.smt2 is not None:
        text = shape_solver.to_smt2(options.claim, assume=options.assume, **extra)
        Path(options.smt2).write_text(text, encoding="utf-8")
    answer = shape_solver.prove(options.claim, assume=options.assume, effort=options.effort, **extra)
    match type(answer).__name__:
        case "Proved":
            row, code = {"answer": "PROVED", "vacuous": answer.vacuous}, 0
            line = "PROVED" + (" (vacuously: the assumptions contradict each other)" if answer.vacuous else "")
        case "Refuted":
            row, code = {"answer": "REFUTED", "model": dict(answer.model)}, 1
            line = " ".join(["REFUTED", *(f"{k}={v}" for k, v in sorted(answer.model.items()))])
        case _:
            row, code = {"answer": "UNKNOWN", "reason": str(answer.reason), "stage": str(answer.stage)}, 3
            line = f"UNKNOWN {answer.reason}"
    if options.json:
        emit({"claim": options.claim, **row})
    else:
        print(line)
    return code
