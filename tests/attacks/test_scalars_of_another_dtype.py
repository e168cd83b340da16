"""A scalar of another dtype is refused by a typed program and by a built one, run and compiled.

Spec: ``ev/param-dtype``, ``vm/check-prim-value-info``, ``lo/check-spelled``.
"""

from __future__ import annotations

from functools import cache
from typing import Any

import numpy as np
import pytest

import refrelax as rr
from refrelax.errors import Returned, Trapped
from refrelax.judge.bad_calls import refused
from refrelax.judge.validate import Refuted, validate
from refrelax.lower.pipeline import lower
from refrelax.semantics.values import Prim, Shape
from refrelax.syntax.types import PrimType

ALONE = """
@I.ir_module
class Module:
    @R.function
    def main(k: R.Prim("{0}")) -> R.Prim("{0}"):
        return k
"""
FIELD = """
@I.ir_module
class Module:
    @R.function
    def main(t: R.Tuple(R.Prim("{0}"), R.Tensor((2, 3), "float32"))) -> R.Prim("{0}"):
        k = t[0]
        return k
"""
WIDTHS = ("int64", "int32", "uint8", "bool", "float32", "float64", "float16")


@cache
def _pair(text: str, dtype: str) -> tuple[Any, Any]:
    typed = rr.check(rr.parse(text.format(dtype)))
    return typed, lower(typed, passes=("build",)).module


@pytest.mark.parametrize("text", [ALONE, FIELD])
@pytest.mark.parametrize("dtype", ["int64", "bool", "float32", "float64"])
def test_another_dtype_is_refused_by_all(text: str, dtype: str) -> None:
    typed, built = _pair(text, dtype)
    for other in WIDTHS:
        k = Prim(other, True if other == "bool" else 1)
        arg: Any = k if text is ALONE else (k, np.ones((2, 3), "float32"))
        for program in (typed, built):
            for outcome in (rr.run(program, "main", arg), rr.compile(program, backend="numpy").run("main", arg)):
                if other == dtype:
                    assert isinstance(outcome, Returned)
                else:
                    assert isinstance(outcome, Trapped) and outcome.rule == "ev/param-dtype"


def test_a_check_without_a_context_tells_what_a_number_is() -> None:
    program = rr.check(
        rr.parse("""
@I.ir_module
class Module:
    @R.function(pure=False)
    def main(k: R.Any) -> R.Any:
        R.call_packed("vm.builtin.check_prim_value_info", k, R.dtype("float32"), "", ty_args=(R.Tuple,))
        return k
""")
    )
    assert rr.run(program, "main", 0.5).value == 0.5
    assert isinstance(rr.run(program, "main", Prim("float64", 0.5)), Trapped)


def test_validate_asks_for_scalars_of_another_dtype_and_number() -> None:
    text = """
@I.ir_module
class Module:
    @R.function(pure=False)
    def main(k: {}, s: R.Any) -> R.Any:
        return s
"""
    typed = rr.check(rr.parse(text.format('R.Prim("int64")')))
    erased = rr.check(rr.parse(text.format("R.Any")))
    found = validate(typed, erased)
    assert isinstance(found, Refuted) and found.counterexample is not None
    assert not isinstance(found.counterexample.args[0], int)
    asked = [args[0] for args in refused([3], [PrimType("int64")])]
    assert {"int32", "bool", "float32"} <= {each.dtype for each in asked if isinstance(each, Prim)}
    assert Prim("int64", 4) in asked and Shape((1,)) in asked
