"""A number that is given is one of its parameter's dtype, or refused: typed and built programs, run and compiled.

Spec: ``docs/decisions.md``, *A number that is given*.
"""

from __future__ import annotations

from functools import cache
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import refrelax as rr
from refrelax.backends.numpy_.border import inward as to_numpy
from refrelax.errors import Returned, UsageError
from refrelax.lower.pipeline import lower
from refrelax.running.scalars import scalar
from refrelax.semantics.values import Prim, Shape
from refrelax.syntax import bits, dtypes
from refrelax.syntax.types import PrimType, ShapeType

ALONE = """
@I.ir_module
class Module:
    @R.function
    def main(k: R.Prim("{0}")) -> R.Prim("{0}"):
        return k
"""
WIDTHS = ("int64", "int32", "uint8", "bool", "float32", "float64", "float16")


@cache
def _pair(text: str, dtype: str) -> tuple[Any, Any]:
    typed = rr.check(rr.parse(text.format(dtype)))
    return typed, lower(typed, passes=("build",)).module


@settings(max_examples=150, deadline=None)
@given(
    dtype=st.sampled_from(WIDTHS),
    value=st.one_of(
        st.booleans(), st.integers(-(2**70), 2**70), st.sampled_from([2**63, -(2**63) - 1, 10**400]), st.floats(),
        st.sampled_from([65520.0, 65519.0, 1e300, 3.5e38, 0.1]),
    ),
)  # fmt: skip
def test_a_number_is_one_of_the_dtype_or_refused(dtype: str, value: bool | int | float) -> None:
    typed, built = _pair(ALONE, dtype)
    try:
        wanted = scalar(dtype, value)
    except UsageError:
        for program in (typed, built):
            with pytest.raises(UsageError, match="expected a"):
                rr.run(program, "main", value)
        with pytest.raises(UsageError, match="expected a"):
            to_numpy(value, PrimType(dtype))
        return
    pattern = bits.encode(dtype, wanted)
    assert bits.encode(dtype, bits.decode(dtype, pattern)) == pattern
    if dtypes.kind(dtype) in ("int", "uint"):
        assert wanted == value and isinstance(wanted, int)
    for program in (typed, built):
        outcome = rr.run(program, "main", value)
        assert isinstance(outcome, Returned) and repr(outcome.value) == repr(wanted)
    assert repr(to_numpy(value, PrimType(dtype))) == repr(wanted)


def test_a_float_rounds_to_its_parameter_and_does_not_leave_it() -> None:
    assert scalar("float32", 0.1) == float(np.float32(0.1)) != 0.1
    assert scalar("float32", float("inf")) == float("inf")
    for dtype, value in [("float32", 1e300), ("float16", 65520), ("int64", 2**63), ("int64", 1.5), ("uint8", -1)]:
        with pytest.raises(UsageError, match=dtype):
            scalar(dtype, value)
    with pytest.raises(UsageError, match="int64"):
        rr.run(_pair(ALONE, "int64")[0], "main", 2**63)
    with pytest.raises(UsageError, match="int64"):
        rr.run(_pair(ALONE, "int64")[0], "main", Prim("int64", 2**63))


def test_a_nested_list_holds_numbers() -> None:
    program = rr.check(
        rr.parse("""
@R.function
def main(x: R.Tensor((2, 2), "float32")):
    return x
""")
    )
    for bad in (
        [np.ones(2), np.ones(2)],
        [["a", 1], [2, 3]],
        [[None, 1], [2, 3]],
        [[1j, 1], [2, 3]],
        [[{}, 1], [2, 3]],
    ):
        with pytest.raises(UsageError, match=r"expected numbers in a nested list|a list of arrays is no tensor"):
            rr.run(program, "main", bad)
        with pytest.raises(UsageError, match=r"expected numbers in a nested list|a list of arrays is no tensor"):
            rr.compile(program, backend="numpy").run("main", bad)
    good = [[np.float32(1), np.int64(2)], [np.array(3), np.bool_(True)]]
    assert rr.run(program, "main", good).value.tolist() == [[1, 2], [3, 1]]


@pytest.mark.parametrize("dims", [["a"], [1.5], [None], [2**63], [np.ones(2)]])
def test_a_shape_holds_whole_numbers(dims: list[Any]) -> None:
    program = rr.check(
        rr.parse("""
@R.function
def main(s: R.Shape(ndim=1)):
    return s
""")
    )
    with pytest.raises(UsageError):
        rr.run(program, "main", dims)
    with pytest.raises(UsageError):
        to_numpy(dims, ShapeType(None, 1))
    assert rr.run(program, "main", [np.int64(3)]).value == Shape((3,))
