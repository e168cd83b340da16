"""In a format without NaN, what would be NaN is poison: a proof that leaves such an element out, or reads it as a
number, would say too much."""

from __future__ import annotations

import pytest

import refrelax as rr
from refrelax.judge.evidence import Proved
from refrelax.judge.pointwise import search
from refrelax.syntax import bits

WITHOUT_NAN = [dtype for dtype in bits.FORMATS if bits.nan_bits(dtype) is None]

PROGRAM = """
n = TypeVar("n")
@I.ir_module
class Module:
    @R.function
    def main(x: R.Tensor((n,), "{dtype}")):
        y = R.add(x, x)
        {rest}
        return {result}
"""
CHOSEN = """w = {value}
        c = R.equal(w, w)
        z = R.where(c, y, y)"""


def _chosen(dtype: str, value: str) -> bool:
    """Whether it is proved that a choice between equals by a condition on ``value`` is what it chooses."""
    texts = (
        PROGRAM.format(dtype=dtype, rest="z = y", result="z"),
        PROGRAM.format(dtype=dtype, rest=CHOSEN.format(value=value), result="z"),
    )
    found, _ = search(*(rr.check(rr.parse(each)) for each in texts), "main")
    return isinstance(found, Proved)


@pytest.mark.parametrize("dtype", WITHOUT_NAN)
def test_a_conversion_to_it_may_be_poison(dtype: str) -> None:
    assert not _chosen("float32", f'R.astype(x, "{dtype}")')


@pytest.mark.parametrize("value", ["R.divide(x, x)", "R.sqrt(x)", "R.log(x)", "R.acos(x)"])
def test_what_gives_nan_may_be_poison(value: str) -> None:
    for dtype in WITHOUT_NAN:
        assert not _chosen(dtype, value)


@pytest.mark.parametrize("value", ["R.multiply(x, x)", "R.maximum(x, y)"])
def test_what_gives_none_is_not(value: str) -> None:
    for dtype in WITHOUT_NAN:
        assert _chosen(dtype, value)
    assert _chosen("float8_e4m3fn", "R.divide(x, x)")


@pytest.mark.parametrize("dtype", WITHOUT_NAN)
def test_a_missing_element_that_would_be_nan_is_no_number(dtype: str) -> None:
    text = f"""
k = TypeVar("k")
@I.ir_module
class Module:
    @R.function
    def main(x: R.Tensor((200,), "{dtype}"), i: R.Tensor((k,), "uint8")):
        y = R.take(x, i, axis=0, mode="nan")
        return y
"""
    operator = rr.check(rr.parse(text))
    loops = rr.lower(operator, pipeline="legalize").module
    assert isinstance(search(operator, loops, "main")[0], Proved)
    assert isinstance(search(loops, operator, "main")[0], str)
    assert rr.validate(loops, operator).word != "PROVED"
