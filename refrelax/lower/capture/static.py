"""Storages that may be kept from one run to the next.

Spec: ``spec/14-build.md``, ``lo/capture-static``.
"""

from __future__ import annotations

from refrelax.lower.aliases import aliases_of, kept_by_libraries, names_in
from refrelax.semantics.graph.link import callees_of, nodes, reached_nodes
from refrelax.semantics.types.wellformed.heads import contracts_of
from refrelax.syntax.graph import Call, Function, Op, ShapeExpr, Var, VarBinding
from refrelax.syntax.module import Module
from refrelax.syntax.scalars import SymVar, as_int

ALLOC_STORAGE = "relax.memory.alloc_storage"


def static_storages(module: Module, name: str, func: Function) -> dict[str, Call]:
    """The storages of literal size that no name outside may see, by name, with what allocates them."""
    found = {
        binding.name: binding.value
        for block in func.body.blocks
        for binding in block.bindings
        if isinstance(binding, VarBinding) and isinstance(binding.value, Call) and _literal(binding.value)
    }
    if not found or reaches(module, name, name):
        return {}
    aliases = aliases_of(module, func)
    leaving = (*names_in(func.body.body), *(p.name for p in func.params), *kept_by_libraries(module, func))
    outside = set(map(aliases.find, leaving))
    return {each: call for each, call in found.items() if aliases.find(each) not in outside}


def _literal(call: Call) -> bool:
    """Whether a call allocates a storage of a size that is written and is one, and everything else about it is written
    as well: it is made elsewhere, before all that the function does."""
    if not (isinstance(call.op, Op) and call.op.name == ALLOC_STORAGE):
        return False
    if any(isinstance(node, Var | SymVar) for node in nodes(call.args)):
        return False
    size = call.args[0]
    return isinstance(size, ShapeExpr) and all((as_int(d) or 0) >= 0 for d in size.values)


def reaches(module: Module, start: str, goal: str) -> bool:
    """Whether calls from one function may come to another."""
    contracts = contracts_of(module)
    found = reached_nodes(module.functions, (start,))
    return any(goal in callees_of(node, contracts) for _name, node in found)
