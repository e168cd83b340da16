"""Running CUDA source on the CPU: the same text, compiled by g++ behind ``emulation/shim.h``.

A fault that the shim finds (an access out of bounds, a race, shared memory read before it is written, threads that part
at a barrier) is a bug of the source: ``InternalError``.
"""

from __future__ import annotations

import ctypes
import shutil
import subprocess
import tempfile
from collections import deque
from collections.abc import Callable, Mapping
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass
from functools import cache, lru_cache
from hashlib import sha256
from pathlib import Path
from threading import Lock
from typing import Any

import numpy as np

from refrelax.backends.cupy_.devices import DeviceArray, Products, Program, array_of, bytes_of
from refrelax.backends.cupy_.geometry import Geometry
from refrelax.backends.cupy_.kernels import Kernel, Parameter, scalar_type
from refrelax.backends.cupy_.names import c_type, is_float
from refrelax.backends.cupy_.plan import Plan
from refrelax.errors import InternalError, UsageError
from refrelax.running.sharing import shared
from refrelax.syntax.module import Module

SHIM = Path(__file__).parent / "emulation" / "shim.h"

FLAGS = ("-std=c++17", "-O0", "-fwrapv", "-ffp-contract=off", "-w", "-shared", "-fPIC")
"""Not optimised: most sources run for less time than g++ takes. ``-ffp-contract=off`` in both modes: x86-64 without FMA
has nothing to contract, and bits must not depend on the machine."""

RACE_LIMIT = 1 << 18
"""Races are looked for where a launch's buffers have at most this many elements together."""


class Launch(ctypes.Structure):
    _fields_ = (
        ("blocks", ctypes.c_longlong),
        ("threads", ctypes.c_int),
        ("barriers", ctypes.c_int),
        ("order", ctypes.c_int),
        ("races", ctypes.c_int),
        ("shared", ctypes.c_longlong),
    )


class Argument(ctypes.Structure):
    _fields_ = (
        ("data", ctypes.c_void_p),
        ("count", ctypes.c_longlong),
        ("integer", ctypes.c_longlong),
        ("number", ctypes.c_double),
        ("name", ctypes.c_char_p),
        ("read", ctypes.c_longlong),
        ("written", ctypes.c_longlong),
        ("vectors", ctypes.c_longlong),
    )


def compiler() -> str | None:
    """The path of g++, or ``None``."""
    return shutil.which("g++")


@cache
def workshop() -> Path:
    """Where shared objects of this process lie; removed with it."""
    folder = tempfile.TemporaryDirectory(prefix="refrelax-cuda-")
    _KEPT.append(folder)
    return Path(folder.name)


_KEPT: list[Any] = []

_ALONE = Lock()
"""One launch at a time: the fibers and what they touched are the whole process's."""


@lru_cache(maxsize=64)
def build(source: str) -> Any:
    """A source text as a loaded library.

    Raises:
        UsageError: there is no g++.
        InternalError: g++ refused the source.
    """
    gxx = compiler()
    if gxx is None:
        raise UsageError("the backend cuda-emulated needs g++ (Debian: apt-get install g++)")
    name = sha256(source.encode()).hexdigest()[:16]
    text, shared = workshop() / f"{name}.cpp", workshop() / f"{name}.so"
    text.write_text(source, encoding="utf-8")
    command = [gxx, *FLAGS, "-include", str(SHIM), "-o", str(shared), str(text)]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode != 0:
        raise InternalError(f"generated CUDA source does not compile:\n{done.stderr[:4000]}")
    return ctypes.CDLL(str(shared))


def entry(kernel: Kernel) -> str:
    """The C function that launches a kernel: it unpacks the arguments and runs the blocks."""
    given = ", ".join(f"given_{k}" for k in range(len(kernel.parameters)))
    lines = [f"  auto given_{k} = {_unpacked(p, k)};" for k, p in enumerate(kernel.parameters)]
    return "\n".join(
        [
            f'extern "C" int emulate_{kernel.name}(const emulated::Launch* launch, emulated::Argument* args,',
            "    char* message) {",
            *lines,
            f"  return emulated::run(*launch, message, [&] {{ {kernel.name}({given}); }});",
            "}",
        ]
    )


def _unpacked(parameter: Parameter, k: int) -> str:
    match parameter.kind:
        case "buffer":
            const = "" if parameter.written else "const "
            return f"emulated::span<{const}{c_type(parameter.dtype)}>(args[{k}], launch->races)"
        case "status":
            return f"(u32*)args[{k}].data"
        case _ if is_float(parameter.dtype):
            return f"({scalar_type(parameter.dtype)})args[{k}].number"
        case _:
            return f"args[{k}].integer"


@dataclass(frozen=True, slots=True)
class Seen:
    """What the threads of a launch did together: elements read and written, by buffer, as often as they did it;
    ``vectors``: how often several at once."""

    kernel: str
    read: dict[str, int]
    written: dict[str, int]
    vectors: dict[str, int]


class EmulatedProgram:
    """A compiled source. ``order``: 0 runs threads forward, 1 backward, any other number in that shuffle; ``seen``: the
    last launches."""

    def __init__(self, library: Any, order: int) -> None:
        self.library = library
        self.order = order
        self.seen: deque[Seen] = deque(maxlen=100)

    def launch(self, kernel: Kernel, geometry: Geometry, args: list[Any], status: Any) -> None:
        given = (Argument * len(kernel.parameters))()
        elements = 0
        for k, (parameter, value) in enumerate(
            zip(kernel.parameters, [*args, *([status] if len(args) < len(kernel.parameters) else [])], strict=True)
        ):
            elements += _pack(given[k], parameter, value)
        races, order = elements <= RACE_LIMIT, self.order
        how = Launch(geometry.blocks, geometry.threads, kernel.barriers, order, races, geometry.shared)
        message = ctypes.create_string_buffer(512)
        run = getattr(self.library, f"emulate_{kernel.name}")
        with _ALONE:
            failed = run(ctypes.byref(how), given, message)
        if failed:
            raise InternalError(f"kernel {kernel.name}: {message.value.decode(errors='replace')}")
        pairs = [(p.name, a) for p, a in zip(kernel.parameters, given, strict=True) if p.kind == "buffer"]
        counts = ({n: getattr(a, what) for n, a in pairs} for what in ("read", "written", "vectors"))
        self.seen.append(Seen(kernel.name, *counts))


def _pack(argument: Argument, parameter: Parameter, value: Any) -> int:
    """Fill in one argument; gives its number of elements."""
    match parameter.kind:
        case "buffer":
            argument.data, argument.count = value.memory.ctypes.data, max(value.size, 1)
            argument.name = parameter.name.encode()
            return int(value.size)
        case "status":
            argument.data = value.ctypes.data
        case _ if is_float(parameter.dtype):
            argument.number = float(value)
        case _:
            argument.integer = int(value)
    return 0


class EmulatedDevice:
    """The CPU. Memory is NumPy's; fresh memory is filled with bytes 0xff: NaN, or -1 (``bool``: 0)."""

    def __init__(self, order: int = 0, library: bool = False, room: int | None = None) -> None:
        """``library``: products of matrices are NumPy's, where a device would call cuBLAS; ``room``: bytes of the
        block's memory that a launch can ask for."""
        self.order, self.library, self.room = order, library, room

    def upload(self, array: Any) -> DeviceArray:
        made = self.empty(array.shape, array.dtype)
        self.restore(made, array)
        return made

    def download(self, array: DeviceArray) -> Any:
        return array_of(array.memory, array.shape, array.dtype).copy()

    def empty(self, shape: tuple[int, ...], dtype: Any) -> DeviceArray:
        made = DeviceArray(None, tuple(shape), np.dtype(dtype))
        made.memory = np.full(made.nbytes, 0 if made.dtype == np.bool_ else 0xFF, dtype=np.uint8)
        return made

    def copy(self, array: DeviceArray) -> DeviceArray:
        return DeviceArray(array.memory.copy(), array.shape, array.dtype)

    def restore(self, array: DeviceArray, saved: Any) -> None:
        raw = bytes_of(saved)
        array.memory[: len(raw)] = raw

    def address(self, array: DeviceArray) -> int:
        return int(array.memory.ctypes.data)

    def adopt(self, array: Any) -> DeviceArray:
        if isinstance(array, DeviceArray):
            return array
        found = shared(array)
        if not found.flags.c_contiguous or not found.flags.writeable or not found.size:
            return self.upload(found)
        return DeviceArray(bytes_of(found), found.shape, found.dtype)

    def release(self, array: DeviceArray) -> Any:
        return array_of(array.memory, array.shape, array.dtype)

    def fill(self, memory: Any, array: DeviceArray) -> None:
        count = array.size * int(array.dtype.itemsize)
        memory[:count] = array.memory[:count]

    def on(self, stream: Any) -> AbstractContextManager[Any]:
        return nullcontext()

    def current(self) -> int:
        return 0

    def capture(self, run: Callable[[], None]) -> Callable[[], None]:
        return run

    def libraries(self, module: Module) -> dict[str, Callable[..., Any]]:
        """None: the CPU has no cuBLAS. Contracts run instead."""
        return {}

    def products(self) -> Program | None:
        return Products(np, self.release) if self.library else None

    def load(self, source: str, plans: Mapping[str, Plan], mode: str) -> EmulatedProgram:
        entries = [entry(kernel) for plan in plans.values() for kernel in plan.kernels]
        return EmulatedProgram(build("\n".join([source, *entries])), self.order)

    def status(self) -> Any:
        return np.zeros(1, dtype=np.uint32)

    def read_status(self, status: Any) -> int:
        return int(status[0])
