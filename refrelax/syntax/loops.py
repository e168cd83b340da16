"""The loop level: TensorIR functions, statements and buffers as frozen data.

A statement list is a tuple; ``Let``, ``AllocBuffer`` and ``DeclBuffer`` scope over the rest of the tuple that holds
them. Names (variables, buffers) are unique within a function; a ``BufferLoad`` or ``BufferStore`` names its buffer.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal as _Lit

from refrelax.errors import Span
from refrelax.syntax.graph import Attrs
from refrelax.syntax.scalars import PrimExpr, SymVar, _span, free_symbols, walk

ForKind = _Lit["serial", "parallel", "vectorized", "unroll", "thread_binding"]
IterKind = _Lit["spatial", "reduce", "scan", "opaque"]


@dataclass(frozen=True, slots=True)
class Buffer:
    """A multi-dimensional view of memory.

    ``strides`` is ``()`` for a compact row-major buffer. ``elem_offset``, in elements, is ``None`` for 0. ``data``
    names the buffer or handle variable whose memory this one shares (``None``: its own). ``scalar`` marks a mutable
    scalar (``z: T.int32 = 5``), which is a local buffer of shape ``(1,)`` that prints and reads as a plain name.
    ``scope`` says where the memory lies; ``align`` (bytes), ``offset_factor``, ``buffer_type``, ``axis_separators`` and
    ``layout`` are kept and mean nothing here.
    """

    name: str
    shape: tuple[PrimExpr, ...]
    dtype: str = "float32"
    strides: tuple[PrimExpr, ...] = ()
    elem_offset: PrimExpr | None = None
    scope: str = "global"
    align: int = 64
    offset_factor: int = 1
    buffer_type: str = ""
    axis_separators: tuple[int, ...] = ()
    data: PrimExpr | None = None
    scalar: bool = False
    layout: str | None = None
    span: Span | None = _span()


@dataclass(frozen=True, slots=True)
class ScalarParam:
    """``n: T.int64``, ``h: T.handle`` (a handle that no ``match_buffer`` binds)."""

    var: SymVar
    span: Span | None = _span()


@dataclass(frozen=True, slots=True)
class BufferParam:
    """``A: T.Buffer(…)``, or a handle with its ``T.match_buffer``."""

    buffer: Buffer
    span: Span | None = _span()


@dataclass(frozen=True, slots=True)
class PrimFunc:
    """A loop-level function. ``symbols``: the scalar variables that its buffer shapes, strides and offsets define,
    in order.

    ``ret`` is the dtype of what it returns, absent where it returns nothing; ``private``: no other module can call it;
    ``s_tir``: the text says so (``@T.prim_func(s_tir=True)``).
    """

    params: tuple[ScalarParam | BufferParam, ...]
    body: tuple[Stmt, ...]
    ret: str | None = None
    attrs: Attrs = ()
    private: bool = False
    s_tir: bool = False
    symbols: tuple[SymVar, ...] = ()
    root_allocs: tuple[Buffer, ...] = ()
    """Buffers that the implicit root block allocates (``T.sblock_alloc_buffer`` at function level)."""
    span: Span | None = _span()


def symbols_of(params: Sequence[ScalarParam | BufferParam]) -> tuple[SymVar, ...]:
    """The variables that the buffers of a signature define, in order of first use."""
    scalars = {p.var.name for p in params if isinstance(p, ScalarParam)}
    found: dict[str, SymVar] = {}
    for param in params:
        if isinstance(param, BufferParam):
            buffer = param.buffer
            offset = () if buffer.elem_offset is None else (buffer.elem_offset,)
            for expression in (*buffer.shape, *buffer.strides, *offset):
                free = free_symbols(expression) - scalars
                for each in walk(expression):
                    if isinstance(each, SymVar) and each.name in free:
                        found.setdefault(each.name, each)
    return tuple(found.values())


# --- statements ------------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class For:
    """``for var in range(min, min + extent, step)`` and its kinds. ``thread``: the tag of a thread-bound loop.

    ``extent`` counts from ``min`` in units of 1; with a ``step`` the variable takes ``min, min + step, …`` below
    ``min + extent``.
    """

    var: SymVar
    min: PrimExpr
    extent: PrimExpr
    body: tuple[Stmt, ...]
    kind: ForKind = "serial"
    thread: str | None = None
    step: PrimExpr | None = None
    annotations: Attrs = ()
    span: Span | None = _span()


@dataclass(frozen=True, slots=True)
class While:
    """``while condition:``"""

    condition: PrimExpr
    body: tuple[Stmt, ...]
    span: Span | None = _span()


@dataclass(frozen=True, slots=True)
class IfThenElse:
    """``if condition: … else: …``"""

    condition: PrimExpr
    then_body: tuple[Stmt, ...]
    else_body: tuple[Stmt, ...] = ()
    span: Span | None = _span()


@dataclass(frozen=True, slots=True)
class IterVar:
    """A block axis: ``var`` over ``[min, min + extent)``, bound to ``binding`` in each instance of the block."""

    var: SymVar
    min: PrimExpr
    extent: PrimExpr
    kind: IterKind
    binding: PrimExpr
    span: Span | None = _span()


@dataclass(frozen=True, slots=True)
class BufferRegion:
    """``A[vi, 0:4]``: per axis (min, extent)."""

    buffer: str
    ranges: tuple[tuple[PrimExpr, PrimExpr], ...]
    span: Span | None = _span()


@dataclass(frozen=True, slots=True)
class MatchBufferRegion:
    """``M = T.match_buffer(A[vi, 0:16], (16,), …)`` inside a block."""

    buffer: Buffer
    source: BufferRegion


@dataclass(frozen=True, slots=True)
class SBlock:
    """``with T.sblock(name):``. ``reads`` / ``writes`` are ``None`` when the text has no such line."""

    name: str
    iters: tuple[IterVar, ...]
    body: tuple[Stmt, ...]
    predicate: PrimExpr | None = None
    reads: tuple[BufferRegion, ...] | None = None
    writes: tuple[BufferRegion, ...] | None = None
    init: tuple[Stmt, ...] | None = None
    allocs: tuple[Buffer, ...] = ()
    matches: tuple[MatchBufferRegion, ...] = ()
    attrs: Attrs = ()
    span: Span | None = _span()


@dataclass(frozen=True, slots=True)
class BufferStore:
    """``buffer[indices] = value``."""

    buffer: str
    value: PrimExpr
    indices: tuple[PrimExpr, ...]
    predicate: PrimExpr | None = None
    span: Span | None = _span()


@dataclass(frozen=True, slots=True)
class Bind:
    """``var: T.let[dtype] = value``: an immutable scalar for the rest of the enclosing statements."""

    var: SymVar
    value: PrimExpr
    span: Span | None = _span()


@dataclass(frozen=True, slots=True)
class AllocBuffer:
    """``T.alloc_buffer`` / ``T.alloc_local`` / ``T.alloc_shared``, and the declaration of a mutable scalar (with
    ``init``).
    """

    buffer: Buffer
    init: PrimExpr | None = None
    annotations: Attrs = ()
    span: Span | None = _span()


@dataclass(frozen=True, slots=True)
class DeclBuffer:
    """``T.decl_buffer(shape, dtype, data=…)``: another view of existing memory; without ``data`` new memory."""

    buffer: Buffer
    span: Span | None = _span()


@dataclass(frozen=True, slots=True)
class LaunchThread:
    """``with T.launch_thread(thread, extent) as var:`` (or ``T.env_thread`` + ``launch_thread``)."""

    var: SymVar
    thread: str
    extent: PrimExpr
    body: tuple[Stmt, ...]
    span: Span | None = _span()


@dataclass(frozen=True, slots=True)
class AttrStmt:
    """``with T.attr(node, key, value):``."""

    node: PrimExpr | None
    key: str
    value: PrimExpr
    body: tuple[Stmt, ...]
    span: Span | None = _span()


@dataclass(frozen=True, slots=True)
class AssertStmt:
    """``assert condition, (kind, [message parts])``."""

    condition: PrimExpr
    kind: str
    message: tuple[str, ...]
    span: Span | None = _span()


@dataclass(frozen=True, slots=True)
class Evaluate:
    """An expression for its effect."""

    value: PrimExpr
    span: Span | None = _span()


@dataclass(frozen=True, slots=True)
class Break:
    """Leave the innermost loop."""

    span: Span | None = _span()


@dataclass(frozen=True, slots=True)
class Continue:
    """Go on with the innermost loop's next iteration."""

    span: Span | None = _span()


@dataclass(frozen=True, slots=True)
class Return:
    """``return value`` / ``T.ret(value)``."""

    value: PrimExpr
    span: Span | None = _span()


Stmt = (
    For | While | IfThenElse | SBlock | BufferStore | Bind | AllocBuffer | DeclBuffer | LaunchThread | AttrStmt
    | AssertStmt | Evaluate | Break | Continue | Return
)  # fmt: skip
