"""Convolutions and their transposes.

Written over the plain layouts ``N C spatial`` and ``O I spatial``; other layouts rename the positions.

Spec: ``spec/ops/conv.md``.
"""

from __future__ import annotations

from dataclasses import dataclass

from refrelax.rules import rule
from refrelax.semantics.numbers.interface import Payload
from refrelax.semantics.ops import attributes as A
from refrelax.semantics.ops import dims as D
from refrelax.semantics.ops import layout as L
from refrelax.semantics.ops.binary import arithmetic_dtype, meeting_dtype
from refrelax.semantics.ops.common import (
    arity,
    binary_vdevice,
    of_rank,
    short,
    tensor,
    with_dims,
)  # fmt: skip
from refrelax.semantics.ops.definition import DeduceRule, Deduction, OpDef
from refrelax.semantics.ops.meaning import ALL, Array, Hits, Index, Meaning, Run, Text, cast, defined
from refrelax.syntax.graph import Call
from refrelax.syntax.scalars import Binary, PrimExpr, as_int
from refrelax.syntax.types import Type

PAGE = "conv"

DATA = {1: "NCW", 2: "NCHW", 3: "NCDHW"}
KERNEL = {1: "OIW", 2: "OIHW", 3: "OIDHW"}
TRANSPOSED = {1: "IOW", 2: "IOHW", 3: "IODHW"}


@dataclass(frozen=True, slots=True)
class Window:
    """The attributes of a convolution over ``n`` spatial axes; ``before`` and ``after`` are the padding."""

    strides: list[int]
    before: list[int]
    after: list[int]
    dilation: list[int]
    groups: int
    extra: list[int]

    @staticmethod
    def of(call: Call, n: int, transposed: bool) -> Window:
        padding = A.int_list(call, "padding")
        return Window(
            A.int_list(call, "strides"),
            padding[:n],
            padding[n:],
            A.int_list(call, "dilation"),
            A.integer(call, "groups"),
            A.int_list(call, "output_padding") if transposed else [],
        )


@rule("op.conv/window")
def check_window(d: Deduction, call: Call, *names: str) -> None:
    """The attributes ``names`` are positive numbers."""
    for name in names:
        if any(n < 1 for n in A.int_list(call, name)):
            d.fail("op.conv/window", f"{short(call)}: {name} must be positive, found {A.int_list(call, name)}")


@rule("op.conv/groups", "op.conv_transpose/groups")
def _check_groups(d: Deduction, call: Call, transposed: bool) -> None:
    """There is at least one group."""
    groups = A.integer(call, "groups")
    if groups < 1:
        name = "op.conv_transpose/groups" if transposed else "op.conv/groups"
        d.fail(name, f"{short(call)}: groups must be positive, found {groups}")


def layouts(call: Call, n: int, kernel: str) -> tuple[L.Layout, L.Layout, L.Layout]:
    """The layouts of data, kernel and result; the result's is the data's unless it is named."""
    data = A.text(call, "data_layout")
    out = A.text(call, "out_layout", "") or data
    return L.known(data, DATA[n]), L.known(A.text(call, "kernel_layout"), kernel), L.known(out, DATA[n])


# --- types -----------------------------------------------------------------------------------------------------------


def _deduce(n: int, transposed: bool) -> DeduceRule:
    """Batch, output channels and the number of windows along each spatial axis, in the result's layout, at
    ``out_dtype``, whatever the operands' dtypes, if it is given, else at the data's, where they have one
    (``op.binary/equal-dtypes``). With ``b`` and ``a`` for the padding before and after (``padding`` has those before,
    then those after, axis by axis; one number an axis counts for both), ``d`` for the dilation and ``s`` for the
    stride, a kernel of ``k`` positions and data of ``m`` make ``(m + b + a - d * (k - 1) - 1) // s + 1``; of a
    transpose ``(m - 1) * s - b - a + d * (k - 1) + output_padding + 1``."""

    def deduce(d: Deduction, call: Call, types: tuple[Type, ...]) -> Type:
        arity(d, call, 2)
        data, weight = tensor(d, call, types, 0), tensor(d, call, types, 1)
        check_window(d, call, "strides", "dilation")
        _check_groups(d, call, transposed)
        in_layout = L.check(d, call, A.text(call, "data_layout"), DATA[n])
        kernel_layout = L.check(d, call, A.text(call, "kernel_layout"), TRANSPOSED[n] if transposed else KERNEL[n])
        out_layout = L.check(d, call, A.text(call, "out_layout", "") or in_layout.name, DATA[n])
        x, w = L.plain_dims(d, call, data, in_layout), L.plain_dims(d, call, weight, kernel_layout)
        dtype = A.dtype(call, "out_dtype", default=None) or arithmetic_dtype(d, call, data, weight)
        vdevice, window = binary_vdevice(d, call, data, weight), Window.of(call, n, transposed)
        _check_divided(d, call, x, w, window.groups, transposed)
        if transposed and any(extra >= stride for extra, stride in zip(window.extra, window.strides, strict=True)):
            d.fail("op.conv_transpose/output-padding", f"{short(call)}: an output padding is not below its stride")
        if x is None or w is None:
            return of_rank(len(out_layout.axes), dtype, vdevice)
        if transposed:
            result = _transposed_dims(d, call, x, w, window)
        else:
            result = _dims(d, call, x, w, window)
        return with_dims(out_layout.from_plain_dims(result), dtype, vdevice)

    return deduce


@rule("op.conv/groups", "op.conv_transpose/groups")
def _check_divided(
    d: Deduction, call: Call, x: list[PrimExpr] | None, w: list[PrimExpr] | None, groups: int, transposed: bool
) -> None:
    """The channels make groups: those of the result; of a transpose those of the data, which are the kernel's."""
    counts = [] if w is None else [w[0]]
    counts += [x[1]] if transposed and x is not None else []
    for count in counts:
        if as_int(d.simplify(Binary("FloorMod", count, D.imm(groups)))) not in (None, 0):
            name = "op.conv_transpose/groups" if transposed else "op.conv/groups"
            d.fail(name, f"{short(call)}: the channels do not make {groups} groups")


@rule("op.conv/channels")
def _dims(d: Deduction, call: Call, x: list[PrimExpr], w: list[PrimExpr], window: Window) -> list[PrimExpr]:
    groups = D.imm(window.groups)
    if d.equal(x[1], D.mul(w[1], groups)) is False:
        d.fail("op.conv/channels", f"{short(call)}: the data's channels are not groups times the kernel's")
    spatial = []
    for k, (size, taps) in enumerate(zip(x[2:], w[2:], strict=True)):
        reach = D.mul(D.imm(window.dilation[k]), D.sub(taps, D.ONE))
        room = D.sub(D.sub(D.add(size, D.imm(window.before[k] + window.after[k])), reach), D.ONE)
        spatial.append(d.simplify(D.add(D.floordiv(room, D.imm(window.strides[k])), D.ONE)))
    return [x[0], w[0], *spatial]


@rule("op.conv_transpose/channels", "op.conv_transpose/output-padding")
def _transposed_dims(d: Deduction, call: Call, x: list[PrimExpr], w: list[PrimExpr], window: Window) -> list[PrimExpr]:
    if d.equal(x[1], w[0]) is False:
        d.fail("op.conv_transpose/channels", f"{short(call)}: the data's channels are not the kernel's")
    spatial = []
    for k, (size, taps) in enumerate(zip(x[2:], w[2:], strict=True)):
        grown = D.mul(D.sub(size, D.ONE), D.imm(window.strides[k]))
        reach = D.mul(D.imm(window.dilation[k]), D.sub(taps, D.ONE))
        total = D.add(D.sub(grown, D.imm(window.before[k] + window.after[k])), reach)
        spatial.append(d.simplify(D.add(D.add(total, D.imm(window.extra[k])), D.ONE)))
    return [x[0], D.mul(w[1], D.imm(window.groups)), *spatial]


# --- values ----------------------------------------------------------------------------------------------------------


@rule("op.conv/channels-run")
def _convolution(n: int) -> Text:
    """``out[b, o, y] = sum over i, k of x[b, g * I + i, y * stride + k * dilation - before] * w[o, i, k]``, with ``I``
    for the kernel's input channels, ``g = o // (O / groups)`` for the group of ``o`` among ``O``, and ``before`` for
    the padding before. Operands of two dtypes are converted to the one in which they meet
    (``op.binary/meeting-dtype``), then to the result's, and are multiplied and accumulated there, by increasing ``i``,
    then ``k``. A position in the padding is zero, and is multiplied like any other."""

    def text(m: Meaning, call: Call, x: Array, w: Array) -> Array:
        x, w, out, dtype = _operands(m, call, x, w, n, KERNEL[n])
        (b, c, *size), (o, inputs, *taps), g = x.dims, w.dims, Window.of(call, n, transposed=False)
        m.require(
            m.every((c == inputs * g.groups, o % g.groups == 0)), "op.conv/channels-run", f"{x.dims} and {w.dims}"
        )
        zero, dot = m.at(x.dtype).lit(0), m.at(dtype).dot
        room = [r + p + q for r, p, q in zip(size, g.before, g.after, strict=True)]

        def inner(b: Index, c: Index, *y: Index) -> Payload:
            return x.get((b, c, *(p - q for p, q in zip(y, g.before, strict=True))), zero)

        padded = m.tensor((b, c, *(m.most(r, 0) for r in room)), x.dtype, inner)

        def element(b: Index, k: Index, *y: Index) -> Payload:
            first = k // (o // g.groups) * inputs
            spots = [Run(p * s, t, d) for p, s, t, d in zip(y, g.strides, taps, g.dilation, strict=True)]
            return dot(padded.over((b, Run(first, inputs), *spots)), w.over((k, ALL, *[ALL] * n)), x.dtype)

        reach = [d * (k - 1) for d, k in zip(g.dilation, taps, strict=True)]
        spatial = [(r - k - 1) // s + 1 for r, k, s in zip(room, reach, g.strides, strict=True)]
        return out.written(m, (b, o, *spatial), dtype, element)

    return text


def _operands(m: Meaning, call: Call, x: Array, w: Array, n: int, kernel: str) -> tuple[Array, Array, L.Layout, str]:
    """Data and kernel at one dtype in their plain layouts, and the layout and dtype of the result."""
    data, weight, out = layouts(call, n, kernel)
    dtype, meeting = A.dtype(call, "out_dtype", default=None) or x.dtype, meeting_dtype(m, x.dtype, w.dtype)
    return data.read(m, cast(m, x, meeting)), weight.read(m, cast(m, w, meeting)), out, dtype


@rule("op.conv_transpose/channels-run")
def _transposed(n: int) -> Text:
    """``out[b, o, y] = sum over i, k of x[b, i, p] * w[i, o % O, k]``, along each axis those ``k`` alone for which ``y
    + before - k * dilation = p * stride`` with a position ``p`` of the data. ``O`` is the kernel's second extent, and
    ``i`` runs over the ``C / groups`` channels of group ``o // O``, of ``C`` in the data. Operands of two dtypes are
    converted to the one in which they meet (``op.binary/meeting-dtype``), then to the result's, and are multiplied and
    accumulated there, by increasing ``i``, then ``k``."""

    def text(m: Meaning, call: Call, x: Array, w: Array) -> Array:
        x, w, out, dtype = _operands(m, call, x, w, n, TRANSPOSED[n])
        (b, c, *size), (i, o, *taps), g = x.dims, w.dims, Window.of(call, n, transposed=True)
        fit = m.every((c == i, i % g.groups == 0))
        m.require(fit, "op.conv_transpose/channels-run", f"{x.dims} and {w.dims}")
        dot = m.at(dtype).dot

        def along(p: Index, taps: Index, r: Index, s: int, d: int) -> tuple[Hits, Hits]:
            """The positions that spread to ``p``, and the taps by which they do."""

            def exists(k: Index) -> Index:
                return m.every(((p - k * d) % s == 0, p - k * d >= 0, (p - k * d) // s < r))

            return Hits(taps, lambda k: (p - k * d) // s, exists), Hits(taps, lambda k: k, exists)

        def element(b: Index, k: Index, *y: Index) -> Payload:
            moved = (p + q for p, q in zip(y, g.before, strict=True))
            spots, hits = zip(*map(along, moved, taps, size, g.strides, g.dilation), strict=True)
            inputs = Run(k // o * (i // g.groups), i // g.groups)
            return dot(x.over((b, inputs, *spots)), w.over((inputs, k % o, *hits)), x.dtype)

        spatial = [
            (r - 1) * s - p - q + d * (t - 1) + extra + 1
            for r, t, p, q, d, s, extra in zip(
                size, taps, g.before, g.after, g.dilation, g.strides, g.extra, strict=True
            )
        ]
        return out.written(m, (b, o * g.groups, *spatial), dtype, element)

    return text


OPERATORS: tuple[OpDef, ...] = (
    defined("relax.nn.conv1d", _deduce(1, False), _convolution(1), PAGE),
    defined("relax.nn.conv2d", _deduce(2, False), _convolution(2), PAGE),
    defined("relax.nn.conv3d", _deduce(3, False), _convolution(3), PAGE),
    defined("relax.nn.conv1d_transpose", _deduce(1, True), _transposed(1), PAGE),
    defined("relax.nn.conv2d_transpose", _deduce(2, True), _transposed(2), PAGE),
    defined("relax.nn.conv3d_transpose", _deduce(3, True), _transposed(3), PAGE),
)
