# ruff: noqa: E501 (programs of a line)
"""What chapters 03c and 03d say of written forms is run: each sort in JSON, each dtype, each way to print."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

import refrelax as rr
from refrelax.conformance.chapters.held import chapter, code, held, holds, over, same, says, table
from refrelax.errors import UsageError
from refrelax.syntax import bits, dtypes
from refrelax.syntax.json_ import node_from_json
from refrelax.syntax.write.scalars import Style, expression

# --- 03d: JSON

N = {"node": "SymVar", "name": "n", "dtype": "int64"}
ONE = {"node": "Literal", "dtype": "int32", "bits": "0x1"}
FIELDS: dict[str, tuple[dict[str, Any], str]] = {
    "`bits`": ({"node": "Literal", "dtype": "float32"}, "bits"),
    "`bytes`": ({"node": "ConstantArray", "dtype": "float32", "shape": [1]}, "data"),
    "`integer`": ({"node": "TupleGetItem", "tuple": {"node": "Var", "name": "t"}}, "index"),
    "`truth`": ({"node": "Buffer", "name": "B", "shape": [ONE]}, "scalar"),
    "`string`": ({"node": "StringValue"}, "value"),
    "`X?`": ({"node": "BufferLoad", "buffer": "B", "indices": [N], "dtype": "float32"}, "predicate"),
    "`X*`": ({"node": "ShapeExpr"}, "values"),
    "key of a table of integers": ({"node": "Module", "functions": {}}, "constants"),
}
"""A node, and the field of it that has the sort."""
ARRAY = {"node": "ConstantArray", "dtype": "float32", "shape": [1], "data": "AACAPw=="}


def sorts() -> list[list[str]]:
    return table("03d-abstract-syntax.md", '`"node_"` there.\n\n| sort | is written | are none |')


@held("03d-abstract-syntax.md")
def every_sort_has_a_row() -> None:
    same({row[0] for row in sorts()}, FIELDS.keys())
    holds(all(len(code(cell)) >= 2 for row in sorts() for cell in row[1:]))


@held("03d-abstract-syntax.md")
@over(sorts)
def a_sort_in_json(row: list[str]) -> None:
    """``from_json`` takes what the page says and no more."""
    for good, tree, text in given(row):
        try:
            taken = type(node_from_json(tree)).__name__ == tree["node"]
        except UsageError:
            taken = False
        holds(taken is good, (row[0], text))


def given(row: list[str]) -> Iterator[tuple[bool, dict[str, Any], str]]:
    """Of a row: whether it is taken, a node with a field that is written so, and how."""
    node, field = FIELDS[row[0]]
    for good in (True, False):
        for text in code(row[1 if good else 2]):
            value = json.loads(text)
            if row[0].startswith("key"):
                value = {value: ARRAY}
            shape = {"shape": [0]} if row[0] == "`bytes`" and value == "" else {}
            yield good, {**node, **shape, field: value}, text


# --- 03d: dtypes


@held("03d-abstract-syntax.md")
def the_dtypes() -> None:
    rows = table("03d-abstract-syntax.md", "| are dtypes | kind | bits of a lane | lanes |")
    seen = set()
    for names, kind, widths, lanes in rows:
        of = list(zip(code(names), widths.split(", "), lanes.split(", "), strict=False))
        holds(len(of) == len(code(names)) or len(set(widths.split(", "))) == 1)
        for k, name in enumerate(code(names)):
            width = widths.split(", ")[min(k, widths.count(","))]
            count, _, scalable = lanes.split(", ")[min(k, lanes.count(","))].partition(" ")
            holds(dtypes.is_dtype(name), name)
            same(dtypes.kind(name), kind, name)
            same(dtypes.bits(name), int(width), name)
            same(dtypes.lanes(name), -int(count) if scalable else int(count), name)
        seen.add(kind)
    same(seen, {"bool", "int", "uint", "float", "handle", "void"})
    none = code(chapter("03d-abstract-syntax.md").partition("No dtypes are ")[2].partition("\n")[0])
    holds(len(none) > 10)
    holds(not [name for name in none if dtypes.is_dtype(name)])
    says(chapter("03d-abstract-syntax.md"), "`intN` and `uintN` for 1 ≤ *N* ≤ 64")
    for n in range(1, 65):
        holds(dtypes.is_dtype(f"int{n}"))
        holds(dtypes.is_dtype(f"uint{n}"))


# --- 03c: printing

LOOPS = Style("int32")


def literals() -> list[tuple[str, ...]]:
    return [tuple(row) for row in table("03c-printing-and-json.md", "| literal | at graph level | at loop level |")]


def departures() -> list[list[str]]:
    return table("03c-printing-and-json.md", "| TVM 0.27 prints | here | why |")


@held("03c-printing-and-json.md")
@over(literals)
def a_literal_is_printed_so(literal: str, graph: str, loop: str) -> None:
    number, _, dtype = literal.partition(" of ")
    node = bits.literal(dtype, float(number) if dtype.startswith(("float", "bfloat")) else int(number))
    same([f"`{expression(node)}`", f"`{expression(node, LOOPS)}`"], [graph, loop])


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


@held("03c-printing-and-json.md")
def every_departure_is_shown() -> None:
    same({row[1] for row in departures()}, PRINTED.keys() | KEPT)


@held("03c-printing-and-json.md")
@over(lambda: PRINTED)
def a_departure_is_printed_so(here: str) -> None:
    program, fragment = PRINTED[here]
    text = rr.print_module(rr.parse(program))
    holds(fragment in text)
    same(rr.parse(text), rr.parse(program))
    if here == "no `ty_args`":
        holds("ty_args" not in text)
    if here.endswith("no `TypeVar`"):
        holds("TypeVar" not in text)
