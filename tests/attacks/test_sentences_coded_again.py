"""Programs that sixty sentences of the text, written again in JavaScript, judged otherwise than the definition did."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest

import refrelax as rr

HEAD = "from tvm.script import ir as I\nfrom tvm.script import relax as R\nfrom tvm.script import tirx as T\n"


def rules(text: str) -> list[str]:
    """Under which rules a text is refused."""
    try:
        rr.check(rr.parse(HEAD + text))
    except rr.Rejection as refused:
        return [each.rule for each in refused.diagnostics]
    return []


def graph(body: str, params: str) -> str:
    inner = "".join(f"    {line}\n" for line in body.splitlines())
    return f"@R.function(pure=False)\ndef main({params}):\n{inner}"


@pytest.mark.parametrize("shape", ["[2**70] * 1", "[2**63] * 1", "list([-2**63 - 1])"])
def test_a_computed_shape_holds_int64_numbers(shape: str) -> None:
    """They were wrapped: ``[2**70] * 1`` was the shape ``(0,)``."""
    assert rules(graph(f"y = R.zeros({shape}, 'float32')\nreturn y", "")) == ["syn/scalar-range"]
    assert rules(graph("return x", f"x: R.Tensor({shape}, 'float32')")) == ["syn/scalar-range"]


def test_a_computed_shape_of_the_greatest_number_stands() -> None:
    assert rules(graph("y = R.shape([2**63 - 1] * 1)\nreturn y", "")) == []


@pytest.mark.parametrize("loop", ["for i in range(3)", "for i, j in T.grid(3, 2)", "while A[0] > 0"])
def test_no_else_stands_behind_a_loop(loop: str) -> None:
    text = f"@T.prim_func(s_tir=True)\ndef main(A: T.Buffer((4,), 'int32')):\n    {loop}:\n        A[0] = 1\n"
    assert rules(text) == []
    assert rules(text + "    else:\n        A[0] = 2\n") == ["syn/unknown-statement"]


HOST = """@T.prim_func(s_tir=True)
def main(O: T.Buffer((2,), "int64")):
    s: T.let[T.handle] = T.tvm_stack_alloca("tvm_ffi_any", 2)
    T.tvm_struct_set(s, 0, 13, 1)
"""


def test_a_field_that_was_not_set_is_not_given_away() -> None:
    program = rr.check(rr.parse(HEAD + HOST + '    T.call_packed_lowered("f", s, 0, 1)\n'))
    outcome = rr.run(program, args=[np.zeros(2, "int64")], externs={"f": lambda *_: 1})
    assert isinstance(outcome, rr.Unspecified)
    assert outcome.rule == "st/never-written"


def test_an_integer_whose_kind_is_bool_is_one() -> None:
    """It was given as the integer 1."""
    given = HOST.replace("13, 1", "13, 2") + "    T.tvm_struct_set(s, 0, 15, T.int64(1))\n"
    program = rr.check(rr.parse(HEAD + given + '    T.call_packed_lowered("f", s, 0, 1)\n'))
    seen: list[object] = []
    rr.run(program, args=[np.zeros(2, "int64")], externs={"f": seen.append})
    assert seen == [True]
    assert isinstance(seen[0], bool)


@pytest.mark.parametrize(("gives", "found"), [(lambda: 300, 44), (lambda: 2.0, 2), (lambda: True, 1)])
def test_a_packed_call_is_the_number_that_it_gives(gives: Callable[[], object], found: int) -> None:
    """It was nothing, over which a cast ended as an internal error."""
    value = 'T.Cast("int64", T.Cast("int8", T.call_packed_lowered("f", s, 0, 0)))'
    program = rr.check(rr.parse(HEAD + HOST + f"    O[0] = {value}\n"))
    outcome = rr.run(program, args=[np.zeros(2, "int64")], externs={"f": gives})
    assert isinstance(outcome, rr.Returned)
    assert outcome.arguments[0].tolist()[0] == found


@pytest.mark.parametrize("use", ["O[0] = T.Cast('int64', {set})", "O[{set}] = T.int64(0)", "assert {set} == 0"])
def test_filling_a_field_gives_zero(use: str) -> None:
    """It gave nothing, over which whatever used it ended as an internal error."""
    program = rr.check(rr.parse(HEAD + HOST + f"    {use.format(set='T.tvm_struct_set(s, 1, 15, T.int64(7))')}\n"))
    outcome = rr.run(program, args=[np.ones(2, "int64")])
    assert isinstance(outcome, rr.Returned)
    assert outcome.arguments[0].tolist() == ([1, 1] if "assert" in use else [0, 1])


def test_a_packed_call_that_gives_no_number_is_none() -> None:
    program = rr.check(rr.parse(HEAD + HOST + '    O[0] = T.Cast("int64", T.call_packed_lowered("f", s, 0, 0))\n'))
    outcome = rr.run(program, args=[np.zeros(2, "int64")], externs={"f": lambda: None})
    assert isinstance(outcome, rr.Unspecified)
    assert outcome.rule == "ev/packed-result-type"


SPREAD = """@I.ir_module
class M:
    I.module_global_infos({{"mesh": [R.device_mesh((2, 2), I.Range(0, 4))]}})
    @R.function
    def main(x: R.DTensor((4, 6), "float32", "mesh[0]", "S[0], R")):
        y = {call}
        return y
"""


@pytest.mark.parametrize("call", ["R.concat((x, x))", "R.stack((x, x))", "R.einsum((x, x), 'ij,ij->ij')"])
def test_tuples_of_distributed_tensors_are_no_tensors(call: str) -> None:
    """Only arguments that are distributed by themselves were looked at."""
    assert rules(SPREAD.format(call=call)) == ["op.common/not-distributed"]


RECORDED = """@I.ir_module
class M:
    @R.function(pure=False)
    def main(x: R.Tensor((1, 2), "float32"), b: R.Tensor((2,), "int64")):
        y = R.call_packed("vm.builtin.cuda_graph.run_or_capture", M.f, (x, b), R.prim_value(0), ty_args=R.Any)
        return y
    @R.function(pure=False)
    def f(x: R.Tensor((1, 2), "float32"), b: R.Tensor((2,), "int64")):
        y = {call}
        return x
"""


@pytest.mark.parametrize(
    ("call", "seen"),
    [
        ("R.dynamic_strided_slice(x, b, b, b)", True),
        ('R.call_packed("vm.builtin.sample_top_p_from_prob", x, 0.9, 0.1, ty_args=R.Any)', True),
        ('R.call_packed("vm.builtin.sample_top_p_from_logits", x, 1.0, 0.9, 0.1, ty_args=R.Any)', True),
        ("R.strided_slice(x, (0,), (0,), (1,))", False),
    ],
)
def test_what_the_host_makes_of_elements_is_not_recorded(call: str, seen: bool) -> None:
    program = rr.check(rr.parse(HEAD + RECORDED.format(call=call)))
    outcome = rr.run(program, args=[np.ones((1, 2), "float32"), np.ones(2, "int64")])
    assert (isinstance(outcome, rr.Unspecified) and outcome.rule == "vm/capture-host") == seen


@pytest.mark.parametrize("use", ["O[0] = T.Cast('int64', {hint})", "if {hint}:\n        O[0] = T.int64(1)"])
@pytest.mark.parametrize(("given", "found"), [("O[1] * T.int64(7)", 1), ("O[1] - T.int64(1)", 0), ("O[1] > 0", 1)])
def test_a_hint_is_the_truth_of_its_argument(use: str, given: str, found: int) -> None:
    """An integer went through as it is, where a bool was needed: an internal error."""
    hint = use.format(hint=f"T.ignore_loop_partition({given})")
    text = f"@T.prim_func(s_tir=True)\ndef main(O: T.Buffer((2,), 'int64')):\n    {hint}\n"
    outcome = rr.run(rr.check(rr.parse(HEAD + text)), args=[np.array([0, 1], "int64")])
    assert isinstance(outcome, rr.Returned)
    assert outcome.arguments[0].tolist() == [found, 1]


def test_a_hint_takes_no_float() -> None:
    text = "@T.prim_func(s_tir=True)\ndef main(x: T.float32):\n    T.evaluate(T.ignore_loop_partition(x))\n"
    assert rules(text) == ["wf/scalar-kind"]
