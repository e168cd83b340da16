"""Properties over random shapes, attributes and index tensors, extents 0 and 1 included."""

from __future__ import annotations

from typing import Any

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

import refrelax as rr

extents = st.lists(st.integers(0, 4), min_size=1, max_size=3).map(tuple)


def call(expr: str, *arrays: np.ndarray, numerics: str = "ieee") -> Any:
    typed = zip("abc", arrays, strict=False)
    heads = ", ".join(f'{name}: R.Tensor({a.shape}, "{a.dtype.name}")' for name, a in typed)
    body = f"        gv = {expr}\n        return gv\n"
    text = f"@I.ir_module\nclass Module:\n    @R.function\n    def main({heads}):\n{body}"
    out = rr.run(rr.check(rr.parse(text)), "main", *arrays, numerics=numerics)
    assert isinstance(out, rr.Returned), out
    return out.value


def numbers(shape: tuple[int, ...], seed: int = 0) -> np.ndarray:
    """Small dyadic numbers: sums and products of a few are exact."""
    return (np.random.default_rng(seed).integers(-8, 9, shape) / 4).astype("float32")


@st.composite
def broadcastable(draw: st.DrawFn) -> tuple[tuple[int, ...], tuple[int, ...]]:
    shape = draw(extents)
    other = tuple(draw(st.sampled_from((n, 1))) for n in shape)[draw(st.integers(0, len(shape) - 1)) :]
    return (shape, other) if draw(st.booleans()) else (other, shape)


@given(broadcastable())
def test_broadcasting(shapes: tuple[tuple[int, ...], tuple[int, ...]]) -> None:
    a, b = numbers(shapes[0]), numbers(shapes[1], 1)
    assert np.array_equal(call("R.add(a, b)", a, b).numpy(), a + b)


@given(extents, st.data())
def test_reductions(shape: tuple[int, ...], draw: st.DataObject) -> None:
    a = numbers(shape)
    axes = draw.draw(st.lists(st.integers(0, len(shape) - 1), unique=True))
    keep = draw.draw(st.booleans())
    found = call(f"R.sum(a, axis={axes}, keepdims={keep})", a).numpy()
    assert np.array_equal(found, a.sum(tuple(axes), keepdims=keep))


@given(extents, st.data())
def test_permute_then_back(shape: tuple[int, ...], draw: st.DataObject) -> None:
    a = numbers(shape)
    axes = draw.draw(st.permutations(range(len(shape))))
    back = [axes.index(k) for k in range(len(shape))]
    found = call(f"R.permute_dims(a, {list(axes)})", a).numpy()
    assert np.array_equal(found, a.transpose(axes))
    assert np.array_equal(call(f"R.permute_dims(a, {back})", found).numpy(), a)


@given(st.integers(0, 6), st.integers(-8, 8), st.integers(-8, 8), st.integers(-3, 3).filter(bool))
def test_strided_slice_is_python_slicing(n: int, begin: int, end: int, stride: int) -> None:
    a = numbers((n,))
    if stride < 0 and end < -n:  # clamped to -1, which Python spells None
        expected = a[begin::stride] if begin >= -n else a[:0]
    else:
        expected = a[begin:end:stride]
    found = call(f"R.strided_slice(a, axes=[0], begin=[{begin}], end=[{end}], strides=[{stride}])", a).numpy()
    assert np.array_equal(found, expected)


@given(extents, st.data())
def test_concat_and_split_undo_each_other(shape: tuple[int, ...], draw: st.DataObject) -> None:
    axis = draw.draw(st.integers(0, len(shape) - 1))
    a, b = numbers(shape), numbers(shape, 1)
    whole = call(f"R.concat((a, b), axis={axis})", a, b).numpy()
    assert np.array_equal(whole, np.concatenate((a, b), axis))
    first, second = call(f"R.split(a, [{shape[axis]}], axis={axis})", whole)
    assert np.array_equal(first.numpy(), a) and np.array_equal(second.numpy(), b)


@given(st.integers(0, 4), st.integers(0, 4), st.integers(0, 4))
def test_matmul_is_exact_on_dyadic_numbers(n: int, k: int, m: int) -> None:
    a, b = numbers((n, k)), numbers((k, m), 1)
    assert np.array_equal(call("R.matmul(a, b)", a, b).numpy(), a @ b)
    assert call("R.matmul(a, b)", a, b, numerics="enclosure").contains(a @ b)


@given(st.lists(st.integers(-9, 9), min_size=1, max_size=6), st.booleans())
def test_sort_and_argsort_agree(items: list[int], descending: bool) -> None:
    a = np.array(items, "int32")
    values = call(f"R.sort(a, descending={descending})", a).numpy()
    order = call(f'R.argsort(a, descending={descending}, dtype="int64")', a).numpy()
    assert np.array_equal(a[order], values)
    assert sorted(items, reverse=descending) == values.tolist()


@given(st.lists(st.integers(-5, 8), min_size=1, max_size=5), st.sampled_from(("fast", "wrap", "clip")))
def test_take_modes(indices: list[int], mode: str) -> None:
    a, b = numbers((4,)), np.array(indices, "int64")
    found = call(f'R.take(a, b, axis=0, mode="{mode}")', a, b)
    inside = (b >= 0) & (b < 4)
    if mode == "fast":
        assert [index in found.poison() for index in np.ndindex(len(b))] == (~inside).tolist()
    else:
        assert np.array_equal(found.numpy(), a.take(b, mode=mode))


@given(st.integers(1, 3), st.integers(1, 5), st.integers(1, 3), st.integers(0, 2), st.integers(1, 2))
def test_convolution_of_ones_counts_taps(channels: int, n: int, taps: int, padding: int, stride: int) -> None:
    if n + 2 * padding < taps:
        return
    a, w = np.ones((1, channels, n), "float32"), np.ones((1, channels, taps), "float32")
    padded = np.pad(np.ones(n), padding)
    expected = [channels * padded[k : k + taps].sum() for k in range(0, len(padded) - taps + 1, stride)]
    found = call(f"R.nn.conv1d(a, b, strides={stride}, padding={padding})", a, w).numpy()
    assert found.reshape(-1).tolist() == expected
