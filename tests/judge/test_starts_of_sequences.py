"""Loops that read from elements where sequences begin are proved to be ``attention_var_len``, or not."""

from __future__ import annotations

import re

import pytest

import refrelax as rr
from refrelax.judge import pointwise
from refrelax.judge.evidence import Proved
from refrelax.judge.legalized import legalized

OPERATOR = """
from tvm.script import ir as I, relax as R, tirx as T
n, m, s, b = T.int64(), T.int64(), T.int64(), T.int64()

@I.ir_module
class Module:
    @R.function
    def main(q: R.Tensor((b, n, 2, 4), "float32"), k: R.Tensor((b, m, 1, 4), "float32"),
             v: R.Tensor((b, m, 1, 3), "float32"), sq: R.Tensor((s,), "int32"), sk: R.Tensor((s,), "int32"),
             most: R.Tensor((), "int32")):
        with R.dataflow():
            gv = R.nn.attention_var_len(q, k, v, sq, most, sk, most, causal_mask="BottomRight")
            R.output(gv)
        return gv
"""


@pytest.mark.thorough
def test_a_nest_of_sequences_is_proved_for_all_sizes() -> None:
    """Once its origin is forgotten, too; one key more or less is another result."""
    operator = rr.check(rr.parse(OPERATOR))
    (loops,), _ = legalized(operator)
    text = re.sub(r'"Origin": .*"tirx.noalias"', '"tirx.noalias"', rr.print_module(loops))
    inside, reached = re.compile(r"(T.Cast\(.+?\)) <= (v_r0_4) and v_r0_4 < (value\S+),"), "d[v_r0]) <= v_i0_1"
    assert "Origin" not in text and inside.search(text) and reached in text

    def found(other: str) -> Proved | str:
        return pointwise.attempt(operator, rr.check(rr.parse(other)), "main")

    assert isinstance(found(text), Proved)
    for wrong in (
        inside.sub(r"\1 <= \2 and \2 <= \3,", text),
        inside.sub(r"\1 < \2 and \2 < \3,", text),
        text.replace(reached, "d[v_r0]) < v_i0_1"),
    ):
        assert not isinstance(found(wrong), Proved)
