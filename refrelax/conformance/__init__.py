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
"""

from refrelax.conformance.cases import Case, load, load_examples, load_named_examples
from refrelax.conformance.judged import Judged, judge_case, judge_cases
from refrelax.conformance.run import Result, run_case, run_cases
from refrelax.judge.implementation import Implementation, ImplementationFailed

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
