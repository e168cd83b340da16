# from typing import TypeVar
# from tvm.script import ir as I
# from tvm.script import tirx as T
# from tvm.tirx.layout import Axis
# from tvm.script import relax as R

b = TypeVar("b")
n = TypeVar("n")
p = TypeVar("p")
w = TypeVar("w")
@I.ir_module
class Module:
    @T.prim_func(private=True, s_tir=True)
    def append(held: T.Buffer((p, 2, 2, 4, 4), "float32"), pages_of: T.Buffer((b, w), "int32"), before: T.Buffer((b,), "int32"), keys: T.Buffer((b, n, 2, 4), "float32"), values: T.Buffer((b, n, 2, 4), "float32")):
        T.func_attr({"op_pattern": 8, "tirx.noalias": True})
        # with T.sblock("root"):
        for iters_0, iters_1, iters_2, iters_3 in T.grid(b, n, 2, 4):
            with T.sblock("append"):
                s, i, g, e = T.axis.remap("SSSS", [iters_0, iters_1, iters_2, iters_3])
                T.reads(keys[s, i, g, e], pages_of[s, (before[s] + T.Cast("int32", i)) // 4], before[s], values[s, i, g, e])
                T.writes(held[pages_of[s, (before[s] + T.Cast("int32", i)) // 4], 0:2, g, (before[s] + T.Cast("int32", i)) % 4, e])
                held[pages_of[s, (before[s] + T.Cast("int32", i)) // 4], 0, g, (before[s] + T.Cast("int32", i)) % 4, e] = keys[s, i, g, e]
                held[pages_of[s, (before[s] + T.Cast("int32", i)) // 4], 1, g, (before[s] + T.Cast("int32", i)) % 4, e] = values[s, i, g, e]

    @T.prim_func(private=True, s_tir=True)
    def decode_q4(layers_0_qkv_words: T.Buffer((T.int64(32), T.int64(2)), "uint32"), layers_0_qkv_scale: T.Buffer((T.int64(32), T.int64(2)), "float32"), decode: T.Buffer((T.int64(32), T.int64(16)), "float32")):
        T.func_attr({"tirx.noalias": True})
        # with T.sblock("root"):
        for i, j in T.grid(T.int64(32), T.int64(16)):
            with T.sblock("decode"):
                v_i, v_j = T.axis.remap("SS", [i, j])
                T.reads(layers_0_qkv_words[v_i, v_j // T.int64(8)], layers_0_qkv_scale[v_i, v_j // T.int64(8)])
                T.writes(decode[v_i, v_j])
                decode[v_i, v_j] = (T.Cast("float32", layers_0_qkv_words[v_i, v_j // T.int64(8)] >> T.Cast("uint32", v_j % T.int64(8) * T.int64(4)) & T.uint32(15)) - T.float32(7.0)) * layers_0_qkv_scale[v_i, v_j // T.int64(8)]

    @T.prim_func(private=True, s_tir=True)
    def decode_q41(layers_0_o_words: T.Buffer((T.int64(16), T.int64(2)), "uint32"), layers_0_o_scale: T.Buffer((T.int64(16), T.int64(2)), "float32"), decode: T.Buffer((T.int64(16), T.int64(16)), "float32")):
        T.func_attr({"tirx.noalias": True})
        # with T.sblock("root"):
        for i, j in T.grid(T.int64(16), T.int64(16)):
            with T.sblock("decode"):
                v_i, v_j = T.axis.remap("SS", [i, j])
                T.reads(layers_0_o_words[v_i, v_j // T.int64(8)], layers_0_o_scale[v_i, v_j // T.int64(8)])
                T.writes(decode[v_i, v_j])
                decode[v_i, v_j] = (T.Cast("float32", layers_0_o_words[v_i, v_j // T.int64(8)] >> T.Cast("uint32", v_j % T.int64(8) * T.int64(4)) & T.uint32(15)) - T.float32(7.0)) * layers_0_o_scale[v_i, v_j // T.int64(8)]

    @T.prim_func(private=True, s_tir=True)
    def decode_q42(layers_0_up_words: T.Buffer((T.int64(48), T.int64(2)), "uint32"), layers_0_up_scale: T.Buffer((T.int64(48), T.int64(2)), "float32"), decode: T.Buffer((T.int64(48), T.int64(16)), "float32")):
        T.func_attr({"tirx.noalias": True})
        # with T.sblock("root"):
        for i, j in T.grid(T.int64(48), T.int64(16)):
            with T.sblock("decode"):
                v_i, v_j = T.axis.remap("SS", [i, j])
                T.reads(layers_0_up_words[v_i, v_j // T.int64(8)], layers_0_up_scale[v_i, v_j // T.int64(8)])
                T.writes(decode[v_i, v_j])
                decode[v_i, v_j] = (T.Cast("float32", layers_0_up_words[v_i, v_j // T.int64(8)] >> T.Cast("uint32", v_j % T.int64(8) * T.int64(4)) & T.uint32(15)) - T.float32(7.0)) * layers_0_up_scale[v_i, v_j // T.int64(8)]

    @T.prim_func(private=True, s_tir=True)
    def decode_q43(layers_0_down_words: T.Buffer((T.int64(16), T.int64(3)), "uint32"), layers_0_down_scale: T.Buffer((T.int64(16), T.int64(3)), "float32"), decode: T.Buffer((T.int64(16), T.int64(24)), "float32")):
        T.func_attr({"tirx.noalias": True})
        # with T.sblock("root"):
        for i, j in T.grid(T.int64(16), T.int64(24)):
            with T.sblock("decode"):
                v_i, v_j = T.axis.remap("SS", [i, j])
                T.reads(layers_0_down_words[v_i, v_j // T.int64(8)], layers_0_down_scale[v_i, v_j // T.int64(8)])
                T.writes(decode[v_i, v_j])
                decode[v_i, v_j] = (T.Cast("float32", layers_0_down_words[v_i, v_j // T.int64(8)] >> T.Cast("uint32", v_j % T.int64(8) * T.int64(4)) & T.uint32(15)) - T.float32(7.0)) * layers_0_down_scale[v_i, v_j // T.int64(8)]

    @T.prim_func(private=True, s_tir=True)
    def decode_q44(head_words: T.Buffer((T.int64(13), T.int64(2)), "uint32"), head_scale: T.Buffer((T.int64(13), T.int64(2)), "float32"), decode: T.Buffer((T.int64(13), T.int64(16)), "float32")):
        T.func_attr({"tirx.noalias": True})
        # with T.sblock("root"):
        for i, j in T.grid(T.int64(13), T.int64(16)):
            with T.sblock("decode"):
                v_i, v_j = T.axis.remap("SS", [i, j])
                T.reads(head_words[v_i, v_j // T.int64(8)], head_scale[v_i, v_j // T.int64(8)])
                T.writes(decode[v_i, v_j])
                decode[v_i, v_j] = (T.Cast("float32", head_words[v_i, v_j // T.int64(8)] >> T.Cast("uint32", v_j % T.int64(8) * T.int64(4)) & T.uint32(15)) - T.float32(7.0)) * head_scale[v_i, v_j // T.int64(8)]

    @T.prim_func(private=True, s_tir=True)
    def gather(lv4: T.Buffer((p, T.int64(2), T.int64(2), T.int64(4), T.int64(4)), "float32"), table: T.Buffer((b, w), "int32"), compute: T.Buffer((b, "w * T.int64(4)", T.int64(2), T.int64(4)), "float32")):
        T.func_attr({"tirx.noalias": True})
        # with T.sblock("root"):
        for s, j, g, e in T.grid(b, w * T.int64(4), T.int64(2), T.int64(4)):
            with T.sblock("compute"):
                v_s, v_j, v_g, v_e = T.axis.remap("SSSS", [s, j, g, e])
                T.reads(lv4[table[v_s, v_j // T.int64(4)], T.int64(0), v_g, v_j % T.int64(4), v_e], table[v_s, v_j // T.int64(4)])
                T.writes(compute[v_s, v_j, v_g, v_e])
                compute[v_s, v_j, v_g, v_e] = lv4[table[v_s, v_j // T.int64(4)], T.int64(0), v_g, v_j % T.int64(4), v_e]

    @T.prim_func(private=True, s_tir=True)
    def gather1(lv4: T.Buffer((p, T.int64(2), T.int64(2), T.int64(4), T.int64(4)), "float32"), table: T.Buffer((b, w), "int32"), compute: T.Buffer((b, "w * T.int64(4)", T.int64(2), T.int64(4)), "float32")):
        T.func_attr({"tirx.noalias": True})
        # with T.sblock("root"):
        for s, j, g, e in T.grid(b, w * T.int64(4), T.int64(2), T.int64(4)):
            with T.sblock("compute"):
                v_s, v_j, v_g, v_e = T.axis.remap("SSSS", [s, j, g, e])
                T.reads(lv4[table[v_s, v_j // T.int64(4)], T.int64(1), v_g, v_j % T.int64(4), v_e], table[v_s, v_j // T.int64(4)])
                T.writes(compute[v_s, v_j, v_g, v_e])
                compute[v_s, v_j, v_g, v_e] = lv4[table[v_s, v_j // T.int64(4)], T.int64(1), v_g, v_j % T.int64(4), v_e]

    @T.prim_func(private=True, s_tir=True)
    def last(add5: T.Buffer((b, n, T.int64(16)), "float32"), compute: T.Buffer((b, T.int64(1), T.int64(16)), "float32")):
        T.func_attr({"tirx.noalias": True})
        # with T.sblock("root"):
        for s, _, k in T.grid(b, T.int64(1), T.int64(16)):
            with T.sblock("compute"):
                v_s, v__, v_k = T.axis.remap("SSS", [s, _, k])
                T.reads(add5[v_s, n - T.int64(1), v_k])
                T.writes(compute[v_s, v__, v_k])
                compute[v_s, v__, v_k] = add5[v_s, n - T.int64(1), v_k]

    @T.prim_func(private=True, s_tir=True)
    def last1(add11: T.Buffer((b, T.int64(1), T.int64(16)), "float32"), compute: T.Buffer((b, T.int64(1), T.int64(16)), "float32")):
        T.func_attr({"tirx.noalias": True})
        # with T.sblock("root"):
        for s, _, k in T.grid(b, T.int64(1), T.int64(16)):
            with T.sblock("compute"):
                v_s, v__, v_k = T.axis.remap("SSS", [s, _, k])
                T.reads(add11[v_s, T.int64(0), v_k])
                T.writes(compute[v_s, v__, v_k])
                compute[v_s, v__, v_k] = add11[v_s, T.int64(0), v_k]

    @T.prim_func(private=True, s_tir=True)
    def mask(lengths: T.Buffer((b,), "int32"), table: T.Buffer((b, w), "int32"), mask: T.Buffer((b, T.int64(1), n, "w * T.int64(4)"), "float32")):
        T.func_attr({"tirx.noalias": True})
        # with T.sblock("root"):
        for s, _h, i, j in T.grid(b, T.int64(1), n, w * T.int64(4)):
            with T.sblock("mask"):
                v_s, v__h, v_i, v_j = T.axis.remap("SSSS", [s, _h, i, j])
                T.reads(lengths[v_s])
                T.writes(mask[v_s, v__h, v_i, v_j])
                mask[v_s, v__h, v_i, v_j] = T.if_then_else(v_j <= T.Cast("int64", lengths[v_s]) + v_i, T.float32(0.0), T.float32(-340282346638528859811704183484516925440.0))

    @T.prim_func(private=True, s_tir=True)
    def mask1(lengths: T.Buffer((b,), "int32"), table: T.Buffer((b, w), "int32"), mask: T.Buffer((b, T.int64(1), T.int64(1), "w * T.int64(4)"), "float32")):
        T.func_attr({"tirx.noalias": True})
        # with T.sblock("root"):
        for s, _h, i, j in T.grid(b, T.int64(1), T.int64(1), w * T.int64(4)):
            with T.sblock("mask"):
                v_s, v__h, v_i, v_j = T.axis.remap("SSSS", [s, _h, i, j])
                T.reads(lengths[v_s])
                T.writes(mask[v_s, v__h, v_i, v_j])
                mask[v_s, v__h, v_i, v_j] = T.if_then_else(v_j <= T.Cast("int64", lengths[v_s]) + v_i, T.float32(0.0), T.float32(-340282346638528859811704183484516925440.0))

    @T.prim_func(private=True, s_tir=True)
    def positions(lengths: T.Buffer((b,), "int32"), n: T.int64, compute: T.Buffer(("b * n",), "int32")):
        T.func_attr({"tirx.noalias": True})
        # with T.sblock("root"):
        for r in range(b * n):
            with T.sblock("compute"):
                v_r = T.axis.spatial(b * n, r)
                T.reads(lengths[v_r // n])
                T.writes(compute[v_r])
                compute[v_r] = lengths[v_r // n] + T.Cast("int32", v_r % n)

    @T.prim_func(private=True, s_tir=True)
    def positions1(lengths: T.Buffer((b,), "int32"), compute: T.Buffer((b,), "int32")):
        T.func_attr({"tirx.noalias": True})
        # with T.sblock("root"):
        for r in range(b):
            with T.sblock("compute"):
                v_r = T.axis.spatial(b, r)
                T.reads(lengths[v_r])
                T.writes(compute[v_r])
                compute[v_r] = lengths[v_r]

    @T.prim_func(private=True, s_tir=True)
    def rope(reshape2: T.Buffer(("b * n", T.int64(8), T.int64(4)), "float32"), lv: T.Buffer((b * n,), "int32"), b: T.int64, n: T.int64, q: T.Buffer((b * n, T.int64(4), T.int64(4)), "float32"), k: T.Buffer((b * n, T.int64(2), T.int64(4)), "float32"), v: T.Buffer((b * n, T.int64(2), T.int64(4)), "float32")):
        T.func_attr({"tirx.noalias": True})
        # with T.sblock("root"):
        for r, h, e in T.grid(b * n, T.int64(4), T.int64(4)):
            with T.sblock("q"):
                v_r, v_h, v_e = T.axis.remap("SSS", [r, h, e])
                T.reads(lv[v_r], reshape2[v_r, v_h, v_e - T.int64(2):v_e - T.int64(2) + T.int64(5)])
                T.writes(q[v_r, v_h, v_e])
                freq = T.float32()
                q[v_r, v_h, v_e] = T.Let(T.cos(freq) * reshape2[v_r, v_h, v_e] + T.sin(freq) * T.if_then_else(v_e < T.int64(2), reshape2[v_r, v_h, v_e + T.int64(2)] * T.float32(-1.0), reshape2[v_r, v_h, v_e - T.int64(2)]), where={freq: T.Cast("float32", lv[v_r]) / T.pow(T.float32(10000.0), T.Cast("float32", v_e % T.int64(2) * T.int64(2)) / T.float32(4.0))})
        for r, h, e in T.grid(b * n, T.int64(2), T.int64(4)):
            with T.sblock("k"):
                v_r, v_h, v_e = T.axis.remap("SSS", [r, h, e])
                T.reads(lv[v_r], reshape2[v_r, v_h + T.int64(4), v_e - T.int64(2):v_e - T.int64(2) + T.int64(5)])
                T.writes(k[v_r, v_h, v_e])
                freq = T.float32()
                k[v_r, v_h, v_e] = T.Let(T.cos(freq) * reshape2[v_r, v_h + T.int64(4), v_e] + T.sin(freq) * T.if_then_else(v_e < T.int64(2), reshape2[v_r, v_h + T.int64(4), v_e + T.int64(2)] * T.float32(-1.0), reshape2[v_r, v_h + T.int64(4), v_e - T.int64(2)]), where={freq: T.Cast("float32", lv[v_r]) / T.pow(T.float32(10000.0), T.Cast("float32", v_e % T.int64(2) * T.int64(2)) / T.float32(4.0))})
        for r, h, e in T.grid(b * n, T.int64(2), T.int64(4)):
            with T.sblock("v"):
                v_r, v_h, v_e = T.axis.remap("SSS", [r, h, e])
                T.reads(reshape2[v_r, v_h + T.int64(6), v_e])
                T.writes(v[v_r, v_h, v_e])
                v[v_r, v_h, v_e] = reshape2[v_r, v_h + T.int64(6), v_e]

    @T.prim_func(private=True, s_tir=True)
    def rope1(reshape14: T.Buffer((b, T.int64(8), T.int64(4)), "float32"), lv20: T.Buffer((b,), "int32"), q: T.Buffer((b, T.int64(4), T.int64(4)), "float32"), k: T.Buffer((b, T.int64(2), T.int64(4)), "float32"), v: T.Buffer((b, T.int64(2), T.int64(4)), "float32")):
        T.func_attr({"tirx.noalias": True})
        # with T.sblock("root"):
        for r, h, e in T.grid(b, T.int64(4), T.int64(4)):
            with T.sblock("q"):
                v_r, v_h, v_e = T.axis.remap("SSS", [r, h, e])
                T.reads(lv20[v_r], reshape14[v_r, v_h, v_e - T.int64(2):v_e - T.int64(2) + T.int64(5)])
                T.writes(q[v_r, v_h, v_e])
                freq = T.float32()
                q[v_r, v_h, v_e] = T.Let(T.cos(freq) * reshape14[v_r, v_h, v_e] + T.sin(freq) * T.if_then_else(v_e < T.int64(2), reshape14[v_r, v_h, v_e + T.int64(2)] * T.float32(-1.0), reshape14[v_r, v_h, v_e - T.int64(2)]), where={freq: T.Cast("float32", lv20[v_r]) / T.pow(T.float32(10000.0), T.Cast("float32", v_e % T.int64(2) * T.int64(2)) / T.float32(4.0))})
        for r, h, e in T.grid(b, T.int64(2), T.int64(4)):
            with T.sblock("k"):
                v_r, v_h, v_e = T.axis.remap("SSS", [r, h, e])
                T.reads(lv20[v_r], reshape14[v_r, v_h + T.int64(4), v_e - T.int64(2):v_e - T.int64(2) + T.int64(5)])
                T.writes(k[v_r, v_h, v_e])
                freq = T.float32()
                k[v_r, v_h, v_e] = T.Let(T.cos(freq) * reshape14[v_r, v_h + T.int64(4), v_e] + T.sin(freq) * T.if_then_else(v_e < T.int64(2), reshape14[v_r, v_h + T.int64(4), v_e + T.int64(2)] * T.float32(-1.0), reshape14[v_r, v_h + T.int64(4), v_e - T.int64(2)]), where={freq: T.Cast("float32", lv20[v_r]) / T.pow(T.float32(10000.0), T.Cast("float32", v_e % T.int64(2) * T.int64(2)) / T.float32(4.0))})
        for r, h, e in T.grid(b, T.int64(2), T.int64(4)):
            with T.sblock("v"):
                v_r, v_h, v_e = T.axis.remap("SSS", [r, h, e])
                T.reads(reshape14[v_r, v_h + T.int64(6), v_e])
                T.writes(v[v_r, v_h, v_e])
                v[v_r, v_h, v_e] = reshape14[v_r, v_h + T.int64(6), v_e]

    @R.function
    def decode(ids: R.Tensor((b, 1), dtype="int32"), table: R.Tensor((b, w), dtype="int32"), lengths: R.Tensor((b,), dtype="int32"), pages0: R.Tensor((p, 2, 2, 4, 4), dtype="float32"), pages1: R.Tensor((p, 2, 2, 4, 4), dtype="float32"), embed_weight: R.Tensor((13, 16), dtype="float32"), layers_0_norm1_weight: R.Tensor((16,), dtype="float32"), layers_0_norm2_weight: R.Tensor((16,), dtype="float32"), layers_0_qkv_words: R.Tensor((32, 2), dtype="uint32"), layers_0_qkv_scale: R.Tensor((32, 2), dtype="float32"), layers_0_o_words: R.Tensor((16, 2), dtype="uint32"), layers_0_o_scale: R.Tensor((16, 2), dtype="float32"), layers_0_up_words: R.Tensor((48, 2), dtype="uint32"), layers_0_up_scale: R.Tensor((48, 2), dtype="float32"), layers_0_down_words: R.Tensor((16, 3), dtype="uint32"), layers_0_down_scale: R.Tensor((16, 3), dtype="float32"), layers_1_norm1_weight: R.Tensor((16,), dtype="float32"), layers_1_norm2_weight: R.Tensor((16,), dtype="float32"), layers_1_qkv_words: R.Tensor((32, 2), dtype="uint32"), layers_1_qkv_scale: R.Tensor((32, 2), dtype="float32"), layers_1_o_words: R.Tensor((16, 2), dtype="uint32"), layers_1_o_scale: R.Tensor((16, 2), dtype="float32"), layers_1_up_words: R.Tensor((48, 2), dtype="uint32"), layers_1_up_scale: R.Tensor((48, 2), dtype="float32"), layers_1_down_words: R.Tensor((16, 3), dtype="uint32"), layers_1_down_scale: R.Tensor((16, 3), dtype="float32"), norm_weight: R.Tensor((16,), dtype="float32"), head_words: R.Tensor((13, 2), dtype="uint32"), head_scale: R.Tensor((13, 2), dtype="float32")) -> R.Tuple(R.Tensor((b, 1, 13), dtype="float32"), R.Tensor((p, 2, 2, 4, 4), dtype="float32"), R.Tensor((p, 2, 2, 4, 4), dtype="float32")):
        R.func_attr({"num_input": 5, "tir_var_lower_bound": {"b": 1, "p": 1, "w": 1}, "tir_var_upper_bound": {"b": 64, "p": 8192, "w": 64}})
        cls = Module
        with R.dataflow():
            lv20 = R.call_tir(cls.positions1, (lengths,), out_ty=R.Tensor((b,), dtype="int32"))
            lv21 = R.call_tir(cls.mask1, (lengths, table), out_ty=R.Tensor((b, 1, 1, w * 4), dtype="float32"))
            reshape12: R.Tensor((b,), dtype="int32") = R.reshape(ids, R.shape([b]))
            take1: R.Tensor((b, 16), dtype="float32") = R.take(embed_weight, reshape12, axis=0, mode="fast")
            reshape13: R.Tensor((b, 1, 16), dtype="float32") = R.reshape(take1, R.shape([b, 1, 16]))
            rms_norm5: R.Tensor((b, 1, 16), dtype="float32") = R.nn.rms_norm(reshape13, layers_0_norm1_weight, axes=[-1], epsilon=1.0000000000000001e-05)
            lv22 = R.call_tir(cls.decode_q4, (layers_0_qkv_words, layers_0_qkv_scale), out_ty=R.Tensor((32, 16), dtype="float32"))
            permute_dims19: R.Tensor((16, 32), dtype="float32") = R.permute_dims(lv22, axes=[1, 0])
            matmul13: R.Tensor((b, 1, 32), dtype="float32") = R.matmul(rms_norm5, permute_dims19, out_dtype=None)
            reshape14: R.Tensor((b, 8, 4), dtype="float32") = R.reshape(matmul13, R.shape([b, 8, 4]))
            lv23 = R.call_tir(cls.rope1, (reshape14, lv20), out_ty=[R.Tensor((b, 4, 4), dtype="float32"), R.Tensor((b, 2, 4), dtype="float32"), R.Tensor((b, 2, 4), dtype="float32")])
            rope_02: R.Tensor((b, 4, 4), dtype="float32") = lv23[0]
            rope_12: R.Tensor((b, 2, 4), dtype="float32") = lv23[1]
            rope_22: R.Tensor((b, 2, 4), dtype="float32") = lv23[2]
            reshape15: R.Tensor((b, 1, 2, 4), dtype="float32") = R.reshape(rope_12, R.shape([b, 1, 2, 4]))
            reshape16: R.Tensor((b, 1, 2, 4), dtype="float32") = R.reshape(rope_22, R.shape([b, 1, 2, 4]))
            lv24: R.Tensor((p, 2, 2, 4, 4), dtype="float32") = R.call_tir_inplace(cls.append, (pages0, table, lengths, reshape15, reshape16), out_ty=R.Tensor((p, 2, 2, 4, 4), dtype="float32"), inplace_indices=[0])
            reshape17: R.Tensor((b, 1, 4, 4), dtype="float32") = R.reshape(rope_02, R.shape([b, 1, 4, 4]))
            lv25 = R.call_tir(cls.gather, (lv24, table), out_ty=R.Tensor((b, w * 4, 2, 4), dtype="float32"))
            lv26 = R.call_tir(cls.gather1, (lv24, table), out_ty=R.Tensor((b, w * 4, 2, 4), dtype="float32"))
            permute_dims20: R.Tensor((b, 2, w * 4, 4), dtype="float32") = R.permute_dims(lv25, axes=[0, 2, 1, 3])
            repeat4: R.Tensor((b, 4, w * 4, 4), dtype="float32") = R.repeat(permute_dims20, repeats=2, axis=1)
            permute_dims21: R.Tensor((b, 2, w * 4, 4), dtype="float32") = R.permute_dims(lv26, axes=[0, 2, 1, 3])
            repeat5: R.Tensor((b, 4, w * 4, 4), dtype="float32") = R.repeat(permute_dims21, repeats=2, axis=1)
            permute_dims22: R.Tensor((b, 4, 1, 4), dtype="float32") = R.permute_dims(reshape17, axes=[0, 2, 1, 3])
            permute_dims23: R.Tensor((b, 4, 4, w * 4), dtype="float32") = R.permute_dims(repeat4, axes=[0, 1, 3, 2])
            matmul14: R.Tensor((b, 4, 1, w * 4), dtype="float32") = R.matmul(permute_dims22, permute_dims23, out_dtype=None)
            mul4: R.Tensor((b, 4, 1, w * 4), dtype="float32") = R.multiply(matmul14, R.const(0.5, "float32"))
            add6: R.Tensor((b, 4, 1, w * 4), dtype="float32") = R.add(mul4, lv21)
            softmax2: R.Tensor((b, 4, 1, w * 4), dtype="float32") = R.nn.softmax(add6, axis=-1)
            matmul15: R.Tensor((b, 4, 1, 4), dtype="float32") = R.matmul(softmax2, repeat5, out_dtype=None)
            permute_dims24: R.Tensor((b, 1, 4, 4), dtype="float32") = R.permute_dims(matmul15, axes=[0, 2, 1, 3])
            reshape18: R.Tensor((b, 1, 16), dtype="float32") = R.reshape(permute_dims24, R.shape([b, 1, 16]))
            lv27 = R.call_tir(cls.decode_q41, (layers_0_o_words, layers_0_o_scale), out_ty=R.Tensor((16, 16), dtype="float32"))
            permute_dims25: R.Tensor((16, 16), dtype="float32") = R.permute_dims(lv27, axes=[1, 0])
            matmul16: R.Tensor((b, 1, 16), dtype="float32") = R.matmul(reshape18, permute_dims25, out_dtype=None)
            add7: R.Tensor((b, 1, 16), dtype="float32") = R.add(reshape13, matmul16)
            rms_norm6: R.Tensor((b, 1, 16), dtype="float32") = R.nn.rms_norm(add7, layers_0_norm2_weight, axes=[-1], epsilon=1.0000000000000001e-05)
            lv28 = R.call_tir(cls.decode_q42, (layers_0_up_words, layers_0_up_scale), out_ty=R.Tensor((48, 16), dtype="float32"))
            permute_dims26: R.Tensor((16, 48), dtype="float32") = R.permute_dims(lv28, axes=[1, 0])
            matmul17: R.Tensor((b, 1, 48), dtype="float32") = R.matmul(rms_norm6, permute_dims26, out_dtype=None)
            split2: R.Tuple(R.Tensor((b, 1, 24), dtype="float32"), R.Tensor((b, 1, 24), dtype="float32")) = R.split(matmul17, indices_or_sections=2, axis=-1)
            split_02: R.Tensor((b, 1, 24), dtype="float32") = split2[0]
            split_12: R.Tensor((b, 1, 24), dtype="float32") = split2[1]
            silu2: R.Tensor((b, 1, 24), dtype="float32") = R.nn.silu(split_02)
            mul5: R.Tensor((b, 1, 24), dtype="float32") = R.multiply(silu2, split_12)
            lv29 = R.call_tir(cls.decode_q43, (layers_0_down_words, layers_0_down_scale), out_ty=R.Tensor((16, 24), dtype="float32"))
            permute_dims27: R.Tensor((24, 16), dtype="float32") = R.permute_dims(lv29, axes=[1, 0])
            matmul18: R.Tensor((b, 1, 16), dtype="float32") = R.matmul(mul5, permute_dims27, out_dtype=None)
            add8: R.Tensor((b, 1, 16), dtype="float32") = R.add(add7, matmul18)
            rms_norm7: R.Tensor((b, 1, 16), dtype="float32") = R.nn.rms_norm(add8, layers_1_norm1_weight, axes=[-1], epsilon=1.0000000000000001e-05)
            lv30 = R.call_tir(cls.decode_q4, (layers_1_qkv_words, layers_1_qkv_scale), out_ty=R.Tensor((32, 16), dtype="float32"))
            permute_dims28: R.Tensor((16, 32), dtype="float32") = R.permute_dims(lv30, axes=[1, 0])
            matmul19: R.Tensor((b, 1, 32), dtype="float32") = R.matmul(rms_norm7, permute_dims28, out_dtype=None)
            reshape19: R.Tensor((b, 8, 4), dtype="float32") = R.reshape(matmul19, R.shape([b, 8, 4]))
            lv31 = R.call_tir(cls.rope1, (reshape19, lv20), out_ty=[R.Tensor((b, 4, 4), dtype="float32"), R.Tensor((b, 2, 4), dtype="float32"), R.Tensor((b, 2, 4), dtype="float32")])
            rope_03: R.Tensor((b, 4, 4), dtype="float32") = lv31[0]
            rope_13: R.Tensor((b, 2, 4), dtype="float32") = lv31[1]
            rope_23: R.Tensor((b, 2, 4), dtype="float32") = lv31[2]
            reshape20: R.Tensor((b, 1, 2, 4), dtype="float32") = R.reshape(rope_13, R.shape([b, 1, 2, 4]))
            reshape21: R.Tensor((b, 1, 2, 4), dtype="float32") = R.reshape(rope_23, R.shape([b, 1, 2, 4]))
            lv32: R.Tensor((p, 2, 2, 4, 4), dtype="float32") = R.call_tir_inplace(cls.append, (pages1, table, lengths, reshape20, reshape21), out_ty=R.Tensor((p, 2, 2, 4, 4), dtype="float32"), inplace_indices=[0])
            reshape22: R.Tensor((b, 1, 4, 4), dtype="float32") = R.reshape(rope_03, R.shape([b, 1, 4, 4]))
            lv33 = R.call_tir(cls.gather, (lv32, table), out_ty=R.Tensor((b, w * 4, 2, 4), dtype="float32"))
            lv34 = R.call_tir(cls.gather1, (lv32, table), out_ty=R.Tensor((b, w * 4, 2, 4), dtype="float32"))
            permute_dims29: R.Tensor((b, 2, w * 4, 4), dtype="float32") = R.permute_dims(lv33, axes=[0, 2, 1, 3])
            repeat6: R.Tensor((b, 4, w * 4, 4), dtype="float32") = R.repeat(permute_dims29, repeats=2, axis=1)
            permute_dims30: R.Tensor((b, 2, w * 4, 4), dtype="float32") = R.permute_dims(lv34, axes=[0, 2, 1, 3])
            repeat7: R.Tensor((b, 4, w * 4, 4), dtype="float32") = R.repeat(permute_dims30, repeats=2, axis=1)
            permute_dims31: R.Tensor((b, 4, 1, 4), dtype="float32") = R.permute_dims(reshape22, axes=[0, 2, 1, 3])
            permute_dims32: R.Tensor((b, 4, 4, w * 4), dtype="float32") = R.permute_dims(repeat6, axes=[0, 1, 3, 2])
            matmul20: R.Tensor((b, 4, 1, w * 4), dtype="float32") = R.matmul(permute_dims31, permute_dims32, out_dtype=None)
            mul6: R.Tensor((b, 4, 1, w * 4), dtype="float32") = R.multiply(matmul20, R.const(0.5, "float32"))
            add9: R.Tensor((b, 4, 1, w * 4), dtype="float32") = R.add(mul6, lv21)
            softmax3: R.Tensor((b, 4, 1, w * 4), dtype="float32") = R.nn.softmax(add9, axis=-1)
            matmul21: R.Tensor((b, 4, 1, 4), dtype="float32") = R.matmul(softmax3, repeat7, out_dtype=None)
            permute_dims33: R.Tensor((b, 1, 4, 4), dtype="float32") = R.permute_dims(matmul21, axes=[0, 2, 1, 3])
            reshape23: R.Tensor((b, 1, 16), dtype="float32") = R.reshape(permute_dims33, R.shape([b, 1, 16]))
            lv35 = R.call_tir(cls.decode_q41, (layers_1_o_words, layers_1_o_scale), out_ty=R.Tensor((16, 16), dtype="float32"))
            permute_dims34: R.Tensor((16, 16), dtype="float32") = R.permute_dims(lv35, axes=[1, 0])
            matmul22: R.Tensor((b, 1, 16), dtype="float32") = R.matmul(reshape23, permute_dims34, out_dtype=None)
            add10: R.Tensor((b, 1, 16), dtype="float32") = R.add(add8, matmul22)
            rms_norm8: R.Tensor((b, 1, 16), dtype="float32") = R.nn.rms_norm(add10, layers_1_norm2_weight, axes=[-1], epsilon=1.0000000000000001e-05)
            lv36 = R.call_tir(cls.decode_q42, (layers_1_up_words, layers_1_up_scale), out_ty=R.Tensor((48, 16), dtype="float32"))
            permute_dims35: R.Tensor((16, 48), dtype="float32") = R.permute_dims(lv36, axes=[1, 0])
            matmul23: R.Tensor((b, 1, 48), dtype="float32") = R.matmul(rms_norm8, permute_dims35, out_dtype=None)
            split3: R.Tuple(R.Tensor((b, 1, 24), dtype="float32"), R.Tensor((b, 1, 24), dtype="float32")) = R.split(matmul23, indices_or_sections=2, axis=-1)
            split_03: R.Tensor((b, 1, 24), dtype="float32") = split3[0]
            split_13: R.Tensor((b, 1, 24), dtype="float32") = split3[1]
            silu3: R.Tensor((b, 1, 24), dtype="float32") = R.nn.silu(split_03)
            mul7: R.Tensor((b, 1, 24), dtype="float32") = R.multiply(silu3, split_13)
            lv37 = R.call_tir(cls.decode_q43, (layers_1_down_words, layers_1_down_scale), out_ty=R.Tensor((16, 24), dtype="float32"))
            permute_dims36: R.Tensor((24, 16), dtype="float32") = R.permute_dims(lv37, axes=[1, 0])
            matmul24: R.Tensor((b, 1, 16), dtype="float32") = R.matmul(mul7, permute_dims36, out_dtype=None)
            add11: R.Tensor((b, 1, 16), dtype="float32") = R.add(add10, matmul24)
            lv38 = R.call_tir(cls.last1, (add11,), out_ty=R.Tensor((b, 1, 16), dtype="float32"))
            rms_norm9: R.Tensor((b, 1, 16), dtype="float32") = R.nn.rms_norm(lv38, norm_weight, axes=[-1], epsilon=1.0000000000000001e-05)
            lv39 = R.call_tir(cls.decode_q44, (head_words, head_scale), out_ty=R.Tensor((13, 16), dtype="float32"))
            permute_dims37: R.Tensor((16, 13), dtype="float32") = R.permute_dims(lv39, axes=[1, 0])
            matmul25: R.Tensor((b, 1, 13), dtype="float32") = R.matmul(rms_norm9, permute_dims37, out_dtype=None)
            gv1: R.Tuple(R.Tensor((b, 1, 13), dtype="float32"), R.Tensor((p, 2, 2, 4, 4), dtype="float32"), R.Tensor((p, 2, 2, 4, 4), dtype="float32")) = matmul25, lv24, lv32
            R.output(gv1)
        return gv1

    @R.function
    def prefill(ids: R.Tensor((b, n), dtype="int32"), table: R.Tensor((b, w), dtype="int32"), lengths: R.Tensor((b,), dtype="int32"), pages0: R.Tensor((p, 2, 2, 4, 4), dtype="float32"), pages1: R.Tensor((p, 2, 2, 4, 4), dtype="float32"), embed_weight: R.Tensor((13, 16), dtype="float32"), layers_0_norm1_weight: R.Tensor((16,), dtype="float32"), layers_0_norm2_weight: R.Tensor((16,), dtype="float32"), layers_0_qkv_words: R.Tensor((32, 2), dtype="uint32"), layers_0_qkv_scale: R.Tensor((32, 2), dtype="float32"), layers_0_o_words: R.Tensor((16, 2), dtype="uint32"), layers_0_o_scale: R.Tensor((16, 2), dtype="float32"), layers_0_up_words: R.Tensor((48, 2), dtype="uint32"), layers_0_up_scale: R.Tensor((48, 2), dtype="float32"), layers_0_down_words: R.Tensor((16, 3), dtype="uint32"), layers_0_down_scale: R.Tensor((16, 3), dtype="float32"), layers_1_norm1_weight: R.Tensor((16,), dtype="float32"), layers_1_norm2_weight: R.Tensor((16,), dtype="float32"), layers_1_qkv_words: R.Tensor((32, 2), dtype="uint32"), layers_1_qkv_scale: R.Tensor((32, 2), dtype="float32"), layers_1_o_words: R.Tensor((16, 2), dtype="uint32"), layers_1_o_scale: R.Tensor((16, 2), dtype="float32"), layers_1_up_words: R.Tensor((48, 2), dtype="uint32"), layers_1_up_scale: R.Tensor((48, 2), dtype="float32"), layers_1_down_words: R.Tensor((16, 3), dtype="uint32"), layers_1_down_scale: R.Tensor((16, 3), dtype="float32"), norm_weight: R.Tensor((16,), dtype="float32"), head_words: R.Tensor((13, 2), dtype="uint32"), head_scale: R.Tensor((13, 2), dtype="float32")) -> R.Tuple(R.Tensor((b, 1, 13), dtype="float32"), R.Tensor((p, 2, 2, 4, 4), dtype="float32"), R.Tensor((p, 2, 2, 4, 4), dtype="float32")):
        R.func_attr({"num_input": 5, "tir_var_lower_bound": {"b": 1, "n": 1, "p": 1, "w": 1}, "tir_var_upper_bound": {"b": 2, "n": 1024, "p": 256, "w": 128}})
        cls = Module
        with R.dataflow():
            lv = R.call_tir(cls.positions, (lengths, n), out_ty=R.Tensor((b * n,), dtype="int32"))
            lv1 = R.call_tir(cls.mask, (lengths, table), out_ty=R.Tensor((b, 1, n, w * 4), dtype="float32"))
            reshape: R.Tensor((b * n,), dtype="int32") = R.reshape(ids, R.shape([b * n]))
            take: R.Tensor((b * n, 16), dtype="float32") = R.take(embed_weight, reshape, axis=0, mode="fast")
            reshape1: R.Tensor((b, n, 16), dtype="float32") = R.reshape(take, R.shape([b, n, 16]))
            rms_norm: R.Tensor((b, n, 16), dtype="float32") = R.nn.rms_norm(reshape1, layers_0_norm1_weight, axes=[-1], epsilon=1.0000000000000001e-05)
            lv2 = R.call_tir(cls.decode_q4, (layers_0_qkv_words, layers_0_qkv_scale), out_ty=R.Tensor((32, 16), dtype="float32"))
            permute_dims: R.Tensor((16, 32), dtype="float32") = R.permute_dims(lv2, axes=[1, 0])
            matmul: R.Tensor((b, n, 32), dtype="float32") = R.matmul(rms_norm, permute_dims, out_dtype=None)
            reshape2: R.Tensor((b * n, 8, 4), dtype="float32") = R.reshape(matmul, R.shape([b * n, 8, 4]))
            lv3 = R.call_tir(cls.rope, (reshape2, lv, b, n), out_ty=[R.Tensor((b * n, 4, 4), dtype="float32"), R.Tensor((b * n, 2, 4), dtype="float32"), R.Tensor((b * n, 2, 4), dtype="float32")])
            rope_0: R.Tensor((b * n, 4, 4), dtype="float32") = lv3[0]
            rope_1: R.Tensor((b * n, 2, 4), dtype="float32") = lv3[1]
            rope_2: R.Tensor((b * n, 2, 4), dtype="float32") = lv3[2]
            reshape3: R.Tensor((b, n, 2, 4), dtype="float32") = R.reshape(rope_1, R.shape([b, n, 2, 4]))
            reshape4: R.Tensor((b, n, 2, 4), dtype="float32") = R.reshape(rope_2, R.shape([b, n, 2, 4]))
            lv4: R.Tensor((p, 2, 2, 4, 4), dtype="float32") = R.call_tir_inplace(cls.append, (pages0, table, lengths, reshape3, reshape4), out_ty=R.Tensor((p, 2, 2, 4, 4), dtype="float32"), inplace_indices=[0])
            reshape5: R.Tensor((b, n, 4, 4), dtype="float32") = R.reshape(rope_0, R.shape([b, n, 4, 4]))
            lv5 = R.call_tir(cls.gather, (lv4, table), out_ty=R.Tensor((b, w * 4, 2, 4), dtype="float32"))
            lv6 = R.call_tir(cls.gather1, (lv4, table), out_ty=R.Tensor((b, w * 4, 2, 4), dtype="float32"))
            permute_dims1: R.Tensor((b, 2, w * 4, 4), dtype="float32") = R.permute_dims(lv5, axes=[0, 2, 1, 3])
            repeat: R.Tensor((b, 4, w * 4, 4), dtype="float32") = R.repeat(permute_dims1, repeats=2, axis=1)
            permute_dims2: R.Tensor((b, 2, w * 4, 4), dtype="float32") = R.permute_dims(lv6, axes=[0, 2, 1, 3])
            repeat1: R.Tensor((b, 4, w * 4, 4), dtype="float32") = R.repeat(permute_dims2, repeats=2, axis=1)
            permute_dims3: R.Tensor((b, 4, n, 4), dtype="float32") = R.permute_dims(reshape5, axes=[0, 2, 1, 3])
            permute_dims4: R.Tensor((b, 4, 4, w * 4), dtype="float32") = R.permute_dims(repeat, axes=[0, 1, 3, 2])
            matmul1: R.Tensor((b, 4, n, w * 4), dtype="float32") = R.matmul(permute_dims3, permute_dims4, out_dtype=None)
            mul: R.Tensor((b, 4, n, w * 4), dtype="float32") = R.multiply(matmul1, R.const(0.5, "float32"))
            add: R.Tensor((b, 4, n, w * 4), dtype="float32") = R.add(mul, lv1)
            softmax: R.Tensor((b, 4, n, w * 4), dtype="float32") = R.nn.softmax(add, axis=-1)
            matmul2: R.Tensor((b, 4, n, 4), dtype="float32") = R.matmul(softmax, repeat1, out_dtype=None)
            permute_dims5: R.Tensor((b, n, 4, 4), dtype="float32") = R.permute_dims(matmul2, axes=[0, 2, 1, 3])
            reshape6: R.Tensor((b, n, 16), dtype="float32") = R.reshape(permute_dims5, R.shape([b, n, 16]))
            lv7 = R.call_tir(cls.decode_q41, (layers_0_o_words, layers_0_o_scale), out_ty=R.Tensor((16, 16), dtype="float32"))
            permute_dims6: R.Tensor((16, 16), dtype="float32") = R.permute_dims(lv7, axes=[1, 0])
            matmul3: R.Tensor((b, n, 16), dtype="float32") = R.matmul(reshape6, permute_dims6, out_dtype=None)
            add1: R.Tensor((b, n, 16), dtype="float32") = R.add(reshape1, matmul3)
            rms_norm1: R.Tensor((b, n, 16), dtype="float32") = R.nn.rms_norm(add1, layers_0_norm2_weight, axes=[-1], epsilon=1.0000000000000001e-05)
            lv8 = R.call_tir(cls.decode_q42, (layers_0_up_words, layers_0_up_scale), out_ty=R.Tensor((48, 16), dtype="float32"))
            permute_dims7: R.Tensor((16, 48), dtype="float32") = R.permute_dims(lv8, axes=[1, 0])
            matmul4: R.Tensor((b, n, 48), dtype="float32") = R.matmul(rms_norm1, permute_dims7, out_dtype=None)
            split: R.Tuple(R.Tensor((b, n, 24), dtype="float32"), R.Tensor((b, n, 24), dtype="float32")) = R.split(matmul4, indices_or_sections=2, axis=-1)
            split_0: R.Tensor((b, n, 24), dtype="float32") = split[0]
            split_1: R.Tensor((b, n, 24), dtype="float32") = split[1]
            silu: R.Tensor((b, n, 24), dtype="float32") = R.nn.silu(split_0)
            mul1: R.Tensor((b, n, 24), dtype="float32") = R.multiply(silu, split_1)
            lv9 = R.call_tir(cls.decode_q43, (layers_0_down_words, layers_0_down_scale), out_ty=R.Tensor((16, 24), dtype="float32"))
            permute_dims8: R.Tensor((24, 16), dtype="float32") = R.permute_dims(lv9, axes=[1, 0])
            matmul5: R.Tensor((b, n, 16), dtype="float32") = R.matmul(mul1, permute_dims8, out_dtype=None)
            add2: R.Tensor((b, n, 16), dtype="float32") = R.add(add1, matmul5)
            rms_norm2: R.Tensor((b, n, 16), dtype="float32") = R.nn.rms_norm(add2, layers_1_norm1_weight, axes=[-1], epsilon=1.0000000000000001e-05)
            lv10 = R.call_tir(cls.decode_q4, (layers_1_qkv_words, layers_1_qkv_scale), out_ty=R.Tensor((32, 16), dtype="float32"))
            permute_dims9: R.Tensor((16, 32), dtype="float32") = R.permute_dims(lv10, axes=[1, 0])
            matmul6: R.Tensor((b, n, 32), dtype="float32") = R.matmul(rms_norm2, permute_dims9, out_dtype=None)
            reshape7: R.Tensor((b * n, 8, 4), dtype="float32") = R.reshape(matmul6, R.shape([b * n, 8, 4]))
            lv11 = R.call_tir(cls.rope, (reshape7, lv, b, n), out_ty=[R.Tensor((b * n, 4, 4), dtype="float32"), R.Tensor((b * n, 2, 4), dtype="float32"), R.Tensor((b * n, 2, 4), dtype="float32")])
            rope_01: R.Tensor((b * n, 4, 4), dtype="float32") = lv11[0]
            rope_11: R.Tensor((b * n, 2, 4), dtype="float32") = lv11[1]
            rope_21: R.Tensor((b * n, 2, 4), dtype="float32") = lv11[2]
            reshape8: R.Tensor((b, n, 2, 4), dtype="float32") = R.reshape(rope_11, R.shape([b, n, 2, 4]))
            reshape9: R.Tensor((b, n, 2, 4), dtype="float32") = R.reshape(rope_21, R.shape([b, n, 2, 4]))
            lv12: R.Tensor((p, 2, 2, 4, 4), dtype="float32") = R.call_tir_inplace(cls.append, (pages1, table, lengths, reshape8, reshape9), out_ty=R.Tensor((p, 2, 2, 4, 4), dtype="float32"), inplace_indices=[0])
            reshape10: R.Tensor((b, n, 4, 4), dtype="float32") = R.reshape(rope_01, R.shape([b, n, 4, 4]))
            lv13 = R.call_tir(cls.gather, (lv12, table), out_ty=R.Tensor((b, w * 4, 2, 4), dtype="float32"))
            lv14 = R.call_tir(cls.gather1, (lv12, table), out_ty=R.Tensor((b, w * 4, 2, 4), dtype="float32"))
            permute_dims10: R.Tensor((b, 2, w * 4, 4), dtype="float32") = R.permute_dims(lv13, axes=[0, 2, 1, 3])
            repeat2: R.Tensor((b, 4, w * 4, 4), dtype="float32") = R.repeat(permute_dims10, repeats=2, axis=1)
            permute_dims11: R.Tensor((b, 2, w * 4, 4), dtype="float32") = R.permute_dims(lv14, axes=[0, 2, 1, 3])
            repeat3: R.Tensor((b, 4, w * 4, 4), dtype="float32") = R.repeat(permute_dims11, repeats=2, axis=1)
            permute_dims12: R.Tensor((b, 4, n, 4), dtype="float32") = R.permute_dims(reshape10, axes=[0, 2, 1, 3])
            permute_dims13: R.Tensor((b, 4, 4, w * 4), dtype="float32") = R.permute_dims(repeat2, axes=[0, 1, 3, 2])
            matmul7: R.Tensor((b, 4, n, w * 4), dtype="float32") = R.matmul(permute_dims12, permute_dims13, out_dtype=None)
            mul2: R.Tensor((b, 4, n, w * 4), dtype="float32") = R.multiply(matmul7, R.const(0.5, "float32"))
            add3: R.Tensor((b, 4, n, w * 4), dtype="float32") = R.add(mul2, lv1)
            softmax1: R.Tensor((b, 4, n, w * 4), dtype="float32") = R.nn.softmax(add3, axis=-1)
            matmul8: R.Tensor((b, 4, n, 4), dtype="float32") = R.matmul(softmax1, repeat3, out_dtype=None)
            permute_dims14: R.Tensor((b, n, 4, 4), dtype="float32") = R.permute_dims(matmul8, axes=[0, 2, 1, 3])
            reshape11: R.Tensor((b, n, 16), dtype="float32") = R.reshape(permute_dims14, R.shape([b, n, 16]))
            lv15 = R.call_tir(cls.decode_q41, (layers_1_o_words, layers_1_o_scale), out_ty=R.Tensor((16, 16), dtype="float32"))
            permute_dims15: R.Tensor((16, 16), dtype="float32") = R.permute_dims(lv15, axes=[1, 0])
            matmul9: R.Tensor((b, n, 16), dtype="float32") = R.matmul(reshape11, permute_dims15, out_dtype=None)
            add4: R.Tensor((b, n, 16), dtype="float32") = R.add(add2, matmul9)
            rms_norm3: R.Tensor((b, n, 16), dtype="float32") = R.nn.rms_norm(add4, layers_1_norm2_weight, axes=[-1], epsilon=1.0000000000000001e-05)
            lv16 = R.call_tir(cls.decode_q42, (layers_1_up_words, layers_1_up_scale), out_ty=R.Tensor((48, 16), dtype="float32"))
            permute_dims16: R.Tensor((16, 48), dtype="float32") = R.permute_dims(lv16, axes=[1, 0])
            matmul10: R.Tensor((b, n, 48), dtype="float32") = R.matmul(rms_norm3, permute_dims16, out_dtype=None)
            split1: R.Tuple(R.Tensor((b, n, 24), dtype="float32"), R.Tensor((b, n, 24), dtype="float32")) = R.split(matmul10, indices_or_sections=2, axis=-1)
            split_01: R.Tensor((b, n, 24), dtype="float32") = split1[0]
            split_11: R.Tensor((b, n, 24), dtype="float32") = split1[1]
            silu1: R.Tensor((b, n, 24), dtype="float32") = R.nn.silu(split_01)
            mul3: R.Tensor((b, n, 24), dtype="float32") = R.multiply(silu1, split_11)
            lv17 = R.call_tir(cls.decode_q43, (layers_1_down_words, layers_1_down_scale), out_ty=R.Tensor((16, 24), dtype="float32"))
            permute_dims17: R.Tensor((24, 16), dtype="float32") = R.permute_dims(lv17, axes=[1, 0])
            matmul11: R.Tensor((b, n, 16), dtype="float32") = R.matmul(mul3, permute_dims17, out_dtype=None)
            add5: R.Tensor((b, n, 16), dtype="float32") = R.add(add4, matmul11)
            lv18 = R.call_tir(cls.last, (add5,), out_ty=R.Tensor((b, 1, 16), dtype="float32"))
            rms_norm4: R.Tensor((b, 1, 16), dtype="float32") = R.nn.rms_norm(lv18, norm_weight, axes=[-1], epsilon=1.0000000000000001e-05)
            lv19 = R.call_tir(cls.decode_q44, (head_words, head_scale), out_ty=R.Tensor((13, 16), dtype="float32"))
            permute_dims18: R.Tensor((16, 13), dtype="float32") = R.permute_dims(lv19, axes=[1, 0])
            matmul12: R.Tensor((b, 1, 13), dtype="float32") = R.matmul(rms_norm4, permute_dims18, out_dtype=None)
            gv: R.Tuple(R.Tensor((b, 1, 13), dtype="float32"), R.Tensor((p, 2, 2, 4, 4), dtype="float32"), R.Tensor((p, 2, 2, 4, 4), dtype="float32")) = matmul12, lv4, lv12
            R.output(gv)
        return gv
