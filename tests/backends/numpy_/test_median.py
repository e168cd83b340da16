"""The lower middle and where it is, on all short lines of three values, against a stable sort."""

from __future__ import annotations

from itertools import product
from typing import Any

import pytest

pytest.importorskip("numpy")

import numpy as np

from refrelax.backends.numpy_.operators_network import _middle, median
from refrelax.errors import Ended


def lines(n: int, dtype: str = "float32") -> Any:
    return np.array([*product((2, 0, 1), repeat=n)], dtype).reshape(3, -1, n)


@pytest.mark.parametrize("n", range(1, 6))
def test_places(n: int) -> None:
    for dtype in ("float32", "float64"):
        found = _middle(lines(n, dtype))
        assert found.shape == (*lines(n).shape[:-1], 1)
        assert (found[..., 0] == np.argsort(lines(n), -1, kind="stable")[..., (n - 1) // 2]).all()


def test_lines_without_ties() -> None:
    x = np.array([[[3.0, 1.0, 2.0], [5.0, 4.0, 9.0]]], np.float32)
    assert _middle(x).tolist() == [[[2], [0]]]


def test_no_order() -> None:
    assert _middle(np.zeros((2, 0), np.float32)) is None and _middle(np.zeros((0, 2), np.float32)) is None
    assert _middle(np.array([[1, np.nan, np.nan], [1, 2, 3]], np.float32)) is None
    assert _middle(np.array([[False, True]])).tolist() == [[0]]


@pytest.mark.parametrize("keepdims", [False, True])
@pytest.mark.parametrize("axis", [0, 1, 2, -1, -3, None])
def test_values_and_places(axis: int | None, keepdims: bool) -> None:
    x = np.arange(24, dtype=np.float32).reshape(2, 3, 4)[:, ::-1, :] % 7
    found = median({"axis": None if axis is None else [axis], "keepdims": keepdims}, (np.ascontiguousarray(x),), True)
    values = found[0] if isinstance(found, tuple) else found
    flat = x.reshape(-1) if axis is None else x
    k = (flat.shape[0 if axis is None else axis] - 1) // 2
    wanted = np.sort(flat, 0 if axis is None else axis).take(k, 0 if axis is None else axis)
    assert (values.reshape(wanted.shape) == wanted).all()
    assert isinstance(found, tuple) is (axis is not None)
    if axis is not None:
        assert (np.take_along_axis(x, found[1].reshape(np.expand_dims(wanted, axis).shape), axis).reshape(wanted.shape)
                == wanted).all()  # fmt: skip
        assert values.ndim == found[1].ndim == (3 if keepdims else 2)


@pytest.mark.parametrize("axes", [[], [0, 1]])
def test_one_axis(axes: list[int]) -> None:
    with pytest.raises(Ended):
        median({"axis": axes, "keepdims": False}, (np.zeros((2, 2), np.float32),), True)
