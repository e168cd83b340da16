"""Sizes of tensors and plans, in bytes, as formulas in the symbols.

Spec: ``spec/12-memory.md``.
"""

from __future__ import annotations

from collections.abc import Iterable

from refrelax.errors import Ended, UsageError
from refrelax.semantics.dims import NO_FACTS, Facts, shape_facts, simplify, value
from refrelax.syntax import dtypes
from refrelax.syntax.graph import (
    Call,
    DataTypeValue,
    Expr,
    Function,
    If,
    Op,
    PrimValue,
    SeqExpr,
    ShapeExpr,
    StringValue,
    VarBinding,
)
from refrelax.syntax.module import Module
from refrelax.syntax.scalars import Binary, PrimExpr, SymVar, as_int, free_symbols, int_imm
from refrelax.syntax.types import ShapeType, TensorType

Dims = tuple[PrimExpr, ...]

USUAL = 1 << 10
"""An extent at which plans are compared. It decides which of two right plans is taken, and nothing else."""


def extents_of(func: Function) -> Facts:
    """What is known of a function's symbols: those that stand alone in a parameter's shape are extents. A scalar in
    the size of a tensor may be negative."""
    found: set[str] = set()
    for param in func.params:
        if isinstance(param.type, TensorType | ShapeType):
            dims = param.type.shape if isinstance(param.type, TensorType) else param.type.values
            found |= {dim.name for dim in (dims if isinstance(dims, tuple) else ()) if isinstance(dim, SymVar)}
    return shape_facts(found)


def nbytes(dims: Iterable[PrimExpr], dtype: str) -> PrimExpr:
    """The bytes of a tensor: the item size and the constant extents first, then the others."""
    dims = tuple(dims)
    constant = dtypes.itemsize(dtype)
    rest: list[PrimExpr] = []
    for dim in dims:
        value = as_int(dim)
        if value is None:
            rest.append(dim)
        else:
            constant *= value
    result: PrimExpr | None = None
    for dim in rest:
        result = dim if result is None else Binary("Mul", result, dim)
    if result is None or constant == 0:
        return int_imm(constant)
    return simplify(Binary("Mul", result, int_imm(constant)), NO_FACTS)  # (a scalar in it may be negative)


def allocated(value: Expr) -> tuple[Dims, str] | None:
    """Dims and dtype of an ``R.builtin.alloc_tensor``."""
    match value:
        case Call(
            op=Op(name="relax.builtin.alloc_tensor"), args=(ShapeExpr(values=dims), DataTypeValue(dtype=dtype), *_)
        ):
            return dims, dtype
        case _:
            return None


def plannable(value: Expr) -> tuple[Dims, str] | None:
    """Those of one in global memory of the first device, which is where all storages of a plan are."""
    match value:
        case Call(args=(_, _, PrimValue(value=device), *_)) if as_int(device) != 0:
            return None
        case Call(args=(_, _, _, scope, *_)) if not (isinstance(scope, StringValue) and scope.value == "global"):
            return None
        case _:
            return allocated(value)


def planned_bytes(module: Module, name: str = "main") -> tuple[PrimExpr, PrimExpr]:
    """The bytes of all tensors that a function allocates, and the bytes that it takes for them under its plan.

    Of the two branches of an ``if`` the larger one counts. A function without a plan gives the same formula twice.

    Raises:
        UsageError: there is no graph-level function of that name.
    """
    func = module.functions.get(name)
    if not isinstance(func, Function):
        raise UsageError(f"the module has no graph-level function {name!r}")
    facts = extents_of(func)
    before, after = _sequence(func.body, facts)
    return simplify(before, facts), simplify(after, facts)


def usual_bytes(func: Function) -> int:
    """The bytes that a function takes under its plan where every symbol is ``USUAL``."""
    size = _sequence(func.body, extents_of(func))[1]
    try:
        return value(size, dict.fromkeys(free_symbols(size), USUAL))
    except Ended:  # (no memory is so large)
        return 1 << 63


def _sequence(seq: SeqExpr, facts: Facts) -> tuple[PrimExpr, PrimExpr]:
    before: PrimExpr = int_imm(0)
    after: PrimExpr = int_imm(0)
    for block in seq.blocks:
        for binding in block.bindings:
            if isinstance(binding, VarBinding):
                b, a = _value(binding.value, facts)
                before, after = _plus(before, b), _plus(after, a)
    return before, after


def _plus(a: PrimExpr, b: PrimExpr) -> PrimExpr:
    return b if as_int(a) == 0 else a if as_int(b) == 0 else Binary("Add", a, b)


def _value(value: Expr, facts: Facts) -> tuple[PrimExpr, PrimExpr]:
    nothing = int_imm(0)
    match value:
        case If(then_branch=then, else_branch=other):
            (b1, a1), (b2, a2) = _sequence(then, facts), _sequence(other, facts)
            return _larger(b1, b2, facts), _larger(a1, a2, facts)
        case Call(op=Op(name="relax.builtin.alloc_tensor")):
            found = allocated(value)
            size = nothing if found is None else nbytes(*found)
            return size, size
        case Call(op=Op(name="relax.memory.alloc_storage"), args=(ShapeExpr(values=(size,)), *_)):
            return nothing, size
        case Call(
            op=Op(name="relax.memory.alloc_tensor"),
            args=(_, _, ShapeExpr(values=dims), DataTypeValue(dtype=dtype), *_),
        ):
            return nbytes(dims, dtype), nothing
        case _:
            return nothing, nothing


def _larger(a: PrimExpr, b: PrimExpr, facts: Facts) -> PrimExpr:
    a, b = simplify(a, facts), simplify(b, facts)
    return a if a == b else Binary("Max", a, b)
