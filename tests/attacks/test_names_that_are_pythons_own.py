"""Variables, parameters and symbols that are called as Python's own names are, which generated source and the fast call
use."""

from __future__ import annotations

import builtins
from typing import Any

import numpy as np
import pytest

import refrelax as rr

PROGRAM = """
NAME = TypeVar("NAME")
@I.ir_module
class Module:
    @R.function
    def main({x}: R.Tensor(({n}, 4), "float32"), y: R.Tensor(({n}, 4), "float32")):
        with R.dataflow():
            {a} = R.add({x}, y)
            gv = R.concat(({a}, y), axis=0)
            R.output(gv)
        return gv
"""
X = np.ones((2, 4), np.float32)
OWN = [each for each in dir(builtins) if each.isidentifier() and each not in ("None", "True", "False", "__debug__")]


def fast_call(name: str, place: str, mode: str) -> Any:
    names = {"x": "x", "a": "a", "n": "n"} | {place: name}
    text = PROGRAM.replace("NAME", names["n"]).format(**names)
    return rr.compile(rr.check(rr.parse(text)), mode=mode)["main"]


@pytest.mark.parametrize("mode", ["fast", "bits"])
@pytest.mark.parametrize("place", ["x", "a", "n"])
@pytest.mark.parametrize("name", ["type", "tuple"])
def test_a_run_and_a_trap(name: str, place: str, mode: str) -> None:
    call = fast_call(name, place, mode)
    assert np.array_equal(call(X, X), np.concatenate([X + X, X]))
    for args in ((X,), (X, X[:1]), (X, X, X), (X.astype(np.float64), X)):
        with pytest.raises(rr.RunError) as found:
            call(*args)
        assert isinstance(found.value.outcome, rr.Trapped)


@pytest.mark.parametrize("name", OWN)
def test_any_of_them(name: str) -> None:
    for place in ("x", "a"):
        call = fast_call(name, place, "fast")
        assert np.array_equal(call(X, X), np.concatenate([X + X, X]))
        with pytest.raises(rr.RunError, match="expected 2, found 1"):
            call(X, X[:1])
