"""Arguments as JSON, for the memory of a campaign."""

from __future__ import annotations

import base64
from typing import Any

from refrelax.running.arrays import Tensor
from refrelax.semantics.values import Prim, Shape
from refrelax.syntax.module import ConstantArray


def to_json(value: Any) -> Any:
    """An argument; ``of_json`` gives it back."""
    match value:
        case ConstantArray():
            return {"tensor": [value.dtype, list(value.shape), base64.b64encode(value.data).decode()]}
        case Tensor():
            return to_json(ConstantArray(value.dtype, value.shape, value.tobytes()))
        case Shape(dims):
            return {"shape": list(dims)}
        case Prim(dtype, number):
            return {"prim": [dtype, to_json(number)]}
        case tuple() | list():
            return {"tuple": [to_json(each) for each in value]}
        case float():
            return {"float": value.hex()}
        case None | bool() | int() | str():
            return value
        case _:
            raise TypeError(f"a {type(value).__name__} is no argument that could be kept")


def of_json(data: Any) -> Any:
    """See ``to_json``."""
    match data:
        case {"tensor": [dtype, shape, text]}:
            return Tensor.of(ConstantArray(dtype, tuple(shape), base64.b64decode(text)))
        case {"shape": dims}:
            return Shape(tuple(dims))
        case {"prim": [dtype, number]}:
            return Prim(dtype, of_json(number))
        case {"tuple": items}:
            return tuple(of_json(each) for each in items)
        case {"float": text}:
            return float.fromhex(text)
        case _:
            return data
