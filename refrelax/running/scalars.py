"""Python numbers as scalars of a dtype: what a scalar parameter takes."""

from __future__ import annotations

from collections.abc import Sequence
from math import isfinite, isnan
from numbers import Rational
from typing import Any

from refrelax.errors import UsageError
from refrelax.semantics.values import Prim
from refrelax.syntax import bits, dtypes


def scalar(dtype: str, value: bool | int | float) -> bool | int | float:
    """A Python number as the one of ``dtype`` that it stands for: floats round to nearest even, as literals do.

    Raises:
        UsageError: an integer dtype has no such number, or a float dtype none near it (``2**63`` of ``int64``,
            ``1e300`` of ``float32``, a NaN of a format without).
    """
    match dtypes.kind(dtype):
        case "bool":
            return bool(value)
        case "int" | "uint" if _whole(value):
            found = bits.decode(dtype, bits.encode(dtype, value))
            if found == value:
                return found
        case "float":
            found = bits.decode(dtype, bits.encode(dtype, value))
            if _near(dtype, found, value):
                return found
        case _:
            pass
    raise UsageError(f"expected a {dtype}, found the number {_short(value)}, which is none")


def stated(value: Prim) -> Prim:
    """A scalar that says its dtype, its number one of that dtype; of a reading's own kinds of numbers as it is.

    Raises:
        UsageError: as ``scalar``.
    """
    return Prim(value.dtype, scalar(value.dtype, value.value)) if isinstance(value.value, int | float) else value


def extents(values: Sequence[Any]) -> tuple[int, ...]:
    """The extents of a shape.

    Raises:
        UsageError: one is no whole number, or none of int64.
    """
    return tuple(int(scalar("int64", _plain(each, "a shape"))) for each in values)


def element(value: Any) -> Any:
    """An element of a nested list as a Python number. NumPy's and others' scalars give theirs.

    Raises:
        UsageError: it is no number.
    """
    return _plain(value, "a nested list")


def _plain(value: Any, where: str) -> Any:
    found = value.item() if getattr(value, "shape", None) == () and hasattr(value, "item") else value
    if not isinstance(found, int | float | Rational):
        raise UsageError(f"expected numbers in {where}, found a {type(value).__name__}")
    return found


def _whole(value: bool | int | float) -> bool:
    return isinstance(value, int) or (isfinite(value) and value == int(value))


def _near(dtype: str, found: int | float, value: bool | int | float) -> bool:
    """Whether a float is the value rounded, and no infinity, NaN or greatest number in its place."""
    if isinstance(value, float) and not isfinite(value):
        return isnan(found) if isnan(value) else found == value
    if not isfinite(found):
        return False
    saturates, signed = bits.FORMATS[dtype].specials == "none", bits.FORMATS[dtype].signed
    return (not saturates or abs(value) <= bits.largest_finite(dtype)) and (signed or value > 0)


def _short(value: bool | int | float) -> str:
    if isinstance(value, int) and value.bit_length() > 128:
        return f"{'-' if value < 0 else ''}2**{value.bit_length() - 1} or more"
    return str(value)
