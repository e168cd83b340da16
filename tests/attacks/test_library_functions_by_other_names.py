"""A library function may store in what it is given, and keep it, whatever it is called by: a value, a function of the
module, a call of one."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import refrelax as rr
from refrelax.backends.errors import Unsupported
from refrelax.lower.pipeline import lower

MODULE = """
@I.ir_module
class Module:{more}
    @R.function(private=True, pure=False)
    def work(x: R.Tensor((4,), "float32")):
        cls = Module
        {body}
    @R.function(pure=False)
    def main(x: R.Tensor((4,), "float32")):
        cls = Module
        first = cls.work(x)
        second = cls.work(x)
        return second
"""
GLOB = """
    glob = R.ExternFunc("lib.f")"""
FUNCTION = """
    @R.function(private=True, pure=False)
    def {name}(a: R.Tensor((4,), "float32")) -> R.Tuple:
        cls = Module
        {body}
        return R.tuple()"""
DIRECT = FUNCTION.format(name="helper", body='_ = R.call_packed("lib.f", a, ty_args=(R.Tuple,))')
INNER = FUNCTION.format(name="inner", body='f = R.ExternFunc("lib.f"); _ = f(a)')
LOCAL = """@R.function(pure=False)
        def local(q: R.Tensor((4,), "float32")) -> R.Tuple:
            f = R.ExternFunc("lib.f")
            _ = f(q)
            return R.tuple()
        _1 = local({0})"""
CALLED = {
    "a value": ("", 'f = R.ExternFunc("lib.f"); _1 = f({0})'),
    "a function of the module that is one": (GLOB, "_1 = cls.glob({0})"),
    "a value that is a function of the module": (GLOB, "f = cls.glob; _1 = f({0})"),
    "a function that calls one": (DIRECT, "_1 = cls.helper({0})"),
    "a value that is such a function": (DIRECT, "f = cls.helper; _1 = f({0})"),
    "a function that calls it as a value": (INNER, "_1 = cls.inner({0})"),
    "a function that calls such a one": (
        INNER + FUNCTION.format(name="outer", body="_ = cls.inner(a)"),
        "_1 = cls.outer({0})",
    ),
    "a local function": ("", LOCAL),
    "with the context": ("", '_1 = R.call_builtin_with_ctx("lib.f", ({0},), ty_args=(R.Tuple,))'),
}
X = np.arange(4, dtype="float32")


def _ends(body: str, how: str, passes: list[str]) -> list[Any]:
    text = MODULE.format(more=CALLED[how][0], body=body).replace("; ", "\n        ")
    first = rr.check(rr.parse(text))
    found = []
    for each in (first, lower(first, passes=passes).module):
        kept: list[Any] = []

        def called(a: Any, kept: list[Any] = kept) -> tuple[()]:
            kept.append(a)
            a.assign([10 * each for each in a.tolist()])
            return ()

        out = rr.run(each, "main", X, externs={"lib.f": called, "lib.kept": lambda kept=kept: kept[-1]})
        assert isinstance(out, rr.Returned) and not out.poison, out
        found.append([each.tolist() for each in out.value])
    return found


@pytest.mark.parametrize("how", CALLED)
def test_what_it_may_store_in_is_no_view(how: str) -> None:
    views = "w = R.reshape(y, R.shape([2, 2])); v = R.reshape(w, R.shape([4]))"
    body = f"y = R.add(x, x); {views}; CALL; z = R.add(y, v); return (y, z)"
    first, second = _ends(body.replace("CALL", CALLED[how][1].format("v")), how, ["legalize", "to_destinations"])
    assert first == second == [[0, 2, 4, 6], [0, 22, 44, 66]]


@pytest.mark.parametrize("how", CALLED)
def test_what_it_may_store_in_is_no_constant(how: str) -> None:
    body = 'c = R.const([1.0, 2.0, 3.0, 4.0], "float32"); y = R.add(c, c); CALL; t = R.add(c, c); return (y, t)'
    first, second = _ends(body.replace("CALL", CALLED[how][1].format("y")), how, ["fold_constants"])
    assert first == second == [[20, 40, 60, 80], [2, 4, 6, 8]]


@pytest.mark.parametrize("how", CALLED)
def test_what_it_may_keep_is_given_to_no_other_tensor(how: str) -> None:
    rest = 'b = R.multiply(x, x); c = R.add(b, x); d = R.call_packed("lib.kept", ty_args=(R.Tensor((4,), "float32"),))'
    body = f"a = R.add(x, x); CALL; {rest}; return (c, d)"
    passes = ["legalize", "to_destinations", "plan_memory"]
    first, second = _ends(body.replace("CALL", CALLED[how][1].format("a")), how, passes)
    assert first == second == [[0, 2, 6, 12], [0, 20, 40, 60]]


@pytest.mark.parametrize("how", CALLED)
def test_what_it_may_store_in_is_no_view_of_numpy(how: str) -> None:
    views = "w = R.reshape(y, R.shape([2, 2])); v = R.reshape(w, R.shape([4]))"
    body = f"y = R.add(x, x); {views}; {CALLED[how][1].format('v')}; z = R.add(y, v); return (y, z)"
    text = MODULE.format(more=CALLED[how][0], body=body).replace("; ", "\n        ")

    def called(a: Any) -> tuple[()]:
        a.assign([10 * each for each in a.tolist()])
        return ()

    try:
        made = rr.compile(rr.check(rr.parse(text)), backend="numpy")
    except Unsupported:
        assert how == "with the context"
        return
    out = made.run("main", X, externs={"lib.f": called})
    assert isinstance(out, rr.Returned), out
    assert [each.tolist() for each in out.value] == [[0, 2, 4, 6], [0, 22, 44, 66]]
