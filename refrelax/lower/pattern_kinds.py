"""What kind of loop program a PrimFunc is, by analysis of its reads and writes.

The kinds are the paper's (Algorithm 1) and stand in the order in which they permit less fusion. The printed algorithm
overwrites the kind at every read, so that the answer depends on their order: here it is the *greatest* kind of any
read, and a read that fits no kind makes the program opaque.

Spec: ``spec/11-fusion.md``, ``lo/pattern-kind``.
"""

from __future__ import annotations

from enum import IntEnum

from refrelax.lower.nests import Nest, covers, read_nest
from refrelax.lower.weights import weigh
from refrelax.rules import rule
from refrelax.syntax import dtypes
from refrelax.syntax.loops import BufferParam, PrimFunc
from refrelax.syntax.scalars import Binary, BufferLoad, SymVar, as_int


class Kind(IntEnum):
    """How an output element depends on input elements."""

    ELEMENTWISE = 0
    """On the elements at its own index."""
    BROADCAST = 1
    """On elements at some of its own indices, in order."""
    INJECTIVE = 2
    """On elements at places computed from its own index: transpose, slice, concatenation, gather."""
    REDUCTION = 3
    """On all elements along some axes, each read once."""
    OUTPUT_FUSIBLE = 4
    """On many elements, read more than once or in several steps: matmul, convolution, pooling, softmax."""
    OPAQUE = 8
    """No more is known."""

    def __str__(self) -> str:
        return self.name.lower().replace("_", "-")


POINTWISE = Kind.INJECTIVE
"""The greatest kind whose output element is an expression of its own index."""


def program(func: PrimFunc) -> tuple[Nest, ...] | None:
    """The nests of a function whose body is nothing else, over compact buffers in global memory."""
    buffers = [p.buffer for p in func.params if isinstance(p, BufferParam)]
    for b in (*buffers, *func.root_allocs):
        moved = b.elem_offset is not None and as_int(b.elem_offset) != 0
        if b.strides or moved or b.scope != "global" or b.data is not None or b.scalar:
            return None
    nests = tuple(read_nest(stmt) for stmt in func.body)
    found = tuple(nest for nest in nests if nest is not None)
    return found if len(found) == len(nests) and found else None


def outputs(func: PrimFunc, nests: tuple[Nest, ...]) -> tuple[str, ...]:
    """The parameters that the function stores into, in order."""
    written = {nest.buffer for nest in nests}
    return tuple(p.buffer.name for p in func.params if isinstance(p, BufferParam) and p.buffer.name in written)


@rule("lo/pattern-kind")
def pattern_kind(func: PrimFunc) -> Kind:
    """The kind of a loop program with one output, its last buffer parameter; ``OPAQUE`` for every other one."""
    nests = program(func)
    if nests is None or not _one_output(func, nests):
        return Kind.OPAQUE
    kinds = [nest_kind(nest) for nest in nests]
    worst = max(kinds)
    if worst <= POINTWISE or worst == Kind.OPAQUE or kinds.count(Kind.OUTPUT_FUSIBLE) == len(kinds) == 1:
        return worst
    # Several steps around a single pure reduction (a mean) are still a reduction; around more, a softmax.
    steps = [kind for kind in kinds if kind > POINTWISE]
    return Kind.REDUCTION if steps == [Kind.REDUCTION] else Kind.OUTPUT_FUSIBLE


def _one_output(func: PrimFunc, nests: tuple[Nest, ...]) -> bool:
    """One buffer parameter is written, the last one, and nobody but its own reduction reads it."""
    params = [p.buffer.name for p in func.params if isinstance(p, BufferParam)]
    written = outputs(func, nests)
    if written != tuple(params[-1:]):
        return False
    return all(nest.buffer == written[0] or not nest.reads(written[0]) for nest in nests)


def nest_kind(nest: Nest) -> Kind:
    """The kind of one nest."""
    if not covers(nest):
        return Kind.OPAQUE
    kinds = [_read_kind(nest, load) for load in nest.inputs()]
    if Kind.OPAQUE in kinds:
        return Kind.OPAQUE
    if nest.reduces:
        return Kind.REDUCTION if all(read_once(nest, load) for load in nest.inputs()) else Kind.OUTPUT_FUSIBLE
    worst = max(kinds, default=Kind.ELEMENTWISE)
    return Kind.ELEMENTWISE if worst == Kind.BROADCAST and Kind.ELEMENTWISE in kinds else worst


def _read_kind(nest: Nest, load: BufferLoad) -> Kind:
    """How one read follows from the written index."""
    if load.indices == nest.indices:
        return Kind.ELEMENTWISE
    rest = iter(nest.indices)
    if all(as_int(i) == 0 or any(i == own for own in rest) for i in load.indices):
        return Kind.BROADCAST
    return Kind.INJECTIVE


def read_once(nest: Nest, load: BufferLoad) -> bool:
    """Whether every axis longer than one is an index of the load: no element is read at two points of the nest."""
    plain = {i.name for i in load.indices if isinstance(i, SymVar)}
    if any(not isinstance(i, SymVar) and as_int(i) is None for i in load.indices):
        return False
    return all(axis.var.name in plain or as_int(axis.extent) == 1 for axis in nest.axes)


def is_copy(nest: Nest) -> bool:
    """Whether a pointwise nest moves data without computing: its value costs nothing to make again."""
    return not nest.reduces and weigh(nest.value) == 0


@rule("lo/fuse-unpack")
def unpacks(nest: Nest) -> bool:
    """Whether a pointwise nest takes its elements out of words that hold several of them: reading what it makes costs
    more than making it again."""
    if nest.reduces or dtypes.kind(nest.value.dtype) != "float" or not covers(nest):
        return False
    return any(_packed(load, nest) for load in nest.inputs())


def _packed(load: BufferLoad, nest: Nest) -> bool:
    """A load of one integer for several neighbours, in which each of them has fewer bits than it gets."""
    if not dtypes.is_integer(load.dtype):
        return False
    held = [as_int(i.b) or 1 for i in load.indices if isinstance(i, Binary) and i.op == "FloorDiv"]
    return any(count > 1 and dtypes.bits(load.dtype) < count * dtypes.bits(nest.value.dtype) for count in held)
