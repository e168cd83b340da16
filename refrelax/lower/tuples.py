"""Fields of tuples that are written out, and other names for one value, are replaced by what they are.

``t = (a, b); c = t[0]`` makes ``c`` another name of ``a``; inside a dataflow block, where ``c`` does not leave it and
has the type of ``a``, every use of ``c`` becomes one of ``a``.

Spec: ``spec/10-lowering.md``.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, fields, is_dataclass, replace
from typing import Any

from refrelax.lower.kills import killed
from refrelax.rules import rule
from refrelax.syntax.graph import (
    Binding,
    Block,
    DataflowBlock,
    Expr,
    Function,
    If,
    SeqExpr,
    Tuple,
    TupleGetItem,
    Var,
    VarBinding,
)
from refrelax.syntax.types import Type


def resolve_fields(func: Function, types: Mapping[str, Type]) -> Function:
    """The function with known fields and aliases resolved. ``types``: of its own bindings, by name."""
    return replace(func, body=_Resolver(types, killed(func)).sequence(func.body))


@dataclass(slots=True)
class _Resolver:
    """``killed``: names that are not used in the place of others, which may live longer."""

    types: Mapping[str, Type]
    killed: frozenset[str]
    tuples: dict[str, Tuple] = field(default_factory=dict)
    aliases: dict[str, str] = field(default_factory=dict)

    def sequence(self, seq: SeqExpr) -> SeqExpr:
        blocks = tuple(self.block(each) for each in seq.blocks)
        return replace(seq, blocks=blocks, body=renamed(seq.body, self.aliases))

    def block(self, block: Block) -> Block:
        local = isinstance(block, DataflowBlock)
        outputs = block.outputs if isinstance(block, DataflowBlock) else ()
        outside = dict(self.tuples)
        bindings = tuple(self.binding(b, local and b.name not in outputs) for b in block.bindings)
        if local:  # what a tuple made here holds may not be visible after the block
            self.tuples = outside
        return replace(block, bindings=bindings)

    @rule("lo/known-field")
    def binding(self, binding: Binding, local: bool) -> Binding:
        if isinstance(binding, VarBinding) and isinstance(binding.value, If):
            branch = binding.value
            yes, no = self.sequence(branch.then_branch), self.sequence(branch.else_branch)
            condition = renamed(branch.condition, self.aliases)
            return replace(binding, value=replace(branch, condition=condition, then_branch=yes, else_branch=no))
        new: Binding = renamed(binding, self.aliases)
        if not isinstance(new, VarBinding):
            return new
        value = self.known(new.value)
        if isinstance(value, Tuple):
            self.tuples[new.name] = value
        if local and isinstance(value, Var) and self.types.get(new.name) == self.types.get(value.name, self):
            self.aliases[new.name] = value.name
        return replace(new, value=value)

    def known(self, value: Expr) -> Expr:
        """A field of a tuple that is written out; anything else as it is."""
        if isinstance(value, TupleGetItem) and isinstance(value.tuple, Var) and value.tuple.name in self.tuples:
            found = self.tuples[value.tuple.name].fields[value.index]
            return found if isinstance(found, Var) and found.name not in self.killed else value
        return value


def renamed(root: Any, names: Mapping[str, str]) -> Any:
    """``root`` with variables exchanged; parts without one are the same objects."""
    if not names:
        return root
    if isinstance(root, Var):
        return replace(root, name=names[root.name]) if root.name in names else root
    if isinstance(root, tuple):
        items = tuple(renamed(each, names) for each in root)
        return root if all(a is b for a, b in zip(items, root, strict=True)) else items
    if not is_dataclass(root) or isinstance(root, type):
        return root
    changes = {}
    for each in fields(root):
        old = getattr(root, each.name)
        new = renamed(old, names) if each.init else old
        if new is not old:
            changes[each.name] = new
    return replace(root, **changes) if changes else root
