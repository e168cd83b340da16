"""What statements and expressions of the loop level demand of their own operands: truth values, integer indices,
equal dtypes.

Each function gives the diagnostics of one construct; none looks at scopes.

Spec: ``spec/04-well-formedness.md``, Loop-level functions.
"""

from __future__ import annotations

from refrelax.errors import Diagnostic, Span
from refrelax.rules import rule
from refrelax.semantics.dims.kinds import misfit, unfit
from refrelax.syntax import dtypes
from refrelax.syntax.graph import IndexMap
from refrelax.syntax.loops import AssertStmt, Buffer, BufferStore, For, IfThenElse, IterVar, SBlock, Stmt, While
from refrelax.syntax.scalars import (
    COMPARISONS,
    CONNECTIVES,
    Binary,
    BufferLoad,
    Literal,
    Not,
    PrimExpr,
    Select,
    Shuffle,
    free_symbols,
    literal_int,
    walk,
)

Found = list[Diagnostic]


@rule("wf/scalar-form")
def scalar(e: PrimExpr, span: Span | None) -> Found:
    """A dimension or a prim value, all of its nodes: arithmetic on scalars, and well-kinded."""
    found: Found = []
    for node in walk(e):
        here = node.span or span
        wrong = unfit(node)
        found += [Diagnostic("wf/scalar-form", wrong, here)] if wrong is not None else expression(node, here)
    return found


@rule("wf/scalar-form", "wf/shape-integer", "wf/symbol-defined")
def index_map(e: IndexMap, span: Span | None) -> Found:
    """The results of an index map: integer arithmetic on its parameters and on nothing else."""
    found: Found = []
    for result in e.results:
        here = result.span or span
        found += scalar(result, span)
        if not _integer(result):
            message = f"an index map must give integers, found {result.dtype}"
            found.append(Diagnostic("wf/shape-integer", message, here))
        for name in sorted(free_symbols(result) - {*e.params}):
            message = f"an index map is over its own parameters, found {name}"
            found.append(Diagnostic("wf/symbol-defined", message, here))
    return found


def _integer(e: PrimExpr) -> bool:
    return dtypes.is_integer(e.dtype)


@rule("wf/condition-bool")
def truth(e: PrimExpr, where: str, span: Span | None) -> Found:
    """A condition is a bool."""
    if dtypes.kind(e.dtype) == "bool":
        return []
    return [Diagnostic("wf/condition-bool", f"{where} must be a bool, found {e.dtype}", e.span or span)]


@rule("wf/extent-integer")
def extent(e: PrimExpr, where: str, span: Span | None) -> Found:
    """An extent or a bound is a scalar integer."""
    if _integer(e) and dtypes.lanes(e.dtype) == 1:
        return []
    return [Diagnostic("wf/extent-integer", f"{where} must be an integer, found {e.dtype}", e.span or span)]


@rule("wf/thread-tag")
def statement(s: Stmt) -> Found:
    """The conditions of one statement, its body left out."""
    match s:
        case For():
            found = extent(s.min, "the start of a loop", s.span) + extent(s.extent, "the extent of a loop", s.span)
            if (s.kind == "thread_binding") != (s.thread is not None):
                message = f"a loop of kind {s.kind} has thread {s.thread!r}: only a thread-bound loop names one"
                found.append(Diagnostic("wf/thread-tag", message, s.span))
            return found
        case While():
            return truth(s.condition, "the condition of a while", s.span)
        case IfThenElse():
            return truth(s.condition, "the condition of an if", s.span)
        case AssertStmt():
            return truth(s.condition, "the condition of an assert", s.span)
        case _:
            return []


@rule("wf/axis-binding")
def axis(it: IterVar, block: SBlock) -> Found:
    """A block axis ranges over integers and is bound to one."""
    span = it.span or block.span
    found = extent(it.extent, f"the extent of axis {it.var.name}", span)
    if not _integer(it.binding):
        message = f"axis {it.var.name} of block {block.name} is bound to a {it.binding.dtype}, expected an integer"
        found.append(Diagnostic("wf/axis-binding", message, span))
    return found


def buffer(b: Buffer, span: Span | None) -> Found:
    """Extents and strides are integers; strides, if any, are one an axis."""
    found: Found = []
    for each in (*b.shape, *b.strides):
        found += extent(each, f"an extent or stride of buffer {b.name}", span)
    return found + strides(b, span)


@rule("wf/stride-count")
def strides(b: Buffer, span: Span | None) -> Found:
    """A buffer with strides has one an axis."""
    if not b.strides or len(b.strides) == len(b.shape):
        return []
    message = f"buffer {b.name} has {len(b.shape)} axes, found {len(b.strides)} strides"
    return [Diagnostic("wf/stride-count", message, span)]


@rule("wf/index-integer")
def indices(name: str, given: tuple[PrimExpr, ...], span: Span | None) -> Found:
    """Indices are integers, or vectors of them."""
    return [
        Diagnostic("wf/index-integer", f"an index of {name} must be an integer, found {e.dtype}", e.span or span)
        for e in given
        if not _integer(e)
    ]


def load(e: BufferLoad, span: Span | None) -> Found:
    """The conditions of one load."""
    return indices(e.buffer, e.indices, span)


@rule("wf/store-dtype")
def store(s: BufferStore, declared: Buffer | None) -> Found:
    """The value has the buffer's dtype, with the lanes that the indices span."""
    found = indices(s.buffer, s.indices, s.span)
    if declared is None:
        return found
    count = dtypes.lanes(declared.dtype)
    for each in s.indices:
        count *= dtypes.lanes(each.dtype)
    scalable = "vscale" in s.value.dtype or any("vscale" in each.dtype for each in s.indices)
    expected = dtypes.with_lanes(declared.dtype, count)
    if not scalable and s.value.dtype != expected:
        message = f"buffer {s.buffer} holds {declared.dtype}: expected a value of {expected}, found {s.value.dtype}"
        place = ((f"declaration of {s.buffer}", declared.span),)
        found.append(Diagnostic("wf/store-dtype", message, s.span, place))
    return found


@rule("wf/scalar-kind")
def expression(e: PrimExpr, span: Span | None) -> Found:
    """What one node of an expression demands of its operands: their dtypes, then their kinds."""
    found = _dtypes(e, span)
    wrong = None if found else misfit(e)
    return found if wrong is None else [Diagnostic("wf/scalar-kind", wrong, e.span or span)]


@rule("wf/operand-dtypes")
def _dtypes(e: PrimExpr, span: Span | None) -> Found:
    """Both operands of a binary operation have one dtype; connectives take bools; so does the condition of a
    select."""
    match e:
        case Binary() if e.op in CONNECTIVES:
            return truth(e.a, f"an operand of {e.op}", span) + truth(e.b, f"an operand of {e.op}", span)
        case Binary() if e.a.dtype != e.b.dtype and "handle" not in (dtypes.kind(e.a.dtype), dtypes.kind(e.b.dtype)):
            what = "a comparison" if e.op in COMPARISONS else e.op
            message = f"the operands of {what} must have one dtype, found {e.a.dtype} and {e.b.dtype}"
            return [Diagnostic("wf/operand-dtypes", message, span)]
        case Not():
            return truth(e.a, "the operand of not", span)
        case Select():
            return truth(e.condition, "the condition of T.Select", span)
        case Shuffle():
            return shuffle(e, span)
        case _:
            return []


@rule("wf/shuffle-lanes")
def shuffle(e: Shuffle, span: Span | None) -> Found:
    """The indices of a shuffle are constants that name lanes of its vectors."""
    count = sum(dtypes.lanes(each.dtype) for each in e.vectors)
    for index in e.indices:
        if not isinstance(index, Literal) or not _integer(index) or not 0 <= literal_int(index) < count:
            message = f"an index of T.Shuffle must be a constant from 0 to {count - 1}"
            return [Diagnostic("wf/shuffle-lanes", message, index.span or e.span or span)]
    return []
