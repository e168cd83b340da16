"""What a record is about, computed at small extents: the terms of its results, element by element.

An evaluator of its own, which shares nothing with the checker: floats are Python's, functions that it does not know are
smooth functions of their operands. ``differs`` looks for a point at which a record says what is false.
"""

from __future__ import annotations

import math
import random
import struct
import zlib
from collections.abc import Iterator
from itertools import product
from typing import Any

POISON = object()
NOTHING = object()
MOST = 20_000

BINARY = {
    "add": lambda a, b: a + b, "sub": lambda a, b: a - b, "mul": lambda a, b: a * b,
    "floordiv": lambda a, b: a // b, "floormod": lambda a, b: a % b,
    "truncdiv": lambda a, b: abs(a) // abs(b) * (1 if (a < 0) is (b < 0) else -1),
    "truncmod": lambda a, b: int(math.fmod(a, b)), "min": min, "max": max,
    "shl": lambda a, b: a << b, "shr": lambda a, b: a >> b, "xor": lambda a, b: a ^ b,
}  # fmt: skip
COMPARED = {
    "lt": lambda a, b: a < b, "le": lambda a, b: a <= b, "gt": lambda a, b: a > b, "ge": lambda a, b: a >= b,
    "eq": lambda a, b: a == b, "ne": lambda a, b: a != b, "iff": lambda a, b: bool(a) == bool(b),
}  # fmt: skip
DIVISIONS = ("floordiv", "floormod", "truncdiv", "truncmod")
FLOATS = ("float16", "float32", "float64", "bfloat16")


class Undefined(Exception):
    """An integer that has no value, or too much work."""


class Values:
    """The elements of a record's tensors at one valuation of its globals."""

    def __init__(self, document: Any, globals_: dict[str, int], seed: int) -> None:
        self.terms = [row for row in document["table"] if isinstance(row, list)]
        self.tensors = [row for row in document["table"] if isinstance(row, dict)]
        self.globals = globals_
        self.seed = seed
        self.left = MOST

    def integer(self, e: Any, env: dict[str, int]) -> Any:
        match e:
            case ["const", value]:
                return value
            case ["true" | "false" as truth]:
                return truth == "true"
            case ["sym", name]:
                return env[name]
            case ["elem", t]:
                found = self.term(t, env)
                if found is POISON:
                    raise Undefined
                return found
            case ["wrap", dtype, a]:
                return wrapped(self.integer(a, env), dtype)
            case ["abs", a]:
                return abs(self.integer(a, env))
            case ["not", a]:
                found = self.integer(a, env)
                return not found if isinstance(found, bool) else ~found
            case ["select", c, a, b]:
                return self.integer(a if self.integer(c, env) else b, env)
            case ["and" | "or" as op, a, b]:
                x, y = self.integer(a, env), self.integer(b, env)
                return x & y if op == "and" else x | y
            case ["implies", a, b]:
                return not self.integer(a, env) or self.integer(b, env)
            case [op, a, b]:
                x, y = self.integer(a, env), self.integer(b, env)
                if op in COMPARED:
                    return COMPARED[op](x, y)
                if (op in ("floordiv", "floormod", "truncdiv", "truncmod") and y == 0) or (
                    op in ("shl", "shr") and y < 0
                ):
                    raise Undefined
                return BINARY[op](x, y)
        raise AssertionError(e)

    def term(self, number: int, env: dict[str, int]) -> Any:
        self.left -= 1
        if self.left < 0:
            raise Undefined
        match self.terms[number]:
            case ["int", _, e]:
                return self.integer(e, env)
            case ["number", dtype, bits]:
                return decoded(dtype, bits)
            case ["apply", op, dtype, attrs, args]:
                found = [self.term(a, env) for a in args]
                return POISON if POISON in found else applied(op, dtype, attrs, found)
            case ["load", tensor, indices]:
                return self.element(tensor, [self.integer(i, env) for i in indices])
            case ["choose", c, yes, no]:
                test = self.term(c, env)
                return POISON if test is POISON else self.term(yes if test else no, env)
            case ["fold", op, start, axes, guard, body, _]:
                result = self.term(start, env)
                for below in self.points(axes, env):
                    item = self.term(body, below) if guard is None or self.integer(guard, below) else NOTHING
                    if POISON in (item, result):
                        return POISON
                    result = result if item is NOTHING else applied(op, self.dtype(body), "", [result, item])
                return result
            case ["open"]:
                return POISON
            case ["nothing", *_]:
                return NOTHING
        raise AssertionError(number)

    def dtype(self, number: int) -> str:
        match self.terms[number]:
            case ["int" | "number", dtype, *_] | ["apply", _, dtype, *_]:
                return str(dtype)
            case ["load", tensor, _]:
                return str(self.tensors[tensor]["dtype"])
            case ["choose", _, yes, no]:
                return self.dtype(yes) or self.dtype(no)
            case ["fold", _, _, _, _, body, _]:
                return self.dtype(body)
        return ""

    def points(self, axes: Any, env: dict[str, int]) -> Iterator[dict[str, int]]:
        if not axes:
            yield env
            return
        (name, extent), *rest = axes
        for k in range(self.integer(extent, env)):
            yield from self.points(rest, {**env, name: k})

    def element(self, tensor: int, indices: list[int]) -> Any:
        row = self.tensors[tensor]
        shape = [self.integer(d, self.globals) for d in row["shape"]]
        if not all(0 <= i < d for i, d in zip(indices, shape, strict=True)):
            return POISON
        if "body" in row:
            return self.term(row["body"], {**self.globals, **dict(zip(row["variables"], indices, strict=True))})
        if "data" in row:
            flat = 0
            for i, d in zip(indices, shape, strict=True):
                flat = flat * d + i
            return decoded(row["dtype"], row["data"][flat])
        if (fact := self.told(row, indices)) is not None:
            return self.term(fact, {})
        rng = random.Random(f"{self.seed} {tensor} {indices}")
        drawn = rng.randint(-6, 6)
        if row["dtype"].startswith(("int", "uint")) and self.seed % 3 == 0:  # (words at their ends as well)
            return wrapped(
                rng.choice((drawn, drawn + (1 << int(row["dtype"].lstrip("uint")) - 1), -drawn << 7)), row["dtype"]
            )
        if row["dtype"] == "bool":
            return drawn > 0
        return float(drawn) if row["dtype"] in FLOATS else abs(drawn) if row["dtype"][0] == "u" else drawn

    def told(self, row: Any, indices: list[int]) -> int | None:
        """The term that an element is by a fact, of those whose names are small."""
        for names, given, said, value in row.get("facts", ()):
            for at in product(range(-1, 7), repeat=len(names)):
                env = {**self.globals, **dict(zip(names, at, strict=True))}
                if [self.integer(e, env) for e in said] == indices and all(self.integer(e, env) for e in given):
                    return int(value)
        return None


def decoded(dtype: str, bits: int) -> Any:
    if dtype == "float32":
        return struct.unpack("<f", struct.pack("<I", bits & 0xFFFFFFFF))[0]
    if dtype == "float64":
        return struct.unpack("<d", struct.pack("<Q", bits & (2**64 - 1)))[0]
    return bits


def wrapped(value: int, dtype: str) -> int:
    width = int(dtype.lstrip("uint"))
    value &= (1 << width) - 1
    return value - (1 << width) if dtype[0] != "u" and value >> (width - 1) else value


def applied(op: str, dtype: str, attrs: str, args: list[Any]) -> Any:
    whole = dtype.startswith(("int", "uint"))
    match op, args:
        case (("Add" | "Sub" | "Mul"), [a, b]):
            found = {"Add": a + b, "Sub": a - b, "Mul": a * b}[op]
            return wrapped(found, dtype) if whole else found
        case "FloorDiv", [int() as a, int() as b]:
            return a // b
        case "FloorMod", [int() as a, int() as b]:
            return a % b
        case (("T.bitwise_and" | "T.bitwise_or" | "T.bitwise_xor"), [a, b]):
            return {"and": a & b, "_or": a | b, "xor": a ^ b}[op[-3:]]
        case "T.bitwise_not", [a]:
            return not a if dtype == "bool" else wrapped(~a, dtype)
        case "T.shift_left", [a, int() as b] if 0 <= b < 64:
            return wrapped(a << b, dtype)
        case "T.shift_right", [a, int() as b] if 0 <= b < 64:
            return a >> b
        case "Cast", [a] if dtype == "bool":
            return bool(a)
        case "Max", [a, b]:
            return math.nan if a != a or b != b else max(a, b)
        case "Min", [a, b]:
            return math.nan if a != a or b != b else min(a, b)
        case "And", [a, b]:
            return bool(a) and bool(b)
        case "Or", [a, b]:
            return bool(a) or bool(b)
        case "Not", [a]:
            return not a
        case (("EQ" | "NE" | "LT" | "LE"), [a, b]):
            return COMPARED[op.lower()](a, b)
        case "Div", [float() as a, float() as b]:
            return a / b if b else math.nan
        case "Cast", [a] if dtype in FLOATS:
            return float(a)
        case "Cast", [int() as a] if whole:
            return wrapped(int(a), dtype)
        case "T.fabs", [a]:
            return abs(a)
    known = zlib.crc32(f"{op} {dtype} {attrs}".encode()) % 997 / 100
    found = sum((k + 1.37) * float(a) for k, a in enumerate(args)) * known / 10 + known
    return found if not whole else wrapped(int(found), dtype)


def same(a: Any, b: Any) -> bool:
    if isinstance(a, float) or isinstance(b, float):
        return (a != a and b != b) or a == b or abs(a - b) <= 1e-6 * max(1.0, abs(a), abs(b))
    return bool(a == b)


def differs(document: Any, seed: int, points: int = 6) -> str:
    """Where a record says what is false, if a few small points show it."""
    rng = random.Random(seed)
    for _ in range(points):
        env = {name: rng.randint(0, 5) for name, sort in document["globals"].items() if sort == "int"}
        env |= {name: rng.random() < 0.5 for name, sort in document["globals"].items() if sort == "bool"}
        values = Values(document, env, rng.randrange(1000))
        try:
            if not all(values.integer(e, env) for e in document["known"]):
                continue
            for row in document["results"]:
                if "first" not in row:
                    continue
                shape = [values.integer(d, env) for d in values.tensors[row["first"]]["shape"]]
                theirs = [values.integer(d, env) for d in values.tensors[row["second"]]["shape"]]
                if shape != theirs:
                    return f"shapes {shape} and {theirs} at {env}"
                for at in product(*map(range, shape)):
                    values.left = MOST
                    a = values.element(row["first"], list(at))
                    if a is POISON:
                        continue
                    b = values.element(row["second"], list(at))
                    if b is POISON or not same(a, b):
                        return f"{a} and {b} at {at}, {env}"
        except (Undefined, OverflowError):
            continue
    return ""
