"""Compiling costs as many steps as the program is long, however long: steps are instructions of Python, counted."""

from __future__ import annotations

import re
import sys
from collections.abc import Callable
from types import FrameType, SimpleNamespace
from typing import Any

import pytest

import refrelax as rr
from refrelax.backends.cupy_.compile import CudaExecutable
from refrelax.backends.cupy_.counting import CountingDevice
from refrelax.backends.numpy_ import graph as written

SIZE = 60


def steps(run: Callable[[], Any]) -> int:
    """The instructions that a call takes."""
    count = 0

    def trace(frame: FrameType, event: str, _arg: Any) -> Any:
        nonlocal count
        frame.f_trace_opcodes, frame.f_trace_lines = True, False
        count += event == "opcode"
        return trace

    before = sys.gettrace()
    sys.settrace(trace)
    try:
        run()
    finally:
        sys.settrace(before)
    return count


def graph(params: str, lines: list[str], out: str) -> str:
    body = "\n            ".join(lines)
    return f"""
@I.ir_module
class Module:
    @R.function
    def main({params}):
        with R.dataflow():
            {body}
            R.output({out})
        return {out}
"""


def chain(size: int) -> str:
    """A run of elementwise bindings."""
    lines = [f"v{k} = R.{('exp', 'negative')[k % 2]}({f'v{k - 1}' if k else 'x'})" for k in range(size)]
    return graph('x: R.Tensor(("n", 4), "float32")', lines, f"v{size - 1}")


def operands(size: int) -> str:
    """A run of bindings, each with an operand of its own."""
    params = ", ".join(f'x{k}: R.Tensor(("n", 4), "float32")' for k in range(size))
    lines = [f"v{k} = R.add({f'v{k - 1}' if k else 'x0'}, x{k})" for k in range(size)]
    return graph(params, lines, f"v{size - 1}")


def products(size: int) -> str:
    """Bindings that are no run."""
    lines = [f"v{k} = R.matmul({f'v{k - 1}' if k else 'x'}, y)" for k in range(size)]
    return graph('x: R.Tensor(("n", 4), "float32"), y: R.Tensor((4, 4), "float32")', lines, f"v{size - 1}")


def loops(size: int) -> str:
    """Loop programs, and the calls of them."""
    made, calls = "", []
    for k in range(size):
        made += f"""    @T.prim_func(private=True)
    def f{k}(x: T.Buffer((4,), "float32"), y: T.Buffer((4,), "float32")):
        for i in range(4):
            with T.sblock("b"):
                vi = T.axis.spatial(4, i)
                y[vi] = x[vi] + T.float32({k})

"""
        given = f"v{k - 1}" if k else "x"
        calls.append(f'v{k} = R.call_tir(Module.f{k}, ({given},), out_ty=R.Tensor((4,), "float32"))')
    return graph('x: R.Tensor((4,), "float32")', calls, f"v{size - 1}").replace(
        "class Module:\n", f"class Module:\n{made}"
    )


def nests(size: int) -> str:
    """One loop program of many nests."""
    lines = [f'B{k} = T.alloc_buffer((4,), "float32")' for k in range(size - 1)]
    for k in range(size):
        source, made = (f"B{k - 1}" if k else "x"), ("y" if k == size - 1 else f"B{k}")
        lines += ["for i in range(4):", f'    with T.sblock("b{k}"):', "        vi = T.axis.spatial(4, i)"]
        lines.append(f"        {made}[vi] = {source}[vi] + T.float32({k})")
    body = "\n        ".join(lines)
    return f"""
@I.ir_module
class Module:
    @T.prim_func
    def main(x: T.Buffer((4,), "float32"), y: T.Buffer((4,), "float32")):
        {body}
"""


@pytest.mark.by_day(1)
@pytest.mark.parametrize("backend", ["numpy", "cuda"])
@pytest.mark.parametrize("make", [chain, operands, products, loops, nests])
def test_twice_the_program_costs_twice_the_steps(make: Callable[[int], str], backend: str) -> None:
    def cost(size: int) -> int:
        checked = rr.check(rr.parse(make(size)))
        run = {"numpy": lambda: rr.compile(checked), "cuda": lambda: CudaExecutable(checked, "fast", CountingDevice())}
        run[backend]()  # what the first compilation pays
        return steps(run[backend])

    assert cost(2 * SIZE) <= 2.005 * cost(SIZE)


def symbols(size: int) -> str:
    """As many parameters, each of an extent of its own."""
    params = ", ".join(f'x{k}: R.Tensor(("n{k}", 4), "float32")' for k in range(size))
    return graph(params, [f"v{k} = R.exp(x{k})" for k in range(size)], f"v{size - 1}")


class Reader:
    """``re`` for a module that reads source by it: ``read`` counts the characters that it looks at."""

    def __init__(self) -> None:
        self.read = 0

    def _counted(self, apply: Callable[[str], Any]) -> Callable[[str], Any]:
        def run(text: str) -> Any:
            self.read += len(text)
            return apply(text)

        return run

    def compile(self, pattern: str) -> Any:
        made = re.compile(pattern)
        return SimpleNamespace(search=self._counted(made.search), fullmatch=self._counted(made.fullmatch))

    def findall(self, pattern: str, text: str) -> Any:
        return self._counted(re.compile(pattern).findall)(text)


def test_source_is_read_as_often_however_long(monkeypatch: pytest.MonkeyPatch) -> None:
    """What the library for patterns does is no instruction of Python: for every symbol it went through all lines."""
    times = []
    for size in (20, 200):
        reader = Reader()
        monkeypatch.setattr(written, "re", reader)
        source = rr.compile(rr.check(rr.parse(symbols(size)))).source
        times.append(reader.read / len(source))
    assert times[0] > 0.5 and times[1] < 1.5 * times[0], times
