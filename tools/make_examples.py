"""Make the example models anew: build with PyTorch, import with TVM 0.27, print, run in TVM's VM, write all down.

    make examples                        # or: .venv-tvm/bin/python tools/make_examples.py [NAME…]

For each model, under ``refrelax/examples/NAME/``:

``imported.py``, ``imported.npz``    TVMScript as the importer made it; the arrays behind its constant indices
``zero.py``, ``zero.npz``            the same after ``relax.get_pipeline("zero")``
``runs.npz``                         inputs and TVM's outputs for each recorded size
``example.json``                     what is what, the seed, the versions

Weights, inputs and so every byte follow from the seed. The symbolic size is called ``n`` throughout (PyTorch calls it
``s77`` or the like, depending on its version).
"""

from __future__ import annotations

import json
import re
import sys
import warnings
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import torch
import torch.nn.functional as F
from torch import nn

ROOT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT))
OUT = ROOT / "refrelax" / "examples"
SEED = 20_27


class Mlp(nn.Module):
    """Two linear layers and a softmax."""

    def __init__(self) -> None:
        super().__init__()
        self.hidden, self.out = nn.Linear(6, 10), nn.Linear(10, 4)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return torch.softmax(self.out(torch.relu(self.hidden(x))), dim=-1)


class RmsNorm(nn.Module):
    def __init__(self, width: int) -> None:
        super().__init__()
        self.scale = nn.Parameter(1 + 0.1 * torch.randn(width))

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return x * torch.rsqrt((x * x).mean(-1, keepdim=True) + 1e-5) * self.scale


class Decoder(nn.Module):
    """A Llama-style layer: RMSNorm, rotary embedding, grouped causal attention, SwiGLU; sequence length ``n``."""

    def __init__(self, width: int = 32, heads: int = 4, groups: int = 2, inner: int = 48) -> None:
        super().__init__()
        self.heads, self.groups, self.head = heads, groups, width // heads
        self.norm1, self.norm2 = RmsNorm(width), RmsNorm(width)
        self.q = nn.Linear(width, width, bias=False)
        self.k = nn.Linear(width, groups * self.head, bias=False)
        self.v = nn.Linear(width, groups * self.head, bias=False)
        self.o = nn.Linear(width, width, bias=False)
        self.gate, self.up = nn.Linear(width, inner, bias=False), nn.Linear(width, inner, bias=False)
        self.down = nn.Linear(inner, width, bias=False)
        self.register_buffer("frequency", 10_000.0 ** (-torch.arange(0, self.head, 2).float() / self.head))

    def rotary(self, n: int) -> tuple[torch.Tensor, torch.Tensor]:
        angle = torch.arange(n, dtype=torch.float32)[:, None] * self.frequency[None, :]
        angle = torch.cat([angle, angle], dim=-1)
        return torch.cos(angle), torch.sin(angle)

    @staticmethod
    def rotate(x: torch.Tensor, cos: torch.Tensor, sin: torch.Tensor) -> torch.Tensor:
        a, b = x.chunk(2, dim=-1)
        return x * cos + torch.cat([-b, a], dim=-1) * sin

    def split_heads(self, x: torch.Tensor, n: int, heads: int) -> torch.Tensor:
        return x.view(1, n, heads, self.head).transpose(1, 2)

    def repeat(self, x: torch.Tensor, n: int) -> torch.Tensor:
        times = self.heads // self.groups
        return x.unsqueeze(2).expand(1, self.groups, times, n, self.head).reshape(1, self.heads, n, self.head)

    def attention(self, x: torch.Tensor) -> torch.Tensor:
        n = x.shape[1]
        cos, sin = self.rotary(n)
        q = self.rotate(self.split_heads(self.q(x), n, self.heads), cos, sin)
        k = self.repeat(self.rotate(self.split_heads(self.k(x), n, self.groups), cos, sin), n)
        v = self.repeat(self.split_heads(self.v(x), n, self.groups), n)
        scores = q @ k.transpose(-1, -2) / self.head**0.5
        position = torch.arange(n)
        causal = position[:, None] >= position[None, :]
        weights = torch.softmax(torch.where(causal, scores, torch.tensor(float("-inf"))), dim=-1)
        return self.o((weights @ v).transpose(1, 2).reshape(1, n, -1))

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        x = x + self.attention(self.norm1(x))
        y = self.norm2(x)
        return x + self.down(F.silu(self.gate(y)) * self.up(y))


class Cnn(nn.Module):
    """Two convolutions, batch norm in inference, pooling, GELU; batch ``n``."""

    def __init__(self) -> None:
        super().__init__()
        self.conv1, self.norm = nn.Conv2d(3, 4, 3, padding=1), nn.BatchNorm2d(4)
        self.conv2, self.out = nn.Conv2d(4, 6, 3, stride=2), nn.Linear(6, 5)
        self.norm.running_mean.normal_()
        self.norm.running_var.uniform_(0.5, 1.5)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        x = F.max_pool2d(torch.relu(self.norm(self.conv1(x))), 2)
        x = F.gelu(self.conv2(x))
        return torch.log_softmax(self.out(F.adaptive_avg_pool2d(x, 1).flatten(1)), dim=-1)


@dataclass(frozen=True)
class Model:
    """How to make a model, the shape of its input at size ``n``, which axis that is, the sizes to record."""

    title: str
    make: Callable[[], nn.Module]
    shape: Callable[[int], tuple[int, ...]]
    axis: int
    sizes: tuple[int, ...]


MODELS = {
    "mlp": Model("MLP with softmax, dynamic batch", Mlp, lambda n: (n, 6), 0, (3, 7)),
    "decoder": Model("Llama-style decoder layer, dynamic sequence", Decoder, lambda n: (1, n, 32), 1, (3, 7)),
    "cnn": Model("small CNN, dynamic batch", Cnn, lambda n: (n, 3, 10, 12), 0, (1, 3)),
}


def imported(model: Model) -> Any:
    """The model as TVM's importer makes it, its size renamed to ``n``."""
    import tvm
    from tvm import relax, tirx
    from tvm.relax.frontend.torch import from_exported_program

    torch.manual_seed(SEED)
    module = model.make().eval()
    example = (torch.randn(*model.shape(5)),)
    with torch.no_grad():
        program = torch.export.export(module, example, dynamic_shapes=({model.axis: torch.export.Dim("n", min=1)},))
    mod = from_exported_program(program, keep_params_as_input=False)
    main = mod["main"]
    (size,) = relax.analysis.free_symbolic_vars(main) or relax.analysis.defined_symbolic_vars(main)
    renamed = main.bind_symbolic_vars({size: tirx.Var("n", "int64")})
    return tvm.IRModule({"main": renamed.with_attr("tir_var_lower_bound", {"n": 1})})


def recorded(mod: Any, model: Model) -> tuple[dict[str, np.ndarray], list[dict[str, Any]]]:
    """Inputs and TVM's outputs at each size: arrays by name, and what they are."""
    import tvm
    from tvm import relax

    vm = relax.VirtualMachine(tvm.compile(mod, target="llvm"), tvm.cpu())
    arrays: dict[str, np.ndarray] = {}
    runs = []
    for n in model.sizes:
        x = torch.randn(*model.shape(n), generator=torch.Generator().manual_seed(SEED + n)).numpy()
        (y,) = vm["main"](tvm.runtime.tensor(x))
        arrays[f"n{n}_in0"], arrays[f"n{n}_out0"] = x, y.numpy()
        runs.append({"dims": {"n": n}, "args": [f"n{n}_in0"], "outputs": [f"n{n}_out0"]})
    return arrays, runs


def write(folder: Path, stem: str, mod: Any) -> None:
    """One printed stage and its constants."""
    from refrelax.interop.tvm.live import text_and_constants

    text, constants = text_and_constants(mod)
    (folder / f"{stem}.py").write_text(text.rstrip() + "\n", encoding="utf-8")
    np.savez_compressed(folder / f"{stem}.npz", **{str(k): v for k, v in sorted(constants.items())})


def make(name: str) -> None:
    """Write one example."""
    import tvm
    from tvm import relax

    model = MODELS[name]
    folder = OUT / name
    folder.mkdir(parents=True, exist_ok=True)
    mod = imported(model)
    write(folder, "imported", mod)
    write(folder, "zero", relax.get_pipeline("zero")(mod))
    arrays, runs = recorded(mod, model)
    np.savez_compressed(folder / "runs.npz", **arrays)
    facts = {
        "name": name,
        "title": model.title,
        "entry": "main",
        "stages": ["imported", "zero"],
        "runs": runs,
        "seed": SEED,
        "made_with": {"apache-tvm": tvm.__version__, "torch": re.sub(r"\+.*", "", torch.__version__)},
    }
    (folder / "example.json").write_text(json.dumps(facts, indent=1) + "\n", encoding="utf-8")
    print(f"{name}: {sum(f.stat().st_size for f in folder.iterdir()):,} bytes")


def main() -> None:
    warnings.simplefilter("ignore")
    for name in sys.argv[1:] or MODELS:
        make(name)


if __name__ == "__main__":
    main()
