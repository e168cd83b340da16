"""Sums with items that are nothing, sums that fall apart and scans, beside what is poison or written by others."""

from __future__ import annotations

import pytest

import refrelax as rr
from refrelax.judge.pointwise import attempt

pytestmark = pytest.mark.thorough

HEAD = """n = TypeVar("n")
m = TypeVar("m")

@I.ir_module
class Module:
    @T.prim_func
    def main(u: T.Buffer((n,), "int32"), w: T.Buffer((m,), "int32"), y: T.Buffer(({extent},), "int32")):
"""
NOTHING = """        a = T.alloc_buffer((1,), "int32")
        z = T.alloc_buffer((n,), "int32")
        for i in range(n):
            z[i] = 0
"""
SCAN = """        for i in range(n):
            y[i] = T.if_then_else(i > 0, y[i - 1], 0) + u[i]
"""


def proved(first: str, second: str, extent: str = "1") -> bool:
    """Whether there is a proof; no run is held against it, which might find the difference first."""
    head = HEAD.format(extent=extent)
    before, after = (rr.check(rr.parse(head + text)) for text in (first, second))
    return not isinstance(attempt(before, after, "main"), str)


def total(item: str) -> str:
    loop = f"        a[0] = 0\n        for i in range(n):\n            a[0] = a[0] + {item}\n"
    return f"{NOTHING}{loop}        y[0] = a[0]\n"


@pytest.mark.parametrize("item", ["u[i] + u[i + 1] * z[i]", "u[i] + z[i] * w[i]", "u[i] + z[i + 1] * u[i]"])
def test_nothing_times_poison_is_poison(item: str) -> None:
    assert not proved(total("u[i]"), total(item))


def test_a_sum_of_poison_beside_a_sum_of_nothing() -> None:
    """Over no ``j`` the first one reads no ``u``, the second one reads beyond its end."""
    grid = "        a[0] = 0\n        for i, j in T.grid(n, m):\n            a[0] = a[0] + u[i + 1] * w[j]\n"
    apart = (
        "        a[0] = 0\n        for i in range(n):\n            a[0] = a[0] + u[i + 1]\n        z[0] = 0\n"
        "        for j in range(m):\n            z[0] = z[0] + w[j]\n"
    )
    memory = '        a = T.alloc_buffer((1,), "int32")\n        z = T.alloc_buffer((1,), "int32")\n'
    together = f"{memory}{grid}        y[0] = a[0]\n"
    assert not proved(together, f"{memory}{apart}        y[0] = a[0] * z[0]\n")
    together, apart = (text.replace("u[i + 1]", "u[i]") for text in (together, apart))
    assert proved(together, f"{memory}{apart}        y[0] = a[0] * z[0]\n")


@pytest.mark.parametrize(
    "other",
    [
        SCAN.replace("+ u[i]", "+ u[n - 1 - i]") + "            u[i] = 0\n",  # what a later iteration reads
        SCAN.replace("            y", "            u[i] = 0\n            y"),
        SCAN.replace("i > 0", "i > 0 and u[i] > 0"),
        SCAN.replace("y[i - 1]", "y[i - 1] * y[i - 1]"),
    ],
)
def test_what_is_no_scan_of_what_was_given(other: str) -> None:
    assert not proved(SCAN, other, "n")
    assert not proved(other, SCAN, "n")
