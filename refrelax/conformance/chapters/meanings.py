"""What chapter 07b says that a function gives is computed in another way from its words, and compared.

Spec: ``spec/07b-intrinsics.md``.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Sequence
from typing import Any

import refrelax as rr
from refrelax.conformance.chapters.held import code, held, holds, over, same, table, words
from refrelax.conformance.chapters.intrinsics import DTYPES, dtype_of, evaluate, rows
from refrelax.semantics.intrinsics import foreign
from refrelax.semantics.numbers import reading
from refrelax.semantics.numbers.poison import Poison
from refrelax.syntax import bits
from refrelax.syntax.scalars import Intrinsic, StringImm

Given = tuple[Any, ...]
Computed = Callable[..., Any]

REALS: tuple[Given, ...] = ((-0.75,), (0.25,), (1.5,), (2.5,))
PAIRS: tuple[Given, ...] = ((2.5, -0.75), (-7.5, 2.0), (1.5, 3.0), (0.5, -0.0), (0.25, 0.25), (-3.0, -0.5))
SPECIAL: tuple[Given, ...] = ((math.inf,), (-math.inf,), (math.nan,), (1.5,), (0.0,))
WHOLE: tuple[Given, ...] = ((-7, 2), (7, -2), (5, 3), (6, 3), (-1, 1), (3, 30))


def _next(x: float, y: float) -> float:
    """By the patterns of float32, which are in the order of the numbers of a sign."""
    if x == y:
        return y
    pattern = bits.encode("float32", x)
    found = bits.decode("float32", pattern + (1 if (y > x) == (x > 0) else -1))
    return float(found)


def _whole(x: float) -> float:
    """The whole number that a number is cut to."""
    return math.copysign(abs(x) // 1, x)


def _nearest(x: float) -> float:
    below = math.floor(x)
    rest = x - below
    up = rest > 0.5 or (rest == 0.5 and below % 2 == 1)
    return math.copysign(below + up, x)


def _nearest_away(x: float) -> float:
    return math.copysign(math.floor(abs(x) + 0.5), x)


def _integral(x: float) -> float:
    """Of *e*^−*t*², by Simpson's rule."""
    step = x / 400
    parts = (math.exp(-((k * step) ** 2)) * (1 if k in (0, 400) else 4 if k % 2 else 2) for k in range(401))
    return 2 / math.sqrt(math.pi) * step / 3 * sum(parts)


def _cut(x: Any, y: Any) -> Any:
    n = abs(x) // abs(y)
    return x - y * (n if (x < 0) == (y < 0) else -n)


OF_ONE: dict[str, Computed] = {
    "*e* to the power *x*": lambda x: math.e**x,
    "2 to the power *x*": lambda x: 2**x,
    "10 to the power *x*": lambda x: 10**x,
    "*e* to the power *x*, less 1": lambda x: math.e**x - 1,
    "the natural logarithm": math.log,
    "the logarithm to base 2": lambda x: math.log(x) / math.log(2),
    "the logarithm to base 10": lambda x: math.log(x) / math.log(10),
    "the natural logarithm of 1 + *x*": lambda x: math.log(1 + x),
    "the square root": lambda x: x**0.5,
    "1 over the square root": lambda x: x**-0.5,
    "*x*·*x*": lambda x: x * x,
    "the hyperbolic tangent": lambda x: (math.exp(2 * x) - 1) / (math.exp(2 * x) + 1),
    "1 / (1 + *e*^−*x*)": lambda x: 1 / (1 + math.exp(-x)),
    "2/√π times the integral of *e*^−*t*² from 0 to *x*": _integral,
    "the sine of *x* radians": math.sin,
    "the cosine": lambda x: math.sin(x + math.pi / 2),
    "the tangent": lambda x: math.sin(x) / math.cos(x),
    "the arc sine in [−π/2, π/2]": math.asin,
    "the arc cosine in [0, π]": lambda x: math.pi / 2 - math.asin(x),
    "the arc tangent in [−π/2, π/2]": math.atan,
    "the hyperbolic sine": lambda x: (math.exp(x) - math.exp(-x)) / 2,
    "the hyperbolic cosine": lambda x: (math.exp(x) + math.exp(-x)) / 2,
    "the inverse of `sinh`": lambda x: math.log(x + math.sqrt(x * x + 1)),
    "the inverse of `cosh`, not negative": lambda x: math.log(x + math.sqrt(x * x - 1)),
    "the inverse of `tanh`": lambda x: math.log((1 + x) / (1 - x)) / 2,
    "*x* without its sign": lambda x: -x if x < 0 else x,
    "−1, 0 or 1": lambda x: (x > 0) - (x < 0),
    "the greatest whole number that is not above *x*": lambda x: x // 1,
    "the least whole number that is not below *x*": lambda x: -(-x // 1),
    "the nearest whole number, halves to the even one": _nearest,
    "the nearest whole number, halves away from zero": _nearest_away,
    "the whole part of *x*": _whole,
}
"""The words of a function of one float, and another way to compute it. Where Python has no number, it has none."""

OTHERS: dict[str, tuple[Computed, Sequence[Given]]] = {
    "*x* to the power *y*": (lambda x, y: x**y, ((2.5, -0.75), (0.5, 3.0), (2, 3), (-2, 2))),
    "the angle of the point (*y*, *x*): *x* is the ordinate": (
        lambda x, y: math.atan(x / y) + (0 if y > 0 else math.copysign(math.pi, x)),
        ((1.0, 2.0), (0.5, -2.0), (-0.5, -0.25)),
    ),
    "√(*x*² + *y*²)": (lambda x, y: math.sqrt(x * x + y * y), PAIRS),
    "*x* with the sign of *y*": (math.copysign, PAIRS),
    "the number next to *x* in the direction of *y*": (_next, ((2.5, -0.75), (-3.0, -0.5), (1.5, 3.0), (0.25, 0.25))),
    "*x*·2^*y* for an `int32` *y*, rounded once": (lambda x, y: x * 2.0**y, ((1.5, 3), (-3.0, -4))),
    "*x* − *n*·*y*, exact, for the quotient *n* cut towards 0: the sign of *x*": (_cut, PAIRS[:3]),
    "*x*·*y* + *z*, rounded once": (lambda x, y, z: x * y + z, ((2.0, 3.0, 4.0), (0.5, -3.0, 0.25))),
    "*x*·*y* + *z*, rounded once or twice": (lambda x, y, z: x * y + z, ((2.0, 3.0, 4.0), (0.5, -3.0, 0.25))),
    "whether *x* is a NaN": (lambda x: x != x, SPECIAL),
    "whether *x* is +∞ or −∞": (lambda x: abs(x) == math.inf, SPECIAL),
    "whether *x* is neither": (lambda x: x - x == 0, SPECIAL),
    "the greater": (lambda x, y: x if x > y else y, (*WHOLE, *PAIRS)),
    "the smaller": (lambda x, y: x if x < y else y, (*WHOLE, *PAIRS)),
    "*x* − *y*·(*x* / *y* cut towards 0)": (_cut, (*WHOLE, *PAIRS[:3])),
    "*x*·2^*y* modulo 2^*w*": (lambda x, y: (x * 2**y + 2**31) % 2**32 - 2**31, ((3, 30), (5, 1), (-3, 31))),
    "the floor of *x* / 2^*y*": (lambda x, y: math.floor(x / 2**y), ((-5, 1), (5, 1), (-1, 31))),
    "the number of ones among the *w* bits, wrapped into the dtype of *x*": (
        lambda x: bin(x % 2**32).count("1"), ((-1,), (6,), (0,)),
    ),
    "the number of zeros above the highest one of the *w* bits, as an `int32`": (
        lambda x: 32 - (x % 2**32).bit_length(), ((1,), (-1,), (6,)),
    ),
    "*y* where *x* holds, else *z*": (lambda x, y, z: y if x else z, ((True, 1, 2), (False, 1, 2))),
    "*x*": (lambda x: x, ((True,), (False,))),
    "whether *x*, a truth or an integer, is not 0": (lambda x: x != 0, ((True,), (False,), (3,), (0,))),
}  # fmt: skip
"""The words of other functions, another way to compute them, and what they are given."""

BIT_BY_BIT: dict[str, Computed] = {
    "bitwise_and": lambda x, y: x & y, "bitwise_or": lambda x, y: x | y, "bitwise_xor": lambda x, y: x ^ y,
    "bitwise_not": lambda x: ~x,
}  # fmt: skip


def meanings() -> list[tuple[str, str]]:
    """Each name that has an example, with its meaning up to what is said of special arguments."""
    found = []
    for name, cells in rows("Functions of floats", "Memory").items():
        said = re.split(r"; | \((?=also|`)| for an `int32` \*y\*, rounded once$|, special values", cells[0])[0]
        found.append((name, cells[0] if cells[0] in OTHERS else said))
    return found


@held("07b-intrinsics.md")
@over(meanings)
def a_meaning_is_what_the_function_gives(name: str, said: str) -> None:
    """The meanings of two functions, one for the other, and `halves to the odd one` went by unseen."""
    if (alias := re.fullmatch(r"as `(\w+)`", said)) is not None:
        for given in REALS:
            same(result(name, given), result(alias[1], given), name)
        return
    if said in OF_ONE:
        compared = [agrees(name, OF_ONE[said], given) for given in REALS]
        holds(compared.count(True) > 1, name)
    elif said in OTHERS:
        computed, samples = OTHERS[said]
        holds(all(agrees(name, computed, given) for given in samples), name)
    elif said == "bit by bit":
        one = name == "bitwise_not"
        holds(all(agrees(name, BIT_BY_BIT[name], given[:1] if one else given) for given in WHOLE), name)
    else:
        holds(name in ELSEWHERE or re.match(r"`[a-z]+/", said), f"{name}: {said!r} is no word of the tables")
        holds(ELSEWHERE.get(name, said) in said, f"{name}: {said!r}")


ELSEWHERE = {
    "reinterpret": "the bits of *x*, at the dtype that is given",
    "undef": "poison",
    "prefetch": "nothing",
    "ret": "ends the function with the value *x*",
    "break_loop": "ends the innermost loop",
    "continue_loop": "the next iteration of the innermost loop",
}
"""What is no function of numbers, and the words of no other row."""


def result(name: str, given: Given) -> float | int | None:
    """What a call gives; ``None``: poison."""
    out = DTYPES.get(name) or ("bool" if name == "ignore_loop_partition" else dtype_of(given[name == "if_then_else"]))
    ended = evaluate(name, list(given), out)
    assert isinstance(ended, rr.Returned), (name, given)
    if ended.poison:
        return None
    found = bits.decode(out, ended.arguments[-1].patterns()[0])
    assert isinstance(found, float | int)
    return found


def agrees(name: str, computed: Computed, given: Given) -> bool:
    """Whether a call gives what is computed; ``False`` too where both are no number."""
    found = result(name, given)
    try:
        wanted = computed(*given)
    except (ValueError, ZeroDivisionError):
        wanted = math.nan
    if isinstance(wanted, complex) or wanted != wanted:
        holds(found != found, f"{name}{given}")
        return False
    close = found is not None and math.isclose(found, wanted, rel_tol=1e-6)
    holds(found is not None and close and math.copysign(1, found) == math.copysign(1, wanted), f"{name}{given}")
    return True


# --- functions of LLVM and C


def foreigners() -> list[tuple[str, str, str]]:
    """Each row of the table: names, dtype, meaning."""
    return [(row[0], row[1], row[2]) for row in table("07b-intrinsics.md", "| names | dtype | meaning |")]


NO_NUMBER: dict[str, Callable[[bool, bool], bool]] = {
    "but NaN only if both are": lambda one, other: one and other,
    "NaN if one is": lambda one, other: one or other,
}
OF_FLAGGED: dict[str, dict[int, tuple[int, ...]]] = {
    "the number of zeros above the highest one, below the lowest; of 0 the width": {
        1: (31, 0),
        12: (28, 2),
        0: (32, 32),
    },
    "`abs`; of the least integer poison": {-3: (3,), 5: (5,)},
}
"""What functions with a flag give for integers of 32 bits."""
TAKEN = {
    "floats": ("float32", "float64"), "integers": ("int32", "uint32"), "signed integers": ("int32",),
    "unsigned integers": ("uint32",), "integers, and a literal flag": ("int32", "uint32"),
}  # fmt: skip
"""The dtypes of the table."""


@held("07b-intrinsics.md")
@over(foreigners)
def a_foreign_function_is_what_the_table_says(names: str, dtype: str, said: str) -> None:
    """`halves to the even one` of LLVM's `round`, and the rows of two functions exchanged, went by unseen."""
    listed = words(names)
    if listed[0] == "llvm.":
        listed = [f"llvm.{each}" for each in listed[1:]]
    if dtype in TAKEN:
        for name in listed:
            holds(taken(name) == {*TAKEN[dtype]}, f"{name} of {dtype}")
    else:
        holds("llvm" not in names and dtype in ("`float64`; with `f` behind the name `float32`", "the same"), names)
        for name in listed:
            same([foreign.c_name(name), foreign.c_name(f"{name}f")], [(name, "float64"), (name, "float32")])
    known = foreign.LLVM | foreign.C
    if said == "the function above of that name":
        same([known.get(name) for name in listed], [name.removeprefix("llvm.") for name in listed])
    elif said.startswith("as "):
        holds(all(foreign.OWN[n] == foreign.OWN[a] for n, a in zip(listed[:1], code(said)[:1], strict=True)))
        for name, other in zip(listed, code(said), strict=True):
            for given in (*PAIRS, (math.nan, 1.0)):
                count = foreign.OWN[name][0]
                same(repr(own(name, given[:count])), repr(own(other, given[:count])), name)
    elif re.fullmatch(r"(`\w+`(, )?)+", said):
        same([known.get(name) for name in listed], code(said))
    elif said in OF_ONE:
        for name in listed:
            same([own(name, given) for given in REALS], [OF_ONE[said](*given) for given in REALS], name)
    elif said.startswith("*x*·*y* + *z*, rounded once or twice"):
        x, z = 1 + 2.0**-12, -1 - 2.0**-11
        same([own(listed[0], (x, x, z)), "(`ieee`: twice)" in said], [0.0, True])
    elif (no_number := next((so for text, so in NO_NUMBER.items() if said.endswith(text)), None)) is not None:
        for name, extreme in zip(listed, code(said), strict=True):
            for given in ((1.5, -2.0), (math.nan, 1.0), (1.0, math.nan), (math.nan, math.nan)):
                wanted = (
                    math.nan
                    if no_number(*map(math.isnan, given))
                    else {"max": max, "min": min}[extreme](each for each in given if not math.isnan(each))
                )
                same(repr(own(name, given)), repr(wanted), f"{name}{given}")
    else:
        start = next((each for each in OF_FLAGGED if said.startswith(each)), None)
        holds(start is not None and said.endswith("poison (`ev/llvm-intrinsic`) where the flag is not 0"), said)
        for number, counts in OF_FLAGGED[str(start)].items():
            same(tuple(flagged(name, number, False) for name in listed), counts, names)
        worst = 0 if "of 0" in said else -(2**31)
        for name in listed:
            holds(isinstance(flagged(name, worst, True), Poison), f"{name} of {worst}")
            holds(not isinstance(flagged(name, worst, False), Poison), f"{name} of {worst}")


def own(name: str, given: Given) -> Any:
    """A function that no intrinsic means, of float32."""
    home = reading("ieee").at("float32")
    return foreign.OWN[name][1](home)(*[home.lit(each) for each in given])


def flagged(name: str, given: int, flag: bool) -> Any:
    return foreign.FLAGGED[name](reading("ieee").at("int32"))(given, flag)


def taken(name: str) -> set[str]:
    """The dtypes at which a function of LLVM has a meaning."""
    found = set[str]()
    for dtype in ("float32", "float64", "int32", "uint32"):
        for count in (1, 2, 3):
            flag = name in foreign.FLAGGED and count == 2
            args = [bits.literal(dtype, 1)] * count
            if name == "llvm.ldexp" or flag:
                args = [*args[:1], *[bits.literal("int32", 0)] * (count - 1)]
            call = Intrinsic("call_llvm_pure_intrin", (StringImm(name), *args), dtype)
            if foreign.has_meaning(call):
                found.add(dtype)
    return found
