"""Cases of one operation each, on the ends of its dtypes: ``refrelax/conformance/cases/elements.toml``.

    .venv/bin/python tools/make_element_cases.py

A program that does many things at once tells nothing of an implementation that lacks one of them. Here every operation
on elements stands alone, as an operator and in a loop, for the dtypes that everybody has, for words of other widths and
for narrow floats apart. What is expected is what the definition says; that the file is that is tested.
"""

from __future__ import annotations

import json
import re
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import refrelax as rr
from refrelax.conformance import data
from refrelax.conformance.cases import _from_row
from refrelax.conformance.run import run_case
from refrelax.errors import Returned

PAGE = Path(__file__).resolve().parents[1] / "refrelax" / "conformance" / "cases" / "elements.toml"

Tensors = list[tuple[str, list[Any]]]
"""Dtypes with elements."""

GROUPS = {
    "common": ("float32", "int32"),
    "truths": ("bool",),
    "words": ("int8", "uint8", "int64", "uint64"),
    "narrow": ("float16", "bfloat16"),
}  # fmt: skip
"""Dtypes that one case may have together."""

ENDS: dict[str, list[Any]] = {
    "float32": [0.0, -0.0, 1.5, -2.5, 7.0, 2.0**-149, -(2.0**-126), 2.0**128 - 2.0**104, "inf", "-inf", "nan"],
    "float64": [0.0, -0.0, 2.5, -2.5, 3.5, 2.0**-1074, 2.0**53 + 2, -(2.0**31) - 0.5, 1.0 + 2.0**-24, "inf", "nan"],
    "float16": [0.0, -0.0, 1.5, -2.5, 7.0, 2.0**-24, -(2.0**-14), 65504.0, "inf", "-inf", "nan"],
    "bfloat16": [0.0, -0.0, 1.5, -2.5, 7.0, 2.0**-133, -(2.0**-126), 2.0**128 - 2.0**120, "inf", "-inf", "nan"],
    "int8": [0, 1, -1, 2, 7, -7, 127, -128],
    "uint8": [0, 1, 2, 7, 128, 200, 255],
    "int32": [0, 1, -1, 7, -7, 2**24 + 1, 2**31 - 1, -(2**31)],
    "int64": [0, 1, -1, 7, -7, 2**53 + 1, 2**63 - 1, -(2**63)],
    "uint64": [0, 1, 7, 2**53 + 1, 2**63, 2**64 - 1],
    "bool": [0, 1],
}  # fmt: skip
"""Elements of each dtype: zeros, both signs, the greatest, the least, what another format does not hold."""

RIGHT: dict[str, list[Any]] = {
    **{each: [-0.0, -2.5, 7.0, *ENDS[each][5:8:2], "-inf", "nan"] for each in ("float32", "float16", "bfloat16")},
    "int8": [0, -1, 2, 7, 127, -128], "uint8": [0, 1, 7, 128, 255], "int32": [0, -1, 7, 2**31 - 1, -(2**31)],
    "int64": [0, -1, 7, 2**63 - 1, -(2**63)], "uint64": [0, 1, 7, 2**63, 2**64 - 1], "bool": [0, 1],
}  # fmt: skip
"""Right operands: fewer, since every pair is computed."""

NUMBERS, FLOATS, INTEGERS, WHOLE = ("float", "int", "uint"), ("float",), ("int", "uint"), ("int", "uint", "bool")
ALL = (*NUMBERS, "bool")

UNARY: dict[str, tuple[str, ...]] = {
    "abs": ALL, "negative": ALL, "sign": ALL, "square": ALL, "floor": ALL, "ceil": ALL, "round": ALL, "trunc": ALL,
    "isnan": ALL, "isinf": ALL, "isfinite": ALL, "logical_not": ALL, "bitwise_not": WHOLE,
    **dict.fromkeys(("exp", "log", "sqrt", "rsqrt", "sigmoid", "erf", "sin", "cos", "tan", "sinh", "cosh", "tanh",
                     "asin", "acos", "atan", "asinh", "acosh", "atanh"), FLOATS),
}  # fmt: skip
"""Operators of one operand, and the kinds of dtypes that they have."""

BINARY: dict[str, tuple[str, ...]] = {
    **dict.fromkeys(("add", "subtract", "multiply", "maximum", "minimum"), ALL),
    **dict.fromkeys(("equal", "not_equal", "less", "less_equal", "greater", "greater_equal"), ALL),
    **dict.fromkeys(("logical_and", "logical_or", "logical_xor"), ALL),
    **dict.fromkeys(("divide", "floor_divide", "mod", "floor_mod"), NUMBERS),
    **dict.fromkeys(("bitwise_and", "bitwise_or", "bitwise_xor"), WHOLE),
    **dict.fromkeys(("left_shift", "right_shift"), INTEGERS), "power": ALL, "atan2": FLOATS,
}  # fmt: skip

SCALAR_BINARY: dict[str, tuple[str, tuple[str, ...]]] = {
    "add": ("{} + {}", NUMBERS), "subtract": ("{} - {}", NUMBERS), "multiply": ("{} * {}", NUMBERS),
    "min": ("T.min({}, {})", NUMBERS), "max": ("T.max({}, {})", NUMBERS), "div": ("{} / {}", FLOATS),
    "truncdiv": ("T.truncdiv({}, {})", INTEGERS), "truncmod": ("T.truncmod({}, {})", INTEGERS),
    "floordiv": ("{} // {}", INTEGERS), "floormod": ("{} % {}", INTEGERS),
    "equal": ("{} == {}", NUMBERS), "not-equal": ("{} != {}", NUMBERS), "less": ("{} < {}", NUMBERS),
    "less-equal": ("{} <= {}", NUMBERS), "greater": ("{} > {}", NUMBERS), "greater-equal": ("{} >= {}", NUMBERS),
    "and": ("T.And({}, {})", ("bool",)), "or": ("T.Or({}, {})", ("bool",)),
    "bitwise-and": ("T.bitwise_and({}, {})", INTEGERS), "bitwise-or": ("T.bitwise_or({}, {})", INTEGERS),
    "bitwise-xor": ("T.bitwise_xor({}, {})", INTEGERS), "shift-left": ("T.shift_left({}, {})", INTEGERS),
    "shift-right": ("T.shift_right({}, {})", INTEGERS), "pow": ("T.pow({}, {})", FLOATS),
    "fmod": ("T.fmod({}, {})", FLOATS), "copysign": ("T.copysign({}, {})", FLOATS),
    "nextafter": ("T.nextafter({}, {})", FLOATS), "hypot": ("T.hypot({}, {})", FLOATS),
    "atan2": ("T.atan2({}, {})", FLOATS),
    "select": ("T.Select({0} < {1}, {0}, {1})", NUMBERS),
    "if-then-else": ("T.if_then_else({0} < {1}, {0}, {1})", NUMBERS),
}  # fmt: skip
"""Scalar expressions of two operands."""

COMPARISONS = ("equal", "not-equal", "less", "less-equal", "greater", "greater-equal", "and", "or")

SCALAR_UNARY: dict[str, tuple[str, ...]] = {
    **dict.fromkeys(("abs", "floor", "ceil", "round", "trunc"), NUMBERS),
    **dict.fromkeys(("isnan", "isinf", "isfinite"), FLOATS), "bitwise_not": INTEGERS, "popcount": INTEGERS,
    **dict.fromkeys(("exp", "exp2", "exp10", "log", "log2", "log10", "log1p", "sqrt", "rsqrt", "tanh", "sigmoid", "erf",
                     "sin", "cos", "tan", "asin", "acos", "atan", "sinh", "cosh", "asinh", "acosh", "atanh",
                     "nearbyint"), FLOATS),
}  # fmt: skip

BEFORE_ZERO = ("divide", "floor_divide", "mod", "floor_mod", "truncdiv", "truncmod", "floordiv", "floormod")
"""What leaves a run open at an integer zero on the right (`num/int-division-by-zero`)."""


def kind(dtype: str) -> str:
    """``float``, ``int``, ``uint`` or ``bool``."""
    return dtype.rstrip("0123456789").removeprefix("b") if dtype.endswith("float16") else dtype.rstrip("0123456789")


def chosen(group: str, kinds: tuple[str, ...]) -> list[str]:
    """The dtypes of a group that have an operation."""
    return [each for each in GROUPS[group] if kind(each) in kinds]


def right(name: str, dtype: str) -> list[Any]:
    """The right operands."""
    if name in BEFORE_ZERO and kind(dtype) in INTEGERS:
        return [each for each in RIGHT[dtype] if each not in (0, -1)]
    if "shift" in name:
        return [0, 1, 7]
    return RIGHT[dtype]


# --- programs -------------------------------------------------------------------------------------------------------


def least_case(name: str, text: str | None) -> dict[str, Any]:
    """A division of the least integer by -1, which wraps: by an operator, or by a scalar expression."""
    column, row = [-(2**31), 7], [-1]
    args = [{"dtype": "int32", "shape": [2], "data": column}, {"dtype": "int32", "shape": [1], "data": row}]
    if text is None:
        head = '    def main(a: R.Tensor((2,), "int32"), b: R.Tensor((1,), "int32")):'
        lines = ["    @R.function", head, f"        return R.{name}(a, b)"]
        return case(f"{name.replace('_', '-')}-by-minus-one", "ty/operator", module_of(lines), args)
    head = '    def main(A: T.Buffer((2,), "int32"), B: T.Buffer((1,), "int32"), O: T.Buffer((2,), "int32")):'
    body = f"            O[i] = {text.format('A[i]', 'B[0]')}"
    lines = ["    @T.prim_func", head, "        for i in range(2):", body]
    return case(f"loop-{name}-by-minus-one", "ev/scalar-binary", module_of(lines), [*args, empty("int32", (2,))])


def module_of(lines: list[str]) -> str:
    """A module of one function."""
    return "\n".join(["@I.ir_module", "class Module:", *lines])


def operator_case(name: str, group: str, dtypes: list[str], arity: int) -> dict[str, Any]:
    """An operator, on a column and on a row of ends."""
    params, args, lines = [], list[Any](), list[str]()
    for k, dtype in enumerate(dtypes):
        column, row = ENDS[dtype], right(name, dtype)
        shape = (len(column), 1) if arity == 2 else (len(column),)
        given = [(f"a{k}", shape, column), (f"b{k}", (len(row),), row)][:arity]
        params += [f'{each}: R.Tensor({dims}, "{dtype}")' for each, dims, _ in given]
        args += [{"dtype": dtype, "shape": list(dims), "data": elements} for _, dims, elements in given]
        lines.append(f"        r{k} = R.{name}({', '.join(each for each, _, _ in given)})")
    head = f"    def main({', '.join(params)}):"
    result = f"        return ({', '.join(f'r{k}' for k in range(len(dtypes)))},)"
    module = "\n".join(["@I.ir_module", "class Module:", "    @R.function", head, *lines, result])
    return case(f"{name.replace('_', '-')}-of-{group}", "ty/operator", module, args)


def conversion_case(source: str, group: str, in_loop: bool) -> dict[str, Any]:
    """What a dtype is converted to."""
    targets, ends = [each for each in (*GROUPS[group], *EXTRA[group]) if each != source], ENDS[source]
    args: list[Any] = [{"dtype": source, "shape": [len(ends)], "data": ends}]
    if in_loop:
        lines = [f'            O{k}[i] = T.Cast("{dtype}", A[i])' for k, dtype in enumerate(targets)]
        module = kernel([(source, len(ends))], [(each, (len(ends),)) for each in targets], lines, f"range({len(ends)})")
        args += [empty(each, (len(ends),)) for each in targets]
        return case(f"loop-cast-of-{source}-to-{group}", "ev/scalar-cast", module, args)
    lines = [f'        r{k} = R.astype(x, "{dtype}")' for k, dtype in enumerate(targets)]
    head = f'    def main(x: R.Tensor(({len(ends)},), "{source}")):'
    result = f"        return ({', '.join(f'r{k}' for k in range(len(targets)))},)"
    module = "\n".join(["@I.ir_module", "class Module:", "    @R.function", head, *lines, result])
    return case(f"astype-of-{source}-to-{group}", "ty/operator", module, args)


EXTRA = {"common": ("int64",), "truths": (), "words": (), "narrow": ()}
"""Dtypes that are converted to beside those of a group."""

SOURCES = ("float32", "float64", "int32", "int8", "uint8", "int64", "uint64", "bool")


def scalar_case(name: str, group: str, dtypes: list[str], text: str, arity: int) -> dict[str, Any]:
    """A scalar expression in a loop, a kernel a dtype: all in one function, each over its own buffers."""
    inputs, outputs, lines, args = (
        list[tuple[str, int]](),
        list[tuple[str, tuple[int, ...]]](),
        list[str](),
        list[Any](),
    )
    truth = name in COMPARISONS or name.startswith("is")
    for k, dtype in enumerate(dtypes):
        column, row = ENDS[dtype], right(name, dtype)
        inputs += [(dtype, len(column)), (dtype, len(row))][:arity]
        dims = (len(column), len(row))[:arity]
        outputs.append(("bool" if truth else dtype, dims))
        a, b = ("A", "B") if len(dtypes) == 1 else (f"A{k}", f"B{k}")
        o = f"O{k}"
        if arity == 2:
            lines += [
                f"        for i, j in T.grid({dims[0]}, {dims[1]}):",
                f"            {o}[i, j] = {text.format(f'{a}[i]', f'{b}[j]')}",
            ]
        else:
            lines += [f"        for i in range({dims[0]}):", f"            {o}[i] = {text.format(f'{a}[i]')}"]
        args += [{"dtype": dtype, "shape": [len(each)], "data": each} for each in (column, row)[:arity]]
    names = [f"{letter}{'' if len(dtypes) == 1 else k}" for k in range(len(dtypes)) for letter in "AB"[:arity]]
    buffers = [f'{each}: T.Buffer(({size},), "{dtype}")' for each, (dtype, size) in zip(names, inputs, strict=True)]
    buffers += [f'O{k}: T.Buffer({dims}, "{dtype}")' for k, (dtype, dims) in enumerate(outputs)]
    head = f"    def main({', '.join(buffers)}):"
    module = "\n".join(["@I.ir_module", "class Module:", "    @T.prim_func", head, *lines])
    args += [empty(dtype, dims) for dtype, dims in outputs]
    return case(
        f"loop-{name.replace('_', '-')}-of-{group}", "ev/scalar-binary" if arity == 2 else "ev/intrinsic", module, args
    )


def kernel(
    inputs: list[tuple[str, int]], outputs: list[tuple[str, tuple[int, ...]]], lines: list[str], over: str
) -> str:
    """A loop function of one loop."""
    ((dtype, size),) = inputs
    buffers = [f'A: T.Buffer(({size},), "{dtype}")']
    buffers += [f'O{k}: T.Buffer({dims}, "{each}")' for k, (each, dims) in enumerate(outputs)]
    head = f"    def main({', '.join(buffers)}):"
    return "\n".join(["@I.ir_module", "class Module:", "    @T.prim_func", head, f"        for i in {over}:", *lines])


def empty(dtype: str, dims: tuple[int, ...]) -> dict[str, Any]:
    """Zeros for an output."""
    count = 1
    for each in dims:
        count *= each
    return {"dtype": dtype, "shape": list(dims), "data": [0] * count}


def programs() -> Iterator[dict[str, Any]]:
    """Every case."""
    for name, kinds in UNARY.items():
        yield from (
            operator_case(name, g, dtypes, 1)
            for g in GROUPS
            if (dtypes := chosen(g, kinds)) and (kinds != FLOATS or g == "common")
        )
    for name, kinds in BINARY.items():
        yield from (operator_case(name, g, dtypes, 2) for g in GROUPS if (dtypes := chosen(g, kinds)))
    yield from (least_case(name, None) for name in BEFORE_ZERO if name in BINARY)
    for source in SOURCES:
        yield from (conversion_case(source, g, False) for g in GROUPS if (source,) != GROUPS[g])
    for name, (text, kinds) in SCALAR_BINARY.items():
        yield from (scalar_case(name, g, dtypes, text, 2) for g in GROUPS if (dtypes := chosen(g, kinds)))
    for name, kinds in SCALAR_UNARY.items():
        text = f"T.{name}({{}})"
        yield from (
            scalar_case(name, g, dtypes, text, 1)
            for g in GROUPS
            if (dtypes := chosen(g, kinds)) and (kinds != FLOATS or g == "common")
        )
    yield from (least_case(name, SCALAR_BINARY[name][0]) for name in BEFORE_ZERO if name in SCALAR_BINARY)
    for source in SOURCES:
        yield from (conversion_case(source, g, True) for g in GROUPS if (source,) != GROUPS[g])


# --- the file -------------------------------------------------------------------------------------------------------


def case(name: str, rule: str, module: str, args: list[Any]) -> dict[str, Any]:
    """A row of the file: what the definition gives, and how many elements it says too little of."""
    row = {
        "name": f"elements/{name}", "rule": rule, "verdict": "accepts", "module": module + "\n", "entry": "main",
        "args": args, "expect": "Returned",
    }  # fmt: skip
    ended = rr.run(rr.check(rr.parse(module)), "main", *map(data.to_value, args))
    assert isinstance(ended, Returned), (name, ended)
    value = {} if ended.value is None else {"value": data.of_value(ended.value)}
    told = run_case(_from_row({**row, **value}, str(PAGE), {}), law=True)
    wide = re.search(r"too wide to tell, found (\d+)$", told.reason)
    assert told.passed or wide, (name, told.reason)
    return {**row, **({"wide": int(wide[1])} if wide else {}), **value}


def toml(value: Any) -> str:
    """A value in TOML."""
    match value:
        case bool() | int() | str():
            return json.dumps(value)
        case float():
            plain = value == value and abs(value) != float("inf")
            return repr(value) if plain else json.dumps(str(value))
        case dict():
            return "{ " + ", ".join(f"{key} = {toml(part)}" for key, part in value.items()) + " }"
        case _:
            return f"[{', '.join(map(toml, value))}]"


def written(row: dict[str, Any]) -> str:
    """A row in TOML."""
    lines = [f"{key} = {toml(row[key])}" for key in ("name", "rule", "verdict")]
    lines.append(f"module = '''\n{row['module']}'''")
    lines += [f"{key} = {toml(row[key])}" for key in ("entry", "args", "expect", "wide", "value") if key in row]
    return "\n".join(["[[case]]", *lines, ""])


HEAD = "# One operation each, on the ends of its dtypes. Made by tools/make_element_cases.py; do not edit.\n"


def page() -> str:
    """The whole file."""
    return "\n".join([HEAD, *map(written, programs())])


def main() -> int:
    """Writes the file."""
    PAGE.write_text(page(), encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
