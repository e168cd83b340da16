"""How long a small program takes from its text to its result: parse, check and run.

    python benchmarks/small_program.py [--profile]

Ten bindings over tensors of at most 64 elements: element-wise operators, a matmul, reductions, a reshape, a call of a
PrimFunc. Process time without imports, median of repeats, and its parts.
"""

from __future__ import annotations

import cProfile
import pstats
import statistics
import sys
import time
from collections.abc import Callable

import refrelax as rr

TEXT = """
@I.ir_module
class Module:
    @T.prim_func(private=True, s_tir=True)
    def scale(A: T.Buffer((T.int64(8), T.int64(8)), "float32"), B: T.Buffer((T.int64(8), T.int64(8)), "float32")):
        for i, j in T.grid(T.int64(8), T.int64(8)):
            with T.sblock("scale"):
                vi, vj = T.axis.remap("SS", [i, j])
                T.reads(A[vi, vj])
                T.writes(B[vi, vj])
                B[vi, vj] = A[vi, vj] * T.float32(0.5)

    @R.function
    def main(
        x: R.Tensor((8, 8), "float32"), w: R.Tensor((8, 8), "float32"), b: R.Tensor((8,), "float32")
    ) -> R.Tensor((4, 2), "float32"):
        cls = Module
        with R.dataflow():
            h = R.matmul(x, w)
            k = R.add(h, b)
            a = R.nn.relu(k)
            s = R.call_tir(cls.scale, (a,), out_ty=R.Tensor((8, 8), "float32"))
            m = R.max(s, axis=[1], keepdims=True)
            d = R.subtract(s, m)
            e = R.exp(d)
            t = R.sum(e, axis=[1])
            l = R.log(t)
            y = R.reshape(l, R.shape([4, 2]))
            R.output(y)
        return y
"""


def median(work: Callable[[], object], repeats: int = 41) -> float:
    """Median process time of ``work`` in milliseconds."""
    times = []
    for _ in range(repeats):
        start = time.process_time()
        work()
        times.append(time.process_time() - start)
    return 1e3 * statistics.median(times)


def main(profile: bool) -> None:
    args = [[[(i * j % 7) / 4 - 0.5 for j in range(8)] for i in range(8)] for _ in range(2)] + [[0.25] * 8]
    module = rr.parse(TEXT)
    checked = rr.check(module)

    def once() -> object:
        return rr.run(rr.check(rr.parse(TEXT)), "main", *args)

    assert isinstance(once(), rr.Returned)
    parts = (lambda: rr.parse(TEXT), lambda: rr.check(module), lambda: rr.run(checked, "main", *args))
    parse, check, run = (median(each) for each in parts)
    print(f"ten bindings: {median(once):.2f} ms (parse {parse:.2f}, check {check:.2f}, run {run:.2f})")
    if profile:
        with cProfile.Profile() as watch:
            for _ in range(100):
                once()
        pstats.Stats(watch).sort_stats("tottime").print_stats(35)


if __name__ == "__main__":
    main("--profile" in sys.argv)
