"""The intrinsics of ``T.*``: how many arguments each takes and what dtype it gives.

A result is a dtype, or ``arg0``, ``arg1`` for the dtype of that argument, or ``text`` for a dtype that the text itself
gives, first (``T.call_extern("int32", "f", x)``) or last. Names that TVM
folds or rewrites while building (``T.abs``, ``T.floor``, ``T.min`` …) are in ``rewrites.py``.
Source: ``python/tvm/tirx/op.py`` and ``src/tirx/op/builtin.cc`` of TVM; spec: ``spec/03b-loops-syntax.md``.
"""

from __future__ import annotations

from refrelax.syntax.read.device_intrinsics import DEVICE
from refrelax.syntax.read.signatures import Signature
from refrelax.syntax.signatures import REAL_FUNCTIONS


def _like_first(names: str, count: int) -> dict[str, Signature]:
    return {name: Signature("arg0", count, count) for name in names.split()}


def _fixed(result: str, table: dict[str, int | tuple[int, int | None]]) -> dict[str, Signature]:
    made = {}
    for name, count in table.items():
        least, most = count if isinstance(count, tuple) else (count, count)
        made[name] = Signature(result, least, most)
    return made


INTRINSICS: dict[str, Signature] = {
    **_like_first(" ".join(REAL_FUNCTIONS), 1),
    **_like_first("exp2 exp10 log2 log10 log1p popcount tvm_thread_invariant large_uint_imm fabs", 1),
    **_like_first("atan2 hypot copysign nextafter ldexp fmod selector", 2),
    **_like_first("fma", 3),
    **_fixed("int32", {"clz": 1, "undef": 0, "vscale": 0, "q_multiply_shift": 4, "q_multiply_shift_per_axis": 7}),
    **_fixed("bool", {"isnullptr": 1, "assume": 1, "ignore_loop_partition": 1, "filter": 2}),
    # calls
    "call_extern": Signature("text", 1, None, "first"),
    "call_pure_extern": Signature("text", 1, None, "first"),
    "call_llvm_intrin": Signature("text", 1, None, "first"),
    "call_llvm_pure_intrin": Signature("text", 1, None, "first"),
    "call_spirv_pure_glsl450": Signature("text", 1, None, "first"),
    **_fixed(
        "int32",
        {
            "call_packed": (1, None),
            "call_cpacked": (1, None),
            "call_packed_lowered": (1, None),
            "call_cpacked_lowered": (1, None),
        },
    ),
    # pointers and host structures
    "reinterpret": Signature("text", 1, 1, "first"),
    "type_annotation": Signature("text", 0, 0, "first"),
    "tvm_struct_get": Signature("text", 3, 3, "last"),
    **_fixed(
        "handle",
        {
            "address_of": 1,
            "tvm_access_ptr": 5,
            "ptr_byte_offset": 3,
            "handle_add_byte_offset": 2,
            "lookup_param": 1,
            "tvm_stack_alloca": 2,
            "tvm_stack_make_shape": (0, None),
            "tvm_stack_make_array": 6,
            "TVMBackendAllocWorkspace": 5,
            "anylist_getitem": 2,
            "tvm_context_id": 0,
        },
    ),
    **_fixed(
        "int32",
        {
            "tvm_struct_set": 4,
            "TVMBackendFreeWorkspace": 3,
            "anylist_resetitem": 2,
            "anylist_setitem_call_packed": (3, None),
            "anylist_setitem_call_cpacked": (3, None),
        },
    ),
    **_fixed("void", {"tvm_tuple": (0, None), "tvm_throw_last_error": 0, "print_buffer": (5, None)}),
    # vectors
    "vectorlow": Signature("text", 1, 1, "first"),
    "vectorhigh": Signature("text", 1, 1, "first"),
    "vectorcombine": Signature("text", 2, 2, "first"),
    "get_active_lane_mask": Signature("text", 2, 2, "first"),
    "dp4a": Signature("int32", 3, 3, defaults=(0,)),
    # threads
    "tvm_storage_sync": Signature("void", 3, 3, defaults=(False, -1)),
    "tvm_thread_allreduce": Signature("void", 4, None),
    "tvm_warp_shuffle": Signature("arg1", 5, 5),
    "tvm_warp_shuffle_up": Signature("arg1", 5, 5),
    "tvm_warp_shuffle_down": Signature("arg1", 5, 5),
    "tvm_warp_shuffle_xor": Signature("arg1", 5, 5),
    "tvm_warp_activemask": Signature("uint32", 0, 0),
    **_fixed(
        "void",
        {
            "thread_return": 0,
            "tvm_kernel_replace_point": 0,
            "tvm_global_barrier_kinit": 0,
            "tvm_load_matrix_sync": 8,
            "tvm_store_matrix_sync": 8,
            "tvm_mma_sync": 8,
            "tvm_bmma_sync": 8,
            "tvm_fill_fragment": 6,
            "start_profile_intrinsic": 1,
            "end_profile_intrinsic": 1,
        },
    ),
    # built by the operators of the text, also written as calls
    "bitwise_not": Signature("arg0", 1, 1),
    **DEVICE,
}
"""Every intrinsic that is kept as it stands, by its name without ``T.``."""

ALIASES: dict[str, str] = {
    "tvm_call_packed": "call_packed",
    "tvm_call_cpacked": "call_cpacked",
    "tvm_call_packed_lowered": "call_packed_lowered",
    "tvm_call_cpacked_lowered": "call_cpacked_lowered",
}
"""Other spellings of the same intrinsic."""

REGISTERED: dict[str, str] = {
    **{
        name: f"tirx.{name}"
        for name in (
            "atomic_add", "buffer_offset", "call_spirv_pure_glsl450", "dma_copy", "dma_end_group", "dma_start_group",
            "dma_wait", "nd_mem_alloc_with_scope", "prefetch", "texture2d_store", "tvm_call_trace_packed",
            "tvm_call_trace_packed_lowered", "TVMBackendAnyListSetPackedArg", "TVMBackendAnyListMoveFromPackedReturn",
            "tvm_context_id", "tvm_static_handle",
        )
    },
    "cuda.mma_fill_legacy": "tirx.mma_fill_legacy",
    "cuda.mma_store_legacy": "tirx.mma_store_legacy",
}  # fmt: skip
"""What TVM's printer writes as ``T.<name>`` though its parser has no such name, or not with these arguments: the
operator's own name, for ``T.call_intrin(dtype, "tirx.…", …)``, which both read.
"""

PACKED = frozenset({"call_packed", "call_cpacked", "call_packed_lowered", "call_cpacked_lowered"})
"""Calls whose result has the dtype that its place gives: the text of the call does not say it."""

FLOAT_ONLY = frozenset({"sin", "cos", "tan"})
"""Intrinsics that refuse an argument that is no float."""

BUILT = frozenset(
    {
        "if_then_else", "likely", "shift_left", "shift_right", "bitwise_and", "bitwise_or", "bitwise_xor", "floor",
        "ceil", "round", "trunc", "nearbyint", "pow", "isnan",
    }
)  # fmt: skip
"""Operators that a text otherwise reaches through functions that fold."""
