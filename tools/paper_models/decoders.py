"""Three decoders in ``relax.frontend.nn``: Llama-like (q4, paged cache), Gemma-like (dense), Qwen-like (q3, bias)."""

from __future__ import annotations

from typing import Any

from layers import (
    HALVES,
    LLAMA3,
    PAGE,
    PAIRED,
    OffsetNorm,
    Quantized,
    append,
    attention,
    gathered,
    loops,
    mask_of,
    positions_of,
    rotated,
)
from tvm import te
from tvm.relax.frontend import nn
from tvm.relax.frontend.nn import op, spec

VOCABULARY, LAYERS, D = 13, 2, 4


def tensor(*shape: int | str, dtype: str = "float32") -> spec.Tensor:
    return spec.Tensor(list(shape), dtype)


def last(x: nn.Tensor) -> nn.Tensor:
    """The last position of ``(b, n, width)``."""

    def taken(a: te.Tensor) -> te.Tensor:
        b, n, width = a.shape
        return te.compute((b, 1, width), lambda s, _, k: a[s, n - 1, k])

    return loops(taken, "last", x)


# --- Llama-like ------------------------------------------------------------------------------------------------------


class LlamaLayer(nn.Module):
    """RMS norm, grouped heads over a paged cache, SwiGLU; every weight in 4 bits."""

    width, heads, groups, inner = 16, 4, 2, 24

    def __init__(self) -> None:
        super().__init__()
        self.norm1, self.norm2 = (nn.RMSNorm(self.width, axes=-1, epsilon=1e-5, bias=False) for _ in range(2))
        self.qkv = Quantized(self.width, (self.heads + 2 * self.groups) * D, bits=4, group=8)
        self.o = Quantized(self.heads * D, self.width, bits=4, group=8)
        self.up = Quantized(self.width, 2 * self.inner, bits=4, group=8)
        self.down = Quantized(self.inner, self.width, bits=4, group=8)

    def forward(self, x: nn.Tensor, at: nn.Tensor, mask: nn.Tensor, pages: nn.Tensor, table: nn.Tensor,
                lengths: nn.Tensor) -> tuple[nn.Tensor, nn.Tensor]:  # fmt: skip
        b, n, _ = x.shape
        rows = op.reshape(self.qkv(self.norm1(x)), (b * n, self.heads + 2 * self.groups, D))
        q, k, v = rotated(rows, at, self.heads, self.groups, HALVES)
        k, v = (op.reshape(each, (b, n, self.groups, D)) for each in (k, v))
        pages = append(pages, table, lengths, k, v)
        mixed = attention(
            op.reshape(q, (b, n, self.heads, D)), gathered(pages, table, 0), gathered(pages, table, 1), mask
        )
        x = x + self.o(mixed)
        gate, up = op.split(self.up(self.norm2(x)), 2, axis=-1)
        return x + self.down(op.silu(gate) * up), pages


class Llama(nn.Module):
    """``prefill`` and ``decode``: token numbers, a table of pages, the lengths held so far, and each layer's pages."""

    def __init__(self) -> None:
        super().__init__()
        self.embed = nn.Embedding(VOCABULARY, LlamaLayer.width)
        self.layers = nn.ModuleList([LlamaLayer() for _ in range(LAYERS)])
        self.norm = nn.RMSNorm(LlamaLayer.width, axes=-1, epsilon=1e-5, bias=False)
        self.head = Quantized(LlamaLayer.width, VOCABULARY, bits=4, group=8)

    def prefill(self, ids: nn.Tensor, table: nn.Tensor, lengths: nn.Tensor, pages0: nn.Tensor,
                pages1: nn.Tensor) -> tuple[nn.Tensor, ...]:  # fmt: skip
        n = ids.shape[1]
        at = positions_of(lengths, n)
        mask = mask_of(
            lambda held, _table, _n, s, i, j: j <= held[s].astype("int64") + i,
            lambda _held, pages_of, new: (*pages_of.shape[:1], new, pages_of.shape[1] * PAGE),
            lengths, table, n,
        )  # fmt: skip
        x, pages = self.embed(ids), [pages0, pages1]
        for number, layer in enumerate(self.layers):
            x, pages[number] = layer(x, at, mask, pages[number], table, lengths)
        return self.head(self.norm(last(x))), *pages

    def decode(self, ids: nn.Tensor, table: nn.Tensor, lengths: nn.Tensor, pages0: nn.Tensor,
               pages1: nn.Tensor) -> tuple[nn.Tensor, ...]:  # fmt: skip
        return self.prefill(ids, table, lengths, pages0, pages1)


def llama() -> tuple[nn.Module, dict[str, Any]]:
    def given(n: int | str) -> dict[str, Any]:
        pages = tensor("p", 2, LlamaLayer.groups, PAGE, D)
        return {
            "ids": tensor("b", n, dtype="int32"),
            "table": tensor("b", "w", dtype="int32"),
            "lengths": tensor("b", dtype="int32"),
            "pages0": pages,
            "pages1": pages,
        }

    return Llama(), {"prefill": given("n"), "decode": given(1)}


# --- with a cache that is handed back, longer by the new entries -----------------------------------------------------


class CachedLayer(nn.Module):
    """Attention over what was cached and what is new; subclasses say which products, norms and gates."""

    width: int
    heads: int
    groups: int
    rotation: dict[str, Any]
    qkv: nn.Module
    o: nn.Module

    def mixed(self, x: nn.Tensor, at: nn.Tensor, mask: nn.Tensor, cache: list[nn.Tensor]) -> nn.Tensor:
        """Attention; ``cache`` holds keys and values and gets the longer ones."""
        b, n, _ = x.shape
        fused = op.reshape(self.qkv(x), (b * n, self.heads + 2 * self.groups, D))
        q, *new = (
            op.reshape(each, (b, n, -1, D)) for each in rotated(fused, at, self.heads, self.groups, self.rotation)
        )
        cache[:] = [op.concat([held, each], dim=1) for held, each in zip(cache, new, strict=True)] if cache else new
        return self.o(attention(q, *cache, mask))


class GemmaLayer(CachedLayer):
    """Norms whose weight is kept less one, one group, a gate through the approximate GELU."""

    width, heads, groups, inner = 8, 2, 1, 12
    rotation = PAIRED

    def __init__(self) -> None:
        super().__init__()
        self.norm1, self.norm2 = OffsetNorm(self.width), OffsetNorm(self.width)
        self.qkv = nn.Linear(self.width, (self.heads + 2 * self.groups) * D, bias=False)
        self.o = nn.Linear(self.heads * D, self.width, bias=False)
        self.gate, self.up = (nn.Linear(self.width, self.inner, bias=False) for _ in range(2))
        self.down = nn.Linear(self.inner, self.width, bias=False)

    def forward(self, x: nn.Tensor, at: nn.Tensor, mask: nn.Tensor, cache: list[nn.Tensor]) -> nn.Tensor:
        x = x + self.mixed(self.norm1(x), at, mask, cache)
        y = self.norm2(x)
        return x + self.down(op.gelu(self.gate(y), approximate="tanh") * self.up(y))


class QwenLayer(CachedLayer):
    """A bias on queries, keys and values; every weight in 3 bits, ten to a word."""

    width, heads, groups, inner = 12, 2, 2, 20
    rotation = LLAMA3

    def __init__(self) -> None:
        super().__init__()
        self.norm1, self.norm2 = (nn.RMSNorm(self.width, axes=-1, epsilon=1e-6, bias=False) for _ in range(2))
        self.qkv = Quantized(self.width, (self.heads + 2 * self.groups) * D, bits=3, group=10, bias=True)
        self.o = Quantized(self.heads * D, self.width, bits=3, group=10)
        self.up = Quantized(self.width, 2 * self.inner, bits=3, group=10)
        self.down = Quantized(self.inner, self.width, bits=3, group=10)

    def forward(self, x: nn.Tensor, at: nn.Tensor, mask: nn.Tensor, cache: list[nn.Tensor]) -> nn.Tensor:
        x = x + self.mixed(self.norm1(x), at, mask, cache)
        gate, up = op.split(self.up(self.norm2(x)), 2, axis=-1)
        return x + self.down(op.silu(gate) * up)


class Cached(nn.Module):
    """``prefill(ids)`` gives the last logits, keys and values of every layer; ``decode`` takes them and adds one."""

    def __init__(self, layer: type[CachedLayer]) -> None:
        super().__init__()
        self.width = layer.width
        self.embed = nn.Embedding(VOCABULARY, layer.width)
        self.layers = nn.ModuleList([layer() for _ in range(LAYERS)])

    def logits(self, x: nn.Tensor) -> nn.Tensor:
        raise NotImplementedError

    def embedded(self, ids: nn.Tensor) -> nn.Tensor:
        return self.embed(ids)

    def run(self, ids: nn.Tensor, caches: list[list[nn.Tensor]], held: Any) -> tuple[nn.Tensor, ...]:
        b, n = ids.shape
        mask = mask_of(
            lambda _b, _n, before, s, i, j: j <= i + before, lambda *size: (*size[:2], size[1] + size[2]), b, n, held
        )
        at = loops(
            lambda rows, new, before: te.compute((rows * new,), lambda r: (r % new + before).astype("int32")),
            "positions", b, n, held,
        )  # fmt: skip
        x = self.embedded(ids)
        for layer, cache in zip(self.layers, caches, strict=True):
            x = layer(x, at, mask, cache)
        return self.logits(last(x)), *(each for cache in caches for each in cache)

    def prefill(self, ids: nn.Tensor) -> tuple[nn.Tensor, ...]:
        return self.run(ids, [[] for _ in self.layers], 0)

    def decode(
        self, ids: nn.Tensor, k0: nn.Tensor, v0: nn.Tensor, k1: nn.Tensor, v1: nn.Tensor
    ) -> tuple[nn.Tensor, ...]:
        return self.run(ids, [[k0, v0], [k1, v1]], k0.shape[1])


class Gemma(Cached):
    """Embeddings scaled by the root of the width, and used again for the logits."""

    def __init__(self) -> None:
        super().__init__(GemmaLayer)
        self.norm = OffsetNorm(self.width)

    def embedded(self, ids: nn.Tensor) -> nn.Tensor:
        return self.embed(ids) * float(self.width**0.5)

    def logits(self, x: nn.Tensor) -> nn.Tensor:
        return op.matmul(self.norm(x), op.permute_dims(self.embed.weight, [1, 0]))


class Qwen(Cached):
    def __init__(self) -> None:
        super().__init__(QwenLayer)
        self.norm = nn.RMSNorm(self.width, axes=-1, epsilon=1e-6, bias=False)
        self.head = Quantized(self.width, VOCABULARY, bits=3, group=10)

    def logits(self, x: nn.Tensor) -> nn.Tensor:
        return self.head(self.norm(x))


def _cached(model: Cached, layer: type[CachedLayer]) -> tuple[nn.Module, dict[str, Any]]:
    held = {name: tensor("b", "t", layer.groups, D) for name in ("k0", "v0", "k1", "v1")}
    given = {
        "prefill": {"ids": tensor("b", "n", dtype="int32")},
        "decode": {"ids": tensor("b", 1, dtype="int32"), **held},
    }
    return model, given


def gemma() -> tuple[nn.Module, dict[str, Any]]:
    return _cached(Gemma(), GemmaLayer)


def qwen() -> tuple[nn.Module, dict[str, Any]]:
    return _cached(Qwen(), QwenLayer)
