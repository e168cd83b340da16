"""Dead code: what goes, what stays, and that nothing else changes."""

from __future__ import annotations

import pytest

import refrelax as rr
from refrelax.lower import lower

HEAD = """
from tvm.script import ir as I, relax as R, tirx as T
n, m, k = T.int64(), T.int64(), T.int64()

@I.ir_module
class Module:
"""


def swept(body: str) -> rr.CheckedModule:
    """The module after the pass, which leaves a module that it would not change again."""
    once = lower(rr.check(rr.parse(HEAD + body)), passes=["dead_code"]).module
    twice = lower(once, passes=["dead_code"]).module
    assert once.module == twice.module
    return once


def names(checked: rr.CheckedModule) -> list[str]:
    """The bindings of ``main`` in order."""
    blocks = checked.module.relax_functions()["main"].body.blocks
    return [binding.name for block in blocks for binding in block.bindings]


def test_unused_bindings_of_a_dataflow_block_go() -> None:
    checked = swept("""
    @R.function
    def main(x: R.Tensor((n, 3), dtype="float32")):
        with R.dataflow():
            a = R.exp(x)
            b = R.add(a, a)
            c = R.add(x, x)
            d = R.multiply(c, c)
            R.output(c, d)
        return c
""")
    assert names(checked) == ["c"]
    assert checked.module.relax_functions()["main"].body.blocks[0].outputs == ("c",)


def test_a_block_without_bindings_goes() -> None:
    checked = swept("""
    @R.function
    def main(x: R.Tensor((n, 3), dtype="float32")):
        with R.dataflow():
            a = R.exp(x)
            R.output(a)
        return x
""")
    assert checked.module.relax_functions()["main"].body.blocks == ()


def test_an_unused_check_stays_outside_dataflow() -> None:
    checked = swept("""
    @R.function
    def main(x: R.Tensor(ndim=2, dtype="float32"), y: R.Tensor((3,), dtype="float32")):
        a = R.match_cast(x, R.Tensor((4, 5), dtype="float32"))
        b = R.add(y, y)
        c = (y, y)
        return y
""")
    assert names(checked) == ["a", "b"]
    assert isinstance(rr.run(checked, "main", [[1.0]], [1.0, 2.0, 3.0]), rr.Trapped)


@pytest.mark.parametrize(("shape", "left"), [("[m, m]", ["a", "c"]), ("[2, 2]", ["c"])])
def test_a_match_cast_stays_for_its_symbols(shape: str, left: list[str]) -> None:
    checked = swept(f"""
    @R.function
    def main(x: R.Tensor(ndim=1, dtype="float32")):
        with R.dataflow():
            a = R.match_cast(x, R.Tensor((m,), dtype="float32"))
            c = R.zeros(R.shape({shape}), dtype="float32")
            R.output(c)
        return c
""")
    assert names(checked) == left


def test_known_fields_and_aliases_are_resolved() -> None:
    checked = swept("""
    @R.function
    def main(x: R.Tensor((n, 3), dtype="float32")):
        with R.dataflow():
            a = R.exp(x)
            b = R.sin(x)
            t = (a, b)
            c = t[0]
            d = R.add(c, c)
            R.output(d)
        return d
""")
    assert names(checked) == ["a", "d"]


def test_a_field_is_not_resolved_where_its_tuple_hides_it() -> None:
    checked = swept("""
    @R.function
    def main(x: R.Tensor((n, 3), dtype="float32")):
        with R.dataflow():
            a = R.exp(x)
            t = (a, x)
            R.output(t)
        c = t[0]
        return c
""")
    assert names(checked) == ["a", "t", "c"]


def test_both_branches_are_swept() -> None:
    checked = swept("""
    @R.function
    def main(p: R.Tensor((), dtype="bool"), x: R.Tensor((3,), dtype="float32")):
        if p:
            with R.dataflow():
                a = R.exp(x)
                b = R.sin(x)
                R.output(a, b)
            r = a
        else:
            r = x
        return r
""")
    branch = checked.module.relax_functions()["main"].body.blocks[0].bindings[0].value
    assert [b.name for b in branch.then_branch.blocks[0].bindings] == ["a"]


FUNCTIONS = """
    @T.prim_func(private=True, s_tir=True)
    def used(a: T.Buffer((T.int64(3),), "float32"), b: T.Buffer((T.int64(3),), "float32")):
        for i in range(T.int64(3)):
            b[i] = a[i]

    @T.prim_func(private=True, s_tir=True)
    def unused(a: T.Buffer((T.int64(3),), "float32"), b: T.Buffer((T.int64(3),), "float32")):
        for i in range(T.int64(3)):
            b[i] = a[i]

    @T.prim_func(s_tir=True)
    def public(a: T.Buffer((T.int64(3),), "float32"), b: T.Buffer((T.int64(3),), "float32")):
        for i in range(T.int64(3)):
            b[i] = a[i]
"""

MAIN = """
    @R.function
    def main(x: R.Tensor((3,), dtype="float32")):
        cls = Module
        with R.dataflow():
            a = R.call_tir(cls.used, (x,), out_ty=R.Tensor((3,), dtype="float32"))
            b = R.call_tir(cls.unused, (x,), out_ty=R.Tensor((3,), dtype="float32"))
            R.output(a)
        return a
"""


def test_private_functions_that_nothing_calls_go() -> None:
    assert set(swept(FUNCTIONS + MAIN).module.functions) == {"main", "used", "public"}


def test_without_a_public_function_all_stay() -> None:
    private = FUNCTIONS.replace("def public", "def third").replace("prim_func(s_tir", "prim_func(private=True, s_tir")
    assert set(swept(private).module.functions) == {"used", "unused", "third"}


def test_making_a_closure_may_fail_and_stays_outside_of_blocks() -> None:
    checked = swept("""
    @R.function
    def main(x: R.Any):
        cls = Module
        @R.function
        def local(y: R.Any) -> R.Any:
            return y
        f = R.make_closure(cls.g, (x,))
        k = (local, cls.g)
        return x

    @R.function
    def g(y: R.Tensor((n,), "float32")) -> R.Any:
        return y
""")
    assert names(checked) == ["f"]


def test_what_nobody_outside_uses_is_no_output() -> None:
    """Whether it stays for what is inside, or not; but a scalar that the type of another mentions is one."""
    checked = swept("""
    @R.function
    def main(x: R.Tensor((n, 3), dtype="float32")):
        with R.dataflow():
            a = R.exp(x)
            b = R.add(a, a)
            c = R.add(x, x)
            R.output(a, b, c)
        return b
""")
    assert names(checked) == ["a", "b"]
    assert checked.module.relax_functions()["main"].body.blocks[0].outputs == ("b",)
