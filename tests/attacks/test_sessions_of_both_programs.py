# ruff: noqa: E501  (programs as TVM prints them)
"""A program that is right in one call alone, and records what it is given, is no difference from itself."""

from __future__ import annotations

import pytest

import refrelax as rr

RECORDED = """
@I.ir_module
class Module:
    @T.prim_func(private=True)
    def twice(a: T.Buffer((2,), "float32"), b: T.Buffer((2,), "float32")):
        for i in range(2):
            b[i] = a[i] + a[i]
    @R.function(private=True)
    def rooms() -> R.Tuple(R.Any):
        R.func_attr({"relax.force_pure": True})
        m = R.memory.alloc_storage(R.shape([8]), 0, R.str("global"), R.dtype("uint8"))
        return (m,)
    @R.function(private=True)
    def launch(w: R.Tensor((2,), "float32"), b: R.Tensor((2,), "float32")) -> R.Tuple(R.Tensor((2,), "float32")):
        R.func_attr({"relax.force_pure": True})
        cls = Module
        cls.twice(w, b)
        return (b,)
    @R.function
    def main(x: R.Tensor((2,), "float32"), w: R.Tensor((2,), "float32")) -> R.Tensor((2,), "float32"):
        R.func_attr({"relax.force_pure": True, "num_input": 1})
        cls = Module
        kept = R.call_builtin_with_ctx("vm.builtin.cuda_graph.get_cached_alloc", (cls.rooms, 0), ty_args=(R.Tuple(R.Any),))
        m = kept[0]
        b: R.Tensor((2,), "float32") = R.memory.alloc_tensor(m, 0, R.shape([2]), R.dtype("float32"), 0)
        graph = R.call_builtin_with_ctx("vm.builtin.cuda_graph.run_or_capture", (cls.launch, (w, b), 0), ty_args=(R.Tuple(R.Tensor((2,), "float32")),))
        t = graph[0]
        y = R.add(t, x)
        return y
"""
CALLED = RECORDED.replace('("vm.builtin.cuda_graph.run_or_capture", (cls.launch, (w, b), 0), ', "?").replace(
    'R.call_builtin_with_ctx?ty_args=(R.Tuple(R.Tensor((2,), "float32")),))', "cls.launch(w, b)"
)


def checked(text: str) -> rr.CheckedModule:
    return rr.check(rr.parse(text))


def test_a_program_that_records_its_weights_is_itself() -> None:
    program = checked(RECORDED)
    assert not isinstance(rr.validate(program, program, rounds=2), rr.Refuted)


@pytest.mark.parametrize(("was", "now"), [("a[i] + a[i]", "a[i] * a[i]"), ("R.add(t, x)", "R.add(x, x)")])
def test_another_one_is_not(was: str, now: str) -> None:
    assert was in RECORDED
    assert isinstance(rr.validate(checked(RECORDED), checked(RECORDED.replace(was, now)), rounds=2), rr.Refuted)


def test_what_is_recorded_has_to_stay_where_it_was() -> None:
    """(TVM takes weights, parameters behind ``num_input``, for what does.)"""
    answer = rr.validate(checked(CALLED), checked(RECORDED), rounds=2)
    assert isinstance(answer, rr.Refuted) and "vm/replay-moved" in str(answer)
