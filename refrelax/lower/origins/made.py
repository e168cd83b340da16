"""Origins from parts: of one output of several, of calls in a row."""

from __future__ import annotations

from collections.abc import Mapping

from refrelax.lower.origins.text import Origin
from refrelax.syntax.graph import DataflowBlock, Function, Param, SeqExpr, TupleGetItem, Var, VarBinding
from refrelax.syntax.scalars import PrimExpr, SymVar
from refrelax.syntax.types import ShapeType, TensorType, TupleType, Type


def over(
    inputs: Mapping[str, Type],
    scalars: list[SymVar],
    bindings: tuple[VarBinding, ...],
    known: Mapping[str, Type],
    result: Type,
) -> Origin:
    """An origin from its parts; ``known``: the types of the bindings before the last one."""
    defined = {d.name for t in inputs.values() for d in _dims(t) if isinstance(d, SymVar)}
    own = {v.name for v in scalars}
    extra = {d.name: d for d in _dims(result) if isinstance(d, SymVar) and d.name not in defined | own}
    symbols = (*scalars, *extra.values())
    params = [Param(name, t) for name, t in inputs.items()]
    if symbols:
        taken = {*inputs, *defined, *(v.name for v in symbols), *(b.name for b in bindings)}
        name = next(n for k in range(len(taken) + 1) if (n := f"symbols{k or ''}") not in taken)
        params.append(Param(name, ShapeType(symbols, len(symbols))))
    last = bindings[-1].name
    body = SeqExpr((DataflowBlock(bindings, (last,)),), Var(last))
    names = (*sorted(defined), *(v.name for v in symbols if v.name not in defined))
    func = Function(tuple(params), result, body, private=True, symbols=names)
    types = {**{p.name: p.type for p in params if p.type is not None}, **known, last: result}
    return Origin(func, tuple(types.items()))


def field_of(origin: Origin, k: int) -> Origin | None:
    """The origin of a loop program that computes only output ``k``."""
    last = origin.bindings[-1]
    whole = dict(origin.types).get(last.name)
    if not isinstance(whole, TupleType):
        return None
    scalars = list(_values(origin.function.params[-1].type)) if origin.symbols else []
    name = last.name + "_field"
    while name in dict(origin.types):
        name += "_"
    bindings = (*origin.bindings, VarBinding(name, TupleGetItem(Var(last.name), k)))
    known = {b.name: t for b in origin.bindings if (t := dict(origin.types).get(b.name)) is not None}
    return over(dict(origin.tensors), scalars, bindings, known, whole.fields[k])


def _values(type_: Type | None) -> tuple[SymVar, ...]:
    values = type_.values or () if isinstance(type_, ShapeType) else ()
    return tuple(v for v in values if isinstance(v, SymVar))


def _dims(type_: Type) -> tuple[PrimExpr, ...]:
    match type_:
        case TensorType(shape=tuple() as dims) | ShapeType(values=tuple() as dims):
            return dims
        case TupleType(fields=fields):
            return tuple(d for each in fields for d in _dims(each))
        case _:
            return ()
