"""A call of a library function is an effect that has to stay, whatever it is called by."""

from __future__ import annotations

import pytest

import refrelax as rr

MODULE = """
@I.ir_module
class Module:
    glob = R.ExternFunc("lib.note")
    @R.function(private=True)
    def given() -> R.Any:
        f = R.ExternFunc("lib.note")
        return f
    @R.function(pure=False)
    def main(x: R.Tensor((4,), "float32")):
        cls = Module
        y = R.add(x, x)
        {body}
        return y
"""
CALLED = {
    "its name": '_ = R.call_packed("lib.note", y, ty_args=(R.Tuple,))',
    "a value": 'f = R.ExternFunc("lib.note"); _ = f(y)',
    "a function of the module": "_ = cls.glob(y)",
    "a value that is a function of the module": "f = cls.glob; _ = f(y)",
    "what a function gives": "f = cls.given(); _ = f(y)",
    "with the context": '_ = R.call_builtin_with_ctx("lib.note", (y,), ty_args=(R.Tuple,))',
}


@pytest.mark.parametrize("how", CALLED)
def test_a_call_that_is_gone_is_seen(how: str) -> None:
    first, second = (
        rr.check(rr.parse(MODULE.format(body=body.replace("; ", "\n        ")))) for body in (CALLED[how], "")
    )
    assert isinstance(rr.validate(first, first, externs={"lib.note": lambda a: ()}), rr.Equivalent)
    assert isinstance(rr.validate(first, second, externs={"lib.note": lambda a: ()}), rr.Refuted)
