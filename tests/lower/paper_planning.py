"""The paper's Algorithm 3 as printed: memory planning that knows no alias and no branch.

Bindings in order: an allocation takes a free storage whose symbolic size is proved equal (``RequestReuseWithSymShape``)
or a new one; after any other operation the storage of every tensor that is mentioned no more is free. Liveness goes by
the name of the tensor. For tests only: it shows where the printed text and ``plan_memory`` part.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace

from refrelax.lower.memory_sizes import allocated, nbytes
from refrelax.lower.names import Taken
from refrelax.lower.plan_memory import Slot, storage
from refrelax.lower.to_destinations import names_of
from refrelax.semantics.dims import NO_FACTS, equal
from refrelax.syntax.graph import (
    Binding,
    BindingBlock,
    Call,
    DataTypeValue,
    Expr,
    Function,
    If,
    Op,
    PrimValue,
    ShapeExpr,
    Tuple,
    Var,
    VarBinding,
)
from refrelax.syntax.module import Module
from refrelax.syntax.scalars import int_imm


def planned_as_printed(module: Module, name: str = "main") -> Module:
    """The module with one function planned."""
    func = module.functions[name]
    assert isinstance(func, Function)
    return module.with_functions({**module.functions, name: _Printed(names_of(func)).function(func)})


@dataclass
class _Printed:
    taken: Taken
    pool: list[Slot] = field(default_factory=list)
    of: dict[str, Slot] = field(default_factory=dict)

    def function(self, func: Function) -> Function:
        bindings = [b for block in func.body.blocks for b in block.bindings]
        found: list[Binding] = []
        for index, binding in enumerate(bindings):
            new = allocated(binding.value) if isinstance(binding, VarBinding) else None
            if new is None or _names(func.body.body) & {binding.name}:
                found.append(binding)
                self.recycle(binding, bindings[index + 1 :], func.body.body)
                continue
            dims, dtype = new
            slot = self.request_reuse(nbytes(dims, dtype))
            if slot is None:
                slot = Slot(self.taken.fresh("storage"), nbytes(dims, dtype), (dims,), 1)
                found.append(storage(slot))
            self.of[binding.name] = slot
            args = (Var(slot.name), PrimValue(int_imm(0)), ShapeExpr(dims), DataTypeValue(dtype), PrimValue(int_imm(0)))
            found.append(replace(binding, value=Call(Op("relax.memory.alloc_tensor"), args)))
        return replace(func, body=replace(func.body, blocks=(BindingBlock(tuple(found)),)))

    def request_reuse(self, size: object) -> Slot | None:
        """``RequestReuseWithSymShape``."""
        for slot in self.pool:
            if equal(slot.size, size, NO_FACTS) is True:  # type: ignore[arg-type]
                self.pool.remove(slot)
                return slot
        return None

    def recycle(self, binding: Binding, later: list[Binding], result: Expr) -> None:
        """Free the storage of every tensor of the operation that is dead after it."""
        alive = set().union(*(_names(b.value) for b in later), _names(result))
        for name in _names(binding.value) - alive:
            if name in self.of:
                self.pool.append(self.of.pop(name))


def _names(e: Expr) -> set[str]:
    """The arguments of an operation: what stands inside the branches of an ``if`` is none."""
    match e:
        case Var(name=name):
            return {name}
        case Call(args=args):
            return set().union(*map(_names, args))
        case Tuple(fields=fields):
            return set().union(*map(_names, fields))
        case If(condition=condition):
            return _names(condition)
        case _:
            return set()
