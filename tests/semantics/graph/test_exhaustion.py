"""Budgets stop what asks for too much before memory or patience does."""

from __future__ import annotations

import time

import pytest

import refrelax as rr
from refrelax.testing import random_arguments
from tests.clock import seconds_since

HEAD = "@I.ir_module\nclass Module:\n"
X = 'x: R.Tensor((4,), "float32")'


def graph(value: str, sig: str = "") -> str:
    return f"{HEAD}    @R.function\n    def main({sig}):\n        y = {value}\n        return y\n"


def loops(*lines: str) -> str:
    body = "".join(f"        {line}\n" for line in lines)
    return f'{HEAD}    @T.prim_func\n    def main(A: T.Buffer((4,), "float32")):\n{body}'


ADD = "    A[0] = A[0] + T.float32(1)"
ELEMENTS = {
    "zeros": graph('R.zeros((10**9,), "float32")'),
    "zeros of two axes": graph('R.zeros((10**18, 10**18), "float32")'),
    "broadcast": graph('R.broadcast_to(R.const(1.0, "float32"), (10**10,))'),
    "arange": graph('R.arange(R.prim_value(0), R.prim_value(10**12), R.prim_value(1), "int64")'),
    "repeat": graph("R.repeat(x, 10**10, 0)", X),
    "tile": graph("R.tile(x, (10**10,))", X),
    "pad": graph("R.nn.pad(x, (10**10, 0))", X),
    "one_hot": graph("R.one_hot(x, R.prim_value(1), R.prim_value(0), 10**10, -1)", 'x: R.Tensor((4,), "int64")'),
    "broadcast sum": graph('R.add(R.zeros((10**6, 1), "float32"), R.zeros((1, 10**6), "float32"))'),
    "allocation": graph('R.builtin.alloc_tensor(R.shape([10**12]), "float32", R.prim_value(0))'),
}
STEPS = {
    "while": loops("while True:", ADD),
    "empty while": loops("while True:", "    T.evaluate(0)"),
    "serial": loops("for i in range(10**12):", ADD),
    "grid": loops("for i, j, k in T.grid(10**9, 10**9, 10**9):", "    A[0] = T.float32(1)"),
    "vectorized": loops("for i in T.vectorized(10**9):", "    A[0] = T.float32(1)"),
    "waiting threads": loops(
        'for i in T.thread_binding(10**6, thread="threadIdx.x"):',
        '    T.tvm_storage_sync("shared")',
        "    A[0] = T.float32(1)",
    ),
    "threads": loops('for i in T.thread_binding(10**9, thread="threadIdx.x"):', "    A[0] = T.float32(1)"),
}


def end(text: str, budget: rr.Budget | None, numerics: str) -> object:
    checked = rr.check(rr.parse(text))
    began = time.process_time()
    outcome = rr.run(checked, "main", *random_arguments(checked.module), budget=budget, numerics=numerics)
    assert seconds_since(began) < 2
    return outcome


@pytest.mark.thorough
@pytest.mark.parametrize("numerics", ["ieee", "enclosure"])
@pytest.mark.parametrize("name", ELEMENTS)
def test_elements(name: str, numerics: str) -> None:
    assert end(ELEMENTS[name], None, numerics) == rr.Exhausted("elements")


@pytest.mark.parametrize("numerics", ["ieee", "enclosure"])
@pytest.mark.parametrize("name", STEPS)
def test_steps(name: str, numerics: str) -> None:
    assert end(STEPS[name], rr.Budget(steps=10_000), numerics) == rr.Exhausted("steps")


def test_recursion() -> None:
    call = 'cls = Module\n        y: R.Tensor((), "float32") = cls.main(x)'
    head = 'def main(x: R.Tensor((), "float32")) -> R.Tensor((), "float32"):'
    text = f"{HEAD}    @R.function\n    {head}\n        {call}\n        return y\n"
    assert end(text, None, "ieee") == rr.Exhausted("depth")


def test_memory() -> None:
    def greedy(_x: rr.Tensor) -> rr.Tensor:
        raise MemoryError

    text = graph('R.call_pure_packed("greedy", x, sinfo_args=(R.Tensor((4,), "float32"),))', X)
    checked = rr.check(rr.parse(text))
    args = random_arguments(checked.module)
    assert rr.run(checked, "main", *args, externs={"greedy": greedy}) == rr.Exhausted("memory")
