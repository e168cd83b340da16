"""Attributes that speak of symbols by name, and how they follow the names.

TVM's names: ``tir_var_upper_bound`` and ``tir_var_lower_bound`` give a symbol of the signature an integer,
``tir_non_negative_var`` lists symbols. Whoever gives a function's symbols other names gives them here as well; without
their names these attributes speak of places of the signature.

Spec: ``spec/03c-printing-and-json.md``, *Equality*; ``spec/07-evaluation.md``, ``ev/symbol-bounds``.
"""

from __future__ import annotations

from dataclasses import dataclass

from refrelax.syntax.graph import AttrDict, AttrList, Function
from refrelax.syntax.types import PrimType, definable

UPPER, LOWER, NONNEGATIVE = "tir_var_upper_bound", "tir_var_lower_bound", "tir_non_negative_var"


@dataclass(frozen=True, slots=True)
class Place:
    """The ``number``-th name that a signature defines, whatever it is called."""

    number: int


def of_signature(function: Function) -> dict[str, Place]:
    """The names of which a function may promise something: the symbols that its parameters define as bare dims, and
    its scalar parameters. In the order in which the signature has them, which no renaming changes."""
    names: dict[str, None] = {}
    for param in function.params:
        if isinstance(param.type, PrimType):
            names[param.name] = None
        elif param.type is not None:
            names |= dict.fromkeys(symbol.name for symbol in definable(param.type))
    return {name: Place(k) for k, name in enumerate(names)}


def without_names(function: Function) -> tuple[object, ...]:
    """The attributes of a function, equal for two functions whose symbols alone have other names: a promise is of a
    place. A name that the signature does not define stays the word that it is, and so does an attribute of another
    form."""
    if not any(name in (UPPER, LOWER, NONNEGATIVE) for name, _ in function.attrs):
        return function.attrs
    places = of_signature(function)
    found: list[object] = []
    for name, value in function.attrs:
        match value:
            case AttrDict(items) if name in (UPPER, LOWER):
                placed = sorted(((places[k], v) for k, v in items if k in places), key=lambda each: each[0].number)
                found.append((name, tuple(placed), tuple((k, v) for k, v in items if k not in places)))
            case AttrList(items) if name == NONNEGATIVE:
                found.append((name, tuple(places.get(k, k) if isinstance(k, str) else k for k in items)))
            case _:
                found.append((name, value))
    return tuple(found)


__all__ = ["LOWER", "NONNEGATIVE", "UPPER", "Place", "of_signature", "without_names"]
