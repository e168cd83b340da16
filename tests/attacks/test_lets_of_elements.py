"""A let names what an element was; computing it where it is used must see the same."""

from __future__ import annotations

from typing import Any

import pytest

import refrelax as rr
from refrelax.judge.evidence import Proved
from refrelax.judge.pointwise import attempt

HEAD = """n = TypeVar('n')
@I.ir_module
class Module:
    @T.prim_func(s_tir=True)
    def main(A: T.Buffer((n, 8), "float32"), C: T.Buffer((n,), "float32"), D: T.Buffer((n,), "float32")):
        for i in range(n):
"""


def module(*body: str) -> Any:
    return rr.check(rr.parse(HEAD + "".join(f"            {line}\n" for line in body)))


EXCHANGED = ("x: T.let[T.float32] = C[i]", "C[i] = D[i]", "D[i] = x")
BOTH = (
    "for j in range(8):",
    "    with T.sblock('both'):",
    "        vi, vj = T.axis.remap('SR', [i, j])",
    "        with T.init():",
    "            C[vi] = T.float32(0)",
    "            D[vi] = T.float32(0)",
    "        x: T.let[T.float32] = C[vi] + A[vi, vj]",
    "        y: T.let[T.float32] = D[vi] + A[vi, vj] * A[vi, vj]",
    "        C[vi] = x",
    "        D[vi] = y",
)
APART = tuple(line for line in BOTH if "let" not in line and line.strip() not in ("C[vi] = x", "D[vi] = y"))
APART += ("        C[vi] = C[vi] + A[vi, vj]", "        D[vi] = D[vi] + A[vi, vj] * A[vi, vj]")


@pytest.mark.parametrize(
    ("before", "after"),
    [
        (("C[i] = A[i, 0] + A[i, 1]",), ("x: T.let[T.float32] = A[i, 0]", "C[i] = x + A[i, 1]")),
        (APART, BOTH),
        (("x: T.let[T.float32] = C[i]", "C[i] = x * x"), ("C[i] = C[i] * C[i]",)),
    ],
    ids=["a load", "two reductions", "its own element"],
)
def test_a_let_is_what_it_names(before: tuple[str, ...], after: tuple[str, ...]) -> None:
    assert isinstance(attempt(module(*before), module(*after), "main"), Proved)


@pytest.mark.parametrize(
    ("before", "after"),
    [
        (EXCHANGED, ("C[i] = D[i]", "D[i] = C[i]")),
        (EXCHANGED, ("C[i] = D[i]", "x: T.let[T.float32] = C[i]", "D[i] = x")),
        (BOTH, (*BOTH[:-2], "        D[vi] = x", "        C[vi] = y")),
        (
            ("x: T.let[T.float32] = C[i]", "C[i] = A[i, 0]", "y: T.let[T.float32] = x", "D[i] = y"),
            ("C[i] = A[i, 0]", "x: T.let[T.float32] = C[i]", "y: T.let[T.float32] = x", "D[i] = y"),
        ),
    ],
    ids=["exchanged", "named too late", "the other sum", "a let of a let"],
)
def test_what_was_stored_since_is_not_what_it_names(before: tuple[str, ...], after: tuple[str, ...]) -> None:
    first, second = module(*before), module(*after)
    assert isinstance(attempt(first, second, "main"), str)
    assert isinstance(rr.validate(first, second), rr.Refuted)
