"""What the arguments of intrinsics must be that are no operations on operands of one kind: counts, places, numbers.

Spec: ``spec/04-well-formedness.md``, ``wf/scalar-kind``.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator

from refrelax.errors import Diagnostic, Span
from refrelax.rules import rule
from refrelax.semantics.dims.kinds import kind_of
from refrelax.syntax import dtypes
from refrelax.syntax.scalars import Intrinsic, PrimExpr, as_int

Sort = tuple[str, Callable[[PrimExpr], bool]]
"""What is expected, in words, and whether an argument is that."""


def _one(e: PrimExpr) -> bool:
    return kind_of(e.dtype) is not None and dtypes.lanes(e.dtype) == 1


INT32: Sort = ("an int32", lambda e: e.dtype == "int32")
PLACE: Sort = ("an integer that is no vector", lambda e: dtypes.is_integer(e.dtype) and _one(e))
COUNT: Sort = ("a literal integer from 1 on", lambda e: (as_int(e) or 0) >= 1)
FLAG: Sort = ("a literal integer or truth", lambda e: as_int(e) is not None)
TRUTH: Sort = ("a truth value or an integer, and no vector", lambda e: not dtypes.is_float(e.dtype) and _one(e))
SCALAR: Sort = ("a number that is no vector", _one)
NUMBER: Sort = ("a number, or a vector of them", lambda e: kind_of(e.dtype) is not None)
ANY: Sort = ("anything", lambda _: True)

_FRAGMENT = (ANY, COUNT, COUNT, COUNT, PLACE)

SORTS: dict[str, tuple[Sort, ...]] = {
    "q_multiply_shift": (INT32, INT32, INT32, INT32),
    "q_multiply_shift_per_axis": (INT32, INT32, INT32, INT32, INT32, TRUTH, TRUTH),
    "get_active_lane_mask": (PLACE, PLACE),
    "tvm_fill_fragment": (*_FRAGMENT, SCALAR),
    "tvm_load_matrix_sync": (*_FRAGMENT, ANY, PLACE),
    "tvm_store_matrix_sync": (*_FRAGMENT, ANY, PLACE),
    "tvm_mma_sync": (ANY, PLACE, ANY, PLACE, ANY, PLACE, ANY, PLACE),
    "ptx_legacy.ldmatrix": (FLAG, FLAG, ANY, ANY, PLACE, ANY, PLACE),
    "ptx_legacy.mma": (*[ANY] * 7, PLACE, ANY, PLACE, ANY, PLACE),
    "assume": (TRUTH,),
    "ignore_loop_partition": (TRUTH,),
    "tvm_access_ptr": (ANY, ANY, PLACE, PLACE, PLACE),
    "ptr_byte_offset": (ANY, PLACE),
    "handle_add_byte_offset": (ANY, PLACE),
    "tvm_stack_make_array": (ANY, ANY, ANY, ANY, ANY, PLACE),
    "TVMBackendAllocWorkspace": (PLACE,) * 5,
    "TVMBackendFreeWorkspace": (PLACE, PLACE),
    **dict.fromkeys(("vectorcombine", "vectorlow", "vectorhigh"), (NUMBER, NUMBER)),
    **dict.fromkeys(
        ("tvm_warp_shuffle", "tvm_warp_shuffle_up", "tvm_warp_shuffle_down", "tvm_warp_shuffle_xor"),
        (PLACE, SCALAR, PLACE, PLACE, PLACE),
    ),
}


def sorts_of(e: Intrinsic) -> tuple[Sort, ...]:
    """What the first arguments of ``e`` must be; nothing is asked of those behind them."""
    if e.op == "tvm_stack_make_shape":
        return (PLACE,) * len(e.args)
    if e.op != "tvm_thread_allreduce":
        return SORTS.get(e.op, ())
    count = as_int(e.args[0]) if e.args else None
    if count is None or not 1 <= count <= len(e.args) // 2 - 1:
        return (("a literal count of the values that follow, each with its place", lambda _: False),)
    return (COUNT, *[SCALAR] * count, TRUTH)


@rule("wf/scalar-kind")
def argument_sorts(e: Intrinsic, span: Span | None) -> Iterator[Diagnostic]:
    """Every argument is of the sort that the intrinsic takes at its place."""
    for number, (each, (expected, fits)) in enumerate(zip(e.args, sorts_of(e), strict=False)):
        if not fits(each):
            message = f"argument {number} of T.{e.op} is {expected}, found {_shown(each)}"
            yield Diagnostic("wf/scalar-kind", message, each.span or e.span or span)


def _shown(e: PrimExpr) -> str:
    number = as_int(e)
    return f"{type(e).__name__} of {e.dtype}" if number is None else f"{number} of {e.dtype}"
