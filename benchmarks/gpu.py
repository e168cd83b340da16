"""The CUDA backend on a device, against torch (eager and compiled), CuPy and cuBLAS, and against the copy ceiling.

    python benchmarks/gpu.py                          # measure
    python benchmarks/gpu.py --out benchmarks/results/gpu.json
    python benchmarks/gpu.py --only softmax,attention

Every workload is a module that refrelax lowers itself and calls through `f.resident`. Times are medians of CUDA events
over inputs that rotate, so that no run finds its own in the cache; the results are compared with the peers' in the same
run. Without a device it says what would be launched, counted by `f.cost`, and ends.
"""

from __future__ import annotations

import argparse
import json
import statistics
import sys
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import refrelax as rr
from refrelax.backends.cupy_.compile import cost_of
from refrelax.lower.pipeline import lower

HEAD = """
from tvm.script import ir as I, relax as R

@I.ir_module
class Module:
    @R.function
    def main({params}):
        with R.dataflow():
{body}
            R.output(out)
        return out
"""


@dataclass(frozen=True)
class Workload:
    """A function of tensors: parameters as ``name: dtype: dims``, bindings, sizes, and what torch does instead."""

    params: tuple[str, ...]
    body: tuple[str, ...]
    sizes: dict[str, int]
    torch: Callable[..., Any]
    tolerance: float = 1e-4

    def text(self) -> str:
        given = []
        for each in self.params:
            name, dtype, dims = (part.strip() for part in each.split(":"))
            shape = ", ".join(d if d.isdigit() else f'"{d}"' for d in dims.split())
            given.append(f'{name}: R.Tensor(({shape}{"," if len(dims.split()) == 1 else ""}), "{dtype}")')
        return HEAD.format(params=", ".join(given), body="\n".join(f"            {line}" for line in self.body))

    def shapes(self) -> list[tuple[str, tuple[int, ...]]]:
        found = []
        for each in self.params:
            _, dtype, dims = (part.strip() for part in each.split(":"))
            found.append((dtype, tuple(int(d) if d.isdigit() else self.sizes[d] for d in dims.split())))
        return found


def workloads() -> dict[str, Workload]:
    try:
        import torch
        from torch.nn import functional as F
    except ImportError:
        torch = F = None  # type: ignore[assignment]
    wide = {"n": 65536, "m": 4096}
    return {
        "elementwise": Workload(
            ("x: float32: n m", "y: float32: n m"),
            ("a = R.multiply(x, y)", "b = R.add(a, x)", "out = R.nn.relu(b)"), wide,
            lambda x, y: torch.relu(x * y + x),
        ),
        "softmax": Workload(
            ("x: float32: n m",), ("out = R.nn.softmax(x, axis=-1)",), wide, lambda x: torch.softmax(x, -1)
        ),
        "layer_norm": Workload(
            ("x: bfloat16: n m", "g: bfloat16: m", "b: bfloat16: m"), ("out = R.nn.layer_norm(x, g, b, axes=[-1])",),
            {"n": 131072, "m": 4096}, lambda x, g, b: F.layer_norm(x, x.shape[-1:], g, b), 0.1,
        ),
        "rms_norm": Workload(
            ("x: float32: n m", "g: float32: m"), ("out = R.nn.rms_norm(x, g, axes=[-1])",), wide,
            lambda x, g: F.rms_norm(x, x.shape[-1:], g, 1e-5),
        ),
        "argmax": Workload(("x: float32: n m",), ("out = R.argmax(x, axis=-1)",), wide, lambda x: torch.argmax(x, -1)),
        "transpose": Workload(
            ("x: float32: n m",), ("out = R.permute_dims(x)",), {"n": 8192, "m": 16384}, lambda x: x.T.contiguous()
        ),
        "embedding": Workload(
            ("t: float32: v 128", "i: int64: n"), ("out = R.take(t, i, axis=0)",), {"v": 100_000, "n": 1 << 22},
            lambda t, i: t[i],
        ),
        "matmul": Workload(
            ("x: float32: n k", "w: float32: k m"), ("out = R.matmul(x, w)",), {"n": 4096, "k": 4096, "m": 4096},
            lambda x, w: x @ w, 1e-2,
        ),
        "attention": Workload(
            ("q: float32: b s 8 64", "k: float32: b s 8 64", "v: float32: b s 8 64"),
            ('out = R.nn.attention(q, k, v, causal_mask="TopLeft")',), {"b": 4, "s": 1024},
            lambda q, k, v: F.scaled_dot_product_attention(
                q.transpose(1, 2), k.transpose(1, 2), v.transpose(1, 2), is_causal=True
            ).transpose(1, 2), 1e-3,
        ),
    }  # fmt: skip


def lowered(workload: Workload) -> Any:
    return lower(rr.check(rr.parse(workload.text(), "gpu.py")), pipeline="kernels").module


# --- measuring -------------------------------------------------------------------------------------------------------


def median_ms(cupy: Any, run: Callable[[int], Any], repeats: int = 21) -> float:
    """The median time of a call on the device; ``run`` is told which inputs to take."""
    times = []
    for turn in range(repeats + 3):
        start, end = cupy.cuda.Event(), cupy.cuda.Event()
        start.record()
        run(turn)
        end.record()
        end.synchronize()
        if turn >= 3:
            times.append(cupy.cuda.get_elapsed_time(start, end))
    return statistics.median(times)


def ceiling(cupy: Any) -> float:
    """Bytes a second, read and written, of a copy that is larger than every cache."""
    source, target = (cupy.empty(1 << 28, dtype=cupy.float32) for _ in range(2))
    ms = median_ms(cupy, lambda _: cupy.copyto(target, source))
    return float(2 * source.nbytes / ms * 1e3)


def inputs(torch: Any, workload: Workload, seed: int) -> list[Any]:
    torch.manual_seed(seed)
    made = []
    for dtype, shape in workload.shapes():
        if dtype == "int64":
            made.append(torch.randint(0, workload.sizes["v"], shape, device="cuda"))
        else:
            made.append(torch.randn(shape, device="cuda", dtype=getattr(torch, dtype)))
    return made


def adopted(cupy: Any, tensor: Any) -> Any:
    """A tensor of torch as the backend takes it, where it lies."""
    import numpy as np

    from refrelax.backends.cupy_.devices import DeviceArray
    from refrelax.running.arrays import numpy_dtype

    name = str(tensor.dtype).removeprefix("torch.")
    raw = cupy.from_dlpack(tensor.contiguous().view(-1).view(__import__("torch").uint8))
    return DeviceArray(raw, tuple(tensor.shape), np.dtype(numpy_dtype(name)))


def measure(cupy: Any, torch: Any, name: str, workload: Workload, peak: float, compiled: bool) -> dict[str, Any]:
    module = lowered(workload)
    executable = rr.compile(module, backend="cupy", mode="fast")
    cost = executable.cost("main", **workload.sizes)  # type: ignore[attr-defined]
    sets = [inputs(torch, workload, seed) for seed in range(3)]
    given = [[adopted(cupy, each) for each in one] for one in sets]
    call = executable.resident("main")  # type: ignore[attr-defined]
    device = executable.device  # type: ignore[attr-defined]
    device.release = lambda array: array  # results are looked at as bytes
    found = call(*given[0])
    wanted = workload.torch(*sets[0]).contiguous()
    raw = torch.from_dlpack(found.memory[: wanted.numel() * wanted.element_size()])
    worst = float((raw.view(wanted.dtype).view(wanted.shape).double() - wanted.double()).abs().max())
    row: dict[str, Any] = {"launches": cost.launches, "bytes": cost.bytes, "worst difference": worst}
    row["right"] = worst <= workload.tolerance
    row["ms"] = median_ms(cupy, lambda turn: call(*given[turn % 3]))
    row["share of copy bandwidth"] = round(cost.bytes / (row["ms"] / 1e3) / peak, 3)
    graph = executable.resident("main", graph=True)  # type: ignore[attr-defined]
    try:
        graph(*given[0])
        row["graph ms"] = median_ms(cupy, lambda turn: graph(*given[turn % 3]))
    except Exception as error:  # measured or told, but no end of the whole run
        row["graph"] = f"{type(error).__name__}: {error}"
    row["torch ms"] = median_ms(cupy, lambda turn: workload.torch(*sets[turn % 3]))
    if compiled:
        try:
            fast = torch.compile(workload.torch, dynamic=True)
            fast(*sets[0])
            row["torch.compile ms"] = median_ms(cupy, lambda turn: fast(*sets[turn % 3]))
        except Exception as error:
            row["torch.compile"] = f"{type(error).__name__}: {str(error)[:100]}"
    return row


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--out", type=Path, help="write the results here")
    parser.add_argument("--only", default="", help="workloads, separated by commas")
    parser.add_argument("--seconds", type=float, default=240, help="begin no workload later than this")
    parser.add_argument("--without-compile", action="store_true", help="no torch.compile (it takes its time)")
    options = parser.parse_args()
    chosen = {k: w for k, w in workloads().items() if not options.only or k in options.only.split(",")}
    from refrelax.backends.cupy_.device import find_cupy
    from refrelax.errors import UsageError

    try:
        cupy = find_cupy()
        import torch
    except (UsageError, ImportError) as missing:
        for name, workload in chosen.items():
            found = cost_of(lowered(workload), "main", workload.sizes)
            moved = f"{found.read / 1e6:10.1f} MB read, {found.written / 1e6:10.1f} MB written"
            print(f"{name:12s} {found.launches} launches, {moved}")
        print(f"nothing measured: {missing}")
        return 0
    begun, peak = time.monotonic(), ceiling(cupy)
    name = cupy.cuda.runtime.getDeviceProperties(0)["name"].decode()
    results: dict[str, Any] = {
        "command": " ".join(sys.argv), "date": time.strftime("%Y-%m-%d"), "device": name, "torch": torch.__version__,
        "copy bytes a second": peak, "workloads": {},
    }  # fmt: skip
    print(f"{name}: a copy moves {peak / 1e12:.2f} TB/s")
    for label, workload in chosen.items():
        if time.monotonic() - begun > options.seconds:
            print(f"{label}: no time left")
            continue
        try:
            row = measure(cupy, torch, label, workload, peak, not options.without_compile)
        except Exception as error:
            row = {"failed": f"{type(error).__name__}: {error}"}
        results["workloads"][label] = row
        print(label, json.dumps(row), flush=True)
        if options.out is not None:
            options.out.write_text(json.dumps(results, indent=1) + "\n", encoding="utf-8")
    wrong = [k for k, row in results["workloads"].items() if not row.get("right")]
    print("all right" if not wrong else f"wrong or failed: {', '.join(wrong)}")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
