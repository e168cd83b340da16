"""The tables of chapter 02, cell by cell: the words of a cell are read as a computation of their own, and compared.

Spec: ``spec/02-values.md``.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import product
from typing import Any

import refrelax as rr
from refrelax.conformance.chapters.held import chapter, held, holds, over, same, table, words
from refrelax.errors import Ended, Unspecified
from refrelax.semantics.numbers import bounds, reading
from refrelax.semantics.numbers.functions import FUNCTIONS
from refrelax.semantics.numbers.poison import Poison
from refrelax.semantics.ops.accuracy import ACCURACY
from refrelax.syntax import bits
from refrelax.syntax.dtypes import integer_range

# --- the formats

SUPERSCRIPT = str.maketrans("⁻⁰¹²³⁴⁵⁶⁷⁸⁹", "-0123456789")


@dataclass(frozen=True, slots=True)
class Patterns:
    """What the patterns of a format decode to, and the widths of its fields."""

    width: int
    fields: tuple[int, int]
    least: Fraction
    infinities: int
    nans: tuple[int, ...]
    negative: bool
    zeros: int


def format_of(dtype: str) -> Patterns:
    """A format of 8 bits or fewer from all its patterns, a wider one from those that tell its specials."""
    f = bits.FORMATS[dtype]
    every = range(1 << f.width) if f.width <= 8 else _telling(f.width, f.mantissa_bits)
    values = {pattern: bits.decode(dtype, pattern) for pattern in every}
    finite = [v for v in values.values() if math.isfinite(v)]
    return Patterns(
        f.width,
        (f.exponent_bits, f.mantissa_bits),
        min(Fraction(v) for v in finite if v > 0),
        sum(math.isinf(v) for v in values.values()),
        tuple(p for p, v in values.items() if math.isnan(v)),
        any(v < 0 for v in finite),
        sum(v == 0 for v in finite),
    )


def _telling(width: int, fraction: int) -> Iterator[int]:
    for sign, exponent, rest in product((0, 1), (0, 1, (1 << width - 1 - fraction) - 1), (0, 1)):
        yield sign << width - 1 | exponent << fraction | rest


def _all_ones(f: Patterns) -> bool:
    ones = (1 << f.width - 1) - 1
    return f.nans == (ones, ones | 1 << f.width - 1)


PHRASES: dict[str, Callable[[Patterns, re.Match[str]], bool]] = {
    r"(\d+) exponent bits": lambda f, m: f.fields[0] == int(m[1]),
    r"(\d+) mantissa bits": lambda f, m: f.fields[1] == int(m[1]),
    r"(?:(\d+) bits with )?infinities and NaNs(?: as in IEEE formats)?": lambda f, m: (
        f.infinities == 2 and len(f.nans) > 1 and (m[1] is None or f.width == int(m[1]))
    ),
    "no infinity": lambda f, _: f.infinities == 0,
    "the all-ones magnitude is NaN": lambda f, _: _all_ones(f),
    "no negative zero": lambda f, _: f.zeros == 1,
    "the pattern of −0 is NaN": lambda f, _: f.nans == (1 << f.width - 1,),
    r"powers of two from 2([⁻⁰¹²³⁴⁵⁶⁷⁸⁹]+)": lambda f, m: (
        f.fields[1] == 0 and f.least == Fraction(2) ** int(m[1].translate(SUPERSCRIPT))
    ),
    "one NaN": lambda f, _: len(f.nans) == 1,
    "no sign": lambda f, _: not f.negative,
    "no zero": lambda f, _: f.zeros == 0,
    "finite numbers only": lambda f, _: not f.infinities and not f.nans,
}
"""What is said of a format, and when it is so."""


def formats() -> list[list[str]]:
    return table("02-values.md", "| dtype | elements |")


@held("02-values.md")
@over(formats)
def what_is_said_of_a_format_is_so(row: list[str]) -> None:
    """`9 exponent bits`, and the words of one format in the row of another, went by unseen."""
    names, said = words(row[0]), row[1]
    if said.startswith("IEEE 754-2019 "):
        same(said.removeprefix("IEEE 754-2019 ").split(", "), [f"binary{n.removeprefix('float')}" for n in names])
        fields = {name: bits.FORMATS[name].exponent_bits for name in names}
        same(fields, {"float16": 5, "float32": 8, "float64": 11})  # IEEE 754-2019, table 3.5
        holds(all(format_of(name).infinities == 2 for name in names))
        return
    if "intN" in names:
        same(row, ["`intN`, `uintN`, 1 ≤ N ≤ 64", "the integers of N bits, two's complement"])
        same([integer_range(each) for each in ("int8", "uint8")], [(-128, 127), (0, 255)])
        return
    if names == ["bool"]:
        same(said, "true, false")
        return
    for phrase in re.split("[,;] ", said):
        (found,) = [(m, so) for text, so in PHRASES.items() if (m := re.fullmatch(text, phrase))]
        for name in names:
            holds(found[1](format_of(name), found[0]), f"{name}: {phrase}")


# --- the operations

Elements = tuple[Any, ...]
Expected = Callable[..., Any]

SAMPLES: dict[str, tuple[Any, ...]] = {
    "bool": (False, True),
    "int8": (-128, -7, -2, -1, 0, 1, 2, 3, 127),
    "float32": (-math.inf, -2.5, -0.0, 0.0, 0.75, 1.0, 3.0, 2.0**100, math.inf, math.nan),
}
COLUMNS = ("bool", "int8", "float32")
ARITY = {
    **dict.fromkeys(("neg", "bit_not", "popcount", "clz", "isnan", "isinf", "isfinite", *FUNCTIONS), 1),
    "fma": 3,
}
MATH2 = frozenset({"pow", "atan2", "copysign", "fmod"})
OVER_INTEGERS: dict[str, Expected] = {
    "add": lambda a, b: a + b, "sub": lambda a, b: a - b, "mul": lambda a, b: a * b, "neg": lambda a: -a,
    "less": lambda a, b: a < b, "less_equal": lambda a, b: a <= b, "equal": lambda a, b: a == b,
    "not_equal": lambda a, b: a != b, "bit_and": lambda a, b: a & b, "bit_or": lambda a, b: a | b,
    "bit_xor": lambda a, b: a ^ b, "bit_not": lambda a: ~a, "abs": abs, "fma": lambda a, b, c: a * b + c,
}  # fmt: skip
"""Operations on exact numbers, as Python has them."""
ZEROS = (0.0, -0.0)


def _exact(name: str, *given: float) -> Any:
    """A sum, difference or product of finite numbers, rounded once; the rest is asked of other rules."""
    if not all(map(math.isfinite, given)):
        raise Elsewhere
    found = OVER_INTEGERS[name](*map(Fraction, given))
    if found == 0:
        raise Elsewhere
    return found


class Elsewhere(Exception):
    """The words say nothing of this."""


class LeftOpen(Exception):
    """The run is open under a rule, which is the first argument."""


class Poisoned(Exception):
    """The result is poison under a rule, which is the first argument."""


def _divided(name: str, a: Any, b: Any) -> Any:
    if b == 0:
        raise LeftOpen("num/int-division-by-zero")
    toward_zero = abs(a) // abs(b) * (1 if (a < 0) == (b < 0) else -1)
    floor = a // b
    return {"div": toward_zero, "mod": a - b * toward_zero, "floordiv": floor, "floormod": a - b * floor}[name]


def _float_divided(name: str, a: float, b: float) -> Any:
    if math.isnan(a) or math.isnan(b) or (a in ZEROS and b in ZEROS) or (math.isinf(a) and math.isinf(b)):
        return math.nan
    if name == "div" and b in ZEROS:
        return math.copysign(math.inf, math.copysign(1, a) * math.copysign(1, b))
    if b in ZEROS or math.isinf(a) or math.isinf(b) or name == "div":
        raise Elsewhere
    floor = math.floor(_rounded(Fraction(a) / Fraction(b)))
    found = {"mod": math.fmod(a, b), "floordiv": floor, "floormod": a - _rounded(Fraction(b) * floor)}[name]
    if found == 0:
        raise Elsewhere
    return found


def _rounded(value: Fraction) -> float:
    return float(bits.decode("float32", bits.encode("float32", value)))


def _shifted(name: str, *given: int) -> Any:
    if name not in ("shift_left", "shift_right"):
        raise Elsewhere
    value, count = given
    if not 0 <= count < 8:
        raise Poisoned("num/shift-range")
    return value << count if name == "shift_left" else value >> count


def _power(_name: str, a: int, b: int) -> Any:
    if b < 0:
        raise Poisoned("num/negative-power")
    return a**b


def _extreme(name: str, a: float, b: float) -> Any:
    if math.isnan(a) or math.isnan(b):
        return math.nan
    raise Elsewhere


def _elsewhere(*_: Any) -> Any:
    raise Elsewhere


def _none(*_: Any) -> Any:
    raise LeftOpen("num/no-operation")


def _fused(_name: str, a: float, b: float, c: float) -> Any:
    return _exact("fma", a, b, c)


def _compared(name: str, a: float, b: float) -> Any:
    return OVER_INTEGERS[name](a, b)


def _as_uint8(name: str, a: bool, b: bool) -> Any:
    return bool(int(a) ** int(b) & 255)


CELLS: dict[str, Expected] = {
    "none": _none,
    "*or*": lambda _, a, b: a or b,
    "*and*": lambda _, a, b: a and b,
    "*exclusive or*": lambda _, a, b: a is not b,
    "*not*": lambda _, a: not a,
    "*and*, then *or*": lambda _, a, b, c: (a and b) or c,
    "the operand": lambda _, a: a,
    "false is less than true": lambda name, a, b: OVER_INTEGERS[name](int(a), int(b)),
    "as of 0 and 1": _as_uint8,
    "false": lambda _, a: False,
    "true": lambda _, a: True,
    "`num/int-wrap`": lambda name, *given: OVER_INTEGERS[name](*given),
    "the greater": lambda _, a, b: max(a, b),
    "the smaller": lambda _, a, b: min(a, b),
    "of integers": lambda name, a, b: OVER_INTEGERS[name](a, b),
    "bit by bit": lambda name, *given: OVER_INTEGERS[name](*given),
    "`num/int-division-by-zero`": _divided,
    "`num/shift-range`, chapter 07b": _shifted,  # of the shifts; the counts of bits are in chapter 07b
    "−1, 0 or 1": lambda _, a: (a > 0) - (a < 0),
    "the product": lambda _, a: a * a,
    "the product, then the sum": lambda _, a, b, c: a * b + c,
    "`num/negative-power`": _power,
    "`num/round-once`": _exact,
    "the other sign": lambda _, a: -a,
    "`num/nan-in-extremes`": _extreme,
    "IEEE 754": _compared,
    "`num/float-division`": _float_divided,
    "`num/fma-rounds-once`": _fused,
    "chapter 07b": _elsewhere,
}
"""The words of the table: what they give for the name of an operation and its operands."""


def operations() -> list[tuple[str, str, str]]:
    """Each operation with a dtype and what its cell says of it: the words that are its own, where there are as many."""
    found = []
    for names, *cells in table("02-values.md", "| operation | of bools | of integers | of floats |"):
        listed = [name for name in words(names) if name != "every"]
        holds(len(cells) == len(COLUMNS), names)
        for dtype, cell in zip(COLUMNS, cells, strict=True):
            parts = next((p for sep in ("; ", ", ") if len(p := cell.split(sep)) == len(listed) > 1), None)
            whole = [cell] * len(listed) if parts is None or cell in CELLS else parts
            found += [(name, dtype, each) for name, each in zip(listed, whole, strict=True)]
    return found


@held("02-values.md")
@over(operations)
def what_is_said_of_an_operation_is_so(name: str, dtype: str, said: str) -> None:
    """*and* in the place of *exclusive or* went by unseen. A cell that points to chapter 07b has a meaning at least."""
    holds(said in CELLS, f"{name} of {dtype}: {said!r} is no word of the table")
    home, compared = reading("ieee").at(dtype), 0
    for given in product(SAMPLES[dtype], repeat=ARITY.get(name, 2)):
        found, out = applied(home, name, [home.lit(each) for each in given])
        try:
            wanted = CELLS[said](name, *given)
        except Elsewhere:
            holds(not isinstance(found, Unspecified), f"{name} of {dtype}")
            continue
        except (LeftOpen, Poisoned) as end:
            kind = Unspecified if isinstance(end, LeftOpen) else Poison
            holds(isinstance(found, kind), f"{name}{given} at {dtype}")
            same(getattr(found, "rule", None), end.args[0], name)
        else:
            holds(not isinstance(found, Unspecified | Poison), f"{name}{given} at {dtype}")
            there = reading("ieee").at(out)
            same(there.to_bits(found), there.to_bits(there.lit(_wrapped(wanted, out))), f"{name}{given} at {dtype}")
        compared += 1
    holds(compared or said.endswith("chapter 07b"), f"{name} of {dtype} is compared")


def _wrapped(value: Any, dtype: str) -> Any:
    return ((int(value) + 128) & 255) - 128 if dtype == "int8" else value


def applied(home: Any, name: str, given: list[Any]) -> tuple[Any, str]:
    """The result or the end of an operation, and its dtype."""
    if (name, home.dtype) == ("pow", "bool"):  # the operator makes it of numbers
        return _power_of_bools(*given), "bool"
    out = "bool" if name in ("less", "less_equal", "equal", "not_equal", "isnan", "isinf", "isfinite") else home.dtype
    try:
        if name in FUNCTIONS:
            return home.math(name)(*given), out
        return (home.math2(name) if name in MATH2 else getattr(home, name))(*given), out
    except Ended as end:
        return end.outcome, out


def _power_of_bools(a: Any, b: Any) -> Any:
    text = GRAPH.format(dtype="bool", shape="(1,)", call="R.power(x, y)")
    given = [rr.Tensor.of([each.number], "bool") for each in (a, b)]
    out = rr.run(rr.check(rr.parse(text)), "main", *given)
    assert isinstance(out, rr.Returned)
    return reading("ieee").at("bool").lit(out.value.tolist()[0])


GRAPH = """@I.ir_module
class Module:
    @R.function
    def main(x: R.Tensor({shape}, "{dtype}"), y: R.Tensor({shape}, "{dtype}")):
        z = {call}
        return z
"""

# --- the units of what is said in words


@held("02-values.md")
def the_room_beside_the_units() -> None:
    """Where a function has more room than its units, and how much."""
    rows = {row[0]: row[1] for row in table("02-values.md", "| function | ulps |")}
    (of_one,) = bounds.OF_ONE.items()
    said = (
        f"{FUNCTIONS[of_one[0]].ulps:g}; or, where that is more and the format has at least {bounds.NARROW} "
        f"significant bits, {of_one[1]:g} unit in the last place of 1, on the side of zero"
    )
    holds(rows[f"`{of_one[0]}`"].startswith(said), f"{of_one[0]}: {said}")
    more = {name for cell, says in rows.items() if not re.fullmatch(r"[\d.]+", says) for name in words(cell)}
    same(more, {*bounds.ABSOLUTE, *bounds.OF_ONE})
    text = chapter("02-values.md")
    narrow = re.search(r"For formats of fewer than (\d+) significant bits the allowance is (\d+) where", text)
    assert narrow is not None
    limit, most = int(narrow[1]), float(narrow[2])
    for name, units in bounds.PERMITTED_ULPS.items():
        same(bounds.permitted_ulps(name, limit), units, name)
        same(bounds.permitted_ulps(name, limit - 1), min(units, most), name)
    wide = re.search(r"no wider than `2 \*\* -\(p // (\d+)\)` of the magnitude", text)
    assert wide is not None
    same([bounds.widest_decisive(p) for p in (8, 11, 24)], [2.0 ** -(p // int(wide[1])) for p in (8, 11, 24)])


@held("02-values.md")
def a_relaxation_is_what_the_reading_says() -> None:
    rows = {row[0].strip("`"): row[1] for row in table("02-values.md", "| name | permits |")}
    plain = {name: said.replace("`", "").replace("−0", "-0") for name, said in rows.items()}
    same(plain, bounds.RELAXATIONS)


# --- the words of accuracy

Sets = Sequence[tuple[float, float]]
"""The least and the greatest number of each set of permitted results."""

ONE_OF: dict[str, str] = {
    "exact": "R.maximum(x, y)", "correctly-rounded": "R.add(x, y)", "ulps": "R.exp(x)",
    "reduction": "R.sum(x, axis=[0], keepdims=True)", "stepwise": "R.nn.silu(x)", "none": "R.null_value()",
}  # fmt: skip
"""A call of an operator of each word."""
X, Y = (1e8, 1.0, -1e8, 0.75), (0.25, 0.5, 0.625, 0.125)


def _at_1(units: float, exact: float) -> Callable[[Sets], bool]:
    """Whether the set of the second element reaches so many units from the exact result, and not twice as many."""
    unit = 2.0 ** (math.frexp(exact)[1] - 24)
    return lambda sets: units * unit <= sets[1][1] - exact < 2 * units * unit


SAID_OF_SETS: dict[str, Callable[[Sets], bool]] = {
    "nothing is rounded": lambda sets: [low for low, _ in sets] == [max(pair) for pair in zip(X, Y, strict=True)],
    "the exact result, rounded once": lambda sets: all(low == high for low, high in sets),
    "what lies within the units of its function above": _at_1(bounds.PERMITTED_ULPS["exp"], math.e),
    "a sum, mean or product of many, in any order": lambda sets: sets[0][0] <= 0.75 < 2 <= sets[0][1],
    "each step under its own rule, or within the operator's units": _at_1(4, 1 / (1 + math.exp(-1))),
    "no elements": lambda sets: not sets,
}
"""How the cell of a word begins, and what that says of the sets of its call."""


def permitted(call: str) -> Sets:
    """What the reading that holds all results gives for a call."""
    text = GRAPH.format(dtype="float32", shape="(4,)", call=call)
    checked = rr.check(rr.parse(text))
    given = [rr.Tensor.of(list(each), "float32") for each in (X, Y)]
    out = rr.run(checked, "main", *given, numerics="enclosure")
    assert isinstance(out, rr.Returned)
    if not isinstance(out.value, rr.Tensor):
        return ()
    return tuple(zip(out.value.lo, out.value.hi, strict=True))


def accuracies() -> list[tuple[str, str]]:
    return [(row[0].strip("`"), row[1]) for row in table("02-values.md", "| word | permitted |")]


@held("02-values.md")
@over(accuracies)
def what_is_said_of_a_word_is_so(word: str, said: str) -> None:
    """The cells of two words, one for the other, went by unseen."""
    holds(ACCURACY[f"relax.{ONE_OF[word].partition('(')[0].removeprefix('R.')}"].word == word, ONE_OF[word])
    (so,) = [each for start, each in SAID_OF_SETS.items() if said.startswith(start)]
    holds(so(permitted(ONE_OF[word])), f"{word}: {said[:60]}")
