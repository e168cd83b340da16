"""Blocks of TensorIR: ``with T.sblock(…)`` and the declarations that stand in it.

Spec: ``spec/03b-loops-syntax.md`` ("Blocks").
"""

from __future__ import annotations

import ast
from collections.abc import Callable
from typing import Any

from refrelax.rules import rule
from refrelax.syntax import dtypes
from refrelax.syntax.graph import AttrDict, AttrList, AttrValue
from refrelax.syntax.loops import (
    AllocBuffer,
    Buffer,
    BufferRegion,
    BufferStore,
    DeclBuffer,
    IterKind,
    IterVar,
    MatchBufferRegion,
    SBlock,
    Stmt,
)
from refrelax.syntax.read.arguments import bound, keywords
from refrelax.syntax.read.attributes import read_any
from refrelax.syntax.read.buffers import field_nodes, make_buffer
from refrelax.syntax.read.building import match_operands
from refrelax.syntax.read.constants import shown
from refrelax.syntax.read.frames import BlockFrame, StatementFrame
from refrelax.syntax.read.reader import Reader, Sink
from refrelax.syntax.read.regions import View, extent_between, region_of_view
from refrelax.syntax.scalars import BufferLoad, BufferRef, Literal, PrimExpr, RangeArg, SymVar
from refrelax.syntax.write.lines import nodes

BLOCK_FORMS = frozenset({"sblock", "block"})
ALLOC_FORMS = frozenset({"sblock_alloc_buffer", "block_alloc_buffer"})
AXES: dict[str, IterKind] = {
    "axis.spatial": "spatial",
    "axis.S": "spatial",
    "axis.reduce": "reduce",
    "axis.R": "reduce",
    "axis.scan": "scan",
    "axis.opaque": "opaque",
}


def attribute_items(frame: StatementFrame, node: ast.expr) -> dict[str, AttrValue]:
    """A dict of attributes or annotations."""
    found = attribute_value(frame, node)
    if not isinstance(found, AttrDict):
        frame.src.fail(node, "syn/attribute-value", f"expected a dict of attributes, found `{shown(node)}`")
    return dict(found.items)


def attribute_value(frame: StatementFrame, node: ast.expr) -> AttrValue:
    """One attribute: what the graph level allows, and buffers (as a ``BufferRef``)."""
    with frame.src.deeper(node):
        match node:
            case ast.List(elts=items) | ast.Tuple(elts=items) if not any(isinstance(e, ast.Starred) for e in items):
                return AttrList(tuple(attribute_value(frame, each) for each in items))
            case ast.Dict(keys=keys, values=values):
                found: dict[str, AttrValue] = {}
                for key, value in zip(keys, values, strict=True):
                    name = None if key is None else frame.reader.value(key)
                    if not isinstance(name, str):
                        frame.src.fail(key or node, "syn/attribute-value", "the key of an attribute is a string")
                    found[name] = attribute_value(frame, value)
                return AttrDict(tuple(sorted(found.items())))
            case ast.Name(id=name) if isinstance(buffer := frame.scope.lookup(name), Buffer):
                return BufferRef(buffer.name, "", span=frame.span(node))
        return plain(read_any(Reader(frame.src, frame.function.names, frame.scope, Sink()), node))


def plain(value: AttrValue) -> AttrValue:
    """Typed int64 and bool literals as plain numbers, which is what they are among attributes."""
    match value:
        case Literal("int64", bits):
            return bits - (1 << 64) if bits >> 63 else bits
        case Literal("bool", bits):
            return bool(bits)
        case AttrDict(items):
            return AttrDict(tuple((k, plain(v)) for k, v in items))
    return value


@rule("syn/block-declaration")
def block_of(frame: StatementFrame, node: ast.AST, what: str) -> BlockFrame:
    """The block that a declaration belongs to."""
    if frame.block is None:
        frame.src.fail(node, "syn/block-declaration", f"{what} stands only inside `with T.sblock(…)`")
    if frame.initial:
        frame.src.fail(node, "syn/block-declaration", f"{what} does not stand inside `with T.init()`")
    return frame.block


def read_block(
    frame: StatementFrame,
    call: ast.Call,
    body: list[ast.stmt],
    read: Callable[[StatementFrame, list[ast.stmt]], tuple[Stmt, ...]],
) -> SBlock:
    """``with T.sblock(name):`` with its body."""
    found = bound(frame.reader, call, "name", "no_realize", "exec_scope")
    name = frame.reader.value(found["name"]) if "name" in found else ""
    if not isinstance(name, str):
        frame.src.fail(call, "syn/constant-expression", "the name of a block is a string")
    block = BlockFrame(name)
    before = frozenset(frame.function.names.taken)
    statements = read(frame.in_block(block), body)
    _declared_outside(frame, call, block, before)
    return SBlock(
        name,
        tuple(block.iters),
        statements,
        block.predicate,
        block.reads,
        block.writes,
        block.init,
        tuple(block.allocs),
        tuple(block.matches),
        tuple(sorted(block.attrs.items())),
        span=frame.span(call),
    )


def _declared_outside(frame: StatementFrame, call: ast.Call, block: BlockFrame, before: frozenset[str]) -> None:
    """Refuse buffers of the block's own statements in its declarations, which come before them."""
    known = before | {each.name for each in (*block.allocs, *(match.buffer for match in block.matches))}
    sources = tuple(each.source for each in block.matches)
    for each in nodes((tuple(block.iters), block.predicate, block.reads, block.writes, sources, block.init)):
        if isinstance(each, AllocBuffer | DeclBuffer):
            known |= {each.buffer.name}
        name = each.buffer if isinstance(each, BufferLoad | BufferRef | BufferRegion | BufferStore | RangeArg) else ""
        if name and name not in known:
            message = f"{name!r} is declared by a statement of the block {block.name!r}, whose declarations come first"
            frame.src.fail(call, "syn/block-declaration", message)


# --- axes ------------------------------------------------------------------------------------------------------------


@rule("syn/axis-remap")
def declare_axes(frame: StatementFrame, call: ast.Call, name: str, targets: list[ast.expr]) -> None:
    """``vi = T.axis.spatial(…)`` or ``vi, vj = T.axis.remap("SR", [i, j])``."""
    block = block_of(frame, call, f"T.{name}")
    names = [_target(frame, t) for t in targets]
    if name != "axis.remap":
        if len(names) != 1:
            frame.src.fail(call, "syn/axis-remap", f"T.{name} defines one variable, not {len(names)}")
        block.iters.append(_axis(frame, call, AXES[name], names[0]))
        return
    found = bound(frame.reader, call, "kinds", "bindings", "dtype")
    kinds = frame.reader.value(found["kinds"]) if "kinds" in found else None
    bindings = frame.reader.value(found["bindings"]) if "bindings" in found else None
    if not isinstance(kinds, str) or not isinstance(bindings, (list, tuple)):
        frame.src.fail(call, "syn/axis-remap", "expected T.axis.remap(kinds, [loop variables])")
    if not len(kinds) == len(bindings) == len(names):
        message = f"{len(names)} variables, {len(kinds)} kinds and {len(bindings)} loop variables do not match"
        frame.src.fail(call, "syn/axis-remap", message)
    made = [_remapped(frame, call, kind, binding) for kind, binding in zip(kinds, bindings, strict=True)]
    for target, (kind, loop, low, extent) in zip(names, made, strict=True):
        var = _define(frame, target, loop.dtype, call)
        block.iters.append(IterVar(var, low, extent, kind, loop, span=frame.span(call)))


def _remapped(
    frame: StatementFrame, call: ast.Call, kind: str, loop: Any
) -> tuple[IterKind, SymVar, PrimExpr, PrimExpr]:
    kinds: dict[str, IterKind] = {"S": "spatial", "R": "reduce"}
    if kind not in kinds:
        frame.src.fail(call, "syn/axis-remap", f"unknown kind {kind!r}: expected S or R")
    if not isinstance(loop, SymVar) or loop.name not in frame.loops:
        what = loop.name if isinstance(loop, SymVar) else shown(call)
        frame.src.fail(call, "syn/axis-remap", f"`{what}`: expected the variable of a loop around")
    low, extent = frame.loops[loop.name]
    return kinds[kind], loop, low, extent


def _axis(frame: StatementFrame, call: ast.Call, kind: IterKind, target: str) -> IterVar:
    found = bound(frame.reader, call, "dom", "binding", "dtype")
    if "dom" not in found or "binding" not in found:
        frame.src.fail(call, "syn/argument-count", "an axis takes a domain and a binding")
    low, extent = domain(frame, found["dom"])
    binding = frame.reader.scalar(found["binding"])
    dtype = frame.reader.dtype_of(found["dtype"]) if "dtype" in found else "int32"
    if not dtypes.is_integer(dtype) or dtypes.lanes(dtype) != 1:
        frame.src.fail(found["dtype"], "syn/axis-domain", f"an axis is an integer, not {dtype}")
    width = max(dtypes.bits(low.dtype), dtypes.bits(extent.dtype), dtypes.bits(dtype))
    var = _define(frame, target, f"{dtypes.kind(dtype)}{width}", call)
    return IterVar(var, low, extent, kind, binding, span=frame.span(call))


@rule("syn/axis-domain")
def domain(frame: StatementFrame, node: ast.expr) -> tuple[PrimExpr, PrimExpr]:
    """The (min, extent) of an axis: an extent, a pair (begin, end), or ``T.Range(begin, end)``."""
    value = frame.reader.value(node)
    if isinstance(value, RangeArg) and not value.buffer:
        return value.ranges[0]
    if isinstance(value, (tuple, list)):
        if len(value) != 2:
            frame.src.fail(node, "syn/axis-domain", f"expected (begin, end), found `{shown(node)}`")
        begin, end = (frame.reader.expression(node, v) for v in value)
        if begin.dtype != end.dtype:
            begin, end = match_operands(begin, end)
        return begin, extent_between(begin, end)
    extent = frame.reader.expression(node, value)
    if not dtypes.is_integer(extent.dtype):
        frame.src.fail(node, "syn/axis-domain", f"an extent is an integer, not {extent.dtype}")
    return Literal(extent.dtype, 0), extent


def _target(frame: StatementFrame, node: ast.expr) -> str:
    if not isinstance(node, ast.Name):
        frame.src.fail(node, "syn/assignment-target", f"expected a name, found `{shown(node)}`")
    return node.id


def _define(frame: StatementFrame, name: str, dtype: str, node: ast.AST) -> SymVar:
    var = SymVar(frame.function.names.fresh(name), dtype, span=frame.span(node))
    frame.scope.define(name, var)
    return var


# --- the other declarations ------------------------------------------------------------------------------------------


@rule("syn/block-duplicate")
def declare_regions(frame: StatementFrame, call: ast.Call, name: str) -> None:
    """``T.reads(…)`` and ``T.writes(…)``."""
    keywords(frame.reader, call)
    block = block_of(frame, call, f"T.{name}")
    values = [(a, frame.reader.value(a)) for a in call.args]
    if len(values) == 1 and isinstance(values[0][1], (list, tuple)):
        values = [(values[0][0], v) for v in values[0][1]]
    regions = tuple(as_region(frame, node, value) for node, value in values)
    if getattr(block, name) is not None:
        frame.src.fail(call, "syn/block-duplicate", f"T.{name} stands twice in the block {block.name!r}")
    setattr(block, name, regions)


@rule("syn/region")
def as_region(frame: StatementFrame, node: ast.expr, value: object) -> BufferRegion:
    """A value as a region of a buffer."""
    match value:
        case View():
            return region_of_view(value, frame.span(node))
        case Buffer():
            whole = tuple((Literal(e.dtype, 0), e) for e in value.shape)
            return BufferRegion(value.name, whole, span=frame.span(node))
        case BufferLoad():
            return region_of_view(View(Buffer(value.buffer, ()), value.indices), frame.span(node))
    return frame.src.fail(node, "syn/region", f"expected a region of a buffer, found `{shown(node)}`")


def declare_where(frame: StatementFrame, call: ast.Call) -> None:
    """``T.where(predicate)``."""
    keywords(frame.reader, call)
    block = block_of(frame, call, "T.where")
    if len(call.args) != 1:
        frame.src.fail(call, "syn/argument-count", "T.where takes one predicate")
    if block.predicate is not None:
        frame.src.fail(call, "syn/block-duplicate", f"T.where stands twice in the block {block.name!r}")
    block.predicate = frame.reader.scalar(call.args[0])
    if dtypes.kind(block.predicate.dtype) != "bool":
        frame.src.fail(call, "syn/operand-types", f"T.where takes a bool, not {block.predicate.dtype}")


def declare_attrs(frame: StatementFrame, call: ast.Call) -> None:
    """``T.sblock_attr({…})``; several merge."""
    block = block_of(frame, call, "T.sblock_attr")
    if len(call.args) != 1:
        frame.src.fail(call, "syn/argument-count", "T.sblock_attr takes one dict")
    for key, value in attribute_items(frame, call.args[0]).items():
        if key in block.attrs and block.attrs[key] != value:
            frame.src.fail(call, "syn/block-duplicate", f"the attribute {key!r} gets two values")
        block.attrs[key] = value


def declare_alloc(frame: StatementFrame, call: ast.Call, target: str) -> None:
    """``B = T.sblock_alloc_buffer(…)``: in the innermost block, or in the implicit root block of the function."""
    given = field_nodes(frame.reader, call, "sblock_alloc_buffer")
    buffer = make_buffer(frame.reader, call, frame.function.names.fresh(target), given, s_tir=frame.function.s_tir)
    frame.scope.define(target, buffer)
    if frame.block is not None:
        frame.block.allocs.append(buffer)
    else:
        frame.function.root_allocs.append(buffer)


@rule("syn/match-buffer")
def declare_match(frame: StatementFrame, call: ast.Call, target: str) -> None:
    """``M = T.match_buffer(A[0:4, j], (4, 1))`` inside a block."""
    block = block_of(frame, call, "T.match_buffer of a region")
    value = frame.reader.value(call.args[0])
    source = as_region(frame, call.args[0], value)
    base = value.buffer if isinstance(value, View) else value
    dtype = base.dtype if isinstance(base, (Buffer, BufferLoad)) else "float32"
    rest = ast.copy_location(ast.Call(call.func, call.args[1:], call.keywords), call)
    given = field_nodes(frame.reader, rest, "match_buffer")
    default_dtype = "float32" if "shape" in given else dtype
    shape = tuple(extent for _, extent in source.ranges)
    name = frame.function.names.fresh(target)
    buffer = make_buffer(frame.reader, rest, name, given, shape=shape, dtype=default_dtype, s_tir=frame.function.s_tir)
    if len(buffer.shape) > len(source.ranges):
        found = f"{len(buffer.shape)} of a region that has {len(source.ranges)}"
        frame.src.fail(call, "syn/match-buffer", f"expected as many axes as the region has, or fewer, found {found}")
    block.matches.append(MatchBufferRegion(buffer, source))
    frame.scope.define(target, buffer)
