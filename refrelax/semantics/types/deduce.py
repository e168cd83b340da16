"""Deduction of graph functions, binding by binding.

After an error the binding has its annotation's type, or ``R.Any``, and deduction goes on, so that one run finds
every independent error.

Spec: ``spec/05-types.md``, Bindings and functions.
"""

from __future__ import annotations

from refrelax.errors import Rejection, Span
from refrelax.rules import rule
from refrelax.semantics.types.checked import Promise
from refrelax.semantics.types.context import TypingContext
from refrelax.semantics.types.erase import erase_to_scope, erase_variables
from refrelax.semantics.types.expressions import label, type_of
from refrelax.semantics.types.lattice import (
    Check,
    check,
    depends_on_unbound,
    describe,
    dim_check,
    join,
)
from refrelax.semantics.types.purity import forces_purity
from refrelax.semantics.types.renaming import definable, dims_of
from refrelax.semantics.types.signatures import declared_type
from refrelax.syntax.graph import (
    Binding,
    Call,
    DataflowBlock,
    DataTypeValue,
    Function,
    If,
    MatchCast,
    Op,
    SeqExpr,
    Var,
    VarBinding,
)
from refrelax.syntax.scalars import SymVar
from refrelax.syntax.types import AnyType, FuncType, PackedFuncType, ShapeType, TupleType, Type

_ANY = AnyType()


def function_type(frame: TypingContext, f: Function) -> FuncType:
    """The type of ``f``, deduced in the fresh ``frame``: its parameters' types, its refined result, its purity."""
    declared = declared_type(f)
    params = declared.params or ()
    frame.pure = f.pure and not forces_purity(f)
    frame.spans["/" + frame.prefix] = f.span
    frame.define_symbols(params)
    for param, ty in zip(f.params, params, strict=True):
        frame.bind(param.name, ty, param.span)
    body = sequence_type(frame, f.body)
    return FuncType(params, return_type(frame, f, params, body), f.pure)


@rule("ty/return-refined", "ty/return-promise")
def return_type(frame: TypingContext, f: Function, params: tuple[Type, ...], body: Type) -> Type:
    """A return annotation that the body's type refines gives way to it (the parameters' symbols are kept); any other
    stays, as a promise that is checked when the function returns."""
    if f.ret is None or check(f.ret, body, frame.facts) is Check.PASS:
        visible = {symbol.name for ty in params for symbol in definable(ty)}
        ret = erase_to_scope(body, visible)
        rule_id = "ty/return-refined"
    else:
        ret, rule_id = f.ret, "ty/return-promise"
        frame.binding = "return"
        leave_open(frame, "return annotation", ret, body, f.span)
        frame.journal.promises.append(Promise(frame.function, frame.prefix + "return", ret, body))
    frame.binding = "return"
    frame.step(rule_id, ret, ((label(f.body.body, "body"), body),), f.span)
    return ret


def sequence_type(frame: TypingContext, seq: SeqExpr) -> Type:
    """The type of a sequence: its value's, erased to the symbols that its scope defines."""
    for block in seq.blocks:
        frame.dataflow = isinstance(block, DataflowBlock)
        for each in block.bindings:
            bind(frame, each)
        if isinstance(block, DataflowBlock):
            leave_dataflow(frame, block)
    frame.dataflow = False
    try:
        body = type_of(frame, seq.body)
    except Rejection as refused:
        frame.journal.diagnostics.extend(refused.diagnostics)
        body = _ANY
    return erase_to_scope(body, frame.visible)


def leave_dataflow(frame: TypingContext, block: DataflowBlock) -> None:
    """No type that leaves a dataflow block mentions a dataflow variable: such a shape is lost."""
    local = {each.name for each in block.bindings}.difference(block.outputs)
    for name in block.outputs:
        ty = frame.types.get(name, _ANY)
        left = erase_variables(ty, local)
        if left is not ty:
            frame.bind(name, left, frame.spans.get(name))


def bind(frame: TypingContext, binding: Binding) -> None:
    """Deduce one binding and write its type down; its errors go to the journal."""
    frame.binding = binding.name
    try:
        if isinstance(binding, MatchCast):
            ty = match_cast(frame, binding)
        else:
            ty = annotated(frame, binding, value_type(frame, binding))
    except Rejection as refused:
        frame.journal.diagnostics.extend(refused.diagnostics)
        ty = binding.type if isinstance(binding, MatchCast) else binding.annotation or _ANY
    frame.bind(binding.name, ty, binding.span)
    if isinstance(binding, VarBinding):
        match binding.value:
            case DataTypeValue() | Call(op=Op(name="relax.null_value")):
                frame.values[binding.name] = binding.value
            case Var(name=other) if other in frame.values:
                frame.values[binding.name] = frame.values[other]
    if isinstance(binding, MatchCast):
        frame.define_symbols((ty,))
        if binding.span is not None:
            frame.spans.update({f"?{s.name}": binding.span for s in definable(ty)})


def value_type(frame: TypingContext, binding: VarBinding) -> Type:
    """The type of a binding's right-hand side, nested functions and ``If`` included."""
    match binding.value:
        case Function():
            return local_function(frame, binding.name, binding.value)
        case If():
            return if_type(frame, binding.value)
        case _:
            return type_of(frame, binding.value)


@rule("ty/annotation-impossible", "ty/annotation-claims")
def annotated(frame: TypingContext, binding: VarBinding, deduced: Type) -> Type:
    """The type of the variable, where an annotation stands.

    An annotation that is provably wrong is refused. On a call it *is* the variable's type, coarser than the
    deduced one or claiming more, and so it is on a constant whose array is not there; on any other value the deduced
    type stands.
    """
    claimed = binding.annotation
    if claimed is None:
        return deduced
    found = check(frame.ranked(claimed), frame.ranked(deduced), frame.facts)
    if found is Check.L0:
        frame.journal.report(
            "ty/annotation-impossible",
            f"{binding.name} is annotated {describe(claimed)}, its value is {describe(deduced)}",
            binding.span,
        )
        return claimed
    if found is not Check.PASS:
        leave_open(frame, "annotation", claimed, deduced, binding.span)
        frame.journal.promises.append(Promise(frame.function, frame.prefix + binding.name, claimed, deduced))
    if isinstance(binding.value, Call) or depends_on_unbound(deduced):
        return claimed
    return deduced


@rule("ty/match-cast-impossible", "ty/match-cast-annotation", "ty/match-cast")
def match_cast(frame: TypingContext, binding: MatchCast) -> Type:
    """The target type, whose bare new symbols are defined here; refused only if no value could match."""
    value = type_of(frame, binding.value)
    target = binding.type
    if check(frame.ranked(value), frame.ranked(target), frame.facts) is Check.L0:
        frame.journal.report(
            "ty/match-cast-impossible",
            f"no value of type {describe(value)} matches {describe(target)}",
            binding.span,
        )
    leave_open(frame, "match_cast", target, value, binding.span)
    if binding.annotation is not None and binding.annotation != target:
        frame.journal.report(
            "ty/match-cast-annotation",
            f"{binding.name} is annotated {describe(binding.annotation)}, but cast to {describe(target)}",
            binding.span,
        )
    frame.step("ty/match-cast", target, ((label(binding.value, "value"), value),), binding.span)
    return target


def leave_open(frame: TypingContext, what: str, claimed: Type, deduced: Type, span: Span | None) -> None:
    """Write down the equalities of dims between two types of one form that are not proved; a dim that is a new
    symbol asks for nothing."""
    if isinstance(claimed, TupleType) and isinstance(deduced, TupleType):
        for a, b in zip(claimed.fields, deduced.fields, strict=False):
            leave_open(frame, what, a, b, span)
        return
    expected, found = list(dims_of(claimed)), list(dims_of(deduced))
    if isinstance(claimed, FuncType) or len(expected) != len(found):
        return
    for p, q in zip(expected, found, strict=True):
        new = isinstance(p, SymVar) and p.name not in frame.visible
        if not new and dim_check(p, q, frame.facts) is not Check.PASS:
            frame.leave_open(what, p, q, span)


@rule("ty/if", "ty/if-condition")
def if_type(frame: TypingContext, e: If) -> Type:
    """The least common ancestor of the branches' types, each erased to what is in scope outside of it."""
    condition = type_of(frame, e.condition)
    if isinstance(condition, ShapeType | TupleType | FuncType | PackedFuncType):
        frame.journal.report(
            "ty/if-condition", f"the condition must be a truth value, found {describe(condition)}", e.span
        )
    name = frame.binding
    sides = []
    for branch in (e.then_branch, e.else_branch):
        sides.append(erase_to_scope(sequence_type(frame.branch(), branch), frame.visible))
    frame.binding = name
    ty = join(sides[0], sides[1], frame.facts)
    names = label(e.then_branch.body, "then"), label(e.else_branch.body, "else")
    frame.step("ty/if", ty, tuple(zip(names, sides, strict=True)), e.span)
    return ty


@rule("ty/local-function")
def local_function(frame: TypingContext, name: str, f: Function) -> Type:
    """A nested function; it may call itself under its declared type."""
    frame.types[name] = declared_type(f)
    ty = function_type(frame.inner(name, f.pure), f)
    frame.binding = name
    return ty
