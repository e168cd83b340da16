"""What one run over unknown elements does not show: PROVED-AT is never said of arguments that had one value in it.

Each row: what is chosen once, the two programs, which differ at another choice, and the words that are right.
"""

from __future__ import annotations

import pytest

import refrelax as rr

LOOPS = """
@I.ir_module
class Module:
    @T.prim_func(s_tir=True)
    def main(A: T.Buffer(({n},), "float32"), C: T.Buffer(({n},), "float32"), k: T.int64):
        for i in range({n}):
            C[i] = {value}
"""
GRAPH = """
n = TypeVar("n")
@I.ir_module
class Module:
    @R.function
    def main(x: {type}, s: {other}):
        {line}
        y = R.add({value}, {value})
        return y
"""
VECTOR, FIRST = 'R.Tensor(ndim=1, dtype="float32")', 'z = R.match_cast(x, R.Tensor((n,), "float32"))'
RARE = "T.if_then_else(k * k == T.int64(152399025), A[i] + T.float32(1), A[i])"


def graph(type_: str, other: str, value: str, line: str = "z = x") -> str:
    return GRAPH.format(type=type_, other=other, value=value, line=line)


ATTACKS = {
    "a scalar parameter": (LOOPS.format(n=4, value="A[i]"), LOOPS.format(n=4, value=RARE)),
    "a tensor of any extent": (
        graph(VECTOR, VECTOR, "z", FIRST),
        graph(VECTOR, VECTOR, "R.strided_slice(z, [0], [0], [1000])", FIRST),
    ),
    "a shape of any extent": (
        graph('R.Tensor((2,), "float32")', "R.Shape(ndim=1)", "R.full(s, R.const(0.1, 'float32'))"),
        graph('R.Tensor((2,), "float32")', "R.Shape(ndim=1)", "R.ones(s, 'float32') * R.const(0.1, 'float32')"),
    ),
}


@pytest.mark.thorough
@pytest.mark.parametrize("name", ATTACKS)
def test_it_is_not_proved_at_its_only_shape(name: str) -> None:
    before, after = map(rr.parse, ATTACKS[name])
    verdict = rr.validate(before, after)
    assert verdict.word in ("TESTED", "REFUTED"), str(verdict)


def test_a_scalar_that_is_an_extent_has_its_shape() -> None:
    program = LOOPS.replace("k: T.int64", "n: T.int64")
    program = "n = TypeVar('n')\n" + program.replace("{n}", "n")
    before, after = (rr.parse(program.replace("{value}", v)) for v in ("A[i] + A[i] * A[i]", "A[i] * A[i] + A[i]"))
    assert rr.validate(before, after).word in ("PROVED-AT", "PROVED")
