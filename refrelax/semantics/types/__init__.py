"""The checker: the lattice of types, erasure, well-formedness, deduction. ``check(module)`` is the way in.

Spec: ``spec/04-well-formedness.md``, ``spec/05-types.md``.
"""

from refrelax.semantics.types.check import check
from refrelax.semantics.types.checked import CheckedModule, EntryCheck, Inference, OpenEquality, Promise

__all__ = ["CheckedModule", "EntryCheck", "Inference", "OpenEquality", "Promise", "check"]
