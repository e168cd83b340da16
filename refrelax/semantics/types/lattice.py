"""The lattice of types: the subtype check, graded as TVM grades it, and the least common ancestor.

``check(base, derived)`` asks whether every value of ``derived`` is a value of ``base``:

========  ==============================================================================================
``PASS``  yes, provably
``L2``    only an equality of dims is open: a run-time check of extents decides
``L1``    the static knowledge is too coarse (unknown rank, dtype, …): a run-time check of the kind decides
``L0``    provably not
========  ==============================================================================================

Calls accept ``PASS`` and ``L2``; an annotation is refused only at ``L0``. Two dims are provably *different* only
when both are literals; every other equality is ``sh/equal`` or open.

Spec: ``spec/05-types.md``, Subtyping.
"""

from __future__ import annotations

from enum import IntEnum
from typing import assert_never

from refrelax.rules import rule
from refrelax.semantics.dims import Facts, equal
from refrelax.semantics.types.renaming import alpha_equal
from refrelax.syntax.scalars import PrimExpr, as_int
from refrelax.syntax.types import (
    AnyType,
    DTensorType,
    FuncType,
    PackedFuncType,
    PrimType,
    ShapeType,
    TensorType,
    TupleType,
    Type,
)

Dims = tuple[PrimExpr, ...]


class Check(IntEnum):
    """The outcome of a subtype check, worst first; two outcomes combine to the smaller."""

    L0 = 0
    L1 = 1
    L2 = 2
    PASS = 3


UNBOUND_CONSTANT = TensorType()
"""The type of a constant whose array was not supplied: a tensor of which nothing is known. Compared by identity:
such a tensor is held against nothing (``ty/unbound-constant``)."""


def depends_on_unbound(ty: Type) -> bool:
    """Whether ``ty`` is, or holds, the type of an unbound constant."""
    return ty is UNBOUND_CONSTANT or (isinstance(ty, TupleType) and any(map(depends_on_unbound, ty.fields)))


@rule("ty/subtype")
def check(base: Type, derived: Type, facts: Facts) -> Check:
    """How surely ``derived`` is a subtype of ``base``."""
    return _Subtype(facts).visit(base, derived)


def is_base_of(base: Type, derived: Type, facts: Facts) -> bool:
    """Whether ``derived`` is provably a subtype of ``base``."""
    return check(base, derived, facts) is Check.PASS


def dim_check(base: PrimExpr, derived: PrimExpr, facts: Facts) -> Check:
    """Equality of two dims, graded: literals decide, ``sh/equal`` proves, the rest is open."""
    a, b = as_int(base), as_int(derived)
    if a is not None and b is not None:
        return Check.PASS if a == b else Check.L0
    return Check.PASS if equal(base, derived, facts) is True else Check.L2


def dims_equal(a: Dims | str | None, b: Dims | str | None, facts: Facts) -> bool:
    """Whether two shapes are provably the same: dims by ``sh/equal``, a shape variable only by its name."""
    if isinstance(a, str) or isinstance(b, str) or a is None or b is None:
        return a == b and a is not None
    return len(a) == len(b) and all(p == q or dim_check(p, q, facts) is Check.PASS for p, q in zip(a, b, strict=True))


class _Subtype:
    """One subtype check under ``facts``. ``unify`` overrides the comparison of dims and shapes."""

    def __init__(self, facts: Facts) -> None:
        self.facts = facts

    def visit(self, base: Type, derived: Type) -> Check:
        if base is derived or (derived is UNBOUND_CONSTANT and isinstance(base, TensorType)):
            return Check.PASS
        return self.compare(base, derived)

    def compare(self, base: Type, derived: Type) -> Check:
        if isinstance(base, AnyType):
            return Check.PASS
        if isinstance(derived, AnyType):
            return Check.L1
        if type(base) is not type(derived):
            return Check.L0
        match base, derived:
            case PrimType(), PrimType():
                return Check.PASS if base.dtype == derived.dtype else Check.L0
            case ShapeType(), ShapeType():
                return self.shape_types(base, derived)
            case TensorType(), TensorType():
                return self.tensors(base, derived)
            case DTensorType(), DTensorType():
                return self.distributed(base, derived)
            case TupleType(), TupleType():
                return self.sequences(base.fields, derived.fields)
            case FuncType(), FuncType():
                return self.functions(base, derived)
            case _:
                return Check.PASS

    def shape_types(self, base: ShapeType, derived: ShapeType) -> Check:
        if base.ndim == -1:
            return Check.PASS
        if base.ndim != derived.ndim:
            return Check.L1 if derived.ndim == -1 else Check.L0
        return self.shapes(base.values, derived.values)

    def tensors(self, base: TensorType, derived: TensorType) -> Check:
        """The first condition that fails decides, in this order: dtype, rank, device, shape."""
        if base.dtype is not None and base.dtype != derived.dtype:
            return Check.L1 if derived.dtype is None else Check.L0
        if base.ndim != -1 and base.ndim != derived.ndim:
            return Check.L1 if derived.ndim == -1 else Check.L0
        if base.vdevice is not None and base.vdevice != derived.vdevice:
            return Check.L1 if derived.vdevice is None else Check.L0
        return self.shapes(base.shape, derived.shape)

    def shapes(self, base: Dims | str | None, derived: Dims | str | None) -> Check:
        if base is None or base == derived:
            return Check.PASS
        if derived is None or isinstance(base, str) or isinstance(derived, str):
            return Check.L2
        return self.all_dims(base, derived)

    def all_dims(self, base: Dims, derived: Dims) -> Check:
        if len(base) != len(derived):
            return Check.L0
        return min((self.dim(a, b) for a, b in zip(base, derived, strict=True)), default=Check.PASS)

    def dim(self, base: PrimExpr, derived: PrimExpr) -> Check:
        return dim_check(base, derived, self.facts)

    def distributed(self, base: DTensorType, derived: DTensorType) -> Check:
        same = (base.device_mesh, base.placement) == (derived.device_mesh, derived.placement)
        return min(self.visit(base.tensor, derived.tensor), Check.PASS if same else Check.L1)

    def sequences(self, base: tuple[Type, ...], derived: tuple[Type, ...]) -> Check:
        if len(base) != len(derived):
            return Check.L0
        return min((self.visit(a, b) for a, b in zip(base, derived, strict=True)), default=Check.PASS)

    def functions(self, base: FuncType, derived: FuncType) -> Check:
        """Purity first; an opaque base looks at the result only; parameters are compared covariantly, best effort."""
        if base.purity and not derived.purity:
            return Check.L0
        if base.params is None:
            if base.derive_func is not None:
                return Check.PASS if base.derive_func == derived.derive_func else Check.L2
            return self.visit(base.ret, derived.ret)
        if derived.params is None:
            return Check.L2
        if alpha_equal(FuncType(base.params, base.ret), FuncType(derived.params, derived.ret)):
            return Check.PASS
        return min(self.parameters(base.params, derived.params), self.visit(base.ret, derived.ret))

    def parameters(self, base: tuple[Type, ...], derived: tuple[Type, ...]) -> Check:
        found = self.sequences(base, derived)
        return Check.L2 if found is Check.L1 else found


# --- the least common ancestor ---------------------------------------------------------------------------------------


@rule("ty/join")
def join(a: Type, b: Type, facts: Facts) -> Type:
    """The least common ancestor of two types, as precise as the lattice and ``sh/equal`` allow; ``R.Any`` at
    worst."""
    if a is b or a == b:
        return a
    match a, b:
        case ShapeType(), ShapeType():
            return _join_shapes(a, b, facts)
        case TensorType(), TensorType():
            return _join_tensors(a, b, facts)
        case TupleType(), TupleType() if len(a.fields) == len(b.fields):
            return TupleType(tuple(join(p, q, facts) for p, q in zip(a.fields, b.fields, strict=True)))
        case FuncType(), FuncType():
            return _join_functions(a, b, facts)
        case _:
            return AnyType()


def _join_shapes(a: ShapeType, b: ShapeType, facts: Facts) -> ShapeType:
    if dims_equal(a.values, b.values, facts):
        return a
    return ShapeType(None, a.ndim if a.ndim == b.ndim else -1)


def _join_tensors(a: TensorType, b: TensorType, facts: Facts) -> TensorType:
    dtype = a.dtype if a.dtype == b.dtype else None
    vdevice = a.vdevice if a.vdevice == b.vdevice else None
    if a.ndim == b.ndim and dims_equal(a.shape, b.shape, facts):
        return TensorType(a.shape, dtype, a.ndim, vdevice)
    return TensorType(None, dtype, a.ndim if a.ndim == b.ndim else -1, vdevice)


def _join_functions(a: FuncType, b: FuncType, facts: Facts) -> FuncType:
    """Pure only if both are; opaque as soon as one is opaque or the arities differ."""
    purity = a.purity and b.purity
    if a.derive_func is not None or b.derive_func is not None:
        same = a.derive_func == b.derive_func
        return FuncType(None, a.ret if same else AnyType(), purity, a.derive_func if same else None)
    ret = join(a.ret, b.ret, facts)
    if a.params is None or b.params is None or len(a.params) != len(b.params):
        return FuncType(None, ret, purity)
    if alpha_equal(FuncType(a.params, a.ret), FuncType(b.params, b.ret)):
        return FuncType(a.params, a.ret, purity)
    params = tuple(join(p, q, facts) for p, q in zip(a.params, b.params, strict=True))
    return FuncType(params, ret, purity)


def describe(ty: Type) -> str:
    """A type for a message: what the printer prints."""
    match ty:
        case (
            AnyType()
            | PrimType()
            | ShapeType()
            | TensorType()
            | DTensorType()
            | TupleType()
            | FuncType()
            | PackedFuncType()
        ):
            return str(ty)
        case _:
            assert_never(ty)
