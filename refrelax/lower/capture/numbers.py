"""The numbers under which a module keeps memory and recorded runs.

Spec: ``spec/14-build.md``, ``lo/capture-static``.
"""

from __future__ import annotations

from collections import Counter

from refrelax.semantics.graph.link import nodes
from refrelax.syntax.graph import Call, Expr, ExternFunc, Op, PrimValue, StringValue, Tuple
from refrelax.syntax.module import Module
from refrelax.syntax.scalars import as_int

CACHED, RECORDED = "vm.builtin.cuda_graph.get_cached_alloc", "vm.builtin.cuda_graph.run_or_capture"
PLACE = {CACHED: 1, RECORDED: 2}
"""Which argument the number is."""


def numbers(module: Module) -> Counter[tuple[str, int | None]]:
    """How often each number is used, for what. ``None``: the name stands elsewhere than in a call with a literal
    number, so that nobody knows."""
    found: Counter[tuple[str, int | None]] = Counter()
    for function in module.relax_functions().values():
        for node in nodes(function):
            match node:
                case (
                    Call(op=Op("relax.call_builtin_with_ctx"), args=(ExternFunc(name), Tuple(args)))
                    | Call(op=ExternFunc(name), args=args)
                ) if name in PLACE:
                    found[name, _number(name, args)] += 1
                    found[name, None] -= 1  # (the mention of the name)
                case ExternFunc(name=name) | StringValue(value=name) if name in PLACE:
                    found[name, None] += 1
                case _:
                    pass
    return +found


def is_kept_by_number(node: object) -> bool:
    """Whether something mentions a function that gives what was kept under a number."""
    return any(isinstance(n, ExternFunc) and n.name in PLACE for n in nodes(node))


def _number(name: str, args: tuple[Expr, ...]) -> int | None:
    number = args[PLACE[name]] if len(args) > PLACE[name] else None
    return as_int(number.value) if isinstance(number, PrimValue) else None
