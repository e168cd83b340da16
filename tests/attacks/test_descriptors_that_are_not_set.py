"""A field of a descriptor that nobody set (``ev/tensor-descriptor``): data, shape, strides and what tells the dtype."""

from __future__ import annotations

import pytest

import refrelax as rr

FIELDS = {
    1: "A.data",
    2: "T.address_of(shape[0])",
    3: "T.reinterpret(T.handle().ty, T.uint64(0))",
    4: "1",
    5: "T.uint8(2)",
    6: "T.uint8(32)",
    7: "T.uint16(1)",
    8: "T.uint64(0)",
    9: "0",
    10: "1",
}


def outcome(left_out: int | None) -> object:
    lines = [f"T.tvm_struct_set(array, 0, {field}, {value})" for field, value in FIELDS.items() if field != left_out]
    body = "\n        ".join(lines)
    text = f"""
@I.ir_module
class Module:
    @T.prim_func(private=True)
    def main(A: T.Buffer((2,), "float32")):
        any: T.let[T.handle] = T.tvm_stack_alloca("tvm_ffi_any", 2)
        array: T.let[T.handle] = T.tvm_stack_alloca("array", 1)
        shape = T.decl_buffer((T.int64(1),), "int64", data=T.tvm_stack_alloca("shape", 1))
        shape[0] = T.int64(2)
        {body}
        T.tvm_struct_set(any, 0, 13, 7)
        T.tvm_struct_set(any, 0, 15, T.tvm_struct_get(array, 0, 0, T.handle().ty))
        T.call_packed_lowered("look", any, 0, 1)
"""
    return rr.run(rr.check(rr.parse(text)), "main", [1.0, 2.0], externs={"look": lambda x: None})


@pytest.mark.parametrize("left_out", [None, 9, 10])
def test_the_device_says_nothing(left_out: int | None) -> None:
    assert isinstance(outcome(left_out), rr.Returned)


@pytest.mark.parametrize("left_out", range(1, 9))
def test_any_other_field_is_read(left_out: int) -> None:
    found = outcome(left_out)
    assert isinstance(found, rr.Unspecified)
    assert found.rule == "st/never-written"
