"""Indices of 32 bits, where they do, and of 64."""

from __future__ import annotations

from typing import Any

import pytest

pytest.importorskip("numpy")

from hypothesis import given
from hypothesis import strategies as st
from programs import CALLS, arguments, module
from row_operators import lowered
from test_kernels import same

import refrelax as rr
from refrelax.backends.cupy_ import emulate, launch
from refrelax.backends.cupy_.compile import CudaExecutable
from refrelax.backends.cupy_.emulate import EmulatedDevice
from refrelax.backends.cupy_.geometry import narrow
from refrelax.backends.cupy_.plan import plans
from refrelax.backends.intervals import NARROW, UncheckedIndex
from refrelax.semantics.dims.exact import arithmetic
from refrelax.syntax.scalars import Binary, PrimExpr, SymVar, as_int, int_imm, walk


@pytest.mark.thorough
@pytest.mark.skipif(emulate.compiler() is None, reason="no g++ on this machine")
@pytest.mark.parametrize("mode", ["bits", "fast"])
def test_both_widths_give_the_same(mode: str, monkeypatch: pytest.MonkeyPatch) -> None:
    short = CudaExecutable(module(), mode, EmulatedDevice())
    found = [short.run(name, *arguments(name, k)) for name, k in CALLS]
    assert "_wide_program" not in vars(short)
    monkeypatch.setattr(launch, "narrow", lambda *_: False)
    long = CudaExecutable(module(), mode, EmulatedDevice(1))
    for (name, k), wanted in zip(CALLS, found, strict=True):
        ended = long.run(name, *arguments(name, k))
        assert isinstance(ended, rr.Returned) and isinstance(wanted, rr.Returned)
        assert all(same(a, b) for a, b in zip(ended.arguments, wanted.arguments, strict=True) if hasattr(a, "numpy"))
    assert "_wide_program" in vars(long)


def test_which_sizes_need_64_bits() -> None:
    made = {name: plan.kernels[0] for name, plan in plans(module().module, "fast").items()}
    assert narrow(made["row_sum"], {"n": 1 << 15, "m": 1 << 15})
    assert not narrow(made["row_sum"], {"n": 1 << 16, "m": 1 << 15}), "the array has 2**31 elements"
    assert narrow(made["matmul"], {"n": 40_000, "m": 40_000, "l": 8})
    assert not narrow(made["matmul"], {"n": 50_000, "m": 50_000, "l": 8})
    assert not narrow(made["where_inside"], {"n": NARROW}), "the last block begins before its end"
    assert narrow(made["let_and_select"], {"s": 1.5, "k": 7})
    assert not narrow(made["let_and_select"], {"s": 1.5, "k": 1 << 40}), "a scalar of 64 bits"
    rows = {name: plan.kernels[0] for name, plan in plans(lowered("float32").module, "fast").items()}
    softmax = next(k for name, k in rows.items() if name.startswith("softmax"))
    assert narrow(softmax, {"n": 1000, "m": 1000}) and not narrow(softmax, {"n": 1, "m": 1 << 22}), "of 1024 rows"


NAMES = ("i", "n")


@st.composite
def indices(draw: Any, depth: int = 3) -> PrimExpr:
    if depth == 0 or draw(st.booleans()):
        return draw(st.one_of(st.sampled_from(NAMES).map(SymVar), st.integers(-70_000, 70_000).map(int_imm)))
    op = draw(st.sampled_from(["Add", "Sub", "Mul", "Min", "Max", "FloorDiv", "FloorMod", "Div", "Mod"]))
    return Binary(op, draw(indices(depth=depth - 1)), draw(indices(depth=depth - 1)))


def value(e: PrimExpr, env: dict[str, int]) -> int:
    if isinstance(e, SymVar):
        return env[e.name]
    if isinstance(e, Binary):
        return arithmetic(e.op, value(e.a, env), value(e.b, env))
    number = as_int(e)
    assert number is not None
    return number


@given(indices(), st.integers(0, 80_000), st.data())
def test_no_step_of_a_narrow_index_leaves_32_bits(e: PrimExpr, n: int, data: st.DataObject) -> None:
    index = UncheckedIndex(e, (("i", int_imm(0), SymVar("n")),))
    if not index.narrow({"n": (n, n)}) or n == 0:
        return
    env = {"n": n, "i": data.draw(st.integers(0, n - 1))}
    for step in walk(e):
        try:
            assert abs(value(step, env)) <= NARROW
        except ZeroDivisionError:
            return
