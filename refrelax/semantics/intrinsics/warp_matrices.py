"""``T.ptx_legacy.ldmatrix`` and ``T.ptx_legacy.mma``: matrices that the lanes of a warp hold as PTX documents it.

The lanes bring what they hold, wait for each other, and each takes its part of the result. With ``e`` elements in 32
bits, ``g = lane // 4`` and ``t = lane % 4``, element ``i`` of a lane's part is in row and column

* of ``A`` (16 × k): ``g + 8·(i // e mod 2)``, ``t·e + i mod e + 4e·(i // 2e)``;
* of ``B`` (k × 8): ``t·e + i mod e + 4e·(i // e)``, ``g``;
* of ``C`` (16 × 8): ``g + 8·(i // 2)``, ``2t + i mod 2``.

Source: PTX ISA 8, *Matrix fragments for mma.m16n8k8 / k16 / k32*, *ldmatrix*. Spec: ``spec/07-evaluation.md``,
*Threads*.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from refrelax.errors import unspecified
from refrelax.rules import rule
from refrelax.semantics.loops.frame import Bound, Builder, Frame, Index, Run
from refrelax.semantics.loops.indices import build_index
from refrelax.semantics.loops.launch import WARP, Ask, Request
from refrelax.semantics.loops.memory import build_load
from refrelax.semantics.loops.pointers import resolve, rest_of
from refrelax.semantics.numbers.poison import poison
from refrelax.syntax import dtypes
from refrelax.syntax.scalars import Intrinsic, PrimExpr, StringImm, as_int

_OUT_OF_BOUNDS = poison("ld/load-out-of-bounds")

Lanes = tuple[tuple[Any, ...], ...]
"""What each lane of a warp brought."""


@dataclass(frozen=True, slots=True)
class WarpWork:
    """``bring``: what a lane brings; ``take``: what lane ``k`` does with everything that was brought."""

    bring: Callable[[Frame], tuple[Any, ...]]
    take: Callable[[Frame, int, Lanes], None]


def build_warp_matrices(build: Builder, call: Intrinsic) -> Ask:
    """A call of ``ldmatrix`` or ``mma``: a lane waits for all lanes of its warp."""
    work = _load(build, call) if call.op == "ptx_legacy.ldmatrix" else _multiply(build, call)
    launch = build.launch
    assert launch is not None
    return Ask(
        lambda frame: Request("gather", f"T.{call.op}", call.span, work.bring(frame)),
        lambda frame, brought: work.take(frame, launch.linear(launch.running) % WARP, brought),
    )


def _without_meaning(call: Intrinsic) -> Exception:
    message = f"this form of T.{call.op} has no meaning in this edition of the spec"
    return unspecified("ld/intrinsic-without-meaning", message, call.span)


def _part(build: Builder, handle: PrimExpr, offset: PrimExpr) -> tuple[Bound, Run]:
    """A lane's part of a buffer: its memory, and the cell where the part begins."""
    bound, by = resolve(build, handle), build_index(build, offset).run
    pointer = bound.pointer.run
    return bound, lambda frame: pointer(frame) + by(frame)


def _read(bound: Bound, first: int, count: int) -> list[Any]:
    """A lane's part; what lies outside the memory means nothing."""
    cells = bound.cells
    return [cells[k] if 0 <= k < len(cells) else _OUT_OF_BOUNDS for k in range(first, first + count)]


@rule("ld/store-out-of-bounds")
def _write(bound: Bound, first: int, values: list[Any], call: Intrinsic) -> None:
    """Put a lane's part back."""
    if not 0 <= first <= len(bound.cells) - len(values):
        message = f"{len(values)} elements from {first} on are not all in {bound.name}"
        raise unspecified("ld/store-out-of-bounds", message, call.span)
    bound.cells[first : first + len(values)] = values


# --- ldmatrix --------------------------------------------------------------------------------------------------------


@rule("ev/load-matrices")
def _load(build: Builder, call: Intrinsic) -> WarpWork:
    """``(transposed, count, type, destination, offset, pointer, offset)``: ``count`` matrices of 8 rows of 16 bytes.

    Lane ``8m + r`` points to row ``r`` of matrix ``m``.
    """
    transposed, count, _, target, at, source, offset = call.args
    bound, start = _part(build, target, at)
    memory, by, slot = rest_of(resolve(build, source)), build_index(build, offset).run, build.new_slot()
    element = build_load(build, memory, [Index(lambda frame: frame[slot])])
    width = dtypes.memory_bits(bound.dtype)
    turned, matrices = bool(as_int(transposed)), as_int(count)
    if matrices not in (1, 2, 4) or memory.dtype != bound.dtype or width not in (8, 16) or (turned and width != 16):
        raise _without_meaning(call)
    across, per = 128 // width, 32 // width

    def bring(frame: Frame) -> tuple[Any, ...]:
        first, row = by(frame), []
        for column in range(across):
            frame[slot] = first + column
            row.append(element(frame))
        return tuple(row)

    def take(frame: Frame, lane: int, brought: Lanes) -> None:
        g, t, values = lane // 4, lane % 4, []
        for m in range(matrices):
            rows = brought[8 * m : 8 * m + 8]
            for i in range(per):
                values.append(rows[per * t + i][g] if turned else rows[g][per * t + i])
        _write(bound, start(frame), values, call)

    return WarpWork(bring, take)


# --- mma -------------------------------------------------------------------------------------------------------------


@rule("ev/multiply-matrices")
def _multiply(build: Builder, call: Intrinsic) -> WarpWork:
    """``("m16n8k…", layouts, dtypes, A, offset, B, offset, C, offset, saturate)``: ``C = A·B + C``.

    Each element is a sum in any order.
    """
    shape, first_layout, second_layout = (each.value if isinstance(each, StringImm) else "" for each in call.args[:3])
    saturate = call.args[12] if len(call.args) > 12 else None
    if shape not in ("m16n8k8", "m16n8k16", "m16n8k32", "m16n8k64") or (first_layout, second_layout) != ("row", "col"):
        raise _without_meaning(call)
    if saturate is not None and as_int(saturate) != 0:
        raise _without_meaning(call)
    (a, at_a), (b, at_b), (c, at_c) = (_part(build, call.args[k], call.args[k + 1]) for k in (6, 8, 10))
    depth, per = int(shape.removeprefix("m16n8k")), 32 // dtypes.memory_bits(a.dtype)
    if per not in (2, 4) or depth % (4 * per):
        raise _without_meaning(call)
    numerics = build.context.numerics
    home, settle = numerics.at(c.dtype), numerics.at(c.dtype).settle
    of_a, of_b, left, right = depth // 2, depth // 4, a.dtype, b.dtype

    def bring(frame: Frame) -> tuple[Any, ...]:
        i, j = at_a(frame), at_b(frame)
        ours = (home.cast(each, left) for each in _read(a, i, of_a))
        theirs = (home.cast(each, right) for each in _read(b, j, of_b))
        return (*ours, *theirs)

    def take(frame: Frame, lane: int, brought: Lanes) -> None:
        before, sums = _read(c, at_c(frame), 4), []
        for i in range(4):
            row, column = lane // 4 + 8 * (i // 2), 2 * (lane % 4) + i % 2
            products = []
            for k in range(depth):
                t, inside, block = k % (4 * per) // per, k % per, k // (4 * per)
                x = brought[4 * (row % 8) + t][inside + per * (row // 8) + 2 * per * block]
                y = brought[4 * column + t][of_a + inside + per * block]
                products.append(home.mul(x, y))
            sums.append(home.reduce("add", [settle(before[i]), *products]))
        _write(c, at_c(frame), sums, call)

    return WarpWork(bring, take)
