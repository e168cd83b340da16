"""A view that reaches beyond the memory it views, passed to another function: its elements there are out of bounds."""

from __future__ import annotations

import pytest

import refrelax as rr

MODULE = """
@I.ir_module
class Module:
    @T.prim_func(private=True)
    def last(B: T.Buffer((2,), "int32"), O: T.Buffer((1,), "int32")):
        {body}
    @T.prim_func(private=True)
    def whole(A: T.Buffer((8,), "int32"), O: T.Buffer((1,), "int32")):
        {view}
    @R.function
    def main(a: R.Tensor((8,), dtype="int32")):
        cls = Module
        gv = R.call_tir(cls.whole, (a,), out_ty=R.Tensor((1,), dtype="int32"))
        return gv
"""
DECLARED = "V = T.decl_buffer((2,), 'int32', data=A.data, elem_offset={})\n        cls.last(V.data, O.data)"
POINTER = "cls.last(T.tvm_access_ptr(T.type_annotation('int32'), A.data, {}, 2, 1), O.data)"


def checked(view: str, body: str) -> rr.CheckedModule:
    return rr.check(rr.parse(MODULE.format(view=view, body=body)))


def ran(view: str, body: str) -> rr.Returned | object:
    return rr.run(checked(view, body), "main", [1, 2, 3, 4, 5, 6, 7, 8])


@pytest.mark.parametrize("view", [DECLARED, POINTER])
@pytest.mark.parametrize("offset", [7, 8, 100, -2, -100, "T.int64(9223372036854775807)", "T.int64(-2**63 + 1)"])
def test_out_of_bounds(view: str, offset: object) -> None:
    text = view.format(offset)
    loaded = ran(text, "O[0] = B[1]")
    if isinstance(loaded, rr.Returned):
        assert [rule for _, rule in loaded.poison] == ["ld/load-out-of-bounds"]
    else:
        assert isinstance(loaded, rr.Unspecified)
    stored = ran(text, "B[1] = 5")
    assert isinstance(stored, rr.Unspecified)


@pytest.mark.parametrize("view", [DECLARED, POINTER])
def test_in_bounds(view: str) -> None:
    found = ran(view.format(6), "O[0] = B[1]")
    assert isinstance(found, rr.Returned)
    assert found.value.tolist() == [8]


@pytest.mark.parametrize("view", [DECLARED, POINTER])
def test_not_proved(view: str) -> None:
    good, bad = checked(view.format(6), "O[0] = B[1]"), checked(view.format(-2), "O[0] = B[1]")
    assert not isinstance(rr.validate(good, bad), rr.Equivalent)
