"""Who else knows what an operator gives: for every operator an outside oracle and how it is called, or why there is none.

An oracle is a function of NumPy or PyTorch, called in binary64 on the exact values of the arguments, or TVM, which
compiles the same call. The table is data: nothing here imports a library. ``call`` is a call of the operator with its
parameters as in ``sketches``, and ``{low:high}`` the range that an argument is drawn from (``{special}``: NaN, infinities and
numbers); ``expression`` is Python in the
parameters' names, with ``np`` for NumPy, ``torch`` and ``F`` for PyTorch and ``torch.nn.functional``. TVM needs no
expression. A tuple, or a list, gives the fields of a result that is a tuple.
"""

# ruff: noqa: E501
from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

Library = Literal["numpy", "torch", "tvm"]


@dataclass(frozen=True, slots=True)
class Oracle:
    """One call, and the same in the words of a library."""

    library: Library
    call: str
    expression: str = ""
    workers: int = 0
    """Of a collective, how many make the call together: the names of ``expression`` are then lists, an array a worker,
    and so is its value."""


@dataclass(frozen=True, slots=True)
class Absent:
    """Why nobody else can be asked."""

    reason: str


def _numpy(call: str, expression: str) -> tuple[Oracle]:
    return (Oracle("numpy", call, expression),)


def _workers(count: int, call: str, expression: str) -> tuple[Oracle]:
    return (Oracle("numpy", call, expression, count),)


def _torch(call: str, expression: str) -> tuple[Oracle]:
    return (Oracle("torch", call, expression),)


def _tvm(*calls: str) -> tuple[Oracle, ...]:
    return tuple(Oracle("tvm", call) for call in calls)


def _of_one(names: str, span: str = "") -> dict[str, tuple[Oracle, ...]]:
    """Functions of one argument by the name that NumPy has for them (``name=other``)."""
    return {
        f"relax.{ours}": _numpy(f"a:float32[3,5]{span} | R.{ours}(a)", f"np.{theirs}(a)")
        for ours, theirs in (each.split("=") if "=" in each else (each, each) for each in names.split())
    }


def _of_two(
    names: str, dtype: str = "float32", first: str = "", second: str = "", result: str = ""
) -> dict[str, tuple[Oracle, ...]]:
    return {
        f"relax.{ours}": _numpy(
            f"a:{dtype}[3,5]{first} b:{dtype}[5]{second} | R.{ours}(a, b)", f"np.{theirs}(a, b){result}"
        )
        for ours, theirs in (each.split("=") if "=" in each else (each, each) for each in names.split())
    }


def _absent(reason: str, names: str) -> dict[str, Absent]:
    return {f"relax.{name}": Absent(reason) for name in names.split()}


MEMORY = "where elements lie, and no element: only this machine has such memory"
FACTS = "a fact of how the machine keeps an array: what the reader of a program sees is chapter 08"
EFFECT = "an effect or nothing: there is no value to compare"
WORKERS = "says on which devices a tensor lies, and has its argument's elements: no library has the meshes of this IR"

ORACLES: dict[str, tuple[Oracle, ...] | Absent] = {
    # functions of one argument
    **_of_one("abs negative sign square floor ceil round trunc"),
    **_of_one("isnan isinf isfinite", "{special}"),
    "relax.logical_not": _numpy("a:bool[3,5] | R.logical_not(a)", "np.logical_not(a)"),
    **_of_one("exp sin cos tan sinh cosh tanh asin=arcsin atan=arctan asinh=arcsinh", "{-0.9:0.9}"),
    **_of_one("acos=arccos atanh=arctanh", "{-0.9:0.9}"),
    **_of_one("log sqrt", "{0.1:9}"),
    **_of_one("acosh=arccosh", "{1.1:9}"),
    "relax.rsqrt": _numpy("a:float32[3,5]{0.1:9} | R.rsqrt(a)", "1 / np.sqrt(a)"),
    "relax.sigmoid": _torch("a:float32[3,5] | R.sigmoid(a)", "torch.sigmoid(a)"),
    "relax.erf": _torch("a:float32[3,5] | R.erf(a)", "torch.erf(a)"),
    "relax.bitwise_not": _numpy("a:int32[3,5] | R.bitwise_not(a)", "np.bitwise_not(a)"),
    "relax.astype": _numpy('a:float32[3,5]{-9:9} | R.astype(a, "int32")', 'np.trunc(a).astype("int32")'),
    "relax.wrap_param": _numpy('a:float32[3,5] | R.wrap_param(a, "float16")', "a.astype('float16')"),
    # of two
    **_of_two("add subtract multiply divide maximum minimum atan2=arctan2 log_add_exp=logaddexp"),
    **_of_two("equal not_equal less less_equal greater greater_equal", "int32", "{0:2}", "{0:2}"),
    **_of_two("logical_and logical_or logical_xor", "bool"),
    **_of_two("bitwise_and bitwise_or bitwise_xor", "int32"),
    **_of_two("left_shift right_shift", "int32", "{-9:9}", "{0:4}"),
    **_of_two("floor_divide floor_mod=mod mod=fmod", "int32", "{-20:20}", "{1:4}"),
    **_of_two("power", "float32", "{0.3:3}", "{-2:2}"),
    # of three
    "relax.where": _numpy("c:bool[3,5] a:float32[3,5] b:float32[5] | R.where(c, a, b)", "np.where(c, a, b)"),
    "relax.clip": _numpy("a:float32[3,5] | R.clip(a, -1, 0.5)", "np.clip(a, -1, 0.5)"),
    "relax.ewise_fma": _torch("a:float32[3,5] b:float32[3,5] c:float32[3,5] | R.ewise_fma(a, b, c)", "torch.addcmul(c, a, b)"),
    # creation
    "relax.full": _numpy('a:float32[] | R.full((3, 5), a)', "np.full((3, 5), a)"),
    "relax.full_like": _numpy("a:float32[3,5] b:float32[] | R.full_like(a, b)", "np.full_like(a, b)"),
    "relax.ones": _numpy('| R.ones(R.shape([3, 5]), "float32")', "np.ones((3, 5))"),
    "relax.zeros": _numpy('| R.zeros(R.shape([3, 5]), "float32")', "np.zeros((3, 5))"),
    "relax.ones_like": _numpy("a:float32[3,5] | R.ones_like(a)", "np.ones_like(a)"),
    "relax.zeros_like": _numpy("a:float32[3,5] | R.zeros_like(a)", "np.zeros_like(a)"),
    "relax.eye": _numpy('| R.eye(3, 5, 1, "float32")', "np.eye(3, 5, 1)"),
    "relax.eye_like": _numpy("a:float32[3,5] | R.eye_like(a, -1)", "np.eye(3, 5, -1)"),
    "relax.arange": _numpy('| R.arange(2, 20, 3, "int64")', "np.arange(2, 20, 3)"),
    "relax.tril": _numpy("a:float32[2,3,5] | R.tril(a, 1)", "np.tril(a, 1)"),
    "relax.triu": _numpy("a:float32[2,3,5] | R.triu(a, 1)", "np.triu(a, 1)"),
    "relax.hamming_window": _torch('| R.hamming_window(7, 1, T.float32(0.5), T.float32(0.25), "float32")', "torch.hamming_window(7, True, 0.5, 0.25, dtype=torch.float64)"),
    # reductions
    "relax.sum": _numpy("a:float32[2,3,5] | R.sum(a, axis=[0, -1])", "np.sum(a, (0, 2))"),
    "relax.prod": _numpy("a:float32[2,3,5] | R.prod(a, axis=[1], keepdims=True)", "np.prod(a, 1, keepdims=True)"),
    "relax.max": _numpy("a:float32[2,3,5] | R.max(a, axis=[1])", "np.max(a, 1)"),
    "relax.min": _numpy("a:float32[2,3,5] | R.min(a, axis=[0, 2])", "np.min(a, (0, 2))"),
    "relax.mean": _numpy("a:float32[2,3,5] | R.mean(a, axis=[1])", "np.mean(a, 1)"),
    "relax.variance": _numpy("a:float32[2,3,5] | R.variance(a, axis=[1, 2])", "np.var(a, (1, 2))"),
    "relax.std": _numpy("a:float32[2,3,5] | R.std(a, axis=[2])", "np.std(a, 2)"),
    "relax.argmax": _numpy("a:int32[3,5]{0:3} | R.argmax(a, axis=1)", "np.argmax(a, 1)"),
    "relax.argmin": _numpy("a:int32[3,5]{0:3} | R.argmin(a, axis=0, keepdims=True)", "np.argmin(a, 0, keepdims=True)"),
    "relax.median": _torch("a:float32[3,5] | R.median(a, axis=[1])", "torch.median(a, 1)"),
    # shapes
    "relax.reshape": _numpy("a:float32[2,15] | R.reshape(a, R.shape([5, 2, 3]))", "np.reshape(a, (5, 2, 3))"),
    "relax.flatten": _numpy("a:float32[2,3,5] | R.flatten(a)", "np.ravel(a)"),
    "relax.nn.batch_flatten": _torch("a:float32[2,3,5] | R.nn.batch_flatten(a)", "torch.flatten(a, 1)"),
    "relax.expand_dims": _numpy("a:float32[3,5] | R.expand_dims(a, axis=[0, 3])", "np.expand_dims(a, (0, 3))"),
    "relax.squeeze": _numpy("a:float32[3,1,5,1] | R.squeeze(a, axis=[1])", "np.squeeze(a, 1)"),
    "relax.permute_dims": _numpy("a:float32[2,3,5] | R.permute_dims(a, axes=[2, 0, 1])", "np.transpose(a, (2, 0, 1))"),
    "relax.broadcast_to": _numpy("a:float32[3,1] | R.broadcast_to(a, R.shape([2, 3, 5]))", "np.broadcast_to(a, (2, 3, 5))"),
    "relax.concat": _numpy("a:float32[3,5] b:float32[3,2] | R.concat((a, b), axis=1)", "np.concatenate((a, b), 1)"),
    "relax.stack": _numpy("a:float32[3,5] b:float32[3,5] | R.stack((a, b), axis=1)", "np.stack((a, b), 1)"),
    "relax.split": _numpy("a:float32[3,7] | R.split(a, [2, 5], axis=1)", "np.split(a, [2, 5], 1)"),
    "relax.repeat": _numpy("a:float32[3,5] | R.repeat(a, repeats=2, axis=1)", "np.repeat(a, 2, 1)"),
    "relax.tile": _numpy("a:float32[3,5] | R.tile(a, repeats=[2, 1, 3])", "np.tile(a, (2, 1, 3))"),
    "relax.flip": _numpy("a:float32[3,5] | R.flip(a, axis=1)", "np.flip(a, 1)"),
    "relax.strided_slice": _numpy("a:float32[3,7] | R.strided_slice(a, axes=[1], begin=[6], end=[1], strides=[-2])", "a[:, 6:1:-2]"),
    "relax.dynamic_strided_slice": _numpy("a:float32[5,7] b:int64[2]{0:1} e:int64[2]{3:5} s:int64[2]{1:2} | R.dynamic_strided_slice(a, b, e, s)", "a[b[0]:e[0]:s[0], b[1]:e[1]:s[1]]"),
    "relax.reverse_sequence": _tvm("a:float32[5,3] n:int64[3]{1:5} | R.reverse_sequence(a, n, seq_axis=0, batch_axis=1)"),
    "relax.meshgrid": _numpy('a:float32[3] b:float32[5] | R.meshgrid((a, b), indexing="ij")', "np.meshgrid(a, b, indexing='ij')"),
    "relax.one_hot": _torch("i:int64[7]{0:4} | R.one_hot(i, R.prim_value(T.float32(1)), R.prim_value(T.float32(0)), 5, axis=1)", "F.one_hot(i, 5)"),
    "relax.shape_of": _numpy("a:float32[3,5] | R.shape_of(a)", "a.shape"),
    "relax.tensor_to_shape": _numpy("a:int64[3]{1:4} | R.tensor_to_shape(a)", "tuple(a.tolist())"),
    "relax.shape_to_tensor": _numpy("| R.shape_to_tensor(R.shape([3, 5]))", "np.array([3, 5])"),
    "relax.size": _numpy("a:float32[3,5] | R.size(a)", "np.array(np.size(a))"),
    # indices
    "relax.take": _numpy("a:float32[5,3] i:int64[7]{0:4} | R.take(a, i, axis=0)", "np.take(a, i, 0)"),
    "relax.gather_elements": _numpy("a:float32[5,3] i:int64[7,3]{0:4} | R.gather_elements(a, i, axis=0)", "np.take_along_axis(a, i, 0)"),
    "relax.gather_nd": _numpy("a:float32[5,3] i:int64[7,2]{0:2} | R.gather_nd(a, i)", "a[i[:, 0], i[:, 1]]"),
    "relax.index_tensor": _numpy("a:float32[5,3] i:int64[7]{-3:4} j:int64[7]{-3:2} | R.index_tensor(a, (i, j))", "a[i, j]"),
    "relax.scatter_elements": _torch('a:float32[5,3] i:int64[7,3]{0:4} u:float32[7,3] | R.scatter_elements(a, i, u, axis=0, reduction="add")', "a.scatter_add(0, i, u)"),
    "relax.scatter_nd": _torch('a:float32[5,3] i:int64[7,1]{0:4} u:float32[7,3] | R.scatter_nd(a, i, u, reduction="add")', "a.index_put((i[:, 0],), u, accumulate=True)"),
    "relax.index_put": _torch("a:float32[5,3] i:int64[7]{0:4} j:int64[7]{0:2} u:float32[7] | R.index_put(a, (i, j), u, accumulate=True)", "a.index_put((i, j), u, accumulate=True)"),
    "relax.slice_scatter": _torch("a:float32[7,3] u:float32[3,3] | R.slice_scatter(a, u, 1, 7, 2, axis=0)", "torch.slice_scatter(a, u, 0, 1, 7, 2)"),
    "relax.grad.take_backward": _torch("g:float32[7,3] a:float32[5,3] i:int64[7]{0:4} | R.grad.take_backward(g, a, i, axis=0)", "torch.zeros_like(a).index_add(0, i, g)"),
    # products
    "relax.matmul": _numpy("a:float32[2,3,5] b:float32[5,4] | R.matmul(a, b)", "np.matmul(a, b)"),
    "relax.einsum": _numpy('a:float32[2,3,5] b:float32[5,4] | R.einsum((a, b), "hij,jk->khi")', "np.einsum('hij,jk->khi', a, b)"),
    "relax.outer": _numpy("a:float32[3] b:float32[5] | R.outer(a, b)", "np.outer(a, b)"),
    "relax.collapse_sum_like": _torch("a:float32[2,3,5] b:float32[3,1] | R.collapse_sum_like(a, b)", "a.sum_to_size(3, 1)"),
    "relax.collapse_sum_to": _torch("a:float32[2,3,5] | R.collapse_sum_to(a, R.shape([1, 5]))", "a.sum_to_size(1, 5)"),
    # scans and orders
    "relax.cumsum": _numpy("a:float32[3,5] | R.cumsum(a, axis=1)", "np.cumsum(a, 1)"),
    "relax.cumprod": _numpy("a:float32[3,5] | R.cumprod(a, axis=0)", "np.cumprod(a, 0)"),
    "relax.sort": _numpy("a:float32[3,5] | R.sort(a, axis=1)", "np.sort(a, 1)"),
    "relax.argsort": _numpy("a:int32[3,7]{0:3} | R.argsort(a, axis=1)", "np.argsort(a, 1, kind='stable')"),
    "relax.topk": _torch("a:float32[3,7] | R.topk(a, k=2, axis=1)", "torch.topk(a, 2, 1)"),
    "relax.bucketize": _numpy("a:int32[11]{0:4} b:int32[3]{1:1} | R.bucketize(a, R.cumsum(b), right=False)", "np.searchsorted(np.cumsum(b), a)"),
    "relax.multinomial_from_uniform": _tvm("p:float32[2,3]{0.3:0.3} u:float32[5,1]{0:0.8} i:int64[5,1]{0:1} | R.multinomial_from_uniform(p, u, i)"),
    "relax.nonzero": _numpy("a:int32[3,5]{-1:1} | R.nonzero(a)", "np.stack(np.nonzero(a))"),
    "relax.unique": _numpy("a:int32[11]{-3:3} | R.unique(a)", "np.unique(a)"),
    # activations
    "relax.nn.relu": _torch("a:float32[3,5] | R.nn.relu(a)", "F.relu(a)"),
    "relax.nn.leakyrelu": _torch("a:float32[3,5] | R.nn.leakyrelu(a, 0.25)", "F.leaky_relu(a, 0.25)"),
    "relax.nn.silu": _torch("a:float32[3,5] | R.nn.silu(a)", "F.silu(a)"),
    "relax.nn.gelu": _torch("a:float32[3,5] | R.nn.gelu(a)", "F.gelu(a)"),
    "relax.nn.gelu_tanh": _torch("a:float32[3,5] | R.nn.gelu_tanh(a)", "F.gelu(a, approximate='tanh')"),
    "relax.nn.selu": _torch("a:float32[3,5] | R.nn.selu(a)", "F.selu(a)"),
    "relax.nn.softplus": _torch("a:float32[3,5] | R.nn.softplus(a, 2.0, 1.0)", "F.softplus(a, 2.0, 1.0)"),
    "relax.nn.prelu": _torch("a:float32[2,3,5] k:float32[3] | R.nn.prelu(a, k, axis=1)", "F.prelu(a, k)"),
    "relax.nn.softmax": _torch("a:float32[2,3,5] | R.nn.softmax(a, axis=1)", "F.softmax(a, 1)"),
    "relax.nn.log_softmax": _torch("a:float32[2,3,5] | R.nn.log_softmax(a, axis=1)", "F.log_softmax(a, 1)"),
    # norms
    "relax.nn.layer_norm": _torch("a:float32[2,3,5] g:float32[5] b:float32[5] | R.nn.layer_norm(a, g, b, axes=[-1], epsilon=0.125)", "F.layer_norm(a, (5,), g, b, 0.125)"),
    "relax.nn.rms_norm": _torch("a:float32[2,3,5] g:float32[5] | R.nn.rms_norm(a, g, axes=[-1], epsilon=0.125)", "F.rms_norm(a, (5,), g, 0.125)"),
    "relax.nn.group_norm": _torch("a:float32[2,4,5] g:float32[4] b:float32[4] | R.nn.group_norm(a, g, b, num_groups=2, channel_axis=1, axes=[2], epsilon=0.125)", "F.group_norm(a, 2, g, b, 0.125)"),
    "relax.nn.instance_norm": _torch("a:float32[2,3,5] g:float32[3] b:float32[3] | R.nn.instance_norm(a, g, b, channel_axis=1, axes=[2], epsilon=0.125)", "F.instance_norm(a, weight=g, bias=b, eps=0.125)"),
    "relax.nn.batch_norm": _torch(
        "a:float32[2,3,5] g:float32[3] b:float32[3] m:float32[3] v:float32[3]{0.5:2} | R.nn.batch_norm(a, g, b, m, v, axis=1, epsilon=0.125, training=False)",
        "(F.batch_norm(a, m, v, g, b, False, 0.0, 0.125), m, v)",
    ),
    # windows
    "relax.nn.conv1d": _torch("a:float32[2,3,7] w:float32[4,3,2] | R.nn.conv1d(a, w, strides=2, padding=[1, 1], dilation=2)", "F.conv1d(a, w, stride=2, padding=1, dilation=2)"),
    "relax.nn.conv2d": _torch("a:float32[2,4,5,6] w:float32[6,2,3,2] | R.nn.conv2d(a, w, strides=[2, 1], padding=[1, 0, 1, 0], groups=2)", "F.conv2d(a, w, stride=(2, 1), padding=(1, 0), groups=2)"),
    "relax.nn.conv3d": _torch("a:float32[1,2,3,4,5] w:float32[3,2,2,1,3] | R.nn.conv3d(a, w, padding=[0, 1, 0, 0, 1, 0])", "F.conv3d(a, w, padding=(0, 1, 0))"),
    "relax.nn.conv1d_transpose": _torch("a:float32[2,3,5] w:float32[3,4,2] | R.nn.conv1d_transpose(a, w, strides=2, padding=[1, 1], output_padding=1)", "F.conv_transpose1d(a, w, stride=2, padding=1, output_padding=1)"),
    "relax.nn.conv2d_transpose": _torch("a:float32[1,4,3,2] w:float32[4,1,2,3] | R.nn.conv2d_transpose(a, w, strides=[1, 2], groups=2)", "F.conv_transpose2d(a, w, stride=(1, 2), groups=2)"),
    "relax.nn.conv3d_transpose": _torch("a:float32[1,2,2,3,4] w:float32[2,3,2,1,2] | R.nn.conv3d_transpose(a, w)", "F.conv_transpose3d(a, w)"),
    "relax.nn.max_pool1d": _torch("a:float32[1,2,7] | R.nn.max_pool1d(a, pool_size=3, strides=2, padding=[1, 1])", "F.max_pool1d(a, 3, 2, 1)"),
    "relax.nn.max_pool2d": _torch("a:float32[1,2,5,7] | R.nn.max_pool2d(a, pool_size=[2, 3], strides=[1, 2])", "F.max_pool2d(a, (2, 3), (1, 2))"),
    "relax.nn.max_pool3d": _torch("a:float32[1,1,3,4,5] | R.nn.max_pool3d(a, pool_size=[2, 1, 3])", "F.max_pool3d(a, (2, 1, 3), 1)"),
    "relax.nn.avg_pool1d": _torch("a:float32[1,2,7] | R.nn.avg_pool1d(a, pool_size=3, strides=2, padding=[1, 1], count_include_pad=False)", "F.avg_pool1d(a, 3, 2, 1, count_include_pad=False)"),
    "relax.nn.avg_pool2d": _torch("a:float32[1,2,5,7] | R.nn.avg_pool2d(a, pool_size=[2, 3], strides=[2, 1], padding=[1, 1, 1, 1], count_include_pad=True)", "F.avg_pool2d(a, (2, 3), (2, 1), 1)"),
    "relax.nn.avg_pool3d": _torch("a:float32[1,1,3,4,5] | R.nn.avg_pool3d(a, pool_size=[2, 1, 3])", "F.avg_pool3d(a, (2, 1, 3), 1)"),
    "relax.nn.adaptive_avg_pool1d": _torch("a:float32[1,2,7] | R.nn.adaptive_avg_pool1d(a, output_size=3)", "F.adaptive_avg_pool1d(a, 3)"),
    "relax.nn.adaptive_avg_pool2d": _torch("a:float32[1,2,5,7] | R.nn.adaptive_avg_pool2d(a, output_size=[3, 2])", "F.adaptive_avg_pool2d(a, (3, 2))"),
    "relax.nn.adaptive_avg_pool3d": _torch("a:float32[1,1,3,4,5] | R.nn.adaptive_avg_pool3d(a, output_size=[2, 3, 2])", "F.adaptive_avg_pool3d(a, (2, 3, 2))"),
    "relax.grad.max_pool2d_backward": _torch(
        "g:float32[1,2,4,3] a:float32[1,2,5,7] | R.grad.max_pool2d_backward(g, a, pool_size=[2, 3], strides=[1, 2])",
        "torch.func.vjp(lambda x: F.max_pool2d(x, (2, 3), (1, 2)), a)[1](g)[0]",
    ),
    "relax.grad.avg_pool2d_backward": _torch(
        "g:float32[1,2,4,3] a:float32[1,2,5,7] | R.grad.avg_pool2d_backward(g, a, pool_size=[2, 3], strides=[1, 2])",
        "torch.func.vjp(lambda x: F.avg_pool2d(x, (2, 3), (1, 2)), a)[1](g)[0]",
    ),
    "relax.grad.nll_loss_backward": _torch(
        'g:float32[] p:float32[5,3] t:int64[5]{0:2} w:float32[3]{0.5:2} | R.grad.nll_loss_backward(g, p, t, w, reduction="mean")',
        "torch.func.vjp(lambda x: F.nll_loss(x, t, w), p)[1](g)[0]",
    ),
    # attention and losses
    "relax.nn.attention": _torch(
        "q:float32[2,3,2,4] k:float32[2,5,2,4] v:float32[2,5,2,7] | R.nn.attention(q, k, v)",
        "F.scaled_dot_product_attention(q.transpose(1, 2), k.transpose(1, 2), v.transpose(1, 2)).transpose(1, 2)",
    ),
    "relax.nn.attention_bias": _torch(
        "q:float32[2,3,2,4] k:float32[2,5,2,4] v:float32[2,5,2,7] b:float32[2,2,3,5] | R.nn.attention_bias(q, k, v, b)",
        "F.scaled_dot_product_attention(q.transpose(1, 2), k.transpose(1, 2), v.transpose(1, 2), b).transpose(1, 2)",
    ),
    "relax.nn.attention_var_len": _torch(
        "q:float32[1,3,2,4] k:float32[1,3,2,4] v:float32[1,3,2,7] s:int32[1]{0:0} e:int32[1]{3:3} m:int32[]{3:3} | R.nn.attention_var_len(q, k, v, R.concat((s, e), axis=0), m, R.concat((s, e), axis=0), m)",
        "F.scaled_dot_product_attention(q.transpose(1, 2), k.transpose(1, 2), v.transpose(1, 2)).transpose(1, 2)",
    ),
    "relax.nn.pad": _numpy("a:float32[3,5] | R.nn.pad(a, pad_width=[1, 0, 2, 1], pad_value=1.5)", "np.pad(a, ((1, 0), (2, 1)), constant_values=1.5)"),
    "relax.nn.pixel_shuffle": _torch("a:float32[1,8,3,5] | R.nn.pixel_shuffle(a, 2)", "F.pixel_shuffle(a, 2)"),
    "relax.nn.dropout": _torch("a:float32[3,5] | R.nn.dropout(a, 0.25)", "(F.dropout(a, 0.25, training=False), torch.ones_like(a))"),
    "relax.nn.cross_entropy_with_logits": _tvm("a:float32[3,5] b:float32[3,5] | R.nn.cross_entropy_with_logits(a, b)"),
    "relax.nn.nll_loss": _torch('p:float32[5,3] t:int64[5]{0:2} w:float32[3]{0.5:2} | R.nn.nll_loss(p, t, w, reduction="mean")', "F.nll_loss(p, t, w)"),
    "relax.quantize": _torch(
        'a:float32[3,5]{-4:4} | R.quantize(a, R.const([0.25, 0.5, 0.125], "float32"), R.const([1, -2, 3], "int8"), axis=0, out_dtype="int8")',
        "torch.fake_quantize_per_channel_affine(a.float(), torch.tensor([0.25, 0.5, 0.125]), torch.tensor([1, -2, 3], dtype=torch.int32), 0, -128, 127).double() / torch.tensor([[0.25], [0.5], [0.125]], dtype=torch.float64) + torch.tensor([[1], [-2], [3]])",
    ),
    "relax.dequantize": _torch(
        'a:int8[3,5]{-9:9} | R.dequantize(a, R.const([0.25, 0.5, 0.125], "float32"), R.const([1, -2, 3], "int8"), axis=0, out_dtype="float32")',
        "(a.double() - torch.tensor([[1], [-2], [3]])) * torch.tensor([[0.25], [0.5], [0.125]], dtype=torch.float64)",
    ),
    # images
    "relax.image.resize2d": (
        Oracle("torch", 'a:float32[1,2,3,5] | R.image.resize2d(a, R.shape([4, 7]), method="linear", coordinate_transformation_mode="half_pixel")', "F.interpolate(a, (4, 7), mode='bilinear')"),
        Oracle("torch", 'a:float32[1,2,3,5] | R.image.resize2d(a, R.shape([4, 7]), method="cubic", coordinate_transformation_mode="half_pixel", cubic_alpha=-0.75)', "F.interpolate(a, (4, 7), mode='bicubic')"),
        Oracle("torch", 'a:float32[1,2,3,5] | R.image.resize2d(a, R.shape([4, 7]), method="nearest_neighbor", coordinate_transformation_mode="asymmetric", rounding_method="floor")', "F.interpolate(a, (4, 7), mode='nearest')"),
    ),
    "relax.image.resize3d": _torch('a:float32[1,2,3,4,5] | R.image.resize3d(a, R.shape([2, 5, 3]), method="linear", coordinate_transformation_mode="half_pixel")', "F.interpolate(a, (2, 5, 3), mode='trilinear')"),
    "relax.image.affine_grid": _torch("a:float32[2,2,3] | R.image.affine_grid(a, R.shape([3, 5]), align_corners=False)", "F.affine_grid(a, (2, 1, 3, 5), align_corners=False).permute(0, 3, 1, 2)"),
    "relax.image.grid_sample": (
        Oracle("torch", 'a:float32[2,3,4,5] g:float32[2,2,3,7]{-1.2:1.2} | R.image.grid_sample(a, g, method="bilinear", padding_mode="zeros", align_corners=False)', "F.grid_sample(a, g.permute(0, 2, 3, 1), 'bilinear', 'zeros', False)"),
        Oracle("torch", 'a:float32[2,3,4,5] g:float32[2,2,3,7]{-1.2:1.2} | R.image.grid_sample(a, g, method="bicubic", padding_mode="border", align_corners=True)', "F.grid_sample(a, g.permute(0, 2, 3, 1), 'bicubic', 'border', True)"),
    ),
    "relax.vision.roi_align": _tvm("a:float32[2,3,5,7] r:float32[1,5]{1:1} | R.vision.roi_align(a, r, pooled_size=[2, 3], spatial_scale=1.0, sample_ratio=2)"),
    "relax.vision.roi_pool": _tvm("a:float32[2,3,5,7] r:float32[1,5]{1:1} | R.vision.roi_pool(a, r, pooled_size=[2, 3], spatial_scale=1.0)"),
    "relax.vision.get_valid_counts": _tvm("a:float32[2,5,6]{0:1} | R.vision.get_valid_counts(a, score_threshold=0.5)"),
    "relax.vision.multibox_transform_loc": _tvm("c:float32[2,3,5] l:float32[2,20] b:float32[1,5,4] | R.vision.multibox_transform_loc(c, l, b)"),
    "relax.vision.non_max_suppression": _tvm("a:float32[1,7,6]{0:1} n:int32[1]{7:7} i:int32[1,7]{0:6} | R.vision.non_max_suppression(a, n, i, iou_threshold=0.5, force_suppress=True, return_indices=False)"),
    "relax.vision.all_class_non_max_suppression": _tvm('b:float32[1,6,4]{0:1} s:float32[1,2,6]{0:1} | R.vision.all_class_non_max_suppression(b, s, R.const(3, "int64"), R.const(0.25, "float32"), R.const(0.1, "float32"), output_format="tensorflow")'),
    "relax.layout_transform": _numpy("a:float32[3,5] | R.layout_transform(a, index_map=T.index_map(lambda i, j: (j, i)))", "np.transpose(a)"),
    # identities
    **{
        f"relax.{name}": _tvm(f"a:float32[3,5] | R.{name}(a)")
        for name in ("grad.no_grad", "grad.start_checkpoint", "grad.end_checkpoint")
    },
    **{
        f"relax.{name}": _numpy(f"a:float32[3,5] | R.{name}(a)", "np.array(a)")
        for name in ("builtin.stop_lift_params", "memory.ensure_zero_offset")
    },
    # facts of an array, and its bytes seen otherwise
    "relax.inspect.tensor_ndim": _numpy("a:int32[3,1,5] | R.inspect.tensor_ndim(a)", "a.ndim"),
    "relax.inspect.tensor_dtype_bits": _numpy("a:int16[3,5] | R.inspect.tensor_dtype_bits(a)", "8 * a.dtype.itemsize"),
    "relax.inspect.tensor_dtype_code": _numpy("a:uint8[3,5]{0:9} | R.inspect.tensor_dtype_code(a)", "'iuf'.index(a.dtype.kind)"),
    "relax.inspect.tensor_dtype_lanes": _numpy("a:int32[3,5] | R.inspect.tensor_dtype_lanes(a)", "len(np.zeros(1, a.dtype.base).flat)"),
    "relax.inspect.tensor_shape_i": _numpy("a:int32[3,5] | R.inspect.tensor_shape_i(a, 1)", "a.shape[1]"),
    "relax.inspect.tensor_stride_i": _numpy("a:int32[3,5,7] | R.inspect.tensor_stride_i(a, 0)", "a.strides[0] // a.itemsize"),
    "relax.memory.view": (
        Oracle("numpy", "a:int32[3,5]{-70000:70000} | R.memory.view(a, R.shape([5, 3]))", "a.reshape(5, 3)"),
        Oracle("numpy", 'a:int32[3,5]{-70000:70000} | R.memory.view(a, R.shape([2, 9]), R.dtype("int16"), 8)', "a.ravel().view('int16')[4:22].reshape(2, 9)"),
    ),
    # what workers do together
    "relax.ccl.allreduce": (
        Oracle("numpy", 'a:float32[2,5] | R.ccl.allreduce(a, "sum")', "[sum(a)] * 3", 3),
        Oracle("numpy", 'a:float32[2,5] | R.ccl.allreduce(a, "prod")', "[np.prod(a, axis=0)] * 3", 3),
        Oracle("numpy", 'a:float32[2,5] | R.ccl.allreduce(a, "min")', "[np.min(a, axis=0)] * 3", 3),
        Oracle("numpy", 'a:float32[2,5] | R.ccl.allreduce(a, "max")', "[np.max(a, axis=0)] * 3", 3),
        Oracle("numpy", 'a:float32[2,5] | R.ccl.allreduce(a, "avg")', "[np.mean(a, axis=0)] * 2", 2),
    ),
    "relax.ccl.allgather": _workers(3, "a:float32[2,5] | R.ccl.allgather(a, 3)", "[np.concatenate(a)] * 3"),
    "relax.ccl.broadcast_from_worker0": _workers(3, "a:float32[2,5] | R.ccl.broadcast_from_worker0(a)", "[a[0]] * 3"),
    "relax.ccl.scatter_from_worker0": _workers(3, "a:float32[6,5] | R.ccl.scatter_from_worker0(a, 3, 0)", "np.split(a[0], 3)"),
    "relax.dist.redistribute_replica_to_shard": _workers(
        2, "a:float32[3,4] | R.dist.redistribute_replica_to_shard(a, 2, 1)", "[np.split(x, 2, axis=1)[k] for k, x in enumerate(a)]"
    ),
    # nobody
    **_absent(WORKERS, "dist.annotate_sharding dist.redistribute"),
    **_absent(MEMORY, "builtin.alloc_tensor memory.alloc_storage memory.alloc_tensor memory.kill_storage memory.kill_tensor vm.alloc_storage vm.alloc_tensor vm.kill_object vm.call_tir_dyn"),
    **_absent(FACTS, "inspect.tensor_byte_offset inspect.tensor_elem_offset"),
    **_absent(EFFECT, "print assert_op null_value"),
    "relax.to_vdevice": _numpy('a:float32[3,5] | R.to_vdevice(a, "llvm:0")', "np.array(a)"),
    "relax.hint_on_device": _numpy('a:float32[3,5] | R.hint_on_device(a, R.device(device_type=1, index=0), "global")', "np.array(a)"),
}  # fmt: skip
"""Every operator."""

_SOFTMAX = (
    "(lambda s: np.exp(s - s.max(-1, keepdims=True)) / np.exp(s - s.max(-1, keepdims=True)).sum(-1, keepdims=True))"
)
_ATTENTION = f"(lambda q, k, v: np.einsum('bhij,bjhc->bihc', {_SOFTMAX}(np.einsum('bihd,bjhd->bhij', q, k) / np.sqrt(q.shape[3])), v))"

CORNERS: dict[str, tuple[Oracle, ...]] = {
    "relax.nn.attention": (
        Oracle("numpy", "q:float32[2,3,4,4] k:float32[2,5,2,4] v:float32[2,5,2,7] | R.nn.attention(q, k, v)", f"{_ATTENTION}(q, np.repeat(k, 2, 2), np.repeat(v, 2, 2))"),
        Oracle("numpy", "q:float32[1,3,2,3] k:float32[1,5,2,3] v:float32[1,5,2,7] | R.nn.attention(q, k, v)", f"{_ATTENTION}(q, k, v)"),
        Oracle("numpy", "q:float32[1,3,2,3] k:float32[1,5,2,3] v:float32[1,5,2,7] | R.nn.attention(q, k, v, scale=0.25)", f"{_ATTENTION}(q * 0.25 * np.sqrt(3), k, v)"),
    ),
    "relax.nn.attention_var_len": (
        Oracle(
            "numpy",
            'q:float32[1,5,2,4] k:float32[1,7,2,4] v:float32[1,7,2,3] m:int32[]{3:3} | R.nn.attention_var_len(q, k, v, R.const([0, 2, 2, 5], "int32"), m, R.const([0, 3, 4, 7], "int32"), m)',
            f"np.concatenate([{_ATTENTION}(q[:, :2], k[:, :3], v[:, :3]), {_ATTENTION}(q[:, 2:], k[:, 4:], v[:, 4:])], axis=1)",
        ),
    ),
    "relax.nn.softplus": _numpy("a:float32[3,5] | R.nn.softplus(a, beta=2.0, threshold=20.0)", "np.log1p(np.exp(2 * a)) / 2"),
    "relax.log_add_exp": _numpy("a:float32[3,5]{1:1} b:float32[5]{1:1} | R.log_add_exp(a, b)", "np.logaddexp(a, b)"),
    "relax.power": (
        Oracle("numpy", "a:int32[3,5]{-3:3} b:int32[5]{0:0} | R.power(a, b)", "np.power(a, b)"),
        Oracle("numpy", "a:uint8[3,5]{3:9} b:uint8[5]{200:255} | R.power(a, b)", "np.power(a, b)"),
        Oracle("numpy", "a:bool[3,5] b:bool[5] | R.power(a, b)", "a | ~b"),
    ),
    "relax.arange": _numpy('a:float32[1] | R.arange(R.prim_value(T.float32(0.5)), R.prim_value(T.float32(4)), R.prim_value(T.float32(0.75)), "float32")', "np.arange(0.5, 4, 0.75)"),
    "relax.hamming_window": tuple(
        Oracle("numpy", f'a:float32[1] | R.hamming_window({n}, 0, T.float32(0.75), T.float32(0.25), "float32")', f"0.75 - 0.25 * np.cos(2 * np.pi * np.arange({n}) / {n - 1})")
        for n in (2, 5)
    ),
}  # fmt: skip
"""Further calls, at which a text that is wrong in one place gives something else."""

ORACLES |= {name: (*rows, *CORNERS.get(name, ())) for name, rows in ORACLES.items() if isinstance(rows, tuple)}
ORACLES |= {name: rows for name, rows in CORNERS.items() if name not in ORACLES}

__all__ = ["ORACLES", "Absent", "Library", "Oracle"]
