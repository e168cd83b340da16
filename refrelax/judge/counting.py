"""Whether there is anything to compare in a run."""

from __future__ import annotations

from refrelax.errors import Returned
from refrelax.judge.outcomes import cores
from refrelax.judge.report import Open
from refrelax.semantics.loops.visit import statements_of
from refrelax.semantics.types.checked import CheckedModule
from refrelax.semantics.values import Closure, Opaque, PackedFunc, TensorValue
from refrelax.syntax.loops import BufferStore, Evaluate, PrimFunc
from refrelax.syntax.scalars import Literal


def leaves(wanted: Returned, checked: CheckedModule, entry: str) -> list[tuple[str, object]]:
    """The single values of which each needs something compared: the fields of a result, the buffers of a PrimFunc."""
    if isinstance(checked.module.functions[entry], PrimFunc):
        buffers = [(f"argument {k}", cores(each)) for k, each in enumerate(wanted.arguments) if not scalar(each)]
        return [*([] if wanted.value is None else [("the result", cores(wanted.value))]), *buffers]
    return list(_leaves("the result", cores(wanted.value)))


def scalar(argument: object) -> bool:
    """Whether an argument of a PrimFunc is a number, which no run changes: it says nothing to compare it."""
    return isinstance(argument, bool | int | float)


def _leaves(name: str, value: object) -> list[tuple[str, object]]:
    if not isinstance(value, tuple) or not value:
        return [(name, value)]
    return [leaf for k, each in enumerate(value) for leaf in _leaves(f"{name}[{k}]", each)]


def all_open(wanted: Returned, checked: CheckedModule, entry: str, open_: tuple[Open, ...]) -> str | None:
    """A sentence about the first result of which every element is open, if there is one."""
    for name, value in leaves(wanted, checked, entry):
        if isinstance(value, TensorValue) and value.size:
            marks = [value.numerics.poison_rule(payload) for payload in value.payloads()]
            if all(mark is not None for mark in marks):
                first = next((each for each in open_ if each.rule == marks[0]), None)
                return f"every element of {name} is {first or f'open [{marks[0]}]'}"
    return None


def not_comparable(wanted: Returned, checked: CheckedModule, entry: str) -> str | None:
    """A sentence about the first result that nothing can be held against, if there is one; or if there is no result."""
    return nothing_given(wanted, checked, entry) or closed(wanted, checked, entry)


def nothing_given(wanted: Returned, checked: CheckedModule, entry: str) -> str | None:
    """A sentence where a run gives nothing to anyone: only that it came to an end can be seen."""
    if leaves(wanted, checked, entry) or wanted.effects:
        return None
    return f"{entry} has no result, no buffer and no effect: there is nothing to compare"


def closed(wanted: Returned, checked: CheckedModule, entry: str) -> str | None:
    """A sentence about the first result that nothing can be held against, if there is one."""
    for name, value in leaves(wanted, checked, entry):
        if isinstance(value, Closure | PackedFunc | Opaque):
            return f"{name} is a {type(value).__name__}: nothing of it can be compared"
    return None


def acts(checked: CheckedModule, entry: str) -> bool:
    """Whether a loop program stores or computes something, if only in memory of its own."""
    function = checked.module.functions[entry]
    stmts = statements_of(function.body) if isinstance(function, PrimFunc) else ()
    return any(isinstance(s, BufferStore) or _computes(s) for s in stmts)


def _computes(stmt: object) -> bool:
    return isinstance(stmt, Evaluate) and not isinstance(stmt.value, Literal)
