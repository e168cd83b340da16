"""What ``spec/ops/common.md`` says of a page is so: the words of formulas and their examples, blocks, changes."""

from __future__ import annotations

import ast
import json
import math
import re
from pathlib import Path
from typing import Any

import pytest

from refrelax.conformance.pages import check, typing
from refrelax.conformance.pages.corners import GREATEST, LEAST
from refrelax.conformance.pages.section import BLOCKS, SORTS
from refrelax.semantics.numbers import reading
from refrelax.semantics.numbers.bounds import PERMITTED_ULPS
from refrelax.semantics.numbers.interface import MATH
from refrelax.semantics.numbers.poison import Poison
from refrelax.semantics.numbers.real_steps import EXP_OF_DIFFERENCE
from refrelax.syntax.dtypes import is_dtype

OPS = Path(__file__).resolve().parents[2] / "spec" / "ops"
COMMON = (OPS / "common.md").read_text("utf-8")
LEGEND = [
    [cell.strip().replace("\\|", "|") for cell in re.split(r"(?<!\\)\|", row)[1:-1]]
    for row in COMMON.partition("| element | meaning | for example |\n")[2].partition("\n\n")[0].splitlines()[1:]
]
WORD = re.compile(r"(?<![\w.])([a-z_]\w*)\(")
EXAMPLES = [found for row in LEGEND for found in re.findall(r"`([^`]+)` = `([^`]+)`", row[2])]
IEEE = reading("ieee")


def formulas() -> str:
    blocks = (found for path in OPS.glob("*.md") for found in check._BLOCK.findall(path.read_text("utf-8")))
    return "\n".join(
        text
        for name, block in blocks
        if name == "formula"
        for text in re.findall(r"```text\n(.*?)```", block, re.DOTALL)
    )


def test_every_word_of_a_formula_is_in_the_legend() -> None:
    told = {word for row in LEGEND for word in WORD.findall(row[0] + row[1])}
    used = {word for word in WORD.findall(formulas()) if not is_dtype(word)}
    assert used - told <= PERMITTED_ULPS.keys() & {*MATH, "atan2", "hypot", "power"}
    assert {word for word in told if not is_dtype(word)} <= used


def test_every_function_of_the_legend_has_an_example() -> None:
    words = {word for row in LEGEND for word in WORD.findall(row[0] + row[1])}
    shown = {word for text, _ in EXAMPLES for word in WORD.findall(text)} | {"float32"}
    assert words - shown == {"poison", "index", "with"}
    assert len(EXAMPLES) == sum(row[2].count(" = ") for row in LEGEND)


@pytest.mark.parametrize(
    ("used", "told"),
    [
        (r"dot\(\[[^\]]*, ", "`dot([a, b] * [c, d])`"),
        (r"\[[^\]]*\] for p < ", "`[e for p < N]`"),
        (r"with\(p = index\(.*\) \[op\.", "`with(p = index(e) [rule]: b)`"),
        (r"argmax\(.* if ", "among the items, of which there is one where `c` holds"),
    ],
)
def test_brackets_of_a_formula_are_in_the_legend(used: str, told: str) -> None:
    assert re.search(used, formulas()), "no formula has this form any more"
    assert told in "".join(cell for row in LEGEND for cell in row)


@pytest.mark.parametrize(("text", "value"), EXAMPLES)
def test_an_example_of_the_legend(text: str, value: str) -> None:
    found, dtype = element(ast.parse(text.replace("|", ","), mode="eval").body)
    assert not isinstance(found, Poison)
    wanted = {"nan": math.nan, "inf": math.inf, "True": True, "False": False}.get(value)
    if wanted is None:
        wanted = json.loads(value)
    home = IEEE.at(dtype)
    assert home.to_bits(found) == home.to_bits(home.lit(wanted)), (found, wanted)


Typed = tuple[Any, str]
INFIX = {ast.Add: "add", ast.Sub: "sub", ast.Mult: "mul", ast.Div: "div"}
FOLDS = {"sum": "add", "prod": "mul", "max": "maximum", "min": "minimum"}


def element(node: ast.expr) -> Typed:
    """An element of an example and its dtype, by the operations that definitions are evaluated with."""
    match node:
        case ast.Constant(value=bool(truth)):
            return IEEE.at("bool").lit(truth), "bool"
        case ast.Constant(value=int(number)):
            return IEEE.at("int32").lit(number), "int32"
        case ast.Constant(value=float(number)):
            return IEEE.at("float32").lit(number), "float32"
        case ast.Name(id=("nan" | "inf") as name):
            return IEEE.at("float32").lit(float(name)), "float32"
        case ast.UnaryOp(op=ast.USub(), operand=operand):
            a, dtype = element(operand)
            return IEEE.at(dtype).neg(a), dtype
        case ast.BinOp(left=ast.Constant(value=1), op=ast.Div(), right=ast.Constant(value=2)):
            return IEEE.at("float32").lit(0.5), "float32"
        case ast.BinOp(left=left, op=op, right=right):
            (a, dtype), (b, _) = element(left), element(right)
            return getattr(IEEE.at(dtype), INFIX[type(op)])(a, b), dtype
        case ast.Compare(left=left, ops=[ast.Eq()], comparators=[right]):
            (a, dtype), (b, _) = element(left), element(right)
            return IEEE.at(dtype).equal(a, b), "bool"
        case ast.IfExp(test=test, body=body, orelse=other):
            return element(body if eval(compile(ast.Expression(test), "", "eval")) else other)
        case ast.Call(func=ast.Name(id=name), args=args):
            return called(name, args)
    raise AssertionError(ast.dump(node))


def called(name: str, nodes: list[ast.expr]) -> Typed:
    if name == "dot":
        pairs = [(element(each.left), element(each.right)) for each in nodes if isinstance(each, ast.BinOp)]
        return IEEE.at("float32").dot([a for (a, _), _ in pairs], [b for _, (b, _) in pairs], "float32"), "float32"
    given = [element(each) for each in nodes]
    args, dtype = [a for a, _ in given], given[-1][1]
    home = IEEE.at(dtype)
    if is_dtype(name):
        return IEEE.at(name).cast(args[0], dtype), name
    if name in FOLDS:
        return home.reduce(FOLDS[name], args), dtype  # type: ignore[arg-type]
    match name:
        case "argmax" | "argmin":
            return home.argreduce("maximum" if name == "argmax" else "minimum", args), "int64"
        case "last":
            return args[-1], dtype
        case "either":
            return home.either(*(lambda a=a: a for a in args)), dtype  # type: ignore[misc]
        case "rounded_once_exp":
            return home.ideal(EXP_OF_DIFFERENCE, *args), dtype
        case "isnan" | "isinf" | "isfinite":
            return getattr(home, name)(*args), "bool"
        case _ if name in MATH:
            return home.math(name)(*args), dtype
        case _:
            return getattr(home, name)(*args), dtype


# --- how a page reads


def test_the_blocks_stand_in_the_order_that_is_told() -> None:
    listed = COMMON.partition("A section has, in order:\n")[2].partition("\n### ")[0]
    words = (
        "*Semantics*",
        "the table of operands",
        "*Output*",
        "*Permitted results*",
        "the formula",
        "corner cases",
        "the example",
    )
    assert [
        line.startswith(f"* {word}") for line, word in zip(re.findall(r"^\* .*", listed, re.M), words, strict=True)
    ] == [True] * 7
    assert BLOCKS == ("meaning", "operands", "type", "facts", "formula", "corners")


def test_the_sorts_of_operands_are_told() -> None:
    told = COMMON.partition("* the table of operands")[2].partition("* *Output*")[0]
    for word in ("expression", "scalar", "shape", "tuple", "integers", "number"):
        assert f"*{word}*" in told and word in {*SORTS.values(), "number"}


def test_the_changes_of_an_argument_are_told() -> None:
    """``typing._others`` tries what the page lists, in its order."""
    told = COMMON.partition("and the rule that refuses it: ")[2].partition(". A change")[0]
    tried = [what for what, _ in typing._others("x", "2, 3", "float32")]
    spelled = [text for _, text in typing._others("x", "2, 3", "float32")]
    words = re.findall(r"`(\w+)`", told)
    assert tried == [*(f"`x` of {word}" for word in words), "`x` with one axis more", "`x` with one axis less"]
    assert "to a shape with one axis of\n  extent 1 before the others, to one without the first axis" in told
    assert "((1, 2, 3, )" in spelled[-2] and "((3, )" in spelled[-1]
    assert [what for what, _ in typing.LESS] == ["no dtypes", "no extents", "no ranks", "nothing"]
    assert "its dtype not, its rank but no extent, its dtype but no rank, nothing" in COMMON


def test_the_greatest_and_the_least() -> None:
    assert "`greatest` and `least` are the greatest finite and the least positive\n  `float32`" in COMMON
    home = IEEE.at("float32")
    assert (home.to_bits(GREATEST), home.to_bits(LEAST)) == (0x7F7FFFFF, 1)
