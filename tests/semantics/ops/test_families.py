"""Families of elements: every way to name some coordinates of an array gives what asking for them one by one gives,
and is charged for as many. Arrays lie at strides from an offset, one of them backwards; extents are pairwise
distinct."""

from __future__ import annotations

from collections.abc import Callable
from itertools import product
from math import prod
from types import SimpleNamespace
from typing import Any

import pytest

from refrelax.semantics.numbers import reading
from refrelax.semantics.ops.meaning.calculus import ALL, Hits, Run
from refrelax.semantics.ops.meaning.numbers import MANY, Dense, Numbers, Rows, clipped, read, stretched

DIMS = (3, 2, 4)
LAYOUTS = {"plain": ((8, 4, 1), 0), "turned": ((1, 3, 6), 2), "backwards": ((-8, 4, 1), 21), "spread": ((9, 0, 2), 1)}


def array(layout: str, spent: list[int]) -> Dense:
    strides, offset = LAYOUTS[layout]
    return Dense("int64", DIMS, list(range(40)), spent.append, strides, offset)


def coordinates(n: int) -> list[tuple[Any, list[int]]]:
    """Ways to name positions of an axis of ``n``, and the positions."""
    return [
        (n - 1, [n - 1]),
        (ALL, [*range(n)]),
        (Run(0, 0), []),
        (Run(1, n - 1), [*range(1, n)]),
        (Run(n - 1, n, -1), [*range(n - 1, -1, -1)]),
        (Run(0, 1, 5), [0]),
        (Run(-2, n + 4, 1, inside=True), [*range(n)]),
        (Run(-1, n, 2, inside=True), [p for p in range(-1, 2 * n, 2) if 0 <= p < n]),
        (Run(n, 3, 1, inside=True), []),
        (Run(-4, 2, 1, inside=True), []),
        (Run(0, None, 2, inside=True), [*range(0, n, 2)]),
        (Hits(n, lambda k: k, lambda k: k != 1), [k for k in range(n) if k != 1]),
        (Hits(n, lambda k: n - 1 - k, lambda k: True), [*range(n - 1, -1, -1)]),
        (Hits(n, lambda k: k, lambda k: False), []),
    ]


@pytest.mark.parametrize("layout", LAYOUTS)
def test_a_family_is_its_elements(layout: str) -> None:
    for at in product(*map(coordinates, DIMS)):
        spent: list[int] = []
        x = array(layout, spent)
        wanted = [x[place] for place in product(*(where for _, where in at))]
        named = [each for each, _ in at]
        assert x.family(named) == wanted == x.over(named), named
        assert spent == [len(wanted)] * 2, named


def test_the_positions_of_a_run_that_an_axis_has() -> None:
    for start, count, step, n in product(range(-5, 6), (None, 0, 1, 3, 9), (1, 2, 3), (0, 1, 4)):
        run = Run(start, count, step, inside=True)
        inside = [start + k * step for k in range(n if count is None else count)]
        inside = [p for p in inside if 0 <= p < n]
        first, found = clipped(run, n)
        assert [first + k * step for k in range(found)] == inside, (start, count, step, n)


@pytest.mark.parametrize("layout", LAYOUTS)
def test_all_elements_in_order(layout: str) -> None:
    x = array(layout, [])
    assert x.listed() == [x[at] for at in product(*map(range, DIMS))]
    empty = Dense("int64", (2, 0), [1, 2, 3], [].append, (1, 1), 0)
    assert empty.listed() == []


def test_the_cells_themselves_are_given_where_they_are_the_elements() -> None:
    cells = list(range(6))
    assert Dense("int64", (2, 3), cells, [].append).listed() is cells
    assert Dense("int64", (2, 3), cells, [].append, (3, 1)).listed() is cells
    part = Dense("int64", (3,), cells, [].append, (1,), 2)
    assert part.listed() == [2, 3, 4]


@pytest.mark.parametrize("size", (MANY, MANY + 1))
@pytest.mark.parametrize("inner", (1, 2, -1, 0))
def test_many_elements_are_read_run_by_run(size: int, inner: int) -> None:
    """With no other result than by their offsets; a count of 0 or a distance of 0 is no slice."""
    count = 7
    cells = list(range(100))
    wanted = [cells[40 + a * 20 + k * inner] for a in range(3) for k in range(count)]
    assert read(cells, 40, size, ((3, 20), (count, inner))) == wanted
    hits = [cells[40 + a * 20 + k] for a in range(3) for k in (0, 3, 4)]
    assert read(cells, 40, size, ((3, 20), ((0, 3, 4),))) == hits


def test_strides_of_what_is_stretched() -> None:
    assert stretched((3, 4), (3, 4), (4, 1)) == (4, 1)
    assert stretched((3, 4), (2, 3, 4), (4, 1)) == (0, 4, 1)
    assert stretched((3, 1), (3, 5), (1, 1)) == (1, 0)
    assert stretched((1, 4), (1, 4), (4, 1)) == (4, 1)
    assert stretched((), (2, 3), ()) == (0, 0)
    assert stretched((1,), (0,), (1,)) == (0,)


# --- views ------------------------------------------------------------------------------------------------------------


def numbers(spent: list[int]) -> Numbers:
    def no_negative(dims: tuple[int, ...]) -> None:
        assert all(n >= 0 for n in dims)

    e: Any = SimpleNamespace(spend=spent.append, no_negative=no_negative, numerics=reading("ieee"))
    return Numbers(e, SimpleNamespace())  # type: ignore[arg-type]


def at_place(n: int) -> tuple[int, ...]:
    """Where the ``n``-th element in order lies."""
    return (n // 8, n // 4 % 2, n % 4)


VIEWS: list[tuple[str, Callable[[Numbers, Dense], Dense], tuple[int, ...], Callable[..., tuple[int, ...]]]] = [
    ("moved", lambda m, x: m.moved(x, (2, 0, 1)), (4, 3, 2), lambda i, j, k: (j, k, i)),
    ("spread", lambda m, x: m.spread(x, (5, 3, 2, 4)), (5, 3, 2, 4), lambda n, i, j, k: (i, j, k)),
    ("strided", lambda m, x: m.strided(x, (2, 0, 3), (-1, 1, -2), (3, 2, 2)), (3, 2, 2),
     lambda i, j, k: (2 - i, j, 3 - 2 * k)),
    ("along", lambda m, x: m.along(x, (2, 0, 1), (2, 4, 3)), (2, 4, 3), lambda i, j, k: (k, i, j)),
    ("copy", lambda m, x: m.copy(x), DIMS, lambda i, j, k: (i, j, k)),
    ("flat", lambda m, x: m.flat(x), (24,), lambda n: at_place(n)),
    ("reshaped", lambda m, x: m.reshaped(x, (4, 6)), (4, 6), lambda i, j: at_place(6 * i + j)),
]  # fmt: skip


@pytest.mark.parametrize("layout", LAYOUTS)
def test_a_view_has_the_elements_of_what_it_is_of(layout: str) -> None:
    for name, view, dims, source in VIEWS:
        spent: list[int] = []
        x = array(layout, [])
        found = view(numbers(spent), x)
        assert found.dims == dims, name
        assert all(found[at] == x[source(*at)] for at in product(*map(range, dims))), (name, layout)
        assert spent == ([24] if name in ("copy", "flat", "reshaped") else []), name


def test_what_has_the_extents_is_its_own_view() -> None:
    x = array("plain", [])
    assert numbers([]).spread(x, DIMS) is x


def test_an_axis_of_one_is_stretched_along_another() -> None:
    x = Dense("int64", (1, 3), [5, 6, 7], [].append)
    found = numbers([]).along(x, (1, 0), (3, 4))
    assert [found[i, j] for i in range(3) for j in range(4)] == [5] * 4 + [6] * 4 + [7] * 4
    twice = numbers([]).along(Dense("int64", (3, 3), list(range(9)), [].append), (0, 0), (3,))
    assert [twice[k,] for k in range(3)] == [0, 4, 8]  # the diagonal


def test_rows_of_their_own_lengths() -> None:
    """Row ``i`` has the positions from ``i`` on, ``i`` of them."""
    spent: list[int] = []
    m = numbers(spent)
    x = m.rows((4, 9), "float32", lambda i: Run(i, i), lambda i, j: 10 * i + j)
    assert isinstance(x, Rows) and spent == [1, 2, 3, 4]
    assert [x.over((i, Run(i, i))) for i in range(4)] == [[], [11], [22, 23], [33, 34, 35]]
    assert x[3, 4] == 34 and spent[4:] == [0, 1, 2, 3]
    moved = x.pointwise("float32", lambda a, b: (a, b), [["p", "q", "r", "s"]])
    assert moved.over((2, Run(3, 1))) == [(23, "r")] and moved.over((0, Run(0, -1))) == []
    assert [moved.over((i, Run(i, i))) for i in range(4)] == [
        [], [(11, "q")], [(22, "r"), (23, "r")], [(33, "s"), (34, "s"), (35, "s")]
    ]  # fmt: skip
    assert spent[8] == 6
    whole = m.rows((2, 2, 3), "float32", lambda i, j: Run(0, None), lambda i, j, k: 100 * i + 10 * j + k)
    assert whole[1, 0, 2] == 102 and whole.over((1, 1, ALL)) == [110, 111, 112]
    assert whole.over((0, 1, Run(1, 2))) == [11, 12]


def test_pieces_one_behind_the_other() -> None:
    at = numbers([]).pieces((2, 0, 3, 1))
    found = [at(k, lambda piece, place: (piece, place)) for k in range(6)]
    assert found == [(0, 0), (0, 1), (2, 0), (2, 1), (2, 2), (3, 0)]


def test_what_arrives_at_a_place() -> None:
    spent: list[int] = []
    m = numbers(spent)
    come = m.arrivals((2, 3), lambda i, j: ((i + j) % 3,))
    assert [come((k,), lambda i, j: (i, j)) for k in range(4)] == [
        [(0, 0), (1, 2)], [(0, 1), (1, 0)], [(0, 2), (1, 1)], []
    ]  # fmt: skip
    assert spent == [6]
    assert m.each((2, Hits(4, lambda k: k, lambda k: k % 2 == 1)), lambda i, j: (i, j)) == [
        (0, 1), (0, 3), (1, 1), (1, 3)
    ]  # fmt: skip
    assert m.each((3, 2), lambda i, j: (i, j), lambda i, j: i == j) == [(0, 0), (1, 1)] and spent[1:] == [4, 6]
    assert m.highest((2, 3), lambda i, j: i - j) == 1 and m.highest((0, 3), lambda i, j: 9) == -1
    assert m.place((1, 2, 3), (2, 3, 4)) == m.stored((1, 2, 3), (2, 3, 4), "op.x") == 23
    assert m.stored((9, 9), (2, 3), "op.x", nothing=True) == 36


def test_a_table_of_the_last_places() -> None:
    table = Dense("int64", (4,), [2, 2, 5, 9], [].append)
    assert [Numbers.reached(table, i) for i in (0, 1, 2, 4, 5, 8, 9)] == [0, 0, 2, 2, 3, 3, 4]


def test_a_tensor_of_a_text_is_charged_for() -> None:
    spent: list[int] = []
    m = numbers(spent)
    assert m.tensor((2, 3), "int64", lambda i, j: 10 * i + j).cells == [0, 1, 2, 10, 11, 12]
    assert m.tensor((2, 0), "int64", lambda i, j: 1).cells == [] and spent == [6, 0]
    pair = [Dense("int64", dims, list(range(prod(dims))), spent.append) for dims in ((2, 3), (3,))]
    broadcast = m.pointwise("int64", lambda a, b: (a, b), *pair)
    assert broadcast.cells == [(k, k % 3) for k in range(6)] and spent[2:] == [6]


def test_a_scan_without_itself_begins_with_nothing() -> None:
    x = Dense("int64", (2, 3), [1, 2, 3, 4, 5, 6], [].append)
    spent: list[int] = []
    m = numbers(spent)
    assert m.scan("add", x, 1, True).cells == [1, 3, 6, 4, 9, 15]
    assert m.scan("add", x, 1, False).cells == [0, 1, 3, 0, 4, 9]
    assert m.scan("mul", x, 0, True).cells == [1, 2, 3, 4, 10, 18]
    assert sum(spent) == 18
