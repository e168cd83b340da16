"""What a compiled function costs: its launches, and the bytes that they read and write, without a device.

The executable's own host code runs over arrays that have shapes and no memory, and the launcher's launches are written
down in place of being made. So what is counted is what would be launched.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from refrelax.backends.cupy_.devices import DeviceArray
from refrelax.backends.cupy_.forms import TILE
from refrelax.backends.cupy_.geometry import Geometry
from refrelax.backends.cupy_.kernels import Kernel
from refrelax.backends.cupy_.names import is_float
from refrelax.backends.cupy_.plan import Plan
from refrelax.backends.cupy_.traffic import moved
from refrelax.backends.errors import Unsupported
from refrelax.backends.intervals import GREATEST, LEAST
from refrelax.errors import UsageError
from refrelax.running.arrays import numpy_dtype
from refrelax.semantics.dims import value
from refrelax.semantics.values import Shape
from refrelax.syntax.graph import Function
from refrelax.syntax.loops import BufferParam, PrimFunc, ScalarParam
from refrelax.syntax.module import Module
from refrelax.syntax.scalars import PrimExpr, SymVar, free_symbols
from refrelax.syntax.types import PrimType, ShapeType, TensorType, TupleType, Type


@dataclass(frozen=True, slots=True)
class Launched:
    """One launch of a kernel: its form, its grid, and the bytes that it reads and writes."""

    kernel: str
    form: str
    blocks: int
    threads: int
    read: int
    written: int


@dataclass(frozen=True, slots=True)
class Cost:
    """The launches of one call, in order. ``str`` of it is a table."""

    kernels: tuple[Launched, ...]

    @property
    def launches(self) -> int:
        return len(self.kernels)

    @property
    def read(self) -> int:
        """Bytes read from the device's memory."""
        return sum(each.read for each in self.kernels)

    @property
    def written(self) -> int:
        """Bytes written to it."""
        return sum(each.written for each in self.kernels)

    @property
    def bytes(self) -> int:
        return self.read + self.written

    def __str__(self) -> str:
        rows: list[tuple[str, ...]] = [("kernel", "form", "blocks", "threads", "bytes read", "bytes written")]
        rows += [(k.kernel, k.form, *map(_grouped, (k.blocks, k.threads, k.read, k.written))) for k in self.kernels]
        rows.append((f"{self.launches} launches", "", "", "", _grouped(self.read), _grouped(self.written)))
        widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
        lines = (
            [each.ljust(w) if k < 2 else each.rjust(w) for k, (each, w) in enumerate(zip(row, widths, strict=True))]
            for row in rows
        )
        return "\n".join("  ".join(line).rstrip() for line in lines)


def _grouped(number: int) -> str:
    return f"{number:_}".replace("_", " ")


class Nothing:
    """Memory that is only counted."""

    def __getitem__(self, _part: object) -> Nothing:
        return self


@dataclass(slots=True)
class _Library:
    """Writes down products of matrices, which read and write every array once."""

    launches: list[Launched]

    def launch(self, kernel: Kernel, geometry: Geometry, args: list[Any], status: Any) -> None:
        pairs = [
            (p, a.size * int(a.dtype.itemsize))
            for p, a in zip(kernel.parameters, args, strict=False)
            if p.kind == "buffer"
        ]
        read, written = (sum(count for p, count in pairs if p.written is stored) for stored in (False, True))
        self.launches.append(Launched(kernel.name, "product", 0, 0, read, written))


@dataclass(slots=True)
class CountingDevice:
    """A device without memory that writes down what is launched on it."""

    launches: list[Launched] = field(default_factory=list)
    library: bool = False
    """Whether products of matrices are a library's."""
    room: int | None = None
    """Bytes of the block's memory that a launch can ask for, if the device is known."""

    def upload(self, array: Any) -> DeviceArray:
        return self.empty(tuple(array.shape), array.dtype)

    def download(self, array: DeviceArray) -> Any:
        raise Unsupported(
            "the cost of a run whose host reads elements, as operators at graph level and conditions do: "
            "lower the module first (rr.lower)"
        )

    def empty(self, shape: tuple[int, ...], dtype: Any) -> DeviceArray:
        return DeviceArray(Nothing(), tuple(shape), np.dtype(dtype))

    def copy(self, array: DeviceArray) -> DeviceArray:
        return array

    def restore(self, array: DeviceArray, saved: Any) -> None:
        pass

    def address(self, array: DeviceArray) -> int:
        """Every array lies elsewhere."""
        return id(array) << 64

    def adopt(self, array: Any) -> DeviceArray:
        return self.upload(array)

    def release(self, array: DeviceArray) -> Any:
        return array

    def fill(self, memory: Any, array: DeviceArray) -> None:
        pass

    def on(self, stream: Any) -> AbstractContextManager[Any]:
        return nullcontext()

    def current(self) -> int:
        return 0

    def capture(self, run: Callable[[], None]) -> Callable[[], None]:
        return run

    def libraries(self, module: Module) -> dict[str, Callable[..., Any]]:
        """Contracts are counted."""
        return {}

    def products(self) -> _Library | None:
        return _Library(self.launches) if self.library else None

    def load(self, source: str, plans: Mapping[str, Plan], mode: str) -> CountingDevice:
        return self

    def launch(self, kernel: Kernel, geometry: Geometry, args: list[Any], status: Any) -> None:
        read, written = moved(kernel.touches, geometry.symbols, geometry.fits, TILE)
        self.launches.append(Launched(kernel.name, kernel.form, geometry.blocks, geometry.threads, read, written))

    def status(self) -> Any:
        return None

    def read_status(self, status: Any) -> int:
        return 0


# --- arguments -------------------------------------------------------------------------------------------------------


def arguments(device: CountingDevice, func: Function | PrimFunc, entry: str, symbols: Mapping[str, int]) -> list[Any]:
    """Arrays of the shapes that a function takes at these values of its symbols, and numbers by their names: a float,
    on which no launch depends, may be left out.

    Raises:
        UsageError: a symbol or a number without a value, a value without either, no integer, or a negative extent.
    """
    asked = _Asked(device, entry, {name: _integer(entry, name, n) for name, n in symbols.items()})
    found: list[Any] = []
    for param in func.params:
        match param:
            case BufferParam(buffer=buffer):
                found.append(asked.array(buffer.name, buffer.shape, buffer.dtype))
            case ScalarParam(var=var):
                found.append(asked.scalar(var.name, var.dtype))
            case _:
                found.append(asked.given(param.name, param.type))
    if left := symbols.keys() - asked.used:
        raise UsageError(f"cost of {entry}: {', '.join(sorted(left))} is no symbol of its parameters")
    return found


def _integer(entry: str, name: str, number: Any) -> int:
    if isinstance(number, bool) or not isinstance(number, int | np.integer) or not LEAST <= number <= GREATEST:
        raise UsageError(f"cost of {entry}: {name}={number!r}: expected an integer of 64 bits")
    return int(number)


@dataclass(slots=True)
class _Asked:
    """The arguments of a function by its parameters; ``used``: the symbols that they were made from."""

    device: CountingDevice
    entry: str
    symbols: Mapping[str, int]
    used: set[str] = field(default_factory=set)

    def number(self, e: PrimExpr) -> int:
        if missing := free_symbols(e) - self.symbols.keys():
            raise UsageError(f"cost of {self.entry}: {', '.join(sorted(missing))} has no value")
        self.used |= free_symbols(e)
        return int(value(e, self.symbols))

    def extents(self, name: str, shape: tuple[PrimExpr, ...]) -> tuple[int, ...]:
        found = tuple(map(self.number, shape))
        if negative := [extent for extent in found if extent < 0]:
            raise UsageError(f"cost of {self.entry}: {name}: an extent of {negative[0]}")
        return found

    def array(self, name: str, shape: tuple[PrimExpr, ...], dtype: str) -> DeviceArray:
        return self.device.empty(self.extents(name, shape), numpy_dtype(dtype))

    def scalar(self, name: str, dtype: str) -> int:
        return 0 if is_float(dtype) and name not in self.symbols else self.number(SymVar(name, dtype))

    def given(self, name: str, type_: Type | None) -> Any:
        match type_:
            case TensorType(shape=tuple() as shape, dtype=str() as dtype):
                return self.array(name, shape, dtype)
            case ShapeType(values=tuple() as values):
                return Shape(self.extents(name, values))
            case TupleType(fields=fields):
                return tuple(self.given(name, each) for each in fields)
            case PrimType(dtype=dtype):
                return self.scalar(name, dtype)
            case _:
                raise UsageError(f"cost of {self.entry}: a parameter whose type has no shape")
