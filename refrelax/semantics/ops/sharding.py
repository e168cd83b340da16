"""Where the result of an operator on distributed tensors lies: each axis goes the way of the axes that it comes from.

The type of the result is the operator's own, of the whole tensors, on the mesh of the arguments. An argument's axis
that is sharded over an axis of the mesh shards the axis of the result that it becomes; the rest is replicated. An
argument that is not distributed counts as replicated.

Source: ``src/relax/op/distributed`` and ``src/relax/distributed/axis_group_graph.cc`` of TVM; spec:
``spec/ops/common.md``.
"""

from __future__ import annotations

import re
from collections.abc import Callable

from refrelax.rules import rule
from refrelax.semantics.ops import attributes as A
from refrelax.semantics.ops import dims as D
from refrelax.semantics.ops.common import as_tensor_type, known_dims
from refrelax.semantics.ops.definition import Deduction
from refrelax.syntax.graph import AttrList, Call
from refrelax.syntax.scalars import PrimExpr, as_int
from refrelax.syntax.types import DTensorType, TensorType, TupleType, Type

Dims = tuple[PrimExpr, ...]
Axes = list[tuple[int, int, int]]
"""Argument, its axis, and the axis of the result that it becomes."""

_SHARD = re.compile(r"S\[(\d+)\]")


def placement(text: str) -> list[int | None]:
    """``"S[0], R"``: for each axis of the mesh the axis that is sharded over it, or ``None``."""
    parts = [each.strip() for each in text.split(",")] if text.strip() else []
    return [int(found.group(1)) if (found := _SHARD.fullmatch(each)) else None for each in parts]


def is_distributed(ty: Type) -> bool:
    """A distributed tensor, or a tuple with one in it."""
    return isinstance(ty, DTensorType) or (isinstance(ty, TupleType) and any(map(is_distributed, ty.fields)))


@rule("op.common/one-mesh", "op.common/not-distributed")
def distributed(d: Deduction, call: Call, types: tuple[Type, ...], result: Type) -> Type:
    """The type of a call some of whose arguments are distributed, where the operator alone gives ``result``."""
    given = [each for each in types if isinstance(each, DTensorType)]
    name = call.op.name.removeprefix("relax.")
    axes_of = AXES.get(name)
    if axes_of is None or not given:  # no operator takes a tuple of them
        d.fail("op.common/not-distributed", f"R.{name} is not defined on distributed tensors")
    meshes = {each.device_mesh for each in given}
    if len(meshes) > 1:
        d.fail("op.common/one-mesh", f"R.{name}: the arguments lie on several meshes: {', '.join(sorted(meshes))}")
    if not isinstance(result, TensorType):
        return result
    dims = [known_dims(t) if (t := as_tensor_type(each)) is not None else None for each in types]
    out = known_dims(result)
    ways = axes_of(d, call, dims, out) if out is not None else []
    specs: list[int | None] = [None] * len(placement(given[0].placement))
    for argument, axis, becomes in ways:
        spread = types[argument]
        if isinstance(spread, DTensorType):
            for k, sharded in enumerate(placement(spread.placement)[: len(specs)]):
                if sharded == axis and specs[k] is None and becomes not in specs:
                    specs[k] = becomes
    text = ", ".join("R" if each is None else f"S[{each}]" for each in specs)
    return DTensorType(result, given[0].device_mesh, text)


def _same(d: Deduction, call: Call, dims: list[Dims | None], out: Dims) -> Axes:
    return [(0, axis, axis) for axis in range(len(dims[0] or ()))]


def _broadcast(d: Deduction, call: Call, dims: list[Dims | None], out: Dims) -> Axes:
    """Right-aligned; an axis of extent 1 that is stretched does not count."""
    found: Axes = []
    for argument, own in enumerate(dims):
        if own is None:
            continue
        first = len(out) - len(own)
        found += [(argument, k, first + k) for k, n in enumerate(own) if not D.is_one(n) or D.is_one(out[first + k])]
    return found


def _matmul(d: Deduction, call: Call, dims: list[Dims | None], out: Dims) -> Axes:
    a, b = dims[0] or (), dims[1] or ()
    lead = max(len(a) - 2, len(b) - 2, 0)
    found: Axes = []
    for argument, own in ((0, a), (1, b)):
        stack = own[:-2]
        first = lead - len(stack)
        found += [(argument, k, first + k) for k, n in enumerate(stack) if not D.is_one(n) or D.is_one(out[first + k])]
    if len(a) > 1:
        found.append((0, len(a) - 2, lead))
    if len(b) > 1:
        found.append((1, len(b) - 1, lead + (len(a) > 1)))
    return found


def _permute(d: Deduction, call: Call, dims: list[Dims | None], out: Dims) -> Axes:
    rank, axes = len(dims[0] or ()), call.attr("axes")
    order = [int(k) % rank for k in axes.items if isinstance(k, int)] if isinstance(axes, AttrList) else []
    return [(0, axis, k) for k, axis in enumerate(order or range(rank - 1, -1, -1))]


def _reduce(d: Deduction, call: Call, dims: list[Dims | None], out: Dims) -> Axes:
    rank, axis = len(dims[0] or ()), call.attr("axis")
    listed = axis.items if isinstance(axis, AttrList) else (() if axis is None else (axis,))
    gone = {int(k) % rank for k in listed if isinstance(k, int)} or set(range(rank))
    kept = [k for k in range(rank) if k not in gone]
    keep = A.flag(call, "keepdims")
    return [(0, k, k if keep else place) for place, k in enumerate(kept)]


def _softmax(d: Deduction, call: Call, dims: list[Dims | None], out: Dims) -> Axes:
    rank = len(dims[0] or ())
    over = A.integer(call, "axis") % rank if rank else 0
    return [(0, k, k) for k in range(rank) if k != over]


def _reshape(d: Deduction, call: Call, dims: list[Dims | None], out: Dims) -> Axes:
    """From the last axes on: where as many elements lie from an axis to the end as from one of the result, that axis
    goes on as this one. The first axis is never reached, as in TVM; a symbolic extent ends the search."""
    own = dims[0] or ()
    i, j, left, right = len(own), len(out), 1, 1
    found: Axes = []
    while i and j:
        if left == right and i < len(own):
            found.append((0, i, j))
        step_left, step_right = left <= right, right <= left
        i, j = i - step_left, j - step_right
        m, n = as_int(own[i]) if step_left else 1, as_int(out[j]) if step_right else 1
        if not m or not n:
            return found
        left, right = left * m, right * n
    return found


AxesOf = Callable[[Deduction, Call, list[Dims | None], Dims], Axes]

_BINARY = (
    "add", "subtract", "multiply", "divide", "floor_divide", "power", "maximum", "minimum", "equal", "not_equal",
    "less", "less_equal", "greater", "greater_equal",
)  # fmt: skip
_UNARY = (
    "abs", "acos", "acosh", "asin", "asinh", "atan", "atanh", "ceil", "clip", "cos", "cosh", "erf", "exp", "floor",
    "isfinite", "isinf", "isnan", "log", "negative", "nn.gelu", "nn.relu", "nn.silu", "round", "rsqrt", "sigmoid",
    "sign", "sin", "sinh", "sqrt", "square", "tan", "tanh", "astype", "builtin.stop_lift_params", "ccl.allreduce",
    "nn.gelu_tanh", "nn.leakyrelu",
)  # fmt: skip

AXES: dict[str, AxesOf] = {
    **dict.fromkeys(_BINARY, _broadcast),
    **dict.fromkeys(_UNARY, _same),
    **dict.fromkeys(("sum", "mean", "max", "min", "prod", "std", "variance"), _reduce),
    "matmul": _matmul,
    "permute_dims": _permute,
    "nn.softmax": _softmax,
    "reshape": _reshape,
}
"""The operators that take distributed tensors, beside those that say where a tensor lies (``distribution.py``)."""

OWN = frozenset({
    "relax.dist.annotate_sharding", "relax.dist.redistribute", "relax.dist.redistribute_replica_to_shard",
    "relax.shape_of", "relax.print", "relax.assert_op",
})  # fmt: skip
"""Operators whose own rule says what becomes of a distributed argument."""
