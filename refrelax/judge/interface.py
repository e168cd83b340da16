"""Whether two entries can be compared: the same parameters, in number, kind, type and packing, up to names of symbols.

Spec: ``spec/06c-pointwise.md``, ``va/interface``.
"""

from __future__ import annotations

from refrelax.errors import UsageError
from refrelax.rules import rule
from refrelax.semantics.dims import NO_FACTS, equal, substitute
from refrelax.syntax.module import Module
from refrelax.syntax.scalars import PrimExpr, SymVar
from refrelax.syntax.types import AnyType, DTensorType, FuncType, PrimType, ShapeType, TensorType, TupleType, Type
from refrelax.syntax.write.types import type_text
from refrelax.testing.arguments import parameters


@rule("va/interface")
def mismatch(first: Module, second: Module, entry: str) -> str | None:
    """Why the entries cannot be compared, or ``None``. A parameter of the second program that takes anything takes what
    the first one does.

    Raises:
        UsageError: the first program has no such function.
    """
    if entry not in first.functions:
        raise UsageError(f"the first program has no function {entry!r}")
    if entry not in second.functions:
        return f"the second program has no function {entry!r}"
    kinds = [type(each.functions[entry]).__name__ for each in (first, second)]
    if kinds[0] != kinds[1]:
        return f"{entry} is a {kinds[0]} in the first program and a {kinds[1]} in the second"
    ours, theirs = parameters(first, entry), parameters(second, entry)
    if len(ours) != len(theirs):
        return f"{entry} takes {len(ours)} arguments in the first program and {len(theirs)} in the second"
    names: dict[str, PrimExpr] = {}
    for (x, a), (y, b) in zip(ours, theirs, strict=True):
        if isinstance(a, PrimType) and isinstance(b, PrimType):
            names.setdefault(y, SymVar(x, a.dtype))
        _pair(a, b, names)
    if len(set(names.values())) != len(names):
        return f"{entry} has two symbols in the second program where the first has one"
    for k, ((name, a), (_, b)) in enumerate(zip(ours, theirs, strict=True)):
        if not _corresponds(a, b, names):
            said = f"{type_text(a)} in the first program and {type_text(b)} in the second"
            return f"parameter {k} of {entry} ({name}) is {said}"
    return None


@rule("va/interface")
def other_scalars(a: Type, b: Type) -> str | None:
    """Why results of these types cannot be compared, or ``None``: a scalar is of another dtype. (Tensors carry theirs,
    and are compared by it; exact numbers and truths do not.)"""
    match a, b:
        case PrimType(), PrimType() if a.dtype != b.dtype:
            return f"a scalar of the result is {a.dtype} in the first program and {b.dtype} in the second"
        case TupleType(ours), TupleType(theirs) if len(ours) == len(theirs):
            return next(filter(None, map(other_scalars, ours, theirs)), None)
        case _:
            return None


def _pair(a: Type, b: Type, names: dict[str, PrimExpr]) -> None:
    """Symbols of the second signature that stand where a symbol of the first one does, at its first occurrence."""
    for x, y in zip(_dims(a), _dims(b), strict=False):
        if isinstance(x, SymVar) and isinstance(y, SymVar):
            names.setdefault(y.name, x)
    if isinstance(a, TupleType) and isinstance(b, TupleType):
        for p, q in zip(a.fields, b.fields, strict=False):
            _pair(p, q, names)


def _dims(type_: Type) -> tuple[PrimExpr, ...]:
    match type_:
        case TensorType(shape=tuple() as dims) | ShapeType(values=tuple() as dims):
            return dims
        case _:
            return ()


def _corresponds(a: Type, b: Type, names: dict[str, PrimExpr]) -> bool:
    match a, b:
        case _, AnyType():
            return True
        case TupleType(ours), TupleType(theirs):
            pairs = zip(ours, theirs, strict=False)
            return len(ours) == len(theirs) and all(_corresponds(x, y, names) for x, y in pairs)
        case TensorType(), TensorType():
            known = isinstance(a.shape, tuple), isinstance(b.shape, tuple)
            return (a.dtype, a.ndim) == (b.dtype, b.ndim) and known[0] == known[1] and _same_dims(a, b, names)
        case ShapeType(), ShapeType():
            return a.ndim == b.ndim and (a.values is None) == (b.values is None) and _same_dims(a, b, names)
        case DTensorType(), DTensorType():
            spread = (a.device_mesh, a.placement) == (b.device_mesh, b.placement)
            return spread and _corresponds(a.tensor, b.tensor, names)
        case _:
            return type(a) is type(b) and (isinstance(a, FuncType) or a == b)


def _same_dims(a: Type, b: Type, names: dict[str, PrimExpr]) -> bool:
    ours, theirs = _dims(a), _dims(b)
    return len(ours) == len(theirs) and all(
        equal(x, substitute(y, names), NO_FACTS) is True for x, y in zip(ours, theirs, strict=True)
    )
