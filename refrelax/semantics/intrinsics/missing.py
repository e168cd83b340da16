"""Why intrinsics have no meaning in this edition: one literal table, by what a name begins with."""

from __future__ import annotations

_SCALABLE = "the number of lanes of a scalable vector is a matter of the hardware"
_ASYNC = "it copies while other code runs, and only barriers that are no part of this edition tell when it is done"
_MATRIX = "where the threads keep the parts of such a matrix is known to the instruction only"
_TOPOLOGY = "it depends on how a program is laid out on a device"
_HOST = "it is part of how the virtual machine and compiled code call each other"

WITHOUT_MEANING: dict[str, str] = {
    "vscale": _SCALABLE,
    "get_active_lane_mask": _SCALABLE,
    "ptx.cp_async": _ASYNC,
    "s_tir.cp_async": _ASYNC,
    "ptx.mbarrier": _ASYNC,
    "cuda.mbarrier": _ASYNC,
    "ptx.wait_barrier": _ASYNC,
    "dma_": _ASYNC,
    "async_": _ASYNC,
    "ptx.wgmma": _MATRIX,
    "cuda.wgmma": _MATRIX,
    "ptx.tcgen05": _MATRIX,
    "cuda.tcgen05": _MATRIX,
    "metal.": _MATRIX,
    "cooperative_tensor_": _MATRIX,
    "tvm_bmma_sync": _MATRIX,
    "nvshmem.": "it reaches the memory of other processes",
    "nki.": "an instruction set of its own defines it",
    "webgpu.": _TOPOLOGY,
    "cuda.clock": "it reads a clock",
    "cuda.printf": "it prints from threads, in no order",
    "cuda.func_call": "its meaning is the source text of another language",
    "call_ffi_kernel": "the kernel that it launches is compiled code that the module does not hold",
    "call_spirv_pure_glsl450": "a table of numbers of SPIR-V names the function",
    "anylist_": _HOST,
    "lookup_param": _HOST,
    "TVMBackendAnyList": _HOST,
    "texture2d_": "what a texture holds is a matter of its sampler",
    "start_profile_intrinsic": "it measures time",
    "end_profile_intrinsic": "it measures time",
}
"""What the name of an intrinsic begins with, and the reason. The first that fits counts."""


def reason(op: str) -> str:
    """``": …"`` for an intrinsic without a meaning, or nothing if the reason is only that nobody wrote it down."""
    found = next((why for start, why in WITHOUT_MEANING.items() if op.startswith(start)), "")
    return f": {found}" if found else ""
