"""Calls that store into what has another name: passes drop, move and share nothing across them."""

from __future__ import annotations

import pytest

import refrelax as rr

KERNELS = """
from tvm.script import ir as I, relax as R, tirx as T
n, p = T.int64(), T.int64()

@I.ir_module
class Module:
    @T.prim_func(private=True)
    def grow(A: T.Buffer((n,), "float32")):
        for i in range(n):
            A[i] = A[i] + T.float32(1)

    @T.prim_func(private=True)
    def spoil(A: T.Buffer((p,), "float32"), C: T.Buffer((p,), "float32")):
        for i in range(p):
            C[i] = A[i]
            A[i] = T.float32(100)

    @R.function(private=True)
    def forced(x: R.Tensor((n,), "float32")) -> R.Tensor((n,), "float32"):
        R.func_attr({"relax.force_pure": True})
        cls = Module
        _ = cls.grow(x)
        return x
"""
V = 'R.Tensor((n,), "float32")'

PROGRAMS = {
    "an unused result in place": f"""
            a = R.add(x, x)
            b = R.call_tir_inplace(cls.grow, (a,), out_ty={V}, inplace_indices=[0])
            R.output(a)
        return a""",
    "an unused result in place of a parameter": f"""
            a = R.add(x, x)
            b = R.call_tir_inplace(cls.grow, (x,), out_ty={V}, inplace_indices=[0])
            R.output(a)
        return a""",
    "an unused result of a kernel that stores in its input": f"""
            a = R.add(x, x)
            b = R.call_tir(cls.spoil, (a,), out_ty={V})
            R.output(a)
        return a""",
    "an unused call of a function that stores": """
            a = R.add(x, x)
            b = cls.forced(a)
            R.output(a)
        return a""",
    "a read moved behind": f"""
            a = R.add(x, x)
            d = R.multiply(a, a)
            b = R.call_tir(cls.spoil, (a,), out_ty={V})
            e = R.add(b, d)
            R.output(e)
        return e""",
    "a constant stored in": """
            b = R.call_tir_inplace(
                cls.grow, (R.const([1.0, 2.0, 3.0], "float32"),), out_ty=R.Tensor((3,), "float32"), inplace_indices=[0]
            )
            R.output(b)
        return b""",
}  # fmt: skip


@pytest.mark.by_day(4)
@pytest.mark.parametrize("pipeline", ["default", "kernels", "dispatch", "paper", "build"])
@pytest.mark.parametrize("name", PROGRAMS)
def test_a_pipeline_keeps_what_is_stored(name: str, pipeline: str) -> None:
    ret = 'R.Tensor((3,), "float32")' if "constant" in name else V
    text = (
        f"{KERNELS}\n    @R.function\n    def main(x: {V}) -> {ret}:\n        cls = Module\n        with R.dataflow():"
    )
    before = rr.check(rr.parse(text + PROGRAMS[name]))
    after = rr.lower(before, pipeline=pipeline).module
    x = [1.0, 2.0, 5.0]
    wanted, found = rr.run(before, "main", x), rr.run(after, "main", x)
    assert isinstance(wanted, rr.Returned) and isinstance(found, rr.Returned)
    assert (wanted.value.tolist(), wanted.arguments[0].tolist()) == (found.value.tolist(), found.arguments[0].tolist())


def test_a_reshape_of_what_is_stored_in_is_no_view() -> None:
    text = f"""{KERNELS}
    @R.function
    def main(x: R.Tensor((2, n), "float32")):
        cls = Module
        with R.dataflow():
            r = R.reshape(x, R.shape([n * 2]))
            b = R.call_tir(cls.spoil, (r,), out_ty=R.Tensor((n * 2,), "float32"))
            e = R.add(b, r)
            R.output(e)
        return e
"""
    before = rr.check(rr.parse(text))
    found = rr.run(rr.lower(before).module, "main", [[1.0, 2.0], [3.0, 4.0]])
    assert isinstance(found, rr.Returned) and found.arguments[0].tolist() == [[1.0, 2.0], [3.0, 4.0]]
