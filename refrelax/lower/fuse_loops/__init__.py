"""FuseTIR: every ``Primitive`` function becomes one loop program, and loop programs lose their intermediates.

The bodies of the calls are put one after the other; then pointwise nests are inlined into their readers where the
index map is proved (``inline``), and what is left between a reduction and its epilogue moves into the output
(``in_place``). No operation on elements is added, dropped or reordered: the result has the same bits.

Loop programs of several nests that were not fused with anything are treated the same, unless a call may give them one
memory twice (``shared``).

Spec: ``spec/11-fusion.md``.
"""

from __future__ import annotations

from dataclasses import replace

from refrelax.lower.claims import Ledger
from refrelax.lower.fuse_loops.in_place import epilogue_in_place
from refrelax.lower.fuse_loops.indices import shorten
from refrelax.lower.fuse_loops.inline import inline_all
from refrelax.lower.fuse_loops.program import Program, from_prim_func, from_primitive, to_prim_func
from refrelax.lower.fuse_loops.shared import sharing
from refrelax.lower.fuse_loops.sites import Sites
from refrelax.lower.fuse_ops.primitive import is_primitive
from refrelax.lower.origins.calls import composed
from refrelax.lower.origins.vouched import claimed, with_origin
from refrelax.lower.orphans import without_orphans
from refrelax.semantics.symbol_bounds import as_claims
from refrelax.semantics.types.checked import CheckedModule
from refrelax.syntax.graph import Function
from refrelax.syntax.loops import PrimFunc
from refrelax.syntax.module import BaseFunc, Module

__all__ = ["fused", "optimise", "run", "simplified"]


def run(checked: CheckedModule, ledger: Ledger) -> Module:
    """The pass."""
    module = checked.module
    functions: dict[str, BaseFunc] = dict(module.functions)
    sites = Sites(checked)
    done: set[str] = set()
    promised = any(map(as_claims, module.relax_functions().values()))
    for name, function in module.relax_functions().items():
        if is_primitive(function) and sites.rewritable(name):
            whole = fused(module, function, ledger, name)
            if whole is not None:
                functions[name] = with_origin(whole, composed(checked, name, promised))
                done.add(name)
    for name, function in module.relax_functions().items():
        if name not in done:
            functions[name] = sites.rewrite(name, function, done)
    functions = without_orphans(functions, module.functions)
    shared = sharing(module)
    for name, func in list(functions.items()):
        if isinstance(func, PrimFunc) and name not in done | shared:
            functions[name] = _simplified(func, ledger, name)
    return module.with_functions(functions)


def fused(module: Module, function: Function, ledger: Ledger, name: str) -> PrimFunc | None:
    """A ``Primitive`` function as one loop program, if it can be one."""
    program = from_primitive(module, function, ledger, name)
    if program is None:
        return None
    optimise(program, ledger, name)
    return to_prim_func(program)


def optimise(p: Program, ledger: Ledger, where: str) -> None:
    """Simplify indices, inline, move into the output, until nothing changes."""
    shorten(p, ledger, where)
    inline_all(p, ledger, where)
    while epilogue_in_place(p, ledger, where):
        pass


def _simplified(func: PrimFunc, ledger: Ledger, name: str) -> PrimFunc:
    """The same with its origin, which it has kept."""
    claim, new = claimed(func), simplified(func, ledger, name)
    return new if new is func else with_origin(new, claim)


def simplified(func: PrimFunc, ledger: Ledger, name: str) -> PrimFunc:
    """A loop program with fewer intermediates; the same object if there is nothing to gain."""
    program = from_prim_func(func) if dict(func.attrs).get("tirx.noalias") is True else None
    if program is None:
        return func
    before = len(program.buffers)
    optimise(program, ledger, name)
    if len(program.buffers) == before:
        return func
    new = to_prim_func(program)
    return replace(func, body=new.body, root_allocs=new.root_allocs)
