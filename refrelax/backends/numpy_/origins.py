"""Loop programs that are known to come from operators: computed as those operators are.

A call of such a loop program into fresh memory becomes calls of operators (``lower/origins``). Where memory is planned
the loop program is called with the place of its result; then it begins with the operators, and goes on with its loops
only where the operators have no meaning.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Any

from refrelax.backends.errors import Unsupported
from refrelax.backends.numpy_.fast_operators import IN_PLACE
from refrelax.backends.numpy_.graph import sequence
from refrelax.backends.numpy_.graph_checks import match_types
from refrelax.backends.numpy_.graph_writer import Answers, Constants, Writer, element_dtypes, plain
from refrelax.backends.numpy_.guests import WIDER, admit
from refrelax.backends.numpy_.liveness import Liveness
from refrelax.backends.numpy_.names import local
from refrelax.backends.numpy_.operators import OPERATORS
from refrelax.errors import Ended
from refrelax.lower.origins.expand import Expanded
from refrelax.lower.origins.text import Origin
from refrelax.lower.origins.unplanned import needed, unplanned
from refrelax.semantics.types.checked import CheckedModule
from refrelax.syntax import dtypes
from refrelax.syntax.graph import (
    Binding,
    BindingBlock,
    Call,
    Constant,
    ConstantRef,
    Expr,
    Op,
    Tuple,
    Var,
)
from refrelax.syntax.loops import BufferParam, PrimFunc, ScalarParam
from refrelax.syntax.module import Module
from refrelax.syntax.scalars import SymVar, as_int
from refrelax.syntax.types import TensorType, Type

PLACE = "in"
"""Where the result of a loop program goes, in the source of its operators: no name of a program."""


LESS: dict[str, Callable[[Call, set[str]], bool]] = {
    "relax.power": lambda _call, found: not all(map(dtypes.is_float, found)),
    "relax.einsum": lambda call, _found: isinstance(call.args[0], Tuple) and len(call.args[0].fields) > 2,
}
"""Calls, by operator and the dtypes in them, of which loops mean more than the operator: an integer to a negative power
is something there, and a product of three elements is taken in one order."""


def usable(origin: Origin) -> bool:
    """Whether every operator of an origin has a translation, at its dtypes, that does what the loops do wherever these
    have a meaning."""
    types = dict(origin.types)
    found = {d for _, type_ in origin.types for d in element_dtypes(type_) if d is not None}
    if found & set(WIDER) or any(_has_no_element(type_) for type_ in types.values()):
        return False  # what loops make of no element for certain is theirs to say

    def dtypes_of(e: Expr) -> list[str]:
        match e:
            case Tuple(fields=fields):
                return [d for each in fields for d in dtypes_of(each)]
            case Constant(dtype=dtype):
                return [dtype]
            case Var(name=name):
                return [d for d in element_dtypes(types.get(name)) if d is not None]
            case _:
                return []

    for binding in origin.bindings:
        match binding.value:
            case Call(op=Op(name=name)) as call:
                try:
                    admit(
                        name, [d for each in call.args for d in dtypes_of(each)], {k: plain(v) for k, v in call.attrs}
                    )
                except Unsupported:
                    return False
                if name not in OPERATORS or (name in LESS and LESS[name](call, found)):
                    return False
            case _:
                pass
    return True


def _has_no_element(type_: Type) -> bool:
    """Whether a tensor of this type has no element at any size."""
    return isinstance(type_, TensorType) and isinstance(type_.shape, tuple) and 0 in map(as_int, type_.shape)


def operators_source(
    module: Module, origins: Mapping[str, Origin], constants: Constants, fast: bool, answers: Answers
) -> list[list[str]]:
    """For each origin a function ``o_name`` of the loop program's inputs, the symbols, and the place of its result."""
    parts = []
    for name, origin in origins.items():
        writer = Writer(module, dict(origin.types), constants, False, name, reuse=fast, table="pure", answers=answers)
        _function(writer, name, origin)
        parts.append(writer.lines)
    return parts


def _function(writer: Writer, name: str, origin: Origin) -> None:
    func, last = origin.function, origin.bindings[-1]
    writer.line(f"def o_{name}({', '.join(local(each) for each in (*(p.name for p in func.params), PLACE))}):")
    writer.depth += 1
    writer.places = {last.name: PLACE} if writer.reuse and takes_place(last) else {}
    writer.live = Liveness(writer.types, placed=writer.places).function(func) if writer.reuse else None
    match_types(writer, "param", [(local(p.name), p.type, f"parameter {p.name} of {name}") for p in func.params])
    writer.line(f"return {sequence(writer, func.body)}")


def takes_place(binding: Binding) -> bool:
    """Whether a binding can write its result where it is told."""
    call = binding.value
    if not isinstance(call, Call) or not isinstance(call.op, Op) or call.op.name not in IN_PLACE:
        return False
    return call.op.name != "relax.where" and all(isinstance(a, Var | Constant | ConstantRef) for a in call.args)


def without_plan(whole: Expanded, checked: CheckedModule, origins: Mapping[str, Origin]) -> Expanded:
    """A module with planned memory as operators with results of their own: new memory is warm where it was used a
    moment ago, and elementwise operators write over what nobody needs any more, which a plan does not allow."""
    functions, types, found = dict(whole.module.functions), dict(whole.types), False
    for name in checked.module.relax_functions() if origins else ():
        read = unplanned(checked, name, origins)
        if read is not None:
            bindings = needed([b for block in read.function.body.blocks for b in block.bindings])
            body = replace(read.function.body, blocks=(BindingBlock(tuple(bindings)),))
            functions[name] = replace(read.function, body=body)
            types[name], found = read.types, True
    return replace(whole, module=checked.module.with_functions(functions), types=types) if found else whole


def attempt(func: PrimFunc, name: str, origin: Origin) -> tuple[str, bool]:
    """The line that computes a loop program by its operators, and whether it must come after the program's checks."""
    outs = [p.buffer for p in func.params if isinstance(p, BufferParam)][len(origin.tensors) :]
    inputs = [p.buffer for p in func.params if isinstance(p, BufferParam)][: len(origin.tensors)]
    scalars = [p.var for p in func.params if isinstance(p, ScalarParam)]
    given, condition, late = [local(b.name) for b in inputs], "", False
    if origin.symbols:
        values = [local(v.name) for v in scalars]
        values += [_extent(origin, symbol, outs) for symbol in origin.symbols[len(scalars) :]]
        given.append(f"rt.shape({', '.join(values)})")
        condition = "".join(f"{local(v.name)} >= 0 and " for v in scalars)
        late = len(origin.symbols) > len(scalars)
    places = ", ".join(local(b.name) for b in outs)
    line = f"if {condition}origins.computed(o_{name}, ({''.join(f'{each}, ' for each in given)}), ({places},)):"
    return line, late


def _extent(origin: Origin, symbol: str, outs: list[Any]) -> str:
    """Where an extent that only a result has is found."""
    result = origin.function.ret
    fields = getattr(result, "fields", (result,))
    for buffer, type_ in zip(outs, fields, strict=True):
        for axis, dim in enumerate(type_.shape):
            if isinstance(dim, SymVar) and dim.name == symbol:
                return f"{local(buffer.name)}.shape[{axis}]"
    raise Unsupported(f"the symbol {symbol} of an origin")


ERRORS = (Ended, ArithmeticError, IndexError, ValueError, TypeError, KeyError)


def computed(operators: Callable[..., Any], args: tuple[Any, ...], places: tuple[Any, ...]) -> bool:
    """Compute by operators, and put the results where they go; ``False``, and nothing done, where that has no
    meaning."""
    try:
        found = operators(*args, places[0])
    except ERRORS:
        return False
    results = found if isinstance(found, tuple) else (found,)
    if any(r.shape != p.shape or r.dtype != p.dtype for r, p in zip(results, places, strict=True)):
        return False
    for result, place in zip(results, places, strict=True):
        if result is not place:
            place[...] = result
    return True
