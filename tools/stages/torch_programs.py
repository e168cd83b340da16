"""Small PyTorch modules with dynamic sizes, exported and imported by TVM. Runs where TVM and PyTorch are."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import torch
import torch.nn.functional as F
from torch import nn

Maker = Callable[[], Any]
"""Makes an ``IRModule``."""

PROGRAMS: dict[str, Maker] = {}


class Wrapped(nn.Module):
    """A function as a module."""

    def __init__(self, function: Callable[..., Any]) -> None:
        super().__init__()
        self.function = function

    def forward(self, *args: torch.Tensor) -> Any:
        return self.function(*args)


def imported(module: nn.Module, args: tuple[torch.Tensor, ...], dynamic: tuple[dict[int, str], ...]) -> Any:
    """Export with the named dims dynamic, import into TVM."""
    from tvm.relax.frontend.torch import from_exported_program

    names = {name for each in dynamic for name in each.values()}
    dims = {name: torch.export.Dim(name, min=2, max=64) for name in names}
    shapes = tuple({axis: dims[name] for axis, name in each.items()} for each in dynamic)
    if isinstance(module, Wrapped):
        shapes = (shapes,)  # the arguments of *args are one tuple
    with torch.no_grad():
        exported = torch.export.export(module.eval(), args, dynamic_shapes=shapes)
    return from_exported_program(exported)


def add(
    name: str, make: Callable[[], nn.Module], args: Callable[[], tuple[Any, ...]], *dynamic: dict[int, str]
) -> None:
    """Register a module."""

    def build() -> Any:
        torch.manual_seed(7)
        module = make()
        return imported(module, args(), dynamic)

    PROGRAMS[f"torch_{name}"] = build


def function(
    name: str, body: Callable[..., Any], args: Callable[[], tuple[Any, ...]], *dynamic: dict[int, str]
) -> None:
    """Register a function."""
    add(name, lambda: Wrapped(body), args, *dynamic)


def floats(*shape: int) -> Callable[[], tuple[torch.Tensor, ...]]:
    return lambda: (torch.randn(*shape),)


N = {0: "n"}

add("mlp", lambda: nn.Sequential(nn.Linear(6, 10), nn.ReLU(), nn.Linear(10, 4), nn.Softmax(-1)), floats(5, 6), N)
add("norms", lambda: nn.Sequential(nn.LayerNorm(6), nn.GELU(), nn.Linear(6, 3), nn.Tanh()), floats(5, 6), N)
add("conv1d", lambda: nn.Sequential(nn.Conv1d(3, 4, 3, padding=1), nn.BatchNorm1d(4), nn.ReLU()), floats(5, 3, 9), N)
add(
    "conv2d",
    lambda: nn.Sequential(nn.Conv2d(3, 4, 3, stride=2), nn.GroupNorm(2, 4), nn.SiLU(), nn.MaxPool2d(2), nn.Flatten()),
    floats(5, 3, 11, 9),
    N,
)
add("upsampling", lambda: nn.Sequential(nn.ConvTranspose2d(2, 3, 3, stride=2), nn.ReLU6()), floats(5, 2, 4, 3), N)
add("depthwise", lambda: nn.Sequential(nn.Conv2d(4, 4, 3, groups=4), nn.Conv2d(4, 6, 1)), floats(5, 4, 7, 6), N)
add(
    "embedding",
    lambda: nn.Sequential(nn.Embedding(11, 6), nn.Linear(6, 4)),
    lambda: (torch.arange(15).view(5, 3) % 11,),
    N,
)
add("pooled", lambda: nn.Sequential(nn.AvgPool2d(2), nn.AdaptiveAvgPool2d((2, 1))), floats(5, 3, 8, 6), N)


class Attention(nn.Module):
    """Masked self-attention over a dynamic sequence."""

    def __init__(self) -> None:
        super().__init__()
        self.qkv, self.out = nn.Linear(8, 24), nn.Linear(8, 8)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        b, n, _ = x.shape
        q, k, v = (each.view(b, n, 2, 4).transpose(1, 2) for each in self.qkv(x).chunk(3, dim=-1))
        mask = torch.tril(torch.ones(n, n, dtype=torch.bool))
        scores = (q @ k.transpose(-1, -2) / 2.0).masked_fill(~mask, float("-inf"))
        return self.out((torch.softmax(scores, -1) @ v).transpose(1, 2).reshape(b, n, 8))


class Recurrent(nn.Module):
    """A gated cell, unrolled three times."""

    def __init__(self) -> None:
        super().__init__()
        self.gate, self.new = nn.Linear(7, 4), nn.Linear(7, 4)

    def forward(self, x: torch.Tensor, h: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
        for t in range(3):
            both = torch.cat([x[:, t], h], dim=-1)
            z = torch.sigmoid(self.gate(both))
            h = z * h + (1 - z) * torch.tanh(self.new(both))
        return h, h.sum(dim=0)


class Residual(nn.Module):
    """A scaled block with a skip, for narrow floats."""

    def __init__(self) -> None:
        super().__init__()
        self.a, self.b = nn.Parameter(torch.randn(6)), nn.Parameter(torch.randn(6))

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return x + self.b * F.leaky_relu(self.a * x, 0.125)


add("attention", Attention, floats(2, 5, 8), {0: "b", 1: "n"})
add("recurrent", Recurrent, lambda: (torch.randn(5, 3, 3), torch.randn(5, 4)), N, N)
add("residual_half", lambda: Residual().half(), lambda: (torch.randn(5, 6).half(),), N)
add("residual_bfloat16", lambda: Residual().bfloat16(), lambda: (torch.randn(5, 6).bfloat16(),), N)

function("reductions", lambda x: (x.mean(0), x.var(1), x.argmax(1), x.sum((0, 1))), floats(5, 6), N)
function(
    "selection",
    lambda x, i: (x.index_select(1, i), x[:, 1:4:2], x.gather(1, i.expand(x.shape[0], 3))),
    lambda: (torch.randn(5, 6), torch.tensor([4, 0, 2])),
    N,
    {},
)
function(
    "joining",
    lambda x, y: (torch.cat([x, y], 1), torch.stack([x, x * 2], 0), *torch.split(y, [1, 3], 1)),
    lambda: (torch.randn(5, 6), torch.randn(5, 4)),
    N,
    N,
)
function(
    "shapes",
    lambda x: (x.permute(2, 0, 1), x.reshape(x.shape[0], -1), x.flatten(0, 1), x.unsqueeze(1), x.flip(2)),
    floats(5, 3, 4),
    N,
)
function(
    "products",
    lambda x, y: (torch.einsum("bij,bjk->bik", x, y), torch.bmm(x, y) + 1, x @ y[0]),
    lambda: (torch.randn(5, 3, 4), torch.randn(5, 4, 2)),
    N,
    N,
)
function(
    "integers",
    lambda x, y: (x // y, x % y, x & y, x | 3, x << 2, x >> 1, ~x, x == y),
    lambda: (torch.arange(10).view(5, 2), torch.arange(10).view(5, 2) + 1),
    N,
    N,
)
function(
    "sorting", lambda x: (*torch.topk(x, 2, dim=1), *torch.sort(x, dim=1), torch.argsort(x, 1, True)), floats(5, 6), N
)
function("scans", lambda x: (x.cumsum(0), x.cumsum(1), x.clamp(-1, 1).cumprod(1)), floats(5, 6), N)
function(
    "padding", lambda x: (F.pad(x, (1, 2)), F.pad(x, (2, 0, 1, 1), value=3.0), torch.roll(x, 1, 1)), floats(5, 6), N
)
function(
    "masks",
    lambda x: (torch.where(x > 0, x, -x), torch.triu(x), x.masked_fill(x < 0, 0.0), x.isnan()),
    floats(5, 5),
    {},
)
function(
    "activations",
    lambda x: (F.silu(x), F.elu(x), F.hardswish(x), F.softplus(x), F.mish(x), F.logsigmoid(x), F.selu(x)),
    floats(5, 6),
    N,
)
function(
    "elementary",
    lambda x: (x.exp().log(), x.sin(), x.cos(), x.abs().sqrt(), x.rsqrt(), x.erf(), x.round(), x.floor()),
    floats(5, 6),
    N,
)
function("casts", lambda x: (x.to(torch.int32), x.half().float(), (x > 0).long(), x.double()), floats(5, 6), N)
function("resizing", lambda x: F.interpolate(x, scale_factor=2.0, mode="nearest"), floats(5, 2, 3, 4), N)
function(
    "writing",
    lambda x, i: (x.scatter(1, i, 1.5), x.index_put((i[:, 0],), x)),
    lambda: (torch.randn(5, 6), torch.tensor([[0, 1], [2, 3], [4, 0], [1, 2], [3, 4]])),
    {},
    {},
)
function(
    "two_sizes",
    lambda x, y: (x[:, None, :] + y[None, :, :]).sum(-1),
    lambda: (torch.randn(5, 6), torch.randn(4, 6)),
    {0: "n"},
    {0: "m"},
)
function(
    "sizes_as_values", lambda x: x * x.shape[0] + torch.arange(x.shape[1]) / x.shape[1], floats(5, 6), {0: "n", 1: "m"}
)
function(
    "created",
    lambda x: (torch.zeros(x.shape[0], 3), torch.full((2, x.shape[0]), 1.5), torch.eye(4), x.new_ones(3)),
    floats(5, 6),
    N,
)
