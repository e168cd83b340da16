"""Buffers that the first program has in a branch behind a check are no knowledge of a branch of the second program
before it: the first one's run may have ended."""

from __future__ import annotations

import numpy as np
import pytest

import refrelax as rr
from refrelax.judge.evidence import Proved
from refrelax.judge.pointwise import attempt

HEAD = """
n = T.int64()
m = T.int64()
@I.ir_module
class Module:
    @T.prim_func(private=True)
    def fill(b: T.handle):
        n = T.int64()
        m = T.int64()
        B = T.match_buffer(b, (n, m), "int8")
        for i, j in T.grid(n, m):
            B[i, j] = T.int8(0)
    @T.prim_func(private=True)
    def product(n: T.int64, m: T.int64, B: T.Buffer((1,), "int32")):
        B[T.min(n * m, T.int64(0))] = 0
    @T.prim_func(private=True)
    def zero(B: T.Buffer((1,), "int32")):
        B[0] = 0
    @R.function(pure=False)
    def main(s: R.Shape([n, m]), c: R.Tensor((), "bool"), d: R.Tensor((), "bool")):
        cls = Module
"""
ONE = 'R.Tensor((1,), "int32")'
CHECK = 'z = R.assert_op(d, format="no")'
ROOM = f"""
if c:
    b = R.call_tir(cls.fill, R.tuple(), out_ty=R.Tensor((n, m), "int8"))
    y = R.call_tir(cls.zero, R.tuple(), out_ty={ONE})
else:
    y = R.call_tir(cls.zero, R.tuple(), out_ty={ONE})
"""
PRODUCT = f"""
if c:
    y = R.call_tir(cls.product, (R.prim_value(n), R.prim_value(m)), out_ty={ONE})
else:
    y = R.call_tir(cls.zero, R.tuple(), out_ty={ONE})
"""


def program(*parts: str) -> rr.CheckedModule:
    lines = [line for part in (*parts, "return y") for line in part.strip("\n").splitlines()]
    return rr.check(rr.parse(HEAD + "".join(f"        {line}\n" for line in lines)))


def renamed(part: str) -> str:
    return part.replace("y =", "w =").replace("b =", "v =")


def test_a_run_that_ends_at_a_check_has_no_buffer_behind_it() -> None:
    first, second = program(CHECK, ROOM), program(PRODUCT, CHECK, renamed(ROOM))
    given = ((2**40, 2**40), np.array(True), np.array(False))
    assert isinstance(rr.run(first, "main", *given), rr.Trapped)
    assert isinstance(rr.run(second, "main", *given), rr.Unspecified)
    found = attempt(first, second, "main")
    assert isinstance(found, str) and "n * m" in found


@pytest.mark.parametrize("first", [(ROOM, CHECK), (CHECK, ROOM)])
def test_a_branch_behind_as_many_checks_has_it(first: tuple[str, str]) -> None:
    assert isinstance(attempt(program(*first), program(CHECK, PRODUCT), "main"), Proved)


def test_one_before_a_check_has_it() -> None:
    assert isinstance(attempt(program(ROOM, CHECK), program(PRODUCT, CHECK), "main"), Proved)
