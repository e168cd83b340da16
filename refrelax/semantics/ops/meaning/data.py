"""What a text is as data: an ordered list of definitions and requirements over symbolic extents.

Indices, extents and conditions on them are scalar expressions of the language (``syntax.scalars``), in which the symbol
``?k`` stands for an element used as an index (``Program.opaque``). Elements are the nodes below; they share, so whoever
walks them remembers what it has seen.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from fractions import Fraction
from typing import Any, TypeAlias

from refrelax.syntax.scalars import PrimExpr, SymVar


@dataclass(frozen=True, slots=True, eq=False)
class Literal:
    """A number that the text names, or an extent, at a dtype."""

    dtype: str
    value: Any


@dataclass(frozen=True, slots=True, eq=False)
class Read:
    """The element of an array at an index, which the text promises to be in range."""

    array: Definition | Operand
    at: tuple[PrimExpr, ...]
    dtype: str


@dataclass(frozen=True, slots=True, eq=False)
class Operation:
    """``name`` of ``numerics.at(at)``; ``dtype`` is its result's. ``source``: of a conversion its operand's dtype, of
    ``ideal`` the real function."""

    name: str
    at: str
    dtype: str
    args: tuple[Element, ...]
    source: Any = ""


@dataclass(frozen=True, slots=True, eq=False)
class Choice:
    """One of two elements, by a condition on indices."""

    condition: PrimExpr
    then: Element
    other: Element

    @property
    def dtype(self) -> str:
        return self.then.dtype or self.other.dtype


@dataclass(frozen=True, slots=True, eq=False)
class OpenElement:
    """An element without meaning."""

    rule: str
    dtype: str = ""


@dataclass(frozen=True, slots=True, eq=False)
class Each:
    """A family: ``item`` for all values of ``vars`` below ``dims`` at which ``where`` holds, row-major."""

    vars: tuple[SymVar, ...]
    dims: tuple[PrimExpr, ...]
    item: Element
    where: PrimExpr | None = None


@dataclass(frozen=True, slots=True, eq=False)
class Items:
    """A family that the text lists."""

    items: tuple[Element, ...]


Family: TypeAlias = Each | Items


@dataclass(frozen=True, slots=True, eq=False)
class Fold:
    """``reduce``, ``dot`` or ``argreduce`` (``name``) of families, by ``op`` at the dtype ``at``; or their ``last``
    element. ``dot`` has two families side by side; the others, one after the other."""

    name: str
    at: str
    dtype: str
    op: str
    families: tuple[Family, ...]
    source: str = ""


@dataclass(frozen=True, slots=True, eq=False)
class Either:
    """Forms between which an implementation may choose."""

    dtype: str
    forms: tuple[Element, ...]


@dataclass(frozen=True, slots=True, eq=False)
class Bound:
    """``body`` with ``symbol`` as the integer that the int64 element ``index`` is; poison where that is poison, of its
    rule or of ``rule``. Where a reading holds several, those from ``low`` to below ``high`` are tried, and ``other`` is
    what every other one gives."""

    dtype: str
    symbol: SymVar
    index: Element
    body: Element
    low: PrimExpr
    high: PrimExpr
    other: Element | None = None
    rule: str = ""


Element: TypeAlias = Literal | Read | Operation | Choice | OpenElement | Fold | Either | Bound


@dataclass(frozen=True, slots=True, eq=False)
class Operand:
    """An array that the operator is given."""

    name: str
    dims: tuple[PrimExpr, ...]
    dtype: str


@dataclass(frozen=True, slots=True, eq=False)
class Definition:
    """An array: ``body`` at each value of ``vars`` below ``dims``. With ``within``, a start and an end, nothing reads
    an element at which the last of ``vars`` is not from the one to below the other; ``body`` has a value there, too."""

    name: str
    dims: tuple[PrimExpr, ...]
    dtype: str
    vars: tuple[SymVar, ...]
    body: Element
    within: tuple[PrimExpr, PrimExpr] | None = None


@dataclass(frozen=True, slots=True, eq=False)
class Requirement:
    """The run is open under ``rule`` unless ``condition`` holds."""

    condition: PrimExpr
    rule: str


Step: TypeAlias = Definition | Requirement


@dataclass(slots=True)
class Program:
    """A text, written down. ``premises``: equalities of extents under which it was read (broadcasting), which whoever
    relies on the data has to prove. ``opaque``: what the symbols ``?k`` stand for, and its dtype."""

    operands: list[Operand] = field(default_factory=list)
    steps: list[Step] = field(default_factory=list)
    outputs: list[Definition] = field(default_factory=list)
    premises: list[PrimExpr] = field(default_factory=list)
    opaque: dict[str, tuple[Element, str]] = field(default_factory=dict)


def index_parts(t: Element) -> Iterator[PrimExpr]:
    """The index expressions and conditions of an element itself, not of those that it is made of."""
    match t:
        case Read(at=at):
            yield from at
        case Choice(condition=condition):
            yield condition
        case Literal(value=value) if not isinstance(value, bool | int | float | Fraction):
            yield value
        case Fold(families=families):
            for f in families:
                if isinstance(f, Each):
                    yield from f.dims
                    if f.where is not None:
                        yield f.where
        case _:
            return


__all__ = [
    "Bound", "Choice", "Definition", "Each", "Either", "Element", "Family", "Fold", "Items", "Literal", "OpenElement",
    "Operand", "Operation", "Program", "Read", "Requirement", "Step", "index_parts",
]  # fmt: skip
