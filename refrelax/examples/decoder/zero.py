# from typing import TypeVar
# from tvm.script import ir as I
# from tvm.script import tirx as T
# from tvm.tirx.layout import Axis
# from tvm.script import relax as R

n = TypeVar("n")
@I.ir_module
class Module:
    @T.prim_func(private=True, s_tir=True)
    def add3(x: T.Buffer((T.int64(1), n, T.int64(32)), "float32"), lv78: T.Buffer((T.int64(1), n, T.int64(32)), "float32"), T_add: T.Buffer((T.int64(1), n, T.int64(32)), "float32")):
        T.func_attr({"op_pattern": 0, "tirx.noalias": True})
        # with T.sblock("root"):
        for ax0, ax1, ax2 in T.grid(T.int64(1), n, T.int64(32)):
            with T.sblock("T_add"):
                v_ax0, v_ax1, v_ax2 = T.axis.remap("SSS", [ax0, ax1, ax2])
                T.reads(x[v_ax0, v_ax1, v_ax2], lv78[v_ax0, v_ax1, v_ax2])
                T.writes(T_add[v_ax0, v_ax1, v_ax2])
                T_add[v_ax0, v_ax1, v_ax2] = x[v_ax0, v_ax1, v_ax2] + lv78[v_ax0, v_ax1, v_ax2]

    @T.prim_func(private=True, s_tir=True)
    def broadcast_to1(lv26: T.Buffer((T.int64(1), T.int64(4), n, T.int64(8)), "float32"), T_broadcast_to: T.Buffer((T.int64(1), T.int64(4), n, T.int64(8)), "float32")):
        T.func_attr({"op_pattern": 0, "tirx.noalias": True})
        # with T.sblock("root"):
        for ax0, ax1, ax2, ax3 in T.grid(T.int64(1), T.int64(4), n, T.int64(8)):
            with T.sblock("T_broadcast_to"):
                v_ax0, v_ax1, v_ax2, v_ax3 = T.axis.remap("SSSS", [ax0, ax1, ax2, ax3])
                T.reads(lv26[v_ax0, v_ax1, v_ax2, v_ax3])
                T.writes(T_broadcast_to[v_ax0, v_ax1, v_ax2, v_ax3])
                T_broadcast_to[v_ax0, v_ax1, v_ax2, v_ax3] = lv26[v_ax0, v_ax1, v_ax2, v_ax3]

    @T.prim_func(private=True, s_tir=True)
    def fused_arange_expand_dims_multiply3_concatenate(param_0: T.Buffer((T.int64(1), T.int64(4)), "float32"), n: T.int64, T_concat_intermediate: T.Buffer((n, T.int64(8)), "float32")):
        T.func_attr({"tirx.noalias": True})
        # with T.sblock("root"):
        T_arange_intermediate = T.sblock_alloc_buffer((n,))
        expand_dims_intermediate = T.sblock_alloc_buffer((n, T.int64(1)))
        T_multiply_intermediate = T.sblock_alloc_buffer((n, T.int64(4)))
        for ax0 in range(n):
            with T.sblock("T_arange"):
                v_ax0 = T.axis.spatial(n, ax0)
                T.reads()
                T.writes(T_arange_intermediate[v_ax0])
                T_arange_intermediate[v_ax0] = T.Cast("float32", v_ax0)
        for i0, i1 in T.grid(n, T.int64(1)):
            with T.sblock("expand_dims"):
                v_i0, v_i1 = T.axis.remap("SS", [i0, i1])
                T.reads(T_arange_intermediate[v_i0])
                T.writes(expand_dims_intermediate[v_i0, v_i1])
                expand_dims_intermediate[v_i0, v_i1] = T_arange_intermediate[v_i0]
        for ax0, ax1 in T.grid(n, T.int64(4)):
            with T.sblock("T_multiply"):
                v_ax0, v_ax1 = T.axis.remap("SS", [ax0, ax1])
                T.reads(expand_dims_intermediate[v_ax0, T.int64(0)], param_0[T.int64(0), v_ax1])
                T.writes(T_multiply_intermediate[v_ax0, v_ax1])
                T_multiply_intermediate[v_ax0, v_ax1] = expand_dims_intermediate[v_ax0, T.int64(0)] * param_0[T.int64(0), v_ax1]
        for ax0, ax1 in T.grid(n, T.int64(8)):
            with T.sblock("T_concat"):
                v_ax0, v_ax1 = T.axis.remap("SS", [ax0, ax1])
                T.reads(T_multiply_intermediate[v_ax0, v_ax1 - T.int64(4)])
                T.writes(T_concat_intermediate[v_ax0, v_ax1])
                T_concat_intermediate[v_ax0, v_ax1] = T.if_then_else(T.int64(4) <= v_ax1, T_multiply_intermediate[v_ax0, v_ax1 - T.int64(4)], T_multiply_intermediate[v_ax0, v_ax1])

    @T.prim_func(private=True, s_tir=True)
    def fused_divide_arange1_expand_dims3_expand_dims4_greater_equal_where(lv59: T.Buffer((T.int64(1), T.int64(4), n, n), "float32"), param_0: T.Buffer((), "float32"), T_where_intermediate: T.Buffer((T.int64(1), T.int64(4), n, n), "float32")):
        T.func_attr({"tirx.noalias": True})
        # with T.sblock("root"):
        T_divide_intermediate = T.sblock_alloc_buffer((T.int64(1), T.int64(4), n, n))
        T_arange_intermediate = T.sblock_alloc_buffer((n,), "int64")
        expand_dims_intermediate = T.sblock_alloc_buffer((n, T.int64(1)), "int64")
        expand_dims_intermediate_1 = T.sblock_alloc_buffer((T.int64(1), n), "int64")
        T_greater_equal_intermediate = T.sblock_alloc_buffer((n, n), "bool")
        for ax0, ax1, ax2, ax3 in T.grid(T.int64(1), T.int64(4), n, n):
            with T.sblock("T_divide"):
                v_ax0, v_ax1, v_ax2, v_ax3 = T.axis.remap("SSSS", [ax0, ax1, ax2, ax3])
                T.reads(lv59[v_ax0, v_ax1, v_ax2, v_ax3])
                T.writes(T_divide_intermediate[v_ax0, v_ax1, v_ax2, v_ax3])
                T_divide_intermediate[v_ax0, v_ax1, v_ax2, v_ax3] = lv59[v_ax0, v_ax1, v_ax2, v_ax3] / T.float32(2.8284270763397217)
        for ax0 in range(n):
            with T.sblock("T_arange"):
                v_ax0 = T.axis.spatial(n, ax0)
                T.reads()
                T.writes(T_arange_intermediate[v_ax0])
                T_arange_intermediate[v_ax0] = v_ax0
        for i0, i1 in T.grid(n, T.int64(1)):
            with T.sblock("expand_dims"):
                v_i0, v_i1 = T.axis.remap("SS", [i0, i1])
                T.reads(T_arange_intermediate[v_i0])
                T.writes(expand_dims_intermediate[v_i0, v_i1])
                expand_dims_intermediate[v_i0, v_i1] = T_arange_intermediate[v_i0]
        for i0, i1 in T.grid(T.int64(1), n):
            with T.sblock("expand_dims1"):
                v_i0, v_i1 = T.axis.remap("SS", [i0, i1])
                T.reads(T_arange_intermediate[v_i1])
                T.writes(expand_dims_intermediate_1[v_i0, v_i1])
                expand_dims_intermediate_1[v_i0, v_i1] = T_arange_intermediate[v_i1]
        for ax0, ax1 in T.grid(n, n):
            with T.sblock("T_greater_equal"):
                v_ax0, v_ax1 = T.axis.remap("SS", [ax0, ax1])
                T.reads(expand_dims_intermediate_1[T.int64(0), v_ax1], expand_dims_intermediate[v_ax0, T.int64(0)])
                T.writes(T_greater_equal_intermediate[v_ax0, v_ax1])
                T_greater_equal_intermediate[v_ax0, v_ax1] = expand_dims_intermediate_1[T.int64(0), v_ax1] <= expand_dims_intermediate[v_ax0, T.int64(0)]
        for ax0, ax1, ax2, ax3 in T.grid(T.int64(1), T.int64(4), n, n):
            with T.sblock("T_where"):
                v_ax0, v_ax1, v_ax2, v_ax3 = T.axis.remap("SSSS", [ax0, ax1, ax2, ax3])
                T.reads(T_greater_equal_intermediate[v_ax2, v_ax3], T_divide_intermediate[v_ax0, v_ax1, v_ax2, v_ax3], param_0[()])
                T.writes(T_where_intermediate[v_ax0, v_ax1, v_ax2, v_ax3])
                T_where_intermediate[v_ax0, v_ax1, v_ax2, v_ax3] = T.Select(T.int64(0) < T.Cast("int64", T_greater_equal_intermediate[v_ax2, v_ax3]), T_divide_intermediate[v_ax0, v_ax1, v_ax2, v_ax3], param_0[()])

    @T.prim_func(private=True, s_tir=True)
    def fused_mean_add_tir_rsqrt_multiply1_multiply2(lv: T.Buffer((T.int64(1), n, T.int64(32)), "float32"), x: T.Buffer((T.int64(1), n, T.int64(32)), "float32"), param_0: T.Buffer((T.int64(32),), "float32"), T_multiply_intermediate_1: T.Buffer((T.int64(1), n, T.int64(32)), "float32")):
        T.func_attr({"tirx.noalias": True})
        # with T.sblock("root"):
        lv_red = T.sblock_alloc_buffer((T.int64(1), n, T.int64(1)))
        T_divide_intermediate = T.sblock_alloc_buffer((T.int64(1), n, T.int64(1)))
        T_add_intermediate = T.sblock_alloc_buffer((T.int64(1), n, T.int64(1)))
        compute_intermediate = T.sblock_alloc_buffer((T.int64(1), n, T.int64(1)))
        T_multiply_intermediate = T.sblock_alloc_buffer((T.int64(1), n, T.int64(32)))
        for ax0, ax1, ax2, k2 in T.grid(T.int64(1), n, T.int64(1), T.int64(32)):
            with T.sblock("lv_red"):
                v_ax0, v_ax1, v_ax2, v_k2 = T.axis.remap("SSSR", [ax0, ax1, ax2, k2])
                T.reads(lv[v_ax0, v_ax1, v_k2])
                T.writes(lv_red[v_ax0, v_ax1, v_ax2])
                with T.init():
                    lv_red[v_ax0, v_ax1, v_ax2] = T.float32(0.0)
                lv_red[v_ax0, v_ax1, v_ax2] = lv_red[v_ax0, v_ax1, v_ax2] + lv[v_ax0, v_ax1, v_k2]
        for ax0, ax1, ax2 in T.grid(T.int64(1), n, T.int64(1)):
            with T.sblock("T_divide"):
                v_ax0, v_ax1, v_ax2 = T.axis.remap("SSS", [ax0, ax1, ax2])
                T.reads(lv_red[v_ax0, v_ax1, v_ax2])
                T.writes(T_divide_intermediate[v_ax0, v_ax1, v_ax2])
                T_divide_intermediate[v_ax0, v_ax1, v_ax2] = lv_red[v_ax0, v_ax1, v_ax2] / T.float32(32.0)
        for ax0, ax1, ax2 in T.grid(T.int64(1), n, T.int64(1)):
            with T.sblock("T_add"):
                v_ax0, v_ax1, v_ax2 = T.axis.remap("SSS", [ax0, ax1, ax2])
                T.reads(T_divide_intermediate[v_ax0, v_ax1, v_ax2])
                T.writes(T_add_intermediate[v_ax0, v_ax1, v_ax2])
                T_add_intermediate[v_ax0, v_ax1, v_ax2] = T_divide_intermediate[v_ax0, v_ax1, v_ax2] + T.float32(9.9999997473787516e-06)
        for i0, i1, i2 in T.grid(T.int64(1), n, T.int64(1)):
            with T.sblock("compute"):
                v_i0, v_i1, v_i2 = T.axis.remap("SSS", [i0, i1, i2])
                T.reads(T_add_intermediate[v_i0, v_i1, v_i2])
                T.writes(compute_intermediate[v_i0, v_i1, v_i2])
                compute_intermediate[v_i0, v_i1, v_i2] = T.rsqrt(T_add_intermediate[v_i0, v_i1, v_i2])
        for ax0, ax1, ax2 in T.grid(T.int64(1), n, T.int64(32)):
            with T.sblock("T_multiply"):
                v_ax0, v_ax1, v_ax2 = T.axis.remap("SSS", [ax0, ax1, ax2])
                T.reads(x[v_ax0, v_ax1, v_ax2], compute_intermediate[v_ax0, v_ax1, T.int64(0)])
                T.writes(T_multiply_intermediate[v_ax0, v_ax1, v_ax2])
                T_multiply_intermediate[v_ax0, v_ax1, v_ax2] = x[v_ax0, v_ax1, v_ax2] * compute_intermediate[v_ax0, v_ax1, T.int64(0)]
        for ax0, ax1, ax2 in T.grid(T.int64(1), n, T.int64(32)):
            with T.sblock("T_multiply1"):
                v_ax0, v_ax1, v_ax2 = T.axis.remap("SSS", [ax0, ax1, ax2])
                T.reads(T_multiply_intermediate[v_ax0, v_ax1, v_ax2], param_0[v_ax2])
                T.writes(T_multiply_intermediate_1[v_ax0, v_ax1, v_ax2])
                T_multiply_intermediate_1[v_ax0, v_ax1, v_ax2] = T_multiply_intermediate[v_ax0, v_ax1, v_ax2] * param_0[v_ax2]

    @T.prim_func(private=True, s_tir=True)
    def fused_softmax_broadcast_to3(lv65: T.Buffer((T.int64(1), T.int64(4), n, n), "float32"), T_broadcast_to_intermediate: T.Buffer((T.int64(1), T.int64(4), n, n), "float32")):
        T.func_attr({"tirx.noalias": True})
        # with T.sblock("root"):
        T_softmax_maxelem = T.sblock_alloc_buffer((T.int64(1), T.int64(4), n))
        T_softmax_exp = T.sblock_alloc_buffer((T.int64(1), T.int64(4), n, n))
        T_softmax_expsum = T.sblock_alloc_buffer((T.int64(1), T.int64(4), n))
        T_softmax_norm_intermediate = T.sblock_alloc_buffer((T.int64(1), T.int64(4), n, n))
        for i0, i1, i2, k in T.grid(T.int64(1), T.int64(4), n, n):
            with T.sblock("T_softmax_maxelem"):
                v_i0, v_i1, v_i2, v_k = T.axis.remap("SSSR", [i0, i1, i2, k])
                T.reads(lv65[v_i0, v_i1, v_i2, v_k])
                T.writes(T_softmax_maxelem[v_i0, v_i1, v_i2])
                with T.init():
                    T_softmax_maxelem[v_i0, v_i1, v_i2] = T.float32(-340282346638528859811704183484516925440.0)
                T_softmax_maxelem[v_i0, v_i1, v_i2] = T.max(T_softmax_maxelem[v_i0, v_i1, v_i2], lv65[v_i0, v_i1, v_i2, v_k])
        for i0, i1, i2, i3 in T.grid(T.int64(1), T.int64(4), n, n):
            with T.sblock("T_softmax_exp"):
                v_i0, v_i1, v_i2, v_i3 = T.axis.remap("SSSS", [i0, i1, i2, i3])
                T.reads(lv65[v_i0, v_i1, v_i2, v_i3], T_softmax_maxelem[v_i0, v_i1, v_i2])
                T.writes(T_softmax_exp[v_i0, v_i1, v_i2, v_i3])
                T_softmax_exp[v_i0, v_i1, v_i2, v_i3] = T.exp(lv65[v_i0, v_i1, v_i2, v_i3] - T_softmax_maxelem[v_i0, v_i1, v_i2])
        for i0, i1, i2, k in T.grid(T.int64(1), T.int64(4), n, n):
            with T.sblock("T_softmax_expsum"):
                v_i0, v_i1, v_i2, v_k = T.axis.remap("SSSR", [i0, i1, i2, k])
                T.reads(T_softmax_exp[v_i0, v_i1, v_i2, v_k])
                T.writes(T_softmax_expsum[v_i0, v_i1, v_i2])
                with T.init():
                    T_softmax_expsum[v_i0, v_i1, v_i2] = T.float32(0.0)
                T_softmax_expsum[v_i0, v_i1, v_i2] = T_softmax_expsum[v_i0, v_i1, v_i2] + T_softmax_exp[v_i0, v_i1, v_i2, v_k]
        for i0, i1, i2, i3 in T.grid(T.int64(1), T.int64(4), n, n):
            with T.sblock("T_softmax_norm"):
                v_i0, v_i1, v_i2, v_i3 = T.axis.remap("SSSS", [i0, i1, i2, i3])
                T.reads(T_softmax_exp[v_i0, v_i1, v_i2, v_i3], T_softmax_expsum[v_i0, v_i1, v_i2])
                T.writes(T_softmax_norm_intermediate[v_i0, v_i1, v_i2, v_i3])
                T.sblock_attr({"axis": 3})
                T_softmax_norm_intermediate[v_i0, v_i1, v_i2, v_i3] = T_softmax_exp[v_i0, v_i1, v_i2, v_i3] / T_softmax_expsum[v_i0, v_i1, v_i2]
        for ax0, ax1, ax2, ax3 in T.grid(T.int64(1), T.int64(4), n, n):
            with T.sblock("T_broadcast_to"):
                v_ax0, v_ax1, v_ax2, v_ax3 = T.axis.remap("SSSS", [ax0, ax1, ax2, ax3])
                T.reads(T_softmax_norm_intermediate[v_ax0, v_ax1, v_ax2, v_ax3])
                T.writes(T_broadcast_to_intermediate[v_ax0, v_ax1, v_ax2, v_ax3])
                T_broadcast_to_intermediate[v_ax0, v_ax1, v_ax2, v_ax3] = T_softmax_norm_intermediate[v_ax0, v_ax1, v_ax2, v_ax3]

    @T.prim_func(private=True, s_tir=True)
    def fused_tir_sigmoid_multiply6_multiply6(lv89: T.Buffer((T.int64(1), n, T.int64(48)), "float32"), lv95: T.Buffer((T.int64(1), n, T.int64(48)), "float32"), T_multiply_intermediate_1: T.Buffer((T.int64(1), n, T.int64(48)), "float32")):
        T.func_attr({"tirx.noalias": True})
        # with T.sblock("root"):
        compute_intermediate = T.sblock_alloc_buffer((T.int64(1), n, T.int64(48)))
        T_multiply_intermediate = T.sblock_alloc_buffer((T.int64(1), n, T.int64(48)))
        for i0, i1, i2 in T.grid(T.int64(1), n, T.int64(48)):
            with T.sblock("compute"):
                v_i0, v_i1, v_i2 = T.axis.remap("SSS", [i0, i1, i2])
                T.reads(lv89[v_i0, v_i1, v_i2])
                T.writes(compute_intermediate[v_i0, v_i1, v_i2])
                compute_intermediate[v_i0, v_i1, v_i2] = T.sigmoid(lv89[v_i0, v_i1, v_i2])
        for ax0, ax1, ax2 in T.grid(T.int64(1), n, T.int64(48)):
            with T.sblock("T_multiply"):
                v_ax0, v_ax1, v_ax2 = T.axis.remap("SSS", [ax0, ax1, ax2])
                T.reads(lv89[v_ax0, v_ax1, v_ax2], compute_intermediate[v_ax0, v_ax1, v_ax2])
                T.writes(T_multiply_intermediate[v_ax0, v_ax1, v_ax2])
                T_multiply_intermediate[v_ax0, v_ax1, v_ax2] = lv89[v_ax0, v_ax1, v_ax2] * compute_intermediate[v_ax0, v_ax1, v_ax2]
        for ax0, ax1, ax2 in T.grid(T.int64(1), n, T.int64(48)):
            with T.sblock("T_multiply1"):
                v_ax0, v_ax1, v_ax2 = T.axis.remap("SSS", [ax0, ax1, ax2])
                T.reads(T_multiply_intermediate[v_ax0, v_ax1, v_ax2], lv95[v_ax0, v_ax1, v_ax2])
                T.writes(T_multiply_intermediate_1[v_ax0, v_ax1, v_ax2])
                T_multiply_intermediate_1[v_ax0, v_ax1, v_ax2] = T_multiply_intermediate[v_ax0, v_ax1, v_ax2] * lv95[v_ax0, v_ax1, v_ax2]

    @T.prim_func(private=True, s_tir=True)
    def fused_transpose1_split_multiply4_tir_negative_concatenate1_multiply4_add1_broadcast_to1(lv17: T.Buffer((T.int64(1), n, T.int64(4), T.int64(8)), "float32"), lv11: T.Buffer((n, T.int64(8)), "float32"), lv12: T.Buffer((n, T.int64(8)), "float32"), T_broadcast_to_intermediate: T.Buffer((T.int64(1), T.int64(4), n, T.int64(8)), "float32")):
        T.func_attr({"tirx.noalias": True})
        # with T.sblock("root"):
        T_transpose_intermediate = T.sblock_alloc_buffer((T.int64(1), T.int64(4), n, T.int64(8)))
        T_split_intermediate = T.sblock_alloc_buffer((T.int64(1), T.int64(4), n, T.int64(4)))
        T_split_intermediate_1 = T.sblock_alloc_buffer((T.int64(1), T.int64(4), n, T.int64(4)))
        T_multiply_intermediate = T.sblock_alloc_buffer((T.int64(1), T.int64(4), n, T.int64(8)))
        compute_intermediate = T.sblock_alloc_buffer((T.int64(1), T.int64(4), n, T.int64(4)))
        T_concat_intermediate = T.sblock_alloc_buffer((T.int64(1), T.int64(4), n, T.int64(8)))
        T_multiply_intermediate_1 = T.sblock_alloc_buffer((T.int64(1), T.int64(4), n, T.int64(8)))
        T_add_intermediate = T.sblock_alloc_buffer((T.int64(1), T.int64(4), n, T.int64(8)))
        for ax0, ax1, ax2, ax3 in T.grid(T.int64(1), T.int64(4), n, T.int64(8)):
            with T.sblock("T_transpose"):
                v_ax0, v_ax1, v_ax2, v_ax3 = T.axis.remap("SSSS", [ax0, ax1, ax2, ax3])
                T.reads(lv17[v_ax0, v_ax2, v_ax1, v_ax3])
                T.writes(T_transpose_intermediate[v_ax0, v_ax1, v_ax2, v_ax3])
                T_transpose_intermediate[v_ax0, v_ax1, v_ax2, v_ax3] = lv17[v_ax0, v_ax2, v_ax1, v_ax3]
        for ax0, ax1, ax2, ax3 in T.grid(T.int64(1), T.int64(4), n, T.int64(4)):
            with T.sblock("T_split"):
                v_ax0, v_ax1, v_ax2, v_ax3 = T.axis.remap("SSSS", [ax0, ax1, ax2, ax3])
                T.reads(T_transpose_intermediate[v_ax0, v_ax1, v_ax2, v_ax3])
                T.writes(T_split_intermediate[v_ax0, v_ax1, v_ax2, v_ax3])
                T_split_intermediate[v_ax0, v_ax1, v_ax2, v_ax3] = T_transpose_intermediate[v_ax0, v_ax1, v_ax2, v_ax3]
        for ax0, ax1, ax2, ax3 in T.grid(T.int64(1), T.int64(4), n, T.int64(4)):
            with T.sblock("T_split_1"):
                v_ax0, v_ax1, v_ax2, v_ax3 = T.axis.remap("SSSS", [ax0, ax1, ax2, ax3])
                T.reads(T_transpose_intermediate[v_ax0, v_ax1, v_ax2, v_ax3 + T.int64(4)])
                T.writes(T_split_intermediate_1[v_ax0, v_ax1, v_ax2, v_ax3])
                T_split_intermediate_1[v_ax0, v_ax1, v_ax2, v_ax3] = T_transpose_intermediate[v_ax0, v_ax1, v_ax2, v_ax3 + T.int64(4)]
        for ax0, ax1, ax2, ax3 in T.grid(T.int64(1), T.int64(4), n, T.int64(8)):
            with T.sblock("T_multiply"):
                v_ax0, v_ax1, v_ax2, v_ax3 = T.axis.remap("SSSS", [ax0, ax1, ax2, ax3])
                T.reads(T_transpose_intermediate[v_ax0, v_ax1, v_ax2, v_ax3], lv11[v_ax2, v_ax3])
                T.writes(T_multiply_intermediate[v_ax0, v_ax1, v_ax2, v_ax3])
                T_multiply_intermediate[v_ax0, v_ax1, v_ax2, v_ax3] = T_transpose_intermediate[v_ax0, v_ax1, v_ax2, v_ax3] * lv11[v_ax2, v_ax3]
        for i0, i1, i2, i3 in T.grid(T.int64(1), T.int64(4), n, T.int64(4)):
            with T.sblock("compute"):
                v_i0, v_i1, v_i2, v_i3 = T.axis.remap("SSSS", [i0, i1, i2, i3])
                T.reads(T_split_intermediate_1[v_i0, v_i1, v_i2, v_i3])
                T.writes(compute_intermediate[v_i0, v_i1, v_i2, v_i3])
                compute_intermediate[v_i0, v_i1, v_i2, v_i3] = T_split_intermediate_1[v_i0, v_i1, v_i2, v_i3] * T.float32(-1.0)
        for ax0, ax1, ax2, ax3 in T.grid(T.int64(1), T.int64(4), n, T.int64(8)):
            with T.sblock("T_concat"):
                v_ax0, v_ax1, v_ax2, v_ax3 = T.axis.remap("SSSS", [ax0, ax1, ax2, ax3])
                T.reads(T_split_intermediate[v_ax0, v_ax1, v_ax2, v_ax3 - T.int64(4)], compute_intermediate[v_ax0, v_ax1, v_ax2, v_ax3])
                T.writes(T_concat_intermediate[v_ax0, v_ax1, v_ax2, v_ax3])
                T_concat_intermediate[v_ax0, v_ax1, v_ax2, v_ax3] = T.if_then_else(T.int64(4) <= v_ax3, T_split_intermediate[v_ax0, v_ax1, v_ax2, v_ax3 - T.int64(4)], compute_intermediate[v_ax0, v_ax1, v_ax2, v_ax3])
        for ax0, ax1, ax2, ax3 in T.grid(T.int64(1), T.int64(4), n, T.int64(8)):
            with T.sblock("T_multiply1"):
                v_ax0, v_ax1, v_ax2, v_ax3 = T.axis.remap("SSSS", [ax0, ax1, ax2, ax3])
                T.reads(T_concat_intermediate[v_ax0, v_ax1, v_ax2, v_ax3], lv12[v_ax2, v_ax3])
                T.writes(T_multiply_intermediate_1[v_ax0, v_ax1, v_ax2, v_ax3])
                T_multiply_intermediate_1[v_ax0, v_ax1, v_ax2, v_ax3] = T_concat_intermediate[v_ax0, v_ax1, v_ax2, v_ax3] * lv12[v_ax2, v_ax3]
        for ax0, ax1, ax2, ax3 in T.grid(T.int64(1), T.int64(4), n, T.int64(8)):
            with T.sblock("T_add"):
                v_ax0, v_ax1, v_ax2, v_ax3 = T.axis.remap("SSSS", [ax0, ax1, ax2, ax3])
                T.reads(T_multiply_intermediate[v_ax0, v_ax1, v_ax2, v_ax3], T_multiply_intermediate_1[v_ax0, v_ax1, v_ax2, v_ax3])
                T.writes(T_add_intermediate[v_ax0, v_ax1, v_ax2, v_ax3])
                T_add_intermediate[v_ax0, v_ax1, v_ax2, v_ax3] = T_multiply_intermediate[v_ax0, v_ax1, v_ax2, v_ax3] + T_multiply_intermediate_1[v_ax0, v_ax1, v_ax2, v_ax3]
        for ax0, ax1, ax2, ax3 in T.grid(T.int64(1), T.int64(4), n, T.int64(8)):
            with T.sblock("T_broadcast_to"):
                v_ax0, v_ax1, v_ax2, v_ax3 = T.axis.remap("SSSS", [ax0, ax1, ax2, ax3])
                T.reads(T_add_intermediate[v_ax0, v_ax1, v_ax2, v_ax3])
                T.writes(T_broadcast_to_intermediate[v_ax0, v_ax1, v_ax2, v_ax3])
                T_broadcast_to_intermediate[v_ax0, v_ax1, v_ax2, v_ax3] = T_add_intermediate[v_ax0, v_ax1, v_ax2, v_ax3]

    @T.prim_func(private=True, s_tir=True)
    def fused_transpose3_expand_dims2_broadcast_to(lv48: T.Buffer((T.int64(1), n, T.int64(2), T.int64(8)), "float32"), T_broadcast_to_intermediate: T.Buffer((T.int64(1), T.int64(2), T.int64(2), n, T.int64(8)), "float32")):
        T.func_attr({"tirx.noalias": True})
        # with T.sblock("root"):
        T_transpose_intermediate = T.sblock_alloc_buffer((T.int64(1), T.int64(2), n, T.int64(8)))
        expand_dims_intermediate = T.sblock_alloc_buffer((T.int64(1), T.int64(2), T.int64(1), n, T.int64(8)))
        for ax0, ax1, ax2, ax3 in T.grid(T.int64(1), T.int64(2), n, T.int64(8)):
            with T.sblock("T_transpose"):
                v_ax0, v_ax1, v_ax2, v_ax3 = T.axis.remap("SSSS", [ax0, ax1, ax2, ax3])
                T.reads(lv48[v_ax0, v_ax2, v_ax1, v_ax3])
                T.writes(T_transpose_intermediate[v_ax0, v_ax1, v_ax2, v_ax3])
                T_transpose_intermediate[v_ax0, v_ax1, v_ax2, v_ax3] = lv48[v_ax0, v_ax2, v_ax1, v_ax3]
        for i0, i1, i2, i3, i4 in T.grid(T.int64(1), T.int64(2), T.int64(1), n, T.int64(8)):
            with T.sblock("expand_dims"):
                v_i0, v_i1, v_i2, v_i3, v_i4 = T.axis.remap("SSSSS", [i0, i1, i2, i3, i4])
                T.reads(T_transpose_intermediate[v_i0, v_i1, v_i3, v_i4])
                T.writes(expand_dims_intermediate[v_i0, v_i1, v_i2, v_i3, v_i4])
                expand_dims_intermediate[v_i0, v_i1, v_i2, v_i3, v_i4] = T_transpose_intermediate[v_i0, v_i1, v_i3, v_i4]
        for ax0, ax1, ax2, ax3, ax4 in T.grid(T.int64(1), T.int64(2), T.int64(2), n, T.int64(8)):
            with T.sblock("T_broadcast_to"):
                v_ax0, v_ax1, v_ax2, v_ax3, v_ax4 = T.axis.remap("SSSSS", [ax0, ax1, ax2, ax3, ax4])
                T.reads(expand_dims_intermediate[v_ax0, v_ax1, T.int64(0), v_ax3, v_ax4])
                T.writes(T_broadcast_to_intermediate[v_ax0, v_ax1, v_ax2, v_ax3, v_ax4])
                T_broadcast_to_intermediate[v_ax0, v_ax1, v_ax2, v_ax3, v_ax4] = expand_dims_intermediate[v_ax0, v_ax1, T.int64(0), v_ax3, v_ax4]

    @T.prim_func(private=True, s_tir=True)
    def fused_transpose3_split1_multiply5_tir_negative1_concatenate2_multiply5_add2_expand_dims2_broadcast_to(lv31: T.Buffer((T.int64(1), n, T.int64(2), T.int64(8)), "float32"), lv11: T.Buffer((n, T.int64(8)), "float32"), lv12: T.Buffer((n, T.int64(8)), "float32"), T_broadcast_to_intermediate: T.Buffer((T.int64(1), T.int64(2), T.int64(2), n, T.int64(8)), "float32")):
        T.func_attr({"tirx.noalias": True})
        # with T.sblock("root"):
        T_transpose_intermediate = T.sblock_alloc_buffer((T.int64(1), T.int64(2), n, T.int64(8)))
        T_split_intermediate = T.sblock_alloc_buffer((T.int64(1), T.int64(2), n, T.int64(4)))
        T_split_intermediate_1 = T.sblock_alloc_buffer((T.int64(1), T.int64(2), n, T.int64(4)))
        T_multiply_intermediate = T.sblock_alloc_buffer((T.int64(1), T.int64(2), n, T.int64(8)))
        compute_intermediate = T.sblock_alloc_buffer((T.int64(1), T.int64(2), n, T.int64(4)))
        T_concat_intermediate = T.sblock_alloc_buffer((T.int64(1), T.int64(2), n, T.int64(8)))
        T_multiply_intermediate_1 = T.sblock_alloc_buffer((T.int64(1), T.int64(2), n, T.int64(8)))
        T_add_intermediate = T.sblock_alloc_buffer((T.int64(1), T.int64(2), n, T.int64(8)))
        expand_dims_intermediate = T.sblock_alloc_buffer((T.int64(1), T.int64(2), T.int64(1), n, T.int64(8)))
        for ax0, ax1, ax2, ax3 in T.grid(T.int64(1), T.int64(2), n, T.int64(8)):
            with T.sblock("T_transpose"):
                v_ax0, v_ax1, v_ax2, v_ax3 = T.axis.remap("SSSS", [ax0, ax1, ax2, ax3])
                T.reads(lv31[v_ax0, v_ax2, v_ax1, v_ax3])
                T.writes(T_transpose_intermediate[v_ax0, v_ax1, v_ax2, v_ax3])
                T_transpose_intermediate[v_ax0, v_ax1, v_ax2, v_ax3] = lv31[v_ax0, v_ax2, v_ax1, v_ax3]
        for ax0, ax1, ax2, ax3 in T.grid(T.int64(1), T.int64(2), n, T.int64(4)):
            with T.sblock("T_split"):
                v_ax0, v_ax1, v_ax2, v_ax3 = T.axis.remap("SSSS", [ax0, ax1, ax2, ax3])
                T.reads(T_transpose_intermediate[v_ax0, v_ax1, v_ax2, v_ax3])
                T.writes(T_split_intermediate[v_ax0, v_ax1, v_ax2, v_ax3])
                T_split_intermediate[v_ax0, v_ax1, v_ax2, v_ax3] = T_transpose_intermediate[v_ax0, v_ax1, v_ax2, v_ax3]
        for ax0, ax1, ax2, ax3 in T.grid(T.int64(1), T.int64(2), n, T.int64(4)):
            with T.sblock("T_split_1"):
                v_ax0, v_ax1, v_ax2, v_ax3 = T.axis.remap("SSSS", [ax0, ax1, ax2, ax3])
                T.reads(T_transpose_intermediate[v_ax0, v_ax1, v_ax2, v_ax3 + T.int64(4)])
                T.writes(T_split_intermediate_1[v_ax0, v_ax1, v_ax2, v_ax3])
                T_split_intermediate_1[v_ax0, v_ax1, v_ax2, v_ax3] = T_transpose_intermediate[v_ax0, v_ax1, v_ax2, v_ax3 + T.int64(4)]
        for ax0, ax1, ax2, ax3 in T.grid(T.int64(1), T.int64(2), n, T.int64(8)):
            with T.sblock("T_multiply"):
                v_ax0, v_ax1, v_ax2, v_ax3 = T.axis.remap("SSSS", [ax0, ax1, ax2, ax3])
                T.reads(T_transpose_intermediate[v_ax0, v_ax1, v_ax2, v_ax3], lv11[v_ax2, v_ax3])
                T.writes(T_multiply_intermediate[v_ax0, v_ax1, v_ax2, v_ax3])
                T_multiply_intermediate[v_ax0, v_ax1, v_ax2, v_ax3] = T_transpose_intermediate[v_ax0, v_ax1, v_ax2, v_ax3] * lv11[v_ax2, v_ax3]
        for i0, i1, i2, i3 in T.grid(T.int64(1), T.int64(2), n, T.int64(4)):
            with T.sblock("compute"):
                v_i0, v_i1, v_i2, v_i3 = T.axis.remap("SSSS", [i0, i1, i2, i3])
                T.reads(T_split_intermediate_1[v_i0, v_i1, v_i2, v_i3])
                T.writes(compute_intermediate[v_i0, v_i1, v_i2, v_i3])
                compute_intermediate[v_i0, v_i1, v_i2, v_i3] = T_split_intermediate_1[v_i0, v_i1, v_i2, v_i3] * T.float32(-1.0)
        for ax0, ax1, ax2, ax3 in T.grid(T.int64(1), T.int64(2), n, T.int64(8)):
            with T.sblock("T_concat"):
                v_ax0, v_ax1, v_ax2, v_ax3 = T.axis.remap("SSSS", [ax0, ax1, ax2, ax3])
                T.reads(T_split_intermediate[v_ax0, v_ax1, v_ax2, v_ax3 - T.int64(4)], compute_intermediate[v_ax0, v_ax1, v_ax2, v_ax3])
                T.writes(T_concat_intermediate[v_ax0, v_ax1, v_ax2, v_ax3])
                T_concat_intermediate[v_ax0, v_ax1, v_ax2, v_ax3] = T.if_then_else(T.int64(4) <= v_ax3, T_split_intermediate[v_ax0, v_ax1, v_ax2, v_ax3 - T.int64(4)], compute_intermediate[v_ax0, v_ax1, v_ax2, v_ax3])
        for ax0, ax1, ax2, ax3 in T.grid(T.int64(1), T.int64(2), n, T.int64(8)):
            with T.sblock("T_multiply1"):
                v_ax0, v_ax1, v_ax2, v_ax3 = T.axis.remap("SSSS", [ax0, ax1, ax2, ax3])
                T.reads(T_concat_intermediate[v_ax0, v_ax1, v_ax2, v_ax3], lv12[v_ax2, v_ax3])
                T.writes(T_multiply_intermediate_1[v_ax0, v_ax1, v_ax2, v_ax3])
                T_multiply_intermediate_1[v_ax0, v_ax1, v_ax2, v_ax3] = T_concat_intermediate[v_ax0, v_ax1, v_ax2, v_ax3] * lv12[v_ax2, v_ax3]
        for ax0, ax1, ax2, ax3 in T.grid(T.int64(1), T.int64(2), n, T.int64(8)):
            with T.sblock("T_add"):
                v_ax0, v_ax1, v_ax2, v_ax3 = T.axis.remap("SSSS", [ax0, ax1, ax2, ax3])
                T.reads(T_multiply_intermediate[v_ax0, v_ax1, v_ax2, v_ax3], T_multiply_intermediate_1[v_ax0, v_ax1, v_ax2, v_ax3])
                T.writes(T_add_intermediate[v_ax0, v_ax1, v_ax2, v_ax3])
                T_add_intermediate[v_ax0, v_ax1, v_ax2, v_ax3] = T_multiply_intermediate[v_ax0, v_ax1, v_ax2, v_ax3] + T_multiply_intermediate_1[v_ax0, v_ax1, v_ax2, v_ax3]
        for i0, i1, i2, i3, i4 in T.grid(T.int64(1), T.int64(2), T.int64(1), n, T.int64(8)):
            with T.sblock("expand_dims"):
                v_i0, v_i1, v_i2, v_i3, v_i4 = T.axis.remap("SSSSS", [i0, i1, i2, i3, i4])
                T.reads(T_add_intermediate[v_i0, v_i1, v_i3, v_i4])
                T.writes(expand_dims_intermediate[v_i0, v_i1, v_i2, v_i3, v_i4])
                expand_dims_intermediate[v_i0, v_i1, v_i2, v_i3, v_i4] = T_add_intermediate[v_i0, v_i1, v_i3, v_i4]
        for ax0, ax1, ax2, ax3, ax4 in T.grid(T.int64(1), T.int64(2), T.int64(2), n, T.int64(8)):
            with T.sblock("T_broadcast_to"):
                v_ax0, v_ax1, v_ax2, v_ax3, v_ax4 = T.axis.remap("SSSSS", [ax0, ax1, ax2, ax3, ax4])
                T.reads(expand_dims_intermediate[v_ax0, v_ax1, T.int64(0), v_ax3, v_ax4])
                T.writes(T_broadcast_to_intermediate[v_ax0, v_ax1, v_ax2, v_ax3, v_ax4])
                T_broadcast_to_intermediate[v_ax0, v_ax1, v_ax2, v_ax3, v_ax4] = expand_dims_intermediate[v_ax0, v_ax1, T.int64(0), v_ax3, v_ax4]

    @T.prim_func(private=True, s_tir=True)
    def fused_transpose4_broadcast_to2(lv43: T.Buffer((T.int64(1), T.int64(4), n, T.int64(8)), "float32"), T_broadcast_to_intermediate: T.Buffer((T.int64(1), T.int64(4), T.int64(8), n), "float32")):
        T.func_attr({"tirx.noalias": True})
        # with T.sblock("root"):
        T_transpose_intermediate = T.sblock_alloc_buffer((T.int64(1), T.int64(4), T.int64(8), n))
        for ax0, ax1, ax2, ax3 in T.grid(T.int64(1), T.int64(4), T.int64(8), n):
            with T.sblock("T_transpose"):
                v_ax0, v_ax1, v_ax2, v_ax3 = T.axis.remap("SSSS", [ax0, ax1, ax2, ax3])
                T.reads(lv43[v_ax0, v_ax1, v_ax3, v_ax2])
                T.writes(T_transpose_intermediate[v_ax0, v_ax1, v_ax2, v_ax3])
                T_transpose_intermediate[v_ax0, v_ax1, v_ax2, v_ax3] = lv43[v_ax0, v_ax1, v_ax3, v_ax2]
        for ax0, ax1, ax2, ax3 in T.grid(T.int64(1), T.int64(4), T.int64(8), n):
            with T.sblock("T_broadcast_to"):
                v_ax0, v_ax1, v_ax2, v_ax3 = T.axis.remap("SSSS", [ax0, ax1, ax2, ax3])
                T.reads(T_transpose_intermediate[v_ax0, v_ax1, v_ax2, v_ax3])
                T.writes(T_broadcast_to_intermediate[v_ax0, v_ax1, v_ax2, v_ax3])
                T_broadcast_to_intermediate[v_ax0, v_ax1, v_ax2, v_ax3] = T_transpose_intermediate[v_ax0, v_ax1, v_ax2, v_ax3]

    @T.prim_func(private=True, s_tir=True)
    def matmul(lv14: T.Buffer((n, T.int64(32)), "float32"), lv13: T.Buffer((T.int64(32), T.int64(32)), "float32"), matmul: T.Buffer((n, T.int64(32)), "float32")):
        T.func_attr({"op_pattern": 4, "tirx.noalias": True})
        # with T.sblock("root"):
        for i0, i1, k in T.grid(n, T.int64(32), T.int64(32)):
            with T.sblock("matmul"):
                v_i0, v_i1, v_k = T.axis.remap("SSR", [i0, i1, k])
                T.reads(lv14[v_i0, v_k], lv13[v_k, v_i1])
                T.writes(matmul[v_i0, v_i1])
                with T.init():
                    matmul[v_i0, v_i1] = T.float32(0.0)
                matmul[v_i0, v_i1] = matmul[v_i0, v_i1] + lv14[v_i0, v_k] * lv13[v_k, v_i1]

    @T.prim_func(private=True, s_tir=True)
    def matmul1(lv28: T.Buffer((n, T.int64(32)), "float32"), lv27: T.Buffer((T.int64(32), T.int64(16)), "float32"), matmul: T.Buffer((n, T.int64(16)), "float32")):
        T.func_attr({"op_pattern": 4, "tirx.noalias": True})
        # with T.sblock("root"):
        for i0, i1, k in T.grid(n, T.int64(16), T.int64(32)):
            with T.sblock("matmul"):
                v_i0, v_i1, v_k = T.axis.remap("SSR", [i0, i1, k])
                T.reads(lv28[v_i0, v_k], lv27[v_k, v_i1])
                T.writes(matmul[v_i0, v_i1])
                with T.init():
                    matmul[v_i0, v_i1] = T.float32(0.0)
                matmul[v_i0, v_i1] = matmul[v_i0, v_i1] + lv28[v_i0, v_k] * lv27[v_k, v_i1]

    @T.prim_func(private=True, s_tir=True)
    def matmul2(lv55: T.Buffer((T.int64(4), n, T.int64(8)), "float32"), lv57: T.Buffer((T.int64(4), T.int64(8), n), "float32"), matmul: T.Buffer((T.int64(4), n, n), "float32")):
        T.func_attr({"op_pattern": 4, "tirx.noalias": True})
        # with T.sblock("root"):
        for i0, i1, i2, k in T.grid(T.int64(4), n, n, T.int64(8)):
            with T.sblock("matmul"):
                v_i0, v_i1, v_i2, v_k = T.axis.remap("SSSR", [i0, i1, i2, k])
                T.reads(lv55[v_i0, v_i1, v_k], lv57[v_i0, v_k, v_i2])
                T.writes(matmul[v_i0, v_i1, v_i2])
                with T.init():
                    matmul[v_i0, v_i1, v_i2] = T.float32(0.0)
                matmul[v_i0, v_i1, v_i2] = matmul[v_i0, v_i1, v_i2] + lv55[v_i0, v_i1, v_k] * lv57[v_i0, v_k, v_i2]

    @T.prim_func(private=True, s_tir=True)
    def matmul3(lv68: T.Buffer((T.int64(4), n, n), "float32"), lv70: T.Buffer((T.int64(4), n, T.int64(8)), "float32"), matmul: T.Buffer((T.int64(4), n, T.int64(8)), "float32")):
        T.func_attr({"op_pattern": 4, "tirx.noalias": True})
        # with T.sblock("root"):
        for i0, i1, i2, k in T.grid(T.int64(4), n, T.int64(8), n):
            with T.sblock("matmul"):
                v_i0, v_i1, v_i2, v_k = T.axis.remap("SSSR", [i0, i1, i2, k])
                T.reads(lv68[v_i0, v_i1, v_k], lv70[v_i0, v_k, v_i2])
                T.writes(matmul[v_i0, v_i1, v_i2])
                with T.init():
                    matmul[v_i0, v_i1, v_i2] = T.float32(0.0)
                matmul[v_i0, v_i1, v_i2] = matmul[v_i0, v_i1, v_i2] + lv68[v_i0, v_i1, v_k] * lv70[v_i0, v_k, v_i2]

    @T.prim_func(private=True, s_tir=True)
    def matmul4(lv87: T.Buffer((n, T.int64(32)), "float32"), lv86: T.Buffer((T.int64(32), T.int64(48)), "float32"), matmul: T.Buffer((n, T.int64(48)), "float32")):
        T.func_attr({"op_pattern": 4, "tirx.noalias": True})
        # with T.sblock("root"):
        for i0, i1, k in T.grid(n, T.int64(48), T.int64(32)):
            with T.sblock("matmul"):
                v_i0, v_i1, v_k = T.axis.remap("SSR", [i0, i1, k])
                T.reads(lv87[v_i0, v_k], lv86[v_k, v_i1])
                T.writes(matmul[v_i0, v_i1])
                with T.init():
                    matmul[v_i0, v_i1] = T.float32(0.0)
                matmul[v_i0, v_i1] = matmul[v_i0, v_i1] + lv87[v_i0, v_k] * lv86[v_k, v_i1]

    @T.prim_func(private=True, s_tir=True)
    def matmul5(lv98: T.Buffer((n, T.int64(48)), "float32"), lv97: T.Buffer((T.int64(48), T.int64(32)), "float32"), matmul: T.Buffer((n, T.int64(32)), "float32")):
        T.func_attr({"op_pattern": 4, "tirx.noalias": True})
        # with T.sblock("root"):
        for i0, i1, k in T.grid(n, T.int64(32), T.int64(48)):
            with T.sblock("matmul"):
                v_i0, v_i1, v_k = T.axis.remap("SSR", [i0, i1, k])
                T.reads(lv98[v_i0, v_k], lv97[v_k, v_i1])
                T.writes(matmul[v_i0, v_i1])
                with T.init():
                    matmul[v_i0, v_i1] = T.float32(0.0)
                matmul[v_i0, v_i1] = matmul[v_i0, v_i1] + lv98[v_i0, v_k] * lv97[v_k, v_i1]

    @T.prim_func(private=True, s_tir=True)
    def multiply(x: T.Buffer((T.int64(1), n, T.int64(32)), "float32"), x_1: T.Buffer((T.int64(1), n, T.int64(32)), "float32"), T_multiply: T.Buffer((T.int64(1), n, T.int64(32)), "float32")):
        T.func_attr({"op_pattern": 0, "tirx.noalias": True})
        # with T.sblock("root"):
        for ax0, ax1, ax2 in T.grid(T.int64(1), n, T.int64(32)):
            with T.sblock("T_multiply"):
                v_ax0, v_ax1, v_ax2 = T.axis.remap("SSS", [ax0, ax1, ax2])
                T.reads(x[v_ax0, v_ax1, v_ax2], x_1[v_ax0, v_ax1, v_ax2])
                T.writes(T_multiply[v_ax0, v_ax1, v_ax2])
                T_multiply[v_ax0, v_ax1, v_ax2] = x[v_ax0, v_ax1, v_ax2] * x_1[v_ax0, v_ax1, v_ax2]

    @T.prim_func(private=True, s_tir=True)
    def reshape(lv5: T.Buffer((T.int64(1), n, T.int64(32)), "float32"), T_reshape: T.Buffer((n, T.int64(32)), "float32")):
        T.func_attr({"op_pattern": 8, "tirx.noalias": True})
        # with T.sblock("root"):
        for ax0, ax1 in T.grid(n, T.int64(32)):
            with T.sblock("T_reshape"):
                v_ax0, v_ax1 = T.axis.remap("SS", [ax0, ax1])
                T.reads(lv5[T.int64(0), (v_ax1 // T.int64(32) + v_ax0) % n, v_ax1 % T.int64(32)])
                T.writes(T_reshape[v_ax0, v_ax1])
                T_reshape[v_ax0, v_ax1] = lv5[T.int64(0), (v_ax1 // T.int64(32) + v_ax0) % n, v_ax1 % T.int64(32)]

    @T.prim_func(private=True, s_tir=True)
    def reshape1(lv15: T.Buffer((n, T.int64(32)), "float32"), T_reshape: T.Buffer((T.int64(1), n, T.int64(32)), "float32")):
        T.func_attr({"op_pattern": 8, "tirx.noalias": True})
        # with T.sblock("root"):
        for ax0, ax1, ax2 in T.grid(T.int64(1), n, T.int64(32)):
            with T.sblock("T_reshape"):
                v_ax0, v_ax1, v_ax2 = T.axis.remap("SSS", [ax0, ax1, ax2])
                T.reads(lv15[(v_ax2 // T.int64(32) + v_ax0 * n + v_ax1) % n, v_ax2 % T.int64(32)])
                T.writes(T_reshape[v_ax0, v_ax1, v_ax2])
                T_reshape[v_ax0, v_ax1, v_ax2] = lv15[(v_ax2 // T.int64(32) + v_ax0 * n + v_ax1) % n, v_ax2 % T.int64(32)]

    @T.prim_func(private=True, s_tir=True)
    def reshape10(lv71: T.Buffer((T.int64(4), n, T.int64(8)), "float32"), T_reshape: T.Buffer((T.int64(1), T.int64(4), n, T.int64(8)), "float32")):
        T.func_attr({"op_pattern": 8, "tirx.noalias": True})
        # with T.sblock("root"):
        for ax0, ax1, ax2, ax3 in T.grid(T.int64(1), T.int64(4), n, T.int64(8)):
            with T.sblock("T_reshape"):
                v_ax0, v_ax1, v_ax2, v_ax3 = T.axis.remap("SSSS", [ax0, ax1, ax2, ax3])
                T.reads(lv71[(v_ax3 // T.int64(8) + (v_ax0 * T.int64(4) + v_ax1) * n + v_ax2) // n % T.int64(4), (v_ax3 // T.int64(8) + (v_ax0 * T.int64(4) + v_ax1) * n + v_ax2) % n, v_ax3 % T.int64(8)])
                T.writes(T_reshape[v_ax0, v_ax1, v_ax2, v_ax3])
                T_reshape[v_ax0, v_ax1, v_ax2, v_ax3] = lv71[(v_ax3 // T.int64(8) + (v_ax0 * T.int64(4) + v_ax1) * n + v_ax2) // n % T.int64(4), (v_ax3 // T.int64(8) + (v_ax0 * T.int64(4) + v_ax1) * n + v_ax2) % n, v_ax3 % T.int64(8)]

    @T.prim_func(private=True, s_tir=True)
    def reshape11(lv73: T.Buffer((T.int64(1), n, T.int64(4), T.int64(8)), "float32"), T_reshape: T.Buffer((T.int64(1), n, T.int64(32)), "float32")):
        T.func_attr({"op_pattern": 8, "tirx.noalias": True})
        # with T.sblock("root"):
        for ax0, ax1, ax2 in T.grid(T.int64(1), n, T.int64(32)):
            with T.sblock("T_reshape"):
                v_ax0, v_ax1, v_ax2 = T.axis.remap("SSS", [ax0, ax1, ax2])
                T.reads(lv73[T.int64(0), (v_ax2 // T.int64(32) + v_ax0 * n + v_ax1) % n, v_ax2 % T.int64(32) // T.int64(8), v_ax2 % T.int64(8)])
                T.writes(T_reshape[v_ax0, v_ax1, v_ax2])
                T_reshape[v_ax0, v_ax1, v_ax2] = lv73[T.int64(0), (v_ax2 // T.int64(32) + v_ax0 * n + v_ax1) % n, v_ax2 % T.int64(32) // T.int64(8), v_ax2 % T.int64(8)]

    @T.prim_func(private=True, s_tir=True)
    def reshape12(lv88: T.Buffer((n, T.int64(48)), "float32"), T_reshape: T.Buffer((T.int64(1), n, T.int64(48)), "float32")):
        T.func_attr({"op_pattern": 8, "tirx.noalias": True})
        # with T.sblock("root"):
        for ax0, ax1, ax2 in T.grid(T.int64(1), n, T.int64(48)):
            with T.sblock("T_reshape"):
                v_ax0, v_ax1, v_ax2 = T.axis.remap("SSS", [ax0, ax1, ax2])
                T.reads(lv88[(v_ax2 // T.int64(48) + v_ax0 * n + v_ax1) % n, v_ax2 % T.int64(48)])
                T.writes(T_reshape[v_ax0, v_ax1, v_ax2])
                T_reshape[v_ax0, v_ax1, v_ax2] = lv88[(v_ax2 // T.int64(48) + v_ax0 * n + v_ax1) % n, v_ax2 % T.int64(48)]

    @T.prim_func(private=True, s_tir=True)
    def reshape13(lv96: T.Buffer((T.int64(1), n, T.int64(48)), "float32"), T_reshape: T.Buffer((n, T.int64(48)), "float32")):
        T.func_attr({"op_pattern": 8, "tirx.noalias": True})
        # with T.sblock("root"):
        for ax0, ax1 in T.grid(n, T.int64(48)):
            with T.sblock("T_reshape"):
                v_ax0, v_ax1 = T.axis.remap("SS", [ax0, ax1])
                T.reads(lv96[T.int64(0), (v_ax1 // T.int64(48) + v_ax0) % n, v_ax1 % T.int64(48)])
                T.writes(T_reshape[v_ax0, v_ax1])
                T_reshape[v_ax0, v_ax1] = lv96[T.int64(0), (v_ax1 // T.int64(48) + v_ax0) % n, v_ax1 % T.int64(48)]

    @T.prim_func(private=True, s_tir=True)
    def reshape2(lv16: T.Buffer((T.int64(1), n, T.int64(32)), "float32"), T_reshape: T.Buffer((T.int64(1), n, T.int64(4), T.int64(8)), "float32")):
        T.func_attr({"op_pattern": 8, "tirx.noalias": True})
        # with T.sblock("root"):
        for ax0, ax1, ax2, ax3 in T.grid(T.int64(1), n, T.int64(4), T.int64(8)):
            with T.sblock("T_reshape"):
                v_ax0, v_ax1, v_ax2, v_ax3 = T.axis.remap("SSSS", [ax0, ax1, ax2, ax3])
                T.reads(lv16[T.int64(0), ((v_ax2 * T.int64(8) + v_ax3) // T.int64(32) + v_ax0 * n + v_ax1) % n, (v_ax2 * T.int64(8) + v_ax3) % T.int64(32)])
                T.writes(T_reshape[v_ax0, v_ax1, v_ax2, v_ax3])
                T_reshape[v_ax0, v_ax1, v_ax2, v_ax3] = lv16[T.int64(0), ((v_ax2 * T.int64(8) + v_ax3) // T.int64(32) + v_ax0 * n + v_ax1) % n, (v_ax2 * T.int64(8) + v_ax3) % T.int64(32)]

    @T.prim_func(private=True, s_tir=True)
    def reshape3(lv29: T.Buffer((n, T.int64(16)), "float32"), T_reshape: T.Buffer((T.int64(1), n, T.int64(16)), "float32")):
        T.func_attr({"op_pattern": 8, "tirx.noalias": True})
        # with T.sblock("root"):
        for ax0, ax1, ax2 in T.grid(T.int64(1), n, T.int64(16)):
            with T.sblock("T_reshape"):
                v_ax0, v_ax1, v_ax2 = T.axis.remap("SSS", [ax0, ax1, ax2])
                T.reads(lv29[(v_ax2 // T.int64(16) + v_ax0 * n + v_ax1) % n, v_ax2 % T.int64(16)])
                T.writes(T_reshape[v_ax0, v_ax1, v_ax2])
                T_reshape[v_ax0, v_ax1, v_ax2] = lv29[(v_ax2 // T.int64(16) + v_ax0 * n + v_ax1) % n, v_ax2 % T.int64(16)]

    @T.prim_func(private=True, s_tir=True)
    def reshape4(lv30: T.Buffer((T.int64(1), n, T.int64(16)), "float32"), T_reshape: T.Buffer((T.int64(1), n, T.int64(2), T.int64(8)), "float32")):
        T.func_attr({"op_pattern": 8, "tirx.noalias": True})
        # with T.sblock("root"):
        for ax0, ax1, ax2, ax3 in T.grid(T.int64(1), n, T.int64(2), T.int64(8)):
            with T.sblock("T_reshape"):
                v_ax0, v_ax1, v_ax2, v_ax3 = T.axis.remap("SSSS", [ax0, ax1, ax2, ax3])
                T.reads(lv30[T.int64(0), ((v_ax2 * T.int64(8) + v_ax3) // T.int64(16) + v_ax0 * n + v_ax1) % n, (v_ax2 * T.int64(8) + v_ax3) % T.int64(16)])
                T.writes(T_reshape[v_ax0, v_ax1, v_ax2, v_ax3])
                T_reshape[v_ax0, v_ax1, v_ax2, v_ax3] = lv30[T.int64(0), ((v_ax2 * T.int64(8) + v_ax3) // T.int64(16) + v_ax0 * n + v_ax1) % n, (v_ax2 * T.int64(8) + v_ax3) % T.int64(16)]

    @T.prim_func(private=True, s_tir=True)
    def reshape5(lv42: T.Buffer((T.int64(1), T.int64(2), T.int64(2), n, T.int64(8)), "float32"), T_reshape: T.Buffer((T.int64(1), T.int64(4), n, T.int64(8)), "float32")):
        T.func_attr({"op_pattern": 8, "tirx.noalias": True})
        # with T.sblock("root"):
        for ax0, ax1, ax2, ax3 in T.grid(T.int64(1), T.int64(4), n, T.int64(8)):
            with T.sblock("T_reshape"):
                v_ax0, v_ax1, v_ax2, v_ax3 = T.axis.remap("SSSS", [ax0, ax1, ax2, ax3])
                T.reads(lv42[T.int64(0), (v_ax3 // T.int64(8) + (v_ax0 * T.int64(4) + v_ax1) * n + v_ax2) // n % T.int64(4) // T.int64(2), (v_ax3 // T.int64(8) + (v_ax0 * T.int64(4) + v_ax1) * n + v_ax2) // n % T.int64(2), (v_ax3 // T.int64(8) + (v_ax0 * T.int64(4) + v_ax1) * n + v_ax2) % n, v_ax3 % T.int64(8)])
                T.writes(T_reshape[v_ax0, v_ax1, v_ax2, v_ax3])
                T_reshape[v_ax0, v_ax1, v_ax2, v_ax3] = lv42[T.int64(0), (v_ax3 // T.int64(8) + (v_ax0 * T.int64(4) + v_ax1) * n + v_ax2) // n % T.int64(4) // T.int64(2), (v_ax3 // T.int64(8) + (v_ax0 * T.int64(4) + v_ax1) * n + v_ax2) // n % T.int64(2), (v_ax3 // T.int64(8) + (v_ax0 * T.int64(4) + v_ax1) * n + v_ax2) % n, v_ax3 % T.int64(8)]

    @T.prim_func(private=True, s_tir=True)
    def reshape6(lv54: T.Buffer((T.int64(1), T.int64(4), n, T.int64(8)), "float32"), T_reshape: T.Buffer((T.int64(4), n, T.int64(8)), "float32")):
        T.func_attr({"op_pattern": 8, "tirx.noalias": True})
        # with T.sblock("root"):
        for ax0, ax1, ax2 in T.grid(T.int64(4), n, T.int64(8)):
            with T.sblock("T_reshape"):
                v_ax0, v_ax1, v_ax2 = T.axis.remap("SSS", [ax0, ax1, ax2])
                T.reads(lv54[T.int64(0), (v_ax2 // T.int64(8) + v_ax0 * n + v_ax1) // n % T.int64(4), (v_ax2 // T.int64(8) + v_ax0 * n + v_ax1) % n, v_ax2 % T.int64(8)])
                T.writes(T_reshape[v_ax0, v_ax1, v_ax2])
                T_reshape[v_ax0, v_ax1, v_ax2] = lv54[T.int64(0), (v_ax2 // T.int64(8) + v_ax0 * n + v_ax1) // n % T.int64(4), (v_ax2 // T.int64(8) + v_ax0 * n + v_ax1) % n, v_ax2 % T.int64(8)]

    @T.prim_func(private=True, s_tir=True)
    def reshape7(lv56: T.Buffer((T.int64(1), T.int64(4), T.int64(8), n), "float32"), T_reshape: T.Buffer((T.int64(4), T.int64(8), n), "float32")):
        T.func_attr({"op_pattern": 8, "tirx.noalias": True})
        # with T.sblock("root"):
        for ax0, ax1, ax2 in T.grid(T.int64(4), T.int64(8), n):
            with T.sblock("T_reshape"):
                v_ax0, v_ax1, v_ax2 = T.axis.remap("SSS", [ax0, ax1, ax2])
                T.reads(lv56[T.int64(0), ((v_ax0 * T.int64(8) + v_ax1) * n + v_ax2) // n % T.int64(32) // T.int64(8), ((v_ax0 * T.int64(8) + v_ax1) * n + v_ax2) // n % T.int64(8), ((v_ax0 * T.int64(8) + v_ax1) * n + v_ax2) % n])
                T.writes(T_reshape[v_ax0, v_ax1, v_ax2])
                T_reshape[v_ax0, v_ax1, v_ax2] = lv56[T.int64(0), ((v_ax0 * T.int64(8) + v_ax1) * n + v_ax2) // n % T.int64(32) // T.int64(8), ((v_ax0 * T.int64(8) + v_ax1) * n + v_ax2) // n % T.int64(8), ((v_ax0 * T.int64(8) + v_ax1) * n + v_ax2) % n]

    @T.prim_func(private=True, s_tir=True)
    def reshape8(lv58: T.Buffer((T.int64(4), n, n), "float32"), T_reshape: T.Buffer((T.int64(1), T.int64(4), n, n), "float32")):
        T.func_attr({"op_pattern": 8, "tirx.noalias": True})
        # with T.sblock("root"):
        for ax0, ax1, ax2, ax3 in T.grid(T.int64(1), T.int64(4), n, n):
            with T.sblock("T_reshape"):
                v_ax0, v_ax1, v_ax2, v_ax3 = T.axis.remap("SSSS", [ax0, ax1, ax2, ax3])
                T.reads(lv58[(((v_ax0 * T.int64(4) + v_ax1) * n + v_ax2) * n + v_ax3) // n // n % T.int64(4), (((v_ax0 * T.int64(4) + v_ax1) * n + v_ax2) * n + v_ax3) // n % n, (((v_ax0 * T.int64(4) + v_ax1) * n + v_ax2) * n + v_ax3) % n])
                T.writes(T_reshape[v_ax0, v_ax1, v_ax2, v_ax3])
                T_reshape[v_ax0, v_ax1, v_ax2, v_ax3] = lv58[(((v_ax0 * T.int64(4) + v_ax1) * n + v_ax2) * n + v_ax3) // n // n % T.int64(4), (((v_ax0 * T.int64(4) + v_ax1) * n + v_ax2) * n + v_ax3) // n % n, (((v_ax0 * T.int64(4) + v_ax1) * n + v_ax2) * n + v_ax3) % n]

    @T.prim_func(private=True, s_tir=True)
    def reshape9(lv67: T.Buffer((T.int64(1), T.int64(4), n, n), "float32"), T_reshape: T.Buffer((T.int64(4), n, n), "float32")):
        T.func_attr({"op_pattern": 8, "tirx.noalias": True})
        # with T.sblock("root"):
        for ax0, ax1, ax2 in T.grid(T.int64(4), n, n):
            with T.sblock("T_reshape"):
                v_ax0, v_ax1, v_ax2 = T.axis.remap("SSS", [ax0, ax1, ax2])
                T.reads(lv67[T.int64(0), ((v_ax0 * n + v_ax1) * n + v_ax2) // n // n % T.int64(4), ((v_ax0 * n + v_ax1) * n + v_ax2) // n % n, ((v_ax0 * n + v_ax1) * n + v_ax2) % n])
                T.writes(T_reshape[v_ax0, v_ax1, v_ax2])
                T_reshape[v_ax0, v_ax1, v_ax2] = lv67[T.int64(0), ((v_ax0 * n + v_ax1) * n + v_ax2) // n // n % T.int64(4), ((v_ax0 * n + v_ax1) * n + v_ax2) // n % n, ((v_ax0 * n + v_ax1) * n + v_ax2) % n]

    @T.prim_func(private=True, s_tir=True)
    def tir_cos(lv10: T.Buffer((n, T.int64(8)), "float32"), compute: T.Buffer((n, T.int64(8)), "float32")):
        T.func_attr({"op_pattern": 0, "tirx.noalias": True})
        # with T.sblock("root"):
        for i0, i1 in T.grid(n, T.int64(8)):
            with T.sblock("compute"):
                v_i0, v_i1 = T.axis.remap("SS", [i0, i1])
                T.reads(lv10[v_i0, v_i1])
                T.writes(compute[v_i0, v_i1])
                compute[v_i0, v_i1] = T.cos(lv10[v_i0, v_i1])

    @T.prim_func(private=True, s_tir=True)
    def tir_sin(lv10: T.Buffer((n, T.int64(8)), "float32"), compute: T.Buffer((n, T.int64(8)), "float32")):
        T.func_attr({"op_pattern": 0, "tirx.noalias": True})
        # with T.sblock("root"):
        for i0, i1 in T.grid(n, T.int64(8)):
            with T.sblock("compute"):
                v_i0, v_i1 = T.axis.remap("SS", [i0, i1])
                T.reads(lv10[v_i0, v_i1])
                T.writes(compute[v_i0, v_i1])
                compute[v_i0, v_i1] = T.sin(lv10[v_i0, v_i1])

    @T.prim_func(private=True, s_tir=True)
    def transpose5(lv72: T.Buffer((T.int64(1), T.int64(4), n, T.int64(8)), "float32"), T_transpose: T.Buffer((T.int64(1), n, T.int64(4), T.int64(8)), "float32")):
        T.func_attr({"op_pattern": 2, "tirx.noalias": True})
        # with T.sblock("root"):
        for ax0, ax1, ax2, ax3 in T.grid(T.int64(1), n, T.int64(4), T.int64(8)):
            with T.sblock("T_transpose"):
                v_ax0, v_ax1, v_ax2, v_ax3 = T.axis.remap("SSSS", [ax0, ax1, ax2, ax3])
                T.reads(lv72[v_ax0, v_ax2, v_ax1, v_ax3])
                T.writes(T_transpose[v_ax0, v_ax1, v_ax2, v_ax3])
                T_transpose[v_ax0, v_ax1, v_ax2, v_ax3] = lv72[v_ax0, v_ax2, v_ax1, v_ax3]

    @R.function
    def main(x: R.Tensor((1, n, 32), dtype="float32")) -> R.Tuple(R.Tensor((1, n, 32), dtype="float32")):
        R.func_attr({"tir_var_lower_bound": {"n": 1}})
        cls = Module
        with R.dataflow():
            lv = R.call_tir(cls.multiply, (x, x), out_ty=R.Tensor((1, n, 32), dtype="float32"))
            lv_1 = R.call_tir(cls.fused_mean_add_tir_rsqrt_multiply1_multiply2, (lv, x, metadata["ir.GenericConst"][0]), out_ty=R.Tensor((1, n, 32), dtype="float32"))
            lv1 = R.call_tir(cls.fused_arange_expand_dims_multiply3_concatenate, (metadata["ir.GenericConst"][1], n), out_ty=R.Tensor((n, 8), dtype="float32"))
            lv11 = R.call_tir(cls.tir_cos, (lv1,), out_ty=R.Tensor((n, 8), dtype="float32"))
            lv12 = R.call_tir(cls.tir_sin, (lv1,), out_ty=R.Tensor((n, 8), dtype="float32"))
            lv14 = R.call_tir(cls.reshape, (lv_1,), out_ty=R.Tensor((n, 32), dtype="float32"))
            lv15 = R.call_tir(cls.matmul, (lv14, metadata["ir.GenericConst"][2]), out_ty=R.Tensor((n, 32), dtype="float32"))
            lv16 = R.call_tir(cls.reshape1, (lv15,), out_ty=R.Tensor((1, n, 32), dtype="float32"))
            lv17 = R.call_tir(cls.reshape2, (lv16,), out_ty=R.Tensor((1, n, 4, 8), dtype="float32"))
            lv2 = R.call_tir(cls.fused_transpose1_split_multiply4_tir_negative_concatenate1_multiply4_add1_broadcast_to1, (lv17, lv11, lv12), out_ty=R.Tensor((1, 4, n, 8), dtype="float32"))
            lv28 = R.call_tir(cls.reshape, (lv_1,), out_ty=R.Tensor((n, 32), dtype="float32"))
            lv29 = R.call_tir(cls.matmul1, (lv28, metadata["ir.GenericConst"][3]), out_ty=R.Tensor((n, 16), dtype="float32"))
            lv30 = R.call_tir(cls.reshape3, (lv29,), out_ty=R.Tensor((1, n, 16), dtype="float32"))
            lv31 = R.call_tir(cls.reshape4, (lv30,), out_ty=R.Tensor((1, n, 2, 8), dtype="float32"))
            lv3 = R.call_tir(cls.fused_transpose3_split1_multiply5_tir_negative1_concatenate2_multiply5_add2_expand_dims2_broadcast_to, (lv31, lv11, lv12), out_ty=R.Tensor((1, 2, 2, n, 8), dtype="float32"))
            lv43 = R.call_tir(cls.reshape5, (lv3,), out_ty=R.Tensor((1, 4, n, 8), dtype="float32"))
            lv45 = R.call_tir(cls.reshape, (lv_1,), out_ty=R.Tensor((n, 32), dtype="float32"))
            lv46 = R.call_tir(cls.matmul1, (lv45, metadata["ir.GenericConst"][4]), out_ty=R.Tensor((n, 16), dtype="float32"))
            lv47 = R.call_tir(cls.reshape3, (lv46,), out_ty=R.Tensor((1, n, 16), dtype="float32"))
            lv48 = R.call_tir(cls.reshape4, (lv47,), out_ty=R.Tensor((1, n, 2, 8), dtype="float32"))
            lv4 = R.call_tir(cls.fused_transpose3_expand_dims2_broadcast_to, (lv48,), out_ty=R.Tensor((1, 2, 2, n, 8), dtype="float32"))
            lv52 = R.call_tir(cls.reshape5, (lv4,), out_ty=R.Tensor((1, 4, n, 8), dtype="float32"))
            lv5 = R.call_tir(cls.fused_transpose4_broadcast_to2, (lv43,), out_ty=R.Tensor((1, 4, 8, n), dtype="float32"))
            lv55 = R.call_tir(cls.reshape6, (lv2,), out_ty=R.Tensor((4, n, 8), dtype="float32"))
            lv57 = R.call_tir(cls.reshape7, (lv5,), out_ty=R.Tensor((4, 8, n), dtype="float32"))
            lv58 = R.call_tir(cls.matmul2, (lv55, lv57), out_ty=R.Tensor((4, n, n), dtype="float32"))
            lv59 = R.call_tir(cls.reshape8, (lv58,), out_ty=R.Tensor((1, 4, n, n), dtype="float32"))
            lv6 = R.call_tir(cls.fused_divide_arange1_expand_dims3_expand_dims4_greater_equal_where, (lv59, R.const("-inf", "float32")), out_ty=R.Tensor((1, 4, n, n), dtype="float32"))
            lv7 = R.call_tir(cls.fused_softmax_broadcast_to3, (lv6,), out_ty=R.Tensor((1, 4, n, n), dtype="float32"))
            lv68 = R.call_tir(cls.reshape9, (lv7,), out_ty=R.Tensor((4, n, n), dtype="float32"))
            lv69 = R.call_tir(cls.broadcast_to1, (lv52,), out_ty=R.Tensor((1, 4, n, 8), dtype="float32"))
            lv70 = R.call_tir(cls.reshape6, (lv69,), out_ty=R.Tensor((4, n, 8), dtype="float32"))
            lv71 = R.call_tir(cls.matmul3, (lv68, lv70), out_ty=R.Tensor((4, n, 8), dtype="float32"))
            lv72 = R.call_tir(cls.reshape10, (lv71,), out_ty=R.Tensor((1, 4, n, 8), dtype="float32"))
            lv73 = R.call_tir(cls.transpose5, (lv72,), out_ty=R.Tensor((1, n, 4, 8), dtype="float32"))
            lv74 = R.call_tir(cls.reshape11, (lv73,), out_ty=R.Tensor((1, n, 32), dtype="float32"))
            lv76 = R.call_tir(cls.reshape, (lv74,), out_ty=R.Tensor((n, 32), dtype="float32"))
            lv77 = R.call_tir(cls.matmul, (lv76, metadata["ir.GenericConst"][5]), out_ty=R.Tensor((n, 32), dtype="float32"))
            lv78 = R.call_tir(cls.reshape1, (lv77,), out_ty=R.Tensor((1, n, 32), dtype="float32"))
            lv79 = R.call_tir(cls.add3, (x, lv78), out_ty=R.Tensor((1, n, 32), dtype="float32"))
            lv80 = R.call_tir(cls.multiply, (lv79, lv79), out_ty=R.Tensor((1, n, 32), dtype="float32"))
            lv8 = R.call_tir(cls.fused_mean_add_tir_rsqrt_multiply1_multiply2, (lv80, lv79, metadata["ir.GenericConst"][6]), out_ty=R.Tensor((1, n, 32), dtype="float32"))
            lv87 = R.call_tir(cls.reshape, (lv8,), out_ty=R.Tensor((n, 32), dtype="float32"))
            lv88 = R.call_tir(cls.matmul4, (lv87, metadata["ir.GenericConst"][7]), out_ty=R.Tensor((n, 48), dtype="float32"))
            lv89 = R.call_tir(cls.reshape12, (lv88,), out_ty=R.Tensor((1, n, 48), dtype="float32"))
            lv93 = R.call_tir(cls.reshape, (lv8,), out_ty=R.Tensor((n, 32), dtype="float32"))
            lv94 = R.call_tir(cls.matmul4, (lv93, metadata["ir.GenericConst"][8]), out_ty=R.Tensor((n, 48), dtype="float32"))
            lv95 = R.call_tir(cls.reshape12, (lv94,), out_ty=R.Tensor((1, n, 48), dtype="float32"))
            lv9 = R.call_tir(cls.fused_tir_sigmoid_multiply6_multiply6, (lv89, lv95), out_ty=R.Tensor((1, n, 48), dtype="float32"))
            lv98 = R.call_tir(cls.reshape13, (lv9,), out_ty=R.Tensor((n, 48), dtype="float32"))
            lv99 = R.call_tir(cls.matmul5, (lv98, metadata["ir.GenericConst"][9]), out_ty=R.Tensor((n, 32), dtype="float32"))
            lv100 = R.call_tir(cls.reshape1, (lv99,), out_ty=R.Tensor((1, n, 32), dtype="float32"))
            lv101 = R.call_tir(cls.add3, (lv79, lv100), out_ty=R.Tensor((1, n, 32), dtype="float32"))
            gv: R.Tuple(R.Tensor((1, n, 32), dtype="float32")) = (lv101,)
            R.output(gv)
        return gv

# Metadata omitted. Use show_meta=True in script() method to show it.
