"""The abstract machine of the graph level: the state of a run, and what its judgements ask of one another.

``evaluate.py`` gives the judgements themselves (``Interpreter``). Rules in other files take a ``Machine``, so that they
need not import it: call forms, library functions and operators of lowered modules evaluate expressions and call
functions in their turn.

Spec: ``spec/07-evaluation.md``.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Protocol

from refrelax.errors import Effect, InternalError, Span, trap, unspecified
from refrelax.rules import rule
from refrelax.semantics.budget import Meter
from refrelax.semantics.dims import Symbols
from refrelax.semantics.dims import value as dim_value
from refrelax.semantics.graph.matching import Mismatch, match, named_shape
from refrelax.semantics.numbers.interface import Numerics
from refrelax.semantics.session import Session
from refrelax.semantics.types.packing import packed, parts
from refrelax.semantics.types.wellformed.heads import contracts_of
from refrelax.semantics.values import Closure, TensorValue, Value, empty
from refrelax.semantics.world import ALONE, World
from refrelax.syntax.graph import Binding, Call, Expr, ExternFunc, GlobalVar, StringValue, Tuple
from refrelax.syntax.module import Module
from refrelax.syntax.types import VOID, DTensorType, TensorType, TupleType, Type


class Listener(Protocol):
    """What watches a run: called after each binding with the path of its function, its name and its value.

    It may also have ``on_start(path, binding, scope)`` (before a binding), ``on_call(path, args)`` and
    ``on_return(path)`` (a function of the module is entered and left), ``on_effect(effect)``, and of loop-level
    functions ``on_allocation(path, name, dtype, shape, scope, storage)``, ``on_step(path, name, value)`` (a loop
    variable takes a value), ``on_loop_end(path, name)`` (its loop is over, but for one that a run, function or thread
    ends inside) and ``on_access(path, does, bound, index, payload, span, cell)`` (an element is read or written; no
    ``cell``: outside); of blocks of threads that wait for each other ``on_block(path, extents, shared)`` and
    ``on_block_end(path)``, ``on_thread(path, lane, coords)`` (a thread goes on) and ``on_front(path, what, span,
    lanes)`` (threads have met, and go on). What it does not have costs nothing.
    """

    def on_binding(self, path: str, binding: Binding, value: Value, scope: Scope) -> None: ...


@dataclass(slots=True)
class Scope:
    """One call of a function: values by variable, symbols by name, and the function's path (``main``,
    ``main/inner``)."""

    path: str
    values: dict[str, Any] = field(default_factory=dict)
    symbols: Symbols = field(default_factory=dict)
    dead: set[str] = field(default_factory=set)
    """Names whose life was ended by ``kill_*``; the branches of an ``if`` share it with what is around them."""


@dataclass(slots=True)
class Machine(ABC):
    """The state of a run of a module. ``externs`` take and give run-time values."""

    module: Module
    numerics: Numerics
    meter: Meter
    externs: Mapping[str, Callable[..., Any]] = field(default_factory=dict)
    listener: Listener | None = None
    effects: list[Effect] = field(default_factory=list)
    constants: dict[int, TensorValue] = field(default_factory=dict)
    world: World = ALONE
    """The workers that run the program together."""
    types: Mapping[str, Mapping[str, Type]] = field(default_factory=dict)
    """What checking found: the type of every variable, by top-level function and name (``inner/lv`` when nested)."""
    check_regions: bool = False
    """Whether loop-level accesses are held to the declared regions of their blocks."""
    contracts: Mapping[str, str] = field(init=False)
    """Library functions whose meaning is a function of the module, by name."""
    session: Session = field(default_factory=Session)
    """What the machine keeps from run to run: memory and recorded runs."""
    capturing: int = 0
    """How many recorded runs are under way."""

    def __post_init__(self) -> None:
        self.contracts = contracts_of(self.module)

    @abstractmethod
    def eval_expr(self, expr: Expr, scope: Scope) -> Any:
        """The value of an expression."""

    @abstractmethod
    def call_global(self, name: str, args: list[Any], span: Span | None = None) -> Any:
        """Call a function of the module by name."""

    @abstractmethod
    def call_library(self, name: str, args: list[Any], span: Span | None = None, call: Call | None = None) -> Any:
        """Call a library function by name."""

    @abstractmethod
    def call_value(self, function: Any, args: list[Any], span: Span | None) -> Any:
        """Call a function value."""

    @abstractmethod
    def apply_operator(self, name: str, call: Call, scope: Scope) -> Any:
        """The value rule of an operator that calls nothing."""

    @abstractmethod
    def truth_of(self, condition: Any, span: Span | None) -> bool:
        """A condition as a Python bool."""

    @abstractmethod
    def type_of(self, expr: Expr, scope: Scope) -> Type | None:
        """The type that checking gave to a variable."""


# --- what the rules that call something share ------------------------------------------------------------------------


def output_types(call: Call) -> list[TensorType]:
    """The types of the outputs of a destination-passing call, in order."""
    (annotation,) = call.ty_args
    fields = tuple(each.tensor if isinstance(each, DTensorType) else each for each in parts(annotation))
    outputs = [each for each in fields if isinstance(each, TensorType)]
    if len(outputs) != len(fields):
        raise InternalError("an output of a destination-passing call that is no tensor")
    return outputs


def of_outputs(call: Call, outputs: Sequence[Any]) -> Any:
    """What a destination-passing call gives: its output, or them in the tuples of its annotation."""
    return packed(call.ty_args[0], iter(outputs), lambda fields: fields)


@rule("ev/call-tir-allocates")
def allocate(run: Machine, type_: TensorType, scope: Scope, span: Span | None) -> TensorValue:
    """A fresh output, no element written."""
    if type_.dtype is None:
        raise unspecified("ev/call-tir-allocates", "an output whose dtype is not known", span)
    if type_.shape is None:
        raise InternalError("an output without a shape")
    if isinstance(type_.shape, str):
        named = named_shape(scope.values, type_.shape)
        if named is None:
            raise InternalError(f"an output over {type_.shape}, which is no shape")
        shape = named.dims
    else:
        shape = tuple(dim_value(each, scope.symbols) for each in type_.shape)
    if any(extent < 0 for extent in shape):
        raise unspecified("ev/negative-extent", f"an output of shape {shape}", span)
    count = 1
    for extent in shape:
        count *= extent
    run.meter.make(count)
    return empty(run.numerics, type_.dtype, shape)


def arguments(run: Machine, expr: Expr, scope: Scope) -> list[Any]:
    """The inline argument tuple of a call form, evaluated."""
    if isinstance(expr, Tuple):
        return [run.eval_expr(each, scope) for each in expr.fields]
    value = run.eval_expr(expr, scope)
    return list(value) if isinstance(value, tuple) else [value]


def invoke(
    run: Machine, callee: Expr, args: list[Any], scope: Scope, span: Span | None, call: Call | None = None
) -> Any:
    """Call what the first argument of a call form names. ``call``: the same call without that argument."""
    match callee:
        case GlobalVar(name=name):
            return run.call_global(name, args, span)
        case ExternFunc(name=name) | StringValue(value=name):
            return run.call_library(name, args, span, call)
        case _:
            return run.call_value(run.eval_expr(callee, scope), args, span)


def promised(result: Any, call: Call, scope: Scope) -> Any:
    """``result``, if it has the type that the call promises; a contradiction leaves the run open. Of the promised type
    void it is dropped."""
    if not call.ty_args:
        return result
    wanted: Type = call.ty_args[0] if len(call.ty_args) == 1 else TupleType(call.ty_args)
    if wanted == VOID:
        return ()
    try:
        match(result, wanted, dict(scope.symbols), scope.values, "the result of a library function")
    except Mismatch as mismatch:
        raise unspecified("ev/packed-result-type", mismatch.message, call.span) from None
    return result


def closure_over(function: Any, captured: list[Any], span: Span | None) -> Closure:
    """A function of the module whose last parameters are bound to ``captured``."""
    if not isinstance(function, Closure) or len(captured) > len(function.function.params):
        raise unspecified("ev/call-non-function", "make_closure of something that takes no such arguments", span)
    params = function.function.params
    first = len(params) - len(captured)
    symbols, values = dict(function.symbols), dict(function.values)
    try:
        for param, value in zip(params[first:], captured, strict=True):
            values[param.name] = value
            if param.type is not None:
                match(value, param.type, symbols, values, f"captured {param.name}")
    except Mismatch as mismatch:
        raise trap(f"ev/param-{mismatch.aspect}", mismatch.message, span) from None
    return Closure(replace(function.function, params=params[:first]), values, symbols, function.name)
