"""Canonical JSON: lossless, stable, described by its schema, and strict."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import jsonschema
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import refrelax.syntax.json_ as codec
from refrelax.errors import Malformed, Span
from refrelax.syntax import from_json, parse, to_json
from refrelax.syntax.graph import BindingBlock, Call, Constant, Function, Op, PrimValue, SeqExpr, Var, VarBinding
from refrelax.syntax.module import ConstantArray, Module
from refrelax.syntax.scalars import Binary, Literal, SymVar, int_imm

SCHEMA = json.loads(Path(codec.__file__).with_name("schema.json").read_text("utf-8"))

FEW = settings().max_examples // 4


def module(*values: Any) -> Module:
    bindings = tuple(VarBinding(f"v{k}", value, span=Span("f", k + 1, 2)) for k, value in enumerate(values))
    return Module({"main": Function((), None, SeqExpr((BindingBlock(bindings),), Var("v0")))})


@pytest.mark.thorough
def test_the_published_schema_is_the_one_that_the_node_classes_give() -> None:
    assert codec.schema() == SCHEMA
    jsonschema.Draft202012Validator.check_schema(SCHEMA)


@settings(max_examples=FEW)
@given(data=st.data())
def test_lossless_stable_and_valid(any_modules: Any, data: st.DataObject) -> None:
    found = data.draw(any_modules)
    text = to_json(found)
    again = from_json(text)
    assert again == found
    assert to_json(again) == text
    assert "\n" not in text
    jsonschema.Draft202012Validator(SCHEMA).validate(json.loads(text))


def test_literals_keep_dtype_and_bits() -> None:
    for dtype, pattern in [("float32", 0x80000000), ("float32", 0x7FC00001), ("uint64", (1 << 64) - 1), ("bool", 1)]:
        node = Constant(dtype, (), (pattern,))
        again = from_json(to_json(module(node)))
        assert again == module(node)
    assert to_json(module(Constant("int32", (), (1,)))) != to_json(module(Constant("int64", (), (1,))))


def test_constant_arrays_travel_with_the_module() -> None:
    array = ConstantArray("float32", (2,), bytes(range(8)))
    found = Module(module(Var("x")).functions, constants={3: array, 0: array})
    assert dict(from_json(to_json(found)).constants) == {0: array, 3: array}


def test_spans_only_when_asked_for() -> None:
    found = module(Var("x"))
    assert '"span"' not in to_json(found)
    text = to_json(found, spans=True)
    jsonschema.Draft202012Validator(SCHEMA).validate(json.loads(text))
    main = from_json(text).functions["main"]
    assert isinstance(main, Function)
    block = main.body.blocks[0]
    assert block.bindings[0].span == Span("f", 1, 2)


def test_function_order_does_not_matter() -> None:
    one = module(Var("x")).functions["main"]
    two = module(Var("y")).functions["main"]
    assert to_json(Module({"b": one, "a": two})) == to_json(Module({"a": two, "b": one}))


def deep(levels: int) -> Module:
    value: Any = SymVar("n")
    for _ in range(levels):
        value = Binary("Add", value, int_imm(1))
    return module(PrimValue(value))


def test_depth_that_the_reader_takes_is_no_concern() -> None:
    assert from_json(to_json(deep(250))) == deep(250)


@pytest.mark.parametrize("text", ["", "{", "[" * 100_000, "nul", "1.5", "NaN", '{"a": 1, "a": 2}', "\x00", "1" * 5000])
def test_no_json(text: str) -> None:
    with pytest.raises(Malformed) as caught:
        from_json(text)
    assert caught.value.diagnostics[0].rule == "syn/json-text"


@pytest.mark.parametrize(
    ("text", "line", "column"),
    [
        ('{"node": "Module",\n "functions": }', 2, 15),
        ('{"node": "Module",\n "functions": {"f": {"node": "ExternFunc"}}}', 2, 21),
        ('{"node": "Module", "attrs": [["}", {"node": "Var"}], ["x", 1]],\n "functions": {}}', 1, 36),
        ('{"node": "Module", "functions": {"a b": {"node": "ExternFunc", "name": "f"}}}', 1, 1),
        ("[]", 1, 1),
        ("[1.5]", 1, 1),
    ],
)
def test_a_refusal_names_its_place(text: str, line: int, column: int) -> None:
    with pytest.raises(Malformed) as caught:
        from_json(text, filename="m.json")
    assert caught.value.diagnostics[0].span == Span("m.json", line, column)


GOOD = json.loads(to_json(module(Constant("float32", (2,), (1, 2)), Call(Op("relax.add"), (Var("a"), Var("b"))))))


def broken(path: list[Any], value: Any) -> str:
    tree = json.loads(json.dumps(GOOD))
    at = tree
    for step in path[:-1]:
        at = at[step]
    if value is ...:
        del at[path[-1]]
    else:
        at[path[-1]] = value
    return json.dumps(tree)


BINDINGS: list[Any] = ["functions", "main", "body", "blocks", 0, "bindings"]


@pytest.mark.parametrize(
    ("path", "value"),
    [
        (["node"], "Nothing"),
        (["node"], "Function"),
        (["node"], 3),
        (["functions"], []),
        (["functions", "main"], {"node": "Var", "name": "x"}),
        (["functions", "main", "surprise"], 1),
        (["functions", "main", "pure"], 1),
        (["functions", "main", "body"], ...),
        ([*BINDINGS, 0, "name"], None),
        ([*BINDINGS, 0, "value", "dtype"], "float33"),
        ([*BINDINGS, 0, "value", "data"], ["0x1"]),
        ([*BINDINGS, 0, "value", "data"], ["0x1", "0x1ffffffff"]),
        ([*BINDINGS, 0, "value", "data"], ["0x1", "0X02"]),
        ([*BINDINGS, 0, "value", "data"], ["0x1", 2]),
        ([*BINDINGS, 0, "value", "shape"], [-1, -2]),
        ([*BINDINGS, 1, "value", "args"], [3, "x"]),
        ([*BINDINGS, 1, "value", "attrs"], [["k"]]),
        ([*BINDINGS, 1, "span"], {"line": 1}),
        ([*BINDINGS, 1, "span"], {"file": "f", "line": True, "column": 1}),
        (["constants"], {"a": {"node": "ConstantArray", "dtype": "int8", "shape": [], "data": "AA=="}}),
        (["constants"], {"0": {"node": "ConstantArray", "dtype": "int8", "shape": [], "data": "?"}}),
    ],
)
def test_json_that_is_no_module(path: list[Any], value: Any) -> None:
    from_json(json.dumps(GOOD))
    with pytest.raises(Malformed) as caught:
        from_json(broken(path, value))
    assert caught.value.diagnostics[0].rule == "syn/json-node"


def loop_level() -> Any:
    """A loop-level module as a tree; its parts stand in no order that a test may rely on but those named here."""
    text = """
@I.ir_module
class Module:
    @T.prim_func
    def f(A: T.Buffer(("n", 4), "float32"), B: T.Buffer((4,), "float32", offset_factor=2)):
        n = T.int32()
        T.func_attr({"k": 1, "l": {"m": 2}})
        x: T.int32 = 1
        for i in T.serial(4, annotations={"a": 1}):
            A[0, i] = T.exp(B[i])
        T.evaluate(T.call_extern("int32", "g", A.data))
"""
    return json.loads(to_json(parse(text)))


def graph_level() -> Any:
    text = """
@I.ir_module
class Module:
    I.module_attrs({"k": 1})
    @R.function
    def main(x: R.Tensor((2,), "float32", vdevice="llvm:0:global")):
        R.func_attr({"k": {"l": [1, 2]}})
        @R.function
        def g(y: R.Tensor((2,), "float32")):
            return y
        a = R.sum(x, axis=[0])
        b = g(x)
        c = R.call_inplace_packed("p", x, inplace_indices=[0], ty_args=R.Tensor((2,), "float32"))
        d = R.nn.leakyrelu(x, 0.5)
        e = R.arange(4)
        return (a, b, c, d, e)
"""
    return json.loads(to_json(parse(text)))


def found(tree: Any, **wanted: Any) -> Any:
    """The first object of ``tree`` whose keys are what is wanted."""
    pending = [tree]
    while pending:
        each = pending.pop(0)
        if isinstance(each, dict) and all(each.get(key) == value for key, value in wanted.items()):
            return each
        pending += each.values() if isinstance(each, dict) else each if isinstance(each, list) else ()
    raise AssertionError(wanted)


HUGE = 1 << 63
NEGATIVE = {"node": "Literal", "dtype": "int32", "bits": "0xffffffff"}


@pytest.mark.parametrize(
    ("make", "wanted", "key", "value", "message"),
    [
        (loop_level, {"node": "PrimFunc"}, "attrs", [["k", 1], ["k", 2]], "twice"),
        (loop_level, {"node": "AttrDict"}, "items", [["m", 1], ["m", 1]], "twice"),
        (loop_level, {"node": "For"}, "annotations", [["a", 1], ["a", 1]], "twice"),
        (loop_level, {"node": "PrimFunc"}, "attrs", [["k", HUGE]], "int64"),
        (loop_level, {"node": "PrimFunc"}, "symbols", [], "define, in order: n"),
        (loop_level, {"node": "PrimFunc"}, "ret", "0x0", "the ret of a PrimFunc is a dtype, found '0x0'"),
        (loop_level, {"node": "Buffer", "name": "A"}, "align", -1, "1 or more"),
        (loop_level, {"node": "Buffer", "name": "A"}, "align", HUGE, "int64"),
        (loop_level, {"node": "Buffer", "name": "A"}, "offset_factor", 4, "elem_offset"),
        (loop_level, {"node": "Buffer", "name": "A"}, "scalar", True, "one element"),
        (loop_level, {"node": "Buffer", "name": "A"}, "name", "class", "identifier"),
        (loop_level, {"node": "Buffer", "name": "x"}, "shape", [], "one element"),
        (loop_level, {"node": "Buffer", "name": "B"}, "shape", [NEGATIVE], "not negative"),
        (loop_level, {"node": "Intrinsic", "op": "exp"}, "op", "expo", "no intrinsic is called 'expo'"),
        (loop_level, {"node": "Intrinsic", "op": "exp"}, "op", "cls.a b", "no function is called 'a b'"),
        (loop_level, {"node": "Intrinsic", "op": "exp"}, "attrs", [["k", 1]], "T.exp has no attribute 'k'"),
        (loop_level, {"node": "StringImm"}, "dtype", "int32", "the dtype of a StringImm is handle, found int32"),
        (loop_level, {"node": "BufferRef"}, "part", "elem", "the part of a BufferRef"),
        (loop_level, {"node": "BufferRef"}, "part", "strides", "the part of a BufferRef"),
        (loop_level, {"node": "BufferRef"}, "args", [NEGATIVE], "a BufferRef has no args"),
        (graph_level, {"node": "Module"}, "attrs", [["k", 1], ["k", 1]], "twice"),
        (graph_level, {"node": "Function"}, "attrs", [["k", 1], ["k", 1]], "twice"),
        (graph_level, {"node": "Function", "private": True}, "private", False, "a local function is private"),
        (graph_level, {"node": "AttrList", "items": [1, 2]}, "items", [1, -HUGE - 1], "int64"),
        (graph_level, {"node": "TensorType", "vdevice": "llvm:0:global"}, "vdevice", "llvm", "device such as"),
        (graph_level, {"node": "TensorType", "vdevice": "llvm:0:global"}, "dtype", "void", "null where it is unknown"),
        (graph_level, {"node": "Call", "op": {"node": "Var", "name": "g"}}, "attrs", [["k", 1]], "no attributes"),
        (graph_level, {"node": "Call", "op": {"node": "Op", "name": "relax.call_inplace_packed"}}, "attrs", [], "are"),
        (
            graph_level,
            {"node": "AttrList", "items": [0]},
            "items",
            [True],
            "the attribute axis of relax.sum is no ints",
        ),
        (graph_level, {"node": "Literal", "dtype": "float64"}, "dtype", "int64", "is no float"),
    ],
)
def test_what_no_text_gives(make: Any, wanted: dict[str, Any], key: str, value: Any, message: str) -> None:
    tree = make()
    from_json(json.dumps(tree))
    found(tree, **wanted)[key] = value
    with pytest.raises(Malformed, match=message) as caught:
        from_json(json.dumps(tree))
    assert caught.value.diagnostics[0].rule == "syn/json-node"
    assert caught.value.diagnostics[0].span is not None


@pytest.mark.parametrize("tree", [3, [], {}, {"functions": {}}, None, "Module"])
def test_other_json(tree: Any) -> None:
    with pytest.raises(Malformed):
        from_json(json.dumps(tree))


def test_a_literal_out_of_range_is_refused() -> None:
    text = to_json(deep(1)).replace('"bits":"0x1"', '"bits":"0x10000000000000000"')
    with pytest.raises(Malformed):
        from_json(text)
    assert Literal("int64", 1) == int_imm(1)


def test_a_literal_of_what_has_no_numbers_is_refused() -> None:
    text = to_json(module(PrimValue(int_imm(7))))
    assert text.count('"int64"') == 1
    with pytest.raises(Malformed, match="a Literal is a number"):
        from_json(text.replace('"int64"', '"handle"'))
