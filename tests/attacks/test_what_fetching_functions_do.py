"""Parameters that are fetched by calls, where what is fetched is not what the first program takes.

``validate --correspond`` assumes of a function that nothing tells of that it gives what has the number; not of one that
a contract or the caller defines, not against what a call promises, and of parameters in one order alone.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
import pytest

import refrelax as rr
from refrelax.semantics.builtins.kernels import KERNELS

HEAD = 'k = TypeVar("k")\nm = TypeVar("m")\nn = TypeVar("n")\n\n@I.ir_module\nclass Module:\n'
FOUR = 'R.Tensor((4,), "float32")'


def answer(first: str, second: str, externs: Mapping[str, Any] | None = None) -> Any:
    return rr.validate(rr.parse(HEAD + first), rr.parse(HEAD + second), timeout=20, correspond=True, externs=externs)


def word(first: str, second: str, externs: Mapping[str, Any] | None = None) -> str:
    return str(answer(first, second, externs).word)


def unassumed(first: str, second: str, externs: Mapping[str, Any] | None = None) -> bool:
    """Whether there is no proof, and nothing is assumed of a function."""
    found = answer(first, second, externs)
    return not found.word.startswith("PROVED") and "is assumed" not in str(found)


# --- functions that are defined --------------------------------------------------------------------------------------

TAKEN = f"""    @R.function
    def main(w: {FOUR}):
        return (w,)
"""
FETCHED = f"""    @R.function(pure=False)
    def main():
        g = R.call_packed("get_item", 0, ty_args=(R.Any,))
        w = R.match_cast(g, {FOUR})
        return (w,)
"""
ZEROS = """    @R.function(private=True)
    def meant(k: R.Prim("int64")):
        R.func_attr({"Contract": "get_item"})
        z = R.const([0.0, 0.0, 0.0, 0.0], "float32")
        return z
"""
GIVEN = f"""    @R.function
    def main(x: {FOUR}):
        a = R.add(x, x)
        return (a, x)
"""
SET = f"""    @R.function(pure=False)
    def main(x: {FOUR}):
        a = R.add(x, x)
        R.call_packed("set_item", 0, a, ty_args=({{promised}},))
        R.call_packed("set_item", 1, x, ty_args=({{promised}},))
        return R.tuple()
"""
NOTHING = f"""    @R.function(private=True)
    def meant(k: R.Prim("int64"), v: {FOUR}):
        R.func_attr({{"Contract": "set_item"}})
        return R.tuple()
"""


def test_functions_that_nothing_defines() -> None:
    assert word(TAKEN, FETCHED) == "PROVED"
    assert word(GIVEN, SET.format(promised="R.Any")) == "PROVED"


def test_a_contract_of_the_function_that_fetches() -> None:
    promising = FETCHED.replace("R.Any", FOUR)
    assert unassumed(TAKEN, ZEROS + FETCHED)
    assert unassumed(TAKEN, ZEROS + promising)
    assert unassumed(ZEROS + TAKEN, FETCHED), "the first program's contract is of the same name"


def test_a_contract_of_the_function_that_sets() -> None:
    assert unassumed(GIVEN, NOTHING + SET.format(promised="R.Tuple"))


def test_a_contract_of_another_function() -> None:
    assert word(TAKEN, ZEROS.replace("get_item", "others") + FETCHED) == "PROVED"


def test_functions_that_the_caller_defines() -> None:
    zeros = np.zeros(4, "float32")
    assert unassumed(TAKEN, FETCHED, {"get_item": lambda k: zeros})
    assert unassumed(GIVEN, SET.format(promised="R.Any"), {"set_item": lambda k, v: None})
    assert word(TAKEN, FETCHED, {"others": lambda k: zeros}) == "PROVED"


def test_functions_that_are_brought() -> None:
    assert all(unassumed(TAKEN, FETCHED.replace("get_item", name)) for name in KERNELS)


# --- what a call promises --------------------------------------------------------------------------------------------


def promising(promised: str, own: str = FOUR) -> tuple[str, str, str]:
    """What takes a parameter, and what fetches it: from a library, and by a function that is given."""
    return (
        TAKEN.replace(FOUR, own),
        f"""    @R.function(pure=False)
    def main():
        w = R.call_packed("get_item", 0, ty_args=({promised},))
        return (w,)
""",
        f"""    @R.function
    def main(fget: R.Callable((R.Prim("int64"),), {promised}, True)):
        w = fget(0)
        return (w,)
""",
    )


@pytest.mark.parametrize("promised", [FOUR, 'R.Tensor("float32", ndim=1)', "R.Tensor(ndim=1)", "R.Tensor", "R.Any"])
def test_a_promise_that_is_kept(promised: str) -> None:
    first, *seconds = promising(promised)
    assert [word(first, each) for each in seconds] == ["PROVED", "PROVED"]


@pytest.mark.parametrize(
    ("promised", "own"),
    [
        ('R.Tensor((5,), "float32")', FOUR),
        ('R.Tensor((4, 1), "float32")', FOUR),
        ('R.Tensor((4,), "float16")', FOUR),
        ("R.Tensor(ndim=2)", FOUR),
        ("R.Tuple", FOUR),
        ("R.Tuple(R.Any)", FOUR),
        ("R.Shape(ndim=1)", FOUR),
        ('R.Tensor((3,), "float32")', 'R.Tensor((m,), "float32")'),
        ('R.Tensor((0,), "float32")', 'R.Tensor((m,), "float32")'),
        ("R.Tensor(ndim=2)", 'R.Tensor((m,), "float32")'),
        (FOUR, "R.Tensor(ndim=1)"),
    ],
)
def test_a_promise_that_is_not(promised: str, own: str) -> None:
    first, *seconds = promising(promised, own)
    assert all(unassumed(first, each) for each in seconds)


def test_extents_that_are_named_alike_are_not_the_same() -> None:
    first = """    @R.function
    def main(x: R.Tensor((n,), "float32"), w: R.Tensor((m,), "float32")):
        return (x, w)
"""
    second = """    @R.function(pure=False)
    def main(x: R.Tensor((m,), "float32")):
        w = R.call_packed("get_item", 0, ty_args=(R.Tensor((m,), "float32"),))
        return (x, w)
"""
    assert unassumed(first, second)


@pytest.mark.parametrize("promised", ["R.Any", "R.Tuple"])
def test_setting_gives_nothing(promised: str) -> None:
    assert word(GIVEN, SET.format(promised=promised)) == "PROVED"


@pytest.mark.parametrize("promised", [FOUR, "R.Tensor", "R.Tuple(R.Any)", "R.Shape(ndim=1)"])
def test_setting_does_not_give_something(promised: str) -> None:
    assert unassumed(GIVEN, SET.format(promised=promised))
    second = f"""    @R.function(pure=False)
    def main(x: {FOUR}, fset: R.Callable((R.Prim("int64"), R.Any), {promised}, False)):
        a = R.add(x, x)
        _0 = fset(0, a)
        _1 = fset(1, x)
        return R.tuple()
"""
    assert unassumed(GIVEN, second)


# --- which parameters are left ---------------------------------------------------------------------------------------

THREE = f"""    @R.function
    def main(x: {FOUR}, y: {FOUR}, w: {FOUR}):
        a = R.subtract(x, y)
        b = R.add(a, w)
        return b
"""
TWO = f"""    @R.function(pure=False)
    def main({{}}: {FOUR}, {{}}: {FOUR}):
        g = R.call_packed("get_item", 0, ty_args=(R.Any,))
        w = R.match_cast(g, {FOUR})
        a = R.subtract(x, y)
        b = R.add(a, w)
        return b
"""


def test_parameters_in_another_order() -> None:
    assert word(THREE, TWO.format("x", "y")) == "PROVED"
    assert unassumed(THREE, TWO.format("y", "x"))


# --- names -----------------------------------------------------------------------------------------------------------

NAMED = """    @R.function
    def main(x: R.Tensor((n,), "float32"), w: R.Tensor((m,), "float32")):
        return (x, w)
"""


@pytest.mark.parametrize("name", ["m__lazy", "m_lazy", "m___lazy", "n", "m"])
def test_extents_of_a_name_that_is_made(name: str) -> None:
    second = f"""    @R.function(pure=False)
    def main(x: R.Tensor(("{name}",), "float32")):
        g = R.call_packed("get_item", 0, ty_args=(R.Any,))
        k = T.int64()
        w = R.match_cast(g, R.Tensor((k,), "float32"))
        return (x, w)
"""
    assert word(NAMED, second) == "PROVED"


@pytest.mark.parametrize("name", ["_lazy0", "_lazy1", "_lazy_result", "_lazy_set0", "__lazy0"])
def test_values_of_a_name_that_is_made(name: str) -> None:
    first = f"""    @R.function
    def main(x: {FOUR}, w: {FOUR}):
        a = R.add(x, w)
        return (a, w)
"""
    second = f"""    @R.function(pure=False)
    def main(x: {FOUR}):
        g = R.call_packed("get_item", 0, ty_args=(R.Any,))
        w = R.match_cast(g, {FOUR})
        {name} = R.add(x, w)
        R.call_packed("set_item", 0, {name}, ty_args=(R.Any,))
        R.call_packed("set_item", 1, w, ty_args=(R.Any,))
        return R.tuple()
"""
    assert word(first, second) == "PROVED"
    assert word(first, second.replace("R.add(x, w)", "R.add(x, x)")) == "REFUTED"


def test_parameters_under_another_name_in_another_order() -> None:
    first = """    @R.function
    def main(a: R.Prim("int64"), b: R.Prim("int64")):
        return (a, b)
"""
    second = """    @R.function(pure=False)
    def main({params}):
        R.call_packed("set_item", 0, a, ty_args=(R.Any,))
        R.call_packed("set_item", 1, q, ty_args=(R.Any,))
        return R.tuple()
"""
    ours, theirs = 'a: R.Prim("int64")', 'q: R.Prim("int64")'
    assert word(first, second.format(params=f"{ours}, {theirs}")) == "PROVED"
    assert unassumed(first, second.format(params=f"{theirs}, {ours}"))


def test_functions_of_the_module_fetch_nothing() -> None:
    own = """    @R.function
    def get_item(n: R.Prim("int64")):
        return R.zeros(R.shape([4]), "float32")
"""
    assert unassumed(TAKEN, FETCHED + own)
