"""Indices and elements as text, and what is known of them: a row for each kind, and one for what is just not it."""

from __future__ import annotations

from typing import Any

import pytest

pytest.importorskip("numpy")

from refrelax.backends.cupy_.bounds import Bounds, arithmetic, conjuncts, symbols, widened
from refrelax.backends.cupy_.expressions import Text, Used
from refrelax.backends.cupy_.names import c_name, letters
from refrelax.backends.cupy_.nests import PRIVATE_LIMIT, small
from refrelax.backends.cupy_.vectors import contiguous, width
from refrelax.lower.claims import Ledger
from refrelax.syntax.loops import Buffer, For
from refrelax.syntax.scalars import (
    Binary,
    BufferLoad,
    Cast,
    Intrinsic,
    Let,
    Literal,
    Not,
    PrimExpr,
    Select,
    SymVar,
    bool_imm,
    int_imm,
)  # fmt: skip

N, M, I, J, E = map(SymVar, ("n", "m", "i", "j", "e"))
ZERO, ONE, TWO = map(int_imm, (0, 1, 2))
LOAD = BufferLoad("S", (ZERO,), "int64")
FLOAT = Literal("float32", 0)


def text() -> Text:
    """In a loop of ``i`` over ``n``; ``j`` begins at ``m``; ``e`` is an element."""
    bounds = Bounds(Ledger("quick"), "f", frozenset({"n", "m"}), {"i": (ZERO, N), "j": (M, N)})
    buffers = {"S": Buffer("S", (N,), "int64"), "A": Buffer("A", (N, M), "float32")}
    return Text(buffers, bounds, False, Used(), local={"i", "j", "e"}, elements={"e"})


def less(a: PrimExpr, b: PrimExpr) -> PrimExpr:
    return Binary("LT", a, b)


INDICES: dict[str, tuple[PrimExpr, bool, str]] = {
    "a number": (int_imm(-3), True, "-3"),
    "true": (bool_imm(True), True, "true"),
    "false": (bool_imm(False), True, "false"),
    "a variable": (I, True, "i"),
    "a symbol": (N, True, "n"),
    "a sum": (Binary("Add", I, N), True, "(i + n)"),
    "a comparison": (less(I, N), True, "(i < n)"),
    "not": (Not(less(I, N)), True, "!(i < n)"),
    "the less": (Binary("Min", I, N), True, "minimum((idx)i, (idx)n)"),
    "the greater": (Binary("Max", I, N), True, "maximum((idx)i, (idx)n)"),
    "a half": (Binary("FloorDiv", I, TWO), True, "(i / 2)"),
    "a rest": (Binary("FloorMod", I, TWO), True, "(i % 2)"),
    "a truncated half": (Binary("Div", I, TWO), True, "(i / 2)"),
    "a truncated rest": (Binary("Mod", I, TWO), True, "(i % 2)"),
    "half of what may be negative": (Binary("FloorDiv", Binary("Sub", I, N), TWO), True, None),
    "by a symbol": (Binary("FloorDiv", I, M), True, None),
    "by nothing": (Binary("FloorDiv", I, ZERO), True, None),
    "by a negative number": (Binary("FloorDiv", I, int_imm(-2)), True, None),
    "wider": (Cast("int64", SymVar("i", "int32")), True, "i"),
    "narrower": (Cast("int32", I), True, "(i64)(i32)i"),
    "a choice": (Intrinsic("if_then_else", (less(I, N), I, ZERO), "int64"), True, "((i < n) ? i : 0)"),
    "a select": (Select(less(I, N), I, ZERO), True, "((i < n) ? i : 0)"),
    "likely": (Intrinsic("likely", (less(I, N),), "bool"), True, "(i < n)"),
    "bits": (Intrinsic("bitwise_and", (I, ONE), "int64"), False, None),
    "an element": (E, False, None),
    "memory": (LOAD, False, None),
    "a sum with memory": (Binary("Add", I, LOAD), False, None),
    "a rest of memory": (Binary("Min", LOAD, I), False, None),
    "a let": (Let(SymVar("k"), ONE, I), False, None),
    "a float": (Cast("int64", FLOAT), False, None),
}  # type: ignore[dict-item]  # fmt: skip


@pytest.mark.parametrize("name", INDICES)
def test_indices(name: str) -> None:
    expr, index, wanted = INDICES[name]
    made = text()
    assert made.is_index(expr) is index
    if wanted is None:
        return
    assert made.index(expr) == wanted
    assert (expr in [e for e, _ in made.used.indices]) is not isinstance(expr, Literal | SymVar)
    assert set(made.used.symbols) == {n.name for n in symbols(expr)} - {"i", "j", "e"}


QUOTIENTS = {
    "half of what may be negative": "floordiv((idx)(i - n), (idx)2)",
    "by a symbol": "floordiv((idx)i, (idx)m)",
    "by nothing": "floordiv((idx)i, (idx)0)",
    "by a negative number": "floordiv((idx)i, (idx)-2)",
}


@pytest.mark.parametrize("name", QUOTIENTS)
def test_quotients_that_c_has_not(name: str) -> None:
    found = text().index(INDICES[name][0])
    assert found.partition("(")[2] == QUOTIENTS[name].partition("(")[2] and " / " not in found


def test_what_comes_from_memory_is_64_bits_wide() -> None:
    assert text()._width(Binary("Min", LOAD, I)) == "i64" and text()._width(Binary("Min", I, N)) == "idx"


OFFSETS: dict[str, tuple[tuple[PrimExpr, ...], tuple[PrimExpr, ...], str, str]] = {
    "a row": ((N,), (I,), "i", ""),
    "a place": ((N, M), (I, ZERO), "(i) * m + at(0, m)", "m > 0"),
    "two": ((N, N), (I, I), "(i) * n + i", ""),
    "three": ((N, N, TWO), (I, I, ONE), "((i) * n + i) * 2 + 1", ""),
    "of one row": ((ONE, N), (ZERO, I), "i", ""),
    "of one column": ((N, ONE), (I, ZERO), "i", ""),
    "one element": ((ONE, ONE), (ZERO, ZERO), "0", ""),
    "no axis": ((), (), "0", ""),
    "the first row": ((TWO, N), (ZERO, I), "i", ""),
    "the second row": ((TWO, N), (ONE, I), "(1) * n + i", ""),
    "outside of a number": ((TWO,), (TWO,), "at(2, 2)", ""),
    "below": ((TWO,), (int_imm(-1),), "at(-1, 2)", ""),
    "from memory": ((N,), (LOAD,), "at((i64)S[at(0, n)], n)", "n > 0"),
    "one behind": ((N,), (Binary("Add", I, ONE),), "at((i + 1), n)", "n > 0"),
    "one before": ((N,), (Binary("Sub", I, ONE),), "at((i - 1), n)", "n > 0"),
    "as long as another": ((M,), (I,), "at(i, m)", "m > 0"),
    "from the middle": ((N,), (J,), "at(j, n)", "n > 0"),
    "turned": ((N,), (Binary("Sub", Binary("Sub", N, ONE), I),), "((n - 1) - i)", ""),
}  # fmt: skip


@pytest.mark.parametrize("name", OFFSETS)
def test_offsets(name: str) -> None:
    shape, at, wanted, some = OFFSETS[name]
    made, buffer = text(), Buffer("B", shape, "float32")
    found = made.offset(buffer, at)
    if name == "from memory":
        assert found.startswith("at(") and found.endswith(", n)")
    else:
        assert found == wanted
    assert made.some(buffer, at) == some


# --- what is known ---------------------------------------------------------------------------------------------------


def test_conjuncts() -> None:
    a, b, c = less(I, N), less(J, M), Binary("EQ", I, ZERO)
    turned = {op: Binary(other, I, N) for op, other in  # type: ignore[arg-type]
              {"LT": "GE", "GE": "LT", "LE": "GT", "GT": "LE", "EQ": "NE", "NE": "EQ"}.items()}  # fmt: skip
    assert conjuncts(Binary("And", a, Binary("And", b, c))) == [a, b, c]
    assert conjuncts(Binary("Or", a, b)) == [Binary("Or", a, b)]
    assert conjuncts(Not(Binary("Or", a, b))) == [Binary("GE", I, N), Binary("GE", J, M)]
    assert conjuncts(Not(Binary("And", a, b))) == [Not(Binary("And", a, b))]
    for op, wanted in turned.items():
        assert conjuncts(Not(Binary(op, I, N))) == [wanted]  # type: ignore[arg-type]
    assert conjuncts(Not(Not(Binary("And", a, b)))) == [a, b]
    assert conjuncts(Intrinsic("likely", (Binary("And", a, b),), "bool")) == [a, b]
    assert conjuncts(Intrinsic("isnan", (a,), "bool")) == [Intrinsic("isnan", (a,), "bool")]


ARITHMETIC: list[tuple[PrimExpr, bool]] = [
    (Binary("Add", I, int_imm(3)), True), (less(I, N), True), (Not(less(I, N)), True), (Cast("int32", I), True),
    (Intrinsic("if_then_else", (less(I, N), I, ZERO), "int64"), True), (SymVar("k", "uint8"), True),
    (Intrinsic("likely", (less(I, N),), "bool"), False), (Intrinsic("bitwise_and", (I, ONE), "int64"), False),
    (LOAD, False), (Binary("Add", I, LOAD), False), (FLOAT, False), (Cast("int64", FLOAT), False),
    (Select(less(I, N), I, ZERO), False), (SymVar("h", "handle"), False),
]  # fmt: skip


@pytest.mark.parametrize(("expr", "wanted"), ARITHMETIC)
def test_arithmetic(expr: PrimExpr, wanted: bool) -> None:
    assert arithmetic(expr) is wanted


def test_widened() -> None:
    k, t = SymVar("k", "int32"), SymVar("t", "bool")
    assert widened(k) == SymVar("k") and widened(t) == t
    assert widened(int_imm(-3, "int8")) == int_imm(-3) and widened(bool_imm(True)) == bool_imm(True)
    assert widened(Binary("Add", k, int_imm(1, "int32"))) == Binary("Add", SymVar("k"), ONE)
    assert widened(Not(t)) == Not(t)
    assert widened(Cast("int64", k)) == SymVar("k")
    assert widened(Cast("int8", k)) == Cast("int8", SymVar("k"))
    chosen = Intrinsic("if_then_else", (t, k, k), "int32")
    assert widened(chosen) == Intrinsic("if_then_else", (t, SymVar("k"), SymVar("k")), "int64")
    assert widened(Intrinsic("if_then_else", (t, t, t), "bool")).dtype == "bool"
    assert widened(LOAD) == LOAD


def test_never_negative() -> None:
    bounds = text().bounds
    for expr in (I, N, Binary("Add", I, N), Binary("Mul", I, N)):
        assert bounds.never_negative(expr)
    for expr in (J, Binary("Sub", I, N), SymVar("k"), LOAD):
        assert bounds.never_negative(expr) is (expr is J)
    below = Bounds(Ledger("quick"), "f", frozenset(), {"i": (int_imm(-1), N)})
    assert not below.never_negative(I)


def test_what_a_condition_says_holds_inside_alone() -> None:
    bounds, k = text().bounds, SymVar("k")
    with bounds.knowing(Binary("And", Binary("GE", k, ZERO), less(LOAD, N))):
        assert bounds.path == [Binary("GE", k, ZERO)] and bounds.never_negative(k)
        with bounds.knowing(less(k, N)):
            assert bounds.inside(k, N, "B")
        assert not bounds.inside(k, N, "B")
    assert bounds.path == [] and not bounds.never_negative(k)
    scope = bounds.scope()
    scope.learn(less(k, N))
    scope.domains["z"] = (ZERO, N)
    assert bounds.path == [] and "z" not in bounds.domains and scope.obligations is bounds.obligations


def test_steps_that_may_leave_64_bits_are_seen_at_the_launch() -> None:
    bounds = text().bounds
    assert bounds.inside(I, N, "B") and bounds.obligations == []
    whole = Binary("Mul", Binary("Mul", N, N), N)
    assert bounds.inside(Binary("Mul", I, N), Binary("Mul", N, N), "B") and bounds.obligations == []
    bounds.never_negative(Binary("Mul", whole, N))
    count = len(bounds.obligations)
    bounds.never_negative(Binary("Mul", whole, N))
    assert count == len(bounds.obligations) == 1


# --- names, and elements side by side --------------------------------------------------------------------------------


def test_names_are_kept_apart() -> None:
    assert [c_name(n) for n in ("x", "x1", "x10", "A")] == ["x", "x1", "x10", "A"]
    assert [c_name(n) for n in ("for", "xy", "f32", "i8", "exp2", "atan2", "x_", "x1_")] == [
        "for_", "xy_", "f32_", "i8_", "exp2_", "atan2_", "x__", "x1__",
    ]  # fmt: skip
    assert c_name("é") == "uc3a9__u"
    assert [letters(k) for k in (0, 25, 26, 27, 51, 52, 701, 702)] == ["a", "z", "aa", "ab", "az", "ba", "zz", "aaa"]


def test_buffers_that_a_thread_has_for_itself() -> None:
    rows = {(): True, (PRIVATE_LIMIT,): True, (PRIVATE_LIMIT + 1,): False, (2, PRIVATE_LIMIT): False, (0, 9**9): True}
    for dims, wanted in rows.items():
        assert small(Buffer("B", tuple(map(int_imm, dims)), "float32")) is wanted
    assert not small(Buffer("B", (N,), "float32")) and not small(Buffer("B", (N, ONE), "float32"))


def test_widths() -> None:
    assert [width(each) for each in (["float32"], ["float16", "int8"], ["float64", "float32"], ["int8"], [])] == [
        4, 8, 2, 16, 1,
    ]  # fmt: skip


def loop(var: SymVar, extent: PrimExpr) -> For:
    return For(var, ZERO, extent, ())


ROW, GRID = [loop(I, N)], [loop(I, N), loop(J, M)]

CONTIGUOUS: list[tuple[tuple[PrimExpr, ...], tuple[PrimExpr, ...], list[For], bool]] = [
    ((N,), (I,), ROW, True),
    ((M, N), (J, I), ROW, True),
    ((M, N), (J, Binary("Add", J, I)), ROW, True),
    ((M, N), (J, Binary("Add", I, J)), ROW, False),
    ((M, N), (I, J), ROW, False),
    ((M, N), (I, I), ROW, False),
    ((M, N), (I, Binary("Add", ONE, I)), ROW, False),
    ((M, N), (J, Binary("Add", I, I)), ROW, False),
    ((M, N), (J, Binary("Sub", N, I)), ROW, False),
    ((M, N), (J, Binary("Mul", TWO, I)), ROW, False),
    ((N,), (ZERO,), ROW, False),
    ((N, M), (I, J), GRID, True),
    ((TWO, N, M), (E, I, J), GRID, True),
    ((TWO, N, M), (I, I, J), GRID, False),
    ((TWO, N, M), (Binary("Add", E, J), I, J), GRID, False),
    ((N, M), (J, I), GRID, False),
    ((N, N), (I, J), GRID, False),
    ((N, M), (I, Binary("Add", ONE, J)), GRID, False),
    ((N, M), (Binary("Add", ONE, I), J), GRID, True),
    ((N, M), (Binary("Add", J, I), J), GRID, False),
    ((M,), (J,), GRID, False),
    ((N,), (I,), [], False),
]


@pytest.mark.parametrize(("shape", "at", "loops", "wanted"), CONTIGUOUS)
def test_contiguous(shape: Any, at: Any, loops: list[For], wanted: bool) -> None:
    assert contiguous(Buffer("B", shape, "float32"), at, loops) is wanted
    assert not contiguous(Buffer("B", shape, "float32", scalar=True), at, loops)
    assert not contiguous(Buffer("B", (*shape, ONE), "float32"), at, loops)
