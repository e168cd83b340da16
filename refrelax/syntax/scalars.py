"""Scalar expressions: the one expression language of shapes, indices, and loop-level arithmetic.

The node names are TVM's. All nodes are frozen data; a ``Span`` takes no part in equality; variables and buffers are
referred to by their name, which the reader makes unique within a function.

``Literal`` holds the dtype and the *bit pattern*, never a Python number, so that ``1``, ``True`` and ``1.0`` differ,
``0.0`` differs from ``-0.0``, and a NaN equals itself.
"""

from __future__ import annotations

import struct
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Literal as _Lit
from typing import get_args

from refrelax.errors import InternalError, Span
from refrelax.syntax import dtypes

BinaryOp = _Lit[
    "Add", "Sub", "Mul", "Div", "Mod", "FloorDiv", "FloorMod", "Min", "Max",
    "EQ", "NE", "LT", "LE", "GT", "GE", "And", "Or",
]  # fmt: skip
"""``Div`` and ``Mod`` truncate on integers (``T.Div``, ``T.truncmod``); ``FloorDiv`` and ``FloorMod`` are ``//`` and
``%``.
"""

BINARY_OPS: tuple[str, ...] = get_args(BinaryOp)
COMPARISONS = frozenset({"EQ", "NE", "LT", "LE", "GT", "GE"})
CONNECTIVES = frozenset({"And", "Or"})


def _span() -> Span | None:
    return field(default=None, compare=False, repr=False, kw_only=True)


@dataclass(frozen=True, slots=True)
class Literal:
    """A number: its dtype and its bits (an unsigned integer below ``2**bits(dtype)``)."""

    dtype: str
    bits: int
    span: Span | None = _span()


@dataclass(frozen=True, slots=True)
class StringImm:
    """A string among the arguments of an intrinsic."""

    value: str
    dtype: str = "handle"
    span: Span | None = _span()


@dataclass(frozen=True, slots=True)
class SymVar:
    """A scalar variable: a symbolic dimension, a loop or block variable, a let, a scalar parameter, a handle."""

    name: str
    dtype: str = "int64"
    span: Span | None = _span()


@dataclass(frozen=True, slots=True)
class Binary:
    """A binary operation on operands of equal dtype (the reader inserts the casts that TVM inserts).

    ``dtype`` is that of the operands, or ``bool`` (with their lanes) for a comparison and a connective.
    """

    op: BinaryOp
    a: PrimExpr
    b: PrimExpr
    span: Span | None = _span()
    dtype: str = field(init=False, compare=False, repr=False, default="")

    def __post_init__(self) -> None:
        lanes = dtypes.lanes(self.a.dtype)
        lanes = dtypes.lanes(self.b.dtype) if lanes == 1 else lanes
        truth = self.op in COMPARISONS or self.op in CONNECTIVES
        object.__setattr__(self, "dtype", dtypes.with_lanes("bool", lanes) if truth else self.a.dtype)


@dataclass(frozen=True, slots=True)
class Not:
    """Logical negation of a bool."""

    a: PrimExpr
    span: Span | None = _span()

    @property
    def dtype(self) -> str:
        return self.a.dtype


@dataclass(frozen=True, slots=True)
class Cast:
    """``T.Cast(dtype, value)``."""

    dtype: str
    value: PrimExpr
    span: Span | None = _span()


@dataclass(frozen=True, slots=True)
class Select:
    """``T.Select(condition, true_value, false_value)``: both arms are evaluated; poison in the other arm does not
    matter.
    """

    condition: PrimExpr
    true_value: PrimExpr
    false_value: PrimExpr
    span: Span | None = _span()

    @property
    def dtype(self) -> str:
        return self.true_value.dtype


@dataclass(frozen=True, slots=True)
class Intrinsic:
    """A call of a named intrinsic: ``T.exp(x)`` is ``Intrinsic("exp", (x,), "float32")``.

    ``op`` is TVM's ``tirx.`` name without the prefix (``if_then_else``, ``shift_left``, ``bitwise_and``,
    ``call_extern``, ``tvm_storage_sync``, …) or ``cls.name`` for a call of another function of the module. ``attrs``
    are keyword arguments, sorted by name.
    """

    op: str
    args: tuple[Arg, ...]
    dtype: str
    attrs: tuple[tuple[str, object], ...] = ()
    span: Span | None = _span()


@dataclass(frozen=True, slots=True)
class BufferLoad:
    """``buffer[indices]``; ``dtype`` is the buffer's, with the lanes of a ``Ramp`` index."""

    buffer: str
    indices: tuple[PrimExpr, ...]
    dtype: str
    predicate: PrimExpr | None = None
    span: Span | None = _span()


@dataclass(frozen=True, slots=True)
class Ramp:
    """The vector ``base, base + stride, …`` of ``lanes`` lanes.

    A count below 0 is scalable: so many times the hardware's ``vscale``.
    """

    base: PrimExpr
    stride: PrimExpr
    lanes: int
    span: Span | None = _span()

    @property
    def dtype(self) -> str:
        return dtypes.with_lanes(self.base.dtype, self.lanes)


@dataclass(frozen=True, slots=True)
class Broadcast:
    """The vector that repeats ``value`` in ``lanes`` lanes (as in ``Ramp``)."""

    value: PrimExpr
    lanes: int
    span: Span | None = _span()

    @property
    def dtype(self) -> str:
        return dtypes.with_lanes(self.value.dtype, self.lanes)


@dataclass(frozen=True, slots=True)
class Shuffle:
    """Lanes picked by constant ``indices`` from the concatenation of ``vectors``."""

    vectors: tuple[PrimExpr, ...]
    indices: tuple[PrimExpr, ...]
    span: Span | None = _span()

    @property
    def dtype(self) -> str:
        return dtypes.with_lanes(self.vectors[0].dtype, len(self.indices))


@dataclass(frozen=True, slots=True)
class Let:
    """``T.Let(body, where={var: value})``: ``value`` is evaluated once and named ``var`` inside ``body``."""

    var: SymVar
    value: PrimExpr
    body: PrimExpr
    span: Span | None = _span()

    @property
    def dtype(self) -> str:
        return self.body.dtype


@dataclass(frozen=True, slots=True)
class BufferRef:
    """A buffer as an argument: ``B.data`` (``part="data"``), or ``B`` itself (``part=""``). ``args`` is empty: the
    strides and the offset of a buffer are expressions of their own.
    """

    buffer: str
    part: str = "data"
    args: tuple[PrimExpr, ...] = ()
    dtype: str = "handle"
    span: Span | None = _span()


@dataclass(frozen=True, slots=True)
class CommReducer:
    """``T.comm_reducer(lambda x, y: …, [identity])``: how partial results are combined across threads."""

    lhs: tuple[SymVar, ...]
    rhs: tuple[SymVar, ...]
    result: tuple[PrimExpr, ...]
    identity: tuple[PrimExpr, ...]
    dtype: str = "handle"
    span: Span | None = _span()


@dataclass(frozen=True, slots=True)
class RangeArg:
    """``T.Range(start, end)``, of which ``buffer`` is the empty string, or a buffer region ``A[0:4]`` among the
    arguments of an intrinsic: (min, extent) per axis.
    """

    buffer: str
    ranges: tuple[tuple[PrimExpr, PrimExpr], ...]
    dtype: str = "handle"
    span: Span | None = _span()


PrimExpr = (
    Literal | SymVar | Binary | Not | Cast | Select | Intrinsic | BufferLoad | Ramp | Broadcast | Shuffle | Let
    | StringImm | BufferRef | CommReducer | RangeArg
)  # fmt: skip
"""Any scalar (or vector) expression. The last four stand only among the arguments of an ``Intrinsic``."""

Arg = PrimExpr


# --- construction ----------------------------------------------------------------------------------------------------


def int_imm(value: int, dtype: str = "int64", span: Span | None = None) -> Literal:
    """An integer or bool literal, wrapped into the dtype's width (two's complement)."""
    return Literal(dtype, value & ((1 << dtypes.bits(dtype)) - 1), span=span)


def bool_imm(value: bool, span: Span | None = None) -> Literal:
    return Literal("bool", int(value), span=span)


def literal_int(node: Literal) -> int:
    """The mathematical value of an integer or bool literal.

    Raises:
        InternalError: a literal of another kind; the bits of a float are no integer.
    """
    match dtypes.kind(node.dtype):
        case "int":
            width = dtypes.bits(node.dtype)
            return node.bits - (1 << width) if node.bits >> (width - 1) else node.bits
        case "uint" | "bool":
            return node.bits
        case other:
            raise InternalError(f"a literal of kind {other} is no integer")


def as_int(node: object) -> int | None:
    """The value of ``node`` if it is an integer literal, else ``None``."""
    if isinstance(node, Literal) and dtypes.kind(node.dtype) in ("int", "uint", "bool"):
        return literal_int(node)
    return None


def float64_bits(value: float) -> int:
    """The IEEE 754 binary64 pattern of a Python float."""
    return int(struct.unpack("<Q", struct.pack("<d", value))[0])


# --- traversal -------------------------------------------------------------------------------------------------------


def children(node: PrimExpr) -> tuple[PrimExpr, ...]:
    """The direct sub-expressions of ``node``, left to right."""
    match node:
        case Binary():
            return (node.a, node.b)
        case Literal() | SymVar() | StringImm():  # before the others: most nodes are leaves
            return ()
        case Not():
            return (node.a,)
        case Cast() | Broadcast():
            return (node.value,)
        case Select():
            return (node.condition, node.true_value, node.false_value)
        case Intrinsic():
            return node.args
        case BufferLoad():
            return node.indices if node.predicate is None else (*node.indices, node.predicate)
        case Ramp():
            return (node.base, node.stride)
        case Shuffle():
            return (*node.vectors, *node.indices)
        case Let():
            return (node.value, node.body)
        case BufferRef():
            return node.args
        case CommReducer():
            return (*node.result, *node.identity)
        case RangeArg():
            return tuple(e for pair in node.ranges for e in pair)


def walk(node: PrimExpr) -> Iterator[PrimExpr]:
    """``node`` and everything below it, parents first, without recursion."""
    pending = [node]
    while pending:
        current = pending.pop()
        yield current
        if not isinstance(current, (Literal, SymVar)):  # half of all nodes
            pending.extend(reversed(children(current)))


def conjuncts(e: PrimExpr) -> list[PrimExpr]:
    """The members of a conjunction, left to right; of anything else, itself."""
    return [*conjuncts(e.a), *conjuncts(e.b)] if isinstance(e, Binary) and e.op == "And" else [e]


def free_symbols(node: PrimExpr) -> frozenset[str]:
    """Names of the scalar variables that occur free in ``node``: a name may do so beside a ``Let`` that binds it."""
    return frozenset(each.name for each in free_variables(node))


def free_variables(node: PrimExpr) -> list[SymVar]:
    """The scalar variables that occur free in ``node``, as they stand."""
    nodes = list(walk(node))
    if not any(isinstance(each, Let) for each in nodes):
        return [each for each in nodes if isinstance(each, SymVar)]
    found: list[SymVar] = []
    pending = [(node, frozenset[str]())]
    while pending:
        current, bound = pending.pop()
        match current:
            case SymVar(name):
                found += [current] if name not in bound else []
            case Let(var, value, body):
                pending += [(body, bound | {var.name}), (value, bound)]
            case _:
                pending += [(each, bound) for each in reversed(children(current))]
    return found
