"""How a kernel is launched at given sizes: blocks, threads, and what they share."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from math import prod
from typing import Any

from refrelax.backends.cupy_.forms import TILE
from refrelax.backends.cupy_.kernels import Kernel
from refrelax.backends.cupy_.ordered import TILE_ROWS
from refrelax.backends.cupy_.traffic import size
from refrelax.backends.intervals import NARROW, SLACK, UncheckedIndex
from refrelax.running.arrays import numpy_dtype
from refrelax.semantics.dims import value
from refrelax.syntax.scalars import PrimExpr, int_imm


@dataclass(frozen=True, slots=True)
class Geometry:
    """One launch. ``total``: the threads (of a row program the rows) that have work; ``lanes``: threads of a row;
    ``shared``: bytes of the block's memory that the launch asks for; ``fits``: how many columns of a row are kept
    there; ``symbols``: the sizes that this is for."""

    blocks: int
    threads: int
    total: int = 0
    lanes: int = 1
    shared: int = 0
    fits: int = 0
    symbols: Mapping[str, Any] = field(default_factory=dict)


SHARED = 96 * 1024
"""Bytes of the block's memory that a launch takes at most where the device is not known (what every device from sm_80
on has)."""

WHOLE = (1 << 31) - 1
"""More columns than are kept."""

WARP = 32
SHORT = 1024
"""Columns, at most, of a row that a warp has to itself."""


def geometry(kernel: Kernel, symbols: Mapping[str, Any], most: int | None = None) -> Geometry:
    """The launch of a kernel at these sizes; without blocks where there is nothing to do. ``most``: bytes of the
    block's memory that the device gives a launch, if it is known."""
    room = SHARED if most is None else most

    def product(extents: tuple[PrimExpr, ...]) -> int:
        return prod(max(value(e, symbols), 0) for e in extents)

    match kernel.form:
        case "sequential":
            return Geometry(1, kernel.threads, 1, symbols=symbols)
        case "row program":
            return _of_rows(kernel, product(kernel.batch), [product(span) for span in kernel.spans], symbols, room)
        case "attention":
            blocks = product(kernel.batch) * -(-product(kernel.rows) // TILE)
            shared = _needed(kernel, [product(span) for span in kernel.spans], TILE)
            fits = shared <= room - kernel.static
            return Geometry(blocks, kernel.threads, 0, TILE, shared if fits else 0, WHOLE * fits, symbols)
        case "scan" | "sort":
            shared = _needed(kernel, [product(span) for span in kernel.spans], 1)
            fits = shared <= room
            return Geometry(product(kernel.batch), kernel.threads, 0, 1, shared if fits else 0, WHOLE * fits, symbols)
        case "scan in turn":
            return Geometry(-(-product(kernel.batch) // TILE_ROWS), kernel.threads, symbols=symbols)
        case "tiled contraction":
            tiles = (-(-product(kernel.rows) // TILE)) * (-(-product(kernel.columns) // TILE))
            return Geometry(product(kernel.batch) * tiles, kernel.threads, symbols=symbols)
        case _:
            total = product(kernel.batch) * -(-product(kernel.columns) // kernel.width)
            return Geometry(-(-total // kernel.threads), kernel.threads, total, symbols=symbols)


def narrow(kernel: Kernel, symbols: Mapping[str, Any]) -> bool:
    """Whether 32 bits hold every index of a launch, each step of it, and every offset."""
    numbers = {name: number for name, number in symbols.items() if isinstance(number, int)}
    if any(abs(numbers.get(p.name, 0)) > NARROW for p in kernel.parameters if p.kind == "number"):
        return False
    counts = [size(kernel.batch, symbols), size(kernel.rows, symbols), size(kernel.columns, symbols)]
    counts += [size(span, symbols) * 1024 for span in kernel.spans]
    counts += [size(touch.shape, symbols) for touch in kernel.touches]
    if max(counts) > NARROW - SLACK or counts[0] * counts[1] > NARROW - SLACK:
        return False
    known = {name: (number, number) for name, number in numbers.items()}
    loops = {UncheckedIndex(int_imm(0), touch.loops) for touch in kernel.touches}
    return all(each.narrow(known) for each in (*kernel.indices, *loops))


def _needed(kernel: Kernel, counts: list[int], rows: int) -> int:
    """Bytes that are kept of so many rows."""
    wide = [-(-count // kernel.width) * kernel.width for count in counts]
    sizes = (wide[span] * rows * int(numpy_dtype(dtype).itemsize) for dtype, span in kernel.kept)
    return sum(-(-size // 16) * 16 for size in sizes)


def _of_rows(kernel: Kernel, rows: int, counts: list[int], symbols: Mapping[str, Any], room: int) -> Geometry:
    """A row program: the rows of a block, the threads of a row, and how much of its rows stays in the block's memory,
    of which blocks that stand side by side leave one another half of what every device has, if they can."""
    longest = max(counts, default=0)

    def needed(count: int) -> int:
        return _needed(kernel, counts, count)

    if kernel.alone:
        shapes = [(1, threads) for threads in (256, 128, 64, 32)]
    elif longest <= SHORT:
        shapes = [(WARP, threads) for threads in (256, 128, 64, 32)]
    else:
        lanes = next((each for each in (256, 512) if longest <= 32 * each), 1024)
        shapes = [(lanes, lanes)]
    lanes, threads = next((each for each in shapes if needed(each[1] // each[0]) <= SHARED // 2), shapes[-1])
    count = threads // lanes
    if needed(count) <= room:
        return Geometry(-(-rows // count), threads, rows, lanes, needed(count), WHOLE, symbols)
    lanes, threads = shapes[0]
    count = threads // lanes
    stay = _stay(kernel, room) if count == 1 else 0
    shared = _needed(kernel, [min(each, stay) for each in counts], count)
    return Geometry(-(-rows // count), threads, rows, lanes, shared, stay, symbols)


def _stay(kernel: Kernel, room: int) -> int:
    """How many columns of one row fit, of a kernel that keeps some."""
    each = sum(int(numpy_dtype(dtype).itemsize) for dtype, _ in kernel.kept)
    return max(0, room - 16 * len(kernel.kept)) // each // kernel.width * kernel.width
