"""What checking gives: the module with the type of every binding. ``check`` is its only maker.

Spec: ``spec/05-types.md``.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import Any, NamedTuple, TypeVar

from refrelax.errors import Diagnostic, Span, UsageError
from refrelax.notebook import table
from refrelax.semantics.dims import Facts
from refrelax.semantics.types.unify import EntryEquality
from refrelax.syntax.module import Module
from refrelax.syntax.scalars import PrimExpr
from refrelax.syntax.types import FuncType, Type

Types = Mapping[str, Mapping[str, Type]]
T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class Inference:
    """One rule instance of a derivation: in ``function``, ``name`` (a binding, ``inner/lv`` when nested, or
    ``return``) got ``type`` under ``rule``; ``premises`` are the types it was deduced from."""

    function: str
    name: str
    rule: str
    type: Type
    premises: tuple[tuple[str, Type], ...] = ()
    span: Span | None = field(default=None, compare=False)

    def __str__(self) -> str:
        above = ", ".join(f"{what}: {ty}" for what, ty in self.premises)
        return f"{above} ⊢ {self.name}: {self.type}  [{self.rule}]".lstrip()


@dataclass(frozen=True, slots=True)
class Promise:
    """A type that the text claims and deduction does not prove (nor refute): the annotation of a call's binding,
    or a return annotation (``name`` is ``return``; ``inner/return`` when nested)."""

    function: str
    name: str
    claimed: Type
    deduced: Type


@dataclass(frozen=True, slots=True)
class OpenEquality:
    """Two extents that the binding ``name`` needs equal and ``sh/equal`` neither proves equal nor tells apart: the
    run decides. ``what`` needs them: an operator, a callee, ``annotation``, ``return annotation``, ``match_cast``."""

    function: str
    name: str
    what: str
    expected: PrimExpr
    found: PrimExpr
    facts: Facts = field(default_factory=Facts, compare=False)
    span: Span | None = field(default=None, compare=False)


@dataclass(frozen=True, slots=True)
class EntryCheck:
    """The equalities of extents that the call bound to ``name`` leaves to the entry check of ``callee``."""

    function: str
    name: str
    callee: str
    obligations: tuple[EntryEquality, ...]


class Need(NamedTuple):
    """Something from outside that a run needs: what is said where it is missing, and the library function that would
    supply it; ``None``: no function does."""

    missing: Diagnostic
    function: str | None


@dataclass(frozen=True, slots=True)
class CheckedModule:
    """A module that is well-formed and well-typed.

    ``types``: for each graph-level function, the type of each parameter and binding by its unique name; names
    inside a nested function ``inner`` read ``inner/lv``. ``signatures``: the function type of every function of
    the module.
    """

    module: Module
    types: Types
    signatures: Mapping[str, FuncType]
    promises: tuple[Promise, ...] = ()
    entry_checks: tuple[EntryCheck, ...] = ()
    derivation: tuple[Inference, ...] = field(default=(), compare=False, repr=False)
    notes: tuple[Diagnostic, ...] = field(default=(), compare=False)
    """What was taken on trust (unbound constants, operators without a rule)."""
    open_equalities: tuple[OpenEquality, ...] = field(default=(), compare=False, repr=False)
    """Every equality of extents that typing left to the run, in order (``rr.remarks`` asks the prover)."""
    needs: dict[str, tuple[Need, ...]] = field(default_factory=dict, init=False, compare=False, repr=False)
    """By function: what linking found that its run needs. Kept, for a module runs more often than it is checked."""

    facts: dict[Callable[[CheckedModule], Any], Any] = field(
        default_factory=dict, init=False, compare=False, repr=False
    )
    """See ``once``."""

    def once(self, fact: Callable[[CheckedModule], T]) -> T:
        """What a function finds out about the module, asked once: a campaign judges a module on many inputs."""
        if fact not in self.facts:
            self.facts[fact] = fact(self)
        found: T = self.facts[fact]
        return found

    def __repr__(self) -> str:
        return f"<CheckedModule: {self.module.described()}; {sum(map(len, self.types.values()))} types>"

    def _repr_html_(self) -> str:
        rows = [(f"{name}/{each}", found) for name, types in self.types.items() for each, found in types.items()]
        rest = [("", f"… {len(rows) - 40} more")] if len(rows) > 40 else []
        return str(self.module._repr_html_()) + table("deduced types", [*rows[:40], *rest])

    def __reduce__(self) -> tuple[object, ...]:
        types = {name: dict(each) for name, each in self.types.items()}
        rest = (self.promises, self.entry_checks, self.derivation, self.notes, self.open_equalities)
        return (make_checked, (self.module, types, dict(self.signatures), *rest))

    def explain(self, function: str) -> Iterator[str]:
        """The derivation of one function, a line a rule instance, in order."""
        return (str(step) for step in self.derivation if step.function == function)


def make_checked(
    module: Module,
    types: Mapping[str, Mapping[str, Type]],
    signatures: Mapping[str, FuncType],
    promises: tuple[Promise, ...] = (),
    entry_checks: tuple[EntryCheck, ...] = (),
    derivation: tuple[Inference, ...] = (),
    notes: tuple[Diagnostic, ...] = (),
    open_equalities: tuple[OpenEquality, ...] = (),
) -> CheckedModule:
    """A ``CheckedModule`` with read-only maps. For ``check`` alone: nothing is checked here."""
    frozen = MappingProxyType({name: MappingProxyType(dict(each)) for name, each in types.items()})
    named = MappingProxyType(dict(signatures))
    return CheckedModule(module, frozen, named, promises, entry_checks, derivation, notes, open_equalities)


def wants(what: str, given: object, checked: bool = False) -> None:
    """Whoever calls ``what`` gives a module; a checked one if it must be ``checked``.

    Raises:
        UsageError: it is something else, or was not checked.
    """
    if isinstance(given, CheckedModule) or (isinstance(given, Module) and not checked):
        return
    found = "one that is not checked" if isinstance(given, Module) else f"{type(given).__name__}: rr.parse reads a text"
    raise UsageError(f"{what} takes a module{' that rr.check has checked' if checked else ''}, found {found}")
