"""Built modules read back: what is read means the same, and what was tampered with means that or is not read."""

# ruff: noqa: E501
from __future__ import annotations

import re
from contextlib import suppress
from typing import Any

import numpy as np
import pytest

import refrelax as rr
from refrelax.lower.origins.unbuilt import unbuilt
from tests.testing.comparing import same_bits

HEAD = """
m, m_1, n = T.int64(), T.int64(), T.int64()

@I.ir_module
class Module:
    @T.prim_func(private=True)
    def concatenate(a: T.Buffer((m,), "float32"), b: T.Buffer((4,), "float32"), out: T.Buffer((m_1,), "float32")):
        for i0 in range(m_1):
            out[i0] = T.if_then_else(i0 < m, a[i0], b[i0 - m])

    @T.prim_func(private=True)
    def add(x: T.Buffer((n, 4), "float32"), y: T.Buffer((n, 4), "float32"), b: T.Buffer((n, 4), "float32")):
        for i0, i1 in T.grid(n, 4):
            b[i0, i1] = x[i0, i1] + y[i0, i1]

    @T.prim_func(private=True)
    def raised(b: T.Buffer((n, 4), "float32")):
        for i0, i1 in T.grid(n, 4):
            b[i0, i1] = b[i0, i1] + T.float32(1)

    @T.prim_func(private=True)
    def shape_func(H: T.Buffer((T.int64(3),), "int64")):
        T.func_attr({"tirx.is_host_func": True})
        H[T.int64(1)] = H[T.int64(0)] * T.int64(4)

    @T.prim_func(private=True)
    def shape_func_1(H: T.Buffer((T.int64(3),), "int64")):
        T.func_attr({"tirx.is_host_func": True})
        H[T.int64(2)] = H[T.int64(0)] * T.int64(4) + T.int64(4)

"""
TENSOR, SHAPE, NEW = "vm.builtin.check_tensor_info", "vm.builtin.match_shape", "vm.builtin.alloc_tensor"
UNIT, ANY, TOLD = "ty_args=(R.Tuple,)", "ty_args=(R.Any,)", 'R.str("")'
MAIN = f"""    @R.function(pure=False)
    def main(x: R.Any, y: R.Any, k: R.Any) -> R.Any:
        cls = Module
        heap = R.call_builtin_with_ctx("vm.builtin.alloc_shape_heap", (3,), ty_args=(R.Tensor(dtype="int64", ndim=1),))
        is_x = R.call_packed("{TENSOR}", x, 2, R.dtype("float32"), {TOLD}, {UNIT})
        is_y = R.call_packed("{TENSOR}", y, 2, R.dtype("float32"), {TOLD}, {UNIT})
        is_k = R.call_packed("{TENSOR}", k, 1, R.dtype("float32"), {TOLD}, {UNIT})
        of_x = R.call_packed("{SHAPE}", x, heap, 2, 1, 0, 0, 4, {TOLD}, {UNIT})
        of_y = R.call_packed("{SHAPE}", y, heap, 2, 3, 0, 0, 4, {TOLD}, {UNIT})
        of_k = R.call_packed("{SHAPE}", k, heap, 1, 0, 4, {TOLD}, {UNIT})
        gv = R.call_packed("vm.builtin.make_shape", heap, 2, 1, 0, 0, 4, {ANY})
        storage = R.call_builtin_with_ctx("vm.builtin.alloc_storage", (gv, 0, R.dtype("float32"), R.str("global")), {ANY})
        b = R.call_packed("{NEW}", storage, 0, gv, R.dtype("float32"), {ANY})
        done = R.call_packed("vm.builtin.call_tir_dyn", cls.add, x, y, b, R.shape([]), {UNIT})
        slot_1 = cls.shape_func(heap)
        gv_1 = R.call_packed("vm.builtin.make_shape", heap, 1, 1, 1, {ANY})
        c = R.call_packed("runtime.TVMTensorCreateView", b, gv_1, R.dtype("float32"), 0, {ANY})
        slot_2 = cls.shape_func_1(heap)
        gv_2 = R.call_packed("vm.builtin.make_shape", heap, 1, 1, 2, {ANY})
        room = R.call_builtin_with_ctx("vm.builtin.alloc_storage", (gv_2, 0, R.dtype("float32"), R.str("global")), {ANY})
        d = R.call_packed("{NEW}", room, 0, gv_2, R.dtype("float32"), {ANY})
        over = R.call_packed("vm.builtin.call_tir_dyn", cls.concatenate, c, k, d, R.shape([]), {UNIT})
        gv_3 = R.call_packed("vm.builtin.make_tuple", b, d, {ANY})
        return gv_3
"""
BYTES = f"""    @R.function(pure=False)
    def main(x: R.Any, y: R.Any, k: R.Any) -> R.Any:
        cls = Module
        heap = R.call_builtin_with_ctx("vm.builtin.alloc_shape_heap", (0,), ty_args=(R.Tensor(dtype="int64", ndim=1),))
        is_x = R.call_packed("{TENSOR}", x, 2, R.dtype("float32"), {TOLD}, {UNIT})
        is_y = R.call_packed("{TENSOR}", y, 2, R.dtype("float32"), {TOLD}, {UNIT})
        is_k = R.call_packed("{TENSOR}", k, 1, R.dtype("float32"), {TOLD}, {UNIT})
        of_x = R.call_packed("{SHAPE}", x, heap, 2, 0, 2, 0, 4, {TOLD}, {UNIT})
        of_y = R.call_packed("{SHAPE}", y, heap, 2, 0, 2, 0, 4, {TOLD}, {UNIT})
        of_k = R.call_packed("{SHAPE}", k, heap, 1, 0, 4, {TOLD}, {UNIT})
        storage = R.call_builtin_with_ctx(
            "vm.builtin.alloc_storage", (R.shape([64]), 0, R.dtype("uint8"), R.str("global")), {ANY})
        a = R.call_packed("{NEW}", storage, 0, R.shape([2, 4]), R.dtype("float32"), {ANY})
        done = R.call_packed("vm.builtin.call_tir_dyn", cls.add, x, y, a, R.shape([]), {UNIT})
        b = R.call_packed("{NEW}", storage, 32, R.shape([2, 4]), R.dtype("float32"), {ANY})
        over = R.call_packed("vm.builtin.call_tir_dyn", cls.add, a, y, b, R.shape([]), {UNIT})
        gv = R.call_packed("vm.builtin.make_tuple", a, b, {ANY})
        gv_1 = R.call_packed("vm.builtin.tuple_getitem", gv, 1, {ANY})
        return gv_1
"""


def given(rows: int) -> list[Any]:
    x = np.arange(4.0 * rows, dtype=np.float32).reshape(rows, 4)
    return [x, 2 * x, np.array([9.0, 8.0, 7.0, 6.0], np.float32)]


def allowed(checked: rr.CheckedModule, args: list[Any]) -> bool:
    """Whether it is read back; a run of what that gives is the built module's where it returns."""
    read = unbuilt(checked)
    if read is not None:
        found, wanted = rr.run(read, "main", *args), rr.run(checked, "main", *args)
        if isinstance(found, rr.Returned) and not isinstance(wanted, rr.Unspecified):
            assert isinstance(wanted, rr.Returned), wanted
            assert same_bits(wanted.value, found.value)
    return read is not None


@pytest.mark.parametrize("main", [MAIN, BYTES], ids=["tensors", "bytes"])
def test_what_is_built_is_read_back(main: str) -> None:
    assert allowed(rr.check(rr.parse(HEAD + main)), given(2))


def asked(*texts: str) -> int:
    """How many of some texts are modules that are read back."""
    count = 0
    for each in texts:
        with suppress(rr.Rejection):
            count += allowed(rr.check(rr.parse(each)), given(2))
    return count


READ = {
    MAIN: """
        cls = Module
        b = R.builtin.alloc_tensor(R.shape([n, 4]), R.dtype("float32"), 0, R.str("global"))
        done = cls.add(x, y, b)
        c = R.memory.view(b, R.shape([n * 4]), R.dtype("float32"), 0)
        d = R.builtin.alloc_tensor(R.shape([n * 4 + 4]), R.dtype("float32"), 0, R.str("global"))
        over = cls.concatenate(c, k, d)
        gv_3 = b, d
        return gv_3
""",
    BYTES: """
        cls = Module
        storage = R.memory.alloc_storage(R.shape([64]), 0, R.str("global"), R.dtype("uint8"))
        a = R.memory.alloc_tensor(storage, 0, R.shape([2, 4]), R.dtype("float32"), 0)
        done = cls.add(x, y, a)
        b = R.memory.alloc_tensor(storage, 32, R.shape([2, 4]), R.dtype("float32"), 0)
        over = cls.add(a, y, b)
        gv = a, b
        gv_1 = gv[1]
        return gv_1
""",
}  # fmt: skip


@pytest.mark.parametrize("main", READ, ids=["tensors", "bytes"])
def test_what_it_is_read_as(main: str) -> None:
    read = unbuilt(rr.check(rr.parse(HEAD + main)))
    assert read is not None
    assert rr.print_module(read.module).partition("def main(")[2].partition("):")[2].strip() == READ[main].strip()


def test_what_lies_in_bytes_is_no_result() -> None:
    for whole in ("b", "storage"):
        text = BYTES.replace('make_tuple", a, b', f'make_tuple", a, {whole}')
        assert (unbuilt(rr.check(rr.parse(HEAD + text))) is not None) is (whole == "b")


REFUSED = {
    "a storage that is none": ("storage, 0, gv,", "x, 0, gv,"),
    "a program of something else": ("cls.shape_func(heap)", "cls.shape_func(R.const([2, 8, 0], \"int64\"))"),
    "a shape of an empty slot": ("make_shape\", heap, 2, 1, 0,", "make_shape\", heap, 2, 1, 2,"),
    "an extent of an empty slot": ("y, heap, 2, 3, 0,", "y, heap, 2, 3, 1,"),
    "a device of its own": ("(gv, 0, R.dtype(", "(gv, 1, R.dtype("),
    "a tensor at an offset": ("storage, 0, gv,", "storage, 4, gv,"),
    "of another dtype": ("storage, 0, gv, R.dtype(\"float32\")", "storage, 0, gv, R.dtype(\"int32\")"),
    "of another shape": ("storage, 0, gv,", "storage, 0, R.shape([2, 4]),"),
    "a rank that is another": ("y, 2, R.dtype", "y, 1, R.dtype"),
    "a result that is the table": ("make_tuple\", b, d", "make_tuple\", b, heap"),
    "a table that is smaller": ("alloc_shape_heap\", (3,)", "alloc_shape_heap\", (2,)"),
    "a table that is larger": ("alloc_shape_heap\", (3,)", "alloc_shape_heap\", (4,)"),
    "a slot that is none": ("x, heap, 2, 1, 0,", "x, heap, 2, 1, 3,"),
    "a slot that is filled again": ("slot_1 = cls.shape_func(heap)", "slot_1 = cls.shape_func(heap)\n        e = cls.shape_func(heap)"),
    "a value that is told twice": ("is_y = R.call_packed", f"e = R.call_packed(\"{TENSOR}\", x, 2, R.dtype(\"float32\"), {TOLD}, {UNIT})\n        is_y = R.call_packed"),
    "an extent that is told twice": ("of_k = R.call_packed", f"e = R.call_packed(\"{SHAPE}\", y, heap, 2, 3, 0, 0, 4, {TOLD}, {UNIT})\n        of_k = R.call_packed"),
    "a second tensor in a room of one": ("done = R.call_packed", f"e = R.call_packed(\"{NEW}\", storage, 0, gv, R.dtype(\"float32\"), {ANY})\n        done = R.call_packed"),
    "a parameter that nobody checks": (f"        is_k = R.call_packed(\"{TENSOR}\", k, 1, R.dtype(\"float32\"), {TOLD}, {UNIT})\n", ""),
    "a parameter whose extents nobody checks": (f"        of_k = R.call_packed(\"{SHAPE}\", k, heap, 1, 0, 4, {TOLD}, {UNIT})\n", ""),
    "an extent that nobody checks": ("k, heap, 1, 0, 4", "k, heap, 1, 2, 4"),
    "a check of what is no parameter": ("slot_1 = cls", f"e = R.call_packed(\"{TENSOR}\", b, 2, R.dtype(\"float32\"), {TOLD}, {UNIT})\n        slot_1 = cls"),
    "extents of what is no parameter": ("slot_1 = cls", f"e = R.call_packed(\"{SHAPE}\", b, heap, 2, 3, 0, 0, 4, {TOLD}, {UNIT})\n        slot_1 = cls"),
    "fewer extents than the rank": ("y, heap, 2, 3, 0, 0, 4", "y, heap, 1, 3, 0"),
    "a slot that is stored again": ("y, heap, 2, 3, 0,", "y, heap, 2, 1, 0,"),
    "a slot before the first": ("x, heap, 2, 1, 0,", "x, heap, 2, 1, -1,"),
    "a code that is none": ("y, heap, 2, 3, 0,", "y, heap, 2, 4, 0,"),
    "a code without a slot": ('k, heap, 1, 0, 4, R.str(""), ', "k, heap, 1, 0, "),
    "a function given the table": ("def main(", "def other(h: R.Tensor((3,), \"int64\")) -> R.Tensor((3,), \"int64\"):\n        return h\n\n    @R.function(pure=False)\n    def main(",
                                   "slot_1 = cls.shape_func(heap)", "slot_1 = cls.other(heap)"),
    "a shape by a code that is none": ("make_shape\", heap, 2, 1, 0,", "make_shape\", heap, 2, 3, 0,"),
    "a second table": ("        is_x =", "        other = R.call_builtin_with_ctx(\"vm.builtin.alloc_shape_heap\", (3,), ty_args=(R.Tensor(dtype=\"int64\", ndim=1),))\n        is_x ="),
    "memory of another kind": ("(gv, 0, R.dtype(\"float32\"), R.str(\"global\"))", "(gv, 0, R.dtype(\"float32\"), R.str(\"local\"))"),
    "integers beside the tensors": ("cls.add, x, y, b, R.shape([])", "cls.add, x, y, b, R.shape([4])"),
    "a result that is a shape": ("make_tuple\", b, d", "make_tuple\", b, gv"),
    "a result in a tuple that is a shape": ("gv_3 = R.call_packed(\"vm.builtin.make_tuple\", b, d, " + ANY + ")", "gv_3 = (b, (d, gv))"),
    "a result that is a storage": ("slot_1 = cls.shape_func(heap)", "e = (b, storage)\n        slot_1 = cls.shape_func(heap)"),
    "another operator": ("slot_1 = cls.shape_func(heap)", "e = R.add(R.const(1.0, \"float32\"), R.const(2.0, \"float32\"))\n        slot_1 = cls.shape_func(heap)"),
    "another call of the machine": ("slot_1 = cls.shape_func(heap)", f"e = R.call_packed(\"vm.builtin.shape_of\", b, {ANY})\n        slot_1 = cls.shape_func(heap)"),
    "a check in between": ("slot_1 = cls.shape_func(heap)", "e = R.match_cast(b, R.Any)\n        slot_1 = cls.shape_func(heap)"),
}  # fmt: skip


ALLOWED = {
    "extents that are checked twice, the first time not": ("of_k =", f"e = R.call_packed(\"{SHAPE}\", k, heap, 1, 2, 0, {TOLD}, {UNIT})\n        of_k ="),
    "a call by itself": ("x: R.Any", "x: R.Tensor((n, 4), \"float32\")", "slot_1 = cls", "e = cls.raised(x)\n        slot_1 = cls"),
    "the end of a life": ("slot_2 = cls", "e = R.memory.kill_tensor(x)\n        slot_2 = cls"),
    "extents without a message": ('k, heap, 1, 0, 4, R.str(""), ', "k, heap, 1, 0, 4, "),
    "another name": ("slot_2 = cls", "e = d0\n        slot_2 = cls".replace("d0", "c")),
    "a tuple and its field": ("slot_2 = cls", "e = (b, y)\n        e1 = e[1]\n        slot_2 = cls"),
    "a constant": ("slot_2 = cls", "e = R.const(2.5, \"float32\")\n        slot_2 = cls"),
    "a reshape": (f"R.call_packed(\"runtime.TVMTensorCreateView\", b, gv_1, R.dtype(\"float32\"), 0, {ANY})", f"R.call_packed(\"vm.builtin.reshape\", b, gv_1, {ANY})"),
}  # fmt: skip


def edited(*texts: str) -> rr.CheckedModule:
    """The module with each text (one that it has once) as the next one; it is still a program."""
    text = MAIN
    for before, after in zip(texts[::2], texts[1::2], strict=True):
        assert text.count(before) == 1
        text = text.replace(before, after)
    return rr.check(rr.parse(HEAD + text))


@pytest.mark.by_day(6)
@pytest.mark.parametrize("name", ALLOWED)
def test_what_is_read_as_well(name: str) -> None:
    assert allowed(edited(*ALLOWED[name]), given(2))


@pytest.mark.by_day(6)
@pytest.mark.parametrize("name", REFUSED)
def test_what_is_not_read(name: str) -> None:
    assert not allowed(edited(*REFUSED[name]), given(2))


SLOT = "H[T.int64(1)] = H[T.int64(0)] * T.int64(4)"
SLOT_2, SLOT_32 = (
    "H[T.int64(2)] = H[T.int64(0)] * T.int64(4) + T.int64(4)",
    "H[T.int64(1)] = H[T.int64(0)] * T.int32(4)",
)
INT32 = ('(T.int64(3),), "int64")', '(T.int64(3),), "int32")')
HEAP_32 = ('R.Tensor(dtype="int64", ndim=1)', 'R.Tensor(dtype="int32", ndim=1)')
HOST: dict[str, tuple[tuple[str, ...], bool]] = {
    "a table of fewer": (('(H: T.Buffer((T.int64(3),)', "(H: T.Buffer((T.int64(2),)"), False),
    "a table of other integers": ((*INT32, *INT32[:2], SLOT, SLOT_32, f"{SLOT_2}", SLOT_32.replace("1", "2"), *HEAP_32), False),
    "a slot that comes later": ((SLOT, SLOT.replace("H[T.int64(0)]", "H[T.int64(2)]")), False),
    "a slot that is none": ((SLOT, SLOT.replace("H[T.int64(1)]", "H[T.int64(3)]")), False),
    "a loop": ((SLOT, f"for i in range(1):\n            {SLOT}"), False),
    "a slot that is computed": ((SLOT, SLOT.replace("H[T.int64(1)]", "H[H[T.int64(0)] - T.int64(1)]")), False),
    "what lies at a slot that is computed": ((SLOT, SLOT.replace("H[T.int64(0)]", "H[H[T.int64(0)] - T.int64(2)]")), False),
    "memory of its own": ((SLOT, f'A = T.alloc_buffer((3,), "int64")\n        A[T.int64(1)] = T.int64(0)\n        {SLOT} + A[T.int64(1)]'), False),
    "twice": ((SLOT, f"{SLOT}\n        {SLOT}"), False),
    "another operation": ((SLOT, SLOT.replace("H[T.int64(0)]", "T.max(H[T.int64(0)], T.int64(0))")), True),
    "a program that runs anywhere": (('"tirx.is_host_func": True', '"tirx.is_host_func": False'), True),
}  # fmt: skip


@pytest.mark.by_day(6)
@pytest.mark.parametrize("name", HOST)
def test_what_is_computed_of_the_table(name: str) -> None:
    (texts, is_read), text = HOST[name], HEAD + MAIN
    for before, after in zip(texts[::2], texts[1::2], strict=True):
        assert before in text
        text = text.replace(before, after, 1)
    assert allowed(rr.check(rr.parse(text)), given(2)) is is_read


def test_host_programs_are_gone() -> None:
    read = unbuilt(rr.check(rr.parse(HEAD + MAIN)))
    assert read is not None and set(read.module.functions) == {"concatenate", "add", "raised", "main"}


def edits(text: str) -> list[str]:
    """A text with each number, each name of a tensor or a storage, and each line in turn another one."""
    names = {"x": ["y"], "y": ["x"], "b": ["x"], "storage": ["b"], "gv": ["gv_1"], "gv_1": ["gv"], "int64": ["int32"]}
    pattern = r"(?<![\w.])\d+(?![\w.])|\bstorage\b|\bgv(_1)?(?=[,)])|\b[xyb](?=, )|\bint64(?=\")"
    found = []
    for each in re.finditer(pattern, text):
        for other in names.get(each[0]) or [str(int(each[0]) + 1), str(max(int(each[0]) - 1, 0))]:
            found.append(text[: each.start()] + other + text[each.end() :])
    lines = text.splitlines(keepends=True)
    for k in range(3, len(lines) - 1):
        found.append("".join([*lines[:k], *lines[k + 1 :]]))
        found.append("".join([*lines[: k + 1], *lines[k:]]))
        found.append("".join([*lines[:k], *lines[k + 1 : k + 2], lines[k], *lines[k + 2 :]]))
    return [each for each in dict.fromkeys(found) if each != text]


@pytest.mark.thorough
@pytest.mark.parametrize("start", range(16))
@pytest.mark.parametrize("main", [MAIN, BYTES], ids=["tensors", "bytes"])
def test_what_is_tampered_with(main: str, start: int) -> None:
    asked(*(HEAD + each for each in edits(main)[start::16]))  # (holds what is read against what is there)
