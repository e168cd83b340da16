"""Models in TVM's own front end, ``relax.frontend.nn``. Runs where TVM is."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import tvm
from tvm.relax.frontend import nn
from tvm.relax.frontend.nn import spec

PROGRAMS: dict[str, Callable[[], Any]] = {}


def add(name: str, make: Callable[[], nn.Module], given: dict[str, Any], debug: bool = False) -> None:
    """Register a model with its methods' argument specs."""

    def build() -> Any:
        module, _ = make().export_tvm(spec=given, debug=debug)
        return module

    PROGRAMS[f"nn_{name}"] = build


class Mlp(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.up, self.down = nn.Linear(6, 10), nn.Linear(10, 4, bias=False)

    def forward(self, x: nn.Tensor) -> nn.Tensor:
        return self.down(nn.op.silu(self.up(x)))


class Gated(nn.Module):
    """RMS norm, a gate, a residual."""

    def __init__(self) -> None:
        super().__init__()
        self.norm = nn.RMSNorm(8, axes=-1, bias=False)
        self.both = nn.Linear(8, 12, bias=False)
        self.down = nn.Linear(6, 8, bias=False)

    def forward(self, x: nn.Tensor) -> nn.Tensor:
        a, b = nn.op.split(self.both(self.norm(x)), 2, axis=-1)
        return x + self.down(nn.op.gelu(a) * b)


class Heads(nn.Module):
    """Attention with grouped heads and a mask as an argument."""

    def __init__(self) -> None:
        super().__init__()
        self.q, self.kv, self.o = nn.Linear(8, 8), nn.Linear(8, 8), nn.Linear(8, 8)

    def forward(self, x: nn.Tensor, mask: nn.Tensor) -> nn.Tensor:
        b, n, _ = x.shape
        q = nn.op.permute_dims(nn.op.reshape(self.q(x), (b, n, 4, 2)), (0, 2, 1, 3))
        k, v = nn.op.split(nn.op.reshape(self.kv(x), (b, n, 4, 2)), 2, axis=2)
        k = nn.op.repeat(nn.op.permute_dims(k, (0, 2, 3, 1)), 2, axis=1)
        v = nn.op.repeat(nn.op.permute_dims(v, (0, 2, 1, 3)), 2, axis=1)
        w = nn.op.softmax(nn.op.matmul(q, k) / 1.5 + mask, axis=-1)
        return self.o(nn.op.reshape(nn.op.permute_dims(nn.op.matmul(w, v), (0, 2, 1, 3)), (b, n, 8)))


class Stack(nn.Module):
    """A list of layers; two methods."""

    def __init__(self) -> None:
        super().__init__()
        self.embed = nn.Embedding(11, 6)
        self.layers = nn.ModuleList([nn.Linear(6, 6) for _ in range(3)])

    def prefill(self, ids: nn.Tensor) -> nn.Tensor:
        x = self.embed(ids)
        for layer in self.layers:
            x = nn.op.relu(layer(x))
        return x

    def decode(self, ids: nn.Tensor) -> tuple[nn.Tensor, nn.Tensor]:
        x = self.prefill(ids)
        return x, nn.op.softmax(x, axis=-1)


class Image(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.conv, self.norm = nn.Conv2D(3, 4, 3), nn.GroupNorm(2, 4)

    def forward(self, x: nn.Tensor) -> nn.Tensor:
        return nn.op.relu(self.norm(self.conv(x)))


class Loops(nn.Module):
    """A tensor expression of one's own beside operators."""

    def forward(self, x: nn.Tensor) -> nn.Tensor:
        def diagonal(a: tvm.te.Tensor) -> tvm.te.Tensor:
            return tvm.te.compute((a.shape[0],), lambda i: a[i, tvm.tirx.indexmod(i, 4)], name="diagonal")

        return nn.op.tensor_expr_op(diagonal, "diagonal", [x * 2.0])


class Library(nn.Module):
    """A call of a library function."""

    def forward(self, x: nn.Tensor) -> nn.Tensor:
        return nn.op.extern("my.twice", [x], nn.Tensor.placeholder(x.shape, x.dtype)) + x


def tensor(*shape: int | str, dtype: str = "float32") -> spec.Tensor:
    return spec.Tensor(list(shape), dtype)


add("mlp", Mlp, {"forward": {"x": tensor("n", 6)}})
add("mlp_half", lambda: Mlp().to("float16") or Mlp(), {"forward": {"x": tensor("n", 6)}})
add("gated", Gated, {"forward": {"x": tensor("n", "m", 8)}})
add("heads", Heads, {"forward": {"x": tensor(2, "n", 8), "mask": tensor(2, 1, "n", "n")}})
add("stack", Stack, {"prefill": {"ids": tensor("n", dtype="int32")}, "decode": {"ids": tensor(1, dtype="int32")}})
add("image", Image, {"forward": {"x": tensor("n", 3, 7, 6)}})
add("loops", Loops, {"forward": {"x": tensor("n", 4)}})
add("library", Library, {"forward": {"x": tensor("n", 4)}})
add("with_effects", Mlp, {"forward": {"x": tensor("n", 6)}}, debug=True)
