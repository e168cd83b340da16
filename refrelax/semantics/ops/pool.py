"""Pooling.

Spec: ``spec/ops/pool.md``.
"""

from __future__ import annotations

from itertools import product

from refrelax.semantics.numbers.interface import Payload
from refrelax.semantics.ops import attributes as A
from refrelax.semantics.ops import dims as D
from refrelax.semantics.ops import layout as L
from refrelax.semantics.ops.common import arity, of_rank, tensor, tensor_value, with_dims
from refrelax.semantics.ops.conv import DATA, charge, check_window, spread, spread_padding
from refrelax.semantics.ops.definition import DeduceRule, Deduction, EvaluateRule, Evaluation, OpDef
from refrelax.semantics.values import Tensor, Value
from refrelax.syntax.graph import Call
from refrelax.syntax.scalars import Binary, PrimExpr, as_int, bool_imm
from refrelax.syntax.types import Type

PAGE = "pool"


def _out_layout(call: Call) -> str:
    return A.text(call, "out_layout", "") or A.text(call, "layout")


def _deduce(n: int) -> DeduceRule:
    """Batch, channels and the number of windows along each spatial axis, in the result's layout."""

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
    padding = spread_padding(A.int_list(call, "padding"), n)
    stride, before, after = spread(A.int_list(call, "strides"), n)[k], padding[k], padding[n + k]
    reach = spread(A.int_list(call, "dilation"), n)[k] * (spread(A.int_list(call, "pool_size"), n)[k] - 1)
    room = D.sub(D.sub(D.add(size, D.imm(before + after)), D.imm(reach)), D.ONE)
    if not A.flag(call, "ceil_mode"):
        return d.simplify(D.add(D.floordiv(room, D.imm(stride)), D.ONE))
    raw = D.add(D.floordiv(D.add(room, D.imm(stride - 1)), D.imm(stride)), D.ONE)
    start, edge = D.mul(D.sub(raw, D.ONE), D.imm(stride)), D.add(size, D.imm(before))
    a, b = as_int(start), as_int(edge)
    outside = bool_imm(a >= b) if a is not None and b is not None else Binary("GE", start, edge)
    return d.simplify(D.if_then_else(outside, D.sub(raw, D.ONE), raw))


def pooled_extent(size: int, taps: int, stride: int, dilation: int, before: int, after: int, ceil: bool) -> int:
    """The number of windows along an axis."""
    room = size + before + after - dilation * (taps - 1) - 1
    if not ceil:
        return room // stride + 1
    count = -(-room // stride) + 1
    return count - 1 if (count - 1) * stride >= size + before else count


class Windows:
    """The geometry of a pooling call on one tensor."""

    def __init__(self, call: Call, n: int, x: Tensor) -> None:
        padding = spread_padding(A.int_list(call, "padding"), n)
        self.taps = spread(A.int_list(call, "pool_size"), n)
        self.strides = spread(A.int_list(call, "strides"), n)
        self.dilation = spread(A.int_list(call, "dilation"), n)
        self.before, self.after = padding[:n], padding[n:]
        self.layout, self.out = L.known(A.text(call, "layout"), DATA[n]), L.known(_out_layout(call), DATA[n])
        self.size = self.layout.plain_shape(x.shape)
        ceil = A.flag(call, "ceil_mode")
        spatial = [
            pooled_extent(m, self.taps[k], self.strides[k], self.dilation[k], self.before[k], self.after[k], ceil)
            for k, m in enumerate(self.size[2:])
        ]
        self.shape = self.out.shape((*self.size[:2], *spatial))

    def spots(self, index: tuple[int, ...]) -> tuple[list[tuple[int, ...]], int]:
        """The positions of a window that lie in the data, and how many lie in data or padding."""
        b, c, *y = self.out.to_plain(index)
        axes = []
        covered = 1
        for k, position in enumerate(y):
            first = position * self.strides[k] - self.before[k]
            spots = [first + t * self.dilation[k] for t in range(self.taps[k])]
            axes.append([p for p in spots if 0 <= p < self.size[2 + k]])
            covered *= sum(p < self.size[2 + k] + self.after[k] for p in spots)
        return [self.layout.from_plain((b, c, *at)) for at in product(*axes)], covered

    def items(self, x: Tensor, index: tuple[int, ...]) -> tuple[list[Payload], int]:
        """The elements of a window that lie in the data, and how many positions lie in data or padding."""
        spots, covered = self.spots(index)
        return [x[at] for at in spots], covered


def _max_pool(n: int) -> EvaluateRule:
    """The greatest element of each window; padding is no candidate; a window without an element gives poison."""

    def evaluate(e: Evaluation, call: Call, args: tuple[Value, ...]) -> Tensor:
        x = tensor_value(args[0])
        windows, f = Windows(call, n, x), e.numerics.at(x.dtype)
        charge(e, windows.shape, sum(windows.taps))
        return e.tabulate(x.dtype, windows.shape, lambda *i: f.reduce("maximum", windows.items(x, i)[0]))

    return evaluate


def _avg_pool(n: int) -> EvaluateRule:
    """The sum of each window divided by the number of its elements, padding counted if ``count_include_pad``; a window
    without elements gives 0 where padding does not count."""

    def evaluate(e: Evaluation, call: Call, args: tuple[Value, ...]) -> Tensor:
        x, include = tensor_value(args[0]), A.flag(call, "count_include_pad")
        windows, f = Windows(call, n, x), e.numerics.at(x.dtype)
        charge(e, windows.shape, sum(windows.taps))

        def element(*i: int) -> Payload:
            items, covered = windows.items(x, i)
            return f.div(f.reduce("add", items), f.lit(covered if include else max(len(items), 1)))

        return e.tabulate(x.dtype, windows.shape, element)

    return evaluate


# --- adaptive --------------------------------------------------------------------------------------------------------


def _deduce_adaptive(n: int) -> DeduceRule:
    """Batch, channels and ``output_size``, or the data's extents without one, in the result's layout."""

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
        spatial = dims[2:] if wanted is None else [D.imm(each) for each in spread(wanted, n)]
        return with_dims(out.from_plain_dims([dims[0], dims[1], *spatial]), x.dtype, x.vdevice)

    return deduce


def _adaptive(n: int) -> EvaluateRule:
    """``out[y]``: the mean of ``x[floor(y * m / q) : ceil((y + 1) * m / q)]``, ``q`` outputs of ``m`` inputs;
    0 where there are none."""

    def evaluate(e: Evaluation, call: Call, args: tuple[Value, ...]) -> Tensor:
        x, f = tensor_value(args[0]), e.numerics.at(tensor_value(args[0]).dtype)
        layout, out = L.known(A.text(call, "layout"), DATA[n]), L.known(_out_layout(call), DATA[n])
        size, wanted = layout.plain_shape(x.shape), A.integers(call, "output_size")
        spatial = list(size[2:]) if wanted is None else spread(wanted, n)

        def element(*i: int) -> Payload:
            b, c, *y = out.to_plain(i)
            spans = [range(p * m // q, -(-(p + 1) * m // q)) for p, m, q in zip(y, size[2:], spatial, strict=True)]
            items = [x[layout.from_plain((b, c, *at))] for at in product(*spans)]
            return f.div(f.reduce("add", items), f.lit(max(len(items), 1)))

        return e.tabulate(x.dtype, out.shape((*size[:2], *spatial)), element)

    return evaluate


OPERATORS: tuple[OpDef, ...] = (
    OpDef("relax.nn.max_pool1d", _deduce(1), _max_pool(1), PAGE),
    OpDef("relax.nn.max_pool2d", _deduce(2), _max_pool(2), PAGE),
    OpDef("relax.nn.max_pool3d", _deduce(3), _max_pool(3), PAGE),
    OpDef("relax.nn.avg_pool1d", _deduce(1), _avg_pool(1), PAGE),
    OpDef("relax.nn.avg_pool2d", _deduce(2), _avg_pool(2), PAGE),
    OpDef("relax.nn.avg_pool3d", _deduce(3), _avg_pool(3), PAGE),
    OpDef("relax.nn.adaptive_avg_pool1d", _deduce_adaptive(1), _adaptive(1), PAGE),
    OpDef("relax.nn.adaptive_avg_pool2d", _deduce_adaptive(2), _adaptive(2), PAGE),
    OpDef("relax.nn.adaptive_avg_pool3d", _deduce_adaptive(3), _adaptive(3), PAGE),
)
