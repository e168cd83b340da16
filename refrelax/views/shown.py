"""Values as they are shown: dtype, shape and a few elements, each a number, a set, or without meaning and why.

An element is a number; ``"nan"``, ``"inf"``, ``"-inf"``; under a reading of sets ``[low, high]``, then ``"nan"`` and
``{"poison": rule}`` if they are in it; a text under one of terms; ``{"poison": rule, "why": note}``;
``{"partial": op}`` of a reduction that still collects; or, of a vector, ``{"lanes": […]}``.
"""

from __future__ import annotations

from typing import Any

from refrelax.semantics.numbers.enclosure import enclose
from refrelax.semantics.numbers.interface import Numerics, Payload
from refrelax.semantics.numbers.intervals import Interval
from refrelax.semantics.numbers.intsets import Ints, TruthSet
from refrelax.semantics.numbers.partial import Partial
from refrelax.semantics.numbers.poison import NotedPoison, Poison
from refrelax.semantics.numbers.truth import Truth
from refrelax.semantics.values import Closure, DType, Opaque, Prim, Shape, TensorValue
from refrelax.syntax import bits, dtypes

ELEMENTS = 64
"""How many elements of a tensor are shown."""

TEXT = 1000
"""How many characters of a string are shown."""


def shown(value: Any, elements: int = ELEMENTS) -> Any:
    """A run-time value as JSON."""
    match value:
        case TensorValue():
            return tensor(value, elements)
        case tuple():
            return {"tuple": [shown(each, elements) for each in value]}
        case Shape(dims=dims):
            return {"extents": list(dims)}
        case Prim(dtype=dtype, value=number):
            return {"dtype": dtype, "value": bits.json_number(number)}
        case DType(name=name):
            return {"is": name}
        case Closure():
            return {"is": "a function"}
        case Opaque():
            inside = value.value
            nbytes = getattr(inside, "nbytes", None)
            return {"is": "an object"} if nbytes is None else {"storage": inside.name, "bytes": nbytes}
        case None:
            return {"is": "nothing"}
        case str():
            return {"string": value} if len(value) <= TEXT else {"string": value[:TEXT], "more": len(value) - TEXT}
        case _:
            return {"is": str(value)[:80]}


def tensor(value: TensorValue, elements: int = ELEMENTS) -> dict[str, Any]:
    """A tensor with its first elements, in row-major order; ``more`` says how many are not shown."""
    payloads = value.payloads() if value.size <= elements else _first(value, elements)
    found: dict[str, Any] = {
        "dtype": value.dtype, "shape": list(value.shape),
        "data": [element(each, value.dtype, value.numerics) for each in payloads],
    }  # fmt: skip
    return found if value.size <= elements else {**found, "more": value.size - elements}


def _first(value: TensorValue, count: int) -> list[Payload]:
    cells = value.storage.plane(value.dtype, value.numerics)
    settle = value.numerics.at(value.dtype).settle
    return [settle(cells[position]) for position, _ in zip(value.positions(), range(count))]


def element(payload: Payload, dtype: str, numerics: Numerics) -> Any:
    """One element."""
    match payload:
        case tuple():
            return {"lanes": [element(each, dtypes.element(dtype), numerics) for each in payload]}
        case Partial(op=op, settled=settled):
            return {"partial": op} if settled is None else element(settled, dtype, numerics)
        case NotedPoison(rule=rule, note=note):
            return {"poison": rule, "why": note}
        case Poison(rule=rule):
            return {"poison": rule}
        case bool() | int() | float():
            return bits.json_number(payload)
        case Truth():
            return bool(payload.number)
        case Interval() | Ints() | TruthSet():
            return _set(enclose(payload, dtype))
        case _ if numerics.exact_bits:
            return bits.json_number(bits.decode(dtype, numerics.at(dtype).to_bits(payload)))
        case _:
            return str(payload)[:200]


def _set(held: Interval | Ints | TruthSet) -> Any:
    """A set: its ends, then what else is in it. One member stands alone."""
    ends: list[Any]
    match held:
        case TruthSet():
            ends = [each for each in (False, True) if (held.true if each else held.false)]
            ends = [ends[0], ends[-1]] if ends else []
        case Interval(empty=True):
            ends = []
        case _:
            ends = [bits.json_number(held.lo), bits.json_number(held.hi)]
    more: list[Any] = ["nan"] if isinstance(held, Interval) and held.nan else []
    more += [{"poison": held.rule}] if held.rule is not None else []
    if not ends:
        return more[0] if len(more) == 1 else more
    return ends[0] if isinstance(held, TruthSet) and ends[0] == ends[1] and not more else [*ends, *more]


def nbytes(value: TensorValue) -> int:
    """Bytes that the elements of a tensor take."""
    return value.size * dtypes.itemsize(value.dtype)
