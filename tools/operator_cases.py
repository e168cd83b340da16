"""For every rule of the operators: the operator whose sample it accepts, and a call that it ends.

A row: rule, operator of the accepting sample, annotations of the parameters, expression, arguments or ``None``.
With arguments the call is accepted, and the run ends by the rule (``Unspecified``, ``Trapped``), or gives poison.
"""

# ruff: noqa: E501
from __future__ import annotations

from typing import Any


def t(dims: str, dtype: str = "float32") -> str:
    return f'R.Tensor(({dims}), "{dtype}")'


def u(ndim: int, dtype: str = "float32") -> str:
    return f'R.Tensor(dtype="{dtype}", ndim={ndim})'


def arg(shape: list[int], data: list[Any], dtype: str = "float32") -> dict[str, Any]:
    return {"dtype": dtype, "shape": shape, "data": data}


D2 = 'R.DTensor((2,), "float32", "mesh[0]", "S[0]")'
M23, V3, V2, S = t("2, 3"), t("3,"), t("2,"), t("")
L3, L2, L1 = t("3,", "int64"), t("2,", "int64"), t("1,", "int64")
NMS = (t("1, 1, 4"), t("1, 1, 1"), t("1,", "int64"), 'R.Tensor(dtype="float32")', S)
"""Types of the operands of a suppression of one box in one class."""
ONE_BOX = [arg([1, 1, 4], [0, 0, 1, 1]), arg([1, 1, 1], [1])]
Row = tuple[str, str, tuple[str, ...], str, "list[Any] | None"]

ROWS: list[Row] = [
    ("op.common/tensor-argument", "nn.relu", ("R.Shape([2])",), "R.nn.relu(a)", None),
    ("op.common/tuple-of-tensors", "concat", ("R.Tuple(R.Tensor((2,), \"float32\"), R.Shape([2]))",), "R.concat(a)", None),
    ("op.common/axis-range", "sum", (M23,), "R.sum(a, axis=[2])", None),
    ("op.common/axes-distinct", "sum", (M23,), "R.sum(a, axis=[1, -1])", None),
    ("op.common/broadcast", "add", (M23, V2), "R.add(a, b)", None),
    ("op.common/broadcast-run", "add", (u(1), u(1)), "R.add(a, b)", [arg([2], [1, 2]), arg([3], [1, 2, 3])]),
    ("op.common/equal-dtypes", "concat", (V2, t("2,", "int32")), "R.concat((a, b))", None),
    ("op.common/same-dims", "concat", (M23, t("3, 3")), "R.concat((a, b), axis=1)", None),
    ("op.common/scalar-value", "hamming_window", (t("", "bool"),), 'R.hamming_window(5, a, T.float32(0.5), T.float32(0.5), "float32")', None),
    ("op.common/integer-scalar", "tril", (M23,), "R.tril(a, T.float32(0.5))", None),
    ("op.unary/float-dtype", "exp", (t("2,", "int32"),), "R.exp(a)", None),
    ("op.binary/operand", "add", (V2, "R.Shape([2])"), "R.add(a, b)", None),
    ("op.binary/equal-dtypes", "add", (V2, t("2,", "int32")), "R.add(a, b)", None),
    ("op.binary/float-only", "atan2", (L2, L2), "R.atan2(a, b)", [arg([2], [1, 2], "int64")] * 2),
    ("op.where/bool-condition", "where", (V2, V2, V2), "R.where(a, b, c)", None),
    ("op.ewise_fma/equal-ranks", "ewise_fma", (V2, V2, M23), "R.ewise_fma(a, b, c)", None),
    ("op.ewise_fma/equal-dims", "ewise_fma", (V2, V2, V3), "R.ewise_fma(a, b, c)", None),
    ("op.ewise_fma/equal-extents", "ewise_fma", (u(1), u(1), u(1)), "R.ewise_fma(a, b, c)", [arg([2], [1, 2]), arg([2], [1, 2]), arg([1], [1])]),
    ("op.full/scalar-fill", "full", (V2,), "R.full((2,), a)", None),
    ("op.eye_like/rank", "eye_like", (V2,), "R.eye_like(a)", None),
    ("op.tril/rank", "tril", (V2,), "R.tril(a)", None),
    ("op.hamming_window/float-dtype", "hamming_window", (V2,), 'R.hamming_window(5, 0, T.float32(0.5), T.float32(0.5), "int32")', None),
    ("op.hamming_window/window-size", "hamming_window", (V2,), 'R.hamming_window(0, 0, T.float32(0.5), T.float32(0.5), "float32")', None),
    ("op.reduce/arithmetic-dtype", "std", (L2,), "R.std(a)", [arg([2], [1, 2], "int64")]),
    ("op.median/one-axis", "median", (M23,), "R.median(a, axis=[0, 1])", [arg([2, 3], [1, 2, 3, 4, 5, 6])]),
    ("op.reshape/element-count", "reshape", (M23,), "R.reshape(a, R.shape([4, 2]))", None),
    ("op.reshape/element-count-run", "reshape", (u(1),), "R.reshape(a, R.shape([4]))", [arg([2], [1, 2])]),
    ("op.reshape/inferred-dim", "reshape", (u(1),), "R.reshape(a, R.shape([2, -1]))", None),
    ("op.reshape/positive-dims", "reshape", (M23,), "R.reshape(a, R.shape([-2, 3]))", None),
    ("op.nn.batch_flatten/rank", "nn.batch_flatten", (V2,), "R.nn.batch_flatten(a)", None),
    ("op.squeeze/extent-one", "squeeze", (u(2),), "R.squeeze(a, axis=[0])", [arg([2, 3], [1, 2, 3, 4, 5, 6])]),
    ("op.permute_dims/axes-count", "permute_dims", (M23,), "R.permute_dims(a, [0])", None),
    ("op.broadcast_to/rank", "broadcast_to", (M23,), "R.broadcast_to(a, R.shape([3]))", None),
    ("op.broadcast_to/dims", "broadcast_to", (M23,), "R.broadcast_to(a, R.shape([4, 3]))", None),
    ("op.broadcast_to/extents", "broadcast_to", (u(1),), "R.broadcast_to(a, R.shape([3]))", [arg([2], [1, 2])]),
    ("op.join/equal-ranks", "concat", (V2, M23), "R.concat((a, b))", None),
    ("op.join/equal-extents", "stack", (u(1), u(1)), "R.stack((a, b))", [arg([2], [1, 2]), arg([1], [1])]),
    ("op.concat/flat", "concat", (M23, M23), "R.concat((a, b), axis=None)", None),
    ("op.split/sections", "split", (t("5,"),), "R.split(a, 4, axis=0)", None),
    ("op.take/integer-indices", "take", (M23, V2), "R.take(a, b, axis=0)", None),
    ("op.take/flat", "take", (M23, L2), "R.take(a, b)", None),
    ("op.take/empty-axis", "take", (t("0,"), L1), 'R.take(a, b, axis=0, mode="clip")', [arg([0], []), arg([1], [0], "int64")]),
    ("op.scatter/integer-indices", "gather_elements", (M23, M23), "R.gather_elements(a, b)", None),
    ("op.scatter/equal-dtypes", "slice_scatter", (t("5,"), t("2,", "int32")), "R.slice_scatter(a, b, 1, 3, 1)", None),
    ("op.scatter/equal-ranks", "gather_elements", (M23, L2), "R.gather_elements(a, b)", None),
    ("op.scatter/out-of-range", "scatter_elements", (V2, L1, t("1,")), "R.scatter_elements(a, b, c)", [arg([2], [1, 2]), arg([1], [2], "int64"), arg([1], [9])]),
    ("op.scatter/reduction", "scatter_elements", (V2, L1, t("1,")), 'R.scatter_elements(a, b, c, reduction="least")', None),
    ("op.scatter_elements/dims", "scatter_elements", (V2, L1, V2), "R.scatter_elements(a, b, c)", None),
    ("op.scatter_elements/extents", "scatter_elements", (V2, u(1, "int64"), u(1)), "R.scatter_elements(a, b, c)", [arg([2], [1, 2]), arg([1], [0], "int64"), arg([2], [9, 9])]),
    ("op.scatter_nd/known-dtypes", "scatter_nd", (V2, t("1, 1", "int64"), "R.Tensor(ndim=1)"), "R.scatter_nd(a, b, c)", None),
    ("op.scatter_nd/constant-depth", "scatter_nd", (V2, t('1, "k"', "int64"), t("1,")), "R.scatter_nd(a, b, c)", None),
    ("op.scatter_nd/updates-dims", "scatter_nd", (V2, t("1, 1", "int64"), V2), "R.scatter_nd(a, b, c)", None),
    ("op.scatter_nd/extents", "scatter_nd", (V2, u(2, "int64"), u(1)), "R.scatter_nd(a, b, c)", [arg([2], [1, 2]), arg([1, 1], [0], "int64"), arg([2], [9, 9])]),
    ("op.gather_nd/int64-indices", "gather_nd", (V2, t("1, 1", "int32")), "R.gather_nd(a, b)", None),
    ("op.gather_nd/batch-dims", "gather_nd", (V2, t("1, 1", "int64")), "R.gather_nd(a, b, batch_dims=2)", None),
    ("op.gather_nd/depth", "gather_nd", (V2, t("1, 2", "int64")), "R.gather_nd(a, b)", None),
    ("op.index_tensor/count", "index_tensor", (V2, L1, L1), "R.index_tensor(a, (b, c))", None),
    ("op.index_put/count", "index_put", (M23, L1, t("1,")), "R.index_put(a, (b,), c)", None),
    ("op.index_put/index-rank", "index_put", (V2, t("", "int64"), t("1,")), "R.index_put(a, (b,), c)", None),
    ("op.index_put/extents", "index_put", (V2, L1, V3), "R.index_put(a, (b,), c)", [arg([2], [1, 2]), arg([1], [0], "int64"), arg([3], [7, 8, 9])]),
    ("op.slice_scatter/step", "slice_scatter", (t("5,"), V2), "R.slice_scatter(a, b, 1, 3, 0)", None),
    ("op.slice_scatter/order", "slice_scatter", (t("5,"), V2), "R.slice_scatter(a, b, 3, 1, 1)", None),
    ("op.slice_scatter/dims", "slice_scatter", (t("5,"), V2), "R.slice_scatter(a, b, 1, 4, 1)", None),
    ("op.slice_scatter/extents", "slice_scatter", (t("5,"), u(1)), "R.slice_scatter(a, b, 1, 4, 1)", [arg([5], [1, 2, 3, 4, 5]), arg([2], [8, 9])]),
    ("op.one_hot/equal-dtypes", "one_hot", (L2,), "R.one_hot(a, T.float32(1), T.int64(0), 3)", None),
    ("op.one_hot/depth", "one_hot", (L2,), "R.one_hot(a, T.float32(1), T.float32(0), 0)", None),
    ("op.one_hot/axis-range", "one_hot", (L2,), "R.one_hot(a, T.float32(1), T.float32(0), 3, axis=2)", None),
    ("op.meshgrid/vectors", "meshgrid", (V2, M23), "R.meshgrid((a, b))", None),
    ("op.meshgrid/indexing", "meshgrid", (V2, V3), 'R.meshgrid((a, b), indexing="ji")', None),
    ("op.meshgrid/equal-dtypes", "meshgrid", (V2, L3), "R.meshgrid((a, b))", None),
    ("op.reverse_sequence/lengths", "reverse_sequence", (M23, L2), "R.reverse_sequence(a, b, seq_axis=0, batch_axis=1)", None),
    ("op.reverse_sequence/length-range", "reverse_sequence", (M23, L2), "R.reverse_sequence(a, b)", [arg([2, 3], [1, 2, 3, 4, 5, 6]), arg([2], [1, 4], "int64")]),
    ("op.matmul/no-scalar", "matmul", (S, M23), "R.matmul(a, b)", None),
    ("op.matmul/reduction-length", "matmul", (M23, M23), "R.matmul(a, b)", None),
    ("op.matmul/reduction-length-run", "matmul", (u(2), u(2)), "R.matmul(a, b)", [arg([1, 2], [1, 2]), arg([1, 2], [1, 2])]),
    ("op.einsum/subscripts", "einsum", (M23, M23), 'R.einsum((a, b), "ij->i")', None),
    ("op.einsum/dims", "einsum", (M23, M23), 'R.einsum((a, b), "ij,jk->ik")', None),
    ("op.einsum/equal-dtypes", "einsum", (V2, L2), 'R.einsum((a, b), "i,i->i")', None),
    ("op.einsum/extents", "einsum", (t('"n",'), t('"m",')), 'R.einsum((a, b), "i,i->i")', [arg([2], [1, 2]), arg([3], [1, 2, 3])]),
    ("op.outer/vectors", "outer", (V2, M23), "R.outer(a, b)", None),
    ("op.collapse_sum/dims", "collapse_sum_to", (M23,), "R.collapse_sum_to(a, R.shape([2, 2]))", None),
    ("op.collapse_sum/extents", "collapse_sum_like", (u(2), u(1)), "R.collapse_sum_like(a, b)", [arg([1, 3], [1, 2, 3]), arg([2], [1, 2])]),
    ("op.tensor_to_shape/int64-vector", "tensor_to_shape", (M23,), "R.tensor_to_shape(a)", None),
    ("op.strided_slice/equal-lengths", "strided_slice", (M23,), "R.strided_slice(a, axes=[0], begin=[0, 1], end=[1])", None),
    ("op.strided_slice/zero-stride", "strided_slice", (M23,), "R.strided_slice(a, axes=[0], begin=[0], end=[1], strides=[0])", None),
    ("op.strided_slice/zero-stride-run", "dynamic_strided_slice", (V2, L1, L1, L1), "R.dynamic_strided_slice(a, b, c, d)", [arg([2], [1, 2]), *[arg([1], [0], "int64")] * 3]),
    ("op.strided_slice/inbound", "strided_slice", (V2,), "R.strided_slice(a, axes=[0], begin=[0], end=[3], assume_inbound=True)", [arg([2], [1, 2])]),
    ("op.dynamic_strided_slice/index-tensor", "dynamic_strided_slice", (V2, L2, L1, L1), "R.dynamic_strided_slice(a, b, c, d)", None),
    ("op.topk/ret-type", "topk", (V2,), 'R.topk(a, k=1, ret_type="all")', None),
    ("op.bucketize/vector", "bucketize", (V2, M23), "R.bucketize(a, b)", None),
    ("op.multinomial_from_uniform/float-dtype", "multinomial_from_uniform", (t("2, 3", "int32"), t("1, 1"), t("1, 1", "int64")), "R.multinomial_from_uniform(a, b, c)", None),
    ("op.multinomial_from_uniform/integer-rows", "multinomial_from_uniform", (M23, t("1, 1"), t("1, 1")), "R.multinomial_from_uniform(a, b, c)", None),
    ("op.multinomial_from_uniform/ranks", "multinomial_from_uniform", (M23, t("1,"), t("1, 1", "int64")), "R.multinomial_from_uniform(a, b, c)", None),
    ("op.multinomial_from_uniform/extents", "multinomial_from_uniform", (M23, t("2, 1"), t("1, 1", "int64")), "R.multinomial_from_uniform(a, b, c)", None),
    ("op.multinomial_from_uniform/row-range", "multinomial_from_uniform", (t("1, 2"), t("1, 1"), t("1, 1", "int64")), "R.multinomial_from_uniform(a, b, c)", [arg([1, 2], [0.5, 0.5]), arg([1, 1], [0.25]), arg([1, 1], [1], "int64")]),
    ("op.nn.softmax/float-dtype", "nn.softmax", (L2,), "R.nn.softmax(a)", None),
    ("op.nn.prelu/alpha-extent", "nn.prelu", (M23, V2), "R.nn.prelu(a, b, axis=1)", [arg([2, 3], [1, 2, 3, 4, 5, 6]), arg([2], [1, 2])]),
    ("op.norm/float-dtype", "nn.rms_norm", (t("2, 3", "int32"), L3), "R.nn.rms_norm(a, b, axes=[-1])", None),
    ("op.norm/equal-dtypes", "nn.rms_norm", (M23, t("3,", "float16")), "R.nn.rms_norm(a, b, axes=[-1])", None),
    ("op.norm/parameter-rank", "nn.rms_norm", (M23, V3), "R.nn.rms_norm(a, b, axes=[0, 1])", None),
    ("op.norm/parameter-dims", "nn.rms_norm", (M23, V2), "R.nn.rms_norm(a, b, axes=[-1])", None),
    ("op.norm/parameter-extents", "nn.rms_norm", (M23, t('"k",')), "R.nn.rms_norm(a, b, axes=[-1])", [arg([2, 3], [1, 2, 3, 4, 5, 6]), arg([2], [1, 2])]),
    ("op.norm/channel-axis", "nn.instance_norm", (M23, V3, V3), "R.nn.instance_norm(a, b, c, channel_axis=1, axes=[1])", None),
    ("op.nn.group_norm/group-count", "nn.group_norm", (t("2, 3, 4"), V3, V3), "R.nn.group_norm(a, b, c, num_groups=2, channel_axis=1, axes=[2])", None),
    ("op.nn.group_norm/group-count-run", "nn.group_norm", (t('1, "k", 1'), t('"k",'), t('"k",')), "R.nn.group_norm(a, b, c, num_groups=2, channel_axis=1, axes=[2])", [arg([1, 3, 1], [1, 2, 3]), arg([3], [1, 2, 3]), arg([3], [1, 2, 3])]),
    ("op.layout/convertible", "nn.conv1d", (t("1, 2, 3"), t("1, 2, 3")), 'R.nn.conv1d(a, b, data_layout="NHX")', None),
    ("op.layout/inner-extent", "nn.conv1d", (u(4), t("1, 2, 3")), 'R.nn.conv1d(a, b, data_layout="NCW2c")', [arg([1, 1, 3, 1], [1, 2, 3]), arg([1, 2, 3], [1] * 6)]),
    ("op.layout/rank", "nn.conv1d", (M23, t("1, 2, 3")), "R.nn.conv1d(a, b)", None),
    ("op.conv/channels", "nn.conv1d", (t("1, 2, 3"), t("1, 3, 1")), "R.nn.conv1d(a, b)", None),
    ("op.conv/window", "nn.conv1d", (t("1, 2, 3"), t("3, 2, 1")), "R.nn.conv1d(a, b, strides=0)", None),
    ("op.conv/groups", "nn.conv1d", (t("1, 2, 3"), t("3, 1, 1")), "R.nn.conv1d(a, b, groups=2)", None),
    ("op.conv/channels-run", "nn.conv1d", (u(3), u(3)), "R.nn.conv1d(a, b)", [arg([1, 2, 1], [1, 2]), arg([1, 1, 1], [1])]),
    ("op.conv_transpose/channels", "nn.conv1d_transpose", (t("1, 2, 3"), t("3, 1, 1")), "R.nn.conv1d_transpose(a, b)", None),
    ("op.conv_transpose/groups", "nn.conv1d_transpose", (t("1, 3, 3"), t("3, 1, 1")), "R.nn.conv1d_transpose(a, b, groups=2)", None),
    ("op.conv_transpose/output-padding", "nn.conv1d_transpose", (t("1, 2, 3"), t("2, 1, 1")), "R.nn.conv1d_transpose(a, b, output_padding=1)", None),
    ("op.conv_transpose/channels-run", "nn.conv1d_transpose", (u(3), u(3)), "R.nn.conv1d_transpose(a, b)", [arg([1, 2, 1], [1, 2]), arg([1, 1, 1], [1])]),
    ("op.nn.attention/rank", "nn.attention", (M23, M23, M23), "R.nn.attention(a, b, c)", None),
    ("op.nn.attention/dims", "nn.attention", (t("1, 2, 1, 3"), t("1, 2, 1, 2"), t("1, 2, 1, 3")), "R.nn.attention(a, b, c)", None),
    ("op.nn.attention/heads", "nn.attention", (t("1, 1, 3, 1"), t("1, 1, 2, 1"), t("1, 1, 2, 1")), "R.nn.attention(a, b, c)", None),
    ("op.nn.attention/window", "nn.attention", (t("1, 1, 1, 1"),) * 3, "R.nn.attention(a, b, c, window_size=1)", [arg([1, 1, 1, 1], [1])] * 3),
    ("op.nn.pad/width-count", "nn.pad", (M23,), "R.nn.pad(a, [1, 1])", None),
    ("op.nn.pad/mode", "nn.pad", (V2,), 'R.nn.pad(a, [1, 1], pad_mode="edge")', None),
    ("op.nn.pad/range", "nn.pad", (V2,), "R.nn.pad(a, [-2, -1])", [arg([2], [1, 2])]),
    ("op.nn.pixel_shuffle/rank", "nn.pixel_shuffle", (M23,), "R.nn.pixel_shuffle(a, 1)", None),
    ("op.nn.pixel_shuffle/channels", "nn.pixel_shuffle", (t("3, 1, 1"),), "R.nn.pixel_shuffle(a, 2)", None),
    ("op.nn.cross_entropy_with_logits/equal-shapes", "nn.cross_entropy_with_logits", (V2, V3), "R.nn.cross_entropy_with_logits(a, b)", None),
    ("op.nn.cross_entropy_with_logits/equal-extents", "nn.cross_entropy_with_logits", (u(1), u(1)), "R.nn.cross_entropy_with_logits(a, b)", [arg([2], [1, 2]), arg([1], [1])]),
    ("op.nn.nll_loss/integer-targets", "nn.nll_loss", (M23, V2), "R.nn.nll_loss(a, b)", None),
    ("op.nn.nll_loss/ranks", "nn.nll_loss", (M23, t("2, 3", "int64")), "R.nn.nll_loss(a, b)", None),
    ("op.nn.nll_loss/dims", "nn.nll_loss", (M23, L3), "R.nn.nll_loss(a, b)", None),
    ("op.nn.nll_loss/reduction", "nn.nll_loss", (M23, L2), 'R.nn.nll_loss(a, b, reduction="least")', None),
    ("op.quantize/dtypes", "quantize", (L2, S, t("", "int8")), "R.quantize(a, b, c)", None),
    ("op.quantize/axis-range", "quantize", (V2, S, t("", "int8")), "R.quantize(a, b, c, axis=1)", None),
    ("op.quantize/parameter-dims", "quantize", (M23, V2, t("", "int8")), "R.quantize(a, b, c, axis=1)", None),
    ("op.image.resize/size-rank", "image.resize2d", (t("1, 1, 2, 2"),), 'R.image.resize2d(a, R.shape([2, 2, 2]))', None),
    ("op.image.resize/attributes", "image.resize2d", (t("1, 1, 2, 2"),), 'R.image.resize2d(a, R.shape([2, 2]), method="area")', None),
    ("op.layout_transform/rank", "layout_transform", (V2,), "R.layout_transform(a, index_map=T.index_map(lambda i, j: (j, i)))", None),
    ("op.layout_transform/pad-dtype", "layout_transform", (V2,), "R.layout_transform(a, index_map=T.index_map(lambda i: (i // 4, i % 4)), pad_value=T.int32(0))", None),
    ("op.layout_transform/negative-position", "layout_transform", (V2,), "R.layout_transform(a, index_map=T.index_map(lambda i: (i - 1,)))", [arg([2], [1, 2])]),
    ("op.grad.take_backward/range", "grad.take_backward", (V2, V3, L2), "R.grad.take_backward(a, b, c, axis=0)", [arg([2], [1, 2]), arg([3], [1, 2, 3]), arg([2], [0, 3], "int64")]),
    ("op.clip/scalar-bounds", "clip", (V2, S), "R.clip(a, b, b)", None),
    ("op.common/same-vdevice", "add", ('R.Tensor((2,), "float32", "llvm:0")', 'R.Tensor((2,), "float32", "cuda:0")'), "R.add(a, b)", None),
    ("op.common/scalar-argument", "one_hot", (L2, S), "R.one_hot(a, b, b, 3)", None),
    ("op.common/shape-argument", "reshape", (V2, V2), "R.reshape(a, b)", None),
    ("op.grad.checkpoint/variable", "grad.start_checkpoint", (V2,), 'R.grad.start_checkpoint(R.const(1.0, "float32"))', None),
    ("op.strided_slice/constant-axes", "strided_slice", (V2, "T.int64"), "R.strided_slice(a, axes=[b], begin=[0], end=[1])", None),
    ("op.strided_slice/int64-tuples", "strided_slice", (V2, V2), "R.strided_slice(a, axes=[0], begin=b, end=[1])", None),
    ("op.tril/scalar-offset", "tril", (M23, S), "R.tril(a, b)", None),
    ("op.unique/constant-flags", "unique", (V2, "T.bool"), "R.unique(a, True, b)", None),
    ("op.nn.attention_var_len/starts", "nn.attention_var_len", (*(t("1, 2, 1, 1"),) * 3, t("2,", "int32"), t("", "int32")), "R.nn.attention_var_len(a, b, c, d, e, d, e)", [*[arg([1, 2, 1, 1], [1, 2])] * 3, arg([2], [0, 1], "int32"), arg([], [1], "int32")]),
    ("op.inspect/axis-range", "inspect.tensor_shape_i", (V2,), "R.inspect.tensor_shape_i(a, 1)", [arg([2], [1, 2])]),
    ("op.assert_op/bool-scalar", "assert_op", (V2,), "R.assert_op(a)", None),
    ("op.assert_op/failed", "assert_op", (t("", "bool"),), "R.assert_op(a)", [arg([], [False], "bool")]),
    ("op.image.affine_grid/size-rank", "image.affine_grid", (t("1, 2, 3"),), "R.image.affine_grid(a, R.shape([2, 2, 2, 2]))", None),
    ("op.image.affine_grid/matrix", "image.affine_grid", (t("1, 2, 2"),), "R.image.affine_grid(a, R.shape([2, 2]))", None),
    ("op.image.affine_grid/extents", "image.affine_grid", (t("1, 2, 3"),), "R.image.affine_grid(a, R.shape([1, 2]))", [arg([1, 2, 3], [1] * 6)]),
    ("op.image.affine_grid/float-dtype", "image.affine_grid", (t("1, 2, 3", "int32"),), "R.image.affine_grid(a, R.shape([2, 2]))", [arg([1, 2, 3], [1] * 6, "int32")]),
    ("op.image.grid_sample/attributes", "image.grid_sample", (t("1, 1, 1, 2, 2"), t("1, 3, 1, 1, 1")), 'R.image.grid_sample(a, b, method="bicubic", layout="NCDHW")', None),
    ("op.image.grid_sample/grid-rank", "image.grid_sample", (t("1, 1, 2, 2"), t("1, 2, 2")), "R.image.grid_sample(a, b)", None),
    ("op.image.grid_sample/extents", "image.grid_sample", (t("1, 1, 1, 2"), t("1, 3, 1, 1")), "R.image.grid_sample(a, b)", [arg([1, 1, 1, 2], [1, 2]), arg([1, 3, 1, 1], [0, 0, 0])]),
    ("op.image.grid_sample/dtypes", "image.grid_sample", (t("1, 1, 1, 2", "int32"), t("1, 2, 1, 1")), "R.image.grid_sample(a, b)", [arg([1, 1, 1, 2], [1, 2], "int32"), arg([1, 2, 1, 1], [0, 0])]),
    ("op.vision.roi/ranks", "vision.roi_align", (t("1, 2, 2"), t("1, 5")), "R.vision.roi_align(a, b, pooled_size=1, spatial_scale=1.0)", None),
    ("op.vision.roi/five-columns", "vision.roi_align", (t("1, 1, 2, 2"), t("1, 4")), "R.vision.roi_align(a, b, pooled_size=1, spatial_scale=1.0)", None),
    ("op.vision.roi/attributes", "vision.roi_pool", (t("1, 1, 2, 2"), t("1, 5")), 'R.vision.roi_pool(a, b, pooled_size=[1, 1], spatial_scale=1.0, layout="NHWC")', None),
    ("op.vision.roi/float-dtype", "vision.roi_pool", (t("1, 1, 1, 2", "int32"), t("1, 5")), "R.vision.roi_pool(a, b, pooled_size=[1, 1], spatial_scale=1.0)", [arg([1, 1, 1, 2], [1, 2], "int32"), arg([1, 5], [0, 0, 0, 1, 1])]),
    ("op.vision.boxes/rank", "vision.get_valid_counts", (M23,), "R.vision.get_valid_counts(a)", None),
    ("op.vision.boxes/columns", "vision.get_valid_counts", (t("1, 2, 3"),), "R.vision.get_valid_counts(a, score_index=3)", None),
    ("op.vision.boxes/columns-run", "vision.get_valid_counts", (u(3),), "R.vision.get_valid_counts(a, score_index=3)", [arg([1, 1, 2], [1, 2])]),
    ("op.vision.multibox_transform_loc/ranks", "vision.multibox_transform_loc", (t("1, 2, 1"), t("1, 1, 4"), t("1, 1, 4")), "R.vision.multibox_transform_loc(a, b, c)", None),
    ("op.vision.multibox_transform_loc/dims", "vision.multibox_transform_loc", (t("1, 2, 1"), t("1, 8"), t("1, 1, 4")), "R.vision.multibox_transform_loc(a, b, c)", None),
    ("op.vision.multibox_transform_loc/extents", "vision.multibox_transform_loc", (t("1, 2, 1"), u(2), t("1, 1, 4")), "R.vision.multibox_transform_loc(a, b, c)", [arg([1, 2, 1], [1, 2]), arg([1, 3], [1, 2, 3]), arg([1, 1, 4], [0, 0, 1, 1])]),
    ("op.vision.non_max_suppression/ranks", "vision.non_max_suppression", (t("1, 1, 6"), t("1,"), t("1, 1", "int32")), "R.vision.non_max_suppression(a, b, c)", None),
    ("op.vision.non_max_suppression/dims", "vision.non_max_suppression", (t("1, 1, 6"), t("2,", "int32"), t("1, 1", "int32")), "R.vision.non_max_suppression(a, b, c)", None),
    ("op.vision.non_max_suppression/extents", "vision.non_max_suppression", (t("1, 1, 6"), t("1,", "int32"), t("1, 1", "int32")), "R.vision.non_max_suppression(a, b, c)", [arg([1, 1, 6], [0, 1, 0, 0, 1, 1]), arg([1], [2], "int32"), arg([1, 1], [0], "int32")]),
    ("op.vision.all_class_non_max_suppression/ranks", "vision.all_class_non_max_suppression", (t("1, 4"), t("1, 1, 1"), *(t("1,", "int64"), S, S)), "R.vision.all_class_non_max_suppression(a, b, c, d, e)", None),
    ("op.vision.all_class_non_max_suppression/format", "vision.all_class_non_max_suppression", (t("1, 1, 4"), t("1, 1, 1"), *(t("1,", "int64"), S, S)), 'R.vision.all_class_non_max_suppression(a, b, c, d, e, output_format="torch")', None),
    ("op.vision.all_class_non_max_suppression/one-number", "vision.all_class_non_max_suppression", NMS, "R.vision.all_class_non_max_suppression(a, b, c, d, d)", [*ONE_BOX, arg([1], [1], "int64"), arg([2], [0.5, 0.5]), arg([], [0])]),
    ("op.vision.all_class_non_max_suppression/thresholds", "vision.all_class_non_max_suppression", NMS, "R.vision.all_class_non_max_suppression(a, b, c, d, e)", [*ONE_BOX, arg([1], [1], "int64"), arg([1], [0]), arg([], [0])]),
    ("op.vision.all_class_non_max_suppression/extents", "vision.all_class_non_max_suppression", (t("1, 2, 4"), *NMS[1:]), "R.vision.all_class_non_max_suppression(a, b, c, d, e)", [arg([1, 2, 4], [0, 0, 1, 1] * 2), ONE_BOX[1], arg([1], [1], "int64"), arg([1], [0.5]), arg([], [0])]),
    ("op.grad.nll_loss_backward/extents", "grad.nll_loss_backward", (V2, t("1, 2"), L1), 'R.grad.nll_loss_backward(a, b, c, reduction="sum")', [arg([2], [1, 2]), arg([1, 2], [1, 2]), arg([1], [0], "int64")]),
    ("op.grad.pool2d_backward/extents", "grad.max_pool2d_backward", (t("1, 1, 1, 1"), t("1, 1, 1, 2")), "R.grad.max_pool2d_backward(a, b, pool_size=[1, 1])", [arg([1, 1, 1, 1], [1]), arg([1, 1, 1, 2], [1, 2])]),
    ("op.ccl/workers", "ccl.allgather", (V2,), "R.ccl.allgather(a, 2)", [arg([2], [1, 2])]),
    ("op.ccl/divisible", "ccl.scatter_from_worker0", (V3,), "R.ccl.scatter_from_worker0(a, 2, 0)", None),
    ("op.ccl/divisible-run", "ccl.scatter_from_worker0", (u(1),), "R.ccl.scatter_from_worker0(a, 2, 0)", [arg([3], [1, 2, 3])]),
    ("op.ccl.allgather/rank", "ccl.allgather", (S,), "R.ccl.allgather(a, 1)", None),
    ("op.ccl.allreduce/kind", "ccl.allreduce", (V2,), 'R.ccl.allreduce(a, "xor")', [arg([2], [1, 2])]),
    ("op.dist.redistribute/distributed", "dist.redistribute", (V2,), 'R.dist.redistribute(a, "mesh[0]", "R")', None),
    ("op.dist.redistribute_replica_to_shard/replica", "dist.redistribute_replica_to_shard", (D2,), "R.dist.redistribute_replica_to_shard(a, 2, 0)", None),
]  # fmt: skip

POISON: list[Row] = [
    ("op.power/negative-exponent", "power", (L2, L2), "R.power(a, b)", [arg([2], [2, 2], "int64"), arg([2], [3, -1], "int64")]),
    ("op.reduce/empty-position", "argmax", (t("0,"),), "R.argmax(a)", [arg([0], [])]),
    ("op.take/out-of-range", "take", (V2, L2), "R.take(a, b, axis=0)", [arg([2], [1, 2]), arg([2], [1, -1], "int64")]),
    ("op.bucketize/ascending", "bucketize", (V2, V3), "R.bucketize(a, b)", [arg([2], [1, 2]), arg([3], [1, 3, 2])]),
    ("op.index_put/one-value", "index_put", (V2, L2, V2), "R.index_put(a, (b,), c)", [arg([2], [1, 2]), arg([2], [1, 1], "int64"), arg([2], [3, 4])]),
    ("op.gather/out-of-range", "gather_elements", (V2, L1), "R.gather_elements(a, b)", [arg([2], [1, 2]), arg([1], [2], "int64")]),
    ("op.nn.nll_loss/target-range", "nn.nll_loss", (t("1, 2"), L1), 'R.nn.nll_loss(a, b, reduction="none")', [arg([1, 2], [1, 2]), arg([1], [5], "int64")]),
    ("op.layout_transform/padding", "layout_transform", (V3,), "R.layout_transform(a, index_map=T.index_map(lambda i: (i // 2, i % 2)))", [arg([3], [1, 2, 3])]),
    ("op.vision.roi/batch-range", "vision.roi_pool", (t("1, 1, 1, 2"), t("1, 5")), "R.vision.roi_pool(a, b, pooled_size=[1, 1], spatial_scale=1.0)", [arg([1, 1, 1, 2], [1, 2]), arg([1, 5], [1, 0, 0, 1, 1])]),
    ("op.vision.roi_align/no-samples", "vision.roi_align", (t("1, 1, 1, 2"), t("1, 5")), 'R.vision.roi_align(a, b, pooled_size=1, spatial_scale=1.0, aligned=True, mode="max")', [arg([1, 1, 1, 2], [1, 2]), arg([1, 5], [0, 1, 0, 1, 1])]),
    ("op.vision.all_class_non_max_suppression/unselected-rows", "vision.all_class_non_max_suppression", (t("1, 2, 4"), t("1, 1, 2"), *(t("1,", "int64"), S, S)), "R.vision.all_class_non_max_suppression(a, b, c, d, e)", [arg([1, 2, 4], [0, 0, 1, 1] * 2), arg([1, 1, 2], [1, 0.5]), arg([1], [2], "int64"), arg([], [0.5]), arg([], [0])]),
    ("op.grad.nll_loss_backward/target-range", "grad.nll_loss_backward", (S, t("1, 2"), L1), 'R.grad.nll_loss_backward(a, b, c, reduction="sum")', [arg([], [1]), arg([1, 2], [1, 2]), arg([1], [5], "int64")]),
]  # fmt: skip
"""Rules that end nothing: the run returns, with poison where the rule says so."""

MORE: dict[str, tuple[tuple[str, ...], str, list[Any]]] = {
    "tensor_to_shape": ((t("2,", "int64"),), "R.tensor_to_shape(a)", [arg([2], [3, 4], "int64")]),
    "bucketize": ((V3, V2), "R.bucketize(a, b)", [arg([3], [0, 1, 3]), arg([2], [1, 2])]),
    **{name: ((V3,), f"R.{name}(a)", [arg([3], [-1, 0, 1])]) for name in ("asin", "acos", "atanh")},
    "multinomial_from_uniform": (
        (M23, t("4, 1"), t("4, 1", "int64")), "R.multinomial_from_uniform(a, b, c)",
        [arg([2, 3], [1, 2, 1, 0, 3, 1]), arg([4, 1], [0, 2, 3, 3]), arg([4, 1], [0, 0, 1, 0], "int64")],
    ),
    "quantize": (
        (t("3, 2"), V2, t("2,", "int8")), 'R.quantize(a, b, c, axis=1, out_dtype="int8")',
        [arg([3, 2], [6, -9, -4, 5, 3, 7]), arg([2], [2, 4]), arg([2], [1, 0], "int8")],
    ),
    "dequantize": (
        (t("3, 2", "int8"), V2, t("2,", "int8")), 'R.dequantize(a, b, c, axis=1, out_dtype="float32")',
        [arg([3, 2], [7, 3, 0, -4, -4, -9], "int8"), arg([2], [2, 4]), arg([2], [1, 3], "int8")],
    ),
    "vision.all_class_non_max_suppression": (
        (t("1, 3, 4"), t("1, 2, 3"), S, S), 'R.vision.all_class_non_max_suppression(a, b, R.const(2, "int64"), c, d)',
        [arg([1, 3, 4], [0, 0, 1, 1, 0, 0, 1, 1, 1, 1, 2, 3]), arg([1, 2, 3], [3, 2, 1, 0, 1, 2]), arg([], [1]), arg([], [0])],
    ),
    "assert_op": ((t("", "bool"),), "R.assert_op(a)", [arg([], [True], "bool")]),
    "print": ((V2,), 'R.print(a, format="{}")', [arg([2], [1, 2])]),
    "nn.conv3d_transpose": (
        (t("1, 1, 1, 1, 2"), t("1, 1, 1, 1, 2")), "R.nn.conv3d_transpose(a, b)",
        [arg([1, 1, 1, 1, 2], [1, 2]), arg([1, 1, 1, 1, 2], [1, 3])],
    ),
    **{
        name: ((V2,), f"R.{name}(a)", [arg([2], [1, 2])])
        for name in ("grad.start_checkpoint", "grad.end_checkpoint", "grad.no_grad", "builtin.stop_lift_params")
    },
    "wrap_param": ((t("3,", "int32"),), 'R.wrap_param(a, "float32")', [arg([3], [1, 2, 3], "int32")]),
    "hint_on_device": ((V2,), 'R.hint_on_device(a, R.device(device_type=1, index=0), "global")', [arg([2], [1, 2])]),
    "to_vdevice": ((V2,), 'R.to_vdevice(a, "llvm:0")', [arg([2], [1, 2])]),
    "nn.attention_var_len": (
        (*(t("1, 3, 1, 1"),) * 3, t("3,", "int32"), t("", "int32")), "R.nn.attention_var_len(a, b, c, d, e, d, e)",
        [*[arg([1, 3, 1, 1], [0, 0, 1])] * 3, arg([3], [0, 1, 3], "int32"), arg([], [2], "int32")],
    ),
    **{
        f"inspect.tensor_{fact}": ((M23,), f"R.inspect.tensor_{fact}(a{axis})", [arg([2, 3], [1, 2, 3, 4, 5, 6])])
        for fact, axis in (
            ("ndim", ""), ("dtype_bits", ""), ("dtype_code", ""), ("dtype_lanes", ""), ("byte_offset", ""),
            ("elem_offset", ""), ("shape_i", ", 1"), ("stride_i", ", 0"),
        )
    },
    "ccl.allreduce": ((V3,), 'R.ccl.allreduce(a, "sum")', [arg([3], [1, 2, 3])]),
    "ccl.allgather": ((M23,), "R.ccl.allgather(a, 1)", [arg([2, 3], [1, 2, 3, 4, 5, 6])]),
    "ccl.broadcast_from_worker0": ((V3,), "R.ccl.broadcast_from_worker0(a)", [arg([3], [1, 2, 3])]),
    "ccl.scatter_from_worker0": ((V3,), "R.ccl.scatter_from_worker0(a, 1, 0)", [arg([3], [1, 2, 3])]),
    "dist.annotate_sharding": ((V2,), 'R.dist.annotate_sharding(a, "mesh[0]", "S[0]")', [arg([2], [1, 2])]),
    "dist.redistribute": ((D2,), 'R.dist.redistribute(a, "mesh[0]", "R")', [arg([2], [1, 2])]),
    "dist.redistribute_replica_to_shard": (('R.DTensor((2,), "float32", "mesh[0]", "R")',), "R.dist.redistribute_replica_to_shard(a, 2, 0)", [arg([2], [1, 2])]),
    "null_value": ((V2,), "R.null_value()", [arg([2], [1, 2])]),
}  # fmt: skip
"""Examples of operators that the tests' catalogue has no sample of."""

NAN, INF = float("nan"), float("inf")
TELLING: dict[str, list[list[Any]]] = {
    **{name: [[1.5, -1.25, -3.5, 0.5, 2.25, -0.75]] for name in ("floor", "ceil", "round", "trunc")},
    "isnan": [[NAN, -INF, -2.0]], "isinf": [[NAN, -INF, -2.0]], "isfinite": [[NAN, -INF, -2.0]],
    "logical_not": [[True, False, True]],
    **{f"logical_{name}": [[True, True, False, False, True, True], [True, False, True]] for name in ("and", "or", "xor")},
    "prod": [[1.0, -1.0, -2.0, 1.0, 1.0, 2.0, 1.0, 1.0, 1.0, 2.0, 1.0, -2.0, 1.0, -2.0, 1.0, -1.0, 1.0, 1.0, -1.0, 1.0, -2.0, -1.0, 1.0, 1.0]],
    "argmax": [[-7, 3, 0, -4, -4, 9]],
}  # fmt: skip
"""Data of examples for which those that are drawn tell nothing: the value would be all zeros, or an argument as it stands."""
