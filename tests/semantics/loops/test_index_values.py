"""Indices are exact: an expression over variables of known and unknown bounds gives, at every assignment, what Python's
integers give, or ends the run where an operation leaves its dtype; what is known of it holds at all of them, and it
says that it may end the run where it may. Exhaustively, over tables of operands of one byte."""

from __future__ import annotations

import operator
from collections.abc import Callable
from itertools import product
from typing import Any

import pytest

from refrelax.errors import Ended
from refrelax.semantics.loops.frame import Index, new_builder
from refrelax.semantics.loops.indices import build_index, is_index, of_indices, truncated_quotient, truncated_remainder
from refrelax.semantics.loops.judgements import JUDGEMENTS
from refrelax.syntax.scalars import Binary, BufferLoad, Cast, Intrinsic, Literal, Not, PrimExpr, Select, SymVar, int_imm

OPS: dict[str, Callable[[int, int], int]] = {
    "Add": operator.add, "Sub": operator.sub, "Mul": operator.mul, "Min": min, "Max": max,
    "FloorDiv": operator.floordiv, "FloorMod": operator.mod,
    "Div": lambda a, b: int(a / b), "Mod": lambda a, b: a - b * int(a / b),
    "EQ": operator.eq, "NE": operator.ne, "LT": operator.lt, "LE": operator.le, "GT": operator.gt, "GE": operator.ge,
}  # fmt: skip
WRAPS = ("Add", "Sub", "Mul", "FloorDiv", "Div", "FloorMod", "Mod")
"""Operations whose result is held to the dtype."""

BOXES: dict[str, tuple[int | None, int | None]] = {
    "a": (0, 5), "b": (-3, 4), "c": (1, 3), "d": (100, 127), "e": (-128, -120), "p": (2, None), "q": (None, 6),
    "u": (None, None),
}  # fmt: skip
"""Variables of one byte, by what is known of them."""

LOW, HIGH = -128, 127


def values(name: str) -> list[int]:
    """What a variable is tried at: its ends, near zero, and what lies far out where there is none."""
    lo, hi = (LOW if BOXES[name][0] is None else BOXES[name][0]), (HIGH if BOXES[name][1] is None else BOXES[name][1])
    assert lo is not None and hi is not None
    return sorted({lo, hi, *(x for x in (-2, -1, 0, 1, 2, 3, lo + 1, hi - 1) if lo <= x <= hi)})


def built(expr: PrimExpr) -> tuple[Index, dict[str, int]]:
    """The expression over the variables of the table; where each lies."""
    build = new_builder(None, JUDGEMENTS)  # type: ignore[arg-type]
    slots = {name: build.variable(name, lo, hi) for name, (lo, hi) in BOXES.items()}
    return build_index(build, expr), slots


def at(index: Index, slots: dict[str, int], given: dict[str, int]) -> Any:
    """The value at an assignment, or the rule that ends the run."""
    frame = [given.get(name, 0) for name in sorted(slots, key=lambda name: slots[name])]
    try:
        return index.run(frame)
    except Ended as end:
        return end.outcome.rule  # type: ignore[union-attr]


def var(name: str, dtype: str = "int8") -> SymVar:
    return SymVar(name, dtype)


def num(value: int) -> PrimExpr:
    return int_imm(value, "int8")


def holds(expr: PrimExpr, names: tuple[str, ...], wanted: Callable[..., Any]) -> Index:
    """Values, bounds and ends, at every assignment of the variables."""
    index, slots = built(expr)
    told = []
    for found in product(*map(values, names)):
        given = dict(zip(names, found, strict=True))
        value = at(index, slots, given)
        assert value == wanted(*found), (expr, given, value)
        told.append(value)
    numbers = [int(each) for each in told if not isinstance(each, str)]
    assert index.lo is None or index.lo <= min(numbers, default=index.lo), (expr, index.lo)
    assert index.hi is None or max(numbers, default=index.hi) <= index.hi, (expr, index.hi)
    assert index.ends or not any(isinstance(each, str) for each in told), expr
    return index


def result(op: str, x: int, y: int) -> Any:
    """The value, or the rule by which there is none."""
    if op in ("FloorDiv", "FloorMod", "Div", "Mod") and y == 0:
        return "num/int-division-by-zero"
    found = OPS[op](x, y)
    return found if op not in WRAPS or LOW <= found <= HIGH else "ld/index-overflow"


@pytest.mark.by_day(6)
@pytest.mark.parametrize("op", OPS)
def test_an_operation(op: str) -> None:
    """On all pairs of variables and constants; the hull of the corners is known where both are, and nothing ends then
    that fits."""
    for x, y in product((*BOXES, 3, -4, 127, 0), repeat=2):
        names = tuple(dict.fromkeys(each for each in (x, y) if isinstance(each, str)))
        parts = [var(each) if isinstance(each, str) else num(each) for each in (x, y)]

        def wanted(*given: int, x: Any = x, y: Any = y, names: Any = names) -> Any:
            known = dict(zip(names, given, strict=True))
            return result(op, known.get(x, x), known.get(y, y))

        index = holds(Binary(op, *parts), names, wanted)  # type: ignore[arg-type]
        if op in ("Add", "Sub", "Mul", "Min", "Max") and x != y:
            (a, b), (c, d) = (BOXES[each] if isinstance(each, str) else (each, each) for each in (x, y))
            if None not in (a, b, c, d):
                corners = [OPS[op](p, q) for p, q in product((a, b), (c, d))]  # type: ignore[arg-type]
                least, most = min(corners), max(corners)
                fits = least >= LOW and most <= HIGH
                assert index.ends is not fits, (op, x, y)
                assert (index.lo, index.hi) == (max(least, LOW), min(most, HIGH)), (op, x, y)
        if op in ("EQ", "LT") and names:
            assert (index.lo, index.hi, index.ends) == (0, 1, False)
        divides = op in ("FloorDiv", "FloorMod", "Div", "Mod")
        if not names and isinstance(wanted(), int) and (not divides or (op in ("FloorDiv", "FloorMod") and y > 0)):  # type: ignore[operator]
            assert index.constant == wanted() and not index.ends


def test_what_stays_known_of_a_quotient_and_a_remainder() -> None:
    for name, c in product(BOXES, (1, 3, 7, 100)):
        lo, hi = BOXES[name]
        quotient, _ = built(Binary("FloorDiv", var(name), num(c)))
        assert (quotient.lo, quotient.hi) == (None if lo is None else lo // c, None if hi is None else hi // c)
        rest, slots = built(Binary("FloorMod", var(name), num(c)))
        if lo is not None and hi is not None and lo >= 0 and hi < c:
            assert rest.slot == slots[name]  # nothing is left to do
        else:
            assert (rest.lo, rest.hi, rest.slot) == (0, c - 1, None)
        assert not quotient.ends and not rest.ends


def test_a_choice_that_is_lazy_and_one_that_is_not() -> None:
    denied = Binary("FloorDiv", num(6), var("a"))
    chosen = (Binary("EQ", var("a"), num(0)), num(-1), denied)
    holds(Intrinsic(op="if_then_else", dtype="int8", args=chosen), ("a",), lambda a: -1 if a == 0 else 6 // a)
    holds(Select(*chosen), ("a",), lambda a: 6 // a if a else "num/int-division-by-zero")
    both, _ = built(Select(Binary("LT", var("a"), num(2)), num(4), num(9)))
    assert (both.lo, both.hi, both.ends) == (4, 9, False)
    holds(
        Select(Binary("LT", var("a"), num(2)), var("b"), var("c")), ("a", "b", "c"), lambda a, b, c: b if a < 2 else c
    )
    holds(Not(Binary("LT", var("a"), num(2))), ("a",), lambda a: a >= 2)
    holds(Intrinsic(op="likely", dtype="bool", args=(Binary("LT", var("a"), num(2)),)), ("a",), lambda a: a < 2)


def test_connectives_ask_both_sides() -> None:
    zero = Binary("EQ", Binary("FloorMod", num(6), var("a")), num(0))
    first = Binary("GT", var("a"), num(0))
    for op, joined in (("And", operator.and_), ("Or", operator.or_)):
        holds(Binary(op, first, zero), ("a",), lambda a, j=joined: j(a > 0, 6 % a == 0) if a else "num/int-division-by-zero")  # type: ignore[arg-type, misc]  # fmt: skip  # noqa: E501


def test_bits_of_an_index() -> None:
    for op, one in (("bitwise_and", operator.and_), ("bitwise_or", operator.or_)):
        for x, y in product("abcde", repeat=2):
            if x != y:
                index = holds(Intrinsic(op=op, dtype="int8", args=(var(x), var(y))), (x, y), one)
                known = BOXES[y][0] is not None and (BOXES[y][0] or 0) >= 0
                if op == "bitwise_and":
                    assert (index.lo, index.hi) == ((0, BOXES[y][1]) if known else (None, None)), (x, y)


@pytest.mark.parametrize("op", ("shift_left", "shift_right"))
def test_a_shift_is_by_less_than_the_width(op: str) -> None:
    def wanted(x: int, n: int) -> Any:
        if not 0 <= n < 8:
            return "num/shift-range"
        found = x << n if op == "shift_left" else x >> n
        return found if LOW <= found <= HIGH else "ld/index-overflow"

    holds(Intrinsic(op=op, dtype="int8", args=(var("b"), var("u"))), ("b", "u"), wanted)
    for x, n in product((1, 3, -4), (-1, 0, 2, 5, 7, 8)):
        index = holds(Intrinsic(op=op, dtype="int8", args=(num(x), num(n))), (), lambda x=x, n=n: wanted(x, n))  # type: ignore[misc]
        assert index.constant == (wanted(x, n) if isinstance(wanted(x, n), int) else None)


@pytest.mark.parametrize("target", ("int8", "uint8", "int16", "uint16", "bool", "int4"))
def test_a_cast_wraps(target: str) -> None:
    """A bool is whether it is none; bounds that fit stay, and the variable with them."""
    width = {"int8": 8, "uint8": 8, "int16": 16, "uint16": 16, "int4": 4, "bool": 1}[target]
    low, high = (-(1 << width - 1), (1 << width - 1) - 1) if target.startswith("int") else (0, (1 << width) - 1)
    for name in BOXES:
        wanted = (lambda x: x != 0) if target == "bool" else (lambda x: (x - low) % (1 << width) + low)
        index = holds(Cast(target, var(name)), (name,), wanted)
        lo, hi = BOXES[name]
        fits = target != "bool" and lo is not None and hi is not None and low <= lo and hi <= high
        assert (index.slot is not None) is fits
        assert (index.lo, index.hi) == ((lo, hi) if fits else (low, high))
    of_truth = holds(Cast(target, Binary("LT", var("a"), num(2))), ("a",), lambda a: int(a < 2))
    assert (of_truth.lo, of_truth.hi) == (0, 1) and (target == "bool" or type(at(*built(Cast(target, Binary("LT", var("a"), num(2)))), {"a": 1})) is int)  # fmt: skip  # noqa: E501


def test_division_towards_zero() -> None:
    for a, b in product(range(-9, 10), (-4, -3, -1, 1, 2, 5)):
        assert truncated_quotient(a, b) == int(a / b) and truncated_remainder(a, b) == a - b * int(a / b)


def test_what_an_index_is_made_of() -> None:
    i, x, load = SymVar("a", "int64"), SymVar("x", "float32"), BufferLoad("A", (int_imm(0),), dtype="float32")
    read = BufferLoad("A", (int_imm(0),), dtype="int64")
    good = [
        int_imm(3), i, Binary("Add", i, int_imm(1)), Not(Binary("LT", i, i)), Select(Binary("LT", i, i), i, i),
        Cast("int32", i), Cast("int64", Cast("bool", i)),
        *(Intrinsic(op=f"shift_{way}", dtype="int64", args=(i, i)) for way in ("left", "right")),
        *(Intrinsic(op=f"bitwise_{way}", dtype="int64", args=(i, i)) for way in ("and", "or")),
        Intrinsic(op="likely", dtype="bool", args=(Binary("LT", i, i),)),
        Intrinsic(op="if_then_else", dtype="int64", args=(Binary("LT", i, i), i, i)),
    ]  # fmt: skip
    bad = [
        Literal("float32", 0), x, load, read, Binary("Add", read, i), Cast("int64", x), Cast("float32", i),
        Binary("LT", x, x), Select(Binary("LT", i, i), i, read), Intrinsic(op="popcount", dtype="int64", args=(i,)),
        Intrinsic(op="tvm_struct_get", dtype="int64", args=(i,)), Intrinsic(op="isnullptr", dtype="bool", args=(i,)),
    ]  # fmt: skip
    build = new_builder(None, JUDGEMENTS)  # type: ignore[arg-type]
    build.variable("a")
    assert all(map(of_indices, good)) and not any(map(of_indices, bad))
    assert all(is_index(build, each) for each in good) and not is_index(build, SymVar("other", "int64"))
    assert of_indices(x, lambda v: True) and not of_indices(i, lambda v: False)
    assert of_indices(Intrinsic(op="isnullptr", dtype="bool", args=(i,)), field=lambda f: f.op == "isnullptr")
