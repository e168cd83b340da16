"""``parse``, ``fmt``, ``check``: text in, data or diagnostics out."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

from refrelax import api
from refrelax.commands.shared import add_files, add_json, complain, diagnostic_row, emit, read_module
from refrelax.errors import Rejection, UsageError
from refrelax.running import npz
from refrelax.semantics.types.checked import CheckedModule
from refrelax.semantics.types.portable import beyond_required
from refrelax.shape_solver.remarks import Remark, remarks
from refrelax.syntax.module import Module
from refrelax.views import derivation


def parse_arguments(parser: argparse.ArgumentParser) -> None:
    add_files(parser)
    _add_constants_out(parser)
    add_json(parser)


def _add_constants_out(parser: argparse.ArgumentParser) -> None:
    wanted = "keep the arrays behind the constants of FILE.py:FUNCTION, for --consts; one FILE only"
    parser.add_argument("--consts-out", metavar="C.npz", help=wanted)


def _keep_constants(options: argparse.Namespace, module: Module) -> None:
    """``--consts-out``: members are named by index, as ``--consts`` reads them."""
    if options.consts_out is None:
        return
    if len(options.files) > 1:
        raise UsageError("--consts-out: expected one FILE, whose constants are kept")
    npz.write(Path(options.consts_out), {str(k): each for k, each in sorted(module.constants.items())})


def parse(options: argparse.Namespace) -> int:
    """Canonical JSON, one line a module (with and without ``--json``)."""
    from refrelax.syntax.json_ import to_json

    def one(path: str) -> None:
        module = read_module(path)
        _keep_constants(options, module)
        print(to_json(module))

    return _each(options.files, one)


def fmt_arguments(parser: argparse.ArgumentParser) -> None:
    add_files(parser)
    _add_constants_out(parser)
    parser.add_argument("--write", action="store_true", help="rewrite the files instead of printing")


def fmt(options: argparse.Namespace) -> int:
    """Canonical TVMScript."""
    if options.write and "-" in options.files:
        raise UsageError("fmt --write: standard input cannot be rewritten")

    def one(path: str) -> None:
        module = read_module(path)
        _keep_constants(options, module)
        text = api.print_module(module).rstrip("\n") + "\n"
        if options.write and not Path(path).is_file():
            raise UsageError(f"fmt --write: {path} is no file of text")
        if options.write:
            Path(path).write_text(text, encoding="utf-8")
        else:
            sys.stdout.write(text)

    return _each(options.files, one)


def _each(paths: list[str], one: Callable[[str], None]) -> int:
    """``one`` on every file; 1 if any was rejected, with its diagnostics said."""
    code = 0
    for path in paths:
        try:
            one(path)
        except Rejection as rejection:
            complain(rejection)
            code = 1
    return code


def check_arguments(parser: argparse.ArgumentParser) -> None:
    add_files(parser)
    parser.add_argument("--consts", metavar="C.npz", help='the arrays behind metadata["ir.GenericConst"][k], by index')
    explained = "print the derivation as a tree, and what is known of each equality left to the run"
    parser.add_argument("--explain", action="store_true", help=explained)
    parser.add_argument("--svg", metavar="OUT", help="draw the derivation: one picture of one file")
    add_json(parser)


def check(options: argparse.Namespace) -> int:
    """Well-formedness and types."""
    code = 0
    if options.svg and len(options.files) > 1:
        raise UsageError("--svg draws one file")
    for path in options.files:
        try:
            checked = api.check(read_module(path, options.consts))
        except Rejection as rejection:
            code = 1
            if options.json:
                found = [diagnostic_row(d) for d in rejection.diagnostics]
                emit({"file": path, "ok": False, "rejection": type(rejection).__name__, "diagnostics": found})
            else:
                complain(rejection)
            continue
        if options.svg:
            names = checked.module.relax_functions()
            roots = tuple(tree for name in names for tree in derivation.trees(checked, name))
            Path(options.svg).write_text(derivation.svg(roots, f"types of {path}"), encoding="utf-8")
        (_accepted_json if options.json else _accepted)(path, checked, options.explain)
    return code


def _accepted(path: str, checked: CheckedModule, explain: bool) -> None:
    names = ", ".join(checked.module.functions)
    print(f"{path}: accepted ({names})")
    for note in checked.notes:
        print(f"note: {note}", file=sys.stderr)
    for note in beyond_required(checked):
        print(f"note: {note}", file=sys.stderr)
    said = list(remarks(checked))
    for each in said:
        if each.verdict == "never":
            print(f"note: {each}", file=sys.stderr)
    if explain:
        for name in checked.module.relax_functions():
            print(f"\n{name}: {checked.signatures[name]}")
            for tree in derivation.trees(checked, name):
                for line in derivation.text(tree):
                    print(f"  {line}")
            for each in said:
                if each.equality.function == name:
                    print(f"  left to the run: {each}")


def _accepted_json(path: str, checked: CheckedModule, explain: bool) -> None:
    types = {name: {k: str(t) for k, t in each.items()} for name, each in checked.types.items()}
    row: dict[str, Any] = {"file": path, "ok": True, "types": types, "diagnostics": []}
    row["portable"] = [diagnostic_row(each) for each in beyond_required(checked)]
    row["remarks"] = [_remark_row(each) for each in remarks(checked) if explain or each.verdict == "never"]
    if explain:
        row["derivation"] = {name: list(checked.explain(name)) for name in checked.module.relax_functions()}
    emit(row)


def _remark_row(each: Remark) -> dict[str, Any]:
    e = each.equality
    return {
        "function": e.function,
        "name": e.name,
        "what": e.what,
        "expected": str(e.expected),
        "found": str(e.found),
        "verdict": each.verdict,
        "fails_at": dict(each.fails_at),
        "span": None if e.span is None else str(e.span),
    }
