"""An equality of extents fails at a named choice: one that arguments can have, so that no extent is negative there."""

from __future__ import annotations

import pytest

import refrelax as rr
from refrelax.shape_solver import Remark

MODULE = """@I.ir_module
class Module:
    @R.function
    def main(x: R.Tensor(("n", "m"), "float32"), a: R.Tensor(({},), "float32"), b: R.Tensor(({},), "float32")):
{}
        return z
"""
LOCAL = """        @R.function
        def f(c: R.Tensor(("n",), "float32"), d: R.Tensor((5,), "float32")):
            w = R.add(c, d)
            return w
        z = a"""


def remark(a: str, b: str, body: str = "        z = R.add(a, b)") -> Remark:
    (found,) = rr.remarks(rr.check(rr.parse(MODULE.format(repr(a), repr(b), body))))
    return found


@pytest.mark.parametrize("b", ["m - 5", "m * 2 - 7", "3 - m"])
def test_no_extent_is_negative_where_it_fails(b: str) -> None:
    found = remark("n - 5", b)
    assert found.verdict == "sometimes"
    n, m = (found.fails_at[name] for name in ("n", "m"))
    assert n - 5 >= 0 and eval(b, {"m": m}) >= 0 and n - 5 != eval(b, {"m": m})


def test_what_every_argument_has_holds_always() -> None:
    assert remark("n - 5", "5 - n").verdict == "always"


def test_of_what_is_cast_as_well() -> None:
    """Where the extents of parameters say nothing: a value that is matched has no negative extent, either."""
    cast = """        c = R.match_cast(a, R.Tensor((n - 5,), "float32"))
        d = R.match_cast(b, R.Tensor((m - 5,), "float32"))
        z = R.add(c, d)"""
    text = MODULE.format("'k'", "'l'", cast)
    checked = rr.check(rr.parse(text.replace("        c =", "        n, m = T.int64(), T.int64()\n        c =")))
    found = {each.equality.name: each for each in rr.remarks(checked)}["z"]
    assert found.verdict == "sometimes" and min(found.fails_at["n"], found.fails_at["m"]) >= 5


def test_a_local_function_has_symbols_of_its_own() -> None:
    """Its `n` may be 3, whatever is said of the other one."""
    found = remark("n - 5", "5 - n", LOCAL.replace("        ", "        ", 1))
    assert found.equality.name == "f/w" and found.verdict == "sometimes"
