"""What is remembered of origins: so many, those that were asked for last."""

from __future__ import annotations

from collections import OrderedDict

import pytest

import refrelax as rr
from refrelax.lower.origins import vouched
from refrelax.lower.origins.text import hint, hinted, unhinted
from refrelax.lower.origins.vouched import Claimed, claimed, remembered, with_origin
from refrelax.lower.pipeline import lower
from refrelax.syntax.loops import PrimFunc

TEXT = """
from tvm.script import ir as I, relax as R

@I.ir_module
class Module:
    @R.function
    def main(x: R.Tensor(("n",), "float32")):
        y = R.exp(x)
        z = R.sin(y)
        w = R.tanh(z)
        return w
"""


@pytest.fixture
def funcs(monkeypatch: pytest.MonkeyPatch) -> list[PrimFunc]:
    monkeypatch.setattr(vouched, "_KNOWN", OrderedDict())
    monkeypatch.setattr(vouched, "MOST", 2)
    made = lower(rr.check(rr.parse(TEXT)), passes=("legalize",)).module.module
    vouched.forget()
    return list(made.prim_funcs().values())


def test_so_many_are_remembered(funcs: list[PrimFunc]) -> None:
    first, second, third = funcs
    assert remembered(first, None) is False and remembered(second, None) is False
    assert vouched.vouched(second) is False and vouched.vouched(first) is False
    remembered(third, None)
    assert [vouched.vouched(each) for each in funcs] == [False, None, False]
    vouched.forget()
    assert [vouched.vouched(each) for each in funcs] == [None] * 3


def test_what_is_claimed(funcs: list[PrimFunc]) -> None:
    func = funcs[0]
    bare = unhinted(func)
    assert hint(func) and not hint(bare) and claimed(bare) is None
    said = claimed(func)
    assert said is not None and not said.sure, "nothing is known yet"
    again = with_origin(bare, said)
    assert hint(again) == hint(func) and vouched.vouched(again) is None
    sure = with_origin(func, Claimed(said.origin, True))
    assert sure == hinted(bare, said.origin) and vouched.vouched(sure) is said.origin
    assert claimed(sure) == Claimed(said.origin, True)
    assert with_origin(func, None) == bare
    remembered(func, None)
    assert claimed(func) is None, "no proof of it was found"
