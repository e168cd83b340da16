"""Backends: second and third implementations of checked modules, judged against the interpreter."""

from __future__ import annotations

from refrelax.backends.executable import Executable
from refrelax.errors import UsageError
from refrelax.semantics.types.checked import CheckedModule


def compile(checked: CheckedModule, backend: str = "numpy", mode: str = "fast") -> Executable:
    """Compile a checked module.

    ``backend``: ``"numpy"``; ``"cupy"`` (kernels on a GPU); ``"cuda-emulated"`` (the same kernels on the CPU, through
    g++). ``mode``: ``"bits"`` (the interpreter's bits at array speed) or ``"fast"`` (permitted
    relaxations used).

    Raises:
        Unsupported: something in the module has no translation (no verdict about the program).
        UsageError: an unknown backend or mode, or a backend without its device or compiler.
    """
    if mode in ("bits", "fast") and backend in ("cupy", "cuda-emulated"):
        return _cuda(checked, backend, mode)
    if backend not in ("numpy", "cupy", "cuda-emulated"):
        raise UsageError(f"unknown backend {backend!r}; known: numpy, cupy, cuda-emulated")
    from refrelax.backends.numpy_.compile import NumPyExecutable

    if mode == "bits":
        return NumPyExecutable(checked, "bits")
    if mode == "fast":
        return NumPyExecutable(checked, "fast")
    raise UsageError(f"unknown mode {mode!r}; known: bits, fast")


def _cuda(checked: CheckedModule, backend: str, mode: str) -> Executable:
    from refrelax.backends.cupy_.compile import CudaExecutable

    if backend == "cupy":
        from refrelax.backends.cupy_.device import CuPyDevice

        return CudaExecutable(checked, mode, CuPyDevice())
    from refrelax.backends.cupy_.emulate import EmulatedDevice

    return CudaExecutable(checked, mode, EmulatedDevice())
