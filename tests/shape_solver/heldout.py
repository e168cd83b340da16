# ruff: noqa: E501
"""Another author's questions: terms as postfix programs, truth by a machine of three values over many points at once.

Beside ``outside.py``, and unlike it: claims are made by rewriting a drawn term (most rewritings keep its value, some are
a little off), by asking for the extremes that brute force saw, and by joining comparisons. A program is a list of tokens;
a value that there is not (a division by zero, a shift by a negative count, one that nobody computes) is ``None``.
``python -m tests.shape_solver.heldout 5000 --seed 1`` prints a table.
"""

from __future__ import annotations

import argparse
import json
import time
from collections.abc import Callable
from random import Random
from typing import Any

from refrelax.shape_solver import Proved, Refuted, prove

Token = str | int
Program = tuple[Token, ...]
Column = list[int | None]

DTYPES = tuple(kind + width for kind in ("int", "uint") for width in ("8", "16", "32", "64"))
SHIFTED = 2000
"""Counts of shifts past which a value is not computed here."""


def quotient(a: int, b: int) -> int:
    q = abs(a) // abs(b)
    return q if (a < 0) == (b < 0) else -q


def wrapped(dtype: str, a: int) -> int:
    bits = int("".join(filter(str.isdigit, dtype)))
    low = 0 if dtype.startswith("u") else -(1 << (bits - 1))
    return (a - low) % (1 << bits) + low


def shifted(a: int, k: int) -> int | None:
    if k < 0:
        return None
    if k > SHIFTED:
        return 0 if a == 0 else None
    return a << k


def moved(a: int, k: int) -> int | None:
    return None if k < 0 else a >> min(k, 1 << 14) if abs(a) < 1 << (1 << 13) else None


STRICT: dict[str, Callable[[int, int], int | None]] = {
    "+": lambda a, b: a + b, "-": lambda a, b: a - b, "*": lambda a, b: a * b,
    "//": lambda a, b: a // b if b else None, "%": lambda a, b: a % b if b else None,
    "truncdiv": lambda a, b: quotient(a, b) if b else None,
    "truncmod": lambda a, b: a - b * quotient(a, b) if b else None,
    "min": min, "max": max, "<<": shifted, ">>": moved,
    "&": lambda a, b: a & b, "|": lambda a, b: a | b, "^": lambda a, b: a ^ b,
    "==": lambda a, b: int(a == b), "!=": lambda a, b: int(a != b), "<": lambda a, b: int(a < b),
    "<=": lambda a, b: int(a <= b), ">": lambda a, b: int(a > b), ">=": lambda a, b: int(a >= b),
}  # fmt: skip
LAZY: dict[str, Callable[[int, int | None], int | None]] = {
    "and": lambda a, b: b if a else 0, "or": lambda a, b: 1 if a else b, "implies": lambda a, b: b if a else 1,
}  # fmt: skip
CALLS = ("truncdiv", "truncmod", "min", "max", "implies")


def run(program: Program, points: list[dict[str, int]]) -> Column:
    """The value at each point."""
    stack: list[Column] = []
    for token in program:
        if isinstance(token, int):
            stack.append([token] * len(points))
        elif token in STRICT or token in LAZY:
            right, left = stack.pop(), stack.pop()
            if token in STRICT:
                f = STRICT[token]
                stack.append([None if a is None or b is None else f(a, b) for a, b in zip(left, right)])
            else:
                g = LAZY[token]
                stack.append([None if a is None else g(a, b) for a, b in zip(left, right)])
        elif token == "select":
            no, yes, test = stack.pop(), stack.pop(), stack.pop()
            stack.append([None if c is None else a if c else b for c, a, b in zip(test, yes, no)])
        elif token == "~":
            stack.append([None if a is None else -a - 1 for a in stack.pop()])
        elif token == "not":
            stack.append([None if a is None else 1 - a for a in stack.pop()])
        elif token in DTYPES:
            stack.append([None if a is None else wrapped(token, a) for a in stack.pop()])
        else:
            stack.append([point[token] for point in points])
    (only,) = stack
    return only


def said(program: Program) -> str:
    """The program as the text of a claim."""
    stack: list[str] = []
    for token in program:
        if isinstance(token, int):
            stack.append(str(token) if token >= 0 else f"({token})")
        elif token in CALLS:
            right, left = stack.pop(), stack.pop()
            stack.append(f"{token}({left}, {right})")
        elif token in STRICT or token in LAZY:
            right, left = stack.pop(), stack.pop()
            stack.append(f"({left} {token} {right})")
        elif token == "select":
            no, yes, test = stack.pop(), stack.pop(), stack.pop()
            stack.append(f"select({test}, {yes}, {no})")
        elif token in ("~", "not"):
            stack.append(f"({token} {stack.pop()})")
        elif token in DTYPES:
            stack.append(f"{token}({stack.pop()})")
        else:
            stack.append(token)
    return stack.pop()


def names(*programs: Program) -> list[str]:
    known = {*STRICT, *LAZY, *DTYPES, "select", "~", "not"}
    return sorted({token for each in programs for token in each if isinstance(token, str) and token not in known})


# --- drawing


def number(random: Random) -> Program:
    roll = random.random()
    if roll < 0.45:
        return (random.randint(-2, 9),)
    if roll < 0.8:
        return ((1 << random.randint(1, 12)) - random.randint(0, 1),)
    return (random.choice((10, 24, 48, 96, 100, 1000, 4095, 65535, 65536, 2**31 - 1, 2**31, -7, -16, -128, -255)),)


def divisor(random: Random, over: list[str]) -> Program:
    roll = random.random()
    if roll < 0.55:
        return (random.choice((2, 3, 4, 5, 6, 8, 10, 12, 16, 32, 64, 128)),)
    if roll < 0.65:
        return (-random.choice((1, 2, 3, 4, 8)),)
    if roll < 0.8:
        return (random.choice(over), random.choice((1, 2, 3)), random.choice(("+", "max")))
    return (random.choice(over),)


def term(random: Random, over: list[str], size: int) -> Program:
    """An integer of about ``size`` operators."""
    if size <= 0:
        return (random.choice(over),) if random.random() < 0.7 else number(random)
    left = random.randint(0, size - 1)
    a = term(random, over, left)
    roll = random.random()
    if roll < 0.36:
        return (*a, *term(random, over, size - 1 - left), random.choice(("+", "-", "+", "-", "*", "min", "max")))
    if roll < 0.56:
        return (*a, *divisor(random, over), random.choice(("//", "%", "truncdiv", "truncmod")))
    if roll < 0.66:
        by = (random.choice(over), 3, "&") if random.random() < 0.2 else (random.randint(0, 6),)
        return (*a, *by, random.choice(("<<", ">>", ">>")))
    if roll < 0.8:
        return (*a, *(number(random) if random.random() < 0.5 else term(random, over, size - 1 - left)),
                random.choice("&|^"))  # fmt: skip
    if roll < 0.92:
        return (*a, random.choice(DTYPES))
    if roll < 0.94:
        return (*a, "~")
    test = truth(random, over, left)
    return (*test, *a, *term(random, over, size - 1 - left), "select")


def truth(random: Random, over: list[str], size: int) -> Program:
    if size >= 3 and random.random() < 0.35:
        left = random.randint(1, size - 2)
        if random.random() < 0.2:
            return (*truth(random, over, size - 1), "not")
        return (*truth(random, over, left), *truth(random, over, size - 1 - left), random.choice(tuple(LAZY)))
    left = random.randint(0, max(size - 1, 0))
    op = random.choice(("==", "!=", "<", "<=", ">", ">="))
    return (*term(random, over, left), *term(random, over, max(size - 1 - left, 0)), op)


def like(random: Random, a: Program, b: Program, over: list[str]) -> tuple[Program, Program]:
    """Two programs with one value, or nearly so: laws of arithmetic, of bits, of conversions, of choices."""
    c, d = random.choice((2, 3, 4, 5, 8, 16)), random.choice((2, 3, 4, 6, 8))
    k = random.randint(0, 6)
    n, w = random.choice(DTYPES), random.choice(DTYPES)
    op = random.choice(("+", "-", "*"))
    bit = random.choice("&|^")
    least, most = random.sample(("min", "max"), 2)
    laws: list[tuple[Program, Program]] = [
        ((*a, c, "//", d, "//"), (*a, c * d, "//")), ((*a, c, "%"), (*a, *a, c, "//", c, "*", "-")),
        ((*a, c * d, "%", c, "//"), (*a, c, "//", d, "%")), ((*a, c, "*", *b, "+", c, "//"), (*a, *b, c, "//", "+")),
        ((*a, c, "*", d, "+", c, "%"), (d, c, "%")), ((*a, c, "truncdiv", d, "truncdiv"), (*a, c * d, "truncdiv")),
        ((*a, c, "truncmod"), (*a, *a, c, "truncdiv", c, "*", "-")), ((*a, -c, "//"), (0, *a, "-", c, "//")),
        ((*a, c, "truncdiv"), (*a, 0, ">=", *a, c, "//", 0, *a, c, "//", "-", "select")),
        ((0, *a, "-", c, "truncdiv"), (0, *a, c, "truncdiv", "-")),
        ((*a, *b, "&", *a, *b, "|", "+"), (*a, *b, "+")), ((*a, *b, "^"), (*a, *b, "|", *a, *b, "&", "-")),
        ((*a, *b, bit, "~"), (*a, "~", *b, "~", {"&": "|", "|": "&", "^": "^"}[bit])),
        ((*a, k, ">>", *b, k, ">>", bit), (*a, *b, bit, k, ">>")), ((*a, k, "<<", *b, k, "<<", bit), (*a, *b, bit, k, "<<")),
        ((*a, 2**k - 1, "&"), (*a, 2**k, "%")), ((*a, k, ">>", k, "<<"), (*a, ~(2**k - 1), "&")),
        ((*a, 2**k - 1, "|"), (*a, k, ">>", k, "<<", 2**k - 1, "+")), ((*a, 2**k - 1, "^", 2**k, "//"), (*a, k, ">>")),
        ((*a, "~", "~"), a), ((*a, "~", k, ">>"), (*a, k, ">>", "~")), ((*a, *b, "-", "~"), (*b, *a, "-", 1, "-")),
        ((*a, *b, op, n), (*a, n, *b, n, op, n)), ((*a, *b, bit, n), (*a, n, *b, n, bit)),
        ((*a, n, w), (*a, w)), ((*a, n, w, n), (*a, n)), ((*a, n, n), (*a, n)), ((*a, k, "<<", n), (*a, n, k, "<<", n)),
        ((*a, "~", n), (*a, n, "~", n)), ((*a, 255, "&", "uint8"), (*a, "uint8")), ((*a, "uint16", 256, "%"), (*a, "uint8")),
        ((*a, "uint32", 8, ">>", "uint8"), (*a, 8, ">>", "uint8")), ((*a, *b, "<", *a, *b, "select"), (*a, *b, "min")),
        ((*a, *b, least, *a, *b, most, "+"), (*a, *b, "+")), ((*a, *b, least, *a, most), a),
        ((*a, c, "//", *b, c, "//", least), (*a, *b, least, c, "//")), ((*a, *b, "-", 0, "max"), (*a, *b, "max", *b, "-")),
        ((*a, *b, least, c, "+"), (*a, c, "+", *b, c, "+", least)), ((*a, 1, "-", c, "//", 1, "+"), (*a, c + (c - 1) - c, "+", c, "//")),
        ((*a, *a, 1, "+", "*", 2, "%"), (0,)), ((*a, *b, "+", 2, "%"), (*a, *b, "^", 1, "&")),
        ((*a, random.choice(over), "max", *b, "*"), (*a, *b, "*", random.choice(over), *b, "*", "max")),
        ((*a, c, "%", *b, c, "%", "+", c, "%"), (*a, *b, "+", c, "%")), ((*a, c, "%", *b, c, "%", "*", c, "%"), (*a, *b, "*", c, "%")),
    ]  # fmt: skip
    return random.choice(laws)


def claim(random: Random, over: list[str], given: list[Program]) -> Program:
    size = random.choice((0, 0, 1, 1, 2))
    a, b = term(random, over, size), term(random, over, random.choice((0, 0, 1)))
    roll = random.random()
    if roll < 0.5:
        left, right = like(random, a, b, over)
        if random.random() < 0.25:  # inside something: a law stays one there
            around = term(random, over, 1)
            op = random.choice(("+", "-", "min", "max", "&", "^", "*"))
            left, right = (*left, *around, op), (*right, *around, op)
        if random.random() < 0.15:  # and a little off
            right = (*right, random.choice((-1, 1)), "+")
        return (*left, *right, random.choice(("==", "==", "==", "==", "<=", ">=", "!=")))
    if roll < 0.75:
        return truth(random, over, random.randint(1, 6))
    body = term(random, over, random.randint(1, 4))
    points = admissible(random, given, over, 60)
    values = [v for v in run(body, points) if v is not None]
    if not values or max(map(abs, values)).bit_length() > 200:
        return truth(random, over, 3)
    seen = {random.choice((max, min))(values)}  # what was seen to be the extreme, perhaps is
    (value,) = seen
    return (*body, value, "<=" if value == max(values) else ">=")


def fact(random: Random, over: list[str]) -> Program:
    x, y = random.choice(over), random.choice(over)
    match random.choice(("low", "range", "range", "word", "multiple", "residue", "order", "order", "equal", "sum")):
        case "low":
            return (x, random.choice((-8, -1, 0, 0, 1, 1, 2)), random.choice((">=", ">")))
        case "range":
            low = random.choice((-20, -1, 0, 0, 0, 1))
            return (x, low, ">=", x, low + random.choice((1, 2, 8, 31, 100, 255, 4096, 65536)), "<", "and")
        case "word":
            return (x, 0, ">=", x, 1 << random.choice((8, 16, 31, 32)), "<", "and")
        case "multiple":
            return (x, random.choice((2, 3, 4, 5, 7, 8, 12, 16, 64)), "%", 0, "==")
        case "residue":
            c = random.choice((2, 3, 4, 6, 8))
            return (x, c, "%", random.randrange(c), "==")
        case "order":
            return (x, y, random.choice(("<", "<=", ">=", "!="))) if x != y else (x, 0, ">")
        case "equal":
            return (x, y, random.choice((2, 3, 4)), "*", random.choice((0, 1)), "+", "==") if x != y else (x, 1, ">=")
        case _:
            return (x, y, "+", random.choice((16, 64, 100)), "<")


NEAR = (*range(-9, 20), 31, 32, 33, 63, 64, 99, 100, 127, 128, 255, 256)
FAR = (2**12, 2**15, 2**16, 2**31 - 1, 2**31, 2**32, 2**63, -128, -129, -(2**15), -(2**31) - 1, -(2**63), 7**40)


def drawn_points(random: Random, over: list[str], count: int) -> list[dict[str, int]]:
    def one() -> int:
        roll = random.random()
        if roll < 0.7:
            return random.choice(NEAR)
        return random.randint(-70, 4200) if roll < 0.85 else random.choice(FAR) + random.randint(-2, 2)

    return [{name: one() for name in over} for _ in range(count)]


def admissible(random: Random, given: list[Program], over: list[str], count: int) -> list[dict[str, int]]:
    points = drawn_points(random, over, count)
    for each in given:
        points = [point for point, held in zip(points, run(each, points)) if held]
    return points


def question(random: Random) -> tuple[Program, list[Program]]:
    over = ["p", "q", "r", "s"][: random.choice((2, 2, 3, 4))]
    given = [fact(random, over) for _ in range(random.randint(0, 3))]
    return claim(random, over, given), given


# --- asking


def against(claim: Program, given: list[Program], points: list[dict[str, int]]) -> dict[str, int] | None:
    """A point at which the assumptions hold and the claim does not."""
    for each in given:
        points = [point for point, held in zip(points, run(each, points)) if held]
    return next((point for point, held in zip(points, run(claim, points)) if held == 0), None)


def counterexample(random: Random, claim: Program, given: list[Program], tries: int) -> dict[str, int] | None:
    over = names(claim, *given)
    found = against(claim, given, drawn_points(random, over, tries))
    if found is not None or len(over) > 2:
        return found
    grid = [dict(zip(over, (a, b))) for a in range(-9, 34) for b in (range(-9, 34) if len(over) == 2 else (0,))]
    return against(claim, given, grid)


def asked(number: str, row: dict[str, Any]) -> dict[str, Any]:
    """What the solver says of one question, and whether it is so."""
    random = Random(number)
    program, given = question(random)
    text, assume = said(program), list(map(said, given))
    start = time.process_time()
    answer = prove(text, assume)
    row |= {"number": number, "seconds": time.process_time() - start, "claim": text, "assume": assume}
    if isinstance(answer, Refuted):
        row["said"] = "refuted"
        point = {**dict.fromkeys(names(program, *given), 0), **answer.model}
        row["wrong"] = against(program, given, [point]) is None
    elif isinstance(answer, Proved):
        row["said"] = "proved"
        row["stage"] = answer.stages[-1].name
        row["wrong"] = counterexample(random, program, given, 300) is not None
        row["answer"] = answer
    else:
        found = counterexample(random, program, given, 3000)
        row |= {"said": "unknown", "wrong": False, "scope": str(answer.scope), "false": found, "stage": answer.stage}
    return row


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("count", type=int)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--start", type=int, default=0)
    parser.add_argument("--logs", type=int, default=0, metavar="N", help="a certificate of each Nth that is proved")
    options = parser.parse_args()
    from refrelax.shape_solver.certify import confirm

    times, counts = [], dict.fromkeys(("proved", "refuted", "unknown", "wrong", "slow", "logged", "unlogged"), 0)
    for place in range(options.start, options.start + options.count):
        row = asked(f"{options.seed}/{place}", {})
        answer = row.pop("answer", None)
        times.append(row["seconds"])
        counts[row["said"]] += 1
        slow = row["seconds"] > 2
        counts["wrong"] += row["wrong"]
        counts["slow"] += slow
        if answer is not None and options.logs and place % options.logs == 0:
            found = confirm(json.loads(json.dumps(answer.certificate.document())), who="checker")
            row["logged"] = found.by is not None
            counts["logged" if row["logged"] else "unlogged"] += 1
        if row["wrong"] or slow or row["said"] == "unknown" or row.get("logged") is False:
            print(json.dumps(row), flush=True)
    times.sort()
    at = {share: f"{1e3 * times[int(share * (len(times) - 1))]:.1f}" for share in (0.5, 0.95, 0.99, 1.0)}
    print(f"{len(times)} questions, {counts}, ms {at}")


if __name__ == "__main__":
    main()
