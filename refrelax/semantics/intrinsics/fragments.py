"""Fragments of matrices: ``T.tvm_load_matrix_sync`` and its kin, which the lanes of a warp do together.

Where a lane keeps its part of a fragment is not said by the language, so a fragment is a tile of its buffer, row-major,
and a warp's work is done once, by its first lane.

Spec: ``spec/07-evaluation.md``, *Threads*.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from refrelax.errors import Span, unspecified
from refrelax.rules import rule
from refrelax.semantics.loops.elements import build_element
from refrelax.semantics.loops.frame import Bound, Builder, Element, Frame, Index, Run
from refrelax.semantics.loops.indices import build_index
from refrelax.semantics.loops.launch import WARP
from refrelax.semantics.loops.memory import build_load, build_store
from refrelax.semantics.loops.pointers import resolve, rest_of
from refrelax.syntax.scalars import Intrinsic, PrimExpr, StringImm, literal_int

FRAGMENTS = frozenset({"tvm_fill_fragment", "tvm_load_matrix_sync", "tvm_store_matrix_sync", "tvm_mma_sync"})

Sizes = tuple[int, int, int]
"""``m``, ``n`` and ``k`` of the product that a fragment takes part in."""


@dataclass(frozen=True, slots=True)
class Tile:
    """``rows`` by ``columns`` elements of a buffer, from cell ``start(frame)`` on."""

    bound: Bound
    rows: int
    columns: int
    start: Run


@rule("ev/matrix-fragment")
def build_fragment(build: Builder, call: Intrinsic) -> Element:
    """A call of one of ``FRAGMENTS``, by the first lane of each warp."""
    work = _WORK[call.op](build, call)
    lane = next((name for name, tag in build.threads.items() if tag == "threadIdx.x"), None)
    if lane is None:
        return work
    x = build.variables[lane].run
    return lambda frame: work(frame) if x(frame) % WARP == 0 else None


def _tile(build: Builder, handle: PrimExpr, sizes: Sizes | None, index: PrimExpr, span: Span | None) -> Tile:
    """Fragment ``index`` of a buffer: m × k of a ``matrix_a``, k × n of a ``matrix_b``, m × n of an accumulator."""
    bound, at = resolve(build, handle), build_index(build, index).run
    known = build.context.tiles
    if sizes is not None:
        known[id(bound.storage)] = sizes
    m, n, k = _sizes_of(build, bound, span)
    rows, columns = {"matrix_a": (m, k), "matrix_b": (k, n)}.get(bound.scope.rpartition(".")[2], (m, n))
    pointer, count = bound.pointer.run, rows * columns

    def start(frame: Frame) -> int:
        first = pointer(frame) + at(frame) * count
        if not 0 <= first <= len(bound.cells) - count:
            raise unspecified("ld/store-out-of-bounds", f"fragment {at(frame)} is none of {bound.name}", span)
        return int(first)

    return Tile(bound, rows, columns, start)


@rule("ld/fragment-size")
def _sizes_of(build: Builder, bound: Bound, span: Span | None) -> Sizes:
    sizes = build.context.tiles.get(id(bound.storage))
    if sizes is None:
        raise unspecified("ld/fragment-size", f"the fragments of {bound.name} were neither filled nor loaded", span)
    return sizes


def _sizes(call: Intrinsic) -> Sizes:
    m, n, k = (literal_int(each) for each in call.args[1:4])  # type: ignore[arg-type]
    return m, n, k


def _fill(build: Builder, call: Intrinsic) -> Element:
    """``(fragment, m, n, k, index, value)``."""
    tile, value = _tile(build, call.args[0], _sizes(call), call.args[4], call.span), build_element(build, call.args[5])
    if call.args[5].dtype != tile.bound.dtype:
        message = f"a fragment of {tile.bound.dtype} is filled with a number of {call.args[5].dtype}"
        raise unspecified("ld/intrinsic-without-meaning", message, call.span)

    def fill(frame: Frame) -> None:
        first, count = tile.start(frame), tile.rows * tile.columns
        tile.bound.cells[first : first + count] = [value(frame)] * count

    return fill


def _outside(build: Builder, call: Intrinsic, tile: Tile) -> tuple[Bound, Index, int, Callable[[Frame, int, int], int]]:
    """The memory behind a pointer, an index into it that a slot holds, and where an element of the tile is in it."""
    memory, stride = rest_of(resolve(build, call.args[5])), build_index(build, call.args[6]).run
    layout, slot = call.args[7], build.new_slot()
    word = layout.value if isinstance(layout, StringImm) else ""
    if word not in ("row_major", "col_major"):
        raise unspecified("ld/intrinsic-without-meaning", f"no layout {word!r} of a matrix", call.span)
    if memory.dtype != tile.bound.dtype:
        message = f"a fragment of {tile.bound.dtype} beside memory of {memory.dtype}"
        raise unspecified("ld/intrinsic-without-meaning", message, call.span)
    by_column = word == "col_major"

    def place(frame: Frame, row: int, column: int) -> int:
        return int(column * stride(frame) + row if by_column else row * stride(frame) + column)

    return memory, Index(lambda frame: frame[slot]), slot, place


def _load(build: Builder, call: Intrinsic) -> Element:
    """``(fragment, m, n, k, index, pointer, stride, layout)``: from memory into the fragment."""
    tile = _tile(build, call.args[0], _sizes(call), call.args[4], call.span)
    memory, index, slot, place = _outside(build, call, tile)
    element = build_load(build, memory, [index])

    def load(frame: Frame) -> None:
        first = tile.start(frame)
        for row in range(tile.rows):
            for column in range(tile.columns):
                frame[slot] = place(frame, row, column)
                tile.bound.cells[first + row * tile.columns + column] = element(frame)

    return load


def _store(build: Builder, call: Intrinsic) -> Element:
    """``(fragment, m, n, k, index, pointer, stride, layout)``: from the fragment into memory."""
    tile = _tile(build, call.args[0], _sizes(call), call.args[4], call.span)
    memory, index, slot, place = _outside(build, call, tile)
    held = build.new_slot()
    write = build_store(build, memory, [index], lambda frame: frame[held], call.span)

    def store(frame: Frame) -> None:
        first = tile.start(frame)
        for row in range(tile.rows):
            for column in range(tile.columns):
                frame[slot], frame[held] = (
                    place(frame, row, column),
                    tile.bound.cells[first + row * tile.columns + column],
                )
                write(frame)

    return store


@rule("ev/matrix-multiply")
def _multiply(build: Builder, call: Intrinsic) -> Element:
    """``(d, index, a, index, b, index, c, index)``: ``d = a·b + c``, each element a sum in any order."""
    sizes = _sizes_of(build, resolve(build, call.args[2]), call.span)
    d, a, b, c = (_tile(build, call.args[k], sizes, call.args[k + 1], call.span) for k in (0, 2, 4, 6))
    home, numerics = build.context.numerics.at(d.bound.dtype), build.context.numerics
    left, right, depth = a.bound.dtype, b.bound.dtype, a.columns
    settle = numerics.at(c.bound.dtype).settle

    def multiply(frame: Frame) -> None:
        at_a, at_b, at_c, at_d = (tile.start(frame) for tile in (a, b, c, d))
        rows = [
            [home.cast(x, left) for x in a.bound.cells[at_a + i * depth : at_a + (i + 1) * depth]]
            for i in range(a.rows)
        ]
        wide = [home.cast(x, right) for x in b.bound.cells[at_b : at_b + depth * b.columns]]
        sums: list[Any] = []
        for i, row in enumerate(rows):
            for j in range(b.columns):
                products = [home.mul(x, y) for x, y in zip(row, wide[j :: b.columns], strict=True)]
                begin = home.cast(settle(c.bound.cells[at_c + i * c.columns + j]), c.bound.dtype)
                sums.append(home.reduce("add", [begin, *products]))
        d.bound.cells[at_d : at_d + len(sums)] = sums

    return multiply


_WORK: dict[str, Callable[[Builder, Intrinsic], Element]] = {
    "tvm_fill_fragment": _fill,
    "tvm_load_matrix_sync": _load,
    "tvm_store_matrix_sync": _store,
    "tvm_mma_sync": _multiply,
}
