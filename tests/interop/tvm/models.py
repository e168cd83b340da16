"""Small models, imported by TVM's own front end from PyTorch: run in the process that has both, by
``models.py:NAME``."""

# ruff: noqa
from __future__ import annotations

import torch
import torch.nn.functional as F
from torch import nn


def imported(model: nn.Module, *inputs: torch.Tensor):
    from tvm.relax.frontend.torch import from_exported_program

    program = torch.export.export(model.eval(), inputs)
    return from_exported_program(program)


def seeded(make):
    def made():
        torch.manual_seed(7)
        with torch.no_grad():
            return imported(*make())

    return made


class Attention(nn.Module):
    def __init__(self, width: int, heads: int) -> None:
        super().__init__()
        self.heads, self.head = heads, width // heads
        self.qkv, self.out = nn.Linear(width, 3 * width), nn.Linear(width, width)

    def forward(self, x):
        b, n, w = x.shape
        q, k, v = self.qkv(x).reshape(b, n, 3, self.heads, self.head).permute(2, 0, 3, 1, 4).unbind(0)
        weights = torch.softmax(q @ k.transpose(-1, -2) * self.head**-0.5, dim=-1)
        return self.out((weights @ v).transpose(1, 2).reshape(b, n, w))


class Layer(nn.Module):
    def __init__(self, width: int, heads: int) -> None:
        super().__init__()
        self.attention = Attention(width, heads)
        self.one, self.two = nn.LayerNorm(width), nn.LayerNorm(width)
        self.up, self.down = nn.Linear(width, 2 * width), nn.Linear(2 * width, width)

    def forward(self, x):
        x = x + self.attention(self.one(x))
        return x + self.down(F.gelu(self.up(self.two(x))))


class Transformer(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.layers = nn.Sequential(Layer(8, 2), Layer(8, 2))
        self.head = nn.Linear(8, 3)

    def forward(self, x):
        return self.head(self.layers(x)[:, -1])


class UNet(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.a, self.b, self.c = (
            nn.Conv2d(1, 3, 3, padding=1),
            nn.Conv2d(3, 5, 3, padding=1),
            nn.Conv2d(5, 5, 3, padding=1),
        )
        self.up, self.d = nn.ConvTranspose2d(5, 3, 2, stride=2), nn.Conv2d(6, 2, 3, padding=1)

    def forward(self, x):
        a = F.relu(self.a(x))
        b = F.relu(self.b(F.max_pool2d(a, 2)))
        c = F.silu(self.c(b))
        return self.d(torch.cat([self.up(c), a], dim=1))


class Recurrent(nn.Module):
    def __init__(self, kind) -> None:
        super().__init__()
        self.cell, self.out = kind(3, 4, batch_first=True), nn.Linear(4, 2)

    def forward(self, x):
        y, _ = self.cell(x)
        return self.out(y[:, -1])


class Residual(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.a, self.b = nn.Conv2d(2, 4, 3, padding=1, bias=False), nn.Conv2d(4, 2, 3, padding=1, bias=False)
        self.p, self.q = nn.BatchNorm2d(4), nn.BatchNorm2d(2)

    def forward(self, x):
        return F.relu(x + self.q(self.b(F.relu(self.p(self.a(x))))))


class Mixer(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.norm, self.tokens, self.channels = nn.LayerNorm(6), nn.Linear(5, 5), nn.Linear(6, 6)

    def forward(self, x):
        x = x + self.tokens(self.norm(x).transpose(1, 2)).transpose(1, 2)
        return x + torch.tanh(self.channels(x))


class Bag(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.table, self.out = nn.Embedding(11, 4), nn.Linear(4, 3)

    def forward(self, x):
        return torch.log_softmax(self.out(self.table(x % 11).mean(1)), -1)


class Gated(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.gate, self.up, self.down = nn.Linear(5, 7), nn.Linear(5, 7), nn.Linear(7, 5)

    def forward(self, x):
        x = x * torch.rsqrt(x.pow(2).mean(-1, keepdim=True) + 1e-6)
        return self.down(F.silu(self.gate(x)) * self.up(x))


class Statistics(nn.Module):
    def forward(self, x):
        top, where = torch.topk(x, 2, dim=-1)
        return top, where, x.argmax(-1), x.cumsum(-1), torch.clamp(x, -0.5, 0.5), x.std(-1)


class Detector(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.body, self.boxes, self.scores = nn.Conv2d(1, 4, 3, stride=2), nn.Conv2d(4, 4, 1), nn.Conv2d(4, 2, 1)

    def forward(self, x):
        y = F.leaky_relu(self.body(x))
        return torch.sigmoid(self.boxes(y)).flatten(2).transpose(1, 2), torch.softmax(self.scores(y).flatten(2), 1)


class Seq(nn.Sequential):
    pass


MODELS = {
    "mlp": lambda: (Seq(nn.Linear(5, 7), nn.ReLU(), nn.Linear(7, 3), nn.Softmax(-1)), torch.randn(2, 5)),
    "cnn": lambda: (
        Seq(
            nn.Conv2d(1, 3, 3),
            nn.ReLU(),
            nn.MaxPool2d(2),
            nn.Conv2d(3, 4, 2),
            nn.AdaptiveAvgPool2d(1),
            nn.Flatten(),
            nn.Linear(4, 3),
        ),
        torch.randn(1, 1, 8, 8),
    ),
    "transformer": lambda: (Transformer(), torch.randn(1, 5, 8)),
    "unet": lambda: (UNet(), torch.randn(1, 1, 6, 6)),
    "lstm": lambda: (Recurrent(nn.LSTM), torch.randn(1, 5, 3)),
    "gru": lambda: (Recurrent(nn.GRU), torch.randn(1, 4, 3)),
    "residual": lambda: (Residual(), torch.randn(1, 2, 5, 5)),
    "mixer": lambda: (Mixer(), torch.randn(2, 5, 6)),
    "bag": lambda: (Bag(), torch.randint(0, 11, (2, 5))),
    "gated": lambda: (Gated(), torch.randn(3, 5)),
    "statistics": lambda: (Statistics(), torch.randn(3, 5)),
    "detector": lambda: (Detector(), torch.randn(1, 1, 7, 7)),
    "wave": lambda: (
        Seq(nn.Conv1d(2, 4, 3, dilation=2), nn.ELU(), nn.AvgPool1d(2), nn.Flatten(), nn.Linear(12, 2)),
        torch.randn(1, 2, 10),
    ),
    "groups": lambda: (
        Seq(nn.Conv2d(4, 4, 3, groups=4), nn.GroupNorm(2, 4), nn.Hardswish(), nn.Conv2d(4, 2, 1)),
        torch.randn(1, 4, 5, 5),
    ),
    "decoder": lambda: (
        Seq(
            nn.Linear(3, 8),
            nn.Unflatten(1, (2, 2, 2)),
            nn.Upsample(scale_factor=2),
            nn.ConvTranspose2d(2, 1, 3),
            nn.Sigmoid(),
        ),
        torch.randn(2, 3),
    ),
}
globals().update({name: seeded(make) for name, make in MODELS.items()})
