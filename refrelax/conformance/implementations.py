"""Names of implementations to implementations."""

from __future__ import annotations

from importlib import import_module
from typing import Any

from refrelax.errors import UsageError

BUILT_IN = ("numpy", "cupy", "cuda-emulated")
"""Backends: ``rr.diff`` takes these names itself."""


def find(name: str) -> Any:
    """What ``rr.diff`` takes as ``impl``: a backend's name, TVM in a subprocess, or ``module:factory`` called.

    Raises:
        UsageError: nothing by that name.
    """
    if name in BUILT_IN:
        return name
    if name == "tvm":
        from refrelax.interop.tvm import TvmImplementation

        return TvmImplementation()
    module, colon, factory = name.partition(":")
    if not colon or not factory:
        raise UsageError(f"no implementation {name!r}: expected {', '.join(BUILT_IN)}, tvm, or module:factory")
    try:
        made = getattr(import_module(module), factory)()
    except (ImportError, AttributeError) as error:
        raise UsageError(f"implementation {name!r}: {error}") from None
    if not hasattr(made, "run"):
        raise UsageError(f"{name!r} gives a {type(made).__name__}, which has no method run(module, entry, args)")
    return made
