"""Where an intermediate may lie in the output (`lo/fuse-in-place`): a program that takes the form, and near ones."""

from __future__ import annotations

from typing import Any

import pytest

from refrelax.lower.claims import Ledger
from refrelax.lower.fuse_loops.in_place import _placing, _points, epilogue_in_place
from refrelax.lower.fuse_loops.program import Program
from refrelax.lower.nests import Axis, Nest
from refrelax.syntax.loops import Buffer
from refrelax.syntax.scalars import Binary, BufferLoad, Cast, PrimExpr, SymVar, int_imm

N, M, K, I, J, L = map(SymVar, ("n", "m", "k", "i", "j", "l"))
ZERO, ONE = int_imm(0), int_imm(1)
GRID = (Axis(I, N), Axis(J, M))
OF_ONE = (Axis(I, N), Axis(J, ONE))


def load(buffer: str, *at: PrimExpr) -> BufferLoad:
    return BufferLoad(buffer, at, "float32")


def twice(e: PrimExpr) -> PrimExpr:
    return Binary("Add", e, e)


def program(*nests: Nest, **shapes: tuple[PrimExpr, ...]) -> Program:
    """Of the input X and the output O; other buffers are intermediates."""
    made = Program(["X"], [], "O")
    made.buffers = {name: Buffer(name, dims, "float32") for name, dims in {"X": (N, M), **shapes}.items()}
    made.nests = list(nests)
    return made


def first(*at: PrimExpr, axes: tuple[Axis, ...] = GRID, value: PrimExpr | None = None) -> Nest:
    return Nest(axes, "B", at, load("X", I, J) if value is None else value)


def last(*at: PrimExpr, axes: tuple[Axis, ...] = GRID, read: tuple[PrimExpr, ...] = (I, J), **rest: Any) -> Nest:
    return Nest(axes, "O", at, rest.pop("value", twice(load("B", *read))), **rest)


PLACINGS: dict[str, tuple[Nest, tuple[PrimExpr, ...], tuple[PrimExpr, ...], Any]] = {
    "as it is": (last(I, J), (N, M), (N, M), (0, 1)),
    "turned": (last(I, J, read=(J, I)), (M, N), (N, M), (1, 0)),
    "stored turned": (last(J, I), (N, M), (M, N), (1, 0)),
    "without a point": (last(I, J, read=(I,), axes=OF_ONE), (N,), (N, ONE), (0, None)),
    "with a point of its own": (last(I, J, read=(I, ZERO, J)), (N, ONE, M), (N, M), (0, 2)),
    "a number in a longer axis": (last(I, J, read=(I, ZERO, J)), (N, int_imm(2), M), (N, M), None),
    "one in an axis over one": (last(I, J, read=(I, ONE, J)), (N, ONE, M), (N, M), None),
    "at a sum": (last(I, J, read=(I, Binary("Add", J, ONE))), (N, M), (N, M), None),
    "a diagonal": (last(I, J, read=(I, I)), (N, N), (N, M), None),
    "a row": (last(I, J, read=(I,)), (N,), (N, M), None),
    "another variable": (last(I, J, read=(I, J, L)), (N, M, K), (N, M), None),
    "two places": (last(I, J, value=Binary("Add", load("B", I, J), load("B", J, I))), (N, N), (N, N), None),
    "two reads of one place": (
        last(I, J, value=Binary("Mul", load("B", I, J), twice(load("B", I, J)))), (N, M), (N, M), (0, 1),
    ),
    "nobody reads it": (last(I, J, value=load("X", I, J)), (N, M), (N, M), None),
}  # fmt: skip


@pytest.mark.parametrize("name", PLACINGS)
def test_placing(name: str) -> None:
    nest, own, out, wanted = PLACINGS[name]
    assert _placing(program(nest, B=own, O=out), nest, "B") == wanted


def test_another_dtype_has_no_place() -> None:
    nest = last(I, J)
    made = program(nest, B=(N, M), O=(N, M))
    made.buffers["B"] = Buffer("B", (N, M), "float16")
    assert _placing(made, nest, "B") is None


POINT = (Axis(I, N), Axis(L, ONE), Axis(J, M))
SUM = (Axis(I, N), Axis(L, N, "reduce"), Axis(J, M))

POINTS: dict[str, tuple[tuple[Nest, ...], tuple[int | None, ...], bool]] = {
    "all axes have a place": ((first(I, J), last(I, J)), (0, 1), True),
    "stored at zero": ((first(I, ZERO, J), last(I, J, read=(I, ZERO, J))), (0, 2), True),
    "stored at the point of an axis": ((first(I, L, J, axes=POINT), last(I, J, read=(I, ZERO, J))), (0, 2), True),
    "stored along an axis": ((first(I, L, J, axes=SUM), last(I, J, read=(I, ZERO, J))), (0, 2), False),
    "stored at one": ((first(I, ONE, J), last(I, J, read=(I, ZERO, J))), (0, 2), False),
    "stored at a sum": ((first(I, Binary("Add", I, I), J), last(I, J, read=(I, ZERO, J))), (0, 2), False),
    "read along an axis": ((first(I, ZERO, J), last(I, J, read=(I, L, J), axes=SUM)), (0, 2), False),
    "read at the point of an axis": ((first(I, ZERO, J), last(I, J, read=(I, L, J), axes=POINT)), (0, 2), True),
    "another buffer along an axis": (
        (Nest(SUM, "X", (I, L), load("X", I, L)), first(I, ZERO, J), last(I, J, read=(I, ZERO, J))), (0, 2), True,
    ),
    "the first value along an axis": (
        (Nest(SUM, "X", (I,), load("X", I), load("B", I, L, J)), last(I, J, read=(I, ZERO, J))), (0, 2), False,
    ),
}  # fmt: skip


@pytest.mark.parametrize("name", POINTS)
def test_points(name: str) -> None:
    nests, placing, wanted = POINTS[name]
    assert _points(program(*nests, B=(N, ONE, M), O=(N, M)), "B", placing) is wanted


def moved(p: Program) -> bool:
    return epilogue_in_place(p, Ledger(), "f")


def test_an_epilogue_stores_over_what_it_reads() -> None:
    p = program(first(I, J), last(I, J), B=(N, M), O=(N, M))
    assert moved(p) and "B" not in p.buffers
    assert p.nests == [Nest(GRID, "O", (I, J), load("X", I, J)), last(I, J, value=twice(load("O", I, J)))]


def test_an_epilogue_that_is_the_element_itself_goes_away() -> None:
    p = program(first(I, J), last(J, I, value=load("B", I, J)), B=(N, M), O=(M, N))
    assert moved(p) and p.nests == [Nest(GRID, "O", (J, I), load("X", I, J))]


def test_points_are_left_out_and_put_in() -> None:
    p = program(first(I, L, J, axes=POINT), last(I, J, read=(I, ZERO, J)), B=(N, ONE, M), O=(N, M))
    assert moved(p) and p.nests[0] == Nest(GRID, "O", (I, J), load("X", I, J))
    line = (Axis(I, N),)
    p = program(Nest(line, "B", (I,), load("X", I, ZERO)), last(I, J, read=(I,), axes=OF_ONE), B=(N,), O=(N, ONE))
    assert moved(p) and p.nests[0] == Nest(line, "O", (I, ZERO), load("X", I, ZERO))
    assert p.nests[1] == last(I, J, axes=OF_ONE, value=twice(load("O", I, J)))


def test_reductions_and_readers_between_move_too() -> None:
    total = Nest(SUM, "B", (I, J), Binary("Add", load("B", I, J), load("X", I, L)), Cast("float32", ZERO))
    other = Nest(GRID, "C", (I, J), load("B", I, J))
    p = program(total, other, last(I, J, value=Binary("Mul", load("B", I, J), load("C", J, I))), B=(N, M), C=(N, M),
                O=(N, M))  # fmt: skip
    assert moved(p) and set(p.buffers) == {"X", "C", "O"}
    assert p.nests[0] == Nest(SUM, "O", (I, J), Binary("Add", load("O", I, J), load("X", I, L)), Cast("float32", ZERO))
    assert p.nests[1] == Nest(GRID, "C", (I, J), load("O", I, J))
    begun = Nest(SUM, "C", (I, J), load("C", I, J), load("B", I, J))
    p = program(first(I, J), begun, last(I, J), B=(N, M), C=(N, M), O=(N, M))
    assert moved(p) and p.nests[1] == Nest(SUM, "C", (I, J), load("C", I, J), load("O", I, J))


STAYS: dict[str, Program] = {
    "the output is read before": program(
        first(I, J, value=load("O", I, J)), last(I, J), B=(N, M), O=(N, M)
    ),
    "the last nest stores elsewhere": program(last(I, J), first(I, J), B=(N, M), O=(N, M)),
    "the output is written twice": program(
        first(I, J), Nest(GRID, "O", (I, J), load("X", I, J)), last(I, J), B=(N, M), O=(N, M)
    ),
    "the last nest sums": program(
        first(I, J), last(I, J, axes=SUM, init=Cast("float32", ZERO)), B=(N, M), O=(N, M)
    ),
    "not every element is stored": program(first(I, J), last(I, ZERO, read=(I, J)), B=(N, M), O=(N, M)),
    "the output is larger": program(first(I, J), last(I, J), B=(N, M), O=(N, Binary("Add", M, ONE))),
    "the intermediate is larger": program(first(I, J), last(I, J), B=(N, Binary("Add", M, ONE)), O=(N, M)),
    "no place": program(first(I, J), last(I, J, read=(I, I)), B=(N, M), O=(N, M)),
    "no point": program(
        first(I, L, J, axes=(Axis(I, N), Axis(L, N), Axis(J, M))), last(I, J, read=(I, ZERO, J)), B=(N, ONE, M),
        O=(N, M),
    ),
    "no intermediate": program(last(I, J, value=load("X", I, J)), O=(N, M)),
}  # fmt: skip


@pytest.mark.parametrize("name", STAYS)
def test_what_stays(name: str) -> None:
    before = list(STAYS[name].nests)
    assert not moved(STAYS[name]) and STAYS[name].nests == before


def test_extents_may_be_spelled_otherwise() -> None:
    both, other = Binary("Add", N, M), Binary("Add", M, N)
    axes = (Axis(I, both), Axis(J, M))
    p = program(first(I, J, axes=axes), last(I, J, axes=axes), B=(other, M), O=(both, M))
    assert moved(p)


def test_the_second_intermediate_where_the_first_has_no_place() -> None:
    p = program(
        Nest(GRID, "A", (I, J), load("X", I, J)), first(I, J),
        last(I, J, value=Binary("Add", load("A", I, I), load("B", I, J))), A=(N, M), B=(N, M), O=(N, M),
    )  # fmt: skip
    assert moved(p) and set(p.buffers) == {"X", "A", "O"}
