"""Deducing a call: the parameters' types against the arguments' types.

A *bare* symbolic dim of a parameter binds to the argument's dim at its first occurrence; a later occurrence, and
every compound dim, is an equality that is proved or left to the callee's entry check. Compound dims are compared
after all arguments were seen, so a later parameter may define the symbols of an earlier one. The callee's symbols
never meet the caller's: bindings map callee names to caller dims, and substitution is simultaneous.

Spec: ``spec/05-types.md``, Calls.
"""

from __future__ import annotations

from dataclasses import dataclass

from refrelax.errors import Diagnostic, IllTyped, Span
from refrelax.rules import rule
from refrelax.semantics.dims import Facts, equal, substitute
from refrelax.semantics.types.erase import Assignment, Shape, erase_by_assignment
from refrelax.semantics.types.lattice import UNBOUND_CONSTANT, Check, _Subtype, describe, dims_equal
from refrelax.syntax.scalars import PrimExpr, SymVar, as_int, free_symbols
from refrelax.syntax.types import AnyType, FuncType, TensorType, TupleType, Type


@dataclass(frozen=True, slots=True)
class EntryEquality:
    """An equality that a call leaves to its callee's entry check: argument ``argument`` has the extent ``found``
    where the callee's signature, over the caller's symbols, asks for ``expected``."""

    argument: int
    expected: PrimExpr
    found: PrimExpr


class Unifier(_Subtype):
    """The subtype check of parameters against arguments that binds the parameters' symbols on the way."""

    def __init__(self, facts: Facts) -> None:
        super().__init__(facts)
        self.bound: dict[str, PrimExpr] = {}
        self.shape_vars: dict[str, Shape] = {}
        self.binding = True
        self.argument = 0
        self.deferred: list[tuple[int, PrimExpr, PrimExpr]] = []

    def visit(self, base: Type, derived: Type) -> Check:
        if derived is UNBOUND_CONSTANT and isinstance(base, TensorType):
            return Check.PASS
        return self.compare(base, derived)

    def shapes(self, base: tuple[PrimExpr, ...] | str | None, derived: tuple[PrimExpr, ...] | str | None) -> Check:
        if base is None:
            return Check.PASS
        if derived is None:
            return Check.L2
        if self.binding and isinstance(base, str):
            return self.shape_variable(base, derived)
        if isinstance(base, str) or isinstance(derived, str):
            return Check.PASS if base == derived and not self.binding else Check.L2
        return self.all_dims(base, derived)

    def shape_variable(self, name: str, found: tuple[PrimExpr, ...] | str) -> Check:
        if name not in self.shape_vars:
            self.shape_vars[name] = found
            return Check.PASS
        return Check.PASS if dims_equal(self.shape_vars[name], found, self.facts) else Check.L2

    def dim(self, base: PrimExpr, derived: PrimExpr) -> Check:
        if not self.binding:
            return super().dim(base, derived)
        if isinstance(base, SymVar):
            first = self.bound.setdefault(base.name, derived)
            if first is derived or equal(first, derived, self.facts) is True:
                return Check.PASS
            self.deferred.append((self.argument, base, derived))
            return Check.L2
        a, b = as_int(base), as_int(derived)
        if a is not None and b is not None:
            return Check.PASS if a == b else Check.L0
        self.deferred.append((self.argument, base, derived))
        return Check.L2

    def functions(self, base: FuncType, derived: FuncType) -> Check:
        """Symbols inside a callable's type are its own: none is bound here."""
        before, self.binding = self.binding, False
        try:
            return super().functions(base, derived)
        finally:
            self.binding = before

    def obligations(self) -> tuple[EntryEquality, ...]:
        """The equalities that stay open once every symbol is bound."""
        still_open: list[EntryEquality] = []
        for argument, expected, found in self.deferred:
            if free_symbols(expected) <= self.bound.keys():
                expected = substitute(expected, self.bound)
                if equal(expected, found, self.facts) is True:
                    continue
            still_open.append(EntryEquality(argument, expected, found))
        return tuple(still_open)


@dataclass(frozen=True, slots=True)
class Deduced:
    """The result's type, what the callee's symbols stand for, and the equalities left to the entry check."""

    type: Type
    given: Assignment
    obligations: tuple[EntryEquality, ...]


def by_ty_args(ty_args: tuple[Type, ...]) -> Type:
    """What a packed call says about its result: nothing (``R.Any``), one type, or the fields of a tuple."""
    if not ty_args:
        return AnyType()
    return ty_args[0] if len(ty_args) == 1 else TupleType(ty_args)


@rule("ty/call", "ty/call-arity", "ty/call-argument", "ty/call-opaque")
def deduce_call(
    callee: FuncType,
    args: tuple[Type, ...],
    facts: Facts,
    *,
    what: str = "the function",
    ty_args: tuple[Type, ...] = (),
    span: Span | None = None,
    places: tuple[tuple[str, Span | None], ...] = (),
) -> Deduced:
    """The type of a call of ``callee`` with arguments of types ``args``.

    Raises:
        IllTyped: ``ty/call-arity``, or ``ty/call-argument`` with one diagnostic for each argument that cannot be
        passed.
    """
    if callee.params is None:
        ret = by_ty_args(ty_args) if callee.derive_func is not None else callee.ret
        return Deduced(ret, Assignment(), ())
    if len(args) != len(callee.params):
        message = f"{what} takes {len(callee.params)} argument(s), found {len(args)}"
        raise IllTyped([Diagnostic("ty/call-arity", message, span, places)])
    unifier = Unifier(facts)
    problems: list[Diagnostic] = []
    for position, (param, arg) in enumerate(zip(callee.params, args, strict=True)):
        unifier.argument = position
        if unifier.visit(param, arg) <= Check.L1:
            message = f"argument {position} of {what}: expected {describe(param)}, found {describe(arg)}"
            problems.append(Diagnostic("ty/call-argument", message, span, places))
    if problems:
        raise IllTyped(problems)
    given = Assignment(unifier.bound, unifier.shape_vars)
    return Deduced(erase_by_assignment(callee.ret, given, facts), given, unifier.obligations())
