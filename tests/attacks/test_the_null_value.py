"""The null value is no empty tuple: a library function is given the one or the other, and so is who reads a result."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import refrelax as rr
from refrelax.judge.evidence import Proved
from refrelax.judge.pointwise import attempt
from refrelax.running.run import run
from tests.attacks.rare_branch import checked

GIVEN = """
@I.ir_module
class Module:
    @R.function
    def main(x: R.Tensor((3,), "float32")) -> R.Tensor((3,), "float32"):
        u = {value}
        v = R.call_pure_packed("ext", x, u, ty_args=R.Tensor((3,), "float32"))
        return v
"""


def _given(value: str) -> rr.CheckedModule:
    return rr.check(rr.parse(GIVEN.format(value=value)))


def _returned(value: str, packed: str) -> rr.CheckedModule:
    rare, other = (f"{name} = {of}\nv = {packed.format(name)}" for name, of in (("w", value), ("u", "R.tuple()")))
    return checked('x: R.Tensor((n,), "float32")', rare, other)


@pytest.mark.parametrize(("one", "two"), [("R.null_value()", "R.tuple()"), ("R.tuple()", "R.null_value()")])
def test_a_library_function_that_is_given_another_is_not_the_same_call(one: str, two: str) -> None:
    first, second = _given(one), _given(two)
    seen: list[Any] = []

    def ext(x: Any, u: Any) -> Any:
        seen.append(u)
        return x

    for each in (first, second):
        run(each, "main", np.ones(3, "float32"), externs={"ext": ext})
    assert seen[0] != seen[1]
    assert not isinstance(attempt(first, second, "main"), Proved)
    assert isinstance(attempt(first, _given(one + "\n        _ = x"), "main"), Proved)


@pytest.mark.parametrize("packed", ["{}", "(x, {})"])
def test_a_result_that_is_null_at_one_shape_is_no_proof(packed: str) -> None:
    first, second = _returned("R.tuple()", packed), _returned("R.null_value()", packed)
    assert not isinstance(attempt(first, second, "main"), Proved)
    assert not isinstance(attempt(second, first, "main"), Proved)
    assert isinstance(attempt(first, first, "main"), Proved)
