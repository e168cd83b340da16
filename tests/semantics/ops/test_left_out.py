"""What a call leaves out at its end may be missing from the tree as well: modules that are made as data have no reader
that fills in what is void."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

import refrelax as rr
from refrelax.syntax.graph import Call
from refrelax.syntax.module import Module
from tests.contents import contents

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
        assert contents(found.value) == contents(wanted.value), count


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


NMS = """
@I.ir_module
class Module:
    @R.function
    def main(x: R.Tensor((1, 5, 6), "float32"), v: R.Tensor((1,), "int32"), i: R.Tensor((1, 5), "int32")):
        r = R.vision.non_max_suppression(
            x, v, i, iou_threshold=0.9, top_k={}, score_index=1, coord_start=2, id_index=0, return_indices=False
        )
        return r
"""


def test_the_best_of_none_are_all() -> None:
    """``top_k`` of 0 and below takes all, as does one of more than there are."""
    rows = [[0.0, 0.5 + 0.1 * k, 3.0 * k, 0.0, 3.0 * k + 1.0, 1.0] for k in range(5)]
    args = [rr.Tensor.of([rows], "float32"), rr.Tensor.of([5], "int32"), rr.Tensor.of([[0, 1, 2, 3, 4]], "int32")]
    found = {}
    for top in (-1, 0, 2, 4, 5, 6):
        ended = rr.run(rr.check(rr.parse(NMS.format(top))), "main", *args)
        assert isinstance(ended, rr.Returned)
        found[top] = contents(ended.value)
    assert found[-1] == found[0] == found[5] == found[6]
    assert len({repr(found[k]) for k in (2, 4, 5)}) == 3


ALL_CLASS = """
@I.ir_module
class Module:
    @R.function
    def main(
        b: R.Tensor((1, 3, 4), "{0}"), s: R.Tensor((1, 2, 3), "{0}"), o: R.Tensor((), "{0}"), t: R.Tensor((), "{0}")
    ):
        r = R.vision.all_class_non_max_suppression(b, s, R.const(2, "int64"), o, t, output_format="tensorflow")
        return r
"""


def test_scores_come_as_float32_from_every_dtype() -> None:
    boxes = [[[0.0, 0.0, 1.0, 1.0], [3.0, 0.0, 4.0, 1.0], [6.0, 0.0, 7.0, 1.0]]]
    scores = [[[0.5, 0.25, 0.75], [0.125, 1.0, 0.375]]]
    found = set()
    for dtype in ("float32", "float16", "float64"):
        args = [rr.Tensor.of(each, dtype) for each in (boxes, scores, 0.5, 0.0)]
        ended = rr.run(rr.check(rr.parse(ALL_CLASS.format(dtype))), "main", *args)
        assert isinstance(ended, rr.Returned), ended
        found.add(repr(contents(ended.value)))
    assert len(found) == 1


FMA = """
@I.ir_module
class Module:
    @R.function
    def main(s: R.Shape(ndim=2), u: R.Shape(ndim=2), a: R.Tensor(s, "float32"), b: R.Tensor({}, "float32"), c: R.Tensor({}, "float32")):
        r = R.ewise_fma(a, b, c)
        return r
"""  # noqa: E501


def test_a_named_shape_of_all_three_is_that_of_the_result() -> None:
    for b in "su":
        for c in "su":
            found: Any = rr.check(rr.parse(FMA.format(b, c))).types["main"]["r"]
            assert found.shape == ("s" if b == c == "s" else None), (b, c, found)
