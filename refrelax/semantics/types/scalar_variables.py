"""What a variable of a scalar expression may be: a symbol, or a variable that holds a prim value of that dtype.

Spec: ``spec/05-types.md``, Symbols.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from refrelax.errors import Diagnostic, Span
from refrelax.rules import rule
from refrelax.semantics.types.lattice import describe
from refrelax.semantics.types.renaming import dims_of
from refrelax.semantics.types.wellformed.forms import children_of
from refrelax.syntax.graph import Call, Expr, Function, If, MatchCast, PrimValue, SeqExpr, ShapeExpr
from refrelax.syntax.scalars import PrimExpr, SymVar, free_symbols, walk
from refrelax.syntax.types import PrimType, Type

Found = Iterator[tuple[PrimExpr, Span | None]]


@rule("ty/scalar-variable")
def diagnose_scalars(f: Function, types: Mapping[str, Type], spans: Mapping[str, Span | None]) -> list[Diagnostic]:
    """``types`` holds every variable of ``f``, nested functions included; a name that it lacks is a symbol's."""
    found: list[Diagnostic] = []
    for e, near in _of_function(f):
        free = free_symbols(e)
        for node in walk(e):
            if isinstance(node, SymVar) and node.name in free and node.name in types:
                held = types[node.name]
                if held != PrimType(node.dtype):
                    message = f"{node.name} stands for a {node.dtype} number here, it is {describe(held)}"
                    place = ((f"definition of {node.name}", spans.get(node.name)),)
                    found.append(Diagnostic("ty/scalar-variable", message, node.span or near, place))
    return found


def _of_type(ty: Type | None, near: Span | None) -> Found:
    for dim in () if ty is None else dims_of(ty):
        yield dim, near


def _of_function(f: Function) -> Found:
    for param in f.params:
        yield from _of_type(param.type, param.span or f.span)
    yield from _of_type(f.ret, f.span)
    yield from _of_sequence(f.body)


def _of_sequence(seq: SeqExpr) -> Found:
    for block in seq.blocks:
        for binding in block.bindings:
            yield from _of(binding.value, binding.span)
            yield from _of_type(binding.annotation, binding.span)
            if isinstance(binding, MatchCast):
                yield from _of_type(binding.type, binding.span)
    yield from _of(seq.body, seq.span)


def _of(e: Expr, near: Span | None) -> Found:
    """The scalar expressions in ``e``, in order."""
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
                yield from _of_type(ty, span)
            for _, each in children_of(e):
                yield from _of(each, span)
