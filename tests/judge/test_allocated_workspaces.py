"""TVM's AllocateWorkspace, as TVM 0.27 prints its result: what composite functions ask for becomes a parameter."""

from __future__ import annotations

import refrelax as rr

BEFORE = """
from typing import TypeVar
from tvm.script import ir as I, relax as R
n = TypeVar("n")
m = TypeVar("m")

@I.ir_module
class Module:
    @R.function
    def fused(x: R.Tensor((n, 4), "float32"), y: R.Tensor((n, 4), "float32")) -> R.Tensor((n, 4), "float32"):
        R.func_attr({"Codegen": "cutlass", "WorkspaceSize": 64})
        @R.function
        def inner(a: R.Tensor((m, 4), "float32"), b: R.Tensor((m, 4), "float32")) -> R.Tensor((m, 4), "float32"):
            R.func_attr({"Composite": "cutlass.add", "Primitive": True, "WorkspaceSize": 64})
            c = R.add(a, b)
            return c

        z = inner(x, y)
        return z

    @R.function
    def main(x: R.Tensor((n, 4), "float32"), y: R.Tensor((n, 4), "float32")) -> R.Tensor((n, 4), "float32"):
        cls = Module
        with R.dataflow():
            z = cls.fused(x, y)
            w = R.multiply(z, y)
            R.output(w)
        return w
"""
SPACE = ', workspace{}: R.Tensor((64,), "uint8")) -> R.Tensor('
AFTER = (
    BEFORE.replace(', "WorkspaceSize": 64', "")
    .replace('y: R.Tensor((n, 4), "float32")) -> R.Tensor(', 'y: R.Tensor((n, 4), "float32")' + SPACE.format(""), 1)
    .replace('b: R.Tensor((m, 4), "float32")) -> R.Tensor(', 'b: R.Tensor((m, 4), "float32")' + SPACE.format("_1"), 1)
    .replace("inner(x, y)", "inner(x, y, workspace)")
    .replace(
        "            z = cls.fused(x, y)\n",
        '            space = R.builtin.alloc_tensor(R.shape([64]), R.dtype("uint8"), 0, R.str("global"))\n'
        "            z = cls.fused(x, y, space)\n",
    )
)


def test_it_is_proved_for_all_shapes() -> None:
    assert AFTER.count("workspace") == 3 and "WorkspaceSize" not in AFTER
    found = rr.validate(rr.check(rr.parse(BEFORE)), rr.check(rr.parse(AFTER)))
    assert str(found).startswith("PROVED (")


def test_a_workspace_that_is_read_is_not() -> None:
    wrong = AFTER.replace("R.add(a, b)", 'R.add(a, R.astype(R.strided_slice(workspace_1, [0], [0], [4]), "float32"))')
    found = rr.validate(rr.check(rr.parse(BEFORE)), rr.check(rr.parse(wrong)))
    assert isinstance(found, rr.Refuted)
