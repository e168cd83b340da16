"""Distribution: which part of a tensor lies where on a mesh of devices.

The value of a distributed tensor (`R.DTensor`) is the *whole* tensor, whatever its placement: operators on distributed
tensors mean what they mean on whole ones, and moving the parts changes no element. Only `call_tir_local_view` (chapter
07) and a program that was lowered to one worker's tensors look at the parts.

Spec: ``spec/ops/distribution.md``.
"""

from __future__ import annotations

from refrelax.rules import rule
from refrelax.semantics.ops import attributes as A
from refrelax.semantics.ops.collective import divided, own_part
from refrelax.semantics.ops.common import arity, copy, short, tensor, tensor_value
from refrelax.semantics.ops.definition import Deduction, Evaluation, OpDef
from refrelax.semantics.ops.effects import deduce_identity, evaluate_identity
from refrelax.semantics.values import TensorValue, Value
from refrelax.syntax.graph import Call
from refrelax.syntax.types import DTensorType, Type

PAGE = "distribution"


@rule("op.dist.redistribute/distributed")
def deduce_redistribute(d: Deduction, call: Call, types: tuple[Type, ...]) -> Type:
    """The argument's type on the mesh and with the placement of the attributes."""
    arity(d, call, 1)
    found = types[0]
    if not isinstance(found, DTensorType):
        d.fail("op.dist.redistribute/distributed", f"{short(call)} takes a distributed tensor")
    return DTensorType(found.tensor, A.text(call, "device_mesh"), A.text(call, "placement"))


def evaluate_redistribute(e: Evaluation, call: Call, args: tuple[Value, ...]) -> TensorValue:
    """The same tensor: only where its parts lie changes."""
    return copy(e, tensor_value(args[0]))


@rule("op.dist.redistribute_replica_to_shard/replica")
def deduce_to_shard(d: Deduction, call: Call, types: tuple[Type, ...]) -> Type:
    """A distributed tensor, sharded along `axis`; for a worker's own tensor, the type of its part."""
    arity(d, call, 1)
    found, own = types[0], divided(d, call, tensor(d, call, types, 0))
    if not isinstance(found, DTensorType):
        return own
    if found.placement.replace(" ", "") != "R":
        d.fail(
            "op.dist.redistribute_replica_to_shard/replica",
            f"{short(call)} takes a tensor of placement R on a mesh of one axis, found {found.placement}",
        )
    return DTensorType(found.tensor, found.device_mesh, f"S[{A.integer(call, 'axis')}]")


def evaluate_to_shard(e: Evaluation, call: Call, args: tuple[Value, ...]) -> TensorValue:
    """A distributed tensor itself; of a worker's own tensor the part of its number, in equal parts along `axis`."""
    x, workers = tensor_value(args[0]), A.integer(call, "num_workers")
    if isinstance(e.type_of(call.args[0]), DTensorType):
        return copy(e, x)
    return own_part(e, x, A.integer(call, "axis") % x.ndim, workers)


OPERATORS: tuple[OpDef, ...] = (
    OpDef("relax.dist.annotate_sharding", deduce_identity, evaluate_identity, PAGE, memory="view"),
    OpDef("relax.dist.redistribute", deduce_redistribute, evaluate_redistribute, PAGE, memory="either"),
    OpDef("relax.dist.redistribute_replica_to_shard", deduce_to_shard, evaluate_to_shard, PAGE),
)
