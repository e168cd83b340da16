"""Einstein sums, sums that undo a broadcast, losses, counts."""

from __future__ import annotations

from collections.abc import Mapping

from refrelax.lower.legalize.elementwise import Legalizer
from refrelax.lower.legalize.scalars import Scalar, cast, lit, select
from refrelax.lower.legalize.site import Site
from refrelax.semantics.ops import attributes as A
from refrelax.semantics.ops.binary import promote

# --- einsum ----------------------------------------------------------------------------------------------------------


# --- losses ----------------------------------------------------------------------------------------------------------


# --- counts ----------------------------------------------------------------------------------------------------------


def _bucketize(s: Site) -> None:
    """The number of boundaries below the element; with ``right`` also those equal to it."""
    x, edges, right = s.array(0), s.array(1), A.flag(s.call, "right")
    meeting, dtype = promote(x.dtype, edges.dtype), s.out.dtype

    def item(*i: Scalar) -> Scalar:
        a, b = cast(meeting, x[i[:-1]]), cast(meeting, edges[i[-1]])
        if meeting == "bool":
            a, b = cast("uint8", a), cast("uint8", b)
        return select(b <= a if right else b < a, lit(dtype, 1), lit(dtype, 0))

    s.k.reduce(s.out, [edges.dims[0]], "Add", lit(dtype, 0), item)


SUMS: Mapping[str, Legalizer] = {
    "relax.bucketize": _bucketize,
}
