"""What places of a kernel read and write, against a count by hand."""

from __future__ import annotations

from itertools import product
from typing import Any

import pytest

pytest.importorskip("numpy")

from refrelax.backends.cupy_.traffic import Touch, moved, size
from refrelax.syntax.scalars import Binary, BufferLoad, PrimExpr, SymVar, int_imm
from tests.backends.cupy_.test_widths import value

N, M, I, J = SymVar("n"), SymVar("m"), SymVar("i"), SymVar("j")
LOADED = BufferLoad("S", (int_imm(0),), "int64")


def touch(**rest: Any) -> Touch:
    return Touch(**{"buffer": "A", "dtype": "float32", "shape": (N, M), "written": False, "indices": (I, J),
                    "loops": (("i", int_imm(0), N), ("j", int_imm(0), M)), "along": None, **rest})  # fmt: skip


def test_size() -> None:
    assert size((N, M), {"n": 3, "m": 4}) == 12
    assert size((), {}) == 1
    assert size((N, M), {"n": -3, "m": -4}) == 0


def add(a: PrimExpr, b: PrimExpr) -> PrimExpr:
    return Binary("Add", a, b)


INDICES: dict[str, tuple[tuple[PrimExpr, ...], frozenset[str]]] = {
    "own": ((I, J), frozenset("ij")),
    "a row": ((I, int_imm(0)), frozenset("i")),
    "a column": ((int_imm(1), J), frozenset("j")),
    "one": ((int_imm(1), int_imm(2)), frozenset()),
    "half": ((Binary("FloorDiv", I, int_imm(2)), J), frozenset("ij")),
    "every other": ((I, Binary("Mul", Binary("FloorDiv", J, int_imm(2)), int_imm(2))), frozenset("ij")),
    "diagonal": ((I, I), frozenset("i")),
    "small": ((I, Binary("FloorMod", J, int_imm(2))), frozenset("ij")),
    "sum": ((I, Binary("FloorDiv", add(I, J), int_imm(2))), frozenset("ij")),
}


@pytest.mark.parametrize("name", INDICES)
def test_no_fewer_elements_than_are_touched(name: str) -> None:
    indices, along = INDICES[name]
    for n, m in ((4, 6), (6, 6), (1, 8), (0, 5), (5, 0)):
        made = touch(indices=indices, along=along)
        places = {tuple(value(e, {"i": i, "j": j}) for e in indices) for i, j in product(range(n), range(m))}
        found = made.elements({"n": n, "m": m})
        assert len(places) <= found <= n * m, (n, m)
        if name not in ("sum", "diagonal"):
            assert found == len(places), (n, m)


def test_elements_that_no_loop_moves() -> None:
    assert touch(along=frozenset("i"), indices=(I, int_imm(0))).elements({"n": 4, "m": 0}) == 0
    assert touch(along=frozenset("i"), indices=(I, int_imm(0))).elements({"n": 4, "m": 1}) == 4
    # All loops, though the index has only one of them: many threads each read it.
    assert touch(indices=(int_imm(0), J)).elements({"n": 4, "m": 6}) == 6
    # Other indices than dimensions: the loops alone say how many.
    assert touch(indices=(I,)).elements({"n": 4, "m": 6}) == 24
    assert touch(indices=(I,), along=frozenset("i")).elements({"n": 4, "m": 6}) == 4
    assert touch(indices=(I,), shape=(int_imm(7), int_imm(1))).elements({"n": 4, "m": 6}) == 7


def test_loops_that_depend_on_others() -> None:
    triangle = (("i", int_imm(0), N), ("j", I, Binary("Sub", N, I)))
    assert touch(loops=triangle).elements({"n": 5, "m": 5}) == 25
    shifted = (("i", int_imm(2), N), ("j", I, int_imm(1)))
    # The second loop starts anywhere from 2 to n + 1 and makes one step.
    assert touch(loops=shifted, shape=(int_imm(90), int_imm(90))).elements({"n": 5}) == 5
    # What moves with the first loop through the bounds of the second has as many values as both give it.
    for index in (J, Binary("Add", J, int_imm(1)), Binary("Mul", J, int_imm(3))):
        made = touch(loops=shifted, indices=(index, int_imm(0)), shape=(int_imm(90), int_imm(90)))
        assert made.elements({"n": 5}) == 5
    from_memory = (("i", int_imm(0), LOADED),)
    assert touch(loops=from_memory, indices=(I, int_imm(0))).elements({"n": 4, "m": 6}) == 24


def test_indices_that_are_read_from_memory_can_be_any() -> None:
    assert touch(indices=(LOADED, J)).elements({"n": 4, "m": 6}) == 24
    assert touch(indices=(LOADED, J), loops=(("j", int_imm(0), M),)).elements({"n": 4, "m": 6}) == 6
    assert touch(indices=(Binary("Add", LOADED, I), int_imm(0)), along=frozenset("i")).elements({"n": 4, "m": 6}) == 4
    assert touch(indices=(SymVar("k"), int_imm(0))).elements({"n": 4, "m": 6, "k": 2}) == 1
    # A float is no index, and says nothing of one.
    assert touch(indices=(I, SymVar("k"))).elements({"n": 4, "m": 6, "k": 2.5}) == 24


COLUMNS = frozenset("j")


def test_share_of_columns_that_stay() -> None:
    sizes = {"n": 3, "m": 10}
    fits, spills = touch(when="fits", columns=COLUMNS), touch(when="spills", columns=COLUMNS)
    assert touch(columns=COLUMNS).share(sizes, 4) == (1, 1)
    for stay, mine in {0: 0, 1: 1, 4: 4, 9: 9, 10: 10, 11: 10}.items():
        assert fits.share(sizes, stay) == (10, mine)
        assert spills.share(sizes, stay) == (10, 10 - mine)
    assert fits.share({"n": 3, "m": 0}, 4) == (1, 0) == spills.share({"n": 3, "m": 0}, 4)
    # What is the same for all columns is touched whole, as soon as any column is.
    other = {"columns": COLUMNS, "along": frozenset("i"), "indices": (I, int_imm(0))}
    for stay, some in {0: 0, 1: 1, 9: 1, 10: 1}.items():
        assert touch(when="fits", **other).share(sizes, stay) == (1, some)
    for stay, some in {0: 1, 1: 1, 9: 1, 10: 0}.items():
        assert touch(when="spills", **other).share(sizes, stay) == (1, some)
    assert touch(when="fits", columns=COLUMNS, along=COLUMNS).share(sizes, 4) == (10, 4)


def test_bytes() -> None:
    sizes = {"n": 3, "m": 10}
    read, written = touch(), touch(written=True, buffer="B", dtype="float16")
    assert moved([], sizes, 0, 16) == (0, 0)
    assert moved([read, written], sizes, 0, 16) == (120, 60)
    assert moved([read, read], sizes, 0, 16) == (120, 0), "places of one phase are one pass"
    assert moved([touch(along=frozenset("i"), indices=(I, int_imm(0)))] * 2, sizes, 0, 16) == (24, 0)
    assert moved([read, touch(phase=1)], sizes, 0, 16) == (240, 0), "phases are passes of their own"
    assert moved([read, touch(buffer="C")], sizes, 0, 16) == (240, 0)
    assert moved([read, touch(written=True)], sizes, 0, 16) == (120, 120)
    # What stays and what spills are one pass together; a part of an element is one.
    parts = [touch(when="fits", columns=COLUMNS), touch(when="spills", columns=COLUMNS)]
    assert moved(parts, sizes, 4, 16) == (120, 0)
    assert moved(parts[:1], sizes, 4, 16) == (48, 0) and moved(parts[1:], sizes, 4, 16) == (72, 0)
    assert moved(parts[1:], sizes, 10, 16) == (0, 0)
    odd = touch(when="fits", columns=COLUMNS, shape=(M,), indices=(Binary("FloorDiv", J, int_imm(2)),))
    assert moved([odd], {"n": 1, "m": 10}, 3, 16) == (8, 0), "3 of 10 parts of 5 elements are 2"


def test_passes_that_tiles_repeat() -> None:
    for n, times in {0: 0, 1: 1, 16: 1, 17: 2, 33: 3}.items():
        made = touch(shape=(M,), indices=(J,), loops=(("j", int_imm(0), M),), repeats=(N,))
        assert moved([made], {"n": n, "m": 5}, 0, 16) == (20 * times, 0)
        assert moved([made, made], {"n": n, "m": 5}, 0, 16) == (20 * times, 0)
    assert moved([made], {"n": 17, "m": 5}, 0, 8) == (60, 0)
