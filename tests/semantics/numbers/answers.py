"""What the readings answer on tables of payloads: operations on one, on all pairs, and on lists of a few, of every
reading and sort of dtype. Numbers, zeros of either sign, the ends of the format, infinities, NaN; sets with a zero
inside, at an end and outside, without an end, with a NaN, with poison; nothing but poison. Of each operation the
answers in six letters.

That they are permitted is held by laws (``test_laws.py``, ``test_sets_of_values.py``, …), which leave open how wide a
set is. It is written down by ``tools/make_decisions.py``, and held by ``test_answers.py``.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from fractions import Fraction
from itertools import product
from pathlib import Path
from random import Random
from typing import Any

from refrelax.errors import Ended, InternalError, NoBits
from refrelax.semantics.numbers import ideal, reading
from refrelax.semantics.numbers.double_reals import inward
from refrelax.semantics.numbers.exact import Unsupported
from refrelax.semantics.numbers.functions import FUNCTIONS
from refrelax.semantics.numbers.ideal import DOUBLE
from refrelax.semantics.numbers.interface import MATH2
from refrelax.semantics.numbers.intervals import INF, Interval
from refrelax.semantics.numbers.intsets import between, some, truths
from refrelax.semantics.numbers.poison import Poison, poison
from refrelax.semantics.numbers.truth import FALSE, TRUE
from refrelax.syntax import bits, dtypes
from tests.digests import digest

FROZEN = Path(__file__).parent / "answers.txt"

READINGS: dict[str, Callable[[], Any]] = {
    **{
        name: lambda name=name: reading(name)
        for name in ("ieee", "enclosure", "strict", "exact", "sampled", "symbolic")
    },
    "ideal200": lambda: ideal.ideal(200),
    "ideal double": lambda: ideal.ideal(DOUBLE),
}
SINGLE = ("ieee", "exact", "sampled")
"""Whose payloads are no sets."""

FLOATS = (
    "float64", "float32", "float16", "bfloat16", "float8_e4m3fn", "float8_e5m2", "float4_e2m1fn", "float8_e8m0fnu",
)  # fmt: skip
OTHERS = ("int8", "uint8", "int64", "bool")
ASKED = [
    *(("enclosure", dtype) for dtype in (*FLOATS, *OTHERS)),
    *(("strict", dtype) for dtype in (*FLOATS, "int8", "bool")),
    *(("ieee", dtype) for dtype in (*FLOATS, *OTHERS)),
    *((name, dtype) for name in ("ideal200", "ideal double") for dtype in ("float32", "float64")),
    *(("exact", dtype) for dtype in ("float32", "float64", "int8")),
    *((name, dtype) for name in ("sampled", "symbolic") for dtype in ("float32", "float8_e4m3fn", "int8", "bool")),
]
"""Which reading of which dtype."""

RULE = "num/cast-range"
ENDS = ((-3, -1), (-1.5, 2), (-1, 0), (0, 2.5), (1, 3), (0, 0), (-INF, -2), (1, INF), (-INF, INF))


def payloads(numerics: Any, dtype: str) -> list[Any]:
    """Of a reading: single values, sets if it has some, terms of it."""
    f, sets = numerics.at(dtype), numerics.name not in SINGLE
    if numerics.name == "symbolic":
        numbers = payloads(reading("ieee"), dtype)[:5]
        return [*numbers, *(numerics.variable(each, dtype) for each in "xyz"), poison(RULE)]
    match dtypes.kind(dtype):
        case "bool":
            return [TRUE, FALSE, poison(RULE), *([truths(True, True), truths(True, False, RULE)] if sets else [])]
        case "int" | "uint":
            low, high = dtypes.integer_range(dtype)
            found: list[Any] = [0, 1, 3, 7, low, low + 1, high, high - 2, -1 if low else 5, poison(RULE)]
            ranges = [(0, 2), (1, 9), (low, low + 3), (high - 9, high), (low + 3, high - 50), (low, high)]
            return found + ([*(between(*each) for each in ranges), some((1, 5, 6)), some((0, 3), RULE)] if sets else [])
    kind = bits.FORMATS[dtype]
    least, most = float(bits.decode(dtype, 1 if kind.signed else 0)), float(bits.largest_finite(dtype))
    numbers = [0.0, -0.0, 1.0, -2.5, 0.1, 3.0, 7.0, least, -least, most, -most, INF, -INF, float("nan")]
    if numerics.name == "exact":
        return [f.lit(x) for x in numbers if x - x == 0] + [poison(RULE)]
    found = [f.cast(numerics.at("float64").lit(x), "float64") for x in numbers] + [poison(RULE)]
    if not sets:
        return found
    held = [*(Interval(float(a), float(b)) for a, b in (*ENDS, (-most, 1), (least, 0.5), (most / 4, most)))]
    held += [Interval(1.0, 2.0, True), Interval(-1.0, 2.0, False, RULE), Interval(INF, -INF, True)]
    if isinstance(f.lit(1.5), Interval) and isinstance(f.lit(1.5).lo, Fraction):
        return found + [inward(each) for each in held]
    return found + [f.cast(each, "float64") for each in held]


def lists(pool: Sequence[Any], seed: int) -> Iterator[list[Any]]:
    """Of no item, of all single ones, and drawn ones; poison would hide the others, and is seldom there."""
    turn, plain = Random(seed), [x for x in pool if not isinstance(x, Poison)]
    yield []
    yield from ([x] for x in pool)
    for k in range(60):
        yield [turn.choice(plain) for _ in range(turn.choice((2, 2, 3, 3, 4, 6)))] + ([pool[-1]] if k % 20 == 0 else [])


BINARY = ("add", "sub", "mul", "div", "mod", "floordiv", "floormod", "maximum", "minimum")
COMPARED = ("less", "less_equal", "equal", "not_equal")
TESTED = ("isnan", "isinf", "isfinite")
OF_BITS = ("bit_and", "bit_or", "bit_xor", "shift_left", "shift_right")


def operations(name: str, dtype: str) -> Iterator[tuple[str, Callable[[], Iterator[Any]]]]:
    """What is asked, by name, and the calls."""
    numerics = READINGS[name]()
    f, pool, kind = numerics.at(dtype), payloads(numerics, dtype), dtypes.kind(dtype)
    for op in (
        "neg",
        *(TESTED if name != "exact" else ()),
        *(("bit_not", "popcount", "clz") if kind != "float" else ()),
    ):
        yield op, lambda op=op: (lambda: getattr(f, op)(a) for a in pool)  # type: ignore[misc]
    for op in (*BINARY, *COMPARED, *(OF_BITS if kind != "float" else ())):
        yield op, lambda op=op: (lambda: getattr(f, op)(a, b) for a, b in pairs(pool))  # type: ignore[misc]
    for source in ("float32", "int8", "uint8", "int64", "bool"):
        if name != "exact" or source != "bool":
            yield f"of_{source}", lambda s=source: (lambda: f.cast(a, s) for a in payloads(numerics, s))  # type: ignore[misc]
    rest = [x for x in pool if not isinstance(x, Poison)]
    yield (
        "select",
        lambda: (
            lambda: f.select(t, a, b) for t in payloads(numerics, "bool") for a, b in product(rest[::3], rest[1::3])
        ),
    )
    for op in ("add", "mul", "maximum", "minimum"):
        if kind != "bool":
            yield f"reduce_{op}", lambda op=op: (lambda: f.reduce(op, each) for each in lists(pool, 1))  # type: ignore[misc]
    if kind != "float":
        for op in ("and", "or"):
            yield f"reduce_{op}", lambda op=op: (lambda: f.reduce(op, each) for each in lists(pool, 2))  # type: ignore[misc]
    if kind != "bool":
        yield "dot", lambda: (lambda: f.dot(a, a[::-1], dtype) for a in lists(pool, 3))
    for op in ("add", "mul", "maximum", "minimum") if kind != "bool" else ():
        yield f"collected_{op}", lambda op=op: (lambda: collected(f, op, each) for each in lists(pool, 4))  # type: ignore[misc]
    yield (
        "argreduce",
        lambda: (lambda: f.argreduce(op, each) for op in ("maximum", "minimum") for each in lists(pool, 5)),
    )
    yield "order", lambda: (lambda: f.order(each, down) for down in (False, True) for each in lists(pool, 6))
    yield "scan", lambda: (lambda: f.scan("add", each) for each in lists(pool, 7) if kind != "bool")
    yield (
        "promised",
        lambda: (lambda: f.reduce("add", each, "float32") for each in lists(payloads(numerics, "float32"), 8)),
    )
    yield "pick", lambda: (lambda: f.pick([pool[k % len(pool)] for k in range(10)], at) for at in positions(numerics))
    for source in ("int8", "float32", "int64", "bool"):
        width, own = dtypes.memory_bits(source), dtypes.memory_bits(dtype)
        given = payloads(numerics, source)
        if width == own:
            yield f"bits_of_{source}", lambda s=source, g=given: (lambda: f.reinterpret(a, s) for a in g)  # type: ignore[misc]
        parts = [x[k : k + max(1, own // width)] for x in (given, given[::-1]) for k in range(len(x))]
        yield f"from_{source}", lambda s=source, g=parts: (lambda: f.assemble(each, s, 0) for each in g)  # type: ignore[misc]
    yield "either", lambda: (lambda: f.either(lambda: a, lambda: b) for a, b in pairs(pool))
    yield "forms", lambda: (lambda: f.forms(f.neg, f.neg, last_holds=h)(a) for a in pool for h in (False, True))
    if kind == "bool":
        for op in ("all_of", "any_of"):
            yield op, lambda op=op: (lambda: getattr(numerics, op)(a, b) for a, b in product(pool, repeat=2))  # type: ignore[misc]
        yield "negate", lambda: (lambda: numerics.negate(a) for a in pool)
        yield "decide", lambda: (lambda: numerics.decide(a) for a in pool)
    if kind != "float":
        yield "to_index", lambda: (lambda: numerics.to_index(a, dtype) for a in pool)
    yield "poison_rule", lambda: (lambda: numerics.poison_rule(a) for a in pool)
    yield "to_bits", lambda: (lambda: f.to_bits(a) for a in pool)
    if kind == "float" and name not in ("exact", "ideal200", "ideal double"):  # (these ask the C library)
        for op in sorted(FUNCTIONS):
            if name != "sampled" and op != "lgamma":
                yield op, lambda op=op: (lambda: f.math(op)(a) for a in pool)  # type: ignore[misc]
        for op in MATH2:
            if op != "ldexp":
                yield op, lambda op=op: (lambda: f.math2(op)(a, b) for a, b in product(pool[::2], pool[::3]))  # type: ignore[misc]


def positions(numerics: Any) -> list[Any]:
    """Of ten items: one, none that is known, some of them."""
    if numerics.name == "symbolic":
        return [0, 4, 9, numerics.variable("k", "int64"), poison(RULE)]
    return [0, 4, 9, poison(RULE)] + (
        [] if numerics.name in SINGLE else [between(2, 5), some((0, 9)), some((3, 4), RULE)]
    )


def pairs(pool: Sequence[Any]) -> Iterator[tuple[Any, Any]]:
    """All, and each beside itself; of what is poison alone one."""
    yield from product([x for x in pool if not isinstance(x, Poison)], repeat=2)
    yield pool[0], next(x for x in pool if isinstance(x, Poison))


def collected(f: Any, op: str, items: list[Any]) -> list[Any]:
    """A reduction as a block with ``T.init`` makes it: from nothing, and from the first item."""
    found = []
    for first, rest in ((f.lit(1 if op == "mul" else 0), items), *([(items[0], items[1:])] if items else [])):
        so_far = f.begin(op, first)
        for each in rest:
            so_far = f.accumulate(op, so_far, each)
        found.append(f.settle(so_far))
    return found


def shown(call: Callable[[], Any]) -> str:
    """An answer, or why there is none."""
    try:
        return f"{(found := call())!r} {found}"
    except Ended as end:
        return str(getattr(end.outcome, "rule", end.outcome))
    except (InternalError, NoBits, Unsupported) as error:
        return type(error).__name__


def line(name: str, dtype: str) -> str:
    parts = (f"{op} {digest(' | '.join(map(shown, calls())))}" for op, calls in operations(name, dtype))
    return f"{name} {dtype}: {', '.join(parts)}"


def whole() -> str:
    """The text of ``FROZEN``."""
    return "".join(f"{line(*each)}\n" for each in ASKED)
