"""Names in CUDA source: the program's own, kept apart from C++ and from the prelude."""

from __future__ import annotations

from refrelax.backends.errors import Unsupported
from refrelax.syntax import dtypes

C_TYPES: dict[str, str] = {
    "float16": "f16", "bfloat16": "bf16", "float32": "f32", "float64": "f64", "bool": "bool",
    "int8": "i8", "int16": "i16", "int32": "i32", "int64": "i64",
    "uint8": "u8", "uint16": "u16", "uint32": "u32", "uint64": "u64",
}  # fmt: skip
"""The dtypes that kernels compute in, and their names in the prelude."""


_OWN_WITH_DIGITS = frozenset({*C_TYPES.values(), "atan2", "exp2", "exp10", "log2", "log10"})


def c_type(dtype: str) -> str:
    """A dtype in CUDA source.

    Raises:
        Unsupported: a format without arithmetic on the device, or a vector.
    """
    if dtype not in C_TYPES:
        raise Unsupported(f"the dtype {dtype} in a CUDA kernel")
    return C_TYPES[dtype]


def is_float(dtype: str) -> bool:
    return dtypes.kind(dtype) == "float"


def c_name(name: str) -> str:
    """A variable, buffer or symbol as a C++ name; injective, and never a name of C++, of the prelude or of our own
    (which are letters only): one letter, or letters followed by digits, stays as it is; any other name gets a ``_``.
    """
    if not name.isascii():
        return f"u{name.encode().hex()}__u"
    stem = name.rstrip("0123456789")
    free = len(name) == 1 or (stem != name and name not in _OWN_WITH_DIGITS)
    return name if free else f"{name}_"


def letters(k: int) -> str:
    """A number in letters, to tell our own names apart."""
    return chr(ord("a") + k) if k < 26 else letters(k // 26 - 1) + letters(k % 26)
