"""A symbol that a local function shares with the function around it keeps its value where the call is read through."""

from __future__ import annotations

import pytest

import refrelax as rr
from refrelax.semantics.types.checked import CheckedModule

TEXT = """
n = TypeVar("n")
@I.ir_module
class Module:
    @R.function
    def main(x: R.Tensor((n,), "float32")) -> R.Tensor((n,), "float32"):
        part = R.strided_slice(x, axes=[0], begin=[0], end=[5000])
        BODY
        return y
"""
DIRECT = ("y = R.add(x, x)",)
CHECKED = (
    "@R.function",
    'def double(a: R.Tensor((n,), "float32")) -> R.Tensor((n,), "float32"):',
    "    b = R.add(a, a)",
    "    return b",
    "w = double(part)",
    "y = double(x)",
)
CAST = (
    "@R.function",
    'def double(a: R.Tensor(dtype="float32", ndim=1)) -> R.Tensor((n,), "float32"):',
    '    c = R.match_cast(a, R.Tensor((n,), "float32"))',
    "    b = R.add(c, c)",
    "    return b",
    "w = double(part)",
    "y = double(x)",
)


def program(lines: tuple[str, ...]) -> CheckedModule:
    return rr.check(rr.parse(TEXT.replace("BODY", ("\n" + " " * 8).join(lines))))


@pytest.mark.parametrize("lines", [CHECKED, CAST])
def test_what_a_local_function_checks_is_checked(lines: tuple[str, ...]) -> None:
    """It traps above 5000 elements, which no run of the judge comes to."""
    first, second = program(DIRECT), program(lines)
    assert not isinstance(rr.validate(first, second), rr.Equivalent)


def test_a_local_function_of_its_caller_s_extents_is_read_through() -> None:
    without = tuple(each for each in CHECKED if "part" not in each)
    assert isinstance(rr.validate(program(DIRECT), program(without)), rr.Equivalent)
