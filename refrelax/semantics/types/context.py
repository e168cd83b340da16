"""The context of a deduction: what is known at one point of one function.

Spec: ``spec/05-types.md``.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from typing import NoReturn

from refrelax.errors import Diagnostic, IllTyped, Span
from refrelax.semantics.dims import Facts, equal, simplify
from refrelax.semantics.types.checked import EntryCheck, Inference, OpenEquality, Promise
from refrelax.semantics.types.renaming import definable
from refrelax.syntax.graph import Expr
from refrelax.syntax.module import Module
from refrelax.syntax.scalars import PrimExpr, free_symbols
from refrelax.syntax.types import FuncType, ShapeType, TensorType, TupleType, Type


@dataclass(slots=True)
class Journal:
    """What deduction writes down, in order."""

    diagnostics: list[Diagnostic] = field(default_factory=list)
    notes: list[Diagnostic] = field(default_factory=list)
    steps: list[Inference] = field(default_factory=list)
    promises: list[Promise] = field(default_factory=list)
    entry_checks: list[EntryCheck] = field(default_factory=list)
    open_equalities: list[OpenEquality] = field(default_factory=list)

    def report(self, rule: str, message: str, span: Span | None, *related: tuple[str, Span | None]) -> None:
        """One more reason for a rejection; deduction goes on."""
        self.diagnostics.append(Diagnostic(rule, message, span, related))

    def note(self, rule: str, message: str, span: Span | None) -> None:
        """Something that was taken on trust."""
        self.notes.append(Diagnostic(rule, message, span))


@dataclass(slots=True)
class TypingContext:
    """One function under deduction.

    ``types`` (every variable of the top-level function, by its unique name) and ``spans`` are shared by nested
    functions; ``visible`` holds the symbols that erasure keeps, ``facts`` their bounds.
    """

    module: Module
    journal: Journal
    signatures: Mapping[str, FuncType]
    function: str
    pure: bool
    types: dict[str, Type] = field(default_factory=dict)
    named: dict[str, Type] = field(default_factory=dict)
    spans: dict[str, Span | None] = field(default_factory=dict)
    values: dict[str, Expr] = field(default_factory=dict)
    """What variables stand for whose value a type may depend on: a dtype, or nothing."""
    visible: set[str] = field(default_factory=set)
    facts: Facts = field(default_factory=Facts)
    prefix: str = ""
    binding: str = ""
    dataflow: bool = False

    def inner(self, name: str, pure: bool) -> TypingContext:
        """The frame of the nested function bound to ``name``: no symbol is visible to erasure yet."""
        return replace(self, prefix=f"{self.prefix}{name}/", pure=pure, visible=set(), dataflow=False, binding="")

    def branch(self) -> TypingContext:
        """The frame of an if-branch: what it defines is invisible after it."""
        return replace(self, visible=set(self.visible))

    def bind(self, name: str, ty: Type, span: Span | None) -> None:
        """``name`` has type ``ty`` from here on; a tensor whose shape is a variable has that shape's rank."""
        ty = self.ranked(ty)
        self.types[name] = ty
        self.spans[name] = span
        self.named[self.prefix + name] = ty

    def ranked(self, ty: Type) -> Type:
        """``ty`` with the ranks that the types of its shape variables say."""
        if isinstance(ty, TupleType):
            fields = tuple(map(self.ranked, ty.fields))
            return ty if fields == ty.fields else replace(ty, fields=fields)
        if isinstance(ty, TensorType) and isinstance(ty.shape, str) and ty.ndim == -1:
            shape = self.types.get(ty.shape)
            return replace(ty, ndim=shape.ndim) if isinstance(shape, ShapeType) else ty
        return ty

    def define_symbols(self, types: Iterable[Type]) -> None:
        """The bare dims of ``types`` are in scope, and are extents: never negative."""
        names = [symbol.name for ty in types for symbol in definable(ty)]
        if names:
            self.visible.update(names)
            self.facts = self.facts.with_shape_symbols(names)

    def step(self, rule: str, ty: Type, premises: tuple[tuple[str, Type], ...], span: Span | None) -> None:
        """Write one rule instance into the derivation."""
        self.journal.steps.append(Inference(self.function, self.prefix + self.binding, rule, ty, premises, span))

    def leave_open(self, what: str, expected: PrimExpr, found: PrimExpr, span: Span | None) -> None:
        """Write down an equality of extents that is left to the run."""
        name = self.prefix + self.binding
        self.journal.open_equalities.append(OpenEquality(self.function, name, what, expected, found, self.facts, span))


class CallDeduction:
    """The ``Deduction`` that an operator's type rule talks to: one per call of ``what``."""

    __slots__ = ("frame", "span", "what")

    def __init__(self, frame: TypingContext, span: Span | None, what: str = "") -> None:
        self.frame = frame
        self.span = span
        self.what = what

    def equal(self, a: PrimExpr, b: PrimExpr) -> bool | None:
        """``sh/equal`` under the bounds of the symbols in scope."""
        found = equal(a, b, self.frame.facts)
        if found is None:
            self.frame.leave_open(self.what, a, b, self.span)
        return found

    def to_the_run(self, a: PrimExpr, b: PrimExpr) -> None:
        """Write down an equality that is told apart, and yet refuses nothing."""
        self.frame.leave_open(self.what, a, b, self.span)

    def simplify(self, dim: PrimExpr) -> PrimExpr:
        """The canonical form of ``dim`` under the bounds of the symbols in scope."""
        if self.frame.facts.required and free_symbols(dim):
            return dim  # what is shorter is for each implementation to say
        return simplify(dim, self.frame.facts)

    def shape_of(self, name: str) -> tuple[PrimExpr, ...] | None:
        """The dims of the variable ``name`` of shape type, if known."""
        found = self.frame.types.get(name)
        return found.values if isinstance(found, ShapeType) else None

    def value_of(self, name: str) -> Expr | None:
        """The dtype, or the call of ``R.null_value``, that the variable ``name`` stands for."""
        return self.frame.values.get(name)

    def fail(self, rule: str, message: str) -> NoReturn:
        """Reject the call. Raises ``IllTyped``."""
        raise IllTyped([Diagnostic(rule, message, self.span)])
