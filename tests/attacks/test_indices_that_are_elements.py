"""An element that is an index, where extents are computed in floats: no fusion, and no fault."""

from __future__ import annotations

import refrelax as rr
from refrelax.lower.pipeline import lower

TEXT = """
m = TypeVar("m")
n = TypeVar("n")
@I.ir_module
class Module:
    @R.function
    def main(
        x: R.Tensor((MMM, NNN), "float32"),
        i: R.Tensor((), "int64"),
        z: R.Tensor((m, n), "float32"),
    ):
        with R.dataflow():
            a = R.nn.log_softmax(x, axis=0)
            k = R.floor_mod(i, R.const(1, "int64"))
            b = R.take(a, k, axis=1, mode="fast")
            R.output(b)
        return b
"""
for name in ("m", "n"):
    EXTENT = f"""'T.Cast("int64", T.ceil(T.Cast("float32", {name}) * T.float32(1.5)))'"""
    TEXT = TEXT.replace(name.upper() * 3, EXTENT)


def test_a_gather_is_lowered() -> None:
    checked = rr.check(rr.parse(TEXT))
    lowered = lower(checked, "paper").module
    args = [[[1.0, 2.0, 3.0], [5.0, 4.0, 3.0]], 7, [[0.0, 0.0]]]
    wanted, found = (rr.run(each, "main", *args) for each in (checked, lowered))
    assert isinstance(wanted, rr.Returned) and isinstance(found, rr.Returned), found
    assert found.value.core.bits() == wanted.value.core.bits()
