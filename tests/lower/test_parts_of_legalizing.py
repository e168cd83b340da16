"""What legalizing asks of indices, folds and claims, one question at a time: a row, and the row a step away."""

# ruff: noqa: E501
from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import pytest

import refrelax as rr
from refrelax.lower.legalize import scalars as S
from refrelax.lower.legalize.bounds import Obligation
from refrelax.lower.legalize.driver import _about, _extents, _given, _has_no_elements, _Rewriter, _Scoped, base_name
from refrelax.lower.legalize.folds import Folds, axis_of, conjunction, from_start
from refrelax.lower.legalize.from_text import called, negated
from refrelax.lower.legalize.scalars import Scalar
from refrelax.lower.legalize.site import Unfit
from refrelax.semantics.ops.meaning import data
from refrelax.syntax.graph import Function
from refrelax.syntax.scalars import Binary, BufferLoad, Literal, Not, PrimExpr, SymVar, as_int, bool_imm, int_imm
from refrelax.syntax.types import TensorType
from refrelax.syntax.write.scalars import SHOWN, expression

N, M, I, J, K = (SymVar(name, "int64") for name in "nmijk")
LOAD = BufferLoad("A", (I,), "int64")


def text(e: Scalar | PrimExpr) -> str:
    node = e.node if isinstance(e, Scalar) else e
    return expression(node, SHOWN) if as_int(node) is None else str(as_int(node))


def number(e: int | PrimExpr) -> Scalar:
    return S.index(e)


# --- indices that are seen --------------------------------------------------------------------------------------------

n, m, load = number(N), number(M), number(LOAD)
SEEN: dict[str, tuple[Scalar, str]] = {
    "7 + 5": (number(7) + number(5), "12"), "7 - 5": (number(7) - number(5), "2"), "7 * 5": (number(7) * number(5), "35"),
    "-7 // 2": (number(-7) // number(2), "-4"), "-7 % 2": (number(-7) % number(2), "1"),
    "7 // 0": (number(7) // number(0), "7 // 0"), "7 % 0": (number(7) % number(0), "7 % 0"),
    "0 // 0": (number(0) // number(0), "0"), "7 / 2": (number(7).over(number(2)), "T.Div(T.int64(7), T.int64(2))"),
    "n + 0": (n + number(0), "n"), "0 + n": (number(0) + n, "n"), "n - 0": (n - number(0), "n"), "0 - n": (number(0) - n, "0 - n"),
    "n + 1": (n + number(1), "n + 1"), "1 + n": (number(1) + n, "1 + n"),
    "n * 1": (n * number(1), "n"), "1 * n": (number(1) * n, "n"), "n * 2": (n * number(2), "n * 2"),
    "n * 0": (n * number(0), "0"), "0 * n": (number(0) * n, "0"), "n // 1": (n // number(1), "n"), "1 // n": (number(1) // n, "1 // n"),
    "0 // n": (number(0) // n, "0"), "0 % n": (number(0) % n, "0 % n"), "n % 1": (n % number(1), "0"), "n % 2": (n % number(2), "n % 2"),
    "n // 2": (n // number(2), "n // 2"), "n * m": (n * m, "n * m"), "n + m": (n + m, "n + m"),
    "load + 0": (load + number(0), "A[i]"), "load * 0": (load * number(0), "A[i] * 0"), "0 * load": (number(0) * load, "0 * A[i]"),
    "load % 1": (load % number(1), "A[i] % 1"), "0 // load": (number(0) // load, "0 // A[i]"),
    "n + 2 + 3": (n + number(2) + number(3), "n + 5"), "n + 2 - 3": (n + number(2) - number(3), "n - 1"),
    "n - 2 + 3": (n - number(2) + number(3), "n + 1"), "n - 2 - 3": (n - number(2) - number(3), "n - 5"),
    "n + 2 - 2": (n + number(2) - number(2), "n"), "n - 2 + 2": (n - number(2) + number(2), "n"),
    "n + m + 3": (n + m + number(3), "n + m + 3"), "n * 2 + 3": (n * number(2) + number(3), "n * 2 + 3"),
    "(n + 2) * 3": ((n + number(2)) * number(3), "(n + 2) * 3"), "n + 2 + m": (n + number(2) + m, "n + 2 + m"),
    "min(3, 4)": (S.minimum(number(3), number(4)), "3"), "max(3, 4)": (S.maximum(number(3), number(4)), "4"),
    "2 < 3": (S.indexed("LT", number(2), number(3)), "1"), "3 < 3": (S.indexed("LT", number(3), number(3)), "0"),
    "3 <= 3": (S.indexed("LE", number(3), number(3)), "1"), "3 != 3": (S.indexed("NE", number(3), number(3)), "0"),
    "n < 3": (S.indexed("LT", n, number(3)), "n < 3"), "3 < n": (S.indexed("LT", number(3), n), "3 < n"),
    "yes and n": (Scalar(bool_imm(True)) & (n < 3), "n < 3"), "no and n": (Scalar(bool_imm(False)) & (n < 3), "0"),
    "yes and load": (Scalar(bool_imm(True)) & (load < 3), "A[i] < 3"),
    "no and load": (Scalar(bool_imm(False)) & (load < 3), "False and A[i] < 3"),
    "n and no": ((n < 3) & Scalar(bool_imm(False)), "n < 3 and False"),
    "yes: n, m": (S.if_then_else(Scalar(bool_imm(True)), n, m), "n"), "no: n, m": (S.if_then_else(Scalar(bool_imm(False)), n, m), "m"),
    "n: n, m": (S.if_then_else(n < 3, n, m), "T.if_then_else(n < 3, n, m)"),
    "all of none": (S.all_of([]), "1"), "all of one": (S.all_of([n < 3]), "n < 3"), "all of two": (S.all_of([n < 3, m < 4]), "n < 3 and m < 4"),
    "product of none": (S.product([]), "1"), "product": (S.product([n, number(1), m]), "n * m"),
    "as it is": (S.cast("int64", n), "n"), "cast": (S.cast("int32", n), 'T.Cast("int32", n)'),
}  # fmt: skip


@pytest.mark.by_day(6)
@pytest.mark.parametrize("name", SEEN)
def test_what_is_seen_of_an_index(name: str) -> None:
    found, wanted = SEEN[name]
    assert text(found) == wanted


def test_floats_are_computed() -> None:
    x = Scalar(Literal("float32", 0))
    for found, op in ((x + 0.0, "Add"), (x * 1.0, "Mul"), (x - 0.0, "Sub")):
        assert isinstance(found.node, Binary) and found.node.op == op


# --- folds ------------------------------------------------------------------------------------------------------------

X = data.Operand("X", (N, M), "float32")


def read(*at: PrimExpr) -> data.Read:
    return data.Read(X, at, "float32")


def plus(a: PrimExpr, b: PrimExpr | int) -> Binary:
    return Binary("Add", a, int_imm(b) if isinstance(b, int) else b)


def twice(item: Any) -> data.Operation:
    return data.Operation("exp", "float32", "float32", (item,))


AXES: dict[str, tuple[Any, tuple[PrimExpr, PrimExpr | None] | None]] = {
    "the first axis": (read(K, I), (N, None)), "the second axis": (read(I, K), (M, None)),
    "an axis from a start": (read(plus(K, J), I), (N, J)), "the other way round": (read(plus(J, K), I), None),
    "a start that moves": (read(plus(K, K), I), None), "less a start": (read(Binary("Sub", K, J), I), None),
    "in an operation": (twice(read(I, K)), (M, None)), "nowhere": (read(I, J), None),
    "in a choice": (data.Choice(bool_imm(True), read(K, I), read(K, J)), None),
}  # fmt: skip


@pytest.mark.by_day(6)
@pytest.mark.parametrize("name", AXES)
def test_what_a_variable_is_below(name: str) -> None:
    item, wanted = AXES[name]
    if wanted is None:
        with pytest.raises(Unfit):
            axis_of(item, K)
    else:
        assert axis_of(item, K) == wanted


STARTS: dict[str, tuple[Any, tuple[PrimExpr, ...] | None]] = {
    "at the start": (read(plus(K, J), I), (K, I)), "twice": (read(plus(K, J), plus(K, J)), (K, K)),
    "in an operation": (twice(read(plus(K, J), I)), (K, I)), "not at all": (read(I, J), (I, J)),
    "elsewhere, too": (read(plus(K, J), K), None), "from another start": (read(plus(K, 1), I), None),
    "a number": (data.Literal("float32", 2), ()), "an index as a number": (data.Literal("float32", K), None),
    "a choice": (data.Choice(bool_imm(True), read(I, J), read(I, J)), None),
}  # fmt: skip


@pytest.mark.by_day(6)
@pytest.mark.parametrize("name", STARTS)
def test_an_element_from_a_start(name: str) -> None:
    item, wanted = STARTS[name]
    if wanted is None:
        with pytest.raises(Unfit):
            from_start(item, K, J)
        return
    found: Any = from_start(item, K, J)
    found = found.args[0] if isinstance(found, data.Operation) else found
    assert (found.at if isinstance(found, data.Read) else ()) == wanted


def test_the_greatest_length() -> None:
    for below, length, wanted in (
        ({"i": 5}, plus(I, 1), 5), ({"i": 5}, Binary("Sub", int_imm(3), I), 3), ({"i": 5}, Binary("Sub", int_imm(-3), I), 0),
        ({"i": 0}, plus(I, 1), 0), ({"i": 1}, plus(I, 1), 1), ({}, plus(I, 1), None), ({"i": 5}, plus(I, J), None),
        ({"i": 64, "j": 64}, plus(I, J), 126), ({"i": 64, "j": 65}, plus(I, J), None), ({"i": 4096}, I, 4095), ({"i": 4097}, I, None),
        ({"i": 3, "j": 4}, Binary("Mul", I, J), 6),
    ):  # fmt: skip
        own = SimpleNamespace(below={name: int_imm(each) for name, each in below.items()})
        found = Folds.greatest(own, length)  # type: ignore[arg-type]
        assert (None if found is None else as_int(found)) == wanted, (below, length)
    assert Folds.greatest(SimpleNamespace(below={"i": N}), I) is None  # type: ignore[arg-type]


def family(*dims: PrimExpr, item: Any = None, where: PrimExpr | None = None) -> data.Each:
    return data.Each((K, SymVar("l", "int64"))[: len(dims)], dims, read(K, J) if item is None else item, where)


def test_what_is_a_prefix() -> None:
    for dims, wanted in (
        ((I,), 0), ((J,), 1), ((plus(I, 1),), 0), ((plus(J, 1),), 1), ((plus(I, 2),), None), ((plus(int_imm(1), I),), None),
        ((N,), None), ((I, J), None), ((), None),
    ):  # fmt: skip
        assert Folds.ending((I, J), family(*dims)) == wanted, dims


def test_a_family_at_its_greatest_length() -> None:
    def longest(each: data.Each, **below: int) -> tuple[list[str], str, str, dict[str, Any]]:
        own: Any = SimpleNamespace(below={name: int_imm(size) for name, size in below.items()})
        own.greatest = lambda n: Folds.greatest(own, n)
        found = Folds.longest(own, each)
        where = "" if found.where is None else text(found.where)
        at = found.item.at if isinstance(found.item, data.Read) else ()
        return (
            [text(d) for d in found.dims],
            where,
            ", ".join(map(text, at)),
            {k: text(v) for k, v in own.below.items()},
        )

    assert longest(family(plus(I, 1)), i=4) == (["4"], "k < i + 1", "k, j", {"i": "4", "k": "4"})
    assert longest(family(int_imm(7)), i=4) == (["7"], "", "k, j", {"i": "4"})
    assert longest(family(plus(I, 1), where=Binary("NE", K, J)), i=4) == (
        ["4"],
        "k < i + 1 and k != j",
        "k, j",
        {"i": "4", "k": "4"},
    )
    assert longest(family(plus(I, 1))) == (["n"], "k < i + 1", "k, j", {"k": "n"})
    started = family(plus(I, 1), item=read(plus(K, J), I))
    assert longest(started) == (["n"], "j <= k and k < j + (i + 1)", "k, i", {"k": "n"}) or longest(started)[
        1
    ].startswith("j <= k and k <")
    two = family(plus(I, 1), plus(J, 1))
    assert longest(two, i=4, j=2)[:2] == (["4", "2"], "l < j + 1 and k < i + 1")
    with pytest.raises(Unfit):
        longest(family(plus(I, 1), item=read(plus(K, J), I), where=Binary("NE", K, M)))
    assert longest(family(plus(I, 1), item=read(plus(K, J), I), where=Binary("NE", I, M)))[1].endswith("i != m")


def test_conditions_together() -> None:
    assert conjunction([]) is None and conjunction([N]) is N
    assert text(conjunction([Binary("LT", I, N), Binary("LT", J, N)])) == "i < n and j < n"  # type: ignore[arg-type]
    assert text(negated(Binary("EQ", I, N))) == "i != n" and text(negated(Binary("LT", I, N))) == text(
        Not(Binary("LT", I, N))
    )
    assert text(negated(I)) == text(Not(I))


def test_what_an_array_is_called() -> None:
    def fold(op: str) -> data.Fold:
        return data.Fold("reduce", "float32", "float32", op, (family(N),))

    for op, wanted in (
        ("add", "total"),
        ("mul", "product"),
        ("maximum", "greatest"),
        ("minimum", "least"),
        ("bit_or", "bit_or"),
    ):
        assert called(fold(op)) == wanted
    assert called(twice(read(I, J))) == "exp" and called(data.Operation("ideal:sin", "", "", ())) == "sin"
    assert called(read(I, J)) == "value"


# --- claims -----------------------------------------------------------------------------------------------------------


def least(e: PrimExpr, low: int = 0) -> Binary:
    return Binary("GE", e, int_imm(low))


def test_facts_that_bear_on_a_claim() -> None:
    facts: list[PrimExpr] = [least(N), Binary("EQ", N, M), least(M), least(J), Binary("EQ", M, K), least(K)]
    assert _about([I], facts) == []
    assert _about([J], facts) == [least(J)]
    assert set(_about([N], facts)) == {each for each in facts if each != least(J)}
    assert len(_about([N], facts)) == 5 and _about([], facts) == []


def test_counts_bear_on_sums_and_products_alone() -> None:
    counts: list[PrimExpr] = [Binary("LE", Binary("Mul", N, M), int_imm(99))]
    for statement, given, facts, is_given in (
        (Binary("LT", N, M), (), [], False), (Binary("LT", plus(N, 1), M), (), [], True),
        (Binary("LT", Binary("Mul", N, M), K), (), [], True), (Binary("LT", Binary("Sub", N, M), K), (), [], False),
        (Binary("LT", N, M), (least(plus(N, 1)),), [], True), (Binary("LT", N, M), (), [least(plus(N, 1))], True),
        (Binary("LT", plus(I, 1), K), (), [], False),
    ):  # fmt: skip
        found = _given(Obligation(statement, given), list(facts), counts)
        assert (counts[0] in found) is is_given and set(given) <= set(found), text(statement)
        assert len(set(found)) == len(found) and set(facts) <= set(found)


def test_types_as_seen_from_inside() -> None:
    a, b, c = (TensorType((int_imm(k),), "float32", 1) for k in (1, 2, 3))
    types = {"x": a, "f/x": b, "f/g/y": c, "z": c}
    for path, name, wanted in (
        ("", "x", a), ("f/", "x", b), ("f/g/", "x", b), ("f/g/", "y", c), ("f/", "y", None), ("f/g/", "z", c), ("h/", "x", a),
        ("", "w", None), ("f/g/", "w", None),
    ):  # fmt: skip
        assert _Scoped(types, path)(name) == wanted, (path, name)


def test_names_that_begin_nothing() -> None:
    def unused(*names: str) -> str:
        own: Any = SimpleNamespace(names=[], name="main", checked=SimpleNamespace(types={"main": dict.fromkeys(names)}))
        own.begins = lambda prefix: _Rewriter.begins(own, prefix)
        return _Rewriter.unused(own, "y")

    assert unused() == unused("y", "y_fiel", "x_field", "z") == "y_field"
    assert unused("y", "y_field") == unused("f/y_field2") == "y_field_"
    assert unused("y_field_0", "y_field") == unused("y_field_0") == "y_field__"


def test_names_of_kernels() -> None:
    for op, wanted in (
        ("relax.add", "add"), ("relax.nn.relu", "relu"), ("relax.image.resize2d", "resize2d"), ("relax.a.b", "a_b"),
        ("relax.permute_dims", "transpose"),
    ):  # fmt: skip
        assert base_name(op) == wanted


def test_dtypes_without_elements() -> None:
    for dtype, wanted in ((None, False), ("float32", False), ("handle", True), ("float32x4", True), ("bool", False)):
        assert _has_no_elements(dtype) is wanted


PARAMS = """
n, m, k, p = T.int64(), T.int64(), T.int64(), T.int64()
@R.function
def main(x: R.Tensor((n, m * 2, 3), "float32"), s: R.Shape([m, k]), t: R.Tuple(R.Tensor((p,), "float32"), R.Tensor("float32")),
         u: R.Tensor(ndim=1)):
    return x
"""


def test_extents_of_arguments() -> None:
    function = rr.parse(PARAMS).functions["main"]
    assert isinstance(function, Function)
    assert _extents(function) == {name: least(SymVar(name, "int64")) for name in "nmkp"}
