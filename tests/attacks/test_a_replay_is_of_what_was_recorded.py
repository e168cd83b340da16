# ruff: noqa: E501  (programs as the machine has them)
"""A replay does the launches of the function that was recorded, whatever function its call names."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import refrelax as rr
from refrelax.errors import Outcome
from refrelax.running.run import run
from refrelax.semantics.session import Session

PROGRAM = """
n = TypeVar("n")
@I.ir_module
class Module:
    @T.prim_func(private=True, s_tir=True)
    def twice(A: T.Buffer((n,), "float32"), B: T.Buffer((n,), "float32")):
        for i in range(n):
            with T.sblock("twice"):
                vi = T.axis.spatial(n, i)
                B[vi] = A[vi] + A[vi]
    @T.prim_func(private=True, s_tir=True)
    def next(A: T.Buffer((n,), "float32"), B: T.Buffer((n,), "float32")):
        for i in range(n):
            with T.sblock("next"):
                vi = T.axis.spatial(n, i)
                B[vi] = A[vi] + T.float32(1)
    @R.function(private=True)
    def room() -> R.Tuple(R.Any):
        R.func_attr({"relax.force_pure": True})
        s = R.memory.alloc_storage(R.shape([64]), 0, R.str("global"), R.dtype("uint8"))
        return (s,)
    @R.function(private=True)
    def twices(a: R.Tensor((n,), "float32"), b: R.Tensor((n,), "float32")) -> R.Tuple(R.Tensor((n,), "float32")):
        R.func_attr({"relax.force_pure": True})
        cls = Module
        <COMPUTED>
        cls.twice(a, b)
        return (b,)
    @R.function(private=True)
    def nexts(a: R.Tensor((n,), "float32"), b: R.Tensor((n,), "float32")) -> R.Tuple(R.Tensor((n,), "float32")):
        R.func_attr({"relax.force_pure": True})
        cls = Module
        cls.next(a, b)
        return (b,)
    @R.function
    def main(x: R.Tensor((n,), "float32")) -> R.Tensor((n,), "float32"):
        R.func_attr({"relax.force_pure": True, "tir_var_upper_bound": {"n": 8}})
        cls = Module
        kept = R.call_builtin_with_ctx("vm.builtin.cuda_graph.get_cached_alloc", (cls.room, 0), ty_args=(R.Tuple(R.Any),))
        s = kept[0]
        a = R.memory.alloc_tensor(s, 0, R.shape([n]), R.dtype("float32"), 0)
        b = R.memory.alloc_tensor(s, 32, R.shape([n]), R.dtype("float32"), 0)
        cls.twice(x, a)
        g = R.call_builtin_with_ctx("vm.builtin.cuda_graph.run_or_capture", (cls.twices, (a, b), 0, R.shape([n])), ty_args=(R.Tuple(R.Tensor((n,), "float32")),))
        h = R.call_builtin_with_ctx("vm.builtin.cuda_graph.run_or_capture", (cls.nexts, (a, b), NUMBER, R.shape([n])), ty_args=(R.Tuple(R.Tensor((n,), "float32")),))
        c = R.builtin.alloc_tensor(R.shape([n]), R.dtype("float32"), 0, R.str("global"))
        cls.twice(b, c)
        return c
"""

SOURCE = """
n = TypeVar("n")
@I.ir_module
class Module:
    @R.function
    def main(x: R.Tensor((n,), "float32")) -> R.Tensor((n,), "float32"):
        R.func_attr({"tir_var_upper_bound": {"n": 8}})
        a = R.add(x, x)
        b = R.add(a, R.const(1.0, "float32"))
        c = R.add(b, b)
        return c
"""

COMPUTED = 'z: R.Tensor((n,), "float32") = R.add(a, a)'
"""What a backend does not replay as a list of launches."""


def program(number: int, computed: str = "") -> rr.CheckedModule:
    return rr.check(rr.parse(PROGRAM.replace("NUMBER", str(number)).replace("<COMPUTED>", computed)))


Calls = Callable[[rr.CheckedModule], Callable[[Any], Outcome]]
"""The calls of one session of a program."""


def interpreted(checked: rr.CheckedModule) -> Callable[[Any], Outcome]:
    session = Session()
    return lambda x: run(checked, "main", x, session=session)


def compiled(checked: rr.CheckedModule) -> Callable[[Any], Outcome]:
    executable = rr.compile(checked, "numpy")
    return lambda x: executable.run("main", x)


def elements(outcome: Outcome) -> Any:
    assert isinstance(outcome, rr.Returned)
    return outcome.value.numpy()


@pytest.mark.parametrize("implementation", [interpreted, compiled])
@pytest.mark.parametrize("computed", ["", COMPUTED])
def test_the_number_says_what_is_replayed(implementation: Calls, computed: str) -> None:
    call = implementation(program(0, computed))
    for length in (3, 0, 1, 8, 3):  # the first call at each length records, the second function's is its replay
        x = np.arange(length, dtype="float32")
        assert (elements(call(x)) == 8 * x).all()


@pytest.mark.parametrize("implementation", [interpreted, compiled])
def test_another_number_is_another_record(implementation: Calls) -> None:
    call = implementation(program(1))
    for length in (3, 0, 1, 8, 3):
        x = np.arange(length, dtype="float32")
        assert (elements(call(x)) == 2 * (2 * x + 1)).all()


def test_a_shared_number_is_refuted() -> None:
    source = rr.check(rr.parse(SOURCE))
    assert isinstance(rr.validate(source, program(0)), rr.Refuted)
    assert isinstance(rr.validate(source, program(1)), rr.Equivalent)


@pytest.mark.parametrize("name", ["(cls.nexts, (a, b), 0", "(cls.room, 0)"])
def test_every_call_names_a_function(name: str) -> None:
    text = PROGRAM.replace("NUMBER", "0").replace("<COMPUTED>", "")
    if name == "(cls.room, 0)":
        again = text.split("kept = ")[1].splitlines()[0]
        text = text.replace(
            "        s = kept[0]\n", f"        s = kept[0]\n        more = {again.replace('cls.room', 'x')}\n"
        )
    else:
        text = text.replace(name, "(x, (b,), 0")  # (neither are its arguments those of the record)
    found = rr.run(rr.check(rr.parse(text)), "main", [1.0, 2.0])
    assert isinstance(found, rr.Unspecified) and found.rule == "ev/call-non-function"
