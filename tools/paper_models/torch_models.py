"""Two models in PyTorch: Whisper-like (audio encoder, text decoder) and LLaVA-like (image encoder, text decoder)."""

from __future__ import annotations

from typing import Any

import torch
import torch.nn.functional as F
from torch import nn

VOCABULARY = 13


class Attention(nn.Module):
    """Heads over a memory of their own or another's; ``mask`` is added to the scores."""

    def __init__(self, width: int, heads: int) -> None:
        super().__init__()
        self.heads, self.head = heads, width // heads
        self.q, self.v, self.o = (nn.Linear(width, width) for _ in range(3))
        self.k = nn.Linear(width, width, bias=False)

    def split(self, x: torch.Tensor) -> torch.Tensor:
        return x.view(x.shape[0], x.shape[1], self.heads, self.head).transpose(1, 2)

    def forward(self, x: torch.Tensor, memory: torch.Tensor, mask: torch.Tensor | None = None) -> torch.Tensor:
        q, k, v = self.split(self.q(x)), self.split(self.k(memory)), self.split(self.v(memory))
        scores = q @ k.transpose(-1, -2) * self.head**-0.5
        if mask is not None:
            scores = scores + mask
        mixed = torch.softmax(scores, dim=-1) @ v
        return self.o(mixed.transpose(1, 2).reshape(x.shape[0], x.shape[1], -1))


def causal(n: int) -> torch.Tensor:
    """Nought on and below the diagonal, minus infinity above."""
    at = torch.arange(n)
    return torch.where(at[:, None] >= at[None, :], torch.tensor(0.0), torch.tensor(float("-inf")))


class Layer(nn.Module):
    """Norms before attention, attention to another's memory if there is one, and a perceptron."""

    def __init__(self, width: int, heads: int, across: bool = False) -> None:
        super().__init__()
        self.norm1, self.own = nn.LayerNorm(width), Attention(width, heads)
        self.norm2, self.up, self.down = nn.LayerNorm(width), nn.Linear(width, 2 * width), nn.Linear(2 * width, width)
        if across:
            self.norm3, self.other = nn.LayerNorm(width), Attention(width, heads)

    def forward(
        self, x: torch.Tensor, mask: torch.Tensor | None = None, memory: torch.Tensor | None = None
    ) -> torch.Tensor:
        y = self.norm1(x)
        x = x + self.own(y, y, mask)
        if memory is not None:
            x = x + self.other(self.norm3(x), memory)
        return x + self.down(F.gelu(self.up(self.norm2(x))))


# --- Whisper-like: two convolutions over a spectrogram, the second halves its length; layers; a decoder --------------


class Listener(nn.Module):
    """``(b, 5 bands, f frames)`` to ``(b, (f + 1) // 2, width)``."""

    def __init__(self, width: int = 8) -> None:
        super().__init__()
        self.conv1 = nn.Conv1d(5, width, 3, padding=1)
        self.conv2 = nn.Conv1d(width, width, 3, stride=2, padding=1)

    def forward(self, frames: torch.Tensor) -> torch.Tensor:
        return F.gelu(self.conv2(F.gelu(self.conv1(frames)))).permute(0, 2, 1)


class Encoder(nn.Module):
    """Waves of position are added, then two layers: ``(b, t, width)``."""

    def __init__(self, width: int = 8) -> None:
        super().__init__()
        self.layers = nn.ModuleList([Layer(width, 2) for _ in range(2)])
        self.norm = nn.LayerNorm(width)
        self.register_buffer("frequency", torch.exp(-torch.arange(width // 2) * (9.2 / (width // 2 - 1))))

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        angle = torch.arange(x.shape[1], dtype=torch.float32)[:, None] * self.frequency[None, :]
        x = x + torch.cat([torch.sin(angle), torch.cos(angle)], dim=1)
        for layer in self.layers:
            x = layer(x)
        return self.norm(x)


class Writer(nn.Module):
    """Token numbers ``(b, n)`` and what was heard ``(b, t, width)`` to logits; the embeddings are used again."""

    def __init__(self, width: int = 8) -> None:
        super().__init__()
        self.embed, self.position = nn.Embedding(VOCABULARY, width), nn.Embedding(32, width)
        self.layers = nn.ModuleList([Layer(width, 2, across=True)])
        self.norm = nn.LayerNorm(width)

    def forward(self, ids: torch.Tensor, heard: torch.Tensor) -> torch.Tensor:
        n = ids.shape[1]
        x = self.embed(ids) + self.position(torch.arange(n))
        for layer in self.layers:
            x = layer(x, causal(n), heard)
        return self.norm(x) @ self.embed.weight.T


# --- LLaVA-like: patches of an image go before the text --------------------------------------------------------------


class Looker(nn.Module):
    """Images ``(b, 3, 8, 12)`` to six patches in the decoder's width, by a class token, a layer and a projection."""

    def __init__(self, width: int = 8, out: int = 12) -> None:
        super().__init__()
        self.patches = nn.Conv2d(3, width, 4, stride=4, bias=False)
        self.first, self.position = nn.Parameter(torch.randn(1, 1, width)), nn.Parameter(0.2 * torch.randn(7, width))
        self.norm, self.layers = nn.LayerNorm(width), nn.ModuleList([Layer(width, 2)])
        self.up, self.down = nn.Linear(width, out), nn.Linear(out, out)

    def forward(self, image: torch.Tensor) -> torch.Tensor:
        x = self.patches(image).flatten(2).transpose(1, 2)
        x = torch.cat([self.first.expand(x.shape[0], 1, x.shape[2]), x], dim=1)
        x = self.norm(x + self.position)
        for layer in self.layers:
            x = layer(x)
        return self.down(F.gelu(self.up(x.narrow(1, 1, 6))))


class Describer(nn.Module):
    """Patches ``(b, 6, width)`` and token numbers ``(b, n)`` to logits of the text's positions."""

    def __init__(self, width: int = 12) -> None:
        super().__init__()
        self.embed = nn.Embedding(VOCABULARY, width)
        self.layers = nn.ModuleList([Layer(width, 3) for _ in range(2)])
        self.norm, self.head = nn.LayerNorm(width), nn.Linear(width, VOCABULARY, bias=False)

    def forward(self, seen: torch.Tensor, ids: torch.Tensor) -> torch.Tensor:
        x = torch.cat([seen, self.embed(ids)], dim=1)
        mask = causal(x.shape[1])
        for layer in self.layers:
            x = layer(x, mask)
        return self.head(self.norm(x.narrow(1, 6, ids.shape[1])))


def ids(b: int, n: int, seed: int) -> torch.Tensor:
    return torch.randint(0, VOCABULARY, (b, n), generator=torch.Generator().manual_seed(seed))


def floats(*shape: int, seed: int) -> torch.Tensor:
    return torch.randn(*shape, generator=torch.Generator().manual_seed(seed))


Parts = dict[str, tuple[nn.Module, tuple[dict[int, Any], ...], Any]]
"""For each function: the module, which axes are dynamic under which names, and its inputs at given sizes and a seed."""


def whisper() -> Parts:
    return {
        "listen": (Listener(), ({0: "b", 2: "f"},), lambda seed, b, f: (floats(b, 5, f, seed=seed),)),
        "encode": (Encoder(), ({0: "b", 1: "t"},), lambda seed, b, t: (floats(b, t, 8, seed=seed),)),
        "decode": (
            Writer(),
            ({0: "b", 1: "n"}, {0: "b", 1: "t"}),
            lambda seed, b, n, t: (ids(b, n, seed), floats(b, t, 8, seed=seed)),
        ),
    }


def llava() -> Parts:
    return {
        "encode": (Looker(), ({0: "b"},), lambda seed, b: (floats(b, 3, 8, 12, seed=seed),)),
        "prefill": (
            Describer(),
            ({0: "b"}, {0: "b", 1: "n"}),
            lambda seed, b, n: (floats(b, 6, 12, seed=seed), ids(b, n, seed)),
        ),
    }
