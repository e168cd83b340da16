"""An implementation is held to all that it tells: the result, the final arguments, the effects."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace

import pytest

import refrelax as rr

PRINTS = """
@I.ir_module
class Module:
    @R.function(pure=False)
    def main(x: R.Tensor((3,), "float32")):
        y = R.exp(x)
        z = R.print(y, format="{}")
        return x
"""
IN_PLACE = """
@I.ir_module
class Module:
    @T.prim_func(private=True, s_tir=True)
    def f(A: T.Buffer((3,), "float32")):
        for i in range(3):
            A[i] = A[i] + T.float32(1)

    @R.function(pure=False)
    def main(x: R.Tensor((3,), "float32")):
        cls = Module
        y = R.call_tir_inplace(cls.f, (x,), inplace_indices=[0], out_ty=R.Tensor((3,), "float32"))
        return y
"""
GIVEN = [1.0, 2.0, 3.0]


@dataclass(frozen=True)
class Told:
    """What the definition gives, changed."""

    change: Callable[[rr.Returned], rr.Returned]

    def run(self, module: rr.Module, entry: str, args: list[object]) -> rr.Outcome:
        found = rr.run(rr.check(module), entry, args=args)
        assert isinstance(found, rr.Returned)
        return self.change(found)


def untouched(found: rr.Returned) -> rr.Returned:
    return replace(found, arguments=(rr.Tensor.of(GIVEN, "float32"),))


def printed(numbers: list[float]) -> Callable[[rr.Returned], rr.Returned]:
    def change(found: rr.Returned) -> rr.Returned:
        payload = ("{}", rr.Tensor.of(numbers, "float32"))
        return replace(found, effects=(replace(found.effects[0], payload=payload),))

    return change


NEAR = [2.7182819843292236, 7.389056205749512, 20.08553695678711]


@pytest.mark.parametrize(
    ("text", "change", "word"),
    [
        (IN_PLACE, lambda found: found, "AGREE"),
        (IN_PLACE, untouched, "DIVERGE"),
        (PRINTS, lambda found: found, "AGREE"),
        (PRINTS, lambda found: replace(found, arguments=(rr.Tensor.of([9.0, 9.0, 9.0]),)), "DIVERGE"),
        (PRINTS, lambda found: replace(found, effects=found.effects * 2), "DIVERGE"),
        (PRINTS, printed(GIVEN), "DIVERGE"),
        (PRINTS, printed(NEAR), "AGREE"),
    ],
)
def test_what_an_implementation_tells_is_compared(
    text: str, change: Callable[[rr.Returned], rr.Returned], word: str
) -> None:
    assert str(rr.diff(rr.check(rr.parse(text)), "main", [GIVEN], impl=Told(change))).startswith(word)


def test_effects_that_are_not_told_are_not_judged() -> None:
    found = rr.diff(rr.check(rr.parse(PRINTS)), "main", [GIVEN], impl=Told(lambda found: replace(found, effects=())))
    assert str(found) == "AGREE  1 of 1 results inside (least margin 1.00); 1 not judged"
