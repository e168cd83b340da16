"""Annotations of calls, kept where a pass puts something else in the place of the call.

On a call the annotation is the variable's type, whether it tells less than the call gives or more (a promise); on any
other value it is not. What uses the variable has a type under that annotation, and may have none under another.

Spec: ``spec/05-types.md``, ``ty/annotation-claims``; ``spec/12-memory.md``, ``lo/destinations``.
"""

from __future__ import annotations

from dataclasses import replace

from refrelax.rules import rule
from refrelax.semantics.types.checked import CheckedModule
from refrelax.syntax.graph import Binding, Expr, MatchCast, VarBinding
from refrelax.syntax.types import TensorType, TupleType, Type


def promises_of(checked: CheckedModule, function: str) -> frozenset[str]:
    """The names in a function, and in its local ones (``inner/x``), whose annotation promises more than is proved."""
    return frozenset(p.name.rpartition("/")[2] for p in checked.promises if p.function == function)


def told(annotation: Type, own: Type) -> Type:
    """What an annotation that is proved says of a value of the type ``own``, with the extents spelled as there."""
    match annotation, own:
        case TensorType(shape=tuple()), TensorType(shape=tuple() as shape):
            return replace(annotation, shape=shape)
        case TupleType(fields=fields), TupleType(fields=owns) if len(fields) == len(owns):
            return TupleType(tuple(told(a, b) for a, b in zip(fields, owns, strict=True)))
        case _:
            return annotation


def says_as_much(binding: VarBinding, own: Type, promised: frozenset[str]) -> bool:
    """Whether a variable has the type ``own`` also where its value is no call. ``promised``: the names of which more is
    promised than is proved."""
    if binding.annotation is None:
        return True
    return binding.name not in promised and told(binding.annotation, own) == own


@rule("lo/destinations")
def bound(binding: VarBinding, value: Expr, own: Type, promised: frozenset[str]) -> Binding:
    """The name of a call bound to a value of the type ``own`` that is no call, at the type that it had. (A run in which
    a promise is broken is open.)"""
    if says_as_much(binding, own, promised):
        return replace(binding, value=value)
    assert binding.annotation is not None
    type_ = binding.annotation if binding.name in promised else told(binding.annotation, own)
    return MatchCast(binding.name, value, type_, span=binding.span)
