"""``R.dist.call_tir_local_view``: a loop-level function on every device's part of distributed tensors.

Spec: ``spec/07-evaluation.md``, *Calls across levels*.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from itertools import product
from typing import Any

from refrelax.errors import unspecified
from refrelax.rules import rule
from refrelax.semantics.graph.machine import Machine, Scope, allocate, arguments, invoke
from refrelax.semantics.values import TensorValue, empty, from_payloads
from refrelax.syntax.graph import AttrDict, AttrList, Call, Expr, Tuple
from refrelax.syntax.module import Module
from refrelax.syntax.types import DTensorType, TupleType, Type

Part = tuple[range, ...]
"""The positions that a device holds, by axis of the tensor."""


def mesh_shape(module: Module, name: str) -> tuple[int, ...] | None:
    """The extents of the mesh that ``name`` (``mesh[0]``) stands for; ``None`` if the module has no such mesh."""
    found = re.fullmatch(r"(\w+)\[(\d+)\]", name)
    meshes = dict(module.global_infos).get(found.group(1), ()) if found else ()
    number = int(found.group(2)) if found else 0
    mesh = meshes[number] if number < len(meshes) else None
    shape = dict(mesh.items).get("shape") if isinstance(mesh, AttrDict) else None
    items = shape.items if isinstance(shape, AttrList) else ()
    return tuple(each for each in items if isinstance(each, int)) or None


def part_of(shape: Sequence[int], placement: str, mesh: Sequence[int], device: Sequence[int]) -> Part | None:
    """What the device at a place of the mesh holds; ``None`` where an extent does not divide."""
    held = [range(n) for n in shape]
    for spec, extent, at in zip(placement.split(","), mesh, device, strict=True):
        found = re.fullmatch(r"\s*S\[(\d+)\]\s*", spec)
        if found is None:
            continue
        axis = int(found.group(1))
        if axis >= len(held) or len(held[axis]) % extent:
            return None
        size = len(held[axis]) // extent
        held[axis] = held[axis][at * size : (at + 1) * size]
    return tuple(held)


def _cut(x: TensorValue, held: Part) -> TensorValue:
    """A copy of a part of a tensor."""
    return from_payloads(x.numerics, x.dtype, [len(each) for each in held], [x[at] for at in product(*held)])


def _paste(x: TensorValue, held: Part, own: TensorValue) -> None:
    """Write a part back."""
    strides = x.strides
    for at, payload in zip(product(*held), own.payloads(), strict=True):
        x.storage.store(x.dtype, x.offset + sum(i * s for i, s in zip(at, strides, strict=True)), payload)


@rule("ev/local-view-parts")
def _parts(
    run: Machine, type_: Type | None, x: TensorValue, mesh: Sequence[int], device: Sequence[int], call: Call
) -> Part:
    if not isinstance(type_, DTensorType):
        return tuple(range(n) for n in x.shape)
    own = mesh_shape(run.module, type_.device_mesh)
    held = part_of(x.shape, type_.placement, mesh, device) if own == tuple(mesh) else None
    if held is None:
        raise unspecified("ev/local-view-parts", f"{x.shape} as {type_.placement} on {type_.device_mesh}", call.span)
    return held


def _types(run: Machine, expr: Expr, scope: Scope, count: int) -> list[Type | None]:
    """The type of every argument of the inline tuple."""
    if isinstance(expr, Tuple):
        return [run.type_of(each, scope) for each in expr.fields]
    found = run.type_of(expr, scope)
    return list(found.fields) if isinstance(found, TupleType) else [None] * count


@rule("ev/call-tir-local-view")
def call_tir_local_view(run: Machine, call: Call, scope: Scope) -> Any:
    """For every device of the mesh: call ``f`` with its parts of the arguments and of the outputs.

    The outputs are put together from their parts; where several devices hold the same part, the last one's.
    """
    args = arguments(run, call.args[1], scope)
    types = _types(run, call.args[1], scope, len(args))
    (annotation,) = call.ty_args
    wanted = annotation.fields if isinstance(annotation, TupleType) else (annotation,)
    distributed = [each for each in wanted if isinstance(each, DTensorType)]
    mesh = mesh_shape(run.module, distributed[0].device_mesh) if distributed else None
    if mesh is None or len(distributed) != len(wanted):
        raise unspecified("ev/local-view-parts", "an output without a mesh of the module", call.span)
    outputs = [allocate(run, each.tensor, scope, call.span) for each in distributed]
    for device in product(*(range(n) for n in mesh)):
        inputs = [
            _cut(x, _parts(run, t, x, mesh, device, call)) if isinstance(x, TensorValue) else x
            for x, t in zip(args, types, strict=True)
        ]
        places = [_parts(run, t, x, mesh, device, call) for x, t in zip(outputs, distributed, strict=True)]
        own = [empty(run.numerics, x.dtype, [len(r) for r in held]) for x, held in zip(outputs, places, strict=True)]
        invoke(run, call.args[0], [*inputs, *own], scope, call.span)
        for x, held, written in zip(outputs, places, own, strict=True):
            _paste(x, held, written)
    return tuple(outputs) if isinstance(annotation, TupleType) else outputs[0]
