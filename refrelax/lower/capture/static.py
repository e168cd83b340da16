"""Storages that may be kept from one run to the next.

Spec: ``spec/14-build.md``, ``lo/capture-static``.
"""

from __future__ import annotations

from collections import Counter

from refrelax.lower.aliases import aliases_of, kept_by_libraries, names_in
from refrelax.semantics.graph.link import callees_of, nodes, reached_nodes
from refrelax.semantics.ops.forms import CALL_FORMS
from refrelax.semantics.types.wellformed.heads import contracts_of
from refrelax.syntax.graph import Call, Function, GlobalVar, Op, ShapeExpr, Var, VarBinding
from refrelax.syntax.module import Module
from refrelax.syntax.scalars import SymVar, as_int

ALLOC_STORAGE = "relax.memory.alloc_storage"
INVOKING = frozenset({"relax.invoke_closure", "relax.invoke_pure_closure"})


def static_storages(module: Module, name: str, func: Function) -> dict[str, Call]:
    """The storages of literal size that no name outside may see, by name, with what allocates them."""
    found = {
        binding.name: binding.value
        for block in func.body.blocks
        for binding in block.bindings
        if isinstance(binding, VarBinding) and isinstance(binding.value, Call) and _literal(binding.value)
    }
    if not found or reaches_itself(module, name):
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


def reaches_itself(module: Module, name: str) -> bool:
    """Whether a function may run while it runs: by calls, or by one of what is a value or a library function, where
    some value may be a function that comes to it."""
    if reaches(module, name, name):
        return True
    if not any(_of_a_value(node) for _name, node in reached_nodes(module.functions, (name,))):
        return False
    return any(each == name or reaches(module, each, name) for each in _values(module))


def _of_a_value(node: object) -> bool:
    """Whether a call may run a function that is a value: its callee is one, or a library function is given one."""
    match node:
        case Call(op=Op(name=op)):
            return op in CALL_FORMS and (CALL_FORMS[op].library or op in INVOKING)
        case Call(op=op):
            return not isinstance(op, GlobalVar)
        case _:
            return False


def _values(module: Module) -> set[str]:
    """The graph-level functions of the module that are values somewhere, and those that local functions call."""
    every = [node for function in module.functions.values() for node in nodes(function)]
    named = Counter(node.name for node in every if isinstance(node, GlobalVar))
    named.subtract(node.op.name for node in every if isinstance(node, Call) and isinstance(node.op, GlobalVar))
    local = (node.value for node in every if isinstance(node, VarBinding) and isinstance(node.value, Function))
    inside = {node.name for function in local for node in nodes(function) if isinstance(node, GlobalVar)}
    given = {each for each, times in named.items() if times > 0}
    return {each for each in given | inside if isinstance(module.functions.get(each), Function)}


def reaches(module: Module, start: str, goal: str) -> bool:
    """Whether calls from one function may come to another."""
    contracts = contracts_of(module)
    found = reached_nodes(module.functions, (start,))
    return any(goal in callees_of(node, contracts) for _name, node in found)
