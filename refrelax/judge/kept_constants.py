"""Whether the constants of a module hold what the module says while it runs.

A call in place, a loop program that stores into its input or a library function may store into a constant. Nobody shows
what the constant holds then, so that a binding of it cannot be judged by itself.
"""

from __future__ import annotations

from refrelax.lower.aliases import aliases_of, names_in
from refrelax.semantics.graph.link import callees, callees_of, nodes, reached_nodes
from refrelax.semantics.graph.overwriting import Overwriting
from refrelax.semantics.graph.unknown_calls import functions_named, of_library
from refrelax.semantics.ops import FRESH
from refrelax.semantics.types.wellformed.heads import contracts_of
from refrelax.syntax.graph import Call, Constant, ConstantRef, DistConstant, Function, Op, VarBinding
from refrelax.syntax.module import Module


def constants_are_kept(module: Module) -> bool:
    """Whether no call stores into a constant, as far as names tell; of functions that mention one another, be it as
    the contract of a library function, they do not."""
    functions, overwrites = module.relax_functions(), Overwriting(module.functions)
    storing: dict[str, tuple[object, ...]] = {}
    for name, function in functions.items():
        named = functions_named(function)
        library = (n for n in nodes(function) if isinstance(n, Call) and of_library(n, module.functions, named))
        if calls := (*filter(overwrites, nodes(function)), *library):
            storing[name] = calls
    if not storing:
        return True
    contracts = contracts_of(module)
    reached = (node for _, node in reached_nodes(module.functions, functions))
    if any(callee in functions for node in reached for callee in callees_of(node, contracts)):
        return False  # (what one of them gives may be a constant, and may be stored in by the other)
    return all(_apart(module, functions[name], calls) for name, calls in storing.items())


def _apart(module: Module, function: Function, calls: tuple[object, ...]) -> bool:
    """Whether what the calls mention is no constant, by this name or another."""
    aliases = aliases_of(module, function)
    stored = {aliases.find(each) for each in names_in(calls)}
    for node in nodes(function):
        match node:
            case VarBinding(value=Call(op=Op(name=op))) if op in FRESH and not any(
                node.value is call for call in calls
            ):
                continue
            case VarBinding(name=name, value=value) if aliases.find(name) in stored and mentions_constant(value):
                return False
            case _:
                pass
    return not any(map(mentions_constant, calls))


def mentions_constant(node: object) -> bool:
    """Whether a constant stands in it."""
    return any(map(_is_constant, nodes(node)))


def reaches_constant(module: Module, node: object) -> bool:
    """Whether a constant stands in it, or in the contract of a library function that it calls."""
    called = [each for each in callees(node, contracts_of(module)) if each in module.functions]
    return mentions_constant(node) or any(map(_is_constant, (n for _, n in reached_nodes(module.functions, called))))


def _is_constant(node: object) -> bool:
    return isinstance(node, Constant | ConstantRef | DistConstant)
