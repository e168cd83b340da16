"""``validate``: which pairs are equivalent, with what evidence, and what refutes the others."""

from __future__ import annotations

import pytest

import refrelax as rr
from refrelax.judge.evidence import Proved
from refrelax.judge.legalized import legalized

GOOD = (rr.Equivalent, rr.ProvedAt, rr.Tested)

HEAD = "n = TypeVar('n')\n@I.ir_module\nclass Module:\n"

SOFTMAX = """
    @R.function
    def main(x: R.Tensor((n, 4), "float32")) -> R.Tensor((n, 4), "float32"):
        y = R.nn.softmax(x, axis=-1)
        return y
"""

SOFTMAX_BY_HAND = """
    @R.function
    def main(x: R.Tensor((n, 4), "float32")) -> R.Tensor((n, 4), "float32"):
        m = R.max(x, axis=[{axis}], keepdims=True)
        s = R.subtract(x, m)
        e = R.exp(s)
        t = R.sum(e, axis=[1], keepdims=True)
        y = R.divide({divided})
        return y
"""


def module(body: str) -> rr.Module:
    return rr.parse(HEAD + body)


def test_a_program_is_equivalent_to_itself_under_other_names() -> None:
    renamed = module(SOFTMAX.replace("y = ", "result = ").replace("return y", "return result"))
    found = rr.validate(module(SOFTMAX), renamed)
    assert isinstance(found, rr.Equivalent)
    assert isinstance(found.evidence, Proved) and not isinstance(found.evidence, rr.Proved)


def test_another_spelling_of_softmax_gives_the_same_terms() -> None:
    found = rr.validate(module(SOFTMAX), module(SOFTMAX_BY_HAND.format(axis=1, divided="e, t")))
    assert isinstance(found, rr.Equivalent)
    read = "the definitions of R.divide, R.exp, R.max, R.nn.softmax, R.subtract, R.sum, read as loops"
    assert read in found.trusts
    assert "legalization" not in found.trusts and "modulo" not in str(found)


def test_a_reading_by_a_legalizer_is_named() -> None:
    body = '    @R.function\n    def main(x: R.Tensor((n, 3), "float32")):\n        y = R.{}\n        return y\n'
    assert legalized(rr.check(module(body.format("sort(x, axis=1)"))))[1] == ("legalization",)
    assert legalized(rr.check(module(body.format("exp(x)"))))[1] == ("the definitions of R.exp, read as loops",)


@pytest.mark.parametrize(
    "wrong",
    [
        SOFTMAX_BY_HAND.format(axis=1, divided="t, e"),
        SOFTMAX_BY_HAND.format(axis=1, divided="s, t"),
        SOFTMAX.replace("axis=-1", "axis=0"),
        SOFTMAX.replace("R.nn.softmax(x, axis=-1)", "R.nn.log_softmax(x, axis=-1)"),
    ],
)
def test_a_wrong_program_is_refuted_with_runnable_arguments(wrong: str) -> None:
    found = rr.validate(module(SOFTMAX), module(wrong))
    assert isinstance(found, rr.Refuted)
    example = found.counterexample
    assert example is not None
    assert set(found.model) == {"n"}
    again = [rr.run(rr.check(module(text)), "main", *example.args) for text in (SOFTMAX, wrong)]
    assert isinstance(again[0], rr.Returned)
    assert isinstance(again[1], rr.Returned)
    assert again[0].value.tolist() != again[1].value.tolist()


def test_a_reassociated_sum_is_permitted_where_it_is_a_reduction() -> None:
    flat = """
    @R.function
    def main(x: R.Tensor((n, 4), "float32")) -> R.Tensor((), "float32"):
        y = R.sum(x)
        return y
"""
    nested = """
    @R.function
    def main(x: R.Tensor((n, 4), "float32")) -> R.Tensor((), "float32"):
        z = R.sum(x, axis=[0])
        y = R.sum(z)
        return y
"""
    found = rr.validate(module(flat), module(nested))
    assert isinstance(found, rr.Equivalent)


OPEN = """
    @T.prim_func(private=True)
    def f(A: T.Buffer((n,), "float32"), B: T.Buffer((n,), "float32")):
        for i in range(n):
            B[i] = {load}

    @R.function
    def main(x: R.Tensor((n,), "float32")) -> R.Tensor((n,), "float32"):
        cls = Module
        y = R.call_tir(cls.f, (x,), out_ty=R.Tensor((n,), "float32"))
        return y
"""


def test_refinement_has_a_direction() -> None:
    """What the first program leaves open may become anything; what only the second leaves open is a difference."""
    poisoned, clamped = module(OPEN.format(load="A[i + 1]")), module(OPEN.format(load="A[T.min(i + 1, n - 1)]"))
    assert isinstance(rr.validate(poisoned, clamped), GOOD)
    found = rr.validate(clamped, poisoned)
    assert isinstance(found, rr.Refuted)
    assert found.counterexample is not None
    assert "ld/load-out-of-bounds" in found.counterexample.message


def test_programs_that_cannot_be_compared_give_no_verdict() -> None:
    other = """
    @R.function
    def main(x: R.Tensor((n, 4), "float32"), y: R.Tensor((n, 4), "float32")) -> R.Tensor((n, 4), "float32"):
        z = R.add(x, y)
        return z
"""
    found = rr.validate(module(SOFTMAX), module(other))
    assert isinstance(found, rr.NoVerdict)
    assert "arguments" in found.why
    with pytest.raises(rr.UsageError):
        rr.validate(module(SOFTMAX), module(SOFTMAX), entry="nothing")


def test_integer_inputs_that_decide_indices_are_tested() -> None:
    take = """
    @R.function
    def main(x: R.Tensor((5, 2), "float32"), i: R.Tensor((3,), "int64")) -> R.Tensor((3, 2), "float32"):
        y = R.take(x, i, axis=0, mode="{mode}")
        return y
"""
    renamed = take.format(mode="wrap").replace("y = ", "z = ").replace("return y", "return z")
    same = rr.validate(module(take.format(mode="wrap")), module(renamed))
    assert isinstance(same, rr.Equivalent)
    found = rr.validate(module(take.format(mode="wrap")), module(take.format(mode="clip")))
    assert isinstance(found, rr.Refuted)
    open_first = rr.validate(module(take.format(mode="fast")), module(take.format(mode="clip")))
    assert isinstance(open_first, GOOD)


PRINTS = """
    @R.function(pure=False)
    def main(x: R.Tensor((3,), "float32")) -> R.Tensor((3,), "float32"):
        y = R.add(x, x)
        {}
        return y
"""


@pytest.mark.parametrize("other", ["pass", "R.print(x, format='')", "R.print(y, y, format='')"])
def test_effects_are_compared(other: str) -> None:
    shows = module(PRINTS.format("R.print(y, format='')"))
    changed = module(PRINTS.format(other).replace("        pass\n", ""))
    found = rr.validate(shows, changed)
    assert isinstance(found, rr.Refuted) and found.counterexample is not None
    assert "effect 0" in found.counterexample.message


def test_equal_effects_are_no_difference() -> None:
    squared = PRINTS.format("R.print(y, format='')").replace("R.add(x, x)", "R.multiply(x, x)")
    power = squared.replace("R.multiply(x, x)", "R.power(x, R.const(2, 'float32'))")
    found = rr.validate(module(power), module(squared))
    assert isinstance(found, rr.Tested) and found.unproved  # the squares are not seen to be equal


LAST = """n = TypeVar("n")
m = TypeVar("m")
@I.ir_module
class Module:
    @T.prim_func
    def main(x: T.Buffer((n, m), "float32"), y: T.Buffer((n,), "float32")):
        for i in range(n):
            y[i] = T.float32(0)
        for i, j in T.grid(n, m):
            y[i] = x[i, 0]
"""
ONCE = LAST.replace("y[i] = T.float32(0)", "y[i] = x[i, 0]").split("        for i, j")[0]


def test_a_difference_at_nothing_alone_says_what_is_proved_otherwise() -> None:
    first, second = rr.check(rr.parse(LAST)), rr.check(rr.parse(ONCE))
    found = rr.validate(first, second)
    assert isinstance(found, rr.Refuted)
    assert found.otherwise == ("m",)
    assert str(found).startswith("PROVED for m >= 1, REFUTED at m = 0: ")
    assert rr.validate(first, second, assume=["m >= 1"]).word == "PROVED"


def test_a_difference_elsewhere_too_claims_nothing() -> None:
    first, second = rr.check(rr.parse(LAST)), rr.check(rr.parse(ONCE.replace("x[i, 0]", "x[i, m - 1]")))
    found = rr.validate(first, second)
    assert isinstance(found, rr.Refuted)
    assert found.otherwise == ()
    assert str(found).startswith("REFUTED ")


SLICES = """n = TypeVar("n")
m = TypeVar("m")

@I.ir_module
class Module:
    @R.function
    def main(x: R.Tensor((1, 1, n, m), "float32")):
        z = R.strided_slice(x, axes=[2], begin=[0], end=[{end}], strides=[{stride}])
        y = R.image.resize2d(z, R.shape([2, 2]), method="nearest_neighbor")
        return y
"""


@pytest.mark.by_day(1)
@pytest.mark.parametrize("end", [15, 50, 300])
@pytest.mark.parametrize("stride", [2, 7])
def test_a_limit_is_looked_behind_before_all_values_are_said_to_be_equal(end: int, stride: int) -> None:
    """A slice that ends before its tensor does is right at every shape that no number of the programs speaks of."""
    first, second = (rr.parse(SLICES.format(end=each, stride=stride)) for each in (end, "n"))
    assert rr.validate(first, second).word == "REFUTED"
    assert rr.validate(second, second).word == "PROVED"


@pytest.mark.thorough
def test_a_slice_of_a_slice() -> None:
    """Its extents are small in int64 since the bytes of the tensor are."""
    head = SLICES.split("        z = ")[0].replace("(1, 1, n, m)", "(n,)").replace('m = TypeVar("m")\n', "")
    twice = """        z = R.strided_slice(x, axes=[0], begin=[1], end=[n], strides=[2])
        y = R.strided_slice(z, axes=[0], begin=[0], end=[n], strides=[3])
        return y
"""
    once = """        y = R.strided_slice(x, axes=[0], begin=[1], end=[n], strides=[{}])
        return y
"""
    first, second, other = (rr.parse(head + each) for each in (twice, once.format(6), once.format(5)))
    assert rr.validate(first, second).word == "PROVED"
    assert rr.validate(first, other).word == "REFUTED"
