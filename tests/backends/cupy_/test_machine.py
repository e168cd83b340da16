"""The virtual machine's library over device memory: what it hands out, and what it refuses."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import pytest

pytest.importorskip("numpy")

import numpy as np

from refrelax.backends.cupy_ import machine
from refrelax.backends.cupy_.devices import DeviceArray
from refrelax.backends.cupy_.emulate import EmulatedDevice
from refrelax.backends.numpy_ import runtime
from refrelax.errors import Ended, Unspecified
from refrelax.semantics.values import Shape

DEVICE = EmulatedDevice()
VM = machine.library(DEVICE).MACHINE


def storage(*dims: int, dtype: str = "uint8") -> DeviceArray:
    made = VM["vm.builtin.alloc_storage"](None, Shape(dims), 0, dtype, "global")
    assert isinstance(made, DeviceArray)
    return made


def refused(rule: str, function: Any, *args: Any) -> None:
    with pytest.raises(Ended) as ended:
        function(None, *args)
    assert isinstance(ended.value.outcome, Unspecified) and ended.value.outcome.rule == rule


def test_storages() -> None:
    assert (storage(24).shape, storage(24).planned) == ((24,), True)
    assert storage(3, 2, dtype="float32").shape == (24,)
    assert storage(0).shape == (0,) and storage().shape == (1,)
    refused("ev/negative-extent", VM["vm.builtin.alloc_storage"], Shape((-1,)), 0, "uint8")


@pytest.mark.parametrize(
    ("offset", "dims", "dtype"),
    [(0, (6,), "float32"), (8, (4,), "float32"), (0, (0,), "float32"), (24, (0,), "float32"), (23, (1,), "int8"),
     (0, (), "float64"), (0, (3, 2), "float32"), (16, (), "float64")],
)  # fmt: skip
def test_tensors_inside(offset: int, dims: tuple[int, ...], dtype: str) -> None:
    room = storage(24)
    made = machine.alloc_tensor(None, room, offset, Shape(dims), dtype)
    assert (made.shape, made.dtype, made.planned) == (dims, np.dtype(dtype), True)
    count = made.size * made.dtype.itemsize
    if count:
        made.memory[:count] = 7
        assert (room.memory[:offset] != 7).all() and (room.memory[offset : offset + count] == 7).all()
        assert (room.memory[offset + count :] != 7).all() and len(made.memory) == count


@pytest.mark.parametrize(
    ("offset", "dims", "dtype"),
    [(-1, (1,), "int8"), (1, (6,), "float32"), (24, (1,), "int8"), (25, (0,), "int8"), (0, (7,), "float32"),
     (0, (-1,), "float32"), (20, (), "float64")],
)  # fmt: skip
def test_tensors_outside(offset: int, dims: tuple[int, ...], dtype: str) -> None:
    refused("st/outside-storage", machine.alloc_tensor, storage(24), offset, Shape(dims), dtype)


def test_storages_of_wider_elements() -> None:
    room = DEVICE.upload(np.zeros(6, np.float32))
    made = machine.alloc_tensor(None, room, 16, Shape((2,)), "float32")
    assert made.shape == (2,) and not made.planned
    refused("st/outside-storage", machine.alloc_tensor, room, 20, Shape((2,)), "float32")


def test_views() -> None:
    x = DEVICE.upload(np.arange(6, dtype=np.float32))
    assert machine.view(None, x).shape == (6,)
    part = machine.view(None, x, Shape((2,)), "float32", 8)
    assert DEVICE.download(part).tolist() == [2, 3]
    assert DEVICE.download(machine.view(None, x, Shape((3, 2)))).tolist() == [[0, 1], [2, 3], [4, 5]]
    with pytest.raises(Ended):
        machine.view(None, x, Shape((2,)), "float32", 20)


def test_reshapes() -> None:
    x = storage(24)
    turned = machine.reshape(None, x, Shape((4, 6)))
    assert turned.memory is x.memory and turned.planned and turned.shape == (4, 6)
    refused("op.reshape/element-count-run", machine.reshape, x, Shape((5, 5)))
    plain = DEVICE.upload(np.zeros(6, np.float32))
    made = DeviceArray(None, (2, 3), plain.dtype)
    assert machine.reshaped(plain, made) is made, "memory of its own"
    again = machine.reshaped(x, DeviceArray(None, (12, 2), x.dtype))
    assert again.memory is x.memory and again.shape == (12, 2) and again.planned
    host = np.zeros(6)
    assert machine.reshaped(host, made) is made


def test_checks_look_at_shapes_alone() -> None:
    x = DeviceArray(None, (2, 3), np.dtype(np.float32))
    assert machine.check_tensor_info(None, x, 2, runtime.Dtype("float32"), "") == ()
    for rest in ((1, runtime.Dtype("float32"), ""), (2, runtime.Dtype("float16"), "")):
        with pytest.raises(Ended):
            machine.check_tensor_info(None, x, *rest)
    with pytest.raises(Ended):
        machine.check_tensor_info(None, Shape((2, 3)), 2, "")


def test_a_host_program_takes_no_arrays_of_the_device() -> None:
    call = machine.program_on_host("f", lambda *args: args)
    assert call(1, np.zeros(2), 3)[::2] == (1, 3)
    with pytest.raises(Ended):
        call(1, storage(4))


def test_what_the_host_decides() -> None:
    x = DEVICE.upload(np.array([0, 2, 0, 5]))
    run = SimpleNamespace(machine=SimpleNamespace(recording=None))
    places = VM["relax.run.nonzero"](run, x)
    assert isinstance(places, DeviceArray) and DEVICE.download(places).tolist() == [[1, 3]]
    shape = VM["vm.builtin.tensor_to_shape"](run, DEVICE.upload(np.array([2, 3])))
    assert shape == Shape((2, 3))
    assert VM["vm.builtin.read_if_cond"](run, DEVICE.upload(np.array(True))) is True
    assert VM["vm.builtin.read_if_cond"](run, DEVICE.upload(np.array(False))) is False
