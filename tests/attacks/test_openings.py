"""What an operator leaves open its loop programs determine: they refine it, and it does not refine them."""

from __future__ import annotations

import numpy as np
import pytest

import refrelax as rr
from refrelax.judge.evidence import Proved
from refrelax.judge.pointwise import search

PROGRAM = """
n, m = TypeVar("n"), TypeVar("m")
@I.ir_module
class Module:
    @R.function
    def main(x: R.Tensor((n,), "{dtype}"), i: R.Tensor((m,), "int32")):
        y = {value}
        return y
"""
OPERATORS = {
    "max": ("float32", "R.max(x, axis=[0])"),
    "min": ("float32", "R.min(x)"),
    "max of integers": ("int32", "R.max(x, axis=[-1])"),
    "max of truths": ("bool", "R.max(x, axis=[0])"),
    "mean": ("float32", "R.mean(x, axis=[0])"),
    "variance": ("float32", "R.variance(x, axis=[0])"),
    "std": ("float32", "R.std(x)"),
    "take": ("float32", 'R.take(x, i, axis=0, mode="clip")'),
}


@pytest.mark.by_day(3)
@pytest.mark.parametrize("name", OPERATORS)
def test_an_operator_is_no_refinement_of_its_loops(name: str) -> None:
    dtype, value = OPERATORS[name]
    operator = rr.check(rr.parse(PROGRAM.format(dtype=dtype, value=value)))
    loops = rr.lower(operator, pipeline="legalize").module
    assert rr.validate(operator, loops).word == "PROVED"
    assert rr.validate(loops, operator).word in ("REFUTED", "TESTED")
    found, _ = search(loops, operator, "main")
    assert isinstance(found, str)


@pytest.mark.parametrize("name", OPERATORS)
def test_where_nothing_is_empty_it_is(name: str) -> None:
    dtype, value = OPERATORS[name]
    operator = rr.check(rr.parse(PROGRAM.format(dtype=dtype, value=value)))
    loops = rr.lower(operator, pipeline="legalize").module
    assert rr.validate(loops, operator, assume=["n >= 1"]).word == "PROVED"
    fixed = rr.check(rr.parse(PROGRAM.format(dtype=dtype, value=value).replace("(n,)", "(3,)")))
    found, _ = search(rr.lower(fixed, pipeline="legalize").module, fixed, "main")
    assert isinstance(found, Proved)


REFUSED = {
    "a bound that is no number of the dtype": ("int8", "R.clip(x, 0, T.float32(1000))"),
    "two formats of one width": ("float16", 'R.less(x, R.astype(x, "bfloat16"))'),
}


@pytest.mark.parametrize("name", REFUSED)
def test_what_a_run_refuses_is_not_its_loops(name: str) -> None:
    dtype, value = REFUSED[name]
    operator = rr.check(rr.parse(PROGRAM.format(dtype=dtype, value=value)))
    loops = rr.lower(operator, pipeline="legalize").module
    assert isinstance(search(loops, operator, "main")[0], str)


PADDED = """
n = TypeVar("n")
@I.ir_module
class Module:
    @R.function
    def main(x: R.Tensor(({extent}, 3), "float32")):
        y = R.nn.pad(x, pad_width=[1, 0, 2, 1], pad_mode="{mode}")
        return y
"""


@pytest.mark.thorough
@pytest.mark.parametrize("mode", ["reflect", "replicate"])
def test_padding_shows_nothing_where_loops_put_a_number(mode: str) -> None:
    """A position beyond the data is poison; the loops, guarded there, give 0."""
    operator = rr.check(rr.parse(PADDED.format(extent="n", mode=mode)))
    loops = rr.lower(operator, pipeline="legalize").module
    assert rr.validate(operator, loops).word == "PROVED"
    assert isinstance(search(loops, operator, "main")[0], str)
    assert rr.validate(loops, operator).word == "REFUTED"
    fixed = rr.check(rr.parse(PADDED.format(extent=2, mode=mode)))
    assert isinstance(search(rr.lower(fixed, pipeline="legalize").module, fixed, "main")[0], Proved)


CONSTANT = """
n = TypeVar("n")
@I.ir_module
class Module:
    @R.function
    def main(x: R.Tensor((n, 3), "float32")):
        y = R.add({})
        return y
"""


def test_a_constant_leaves_nothing_open() -> None:
    """Its extents are known: a proof was refused for every operator that takes one."""
    constant, given = 'metadata["ir.GenericConst"][0]', {0: np.arange(3, dtype="float32")}
    pair = (rr.bind_constants(rr.parse(CONSTANT.format(text)), given) for text in (f"x, {constant}", f"{constant}, x"))
    assert rr.validate(*pair).word == "PROVED"


CHECKED = """
n = TypeVar("n")
@I.ir_module
class Module:
    @R.function
    def main(x: R.Tensor((n,), "float32")):
        {check}
        z = R.reshape(x, R.shape([T.min(n, 1000)]))
        return z
"""
FIRST_ELEMENTS = """
n = TypeVar("n")
@I.ir_module
class Module:
    @T.prim_func(private=True)
    def first(x: T.Buffer((n,), "float32"), o: T.Buffer((T.min(n, T.int64(1000)),), "float32")):
        for i in range(T.min(n, T.int64(1000))):
            with T.sblock("b"):
                v = T.axis.spatial(T.min(n, T.int64(1000)), i)
                o[v] = x[v]
    @R.function
    def main(x: R.Tensor((n,), "float32")):
        cls = Module
        z = R.call_tir(cls.first, (x,), out_ty=R.Tensor((T.min(n, 1000),), "float32"))
        return z
"""


def test_a_check_that_fails_before_a_call_that_is_open_is_an_outcome() -> None:
    check = 'y = R.match_cast(x, R.Tensor((T.min(n, 1000),), "float32"))'
    checked, plain = (rr.check(rr.parse(CHECKED.format(check=each))) for each in (check, "y = x"))
    loops = rr.check(rr.parse(FIRST_ELEMENTS))
    assert rr.run(checked, "main", np.zeros(1001, "float32")).rule == "ev/match-cast-mismatch"  # type: ignore[union-attr]
    assert isinstance(search(checked, loops, "main")[0], str)
    assert rr.validate(checked, loops).word == "REFUTED"
    assert rr.validate(plain, loops).word == "PROVED"  # a longer one leaves the run open, whatever comes of it
