"""A built entry whose signature has extents that are computed: it is proved, and a wrong one is not."""

from __future__ import annotations

import pytest

import refrelax as rr
from refrelax.judge.evidence import Proved
from refrelax.judge.pointwise import attempt
from refrelax.semantics.types.checked import CheckedModule


def typed(params: str, result: str) -> CheckedModule:
    return rr.check(
        rr.parse(f"""
n = TypeVar("n")
g = TypeVar("g")
@I.ir_module
class Module:
    @R.function
    def main({params}) -> R.Tensor(({result}), "float32"):
        with R.dataflow():
            y = R.exp(x)
            R.output(y)
        return y
""")
    )


def built(module: CheckedModule) -> CheckedModule:
    return rr.lower(module, pipeline="build").module


@pytest.mark.parametrize(
    ("params", "result"),
    [
        ('x: R.Tensor((n, g * 8), "float32"), s: R.Tensor((g, 3), "int8")', "n, g * 8"),
        ('s: R.Tensor((g, n), "int8"), x: R.Tensor((n, g + n), "float32")', "n, g + n"),
        ('x: R.Tensor((g * 2,), "float32"), s: R.Tensor((n, g), "int8"), t: R.Tensor((n * 3, 5), "int8")', "g * 2,"),
    ],
)
def test_an_extent_that_is_computed_is_proved(params: str, result: str) -> None:
    first = typed(params, result)
    assert isinstance(attempt(first, built(first), "main"), Proved)


FIRST = typed('x: R.Tensor((n, g * 8), "float32"), s: R.Tensor((g, 3), "int8")', "n, g * 8")
CHECK = '"vm.builtin.match_shape", x, shape_heap, 2, 3, 0, 3, 2, '


@pytest.mark.parametrize(
    ("old", "new"),
    [
        (CHECK, CHECK.replace("3, 2,", "3, 1,")),
        (CHECK, CHECK.replace("3, 2,", "2, 0,")),
        (CHECK, CHECK.replace("x,", "s,")),
        ("H[T.int64(1)] * T.int64(8)", "H[T.int64(1)] * T.int64(4)"),
        ("H[T.int64(1)] * T.int64(8)", "H[T.int64(0)] * T.int64(8)"),
    ],
)
def test_another_extent_is_not(old: str, new: str) -> None:
    text = rr.print_module(built(FIRST).module)
    assert text.count(old) == 1
    assert not isinstance(attempt(FIRST, rr.check(rr.parse(text.replace(old, new))), "main"), Proved)


def test_a_first_program_that_computes_extents_has_no_signature() -> None:
    """It takes calls where the product wraps, and what the annotated program says of those is nothing."""
    assert isinstance(attempt(built(FIRST), FIRST, "main"), str)
