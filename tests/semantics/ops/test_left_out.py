"""What a call leaves out at its end may be missing from the tree as well: modules that are made as data have no reader
that fills in what is void."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

import refrelax as rr
from refrelax.syntax.graph import Call
from refrelax.syntax.module import Module

TEXT = """
n = TypeVar("n")
@I.ir_module
class Module:
    @R.function
    def main(x: R.Tensor(("n", 2), "float32")):
        r = R.memory.view({})
        return r
"""


def shortened(module: Module, count: int) -> Module:
    main: Any = module.functions["main"]
    (block,) = main.body.blocks
    *before, binding = block.bindings
    assert isinstance(binding.value, Call) and len(binding.value.args) == 4
    value = replace(binding.value, args=binding.value.args[:count])
    body = replace(main.body, blocks=(replace(block, bindings=(*before, replace(binding, value=value))),))
    return module.with_functions({"main": replace(main, body=body)})


@pytest.mark.parametrize(
    ("given", "least"),
    [("x", 1), ("x, R.shape([n * 2])", 2), ("x, R.shape([n * 4]), R.dtype('float16')", 3)],
)
def test_a_view_of_which_the_rest_is_left_out(given: str, least: int) -> None:
    whole = rr.parse(TEXT.format(given))
    usual = rr.check(whole)
    x = [[1.0, 2.0], [-3.0, 0.5], [4.0, 8.0]]
    for count in range(least, 5):
        checked = rr.check(shortened(whole, count))
        assert checked.types["main"]["r"] == usual.types["main"]["r"], count
        wanted, found = rr.run(usual, "main", x), rr.run(checked, "main", x)
        assert isinstance(found, rr.Returned) and isinstance(wanted, rr.Returned)
        assert repr(found.value) == repr(wanted.value), count


TYPES = {
    'd: R.Tensor((3,), "int64")': "R.Shape(ndim=3)",
    'd: R.Tensor(("n",), "int64")': "R.Shape(ndim=-1)",
    'd: R.Tensor(dtype="int64", ndim=1)': "R.Shape(ndim=-1)",
}


@pytest.mark.parametrize("given", TYPES)
def test_the_rank_of_a_shape_made_of_elements(given: str) -> None:
    text = f"""
n = TypeVar("n")
@I.ir_module
class Module:
    @R.function
    def main({given}):
        r = R.tensor_to_shape(d)
        return r
"""
    found: Any = rr.check(rr.parse(text)).types["main"]["r"]
    assert str(found) == TYPES[given]


def test_a_message_is_what_a_failed_assertion_says() -> None:
    text = """
@I.ir_module
class Module:
    @R.function(pure=False)
    def main(x: R.Tensor((), "bool")):
        r = R.assert_op({})
        return r
"""
    for given, wanted in (('x, format="of no number"', "of no number"), ("x", "assertion failed")):
        found = rr.run(rr.check(rr.parse(text.format(given))), "main", False)
        assert isinstance(found, rr.Trapped) and wanted in found.message, found
