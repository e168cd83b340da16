"""Arguments from files and options; values as text and as JSON."""

from __future__ import annotations

import argparse
import re
from typing import Any

from refrelax import npz
from refrelax.arrays import Tensor
from refrelax.errors import Outcome, Returned, UsageError
from refrelax.semantics.values import DType, Shape
from refrelax.syntax.module import Module

MOST_ELEMENTS = 64


def add_inputs(parser: argparse.ArgumentParser) -> None:
    """``--entry``, ``--args``, ``--random``, ``--dim``, ``--consts``."""
    parser.add_argument("--entry", default="main", help="the function (default: main)")
    given = parser.add_mutually_exclusive_group()
    given.add_argument("--args", metavar="A.npz", help="the arguments, in the order of the members' names")
    given.add_argument("--random", metavar="SEED", type=int, help="make arguments up from a seed")
    parser.add_argument(
        "--dim", action="append", default=[], metavar="n=3", help="a size for --random; may be repeated"
    )
    parser.add_argument(
        "--policy",
        choices=("normal", "dyadic", "integer", "special"),
        default="normal",
        help="elements of --random",
    )
    parser.add_argument("--consts", metavar="C.npz", help='the arrays behind metadata["ir.GenericConst"][k], by index')


def sizes(options: argparse.Namespace) -> dict[str, int]:
    """``--dim n=3 --dim m=4`` (or ``--dim n=3,m=4``) as a dictionary."""
    found: dict[str, int] = {}
    for item in ",".join(options.dim).split(",") if options.dim else []:
        match = re.fullmatch(r"\s*(\w+)\s*=\s*(-?\d+)\s*", item)
        if match is None:
            raise UsageError(f"--dim: expected NAME=SIZE, found {item!r}")
        found[match.group(1)] = int(match.group(2))
    return found


def arguments(options: argparse.Namespace, module: Module) -> list[Any]:
    """The arguments that the options ask for; none without ``--args`` and ``--random``."""
    dims = sizes(options)
    if options.args is not None:
        members = npz.read(options.args)
        return [members[name] for name in sorted(members, key=_natural)]
    if options.random is None:
        if dims:
            raise UsageError("--dim needs --random")
        return []
    from refrelax.testing.arguments import random_arguments

    return random_arguments(module, options.entry, options.random, dims, options.policy)


def _natural(name: str) -> list[Any]:
    """``arg2`` before ``arg10``."""
    return [(0, int(part), "") if part.isdigit() else (1, 0, part) for part in re.findall(r"\d+|\D+", name)]


def value_json(value: Any) -> Any:
    """A value for JSON; a tensor of the enclosure shows its bounds."""
    match value:
        case Tensor() if value.core.numerics.exact_bits:
            return {"dtype": value.dtype, "shape": list(value.shape), "data": value.tolist()}
        case Tensor():
            return {"dtype": value.dtype, "shape": list(value.shape), "lo": value.lo, "hi": value.hi}
        case Shape(dims):
            return {"shape": list(dims)}
        case DType(name):
            return {"dtype": name}
        case tuple():
            return [value_json(each) for each in value]
        case None | bool() | int() | float() | str():
            return value
        case _:
            return {"opaque": type(value).__name__}


def value_text(value: Any) -> str:
    """A value on one line, long tensors by type only."""
    match value:
        case Tensor() if value.size > MOST_ELEMENTS:
            return f"{value.dtype}[{', '.join(map(str, value.shape))}] …"
        case Tensor() if value.core.numerics.exact_bits:
            return f"{value.dtype}[{', '.join(map(str, value.shape))}] {value.tolist()}"
        case Tensor():
            return f"{value.dtype}[{', '.join(map(str, value.shape))}] from {value.lo} to {value.hi}"
        case tuple():
            return "(" + ", ".join(value_text(each) for each in value) + ("," if len(value) == 1 else "") + ")"
        case Shape(dims):
            return f"R.shape({list(dims)})"
        case _:
            return str(value) if not isinstance(value, str) else repr(value)


def outcome_json(outcome: Outcome) -> dict[str, Any]:
    """An outcome for JSON."""
    row: dict[str, Any] = {"outcome": type(outcome).__name__}
    if isinstance(outcome, Returned):
        row["value"] = value_json(outcome.value)
        row["arguments"] = [value_json(each) for each in outcome.arguments]
        row["effects"] = [
            {"kind": e.kind, "name": e.name, "payload": [value_json(p) for p in e.payload]} for e in outcome.effects
        ]
        row["poison"] = [{"at": path, "rule": rule} for path, rule in outcome.poison]
        return row
    for key in ("rule", "message", "what"):
        if hasattr(outcome, key):
            row[key] = getattr(outcome, key)
    span = getattr(outcome, "span", None)
    if span is not None:
        row["span"] = str(span)
    return row


def outcome_text(outcome: Outcome) -> str:
    """An outcome on one line: ``m.py:3:5: Trapped: message [rule]``."""
    if isinstance(outcome, Returned):
        return "Returned"
    span = getattr(outcome, "span", None)
    place = f"{span}: " if span is not None else ""
    what = getattr(outcome, "what", None) or getattr(outcome, "message", "")
    rule = f" [{outcome.rule}]" if hasattr(outcome, "rule") else ""
    return f"{place}{type(outcome).__name__}{': ' if what else ''}{what}{rule}"
