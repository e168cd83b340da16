"""Calls of loop programs, written as the calls of operators that they come from.

A call is written so where its arguments have the types that the origin names: then the loop program's own checks of
extents are known to succeed.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace

from refrelax.lower.legalize.site import Typing
from refrelax.lower.names import Taken
from refrelax.lower.origins.made import over
from refrelax.lower.origins.text import Origin
from refrelax.lower.origins.vouched import Claimed, claimed
from refrelax.semantics.dims import NO_FACTS, equal, substitute
from refrelax.semantics.types.checked import CheckedModule
from refrelax.semantics.types.renaming import map_dims
from refrelax.syntax.graph import (
    Call,
    Constant,
    ConstantRef,
    Expr,
    Function,
    GlobalVar,
    MatchCast,
    Op,
    PrimValue,
    ShapeExpr,
    Tuple,
    TupleGetItem,
    Var,
    VarBinding,
)
from refrelax.syntax.loops import PrimFunc, ScalarParam
from refrelax.syntax.module import Module
from refrelax.syntax.scalars import Binary, PrimExpr, SymVar, as_int, free_symbols
from refrelax.syntax.types import ShapeType, TensorType, TupleType, Type


@dataclass(slots=True)
class Expansion:
    """The bindings that a call becomes, and the types of those that are new."""

    bindings: list[VarBinding] = field(default_factory=list)
    types: dict[str, Type] = field(default_factory=dict)


def expansion(
    binding: VarBinding, callee: PrimFunc, origin: Origin, typing: Typing, fresh: Callable[[str], str],
    counts: frozenset[str],
) -> Expansion | None:  # fmt: skip
    """``binding``, a ``call_tir`` of ``callee``, as calls of the origin's operators; ``None`` where the types do not
    tell that it is one. ``counts``: symbols that are known not to be negative."""
    match binding.value:
        case Call(op=Op(name="relax.call_tir"), args=(GlobalVar(), Tuple(fields=args)), ty_args=(out,)):
            pass
        case _:
            return None
    count, scalars = len(origin.tensors), [p for p in callee.params if isinstance(p, ScalarParam)]
    if len(args) != count + len(scalars) or not all(isinstance(a, Var | Constant | ConstantRef) for a in args[:count]):
        return None
    given = args[count:]
    if not all(isinstance(a, PrimValue) and _count(a.value, counts) for a in given):
        return None
    symbols: dict[str, PrimExpr] = {
        name: a.value for name, a in zip(origin.symbols, given, strict=False) if isinstance(a, PrimValue)
    }
    result = origin.function.ret
    pairs = [(t, typing.of(a)) for (_, t), a in zip(origin.tensors, args, strict=False)]
    if result is None or not _unified([*pairs, (result, out)], symbols):
        return None
    if not set(origin.symbols) <= set(symbols):
        return None
    return _renamed(binding, origin, dict(zip((n for n, _ in origin.tensors), args, strict=False)), symbols, fresh)


def _count(e: PrimExpr, counts: frozenset[str]) -> bool:
    """Whether an integer is known not to be negative."""
    match e:
        case SymVar(name=name):
            return name in counts
        case Binary(op="Add" | "Mul", a=a, b=b):
            return _count(a, counts) and _count(b, counts)
        case _:
            return (as_int(e) or 0) >= 0 and as_int(e) is not None


def _unified(pairs: list[tuple[Type, Type | None]], symbols: dict[str, PrimExpr]) -> bool:
    """Whether types are those that are wanted, for some values of the symbols, which are put down."""
    dims: list[tuple[PrimExpr, PrimExpr]] = []
    while pairs:
        match pairs.pop(0):
            case TensorType(shape=tuple() as wanted) as a, TensorType(shape=tuple() as found) as b:
                if a.dtype != b.dtype or len(wanted) != len(found):
                    return False
                dims += zip(wanted, found, strict=True)
            case TupleType(fields=wanted_), TupleType(fields=found_) if len(wanted_) == len(found_):
                pairs = [*zip(wanted_, found_, strict=True), *pairs]
            case _:
                return False
    for dim, actual in dims:
        if isinstance(dim, SymVar):
            symbols.setdefault(dim.name, actual)
    return all(
        free_symbols(dim) <= set(symbols) and equal(substitute(dim, symbols), actual, NO_FACTS) is True
        for dim, actual in dims
    )


def _renamed(
    binding: VarBinding,
    origin: Origin,
    names: dict[str, Expr],
    symbols: dict[str, PrimExpr],
    fresh: Callable[[str], str],
) -> Expansion:
    """The origin's bindings under names of the caller."""
    types, made = dict(origin.types), Expansion()
    *before, last = origin.bindings

    def dim(e: PrimExpr) -> PrimExpr:
        return substitute(e, symbols)

    for each in before:
        new = fresh(each.name)
        made.bindings.append(VarBinding(new, _expr(each.value, names, dim)))
        names[each.name] = Var(new)
        if (type_ := types.get(each.name)) is not None:
            made.types[new] = map_dims(type_, dim)
    made.bindings.append(replace(binding, value=_expr(last.value, names, dim)))
    return made


def _expr(e: Expr, names: Mapping[str, Expr], dim: Callable[[PrimExpr], PrimExpr]) -> Expr:
    """An argument or a call of the origin in the caller's terms."""
    match e:
        case Var():
            return names[e.name]
        case PrimValue():
            return PrimValue(dim(e.value))
        case ShapeExpr():
            return ShapeExpr(tuple(map(dim, e.values)))
        case Tuple():
            return Tuple(tuple(_expr(each, names, dim) for each in e.fields))
        case TupleGetItem():
            return replace(e, tuple=_expr(e.tuple, names, dim))
        case Call():
            return replace(e, args=tuple(_expr(each, names, dim) for each in e.args))
        case _:
            return e


def composed(checked: CheckedModule, name: str, promised: bool) -> Claimed | None:
    """The origin of a fused group: of a ``Primitive`` function whose calls all say where they come from. ``promised``:
    a function of the module promises bounds of its symbols."""
    module, function = checked.module, checked.module.functions[name]
    assert isinstance(function, Function)
    types = checked.types[name]
    typing, taken = Typing(module, types.get), Taken(types)
    counts = frozenset(counted(p.type for p in function.params))
    sure, bindings, known = not promised, list[VarBinding](), dict[str, Type]()
    for each in (b for block in function.body.blocks for b in block.bindings):
        if isinstance(each, MatchCast) or (callee := _callee(module, each)) is None:
            return None
        claim = claimed(callee)
        if claim is None:
            return None
        found = expansion(each, callee, claim.origin, typing, taken.fresh, counts)
        if found is None:
            return None
        bindings += found.bindings
        known |= {**found.types, each.name: types[each.name]}
        sure = sure and claim.sure
    if not bindings or function.ret is None or function.body.body != Var(bindings[-1].name):
        return None
    inputs = {p.name: p.type for p in function.params if isinstance(p.type, TensorType)}
    scalars = [v for p in function.params if isinstance(p.type, ShapeType) for v in p.type.values or ()]
    if len(inputs) + (len(scalars) > 0) != len(function.params) or not all(isinstance(v, SymVar) for v in scalars):
        return None
    symbols = [v for v in scalars if isinstance(v, SymVar)]
    return Claimed(over(inputs, symbols, tuple(bindings), known, function.ret), sure)


def _callee(module: Module, binding: VarBinding) -> PrimFunc | None:
    match binding.value:
        case Call(op=Op(name="relax.call_tir"), args=(GlobalVar(name=name), *_)):
            found = module.functions.get(name)
            return found if isinstance(found, PrimFunc) else None
        case _:
            return None


def counted(types: object) -> set[str]:
    """The symbols that are extents in types: they are not negative."""
    found: set[str] = set()
    pending = list(types)  # type: ignore[call-overload]
    while pending:
        match pending.pop():
            case TensorType(shape=tuple() as dims) | ShapeType(values=tuple() as dims):
                found |= {d.name for d in dims if isinstance(d, SymVar)}
            case TupleType(fields=fields):
                pending += fields
            case _:
                pass
    return found
