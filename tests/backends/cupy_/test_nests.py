"""What is seen of loop nests, against what their iterations do: which variables an index tells, which loops are
independent, what is folded along a row."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from itertools import product

import pytest

import refrelax as rr
from refrelax.backends.cupy_.forms import ROW_LEAST, _dependent, is_row, neutral
from refrelax.backends.cupy_.nests import nest_of, reduction_of
from refrelax.backends.digits import determined
from refrelax.semantics.dims import value
from refrelax.syntax.loops import BufferStore, For, PrimFunc, SBlock, Stmt
from refrelax.syntax.scalars import Binary, BufferLoad, PrimExpr, SymVar, int_imm

I, J = SymVar("i", "int64"), SymVar("j", "int64")


def plus(a: PrimExpr, b: PrimExpr | int) -> PrimExpr:
    return Binary("Add", a, int_imm(b) if isinstance(b, int) else b)


def times(a: PrimExpr, k: int) -> PrimExpr:
    return Binary("Mul", a, int_imm(k))


INDICES: list[PrimExpr] = [
    I, J, int_imm(1), plus(I, 1), plus(I, J), plus(times(I, 4), J), plus(times(I, 3), J), plus(times(I, 5), J),
    plus(times(J, 3), I), plus(times(J, 2), I), times(I, 2), times(I, 0), plus(I, I), Binary("FloorDiv", J, int_imm(2)),
    Binary("Sub", int_imm(3), J), plus(plus(times(I, 4), J), 2), Binary("Mul", int_imm(4), I), Binary("Mul", I, J),
]  # fmt: skip


def loop(var: SymVar, extent: PrimExpr | int, body: tuple[Stmt, ...], least: int = 0) -> For:
    return For(var, int_imm(least), int_imm(extent) if isinstance(extent, int) else extent, body)


DOMAINS: Mapping[str, For] = {"i": loop(I, 3, ()), "j": loop(J, 4, ())}
POINTS = [{"i": i, "j": j} for i, j in product(range(3), range(4))]


def test_an_index_tells_what_can_be_read_back() -> None:
    for index in INDICES:
        found = determined(index, DOMAINS)
        for name in found:
            for one, other in product(POINTS, repeat=2):
                assert value(index, one) != value(index, other) or one[name] == other[name], (index, name)
    for index, names in (
        (I, "i"), (plus(times(I, 4), J), "ij"), (plus(times(J, 3), I), "ij"), (plus(I, 1), "i"),
        (plus(times(I, 5), J), "ij"), (Binary("Mul", int_imm(4), I), "i"), (int_imm(1), ""),
    ):  # fmt: skip
        assert determined(index, DOMAINS) == set(names), index
    assert determined(plus(times(I, 4), J), {"i": DOMAINS["i"]}) == frozenset()
    wide = {**DOMAINS, "j": loop(J, SymVar("n", "int64"), ())}  # nobody knows how many there are
    assert determined(plus(times(I, 4), J), wide) == frozenset()
    assert determined(plus(times(J, 3), I), wide) == {"i", "j"}


def nest(stored: tuple[PrimExpr, ...], loaded: tuple[PrimExpr, ...]) -> For:
    """``B[stored] = B[loaded]`` in two loops."""
    store = BufferStore("B", BufferLoad("B", loaded, "float32"), stored)
    return loop(I, 3, (loop(J, 4, (store,)),))


def test_iterations_of_an_independent_loop_share_no_element() -> None:
    rows = [(a,) for a in INDICES[:8]] + [(I, J), (J, I), (I, int_imm(0)), (plus(I, 1), J), (I, plus(J, 1))]
    for stored, loaded in product(rows, repeat=2):
        if len(stored) != len(loaded):
            continue
        found = {each.var.name for each in nest_of(nest(stored, loaded)).parallel}
        if not found:
            continue
        touched = [(at, {tuple(value(e, at) for e in index) for index in (stored, loaded)}) for at in POINTS]
        for name in found:
            assert all(p[name] == q[name] or not a & b for (p, a), (q, b) in product(touched, repeat=2)), (
                stored,
                loaded,
            )
        if stored == loaded == (I, J):
            assert found == {"i", "j"}
    assert nest_of(nest((I,), (I,))).parallel[0].var == I
    assert not nest_of(nest((I, J), (J, I))).parallel


def test_a_loop_whose_bounds_are_of_another_is_dependent() -> None:
    short, own = loop(J, I, ()), loop(I, 3, ())
    read = loop(J, BufferLoad("n", (int_imm(0),), "int64"), ())
    late = replace(loop(J, 4, ()), min=I)
    assert not _dependent([own, loop(J, SymVar("n", "int64"), ())]) and not _dependent([])
    assert _dependent([own, short]) and _dependent([read]) and _dependent([own, late]) and not _dependent([short])


def test_what_changes_no_combination() -> None:
    assert neutral("Add", "f32") == "-0.0" and neutral("Add", "i32") == "0"
    assert neutral("Mul", "f64") == neutral("Mul", "i64") == "1" and neutral("First", "i64") == "-1"
    for kind, infinity in (("f32", "f32_from(0x7f800000u)"), ("f64", "f64_from(0x7ff0000000000000ULL)")):
        assert neutral("Max", kind) == neutral("Greatest", kind) == f"-{infinity}"
        assert neutral("Min", kind) == neutral("Least", kind) == infinity
    for kind, bits in (("i32", 31), ("i64", 63)):
        assert neutral("Max", kind) == f"({kind})(1ULL << {bits})"
        assert neutral("Min", kind) == f"({kind})((1ULL << {bits}) - 1)"


SUM = """
@I.ir_module
class Module:
    @T.prim_func
    def main(A: T.Buffer({shape}, "{dtype}"), B: T.Buffer((2,), "{dtype}")):
        for i, j, k in T.grid(2, {rows}, {columns}):
            with T.sblock("b"):
                v, r, c = T.axis.remap("SRR", [i, j, k])
                with T.init():
                    B[v] = T.{dtype}(0)
                B[v] = B[v] {op} A[{at}]
"""


@pytest.mark.parametrize(
    ("rows", "columns", "at", "op", "dtype", "wanted"),
    [
        (1, ROW_LEAST, "r, c", "+", "float32", True), (1, ROW_LEAST - 1, "r, c", "+", "float32", False),
        (4, ROW_LEAST // 4, "r, c", "+", "float32", True), (1, ROW_LEAST, "c, r", "+", "float32", False),
        (1, ROW_LEAST, "r, c", "-", "float32", False), (1, ROW_LEAST, "r, c", "+", "int8", False),
        (1, ROW_LEAST, "r, c", "*", "int32", True), (1, ROW_LEAST, "0, 0", "+", "float32", False),
    ],
)  # fmt: skip
def test_what_is_folded_along_a_row(rows: int, columns: int, at: str, op: str, dtype: str, wanted: bool) -> None:
    text = SUM.format(shape=(columns, columns), rows=rows, columns=columns, at=at, op=op, dtype=dtype)
    main = rr.parse(text).functions["main"]
    assert isinstance(main, PrimFunc)
    found = reduction_of(nest_of(main.body[0]))
    assert found is not None and isinstance(found.block, SBlock)
    assert {each.var.name for each in found.nest.parallel} == {"i"}
    assert is_row(found) is wanted
