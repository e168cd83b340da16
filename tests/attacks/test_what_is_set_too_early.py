"""What a program hands over by a call is what it is then: nothing is stored in it afterwards."""

import pytest

import refrelax as rr

HEAD = """n = TypeVar("n")

@I.ir_module
class Module:
    @T.prim_func(private=True)
    def twice(X: T.Buffer((n,), "float32"), A: T.Buffer((n,), "float32")):
        for i in range(n):
            A[i] = X[i] * T.float32(2)

    @T.prim_func(private=True)
    def bump(A: T.Buffer((n,), "float32")):
        for i in range(n):
            A[i] = A[i] + T.float32(1)

"""
MADE = """        cls = Module
        a = R.builtin.alloc_tensor(R.shape([n]), R.dtype("float32"), R.prim_value(0), R.str("global"))
        cls.twice(x, a)
"""
FIRST = f"""{HEAD}    @R.function(pure=False)
    def main(x: R.Tensor((n,), "float32")):
{MADE}        cls.bump(a)
        b = R.multiply(x, x)
        return (a, b)
"""
SECOND = f"""{HEAD}    @R.function(pure=False)
    def main(x: R.Tensor((n,), "float32"), fset: R.Callable((R.Prim("int64"), R.Any), R.Tuple, False)):
{MADE}        # before
        cls.bump(a)
        # after
        b = R.multiply(x, x)
        fset(1, b)
        return R.tuple()
"""


@pytest.mark.parametrize(
    ("place", "statement", "proved"),
    [
        ("# after", "fset(0, a)", True),
        ("# after", "c = a\n        fset(0, c)", True),
        ("# before", "fset(0, a)", False),
        ("# before", "c = a\n        fset(0, c)", False),
        ("# before", "t = (x, a)\n        c = t[1]\n        fset(0, c)", False),
    ],
)
def test_nothing_is_stored_in_what_was_set(place: str, statement: str, proved: bool) -> None:
    second = SECOND.replace(place, statement)
    found = rr.validate(rr.parse(FIRST), rr.parse(second), correspond=True)
    assert isinstance(found, rr.Equivalent) is proved
