"""A list of launches has memory of its own: two threads, or two streams, must not use it at once; and there are not
ever more of them."""

from __future__ import annotations

import gc
import threading
import weakref
from contextlib import contextmanager
from functools import cache
from typing import Any

import pytest

pytest.importorskip("numpy")

import numpy as np

import refrelax as rr
from refrelax.backends.cupy_ import emulate, launch, resident
from refrelax.backends.cupy_.compile import CudaExecutable
from refrelax.backends.cupy_.emulate import EmulatedDevice

pytestmark = pytest.mark.skipif(emulate.compiler() is None, reason="no g++ on this machine")

TWO = """
@I.ir_module
class Module:
    @T.prim_func(private=True)
    def affine(a: T.handle, b: T.handle):
        n = T.int64()
        A = T.match_buffer(a, (n,), "float32")
        B = T.match_buffer(b, (n,), "float32")
        for i in range(n):
            with T.sblock("b"):
                v = T.axis.spatial(n, i)
                B[v] = A[v] * T.float32(2) + T.float32(1)
    @T.prim_func
    def scaled(a: T.handle, s: T.float32, b: T.handle):
        n = T.int64()
        A = T.match_buffer(a, (n,), "float32")
        B = T.match_buffer(b, (n,), "float32")
        for i in range(n):
            with T.sblock("b"):
                v = T.axis.spatial(n, i)
                B[v] = A[v] * s
    @R.function
    def main(x: R.Tensor(("n",), "float32")) -> R.Tensor(("n",), "float32"):
        n = T.int64()
        y = R.call_tir(Module.affine, (x,), out_ty=R.Tensor((n,), "float32"))
        z = R.call_tir(Module.affine, (y,), out_ty=R.Tensor((n,), "float32"))
        return z
"""


@cache
def compiled() -> CudaExecutable:
    return CudaExecutable(rr.check(rr.parse(TWO)), "fast", EmulatedDevice())


@pytest.mark.parametrize("way", ["list", "graph", "run"])
def test_threads_do_not_see_each_others_elements(way: str) -> None:
    made, wrong = compiled(), []
    call: Any = made["main"] if way == "run" else made.resident("main", graph=way == "graph")

    def work(thread: int) -> None:
        for turn in range(60):
            x = np.full(7, thread * 1000 + turn, np.float32)
            try:
                found = call(x).tolist()
            except Exception as error:
                wrong.append(f"{type(error).__name__}: {error}")
            else:
                wrong.extend([] if found == [4 * x[0] + 3] * 7 else [found])

    threads = [threading.Thread(target=work, args=(k,)) for k in range(4)]
    for each in threads:
        each.start()
    for each in threads:
        each.join()
    assert not wrong


class Streams(EmulatedDevice):
    """A device with streams; ``used``: the memory of the launches, by stream."""

    here = 0

    def __init__(self) -> None:
        super().__init__()
        self.used: dict[int, set[int]] = {}

    @contextmanager
    def on(self, stream: Any) -> Any:
        before, self.here = self.here, self.here if stream is None else stream
        yield
        self.here = before

    def current(self) -> int:
        return self.here

    def load(self, *args: Any) -> Any:
        program = super().load(*args)
        real = program.launch

        def noted(kernel: Any, geometry: Any, given: list[Any], status: Any) -> None:
            self.used.setdefault(self.here, set()).update(self.address(a) for a in given if hasattr(a, "memory"))
            real(kernel, geometry, given, status)

        object.__setattr__(program, "launch", noted)
        return program


@pytest.mark.parametrize("graph", [False, True])
def test_streams_share_no_memory_that_is_written(graph: bool) -> None:
    device = Streams()
    call = CudaExecutable(rr.check(rr.parse(TWO)), "fast", device).resident("main", graph=graph)
    kept = []
    for stream in (1, 2, 1, 2):
        with device.on(stream):
            kept += [x := np.full(5, stream, np.float32), call(x)]
            assert kept[-1].tolist() == [4 * stream + 3] * 5
    assert device.used[1] and device.used[2] and not device.used[1] & device.used[2]


def test_there_are_not_ever_more_lists() -> None:
    made = compiled()
    call = made.resident("main")
    for size in range(2 * resident.MOST):
        assert call(np.ones(size, np.float32)).tolist() == [7] * size
    assert len(call.tapes) == resident.MOST
    first = next(iter(call.tapes))
    call(np.ones(resident.MOST, np.float32))  # the oldest is used again, so another one goes
    call(np.ones(5000, np.float32))
    assert first in call.tapes and len(call.tapes) == resident.MOST
    scaled, out = made.resident("scaled"), np.zeros(3, np.float32)
    for k in range(2 * resident.MOST):
        scaled(np.ones(3, np.float32), float("nan") if k % 2 else k / 8, out)
    assert len(scaled.tapes) <= resident.MOST


def test_what_is_remembered_of_sizes_is_bounded(monkeypatch: pytest.MonkeyPatch) -> None:
    made = compiled()
    monkeypatch.setattr(launch, "MOST", 8)
    out, launcher = np.zeros(3, np.float32), made.launchers["scaled"]
    for k in range(40):
        made.run("scaled", np.ones(3, np.float32), k / 8, out)
    assert len(launcher.narrow) == 1  # a number that is no size says nothing of indices
    for k in range(40):
        made.run("scaled", np.ones(k, np.float32), 1.0, np.zeros(k, np.float32))
    assert len(launcher.narrow) <= 8


def test_a_list_keeps_no_array_of_the_caller() -> None:
    call, x = compiled().resident("main"), np.ones(11, np.float32)
    gone = weakref.ref(x)
    result = weakref.ref(call(x))
    del x
    gc.collect()
    assert gone() is None and result() is None
    assert call(np.zeros(11, np.float32)).tolist() == [3] * 11
