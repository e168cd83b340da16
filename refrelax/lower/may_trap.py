"""Bindings at which a run may end in a trap: what stands behind one may not be computed before it.

Where a run is open instead, it may be open before.

Spec: ``spec/12-memory.md``, ``lo/reuse-fits``.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from refrelax.lower.claims import Ledger, both, eq
from refrelax.lower.fuse_ops.graph import operand
from refrelax.lower.fuse_ops.interface import extents, interface
from refrelax.lower.memory_sizes import nbytes
from refrelax.rules import rule
from refrelax.semantics.builtins.forms import KILLS
from refrelax.semantics.graph.link import BY_NAME, nodes
from refrelax.syntax.graph import (
    Binding,
    Call,
    Constant,
    ConstantRef,
    Expr,
    Function,
    GlobalVar,
    If,
    Op,
    PrimValue,
    SeqExpr,
    ShapeExpr,
    Tuple,
    TupleGetItem,
    Var,
    VarBinding,
)
from refrelax.syntax.loops import AssertStmt, BufferParam, PrimFunc
from refrelax.syntax.module import Module
from refrelax.syntax.scalars import Intrinsic, PrimExpr
from refrelax.syntax.types import TensorType, TupleType, Type

ALLOCATING = frozenset({"relax.builtin.alloc_tensor", "relax.memory.alloc_storage", "relax.memory.alloc_tensor"})


@dataclass(slots=True)
class Traps:
    """Asked of the bindings of the function ``where``; ``types`` of its variables; ``ledger``: what the answers rest
    on."""

    module: Module
    where: str
    types: Mapping[str, Type]
    ledger: Ledger
    _known: dict[int, bool] = field(default_factory=dict)

    @rule("lo/reuse-fits")
    def among(self, bindings: Sequence[Binding]) -> bool:
        """Whether a run may trap in one of some bindings."""
        return any(map(self.at, bindings))

    def at(self, binding: Binding) -> bool:
        if id(binding) not in self._known:
            self._known[id(binding)] = not (isinstance(binding, VarBinding) and self._passes(binding.value))
        return self._known[id(binding)]

    def _passes(self, value: Expr) -> bool:
        match value:
            case Var() | Constant() | ConstantRef() | PrimValue() | ShapeExpr() | Function():
                return True
            case Tuple(fields=fields):
                return all(map(self._passes, fields))
            case TupleGetItem(tuple=Var(name=name)):
                return isinstance(self.types.get(name), TupleType)
            case If(condition=Var(name=name), then_branch=yes, else_branch=no):
                truth = self.types.get(name)
                return isinstance(truth, TensorType) and truth.dtype == "bool" and self._all(yes) and self._all(no)
            case Call(op=Op(name=name)) if name in ALLOCATING or name in KILLS:
                return True
            case Call(op=Op(name="relax.memory.view" | "relax.reshape"), args=(data, ShapeExpr(values=dims), *_)):
                return self._same_size(data, dims)
            case Call(op=GlobalVar(name=name), args=args):
                program = self.module.functions.get(name)
                return isinstance(program, PrimFunc) and _only_computes(program) and self._enters(program, args)
            case _:
                return False

    def _all(self, seq: SeqExpr) -> bool:
        return not self.among([each for block in seq.blocks for each in block.bindings]) and self._passes(seq.body)

    def _same_size(self, data: Expr, dims: tuple[PrimExpr, ...]) -> bool:
        source = operand(self.module, self.types, data)
        if not isinstance(source, TensorType) or not isinstance(source.shape, tuple) or source.dtype is None:
            return False
        claim = eq(nbytes(source.shape, source.dtype), nbytes(dims, source.dtype))
        return self._holds(claim, extents([source]))

    def _enters(self, program: PrimFunc, args: Sequence[Expr]) -> bool:
        """Whether the entry check of a loop program is seen to pass."""
        found = [operand(self.module, self.types, each) for each in args]
        operands = tuple(each for each in found if each is not None)
        if not len(operands) == len(args) == len(program.params):
            return False
        for param, each in zip(program.params, operands, strict=True):
            if isinstance(param, BufferParam) != isinstance(each, TensorType):
                return False
        entry = interface(program, operands)
        if entry is None:
            return False
        different = [eq(a, b) for a, b in entry.equal if a != b]
        tensors = [each for each in operands if isinstance(each, TensorType)]
        return not different or self._holds(both(*different), extents(tensors), "int64")

    def _holds(self, claim: PrimExpr, given: tuple[PrimExpr, ...], fits: str | None = None) -> bool:
        """A claim that is proved with little effort."""
        proved = self.ledger.known(claim, given, fits)
        return proved and self.ledger.holds(claim, "lo/reuse-fits", f"{self.where}: no trap", given, fits)


def _only_computes(program: PrimFunc) -> bool:
    """Whether nothing in a loop program traps: it asserts nothing, and calls nobody."""
    buffers = [p.buffer for p in program.params if isinstance(p, BufferParam)]
    if program.ret is not None or any(each.strides or each.elem_offset is not None for each in buffers):
        return False
    return not any(
        isinstance(n, AssertStmt) or (isinstance(n, Intrinsic) and (n.op in BY_NAME or n.op.startswith("cls.")))
        for n in nodes(program)
    )
