"""Every public value goes through pickle and copy: process pools, caches, xdist."""

from __future__ import annotations

import copy
import pickle
from collections.abc import Callable
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

import refrelax as rr
from refrelax.backends.errors import Unsupported
from refrelax.errors import trap
from refrelax.judge import StagesEnded
from refrelax.semantics.numbers import READINGS, exact, reading
from refrelax.semantics.numbers.poison import noted, poison

TEXT = """
from tvm.script import ir as I, relax as R
@I.ir_module
class Module:
    @R.function
    def main(x: R.Tensor(("n",), "float32")) -> R.Tensor(("n",), "float32"):
        y = R.add(x, x)
        return y
"""
MODULE = rr.parse(TEXT)
CHECKED = rr.check(MODULE)
OTHER = rr.check(rr.parse(TEXT.replace("R.add", "R.multiply")))


def raised(function: Callable[[], object]) -> BaseException:
    with pytest.raises(Exception) as caught:
        function()
    return caught.value


VALUES: dict[str, Callable[[], Any]] = {
    "Module": lambda: rr.bind_constants(MODULE, {0: [1.0]}),
    "CheckedModule": lambda: CHECKED,
    "Tensor": lambda: rr.Tensor.of([[1.0, float("nan")]], "bfloat16"),
    "Tensor of bools": lambda: rr.Tensor.of([True, False]),
    "Budget": lambda: rr.Budget(steps=3),
    "values": lambda: (rr.Shape((1, 2)), rr.DType("float32"), rr.Prim("int64", 3), rr.Inside(1.0)),
    "Event": lambda: rr.trace(CHECKED, "main", [1.0]),
    "Proved": lambda: rr.prove("(x // 3) // 4 == x // 12"),
    "Refuted": lambda: rr.prove("n > 3"),
    "Unknown": lambda: rr.prove("n*n*n + m*m*m != 33", effort="quick"),
    "Remark": lambda: list(rr.remarks(CHECKED)),
    "Lowered": lambda: rr.lower(CHECKED),
    "validation": lambda: rr.validate(CHECKED, rr.lower(CHECKED).module),
    "Counterexample": lambda: rr.validate(CHECKED, OTHER),
    "Agreement": lambda: rr.diff(CHECKED, "main", [[1.0, 2.0]], impl="numpy"),
    "case": lambda: rr.conformance.run_case(rr.conformance.load()[0]),
    "Malformed": lambda: raised(lambda: rr.parse("(")),
    "IllFormed": lambda: raised(lambda: rr.check(rr.parse(TEXT.replace("x, x", "x, q")))),
    "UsageError": lambda: raised(lambda: rr.run(CHECKED, "other")),
    "RunError": lambda: rr.RunError(rr.Trapped("a/b", "so")),
    "Ended": lambda: trap("a/b", "so"),
    "ImplementationFailed": lambda: rr.conformance.ImplementationFailed("crash", "so"),
    "Unsupported": lambda: Unsupported("R.add"),
    "exact.Unsupported": lambda: exact.Unsupported("sqrt"),
    "StagesEnded": lambda: StagesEnded("Fuse", "error", "so"),
}

WAYS = {"pickle": lambda value: pickle.loads(pickle.dumps(value)), "copy": copy.deepcopy}


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("name", VALUES)
def test_a_public_value_comes_back_as_it_was(name: str, way: str) -> None:
    value = VALUES[name]()
    back = WAYS[way](value)
    if isinstance(value, BaseException):
        assert type(back) is type(value) and str(back) == str(value) and vars(back) == vars(value)
    else:
        assert back == value


@pytest.mark.parametrize("name", sorted(READINGS))
def test_outcomes_of_every_reading(name: str) -> None:
    outcome = rr.run(CHECKED, "main", [1.0, 2.0], numerics=name)
    back = pickle.loads(pickle.dumps(outcome))
    assert back == outcome and back.value.core.numerics.name == name
    assert back.value.core.numerics is back.arguments[0].core.numerics
    if name not in ("sampled", "symbolic"):
        assert back.value.core.numerics is reading(name)


def test_poison_and_truths_are_the_same_objects_again() -> None:
    ieee = reading("ieee")
    for each in (poison("a/b"), noted("a/b", "so"), ieee.truth(True), ieee.truth(False)):
        assert pickle.loads(pickle.dumps(each)) is each and copy.deepcopy(each) is each


def test_an_executable_is_compiled_again() -> None:
    back = pickle.loads(pickle.dumps(rr.compile(CHECKED)))
    assert back.run("main", [1.0]) == rr.compile(CHECKED).run("main", [1.0])


def test_memory_that_two_tensors_share_is_shared_again() -> None:
    x = rr.Tensor.of([1.0, 2.0])
    one, other = pickle.loads(pickle.dumps((x, rr.Tensor(x.core))))
    one.assign([3.0, 4.0])
    assert other.tolist() == [3.0, 4.0] and x.tolist() == [1.0, 2.0]


@given(st.lists(st.floats(width=32), min_size=1), st.lists(st.floats(width=32), min_size=1))
def test_tensors_are_equal_if_their_bits_are(a: list[float], b: list[float]) -> None:
    x, y = rr.Tensor.of(a, "float32"), rr.Tensor.of(b, "float32")
    assert (x == y) is ((x.shape, x.tobytes()) == (y.shape, y.tobytes()))
    assert pickle.loads(pickle.dumps(x)) == x and hash(rr.Tensor.of(a, "float32")) == hash(x)
    assert x != rr.Tensor.of(a, "float64") and x != a
