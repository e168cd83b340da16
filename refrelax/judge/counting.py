"""How many elements of two runs were compared, and whether there was anything to compare."""

from __future__ import annotations

from refrelax.errors import Outcome, Returned, Trapped
from refrelax.judge.bindings import compare
from refrelax.judge.outcomes import Reference, cores
from refrelax.judge.report import Open
from refrelax.semantics.numbers.verdicts import Counts
from refrelax.semantics.types.checked import CheckedModule
from refrelax.semantics.values import Closure, Opaque, PackedFunc, Tensor
from refrelax.syntax.loops import PrimFunc


def counted(reference: Reference, found: Outcome) -> Counts:
    """The elements of a run that is not different from the reference, by how they compare."""
    wanted = reference.outcome
    if isinstance(wanted, Trapped):
        return Counts(inside=1)
    if not isinstance(wanted, Returned) or not isinstance(found, Returned):
        return Counts()
    equal = _counts(wanted, found)
    if not (equal.outside or equal.undecided) or not isinstance(reference.permitted, Returned):
        return equal
    return _counts(reference.permitted, found)


def _counts(wanted: Returned, found: Returned) -> Counts:
    pairs = [(wanted.value, found.value), *zip(wanted.arguments, found.arguments, strict=True)]
    return sum((compare(cores(w), f).counts for w, f in pairs), Counts())


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
        if isinstance(value, Tensor) and value.size:
            marks = [value.numerics.poison_rule(payload) for payload in value.payloads()]
            if all(mark is not None for mark in marks):
                first = next((each for each in open_ if each.rule == marks[0]), None)
                return f"every element of {name} is {first or f'open [{marks[0]}]'}"
    return None


def not_comparable(wanted: Returned, checked: CheckedModule, entry: str) -> str | None:
    """A sentence about the first result that nothing can be held against, if there is one; or if there is no result."""
    found = leaves(wanted, checked, entry)
    if not found and not wanted.effects:
        return f"{entry} has no result, no buffer and no effect: there is nothing to compare"
    for name, value in found:
        if isinstance(value, Closure | PackedFunc | Opaque):
            return f"{name} is a {type(value).__name__}: nothing of it can be compared"
    return None
