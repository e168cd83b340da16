"""Build: a module of calls that a virtual machine runs, with every annotation of its graph level erased.

Symbols live in an ``int64`` table; what an annotation promised to check is checked by calls; what an operator of memory
did is done by calls of the machine's library. A function that has something for which the machine has no call (an
operator that was not legalized, a local function) stays as it is, and so do the functions that call it.

``table`` has the symbols, ``checks`` the checks, ``calls`` the calls, ``rewrite`` a function.

Spec: ``spec/14-build.md``.
"""

from __future__ import annotations

from refrelax.lower.build.rewrite import Unbuildable, built
from refrelax.lower.build.table import Programs
from refrelax.lower.claims import Ledger
from refrelax.rules import rule
from refrelax.semantics.graph.link import callees
from refrelax.semantics.types.checked import CheckedModule
from refrelax.syntax.graph import Function
from refrelax.syntax.module import BaseFunc, Module


@rule("lo/build", "lo/build-whole")
def run(checked: CheckedModule, ledger: Ledger) -> Module:
    """The module with every graph-level function built that can be."""
    functions = checked.module.functions
    waiting = {name: f for name, f in functions.items() if isinstance(f, Function)}
    left = _not_buildable(checked, waiting)
    ledger.left.update(left)
    result: dict[str, BaseFunc] = {name: f for name, f in functions.items() if name not in waiting or name in left}
    programs = Programs(frozenset(functions), ledger)
    for name, function in waiting.items():
        if name not in left:
            result[name] = built(checked, name, function, programs)
    ordered = {**programs.functions, **{name: result[name] for name in functions}}
    return checked.module.with_functions(ordered)


def _not_buildable(checked: CheckedModule, graph: dict[str, Function]) -> dict[str, str]:
    """The functions that stay, each with why. Those that call them stay, too, and those that they call: what has no
    type is no argument for a parameter that has one, and no operand of an operator."""
    left: dict[str, str] = {}
    for name, function in graph.items():
        try:
            built(checked, name, function, Programs(frozenset(graph), Ledger("quick")), hoist=False)
        except Unbuildable as why:
            left[name] = str(why)
    calls = {name: set(callees(function)) & graph.keys() for name, function in graph.items()}
    waiting = list(left)
    while waiting:
        name = waiting.pop()
        near = {other: f"it calls {name}, which stays" for other, called in calls.items() if name in called}
        near |= dict.fromkeys(calls[name], f"{name}, which stays, calls it")
        for other in sorted(near.keys() - left.keys()):
            left[other] = near[other]
            waiting.append(other)
    return left
