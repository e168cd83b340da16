"""Small operators against what their pages say, written plainly."""

from __future__ import annotations

from collections.abc import Callable
from itertools import product
from typing import Any

import pytest

import refrelax as rr
from refrelax.semantics.numbers import reading
from refrelax.semantics.ops.image import computed_taps
from refrelax.syntax.graph import Function
from refrelax.syntax.write.types import type_text

TEXT = """
n, m = T.int64(), T.int64()

@I.ir_module
class Module:
    @R.function
    def main({params}):
        y = {call}
        return y
"""


def checked(params: str, call: str) -> rr.CheckedModule:
    return rr.check(rr.parse(TEXT.format(params=params, call=call)))


def written(module: rr.CheckedModule) -> Any:
    """The call that is bound."""
    function = module.module.functions["main"]
    assert isinstance(function, Function)
    return function.body.blocks[0].bindings[0].value


COMBINED: dict[str, Callable[[list[float]], float]] = {
    "update": lambda all_: all_[-1], "add": sum, "min": min, "max": max, "mean": lambda all_: sum(all_) / len(all_),
    "mul": lambda all_: all_[0] if len(all_) == 1 else all_[0] * COMBINED["mul"](all_[1:]),
}  # fmt: skip


@pytest.mark.parametrize("reduction", COMBINED)
def test_what_is_stored_more_than_once(reduction: str) -> None:
    x, places, stored = [2.0, -3.0, 8.0, 5.0], [1, 3, 1, -1, 3], [4.0, -2.0, 7.0, 1.0, 6.0]
    found = {k: [v, *(u for i, u in zip(places, stored, strict=True) if i % 4 == k)] for k, v in enumerate(x)}
    module = checked(
        'x: R.Tensor((4,), "float32"), i: R.Tensor((5,), "int64"), u: R.Tensor((5,), "float32")',
        f'R.scatter_elements(x, i, u, axis=0, reduction="{reduction}")',
    )
    ended = rr.run(module, "main", x, rr.Tensor.of(places, "int64"), stored)
    assert isinstance(ended, rr.Returned)
    assert ended.value.tolist() == pytest.approx([COMBINED[reduction](found[k]) for k in range(4)])


@pytest.mark.parametrize(
    ("params", "wanted"),
    [
        ("s: R.Shape([n, m])", 'R.Tensor((2,), dtype="int64")'),
        ("s: R.Shape(ndim=3)", 'R.Tensor((3,), dtype="int64")'),
        ("s: R.Shape", 'R.Tensor(dtype="int64", ndim=1)'),
    ],
)  # fmt: skip
def test_the_tensor_of_a_shape(params: str, wanted: str) -> None:
    assert type_text(checked(params, "R.shape_to_tensor(s)").types["main"]["y"]) == wanted


@pytest.mark.parametrize(("method", "count"), [("linear", 2), ("cubic", 4)])
def test_the_elements_around_a_computed_position(method: str, count: int) -> None:
    call = written(checked(
        'x: R.Tensor((1, 1, 4, 4), "float32")',
        f'R.image.resize2d(x, R.shape([3, 3]), layout="NCHW", method="{method}", cubic_alpha=-0.5)',
    ))  # fmt: skip
    f: Any = reading("exact").at("float32")
    for base, rest in product((0, 2), (0.0, 0.25, 0.5)):
        taps = computed_taps(call, f, f.lit(base + rest), base)
        first = 0 if method == "linear" else -1
        assert [each.at - base for each in taps] == [first + k for k in range(count)]
        assert sum(each.weight for each in taps) == 1
        # a line is found again
        assert sum(each.at * each.weight for each in taps) == base + rest
