"""Groups of steps over integers have the bits of the definition; steps one away from those are none of them."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import refrelax as rr

INTEGERS = ("int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64")


def module(dtype: str, body: str, made: str) -> Any:
    lines = "".join(f"            {line.strip()}\n" for line in body.format(dtype).strip().splitlines())
    return rr.check(rr.parse(
        f'n = TypeVar("n")\n@I.ir_module\nclass Module:\n    @R.function\n'
        f'    def main(x: R.Tensor((n,), "{dtype}"), y: R.Tensor((n,), "{dtype}")):\n'
        f"        with R.dataflow():\n{lines}            R.output({made})\n        return {made}\n"
    ))  # fmt: skip


def extremes(dtype: str, size: int) -> tuple[Any, Any]:
    least, most = np.iinfo(dtype).min, np.iinfo(dtype).max
    turn = np.random.default_rng(5)
    x, y = (turn.integers(least, most, size, dtype=dtype, endpoint=True) for _ in "xy")
    x[:6] = least, most, 0, 1, least + 1, most - 1
    return x, y


DIVIDED = 'a = R.floor_divide(x, R.const({0}, "{{0}}"))\nb = R.floor_mod(x, R.const({0}, "{{0}}"))\nz = R.add(a, b)'

BODIES: dict[str, tuple[str, bool]] = {
    "arithmetic": ('a = R.add(x, y)\nb = R.multiply(a, x)\nc = R.negative(b)\nz = R.square(c)', True),
    "bits": ("a = R.bitwise_and(x, y)\nb = R.bitwise_xor(a, x)\nz = R.bitwise_or(b, y)", True),
    "chosen": ('c = R.less(x, R.const(3, "{0}"))\nz = R.where(c, R.const(0, "{0}"), y)', True),
    "chosen of two": ("c = R.greater_equal(x, y)\nz = R.where(c, x, y)", True),
    "by seven": (DIVIDED.format("7"), True),
    "by eight": (DIVIDED.format("8"), True),
    "by one": (DIVIDED.format("1"), True),
    "shifts": (
        'a = R.left_shift(x, R.const(3, "{0}"))\nb = R.right_shift(x, R.const(7, "{0}"))\nz = R.add(a, b)', True
    ),
    "by another": ("z = R.floor_mod(x, y)", False),
}  # fmt: skip


@pytest.mark.parametrize("name", BODIES)
@pytest.mark.parametrize("dtype", INTEGERS)
def test_a_group_of_integers_is_the_definition(name: str, dtype: str) -> None:
    body, grouped = BODIES[name]
    checked = module(dtype, body, "z")
    f = rr.compile(checked)
    assert ("rt.blocked" in f.source) == grouped
    for size in (12, 9000):
        x, y = extremes(dtype, size)
        if name == "by another":
            y = np.maximum(y, 1).astype(dtype)
        found = f["main"](x, y)
        assert found.tobytes() == rr.compile(checked, mode="bits")["main"](x, y).tobytes()
        if size == 12:
            ran = rr.run(checked, "main", x, y)
            assert isinstance(ran, rr.Returned) and ran.value.numpy().tobytes() == found.tobytes()


@pytest.mark.parametrize("divisor", [-3, 0])
def test_a_divisor_that_is_not_above_zero_is_no_step(divisor: int) -> None:
    f = rr.compile(module("int32", f'z = R.floor_mod(x, R.const({divisor}, "int32"))', "z"))
    assert "np.floor_divide" not in f.source and "ops['floor_mod']" in f.source


def test_a_shift_beyond_the_bits_is_no_step() -> None:
    body = 'a = R.add(x, y)\nb = R.right_shift(a, R.const(32, "int32"))\nz = R.add(b, y)'
    assert "np.right_shift" not in rr.compile(module("int32", body, "z")).source


@pytest.mark.parametrize("made", [*INTEGERS, "float32", "float64"])
@pytest.mark.parametrize("dtype", ["bool", *INTEGERS])
def test_conversions_in_a_group(dtype: str, made: str) -> None:
    one = f'R.const(1, "{made}")'
    checked = module(dtype, f'a = R.astype(x, "{made}")\nz = R.add(a, {one})', "z")
    f = rr.compile(checked)
    assert "np.copyto" in f.source
    x = np.arange(5000) % 3 == 0 if dtype == "bool" else extremes(dtype, 5000)[0]
    assert f["main"](x, x).tobytes() == rr.compile(checked, mode="bits")["main"](x, x).tobytes()


def test_floats_become_integers_by_themselves() -> None:
    """What is out of range means nothing there."""
    checked = module("float32", 'a = R.astype(x, "int32")\nz = R.add(a, R.const(1, "int32"))', "z")
    assert "np.copyto" not in rr.compile(checked).source
    x = np.array([1.5, -2.5, 1e6], np.float32)
    assert rr.compile(checked)["main"](x, x).tolist() == [2, -1, 1000001]
