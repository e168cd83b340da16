"""How fast the definition runs, and how much faster the NumPy backend runs with the same bits.

    python benchmarks/interpreter.py

Prints innermost loop stores per second of the interpreter (bounds, poison and rounding on, tracing off), the ratio of
the NumPy backend in ``bits`` mode on a 128³ matmul (same run, same bits), and parse + check + run of the example MLP
at n = 3. Process time, median of repeats: compare ratios, machines are noisy.
"""

from __future__ import annotations

import random
import statistics
import time
from collections.abc import Callable

import refrelax as rr
from refrelax import examples

MATMUL = """
n = TypeVar("n")
@T.prim_func(private=True, s_tir=True)
def matmul(A: T.Buffer((n, n), "float32"), B: T.Buffer((n, n), "float32"), C: T.Buffer((n, n), "float32")):
    for i, j, k in T.grid(n, n, n):
        with T.sblock("matmul"):
            vi, vj, vk = T.axis.remap("SSR", [i, j, k])
            with T.init():
                C[vi, vj] = T.float32(0)
            C[vi, vj] = C[vi, vj] + A[vi, vk] * B[vk, vj]
"""

ELEMENTWISE = """
n = TypeVar("n")
@T.prim_func(private=True, s_tir=True)
def scale(A: T.Buffer((n, n), "float32"), B: T.Buffer((n, n), "float32"), C: T.Buffer((n, n), "float32")):
    for i, j in T.grid(n, n):
        with T.sblock("scale"):
            vi, vj = T.axis.remap("SS", [i, j])
            C[vi, vj] = A[vi, vj] * T.float32(2) + B[vi, vj]
"""


def seconds(work: Callable[[], object], repeats: int) -> float:
    """Median process time of ``work``."""
    times = []
    for _ in range(repeats):
        start = time.process_time()
        work()
        times.append(time.process_time() - start)
    return statistics.median(times)


def square(n: int) -> rr.Tensor:
    return rr.Tensor.of([[random.uniform(-1, 1) for _ in range(n)] for _ in range(n)], "float32")


def loops() -> None:
    for name, text, n, stores in (("matmul", MATMUL, 64, 64**3), ("scale", ELEMENTWISE, 400, 400**2)):
        checked = rr.check(rr.parse(text))
        args = [square(n) for _ in range(3)]
        taken = seconds(lambda c=checked, e=name, a=args: rr.run(c, e, *a), 3)  # type: ignore[misc]
        print(f"interpreter, {name} {n}: {stores / taken:,.0f} stores/s (conversion of arguments included)")


def against_numpy() -> None:
    checked = rr.check(rr.parse(MATMUL))
    n = 128
    args = [square(n) for _ in range(3)]
    compiled = rr.compile(checked, mode="bits")
    slow = seconds(lambda: rr.run(checked, "matmul", *args), 1)
    a, b, c = (each.numpy() for each in args)
    kernel = compiled._functions["f_matmul"]  # type: ignore[attr-defined]  # the kernel alone, on arrays
    fast = seconds(lambda: kernel(a, b, c), 5)
    same = rr.run(checked, "matmul", *args).arguments[2].tobytes() == c.tobytes()  # type: ignore[union-attr]
    times = f"interpreter {slow:.2f} s, NumPy bits {fast * 1e3:.1f} ms: {slow / fast:.0f}x"
    print(f"matmul 128: {times}, same bits: {same}")


def small_module() -> None:
    example = examples.load("mlp")
    x = example.runs[0].args[0]
    for stage in example.stages:

        def once(text: str = stage.text, constants: object = stage.constants) -> None:
            checked = rr.check(rr.bind_constants(rr.parse(text), constants))  # type: ignore[arg-type]
            rr.run(checked, example.entry, x)

        once()
        print(f"MLP {stage.name}, n = 3: parse + check + run {seconds(once, 20) * 1e3:.1f} ms")


if __name__ == "__main__":
    random.seed(0)
    loops()
    against_numpy()
    small_module()
