"""Every form of a kernel, emulated: equal to the interpreter, whatever order the threads run in."""

from __future__ import annotations

from functools import cache
from typing import Any

import pytest

pytest.importorskip("numpy")

import numpy as np
from programs import CALLS, KERNELS, arguments, module

import refrelax as rr
from refrelax.backends.cupy_ import emulate, nvrtc
from refrelax.backends.cupy_.compile import CudaExecutable
from refrelax.backends.cupy_.emulate import EmulatedDevice
from refrelax.backends.cupy_.plan import cuda_source, plans
from refrelax.judge import diff
from refrelax.judge.verdicts import Agreement

needs_gxx = pytest.mark.skipif(emulate.compiler() is None, reason="no g++ on this machine")


@cache
def executable(mode: str, order: int = 0) -> CudaExecutable:
    return CudaExecutable(module(), mode, EmulatedDevice(order))


def same(found: Any, wanted: Any) -> bool:
    """Equal elements, zeros by sign, any NaN a NaN."""
    a, b = found.numpy(), wanted.numpy()
    if a.dtype != b.dtype or a.shape != b.shape:
        return False
    if a.dtype.kind in "iub":
        return bool((a == b).all())
    a, b = a.astype(np.float64), b.astype(np.float64)
    return bool((((a == b) & (np.signbit(a) == np.signbit(b))) | (np.isnan(a) & np.isnan(b))).all())


def check_bits(name: str, k: int, order: int) -> None:
    """Compare where the definition gives a meaning: an element that it leaves open may be anything."""
    wanted = rr.run(module(), name, *arguments(name, k))
    found = executable("bits", order).run(name, *arguments(name, k))
    assert isinstance(wanted, rr.Returned) and isinstance(found, rr.Returned), (wanted, found)
    for place, (f, w) in enumerate(zip(found.arguments, wanted.arguments, strict=True)):
        if hasattr(w, "numpy") and not any(path.startswith(f"arguments[{place}]") for path, _ in wanted.poison):
            assert same(f, w), f"argument {place}: {f.numpy()} instead of {w.numpy()}"


@pytest.mark.thorough
@needs_gxx
@pytest.mark.parametrize("order", [0, 1, 7])
def test_bits_in_every_order_of_threads(order: int) -> None:
    for name, k in CALLS:
        check_bits(name, k, order)


@pytest.mark.thorough
@needs_gxx
@pytest.mark.parametrize("name", KERNELS)
def test_fast_is_permitted(name: str) -> None:
    for k in range(len(KERNELS[name])):
        verdict = diff(module(), name, arguments(name, k), impl=_Emulated("fast", order=k))
        assert isinstance(verdict, Agreement) or verdict.word == "UNDECIDED", verdict
        assert verdict.report.outside == 0 < verdict.report.inside


class _Emulated:
    """One compiled module for all calls."""

    def __init__(self, mode: str, order: int = 0) -> None:
        self.executable = executable(mode, min(order, 1))

    def run(self, _module: Any, entry: str, args: Any) -> Any:
        return self.executable.run(entry, *args)


def test_forms() -> None:
    """Each program has the form of kernel that it stands for."""

    def forms(mode: str) -> dict[str, str]:
        return {name: plan.kernels[0].form for name, plan in plans(module().module, mode).items()}

    fast, bits = forms("fast"), forms("bits")
    assert {name for name, form in fast.items() if form == "tiled contraction"} == {"matmul", "batched_f16", "conv"}
    assert {name for name, form in fast.items() if form == "row program"} == {"row_sum", "row_max_f16", "total_i32"}
    assert all(bits[name] == "fold" for name, form in fast.items() if form in ("tiled contraction", "row program"))
    assert {name for name, form in fast.items() if form == "sequential"} == {"checked_store"}
    assert fast["where_inside"] == "elementwise"


@pytest.mark.thorough
@needs_gxx
def test_reports_end_the_run() -> None:
    fast = executable("fast")
    stored = fast.run("checked_store", np.array([0, 4, 1]), np.zeros(4, np.float32))
    assert isinstance(stored, rr.Unspecified) and stored.rule == "ld/store-out-of-bounds"
    failed = fast.run("asserted", np.array([1, 0, 2], np.int32), np.zeros(3, np.int32))
    assert isinstance(failed, rr.Trapped) and failed.rule == "ld/assert-fails"
    a, b = np.ones(6, np.int32), np.array([1, 1, 0, 1, 1, 1], np.int32)
    divided = fast.run("quotients", a, b, np.zeros((6, 4), np.int32))
    assert isinstance(divided, rr.Unspecified) and divided.rule == "num/int-division-by-zero"


@pytest.mark.thorough
@needs_gxx
def test_entry_checks() -> None:
    fast = executable("fast")

    def rule(name: str, *args: Any) -> str:
        ended = fast.run(name, *args)
        assert isinstance(ended, rr.Trapped), ended
        return ended.rule

    assert rule("in_place", np.zeros((6, 4), np.float64)) == "ev/buffer-param-dtype"
    assert rule("in_place", np.zeros((6,), np.float32)) == "ev/buffer-param-rank"
    assert rule("in_place", np.zeros((6, 5), np.float32)) == "ev/buffer-param-shape"
    assert rule("row_sum", np.zeros((3, 5), np.float32), np.zeros((2,), np.float32)) == "ev/buffer-param-shape"


@needs_gxx
def test_loads_out_of_range_are_moved_into_range() -> None:
    """They mean nothing, and touch nothing: the emulation would see them."""
    table, out = np.ones((6, 5), np.float32), np.zeros((4, 5), np.float32)
    ended = executable("fast").run("gather", table, np.array([-1, 6, 1 << 40, -(1 << 62)]), out)
    assert isinstance(ended, rr.Returned)


def test_a_check_stays_unless_it_is_proved() -> None:
    made = plans(module().module, "fast")
    text = {name: plan.kernels[0].source() for name, plan in made.items()}
    assert "loaded<f32, 4>(A, (at((i64)" in text["gather"]
    assert "if (inside(" in text["checked_store"] and "STORE_OUT_OF_BOUNDS" in text["checked_store"]
    for name in ("concat", "where_inside", "running_sum", "conv", "triangle"):
        assert "at(" not in text[name] and "inside(" not in text[name], text[name]
        assert made[name].claims and all(claim.proved for claim in made[name].claims)


@pytest.mark.thorough
@needs_gxx
def test_a_rounding_in_doubt_is_decided_on_the_host() -> None:
    """A square that lies half way between two numbers: no function that is nearly right can say which is nearer."""
    program = rr.check(rr.parse(DOUBT, "doubt.py"))
    fast, bits = (CudaExecutable(program, mode, EmulatedDevice()) for mode in ("fast", "bits"))
    x = np.array([1 + 2.0**-12, 3.0], np.float32)
    wanted, found = rr.run(program, "square", x, x.copy()), bits.run("square", x, x.copy())
    assert isinstance(found, rr.Returned) and isinstance(wanted, rr.Returned)
    assert same(found.arguments[1], wanted.arguments[1])
    assert bits.launchers["square"].in_doubt == 1
    assert isinstance(fast.run("square", x, x.copy()), rr.Returned)
    assert fast.launchers["square"].in_doubt == 0


DOUBT = """
from tvm.script import ir as I, tirx as T

@I.ir_module
class Module:
    @T.prim_func(s_tir=True)
    def square(A: T.Buffer((2,), "float32"), B: T.Buffer((2,), "float32")):
        for i in range(2):
            with T.sblock("square"):
                v = T.axis.spatial(2, i)
                B[v] = T.pow(A[v], T.float32(2))
"""


@pytest.mark.thorough
@pytest.mark.parametrize("mode", ["bits", "fast"])
def test_compiles_for_sm_90(mode: str) -> None:
    try:
        cubin = nvrtc.compile_source(cuda_source(module(), mode), mode)
    except nvrtc.NotInstalled as missing:
        pytest.skip(str(missing))
    assert b"row_sum_" in cubin
