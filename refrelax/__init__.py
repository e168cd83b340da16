# ruff: noqa: F401  (names for type checkers; at run time they are imported on first use)
"""refrelax: the executable specification of Relax, the cross-level dynamic-shape IR of Apache TVM.

    import refrelax as rr

    module = rr.parse(text)
    checked = rr.check(module)
    outcome = rr.run(checked, "main", x)

Everything public is a name of this module; it is imported from its room on first use, so that the core needs neither
NumPy nor Z3 nor TVM.
"""

from __future__ import annotations

import sys
from importlib import import_module
from types import ModuleType
from typing import TYPE_CHECKING, Any

from refrelax.version import SPEC_EDITION, __version__

if TYPE_CHECKING:
    from refrelax import conformance, interop, testing
    from refrelax.api import bind_constants, check, parse, print_module, run, structural_equal
    from refrelax.arrays import Tensor
    from refrelax.errors import (
        Diagnostic,
        Effect,
        Exhausted,
        IllFormed,
        IllTyped,
        InternalError,
        Malformed,
        Rejection,
        Returned,
        RunError,
        Span,
        Trapped,
        Unlinkable,
        Unspecified,
        UsageError,
    )
    from refrelax.semantics.budget import Budget
    from refrelax.semantics.numbers.verdicts import Inside, Outside, Undecided
    from refrelax.semantics.types.checked import CheckedModule
    from refrelax.semantics.values import Closure, DType, Opaque, Prim, Shape
    from refrelax.syntax.module import Module
    from refrelax.worlds import run_workers

_HOME: dict[str, str] = {
    **dict.fromkeys(("bind_constants", "check", "parse", "print_module", "run", "structural_equal"), "refrelax.api"),
    "Tensor": "refrelax.arrays",
    **dict.fromkeys(
        (
            "Diagnostic", "Effect", "Exhausted", "IllFormed", "IllTyped", "InternalError", "Malformed", "Rejection",
            "Returned", "RunError", "Span", "Trapped", "Unlinkable", "Unspecified", "UsageError",
        ),
        "refrelax.errors",
    ),
    "Budget": "refrelax.semantics.budget",
    **dict.fromkeys(("Inside", "Outside", "Undecided"), "refrelax.semantics.numbers.verdicts"),
    "CheckedModule": "refrelax.semantics.types.checked",
    **dict.fromkeys(("Closure", "DType", "Opaque", "Prim", "Shape"), "refrelax.semantics.values"),
    "Module": "refrelax.syntax.module",
    **dict.fromkeys(("to_json", "from_json"), "refrelax.syntax.json_"),
    **dict.fromkeys(
        (
            "prove", "disjoint", "injective", "bounds", "simplify", "remarks", "Proved", "Refuted", "Remark", "Unknown",
        ),
        "refrelax.shape_solver",
    ),
    **dict.fromkeys(("lower",), "refrelax.lower"),
    **dict.fromkeys(
        ("validate", "Equivalent", "Counterexample", "ProvedAt", "Tested"), "refrelax.judge"
    ),
    **dict.fromkeys(("trace", "Tracer", "Event"), "refrelax.tracing"),
    "run_workers": "refrelax.worlds",
    **dict.fromkeys(("compile",), "refrelax.backends"),
    **dict.fromkeys(("diff", "bisect", "WrongPass", "Agreement", "Divergence", "NoVerdict"), "refrelax.judge"),
}  # fmt: skip
"""Where each public name lives."""

_ROOMS = ("conformance", "interop", "testing")


def __getattr__(name: str) -> Any:
    if name in _HOME:
        return getattr(import_module(_HOME[name]), name)
    if name in _ROOMS:
        return import_module(f"refrelax.{name}")
    raise AttributeError(f"module 'refrelax' has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted([*globals(), *_HOME, *_ROOMS])


class _Package(ModuleType):
    """This package: importing ``refrelax.lower``, a folder, does not hide ``rr.lower``, a function."""

    def __setattr__(self, name: str, value: Any) -> None:
        if not (name in _HOME and isinstance(value, ModuleType)):
            super().__setattr__(name, value)


sys.modules[__name__].__class__ = _Package

__all__ = ["SPEC_EDITION", "__version__", *_HOME]
