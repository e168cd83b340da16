"""``.npz`` files without NumPy, against NumPy."""

from __future__ import annotations

import io
import zipfile
from contextlib import suppress
from pathlib import Path

import ml_dtypes
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from refrelax.errors import UsageError
from refrelax.running import npz
from refrelax.syntax.module import ConstantArray

DTYPES = (
    "bool",
    "int8",
    "uint8",
    "int16",
    "uint16",
    "int32",
    "uint32",
    "int64",
    "uint64",
    "float16",
    "float32",
    "float64",
)


@given(st.sampled_from(DTYPES), st.lists(st.integers(0, 4), max_size=3), st.data())
def test_numpy_reads_what_is_written_and_the_reverse(dtype: str, shape: list[int], data: st.DataObject) -> None:
    size = int(np.prod(shape, dtype=int))
    raw = data.draw(st.binary(min_size=size * np.dtype(dtype).itemsize, max_size=size * np.dtype(dtype).itemsize))
    if dtype == "bool":
        raw = bytes(b & 1 for b in raw)
    array = ConstantArray(dtype, tuple(shape), raw)
    ours = io.BytesIO()
    npz.write(ours, {"x": array})
    ours.seek(0)
    seen = np.load(ours)["x"]
    assert seen.dtype == dtype and seen.shape == tuple(shape) and seen.tobytes() == raw
    theirs = io.BytesIO()
    np.savez_compressed(theirs, x=seen, second=np.zeros((), "int8"))
    theirs.seek(0)
    assert npz.read(theirs) == {"x": array, "second": ConstantArray("int8", (), b"\0")}


@pytest.mark.parametrize("dtype", ["bfloat16", "float8_e4m3fn"])
def test_formats_that_numpy_lacks_keep_their_dtype_in_the_name(dtype: str) -> None:
    raw = np.arange(6).astype(getattr(ml_dtypes, dtype)).reshape(2, 3)
    array = ConstantArray(dtype, (2, 3), raw.tobytes())
    file = io.BytesIO()
    npz.write(file, {"x.1": array})
    file.seek(0)
    assert npz.read(file) == {"x.1": array}


def test_the_same_arrays_give_the_same_bytes() -> None:
    files = [io.BytesIO(), io.BytesIO()]
    for file in files:
        npz.write(file, {"a": ConstantArray("int8", (2,), b"\1\2")})
    assert files[0].getvalue() == files[1].getvalue()


def refused(array: np.ndarray) -> str:
    file = io.BytesIO()
    np.savez(file, x=array)
    file.seek(0)
    with pytest.raises(UsageError) as found:
        npz.read(file)
    return str(found.value)


def test_what_is_no_tensor_is_refused(tmp_path: Path) -> None:
    assert "Fortran" in refused(np.asfortranarray(np.zeros((2, 3))))
    assert "no dtype" in refused(np.zeros(2, ">f4"))
    assert "no dtype" in refused(np.zeros(2, "complex64"))
    assert "structured" in refused(np.zeros(2, [("a", "i4")]))
    path = tmp_path / "x.npz"
    path.write_bytes(b"not a zip")
    with pytest.raises(UsageError, match=r"not an \.npz"):
        npz.read(path)


@given(st.data())
def test_a_damaged_archive_is_a_usage_error(data: st.DataObject) -> None:
    file = io.BytesIO()
    stored = data.draw(st.booleans())
    (np.savez if stored else np.savez_compressed)(file, x=np.arange(6, dtype="float32").reshape(2, 3), y=np.int8(1))
    raw = bytearray(file.getvalue())
    for place, byte in data.draw(st.lists(st.tuples(st.integers(0, len(raw) - 1), st.integers(0, 255)), max_size=4)):
        raw[place] = byte
    cut = data.draw(st.integers(0, len(raw)) | st.just(len(raw)))
    with suppress(UsageError):
        npz.read(io.BytesIO(bytes(raw[:cut])))


@given(st.binary(max_size=80))
def test_a_damaged_member_is_a_usage_error(tail: bytes) -> None:
    for head in (b"", b"\x93NUMPY", b"\x93NUMPY\x01\x00", b"\x93NUMPY\x01\x00\x20\x00{'descr': "):
        file = io.BytesIO()
        with zipfile.ZipFile(file, "w") as archive:
            archive.writestr("x.npy", head + tail)
        file.seek(0)
        with pytest.raises(UsageError):
            npz.read(file)


def test_objects_are_refused_without_a_look() -> None:
    class Evil:
        def __reduce__(self) -> tuple[object, tuple[str, ...]]:
            return pytest.fail, ("unpickled",)

    assert "no dtype" in refused(np.array([Evil(), None], dtype=object))
    assert "no dtype" in refused(np.zeros(2, "U3"))
    assert "no dtype" in refused(np.zeros(2, "datetime64[s]"))
