"""Intrinsics of particular devices, in the namespaces of ``T``: ``T.ptx.…``, ``T.cuda.…``, ``T.metal.…`` and their kin.

They are read, printed and given a dtype; what they do is the hardware's matter, so none has a meaning in this edition
(``ld/intrinsic-without-meaning``). Every PTX instruction is a statement without a value.
Source: ``python/tvm/backend/*/op.py`` and ``python/tvm/tirx/op.py`` of TVM; spec: ``spec/03b-loops-syntax.md``.
"""

from __future__ import annotations

from refrelax.syntax.read.signatures import Signature


def _names(text: str) -> frozenset[str]:
    return frozenset(text.split())


PTX = _names(
    "abs activemask add addr and_ applypriority atom bar barrier bfe bfi bfind bmsk brev clmad clusterlaunchcontrol "
    "clz cnot copysign cos cp createpolicy cvt cvt_pack cvta discard div dp2a dp4a elect_sync ex2 fabric fence fma fns "
    "getctarank griddepcontrol isspacep ld ldmatrix ldu lg2 lop3 mad mad24 mapa match max mbarrier min mma mov "
    "movmatrix mul mul24 multimem_cp multimem_ld_reduce multimem_red multimem_red_async multimem_st multimem_st_async "
    "neg not_ or_ popc prefetch prefetchu prmt rcp red red_async redux_sync rem rsqrt sad selp set setmaxnreg setp shf "
    "shfl_sync shl shr sin slct spcompress spdecompress sqrt st st_async st_bulk stmatrix sub szext tanh tcgen05 "
    "tensormap_cp_fenceproxy tensormap_replace testp vote_sync wgmma xor"
)
"""Mnemonics of PTX; the variant of an instruction is among its arguments."""

TILE = _names(
    "add binary_chain binary_reduce cast copy copy_async exp exp2 fdiv fill fma gemm gemm_async log2 max maximum "
    "memset min minimum mul permute_layout reciprocal reduce_negate select silu sqrt sub sum unary_reduce zero"
)
"""Operations on tiles."""

SCOPES = frozenset({"tile", "warp", "wg", "cta", "cluster"})
"""Who does an operation on tiles together: one thread (``T.tile``), a warp, a warp group, a block, a cluster."""

_RESULTS: dict[str, str] = {
    "void": """
        cuda.cluster_sync cuda.cta_sync cuda.float22half2 cuda.float8tohalf8 cuda.grid_sync cuda.half8tofloat8
        cuda.iket.mark cuda.iket.range_end cuda.iket.range_pop cuda.iket.range_push cuda.mbarrier_wait
        cuda.mbarrier_wait_acquire_cluster cuda.nano_sleep cuda.printf cuda.runtime_instr_desc
        cuda.tcgen05.encode_instr_descriptor cuda.tcgen05.encode_instr_descriptor_block_scaled
        cuda.tcgen05.encode_matrix_descriptor cuda.thread_fence cuda.trap_when_assert_failed cuda.wait_until
        cuda.warp_sync cuda.warpgroup_sync cuda.wgmma.encode_matrix_descriptor cuda.wgmma.noop_barrier
        cuda.mma_fill_legacy cuda.mma_store_legacy
        cuda.timer_end cuda.timer_finalize cuda.timer_init cuda.timer_start
        metal.make_filled_simdgroup_matrix metal.simdgroup_load metal.simdgroup_multiply_accumulate
        metal.simdgroup_store cooperative_tensor_fill cooperative_tensor_load cooperative_tensor_multiply_accumulate
        cooperative_tensor_store
        nki.activation nki.activation_reduce nki.affine_select nki.identity nki.load nki.matmul nki.memset
        nki.reciprocal nki.scalar_tensor_scalar nki.scalar_tensor_tensor nki.store nki.tensor_copy nki.tensorreduce
        nki.tensorscalar nki.tensorscalar_reduce nki.tensortensor
        nvshmem.barrier_all nvshmem.fence nvshmem.getmem_nbi nvshmem.getmem_nbi.block nvshmem.getmem_nbi.warp
        nvshmem.putmem_nbi nvshmem.putmem_nbi.block nvshmem.putmem_nbi.warp nvshmem.putmem_signal_nbi
        nvshmem.putmem_signal_nbi.block nvshmem.putmem_signal_nbi.warp nvshmem.quiet nvshmem.signal_op
        nvshmem.wait_until
        dma_copy dma_start_group dma_end_group dma_wait texture2d_store prefetch masked_store tensormap_encode_tiled
        nd_mem_alloc_with_scope""",
    "int32": """
        cuda.any_sync cuda.ffs_u32 cuda.mov_sreg cuda.thread_rank nvshmem.my_pe nvshmem.n_pes
        tvm_call_trace_packed tvm_call_trace_packed_lowered TVMBackendAnyListSetPackedArg
        TVMBackendAnyListMoveFromPackedReturn""",
    "int64": "cuda.syncthreads_and cuda.syncthreads_or",
    "uint32": """
        cuda.__activemask cuda.ballot_sync cuda.cvta_generic_to_shared cuda.elect_sync cuda.float22bfloat162_rn
        cuda.float22bfloat162_rn_from_float2 cuda.float_as_uint cuda.fp8x4_e4m3_from_float4 cuda.get_tmem_addr
        cuda.hmax2 cuda.hmin2 cuda.iket.official_event cuda.iket.range_start cuda.iket.sentinel_token
        cuda.reduce_add_sync_u32 cuda.reduce_min_sync_u32 cuda.sm100_2sm_leader_smem_addr
        cuda.smem_addr_from_uint64""",
    "uint64": "cuda.bfloat1622float2 cuda.clock64 cuda.fadd2_rn cuda.fmul2_rn cuda.make_float2",
    "float32": """
        cuda.bfloat162float cuda.fdividef cuda.float2_x cuda.float2_y cuda.half2float cuda.uint_as_float""",
    "handle": "tvm_static_handle buffer_offset",
    "arg0": """
        metal.simd_shuffle metal.simd_shuffle_up metal.simd_shuffle_down webgpu.subgroup_shuffle
        webgpu.subgroup_shuffle_up webgpu.subgroup_shuffle_down cuda.cta_reduce cuda.warp_reduce s_tir.ldg32
        ptx.addr""",
    "arg1": """
        cuda.__shfl_sync cuda.__shfl_up_sync cuda.__shfl_down_sync cuda.__shfl_xor_sync cuda.atomic_add
        cuda.atomic_cas atomic_add""",
    "text": "cuda.mma_fill cuda.mma_store s_tir.cp_async_raw masked_load",
}
"""Result dtypes. The argument whose dtype an intrinsic takes over must be there."""

_LEAST = {"arg0": 1, "arg1": 2}

DEVICE: dict[str, Signature] = {
    **{f"ptx.{name}": Signature("void", 0, None) for name in sorted(PTX)},
    **{f"{scope}.{name}": Signature("void", 0, None, keywords=("dispatch",))
       for scope in sorted(SCOPES) for name in sorted(TILE)},
    **{
        name: Signature(result, _LEAST.get(result, 0), None, "first" if result == "text" else "")
        for result, names in _RESULTS.items()
        for name in names.split()
    },
    **{name: Signature("void", 0, None, "dropped") for name in ("ptx_legacy.ldmatrix", "ptx_legacy.mma")},
    "cuda.ldg": Signature("text", 1, 2, "last"),
    "cuda.func_call": Signature("void", 1, None, keywords=("source_code", "return_type"), dtype_key="return_type"),
    "call_ffi_kernel": Signature("int32", 1, None, keywords=("launch_params", "ret_ty"), dtype_key="ret_ty"),
}  # fmt: skip
"""Every device intrinsic by its name without ``T.``."""

SCOPE_IDS = _names(
    "cluster_id cta_id cta_id_in_cluster cta_id_in_pair warpgroup_id warp_id warp_id_in_wg lane_id thread_id "
    "thread_id_in_wg"
)
"""``tx = T.thread_id([128])``: which member of a scope a thread is, and how many there are."""
