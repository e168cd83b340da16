"""An entry that gives nothing, or a function, has no verdict in any command; what a PrimFunc returns is a result."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
import pytest

import refrelax as rr
from refrelax.judge.bisect import follow
from refrelax.judge.stages import Stage
from refrelax.syntax.module import Module

FUNCTION = """
@I.ir_module
class Module:
    @R.function
    def main(x: R.Tensor((3,), "float32")):
        @R.function
        def inner(y: R.Tensor((3,), "float32")) -> R.Tensor((3,), "float32"):
            z = R.add(y, x)
            return z
        return inner
"""
SCALARS = """
@I.ir_module
class Module:
    @T.prim_func(s_tir=True)
    def main(n: T.int32) -> {result}:
        {body}
"""
NOTHING = SCALARS.format(result="None", body="T.evaluate(0)")
EVALUATES = SCALARS.format(result="None", body="T.evaluate(n)")
X = np.array([1, 2, 3], "float32")


@dataclass(frozen=True)
class Does:
    """An implementation that runs another program; a compiler whose one pass gives it."""

    text: str

    def run(self, module: Module, entry: str, args: list[Any]) -> rr.Outcome:
        return rr.run(rr.check(rr.parse(self.text)), entry, *args)

    def stages(self, module: Module, pipeline: str) -> Iterator[Stage]:
        yield Stage("read", rr.print_module(module), {})
        yield Stage("pass", self.text, {})


def words(first: str, second: str, args: list[Any]) -> list[str]:
    """Of ``diff``, ``validate`` and ``bisect``."""
    checked = rr.check(rr.parse(first))
    answers = [
        rr.diff(checked, "main", args, Does(second)),
        rr.validate(checked, rr.parse(second)),
        follow(checked, "main", args, Does(second)),
    ]
    assert all(each.report.compared for each in answers if each.word != "NO-VERDICT")
    return [each.word for each in answers]


@pytest.mark.parametrize(("first", "second", "args"), [(FUNCTION, FUNCTION, [X]), (NOTHING, EVALUATES, [3])])
def test_nothing_that_can_be_compared_is_no_verdict(first: str, second: str, args: list[Any]) -> None:
    assert words(first, second, args) == ["NO-VERDICT"] * 3


def test_a_primfunc_that_leaves_its_buffers_alone_is_compared_by_them() -> None:
    text = """
@I.ir_module
class Module:
    @T.prim_func(s_tir=True)
    def main(A: T.Buffer((3,), "float32")):
        {0}
"""
    first, second = text.format("A[0] = A[0]"), text.format("T.evaluate(0)")
    assert words(first, second, [X])[::2] == ["AGREE", "NONE"]
    assert rr.validate(rr.parse(first), rr.parse(second)).report.compared


@pytest.mark.parametrize("buffer", [False, True])
def test_what_a_primfunc_returns_is_compared(buffer: bool) -> None:
    def text(k: int) -> str:
        found = SCALARS.format(result="T.int32", body=f"return n + {k}")
        return found.replace("n: T.int32", 'A: T.Buffer((3,), "float32"), n: T.int32') if buffer else found

    args = [X, 3] if buffer else [3]
    assert words(text(1), text(2), args) == ["DIVERGE", "REFUTED", "FOUND"]
    assert words(text(1), text(1), args)[0] == "AGREE"
    assert rr.diff(rr.check(rr.parse(text(1))), "main", args, "numpy").word == "AGREE"


@dataclass(frozen=True)
class Tells:
    """An implementation that tells effects, or none."""

    effects: bool

    def run(self, module: Module, entry: str, args: list[Any]) -> rr.Outcome:
        found = rr.run(rr.check(module), entry, *args, externs={"note": note})
        return found if self.effects else rr.Returned(None, tuple(args))


def note(n: int) -> int:
    """A library function."""
    return n


def test_effects_are_compared_where_there_is_nothing_else() -> None:
    text = SCALARS.format(result="None", body='T.evaluate(T.call_extern("int32", "note", n))')
    checked = rr.check(rr.parse(text))
    tells, silent = (rr.diff(checked, "main", [3], Tells(each), externs={"note": note}) for each in (True, False))
    assert (tells.word, tells.report.inside) == ("AGREE", 1)
    assert (silent.word, silent.report.compared) == ("NO-VERDICT", 0)
