"""Optional bridges to other projects. Nothing in the rest of the package needs one; each is imported on first use."""

from __future__ import annotations

from importlib import import_module
from typing import Any


def __getattr__(name: str) -> Any:
    if name == "tvm":
        return import_module("refrelax.interop.tvm")
    raise AttributeError(f"module 'refrelax.interop' has no attribute {name!r}")
