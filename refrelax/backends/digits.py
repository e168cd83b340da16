"""Which variables an index tells: ``i * 4 + j`` with ``j < 4`` tells both."""

from __future__ import annotations

from collections.abc import Mapping

from refrelax.syntax.loops import For
from refrelax.syntax.scalars import Binary, Literal, PrimExpr, SymVar, as_int


def determined(index: PrimExpr, domains: Mapping[str, For]) -> frozenset[str]:
    """The loop variables that the value of an index determines: itself, or the digits of ``i * 4 + j``, ``j < 4``."""
    terms = _linear(index)
    if terms is None or not terms or not all(name in domains for name in terms):
        return frozenset()
    reach = 0  # the greatest value of the lower digits together
    ordered = sorted(terms, key=lambda name: terms[name])
    for place, name in enumerate(ordered):
        if terms[name] <= reach:
            return frozenset()
        size = as_int(domains[name].extent)
        if place < len(ordered) - 1:
            if size is None:
                return frozenset()
            reach += terms[name] * max(size - 1, 0)
    return frozenset(terms)


def _linear(e: PrimExpr) -> dict[str, int] | None:
    """``Σ coefficient · variable + constant`` with positive coefficients, each variable once; without the constant."""
    match e:
        case SymVar():
            return {e.name: 1}
        case Literal():
            return {}
        case Binary(op="Mul", a=a, b=b):
            for factor, other in ((as_int(a), b), (as_int(b), a)):
                terms = None if factor is None or factor <= 0 else _linear(other)
                if terms is not None and factor is not None:
                    return {name: factor * c for name, c in terms.items()}
            return None
        case Binary(op="Add", a=a, b=b):
            left, right = _linear(a), _linear(b)
            return None if left is None or right is None or left.keys() & right.keys() else {**left, **right}
        case _:
            return None
