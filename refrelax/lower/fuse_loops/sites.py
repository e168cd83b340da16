"""The calls of fused functions: ``cls.f(x, R.shape([n]))`` becomes ``R.call_tir(cls.f, (x, n), out_ty=…)``.

Spec: ``spec/11-fusion.md``, ``lo/fuse-call-site``.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from refrelax.lower.annotations import promises_of
from refrelax.rules import rule
from refrelax.semantics.types.checked import CheckedModule
from refrelax.semantics.types.signatures import callees
from refrelax.syntax.graph import (
    Binding,
    BindingBlock,
    Block,
    Call,
    Expr,
    Function,
    GlobalVar,
    If,
    Op,
    PrimValue,
    SeqExpr,
    ShapeExpr,
    Tuple,
    VarBinding,
)
from refrelax.syntax.types import ShapeType, TensorType, Type


class Sites:
    """The places where Primitive functions are called."""

    def __init__(self, checked: CheckedModule) -> None:
        self.checked = checked
        self.calls: dict[str, list[Type | None]] = {}
        self.mentions: dict[str, int] = {}
        self.promised: dict[str, frozenset[str]] = {}
        for name, function in checked.module.relax_functions().items():
            self.promised[name] = promises_of(checked, name)
            for callee in callees(function):
                self.mentions[callee] = self.mentions.get(callee, 0) + 1
            self._sequence(name, function.body)

    def _sequence(self, where: str, seq: SeqExpr) -> None:
        for block in seq.blocks:
            for binding in block.bindings:
                match binding.value:
                    case Call(op=GlobalVar(name=callee), args=args):
                        plain = binding.name not in self.promised[where] and self._spelled(callee, args)
                        type_ = self.checked.types[where].get(binding.name) if plain else None
                        self.calls.setdefault(callee, []).append(type_)
                    case If(then_branch=then, else_branch=other):
                        self._sequence(where, then)
                        self._sequence(where, other)
                    case _:
                        pass

    def _spelled(self, callee: str, args: Sequence[Expr]) -> bool:
        """Whether the shapes that a call is given are written out: of no other is there a scalar for each extent."""
        function = self.checked.module.functions[callee]
        return not isinstance(function, Function) or all(
            isinstance(arg, ShapeExpr) or not isinstance(p.type, ShapeType)
            for arg, p in zip(args, function.params, strict=True)
        )

    def rewritable(self, name: str) -> bool:
        """Whether the function is private, and every mention of it is a call that gives it written shapes and whose
        result has known extents."""
        function = self.checked.module.functions[name]
        if isinstance(function, Function) and not function.private:
            return False  # (whoever calls it from outside knows nothing of an output that it is given)
        if "return" in self.promised.get(name, ()):
            return False  # (its calls have a type that only a run can show)
        calls = self.calls.get(name, [])
        known = all(isinstance(t, TensorType) and isinstance(t.shape, tuple) and t.dtype is not None for t in calls)
        return known and len(calls) == self.mentions.get(name, 0)

    def rewrite(self, where: str, function: Function, fused: set[str]) -> Function:
        """``function`` with its calls of fused functions rewritten."""
        return replace(function, body=self._rewritten(where, function.body, fused))

    def _rewritten(self, where: str, seq: SeqExpr, fused: set[str]) -> SeqExpr:
        def block(b: Block) -> Block:
            return replace(b, bindings=tuple(binding(each) for each in b.bindings))

        def binding(b: Binding) -> Binding:
            match b:
                case VarBinding(value=Call(op=GlobalVar(name=callee)) as call) if callee in fused:
                    type_ = self.checked.types[where][b.name]
                    assert isinstance(type_, TensorType)
                    return replace(b, value=call_tir(call, type_))
                case VarBinding(value=If() as value):
                    then = self._rewritten(where, value.then_branch, fused)
                    other = self._rewritten(where, value.else_branch, fused)
                    return replace(b, value=replace(value, then_branch=then, else_branch=other))
                case _:
                    return b

        assert all(isinstance(b, BindingBlock) or b.outputs is not None for b in seq.blocks)
        return replace(seq, blocks=tuple(map(block, seq.blocks)))


@rule("lo/fuse-call-site")
def call_tir(call: Call, type_: TensorType) -> Call:
    """The tensors in order, then the symbols that a shape carried."""
    fields: list[Expr] = []
    for arg in call.args:
        if isinstance(arg, ShapeExpr):
            fields += [PrimValue(value) for value in arg.values]
        else:
            fields.append(arg)
    return Call(Op("relax.call_tir"), (call.op, Tuple(tuple(fields))), ty_args=(type_,), span=call.span)
