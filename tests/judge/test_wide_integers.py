"""Integers made of floats that are too wide to tell are so themselves; what may be poison is not passed over."""

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

TEXT = """
@I.ir_module
class Module:
    @R.function
    def main(x: R.Tensor((3,), "float32")):
        a = R.exp(x)
        b = R.exp(x)
        c = R.multiply(R.subtract(a, b), R.const({factor}, "float32"))
        d = R.astype({last}, "{dtype}")
        return d
"""
X = np.array([20, 20.5, 19], "float32")


@dataclass(frozen=True)
class Gives:
    """An implementation of one result; a compiler whose pass gives one text."""

    value: Any = None
    text: str = ""

    def run(self, module: Module, entry: str, args: list[Any]) -> rr.Outcome:
        return rr.Returned(self.value, tuple(args))

    def stages(self, module: Module, pipeline: str) -> Iterator[Stage]:
        yield Stage("read", rr.print_module(module), {})
        yield Stage("pass", self.text, {})


@pytest.mark.parametrize("dtype", ["float32", "int64", "int32", "int16", "uint8"])
def test_a_difference_of_equals_is_too_wide_at_every_dtype(dtype: str) -> None:
    """In int16 and uint8 some of what is permitted is out of range, so poison: 12345 is no more right for that."""
    checked = rr.check(rr.parse(TEXT.format(factor=100000.0, last="c", dtype=dtype)))
    found = rr.diff(checked, "main", [X], Gives(np.array([0, 123, 45], dtype)))
    assert found.word == "UNDECIDED", found


@pytest.mark.parametrize("dtype", ["int32", "int16"])
def test_a_pass_is_held_to_what_the_definition_determines(dtype: str) -> None:
    first = TEXT.format(factor=100000.0, last="c", dtype=dtype)
    second = first.replace("R.astype(c", 'R.astype(R.add(c, R.const(123.0, "float32"))')
    assert follow(rr.parse(first), "main", [X], Gives(text=second)).word == "UNDECIDED"
    assert follow(rr.parse(first), "main", [X], Gives(text=first)).word == "NONE"


@pytest.mark.parametrize(("dtype", "off", "word"), [("int32", 100, "AGREE"), ("int32", 10**6, "DIVERGE")])
def test_integers_that_are_well_determined_decide(dtype: str, off: int, word: str) -> None:
    checked = rr.check(rr.parse(TEXT.format(factor=1.0, last="a", dtype=dtype)))
    exact = np.exp(X.astype("float64")).astype(dtype)
    assert rr.diff(checked, "main", [X], Gives(exact + np.array([off, 0, 0], dtype))).word == word
