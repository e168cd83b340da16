"""Programs a little off those that get a form of their own: attention, rows in one launch, products, sorts, groups.

What a form asks of a program (an addition, from zero, over the whole row, read at these places) fails one thing at a
time when a number, an operation, an extent or an operand is another one: then it must be another form, or none.
"""

from __future__ import annotations

import random
from collections.abc import Iterator
from functools import cache

import pytest

pytest.importorskip("numpy")

from programs import KERNELS, module
from row_operators import OPERATORS, program

import refrelax as rr
from refrelax.backends.cupy_ import emulate
from refrelax.backends.errors import Unsupported
from refrelax.judge import diff
from refrelax.judge.backend import Backend
from refrelax.judge.campaign import look
from refrelax.lower.pipeline import lower
from refrelax.syntax.module import Module
from refrelax.syntax.types import definable
from refrelax.testing.arguments import parameters, random_arguments
from refrelax.testing.mutations import mutant

pytestmark = [
    pytest.mark.thorough, pytest.mark.skipif(emulate.compiler() is None, reason="no g++ on this machine"),
]  # fmt: skip

GRAPHS = {
    "attention": ("q: 1 s 2 3, k: 1 t 2 3, v: 1 t 2 5", "R.nn.attention(q, k, v)"),
    "causal": ("q: 1 s 2 3, k: 1 t 2 3, v: 1 t 2 5", 'R.nn.attention(q, k, v, causal_mask="TopLeft")'),
    "biased": ("q: 1 s 2 3, k: 1 t 2 3, v: 1 t 2 3, m: 1 2 s t", "R.nn.attention(q, k, v, m, scale=0.5)"),
    "two products": ("x: n 4, w: 4 5, v: 5 3", "R.matmul(R.nn.relu(R.matmul(x, w)), v)"),
    "beside": ("x: n 4, w: 4 5, v: 4 3", "R.concat((R.matmul(x, w), R.matmul(x, v)), axis=1)"),
    "product": ("x: 2 n 4, w: 4 m", "R.add(R.matmul(x, w), R.matmul(x, w))"),
    "turned": ("x: n 4, w: m 4", "R.matmul(x, R.permute_dims(w))"),
    "sort": ("x: n m", "R.sort(x, axis=-1, descending=True)"),
    "argsort": ("x: n m", 'R.argsort(x, axis=0, dtype="int32")'),
    "topk": ("x: n m", 'R.topk(x, k=2, axis=-1, ret_type="both", largest=False, dtype="int64")'),
    "cumsum": ("x: n m 3", "R.cumsum(x, axis=1, exclusive=True)"),
    "cumprod": ("x: n m", "R.cumprod(x, axis=-1)"),
    "conv": ("x: 1 3 6 7, w: 2 3 2 3", "R.nn.conv2d(x, w, padding=[1, 0])"),
    "pool": ("x: 1 2 6 7", "R.nn.max_pool2d(x, pool_size=[2, 3], strides=[1, 2])"),
    "concat": ("x: n m, y: n m", "R.concat((R.exp(x), y, x), axis=1)"),
    "gather": ("x: n m", 'R.take(x, R.const([1, 0, 2], "int64"), axis=1)'),
    "steps": ("x: n m, y: m", "R.multiply(R.sigmoid(R.add(x, y)), R.add(x, y))"),
    **{f"row {name}": each for name, each in OPERATORS.items()},
}


@cache
def of_graph(name: str, dtype: str) -> Module:
    params, call = GRAPHS[name]
    given = []
    for each in params.split(","):
        label, dims = each.split(":")
        shape = ", ".join(d if d.isdigit() else f'"{d}"' for d in dims.split())
        given.append(f'{label.strip()}: R.Tensor(({shape},), "{dtype}")')
    head = "\n".join(program(dtype).split("\n")[:3])
    body = f"        with R.dataflow():\n            result = {call}\n            R.output(result)\n        return result\n"
    text = f"{head}\n    @R.function\n    def main({', '.join(given)}):\n{body}"
    return lower(rr.check(rr.parse(text)), pipeline="kernels").module.module


def near(whole: Module, name: str, count: int) -> Iterator[rr.CheckedModule]:
    """The program, and so many that one or two mutations make of it."""
    yield rr.check(whole)
    for k in range(count):
        found = mutant(whole, random.Random(f"{name} {k}"), 1 + k % 2)
        if found is not None:
            yield found


def agrees(checked: rr.CheckedModule, entry: str, seed: int, dims: dict[str, int]) -> None:
    having = {s.name for _, type_ in parameters(checked.module, entry) for s in definable(type_)}
    given = {name: extent for name, extent in dims.items() if name in having}
    args = random_arguments(checked.module, entry, seed, given, "dyadic" if seed % 2 else "normal")
    try:
        verdict = diff(checked, entry, args, impl=Backend("cuda-emulated"), budget=look.BUDGET)
    except Unsupported:
        return
    assert not isinstance(verdict, rr.Divergence), (verdict, rr.print_module(checked.module))


EXTENTS: tuple[dict[str, int], ...] = (
    {"n": 5, "m": 3, "s": 5, "t": 7}, {"n": 1, "m": 1, "s": 1, "t": 1}, {"n": 0, "s": 0}, {"n": 2, "m": 0, "t": 0},
)  # fmt: skip

NEAR = 6
"""Mutants of each."""


@pytest.mark.parametrize("part", range(3))
@pytest.mark.parametrize("name", GRAPHS)
def test_near_a_graph(name: str, part: int) -> None:
    whole = of_graph(name, ("float32", "float16", "int32")[part] if name[:3] == "row" and part < 2 else "float32")
    for k, checked in enumerate(near(whole, f"{name} {part}", NEAR // 3)):
        for seed, dims in enumerate(EXTENTS[: 2 + k % 3]):
            agrees(checked, "main", seed, dims)


@pytest.mark.parametrize("part", range(2))
@pytest.mark.parametrize("name", KERNELS)
def test_near_a_loop_program(name: str, part: int) -> None:
    whole = Module({name: module().module.functions[name]})
    for k, checked in enumerate(near(whole, f"{name} {part}", NEAR // 2)):
        for seed in range(1 + k % 2):
            agrees(checked, name, seed, {})
