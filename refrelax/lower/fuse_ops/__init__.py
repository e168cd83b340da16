"""FuseOps: calls of loop programs in a dataflow block become calls of private ``Primitive`` functions.

What is grouped follows from the kinds of the loop programs and from post-dominance; a group never reaches across a
``match_cast``, an effect, a call in place, or the end of its block. That the calls inside a group go through their
entry checks is proved first (``lo/fuse-shape-equal``), since ``fuse_loops`` drops these checks.

Spec: ``spec/11-fusion.md``.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from refrelax.lower.claims import Ledger
from refrelax.lower.fuse_ops.graph import Member, read_block
from refrelax.lower.fuse_ops.groups import form_groups
from refrelax.lower.fuse_ops.interface import extents, interface_holds
from refrelax.lower.fuse_ops.outputs import split_outputs
from refrelax.lower.fuse_ops.primitive import Primitive, is_primitive, make_primitive, undefined_symbols
from refrelax.lower.names import Taken
from refrelax.lower.orphans import without_orphans
from refrelax.rules import rule
from refrelax.semantics.symbol_bounds import as_claims
from refrelax.semantics.types.check import check
from refrelax.semantics.types.checked import CheckedModule
from refrelax.semantics.types.renaming import definable
from refrelax.syntax.graph import Binding, BindingBlock, Block, DataflowBlock, Function, If, SeqExpr, VarBinding
from refrelax.syntax.module import BaseFunc, Module
from refrelax.syntax.scalars import PrimExpr
from refrelax.syntax.types import PrimType, TensorType, Type

__all__ = ["run"]


def run(checked: CheckedModule, ledger: Ledger) -> Module:
    """The pass."""
    before = checked.module.functions
    names = Taken(before)
    module = split_outputs(checked, ledger, names)
    if module is not checked.module:
        checked = check(module)
    functions: dict[str, BaseFunc] = dict(module.functions)
    for name, function in module.relax_functions().items():
        if not is_primitive(function):
            fuser = _Fuser(checked, ledger, name, names, as_claims(function))
            functions[name] = replace(function, body=fuser.sequence(function.body))
            functions.update(fuser.made)
    return module.with_functions(without_orphans(functions, before))


class _Fuser:
    """One function. ``made``: the functions of its groups."""

    def __init__(
        self, checked: CheckedModule, ledger: Ledger, where: str, names: Taken, promises: tuple[PrimExpr, ...]
    ) -> None:
        self.checked = checked
        self.ledger = ledger
        self.where = where
        self.promises = promises
        self.names = names
        self.types: Mapping[str, Type] = checked.types.get(where, {})
        self.made: dict[str, BaseFunc] = {}

    def sequence(self, seq: SeqExpr) -> SeqExpr:
        return replace(seq, blocks=tuple(map(self.block, seq.blocks)))

    def block(self, block: Block) -> Block:
        if isinstance(block, BindingBlock):
            return BindingBlock(tuple(map(self.branches, block.bindings)))
        return self.dataflow(block)

    def branches(self, binding: Binding) -> Binding:
        """The blocks of both branches of an ``if``."""
        if isinstance(binding, VarBinding) and isinstance(binding.value, If):
            value = binding.value
            then, other = self.sequence(value.then_branch), self.sequence(value.else_branch)
            return replace(binding, value=replace(value, then_branch=then, else_branch=other))
        return binding

    def dataflow(self, block: DataflowBlock) -> DataflowBlock:
        graph = read_block(self.checked, self.where, block)
        dropped: set[int] = set()
        new: dict[int, VarBinding] = {}
        for members in form_groups(graph):
            made = self.primitive(members)
            if made is not None:
                dropped |= {m.position for m in members[:-1]}
                new[members[-1].position] = made.binding
                self.made[made.name] = made.function
        bindings = tuple(new.get(p, b) for p, b in enumerate(block.bindings) if p not in dropped)
        return replace(block, bindings=bindings)

    def primitive(self, members: list[Member]) -> Primitive | None:
        """The group as a function, if every entry check inside it is proved to succeed."""
        types = [o for m in members for o in (*m.operands, m.out) if isinstance(o, TensorType)]
        known = extents(types, self.promises)
        for m in members:
            if not interface_holds(self.ledger, m, f"{self.where}.{m.name}: cls.{m.callee}", known):
                return None
        return None if self.takes_a_scalar(members, types) else make_primitive(members, self.names)

    @rule("lo/fuse-symbol-parameter")
    def takes_a_scalar(self, members: list[Member], types: list[TensorType]) -> bool:
        """Whether the group would need a scalar in a shape that may be negative: bound there, it would leave the run
        open (``ev/negative-extent``)."""
        function = self.checked.module.functions[self.where]
        declared = [p.type for p in function.params if p.type is not None] if isinstance(function, Function) else []
        natural = {symbol.name for each in (*declared, *types) for symbol in definable(each)}
        return any(
            isinstance(self.types.get(symbol.name), PrimType) and symbol.name not in natural
            for symbol in undefined_symbols(members, [])
        )
