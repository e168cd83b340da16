# from typing import TypeVar
# from tvm.script import ir as I
# from tvm.script import tirx as T
# from tvm.tirx.layout import Axis
# from tvm.script import relax as R

n = TypeVar("n")
@I.ir_module
class Module:
    @T.prim_func(private=True, s_tir=True)
    def fused_batch_norm_relu(lv2: T.Buffer((n, T.int64(4), T.int64(10), T.int64(12)), "float32"), param_0: T.Buffer((T.int64(4),), "float32"), param_1: T.Buffer((T.int64(4),), "float32"), param_2: T.Buffer((T.int64(4),), "float32"), param_3: T.Buffer((T.int64(4),), "float32"), compute_intermediate: T.Buffer((n, T.int64(4), T.int64(10), T.int64(12)), "float32")):
        T.func_attr({"tirx.noalias": True})
        # with T.sblock("root"):
        T_reshape = T.sblock_alloc_buffer((T.int64(1), T.int64(4), T.int64(1), T.int64(1)))
        T_subtract = T.sblock_alloc_buffer((n, T.int64(4), T.int64(10), T.int64(12)))
        T_reshape_1 = T.sblock_alloc_buffer((T.int64(1), T.int64(4), T.int64(1), T.int64(1)))
        T_add = T.sblock_alloc_buffer((T.int64(1), T.int64(4), T.int64(1), T.int64(1)))
        compute = T.sblock_alloc_buffer((T.int64(1), T.int64(4), T.int64(1), T.int64(1)))
        T_divide = T.sblock_alloc_buffer((n, T.int64(4), T.int64(10), T.int64(12)))
        T_reshape_2 = T.sblock_alloc_buffer((T.int64(1), T.int64(4), T.int64(1), T.int64(1)))
        T_multiply = T.sblock_alloc_buffer((n, T.int64(4), T.int64(10), T.int64(12)))
        T_reshape_3 = T.sblock_alloc_buffer((T.int64(1), T.int64(4), T.int64(1), T.int64(1)))
        T_add_intermediate = T.sblock_alloc_buffer((n, T.int64(4), T.int64(10), T.int64(12)))
        T_multiply_intermediate = T.sblock_alloc_buffer((T.int64(4),))
        T_multiply_intermediate_1 = T.sblock_alloc_buffer((T.int64(4),))
        for ax0, ax1, ax2, ax3 in T.grid(T.int64(1), T.int64(4), T.int64(1), T.int64(1)):
            with T.sblock("T_reshape"):
                v_ax0, v_ax1, v_ax2, v_ax3 = T.axis.remap("SSSS", [ax0, ax1, ax2, ax3])
                T.reads(param_2[(v_ax1 + v_ax2 + v_ax3) % T.int64(4)])
                T.writes(T_reshape[v_ax0, v_ax1, v_ax2, v_ax3])
                T_reshape[v_ax0, v_ax1, v_ax2, v_ax3] = param_2[(v_ax1 + v_ax2 + v_ax3) % T.int64(4)]
        for ax0, ax1, ax2, ax3 in T.grid(n, T.int64(4), T.int64(10), T.int64(12)):
            with T.sblock("T_subtract"):
                v_ax0, v_ax1, v_ax2, v_ax3 = T.axis.remap("SSSS", [ax0, ax1, ax2, ax3])
                T.reads(lv2[v_ax0, v_ax1, v_ax2, v_ax3], T_reshape[T.int64(0), v_ax1, T.int64(0), T.int64(0)])
                T.writes(T_subtract[v_ax0, v_ax1, v_ax2, v_ax3])
                T_subtract[v_ax0, v_ax1, v_ax2, v_ax3] = lv2[v_ax0, v_ax1, v_ax2, v_ax3] - T_reshape[T.int64(0), v_ax1, T.int64(0), T.int64(0)]
        for ax0, ax1, ax2, ax3 in T.grid(T.int64(1), T.int64(4), T.int64(1), T.int64(1)):
            with T.sblock("T_reshape_1"):
                v_ax0, v_ax1, v_ax2, v_ax3 = T.axis.remap("SSSS", [ax0, ax1, ax2, ax3])
                T.reads(param_3[(v_ax1 + v_ax2 + v_ax3) % T.int64(4)])
                T.writes(T_reshape_1[v_ax0, v_ax1, v_ax2, v_ax3])
                T_reshape_1[v_ax0, v_ax1, v_ax2, v_ax3] = param_3[(v_ax1 + v_ax2 + v_ax3) % T.int64(4)]
        for ax0, ax1, ax2, ax3 in T.grid(T.int64(1), T.int64(4), T.int64(1), T.int64(1)):
            with T.sblock("T_add"):
                v_ax0, v_ax1, v_ax2, v_ax3 = T.axis.remap("SSSS", [ax0, ax1, ax2, ax3])
                T.reads(T_reshape_1[v_ax0, v_ax1, v_ax2, v_ax3])
                T.writes(T_add[v_ax0, v_ax1, v_ax2, v_ax3])
                T_add[v_ax0, v_ax1, v_ax2, v_ax3] = T_reshape_1[v_ax0, v_ax1, v_ax2, v_ax3] + T.float32(1.0000000000000001e-05)
        for i0, i1, i2, i3 in T.grid(T.int64(1), T.int64(4), T.int64(1), T.int64(1)):
            with T.sblock("compute"):
                v_i0, v_i1, v_i2, v_i3 = T.axis.remap("SSSS", [i0, i1, i2, i3])
                T.reads(T_add[v_i0, v_i1, v_i2, v_i3])
                T.writes(compute[v_i0, v_i1, v_i2, v_i3])
                compute[v_i0, v_i1, v_i2, v_i3] = T.sqrt(T_add[v_i0, v_i1, v_i2, v_i3])
        for ax0, ax1, ax2, ax3 in T.grid(n, T.int64(4), T.int64(10), T.int64(12)):
            with T.sblock("T_divide"):
                v_ax0, v_ax1, v_ax2, v_ax3 = T.axis.remap("SSSS", [ax0, ax1, ax2, ax3])
                T.reads(T_subtract[v_ax0, v_ax1, v_ax2, v_ax3], compute[T.int64(0), v_ax1, T.int64(0), T.int64(0)])
                T.writes(T_divide[v_ax0, v_ax1, v_ax2, v_ax3])
                T_divide[v_ax0, v_ax1, v_ax2, v_ax3] = T_subtract[v_ax0, v_ax1, v_ax2, v_ax3] / compute[T.int64(0), v_ax1, T.int64(0), T.int64(0)]
        for ax0, ax1, ax2, ax3 in T.grid(T.int64(1), T.int64(4), T.int64(1), T.int64(1)):
            with T.sblock("T_reshape_2"):
                v_ax0, v_ax1, v_ax2, v_ax3 = T.axis.remap("SSSS", [ax0, ax1, ax2, ax3])
                T.reads(param_0[(v_ax1 + v_ax2 + v_ax3) % T.int64(4)])
                T.writes(T_reshape_2[v_ax0, v_ax1, v_ax2, v_ax3])
                T_reshape_2[v_ax0, v_ax1, v_ax2, v_ax3] = param_0[(v_ax1 + v_ax2 + v_ax3) % T.int64(4)]
        for ax0, ax1, ax2, ax3 in T.grid(n, T.int64(4), T.int64(10), T.int64(12)):
            with T.sblock("T_multiply"):
                v_ax0, v_ax1, v_ax2, v_ax3 = T.axis.remap("SSSS", [ax0, ax1, ax2, ax3])
                T.reads(T_divide[v_ax0, v_ax1, v_ax2, v_ax3], T_reshape_2[T.int64(0), v_ax1, T.int64(0), T.int64(0)])
                T.writes(T_multiply[v_ax0, v_ax1, v_ax2, v_ax3])
                T_multiply[v_ax0, v_ax1, v_ax2, v_ax3] = T_divide[v_ax0, v_ax1, v_ax2, v_ax3] * T_reshape_2[T.int64(0), v_ax1, T.int64(0), T.int64(0)]
        for ax0, ax1, ax2, ax3 in T.grid(T.int64(1), T.int64(4), T.int64(1), T.int64(1)):
            with T.sblock("T_reshape_3"):
                v_ax0, v_ax1, v_ax2, v_ax3 = T.axis.remap("SSSS", [ax0, ax1, ax2, ax3])
                T.reads(param_1[(v_ax1 + v_ax2 + v_ax3) % T.int64(4)])
                T.writes(T_reshape_3[v_ax0, v_ax1, v_ax2, v_ax3])
                T_reshape_3[v_ax0, v_ax1, v_ax2, v_ax3] = param_1[(v_ax1 + v_ax2 + v_ax3) % T.int64(4)]
        for ax0, ax1, ax2, ax3 in T.grid(n, T.int64(4), T.int64(10), T.int64(12)):
            with T.sblock("T_add_1"):
                v_ax0, v_ax1, v_ax2, v_ax3 = T.axis.remap("SSSS", [ax0, ax1, ax2, ax3])
                T.reads(T_multiply[v_ax0, v_ax1, v_ax2, v_ax3], T_reshape_3[T.int64(0), v_ax1, T.int64(0), T.int64(0)])
                T.writes(T_add_intermediate[v_ax0, v_ax1, v_ax2, v_ax3])
                T_add_intermediate[v_ax0, v_ax1, v_ax2, v_ax3] = T_multiply[v_ax0, v_ax1, v_ax2, v_ax3] + T_reshape_3[T.int64(0), v_ax1, T.int64(0), T.int64(0)]
        for ax0 in range(T.int64(4)):
            with T.sblock("T_multiply_1"):
                v_ax0 = T.axis.spatial(T.int64(4), ax0)
                T.reads(param_2[v_ax0])
                T.writes(T_multiply_intermediate[v_ax0])
                T_multiply_intermediate[v_ax0] = param_2[v_ax0]
        for ax0 in range(T.int64(4)):
            with T.sblock("T_multiply_2"):
                v_ax0 = T.axis.spatial(T.int64(4), ax0)
                T.reads(param_3[v_ax0])
                T.writes(T_multiply_intermediate_1[v_ax0])
                T_multiply_intermediate_1[v_ax0] = param_3[v_ax0]
        for i0, i1, i2, i3 in T.grid(n, T.int64(4), T.int64(10), T.int64(12)):
            with T.sblock("compute1"):
                v_i0, v_i1, v_i2, v_i3 = T.axis.remap("SSSS", [i0, i1, i2, i3])
                T.reads(T_add_intermediate[v_i0, v_i1, v_i2, v_i3])
                T.writes(compute_intermediate[v_i0, v_i1, v_i2, v_i3])
                compute_intermediate[v_i0, v_i1, v_i2, v_i3] = T.max(T_add_intermediate[v_i0, v_i1, v_i2, v_i3], T.float32(0.0))

    @T.prim_func(private=True, s_tir=True)
    def fused_conv2d1_add1_gelu(lv9: T.Buffer((n, T.int64(4), T.int64(5), T.int64(6)), "float32"), param_0: T.Buffer((T.int64(6), T.int64(4), T.int64(3), T.int64(3)), "float32"), param_1: T.Buffer((T.int64(1), T.int64(6), T.int64(1), T.int64(1)), "float32"), T_multiply_intermediate: T.Buffer((n, T.int64(6), T.int64(2), T.int64(2)), "float32")):
        T.func_attr({"tirx.noalias": True})
        # with T.sblock("root"):
        pad_temp = T.sblock_alloc_buffer((n, T.int64(4), T.int64(5), T.int64(6)))
        conv2d_nchw_intermediate = T.sblock_alloc_buffer((n, T.int64(6), T.int64(2), T.int64(2)))
        T_add_intermediate = T.sblock_alloc_buffer((n, T.int64(6), T.int64(2), T.int64(2)))
        T_multiply = T.sblock_alloc_buffer((n, T.int64(6), T.int64(2), T.int64(2)))
        compute = T.sblock_alloc_buffer((n, T.int64(6), T.int64(2), T.int64(2)))
        T_multiply_1 = T.sblock_alloc_buffer((n, T.int64(6), T.int64(2), T.int64(2)))
        T_add = T.sblock_alloc_buffer((n, T.int64(6), T.int64(2), T.int64(2)))
        for i0, i1, i2, i3 in T.grid(n, T.int64(4), T.int64(5), T.int64(6)):
            with T.sblock("pad_temp"):
                v_i0, v_i1, v_i2, v_i3 = T.axis.remap("SSSS", [i0, i1, i2, i3])
                T.reads(lv9[v_i0, v_i1, v_i2, v_i3])
                T.writes(pad_temp[v_i0, v_i1, v_i2, v_i3])
                pad_temp[v_i0, v_i1, v_i2, v_i3] = lv9[v_i0, v_i1, v_i2, v_i3]
        for nn, ff, yy, xx, rc, ry, rx in T.grid(n, T.int64(6), T.int64(2), T.int64(2), T.int64(4), T.int64(3), T.int64(3)):
            with T.sblock("conv2d_nchw"):
                v_nn, v_ff, v_yy, v_xx, v_rc, v_ry, v_rx = T.axis.remap("SSSSRRR", [nn, ff, yy, xx, rc, ry, rx])
                T.reads(pad_temp[v_nn, v_rc, v_yy * T.int64(2) + v_ry, v_xx * T.int64(2) + v_rx], param_0[v_ff, v_rc, v_ry, v_rx])
                T.writes(conv2d_nchw_intermediate[v_nn, v_ff, v_yy, v_xx])
                with T.init():
                    conv2d_nchw_intermediate[v_nn, v_ff, v_yy, v_xx] = T.float32(0.0)
                conv2d_nchw_intermediate[v_nn, v_ff, v_yy, v_xx] = conv2d_nchw_intermediate[v_nn, v_ff, v_yy, v_xx] + pad_temp[v_nn, v_rc, v_yy * T.int64(2) + v_ry, v_xx * T.int64(2) + v_rx] * param_0[v_ff, v_rc, v_ry, v_rx]
        for ax0, ax1, ax2, ax3 in T.grid(n, T.int64(6), T.int64(2), T.int64(2)):
            with T.sblock("T_add"):
                v_ax0, v_ax1, v_ax2, v_ax3 = T.axis.remap("SSSS", [ax0, ax1, ax2, ax3])
                T.reads(conv2d_nchw_intermediate[v_ax0, v_ax1, v_ax2, v_ax3], param_1[T.int64(0), v_ax1, T.int64(0), T.int64(0)])
                T.writes(T_add_intermediate[v_ax0, v_ax1, v_ax2, v_ax3])
                T_add_intermediate[v_ax0, v_ax1, v_ax2, v_ax3] = conv2d_nchw_intermediate[v_ax0, v_ax1, v_ax2, v_ax3] + param_1[T.int64(0), v_ax1, T.int64(0), T.int64(0)]
        for ax0, ax1, ax2, ax3 in T.grid(n, T.int64(6), T.int64(2), T.int64(2)):
            with T.sblock("T_multiply"):
                v_ax0, v_ax1, v_ax2, v_ax3 = T.axis.remap("SSSS", [ax0, ax1, ax2, ax3])
                T.reads(T_add_intermediate[v_ax0, v_ax1, v_ax2, v_ax3])
                T.writes(T_multiply[v_ax0, v_ax1, v_ax2, v_ax3])
                T_multiply[v_ax0, v_ax1, v_ax2, v_ax3] = T_add_intermediate[v_ax0, v_ax1, v_ax2, v_ax3] * T.float32(0.70710678118654757)
        for i0, i1, i2, i3 in T.grid(n, T.int64(6), T.int64(2), T.int64(2)):
            with T.sblock("compute"):
                v_i0, v_i1, v_i2, v_i3 = T.axis.remap("SSSS", [i0, i1, i2, i3])
                T.reads(T_multiply[v_i0, v_i1, v_i2, v_i3])
                T.writes(compute[v_i0, v_i1, v_i2, v_i3])
                compute[v_i0, v_i1, v_i2, v_i3] = T.erf(T_multiply[v_i0, v_i1, v_i2, v_i3])
        for ax0, ax1, ax2, ax3 in T.grid(n, T.int64(6), T.int64(2), T.int64(2)):
            with T.sblock("T_multiply_1"):
                v_ax0, v_ax1, v_ax2, v_ax3 = T.axis.remap("SSSS", [ax0, ax1, ax2, ax3])
                T.reads(compute[v_ax0, v_ax1, v_ax2, v_ax3])
                T.writes(T_multiply_1[v_ax0, v_ax1, v_ax2, v_ax3])
                T_multiply_1[v_ax0, v_ax1, v_ax2, v_ax3] = compute[v_ax0, v_ax1, v_ax2, v_ax3] * T.float32(0.5)
        for ax0, ax1, ax2, ax3 in T.grid(n, T.int64(6), T.int64(2), T.int64(2)):
            with T.sblock("T_add1"):
                v_ax0, v_ax1, v_ax2, v_ax3 = T.axis.remap("SSSS", [ax0, ax1, ax2, ax3])
                T.reads(T_multiply_1[v_ax0, v_ax1, v_ax2, v_ax3])
                T.writes(T_add[v_ax0, v_ax1, v_ax2, v_ax3])
                T_add[v_ax0, v_ax1, v_ax2, v_ax3] = T.float32(0.5) + T_multiply_1[v_ax0, v_ax1, v_ax2, v_ax3]
        for ax0, ax1, ax2, ax3 in T.grid(n, T.int64(6), T.int64(2), T.int64(2)):
            with T.sblock("T_multiply_2"):
                v_ax0, v_ax1, v_ax2, v_ax3 = T.axis.remap("SSSS", [ax0, ax1, ax2, ax3])
                T.reads(T_add_intermediate[v_ax0, v_ax1, v_ax2, v_ax3], T_add[v_ax0, v_ax1, v_ax2, v_ax3])
                T.writes(T_multiply_intermediate[v_ax0, v_ax1, v_ax2, v_ax3])
                T_multiply_intermediate[v_ax0, v_ax1, v_ax2, v_ax3] = T_add_intermediate[v_ax0, v_ax1, v_ax2, v_ax3] * T_add[v_ax0, v_ax1, v_ax2, v_ax3]

    @T.prim_func(private=True, s_tir=True)
    def fused_conv2d_add(x: T.Buffer((n, T.int64(3), T.int64(10), T.int64(12)), "float32"), param_0: T.Buffer((T.int64(4), T.int64(3), T.int64(3), T.int64(3)), "float32"), param_1: T.Buffer((T.int64(1), T.int64(4), T.int64(1), T.int64(1)), "float32"), T_add_intermediate: T.Buffer((n, T.int64(4), T.int64(10), T.int64(12)), "float32")):
        T.func_attr({"tirx.noalias": True})
        # with T.sblock("root"):
        pad_temp = T.sblock_alloc_buffer((n, T.int64(3), T.int64(12), T.int64(14)))
        conv2d_nchw_intermediate = T.sblock_alloc_buffer((n, T.int64(4), T.int64(10), T.int64(12)))
        for i0, i1, i2, i3 in T.grid(n, T.int64(3), T.int64(12), T.int64(14)):
            with T.sblock("pad_temp"):
                v_i0, v_i1, v_i2, v_i3 = T.axis.remap("SSSS", [i0, i1, i2, i3])
                T.reads(x[v_i0, v_i1, v_i2 - T.int64(1), v_i3 - T.int64(1)])
                T.writes(pad_temp[v_i0, v_i1, v_i2, v_i3])
                pad_temp[v_i0, v_i1, v_i2, v_i3] = T.if_then_else(T.int64(1) <= v_i2 and v_i2 < T.int64(11) and T.int64(1) <= v_i3 and v_i3 < T.int64(13), x[v_i0, v_i1, v_i2 - T.int64(1), v_i3 - T.int64(1)], T.float32(0.0))
        for nn, ff, yy, xx, rc, ry, rx in T.grid(n, T.int64(4), T.int64(10), T.int64(12), T.int64(3), T.int64(3), T.int64(3)):
            with T.sblock("conv2d_nchw"):
                v_nn, v_ff, v_yy, v_xx, v_rc, v_ry, v_rx = T.axis.remap("SSSSRRR", [nn, ff, yy, xx, rc, ry, rx])
                T.reads(pad_temp[v_nn, v_rc, v_yy + v_ry, v_xx + v_rx], param_0[v_ff, v_rc, v_ry, v_rx])
                T.writes(conv2d_nchw_intermediate[v_nn, v_ff, v_yy, v_xx])
                with T.init():
                    conv2d_nchw_intermediate[v_nn, v_ff, v_yy, v_xx] = T.float32(0.0)
                conv2d_nchw_intermediate[v_nn, v_ff, v_yy, v_xx] = conv2d_nchw_intermediate[v_nn, v_ff, v_yy, v_xx] + pad_temp[v_nn, v_rc, v_yy + v_ry, v_xx + v_rx] * param_0[v_ff, v_rc, v_ry, v_rx]
        for ax0, ax1, ax2, ax3 in T.grid(n, T.int64(4), T.int64(10), T.int64(12)):
            with T.sblock("T_add"):
                v_ax0, v_ax1, v_ax2, v_ax3 = T.axis.remap("SSSS", [ax0, ax1, ax2, ax3])
                T.reads(conv2d_nchw_intermediate[v_ax0, v_ax1, v_ax2, v_ax3], param_1[T.int64(0), v_ax1, T.int64(0), T.int64(0)])
                T.writes(T_add_intermediate[v_ax0, v_ax1, v_ax2, v_ax3])
                T_add_intermediate[v_ax0, v_ax1, v_ax2, v_ax3] = conv2d_nchw_intermediate[v_ax0, v_ax1, v_ax2, v_ax3] + param_1[T.int64(0), v_ax1, T.int64(0), T.int64(0)]

    @T.prim_func(private=True, s_tir=True)
    def fused_matmul_add2(lv15: T.Buffer((n, T.int64(6)), "float32"), param_0: T.Buffer((T.int64(6), T.int64(5)), "float32"), param_1: T.Buffer((T.int64(5),), "float32"), T_add_intermediate: T.Buffer((n, T.int64(5)), "float32")):
        T.func_attr({"tirx.noalias": True})
        # with T.sblock("root"):
        matmul_intermediate = T.sblock_alloc_buffer((n, T.int64(5)))
        for i0, i1, k in T.grid(n, T.int64(5), T.int64(6)):
            with T.sblock("matmul"):
                v_i0, v_i1, v_k = T.axis.remap("SSR", [i0, i1, k])
                T.reads(lv15[v_i0, v_k], param_0[v_k, v_i1])
                T.writes(matmul_intermediate[v_i0, v_i1])
                with T.init():
                    matmul_intermediate[v_i0, v_i1] = T.float32(0.0)
                matmul_intermediate[v_i0, v_i1] = matmul_intermediate[v_i0, v_i1] + lv15[v_i0, v_k] * param_0[v_k, v_i1]
        for ax0, ax1 in T.grid(n, T.int64(5)):
            with T.sblock("T_add"):
                v_ax0, v_ax1 = T.axis.remap("SS", [ax0, ax1])
                T.reads(param_1[v_ax1], matmul_intermediate[v_ax0, v_ax1])
                T.writes(T_add_intermediate[v_ax0, v_ax1])
                T_add_intermediate[v_ax0, v_ax1] = param_1[v_ax1] + matmul_intermediate[v_ax0, v_ax1]

    @T.prim_func(private=True, s_tir=True)
    def log_softmax(lv18: T.Buffer((n, T.int64(5)), "float32"), compute: T.Buffer((n, T.int64(5)), "float32")):
        T.func_attr({"op_pattern": 4, "tirx.noalias": True})
        # with T.sblock("root"):
        T_softmax_maxelem = T.sblock_alloc_buffer((n,))
        compute_1 = T.sblock_alloc_buffer((n,))
        for i0, k in T.grid(n, T.int64(5)):
            with T.sblock("T_softmax_maxelem"):
                v_i0, v_k = T.axis.remap("SR", [i0, k])
                T.reads(lv18[v_i0, v_k])
                T.writes(T_softmax_maxelem[v_i0])
                with T.init():
                    T_softmax_maxelem[v_i0] = T.float32(-340282346638528859811704183484516925440.0)
                T_softmax_maxelem[v_i0] = T.max(T_softmax_maxelem[v_i0], lv18[v_i0, v_k])
        for i0, k in T.grid(n, T.int64(5)):
            with T.sblock("compute"):
                v_i0, v_k = T.axis.remap("SR", [i0, k])
                T.reads(lv18[v_i0, v_k], T_softmax_maxelem[v_i0])
                T.writes(compute_1[v_i0])
                with T.init():
                    compute_1[v_i0] = T.float32(0.0)
                compute_1[v_i0] = compute_1[v_i0] + T.exp(lv18[v_i0, v_k] - T_softmax_maxelem[v_i0])
        for i0, i1 in T.grid(n, T.int64(5)):
            with T.sblock("compute_1"):
                v_i0, v_i1 = T.axis.remap("SS", [i0, i1])
                T.reads(lv18[v_i0, v_i1], T_softmax_maxelem[v_i0], compute_1[v_i0])
                T.writes(compute[v_i0, v_i1])
                T.sblock_attr({"axis": 1})
                compute[v_i0, v_i1] = lv18[v_i0, v_i1] - T_softmax_maxelem[v_i0] - T.log(compute_1[v_i0])

    @T.prim_func(private=True, s_tir=True)
    def max_pool2d(lv5: T.Buffer((n, T.int64(4), T.int64(10), T.int64(12)), "float32"), pool_max: T.Buffer((n, T.int64(4), T.int64(5), T.int64(6)), "float32")):
        T.func_attr({"op_pattern": 4, "tirx.noalias": True})
        # with T.sblock("root"):
        for ax0, ax1, ax2, ax3, rv0, rv1 in T.grid(n, T.int64(4), T.int64(5), T.int64(6), T.int64(2), T.int64(2)):
            with T.sblock("pool_max"):
                v_ax0, v_ax1, v_ax2, v_ax3, v_rv0, v_rv1 = T.axis.remap("SSSSRR", [ax0, ax1, ax2, ax3, rv0, rv1])
                T.reads(lv5[v_ax0, v_ax1, v_ax2 * T.int64(2) + v_rv0, v_ax3 * T.int64(2) + v_rv1])
                T.writes(pool_max[v_ax0, v_ax1, v_ax2, v_ax3])
                T.sblock_attr({"schedule_rule": "meta_schedule.pool_max"})
                with T.init():
                    pool_max[v_ax0, v_ax1, v_ax2, v_ax3] = T.float32(-340282346638528859811704183484516925440.0)
                pool_max[v_ax0, v_ax1, v_ax2, v_ax3] = T.max(pool_max[v_ax0, v_ax1, v_ax2, v_ax3], lv5[v_ax0, v_ax1, v_ax2 * T.int64(2) + v_rv0, v_ax3 * T.int64(2) + v_rv1])

    @T.prim_func(private=True, s_tir=True)
    def mean(lv13: T.Buffer((n, T.int64(6), T.int64(2), T.int64(2)), "float32"), T_divide: T.Buffer((n, T.int64(6), T.int64(1), T.int64(1)), "float32")):
        T.func_attr({"op_pattern": 4, "tirx.noalias": True})
        # with T.sblock("root"):
        lv13_red = T.sblock_alloc_buffer((n, T.int64(6), T.int64(1), T.int64(1)))
        for ax0, ax1, ax2, ax3, k2, k3 in T.grid(n, T.int64(6), T.int64(1), T.int64(1), T.int64(2), T.int64(2)):
            with T.sblock("lv13_red"):
                v_ax0, v_ax1, v_ax2, v_ax3, v_k2, v_k3 = T.axis.remap("SSSSRR", [ax0, ax1, ax2, ax3, k2, k3])
                T.reads(lv13[v_ax0, v_ax1, v_k2, v_k3])
                T.writes(lv13_red[v_ax0, v_ax1, v_ax2, v_ax3])
                with T.init():
                    lv13_red[v_ax0, v_ax1, v_ax2, v_ax3] = T.float32(0.0)
                lv13_red[v_ax0, v_ax1, v_ax2, v_ax3] = lv13_red[v_ax0, v_ax1, v_ax2, v_ax3] + lv13[v_ax0, v_ax1, v_k2, v_k3]
        for ax0, ax1, ax2, ax3 in T.grid(n, T.int64(6), T.int64(1), T.int64(1)):
            with T.sblock("T_divide"):
                v_ax0, v_ax1, v_ax2, v_ax3 = T.axis.remap("SSSS", [ax0, ax1, ax2, ax3])
                T.reads(lv13_red[v_ax0, v_ax1, v_ax2, v_ax3])
                T.writes(T_divide[v_ax0, v_ax1, v_ax2, v_ax3])
                T_divide[v_ax0, v_ax1, v_ax2, v_ax3] = lv13_red[v_ax0, v_ax1, v_ax2, v_ax3] / T.float32(4.0)

    @T.prim_func(private=True, s_tir=True)
    def reshape2(lv14: T.Buffer((n, T.int64(6), T.int64(1), T.int64(1)), "float32"), T_reshape: T.Buffer((n, T.int64(6)), "float32")):
        T.func_attr({"op_pattern": 8, "tirx.noalias": True})
        # with T.sblock("root"):
        for ax0, ax1 in T.grid(n, T.int64(6)):
            with T.sblock("T_reshape"):
                v_ax0, v_ax1 = T.axis.remap("SS", [ax0, ax1])
                T.reads(lv14[(v_ax1 // T.int64(6) + v_ax0) % n, v_ax1 % T.int64(6), T.int64(0), T.int64(0)])
                T.writes(T_reshape[v_ax0, v_ax1])
                T_reshape[v_ax0, v_ax1] = lv14[(v_ax1 // T.int64(6) + v_ax0) % n, v_ax1 % T.int64(6), T.int64(0), T.int64(0)]

    @R.function
    def main(x: R.Tensor((n, 3, 10, 12), dtype="float32")) -> R.Tuple(R.Tensor((n, 5), dtype="float32")):
        R.func_attr({"tir_var_lower_bound": {"n": 1}})
        cls = Module
        with R.dataflow():
            lv = R.call_tir(cls.fused_conv2d_add, (x, metadata["ir.GenericConst"][0], metadata["ir.GenericConst"][1]), out_ty=R.Tensor((n, 4, 10, 12), dtype="float32"))
            lv1 = R.call_tir(cls.fused_batch_norm_relu, (lv, metadata["ir.GenericConst"][2], metadata["ir.GenericConst"][3], metadata["ir.GenericConst"][4], metadata["ir.GenericConst"][5]), out_ty=R.Tensor((n, 4, 10, 12), dtype="float32"))
            lv6 = R.call_tir(cls.max_pool2d, (lv1,), out_ty=R.Tensor((n, 4, 5, 6), dtype="float32"))
            lv2 = R.call_tir(cls.fused_conv2d1_add1_gelu, (lv6, metadata["ir.GenericConst"][6], metadata["ir.GenericConst"][7]), out_ty=R.Tensor((n, 6, 2, 2), dtype="float32"))
            lv14 = R.call_tir(cls.mean, (lv2,), out_ty=R.Tensor((n, 6, 1, 1), dtype="float32"))
            lv15 = R.call_tir(cls.reshape2, (lv14,), out_ty=R.Tensor((n, 6), dtype="float32"))
            lv3 = R.call_tir(cls.fused_matmul_add2, (lv15, metadata["ir.GenericConst"][8], metadata["ir.GenericConst"][9]), out_ty=R.Tensor((n, 5), dtype="float32"))
            lv19 = R.call_tir(cls.log_softmax, (lv3,), out_ty=R.Tensor((n, 5), dtype="float32"))
            gv: R.Tuple(R.Tensor((n, 5), dtype="float32")) = (lv19,)
            R.output(gv)
        return gv

# Metadata omitted. Use show_meta=True in script() method to show it.
