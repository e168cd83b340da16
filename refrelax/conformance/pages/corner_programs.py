"""Corner cases of operators that take no tensor of which an example could change something: small programs.

A row: what it shows, for the page, and the lines of a function before ``return out``. They are run as every other
corner case is (``corners``), so that the page says what the reference gives.
"""

from __future__ import annotations

import re

Rows = tuple[tuple[str, tuple[str, ...]], ...]
"""What is given, and the lines."""

HEAD = """\
@I.ir_module
class Module:
    @T.prim_func(private=True)
    def fill(A: T.Buffer((3,), "float32"), k: T.int64):
        for i in range(3):
            A[i] = T.Cast("float32", k)

    @R.function(pure=False)
    def main():
        cls = Module
"""


def program(lines: tuple[str, ...]) -> str:
    """The module whose function these lines are."""
    return HEAD + "".join(f"        {line}\n" for line in (*lines, "return out"))


def _calls(*calls: str) -> Rows:
    """Calls that are shown as they are."""
    return tuple((f"`{call}`", (f"out = {call}",)) for call in calls)


STORAGE = 's = R.memory.alloc_storage(R.shape([{size}]), 0, "global", "{dtype}")'
VM_STORAGE = 's = R.vm.alloc_storage(R.shape([{size}]), 0, R.dtype("{dtype}"))'
FILLED = "_ = cls.fill({name}, R.prim_value(7))"


def _storage(size: object, dtype: str = "uint8") -> str:
    return STORAGE.format(size=size, dtype=dtype)


def _vm_storage(size: object, dtype: str = "uint8") -> str:
    return VM_STORAGE.format(size=size, dtype=dtype)


def _tensor(extent: object, offset: int = 0, name: str = "out", room: str = "memory") -> str:
    dtype = '"float32"' if room == "memory" else 'R.dtype("float32")'
    return f"{name} = R.{room}.alloc_tensor(s, {offset}, R.shape([{extent}]), {dtype})"


def _tensors(storage: str, room: str) -> Rows:
    """Tensors in a storage of 12 bytes."""
    a, out = _tensor(3, name="a", room=room), _tensor(3, room=room)
    return (
        ("3 elements of 4 bytes in a storage of 12", (storage, out)),
        ("4 of them", (storage, _tensor(4, room=room))),
        ("3 of them from byte 4 on", (storage, _tensor(3, 4, room=room))),
        ("1 of them at byte -4", (storage, _tensor(1, -4, room=room))),
        ("1 of them at byte 2", (storage, _tensor(1, 2, room=room))),
        ("none of them at byte 12", (storage, _tensor(0, 12, room=room))),
        ("bytes that another tensor has written", (storage, a, FILLED.format(name="a"), out)),
    )


def _killed(kill: str) -> Rows:
    """Uses of a storage `s` and a tensor in it, after the name ended."""
    storage, a = _storage(12), _tensor(3, name="a")
    of_storage = re.search(r"\bs\b", kill) is not None
    filled = FILLED.format(name="a")
    if not of_storage:
        return (
            ("the name is used behind it", (storage, a, filled, kill, "out = a")),
            ("another name of the tensor is", (storage, a, filled, "b = a", kill, "out = b")),
            ("it ends twice", (storage, a, kill, kill.replace("k =", "l ="), "out = R.tuple()")),
        )
    return (
        ("a tensor in it is used behind it", (storage, a, filled, kill, "out = a")),
        ("another tensor is allocated in it", (storage, kill, _tensor(3))),
        ("it ends twice", (storage, kill, kill.replace("k =", "l ="), "out = R.tuple()")),
    )


def _called(extent: int, last: str) -> tuple[str, ...]:
    made = f'out = R.builtin.alloc_tensor(R.shape([{extent}]), R.dtype("float32"), 0)'
    return made, f"_ = R.vm.call_tir_dyn(cls.fill, (out{last}))"


HALVES = 'T.float32(0.5), T.float32(0.5), "float32")'

CORNERS: dict[str, Rows] = {
    "relax.eye": _calls(
        'R.eye(3, 2, 1, "int32")', 'R.eye(2, 3, -1, "int32")', 'R.eye(2, 3, 5, "int32")', 'R.eye(0, 3, 0, "int32")',
        'R.eye(-1, 3, 0, "int32")', 'R.eye(2, 3, 0, "bool")',
    ),
    "relax.arange": _calls(
        'R.arange(1, 7, 2, "int32")', 'R.arange(1, 8, 2, "int32")', 'R.arange(7, 1, -2, "int32")',
        'R.arange(3, 3, 1, "int32")', 'R.arange(3, 1, 1, "int32")', 'R.arange(0, 3, 0, "int32")',
        'R.arange(T.float32(0), T.float32(1), T.float32(0.25), "float32")',
    ),
    "relax.hamming_window": _calls(
        f"R.hamming_window(4, 0, {HALVES}", f"R.hamming_window(4, 1, {HALVES}", f"R.hamming_window(1, 0, {HALVES}",
        f"R.hamming_window(1, 1, {HALVES}", f"R.hamming_window(0, 0, {HALVES}",
    ),
    "relax.shape_to_tensor": _calls(
        "R.shape_to_tensor(R.shape([]))", "R.shape_to_tensor(R.shape([0, 5]))",
        "R.shape_to_tensor(R.shape([4294967296]))",
    ),
    "relax.assert_op": (
        ("false", ('out = R.assert_op(R.const(False, "bool"), format="no")',)),
        ("a scalar that is true", ("out = R.assert_op(R.prim_value(True))",)),
        ("an integer", ('out = R.assert_op(R.const(1, "int32"))',)),
        ("two elements", ('out = R.assert_op(R.const([True, True], "bool"))',)),
        ("an element that was never written", (
            'a = R.builtin.alloc_tensor(R.shape([]), R.dtype("bool"), 0)', "out = R.assert_op(a)",
        )),
    ),
    "relax.null_value": (
        ("as an operand", ("a = R.null_value()", "out = R.negative(a)")),
        ("`R.match_cast` to a tensor type", (
            "a = R.null_value()", 'out = R.match_cast(a, R.Tensor((3,), "float32"))',
        )),
        ("`R.match_cast` to `R.Any`", ("a = R.null_value()", "b = R.match_cast(a, R.Any)", "out = R.tuple()")),
    ),
    "relax.builtin.alloc_tensor": (
        ("3 elements", ('out = R.builtin.alloc_tensor(R.shape([3]), R.dtype("float32"), 0)',)),
        ("no elements", ('out = R.builtin.alloc_tensor(R.shape([0, 3]), R.dtype("float32"), 0)',)),
        ("-1 elements", ('out = R.builtin.alloc_tensor(R.shape([-1]), R.dtype("float32"), 0)',)),
        ("what was never written times 0", (
            'a = R.builtin.alloc_tensor(R.shape([3]), R.dtype("float32"), 0)',
            'out = R.multiply(a, R.const(0, "float32"))',
        )),
    ),
    "relax.memory.alloc_storage": (
        ("12 bytes for 3 elements of 4", (_storage(12), _tensor(3))),
        ("a size of `[3, 4]`", (_storage("3, 4"), _tensor(3))),
        ("a size of `[3]` at `float32`", (_storage(3, "float32"), _tensor(3))),
        ("no bytes, for no elements", (_storage(0), _tensor(0))),
        ("-12 bytes", (_storage(-12), _tensor(3))),
    ),
    "relax.memory.alloc_tensor": _tensors(_storage(12), "memory"),
    "relax.memory.kill_storage": _killed("k = R.memory.kill_storage(s)"),
    "relax.memory.kill_tensor": _killed("k = R.memory.kill_tensor(a)"),
    "relax.memory.ensure_zero_offset": (
        ("a tensor from its begin on", ('out = R.memory.ensure_zero_offset(R.const([1, 2, 3], "float32"))',)),
        ("a view from byte 4 on", (
            'a = R.memory.view(R.const([1, 2, 3], "float32"), R.shape([2]), R.dtype("float32"), 4)',
            "out = R.memory.ensure_zero_offset(a)",
        )),
        ("a view of no elements", (
            'a = R.memory.view(R.const([1, 2, 3], "float32"), R.shape([0]), R.dtype("float32"), 12)',
            "out = R.memory.ensure_zero_offset(a)",
        )),
    ),
    "relax.vm.alloc_storage": (
        ("3 elements of `float32` for 3 of 4 bytes", (_vm_storage(3, "float32"), _tensor(3, room="vm"))),
        ("3 of `uint8`", (_vm_storage(3), _tensor(3, room="vm"))),
        ("none, for no elements", (_vm_storage(0), _tensor(0, room="vm"))),
        ("-3", (_vm_storage(-3, "float32"), _tensor(3, room="vm"))),
    ),
    "relax.vm.alloc_tensor": _tensors(_vm_storage(12), "vm"),
    "relax.vm.kill_object": (*_killed("k = R.vm.kill_object(a)"), *_killed("k = R.vm.kill_object(s)")),
    "relax.vm.call_tir_dyn": (
        ("a shape of the one number that the callee takes last", _called(3, ", R.shape([7])")),
        ("a shape of two", _called(3, ", R.shape([7, 8])")),
        ("no shape, and no number", _called(3, ",")),
        ("a scalar in place of the shape", _called(3, ", R.prim_value(7)")),
        ("a tensor of 4 elements where the callee has 3", _called(4, ", R.shape([7])")),
    ),
}  # fmt: skip
"""The programs by operator."""
