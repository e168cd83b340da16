"""A text made ready to become nests: small texts and what they become, one row for each thing that is settled.

An array is written ``name[vars] = element``, with ``*`` where it is written wherever it is read.
"""

# ruff: noqa: E501
from __future__ import annotations

from typing import Any

import pytest

from refrelax.lower.legalize.prepare import LARGEST, prepared, ranges
from refrelax.lower.legalize.site import Unfit
from refrelax.semantics.ops.meaning import data
from refrelax.syntax.scalars import Binary, PrimExpr, SymVar, as_int, int_imm
from refrelax.syntax.write.scalars import SHOWN, expression

N, M, I, J, K, L = (SymVar(name, "int64") for name in "nmijkl")
ONE, POSITIVE = int_imm(1), Binary("GT", I, int_imm(0))
X, Z = (data.Operand(name, (N, M), "float32") for name in "XZ")
T = data.Operand("T", (N,), "int64")
OPEN = data.OpenElement("op.x/open", "float32")


def read(array: Any, *at: PrimExpr) -> data.Read:
    return data.Read(array, at, array.dtype)


def op(name: str, *args: Any, at: str = "float32") -> data.Operation:
    return data.Operation(name, at, at, args)


def fold(item: Any, *names: SymVar, how: str = "add", dims: tuple[PrimExpr, ...] = ()) -> data.Fold:
    family = data.Each(names, dims or (N, M)[: len(names)], item)
    return data.Fold("reduce", "float32", "float32", how, (family,))


def listed(*items: Any, how: str = "add", name: str = "reduce") -> data.Fold:
    return data.Fold(name, "float32", "float32", how, (data.Items(items),))


def array(name: str, body: Any, dims: tuple[PrimExpr, ...] = (N, M), dtype: str = "float32") -> data.Definition:
    return data.Definition(name, dims, dtype, (I, J, L)[: len(dims)], body)


def shown(t: Any) -> str:
    match t:
        case data.Read():
            return f"{t.array.name}[{', '.join(map(index, t.at))}]"
        case data.Operation():
            return f"{t.name}({', '.join(map(shown, t.args))})"
        case data.Choice():
            return f"({index(t.condition)} ? {shown(t.then)} : {shown(t.other)})"
        case data.Fold():
            return f"{t.name}.{t.op}({', '.join(map(shown, t.families))})"
        case data.Each():
            return f"{', '.join(v.name for v in t.vars)}: {shown(t.item)}"
        case data.Items():
            return f"[{', '.join(map(shown, t.items))}]"
        case data.Literal():
            return index(t.value) if not isinstance(t.value, int | float) else str(t.value)
        case _:
            return type(t).__name__


def index(e: PrimExpr) -> str:
    return expression(e, SHOWN) if as_int(e) is None else str(as_int(e))


def ready(*steps: Any, needed: bool = True, opaque: dict[str, Any] | None = None, outputs: int = 1) -> list[str]:
    """What the text becomes whose last array is the output."""
    program = data.Program([X, Z, T], list(steps), list(steps[-outputs:]), [], opaque or {})
    made = prepared(program, lambda _: needed)
    found = []
    for each in made.steps:
        if isinstance(each, data.Requirement):
            found.append(f"require {index(each.condition)}")
        else:
            star = "*" if id(each) in made.inlined else ""
            found.append(f"{star}{each.name}[{', '.join(v.name for v in each.vars)}] = {shown(each.body)}")
    assert [each.name for each in made.outputs] == [each.name for each in program.outputs]
    return found


HERE, THERE = read(X, I, J), read(Z, I, J)
PLUS, TIMES = op("add", HERE, THERE), op("multiply", HERE, THERE)
WHOLE = op("floordiv", data.Literal("int64", 4), data.Literal("int64", 2), at="int64")
REAL = op("floordiv", data.Literal("float32", 4), data.Literal("float32", 2))
WHOLES = op("mod", data.Literal("int32", 4), data.Literal("int32", 2), at="int32")


def choice(then: Any, other: Any) -> data.Choice:
    return data.Choice(POSITIVE, then, other)


ELEMENTS: dict[str, tuple[Any, bool, str]] = {
    "the first of two forms": (data.Either("float32", (PLUS, TIMES)), True, "add(X[i, j], Z[i, j])"),
    "forms in a form": (data.Either("float32", (data.Either("float32", (TIMES, PLUS)), HERE)), True, "multiply(X[i, j], Z[i, j])"),
    "forms in an operation": (op("exp", data.Either("float32", (PLUS, TIMES))), True, "exp(add(X[i, j], Z[i, j]))"),
    "a selection": (op("select", PLUS, HERE, THERE), True, "select(add(X[i, j], Z[i, j]), X[i, j], Z[i, j])"),
    "a selection of what is open": (op("select", PLUS, OPEN, THERE), True, "Z[i, j]"),
    "a selection of what is open otherwise": (op("select", PLUS, HERE, OPEN), True, "X[i, j]"),
    "another operation on what is open": (op("other", PLUS, HERE, OPEN), True, "other(add(X[i, j], Z[i, j]), X[i, j], OpenElement)"),
    "a choice": (choice(HERE, THERE), False, "(i > 0 ? X[i, j] : Z[i, j])"),
    "a choice of what is open": (choice(OPEN, THERE), False, "Z[i, j]"),
    "a choice of what is open otherwise": (choice(HERE, OPEN), False, "X[i, j]"),
    "a choice that a read needs": (choice(OPEN, THERE), True, "(i > 0 ? 0 : Z[i, j])"),
    "a choice that a read needs otherwise": (choice(THERE, OPEN), True, "(i > 0 ? Z[i, j] : 0)"),
    "a choice that an inner read needs": (choice(op("exp", THERE), OPEN), True, "(i > 0 ? exp(Z[i, j]) : 0)"),
    "a choice that no read needs": (choice(OPEN, op("exp", data.Literal("float32", 2))), True, "exp(2)"),
    "a choice that a division needs": (choice(OPEN, WHOLE), False, "(i > 0 ? 0 : floordiv(4, 2))"),
    "a choice that another division needs": (choice(OPEN, WHOLES), False, "(i > 0 ? 0 : mod(4, 2))"),
    "a choice that no division needs": (choice(OPEN, REAL), False, "floordiv(4, 2)"),
    "a choice of nothing": (choice(OPEN, OPEN), False, "0"),
    "nothing": (OPEN, True, "0"),
    "a sum of some": (listed(HERE, THERE, HERE), True, "add(add(X[i, j], Z[i, j]), X[i, j])"),
    "a product of some": (listed(HERE, THERE, how="mul"), True, "mul(X[i, j], Z[i, j])"),
    "a sum of one": (listed(HERE), True, "X[i, j]"),
    "a sum of none": (listed(), True, "reduce.add([])"),
    "the greatest of some": (listed(HERE, THERE, how="max"), True, "reduce.max([X[i, j], Z[i, j]])"),
    "the last of some": (listed(HERE, THERE, name="last"), True, "last.add([X[i, j], Z[i, j]])"),
    "forms in a fold": (fold(data.Either("float32", (read(X, K, J), HERE)), K), True, "reduce.add(k: X[k, j])"),
    "forms in a list": (listed(data.Either("float32", (HERE, PLUS)), how="max"), True, "reduce.max([X[i, j]])"),
}  # fmt: skip


@pytest.mark.by_day(6)
@pytest.mark.parametrize("name", ELEMENTS)
def test_elements(name: str) -> None:
    body, needed, wanted = ELEMENTS[name]
    assert ready(array("y", body), needed=needed) == [f"y[i, j] = {wanted}"]


def test_nothing_is_one_where_there_is_no_zero() -> None:
    for dtype, wanted in (("float8_e8m0fnu", 1), ("float8_e5m2", 0)):
        assert ready(array("y", OPEN, dtype=dtype)) == [f"y[i, j] = {wanted}"]
        chosen = choice(
            data.OpenElement("op.x/open", dtype), data.Read(data.Operand("E", (N, M), dtype), (I, J), dtype)
        )
        assert ready(array("y", chosen, dtype=dtype)) == [f"y[i, j] = (i > 0 ? {wanted} : E[i, j])"]


def test_what_is_chosen_by_an_element_is_no_nest() -> None:
    with pytest.raises(Unfit):
        ready(array("y", data.Bound("float32", K, read(T, I), HERE, int_imm(0), N)))


def test_no_element_is_larger_than_can_be_read() -> None:
    most = listed(*[HERE] * (LARGEST - 1), how="max")
    assert len(ready(array("y", most))) == 1
    for more in (
        listed(*[HERE] * LARGEST, how="max"),
        op("exp", most),
        choice(most, HERE),
        data.Either("float32", (most,)),
    ):
        with pytest.raises(Unfit):
            ready(array("y", more))
    twice: Any = HERE  # (what is shared counts as often as it would be printed)
    for _ in range(9):
        twice = op("add", twice, twice)
    with pytest.raises(Unfit):
        ready(array("y", twice))


# --- which arrays there are -------------------------------------------------------------------------------------------

SUM = fold(read(X, K, J), K)
HEAVY, LIGHT, CAST = array("h", PLUS), array("h", read(X, J, I)), array("h", op("cast", HERE))


def of(h: data.Definition, *at: PrimExpr) -> data.Read:
    return read(h, *(at or (I, J)))


ARRAYS: dict[str, tuple[list[Any], list[str]]] = {
    "a fold in an element": (
        [array("y", op("exp", SUM))], ["y_add[i, j] = reduce.add(k: X[k, j])", "y[i, j] = exp(y_add[i, j])"]
    ),
    "one fold twice": (
        [array("y", op("add", SUM, op("exp", SUM)))],
        ["y_add[i, j] = reduce.add(k: X[k, j])", "y[i, j] = add(y_add[i, j], exp(y_add[i, j]))"],
    ),
    "two folds": (
        [array("y", op("add", SUM, fold(read(Z, K, J), K, how="max")))],
        ["y_add[i, j] = reduce.add(k: X[k, j])", "y_max[i, j] = reduce.max(k: Z[k, j])", "y[i, j] = add(y_add[i, j], y_max[i, j])"],
    ),
    "a fold under a condition": (
        [array("y", choice(SUM, HERE))], ["y_add[i, j] = reduce.add(k: X[k, j])", "y[i, j] = (i > 0 ? y_add[i, j] : X[i, j])"]
    ),
    "a fold under a condition otherwise": (
        [array("y", choice(HERE, SUM))], ["y_add[i, j] = reduce.add(k: X[k, j])", "y[i, j] = (i > 0 ? X[i, j] : y_add[i, j])"]
    ),
    "a fold that is all": ([array("y", SUM)], ["y[i, j] = reduce.add(k: X[k, j])"]),
    "what nobody reads": ([HEAVY, array("y", THERE)], ["y[i, j] = Z[i, j]"]),
    "a requirement": ([data.Requirement(POSITIVE, "op.x/open"), array("y", THERE)], ["require i > 0", "y[i, j] = Z[i, j]"]),
    "what is read once": ([HEAVY, array("y", op("exp", of(HEAVY)))], ["*h[i, j] = add(X[i, j], Z[i, j])", "y[i, j] = exp(h[i, j])"]),
    "what is read once, turned": (
        [HEAVY, array("y", of(HEAVY, J, I))], ["*h[i, j] = add(X[i, j], Z[i, j])", "y[i, j] = h[j, i]"]
    ),
    "what is read twice": (
        [HEAVY, array("y", op("add", of(HEAVY), of(HEAVY)))], ["h[i, j] = add(X[i, j], Z[i, j])", "y[i, j] = add(h[i, j], h[i, j])"]
    ),
    "what is read along a diagonal": (
        [HEAVY, array("y", op("exp", of(HEAVY, I, I)))], ["h[i, j] = add(X[i, j], Z[i, j])", "y[i, j] = exp(h[i, i])"]
    ),
    "what is read at one place": (
        [HEAVY, array("y", op("exp", of(HEAVY, I, int_imm(0))))], ["h[i, j] = add(X[i, j], Z[i, j])", "y[i, j] = exp(h[i, 0])"]
    ),
    "what is read once in a fold": (
        [HEAVY, array("y", fold(of(HEAVY, I, K), K, dims=(M,)), (N,))], ["*h[i, j] = add(X[i, j], Z[i, j])", "y[i] = reduce.add(k: h[i, k])"]
    ),
    "what is read again and again in a fold": (
        [HEAVY, array("y", fold(of(HEAVY, I, K), K, dims=(M,)))], ["h[i, j] = add(X[i, j], Z[i, j])", "y[i, j] = reduce.add(k: h[i, k])"]
    ),
    "what is read in a fold of two": (
        [HEAVY, array("y", fold(of(HEAVY, K, L), K, L), ())], ["*h[i, j] = add(X[i, j], Z[i, j])", "y[] = reduce.add(k, l: h[k, l])"]
    ),
    "what is read over an axis of one": (
        [HEAVY, array("y", op("exp", of(HEAVY)), (N, M, ONE))], ["*h[i, j] = add(X[i, j], Z[i, j])", "y[i, j, l] = exp(h[i, j])"]
    ),
    "what is read over an axis of two": (
        [HEAVY, array("y", op("exp", of(HEAVY)), (N, M, int_imm(2)))], ["h[i, j] = add(X[i, j], Z[i, j])", "y[i, j, l] = exp(h[i, j])"]
    ),
    "what only moves": (
        [LIGHT, array("y", op("add", of(LIGHT), of(LIGHT, I, I)))], ["*h[i, j] = X[j, i]", "y[i, j] = add(h[i, j], h[i, i])"]
    ),
    "what only converts": (
        [CAST, array("y", op("add", of(CAST), of(CAST, I, I)))], ["*h[i, j] = cast(X[i, j])", "y[i, j] = add(h[i, j], h[i, i])"]
    ),
}  # fmt: skip


@pytest.mark.by_day(6)
@pytest.mark.parametrize("name", ARRAYS)
def test_arrays(name: str) -> None:
    steps, wanted = ARRAYS[name]
    assert ready(*steps) == wanted


def test_a_fold_is_an_array_of_its_own() -> None:
    h = array("h", SUM)
    assert ready(h, array("y", op("exp", of(h)))) == ["h[i, j] = reduce.add(k: X[k, j])", "y[i, j] = exp(h[i, j])"]


def test_outputs_are_arrays_of_their_own() -> None:
    assert ready(HEAVY, array("y", op("exp", of(HEAVY))), outputs=2)[0] == "h[i, j] = add(X[i, j], Z[i, j])"
    assert ready(LIGHT, array("y", op("exp", of(LIGHT))), outputs=2)[0] == "h[i, j] = X[j, i]"


def test_what_is_written_in_what_is_written_twice_is_an_array() -> None:
    """``h`` is read once, by an array that only moves it; whoever reads that twice would compute ``h`` twice."""
    moved = array("m", of(HEAVY, J, I))
    once, twice = array("y", op("exp", of(moved))), array("y", op("add", of(moved), of(moved)))
    assert ready(HEAVY, moved, once)[0].startswith("*h") and ready(HEAVY, moved, twice)[0].startswith("h")
    assert ready(HEAVY, moved, once)[1].startswith("*m") and ready(HEAVY, moved, twice)[1].startswith("*m")


# --- indices that are elements ----------------------------------------------------------------------------------------


@pytest.mark.parametrize(("count", "is_written"), [(1, True), (3, True), (4, False)])
def test_an_index_of_many_elements_is_computed_once(count: int, is_written: bool) -> None:
    names = [SymVar(f"?{k}", "int64") for k in range(count)]
    whole: PrimExpr = names[0]
    for each in names[1:]:
        whole = Binary("Add", whole, each)
    h = array("h", data.Literal("float32", Binary("Add", whole, N)))
    y = array("y", op("add", of(h), of(h, I, I)))
    (first, _) = ready(h, y, opaque={v.name: (read(T, I), "int64") for v in names})
    assert first.startswith("*h") is is_written


Q = SymVar("?0", "int64")


def counting(where: PrimExpr, *steps: Any) -> list[str]:
    """What is read at the number of elements of a table that are less than one at ``where``."""
    item = op("less", read(T, K), read(T, where), at="int64")
    return ready(*steps, opaque={"?0": (fold(item, K), "int64")})


def test_a_count_has_an_array_where_one_array_needs_it() -> None:
    y = array("y", read(X, Q, J))
    assert counting(I, y) == ["y_count[i, j] = reduce.add(k: less(T[k], T[i]))", "y[i, j] = X[?0, j]"]
    assert counting(I, array("z", read(X, I, Q)), array("y", op("exp", read(X, Q, J))))[-1] == "y[i, j] = exp(X[?0, j])"
    two = counting(I, z := array("z", op("exp", read(X, I, Q))), array("y", op("add", read(X, Q, J), of(z))))
    assert not any("_count" in each for each in two)


def test_a_count_inside_of_a_fold_has_none() -> None:
    assert counting(L, array("y", fold(read(X, Q, L), L, dims=(M,)))) == ["y[i, j] = reduce.add(l: X[?0, l])"]


def test_variables_and_what_they_are_below() -> None:
    program = data.Program([X], [data.Requirement(POSITIVE, "op.x/open"), array("y", op("exp", fold(HERE, K, L)))])
    assert list(ranges(program)) == [(I, N), (J, M), (K, N), (L, M)]
