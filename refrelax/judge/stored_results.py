"""What stands for a library function that is given where its results go: loop programs that store its contract's
results.

Spec: ``spec/06c-pointwise.md``, ``va/in-place``, ``va/inline``.
"""

from __future__ import annotations

from collections.abc import Sequence

from refrelax.judge.told import bindings_of
from refrelax.lower.legalize.kernel import Kernel
from refrelax.semantics.ops import FRESH, IMPURE, LOW_LEVEL, OPERATORS
from refrelax.syntax.graph import (
    Binding,
    Call,
    Expr,
    ExternFunc,
    Function,
    GlobalVar,
    If,
    Op,
    ShapeExpr,
    Tuple,
    Var,
    VarBinding,
)
from refrelax.syntax.loops import PrimFunc
from refrelax.syntax.scalars import SymVar
from refrelax.syntax.types import TupleType


def store_program(type_: tuple[int, str], beside: Sequence[tuple[int, str]]) -> PrimFunc:
    """``to[i] = of[i]`` for every index. What is ``beside`` is given, since it may not share memory with ``to``."""
    ndim, dtype = type_
    dims = [SymVar(f"n{k}", "int64") for k in range(ndim)]
    kernel = Kernel("store")
    of = kernel.input("of", dims, dtype)
    add_inputs(kernel, beside)
    to = kernel.output("to", dims, dtype)
    kernel.compute(to, lambda *at: of[at])
    return kernel.finish()


def add_inputs(kernel: Kernel, types: Sequence[tuple[int, str]]) -> None:
    """Inputs of some ranks and dtypes."""
    for k, (rank, dtype) in enumerate(types):
        kernel.input("beside", [SymVar(f"m{k}_{axis}", "int64") for axis in range(rank)], dtype)


def dynamic_call(callee: GlobalVar, args: tuple[Expr, ...]) -> Call:
    """A loop program called for its effect on arguments whose types are not known."""
    return Call(ExternFunc("vm.builtin.call_tir_dyn"), (callee, *args, ShapeExpr(())), ty_args=(TupleType(()),))


def all_fresh(function: Function) -> bool:
    """Whether every value that the body binds is memory of its own, and the results are among them."""
    bound = bindings_of(function)
    last = function.body.body
    own = bound.get(last.name) if isinstance(last, Var) else None
    results = last if isinstance(last, Tuple) else own.value if isinstance(own, VarBinding) else None
    if own is not None and not isinstance(results, Tuple):
        return isinstance(own, VarBinding) and _is_fresh(own)
    named = results.fields if isinstance(results, Tuple) else ()
    found = [bound.get(each.name) if isinstance(each, Var) else None for each in named]
    return bool(found) and all(isinstance(each, VarBinding) and _is_fresh(each) for each in found)


def _is_fresh(b: VarBinding) -> bool:
    return isinstance(b.value, Call) and isinstance(b.value.op, Op) and b.value.op.name in FRESH


def never_traps(b: Binding) -> bool:
    """Whether a run goes past a binding whatever its operands are, or is left open there."""
    match b:
        case VarBinding(value=Call(op=Op(name=op))):
            return op in OPERATORS and op not in IMPURE and op not in LOW_LEVEL
        case VarBinding(value=Call() | If() | Function()):
            return False
        case VarBinding():
            return True
        case _:
            return False
