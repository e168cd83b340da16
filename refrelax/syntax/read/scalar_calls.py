"""Calls and attributes in scalar expressions: ``T.exp(x)``, ``T.float32("nan")``, ``A.data``, ``x.astype("int8")`` …

Spec: ``spec/03b-loops-syntax.md`` ("Calls").
"""

from __future__ import annotations

import ast
import difflib
import math
from dataclasses import replace
from typing import TYPE_CHECKING, Any, NoReturn

from refrelax.rules import rule
from refrelax.syntax import dtypes
from refrelax.syntax.graph import GlobalVar
from refrelax.syntax.loops import Buffer
from refrelax.syntax.read import building, rewrites
from refrelax.syntax.read.arguments import (
    POINTERS,
    as_tuple,
    bound,
    dtype_named,
    exactly,
    keywords,
    namespace_name,
    need,
)
from refrelax.syntax.read.constants import shown, try_constant
from refrelax.syntax.read.context import ModuleAlias
from refrelax.syntax.read.device_intrinsics import SCOPES as TILE_SCOPES
from refrelax.syntax.read.forms import SPECIAL
from refrelax.syntax.read.intrinsics import ALIASES, BUILT, FLOAT_ONLY, INTRINSICS, REGISTERED
from refrelax.syntax.read.regions import View, load_of_view, region_of_view
from refrelax.syntax.read.scalar_values import DTypeName
from refrelax.syntax.read.signatures import Signature
from refrelax.syntax.scalars import (
    BINARY_OPS,
    BufferLoad,
    BufferRef,
    Intrinsic,
    Literal,
    PrimExpr,
    Ramp,
    RangeArg,
    StringImm,
    SymVar,
    int_imm,
)

if TYPE_CHECKING:
    from refrelax.syntax.read.scalars import ScalarReader


# --- attributes ------------------------------------------------------------------------------------------------------


def attribute(reader: ScalarReader, node: ast.Attribute) -> Any:
    """``T.float32``, ``A.data``, ``A.shape``, ``cls.f``, ``x.dtype``."""

    name = namespace_name(node, reader)
    if name is not None:
        dtype = "handle" if name in POINTERS else "void" if name == "void" else dtype_named(name)
        return DTypeName(dtype) if dtype is not None else unknown(reader, node, name)
    base = reader.value(node.value)
    match base:
        case ModuleAlias():
            return GlobalVar(node.attr, span=reader.src.span(node))
        case Buffer():
            return buffer_field(reader, node, base)
        case SymVar(dtype=dtype) | DTypeName(dtype) if node.attr == "ty":
            return DTypeName(dtype)
        case _ if isinstance(base, PrimExpr) and node.attr == "dtype":
            return base.dtype
    return reader.src.fail(node, "syn/unknown-attribute", f"`{shown(node)}`: no attribute {node.attr!r} here")


@rule("syn/unknown-attribute")
def buffer_field(reader: ScalarReader, node: ast.Attribute, buffer: Buffer) -> Any:
    """``A.data``, ``A.shape``, ``A.strides``, ``A.elem_offset``, ``A.dtype``, and ``z.buffer`` of a mutable scalar."""
    match node.attr:
        case "data":
            return BufferRef(buffer.name, "data", span=reader.src.span(node))
        case "shape":
            return buffer.shape
        case "strides":
            return buffer.strides
        case "dtype":
            return buffer.dtype
        case "elem_offset":
            return elem_offset(buffer)
        case "byte_offset":
            offset = elem_offset(buffer)
            return building.binary("Mul", offset, Literal(offset.dtype, dtypes.itemsize(buffer.dtype)))
        case "buffer" | "source" if buffer.scalar:
            return replace(buffer, scalar=False)
        case "data_alignment":
            return buffer.align
        case "offset_factor":
            return buffer.offset_factor
        case "ndim":
            return len(buffer.shape)
    return reader.src.fail(node, "syn/unknown-attribute", f"a buffer has no attribute {node.attr!r}")


def elem_offset(buffer: Buffer) -> PrimExpr:
    """Where a buffer's elements begin: as declared, 0 where nothing is said."""
    if buffer.elem_offset is not None:
        return buffer.elem_offset
    return Literal(buffer.shape[0].dtype if buffer.shape else "int32", 0)


# --- calls -----------------------------------------------------------------------------------------------------------


def call(reader: ScalarReader, node: ast.Call) -> Any:
    """The value of a call."""
    name = namespace_name(node.func, reader)
    if name is not None:
        return namespace_call(reader, node, name)
    if isinstance(node.func, ast.Attribute):
        base = reader.value(node.func.value)
        if isinstance(base, ModuleAlias):
            return function_call(reader, node, node.func.attr)
        return method(reader, node, base, node.func.attr)
    if isinstance(node.func, ast.Name):
        entry = reader.scope.lookup(node.func.id)
        if isinstance(entry, GlobalVar):
            return function_call(reader, node, entry.name)
        known, value = try_constant(reader.src, node, reader.scope)
        if known:
            return value
        if node.func.id in ("range", "len") and len(node.args) == 1 and not node.keywords:
            return _sequence(reader, node, node.func.id)
    return reader.src.fail(node, "syn/unknown-intrinsic", f"`{shown(node.func)}` is no function of the language")


def _sequence(reader: ScalarReader, node: ast.Call, name: str) -> Any:
    """``range`` and ``len`` over something that is only a constant here (``len(A.shape)``)."""
    value = reader.value(node.args[0])
    if name == "len" and isinstance(value, (list, tuple)):
        return len(value)
    if name == "range" and isinstance(value, int) and 0 <= value <= 1 << 16:
        return list(range(value))
    return reader.src.fail(node, "syn/constant-expression", f"expected a constant, found `{shown(node.args[0])}`")


def function_call(reader: ScalarReader, node: ast.Call, name: str) -> Intrinsic:
    """``cls.g(A.data, n)``: a call of another function of the module."""
    keywords(reader, node)
    args = tuple(reader.argument(a, reader.value(a)) for a in node.args)
    return Intrinsic(f"cls.{name}", args, reader.src.returns.get(name, "void"), span=reader.src.span(node))


def namespace_call(reader: ScalarReader, node: ast.Call, name: str) -> Any:
    """``T.<name>(…)``."""
    special = SPECIAL.get(name)
    if special is not None:
        return special(reader, node)
    if name in rewrites.UNARY or name in rewrites.BINARY or name in rewrites.TERNARY:
        return rewritten(reader, node, name)
    if name in rewrites.OF_DTYPE:
        return rewrites.OF_DTYPE[name](reader.dtype_of(exactly(reader, node, 1)[0]))
    name = name.removeprefix("tirx.")  # so TVM prints an operator that has no name for the text
    if name == "call_intrin":
        return called_by_name(reader, node)
    if name == "Call":
        return call_node(reader, node)
    if name in BINARY_OPS:
        a, b = (reader.scalar(x) for x in exactly(reader, node, 2))
        return building.raw_binary(name, a, b, reader.src.span(node))  # type: ignore[arg-type]
    dtype = dtype_named(name)
    if dtype is not None:
        return construct(reader, node, dtype)
    signature = INTRINSICS.get(ALIASES.get(name, name))
    if signature is None:
        unknown(reader, node.func, name)
    return intrinsic(reader, node, ALIASES.get(name, name), signature)


@rule("syn/unknown-intrinsic")
def unknown(reader: ScalarReader, node: ast.expr, name: str) -> NoReturn:
    """Refuse ``T.<name>``, with the nearest names there are."""
    every = [*INTRINSICS, *ALIASES, *SPECIAL, *rewrites.UNARY, *rewrites.BINARY, *rewrites.OF_DTYPE, *BINARY_OPS]
    if name in every:
        reader.src.fail(node, "syn/unknown-intrinsic", f"T.{name} is no expression by itself: it is called")
    near = difflib.get_close_matches(name, every, n=2)
    hint = f"; did you mean {' or '.join('T.' + n for n in dict.fromkeys(near))}?" if near else ""
    reader.src.fail(node, "syn/unknown-intrinsic", f"T.{name} is unknown{hint}")


def rewritten(reader: ScalarReader, node: ast.Call, name: str) -> PrimExpr:
    """A function that folds or is rewritten while building."""
    if name in rewrites.UNARY:
        return rewrites.UNARY[name](reader.scalar(exactly(reader, node, 1, "dtype")[0]))
    if name in rewrites.BINARY:
        a, b = exactly(reader, node, 2, "dtype")
        return rewrites.BINARY[name](*reader.operands((a, reader.value(a)), (b, reader.value(b))))
    c, a, b = exactly(reader, node, 3, "dtype")
    return rewrites.TERNARY[name](reader.scalar(c), *reader.operands((a, reader.value(a)), (b, reader.value(b))))


_SPELLED = frozenset({"nan", "inf", "-inf", "+inf", "infinity", "-infinity"})


def construct(reader: ScalarReader, node: ast.Call, dtype: str) -> PrimExpr:
    """``T.float32(1.5)``, ``T.float32("nan")``, ``T.int64(n)``. (``T.int64()``, a declaration, is a statement.)"""
    span = reader.src.span(node)
    (argument,) = exactly(reader, node, 1)
    value = reader.value(argument)
    if isinstance(value, str):
        if value.lower() not in _SPELLED:
            reader.src.fail(argument, "syn/scalar-range", f"{value!r} is no number")
        value = float(value)
    if isinstance(value, (bool, int, float)):
        if dtypes.is_integer(dtype) and isinstance(value, float) and math.isfinite(value):
            value = math.trunc(value)
        return building.constant(value, dtype, span)
    return building.cast(dtype, reader.expression(argument, value), span)


def intrinsic(reader: ScalarReader, node: ast.Call, name: str, signature: Signature) -> Intrinsic:
    """A call of an intrinsic that is kept as it stands."""
    nodes = list(node.args)
    given = keywords(reader, node, "dtype", "span", *signature.keywords)
    attrs = {key: _keyword(reader, given[key], key) for key in signature.keywords if key in given}
    dtype = _text_dtype(reader, node, nodes, signature, given)
    tile = name.partition(".")[0] in TILE_SCOPES
    if any(isinstance(a, ast.Starred) for a in nodes):
        args = [reader.argument(node, v) for v in reader.items(nodes)]
    else:
        args = [(_operand if tile else _argument)(reader, a, reader.value(a)) for a in nodes]
    missing = signature.least - len(args)
    if 0 < missing <= len(signature.defaults):
        args += [int_imm(d, "bool" if isinstance(d, bool) else "int32") for d in signature.defaults[-missing:]]
    if len(args) < signature.least or (signature.most is not None and len(args) > signature.most):
        expected = f"{signature.least}{'' if signature.most is not None else ' or more'}"
        reader.src.fail(node, "syn/argument-count", f"T.{name} takes {expected} arguments, not {len(args)}")
    if signature.dtype_key in attrs:
        dtype = reader.dtype_of(given[signature.dtype_key])
    elif signature.result.startswith("arg"):
        dtype = args[int(signature.result[3:])].dtype
    elif signature.result != "text":
        dtype = signature.result
    if name in FLOAT_ONLY and dtypes.kind(dtype) != "float":
        reader.src.fail(node, "syn/operand-types", f"T.{name} takes a float, not {dtype}")
    return Intrinsic(name, tuple(args), dtype, tuple(sorted(attrs.items())), span=reader.src.span(node))


@rule("syn/call-intrin")
def called_by_name(reader: ScalarReader, node: ast.Call) -> Intrinsic:
    """``T.call_intrin(dtype, "tirx.name", …)``: a call of an operator under the name that TVM registers it by."""
    keywords(reader, node, "span")
    if len(node.args) < 2:
        reader.src.fail(node, "syn/call-intrin", "T.call_intrin takes a dtype, the name of an operator, and arguments")
    registered = reader.value(node.args[1])
    name = registered.partition(".")[2] if isinstance(registered, str) else ""
    if f"cuda.{name}" in REGISTERED:
        name = f"cuda.{name}"
    name = ALIASES.get(name, name)
    if name not in INTRINSICS and name not in BUILT:
        reader.src.fail(node.args[1], "syn/call-intrin", f"`{shown(node.args[1])}` names no operator")
    args = tuple(reader.argument(a, reader.value(a)) for a in node.args[2:])
    return Intrinsic(name, args, reader.dtype_of(node.args[0]), span=reader.src.span(node))


@rule("syn/call-node")
def call_node(reader: ScalarReader, node: ast.Call) -> Intrinsic:
    """``T.Call("tirx.name", [arguments], attrs=…, ret_ty=dtype)``: a call as the IR holds it. The operator may also be
    ``tvm.ir.Op.get("tirx.name")`` or a function of the module."""
    given = keywords(reader, node, "op", "args", "attrs", "ty_args", "ret_ty", "span")
    given |= dict(zip(("op", "args", "attrs"), node.args, strict=False))
    if len(node.args) > 3 or not isinstance(given.get("args"), ast.List | ast.Tuple) or "ret_ty" not in given:
        reader.src.fail(node, "syn/call-node", "T.Call takes an operator, a list of arguments, and `ret_ty=`")
    listed, dtype = given["args"], reader.dtype_of(given["ret_ty"])
    assert isinstance(listed, ast.List | ast.Tuple)
    args = tuple(reader.argument(a, reader.value(a)) for a in listed.elts)
    name = _called(reader, given["op"])
    if name.startswith("cls.") and dtype != (returns := reader.src.returns.get(name[4:], "void")):
        reader.src.fail(node, "syn/call-node", f"{name} gives {returns}, the call says {dtype}")
    attrs = _node_attrs(reader, given.get("attrs"), INTRINSICS[name].keywords if name in INTRINSICS else ())
    return Intrinsic(name, args, dtype, attrs, span=reader.src.span(node))


def _called(reader: ScalarReader, node: ast.expr) -> str:
    """The name of the intrinsic that a ``T.Call`` calls."""
    match node:
        case ast.Call(func=ast.Attribute(attr="get"), args=[inner], keywords=[]):
            value = reader.value(inner)
        case _:
            value = reader.value(node)
    if isinstance(value, GlobalVar):
        return f"cls.{value.name}"
    space, _, name = value.partition(".") if isinstance(value, str) else ("", "", "")
    name = ALIASES.get(name, name)
    if space not in ("tirx", "tir", "prim") or (name not in INTRINSICS and name not in BUILT):
        reader.src.fail(node, "syn/call-node", f"`{shown(node)}` names no operator of loops")
    return name


def _node_attrs(reader: ScalarReader, node: ast.expr | None, known: tuple[str, ...]) -> tuple[tuple[str, object], ...]:
    """The attributes of a ``T.Call``: those that the intrinsic takes by keyword."""
    if node is None or (isinstance(node, ast.Constant) and node.value is None):
        return ()
    pairs = zip(node.keys, node.values, strict=True) if isinstance(node, ast.Dict) else ((None, node),)
    found = {}
    for key, value in pairs:
        if not isinstance(key, ast.Constant) or key.value not in known:
            reader.src.fail(node, "syn/call-node", "the attributes of this call are not known")
        found[str(key.value)] = _keyword(reader, value, str(key.value))
    return tuple(sorted(found.items()))


def _argument(reader: ScalarReader, node: ast.expr, value: Any) -> PrimExpr:
    return reader.argument(node, value)


def _operand(reader: ScalarReader, node: ast.expr, value: Any) -> PrimExpr:
    """An operand of an operation on tiles: a slice of a buffer is a region."""
    if isinstance(value, View):
        found = region_of_view(value)
        return RangeArg(found.buffer, found.ranges, span=reader.src.span(node))
    return StringImm("None", span=reader.src.span(node)) if value is None else reader.argument(node, value)


def _keyword(reader: ScalarReader, node: ast.expr, name: str) -> object:
    """A constant given by keyword: a string, a number, or a list of them."""
    value = reader.value(node)
    if isinstance(value, list):
        value = tuple(value)
    parts = value if isinstance(value, tuple) else (value,)
    if not all(each is None or isinstance(each, (str, int)) for each in parts):
        reader.src.fail(node, "syn/constant-expression", f"expected a constant as {name}, found `{shown(node)}`")
    return value


def _text_dtype(
    reader: ScalarReader, node: ast.Call, nodes: list[ast.expr], signature: Signature, given: dict[str, ast.expr]
) -> str:
    """The dtype that the text gives, taken out of ``nodes``."""
    found = given.get("dtype")
    if signature.dtype_at == "dropped" and nodes and isinstance(nodes[0], ast.Constant):
        if isinstance(nodes[0].value, str) and dtypes.is_dtype(nodes[0].value):
            nodes.pop(0)
    if signature.dtype_at in ("", "dropped"):
        return ""
    if found is None:
        if not nodes:
            reader.src.fail(node, "syn/argument-count", f"`{shown(node.func)}` needs a dtype")
        found = nodes.pop(0 if signature.dtype_at == "first" else -1)
    return reader.dtype_of(found)


# --- methods ---------------------------------------------------------------------------------------------------------


def method(reader: ScalarReader, node: ast.Call, base: Any, name: str) -> Any:
    """``x.astype("int8")``, ``A.vload([0, 4])``, ``A.access_ptr("r")``, ``A.scope()``."""
    if isinstance(base, Buffer):
        if name == "vload":
            return vector_load(reader, node, base)
        if name == "access_ptr":
            return access_pointer(reader, node, base)
        if name == "scope":
            return base.scope
    if name == "astype":
        dtype = reader.dtype_of(exactly(reader, node, 1)[0])
        return building.cast(dtype, reader.expression(node, base), reader.src.span(node))
    if name == "equal":
        other = reader.scalar(exactly(reader, node, 1)[0])
        return building.binary("EQ", reader.expression(node, base), other, reader.src.span(node))
    return reader.src.fail(node, "syn/unknown-attribute", f"`{shown(node.func)}`: no method {name!r} here")


def vector_load(reader: ScalarReader, node: ast.Call, buffer: Buffer) -> BufferLoad:
    """``A.vload([i, T.Ramp(0, 1, 4)], dtype=…, predicate=…)``."""
    found = bound(reader, node, "begin", "dtype", "predicate")
    items = reader.indices(buffer, as_tuple(need(reader, node, found, "begin")))
    predicate = reader.scalar(found["predicate"]) if "predicate" in found else None
    last = items[-1] if items else None
    if "dtype" in found and isinstance(last, PrimExpr) and dtypes.lanes(last.dtype) == 1:
        lanes = dtypes.lanes(reader.dtype_of(found["dtype"])) // dtypes.lanes(buffer.dtype)
        if lanes > 1:
            items[-1] = Ramp(last, Literal(last.dtype, 1), lanes)
    return load_of_view(View(buffer, tuple(items)), reader.src.span(node), predicate)


_MASKS = {"r": 1, "w": 2, "rw": 3}


def access_pointer(reader: ScalarReader, node: ast.Call, buffer: Buffer) -> Intrinsic:
    """``A.access_ptr("r", offset=…)``: ``T.tvm_access_ptr`` over what the buffer has from there on."""
    found = bound(reader, node, "access_mask", "ptr_type", "content_lanes", "offset", "extent")
    mask = reader.value(need(reader, node, found, "access_mask"))
    mask = _MASKS.get(mask, mask) if isinstance(mask, str) else mask
    if not isinstance(mask, int):
        reader.src.fail(node, "syn/operand-types", "expected 'r', 'w', 'rw' or a number as access mask")
    index = buffer.shape[0].dtype if buffer.shape else "int32"
    offset = reader.scalar(found["offset"]) if "offset" in found else Literal(index, 0)
    extent: PrimExpr = Literal(index, 1)
    if "extent" in found:
        extent = reader.scalar(found["extent"])
    else:
        strided = buffer.strides and (building.binary("Mul", buffer.strides[0], buffer.shape[0]),)
        for each in strided or buffer.shape:
            extent = building.binary("Mul", extent, each)
        extent = building.binary("Sub", extent, offset)
    args = (
        Intrinsic("type_annotation", (), buffer.dtype),
        BufferRef(buffer.name, "data"),
        building.binary("Add", elem_offset(buffer), offset),
        extent,
        Literal("int32", mask),
    )
    return Intrinsic("tvm_access_ptr", args, "handle", span=reader.src.span(node))
