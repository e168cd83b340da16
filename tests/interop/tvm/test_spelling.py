"""Texts for older wheels. They are read by us, too: what 0.25 wrote is a spelling that the reader knows."""

from __future__ import annotations

import pytest

import refrelax as rr
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
