"""What ``spec/ops/common.md`` says of a page is so: the words of formulas and their examples, blocks, changes."""

from __future__ import annotations

import ast
import json
import math
import re
from typing import Any

from refrelax.conformance.chapters.held import chapter, held, holds, over, same, says, spec
from refrelax.conformance.pages import check, typing
from refrelax.conformance.pages.corners import GREATEST, LEAST
from refrelax.conformance.pages.section import BLOCKS, SORTS
from refrelax.semantics.numbers import reading
from refrelax.semantics.numbers.bounds import PERMITTED_ULPS
from refrelax.semantics.numbers.interface import MATH
from refrelax.semantics.numbers.poison import Poison
from refrelax.semantics.numbers.real_steps import EXP_OF_DIFFERENCE
from refrelax.syntax.dtypes import is_dtype


def legend() -> list[list[str]]:
    return [
        [cell.strip().replace("\\|", "|") for cell in re.split(r"(?<!\\)\|", row)[1:-1]]
        for row in chapter("ops/common.md")
        .partition("| element | meaning | for example |\n")[2]
        .partition("\n\n")[0]
        .splitlines()[1:]
    ]


WORD = re.compile(r"(?<![\w.])([a-z_]\w*)\(")


def examples() -> list[tuple[str, str]]:
    return [found for row in legend() for found in re.findall(r"`([^`]+)` = `([^`]+)`", row[2])]


def at(dtype: str) -> Any:
    """The numbers of a dtype; asked for when a check runs, since what a case goes through is observed."""
    return reading("ieee").at(dtype)


def formulas() -> str:
    blocks = (
        found for path in (spec() / "ops").glob("*.md") for found in check._BLOCK.findall(path.read_text("utf-8"))
    )
    return "\n".join(
        text
        for name, block in blocks
        if name == "formula"
        for text in re.findall(r"```text\n(.*?)```", block, re.DOTALL)
    )


@held("ops/common.md")
def every_word_of_a_formula_is_in_the_legend() -> None:
    told = {word for row in legend() for word in WORD.findall(row[0] + row[1])}
    used = {word for word in WORD.findall(formulas()) if not is_dtype(word)}
    holds(used - told <= PERMITTED_ULPS.keys() & {*MATH, "atan2", "hypot", "power"})
    holds({word for word in told if not is_dtype(word)} <= used)


@held("ops/common.md")
def every_function_of_the_legend_has_an_example() -> None:
    words = {word for row in legend() for word in WORD.findall(row[0] + row[1])}
    shown = {word for text, _ in examples() for word in WORD.findall(text)} | {"float32"}
    same(words - shown, {"poison", "index", "with"})
    same(len(examples()), sum(row[2].count(" = ") for row in legend()))


@held("ops/common.md")
@over(
    lambda: [
        (r"dot\(\[[^\]]*, ", "`dot([a, b] * [c, d])`"),
        (r"\[[^\]]*\] for p < ", "`[e for p < N]`"),
        (r"with\(p = index\(.*\) \[op\.", "`with(p = index(e) [rule]: b)`"),
        (r"argmax\(.* if ", "among the items, of which there is one where `c` holds"),
    ]
)
def brackets_of_a_formula_are_in_the_legend(used: str, told: str) -> None:
    holds(re.search(used, formulas()), "no formula has this form any more")
    holds(told in "".join(cell for row in legend() for cell in row))


@held("ops/common.md")
@over(examples)
def an_example_of_the_legend(text: str, value: str) -> None:
    found, dtype = element(ast.parse(text.replace("|", ","), mode="eval").body)
    holds(not isinstance(found, Poison))
    wanted = {"nan": math.nan, "inf": math.inf, "True": True, "False": False}.get(value)
    if wanted is None:
        wanted = json.loads(value)
    home = at(dtype)
    same(home.to_bits(found), home.to_bits(home.lit(wanted)), (found, wanted))


Typed = tuple[Any, str]
INFIX = {ast.Add: "add", ast.Sub: "sub", ast.Mult: "mul", ast.Div: "div"}
FOLDS = {"sum": "add", "prod": "mul", "max": "maximum", "min": "minimum"}


def element(node: ast.expr) -> Typed:
    """An element of an example and its dtype, by the operations that definitions are evaluated with."""
    match node:
        case ast.Constant(value=bool(truth)):
            return at("bool").lit(truth), "bool"
        case ast.Constant(value=int(number)):
            return at("int32").lit(number), "int32"
        case ast.Constant(value=float(number)):
            return at("float32").lit(number), "float32"
        case ast.Name(id=("nan" | "inf") as name):
            return at("float32").lit(float(name)), "float32"
        case ast.UnaryOp(op=ast.USub(), operand=operand):
            a, dtype = element(operand)
            return at(dtype).neg(a), dtype
        case ast.BinOp(left=ast.Constant(value=1), op=ast.Div(), right=ast.Constant(value=2)):
            return at("float32").lit(0.5), "float32"
        case ast.BinOp(left=left, op=op, right=right):
            (a, dtype), (b, _) = element(left), element(right)
            return getattr(at(dtype), INFIX[type(op)])(a, b), dtype
        case ast.Compare(left=left, ops=[ast.Eq()], comparators=[right]):
            (a, dtype), (b, _) = element(left), element(right)
            return at(dtype).equal(a, b), "bool"
        case ast.IfExp(test=ast.Constant(value=bool(truth)), body=body, orelse=other):
            return element(body if truth else other)
        case ast.IfExp(test=ast.Compare(left=left, ops=[ast.Lt()], comparators=[right]), body=body, orelse=other):
            (a, dtype), (b, _) = element(left), element(right)
            return element(body if at(dtype).less(a, b) is True else other)
        case ast.Call(func=ast.Name(id=name), args=args):
            return called(name, args)
    raise AssertionError(ast.dump(node))


def called(name: str, nodes: list[ast.expr]) -> Typed:
    if name == "dot":
        pairs = [(element(each.left), element(each.right)) for each in nodes if isinstance(each, ast.BinOp)]
        return at("float32").dot([a for (a, _), _ in pairs], [b for _, (b, _) in pairs], "float32"), "float32"
    given = [element(each) for each in nodes]
    args, dtype = [a for a, _ in given], given[-1][1]
    home = at(dtype)
    if is_dtype(name):
        return at(name).cast(args[0], dtype), name
    if name in FOLDS:
        return home.reduce(FOLDS[name], args), dtype
    match name:
        case "argmax" | "argmin":
            return home.argreduce("maximum" if name == "argmax" else "minimum", args), "int64"
        case "last":
            return args[-1], dtype
        case "either":
            return home.either(*(lambda a=a: a for a in args)), dtype
        case "rounded_once_exp":
            return home.ideal(EXP_OF_DIFFERENCE, *args), dtype
        case "isnan" | "isinf" | "isfinite":
            return getattr(home, name)(*args), "bool"
        case _ if name in MATH:
            return home.math(name)(*args), dtype
        case _:
            return getattr(home, name)(*args), dtype


# --- how a page reads


@held("ops/common.md")
def the_blocks_stand_in_the_order_that_is_told() -> None:
    listed = chapter("ops/common.md").partition("A section has, in order:\n")[2].partition("\n### ")[0]
    words = (
        "*Semantics*",
        "the table of operands",
        "*Output*",
        "*Permitted results*",
        "the formula",
        "corner cases",
        "the example",
    )
    same(
        [line.startswith(f"* {word}") for line, word in zip(re.findall(r"^\* .*", listed, re.M), words, strict=True)],
        [True] * 7,
    )
    same(BLOCKS, ("meaning", "operands", "type", "facts", "formula", "corners"))


@held("ops/common.md")
def the_sorts_of_operands_are_told() -> None:
    told = chapter("ops/common.md").partition("* the table of operands")[2].partition("* *Output*")[0]
    for word in ("expression", "scalar", "shape", "tuple", "integers", "number"):
        says(told, f"*{word}*")
        holds(word in {*SORTS.values(), "number"})


@held("ops/common.md")
def the_changes_of_an_argument_are_told() -> None:
    """``typing._others`` tries what the page lists, in its order."""
    told = chapter("ops/common.md").partition("and the rule that refuses it: ")[2].partition(". A change")[0]
    tried = [what for what, _ in typing._others("x", "2, 3", "float32")]
    spelled = [text for _, text in typing._others("x", "2, 3", "float32")]
    words = re.findall(r"`(\w+)`", told)
    same(tried, [*(f"`x` of {word}" for word in words), "`x` with one axis more", "`x` with one axis less"])
    says(told, "to a shape with one axis of\n  extent 1 before the others, to one without the first axis")
    says(spelled[-2], "((1, 2, 3, )")
    says(spelled[-1], "((3, )")
    same([what for what, _ in typing.LESS], ["no dtypes", "no extents", "no ranks", "nothing"])
    says(chapter("ops/common.md"), "its dtype not, its rank but no extent, its dtype but no rank, nothing")


@held("ops/common.md")
def the_greatest_and_the_least() -> None:
    says(chapter("ops/common.md"), "`greatest` and `least` are the greatest finite and the least positive\n  `float32`")
    home = at("float32")
    same((home.to_bits(GREATEST), home.to_bits(LEAST)), (0x7F7FFFFF, 1))
