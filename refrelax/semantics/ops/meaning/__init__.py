"""The calculus in which the values of operators are written: one text, read in every way.

``calculus`` says what a text may use. Two readers: ``numbers`` runs it under a reading of elements, ``terms`` writes it
down as ``data`` (which ``evaluate`` runs, for the law that both are the same). An operator is made of its text by
``defined``.

Spec: ``spec/02-values.md``; why: ``docs/decisions.md``, *One text an operator*.
"""

from refrelax.semantics.ops.meaning.calculus import (
    ALL,
    Array,
    Extents,
    Family,
    Hits,
    Index,
    Meaning,
    Run,
    Scalar,
    Text,
    agree,
    cast,
    is_scalar,
    lines,
    literal,
    mean,
    moments,
    replaced,
)
from refrelax.semantics.ops.meaning.numbers import defined, value_rule

__all__ = [
    "ALL", "Array", "Extents", "Family", "Hits", "Index", "Meaning", "Run", "Scalar", "Text", "agree", "cast",
    "defined", "is_scalar", "lines", "literal", "mean", "moments", "replaced", "value_rule",
]  # fmt: skip
