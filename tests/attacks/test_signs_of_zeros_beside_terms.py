"""``PROVED-AT`` says what the runs at other shapes leaned on: a zero of the other sign where there are no columns."""

import refrelax as rr
from refrelax.judge.evidence import ProvedAt

PROGRAM = """
n, m = TypeVar("n"), TypeVar("m")

@T.prim_func
def main(x: T.Buffer((n, m), "float32"), y: T.Buffer((n,), "float32")):
    for i in range(n):
        y[i] = T.float32({})
    for i, j in T.grid(n, m):
        y[i] = x[i, 0]
"""


def test_a_zero_of_the_other_sign_is_named() -> None:
    one, other = (rr.check(rr.parse(PROGRAM.format(zero))) for zero in ("0", "-0.0"))
    found = rr.validate(one, other)
    assert isinstance(found, ProvedAt) and found.relaxations == ("zero-sign",)
    assert str(found) == "PROVED-AT n=2, m=3; n=2, m=1 under zero-sign" and found.trusts == ()
    assert rr.validate(one, other, assume=["m >= 1"]).word == "PROVED"
    assert " under " not in str(rr.validate(one, one))
