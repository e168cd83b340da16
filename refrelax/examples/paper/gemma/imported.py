# from typing import TypeVar
# from tvm.script import ir as I
# from tvm.script import tirx as T
# from tvm.tirx.layout import Axis
# from tvm.script import relax as R

b = TypeVar("b")
n = TypeVar("n")
t = TypeVar("t")
@I.ir_module
class Module:
    @T.prim_func(private=True, s_tir=True)
    def last(add9: T.Buffer((b, n, T.int64(8)), "float32"), compute: T.Buffer((b, T.int64(1), T.int64(8)), "float32")):
        T.func_attr({"tirx.noalias": True})
        # with T.sblock("root"):
        for s, _, k in T.grid(b, T.int64(1), T.int64(8)):
            with T.sblock("compute"):
                v_s, v__, v_k = T.axis.remap("SSS", [s, _, k])
                T.reads(add9[v_s, n - T.int64(1), v_k])
                T.writes(compute[v_s, v__, v_k])
                compute[v_s, v__, v_k] = add9[v_s, n - T.int64(1), v_k]

    @T.prim_func(private=True, s_tir=True)
    def last1(add20: T.Buffer((b, T.int64(1), T.int64(8)), "float32"), compute: T.Buffer((b, T.int64(1), T.int64(8)), "float32")):
        T.func_attr({"tirx.noalias": True})
        # with T.sblock("root"):
        for s, _, k in T.grid(b, T.int64(1), T.int64(8)):
            with T.sblock("compute"):
                v_s, v__, v_k = T.axis.remap("SSS", [s, _, k])
                T.reads(add20[v_s, T.int64(0), v_k])
                T.writes(compute[v_s, v__, v_k])
                compute[v_s, v__, v_k] = add20[v_s, T.int64(0), v_k]

    @T.prim_func(private=True, s_tir=True)
    def mask(mask: T.Buffer((b, T.int64(1), n, n), "float32")):
        T.func_attr({"tirx.noalias": True})
        # with T.sblock("root"):
        for s, _h, i, j in T.grid(b, T.int64(1), n, n):
            with T.sblock("mask"):
                v_s, v__h, v_i, v_j = T.axis.remap("SSSS", [s, _h, i, j])
                T.reads()
                T.writes(mask[v_s, v__h, v_i, v_j])
                mask[v_s, v__h, v_i, v_j] = T.if_then_else(v_j <= v_i, T.float32(0.0), T.float32(-340282346638528859811704183484516925440.0))

    @T.prim_func(private=True, s_tir=True)
    def mask1(t: T.int64, mask: T.Buffer((b, T.int64(1), T.int64(1), T.int64(1) + t), "float32")):
        T.func_attr({"tirx.noalias": True})
        # with T.sblock("root"):
        for s, _h, i, j in T.grid(b, T.int64(1), T.int64(1), t + T.int64(1)):
            with T.sblock("mask"):
                v_s, v__h, v_i, v_j = T.axis.remap("SSSS", [s, _h, i, j])
                T.reads()
                T.writes(mask[v_s, v__h, v_i, v_j])
                mask[v_s, v__h, v_i, v_j] = T.if_then_else(v_j <= v_i + t, T.float32(0.0), T.float32(-340282346638528859811704183484516925440.0))

    @T.prim_func(private=True, s_tir=True)
    def positions(b: T.int64, n: T.int64, compute: T.Buffer((b * n,), "int32")):
        T.func_attr({"tirx.noalias": True})
        # with T.sblock("root"):
        for r in range(b * n):
            with T.sblock("compute"):
                v_r = T.axis.spatial(b * n, r)
                T.reads()
                T.writes(compute[v_r])
                compute[v_r] = T.Cast("int32", v_r % n)

    @T.prim_func(private=True, s_tir=True)
    def positions1(t: T.int64, compute: T.Buffer((b,), "int32")):
        T.func_attr({"tirx.noalias": True})
        # with T.sblock("root"):
        for r in range(b):
            with T.sblock("compute"):
                v_r = T.axis.spatial(b, r)
                T.reads()
                T.writes(compute[v_r])
                compute[v_r] = T.Cast("int32", t)

    @T.prim_func(private=True, s_tir=True)
    def rope(reshape2: T.Buffer(("b * n", T.int64(4), T.int64(4)), "float32"), lv1: T.Buffer((b * n,), "int32"), b: T.int64, n: T.int64, q: T.Buffer((b * n, T.int64(2), T.int64(4)), "float32"), k: T.Buffer((b * n, T.int64(1), T.int64(4)), "float32"), v: T.Buffer((b * n, T.int64(1), T.int64(4)), "float32")):
        T.func_attr({"tirx.noalias": True})
        # with T.sblock("root"):
        for r, h, e in T.grid(b * n, T.int64(2), T.int64(4)):
            with T.sblock("q"):
                v_r, v_h, v_e = T.axis.remap("SSS", [r, h, e])
                T.reads(lv1[v_r], reshape2[v_r, v_h, v_e - T.int64(1):v_e - T.int64(1) + T.int64(3)])
                T.writes(q[v_r, v_h, v_e])
                freq = T.float32()
                q[v_r, v_h, v_e] = T.Let(T.cos(freq) * reshape2[v_r, v_h, v_e] + T.sin(freq) * T.if_then_else(v_e % T.int64(2) == T.int64(0), reshape2[v_r, v_h, v_e + T.int64(1)] * T.float32(-1.0), reshape2[v_r, v_h, v_e - T.int64(1)]), where={freq: T.Cast("float32", lv1[v_r]) / T.pow(T.float32(10000.0), T.Cast("float32", v_e % T.int64(4) // T.int64(2) * T.int64(2)) / T.float32(4.0))})
        for r, h, e in T.grid(b * n, T.int64(1), T.int64(4)):
            with T.sblock("k"):
                v_r, v_h, v_e = T.axis.remap("SSS", [r, h, e])
                T.reads(lv1[v_r], reshape2[v_r, v_h + T.int64(2), v_e - T.int64(1):v_e - T.int64(1) + T.int64(3)])
                T.writes(k[v_r, v_h, v_e])
                freq = T.float32()
                k[v_r, v_h, v_e] = T.Let(T.cos(freq) * reshape2[v_r, v_h + T.int64(2), v_e] + T.sin(freq) * T.if_then_else(v_e % T.int64(2) == T.int64(0), reshape2[v_r, v_h + T.int64(2), v_e + T.int64(1)] * T.float32(-1.0), reshape2[v_r, v_h + T.int64(2), v_e - T.int64(1)]), where={freq: T.Cast("float32", lv1[v_r]) / T.pow(T.float32(10000.0), T.Cast("float32", v_e % T.int64(4) // T.int64(2) * T.int64(2)) / T.float32(4.0))})
        for r, h, e in T.grid(b * n, T.int64(1), T.int64(4)):
            with T.sblock("v"):
                v_r, v_h, v_e = T.axis.remap("SSS", [r, h, e])
                T.reads(reshape2[v_r, v_h + T.int64(3), v_e])
                T.writes(v[v_r, v_h, v_e])
                v[v_r, v_h, v_e] = reshape2[v_r, v_h + T.int64(3), v_e]

    @T.prim_func(private=True, s_tir=True)
    def rope1(reshape14: T.Buffer((b, T.int64(4), T.int64(4)), "float32"), lv6: T.Buffer((b,), "int32"), q: T.Buffer((b, T.int64(2), T.int64(4)), "float32"), k: T.Buffer((b, T.int64(1), T.int64(4)), "float32"), v: T.Buffer((b, T.int64(1), T.int64(4)), "float32")):
        T.func_attr({"tirx.noalias": True})
        # with T.sblock("root"):
        for r, h, e in T.grid(b, T.int64(2), T.int64(4)):
            with T.sblock("q"):
                v_r, v_h, v_e = T.axis.remap("SSS", [r, h, e])
                T.reads(lv6[v_r], reshape14[v_r, v_h, v_e - T.int64(1):v_e - T.int64(1) + T.int64(3)])
                T.writes(q[v_r, v_h, v_e])
                freq = T.float32()
                q[v_r, v_h, v_e] = T.Let(T.cos(freq) * reshape14[v_r, v_h, v_e] + T.sin(freq) * T.if_then_else(v_e % T.int64(2) == T.int64(0), reshape14[v_r, v_h, v_e + T.int64(1)] * T.float32(-1.0), reshape14[v_r, v_h, v_e - T.int64(1)]), where={freq: T.Cast("float32", lv6[v_r]) / T.pow(T.float32(10000.0), T.Cast("float32", v_e % T.int64(4) // T.int64(2) * T.int64(2)) / T.float32(4.0))})
        for r, h, e in T.grid(b, T.int64(1), T.int64(4)):
            with T.sblock("k"):
                v_r, v_h, v_e = T.axis.remap("SSS", [r, h, e])
                T.reads(lv6[v_r], reshape14[v_r, v_h + T.int64(2), v_e - T.int64(1):v_e - T.int64(1) + T.int64(3)])
                T.writes(k[v_r, v_h, v_e])
                freq = T.float32()
                k[v_r, v_h, v_e] = T.Let(T.cos(freq) * reshape14[v_r, v_h + T.int64(2), v_e] + T.sin(freq) * T.if_then_else(v_e % T.int64(2) == T.int64(0), reshape14[v_r, v_h + T.int64(2), v_e + T.int64(1)] * T.float32(-1.0), reshape14[v_r, v_h + T.int64(2), v_e - T.int64(1)]), where={freq: T.Cast("float32", lv6[v_r]) / T.pow(T.float32(10000.0), T.Cast("float32", v_e % T.int64(4) // T.int64(2) * T.int64(2)) / T.float32(4.0))})
        for r, h, e in T.grid(b, T.int64(1), T.int64(4)):
            with T.sblock("v"):
                v_r, v_h, v_e = T.axis.remap("SSS", [r, h, e])
                T.reads(reshape14[v_r, v_h + T.int64(3), v_e])
                T.writes(v[v_r, v_h, v_e])
                v[v_r, v_h, v_e] = reshape14[v_r, v_h + T.int64(3), v_e]

    @R.function
    def decode(ids: R.Tensor((b, 1), dtype="int32"), k0: R.Tensor((b, t, 1, 4), dtype="float32"), v0: R.Tensor((b, t, 1, 4), dtype="float32"), k1: R.Tensor((b, t, 1, 4), dtype="float32"), v1: R.Tensor((b, t, 1, 4), dtype="float32"), embed_weight: R.Tensor((13, 8), dtype="float32"), layers_0_norm1_weight: R.Tensor((8,), dtype="float32"), layers_0_norm2_weight: R.Tensor((8,), dtype="float32"), layers_0_qkv_weight: R.Tensor((16, 8), dtype="float32"), layers_0_o_weight: R.Tensor((8, 8), dtype="float32"), layers_0_gate_weight: R.Tensor((12, 8), dtype="float32"), layers_0_up_weight: R.Tensor((12, 8), dtype="float32"), layers_0_down_weight: R.Tensor((8, 12), dtype="float32"), layers_1_norm1_weight: R.Tensor((8,), dtype="float32"), layers_1_norm2_weight: R.Tensor((8,), dtype="float32"), layers_1_qkv_weight: R.Tensor((16, 8), dtype="float32"), layers_1_o_weight: R.Tensor((8, 8), dtype="float32"), layers_1_gate_weight: R.Tensor((12, 8), dtype="float32"), layers_1_up_weight: R.Tensor((12, 8), dtype="float32"), layers_1_down_weight: R.Tensor((8, 12), dtype="float32"), norm_weight: R.Tensor((8,), dtype="float32")) -> R.Tuple(R.Tensor((b, 1, 13), dtype="float32"), R.Tensor((b, "t + 1", 1, 4), dtype="float32"), R.Tensor((b, "t + 1", 1, 4), dtype="float32"), R.Tensor((b, "t + 1", 1, 4), dtype="float32"), R.Tensor((b, "t + 1", 1, 4), dtype="float32")):
        R.func_attr({"num_input": 5, "tir_var_lower_bound": {"b": 1, "t": 1}, "tir_var_upper_bound": {"b": 64, "t": 256}})
        cls = Module
        with R.dataflow():
            lv5 = R.call_tir(cls.mask1, (t,), out_ty=R.Tensor((b, 1, 1, 1 + t), dtype="float32"))
            lv6 = R.call_tir(cls.positions1, (t,), out_ty=R.Tensor((b,), dtype="int32"))
            reshape12: R.Tensor((b,), dtype="int32") = R.reshape(ids, R.shape([b]))
            take1: R.Tensor((b, 8), dtype="float32") = R.take(embed_weight, reshape12, axis=0, mode="fast")
            reshape13: R.Tensor((b, 1, 8), dtype="float32") = R.reshape(take1, R.shape([b, 1, 8]))
            mul5: R.Tensor((b, 1, 8), dtype="float32") = R.multiply(reshape13, R.const(2.8284270763397217, "float32"))
            add11: R.Tensor((8,), dtype="float32") = R.add(layers_0_norm1_weight, R.const(1.0, "float32"))
            rms_norm5: R.Tensor((b, 1, 8), dtype="float32") = R.nn.rms_norm(mul5, add11, axes=[-1], epsilon=9.9999999999999995e-07)
            permute_dims21: R.Tensor((8, 16), dtype="float32") = R.permute_dims(layers_0_qkv_weight, axes=None)
            matmul15: R.Tensor((b, 1, 16), dtype="float32") = R.matmul(rms_norm5, permute_dims21, out_dtype=None)
            reshape14: R.Tensor((b, 4, 4), dtype="float32") = R.reshape(matmul15, R.shape([b, 4, 4]))
            lv7 = R.call_tir(cls.rope1, (reshape14, lv6), out_ty=[R.Tensor((b, 2, 4), dtype="float32"), R.Tensor((b, 1, 4), dtype="float32"), R.Tensor((b, 1, 4), dtype="float32")])
            rope_02: R.Tensor((b, 2, 4), dtype="float32") = lv7[0]
            rope_12: R.Tensor((b, 1, 4), dtype="float32") = lv7[1]
            rope_22: R.Tensor((b, 1, 4), dtype="float32") = lv7[2]
            reshape15: R.Tensor((b, 1, 2, 4), dtype="float32") = R.reshape(rope_02, R.shape([b, 1, 2, 4]))
            reshape16: R.Tensor((b, 1, 1, 4), dtype="float32") = R.reshape(rope_12, R.shape([b, 1, 1, 4]))
            reshape17: R.Tensor((b, 1, 1, 4), dtype="float32") = R.reshape(rope_22, R.shape([b, 1, 1, 4]))
            concat: R.Tensor((b, t + 1, 1, 4), dtype="float32") = R.concat((k0, reshape16), axis=1)
            concat1: R.Tensor((b, t + 1, 1, 4), dtype="float32") = R.concat((v0, reshape17), axis=1)
            permute_dims22: R.Tensor((b, 1, t + 1, 4), dtype="float32") = R.permute_dims(concat, axes=[0, 2, 1, 3])
            repeat4: R.Tensor((b, 2, t + 1, 4), dtype="float32") = R.repeat(permute_dims22, repeats=2, axis=1)
            permute_dims23: R.Tensor((b, 1, t + 1, 4), dtype="float32") = R.permute_dims(concat1, axes=[0, 2, 1, 3])
            repeat5: R.Tensor((b, 2, t + 1, 4), dtype="float32") = R.repeat(permute_dims23, repeats=2, axis=1)
            permute_dims24: R.Tensor((b, 2, 1, 4), dtype="float32") = R.permute_dims(reshape15, axes=[0, 2, 1, 3])
            permute_dims25: R.Tensor((b, 2, 4, t + 1), dtype="float32") = R.permute_dims(repeat4, axes=[0, 1, 3, 2])
            matmul16: R.Tensor((b, 2, 1, t + 1), dtype="float32") = R.matmul(permute_dims24, permute_dims25, out_dtype=None)
            mul6: R.Tensor((b, 2, 1, t + 1), dtype="float32") = R.multiply(matmul16, R.const(0.5, "float32"))
            add12: R.Tensor((b, 2, 1, t + 1), dtype="float32") = R.add(mul6, lv5)
            softmax2: R.Tensor((b, 2, 1, t + 1), dtype="float32") = R.nn.softmax(add12, axis=-1)
            matmul17: R.Tensor((b, 2, 1, 4), dtype="float32") = R.matmul(softmax2, repeat5, out_dtype=None)
            permute_dims26: R.Tensor((b, 1, 2, 4), dtype="float32") = R.permute_dims(matmul17, axes=[0, 2, 1, 3])
            reshape18: R.Tensor((b, 1, 8), dtype="float32") = R.reshape(permute_dims26, R.shape([b, 1, 8]))
            permute_dims27: R.Tensor((8, 8), dtype="float32") = R.permute_dims(layers_0_o_weight, axes=None)
            matmul18: R.Tensor((b, 1, 8), dtype="float32") = R.matmul(reshape18, permute_dims27, out_dtype=None)
            add13: R.Tensor((b, 1, 8), dtype="float32") = R.add(mul5, matmul18)
            add14: R.Tensor((8,), dtype="float32") = R.add(layers_0_norm2_weight, R.const(1.0, "float32"))
            rms_norm6: R.Tensor((b, 1, 8), dtype="float32") = R.nn.rms_norm(add13, add14, axes=[-1], epsilon=9.9999999999999995e-07)
            permute_dims28: R.Tensor((8, 12), dtype="float32") = R.permute_dims(layers_0_gate_weight, axes=None)
            matmul19: R.Tensor((b, 1, 12), dtype="float32") = R.matmul(rms_norm6, permute_dims28, out_dtype=None)
            gelu2: R.Tensor((b, 1, 12), dtype="float32") = R.nn.gelu_tanh(matmul19)
            permute_dims29: R.Tensor((8, 12), dtype="float32") = R.permute_dims(layers_0_up_weight, axes=None)
            matmul20: R.Tensor((b, 1, 12), dtype="float32") = R.matmul(rms_norm6, permute_dims29, out_dtype=None)
            mul7: R.Tensor((b, 1, 12), dtype="float32") = R.multiply(gelu2, matmul20)
            permute_dims30: R.Tensor((12, 8), dtype="float32") = R.permute_dims(layers_0_down_weight, axes=None)
            matmul21: R.Tensor((b, 1, 8), dtype="float32") = R.matmul(mul7, permute_dims30, out_dtype=None)
            add15: R.Tensor((b, 1, 8), dtype="float32") = R.add(add13, matmul21)
            add16: R.Tensor((8,), dtype="float32") = R.add(layers_1_norm1_weight, R.const(1.0, "float32"))
            rms_norm7: R.Tensor((b, 1, 8), dtype="float32") = R.nn.rms_norm(add15, add16, axes=[-1], epsilon=9.9999999999999995e-07)
            permute_dims31: R.Tensor((8, 16), dtype="float32") = R.permute_dims(layers_1_qkv_weight, axes=None)
            matmul22: R.Tensor((b, 1, 16), dtype="float32") = R.matmul(rms_norm7, permute_dims31, out_dtype=None)
            reshape19: R.Tensor((b, 4, 4), dtype="float32") = R.reshape(matmul22, R.shape([b, 4, 4]))
            lv8 = R.call_tir(cls.rope1, (reshape19, lv6), out_ty=[R.Tensor((b, 2, 4), dtype="float32"), R.Tensor((b, 1, 4), dtype="float32"), R.Tensor((b, 1, 4), dtype="float32")])
            rope_03: R.Tensor((b, 2, 4), dtype="float32") = lv8[0]
            rope_13: R.Tensor((b, 1, 4), dtype="float32") = lv8[1]
            rope_23: R.Tensor((b, 1, 4), dtype="float32") = lv8[2]
            reshape20: R.Tensor((b, 1, 2, 4), dtype="float32") = R.reshape(rope_03, R.shape([b, 1, 2, 4]))
            reshape21: R.Tensor((b, 1, 1, 4), dtype="float32") = R.reshape(rope_13, R.shape([b, 1, 1, 4]))
            reshape22: R.Tensor((b, 1, 1, 4), dtype="float32") = R.reshape(rope_23, R.shape([b, 1, 1, 4]))
            concat2: R.Tensor((b, t + 1, 1, 4), dtype="float32") = R.concat((k1, reshape21), axis=1)
            concat3: R.Tensor((b, t + 1, 1, 4), dtype="float32") = R.concat((v1, reshape22), axis=1)
            permute_dims32: R.Tensor((b, 1, t + 1, 4), dtype="float32") = R.permute_dims(concat2, axes=[0, 2, 1, 3])
            repeat6: R.Tensor((b, 2, t + 1, 4), dtype="float32") = R.repeat(permute_dims32, repeats=2, axis=1)
            permute_dims33: R.Tensor((b, 1, t + 1, 4), dtype="float32") = R.permute_dims(concat3, axes=[0, 2, 1, 3])
            repeat7: R.Tensor((b, 2, t + 1, 4), dtype="float32") = R.repeat(permute_dims33, repeats=2, axis=1)
            permute_dims34: R.Tensor((b, 2, 1, 4), dtype="float32") = R.permute_dims(reshape20, axes=[0, 2, 1, 3])
            permute_dims35: R.Tensor((b, 2, 4, t + 1), dtype="float32") = R.permute_dims(repeat6, axes=[0, 1, 3, 2])
            matmul23: R.Tensor((b, 2, 1, t + 1), dtype="float32") = R.matmul(permute_dims34, permute_dims35, out_dtype=None)
            mul8: R.Tensor((b, 2, 1, t + 1), dtype="float32") = R.multiply(matmul23, R.const(0.5, "float32"))
            add17: R.Tensor((b, 2, 1, t + 1), dtype="float32") = R.add(mul8, lv5)
            softmax3: R.Tensor((b, 2, 1, t + 1), dtype="float32") = R.nn.softmax(add17, axis=-1)
            matmul24: R.Tensor((b, 2, 1, 4), dtype="float32") = R.matmul(softmax3, repeat7, out_dtype=None)
            permute_dims36: R.Tensor((b, 1, 2, 4), dtype="float32") = R.permute_dims(matmul24, axes=[0, 2, 1, 3])
            reshape23: R.Tensor((b, 1, 8), dtype="float32") = R.reshape(permute_dims36, R.shape([b, 1, 8]))
            permute_dims37: R.Tensor((8, 8), dtype="float32") = R.permute_dims(layers_1_o_weight, axes=None)
            matmul25: R.Tensor((b, 1, 8), dtype="float32") = R.matmul(reshape23, permute_dims37, out_dtype=None)
            add18: R.Tensor((b, 1, 8), dtype="float32") = R.add(add15, matmul25)
            add19: R.Tensor((8,), dtype="float32") = R.add(layers_1_norm2_weight, R.const(1.0, "float32"))
            rms_norm8: R.Tensor((b, 1, 8), dtype="float32") = R.nn.rms_norm(add18, add19, axes=[-1], epsilon=9.9999999999999995e-07)
            permute_dims38: R.Tensor((8, 12), dtype="float32") = R.permute_dims(layers_1_gate_weight, axes=None)
            matmul26: R.Tensor((b, 1, 12), dtype="float32") = R.matmul(rms_norm8, permute_dims38, out_dtype=None)
            gelu3: R.Tensor((b, 1, 12), dtype="float32") = R.nn.gelu_tanh(matmul26)
            permute_dims39: R.Tensor((8, 12), dtype="float32") = R.permute_dims(layers_1_up_weight, axes=None)
            matmul27: R.Tensor((b, 1, 12), dtype="float32") = R.matmul(rms_norm8, permute_dims39, out_dtype=None)
            mul9: R.Tensor((b, 1, 12), dtype="float32") = R.multiply(gelu3, matmul27)
            permute_dims40: R.Tensor((12, 8), dtype="float32") = R.permute_dims(layers_1_down_weight, axes=None)
            matmul28: R.Tensor((b, 1, 8), dtype="float32") = R.matmul(mul9, permute_dims40, out_dtype=None)
            add20: R.Tensor((b, 1, 8), dtype="float32") = R.add(add18, matmul28)
            lv9 = R.call_tir(cls.last1, (add20,), out_ty=R.Tensor((b, 1, 8), dtype="float32"))
            add21: R.Tensor((8,), dtype="float32") = R.add(norm_weight, R.const(1.0, "float32"))
            rms_norm9: R.Tensor((b, 1, 8), dtype="float32") = R.nn.rms_norm(lv9, add21, axes=[-1], epsilon=9.9999999999999995e-07)
            permute_dims41: R.Tensor((8, 13), dtype="float32") = R.permute_dims(embed_weight, axes=[1, 0])
            matmul29: R.Tensor((b, 1, 13), dtype="float32") = R.matmul(rms_norm9, permute_dims41, out_dtype=None)
            gv1: R.Tuple(R.Tensor((b, 1, 13), dtype="float32"), R.Tensor((b, t + 1, 1, 4), dtype="float32"), R.Tensor((b, t + 1, 1, 4), dtype="float32"), R.Tensor((b, t + 1, 1, 4), dtype="float32"), R.Tensor((b, t + 1, 1, 4), dtype="float32")) = matmul29, concat, concat1, concat2, concat3
            R.output(gv1)
        return gv1

    @R.function
    def prefill(ids: R.Tensor((b, n), dtype="int32"), embed_weight: R.Tensor((13, 8), dtype="float32"), layers_0_norm1_weight: R.Tensor((8,), dtype="float32"), layers_0_norm2_weight: R.Tensor((8,), dtype="float32"), layers_0_qkv_weight: R.Tensor((16, 8), dtype="float32"), layers_0_o_weight: R.Tensor((8, 8), dtype="float32"), layers_0_gate_weight: R.Tensor((12, 8), dtype="float32"), layers_0_up_weight: R.Tensor((12, 8), dtype="float32"), layers_0_down_weight: R.Tensor((8, 12), dtype="float32"), layers_1_norm1_weight: R.Tensor((8,), dtype="float32"), layers_1_norm2_weight: R.Tensor((8,), dtype="float32"), layers_1_qkv_weight: R.Tensor((16, 8), dtype="float32"), layers_1_o_weight: R.Tensor((8, 8), dtype="float32"), layers_1_gate_weight: R.Tensor((12, 8), dtype="float32"), layers_1_up_weight: R.Tensor((12, 8), dtype="float32"), layers_1_down_weight: R.Tensor((8, 12), dtype="float32"), norm_weight: R.Tensor((8,), dtype="float32")) -> R.Tuple(R.Tensor((b, 1, 13), dtype="float32"), R.Tensor((b, n, 1, 4), dtype="float32"), R.Tensor((b, n, 1, 4), dtype="float32"), R.Tensor((b, n, 1, 4), dtype="float32"), R.Tensor((b, n, 1, 4), dtype="float32")):
        R.func_attr({"num_input": 1, "tir_var_lower_bound": {"b": 1, "n": 1}, "tir_var_upper_bound": {"b": 2, "n": 1024}})
        cls = Module
        with R.dataflow():
            lv = R.call_tir(cls.mask, R.tuple(), out_ty=R.Tensor((b, 1, n, n), dtype="float32"))
            lv1 = R.call_tir(cls.positions, (b, n), out_ty=R.Tensor((b * n,), dtype="int32"))
            reshape: R.Tensor((b * n,), dtype="int32") = R.reshape(ids, R.shape([b * n]))
            take: R.Tensor((b * n, 8), dtype="float32") = R.take(embed_weight, reshape, axis=0, mode="fast")
            reshape1: R.Tensor((b, n, 8), dtype="float32") = R.reshape(take, R.shape([b, n, 8]))
            mul: R.Tensor((b, n, 8), dtype="float32") = R.multiply(reshape1, R.const(2.8284270763397217, "float32"))
            add: R.Tensor((8,), dtype="float32") = R.add(layers_0_norm1_weight, R.const(1.0, "float32"))
            rms_norm: R.Tensor((b, n, 8), dtype="float32") = R.nn.rms_norm(mul, add, axes=[-1], epsilon=9.9999999999999995e-07)
            permute_dims: R.Tensor((8, 16), dtype="float32") = R.permute_dims(layers_0_qkv_weight, axes=None)
            matmul: R.Tensor((b, n, 16), dtype="float32") = R.matmul(rms_norm, permute_dims, out_dtype=None)
            reshape2: R.Tensor((b * n, 4, 4), dtype="float32") = R.reshape(matmul, R.shape([b * n, 4, 4]))
            lv2 = R.call_tir(cls.rope, (reshape2, lv1, b, n), out_ty=[R.Tensor((b * n, 2, 4), dtype="float32"), R.Tensor((b * n, 1, 4), dtype="float32"), R.Tensor((b * n, 1, 4), dtype="float32")])
            rope_0: R.Tensor((b * n, 2, 4), dtype="float32") = lv2[0]
            rope_1: R.Tensor((b * n, 1, 4), dtype="float32") = lv2[1]
            rope_2: R.Tensor((b * n, 1, 4), dtype="float32") = lv2[2]
            reshape3: R.Tensor((b, n, 2, 4), dtype="float32") = R.reshape(rope_0, R.shape([b, n, 2, 4]))
            reshape4: R.Tensor((b, n, 1, 4), dtype="float32") = R.reshape(rope_1, R.shape([b, n, 1, 4]))
            reshape5: R.Tensor((b, n, 1, 4), dtype="float32") = R.reshape(rope_2, R.shape([b, n, 1, 4]))
            permute_dims1: R.Tensor((b, 1, n, 4), dtype="float32") = R.permute_dims(reshape4, axes=[0, 2, 1, 3])
            repeat: R.Tensor((b, 2, n, 4), dtype="float32") = R.repeat(permute_dims1, repeats=2, axis=1)
            permute_dims2: R.Tensor((b, 1, n, 4), dtype="float32") = R.permute_dims(reshape5, axes=[0, 2, 1, 3])
            repeat1: R.Tensor((b, 2, n, 4), dtype="float32") = R.repeat(permute_dims2, repeats=2, axis=1)
            permute_dims3: R.Tensor((b, 2, n, 4), dtype="float32") = R.permute_dims(reshape3, axes=[0, 2, 1, 3])
            permute_dims4: R.Tensor((b, 2, 4, n), dtype="float32") = R.permute_dims(repeat, axes=[0, 1, 3, 2])
            matmul1: R.Tensor((b, 2, n, n), dtype="float32") = R.matmul(permute_dims3, permute_dims4, out_dtype=None)
            mul1: R.Tensor((b, 2, n, n), dtype="float32") = R.multiply(matmul1, R.const(0.5, "float32"))
            add1: R.Tensor((b, 2, n, n), dtype="float32") = R.add(mul1, lv)
            softmax: R.Tensor((b, 2, n, n), dtype="float32") = R.nn.softmax(add1, axis=-1)
            matmul2: R.Tensor((b, 2, n, 4), dtype="float32") = R.matmul(softmax, repeat1, out_dtype=None)
            permute_dims5: R.Tensor((b, n, 2, 4), dtype="float32") = R.permute_dims(matmul2, axes=[0, 2, 1, 3])
            reshape6: R.Tensor((b, n, 8), dtype="float32") = R.reshape(permute_dims5, R.shape([b, n, 8]))
            permute_dims6: R.Tensor((8, 8), dtype="float32") = R.permute_dims(layers_0_o_weight, axes=None)
            matmul3: R.Tensor((b, n, 8), dtype="float32") = R.matmul(reshape6, permute_dims6, out_dtype=None)
            add2: R.Tensor((b, n, 8), dtype="float32") = R.add(mul, matmul3)
            add3: R.Tensor((8,), dtype="float32") = R.add(layers_0_norm2_weight, R.const(1.0, "float32"))
            rms_norm1: R.Tensor((b, n, 8), dtype="float32") = R.nn.rms_norm(add2, add3, axes=[-1], epsilon=9.9999999999999995e-07)
            permute_dims7: R.Tensor((8, 12), dtype="float32") = R.permute_dims(layers_0_gate_weight, axes=None)
            matmul4: R.Tensor((b, n, 12), dtype="float32") = R.matmul(rms_norm1, permute_dims7, out_dtype=None)
            gelu: R.Tensor((b, n, 12), dtype="float32") = R.nn.gelu_tanh(matmul4)
            permute_dims8: R.Tensor((8, 12), dtype="float32") = R.permute_dims(layers_0_up_weight, axes=None)
            matmul5: R.Tensor((b, n, 12), dtype="float32") = R.matmul(rms_norm1, permute_dims8, out_dtype=None)
            mul2: R.Tensor((b, n, 12), dtype="float32") = R.multiply(gelu, matmul5)
            permute_dims9: R.Tensor((12, 8), dtype="float32") = R.permute_dims(layers_0_down_weight, axes=None)
            matmul6: R.Tensor((b, n, 8), dtype="float32") = R.matmul(mul2, permute_dims9, out_dtype=None)
            add4: R.Tensor((b, n, 8), dtype="float32") = R.add(add2, matmul6)
            add5: R.Tensor((8,), dtype="float32") = R.add(layers_1_norm1_weight, R.const(1.0, "float32"))
            rms_norm2: R.Tensor((b, n, 8), dtype="float32") = R.nn.rms_norm(add4, add5, axes=[-1], epsilon=9.9999999999999995e-07)
            permute_dims10: R.Tensor((8, 16), dtype="float32") = R.permute_dims(layers_1_qkv_weight, axes=None)
            matmul7: R.Tensor((b, n, 16), dtype="float32") = R.matmul(rms_norm2, permute_dims10, out_dtype=None)
            reshape7: R.Tensor((b * n, 4, 4), dtype="float32") = R.reshape(matmul7, R.shape([b * n, 4, 4]))
            lv3 = R.call_tir(cls.rope, (reshape7, lv1, b, n), out_ty=[R.Tensor((b * n, 2, 4), dtype="float32"), R.Tensor((b * n, 1, 4), dtype="float32"), R.Tensor((b * n, 1, 4), dtype="float32")])
            rope_01: R.Tensor((b * n, 2, 4), dtype="float32") = lv3[0]
            rope_11: R.Tensor((b * n, 1, 4), dtype="float32") = lv3[1]
            rope_21: R.Tensor((b * n, 1, 4), dtype="float32") = lv3[2]
            reshape8: R.Tensor((b, n, 2, 4), dtype="float32") = R.reshape(rope_01, R.shape([b, n, 2, 4]))
            reshape9: R.Tensor((b, n, 1, 4), dtype="float32") = R.reshape(rope_11, R.shape([b, n, 1, 4]))
            reshape10: R.Tensor((b, n, 1, 4), dtype="float32") = R.reshape(rope_21, R.shape([b, n, 1, 4]))
            permute_dims11: R.Tensor((b, 1, n, 4), dtype="float32") = R.permute_dims(reshape9, axes=[0, 2, 1, 3])
            repeat2: R.Tensor((b, 2, n, 4), dtype="float32") = R.repeat(permute_dims11, repeats=2, axis=1)
            permute_dims12: R.Tensor((b, 1, n, 4), dtype="float32") = R.permute_dims(reshape10, axes=[0, 2, 1, 3])
            repeat3: R.Tensor((b, 2, n, 4), dtype="float32") = R.repeat(permute_dims12, repeats=2, axis=1)
            permute_dims13: R.Tensor((b, 2, n, 4), dtype="float32") = R.permute_dims(reshape8, axes=[0, 2, 1, 3])
            permute_dims14: R.Tensor((b, 2, 4, n), dtype="float32") = R.permute_dims(repeat2, axes=[0, 1, 3, 2])
            matmul8: R.Tensor((b, 2, n, n), dtype="float32") = R.matmul(permute_dims13, permute_dims14, out_dtype=None)
            mul3: R.Tensor((b, 2, n, n), dtype="float32") = R.multiply(matmul8, R.const(0.5, "float32"))
            add6: R.Tensor((b, 2, n, n), dtype="float32") = R.add(mul3, lv)
            softmax1: R.Tensor((b, 2, n, n), dtype="float32") = R.nn.softmax(add6, axis=-1)
            matmul9: R.Tensor((b, 2, n, 4), dtype="float32") = R.matmul(softmax1, repeat3, out_dtype=None)
            permute_dims15: R.Tensor((b, n, 2, 4), dtype="float32") = R.permute_dims(matmul9, axes=[0, 2, 1, 3])
            reshape11: R.Tensor((b, n, 8), dtype="float32") = R.reshape(permute_dims15, R.shape([b, n, 8]))
            permute_dims16: R.Tensor((8, 8), dtype="float32") = R.permute_dims(layers_1_o_weight, axes=None)
            matmul10: R.Tensor((b, n, 8), dtype="float32") = R.matmul(reshape11, permute_dims16, out_dtype=None)
            add7: R.Tensor((b, n, 8), dtype="float32") = R.add(add4, matmul10)
            add8: R.Tensor((8,), dtype="float32") = R.add(layers_1_norm2_weight, R.const(1.0, "float32"))
            rms_norm3: R.Tensor((b, n, 8), dtype="float32") = R.nn.rms_norm(add7, add8, axes=[-1], epsilon=9.9999999999999995e-07)
            permute_dims17: R.Tensor((8, 12), dtype="float32") = R.permute_dims(layers_1_gate_weight, axes=None)
            matmul11: R.Tensor((b, n, 12), dtype="float32") = R.matmul(rms_norm3, permute_dims17, out_dtype=None)
            gelu1: R.Tensor((b, n, 12), dtype="float32") = R.nn.gelu_tanh(matmul11)
            permute_dims18: R.Tensor((8, 12), dtype="float32") = R.permute_dims(layers_1_up_weight, axes=None)
            matmul12: R.Tensor((b, n, 12), dtype="float32") = R.matmul(rms_norm3, permute_dims18, out_dtype=None)
            mul4: R.Tensor((b, n, 12), dtype="float32") = R.multiply(gelu1, matmul12)
            permute_dims19: R.Tensor((12, 8), dtype="float32") = R.permute_dims(layers_1_down_weight, axes=None)
            matmul13: R.Tensor((b, n, 8), dtype="float32") = R.matmul(mul4, permute_dims19, out_dtype=None)
            add9: R.Tensor((b, n, 8), dtype="float32") = R.add(add7, matmul13)
            lv4 = R.call_tir(cls.last, (add9,), out_ty=R.Tensor((b, 1, 8), dtype="float32"))
            add10: R.Tensor((8,), dtype="float32") = R.add(norm_weight, R.const(1.0, "float32"))
            rms_norm4: R.Tensor((b, 1, 8), dtype="float32") = R.nn.rms_norm(lv4, add10, axes=[-1], epsilon=9.9999999999999995e-07)
            permute_dims20: R.Tensor((8, 13), dtype="float32") = R.permute_dims(embed_weight, axes=[1, 0])
            matmul14: R.Tensor((b, 1, 13), dtype="float32") = R.matmul(rms_norm4, permute_dims20, out_dtype=None)
            gv: R.Tuple(R.Tensor((b, 1, 13), dtype="float32"), R.Tensor((b, n, 1, 4), dtype="float32"), R.Tensor((b, n, 1, 4), dtype="float32"), R.Tensor((b, n, 1, 4), dtype="float32"), R.Tensor((b, n, 1, 4), dtype="float32")) = matmul14, reshape4, reshape5, reshape9, reshape10
            R.output(gv)
        return gv
