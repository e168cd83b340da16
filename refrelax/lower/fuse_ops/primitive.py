"""A group of calls as a function of its own, and the call that takes their place.

The function is private, has the attribute ``Primitive``, and takes what the group reads; symbols travel with the types
of its parameters. Where no parameter defines a symbol, one more parameter of shape type does.

Spec: ``spec/11-fusion.md``, ``lo/fuse-primitive``, ``lo/fuse-symbol-parameter``.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace

from refrelax.lower.fuse_ops.graph import Member
from refrelax.lower.names import Taken
from refrelax.rules import rule
from refrelax.semantics.types.renaming import definable, dims_of
from refrelax.syntax.graph import (
    Call,
    Constant,
    ConstantRef,
    DataflowBlock,
    Expr,
    Function,
    GlobalVar,
    Param,
    PrimValue,
    SeqExpr,
    ShapeExpr,
    Tuple,
    Var,
    VarBinding,
)
from refrelax.syntax.scalars import PrimExpr, SymVar, free_variables
from refrelax.syntax.types import ShapeType, TensorType, Type, defined_by

PRIMITIVE = "Primitive"


@dataclass(frozen=True, slots=True)
class Primitive:
    """The function of a group, and the binding that calls it."""

    name: str
    function: Function
    binding: VarBinding


def is_primitive(f: object) -> bool:
    """Whether ``f`` is the function of a group."""
    return isinstance(f, Function) and dict(f.attrs).get(PRIMITIVE) is True


@rule("lo/fuse-primitive")
def make_primitive(members: list[Member], names: Taken) -> Primitive | None:
    """``members`` as a function and a call of it at the place of the last one; ``None`` if a symbol has a dtype other
    than ``int64``."""
    inside = {m.name for m in members}
    external = _external(members, inside)
    own = Taken(inside)
    params = {arg: own.fresh(arg.name if isinstance(arg, Var) else "param_0") for arg in external}
    types: list[Type] = list(external.values())
    extra = undefined_symbols(members, types)
    if any(symbol.dtype != "int64" for symbol in extra):
        return None
    heads = [Param(params[arg], type_) for arg, type_ in external.items()]
    given: list[Expr] = list(external)
    if extra:
        own.add(*(symbol.name for symbol in extra))
        heads.append(Param(own.fresh("symbols"), ShapeType(tuple(extra), len(extra))))
        given.append(ShapeExpr(tuple(extra)))
    name = names.fresh(title(members))
    function = _function(members, heads, params)
    return Primitive(name, function, VarBinding(members[-1].name, Call(GlobalVar(name), tuple(given))))


def _external(members: list[Member], inside: set[str]) -> dict[Expr, TensorType]:
    """The tensors that the group reads and does not make, in order, with their types."""
    found: dict[Expr, TensorType] = {}
    for member in members:
        for arg, operand in zip(member.args, member.operands, strict=True):
            if isinstance(arg, Var) and arg.name in inside:
                continue
            if isinstance(operand, TensorType):
                found.setdefault(_unplaced(arg), operand)
    return found


def _unplaced(arg: Expr) -> Expr:
    return replace(arg, span=None) if isinstance(arg, Var | Constant | ConstantRef) else arg


@rule("lo/fuse-symbol-parameter")
def undefined_symbols(members: list[Member], types: list[Type]) -> list[SymVar]:
    """The symbols that the group's types and scalars use and that no parameter type defines, in order."""
    defined = {symbol.name for each in types for symbol in definable(each)}
    found: dict[str, SymVar] = {}
    exprs: list[PrimExpr] = [dim for each in types for dim in dims_of(each)]
    for member in members:
        exprs += dims_of(member.out)
        exprs += [operand for operand in member.operands if not isinstance(operand, TensorType)]
    for e in exprs:
        for symbol in free_variables(e):
            if symbol.name not in defined:
                found.setdefault(symbol.name, symbol)
    return list(found.values())


def _function(members: list[Member], heads: list[Param], params: Mapping[Expr, str]) -> Function:
    bindings = tuple(VarBinding(m.name, _call(m, params)) for m in members)
    last = members[-1]
    body = SeqExpr((DataflowBlock(bindings, (last.name,)),), Var(last.name))
    symbols = defined_by(head.type for head in heads)
    return Function(tuple(heads), last.out, body, private=True, attrs=((PRIMITIVE, True),), symbols=symbols)


def _call(member: Member, params: Mapping[Expr, str]) -> Call:
    from refrelax.syntax.graph import Op

    fields = tuple(
        arg if isinstance(arg, PrimValue) or (new := params.get(_unplaced(arg))) is None else Var(new)
        for arg in member.args
    )
    return Call(Op("relax.call_tir"), (GlobalVar(member.callee), Tuple(fields)), ty_args=(member.out,))


def title(members: list[Member]) -> str:
    """``fused_matmul_add_relu``; of what is too long, the beginning and how many more there are."""
    names = [m.callee.removeprefix("fused_") for m in members]
    shown = names
    while len("_".join(shown)) > 80 and len(shown) > 1:
        shown = shown[:-1]
    more = f"_and_{len(names) - len(shown)}_more" if len(shown) < len(names) else ""
    return "fused_" + "_".join(shown) + more
