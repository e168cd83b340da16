"""What no text of TVM 0.27 tells: parts of a module that its printer leaves out or that its reader cannot be given.

A text of such a module reads back as another module, whoever wrote the text. So two modules are compared a second time
with these parts forgotten on both sides, on the tree that ``tvm.ir.save_json`` gives:

| name | what is forgotten |
|---|---|
| `ty_args` | the type arguments of `R.builtin.alloc_tensor`: printed, and the function of that name takes none |
| `double` | what a literal has beyond its dtype: a `float32` keeps a double, and prints it |
| `layout` | that a buffer has no layout rather than the default one: neither prints, under `s_tir=True` |
| `extent` | the integer type of a literal extent in `T.reads` and `T.writes`: `A[i, 0:5]` does not say it |
"""

from __future__ import annotations

import json
import struct
from collections.abc import Callable
from typing import Any

Nodes = list[dict[str, Any]]
"""The nodes of a saved module; fields refer to nodes by number."""

_FORMATS = {"float32": "f", "float16": "e"}


def _add(nodes: Nodes, node: dict[str, Any]) -> int:
    """The number of a new node."""
    nodes.append(node)
    return len(nodes) - 1


def _ty_args(nodes: Nodes) -> None:
    empty = _add(nodes, {"type": "ffi.Array", "data": []})
    for node in nodes:
        if node["type"] == "ir.Call" and nodes[node["data"]["op"]].get("data") == "relax.builtin.alloc_tensor":
            node["data"]["ty_args"] = empty


def _double(nodes: Nodes) -> None:
    for node in nodes:
        if node["type"] == "ir.FloatImm" and isinstance(node["data"]["value"], float):
            code = _FORMATS.get(nodes[node["data"]["ty"]]["data"]["dtype"])
            if code is not None:
                (node["data"]["value"],) = struct.unpack(code, struct.pack(code, node["data"]["value"]))


def _layout(nodes: Nodes) -> None:
    none = _add(nodes, {"type": "None"})
    for node in nodes:
        if node["type"] == "tirx.BufferType":
            node["data"]["layout"] = none


def _extent(nodes: Nodes) -> None:
    none = _add(nodes, {"type": "None"})
    prim = _add(nodes, {"type": "ir.PrimType", "data": {"span": none, "dtype": "int64"}})
    for node in list(nodes):
        if node["type"] == "ir.TensorRegion":
            for number in nodes[node["data"]["region"]]["data"]:
                extent = nodes[nodes[number]["data"]["extent"]]
                if extent["type"] == "ir.IntImm":
                    fresh = {"type": "ir.IntImm", "data": {**extent["data"], "ty": prim}}
                    nodes[number]["data"]["extent"] = _add(nodes, fresh)


FORGET: dict[str, Callable[[Nodes], None]] = {
    "ty_args": _ty_args,
    "double": _double,
    "layout": _layout,
    "extent": _extent,
}


def forgetting(mod: Any, parts: list[str]) -> Any:
    """The module with those parts forgotten."""
    import tvm

    tree = json.loads(str(tvm.ir.save_json(mod)))
    for part in parts:
        FORGET[part](tree["nodes"])
    return tvm.ir.load_json(json.dumps(tree))


def equal(left: Any, right: Any) -> str:
    """Empty if they are structurally equal, else where they are not."""
    import tvm

    try:
        tvm.ir.assert_structural_equal(left, right)
    except BaseException as error:
        return str(error)[:600]
    return ""


def equal_up_to(left: Any, right: Any, shown: str) -> list[str] | None:
    """The fewest parts to forget, found one after the other, so that two modules are equal; ``None`` if they differ in
    others. ``shown``: the text of the second; where a layout is written, none is forgotten."""
    if not equal(left, right):
        return []
    parts = [part for part in FORGET if part != "layout" or "layout=" not in shown]
    if equal(forgetting(left, parts), forgetting(right, parts)):
        return None
    for part in list(parts):
        fewer = [each for each in parts if each != part]
        if not equal(forgetting(left, fewer), forgetting(right, fewer)):
            parts = fewer
    return parts
