"""Short cuts of mode ``fast``: what they do not hold for goes another way, with the same results."""

# ruff: noqa: E501
from __future__ import annotations

import warnings
from typing import Any

import numpy as np
import pytest

import refrelax as rr


def module(params: str, call: str) -> Any:
    text = "\n".join([
        'n = TypeVar("n")', 'm = TypeVar("m")', "@I.ir_module", "class Module:", "    @R.function",
        f"    def main({params}):", "        with R.dataflow():", f"            out = {call}", "            R.output(out)",
        "        return out", "",
    ])  # fmt: skip
    return rr.check(rr.parse(text))


def tensor(name: str, shape: str, dtype: str = "float32") -> str:
    return f'{name}: R.Tensor(({shape},), "{dtype}")'


def normal(*shape: int) -> Any:
    return np.random.default_rng(7).standard_normal(shape).astype(np.float32)


def whole(most: int, *shape: int, dtype: Any = np.int64) -> Any:
    return np.random.default_rng(8).integers(-most, most, shape).astype(dtype)


def both(checked: Any, *args: Any) -> tuple[Any, Any]:
    """What mode ``fast`` gives, and what mode ``bits`` does."""
    return rr.compile(checked)["main"](*args), rr.compile(checked, mode="bits")["main"](*args)


X3, X4 = tensor("x", "n, 6, 40"), tensor("x", "n, 64, 64, 3")
NEAR: dict[str, tuple[str, str, list[Any]]] = {
    "quantize along the first axis": (
        f"{tensor('x', '40, n')}, {tensor('s', '40')}, {tensor('z', '40', 'int8')}",
        'R.quantize(x, s, z, axis=0, out_dtype="int8")', [normal(40, 3000), abs(normal(40)) + 0.1, whole(9, 40, dtype="i1")],
    ),
    "quantize along a middle axis": (
        f"{X3}, {tensor('s', '6')}, {tensor('z', '6', 'int32')}", 'R.quantize(x, s, z, axis=1, out_dtype="uint8")',
        [normal(900, 6, 40), abs(normal(6)) + 0.01, whole(99, 6, dtype="i4")],
    ),
    "quantize along the last axis": (
        f"{X3}, {tensor('s', '40')}, {tensor('z', '1', 'int8')}", 'R.quantize(x, s, z, axis=-1, out_dtype="int16")',
        [normal(3, 6, 40), abs(normal(40)) + 0.01, whole(9, 1, dtype="i1")],
    ),
    "quantize nothing": (
        f"{X3}, {tensor('s', '6')}, {tensor('z', '6', 'int8')}", 'R.quantize(x, s, z, axis=1, out_dtype="int8")',
        [normal(0, 6, 40), abs(normal(6)), whole(9, 6, dtype="i1")],
    ),
    "dequantize along an axis": (
        f"{tensor('x', 'n, 6, 40', 'int8')}, {tensor('s', '6')}, {tensor('z', '6', 'int8')}",
        'R.dequantize(x, s, z, axis=1, out_dtype="float32")', [whole(128, 700, 6, 40, dtype="i1"), normal(6), whole(9, 6, dtype="i1")],
    ),
    "cross entropy": (f"{tensor('x', 'n, 30')}, {tensor('y', 'n, 30')}", "R.nn.cross_entropy_with_logits(x, y)", [normal(9, 30), normal(9, 30)]),
    "cross entropy of a row": (f"{tensor('x', 'n')}, {tensor('y', 'n')}", "R.nn.cross_entropy_with_logits(x, y)", [normal(9), normal(9)]),
    "likelihood": (f"{tensor('x', 'n, 5')}, {tensor('t', 'n', 'int64')}", "R.nn.nll_loss(x, t)", [normal(9, 5), abs(whole(5, 9))]),
    "weighted likelihood": (
        f"{tensor('x', 'n, 5')}, {tensor('t', 'n', 'int32')}, {tensor('w', '5')}", 'R.nn.nll_loss(x, t, w, reduction="sum")',
        [normal(9, 5), np.arange(9, dtype="i4") % 5, normal(5)],
    ),
    "likelihood with ignored": (
        f"{tensor('x', 'n, 5')}, {tensor('t', 'n', 'int64')}", "R.nn.nll_loss(x, t, ignore_index=2)", [normal(9, 5), np.arange(9) % 5],
    ),
    "outer by einsum": (f"{tensor('x', 'n, 3')}, {tensor('y', '4, n')}", 'R.einsum((x, y), "bi,jb->jbi")', [normal(5, 3), normal(4, 5)]),
    "einsum of one row": (f"{tensor('x', 'n, 3')}, {tensor('y', 'm, 3')}", 'R.einsum((x, y), "bi,bi->bi")', [normal(1, 3), normal(5, 3)]),
    "a product by einsum": (f"{tensor('x', 'n, 3, 4')}, {tensor('y', '4, m')}", 'R.einsum((x, y), "bij,jk->kbi")', [normal(2, 3, 4), normal(4, 5)]),
    "resize channels last": (X4, 'R.image.resize2d(x, (96, 80), layout="NHWC", method="linear")', [normal(2, 64, 64, 3)]),
    "resize a few channels last": (X4, 'R.image.resize2d(x, (96, 80), layout="NHWC", method="cubic")', [normal(1, 64, 64, 3)]),
    "spread over other axes": (X3, "R.variance(x, axis=[0, 2])", [normal(7, 6, 40)]),
    "spread over the first axis": (X3, "R.std(x, axis=[0], keepdims=True)", [normal(7, 6, 40)]),
    "pool of all": (tensor("x", "n, 3, 8, 8"), "R.nn.adaptive_avg_pool2d(x, output_size=[1, 1])", [normal(2, 3, 8, 8)]),
}  # fmt: skip


@pytest.mark.parametrize("name", NEAR)
def test_near_the_definition(name: str) -> None:
    params, call, args = NEAR[name]
    found, wanted = both(module(params, call), *args)
    assert found.shape == wanted.shape and found.dtype == wanted.dtype
    assert np.allclose(found, wanted, rtol=1e-5, atol=1e-6)


SLICE = "R.strided_slice(x, axes=[{}], begin=[{}], end=[{}], strides=[{}])"
ROWS = f"{tensor('x', 'n, 3')}, {tensor('i', 'm, 1', 'int64')}, {tensor('u', 'm, 3')}"
SAME: dict[str, tuple[str, str, list[Any]]] = {
    **{
        f"slice {a} {b} {c}": (tensor("x", "n, 6, 40"), SLICE.format("1, -1", f"{a}, 1", f"{b}, 99", f"{c}, 2"), [normal(2, 6, 40)])
        for a in (0, -1, 9, -9, 4) for b in (0, 4, -1, -9, 99) for c in (1, 3, -1, -4)
    },
    "rows from the end": (ROWS, 'R.scatter_nd(x, i, u, reduction="update")', [normal(5, 3), np.array([[-1], [0], [-1]]), normal(3, 3)]),
    "zeros that are added": (ROWS, 'R.scatter_nd(x, i, u, reduction="add")', [-np.zeros((5, 3), "f"), np.array([[1], [4], [1]]), -np.zeros((3, 3), "f")]),
    "a zero beside them": (ROWS, 'R.scatter_nd(x, i, u, reduction="add")', [-np.zeros((5, 3), "f"), np.array([[1], [4], [1]]), np.zeros((3, 3), "f")]),
    "single elements": (
        f"{tensor('x', 'n, 3')}, {tensor('i', 'm', 'int64')}, {tensor('j', 'm', 'int64')}, {tensor('u', 'm')}",
        "R.index_put(x, (i, j), u, accumulate=True)", [-np.zeros((5, 3), "f"), np.array([0, -1, 0]), np.array([1, 2, 1]), np.array([0.5, -0.0, 2], "f")],
    ),
    "one hot": (tensor("i", "n, 2", "int32"), "R.one_hot(i, T.float32(2.5), T.float32(-1), 5)", [np.array([[0, 4], [2, 2]], "i4")]),
    "one hot of an odd one": (tensor("i", "n, 2", "int32"), "R.one_hot(i, T.int32(2), T.int32(0), 5)", [np.array([[0, 5], [-1, 2]], "i4")]),
    "flip": (X3, "R.flip(x, axis=-2)", [normal(2, 6, 40)]),
    "unique": (tensor("x", "n", "int64"), "R.unique(x, True, False, False, False)", [whole(5, 40)]),
    "unique of nothing": (tensor("x", "n", "int64"), "R.unique(x, True, False, False, False)", [whole(5, 0)]),
    "unique, as met": (tensor("x", "n", "int64"), "R.unique(x, False, False, False, False)", [whole(5, 40)]),
    "max of two axes": (X3, "R.max(x, axis=[1, 2])", [normal(2, 6, 40)]),
    "max of all, kept": (X3, "R.max(x, axis=[0, 1, 2], keepdims=True)", [normal(2, 6, 40)]),
    "finite": (X3, "R.astype(R.isfinite(x), \"float32\")", [normal(2, 6, 40)]),
}  # fmt: skip


@pytest.mark.parametrize("name", SAME)
def test_the_bits_of_the_definition(name: str) -> None:
    params, call, args = SAME[name]
    found, wanted = both(module(params, call), *args)
    assert found.shape == wanted.shape and found.dtype == wanted.dtype and found.tobytes() == wanted.tobytes()


@pytest.mark.parametrize("at", [5, -6])
def test_a_store_out_of_range_ends_the_run(at: int) -> None:
    f = rr.compile(module(ROWS, 'R.scatter_nd(x, i, u, reduction="update")'))["main"]
    with pytest.raises(rr.RunError):
        f(normal(5, 3), np.array([[at]]), normal(1, 3))


def test_a_call_does_not_warn_and_leaves_the_settings() -> None:
    f = rr.compile(module(tensor("x", "n"), "R.log(R.exp(x))"))["main"]
    with warnings.catch_warnings(), np.errstate(all="raise"):
        warnings.simplefilter("error")
        assert np.isinf(f(np.array([1e4], "f"))).all()
        assert np.geterr()["over"] == "raise"
        with pytest.raises(FloatingPointError):
            np.exp(np.float32(1e4))


def test_what_is_given_shares_nothing() -> None:
    f = rr.compile(module(tensor("x", "n, 4"), SLICE.format("1", "0", "2", "1")))["main"]
    x = normal(3, 4)
    for given in (x, x.T.copy().T, np.frombuffer(x.tobytes(), "f").reshape(3, 4)):
        assert not np.shares_memory(f(given), given) and f(given).flags.writeable
