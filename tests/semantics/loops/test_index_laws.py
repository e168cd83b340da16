"""Bounds of indices hold every value; what relies on them relies on no more."""

from __future__ import annotations

import operator
from collections.abc import Callable
from itertools import product

import pytest

import refrelax as rr
from refrelax.semantics.loops.frame import Index
from refrelax.semantics.loops.indices import _BOUNDS
from refrelax.semantics.numbers import reading
from tests.semantics.loops.test_statements import last, run

OPS: dict[str, Callable[[int, int], int]] = {
    "Add": operator.add, "Sub": operator.sub, "Mul": operator.mul, "Min": min, "Max": max,
}  # fmt: skip
ENDS = [(a, b) for a, b in product((None, -2, 0, 3), repeat=2) if a is None or b is None or a <= b]


def some(lo: int | None, hi: int | None) -> set[int]:
    """The ends, and what lies far out where there is none."""
    near = [each for each in (lo, hi) if each is not None] or [0]
    return {*near, *((min(near) - 99,) if lo is None else ()), *((max(near) + 99,) if hi is None else ())}


@pytest.mark.parametrize("op", OPS)
def test_bounds_hold_every_value(op: str) -> None:
    for a, b in product(ENDS, repeat=2):
        low, high = _BOUNDS[op](Index(lambda _: 0, *a), Index(lambda _: 0, *b))
        found = [OPS[op](x, y) for x, y in product(some(*a), some(*b))]
        assert low is None or low <= min(found), (a, b)
        assert high is None or max(found) <= high, (a, b)
        if None not in (*a, *b):
            assert (low, high) == (min(found), max(found)), (a, b)


def test_a_view_may_reach_beyond_its_memory() -> None:
    buffers = 'B: T.Buffer((4,), "int32"), C: T.Buffer((n,), "int32")'
    body = 'V = T.decl_buffer(({0},), "int32", data=B.data)\nfor i in range({0}):\n    C[i] = V[i]'
    for n in (2, 4, 6):
        b, c = rr.Tensor.of([1, 2, 3, 4], "int32"), rr.Tensor.of([0] * n, "int32")
        for out in (run(buffers, body.format("n"), b, c), run(f"k: T.int64, {buffers}", body.format("k"), n, b, c)):
            assert last(out) == [k if k <= 4 else None for k in range(1, n + 1)]


def test_where_a_condition_is_open_both_arms_are_permitted() -> None:
    params = 'A: T.Buffer((1,), "float32"), B: T.Buffer((2,), "float32")'
    open_ = "T.exp(A[0]) < T.exp(A[0])"
    for body in (
        f"for i in range(2):\n    B[i] = T.if_then_else({open_}, T.float32(1), T.float32(2))",
        f"B[T.Ramp(0, 1, 2)] = T.if_then_else({open_}, T.Broadcast(T.float32(1), 2), T.Broadcast(T.float32(2), 2))",
    ):
        out = run(
            params, body, rr.Tensor.of([2.0], "float32"), rr.Tensor.of([0.0, 0.0], "float32"), numerics="enclosure"
        )
        assert isinstance(out, rr.Returned)
        cells = out.arguments[-1].core.storage.plane("float32", reading("enclosure"))
        assert [(each.lo, each.hi) for each in cells[:2]] == [(1.0, 2.0)] * 2
