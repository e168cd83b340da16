"""The virtual machine's library over device memory: what differs from the NumPy backend's.

A recorded run is its list of kernel launches, replayed with the same pointers. The table of symbols and the programs
that fill it stay on the host.

Spec: ``spec/08-effects-and-storage.md``, *The virtual machine's library*.
"""

from __future__ import annotations

from collections.abc import Callable
from math import prod
from types import SimpleNamespace
from typing import Any

import numpy as np

from refrelax.backends.cupy_.devices import Device, DeviceArray
from refrelax.backends.cupy_.launch import stand_in
from refrelax.backends.numpy_ import machine, runtime
from refrelax.errors import unspecified
from refrelax.running.arrays import numpy_dtype
from refrelax.semantics.values import Shape
from refrelax.syntax.loops import PrimFunc
from refrelax.syntax.module import Module


def on_host(module: Module, name: str) -> bool:
    """Whether a loop program computes slots of the table."""
    func = module.functions[name]
    return isinstance(func, PrimFunc) and bool(dict(func.attrs).get("tirx.is_host_func"))


def library(device: Device) -> SimpleNamespace:
    """What generated graph source calls as ``vm``."""
    functions: dict[str, Callable[..., Any]] = {
        **machine.MACHINE,
        "vm.builtin.alloc_storage": lambda run, shape, _device, dtype, *_: _storage(device, shape, dtype),
        "vm.builtin.alloc_tensor": alloc_tensor,
        "vm.builtin.reshape": reshape,
        "runtime.TVMTensorCreateView": view,
        "vm.builtin.check_tensor_info": check_tensor_info,
        "vm.builtin.match_shape": match_shape,
        "vm.builtin.read_if_cond": lambda run, c: machine.read_if_cond(run, _down(device, c)),
        "vm.builtin.tensor_to_shape": lambda run, x: machine.tensor_to_shape(run, _down(device, x)),
        **{name: _through_host(device, machine.MACHINE[name]) for name in ON_HOST},
    }
    return SimpleNamespace(MACHINE=functions, launch=machine.launch, reshaped=reshaped)


ON_HOST = ("relax.run.shape_to_tensor", "relax.run.nonzero", "relax.run.unique")
"""Operators of which the elements decide how many there are, or that take what is no tensor: on copies."""


def _through_host(device: Device, function: Callable[..., Any]) -> Callable[..., Any]:
    """A function of the host's arrays on those of the device."""

    def up(value: Any) -> Any:
        return tuple(map(up, value)) if isinstance(value, tuple) else device.upload(value)

    return lambda run, *args: up(function(run, *(_down(device, each) for each in args)))


def _down(device: Device, value: Any) -> Any:
    return device.download(value) if isinstance(value, DeviceArray) else value


def _storage(device: Device, shape: Shape, dtype: str) -> DeviceArray:
    size = prod(shape.dims) * numpy_dtype(dtype).itemsize
    if size < 0:
        raise unspecified("ev/negative-extent", f"a storage of shape {shape.dims}")
    found = device.empty((size,), np.dtype(np.uint8))
    found.planned = True
    return found


def alloc_tensor(run: Any, storage: DeviceArray, offset: int, shape: Shape, dtype: str, *_: Any) -> DeviceArray:
    """``(storage, offset, shape, dtype)``: some of the bytes; at least one element's, so that a pointer is one."""
    made = DeviceArray(None, tuple(shape.dims), np.dtype(numpy_dtype(dtype)), storage.planned)
    size = made.size * made.dtype.itemsize
    if offset < 0 or size < 0 or offset + size > storage.size * storage.dtype.itemsize:
        raise unspecified("st/outside-storage", f"bytes {offset} to {offset + size} of {storage.nbytes}")
    made.memory = storage.memory[offset : offset + max(size, 1)]
    return made


def view(run: Any, x: DeviceArray, shape: Any = None, dtype: Any = None, offset: Any = 0) -> DeviceArray:
    """``(x, shape?, dtype?, offset?)``: the same bytes."""
    offset = offset or 0
    return alloc_tensor(run, x, offset, *machine.within(x, shape, dtype, offset))


def reshape(run: Any, x: DeviceArray, shape: Shape) -> DeviceArray:
    """``(x, shape)``: the same memory."""
    if prod(shape.dims) != x.size:
        raise unspecified("op.reshape/element-count-run", f"{x.shape} as {shape.dims}")
    return DeviceArray(x.memory, tuple(shape.dims), x.dtype, x.planned)


def reshaped(x: Any, made: Any) -> Any:
    """``R.reshape``: of what lies in a storage the same memory (``ev/reshape-of-planned``), else ``made``."""
    planned = isinstance(x, DeviceArray) and x.planned
    return DeviceArray(x.memory, tuple(made.shape), x.dtype, planned=True) if planned else made


def check_tensor_info(run: Any, x: Any, *rest: Any) -> tuple[()]:
    """``(x, ndim, dtype?, context)``."""
    return machine.check_tensor_info(run, stand_in(x) if isinstance(x, DeviceArray) else x, *rest)


def match_shape(run: Any, value: Any, *rest: Any) -> tuple[()]:
    """``(value, heap, n, code, slot, …, context)``."""
    return machine.match_shape(run, Shape(tuple(value.shape)) if isinstance(value, DeviceArray) else value, *rest)


def program_on_host(name: str, compiled: Callable[..., Any]) -> Callable[..., Any]:
    """A host program as generated source calls it, on the host's arrays."""

    def call(*args: Any) -> Any:
        if any(isinstance(each, DeviceArray) for each in args):
            raise runtime.mismatch("param", "type", f"{name}: a host program takes arrays of the host")
        return compiled(*args)

    return call
