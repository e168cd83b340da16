"""Scalar results of other dtypes: refinement asks for the same dtype, and an exact number does not show it."""

from __future__ import annotations

import pytest

import refrelax as rr

MODULE = """
@I.ir_module
class Module:
    @R.function
    def main(a: R.Tensor(("n",), "int32")):
        n = T.int64()
        gv = {value}
        return gv
"""


def _checked(value: str) -> rr.CheckedModule:
    return rr.check(rr.parse(MODULE.format(value=value)))


@pytest.mark.parametrize("packed", ["{}", "(a, {})"])
@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("T.int32(1)", "T.int64(1)"),
        ("T.int64(1)", "T.bool(True)"),
        ("n >= 0", "T.int64(1)"),
        ("T.float32(1)", "T.int64(1)"),
        ("T.float32(1)", "T.float64(1)"),
    ],
)
def test_scalars_of_other_dtypes_are_not_compared(before: str, after: str, packed: str) -> None:
    programs = [_checked(packed.format(f"R.prim_value({value})")) for value in (before, after)]
    found = rr.validate(*programs)
    assert isinstance(found, rr.NoVerdict)
    assert found.reason == "interface"


def test_scalars_of_one_dtype_are() -> None:
    assert not isinstance(rr.validate(_checked("R.prim_value(n + n)"), _checked("R.prim_value(2 * n)")), rr.NoVerdict)
