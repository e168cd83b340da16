"""Which contractions are handed to a library, and along which axes: one of each kind, and near ones. No kernel runs."""

from __future__ import annotations

from typing import Any

import pytest

pytest.importorskip("numpy")

import numpy as np

import refrelax as rr
from refrelax.backends.cupy_.compile import CudaExecutable
from refrelax.backends.cupy_.counting import CountingDevice
from refrelax.backends.cupy_.plan import plans
from refrelax.backends.cupy_.products import Product
from refrelax.lower.pipeline import lower

MATMUL, TURNED = "R.matmul(x, y)", "R.matmul(x, R.permute_dims(y, {}))"


def product(params: str, call: str, dtype: str) -> Product | None:
    given = []
    for each in params.split(", "):
        name, dims = each.split(": ")
        shape = ", ".join(d if d.isdigit() else f'"{d}"' for d in dims.split())
        given.append(f'{name}: R.Tensor(({shape},), "{dtype}")')
    text = f"""
@I.ir_module
class Module:
    @R.function
    def main({", ".join(given)}):
        with R.dataflow():
            out = {call}
            R.output(out)
        return out
"""
    module = lower(rr.check(rr.parse(text)), pipeline="kernels").module
    found = [k.product for plan in plans(module.module, "fast", library=True).values() for k in plan.kernels]
    return next((each for each in found if each is not None), None)


AXES: dict[str, tuple[str, str, tuple[tuple[int, ...], ...]]] = {
    "plain": ("x: n k, y: k m", MATMUL, ((0, 1), (0, 1), (0, 1))),
    "turned": ("x: n k, y: m k", TURNED.format("[1, 0]"), ((0, 1), (1, 0), (0, 1))),
    "batched": ("x: 2 n k, y: 2 k m", MATMUL, ((0, 1, 2), (0, 1, 2), (0, 1, 2))),
    "batched, turned": ("x: 2 n k, y: m 2 k", TURNED.format("[1, 2, 0]"), ((0, 1, 2), (1, 2, 0), (0, 1, 2))),
    "two batches": ("x: 2 b n k, y: 2 b k m", MATMUL, ((0, 1, 2, 3),) * 3),
    "of one batch": ("x: 1 n k, y: 1 k m", MATMUL, ((1, 2), (1, 2), (1, 2))),
    "one batch on a side": ("x: 1 n k, y: k m", MATMUL, ((1, 2), (0, 1), (1, 2))),
    "numbers": ("x: 3 4, y: 4 5", MATMUL, ((0, 1), (0, 1), (0, 1))),
}


@pytest.mark.parametrize("name", AXES)
@pytest.mark.parametrize("dtype", ["float32", "float16", "float64"])
def test_products(name: str, dtype: str) -> None:
    params, call, wanted = AXES[name]
    found = product(params, call, dtype)
    assert found is not None and (found.left_axes, found.right_axes, found.out_axes) == wanted


NONE = {
    "of integers": ("x: n k, y: k m", MATMUL, "int32"),
    "of bfloat16": ("x: n k, y: k m", MATMUL, "bfloat16"),
    "one row": ("x: 1 k, y: k m", MATMUL, "float32"),
    "one column": ("x: n k, y: k 1", MATMUL, "float32"),
    "depth of one": ("x: n 1, y: 1 m", MATMUL, "float32"),
    "a vector": ("x: k, y: k m", MATMUL, "float32"),
    "a diagonal": ("x: n n k, y: k m", "R.einsum([x, y], 'iik,kj->ij')", "float32"),
    "two depths": ("x: n k l, y: k l m", "R.einsum([x, y], 'ikl,klj->ij')", "float32"),
    "a sum of squares": ("x: n k, y: n k", "R.sum(R.multiply(x, y), axis=[1])", "float32"),
}


@pytest.mark.parametrize("name", NONE)
def test_no_products(name: str) -> None:
    assert product(*NONE[name]) is None


@pytest.mark.parametrize("turn", [(0, 1, 2), (1, 0, 2), (2, 1, 0)])
@pytest.mark.parametrize("dtype", ["float32", "float16"])
def test_what_a_product_stores(turn: tuple[int, int, int], dtype: str) -> None:
    r = np.random.default_rng(0)
    x, y = r.integers(-3, 4, (2, 3, 4)).astype(dtype), r.integers(-3, 4, (2, 4, 5)).astype(dtype)
    wanted = np.einsum("bik,bkj->bij", x, y)
    left, right = np.ascontiguousarray(x.transpose(turn)), np.ascontiguousarray(y.transpose(turn))
    out = np.full([wanted.shape[k] for k in turn], 9, dtype)
    axes = tuple(turn.index(k) for k in range(3))
    arrays: dict[str, Any] = {"l": left[None], "r": right, "o": out[None]}
    Product("l", "r", "o", tuple(k + 1 for k in axes), axes, tuple(k + 1 for k in axes)).run(np, arrays)
    assert out.transpose(axes).tolist() == wanted.tolist()


def test_a_product_reads_and_writes_every_array_once() -> None:
    text = """
@I.ir_module
class Module:
    @R.function
    def main(x: R.Tensor(("n", 4), "float32"), y: R.Tensor((4, 5), "float32")):
        with R.dataflow():
            out = R.matmul(x, y)
            R.output(out)
        return out
"""
    module = lower(rr.check(rr.parse(text)), pipeline="kernels").module
    (found,) = CudaExecutable(module, "fast", CountingDevice(library=True)).cost("main", n=3).kernels
    assert (found.form, found.blocks, found.threads) == ("product", 0, 0)
    assert (found.read, found.written) == (4 * (12 + 20), 4 * 15)
    (plain,) = CudaExecutable(module, "fast", CountingDevice()).cost("main", n=3).kernels
    assert plain.form == "tiled contraction"
