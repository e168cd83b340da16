"""A contract read as a pattern: what a dataflow block must hold for a library function to take its place.

Parameters are wildcards, bindings are the operators to find, a ``match_cast`` of a parameter is a condition on its
extents. Nothing is written twice: what is looked for is what the library function computes.

Spec: ``spec/10-lowering.md``, ``lo/dispatch-pattern``.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field, replace

from refrelax.errors import Diagnostic, Span
from refrelax.lower.tuples import renamed
from refrelax.rules import rule
from refrelax.semantics.graph.link import nodes
from refrelax.semantics.ops import CALL_FORMS, IMPURE, LOW_LEVEL, OPERATORS
from refrelax.semantics.types.checked import CheckedModule
from refrelax.semantics.types.renaming import definable, mentioned
from refrelax.semantics.types.wellformed.heads import contract_of
from refrelax.syntax.graph import (
    Call,
    Constant,
    DataTypeValue,
    Expr,
    Function,
    MatchCast,
    Op,
    PrimValue,
    ShapeExpr,
    StringValue,
    Tuple,
    TupleGetItem,
    Var,
)
from refrelax.syntax.scalars import SymVar
from refrelax.syntax.types import TensorType, Type

RULE = "lo/dispatch-pattern"


class NoPattern(Exception):
    """A contract that says what a library function computes, but not what to look for."""

    def __init__(self, message: str, span: Span | None) -> None:
        super().__init__(message)
        self.diagnostic = Diagnostic(RULE, message, span)


@dataclass(frozen=True, slots=True)
class Pattern:
    """``library``: the library function; ``contract``: its meaning; ``wanted``: the values of inner results by name;
    ``root``: the one that is the result; ``conditions``: types that parameters have to fit besides their own."""

    library: str
    contract: Function
    params: dict[str, TensorType]
    wanted: dict[str, Expr]
    types: dict[str, Type]
    root: str
    result: TensorType
    conditions: tuple[tuple[str, TensorType], ...] = ()
    depth: int = field(default=0, compare=False)


@rule("lo/dispatch-pattern")
def pattern_of(checked: CheckedModule, name: str) -> Pattern:
    """The contract ``name`` of a module as a pattern.

    Raises:
        NoPattern: it has another form than one dataflow block of operators on tensors, ending in one tensor.
    """
    function = checked.module.functions[name]
    assert isinstance(function, Function)
    library = contract_of(function)
    assert library is not None
    params = {p.name: _tensor(p.type, f"the parameter {p.name}", p.span) for p in function.params}
    defined = {s.name for each in params.values() for s in definable(each)}
    for p in function.params:
        undefined = sorted(mentioned(params[p.name]) - defined)
        if undefined:
            raise NoPattern(f"expected parameters that define {undefined[0]}, found none", p.span or function.span)
    for promise in checked.promises:
        if promise.function == name:
            raise NoPattern(f"expected a type of {promise.name} that follows from the parameters'", function.span)
    wanted: dict[str, Expr] = {}
    conditions: list[tuple[str, TensorType]] = []
    same: dict[str, str] = {}
    for block in function.body.blocks:
        for binding in block.bindings:
            value = renamed(binding.value, same)
            if isinstance(binding, MatchCast):
                conditions.append(_condition(replace(binding, value=value), params, defined))
                same[binding.name] = conditions[-1][0]
            else:
                _supported(value, binding.span or function.span)
                wanted[binding.name] = value
    root = function.body.body
    if not isinstance(root, Var) or not isinstance(wanted.get(root.name), Call):
        raise NoPattern("expected the result of an operator as the contract's result", function.span)
    result = _tensor(function.ret, "the result", function.span)
    used = _used(wanted, root.name)
    unused = sorted((params.keys() | wanted.keys()) - used)
    if unused:
        raise NoPattern(f"expected a contract that uses {unused[0]}: no match can tell what it is", function.span)
    types = dict(checked.types.get(name, {}))
    return Pattern(library, function, params, wanted, types, root.name, result, tuple(conditions), len(wanted))


def _tensor(type_: Type | None, what: str, span: Span | None) -> TensorType:
    known = isinstance(type_, TensorType) and isinstance(type_.shape, tuple) and type_.dtype is not None
    if not known or not isinstance(type_, TensorType) or type_.vdevice is not None:
        raise NoPattern(f"expected {what} as a tensor of known dims and dtype, found {type_}", span)
    return type_


def _condition(binding: MatchCast, params: dict[str, TensorType], defined: set[str]) -> tuple[str, TensorType]:
    """A ``match_cast`` of a parameter that binds nothing new."""
    value = binding.value
    if not isinstance(value, Var) or value.name not in params:
        raise NoPattern("expected a match_cast of a parameter", binding.span)
    type_ = _tensor(binding.type, "the type of a match_cast", binding.span)
    if mentioned(type_) - defined:
        raise NoPattern("expected a match_cast that binds no symbol", binding.span)
    own = params[value.name]
    if (type_.dtype, type_.ndim) != (own.dtype, own.ndim):
        raise NoPattern(f"expected a match_cast to the dtype and rank of {own}, found {type_}", binding.span)
    return value.name, type_


def _supported(e: Expr, span: Span | None) -> None:
    """Raises ``NoPattern`` unless ``e`` is a pure operator on names, constants, tuples, shapes."""
    match e:
        case Call(op=Op(name=op)):
            if op not in OPERATORS or op in IMPURE or op in CALL_FORMS or op in LOW_LEVEL or e.ty_args:
                raise NoPattern(f"expected operators without effects, found {op}", e.span or span)
            if any(isinstance(node, SymVar) for node in nodes(e.attrs)):
                raise NoPattern(f"expected attributes without symbols, found some of {op}", e.span or span)
            for each in e.args:
                _supported(each, span)
        case Tuple():
            for each in e.fields:
                _supported(each, span)
        case TupleGetItem():
            _supported(e.tuple, span)
        case Var() | Constant() | PrimValue() | ShapeExpr() | StringValue() | DataTypeValue():
            pass
        case _:
            found = getattr(getattr(e, "op", None), "name", type(e).__name__)
            raise NoPattern(f"expected operators without effects, found {found}", getattr(e, "span", None) or span)


def _used(wanted: dict[str, Expr], root: str) -> set[str]:
    """The names that the result is made of. (What nothing is made of is not looked for, and might still trap.)"""
    found, waiting = {root}, [root]
    while waiting:
        more = set(variables(wanted[waiting.pop()])) - found
        found |= more
        waiting += more & wanted.keys()
    return found


def variables(e: Expr) -> Iterator[str]:
    """Names of the variables in an expression of a pattern."""
    match e:
        case Var():
            yield e.name
        case Call():
            for each in e.args:
                yield from variables(each)
        case Tuple():
            for each in e.fields:
                yield from variables(each)
        case TupleGetItem():
            yield from variables(e.tuple)
        case _:
            return
