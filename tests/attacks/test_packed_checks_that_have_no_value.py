"""Packed entries whose checks are not seen to have a value, or that do something before them, are no plain programs."""

from __future__ import annotations

import numpy as np
import pytest

import refrelax as rr

PLAIN = """n = TypeVar('n')
@I.ir_module
class Module:
    @T.prim_func
    def main(A: T.Buffer((4, n), "float32"), B: T.Buffer((4, n), "float32")):
        for i, j in T.grid(4, n):
            B[i, j] = A[i, j] + T.float32(1)
"""
PACKED = """@I.ir_module
class Module:
    @T.prim_func
    def main(self_handle: T.handle, args: T.handle, num_args: T.int32, result: T.handle) -> T.int32:
        # first
        assert num_args == 2, "two arguments"
        ha: T.let[T.handle] = GET(args, 0, 15, "handle")
        hb: T.let[T.handle] = GET(args, 1, 15, "handle")
        sa: T.let[T.handle("int64", "global")] = GET(ha, 0, 2, "handle")
        ta: T.let[T.handle("int64", "global")] = GET(ha, 0, 3, "handle")
        n: T.let[T.int64] = GET(sa, 1, 17, "int64")
        if not T.isnullptr(ta):
            assert GET(ta, 0, 17, "int64") == n, "compact"
        # second
        A = T.decl_buffer((4, n), data=GET(ha, 0, 1, "handle"))
        B = T.decl_buffer((4, n), data=GET(hb, 0, 1, "handle"))
        for i, j in T.grid(4, n):
            B[i, j] = A[i, j] + T.float32(1)
        return 0
"""
CALL = 'called: T.let[T.int32] = T.call_extern("int32", "f")'
END = "\n        return 0"


def packed(second: str, first: str = "# first", end: str = END) -> rr.Module:
    text = PACKED.replace("# first", first).replace("# second", second).replace(END, end)
    return rr.parse(text.replace("GET", "T.tvm_struct_get"))


def proved(first: rr.Module, second: rr.Module, correspond: bool = True) -> bool:
    return isinstance(rr.validate(first, second, correspond=correspond), rr.Equivalent)


CHECKS = {
    "a sum of uint8": ('assert T.Cast("uint8", n) < T.Cast("uint8", n) + T.uint8(255), "m"', 1),
    "a sum of int32": ('assert T.Cast("int32", n) < T.Cast("int32", n) + 2147483647, "m"', 1),
    "a product of int32": ('assert T.Cast("int32", n) * 65536 // 65536 == T.Cast("int32", n), "m"', 32768),
    "less than no uint64": ('assert T.Cast("uint64", n) - T.uint64(1) < T.Cast("uint64", n), "m"', 0),
    "three extents": ('assert n * n * n * n == n * n * n * n, "m"', 65536),
    "less than a width": ('assert GET(ha, 0, 6, "uint8") - T.uint8(33) < T.uint8(32), "m"', 3),
    "strides that are null": ('assert GET(ta, 0, 17, "int64") == n, "m"', 3),
    "an offset read as a float": ('assert GET(ha, 0, 8, "float32") == T.float32(0), "m"', 3),
}


@pytest.mark.parametrize(("check", "n"), CHECKS.values(), ids=CHECKS)
def test_a_check_without_a_value_is_not_one_that_passes(check: str, n: int) -> None:
    second = packed(check)
    assert not proved(rr.parse(PLAIN), second)
    given = (np.zeros((4, n), "float32"), np.zeros((4, n), "float32"))
    assert isinstance(rr.run(rr.check(second), "main", 0, given, 2, ()), rr.Unspecified)


@pytest.mark.parametrize(
    "check",
    [
        'assert n * T.int64(4) // T.int64(4) == n, "m"',
        'assert GET(ha, 0, 6, "uint8") * T.uint8(2) == T.uint8(64), "m"',
        'if not T.isnullptr(ta):\n            assert GET(ta, 1, 17, "int64") * n == n, "m"',
    ],
)
def test_a_check_with_a_value_is(check: str) -> None:
    assert proved(rr.parse(PLAIN), packed(check))


def test_an_entry_without_an_end_is_not_one_that_ends_with_0() -> None:
    assert proved(packed("# second"), packed("# third"), correspond=False)
    assert not proved(packed("# second"), packed("# second", end=""))
    assert not proved(packed("# second", end=""), packed("# second"), correspond=False)


def test_what_is_called_before_a_check_is_called_where_it_fails() -> None:
    check = 'assert GET(ha, 0, 4, "int32") == 2, "rank"'
    after, before = packed(f"{check}\n        {CALL}"), packed(f"{CALL}\n        {check}")
    assert not proved(after, before, correspond=False)
    assert not proved(after, before)


UNCHECKED = """@I.ir_module
class Module:
    @T.prim_func
    def main(self_handle: T.handle, args: T.handle, num_args: T.int32, result: T.handle) -> T.int32:
        ha: T.let[T.handle] = GET(args, 0, 15, "handle")
        hb: T.let[T.handle] = GET(args, 1, 15, "handle")
        sa: T.let[T.handle("int64", "global")] = GET(ha, 0, 2, "handle")
        sb: T.let[T.handle("int64", "global")] = GET(hb, 0, 2, "handle")
        n: T.let[T.int64] = GET(sa, 0, 17, "int64")
        m: T.let[T.int64] = GET(sb, 0, 17, "int64")
        # check
        A = T.decl_buffer((n,), data=GET(ha, 0, 1, "handle"))
        B = T.decl_buffer((n,), data=GET(hb, 0, 1, "handle"))
        for i in range(extent):
            B[i] = A[i] + T.float32(1)
        return 0
"""


def unchecked(extent: str, check: str = "# check") -> rr.Module:
    return rr.parse(UNCHECKED.replace("extent", extent).replace("# check", check).replace("GET", "T.tvm_struct_get"))


def test_an_extent_that_nobody_checks_may_be_another() -> None:
    small, large = np.zeros(3, "float32"), np.zeros(5, "float32")
    first, second = unchecked("m"), unchecked("n")
    runs = [rr.run(rr.check(each), "main", 0, (large, small), 2, ()) for each in (first, second)]
    assert isinstance(runs[0], rr.Returned) and isinstance(runs[1], rr.Unspecified)
    assert not proved(first, second, correspond=False) and not proved(second, first, correspond=False)
    assert proved(unchecked("n"), unchecked("n + 0"), correspond=False)
    assert proved(first, second)  # on request: of one extent


def test_a_check_of_an_extent_that_nobody_compares_stays_one_of_it() -> None:
    ours, theirs = (unchecked("n", f'assert GET({each}, 0, 17, "int64") > T.int64(2), "many"') for each in ("sa", "sb"))
    assert not proved(ours, theirs, correspond=False)


@pytest.mark.parametrize("value", ["n * n * n * n", 'T.Cast("int64", T.Cast("int32", n) * 65536)'])
def test_what_is_computed_before_a_check_may_have_no_value_where_it_fails(value: str) -> None:
    check, name = 'assert GET(ha, 0, 4, "int32") == 2, "rank"', f"x: T.let[T.int64] = {value}"
    after, before = packed(f"{check}\n        {name}"), packed(f"{name}\n        {check}")
    given = (np.zeros((4, 70000, 1), "float32"), np.zeros((4, 70000), "float32"))
    runs = [rr.run(rr.check(each), "main", 0, given, 2, ()) for each in (after, before)]
    assert isinstance(runs[0], rr.Trapped) and isinstance(runs[1], rr.Unspecified)
    assert not proved(after, before, correspond=False)
    assert proved(after, before)  # on request: of arguments that pass
    assert proved(after, after, correspond=False) and proved(before, before, correspond=False)
