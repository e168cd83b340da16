"""Where results are too wide to tell, bindings decide; not where what is computed is stored by calls giving nothing.

After ``to_destinations`` every tensor is an allocation, of which nothing is known, and a call for what it stores, which
gives nothing: both are as they have to be, whatever was stored.

Spec: ``spec/01-what-is-specified.md``; ``docs/howto-libraries.md``.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import refrelax as rr
from refrelax.lower import lower

WIDE = """
n = TypeVar("n")
@I.ir_module
class Module:
    @R.function(private=True)
    def thrice(x: R.Tensor((n,), "float32")) -> R.Tensor((n,), "float32"):
        R.func_attr({"Contract": "mine.thrice"})
        y = R.multiply(x, R.const(3, "float32"))
        return y

    @R.function
    def main(x: R.Tensor((n,), "float32")) -> R.Tensor((n,), "float32"):
        with R.dataflow():
            s = R.sin(x)
            a = R.call_dps_packed("mine.thrice", (s,), out_ty=R.Tensor((n,), "float32"))
            b = R.multiply(a, R.const(1e30, "float32"))
            c = R.sin(b)
            R.output(c)
        return c
"""


def right(x: Any, out: Any) -> None:
    out.assign(x.numpy() * np.float32(3))


def wrong(x: Any, out: Any) -> None:
    out.assign(x.numpy() * np.float32(2))


@pytest.mark.parametrize("passes", [("to_destinations",), ("legalize", "to_destinations")])
@pytest.mark.parametrize("library", [right, wrong])
def test_an_allocation_and_a_call_show_nothing(passes: tuple[str, ...], library: Any) -> None:
    module = lower(rr.check(rr.parse(WIDE)), passes=passes).module
    found = rr.diff(module, "main", [[0.5, -1.5, 2.5]], impl="numpy", externs={"mine.thrice": library})
    assert isinstance(found, rr.NoVerdict), found
    said = "is shown by no binding" if "legalize" in passes else "do not hang together"
    assert said in found.why


def test_bindings_that_give_what_they_compute_decide() -> None:
    module, args = rr.check(rr.parse(WIDE)), [[0.5, -1.5, 2.5]]
    assert isinstance(rr.diff(module, "main", args, impl="numpy", externs={"mine.thrice": right}), rr.Agreement)
    assert isinstance(rr.diff(module, "main", args, impl="numpy", externs={"mine.thrice": wrong}), rr.Divergence)
