"""``metadata[…][k]``: what TVM prints when a value has no spelling of its own, and where its JSON gives the value.

A text printed with ``show_meta=True`` begins with ``metadata = tvm.ir.load_json("…")``: a graph of numbered nodes.
Strings (``metadata["ir.StringImm"][k]``, strings with line breaks) are taken from it and put where they are used;
arrays stay references (``ConstantRef``), to be bound beside the text. Without the JSON a string is its own reference,
spelled out.
"""

from __future__ import annotations

import ast
import json
from typing import Any

from refrelax.rules import rule
from refrelax.syntax.read.context import Source

STRINGS = "ir.StringImm"
ARRAYS = ("ir.GenericConst", "relax.expr.Constant", "ffi.Tensor")
"""Kinds of metadata that are arrays; the second is the old spelling of the first."""


@rule("syn/metadata-text")
def take_metadata(src: Source, tree: ast.Module) -> None:
    """Remove ``metadata = …`` from the top level and put the strings that it holds into the tree.

    Raises:
        Malformed: the text of the metadata is no such JSON.
    """
    strings: list[str] = []
    for stmt in list(tree.body):
        found = _json_of(stmt)
        if found is not None:
            strings = _strings(src, stmt, found)
            tree.body.remove(stmt)
    if f'metadata["{STRINGS}"]' in src.text or f"metadata['{STRINGS}']" in src.text:
        _Replacing(strings).visit(tree)


def _json_of(stmt: ast.stmt) -> str | None:
    match stmt:
        case ast.Assign(
            targets=[ast.Name(id="metadata")],
            value=ast.Call(func=ast.Attribute(attr="load_json"), args=[ast.Constant(value=str() as text)]),
        ):
            return text
        case _:
            return None


def _strings(src: Source, stmt: ast.stmt, text: str) -> list[str]:
    """The ``ir.StringImm`` values in order: the root maps kinds to arrays, all by node number."""
    strings: list[str] = []
    try:
        graph: Any = json.loads(text)
        nodes = graph["nodes"]
        root = _list(_data(nodes, graph["root_index"]))
        for key, value in zip(root[::2], root[1::2], strict=True):
            kind = _string(_data(nodes, key))
            items = [_data(nodes, each) for each in _list(_data(nodes, value))]
            if kind == STRINGS:
                strings += [_string(_data(nodes, item["value"])) for item in items]
    except (ValueError, KeyError, IndexError, TypeError, RecursionError) as error:
        src.fail(stmt, "syn/metadata-text", f"expected the JSON of TVM's metadata: {type(error).__name__}")
    return strings


def _data(nodes: Any, number: object) -> Any:
    """The data of a node: Python would also count from the end, and take a truth for a number."""
    if type(number) is not int or number < 0:
        raise IndexError(number)
    return nodes[number]["data"]


def _list(data: Any) -> list[Any]:
    if not isinstance(data, list):
        raise TypeError(data)
    return data


def _string(data: Any) -> str:
    if not isinstance(data, str):
        raise TypeError(data)
    return data


class _Replacing(ast.NodeTransformer):
    """Puts string constants in place of ``metadata["ir.StringImm"][k]``."""

    def __init__(self, strings: list[str]) -> None:
        self.strings = strings

    def visit_Subscript(self, node: ast.Subscript) -> ast.AST:
        match node:
            case ast.Subscript(
                value=ast.Subscript(value=ast.Name(id="metadata"), slice=ast.Constant(value="ir.StringImm")),
                slice=ast.Constant(value=int() as k),
            ):
                text = self.strings[k] if 0 <= k < len(self.strings) else f'metadata["{STRINGS}"][{k}]'
                return ast.copy_location(ast.Constant(text), node)
            case _:
                return self.generic_visit(node)
