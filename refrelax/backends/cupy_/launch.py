"""Running a plan: symbols from the arguments, temporaries, launches in order, reports."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from itertools import combinations
from math import prod
from typing import Any

import numpy as np

from refrelax.backends.cupy_.bounds import SYMBOL_LIMIT
from refrelax.backends.cupy_.devices import Device, DeviceArray, Program, array_of, bytes_of
from refrelax.backends.cupy_.geometry import Geometry, geometry, narrow
from refrelax.backends.cupy_.kernels import Kernel, Parameter
from refrelax.backends.cupy_.names import is_float
from refrelax.backends.cupy_.plan import Check, Plan
from refrelax.backends.cupy_.traffic import size
from refrelax.backends.numpy_ import runtime
from refrelax.errors import Ended, Exhausted, trap, unspecified
from refrelax.running.arrays import numpy_dtype
from refrelax.semantics.dims import value
from refrelax.syntax.loops import Buffer, BufferParam, PrimFunc, ScalarParam
from refrelax.syntax.scalars import PrimExpr, SymVar

STORE_OUT_OF_BOUNDS, ASSERT_FAILED, DIVISION_BY_ZERO, IN_DOUBT = 1, 2, 4, 8
"""The bits of a status word: ``Report`` of the prelude."""

MOST_BLOCKS = (1 << 31) - 1

MOST = 4096
"""Sizes of which a function remembers how wide its indices are; then it begins anew."""


@dataclass(slots=True)
class Call:
    """One call of a PrimFunc: the values of its symbols and scalars, its arrays by buffer name."""

    plan: Plan
    symbols: dict[str, Any]
    arrays: dict[str, DeviceArray]


def stand_in(array: DeviceArray) -> Any:
    """An array of the same dtype and rank without elements, for the checks of the NumPy backend."""
    return np.empty((0,) * array.ndim, array.dtype)


def enter(plan: Plan, args: tuple[Any, ...]) -> Call:
    """Dtypes and ranks, then symbols, then the other extents."""
    runtime.expect_arity(plan.name, len(args), len(plan.func.params))
    call = Call(plan, {}, {})
    pairs = list(zip(plan.func.params, args, strict=True))
    for param, given in pairs:
        if isinstance(param, ScalarParam):
            call.symbols[param.var.name] = given if is_float(param.var.dtype) else int(given)
    pending: list[tuple[Buffer, int, PrimExpr, int]] = []
    for param, given in pairs:
        if isinstance(param, BufferParam):
            pending += _buffer(plan.name, param.buffer, given, call)
    for buffer, axis, dim, found in pending:
        runtime.check_extent(plan.name, buffer.name, axis, found, value(dim, call.symbols))
    if any(isinstance(s, int) and s > SYMBOL_LIMIT for s in call.symbols.values()):
        raise Ended(Exhausted(f"extents (at most {SYMBOL_LIMIT})"))
    return call


def _buffer(function: str, buffer: Buffer, given: Any, call: Call) -> list[tuple[Buffer, int, PrimExpr, int]]:
    """One array; gives the extents that define no symbol."""
    seen = stand_in(given) if isinstance(given, DeviceArray) else given
    runtime.check_buffer(function, buffer.name, seen, buffer.dtype, len(buffer.shape))
    call.arrays[buffer.name] = given
    for axis, stride in enumerate(buffer.strides):
        if isinstance(stride, SymVar):
            call.symbols.setdefault(stride.name, prod(given.shape[axis + 1 :]))
    if isinstance(buffer.elem_offset, SymVar):
        call.symbols.setdefault(buffer.elem_offset.name, 0)
    rest = []
    for axis, dim in enumerate(buffer.shape):
        if isinstance(dim, SymVar) and dim.name not in call.symbols:
            call.symbols[dim.name] = int(given.shape[axis])
        else:
            rest.append((buffer, axis, dim, int(given.shape[axis])))
    return rest


@dataclass(slots=True)
class Launcher:
    """A PrimFunc as generated graph source calls it. ``program``: its kernels with indices of 32 bits; ``wide``: of
    64."""

    plan: Plan
    device: Device
    program: Program
    wide: Callable[[], Program]
    mode: str
    host: Callable[[PrimFunc, str], Callable[..., Any]]
    seen: dict[tuple[Any, ...], bool] = field(default_factory=dict)
    narrow: dict[tuple[Any, ...], bool] = field(default_factory=dict)
    in_doubt: int = 0

    def __call__(self, *args: Any) -> None:
        call = enter(self.plan, args)
        if self._overlap(call):  # (threads have no order)
            self._settle(args, call, {})
            return
        saved = self._written(call) if self.mode == "bits" and self.plan.reports else {}
        for buffer in self.plan.temporaries:
            shape = tuple(value(dim, call.symbols) for dim in buffer.shape)
            if any(extent < 0 for extent in shape):
                raise unspecified("ev/negative-extent", f"{self.plan.name}: a buffer of shape {shape}")
            call.arrays[buffer.name] = self.device.empty(shape, numpy_dtype(buffer.dtype))
        status = self.device.status() if self.plan.reports else None
        for step in self.plan.steps:
            if all(value(guard, call.symbols) for guard in step.guards):
                self._step(step, call, status)
        if status is not None:
            self._heed(self.device.read_status(status), args, call, saved)

    def _overlap(self, call: Call) -> bool:
        """Whether an array that is written shares memory with another one."""
        names = {p.name for k in self.plan.kernels for p in k.parameters if p.written}
        places = [(self.device.address(a), a.size * int(a.dtype.itemsize), n) for n, a in call.arrays.items() if a.size]
        pairs = combinations(places, 2)
        return any(a < b + wide and b < a + size and (n in names or m in names) for (a, size, n), (b, wide, m) in pairs)

    def _written(self, call: Call) -> dict[str, DeviceArray]:
        """Copies of the parameters that kernels write, in case they are in doubt about a rounding."""
        names = {p.name for k in self.plan.kernels for p in k.parameters if p.written}
        return {name: self.device.copy(array) for name, array in call.arrays.items() if name in names}

    def _step(self, step: Kernel | Check, call: Call, status: Any) -> None:
        if isinstance(step, Check):
            if not value(step.condition, call.symbols):
                raise trap("ld/assert-fails", step.message)
            return
        how = geometry(step, call.symbols, self.device.room)
        if how.blocks == 0:
            return
        if how.blocks > MOST_BLOCKS:
            raise Ended(Exhausted("blocks of a launch"))
        self._obligations(step, call.symbols)
        args = [argument(p, call, how) for p in step.parameters if p.kind != "status"]
        products = self.device.products() if step.product is not None else None
        if products is not None and size(step.depth, call.symbols) > 0:
            products.launch(step, how, args, status)
            return
        program = self.program if self._narrow(step, call.symbols) else self.wide()
        program.launch(step, how, args, status)

    def _narrow(self, kernel: Kernel, symbols: dict[str, Any]) -> bool:
        """Whether indices of 32 bits do for these sizes."""
        return _remembered(self.narrow, kernel, symbols, lambda: narrow(kernel, symbols))

    def _obligations(self, kernel: Kernel, symbols: dict[str, Any]) -> None:
        """Unchecked indices fit int64 for these sizes."""
        if not kernel.obligations:
            return
        known = {name: (number, number) for name, number in symbols.items() if isinstance(number, int)}
        fits = _remembered(self.seen, kernel, symbols, lambda: all(each.fits(known) for each in kernel.obligations))
        if not fits:
            raise Ended(Exhausted(f"the range of indices in {kernel.name}"))

    def _heed(self, reports: int, args: tuple[Any, ...], call: Call, saved: dict[str, DeviceArray]) -> None:
        """What the kernels reported, as the outcome that it means."""
        name = self.plan.name
        if reports & STORE_OUT_OF_BOUNDS:
            raise unspecified("ld/store-out-of-bounds", f"{name}: a store out of bounds")
        if reports & DIVISION_BY_ZERO:
            raise unspecified("num/int-division-by-zero", f"{name}: integer division by zero")
        if reports & ASSERT_FAILED:
            raise trap("ld/assert-fails", f"{name}: an assertion failed in a kernel")
        if reports & IN_DOUBT:
            self._settle(args, call, saved)

    def _settle(self, args: tuple[Any, ...], call: Call, saved: dict[str, DeviceArray]) -> None:
        """A rounding was too close to call on the device: the NumPy backend, which decides it, runs the function."""
        self.in_doubt += 1
        for name, before in saved.items():
            if name in {p.buffer.name for p in self.plan.func.params if isinstance(p, BufferParam)}:
                self.device.restore(call.arrays[name], self.device.download(before))
        copies = self._copies([a for a in args if isinstance(a, DeviceArray)])
        self.host(self.plan.func, self.plan.name)(*(copies.get(id(a), a) for a in args))
        for array in args:
            if isinstance(array, DeviceArray):
                self.device.restore(array, copies[id(array)])

    def _copies(self, arrays: list[DeviceArray]) -> dict[int, Any]:
        """Copies in the host's memory, by identity: what shares memory on the device shares it there."""
        places = sorted(
            ((self.device.address(a), a.size * int(a.dtype.itemsize), a) for a in arrays), key=lambda p: p[:2]
        )
        regions: list[list[tuple[int, int, DeviceArray]]] = []
        end = -1
        for start, count, array in places:
            if regions and start < end:
                regions[-1].append((start, count, array))
            else:
                regions.append([(start, count, array)])
            end = max(end, start + count)
        found: dict[int, Any] = {}
        for region in regions:
            first = region[0][0]
            raw = np.empty(max(start + count for start, count, _ in region) - first, np.uint8)
            for start, count, array in region:
                raw[start - first : start - first + count] = bytes_of(self.device.download(array))
                found[id(array)] = array_of(raw[start - first :], array.shape, array.dtype)
        return found


def _remembered(
    answers: dict[tuple[Any, ...], bool], kernel: Kernel, symbols: dict[str, Any], ask: Callable[[], bool]
) -> bool:
    """An answer about a kernel at these sizes, asked once. Floats are no sizes."""
    key = kernel.name, *((name, number) for name, number in symbols.items() if isinstance(number, int))
    found = answers.get(key)
    if found is None:
        found = ask()
        if len(answers) >= MOST:
            answers.clear()
        answers[key] = found
    return found


def argument(parameter: Parameter, call: Call, how: Geometry) -> Any:
    match parameter.kind:
        case "buffer":
            return call.arrays[parameter.name]
        case "total":
            return how.total
        case "lanes":
            return how.lanes
        case "fits":
            return how.fits
        case _:
            return call.symbols[parameter.name]
