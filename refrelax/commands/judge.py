"""``diff``: an implementation against the definition, binding by binding."""

from __future__ import annotations

import argparse
from dataclasses import fields, is_dataclass
from typing import Any

from refrelax.commands import values
from refrelax.commands.shared import add_json, emit, read_checked

CODES = {"Agreement": 0, "Divergence": 1, "NoVerdict": 3}


def diff_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("file", metavar="FILE", help="TVMScript; - is standard input")
    parser.add_argument("--impl", required=True, help="numpy | cupy | cuda-emulated | tvm | module:factory")
    values.add_inputs(parser)
    add_json(parser)


def diff(options: argparse.Namespace) -> int:
    """0 agree, 1 diverge, 3 no verdict."""
    from refrelax import judge
    from refrelax.conformance.implementations import find

    implementation = find(options.impl)
    checked = read_checked(options.file, options.consts)
    given = values.arguments(options, checked.module)
    verdict = judge.diff(checked, options.entry, given, impl=implementation)
    name = type(verdict).__name__
    if options.json:
        emit({"verdict": name, **_row(verdict)})
    else:
        print(verdict)
    return CODES.get(name, 3)


def _row(node: Any) -> dict[str, Any]:
    return {f.name: _plain(getattr(node, f.name)) for f in fields(node) if f.repr}


def _plain(value: Any) -> Any:
    if is_dataclass(value) and not isinstance(value, type):
        return {"is": type(value).__name__, **_row(value)}
    if isinstance(value, list | tuple):
        return [_plain(each) for each in value]
    if isinstance(value, dict):
        return {str(k): _plain(v) for k, v in value.items()}
    return value if isinstance(value, bool | int | float | str | None) else str(value)
