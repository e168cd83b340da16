"""Facts of tensors, moves between devices, and collectives of a program that runs alone, on every backend."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import refrelax as rr
from refrelax.backends.errors import Unsupported
from refrelax.running.arrays import numpy_dtype
from tests.testing.comparing import same_bits

BACKENDS = ("numpy", "cuda-emulated")
FACTS = (
    "tensor_ndim(x)", "tensor_dtype_bits(x)", "tensor_dtype_code(x)", "tensor_dtype_lanes(x)", "tensor_byte_offset(x)",
    "tensor_elem_offset(x)", *(f"tensor_{what}_i(x, {axis})" for what in ("shape", "stride") for axis in (0, 1, 2)),
)  # fmt: skip


def module(dtype: str, body: str, params: str = "", pure: bool = True, mesh: bool = False) -> rr.CheckedModule:
    world = '    I.module_global_infos({"mesh": [R.device_mesh((2,), [0, 1])]})\n' if mesh else ""
    return rr.check(
        rr.parse(
            f'n = TypeVar("n")\nm = TypeVar("m")\n@I.ir_module\nclass Module:\n{world}    @R.function(pure={pure})\n'
            f'    def main(x: R.Tensor((n, m, 2), "{dtype}"){params}):\n        {body}\n'
        )
    )


def agree(checked: rr.CheckedModule, backend: str, *args: Any) -> Any:
    compiled = rr.compile(checked, backend=backend, mode="bits")
    wanted, found = rr.run(checked, "main", *args), compiled.run("main", *args)
    assert type(found) is type(wanted), (wanted, found)
    assert not isinstance(wanted, rr.Returned) or same_bits(wanted.value, found.value), (wanted, found)
    return wanted


@pytest.mark.parametrize("backend", BACKENDS)
@pytest.mark.parametrize("shape", [(3, 5, 2), (1, 4, 2), (0, 3, 2)])
def test_facts(backend: str, shape: tuple[int, ...]) -> None:
    for dtype in ("float32", "bfloat16", "bool", "int8", "float8_e4m3fn"):
        body = "return (" + ", ".join(f"R.inspect.{each}" for each in FACTS) + ")"
        x = np.ones(shape, numpy_dtype(dtype))
        assert isinstance(agree(module(dtype, body), backend, x), rr.Returned)


@pytest.mark.parametrize("backend", BACKENDS)
def test_facts_of_what_is_computed_and_of_no_axis(backend: str) -> None:
    x = np.zeros((3, 5, 2), "float32")
    agree(module("float32", "return R.inspect.tensor_stride_i(R.permute_dims(x), 0)"), backend, x)
    wrong = agree(module("float32", "return R.inspect.tensor_shape_i(x, 3)"), backend, x)
    assert isinstance(wrong, rr.Unspecified) and wrong.rule == "op.inspect/axis-range"


@pytest.mark.parametrize("backend", BACKENDS)
def test_an_offset_in_a_storage_is_refused(backend: str) -> None:
    body = """s = R.memory.alloc_storage(R.shape([64]), 0, "global", "uint8")
        t = R.memory.alloc_tensor(s, 8, R.shape([2]), "float32")
        return R.inspect.tensor_byte_offset(t)"""
    with pytest.raises(Unsupported, match="storages"):
        rr.compile(module("float32", body, pure=False), backend=backend)


ALONE = (
    *(f'R.ccl.allreduce(x, "{kind}")' for kind in ("sum", "prod", "min", "max", "avg")),
    "R.ccl.allgather(x, 1)",
    "R.ccl.allgather(x, 2)",
    "R.ccl.broadcast_from_worker0(x)",
    "R.ccl.scatter_from_worker0(x, 1, 0)",
    "R.dist.redistribute_replica_to_shard(x, 1, axis=1)",
    "R.memory.ensure_zero_offset(x)",
)


@pytest.mark.by_day(4)
@pytest.mark.parametrize("backend", BACKENDS)
@pytest.mark.parametrize("call", ALONE)
def test_of_one_worker(backend: str, call: str) -> None:
    for shape in ((3, 5, 2), (1, 1, 2), (0, 3, 2)):
        for dtype in ("float32", "int8"):
            x = np.arange(np.prod(shape)).reshape(shape).astype(dtype)
            agree(module(dtype, f"return {call}"), backend, x)


@pytest.mark.parametrize("backend", BACKENDS)
@pytest.mark.parametrize("name", ["annotate_sharding", "redistribute"])
def test_what_is_said_of_a_mesh_changes_nothing(backend: str, name: str) -> None:
    params = ', d: R.DTensor((n, 3), "float32", "mesh[0]", "R")'
    body = f'return R.dist.{name}({"x" if name == "annotate_sharding" else "d"}, "mesh[0]", "S[0]")'
    x, d = np.ones((3, 5, 2), "float32"), np.arange(9, dtype="float32").reshape(3, 3)
    agree(module("float32", body, params, mesh=True), backend, x, d)
