"""The same elements elsewhere: reshape, order of axes, broadcasting.

A reshape goes group by group: runs of old and new axes with equal products, found from the left, so that an axis that
does not change keeps its index and only the others are computed with.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

from refrelax.lower.legalize.elementwise import Legalizer
from refrelax.lower.legalize.reductions import unflatten
from refrelax.lower.legalize.scalars import Scalar, index, product
from refrelax.lower.legalize.site import Site, with_relations
from refrelax.semantics.dims import Facts, equal
from refrelax.semantics.ops import attributes as A
from refrelax.syntax.scalars import as_int

Dims = Sequence[Scalar]
Group = tuple[list[int], list[int]]


def flatten(at: Dims, dims: Dims) -> Scalar:
    """The row-major position of an index."""
    position = index(0)
    for i, n in zip(at, dims, strict=True):
        position = position * n + i
    return position


def groups(old: Dims, new: Dims, same: Callable[[Scalar, Scalar], bool]) -> list[Group]:
    """Runs of axes ``(old, new)`` with equal products; the last run takes what is left."""
    result: list[Group] = []
    i = j = 0
    while i < len(old) or j < len(new):
        left, right = ([i] if i < len(old) else []), ([j] if j < len(new) else [])
        if left and right and not same(old[i], new[j]) and 1 in (as_int(old[i].node), as_int(new[j].node)):
            left, right = (left, []) if as_int(old[i].node) == 1 else ([], right)
        i, j = i + len(left), j + len(right)
        while not same(product([old[k] for k in left]), product([new[k] for k in right])) and (
            i < len(old) or j < len(new)
        ):
            if i < len(old) and (j == len(new) or _behind(old, left, new, right)):
                left.append(i)
                i += 1
            else:
                right.append(j)
                j += 1
        result.append((left, right))
    return result


def _behind(old: Dims, left: list[int], new: Dims, right: list[int]) -> bool:
    """Whether the old run is the one to extend: the product so far that has fewer symbols, then the lesser number."""

    def key(dims: Dims, run: list[int]) -> tuple[int, int]:
        numbers = [as_int(dims[k].node) for k in run]
        factor = 1
        for n in numbers:
            factor *= 1 if n is None else n
        return sum(n is None for n in numbers), factor

    return key(old, left) < key(new, right)


def reindexed(s: Site, at: Dims, old: Dims, new: Dims) -> list[Scalar]:
    """For an index of shape ``new``, the index of shape ``old`` at the same row-major position."""

    def same(a: Scalar, b: Scalar) -> bool:
        x, y = with_relations(s, a.node), with_relations(s, b.node)
        return x == y or equal(x, y, Facts()) is True

    found = groups(old, new, same)
    result: dict[int, Scalar] = {}
    for left, right in found:
        have, want = product([old[k] for k in left]), product([new[k] for k in right])
        if have.node != want.node:
            s.same(have, want, "lo/reshape-same-size")
        here = [at[k] for k in right]
        if len(left) == 1 and len(here) == 1:
            result[left[0]] = here[0]
            continue
        position = flatten(here, [new[k] for k in right])
        for k, i in zip(left, unflatten(position, [old[k] for k in left]), strict=True):
            result[k] = index(0) if as_int(old[k].node) == 1 else i
    return [result[k] for k in range(len(old))]


def _reshape(s: Site) -> None:
    x = s.array(0)
    s.k.compute(s.out, lambda *i: x[reindexed(s, i, x.dims, s.out.dims)])


def _permute(s: Site) -> None:
    x, axes = s.array(0), A.integers(s.call, "axes")
    order = list(range(x.ndim))[::-1] if axes is None else [axis % x.ndim for axis in axes]

    def element(*i: Scalar) -> Scalar:
        at = dict(zip(order, i, strict=True))
        return x[[at[axis] for axis in range(x.ndim)]]

    s.k.compute(s.out, element)


def _broadcast_to(s: Site) -> None:
    x = s.array(0)
    s.k.compute(s.out, lambda *i: s.spread(x, i, s.out.dims))


SHAPES: Mapping[str, Legalizer] = {
    "relax.reshape": _reshape,
    "relax.flatten": _reshape,
    "relax.nn.batch_flatten": _reshape,
    "relax.expand_dims": _reshape,
    "relax.squeeze": _reshape,
    "relax.permute_dims": _permute,
    "relax.broadcast_to": _broadcast_to,
}
