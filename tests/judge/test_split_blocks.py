"""Loops as schedules of GPUs split them: extents that are symbols among the digits of a fused index, tiles of a block
index that is told by another condition, reductions over threads of which some have nothing to do."""

from __future__ import annotations

import pytest

import refrelax as rr
from refrelax.judge.evidence import Proved
from refrelax.judge.pointwise import attempt


def attempted(shape: str, plain: str, split: str) -> object:
    first, second = (
        rr.check(
            rr.parse(f"""
n = TypeVar("n")

@I.ir_module
class Module:
    @T.prim_func
    def main(x: T.Buffer({shape}, "float32"), z: T.Buffer({out}, "float32")):
{body}
""")
        )
        for body, out in ((plain, OUT.get(plain, shape)), (split, OUT.get(plain, shape)))
    )
    return attempt(first, second, "main")


COPY = """        for i, j, k in T.grid(4, n, 8):
            z[i, j, k] = x[i, j, k]"""
COPY_LAST = COPY.replace("(4, n, 8)", "(4, 8, n)")
FUSED = """        for b in T.thread_binding((n * 32 + 1023) // 1024, thread="blockIdx.x"):
            for t in T.thread_binding(1024, thread="threadIdx.x"):
                if b * 1024 + t < n * 32:
                    z[{i}, {j}, {k}] = x[{i}, {j}, {k}]"""
AT = "(b * 1024 + t)"
ROWS = FUSED.format(i=f"{AT} // (n * 8)", j=f"{AT} % (n * 8) // 8", k=f"{AT} % 8")
LAST = FUSED.format(i=f"{AT} // (n * 8)", j=f"{AT} % (n * 8) // n", k=f"{AT} % n")
TILES = """        for f in T.thread_binding((n + 63) // 64 * 4, thread="blockIdx.y"):
            for t in T.thread_binding(64, thread="threadIdx.x"):
                for k in range(8):
                    if f % ((n + 63) // 64) * 64 + t < n:
                        z[f // ((n + 63) // 64), f % ((n + 63) // 64) * 64 + t, k] = x[
                            f // ((n + 63) // 64), f % ((n + 63) // 64) * 64 + t, k
                        ]"""
SUM = """        for i, k in T.grid(4, n):
            with T.sblock("sum"):
                v, r = T.axis.remap("SR", [i, k])
                with T.init():
                    z[v] = T.float32(0)
                z[v] = z[v] + x[v, r]"""
OUT = {SUM: "(4,)"}
THREADS = """        for i in T.thread_binding(4, thread="blockIdx.x"):
            for t in T.thread_binding(256, thread="threadIdx.x"):
                for s in range((n + 255) // 256):
                    with T.sblock("sum"):
                        v = T.axis.spatial(4, i)
                        r = T.axis.reduce(n, s * 256 + t)
                        T.where(s * 256 + t < n)
                        with T.init():
                            z[v] = T.float32(0)
                        z[v] = z[v] + x[v, r]"""

RIGHT = {
    "a symbol in the middle": ("(4, n, 8)", COPY, ROWS),
    "a symbol below": ("(4, 8, n)", COPY_LAST, LAST),
    "tiles of a block": ("(4, n, 8)", COPY, TILES),
    "threads with nothing to do": ("(4, n)", SUM, THREADS),
}
WRONG = {
    "another radix": ("(4, n, 8)", COPY, ROWS.replace("% (n * 8) // 8", "% (n * 4) // 4")),
    "a digit lost": ("(4, n, 8)", COPY, ROWS.replace("% 8", "% 4")),
    "an element less": ("(4, n, 8)", COPY, ROWS.replace("t < n * 32", "t < n * 32 - 1")),
    "rows exchanged": ("(4, 8, n)", COPY_LAST, LAST.replace("x[(b", "x[3 - (b")),
    "a tile too few": ("(4, n, 8)", COPY, TILES.replace("(n + 63) // 64 * 4, thread", "n // 64 * 4, thread")),
    "a tile of another row": ("(4, n, 8)", COPY, TILES.replace("* 64 + t, k\n", "* 64, k\n")),
    "a thread less": ("(4, n)", SUM, THREADS.replace("t < n)", "t < n - 1)")),
    "threads that begin later": ("(4, n)", SUM, THREADS.replace("t < n)", "t < n and t > 0)")),
    "two that begin": ("(4, n)", SUM, THREADS.replace("s * 256 + t)\n", "s * 256 + t // 2)\n", 1)),
}  # fmt: skip


SLOW = ("another radix", "a digit lost")


@pytest.mark.by_day(1)
@pytest.mark.parametrize("how", RIGHT)
def test_they_are_seen_through(how: str) -> None:
    found = attempted(*RIGHT[how])
    assert isinstance(found, Proved), found


@pytest.mark.by_day(2)
@pytest.mark.parametrize(
    "how", [pytest.param(how, marks=[pytest.mark.thorough] * (how in SLOW)) for how in WRONG], ids=str
)
def test_other_loops_are_not_the_same(how: str) -> None:
    shape, plain, split = WRONG[how]
    assert all(split != other for _, _, other in RIGHT.values())
    assert isinstance(attempted(shape, plain, split), str)
