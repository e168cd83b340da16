"""Loop programs that are reshapes: left alone by fusion, since memory planning turns them into views.

Spec: ``spec/11-fusion.md``, ``lo/fuse-keeps-views``.
"""

from __future__ import annotations

from functools import lru_cache

from refrelax.lower.domains import Domain, dims_of, is_plain, same_place, shortest
from refrelax.lower.pattern_kinds import program
from refrelax.rules import rule
from refrelax.syntax.loops import BufferParam, PrimFunc
from refrelax.syntax.scalars import BufferLoad


@rule("lo/fuse-keeps-views")
@lru_cache(maxsize=512)
def is_reshape(func: PrimFunc) -> bool:
    """Whether ``func`` copies its one input to its output, element by element in row-major order, and is more than
    inserting and dropping axes of extent 1 (which fusion inlines at no cost)."""
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
    domain = Domain(nest.axes, dims_of((source.buffer.shape, target.buffer.shape)))
    if all(is_plain(shortest(index, domain)) for index in value.indices):
        return False
    return same_place(nest, source.buffer.shape, target.buffer.shape)
