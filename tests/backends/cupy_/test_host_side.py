"""The host's side of a CUDA module: what is shown of a run, what a call writes where, what is counted. The device's
kernels put a 7 in every byte that they may write (``test_tapes.py``), so nothing is compiled."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import pytest

pytest.importorskip("numpy")

import numpy as np

import refrelax as rr
from refrelax.backends.cupy_.compile import Border, CudaExecutable, _on_host
from refrelax.backends.cupy_.counting import Cost, CountingDevice, Launched
from refrelax.backends.cupy_.devices import DeviceArray
from refrelax.backends.cupy_.launch import enter
from refrelax.backends.cupy_.plan import cuda_source, plans
from refrelax.backends.cupy_.resident import Recorder, Written
from refrelax.errors import Ended, Exhausted, RunError, Trapped, UsageError
from refrelax.lower.pipeline import lower
from refrelax.semantics.values import Shape
from tests.backends.cupy_.test_launcher import Told, launcher, up
from tests.backends.cupy_.test_tapes import Device

OBSERVED = """
@I.ir_module
class Module:
    @R.function
    def inner(run: R.Tensor(("n",), "float32"), s: R.Shape(["n"])):
        y = R.add(run, R.ones(s, "float32"))
        return y

    @R.function
    def main(x: R.Tensor(("n",), "float32"), t: R.Tuple(R.Tensor(("n",), "float32"), R.Tensor((), "bool"))):
        n = T.int64()
        cls = Module
        run = R.multiply(x, t[0])
        z = cls.inner(run, R.shape([n]))
        if t[1]:
            w = R.negative(z)
        else:
            w = R.exp(z)
        parts = R.split(w, 1)
        return (parts, w)
"""


def flat(value: Any) -> Any:
    if isinstance(value, tuple):
        return [flat(each) for each in value]
    if isinstance(value, np.ndarray | np.generic):
        return (np.asarray(value).dtype.name, np.asarray(value).tolist())
    return str(value)


@pytest.mark.parametrize("truth", [True, False])
def test_what_is_observed_is_what_the_numpy_backend_shows(truth: bool) -> None:
    checked = rr.check(rr.parse(OBSERVED))
    given = np.array([1.0, 2.0], np.float32), (np.array([3.0, -1.0], np.float32), np.array(truth))
    found = CudaExecutable(checked, "bits", Device()).observe("main", *given)
    wanted = rr.compile(checked, mode="bits").observe("main", *given)
    assert isinstance(found.outcome, rr.Returned) and len(found.frames) == len(wanted.frames) > 6
    for mine, theirs in zip(found.frames, wanted.frames, strict=True):
        assert (mine.path, mine.name, mine.done) == (theirs.path, theirs.name, theirs.done)
        assert {k: flat(v) for k, v in mine.names.items()} == {k: flat(v) for k, v in theirs.names.items()}
        assert flat(mine.value) == flat(theirs.value)


FUNCTION = """
@I.ir_module
class Module:
    @R.function(pure=False)
    def main(x: R.Tensor((3,), "float32")):
        y = R.call_packed("double", x, ty_args=R.Tensor((3,), "float32"))
        return y
"""


def test_functions_that_are_given_are_called() -> None:
    made = CudaExecutable(rr.check(rr.parse(FUNCTION)), "fast", Device())
    x, calls = np.array([1, 2, 3], np.float32), list[int]()

    def double(each: Any) -> Any:
        calls.append(1)
        return np.asarray(each.numpy() if hasattr(each, "numpy") else each) * 2

    outcome = made.observe("main", x, externs={"double": double}).outcome
    assert isinstance(outcome, rr.Returned) and outcome.value.numpy().tolist() == [2, 4, 6]
    outcome = made.run("main", x, externs={"double": double})
    assert isinstance(outcome, rr.Returned) and len(calls) == 2


TWICE = """
@I.ir_module
class Module:
    @T.prim_func(s_tir=True)
    def twice(a: T.handle, b: T.handle, s: T.float32):
        n = T.int64()
        A = T.match_buffer(a, (n,), "int32")
        B = T.match_buffer(b, (n,), "int32")
        for i in range(n):
            with T.sblock("twice"):
                v = T.axis.spatial(n, i)
                B[v] = A[v] + A[v]

    @T.prim_func(s_tir=True)
    def strided(a: T.handle, B: T.Buffer((4,), "int32")):
        n, s, q = T.int64(), T.int64(), T.int64()
        A = T.match_buffer(a, (n, 4), "int32", strides=[s, 1], elem_offset=q)
        for i in range(4):
            with T.sblock("strided"):
                v = T.axis.spatial(4, i)
                B[v] = T.Cast("int32", s) + T.Cast("int32", q)

    @R.function
    def same(x: R.Tensor(("n",), "int32")):
        return x

    @R.function
    def fails(x: R.Tensor(("n",), "int32")):
        y = R.match_cast(x, R.Tensor((2,), "int32"))
        return y
"""

SEVENS = int.from_bytes(b"\x07" * 4, "little")


def module() -> CudaExecutable:
    return CudaExecutable(rr.check(rr.parse(TWICE)), "fast", Device())


def test_a_call_of_a_loop_program_writes_to_the_callers_array_alone() -> None:
    call = module()["twice"]
    a, b = np.arange(3, dtype=np.int32), np.zeros(3, np.int32)
    call(a, b, 1.5)
    assert a.tolist() == [0, 1, 2] and b.tolist() == [SEVENS] * 3
    read = np.frombuffer(bytes(12), np.int32)
    call(read, b, 1.5)
    with pytest.raises(UsageError, match="read-only"):
        call(a, read, 1.5)
    with pytest.raises(UsageError, match="share memory"):
        call(b, b, 1.5)
    for wrong in ((a,), (a, b), (a, b, 1.5, 2)):
        with pytest.raises(RunError):
            call(*wrong)


def test_an_array_of_a_device_is_copied_where_it_is_read_and_refused_where_it_is_written() -> None:
    there = SimpleNamespace(__cuda_array_interface__={}, get=lambda: np.arange(3, dtype=np.int32))
    tensor = SimpleNamespace(__cuda_array_interface__={}, detach=lambda: SimpleNamespace(cpu=lambda: 5))
    assert _on_host(there).tolist() == [0, 1, 2] and _on_host(tensor) == 5 and _on_host(7) == 7
    made, b = module(), np.zeros(3, np.int32)
    made["twice"](there, b, 1.5)
    assert b.tolist() == [SEVENS] * 3 and made["same"](there).tolist() == [0, 1, 2]
    with pytest.raises(UsageError, match="B is written, and the array given for it is on a device"):
        made["twice"](b, there, 1.5)


def test_a_call_of_a_function() -> None:
    made = module()
    assert made["same"](np.arange(3, dtype=np.int32)).tolist() == [0, 1, 2]
    assert made["fails"](np.arange(2, dtype=np.int32)).tolist() == [0, 1]
    with pytest.raises(RunError):
        made["fails"](np.arange(3, dtype=np.int32))
    with pytest.raises(UsageError):
        made["nobody"]


def test_strides_that_are_symbols_are_those_of_rows() -> None:
    plan = module().plans["strided"]
    call = enter(plan, (up(np.zeros((5, 4), np.int32)), up(np.zeros(4, np.int32))))
    assert (call.symbols["n"], call.symbols["s"], call.symbols["q"]) == (5, 4, 0)


def test_values_of_a_border() -> None:
    border = Border(Device())
    made = border.up((np.zeros(2), (np.float32(3), 5), Shape((1,)), "text"))
    assert isinstance(made[0], DeviceArray) and isinstance(made[1][0], DeviceArray)
    assert made[1][1:] == (5,) and made[2:] == (Shape((1,)), "text")
    back = border.down(made)
    assert back[0].tolist() == [0, 0] and back[1][0].tolist() == 3 and back[1][1] == 5 and back[2] == Shape((1,))
    rt = border.runtime()
    assert rt.truth(border.up(np.array(True))) is True and rt.truth(border.up(np.array(False))) is False
    array = border.up(np.zeros(2))
    assert rt.scalar(array) is array and rt.scalar(4) == 4


# --- what is counted and written down --------------------------------------------------------------------------------


def test_a_cost_is_a_table() -> None:
    rows = [Launched("k_0", "elementwise", 12, 256, 1234567, 8), Launched("longer_1", "fold", 1, 32, 0, 40)]
    assert str(Cost(tuple(rows))).split("\n") == [
        "kernel      form         blocks  threads  bytes read  bytes written",
        "k_0         elementwise      12      256   1 234 567              8",
        "longer_1    fold              1       32           0             40",
        "2 launches                                 1 234 567             48",
    ]


def test_a_counting_device_has_no_reports_and_one_stream() -> None:
    device = CountingDevice()
    assert device.current() == 0 and device.status() is None and device.read_status(None) == 0
    assert device.products() is None and CountingDevice(library=True).products() is not None


def test_what_a_library_does_is_looked_at_and_its_products_are_written_down() -> None:
    device = Device()
    device.libraries = lambda module: {"f": lambda *args: device.empty((2,), np.dtype(np.int8))}  # type: ignore[method-assign]
    recorder = Recorder(device, lambda wide: device)
    assert recorder.products() is None
    made = recorder.libraries(module().checked.module)["f"](1)
    assert recorder.looked and recorder.ref(made).root == 0
    told = Told("product")
    device.products = lambda: told  # type: ignore[method-assign,assignment,return-value]
    found = recorder.products()
    assert isinstance(found, Written) and found.library is told and not found.wide


def test_what_does_not_fit_64_bits_is_not_launched() -> None:
    text = """
@I.ir_module
class Module:
    @T.prim_func(s_tir=True)
    def main(a: T.handle, O: T.Buffer((4,), "int64")):
        n = T.int64()
        A = T.match_buffer(a, (n,), "int8")
        assert n < T.int64(50), "few"
        for i in range(4):
            with T.sblock("powers"):
                v = T.axis.spatial(4, i)
                O[(v + n * n * n * n * n * n * n * n * n * n * n * n) % T.int64(4)] = T.int64(1)
"""
    plan = plans(rr.check(rr.parse(text)).module, "fast")["main"]
    for n, kind in ((3, None), (48, Exhausted), (50, Trapped)):
        run, short, long, _ = launcher(plan)
        args = up(np.zeros(n, np.int8)), up(np.zeros(4, np.int64))
        if kind is None:
            run(*args)
            assert len(short.kernels + long.kernels) == 1
            continue
        with pytest.raises(Ended) as ended:
            run(*args)
        assert isinstance(ended.value.outcome, kind) and not short.kernels + long.kernels


def test_a_text_is_of_a_module_checked_or_not() -> None:
    checked = lower(rr.check(rr.parse(TWICE)), pipeline="kernels").module
    assert cuda_source(checked) == cuda_source(checked.module) and "__global__ void twice" in cuda_source(checked)
