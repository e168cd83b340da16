"""Entries that are loop programs: packed calls, memory behind pointers, elements that are seen as other bytes."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import refrelax as rr
from refrelax.judge.packed_entries import unpacked
from refrelax.syntax.scalars import SymVar, int_imm
from refrelax.syntax.types import tensor_of

ONE_CHECK = '            assert GET(sa, 0, 17, "int64") == T.int64(4), "four rows"\n'
PLAIN = """@I.ir_module
class Module:
    @T.prim_func
    def main(A: T.Buffer((4, n), "float32"), B: T.Buffer((4, n), "float32")):
        for i, j in T.grid(4, n):
            B[i, j] = A[i, j] + T.float32(1)
"""
HEAD = "n = TypeVar('n')\n"
PACKED = """@I.ir_module
class Module:
    @T.prim_func
    def main(self_handle: T.handle, args: T.handle, num_args: T.int32, result: T.handle) -> T.int32:
        assert num_args == 2, "two arguments"
        assert not T.isnullptr(args), "arguments"
        ka: T.let[T.int32] = GET(args, 0, 13, "int32")
        assert ka == 0 or ka == 7 or ka >= 64, "a tensor"
        pa: T.let[T.handle] = GET(args, 0, 15, "handle")
        ha: T.let[T.handle] = T.if_then_else(ka == 70, T.handle_add_byte_offset(pa, 24), pa)
        hb: T.let[T.handle] = GET(args, 1, 15, "handle")
        assert not T.isnullptr(ha), "a tensor"
        assert 2 == GET(ha, 0, 4, "int32") and 2 == GET(hb, 0, 4, "int32"), "rank"
        assert GET(ha, 0, 5, "uint8") == T.uint8(2), "float"
        assert GET(ha, 0, 6, "uint8") == T.uint8(32), "float32"
        sa: T.let[T.handle("int64", "global")] = GET(ha, 0, 2, "handle")
        n: T.let[T.int64] = GET(sa, 1, 17, "int64")
        ta: T.let[T.handle("int64", "global")] = GET(ha, 0, 3, "handle")
        sb: T.let[T.handle("int64", "global")] = GET(hb, 0, 2, "handle")
        device: T.let[T.int32] = GET(ha, 0, 9, "int32")
        with T.attr("default", "device_id", device):
            if not T.isnullptr(ta):
                assert GET(ta, 0, 17, "int64") == n, "compact"
            assert GET(sa, 0, 17, "int64") == T.int64(4), "four rows"
            assert GET(sb, 1, 17, "int64") == n, "as many columns"
            assert T.uint64(0) == GET(ha, 0, 8, "uint64"), "offset"
            A = T.decl_buffer((4, n), data=GET(ha, 0, 1, "handle"))
            B = T.decl_buffer((4, n), data=GET(hb, 0, 1, "handle"))
            with T.attr("default", "compute_scope", "main_compute_"):
                A_1 = T.decl_buffer((4 * n,), data=A.data)
                B_1 = T.decl_buffer((4 * n,), data=B.data)
                for i, j in T.grid(4, n):
                    B_1[i * n + j] = A_1[i * n + j] + T.float32(1)
            return 0
"""


def plain(**changes: str) -> Any:
    return rr.parse(HEAD + changed(PLAIN, changes))


def packed(**changes: str) -> Any:
    return rr.parse(changed(PACKED, changes).replace("GET", "T.tvm_struct_get"))


def changed(text: str, changes: dict[str, str]) -> str:
    for old, new in changes.items():
        assert old in text, old
        text = text.replace(old, new)
    return text


def how(answer: Any) -> list[str]:
    return [each.removeprefix("interface: ") for each in answer.report.trusts if each.startswith("interface")]


def test_a_packed_entry_is_what_it_is_given() -> None:
    assert isinstance(rr.validate(plain(), packed()), rr.NoVerdict)
    found = rr.validate(plain(), packed(), correspond=True)
    assert isinstance(found, rr.Equivalent)
    assert how(found) == [
        "what main takes is given in a packed call: compact tensors at offset 0, on device 0 of type 1"
    ]


def test_packed_entries_that_check_alike_take_the_same() -> None:
    found = rr.validate(packed(), packed(**{"i * n + j] + T.float32(1)": "j + i * n] + T.float32(1)"}))
    assert isinstance(found, rr.Equivalent) and len(how(found)) == 1
    unchecked = packed(**{ONE_CHECK: ""})
    assert isinstance(rr.validate(packed(), unchecked), rr.NoVerdict)  # of other arguments it says nothing
    assert isinstance(rr.validate(packed(), unchecked, correspond=True), rr.Equivalent)


def test_memory_like_an_argument_may_be_made_before_the_checks() -> None:
    at_n = '            assert GET(sb, 1, 17, "int64") == n'
    made = '            M = T.alloc_buffer((4, n), "float32")\n'
    assert isinstance(rr.validate(plain(), packed(**{at_n: made + at_n}), correspond=True), rr.Equivalent)
    for other in (made.replace("(4, n)", "(4, n - 1)"), made.replace("(4, n)", "(n, n, n)"), made.replace("32", "64")):
        assert not isinstance(rr.validate(plain(), packed(**{at_n: other + at_n}), correspond=True), rr.Equivalent)


SCOPE = '            with T.attr("default", "compute_scope"'
WRONG = {
    "another element": ("A_1[i * n + j]", "A_1[i * n]"),
    "another number": ("A_1[i * n + j] + T.float32(1)", "A_1[i * n + j] + T.float32(2)"),
    "the other argument": ("data=GET(hb,", "data=GET(ha,"),
    "arguments exchanged": ("hb: T.let[T.handle] = GET(args, 1,", "hb: T.let[T.handle] = GET(args, 0,"),
    "another number of arguments": ("num_args == 2", "num_args == 3"),
    "another rank": ("assert 2 == GET(ha", "assert 3 == GET(ha"),
    "another dtype": ("T.uint8(32)", "T.uint8(64)"),
    "an extent that is refused": ("== T.int64(4)", "== T.int64(5)"),
    "the extent of another axis": ("= GET(sa, 1", "= GET(sa, 0"),
    "another extent of the memory": ("A = T.decl_buffer((4, n)", "A = T.decl_buffer((n, 4)"),
    "an offset in the memory": ("A = T.decl_buffer((4, n), data", "A = T.decl_buffer((4, n), elem_offset=1, data"),
    "an offset that is refused": ("T.uint64(0) ==", "T.uint64(4) =="),
    "an end before the work": (SCOPE, f"            return 0\n{SCOPE}"),
    "an end with an error": ("            return 0", "            return -1"),
    "a check of the elements": (
        "                for i, j",
        '                assert A_1[0] > T.float32(0), "positive"\n                for i, j',
    ),
    "strides that are refused": ('GET(ta, 0, 17, "int64") == n', 'GET(ta, 0, 17, "int64") == 4'),
    "fewer elements": ("for i, j in T.grid(4, n)", "for i, j in T.grid(3, n)"),
    "a type index that is refused": ("ka == 0 or ka == 7", "ka == 0 or ka == 8"),
}


@pytest.mark.parametrize(("old", "new"), WRONG.values(), ids=WRONG.keys())
def test_a_packed_entry_that_does_something_else_is_not_proved(old: str, new: str) -> None:
    found = rr.validate(plain(), packed(**{old: new}), correspond=True)
    assert not isinstance(found, rr.Equivalent), how(found)


POINTERS = """@I.ir_module
class Module:
    @T.prim_func
    def main(a: T.handle("float8_e4m3fn", "global"), b: T.handle("float8_e4m3fn", "global")):
        A = T.decl_buffer((5,), "float8_e4m3fn", data=a)
        B = T.decl_buffer((5,), "float8_e4m3fn", data=b)
        for i in range(5):
            B[i] = T.reinterpret("float8_e4m3fn", T.bitwise_and(T.reinterpret("uint8", A[i]), T.uint8(127)))
"""
BYTES = """@I.ir_module
class Module:
    @T.prim_func
    def main(a: T.handle("uint8", "global"), b: T.handle("uint8", "global")):
        A = T.decl_buffer((5,), "uint8", data=a)
        B = T.decl_buffer((5,), "uint8", data=b)
        for i in range(5):
            B[i] = T.bitwise_and(A[i], T.uint8(127))
"""


def test_pointers_are_the_buffers_that_are_declared_over_them() -> None:
    first, second = (
        rr.parse(POINTERS),
        rr.parse(POINTERS.replace("A[i]), T.uint8(127)", "A[i]), T.uint8(127) + T.uint8(0)")),
    )
    found = rr.validate(first, second)
    assert isinstance(found, rr.Equivalent)
    assert how(found)[0] == "A is the memory behind a pointer: (5,) of float8_e4m3fn"


def test_bytes_are_seen_as_elements_of_another_dtype() -> None:
    assert isinstance(rr.validate(rr.parse(POINTERS), rr.parse(BYTES)), rr.NoVerdict)
    found = rr.validate(rr.parse(POINTERS), rr.parse(BYTES), correspond=True)
    assert isinstance(found, rr.Equivalent)
    assert how(found)[2:] == [f"{name} is seen as uint8, the bytes of float8_e4m3fn" for name in "AB"]


MASKED = "T.bitwise_and(A[i], T.uint8(127))"
OTHERWISE = {
    "another mask": ("T.uint8(127)", "T.uint8(255)"),
    "another element": ("A[i]", "A[0]"),
    "more memory": ("A = T.decl_buffer((5,)", "A = T.decl_buffer((6,)"),
    "the same pointer twice": ("data=b)", "data=a)"),
    "memory from a later element on": ("data=a)", "data=a, elem_offset=1)"),
    "wider elements": ('"uint8", data=a', '"uint16", data=a'),
    "fewer elements": ("range(5)", "range(4)"),
    "numbers, not bytes": (MASKED, 'T.Cast("uint8", T.reinterpret("float8_e4m3fn", A[i]))'),
    "a shift": (MASKED, "T.shift_right(T.shift_left(A[i], T.uint8(1)), T.uint8(2))"),
    "a count that is too large": (MASKED, f"{MASKED} + T.shift_left(T.uint8(0), T.uint8(8))"),
}


@pytest.mark.parametrize(("old", "new"), OTHERWISE.values(), ids=OTHERWISE.keys())
def test_other_bytes_are_not_proved(old: str, new: str) -> None:
    found = rr.validate(rr.parse(POINTERS), rr.parse(changed(BYTES, {old: new})), correspond=True)
    assert not isinstance(found, rr.Equivalent), how(found)


VIEWED = """@I.ir_module
class Module:
    @T.prim_func
    def main(A: T.Buffer((3,), "uint32"), B: T.Buffer((3,), "uint32")):
        {}
"""


def test_the_bits_of_a_nan_are_not_kept_by_a_view_of_floats() -> None:
    """A float that is not a number has one pattern: memory that nobody wrote through the view keeps its own."""
    first = VIEWED.format(
        "for i in range(3):\n            B[i] = T.if_then_else(i < 2, "
        'T.reinterpret("uint32", T.reinterpret("float32", B[i])), T.reinterpret("uint32", T.float32(1)))'
    )
    second = VIEWED.format('F = T.decl_buffer((3,), "float32", data=B.data)\n        F[2] = T.float32(1)')
    assert not isinstance(rr.validate(rr.parse(first), rr.parse(second)), rr.Equivalent)


def test_integers_are_seen_with_another_sign() -> None:
    first = VIEWED.format("for i in range(3):\n            B[i] = T.shift_right(A[i], T.uint32(1))")
    signed = 'G = T.decl_buffer((3,), "int32", data=A.data)\n        for i in range(3):\n            B[i] = {}'
    unsigned = 'T.shift_right(T.reinterpret("uint32", G[i]), T.uint32(1))'
    assert not isinstance(
        rr.validate(
            rr.parse(first), rr.parse(VIEWED.format(signed.format("T.Cast('uint32', T.shift_right(G[i], 1))")))
        ),
        rr.Equivalent,
    )
    assert not isinstance(
        rr.validate(rr.parse(first), rr.parse(VIEWED.format(signed.format(unsigned.replace("G[i]", "G[0]"))))),
        rr.Equivalent,
    )


def test_what_is_left_of_a_packed_entry_runs_as_it_does() -> None:
    func = packed().functions["main"]
    matrix = tensor_of((int_imm(4), SymVar("n")), "float32")
    given = (("A", matrix), ("B", matrix))
    left, checks = unpacked(func, given)
    assert len(left.params) == 2 and len(checks) > 8
    a, b = np.arange(12, dtype="float32").reshape(4, 3), np.zeros((4, 3), "float32")
    whole = rr.run(rr.check(packed()), "main", 0, (a, b), 2, ())
    assert isinstance(whole, rr.Returned) and whole.value == 0
    rest = rr.run(rr.check(rr.Module({"main": left})), "main", a, b)
    assert isinstance(rest, rr.Returned)
    assert np.array_equal(np.asarray(whole.arguments[1][1]), np.asarray(rest.arguments[1]))


SCALAR = """n = TypeVar('n')
@I.ir_module
class Module:
    @T.prim_func
    def main(A: T.Buffer((n,), "float32"), x: T.int32):
        for i in range(n):
            A[i] = A[i] + T.Cast("float32", x)
"""
PACKED_SCALAR = """@I.ir_module
class Module:
    @T.prim_func
    def main(self_handle: T.handle, args: T.handle, num_args: T.int32, result: T.handle) -> T.int32:
        a: T.let[T.handle] = T.tvm_struct_get(args, 0, 15, "handle")
        shape: T.let[T.handle] = T.tvm_struct_get(a, 0, 2, "handle")
        n: T.let[T.int64] = T.tvm_struct_get(shape, 0, 17, "int64")
        x: T.let[T.int32] = T.Cast("int32", T.tvm_struct_get(args, 1, 15, "int64"))
        assert {}, "what is given"
        A = T.decl_buffer((n,), data=T.tvm_struct_get(a, 0, 1, "handle"))
        for i in range(n):
            A[i] = A[i] + T.Cast("float32", x)
        return 0
"""
CHECKS = {
    "x == x": True,
    "T.tvm_struct_get(args, 1, 13, 'int32') == 1": True,
    "n * 2 == 2 * n": True,
    "x + 1 > x": False,  # not at the greatest
    "n + 1 > n": True,  # of float32 there are fewer
    "n // x == n // x": False,  # not at 0
    "x > 0": False,
    "T.tvm_struct_get(args, 1, 13, 'int32') == 7": False,
    "T.tvm_struct_get(a, 0, 10, 'int32') == 2": False,  # another device
}


@pytest.mark.parametrize("check", CHECKS)
def test_checks_of_scalars(check: str) -> None:
    found = rr.validate(rr.parse(SCALAR), rr.parse(PACKED_SCALAR.format(check)), correspond=True)
    assert isinstance(found, rr.Equivalent) is CHECKS[check], how(found)


SCALARS = """@I.ir_module
class Module:
    @T.prim_func(s_tir=True)
    def main(A: T.Buffer((12,), "float32"), B: T.Buffer((12,), "float32")):
        V = T.decl_buffer((12,), "float32", data=A.data)
        for i in range(3):
            B[i * 4:i * 4 + 4] = V[i * 4:i * 4 + 4] + T.Broadcast(T.float32(1), 4)
"""
OF_FOUR = """@I.ir_module
class Module:
    @T.prim_func(s_tir=True)
    def main(A: T.Buffer((3,), "float32x4"), B: T.Buffer((3,), "float32x4")):
        V = T.decl_buffer((3,), "float32x4", data=A.data)
        for i in range(3):
            B[i] = V[T.Div(i * 4, 4)] + T.Broadcast(T.float32(1), 4)
"""


def test_vectors_are_seen_as_their_elements() -> None:
    assert isinstance(rr.validate(rr.parse(SCALARS), rr.parse(OF_FOUR)), rr.NoVerdict)
    found = rr.validate(rr.parse(SCALARS), rr.parse(OF_FOUR), correspond=True)
    assert isinstance(found, rr.Equivalent)
    assert how(found)[:2] == [f"{name} is seen as float32x4, the bytes of float32" for name in "AB"]


OTHER_VECTORS = {
    "another vector": ("T.Div(i * 4, 4)", "0"),
    "the next vector": ("T.Div(i * 4, 4)", "T.Div(i * 4, 4) + 1"),
    "fewer": ("range(3)", "range(2)"),
    "stored elsewhere": ("B[i]", "B[2 - i]"),
    "another number": ("T.float32(1)", "T.float32(2)"),
    "more memory": ("A: T.Buffer((3,)", "A: T.Buffer((4,)"),
    "other lanes": ('B: T.Buffer((3,), "float32x4")', 'B: T.Buffer((6,), "float32x2")'),
    "by another name": ("B[i] = V[", 'W = T.decl_buffer((3,), "float32x4", data=B.data)\n            B[i] = W['),
    "a view at an offset": ("data=A.data)", "data=A.data, elem_offset=1)"),
}


@pytest.mark.parametrize(("old", "new"), OTHER_VECTORS.values(), ids=OTHER_VECTORS.keys())
def test_other_vectors_are_not_proved(old: str, new: str) -> None:
    try:
        second = rr.parse(changed(OF_FOUR, {old: new}))
        found = rr.validate(rr.parse(SCALARS), second, correspond=True)
    except rr.Rejection:
        return  # (lanes that do not fit each other are no program)
    assert not isinstance(found, rr.Equivalent), how(found)


NUMBERS = """@I.ir_module
class Module:
    @T.prim_func
    def main(x: T.float32, y: T.float32, n: T.int32):
        if n > 3:
            return x
        return x - y
"""
OF_A_RESULT = """T.tvm_struct_set(result, 0, 13, 3)
            T.tvm_struct_set(result, 0, 14, 0)
            T.tvm_struct_set(result, 0, 15, T.Cast("float64", VALUE))
            return 0"""
PACKED_NUMBERS = """@I.ir_module
class Module:
    @T.prim_func
    def main(self_handle: T.handle, args: T.handle, num_args: T.int32, result: T.handle) -> T.int32:
        assert num_args == 3, "three arguments"
        kx: T.let[T.int32] = GET(args, 0, 13, "int32")
        assert kx == 3 or kx == 1 or kx == 2, "a number"
        x: T.let[T.float32] = T.Select(kx == 3, F32(GET(args, 0, 15, "float64")), F32(GET(args, 0, 15, "int64")))
        ky: T.let[T.int32] = GET(args, 1, 13, "int32")
        assert ky == 3 or ky == 1 or ky == 2, "a number"
        y: T.let[T.float32] = T.Select(ky == 3, F32(GET(args, 1, 15, "float64")), F32(GET(args, 1, 15, "int64")))
        n: T.let[T.int32] = T.Cast("int32", GET(args, 2, 15, "int64"))
        if n > 3:
            RESULT1
        with T.attr({"compute_scope": "main_compute_"}):
            RESULT2
        return 0
"""


def packed_numbers(**changes: str) -> Any:
    text = PACKED_NUMBERS.replace("RESULT1", OF_A_RESULT.replace("VALUE", "x"))
    text = text.replace("RESULT2", OF_A_RESULT.replace("VALUE", "x - y"))
    text = changed(text, changes)
    return rr.parse(text.replace("GET", "T.tvm_struct_get").replace("F32(", 'T.Cast("float32", '))


CHOSEN = 'T.Select(k{0} == 3, F32(GET(args, {1}, 15, "float64")), F32(GET(args, {1}, 15, "int64")))'


def test_numbers_are_packed_and_stored_as_results() -> None:
    first = rr.parse(NUMBERS)
    assert isinstance(rr.validate(first, packed_numbers()), rr.NoVerdict)
    assert isinstance(rr.validate(first, packed_numbers(), correspond=True), rr.Equivalent)
    whole = {"T.let[T.float32]": "T.let[T.int32]", "0, 13, 3)": "0, 13, 1)", '"float64", x': '"int64", x'}
    read = {CHOSEN.format(a, k): f'T.Cast("int32", GET(args, {k}, 15, "int64"))' for k, a in enumerate("xy")}
    second = packed_numbers(**whole, **read)
    assert isinstance(
        rr.validate(rr.parse(NUMBERS.replace("float32", "int32")), second, correspond=True), rr.Equivalent
    )


OTHER_NUMBERS = {
    "another value": ('"float64", x - y', '"float64", x + y'),
    "the other branch": ("if n > 3", "if n >= 3"),
    "exchanged": ('GET(args, 1, 15, "float64")', 'GET(args, 0, 15, "float64")'),
    "rounded on the way": ('F32(GET(args, 1, 15, "float64"))', 'F32(T.Cast("float16", GET(args, 1, 15, "float64")))'),
    "read as an integer": ("T.Select(kx == 3", "T.Select(kx == 1"),
    "another kind of result": ("result, 0, 13, 3", "result, 0, 13, 1"),
    "another padding": ("result, 0, 14, 0", "result, 0, 14, 1"),
    "another place": ("result, 0, 15", "result, 1, 15"),
    "rounded at the end": ('T.Cast("float64", x - y)', 'T.Cast("float64", T.Cast("float16", x - y))'),
    "an end with an error": ("            return 0\n        return 0", "            return -1\n        return 0"),
    "an end without a result": ("        if n > 3:\n", "        if n > 5:\n            return 0\n        if n > 3:\n"),
    "a check that fails": ("kx == 3 or kx == 1", "kx == 0 or kx == 1"),
}


@pytest.mark.parametrize(("old", "new"), OTHER_NUMBERS.values(), ids=OTHER_NUMBERS.keys())
def test_other_numbers_are_not_proved(old: str, new: str) -> None:
    found = rr.validate(rr.parse(NUMBERS), packed_numbers(**{old: new}), correspond=True)
    assert not isinstance(found, rr.Equivalent), how(found)


LAYS_OUT = """@I.ir_module
class Module:
    @T.prim_func(s_tir=True)
    def main(A: T.Buffer((3, 4), "float32"), W: T.Buffer((4, 6), "float32"), C: T.Buffer((3, 6), "float32")):
        V = T.sblock_alloc_buffer((6, 2, 2))
        for i_o, j_o in T.grid(4, 6):
            with T.sblock("layout"):
                i, j = T.axis.remap("SS", [i_o, j_o])
                V[j, i // 2, i % 2] = W[i, j]
        for i, j, k in T.grid(3, 6, 4):
            with T.sblock("matmul"):
                vi, vj, vk = T.axis.remap("SSR", [i, j, k])
                with T.init():
                    C[vi, vj] = T.float32(0)
                C[vi, vj] = C[vi, vj] + A[vi, vk] * V[vj, vk // 2, vk % 2]
"""
LAID_OUT = """@I.ir_module
class Module:
    @T.prim_func(s_tir=True)
    def main(A: T.Buffer((3, 4), "float32"), V: T.Buffer((6, 2, 2), "float32"), C: T.Buffer((3, 6), "float32")):
        for i_o, j_o in T.grid(4, 6):
            with T.sblock("layout"):
                i, j = T.axis.remap("SS", [i_o, j_o])
                T.evaluate(0)
        for i, j, k in T.grid(3, 6, 4):
            with T.sblock("matmul"):
                vi, vj, vk = T.axis.remap("SSR", [i, j, k])
                with T.init():
                    C[vi, vj] = T.float32(0)
                C[vi, vj] = C[vi, vj] + V[vj, vk // 2, vk % 2] * A[vi, vk]
"""


def test_a_layout_is_the_first_programs() -> None:
    first, second = rr.parse(LAYS_OUT), rr.parse(LAID_OUT)
    assert isinstance(rr.validate(first, second), rr.NoVerdict)
    found = rr.validate(first, second, correspond=True)
    assert isinstance(found, rr.Equivalent) and how(found) == ["V is what the first program makes of W"]


OTHER_LAYOUTS = {
    "digits exchanged": ("V[vj, vk // 2, vk % 2]", "V[vj, vk % 2, vk // 2]"),
    "another column": ("V[vj, vk // 2", "V[5 - vj, vk // 2"),
    "another name": ("V", "U"),
    "more memory": ("(6, 2, 2)", "(7, 2, 2)"),
    "another dtype": ('(6, 2, 2), "float32"', '(6, 2, 2), "float16"'),
    "overwritten": ("T.evaluate(0)", "V[j, i // 2, i % 2] = T.float32(1)"),
    "fewer terms": ("T.grid(3, 6, 4):", "T.grid(3, 6, 3):"),
    "another start": ("C[vi, vj] = T.float32(0)", "C[vi, vj] = T.float32(1)"),
}


@pytest.mark.parametrize(("old", "new"), OTHER_LAYOUTS.values(), ids=OTHER_LAYOUTS.keys())
def test_other_layouts_are_not_proved(old: str, new: str) -> None:
    second = LAID_OUT.replace(old, new) if old == "V" else changed(LAID_OUT, {old: new})
    second = second.replace("* A[vi, vk]", '.astype("float32") * A[vi, vk]') if "float16" in new else second
    found = rr.validate(rr.parse(LAYS_OUT), rr.parse(second), correspond=True)
    assert not isinstance(found, rr.Equivalent), how(found)


MADE_OTHERWISE = {
    "after the parameter changed": ("        for i_o", "        W[0, 0] = T.float32(1)\n        for i_o"),
    "of two parameters": ("= W[i, j]", "= W[i, j] + A[0, 0]"),
    "changed again": ("        for i, j, k", "        V[0, 0, 0] = T.float32(1)\n        for i, j, k"),
}


@pytest.mark.parametrize(("old", "new"), MADE_OTHERWISE.values(), ids=MADE_OTHERWISE.keys())
def test_what_is_made_otherwise_is_no_layout(old: str, new: str) -> None:
    first = changed(LAYS_OUT, {old: new})
    assert isinstance(rr.validate(rr.parse(first), rr.parse(LAID_OUT), correspond=True), rr.NoVerdict)
