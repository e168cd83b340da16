"""Symbolic dimensions: the normal form, the normative equality ``sh/equal``, bounds, substitution, values.

Everything here is a function of its arguments alone: no prover, no clock, no state. Spec: ``spec/06-shapes.md``.
"""

from refrelax.semantics.dims.equal import at_least, bounds, equal
from refrelax.semantics.dims.exact import float_value, value
from refrelax.semantics.dims.facts import NO_FACTS, Bound, Facts, shape_facts
from refrelax.semantics.dims.floats import Symbols
from refrelax.semantics.dims.simplify import simplify
from refrelax.semantics.dims.substitute import substitute

__all__ = [
    "NO_FACTS", "Bound", "Facts", "Symbols",
    "at_least", "bounds", "equal", "float_value", "shape_facts", "simplify", "substitute", "value",
]  # fmt: skip
