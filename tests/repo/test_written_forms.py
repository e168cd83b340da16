# ruff: noqa: E501 (programs of a line)
"""What chapters 03c and 03d say of written forms is run: each sort in JSON, each dtype, each way to print."""

from __future__ import annotations

import json
import re
from functools import cache
from pathlib import Path
from typing import Any

import jsonschema
import pytest

import refrelax as rr
from refrelax.syntax import bits, dtypes
from refrelax.syntax.json_ import NODES, node_from_json, schema
from refrelax.syntax.write.scalars import Style, expression

SPEC = Path(__file__).resolve().parents[2] / "spec"
ABSTRACT = (SPEC / "03d-abstract-syntax.md").read_text("utf-8")
CODE = re.compile(r"`([^`]+)`")


def table(text: str, heading: str) -> list[list[str]]:
    _, found, rest = text.partition(heading)
    assert found, heading
    lines = rest.lstrip("\n").splitlines()[1:]
    rows = lines[: next((k for k, line in enumerate(lines) if not line.startswith("|")), len(lines))]
    return [[cell.strip() for cell in row.split("|")[1:-1]] for row in rows]


# --- 03d: JSON

N = {"node": "SymVar", "name": "n", "dtype": "int64"}
FIELDS: dict[str, tuple[dict[str, Any], str]] = {
    "`bits`": ({"node": "Literal", "dtype": "float32"}, "bits"),
    "`bytes`": ({"node": "ConstantArray", "dtype": "float32", "shape": [1]}, "data"),
    "`integer`": ({"node": "TupleGetItem", "tuple": {"node": "Var", "name": "t"}}, "index"),
    "`truth`": ({"node": "FuncType", "params": None, "ret": {"node": "AnyType"}}, "purity"),
    "`string`": ({"node": "StringValue"}, "value"),
    "`X?`": ({"node": "BufferLoad", "buffer": "B", "indices": [N], "dtype": "float32"}, "predicate"),
    "`X*`": ({"node": "ShapeExpr"}, "values"),
    "key of a table of integers": ({"node": "Module", "functions": {}}, "constants"),
}
"""A node, and the field of it that has the sort."""
ARRAY = {"node": "ConstantArray", "dtype": "float32", "shape": [1], "data": "AACAPw=="}
SORTS = table(ABSTRACT, '`"node_"` there.\n\n| sort | is written | are none |')


@cache
def validator() -> Any:
    return jsonschema.Draft202012Validator(schema())


def test_every_sort_has_a_row() -> None:
    assert {row[0] for row in SORTS} == FIELDS.keys()
    assert all(len(CODE.findall(cell)) >= 2 for row in SORTS for cell in row[1:])


@pytest.mark.parametrize(
    ("sort", "text", "good"),
    [(row[0], text, good) for row in SORTS for good in (True, False) for text in CODE.findall(row[1 if good else 2])],
)
def test_a_sort_in_json(sort: str, text: str, good: bool) -> None:
    """``from_json`` and the schema take what the page says and no more."""
    node, field = FIELDS[sort]
    value = json.loads(text)
    if sort.startswith("key"):
        value = {value: ARRAY}
    if sort == "`bytes`" and value == "":
        node = {**node, "shape": [0]}
    tree = {**node, field: value}
    described = validator().evolve(schema={"$defs": schema()["$defs"], "$ref": f"#/$defs/{node['node']}"})
    if good:
        assert type(node_from_json(tree)).__name__ == node["node"]
        assert described.is_valid(tree)
        return
    with pytest.raises(rr.UsageError):
        node_from_json(tree)
    assert sort == "`bytes`" or not described.is_valid(tree) or text == "7.0"  # a schema has no test of base64


PROGRAM = """
@I.ir_module
class Module:
    @T.prim_func(private=True)
    def zig(A: T.Buffer((2,), "float32"), h: T.handle):
        with T.attr(T.int32(0), "key", 1):
            A[0] = T.float32(1)

    @R.function
    def main(x: R.Tensor((2,), "float32")):
        y = R.add(x, metadata["ir.GenericConst"][10])
        z = R.add(y, metadata["ir.GenericConst"][9])
        return z
"""


def test_what_is_written_is_as_the_page_says() -> None:
    module = rr.bind_constants(rr.parse(PROGRAM), {k: rr.Tensor.of([1.0, 2.0]) for k in (10, 9)})
    text = rr.to_json(module)
    tree = json.loads(text)
    assert "\n" not in text and list(tree["functions"]) == ["main", "zig"] and list(tree["constants"]) == ["9", "10"]
    found = list(_nodes(tree))
    assert {each["node"] for each in found} >= {"AttrStmt", "Literal", "ConstantArray"}
    for each in found:
        kind = NODES[each["node"]]
        fields = [name for name in kind.__dataclass_fields__ if name not in ("span", "source")]
        wanted = ["node_" if name == "node" else name for name in fields if kind.__dataclass_fields__[name].init]
        assert list(each) == ["node", *wanted]
    assert tree["constants"]["9"]["data"] == "AACAPwAAAEA=" and '"bits":"0x3f800000"' in text
    assert '"span"' not in text and '"span":{"file":' in rr.to_json(module, spans=True)
    assert json.loads(rr.to_json(rr.parse(PROGRAM)))["functions"]["zig"]["params"][1]["var"]["dtype"] == "handle"


def _nodes(tree: Any) -> Any:
    if isinstance(tree, dict):
        if "node" in tree:
            yield tree
        for each in tree.values():
            yield from _nodes(each)
    elif isinstance(tree, list):
        for each in tree:
            yield from _nodes(each)


# --- 03d: dtypes


def test_dtypes() -> None:
    rows = table(ABSTRACT, "| are dtypes | kind | bits of a lane | lanes |")
    seen = set()
    for names, kind, widths, lanes in rows:
        of = list(zip(CODE.findall(names), widths.split(", "), lanes.split(", "), strict=False))
        assert len(of) == len(CODE.findall(names)) or len(set(widths.split(", "))) == 1
        for k, name in enumerate(CODE.findall(names)):
            width = widths.split(", ")[min(k, widths.count(","))]
            count, _, scalable = lanes.split(", ")[min(k, lanes.count(","))].partition(" ")
            assert dtypes.is_dtype(name) and dtypes.kind(name) == kind and dtypes.bits(name) == int(width), name
            assert dtypes.lanes(name) == (-int(count) if scalable else int(count)), name
        seen.add(kind)
    assert seen == {"bool", "int", "uint", "float", "handle", "void"}
    none = CODE.findall(ABSTRACT.partition("No dtypes are ")[2].partition("\n")[0])
    assert len(none) > 10 and not [name for name in none if dtypes.is_dtype(name)]
    assert "`intN` and `uintN` for 1 ≤ *N* ≤ 64" in ABSTRACT
    for n in range(1, 65):
        assert dtypes.is_dtype(f"int{n}") and dtypes.is_dtype(f"uint{n}")


# --- 03c: printing

LOOPS = Style("int32")
PRINTING = (SPEC / "03c-printing-and-json.md").read_text("utf-8")
LITERALS = table(PRINTING, "| literal | at graph level | at loop level |")
DEPARTURES = table(PRINTING, "| TVM 0.27 prints | here | why |")


@pytest.mark.parametrize(("literal", "graph", "loop"), LITERALS)
def test_a_literal_is_printed_so(literal: str, graph: str, loop: str) -> None:
    number, _, dtype = literal.partition(" of ")
    node = bits.literal(dtype, float(number) if dtype.startswith(("float", "bfloat")) else int(number))
    assert [f"`{expression(node)}`", f"`{expression(node, LOOPS)}`"] == [graph, loop]


GRAPH = """@I.ir_module
class Module:
    @R.function(private=True)
    def f(x: R.Tensor((2,), "float32"), k: R.Prim("int64")) -> R.Tensor((2,), "float32"):
        return x

    @R.function(pure=False)
    def main(x: R.Tensor((2,), "float32")):
        cls = Module
        {body}
        return x
"""
LOOP = """@I.ir_module
class Module:
    @T.prim_func(private=True)
    def main(A: T.Buffer((4, 4), "float32"), C: T.Buffer((4,), "bool"), a: T.int64, b: T.int64):
        {body}
"""
DIM = """n = TypeVar("n")
@I.ir_module
class Module:
    @R.function
    def f(x: R.Tensor((n,), "float32")):
        return x

    @R.function
    def main(x: R.Tensor((2,), "float32")):
        n = T.int64()
        y = R.match_cast(x, R.Tensor((n,), "float32"))
        return y
"""

PRINTED: dict[str, tuple[str, str]] = {
    "`(a < b) == c`": (LOOP.format(body="C[0] = (a < b) == C[1]"), "C[0] = (a < b) == C[1]\n"),
    "`T.int32(3)` unless int64": (GRAPH.format(body="k = T.int32(3)"), "k = R.prim_value(T.int32(3))\n"),
    "the name, where it is used": (
        GRAPH.format(body='_1 = R.print(x, format="")\n        t = (_1, x)'), '_1 = R.print(x, format=R.str(""))\n'
    ),
    '`R.const([1.0, 2.0], "float32")`': (GRAPH.format(body='y = R.const([1, 2.0], "float32")'), 'R.const([1.0, 2.0], "float32")\n'),
    '`pad_value=float("-inf")`': (GRAPH.format(body='y = R.nn.pad(x, (1, 1), pad_value=float("-inf"))'), 'pad_value=float("-inf")'),
    "`D = T.decl_buffer((4, 4), …, data=L.data)`": (
        LOOP.format(body='L = T.alloc_buffer((16,), "int8")\n        D = L.view(4, 4)\n        D[0, 0] = T.int8(1)'),
        'D = T.decl_buffer((4, 4), "int8", data=L.data)\n',
    ),
    '`R.Prim("int64")`': (GRAPH.format(body="t: R.Tuple(T.int64, R.Tensor((2,), 'float32')) = (R.prim_value(3), x)"), 'R.Tuple(R.Prim("int64"), '),
    "`cls.f(x, R.prim_value(3))`": (GRAPH.format(body="y = cls.f(x, R.prim_value(3))"), "y = cls.f(x, R.prim_value(3))\n"),
    "`T.float32(0.70710676908493042)`": (LOOP.format(body="A[0, 0] = T.float32(0.70710678118654757)"), "= T.float32(0.70710676908493042)\n"),
    "`y: T.let = …`": (LOOP.format(body="y: T.let[T.handle] = A.data\n        T.evaluate(y)"), "y: T.let = A.data\n"),
    '`R.Tensor(("n",))`, `x = T.match_buffer(x_handle, (n,))` with `n = T.int64()`, no `TypeVar`': (DIM, 'R.Tensor(("n",), '),
    '`T.call_intrin(dtype, "prim.if_then_else", c, p, q)`': (
        LOOP.format(body='T.evaluate(T.call_intrin("handle", "prim.if_then_else", a < b, A.data, A.data))'), '"prim.if_then_else", a < b, A.data, A.data)',
    ),
    "no `ty_args`": (
        GRAPH.format(body="y = R.builtin.alloc_tensor(R.shape([2]), R.dtype('float32'), R.prim_value(0), R.str('global'))"),
        'R.builtin.alloc_tensor(R.shape([2]), R.dtype("float32"), 0, R.str("global"))\n',
    ),
    "declared at the top of the body": (
        LOOP.format(body='A[0, 0] = T.float32(1)\n        v = T.int32()\n        A[1, 1] = T.Cast("float32", v)'), "    v = T.int32()\n        A[0, 0] = "
    ),
}  # fmt: skip
"""A program and what is printed of it, by what stands under *here*."""
KEPT = {"the same", "only at the top"}
"""What stands there and is shown elsewhere (``tests/syntax/write``)."""


def test_every_departure_is_shown() -> None:
    assert {row[1] for row in DEPARTURES} == PRINTED.keys() | KEPT


@pytest.mark.parametrize("here", PRINTED)
def test_a_departure_is_printed_so(here: str) -> None:
    program, fragment = PRINTED[here]
    text = rr.print_module(rr.parse(program))
    assert fragment in text
    assert rr.parse(text) == rr.parse(program)
    if here == "no `ty_args`":
        assert "ty_args" not in text
    if here.endswith("no `TypeVar`"):
        assert "TypeVar" not in text
