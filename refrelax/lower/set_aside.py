"""Contracts set aside while a pass rewrites the rest.

A contract says what a library function computes. A pass may make a program more defined than it was; a contract that
it made so would promise more than the library keeps. So passes do not see private contracts; one that nothing names
any more is dropped.

Spec: ``spec/10-lowering.md``, ``lo/contract-kept``.
"""

from __future__ import annotations

from collections.abc import Callable

from refrelax.lower.claims import Ledger
from refrelax.lower.names import Taken
from refrelax.lower.orphans import called
from refrelax.rules import rule
from refrelax.semantics.builtins.library import LIBRARY
from refrelax.semantics.graph.link import named_libraries, nodes
from refrelax.semantics.types.check import check
from refrelax.semantics.types.checked import CheckedModule
from refrelax.semantics.types.wellformed.heads import contracts_of
from refrelax.syntax.graph import Function
from refrelax.syntax.module import Module


def beside_contracts(
    run: Callable[[CheckedModule, Ledger], Module], machine: bool = False
) -> Callable[[CheckedModule, Ledger], Module]:
    """A pass that leaves contracts as they are. ``machine``: it writes calls of the virtual machine's library, which
    mean something else in a module that has a contract of such a name."""

    def apart_from(checked: CheckedModule, ledger: Ledger) -> Module:
        other = sorted(name for name in contracts_of(checked.module) if machine and name in LIBRARY)
        if other:
            ledger.left["the module"] = f"it has a contract of {other[0]}, a call of the machine's"
            return checked.module
        return with_contracts(run(without_contracts(checked), ledger), checked.module)

    return apart_from


def apart(module: Module) -> set[str]:
    """The contracts that only their attribute makes part of the module: private, alone, and called by no name."""
    names = set(contracts_of(module).values())
    if not names:
        return names
    elsewhere = called(module.functions)
    return {
        name
        for name in names - elsewhere
        if isinstance(f := module.functions[name], Function) and f.private and not called({name: f})
    }


def without_contracts(checked: CheckedModule) -> CheckedModule:
    """The module without the contracts that are set aside."""
    aside = apart(checked.module)
    if not aside:
        return checked
    rest = {name: f for name, f in checked.module.functions.items() if name not in aside}
    return check(checked.module.with_functions(rest))


@rule("lo/contract-kept")
def with_contracts(module: Module, before: Module) -> Module:
    """``module`` with the contracts of ``before`` as they were, those left out that nothing names any more."""
    aside = apart(before)
    if not aside:
        return module
    contracts = contracts_of(before)
    named, still = libraries_named(before), libraries_named(module)
    waiting = list(still)
    while waiting:  # what a contract that stays calls has its contract, too
        contract = contracts.get(waiting.pop())
        more = libraries_named(before.with_functions({contract: before.functions[contract]})) if contract else set()
        waiting += more - still
        still |= more
    functions, names = dict(module.functions), Taken(module.functions)
    for library, contract in contracts.items():
        if contract in aside and (library in still or library not in named):
            functions[names.fresh(contract)] = before.functions[contract]
    return module.with_functions(functions)


def libraries_named(module: Module) -> set[str]:
    """The library functions that anything in the module calls or names."""
    return {name for f in module.functions.values() for node in nodes(f) for name in named_libraries(node)}
