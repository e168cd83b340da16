"""Signatures: the function type of a loop-level function, of a library function, and the declared one of a graph
function; and the order in which functions are deduced.

Spec: ``spec/05-types.md``, Signatures.
"""

from __future__ import annotations

from collections.abc import Iterator

from refrelax.rules import rule
from refrelax.semantics.types.purity import prim_func_is_pure
from refrelax.syntax.graph import (
    BindingBlock,
    Call,
    DataflowBlock,
    Expr,
    Function,
    GlobalVar,
    If,
    SeqExpr,
    Tuple,
    TupleGetItem,
)
from refrelax.syntax.loops import BufferParam, PrimFunc, ScalarParam
from refrelax.syntax.module import BaseFunc, Module
from refrelax.syntax.scalars import Cast, PrimExpr, as_int, int_imm
from refrelax.syntax.types import VOID, AnyType, FuncType, PrimType, Type, tensor_of

BY_TY_ARGS = "tvm.relax.type.infer_by_ty_args"
"""The derivation rule of library functions: the call says its result's type (``ty_args``), else nothing is known."""

EXTERN = FuncType(None, AnyType(), False, BY_TY_ARGS)
"""The type of an ``R.ExternFunc``: opaque and impure."""

PURE_EXTERN = FuncType(None, AnyType(), True, BY_TY_ARGS)
PURE_LIBRARY = frozenset({"runtime.TVMTensorCreateView"})
"""Library functions that TVM's lowering calls in pure functions; the text of a call does not say that they are pure."""


def widened(dim: PrimExpr) -> PrimExpr:
    """A loop-level extent as a graph-level dim, which is always ``int64``."""
    if dim.dtype == "int64":
        return dim
    value = as_int(dim)
    return int_imm(value) if value is not None else Cast("int64", dim)


@rule("ty/prim-func-signature")
def prim_func_type(f: PrimFunc) -> FuncType:
    """A buffer is a tensor with its extents, a scalar a prim value, a bare handle ``R.Any``; without a result it
    gives void."""
    params = tuple(_loop_param(each) for each in f.params)
    ret: Type = VOID if f.ret in (None, "void") else PrimType(str(f.ret))
    return FuncType(params, ret, prim_func_is_pure(f))


def _loop_param(param: ScalarParam | BufferParam) -> Type:
    match param:
        case BufferParam():
            return tensor_of(tuple(widened(dim) for dim in param.buffer.shape), param.buffer.dtype)
        case ScalarParam():
            return AnyType() if param.var.dtype.startswith("handle") else PrimType(param.var.dtype)


@rule("ty/declared-signature")
def declared_type(f: Function) -> FuncType:
    """What the head of a graph function says before its body is looked at: no return annotation means ``R.Any``."""
    params = tuple(AnyType() if each.type is None else each.type for each in f.params)
    return FuncType(params, AnyType() if f.ret is None else f.ret, f.pure)


def base_type(f: BaseFunc) -> FuncType:
    """The signature of any function of a module, a graph function's as declared."""
    match f:
        case Function():
            return declared_type(f)
        case PrimFunc():
            return prim_func_type(f)
        case _:
            return EXTERN


def callees(e: Expr | SeqExpr) -> Iterator[str]:
    """Names of the module's functions that ``e`` refers to."""
    match e:
        case GlobalVar():
            yield e.name
        case Call():
            yield from callees(e.op)
            for each in e.args:
                yield from callees(each)
        case Tuple():
            for each in e.fields:
                yield from callees(each)
        case TupleGetItem():
            yield from callees(e.tuple)
        case If():
            yield from callees(e.then_branch)
            yield from callees(e.else_branch)
        case Function():
            yield from callees(e.body)
        case SeqExpr():
            yield from _callees_of_sequence(e)
        case _:
            return


def _callees_of_sequence(e: SeqExpr) -> Iterator[str]:
    for block in e.blocks:
        assert isinstance(block, BindingBlock | DataflowBlock)
        for binding in block.bindings:
            yield from callees(binding.value)
    yield from callees(e.body)


@rule("ty/callees-first")
def deduction_order(module: Module) -> list[str]:
    """The graph functions, each after the functions that it calls (a cycle is cut where it is entered), without
    recursion."""
    graph = module.relax_functions()
    below = {name: [each for each in dict.fromkeys(callees(f.body)) if each in graph] for name, f in graph.items()}
    order: list[str] = []
    seen: set[str] = set()
    for root in graph:
        pending: list[tuple[str, Iterator[str]]] = []
        if root not in seen:
            seen.add(root)
            pending.append((root, iter(below[root])))
        while pending:
            name, rest = pending[-1]
            following = next((each for each in rest if each not in seen), None)
            if following is None:
                order.append(name)
                pending.pop()
            else:
                seen.add(following)
                pending.append((following, iter(below[following])))
    return order
