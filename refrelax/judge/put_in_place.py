"""A function put in the place of its call: its parameters are what the arguments are, as checks where types do not say
so.

Spec: ``spec/06c-pointwise.md``, ``va/inline``.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace

from refrelax.judge.erased import spelled_out
from refrelax.judge.renamed import Renaming, Stays, define, mentions_only, same_types, told
from refrelax.judge.told import bindings_of, extents_of
from refrelax.lower.names import Taken
from refrelax.rules import rule
from refrelax.semantics.dims import NO_FACTS, equal
from refrelax.semantics.graph.link import nodes
from refrelax.semantics.symbol_bounds import symbol_bounds
from refrelax.semantics.types.checked import CheckedModule
from refrelax.semantics.types.renaming import definable
from refrelax.syntax.graph import (
    Binding,
    Constant,
    ConstantRef,
    Expr,
    Function,
    If,
    MatchCast,
    Param,
    ShapeExpr,
    Tuple,
    Var,
    VarBinding,
)
from refrelax.syntax.scalars import PrimExpr, SymVar, as_int, int_imm
from refrelax.syntax.types import AnyType, ShapeType, TensorType, TupleType, Type, tensor_of


@dataclass(slots=True)
class PutInPlace:
    """One round over the blocks of the function ``entry``. ``dataflow``: whether the block at hand is one that may have
    no branches."""

    checked: CheckedModule
    entry: str
    names: Taken
    dataflow: bool
    _told: tuple[dict[str, Binding], dict[str, Type | None]] | None

    def made_and_checked(self) -> tuple[dict[str, Binding], dict[str, Type | None]]:
        """The bindings of the entry, and what its first checks say of its parameters; read once a round."""
        if self._told is None:
            entry = self.checked.module.functions[self.entry]
            typed = spelled_out(entry, self.checked.module.functions)
            own = {p.name: p.type for p in typed.params} if isinstance(typed, Function) else {}
            self._told = (bindings_of(entry) if isinstance(entry, Function) else {}, own)
        return self._told

    def symbols_around(self, local: Function) -> dict[str, PrimExpr]:
        """The symbols that a local function shares with the function around it: those of its parameters. Raises
        ``Stays`` where it mentions one that a check defines, which may stand before it or behind."""
        function = self.checked.module.functions[self.entry]
        assert isinstance(function, Function)
        around = (s for p in function.params if p.type is not None for s in definable(p.type))
        bindings = (b for block in function.body.blocks for b in block.bindings if not is_local(b))
        casts = (each for b in bindings for each in nodes(b) if isinstance(each, MatchCast))
        checked = {s.name for each in casts for s in definable(each.type)}
        if any(each.name in checked for each in nodes(local) if isinstance(each, SymVar)):
            raise Stays
        return {s.name: s for s in around}

    def in_place(
        self,
        binding: VarBinding,
        function: Function,
        args: tuple[Expr, ...],
        out: Type | None,
        where: str,
        outer: Mapping[str, PrimExpr] | None = None,
    ) -> list[Binding]:
        """The bindings of ``function`` under names of their own, its parameters what the arguments are. ``outer``:
        symbols that have a value where the function stands, which no argument defines anew."""
        bindings = [b for block in function.body.blocks for b in block.bindings]
        plain = not any(isinstance(b, VarBinding) and isinstance(b.value, If) for b in bindings)
        if (self.dataflow and not plain) or function.ret is None or len(args) != len(function.params):
            raise Stays
        if symbol_bounds(function):
            raise Stays  # its promises are its own: in its place they would be forgotten
        rename = Renaming(self.names)
        rename.symbols |= outer or {}
        new = self.arguments(function.params, args, rename)
        result: Type = rename(function.ret)
        wanted = result if out is None else out
        promised = any(p.function == where for p in self.checked.promises)
        checks = promised or not same_types(wanted, result)
        last = function.body.body
        named = last.name if isinstance(last, Var) and bindings and bindings[-1].name == last.name else None
        for b in bindings:
            took_name = not checks and b.name == named
            new.append(rename.binding(b, binding if took_name else None))
        if checks or named is None:
            given: Expr = rename(last)
            made = MatchCast(binding.name, given, wanted) if checks else VarBinding(binding.name, given)
            new.append(replace(made, annotation=binding.annotation))
        return new

    def arguments(self, params: tuple[Param, ...], args: tuple[Expr, ...], rename: Renaming) -> list[Binding]:
        """Give every parameter and symbol what it stands for; the checks that this takes."""
        types = [self.type_of(arg) for arg in args]
        checks: list[Binding] = []
        for param, arg, found in zip(params, args, types, strict=True):
            if param.type is None or found is None:
                raise Stays
            checks += self.bound(param, arg, found, rename.symbols)
            define(param.type, found, rename.symbols)
            if isinstance(found, AnyType) and isinstance(param.type, TensorType):
                told(param.type, extents_of(arg, *self.made_and_checked()), rename.symbols)
        defined = {s.name for p in params if p.type is not None for s in definable(p.type)}
        for name in sorted(defined - rename.symbols.keys()):
            rename.symbols[name] = SymVar(self.names.fresh(name), "int64")
        for param, arg, found in zip(params, args, types, strict=True):
            assert param.type is not None and found is not None
            wanted: Type = rename(param.type)
            if same_types(wanted, found):
                rename.variables[param.name] = self.named(param.name, arg, checks)
            elif isinstance(wanted, TensorType | ShapeType | TupleType):
                fresh = self.names.fresh(param.name)
                checks.append(MatchCast(fresh, arg, wanted))
                rename.variables[param.name] = Var(fresh)
            else:
                raise Stays
        return sorted(checks, key=mentions_only)

    @rule("ev/negative-extent")
    def bound(self, param: Param, arg: Expr, found: Type, known: Mapping[str, PrimExpr]) -> list[Binding]:
        """A shape with symbols binds others in a check by itself, since none may be negative; what the types say
        decides all else. Raises ``Stays`` where a shape in a tuple does, or where a negative number may be refused as
        another one than its symbol has."""
        dims = found.values if isinstance(found, ShapeType) else None
        if not isinstance(param.type, ShapeType) or not isinstance(dims, tuple) or param.type.values is None:
            if isinstance(param.type, TupleType) and not self.binds_extents(param.type, found):
                raise Stays
            return []
        if len(dims) != len(param.type.values):
            return []
        fresh = [isinstance(d, SymVar) for d in param.type.values]
        if all(not new or self.is_extent(d) for new, d in zip(fresh, dims, strict=True)):
            return []
        numbers = dict(known)
        for own, d in zip(param.type.values, dims, strict=True):
            if isinstance(own, SymVar) and not equal(numbers.setdefault(own.name, d), d, NO_FACTS):
                raise Stays
        values = tuple(
            SymVar(self.names.fresh("extent"), "int64") if new else d for new, d in zip(fresh, dims, strict=True)
        )
        return [MatchCast(self.names.fresh(param.name), arg, ShapeType(values, len(values)))]

    def binds_extents(self, wanted: Type | None, found: Type) -> bool:
        """Whether shapes in a tuple bind symbols to nothing but what is seen not to be negative."""
        match wanted, found:
            case TupleType(fields), TupleType(given) if len(fields) == len(given):
                return all(map(self.binds_extents, fields, given))
            case ShapeType(), ShapeType(values=tuple() as dims):
                return all(map(self.is_extent, dims))
            case TupleType(), _:
                return not any(isinstance(each, ShapeType) for each in nodes(wanted))
            case _:
                return not isinstance(wanted, ShapeType)

    def is_extent(self, dim: PrimExpr) -> bool:
        """Whether an extent is seen to be none that is negative: it is written, or that of a tensor or a shape that is
        given."""
        entry = self.checked.module.functions[self.entry]
        types = list(nodes(tuple(p.type for p in entry.params))) if isinstance(entry, Function) else []
        number = as_int(dim)
        if number is not None or not isinstance(dim, SymVar):
            return number is not None and number >= 0
        shapes = [each.shape for each in types if isinstance(each, TensorType)]
        shapes += [each.values for each in types if isinstance(each, ShapeType)]
        return any(dim in (each or ()) for each in shapes)

    def named(self, wish: str, arg: Expr, before: list[Binding]) -> Expr:
        if isinstance(arg, Var | Constant | ConstantRef | ShapeExpr):
            return arg
        fresh = self.names.fresh(wish)
        before.append(VarBinding(fresh, arg))
        return Var(fresh)

    def type_of(self, e: Expr) -> Type | None:
        match e:
            case Var(name=name):
                return self.checked.types.get(self.entry, {}).get(name)
            case Constant(dtype=dtype, shape=shape):
                return tensor_of(tuple(map(int_imm, shape)), dtype)
            case ConstantRef(index=index):
                array = self.checked.module.constants.get(index)
                return None if array is None else tensor_of(tuple(map(int_imm, array.shape)), array.dtype)
            case ShapeExpr(values=values):
                return ShapeType(values, len(values))
            case Tuple(fields=parts):
                found = [self.type_of(each) for each in parts]
                known = tuple(each for each in found if each is not None)
                return TupleType(known) if len(known) == len(found) else None
            case _:
                return None


def is_local(b: Binding) -> bool:
    return isinstance(b, VarBinding) and isinstance(b.value, Function)


__all__ = ["PutInPlace", "is_local"]
