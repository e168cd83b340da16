"""Texts for older wheels. They are read by us, too: what 0.25 wrote is a spelling that the reader knows."""

from __future__ import annotations

from contextlib import closing

import pytest

import refrelax as rr
from refrelax.interop.tvm import TvmPasses
from refrelax.interop.tvm.process import find_python
from refrelax.interop.tvm.spelling import text_for

PROGRAM = """
n, m, k = TypeVar("n"), TypeVar("m"), TypeVar("k")
@I.ir_module
class Module:
    @T.prim_func(private=True, s_tir=True)
    def twice(A: T.Buffer((n, T.int64(3)), "float32"), B: T.Buffer((n, T.int64(3)), "float32")):
        for i, j in T.grid(n, T.int64(3)):
            with T.sblock("twice"):
                vi, vj = T.axis.remap("SS", [i, j])
                B[vi, vj] = A[vi, vj] * T.float32(2)

    @R.function(pure=False)
    def main(x: R.Tensor((n, 3), "float32"), s: R.Shape([n * 2, m]), p: T.int64) -> R.Any:
        k = T.int64()
        cls = Module
        y = R.call_tir(cls.twice, (x,), out_ty=R.Tensor((n, 3), "float32"))
        z = R.match_cast(R.reshape(y, R.shape([n * 3])), R.Tensor((k,), "float32"))
        q = R.call_packed("R.Any", z, ty_args=(R.Any,))
        return (q, R.str("out_ty="))
"""


def test_the_current_edition_is_the_canonical_text() -> None:
    module = rr.parse(PROGRAM)
    for version in ("0.27.0", "0.27.0.post1", "0.28.dev3", "1.0", "", "unknown"):
        assert text_for(version, module) == rr.print_module(module)


@pytest.mark.parametrize(("version", "there", "gone"), [
    ("0.26.0", ['R.Tensor(("n", 3)', 'R.Shape(["n * 2", "m"])', "n = T.int64()", "out_ty=", "-> R.Any"], ["TypeVar"]),
    ("0.25.0.post1", ['R.Prim("int64")', "out_sinfo=", "sinfo_args=(R.Object", "-> R.Object", '"R.Any"', '"out_ty="'],
     ["TypeVar", "out_ty=R", "R.Prim(\"float32\")"]),
])  # fmt: skip
def test_words_of_their_time(version: str, there: list[str], gone: list[str]) -> None:
    module = rr.parse(PROGRAM)
    text = text_for(version, module)
    assert [each for each in there if each not in text] == [] and [each for each in gone if each in text] == [], text
    again = rr.parse(text)
    assert rr.structural_equal(again, module) and rr.check(again)


VAR_LEN = """
@I.ir_module
class Module:
    @R.function
    def main(a: R.Tensor((1, 3, 1, 1), "float32"), d: R.Tensor((3,), "int32"), e: R.Tensor((), "int32")):
        c: R.Tensor((), "bool") = R.const(True)
        if c:
            g = R.nn.attention_var_len(a, a, a, d, e, d, e)
        else:
            g = R.nn.attention_var_len(a, a, a, d, e, d, e)
        return g
"""


def test_arguments_that_tvm_reads_in_another_order_than_it_prints_them() -> None:
    """The lengths stand before the starts of the keys in a call, and after them in the IR, and so in printed text."""
    module = rr.parse(VAR_LEN)
    assert rr.print_module(module).count("(a, a, a, d, d, e, e, ") == 2
    assert text_for("0.27.0.post1", module).count("(a, a, a, d, e, d, e, ") == 2


@pytest.mark.tvm
@pytest.mark.skipif(find_python() is None, reason="no interpreter with TVM")
def test_such_arguments_are_read_as_they_are_meant() -> None:
    with closing(TvmPasses()) as passes:
        read = next(iter(passes.stages(rr.parse(VAR_LEN), "zero")))
    assert read.text.count("(a, a, a, d, d, e, e, ") == 2
