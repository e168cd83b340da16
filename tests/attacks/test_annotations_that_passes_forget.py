"""A variable whose annotation tells less than its value, or promises more: what uses it was typed so, and still is when
a pass puts something else in the place of the call."""

from __future__ import annotations

import pytest

import refrelax as rr
from refrelax.lower.pipeline import lower
from refrelax.semantics.graph.link import nodes
from refrelax.syntax.graph import ConstantRef

TWO = 'R.Tensor((2,), "float32")'
LESS = 'R.Tensor(ndim=1, dtype="float32")'

KERNELS = """
n = TypeVar("n")
@I.ir_module
class Module:
    @T.prim_func(private=True)
    def bump(A: T.Buffer((2,), "float32"), B: T.Buffer((2,), "float32")):
        for i in range(2):
            B[i] = A[i] + T.float32(1)

    @T.prim_func(private=True)
    def twice(A: T.Buffer((2,), "float32"), B: T.Buffer((2,), "float32"), C: T.Buffer((2,), "float32")):
        W = T.alloc_buffer((2,), "float32")
        for i in range(2):
            W[i] = A[i] + T.float32(1)
        for i in range(2):
            B[i] = W[i] + T.float32(1)
            C[i] = A[i]

    @T.prim_func(private=True)
    def through(A: T.Buffer((2,), "float32"), B: T.Buffer((2,), "float32")):
        W = T.alloc_buffer((2,), "float32")
        for i in range(2):
            W[i] = A[i] + T.float32(1)
        for i in range(2):
            B[i] = W[i] + T.float32(1)
"""

CALLS = {
    "one output": ("bump", LESS, TWO, "a"),
    "one output, beside a workspace": ("through", LESS, TWO, "a"),
    "the first of two": ("twice", f"R.Tuple({LESS}, {TWO})", f"[{TWO}, {TWO}]", "a[0]"),
    "a promise": ("bump", 'R.Tensor((n,), "float32")', TWO, "a"),
    "a promise, beside a workspace": ("through", 'R.Tensor((n,), "float32")', TWO, "a"),
}


def program(callee: str, annotation: str, out: str, used: str) -> str:
    """``c`` decides whether operands of other extents meet: with a promise of ``n`` they are typed as one."""
    return (
        KERNELS
        + f"""
    @R.function
    def main(c: R.Tensor((), "bool"), x: R.Tensor((n,), "float32"), w: {TWO}):
        a: {annotation} = R.call_tir(Module.{callee}, (w,), out_ty={out})
        b = {used}
        if c:
            d = R.add(b, x)
            e = R.add(b, R.const([1.0, 2.0, 3.0], "float32"))
            y = R.sum(R.concat([d, e]))
        else:
            y = R.sum(b)
        return y
"""
    )


@pytest.mark.by_day(5)
@pytest.mark.parametrize("passes", [("to_destinations",), ("lift_workspace", "to_destinations"), None])
@pytest.mark.parametrize("name", CALLS)
def test_what_uses_it_has_a_type_as_before(name: str, passes: tuple[str, ...] | None) -> None:
    text = program(*CALLS[name])
    if "promise" in name:
        text = text.replace('R.const([1.0, 2.0, 3.0], "float32")', "x")
    checked = rr.check(rr.parse(text))
    after = lower(checked, "paper", passes).module
    args = [False, [5.0, 6.0], [1.0, 2.0]]
    one, two = rr.run(checked, "main", *args), rr.run(after, "main", *args)
    assert isinstance(one, rr.Returned) and isinstance(two, rr.Returned)
    assert one.value == two.value


FOLDED = {
    "nonzero": ('a = R.nonzero(R.const([1, 0, 1], "int64"))', "[[1, 2, 3]]"),
    "unique": ('a = R.unique(R.const([1, 0, 1], "int64"))', "[1, 2, 3]"),
    "annotated": (
        'a: R.Tensor(ndim=1, dtype="int64") = R.add(R.const([1, 2], "int64"), R.const(1, "int64"))',
        "[1, 2, 3]",
    ),
}


@pytest.mark.parametrize("name", FOLDED)
def test_a_constant_tells_no_more_than_the_call_did(name: str) -> None:
    binding, other = FOLDED[name]
    checked = rr.check(
        rr.parse(f"""
@I.ir_module
class Module:
    @R.function
    def main(c: R.Tensor((), "bool")):
        {binding}
        k = R.add(R.const([1, 2], "int64"), R.const(1, "int64"))
        if c:
            y = R.sum(R.add(a, R.const({other}, "int64")))
        else:
            y = R.sum(k)
        return y
""")
    )
    after = lower(checked, passes=["fold_constants"]).module
    found = rr.run(after, "main", False)
    assert isinstance(found, rr.Returned) and found.value.numpy().tolist() == 5
    assert any(isinstance(node, ConstantRef) for node in nodes(after.module.functions["main"]))  # (k is folded)
