# ruff: noqa: E501 (programs of a line)
"""What chapter 09 says of a rejection or an end is what a program of each kind comes to.

Spec: ``spec/09-outcomes.md``; the classes of ``spec/06b-solver.md``.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

import refrelax as rr
from refrelax.conformance import cases
from refrelax.conformance.chapters.held import chapter, code, held, holds, over, same, says, table
from refrelax.conformance.chapters.rows import kinds
from refrelax.errors import Rejection
from refrelax.shape_solver import classes

HEAD = "@I.ir_module\nclass Module:\n"
TEXT = (
    HEAD + '    @R.function\n    def main(x: R.Tensor((2,), "float32")):\n        y = {value}\n        return {name}\n'
)
LOOP = HEAD + '    @T.prim_func(private=True)\n    def main(A: T.Buffer((2,), "int32")):\n        A[{at}] = {value}\n'


def linked() -> object:
    text = (
        HEAD
        + "    @R.function\n    def main(x: R.Any) -> R.Any:\n        y = R.call_pure_packed('none', x, ty_args=R.Any)\n        return y\n"
    )
    return rr.run(rr.check(rr.parse(text)), "main", 1)


def stored(at: str, value: str = "T.int32(1)", **options: Any) -> object:
    module = rr.check(rr.parse(LOOP.format(at=at, value=value)))
    return rr.run(module, "main", rr.Tensor.of([1, 2], "int32"), **options)


REJECTED: dict[str, Callable[[], object]] = {
    "the text is not in the language": lambda: rr.parse(TEXT.format(value="x +", name="y")),
    "a structural condition is broken": lambda: rr.check(
        rr.parse(TEXT.format(value="x", name="y").replace("y =", "x ="))
    ),
    "deduction finds a contradiction": lambda: rr.check(
        rr.parse(TEXT.format(value="R.matmul(x, R.shape([2]))", name="y"))
    ),
    "something from outside is missing": linked,
}
"""A module that is rejected, by the words of the table."""
ENDED: dict[str, Callable[[], object]] = {
    "the function gave a value": lambda: stored("0"),
    "a check that the language promises failed": lambda: rr.run(
        rr.check(rr.parse(TEXT.format(value="x", name="y"))), "main", rr.Tensor.of([1.0], "float32")
    ),
    "a budget of the tool ran out": lambda: stored(
        "0", "T.int32(1)\n        for i in range(9):\n            A[1] = i", budget=rr.Budget(steps=1)
    ),
    "the language leaves the whole run open from here": lambda: stored("2"),
}
"""A run that ends so, by the words of the table."""


@held("09-outcomes.md")
@over(lambda: [tuple(row) for row in table("09-outcomes.md", "| class | when | chapter |")])
def a_rejection_is_of_its_chapter(name: str, when: str, number: str) -> None:
    """The words of two rejections, one for the other, and `chapter 43`, went by unseen."""
    holds(when in REJECTED, f"{when!r} is no word of the table")
    try:
        REJECTED[when]()
    except Rejection as end:
        same(type(end).__name__, name.strip("`"), when)
    else:
        holds(False, f"{when} is rejected")
    if number == "here":
        same(set(kinds("09-outcomes.md")) & {*cases.REJECTIONS}, {name.strip("`")})
        return
    (page,) = {"03": ["03-syntax.md"], "04": ["04-well-formedness.md"], "05": ["05-types.md"]}.get(number, [""])
    holds(page, f"{number} is a chapter of rejections")
    most = next(kind for kind, _ in kinds(page).most_common() if kind in cases.REJECTIONS)
    same(most, name.strip("`"), number)


@held("09-outcomes.md")
@over(lambda: [tuple(row) for row in table("09-outcomes.md", "| end | meaning |")])
def an_end_is_what_the_table_says(end: str, meaning: str) -> None:
    (run,) = [each for words, each in ENDED.items() if meaning.startswith(words)]
    same(type(run()).__name__, end.strip("`").partition("(")[0], meaning)


@held("09-outcomes.md")
def the_ends_are_as_many_as_is_said() -> None:
    count = {3: "three", 4: "four"}[len(table("09-outcomes.md", "| end | meaning |"))]
    says(chapter("09-outcomes.md"), f"A run *ends* in one of {count} ways")
    kinds_of_openness = len(re.findall(r"^\d\. \*", chapter("09-outcomes.md"), re.MULTILINE))
    says(chapter("09-outcomes.md"), f"is one of { {3: 'three'}.get(kinds_of_openness, '?') } kinds, never mixed")


# --- 06b: classes and what keeps a question out of them

REASONS: dict[str, tuple[str, int]] = {
    "a product of two operands that are no numbers, one not within {} bits": ("product", classes.SHORT),
    "a divisor that is no number, it or what it divides not within {} bits": ("division", classes.SHORT),
    "a shift by a count that is no number, or past {}": ("exponent", classes.MAX_COUNT),
    "`& \\| ^` of two operands that are no numbers, one not within {} bits": ("bits", classes.WORD),
}
CLASSES = {
    "finite": "the bounds leave at most as many points as the effort looks at",
    "polynomial": "the claim is one `== < <= > >=` of integers; all integers of the question are made of symbols and "
    f"literals by `+ - *`; at most {classes.POLYNOMIAL_SYMBOLS} symbols; the claim's sides have a degree of at most "
    f"{classes.POLYNOMIAL_DEGREE} as they are written",
    "words": "a product of two, or `& \\| ^` of two, that are no literals",
    "powers": "a conversion, a shift or a bit operator",
    "linear": "any other: ",
}
"""How the row of a class begins."""


@held("06b-solver.md")
def the_classes_and_the_reasons() -> None:
    """The names of two classes, one for the other, went by unseen."""
    rows = {row[0].strip("`"): row[1] for row in table("06b-solver.md", "| class | questions |")}
    same([*rows], [*classes.INSIDE])
    for name, start in CLASSES.items():
        holds(rows[name].startswith(start), name)
    reasons = table("06b-solver.md", "| reason | what keeps")
    same([name for row in reasons for name in code(row[0])], [*classes.OUTSIDE])
    for said, (name, limit) in REASONS.items():
        same({row[0].strip("`"): row[1] for row in reasons}[name], said.format(limit), name)
    three = (
        f"a literal past `2**{classes.MAX_CONSTANT.bit_length() - 1}` in magnitude, more than {classes.MAX_SYMBOLS} "
        f"symbols, more than {classes.MAX_ATOMS} comparisons"
    )
    same(next(row[1] for row in reasons if row[0].startswith("`constant`")), three)
