"""Constant folding: calls all of whose arguments are constants, replaced by the value that ``ieee`` gives.

A value that is no scalar joins the module's constants. Nothing is folded that ends otherwise than with a value, that
has poison in it, or that is large; a call without a tensor argument (``zeros``) makes data from nothing and stays.

Spec: ``spec/10-lowering.md``.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any

from refrelax.errors import Ended
from refrelax.lower.claims import Ledger
from refrelax.lower.to_destinations import by_name
from refrelax.rules import rule
from refrelax.semantics.budget import Budget, Meter
from refrelax.semantics.graph.evaluate import Interpreter
from refrelax.semantics.graph.link import nodes
from refrelax.semantics.graph.overwriting import stores_somewhere
from refrelax.semantics.numbers import reading
from refrelax.semantics.ops import COLLECTIVE, OPERATORS
from refrelax.semantics.types.checked import CheckedModule
from refrelax.semantics.values import TensorValue
from refrelax.syntax import dtypes
from refrelax.syntax.graph import (
    Binding,
    BindingBlock,
    Block,
    Call,
    Constant,
    ConstantRef,
    DistConstant,
    Expr,
    Function,
    GlobalVar,
    If,
    Op,
    SeqExpr,
    Tuple,
    Var,
    VarBinding,
)
from refrelax.syntax.loops import PrimFunc
from refrelax.syntax.module import BaseFunc, ConstantArray, Module
from refrelax.syntax.scalars import SymVar, int_imm
from refrelax.syntax.types import Type, tensor_of

LARGEST = 1 << 16
"""The most elements that a folded value may have."""

LIMIT = Budget(steps=1 << 20, elements=1 << 18, depth=4)
"""What evaluating one call may cost."""

_ENTRY = "folded call"


def run(checked: CheckedModule, ledger: Ledger) -> Module:
    """The module with calls of constants as constants. Bindings that this leaves unused are dead code. Where some call
    may store into what it is given, nothing is folded: that may be a constant."""
    if stores_somewhere(checked.module.functions):
        return checked.module
    folder = _Folder(checked.module, dict(checked.module.constants))
    functions: dict[str, BaseFunc] = {}
    for name, func in checked.module.functions.items():
        if isinstance(func, Function):
            folder.known, folder.types = {}, by_name(checked.types.get(name, {}))
            func = replace(func, body=folder.sequence(func.body))
        functions[name] = func
    return replace(checked.module.with_functions(functions), constants=folder.constants)


@dataclass(slots=True)
class _Folder:
    """``constants``: those of the module, and the folded ones; of one function ``known``: variables that are constants,
    and ``types`` of all."""

    module: Module
    constants: dict[int, ConstantArray]
    known: dict[str, Expr] = field(default_factory=dict)
    types: Mapping[str, Type] = field(default_factory=dict)

    def sequence(self, seq: SeqExpr) -> SeqExpr:
        return replace(seq, blocks=tuple(map(self.block, seq.blocks)))

    def block(self, block: Block) -> Block:
        return replace(block, bindings=tuple(map(self.binding, block.bindings)))

    def binding(self, binding: Binding) -> Binding:
        if not isinstance(binding, VarBinding):
            return binding
        value = binding.value
        match value:
            case If():
                yes, no = self.sequence(value.then_branch), self.sequence(value.else_branch)
                return replace(binding, value=replace(value, then_branch=yes, else_branch=no))
            case Function():
                return replace(binding, value=replace(value, body=self.sequence(value.body)))
            case Call():
                value = self.folded(value, self.types.get(binding.name)) or value
            case _:
                pass
        if isinstance(value, Constant | ConstantRef):
            self.known[binding.name] = value
        return replace(binding, value=value)

    @rule("lo/fold-constants")
    def folded(self, call: Call, type_: Type | None) -> Expr | None:
        """The constant that a call is; ``None`` if it is not folded. A constant tells its extents: where the name's
        type told less, what uses it might have no type any more."""
        if not self.foldable(call):
            return None
        args = tuple(self.resolved(each) for each in call.args)
        if not any(isinstance(n, Constant | ConstantRef) for each in args for n in nodes(each)):
            return None
        if any(isinstance(n, Var | SymVar | DistConstant) for each in (*args, *call.ty_args) for n in nodes(each)):
            return None
        value = self.evaluated(replace(call, args=args))
        if not isinstance(value, TensorValue) or type_ != tensor_of(tuple(map(int_imm, value.shape)), value.dtype):
            return None
        return self.constant(value)

    def foldable(self, call: Call) -> bool:
        """Whether the call is a pure operator's, or of a loop program, and the same on every worker."""
        if not isinstance(call.op, Op) or call.op.name in COLLECTIVE:
            return False
        if call.op.name == "relax.call_tir":
            return isinstance(call.args[0], GlobalVar)
        known = OPERATORS.get(call.op.name)
        return known is not None and known.pure

    def resolved(self, expr: Expr) -> Expr:
        match expr:
            case Var(name=name):
                return self.known.get(name, expr)
            case Tuple(fields=fields):
                return replace(expr, fields=tuple(map(self.resolved, fields)))
            case _:
                return expr

    def evaluated(self, call: Call) -> Any:
        """The value under ``ieee``; ``None`` if there is none, or it costs too much."""
        block = BindingBlock((VarBinding("value", call),))
        entry = Function((), None, SeqExpr((block,), Var("value")))
        kernels: Mapping[str, PrimFunc] = self.module.prim_funcs()
        module = Module({**kernels, _ENTRY: entry}, constants=self.constants)
        try:
            return Interpreter(module, reading("ieee"), Meter.of(LIMIT)).call_global(_ENTRY, [])
        except Ended:
            return None

    def constant(self, value: TensorValue) -> Expr | None:
        """A tensor as an expression; ``None`` if it has poison or too many elements."""
        f = value.numerics
        payloads = value.payloads() if value.size <= LARGEST else []
        if value.size > LARGEST or any(f.poison_rule(each) is not None for each in payloads):
            return None
        patterns = [f.at(value.dtype).to_bits(each) for each in payloads]
        if value.shape == ():
            return Constant(value.dtype, (), tuple(patterns))
        size = dtypes.itemsize(value.dtype)
        data = b"".join(each.to_bytes(size, "little") for each in patterns)
        index = max(self.constants, default=-1) + 1
        self.constants[index] = ConstantArray(value.dtype, value.shape, data)
        return ConstantRef(index)
