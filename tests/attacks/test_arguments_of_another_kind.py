"""Arguments of operators that are of no kind that the operator takes are refused where the program is checked."""

from __future__ import annotations

import pytest

import refrelax as rr
from refrelax.errors import Rejection

KINDS = ('R.str("a")', 'R.dtype("int8")', "R.shape([1])", "x", "R.null_value()", "()")
CALLS = (
    'R.eye(R.prim_value(2), R.prim_value(2), {}, dtype="float32")',
    'R.hamming_window(R.prim_value(4), {}, R.prim_value(0.5), R.prim_value(0.5), dtype="float32")',
    'R.hamming_window(R.prim_value(4), R.prim_value(True), {}, R.prim_value(0.5), dtype="float32")',
    "R.inspect.tensor_stride_i(x, {})",
    "R.unique(x, {}, R.prim_value(0), R.prim_value(0), R.prim_value(0))",
    'R.builtin.alloc_tensor(R.shape([3]), R.dtype("float32"), {})',
    'R.memory.alloc_storage(R.shape([64]), {}, R.str("global"), R.dtype("float32"))',
    'R.vm.alloc_storage(R.shape([64]), {}, R.dtype("uint8"))',
)
TEXT = """
@I.ir_module
class Module:
    @R.function(pure=False)
    def main(x: R.Tensor((3,), dtype="float32")):
        y = {}
        return x
"""


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("call", CALLS)
def test_it_is_refused(call: str, kind: str) -> None:
    with pytest.raises(Rejection):
        rr.check(rr.parse(TEXT.format(call.format(kind))))
