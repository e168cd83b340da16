"""Dtypes as TVM spells them, and facts about them.

A dtype is a plain string: ``"float32"``, ``"bfloat16"``, ``"int8"``, ``"bool"``, ``"float8_e4m3fn"``, ``"handle"``,
``"void"``, with a lane suffix for vectors: ``"float32x4"``. A pointer to elements of a known dtype is
``"handle(float32,global)"``; ``"handle"`` points to anything in global memory. Strings compare, hash and print as
everyone expects.
"""

from __future__ import annotations

import re
from functools import lru_cache
from typing import Literal as _Lit

Kind = _Lit["int", "uint", "float", "bool", "handle", "void"]

FLOAT_BITS: dict[str, int] = {
    "float16": 16, "bfloat16": 16, "float32": 32, "float64": 64,
    "float8_e3m4": 8, "float8_e4m3": 8, "float8_e4m3b11fnuz": 8, "float8_e4m3fn": 8, "float8_e4m3fnuz": 8,
    "float8_e5m2": 8, "float8_e5m2fnuz": 8, "float8_e8m0fnu": 8,
    "float6_e2m3fn": 6, "float6_e3m2fn": 6, "float4_e2m1fn": 4,
}  # fmt: skip
"""Every floating-point format by name, with its width in bits."""

_INTEGER = re.compile(r"(u?int)([1-9][0-9]*)\Z")
_LANES = re.compile(r"(.*[^x])x([1-9][0-9]*)\Z")
_POINTER = re.compile(r"handle\(([a-z0-9_]+),([A-Za-z0-9_.]*)\)\Z")
_VSCALE = re.compile(r"(.*)xvscalex([1-9][0-9]*)\Z")


@lru_cache(maxsize=None)
def lanes(dtype: str) -> int:
    """Lanes of a vector dtype; 1 for a scalar: ``lanes("float32x4") == 4``.

    A scalable vector has a multiple of the hardware's ``vscale`` as its count, which is negative here, as in TVM:
    ``lanes("float32xvscalex4") == -4``.
    """
    scalable = _VSCALE.match(dtype)
    if scalable:
        return -int(scalable.group(2))
    found = _LANES.match(dtype)
    return int(found.group(2)) if found else 1


@lru_cache(maxsize=None)
def element(dtype: str) -> str:
    """The scalar dtype of one lane: ``element("float32x4") == "float32"``."""
    scalable = _VSCALE.match(dtype)
    if scalable:
        return scalable.group(1)
    found = _LANES.match(dtype)
    return found.group(1) if found else dtype


def with_lanes(dtype: str, count: int) -> str:
    """The vector dtype of ``count`` lanes of ``element(dtype)``; the scalar itself for one lane, scalable below 0."""
    return element(dtype) if count == 1 else f"{element(dtype)}x{'vscalex' if count < 0 else ''}{abs(count)}"


@lru_cache(maxsize=None)
def kind(dtype: str) -> Kind:
    """The family of a dtype's lane; raises ``ValueError`` for a string that names no dtype."""
    scalar = element(dtype)
    if scalar in FLOAT_BITS:
        return "float"
    if scalar == "bool":
        return "bool"
    if scalar == "handle" or pointee(scalar) is not None:
        return "handle"
    if scalar == "void":
        return "void"
    found = _INTEGER.match(scalar)
    if found and int(found.group(2)) <= 64:
        return "uint" if found.group(1) == "uint" else "int"
    raise ValueError(f"{dtype!r} is no dtype")


@lru_cache(maxsize=None)
def bits(dtype: str) -> int:
    """Width of one lane in bits; ``bool`` has 1, ``handle`` 64, ``void`` 0."""
    scalar = element(dtype)
    match kind(scalar):
        case "float":
            return FLOAT_BITS[scalar]
        case "bool":
            return 1
        case "handle":
            return 64
        case "void":
            return 0
        case _:
            found = _INTEGER.match(scalar)
            assert found is not None
            return int(found.group(2))


@lru_cache(maxsize=None)
def itemsize(dtype: str) -> int:
    """Bytes that one element takes in a tensor (sub-byte lanes take a whole byte)."""
    return max(1, (bits(dtype) + 7) // 8) * abs(lanes(dtype))


@lru_cache(maxsize=None)
def memory_bits(dtype: str) -> int:
    """Bits that one element takes in memory, all lanes: a ``bool`` takes a byte, narrow numbers are packed."""
    return (8 if kind(dtype) == "bool" else bits(dtype)) * abs(lanes(dtype))


def same_bytes(a: str, b: str) -> bool:
    """Whether one element of each is one number in the same whole bytes, all of whose bits count."""
    whole = all(lanes(x) == 1 and kind(x) in ("int", "uint", "float") and bits(x) % 8 == 0 for x in (a, b))
    return whole and bits(a) == bits(b)


@lru_cache(maxsize=4096)
def is_dtype(text: str) -> bool:
    """Whether ``text`` names a dtype."""
    try:
        kind(text)
    except ValueError:
        return False
    return True


def pointee(dtype: str) -> tuple[str, str] | None:
    """(dtype of the elements, storage scope) of a typed pointer: ``("float32", "global")``; ``None`` for others."""
    found = _POINTER.match(dtype)
    return (found.group(1), found.group(2)) if found and is_dtype(found.group(1)) else None


def pointer(of: str, scope: str = "global") -> str:
    """The dtype of pointers to elements of dtype ``of`` in memory of ``scope``."""
    return "handle" if (of, scope) == ("void", "global") else f"handle({of},{scope})"


@lru_cache(maxsize=None)
def is_float(dtype: str) -> bool:
    return kind(dtype) == "float"


@lru_cache(maxsize=None)
def is_integer(dtype: str) -> bool:
    """Signed or unsigned integer; ``bool`` is not one."""
    return kind(dtype) in ("int", "uint")


@lru_cache(maxsize=None)
def integer_range(dtype: str) -> tuple[int, int]:
    """Least and greatest value of an integer dtype, both inclusive (``bool``: 0 and 1)."""
    if kind(dtype) == "bool":
        return 0, 1
    width = bits(dtype)
    if kind(dtype) == "uint":
        return 0, (1 << width) - 1
    return -(1 << (width - 1)), (1 << (width - 1)) - 1


def holds(dtype: str, source: str) -> bool:
    """Whether ``dtype`` has every value of ``source``, both integers or ``bool``; ``bool`` holds itself only."""
    if kind(dtype) == "bool":
        return kind(source) == "bool"
    (low, high), (least, greatest) = integer_range(dtype), integer_range(source)
    return low <= least and greatest <= high
