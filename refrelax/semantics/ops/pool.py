"""Pooling.

Spec: ``spec/ops/pool.md``.
"""

from __future__ import annotations

from collections.abc import Sequence

from refrelax.semantics.numbers.interface import Payload
from refrelax.semantics.ops import attributes as A
from refrelax.semantics.ops import dims as D
from refrelax.semantics.ops import layout as L
from refrelax.semantics.ops.common import arity, of_rank, tensor, with_dims
from refrelax.semantics.ops.conv import DATA, check_window
from refrelax.semantics.ops.definition import DeduceRule, Deduction, OpDef
from refrelax.semantics.ops.meaning import Array, Index, Meaning, Run, Text, defined
from refrelax.syntax.graph import Call
from refrelax.syntax.scalars import Binary, PrimExpr, as_int, bool_imm
from refrelax.syntax.types import Type

PAGE = "pool"


def _out_layout(call: Call) -> str:
    return A.text(call, "out_layout", "") or A.text(call, "layout")


def _deduce(n: int) -> DeduceRule:
    """Batch, channels and the number of windows along each spatial axis, in the result's layout. Of an axis of extent
    ``m``, padded by ``b`` before and ``a`` after (``padding`` has those before, then those after; one number an axis
    counts for both), with ``r = m + b + a - dilation * (pool_size - 1) - 1``, there are ``r // strides + 1``. Under
    ``ceil_mode`` the quotient is rounded up to ``q``, and there are ``q + 1``, or ``q`` where ``q * strides >= m + b``:
    no window begins behind the data.
    """

    def deduce(d: Deduction, call: Call, types: tuple[Type, ...]) -> Type:
        arity(d, call, 1)
        x = tensor(d, call, types, 0)
        check_window(d, call, "pool_size", "strides", "dilation")
        layout = L.check(d, call, A.text(call, "layout"), DATA[n])
        out = L.check(d, call, _out_layout(call), DATA[n])
        dims = L.plain_dims(d, call, x, layout)
        if dims is None:
            return of_rank(len(out.axes), x.dtype, x.vdevice)
        spatial = [_pooled(d, call, n, k, size) for k, size in enumerate(dims[2:])]
        return with_dims(out.from_plain_dims([dims[0], dims[1], *spatial]), x.dtype, x.vdevice)

    return deduce


def _pooled(d: Deduction, call: Call, n: int, k: int, size: PrimExpr) -> PrimExpr:
    """How many windows fit along spatial axis ``k``; with ``ceil_mode`` also a last one that starts inside."""
    padding = A.int_list(call, "padding")
    stride, before, after = A.int_list(call, "strides")[k], padding[k], padding[n + k]
    reach = A.int_list(call, "dilation")[k] * (A.int_list(call, "pool_size")[k] - 1)
    room = D.sub(D.sub(D.add(size, D.imm(before + after)), D.imm(reach)), D.ONE)
    if not A.flag(call, "ceil_mode"):
        return d.simplify(D.add(D.floordiv(room, D.imm(stride)), D.ONE))
    raw = D.add(D.floordiv(D.add(room, D.imm(stride - 1)), D.imm(stride)), D.ONE)
    start, edge = D.mul(D.sub(raw, D.ONE), D.imm(stride)), D.add(size, D.imm(before))
    a, b = as_int(start), as_int(edge)
    outside = bool_imm(a >= b) if a is not None and b is not None else Binary("GE", start, edge)
    return d.simplify(D.if_then_else(outside, D.sub(raw, D.ONE), raw))


class Windows:
    """The geometry of a pooling call: windows along each spatial axis, and the layouts of data and result."""

    def __init__(self, call: Call, n: int) -> None:
        padding, self.taps = A.int_list(call, "padding"), A.int_list(call, "pool_size")
        self.strides, self.dilation = A.int_list(call, "strides"), A.int_list(call, "dilation")
        self.before, self.after = padding[:n], padding[n:]
        self.ceil = A.flag(call, "ceil_mode")
        self.loose = [self.ceil or p > 0 or q > 0 for p, q in zip(self.before, self.after, strict=True)]
        """Axes along which a window may reach beyond the data."""
        self.layout, self.out = L.known(A.text(call, "layout"), DATA[n]), L.known(_out_layout(call), DATA[n])

    def dims(self, m: Meaning, dims: Sequence[Index]) -> tuple[Index, ...]:
        """The plain extents of the result, from those of the data."""
        sides = zip(dims[2:], self.taps, self.strides, self.dilation, self.before, self.after, strict=True)
        return (*dims[:2], *(self._count(m, *side) for side in sides))

    def _count(self, m: Meaning, n: Index, taps: int, stride: int, dilation: int, before: int, after: int) -> Index:
        room = n + (before + after - dilation * (taps - 1) - 1)
        if not self.ceil:
            return room // stride + 1
        last = -(-room // stride)
        return m.pick(last * stride >= n + before, last, last + 1)

    def run(self, k: int, p: Index) -> Run:
        """The positions along spatial axis ``k`` of window ``p`` that lie in the data."""
        return Run(p * self.strides[k] - self.before[k], self.taps[k], self.dilation[k], self.loose[k])

    def runs(self, y: Sequence[Index]) -> list[Run]:
        """The positions of a window along each axis."""
        return [self.run(k, p) for k, p in enumerate(y)]

    def covered(self, m: Meaning, dims: Sequence[Index], y: Sequence[Index], padded: bool) -> Index:
        """How many positions of a window lie in the data; ``padded``: below the end of the padding."""
        return m.product(
            along(m, run, n + extra if padded else n, padded)
            for run, n, extra in zip(self.runs(y), dims[2:], self.after, strict=True)
        )


def along(m: Meaning, run: Run, end: Index, padded: bool) -> Index:
    """How many positions of a run lie below ``end``, and not below 0 unless ``padded``."""
    if not run.inside:
        return run.count
    start, last = run.start if padded else first(m, run), m.least(run.start + run.count * run.step, end)
    return m.most((last - start + (run.step - 1)) // run.step, 0)


def first(m: Meaning, run: Run) -> Index:
    """The first position of a run that is not below 0."""
    return m.most(run.start, run.start % run.step) if run.inside else run.start


def _max_pool(n: int) -> Text:
    """The greatest element of each window, ``x[y * strides - b + k * dilation]`` for ``k < pool_size`` along each
    spatial axis; padding is no candidate; a window without an element gives poison."""

    def text(m: Meaning, call: Call, x: Array) -> Array:
        w, fold = Windows(call, n), m.at(x.dtype).reduce
        x = w.layout.read(m, x)
        dims = w.dims(m, x.dims)
        return w.out.written(m, dims, x.dtype, lambda b, c, *y: fold("maximum", x.over((b, c, *w.runs(y)))))

    return text


def _avg_pool(n: int) -> Text:
    """The sum of the elements of each window (that of ``max_pool``), divided by the number of its positions: with
    ``count_include_pad`` of those below ``m + a``, which leaves out what lies behind the padding, else of those in the
    data, or by 1 where there are none."""

    def text(m: Meaning, call: Call, x: Array) -> Array:
        w, f, padded = Windows(call, n), m.at(x.dtype), A.flag(call, "count_include_pad")
        x = w.layout.read(m, x)

        def element(b: Index, c: Index, *y: Index) -> Payload:
            count = w.covered(m, x.dims, y, padded)
            total = f.reduce("add", x.over((b, c, *w.runs(y))))
            return f.div(total, f.lit(count if padded else m.most(count, 1)))

        return w.out.written(m, w.dims(m, x.dims), x.dtype, element)

    return text


# --- adaptive --------------------------------------------------------------------------------------------------------


def _deduce_adaptive(n: int) -> DeduceRule:
    """Batch, channels and ``output_size``, or the data's extents without one, in the result's layout. Of unknown dims
    only the rank is known; the type is the data's where there is no ``output_size`` and the layouts are equal."""

    def deduce(d: Deduction, call: Call, types: tuple[Type, ...]) -> Type:
        arity(d, call, 1)
        x = tensor(d, call, types, 0)
        layout = L.check(d, call, A.text(call, "layout"), DATA[n])
        out = L.check(d, call, _out_layout(call), DATA[n])
        wanted = A.integers(call, "output_size")
        dims = L.plain_dims(d, call, x, layout)
        if dims is None:
            same = x.shape is not None and out == layout and wanted is None
            return x if same else of_rank(len(out.axes), x.dtype, x.vdevice)
        spatial = dims[2:] if wanted is None else [D.imm(each) for each in wanted]
        return with_dims(out.from_plain_dims([dims[0], dims[1], *spatial]), x.dtype, x.vdevice)

    return deduce


def _adaptive(n: int) -> Text:
    """``out[y]``: along each spatial axis of ``m`` positions, of which the result has ``q``, the elements from
    ``floor(y * m / q)`` to below ``ceil((y + 1) * m / q)``; their sum divided by their number, by 1 where there are
    none."""

    def text(m: Meaning, call: Call, x: Array) -> Array:
        layout, out = L.known(A.text(call, "layout"), DATA[n]), L.known(_out_layout(call), DATA[n])
        f, x, wanted = m.at(x.dtype), layout.read(m, x), A.integers(call, "output_size")
        size = x.dims[2:]
        spatial = size if wanted is None else wanted

        def element(b: Index, c: Index, *y: Index) -> Payload:
            spans = [(p * k // q, -(-(p + 1) * k // q)) for p, k, q in zip(y, size, spatial, strict=True)]
            runs = [Run(a, z - a) for a, z in spans]
            total = f.reduce("add", x.over((b, c, *runs)))
            return f.div(total, f.lit(m.most(m.product(run.count for run in runs), 1)))

        return out.written(m, (*x.dims[:2], *spatial), x.dtype, element)

    return text


OPERATORS: tuple[OpDef, ...] = (
    defined("relax.nn.max_pool1d", _deduce(1), _max_pool(1), PAGE),
    defined("relax.nn.max_pool2d", _deduce(2), _max_pool(2), PAGE),
    defined("relax.nn.max_pool3d", _deduce(3), _max_pool(3), PAGE),
    defined("relax.nn.avg_pool1d", _deduce(1), _avg_pool(1), PAGE),
    defined("relax.nn.avg_pool2d", _deduce(2), _avg_pool(2), PAGE),
    defined("relax.nn.avg_pool3d", _deduce(3), _avg_pool(3), PAGE),
    defined("relax.nn.adaptive_avg_pool1d", _deduce_adaptive(1), _adaptive(1), PAGE),
    defined("relax.nn.adaptive_avg_pool2d", _deduce_adaptive(2), _adaptive(2), PAGE),
    defined("relax.nn.adaptive_avg_pool3d", _deduce_adaptive(3), _adaptive(3), PAGE),
)
