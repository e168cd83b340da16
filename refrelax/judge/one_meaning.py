"""Programs that mean the same in every reading: nothing in them is a float, and their operators compute with integers
alone. What the canonical run of one gives is all that is permitted.

Spec: ``spec/02-values.md``, ``num/accuracy-of-operators``.
"""

from __future__ import annotations

from typing import Any

from refrelax.semantics.graph.link import nodes
from refrelax.semantics.ops import CALL_FORMS, OPERATORS
from refrelax.semantics.types.checked import CheckedModule
from refrelax.syntax import dtypes
from refrelax.syntax.graph import Call, Function, Op
from refrelax.syntax.types import ShapeType, TensorType, TupleType, Type

EXACT_ON_INTEGERS = ("exact", "correctly-rounded", "reduction")
"""Words of accuracy of operators that compute integers of integers by integers alone."""


def one_meaning(checked: CheckedModule) -> bool:
    """Whether every reading runs a module in the same way (``CheckedModule.once``)."""
    functions = checked.module.functions.values()
    if not all(isinstance(each, Function) for each in functions):
        return False
    if not all(_without_floats(each) for types in checked.types.values() for each in types.values()):
        return False
    return all(_computes_integers(node) for each in functions for node in nodes(each))


def _without_floats(type_: Type) -> bool:
    match type_:
        case TensorType(dtype=str() as dtype):
            return _of_integers(dtype)
        case ShapeType():
            return True
        case TupleType(fields=fields):
            return all(map(_without_floats, fields))
        case _:
            return False


def _of_integers(dtype: str) -> bool:
    return dtypes.kind(dtype) in ("int", "uint", "bool")


def _computes_integers(node: Any) -> bool:
    if isinstance(node, Call):
        if not isinstance(node.op, Op) or node.op.name in CALL_FORMS:
            return False
        row = OPERATORS.get(node.op.name)
        return row is not None and row.accuracy.word in EXACT_ON_INTEGERS
    dtype = getattr(node, "dtype", None)
    return not isinstance(dtype, str) or not dtypes.is_dtype(dtype) or _of_integers(dtype)
