"""``certify``: certificates of ``prove`` and records of ``validate``, checked."""

from __future__ import annotations

import argparse
from typing import Any

from refrelax.commands.shared import add_json, emit, positive, source


def arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "files", metavar="FILE", nargs="+", help="a certificate, or the record of a descent; - is standard input"
    )
    parser.add_argument("--time", type=positive, default=2_000, metavar="MS", help="what cvc5 may take for one script")
    parser.add_argument("--with", dest="who", choices=("checker", "verified", "cvc5"), help="ask nobody else")
    add_json(parser)


def certify(options: argparse.Namespace) -> int:
    """0 all confirmed, 1 one is wrong, 3 nobody confirmed one."""
    codes = [_one(path, options) for path in options.files]
    return 1 if 1 in codes else max(codes)


def _one(path: str, options: argparse.Namespace) -> int:
    from refrelax.shape_solver.certify import confirm, verified
    from refrelax.shape_solver.checker.document import decoded, load, question_said
    from refrelax.shape_solver.descents.document import FORMAT

    text, name = source(path)
    if FORMAT in text[:100]:
        return _descent(text, name, options)
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
        words = found.question or question_said(document)
        row, code = {"answer": "CERTIFIED", "by": found.by, "says": words}, 0
        line = f"CERTIFIED by {found.by}: {words}"
    else:
        row, line, code = {"answer": "OPEN", "missing": found.missing}, f"OPEN needs {found.missing}", 3
    if options.json:
        asked = {} if problem or document is None else {"question": decoded(document)}
        emit({"file": name, **row, **asked})
    else:
        print(f"{name}: {line}")
    return code


def _descent(text: str, name: str, options: argparse.Namespace) -> int:
    """As ``_one``, of the record of a descent."""
    from refrelax.shape_solver.checker.document import load
    from refrelax.shape_solver.descents.document import examine
    from refrelax.shape_solver.descents.said import said

    try:
        document: Any = load(text)
        found, problem = examine(document), ""
    except ValueError as error:
        found, problem = None, f"expected JSON ({error})"
    if found is None or found.rejected:
        problem = problem or ("" if found is None else found.rejected)
        row, line, code = {"answer": "REJECTED", "reason": problem}, f"REJECTED {problem}", 1
    elif options.who not in (None, "checker"):
        missing = "the checker of descents (--with checker)"
        row, line, code = {"answer": "OPEN", "missing": missing}, f"OPEN needs {missing}", 3
    else:
        words = said(document, found)
        row, line, code = {"answer": "CERTIFIED", "by": "descent", "says": words}, f"CERTIFIED by descent: {words}", 0
    if options.json:
        emit({"file": name, **row})
    else:
        print(f"{name}: {line}")
    return code
