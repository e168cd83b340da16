"""Where the operators of a program leave open what their loop programs determine.

A legalizer refines: the maximum of nothing is open, its loops give the start. On the first program's side that asks for
more than the definition does. On the second's it would prove too much, so there nothing may be left open. An operator
whose value is a text says where it is open; no loops of another are read (sorts, memory, effects).

Spec: ``spec/06c-pointwise.md``, ``va/pointwise``.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from functools import lru_cache
from typing import Any

from refrelax.lower.legalize.remembered import MOST, holds_array, names_of, numbered
from refrelax.lower.legalize.site import Typing
from refrelax.semantics.ops import OPERATORS
from refrelax.semantics.ops.meaning.indices import Unfit
from refrelax.semantics.ops.meaning.openings import Opening
from refrelax.semantics.ops.meaning.openings import openings as openings_of
from refrelax.semantics.ops.meaning.terms import written
from refrelax.semantics.types.checked import CheckedModule
from refrelax.syntax import bits, dtypes
from refrelax.syntax.graph import Binding, Call, Expr, Function, If, Op, PrimValue, SeqExpr, Tuple, VarBinding
from refrelax.syntax.scalars import Literal, PrimExpr
from refrelax.syntax.types import ShapeType, TensorType, TupleType, Type


def openings(
    checked: CheckedModule, entry: str, reads: bool = False, untrapped: bool = False, branches: bool = False
) -> Iterator[tuple[str, list[Opening] | None]]:
    """Per call of the entry: the operator, and where it leaves something open that its loops determine (``None``:
    that is not known). ``reads``: also what is read out of range, which loops leave open as well; ``untrapped``: only
    of calls that a run comes to whatever it is given, as no check that can fail stands before them; ``branches``: of
    calls inside the branches of an ``if`` as well, to which not every run comes."""
    function = checked.module.functions[entry]
    if not isinstance(function, Function):
        return
    yield from _of_sequence(checked, entry, function.body, reads, untrapped, branches)


def _of_sequence(
    checked: CheckedModule, entry: str, seq: SeqExpr, reads: bool, untrapped: bool, branches: bool
) -> Iterator[tuple[str, list[Opening] | None]]:
    for block in seq.blocks:
        for binding in block.bindings:
            if branches and isinstance(binding, VarBinding) and isinstance(binding.value, If):
                for each in (binding.value.then_branch, binding.value.else_branch):
                    yield from _of_sequence(checked, entry, each, reads, untrapped, branches)
            if untrapped and _checks(binding):
                return
            if isinstance(binding, VarBinding) and isinstance(binding.value, Call):
                call = binding.value
                if isinstance(call.op, Op) and (found := _of_call(checked, entry, call, call.op.name)) != []:
                    yield call.op.name, found if reads or found is None else [e for e in found if not e.read]


def _checks(binding: Binding) -> bool:
    """Whether a run may trap here; an operator that is a text does not."""
    match binding:
        case VarBinding(value=Call(op=Op(name))):
            return name not in OPERATORS or OPERATORS[name].text is None
        case VarBinding(value=Call() | If()):
            return True
        case VarBinding():
            return False
        case _:
            return True


def _of_call(checked: CheckedModule, entry: str, call: Call, op: str) -> list[Opening] | None:
    typing = Typing(checked.module, checked.types.get(entry, {}).get)
    types = tuple(typing.of(each) for each in call.args)
    if holds_array(call):
        return _of_types(call, op, types)
    return _as_before(replace(call, args=numbered(call.args, names_of(call))), op, types)


def _of_types(call: Call, op: str, types: tuple[Type | None, ...]) -> list[Opening] | None:
    if _unmet([each.dtype for each in _tensors(types) if each.dtype is not None]):
        return None
    if op == "relax.clip" and not _within(types[0], call.args[1:]):
        return None
    text = OPERATORS[op].text if op in OPERATORS else None
    if text is None:
        return []
    try:
        given = [each for k, arg in enumerate(call.args) for each in operands(k, arg, types[k])]
        return list(openings_of(written(text, call, *given)))
    except Unfit:
        return None


_as_before = lru_cache(maxsize=MOST)(_of_types)
"""A call whose variables are numbered: what it leaves open is asked for again and again, and is nobody's to change."""


def operands(k: int, arg: Expr, found: Type | None) -> list[Any]:
    """An argument as ``written`` takes it. Raises ``Unfit``."""
    match arg, found:
        case PrimValue(value=value), _:
            return [(f"x{k}", [1], value.dtype, value)]
        case Tuple(fields=fields), _ if all(isinstance(each, PrimValue) for each in fields):
            return [[each.value for each in fields if isinstance(each, PrimValue)]]
        case _, TensorType(shape=tuple() as dims, dtype=str() as dtype):
            return [(f"x{k}", list(dims), dtype)]
        case _, ShapeType(values=tuple() as values):
            return [list(values)]
        case _, TupleType(fields=fields):
            return [each for n, t in enumerate(fields) for each in operands(n, arg, t)]
        case Call(op=Op("relax.null_value")), _:
            return [None]
        case _:
            raise Unfit("an argument whose extents are not known")


def _tensors(types: Sequence[Type | None]) -> Iterator[TensorType]:
    for each in types:
        if isinstance(each, TensorType):
            yield each
        elif isinstance(each, TupleType):
            yield from _tensors(each.fields)


def _unmet(names: list[str]) -> bool:
    """Whether two formats of one width meet."""
    floats = {name for name in names if dtypes.is_float(name)}
    return len({dtypes.bits(name) for name in floats}) < len(floats)


def _within(type_: Type | None, bounds: tuple[Expr, ...]) -> bool:
    """Whether the bounds of a ``clip`` are numbers of its dtype; any number is a bound for floats."""
    if not isinstance(type_, TensorType) or type_.dtype is None:
        return False
    if not dtypes.is_integer(type_.dtype):
        return True
    low, high = dtypes.integer_range(type_.dtype)
    values = [e.value for e in bounds if isinstance(e, PrimValue)]
    numbers: list[PrimExpr] = [v for v in values if isinstance(v, Literal)]
    return len(numbers) == len(bounds) and all(
        low <= bits.decode(v.dtype, v.bits) <= high for v in numbers if isinstance(v, Literal)
    )


__all__ = ["openings", "operands"]
