# ruff: noqa: E501
"""A fourth author's questions: graphs that grow, of which parts are used again.

Beside ``outside.py``, ``heldout.py`` and ``native.py``, and unlike them: a question is a pool of integers and truths that
grows by operators on what is in it, so that parts repeat; values stand beside the text, over a table of points drawn
first. Claims are what the table does not refute: comparisons of pool members, extremes, laws whose sides are wrapped in
the same operators, implications whose premise is a second fact, conjunctions of what holds, choices and disjunctions
whose one side has no value where the other decides. A fifth of them is drawn whatever the table says.
``python -m tests.shape_solver.grown 5000 --seed 1`` prints a table.
"""

from __future__ import annotations

import argparse
import json
import time
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass
from random import Random

from refrelax.shape_solver import Proved, Refuted, prove

Value = int | None
Point = tuple[int, ...]
NAMES = ("a", "b", "c", "d")
BITS = (8, 16, 32, 64)
CASTS = tuple(sign + str(bits) for sign in ("int", "uint") for bits in BITS)


def _shift(x: int, k: int) -> Value:
    if k < 0 or (x and k > 40_000) or x.bit_length() > 40_000:
        return None
    return x << k if x else 0


def _cast(name: str) -> Callable[[int], int]:
    signed, bits = name[0] == "i", int(name.lstrip("uint"))
    half = 1 << (bits - 1)
    return lambda x: ((x + half) & ((1 << bits) - 1)) - half if signed else x & ((1 << bits) - 1)


def _toward_zero(x: int, y: int) -> int:
    return -(-x // y) if (x < 0) != (y < 0) else x // y


ARITHMETIC: dict[str, Callable[[int, int], Value]] = {
    "+": lambda x, y: x + y, "-": lambda x, y: x - y, "*": lambda x, y: x * y,
    "//": lambda x, y: x // y if y else None, "%": lambda x, y: x % y if y else None,
    "truncdiv": lambda x, y: _toward_zero(x, y) if y else None,
    "truncmod": lambda x, y: x - y * _toward_zero(x, y) if y else None,
    "min": min, "max": max, "<<": _shift, ">>": lambda x, k: None if k < 0 else x >> min(k, 1 << 17),
    "&": lambda x, y: x & y, "|": lambda x, y: x | y, "^": lambda x, y: x ^ y,
}  # fmt: skip
ORDER: dict[str, Callable[[int, int], bool]] = {
    "==": lambda x, y: x == y, "!=": lambda x, y: x != y, "<": lambda x, y: x < y,
    "<=": lambda x, y: x <= y, ">": lambda x, y: x > y, ">=": lambda x, y: x >= y,
}  # fmt: skip
CALLED = ("truncdiv", "truncmod", "min", "max")


@dataclass(frozen=True)
class Part:
    """A text and how it is computed."""

    text: str
    at: Callable[[Point], Value]

    def on(self, points: list[Point]) -> list[Value]:
        return [self.at(point) for point in points]


def symbol(place: int) -> Part:
    return Part(NAMES[place], lambda point: point[place])


def number(value: int) -> Part:
    return Part(str(value) if value >= 0 else f"({value})", lambda point: value)


def joined(op: str, x: Part, y: Part) -> Part:
    f = ARITHMETIC.get(op) or ORDER[op]

    def at(point: Point) -> Value:
        left, right = x.at(point), y.at(point)
        return None if left is None or right is None else f(left, right)

    return Part(f"{op}({x.text}, {y.text})" if op in CALLED else f"({x.text} {op} {y.text})", at)


def converted(name: str, x: Part) -> Part:
    f = _cast(name)
    return Part(f"{name}({x.text})", lambda point: None if (v := x.at(point)) is None else f(v))


def inverted(x: Part) -> Part:
    return Part(f"(~{x.text})", lambda point: None if (v := x.at(point)) is None else -1 - v)


def chosen(test: Part, x: Part, y: Part) -> Part:
    def at(point: Point) -> Value:
        c = test.at(point)
        return None if c is None else (x if c else y).at(point)

    return Part(f"select({test.text}, {x.text}, {y.text})", at)


def denied(x: Part) -> Part:
    return Part(f"(not {x.text})", lambda point: None if (v := x.at(point)) is None else 1 - v)


def lazy(op: str, x: Part, y: Part) -> Part:
    """``and or implies``: the second is looked at where the first does not decide."""
    decided = {"and": (0, 0), "or": (1, 1), "implies": (0, 1)}[op]

    def at(point: Point) -> Value:
        first = x.at(point)
        if first is None:
            return None
        return decided[1] if bool(first) == bool(decided[0]) else y.at(point)

    return Part(f"implies({x.text}, {y.text})" if op == "implies" else f"({x.text} {op} {y.text})", at)


# --- growing


@dataclass
class Pool:
    random: Random
    symbols: list[Part]
    integers: list[Part]

    def some(self) -> Part:
        r = self.random
        return r.choice(self.symbols) if r.random() < 0.45 else r.choice(self.integers)

    def constant(self) -> Part:
        r = self.random
        shapes = (r.randint(-9, 20), 1 << r.randint(0, 12), (1 << r.randint(1, 16)) - 1, -(1 << r.randint(0, 8)),
                  r.randint(-200, 5000), r.choice((2**31 - 1, 2**31, 2**16, 10**6)))  # fmt: skip
        return number(r.choice(shapes))

    def operand(self) -> Part:
        return self.constant() if self.random.random() < 0.35 else self.some()

    def divisor(self) -> Part:
        r = self.random
        roll = r.random()
        if roll < 0.6:
            return number(r.choice((2, 3, 4, 5, 6, 7, 8, 9, 10, 12, 16, 32, 64, 100, 128, 256, -1, -2, -4, -7)))
        return r.choice(self.symbols) if roll < 0.85 else self.some()

    def count(self) -> Part:
        r = self.random
        if r.random() < 0.7:
            return number(r.randint(0, 7))
        s = r.choice(self.symbols)
        return r.choice((s, joined("&", s, number(3)), joined("%", s, number(4)), joined("max", s, number(0))))

    def truth(self, depth: int = 1) -> Part:
        r = self.random
        if depth and r.random() < 0.3:
            roll = r.random()
            if roll < 0.2:
                return denied(self.truth(depth - 1))
            return lazy(r.choice(("and", "or", "implies")), self.truth(depth - 1), self.truth(depth - 1))
        return joined(r.choice(tuple(ORDER)), self.some(), self.operand())

    def grown(self) -> Part:
        r = self.random
        x = self.some()
        kind = r.choice(("ring", "ring", "ring", "quotient", "quotient", "quotient", "least", "shift", "bits", "bits", "cast", "cast",
                         "choice", "not"))  # fmt: skip
        match kind:
            case "ring":
                return joined(r.choice("+-*+-"), x, self.operand())
            case "quotient":
                return joined(r.choice(("//", "%", "truncdiv", "truncmod")), x, self.divisor())
            case "least":
                return joined(r.choice(("min", "max")), x, self.operand())
            case "shift":
                return joined(r.choice(("<<", ">>", ">>")), x, self.count())
            case "bits":
                return joined(r.choice("&|^"), x, self.operand())
            case "cast":
                return converted(r.choice(CASTS), x)
            case "choice":
                return chosen(self.truth(), x, self.operand())
            case _:
                return inverted(x)

    def fact(self) -> Part:
        r = self.random
        s, t = r.choice(self.symbols), r.choice(self.symbols)
        low = number(r.choice((-64, -7, -1, 0, 0, 0, 1, 1, 3)))
        match r.choice(
            ("low", "high", "both", "both", "both", "divides", "divides", "order", "order", "linear", "not", "symbols")
        ):
            case "low":
                return joined(r.choice((">=", ">")), s, low)
            case "high":
                return joined(r.choice(("<=", "<")), s, number(r.choice((0, 5, 9, 64, 255, 1000, 65536, 2**31))))
            case "both":
                width = r.choice((1, 2, 4, 7, 15, 31, 63, 100, 255, 256, 999, 65535, 2**31 - 1, 2**32))
                return lazy(
                    "and",
                    joined("<=", low, s),
                    joined(r.choice(("<", "<=")), s, number(int(low.text.strip("()")) + width)),
                )
            case "divides":
                m = r.choice((2, 3, 4, 5, 6, 8, 9, 12, 16, 24, 32, 64, 128))
                return joined("==", joined("%", s, number(m)), number(r.choice((0, 0, 0, r.randrange(m)))))
            case "order" if s is not t:
                return joined(r.choice(("<", "<=", ">", ">=", "!=", "==")), s, t)
            case "linear" if s is not t:
                k = number(r.choice((2, 3, 4, 8, 16)))
                return joined(r.choice(("==", "<=", "<")), s, joined("*", t, k))
            case "symbols" if s is not t:
                return joined(r.choice(("<=", "<")), joined(r.choice("+-"), s, t), number(r.choice((0, 10, 32, 255))))
            case "not":
                return joined("!=", s, number(r.choice((0, 0, 1, -1, 7))))
            case _:
                return joined(">=", s, number(0))


# --- claims


def twins(pool: Pool) -> tuple[Part, Part]:
    """Two that are one, mostly."""
    r = pool.random
    x, y, z = pool.some(), pool.operand(), pool.operand()
    c, d, k = r.choice((2, 3, 4, 5, 8, 12, 16)), r.choice((2, 3, 4, 6, 8, 10)), r.randint(0, 6)
    C, D, CD, K, P, zero = number(c), number(d), number(c * d), number(k), number(1 << k), number(0)
    t, u = r.choice(CASTS), r.choice(CASTS)
    op = r.choice(("+", "-", "*", "&", "|", "^"))
    j = joined
    test = pool.truth()
    made: list[Callable[[], tuple[Part, Part]]] = [
        lambda: (converted(t, j(op, x, y)), converted(t, j(op, converted(t, x), converted(t, y)))),
        lambda: (converted(t, converted(u, converted(t, x))), converted(t, x)),
        lambda: (j("//", j("//", x, C), D), j("//", x, CD)), lambda: (j("%", j("%", x, CD), C), j("%", x, C)),
        lambda: (j("//", j("%", x, CD), C), j("%", j("//", x, C), D)),
        lambda: (j("+", j("*", j("//", x, y), y), j("%", x, y)), x),
        lambda: (j("+", j("*", j("truncdiv", x, y), y), j("truncmod", x, y)), x),
        lambda: (j("truncmod", j("truncmod", x, CD), C), j("truncmod", x, C)),
        lambda: (j("%", j("+", j("*", x, C), y), C), j("%", y, C)), lambda: (j("%", j("-", x, y), C), j("%", j("-", j("%", x, C), j("%", y, C)), C)),
        lambda: (j("//", j("*", x, CD), C), j("*", x, D)), lambda: (j("%", j("*", x, D), CD), j("*", D, j("%", x, C))),
        lambda: (j("-", zero, j("//", j("-", zero, x), C)), j("//", j("+", x, number(c - 1)), C)),
        lambda: (j("&", x, j("|", x, y)), x), lambda: (j("^", j("&", x, y), j("&", x, z)), j("&", x, j("^", y, z))),
        lambda: (j("|", j("&", x, y), j("&", x, z)), j("&", x, j("|", y, z))),
        lambda: (j("-", j("|", x, y), y), j("&", x, inverted(y))), lambda: (j("^", x, y), j("-", j("|", x, y), j("&", x, y))),
        lambda: (j("+", x, y), j("+", j("|", x, y), j("&", x, y))), lambda: (inverted(j("-", x, y)), j("+", inverted(x), y)),
        lambda: (j("&", j(">>", x, K), number(15)), j(">>", j("&", x, number(15 << k)), K)),
        lambda: (j("<<", j("&", x, y), K), j("&", j("<<", x, K), j("<<", y, K))), lambda: (j("&", x, number(-(1 << k))), j("*", j("//", x, P), P)),
        lambda: (j("&", x, number((1 << k) - 1)), j("%", x, P)), lambda: (j("|", j("<<", x, K), number((1 << k) - 1)), j("+", j("*", x, P), number((1 << k) - 1))),
        lambda: (j("max", j("min", x, y), z), j("min", j("max", x, z), j("max", y, z))),
        lambda: (j("min", j("+", x, z), j("+", y, z)), j("+", j("min", x, y), z)), lambda: (j("-", j("max", x, y), x), j("max", zero, j("-", y, x))),
        lambda: (j("min", j("//", x, C), j("//", y, C)), j("//", j("min", x, y), C)), lambda: (chosen(j("<", x, y), y, x), j("max", x, y)),
        lambda: (chosen(test, j("+", x, z), j("+", y, z)), j("+", chosen(test, x, y), z)), lambda: (chosen(denied(test), x, y), chosen(test, y, x)),
        lambda: (j("//", chosen(test, x, y), C), chosen(test, j("//", x, C), j("//", y, C))),
        lambda: (j("*", j("+", x, y), z), j("+", j("*", x, z), j("*", y, z))), lambda: (converted(t, converted(t, x)), converted(t, x)),
        lambda: (j("&", converted("uint32", x), number(255)), converted("uint8", x)), lambda: (j("%", converted(t, x), number(256)), converted("uint8", x)),
        lambda: (chosen(j("!=", y, zero), j("//", x, y), zero), chosen(j("==", y, zero), zero, j("//", x, y))),
    ]  # fmt: skip
    return r.choice(made)()


def wrapped_alike(pool: Pool, x: Part, y: Part) -> tuple[Part, Part]:
    r = pool.random
    op = r.choice(("+", "*", "min", "&", "^", "//", "%", "cast", "select", "~"))
    z = pool.divisor() if op in ("//", "%") else pool.operand()
    if op == "cast":
        name = r.choice(CASTS)
        return converted(name, x), converted(name, y)
    if op == "~":
        return inverted(x), inverted(y)
    if op == "select":
        test = pool.truth()
        return chosen(test, x, z), chosen(test, y, z)
    return joined(op, x, z), joined(op, y, z)


def plausible(pool: Pool, points: list[Point]) -> Part:
    """A claim that no point of the table refutes, if one is found soon."""
    r = pool.random
    found = pool.truth()
    for _ in range(12):
        found = candidate(pool, points)
        if r.random() < 0.2 or 0 not in map(_bit, found.on(points)):
            break
    return found


def _bit(value: Value) -> Value:
    return value if value is None else int(bool(value))


def candidate(pool: Pool, points: list[Point]) -> Part:
    r = pool.random
    roll = r.random()
    if roll < 0.4:
        x, y = twins(pool)
        while r.random() < 0.3:
            x, y = wrapped_alike(pool, x, y)
        made = joined(r.choice(("==", "==", "==", "<=", ">=")), x, y)
    elif roll < 0.6:
        x, y = r.choice(pool.integers), pool.operand()
        made = joined(r.choice(tuple(ORDER)), x, y)
    elif roll < 0.8:
        x = r.choice(pool.integers)
        values = [v for v in x.on(points) if v is not None]
        if not values or max(map(abs, values)) >> 70:
            return pool.truth()
        made = joined(">=", x, number(min(values))) if r.random() < 0.5 else joined("<=", x, number(max(values)))
    else:
        x, y = pool.truth(), pool.truth()
        made = lazy(r.choice(("or", "implies")), x, y)
    roll = r.random()
    if roll < 0.08:
        made = lazy("implies", pool.fact(), made)
    elif roll < 0.12:
        same = pool.some()
        made = lazy("and", made, joined("<=", *wrapped_alike(pool, same, same)))
    elif roll < 0.16:
        made = lazy("or", joined("==", r.choice(pool.symbols), number(0)), made)
    return made


NEAR = (
    -9,
    -8,
    -5,
    -4,
    -3,
    -2,
    -1,
    0,
    0,
    1,
    1,
    2,
    3,
    4,
    5,
    6,
    7,
    8,
    9,
    10,
    12,
    15,
    16,
    24,
    31,
    32,
    63,
    64,
    100,
    127,
    128,
    255,
    256,
    1000,
)
FAR = (2**15, 2**16, 2**31, 2**32, 2**63, -(2**15), -(2**31), -(2**63), -129, 3**41)


def points_of(random: Random, names: int, count: int) -> list[Point]:
    def one() -> int:
        roll = random.random()
        return (
            random.choice(NEAR)
            if roll < 0.75
            else random.randint(-300, 5000)
            if roll < 0.88
            else random.choice(FAR) + random.randint(-2, 2)
        )

    return [tuple(one() for _ in range(names)) for _ in range(count)]


def question(random: Random) -> tuple[Part, list[Part]]:
    names = random.choice((2, 2, 3, 3, 4))
    symbols = [symbol(place) for place in range(names)]
    pool = Pool(random, symbols, list(symbols))
    for _ in range(random.randint(1, 5)):
        pool.integers.append(pool.grown())
    given = [pool.fact() for _ in range(random.choice((0, 1, 1, 2, 2, 3)))]
    points = admitted(given, points_of(random, names, 150))
    return plausible(pool, points), given


def admitted(given: list[Part], points: list[Point]) -> list[Point]:
    return [point for point in points if all(each.at(point) for each in given)]


def against(claim: Part, given: list[Part], points: list[Point]) -> Point | None:
    """A point at which all assumptions hold and the claim is false."""
    return next((point for point in admitted(given, points) if _bit(claim.at(point)) == 0), None)


def counterexample(random: Random, claim: Part, given: list[Part], tries: int) -> Point | None:
    grid = [(x, y, random.randint(-4, 9), random.randint(-4, 9)) for x in range(-9, 18) for y in range(-9, 18)]
    return against(claim, given, grid[:tries]) or against(claim, given, points_of(random, len(NAMES), tries))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("count", type=int)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--start", type=int, default=0)
    parser.add_argument("--logs", type=int, default=0, metavar="N", help="a certificate of each Nth that is proved")
    options = parser.parse_args()
    from refrelax.shape_solver.certify import confirm

    times: list[float] = []
    counts: Counter[str] = Counter()
    for place in range(options.start, options.start + options.count):
        random = Random(f"{options.seed}/{place}")
        claim, given = question(random)
        assume = [each.text for each in given]
        start = time.process_time()
        answer = prove(claim.text, assume)
        times.append(time.process_time() - start)
        row = json.dumps([place, claim.text, assume])
        if isinstance(answer, Proved):
            said, wrong = "proved", counterexample(random, claim, given, 400)
            if options.logs and place % options.logs == 0:
                found = confirm(json.loads(json.dumps(answer.certificate.document())), who="checker")
                counts["logged" if found.by else "unlogged"] += 1
                if found.by is None:
                    print(f"no log: {row} {answer.stages[-1].name}", flush=True)
        elif isinstance(answer, Refuted):
            said, model = "refuted", tuple(answer.model.get(name, 0) for name in NAMES)
            wrong = None if against(claim, given, [model]) else model
        else:
            said, wrong = "unknown", None
            print(f"unknown: {row} {answer.reason}; {answer.stage}; {answer.scope}", flush=True)
        counts[said] += 1
        counts["slow"] += times[-1] > 2
        counts["wrong"] += wrong is not None
        if wrong is not None:
            print(f"WRONG: {row} {answer}, but {wrong}", flush=True)
    times.sort()
    at = {share: f"{1e3 * times[int(share * (len(times) - 1))]:.1f}" for share in (0.5, 0.95, 0.99, 1.0)}
    print(f"{len(times)} questions, {dict(counts)}, ms {at}")


if __name__ == "__main__":
    main()
