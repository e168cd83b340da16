"""Programs with their operators as loop programs, and what a proof rests on that reads them so."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace

from refrelax.errors import InternalError, Rejection
from refrelax.judge.evidence import LEGALIZATION
from refrelax.lower.aliases import aliases_of, names_in
from refrelax.lower.claims import Ledger
from refrelax.lower.legalize import run
from refrelax.lower.legalize.remembered import RememberedCalls
from refrelax.lower.legalize.table import LEGALIZERS
from refrelax.semantics.graph.link import nodes, reached
from refrelax.semantics.graph.overwriting import stored_inputs
from refrelax.semantics.ops import FRESH, OPERATORS, OVERWRITING
from refrelax.semantics.types.checked import CheckedModule
from refrelax.shape_solver.pointwise import NotRead
from refrelax.syntax.graph import Call, ExternFunc, Function, GlobalVar, Op, Var, VarBinding
from refrelax.syntax.loops import PrimFunc
from refrelax.syntax.module import Module
from refrelax.syntax.scalars import PrimExpr

SHARING = frozenset(OPERATORS) - FRESH
"""Operators whose result may be the memory of an argument. Where that can be seen they are no loops."""

VIEWS = frozenset({"relax.reshape", "relax.memory.view", "relax.memory.ensure_zero_offset"})
"""Those that are read as what they are in planned memory."""

ALLOCATING = frozenset({
    "relax.builtin.alloc_tensor", "relax.memory.alloc_storage", "relax.memory.alloc_tensor", "relax.vm.alloc_storage",
    "relax.vm.alloc_tensor",
})  # fmt: skip

MEMORY = RememberedCalls()
"""Calls that proofs of this process have read."""


def legalized(
    *programs: CheckedModule,
    entry: str = "main",
    assume: Sequence[Sequence[PrimExpr]] = (),
    more: Callable[[], Sequence[Sequence[PrimExpr]]] | None = None,
) -> tuple[list[Module], tuple[str, ...]]:
    """The modules with operators as loop programs, where they can be, and what that rests on: the definitions of those
    that are texts, and *legalization* for any other. Only what ``entry`` reaches is kept. ``assume``: of each program,
    what is known of the symbols of its entry; ``more``: all that is known, which is only asked for where a call stays
    without it (a loop program that rests on such facts is told apart from others).

    Raises:
        NotRead: a program has a type that is checked at run time, or its lowering is refused.
    """
    programs = tuple(_of_entry(each, entry) for each in programs)
    known = assume or [()] * len(programs)
    found = [_lowered(each, entry, {entry: facts}) for each, facts in zip(programs, known, strict=True)]
    if more is not None and any(operators(each) & LEGALIZERS.keys() for each in found):
        found = [_lowered(each, entry, {entry: facts}) for each, facts in zip(programs, more(), strict=True)]
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
    return {op for function in module.relax_functions().values() for op in operators_of(function)}


def operators_of(function: Function) -> set[str]:
    """The operators that a function calls."""
    calls = (each for each in nodes(function) if isinstance(each, Call))
    return {each.op.name for each in calls if isinstance(each.op, Op)} & OPERATORS.keys()


def _seen(module: Module, entry: str) -> frozenset[str]:
    """The operators of which a run may tell a result that is memory of an argument from a copy: where what may be the
    same memory is overwritten later. In planned memory that is looked for in the entry alone, and of memory that is
    kept from one call to the next nothing is known; what the operators that allocate give is theirs."""
    planned = bool(operators(module) & ALLOCATING)
    if planned and any(_keeps(function) for function in module.relax_functions().values()):
        return SHARING
    found = set(ALLOCATING | VIEWS) if planned else set()
    for name, function in module.relax_functions().items():
        shared = _overwritten_later(module, function)
        found |= operators_of(function) & SHARING if planned and name != entry else shared
    return frozenset(found)


def _keeps(function: Function) -> bool:
    """Whether it records runs, whose memory is given to the next call."""
    return any(isinstance(each, ExternFunc) and "cuda_graph" in each.name for each in nodes(function))


def _overwritten_later(module: Module, function: Function) -> set[str]:
    """The operators that may have given memory another name in which a later call may store. (What ends the life of a
    name ends none of the memory: ``ev/kill``.) A local function may be called at any time."""
    aliases = aliases_of(module, function)
    steps = list(nodes(function.body))
    local = any(isinstance(each, Function) for each in steps)
    later = {aliases.find(name) for step in steps for name in _stored(module, step)} if local else set()
    found = set()
    for step in reversed(steps):
        match step:
            case VarBinding(name=name, value=Call(op=Op(name=op)) as call) if op in SHARING:
                if any(aliases.find(each) in later for each in (name, *names_in(call))):
                    found.add(op)
            case _:
                later |= {aliases.find(name) for name in _stored(module, step)}
    return found


def _stored(module: Module, step: object) -> Iterable[str]:
    """The names in whose memory a step may store, one of each group."""
    match step:
        case Call(op=GlobalVar(name=name), args=args) if isinstance(f := module.functions.get(name), PrimFunc):
            return names_in(tuple(args[k] for k in stored_inputs(f, len(args))))
        case VarBinding(name=name, value=Call(op=Op(name="relax.call_tir_inplace"))):
            return (name,)  # of one group with the arguments that it is
        case Call(op=Op(name=op)) if op in OVERWRITING and op != "relax.call_tir_inplace":
            return names_in(step)
        case Call(op=GlobalVar() | ExternFunc() | Var()):
            return names_in(step)
        case _:
            return ()


def _lowered(checked: CheckedModule, entry: str, assume: Mapping[str, Sequence[PrimExpr]]) -> Module:
    if checked.promises:
        raise NotRead(f"a type that is checked at run time: {checked.promises[0].name}")
    if not checked.module.relax_functions():
        return checked.module
    try:
        return run(checked, Ledger(), _seen(checked.module, entry), assume, MEMORY)
    except (Rejection, InternalError) as problem:
        raise NotRead(f"operators are not legalized: {problem}") from problem


__all__ = ["legalized"]
