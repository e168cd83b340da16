"""Arguments from files and options; values as text and as JSON."""

from __future__ import annotations

import argparse
import re
from collections.abc import Mapping, Sequence
from typing import Any

from refrelax import npz
from refrelax.arrays import Tensor
from refrelax.errors import Outcome, Returned, UsageError
from refrelax.runs import parameter_types
from refrelax.semantics.values import DType, Shape
from refrelax.syntax import bits, dtypes
from refrelax.syntax.module import ConstantArray, Module
from refrelax.syntax.types import PrimType, ShapeType, TupleType, Type

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
        return given(npz.read(options.args), parameter_types(module, options.entry))
    if options.random is None:
        if dims:
            raise UsageError("--dim needs --random")
        return []
    from refrelax.testing.arguments import random_arguments

    return random_arguments(module, options.entry, options.random, dims, options.policy)


def given(members: Mapping[str, ConstantArray], types: Sequence[Type | None]) -> list[Any]:
    """The arguments in an archive, by the types of the parameters.

    Members count in the order of their names. Named ``0``, ``1``, ``2.0``, ``2.1`` they say their place, and the fields
    of tuples. A scalar parameter takes a member without axes, a shape a vector of integers.
    """
    if not members or not all(re.fullmatch(r"\d+(\.\d+)*", name) for name in members):
        values: list[Any] = [members[name] for name in sorted(members, key=_natural)]
    else:
        tree: dict[str, Any] = {}
        for name, array in members.items():
            *path, last = name.split(".")
            inner = tree
            for part in path:
                inner = inner.setdefault(part, {})
                if not isinstance(inner, dict):
                    raise UsageError(f"--args: {name} is a field of a member that is an array")
            if last in inner:
                raise UsageError(f"--args: {name} is given twice")
            inner[last] = array
        values = [tree.get(str(k), {}) for k in range(1 + max(map(int, tree)))]
    return [_typed(value, types[k] if k < len(types) else None) for k, value in enumerate(values)]


def _typed(value: Any, type_: Type | None) -> Any:
    match value, type_:
        case dict(), _:
            fields = type_.fields if isinstance(type_, TupleType) else ()
            ordered = [value[key] for key in sorted(value, key=int)]
            return tuple(_typed(each, fields[k] if k < len(fields) else None) for k, each in enumerate(ordered))
        case ConstantArray(shape=()), PrimType():
            return bits.decode(value.dtype, value.patterns()[0])
        case ConstantArray(shape=(_,)), ShapeType() if dtypes.is_integer(value.dtype):
            return Shape(tuple(int(bits.decode(value.dtype, each)) for each in value.patterns()))
        case _:
            return value


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
