"""Reading the attributes of a call.

Attributes are syntax (``AttrValue``): an axis list is an ``AttrList``, a float a ``Literal("float64", bits)``, an
absent optional ``None``. What knows these spellings stands here, so that a change of representation is one edit.

Raises: every accessor raises ``InternalError`` for a value that the reader should have refused.
"""

from __future__ import annotations

from typing import Any

from refrelax.errors import InternalError
from refrelax.syntax import dtypes
from refrelax.syntax.bits import literal_value
from refrelax.syntax.graph import AttrList, Call, DataTypeValue, PrimValue, StringValue
from refrelax.syntax.scalars import Literal
from refrelax.syntax.types import PrimType

_MISSING = object()


def _raw(call: Call, name: str, default: object = _MISSING) -> Any:
    for key, value in call.attrs:
        if key == name:
            return value.value if isinstance(value, PrimValue | StringValue) else value
    if default is _MISSING:
        raise InternalError(f"{call.op.name} without its attribute {name}")
    return default


def _number(call: Call, name: str, value: Any) -> int | float:
    if isinstance(value, PrimValue):
        value = value.value
    if isinstance(value, Literal):
        return literal_value(value)
    if isinstance(value, bool | int | float):
        return value
    raise InternalError(f"{call.op.name}: attribute {name} is {value!r}, not a number")


def optional_integer(call: Call, name: str, default: Any = _MISSING) -> int | None:
    """An integer attribute, or ``None``."""
    value = _raw(call, name, default)
    return None if value is None else int(_number(call, name, value))


def integer(call: Call, name: str, default: Any = _MISSING) -> int:
    """An integer attribute."""
    return int(_number(call, name, _raw(call, name, default)))


def flag(call: Call, name: str, default: Any = _MISSING) -> bool:
    """A bool attribute."""
    return bool(_number(call, name, _raw(call, name, default)))


def optional_real(call: Call, name: str, default: Any = _MISSING) -> float | None:
    """A float attribute as the Python float it is, or ``None``."""
    value = _raw(call, name, default)
    return None if value is None else float(_number(call, name, value))


def real(call: Call, name: str, default: Any = _MISSING) -> float:
    """A float attribute as the Python float it is."""
    return float(_number(call, name, _raw(call, name, default)))


def integers(call: Call, name: str, default: Any = _MISSING) -> list[int] | None:
    """A list of integers, ``None`` when absent. One integer stands for a list of one."""
    value = _raw(call, name, default)
    if value is None:
        return None
    items = value.items if isinstance(value, AttrList) else (value if isinstance(value, tuple | list) else (value,))
    return [int(_number(call, name, each)) for each in items]


def int_list(call: Call, name: str, default: Any = _MISSING) -> list[int]:
    """A list of integers that must be there."""
    value = integers(call, name, default)
    if value is None:
        raise InternalError(f"{call.op.name} without its attribute {name}")
    return value


def reals(call: Call, name: str, default: Any = _MISSING) -> list[float]:
    """A list of floats."""
    value = _raw(call, name, default)
    items = value.items if isinstance(value, AttrList) else (value if isinstance(value, tuple | list) else (value,))
    return [float(_number(call, name, each)) for each in items]


def is_list(call: Call, name: str) -> bool:
    """Whether the attribute was given as a list (``split`` distinguishes ``3`` from ``[3]``)."""
    return isinstance(_raw(call, name), AttrList | tuple | list)


def text(call: Call, name: str, default: Any = _MISSING) -> str:
    """A string attribute; absent is the empty string."""
    value = _raw(call, name, default)
    return "" if value is None else str(value)


def dtype(call: Call, name: str = "dtype", default: Any = _MISSING) -> str | None:
    """A dtype attribute; ``None``, ``"void"`` and the empty string mean: not given."""
    value = _raw(call, name, default)
    match value:
        case None | "" | "void":
            return None
        case DataTypeValue() | PrimType():
            return value.dtype
        case str() if dtypes.is_dtype(value):
            return value
        case _:
            raise InternalError(f"{call.op.name}: attribute {name} is {value!r}, not a dtype")


def value(call: Call, name: str, default: Any = None) -> Any:
    """The attribute as it stands in the syntax."""
    return _raw(call, name, default)
