"""One or more calls for every operator that legalization knows: ``(operator, parameters, call)``.

``T(…)`` abbreviates ``R.Tensor((…), "float32")``; ``n`` and ``m`` are symbolic.
"""

from __future__ import annotations

import re

from refrelax.testing.alike import ELEMENTWISE

F = "R.Tensor(({}), dtype='{}')"


def _expand(text: str) -> str:
    """``f32[n, 3]`` to a tensor type."""
    names = {"f": "float", "i": "int", "u": "uint"}

    def one(found: re.Match[str]) -> str:
        kind, width, dims = found.groups()
        dtype = {"b": "bool", "bf": "bfloat16"}.get(kind) or names[kind] + width
        inside = dims + "," if dims and "," not in dims else dims
        return F.format(inside, dtype)

    return re.sub(r"\b(bf|f|i|u|b)(\d*)\[([^\]]*)\]", one, text)


def module_text(params: str, call: str) -> str:
    """A module whose ``main`` makes the call."""
    return f"""
from tvm.script import ir as I, relax as R, tirx as T
n, m = T.int64(), T.int64()

@I.ir_module
class Module:
    @R.function
    def main({_expand(params)}):
        with R.dataflow():
            gv = {call}
            R.output(gv)
        return gv
"""


ONE_FLOAT = [
    "exp",
    "log",
    "sqrt",
    "rsqrt",
    "sigmoid",
    "erf",
    "sin",
    "cos",
    "tan",
    "sinh",
    "cosh",
    "tanh",
    "asin",
    "acos",
    "atan",
    "asinh",
    "acosh",
    "atanh",
    "nn.silu",
    "nn.gelu",
    "nn.gelu_tanh",
    "nn.selu",
]
ONE_ANY = [
    "abs",
    "negative",
    "sign",
    "square",
    "floor",
    "ceil",
    "round",
    "trunc",
    "logical_not",
    "nn.relu",
    "isnan",
    "isinf",
    "isfinite",
]
TWO = [
    "add",
    "subtract",
    "multiply",
    "divide",
    "floor_divide",
    "mod",
    "floor_mod",
    "maximum",
    "minimum",
    "equal",
    "not_equal",
    "less",
    "less_equal",
    "greater",
    "greater_equal",
    "logical_and",
    "logical_or",
    "logical_xor",
]
BITS = ["bitwise_and", "bitwise_or", "bitwise_xor"]
REDUCE = ["sum", "prod", "max", "min"]
STAT = ["mean", "variance"]

CASES: list[tuple[str, str, str]] = [
    *[(op, "x: f32[n, 3]", f"R.{op}(x)") for op in ONE_FLOAT + ONE_ANY],
    *[(op, "x: f16[5]", f"R.{op}(x)") for op in ("exp", "nn.gelu", "nn.silu", "negative", "nn.gelu_tanh")],
    *[(op, "x: i32[n, 3]", f"R.{op}(x)") for op in ONE_ANY],
    *[(op, "x: u8[7]", f"R.{op}(x)") for op in ("abs", "negative", "sign", "square", "bitwise_not", "logical_not")],
    *[(op, "x: b[7]", f"R.{op}(x)") for op in ("abs", "sign", "square", "logical_not", "bitwise_not")],
    ("bitwise_not", "x: i32[5]", "R.bitwise_not(x)"),
    *[(op, "x: f32[n, 3], y: f32[3]", f"R.{op}(x, y)") for op in (*TWO, "power", "atan2", "log_add_exp")],
    *[(op, "x: i32[n, 1, 3], y: i32[2, 1]", f"R.{op}(x, y)") for op in (*TWO, *BITS)],
    *[(op, "x: b[n], y: b[n]", f"R.{op}(x, y)") for op in ("add", "multiply", "maximum", "less", "equal", *BITS)],
    *[(op, "x: b[n], y: b[n]", f"R.{op}(x, y)") for op in ("power", "logical_and", "logical_or", "logical_xor")],
    *[(op, "x: f64[4], y: b[4]", f"R.{op}(x, y)") for op in ("add", "less")],
    *[(op, "x: i32[n], y: i32[n]", f"R.{op}(x, y)") for op in ("left_shift", "right_shift")],
    ("add", "x: f32[n, 3]", "R.add(x, R.const(2.5, 'float32'))"),
    ("add", "x: f32[0, 3], y: f32[3]", "R.add(x, y)"),
    ("add", "x: f32[], y: f32[]", "R.add(x, y)"),
    ("add", "k: f32[n], x: f32[n + 1, 2], y: f32[n + 1, 2]", "R.add(x, y)"),
    ("multiply", "x: bf[n, 4], y: bf[n, 4]", "R.multiply(x, y)"),
    ("astype", "x: f32[n, 2]", "R.astype(x, dtype='int32')"),
    ("astype", "x: i32[n, 2]", "R.astype(x, dtype='float16')"),
    ("astype", "x: f32[5]", "R.astype(x, dtype='bool')"),
    ("wrap_param", "x: i32[5]", "R.wrap_param(x, dtype='float32')"),
    ("nn.leakyrelu", "x: f32[n, 2]", "R.nn.leakyrelu(x, alpha=0.1)"),
    ("nn.softplus", "x: f32[n, 2]", "R.nn.softplus(x, beta=0.5, threshold=2.0)"),
    ("nn.prelu", "x: f32[2, 3, 4], a: f32[3]", "R.nn.prelu(x, a, axis=1)"),
    ("nn.prelu", "x: f32[2, 3, 4], a: f32[1]", "R.nn.prelu(x, a, axis=1)"),
    ("where", "c: b[n, 1], x: f32[3], y: f32[n, 3]", "R.where(c, x, y)"),
    ("clip", "x: f32[n, 3]", "R.clip(x, R.prim_value(T.float32(-0.5)), R.prim_value(T.float32(0.75)))"),
    ("clip", "x: i32[n, 3]", "R.clip(x, -2, 3)"),
    ("ewise_fma", "x: f32[n], y: f32[n], z: f32[n]", "R.ewise_fma(x, y, z)"),
    # products and reductions
    ("matmul", "x: f32[n, 3], y: f32[3, 4]", "R.matmul(x, y)"),
    ("matmul", "x: f32[2, n, m], y: f32[m, 4]", "R.matmul(x, y)"),
    ("matmul", "x: f16[2, 1, 3, 4], y: f16[5, 4, 2]", "R.matmul(x, y, out_dtype='float32')"),
    ("matmul", "x: f32[4], y: f32[4, 3]", "R.matmul(x, y)"),
    ("matmul", "x: f32[2, 4], y: f32[4]", "R.matmul(x, y)"),
    ("matmul", "x: f32[n], y: f32[n]", "R.matmul(x, y)"),
    ("matmul", "x: i8[2, 3], y: i8[3, 2]", "R.matmul(x, y, out_dtype='int32')"),
    *[(op, "x: f32[n, 3, m]", f"R.{op}(x, axis=[0, 2])") for op in REDUCE + STAT + ["std"]],
    *[(op, "x: f32[2, n, 3]", f"R.{op}(x, axis=-2, keepdims=True)") for op in REDUCE + STAT + ["std"]],
    *[(op, "x: f32[2, 3]", f"R.{op}(x)") for op in REDUCE + STAT + ["std"]],
    *[(op, "x: i32[n, 3]", f"R.{op}(x, axis=1)") for op in REDUCE + STAT],
    *[(op, "x: b[3, 4]", f"R.{op}(x, axis=1)") for op in REDUCE],
    ("sum", "x: f32[3, 0]", "R.sum(x, axis=1)"),
    ("prod", "x: f32[0, 2]", "R.prod(x, axis=0)"),
    *[(op, "x: f32[n, 5]", f"R.{op}(x, axis=1)") for op in ("argmax", "argmin")],
    *[(op, "x: i32[2, 3, 4]", f"R.{op}(x)") for op in ("argmax", "argmin")],
    *[(op, "x: b[3, 4]", f"R.{op}(x, axis=-1, keepdims=True)") for op in ("argmax", "argmin")],
    *[(op, "x: f32[2, n, 4]", f"R.{op}(x, axis=-1)") for op in ("nn.softmax", "nn.log_softmax")],
    *[(op, "x: f32[2, n, 4]", f"R.{op}(x, axis=1)") for op in ("nn.softmax", "nn.log_softmax")],
    *[(op, "x: f16[2, 3]", f"R.{op}(x, axis=0)") for op in ("nn.softmax", "nn.log_softmax")],
    *[(op, "x: f32[n, 3]", f"R.{op}(x, axis=0)") for op in ("cumsum", "cumprod")],
    *[(op, "x: i32[2, 3]", f"R.{op}(x, axis=1, exclusive=True, dtype='int64')") for op in ("cumsum", "cumprod")],
    ("cumsum", "x: f32[2, 3]", "R.cumsum(x)"),
    # the same elements elsewhere
    ("reshape", "x: f32[n, 4, 6]", "R.reshape(x, R.shape([n, 3, 8]))"),
    ("reshape", "x: f32[2, n, 3]", "R.reshape(x, R.shape([2 * n, 3]))"),
    ("reshape", "k: f32[n], x: f32[n * 4, 3]", "R.reshape(x, R.shape([n, 4, 3]))"),
    ("reshape", "x: f32[1, n, 1, 6]", "R.reshape(x, R.shape([n, 2, 1, 3]))"),
    ("reshape", "x: f32[n, m]", "R.reshape(x, R.shape([m, n]))"),
    ("reshape", "x: f32[3, 6]", "R.reshape(x, (-1, 2))"),
    ("reshape", "x: f32[]", "R.reshape(x, R.shape([1, 1]))"),
    ("flatten", "x: f32[n, 3, 2]", "R.flatten(x)"),
    ("nn.batch_flatten", "x: f32[n, 3, 2]", "R.nn.batch_flatten(x)"),
    ("expand_dims", "x: f32[n, 3]", "R.expand_dims(x, axis=[0, -1])"),
    ("squeeze", "x: f32[1, n, 1]", "R.squeeze(x, axis=[0])"),
    ("permute_dims", "x: f32[n, 3, 4]", "R.permute_dims(x, axes=[2, 0, 1])"),
    ("permute_dims", "x: f32[n, 3]", "R.permute_dims(x)"),
    ("broadcast_to", "x: f32[n, 1]", "R.broadcast_to(x, R.shape([2, n, 3]))"),
    # creation
    ("full", "x: f32[n, 3], v: f32[]", "R.full(R.shape([n, 2]), v, dtype='float32')"),
    ("full", "x: f32[n, 3]", "R.full(R.shape([n, 2]), R.const(1, 'int32'), dtype='float16')"),
    ("full_like", "x: f32[n, 3]", "R.full_like(x, R.const(2.5, 'float32'))"),
    ("ones", "x: f32[n, 3]", "R.ones(R.shape([n, 2]), dtype='float32')"),
    ("zeros", "x: f32[n, 3]", "R.zeros(R.shape([n * 2]), dtype='bool')"),
    ("ones_like", "x: f32[n, 3]", "R.ones_like(x)"),
    ("zeros_like", "x: i32[n, 3]", "R.zeros_like(x, dtype='float32')"),
    ("eye", "x: f32[n, 3]", "R.eye(n, 4, 1, dtype='float32')"),
    ("eye_like", "x: f32[n, 3]", "R.eye_like(x, -1)"),
    ("arange", "x: f32[n, 3]", "R.arange(1, n, 2, dtype='int64')"),
    ("arange", "x: f32[n, 3]", "R.arange(0, n, 1, dtype='float32')"),
    ("arange", "x: f32[2]", "R.arange(2, 11, 3, dtype='float16')"),
    ("arange", "x: f32[2]", "R.arange(0.5, 2.0, 0.25, dtype='float32')"),
    ("tril", "x: f32[2, n, 3]", "R.tril(x, 1)"),
    ("triu", "x: i32[n, 3]", "R.triu(x, n - 2)"),
    ("hamming_window", "x: f32[2]", "R.hamming_window(7, False, T.float32(0.54), T.float32(0.46), 'float32')"),
    ("nn.dropout", "x: f32[n, 3]", "R.nn.dropout(x, rate=0.5)"),
    ("nn.pad", "x: f32[n, 3]", "R.nn.pad(x, pad_width=[0, 0, 1, 2], pad_mode='constant', pad_value=1.5)"),
    ("nn.pad", "x: f32[2, 3]", "R.nn.pad(x, pad_width=[1, 1, 0, 2], pad_mode='reflect')"),
    ("nn.pad", "x: f32[n, 3]", "R.nn.pad(x, pad_width=[1, 0, 2, 1], pad_mode='replicate')"),
    ("nn.pad", "x: f32[2, 3]", "R.nn.pad(x, pad_width=[1, 0, 4, 1], pad_mode='circular')"),
    ("nn.pixel_shuffle", "x: f32[n, 8, 2, 3]", "R.nn.pixel_shuffle(x, upscale_factor=2)"),
    # joining
    ("concat", "x: f32[n, 3], y: f32[n, 1], z: f32[n, 2]", "R.concat((x, y, z), axis=-1)"),
    ("concat", "x: f32[n, 2], y: f32[m, 2]", "R.concat((x, y), axis=0)"),
    ("concat", "x: R.Tuple(f32[n, 2], f32[3, 2])", "R.concat(x, axis=0)"),
    ("stack", "x: f32[n, 3], y: f32[n, 3]", "R.stack((x, y), axis=1)"),
    ("split", "x: f32[n, 7]", "R.split(x, [2, 5], axis=1)"),
    ("split", "x: f32[n, 7]", "R.split(x, 3, axis=1)"),
    ("split", "x: f32[n, 7]", "R.split(x, 2, axis=0)"),
    ("split", "x: f32[n, 2]", "R.split(x, [2], axis=0)"),
    ("repeat", "x: f32[n, 3]", "R.repeat(x, repeats=2, axis=0)"),
    ("repeat", "x: f32[2, 3]", "R.repeat(x, repeats=2)"),
    ("tile", "x: f32[n, 3]", "R.tile(x, repeats=[2, 1, 2])"),
    ("flip", "x: f32[n, 3]", "R.flip(x, axis=0)"),
    ("strided_slice", "x: f32[n, 8]", "R.strided_slice(x, axes=[1], begin=[1], end=[7], strides=[2])"),
    ("strided_slice", "x: f32[n, 8]", "R.strided_slice(x, axes=[1], begin=[-1], end=[-9], strides=[-3])"),
    ("strided_slice", "x: f32[n, 8]", "R.strided_slice(x, axes=[0], begin=[0], end=[n])"),
    (
        "strided_slice",
        "k: f32[n], x: f32[n + 2, 8]",
        "R.strided_slice(x, axes=[0], begin=[1], end=[n + 1], assume_inbound=True)",
    ),
    ("take", "x: f32[n, 3], i: i64[2, 2]", "R.take(x, i, axis=0)"),
    ("take", "x: f32[4, 3], i: i32[5]", "R.take(x, i, axis=1, mode='clip')"),
    ("take", "x: f32[n, 3], i: i32[5]", "R.take(x, i, axis=0, mode='wrap')"),
    ("take", "x: f32[n, 3], i: i64[5]", "R.take(x, i, axis=0, mode='nan')"),
    ("take", "x: f32[n, 3]", "R.take(x, R.prim_value(1), axis=1)"),
    # norms
    ("nn.layer_norm", "x: f32[n, 3, 4], g: f32[3, 4], b: f32[3, 4]", "R.nn.layer_norm(x, g, b, axes=[-2, -1])"),
    ("nn.layer_norm", "x: f16[2, n], g: f16[n], b: f16[n]", "R.nn.layer_norm(x, g, b, axes=[-1], epsilon=0.01)"),
    ("nn.rms_norm", "x: f32[n, 4], w: f32[4]", "R.nn.rms_norm(x, w, axes=[-1])"),
    ("nn.rms_norm", "x: f16[2, 3], w: f16[3]", "R.nn.rms_norm(x, w, axes=[-1])"),
    (
        "nn.group_norm",
        "x: f32[n, 4, 3], g: f32[4], b: f32[4]",
        "R.nn.group_norm(x, g, b, num_groups=2, channel_axis=1, axes=[2])",
    ),
    (
        "nn.instance_norm",
        "x: f32[n, 4, 3], g: f32[4], b: f32[4]",
        "R.nn.instance_norm(x, g, b, channel_axis=1, axes=[2])",
    ),
    *[
        (
            "nn.batch_norm",
            "x: f32[n, 3, 2], g: f32[3], b: f32[3], a: f32[3], v: f32[3]",
            f"R.nn.batch_norm(x, g, b, a, v, axis=1, training={training})",
        )
        for training in (True, False)
    ],
    # windows
    ("nn.conv1d", "x: f32[n, 2, 7], w: f32[3, 2, 3]", "R.nn.conv1d(x, w, strides=2, padding=1)"),
    ("nn.conv1d", "k: f32[n], x: f32[1, 2, n + 4], w: f32[3, 2, 3]", "R.nn.conv1d(x, w)"),
    (
        "nn.conv2d",
        "x: f32[n, 4, 5, 3], w: f32[2, 2, 3, 2]",
        "R.nn.conv2d(x, w, strides=[1, 2], padding=[1, 0, 1, 1], dilation=[2, 1], groups=2)",
    ),
    (
        "nn.conv2d",
        "x: f32[n, 4, 5, 2], w: f32[3, 3, 2, 3]",
        "R.nn.conv2d(x, w, padding=1, data_layout='NHWC', kernel_layout='HWIO')",
    ),
    ("nn.conv2d", "x: f16[1, 2, 3, 4], w: f16[1, 2, 2, 2]", "R.nn.conv2d(x, w, out_dtype='float32')"),
    ("nn.conv3d", "x: f32[1, 1, 3, 2, 4], w: f32[2, 1, 2, 1, 2]", "R.nn.conv3d(x, w, padding=[1, 0, 0])"),
    ("nn.conv1d_transpose", "x: f32[n, 4, 5], w: f32[4, 3, 2]", "R.nn.conv1d_transpose(x, w, strides=2, padding=1)"),
    (
        "nn.conv2d_transpose",
        "x: f32[1, 4, 2, 3], w: f32[4, 1, 3, 2]",
        "R.nn.conv2d_transpose(x, w, strides=[2, 1], padding=[1, 0], output_padding=[1, 0], groups=2)",
    ),
    ("nn.conv3d_transpose", "x: f32[1, 1, 2, 1, 2], w: f32[1, 2, 2, 1, 2]", "R.nn.conv3d_transpose(x, w)"),
    ("nn.max_pool1d", "x: f32[n, 2, 7]", "R.nn.max_pool1d(x, pool_size=3, strides=2, padding=1)"),
    ("nn.max_pool2d", "x: f32[n, 2, 5, 4]", "R.nn.max_pool2d(x, pool_size=[2, 2], strides=[2, 1], ceil_mode=True)"),
    ("nn.max_pool2d", "x: i32[1, 2, 5, 4]", "R.nn.max_pool2d(x, pool_size=[2, 3], dilation=[2, 1])"),
    ("nn.max_pool3d", "x: f32[1, 2, 3, 2, 4]", "R.nn.max_pool3d(x, pool_size=2)"),
    ("nn.avg_pool1d", "x: f32[n, 2, 7]", "R.nn.avg_pool1d(x, pool_size=3, strides=2, padding=1)"),
    (
        "nn.avg_pool2d",
        "x: f32[n, 2, 5, 4]",
        "R.nn.avg_pool2d(x, pool_size=[2, 3], strides=2, padding=1, count_include_pad=True)",
    ),
    ("nn.avg_pool2d", "x: f32[1, 2, 5, 4]", "R.nn.avg_pool2d(x, pool_size=2, dilation=2, padding=1)"),
    ("nn.avg_pool3d", "x: f32[1, 2, 3, 2, 4]", "R.nn.avg_pool3d(x, pool_size=2, strides=2, ceil_mode=True)"),
    ("nn.adaptive_avg_pool1d", "x: f32[n, 2, 7]", "R.nn.adaptive_avg_pool1d(x, output_size=3)"),
    ("nn.adaptive_avg_pool2d", "x: f32[1, 2, 5, 4]", "R.nn.adaptive_avg_pool2d(x, output_size=[2, 3])"),
    ("nn.adaptive_avg_pool3d", "x: f32[1, 2, 3, 2, 4]", "R.nn.adaptive_avg_pool3d(x, output_size=[2, 1, 3])"),
    # attention
    (
        "nn.attention",
        "q: f32[2, n, 4, 3], k: f32[2, m, 2, 3], v: f32[2, m, 2, 5]",
        "R.nn.attention(q, k, v)",
    ),
    (
        "nn.attention",
        "q: f32[1, n, 2, 4], k: f32[1, m, 2, 4], v: f32[1, m, 2, 3]",
        "R.nn.attention(q, k, v, scale=0.3, causal_mask='TopLeft')",
    ),
    (
        "nn.attention_bias",
        "q: f32[1, n, 2, 4], k: f32[1, 3, 1, 4], v: f32[1, 3, 1, 2], b: f32[1, 2, n, 3]",
        "R.nn.attention(q, k, v, b, causal_mask='BottomRight')",
    ),
    (
        "nn.attention_var_len",
        "q: f32[n, 5, 4, 3], k: f32[n, 7, 2, 3], v: f32[n, 7, 2, 2], m: i32[]",
        "R.nn.attention_var_len(q, k, v, R.const([0, 2, 2, 5], 'int32'), m, R.const([0, 3, 4, 7], 'int32'), m)",
    ),
    (
        "nn.attention_var_len",
        "q: f32[1, 4, 2, 3], k: f32[1, 4, 2, 3], v: f32[1, 4, 2, 2], m: i64[]",
        "R.nn.attention_var_len(q, k, v, R.const([0, 3, 4], 'int64'), m, R.const([0, 1, 4], 'int64'), m, "
        "causal_mask='BottomRight')",
    ),
    # sums
    ("einsum", "x: f32[n, 3], y: f32[3, 4]", "R.einsum((x, y), subscripts='ij,jk->ik')"),
    ("einsum", "x: f32[2, n, 3], y: f32[2, 3, n]", "R.einsum((x, y), subscripts='...ij,...ji->...')"),
    ("einsum", "x: f32[3, 3]", "R.einsum((x,), subscripts='ii')"),
    ("einsum", "x: f32[2, 3], y: f32[3], z: f32[4]", "R.einsum((x, y, z), subscripts='ij,j,k')"),
    ("outer", "x: f32[n], y: f32[m]", "R.outer(x, y)"),
    ("collapse_sum_like", "x: f32[2, n, 3], y: f32[n, 1]", "R.collapse_sum_like(x, y)"),
    ("collapse_sum_to", "x: f32[2, n, 3]", "R.collapse_sum_to(x, R.shape([1, 3]))"),
    ("nn.cross_entropy_with_logits", "x: f32[n, 3], y: f32[n, 3]", "R.nn.cross_entropy_with_logits(x, y)"),
    ("nn.cross_entropy_with_logits", "x: f32[5], y: f32[5]", "R.nn.cross_entropy_with_logits(x, y)"),
    *[
        ("nn.nll_loss", "x: f32[n, 3, 2], t: i64[n, 2], w: f32[3]", f"R.nn.nll_loss(x, t, w, '{how}', ignore_index=2)")
        for how in ("none", "sum", "mean")
    ],
    ("nn.nll_loss", "x: f32[3], t: i64[]", "R.nn.nll_loss(x, t, reduction='sum')"),
    ("bucketize", "x: f32[n, 2], e: f32[4]", "R.bucketize(x, e, right=True)"),
    ("bucketize", "x: i32[5], e: i32[m]", "R.bucketize(x, e, out_int32=True)"),
    # positions that are data
    ("gather_elements", "x: f32[4, 3], i: i64[4, 2]", "R.gather_elements(x, i, axis=1)"),
    ("gather_nd", "x: f32[2, 4, 3], i: i64[n, 2]", "R.gather_nd(x, i)"),
    ("gather_nd", "x: f32[2, 4, 3], i: i64[2, 5, 1]", "R.gather_nd(x, i, batch_dims=1)"),
    ("index_tensor", "x: f32[3, 4, 2], i: i64[n, 1], j: i32[5]", "R.index_tensor(x, (i, j))"),
    ("reverse_sequence", "x: f32[3, 8, 2]", "R.reverse_sequence(x, R.const([3, 0, 8], 'int32'), seq_axis=1)"),
    *[
        (
            "scatter_elements",
            "x: f32[3, 18], i: i64[2, 4], u: f32[2, 4]",
            f"R.scatter_elements(x, i, u, axis=1, reduction='{how}')",
        )
        for how in ("update", "add", "mul", "min", "max")
    ],
    ("scatter_nd", "x: f32[18, 2], i: i64[5, 1], u: f32[5, 2]", "R.scatter_nd(x, i, u, reduction='add')"),
    ("scatter_nd", "x: f32[18, 19], i: i32[3, 2], u: f32[3]", "R.scatter_nd(x, i, u)"),
    ("index_put", "x: f32[18, 19], i: i64[4], j: i64[4], v: f32[4]", "R.index_put(x, (i, j), v)"),
    ("index_put", "x: f32[18], i: i64[4], v: f32[1]", "R.index_put(x, (i,), v, accumulate=True)"),
    ("slice_scatter", "x: f32[n, 8], y: f32[n, 3]", "R.slice_scatter(x, y, 1, 7, 2, axis=1)"),
    ("grad.max_pool2d_backward", "g: f32[1, 2, 2, 3], x: f32[1, 2, 3, 4]", "R.grad.max_pool2d_backward(g, x, [2, 2])"),
    ("grad.avg_pool2d_backward", "g: f32[1, 2, 2, 3], x: f32[1, 2, 3, 4]", "R.grad.avg_pool2d_backward(g, x, [2, 2])"),
    ("layout_transform", "x: f32[n, 6]", "R.layout_transform(x, index_map=T.index_map(lambda i, j: (j, i)))"),
    ("grad.nll_loss_backward", "g: f32[], x: f32[n, 3], t: i64[n], w: f32[3]", "R.grad.nll_loss_backward(g, x, t, w)"),
    (
        "multinomial_from_uniform",
        "p: f32[2, 3], u: f32[4, 1]",
        "R.multinomial_from_uniform(p, u, R.const([[0], [1], [0], [1]], 'int64'))",
    ),
    (
        "vision.multibox_transform_loc",
        "c: f32[1, 3, 5], l: f32[1, 20], a: f32[1, 5, 4]",
        "R.vision.multibox_transform_loc(c, l, a)",
    ),
    (
        "grad.take_backward",
        "g: f32[2, 4, 3], x: f32[2, 5, 3]",
        "R.grad.take_backward(g, x, R.const([1, 0, 1, 4], 'int64'), axis=1)",
    ),
    (
        "one_hot",
        "i: i64[n, 3]",
        "R.one_hot(i, R.prim_value(T.float32(1.5)), R.prim_value(T.float32(0)), depth=4, axis=1)",
    ),
    ("meshgrid", "x: f32[n], y: f32[m], z: f32[2]", "R.meshgrid((x, y, z), indexing='ij')"),
    ("meshgrid", "x: f32[n], y: f32[m]", "R.meshgrid((x, y), indexing='xy')"),
    ("shape_to_tensor", "x: f32[n, 3]", "R.shape_to_tensor(R.shape([n, 3, n * 2]))"),
    ("size", "x: f32[n, 3]", "R.size(x)"),
    ("quantize", "x: f32[n, 3], a: f32[3], z: i8[3]", "R.quantize(x, a, z, axis=1, out_dtype='int8')"),
    ("quantize", "x: f16[4], a: f16[], z: f16[]", "R.quantize(x, a, z, axis=0, out_dtype='float8_e4m3fn')"),
    ("dequantize", "x: i8[n, 3], a: f32[3], z: i8[3]", "R.dequantize(x, a, z, axis=1, out_dtype='float32')"),
    ("dequantize", "x: u8[4], a: f16[], z: u8[]", "R.dequantize(x, a, z, axis=0, out_dtype='float16')"),
    # orders
    ("sort", "x: f32[n, 5]", "R.sort(x, axis=1)"),
    ("sort", "x: i32[4, n]", "R.sort(x, axis=0, descending=True)"),
    ("sort", "x: b[6]", "R.sort(x)"),
    ("argsort", "x: f32[n, 3]", "R.argsort(x, axis=0, dtype='int32')"),
    ("argsort", "x: i32[2, 6]", "R.argsort(x, descending=True, dtype='int64')"),
    ("topk", "x: f32[3, 6]", "R.topk(x, k=2, axis=1, dtype='int64')"),
    ("topk", "x: f32[7]", "R.topk(x, k=3, largest=False, ret_type='indices', dtype='int32')"),
    ("median", "x: f32[2, n]", "R.median(x, axis=1)"),
    ("median", "x: f32[2, 3]", "R.median(x, keepdims=True)"),
    ("power", "x: i32[n, 3], y: i32[3]", "R.power(x, y)"),
    ("power", "x: u8[5], y: u8[5]", "R.power(x, y)"),
]
CASES += [
    (op, "x: f32[n, 3]", f"R.{op}(x)")
    for op in ELEMENTWISE
    if op not in {name for name, _, _ in CASES} | {"bitwise_not"}
]
"""A new function of each element is legalized as its kin is, and needs no line here."""
