"""Calls of operators on either side of each question that a row of the NumPy backend asks (``rows.py``): the
definition's bits in mode ``bits``, the same but for roundings in mode ``fast``, also where arrays lie otherwise, and
arguments that stay as they were."""

from __future__ import annotations

from itertools import product
from typing import Any

import pytest

pytest.importorskip("numpy")

import numpy as np

import refrelax as rr
from refrelax.backends.numpy_ import border
from refrelax.backends.numpy_.liveness import FRESH, VIEWED
from tests.backends.numpy_.rows import LONG, ROWS, arguments, program
from tests.testing.comparing import same_bits

CLOSE = {"float16": 1e-2, "bfloat16": 1e-1, "float32": 1e-4, "float64": 1e-9}


@pytest.mark.by_day(4)
@pytest.mark.parametrize("name", [name for name in ROWS if name not in LONG])
def test_the_definitions_bits(name: str) -> None:
    checked = program(name)
    made = rr.compile(checked, mode="bits")
    for turn in range(2):
        args = arguments(name, turn)
        wanted, found = rr.run(checked, "main", *args), made.run("main", *args)
        assert isinstance(wanted, rr.Returned) and isinstance(found, rr.Returned), (wanted, found)
        assert isinstance(wanted.value, tuple) and isinstance(found.value, tuple)
        for call, a, b in zip(ROWS[name][1], wanted.value, found.value, strict=True):
            assert same_bits(a, b), (turn, call, a, b)


def apart(x: Any) -> Any:
    """The same elements, every second of what there is, from behind."""
    return np.repeat(x, 2, axis=-1)[..., ::-2].copy()[..., ::-1] if x.ndim else x


@pytest.mark.by_day(4)
@pytest.mark.parametrize("name", ROWS)
def test_without_the_order_of_the_sums(name: str) -> None:
    checked = program(name)
    bits, fast = rr.compile(checked, mode="bits"), rr.compile(checked)
    args = arguments(name, 0)
    before = [each.copy() for each in args]
    wanted = bits["main"](*args)
    ways = args, [np.array(each, order="F") for each in args], list(map(apart, args))
    for given in ways[: 2 if name in LONG else 3]:
        again, found = bits["main"](*given), fast["main"](*given)
        for call, a, b, c in zip(ROWS[name][1], found, again, wanted, strict=True):
            assert told(b) == told(c), call
            close(a, c, call)
    assert all(a.tobytes() == b.tobytes() for a, b in zip(args, before, strict=True))


def told(value: Any) -> Any:
    return tuple(map(told, value)) if isinstance(value, tuple) else (value.dtype, value.shape, value.tobytes())


def close(found: Any, wanted: Any, call: str) -> None:
    if isinstance(wanted, tuple):
        for a, b in zip(found, wanted, strict=True):
            close(a, b, call)
        return
    assert isinstance(found, np.ndarray) and (found.dtype, found.shape) == (wanted.dtype, wanted.shape), call
    near = CLOSE.get(found.dtype.name, float("resize" in call or "quantize" in call))  # (near a half, or an integer)
    near = 1e-6 if found.dtype == np.float64 and "out_dtype" in call else near
    a, b = (each.astype(np.float64) for each in (found, wanted))
    assert np.allclose(a, b, rtol=near, atol=near, equal_nan=True), (call, found, wanted)


@pytest.mark.by_day(4)
@pytest.mark.parametrize("name", [name for name in ROWS if name not in LONG])
def test_new_results_lie_in_new_memory(name: str) -> None:
    """Of operators that ``liveness.py`` takes them to be of: there a later step may write."""
    made = rr.compile(program(name))
    args = arguments(name, 0)
    made["main"](*args)
    ops, asked = made._functions["ops"], list[str]()
    for op, apply in list(ops.items()):
        if f"relax.{op}" in FRESH and f"relax.{op}" not in VIEWED:

            def looked(*given: Any, op: str = op, apply: Any = apply, **attrs: Any) -> Any:
                found = apply(*given, **attrs)
                asked.append(op)
                for a, b in product(border.arrays_in((found,)), border.arrays_in(given)):
                    assert not np.shares_memory(a, b), op
                return found

            ops[op] = looked
    made["main"](*args)
    assert len(asked) >= len(set(asked))
