"""Operands that may be exchanged are, wherever that makes the pattern fit: with others, by rank, by extents."""

from __future__ import annotations

import re
import time

import pytest

import refrelax as rr
from refrelax.lower.pipeline import lower

LIBRARY = """
m = TypeVar("m")
k = TypeVar("k")
n = TypeVar("n")
@I.ir_module
class Module:
    @R.function(private=True)
    def cross(x: R.Tensor((m, k), "float32"), y: R.Tensor((m, k), "float32")) -> R.Tensor((m, k), "float32"):
        R.func_attr({"Contract": "lib.cross"})
        p = R.multiply(x, y)
        t = R.tanh(y)
        z = R.add(p, t)
        return z
    @R.function(private=True)
    def bias(x: R.Tensor((m, k), "float32"), b: R.Tensor((k,), "float32")) -> R.Tensor((m, k), "float32"):
        R.func_attr({"Contract": "lib.bias"})
        z = R.add(x, b)
        return z
    @R.function(private=True)
    def row(x: R.Tensor((m, k), "float32"), b: R.Tensor((1, k), "float32")) -> R.Tensor((m, k), "float32"):
        R.func_attr({"Contract": "lib.row"})
        z = R.multiply(x, b)
        return z
"""

PROGRAM = """
n = TypeVar("n")
m = TypeVar("m")
@I.ir_module
class Module:
    @R.function
    def main(a: R.Tensor((n, m), "float32"), b: R.Tensor({B}, "float32")) -> R.Tensor((n, m), "float32"):
        with R.dataflow():
            {BODY}
            R.output(z)
        return z
"""

SAME, LINE, ROW = "(n, m)", "(m,)", "(1, m)"


@pytest.mark.parametrize(
    ("shape", "body", "found"),
    [
        (SAME, "p = R.multiply(a, b); t = R.tanh(b); z = R.add(p, t)", ["lib.cross"]),
        (SAME, "p = R.multiply(a, b); t = R.tanh(a); z = R.add(p, t)", ["lib.cross"]),
        (SAME, "p = R.multiply(b, a); t = R.tanh(a); z = R.add(t, p)", ["lib.cross"]),
        (SAME, "p = R.multiply(a, a); t = R.tanh(a); z = R.add(t, p)", ["lib.cross"]),
        (SAME, "p = R.multiply(a, a); t = R.tanh(b); z = R.add(t, p)", []),
        (LINE, "z = R.add(a, b)", ["lib.bias"]),
        (LINE, "z = R.add(b, a)", ["lib.bias"]),
        (ROW, "z = R.multiply(a, b)", ["lib.row"]),
        (ROW, "z = R.multiply(b, a)", ["lib.row"]),
        (ROW, "z = R.subtract(b, a)", []),
    ],
)
def test_an_exchange_is_found(shape: str, body: str, found: list[str]) -> None:
    text = PROGRAM.replace("{B}", shape).replace("{BODY}", "\n            ".join(body.split("; ")))
    before = rr.check(rr.parse(text))
    after = lower(before, passes=["dispatch_library"], libraries=[rr.parse(LIBRARY)]).module
    assert re.findall(r'call_dps_packed\("([\w.]+)"', rr.print_module(after)) == found
    assert isinstance(rr.validate(before, after), rr.Equivalent)


def test_many_exchanges_cost_little() -> None:
    """A sum of 24, the last operator another one: every order of every sum would be 2**24 ways."""
    names = [f"x{k}" for k in range(25)]
    params = ", ".join(f'{each}: R.Tensor((4,), "float32")' for each in names)
    steps = "".join(f"        s{k} = R.add({f's{k - 1}' if k else 'x0'}, x{k + 1})\n" for k in range(24))
    head = "@I.ir_module\nclass Module:\n    @R.function{}\n    def main({}) -> R.Tensor((4,), 'float32'):\n"
    contract = head.format("(private=True)", params) + '        R.func_attr({"Contract": "lib.sum"})\n'
    contract += steps + "        z = R.multiply(s23, x0)\n        return z\n"
    program = head.format("", params) + "        with R.dataflow():\n"
    program += "".join(f"    {line}\n" for line in steps.splitlines())
    program += "            z = R.multiply(s23, x24)\n            R.output(z)\n        return z\n"
    start = time.process_time()
    after = lower(rr.check(rr.parse(program)), passes=["dispatch_library"], libraries=[rr.parse(contract)]).module
    assert "lib.sum" not in rr.print_module(after)
    assert time.process_time() - start < 20
