"""The calls of a dataflow block that fusion may look at, and who uses whose result.

Spec: ``spec/11-fusion.md``, ``lo/fuse-candidate``, ``lo/fuse-segment``.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from refrelax.lower.annotations import promises_of, says_as_much
from refrelax.lower.nests import Nest
from refrelax.lower.pattern_kinds import Kind, pattern_kind, program
from refrelax.rules import rule
from refrelax.semantics.graph.overwriting import overwrites
from refrelax.semantics.ops import CALL_FORMS, IMPURE, LOW_LEVEL
from refrelax.semantics.types.checked import CheckedModule
from refrelax.syntax.graph import (
    Binding,
    Call,
    Constant,
    ConstantRef,
    DataflowBlock,
    Expr,
    GlobalVar,
    MatchCast,
    Op,
    PrimValue,
    Tuple,
    TupleGetItem,
    Var,
    VarBinding,
)
from refrelax.syntax.loops import BufferParam, PrimFunc
from refrelax.syntax.module import Module
from refrelax.syntax.scalars import PrimExpr, SymVar, int_imm, walk
from refrelax.syntax.types import TensorType, Type, tensor_of

Operand = TensorType | PrimExpr
"""What an argument of a loop program is known by: a tensor's type, or the scalar itself."""


@dataclass(frozen=True, slots=True)
class Member:
    """A call that may be fused: ``name = call_tir(callee, args)`` at ``position`` of its block."""

    position: int
    name: str
    callee: str
    func: PrimFunc
    kind: Kind
    nests: tuple[Nest, ...]
    args: tuple[Expr, ...]
    operands: tuple[Operand, ...]
    out: TensorType
    segment: int


@dataclass(slots=True)
class Graph:
    """``users``: for each position, the positions that use its result; ``end`` stands for any use that fusion cannot
    take in: outside the block, or by what is no member."""

    members: dict[int, Member] = field(default_factory=dict)
    users: dict[int, set[int]] = field(default_factory=dict)
    end: int = 0


def read_block(checked: CheckedModule, function: str, block: DataflowBlock, opaque: bool = False) -> Graph:
    """The graph of one dataflow block of a function. ``opaque``: loop programs of no known kind are members, too."""
    types, promised = checked.types.get(function, {}), promises_of(checked, function)
    graph = Graph(end=len(block.bindings))
    made: dict[str, int] = {}
    segment = 0
    for position, binding in enumerate(block.bindings):
        if is_barrier(binding, checked.module):
            segment += 1
        member = _member(checked.module, types, binding, position, segment, promised)
        if member is not None and member.kind == Kind.OPAQUE and not opaque:
            member = None
        if member is not None:
            graph.members[position] = member
        for name in used(binding.value):
            if name in made:
                graph.users[made[name]].add(graph.end if member is None else position)
        made[binding.name] = position
        graph.users[position] = {graph.end} if binding.name in block.outputs else set()
    for position, member in graph.members.items():
        far = {u for u in graph.users[position] if u != graph.end and graph.members[u].segment != member.segment}
        if far:
            graph.users[position] = graph.users[position] - far | {graph.end}
    return graph


@rule("lo/fuse-segment")
def is_barrier(binding: Binding, module: Module) -> bool:
    """Whether fusion may not move a call across this binding: a ``match_cast`` (it checks, and binds symbols), and
    every call but of an operator or of a loop program that stores in fresh memory alone."""
    if isinstance(binding, MatchCast):
        return True
    match binding.value:
        case Call(op=Op(name="relax.call_tir"), args=(GlobalVar(name=name), *_)):
            return not isinstance(module.functions.get(name), PrimFunc) or overwrites(binding.value, module.functions)
        case Call(op=Op(name=name)):
            return name in IMPURE or name in CALL_FORMS or name in LOW_LEVEL
        case Call():
            return True
        case _:
            return False


def used(e: Expr) -> set[str]:
    """Names of the variables that an expression in normal form uses; a scalar's too."""
    match e:
        case Var():
            return {e.name}
        case PrimValue():
            return {node.name for node in walk(e.value) if isinstance(node, SymVar)}
        case Tuple():
            return {name for each in e.fields for name in used(each)}
        case TupleGetItem():
            return used(e.tuple)
        case Call():
            return {name for each in (e.op, *e.args) for name in used(each)}
        case _:
            return set()


@rule("lo/fuse-candidate")
def _member(
    module: Module,
    types: Mapping[str, Type],
    binding: Binding,
    position: int,
    segment: int,
    promised: frozenset[str],
) -> Member | None:
    """The binding as a member: a ``call_tir`` of a loop program (of known kind, unless that is no matter), with one
    output of known extents, on tensors of known extents and on scalars. What uses a name that is annotated otherwise
    has its type under the annotation (``promised``: names of which more is said than is proved)."""
    match binding:
        case VarBinding(
            name=name,
            value=Call(op=Op(name="relax.call_tir"), args=(GlobalVar(name=callee), Tuple(fields=args)), ty_args=(out,)),
        ):
            func = module.functions.get(callee)
        case _:
            return None
    if not isinstance(func, PrimFunc) or not _known(out) or len(func.params) != len(args) + 1:
        return None
    nests, kind = program(func), pattern_kind(func)
    operands = tuple(operand(module, types, each) for each in args)
    found = tuple(each for each in operands if each is not None)
    if len(found) != len(args):
        return None
    if not all(isinstance(p, BufferParam) == isinstance(o, TensorType) for p, o in zip(func.params, found)):
        return None
    assert isinstance(out, TensorType)
    if not says_as_much(binding, out, promised):
        return None
    return Member(position, name, callee, func, kind, nests or (), args, found, out, segment)


def _known(type_: Type) -> bool:
    """A tensor of known extents and dtype, on no device in particular."""
    return (
        isinstance(type_, TensorType)
        and isinstance(type_.shape, tuple)
        and type_.dtype is not None
        and type_.vdevice is None
    )


def operand(module: Module, types: Mapping[str, Type], e: Expr) -> Operand | None:
    """What is known of an argument; ``None`` if that is too little to fuse over it."""
    match e:
        case Var():
            type_ = types.get(e.name)
            return type_ if type_ is not None and _known(type_) and isinstance(type_, TensorType) else None
        case Constant():
            return tensor_of(tuple(map(int_imm, e.shape)), e.dtype)
        case ConstantRef():
            array = module.constants.get(e.index)
            return None if array is None else tensor_of(tuple(map(int_imm, array.shape)), array.dtype)
        case PrimValue():
            return e.value
        case _:
            return None
