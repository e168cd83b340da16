"""Operators that leave open, at some extents, what their loop programs determine.

A legalizer refines: the maximum of nothing is open, its loops give the start. On the first program's side that asks for
more than the definition does. On the second's it would prove too much, so there these extents must not be 0.

Spec: ``spec/06-shapes.md``, ``va/pointwise``.
"""

from __future__ import annotations

from collections.abc import Iterator

from refrelax.semantics.ops import attributes as A
from refrelax.semantics.types.checked import CheckedModule
from refrelax.syntax import bits, dtypes
from refrelax.syntax.graph import Call, Constant, Expr, Function, Op, PrimValue, Var, VarBinding
from refrelax.syntax.scalars import Literal, PrimExpr, as_int, int_imm
from refrelax.syntax.types import TensorType

REDUCTIONS = frozenset({f"relax.{name}" for name in ("max", "min", "mean", "variance", "std", "argmax", "argmin")})
WHOLE = frozenset({"relax.nn.pad", *(f"relax.nn.max_pool{n}d" for n in (1, 2, 3))})
"""Operators of which every extent counts."""

RUN = frozenset({"relax.grad.take_backward"})
"""Operators with a demand on extents that is left to the run."""


def openings(checked: CheckedModule, entry: str) -> Iterator[tuple[str, tuple[PrimExpr, ...] | None]]:
    """Per call of the entry: the operator, and the extents at 0 of which it leaves something open that its loops
    determine (``None``: there may be others)."""
    function = checked.module.functions[entry]
    if not isinstance(function, Function):
        return
    for block in function.body.blocks:
        for binding in block.bindings:
            if isinstance(binding, VarBinding) and isinstance(binding.value, Call):
                call = binding.value
                if isinstance(call.op, Op) and (found := _extents(checked, entry, call, call.op.name)) != ():
                    yield call.op.name, found


def _extents(checked: CheckedModule, entry: str, call: Call, op: str) -> tuple[PrimExpr, ...] | None:
    types = [_type(checked, entry, each) for each in call.args]
    if op in RUN or _unmet([each.dtype for each in types if each is not None and each.dtype is not None]):
        return None
    if op == "relax.clip" and not _within(types[0], call.args[1:]):
        return None
    if op not in REDUCTIONS | WHOLE and (op != "relax.take" or A.text(call, "mode", "fast") not in ("wrap", "clip")):
        return ()
    type_ = types[0]
    if type_ is None or not isinstance(type_.shape, tuple):
        return None
    dims = type_.shape
    if op in REDUCTIONS and (axes := _axes(call, op)) is not None:
        dims = tuple(dims[axis] for axis in axes)
    elif op == "relax.take" and (axis := A.optional_integer(call, "axis", None)) is not None:
        dims = (dims[axis],)
    return tuple(d for d in dims if not as_int(d))


def _type(checked: CheckedModule, entry: str, e: Expr) -> TensorType | None:
    match e:
        case Var(name=name):
            found = checked.types.get(entry, {}).get(name)
            return found if isinstance(found, TensorType) else None
        case Constant(dtype=dtype, shape=shape):
            return TensorType(tuple(int_imm(d) for d in shape), dtype, len(shape))
        case _:
            return None


def _unmet(names: list[str]) -> bool:
    """Whether two formats of one width meet."""
    floats = {name for name in names if dtypes.is_float(name)}
    return len({dtypes.bits(name) for name in floats}) < len(floats)


def _within(type_: TensorType | None, bounds: tuple[Expr, ...]) -> bool:
    """Whether the bounds of a ``clip`` are numbers of its dtype; any number is a bound for floats."""
    if type_ is None or type_.dtype is None:
        return False
    if not dtypes.is_integer(type_.dtype):
        return True
    low, high = dtypes.integer_range(type_.dtype)
    values = [e.value for e in bounds if isinstance(e, PrimValue)]
    numbers = [bits.decode(v.dtype, v.bits) for v in values if isinstance(v, Literal)]
    return len(numbers) == len(bounds) and all(low <= v <= high for v in numbers)


def _axes(call: Call, op: str) -> tuple[int, ...] | None:
    if op in ("relax.argmax", "relax.argmin"):
        axis = A.optional_integer(call, "axis")
        return None if axis is None else (axis,)
    axes = A.integers(call, "axis")
    return None if axes is None else tuple(axes)


__all__ = ["openings"]
