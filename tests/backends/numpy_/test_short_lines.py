"""Lines of a few elements, powers by whole numbers, and what is chosen, sorted or cut in one step: short cuts of mode
``fast`` beside the definition."""

from __future__ import annotations

import re
from typing import Any

import numpy as np
import pytest

import refrelax as rr
from refrelax.backends.numpy_ import fast_operators
from tests.backends.numpy_.test_short_cuts import both, module, normal, tensor

REDUCTIONS = ("sum", "mean", "max", "min")


@pytest.mark.parametrize("keepdims", [False, True])
@pytest.mark.parametrize("width", [1, 2, 3, 8, 9])
@pytest.mark.parametrize("name", REDUCTIONS)
def test_short_lines_by_columns(name: str, width: int, keepdims: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    called, columns = list[Any](), fast_operators.columns
    monkeypatch.setattr(fast_operators, "columns", lambda *a: called.append(a) or columns(*a))
    checked = module(tensor("x", f"n, 5, {width}"), f"R.{name}(x, axis=[-1], keepdims={keepdims})")
    for rows in (40, 3, 0) if name in ("sum", "mean") else (40, 3):
        x = normal(rows, 5, width)
        if rows == 40:
            x[3, 2, 0], x[4, 1, -1] = np.nan, np.inf
        found, wanted = both(checked, x)
        np.testing.assert_allclose(found, wanted, rtol=1e-6, atol=1e-5, equal_nan=True)
        assert found.shape == wanted.shape and found.base is not x
    assert bool(called) == (width <= 8)


@pytest.mark.parametrize("width", [1, 3, 8, 9])
def test_distances_of_points(width: int) -> None:
    body = "R.sum(R.square(R.subtract(x, y)), axis=[-1])"
    checked = module(f"{tensor('x', f'n, 1, {width}')}, {tensor('y', f'1, m, {width}')}", body)
    assert ("rt.by_columns" in rr.compile(checked).source) == (1 < width <= 8)
    found, wanted = both(checked, normal(30, 1, width), normal(1, 20, width))
    np.testing.assert_allclose(found, wanted, rtol=1e-6)


@pytest.mark.parametrize("name", ["add", "subtract", "multiply"])
def test_a_stretched_row_into_memory_that_is_used_again(name: str) -> None:
    params = f"{tensor('x', 'n, 5')}, {tensor('w', '5, 3')}, {tensor('b', '1, 3')}"
    checked = module(params, f"R.{name}(R.matmul(x, w), b)")
    assert re.search(r"rt\.by_columns\(.*, out=", rr.compile(checked).source)
    row, out = normal(1, 3), normal(7, 3)
    wanted = getattr(np, name)(out, row)
    assert fast_operators.by_columns(getattr(np, name), out, row, out=out) is out and np.array_equal(out, wanted)
    for rows in (7, 1, 0):
        found, wanted = both(checked, normal(rows, 5), normal(5, 3), normal(1, 3))
        np.testing.assert_allclose(found, wanted, rtol=1e-5, atol=1e-6)


@pytest.mark.parametrize("power", [-1, 2, 3, 4, 5, 0.5])
def test_powers(power: float) -> None:
    checked = module(tensor("x", "n, 40"), f'R.power(x, R.const({power}, "float32"))')
    assert ("rt.power" in rr.compile(checked).source) == (power in (5, 0.5))
    x = np.concatenate([normal(200, 40), [[0.0, -0.0, np.inf, -np.inf, np.nan, 1e20, -1e20, 1e-20, -1e-20, 3e38] * 4]])
    found, wanted = both(checked, x.astype(np.float32))
    np.testing.assert_allclose(found, wanted, rtol=8 * 2.0**-23, atol=1e-44, equal_nan=True)
    assert np.array_equal(np.signbit(found), np.signbit(wanted) | (np.isnan(found) & np.signbit(found)))


@pytest.mark.parametrize(
    "alpha", [[0.25, 1.0, 0.5], [0.0, 0.5, 1.0], [2.0, 0.1, 0.3], [-1.0, 0.5, 0.5], [np.nan, 1, 1]]
)
def test_prelu(alpha: list[float]) -> None:
    checked = module(f"{tensor('x', 'n, 3, 50')}, {tensor('a', '3')}", "R.nn.prelu(x, a, axis=1)")
    x = normal(40, 3, 50)
    x[0, :, :6] = 0.0, -0.0, np.inf, -np.inf, np.nan, 1e-45
    given = np.array(alpha, np.float32)
    for each in (x, x[::2], np.asfortranarray(x), x[:1], x[:0]):
        found, wanted = both(checked, each, given)
        assert np.array_equal(found, wanted, equal_nan=True)
        assert np.array_equal(np.signbit(found) & ~np.isnan(found), np.signbit(wanted) & ~np.isnan(wanted))


@pytest.mark.parametrize("dtype", ["float16", "float32", "float64", "int8", "uint8", "int64", "uint64", "bool"])
@pytest.mark.parametrize("axis", [0, -1])
def test_sorted_downwards(dtype: str, axis: int) -> None:
    checked = module(tensor("x", "n, 40", dtype), f"R.sort(x, axis={axis}, descending=True)")
    if dtype in ("float16", "float32", "float64"):
        x = normal(20, 40).astype(dtype)
        x[3, :3] = np.inf, -np.inf, 0
        x[4, 5] = np.nan
    else:
        x = np.random.default_rng(2).integers(0, 2 if dtype == "bool" else 127, (20, 40)).astype(dtype)
        if dtype in ("int8", "int64", "uint64"):
            x[:2, 0] = np.iinfo(dtype).min, np.iinfo(dtype).max
    kept = x.copy()
    found, wanted = both(checked, x)
    assert np.array_equal(found, wanted, equal_nan=dtype.startswith("float")) and x.tobytes() == kept.tobytes()


@pytest.mark.parametrize("k", [-9, -1, 0, 1, 4, 9])
@pytest.mark.parametrize("name", ["tril", "triu"])
def test_a_triangle_at_once(name: str, k: int) -> None:
    for shape in ((5, 7), (7, 5), (0, 3), (3, 0), (200, 200)):
        x = normal(*shape)
        found = rr.compile(module(tensor("x", "n, m"), f"R.{name}(x, {k})"))["main"](x)
        assert np.array_equal(found, getattr(np, name)(x, k)) and not np.may_share_memory(found, x)


@pytest.mark.parametrize("k", [-(2**63), 2**63 - 1])
@pytest.mark.parametrize("name", ["tril", "triu"])
def test_a_triangle_that_begins_far_away(name: str, k: int) -> None:
    """NumPy counts from ``k`` to where the columns end, in int64."""
    for shape in ((5, 7), (2, 5, 3), (0, 3)):
        x = normal(*shape)
        found = rr.compile(module(tensor("x", ", ".join(map(str, shape))), f"R.{name}(x, {k})"))["main"](x)
        assert np.array_equal(found, x if (k > 0) == (name == "tril") else 0 * x)


def test_a_greatest_element_that_is_stored() -> None:
    text = 'R.scatter_nd(x, i, u, reduction="{}")'
    params = f"{tensor('x', '50')}, {tensor('i', 'n, 1', 'int64')}, {tensor('u', 'n')}"
    turn = np.random.default_rng(1)
    for how in ("max", "min"):
        checked = module(params, text.format(how))
        for zero in (None, 0.0, -0.0):
            x, i, u = normal(50), turn.integers(-50, 50, (300, 1)), normal(300)
            if zero is not None:
                x[:20], u[:20], u[20] = zero, -zero, np.nan
            found, wanted = both(checked, x, i, u)
            assert np.array_equal(found, wanted, equal_nan=True)


def test_long_rows_that_are_stored() -> None:
    params = f"{tensor('x', '6, 40, 64')}, {tensor('i', 'n, 1', 'int64')}, {tensor('u', 'n, 40, 64')}"
    checked = module(params, 'R.scatter_nd(x, i, u, reduction="update")')
    for places in ([[2], [5], [2]], [[-1]], [[0]]):
        x, u = normal(6, 40, 64), normal(len(places), 40, 64)
        found, wanted = both(checked, x, np.array(places), u)
        assert np.array_equal(found, wanted) and not np.may_share_memory(found, x)
    with pytest.raises(rr.RunError, match="scatter"):
        rr.compile(checked)["main"](normal(6, 40, 64), np.array([[6]]), normal(1, 40, 64))


TOP = """n = TypeVar("n")
@I.ir_module
class Module:
    @R.function
    def main(x: R.Tensor((n, 300), "float32")):
        with R.dataflow():
            t = R.topk(x, k=5, axis=-1, ret_type="both", largest=True)
            v = t[0]
            {}
            R.output({})
        return {}
"""


@pytest.mark.parametrize(
    ("more", "made", "alone"), [("w = v", "v", True), ("w = t[1]", "(v, w)", False), ("w = t", "w", False)]
)
def test_places_that_nothing_reads(more: str, made: str, alone: bool) -> None:
    given = made.strip("()")
    checked = rr.check(rr.parse(TOP.format(more, given, made)))
    assert ("ret_type='values'" in rr.compile(checked).source) == alone
    found, wanted = both(checked, normal(9, 300))
    for a, b in zip(
        found if isinstance(found, tuple) else (found,), wanted if isinstance(wanted, tuple) else (wanted,), strict=True
    ):
        assert np.array_equal(a, b)
