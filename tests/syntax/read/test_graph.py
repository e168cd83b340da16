"""The reader at graph level: the conformance cases, canonical calls, names, branches, editions, limits."""

from __future__ import annotations

import time
import tomllib
from importlib import resources

import pytest

import refrelax as rr
from refrelax.errors import Malformed
from refrelax.syntax.graph import (
    AttrList,
    Call,
    Constant,
    DataflowBlock,
    Function,
    If,
    Op,
    PrimValue,
    Tuple,
    Var,
    VarBinding,
)
from refrelax.syntax.loops import PrimFunc, ScalarParam
from refrelax.syntax.read import parse
from refrelax.syntax.scalars import Literal, SymVar
from refrelax.syntax.signatures import OPERATOR_NAMES, has_signature, signature
from refrelax.syntax.types import VOID, PrimType, TensorType
from refrelax.syntax.write.module import print_module

CASES = tomllib.loads(resources.files("refrelax.conformance").joinpath("cases/syntax.toml").read_text("utf-8"))["case"]


@pytest.mark.parametrize("case", CASES, ids=lambda c: c["name"])
def test_case(case: dict[str, str]) -> None:
    if case["verdict"] == "accepts":
        parse(case["module"])
        return
    with pytest.raises(Malformed) as caught:
        parse(case["module"], "case.py")
    assert [d.rule for d in caught.value.diagnostics] == [case["rule"]]
    assert all(d.span is not None and d.span.file == "case.py" for d in caught.value.diagnostics)


def main(body: str, params: str = 'x: R.Tensor((2, 3), "float32")') -> Function:
    lines = "".join(f"    {line}\n" for line in body.split("\n"))
    function = parse(f"@R.function\ndef main({params}):\n{lines}")["main"]
    assert isinstance(function, Function)
    return function


def values(function: Function) -> dict[str, object]:
    return {b.name: b.value for block in function.body.blocks for b in block.bindings}


@pytest.mark.parametrize(
    ("hand", "printed"),
    [
        ("R.sum(x, [1])", "R.sum(x, axis=[1], keepdims=False)"),
        ("R.sum(x, 1)", "R.sum(x, axis=[1], keepdims=False)"),
        ("R.matmul(x, x)", "R.matmul(x, x, out_dtype=None)"),
        ("R.zeros((2, 3), 'int8')", 'R.zeros(R.shape([2, 3]), dtype="int8")'),
        ("R.arange(5)", 'R.arange(0, 5, 1, dtype="int64")'),
        ("R.arange(1, 5.0)", 'R.arange(1, T.float64(5.0), 1, dtype="float32")'),
        ("R.eye(3)", 'R.eye(3, 3, 0, dtype="float32")'),
        ("R.concat([x, x], 1)", "R.concat((x, x), axis=1)"),
        ("R.strided_slice(x, [0], [1], [2])", "R.strided_slice(x, (0,), (1,), (2,), assume_inbound=False)"),
        (
            "R.nn.conv2d(x, x, strides=2, padding=(1, 2))",
            "R.nn.conv2d(x, x, strides=[2, 2], padding=[1, 2, 1, 2], dilation=[1, 1], groups=1, data_layout='NCHW', "
            "kernel_layout='OIHW', out_layout='NCHW', out_dtype=None)",
        ),
        (
            "R.nn.max_pool1d(x, pool_size=2, padding=1)",
            "R.nn.max_pool1d(x, pool_size=[2], strides=[1], dilation=[1], padding=[1, 1], ceil_mode=False, "
            "count_include_pad=False, layout='NCW', out_layout='NCW')",
        ),
        (
            "R.image.resize2d(x, 8)",
            "R.image.resize2d(x, R.shape([8, 8]), "
            "roi=[T.float32(0.0), T.float32(0.0), T.float32(0.0), T.float32(0.0)], "
            "layout='NCHW', method='linear', coordinate_transformation_mode='half_pixel', rounding_method='round', "
            "cubic_alpha=-0.75, cubic_exclude=0, extrapolation_value=0.0, out_dtype=None)",
        ),
        (
            "R.nn.attention(x, x, x, x)",
            "R.nn.attention_bias(x, x, x, x, scale=None, causal_mask=None, window_size=None)",
        ),
        ("R.assert_op(x, [x], '{}')", "R.assert_op(x, x, format=R.str('{}'))"),
        ("R.unique(x)", "R.unique(x, True, False, False, False)"),
        ("R.memory.view(x)", "R.memory.view(x, R.tuple(), R.null_value(), R.tuple())"),
        ("x.astype('int8')", "R.astype(x, dtype='int8')"),
        ("-x % x", "R.mod(R.negative(x), x)"),
        ("R.call_dps_packed('f', x, out_ty=R.Tensor)", "R.call_dps_packed('f', (x,), out_ty=[R.Tensor])"),
    ],
)
def test_hand_written_and_printed_text_give_one_call(hand: str, printed: str) -> None:
    left, right = main(f"y = {hand}\nreturn y"), main(f"y = {printed}\nreturn y")
    assert left == right


def test_every_attribute_is_there_in_order() -> None:
    call = values(main("y = R.sum(x)\nreturn y"))["y"]
    assert call == Call(Op("relax.sum"), (Var("x"),), (("axis", None), ("keepdims", False)))


def test_every_operator_has_a_signature_or_a_form() -> None:
    assert len(OPERATOR_NAMES) >= 230
    for name in OPERATOR_NAMES:
        if has_signature(name):
            found = signature(name)
            assert {s.name for s in found.surface} == {s.name for s in (*found.args, *found.attrs)}


def test_nested_calls_are_bound_innermost_first() -> None:
    function = main("gv = R.add(R.exp(R.abs(x)), R.sin(x))\nreturn R.tan(gv)")
    assert list(values(function)) == ["gv_1", "gv_2", "gv_3", "gv", "gv_4"]
    assert function.body.body == Var("gv_4")


def test_dataflow_temporaries_and_outputs() -> None:
    function = main("with R.dataflow():\n    y = R.exp(R.abs(x))\n    R.output(y)\nreturn y")
    block = function.body.blocks[0]
    assert isinstance(block, DataflowBlock)
    assert block.outputs == ("y",) and [b.name for b in block.bindings] == ["lv", "y"]


def test_shadowing_gives_a_new_name() -> None:
    function = main("x = R.abs(x)\nx = R.exp(x)\nreturn x")
    assert values(function) == {
        "x_1": Call(Op("relax.abs"), (Var("x"),)),
        "x_2": Call(Op("relax.exp"), (Var("x_1"),)),
    }


def test_numbers_under_annotations() -> None:
    found = values(main("k: T.int64 = 3\nc = 3\nf = 2.5\nreturn x"))
    assert found["k"] == PrimValue(Literal("int64", 3))
    assert found["c"] == Constant("int32", (), (3,))
    assert found["f"] == Constant("float32", (), (0x40200000,))


def test_branches() -> None:
    body = "if c:\n    r = R.abs(x)\nelse:\n    w = R.exp(x)\n    r = w\nreturn r"
    function = main(body, 'x: R.Tensor((1, 0), "float32"), c: T.bool')
    value = values(function)["r"]
    assert isinstance(value, If) and value.condition == Var("c")
    assert value.then_branch.body == Var("r_1") and value.else_branch.body == Var("w")


def test_bare_statements() -> None:
    function = main("R.print(x, format='{}')\nR.print(format='b')\nreturn x")
    bindings = function.body.blocks[0].bindings
    assert [b.name for b in bindings] == ["_", "_1"]
    assert all(isinstance(b, VarBinding) and b.annotation == VOID for b in bindings)


def test_symbols_of_nested_functions() -> None:
    text = (
        'n = TypeVar("n")\n@R.function\ndef main(x: R.Tensor((n, 4), "float32")) -> R.Tensor((n, 4), "float32"):\n'
        '    m = TypeVar("m")\n    @R.function\n'
        '    def inner(a: R.Tensor((m, n), "float32")) -> R.Tensor((m, n), "float32"):\n        return a\n'
        "    return x\n"
    )
    function = parse(text)["main"]
    assert isinstance(function, Function) and function.symbols == ("n",)
    inner = values(function)["inner"]
    assert isinstance(inner, Function) and inner.symbols == ("m",)
    assert inner.params[0].type == TensorType((SymVar("m"), SymVar("n")), "float32", 2)


def test_annotations_may_come_in_any_order() -> None:
    function = main("return x", 'x: R.Tensor(("n * 2", p), "float32"), y: R.Tensor(("n",), "float32"), p: T.int64')
    assert function.symbols == ("n",) and function.params[2].type == PrimType("int64")


def test_the_older_spelling_moves_tir_vars_before_the_outputs() -> None:
    case = next(c for c in CASES if c["name"] == "syntax/tir-vars-accepts")
    module = parse(case["module"])
    f, g = module["f"], module["g"]
    assert isinstance(f, PrimFunc) and isinstance(f.params[1], ScalarParam)
    assert isinstance(g, Function)
    call = values(g)["y"]
    assert isinstance(call, Call) and call.args[1] == Tuple((Var("x"), Var("n")))
    assert call.ty_args == (TensorType((Literal("int64", 4),), "float32", 1),)


def test_attributes_are_canonical() -> None:
    function = main('R.func_attr({"b": 1, "a": [T.int64(2), 3]})\nreturn x')
    assert function.attrs == (("a", AttrList((2, 3))), ("b", 1))


@pytest.mark.thorough
@pytest.mark.parametrize(
    "body",
    [
        "return " + "(" * 100_000 + "x" + ")" * 100_000,
        "return " + " + ".join(["x"] * 3000),
        "return " + "-" * 50_000 + "x",
        "return x" + ".a" * 20_000,
        "return x" + "[0]" * 20_000,
        "y = R.const(9 ** 9 ** 9)\nreturn y",
        "y = R.const([[0] * 100000] * 100000)\nreturn y",
        "y = R.const([[j for j in range(9999)] for i in range(9999)])\nreturn y",
        "y = R.nn.leakyrelu(x, 10 ** 400)\nreturn y",
        'y = __import__("os").system("true")\nreturn y',
        "return " + "9" * 10_000,
    ],
    ids=range(11),
)
def test_hostile_text_ends_quickly(body: str) -> None:
    start = time.monotonic()
    with pytest.raises(Malformed):
        main(body)
    assert time.monotonic() - start < 5


def test_a_symbol_named_after_its_value_is_the_value() -> None:
    text = """
100 = TypeVar("100")
@R.function
def main(x: R.Tensor((1, 100), "float32")) -> R.Tensor((1, 100), "float32"):
    return x
"""
    assert parse(text) == parse(text.replace('100 = TypeVar("100")', ""))
    assert "TypeVar" not in print_module(parse(text))


def test_another_name_of_a_scalar_is_a_scalar() -> None:
    text = """
@I.ir_module
class Module:
    @R.function
    def main(x: R.Tensor(("n",), "float32"), p: R.Prim("int64")):
        n = T.int64()
        k: R.Prim("int64") = R.prim_value(n + 1)
        j = k
        i = p
        return R.zeros(R.shape([j + 1, i * 2]), "float32")
"""
    module = parse(text)
    assert parse(print_module(module)) == module
    returned = rr.run(rr.check(module), "main", [1.0, 2.0], 3)
    assert returned.value.shape == (4, 6)
