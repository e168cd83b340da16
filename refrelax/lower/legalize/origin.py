"""The origin of a kernel: the call that it is made from, over the kernel's own parameters."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from refrelax.lower.legalize.kernel import Array
from refrelax.lower.legalize.site import Argument, Site, with_relations
from refrelax.lower.origins.made import over
from refrelax.lower.origins.text import Origin
from refrelax.rules import rule
from refrelax.syntax.graph import Call, Constant, Expr, Op, PrimValue, ShapeExpr, StringValue, Tuple, Var, VarBinding
from refrelax.syntax.loops import Buffer
from refrelax.syntax.scalars import PrimExpr, SymVar, free_symbols
from refrelax.syntax.types import TensorType, TupleType, Type

Rename = Callable[[PrimExpr], PrimExpr]

RESULT = "result"


@rule("lo/origin")
def of_site(site: Site) -> Origin | None:
    """The call under legalization, over the kernel's own parameters; ``None`` where they do not tell all of it, or the
    call gives a tuple of one result, which the kernel gives itself.

    Extents are named as the kernel names them. Where what a name stands for can be seen from the other extents, it is
    written out instead: the call may need to know.
    """
    inputs, outputs = [p.buffer for p in site.k.inputs], [p.buffer for p in site.k.outputs]
    if site.tupled and len(outputs) == 1:
        return None
    scalars = [v for v in site.scalars.values() if v.name not in site.relations]
    bare = {d.name for b in (*inputs, *outputs) for d in b.shape if isinstance(d, SymVar)} - set(site.relations)
    known = bare | {v.name for v in scalars}
    spelled = all(free_symbols(e) <= known for e in site.relations.values())

    def dim(e: PrimExpr) -> PrimExpr:
        return with_relations(site, e) if spelled else _named(site, e)

    args = [_argument(site, arg, each, dim) for arg, each in zip(site.call.args, site.a, strict=True)]
    found = [each for each in args if each is not None]
    if len(found) != len(args):
        return None
    call = replace(site.call, args=tuple(found), span=None)
    types: dict[str, Type] = {b.name: _type(b, dim) for b in inputs}
    outs = tuple(_type(b, dim) for b in outputs)
    several = len(outs) > 1 or isinstance(site.call.ty_args, TupleType)
    result: Type = TupleType(outs) if several else outs[0]
    return over(types, scalars, (VarBinding(site.k.fresh(RESULT), call),), {}, result)


def _type(buffer: Buffer, dim: Rename) -> TensorType:
    return TensorType(tuple(map(dim, buffer.shape)), buffer.dtype, len(buffer.shape))


def _named(site: Site, e: PrimExpr) -> PrimExpr:
    return site.named.get(e, e)


def _argument(site: Site, arg: Expr, given: Argument, dim: Rename) -> Expr | None:
    """An argument of the call in the kernel's terms."""
    match given, arg:
        case Array(number=None) as x, _:
            return Var(x.name)
        case list() as xs, Tuple(fields=fields):
            return Tuple(tuple(Var(x.name) if x.number is None else e for x, e in zip(xs, fields, strict=True)))
        case list() as xs, _:
            return Tuple(tuple(Var(x.name) for x in xs)) if all(x.number is None for x in xs) else None
        case _, PrimValue(value=value):
            return PrimValue(dim(value))
        case _, ShapeExpr(values=values):
            return ShapeExpr(tuple(map(dim, values)))
        case _, Tuple(fields=fields) if all(isinstance(each, PrimValue) for each in fields):
            return Tuple(tuple(PrimValue(dim(each.value)) for each in fields if isinstance(each, PrimValue)))
        case Array(), Constant():
            return replace(arg, span=None)
        case _, StringValue() | Call(op=Op(name="relax.null_value")):
            return arg
        case _:
            return None
