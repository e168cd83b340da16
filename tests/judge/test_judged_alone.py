"""Which bindings an implementation's values are held against: those of memory that nobody else stores in."""

from __future__ import annotations

import pytest

import refrelax as rr
from refrelax.conformance import data, load
from refrelax.judge.bindings import judged_alone, simple_bindings

HEAD = """@I.ir_module
class Module:
    @T.prim_func(private=True, s_tir=True)
    def store(held: T.Buffer((4,), "float32"), a: T.Buffer((4,), "float32"), b: T.Buffer((4,), "float32")):
        for i in range(4):
            with T.sblock("store"):
                v = T.axis.spatial(4, i)
                held[v] = a[v] + b[v]
"""

TENSOR = 'R.Tensor((4,), dtype="float32")'

STEP = f"""
    @R.function(pure=False)
    def {{name}}(held: {TENSOR}, x: {TENSOR}):
        cls = Module
        half: {TENSOR} = R.multiply(x, R.const(0.5, "float32"))
        pair = (half, x)
        one = pair[0]
        two = pair[1]
        out = R.call_tir_inplace(cls.store, ({{args}}), out_ty={TENSOR}, inplace_indices=[0])
        {{more}}
        return out
"""


def step(name: str, args: str = "held, one, two", more: str = "seen = R.add(out, x)") -> str:
    return STEP.format(name=name, args=args, more=more)


def not_alone(*functions: str) -> set[str]:
    """The bindings that are judged by what follows from them, if at all."""
    checked = rr.check(rr.parse(HEAD + "".join(functions)))
    alone = judged_alone(checked)
    return {f"{path}.{name}" for (path, name), each in simple_bindings(checked).items() if not alone(each)}


def test_what_is_only_read_may_be_one_memory() -> None:
    """The fields of a tuple may be one memory: the loop program stores in neither."""
    assert not_alone(step("main")) == set()


@pytest.mark.parametrize("args", ["one, held, two", "held, held, two"])
def test_what_is_stored_in_is_not_another_argument(args: str) -> None:
    assert not_alone(step("main", args)) == {"main.out"}


def test_functions_that_do_not_know_one_another() -> None:
    """A constant of one is nothing that a store in the other can reach: a run goes through one of them."""
    assert not_alone(step("prefill"), step("decode")) == set()


def test_a_function_that_another_calls_may_be_given_a_constant() -> None:
    found = not_alone(step("prefill", more="seen = cls.decode(held, x)"), step("decode"))
    assert {"prefill.half", "decode.half"} <= found


def test_a_replay_is_of_what_another_call_recorded() -> None:
    """It gives what was recorded under its number, whatever function it names: by itself it would record that one."""
    (case,) = (each for each in load() if each.name == "library/cuda-graph-recorded")
    checked = rr.check(rr.parse(case.module))
    alone = judged_alone(checked)
    seen = {name for (path, name), each in simple_bindings(checked).items() if path == "main" and not alone(each)}
    assert seen == {"g", "h"}
    verdict = rr.diff(checked, "main", [data.to_value(each) for each in case.args], "numpy")
    assert isinstance(verdict, rr.Agreement), verdict


def test_what_is_recorded_under_numbers_of_their_own_is_judged() -> None:
    (case,) = (each for each in load() if each.name == "library/cuda-graph-recorded")
    first, second = "(cls.double, (a,), R.prim_value(0))", "(cls.square, (a,), R.prim_value(0))"
    text = case.module.replace(second, second.replace("(0)", "(1)"))
    assert first in text and text != case.module
    checked = rr.check(rr.parse(text))
    assert all(map(judged_alone(checked), simple_bindings(checked).values()))
