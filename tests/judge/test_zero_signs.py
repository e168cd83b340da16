"""The sign of a zero: inside with a word about it, outside for the strict profile, in every command and place."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import pytest

import refrelax as rr
from refrelax.judge.bisect import Bisection, follow
from refrelax.judge.stages import Stage
from refrelax.syntax.module import Module

TENSOR = """
@I.ir_module
class Module:
    @R.function
    def main(x: R.Tensor((3,), "float32")):
        y = {}
        return y
"""
MINUS, PLUS = TENSOR.format("R.negative(x)"), TENSOR.format('R.subtract(R.zeros((3,), "float32"), x)')
NUMBERS = tuple(TENSOR.format(f"R.prim_value(T.float32({each}))") for each in ("-0.0", "0.0"))
IN_PLACE = """
@I.ir_module
class Module:
    @T.prim_func(s_tir=True)
    def scale(A: T.Buffer((3,), "float32")):
        for i in range(3):
            A[i] = {}
    @R.function(pure=False)
    def main(x: R.Tensor((3,), "float32")) -> R.Tuple:
        cls = Module
        _ = cls.scale(x)
        return R.tuple()
"""
PLACES = tuple(IN_PLACE.format(each) for each in ("A[i] * T.float32(-1)", "T.float32(0) - A[i]"))
X = [0.0, 0.0, 0.0]


@dataclass(frozen=True)
class Does:
    """An implementation that runs another program; a compiler whose passes give some."""

    texts: tuple[str, ...]

    def run(self, module: Module, entry: str, args: list[Any]) -> rr.Outcome:
        return rr.run(rr.check(rr.parse(self.texts[0])), entry, *args)

    def stages(self, module: Module, pipeline: str) -> Iterator[Stage]:
        yield Stage("read", rr.print_module(module), {})
        yield from (Stage(f"pass {k}", text, {}) for k, text in enumerate(self.texts))


def bisected(first: str, *others: str, strict: bool = False) -> Bisection:
    return follow(rr.parse(first), "main", [X], Does(others), strict=strict)


@pytest.mark.parametrize(("first", "second"), [(MINUS, PLUS), (PLUS, MINUS), PLACES, PLACES[::-1], NUMBERS])
def test_another_sign_is_named(first: str, second: str) -> None:
    for answer in (
        rr.diff(rr.check(rr.parse(first)), "main", [X], Does((second,))),
        rr.validate(rr.parse(first), rr.parse(second), args=[X]),
        bisected(first, second),
    ):
        assert answer.word in ("AGREE", "TESTED", "NONE"), answer
        assert answer.report.relaxations == ("zero-sign",), answer


@pytest.mark.parametrize(("first", "second"), [(MINUS, PLUS), PLACES])
def test_the_strict_profile_permits_no_other_sign(first: str, second: str) -> None:
    found = rr.diff(rr.check(rr.parse(first)), "main", [X], Does((second,)), strict=True)
    assert found.word == "DIVERGE"
    assert "the strict profile does not" in str(found)
    assert bisected(first, second, strict=True).word == "FOUND"
    assert bisected(first, first, strict=True).word == "NONE"


def test_what_a_later_pass_undoes_was_needed_all_the_same() -> None:
    found = bisected(MINUS, PLUS, MINUS)
    assert found.word == "NONE" and found.report.relaxations == ("zero-sign",)
    assert bisected(MINUS, MINUS).report.relaxations == ()


@pytest.mark.parametrize("wrong", ["float64", "float32", "int8", "bool"])
def test_a_result_of_another_dtype_is_outside(wrong: str) -> None:
    """Its bits are none of the reference's dtype: they were decoded as if they were, where an element was open."""
    text = """
@I.ir_module
class Module:
    @R.function
    def main(x: R.Tensor((2,), "float16"), i: R.Tensor((2,), "int64")):
        y = R.take(x, i, axis=0, mode="fast")
        return y
"""

    class Wrong:
        def run(self, _module: Module, _entry: str, args: Any) -> Any:
            value = rr.Tensor.of_bytes(wrong, (2,), bytes([1, 0, 0, 0, 0, 0, 0xF8, 0x7F] * 2)[: _bytes(wrong) * 2])
            return rr.Returned(value, tuple(args))

    x, i = rr.Tensor.of_bytes("float16", (2,), bytes(4)), rr.Tensor.of_bytes("int64", (2,), bytes(8) + b"\xff" * 8)
    assert isinstance(rr.diff(rr.check(rr.parse(text)), "main", [x, i], impl=Wrong()), rr.Divergence)


def _bytes(dtype: str) -> int:
    return {"float64": 8, "float32": 4}.get(dtype, 1)
