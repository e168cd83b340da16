# ruff: noqa: E501
"""Questions drawn at random, with an evaluator of their own: what the solver says is held against brute force.

Nothing here is shared with the solver: a term is a Python tuple, its text is what the solver reads, and its value is computed
from the words of chapter 06b. ``python -m tests.shape_solver.outside 5000 --seed 1`` prints a table.
"""

from __future__ import annotations

import argparse
import itertools
import json
import time
from collections import Counter
from dataclasses import dataclass, field
from random import Random
from typing import Any

from refrelax.shape_solver import Proved, Refuted, prove

Term = Any
Env = dict[str, int]
WIDTHS = (8, 16, 32, 64)
COMPARE = ("==", "!=", "<", "<=", ">", ">=")


class NoValue(Exception):
    """A division by zero or a shift by a negative count."""


class TooBig(Exception):
    """Nobody computes this."""


# --- drawing


@dataclass
class Draw:
    random: Random
    names: tuple[str, ...]
    casts: float = 0.12

    def integer(self, depth: int) -> Term:
        r = self.random
        if depth == 0 or r.random() < 0.1:
            if r.random() < 0.62:
                return ("sym", r.choice(self.names))
            return ("int", r.choice((0, 1, 2, 3, 4, 5, 7, 8, 12, 15, 16, 31, 32, 64, 100, 127, 128, 255, -1, -2, -5)))
        if r.random() < self.casts:
            return ("cast", r.choice(("int", "uint")) + str(r.choice(WIDTHS)), self.integer(depth - 1))
        a = self.integer(depth - 1)
        match r.choices(("ring", "divide", "extreme", "shift", "bits", "select", "not"), (40, 22, 10, 8, 12, 6, 2))[0]:
            case "ring":
                return (r.choice(("+", "+", "-", "*")), a, self.integer(depth - 1))
            case "divide":
                b = ("int", r.choice((2, 3, 4, 5, 6, 7, 8, 16, 32, -2, -3))) if r.random() < 0.7 else self.integer(0)
                return (r.choice(("//", "//", "%", "%", "truncdiv", "truncmod")), a, b)
            case "extreme":
                return (r.choice(("min", "max")), a, self.integer(depth - 1))
            case "shift":
                b = ("int", r.choice((0, 1, 2, 3, 4, 8))) if r.random() < 0.8 else ("sym", r.choice(self.names))
                return (r.choice(("<<", ">>")), a, b)
            case "bits":
                b = ("int", r.choice((1, 3, 6, 7, 8, 15, 240, 255, -1, -8))) if r.random() < 0.7 else self.integer(0)
                return (r.choice(("&", "&", "|", "^")), a, b)
            case "select":
                return ("select", self.truth(depth - 1), a, self.integer(depth - 1))
            case _:
                return ("~", a)

    def truth(self, depth: int) -> Term:
        r = self.random
        if depth > 0 and r.random() < 0.3:
            op = r.choice(("and", "or", "implies", "not"))
            if op == "not":
                return ("not", self.truth(depth - 1))
            return (op, self.truth(depth - 1), self.truth(depth - 1))
        return (r.choice(COMPARE), self.integer(depth), self.integer(max(depth - 1, 0)))

    def fact(self) -> Term:
        """A bound, a divisibility, an order."""
        r = self.random
        x, y = ("sym", r.choice(self.names)), ("sym", r.choice(self.names))
        match r.choices(("low", "both", "divides", "order", "sum"), (30, 25, 20, 20, 5))[0]:
            case "low":
                return (r.choice((">=", ">")), x, ("int", r.choice((-3, 0, 0, 1, 2))))
            case "both":
                low = r.choice((-4, 0, 0, 1))
                end = low + r.choice((3, 7, 15, 40, 127, 1000))
                return ("and", ("<=", ("int", low), x), ("<=", x, ("int", end)))
            case "divides":
                c = r.choice((2, 3, 4, 8, 16))
                return ("==", ("%", x, ("int", c)), ("int", r.choice((0, 0, 1, c - 1))))
            case "order":
                return (r.choice(("<", "<=", "==")), x, y) if x != y else (">=", x, ("int", 0))
            case _:
                return ("<=", ("+", x, y), ("int", r.choice((10, 100))))

    def identity(self) -> Term:
        """A claim that holds more often than not: what index arithmetic and bit twiddling rest on."""
        r = self.random
        t, u = self.integer(r.choice((0, 1, 1, 2))), self.integer(r.choice((0, 0, 1)))
        k, m, e = r.choice((2, 3, 4, 8, 16)), r.choice((2, 3, 5, 8)), r.choice((1, 2, 3, 4, 5))
        d, w = "int" + str(r.choice(WIDTHS)), "uint" + str(r.choice(WIDTHS))
        K, M, E, one = ("int", k), ("int", m), ("int", e), ("int", 1)
        mask = ("int", 2**e - 1)
        KM, P = ("int", k * m), ("int", 2**e)
        found = r.choice((
            ("==", ("+", ("*", ("//", t, K), K), ("%", t, K)), t), ("==", ("//", ("//", t, K), M), ("//", t, KM)),
            ("==", ("%", ("%", t, KM), K), ("%", t, K)), ("<=", ("*", ("//", t, K), K), t),
            ("==", ("cast", d, ("+", ("cast", d, t), u)), ("cast", d, ("+", t, u))),
            ("==", ("cast", w, ("*", ("cast", w, t), u)), ("cast", w, ("*", u, t))),
            ("==", ("cast", d, ("cast", d, t)), ("cast", d, t)), ("==", ("cast", w, ("cast", d, t)), ("cast", w, t)),
            ("==", ("&", t, mask), ("%", t, P)), ("==", ("^", ("^", t, u), u), t), ("==", ("|", t, t), t),
            ("==", ("+", ("&", t, u), ("|", t, u)), ("+", t, u)), ("==", ("~", t), ("-", ("-", ("int", 0), t), one)),
            ("==", (">>", ("<<", t, E), E), t), ("==", (">>", t, E), ("//", t, P)), ("==", ("<<", t, E), ("*", t, P)),
            ("==", ("+", ("min", t, u), ("max", t, u)), ("+", t, u)), ("<=", ("min", t, u), u),
            ("==", ("+", ("*", ("truncdiv", t, K), K), ("truncmod", t, K)), t),
            ("==", ("select", ("<", t, u), t, u), ("min", t, u)), ("implies", ("<", t, u), ("<=", ("+", t, one), u)),
            ("<=", ("//", ("+", t, ("int", k - 1)), K), t), ("==", ("%", ("*", t, ("+", t, one)), ("int", 2)), ("int", 0)),
            ("==", ("^", t, ("int", -1)), ("~", t)), ("<=", ("&", t, mask), mask), ("==", ("-", t, ("&", t, mask)), ("&", t, ("~", mask))),
        ))  # fmt: skip
        if r.random() < 0.2:
            found = r.choice((("or", found, self.truth(1)), ("implies", self.truth(1), found), ("and", found, found)))
        return found


def question(random: Random) -> tuple[Term, list[Term]]:
    names = ("n", "m", "k", "j")[: random.choice((2, 2, 3, 4))]
    draw = Draw(random, names, random.choice((0.05, 0.1, 0.4)))
    claim = draw.identity() if random.random() < 0.5 else draw.truth(random.choice((1, 2, 2, 3)))
    return claim, [draw.fact() for _ in range(random.choice((0, 1, 2, 3)))]


# --- saying and evaluating


def text(t: Term) -> str:
    match t:
        case ("sym", name):
            return str(name)
        case ("int", number):
            return f"({number})" if number < 0 else str(number)
        case ("cast", dtype, a):
            return f"{dtype}({text(a)})"
        case (("truncdiv" | "truncmod" | "min" | "max" | "select" | "implies") as name, *parts):
            return f"{name}({', '.join(map(text, parts))})"
        case (("~" | "not") as op, a):
            return f"({op} {text(a)})"
        case (op, a, b):
            return f"({text(a)} {op} {text(b)})"
    raise AssertionError(t)


def evaluate(t: Term, env: Env) -> int:
    """From the spec: exact integers, a conversion wraps, ``and or implies select`` look at what they need."""
    match t:
        case ("sym", name):
            return env[name]
        case ("int", number):
            return int(number)
        case ("and", a, b):
            return evaluate(b, env) if evaluate(a, env) else 0
        case ("or", a, b):
            return 1 if evaluate(a, env) else evaluate(b, env)
        case ("implies", a, b):
            return evaluate(b, env) if evaluate(a, env) else 1
        case ("not", a):
            return 1 - evaluate(a, env)
        case ("select", c, a, b):
            return evaluate(a if evaluate(c, env) else b, env)
        case ("~", a):
            return -1 - evaluate(a, env)
        case ("cast", dtype, a):
            width, rest = int(dtype.lstrip("uint")), evaluate(a, env)
            rest %= 2**width
            return rest - 2**width if dtype[0] == "i" and rest >= 2 ** (width - 1) else rest
        case (op, a, b):
            return operate(op, evaluate(a, env), evaluate(b, env))
    raise AssertionError(t)


def operate(op: str, x: int, y: int) -> int:
    if op in ("//", "%", "truncdiv", "truncmod"):
        if y == 0:
            raise NoValue
        if op == "//":
            return x // y
        if op == "%":
            return x - x // y * y
        quotient = abs(x) // abs(y) * (1 if (x >= 0) == (y >= 0) else -1)
        return quotient if op == "truncdiv" else x - quotient * y
    if op in ("<<", ">>"):
        if y < 0:
            raise NoValue
        if y > 3000:
            if not x:
                return 0
            if op == ">>":
                return -1 if x < 0 else 0
            raise TooBig
        return x * 2**y if op == "<<" else x // 2**y
    return int(
        {
            "+": lambda: x + y, "-": lambda: x - y, "*": lambda: x * y, "min": lambda: min(x, y), "max": lambda: max(x, y),
            "&": lambda: x & y, "|": lambda: x | y, "^": lambda: x ^ y, "==": lambda: x == y, "!=": lambda: x != y,
            "<": lambda: x < y, "<=": lambda: x <= y, ">": lambda: x > y, ">=": lambda: x >= y,
        }[op]()
    )  # fmt: skip


def symbols(*terms: Term) -> list[str]:
    found: dict[str, None] = {}
    pending = list(terms)
    while pending:
        t = pending.pop()
        if t[0] == "sym":
            found[t[1]] = None
        elif t[0] not in ("int",):
            pending += [part for part in t[1:] if isinstance(part, tuple)]
    return sorted(found)


def refutes(claim: Term, assume: list[Term], env: Env) -> bool:
    """Whether the assumptions hold and the claim has a value and is false."""
    try:
        return all(evaluate(each, env) for each in assume) and not evaluate(claim, env)
    except (NoValue, TooBig):
        return False


NEAR = (0, 1, -1, 2, 3, 5, 8, -4, 17)
FAR = (
    127,
    128,
    255,
    256,
    -128,
    -129,
    1000,
    2**15,
    2**16,
    2**31 - 1,
    2**31,
    -(2**31),
    2**32 + 5,
    2**63,
    -(2**63),
    3**50,
)


def counterexample(claim: Term, assume: list[Term], random: Random, tries: int) -> Env | None:
    """By brute force: a grid near 0, then points far away."""
    names = symbols(claim, *assume)
    near = NEAR if len(names) <= 3 else NEAR[:5]
    for point in itertools.islice(itertools.product(near, repeat=len(names)), tries):
        env = dict(zip(names, point))
        if refutes(claim, assume, env):
            return env
    for _ in range(tries):
        env = {
            name: random.choice(FAR) + random.randint(-3, 3) if random.random() < 0.5 else random.randint(-40, 300)
            for name in names
        }
        if refutes(claim, assume, env):
            return env
    return None


# --- the campaign


@dataclass
class Tally:
    counts: Counter[str] = field(default_factory=Counter)
    times: list[float] = field(default_factory=list)
    wrong: list[str] = field(default_factory=list)
    unknown: list[str] = field(default_factory=list)
    slow: list[str] = field(default_factory=list)

    def line(self) -> str:
        ordered = sorted(self.times)

        def at(share: float) -> float:
            return 1e3 * ordered[int(share * (len(ordered) - 1))]

        counts = " ".join(f"{name} {count}" for name, count in sorted(self.counts.items()))
        times = f"median {at(0.5):.2f} p95 {at(0.95):.1f} p99 {at(0.99):.1f} max {at(1.0):.0f} ms"
        return f"{len(ordered)} questions: {counts}; over 2 s: {len(self.slow)}; {times}"


def asked(claim: Term, assume: list[Term], random: Random, tally: Tally, tries: int = 250) -> None:
    said, given = text(claim), [text(each) for each in assume]
    start = time.process_time()
    answer = prove(said, given)
    seconds = time.process_time() - start
    tally.times.append(seconds)
    row = json.dumps([said, given])
    if seconds > 2:
        tally.slow.append(f"{seconds:.2f} {row}")
    if isinstance(answer, Refuted):
        tally.counts["refuted"] += 1
        env = {**dict.fromkeys(symbols(claim, *assume), 0), **answer.model}
        if not refutes(claim, assume, env):
            tally.wrong.append(f"{row}: {answer}")
    elif isinstance(answer, Proved):
        tally.counts["proved"] += 1
        found = counterexample(claim, assume, random, tries)
        if found is not None:
            tally.wrong.append(f"{row}: {answer}, but {found}")
    else:
        tally.counts["unknown"] += 1
        found = counterexample(claim, assume, random, 4 * tries)
        tally.unknown.append(f"{row} {answer.reason}; {answer.stage}; {'false at ' + str(found) if found else 'true?'}")


def campaign(seed: int, count: int, tries: int = 250) -> Tally:
    tally = Tally()
    for number in range(count):
        random = Random(f"{seed}/{number}")
        claim, assume = question(random)
        asked(claim, assume, random, tally, tries)
    return tally


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("count", type=int)
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args()
    tally = campaign(options.seed, options.count)
    for name in ("wrong", "slow", "unknown"):
        for each in getattr(tally, name):
            print(f"{name}: {each}")
    print(tally.line())


if __name__ == "__main__":
    main()
