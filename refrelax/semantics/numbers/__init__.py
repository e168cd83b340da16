"""Numbers: what one element is and what can be done with it, under five readings.

``interface`` is what operator bodies see; ``reading("ieee")`` and its siblings implement it.
Spec: ``spec/02-values.md``.
"""

from refrelax.semantics.numbers.readings import READINGS, reading

__all__ = ["READINGS", "reading"]
