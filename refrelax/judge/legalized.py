"""Programs with their operators as loop programs, and what a proof rests on that reads them so."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

from refrelax.errors import InternalError, Rejection
from refrelax.judge.evidence import LEGALIZATION
from refrelax.lower.aliases import aliases_of, names_in
from refrelax.lower.claims import Ledger
from refrelax.lower.legalize import run
from refrelax.lower.legalize.remembered import Memory
from refrelax.semantics.graph.link import nodes, reached
from refrelax.semantics.ops import FRESH, OPERATORS, OVERWRITING
from refrelax.semantics.types.checked import CheckedModule
from refrelax.shape_solver.pointwise import NotRead
from refrelax.syntax.graph import Call, ExternFunc, Function, GlobalVar, Op, VarBinding
from refrelax.syntax.module import Module
from refrelax.syntax.scalars import PrimExpr

SHARING = frozenset(OPERATORS) - FRESH
"""Operators whose result may be the memory of an argument. In planned memory that can be seen, so they are no loops."""

ALLOCATING = frozenset({
    "relax.builtin.alloc_tensor", "relax.memory.alloc_storage", "relax.memory.alloc_tensor", "relax.vm.alloc_storage",
    "relax.vm.alloc_tensor",
})  # fmt: skip

MEMORY = Memory()
"""Calls that proofs of this process have read."""


def legalized(
    *programs: CheckedModule, entry: str = "main", assume: Sequence[Sequence[PrimExpr]] = ()
) -> tuple[list[Module], tuple[str, ...]]:
    """The modules with operators as loop programs, where they can be, and what that rests on: the definitions of those
    that are texts, and *legalization* for any other. Only what ``entry`` reaches is kept. ``assume``: of each program,
    what is known of the symbols of its entry.

    Raises:
        NotRead: a program has a type that is checked at run time, or its lowering is refused.
    """
    programs = tuple(_of_entry(each, entry) for each in programs)
    known = assume or [()] * len(programs)
    found = [_lowered(each, {entry: facts}) for each, facts in zip(programs, known, strict=True)]
    gone = {op for old, new in zip(programs, found, strict=True) for op in operators(old.module) - operators(new)}
    texts = sorted(op.replace("relax.", "R.", 1) for op in gone if OPERATORS[op].text is not None)
    rests_on = (f"the definitions of {', '.join(texts)}, read as loops",) if texts else ()
    return found, rests_on if len(texts) == len(gone) else (*rests_on, LEGALIZATION)


def _of_entry(checked: CheckedModule, entry: str) -> CheckedModule:
    """The functions that ``entry`` reaches."""
    kept = reached(checked.module.functions, (entry,))
    promises = tuple(each for each in checked.promises if each.function in kept)
    return replace(checked, module=checked.module.with_functions(kept), promises=promises)


def operators(module: Module) -> set[str]:
    """The operators that a module calls."""
    calls = (node for function in module.relax_functions().values() for node in nodes(function))
    return {each.op.name for each in calls if isinstance(each, Call) and isinstance(each.op, Op)} & OPERATORS.keys()


def _is_sharing_seen(module: Module) -> bool:
    """Whether a run may tell a result that is memory of an argument from a copy: in planned memory, and where what may
    be the same memory is overwritten."""
    return bool(operators(module) & ALLOCATING) or any(
        _overwrites_what_is_shared(module, function) for function in module.relax_functions().values()
    )


def _overwrites_what_is_shared(module: Module, function: Function) -> bool:
    """Whether a call may store in what an operator may have given another name."""
    aliases = aliases_of(module, function)
    stored: list[str] = []
    shared: list[str] = []
    for node in nodes(function):
        match node:
            case VarBinding(name=name, value=Call(op=Op(name="relax.call_tir_inplace"))):
                stored.append(name)  # of one group with the arguments that it is
            case VarBinding(name=name, value=Call(op=Op(name=op)) as call) if op in SHARING:
                shared += (name, *names_in(call))
            case Call(op=Op(name=op)) if op in OVERWRITING and op != "relax.call_tir_inplace":
                stored += names_in(node)
            case Call(op=GlobalVar() | ExternFunc()):
                stored += names_in(node)
            case _:
                pass
    groups = {aliases.find(each) for each in stored}
    return any(aliases.find(each) in groups for each in shared)


def _lowered(checked: CheckedModule, assume: Mapping[str, Sequence[PrimExpr]]) -> Module:
    if checked.promises:
        raise NotRead(f"a type that is checked at run time: {checked.promises[0].name}")
    if not checked.module.relax_functions():
        return checked.module
    keep = SHARING if _is_sharing_seen(checked.module) else frozenset()
    try:
        return run(checked, Ledger(), keep, assume, MEMORY)
    except (Rejection, InternalError) as problem:
        raise NotRead(f"operators are not legalized: {problem}") from problem


__all__ = ["legalized"]
