# ruff: noqa: E501  (programs as the machine has them)
"""Numbers of kept memory and of recorded runs that two places share, however they are written, are no proof."""

from __future__ import annotations

import numpy as np
import pytest

import refrelax as rr
from refrelax.judge.evidence import Proved
from refrelax.judge.pointwise import attempt
from refrelax.lower.capture import first_free
from refrelax.lower.pipeline import lower
from refrelax.running.run import run
from refrelax.semantics.session import Session

BEFORE = """
@I.ir_module
class Module:
    @R.function
    def main(x: R.Tensor((4,), "float32")) -> R.Tensor((4,), "float32"):
        a = R.full(R.shape([4]), R.const(0.5, "float32"), dtype="float32")
        b = R.add(x, a)
        return b
    @R.function
    def other(x: R.Tensor((4,), "float32")) -> R.Tensor((4,), "float32"):
        return x
"""

KEPT = """
@I.ir_module
class Module:
    @T.prim_func(private=True)
    def half(b: T.Buffer((4,), "float32")):
        for i in range(4):
            b[i] = T.float32(0.5)
    @T.prim_func(private=True)
    def add(a: T.Buffer((4,), "float32"), b: T.Buffer((4,), "float32"), c: T.Buffer((4,), "float32")):
        for i in range(4):
            c[i] = a[i] + b[i]
    @R.function(private=True)
    def small() -> R.Tuple(R.Any):
        R.func_attr({"relax.force_pure": True})
        m = R.memory.alloc_storage(R.shape([4]), 0, R.str("global"), R.dtype("uint8"))
        return (m,)
    @R.function(private=True)
    def rooms() -> R.Tuple(R.Any):
        R.func_attr({"relax.force_pure": True})
        m = R.memory.alloc_storage(R.shape([16]), 0, R.str("global"), R.dtype("uint8"))
        return (m,)
    @R.function
    def other(x: R.Tensor((4,), "float32")) -> R.Tensor((4,), "float32"):
        R.func_attr({"relax.force_pure": True})
        cls = Module
<BODY>
        return x
    @R.function
    def main(x: R.Tensor((4,), "float32")) -> R.Tensor((4,), "float32"):
        R.func_attr({"relax.force_pure": True})
        cls = Module
        kept = R.call_builtin_with_ctx("vm.builtin.cuda_graph.get_cached_alloc", (cls.rooms, 0), ty_args=(R.Tuple(R.Any),))
        m = kept[0]
        a: R.Tensor((4,), "float32") = R.memory.alloc_tensor(m, 0, R.shape([4]), R.dtype("float32"), 0)
        cls.half(a)
        y: R.Tensor((4,), "float32") = R.builtin.alloc_tensor(R.shape([4]), R.dtype("float32"), 0, R.str("global"))
        cls.add(x, a, y)

        return y
"""

CACHED = "vm.builtin.cuda_graph.get_cached_alloc"
OTHERS = [
    f'k = R.call_builtin_with_ctx("{CACHED}", (cls.small, 0), ty_args=(R.Tuple(R.Any),))',
    f'k = R.call_pure_packed("{CACHED}", cls.small, 0, ty_args=(R.Tuple(R.Any),))',
    f'f = R.ExternFunc("{CACHED}")\n        k = f(cls.small, R.prim_value(0))',
    f'z = R.prim_value(0)\n        k = R.call_builtin_with_ctx("{CACHED}", (cls.small, z), ty_args=(R.Tuple(R.Any),))',
    f'k = R.call_dps_packed("{CACHED}", (cls.small, R.prim_value(0)), out_ty=R.Tensor((4,), "float32"))',
]


@pytest.mark.parametrize("other", OTHERS)
def test_a_number_in_any_form_is_seen(other: str) -> None:
    first, second = rr.check(rr.parse(BEFORE)), rr.check(rr.parse(KEPT.replace("<BODY>", f"        {other}")))
    x, session = np.arange(4, dtype="float32"), Session()
    run(second, "other", x, session=session)
    assert isinstance(run(second, "main", x, session=session), rr.Unspecified)
    assert "under one number" in str(attempt(first, second, "main"))
    assert (first_free(second.module) is None) == (other != OTHERS[0])


def test_a_number_of_its_own_is_proved() -> None:
    first, second = rr.check(rr.parse(BEFORE)), rr.check(rr.parse(KEPT.replace("<BODY>", "")))
    assert isinstance(attempt(first, second, "main"), Proved)


TWO_ENTRIES = """
@I.ir_module
class Module:
    @R.function
    def main(x: R.Tensor((4,), "float32")) -> R.Tensor((4,), "float32"):
        a = R.full(R.shape([4]), R.const(0.5, "float32"), dtype="float32")
        b = R.add(x, a)
        return b
    @R.function
    def other(x: R.Tensor((4,), "float32")) -> R.Tensor((4,), "float32"):
        a = R.full(R.shape([4]), R.const(0.5, "float32"), dtype="float32")
        b = R.add(x, a)
        return b
"""

SHARED = """
@I.ir_module
class Module:
    @T.prim_func(private=True)
    def half(b: T.Buffer((4,), "float32")):
        for i in range(4):
            b[i] = T.float32(0.5)
    @T.prim_func(private=True)
    def add(a: T.Buffer((4,), "float32"), b: T.Buffer((4,), "float32"), c: T.Buffer((4,), "float32")):
        for i in range(4):
            c[i] = a[i] + b[i]
    @R.function(private=True)
    def rooms() -> R.Tuple(R.Any):
        R.func_attr({"relax.force_pure": True})
        m = R.memory.alloc_storage(R.shape([16]), 0, R.str("global"), R.dtype("uint8"))
        return (m,)
    @R.function(private=True)
    def launches(m: R.Any) -> R.Tuple(R.Tensor((4,), "float32")):
        R.func_attr({"relax.force_pure": True})
        cls = Module
        a: R.Tensor((4,), "float32") = R.memory.alloc_tensor(m, 0, R.shape([4]), R.dtype("float32"), 0)
        cls.half(a)
        return (a,)
    @R.function(private=True)
    def helper(m: R.Any) -> R.Tensor((4,), "float32"):
        R.func_attr({"relax.force_pure": True})
        cls = Module
        graph = R.call_builtin_with_ctx("vm.builtin.cuda_graph.run_or_capture", (cls.launches, (m,), 0), ty_args=(R.Tuple(R.Tensor((4,), "float32")),))
        a = graph[0]
        return a

    @R.function
    def main(x: R.Tensor((4,), "float32")) -> R.Tensor((4,), "float32"):
        R.func_attr({"relax.force_pure": True})
        cls = Module
        kept = R.call_builtin_with_ctx("vm.builtin.cuda_graph.get_cached_alloc", (cls.rooms, 0), ty_args=(R.Tuple(R.Any),))
        m = kept[0]
        a = cls.helper(m)
        y: R.Tensor((4,), "float32") = R.builtin.alloc_tensor(R.shape([4]), R.dtype("float32"), 0, R.str("global"))
        cls.add(x, a, y)
        return y

    @R.function
    def other(x: R.Tensor((4,), "float32")) -> R.Tensor((4,), "float32"):
        R.func_attr({"relax.force_pure": True})
        cls = Module
        kept = R.call_builtin_with_ctx("vm.builtin.cuda_graph.get_cached_alloc", (cls.rooms, 1), ty_args=(R.Tuple(R.Any),))
        m = kept[0]
        a = cls.helper(m)
        y: R.Tensor((4,), "float32") = R.builtin.alloc_tensor(R.shape([4]), R.dtype("float32"), 0, R.str("global"))
        cls.add(x, a, y)
        return y
"""


@pytest.mark.parametrize("entry", ["main", "other"])
def test_a_recorded_run_that_two_entries_share_is_no_proof(entry: str) -> None:
    first, second = rr.check(rr.parse(TWO_ENTRIES)), rr.check(rr.parse(SHARED))
    x, session = np.arange(4, dtype="float32"), Session()
    assert isinstance(run(second, "main", x, session=session), rr.Returned)
    found = run(second, "other", x, session=session)
    assert isinstance(found, rr.Unspecified) and found.rule == "vm/replay-moved"
    assert "in several ways" in str(attempt(first, second, entry))


SUM = """
n = TypeVar("n")
@I.ir_module
class Module:
    @R.function
    def main(x: R.Tensor((n,), "float32")) -> R.Tensor((), "float32"):
        R.func_attr({"tir_var_upper_bound": {"n": 16}})
        a = R.exp(x)
        s = R.sum(a)
        t = R.sqrt(s)
        u = R.exp(t)
        return u
"""


def test_the_key_holds_the_extents_of_what_a_region_is_given() -> None:
    module = rr.check(rr.parse(SUM))
    captured = lower(module, passes=("legalize", "to_destinations", "plan_memory", "capture")).module
    session = Session()
    for extent in (3, 0, 5, 1, 3):
        x = np.linspace(0, 1, extent, dtype="float32")
        found, wanted = run(captured, "main", x, session=session), rr.run(module, "main", x)
        assert isinstance(found, rr.Returned) and isinstance(wanted, rr.Returned)
        assert np.isclose(found.value.numpy(), wanted.value.numpy())
    assert isinstance(attempt(module, captured, "main"), Proved)
