"""Programs that get a form of their own on CUDA (attention, rows in one launch, products, sorts, groups), and programs
a little off them: a number, an operation, an extent or an operand is another one.

What is launched for each is written down by ``tools/make_decisions.py``, and held by ``test_launches.py``.
"""

from __future__ import annotations

import random
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import refrelax as rr
from refrelax.backends.cupy_.compile import CudaExecutable
from refrelax.backends.cupy_.counting import CountingDevice, Launched
from refrelax.backends.errors import Unsupported
from refrelax.errors import RunError, UsageError
from refrelax.lower.pipeline import lower
from refrelax.syntax.module import Module
from refrelax.syntax.types import definable
from refrelax.testing.arguments import parameters
from refrelax.testing.mutations import mutant
from tests.backends.cupy_ import loop_forms, test_groups, test_statement_forms
from tests.backends.cupy_.programs import KERNELS, module
from tests.backends.cupy_.row_operators import OPERATORS, program
from tests.digests import digest

FROZEN = Path(__file__).parent / "launches.txt"

GRAPHS = {
    "attention": ("q: 1 s 2 3, k: 1 t 2 3, v: 1 t 2 5", "R.nn.attention(q, k, v)"),
    "causal": ("q: 1 s 2 3, k: 1 t 2 3, v: 1 t 2 5", 'R.nn.attention(q, k, v, causal_mask="TopLeft")'),
    "biased": ("q: 1 s 2 3, k: 1 t 2 3, v: 1 t 2 3, m: 1 2 s t", "R.nn.attention(q, k, v, m, scale=0.5)"),
    "two products": ("x: n 4, w: 4 5, v: 5 3", "R.matmul(R.nn.relu(R.matmul(x, w)), v)"),
    "beside": ("x: n 4, w: 4 5, v: 4 3", "R.concat((R.matmul(x, w), R.matmul(x, v)), axis=1)"),
    "written out": ("q: s 3, k: 3 t, v: t 5", "R.matmul(R.nn.softmax(R.matmul(q, k), axis=-1), v)"),
    "written out, masked": (
        "q: 2 s 3, k: 2 t 3, v: 2 t 5, m: s t",
        "R.matmul(R.nn.softmax(R.add(R.matmul(q, R.permute_dims(k, axes=[0, 2, 1])), m), axis=-1), v)",
    ),
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
    body = f"        with R.dataflow():\n            r = {call}\n            R.output(r)\n        return r\n"
    text = f"{head}\n    @R.function\n    def main({', '.join(given)}):\n{body}"
    return lower(rr.check(rr.parse(text)), pipeline="kernels").module.module


DTYPES = ("float32", "float16", "int32")
EXTENTS: tuple[dict[str, int], ...] = (
    {"n": 5, "m": 3, "s": 5, "t": 7, "l": 2}, {"n": 300, "m": 2100, "s": 70, "t": 1500, "l": 33}, {"n": 0, "s": 0},
)  # fmt: skip
MUTANTS = 6
"""Of each program."""


def programs_near() -> Iterator[tuple[str, str]]:
    """(name, entry) of every program."""
    for name in GRAPHS:
        yield name, "main"
    for name in KERNELS:
        yield f"loops {name}", name
    for name in loop_forms.FORMS:
        yield f"form {name}", "main"
    for name in test_groups.PROGRAMS:
        yield f"group {name}", "main"
    for name in test_statement_forms.BODIES:
        yield f"statements {name}", "main"


@cache
def family(name: str, entry: str) -> list[tuple[str, rr.CheckedModule]]:
    """The program at its dtypes and what is near it; forms of loop programs and groups are near each other."""
    found = []
    if name.startswith("form "):
        return [(name, loop_forms.program(name.removeprefix("form ")))]
    if name.startswith("statements "):
        return [(name, test_statement_forms.program(name.removeprefix("statements ")))]
    if name.startswith("group "):
        return [(name, test_groups.program(name.removeprefix("group ")))]
    if entry == "main":
        for dtype in DTYPES if name.startswith("row ") else DTYPES[:2]:
            try:
                found.append((f"{name} {dtype}", rr.check(of_graph(name, dtype))))
            except rr.Rejection:  # not every operator takes every dtype
                continue
        whole = of_graph(name, "float32")
    else:
        whole = Module({entry: module().module.functions[entry]})
        found.append((name, rr.check(whole)))
    for k in range(MUTANTS):
        made = mutant(whole, random.Random(f"{name} {k}"), 1 + k % 2)
        if made is not None and entry in made.module.functions:
            found.append((f"{name} ~{k}", made))
    return found


def shown(each: Launched) -> str:
    return f"{each.form} {each.blocks}x{each.threads} {each.read}>{each.written}"


def launches(checked: rr.CheckedModule, entry: str) -> Iterator[str]:
    """The text of the kernels in six letters, and what is launched for some extents in words."""
    try:
        made = CudaExecutable(checked, "fast", CountingDevice())
    except (Unsupported, RunError) as error:
        yield f"{type(error).__name__}"
        return
    yield digest(made.source)
    having = {s.name for _, type_ in parameters(checked.module, entry) for s in definable(type_)}
    for extents in EXTENTS if having else EXTENTS[:1]:
        try:
            cost = made.cost(entry, **{name: extents.get(name, 4) for name in sorted(having)})
            yield "; ".join(map(shown, cost.kernels)) or "nothing"
        except (Unsupported, RunError, UsageError) as error:
            yield f"{type(error).__name__}"


def lines(name: str, entry: str) -> list[str]:
    return [f"{label}: {' | '.join(launches(checked, entry))}" for label, checked in family(name, entry)]


def whole() -> str:
    """The text of ``FROZEN``."""
    return "".join(f"{line}\n" for each in programs_near() for line in lines(*each))
