"""Whether the bindings that an implementation shows hang together: what one was computed from is what another gave.

Each binding is judged on the inputs that the implementation shows for it. Good bindings say something about the whole
only if these are the values of the bindings before it, and the result is that of the last.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping
from typing import Any

from refrelax.backends.executable import Frame
from refrelax.errors import Returned, UsageError
from refrelax.judge.bindings import simple_bindings
from refrelax.judge.known_bindings import mentioned_functions
from refrelax.running.arrays import Tensor, to_constant
from refrelax.running.sharing import canonical, shared
from refrelax.semantics.graph.link import nodes
from refrelax.semantics.graph.overwriting import Overwriting, overwrites
from refrelax.semantics.ops import FRESH
from refrelax.semantics.types.checked import CheckedModule
from refrelax.semantics.values import Prim
from refrelax.syntax.graph import Call, Expr, Function, GlobalVar, MatchCast, Op, Tuple, Var, VarBinding
from refrelax.syntax.module import ConstantArray


def break_in(
    checked: CheckedModule, entry: str, frames: tuple[Frame, ...], found: Returned, given: Mapping[str, Any]
) -> str:
    """Where the chain of bindings breaks, in words; empty if it holds as far as it can be seen.

    ``given``: the arguments of the run, by the names of the entry's parameters. A binding that was evaluated more than
    once is passed over (which of its values is meant is not shown), and so is a name whose memory may be overwritten.
    """
    written = checked.once(overwritten)
    times = Counter((frame.path, frame.name) for frame in frames)
    values: dict[tuple[str, str], Any] = {}
    if entry not in checked.once(mentioned_functions):
        values = {(entry, name): value for name, value in given.items() if name not in written}
    for frame in frames:
        for name, shown in frame.names.items():
            key = (frame.path, name)
            if key in values and times[key] <= 1 and not same_value(values[key], shown):
                made = "given" if name in given and frame.path == entry else "bound"
                return f"{name} was shown otherwise to {frame.path}/{frame.name} than it was {made}"
        if frame.name and frame.done and frame.name not in written:
            values[frame.path, frame.name] = frame.value
    function = checked.module.functions[entry]
    if isinstance(function, Function) and not _holds(function.body.body, found.value, entry, values, times):
        return "the result is not what was bound to it"
    return ""


def stored_unseen(checked: CheckedModule, frames: tuple[Frame, ...]) -> str:
    """The first call that may store into tensors that it is given and gives none itself, in words; empty if there is
    none. What it stored is the value of no binding: good bindings before and after it say nothing of it. (Of a library
    function ``break_in`` tells: that what it stored in is another value than was bound.)"""
    silent = checked.once(_silent)
    for frame in frames:
        if frame.done and (frame.path, frame.name) in silent and not _tensors(frame.value):
            if any(map(_tensors, frame.names.values())):
                return f"what {frame.path}/{frame.name} stored is shown by no binding"
    return ""


def _silent(checked: CheckedModule) -> set[tuple[str, str]]:
    """The bindings that may store into tensors themselves."""
    stores, every = Overwriting(checked.module.functions), checked.once(simple_bindings)
    return {
        (path, binding.name)
        for (path, _), binding in every.items()
        if isinstance(binding, VarBinding) and stores.itself(binding.value)
    }


def _tensors(value: Any) -> bool:
    """Whether there is a tensor in a value."""
    if isinstance(value, tuple | list):
        return any(map(_tensors, value))
    return getattr(value, "shape", None) is not None and getattr(value, "dtype", None) is not None


def overwritten(checked: CheckedModule) -> frozenset[str]:
    """The names, in whatever function, whose memory a call may overwrite after they were bound.

    These are what stands in a call that overwrites, and what may be the same memory: an operator gives fresh memory,
    anything else (a tuple, a field, a match, a branch, a call of a function) may give what it was given.
    """
    functions = checked.module.functions
    found = {n.name for f in functions.values() for c in nodes(f) if overwrites(c, functions) for n in _names(c)}
    groups = [group for f in functions.values() for b in nodes(f) for group in _shared(b, functions)] if found else []
    while more := [group for group in groups if group & found and not group <= found]:
        found.update(*more)
    return frozenset(found)


def _shared(node: Any, functions: Mapping[str, Any]) -> Iterator[set[str]]:
    """Names that may stand for one memory, by one binding or call."""
    match node:
        case VarBinding(value=Call(op=Op(name=op))) if op in FRESH:
            pass
        case VarBinding(name=name, value=value) | MatchCast(name=name, value=value):
            yield {name, *(n.name for n in _names(value))}
        case _:
            pass
    if isinstance(node, Call) and isinstance(node.op, GlobalVar):
        callee = functions.get(node.op.name)
        if isinstance(callee, Function):
            inside = {p.name for p in callee.params} | {n.name for n in _names(callee.body.body)}
            yield inside | {n.name for n in _names(node)}


def _names(node: Any) -> Iterator[Var]:
    return (each for each in nodes(node) if isinstance(each, Var))


def _holds(expr: Expr, result: Any, entry: str, values: dict[tuple[str, str], Any], times: Counter[Any]) -> bool:
    match expr:
        case Var(name=name) if times[entry, name] == 1 and (entry, name) in values:
            return same_value(values[entry, name], result)
        case Tuple(fields=fields) if isinstance(result, tuple) and len(result) == len(fields):
            return all(_holds(f, r, entry, values, times) for f, r in zip(fields, result, strict=True))
        case _:
            return True


def same_value(a: Any, b: Any) -> bool:
    """Equal bit for bit, as far as both are data; a NaN has no bits."""
    if isinstance(a, tuple) and isinstance(b, tuple):
        return len(a) == len(b) and all(map(same_value, a, b))
    x, y = _data(a), _data(b)
    return x is None or y is None or x == y


def _data(value: Any) -> Any:
    """What is compared of a value; ``None`` for functions and foreign objects."""
    if isinstance(value, Prim):
        return value.value
    if isinstance(value, bool | int | float | str):
        return repr(value) if isinstance(value, float) else value
    if isinstance(value, Tensor):
        return (value.dtype, value.shape, value.tobytes())
    if getattr(value, "shape", None) is None or getattr(value, "dtype", None) is None:
        return None
    try:
        raw = to_constant(value if isinstance(value, ConstantArray) else canonical(shared(value)))
    except (UsageError, TypeError, ValueError):
        return None
    return (raw.dtype, tuple(raw.shape), bytes(raw.data))
