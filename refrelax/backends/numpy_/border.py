"""Values at the surface and in generated source: arrays over the same memory where they can be.

A run (``f.run``) works on copies of its arguments, so that what it gave stays as it was. A call (``f["main"](…)``)
works on the caller's own memory: it writes there where the program overwrites a parameter, and nowhere else.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import combinations
from typing import Any

import numpy as np

from refrelax.backends.numpy_ import runtime
from refrelax.backends.numpy_.memory import in_rows
from refrelax.errors import Trapped, UsageError
from refrelax.running.arrays import Tensor, to_constant
from refrelax.running.scalars import extents, scalar, stated
from refrelax.running.sharing import shared
from refrelax.semantics.builtins.contexts import param_types
from refrelax.semantics.loops.visit import stored_to
from refrelax.semantics.ops import OPERATORS
from refrelax.semantics.values import DType, Prim, Shape
from refrelax.syntax.graph import Call, Expr, Function, Op, Tuple, TupleGetItem, Var
from refrelax.syntax.loops import PrimFunc
from refrelax.syntax.module import ConstantArray
from refrelax.syntax.types import AnyType, PrimType, ShapeType, TensorType, TupleType, Type

# --- types and names of parameters -----------------------------------------------------------------------------------


def types_of(func: Function | PrimFunc, count: int) -> list[Type | None]:
    """The types of the parameters, as far as they are known, for ``count`` arguments."""
    known: list[Type | None]
    if isinstance(func, Function):
        known = param_types(func)
    else:
        known = [
            TensorType(p.buffer.shape, p.buffer.dtype, len(p.buffer.shape))
            if hasattr(p, "buffer")
            else PrimType(p.var.dtype)
            for p in func.params
        ]
    return (known + [None] * count)[:count]


def misfit(entry: str, args: tuple[Any, ...], types: list[Type | None]) -> Trapped | None:
    """How a run ends that is given a prim value of another dtype: generated source sees numbers alone."""
    for value, type_ in zip(args, types, strict=True):
        if isinstance(value, Prim) and isinstance(type_, PrimType) and value.dtype != type_.dtype:
            return Trapped("ev/param-dtype", f"{entry} takes a {type_.dtype}, found a {value.dtype}")
        if isinstance(value, tuple) and isinstance(type_, TupleType) and len(value) == len(type_.fields):
            if (found := misfit(entry, value, list(type_.fields))) is not None:
                return found
    return None


def refused(func: Function | PrimFunc, entry: str, args: tuple[Any, ...], types: list[Type | None]) -> Trapped | None:
    """How a run ends that is given something else for a number: ``misfit``, and a loop program takes numbers alone."""
    if len(args) != len(func.params):
        return misfit(entry, args, types)
    found = (unlike(func, entry, value, type_) for value, type_ in zip(args, types, strict=True))
    return next((each for each in found if each is not None), None)


def unlike(func: Function | PrimFunc, entry: str, value: Any, type_: Type | None) -> Trapped | None:
    """The same for one argument."""
    if isinstance(func, PrimFunc) and isinstance(type_, PrimType) and not isinstance(value, bool | int | float):
        if not isinstance(value, Prim) or value.dtype != type_.dtype:
            return Trapped("ev/param-type", f"{entry} takes a {type_.dtype}, found {_kind(value)}")
    return misfit(entry, (value,), [type_])


def _kind(value: Any) -> str:
    return f"a {value.dtype}" if isinstance(value, Prim) else f"a value of type {type(value).__name__}"


def stored(func: PrimFunc) -> dict[int, str]:
    """The parameters that a loop program stores into, by position."""
    found = stored_to(func)
    names = {k: p.buffer.name for k, p in enumerate(func.params) if hasattr(p, "buffer")}
    return {k: name for k, name in names.items() if name in found}


def views(func: Function) -> bool | tuple[bool, ...]:
    """Whether the result, or each field of it, may be memory of a parameter by the definition: what an operator gives
    that says ``view`` or ``either``."""
    seen = {p.name: True for p in func.params}
    for block in func.body.blocks:
        for each in block.bindings:
            seen[each.name] = _may_be_parameter(each.value, seen)
    body = func.body.body
    if isinstance(body, Tuple):
        return tuple(_may_be_parameter(field, seen) for field in body.fields)
    return _may_be_parameter(body, seen)


def _may_be_parameter(expr: Expr, seen: dict[str, bool]) -> bool:
    match expr:
        case Var(name=name):
            return seen.get(name, False)
        case TupleGetItem(tuple=inner):
            return _may_be_parameter(inner, seen)
        case Tuple(fields=fields):
            return any(_may_be_parameter(each, seen) for each in fields)
        case Call(op=Op(name=name), args=args) if name in OPERATORS and OPERATORS[name].memory != "fresh":
            return any(_may_be_parameter(each, seen) for each in args)
        case _:
            return False


# --- inward ----------------------------------------------------------------------------------------------------------


def inward(value: Any, type_: Type | None, copy: bool = True) -> Any:
    """A surface value as generated source works with it: arrays, Python numbers, tuples, ``Shape``. ``copy``: arrays
    in new memory; without it they are the caller's where that is possible. ``R.Any`` guides nothing: a scalar
    of a dtype that no bare number has stays a ``Prim`` there."""
    if isinstance(type_, AnyType):
        type_ = None
    match value, type_:
        case ((Shape() | None | str()), _):
            return value
        case Prim(), _:
            known = type_ is not None or value.dtype in runtime.USUAL
            return stated(value).value if known else stated(value)
        case DType(name=name), _:
            return runtime.Dtype(name)
        case ((bool() | int() | float()), PrimType(dtype=dtype)):
            return scalar(dtype, value)
        case ((bool() | int() | float()), None):
            return scalar("int64", value) if type(value) is int else value
        case ((tuple() | list()), ShapeType()):
            return Shape(extents(value))
        case ((tuple() | list()), TupleType(fields=fields)):
            return tuple(inward(v, t, copy) for v, t in zip(value, [*fields, *[None] * len(value)], strict=False))
        case tuple(), None:
            return tuple(inward(v, None, copy) for v in value)
        case tuple(), _ if any(isinstance(each, Tensor) or hasattr(each, "shape") for each in value):
            return tuple(inward(v, None, copy) for v in value)  # a tuple of tensors, which no other type admits
        case ((list() | tuple() | bool() | int() | float()), _):
            return of_numbers(value, type_.dtype if isinstance(type_, TensorType) else None)
        case ConstantArray(), _:
            found = runtime.of_bytes(value.dtype, value.shape, value.data)
            return found.copy() if copy else found
        case Tensor(), _:
            return np.array(value.__array__(), order="C") if copy else value.__array__()
        case _:
            return np.array(shared(value), order="C") if copy else shared(value)


def of_numbers(value: Any, dtype: str | None) -> Any:
    """Nested lists or a number as an array."""
    raw = to_constant(value, dtype)
    return runtime.of_bytes(raw.dtype, raw.shape, raw.data).copy()


def own(func: PrimFunc, args: Sequence[Any], values: list[Any], written: dict[int, str]) -> None:
    """Arguments of a loop program that it stores into are memory that the caller sees, and nobody else's.

    Raises:
        UsageError: such an argument is a list or a number, cannot be written, has elements that share memory, or shares
            memory with another.
    """
    for k, name in written.items():
        if not isinstance(values[k], np.ndarray):
            continue
        if isinstance(args[k], np.ndarray) and args[k].dtype == values[k].dtype == np.bool_ and args[k].flags.writeable:
            args[k].view(np.uint8)[...] = args[k].view(np.uint8) != 0  # the same truths, as bytes 0 and 1
            values[k] = args[k]
        if not values[k].flags.writeable:
            raise UsageError(f"{name} is written, and the array given for it is read-only")
        if isinstance(args[k], list | tuple | int | float) or not _same_memory(args[k], values[k]):
            raise UsageError(f"{name} is written: give an array of the machine's byte order, not {_told(args[k])}")
        if overlaps_itself(values[k]):
            raise UsageError(
                f"elements of {name} share memory that the program writes: give an array with a place for each"
            )
    for a, b in combinations([k for k, each in enumerate(values) if isinstance(each, np.ndarray)], 2):
        one = args[a] is args[b] or np.shares_memory(values[a], values[b])
        if (a in written or b in written) and one:
            raise UsageError(f"the arguments {a} and {b} share memory that the program writes")


def overlaps_itself(array: Any) -> bool:
    """Whether two elements of an array share bytes: exactly, and by the strides alone where these nest."""
    if array.size < 2 or array.flags.forc:
        return False
    reach = array.itemsize
    for step, extent in sorted((abs(step), extent) for step, extent in zip(array.strides, array.shape) if extent > 1):
        if step < reach:
            break
        reach += (extent - 1) * step
    else:
        return False
    places = np.zeros((), np.int64)
    for step, extent in zip(array.strides, array.shape):
        places = places[..., None] + np.arange(extent) * step
    return bool((np.diff(np.sort(places, axis=None)) < array.itemsize).any())


def _same_memory(value: Any, array: Any) -> bool:
    """Whether an array lies in the memory of what was given for it (what is stored in a tensor is given back)."""
    if isinstance(value, Tensor) or not array.size:
        return True
    return np.may_share_memory(value, array) if isinstance(value, np.ndarray) else not made_anew(value, array)


def made_anew(value: Any, array: Any) -> bool:
    """Whether an array was made of a list, a number, or another object that has no such memory to show (a scalar of
    NumPy's, a buffer in the other byte order): asked again, such an object gives memory that is another."""
    if isinstance(value, list | tuple | bool | int | float | ConstantArray):
        return True
    return bool(array.size) and not np.may_share_memory(shared(value), array)


def _told(value: Any) -> str:
    return "one of the other" if isinstance(value, np.ndarray) else f"a {type(value).__name__}"


def compact(values: list[Any]) -> list[Any]:
    """Values of a program that sees memory in another shape or dtype, which only rows that lie side by side allow."""
    return in_arrays(lambda v: np.ascontiguousarray(v) if v.ndim else v, values)


def apart(values: list[Any]) -> list[Any]:
    """Values of a program that overwrites memory: arrays that share theirs with another, or whose elements share some,
    are copied."""
    arrays = arrays_in(values)
    meet = [
        overlaps_itself(v) or any(k != j and np.may_share_memory(v, w) for j, w in enumerate(arrays))
        for k, v in enumerate(arrays)
    ]
    marks = iter(meet)
    return in_arrays(lambda v: v.copy() if next(marks) else v, values) if any(meet) else values


def in_arrays(change: Callable[[Any], Any], values: Sequence[Any]) -> list[Any]:
    """Values with each array changed, those of tuples too, in the order of ``arrays_in``."""
    return [
        tuple(in_arrays(change, each))
        if isinstance(each, tuple)
        else change(each)
        if isinstance(each, np.ndarray)
        else each
        for each in values
    ]


def arrays_in(values: Sequence[Any]) -> list[Any]:
    """The arrays of values, those of tuples too."""
    found = []
    for each in values:
        if isinstance(each, tuple):
            found += arrays_in(each)
        elif isinstance(each, np.ndarray):
            found.append(each)
    return found


def copied(value: Any) -> Any:
    if isinstance(value, np.ndarray):
        return value.copy()
    return tuple(copied(each) for each in value) if isinstance(value, tuple) else value


# --- outward ---------------------------------------------------------------------------------------------------------


def seen(value: Any) -> Any:
    """A value of a binding as it is observed: arrays in memory of their own, dtypes as what they are."""
    if isinstance(value, tuple):
        return tuple(seen(each) for each in value)
    return DType(str(value)) if isinstance(value, runtime.Dtype) else copied(value)


def outward(value: Any) -> Any:
    """A value of generated source at the surface: tensors over its arrays, which nobody else writes."""
    if isinstance(value, np.ndarray | np.generic):
        return Tensor.over(np.asarray(value))
    if isinstance(value, runtime.Dtype):
        return DType(str(value))
    if isinstance(value, Prim):
        return value.value
    return tuple(outward(each) for each in value) if isinstance(value, tuple) else value


def given(value: Any, inputs: Sequence[Any], free: bool | tuple[bool, ...]) -> Any:
    """What a call gives: arrays that can be written and share no memory with ``inputs``, unless the definition lets
    them (``free``, for all or for each field)."""
    if type(value) is np.ndarray:
        if not value.flags.writeable or (free is not True and _shares(value, inputs)):
            return in_rows(value)
        return value
    if isinstance(value, tuple):
        each = free if isinstance(free, tuple) and len(free) == len(value) else (free is True,) * len(value)
        return tuple([given(v, inputs, f) for v, f in zip(value, each, strict=True)])
    return np.array(value) if isinstance(value, np.ndarray | np.generic) else value


def _shares(value: Any, inputs: Sequence[Any]) -> bool:
    """Whether a result lies in memory of an input: by the owners of the memory, where these are arrays."""
    owner = value if value.base is None else value.base
    for each in inputs:
        if each is owner or each.base is owner:
            return True
        if not (_owned(value) and _owned(each)) and np.may_share_memory(value, each):
            return True
    return False


def _owned(array: Any) -> bool:
    """Whether an array has memory of its own, or that of an array which has."""
    base = array.base
    return base is None or (type(base) is np.ndarray and base.base is None)


def arrays_of(value: Any) -> Any:
    """Tensors of an outcome as arrays."""
    if isinstance(value, Tensor):
        return value.numpy()
    return tuple(arrays_of(each) for each in value) if isinstance(value, tuple) else value
