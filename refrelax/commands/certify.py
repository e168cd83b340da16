"""``certify``: certificates of ``prove``, checked."""

from __future__ import annotations

import argparse
from typing import Any

from refrelax.commands.shared import add_json, emit, positive, source


def arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("files", metavar="FILE", nargs="+", help="a certificate; - is standard input")
    parser.add_argument("--time", type=positive, default=2_000, metavar="MS", help="what cvc5 may take for one script")
    parser.add_argument("--with", dest="who", choices=("checker", "verified", "cvc5"), help="ask nobody else")
    add_json(parser)


def certify(options: argparse.Namespace) -> int:
    """0 all confirmed, 1 one is wrong, 3 nobody confirmed one."""
    codes = [_one(path, options) for path in options.files]
    return 1 if 1 in codes else max(codes)


def _one(path: str, options: argparse.Namespace) -> int:
    from refrelax.shape_solver.certify import confirm, verified
    from refrelax.shape_solver.checker.document import load, question_said

    text, name = source(path)
    try:
        document: Any = None if options.who == "verified" else load(text)
    except ValueError as error:
        document, found, problem = None, None, f"expected JSON ({error})"
    else:
        found = verified(text) if options.who == "verified" else confirm(document, options.time, options.who)
        problem = found.rejected
    if problem or found is None:
        row, line, code = {"answer": "REJECTED", "reason": problem}, f"REJECTED {problem}", 1
    elif found.by:
        line = f"CERTIFIED by {found.by}: {found.question or question_said(document)}"
        row, code = {"answer": "CERTIFIED", "by": found.by}, 0
    else:
        row, line, code = {"answer": "OPEN", "missing": found.missing}, f"OPEN needs {found.missing}", 3
    if options.json:
        emit({"file": name, **row})
    else:
        print(f"{name}: {line}")
    return code
