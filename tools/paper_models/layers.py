"""Layers in ``relax.frontend.nn`` that decoders share: quantised products, norms, rotation, attention, a paged cache.

Where a front end for language models writes loop programs of its own, so do these: the decoding of quantised weights,
the rotation, the reads and writes of the paged cache, the mask.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from tvm import te, tirx
from tvm.relax.frontend import nn
from tvm.relax.frontend.nn import op
from tvm.relax.frontend.nn.llm.position_embedding import switch_rope_freq_func
from tvm.script import tirx as T

PAGE = 4
"""Entries of a page."""


def loops(function: Callable[..., te.Tensor], name: str, *args: Any) -> nn.Tensor:
    """A loop program written as a tensor expression."""
    return op.tensor_expr_op(function, name, list(args))


class Quantized(nn.Module):
    """``x @ wᵀ (+ bias)``; ``w`` is kept in ``bits`` bits, ``32 // bits`` to a word, one scale for each ``group``."""

    def __init__(self, inputs: int, outputs: int, bits: int, group: int, bias: bool = False) -> None:
        super().__init__()
        self.inputs, self.bits, self.group, self.each = inputs, bits, group, 32 // bits
        self.words = nn.Parameter((outputs, -(-inputs // self.each)), "uint32")
        self.scale = nn.Parameter((outputs, -(-inputs // group)), "float32")
        self.bias = nn.Parameter((outputs,), "float32") if bias else None

    def decoded(self) -> nn.Tensor:
        """The weights as numbers: a loop program that is no operator."""

        def decode(words: te.Tensor, scale: te.Tensor) -> te.Tensor:
            def at(i: Any, j: Any) -> Any:
                word = tirx.shift_right(words[i, j // self.each], ((j % self.each) * self.bits).astype("uint32"))
                code = tirx.bitwise_and(word, tirx.const((1 << self.bits) - 1, "uint32"))
                centre = tirx.const((1 << (self.bits - 1)) - 1, "float32")
                return (code.astype("float32") - centre) * scale[i, j // self.group]

            return te.compute((words.shape[0], self.inputs), at, name="decode")

        return loops(decode, f"decode_q{self.bits}", self.words, self.scale)

    def forward(self, x: nn.Tensor) -> nn.Tensor:
        y = op.matmul(x, op.permute_dims(self.decoded(), [1, 0]))
        return y if self.bias is None else y + self.bias


class OffsetNorm(nn.Module):
    """RMS norm whose weight is kept less one."""

    def __init__(self, width: int) -> None:
        super().__init__()
        self.weight = nn.Parameter((width,), "float32")

    def forward(self, x: nn.Tensor) -> nn.Tensor:
        return op.rms_norm(x, self.weight + 1.0, axes=[-1], epsilon=1e-6)


def repeated(x: nn.Tensor, times: int) -> nn.Tensor:
    """Each head of ``(b, heads, n, d)`` as often as there are queries for it."""
    return op.repeat(x, times, axis=1) if times > 1 else x


def attention(q: nn.Tensor, k: nn.Tensor, v: nn.Tensor, mask: nn.Tensor) -> nn.Tensor:
    """``(b, n, heads, d)`` of queries, ``(b, t, groups, d)`` of keys and values; a mask ``(b, 1, n, t)`` is added."""
    b, n, heads, d = q.shape
    times = heads // k.shape[2]
    keys, values = (repeated(op.permute_dims(x, [0, 2, 1, 3]), times) for x in (k, v))
    scores = op.matmul(op.permute_dims(q, [0, 2, 1, 3]), op.permute_dims(keys, [0, 1, 3, 2])) * (d**-0.5)
    mixed = op.matmul(op.softmax(scores + mask, axis=-1), values)
    return op.reshape(op.permute_dims(mixed, [0, 2, 1, 3]), (b, n, heads * d))


def mask_of(visible: Callable[..., Any], size: Callable[..., tuple[Any, Any, Any]], *args: Any) -> nn.Tensor:
    """Nought where query ``i`` of sequence ``s`` may see entry ``j``, else the least finite number: ``(b, 1, n, t)``.

    ``size`` gives b, n and t of the arguments; ``visible`` takes the arguments, then s, i, j.
    """

    def mask(*given: Any) -> te.Tensor:
        b, n, t = size(*given)

        def at(s: Any, _h: Any, i: Any, j: Any) -> Any:
            return tirx.if_then_else(visible(*given, s, i, j), tirx.const(0, "float32"), tirx.min_value("float32"))

        return te.compute((b, 1, n, t), at, name="mask")

    return loops(mask, "mask", *args)


# --- rotation, with the frequencies of TVM's own front end -----------------------------------------------------------

HALVES: dict[str, Any] = {}
"""The first half of a head is rotated with the second."""

PAIRED: dict[str, Any] = {"rope_type": "gptj"}
"""Neighbours are rotated with each other."""

LLAMA3: dict[str, Any] = {
    "rope_type": "llama3",
    "factor": 8.0,
    "low_freq_factor": 1.0,
    "high_freq_factor": 4.0,
    "original_max_position_embeddings": 64,
}
"""Halves; long wavelengths are stretched, middle ones in part."""


def rotated(
    qkv: nn.Tensor, positions: nn.Tensor, heads: int, groups: int, kind: dict[str, Any]
) -> tuple[nn.Tensor, ...]:
    """Queries, keys and values of ``(rows, heads + 2 groups, d)``, rotated by the position of each row: one loop
    program with three results. (TVM 0.27 has programs for this, but their scalar follows the outputs, where its own
    ``call_tir`` does not put it any more.)"""
    paired = kind is PAIRED

    d = int(qkv.shape[2])

    def rope(x: te.Tensor, at: te.Tensor) -> list[te.Tensor]:
        rows, half = x.shape[0], d // 2

        def turned(first: int) -> Callable[[Any, Any, Any], Any]:
            def element(r: Any, h: Any, e: Any) -> Any:
                cos, sin, lets = switch_rope_freq_func(kind)(at[r].astype("float32"), e, d, 10_000.0, "float32")
                low, away = (e % 2 == 0, 1) if paired else (e < half, half)
                other = tirx.if_then_else(low, -x[r, h + first, e + away], x[r, h + first, e - away])
                value = cos * x[r, h + first, e] + sin * other
                for var, bound in lets.items():
                    value = tirx.Let(var, bound, value)
                return value

            return element

        return [
            te.compute((rows, heads, d), turned(0), name="q"),
            te.compute((rows, groups, d), turned(heads), name="k"),
            te.compute((rows, groups, d), lambda r, h, e: x[r, h + heads + groups, e], name="v"),
        ]

    found: tuple[nn.Tensor, ...] = loops(rope, "rope", qkv, positions)
    return found


# --- the paged cache: pages (p, 2, groups, PAGE, d), a table (b, w) of pages, lengths (b,) ---------------------------


def positions_of(lengths: nn.Tensor, n: Any) -> nn.Tensor:
    """The position of every row of ``b`` sequences of ``n`` new entries: ``(b n,)``."""

    def positions(held: te.Tensor, new: Any) -> te.Tensor:
        return te.compute((held.shape[0] * new,), lambda r: held[r // new] + (r % new).astype("int32"))

    return loops(positions, "positions", lengths, n)


def append(pages: nn.Tensor, table: nn.Tensor, lengths: nn.Tensor, k: nn.Tensor, v: nn.Tensor) -> nn.Tensor:
    """The pages with new entries ``(b, n, groups, d)`` written behind those that are held, in place."""
    groups, d = k.shape[2:]

    @T.prim_func(private=True, s_tir=True)
    def write(var_pages: T.handle, var_table: T.handle, var_lengths: T.handle, var_k: T.handle, var_v: T.handle):  # type: ignore[no-untyped-def]
        T.func_attr({"op_pattern": 8, "tirx.noalias": True})
        p, b = T.int64(), T.int64()
        w, n = T.int64(), T.int64()
        held = T.match_buffer(var_pages, (p, 2, groups, PAGE, d), "float32")
        pages_of = T.match_buffer(var_table, (b, w), "int32")
        before = T.match_buffer(var_lengths, (b,), "int32")
        keys = T.match_buffer(var_k, (b, n, groups, d), "float32")
        values = T.match_buffer(var_v, (b, n, groups, d), "float32")
        for iters in T.grid(b, n, groups, d):
            with T.sblock("append"):
                s, i, g, e = T.axis.remap("SSSS", iters)
                held[
                    pages_of[s, (before[s] + T.Cast("int32", i)) // PAGE],
                    0,
                    g,
                    (before[s] + T.Cast("int32", i)) % PAGE,
                    e,
                ] = keys[s, i, g, e]
                held[
                    pages_of[s, (before[s] + T.Cast("int32", i)) // PAGE],
                    1,
                    g,
                    (before[s] + T.Cast("int32", i)) % PAGE,
                    e,
                ] = values[s, i, g, e]

    out = nn.Tensor.placeholder(pages.shape, "float32")
    written: nn.Tensor = op.tensor_ir_inplace_op(write, "append", [pages, table, lengths, k, v], 0, out)
    return written


def gathered(pages: nn.Tensor, table: nn.Tensor, which: int) -> nn.Tensor:
    """The keys (0) or values (1) that the table reaches: ``(b, w PAGE, groups, d)``."""
    groups, d = pages.shape[2], pages.shape[4]

    def gather(held: te.Tensor, pages_of: te.Tensor) -> te.Tensor:
        b, w = pages_of.shape
        return te.compute(
            (b, w * PAGE, groups, d), lambda s, j, g, e: held[pages_of[s, j // PAGE], which, g, j % PAGE, e]
        )

    return loops(gather, "gather", pages, table)
