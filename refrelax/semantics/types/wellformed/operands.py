"""What statements and expressions of the loop level demand of their own operands: truth values, integer indices,
equal dtypes.

Each function gives the diagnostics of one construct; none looks at scopes.

Spec: ``spec/04-well-formedness.md``, Loop-level functions.
"""

from __future__ import annotations

from refrelax.errors import Diagnostic, Span
from refrelax.rules import rule
from refrelax.semantics.dims.kinds import ARITY, misfit, unfit
from refrelax.semantics.types.wellformed.sorts import argument_sorts
from refrelax.syntax import dtypes
from refrelax.syntax.graph import IndexMap
from refrelax.syntax.loops import (
    AllocBuffer,
    AssertStmt,
    Bind,
    Buffer,
    BufferStore,
    For,
    IfThenElse,
    IterVar,
    LaunchThread,
    SBlock,
    Stmt,
    While,
)
from refrelax.syntax.read.intrinsics import INTRINSICS
from refrelax.syntax.scalars import (
    COMPARISONS,
    CONNECTIVES,
    Binary,
    Broadcast,
    BufferLoad,
    Cast,
    Intrinsic,
    Let,
    Literal,
    Not,
    PrimExpr,
    Ramp,
    Select,
    Shuffle,
    SymVar,
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


@rule("wf/condition-bool")
def mask(e: PrimExpr, where: str, span: Span | None) -> Found:
    """A predicate of lanes is bools, or integers of which 0 is false."""
    return [] if _integer(e) else truth(e, where, span)


@rule("wf/extent-integer")
def extent(e: PrimExpr, where: str, span: Span | None) -> Found:
    """An extent or a bound is a scalar integer."""
    if _integer(e) and dtypes.lanes(e.dtype) == 1:
        return []
    return [Diagnostic("wf/extent-integer", f"{where} must be an integer, found {e.dtype}", e.span or span)]


def counted(var: SymVar, e: PrimExpr, where: str, span: Span | None) -> Found:
    """What bounds a loop variable is an integer of its dtype."""
    return extent(e, where, span) or bound(var.dtype, e, where, span)


@rule("wf/thread-tag")
def statement(s: Stmt) -> Found:
    """The conditions of one statement, its body left out."""
    match s:
        case For():
            found = counted(s.var, s.min, "the start of a loop", s.span)
            found += counted(s.var, s.extent, "the extent of a loop", s.span)
            if s.step is not None:
                found += counted(s.var, s.step, "the step of a loop", s.span)
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
        case LaunchThread():
            return counted(s.var, s.extent, "the extent of a thread", s.span)
        case Bind():
            return bound(s.var.dtype, s.value, f"the value of {s.var.name}", s.span)
        case AllocBuffer() if s.init is not None:
            return bound(s.buffer.dtype, s.init, f"the value of {s.buffer.name}", s.span)
        case BufferStore() if s.predicate is not None:
            return mask(s.predicate, "the predicate of a store", s.span)
        case _:
            return []


@rule("wf/operand-dtypes")
def bound(dtype: str, value: PrimExpr, what: str, span: Span | None) -> Found:
    """What a name stands for has the dtype of the name. Pointers go by any type, and so does what gives no value."""
    if value.dtype == dtype or {dtypes.kind(dtype), dtypes.kind(value.dtype)} & {"handle", "void"}:
        return []
    return [Diagnostic("wf/operand-dtypes", f"{what} must be {dtype}, found {value.dtype}", value.span or span)]


@rule("wf/axis-binding")
def axis(it: IterVar, block: SBlock) -> Found:
    """A block axis ranges over integers and is bound to one."""
    span = it.span or block.span
    found = counted(it.var, it.min, f"the start of axis {it.var.name}", span)
    found += counted(it.var, it.extent, f"the extent of axis {it.var.name}", span)
    if not _integer(it.binding) or dtypes.lanes(it.binding.dtype) != 1:
        message = f"axis {it.var.name} of block {block.name} is bound to a {it.binding.dtype}, expected an integer"
        found.append(Diagnostic("wf/axis-binding", message, span))
    return found


def buffer(b: Buffer, span: Span | None) -> Found:
    """Extents, strides and the offset are integers; strides, if any, are one an axis."""
    found: Found = []
    for each in (*b.shape, *b.strides):
        found += extent(each, f"an extent or stride of buffer {b.name}", span)
    if b.elem_offset is not None:
        found += extent(b.elem_offset, f"the offset of buffer {b.name}", span)
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
    """Indices are integers, the last one possibly a vector of them."""
    return [
        Diagnostic("wf/index-integer", f"an index of {name} must be an integer, found {e.dtype}", e.span or span)
        for place, e in enumerate(given, 1)
        if not _integer(e) or (dtypes.lanes(e.dtype) != 1 and place != len(given))
    ]


def load(e: BufferLoad, declared: Buffer | None, span: Span | None) -> Found:
    """The conditions of one load."""
    found = indices(e.buffer, e.indices, span)
    if e.predicate is not None:
        found += mask(e.predicate, "the predicate of a load", span)
    return found + _element(declared, e.indices, e.dtype, "a load gives", span)


def store(s: BufferStore, declared: Buffer | None) -> Found:
    """The conditions of one store."""
    found = indices(s.buffer, s.indices, s.span)
    return found + _element(declared, s.indices, s.value.dtype, "expected a value of", s.span)


@rule("wf/store-dtype")
def _element(declared: Buffer | None, indices: tuple[PrimExpr, ...], dtype: str, what: str, span: Span | None) -> Found:
    """What is loaded and stored has the buffer's dtype, with the lanes that the indices span."""
    if declared is None or "vscale" in dtype or any("vscale" in each.dtype for each in indices):
        return []
    count = dtypes.lanes(declared.dtype)
    for each in indices:
        count *= dtypes.lanes(each.dtype)
    expected = dtypes.with_lanes(declared.dtype, count)
    if dtype == expected or dtypes.kind(dtype) == dtypes.kind(expected) == "handle":
        return []
    message = f"buffer {declared.name} holds {declared.dtype}: {what} {expected}, found {dtype}"
    return [Diagnostic("wf/store-dtype", message, span, ((f"declaration of {declared.name}", declared.span),))]


@rule("wf/scalar-kind")
def expression(e: PrimExpr, span: Span | None) -> Found:
    """What one node of an expression demands of its operands: their dtypes, then their kinds."""
    found = _dtypes(e, span)
    wrong = None if found else misfit(e)
    if wrong is not None:
        return [Diagnostic("wf/scalar-kind", wrong, e.span or span)]
    return found or alike(e, span)


@rule("wf/operand-dtypes")
def _dtypes(e: PrimExpr, span: Span | None) -> Found:
    """Both operands of a binary operation have one dtype; connectives take bools; so does the condition of a
    select. Lanes are kept, made of scalars, or picked."""
    match e:
        case Cast() if "vscale" not in e.dtype + e.value.dtype and dtypes.lanes(e.dtype) != dtypes.lanes(e.value.dtype):
            message = f"a cast keeps the number of lanes, found {e.value.dtype} as {e.dtype}"
            return [Diagnostic("wf/operand-dtypes", message, e.span or span)]
        case Let():
            return bound(e.var.dtype, e.value, f"the value of {e.var.name}", span)
        case Ramp():
            return bound(e.base.dtype, e.stride, "the stride of a ramp", span) + extent(e.base, "a ramp", span)
        case Broadcast() if dtypes.lanes(e.value.dtype) != 1:
            message = f"what is repeated is a scalar, found {e.value.dtype}"
            return [Diagnostic("wf/operand-dtypes", message, e.span or span)]
        case Intrinsic():
            return arguments(e, span) or [*argument_sorts(e, span)]
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


_ALIKE = frozenset({"bitwise_and", "bitwise_or", "bitwise_xor", "truncmod", "max", "min"})


@rule("wf/operand-dtypes")
def alike(e: PrimExpr, span: Span | None) -> Found:
    """The arms of a choice, and the operands of bit operations, extremes and remainders, have one dtype."""
    match e:
        case Select():
            operands: tuple[PrimExpr, ...] = (e.true_value, e.false_value)
        case Intrinsic(op="if_then_else"):
            operands = e.args[1:]
        case Intrinsic(op=op) if op in _ALIKE:
            operands = e.args
        case _:
            return []
    if len({each.dtype for each in operands if dtypes.kind(each.dtype) != "handle"}) <= 1:
        return []
    message = f"operands that have one dtype were expected, found {', '.join(each.dtype for each in operands)}"
    return [Diagnostic("wf/operand-dtypes", message, e.span or span)]


@rule("wf/argument-count")
def arguments(e: Intrinsic, span: Span | None) -> Found:
    """An intrinsic has as many arguments as it takes."""
    exact, signature = ARITY.get(e.op), INTRINSICS.get(e.op)
    least, most = (exact, exact) if exact is not None else (signature.least, signature.most) if signature else (0, None)
    if least <= len(e.args) and (most is None or len(e.args) <= most):
        return []
    message = f"T.{e.op} takes {least}{'' if most == least else ' or more'} arguments, found {len(e.args)}"
    return [Diagnostic("wf/argument-count", message, e.span or span)]


@rule("wf/shuffle-lanes")
def shuffle(e: Shuffle, span: Span | None) -> Found:
    """The indices of a shuffle are constants that name lanes of its vectors."""
    count = sum(dtypes.lanes(each.dtype) for each in e.vectors)
    for index in e.indices:
        if not isinstance(index, Literal) or not _integer(index) or not 0 <= literal_int(index) < count:
            message = f"an index of T.Shuffle must be a constant from 0 to {count - 1}"
            return [Diagnostic("wf/shuffle-lanes", message, index.span or e.span or span)]
    return []
