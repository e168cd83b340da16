"""A recorded run is kept by the extents of what it is given, also where the type of that does not tell them."""

from __future__ import annotations

import pytest

import refrelax as rr
from refrelax.lower.pipeline import lower
from refrelax.semantics.session import Session

SOURCE = """
n = TypeVar("n")
@I.ir_module
class Module:
    @T.prim_func(private=True)
    def bump(a: T.handle, b: T.handle):
        p = T.int64()
        A = T.match_buffer(a, (p,), "float32")
        B = T.match_buffer(b, (p,), "float32")
        for i in range(p):
            B[i] = A[i] + T.float32(1)

    @T.prim_func(private=True)
    def ones(a: T.handle):
        p = T.int64()
        A = T.match_buffer(a, (p,), "float32")
        for i in range(p):
            A[i] = T.float32(1)

    @T.prim_func(private=True)
    def double(a: T.handle):
        p = T.int64()
        A = T.match_buffer(a, (p,), "float32")
        for i in range(p):
            A[i] = A[i] * T.float32(2)

    @R.function
    def main(x: R.Tensor((n,), "float32")):
        R.func_attr({"relax.force_pure": True})
        cls = Module
        s = R.memory.alloc_storage(R.shape([64]), 0, "global", "uint8")
        b: R.Tensor(ndim=1, dtype="float32") = R.memory.alloc_tensor(s, 0, R.shape([n]), "float32")
        OTHER
        _1 = cls.ones(c)
        o = R.builtin.alloc_tensor(R.shape([n]), "float32", 0, "global")
        _2 = cls.bump(c, o)
        _3 = cls.double(c)
        r = R.builtin.alloc_tensor(R.shape([n]), "float32", 0, "global")
        _4 = cls.bump(c, r)
        return r
"""


@pytest.mark.parametrize(
    "other", ["c = b", 'c: R.Tensor(ndim=1, dtype="float32") = R.memory.view(b, R.shape([n]), "float32", 0)']
)
@pytest.mark.parametrize("passes", [("capture",), ("capture", "build")])
def test_another_extent_is_another_recorded_run(other: str, passes: tuple[str, ...]) -> None:
    checked = rr.check(rr.parse(SOURCE.replace("OTHER", other)))
    after, session = lower(checked, passes=passes).module, Session()
    for x in ([1.0, 2.0], [1.0], [], [3.0, 4.0]):
        one, two = rr.run(checked, "main", x), rr.run(after, "main", x, session=session)
        assert isinstance(one, rr.Returned) and isinstance(two, rr.Returned), two
        assert one.value == two.value
