"""Attribute values in text: of operators (by kind), of functions and modules (any)."""

from __future__ import annotations

import ast
from collections.abc import Callable
from typing import Any, cast

from refrelax.rules import rule
from refrelax.syntax import bits, dtypes
from refrelax.syntax.graph import AttrDict, AttrList, AttrValue, Expr, IndexMap, PrimValue, Tuple
from refrelax.syntax.read import expressions, operators
from refrelax.syntax.read.constants import constant, shown, try_constant
from refrelax.syntax.read.context import Scope
from refrelax.syntax.read.metadata import ARRAYS
from refrelax.syntax.read.reader import Reader
from refrelax.syntax.read.types import SHORT_DTYPES, dotted, read_dtype, read_type
from refrelax.syntax.scalars import Literal, PrimExpr, SymVar, bool_imm, int_imm
from refrelax.syntax.signatures import Slot

KIND_KEY = "$kind"
"""The key that tells what an ``AttrDict`` stands for: ``vdevice``, ``device_mesh``, ``target``, ``range``, …."""


def from_default(slot: Slot) -> AttrValue:
    """The default of an attribute, in canonical form."""
    if slot.default is None:
        return None
    return _of_kind(slot.default, slot.kind)


@rule("syn/attribute")
def read_attribute(reader: Reader, node: ast.expr, slot: Slot) -> AttrValue:
    """An attribute of the kind that the signature table says.

    Raises:
        Malformed: a value of another kind.
    """
    match slot.kind:
        case "dtype":
            dtype = read_dtype(reader, node)
            if dtype is None and not slot.optional:
                reader.src.fail(node, "syn/attribute", f"expected {slot.name} as a dtype, found `{shown(node)}`")
            return dtype
        case "index_map":
            return read_index_map(reader, node)
        case "vdevice":
            return reader.vdevice(node)
        case "any":
            return read_any(reader, node)
        case "expr":  # a bare integer is an int64 and a bare truth a bool, as everywhere
            match read_any(reader, node):
                case bool(value):
                    return bool_imm(value)
                case int(value):
                    return int_imm(value)
                case found:
                    return found
        case "imm":
            known, value = try_constant(reader.src, node, reader.scope)
            if known and isinstance(value, float):
                return bits.literal("float32", value)
            return _number(reader, node, slot, read_any(reader, node))
        case "sections":
            found = read_any(reader, node)
            if isinstance(found, AttrList) and all(type(each) is int for each in found.items):
                return found
            return _number(reader, node, slot, found, (int,))
    known, value = try_constant(reader.src, node, reader.scope)
    if not known:
        value = _scalar_constant(reader, node)
    found = _of_kind(value, slot.kind)
    if found is _NOT:
        reader.src.fail(node, "syn/attribute", f"expected {slot.name} as {_sort(slot.kind)}, found `{shown(node)}`")
    return found


def _number(
    reader: Reader, node: ast.expr, slot: Slot, found: AttrValue, kinds: tuple[type, ...] = (int, Literal)
) -> AttrValue:
    if found is not None and (not isinstance(found, kinds) or isinstance(found, bool)):
        reader.src.fail(node, "syn/attribute", f"expected {slot.name} as a number, found `{shown(node)}`")
    return found


def _sort(kind: str) -> str:
    plain = kind.rstrip("123")
    if plain == kind:
        return _KINDS[kind]
    axes = int(kind.removeprefix(plain))
    counts = sorted({1, axes, 2 * axes} if plain == "pad" else {1, axes})
    return f"{' or '.join(map(str, counts))} integer{'s' if counts[-1] > 1 else ''}"


_NOT: Any = object()
_KINDS = {
    "int": "an integer", "bool": "True or False", "str": "a string", "float": "a number", "ints": "integers",
    "pad": "integers", "floats": "numbers", "imms": "numbers", "dtype": "a dtype",
}  # fmt: skip


def _scalar_constant(reader: Reader, node: ast.expr) -> Any:
    """``T.int64(3)``, ``[T.float32(0.0), …]``: typed literals where plain numbers are meant."""
    if isinstance(node, (ast.List, ast.Tuple)):
        return [_scalar_constant(reader, each) for each in node.elts]
    known, value = try_constant(reader.src, node, reader.scope)
    if known:
        return value
    name = (dotted(node.func) or "") if isinstance(node, ast.Call) else ""
    if not name.startswith("T.") or not _is_dtype(name):
        return constant(reader.src, node, reader.scope)  # refuses, with the reason
    literal = reader.scalar(node)
    if isinstance(literal, Literal):
        return bits.literal_value(literal)
    return reader.src.fail(node, "syn/attribute", f"expected a constant, found `{shown(node)}`")


def _of_kind(value: Any, kind: str) -> AttrValue:
    """A Python constant as an attribute of ``kind``; ``_NOT`` if it is none, or does not fit."""
    listed = value if isinstance(value, (list, tuple)) else [value]
    if any(isinstance(v, int) and v.bit_length() > 63 for v in listed):
        return cast(AttrValue, _NOT)
    match kind:
        case "int":
            return int(value) if isinstance(value, int) else cast(AttrValue, _NOT)
        case "bool":
            return bool(value) if isinstance(value, int) else cast(AttrValue, _NOT)
        case "str" | "dtype":
            return value if isinstance(value, str) else cast(AttrValue, _NOT)
        case "float":
            return bits.literal("float64", float(value)) if isinstance(value, (int, float)) else cast(AttrValue, _NOT)
        case "ints" | "ints1" | "ints2" | "ints3" | "pad1" | "pad2" | "pad3":
            return _integers(value, kind)
        case "floats":
            items = list(value) if isinstance(value, (list, tuple)) else [value]
            if not all(isinstance(v, (int, float)) for v in items):
                return cast(AttrValue, _NOT)
            return AttrList(tuple(bits.literal("float64", float(v)) for v in items))
        case "imms":
            items = list(value) if isinstance(value, (list, tuple)) else [value]
            if not all(isinstance(v, (int, float)) for v in items):
                return cast(AttrValue, _NOT)
            return AttrList(tuple(bits.literal("float32", float(v)) for v in items))
        case _:
            return cast(AttrValue, _NOT)


def _integers(value: Any, kind: str) -> AttrValue:
    axes = int(kind[-1]) if kind[-1].isdigit() else 0
    items = list(value) if isinstance(value, (list, tuple)) else [value]
    if not all(isinstance(v, int) and not isinstance(v, bool) for v in items):
        return cast(AttrValue, _NOT)
    if axes and kind.startswith("ints") and len(items) == 1:
        items *= axes
    if axes and kind.startswith("pad"):
        items = items * (2 * axes) if len(items) == 1 else items * 2 if len(items) == axes else items
    if axes and len(items) != (2 * axes if kind.startswith("pad") else axes):
        return cast(AttrValue, _NOT)
    return AttrList(tuple(items))


@rule("syn/attribute-value")
def read_any(reader: Reader, node: ast.expr) -> AttrValue:
    """An attribute of a function, a module or a packed call: constants, lists, dicts, scalars, types, expressions."""
    with reader.src.deeper(node):
        known, value = try_constant(reader.src, node, reader.scope)
        if known:
            return from_python(reader, node, value)
        match node:
            case ast.List(elts=items) | ast.Tuple(elts=items):
                return AttrList(tuple(read_any(reader, each) for each in items))
            case ast.Dict(keys=keys, values=values):
                return _dict(reader, node, keys, values)
            case ast.Subscript(
                value=ast.Subscript(value=ast.Name(id="metadata"), slice=ast.Constant(value=str() as kind)),
                slice=ast.Constant(value=int() as index),
            ) if kind not in ARRAYS:
                return _tagged("metadata", table=kind, index=index)
            case ast.Call(func=func):
                special = _SPECIAL.get(dotted(func) or "")
                if special is not None:
                    return special(reader, node)
        name = dotted(node.func if isinstance(node, ast.Call) else node) or ""
        if name in _TYPES or (name.startswith("T.") and not isinstance(node, ast.Call) and _is_dtype(name)):
            return read_type(reader, node)
        if expressions.is_scalar(reader, node):
            return _plain_number(reader.scalar(node))
        return _as_attribute(expressions.read_leaf(reader, node))


def _as_attribute(value: Expr) -> AttrValue:
    """A leaf as the attribute that its text is read as: a scalar is one without ``R.prim_value``, a tuple a list."""
    match value:
        case PrimValue(value=scalar):
            return _plain_number(scalar)
        case Tuple(fields=fields):
            return AttrList(tuple(_as_attribute(each) for each in fields))
        case _:
            return value


def _plain_number(value: PrimExpr) -> AttrValue:
    """``T.int64(3)`` and ``T.bool(True)`` are the plain numbers that they print as."""
    if isinstance(value, Literal) and value.dtype in ("int64", "bool"):
        number = bits.literal_value(value)
        return bool(number) if value.dtype == "bool" else int(number)
    return value


_TYPES = frozenset(f"R.{t}" for t in ("Tensor", "Shape", "Tuple", "Callable", "Any", "Object", "Prim", "DTensor"))


def _is_dtype(name: str) -> bool:
    return dtypes.is_dtype(SHORT_DTYPES.get(name[2:], name[2:]))


def from_python(reader: Reader, node: ast.AST, value: Any) -> AttrValue:
    """A Python constant as an attribute: a float is a float64 literal, a tuple a list."""
    match value:
        case None | bool() | str():
            return value
        case int():
            if not -(1 << 63) <= value < 1 << 63:
                reader.src.fail(node, "syn/literal-range", f"the integer {shown(node)} does not fit into int64")
            return value
        case float():
            return bits.literal("float64", value)
        case list() | tuple():
            return AttrList(tuple(from_python(reader, node, v) for v in value))
        case dict():
            if not all(isinstance(k, str) for k in value):
                reader.src.fail(node, "syn/attribute-value", "expected a string as a key")
            items = [(k, from_python(reader, node, v)) for k, v in value.items()]
            return AttrDict(tuple(sorted(items, key=lambda item: item[0])))
        case _:
            return reader.src.fail(node, "syn/attribute-value", f"expected an attribute value, found `{shown(node)}`")


def _dict(reader: Reader, node: ast.AST, keys: list[ast.expr | None], values: list[ast.expr]) -> AttrDict:
    items: dict[str, AttrValue] = {}
    for key, value in zip(keys, values, strict=True):
        name = constant(reader.src, key, reader.scope) if key is not None else None
        if not isinstance(name, str):
            reader.src.fail(key or node, "syn/attribute-value", "expected a string as a key")
        items[name] = read_any(reader, value)
    return AttrDict(tuple(sorted(items.items())))


def read_attrs(reader: Reader, node: ast.expr) -> tuple[tuple[str, AttrValue], ...]:
    """The dict of ``R.func_attr`` or ``I.module_attrs``, sorted by key."""
    if not isinstance(node, ast.Dict):
        reader.src.fail(node, "syn/attribute-value", f"expected a dict of attributes, found `{shown(node)}`")
    return _dict(reader, node, node.keys, node.values).items


@rule("syn/index-map")
def read_index_map(reader: Reader, node: ast.expr) -> IndexMap:
    """``T.index_map(lambda i, j: (j, i), inverse_index_map=…)``, or the bare ``lambda`` of hand-written text."""
    inverse = None
    if isinstance(node, ast.Call) and dotted(node.func) in (
        "T.index_map",
        "T.IndexMap.from_func",
        "tvm.tir.IndexMap.from_func",
    ):
        given = operators.by_name(reader, node, ("mapping", "inverse_index_map", "index_dtype"))
        if not operators.is_none(given.get("inverse_index_map")):
            inverse = read_index_map(reader, given["inverse_index_map"])
        if "mapping" not in given:
            reader.src.fail(node, "syn/index-map", "T.index_map takes a lambda")
        node = given["mapping"]
    if not isinstance(node, ast.Lambda) or any(
        (node.args.kwonlyargs, node.args.posonlyargs, node.args.vararg, node.args.kwarg, node.args.defaults)
    ):
        reader.src.fail(node, "syn/index-map", f"expected `lambda i, j: (j, i)`, found `{shown(node)}`")
    inner = Scope(reader.scope)
    params = tuple(arg.arg for arg in node.args.args)
    for name in params:
        inner.define(name, SymVar(name))
    body = node.body
    items = body.elts if isinstance(body, (ast.Tuple, ast.List)) else [body]
    with reader.inside(inner):
        results = tuple(reader.scalar(each) for each in items)
    return IndexMap(params, results, inverse)


# --- devices and meshes ----------------------------------------------------------------------------------------------


def _tagged(kind: str, **items: AttrValue) -> AttrDict:
    return AttrDict(tuple(sorted({KIND_KEY: kind, **items}.items())))


def target_kind(target: AttrValue) -> AttrValue:
    """The kind of device that a target names: itself, or its ``kind``."""
    while isinstance(target, AttrDict):
        inner = dict(target.items)
        target = inner.get("kind", inner.get("value"))
    return target


def _vdevice(reader: Reader, node: ast.Call) -> AttrDict:
    """``I.vdevice(target, index, scope)``."""
    names = ("target", "vdevice_id", "memory_scope")
    given = {name: read_any(reader, each) for name, each in operators.by_name(reader, node, names).items()}
    target, index, scope = (given.get(name) for name in names)
    kind = target_kind(target)
    texts = all(isinstance(each, str) and each and ":" not in each for each in (kind, scope or "global"))
    if not texts or scope == "" or not (index is None or (type(index) is int and index >= -1)):
        reader.src.fail(node, "syn/vdevice", f'expected a device such as I.vdevice("cuda", 0), found `{shown(node)}`')
    return _tagged(
        "vdevice", target=target, vdevice_id=index if index is not None else 0, memory_scope=scope or "global"
    )


def _mesh(reader: Reader, node: ast.Call) -> AttrDict:
    """``R.device_mesh(shape, device ids)``."""
    shape, ids = _all_of(reader, node, ("shape", "device_ids"))
    return _tagged("device_mesh", shape=shape, device_ids=ids)


def _all_of(reader: Reader, node: ast.Call, names: tuple[str, ...]) -> list[AttrValue]:
    """The values of parameters none of which may be left out."""
    given = operators.by_name(reader, node, names)
    for name in names:
        if name not in given:
            reader.src.fail(node, "syn/arguments", f"`{shown(node.func)}` needs the argument {name!r}")
    return [read_any(reader, given[name]) for name in names]


def _range(reader: Reader, node: ast.Call) -> AttrDict:
    start, end = _all_of(reader, node, ("begin", "end"))
    return _tagged("range", start=start, end=end)


def _dummy(reader: Reader, node: ast.Call) -> AttrDict:
    _all_of(reader, node, ())
    return _tagged("dummy_global_info")


def _target(reader: Reader, node: ast.Call) -> AttrDict:
    (value,) = _all_of(reader, node, ("target_config",))
    return _tagged("target", value=value)


def _device(reader: Reader, node: ast.Call) -> AttrDict:
    given = operators.by_name(reader, node, ("device_type", "index"))
    kind, index = (read_any(reader, given[name]) if name in given else None for name in ("device_type", "index"))
    if kind is None:
        reader.src.fail(node, "syn/device", f"expected R.device(device_type=1, index=0), found `{shown(node)}`")
    return _tagged("device", device_type=kind, index=0 if index is None else index)


_SPECIAL: dict[str, Callable[[Reader, ast.Call], AttrValue]] = {
    "I.vdevice": _vdevice, "R.device_mesh": _mesh, "I.Range": _range, "T.Range": _range, "I.dummy_global_info": _dummy,
    "T.target": _target, "I.target": _target, "tvm.target.Target": _target, "R.device": _device,
    "T.index_map": read_index_map,
}  # fmt: skip

DEVICE_TYPES = {
    "llvm": 1,
    "cpu": 1,
    "cuda": 2,
    "opencl": 4,
    "vulkan": 7,
    "metal": 8,
    "rocm": 10,
    "hexagon": 12,
    "webgpu": 15,
}


@rule("syn/device")
def split_device(reader: Reader, given: dict[str, ast.expr]) -> dict[str, ast.expr]:
    """``R.hint_on_device(x, R.device(device_type=1, index=0), "global")``: one argument that gives two attributes."""
    node = given.get("device_type")
    if node is None:
        return given
    if not (isinstance(node, ast.Call) and (dotted(node.func) or "").split(".")[-1] in ("device", *DEVICE_TYPES)):
        return given
    name = (dotted(node.func) or "").split(".")[-1]
    kind: AttrValue
    if name == "device":
        found = dict(_device(reader, node).items)
        kind, index = found["device_type"], found["index"]
    else:
        given_index = operators.by_name(reader, node, ("index",)).get("index")
        kind, index = name, read_any(reader, given_index) if given_index is not None else 0
    kind = DEVICE_TYPES.get(kind, kind) if isinstance(kind, str) else kind
    if not isinstance(kind, int) or not isinstance(index, int):
        reader.src.fail(node, "syn/device", f"expected R.device(device_type=1, index=0), found `{shown(node)}`")
    result = {k: v for k, v in given.items() if k not in ("device_type", "index", "memory_scope")}
    scope = given.get("memory_scope", given.get("index"))  # by position the memory scope comes second
    result["device_type"] = ast.copy_location(ast.Constant(kind), node)
    result["index"] = ast.copy_location(ast.Constant(index), node)
    return {**result, "memory_scope": scope} if scope is not None else result
