"""The enclosure of `atan2` near half a turn holds every result within the units of the table (`num/permitted-ulps`)."""

from __future__ import annotations

import pytest

import refrelax as rr


@pytest.mark.parametrize("dtype", ["float16", "bfloat16", "float32", "float8_e4m3fn", "float6_e2m3fn"])
def test_all_permitted_units_are_inside(dtype: str) -> None:
    text = f"""
@I.ir_module
class Module:
    @R.function
    def main(a: R.Tensor((2,), "{dtype}"), b: R.Tensor((2,), "{dtype}")):
        gv = R.atan2(a, b)
        return gv
"""
    c = rr.check(rr.parse(text))
    args = [[-0.0, 0.0], [-5.0, -5.0]]
    canonical, wide = rr.run(c, args=args), rr.run(c, args=args, numerics="enclosure")
    assert isinstance(canonical, rr.Returned)
    assert isinstance(wide, rr.Returned)
    low, high = canonical.value.patterns()
    units = 4 if dtype in ("float16", "bfloat16", "float32") else 1
    size = len(canonical.value.tobytes()) // 2
    moved = b"".join((p + units - 1).to_bytes(size, "little") for p in (low, high))
    assert not isinstance(wide.value.judge(rr.Tensor.of_bytes(dtype, (2,), moved)), rr.Outside)
