"""What a variable that a type or a scalar expression names may be: in a scalar expression a symbol, or a variable that
holds a prim value of that dtype; as the shape of a tensor a variable of shape type.

Spec: ``spec/05-types.md``, Symbols.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from refrelax.errors import Diagnostic, Span
from refrelax.rules import rule
from refrelax.semantics.types.lattice import describe
from refrelax.semantics.types.renaming import dims_of, shape_variables
from refrelax.semantics.types.wellformed.forms import children_of
from refrelax.semantics.types.wellformed.graph import function_types
from refrelax.syntax.graph import Call, Expr, Function, If, MatchCast, PrimValue, SeqExpr, ShapeExpr
from refrelax.syntax.scalars import PrimExpr, SymVar, free_symbols, walk
from refrelax.syntax.types import PrimType, ShapeType, Type

Written = Iterator[tuple[PrimExpr | Type, Span | None]]
Types = Mapping[str, Type]
Found = Iterator[tuple[str, str, str, Span | None]]
"""Rule, name, message, place."""


@rule("ty/scalar-variable", "ty/shape-variable")
def diagnose_named(f: Function, types: Types, spans: Mapping[str, Span | None]) -> list[Diagnostic]:
    """``types`` holds every variable of ``f``, nested functions included; a name that it lacks is a symbol's."""
    return [
        Diagnostic(rule_id, message, span, ((f"definition of {name}", spans.get(name)),))
        for written, near in _of_function(f)
        for rule_id, name, message, span in _wrong(written, near, types)
    ]


def _wrong(written: PrimExpr | Type, near: Span | None, types: Types) -> Found:
    if not isinstance(written, Type):
        yield from _in_scalar(written, near, types)
        return
    for dim in dims_of(written):
        yield from _in_scalar(dim, near, types)
    for name in _named_as_shape(written):
        if name in types and not isinstance(types[name], ShapeType):
            message = f"{name} stands for the shape of a tensor here: expected a shape, found {describe(types[name])}"
            yield "ty/shape-variable", name, message, near


def _in_scalar(e: PrimExpr, near: Span | None, types: Types) -> Found:
    free = free_symbols(e)
    for node in walk(e):
        if isinstance(node, SymVar) and node.name in free and node.name in types:
            held = types[node.name]
            if held != PrimType(node.dtype):
                message = f"{node.name} stands for a {node.dtype} number here, it is {describe(held)}"
                yield "ty/scalar-variable", node.name, message, node.span or near


def _named_as_shape(ty: Type) -> Iterator[str]:
    """The shape variables in ``ty``; a function type brings symbols of its own, but no variables."""
    yield from shape_variables(ty)
    for inner in function_types(ty):
        for part in (*(inner.params or ()), inner.ret):
            yield from _named_as_shape(part)


# --- what is written in a function, in order -------------------------------------------------------------------------


def _of_function(f: Function) -> Written:
    for param in f.params:
        if param.type is not None:
            yield param.type, param.span or f.span
    if f.ret is not None:
        yield f.ret, f.span
    yield from _of_sequence(f.body)


def _of_sequence(seq: SeqExpr) -> Written:
    for block in seq.blocks:
        for binding in block.bindings:
            yield from _of(binding.value, binding.span)
            if binding.annotation is not None:
                yield binding.annotation, binding.span
            if isinstance(binding, MatchCast):
                yield binding.type, binding.span
    yield from _of(seq.body, seq.span)


def _of(e: Expr, near: Span | None) -> Written:
    """The types and scalar expressions in ``e``."""
    span = e.span or near
    match e:
        case ShapeExpr():
            yield from ((dim, span) for dim in e.values)
        case PrimValue():
            yield e.value, span
        case Function():
            yield from _of_function(e)
        case If():
            yield from _of(e.condition, span)
            yield from _of_sequence(e.then_branch)
            yield from _of_sequence(e.else_branch)
        case _:
            for ty in e.ty_args if isinstance(e, Call) else ():
                yield ty, span
            for _, each in children_of(e):
                yield from _of(each, span)
