"""Both arms of a ``T.Select`` are evaluated: an element that is loaded in the one not taken may race all the same."""

import textwrap

import pytest

import refrelax as rr
from refrelax.judge.evidence import Proved
from refrelax.judge.pointwise import attempt

HEAD = """
@I.ir_module
class Module:
    @T.prim_func
    def main(B: T.Buffer((32,), "float32"), X: T.Buffer((32,), "int32")):
"""
ONE = "for t in T.{kind}(32):\n    X[t] = X[t] + 1\n    B[t] = {value}"
TWO = """for s in T.{kind}(4):
    for t in T.{kind}(8):
        X[s * 8 + t] = X[s * 8 + t] + 1
        B[s * 8 + t] = {value}"""
PLAIN = "T.float32(1)"
ARM = 'T.{choice}({at} < 40, T.float32(1), T.Cast("float32", X[0]))'


def module(text: str, value: str, kind: str) -> rr.CheckedModule:
    return rr.check(rr.parse(HEAD + textwrap.indent(text.format(kind=kind, value=value), " " * 8) + "\n"))


@pytest.mark.parametrize(("text", "at"), [(ONE, "t"), (TWO, "s * 8 + t")], ids=["in step", "by terms"])
def test_an_arm_that_races_is_not_proved(text: str, at: str) -> None:
    def found(kind: str, choice: str) -> object:
        first = module(ONE, PLAIN, kind)
        return attempt(first, module(text, ARM.format(choice=choice, at=at), kind), "main")

    assert not isinstance(found("parallel", "Select"), Proved)
    assert isinstance(found("serial", "Select"), Proved)  # no race
    assert text is ONE or isinstance(found("parallel", "if_then_else"), Proved)  # never evaluated
