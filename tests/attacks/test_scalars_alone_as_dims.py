"""A scalar variable that stands alone as a dim is a symbol that has a value: a built program compares where the typed
one does, and what a branch calls by a name is not what a symbol of that name is after it.

Spec: ``lo/check-spelled``, ``lo/symbol-bound``, ``ev/match-binds-symbols``.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import refrelax as rr
from refrelax.errors import Outcome, Trapped
from refrelax.lower.pipeline import lower

HEAD = """
n = TypeVar("n")
m = TypeVar("m")
kk = TypeVar("kk")
@I.ir_module
class Module:
    @R.function
"""

PROGRAMS = {
    "parameter": """
    def main(k: T.int64, d: R.Tensor(("k", "m"), "float32")) -> R.Prim("int64"):
        return R.prim_value(k + m)
""",
    "parameter and a shape": """
    def main(k: T.int64, d: R.Shape(["k", "m"])) -> R.Prim("int64"):
        return R.prim_value(k + m)
""",
    "result": """
    def main(k: T.int64, d: R.Tensor(ndim=2, dtype="float32")) -> R.Tensor((k, 3), "float32"):
        return d
""",
    "made scalar": """
    def main(k: T.int64, d: R.Tensor(ndim=2, dtype="float32")):
        kk = R.prim_value(k * 2 - k)
        z = R.match_cast(d, R.Tensor((kk, m), "float32"))
        return (z, R.prim_value(kk + m))
""",
    "field of a tuple": """
    def main(t: R.Tuple(R.Prim("int64"), R.Prim("int64")), d: R.Tensor(ndim=2, dtype="float32")):
        kk = t[0]
        z = R.match_cast(d, R.Tensor((kk, m), "float32"))
        return (z, kk)
""",
    "cast scalar": """
    def main(k: T.int64, d: R.Tensor(ndim=2, dtype="float32")):
        kk = R.match_cast(k, R.Prim("int64"))
        z = R.match_cast(d, R.Tensor((kk, m), "float32"))
        return (z, kk)
""",
    "symbol named as a variable of a branch": """
    def main(k: T.int64, d: R.Tensor(ndim=2, dtype="float32"), c: R.Tensor((), "bool")):
        if c:
            kk = R.prim_value(k + 1)
            g = R.prim_value(kk + kk)
        else:
            g = R.prim_value(k)
        z = R.match_cast(d, R.Tensor((kk, m), "float32"))
        w = R.prim_value(kk)
        return (z, g, w)
""",
}


def _ends(outcome: Outcome) -> object:
    return outcome.rule if isinstance(outcome, Trapped) else repr(outcome)


def _calls(what: str, k: int, extent: int) -> list[list[Any]]:
    d: Any = (extent, 3) if what == "parameter and a shape" else np.ones((extent, 3), "float32")
    if what == "field of a tuple":
        return [[(k, 7), d]]
    return [[k, d, np.array(c)] for c in (True, False)] if what.startswith("symbol") else [[k, d]]


@pytest.fixture(scope="module", params=PROGRAMS)
def pair(request: pytest.FixtureRequest) -> tuple[str, Any, Any]:
    typed = rr.check(rr.parse(HEAD + PROGRAMS[request.param]))
    lowered = lower(typed, passes=("build",))
    assert "stays" not in str(lowered.steps[-1].evidence)
    return request.param, typed, lowered.module


@pytest.mark.parametrize("k, extent", [(2, 2), (2, 5), (5, 2), (0, 0), (0, 1), (1, 0), (-1, 1)])
def test_a_built_program_ends_as_the_typed_one(pair: tuple[str, Any, Any], k: int, extent: int) -> None:
    what, typed, built = pair
    for args in _calls(what, k, extent):
        wanted = _ends(rr.run(typed, "main", *args))
        assert _ends(rr.run(built, "main", *args)) == wanted
        assert _ends(rr.compile(built, backend="numpy").run("main", *args)) == wanted
        if not what.startswith("symbol"):
            assert (k == extent) == wanted.startswith("Returned")  # type: ignore[attr-defined]


@pytest.mark.thorough
@settings(max_examples=25, deadline=None)
@given(
    dims=st.lists(st.sampled_from(["k", "j", "m", "k + j", "2"]), min_size=1, max_size=3),
    compare=st.booleans(),
    data=st.data(),
)
def test_scalars_among_the_dims(dims: list[str], compare: bool, data: st.DataObject) -> None:
    names = {"k": 2, "j": data.draw(st.sampled_from([1, 2])), "m": 5}
    written = ", ".join(f'"{each}"' for each in dims)
    if "m" not in dims:
        written += ', "m"'
    text = f"""
    def main(k: T.int64, j: T.int64, d: R.Tensor(({written},), "float32")) -> R.Prim("int64"):
        return R.prim_value(k + j * 10 + m * 100)
"""
    typed = rr.check(rr.parse(HEAD + text))
    built = lower(typed, passes=("build",)).module
    right = [eval(each, {}, names) for each in (dims if "m" in dims else [*dims, "m"])]
    shape = right if compare else [data.draw(st.sampled_from([1, 2, 3])) for _ in right]
    args = [names["k"], names["j"], np.zeros(shape, "float32")]
    assert _ends(rr.run(built, "main", *args)) == _ends(rr.run(typed, "main", *args))
