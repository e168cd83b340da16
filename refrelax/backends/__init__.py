"""Backends: second and third implementations of checked modules, judged against the interpreter."""

from __future__ import annotations

from refrelax.backends.executable import Executable
from refrelax.errors import UsageError
from refrelax.semantics.types.checked import CheckedModule


def compile(checked: CheckedModule, backend: str = "numpy", mode: str = "fast") -> Executable:
    """Compile a checked module.

    ``backend``: ``"numpy"``. ``mode``: ``"bits"`` (the interpreter's bits at array speed) or ``"fast"`` (permitted
    relaxations used).

    Raises:
        Unsupported: something in the module has no translation (no verdict about the program).
        UsageError: an unknown backend or mode.
    """
    if backend != "numpy":
        raise UsageError(f"unknown backend {backend!r}; known: numpy")
    from refrelax.backends.numpy_.compile import NumPyExecutable

    if mode == "bits":
        return NumPyExecutable(checked, "bits")
    if mode == "fast":
        return NumPyExecutable(checked, "fast")
    raise UsageError(f"unknown mode {mode!r}; known: bits, fast")
