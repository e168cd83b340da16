"""What is inlined (`lo/fuse-inline`), and what each condition keeps: programs that take the form, and near ones."""

from __future__ import annotations

from dataclasses import replace

import pytest

from refrelax.lower.claims import Ledger
from refrelax.lower.fuse_loops.inline import LARGEST, _may_wrap, ends_no_run, inline_all, undisturbed, whole, worth
from refrelax.lower.fuse_loops.program import Program, _loop_name, body, to_prim_func
from refrelax.lower.nests import Axis, Nest
from refrelax.lower.weights import nodes
from refrelax.syntax.loops import Buffer, PrimFunc
from refrelax.syntax.scalars import (
    Binary,
    BufferLoad,
    Cast,
    Intrinsic,
    Literal,
    PrimExpr,
    Select,
    SymVar,
    int_imm,
)  # fmt: skip

N, M, I, J, K = map(SymVar, ("n", "m", "i", "j", "k"))
ZERO, ONE = int_imm(0), int_imm(1)
GRID = (Axis(I, N), Axis(J, M))
SUM = (Axis(I, N), Axis(J, M), Axis(K, M, "reduce"))
F0 = Cast("float32", ZERO)


def load(buffer: str, *at: PrimExpr, dtype: str = "float32") -> BufferLoad:
    return BufferLoad(buffer, at or (I, J), dtype)


def add(a: PrimExpr, b: PrimExpr) -> PrimExpr:
    return Binary("Add", a, b)


def exp(e: PrimExpr) -> PrimExpr:
    return Intrinsic("exp", (e,), "float32")


def nest(buffer: str, value: PrimExpr, *at: PrimExpr, axes: tuple[Axis, ...] = GRID) -> Nest:
    return Nest(axes, buffer, at or (I, J), value, F0 if axes is SUM else None)


def program(*nests: Nest, shape: tuple[PrimExpr, ...] = (N, M), dtype: str = "float32") -> Program:
    """Of the inputs X and Y and the output O; other buffers are intermediates."""
    made = Program(["X", "Y"], [], "O")
    names = dict.fromkeys(["X", "Y", *(n.buffer for n in nests), "O"])
    made.buffers = {name: Buffer(name, shape if name == "A" else (N, M), dtype) for name in names}
    made.nests = list(nests)
    return made


def inlined(p: Program) -> bool:
    return inline_all(p, Ledger(), "f")


MADE = nest("A", add(load("X"), load("Y")))


def test_a_pointwise_nest_goes_into_its_reader() -> None:
    p = program(MADE, nest("O", exp(load("A", J, I))), shape=(M, N))
    p.nests[0] = replace(MADE, axes=(Axis(I, M), Axis(J, N)))
    assert inlined(p) and p.nests == [nest("O", exp(add(load("X", J, I), load("Y", J, I))))]
    assert "A" not in p.buffers and not inlined(p)


def test_one_after_the_other() -> None:
    p = program(MADE, nest("B", exp(load("A"))), nest("O", add(load("B"), load("X"))))
    assert inlined(p) and p.nests == [nest("O", add(exp(add(load("X"), load("Y"))), load("X")))]


def test_what_nobody_reads_goes_away() -> None:
    p = program(nest("A", exp(load("X"))), nest("O", load("X")))
    assert inlined(p) and p.nests == [nest("O", load("X"))] and "A" not in p.buffers


def test_first_values_are_rewritten_too() -> None:
    total = Nest(SUM, "O", (I, J), add(load("O"), load("X", I, K)), load("A"))
    p = program(nest("A", load("Y")), total)
    assert inlined(p) and p.nests == [replace(total, init=load("Y"))]


STAYS: dict[str, Program] = {
    "a sum": program(nest("A", add(load("A"), load("X", I, K)), axes=SUM), nest("O", load("A"))),
    "not every element": program(nest("A", load("X"), I, ZERO), nest("O", load("A"))),
    "stored twice": program(MADE, nest("A", load("X")), nest("O", load("A"))),
    "read before it is stored": program(nest("O", load("A")), MADE),
    "what it reads is stored into": program(MADE, nest("X", load("Y")), nest("O", load("A"))),
    "its reader stores into what it reads": program(nest("A", load("O")), nest("O", load("A"))),
    "a part of the buffer": program(nest("A", load("X"), axes=(Axis(I, N), Axis(J, Binary("Sub", M, ONE)))),
                                    nest("O", load("A"))),
    "as an index": program(
        nest("A", load("X")), nest("O", load("X", Cast("int64", load("A")), J)),
    ),
    "outside, where a run may end": program(
        nest("A", exp(load("X"))), nest("O", load("A", I, add(J, ONE))),
    ),
    "computed twice": program(
        nest("A", exp(load("X"))), nest("O", add(load("A"), load("A", I, ZERO))), shape=(N, M)
    ),
}  # fmt: skip


@pytest.mark.parametrize("name", STAYS)
def test_what_stays(name: str) -> None:
    p = STAYS[name]
    before = [each for each in p.nests if each.buffer == "A"]
    inlined(p)
    assert [each for each in p.nests if each.buffer == "A"] == before and "A" in p.buffers


# --- the conditions --------------------------------------------------------------------------------------------------


def test_undisturbed() -> None:
    a, b, x, o = MADE, nest("B", load("X")), nest("X", load("B")), nest("O", load("A"))
    for nests, wanted in (
        ((a, o), True), ((a, b, o), True), ((a, x, o), False), ((x, a, o), True), ((a, o, x), True), ((o, a), False),
    ):  # fmt: skip
        assert undisturbed(program(*nests), a, [o]) is wanted
    late = nest("C", load("A"))
    assert not undisturbed(program(o, a, late), a, [o, late]) and not undisturbed(program(a, o, x, late), a, [o, late])
    own = nest("X", load("A"))
    assert not undisturbed(program(a, own), a, [own])


def test_what_is_worth_it() -> None:
    cheap, dear, moved = nest("A", add(load("X"), F0)), nest("A", exp(load("X"))), nest("A", load("X"))
    once, twice = nest("O", load("A")), nest("O", add(load("A"), load("A", J, I)))
    assert worth(cheap, [once]) and worth(dear, [once]) and worth(moved, [once])
    assert worth(cheap, [twice]) and not worth(dear, [twice]) and worth(moved, [twice])
    assert not worth(cheap, [once, twice]) and worth(moved, [once, twice]), "of arithmetic that others need, nothing"
    total = nest("O", add(load("O"), load("A", I, K)), axes=SUM)
    assert worth(moved, [total]) and not worth(cheap, [total]), "K and J: read more than once"
    rows = (Axis(I, N), Axis(K, M, "reduce"))
    row = Nest(rows, "O", (I,), add(load("O", I), load("A", I, K)), F0)
    assert worth(cheap, [row]) and worth(dear, [row])
    pair = Nest(rows, "O", (I,), add(load("O", I), Binary("Mul", load("A", I, K), load("A", K, I))), F0)
    assert not worth(cheap, [pair]) and worth(moved, [pair])
    assert worth(nest("A", add(F0, Cast("float32", I))), [total]), "nothing is read"


def test_values_are_not_made_too_large() -> None:
    def sized(count: int) -> PrimExpr:
        value: PrimExpr = load("X")
        for _ in range(count):
            value = Cast("float32", value)
        return value

    reader = nest("O", load("A"))
    room = LARGEST - nodes(reader.value)
    for count in range(room - 6, room + 3):
        assert worth(nest("A", sized(count)), [reader]) is (nodes(sized(count)) <= room)


def test_whole() -> None:
    def all_of(made: Nest, *shape: PrimExpr) -> bool:
        return whole(program(made, shape=shape), made, Ledger(), "f")

    assert all_of(MADE, N, M) and not all_of(MADE, N, add(M, ONE)) and not all_of(MADE, M, N)
    turned = nest("A", load("X"), J, I)
    assert all_of(turned, M, N) and not all_of(turned, N, M)
    long = nest("A", load("X"), axes=(Axis(I, add(N, M)), Axis(J, M)))
    assert all_of(long, add(M, N), M)


ENDS: list[tuple[PrimExpr, bool]] = [
    (load("X"), True), (load("X", I, ZERO), True), (load("X", I, add(J, ONE)), False), (Literal("float32", 0), True),
    (add(load("X"), load("Y")), True), (Cast("float16", load("X")), True), (exp(load("X")), False),
    (load("X", dtype="int32"), False), (add(load("X"), exp(load("Y"))), False),
    (Binary("Max", load("X"), load("Y")), True), (Binary("LT", load("X"), load("Y")), False),
    (Cast("float32", load("X", dtype="int32")), False),
]  # fmt: skip


@pytest.mark.parametrize(("expr", "wanted"), ENDS)
def test_values_that_end_no_run(expr: PrimExpr, wanted: bool) -> None:
    assert ends_no_run(expr) is wanted


def test_steps_that_may_wrap() -> None:
    for op, wanted in (("Add", True), ("Sub", True), ("Mul", True), ("Min", False), ("FloorDiv", True), ("Div", True),
                       ("FloorMod", False), ("LT", False)):  # fmt: skip
        assert _may_wrap(Binary(op, I, J)) is wanted  # type: ignore[arg-type]
    assert not _may_wrap(Binary("FloorDiv", I, ONE)) and not _may_wrap(Binary("Div", I, ONE))
    assert not _may_wrap(add(F0, F0)) and not _may_wrap(I)


def test_outside_of_a_buffer_where_nothing_ends() -> None:
    """The load is behind a condition that keeps it inside, or ends no run."""
    inside = Intrinsic("if_then_else", (Binary("LT", add(J, ONE), M), load("A", I, add(J, ONE)), F0), "float32")
    p = program(nest("A", exp(load("X"))), nest("O", inside))
    assert inlined(p) and len(p.nests) == 1
    chosen = Select(Binary("LT", add(J, ONE), M), load("A", I, add(J, ONE)), F0)
    p = program(nest("A", exp(load("X"))), nest("O", chosen))
    assert not inlined(p), "both sides of a select are computed"
    p = program(nest("A", add(load("X"), load("Y"))), nest("O", load("A", I, add(J, ONE))))
    assert inlined(p), "the sum of two floats ends no run anywhere"


# --- as a function ---------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("axis", "wanted"), [("v_i", "i"), ("vi", "vi"), ("v_1", "i"), ("v_if", "i"), ("v_", "i"), ("v_v_j", "v_j")]
)
def test_names_of_loops(axis: str, wanted: str) -> None:
    assert _loop_name(axis) == wanted


def test_parameters_of_a_function() -> None:
    p = program(MADE, nest("O", load("A")))
    p.scalars = [M]
    made = to_prim_func(p)
    assert isinstance(made, PrimFunc) and made.private and made.symbols == (N,)
    names = [getattr(each, "buffer", getattr(each, "var", None)).name for each in made.params]  # type: ignore[union-attr]
    assert names == ["X", "Y", "m", "O"] and [b.name for b in made.root_allocs] == ["A"]
    assert len(body(p)) == 2 == len(made.body)
