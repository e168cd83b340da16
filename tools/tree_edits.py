"""Trees near a module's tree: one node changed at random, or a part left out. Trees are canonical JSON.

Many edits give no module; whoever searches asks the definition what each is.
"""

from __future__ import annotations

import json
import random
from collections.abc import Iterator
from typing import Any

Tree = Any
Path = tuple[str | int, ...]

DTYPES = ("float32", "int32", "float16", "int8", "bool", "int64", "uint8", "float64", None)
CORNERS: dict[str, tuple[Any, ...]] = {
    "float": (0, 1, -1, 0.5, -0.0, "nan", "inf", "-inf", 3, 1e30),
    "int": (0, 1, -1, 2, 5, 100, -3),
    "bool": (True, False),
}
SORTS = {
    name: sort
    for sort, names in {
        "expression": "Call Var GlobalVar Op ExternFunc Constant ConstantRef ConstantArray DistConstant ShapeExpr "
        "Tuple TupleGetItem PrimValue StringValue DataTypeValue If Function",
        "scalar": "Literal SymVar Binary Not Select Cast Let Intrinsic BufferLoad Ramp Broadcast Shuffle StringImm "
        "BufferRef",
        "statement": "BufferStore IfThenElse Evaluate LaunchThread For While Bind AssertStmt AttrStmt AllocBuffer "
        "DeclBuffer SBlock Return Continue Break",
        "type": "TensorType ShapeType FuncType AnyType PrimType TupleType DTensorType PackedFuncType",
        "binding": "VarBinding MatchCast",
        "block": "BindingBlock DataflowBlock",
        "parameter": "BufferParam ScalarParam",
        "function": "Function PrimFunc ExternFunc",
    }.items()
    for name in names.split()
}
"""Which kinds of nodes may stand in each other's place."""
LARGEST = 600
"""Characters of the largest node that is put into another tree."""


def nodes(tree: Tree, path: Path = ()) -> Iterator[tuple[Path, Tree]]:
    """Every object and list of a tree with its path, from the root."""
    items = tree.items() if isinstance(tree, dict) else enumerate(tree) if isinstance(tree, list) else None
    if items is not None:
        yield path, tree
        for key, part in items:
            yield from nodes(part, (*path, key))


def copied(tree: Tree) -> Tree:
    """A tree that shares nothing with another."""
    return json.loads(json.dumps(tree))


def at(tree: Tree, path: Path) -> Tree:
    """The part of a tree at a path."""
    for key in path:
        tree = tree[key]
    return tree


def replaced(tree: Tree, path: Path, by: Tree) -> Tree:
    """A copy with another part at a path, which is not empty."""
    found = copied(tree)
    at(found, path[:-1])[path[-1]] = copied(by)
    return found


def kind(dtype: str) -> str:
    """``float``, ``int`` or ``bool``."""
    return "bool" if dtype == "bool" else "float" if "float" in dtype else "int"


class Pool:
    """The nodes and attributes of many trees, to put into others."""

    def __init__(self) -> None:
        self.nodes: dict[str, dict[str, None]] = {}
        self.values: dict[tuple[str, str], dict[str, None]] = {}
        """What stands at a field of a kind of node, and at an attribute of any operator (kind ``attribute``)."""

    def add(self, tree: Tree) -> None:
        """Take in the parts of a tree."""
        for _, node in nodes(tree):
            if not isinstance(node, dict) or "node" not in node:
                continue
            text = json.dumps(node, sort_keys=True)
            if len(text) < LARGEST:
                self.nodes.setdefault(node["node"], {})[text] = None
            for key, value in node.items():
                if not isinstance(value, dict | list):
                    self.values.setdefault((node["node"], key), {})[json.dumps(value)] = None
            for key, value in node.get("attrs", ()) if node["node"] == "Call" else ():
                self.values.setdefault(("attribute", key), {})[json.dumps(value)] = None

    def node(self, name: str, rnd: random.Random) -> Tree | None:
        """Some node of a kind."""
        found = list(self.nodes.get(name, ()))
        return json.loads(rnd.choice(found)) if found else None

    def value(self, node: str, key: str, rnd: random.Random) -> Any:
        """Something that stands at a field."""
        found = list(self.values.get((node, key), ("null",)))
        return json.loads(rnd.choice(found))


def edited(tree: Tree, pool: Pool, rnd: random.Random) -> Tree | None:
    """A copy with one edit; ``None`` if none was found in a few tries."""
    found = copied(tree)
    places = list(nodes(found))
    for _ in range(30):
        path, part = rnd.choice(places)
        if isinstance(part, list):
            if path and path[-1] != "attrs" and _list(part, rnd):
                return found
        elif _node(part, pool, rnd):
            return found
        elif path and part.get("node") and rnd.random() < 0.5:
            at(found, path[:-1])[path[-1]] = pool.node(part["node"], rnd) or part
            return found
    return None


def _list(part: list[Tree], rnd: random.Random) -> bool:
    if not part:
        return False
    what = rnd.choice(("leave out", "swap", "repeat"))
    if what == "leave out":
        part.pop(rnd.randrange(len(part)))
    elif what == "repeat":
        part.insert(rnd.randrange(len(part) + 1), copied(rnd.choice(part)))
    elif len(part) > 1:
        i, j = rnd.sample(range(len(part)), 2)
        part[i], part[j] = part[j], part[i]
    return what != "swap" or len(part) > 1


def _node(part: dict[str, Any], pool: Pool, rnd: random.Random) -> bool:
    match part.get("node"):
        case "Literal" if part["dtype"].startswith(("int", "uint")):
            return _literal(part, rnd)
        case "TensorType":
            return _tensor(part, rnd)
        case "Call" if part.get("attrs") and rnd.random() < 0.7:
            return _attribute(rnd.choice(part["attrs"]), pool, rnd)
        case "Call" if len(part.get("args", ())) > 1:
            return _arguments(part["args"], rnd)
        case "VarBinding" if rnd.random() < 0.5:
            part["annotation"] = None if part.get("annotation") else pool.node("TensorType", rnd)
            return True
        case str(name):
            return _field(name, part, pool, rnd)
        case _:
            return False


def _literal(part: dict[str, Any], rnd: random.Random) -> bool:
    width = int("".join(c for c in part["dtype"] if c.isdigit()))
    value = int(part["bits"], 16)
    value -= (value >> (width - 1)) << width
    part["bits"] = hex(rnd.choice((0, 1, -1, value + 1, value - 1, 2, -value, 7)) & ((1 << width) - 1))
    return True


def _dim(rnd: random.Random) -> Tree:
    return {"node": "Literal", "dtype": "int64", "bits": rnd.choice(("0x0", "0x1", "0x2", "0x3"))}


def _tensor(part: dict[str, Any], rnd: random.Random) -> bool:
    dims = part["shape"] if isinstance(part["shape"], list) else None
    what = rnd.choice(("dtype", "unknown dtype", "unknown dims", "one", "fewer", "more", "other order"))
    if what in ("dtype", "unknown dtype"):
        part["dtype"] = rnd.choice(DTYPES) if what == "dtype" else None
    elif what == "unknown dims":
        part["shape"], part["ndim"] = None, rnd.choice((-1, 0, 1, 2, 3))
    elif dims is None:
        return False
    elif what == "one" and dims:
        dims[rnd.randrange(len(dims))] = _dim(rnd)
    elif what == "fewer" and dims:
        dims.pop(rnd.randrange(len(dims)))
    elif what == "more":
        dims.insert(rnd.randrange(len(dims) + 1), _dim(rnd))
    else:
        dims.reverse()
    if isinstance(part["shape"], list):
        part["ndim"] = len(part["shape"])
    return True


def _attribute(entry: list[Any], pool: Pool, rnd: random.Random) -> bool:
    value = entry[1]
    if isinstance(value, bool):
        entry[1] = not value
    elif isinstance(value, int):
        entry[1] = rnd.choice((value + 1, value - 1, -value, 0, 1, -1, 2, None))
    else:
        entry[1] = pool.value("attribute", entry[0], rnd)
    return True


def _arguments(args: list[Tree], rnd: random.Random) -> bool:
    what = rnd.choice(("other order", "one twice", "fewer"))
    if what == "other order":
        args.reverse()
    elif what == "one twice":
        args[rnd.randrange(len(args))] = copied(rnd.choice(args))
    else:
        args.pop()
    return True


def _field(name: str, part: dict[str, Any], pool: Pool, rnd: random.Random) -> bool:
    key = rnd.choice([*part])
    value = part[key]
    if isinstance(value, bool):
        part[key] = not value
    elif key == "dtype":
        part[key] = rnd.choice(DTYPES[:-1])
    elif isinstance(value, int):
        part[key] = rnd.choice((value + 1, value - 1, 0, 1, -1))
    elif key in ("annotation", "ret", "type"):
        part[key] = None if value else pool.node("TensorType", rnd)
    elif isinstance(value, str | None) and key != "node":
        part[key] = pool.value(name, key, rnd)
    else:
        return False
    return bool(part[key] != value)


def moved(tree: Tree, pool: Pool, rnd: random.Random) -> Tree | None:
    """A copy in which a node stands in the place of another one, of whatever kind: one of the same tree, or of any."""
    found = copied(tree)
    places = [(path, part) for path, part in nodes(found) if path and isinstance(part, dict) and "node" in part]
    if not places:
        return None
    path, part = rnd.choice(places)
    own = part["node"]
    kinds = [each for each in pool.nodes if SORTS.get(each, each) == SORTS.get(own, own)] or [own]
    same = [other for _, other in places if other is not part and other["node"] in kinds]
    by = copied(rnd.choice(same)) if same and rnd.random() < 0.6 else pool.node(rnd.choice(kinds), rnd)
    if by is None or by == part:
        return None
    at(found, path[:-1])[path[-1]] = by
    return found


def edited_arguments(args: list[Any], rnd: random.Random) -> list[Any]:
    """A copy of a case's arguments with an element or two replaced by a corner."""
    found = copied(args)
    leaves = [n for _, n in nodes(found) if isinstance(n, dict) and isinstance(n.get("data"), list) and n["data"]]
    for _ in range(rnd.choice((1, 1, 2)) if leaves else 0):
        leaf = rnd.choice(leaves)
        k = rnd.randrange(len(leaf["data"]))
        if not isinstance(leaf["data"][k], list):
            leaf["data"][k] = rnd.choice(CORNERS[kind(leaf["dtype"])])
    return found


def smaller(tree: Tree) -> Iterator[Tree]:
    """Trees with one part left out or made simpler, the largest part first: functions, bindings, parameters, items of
    any list, annotations, attributes; a call by one of its arguments, a scalar expression by one of its operands."""
    parts = sorted(((len(json.dumps(part)), path, part) for path, part in nodes(tree)), key=lambda p: -p[0])
    for _, path, part in parts:
        above = at(tree, path[:-1]) if path else None
        if isinstance(above, list):
            yield _without(tree, path)
        elif path and (path[-1] in ("annotation", "ret") or path[:-1] == ("functions",)):
            yield _without(tree, path) if path[:-1] == ("functions",) else replaced(tree, path, None)
        if not path or not isinstance(part, dict):
            continue
        for key in ("args", "a", "b", "true_value", "false_value", "value"):
            for inner in part[key] if isinstance(part.get(key), list) else [part.get(key)]:
                if isinstance(inner, dict) and "node" in inner:
                    yield replaced(tree, path, inner)


def _without(tree: Tree, path: Path) -> Tree:
    found = copied(tree)
    del at(found, path[:-1])[path[-1]]
    return found
