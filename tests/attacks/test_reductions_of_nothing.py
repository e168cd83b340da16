"""Loops that do not run, because an extent is negative, combine nothing; two of them neither."""

import pytest

import refrelax as rr
from refrelax.judge.evidence import Proved
from refrelax.judge.pointwise import attempt
from refrelax.semantics.types.check import check

HEAD = """@I.ir_module
class Module:
    @T.prim_func
    def main(A: T.Buffer((16,), "int32"), C: T.Buffer((1,), "int32")):
"""
ITEM = " + A[3]"
LOOPS = "for i in range({}):\n    for j in range({}):\n        C[0] = C[0] + A[3]"


def proved(first: str, second: str) -> bool:
    texts = [HEAD + "".join(f"        {line}\n" for line in text.splitlines()) for text in (first, second)]
    return isinstance(attempt(*(check(rr.parse(text)) for text in texts), "main"), Proved)


@pytest.mark.parametrize(("extents", "items"), [((-2, -3), 6), ((-1, -1), 1), ((-2, -1), 2)])
def test_two_negative_extents_are_no_items(extents: tuple[int, int], items: int) -> None:
    loops, chain = LOOPS.format(*extents), "C[0] = C[0]" + ITEM * items
    assert not proved(loops, chain)
    assert not proved(chain, loops)
    assert proved(LOOPS.format(*map(abs, extents)), chain)
