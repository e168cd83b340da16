"""Views of memory with gaps, and extents and places that only fit a wider dtype: what they name is not there."""

from __future__ import annotations

import pytest

import refrelax as rr
from refrelax.judge.evidence import Equivalent

HEAD = """
@I.ir_module
class Module:
    @T.prim_func(s_tir=True)
    def main(A: T.Buffer((100,), "float32"), C: T.Buffer((100,), "float32"), k: T.int64):
"""


def module(body: str) -> rr.Module:
    return rr.parse(HEAD + "".join(" " * 8 + line + "\n" for line in body.strip("\n").splitlines()))


GAPS = """S = T.alloc_buffer((2, 4), "float32", strides=(5, 1))
F = T.decl_buffer({shape}, "float32", data=S.data)
for i in range(8):
    S[i // 4, i % 4] = A[i]
for i in range(8):
    C[i] = T.if_then_else(A[0] == T.float32(12345), {read}, A[i])"""
ROWS = "for i in range(8):\n    C[i] = A[i]"
FAR = """with T.sblock("b"):
    X = T.match_buffer(A[0:100], (4294967304,), offset_factor=1)
    C[0] = T.if_then_else(A[0] == T.float32(77), X[4294967299], A[3])"""
FAR_STORE = """with T.sblock("b"):
    Y = T.match_buffer(C[0:100], (T.int64(4294967304),), offset_factor=1)
    if k < T.int64(1000000):
        C[3] = A[3]
    else:
        Y[T.int64(4294967299)] = A[3]"""


@pytest.mark.parametrize(
    ("first", "second"),
    [
        (ROWS, GAPS.format(shape="(2, 4)", read="F[i // 4, i % 4]")),
        (ROWS, GAPS.format(shape="(8,)", read="F[i]")),
        ("C[0] = A[3]", FAR),
        ("C[3] = A[3]", FAR_STORE),
    ],
)
def test_what_differs_rarely_is_not_proved(first: str, second: str) -> None:
    found = rr.validate(module(first), module(second))
    assert not isinstance(found, Equivalent), found
