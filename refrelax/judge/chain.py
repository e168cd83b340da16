"""Whether the bindings that an implementation shows hang together: what one was computed from is what another gave.

Each binding is judged on the inputs that the implementation shows for it. Good bindings say something about the whole
only if these are the values of the bindings before it, and the result is that of the last.
"""

from __future__ import annotations

from collections import Counter
from typing import Any

from refrelax.arrays import Tensor, to_constant
from refrelax.backends.executable import Frame
from refrelax.errors import Returned, UsageError
from refrelax.semantics.graph.link import nodes
from refrelax.semantics.types.checked import CheckedModule
from refrelax.semantics.values import Prim
from refrelax.syntax.graph import Expr, Function, Op, Tuple, Var

INPLACE = frozenset({"relax.call_tir_inplace", "relax.call_inplace_packed"})
"""Calls that overwrite a tensor that has a name."""


def break_in(checked: CheckedModule, entry: str, frames: tuple[Frame, ...], found: Returned) -> str:
    """Where the chain of bindings breaks, in words; empty if it holds as far as it can be seen.

    A binding that was evaluated more than once is passed over (which of its values is meant is not shown), and so is
    everything in a module that overwrites memory.
    """
    if any(isinstance(n, Op) and n.name in INPLACE for f in checked.module.functions.values() for n in nodes(f)):
        return ""
    times = Counter((frame.path, frame.name) for frame in frames)
    values: dict[tuple[str, str], Any] = {}
    for frame in frames:
        for name, shown in frame.names.items():
            key = (frame.path, name)
            if key in values and times[key] == 1 and not same_value(values[key], shown):
                return f"{name} was shown otherwise to {frame.path}/{frame.name} than it was bound"
        if frame.name and frame.done:
            values[frame.path, frame.name] = frame.value
    function = checked.module.functions[entry]
    if isinstance(function, Function) and not _holds(function.body.body, found.value, entry, values, times):
        return "the result is not what was bound to it"
    return ""


def _holds(expr: Expr, result: Any, entry: str, values: dict[tuple[str, str], Any], times: Counter[Any]) -> bool:
    match expr:
        case Var(name=name) if times[entry, name] == 1 and (entry, name) in values:
            return same_value(values[entry, name], result)
        case Tuple(fields=fields) if isinstance(result, tuple) and len(result) == len(fields):
            return all(_holds(f, r, entry, values, times) for f, r in zip(fields, result, strict=True))
        case _:
            return True


def same_value(a: Any, b: Any) -> bool:
    """Equal bit for bit, as far as both are data."""
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
        raw = to_constant(value)
    except (UsageError, TypeError, ValueError):
        return None
    return (raw.dtype, tuple(raw.shape), bytes(raw.data))
