"""The calculus in which the values of operators are written: one text, read in every way.

``calculus`` says what a text may use, ``numbers`` runs it under a reading of elements. A text is a value rule through
``value_rule``.

Spec: ``spec/02-values.md``; why: ``docs/decisions.md``, *One text an operator*.
"""

from refrelax.semantics.ops.meaning.calculus import ALL, Array, Index, Meaning, Run, Text, cast, lines, mean, moments
from refrelax.semantics.ops.meaning.numbers import value_rule

__all__ = ["ALL", "Array", "Index", "Meaning", "Run", "Text", "cast", "lines", "mean", "moments", "value_rule"]
