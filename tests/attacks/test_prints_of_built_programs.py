"""Built programs print and assert through the machine's library; a proof reads these calls as the operators that they
were, in their order, and no other."""

from __future__ import annotations

import pytest

import refrelax as rr

TYPED = """
n = TypeVar("n")
@I.ir_module
class Module:
    @R.function(pure=False)
    def main(x: R.Tensor((n,), "float32"), ok: R.Tensor((), "bool")) -> R.Tensor((n,), "float32"):
        y = R.exp(x)
        _ = R.print(y, format="y {}")
        _1 = R.assert_op(ok, format="not ok")
        _2 = R.print(x, format="x {}")
        return y
"""


def typed() -> rr.CheckedModule:
    return rr.lower(rr.check(rr.parse(TYPED)), passes=["legalize", "to_destinations"]).module


def built() -> str:
    return rr.print_module(rr.lower(typed(), passes=["build"]).module)


def test_a_built_program_that_prints_is_proved() -> None:
    assert type(rr.validate(typed(), rr.check(rr.parse(built())))).__name__ == "Equivalent"


@pytest.mark.parametrize(
    ("was", "becomes"),
    [
        ('"y {}"', '"z {}"'),
        ('"y {}"), y', '"y {}"), x'),
        ('"not ok"', '"fine"'),
        ('"relax.run.print"', '"relax.run.nonzero"'),
    ],
)
def test_other_prints_are_not_proved(was: str, becomes: str) -> None:
    text = built()
    assert was in text, text
    other = rr.check(rr.parse(text.replace(was, becomes, 1)))
    assert not isinstance(rr.validate(typed(), other, rounds=1), rr.Equivalent)


def test_prints_that_are_exchanged_are_not_proved() -> None:
    lines = built().splitlines()
    at = [k for k, line in enumerate(lines) if '"relax.run.' in line]
    lines[at[0]], lines[at[1]] = lines[at[1]], lines[at[0]]
    assert not isinstance(rr.validate(typed(), rr.check(rr.parse("\n".join(lines))), rounds=1), rr.Equivalent)
