"""A symbol that stands alone in a shape is an extent, one that a scalar has defined too: types rest on that."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import refrelax as rr
from refrelax.judge.evidence import Proved
from refrelax.judge.pointwise import attempt
from refrelax.lower.pipeline import lower

MODULE = """
n = TypeVar("n")
@I.ir_module
class Module:
    @R.function
    def main(k: R.Prim("int64"), {param}, x: R.Tensor((n,), "float32")) -> R.Any:
        with R.dataflow():
            a = R.strided_slice(x, axes=[0], begin=[k], end=[6])
            z = R.add(a, a)
            R.output(z)
        return z
"""
PARAMS: dict[str, Any] = {"s: R.Shape((k,))": lambda k: (k,), "s: R.Tuple(R.Shape((k,)))": lambda k: ((k,),)}
X = np.arange(6, dtype="float32")


@pytest.mark.parametrize("param", PARAMS)
@pytest.mark.parametrize("k", [-3, -1, 0, 2, 7])
def test_what_is_lowered_does_what_is_permitted(param: str, k: int) -> None:
    first = rr.check(rr.parse(MODULE.format(param=param)))
    found = rr.run(first, "main", k, PARAMS[param](k), X)
    if k < 0:
        assert isinstance(found, rr.Unspecified) and found.rule == "ev/negative-extent"
        return
    for pipeline in ("legalize", "build"):
        other = rr.run(lower(first, pipeline).module, "main", k, PARAMS[param](k), X)
        assert isinstance(found, rr.Returned) and isinstance(other, rr.Returned)
        assert (np.asarray(found.value) == np.asarray(other.value)).all()


def test_another_number_is_refused_as_before() -> None:
    first = rr.check(rr.parse(MODULE.format(param="s: R.Shape((k,))")))
    found = rr.run(first, "main", 3, (-3,), X)
    assert isinstance(found, rr.Trapped) and found.rule == "ev/param-shape"


CAST = """
n = TypeVar("n")
@I.ir_module
class Module:
    @R.function
    def main(k: R.Prim("int64"), x: R.Tensor((n,), "float32")) -> R.Any:
        s = R.shape([k])
        {name} = R.{call}
        return s
"""


def test_a_check_against_a_scalar_is_not_nothing() -> None:
    first = rr.check(rr.parse(CAST.format(name="t", call="add(x, x)")))
    second = rr.check(rr.parse(CAST.format(name="t", call="match_cast(s, R.Shape((k,)))")))
    assert isinstance(rr.run(first, "main", -3, X), rr.Returned)
    assert isinstance(rr.run(second, "main", -3, X), rr.Unspecified)
    assert not isinstance(attempt(first, second, "main"), Proved)
    assert isinstance(attempt(second, first, "main"), Proved)
