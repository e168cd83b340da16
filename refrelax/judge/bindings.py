"""Judging one binding at a time, on the implementation's own inputs to it.

Intervals through a whole network become vacuous, so the definition is asked anew at every binding: given exactly what
the implementation had, which results are permitted?
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from refrelax.arrays import Tensor
from refrelax.backends.executable import Frame
from refrelax.errors import Ended, Trapped
from refrelax.judge.verdicts import BindingVerdict
from refrelax.runs import inward, wrapped
from refrelax.semantics.budget import Budget, Meter
from refrelax.semantics.graph.evaluate import Interpreter, Scope
from refrelax.semantics.graph.link import nodes
from refrelax.semantics.numbers import reading
from refrelax.semantics.numbers.verdicts import Inside, Outside, Undecided
from refrelax.semantics.types.checked import CheckedModule
from refrelax.semantics.values import Prim, Shape
from refrelax.semantics.values import Tensor as Core
from refrelax.syntax.graph import (
    Binding,
    Call,
    Function,
    GlobalVar,
    If,
    MatchCast,
    Op,
    SeqExpr,
    Var,
)
from refrelax.syntax.scalars import SymVar
from refrelax.syntax.types import PrimType

INFINITE = float("inf")
"""How far a result of another kind is from what is permitted."""


def bindings_of(function: Function, path: str) -> Iterator[tuple[str, Binding]]:
    """Every binding of a function with the path of the function that holds it."""
    yield from _in_sequence(function.body, path)


def _in_sequence(seq: SeqExpr, path: str) -> Iterator[tuple[str, Binding]]:
    for block in seq.blocks:
        for binding in block.bindings:
            yield path, binding
            if isinstance(binding, MatchCast):
                continue
            match binding.value:
                case Function() as inner:
                    yield from _in_sequence(inner.body, f"{path}/{binding.name}")
                case If(then_branch=a, else_branch=b):
                    yield from _in_sequence(a, path)
                    yield from _in_sequence(b, path)


def composite(checked: CheckedModule, binding: Binding) -> bool:
    """Whether a binding is judged through the bindings inside it (a branch, a call of a Relax function or a
    closure)."""
    if isinstance(binding, MatchCast):
        return False
    match binding.value:
        case If() | Function() | Call(op=Var()):
            return True
        case Call(op=GlobalVar(name=name)):
            return isinstance(checked.module.functions[name], Function)
        case _:
            return False


def judge_frames(
    checked: CheckedModule, frames: tuple[Frame, ...], externs: Mapping[str, Any] | None = None
) -> list[BindingVerdict]:
    """A verdict for every observed binding that holds an operation of its own, in order of execution."""
    index = {
        (path, binding.name): binding
        for name, function in checked.module.relax_functions().items()
        for path, binding in bindings_of(function, name)
    }
    verdicts = []
    for frame in frames:
        binding = index.get((frame.path, frame.name))
        if binding is not None and frame.done and not composite(checked, binding):
            verdicts.append(judge_binding(checked, binding, frame, externs or {}))
    return verdicts


def judge_binding(checked: CheckedModule, binding: Binding, frame: Frame, externs: Mapping[str, Any]) -> BindingVerdict:
    """Evaluate one binding under the enclosure reading, from the frame's values, and compare."""
    numerics = reading("enclosure")
    run = Interpreter(checked.module, numerics, Meter.of(Budget()))
    run.externs = {name: wrapped(each, numerics) for name, each in externs.items()}
    scope = Scope(frame.path)
    for name in _used(binding):
        if name in frame.names:
            value = frame.names[name]
            if isinstance(value, bool | int | float):
                scope.symbols[name] = value
            scope.values[name] = lift(value, checked, frame.path, name, numerics)
    what = describe(binding)
    try:
        wanted = run.eval_binding(binding, scope)
    except Ended as end:
        return BindingVerdict(frame.path, binding.name, what, _of_end(end))
    verdict, excluded = judge_value(wanted, frame.value)
    return BindingVerdict(frame.path, binding.name, what, verdict, excluded)


def _used(binding: Binding) -> frozenset[str]:
    """Variables and symbols that a binding mentions."""
    return frozenset(n.name for n in nodes(binding) if isinstance(n, Var | SymVar))


def _of_end(end: Ended) -> Inside | Outside | Undecided:
    """The definition ended here while the implementation went on."""
    if isinstance(end.outcome, Trapped):
        return Outside((), INFINITE)  # the definition traps where the implementation went on
    return Undecided(INFINITE)


def lift(value: Any, checked: CheckedModule, path: str, name: str, numerics: Any) -> Any:
    """An observed value as a point of the enclosure reading."""
    if isinstance(value, bool | int | float):
        known = checked.types.get(path.split("/")[0], {})
        type_ = known.get("/".join([*path.split("/")[1:], name])) or known.get(name)
        return Prim(type_.dtype if isinstance(type_, PrimType) else "int64", value)
    if isinstance(value, tuple):
        return tuple(lift(each, checked, path, name, numerics) for each in value)
    return inward(value, None, numerics)


def describe(binding: Binding) -> str:
    """What a binding holds, in a few words: the operator, the callee, the kind of expression."""
    if isinstance(binding, MatchCast):
        return "match_cast"
    match binding.value:
        case Call(op=Op(name=name), args=(GlobalVar(name=callee), *_)):
            return f"{name.removeprefix('relax.')} {callee}"
        case Call(op=Op(name=name)):
            return name.removeprefix("relax.")
        case Call(op=GlobalVar(name=name)):
            return f"call {name}"
        case other:
            return type(other).__name__


# --- values ----------------------------------------------------------------------------------------------------------


def judge_value(wanted: Any, found: Any) -> tuple[Inside | Outside | Undecided, int]:
    """Compare an observed value with the permitted ones; the worst verdict of its parts, and the elements excluded."""
    match wanted:
        case Core():
            return _judge_tensor(wanted, found)
        case tuple():
            if not isinstance(found, tuple) or len(found) != len(wanted):
                return Outside((), INFINITE), 0
            parts = [judge_value(w, f) for w, f in zip(wanted, found, strict=True)]
            return worst([v for v, _ in parts]), sum(n for _, n in parts)
        case Prim(value=number):
            same = number == found or (number != number and found != found)
            return (Inside(1.0) if same else Outside((), INFINITE)), 0
        case Shape():
            return (Inside(1.0) if wanted == found else Outside((), INFINITE)), 0
        case str() | None:
            return (Inside(1.0) if wanted == found else Outside((), INFINITE)), 0
        case _:
            return Inside(1.0), 0  # functions and foreign objects are judged by what they do


def _judge_tensor(wanted: Core, found: Any) -> tuple[Inside | Outside | Undecided, int]:
    dtype, shape = (
        getattr(getattr(found, "dtype", None), "name", getattr(found, "dtype", None)),
        getattr(found, "shape", None),
    )
    if shape is None:
        return Outside((), INFINITE), 0
    if tuple(shape) != wanted.shape or dtype != wanted.dtype:
        return Outside((), INFINITE), 0
    rule_of = wanted.numerics.poison_rule
    excluded = sum(rule_of(p) is not None for p in wanted.payloads())
    return Tensor(wanted).judge(found), excluded


def worst(verdicts: list[Inside | Outside | Undecided]) -> Inside | Outside | Undecided:
    """``Outside`` before ``Undecided`` before the least ``Inside``."""
    for kind in (Outside, Undecided):
        for each in verdicts:
            if isinstance(each, kind):
                return each
    return Inside(min((v.margin for v in verdicts if isinstance(v, Inside)), default=1.0))
