"""The numbers of float formats that rules name, by their bits; and which operations are never poison."""

from __future__ import annotations

from collections.abc import Callable

FORMATS = {"float16": (5, 10), "bfloat16": (8, 7), "float32": (8, 23), "float64": (11, 52)}
"""Bits of exponent and fraction of the formats that rules speak of: they have both zeros, infinities and NaN."""

ARITHMETIC = frozenset({"Add", "Sub", "Mul", "Max", "Min"})
TRUTHS = frozenset({"EQ", "NE", "LT", "LE", "And", "Or", "Not"})
FUNCTIONS = frozenset(
    {
        "T.exp",
        "T.log",
        "T.sqrt",
        "T.rsqrt",
        "T.tanh",
        "T.sigmoid",
        "T.sin",
        "T.cos",
        "T.erf",
        "T.fabs",
        "T.floor",
        "T.ceil",
    }
)
"""Functions of floats that give a number or NaN whatever they are given."""


def constant(dtype: str, name: str) -> int:
    """The bits of ``0``, ``-0``, ``1``, ``inf`` or ``-inf``; -1 in a format that no rule speaks of."""
    if dtype not in FORMATS:
        return -1
    exponent, fraction = FORMATS[dtype]
    sign = 1 << (exponent + fraction)
    one = ((1 << (exponent - 1)) - 1) << fraction
    infinity = ((1 << exponent) - 1) << fraction
    return {"0": 0, "-0": sign, "1": one, "-1": sign | one, "inf": infinity, "-inf": sign | infinity}[name]


def is_nan(dtype: str, bits: int) -> bool:
    if dtype not in FORMATS:
        return False
    exponent, fraction = FORMATS[dtype]
    return bits & ((1 << (exponent + fraction)) - 1) > ((1 << exponent) - 1) << fraction


def neutral(op: str, dtype: str) -> frozenset[int]:
    """The floats that combine as nothing: of a sum from +0, either zero."""
    names = {"Add": ("0", "-0"), "Mul": ("1",), "Max": ("-inf",), "Min": ("inf",)}.get(op, ())
    return frozenset(constant(dtype, name) for name in names) - {-1}


def lowest(op: str, dtype: str) -> frozenset[int]:
    """What a maximum may begin with, infinite and finite; a minimum likewise."""
    infinity = constant(dtype, "-inf" if op == "Max" else "inf")
    return frozenset({infinity, infinity - 1}) if infinity > 0 else frozenset()


RELAXED: dict[tuple[str, str], Callable[[str, str], frozenset[int]]] = {
    ("extreme-identity", "Max"): lowest,
    ("extreme-identity", "Min"): lowest,
    ("zero-sign", "Add"): neutral,
}
"""By a relaxation and the operation of a reduction: what gives, of both operation and dtype, the starts that are taken
for the same."""


def whole(value: int, dtype: str) -> int | None:
    """The bits of an integer that a format has exactly, other than 0."""
    if dtype not in FORMATS or value == 0:
        return None
    exponent, fraction = FORMATS[dtype]
    bias = (1 << (exponent - 1)) - 1
    size = abs(value).bit_length()
    if size - 1 > bias or abs(value) % (1 << max(0, size - 1 - fraction)):
        return None
    scaled = abs(value) << fraction >> (size - 1) if size - 1 <= fraction else abs(value) >> (size - 1 - fraction)
    return (int(value < 0) << (exponent + fraction)) | ((bias + size - 1) << fraction) | (scaled - (1 << fraction))


def total(op: str, dtype: str, kinds: list[str]) -> bool:
    """Whether an operation gives no poison on operands of these dtypes that are none."""
    floats = all(kind in FORMATS for kind in kinds)
    integers = all(kind == "bool" or kind.lstrip("u").startswith("int") for kind in kinds)
    if dtype not in FORMATS and dtype != "bool" and not dtype.lstrip("u").startswith("int"):
        return False
    if op in ARITHMETIC | TRUTHS:
        return floats or integers
    if op == "Div":
        return floats and dtype in FORMATS
    if op == "Cast":
        return integers or (floats and dtype in FORMATS)
    return op in FUNCTIONS and floats and dtype in FORMATS
