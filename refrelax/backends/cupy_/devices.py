"""What a device is to the launcher: memory, and programs whose kernels it runs."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from contextlib import AbstractContextManager
from dataclasses import dataclass
from math import prod
from typing import Any, Protocol

import numpy as np

from refrelax.backends.cupy_.geometry import Geometry
from refrelax.backends.cupy_.kernels import Kernel
from refrelax.backends.cupy_.plan import Plan
from refrelax.syntax.module import Module


@dataclass(slots=True)
class DeviceArray:
    """A compact row-major array in a device's memory; ``dtype`` is NumPy's (``ml_dtypes`` for bfloat16);
    ``planned``: it is a storage, or lies in one."""

    memory: Any
    shape: tuple[int, ...]
    dtype: Any
    planned: bool = False

    @property
    def ndim(self) -> int:
        return len(self.shape)

    @property
    def size(self) -> int:
        return prod(self.shape)

    @property
    def nbytes(self) -> int:
        """Bytes of its memory: never none, so that a pointer to it always points to an element."""
        return max(self.size, 1) * int(self.dtype.itemsize)


class Program(Protocol):
    """A loaded source text."""

    def launch(self, kernel: Kernel, geometry: Geometry, args: list[Any], status: Any) -> None:
        """Run a kernel. ``args``: a value per parameter but ``status``, arrays or numbers, in order."""


class Device(Protocol):
    """Where kernels run."""

    @property
    def room(self) -> int | None:
        """Bytes of the block's memory that a launch can ask for; ``None`` if it is not known."""

    def upload(self, array: Any) -> DeviceArray: ...

    def download(self, array: DeviceArray) -> Any: ...

    def empty(self, shape: tuple[int, ...], dtype: Any) -> DeviceArray:
        """Memory whose contents mean nothing."""

    def copy(self, array: DeviceArray) -> DeviceArray: ...

    def restore(self, array: DeviceArray, saved: Any) -> None:
        """Overwrite with a NumPy array of the same shape and dtype."""

    def address(self, array: DeviceArray) -> int:
        """Where its first byte lies."""

    def adopt(self, array: Any) -> DeviceArray:
        """An array of the device's own library (or any other, which is copied)."""

    def release(self, array: DeviceArray) -> Any:
        """As an array of the device's own library, where it lies."""

    def fill(self, memory: Any, array: DeviceArray) -> None:
        """Copy an array's bytes to the start of some memory."""

    def on(self, stream: Any) -> AbstractContextManager[Any]:
        """Inside: launches go to this stream (``None``: to the current one)."""

    def current(self) -> int:
        """Which stream is the current one."""

    def capture(self, run: Callable[[], None]) -> Callable[[], None]:
        """What launches all that ``run`` launches, as a graph where the device has them."""

    def libraries(self, module: Module) -> dict[str, Callable[..., Any]]:
        """What runs in place of the module's library functions, on device arrays; where nothing does, contracts do."""

    def products(self) -> Program | None:
        """What runs contractions that are products of matrices, if there is a library for them."""

    def load(self, source: str, plans: Mapping[str, Plan], mode: str) -> Program:
        """A source text, ready to be launched."""

    def status(self) -> Any:
        """A fresh status word in the device's memory."""

    def read_status(self, status: Any) -> int: ...


def bytes_of(array: Any) -> Any:
    """The elements of a NumPy array as bytes, in order."""
    return np.ascontiguousarray(array).ravel().view(np.uint8)


def array_of(raw: Any, shape: tuple[int, ...], dtype: Any) -> Any:
    """A NumPy array from its bytes."""
    count = prod(shape) * int(dtype.itemsize)
    return raw[:count].view(dtype).reshape(shape)


class Products:
    """Products of matrices by an array library: of CuPy they are cuBLAS's. ``view``: an array of that library."""

    def __init__(self, xp: Any, view: Callable[[DeviceArray], Any]) -> None:
        self.xp, self.view = xp, view

    def launch(self, kernel: Kernel, geometry: Geometry, args: list[Any], status: Any) -> None:
        assert kernel.product is not None
        pairs = zip(kernel.parameters, args, strict=False)
        kernel.product.run(self.xp, {p.name: self.view(a) for p, a in pairs if p.kind == "buffer"})
