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
    def decode_q3(layers_0_qkv_words: T.Buffer((T.int64(24), T.int64(2)), "uint32"), layers_0_qkv_scale: T.Buffer((T.int64(24), T.int64(2)), "float32"), decode: T.Buffer((T.int64(24), T.int64(12)), "float32")):
        T.func_attr({"tirx.noalias": True})
        # with T.sblock("root"):
        for i, j in T.grid(T.int64(24), T.int64(12)):
            with T.sblock("decode"):
                v_i, v_j = T.axis.remap("SS", [i, j])
                T.reads(layers_0_qkv_words[v_i, v_j // T.int64(10)], layers_0_qkv_scale[v_i, v_j // T.int64(10)])
                T.writes(decode[v_i, v_j])
                decode[v_i, v_j] = (T.Cast("float32", layers_0_qkv_words[v_i, v_j // T.int64(10)] >> T.Cast("uint32", v_j % T.int64(10) * T.int64(3)) & T.uint32(7)) - T.float32(3.0)) * layers_0_qkv_scale[v_i, v_j // T.int64(10)]

    @T.prim_func(private=True, s_tir=True)
    def decode_q31(layers_0_o_words: T.Buffer((T.int64(12), T.int64(1)), "uint32"), layers_0_o_scale: T.Buffer((T.int64(12), T.int64(1)), "float32"), decode: T.Buffer((T.int64(12), T.int64(8)), "float32")):
        T.func_attr({"tirx.noalias": True})
        # with T.sblock("root"):
        for i, j in T.grid(T.int64(12), T.int64(8)):
            with T.sblock("decode"):
                v_i, v_j = T.axis.remap("SS", [i, j])
                T.reads(layers_0_o_words[v_i, v_j // T.int64(10)], layers_0_o_scale[v_i, v_j // T.int64(10)])
                T.writes(decode[v_i, v_j])
                decode[v_i, v_j] = (T.Cast("float32", layers_0_o_words[v_i, v_j // T.int64(10)] >> T.Cast("uint32", v_j % T.int64(10) * T.int64(3)) & T.uint32(7)) - T.float32(3.0)) * layers_0_o_scale[v_i, v_j // T.int64(10)]

    @T.prim_func(private=True, s_tir=True)
    def decode_q32(layers_0_up_words: T.Buffer((T.int64(40), T.int64(2)), "uint32"), layers_0_up_scale: T.Buffer((T.int64(40), T.int64(2)), "float32"), decode: T.Buffer((T.int64(40), T.int64(12)), "float32")):
        T.func_attr({"tirx.noalias": True})
        # with T.sblock("root"):
        for i, j in T.grid(T.int64(40), T.int64(12)):
            with T.sblock("decode"):
                v_i, v_j = T.axis.remap("SS", [i, j])
                T.reads(layers_0_up_words[v_i, v_j // T.int64(10)], layers_0_up_scale[v_i, v_j // T.int64(10)])
                T.writes(decode[v_i, v_j])
                decode[v_i, v_j] = (T.Cast("float32", layers_0_up_words[v_i, v_j // T.int64(10)] >> T.Cast("uint32", v_j % T.int64(10) * T.int64(3)) & T.uint32(7)) - T.float32(3.0)) * layers_0_up_scale[v_i, v_j // T.int64(10)]

    @T.prim_func(private=True, s_tir=True)
    def decode_q33(layers_0_down_words: T.Buffer((T.int64(12), T.int64(2)), "uint32"), layers_0_down_scale: T.Buffer((T.int64(12), T.int64(2)), "float32"), decode: T.Buffer((T.int64(12), T.int64(20)), "float32")):
        T.func_attr({"tirx.noalias": True})
        # with T.sblock("root"):
        for i, j in T.grid(T.int64(12), T.int64(20)):
            with T.sblock("decode"):
                v_i, v_j = T.axis.remap("SS", [i, j])
                T.reads(layers_0_down_words[v_i, v_j // T.int64(10)], layers_0_down_scale[v_i, v_j // T.int64(10)])
                T.writes(decode[v_i, v_j])
                decode[v_i, v_j] = (T.Cast("float32", layers_0_down_words[v_i, v_j // T.int64(10)] >> T.Cast("uint32", v_j % T.int64(10) * T.int64(3)) & T.uint32(7)) - T.float32(3.0)) * layers_0_down_scale[v_i, v_j // T.int64(10)]

    @T.prim_func(private=True, s_tir=True)
    def decode_q34(head_words: T.Buffer((T.int64(13), T.int64(2)), "uint32"), head_scale: T.Buffer((T.int64(13), T.int64(2)), "float32"), decode: T.Buffer((T.int64(13), T.int64(12)), "float32")):
        T.func_attr({"tirx.noalias": True})
        # with T.sblock("root"):
        for i, j in T.grid(T.int64(13), T.int64(12)):
            with T.sblock("decode"):
                v_i, v_j = T.axis.remap("SS", [i, j])
                T.reads(head_words[v_i, v_j // T.int64(10)], head_scale[v_i, v_j // T.int64(10)])
                T.writes(decode[v_i, v_j])
                decode[v_i, v_j] = (T.Cast("float32", head_words[v_i, v_j // T.int64(10)] >> T.Cast("uint32", v_j % T.int64(10) * T.int64(3)) & T.uint32(7)) - T.float32(3.0)) * head_scale[v_i, v_j // T.int64(10)]

    @T.prim_func(private=True, s_tir=True)
    def last(add7: T.Buffer((b, n, T.int64(12)), "float32"), compute: T.Buffer((b, T.int64(1), T.int64(12)), "float32")):
        T.func_attr({"tirx.noalias": True})
        # with T.sblock("root"):
        for s, _, k in T.grid(b, T.int64(1), T.int64(12)):
            with T.sblock("compute"):
                v_s, v__, v_k = T.axis.remap("SSS", [s, _, k])
                T.reads(add7[v_s, n - T.int64(1), v_k])
                T.writes(compute[v_s, v__, v_k])
                compute[v_s, v__, v_k] = add7[v_s, n - T.int64(1), v_k]

    @T.prim_func(private=True, s_tir=True)
    def last1(add15: T.Buffer((b, T.int64(1), T.int64(12)), "float32"), compute: T.Buffer((b, T.int64(1), T.int64(12)), "float32")):
        T.func_attr({"tirx.noalias": True})
        # with T.sblock("root"):
        for s, _, k in T.grid(b, T.int64(1), T.int64(12)):
            with T.sblock("compute"):
                v_s, v__, v_k = T.axis.remap("SSS", [s, _, k])
                T.reads(add15[v_s, T.int64(0), v_k])
                T.writes(compute[v_s, v__, v_k])
                compute[v_s, v__, v_k] = add15[v_s, T.int64(0), v_k]

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
    def rope(reshape2: T.Buffer(("b * n", T.int64(6), T.int64(4)), "float32"), lv1: T.Buffer((b * n,), "int32"), b: T.int64, n: T.int64, q: T.Buffer((b * n, T.int64(2), T.int64(4)), "float32"), k: T.Buffer((b * n, T.int64(2), T.int64(4)), "float32"), v: T.Buffer((b * n, T.int64(2), T.int64(4)), "float32")):
        T.func_attr({"tirx.noalias": True})
        # with T.sblock("root"):
        for r, h, e in T.grid(b * n, T.int64(2), T.int64(4)):
            with T.sblock("q"):
                v_r, v_h, v_e = T.axis.remap("SSS", [r, h, e])
                T.reads(lv1[v_r], reshape2[v_r, v_h, v_e - T.int64(2):v_e - T.int64(2) + T.int64(5)])
                T.writes(q[v_r, v_h, v_e])
                orig_freq = T.float32()
                smoothed_freq = T.float32()
                q[v_r, v_h, v_e] = T.Let(T.Let(T.cos(smoothed_freq) * reshape2[v_r, v_h, v_e] + T.sin(smoothed_freq) * T.if_then_else(v_e < T.int64(2), reshape2[v_r, v_h, v_e + T.int64(2)] * T.float32(-1.0), reshape2[v_r, v_h, v_e - T.int64(2)]), where={smoothed_freq: T.Cast("float32", lv1[v_r]) * ((T.float32(1.0) - T.max(T.float32(0.0), T.min(T.float32(1.0), T.float32(3.3953054526271007) * orig_freq - T.float32(0.33333333333333331)))) * orig_freq * T.float32(0.125) + T.max(T.float32(0.0), T.min(T.float32(1.0), T.float32(3.3953054526271007) * orig_freq - T.float32(0.33333333333333331))) * orig_freq)}), where={orig_freq: T.float32(1.0) / T.pow(T.float32(10000.0), T.Cast("float32", v_e % T.int64(2) * T.int64(2)) / T.float32(4.0))})
        for r, h, e in T.grid(b * n, T.int64(2), T.int64(4)):
            with T.sblock("k"):
                v_r, v_h, v_e = T.axis.remap("SSS", [r, h, e])
                T.reads(lv1[v_r], reshape2[v_r, v_h + T.int64(2), v_e - T.int64(2):v_e - T.int64(2) + T.int64(5)])
                T.writes(k[v_r, v_h, v_e])
                orig_freq = T.float32()
                smoothed_freq = T.float32()
                k[v_r, v_h, v_e] = T.Let(T.Let(T.cos(smoothed_freq) * reshape2[v_r, v_h + T.int64(2), v_e] + T.sin(smoothed_freq) * T.if_then_else(v_e < T.int64(2), reshape2[v_r, v_h + T.int64(2), v_e + T.int64(2)] * T.float32(-1.0), reshape2[v_r, v_h + T.int64(2), v_e - T.int64(2)]), where={smoothed_freq: T.Cast("float32", lv1[v_r]) * ((T.float32(1.0) - T.max(T.float32(0.0), T.min(T.float32(1.0), T.float32(3.3953054526271007) * orig_freq - T.float32(0.33333333333333331)))) * orig_freq * T.float32(0.125) + T.max(T.float32(0.0), T.min(T.float32(1.0), T.float32(3.3953054526271007) * orig_freq - T.float32(0.33333333333333331))) * orig_freq)}), where={orig_freq: T.float32(1.0) / T.pow(T.float32(10000.0), T.Cast("float32", v_e % T.int64(2) * T.int64(2)) / T.float32(4.0))})
        for r, h, e in T.grid(b * n, T.int64(2), T.int64(4)):
            with T.sblock("v"):
                v_r, v_h, v_e = T.axis.remap("SSS", [r, h, e])
                T.reads(reshape2[v_r, v_h + T.int64(4), v_e])
                T.writes(v[v_r, v_h, v_e])
                v[v_r, v_h, v_e] = reshape2[v_r, v_h + T.int64(4), v_e]

    @T.prim_func(private=True, s_tir=True)
    def rope1(reshape14: T.Buffer((b, T.int64(6), T.int64(4)), "float32"), lv15: T.Buffer((b,), "int32"), q: T.Buffer((b, T.int64(2), T.int64(4)), "float32"), k: T.Buffer((b, T.int64(2), T.int64(4)), "float32"), v: T.Buffer((b, T.int64(2), T.int64(4)), "float32")):
        T.func_attr({"tirx.noalias": True})
        # with T.sblock("root"):
        for r, h, e in T.grid(b, T.int64(2), T.int64(4)):
            with T.sblock("q"):
                v_r, v_h, v_e = T.axis.remap("SSS", [r, h, e])
                T.reads(lv15[v_r], reshape14[v_r, v_h, v_e - T.int64(2):v_e - T.int64(2) + T.int64(5)])
                T.writes(q[v_r, v_h, v_e])
                orig_freq = T.float32()
                smoothed_freq = T.float32()
                q[v_r, v_h, v_e] = T.Let(T.Let(T.cos(smoothed_freq) * reshape14[v_r, v_h, v_e] + T.sin(smoothed_freq) * T.if_then_else(v_e < T.int64(2), reshape14[v_r, v_h, v_e + T.int64(2)] * T.float32(-1.0), reshape14[v_r, v_h, v_e - T.int64(2)]), where={smoothed_freq: T.Cast("float32", lv15[v_r]) * ((T.float32(1.0) - T.max(T.float32(0.0), T.min(T.float32(1.0), T.float32(3.3953054526271007) * orig_freq - T.float32(0.33333333333333331)))) * orig_freq * T.float32(0.125) + T.max(T.float32(0.0), T.min(T.float32(1.0), T.float32(3.3953054526271007) * orig_freq - T.float32(0.33333333333333331))) * orig_freq)}), where={orig_freq: T.float32(1.0) / T.pow(T.float32(10000.0), T.Cast("float32", v_e % T.int64(2) * T.int64(2)) / T.float32(4.0))})
        for r, h, e in T.grid(b, T.int64(2), T.int64(4)):
            with T.sblock("k"):
                v_r, v_h, v_e = T.axis.remap("SSS", [r, h, e])
                T.reads(lv15[v_r], reshape14[v_r, v_h + T.int64(2), v_e - T.int64(2):v_e - T.int64(2) + T.int64(5)])
                T.writes(k[v_r, v_h, v_e])
                orig_freq = T.float32()
                smoothed_freq = T.float32()
                k[v_r, v_h, v_e] = T.Let(T.Let(T.cos(smoothed_freq) * reshape14[v_r, v_h + T.int64(2), v_e] + T.sin(smoothed_freq) * T.if_then_else(v_e < T.int64(2), reshape14[v_r, v_h + T.int64(2), v_e + T.int64(2)] * T.float32(-1.0), reshape14[v_r, v_h + T.int64(2), v_e - T.int64(2)]), where={smoothed_freq: T.Cast("float32", lv15[v_r]) * ((T.float32(1.0) - T.max(T.float32(0.0), T.min(T.float32(1.0), T.float32(3.3953054526271007) * orig_freq - T.float32(0.33333333333333331)))) * orig_freq * T.float32(0.125) + T.max(T.float32(0.0), T.min(T.float32(1.0), T.float32(3.3953054526271007) * orig_freq - T.float32(0.33333333333333331))) * orig_freq)}), where={orig_freq: T.float32(1.0) / T.pow(T.float32(10000.0), T.Cast("float32", v_e % T.int64(2) * T.int64(2)) / T.float32(4.0))})
        for r, h, e in T.grid(b, T.int64(2), T.int64(4)):
            with T.sblock("v"):
                v_r, v_h, v_e = T.axis.remap("SSS", [r, h, e])
                T.reads(reshape14[v_r, v_h + T.int64(4), v_e])
                T.writes(v[v_r, v_h, v_e])
                v[v_r, v_h, v_e] = reshape14[v_r, v_h + T.int64(4), v_e]

    @R.function
    def decode(ids: R.Tensor((b, 1), dtype="int32"), k0: R.Tensor((b, t, 2, 4), dtype="float32"), v0: R.Tensor((b, t, 2, 4), dtype="float32"), k1: R.Tensor((b, t, 2, 4), dtype="float32"), v1: R.Tensor((b, t, 2, 4), dtype="float32"), embed_weight: R.Tensor((13, 12), dtype="float32"), layers_0_norm1_weight: R.Tensor((12,), dtype="float32"), layers_0_norm2_weight: R.Tensor((12,), dtype="float32"), layers_0_qkv_words: R.Tensor((24, 2), dtype="uint32"), layers_0_qkv_scale: R.Tensor((24, 2), dtype="float32"), layers_0_qkv_bias: R.Tensor((24,), dtype="float32"), layers_0_o_words: R.Tensor((12, 1), dtype="uint32"), layers_0_o_scale: R.Tensor((12, 1), dtype="float32"), layers_0_up_words: R.Tensor((40, 2), dtype="uint32"), layers_0_up_scale: R.Tensor((40, 2), dtype="float32"), layers_0_down_words: R.Tensor((12, 2), dtype="uint32"), layers_0_down_scale: R.Tensor((12, 2), dtype="float32"), layers_1_norm1_weight: R.Tensor((12,), dtype="float32"), layers_1_norm2_weight: R.Tensor((12,), dtype="float32"), layers_1_qkv_words: R.Tensor((24, 2), dtype="uint32"), layers_1_qkv_scale: R.Tensor((24, 2), dtype="float32"), layers_1_qkv_bias: R.Tensor((24,), dtype="float32"), layers_1_o_words: R.Tensor((12, 1), dtype="uint32"), layers_1_o_scale: R.Tensor((12, 1), dtype="float32"), layers_1_up_words: R.Tensor((40, 2), dtype="uint32"), layers_1_up_scale: R.Tensor((40, 2), dtype="float32"), layers_1_down_words: R.Tensor((12, 2), dtype="uint32"), layers_1_down_scale: R.Tensor((12, 2), dtype="float32"), norm_weight: R.Tensor((12,), dtype="float32"), head_words: R.Tensor((13, 2), dtype="uint32"), head_scale: R.Tensor((13, 2), dtype="float32")) -> R.Tuple(R.Tensor((b, 1, 13), dtype="float32"), R.Tensor((b, "t + 1", 2, 4), dtype="float32"), R.Tensor((b, "t + 1", 2, 4), dtype="float32"), R.Tensor((b, "t + 1", 2, 4), dtype="float32"), R.Tensor((b, "t + 1", 2, 4), dtype="float32")):
        R.func_attr({"num_input": 5, "tir_var_lower_bound": {"b": 1, "t": 1}, "tir_var_upper_bound": {"b": 64, "t": 256}})
        cls = Module
        with R.dataflow():
            lv14 = R.call_tir(cls.mask1, (t,), out_ty=R.Tensor((b, 1, 1, 1 + t), dtype="float32"))
            lv15 = R.call_tir(cls.positions1, (t,), out_ty=R.Tensor((b,), dtype="int32"))
            reshape12: R.Tensor((b,), dtype="int32") = R.reshape(ids, R.shape([b]))
            take1: R.Tensor((b, 12), dtype="float32") = R.take(embed_weight, reshape12, axis=0, mode="fast")
            reshape13: R.Tensor((b, 1, 12), dtype="float32") = R.reshape(take1, R.shape([b, 1, 12]))
            rms_norm5: R.Tensor((b, 1, 12), dtype="float32") = R.nn.rms_norm(reshape13, layers_0_norm1_weight, axes=[-1], epsilon=9.9999999999999995e-07)
            lv16 = R.call_tir(cls.decode_q3, (layers_0_qkv_words, layers_0_qkv_scale), out_ty=R.Tensor((24, 12), dtype="float32"))
            permute_dims19: R.Tensor((12, 24), dtype="float32") = R.permute_dims(lv16, axes=[1, 0])
            matmul13: R.Tensor((b, 1, 24), dtype="float32") = R.matmul(rms_norm5, permute_dims19, out_dtype=None)
            add8: R.Tensor((b, 1, 24), dtype="float32") = R.add(matmul13, layers_0_qkv_bias)
            reshape14: R.Tensor((b, 6, 4), dtype="float32") = R.reshape(add8, R.shape([b, 6, 4]))
            lv17 = R.call_tir(cls.rope1, (reshape14, lv15), out_ty=[R.Tensor((b, 2, 4), dtype="float32"), R.Tensor((b, 2, 4), dtype="float32"), R.Tensor((b, 2, 4), dtype="float32")])
            rope_02: R.Tensor((b, 2, 4), dtype="float32") = lv17[0]
            rope_12: R.Tensor((b, 2, 4), dtype="float32") = lv17[1]
            rope_22: R.Tensor((b, 2, 4), dtype="float32") = lv17[2]
            reshape15: R.Tensor((b, 1, 2, 4), dtype="float32") = R.reshape(rope_02, R.shape([b, 1, 2, 4]))
            reshape16: R.Tensor((b, 1, 2, 4), dtype="float32") = R.reshape(rope_12, R.shape([b, 1, 2, 4]))
            reshape17: R.Tensor((b, 1, 2, 4), dtype="float32") = R.reshape(rope_22, R.shape([b, 1, 2, 4]))
            concat: R.Tensor((b, t + 1, 2, 4), dtype="float32") = R.concat((k0, reshape16), axis=1)
            concat1: R.Tensor((b, t + 1, 2, 4), dtype="float32") = R.concat((v0, reshape17), axis=1)
            permute_dims20: R.Tensor((b, 2, t + 1, 4), dtype="float32") = R.permute_dims(concat, axes=[0, 2, 1, 3])
            permute_dims21: R.Tensor((b, 2, t + 1, 4), dtype="float32") = R.permute_dims(concat1, axes=[0, 2, 1, 3])
            permute_dims22: R.Tensor((b, 2, 1, 4), dtype="float32") = R.permute_dims(reshape15, axes=[0, 2, 1, 3])
            permute_dims23: R.Tensor((b, 2, 4, t + 1), dtype="float32") = R.permute_dims(permute_dims20, axes=[0, 1, 3, 2])
            matmul14: R.Tensor((b, 2, 1, t + 1), dtype="float32") = R.matmul(permute_dims22, permute_dims23, out_dtype=None)
            mul4: R.Tensor((b, 2, 1, t + 1), dtype="float32") = R.multiply(matmul14, R.const(0.5, "float32"))
            add9: R.Tensor((b, 2, 1, t + 1), dtype="float32") = R.add(mul4, lv14)
            softmax2: R.Tensor((b, 2, 1, t + 1), dtype="float32") = R.nn.softmax(add9, axis=-1)
            matmul15: R.Tensor((b, 2, 1, 4), dtype="float32") = R.matmul(softmax2, permute_dims21, out_dtype=None)
            permute_dims24: R.Tensor((b, 1, 2, 4), dtype="float32") = R.permute_dims(matmul15, axes=[0, 2, 1, 3])
            reshape18: R.Tensor((b, 1, 8), dtype="float32") = R.reshape(permute_dims24, R.shape([b, 1, 8]))
            lv18 = R.call_tir(cls.decode_q31, (layers_0_o_words, layers_0_o_scale), out_ty=R.Tensor((12, 8), dtype="float32"))
            permute_dims25: R.Tensor((8, 12), dtype="float32") = R.permute_dims(lv18, axes=[1, 0])
            matmul16: R.Tensor((b, 1, 12), dtype="float32") = R.matmul(reshape18, permute_dims25, out_dtype=None)
            add10: R.Tensor((b, 1, 12), dtype="float32") = R.add(reshape13, matmul16)
            rms_norm6: R.Tensor((b, 1, 12), dtype="float32") = R.nn.rms_norm(add10, layers_0_norm2_weight, axes=[-1], epsilon=9.9999999999999995e-07)
            lv19 = R.call_tir(cls.decode_q32, (layers_0_up_words, layers_0_up_scale), out_ty=R.Tensor((40, 12), dtype="float32"))
            permute_dims26: R.Tensor((12, 40), dtype="float32") = R.permute_dims(lv19, axes=[1, 0])
            matmul17: R.Tensor((b, 1, 40), dtype="float32") = R.matmul(rms_norm6, permute_dims26, out_dtype=None)
            split2: R.Tuple(R.Tensor((b, 1, 20), dtype="float32"), R.Tensor((b, 1, 20), dtype="float32")) = R.split(matmul17, indices_or_sections=2, axis=-1)
            split_02: R.Tensor((b, 1, 20), dtype="float32") = split2[0]
            split_12: R.Tensor((b, 1, 20), dtype="float32") = split2[1]
            silu2: R.Tensor((b, 1, 20), dtype="float32") = R.nn.silu(split_02)
            mul5: R.Tensor((b, 1, 20), dtype="float32") = R.multiply(silu2, split_12)
            lv20 = R.call_tir(cls.decode_q33, (layers_0_down_words, layers_0_down_scale), out_ty=R.Tensor((12, 20), dtype="float32"))
            permute_dims27: R.Tensor((20, 12), dtype="float32") = R.permute_dims(lv20, axes=[1, 0])
            matmul18: R.Tensor((b, 1, 12), dtype="float32") = R.matmul(mul5, permute_dims27, out_dtype=None)
            add11: R.Tensor((b, 1, 12), dtype="float32") = R.add(add10, matmul18)
            rms_norm7: R.Tensor((b, 1, 12), dtype="float32") = R.nn.rms_norm(add11, layers_1_norm1_weight, axes=[-1], epsilon=9.9999999999999995e-07)
            lv21 = R.call_tir(cls.decode_q3, (layers_1_qkv_words, layers_1_qkv_scale), out_ty=R.Tensor((24, 12), dtype="float32"))
            permute_dims28: R.Tensor((12, 24), dtype="float32") = R.permute_dims(lv21, axes=[1, 0])
            matmul19: R.Tensor((b, 1, 24), dtype="float32") = R.matmul(rms_norm7, permute_dims28, out_dtype=None)
            add12: R.Tensor((b, 1, 24), dtype="float32") = R.add(matmul19, layers_1_qkv_bias)
            reshape19: R.Tensor((b, 6, 4), dtype="float32") = R.reshape(add12, R.shape([b, 6, 4]))
            lv22 = R.call_tir(cls.rope1, (reshape19, lv15), out_ty=[R.Tensor((b, 2, 4), dtype="float32"), R.Tensor((b, 2, 4), dtype="float32"), R.Tensor((b, 2, 4), dtype="float32")])
            rope_03: R.Tensor((b, 2, 4), dtype="float32") = lv22[0]
            rope_13: R.Tensor((b, 2, 4), dtype="float32") = lv22[1]
            rope_23: R.Tensor((b, 2, 4), dtype="float32") = lv22[2]
            reshape20: R.Tensor((b, 1, 2, 4), dtype="float32") = R.reshape(rope_03, R.shape([b, 1, 2, 4]))
            reshape21: R.Tensor((b, 1, 2, 4), dtype="float32") = R.reshape(rope_13, R.shape([b, 1, 2, 4]))
            reshape22: R.Tensor((b, 1, 2, 4), dtype="float32") = R.reshape(rope_23, R.shape([b, 1, 2, 4]))
            concat2: R.Tensor((b, t + 1, 2, 4), dtype="float32") = R.concat((k1, reshape21), axis=1)
            concat3: R.Tensor((b, t + 1, 2, 4), dtype="float32") = R.concat((v1, reshape22), axis=1)
            permute_dims29: R.Tensor((b, 2, t + 1, 4), dtype="float32") = R.permute_dims(concat2, axes=[0, 2, 1, 3])
            permute_dims30: R.Tensor((b, 2, t + 1, 4), dtype="float32") = R.permute_dims(concat3, axes=[0, 2, 1, 3])
            permute_dims31: R.Tensor((b, 2, 1, 4), dtype="float32") = R.permute_dims(reshape20, axes=[0, 2, 1, 3])
            permute_dims32: R.Tensor((b, 2, 4, t + 1), dtype="float32") = R.permute_dims(permute_dims29, axes=[0, 1, 3, 2])
            matmul20: R.Tensor((b, 2, 1, t + 1), dtype="float32") = R.matmul(permute_dims31, permute_dims32, out_dtype=None)
            mul6: R.Tensor((b, 2, 1, t + 1), dtype="float32") = R.multiply(matmul20, R.const(0.5, "float32"))
            add13: R.Tensor((b, 2, 1, t + 1), dtype="float32") = R.add(mul6, lv14)
            softmax3: R.Tensor((b, 2, 1, t + 1), dtype="float32") = R.nn.softmax(add13, axis=-1)
            matmul21: R.Tensor((b, 2, 1, 4), dtype="float32") = R.matmul(softmax3, permute_dims30, out_dtype=None)
            permute_dims33: R.Tensor((b, 1, 2, 4), dtype="float32") = R.permute_dims(matmul21, axes=[0, 2, 1, 3])
            reshape23: R.Tensor((b, 1, 8), dtype="float32") = R.reshape(permute_dims33, R.shape([b, 1, 8]))
            lv23 = R.call_tir(cls.decode_q31, (layers_1_o_words, layers_1_o_scale), out_ty=R.Tensor((12, 8), dtype="float32"))
            permute_dims34: R.Tensor((8, 12), dtype="float32") = R.permute_dims(lv23, axes=[1, 0])
            matmul22: R.Tensor((b, 1, 12), dtype="float32") = R.matmul(reshape23, permute_dims34, out_dtype=None)
            add14: R.Tensor((b, 1, 12), dtype="float32") = R.add(add11, matmul22)
            rms_norm8: R.Tensor((b, 1, 12), dtype="float32") = R.nn.rms_norm(add14, layers_1_norm2_weight, axes=[-1], epsilon=9.9999999999999995e-07)
            lv24 = R.call_tir(cls.decode_q32, (layers_1_up_words, layers_1_up_scale), out_ty=R.Tensor((40, 12), dtype="float32"))
            permute_dims35: R.Tensor((12, 40), dtype="float32") = R.permute_dims(lv24, axes=[1, 0])
            matmul23: R.Tensor((b, 1, 40), dtype="float32") = R.matmul(rms_norm8, permute_dims35, out_dtype=None)
            split3: R.Tuple(R.Tensor((b, 1, 20), dtype="float32"), R.Tensor((b, 1, 20), dtype="float32")) = R.split(matmul23, indices_or_sections=2, axis=-1)
            split_03: R.Tensor((b, 1, 20), dtype="float32") = split3[0]
            split_13: R.Tensor((b, 1, 20), dtype="float32") = split3[1]
            silu3: R.Tensor((b, 1, 20), dtype="float32") = R.nn.silu(split_03)
            mul7: R.Tensor((b, 1, 20), dtype="float32") = R.multiply(silu3, split_13)
            lv25 = R.call_tir(cls.decode_q33, (layers_1_down_words, layers_1_down_scale), out_ty=R.Tensor((12, 20), dtype="float32"))
            permute_dims36: R.Tensor((20, 12), dtype="float32") = R.permute_dims(lv25, axes=[1, 0])
            matmul24: R.Tensor((b, 1, 12), dtype="float32") = R.matmul(mul7, permute_dims36, out_dtype=None)
            add15: R.Tensor((b, 1, 12), dtype="float32") = R.add(add14, matmul24)
            lv26 = R.call_tir(cls.last1, (add15,), out_ty=R.Tensor((b, 1, 12), dtype="float32"))
            rms_norm9: R.Tensor((b, 1, 12), dtype="float32") = R.nn.rms_norm(lv26, norm_weight, axes=[-1], epsilon=9.9999999999999995e-07)
            lv27 = R.call_tir(cls.decode_q34, (head_words, head_scale), out_ty=R.Tensor((13, 12), dtype="float32"))
            permute_dims37: R.Tensor((12, 13), dtype="float32") = R.permute_dims(lv27, axes=[1, 0])
            matmul25: R.Tensor((b, 1, 13), dtype="float32") = R.matmul(rms_norm9, permute_dims37, out_dtype=None)
            gv1: R.Tuple(R.Tensor((b, 1, 13), dtype="float32"), R.Tensor((b, t + 1, 2, 4), dtype="float32"), R.Tensor((b, t + 1, 2, 4), dtype="float32"), R.Tensor((b, t + 1, 2, 4), dtype="float32"), R.Tensor((b, t + 1, 2, 4), dtype="float32")) = matmul25, concat, concat1, concat2, concat3
            R.output(gv1)
        return gv1

    @R.function
    def prefill(ids: R.Tensor((b, n), dtype="int32"), embed_weight: R.Tensor((13, 12), dtype="float32"), layers_0_norm1_weight: R.Tensor((12,), dtype="float32"), layers_0_norm2_weight: R.Tensor((12,), dtype="float32"), layers_0_qkv_words: R.Tensor((24, 2), dtype="uint32"), layers_0_qkv_scale: R.Tensor((24, 2), dtype="float32"), layers_0_qkv_bias: R.Tensor((24,), dtype="float32"), layers_0_o_words: R.Tensor((12, 1), dtype="uint32"), layers_0_o_scale: R.Tensor((12, 1), dtype="float32"), layers_0_up_words: R.Tensor((40, 2), dtype="uint32"), layers_0_up_scale: R.Tensor((40, 2), dtype="float32"), layers_0_down_words: R.Tensor((12, 2), dtype="uint32"), layers_0_down_scale: R.Tensor((12, 2), dtype="float32"), layers_1_norm1_weight: R.Tensor((12,), dtype="float32"), layers_1_norm2_weight: R.Tensor((12,), dtype="float32"), layers_1_qkv_words: R.Tensor((24, 2), dtype="uint32"), layers_1_qkv_scale: R.Tensor((24, 2), dtype="float32"), layers_1_qkv_bias: R.Tensor((24,), dtype="float32"), layers_1_o_words: R.Tensor((12, 1), dtype="uint32"), layers_1_o_scale: R.Tensor((12, 1), dtype="float32"), layers_1_up_words: R.Tensor((40, 2), dtype="uint32"), layers_1_up_scale: R.Tensor((40, 2), dtype="float32"), layers_1_down_words: R.Tensor((12, 2), dtype="uint32"), layers_1_down_scale: R.Tensor((12, 2), dtype="float32"), norm_weight: R.Tensor((12,), dtype="float32"), head_words: R.Tensor((13, 2), dtype="uint32"), head_scale: R.Tensor((13, 2), dtype="float32")) -> R.Tuple(R.Tensor((b, 1, 13), dtype="float32"), R.Tensor((b, n, 2, 4), dtype="float32"), R.Tensor((b, n, 2, 4), dtype="float32"), R.Tensor((b, n, 2, 4), dtype="float32"), R.Tensor((b, n, 2, 4), dtype="float32")):
        R.func_attr({"num_input": 1, "tir_var_lower_bound": {"b": 1, "n": 1}, "tir_var_upper_bound": {"b": 2, "n": 1024}})
        cls = Module
        with R.dataflow():
            lv = R.call_tir(cls.mask, R.tuple(), out_ty=R.Tensor((b, 1, n, n), dtype="float32"))
            lv1 = R.call_tir(cls.positions, (b, n), out_ty=R.Tensor((b * n,), dtype="int32"))
            reshape: R.Tensor((b * n,), dtype="int32") = R.reshape(ids, R.shape([b * n]))
            take: R.Tensor((b * n, 12), dtype="float32") = R.take(embed_weight, reshape, axis=0, mode="fast")
            reshape1: R.Tensor((b, n, 12), dtype="float32") = R.reshape(take, R.shape([b, n, 12]))
            rms_norm: R.Tensor((b, n, 12), dtype="float32") = R.nn.rms_norm(reshape1, layers_0_norm1_weight, axes=[-1], epsilon=9.9999999999999995e-07)
            lv2 = R.call_tir(cls.decode_q3, (layers_0_qkv_words, layers_0_qkv_scale), out_ty=R.Tensor((24, 12), dtype="float32"))
            permute_dims: R.Tensor((12, 24), dtype="float32") = R.permute_dims(lv2, axes=[1, 0])
            matmul: R.Tensor((b, n, 24), dtype="float32") = R.matmul(rms_norm, permute_dims, out_dtype=None)
            add: R.Tensor((b, n, 24), dtype="float32") = R.add(matmul, layers_0_qkv_bias)
            reshape2: R.Tensor((b * n, 6, 4), dtype="float32") = R.reshape(add, R.shape([b * n, 6, 4]))
            lv3 = R.call_tir(cls.rope, (reshape2, lv1, b, n), out_ty=[R.Tensor((b * n, 2, 4), dtype="float32"), R.Tensor((b * n, 2, 4), dtype="float32"), R.Tensor((b * n, 2, 4), dtype="float32")])
            rope_0: R.Tensor((b * n, 2, 4), dtype="float32") = lv3[0]
            rope_1: R.Tensor((b * n, 2, 4), dtype="float32") = lv3[1]
            rope_2: R.Tensor((b * n, 2, 4), dtype="float32") = lv3[2]
            reshape3: R.Tensor((b, n, 2, 4), dtype="float32") = R.reshape(rope_0, R.shape([b, n, 2, 4]))
            reshape4: R.Tensor((b, n, 2, 4), dtype="float32") = R.reshape(rope_1, R.shape([b, n, 2, 4]))
            reshape5: R.Tensor((b, n, 2, 4), dtype="float32") = R.reshape(rope_2, R.shape([b, n, 2, 4]))
            permute_dims1: R.Tensor((b, 2, n, 4), dtype="float32") = R.permute_dims(reshape4, axes=[0, 2, 1, 3])
            permute_dims2: R.Tensor((b, 2, n, 4), dtype="float32") = R.permute_dims(reshape5, axes=[0, 2, 1, 3])
            permute_dims3: R.Tensor((b, 2, n, 4), dtype="float32") = R.permute_dims(reshape3, axes=[0, 2, 1, 3])
            permute_dims4: R.Tensor((b, 2, 4, n), dtype="float32") = R.permute_dims(permute_dims1, axes=[0, 1, 3, 2])
            matmul1: R.Tensor((b, 2, n, n), dtype="float32") = R.matmul(permute_dims3, permute_dims4, out_dtype=None)
            mul: R.Tensor((b, 2, n, n), dtype="float32") = R.multiply(matmul1, R.const(0.5, "float32"))
            add1: R.Tensor((b, 2, n, n), dtype="float32") = R.add(mul, lv)
            softmax: R.Tensor((b, 2, n, n), dtype="float32") = R.nn.softmax(add1, axis=-1)
            matmul2: R.Tensor((b, 2, n, 4), dtype="float32") = R.matmul(softmax, permute_dims2, out_dtype=None)
            permute_dims5: R.Tensor((b, n, 2, 4), dtype="float32") = R.permute_dims(matmul2, axes=[0, 2, 1, 3])
            reshape6: R.Tensor((b, n, 8), dtype="float32") = R.reshape(permute_dims5, R.shape([b, n, 8]))
            lv4 = R.call_tir(cls.decode_q31, (layers_0_o_words, layers_0_o_scale), out_ty=R.Tensor((12, 8), dtype="float32"))
            permute_dims6: R.Tensor((8, 12), dtype="float32") = R.permute_dims(lv4, axes=[1, 0])
            matmul3: R.Tensor((b, n, 12), dtype="float32") = R.matmul(reshape6, permute_dims6, out_dtype=None)
            add2: R.Tensor((b, n, 12), dtype="float32") = R.add(reshape1, matmul3)
            rms_norm1: R.Tensor((b, n, 12), dtype="float32") = R.nn.rms_norm(add2, layers_0_norm2_weight, axes=[-1], epsilon=9.9999999999999995e-07)
            lv5 = R.call_tir(cls.decode_q32, (layers_0_up_words, layers_0_up_scale), out_ty=R.Tensor((40, 12), dtype="float32"))
            permute_dims7: R.Tensor((12, 40), dtype="float32") = R.permute_dims(lv5, axes=[1, 0])
            matmul4: R.Tensor((b, n, 40), dtype="float32") = R.matmul(rms_norm1, permute_dims7, out_dtype=None)
            split: R.Tuple(R.Tensor((b, n, 20), dtype="float32"), R.Tensor((b, n, 20), dtype="float32")) = R.split(matmul4, indices_or_sections=2, axis=-1)
            split_0: R.Tensor((b, n, 20), dtype="float32") = split[0]
            split_1: R.Tensor((b, n, 20), dtype="float32") = split[1]
            silu: R.Tensor((b, n, 20), dtype="float32") = R.nn.silu(split_0)
            mul1: R.Tensor((b, n, 20), dtype="float32") = R.multiply(silu, split_1)
            lv6 = R.call_tir(cls.decode_q33, (layers_0_down_words, layers_0_down_scale), out_ty=R.Tensor((12, 20), dtype="float32"))
            permute_dims8: R.Tensor((20, 12), dtype="float32") = R.permute_dims(lv6, axes=[1, 0])
            matmul5: R.Tensor((b, n, 12), dtype="float32") = R.matmul(mul1, permute_dims8, out_dtype=None)
            add3: R.Tensor((b, n, 12), dtype="float32") = R.add(add2, matmul5)
            rms_norm2: R.Tensor((b, n, 12), dtype="float32") = R.nn.rms_norm(add3, layers_1_norm1_weight, axes=[-1], epsilon=9.9999999999999995e-07)
            lv7 = R.call_tir(cls.decode_q3, (layers_1_qkv_words, layers_1_qkv_scale), out_ty=R.Tensor((24, 12), dtype="float32"))
            permute_dims9: R.Tensor((12, 24), dtype="float32") = R.permute_dims(lv7, axes=[1, 0])
            matmul6: R.Tensor((b, n, 24), dtype="float32") = R.matmul(rms_norm2, permute_dims9, out_dtype=None)
            add4: R.Tensor((b, n, 24), dtype="float32") = R.add(matmul6, layers_1_qkv_bias)
            reshape7: R.Tensor((b * n, 6, 4), dtype="float32") = R.reshape(add4, R.shape([b * n, 6, 4]))
            lv8 = R.call_tir(cls.rope, (reshape7, lv1, b, n), out_ty=[R.Tensor((b * n, 2, 4), dtype="float32"), R.Tensor((b * n, 2, 4), dtype="float32"), R.Tensor((b * n, 2, 4), dtype="float32")])
            rope_01: R.Tensor((b * n, 2, 4), dtype="float32") = lv8[0]
            rope_11: R.Tensor((b * n, 2, 4), dtype="float32") = lv8[1]
            rope_21: R.Tensor((b * n, 2, 4), dtype="float32") = lv8[2]
            reshape8: R.Tensor((b, n, 2, 4), dtype="float32") = R.reshape(rope_01, R.shape([b, n, 2, 4]))
            reshape9: R.Tensor((b, n, 2, 4), dtype="float32") = R.reshape(rope_11, R.shape([b, n, 2, 4]))
            reshape10: R.Tensor((b, n, 2, 4), dtype="float32") = R.reshape(rope_21, R.shape([b, n, 2, 4]))
            permute_dims10: R.Tensor((b, 2, n, 4), dtype="float32") = R.permute_dims(reshape9, axes=[0, 2, 1, 3])
            permute_dims11: R.Tensor((b, 2, n, 4), dtype="float32") = R.permute_dims(reshape10, axes=[0, 2, 1, 3])
            permute_dims12: R.Tensor((b, 2, n, 4), dtype="float32") = R.permute_dims(reshape8, axes=[0, 2, 1, 3])
            permute_dims13: R.Tensor((b, 2, 4, n), dtype="float32") = R.permute_dims(permute_dims10, axes=[0, 1, 3, 2])
            matmul7: R.Tensor((b, 2, n, n), dtype="float32") = R.matmul(permute_dims12, permute_dims13, out_dtype=None)
            mul2: R.Tensor((b, 2, n, n), dtype="float32") = R.multiply(matmul7, R.const(0.5, "float32"))
            add5: R.Tensor((b, 2, n, n), dtype="float32") = R.add(mul2, lv)
            softmax1: R.Tensor((b, 2, n, n), dtype="float32") = R.nn.softmax(add5, axis=-1)
            matmul8: R.Tensor((b, 2, n, 4), dtype="float32") = R.matmul(softmax1, permute_dims11, out_dtype=None)
            permute_dims14: R.Tensor((b, n, 2, 4), dtype="float32") = R.permute_dims(matmul8, axes=[0, 2, 1, 3])
            reshape11: R.Tensor((b, n, 8), dtype="float32") = R.reshape(permute_dims14, R.shape([b, n, 8]))
            lv9 = R.call_tir(cls.decode_q31, (layers_1_o_words, layers_1_o_scale), out_ty=R.Tensor((12, 8), dtype="float32"))
            permute_dims15: R.Tensor((8, 12), dtype="float32") = R.permute_dims(lv9, axes=[1, 0])
            matmul9: R.Tensor((b, n, 12), dtype="float32") = R.matmul(reshape11, permute_dims15, out_dtype=None)
            add6: R.Tensor((b, n, 12), dtype="float32") = R.add(add3, matmul9)
            rms_norm3: R.Tensor((b, n, 12), dtype="float32") = R.nn.rms_norm(add6, layers_1_norm2_weight, axes=[-1], epsilon=9.9999999999999995e-07)
            lv10 = R.call_tir(cls.decode_q32, (layers_1_up_words, layers_1_up_scale), out_ty=R.Tensor((40, 12), dtype="float32"))
            permute_dims16: R.Tensor((12, 40), dtype="float32") = R.permute_dims(lv10, axes=[1, 0])
            matmul10: R.Tensor((b, n, 40), dtype="float32") = R.matmul(rms_norm3, permute_dims16, out_dtype=None)
            split1: R.Tuple(R.Tensor((b, n, 20), dtype="float32"), R.Tensor((b, n, 20), dtype="float32")) = R.split(matmul10, indices_or_sections=2, axis=-1)
            split_01: R.Tensor((b, n, 20), dtype="float32") = split1[0]
            split_11: R.Tensor((b, n, 20), dtype="float32") = split1[1]
            silu1: R.Tensor((b, n, 20), dtype="float32") = R.nn.silu(split_01)
            mul3: R.Tensor((b, n, 20), dtype="float32") = R.multiply(silu1, split_11)
            lv11 = R.call_tir(cls.decode_q33, (layers_1_down_words, layers_1_down_scale), out_ty=R.Tensor((12, 20), dtype="float32"))
            permute_dims17: R.Tensor((20, 12), dtype="float32") = R.permute_dims(lv11, axes=[1, 0])
            matmul11: R.Tensor((b, n, 12), dtype="float32") = R.matmul(mul3, permute_dims17, out_dtype=None)
            add7: R.Tensor((b, n, 12), dtype="float32") = R.add(add6, matmul11)
            lv12 = R.call_tir(cls.last, (add7,), out_ty=R.Tensor((b, 1, 12), dtype="float32"))
            rms_norm4: R.Tensor((b, 1, 12), dtype="float32") = R.nn.rms_norm(lv12, norm_weight, axes=[-1], epsilon=9.9999999999999995e-07)
            lv13 = R.call_tir(cls.decode_q34, (head_words, head_scale), out_ty=R.Tensor((13, 12), dtype="float32"))
            permute_dims18: R.Tensor((12, 13), dtype="float32") = R.permute_dims(lv13, axes=[1, 0])
            matmul12: R.Tensor((b, 1, 13), dtype="float32") = R.matmul(rms_norm4, permute_dims18, out_dtype=None)
            gv: R.Tuple(R.Tensor((b, 1, 13), dtype="float32"), R.Tensor((b, n, 2, 4), dtype="float32"), R.Tensor((b, n, 2, 4), dtype="float32"), R.Tensor((b, n, 2, 4), dtype="float32"), R.Tensor((b, n, 2, 4), dtype="float32")) = matmul12, reshape4, reshape5, reshape9, reshape10
            R.output(gv)
        return gv
