// How many arguments an intrinsic takes, and of what sort each is (spec 04 "wf/argument-count", "wf/scalar-kind"; 07b).
"use strict";
const { rejected } = require("./ends");
const { dtype, isFloat, literal } = require("./dtypes");
const { dtypeOf } = require("./scalars");

const EXACTLY = {
  0: "thread_return tvm_context_id tvm_global_barrier_kinit tvm_kernel_replace_point tvm_throw_last_error tvm_warp_activemask type_annotation undef vscale",
  1: `address_of assume end_profile_intrinsic ignore_loop_partition isnullptr large_uint_imm lookup_param start_profile_intrinsic tvm_thread_invariant
    vectorhigh vectorlow`,
  2: `anylist_getitem anylist_resetitem filter get_active_lane_mask handle_add_byte_offset selector tvm_stack_alloca vectorcombine
    pow atan2 hypot copysign nextafter ldexp fmod max min truncmod bitwise_and bitwise_or bitwise_xor shift_left shift_right`,
  3: "dp4a fma if_then_else ptr_byte_offset TVMBackendFreeWorkspace tvm_storage_sync tvm_struct_get",
  4: "q_multiply_shift tvm_struct_set",
  5: "TVMBackendAllocWorkspace tvm_access_ptr tvm_warp_shuffle tvm_warp_shuffle_down tvm_warp_shuffle_up tvm_warp_shuffle_xor",
  6: "tvm_fill_fragment tvm_stack_make_array",
  7: "q_multiply_shift_per_axis",
  8: "tvm_bmma_sync tvm_load_matrix_sync tvm_mma_sync tvm_store_matrix_sync",
};
const AT_LEAST = {
  1: `call_cpacked call_cpacked_lowered call_extern call_ffi_kernel call_llvm_intrin call_llvm_pure_intrin call_packed call_packed_lowered
    call_pure_extern call_spirv_pure_glsl450 cuda.cta_reduce cuda.func_call cuda.ldg cuda.warp_reduce metal.simd_shuffle metal.simd_shuffle_down
    metal.simd_shuffle_up ptx.addr s_tir.ldg32 webgpu.subgroup_shuffle webgpu.subgroup_shuffle_down webgpu.subgroup_shuffle_up`,
  2: "atomic_add cuda.atomic_add cuda.atomic_cas cuda.__shfl_sync cuda.__shfl_up_sync cuda.__shfl_down_sync cuda.__shfl_xor_sync",
  3: "anylist_setitem_call_cpacked anylist_setitem_call_packed",
  4: "tvm_thread_allreduce",
  5: "print_buffer",
};

const words = (text) => text.split(/\s+/);
const counts = (table) => new Map(Object.entries(table).flatMap(([count, names]) => words(names).map((name) => [name, Number(count)])));
const [exact, least] = [counts(EXACTLY), counts(AT_LEAST)];

/** Whether an intrinsic may have as many arguments; of a name that chapter 07b does not list, any. */
function isCount(op, found, otherwise) {
  if (exact.has(op)) return found === exact.get(op);
  return least.has(op) ? found >= least.get(op) : found === (otherwise ?? found);
}

// --- sorts ---

const numberOf = (e) => (e.node === "Literal" && !isFloat(e.dtype) ? literal(e) : undefined);
const about = (e) => dtype(dtypeOf(e) ?? "handle");
const elementKind = (e) => dtype(about(e).element).kind;
const isNumber = (e) => ["int", "bool", "float"].includes(elementKind(e));

const PLACE = (e) => elementKind(e) === "int" && about(e).lanes === 1;
const INT32 = (e) => about(e).name === "int32";
const COUNT = (e) => numberOf(e) !== undefined && BigInt(numberOf(e)) >= 1n;
const FLAG = (e) => numberOf(e) !== undefined;
const SCALAR = (e) => isNumber(e) && about(e).lanes === 1;
const TRUTH = (e) => SCALAR(e) && elementKind(e) !== "float";
const ANY = () => true;
const FRAGMENT = [ANY, COUNT, COUNT, COUNT, PLACE];
const SHUFFLE = [PLACE, SCALAR, PLACE, PLACE, PLACE];
const BYTES = [ANY, PLACE];
const ACROSS = [ANY, PLACE, ANY, PLACE];

const SORTS = {
  q_multiply_shift: Array(4).fill(INT32), q_multiply_shift_per_axis: [...Array(5).fill(INT32), TRUTH, TRUTH],
  get_active_lane_mask: [PLACE, PLACE], assume: [TRUTH], ignore_loop_partition: [TRUTH],
  tvm_fill_fragment: [...FRAGMENT, SCALAR], tvm_load_matrix_sync: [...FRAGMENT, ANY, PLACE], tvm_store_matrix_sync: [...FRAGMENT, ANY, PLACE],
  tvm_mma_sync: [...ACROSS, ...ACROSS],
  "ptx_legacy.ldmatrix": [FLAG, FLAG, ANY, ANY, PLACE, ANY, PLACE], "ptx_legacy.mma": [...Array(7).fill(ANY), PLACE, ANY, PLACE, ANY, PLACE],
  tvm_access_ptr: [ANY, ANY, PLACE, PLACE, PLACE], ptr_byte_offset: BYTES, handle_add_byte_offset: BYTES,
  tvm_stack_make_array: [...Array(5).fill(ANY), PLACE],
  TVMBackendAllocWorkspace: Array(5).fill(PLACE), TVMBackendFreeWorkspace: [PLACE, PLACE],
  vectorcombine: [isNumber, isNumber], vectorlow: [isNumber], vectorhigh: [isNumber],
  tvm_warp_shuffle: SHUFFLE, tvm_warp_shuffle_up: SHUFFLE, tvm_warp_shuffle_down: SHUFFLE, tvm_warp_shuffle_xor: SHUFFLE,
};

function sortsOf(e) {
  if (e.op === "tvm_stack_make_shape") return e.args.map(() => PLACE);
  if (e.op !== "tvm_thread_allreduce") return SORTS[e.op] ?? [];
  const count = Number(numberOf(e.args[0]) ?? 0);
  if (count < 1 || count > e.args.length / 2 - 1) throw rejected("wf/scalar-kind", "values and places of tvm_thread_allreduce");
  return [COUNT, ...Array(count).fill(SCALAR), TRUTH];
}

/** Every argument is of the sort that the intrinsic takes at its place. */
function argumentSorts(e) {
  sortsOf(e).forEach((fits, k) => {
    if (k < e.args.length && !fits(e.args[k])) throw rejected("wf/scalar-kind", `argument ${k} of ${e.op}`);
  });
}

module.exports = { isCount, argumentSorts };
