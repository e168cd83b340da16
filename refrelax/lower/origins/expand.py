"""A module whose calls of loop programs are the calls of operators that they come from, where that is proved.

This undoes legalization and fusion for a reader that does better with operators than with loops. Nothing is checked
again: the types of what is new come with the origins.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace

from refrelax.lower.legalize.site import Typing
from refrelax.lower.origins.calls import Expansion, counted, expansion
from refrelax.lower.origins.proof import origin_of
from refrelax.lower.origins.text import Origin
from refrelax.lower.to_destinations import names_of
from refrelax.semantics.types.checked import CheckedModule
from refrelax.syntax.graph import (
    Binding,
    Block,
    Call,
    Function,
    GlobalVar,
    If,
    Op,
    SeqExpr,
    VarBinding,
)
from refrelax.syntax.loops import PrimFunc
from refrelax.syntax.module import BaseFunc, Module
from refrelax.syntax.types import Type

Usable = Callable[[Origin], bool]
"""Whether a reader wants the operators of an origin."""


@dataclass(frozen=True, slots=True)
class Expanded:
    """``types``: of every graph-level function, as in a ``CheckedModule``."""

    module: Module
    types: Mapping[str, Mapping[str, Type]]


def expanded(whole: Expanded, checked: CheckedModule, origins: Mapping[str, Origin]) -> Expanded:
    """A module with calls of loop programs whose ``origins`` are known written as operators; ``checked``: what it was
    made from."""
    functions: dict[str, BaseFunc] = dict(whole.module.functions)
    types: dict[str, Mapping[str, Type]] = dict(whole.types)
    calls = 0
    for name, function in whole.module.relax_functions().items() if origins else ():
        writer = _Expander(checked, origins, dict(types.get(name, {})), names_of(function).fresh)
        functions[name] = writer.function(function, "")
        types[name] = writer.types
        calls += writer.calls
    return replace(whole, module=whole.module.with_functions(functions), types=types) if calls else whole


def proved_origins(module: Module, usable: Usable) -> dict[str, Origin]:
    """The origins of a module's loop programs."""
    found = {name: origin_of(func) for name, func in module.prim_funcs().items()}
    return {name: each for name, each in found.items() if each is not None and usable(each)}


@dataclass(slots=True)
class _Expander:
    checked: CheckedModule
    origins: Mapping[str, Origin]
    types: dict[str, Type]
    fresh: Callable[[str], str]
    counts: frozenset[str] = frozenset()
    calls: int = 0

    def function(self, func: Function, path: str) -> Function:
        before = self.counts
        self.counts |= counted(p.type for p in func.params)
        new = replace(func, body=self.sequence(func.body, path))
        self.counts = before
        return new

    def sequence(self, seq: SeqExpr, path: str) -> SeqExpr:
        return replace(seq, blocks=tuple(self.block(each, path) for each in seq.blocks))

    def block(self, block: Block, path: str) -> Block:
        return replace(block, bindings=tuple(new for old in block.bindings for new in self.binding(old, path)))

    def binding(self, binding: Binding, path: str) -> list[Binding]:
        match binding:
            case VarBinding(value=If() as branch):
                then, other = self.sequence(branch.then_branch, path), self.sequence(branch.else_branch, path)
                return [replace(binding, value=replace(branch, then_branch=then, else_branch=other))]
            case VarBinding(value=Function() as inner):
                return [replace(binding, value=self.function(inner, f"{path}{binding.name}/"))]
            case VarBinding(value=Call(op=Op(name="relax.call_tir"), args=(GlobalVar(name=callee), _))) if (
                callee in self.origins
            ):
                found = self.expansion(binding, callee, path)
                return [binding] if found is None else list(found.bindings)
            case _:
                return [binding]

    def expansion(self, binding: VarBinding, callee: str, path: str) -> Expansion | None:
        func = self.checked.module.functions[callee]
        assert isinstance(func, PrimFunc)
        typing = Typing(self.checked.module, lambda name: self.types.get(path + name) or self.types.get(name))
        found = expansion(binding, func, self.origins[callee], typing, self.fresh, self.counts)
        if found is not None:
            self.calls += 1
            self.types |= {path + name: type_ for name, type_ in found.types.items()}
        return found
