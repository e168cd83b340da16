"""The tables of chapter 06d that are kept by hand: each row is computed at points, beside what the checker takes.

Spec: ``spec/06d-proof-logs.md``.
"""

from __future__ import annotations

import random
import re
from collections.abc import Callable, Mapping
from itertools import product

from refrelax.conformance.chapters.held import code, held, holds, over, same, table
from refrelax.conformance.chapters.laws import agree
from refrelax.shape_solver.checker import schemas
from refrelax.shape_solver.checker.schemas import NUMBERED, Zero
from refrelax.shape_solver.evaluate import compiled
from refrelax.shape_solver.parse import parse_dim

PAGE = "06d-proof-logs.md"
Point = Mapping[str, int]

# --- axioms with a number

NUMBERS = (0, 1, 3)
VALUES = range(-3, 4)
DRAWS = 10


def polynomials(cell: str, number: int) -> list[tuple[str, bool]]:
    """The polynomials of a cell, and whether each is an equation."""
    facts = [each for text in code(cell) for each in text.split("; ")]
    found = [re.fullmatch(r"(.*) (>=|==) 0", each) for each in facts]
    holds(all(found), cell)
    return [(re.sub(r"\bn\b", f"{number}", each[1]), each[2] == "==") for each in found if each is not None]


def value(text: str, point: Point) -> int:
    return int(compiled(parse_dim(text))(point))


@held(PAGE)
@over(lambda: [tuple(row) for row in table(PAGE, "| rule | atoms | `n` | premises | gives |")])
def an_axiom_with_a_number_is_the_checkers(rule: str, atoms: str, limit: str, premises: str, gives: str) -> None:
    """The names of two axioms, one for the other, went by unseen."""
    count, below, made = NUMBERED[rule.strip("`")]
    listed = re.findall(r"(\w+) = (\w+)\(([^)]*)\)", atoms)
    same([kind for _, kind, _ in listed], [made(0).kind] * count, rule)
    if "…" in atoms:
        same((rule, limit), ("`min/low`", "below the number of operands"))
        same(gives, "`an - v >= 0`")
        same([made(k).gives(7, 10, 20, 30) for k in range(3)], [3, 13, 23])
        return
    same(limit, f"0 to {below - 1}", rule)
    names = [name for name, _, _ in listed] + [each for _, _, own in listed for each in own.split(", ")]
    draw = random.Random(rule)
    for number in NUMBERS:
        axiom = made(number)
        for _ in range(DRAWS):
            values = [draw.choice(VALUES) for _ in names]
            point = dict(zip(names, values, strict=True))
            same([value(text, point) for text, _ in polynomials(premises, number)], [*axiom.needs(*values)], rule)
            found = axiom.gives(*values)
            ((text, equation),) = polynomials(gives, number)
            same(equation, isinstance(found, Zero), rule)
            same(value(text, point), found.p if isinstance(found, Zero) else found, rule)


MIXED: dict[str, tuple[list[str], str]] = {
    schemas.MASK: (["and"], "a & b"),
    schemas.POWER: (["and", "p2", "fd"], "a & (1 << k) - 1"),
    schemas.BIT: (["and", "p2", "fd", "fd"], "a & 1 << k"),
}
"""The kinds of the atoms of a rule, and its first atom."""


@held(PAGE)
@over(lambda: [tuple(row) for row in table(PAGE, "And these are about atoms of several kinds:")])
def an_axiom_of_several_kinds_holds(rule: str, atoms: str, premises: str, gives: str) -> None:
    kinds, first = MIXED[rule.strip("`")]
    listed = re.findall(r"(\w) = (\w+)\((\w), ([^)]*)\)|(\w) = (p2)\((\w)\)", atoms)
    same([kind or power for _, kind, _, _, _, power, _ in listed], kinds, rule)
    if rule == f"`{schemas.MASK}`":
        same(gives, "`v - r == 0`, where `r` is what reading makes of `a & b`")
        same("one of `a` and `b` a number" in atoms, True)
        return
    same(premises, "`k >= 0`")
    ((text, equation),) = polynomials(gives, 0)
    holds(equation, rule)
    for a, k in product((-37, -8, -1, 0, 5, 22), (0, 1, 3)):
        point = {"a": a, "k": k, "w": 1 << k}
        for name, kind, left, right, power, _, exponent in listed:
            if power:
                same(exponent, "k")
            elif kind == "fd":
                point[name] = value(f"({left}) // ({right})", point)
            else:
                point[name] = value(f"({left}) & ({right})", point)
                same(point[name], value(first, point), rule)
            holds(name or power == "w")
        for name, kind, left, right, *_ in listed:  # an atom may stand before those that it is made of
            if kind == "fd":
                point[name] = value(f"({left}) // ({right})", point)
        same(value(text, point), 0, f"{rule} at {point}")


# --- reading

TERMS: dict[str, str] = {
    "add": "a + b", "sub": "a - b", "mul": "a * b", "floordiv": "a // b", "truncdiv": "truncdiv(a, b)",
    "floormod": "a % b", "truncmod": "truncmod(a, b)", "min": "min(a, b)", "max": "max(a, b)", "abs": "abs(a)",
    "not": "~a", "or": "a | b", "xor": "a ^ b", "shl": "a << b", "shr": "a >> b",
}  # fmt: skip
"""A term of a question as the solver's own operators."""
IN_WORDS = {"sum": "a + b", "difference": "a - b", "product": "a * b"}


def opened(text: str) -> str:
    """A polynomial over atoms, with the atoms as operators."""
    text = re.sub(r"\bfd\((\w+), (\w+)\)", r"(\1 // \2)", text)
    return re.sub(r"\btd\(", "truncdiv(", text)


def terms() -> list[tuple[str, str]]:
    """Each term that is read as one polynomial, and that."""
    found = []
    for names, said in table(PAGE, "| term | polynomial |"):
        listed = [each for cell in code(names) for each in cell.split()]
        if not all(name in TERMS for name in listed):
            continue
        made = [each for each in code(said) if re.search(r"[(*+-]", each)] or said.split(", ")
        if listed[0] == "shl":
            made = [re.sub(r"\bw\b", "(1 << b)", each) for each in ("a * w", "fd(a, w)") if f"`{each}`" in said]
            made = [each.replace("fd(a, (1 << b))", "a // (1 << b)") for each in made]
        found += [(name, IN_WORDS.get(each, each)) for name, each in zip(listed, made, strict=False)]
    return found


@held(PAGE)
def a_term_is_read_as_what_the_table_says() -> None:
    """`a + b - 2 * (a & b)` in the row of `or` went by unseen."""
    same({name for name, _ in terms()}, TERMS.keys())
    for name, said in terms():
        holds(agree(TERMS[name], opened(said)), f"{name}: {said}")


# --- truths

OF_TRUTHS: dict[str, Callable[[bool, bool, bool], bool]] = {
    "not": lambda a, b, c: not a,
    "and": lambda a, b, c: a and b,
    "or": lambda a, b, c: a or b,
    "implies": lambda a, b, c: not a or b,
    "iff": lambda a, b, c: a is b,
    "select": lambda a, b, c: a if c else b,
}
OF_INTEGERS = {"eq": "a == b", "ne": "a != b", "lt": "a < b", "le": "a <= b", "gt": "a > b", "ge": "a >= b"}


def formula(text: str, point: Mapping[str, bool]) -> bool:
    """A disjunction of conjunctions of `T(a)` and `F(a)`."""
    return any(
        all(point[each[2]] is (each[0] == "T") for each in re.findall(r"[TF]\(\w\)", part))
        for part in re.split(r",? or ", text)
    )


@held(PAGE)
@over(lambda: [tuple(row) for row in table(PAGE, "| truth | `T` | `F` |")])
def a_truth_and_its_opposite_are_what_the_table_says(truth: str, holding: str, failing: str) -> None:
    """`T(a)` in the place of `F(a)` went by unseen."""
    if (found := re.match(r'`\["(\w+)", \w', truth)) is not None and found[1] in OF_TRUTHS:
        for a, b, c in product((False, True), repeat=3):
            point = {"a": a, "b": b, "c": c}
            wanted = OF_TRUTHS[found[1]](a, b, c)
            same((formula(holding, point), formula(failing, point)), (wanted, not wanted), truth)
    elif truth == '`["sym", k]`':
        same([holding, failing], ["`x - 1 == 0`", "`x == 0`"])
    elif "true" in truth:
        same(truth, '`["true"]`, `["false"]`')
        same([holding, failing], ["the empty conjunction, the empty disjunction", "the reverse"])
    else:
        same(failing, "the negation of `T`")
        names = [each for cell in code(truth) for each in cell.split()]
        for name, said in zip(names, holding.split(", "), strict=True):
            text = OF_INTEGERS["eq" if said == "its negation" else name] if said == "its negation" else said.strip("`")
            same(said == "its negation", name == "ne", truth)
            holds(agree(f"select({OF_INTEGERS[name if name != 'ne' else 'eq']}, 1, 0)", f"select({text}, 1, 0)"), name)


# --- values

SAID_OF_KINDS: dict[str, Callable[..., int]] = {
    "`a` divided by `b`, rounded down": lambda a, b: a // b,
    "`a` divided by `b`, rounded towards 0": lambda a, b: a // b if a * b >= 0 else -(-a // b),
    "the least": min,
    "the bits of both, in two's complement of any width": lambda a, b: a & b,
    "`2**k`": lambda k: 2**k,
    "`a`": lambda a: a,
}
"""The value of an atom in words."""


@held(PAGE)
@over(lambda: [tuple(row) for row in table(PAGE, "| kind | operands | value | for example |")])
def the_value_of_an_atom_is_that_of_its_example(kinds: str, operands: str, said: str, examples: str) -> None:
    for kind, given, found in re.findall(r"`(\w+)\(([^)]*)\)` is (-?\d+)", examples):
        values = [int(each) for each in given.split(", ")]
        computed = SAID_OF_KINDS.get(said)
        if computed is None:
            same(said, "1 where `a >= 0`, `a == 0`; else 0")
            computed = {"ge": lambda a: int(a >= 0), "eq": lambda a: int(a == 0)}[kind]
        same(computed(*values), int(found), kind)
        counted = len(values) >= 2 if operands == "two or more" else len(values) == len(operands.split(", "))
        holds(counted, f"operands of {kind}")
