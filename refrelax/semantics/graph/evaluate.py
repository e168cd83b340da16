"""The meaning of graph-level functions: big-step evaluation, one function a judgement.

Evaluation is in binding order; effects happen in that order. A ``Scope`` holds the values of the variables and the
symbols of one function call.

Spec: ``spec/07-evaluation.md``.
"""

from __future__ import annotations

from functools import partial
from typing import Any, assert_never

from refrelax.errors import Effect, Ended, InternalError, Span, trap, unspecified
from refrelax.rules import rule
from refrelax.semantics.arena import keep_apart, name_memory
from refrelax.semantics.builtins.graphs import host_sees
from refrelax.semantics.builtins.kernels import KERNELS, call_kernel, missing
from refrelax.semantics.builtins.library import LIBRARY, call_builtin
from refrelax.semantics.dims import float_value
from refrelax.semantics.dims import value as dim_value
from refrelax.semantics.graph.calls import CALL_FORMS
from refrelax.semantics.graph.contracts import call_contract
from refrelax.semantics.graph.machine import Machine, Scope, promised
from refrelax.semantics.graph.matching import Buried, Mismatch, bind_symbols, compare, match, structure
from refrelax.semantics.loops.evaluate import run_prim_func
from refrelax.semantics.loops.frame import Context
from refrelax.semantics.ops import OPERATORS
from refrelax.semantics.ops.definition import Evaluation
from refrelax.semantics.ops.retyping import asked_again
from refrelax.semantics.symbol_bounds import keep_promises
from refrelax.semantics.values import Closure, DType, PackedFunc, Prim, Shape, TensorValue, from_bits
from refrelax.syntax import bits, dtypes
from refrelax.syntax.graph import (
    Binding,
    Call,
    Constant,
    ConstantRef,
    DataTypeValue,
    DistConstant,
    Expr,
    ExternFunc,
    Function,
    GlobalVar,
    If,
    MatchCast,
    Op,
    PrimValue,
    SeqExpr,
    ShapeExpr,
    StringValue,
    Tuple,
    TupleGetItem,
    Var,
    VarBinding,
)
from refrelax.syntax.loops import PrimFunc
from refrelax.syntax.scalars import PrimExpr
from refrelax.syntax.types import VOID, Type

ON_HOST = frozenset(
    f"relax.{name}" for name in ("print", "assert_op", "nonzero", "unique", "tensor_to_shape", "dynamic_strided_slice")
)
"""Operators by which the host sees elements."""


class Interpreter(Machine):
    """A module under evaluation: the judgements of ``Machine``, one method each."""

    __slots__ = ()

    # --- functions ---------------------------------------------------------------------------------------------------

    def call_global(self, name: str, args: list[Any], span: Span | None = None) -> Any:
        """Call a function of the module by name."""
        match self.module.functions[name]:
            case Function() as function:
                return self.call_function(function, args, Scope(name), span)
            case PrimFunc() as function:
                keep_apart(f"cls.{name}", args, span)
                return run_prim_func(self.loop_context(), name, function, args, span)
            case ExternFunc() as function:
                return self.call_library(function.name, args, span)
            case other:
                assert_never(other)

    def loop_context(self) -> Context:
        """What loop-level evaluation needs of this run."""
        return Context(
            self.numerics,
            self.meter,
            self.call_global,
            self.externs,
            {name: partial(call_contract, self, name, contract) for name, contract in self.contracts.items()},
            self.effects,
            self.listener,
            self.check_regions,
        )

    @rule("ev/function-call", "ev/arity", "ev/param-type", "ev/param-dtype", "ev/param-rank", "ev/param-shape")
    def call_function(self, function: Function, args: list[Any], scope: Scope, span: Span | None = None) -> Any:
        """Check the arguments against the parameters, evaluate the body, check the result against the annotation."""
        if len(args) != len(function.params):
            message = f"{scope.path} takes {len(function.params)} arguments, {len(args)} were given"
            raise trap("ev/arity", message, span or function.span)
        self.meter.enter()
        told = getattr(self.listener, "on_call", None)
        if told is not None:
            told(scope.path, args)
        self._enter(function, args, scope)
        value = self.eval_seq(function.body, scope)
        self._check_return(function, value, scope)
        self.meter.leave()
        left = getattr(self.listener, "on_return", None)
        if left is not None:
            left(scope.path)
        return value

    def _enter(self, function: Function, args: list[Any], scope: Scope) -> None:
        """Bind parameters and the symbols of their types: all structure first, then all symbols, then all extents."""
        collected = []
        for param, arg in zip(function.params, args, strict=True):
            scope.values[param.name] = arg
            self._name_symbol(param.name, arg, scope)
        try:
            for param, arg in zip(function.params, args, strict=True):
                where, pairs = f"parameter {param.name} of {scope.path}", []  # type: ignore[var-annotated]
                if param.type is not None:
                    structure(arg, param.type, scope.values, pairs, where)
                collected.append((pairs, where, param.span))
            for pairs, _, _ in collected:
                bind_symbols(pairs, scope.symbols)
            for pairs, where, _ in collected:
                compare(pairs, scope.symbols, where)
        except Mismatch as mismatch:
            raise trap(f"ev/param-{mismatch.aspect}", mismatch.message, function.span) from None
        keep_promises(function, scope.symbols, scope.path, function.span)

    @rule("ev/return-mismatch")
    def _check_return(self, function: Function, value: Any, scope: Scope) -> None:
        if function.ret is None:
            return
        try:
            match(value, function.ret, dict(scope.symbols), scope.values, f"the result of {scope.path}")
        except Mismatch as mismatch:
            raise trap("ev/return-mismatch", mismatch.message, function.span) from None

    @rule("ev/library-missing")
    def call_library(self, name: str, args: list[Any], span: Span | None = None, call: Call | None = None) -> Any:
        """Call a library function with run-time values: what its contract says, what is registered, or what the virtual
        machine brings."""
        contract = self.contracts.get(name)
        if contract is not None:
            keep_apart(name, args, span)
            return call_contract(self, name, contract, args, span)
        function = self.externs.get(name)
        if function is None:
            if name in LIBRARY:
                return call_builtin(self, name, args, call or Call(ExternFunc(name), (), span=span))
            if name in KERNELS:
                if name.startswith("vm.builtin.sample_top_p"):  # a place among elements, as a scalar
                    host_sees(self, name, span)
                keep_apart(name, args, span)
                return call_kernel(self, name, args, span)
            raise missing(name, span)
        host_sees(self, f"a call of {name}", span)
        keep_apart(name, args, span)
        self.effects.append(Effect("call", name))
        return function(*args)

    # --- sequences and bindings --------------------------------------------------------------------------------------

    @rule("ev/seq")
    def eval_seq(self, seq: SeqExpr, scope: Scope) -> Any:
        """The bindings of every block in order, then the body."""
        for block in seq.blocks:
            for binding in block.bindings:
                self.eval_binding(binding, scope)
        return self.eval_expr(seq.body, scope)

    def eval_binding(self, binding: Binding, scope: Scope) -> Any:
        """Evaluate a binding, name its value, tell the listener."""
        self.meter.step()
        started = getattr(self.listener, "on_start", None)
        if started is not None:
            started(scope.path, binding, scope)
        try:
            value = self._bound(binding, scope)
        except Ended as end:
            end.within(f"{scope.path}/{binding.name}", binding.span)
            raise
        scope.values[binding.name] = value
        self._name_symbol(binding.name, value, scope)
        name_memory(binding.name, value)
        if self.listener is not None:
            self.listener.on_binding(scope.path, binding, value, scope)
        return value

    def _bound(self, binding: Binding, scope: Scope) -> Any:
        match binding:
            case VarBinding(value=Function() as function):
                return self._closure(binding.name, function, scope)
            case VarBinding(value=Call() as call):
                return self._kept(binding, call, self.eval_expr(call, scope), scope)
            case VarBinding():
                return self.eval_expr(binding.value, scope)
            case MatchCast():
                return self._match_cast(binding, scope)
            case _:
                assert_never(binding)

    @rule("ev/promised-type")
    def _kept(self, binding: VarBinding, call: Call, value: Any, scope: Scope) -> Any:
        """``value``, if it has the type that the annotation, or the type of a function value, promises of the call."""
        promise = binding.annotation
        if promise is None and isinstance(call.op, Var):
            promise = self.type_of(Var(binding.name), scope)
        if promise is None:
            return value
        if promise == VOID:
            return ()
        try:
            match(value, promise, dict(scope.symbols), scope.values, f"the value of {binding.name}")
        except Mismatch as mismatch:
            raise unspecified("ev/promised-type", mismatch.message, binding.span) from None
        return value

    @staticmethod
    def _name_symbol(name: str, value: Any, scope: Scope) -> None:
        """A prim value is also a symbol, usable in scalar expressions."""
        if isinstance(value, Prim):
            scope.symbols[name] = value.value if dtypes.is_float(value.dtype) else int(value.value)

    @rule("ev/match-cast", "ev/match-cast-mismatch")
    def _match_cast(self, binding: MatchCast, scope: Scope) -> Any:
        """Check the value against the type, binding the new symbols of the type; the value itself is unchanged."""
        value = self.eval_expr(binding.value, scope)
        try:
            match(value, binding.type, scope.symbols, scope.values, f"match_cast to {binding.name}")
        except Mismatch as mismatch:
            raise trap("ev/match-cast-mismatch", mismatch.message, binding.span) from None
        return value

    @rule("ev/closure")
    def _closure(self, name: str, function: Function, scope: Scope) -> Closure:
        """A local function captures the values and symbols in scope, and itself under its own name."""
        values = dict(scope.values)
        for dead in scope.dead & values.keys():
            value = values.pop(dead)
            if isinstance(value, Shape):
                values[dead] = Buried(value)
        closure = Closure(function, values, dict(scope.symbols), f"{scope.path}/{name}")
        values[name] = closure
        return closure

    def call_closure(self, closure: Closure, args: list[Any], span: Span | None = None) -> Any:
        """Call a closure: its captured names, then its parameters."""
        scope = Scope(closure.name, dict(closure.values), dict(closure.symbols))
        return self.call_function(closure.function, args, scope, span)

    # --- expressions -------------------------------------------------------------------------------------------------

    def eval_expr(self, expr: Expr, scope: Scope) -> Any:
        """The value of an expression."""
        match expr:
            case Var():
                return self._variable(expr, scope)
            case Call():
                return self.eval_call(expr, scope)
            case Constant():
                return from_bits(self.numerics, expr.dtype, expr.shape, expr.data)
            case DistConstant(value=constant):
                return self.eval_expr(constant, scope)
            case ConstantRef():
                return self._constant(expr)
            case PrimValue():
                return self.eval_prim(expr.value, scope)
            case ShapeExpr():
                return Shape(tuple(dim_value(each, scope.symbols) for each in expr.values))
            case StringValue():
                return expr.value
            case DataTypeValue():
                return DType(expr.dtype)
            case Tuple():
                return tuple(self.eval_expr(each, scope) for each in expr.fields)
            case TupleGetItem():
                return self._item(expr, scope)
            case If():
                return self._if(expr, scope)
            case Function():
                return self._closure("", expr, scope)
            case GlobalVar():
                return self._global(expr)
            case ExternFunc():
                return PackedFunc(expr.name)
            case Op():
                raise InternalError(f"the operator {expr.name} is no value")
            case _:
                assert_never(expr)

    @rule("ev/variable")
    def _variable(self, expr: Var, scope: Scope) -> Any:
        known = expr.name in scope.values and not isinstance(scope.values[expr.name], Buried)
        if expr.name in scope.dead or not known:  # (not known: dead when a closure captured what was in scope)
            raise unspecified("st/use-after-kill", f"{expr.name} is used after it was killed", expr.span)
        return scope.values[expr.name]

    def _global(self, expr: GlobalVar) -> Any:
        match self.module.functions[expr.name]:
            case Function() as function:
                return Closure(function, {}, {}, expr.name)
            case ExternFunc() as function:
                return PackedFunc(function.name)
            case _:
                return PackedFunc(f"cls.{expr.name}")

    @rule("ev/constant")
    def _constant(self, expr: ConstantRef) -> TensorValue:
        if expr.index not in self.constants:
            found = self.module.constants.get(expr.index)
            if found is None:
                raise unspecified("ev/constant-missing", f"constant {expr.index} is not bound", expr.span)
            self.constants[expr.index] = from_bits(self.numerics, found.dtype, found.shape, found.packed())
        return self.constants[expr.index]

    @rule("ev/prim-value")
    def eval_prim(self, expr: PrimExpr, scope: Scope) -> Prim:
        """A scalar expression as a value: exact, and of floats the one permitted result."""
        if dtypes.is_float(expr.dtype):
            return Prim(expr.dtype, float_value(expr, scope.symbols))
        value = dim_value(expr, scope.symbols)
        return Prim(expr.dtype, bool(value) if expr.dtype == "bool" else value)

    @rule("ev/tuple-get-item")
    def _item(self, expr: TupleGetItem, scope: Scope) -> Any:
        value = self.eval_expr(expr.tuple, scope)
        if not isinstance(value, tuple) or not 0 <= expr.index < len(value):
            raise unspecified("ev/tuple-get-item", f"item {expr.index} of something that has none", expr.span)
        return value[expr.index]

    @rule("ev/if")
    def _if(self, expr: If, scope: Scope) -> Any:
        """One branch is evaluated; what it binds is not visible after it."""
        taken = self.truth_of(self.eval_expr(expr.condition, scope), expr.span)
        branch = Scope(scope.path, dict(scope.values), dict(scope.symbols), scope.dead)
        return self.eval_seq(expr.then_branch if taken else expr.else_branch, branch)

    @rule("ev/if-condition")
    def truth_of(self, condition: Any, span: Span | None) -> bool:
        """A condition as a Python bool: a prim value, or element 0 of a bool or integer tensor."""
        if isinstance(condition, Prim):
            return bool(condition.value)
        if not isinstance(condition, TensorValue) or condition.size == 0:
            raise unspecified("ev/if-condition", "the condition has no element", span)
        host_sees(self, "an element decides", span)
        if dtypes.is_float(condition.dtype):
            raise unspecified("ev/if-condition", f"a {condition.dtype} is no truth", span)
        f = self.numerics.at(condition.dtype)
        element = condition[(0,) * condition.ndim]
        if condition.dtype == "bool":
            return self.numerics.decide(element)
        return self.numerics.decide(f.not_equal(element, f.lit(0)))

    # --- calls -------------------------------------------------------------------------------------------------------

    def eval_call(self, call: Call, scope: Scope) -> Any:
        """A call of an operator, a function of the module, a library function, or a function value."""
        match call.op:
            case Op(name=name):
                return self._operator(name, call, scope)
            case GlobalVar(name=name):
                return self._from_loops(name, self._args(call, scope), call.span)
            case ExternFunc(name=name):
                return promised(self.call_library(name, self._args(call, scope), call.span, call), call, scope)
            case Var():
                return self.call_value(self._variable(call.op, scope), self._args(call, scope), call.span)
            case _:
                assert_never(call.op)

    @rule("ev/prim-func-result")
    def enter(self, name: str, args: list[Any]) -> Any:
        """A run that begins at a function: of a loop-level one the number that it returns, of its dtype; of a float of
        which a reading permits several the element."""
        result, function = self.call_global(name, args), self.module.functions[name]
        if not isinstance(function, PrimFunc) or result is None or function.ret is None:
            return result
        match dtypes.kind(function.ret):
            case "bool":
                return Prim("bool", self.numerics.decide(result))
            case "int" | "uint":
                return Prim(function.ret, self.numerics.to_index(result, function.ret))
            case "float" if self.numerics.poison_rule(result) is not None:
                raise unspecified("ev/prim-value", f"the {function.ret} that {name} gives has no value", function.span)
            case "float" if isinstance(result, float):
                return Prim(function.ret, result)
            case _:
                return result

    @rule("ev/prim-func-result")
    def _from_loops(self, name: str, args: list[Any], span: Span | None) -> Any:
        """Call a function of the module from the graph level; what a loop-level one gives back is a scalar, or void."""
        result = self.call_global(name, args, span)
        function = self.module.functions[name]
        if not isinstance(function, PrimFunc):
            return result
        if result is None or function.ret is None:
            return ()
        host_sees(self, f"the scalar that {name} gives", span)
        match dtypes.kind(function.ret):
            case "bool":
                return Prim("bool", self.numerics.decide(result))
            case "int" | "uint":
                return Prim(function.ret, self.numerics.to_index(result, function.ret))
            case _ if self.numerics.exact_bits and self.numerics.poison_rule(result) is None:
                return Prim(function.ret, bits.decode(function.ret, self.numerics.at(function.ret).to_bits(result)))
            case _:
                raise unspecified("ev/prim-value", f"the {function.ret} that {name} gives has no exact value", span)

    def call_value(self, function: Any, args: list[Any], span: Span | None) -> Any:
        """Call a function value."""
        match function:
            case Closure():
                return self.call_closure(function, args, span)
            case PackedFunc(name=name) if name.startswith("cls."):
                return self._from_loops(name.removeprefix("cls."), args, span)
            case PackedFunc(name=name):
                return self.call_library(name, args, span)
            case _:
                raise unspecified("ev/call-non-function", "the value that is called is no function", span)

    def type_of(self, expr: Expr, scope: Scope) -> Type | None:
        """The type that checking gave to a variable."""
        if not isinstance(expr, Var):
            return None
        function, _, inner = scope.path.partition("/")
        return self.types.get(function, {}).get(f"{inner}/{expr.name}" if inner else expr.name)

    def _args(self, call: Call, scope: Scope) -> list[Any]:
        return [self.eval_expr(each, scope) for each in call.args]

    def _operator(self, name: str, call: Call, scope: Scope) -> Any:
        form = CALL_FORMS.get(name)
        return self.apply_operator(name, call, scope) if form is None else form(self, call, scope)

    def apply_operator(self, name: str, call: Call, scope: Scope) -> Any:
        """The value rule of an operator that calls nothing."""
        definition = OPERATORS.get(name)
        if definition is None:
            raise InternalError(f"{name} has no value rule")
        if name in ON_HOST:
            host_sees(self, name, call.span)
        symbols = scope.symbols
        evaluation = Evaluation(
            self.numerics,
            self.effects,
            call.span,
            lambda dim: dim_value(dim, symbols),
            self.meter.make,
            self.world,
            lambda expr: self.type_of(expr, scope),
        )
        args = tuple(self._args(call, scope))
        asked_again(definition, call, args, scope.values, evaluation.type_of)
        return definition.evaluate(evaluation, call, args)
