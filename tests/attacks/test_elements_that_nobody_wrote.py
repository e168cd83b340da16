"""An operation on an element that was never written: the element has no dtype, and the operation is poison."""

from __future__ import annotations

import refrelax as rr

PAIR = """
n = TypeVar("n")
@I.ir_module
class Module:
    @T.prim_func(s_tir=True)
    def main(a: T.Buffer((n,), "int8"), out: T.Buffer((n,), "int32")):
        t = T.alloc_buffer((n,), "int32")
        for i in range(n):
            t[i] = T.Cast("int32", {})
        for i in range(n):
            out[i] = T.max(t[i], 0)
"""


def test_what_is_computed_from_memory_that_was_never_written_is_poison() -> None:
    first, second = (rr.check(rr.parse(PAIR.format(value))) for value in ("a[i] * a[i]", "t[i]"))
    assert rr.validate(first, second, timeout=20).word == "REFUTED"
