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

from refrelax.extras import optional
from refrelax.version import SPEC_EDITION, __version__

if TYPE_CHECKING:  # what type checkers read: the same names as in _HOME, from the same places
    from refrelax import conformance as conformance
    from refrelax import interop as interop
    from refrelax import testing as testing
    from refrelax.api import bind_constants as bind_constants
    from refrelax.api import check as check
    from refrelax.api import parse as parse
    from refrelax.api import print_module as print_module
    from refrelax.api import run as run
    from refrelax.api import structural_equal as structural_equal
    from refrelax.backends import compile as compile
    from refrelax.errors import Diagnostic as Diagnostic
    from refrelax.errors import Effect as Effect
    from refrelax.errors import Exhausted as Exhausted
    from refrelax.errors import IllFormed as IllFormed
    from refrelax.errors import IllTyped as IllTyped
    from refrelax.errors import InternalError as InternalError
    from refrelax.errors import Malformed as Malformed
    from refrelax.errors import Rejection as Rejection
    from refrelax.errors import Returned as Returned
    from refrelax.errors import RunError as RunError
    from refrelax.errors import Span as Span
    from refrelax.errors import Trapped as Trapped
    from refrelax.errors import Unlinkable as Unlinkable
    from refrelax.errors import Unspecified as Unspecified
    from refrelax.errors import UsageError as UsageError
    from refrelax.interop.names import bisect as bisect
    from refrelax.interop.names import diff as diff
    from refrelax.interop.names import validate_pipeline as validate_pipeline
    from refrelax.judge import Agreement as Agreement
    from refrelax.judge import Counterexample as Counterexample
    from refrelax.judge import Divergence as Divergence
    from refrelax.judge import Equivalent as Equivalent
    from refrelax.judge import NoVerdict as NoVerdict
    from refrelax.judge import Open as Open
    from refrelax.judge import ProvedAt as ProvedAt
    from refrelax.judge import Report as Report
    from refrelax.judge import Tested as Tested
    from refrelax.judge import WrongPass as WrongPass
    from refrelax.judge import validate as validate
    from refrelax.lower import lower as lower
    from refrelax.running.arrays import Tensor as Tensor
    from refrelax.running.trace import Event as Event
    from refrelax.running.trace import Tracer as Tracer
    from refrelax.running.trace import trace as trace
    from refrelax.running.workers import run_workers as run_workers
    from refrelax.semantics.budget import Budget as Budget
    from refrelax.semantics.numbers.verdicts import Inside as Inside
    from refrelax.semantics.numbers.verdicts import Outside as Outside
    from refrelax.semantics.numbers.verdicts import Undecided as Undecided
    from refrelax.semantics.types.checked import CheckedModule as CheckedModule
    from refrelax.semantics.values import Closure as Closure
    from refrelax.semantics.values import DType as DType
    from refrelax.semantics.values import Opaque as Opaque
    from refrelax.semantics.values import Prim as Prim
    from refrelax.semantics.values import Shape as Shape
    from refrelax.shape_solver import Proved as Proved
    from refrelax.shape_solver import Refuted as Refuted
    from refrelax.shape_solver import Remark as Remark
    from refrelax.shape_solver import Unknown as Unknown
    from refrelax.shape_solver import bounds as bounds
    from refrelax.shape_solver import disjoint as disjoint
    from refrelax.shape_solver import injective as injective
    from refrelax.shape_solver import prove as prove
    from refrelax.shape_solver import remarks as remarks
    from refrelax.shape_solver import simplify as simplify
    from refrelax.syntax.json_ import from_json as from_json
    from refrelax.syntax.json_ import to_json as to_json
    from refrelax.syntax.module import Module as Module

_NAMES: dict[str, str] = {
    "api": "bind_constants check parse print_module run structural_equal",
    "backends": "compile",
    "errors": (
        "Diagnostic Effect Exhausted IllFormed IllTyped InternalError Malformed Rejection Returned RunError Span "
        "Trapped Unlinkable Unspecified UsageError"
    ),
    "interop.names": "bisect diff validate_pipeline",
    "judge": (
        "Agreement Counterexample Divergence Equivalent NoVerdict Open ProvedAt Report Tested WrongPass validate"
    ),
    "lower": "lower",
    "running.arrays": "Tensor",
    "running.trace": "Event Tracer trace",
    "running.workers": "run_workers",
    "semantics.budget": "Budget",
    "semantics.numbers.verdicts": "Inside Outside Undecided",
    "semantics.types.checked": "CheckedModule",
    "semantics.values": "Closure DType Opaque Prim Shape",
    "shape_solver": "Proved Refuted Remark Unknown bounds disjoint injective prove remarks simplify",
    "syntax.json_": "from_json to_json",
    "syntax.module": "Module",
}

_HOME: dict[str, str] = {name: f"refrelax.{home}" for home, names in _NAMES.items() for name in names.split()}
"""Where each public name lives."""

_ROOMS = ("conformance", "interop", "testing")


def __getattr__(name: str) -> Any:
    if name in _HOME or name in _ROOMS:
        with optional(f"refrelax.{name}"):
            return getattr(import_module(_HOME[name]), name) if name in _HOME else import_module(f"refrelax.{name}")
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
