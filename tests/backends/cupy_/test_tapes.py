"""What a recorded run keeps and hands out, on a device whose kernels store one number."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

pytest.importorskip("numpy")

import numpy as np

import refrelax as rr
from refrelax.backends.cupy_ import resident
from refrelax.backends.cupy_.compile import CudaExecutable
from refrelax.backends.cupy_.devices import DeviceArray
from refrelax.backends.cupy_.emulate import EmulatedDevice
from refrelax.backends.cupy_.geometry import Geometry
from refrelax.backends.cupy_.kernels import Kernel, Parameter
from refrelax.backends.cupy_.resident import Recorder, Ref, Resident, Root, Tape, stores
from refrelax.errors import UsageError
from refrelax.lower.pipeline import lower

SEVENS = int.from_bytes(b"\x07" * 4, "little")


class Device(EmulatedDevice):
    """Its kernels put a 7 in every byte that they may write."""

    def __init__(self) -> None:
        super().__init__()
        self.launched = list[str]()

    def load(self, source: str, plans: Any, mode: str) -> Any:
        return self

    def launch(self, kernel: Any, geometry: Any, args: list[Any], status: Any) -> None:
        self.launched.append(kernel.name)
        for parameter, given in zip(kernel.parameters, args, strict=False):
            if parameter.written:
                given.memory[: given.size * given.dtype.itemsize] = 7


def executable(body: str, params: str = 'x: R.Tensor(("n",), "int32")') -> CudaExecutable:
    lines = "\n".join(f"            {each}" for each in body.split("; "))
    text = f"""
@I.ir_module
class Module:
    @R.function
    def main({params}):
        with R.dataflow():
{lines}
            R.output(out)
        return out
"""
    return CudaExecutable(lower(rr.check(rr.parse(text)), pipeline="kernels").module, "fast", Device())


@pytest.mark.parametrize("graph", [False, True])
def test_a_constant_that_is_a_result_is_the_callers_own(graph: bool) -> None:
    call = executable('c = R.const([1, 2, 3], "int32"); y = R.add(x, x); out = (c, y)').resident(graph=graph)
    for turn in range(3):
        constant, made = call(np.zeros(4, np.int32))
        assert constant.tolist() == [1, 2, 3] and made.tolist() == [SEVENS] * 4
        constant[:], made[:] = 9, turn
    assert len(call.tapes) == 1


@pytest.mark.parametrize("graph", [False, True])
def test_results_and_arguments_are_nobody_elses(graph: bool) -> None:
    call = executable("y = R.add(x, x); out = (y, x)").resident(graph=graph)
    given = np.arange(4, dtype=np.int32)
    first, same = call(given)
    second, again = call(given)
    assert first.tolist() == second.tolist() == [SEVENS] * 4 and not np.shares_memory(first, second)
    assert same.tolist() == again.tolist() == [0, 1, 2, 3]
    assert np.shares_memory(again, given) and np.shares_memory(same, given)


def test_a_list_keeps_no_memory_of_its_callers() -> None:
    call = executable("y = R.add(x, x); z = R.concat((y, x)); w = R.cumsum(z); out = (y, w)").resident()
    call(np.zeros(4, np.int32))
    (tape,) = call.tapes.values()
    kinds = [(root.param >= 0, root.result, root.memory is None) for root in tape.roots]
    assert (True, False, True) in kinds and (False, True, True) in kinds
    assert all(gone == (given or result) for given, result, gone in kinds)


def test_lists_are_for_shapes_dtypes_and_numbers() -> None:
    device = Device()
    runs = list[Any]()

    def run(recorder: Recorder, given: list[Any]) -> Any:
        runs.append(given)
        return given[0]

    call = Resident(run, device, lambda wide: device, None, False)
    zero = np.zeros(3, np.float32)
    for args in ((zero,), (np.ones(3, np.float32),), (np.zeros(3, np.int32),), (np.zeros((3, 1), np.float32),),
                 (zero, 1), (zero, 1.0), (zero, 0.0), (zero, -0.0), (zero, 1)):  # fmt: skip
        call(*args)
    assert len(runs) == 7 and len(call.tapes) == 7


def test_the_lists_that_were_used_last_are_kept(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(resident, "MOST", 2)
    call = executable("out = R.add(x, x)").resident()
    for n in (1, 2, 1, 3):
        call(np.zeros(n, np.int32))
    assert [key[1][0] for key in call.tapes] == [(1,), (3,)]


# --- who stores where ------------------------------------------------------------------------------------------------


def kernel(*written: bool) -> Kernel:
    named = tuple(Parameter("buffer", f"b{k}", "int32", each) for k, each in enumerate(written))
    return Kernel("k", "elementwise", named, (), ())


def recorder() -> Recorder:
    device = Device()
    return Recorder(device, lambda wide: device)


def test_roots_by_their_bytes() -> None:
    r = recorder()
    outer = r.empty((8,), np.dtype(np.int32))
    inner = DeviceArray(outer.memory[8:], (2,), np.dtype(np.int32))
    last = DeviceArray(outer.memory[24:], (2,), np.dtype(np.int32))
    other = r.empty((2,), np.dtype(np.int8))
    assert [r.ref(each) for each in (outer, inner, last, other)] == [
        Ref(0, 0, (8,), outer.dtype), Ref(0, 8, (2,), outer.dtype), Ref(0, 24, (2,), outer.dtype),
        Ref(1, 0, (2,), other.dtype),
    ]  # fmt: skip
    with pytest.raises(LookupError):
        r.ref(Device().empty((2,), np.dtype(np.int8)))
    again = r.rooted(inner, 3)
    assert r.ref(again).root == 2 and r.roots[2].param == 3, "the latest root that has it"
    assert [root.size for root in r.roots] == [32, 2, 24]


def test_stores() -> None:
    roots = [Root(None, 0, 4), Root(None, 4, 4)]
    refs = [Ref(0, 0, (1,), None), Ref(1, 0, (1,), None)]
    launches: list[Any] = [(None, kernel(False, True), Geometry(1, 1), refs)]
    assert [stores(launches, roots, root) for root in roots] == [False, True]
    assert not stores([(None, kernel(False, True), Geometry(1, 1), [5, 6])], roots, roots[0])
    assert not stores([], roots, roots[0])


def test_what_the_host_sees_or_changes() -> None:
    def looked(act: Callable[[Recorder, DeviceArray], Any]) -> bool:
        r = recorder()
        act(r, r.empty((2,), np.dtype(np.int32)))
        return r.looked

    assert looked(lambda r, a: r.download(a)) and looked(lambda r, a: r.copy(a)) and looked(lambda r, a: r.status())
    assert looked(lambda r, a: r.restore(a, np.zeros(2, np.int32)))
    assert looked(lambda r, a: r.fill(a.memory, a))
    for quiet in (lambda r, a: r.upload(np.zeros(2)), lambda r, a: r.empty((1,), np.dtype(np.int8)),
                  lambda r, a: r.address(a), lambda r, a: r.release(a)):  # fmt: skip
        assert not looked(quiet)
    r = recorder()
    up = r.upload(np.zeros(2))
    assert r.roots[r.ref(up).root].filled and not r.stores(r.roots[0])
    r.restore(up, np.zeros(2))
    assert r.stores(r.roots[0]) and not r.roots[r.ref(r.empty((1,), np.dtype(np.int8))).root].filled
    empty = r.empty((0,), np.dtype(np.int8))
    r.overwritten(empty)
    assert not any(root.restored for root in r.roots[1:])


def test_arguments_that_touch_are_apart() -> None:
    memory = np.zeros(24, np.uint8)
    device = Device()
    call = Resident(lambda r, g: None, device, lambda wide: device, None, False)

    def at(start: int, count: int) -> DeviceArray:
        return DeviceArray(memory[start:], (count,), np.dtype(np.int32))

    assert call._apart([at(0, 2), at(8, 2), 5]) and call._apart([at(8, 2), at(0, 2)]) and call._apart([])
    assert not call._apart([at(0, 2), at(7, 2)]) and not call._apart([at(4, 1), at(0, 3)])


def test_a_copied_argument_cannot_be_overwritten() -> None:
    def run(recorder: Recorder, given: list[Any]) -> Any:
        recorder.launches.append((recorder.device, kernel(False, True), Geometry(1, 1), list(map(recorder.ref, given))))
        return None

    device = Device()
    call = Resident(run, device, lambda wide: device, None, False)
    plain, turned = np.zeros((2, 2), np.int32), np.zeros((2, 2), np.int32).T[:, ::-1]
    for _ in range(2):
        call(turned, plain)
    for _ in range(2):
        with pytest.raises(UsageError, match="argument 1"):
            call(plain, turned)
    assert not call._copied(5, 5)


@pytest.mark.parametrize("place", [0, 1])
def test_a_graph_copies_back_what_is_stored(place: int) -> None:
    device = Device()
    args = [DeviceArray(np.full(4, k + 1, np.uint8), (1,), np.dtype(np.int32)) for k in range(2)]
    roots = [Root(None, 0, 4, param=k, stored=k == place) for k in range(2)]
    refs = [Ref(k, 0, (1,), np.dtype(np.int32)) for k in range(2)]
    tape = Tape(roots, [(device, kernel(True, True), Geometry(1, 1), list(refs))], tuple(refs))
    for turn in range(2):
        found = tape.capture(device, args)
        assert args[1 - place].memory.tolist() == [2 - place] * 4, "stored says whether it is copied back"
        assert args[place].memory.tolist() == [7] * 4 and len(device.launched) == 1 + turn
        assert all(np.shares_memory(f.memory, a.memory) for f, a in zip(found, args, strict=True))
        args[place].memory[:] = 0


def test_a_graph_is_given_the_arguments_each_time() -> None:
    seen = list[list[int]]()

    class Looking(Device):
        def launch(self, kernel: Any, geometry: Any, args: list[Any], status: Any) -> None:
            seen.append([int(a.memory[0]) for a in args])

    device = Looking()
    roots = [Root(None, 0, 4, param=0), Root(None, 0, 4, param=1), Root(np.full(4, 9, np.uint8), 0, 4)]
    refs = [Ref(k, 0, (1,), np.dtype(np.int32)) for k in range(3)]
    tape = Tape(roots, [(device, kernel(False, False, False), Geometry(1, 1), list(refs))], None)
    for number in (3, 4):
        args = [DeviceArray(np.full(4, number + k, np.uint8), (1,), np.dtype(np.int32)) for k in range(2)]
        tape.capture(device, args)
        tape.play(device, args)
    assert seen == [[3, 4, 9], [3, 4, 9], [4, 5, 9], [4, 5, 9]]
