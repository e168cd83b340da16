# ruff: noqa: E501
"""A third author's questions: texts that Python itself evaluates.

Beside ``outside.py`` (trees) and ``heldout.py`` (postfix programs), and unlike both: a question is a text, read by Python's own parser and
evaluated by Python's own ``//``, ``%``, ``&`` and ``if``. Operators are drawn alike often, with operands of every kind;
claims are comparisons drawn at random, comparisons that many points do not refute, changes that should change
nothing, and what kernels ask of their indices, sometimes with one number off or one assumption missing.
``python -m tests.shape_solver.native 5000 --seed 1`` prints a table.
"""

from __future__ import annotations

import argparse
import ast
import itertools
import json
import re
import time
from collections import Counter
from collections.abc import Callable
from random import Random
from typing import Any

from refrelax.shape_solver import Proved, Refuted, prove

Point = dict[str, int]


# --- Python's own meaning


class NoValue(Exception):
    """Nothing to compute, or nobody does."""


def tdiv(a: int, b: int) -> int:
    q, r = divmod(a, b)
    return q + 1 if r and (a < 0) != (b < 0) else q


def tmod(a: int, b: int) -> int:
    return a - b * tdiv(a, b)


def up(a: int, k: int) -> int:
    if a and (k > 2000 or a.bit_length() > 60_000):
        raise NoValue
    return a << k if a or k < 0 else 0


def signed(bits: int, a: int) -> int:
    return int.from_bytes((a & ((1 << bits) - 1)).to_bytes(bits // 8, "little"), "little", signed=True)


GLOBALS: dict[str, Any] = {
    "truncdiv": tdiv, "truncmod": tmod, "up": up, "min": min, "max": max, "abs": abs, "__builtins__": {},
    "ceildiv": lambda a, b: (a + b - 1) // b,
    **{f"int{bits}": (lambda a, bits=bits: signed(bits, int(a))) for bits in (8, 16, 32, 64)},
    **{f"uint{bits}": (lambda a, bits=bits: int(a) & ((1 << bits) - 1)) for bits in (8, 16, 32, 64)},
}  # fmt: skip


class Native(ast.NodeTransformer):
    """What Python spells otherwise: choices, implications; and shifts, of which some nobody computes."""

    def visit_Call(self, node: ast.Call) -> ast.expr:
        self.generic_visit(node)
        match node:
            case ast.Call(ast.Name("select"), [c, a, b]):
                return ast.IfExp(c, a, b)
            case ast.Call(ast.Name("implies"), [a, b]):
                return ast.BoolOp(ast.Or(), [ast.UnaryOp(ast.Not(), a), b])
        return node

    def visit_BinOp(self, node: ast.BinOp) -> ast.expr:
        self.generic_visit(node)
        if isinstance(node.op, ast.LShift):
            return ast.Call(ast.Name("up", ast.Load()), [node.left, node.right], [])
        return node


def runs(text: str) -> Callable[[Point], int | None]:
    """The value at a point; ``None`` where there is none."""
    tree = ast.fix_missing_locations(Native().visit(ast.parse(text, mode="eval")))
    code = compile(tree, "<question>", "eval")

    def at(point: Point) -> int | None:
        try:
            return int(eval(code, GLOBALS, point))
        except (ZeroDivisionError, ValueError, OverflowError, NoValue):
            return None

    return at


# --- texts


def num(value: int) -> str:
    return str(value) if value >= 0 else f"({value})"


def infix(op: str, a: str, b: str) -> str:
    return f"implies({a}, {b})" if op == "implies" else f"({a} {op} {b})"


def call(name: str, *parts: str) -> str:
    return f"{name}({', '.join(parts)})"


def prefix(op: str, a: str) -> str:
    return f"({op} {a})"


# --- drawing terms

DTYPES = tuple(sign + str(bits) for sign in ("int", "uint") for bits in (8, 16, 32, 64))
TWO = ("+", "-", "*", "//", "%", "truncdiv", "truncmod", "min", "max", "<<", ">>", "&", "|", "^")
KINDS = (*TWO, "select", "~", "cast", "cast")
RELATIONS = ("==", "!=", "<", "<=", ">", ">=")


class Pen:
    def __init__(self, random: Random, over: list[str]) -> None:
        self.random, self.over = random, over

    def leaf(self) -> str:
        if self.random.random() < 0.75:
            return self.random.choice(self.over)
        return self.number()

    def number(self) -> str:
        r = self.random
        return num(r.choice((
            r.randint(-4, 12), r.randint(0, 3), 2 ** r.randint(0, 10), 2 ** r.randint(1, 33) - 1, r.randint(-300, 3000), -(2 ** r.randint(0, 8)),
        )))  # fmt: skip

    def count(self) -> str:
        """Of a shift."""
        r = self.random
        if r.random() < 0.75:
            return num(r.randint(0, 8))
        x = r.choice(self.over)
        return r.choice((x, infix("&", x, num(7)), infix("%", x, num(5)), call("uint8", x)))

    def integer(self, left: int) -> str:
        """With ``left`` operators below."""
        r = self.random
        if left <= 0:
            return self.leaf()
        kind = r.choice(KINDS)
        split = r.randint(0, left - 1)
        a, rest = self.integer(split), left - 1 - split
        match kind:
            case "~":
                return prefix("~", a)
            case "cast":
                return call(r.choice(DTYPES), a)
            case "select":
                return call("select", self.truth(max(rest - 1, 0)), a, self.leaf())
            case "//" | "%" | "truncdiv" | "truncmod":
                b = (
                    num(r.choice((2, 3, 4, 5, 7, 8, 12, 16, 32, 100, -2, -3, -8)))
                    if r.random() < 0.7
                    else self.integer(rest)
                )
                return infix(kind, a, b) if kind in ("//", "%") else call(kind, a, b)
            case "<<" | ">>":
                return infix(kind, a, self.count())
            case "min" | "max":
                return call(kind, a, self.integer(rest))
            case "*":
                return infix("*", a, self.number() if r.random() < 0.4 else self.integer(rest))
            case _:
                return infix(kind, a, self.number() if r.random() < 0.3 else self.integer(rest))

    def truth(self, left: int) -> str:
        r = self.random
        if left >= 2 and r.random() < 0.3:
            if r.random() < 0.25:
                return prefix("not", self.truth(left - 1))
            half = left // 2
            return infix(r.choice(("and", "or", "implies")), self.truth(half), self.truth(left - 1 - half))
        half = r.randint(0, left)
        return infix(r.choice(RELATIONS), self.integer(half), self.integer(left - half))

    def fact(self) -> str:
        r = self.random
        x, y = r.choice(self.over), r.choice(self.over)
        low, width = (
            r.choice((-100, -5, -1, 0, 0, 0, 1, 1, 2)),
            r.choice((1, 3, 9, 30, 64, 127, 500, 1023, 65535, 2**31 - 1)),
        )
        m, k = r.choice((2, 3, 4, 5, 6, 8, 10, 16, 32, 64)), r.randint(-6, 40)
        if x == y:
            return r.choice(
                (
                    f"{x} >= {low}",
                    f"{low} <= {x} and {x} <= {low + width}",
                    f"{x} % {m} == {r.randrange(m)}",
                    f"{x} > 0",
                    f"{x} != {k}",
                    f"{x} <= {k}",
                )
            )
        return r.choice((
            f"{x} >= {low}", f"{low} <= {x} and {x} <= {low + width}", f"{x} % {m} == {r.choice((0, 0, r.randrange(m)))}", f"{x} <= {y}", f"{x} < {y}",
            f"{x} + {y} <= {k}", f"{x} == {y} * {m}", f"{x} - {y} < {m}", f"0 <= {x} and {x} < {y}", f"{x} == {y} or {x} == {k}",
        ))  # fmt: skip


# --- claims


def same(pen: Pen, a: str, b: str) -> tuple[str, str]:
    """``a`` or more, before and after a change that is right wherever all is defined, or under conditions that may not hold."""
    r = pen.random
    k, c, d = num(r.randint(0, 6)), num(r.choice((2, 3, 4, 6, 8, 16))), num(r.choice((2, 4, 5, 8)))
    t, u = r.choice(DTYPES), r.choice(DTYPES)
    op = r.choice(("+", "-", "*", "&", "|", "^"))
    zero, ones = num(0), num(-1)
    minus = infix("-", zero, a)
    width = num(2 ** int(re.sub(r"\D", "", u)))
    return r.choice((
        (call(t, infix(op, a, b)), call(t, infix(op, call(t, a), b))), (call(t, call(u, a)), call(t, a)),
        (call(u, a), infix("%", call(u, a), width)), (call(u, call(t, a)), call(u, a)), (call(t, prefix("~", a)), prefix("~", call(t, a))),
        (infix(op, a, b), infix(op, b, a)), (infix("^", infix("^", a, b), b), a), (infix("&", infix("|", a, b), a), a),
        (infix("|", infix("&", a, b), infix("&", a, prefix("~", b))), a), (infix("-", a, infix("&", a, b)), infix("&", a, prefix("~", b))),
        (infix("^", a, b), infix("-", infix("|", a, b), infix("&", a, b))), (infix("+", a, b), infix("+", infix("^", a, b), infix("*", num(2), infix("&", a, b)))),
        (infix("<<", infix(">>", a, k), k), infix("-", a, infix("%", a, infix("<<", num(1), k)))), (infix(">>", infix(op, a, b), k), infix(op, infix(">>", a, k), infix(">>", b, k))),
        (infix(">>", a, infix("+", k, k)), infix(">>", infix(">>", a, k), k)), (infix("<<", a, k), infix("*", a, infix("<<", num(1), k))),
        (infix("//", infix("//", a, c), d), infix("//", a, infix("*", c, d))), (infix("//", infix("+", a, infix("*", b, c)), c), infix("+", infix("//", a, c), b)),
        (infix("%", infix("+", a, infix("*", b, c)), c), infix("%", a, c)), (infix("%", infix("%", a, infix("*", c, d)), c), infix("%", a, c)),
        (infix("//", a, b), infix("//", infix("*", a, c), infix("*", b, c))), (infix("+", infix("*", infix("//", a, b), b), infix("%", a, b)), a),
        (call("truncdiv", minus, b), infix("-", zero, call("truncdiv", a, b))), (call("truncmod", a, c), call("truncmod", a, infix("-", zero, c))),
        (infix("+", infix("*", call("truncdiv", a, b), b), call("truncmod", a, b)), a), (call("truncdiv", a, c), call("select", infix(">=", a, zero), infix("//", a, c), infix("-", zero, infix("//", minus, c)))),
        (call("max", a, b), infix("-", zero, call("min", minus, infix("-", zero, b)))), (call("min", call("max", a, b), b), b),
        (infix("+", call("min", a, b), c), call("min", infix("+", a, c), infix("+", b, c))), (infix("*", call("max", a, b), c), call("max", infix("*", a, c), infix("*", b, c))),
        (call("select", infix("<=", a, b), b, a), call("max", a, b)), (call("select", infix("==", a, b), a, b), b), (infix("^", a, ones), prefix("~", a)),
        (infix("-", call("max", a, b), call("min", a, b)), call("max", infix("-", a, b), infix("-", b, a))),
        (infix("%", infix("*", a, a), num(4)), infix("%", a, num(2))), (infix("*", infix("+", a, b), infix("-", a, b)), infix("-", infix("*", a, a), infix("*", b, b))),
        (infix("&", a, num(2**6 - 1)), infix("%", a, num(64))), (infix("//", infix("&", a, num(0xF0)), num(16)), infix("%", infix("//", a, num(16)), num(16))),
    ))  # fmt: skip


KERNELS: tuple[tuple[str, tuple[str, ...]], ...] = (
    ("(p * T + q) // T == p", ("0 <= q and q < T",)),
    ("(p * T + q) % T == q", ("0 <= q and q < T",)),
    ("p * T + q < r * T", ("p < r", "0 <= q and q < T")),
    ("p * T + q < r", ("0 <= p and p < r // T", "0 <= q and q < T")),
    ("p // T * T + p % T == p", ()),
    ("(r + T1) // T * T >= r", ()),
    ("ceildiv(r, T) * T - r < T", ("r >= 0",)),
    ("ceildiv(r, T) == (r - 1) // T + 1", ("r > 0",)),
    ("(r + T1) // T * T % T == 0", ("r >= 0",)),
    ("min(T, r - p * T) > 0", ("0 <= p and p < ceildiv(r, T)", "r > 0")),
    ("p * T + min(T, r - p * T) <= r", ("0 <= p and p < ceildiv(r, T)",)),
    ("p * q + s < r * q", ("0 <= p and p < r", "0 <= s and s < q")),
    ("(p * q + s) // q == p", ("0 <= s and s < q",)),
    ("(p * q + s) % q == s", ("0 <= s and s < q", "p >= 0")),
    ("((p * T + q) * U + s) // (T * U) == p", ("0 <= q and q < T", "0 <= s and s < U")),
    ("((p * T + q) * U + s) // U % T == q", ("0 <= q and q < T", "0 <= s and s < U")),
    ("(p % T + T) % T == p % T", ()),
    ("((p + q) % r + r) % r == (p + q) % r", ("r > 0",)),
    ("max(min(p, r - 1), 0) < r", ("r >= 1",)),
    ("0 <= max(min(p, r - 1), 0)", ("r >= 1",)),
    ("(p ^ (p >> 3)) % P < P", ()),
    ("((p & M) ^ (q & M)) <= M", ()),
    ("(p & M) + (p >> K << K) == p", ()),
    ("(p << K | q) >> K == p", ("0 <= q and q < P",)),
    ("(p << K | q) == (p << K) + q", ("0 <= q and q < P",)),
    ("(p << K | q & M) & M == q & M", ()),
    ("int32(p * U + q) == p * U + q", ("0 <= p and p < 65536", "0 <= q and q < U")),
    ("int32(p) * T + q % T == int32(p * T + q % T)", ("0 <= p and p < 1000000",)),
    ("int64(int32(p)) == p", ("0 <= p and p < 2147483648",)),
    ("int32(uint8(p)) == p % 256", ()),
    ("uint8(p + q) == (uint8(p) + uint8(q)) % 256", ()),
    ("int8(p - q) == int8(int8(p) - int8(q))", ()),
    ("p * s + q * t >= 0", ("p >= 0 and s >= 0", "q >= 0 and t > 0")),
    ("p * T + q - K >= 0 or p == 0", ("p >= 0", "0 <= q and q < T")),
    ("p // T < r // T", ("0 <= p and p < r", "r % T == 0")),
    ("p // T <= r // T", ("p <= r",)),
    ("p % T < r % T or p % T >= r % T", ()),
    ("p * T // U * U <= p * T", ()),
    ("r // T // U == r // (T * U)", ()),
    ("r % (T * U) // T < U", ()),
    ("p + T * q == s + T * t", ("p == s", "q == t")),
    ("p == s and q == t", ("0 <= p and p < T and 0 <= s and s < T", "p + T * q == s + T * t")),
    ("(r - T) // U + 1 >= 1", ("r >= T",)),
    ("((r - T) // U + 1 - 1) * U + T <= r", ("r >= T",)),
    ("p * U + q < r", ("0 <= q and q < T", "0 <= p and p <= (r - T) // U")),
    ("truncdiv(p, T) == p // T", ("p >= 0",)),
    ("truncmod(p, T) == p % T", ("p >= 0",)),
    ("truncdiv(p * T, T) == p", ()),
    ("(p + q) // 2 >= min(p, q)", ()),
    ("(p + q) // 2 <= max(p, q)", ()),
    ("p + (q - p) // 2 == (p + q) // 2", ()),
    ("p * (p + 1) // 2 + q < (p + 1) * (p + 2) // 2", ("0 <= q and q <= p",)),
    ("p * q // q == p", ("q > 0",)),
    ("p * q % q == 0", ("q > 0",)),
    ("p // q * q <= p", ("q > 0",)),
    ("p % q < q", ("q > 0",)),
    ("p // q < r", ("q > 0", "0 <= p and p < r * q")),
    ("(r + q - 1) // q * q >= r", ("q > 0",)),
    ("(r + q - 1) // q <= r", ("q > 0", "r >= 0")),
    ("max(p, q) * r == max(p * r, q * r)", ("r >= 0",)),
    ("min(p // T, q // T) == min(p, q) // T", ()),
    ("(1 << q) - 1 >= q", ("q >= 0",)),
    ("p % (1 << q) < (1 << q)", ("q >= 0",)),
    ("(p >> q) << q <= p", ("q >= 0",)),
    ("p & ((1 << q) - 1) == p % (1 << q)", ("q >= 0",)),
    ("(p >> q) >> s == p >> (q + s)", ("q >= 0 and s >= 0",)),
    ("p & (p - 1) < p", ("p > 0",)),
    ("p & (0 - p) <= p", ("p > 0",)),
    ("(p | q) >= max(p, q)", ("p >= 0 and q >= 0",)),
    ("(p & q) <= min(p, q)", ("p >= 0 and q >= 0",)),
    ("(p ^ q) <= p + q", ("p >= 0 and q >= 0",)),
    ("(p ^ q) == 0", ("p == q",)),
    ("p == q", ("p ^ q == 0",)),
    ("(p + M) & ~M >= p", ()),
    ("(p + M) & ~M == ceildiv(p, P) * P", ()),
    ("(p & ~M) % P == 0", ()),
    ("abs(p - q) == max(p, q) - min(p, q)", ()),
    ("abs(p * q) == abs(p) * abs(q)", ()),
)


def kernel(r: Random) -> tuple[str, list[str]]:
    claim, given = r.choice(KERNELS)
    t, k = r.choice((2, 3, 4, 7, 8, 16, 32, 64, 100, 128)), r.randint(1, 8)
    numbers = {"T1": t - 1, "T": t, "U": r.choice((2, 3, 4, 5, 8, 16)), "K": k, "P": 2**k, "M": 2**k - 1}

    def filled(text: str) -> str:
        said = re.sub(r"\b(T1|T|U|K|P|M)\b", lambda m: str(numbers[m[0]]), text)
        if r.random() < 0.06:
            places = list(re.finditer(r"(?<![\w])\d+", said))
            if places:
                at = r.choice(places)
                said = said[: at.start()] + str(int(at[0]) + r.choice((1, -1)) if int(at[0]) else 1) + said[at.end() :]
        if r.random() < 0.04:
            said = said.replace(" < ", " <= ", 1) if " < " in said else said.replace(" <= ", " < ", 1)
        return said

    kept = [filled(each) for each in given if r.random() < 0.93]
    return filled(claim), kept


def question(random: Random) -> tuple[str, list[str]]:
    roll = random.random()
    if roll < 0.25:
        return kernel(random)
    over = ["p", "q", "r", "s"][: random.choice((2, 2, 2, 3, 3, 4))]
    pen = Pen(random, over)
    given = [pen.fact() for _ in range(random.randint(0, 3))]
    if roll < 0.5:
        a, b = pen.integer(random.choice((0, 0, 1, 1, 2))), pen.integer(random.choice((0, 0, 1)))
        left, right = same(pen, a, b)
        if random.random() < 0.3:
            around, op = pen.integer(random.choice((0, 1))), random.choice(("+", "-", "*", "&", "|", "^"))
            left, right = infix(op, left, around), infix(op, right, around)
        claim = infix(random.choice(("==", "==", "==", "<=", ">=", "!=")), left, right)
        if random.random() < 0.2:
            claim = infix(random.choice(("implies", "or", "and")), pen.truth(1), claim)
        return claim, given
    claim = pen.truth(random.choice((1, 2, 2, 3, 3, 4, 5)))
    if roll < 0.7:  # one that is not refuted at once
        for _ in range(12):
            if refuting(random, claim, given, 60) is None:
                break
            claim = pen.truth(random.choice((2, 3, 3, 4, 5)))
    return claim, given


# --- brute force

SMALL = (*range(-4, 13), 15, 16, 17, 31, 32, 33, 63, 64, 65, 100)
LARGE = (127, 128, 255, 256, 1000, 1023, 4096, 32767, 32768, 65535, 65536, 2**31 - 1, 2**31, 2**32, 2**40 + 12345, 2**63, -128, -129, -1000, -(2**15) - 1,
         -(2**31), -(2**63), 3**45)  # fmt: skip


def names(*texts: str) -> list[str]:
    return sorted({name for text in texts for name in re.findall(r"\b[pqrst]\b", text)})


def scattered(random: Random, over: list[str], count: int) -> list[Point]:
    def one() -> int:
        roll = random.random()
        if roll < 0.6:
            return random.choice(SMALL)
        return random.randint(-300, 3000) if roll < 0.8 else random.choice(LARGE) + random.randint(-2, 2)

    return [{name: one() for name in over} for _ in range(count)]


def among(claim: str, given: list[str], points: list[Point]) -> Point | None:
    for each in given:
        holds = runs(each)
        points = [point for point in points if holds(point)]
    value = runs(claim)
    return next((point for point in points if value(point) == 0), None)


def refuting(random: Random, claim: str, given: list[str], tries: int) -> Point | None:
    return among(claim, given, scattered(random, names(claim, *given), tries))


def counterexample(random: Random, claim: str, given: list[str], tries: int) -> Point | None:
    over = names(claim, *given)
    found = refuting(random, claim, given, tries)
    if found is None and len(over) <= 2:
        edge = range(-8, 36) if len(over) == 2 else range(-300, 700)
        grid = [dict(zip(over, each)) for each in itertools.product(edge, repeat=len(over))]
        found = among(claim, given, grid)
    return found


# --- asking


def asked(number: str) -> dict[str, Any]:
    random = Random(number)
    claim, given = question(random)
    said = list(given)
    start = time.process_time()
    answer = prove(claim, said)
    row: dict[str, Any] = {"number": number, "seconds": time.process_time() - start, "claim": claim, "assume": said}
    if isinstance(answer, Refuted):
        point = {**dict.fromkeys(names(claim, *given), 0), **answer.model}
        return row | {"said": "refuted", "wrong": among(claim, given, [point]) is None, "model": answer.model}
    if isinstance(answer, Proved):
        found = counterexample(random, claim, given, 250)
        return row | {
            "said": "proved",
            "wrong": found is not None,
            "answer": answer,
            "stage": answer.stages[-1].name,
            "false": found,
        }
    found = counterexample(random, claim, given, 4000)
    return row | {"said": "unknown", "wrong": False, "scope": str(answer.scope), "false": found, "stage": answer.stage}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("count", type=int)
    parser.add_argument("--seed", default="1")
    parser.add_argument("--start", type=int, default=0)
    parser.add_argument("--logs", type=int, default=0, metavar="N", help="a certificate of each Nth that is proved")
    options = parser.parse_args()
    from refrelax.shape_solver.certify import confirm

    times: list[float] = []
    ratios: list[float] = []
    counts: Counter[str] = Counter()
    for place in range(options.start, options.start + options.count):
        row = asked(f"{options.seed}/{place}")
        answer = row.pop("answer", None)
        times.append(row["seconds"])
        counts.update([row["said"], *(["wrong"] if row["wrong"] else []), *(["slow"] if row["seconds"] > 2 else [])])
        if answer is not None and options.logs and place % options.logs == 0:
            start = time.process_time()
            document = json.loads(json.dumps(answer.certificate.document()))
            row["writing"] = time.process_time() - start
            ratios.append(row["writing"] / max(row["seconds"], 1e-6))
            row["logged"] = confirm(document, who="checker").by is not None
            counts.update(["logged" if row["logged"] else "unlogged", *(["over 10"] if ratios[-1] > 10 else [])])
        if (
            row["wrong"]
            or row["seconds"] > 2
            or row["said"] == "unknown"
            or row.get("logged") is False
            or row.get("writing", 0) > 10 * row["seconds"]
        ):
            print(json.dumps(row), flush=True)
    times.sort()
    at = {share: f"{1e3 * times[int(share * (len(times) - 1))]:.1f}" for share in (0.5, 0.95, 0.99, 1.0)}
    print(
        json.dumps(
            {
                "questions": len(times),
                "counts": dict(counts),
                "ms": at,
                "seconds": sum(times),
                "times": [round(1e3 * t, 1) for t in times[-300:]],
            }
        )
    )


if __name__ == "__main__":
    main()
