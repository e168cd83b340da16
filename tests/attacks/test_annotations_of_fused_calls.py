"""What uses a name has a type under the annotation of its call: fusion leaves the name at that type."""

from __future__ import annotations

import pytest

import refrelax as rr
from refrelax.lower.pipeline import lower
from refrelax.semantics.types.checked import CheckedModule

TWO = 'R.Tensor((2,), "float32")'
LESS = ('R.Tensor(ndim=1, dtype="float32")', 'R.Tensor(dtype="float32")')
MORE = 'R.Tensor((n,), "float32")'
"""A promise: the call gives two elements, and the run tells whether ``n`` is 2."""

SOURCE = f"""
n = TypeVar("n")
@I.ir_module
class Module:
    @T.prim_func(private=True)
    def bump(A: T.Buffer((2,), "float32"), B: T.Buffer((2,), "float32")):
        for i in range(2):
            B[i] = A[i] + T.float32(1)

    @T.prim_func(private=True)
    def of_any(a: T.handle, b: T.handle):
        p = T.int64()
        A = T.match_buffer(a, (p,), "float32")
        B = T.match_buffer(b, (p,), "float32")
        for i in range(p):
            B[i] = A[i] + T.float32(1)

    @T.prim_func(private=True)
    def both(A: T.Buffer((2,), "float32"), B: T.Buffer((2,), "float32"), C: T.Buffer((2,), "float32")):
        for i in range(2):
            B[i] = A[i] + T.float32(1)
        for i in range(2):
            C[i] = A[i] * A[i]

    @R.function(private=True)
    def group(a: {TWO}) -> {TWO}:
        R.func_attr({{"Primitive": True}})
        with R.dataflow():
            b = R.call_tir(Module.bump, (a,), out_ty={TWO})
            c = R.call_tir(Module.bump, (b,), out_ty={TWO})
            R.output(c)
        return c

    @R.function(private=True)
    def promising(a: {TWO}, z: {MORE}) -> {MORE}:
        R.func_attr({{"Primitive": True}})
        with R.dataflow():
            b = R.call_tir(Module.bump, (a,), out_ty={TWO})
            c = R.call_tir(Module.bump, (b,), out_ty={TWO})
            R.output(c)
        return c

    @R.function
    def main(c: R.Tensor((), "bool"), x: R.Tensor((n,), "float32"), w: {TWO}):
        with R.dataflow():
            BODY
            R.output(b)
        if c:
            d = R.add(b, OTHER)
            y = R.sum(R.multiply(d, OTHER))
        else:
            y = R.sum(b)
        return y
"""

BODIES = {
    "last": f"""a = R.call_tir(Module.bump, (w,), out_ty={TWO})
            b: SAID = R.call_tir(Module.bump, (a,), out_ty={TWO})""",
    "field": f"""t: R.Tuple(SAID, {TWO}) = R.call_tir(Module.both, (w,), out_ty=[{TWO}, {TWO}])
            b = t[0]""",
    "annotated field": f"""t = R.call_tir(Module.both, (w,), out_ty=[{TWO}, {TWO}])
            f: SAID = t[0]
            b: SAID = R.call_tir(Module.bump, (f,), out_ty={TWO})""",
    "group": "b: SAID = Module.group(w)",
}
OTHERS = {
    "inner": f"""a: SAID = R.call_tir(Module.bump, (w,), out_ty={TWO})
            b = R.call_tir(Module.of_any, (a,), out_ty={MORE})""",
    "result": "b = Module.promising(w, x)",
}


def program(body: str, said: str) -> CheckedModule:
    other = "x" if said == MORE else 'R.const([1.0, 2.0, 3.0], "float32")'
    return rr.check(rr.parse(SOURCE.replace("BODY", body).replace("SAID", said).replace("OTHER", other)))


@pytest.mark.by_day(8)
@pytest.mark.parametrize("passes", [("fuse_ops",), ("fuse_ops", "fuse_loops"), None])
@pytest.mark.parametrize(
    ("name", "said"), [*((n, s) for n in BODIES for s in (*LESS, MORE)), ("inner", MORE), ("result", MORE)]
)
def test_what_uses_it_has_a_type_as_before(name: str, said: str, passes: tuple[str, ...] | None) -> None:
    checked = program({**BODIES, **OTHERS}[name], said)
    after = lower(checked, "paper", passes).module
    args = [False, [5.0, 6.0], [1.0, 2.0]]
    one, two = rr.run(checked, "main", *args), rr.run(after, "main", *args)
    assert isinstance(one, rr.Returned) and isinstance(two, rr.Returned)
    assert one.value == two.value
