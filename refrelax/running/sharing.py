"""Arrays from outside as NumPy arrays over the same memory, and back: nothing is copied where the layout allows.

An element type that NumPy lacks travels as unsigned integers of its width and is seen as ml_dtypes' on arrival.
"""

from __future__ import annotations

from functools import cache
from typing import Any

from refrelax.errors import UsageError
from refrelax.extras import optional
from refrelax.syntax import bits, dtypes

CPU_MEMORY = (1, 3, 13)
"""DLPack's kinds of devices whose memory the host reads: CPU, CUDA host and CUDA managed."""

TORCH_NARROW = {
    "bfloat16": "bfloat16", "float8_e4m3fn": "float8_e4m3fn", "float8_e5m2": "float8_e5m2",
    "float8_e4m3fnuz": "float8_e4m3fnuz", "float8_e5m2fnuz": "float8_e5m2fnuz", "float8_e8m0fnu": "float8_e8m0fnu",
}  # fmt: skip
"""PyTorch's names of formats that neither NumPy nor its DLPack has, and ours."""


@cache
def name_of(dtype: Any) -> str:
    """The name of a NumPy dtype, which NumPy puts together anew each time."""
    return str(dtype.name)


def dtype_of(data: Any) -> str | None:
    """The name of the dtype that an array of any kind says it has, if it says one."""
    found = getattr(data, "dtype", None)
    if found is None or isinstance(found, str):
        return found
    try:
        return name_of(found)
    except (AttributeError, TypeError):
        return None


@cache
def numpy_dtype(dtype: str) -> Any:
    """The NumPy dtype of a refrelax dtype; formats that NumPy lacks come from ml_dtypes.

    Raises:
        UsageError: neither has it (``int7``, ``float32x4``, ``handle``).
    """
    with optional(f"an array of {dtype}"):
        import numpy

        try:
            return numpy.dtype(dtype)
        except TypeError:
            import ml_dtypes

            found = getattr(ml_dtypes, dtype, None)
            if found is None:
                raise UsageError(f"NumPy has no dtype {dtype}") from None
            return numpy.dtype(found)


def shared(data: Any) -> Any:
    """A NumPy array over the memory of ``data``: anything with DLPack, the buffer or the array protocol, or a NumPy
    array or scalar. Copied only where no NumPy array can see the memory as it is (bytes in the other order).

    Raises:
        UsageError: the array is on another device, or of a dtype that is none of ours, or is no array.
    """
    with optional("an array"):
        import numpy
    if isinstance(data, numpy.ndarray | numpy.generic):
        if type(data) is not numpy.ndarray:
            as_it_lies(data)
        return _ours(numpy.asarray(data))
    if isinstance(data, type):
        raise UsageError(f"a class, {data.__name__}, is no array")
    if hasattr(data, "__cuda_array_interface__"):
        raise UsageError(f"an array on a device, a {type(data).__name__}, where one in the host's memory is expected")
    if hasattr(data, "__dlpack__"):
        return _ours(_from_dlpack(data))
    if hasattr(data, "__array__"):
        return _ours(numpy.asarray(data.__array__()))
    if isinstance(getattr(data, "__array_interface__", None), dict):
        as_it_lies(data)
        return _ours(_from_interface(data))
    try:
        return _ours(numpy.asarray(memoryview(data)))
    except TypeError:
        raise UsageError(f"a {type(data).__name__} is no array") from None


def _from_interface(data: Any) -> Any:
    import numpy

    try:
        return numpy.asarray(data)
    except (ValueError, TypeError, KeyError, AttributeError) as error:
        raise UsageError(f"a {type(data).__name__} whose __array_interface__ is none: {error}") from None


def as_it_lies(data: Any) -> None:
    """Whether the elements of an array are what its memory holds: no protocol of arrays says that they are others.

    Raises:
        UsageError: of a masked array, and of a PyTorch tensor that has the other sign (``z.conj().imag``).
    """
    if hasattr(data, "mask") and hasattr(data, "filled"):
        raise UsageError("a masked array, some of whose elements are none: give an array, such as array.filled(0)")
    if hasattr(data, "is_neg") and data.is_neg():
        raise UsageError(f"a {type(data).__name__} whose memory has the other sign: give its resolve_neg()")


def _ours(array: Any) -> Any:
    """Native byte order, bools of bytes 0 and 1, and a dtype of refrelax."""
    if array.dtype.kind == "b":
        return truths(array)
    if not dtypes.is_dtype(array.dtype.name):
        raise UsageError(f"{array.dtype.name} is no dtype of refrelax")
    return array if array.dtype.isnative else array.astype(array.dtype.newbyteorder("="))


def truths(array: Any) -> Any:
    """An array of bools as bytes 0 and 1: itself, or a copy where another byte stands for a truth. NumPy shows such a
    byte as true, and moves, sorts and compares it (``st/byte-of-bool``)."""
    return array if holds_truths(array) else array.view("uint8") != 0


def holds_truths(array: Any) -> bool:
    """Whether all bytes of an array of bools are 0 or 1."""
    cells = array.view("uint8")
    return not cells.size or bool(cells.max() <= 1)


def _from_dlpack(data: Any) -> Any:
    import numpy

    try:
        device = data.__dlpack_device__() if hasattr(data, "__dlpack_device__") else (1, 0)
    except (BufferError, RuntimeError, TypeError, ValueError) as error:
        raise UsageError(f"a {type(data).__name__} cannot be read through DLPack: {error}") from None
    if int(device[0]) not in CPU_MEMORY:
        where = getattr(data, "device", f"DLPack device {int(device[0])}")
        raise UsageError(f"an array on {where}, where one in the host's memory is expected")
    if hasattr(data, "detach"):
        data = data.detach()
    as_it_lies(data)
    library, _, text = str(getattr(data, "dtype", "")).rpartition(".")
    try:
        if library == "torch" and text in TORCH_NARROW:
            kind = numpy_dtype(TORCH_NARROW[text])
            torch = __import__("torch")
            return data.view(torch.int16 if kind.itemsize == 2 else torch.uint8).numpy().view(kind)
        return numpy.from_dlpack(data)
    except (BufferError, RuntimeError, TypeError, ValueError) as error:
        why: Exception = error
    try:
        if hasattr(data, "__array__"):
            return numpy.asarray(data)
    except (RuntimeError, TypeError, ValueError) as error:
        why = error
    raise UsageError(f"a {type(data).__name__} cannot be read through DLPack: {why}")


def canonical(array: Any) -> Any:
    """The array with every NaN as the language has it (``num/nan-canonical``); the array itself if there is none."""
    import numpy

    name = name_of(array.dtype)
    pattern = bits.nan_bits(name) if dtypes.is_float(name) else None
    if pattern is None or not (nans := numpy.isnan(array)).any():
        return array
    cells = numpy.array([pattern], f"uint{8 * array.dtype.itemsize}").view(numpy_dtype(name))
    return numpy.where(nans, cells[0], array)
