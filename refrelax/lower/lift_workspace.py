"""Workspace lifting: global memory that a loop program allocates for itself becomes one more output of its call.

The paper's Section 4.4 (Figure 11, Stream-K): a workspace that is an argument is planned with all other memory. Here
it is an output that nobody reads, which keeps the program pure: ``to_destinations`` makes it an allocation and
``plan_memory`` finds a place for it.

    y = R.call_tir(cls.f, (a, b), out_ty=T)
    ~> y_all = R.call_tir(cls.f_workspace, (a, b), out_ty=[T, R.Tensor((4, n), "float32")])
       y = y_all[0]

Only what is allocated once a call is lifted: at the root of the function, in global memory, at extents that the call
knows. Both an allocation and an output begin with no element written. The one claim: no extent is negative.

Spec: ``spec/12-memory.md``, ``lo/workspace``.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field, replace

from refrelax.lower.annotations import bound, promises_of
from refrelax.lower.claims import Ledger, both, le
from refrelax.lower.domains import GREATEST
from refrelax.lower.fuse_ops.interface import extents, interface
from refrelax.lower.legalize.site import Typing
from refrelax.lower.memory_sizes import nbytes
from refrelax.lower.names import Taken
from refrelax.lower.orphans import without_orphans
from refrelax.lower.to_destinations import names_of
from refrelax.rules import rule
from refrelax.semantics.dims import substitute
from refrelax.semantics.graph.link import nodes
from refrelax.semantics.types.checked import CheckedModule
from refrelax.syntax import dtypes
from refrelax.syntax.graph import (
    Binding,
    Call,
    DataflowBlock,
    Function,
    GlobalVar,
    If,
    Op,
    PrimValue,
    SeqExpr,
    Tuple,
    TupleGetItem,
    Var,
    VarBinding,
)
from refrelax.syntax.loops import AllocBuffer, AttrStmt, Buffer, BufferParam, DeclBuffer, PrimFunc, Stmt
from refrelax.syntax.module import BaseFunc, Module
from refrelax.syntax.scalars import PrimExpr, as_int, free_symbols, int_imm
from refrelax.syntax.types import TensorType, TupleType, Type


def run(checked: CheckedModule, ledger: Ledger) -> Module:
    """The module with workspaces lifted at every call where they can be."""
    lift = _Lift(checked, ledger, Taken(checked.module.functions))
    functions: dict[str, BaseFunc] = {}
    for name, func in checked.module.functions.items():
        functions[name] = func
        if isinstance(func, Function):
            functions[name] = _Rewriter(lift, name, names_of(func)).function(func)
    if not lift.lifted:
        return checked.module
    functions |= {new.name: new.func for new in lift.lifted.values()}
    return checked.module.with_functions(without_orphans(functions, checked.module.functions))


# --- loop programs ---------------------------------------------------------------------------------------------------


def workspaces(func: PrimFunc) -> tuple[Buffer, ...]:
    """The buffers that a call of the function allocates once, in global memory, at extents of its signature."""
    if any(isinstance(node, Buffer) and node.data is not None for node in nodes(func)):
        return ()  # (another buffer may lie in the memory of one)
    known = {s.name for s in func.symbols} | {p.var.name for p in func.params if not isinstance(p, BufferParam)}
    return tuple(b for b in (*func.root_allocs, *_allocated(func.body)) if _is_workspace(b, known))


def _allocated(body: tuple[Stmt, ...]) -> Iterator[Buffer]:
    """What is allocated at the root of a body."""
    for stmt in body:
        match stmt:
            case AllocBuffer(buffer=buffer, init=None) | DeclBuffer(buffer=buffer):
                yield buffer
            case AttrStmt():
                yield from _allocated(stmt.body)
            case _:
                pass


def _is_workspace(buffer: Buffer, known: set[str]) -> bool:
    plain = not (buffer.strides or buffer.elem_offset is not None or buffer.scalar)
    dims = all(as_int(d) is not None or (d.dtype == "int64" and free_symbols(d) <= known) for d in buffer.shape)
    loads = any(type(node).__name__ == "BufferLoad" for d in buffer.shape for node in nodes(d))
    whole = dtypes.memory_bits(buffer.dtype) % 8 == 0 and dtypes.lanes(buffer.dtype) == 1
    return plain and buffer.scope == "global" and dims and not loads and whole


@dataclass(frozen=True, slots=True)
class Lifted:
    """A loop program whose workspaces are parameters, behind the first ``at`` ones."""

    name: str
    func: PrimFunc
    spaces: tuple[Buffer, ...]


@rule("lo/workspace")
def with_parameters(func: PrimFunc, spaces: tuple[Buffer, ...], at: int) -> PrimFunc:
    """The function with its workspaces as parameters from place ``at`` on."""
    given = {each.name for each in spaces}
    params = (*func.params[:at], *(BufferParam(replace(each, layout=None)) for each in spaces), *func.params[at:])
    kept = tuple(each for each in func.root_allocs if each.name not in given)
    attrs = tuple(each for each in func.attrs if each[0] not in ("global_symbol", "op_pattern"))
    return replace(func, params=params, root_allocs=kept, body=_without(func.body, given), attrs=attrs, private=True)


def _without(body: tuple[Stmt, ...], names: set[str]) -> tuple[Stmt, ...]:
    found: list[Stmt] = []
    for stmt in body:
        if isinstance(stmt, AllocBuffer | DeclBuffer) and stmt.buffer.name in names:
            continue
        found.append(replace(stmt, body=_without(stmt.body, names)) if isinstance(stmt, AttrStmt) else stmt)
    return tuple(found)


# --- calls -----------------------------------------------------------------------------------------------------------


@dataclass(slots=True)
class _Lift:
    """``lifted``: by function and the place of its workspaces."""

    checked: CheckedModule
    ledger: Ledger
    taken: Taken
    lifted: dict[tuple[str, int], Lifted] = field(default_factory=dict)

    def of(self, name: str, at: int, spaces: tuple[Buffer, ...]) -> Lifted:
        if (name, at) not in self.lifted:
            func = self.checked.module.functions[name]
            assert isinstance(func, PrimFunc)
            new = with_parameters(func, spaces, at)
            self.lifted[name, at] = Lifted(self.taken.fresh(f"{name}_workspace"), new, spaces)
        return self.lifted[name, at]


@dataclass(slots=True)
class _Rewriter:
    """The calls of one graph-level function."""

    lift: _Lift
    name: str
    taken: Taken

    def function(self, func: Function) -> Function:
        return replace(func, body=self.sequence(func.body))

    def sequence(self, seq: SeqExpr) -> SeqExpr:
        blocks = []
        for block in seq.blocks:
            found: list[Binding] = []
            for binding in block.bindings:
                found += self.binding(binding, isinstance(block, DataflowBlock))
            blocks.append(replace(block, bindings=tuple(found)))
        return replace(seq, blocks=tuple(blocks))

    def binding(self, binding: Binding, dataflow: bool) -> list[Binding]:
        """What stands in the place of a binding."""
        if not isinstance(binding, VarBinding):
            return [binding]
        match binding.value:
            case If() as branch:
                then, other = self.sequence(branch.then_branch), self.sequence(branch.else_branch)
                return [replace(binding, value=replace(branch, then_branch=then, else_branch=other))]
            case Call(op=Op(name="relax.call_tir"), args=(GlobalVar(name=callee), Tuple() as given)) as call:
                return self.call(binding, call, callee, given) or [binding]
            case _:
                return [binding]

    @rule("lo/workspace")
    def call(self, binding: VarBinding, call: Call, callee: str, given: Tuple) -> list[Binding]:
        """The call with workspaces among its outputs; nothing if it stays as it is."""
        func = self.lift.checked.module.functions[callee]
        spaces = workspaces(func) if isinstance(func, PrimFunc) else ()
        (out,) = call.ty_args
        outs = out.fields if isinstance(out, TupleType) else (out,)
        types = self.workspace_types(func, given, outs, spaces, binding.name) if isinstance(func, PrimFunc) else None
        if not types:
            return []
        new = self.lift.of(callee, len(given.fields) + len(outs), spaces)
        whole = Var(self.taken.fresh(f"{binding.name}_all"))
        value = replace(call, args=(GlobalVar(new.name), given), ty_args=(TupleType((*outs, *types)),))
        first = VarBinding(whole.name, value, span=binding.span)
        promised = promises_of(self.lift.checked, self.name)
        if not isinstance(out, TupleType):
            return [first, bound(binding, TupleGetItem(whole, 0), out, promised)]
        names = [self.taken.fresh(f"{binding.name}_{k}") for k in range(len(outs))]
        fields = [VarBinding(each, TupleGetItem(whole, k)) for k, each in enumerate(names)]
        return [first, *fields, bound(binding, Tuple(tuple(map(Var, names))), out, promised)]

    def workspace_types(
        self, func: PrimFunc, given: Tuple, outs: tuple[Type, ...], spaces: tuple[Buffer, ...], where: str
    ) -> tuple[TensorType, ...] | None:
        """The types of the workspaces at a call; ``None`` where one cannot be written or might be negative."""
        typing = Typing(self.lift.checked.module, self.lift.checked.types.get(self.name, {}).get)
        operands: list[TensorType | PrimExpr] = []
        for each in given.fields:
            found = each.value if isinstance(each, PrimValue) else typing.of(each)
            if not isinstance(found, TensorType) and not isinstance(each, PrimValue):
                return None
            operands.append(found)  # type: ignore[arg-type]
        tensors = [each for each in (*operands, *outs) if isinstance(each, TensorType)]
        if len(operands) + len(outs) != len(func.params) or not all(isinstance(t.shape, tuple) for t in tensors):
            return None
        if len(tensors) != len(outs) + sum(isinstance(each, TensorType) for each in operands) or not spaces:
            return None
        known = interface(func, (*operands, *outs))  # type: ignore[arg-type]
        if known is None or any(not free_symbols(d) <= known.given.keys() for each in spaces for d in each.shape):
            return None
        types = [TensorType(_dims(each, known.given), each.dtype, len(each.shape)) for each in spaces]
        return tuple(types) if self.not_negative(types, tensors, where) else None

    @rule("lo/workspace-extent")
    def not_negative(self, types: list[TensorType], tensors: list[TensorType], where: str) -> bool:
        """Whether no extent of a workspace is negative, given that none of the tensors of the call has one that is, and
        that their bytes can be counted."""
        dims = [d for each in types for d in (each.shape if isinstance(each.shape, tuple) else ()) if as_int(d) is None]
        if not dims:
            return True
        sizes = [nbytes(t.shape, t.dtype or "") for t in tensors if isinstance(t.shape, tuple)]
        assume = (*extents(tensors), *(le(size, GREATEST) for size in dict.fromkeys(sizes) if as_int(size) is None))
        statement = both(*(le(int_imm(0), d) for d in dict.fromkeys(dims)))
        return self.lift.ledger.holds(statement, "lo/workspace-extent", f"{self.name}/{where}", assume, "int64")


def _dims(buffer: Buffer, given: dict[str, PrimExpr]) -> tuple[PrimExpr, ...]:
    known = [as_int(d) for d in buffer.shape]
    return tuple(substitute(d, given) if k is None else int_imm(k) for d, k in zip(buffer.shape, known, strict=True))
