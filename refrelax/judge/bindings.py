"""Judging one binding at a time, on the implementation's own inputs to it.

Intervals through a whole network become vacuous, so the definition is asked anew at every binding: given exactly what
the implementation had, which results are permitted?
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any, NamedTuple

from refrelax.backends.executable import Frame
from refrelax.errors import Ended, InternalError, Span, Trapped
from refrelax.judge import zero_signs
from refrelax.judge.kept_constants import constants_are_kept, reaches_constant
from refrelax.judge.known_bindings import UNKNOWN, KnownBindings, mentioned, stores, variables
from refrelax.judge.verdicts import BindingVerdict
from refrelax.lower.capture.numbers import is_kept_by_number, numbers
from refrelax.lower.fuse_loops.shared import given_twice
from refrelax.running.arrays import Tensor, to_constant
from refrelax.running.run import inward, wrapped
from refrelax.running.sharing import dtype_of
from refrelax.semantics.budget import Budget, Meter
from refrelax.semantics.graph.evaluate import Interpreter
from refrelax.semantics.graph.link import nodes
from refrelax.semantics.graph.machine import Scope
from refrelax.semantics.judging import count_tensor
from refrelax.semantics.numbers import reading
from refrelax.semantics.numbers.enclosure import surely_poison
from refrelax.semantics.numbers.plain import plain
from refrelax.semantics.numbers.verdicts import Counts, Inside, Outside, Undecided
from refrelax.semantics.types.checked import CheckedModule
from refrelax.semantics.values import DType, Prim, Shape, TensorValue
from refrelax.syntax.graph import (
    Binding,
    Call,
    ConstantRef,
    Function,
    GlobalVar,
    If,
    MatchCast,
    Op,
    SeqExpr,
    Var,
)
from refrelax.syntax.types import PrimType, TensorType, TupleType, Type

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


def simple_bindings(checked: CheckedModule) -> dict[tuple[str, str], Binding]:
    """The bindings of a module that hold an operation of their own, by function and name."""
    return {
        (path, binding.name): binding
        for name, function in checked.module.relax_functions().items()
        for path, binding in bindings_of(function, name)
        if not composite(checked, binding)
    }


def judged_alone(checked: CheckedModule) -> Callable[[Binding], bool]:
    """Whether a binding can be judged from what an implementation shows. Not one of a constant that some call may have
    stored into (nobody shows what that holds then), nor one that stores in what may be another of its arguments (nobody
    shows which of them are one memory), nor a replay of what another call may have recorded (nobody shows what that
    was)."""
    replays = max(numbers(checked.module).values(), default=0) > 1
    if not checked.once(stores):  # (asked for every input: most programs store nowhere)
        return lambda binding: not (replays and is_kept_by_number(binding))
    kept = constants_are_kept(checked.module)
    twice = {id(call) for _, call in given_twice(checked.module)}
    return lambda binding: (
        (kept or not reaches_constant(checked.module, binding))
        and not (id(binding.value) in twice and _several(binding))
        and not (replays and is_kept_by_number(binding))
    )


def judge_frames(
    checked: CheckedModule,
    frames: tuple[Frame, ...],
    externs: Mapping[str, Any] | None = None,
    numerics: str = "enclosure",
    known: KnownBindings | None = None,
) -> list[BindingVerdict]:
    """A verdict for every observed binding that holds an operation of its own, in order of execution. ``known``: what
    runs of the definition told already."""
    index = checked.once(simple_bindings)
    verdicts, alone = [], checked.once(judged_alone)
    known = known or KnownBindings(checked, "")
    for frame in frames:
        binding = index.get((frame.path, frame.name))
        if binding is not None and frame.done:
            verdicts.append(judge_binding(checked, binding, frame, externs or {}, numerics, alone(binding), known))
    return verdicts


def judge_binding(
    checked: CheckedModule,
    binding: Binding,
    frame: Frame,
    externs: Mapping[str, Any],
    permitted: str = "enclosure",
    alone: bool = True,
    known: KnownBindings | None = None,
) -> BindingVerdict:
    """Evaluate one binding under a reading of permitted sets, from the frame's values, and compare. ``alone``: as of
    ``judged_alone``."""
    known = known or KnownBindings(checked, "")
    relaxations: tuple[str, ...] = ()
    if not alone or not checked.once(variables)(binding) <= frame.names.keys():
        compared = Compared(Inside(1.0), Counts(not_judged=1))
    else:
        try:
            wanted = _evaluated(known, binding, frame, externs, permitted)
            canonical = None
            if may_be_poison(wanted) or (permitted != "strict" and zero_signs.zeros(frame.value)):
                canonical = _canonical(known, binding, frame, externs)
                relaxations = zero_signs.needed([(canonical, frame.value)], permitted)
            compared = compare(wanted, frame.value, canonical)
        except Ended as end:
            compared = _of_end(end)
        except InternalError:
            if checked.once(mentioned)(binding) <= frame.names.keys() | {binding.name}:
                raise
            compared = Compared(Undecided(INFINITE), Counts(undecided=1))  # a symbol was not shown
    found = compared.of(frame.path, binding.name, describe(binding), binding.span)
    return replace(found, relaxations=relaxations) if relaxations and found.word == "inside" else found


def may_be_poison(wanted: Any) -> bool:
    """Whether some element of a permitted value is open in one permitted run and determined in another."""
    match wanted:
        case TensorValue():
            payloads, rule_of = wanted.payloads(), wanted.numerics.poison_rule
            return not plain(payloads) and any(rule_of(p) is not None and not surely_poison(p) for p in payloads)
        case tuple():
            return any(map(may_be_poison, wanted))
        case _:
            return False


def _canonical(known: KnownBindings, binding: Binding, frame: Frame, externs: Mapping[str, Any]) -> Any:
    """What ``ieee`` gives for a binding; ``None`` where that run ends."""
    try:
        return _evaluated(known, binding, frame, externs, "ieee")
    except Ended:
        return None


def _evaluated(known: KnownBindings, binding: Binding, frame: Frame, externs: Mapping[str, Any], permitted: str) -> Any:
    """What a reading gives for a binding, from the frame's values."""
    if (told := known.value(permitted, binding, frame)) is not UNKNOWN:
        return told
    checked, numerics = known.checked, reading(permitted)
    run = Interpreter(checked.module, numerics, Meter.of(Budget()))
    run.externs = {name: wrapped(each, numerics) for name, each in externs.items()}
    scope = Scope(frame.path)
    for name in checked.once(mentioned)(binding):
        if name in frame.names:
            value = frame.names[name]
            if isinstance(value, bool | int | float):
                scope.symbols[name] = value
            scope.values[name] = lift(value, checked, frame.path, name, numerics)
    return run.eval_binding(binding, scope)


def _several(binding: Binding) -> bool:
    """Whether a binding mentions more than one tensor, be it by a name or written down."""
    names = {n.name for n in nodes(binding) if isinstance(n, Var)}
    return len(names) + sum(isinstance(n, ConstantRef) for n in nodes(binding)) > 1


def missing(binding: Binding, frame: Frame) -> bool:
    """Whether an implementation did not show something that a binding mentions."""
    return any(isinstance(n, Var) and n.name not in frame.names for n in nodes(binding))


def _of_end(end: Ended) -> Compared:
    """The definition ended here while the implementation went on."""
    if isinstance(end.outcome, Trapped):
        return _outside()  # the definition traps where the implementation went on
    return Compared(Undecided(INFINITE), Counts(undecided=1))


def lift(value: Any, checked: CheckedModule, path: str, name: str, numerics: Any) -> Any:
    """An observed value as a point of the enclosure reading."""
    known = checked.types.get(path.split("/")[0], {})
    return _lifted(value, known.get("/".join([*path.split("/")[1:], name])) or known.get(name), numerics)


def _lifted(value: Any, type_: Type | None, numerics: Any) -> Any:
    """By the type of the binding, never by the class of the value alone: a tensor of rank 0 may come as a float."""
    match value, type_:
        case tuple(), TupleType(fields=fields):
            return tuple(_lifted(each, t, numerics) for each, t in zip(value, fields, strict=True))
        case tuple(), _:
            return tuple(_lifted(each, None, numerics) for each in value)
        case ((bool() | int() | float()), PrimType(dtype=dtype)):
            return Prim(dtype, value)
        case ((bool() | int() | float()), TensorType(dtype=str() as dtype)) if not hasattr(value, "dtype"):
            return inward(value, TensorType((), dtype, 0), numerics)
        case ((bool() | int() | float()), _) if not hasattr(value, "dtype"):
            return Prim("int64", value)
        case _:
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


class Compared(NamedTuple):
    """The worst verdict of the parts of a value, how many of its elements came out how, and in which field of a tuple
    the worst is (``1.0``; empty for a value that is none)."""

    verdict: Inside | Outside | Undecided
    counts: Counts
    field: str = ""

    def of(self, path: str, name: str, what: str, span: Span | None = None) -> BindingVerdict:
        """The verdict on what is called so."""
        return BindingVerdict(path, name, what, self.verdict, self.counts, span, self.field)


def compare(wanted: Any, found: Any, canonical: Any = None) -> Compared:
    """Hold an observed value against the permitted ones. A part that is no tensor counts as one element.
    ``canonical``: the value of the canonical run, which tells what is open where a permitted set may be poison."""
    match wanted:
        case TensorValue():
            return _compare_tensor(wanted, found, canonical)
        case tuple():
            if not isinstance(found, tuple) or len(found) != len(wanted):
                return _outside(found=_kind(found), permitted=_kind(wanted))
            exact = canonical if isinstance(canonical, tuple) else (None,) * len(wanted)
            parts = [compare(w, f, c) for w, f, c in zip(wanted, found, exact, strict=True)]
            if not parts:
                return _equal(True)
            k = worst(parts)
            field = f"{k}.{parts[k].field}" if parts[k].field else str(k)
            return Compared(parts[k].verdict, sum((each.counts for each in parts), Counts()), field)
        case Prim(value=number) | (bool() | int() | float() as number):
            same = _same_number(number, found.value if isinstance(found, Prim) else found)
            return _equal(same, _kind(found), _kind(number))
        case Shape() | DType() | str() | None:
            return _equal(not hasattr(found, "ndim") and bool(wanted == found), _kind(found), _kind(wanted))
        case _:
            return Compared(Inside(1.0), Counts(not_judged=1))  # functions and foreign objects are judged by their use


def _same_number(number: bool | int | float, found: Any) -> bool:
    """Whether a scalar is this number: as a number of some kind, or as an array of rank 0."""
    if getattr(found, "shape", ()) != () or isinstance(found, str | bytes):
        return False
    if isinstance(found, Tensor):
        found = found.tolist()
    if isinstance(number, int) and (isinstance(found, float) or (isinstance(found, bool) and type(number) is int)):
        return False  # another kind of number; a truth may come as 0 or 1
    return bool(number == found or (number != number and found != found))


def _equal(same: bool, found: str = "", permitted: str = "") -> Compared:
    return Compared(Inside(1.0), Counts(inside=1)) if same else _outside(1, found, permitted)


def _outside(elements: int = 1, found: str = "", permitted: str = "") -> Compared:
    return Compared(Outside((), INFINITE, found, permitted), Counts(outside=elements))


def _kind(value: Any) -> str:
    """What a value is, in a few words: a structure that differs is told by it."""
    match value:
        case tuple():
            return f"a tuple of {len(value)}"
        case Prim():
            return f"{value.dtype} {value.value}"
        case None:
            return "no value"
        case bool() | int() | float() | str() | Shape() | DType():
            return repr(value)[:60]
        case _:
            dtype, shape = getattr(value, "dtype", None), getattr(value, "shape", None)
            return type(value).__name__ if shape is None else f"{dtype}{list(shape)}"


def _compare_tensor(wanted: TensorValue, found: Any, canonical: Any) -> Compared:
    dtype = dtype_of(found)
    shape = getattr(found, "shape", None)
    if shape is None or tuple(shape) != wanted.shape or dtype != wanted.dtype:
        return _outside(max(1, wanted.size), _kind(found), f"{wanted.dtype}{list(wanted.shape)}")
    patterns = found.patterns() if isinstance(found, Tensor) else to_constant(found, wanted.dtype).patterns()
    exact = canonical.bits() if isinstance(canonical, TensorValue) and not plain(wanted.payloads()) else None
    return Compared(*count_tensor(wanted, wanted.dtype, wanted.shape, patterns, exact))


def judge_value(wanted: Any, found: Any) -> tuple[Inside | Outside | Undecided, int]:
    """``compare``: the worst verdict, and the elements excluded."""
    verdict, counts, _ = compare(wanted, found)
    return verdict, counts.excluded


def worst(parts: Sequence[Compared]) -> int:
    """The place of the worst part: ``Outside`` before ``Undecided`` before the least ``Inside``; parts of which nothing
    was compared count only if there are no others."""
    places = [k for k, each in enumerate(parts) if each.counts.compared] or list(range(len(parts)))
    for kind in (Outside, Undecided):
        for k in places:
            if isinstance(parts[k].verdict, kind):
                return k
    return min(places, key=lambda k: getattr(parts[k].verdict, "margin", 1.0))
