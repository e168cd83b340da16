"""An extreme of a NaN and an infinity may be either (``num/nan-in-extremes``): it is not its other operand."""

from __future__ import annotations

import pytest

import refrelax as rr

KERNEL = """
@I.ir_module
class Module:
    @T.prim_func(s_tir=True)
    def main(A: T.Buffer((1,), "{dtype}"), C: T.Buffer((1,), "{dtype}")):
        {body}
"""
COPY = "C[0] = A[0]"
LOOP = "C[0] = T.{dtype}({start})\n        for i in range(1):\n            C[0] = T.{op}(C[0], A[i])"


def word(first: str, second: str, dtype: str = "float32") -> str:
    programs = [rr.parse(KERNEL.format(dtype=dtype, body=body)) for body in (first, second)]
    return rr.validate(programs[0], programs[1]).word


@pytest.mark.parametrize(("op", "start"), [("max", '"-inf"'), ("min", '"inf"')])
def test_one_item_is_not_its_extreme(op: str, start: str) -> None:
    loop = LOOP.format(dtype="float32", start=start, op=op)
    whole = f"C[0] = T.{op}(A[0], T.float32({start}))"
    assert word(COPY, loop) != "PROVED"
    assert word(COPY, whole) != "PROVED"
    assert word(loop, COPY) == word(whole, COPY) == word(whole, loop) == "PROVED"


def test_of_integers_it_is() -> None:
    assert word(COPY, LOOP.format(dtype="int32", start="-2147483648", op="max"), "int32") == "PROVED"
