"""The suite as a product: cases as data, a runner for anybody's implementation, and the tie between spec, code and
cases.

====================  ======================================================================
``cases``             what stands in ``cases/*.toml`` and in the examples of the spec
``run``               one case against the definition
``judged``            one case on an ``Implementation``
``fired``             which rules a run went through, observed from outside
``spec_text``         the paragraphs of the spec that define rules
``citations``         where the code names them
``tie``               all of these compared: ``refrelax rules check``
``explain``           everything on one rule
====================  ======================================================================

What is public is imported from its file on first use, so that who reads the text alone does not wait for the rest.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from refrelax.conformance.cases import Case, load, load_examples, load_named_examples
    from refrelax.conformance.judged import Judged, judge_case, judge_cases
    from refrelax.conformance.run import Result, run_case, run_cases
    from refrelax.judge.implementation import Implementation, ImplementationFailed

_NAMES: dict[str, str] = {
    "conformance.cases": "Case load load_examples load_named_examples",
    "conformance.judged": "Judged judge_case judge_cases",
    "conformance.run": "Result run_case run_cases",
    "judge.implementation": "Implementation ImplementationFailed",
}

_HOME: dict[str, str] = {name: f"refrelax.{home}" for home, names in _NAMES.items() for name in names.split()}
"""Where each public name lives."""


def __getattr__(name: str) -> Any:
    if name in _HOME:
        return getattr(import_module(_HOME[name]), name)
    raise AttributeError(f"module 'refrelax.conformance' has no attribute {name!r}")


__all__ = [
    "Case",
    "Implementation",
    "ImplementationFailed",
    "Judged",
    "Result",
    "judge_case",
    "judge_cases",
    "load",
    "load_examples",
    "load_named_examples",
    "run_case",
    "run_cases",
]
