"""Values as bits, and permitted sets of values, in JSON.

A tensor is ``{"dtype", "shape", "bits", "data"}``, its elements in row-major order as ``"0x3f800000"`` and, for
people, as numbers. Whoever answers gives one of the two: a number is rounded to the dtype once. In a *permitted*
tensor an element may also be a set: ``{"low", "high"}`` (numbers between two, both included, by value), ``{"values"}``
(one of these), each with ``"nan": true`` if a NaN is permitted as well and ``"open": rule`` if whatever is given there
is; null stands for a tensor with no such set, which is told already (``brief``).

Spec: ``spec/01-conformance.md``.
"""

from __future__ import annotations

import re
from typing import Any

from refrelax.conformance.data import flat
from refrelax.errors import UsageError
from refrelax.running.arrays import Tensor
from refrelax.semantics.numbers import reading
from refrelax.semantics.numbers.enclosure import enclose, enclosure
from refrelax.semantics.numbers.interface import Payload
from refrelax.semantics.numbers.intervals import INF, Interval, narrow
from refrelax.semantics.numbers.intsets import Ints, TruthSet, some, truths
from refrelax.semantics.numbers.poison import poison
from refrelax.semantics.values import DType, Prim, Shape, TensorValue, from_payloads
from refrelax.syntax import dtypes
from refrelax.syntax.bits import decode, encode, has_number, json_number, nan_bits

OPEN = "va/refinement"
"""What an element without meaning is marked by where no rule is told."""


class Foreign:
    """A function or a foreign object, of which nothing is compared."""


def to_json(value: Any) -> Any:
    """A surface value of a run: numbers as they are, tensors as bits. An element without meaning is null."""
    match value:
        case Tensor():
            bits = [None if b is None else hex(b) for b in value.patterns()]
            data = [None if b is None else json_number(decode(value.dtype, b)) for b in value.patterns()]
            return {"dtype": value.dtype, "shape": list(value.shape), "bits": bits, "data": data}
        case Prim(dtype=dtype, value=number):
            return {"dtype": dtype, "value": hex(encode(dtype, number))}
        case DType(name=name):
            return {"dtype": name}
        case Shape(dims=dims):
            return {"shape": list(dims)}
        case tuple():
            return [to_json(each) for each in value]
        case None | bool() | int() | str():
            return value
        case float():
            return {"dtype": "float64", "value": hex(encode("float64", value))}
        case TensorValue():
            return to_json(Tensor(value))  # what is printed comes as the run has it
        case _:
            return {"opaque": type(value).__name__}


BARE = ("int64", "bool")
"""The dtypes of scalars that are told as a bare number or truth."""


def told(value: Any) -> Any:
    """What a run gives, each scalar with its dtype but for those that a bare number or truth is of."""
    match value:
        case Prim(dtype=dtype, value=number) if dtype in BARE:
            return number
        case tuple():
            return [told(each) for each in value]
        case _:
            return to_json(value)


def from_json(spec: Any) -> Any:
    """``to_json`` backwards: what ``rr.run`` takes.

    Raises:
        UsageError: it is no value.
    """
    match spec:
        case {"dtype": str(dtype), "shape": list(shape), "bits": list(bits)}:
            return Tensor(from_payloads(reading("ieee"), _dtype(dtype), _shape(shape, len(bits)), _cells(dtype, bits)))
        case {"dtype": str(dtype), "shape": list(shape), "data": list(given)}:
            numbers = list(flat(given))
            cells = _cells(_dtype(dtype), [None if each is None else _encoded(dtype, each) for each in numbers])
            return Tensor(from_payloads(reading("ieee"), dtype, _shape(shape, len(numbers)), cells))
        case {"dtype": str(dtype), "value": value}:
            return Prim(_dtype(dtype), decode(dtype, _bits(value, dtype)))
        case {"dtype": str(dtype), **rest} if not rest:
            return DType(dtype)
        case {"shape": list(shape), **rest} if not rest:
            return Shape(_dims(shape))
        case list():
            return tuple(from_json(each) for each in spec)
        case None | bool() | int() | float() | str():
            return spec
        case {"opaque": str()}:
            return Foreign()
        case _:
            raise UsageError(f"expected a value, found {shown(spec)}")


def rounded(dtype: str, number: int | float) -> dict[str, str]:
    """The prim value of a float dtype that a number stands for.

    Raises:
        UsageError: ``dtype`` has no NaN, and it is one.
    """
    return {"dtype": dtype, "value": _encoded(dtype, number)}


def _encoded(dtype: str, number: Any) -> str:
    floats = dtypes.kind(dtype) == "float"
    if floats and isinstance(number, str) and re.fullmatch("[+-]?(nan|inf|infinity)", number, re.IGNORECASE):
        number = float(number)
    if not isinstance(number, int | float):
        raise UsageError(f"expected a number, found {shown(number)}")
    if not floats:
        low, high = dtypes.integer_range(dtype)
        if not low <= number <= high or number != int(number):
            raise UsageError(f"expected an element of {dtype}, found {shown(number)}")
    if not has_number(dtype, number):
        raise UsageError(f"expected an element of {dtype}, which has no NaN (num/no-nan), found {shown(number)}")
    return hex(encode(dtype, number if floats and not isinstance(number, bool) else int(number)))


def _cells(dtype: str, bits: list[Any]) -> list[Payload]:
    make = reading("ieee").at(dtype).from_bits
    return [poison(OPEN) if each is None else make(_bits(each, dtype)) for each in bits]


def _dtype(name: str) -> str:
    """A dtype of elements.

    Raises:
        UsageError: it is none.
    """
    if (
        not dtypes.is_dtype(name)
        or dtypes.kind(name) not in ("bool", "int", "uint", "float")
        or dtypes.lanes(name) != 1
    ):
        raise UsageError(f"expected a dtype of elements, found {shown(name)}")
    return name


def _dims(shape: list[Any]) -> tuple[int, ...]:
    if not all(type(each) is int for each in shape):
        raise UsageError(f"expected extents, found {shown(shape)}")
    return tuple(shape)


def _shape(shape: list[Any], count: int) -> tuple[int, ...]:
    dims, size = _dims(shape), 0 if 0 in shape else 1
    for each in dims:
        if size > count:
            break  # (and no product of a million extents)
        size *= each
    if any(each < 0 for each in dims) or size != count:
        raise UsageError(f"expected as many elements as the shape {shown(shape)} has, found {count}")
    return dims


BITS = "0x[0-9a-fA-F]+"
"""How a bit pattern is read; it is written without leading zeros and in small letters."""


def _bits(spec: Any, dtype: str) -> int:
    found = int(spec, 16) if isinstance(spec, str) and re.fullmatch(BITS, spec) else -1
    if not 0 <= found < 1 << dtypes.bits(dtype):
        raise UsageError(f'expected a bit pattern of {dtype} such as "0x0", found {shown(spec)}')
    return found


def shown(spec: Any) -> str:
    text = repr(spec)
    return text if len(text) <= 60 else text[:57] + "…"


# --- permitted sets ---------------------------------------------------------------------------------------------------


def permitted_to_json(value: Any) -> Any:
    """A surface value of a run under ``enclosure``: what may be given in each place."""
    match value:
        case TensorValue():
            return permitted_to_json(Tensor(value))
        case Tensor(core=core):
            elements = [_element(payload, core.dtype) for payload in core.payloads()]
            return {"dtype": core.dtype, "shape": list(core.shape), "permitted": elements}
        case tuple():
            return [permitted_to_json(each) for each in value]
        case _:
            return told(value)


def _element(payload: Payload, dtype: str) -> Any:
    held = enclose(payload, dtype)
    match held:
        case Interval(lo=lo, hi=hi, nan=False, rule=None) if lo == hi:
            return hex(encode(dtype, lo))
        case Interval(nan=True, rule=None) if held.empty:
            return hex(nan_bits(dtype) or 0)
        case Interval():
            ends = {} if held.empty else {"low": hex(encode(dtype, held.lo)), "high": hex(encode(dtype, held.hi))}
            found: dict[str, Any] = {**ends, "nan": True} if held.nan else ends
        case Ints() | TruthSet():
            numbers = _members(held)
            if len(numbers) == 1 and held.rule is None:
                return hex(encode(dtype, numbers[0]))
            if isinstance(held, Ints) and held.values is None:
                found = {"low": hex(encode(dtype, held.lo)), "high": hex(encode(dtype, held.hi))} if held.count else {}
            else:
                found = {"values": [hex(encode(dtype, each)) for each in numbers]} if numbers else {}
    return found if held.rule is None else {**found, "open": held.rule}


def _members(held: Ints | TruthSet) -> list[int]:
    if isinstance(held, TruthSet):
        return [each for each, there in ((0, held.false), (1, held.true)) if there]
    return [held.lo] if held.count == 1 else list(held.listed()) if held.values is not None else []


def by_bits(spec: Any) -> Any:
    """A value without the numbers that people read."""
    match spec:
        case {"bits": _, "data": _}:
            return {key: each for key, each in spec.items() if key != "data"}
        case list():
            return [by_bits(each) for each in spec]
        case _:
            return spec


def brief(permitted: Any, own: Any) -> Any:
    """``permitted``, with null for a tensor in whose place nothing may stand but what ``own`` says."""
    match permitted, own:
        case {"permitted": elements}, {"bits": bits} if elements == bits:
            return None
        case list(), list():
            return [brief(p, o) for p, o in zip(permitted, own, strict=True)]
        case _:
            return permitted


def whole(permitted: Any, own: Any) -> Any:
    """``brief`` backwards."""
    match permitted, own:
        case None, {"dtype": _, "shape": _, "bits": _}:
            return {"dtype": own["dtype"], "shape": own["shape"], "permitted": own["bits"]}
        case list(), list() if len(permitted) == len(own):
            return [whole(p, o) for p, o in zip(permitted, own, strict=True)]
        case _:
            return permitted


def permitted_from_json(spec: Any) -> Any:
    """``permitted_to_json`` backwards, as run-time values of the reading ``enclosure``.

    Raises:
        UsageError: it is no such value.
    """
    match spec:
        case {"dtype": str(dtype), "shape": list(shape), "permitted": list(elements)}:
            dims = _shape(shape, len(elements))
            return from_payloads(enclosure(), _dtype(dtype), dims, [_payload(each, dtype) for each in elements])
        case list():
            return tuple(permitted_from_json(each) for each in spec)
        case _:
            found = from_json(spec)
            return found.core if isinstance(found, Tensor) else found


def _payload(spec: Any, dtype: str) -> Payload:
    if isinstance(spec, str):
        return enclosure().at(dtype).from_bits(_bits(spec, dtype))
    rule = spec.get("open")
    ends = [decode(dtype, _bits(spec[key], dtype)) for key in ("low", "high") if key in spec]
    if dtypes.kind(dtype) == "float":
        low, high = ends or (INF, -INF)
        return narrow(Interval(float(low), float(high), bool(spec.get("nan")), rule))
    if ends:
        return Ints(int(ends[0]), int(ends[1]), None, rule)
    values = [int(decode(dtype, _bits(each, dtype))) for each in spec.get("values", ())]
    if dtypes.kind(dtype) == "bool":
        return truths(1 in values, 0 in values, rule)
    return some(values, rule)
