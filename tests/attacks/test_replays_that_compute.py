# ruff: noqa: E501  (programs as the machine has them)
"""What backends replay is all that a recorded function computes; a failed recording and reshapes leave nothing behind."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import refrelax as rr
from refrelax.semantics.session import Session

BACKENDS = ("numpy", "cuda-emulated")

RECORDED = """
n = TypeVar("n")
@I.ir_module
class Module:
    @T.prim_func(private=True)
    def copy(a: T.Buffer((n,), "float32"), b: T.Buffer((n,), "float32")):
        for i in range(n):
            b[i] = a[i]
    @T.prim_func(private=True)
    def twice(a: T.Buffer((n,), "float32"), b: T.Buffer((n,), "float32")):
        for i in range(n):
            b[i] = a[i] + a[i]
    @R.function(private=True)
    def rooms() -> R.Tuple(R.Any):
        R.func_attr({"relax.force_pure": True})
        m = R.memory.alloc_storage(R.shape([64]), 0, R.str("global"), R.dtype("uint8"))
        return (m,)
    @R.function(private=True)
    def launches(m: R.Any, a: R.Tensor((n,), "float32"), s: R.Shape([n])) -> R.Tuple(R.Tensor((n,), "float32")):
        R.func_attr({"relax.force_pure": True})
        cls = Module
<LAUNCHES>
        return (b,)
    @R.function
    def main(x: R.Tensor((n,), "float32")) -> R.Tensor((n,), "float32"):
        R.func_attr({"relax.force_pure": True})
        cls = Module
        kept = R.call_builtin_with_ctx("vm.builtin.cuda_graph.get_cached_alloc", (cls.rooms, 0), ty_args=(R.Tuple(R.Any),))
        m = kept[0]
        a: R.Tensor((n,), "float32") = R.memory.alloc_tensor(m, 0, R.shape([n]), R.dtype("float32"), 0)
        cls.copy(x, a)
        graph = R.call_builtin_with_ctx("vm.builtin.cuda_graph.run_or_capture", (cls.launches, (m, a, R.shape([n])), 0, R.shape([n])), ty_args=(R.Tuple(R.Tensor((n,), "float32")),))
        b = graph[0]
        y: R.Tensor((n,), "float32") = R.builtin.alloc_tensor(R.shape([n]), R.dtype("float32"), 0, R.str("global"))
        cls.copy(b, y)
<REST>
        return y
"""

IN_STORAGE = 'b: R.Tensor((n,), "float32") = R.memory.alloc_tensor(m, 32, R.shape([n]), R.dtype("float32"), 0)'
BODIES = {
    "launch": f"{IN_STORAGE}\n        cls.twice(a, b)",
    "operator": "b = R.add(a, a)",
    "destination": 'b = R.call_tir(cls.twice, (a,), out_ty=R.Tensor((n,), "float32"))',
    "reshape": "b = R.reshape(a, R.shape([n]))",
    "reshape-of-new": """c = R.builtin.alloc_tensor(R.shape([n]), R.dtype("float32"), 0, R.str("global"))
        cls.twice(a, c)
        b = R.reshape(c, R.shape([n]))""",
}


def same_in_a_session(text: str, inputs: list[Any], backend: str) -> list[rr.Outcome]:
    checked = rr.check(rr.parse(text))
    compiled, session, found = rr.compile(checked, backend=backend, mode="bits"), Session(), []
    for x in inputs:
        wanted = rr.run(checked, "main", x, session=session)
        found.append(compiled.run("main", x))
        assert type(found[-1]) is type(wanted)
        if isinstance(wanted, rr.Returned) and isinstance(found[-1], rr.Returned):
            assert found[-1].value.numpy().tolist() == wanted.value.numpy().tolist()
    return found


@pytest.mark.by_day(5)
@pytest.mark.parametrize("backend", BACKENDS)
@pytest.mark.parametrize("body", BODIES)
def test_a_replay_computes_what_the_function_does(body: str, backend: str) -> None:
    text = RECORDED.replace("<LAUNCHES>", f"        {BODIES[body]}").replace("<REST>", "")
    inputs = [np.arange(size, dtype="float32") + k for k, size in enumerate((3, 1, 3, 0, 3))]
    assert all(isinstance(each, rr.Returned) for each in same_in_a_session(text, inputs, backend))


DECIDES = """
        c = R.builtin.alloc_tensor(R.shape([]), R.dtype("bool"), 0, R.str("global"))
        cls.yes(c)
        d = R.call_packed("vm.builtin.read_if_cond", c, ty_args=(R.Prim("bool"),))
        if d:
            z = R.add(y, y)
        else:
            z = R.multiply(y, y)
"""
YES = """
    @T.prim_func(private=True)
    def yes(c: T.Buffer((), "bool")):
        c[()] = T.bool(True)

    @T.prim_func(private=True)
    def twice("""


@pytest.mark.parametrize("backend", BACKENDS)
def test_a_recording_that_fails_is_over(backend: str) -> None:
    text = RECORDED.replace("<LAUNCHES>", f"        {BODIES['launch']}").replace("<REST>", DECIDES)
    text = text.replace("\n    @T.prim_func(private=True)\n    def twice(", YES)
    found = same_in_a_session(text, [np.arange(size, dtype="float32") for size in (12, 3, 3)], backend)
    assert isinstance(found[0], rr.Unspecified) and found[0].rule == "st/outside-storage"
    assert isinstance(found[1], rr.Returned) and isinstance(found[2], rr.Returned)


RESHAPED = """
n = TypeVar("n")
@I.ir_module
class Module:
    @T.prim_func(private=True)
    def copy(a: T.Buffer((n,), "float32"), b: T.Buffer((n,), "float32")):
        for i in range(n):
            b[i] = a[i]
    @T.prim_func(private=True)
    def one(b: T.Buffer((n,), "float32")):
        for i in range(n):
            b[i] = T.float32(1)
    @R.function
    def main(x: R.Tensor((n,), "float32")) -> R.Tensor((n,), "float32"):
        R.func_attr({"relax.force_pure": True})
        cls = Module
        m = R.memory.alloc_storage(R.shape([64]), 0, R.str("global"), R.dtype("uint8"))
        a: R.Tensor((n,), "float32") = R.memory.alloc_tensor(m, 0, R.shape([n]), R.dtype("float32"), 0)
        cls.copy(x, a)
        b = R.reshape(a, R.shape([n]))
        cls.one(a)
        y: R.Tensor((n,), "float32") = R.builtin.alloc_tensor(R.shape([n]), R.dtype("float32"), 0, R.str("global"))
        cls.copy(b, y)
        return y
"""
OF_ITS_OWN = 'R.builtin.alloc_tensor(R.shape([n]), R.dtype("float32"), 0, R.str("global"))'
PLANNED = 'R.memory.alloc_tensor(m, 0, R.shape([n]), R.dtype("float32"), 0)'


@pytest.mark.parametrize("backend", BACKENDS)
def test_a_reshape_of_what_lies_in_a_storage_is_a_view(backend: str) -> None:
    x = np.arange(3, dtype="float32") + 5
    (planned,) = same_in_a_session(RESHAPED, [x], backend)
    (new,) = same_in_a_session(RESHAPED.replace(PLANNED, OF_ITS_OWN), [x], backend)
    assert isinstance(planned, rr.Returned) and planned.value.numpy().tolist() == [1, 1, 1]
    assert isinstance(new, rr.Returned) and new.value.numpy().tolist() == [5, 6, 7]
