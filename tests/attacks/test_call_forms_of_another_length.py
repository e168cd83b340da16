"""``R.make_closure`` of one argument was accepted, and its run ended in an `IndexError`: only some of the call forms
were asked how many arguments they have (``ty/call-form-arguments``). A tree can say any number, a text cannot.
"""

from __future__ import annotations

import json
from typing import Any

import pytest

import refrelax as rr
from refrelax.semantics.ops.forms import CALL_FORMS

TEXT = """
@I.ir_module
class Module:
    @R.function(private=True)
    def minus(a: R.Tensor((4,), "float32"), b: R.Tensor((4,), "float32")) -> R.Tensor((4,), "float32"):
        return R.subtract(a, b)

    @R.function(pure=False)
    def main(x: R.Tensor((4,), "float32")):
        cls = Module
        c = R.make_closure(cls.minus, (x,))
        r = R.invoke_closure(c, (x,), ty_args=(R.Tensor((4,), "float32"),))
        s = R.invoke_pure_closure(c, (x,), ty_args=(R.Tensor((4,), "float32"),))
        t = R.call_builtin_with_ctx("vm.builtin.copy", (x,), ty_args=(R.Tensor((4,), "float32"),))
        return x
"""
COUNTED = {"relax.make_closure", "relax.invoke_closure", "relax.invoke_pure_closure", "relax.call_builtin_with_ctx"}


def with_arguments(name: str, count: int) -> rr.Module:
    tree = json.loads(rr.to_json(rr.parse(TEXT)))
    calls = list[dict[str, Any]]()

    def look(each: Any) -> None:
        if isinstance(each, dict) and each.get("node") == "Call" and each["op"].get("name") == name:
            calls.append(each)
        for inner in each.values() if isinstance(each, dict) else each if isinstance(each, list) else ():
            look(inner)

    look(tree)
    (call,) = calls
    call["args"] = (call["args"] + call["args"][1:])[:count]
    return rr.from_json(json.dumps(tree))


@pytest.mark.parametrize("count", range(4))
@pytest.mark.parametrize("name", sorted(COUNTED))
def test_two_arguments_and_no_other_number(name: str, count: int) -> None:
    module = with_arguments(name, count)
    if count == 2:
        rr.run(rr.check(module), "main", args=[rr.Tensor.of([1, 2, 3, 4], "float32")])
        return
    with pytest.raises(rr.Rejection, match="ty/call-form-arguments"):
        rr.check(module)


def test_every_form_is_asked() -> None:
    """The others are asked by the cases of the rule, and packed calls take any number behind the callee."""
    destinations = {name for name, form in CALL_FORMS.items() if form.destinations} | {"relax.dist.call_tir_local_view"}
    packed = {"relax.call_pure_packed", "relax.call_inplace_packed"}
    assert set(CALL_FORMS) == COUNTED | destinations | packed | {"relax.call_py_func"}
