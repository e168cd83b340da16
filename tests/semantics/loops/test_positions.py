"""Where an element lies: the origin and each index times its stride, whatever is constant, a variable or computed; in
bounds or outside, as the shape and the memory say. Over tables of ranks up to five, with strides of either sign."""

from __future__ import annotations

from itertools import product

import pytest

from refrelax.semantics.loops.frame import Bound, Index, fixed
from refrelax.semantics.loops.memory import OUTSIDE, flat_position, position, row_major_indices
from refrelax.semantics.storage import fresh

STRIDES = (60, 1, -7, 20, 3)
FRAME = [2, 0, 1, 3, 1]


def index(kind: str, k: int) -> Index:
    """The ``k``-th place of the frame as a variable, as something computed from it, or as a constant."""
    if kind == "constant":
        return fixed(FRAME[k])
    return Index(lambda frame: frame[k], slot=k if kind == "variable" else None)


def bound(strides: tuple[Index, ...], origin: Index, shape: tuple[Index, ...] = (), cells: int = 400) -> Bound:
    storage = fresh("int32", cells, "global", "A")
    return Bound("A", "int32", storage, list(range(cells)), shape, strides, origin)  # type: ignore[arg-type]


@pytest.mark.parametrize("rank", range(6))
def test_the_origin_and_each_index_times_its_stride(rank: int) -> None:
    for kinds in product(("constant", "variable", "computed"), repeat=min(rank, 3)):
        all_kinds = (*kinds, *(("variable", "computed")[: rank - len(kinds)]))
        indices = [index(kind, k) for k, kind in enumerate(all_kinds)]
        wanted = sum(FRAME[k] * STRIDES[k] for k in range(rank))
        for base, run in product((0, 5), (False, True)):
            origin = Index(lambda _, b=base: b) if run else fixed(base)  # type: ignore[misc]
            strides = tuple(map(fixed, STRIDES[:rank]))
            assert flat_position(bound(strides, origin), indices)(FRAME) == base + wanted, (all_kinds, base, run)
    one = (fixed(1),)
    for base, kind in product((0, 4), ("constant", "variable", "computed")):
        assert flat_position(bound(one, fixed(base)), [index(kind, 0)])(FRAME) == base + 2


def test_which_positions_are_outside() -> None:
    """Of a shape of known and of computed extents; an index that is known to be in range is not asked."""
    for rank, extent in product((1, 2), ("known", "computed")):
        shape = tuple(fixed(n) if extent == "known" else Index(lambda _, n=n: n) for n in (3, 4)[:rank])  # type: ignore[misc]
        memory = bound(row_major_indices(shape), fixed(0), shape, 12)
        where, doubtful = position(memory, [index("variable", k) for k in range(rank)])
        assert doubtful
        for at in product(range(-1, 5), repeat=rank):
            inside = all(0 <= p < n for p, n in zip(at, (3, 4), strict=False))
            flat = at[0] if rank == 1 else at[0] * 4 + at[1]
            assert where([*at]) == (flat if inside else OUTSIDE), at
    for lo, hi, sure in ((0, 2, True), (0, 3, False), (-1, 2, False), (None, 2, False), (0, None, False), (2, 2, True)):
        memory = bound((fixed(1),), fixed(0), (fixed(3),), 3)
        _, doubtful = position(memory, [Index(lambda frame: frame[0], lo, hi)])
        assert doubtful is not sure, (lo, hi)


def test_a_view_may_reach_beyond_its_memory() -> None:
    """It is asked there, unless its extents and strides show that it does not."""
    for origin, stride, extent, cells, sure in (
        (0, 1, 4, 4, True), (0, 1, 4, 3, False), (1, 1, 4, 4, False), (3, -1, 4, 4, True), (2, -1, 4, 4, False),
        (0, 2, 2, 3, True), (0, 2, 2, 2, False), (0, 5, 0, 1, True),
    ):  # fmt: skip
        view = bound((fixed(stride),), fixed(origin), (fixed(extent),), cells)
        view.borrowed = True
        where, doubtful = position(view, [Index(lambda frame: frame[0], 0, max(extent - 1, 0), 0)])
        if extent:
            assert doubtful is not sure, (origin, stride, extent, cells)
        for p in range(extent):
            k = origin + p * stride
            assert where([p]) == (k if 0 <= k < cells else OUTSIDE), (origin, stride, p)


def test_strides_of_a_shape() -> None:
    for dims in ((), (3,), (2, 3), (2, 3, 4), (2, 0, 5)):
        wanted = [1] * len(dims)
        for k in range(len(dims) - 2, -1, -1):
            wanted[k] = wanted[k + 1] * dims[k + 1]
        for computed in (None, *range(len(dims))):
            shape = [Index(lambda _, n=n: n) if k == computed else fixed(n) for k, n in enumerate(dims)]  # type: ignore[misc]
            strides = row_major_indices(shape)
            assert [each.run([]) for each in strides] == wanted
            known = [computed is None or k >= computed for k in range(len(dims))]
            assert [each.constant is not None for each in strides] == known, (dims, computed)
