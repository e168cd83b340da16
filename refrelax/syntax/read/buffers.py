"""Buffers as the text declares them: ``T.Buffer``, ``T.match_buffer``, ``T.alloc_buffer``, ``B.view`` …

Spec: ``spec/03b-loops-syntax.md`` ("Buffers").
"""

from __future__ import annotations

import ast

from refrelax.rules import rule
from refrelax.syntax import dtypes
from refrelax.syntax.loops import Buffer
from refrelax.syntax.read import building
from refrelax.syntax.read.arguments import bound, keywords
from refrelax.syntax.read.constants import shown
from refrelax.syntax.read.scalar_calls import elem_offset
from refrelax.syntax.read.scalars import ScalarReader
from refrelax.syntax.scalars import BufferRef, Literal, PrimExpr, SymVar, as_int

_FIELDS = (
    "shape", "dtype", "data", "strides", "elem_offset", "byte_offset", "scope", "align", "offset_factor",
    "buffer_type", "axis_separators", "layout", "allocated_addr", "annotations",
)  # fmt: skip
_POSITIONS: dict[str, tuple[str, ...]] = {
    "Buffer": ("shape", "dtype", "data", "strides", "elem_offset", "byte_offset", "scope", "align", "offset_factor"),
    "match_buffer": ("shape", "dtype", "data", "strides", "elem_offset", "scope", "align", "offset_factor"),
    "sblock_alloc_buffer": ("shape", "dtype", "data", "strides", "elem_offset", "scope", "align", "offset_factor"),
}
_AXES_OF_SCOPE = 1


def field_nodes(reader: ScalarReader, node: ast.Call, form: str) -> dict[str, ast.expr]:
    """The arguments of a declaration by field name. ``form``: which positional order it has (see ``_POSITIONS``)."""
    order = _POSITIONS[form]
    return bound(reader, node, *order, *(f for f in _FIELDS if f not in order))


@rule("syn/buffer-shape")
def shape_of(reader: ScalarReader, node: ast.expr, quoted: bool = False) -> tuple[PrimExpr, ...]:
    """The extents of a shape: a tuple, a list, or one extent; quoted ones where ``quoted``."""
    if isinstance(node, (ast.Tuple, ast.List)) and not any(isinstance(e, ast.Starred) for e in node.elts):
        extents = tuple(reader.quoted(e) if quoted else reader.scalar(e) for e in node.elts)
    elif quoted and isinstance(node, ast.Constant) and isinstance(node.value, str):
        extents = (reader.quoted(node),)
    else:
        value = reader.value(node)
        items = value if isinstance(value, (list, tuple)) else [value]
        extents = tuple(reader.expression(node, v) for v in items)
    for each in extents:
        if not dtypes.is_integer(each.dtype) or dtypes.lanes(each.dtype) != 1:
            reader.src.fail(node, "syn/buffer-shape", f"an extent is an integer, not {each.dtype}")
        if (as_int(each) or 0) < 0:
            reader.src.fail(node, "syn/buffer-shape", f"an extent is not negative: `{shown(node)}`")
    return extents


def make_buffer(
    reader: ScalarReader,
    node: ast.Call,
    name: str,
    given: dict[str, ast.expr],
    *,
    shape: tuple[PrimExpr, ...] | None = None,
    dtype: str = "float32",
    scope: str = "global",
    quoted: bool = False,
    s_tir: bool = True,
) -> Buffer:
    """The buffer that a declaration describes, under the unique name ``name``; ``shape`` and ``dtype`` are defaults."""
    if "shape" in given:
        shape = shape_of(reader, given["shape"], quoted)
    if shape is None:
        reader.src.fail(node, "syn/buffer-shape", f"`{shown(node.func)}` needs a shape")
    if "annotations" in given:
        reader.src.fail(node, "syn/unknown-keyword", f"`{shown(node.func)}` has no keyword 'annotations'")
    if "dtype" in given and not _none(given["dtype"]):
        dtype = reader.dtype_of(given["dtype"])
    index = shape[0].dtype if shape else "int32"
    strides = _strides(reader, given, index)
    offset = _offset(reader, given, dtype, index)
    factor = _integer(reader, given, "offset_factor", 0)
    if offset is None and factor > 0:
        offset = SymVar(reader.names.fresh(f"{name}_elem_offset"), index, span=reader.src.span(node))
    if isinstance(offset, Literal) and as_int(offset) == 0 and offset.dtype == (index if shape else "int64"):
        offset = None
    align = _integer(reader, given, "align", 64)
    return Buffer(
        name=name,
        shape=shape,
        dtype=dtype,
        strides=strides,
        elem_offset=offset,
        scope=_string(reader, given, "scope", scope) or "global",
        align=64 if align <= 0 else align,
        offset_factor=max(factor, 1),
        buffer_type=_string(reader, given, "buffer_type", ""),
        axis_separators=_separators(reader, given),
        data=_data(reader, given),
        layout=_layout(given, s_tir),
        span=reader.src.span(node),
    )


def _symbolic(reader: ScalarReader, node: ast.expr, index: str) -> PrimExpr:
    """A stride or an offset: an expression, or in quotes the name of a variable that it defines."""
    if isinstance(node, ast.Constant) and isinstance(node.value, str):
        if not node.value.isidentifier():
            return reader.quoted(node)
        entry = SymVar(reader.names.fresh(node.value), index, span=reader.src.span(node))
        reader.scope.define(node.value, entry)
        return entry
    return reader.scalar(node)


def _offset(reader: ScalarReader, given: dict[str, ast.expr], dtype: str, index: str) -> PrimExpr | None:
    if "elem_offset" in given and not _none(given["elem_offset"]):
        return _index(reader, given["elem_offset"], _symbolic(reader, given["elem_offset"], index))
    if "byte_offset" in given and not _none(given["byte_offset"]):
        offset = _index(reader, given["byte_offset"], reader.scalar(given["byte_offset"]))
        return building.binary("FloorDiv", offset, Literal(offset.dtype, dtypes.itemsize(dtype)))
    return None


def _index(reader: ScalarReader, node: ast.expr, offset: PrimExpr) -> PrimExpr:
    """The offset itself, which is a scalar integer."""
    if not dtypes.is_integer(offset.dtype) or dtypes.lanes(offset.dtype) != 1:
        reader.src.fail(node, "syn/buffer-shape", f"an offset is an integer, not {offset.dtype}")
    return offset


@rule("syn/buffer-strides")
def _strides(reader: ScalarReader, given: dict[str, ast.expr], index: str) -> tuple[PrimExpr, ...]:
    node = given.get("strides")
    if node is None or _none(node):
        return ()
    if not isinstance(node, (ast.List, ast.Tuple)):
        reader.src.fail(node, "syn/buffer-strides", f"expected a list of strides, found `{shown(node)}`")
    return tuple(_symbolic(reader, each, index) for each in node.elts)


def _integer(reader: ScalarReader, given: dict[str, ast.expr], name: str, default: int) -> int:
    if name not in given or _none(given[name]):
        return default
    value = reader.value(given[name])
    number = value if isinstance(value, int) else as_int(value)
    if number is None or not -(1 << 63) <= number < 1 << 63:
        reader.src.fail(given[name], "syn/constant-expression", f"expected an integer as {name}")
    return int(number)


def _string(reader: ScalarReader, given: dict[str, ast.expr], name: str, default: str) -> str:
    if name not in given or _none(given[name]):
        return default
    value = reader.value(given[name])
    if not isinstance(value, str):
        reader.src.fail(given[name], "syn/constant-expression", f"expected a string as {name}")
    return value


def _separators(reader: ScalarReader, given: dict[str, ast.expr]) -> tuple[int, ...]:
    if "axis_separators" not in given or _none(given["axis_separators"]):
        return ()
    value = reader.value(given["axis_separators"])
    if not isinstance(value, (list, tuple)) or not all(
        isinstance(v, int) and not isinstance(v, bool) and -(1 << 63) <= v < 1 << 63 for v in value
    ):
        reader.src.fail(given["axis_separators"], "syn/constant-expression", "expected a list of integers")
    return tuple(value)


def _data(reader: ScalarReader, given: dict[str, ast.expr]) -> PrimExpr | None:
    if "data" not in given or _none(given["data"]):
        return None
    value = reader.value(given["data"])
    if isinstance(value, Buffer):
        return BufferRef(value.name, "data", span=reader.src.span(given["data"]))
    found = reader.argument(given["data"], value)
    if dtypes.kind(found.dtype) != "handle":
        reader.src.fail(given["data"], "syn/operand-types", f"data is a handle, not {found.dtype}")
    return found


def _layout(given: dict[str, ast.expr], s_tir: bool) -> str | None:
    node = given.get("layout")
    if node is None or (isinstance(node, ast.Constant) and node.value == "default"):
        return None
    if _none(node) and s_tir:
        return None
    return ast.unparse(node)


def _none(node: ast.expr) -> bool:
    return isinstance(node, ast.Constant) and node.value is None


@rule("syn/view-shape")
def view_of(reader: ScalarReader, node: ast.Call, base: Buffer, name: str) -> Buffer:
    """``B.view(4, 4)``: the same memory in another shape (one extent may be -1), or dtype: ``B.view("float16")``."""
    if len(node.args) == 1 and not isinstance(reader.value(node.args[0]), (int, tuple, list)):
        value = reader.value(node.args[0])
        if isinstance(value, str) or not isinstance(value, PrimExpr):
            keywords(reader, node)
            return _retyped(reader, node, base, name, reader.dtype_of(node.args[0]))
    given = keywords(reader, node, "layout")
    items = list(node.args)
    if not items:
        reader.src.fail(node, "syn/view-shape", "a view has extents or a dtype")
    extents = list(shape_of_view(reader, node, items))
    layout = ast.unparse(given["layout"]) if "layout" in given and not _none(given["layout"]) else None
    unknown = [k for k, e in enumerate(extents) if e is None]
    if len(unknown) > 1:
        reader.src.fail(node, "syn/view-shape", "at most one extent of a view may be -1")
    if unknown:
        known = Literal("int32", 1)
        total: PrimExpr = Literal(base.shape[0].dtype if base.shape else "int32", 1)
        product: PrimExpr = known
        for each in extents:
            if each is not None:
                product = building.binary("Mul", product, each)
        for each in base.shape:
            total = building.binary("Mul", total, each)
        extents[unknown[0]] = building.binary("FloorDiv", total, product)
    return _sharing(reader, node, base, name, tuple(e for e in extents if e is not None), base.dtype, layout)


def shape_of_view(reader: ScalarReader, node: ast.Call, items: list[ast.expr]) -> list[PrimExpr | None]:
    """The extents of a view; ``None`` for -1."""
    values = reader.items(items)
    if len(values) == 1 and isinstance(values[0], (list, tuple)):
        values = list(values[0])
    extents = [None if v == -1 and isinstance(v, int) else reader.expression(node, v) for v in values]
    for each in extents:
        if each is not None and (not dtypes.is_integer(each.dtype) or dtypes.lanes(each.dtype) != 1):
            reader.src.fail(node, "syn/buffer-shape", f"an extent is an integer, not {each.dtype}")
    if any(e is not None and (as_int(e) or 0) < 0 for e in extents):
        reader.src.fail(node, "syn/view-shape", f"an extent is not negative: `{shown(node)}`")
    return extents


def _retyped(reader: ScalarReader, node: ast.Call, base: Buffer, name: str, dtype: str) -> Buffer:
    old, new = (dtypes.bits(d) * dtypes.lanes(d) for d in (base.dtype, dtype))
    if not base.shape or not old or not new or (old % new and new % old):
        reader.src.fail(node, "syn/view-shape", f"a {base.dtype} buffer cannot be viewed as {dtype}")
    last = base.shape[-1]
    by = Literal(last.dtype, old // new if old >= new else new // old)
    last = building.binary("Mul" if old >= new else "FloorDiv", last, by)
    return _sharing(reader, node, base, name, (*base.shape[:-1], last), dtype, None)


def _sharing(
    reader: ScalarReader,
    node: ast.Call,
    base: Buffer,
    name: str,
    shape: tuple[PrimExpr, ...],
    dtype: str,
    layout: str | None,
) -> Buffer:
    span = reader.src.span(node)
    offset: PrimExpr | None = elem_offset(base)
    if isinstance(offset, Literal):
        offset = None if as_int(offset) == 0 else offset
    return Buffer(
        name,
        shape,
        dtype,
        elem_offset=offset,
        scope=base.scope,
        align=base.align,
        offset_factor=base.offset_factor,
        data=BufferRef(base.name, "data", span=span),
        layout=layout,
        span=span,
    )


def cell(name: str, dtype: str, scope: str = "local") -> Buffer:
    """The one-element buffer of a mutable scalar."""
    return Buffer(name, (Literal("int32", 1),), dtype, scope=scope, scalar=True)
