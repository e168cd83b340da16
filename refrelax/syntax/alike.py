"""Equality up to renaming, of functions and of anything in them (of modules: ``equal.py``).

A name means one thing within a function of the module (the reader sees to that), so a renaming maps names one to one
per function; only the parameters of an index map and of a reducer, and the variable of a ``T.Let``, have a scope of
their own.

Spec: ``spec/03c-printing-and-json.md``.
"""

from __future__ import annotations

from collections.abc import Hashable, Mapping
from dataclasses import dataclass, field, is_dataclass

from refrelax.syntax.graph import DataflowBlock, Function, IndexMap, MatchCast, Param, Var, VarBinding
from refrelax.syntax.loops import Buffer, BufferRegion, BufferStore
from refrelax.syntax.promises import without_names
from refrelax.syntax.scalars import BufferLoad, BufferRef, CommReducer, Let, RangeArg, SymVar
from refrelax.syntax.types import TensorType
from refrelax.syntax.write.lines import field_names

_NAMES: dict[type, str] = {
    Var: "name",
    Param: "name",
    VarBinding: "name",
    MatchCast: "name",
    SymVar: "name",
    Buffer: "name",
    BufferLoad: "buffer",
    BufferStore: "buffer",
    BufferRef: "buffer",
    BufferRegion: "buffer",
    RangeArg: "buffer",
    DataflowBlock: "outputs",
    Function: "symbols",
    IndexMap: "params",
    TensorType: "shape",
}
"""The field of a node that holds names of the function rather than data (a name, a tuple of names, or neither)."""


@dataclass(slots=True)
class _Renaming:
    """A one-to-one map of names, with scopes. ``fixed``: a name that no scope binds stays what it is."""

    forth: dict[str, str] = field(default_factory=dict)
    back: dict[str, str] = field(default_factory=dict)
    fixed: bool = False

    def agree(self, a: str, b: str) -> bool:
        """Whether ``a`` may become ``b``; remembers that it does."""
        if self.fixed and a not in self.forth and b not in self.back:
            return a == b
        return self.forth.setdefault(a, b) == b and self.back.setdefault(b, a) == a

    def enter(self, pairs: list[tuple[str, str]]) -> _Leave:
        """A scope begins: its own variables become each other; the result undoes that."""
        before = _Leave([(a, self.forth.get(a), b, self.back.get(b)) for a, b in pairs])
        for a, b in pairs:
            self.forth[a], self.back[b] = b, a
        return before

    def leave(self, scope: _Leave) -> None:
        """A scope ends: its variables mean again what they meant outside."""
        for a, partner, b, origin in reversed(scope.names):
            _restore(self.forth, a, partner)
            _restore(self.back, b, origin)

    def partners(self, left: tuple[str, ...], right: tuple[str, ...]) -> bool:
        """Whether two sets of names are one, in whatever order; those that were not met are paired in order."""
        met = {self.forth.get(each, each if self.fixed else None) for each in left}
        mine = [each for each in left if not self.fixed and each not in self.forth]
        other = [each for each in right if each not in met]
        known = len(left) == len(right) and len(mine) == len(other)
        return known and all(self.agree(x, y) for x, y in zip(mine, other, strict=True))


def _restore(table: dict[str, str], name: str, value: str | None) -> None:
    if value is None:
        table.pop(name, None)
    else:
        table[name] = value


@dataclass(slots=True)
class _Leave:
    """What the names of a scope meant before it began."""

    names: list[tuple[str, str | None, str, str | None]]


@dataclass(slots=True)
class _Declared:
    """The symbols that two functions declare: a set each."""

    left: tuple[str, ...]
    right: tuple[str, ...]


_Pair = tuple[object, object]


def alike(a: object, b: object) -> bool:
    """Whether ``a`` and ``b``, which hold no module, are equal up to renaming. Nothing here recurses."""
    return _same(a, b)


def equal_in_scope(a: object, b: object) -> bool:
    """Whether ``a`` and ``b`` differ at most in the names of the variables that they bind for themselves alone, such as
    that of a ``T.Let``."""
    return _same(a, b, fixed=True)


def outline(root: object) -> int:
    """A hash of what renaming does not touch: equal for what is structurally equal."""
    found: list[object] = []
    pending = [root]
    while pending:
        current = pending.pop()
        if isinstance(current, tuple):
            found.append(len(current))
            pending.extend(current)
        elif is_dataclass(current) and not isinstance(current, type):
            kind = type(current)
            found.append(kind)
            place = _NAMES.get(kind)
            pending.extend(
                _part(current, each)
                for each in field_names(kind)
                if each != place or not _holds_names(getattr(current, each))
            )
        elif isinstance(current, Hashable):
            found.append(current)
    return hash(tuple(found))


def _same(a: object, b: object, fixed: bool = False) -> bool:
    renaming = _Renaming(fixed=fixed)
    pending: list[_Pair | _Leave | _Declared] = [(a, b)]
    while pending:
        current = pending.pop()
        if isinstance(current, _Leave):
            renaming.leave(current)
            continue
        if isinstance(current, _Declared):
            if not renaming.partners(current.left, current.right):
                return False
            continue
        left, right = current
        if type(left) is not type(right):
            return False
        if isinstance(left, tuple) and isinstance(right, tuple):
            if len(left) != len(right):
                return False
            pending.extend(zip(reversed(left), reversed(right), strict=True))
        elif is_dataclass(left) and not isinstance(left, type):
            scope = _scope(left, right)
            if scope is not None:
                pending.append(renaming.enter(scope))
            if isinstance(left, Function) and isinstance(right, Function):
                pending.append(_Declared(left.symbols, right.symbols))  # after all that says which is which
            if not _names(left, right, renaming):
                return False
            skipped = _NAMES.get(type(left))
            for each in reversed(field_names(type(left))):
                if each != skipped or not _holds_names(getattr(left, each)):
                    pending.append((_part(left, each), _part(right, each)))
        elif isinstance(left, Mapping) or left != right:
            return False
    return True


def _part(node: object, name: str) -> object:
    """A field of a node; of a graph-level function's attributes what they say whatever its symbols are called."""
    return without_names(node) if name == "attrs" and isinstance(node, Function) else getattr(node, name)


def _holds_names(value: object) -> bool:
    return isinstance(value, str) or (isinstance(value, tuple) and all(isinstance(each, str) for each in value))


def _names(a: object, b: object, renaming: _Renaming) -> bool:
    place = _NAMES.get(type(a))
    if place is None or isinstance(a, Function):
        return True
    left, right = getattr(a, place), getattr(b, place)
    if isinstance(left, str) and isinstance(right, str):
        return renaming.agree(left, right)
    if _holds_names(left) and _holds_names(right) and isinstance(left, tuple) and isinstance(right, tuple):
        return len(left) == len(right) and all(renaming.agree(x, y) for x, y in zip(left, right, strict=True))
    return not _holds_names(left) and not _holds_names(right)


def _scope(a: object, b: object) -> list[tuple[str, str]] | None:
    """The variables that ``a`` and ``b`` bind for themselves alone."""
    match a, b:
        case IndexMap(), IndexMap():
            return list(zip(a.params, b.params, strict=False))
        case CommReducer(), CommReducer():
            left, right = (*a.lhs, *a.rhs), (*b.lhs, *b.rhs)
            return [(x.name, y.name) for x, y in zip(left, right, strict=False)]
        case Let(), Let():
            return [(a.var.name, b.var.name)]
        case _:
            return None
