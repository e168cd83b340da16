"""The graph level: Relax functions, bindings and expressions as frozen data.

A variable *is* its name: the reader makes the names of a top-level function unique (its nested functions and symbolic
variables included), so two bindings never share one. Whether a variable is a dataflow variable follows from the block
that binds it: bound inside a ``DataflowBlock`` and not among its ``outputs``.
"""

from __future__ import annotations

from dataclasses import dataclass

from refrelax.errors import Span
from refrelax.syntax.scalars import PrimExpr, _span
from refrelax.syntax.types import DTensorType, Type


@dataclass(frozen=True, slots=True)
class AttrList:
    """``[a, b]`` among attributes."""

    items: tuple[AttrValue, ...]


@dataclass(frozen=True, slots=True)
class AttrDict:
    """``{"k": v}`` among attributes, sorted by key."""

    items: tuple[tuple[str, AttrValue], ...]


@dataclass(frozen=True, slots=True)
class IndexMap:
    """``T.index_map(lambda i, j: (j, i))``; ``inverse`` when the text gives one."""

    params: tuple[str, ...]
    results: tuple[PrimExpr, ...]
    inverse: IndexMap | None = None


# --- leaves ----------------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Var:
    """A variable, by its unique name."""

    name: str
    span: Span | None = _span()


@dataclass(frozen=True, slots=True)
class GlobalVar:
    """A function of the module: ``cls.name``."""

    name: str
    span: Span | None = _span()


@dataclass(frozen=True, slots=True)
class ExternFunc:
    """A library function by its registered name."""

    name: str
    span: Span | None = _span()


@dataclass(frozen=True, slots=True)
class Op:
    """An operator by its registered name, ``relax.`` included: ``Op("relax.add")``."""

    name: str
    span: Span | None = _span()


@dataclass(frozen=True, slots=True)
class Constant:
    """``R.const(…)``: an inline constant, its elements as bit patterns in row-major order (a scalar has shape
    ``()``).
    """

    dtype: str
    shape: tuple[int, ...]
    data: tuple[int, ...]
    span: Span | None = _span()


@dataclass(frozen=True, slots=True)
class DistConstant:
    """``R.dist.const(1.0, R.DTensor((), "float32", "mesh[0]", "R, R"))``: a constant that is spread over a mesh."""

    value: Constant
    type: DTensorType
    span: Span | None = _span()


@dataclass(frozen=True, slots=True)
class ConstantRef:
    """``metadata["ir.GenericConst"][index]``: a constant whose array lies in the side table (``Module.constants``).

    ``kind`` is ``"ffi.Tensor"`` for an array among attributes, which nothing reads.
    """

    index: int
    kind: str = "ir.GenericConst"
    span: Span | None = _span()


@dataclass(frozen=True, slots=True)
class PrimValue:
    """A scalar expression as a Relax value: ``3`` as an argument, ``k: T.int64 = n + 1``."""

    value: PrimExpr
    span: Span | None = _span()


@dataclass(frozen=True, slots=True)
class ShapeExpr:
    """``R.shape([n, 4])``."""

    values: tuple[PrimExpr, ...]
    span: Span | None = _span()


@dataclass(frozen=True, slots=True)
class StringValue:
    """``R.str("…")`` or a bare string argument."""

    value: str
    span: Span | None = _span()


@dataclass(frozen=True, slots=True)
class DataTypeValue:
    """``R.dtype("float32")``."""

    dtype: str
    span: Span | None = _span()


# --- compound expressions --------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Tuple:
    """``(a, b)``; the empty one is ``R.tuple()``."""

    fields: tuple[Expr, ...]
    span: Span | None = _span()


@dataclass(frozen=True, slots=True)
class TupleGetItem:
    """``t[index]``."""

    tuple: Expr
    index: int
    span: Span | None = _span()


@dataclass(frozen=True, slots=True)
class Call:
    """A call. ``op``: an operator, a module function, a library function, or a variable of function type.

    ``args`` are in the IR's order (so ``call_tir`` has two: the callee and one ``Tuple``); ``attrs`` hold *every*
    attribute of the operator, defaults filled in; ``ty_args`` hold ``out_ty=`` (one type,
    of several outputs a ``TupleType``) or ``ty_args=``.
    """

    op: Op | GlobalVar | ExternFunc | Var
    args: tuple[Expr, ...]
    attrs: Attrs = ()
    ty_args: tuple[Type, ...] = ()
    span: Span | None = _span()

    def attr(self, name: str) -> AttrValue:
        """The attribute ``name``; ``KeyError`` if the operator has none of that name."""
        for key, value in self.attrs:
            if key == name:
                return value
        raise KeyError(name)


@dataclass(frozen=True, slots=True)
class If:
    """``if condition: … else: …``; each branch is a sequence whose body is the branch's value."""

    condition: Expr
    then_branch: SeqExpr
    else_branch: SeqExpr
    span: Span | None = _span()


@dataclass(frozen=True, slots=True)
class Function:
    """A Relax function, global or local. ``ret`` is ``None`` only in hand-written text without a return annotation."""

    params: tuple[Param, ...]
    ret: Type | None
    body: SeqExpr
    pure: bool = True
    private: bool = False
    attrs: Attrs = ()
    symbols: tuple[str, ...] = ()
    """Symbolic variables that this function declares by itself (``TypeVar`` / PEP 695 heads), in order of first use."""
    span: Span | None = _span()


Expr = (
    Var | GlobalVar | ExternFunc | Op | Constant | DistConstant | ConstantRef | PrimValue | ShapeExpr | StringValue
    | DataTypeValue | Tuple | TupleGetItem | Call | If | Function
)  # fmt: skip

LEAVES = (
    Var,
    GlobalVar,
    ExternFunc,
    Op,
    Constant,
    DistConstant,
    ConstantRef,
    PrimValue,
    ShapeExpr,
    StringValue,
    DataTypeValue,
)


@dataclass(frozen=True, slots=True)
class Param:
    """A parameter; ``type`` is ``None`` only where hand-written text gives no annotation (ill-formed)."""

    name: str
    type: Type | None
    span: Span | None = _span()


# --- bindings and blocks ---------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class VarBinding:
    """``name: annotation = value``; a bare statement binds a name that starts with ``_`` under the void type."""

    name: str
    value: Expr
    annotation: Type | None = None
    span: Span | None = _span()


@dataclass(frozen=True, slots=True)
class MatchCast:
    """``name: annotation = R.match_cast(value, type)``: checks, and binds the new symbols of ``type``."""

    name: str
    value: Expr
    type: Type
    annotation: Type | None = None
    span: Span | None = _span()


Binding = VarBinding | MatchCast


@dataclass(frozen=True, slots=True)
class BindingBlock:
    """Ordinary bindings, in order."""

    bindings: tuple[Binding, ...]


@dataclass(frozen=True, slots=True)
class DataflowBlock:
    """``with R.dataflow(): … R.output(outputs)``: pure, no control flow."""

    bindings: tuple[Binding, ...]
    outputs: tuple[str, ...]


Block = BindingBlock | DataflowBlock


@dataclass(frozen=True, slots=True)
class SeqExpr:
    """Blocks, then the value. Adjacent ordinary blocks are merged by the reader."""

    blocks: tuple[Block, ...]
    body: Expr
    span: Span | None = _span()


AttrValue = None | bool | int | str | PrimExpr | Type | AttrList | AttrDict | IndexMap | Expr
"""What an operator or function attribute may be. A float is ``Literal("float64", bits)``."""

Attrs = tuple[tuple[str, AttrValue], ...]
"""Keyword attributes in the order of the operator's signature (function attributes: sorted by key)."""
