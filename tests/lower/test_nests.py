"""Which statements are a nest: one that is, and one for each condition that is not met."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from refrelax.lower.nests import Axis, Nest, covers, map_loads, read_nest, rename_buffers, rewritten, write_nest
from refrelax.syntax.loops import AllocBuffer, Buffer, BufferStore, Evaluate, For, IterVar, SBlock, Stmt
from refrelax.syntax.scalars import (
    Binary,
    BufferLoad,
    Cast,
    Intrinsic,
    Let,
    Not,
    PrimExpr,
    Ramp,
    Select,
    SymVar,
    bool_imm,
    int_imm,
)  # fmt: skip

N, M, I, J, U, V, W = map(SymVar, ("n", "m", "i", "j", "vi", "vj", "vk"))
ZERO, ONE = int_imm(0), int_imm(1)


def load(buffer: str, *at: PrimExpr) -> BufferLoad:
    return BufferLoad(buffer, at, "float32")


def f32(number: int) -> PrimExpr:
    return Cast("float32", int_imm(number))


def loop(var: SymVar, extent: PrimExpr, *body: Stmt, **rest: Any) -> For:
    return For(var, rest.pop("min", ZERO), extent, body, **rest)


def axis(var: SymVar, extent: PrimExpr, binding: PrimExpr, kind: Any = "spatial", low: PrimExpr = ZERO) -> IterVar:
    return IterVar(var, low, extent, kind, binding)


STORE = BufferStore("O", load("X", U, V), (U, V))
ITERS = (axis(U, N, I), axis(V, M, J))
BLOCK = SBlock("b", ITERS, (STORE,))
SUM = SBlock(
    "s", (axis(U, N, I), axis(V, M, J, "reduce")),
    (BufferStore("O", Binary("Add", load("O", U), load("X", U, V)), (U,)),), init=(BufferStore("O", f32(0), (U,)),),
)  # fmt: skip


def grid(block: Stmt = BLOCK) -> Stmt:
    return loop(I, N, loop(J, M, block))


def block(**rest: Any) -> Stmt:
    return grid(replace(BLOCK, **rest))


def total(**rest: Any) -> Stmt:
    return grid(replace(SUM, **rest))


def valued(value: PrimExpr) -> Stmt:
    return block(body=(replace(STORE, value=value),))


POINT = axis(W, ONE, ZERO)
TEMPORARY = Buffer("T", (N,), "float32")

NESTS: dict[str, tuple[Stmt, tuple[str, ...]]] = {
    "a grid": (grid(), ("vi", "vj")),
    "parallel": (loop(I, N, loop(J, M, BLOCK), kind="parallel"), ("vi", "vj")),
    "a true predicate": (block(predicate=bool_imm(True)), ("vi", "vj")),
    "other order": (block(iters=(ITERS[1], ITERS[0])), ("vi", "vj")),
    "one point": (block(iters=(*ITERS, POINT)), ("vk", "vi", "vj")),
    "a sum": (total(), ("vi", "vj")),
    "no loops": (replace(BLOCK, iters=(), body=(replace(STORE, value=f32(1), indices=(ZERO, ZERO)),)), ()),
    "no block": (loop(I, N, loop(J, M, BufferStore("O", load("X", I, J), (I, J)))), ("i", "j")),
    "a choice": (valued(Select(Binary("LT", U, V), load("X", U, V), f32(0))), ("vi", "vj")),
    "equal extents": (loop(I, Binary("Add", N, M), replace(BLOCK, iters=(axis(U, Binary("Add", M, N), I),),
                           body=(replace(STORE, value=load("X", U, U), indices=(U, U)),))), ("vi",)),
}  # fmt: skip


@pytest.mark.parametrize("name", NESTS)
def test_nests(name: str) -> None:
    stmt, axes = NESTS[name]
    found = read_nest(stmt)
    assert found is not None and tuple(each.var.name for each in found.axes) == axes
    again = write_nest(found, tuple(f"l{k}" for k in range(len(axes))))
    assert read_nest(again) == found


NARROW = SymVar("vi", "int32")

NO_NESTS: dict[str, Stmt] = {
    "a loop from one": loop(I, N, loop(J, M, BLOCK, min=ONE)),
    "a step": loop(I, N, loop(J, M, BLOCK, step=int_imm(2))),
    "unrolled": loop(I, N, loop(J, M, BLOCK, kind="unroll")),
    "an extent of another dtype": loop(I, SymVar("n", "int32"), loop(J, M, BLOCK)),
    "two statements": loop(I, N, loop(J, M, BLOCK, BLOCK)),
    "two stores": block(body=(STORE, STORE)),
    "no store": block(body=(Evaluate(ZERO),)),
    "an effect alone": Evaluate(ZERO),
    "a predicate": block(predicate=Binary("LT", U, M)),
    "a false predicate": block(predicate=Not(bool_imm(True))),
    "an allocation": block(allocs=(TEMPORARY,)),
    "a statement that allocates": block(body=(AllocBuffer(TEMPORARY),)),
    "a store under a mask": block(body=(replace(STORE, predicate=bool_imm(True)),)),
    "a plain store under a mask": loop(I, N, BufferStore("O", load("X", I), (I,), bool_imm(True))),
    "a first store under a mask": total(init=(BufferStore("O", f32(0), (U,), bool_imm(True)),)),
    "a first store elsewhere": total(init=(BufferStore("P", f32(0), (U,)),)),
    "a first store at another place": total(init=(BufferStore("O", f32(0), (ZERO,)),)),
    "two first stores": total(init=(BufferStore("O", f32(0), (U,)),) * 2),
    "an axis from one": block(iters=(axis(U, N, I, low=ONE), ITERS[1])),
    "an opaque axis": block(iters=(axis(U, N, I, "opaque"), ITERS[1])),
    "an axis of another dtype": block(iters=(axis(NARROW, N, I), ITERS[1])),
    "an axis at a sum": block(iters=(axis(U, N, Binary("Add", I, ONE)), ITERS[1])),
    "an axis at one": block(iters=(*ITERS, axis(W, ONE, ONE))),
    "an axis of two at its first point": block(iters=(*ITERS, axis(W, int_imm(2), ZERO))),
    "a loop twice": block(iters=(axis(U, N, I), axis(V, N, I))),
    "a loop that nobody binds": block(iters=(ITERS[0],)),
    "a loop that is not there": loop(I, N, BLOCK),
    "another extent": block(iters=(axis(U, N, I), axis(V, N, J))),
    "an extent that is a loop": loop(U, N, loop(V, U, BufferStore("O", load("X", U, V), (U, V)))),
    "an extent from memory": loop(
        U, N, loop(V, BufferLoad("S", (ZERO,), "int64"), BufferStore("O", load("X", U, V), (U, V)))
    ),
    "a let": valued(Let(W, ONE, load("X", U, V))),
    "a vector": valued(Ramp(ZERO, ONE, 4)),
    "a load of a vector": valued(BufferLoad("X", (U, V), "float32x4")),
    "a load under a mask": valued(BufferLoad("X", (U, V), "float32", bool_imm(True))),
    "a vector as an index": block(body=(replace(STORE, indices=(U, Ramp(V, ONE, 4))),)),
    "what it stores is read": valued(load("O", U, V)),
    "a first value without a sum": block(init=(replace(STORE, value=f32(0)),)),
    "a sum without a first value": total(init=None),
    "a sum that reads another element": total(
        body=(BufferStore("O", Binary("Add", load("O", ZERO), load("X", U, V)), (U,)),)
    ),
}  # fmt: skip


@pytest.mark.parametrize("name", NO_NESTS)
def test_no_nests(name: str) -> None:
    assert read_nest(NO_NESTS[name]) is None


def test_effects_are_no_value() -> None:
    effect = Intrinsic("call_extern", (ZERO,), "float32")
    assert read_nest(valued(effect)) is None


# --- what is asked of a nest -----------------------------------------------------------------------------------------


def nest(**rest: Any) -> Nest:
    made = read_nest(grid())
    assert made is not None
    return replace(made, **rest)


def test_what_it_reads() -> None:
    made = read_nest(total())
    assert made is not None
    assert made.reduces and [a.var for a in made.spatial] == [U]
    assert made.inputs() == (load("X", U, V),) and made.reads("X") and made.reads("O") and not made.reads("Y")
    inside = nest(value=load("X", BufferLoad("Y", (U,), "int64"), V))
    assert [each.buffer for each in inside.loads()] == ["X", "Y"] and inside.inputs() == tuple(inside.loads())
    of_itself = nest(value=load("O", U, V))
    assert of_itself.inputs() == (load("O", U, V),), "no reduction"
    with_init = replace(made, init=load("Z", U))
    assert with_init.expressions() == (made.value, load("Z", U)) and with_init.reads("Z")
    other = replace(made, value=load("O", ZERO))
    assert other.inputs() == (load("O", ZERO),)
    assert not nest().reduces and nest().spatial == nest().axes


@pytest.mark.parametrize(
    ("indices", "wanted"),
    [((U, V), True), ((V, U), True), ((U,), False), ((U, U), False), ((U, V, U), False), ((U, V, ZERO), False),
     ((U, Binary("Add", V, ZERO)), False), ((U, W), False)],
)  # fmt: skip
def test_covers(indices: tuple[PrimExpr, ...], wanted: bool) -> None:
    assert covers(nest(indices=indices)) is wanted


def test_covers_of_a_sum() -> None:
    made = read_nest(total())
    assert made is not None
    assert covers(made) and not covers(replace(made, indices=(U, V)))


def test_rewriting() -> None:
    made = read_nest(total())
    assert made is not None
    axes = (Axis(I, N), Axis(J, M, "reduce"))
    found = rewritten(made, {"vi": I, "vj": J}, {"O": "P", "X": "Z"}, axes)
    assert found == Nest(axes, "P", (I,), Binary("Add", load("P", I), load("Z", I, J)), f32(0), "s")
    whole: list[PrimExpr] = [
        Binary("Add", load("X", U), load("Y", U)), Not(load("X", U)), Cast("float64", load("X", U)),
        Select(load("X", U), load("Y", U), load("X", V)), Intrinsic("exp", (load("X", U),), "float32"),
        load("Y", load("X", U)),
    ]  # fmt: skip
    for each in whole:
        renamed = rename_buffers(each, {"X": "Z"})
        assert "'X'" not in repr(renamed) and "'Z'" in repr(renamed)
        assert rename_buffers(renamed, {"Z": "X"}) == each
        assert rename_buffers(each, {}) == each
        assert "'X'" not in repr(map_loads(each, {load("X", U): ONE, load("X", V): ZERO}))
    inside = load("Y", load("Y", U))
    assert map_loads(inside, {inside: ONE, load("Y", U): ZERO}) == ONE
    assert map_loads(inside, {load("Y", U): ZERO}) == load("Y", ZERO)
    assert map_loads(load("Y", U), {inside: ONE}) == load("Y", U)
    with pytest.raises(ValueError, match="Let"):
        rename_buffers(Let(U, ONE, load("X", U)), {"X": "Z"})
