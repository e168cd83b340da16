"""Arrays whose memory is not all that they say: a mask, another sign, a format that DLPack has no name for."""

from __future__ import annotations

import sys
from types import SimpleNamespace
from typing import Any

import pytest

pytest.importorskip("numpy")

import ml_dtypes
import numpy as np

import refrelax as rr
from refrelax.backends.cupy_.device import CuPyDevice
from refrelax.running.sharing import shared


class Foreign:
    """An array of another library: DLPack over the memory of a NumPy array."""

    def __init__(self, array: Any, dtype: str) -> None:
        self.array, self.dtype = array, dtype

    def __dlpack_device__(self) -> tuple[int, int]:
        return 1, 0

    def __dlpack__(self, **_options: Any) -> Any:
        if self.array.dtype == ml_dtypes.bfloat16:
            raise BufferError("no bfloat16")
        return self.array.__dlpack__()

    def __array__(self, *_args: Any, **_options: Any) -> Any:
        return self.array

    def view(self, kind: Any) -> Any:
        return self.array.view(kind)


class Negative(Foreign):
    """As PyTorch's ``z.conj().imag``: the memory of ``z.imag``, to be read with the other sign."""

    def is_neg(self) -> bool:
        return True


class Sparse(Foreign):
    def view(self, kind: Any) -> Any:
        raise RuntimeError("a sparse tensor has no strides")


def test_memory_of_the_other_sign_is_not_read_as_it_lies() -> None:
    given = Negative(np.ones(3, np.float32), "torch.float32")
    for read in (shared, rr.Tensor.of):
        with pytest.raises(rr.UsageError, match=r"whose memory has the other sign: give its resolve_neg\(\)"):
            read(given)


def test_a_device_does_not_read_it_either(monkeypatch: pytest.MonkeyPatch) -> None:
    """CUDA's protocol of arrays gives the memory, and says nothing of the sign."""
    cupy = SimpleNamespace(asarray=lambda each: each.array, ascontiguousarray=np.ascontiguousarray, ndarray=np.ndarray)
    runtime = SimpleNamespace(getDevice=lambda: 0, deviceGetAttribute=lambda _which, _device: 1 << 17)
    cupy.cuda = SimpleNamespace(is_available=lambda: True, runtime=runtime)
    monkeypatch.setitem(sys.modules, "cupy", cupy)
    given = np.ones(3, np.float32)
    assert CuPyDevice().adopt(Foreign(given, "torch.float32")).shape == (3,)
    with pytest.raises(rr.UsageError, match="the other sign"):
        CuPyDevice().adopt(Negative(given, "torch.float32"))


def test_a_masked_array_is_no_array_of_its_data() -> None:
    masked = np.ma.array(np.ones(3, np.float32), mask=[True, False, False])
    with pytest.raises(rr.UsageError, match="a masked array"):
        shared(masked)
    with pytest.raises(rr.UsageError, match="a masked array"):
        rr.Tensor.of(masked)


def test_bfloat16_of_a_library_that_is_not_pytorch() -> None:
    given = np.arange(3).astype(ml_dtypes.bfloat16)
    for read in (shared, lambda each: rr.Tensor.of(each).numpy()):
        found = read(Foreign(given, "bfloat16"))
        assert found.dtype == given.dtype
        assert np.array_equal(found, given)


def test_a_narrow_array_that_cannot_be_seen_is_refused_in_words() -> None:
    torch = type("torch", (), {"int16": np.int16, "uint8": np.uint8})
    with pytest.MonkeyPatch.context() as patch:
        patch.setitem(sys.modules, "torch", torch)
        given = Sparse(np.arange(3).astype(ml_dtypes.bfloat16), "torch.bfloat16")
        given.__class__.__array__ = lambda *_: (_ for _ in ()).throw(TypeError("no array"))  # type: ignore[method-assign]
        with pytest.raises(rr.UsageError, match="a Sparse cannot be read through DLPack"):
            shared(given)


ADD = """
@I.ir_module
class Module:
    @R.function
    def main(x: R.Tensor((3,), "float32")):
        gv = R.add(x, x)
        return gv
"""


@pytest.mark.parametrize("mode", ["fast", "bits"])
def test_a_call_that_does_not_return_says_so_in_words(mode: str) -> None:
    call = rr.compile(rr.parse(ADD), mode=mode)["main"]
    with pytest.raises(rr.RunError) as caught:
        call(np.ones(3))
    assert str(caught.value) == "parameter x of main: expected dtype float32, found float64 [ev/param-dtype]"


def test_a_text_is_no_module() -> None:
    with pytest.raises(rr.UsageError, match=r"compile takes a module, found str: rr\.parse reads a text"):
        rr.compile(ADD)  # type: ignore[arg-type]
