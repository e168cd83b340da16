"""Contractions as products of a library; NumPy stands in for cuBLAS."""

from __future__ import annotations

from functools import cache
from typing import Any

import pytest

pytest.importorskip("numpy")

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st
from programs import KERNELS, arguments, module
from test_resident import executable as example_of

import refrelax as rr
from refrelax.backends.cupy_ import emulate
from refrelax.backends.cupy_.compile import CudaExecutable
from refrelax.backends.cupy_.emulate import EmulatedDevice
from refrelax.backends.cupy_.plan import plans
from refrelax.judge import diff
from refrelax.lower.pipeline import lower

pytestmark = [pytest.mark.skipif(emulate.compiler() is None, reason="no g++ on this machine"), pytest.mark.thorough]

PRODUCTS = {
    "plain": ('x: R.Tensor(("n", "k"), "D"), y: R.Tensor(("k", "m"), "D")', "R.matmul(x, y)"),
    "turned": ('x: R.Tensor(("n", "k"), "D"), y: R.Tensor(("m", "k"), "D")', "R.matmul(x, R.permute_dims(y))"),
    "batched": ('x: R.Tensor((2, "n", "k"), "D"), y: R.Tensor((2, "k", "m"), "D")', "R.matmul(x, y)"),
    "heads": (
        'x: R.Tensor(("n", 3, "k"), "D"), y: R.Tensor(("m", 3, "k"), "D")',
        "R.matmul(R.permute_dims(x, [1, 0, 2]), R.permute_dims(y, [1, 2, 0]))",
    ),
    "one": ('x: R.Tensor((1, "n", "k"), "D"), y: R.Tensor(("k", "m"), "D")', "R.matmul(x, y)"),
}


@cache
def executable(dtype: str) -> CudaExecutable:
    lines = ["from tvm.script import ir as I, relax as R", "@I.ir_module", "class Module:"]
    for name, (params, value) in PRODUCTS.items():
        lines += ["    @R.function", f"    def {name}({params.replace(chr(34) + 'D', chr(34) + dtype)}):"]
        lines += ["        with R.dataflow():", f"            out = {value}", "            R.output(out)"]
        lines += ["        return out"]
    checked = lower(rr.check(rr.parse("\n".join(lines))), pipeline="kernels").module
    return CudaExecutable(checked, "fast", EmulatedDevice(library=True))


def test_which_contractions_are_products() -> None:
    found = {name: plan.kernels[0].product for name, plan in plans(module().module, "fast").items()}
    assert {name for name, product in found.items() if product} == {"matmul"}
    assert all(p.kernels[0].product for p in executable("float32").plans.values())
    bits = CudaExecutable(module(), "bits", EmulatedDevice(library=True))
    assert not any(k.product for plan in bits.plans.values() for k in plan.kernels)


@settings(max_examples=25)
@given(
    st.sampled_from(sorted(PRODUCTS)), st.sampled_from(["float32", "float64", "float16"]), st.integers(0, 9),
    st.integers(0, 9), st.integers(0, 9),
)  # fmt: skip
def test_permitted(name: str, dtype: str, n: int, m: int, k: int) -> None:
    compiled, r = executable(dtype), np.random.default_rng(n + 10 * m + 100 * k)
    shapes = {
        "plain": ((n, k), (k, m)), "turned": ((n, k), (m, k)), "batched": ((2, n, k), (2, k, m)),
        "heads": ((n, 3, k), (m, 3, k)), "one": ((1, n, k), (k, m)),
    }[name]  # fmt: skip

    class It:
        def run(self, _module: Any, entry: str, args: Any) -> Any:
            return compiled.run(entry, *args)

    verdict = diff(compiled.checked, name, [r.standard_normal(s).astype(dtype) for s in shapes], impl=It())
    assert not isinstance(verdict, rr.Divergence), verdict
    assert verdict.report.outside == 0


FINISHED = """
from tvm.script import ir as I, relax as R
@I.ir_module
class Module:
    @R.function
    def main(x: R.Tensor(("n", "k"), "float32"), y: R.Tensor(("k", "m"), "float32"), b: R.Tensor(("m",), "float32")):
        with R.dataflow():
            p = R.matmul(x, y)
            s = R.add(p, b)
            out = R.nn.relu(s)
            R.output(out)
        return out
"""


def test_what_follows_a_product_is_a_kernel_of_its_own_where_there_is_a_library() -> None:
    checked = lower(rr.check(rr.parse(FINISHED)), pipeline="kernels").module
    alone = CudaExecutable(checked, "fast", EmulatedDevice())
    assert [k.form for k in alone.cost(n=17, k=5, m=33).kernels] == ["tiled contraction"]
    compiled = CudaExecutable(checked, "fast", EmulatedDevice(library=True))
    assert [k.form for k in compiled.cost(n=17, k=5, m=33).kernels] == ["product", "elementwise"]
    r = np.random.default_rng(0)
    for n, k, m in ((17, 5, 33), (1, 3, 2), (4, 0, 3), (0, 2, 3)):
        x, y, b = (r.standard_normal(shape).astype(np.float32) for shape in ((n, k), (k, m), (m,)))
        assert np.allclose(compiled["main"](x, y, b), np.maximum(x @ y + b, 0), rtol=1e-4, atol=1e-5)
        assert np.allclose(alone["main"](x, y, b), np.maximum(x @ y + b, 0), rtol=1e-4, atol=1e-5)


def test_a_product_is_counted_as_one_pass() -> None:
    found = executable("float32").cost("heads", n=64, m=32, k=16)
    assert [each.form for each in found.kernels] == ["product"]
    assert (found.read, found.written) == (4 * 3 * (64 + 32) * 16, 4 * 3 * 64 * 32)


def test_the_loop_program_itself() -> None:
    compiled = CudaExecutable(module(), "fast", EmulatedDevice(library=True))
    for k in range(len(KERNELS["matmul"])):
        args = arguments("matmul", k)
        ended = compiled.run("matmul", *args)
        assert isinstance(ended, rr.Returned)
        assert np.allclose(ended.arguments[2].numpy(), args[0] @ args[1].T, rtol=1e-4)


def test_replays() -> None:
    compiled = CudaExecutable(example_of("decoder", "default").checked, "fast", EmulatedDevice(library=True))
    call = compiled.resident("main")
    for seed in range(3):
        x = np.random.default_rng(seed).standard_normal((1, 5, 32)).astype(np.float32)
        (found,), (wanted,) = call(x), compiled["main"](x)
        assert found.tolist() == wanted.tolist()
    assert all(call.tapes.values())
    assert any(kernel.product for tape in call.tapes.values() for _, kernel, _, _ in tape.launches)  # type: ignore[union-attr]
