"""NumPy's ``.npz`` files, read and written without NumPy.

An archive of ``.npy`` members: magic, version, a header that is a Python literal, then the elements. bfloat16 and
the 8-bit floats, which NumPy stores as raw bytes, keep their dtype in the member's name: ``x.bfloat16``.
"""

from __future__ import annotations

import ast
import io
import math
import struct
import zipfile
import zlib
from collections.abc import Mapping
from pathlib import Path
from typing import IO

from refrelax.errors import UsageError
from refrelax.syntax import dtypes
from refrelax.syntax.module import ConstantArray

MAX_BYTES = 4 << 30
"""Most bytes that an archive may unpack to."""

MAX_HEADER = 10_000
"""Longest header that is read, as in NumPy."""

_MAGIC = b"\x93NUMPY"
_KINDS = {"b": "bool", "i": "int", "u": "uint", "f": "float"}
_CODES = {"bool": "b", "int": "i", "uint": "u", "float": "f"}


def read(source: str | Path | IO[bytes]) -> dict[str, ConstantArray]:
    """The arrays of an archive, by name.

    Raises:
        FileNotFoundError: no such file.
        UsageError: no ``.npz``, or an array that is no tensor (objects, structures, big-endian or Fortran order).
    """
    try:
        with zipfile.ZipFile(source) as archive:
            if sum(each.file_size for each in archive.infolist()) > MAX_BYTES:
                raise UsageError(f"{source}: more than {MAX_BYTES} bytes of elements")
            return dict(_member(name, archive.read(name)) for name in archive.namelist())
    except zipfile.BadZipFile:
        raise UsageError(f"{source}: not an .npz archive") from None
    except (zlib.error, EOFError, NotImplementedError, RuntimeError, struct.error, ValueError) as error:
        if isinstance(error, UsageError):
            raise
        raise UsageError(f"{source}: a damaged .npz archive ({error})") from None


def _member(name: str, raw: bytes) -> tuple[str, ConstantArray]:
    stem = name.removesuffix(".npy")
    if not raw.startswith(_MAGIC):
        raise UsageError(f"{name}: not a NumPy array")
    wide = raw[6:7] > b"\x01"
    start = 12 if wide else 10
    if len(raw) < start:
        raise UsageError(f"{name}: not a NumPy array")
    (length,) = struct.unpack_from("<I" if wide else "<H", raw, 8)
    descr, fortran, shape = _header(name, raw[start : start + length])
    body = raw[start + length :]
    stem, dtype = _dtype(stem, descr)
    if fortran and len(shape) > 1:
        raise UsageError(f"{stem}: stored in Fortran order; save a C-ordered array")
    if len(body) != math.prod(shape) * dtypes.itemsize(dtype):
        raise UsageError(f"{stem}: {len(body)} bytes are no {dtype} of shape {shape}")
    return stem, ConstantArray(dtype, shape, body)


def _header(name: str, raw: bytes) -> tuple[object, bool, tuple[int, ...]]:
    """Dtype, order and shape. A pickle is never looked into: objects have no dtype here."""
    try:
        header = ast.literal_eval(raw[:MAX_HEADER].decode("latin1").strip())
        descr, fortran, shape = header["descr"], header["fortran_order"], header["shape"]
    except (ValueError, SyntaxError, KeyError, TypeError, MemoryError, RecursionError):
        raise UsageError(f"{name}: a damaged header") from None
    if not isinstance(shape, tuple) or not all(type(each) is int and each >= 0 for each in shape):
        raise UsageError(f"{name}: {shape!r:.60} is no shape")
    return descr, bool(fortran), shape


def _dtype(stem: str, descr: object) -> tuple[str, str]:
    """The name without its dtype suffix, and the dtype."""
    named, _, suffix = stem.rpartition(".")
    if not isinstance(descr, str):
        raise UsageError(f"{stem}: a structured array is no tensor")
    order, kind, size = descr[:1], descr[1:2], descr[2:]
    if kind == "V" and named and dtypes.is_dtype(suffix):
        return named, suffix
    if kind not in _KINDS or order == ">" or not size.isdigit():
        raise UsageError(f"{stem}: elements of {descr!r} are no dtype of refrelax")
    dtype = "bool" if kind == "b" else f"{_KINDS[kind]}{8 * int(size[:3])}"
    if not dtypes.is_dtype(dtype):
        raise UsageError(f"{stem}: elements of {descr!r} are no dtype of refrelax")
    return stem, dtype


def write(target: str | Path | IO[bytes], arrays: Mapping[str, ConstantArray]) -> None:
    """Write an archive that NumPy reads; the same arrays give the same bytes."""
    with zipfile.ZipFile(target, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, array in arrays.items():
            stem, descr = _descr(name, array.dtype)
            archive.writestr(zipfile.ZipInfo(f"{stem}.npy"), _npy(descr, array), zipfile.ZIP_DEFLATED)


def _descr(name: str, dtype: str) -> tuple[str, str]:
    size, kind = dtypes.itemsize(dtype), dtypes.kind(dtype)
    if kind == "float" and dtype not in ("float16", "float32", "float64"):
        return f"{name}.{dtype}", f"|V{size}"
    return name, f"{'|' if size == 1 else '<'}{_CODES[kind]}{size}"


def _npy(descr: str, array: ConstantArray) -> bytes:
    header = f"{{'descr': {descr!r}, 'fortran_order': False, 'shape': {array.shape!r}, }}"
    padding = -(len(_MAGIC) + 4 + len(header) + 1) % 64
    out = io.BytesIO()
    out.write(_MAGIC + b"\x01\x00" + struct.pack("<H", len(header) + padding + 1))
    out.write((header + " " * padding + "\n").encode("latin1"))
    out.write(array.data)
    return out.getvalue()
