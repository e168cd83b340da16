"""An index map gives integers, by arithmetic on its parameters alone: in a text and in a tree."""

from __future__ import annotations

import pytest

import refrelax as rr

MODULE = """
@I.ir_module
class Module:
    @R.function
    def main(a: R.Tensor((2, 4), "int32"), b: R.Tensor(("n",), "int32")):
        gv = R.layout_transform(a, index_map={map})
        return gv
"""


@pytest.mark.parametrize(
    ("result", "rule"),
    [
        ("T.float32(1)", "wf/shape-integer"),
        ("i < j", "wf/shape-integer"),
        ("T.Broadcast(i, 2)", "wf/scalar-form"),
        ("T.undef()", "wf/scalar-form"),
        ("i + n", "wf/symbol-defined"),
    ],
)
@pytest.mark.parametrize(
    "of", ["lambda i, j: (j, {})", "T.index_map(lambda i, j: (j, i), inverse_index_map=lambda i, j: (j, {}))"]
)
def test_what_is_no_integer_of_its_parameters_is_refused(of: str, result: str, rule: str) -> None:
    module = rr.parse(MODULE.format(map=of.format(result)))
    for each in (module, rr.from_json(rr.to_json(module))):
        with pytest.raises(rr.IllFormed, match=rule):
            rr.check(each)


def test_conversions_are_arithmetic() -> None:
    text = MODULE.format(map='lambda i, j: (j, T.Cast("int32", T.sqrt(T.Cast("float32", i))))')
    a = rr.Tensor.of([[0, 1, 2, 3], [4, 5, 6, 7]], "int32")
    ended = rr.run(rr.check(rr.parse(text)), "main", a, rr.Tensor.of([0], "int32"))
    assert isinstance(ended, rr.Returned) and ended.value.tolist() == [[0, 4], [1, 5], [2, 6], [3, 7]]
