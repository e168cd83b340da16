"""``--arg NAME=JSON``: arguments by the names of the parameters, read by their types."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any

from refrelax.errors import UsageError
from refrelax.running.arrays import Tensor
from refrelax.semantics.values import Shape
from refrelax.syntax.types import DTensorType, PrimType, ShapeType, TensorType, TupleType, Type


def values(items: Sequence[str], types: Mapping[str, Type]) -> dict[str, Any]:
    """``x=[[1,2],[3,4]]`` for each parameter that is given so.

    Raises:
        UsageError: no such parameter, no JSON, or a value that the type of the parameter cannot take.
    """
    found: dict[str, Any] = {}
    for item in items:
        name, equals, text = item.partition("=")
        if not equals:
            raise UsageError(f"--arg: expected NAME=JSON, found {item!r}")
        if name not in types:
            raise UsageError(f"--arg: there is no parameter {name!r}; there are {', '.join(types) or 'none'}")
        if name in found:
            raise UsageError(f"--arg: {name} is given twice")
        try:
            found[name] = _value(json.loads(text), types[name])
        except (ValueError, TypeError, AssertionError, OverflowError, RecursionError) as error:
            raise UsageError(f"--arg {name}: {_said(error)}") from None
    return found


def _said(error: Exception) -> str:
    if isinstance(error, json.JSONDecodeError):
        return f"expected JSON: {error}"
    return "nested too deeply" if isinstance(error, RecursionError) else str(error)[:200]


def _value(data: Any, type_: Type) -> Any:
    from refrelax.conformance.data import number, to_value

    match data, type_:
        case dict(), _:
            if not data.keys() <= {"dtype", "shape", "data", "value"}:
                raise ValueError(f"expected the keys dtype, shape, data, value, found {', '.join(data)}")
            return to_value(data)
        case _, DTensorType(tensor=tensor):
            return _value(data, tensor)
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
            return tuple(map(_value, data, fields))
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
    from refrelax.conformance.data import number

    if isinstance(data, list):
        return [_numbers(each) for each in data]
    return data if isinstance(data, bool) else number(data)


def extents(values: Mapping[str, Any], types: Mapping[str, Type], dims: Mapping[str, int]) -> dict[str, int]:
    """``dims`` with the symbols that ``values`` settle, so that ``--random`` makes the other arguments to fit.

    Raises:
        UsageError: two extents for one symbol.
    """
    from refrelax.testing.arguments import settled

    found, by = dict(dims), dict.fromkeys(dims, "--dim")
    for name, value in values.items():
        for symbol, extent in settled(name, types[name], value):
            if found.get(symbol, extent) != extent:
                raise UsageError(f"{symbol} is {found[symbol]} by {by[symbol]} and {extent} by --arg {name}")
            found[symbol], by[symbol] = extent, f"--arg {name}"
    return found
