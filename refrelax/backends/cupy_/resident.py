"""Calls on arrays that stay in the device's memory, as lists of launches that are made once for each choice of sizes.

The first call with given shapes runs the host's code and writes down every launch with the memory that it takes: the
caller's, that of the results, and the rest, which is kept. Later calls with these shapes go through the list. A run in
which the host looks at elements has no list and runs the host's code every time.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from contextlib import AbstractContextManager
from dataclasses import dataclass, field, replace
from itertools import pairwise
from threading import RLock
from typing import Any

import numpy as np

from refrelax.backends.cupy_.devices import Device, DeviceArray, Program
from refrelax.backends.cupy_.geometry import Geometry
from refrelax.backends.cupy_.kernels import Kernel
from refrelax.backends.cupy_.plan import Plan
from refrelax.errors import UsageError
from refrelax.running.sharing import shared
from refrelax.syntax.module import Module

MOST = 32
"""Lists that a function keeps: those used last. Each has memory of its own for what lies between the launches."""


@dataclass(frozen=True, slots=True)
class Ref:
    """An array in some memory of a recorded run: which, and from which byte on."""

    root: int
    offset: int
    shape: tuple[int, ...]
    dtype: Any


@dataclass(slots=True)
class Root:
    """Memory of a recorded run: the caller's argument ``param``, of a result (made anew for each call), or kept;
    ``filled``: the host put its contents there, so that whoever runs the list finds what the last run left."""

    memory: Any
    start: int
    size: int
    param: int = -1
    result: bool = False
    filled: bool = False
    restored: bool = False
    """Whether the host overwrote it."""
    stored: bool = False
    """Whether a launch of the list stores in it."""


@dataclass(slots=True)
class Recorder:
    """A device that runs what it is told on another one, and writes it down."""

    device: Device
    programs: Callable[[bool], Program]
    roots: list[Root] = field(default_factory=list)
    launches: list[tuple[Program, Kernel, Geometry, list[Any]]] = field(default_factory=list)
    looked: bool = False
    """Whether the host saw elements, or has to see whether a kernel reported something."""

    def rooted(self, made: DeviceArray, param: int = -1) -> DeviceArray:
        self.roots.append(Root(made.memory, self.device.address(made), int(made.memory.nbytes), param))
        return made

    def ref(self, array: DeviceArray) -> Ref:
        """Where an array lies."""
        at, size = self.device.address(array), array.size * int(array.dtype.itemsize)
        for k in range(len(self.roots) - 1, -1, -1):
            root = self.roots[k]
            if root.start <= at and at + size <= root.start + root.size:
                return Ref(k, at - root.start, array.shape, array.dtype)
        raise LookupError("memory that nobody allocated")

    @property
    def room(self) -> int | None:
        return self.device.room

    def upload(self, array: Any) -> DeviceArray:
        return self.filled(self.device.upload(array))

    def filled(self, made: DeviceArray) -> DeviceArray:
        """What the host has put into memory: a constant, or what an operator made of no tensor."""
        self.rooted(made)
        self.roots[-1].filled = True
        return made

    def stores(self, root: Root) -> bool:
        """Whether this memory is overwritten."""
        return root.restored or stores(self.launches, self.roots, root)

    def overwritten(self, array: DeviceArray) -> None:
        if array.size:
            self.roots[self.ref(array).root].restored = True

    def download(self, array: DeviceArray) -> Any:
        self.looked = True
        return self.device.download(array)

    def empty(self, shape: tuple[int, ...], dtype: Any) -> DeviceArray:
        return self.rooted(self.device.empty(shape, dtype))

    def copy(self, array: DeviceArray) -> DeviceArray:
        self.looked = True
        return self.rooted(self.device.copy(array))

    def restore(self, array: DeviceArray, saved: Any) -> None:
        self.looked = True
        self.overwritten(array)
        self.device.restore(array, saved)

    def address(self, array: DeviceArray) -> int:
        return self.device.address(array)

    def libraries(self, module: Module) -> dict[str, Callable[..., Any]]:
        return {name: self._library(run) for name, run in self.device.libraries(module).items()}

    def _library(self, run: Callable[..., Any]) -> Callable[..., Any]:
        def call(*args: Any) -> Any:
            self.looked = True
            return self.rooted(run(*args))

        return call

    def products(self) -> Program | None:
        found = self.device.products()
        return None if found is None else Written(self, False, found)

    def load(self, source: str, plans: Mapping[str, Plan], mode: str) -> Program:
        return Written(self, "#define WIDE_INDICES" in source)

    def adopt(self, array: Any) -> DeviceArray:
        return self.rooted(self.device.adopt(array))

    def release(self, array: DeviceArray) -> Any:
        return self.device.release(array)

    def fill(self, memory: Any, array: DeviceArray) -> None:
        self.looked = True
        self.device.fill(memory, array)

    def on(self, stream: Any) -> AbstractContextManager[Any]:
        return self.device.on(stream)

    def current(self) -> int:
        return self.device.current()

    def capture(self, run: Callable[[], None]) -> Callable[[], None]:
        return self.device.capture(run)

    def status(self) -> Any:
        self.looked = True
        return self.device.status()

    def read_status(self, status: Any) -> int:
        return self.device.read_status(status)


@dataclass(slots=True)
class Written:
    """A program whose launches are written down."""

    recorder: Recorder
    wide: bool
    library: Program | None = None

    def launch(self, kernel: Kernel, geometry: Geometry, args: list[Any], status: Any) -> None:
        program = self.library or self.recorder.programs(self.wide)
        program.launch(kernel, geometry, args, status)
        refs = [self.recorder.ref(a) if isinstance(a, DeviceArray) else a for a in args]
        self.recorder.launches.append((program, kernel, geometry, refs))


@dataclass(slots=True)
class Tape:
    """The launches of a call with given shapes. ``graph``: they were captured, over memory of their own."""

    roots: list[Root]
    launches: list[tuple[Program, Kernel, Geometry, list[Any]]]
    result: Any
    graph: Callable[[], None] | None = None
    own: list[Any] = field(default_factory=list)

    def play(self, device: Device, given: list[Any]) -> Any:
        """The launches with these arguments; gives the results."""
        memories = [self._memory(device, root, given) for root in self.roots]
        self._launch(memories)
        return self._results(device, memories, given)

    def capture(self, device: Device, given: list[Any]) -> Any:
        """The same through a graph of the device, made at the first call; arguments and results are copied."""
        if self.graph is None:
            self.own = [self._memory(device, root, given, own=True) for root in self.roots]
            self.graph = device.capture(lambda: self._launch(self.own))
        for root, memory in zip(self.roots, self.own, strict=True):
            if root.param >= 0:
                device.fill(memory, given[root.param])
        self.graph()
        for root, memory in zip(self.roots, self.own, strict=True):
            if root.param >= 0 and root.stored:
                device.fill(given[root.param].memory, DeviceArray(memory, (root.size,), np.dtype(np.uint8)))
        return self._results(device, self.own, given, copied=True)

    def _memory(self, device: Device, root: Root, given: list[Any], own: bool = False) -> Any:
        if root.param >= 0 and not own:
            return given[root.param].memory
        if root.result or root.param >= 0:
            return device.empty((root.size,), np.dtype(np.uint8)).memory
        return root.memory

    def _launch(self, memories: list[Any]) -> None:
        for program, kernel, geometry, refs in self.launches:
            args = [placed(each, memories) if isinstance(each, Ref) else each for each in refs]
            program.launch(kernel, geometry, args, None)

    def _results(self, device: Device, memories: list[Any], given: list[Any], copied: bool = False) -> Any:
        theirs = [given[root.param].memory if root.param >= 0 else None for root in self.roots]

        def of(value: Any) -> Any:
            match value:
                case tuple():
                    return tuple(map(of, value))
                case Ref() if self.roots[value.root].param >= 0:
                    return placed(value, theirs)
                case Ref():
                    array = placed(value, memories)
                    return array if self.roots[value.root].result and not copied else device.copy(array)
                case _:
                    return value

        return of(self.result)


def stores(launches: list[tuple[Program, Kernel, Geometry, list[Any]]], roots: list[Root], root: Root) -> bool:
    """Whether a launch stores in some memory."""
    return any(
        isinstance(ref, Ref) and roots[ref.root] is root and parameter.written
        for _, kernel, _, refs in launches
        for parameter, ref in zip(kernel.parameters, refs, strict=False)
    )


def placed(ref: Ref, memories: list[Any]) -> DeviceArray:
    """The array of a reference."""
    return DeviceArray(memories[ref.root][ref.offset :], ref.shape, ref.dtype)


class Resident:
    """A function over arrays in the device's memory; ``tapes``: the lists, by the stream and the shapes that they are
    for, those used last at the end."""

    def __init__(self, run: Callable[[Recorder, list[Any]], Any], device: Device, programs: Callable[[bool], Program],
                 stream: Any, graph: bool) -> None:  # fmt: skip
        self.run, self.device, self.programs = run, device, programs
        self.stream, self.graph = stream, graph
        self.tapes: dict[tuple[Any, ...], Tape] = {}
        self.alone = RLock()

    def __call__(self, *args: Any) -> Any:
        """Arrays of the device, in the order of the parameters (or what the device can adopt without a copy); gives
        such arrays. Numbers are numbers. Threads take turns: the launches of one call stand together on its stream.

        Raises:
            RunError: the call would not return.
            UsageError: an argument is no array, or is overwritten and could be adopted only as a copy.
        """
        args = tuple(a.detach() if hasattr(a, "detach") else a for a in args)  # a tensor that has a gradient
        with self.alone, self.device.on(self.stream):
            given = [a if isinstance(a, int | float) else self.device.adopt(a) for a in args]
            key = self.device.current(), *map(_sort, given)
            tape = self.tapes.pop(key, None) if self._apart(given) else None
            copied = {k for k, a in enumerate(args) if self._copied(a, given[k])}
            if tape is None:
                return self._first(key, given, copied)
            self._keep(key, tape)
            self._refuse(copied, tape.roots, lambda root: root.stored)
            found = tape.capture(self.device, given) if self.graph else tape.play(self.device, given)
            return self._released(found)

    def _keep(self, key: tuple[Any, ...], tape: Tape) -> None:
        """A list as the one that was used last."""
        self.tapes[key] = tape
        while len(self.tapes) > MOST:
            del self.tapes[next(iter(self.tapes))]

    def _copied(self, argument: Any, adopted: Any) -> bool:
        """Whether an argument lies elsewhere: what is stored there, its owner does not see."""
        if not isinstance(adopted, DeviceArray) or adopted is argument or not adopted.size:
            return False
        if not hasattr(argument, "__cuda_array_interface__"):
            argument = shared(argument)
        return bool(address_of(argument) != self.device.address(adopted))

    @staticmethod
    def _refuse(copied: set[int], roots: list[Root], overwritten: Callable[[Root], bool]) -> None:
        for root in roots:
            if root.param in copied and overwritten(root):
                raise UsageError(
                    f"argument {root.param} is overwritten: give a contiguous array in the device's memory that can be"
                    " written, what was given is copied"
                )

    def _first(self, key: tuple[Any, ...], given: list[Any], copied: set[int]) -> Any:
        recorder = Recorder(self.device, self.programs)
        for k, each in enumerate(given):
            if isinstance(each, DeviceArray):
                recorder.rooted(each, k)
        result = self.run(recorder, given)
        self._refuse(copied, recorder.roots, recorder.stores)
        overwrites = any(root.filled and recorder.stores(root) for root in recorder.roots)
        if not recorder.looked and not overwrites and self._apart(given):
            self._keep(key, self._tape(recorder, result))
        return self._released(self._given(recorder, result))

    def _tape(self, recorder: Recorder, result: Any) -> Tape:
        """What was written down, without the memory of this call's arguments and results."""
        refs = self._refs(recorder, result)
        for root in recorder.roots:
            root.stored = recorder.stores(root)
        roots = [replace(root, memory=None) if root.param >= 0 or root.result else root for root in recorder.roots]
        return Tape(roots, recorder.launches, refs)

    def _given(self, recorder: Recorder, value: Any) -> Any:
        """A result as the caller may write to it: what the host put there is a constant, or what later runs read."""
        if isinstance(value, tuple):
            return tuple(self._given(recorder, each) for each in value)
        if not isinstance(value, DeviceArray) or not recorder.roots[recorder.ref(value).root].filled:
            return value
        return self.device.copy(value)

    def _apart(self, given: list[Any]) -> bool:
        """Whether no two arguments share memory."""
        arrays = [a for a in given if isinstance(a, DeviceArray)]
        places = sorted((self.device.address(a), a.size * int(a.dtype.itemsize)) for a in arrays)
        return all(a + size <= b for (a, size), (b, _) in pairwise(places))

    def _refs(self, recorder: Recorder, value: Any) -> Any:
        if isinstance(value, tuple):
            return tuple(self._refs(recorder, each) for each in value)
        if not isinstance(value, DeviceArray):
            return value
        ref = recorder.ref(value)
        root = recorder.roots[ref.root]
        root.result = root.param < 0 and any(
            isinstance(r, Ref) and r.root == ref.root and p.written
            for _, kernel, _, refs in recorder.launches
            for p, r in zip(kernel.parameters, refs, strict=False)
        )
        return ref

    def _released(self, value: Any) -> Any:
        if isinstance(value, tuple):
            return tuple(map(self._released, value))
        return self.device.release(value) if isinstance(value, DeviceArray) else value


def address_of(array: Any) -> int:
    """Where an array's first byte lies, on a device or in the host's memory."""
    interface = getattr(array, "__cuda_array_interface__", None) or array.__array_interface__
    return int(interface["data"][0])


def _sort(value: Any) -> tuple[Any, ...]:
    """What a list of launches is made for: a shape and a dtype, or a number itself, in which 0 and -0, or 1 and 1.0,
    are different."""
    if isinstance(value, DeviceArray):
        return value.shape, value.dtype.name
    return type(value), value.hex() if isinstance(value, float) else value
