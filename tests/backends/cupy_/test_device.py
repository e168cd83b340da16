"""What `device.py` asks of CuPy, with a stand-in for CuPy whose kernels the emulation runs.

It shows that the launcher hands CuPy the right memory, grids and scalars; only a GPU shows that CuPy takes them
(`test_on_device.py`).
"""

from __future__ import annotations

import sys
from types import SimpleNamespace
from typing import Any

import pytest

pytest.importorskip("numpy")

import numpy as np
from programs import KERNELS, arguments, module

import refrelax as rr
from refrelax.backends.cupy_ import emulate
from refrelax.backends.cupy_.compile import CudaExecutable
from refrelax.backends.cupy_.device import CuPyDevice
from refrelax.backends.cupy_.devices import DeviceArray
from refrelax.backends.cupy_.emulate import EmulatedProgram, build, entry
from refrelax.backends.cupy_.geometry import Geometry
from refrelax.backends.cupy_.plan import plans
from refrelax.errors import UsageError


class StandIn:
    """The few names of CuPy that the backend uses."""

    def __init__(self, mode: str) -> None:
        self.mode = mode
        self.options: list[tuple[str, ...]] = []
        self.grids: list[tuple[str, int, int]] = []
        given = {97: 163 * 1024}  # of an A100
        runtime = SimpleNamespace(getDevice=lambda: 0, deviceGetAttribute=lambda which, _device: given[which])
        self.cuda = SimpleNamespace(is_available=lambda: True, runtime=runtime)
        self.__name__, self.matmul, self.products = "cupy", self._matmul, 0
        self.empty, self.zeros, self.asarray, self.asnumpy = np.empty, np.zeros, np.asarray, np.array

    def _matmul(self, a: Any, b: Any, out: Any) -> Any:
        self.products += 1
        return np.matmul(a, b, out=out)

    def RawModule(self, code: str, options: tuple[str, ...], backend: str) -> Any:
        assert backend == "nvrtc"
        self.options.append(options)
        made = {k.name: k for plan in plans(module().module, self.mode, library=True).values() for k in plan.kernels}
        program = EmulatedProgram(build("\n".join([code, *map(entry, made.values())])), 0)

        def get_function(name: str) -> Any:
            kernel = made[name]

            def call(grid: tuple[int], block: tuple[int], args: tuple[Any, ...], shared_mem: int) -> None:
                self.grids.append((name, grid[0], block[0]))
                given: list[Any] = []
                for parameter, value in zip(kernel.parameters, args, strict=True):
                    if parameter.kind == "buffer":
                        assert value.dtype == np.uint8, "memory is bytes"
                        count = value.size // np.dtype(emulated_dtype(parameter.dtype)).itemsize
                        given.append(DeviceArray(value, (count,), np.dtype(emulated_dtype(parameter.dtype))))
                    else:
                        assert parameter.kind == "status" or isinstance(
                            value, np.int32 | np.int64 | np.float32 | np.float64
                        )
                        given.append(value)
                program.launch(kernel, Geometry(grid[0], block[0], shared=shared_mem), given, None)

            return call

        return SimpleNamespace(get_function=get_function)


def emulated_dtype(name: str) -> Any:
    from refrelax.running.arrays import numpy_dtype

    return numpy_dtype(name)


@pytest.mark.thorough
@pytest.mark.skipif(emulate.compiler() is None, reason="no g++ on this machine")
@pytest.mark.parametrize("mode", ["bits", "fast"])
def test_launches_through_cupy(mode: str, monkeypatch: pytest.MonkeyPatch) -> None:
    cupy = StandIn(mode)
    monkeypatch.setitem(sys.modules, "cupy", cupy)  # type: ignore[arg-type]
    compiled = CudaExecutable(module(), mode, CuPyDevice())
    assert cupy.options == [("--std=c++17", f"--fmad={'false' if mode == 'bits' else 'true'}")]
    for name in ("matmul", "row_sum", "let_and_select", "half_scalar", "quotients", "chain_bf16"):
        for k in range(len(KERNELS[name])):
            found, wanted = compiled.run(name, *arguments(name, k)), rr.run(module(), name, *arguments(name, k))
            assert isinstance(found, rr.Returned) and isinstance(wanted, rr.Returned)
            a = found.arguments[-1].numpy().astype(np.float64)
            assert np.allclose(a, wanted.arguments[-1].numpy().astype(np.float64), rtol=1e-3, atol=1e-4)
    assert {block for _, _, block in cupy.grids} == {256}
    # three rows, a warp each
    assert (("matmul__0", -(-17 * 33 // 256), 256) in cupy.grids) == (mode == "bits")
    assert cupy.products == (2 if mode == "fast" else 0), "cuBLAS's; one of no elements is no launch"
    assert ("row_sum__0", 1, 256) in cupy.grids


def test_without_cupy(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "cupy", None)
    with pytest.raises(UsageError, match="needs CuPy"):
        rr.compile(module(), backend="cupy")


def test_without_a_device(monkeypatch: pytest.MonkeyPatch) -> None:
    blind = SimpleNamespace(cuda=SimpleNamespace(is_available=lambda: False))
    monkeypatch.setitem(sys.modules, "cupy", blind)  # type: ignore[arg-type]
    with pytest.raises(UsageError, match="needs a CUDA device"):
        rr.compile(module(), backend="cupy")


def test_without_a_compiler(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(emulate, "compiler", lambda: None)
    emulate.build.cache_clear()
    with pytest.raises(UsageError, match=r"needs g\+\+"):
        rr.compile(module(), backend="cuda-emulated")
