"""A view of a flattened parameter, loaded where nobody needs it: out of bounds, but not divided by an extent of 0."""

from __future__ import annotations

import numpy as np
import pytest

import refrelax as rr

MODULE = """n = TypeVar('n')
@I.ir_module
class Module:
    @T.prim_func
    def main(A: T.Buffer((3, n), "float32"), B: T.Buffer((4,), "float32"), C: T.Buffer((3,), "int64")):
        A_1 = T.decl_buffer((3 * n,), data=A.data)
        for k in range(3):
            B[k + 1] = B[k] + {}
"""
VIEW, BASE = "A_1[C[k]]", "A[C[k] // n, C[k] % n]"


def module(load: str) -> rr.CheckedModule:
    return rr.check(rr.parse(MODULE.format(load)))


def guarded(load: str) -> rr.CheckedModule:
    return module(f"T.Select(n > 0, {load}, T.float32(0))")


def test_an_element_of_an_empty_buffer_is_not_one_of_its_view() -> None:
    first, second = guarded(VIEW), guarded(BASE)
    assert not isinstance(rr.validate(first, second), rr.Equivalent)
    given = (np.zeros((3, 0), "float32"), np.zeros(4, "float32"), np.zeros(3, "int64"))
    assert isinstance(rr.run(first, "main", *given), rr.Returned)
    assert isinstance(rr.run(second, "main", *given), rr.Unspecified)


@pytest.mark.parametrize(("a", "b"), [(BASE, VIEW), (VIEW, VIEW), (BASE, BASE)])
def test_the_other_way_it_is(a: str, b: str) -> None:
    assert isinstance(rr.validate(guarded(a), guarded(b)), rr.Equivalent)


def test_a_view_divided_by_a_number_is() -> None:
    def literal(load: str) -> rr.CheckedModule:
        return rr.check(rr.parse(MODULE.format(load).replace("(3, n)", "(n, 5)").replace("3 * n", "n * 5")))

    view = "T.Select(n > 0, A_1[C[k]], T.float32(0))"
    base = "T.Select(n > 0, A[C[k] // T.int64(5), C[k] % T.int64(5)], T.float32(0))"
    for first, second in ((view, base), (base, view)):
        assert isinstance(rr.validate(literal(first), literal(second)), rr.Equivalent)
