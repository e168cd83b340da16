"""The fields of records in chapter 07: a program reads each one, and finds what the table says.

Spec: ``spec/07-evaluation.md``, *Host code*.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from typing import Any

import refrelax as rr
from refrelax.conformance.chapters.held import held, holds, over, same, table
from refrelax.semantics.intrinsics import records
from refrelax.syntax import bits, dtypes

PROGRAM = """@T.prim_func(private=True, s_tir=True)
def main(self_handle: T.handle, args: T.handle, num_args: T.int32, result: T.handle) -> T.int64:
    x: T.let[T.handle] = T.tvm_struct_get(args, 0, 15, T.handle().ty)
    shape: T.let[T.handle("int64", "global")] = T.tvm_struct_get(x, 0, {shape}, T.handle("int64", "global").ty)
    {line}
    return {value}
"""
BASES = {"a descriptor": "x", "an FFI value": "args", "a shape, strides": "shape", "a descriptor, a record": "x"}
"""What has the field, and what it is called in the program."""
EXTENTS = (2, 3, 1)
POINTERS = {
    "its address": ("p: T.let[T.handle] = {read}", 'T.tvm_struct_get(p, 0, 4, "int64")', len(EXTENTS)),
    "the data pointer": (
        'A = T.decl_buffer((6,), "{dtype}", data=T.reinterpret(T.handle("{dtype}", "global").ty, {read}))',
        'T.Cast("int64", A[1])',
        -8,
    ),
    "the shape": ('p: T.let[T.handle("int64", "global")] = {read}', 'T.tvm_struct_get(p, 1, 17, "int64")', EXTENTS[1]),
    "the strides": ('p: T.let[T.handle("int64", "global")] = {read}', 'T.Cast("int64", T.isnullptr(p))', 1),
}
"""How a pointer is read, what is done with it, and what that gives of the tensor, which is compact."""
VALUES: dict[str, Any] = {
    "null": None, "an integer": -5, "a bool": True, "a float": 2.5, "a tensor": None, "a string": "s",
    "any other value": rr.Shape((2,)),
}  # fmt: skip


def rows() -> list[tuple[str, str, str]]:
    """Field, what has it, and what it is: a row for each number."""
    found = []
    for numbers, of, said in table("07-evaluation.md", "| field | of | is |"):
        fields = numbers.split(", ")
        parts = re.sub(r"^its dtype: ", "", said).split(", ") if len(fields) > 1 else [said]
        if len(fields) > 1:
            parts = [each for each in parts if each != "row-major)"]
        same(len(parts), len(fields), numbers)
        found += [(field, of, part) for field, part in zip(fields, parts, strict=True)]
    return found


def read(value: str, given: Any, line: str = "pass", shape: str = "2") -> int:
    """What a program returns of arguments of which the first is ``given``."""
    text = PROGRAM.format(line=line, value=value, shape=shape)
    if not isinstance(given, rr.Tensor):
        text = "".join(each for each in text.splitlines(keepends=True) if "shape:" not in each and "x:" not in each)
    out = rr.run(rr.check(rr.parse(text)), "main", 0, (given,), 1, ())
    assert isinstance(out, rr.Returned), out
    return int(out.value)


def tensor(dtype: str) -> rr.Tensor:
    return rr.Tensor.of([[[7], [-8], [9]], [[10], [11], [12]]], dtype)


def told(said: str) -> Iterator[tuple[str, int]]:
    """The kinds of values of row 13, and their numbers."""
    for each in said.removeprefix("its type index: ").split(", "):
        kind, _, number = each.rpartition(" ")
        yield kind, int(number)


OF_TENSORS: dict[str, Callable[[str], int]] = {
    "the rank": lambda _: len(EXTENTS),
    "code": lambda dtype: records.CODES[dtype.rstrip("0123456789")],
    "bits of a lane (8 of a `bool`)": lambda dtype: 8 if dtype == "bool" else dtypes.bits(dtype),
    "lanes": lambda _: 1,
}
"""What is no pointer, by the dtype of the tensor."""


@held("07-evaluation.md")
@over(rows)
def a_field_is_what_the_table_says(field: str, of: str, said: str) -> None:
    """Rows whose numbers were exchanged, and another code of a string, went by unseen."""
    base = BASES[of]
    at = f'T.tvm_struct_get({base}, 0, {field}, "int64")'
    if (pointer := next((each for each in POINTERS if said.startswith(each)), None)) is not None:
        line, value, wanted = POINTERS[pointer]
        kind = "T.handle()" if pointer.startswith("its") else 'T.handle("int64", "global")'
        kind = "T.handle()" if "data" in pointer else kind
        line = line.format(read=f"T.tvm_struct_get({base}, 0, {field}, {kind}.ty)", dtype="int32")
        same(read(value, tensor("int32"), line), wanted, said)
    elif said.startswith("its type index"):
        same([kind for kind, _ in told(said)], [*VALUES])
        for kind, number in told(said):
            same(read(at, tensor("int32") if kind == "a tensor" else VALUES[kind]), number, kind)
    elif said.startswith("its 64 bits"):
        same(said, "its 64 bits: a pointer, an integer (with its sign), a bool (0 or 1), a float as `float64`")
        numbers = {-5: -5, True: 1, False: 0, 2.5: bits.encode("float64", 2.5)}
        same({given: read(at, given) for given in numbers}, numbers)
    elif said == "element `k`, an `int64`":
        same([read(at.replace(", 0,", f", {k},"), tensor("int32")) for k in range(3)], [*EXTENTS])
    elif (last := re.fullmatch(r"the (?:byte offset|number of the device|type of the device) (\d+)", said)) is not None:
        same(DEVICE[said.rpartition(" ")[0]], int(field))
        same(read(at, tensor("int32")), int(last[1]), said)
    else:
        holds(said in OF_TENSORS, f"{said!r} is no word of the table")
        for dtype in ("bool", "bfloat16", "int32"):
            same(read(at, tensor(dtype)), OF_TENSORS[said](dtype), f"{said} of {dtype}")


DEVICE = {
    "the byte offset": records.BYTE_OFFSET,
    "the number of the device": records.DEVICE_ID,
    "the type of the device": records.DEVICE_TYPE,
}
"""Fields of which two have one value."""
