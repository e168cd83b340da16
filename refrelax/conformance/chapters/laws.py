"""Laws of integers that chapters 06, 06b and 06c write as "`a` is `b`": both sides have the same value at every point.

Spec: ``spec/06-shapes.md``.
"""

from __future__ import annotations

import random
import re
from collections.abc import Callable, Iterator, Mapping

from refrelax.conformance.chapters.held import chapter, held, holds
from refrelax.errors import Rejection
from refrelax.shape_solver.evaluate import TooLarge, Undefined, compiled
from refrelax.shape_solver.parse import parse_dim

CHAPTERS = ("06-shapes.md", "06b-solver.md", "06c-pointwise.md")
POINTS = 200
_LAW = re.compile(r"`([^`\n]+)`(?:, and `[^`\n]+`,)? is `([^`\n]+)`")
_NAME = re.compile(r"\b[a-z]\b")

Point = Mapping[str, int]

NAMING = frozenset(
    {"h", "p", "u", "w", "max", "x + y", "a // b is q", "a % b is r", "a // b is q + r // b", "a % b is r % b"}
)
"""What a sentence gives a name to, or decomposes by names that it gave: nothing that holds by itself."""

CONDITIONS: dict[str, Callable[[Point], bool]] = {
    "x % (1 << j) % (1 << k)": lambda p: p["k"] <= p["j"],
    "1 << j & (1 << k) - 1": lambda p: p["j"] < p["k"],
    "1 << j & 1 << k": lambda p: p["j"] == p["k"],
    "(2**n*a + c) & (2**n*b + d)": lambda p: 0 <= p["c"] < 2 ** p["n"] and 0 <= p["d"] < 2 ** p["n"],
    "a % (g*h)": lambda p: p["g"] > 0 and p["h"] > 0,
}
"""Where a law holds, which its sentence says."""
OTHER = frozenset({"-a & -b", "a & (w - 1)", "a & w"})
"""Laws over a name that the sentence gives before: of bits below a power `w`, of operands that are powers."""


def laws() -> Iterator[tuple[str, str, str]]:
    """The chapter and both sides of every sentence that has the form of a law, and can be read so."""
    for name in CHAPTERS:
        for left, right in _LAW.findall(re.sub(r"```.*?```", "", chapter(name), flags=re.DOTALL)):
            try:
                parse_dim(left), parse_dim(right)
            except Rejection:
                continue
            if left not in NAMING | OTHER and f"{left} is {right}" not in NAMING:
                yield name, left, right


@held("06-shapes.md")
def laws_hold_at_every_point() -> None:
    seen = set()
    for name, left, right in laws():
        holds(agree(left, right), f"{name}: `{left}` is `{right}`")
        seen.add(name)
    holds(seen == {*CHAPTERS}, "a law in each of the chapters")


def agree(left: str, right: str) -> bool:
    """Whether both sides are the same wherever both have a value, which they have somewhere."""
    draw = random.Random(f"{left} is {right}")
    one, other = compiled(parse_dim(left)), compiled(parse_dim(right))
    condition = CONDITIONS.get(left)
    names = sorted({*_NAME.findall(left), *_NAME.findall(right)})
    compared = 0
    for _ in range(POINTS):
        point = {each: draw.randint(-6, 6) for each in names}
        try:
            if condition is not None and not condition(point):
                continue
            if one(point) != other(point):
                return False
        except (Undefined, TooLarge):
            continue
        compared += 1
    return compared > 0
