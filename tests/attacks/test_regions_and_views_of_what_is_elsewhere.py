"""Views of memory with gaps, and extents and places that only fit a wider dtype: what they name is not there."""

from __future__ import annotations

import numpy as np
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


def test_memory_that_strides_lead_out_of() -> None:
    """An index from the end is another element of a list."""
    ran = module("""S = T.alloc_buffer((2,), "float32", strides=(-1,))
for i in range(2):
    S[i] = A[i]
C[0] = A[0]""")
    given = np.zeros(100, "float32"), np.zeros(100, "float32"), 0
    ended = rr.run(rr.check(ran), "main", *given)
    assert getattr(ended, "rule", "") == "ld/store-out-of-bounds"
    assert not isinstance(rr.validate(module("C[0] = A[0]"), ran), Equivalent)


def test_sums_of_truths() -> None:
    head = HEAD.replace("k: T.int64", "k: T.bool")
    first, second = (rr.parse(head + f"        C[0] = {e}\n") for e in ("T.float32(0)", "T.Cast('float32', k + k)"))
    assert rr.validate(first, second).word == "REFUTED"


@pytest.mark.by_day(3)
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
