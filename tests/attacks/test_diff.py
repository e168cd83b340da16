"""Implementations that are wrong in one thing that is easily not looked at: none agrees, and a right one does.

Each row: what is wrong, the program, what the implementation gives, the word that is right.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import pytest

import refrelax as rr
from refrelax.backends.executable import Frame, Observed
from refrelax.syntax.module import Module

HEAD = """
n = TypeVar("n")
@I.ir_module
class Module:
    @T.prim_func(s_tir=True)
    def inc(A: T.Buffer((3,), "float32")):
        for i in range(3):
            A[i] = A[i] + T.float32(1)
"""
SCALAR = (
    HEAD
    + """
    @R.function
    def main(x: R.Tensor((n,), "float32")) -> R.Prim("int64"):
        return R.prim_value(n + 1)
"""
)
FIELDS = (
    HEAD
    + """
    @R.function
    def main(x: R.Tensor((n,), "float32")) -> R.Tuple(R.Prim("int64"), R.Tensor((n,), "float32"), R.Shape([n])):
        gv = (R.prim_value(n + 1), x, R.shape([n]))
        return gv
"""
)
IN_PLACE = (
    HEAD
    + """
    @R.function(pure=False)
    def main(x: R.Tensor((3,), "float32")) -> R.Tuple:
        cls = Module
        _ = cls.inc(x)
        gv = R.tuple()
        return gv
"""
)
UNIT = (
    HEAD
    + """
    @R.function(pure=False)
    def main(x: R.Tensor((3,), "float32")) -> R.Tuple:
        cls = Module
        g = cls.inc(x)
        return g
"""
)
X = np.array([1, 2, 3], "float32")
SHAPE = rr.run(rr.check(rr.parse(FIELDS)), "main", X).value[2]


@dataclass(frozen=True)
class Gives:
    """An implementation that always gives this."""

    value: Any
    arguments: tuple[Any, ...] = (X,)

    def run(self, module: Module, entry: str, args: list[Any]) -> rr.Outcome:
        return rr.Returned(self.value, self.arguments)


ATTACKS = {
    "another scalar": (SCALAR, Gives(999), "DIVERGE"),
    "no scalar at all": (SCALAR, Gives("banana"), "DIVERGE"),
    "a vector for a scalar": (SCALAR, Gives(np.array([4, 4])), "DIVERGE"),
    "the scalar": (SCALAR, Gives(4), "AGREE"),
    "the scalar, as an array of rank 0": (SCALAR, Gives(np.array(4)), "AGREE"),
    "another scalar in a field": (FIELDS, Gives((999, X, SHAPE)), "DIVERGE"),
    "an array for a shape": (FIELDS, Gives((4, X, np.array([3, 3]))), "DIVERGE"),
    "every field": (FIELDS, Gives((4, X, SHAPE)), "AGREE"),
    "an argument not written in place": (IN_PLACE, Gives((), (X,)), "DIVERGE"),
    "an argument not shown": (IN_PLACE, Gives((), ()), "NO-VERDICT"),
    "an argument written that should not be": (FIELDS, Gives((4, X, SHAPE), (X + 1,)), "DIVERGE"),
    "an argument written in place": (IN_PLACE, Gives((), (X + 1,)), "AGREE"),
}


@pytest.mark.parametrize("name", ATTACKS)
def test_it_is_seen(name: str) -> None:
    program, implementation, word = ATTACKS[name]
    verdict = rr.diff(rr.check(rr.parse(program)), "main", [X], implementation)
    assert verdict.word == word, str(verdict)
    assert word != "AGREE" or (verdict.report.compared and not verdict.report.not_judged)


@pytest.mark.parametrize("program", (SCALAR, FIELDS, IN_PLACE, UNIT), ids=("scalar", "fields", "in place", "unit"))
def test_our_own_backend_is_right(program: str) -> None:
    verdict = rr.diff(rr.check(rr.parse(program)), "main", [X], "numpy")
    assert verdict.word == "AGREE", str(verdict)


CHAIN = """
@I.ir_module
class Module:
    @R.function
    def main(x: R.Tensor((3,), "float32")) -> R.Tensor((3,), "float32"):
        a = R.exp(x)
        b = R.multiply(a, R.const(100000.0, "float32"))
        c = R.sin(b)
        return c
"""


@pytest.mark.parametrize("lie", ["input", "result", ""])
def test_bindings_that_do_not_hang_together_prove_nothing(lie: str) -> None:
    """Each binding is right for what is shown beside it; but what is shown is not what came before."""
    np = pytest.importorskip("numpy")
    checked = rr.check(rr.parse(CHAIN))
    other = np.array([1.0, 2.0, 3.0], "float32")

    class Shows:
        def run(self, module: Any, entry: str, args: Any) -> Any:
            return self.observe(module, entry, args).outcome

        def observe(self, _module: Any, entry: str, args: Any) -> Any:
            seen = rr.compile(checked).observe(entry, *args)
            if lie == "result":
                return Observed(rr.Returned(rr.Tensor.of([0.1, 0.2, 0.3], "float32")), seen.frames)
            frames = [
                Frame(f.path, f.name, {**f.names, "b": other}, np.sin(other), True) if lie and f.name == "c" else f
                for f in seen.frames
            ]
            outcome = rr.Returned(np.sin(other)) if lie else seen.outcome
            return Observed(outcome, tuple(frames))

    verdict = rr.diff(checked, "main", [np.array([10.0, 10.1, 9.9], "float32")], impl=Shows())
    assert verdict.word == ("UNDECIDED" if lie else "AGREE"), verdict
    if lie:
        assert "do not hang together" in str(verdict)
