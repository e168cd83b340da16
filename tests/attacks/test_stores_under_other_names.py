"""A loop program stores in its input through a pointer, a view or a region that it hands on: no pass forgets that."""

from __future__ import annotations

import pytest

import refrelax as rr
from refrelax.lower.origins.unplanned import _Plan
from refrelax.lower.pipeline import lower
from refrelax.semantics.graph.overwriting import stored_inputs
from refrelax.syntax.loops import PrimFunc

SOURCE = """
@I.ir_module
class Module:
    @T.prim_func(private=True)
    def clear(Z: T.Buffer((4,), "float32")):
        for i in range(4):
            Z[i] = T.float32(0)

    @T.prim_func(private=True)
    def f(A: T.Buffer((4,), "float32"), B: T.Buffer((4,), "float32"), O: T.Buffer((4,), "float32")):
        for i in range(4):
            O[i] = B[i]
        STORES

    @R.function
    def main(x: R.Tensor((4,), "float32"), w: R.Tensor((4,), "float32")):
        cls = Module
        a = R.add(x, w)
        with R.dataflow():
            c = R.exp(a)
            y = R.call_tir(cls.f, (a, w), out_ty=R.Tensor((4,), "float32"))
            d = R.negative(c)
            g = R.add(d, a)
            unused = R.call_tir(cls.f, (x, w), out_ty=R.Tensor((4,), "float32"))
            R.output(y, g)
        return (y, g)
"""

VIEW = 'C = T.decl_buffer((4,), "float32", data=A.data)\n        '
REGION = 'with T.sblock("b"):\n            R = T.match_buffer(A[0:4], (4,), "float32")\n            '
STORES = {
    "a view": VIEW + "C[0] = T.float32(0)",
    "a view that is handed on": VIEW + "Module.clear(C)",
    "the pointer of a view": VIEW + "Module.clear(C.data)",
    "a view of a view": VIEW + 'D = T.decl_buffer((4,), "float32", data=C.data)\n        Module.clear(D)',
    "a name of a pointer": "p = A.data\n        Module.clear(p)",
    "a name of a name": "p = A.data\n        q = p\n        Module.clear(q)",
    "a view at a name": 'p = A.data\n        C = T.decl_buffer((4,), "float32", data=p)\n        C[0] = T.float32(0)',
    "an address": "Module.clear(T.address_of(A[0]))",
    "a region": REGION + "R[0] = T.float32(0)",
    "a region that is handed on": REGION + "Module.clear(R.data)",
    "a region of a region": REGION
    + 'with T.sblock("c"):\n                S = T.match_buffer(R[0:4], (4,), "float32")\n                '
    + "Module.clear(S.data)",
}


@pytest.mark.parametrize("how", STORES)
def test_no_pass_forgets_it(how: str) -> None:
    checked = rr.check(rr.parse(SOURCE.replace("STORES", STORES[how])))
    program = checked.module.functions["f"]
    assert isinstance(program, PrimFunc) and stored_inputs(program, 2) == {0}
    one = rr.run(checked, "main", [1.0, 2.0, 3.0, 4.0], [1.0, 1.0, 1.0, 1.0])
    assert isinstance(one, rr.Returned)
    for passes in (("legalize", "dead_code"), ("legalize", "fuse_ops", "fuse_loops")):
        after = lower(checked, passes=passes).module
        two = rr.run(after, "main", [1.0, 2.0, 3.0, 4.0], [1.0, 1.0, 1.0, 1.0])
        assert isinstance(two, rr.Returned)
        assert (one.value, one.arguments) == (two.value, two.arguments)


@pytest.mark.parametrize(
    "stores",
    [
        'C = T.decl_buffer((4,), "float32", data=O.data)\n        Module.clear(C)',
        'C = T.alloc_buffer((4,), "float32")\n        Module.clear(C)',
        "p = O.data\n        Module.clear(p)",
        'C = T.decl_buffer((4,), "float32", data=A.data)\n        O[0] = C[0]',
    ],
)
def test_other_memory_is_told_from_it(stores: str) -> None:
    program = rr.check(rr.parse(SOURCE.replace("STORES", stores))).module.functions["f"]
    assert isinstance(program, PrimFunc) and stored_inputs(program, 2) == frozenset()


def test_a_plan_tells_a_store_into_a_region() -> None:
    """What a loop program stores through a region that a block matches is a store into the whole buffer's place."""
    planned = SOURCE.replace("STORES", STORES["a region"])
    checked = rr.check(rr.parse(planned))
    plan = _Plan(checked, {}, {}, [], checked.module.relax_functions()["main"].body.body)
    assert plan.stores("f") == {0, 2}
