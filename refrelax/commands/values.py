"""Arguments from files and options; values as text and as JSON."""

from __future__ import annotations

import argparse
import re
import runpy
from collections.abc import Callable, Mapping, Sequence
from itertools import product
from typing import Any

from refrelax.errors import Outcome, Returned, UsageError
from refrelax.running import npz
from refrelax.running.arrays import ENCLOSING, Tensor, spelled
from refrelax.running.run import parameter_types
from refrelax.semantics.graph.link import named_libraries, nodes
from refrelax.semantics.judging import bounds, permits_nan
from refrelax.semantics.numbers.symbolic import Symbolic
from refrelax.semantics.values import DType, Opaque, Shape, from_payloads
from refrelax.syntax import bits, dtypes
from refrelax.syntax.module import ConstantArray, Module
from refrelax.syntax.types import PrimType, ShapeType, TupleType, Type

MOST_ELEMENTS = 64


def add_inputs(parser: argparse.ArgumentParser, entry: str = "main") -> None:
    """``--entry``, the arguments (``--args``, ``--random``, ``--arg``), ``--save-args``, ``--consts``, ``--extern``.
    ``entry``: what is said to be the default of ``--entry``; another than ``main`` is the command's own to choose."""
    chosen = "main" if entry == "main" else None
    parser.add_argument("--entry", default=chosen, help=f"the function (default: {entry})")
    whole = parser.add_mutually_exclusive_group()
    whole.add_argument("--args", metavar="A.npz", help="the arguments, in the order of the members' names")
    whole.add_argument("--random", metavar="SEED", type=int, help="make arguments up from a seed")
    parser.add_argument(
        "--arg",
        action="append",
        default=[],
        metavar="NAME=JSON",
        help="one argument, x=[[1,2],[3,4]]; may be repeated, beside --args or --random it takes the place of theirs",
    )
    parser.add_argument(
        "--dim", action="append", default=[], metavar="n=3", help="a size for --random; may be repeated"
    )
    policies = ("normal", "dyadic", "integer", "special")
    parser.add_argument("--policy", dest="chosen_policy", choices=policies, help="elements of --random")
    parser.set_defaults(policy="normal")
    parser.add_argument("--save-args", metavar="A.npz", help="write the arguments, for --args")
    parser.add_argument("--consts", metavar="C.npz", help='the arrays behind metadata["ir.GenericConst"][k], by index')
    add_externs(parser)


def add_externs(parser: argparse.ArgumentParser) -> None:
    """``--extern``."""
    parser.add_argument(
        "--extern",
        action="append",
        default=[],
        metavar="FILE.py:NAME",
        help="a library function, or a dictionary of them by name; LIB.NAME=FILE.py:NAME calls it LIB.NAME",
    )


def sizes(options: argparse.Namespace) -> dict[str, int]:
    """``--dim n=3 --dim m=4`` (or ``--dim n=3,m=4``) as a dictionary."""
    found: dict[str, int] = {}
    for item in ",".join(options.dim).split(",") if options.dim else []:
        match = re.fullmatch(r"\s*(\w+)\s*=\s*(-?\d+)\s*", item)
        if match is None:
            raise UsageError(f"--dim: expected NAME=SIZE, found {item!r}")
        name, digits = match.groups()
        if len(digits) > 20 or abs(int(digits)) > dtypes.integer_range("int64")[1]:
            raise UsageError(f"--dim: {name}={digits[:30]} is beyond int64")
        if found.get(name, int(digits)) != int(digits):
            raise UsageError(f"--dim: {name} is given twice")
        found[name] = int(digits)
    return found


def arguments(options: argparse.Namespace, module: Module) -> list[Any]:
    """The arguments that the options ask for, saved if they say so; none where none is asked for."""
    made = _arguments(options, module)
    if options.save_args is not None:
        if not asked(options):
            raise UsageError("--save-args needs arguments: --args, --random or --arg")
        save(options.save_args, made, module, options.entry)
    return made


def asked(options: argparse.Namespace) -> bool:
    """Whether the options give arguments, or say how they are made."""
    return options.args is not None or options.random is not None or bool(options.arg)


def shaped(options: argparse.Namespace) -> bool:
    """Whether the options say something about arguments that are made up."""
    return bool(options.dim or options.chosen_policy)


def save(path: str, args: Sequence[Any], module: Module, entry: str) -> None:
    """Write arguments for ``--args``.

    Raises:
        UsageError: one that fits into no archive.
    """
    from refrelax.commands.reproducers import arrays

    try:
        members = arrays(args, parameter_types(module, entry))
    except TypeError as error:
        raise UsageError(f"--save-args: {error}") from None
    npz.write(path, members)


def to_judge(options: argparse.Namespace, module: Module) -> list[Any]:
    """``arguments`` for somebody else's run: as many as the function takes. Any two programs trap alike on others.

    Raises:
        UsageError: too few or too many.
    """
    made, types = arguments(options, module), parameter_types(module, options.entry)
    if options.entry in module.functions and len(made) != len(types):
        hint = "" if made else ": give --arg NAME=JSON, --args or --random"
        raise UsageError(f"{options.entry} takes {len(types)} arguments, {len(made)} were given{hint}")
    return made


def _arguments(options: argparse.Namespace, module: Module) -> list[Any]:
    dims = sizes(options)
    if options.random is None and shaped(options):
        raise UsageError(f"{'--dim' if dims else '--policy'} needs --random")
    if options.random is None and not options.arg:
        return [] if options.args is None else _archived(options, module)
    from refrelax.commands import named
    from refrelax.testing.arguments import parameters, random_arguments

    given_types = dict(parameters(module, options.entry))
    values = named.values(options.arg, given_types)
    if options.random is not None:
        known = named.extents(values, given_types, dims)
        policy = options.chosen_policy or options.policy
        made = random_arguments(module, options.entry, options.random, known, policy)
    elif options.args is not None:
        made = _archived(options, module)
    else:
        missing = [name for name in given_types if name not in values]
        if missing:
            raise UsageError(f"no argument for {', '.join(missing)}: give --arg {missing[0]}=…, --args or --random")
        made = [None] * len(given_types)
    made += [None] * (len(given_types) - len(made))
    return [values.get(name, made[k]) for k, name in enumerate(given_types)] + made[len(given_types) :]


def _archived(options: argparse.Namespace, module: Module) -> list[Any]:
    return given(npz.read(options.args), parameter_types(module, options.entry))


def externs(options: argparse.Namespace, *programs: Module) -> dict[str, Callable[..., Any]]:
    """The library functions of ``--extern``, by name. ``programs``: all that may call them, where that is known.

    Raises:
        UsageError: no such file or name, a file that raises, what it gives is no function, or nothing calls it (of a
            dictionary of functions some may be for other programs).
    """
    functions = (f for each in programs for f in each.functions.values())
    named = {name for each in functions for node in nodes(each) for name in named_libraries(node)}
    found: dict[str, Callable[..., Any]] = {}
    for item in options.extern:
        called, _, place = item.rpartition("=")
        file, colon, name = place.rpartition(":")
        if not colon or not name.isidentifier():
            raise UsageError(f"--extern: expected FILE.py:NAME, found {item!r}")
        try:
            value = runpy.run_path(file)[name]
        except OSError as error:
            raise UsageError(f"--extern: {file}: {(error.strerror or str(error)).lower()}") from None
        except KeyError:
            raise UsageError(f"--extern: {file} has no {name}") from None
        except (Exception, SystemExit) as error:
            raise UsageError(f"--extern: {file}: {type(error).__name__}: {error}") from None
        library = value if isinstance(value, Mapping) and not called else {called or name: value}
        wrong = [str(k) for k, each in library.items() if not isinstance(k, str) or not callable(each)]
        if wrong:
            raise UsageError(f"--extern: {wrong[0]} of {file} is no function")
        if programs and library and not library.keys() & named:
            here = f"these are called: {', '.join(sorted(named))}" if named else "it calls none"
            raise UsageError(f"--extern: the program calls no library function {', '.join(library)}; {here}")
        found.update(library)
    return found


def arguments_text(options: argparse.Namespace, module: Module, values: Sequence[Any]) -> list[str]:
    """Arguments that were made up, a line each."""
    if options.random is None:
        return []
    from refrelax.testing.arguments import parameters

    names = [name for name, _ in parameters(module, options.entry)]
    return [f"argument {name}: {value_text(value)}" for name, value in zip(names, values, strict=False)]


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


def elements(value: Tensor) -> list[str]:
    """The elements in row-major order, as they print: rationals, terms."""
    return [str(each) for each in value.core.payloads()]


def value_json(value: Any) -> Any:
    """A value for JSON; a tensor of an enclosing reading shows its bounds."""
    match value:
        case Tensor() if value.core.numerics.exact_bits:
            return {"dtype": value.dtype, "shape": list(value.shape), "data": value.tolist()}
        case Tensor() if value.core.numerics.name in ENCLOSING:
            row = {"dtype": value.dtype, "shape": list(value.shape), "lo": value.lo, "hi": value.hi}
            return {**row, "nan": nans} if (nans := _nans(value)) else row
        case Tensor():
            return {"dtype": value.dtype, "shape": list(value.shape), "elements": elements(value)}
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
            return f"{value.dtype}[{', '.join(map(str, value.shape))}] {spelled(value, value.tolist())}"
        case Tensor() if value.core.numerics.name in ENCLOSING:
            low, high = spelled(value, value.lo), spelled(value, value.hi)
            beside = _nans(value, alone=False)
            places = f" at {', '.join(map(str, beside))}" if value.shape else ""
            nans = f" or nan{places}" if beside else ""
            return f"{value.dtype}[{', '.join(map(str, value.shape))}] from {low} to {high}{nans}"
        case Tensor():
            return f"{value.dtype}[{', '.join(map(str, value.shape))}] [{', '.join(elements(value))}]"
        case tuple():
            return "(" + ", ".join(value_text(each) for each in value) + ("," if len(value) == 1 else "") + ")"
        case Shape(dims):
            return f"R.shape({list(dims)})"
        case Opaque(value=inside):
            return str(inside)
        case _:
            return str(value) if not isinstance(value, str) else repr(value)


def _nans(value: Tensor, alone: bool = True) -> list[list[int]]:
    """Where NaN is permitted in a tensor of sets, beside numbers or (``alone``) by itself."""
    rows = zip(value.core.indices(), value.core.payloads(), strict=True)
    return [
        list(at)
        for at, payload in rows
        if permits_nan(payload, value.dtype) and (alone or bounds(payload, value.dtype)[0] is not None)
    ]


def reading(options: argparse.Namespace, module: Module, given: list[Any]) -> tuple[str | Symbolic, list[Any]]:
    """The reading of ``--numerics``, and the arguments: of ``symbolic`` floats of ``--random`` are unknowns."""
    if options.numerics != "symbolic" or options.random is None:
        return options.numerics or "ieee", given
    terms = Symbolic()
    return terms, unknowns(given, module, options.entry, terms)


def unknowns(args: Sequence[Any], module: Module, entry: str, terms: Symbolic) -> list[Any]:
    """Arguments of the same shapes whose floats are unknown: ``x[0, 1]`` stands for that element of ``x``."""
    from refrelax.testing.arguments import parameters

    names = [name for name, _ in parameters(module, entry)]
    return [_unknown(arg, name, terms) for name, arg in zip(names, args, strict=False)]


def _unknown(arg: Any, name: str, terms: Symbolic) -> Any:
    if isinstance(arg, tuple):
        return tuple(_unknown(each, f"{name}.{k}", terms) for k, each in enumerate(arg))
    if not isinstance(arg, Tensor) or not dtypes.is_float(arg.dtype):
        return arg
    places = product(*map(range, arg.shape))
    cells = [terms.variable(f"{name}[{', '.join(map(str, at))}]", arg.dtype) for at in places]
    return Tensor(from_payloads(terms, arg.dtype, arg.shape, cells))


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
