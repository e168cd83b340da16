"""Arguments and values of cases, between TOML/JSON and what ``rr.run`` takes and gives."""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import Any

from refrelax.running.arrays import Tensor, pack
from refrelax.semantics.values import DType, Prim, Shape
from refrelax.syntax.bits import decode, encode, pattern
from refrelax.syntax.dtypes import kind
from refrelax.syntax.module import ConstantArray

POISON = "poison"


def to_value(spec: Any) -> Any:
    """The argument of ``rr.run`` that ``spec`` stands for; numbers and strings pass unchanged."""
    match spec:
        case {"dtype": str(dtype), "shape": shape, "data": data}:
            return Tensor.of(ConstantArray(dtype, tuple(shape), pack(dtype, _patterns(dtype, data))))
        case {"dtype": str(dtype), "value": value}:
            return Prim(dtype, number(value))
        case {"dtype": str(dtype)}:
            return DType(dtype)
        case {"shape": shape}:
            return Shape(tuple(shape))
        case list() | tuple():
            return tuple(to_value(each) for each in spec)
        case _:
            return spec


def of_value(value: Any) -> Any:
    """What a case says for a value of a run: ``to_value`` backwards; ``{"opaque": …}`` for what no case can say."""
    match value:
        case Tensor():
            data = [POISON if b is None else decode(value.dtype, b) for b in value.patterns()]
            return {"dtype": value.dtype, "shape": list(value.shape), "data": data}
        case Prim(dtype, number_):
            return {"dtype": dtype, "value": number_}
        case DType(name):
            return {"dtype": name}
        case Shape(dims):
            return {"shape": list(dims)}
        case tuple():
            return [of_value(each) for each in value]
        case None | bool() | int() | float() | str():
            return value
        case _:
            return {"opaque": type(value).__name__}


def _patterns(dtype: str, data: Any) -> list[int]:
    return [pattern(dtype, number(each)) for each in flat(data)]


def number(spec: Any) -> int | float:
    """A number of a case: as it is, or spelt ``"nan"``, ``"inf"``, ``"-inf"``, or as hexadecimal float."""
    if isinstance(spec, str):
        return float.fromhex(spec) if "0x" in spec else float(spec)
    if isinstance(spec, bool):
        return int(spec)
    assert isinstance(spec, int | float), spec
    return spec


def flat(data: Any) -> Iterator[Any]:
    """The leaves of nested lists, in order."""
    if isinstance(data, list | tuple):
        for each in data:
            yield from flat(each)
    else:
        yield data


def difference(spec: Any, value: Any, path: str = "value") -> str | None:
    """Where ``value`` is not what ``spec`` says, in words; ``None`` if it is. Bit for bit, any NaN for a NaN."""
    match spec:
        case {"dtype": str(dtype), "shape": shape, "data": data}:
            return _tensor_difference(dtype, tuple(shape), list(flat(data)), value, path)
        case {"dtype": str(dtype), "value": expected}:
            same = isinstance(value, int | float) and _same(dtype, number(expected), value)
            return None if same else f"{path}: expected {expected} of {dtype}, found {value!r}"
        case {"dtype": str(dtype)}:
            return None if value == DType(dtype) else f"{path}: expected the dtype {dtype}, found {value!r}"
        case {"shape": shape}:
            same = isinstance(value, Shape) and value.dims == tuple(shape)
            return None if same else f"{path}: expected the shape {shape}, found {value!r}"
        case list() | tuple():
            return _tuple_difference(spec, value, path)
        case bool() | int() | float() if isinstance(value, Tensor):
            return _tensor_difference(value.dtype, (), [spec], value, path)
        case _:
            return None if spec == value else f"{path}: expected {spec!r}, found {value!r}"


def _tuple_difference(spec: Any, value: Any, path: str) -> str | None:
    if not isinstance(value, tuple) or len(value) != len(spec):
        return f"{path}: expected a tuple of {len(spec)}, found {value!r}"
    parts = (difference(s, v, f"{path}[{k}]") for k, (s, v) in enumerate(zip(spec, value, strict=True)))
    return next((each for each in parts if each is not None), None)


def _tensor_difference(dtype: str, shape: tuple[int, ...], data: list[Any], value: Any, path: str) -> str | None:
    if not isinstance(value, Tensor):
        return f"{path}: expected a tensor, found {value!r}"
    if value.dtype != dtype or value.shape != shape:
        return f"{path}: expected {dtype}{list(shape)}, found {value.dtype}{list(value.shape)}"
    found = [POISON if b is None else decode(dtype, b) for b in value.patterns()]
    if len(found) != len(data):
        return f"{path}: the case gives {len(data)} elements for {len(found)}"
    for index, want, got in zip(value.core.indices(), data, found, strict=True):
        poisoned = POISON in (want, got)
        if not (want == got if poisoned else _same(dtype, number(want), number(got))):
            return f"{path}{list(index)}: expected {want}, found {got}"
    return None


def _same(dtype: str, want: int | float, got: int | float) -> bool:
    if kind(dtype) == "float":
        expected = decode(dtype, encode(dtype, want))
        if math.isnan(expected) or math.isnan(got):
            return math.isnan(expected) and math.isnan(got)
        return encode(dtype, want) == encode(dtype, got)
    return int(want) == int(got)
