"""A function's variables and symbols as what they are in its caller, where the call is put in place.

Spec: ``spec/06c-pointwise.md``, ``va/inline``.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import fields, is_dataclass, replace
from typing import Any

from refrelax.lower.names import Taken
from refrelax.semantics.dims import NO_FACTS, equal, substitute
from refrelax.semantics.types.renaming import definable, dims_of, map_dims
from refrelax.syntax.graph import Binding, Expr, Function, GlobalVar, MatchCast, Var, VarBinding
from refrelax.syntax.scalars import PrimExpr, SymVar, int_imm
from refrelax.syntax.types import ShapeType, TensorType, TupleType, Type


class Stays(Exception):
    """The call is left as it is."""


class Renaming:
    """Variables and symbols of a function as what they are in its caller."""

    def __init__(self, names: Taken) -> None:
        self.names = names
        self.variables: dict[str, Expr] = {}
        self.symbols: dict[str, PrimExpr] = {}

    def binding(self, b: Binding, caller: VarBinding | None = None) -> Binding:
        """A binding under a fresh name, or under that of the ``caller``'s whose value it is; the symbols that it
        defines under fresh ones."""
        if isinstance(b, MatchCast):
            for symbol in definable(b.type):
                if symbol.name not in self.symbols:
                    self.symbols[symbol.name] = SymVar(self.names.fresh(symbol.name), symbol.dtype)
        new: Binding = self(b)
        if caller is not None:
            return replace(new, name=caller.name, annotation=caller.annotation)
        fresh = self.names.fresh(b.name)
        self.variables[b.name] = Var(fresh)
        return replace(new, name=fresh)

    def __call__(self, root: Any) -> Any:
        """``root`` as it stands in the caller."""
        match root:
            case Var(name=name):
                return self.variables.get(name, root)
            case Function():
                raise Stays
            case tuple():
                return tuple(map(self, root))
            case _ if isinstance(root, PrimExpr):
                return substitute(root, self.symbols)
            case _ if not is_dataclass(root) or isinstance(root, type):
                return root
            case TensorType(shape=str()):
                raise Stays
            case _:
                return replace(root, **{f.name: self(getattr(root, f.name)) for f in fields(root) if f.init})


def define(param: Type, found: Type, symbols: dict[str, PrimExpr]) -> None:
    """The symbols that stand alone in a parameter's type, as what the argument's type says."""
    match param, found:
        case (TensorType(shape=tuple() as own), TensorType(shape=tuple() as dims)) | (
            ShapeType(values=tuple() as own),
            ShapeType(values=tuple() as dims),
        ) if len(own) == len(dims):
            for dim, extent in zip(own, dims, strict=True):
                if isinstance(dim, SymVar):
                    symbols.setdefault(dim.name, extent)
        case TupleType(fields=own_fields), TupleType(fields=found_fields) if len(own_fields) == len(found_fields):
            for a, b in zip(own_fields, found_fields, strict=True):
                define(a, b, symbols)
        case _:
            return


def told(param: TensorType, extents: tuple[PrimExpr | None, ...] | None, symbols: dict[str, PrimExpr]) -> None:
    """The symbols of a parameter's type for which the argument has a number where it is made."""
    dims = param.shape if isinstance(param.shape, tuple) else ()
    if extents is None or len(extents) != len(dims):
        return
    for dim, extent in zip(dims, extents, strict=True):
        if isinstance(dim, SymVar) and extent is not None:
            symbols.setdefault(dim.name, extent)


def same_types(a: Type, b: Type) -> bool:
    """Whether two types say the same, their dims equal as deduction sees it."""
    x, y = list(dims_of(a)), list(dims_of(b))
    if len(x) != len(y) or not all(equal(p, q, NO_FACTS) for p, q in zip(x, y, strict=True)):
        return False
    zero = int_imm(0)
    return map_dims(a, lambda _: zero) == map_dims(b, lambda _: zero)


def mentions_only(b: Binding) -> bool:
    """Checks that define symbols go before those that also mention them."""
    return isinstance(b, MatchCast) and not all(isinstance(d, SymVar) for d in dims_of(b.type))


def with_functions(root: Any, names: Mapping[str, str]) -> Any:
    """``root`` with other names for functions of the module."""
    match root:
        case GlobalVar(name=name):
            return replace(root, name=names.get(name, name))
        case tuple():
            return tuple(with_functions(each, names) for each in root)
        case _ if not is_dataclass(root) or isinstance(root, type | PrimExpr | Type):
            return root
        case _:
            changed = {f.name: with_functions(getattr(root, f.name), names) for f in fields(root) if f.init}
            return replace(root, **changed)
