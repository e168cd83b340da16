"""What a loop program must be in range for (`lo/in-bounds`): statements, and what is known where each is needed."""

from __future__ import annotations

from typing import Any

import pytest

from refrelax.lower.claims import within
from refrelax.lower.legalize.bounds import obligations
from refrelax.syntax.loops import (
    Buffer,
    BufferParam,
    BufferStore,
    Evaluate,
    For,
    IfThenElse,
    IterVar,
    PrimFunc,
    SBlock,
    Stmt,
)
from refrelax.syntax.scalars import Binary, BufferLoad, Cast, Intrinsic, Not, PrimExpr, Select, SymVar, int_imm

N, M, I, J, V = map(SymVar, ("n", "m", "i", "j", "v"))
ZERO, ONE, TWO = map(int_imm, (0, 1, 2))


def load(*at: PrimExpr, buffer: str = "A", dtype: str = "float32") -> BufferLoad:
    return BufferLoad(buffer, at, dtype)


def add(a: PrimExpr, b: PrimExpr) -> PrimExpr:
    return Binary("Add", a, b)


def less(a: PrimExpr, b: PrimExpr) -> PrimExpr:
    return Binary("LT", a, b)


def store(value: PrimExpr, at: PrimExpr = I) -> Stmt:
    return BufferStore("O", value, (at,))


def asked(*body: Stmt, extent: PrimExpr = N, low: PrimExpr = ZERO) -> list[tuple[PrimExpr, tuple[PrimExpr, ...]]]:
    """The statements and what is known, of a loop over ``i``; A, O and S are as long as ``n``, B is of two."""
    buffers = [Buffer("A", (N,), "float32"), Buffer("S", (N,), "int64"), Buffer("B", (TWO,), "float32")]
    out = Buffer("O", (N,), "float32")
    params: Any = tuple(map(BufferParam, (*buffers, out)))
    func = PrimFunc(params, (For(I, low, extent, body),), symbols=(N,))
    return [(each.statement, each.given) for each in obligations(func)]


RANGE = within(I, ZERO, N)
LATER = within(add(I, ONE), ZERO, N)


def test_what_needs_no_claim() -> None:
    assert asked(store(load(I))) == []
    assert asked(store(load(ZERO, buffer="B"))) == [] and asked(store(load(ONE, buffer="B"))) == []
    two = Buffer("B", (TWO,), "float32")
    for extent, count in ((ONE, 0), (TWO, 0), (int_imm(3), 1)):
        func = PrimFunc((BufferParam(two),), (For(I, ZERO, extent, (BufferStore("B", load(I, buffer="B"), (I,)),)),))
        assert len(obligations(func)) == count


@pytest.mark.parametrize(
    ("value", "index"),
    [(load(add(I, ONE)), add(I, ONE)), (load(ZERO), ZERO), (load(N), N), (load(add(I, add(I, N))), add(I, add(I, N)))],
)
def test_statements(value: PrimExpr, index: PrimExpr) -> None:
    known = (RANGE,) if index is not ZERO and index is not N else ()
    assert asked(store(value)) == [(within(index, ZERO, N), known)]


def test_numbers_outside() -> None:
    assert asked(store(load(TWO, buffer="B"))) == [(within(TWO, ZERO, TWO), ())]
    assert asked(store(load(int_imm(-1), buffer="B"))) == [(within(int_imm(-1), ZERO, TWO), ())]
    assert asked(store(load(I), N)) == [(within(N, ZERO, N), ())], "a store has an index, too"


def test_loops_from_elsewhere() -> None:
    assert asked(store(load(I)), low=ONE) == [(RANGE, (within(I, ONE, add(ONE, N)),))], "load and store: once"
    assert asked(store(load(I)), extent=M) == [(RANGE, (within(I, ZERO, M),))]


def test_axes_of_blocks_are_variables() -> None:
    axes = (IterVar(V, ZERO, N, "spatial", I),)
    plain = SBlock("b", axes, (BufferStore("O", load(V), (V,)),), init=(BufferStore("O", load(add(V, ONE)), (V,)),))
    assert asked(plain) == [(within(add(V, ONE), ZERO, N), (within(V, ZERO, N),))]


def test_conditions_on_the_way() -> None:
    inside, outside = less(add(I, ONE), N), Not(less(add(I, ONE), N))
    later = load(add(I, ONE))
    for value, known in (
        (Intrinsic("if_then_else", (inside, later, load(I)), "float32"), (RANGE, inside)),
        (Intrinsic("if_then_else", (inside, load(I), later), "float32"), (RANGE, outside)),
        (Select(inside, later, load(I)), (RANGE,)),
        (Intrinsic("if_then_else", (less(load(I, buffer="S", dtype="int64"), N), later, load(I)), "float32"), (RANGE,)),
        (Intrinsic("if_then_else", (less(J, M), later, load(I)), "float32"), (RANGE,)),
    ):
        assert asked(store(value)) == [(LATER, known)]
    branches = IfThenElse(inside, (store(later),), (store(later),))
    assert asked(branches) == [(LATER, (RANGE, inside)), (LATER, (RANGE, outside))]


def test_conditions_that_bear_through_one_another() -> None:
    inner = Intrinsic("if_then_else", (less(M, J), load(add(I, ONE)), load(I)), "float32")
    nested = Intrinsic("if_then_else", (less(J, I), inner, load(I)), "float32")
    assert asked(store(nested)) == [(LATER, (RANGE, less(J, I), less(M, J)))]


def test_the_last_conditions_are_near() -> None:
    first, second = less(I, M), less(add(I, ONE), N)
    inner = Intrinsic("if_then_else", (second, load(add(I, ONE)), load(I)), "float32")
    outer = Intrinsic("if_then_else", (first, inner, load(I)), "float32")
    buffers: Any = (BufferParam(Buffer("A", (N,), "float32")), BufferParam(Buffer("O", (N,), "float32")))
    (found,) = obligations(PrimFunc(buffers, (For(I, ZERO, N, (store(outer),)),), symbols=(N,)))
    assert found.given == (RANGE, first, second) and found.near == (RANGE, second)


def test_elements_as_indices() -> None:
    element = load(I, buffer="S", dtype="int64")
    assert asked(store(load(element))) == [], "data"
    name = SymVar("element0")
    for op in ("Min", "Max", "FloorMod"):
        clamped = Binary(op, element, N)  # type: ignore[arg-type]
        assert asked(store(load(clamped))) == [(within(Binary(op, name, N), ZERO, N), ())]  # type: ignore[arg-type]
    assert asked(store(load(Binary("FloorDiv", element, N)))) == []
    twice = Binary("Min", add(element, Cast("int64", element)), N)
    assert asked(store(load(twice))) == [(within(Binary("Min", add(name, Cast("int64", name)), N), ZERO, N), ())]
    inner = load(add(I, ONE), buffer="S", dtype="int64")
    assert asked(store(load(Binary("Min", inner, N))))[-1] == (LATER, (RANGE,))


def test_what_is_read_no_statement_is() -> None:
    with pytest.raises(NotImplementedError):
        asked(Evaluate(ZERO))
