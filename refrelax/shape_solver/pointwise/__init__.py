"""Pointwise equality of loop programs, for all shapes and values.

``read`` turns a PrimFunc into element terms, ``Descent.tensors`` compares two tensors by congruence; ``Logic`` holds
the claims that the proof rests on. ``refrelax.judge.pointwise`` composes the calls of a module's functions.

Spec: ``spec/06c-pointwise.md``, Pointwise equality.
"""

from refrelax.shape_solver.pointwise.descent import Descent
from refrelax.shape_solver.pointwise.elements import NotRead
from refrelax.shape_solver.pointwise.extract import Definedness, read
from refrelax.shape_solver.pointwise.logic import Claim, Logic
from refrelax.shape_solver.pointwise.terms import OPEN, TensorTerm, Term, Terms

__all__ = ["OPEN", "Claim", "Descent", "Logic", "NotRead", "Definedness", "TensorTerm", "Term", "Terms", "read"]
