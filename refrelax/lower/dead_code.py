"""Dead code: bindings that nothing uses, functions that nothing calls, names of what has a name.

Inside a dataflow block an unused binding goes even if computing it could fail: a run that ended there goes on, and ends
as what stands behind it says (it may return, or be open). All other runs end as they did. The binding stays where it
may store into what has another name (a call in place), which is seen there, or calls a function that prints, or a
library function for its effect. Outside, one goes only if its value cannot
fail: a name, a constant, a tuple of such, a field, a closure. No claim is needed.

Spec: ``spec/10-lowering.md``.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from typing import Any

from refrelax.lower.claims import Ledger
from refrelax.lower.effects import CLOSURES, Effects
from refrelax.lower.tuples import resolve_fields
from refrelax.rules import rule
from refrelax.semantics.graph.link import nodes, reached
from refrelax.semantics.graph.overwriting import Overwriting
from refrelax.semantics.types.checked import CheckedModule
from refrelax.syntax.graph import (
    Binding,
    Block,
    Call,
    Constant,
    ConstantRef,
    DataflowBlock,
    DataTypeValue,
    DistConstant,
    Expr,
    ExternFunc,
    Function,
    GlobalVar,
    If,
    MatchCast,
    PrimValue,
    SeqExpr,
    StringValue,
    Tuple,
    TupleGetItem,
    Var,
    VarBinding,
)
from refrelax.syntax.loops import PrimFunc
from refrelax.syntax.module import BaseFunc, Module
from refrelax.syntax.scalars import SymVar
from refrelax.syntax.types import TensorType, definable


def run(checked: CheckedModule, ledger: Ledger) -> Module:
    """The module without dead bindings, then without dead private functions."""
    functions: dict[str, BaseFunc] = {}
    overwrites, effects = Overwriting(checked.module.functions), Effects(checked.module.functions)
    for name, func in checked.module.functions.items():
        if isinstance(func, Function):
            func = _Sweep(overwrites, effects, _closures_overwrite(func, overwrites)).function(
                resolve_fields(func, checked.types.get(name, {}))
            )
        functions[name] = func
    return checked.module.with_functions(_live(functions))


# --- bindings --------------------------------------------------------------------------------------------------------


def mentions(root: Any) -> Iterator[str]:
    """Names of the variables and symbols that occur below ``root``, in expressions and in types."""
    for node in nodes(root):
        match node:
            case Var(name=name) | SymVar(name=name):
                yield name
            case TensorType(shape=str() as name):
                yield name
            case _:
                pass


@dataclass(slots=True)
class _Sweep:
    """One function of the module, from its end: what is mentioned further down, and the symbols of its arguments.
    ``closures``: a local function of it may overwrite something."""

    overwrites: Overwriting
    effects: Effects
    closures: bool
    used: set[str] = field(default_factory=set)
    given: set[str] = field(default_factory=set)

    def function(self, func: Function) -> Function:
        """The function with a swept body; everything it mentions counts as used."""
        symbols = set(mentions(tuple(p.type for p in func.params)))
        known = {s.name for p in func.params if p.type is not None for s in definable(p.type)}
        outside, self.given = self.given, self.given | known  # (of a local function, in it alone)
        body = self.sequence(func.body)
        self.given = outside
        self.used |= symbols | set(mentions(func.ret)) | set(mentions(func.attrs))
        return replace(func, body=body)

    def sequence(self, seq: SeqExpr) -> SeqExpr:
        self.used |= set(mentions(seq.body))
        blocks = [self.block(each) for each in reversed(seq.blocks)]
        return replace(seq, blocks=tuple(each for each in reversed(blocks) if each.bindings))

    def block(self, block: Block) -> Block:
        if not isinstance(block, DataflowBlock):
            return replace(block, bindings=self.bindings(block, pure=False))
        later = set(self.used)
        kept = self.bindings(block, pure=True)
        # A scalar is a symbol, too: the type of another output may mention it.
        named = {b.name for b in kept if isinstance(b, VarBinding) and isinstance(b.value, PrimValue)}
        outputs = tuple(n for n in block.outputs if n in later or (n in named and n in self.used))
        return replace(block, bindings=kept, outputs=outputs)

    def bindings(self, block: Block, pure: bool) -> tuple[Binding, ...]:
        kept = [new for old in reversed(block.bindings) if (new := self.binding(old, pure)) is not None]
        return tuple(reversed(kept))

    @rule("lo/dead-binding")
    def binding(self, binding: Binding, pure: bool) -> Binding | None:
        """The binding with what is inside it swept; ``None`` if it is dead."""
        if binding.name not in self.used and self._may_go(binding, pure):
            return None
        match binding:
            case VarBinding(value=If() as branch):
                yes, no = self.sequence(branch.then_branch), self.sequence(branch.else_branch)
                self.used |= set(mentions((branch.condition, binding.annotation)))
                return replace(binding, value=replace(branch, then_branch=yes, else_branch=no))
            case VarBinding(value=Function() as inner):
                self.used |= set(mentions(binding.annotation))
                return replace(binding, value=self.function(inner))
            case _:
                self.used |= set(mentions(binding))
                return binding

    def _may_go(self, binding: Binding, pure: bool) -> bool:
        if isinstance(binding, MatchCast):
            return pure and not (set(mentions(binding.type)) - self.given) & self.used
        return (pure and not self._is_seen(binding.value)) or _cannot_fail(binding.value)

    def _is_seen(self, value: Expr) -> bool:
        """Whether computing a value may store into what has another name, which is used where it is seen, or have an
        effect."""
        if self.overwrites.within(value) or self.effects.within(value):
            return True
        return self.closures and any(map(_calls_unknown, nodes(value)))


def _closures_overwrite(func: Function, overwrites: Overwriting) -> bool:
    inner = (b.value for b in nodes(func.body) if isinstance(b, VarBinding) and isinstance(b.value, Function))
    return any(map(overwrites.within, inner))


def _calls_unknown(node: object) -> bool:
    """Whether a node calls a function that has no name in the module."""
    return isinstance(node, Call) and (isinstance(node.op, Var) or getattr(node.op, "name", "") in CLOSURES)


def _cannot_fail(value: Expr) -> bool:
    match value:
        case Tuple(fields=fields):
            return all(map(_cannot_fail, fields))
        case TupleGetItem(tuple=inner):
            return _cannot_fail(inner)
        case _:
            return isinstance(
                value,
                Var
                | GlobalVar
                | ExternFunc
                | Constant
                | DistConstant
                | ConstantRef
                | StringValue
                | DataTypeValue
                | Function,
            )


# --- functions -------------------------------------------------------------------------------------------------------


@rule("lo/dead-function")
def _live(functions: dict[str, BaseFunc]) -> dict[str, BaseFunc]:
    """The functions that a public one reaches; all of them if none is public."""
    live = [name for name, f in functions.items() if not (isinstance(f, Function | PrimFunc) and f.private)]
    if not live:
        return functions
    return reached(functions, live)
