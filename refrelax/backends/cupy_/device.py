"""Running CUDA source on a GPU, through CuPy."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from contextlib import AbstractContextManager, nullcontext
from functools import partial
from typing import Any

import numpy as np

from refrelax.backends.cupy_.devices import DeviceArray, Products, Program, array_of, bytes_of
from refrelax.backends.cupy_.geometry import Geometry
from refrelax.backends.cupy_.kernels import Kernel
from refrelax.backends.cupy_.names import is_float
from refrelax.backends.cupy_.plan import Plan
from refrelax.backends.libraries import libraries_of
from refrelax.errors import UsageError
from refrelax.running.sharing import as_it_lies
from refrelax.syntax.module import Module


def find_cupy() -> Any:
    """CuPy with a device behind it.

    Raises:
        UsageError: CuPy is not installed, or there is no device.
    """
    try:
        import cupy
    except ImportError:
        raise UsageError("the backend cupy needs CuPy: pip install 'refrelax[cuda]'") from None
    if not cupy.cuda.is_available():
        raise UsageError("the backend cupy needs a CUDA device; none is available (cuda-emulated runs on the CPU)")
    return cupy


ALWAYS_SHARED = 48 * 1024
"""Bytes of the block's memory that a kernel may ask for without saying so before."""

MOST_SHARED = 97
"""CUDA's number of the attribute that says how many it may ask for (``cudaDevAttrMaxSharedMemoryPerBlockOptin``)."""

OWN = 2048
"""Bytes of these that are left to what a kernel declares itself."""


class CuPyProgram:
    """A loaded module."""

    def __init__(self, cupy: Any, module: Any, wide: bool) -> None:
        self.index = np.int64 if wide else np.int32
        self.cupy = cupy
        self.module = module
        self.functions: dict[str, Any] = {}

    def launch(self, kernel: Kernel, geometry: Geometry, args: list[Any], status: Any) -> None:
        function = self.functions.get(kernel.name)
        if function is None:
            function = self.functions[kernel.name] = self.module.get_function(kernel.name)
        given = [self._packed(p.kind, p.dtype, a) for p, a in zip(kernel.parameters, args, strict=False)]
        if len(args) < len(kernel.parameters):
            given.append(status)
        if geometry.shared > ALWAYS_SHARED:
            function.max_dynamic_shared_size_bytes = geometry.shared
        function((geometry.blocks,), (geometry.threads,), tuple(given), shared_mem=geometry.shared)

    def _packed(self, kind: str, dtype: str, value: Any) -> Any:
        if kind == "buffer":
            return value.memory
        if kind in ("lanes", "fits"):
            return np.int32(value)
        if not is_float(dtype):
            return self.index(value)
        return np.float64(value) if dtype == "float64" else np.dtype(np.float32).type(value)


class CuPyDevice:
    """The current CUDA device. Memory comes from CuPy's pool, as bytes."""

    def __init__(self) -> None:
        self.cupy = find_cupy()
        runtime = self.cupy.cuda.runtime
        self.room: int | None = int(runtime.deviceGetAttribute(MOST_SHARED, runtime.getDevice())) - OWN

    def __reduce__(self) -> tuple[object, ...]:
        return CuPyDevice, ()

    def upload(self, array: Any) -> DeviceArray:
        made = self.empty(array.shape, array.dtype)
        self.restore(made, array)
        return made

    def download(self, array: DeviceArray) -> Any:
        return array_of(self.cupy.asnumpy(array.memory), array.shape, array.dtype).copy()

    def empty(self, shape: tuple[int, ...], dtype: Any) -> DeviceArray:
        made = DeviceArray(None, tuple(shape), np.dtype(dtype))
        made.memory = self.cupy.empty(made.nbytes, dtype=np.uint8)
        return made

    def copy(self, array: DeviceArray) -> DeviceArray:
        return DeviceArray(array.memory.copy(), array.shape, array.dtype)

    def restore(self, array: DeviceArray, saved: Any) -> None:
        raw = bytes_of(saved)
        array.memory[: len(raw)] = self.cupy.asarray(raw)

    def address(self, array: DeviceArray) -> int:
        if hasattr(array.memory, "__cuda_array_interface__"):
            return int(array.memory.data.ptr)
        return int(array.memory.ctypes.data)  # of the stand-in for CuPy

    def adopt(self, array: Any) -> DeviceArray:
        if isinstance(array, DeviceArray):
            return array
        as_it_lies(array)
        found = self.cupy.ascontiguousarray(self.cupy.asarray(array))
        made = DeviceArray(None, tuple(found.shape), np.dtype(found.dtype.name))
        if not found.size:
            return self.empty(made.shape, made.dtype)
        made.memory = found.reshape(-1).view(np.uint8)
        return made

    def release(self, array: DeviceArray) -> Any:
        return self._view(array)

    def fill(self, memory: Any, array: DeviceArray) -> None:
        count = array.size * int(array.dtype.itemsize)
        memory[:count] = array.memory[:count]

    def on(self, stream: Any) -> AbstractContextManager[Any]:
        if stream is None:
            return nullcontext()
        return self.cupy.cuda.ExternalStream(stream) if isinstance(stream, int) else stream  # type: ignore[no-any-return]

    def current(self) -> int:
        return int(self.cupy.cuda.get_current_stream().ptr)

    def capture(self, run: Callable[[], None]) -> Callable[[], None]:
        """A CUDA graph. The legacy stream cannot be captured: another one is, which waits for it."""
        self.cupy.cuda.get_current_stream().synchronize()
        apart = self.cupy.cuda.Stream(non_blocking=True)
        with apart:
            apart.begin_capture()
            run()
            graph = apart.end_capture()
        return lambda: graph.launch(self.cupy.cuda.get_current_stream())

    def libraries(self, module: Module) -> dict[str, Callable[..., Any]]:
        """Library functions on the device, by CuPy (cuBLAS for products)."""
        found = libraries_of(module, self.cupy)
        return {name: partial(self.on_device, run) for name, run in found.items()}

    def on_device(self, run: Callable[..., Any], *args: DeviceArray) -> DeviceArray:
        """``run`` on CuPy arrays over the arguments' memory; the result in memory of its own."""
        result = self.cupy.ascontiguousarray(run(*map(self._view, args)))
        made = DeviceArray(None, tuple(result.shape), np.dtype(result.dtype.name))
        made.memory = self.cupy.empty(made.nbytes, dtype=np.uint8)
        made.memory[: result.nbytes] = result.reshape(-1).view(np.uint8)
        return made

    def _view(self, array: DeviceArray) -> Any:
        size = array.size * int(array.dtype.itemsize)
        return array.memory[:size].view(array.dtype).reshape(array.shape)

    def products(self) -> Program | None:
        return Products(self.cupy, self._view)

    def load(self, source: str, plans: Mapping[str, Plan], mode: str) -> CuPyProgram:
        # CuPy names the architecture of the device itself
        options = ("--std=c++17", f"--fmad={'false' if mode == 'bits' else 'true'}")
        module = self.cupy.RawModule(code=source, options=options, backend="nvrtc")
        return CuPyProgram(self.cupy, module, "#define WIDE_INDICES" in source)

    def status(self) -> Any:
        return self.cupy.zeros(1, dtype=np.uint32)

    def read_status(self, status: Any) -> int:
        return int(status[0])
