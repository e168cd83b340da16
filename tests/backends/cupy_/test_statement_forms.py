"""Loop programs with statements that keep loops from running side by side, or that no kernel has: the forms of their
kernels, or why there are none."""

# ruff: noqa: E501
from __future__ import annotations

import pytest

pytest.importorskip("numpy")

import refrelax as rr
from refrelax.backends.cupy_.plan import plans
from refrelax.backends.errors import Unsupported
from refrelax.semantics.types.checked import CheckedModule

HEAD = """
@I.ir_module
class Module:
    @T.prim_func(s_tir=True)
    def main(A: T.Buffer((8,), "float32"), I: T.Buffer((8,), "int32"), O: T.Buffer((8,), "float32")):
"""

BODIES: dict[str, tuple[str, str]] = {
    "store": ("for i in range(8):\n    O[i] = A[i]", "elementwise"),
    "two stores": ("for i in range(8):\n    O[i] = A[i]\n    O[i] = O[i] + A[i]", "elementwise"),
    "break": ("for i in range(8):\n    if A[i] > T.float32(0):\n        break\n    O[i] = A[i]", "sequential"),
    "break, otherwise": ("for i in range(8):\n    if A[i] > T.float32(0):\n        O[i] = A[i]\n    else:\n        break", "sequential"),
    "continue": ("for i in range(8):\n    if A[i] > T.float32(0):\n        continue\n    O[i] = A[i]", "sequential"),
    "break of an inner loop": ("for i in range(8):\n    for j in range(4):\n        if A[j] > T.float32(0):\n            break\n        O[i] = A[j]", "sequential"),
    "break in a block": ("for i in range(8):\n    with T.sblock(\"b\"):\n        v = T.axis.spatial(8, i)\n        if A[v] > T.float32(0):\n            break\n        O[v] = A[v]", "sequential"),
    "by steps": ("for i in T.serial(0, 8, step=2):\n    O[i] = A[i]", "sequential"),
    "while": ("for i in range(8):\n    O[i] = A[i]\n    while O[i] < T.float32(4):\n        O[i] = O[i] + T.float32(1)", "elementwise"),
    "of a neighbour": ("for i in range(7):\n    O[i] = O[i + 1]", "sequential"),
    "a let": ("for i in range(8):\n    x: T.let[T.float32] = A[i]\n    O[i] = x * x", "elementwise"),
    "a let that is the place": ("for i in range(8):\n    j: T.let[T.int32] = i\n    O[j] = A[i]", "elementwise"),
    "a let that is a place from behind": ("for i in range(8):\n    j: T.let[T.int32] = 7 - i\n    O[j] = A[i]", "sequential"),
    "a let that is read": ("for i in range(8):\n    j: T.let[T.int32] = I[i]\n    O[j] = A[i]", "sequential"),
    "a let that is a number before": ("j: T.let[T.int32] = 3\nfor i in range(4):\n    O[i + j] = A[i]", "sequential"),
    "a let that is read before": ("j: T.let[T.int32] = I[0]\nfor i in range(8):\n    O[i] = A[i] * T.Cast(\"float32\", j)", "sequential"),
    "if": ("for i in range(8):\n    if i < 4:\n        O[i] = A[i]\n    else:\n        O[i] = A[i] * T.float32(2)", "elementwise"),
    "if, on another place": ("for i in range(7):\n    if i < 4:\n        O[i] = A[i]\n    else:\n        O[i + 1] = A[i]", "sequential"),
    "if, by what is stored": ("for i in range(8):\n    if O[i] > T.float32(0):\n        O[i] = A[i]", "elementwise"),
    "if, by another element": ("for i in range(8):\n    if O[0] > T.float32(0):\n        O[i] = A[i]", "sequential"),
    "if inside if": ("for i in range(8):\n    if i < 4:\n        if i < 2:\n            O[i] = A[i]\n        else:\n            O[i] = T.float32(5)\n    else:\n        O[i] = A[i] * T.float32(2)", "elementwise"),
    "assert": ("for i in range(8):\n    assert A[i] > T.float32(0), \"positive\"\n    O[i] = A[i]", "elementwise"),
    "assert before": ("assert I[0] > 0, \"positive\"\nfor i in range(8):\n    O[i] = A[i]", "sequential elementwise"),
    "a scalar of its own": ("for i in range(8):\n    x: T.float32 = A[i]\n    x = x * x\n    O[i] = x", "elementwise"),
    "a small array of its own": ("for i in range(8):\n    with T.sblock(\"b\"):\n        v = T.axis.spatial(8, i)\n        W = T.sblock_alloc_buffer((64,), \"float32\")\n        W[0] = A[v]\n        O[v] = W[0]", "elementwise"),
    "a large array": ("for i in range(8):\n    with T.sblock(\"b\"):\n        v = T.axis.spatial(8, i)\n        W = T.sblock_alloc_buffer((65,), \"float32\")\n        W[0] = A[v]\n        O[v] = W[0]", "sequential"),
    "a large array by places": ("for i in range(8):\n    with T.sblock(\"b\"):\n        v = T.axis.spatial(8, i)\n        W = T.sblock_alloc_buffer((8, 65), \"float32\")\n        W[v, 0] = A[v]\n        O[v] = W[v, 0]", "elementwise"),
    "threads": ("for i in T.thread_binding(8, thread=\"threadIdx.x\"):\n    O[i] = A[i]", "elementwise"),
    "blocks and threads": ("for i in T.thread_binding(2, thread=\"blockIdx.x\"):\n    for j in T.thread_binding(4, thread=\"threadIdx.x\"):\n        O[i * 4 + j] = A[i * 4 + j]", "elementwise"),
    "threads from memory": ("for i in range(I[0]):\n    O[i] = A[i]", "sequential"),
    "loops under a condition": ("if I[0] > 0:\n    for i in range(8):\n        O[i] = A[i]", "sequential"),
    "a block without axes": ("with T.sblock(\"root\"):\n    for i in range(8):\n        O[i] = A[i]", "elementwise"),
    "a start and a sum": ("for i, k in T.grid(2, 4):\n    with T.sblock(\"b\"):\n        vi, vk = T.axis.remap(\"SR\", [i, k])\n        with T.init():\n            O[vi] = T.float32(0)\n        O[vi] = O[vi] + A[vi * 4 + vk]", "fold"),
    "a start of a spatial axis": ("for i, k in T.grid(2, 4):\n    with T.sblock(\"b\"):\n        vi, vk = T.axis.remap(\"SS\", [i, k])\n        with T.init():\n            O[vi] = T.float32(0)\n        O[vi] = O[vi] + A[vi * 4 + vk]", "fold"),
    "a start of two statements": ("for i, k in T.grid(2, 4):\n    with T.sblock(\"b\"):\n        vi, vk = T.axis.remap(\"SR\", [i, k])\n        with T.init():\n            O[vi] = T.float32(0)\n            O[vi + 2] = T.float32(0)\n        O[vi] = O[vi] + A[vi * 4 + vk]", "sequential"),
    "a barrier": ("for i in T.thread_binding(8, thread=\"threadIdx.x\"):\n    O[i] = A[i]\n    T.evaluate(T.tvm_storage_sync(\"shared\"))", "Unsupported"),
    "vectors": ("O[T.ramp(0, 1, 4)] = A[T.ramp(0, 1, 4)]", "Unsupported"),
    "an alias": ("W = T.decl_buffer((8,), \"float32\", data=A.data)\nfor i in range(8):\n    O[i] = W[i]", "Unsupported"),
}  # fmt: skip


def program(name: str) -> CheckedModule:
    body = "\n".join(f"        {line}" for line in BODIES[name][0].split("\n"))
    return rr.check(rr.parse(HEAD + body + "\n", f"{name}.py"))


@pytest.mark.parametrize("name", BODIES)
def test_form(name: str) -> None:
    try:
        found = " ".join(k.form for k in plans(program(name).module, "bits")["main"].kernels)
    except Unsupported:
        found = "Unsupported"
    assert found == BODIES[name][1]
