"""Contractions that are products of matrices as a library has them: cuBLAS, through CuPy.

A kernel that is a contraction says which product it is, if its factors are arrays of one dtype whose axes are loops of
it, each once. A device that has a library runs that in the kernel's place.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from refrelax.backends.cupy_.expressions import Text
from refrelax.backends.cupy_.forms import Contraction
from refrelax.semantics.dims import NO_FACTS, equal
from refrelax.syntax.loops import For
from refrelax.syntax.scalars import BufferLoad, PrimExpr, SymVar, as_int

DTYPES = frozenset({"float16", "float32", "float64"})


@dataclass(frozen=True, slots=True)
class Product:
    """``out = left · right``. The axes of each array, those of extent 1 left out, in the order of batches, rows and
    depth; batches, depth and columns; batches, rows and columns."""

    left: str
    right: str
    out: str
    left_axes: tuple[int, ...]
    right_axes: tuple[int, ...]
    out_axes: tuple[int, ...]

    def run(self, xp: Any, arrays: Mapping[str, Any]) -> None:
        """With the array module ``xp``, into the memory of ``out``. Half precision is summed in float32."""
        left = arrays[self.left].transpose(_whole(arrays[self.left], self.left_axes))
        right = arrays[self.right].transpose(_whole(arrays[self.right], self.right_axes))
        out = arrays[self.out].transpose(_whole(arrays[self.out], self.out_axes))
        left, right = (
            a.reshape(a.shape[a.ndim - len(k) :]) for a, k in ((left, self.left_axes), (right, self.right_axes))
        )
        if xp.__name__ == "numpy" and left.dtype == xp.float16:
            left, right = left.astype(xp.float32), right.astype(xp.float32)
        if list(self.out_axes) == sorted(self.out_axes):
            xp.matmul(left, right, out=out.reshape(out.shape[out.ndim - len(self.out_axes) :]))
        else:
            out[...] = xp.matmul(left, right).reshape(out.shape)


def _whole(array: Any, axes: Sequence[int]) -> tuple[int, ...]:
    """All axes: those that are left out first."""
    return (*(k for k in range(array.ndim) if k not in axes), *axes)


def product_of(c: Contraction, text: Text) -> Product | None:
    """The product that a contraction is, or ``None``."""
    store = c.reduction.store
    dtype = store.value.dtype
    groups = [[e for e in loops if as_int(e.extent) != 1] for loops in (c.batch, c.rows, c.depth, c.columns)]
    if dtype not in DTYPES or any(len(loops) != 1 for loops in groups[1:]):
        return None
    if not isinstance(c.left, BufferLoad) or not isinstance(c.right, BufferLoad):
        return None
    if len({store.buffer, c.left.buffer, c.right.buffer}) < 3 or c.left.dtype != dtype or c.right.dtype != dtype:
        return None
    batch, rows, depth, columns = groups
    left = _axes(text, c, c.left.buffer, c.left.indices, [*batch, *rows, *depth])
    right = _axes(text, c, c.right.buffer, c.right.indices, [*batch, *depth, *columns])
    out = _axes(text, c, store.buffer, store.indices, [*batch, *rows, *columns])
    if left is None or right is None or out is None:
        return None
    return Product(c.left.buffer, c.right.buffer, store.buffer, left, right, out)


def _axes(
    text: Text, c: Contraction, name: str, indices: tuple[PrimExpr, ...], loops: list[For]
) -> tuple[int, ...] | None:
    """The axis of an array that each loop runs along; ``None`` where that is not what indexes it."""
    inner = text.scope()
    inner.aliases.update({e.var.name: e.min for e in c.reduction.nest.loops if as_int(e.extent) == 1})
    inner.aliases.update({k: inner.resolve(v) for k, v in c.reduction.aliases.items()})
    found: dict[str, int] = {}
    for axis, (index, dim) in enumerate(zip(indices, text.buffers[name].shape, strict=True)):
        at = inner.resolve(index)
        loop = next((e for e in loops if isinstance(at, SymVar) and e.var.name == at.name), None)
        if loop is not None and loop.var.name not in found and as_int(loop.min) == 0:
            if equal(text.resolve(dim), text.resolve(loop.extent), NO_FACTS) is not True:
                return None
            found[loop.var.name] = axis
        elif as_int(at) != 0 or as_int(dim) != 1:
            return None
    return tuple(found[e.var.name] for e in loops) if len(found) == len(loops) else None
