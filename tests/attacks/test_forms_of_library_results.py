"""What a library function gives is of the form that a call says: tuples of tuples are no longer tuples."""

import pytest

import refrelax as rr
from refrelax.judge.evidence import Proved
from refrelax.judge.pointwise import KEEPS_NOTHING, attempt

X = 'R.Tensor((n,), "float32")'
TEXT = """
n = TypeVar("n")

@I.ir_module
class Module:
    @R.function(pure=False)
    def main(x: R.Tensor((n,), "float32")):
        r = R.{how}("f", x, ty_args={type})
        {rest}
        d = R.add(a, b)
        return d
"""
DEEP = (f"R.Tuple({X}, R.Tuple({X}))", "a = r[0]\n        c = r[1]\n        b = c[0]")
FLAT = (f"R.Tuple({X}, {X})", "a = r[0]\n        b = r[1]")
ONE = (f"R.Tuple({X})", "a = r[0]\n        b = r[0]")
ALONE = (X, "a = r\n        b = r")


def module(how: str, form: tuple[str, str]) -> rr.CheckedModule:
    return rr.check(rr.parse(TEXT.format(how=how, type=form[0], rest=form[1])))


@pytest.mark.parametrize("how", ["call_packed", "call_pure_packed"])
@pytest.mark.parametrize(("one", "two"), [(DEEP, FLAT), (FLAT, DEEP), (ONE, ALONE), (ALONE, ONE)])
def test_another_form_is_another_result(how: str, one: tuple[str, str], two: tuple[str, str]) -> None:
    first, second = module(how, one), module(how, two)
    assert not isinstance(attempt(first, second, "main"), Proved)
    assert isinstance(attempt(first, module(how, (one[0], f"{one[1]}\n        e = a")), "main"), Proved)


KEPT = """
n = TypeVar("n")

@I.ir_module
class Module:
    @R.function(pure=False)
    def main(y: R.Tensor((n,), "float32")):
        r = R.call_dps_packed("h", (y,), out_ty=R.Tensor((n,), "float32"))
        {body}
        return z
"""
SUM, CALL = "z = R.add(r, y)", 'q = R.call_packed("g", ty_args=R.Tuple())'


def test_what_a_later_call_may_know_is_said() -> None:
    """``h`` may have kept its output, and ``g`` store there: a proof says that it rests on neither."""
    first, second, alone = (
        rr.check(rr.parse(KEPT.format(body=body))) for body in (f"{SUM}\n        {CALL}", f"{CALL}\n        {SUM}", SUM)
    )
    found = attempt(first, second, "main")
    assert isinstance(found, Proved) and KEEPS_NOTHING in found.trusts
    found = attempt(alone, rr.check(rr.parse(KEPT.format(body=SUM.replace("r, y", "y, r")))), "main")
    assert isinstance(found, Proved) and KEEPS_NOTHING not in found.trusts
