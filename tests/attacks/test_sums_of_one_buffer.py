"""A sum of products that is the size of one buffer fits where the buffer does: ``b*t + b`` of ``(b, t + 1)``, whole.

Bounded term by term, ``b*t`` may be all of it and ``b`` too. So a plan of a cache that grows by one token was not
proved (``t + 1`` rows of keys, transposed for a library's product), and what was built from it neither.

Spec: ``spec/06c-pointwise.md``, ``sh/index-fits``.
"""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

import refrelax as rr
from refrelax.lower import lower
from refrelax.shape_solver.pointwise.fits import LAST, Sizes
from refrelax.syntax.scalars import Binary, PrimExpr, SymVar, int_imm

GROWN = """
b = TypeVar("b")
t = TypeVar("t")
@I.ir_module
class Module:
    @R.function
    def main(
        q: R.Tensor((b, 3, 1, 5), "float32"), x: R.Tensor((b, t, 3, 5), "float32"), k: R.Tensor((b, 1, 3, 5), "float32")
    ) -> R.Tensor((b, 3, 1, t + 1), "float32"):
        with R.dataflow():
            c = R.concat((x, k), axis=1)
            s = R.permute_dims(c, axes=[0, 2, 3, 1])
            p = R.matmul(q, s)
            z = R.exp(p)
            R.output(z)
        return z
"""
PASSES = (
    "dispatch_library", "legalize", "dead_code", "fuse_ops", "fuse_loops", "lift_workspace", "to_destinations",
)  # fmt: skip


def test_a_plan_of_a_cache_that_grows_is_proved() -> None:
    before = lower(rr.check(rr.parse(GROWN)), passes=PASSES).module
    after = lower(before, passes=("plan_memory",)).module
    assert "alloc_storage(R.shape([b * (t + 1) * 60])" in rr.print_module(after.module)
    assert isinstance(rr.validate(before, after, rounds=1), rr.Equivalent)


def times(*factors: PrimExpr) -> PrimExpr:
    first, *rest = factors
    for each in rest:
        first = Binary("Mul", first, each)
    return first


B, T = SymVar("b"), SymVar("t")
ROWS = Binary("Add", T, int_imm(1))


def of_one_buffer() -> Sizes:
    """``b``, ``t`` are extents, and ``(b, t + 1, 3)`` of four bytes exists."""
    sizes = Sizes(lambda name: None)
    sizes.extents |= {"b", "t"}
    sizes.exists((B, ROWS, int_imm(3)), "float32")
    return sizes


@pytest.mark.parametrize(
    ("e", "seen"),
    [
        (times(B, ROWS, int_imm(12)), True),
        (Binary("Sub", times(B, ROWS, int_imm(12)), times(B, int_imm(4))), True),
        (times(B, ROWS, int_imm(13)), False),
        (times(B, Binary("Add", T, int_imm(2)), int_imm(12)), False),
        (Binary("Add", times(B, ROWS, int_imm(12)), int_imm(1)), False),
        (times(B, ROWS, ROWS), False),
    ],
)
def test_the_size_and_no_more(e: PrimExpr, seen: bool) -> None:
    assert of_one_buffer().fits(e, "int64", ()) is seen


@given(*[st.integers(-13, 13)] * 4)
def test_what_is_said_to_fit_does_at_the_largest_buffers(both: int, b: int, t: int, one: int) -> None:
    terms = [(both, (B, T)), (b, (B,)), (t, (T,)), (one, ())]
    e: PrimExpr = int_imm(0)
    for c, symbols in terms:
        e = Binary("Add", e, times(int_imm(c), *symbols))
    if of_one_buffer().fits(e, "int64", ()):
        most = LAST // 12
        at = [(n, most // max(1, n) - 1) for n in (0, 1, 2, 3, 1 << 29)] + [(most // (m + 1), m) for m in (0, 1, 2)]
        assert all(n * (m + 1) <= most for n, m in at)
        assert all(-LAST - 1 <= both * n * m + b * n + t * m + one <= LAST for n, m in at)
