"""Loops that look like scans and are none, and scans of which another thing is said than they do."""

from __future__ import annotations

import pytest

import refrelax as rr
from refrelax.judge.evidence import Proved
from refrelax.judge.pointwise import attempt

HEAD = 'n = TypeVar("n")\n\n@I.ir_module\nclass Module:\n    @T.prim_func\n'
SCAN = "        for i in range(n):\n            y[i] = T.if_then_else(i > 0, y[i - 1], 0) + x[i]\n"
SHIFTED = "        for i in range(n):\n            y[i] = T.if_then_else(i == 0, x[0], y[i - 1] + x[i])\n"


def verdict(left: str, right: str, dtype: str = "int32") -> str:
    """Of the prover alone: ``validate`` runs what it proved, and would hide a wrong proof."""
    head = f'{HEAD}    def main(x: T.Buffer((n,), "{dtype}"), y: T.Buffer((n,), "{dtype}")):\n'
    first, second = (rr.check(rr.parse(head + each)) for each in (left, right))
    return "PROVED" if isinstance(attempt(first, second, "main"), Proved) else "not"


def test_two_spellings_of_a_scan() -> None:
    assert verdict(SCAN, SHIFTED) == "PROVED"
    assert verdict(SHIFTED, SCAN) == "PROVED"


EXCLUSIVE = "        for i in range(n):\n            y[i] = T.if_then_else(i > 0, y[i - 1] + x[i - 1], 0)\n"
SUMS = """        for i in range(n):
            y[i] = {start}
            for r in range({extent}):
                y[i] = y[i] + x[{item}]
"""
BEGINNINGS = {SCAN: ("0", "i + 1", "r"), SHIFTED: ("x[0]", "i", "r + 1"), EXCLUSIVE: ("0", "i", "r")}


def sums(start: str = "0", extent: str = "i + 1", item: str = "r") -> str:
    return SUMS.format(start=start, extent=extent, item=item)


@pytest.mark.by_day(1)
@pytest.mark.parametrize("scan", BEGINNINGS)
def test_a_scan_is_the_sums_of_all_beginnings(scan: str) -> None:
    start, extent, item = BEGINNINGS[scan]
    right = sums(start, extent, item)
    assert verdict(scan, right) == verdict(right, scan) == "PROVED"
    for other in (sums(start, f"{extent} + 1", item), sums("1", extent, item), sums(start, extent, "0")):
        assert verdict(scan, other) != "PROVED" != verdict(other, scan)


def test_a_scan_that_leaves_an_iteration_out_goes_on_from_what_was_there() -> None:
    skipping = "        for i in range(n):\n            if i != 1:\n    "
    scan, whole = (each.replace("        for i in range(n):\n", skipping, 1) for each in (SCAN, sums()))
    whole = whole.replace("            for r", "                for r").replace(
        "    y[i] = y[i]", "        y[i] = y[i]"
    )
    assert verdict(scan, whole) != "PROVED" != verdict(whole, scan)


@pytest.mark.by_day(4)
@pytest.mark.parametrize(
    "other",
    [
        SCAN.replace("i > 0", "i > 1"),  # starts twice
        SCAN.replace("y[i - 1]", "y[i - 2]").replace("i > 0", "i > 1"),  # every second one
        SCAN.replace("y[i - 1]", "y[i]"),  # what was there before the call
        SCAN.replace("y[i - 1], 0", "y[i - 1], 1"),  # from another start
        SCAN.replace("y[i] =", "y[n - 1 - i] =").replace("x[i]", "x[n - 1 - i]"),  # goes on from what was not written
        SCAN.replace("+ x[i]", "+ x[0]"),
        SCAN + "            if i == 2:\n                y[i] = 0\n",  # a second store
        SCAN.replace("            y[i]", "            if i != 1:\n                y[i]"),  # one without a store
        SCAN.replace("y[i - 1], 0)", "y[i - 1], 0) + y[i]"),  # two elements of its own
        "        for j, i in T.grid(2, n):\n            y[i] = T.if_then_else(i > 0, y[i - 1], y[i]) + x[i]\n",
    ],
)
def test_what_is_no_scan_or_another(other: str) -> None:
    assert verdict(SCAN, other) != "PROVED"
    assert verdict(other, SCAN) != "PROVED"


def test_iterations_without_order_go_on_from_nothing() -> None:
    assert verdict(SCAN, SCAN.replace("range(n)", "T.parallel(n)")) != "PROVED"


def test_a_scan_of_floats_keeps_its_order() -> None:
    backwards = (
        "        for i in range(n):\n            y[i] = T.float32(0)\n            for r in range(i + 1):\n"
        "                y[i] = y[i] + x[i - r]\n"
    )
    scan = SCAN.replace("], 0)", "], T.float32(0))")
    assert verdict(scan, backwards, "float32") != "PROVED"
    assert verdict(SCAN, backwards) == "PROVED"


def test_a_scan_in_the_middle_of_a_line() -> None:
    whole = "        for i in range(n):\n            y[i] = x[i]\n"
    part = whole + SCAN.replace("range(n)", "range(1, n)").replace("i > 0", "i > 1")
    scan = whole + SCAN.replace("range(n)", "range(1, n)").replace("i > 0", "i >= 1")  # goes on from x[0]
    assert verdict(part, scan) != "PROVED"
    assert verdict(scan, part) != "PROVED"


def test_a_table_that_is_out_of_range_somewhere() -> None:
    text = (
        'n = TypeVar("n")\n\n@I.ir_module\nclass Module:\n    @R.function\n    def main(x: R.Tensor((n,), "int32")):\n'
        '        r = R.take(x, R.arange(R.prim_value(0), R.prim_value({}), R.prim_value(1), "int64"), axis=0)\n'
        "        q = R.strided_slice(r, axes=[0], begin=[0], end=[n])\n        return q\n"
    )
    whole, longer = text.format("n"), text.format("n + 1")
    assert rr.validate(rr.parse(whole), rr.parse(whole)).word == "PROVED"
    assert rr.validate(rr.parse(longer), rr.parse(whole)).word == "PROVED"
    assert rr.validate(rr.parse(whole), rr.parse(longer)).word == "PROVED"  # the last one, which is open, is cut off
