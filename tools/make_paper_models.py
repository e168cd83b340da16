"""Make the paper's models anew: built with TVM's ``nn`` or PyTorch, imported with TVM 0.27, printed, run, written down.

    make examples                      # or: .venv-tvm/bin/python tools/make_paper_models.py [NAME…]

For each model, under ``refrelax/examples/paper/NAME/``: the files that ``make_examples.py`` describes, with more
than one function, and weights as arguments where they are quantised (constants would be decoded by constant folding).
Sizes are ``b`` (batch), ``n`` (new tokens), ``t`` (entries before), ``f`` (frames), ``p`` and ``w`` (pages, and those
of a sequence) throughout. What is recorded: pairwise distinct sizes, and size 1.
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

HERE = Path(__file__).resolve().parent
sys.path[:0] = [str(HERE.parent), str(HERE), str(HERE / "paper_models")]

from make_examples import SEED, write  # noqa: E402

import refrelax  # noqa: E402
from refrelax.lower.counts import launches  # noqa: E402
from refrelax.lower.memory_report import successive_use  # noqa: E402

OUT = HERE.parent / "refrelax" / "examples" / "paper"

Arrays = list[np.ndarray]


@dataclass(frozen=True)
class Model:
    """``make`` gives the module and, by function, how its arguments are made at given sizes; ``sizes`` to record;
    ``series``: successive runs whose memory is counted, as the paper's Table 2 does."""

    title: str
    make: Callable[[], tuple[Any, dict[str, Callable[..., Arrays]]]]
    sizes: dict[str, tuple[dict[str, int], ...]]
    series: dict[str, list[dict[str, int]]]


LENGTHS, BATCHES = (128, 256, 512, 1024), (1, 16, 32, 64)


def over(size: str, values: tuple[int, ...], **fixed: int) -> list[dict[str, int]]:
    """Successive runs in which one size changes."""
    return [{**fixed, size: value} for value in values]


# --- TVM's nn --------------------------------------------------------------------------------------------------------


def weights(params: list[tuple[str, Any]]) -> Arrays:
    """Every parameter by its dtype and what its name says: packed words, scales, norms, the rest."""
    rng = np.random.default_rng(SEED)
    found = []
    for name, param in params:
        shape = tuple(int(extent) for extent in param.shape)
        if param.dtype == "uint32":
            each = rng.integers(0, 2**32, shape, dtype=np.uint32)
        elif name.endswith("scale"):
            each = rng.uniform(0.02, 0.12, shape).astype(np.float32)
        elif "norm" in name:
            each = (rng.normal(0, 0.1, shape) + ("offset" not in name)).astype(np.float32)
        else:
            each = rng.normal(0, 0.5, shape).astype(np.float32)
        found.append(each)
    return found


def from_nn(make: Callable[[], tuple[Any, dict[str, Any]]], arguments: dict[str, Callable[..., Arrays]]) -> Any:
    """A model of ``relax.frontend.nn``: its functions take their arguments, then every weight."""
    import tvm

    model, given = make()
    module, params = model.export_tvm(spec=given)
    held = weights(params)

    def with_weights(make_arguments: Callable[..., Arrays]) -> Callable[..., Arrays]:
        return lambda seed, **dims: [*make_arguments(np.random.default_rng(SEED + seed), **dims), *held]

    for variable, function in list(module.functions.items()):
        if variable.name_hint in arguments:
            names = {v.name for v in tvm.relax.analysis.defined_symbolic_vars(function)}
            least = dict.fromkeys(sorted(names), 1)
            module.update_func(variable, bounded(function, make.__name__, variable.name_hint, least))
    return module, {name: with_weights(each) for name, each in arguments.items()}


def bounded(function: Any, model: str, name: str, least: dict[str, int]) -> Any:
    """The function with the bounds of its sizes, as front ends for language models attach them: no run is larger than
    those that are recorded or counted."""
    runs = [*MODELS[model].sizes[name], *MODELS[model].series[name]]
    greatest = {size: max(run[size] for run in runs) for size in least}
    return function.with_attr("tir_var_lower_bound", least).with_attr("tir_var_upper_bound", greatest)


def tokens(rng: np.random.Generator, b: int, n: int) -> np.ndarray:
    return rng.integers(0, 13, (b, n), dtype=np.int32)


def paged(rng: np.random.Generator, b: int, n: int, p: int, w: int) -> Arrays:
    """Token numbers, a table of distinct pages, lengths that leave room for ``n``, and filled pages of two layers."""
    table = rng.permutation(p)[: b * w].reshape(b, w).astype(np.int32)
    lengths = rng.integers(0, w * 4 - n + 1, (b,), dtype=np.int32)
    pages = [rng.normal(0, 1, (p, 2, 2, 4, 4)).astype(np.float32) for _ in range(2)]
    return [tokens(rng, b, n), table, lengths, *pages]


def held(groups: int) -> Callable[..., Arrays]:
    """One new token and the keys and values of two layers."""

    def arguments(rng: np.random.Generator, b: int, t: int) -> Arrays:
        return [tokens(rng, b, 1), *(rng.normal(0, 1, (b, t, groups, 4)).astype(np.float32) for _ in range(4))]

    return arguments


def llama() -> Any:
    import decoders

    return from_nn(decoders.llama, {"prefill": paged, "decode": lambda rng, b, p, w: paged(rng, b, 1, p, w)})


def gemma() -> Any:
    import decoders

    return from_nn(decoders.gemma, {"prefill": tokens_only, "decode": held(1)})


def qwen() -> Any:
    import decoders

    return from_nn(decoders.qwen, {"prefill": tokens_only, "decode": held(2)})


def tokens_only(rng: np.random.Generator, b: int, n: int) -> Arrays:
    return [tokens(rng, b, n)]


# --- PyTorch ---------------------------------------------------------------------------------------------------------


def from_torch(name: str) -> Any:
    """A model of parts, each exported by itself, with its weights as constants."""
    import torch
    import torch_models
    import tvm

    torch.manual_seed(SEED)
    functions, arguments = {}, {}
    for part, (module, axes, inputs) in getattr(torch_models, name)().items():
        functions[part] = exported(name, part, module.eval(), axes, inputs)
        arguments[part] = lambda seed, _inputs=inputs, **dims: [x.numpy() for x in _inputs(SEED + seed, **dims)]
    return tvm.IRModule(functions), arguments


def exported(model: str, part: str, module: Any, axes: tuple[dict[int, str], ...], inputs: Callable[..., Any]) -> Any:
    """One part as TVM's importer makes it, its sizes called as ``axes`` says."""
    import torch
    from tvm import tirx
    from tvm.relax.frontend.torch import from_exported_program

    names = sorted({name for axis in axes for name in axis.values()})
    least = {name: 3 if name == "f" else 1 for name in names}
    sizes = {name: torch.export.Dim(name, min=least[name], max=31) for name in names}
    dynamic = tuple({k: sizes[name] for k, name in axis.items()} for axis in axes)
    example = inputs(SEED, **{name: 3 + k for k, name in enumerate(names)})
    with torch.no_grad():
        program = torch.export.export(module, example, dynamic_shapes=dynamic)
    main = from_exported_program(program, keep_params_as_input=False)["main"]
    return renamed(model, part, main, axes, {name: tirx.Var(name, "int64") for name in names}, least)


def renamed(
    model: str, part: str, main: Any, axes: tuple[dict[int, str], ...], sizes: dict[str, Any], least: dict[str, int]
) -> Any:
    """The function with its symbols called as ours are: where an axis is a symbol alone, that symbol is the size."""
    found = {
        param.ty.shape[k]: sizes[name]
        for param, axis in zip(main.params, axes, strict=True)
        for k, name in axis.items()
    }
    return bounded(main.bind_symbolic_vars(found).with_attr("global_symbol", part), model, part, least)


MODELS = {
    "llama": Model(
        "Llama-like decoder: grouped heads, rotation, SwiGLU, weights in 4 bits, paged cache",
        llama,
        {
            "prefill": ({"b": 2, "n": 3, "p": 7, "w": 2}, {"b": 1, "n": 1, "p": 2, "w": 1}),
            "decode": ({"b": 3, "p": 8, "w": 2}, {"b": 1, "p": 3, "w": 2}),
        },
        {"prefill": over("n", LENGTHS, b=2, p=256, w=128), "decode": over("b", BATCHES, p=8192, w=64)},
    ),
    "gemma": Model(
        "Gemma-like decoder: norms less one, approximate GELU, embeddings scaled and used again",
        gemma,
        {"prefill": ({"b": 2, "n": 5}, {"b": 1, "n": 1}), "decode": ({"b": 3, "t": 4}, {"b": 1, "t": 1})},
        {"prefill": over("n", LENGTHS, b=2), "decode": over("b", BATCHES, t=256)},
    ),
    "qwen": Model(
        "Qwen-like decoder: a bias on queries, keys and values, weights in 3 bits",
        qwen,
        {"prefill": ({"b": 2, "n": 3}, {"b": 1, "n": 1}), "decode": ({"b": 2, "t": 5}, {"b": 1, "t": 1})},
        {"prefill": over("n", LENGTHS, b=2), "decode": over("b", BATCHES, t=256)},
    ),
    "whisper": Model(
        "Whisper-like encoder and decoder: convolutions over frames, attention across",
        lambda: from_torch("whisper"),
        {
            "listen": ({"b": 2, "f": 5}, {"b": 1, "f": 6}, {"b": 1, "f": 3}),
            "encode": ({"b": 2, "t": 3}, {"b": 1, "t": 1}),
            "decode": ({"b": 2, "n": 4, "t": 3}, {"b": 1, "n": 1, "t": 1}),
        },
        {
            "listen": over("f", LENGTHS, b=2),
            "encode": over("t", LENGTHS, b=2),
            "decode": over("b", BATCHES, n=32, t=256),
        },
    ),
    "llava": Model(
        "LLaVA-like image encoder and decoder: patches before the text",
        lambda: from_torch("llava"),
        {"encode": ({"b": 2}, {"b": 1}), "prefill": ({"b": 2, "n": 3}, {"b": 1, "n": 1})},
        {"encode": over("b", BATCHES), "prefill": over("n", LENGTHS, b=2)},
    ),
}


def recorded(mod: Any, model: Model, arguments: dict[str, Callable[..., Arrays]]) -> tuple[dict[str, Any], list[Any]]:
    """Inputs and TVM's outputs for each function and size: arrays by name, and what they are."""
    import tvm
    from tvm import relax

    vm = relax.VirtualMachine(tvm.compile(mod, target="llvm"), tvm.cpu())
    arrays: dict[str, np.ndarray] = {}
    runs = []

    def kept(name: str, array: np.ndarray) -> str:
        """The name under which the array is kept: one that is there is not kept again."""
        for known, other in arrays.items():
            if other.dtype == array.dtype and other.shape == array.shape and other.tobytes() == array.tobytes():
                return known
        arrays[name] = array
        return name

    for function, sizes in model.sizes.items():
        for k, dims in enumerate(sizes):
            inputs = arguments[function](k, **dims)
            names = [kept(f"{function}{k}_in{i}", x) for i, x in enumerate(inputs)]
            result = vm[function](*(tvm.runtime.tensor(x) for x in inputs))
            fields = [result] if isinstance(result, tvm.runtime.Tensor) else list(result)
            outputs = [kept(f"{function}{k}_out{i}", y.numpy()) for i, y in enumerate(fields)]
            runs.append({"function": function, "dims": dims, "args": names, "outputs": outputs})
    return arrays, runs


# --- what TVM's own passes make of it --------------------------------------------------------------------------------


def by_tvm(mod: Any, series: dict[str, list[dict[str, int]]]) -> dict[str, dict[str, Any]]:
    """For each function: the calls of loop programs after TVM's legalization and after its fusion, and the bytes that
    a pool holds after successive runs, before and after its planning; all counted by refrelax in TVM's texts."""
    import tvm
    from tvm.relax import transform as t

    with tvm.target.Target("llvm"):
        loops = tvm.transform.Sequential([t.LegalizeOps(), t.AnnotateTIROpPattern()])(mod)
        fused = tvm.transform.Sequential([t.FuseOps(), t.FuseTIR(), t.DeadCodeElimination()])(loops)
        explicit = tvm.transform.Sequential(
            [t.RewriteDataflowReshape(), t.ToNonDataflow(), t.RemovePurityChecking(), t.CallTIRRewrite()]
        )(fused)
        planned = t.StaticPlanBlockMemory()(explicit)
    stages = [refrelax.parse(stage.script()) for stage in (loops, fused, explicit, planned)]
    return {
        function: {
            "kernels": [launches(stage, function) for stage in stages[:2]],
            "held": [[use.held for use in successive_use(stage, runs, function)] for stage in stages[2:]],
        }
        for function, runs in series.items()
    }


def make(name: str) -> None:
    """Write one model."""
    import torch
    import tvm

    model = MODELS[name]
    folder = OUT / name
    folder.mkdir(parents=True, exist_ok=True)
    mod, arguments = model.make()
    write(folder, "imported", mod)
    arrays, runs = recorded(mod, model, arguments)
    np.savez_compressed(folder / "runs.npz", **arrays)
    facts = {
        "name": name,
        "title": model.title,
        "entry": next(iter(model.sizes)),
        "stages": ["imported"],
        "runs": runs,
        "series": model.series,
        "tvm": by_tvm(mod, model.series),
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
