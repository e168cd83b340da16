"""How much of a function there is: operators at graph level, calls of loop programs and of library functions."""

from __future__ import annotations

from collections.abc import Iterator

from refrelax.semantics.graph.link import nodes
from refrelax.syntax.graph import Call, Function, GlobalVar, Op
from refrelax.syntax.module import Module

LOOPS = ("relax.call_tir", "relax.call_tir_inplace", "relax.call_tir_with_grad")
LIBRARY = ("relax.call_dps_packed", "relax.call_pure_packed")


def calls(module: Module, name: str) -> Iterator[str]:
    """The operators that a function calls, by name; of a group that is a function of its own (``Primitive``) its name
    begins with ``@``."""
    func = module.functions.get(name)
    for node in nodes(func) if isinstance(func, Function) else ():
        if isinstance(node, Call):
            match node.op:
                case Op(name=op):
                    yield op
                case GlobalVar(name=callee):
                    yield f"@{callee}"
                case _:
                    pass


def launches(module: Module, name: str) -> int:
    """Calls of loop programs."""
    return sum(op in LOOPS or op.startswith("@") for op in calls(module, name))


def dispatched(module: Module, name: str) -> int:
    """Calls of library functions."""
    return sum(op in LIBRARY for op in calls(module, name))


def operators(module: Module, name: str) -> int:
    """Calls of operators that compute: those of loop programs and library functions are counted elsewhere."""
    return sum(not op.startswith("@") and op not in LOOPS + LIBRARY for op in calls(module, name))
