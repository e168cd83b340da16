"""What a launcher decides before and after its kernels run: a device that only writes down what it is told."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

pytest.importorskip("numpy")

import numpy as np
from programs import module

from refrelax.backends.cupy_.devices import DeviceArray, array_of, bytes_of
from refrelax.backends.cupy_.emulate import EmulatedDevice
from refrelax.backends.cupy_.launch import MOST, Launcher, _remembered, enter
from refrelax.backends.cupy_.plan import Plan, plans
from refrelax.errors import Ended, Exhausted, Trapped, Unspecified

PLANS = plans(module().module, "fast")
BITS = plans(module().module, "bits")


class Told:
    """A program, and the host: what was asked of them. ``reports``: what kernels leave in the status word."""

    def __init__(self, name: str, reports: int = 0) -> None:
        self.name, self.reports, self.kernels, self.arrays = name, reports, list[str](), list[Any]()

    def launch(self, kernel: Any, geometry: Any, args: list[Any], status: Any) -> None:
        self.kernels.append(kernel.name)
        for parameter, given in zip([p for p in kernel.parameters if p.kind != "status"], args, strict=True):
            if parameter.written:
                given.memory[:] = 7
        if status is not None:
            status[0] |= self.reports


def launcher(plan: Plan, device: Any = None, mode: str = "fast", reports: int = 0) -> tuple[Launcher, Told, Told, Any]:
    """With its programs of 32 and 64 bits, and what the host was given."""
    short, long, host = Told("short", reports), Told("long", reports), list[Any]()

    def on_host(func: Any, name: str) -> Callable[..., Any]:
        def run(*args: Any) -> None:
            host.append([np.array(a) if isinstance(a, np.ndarray) else a for a in args])
            for each in args:
                if isinstance(each, np.ndarray):
                    each += 1

        return run

    return Launcher(plan, device or EmulatedDevice(), short, lambda: long, mode, on_host), short, long, host


def up(array: Any) -> DeviceArray:
    return EmulatedDevice().upload(np.asarray(array))


def down(array: DeviceArray) -> Any:
    return EmulatedDevice().download(array)


def f32(*shape: int) -> DeviceArray:
    return up(np.zeros(shape, np.float32))


# --- arguments -------------------------------------------------------------------------------------------------------


def test_symbols_are_the_extents_and_numbers() -> None:
    call = enter(PLANS["row_sum"], (f32(3, 4), f32(3)))
    assert call.symbols == {"n": 3, "m": 4} and list(call.arrays) == ["A", "B"]
    call = enter(PLANS["let_and_select"], (f32(6), 1.5, True, f32(6)))
    assert call.symbols == {"s": 1.5, "k": 1} and type(call.symbols["k"]) is int


@pytest.mark.parametrize(
    "args", [(f32(3, 4),), (f32(3, 4), f32(4)), (f32(3), f32(3)), (up(np.zeros((3, 4))), f32(3)), (f32(3, 4), 1.0)]
)
def test_arguments_that_do_not_fit(args: tuple[Any, ...]) -> None:
    with pytest.raises(Ended):
        enter(PLANS["row_sum"], args)


def test_extents_are_bounded() -> None:
    def with_extent(n: int) -> tuple[Any, ...]:
        return DeviceArray(None, (n, 0), np.dtype(np.float32)), DeviceArray(None, (n,), np.dtype(np.float32))

    assert enter(PLANS["row_sum"], with_extent((1 << 31) - 1)).symbols["n"] == (1 << 31) - 1
    with pytest.raises(Ended) as ended:
        enter(PLANS["row_sum"], with_extent(1 << 31))
    assert isinstance(ended.value.outcome, Exhausted)
    assert enter(PLANS["let_and_select"], (f32(6), 1e30, 3, f32(6))).symbols["s"] == 1e30, "a float is no extent"


# --- launches --------------------------------------------------------------------------------------------------------


def test_32_bits_where_they_do() -> None:
    run, short, long, host = launcher(PLANS["row_sum"])
    run(f32(3, 40), f32(3))
    assert (len(short.kernels), long.kernels, host) == (1, [], [])
    empty = DeviceArray(np.zeros(4, np.uint8), (1 << 30, 4), np.dtype(np.float32))
    result = DeviceArray(np.zeros(4, np.uint8), (1 << 30,), np.dtype(np.float32))
    result.memory, empty.memory = np.zeros(4, np.uint8), np.zeros(4, np.uint8)
    run._step(PLANS["row_sum"].steps[0], enter(PLANS["row_sum"], (empty, result)), None)
    assert (len(short.kernels), len(long.kernels)) == (1, 1)


def test_nothing_to_do_is_no_launch_and_too_much_is_none() -> None:
    run, short, _, _ = launcher(PLANS["row_sum"])
    run(f32(0, 40), f32(0))
    assert short.kernels == []
    (step,) = PLANS["broadcast_f16"].steps
    call = enter(PLANS["broadcast_f16"], tuple(up(np.zeros(s, np.float16)) for s in ((1, 1), (1, 1), (1, 1))))
    run, short, long, _ = launcher(PLANS["broadcast_f16"])
    most = ((1 << 31) - 1) * 256
    call.symbols = {"n": most, "m": 1}
    run._step(step, call, None)
    assert len(short.kernels + long.kernels) == 1
    call.symbols = {"n": most + 1, "m": 1}
    with pytest.raises(Ended) as ended:
        run._step(step, call, None)
    assert isinstance(ended.value.outcome, Exhausted)


def test_a_product_of_a_library() -> None:
    (made,) = [p for p in plans(module().module, "fast", library=True).values() if p.name == "matmul"]
    run, short, long, _ = launcher(made, EmulatedDevice(library=True))
    a, b, c = up(np.ones((2, 3), np.float32)), up(np.ones((4, 3), np.float32)), f32(2, 4)
    run(a, b, c)
    assert not short.kernels and not long.kernels and (down(c) == 3).all()
    # Without depth there is nothing to multiply: the kernel writes zeros.
    run(f32(2, 0), f32(4, 0), c)
    assert len(short.kernels) == 1
    run, short, _, _ = launcher(made)
    run(a, b, c)
    assert len(short.kernels) == 1, "a device without the library"


# --- reports ---------------------------------------------------------------------------------------------------------

STORES = PLANS["checked_store"]


@pytest.mark.parametrize(
    ("reports", "kind", "rule"),
    [
        (1, Unspecified, "ld/store-out-of-bounds"), (2, Trapped, "ld/assert-fails"),
        (4, Unspecified, "num/int-division-by-zero"), (7, Unspecified, "ld/store-out-of-bounds"),
        (6, Unspecified, "num/int-division-by-zero"), (10, Trapped, "ld/assert-fails"),
    ],
)  # fmt: skip
def test_reports_end_a_run(reports: int, kind: type, rule: str) -> None:
    run, _, _, host = launcher(STORES, reports=reports)
    with pytest.raises(Ended) as ended:
        run(up(np.zeros(3, np.int64)), f32(4))
    assert isinstance(ended.value.outcome, kind) and ended.value.outcome.rule == rule and not host


def test_no_report_and_no_doubt() -> None:
    run, short, _, host = launcher(STORES)
    run(up(np.zeros(3, np.int64)), f32(4))
    assert len(short.kernels) == 1 and not host and run.in_doubt == 0


def test_a_rounding_in_doubt_is_decided_on_the_host() -> None:
    assert BITS["checked_store"].reports
    run, short, _, host = launcher(BITS["checked_store"], mode="bits", reports=8)
    index, stored = up(np.array([0, 1, 2])), up(np.full(4, 5, np.float32))
    run(index, stored)
    assert len(short.kernels) == 1 and run.in_doubt == 1
    ((seen_index, seen),) = host
    assert (seen == 5).all() and (seen_index == [0, 1, 2]).all(), "the host begins with what the call was given"
    assert (down(stored) == 6).all() and (down(index) == [1, 2, 3]).all()


# --- arguments that share memory -------------------------------------------------------------------------------------


def apart(memory: Any, start: int, count: int, dtype: Any = np.float32) -> DeviceArray:
    return DeviceArray(memory[start:], (count,), np.dtype(dtype))


@pytest.mark.parametrize(
    ("first", "second", "shared"),
    [((0, 4), (16, 4), False), ((16, 4), (0, 4), False), ((0, 4), (15, 4), True), ((15, 4), (0, 4), True),
     ((0, 4), (0, 4), True), ((0, 0), (0, 4), False), ((0, 8), (4, 2), True)],
)  # fmt: skip
def test_sharing(first: tuple[int, int], second: tuple[int, int], shared: bool) -> None:
    run, _, _, _ = launcher(PLANS["row_sum"])
    memory = np.zeros(64, np.uint8)
    call = enter(PLANS["row_sum"], (f32(3, 4), f32(3)))
    (written,) = {p.name for k in PLANS["row_sum"].kernels for p in k.parameters if p.written}
    (read,) = call.arrays.keys() - {written}
    for names in ((written, read), (read, written)):
        call.arrays = {names[0]: apart(memory, *first), names[1]: apart(memory, *second)}
        assert run._overlap(call) is shared
    call.arrays = {read: apart(memory, *first), "other": apart(memory, *second)}
    assert not run._overlap(call), "nobody writes"


def test_what_shares_memory_runs_on_the_host_and_shares_it_there() -> None:
    run, short, _, host = launcher(PLANS["row_sum"])
    memory = np.arange(80, dtype=np.uint8)
    whole = DeviceArray(memory[8:], (3, 4), np.dtype(np.float32))
    part = DeviceArray(memory[16:], (3,), np.dtype(np.float32))
    before = memory.copy()
    run(whole, part)
    ((seen, seen_part),) = host
    assert not short.kernels and run.in_doubt == 1
    assert (bytes_of(seen) == before[8:56]).all() and (bytes_of(seen_part) == before[16:28]).all()
    assert (memory[:8] == before[:8]).all() and (memory[56:] == before[56:]).all()
    # The host added one to each element of both, in memory that they share there, too.
    wanted = before.copy()
    floats = array_of(wanted[8:], (3, 4), np.dtype(np.float32))
    floats += 1
    array_of(wanted[16:], (3,), np.dtype(np.float32))[:] += 1
    assert memory.tolist() == wanted.tolist()


def test_copies_keep_what_lies_apart_apart() -> None:
    run, _, _, _ = launcher(PLANS["row_sum"])
    memory = np.arange(100, dtype=np.uint8)
    places = [(40, 4), (0, 4), (16, 2), (20, 3), (60, 1)]
    arrays = [apart(memory, start, count) for start, count in places]
    found = run._copies(arrays)
    copies = [found[id(each)] for each in arrays]
    assert [bytes_of(c).tolist() for c in copies] == [list(range(s, s + 4 * n)) for s, n in places]
    for k, one in enumerate(copies):
        for j, other in enumerate(copies):
            assert np.shares_memory(one, other) is (k == j or {k, j} == {2, 3})


def test_copies_of_what_lies_inside_another() -> None:
    run, _, _, _ = launcher(PLANS["row_sum"])
    memory = np.arange(100, dtype=np.uint8)
    outer, inner, last = apart(memory, 0, 20), apart(memory, 8, 1), apart(memory, 40, 2)
    copies = run._copies([inner, outer, last])
    assert np.shares_memory(copies[id(outer)], copies[id(last)]), "the one inside ends before the outer one does"
    assert bytes_of(copies[id(last)]).tolist() == list(range(40, 48))


# --- what is remembered ----------------------------------------------------------------------------------------------


def test_answers_are_asked_once_for_sizes() -> None:
    answers: dict[tuple[Any, ...], bool] = {}
    (kernel,) = PLANS["row_sum"].kernels
    asked: list[bool] = []

    def ask() -> bool:
        asked.append(True)
        return False

    for symbols in ({"n": 1}, {"n": 1}, {"n": 1, "s": 2.5}, {"n": 2}, {"m": 1}):
        assert _remembered(answers, kernel, symbols, ask) is False
    assert len(asked) == 3
    answers.clear()
    for n in range(MOST):
        _remembered(answers, kernel, {"n": n}, ask)
    assert len(answers) == MOST
    _remembered(answers, kernel, {"n": 0}, ask)
    assert len(answers) == MOST
    _remembered(answers, kernel, {"n": MOST}, ask)
    assert len(answers) == 1
