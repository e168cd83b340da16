"""Memory that has another name in a loop: what ``StorageRewrite`` makes of allocations that do not live together."""

import pytest

import refrelax as rr
from refrelax.judge.evidence import Equivalent

HEAD = """n = TypeVar("n")

@I.ir_module
class Module:
    @T.prim_func
    def main(A: T.Buffer((n, 8), "float32"), C: T.Buffer((n, 8), "float32")):
"""


def module(body: str) -> rr.Module:
    return rr.parse(HEAD + "".join(" " * 8 + line + "\n" for line in body.strip("\n").splitlines()))


FIRST = """for i in range(n):
    X = T.alloc_buffer((8,), "float32")
    Y = T.alloc_buffer((8,), "float32")
    for j in range(8):
        X[j] = A[i, j] + T.float32(1)
    for j in range(8):
        Y[j] = X[7 - j] * T.float32(2)
    Z = T.alloc_buffer((8,), "float32")
    for j in range(8):
        Z[j] = Y[j] - T.float32(1)
    for j in range(8):
        C[i, j] = Z[j]"""
SECOND = """X = T.alloc_buffer((8,), "float32")
Y = T.alloc_buffer((8,), "float32")
for i in range(n):
    for j in range(8):
        X[j] = A[i, j] + T.float32(1)
    for j in range(8):
        Y[j] = X[7 - j] * T.float32(2)
    Z = T.decl_buffer((8,), "float32", data=Y.data)
    for j in range(8):
        Z[j] = Y[j] - T.float32(1)
    W = T.decl_buffer((8,), "float32", data=Z.data)
    for j in range(8):
        C[i, j] = W[j]"""


def test_another_name_in_a_loop_is_read() -> None:
    assert isinstance(rr.validate(module(FIRST), module(SECOND), timeout=20), Equivalent)


WRONG = {
    "memory that is still needed": {"(8,), \"float32\", data=Y.data": "(8,), \"float32\", data=X.data", "Y[j] - T": "X[7 - j] * T.float32(2) - T"},  # noqa: E501
    "read too late": {"Z[j] = Y[j] - T": "Z[7 - j] = Y[j] - T"},
    "overwritten": {"    W = T": "    Y[3] = T.float32(0)\n    W = T"},
    "of another buffer": {"data=Z.data": "data=X.data"},
    "of what the last turn left": {"    for j in range(8):\n        X[j] = A[i, j]": "    for j in range(7):\n        X[j] = A[i, j]"},  # noqa: E501
    "stored in what is summed": {"Y[j] = X[7 - j]": "Y[j] = Y[7 - j]"},
    "another shape": {'W = T.decl_buffer((8,)': 'W = T.decl_buffer((7,)'},
    "bits of integers": {'W = T.decl_buffer((8,), "float32"': 'W = T.decl_buffer((8,), "int32"', "= W[j]": '= T.Cast("float32", W[j])'},  # noqa: E501
}  # fmt: skip


@pytest.mark.parametrize("how", WRONG)
def test_memory_that_is_used_otherwise_is_not_proved(how: str) -> None:
    body = SECOND
    for old, new in WRONG[how].items():
        assert old in body
        body = body.replace(old, new)
    assert not isinstance(rr.validate(module(FIRST), module(body), timeout=20), Equivalent)
