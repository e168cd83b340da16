"""Operators over rows, lowered by refrelax: `lowered(dtype)` has a function for each row of `OPERATORS`."""

from __future__ import annotations

from functools import cache

import refrelax as rr
from refrelax.lower.pipeline import lower
from refrelax.semantics.types.checked import CheckedModule

OPERATORS: dict[str, tuple[str, str]] = {
    "softmax": ("x: n m", "R.nn.softmax(x, axis=-1)"),
    "softmax_across": ("x: n 7 m", "R.nn.softmax(x, axis=1)"),
    "log_softmax": ("x: n m", "R.nn.log_softmax(x, axis=-1)"),
    "layer_norm": ("x: n m, g: m, b: m", "R.nn.layer_norm(x, g, b, axes=[-1])"),
    "layer_norm_2": ("x: n m 5, g: m 5, b: m 5", "R.nn.layer_norm(x, g, b, axes=[-2, -1])"),
    "rms_norm": ("x: n m, g: m", "R.nn.rms_norm(x, g, axes=[-1])"),
    "group_norm": ("x: n 6 m, g: 6, b: 6", "R.nn.group_norm(x, g, b, num_groups=2, channel_axis=1, axes=[2])"),
    "instance_norm": ("x: n 3 m 2, g: 3, b: 3", "R.nn.instance_norm(x, g, b, channel_axis=1, axes=[2, 3])"),
    "mean": ("x: n m", "R.mean(x, axis=[-1], keepdims=True)"),
    "variance": ("x: n m", "R.variance(x, axis=[-1])"),
    "std": ("x: n m", "R.std(x, axis=[-1])"),
    "total": ("x: n m", "R.sum(x)"),
    "across": ("x: n m", "R.mean(x, axis=[0])"),
    "argmax": ("x: n m", "R.argmax(x, axis=-1)"),
    "argmin": ("x: n m", "R.argmin(x, axis=-1)"),
    "centred": ("x: n m", "R.subtract(x, R.mean(x, axis=[-1], keepdims=True))"),
    "masked": ("x: n m, b: n m", "R.nn.softmax(R.where(R.greater(b, x), x, R.multiply(x, b)), axis=-1)"),
}  # fmt: skip
"""Parameters with their extents, and what is computed."""

ARGUMENTS = {name: [p.split(":")[1].split() for p in params.split(",")] for name, (params, _) in OPERATORS.items()}


def program(dtype: str) -> str:
    """One function for every operator; nested calls are bindings of their own."""
    lines = ["from tvm.script import ir as I, relax as R", "@I.ir_module", "class Module:"]
    for name, (params, value) in OPERATORS.items():
        given = []
        for each in params.split(","):
            label, dims = each.split(":")
            shape = ", ".join(d if d.isdigit() else f'"{d}"' for d in dims.split())
            given.append(f'{label.strip()}: R.Tensor(({shape},), "{dtype}")')
        lines += ["    @R.function", f"    def {name}({', '.join(given)}):", "        with R.dataflow():"]
        lines += [f"            result = {value}", "            R.output(result)", "        return result"]
    return "\n".join(lines)


@cache
def lowered(dtype: str) -> CheckedModule:
    return lower(rr.check(rr.parse(program(dtype), "row_operators.py")), pipeline="kernels").module
