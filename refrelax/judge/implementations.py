"""Whom ``diff`` judges: a backend of this package by name, TVM, or an object."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from importlib import import_module
from typing import Any

from refrelax.backends import compile
from refrelax.backends.executable import Observed
from refrelax.errors import UsageError
from refrelax.semantics.types.checked import CheckedModule
from refrelax.syntax.loops import PrimFunc

BACKENDS = ("numpy", "cupy", "cuda-emulated")
"""Implementations in this package; they show every binding."""


@dataclass(frozen=True, slots=True)
class Backend:
    """A backend of this package, compiled when it is asked."""

    name: str
    mode: str = "fast"

    def observe(
        self, checked: CheckedModule, entry: str, args: Sequence[Any], externs: Mapping[str, Callable[..., Any]]
    ) -> Observed:
        """Compile and run, watching every binding. Raises ``Unsupported``."""
        executable = compile(checked, self.name, self.mode)
        if isinstance(checked.module.functions[entry], PrimFunc):
            return Observed(executable.run(entry, *args, externs=externs), ())
        return executable.observe(entry, *args, externs=externs)


def chosen(impl: str | Any, mode: str = "fast") -> Any:
    """What a name stands for; an object stands for itself.

    Raises:
        UsageError: nothing by that name, or an object without ``run``.
    """
    known = ", ".join(BACKENDS)
    if not isinstance(impl, str):
        if not callable(getattr(impl, "run", None)):
            what = f"a {type(impl).__name__}"
            raise UsageError(f"expected {known}, tvm, or an object with run(module, entry, args), found {what}")
        return impl
    if impl in BACKENDS:
        return Backend(impl, mode)
    if impl == "tvm":
        return import_module("refrelax.interop.tvm").TvmImplementation()  # a layer below: found when it is asked for
    raise UsageError(
        f"unknown implementation {impl!r}; known: {known}, tvm, or an object with run(module, entry, args)"
    )
