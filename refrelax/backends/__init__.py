"""Backends: second and third implementations of checked modules, judged against the interpreter."""

from __future__ import annotations

from refrelax.backends.executable import Executable
from refrelax.errors import UsageError
from refrelax.extras import optional
from refrelax.semantics.types.check import check
from refrelax.semantics.types.checked import CheckedModule, wants
from refrelax.syntax.module import Module


def compile(
    checked: CheckedModule | Module, backend: str = "numpy", mode: str = "fast", watched: bool = False
) -> Executable:
    """Compile a checked module; a module is checked first.

    ``backend``: ``"numpy"``; ``"cupy"`` (kernels on a GPU); ``"cuda-emulated"`` (the same kernels on the CPU, through
    g++). ``mode``: ``"bits"`` (the interpreter's bits at array speed) or ``"fast"`` (permitted
    relaxations used). ``watched``: every run is observed; what other runs need is made when one is asked for, and so is
    said then if it has no translation.

    Raises:
        IllFormed, IllTyped: of a module that is checked first.
        Unsupported: something in the module has no translation (no verdict about the program).
        UsageError: no module, an unknown backend or mode, or a backend without its device or compiler.
        ModuleNotFoundError: NumPy or CuPy is not installed; the message names the extra.
    """
    if backend not in BACKENDS:
        raise UsageError(f"unknown backend {backend!r}; known: {', '.join(BACKENDS)}")
    if mode not in ("bits", "fast"):
        raise UsageError(f"unknown mode {mode!r}; known: bits, fast")
    wants("compile", checked)
    if isinstance(checked, Module):
        checked = check(checked)
    with optional(f"the backend {backend}"):
        return _cuda(checked, backend, mode) if backend != "numpy" else _numpy(checked, mode, watched)


BACKENDS = ("numpy", "cupy", "cuda-emulated")


def _numpy(checked: CheckedModule, mode: str, watched: bool) -> Executable:
    from refrelax.backends.numpy_.compile import NumPyExecutable

    return NumPyExecutable(checked, "bits" if mode == "bits" else "fast", watched)


def _cuda(checked: CheckedModule, backend: str, mode: str) -> Executable:
    from refrelax.backends.cupy_.compile import CudaExecutable

    if backend == "cupy":
        from refrelax.backends.cupy_.device import CuPyDevice

        return CudaExecutable(checked, mode, CuPyDevice())
    from refrelax.backends.cupy_.emulate import EmulatedDevice

    return CudaExecutable(checked, mode, EmulatedDevice())
