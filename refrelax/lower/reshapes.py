"""Loop programs that are reshapes: left alone by fusion, since memory planning turns them into views.

Spec: ``spec/11-fusion.md``, ``lo/fuse-keeps-views``.
"""

from __future__ import annotations

from functools import lru_cache

from refrelax.lower.claims import both, eq
from refrelax.lower.domains import Domain, dims_of, is_plain, same_place, shortest
from refrelax.lower.nests import Nest, covers
from refrelax.lower.pattern_kinds import program
from refrelax.rules import rule
from refrelax.shape_solver import Proved
from refrelax.shape_solver.prover import prove
from refrelax.syntax.loops import BufferParam, PrimFunc
from refrelax.syntax.scalars import Binary, BufferLoad, PrimExpr, SymVar, int_imm


@rule("lo/fuse-keeps-views")
@lru_cache(maxsize=512)
def is_reshape(func: PrimFunc) -> bool:
    """Whether ``func`` copies its one input to its output, all of it, element by element in row-major order, and is
    more than inserting and dropping axes of extent 1 (which fusion inlines at no cost)."""
    nests = program(func)
    if nests is None or len(nests) != 1 or len(func.params) != 2 or not isinstance(nests[0].value, BufferLoad):
        return False
    source, target = func.params
    if not isinstance(source, BufferParam) or not isinstance(target, BufferParam):
        return False
    (nest,) = nests
    value = nest.value
    assert isinstance(value, BufferLoad)
    if value.buffer != source.buffer.name or all(map(is_plain, value.indices)):
        return False
    shapes = source.buffer.shape, target.buffer.shape
    domain = Domain(nest.axes, dims_of(shapes))
    if all(is_plain(shortest(index, domain)) for index in value.indices):
        return False
    return same_place(nest, *shapes) and _all_of_it(nest, *shapes)


def _all_of_it(nest: Nest, source: tuple[PrimExpr, ...], target: tuple[PrimExpr, ...]) -> bool:
    """Whether the nest stores every element of the target, which has as many as the source."""
    if not covers(nest):
        return False
    extents = {axis.var.name: axis.extent for axis in nest.axes}
    stored = (extents[i.name] for i in nest.indices if isinstance(i, SymVar))
    claim = both(eq(_count(source), _count(target)), *map(eq, stored, target))
    assume = Domain((), dims_of((source, target))).assumptions()
    return isinstance(prove(claim, assume, "quick", arithmetic="no-overflow"), Proved)


def _count(shape: tuple[PrimExpr, ...]) -> PrimExpr:
    count: PrimExpr = int_imm(1)
    for dim in shape:
        count = Binary("Mul", count, dim)
    return count
