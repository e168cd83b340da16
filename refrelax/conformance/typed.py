"""JSON as the value of a type: nested lists are tensors or tuples, as the type of the parameter says."""

from __future__ import annotations

import json
from typing import Any

from refrelax.conformance.data import number, to_value
from refrelax.running.arrays import Tensor
from refrelax.semantics.values import Shape
from refrelax.syntax.types import DTensorType, PrimType, ShapeType, TensorType, TupleType, Type


def read(data: Any, type_: Type) -> Any:
    """The argument of ``rr.run`` that JSON stands for where a value of a type is expected.

    Raises:
        ValueError: the type has no such value; so do TypeError, AssertionError, OverflowError and RecursionError.
    """
    match data, type_:
        case dict(), _:
            if not data.keys() <= {"dtype", "shape", "data", "value"}:
                raise ValueError(f"expected the keys dtype, shape, data, value, found {', '.join(data)}")
            return to_value(data)
        case _, DTensorType(tensor=tensor):
            return read(data, tensor)
        case ((list() | int() | float()), TensorType(dtype=dtype)):
            return Tensor.of(_numbers(data), dtype or None)
        case ((int() | float() | str()), PrimType(dtype=dtype)):
            made = number(data)
            Tensor.of(made, dtype)  # refuses what the dtype cannot hold
            return bool(data) if dtype == "bool" else made
        case list(), ShapeType():
            if not all(type(each) is int for each in data):
                raise ValueError("a shape is a list of integers")
            return Shape(tuple(data))
        case list(), TupleType(fields=fields):
            if len(data) != len(fields):
                raise ValueError(f"expected {len(fields)} fields, found {len(data)}")
            return tuple(map(read, data, fields))
        case ((TensorType() | PrimType() | ShapeType() | TupleType()), _):
            raise AssertionError(type_)
        case _, (TensorType() | PrimType() | ShapeType() | TupleType()):
            raise ValueError(f"expected a value of {type_}, found {json.dumps(data)[:80]}")
        case list(), _:
            return Tensor.of(_numbers(data))
        case _:
            return data


def _numbers(data: Any) -> Any:
    """Nested lists with ``"nan"``, ``"inf"`` and hexadecimal floats as numbers."""
    if isinstance(data, list):
        return [_numbers(each) for each in data]
    return data if isinstance(data, bool) else number(data)
