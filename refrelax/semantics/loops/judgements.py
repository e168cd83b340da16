"""The judgements of the loop level, put together: the one place where the circle of the recursion is closed."""

from __future__ import annotations

from refrelax.semantics.intrinsics import build_effect, build_intrinsic
from refrelax.semantics.intrinsics.records import known_field, pointee_of_record
from refrelax.semantics.intrinsics.warp_matrices import build_warp_matrices
from refrelax.semantics.loops.elements import build_element
from refrelax.semantics.loops.frame import Judgements
from refrelax.semantics.loops.statements import build_body, build_stmt
from refrelax.semantics.loops.vectors import build_vector

JUDGEMENTS = Judgements(
    element=build_element,
    vector=build_vector,
    intrinsic=build_intrinsic,
    effect=build_effect,
    statement=build_stmt,
    body=build_body,
    field=known_field,
    record=pointee_of_record,
    matrices=build_warp_matrices,
)
