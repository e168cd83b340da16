"""How to call every operator: one literal table, from which sweeps and strategies make programs.

A line is ``parameters | call``. A parameter is ``name:dtype[extents]`` for a tensor, ``name:dtype`` for a scalar and
``name:shape[extents]`` for a shape. A dtype is a name, or a letter: ``D`` any dtype, ``E`` any other one, ``F`` any
float, ``I`` the dtype of indices; a letter stands for one dtype throughout the line. ``D``, ``E``, ``F`` and ``I`` in
the call (as words) are those dtypes as well. An extent is a number, a symbol (``n``, ``m``), or ``?`` (only the rank is
known); ``[*]`` leaves the rank open. ``{a; b; c}`` in a call are alternatives.

The calls are of the right form; whether a choice of dtypes is well typed is for ``check`` to say.
"""

# ruff: noqa: E501
from __future__ import annotations

from refrelax.testing.alike import ELEMENTWISE, PAIRS

_ANY = ("x:D[n,3] | R.{op}(x)", "x:D[] | R.{op}(x)", "x:D[*] | R.{op}(x)")
_PAIR = (
    "x:D[n,3] y:D[n,3] | R.{op}(x, y)", "x:D[n,3] y:E[3] | R.{op}(x, y)", "x:D[] y:D[] | R.{op}(x, y)",
    "x:D[n,1] y:D | R.{op}(x, y)", "x:D y:D[n,3] | R.{op}(x, y)", "x:D y:D | R.{op}(x, y)",
    "x:D[?,?] y:D[3] | R.{op}(x, y)",
)  # fmt: skip
_AXES = (
    "x:D[n,2,3] | R.{op}(x, axis={None; [0]; [-1]; [0, -1]; [1]; []}, keepdims={False; True})", "x:D[] | R.{op}(x)",
    "x:D[?,?] | R.{op}(x, axis=[0])", "x:D[4,0] | R.{op}(x, axis={[0]; [1]})",
)  # fmt: skip
_ARG = (
    "x:D[n,3] | R.{op}(x, axis={None; 0; 1; -1; -2}, keepdims={False; True})", "x:D[] | R.{op}(x)",
    "x:D[2,0] | R.{op}(x, axis={0; 1})",
)  # fmt: skip
_SCAN = ("x:D[n,3] | R.{op}(x, axis={None; 0; -1}, exclusive={False; True})", 'x:D[n] | R.{op}(x, axis=0, dtype="E")')
_POOL = {
    1: ("x:D[1,2,n] | R.{op}(x, pool_size=2, strides={1; 2}, padding={0; 1}, ceil_mode={False; True})",),
    2: (
        "x:D[n,2,4,3] | R.{op}(x, pool_size=[2, 3], strides={[1, 1]; [2, 1]}, padding={[0, 0]; [1, 1, 0, 1]}, "
        "ceil_mode={False; True}, count_include_pad={False; True})",
        'x:D[1,3,4,2] | R.{op}(x, pool_size=[2, 2], dilation=[1, 2], layout="NHWC")',
    ),
    3: ("x:D[1,1,3,2,n] | R.{op}(x, pool_size=[2, 1, 2], padding={0; 1}, ceil_mode={False; True})",),
}  # fmt: skip
_NMS = "score_index=1, coord_start=2, id_index=0"
_WHAT = ("ndim", "dtype_bits", "dtype_code", "dtype_lanes", "byte_offset", "elem_offset")

SKETCHES: dict[str, tuple[str, ...]] = {
    **dict.fromkeys(
        (
            *ELEMENTWISE, "flatten", "shape_of", "size", "nonzero", "ones_like", "zeros_like",
            "builtin.stop_lift_params", "ccl.broadcast_from_worker0", "memory.ensure_zero_offset",
            "grad.start_checkpoint", "grad.end_checkpoint", "grad.no_grad",
        ),
        _ANY,
    ),
    **dict.fromkeys(PAIRS, _PAIR),
    "astype": ('x:D[n,3] | R.astype(x, "E")', 'x:D[] | R.astype(x, "E")', 'x:D[n] | R.astype(x, "void")'),
    "wrap_param": ('x:D[n,3] | R.wrap_param(x, "E")',),
    "where": ("c:bool[n,1] x:D[n,3] y:D[3] | R.where(c, x, y)", "c:E[3] x:D[3] y:D[3] | R.where(c, x, y)"),
    "clip": (
        "x:D[n,3] | R.clip(x, {-1; 0; T.float32(-0.5); T.int64(-300)}, {2; 1; T.float32(1e30); T.int64(70000)})",
        "x:D[] lo:D hi:D | R.clip(x, lo, hi)",
    ),
    "ewise_fma": ("x:D[n,3] y:D[n,3] z:D[n,3] | R.ewise_fma(x, y, z)",),
    # creation
    "full": ("x:D[] | R.full((2, 3), x)", 'x:D[] s:shape[n,3] | R.full(s, x, dtype="E")', "x:D[n] | R.full((2, 3), x)"),
    "full_like": ("x:D[n,3] y:D[] | R.full_like(x, y)", 'x:D[n] y:E[] | R.full_like(x, y, dtype="E")'),
    "ones": ('s:shape[n,3] | R.ones(s, "D")', '| R.ones(R.shape([2, 0]), "D")'),
    "zeros": ('s:shape[n,3] | R.zeros(s, "D")',),
    "eye": ('| R.eye(3, 4, {0; -1; 2; 9}, "D")', 'k:int64 | R.eye(3, 2, k, "D")'),
    "eye_like": ("x:D[n,4] | R.eye_like(x, {0; -1; 7})", 'x:D[2,3] | R.eye_like(x, 0, "E")'),
    "arange": (
        '| R.arange({0; 5; -3}, 7, {1; 3}, "D")', '| R.arange(7, {-5; 7}, {-2; -1}, "D")',
        '| R.arange(T.float32(0.25), T.float32(3), T.float32(0.5), "D")', 'a:D b:D | R.arange(a, b, 2, "D")',
    ),
    "tril": ("x:D[2,n,3] | R.tril(x, {0; -1; 5})", "x:D[2,3] k:int64 | R.tril(x, k)"),
    "triu": ("x:D[2,n,3] | R.triu(x, {0; -1; 5})", "x:D[2,3] k:int64 | R.triu(x, k)"),
    "hamming_window": ('| R.hamming_window({5; 1; 0}, {0; 1}, T.float32(0.54), T.float32(0.46), "D")',),
    # reductions
    **dict.fromkeys(("sum", "prod", "max", "min", "mean", "variance", "std", "median"), _AXES),
    "argmax": _ARG,
    "argmin": _ARG,
    # shapes
    "reshape": (
        "x:D[n,6] | R.reshape(x, R.shape([{n, 2, 3; n * 6}]))", "x:D[2,3] | R.reshape(x, {(3, -1); (0, 3)})",
        "x:D[*] | R.reshape(x, R.shape([2, 3]))", "x:D[] | R.reshape(x, R.shape([1, 1]))",
        "x:D[6] s:shape[n,m] | R.reshape(x, s)",
    ),
    "nn.batch_flatten": ("x:D[n,2,3] | R.nn.batch_flatten(x)",),
    "expand_dims": ("x:D[n,3] | R.expand_dims(x, axis={[0]; [-1]; [1, -1]; []})", "x:D[] | R.expand_dims(x, axis=0)"),
    "squeeze": ("x:D[n,1,3,1] | R.squeeze(x, axis={[1]; [-1]; [1, 3]})", "x:D[1,1] | R.squeeze(x)",
                "x:D[n,1] | R.squeeze(x)", "x:D[?,?] | R.squeeze(x, axis=[0])"),
    "permute_dims": ("x:D[n,2,3] | R.permute_dims(x, axes={None; [2, 0, 1]; [-1, 0, -2]})", "x:D[] | R.permute_dims(x)"),
    "broadcast_to": ("x:D[n,1] | R.broadcast_to(x, R.shape([2, n, 3]))", "x:D[] | R.broadcast_to(x, R.shape([0, 2]))",
                     "x:D[3] s:shape[n,m] | R.broadcast_to(x, s)"),
    "concat": ("x:D[n,3] y:D[n,2] | R.concat((x, y), axis={1; -1})", "x:D[n,3] y:D[0,3] | R.concat((x, y), axis=0)",
               "x:D[2] y:D[1] | R.concat((x, y), axis=None)", "x:D[?] y:D[n] | R.concat((x, y))"),
    "stack": ("x:D[n,3] y:D[n,3] | R.stack((x, y), axis={0; 1; -1; None})", "x:D[] y:D[] | R.stack((x, y))"),
    "split": ("x:D[n,5] | R.split(x, {2; 5; [1, 3]; [0, 9]; [3, 2]; []}, axis={1; -1})", "x:D[n,2] | R.split(x, 2, axis=0)"),
    "repeat": ("x:D[n,3] | R.repeat(x, repeats={2; 0; 1}, axis={None; 0; -1})",),
    "tile": ("x:D[n,3] | R.tile(x, repeats={[2]; [2, 1, 3]; [0, 2]})",),
    "flip": ("x:D[n,3] | R.flip(x, axis={0; 1; -1})",),
    "meshgrid": ('x:D[n] y:D[3] | R.meshgrid((x, y), indexing={"ij"; "xy"})', "x:D[] y:D[2] | R.meshgrid((x, y))"),
    "strided_slice": (
        "x:D[n,5] | R.strided_slice(x, axes=[1], begin=[{0; -2; 9; -9}], end=[{4; -1; 99; -9}], strides=[{1; 2; -1; -3}])",
        "x:D[n,5] | R.strided_slice(x, axes=[0, -1], begin=[1, 0], end=[n, 3], assume_inbound={False; True})",
        "x:D[5] a:int64 b:int64 | R.strided_slice(x, axes=[0], begin=[a], end=[b])",
    ),
    "dynamic_strided_slice": ("x:D[4,3] b:I[2] e:I[2] s:I[2] | R.dynamic_strided_slice(x, b, e, s)",),
    "reverse_sequence": ("x:D[4,n] l:I[n] | R.reverse_sequence(x, l, seq_axis=0, batch_axis={1; -1})",),
    # indices
    "take": (
        'x:D[n,3] i:I[2] | R.take(x, i, axis={0; 1; -1; -2}, mode={"fast"; "wrap"; "clip"; "nan"})',
        'x:D[n] i:I[2,1] | R.take(x, i, mode={"fast"; "wrap"; "clip"; "nan"})',
        'x:D[3] i:I | R.take(x, i, axis=0, mode={"fast"; "wrap"; "clip"; "nan"})',
        'x:D[3] i:I[] | R.take(x, i, axis=0)', "x:D[0,3] i:I[0] | R.take(x, i, axis=0)",
    ),
    "gather_elements": ("x:D[n,3] i:I[n,2] | R.gather_elements(x, i, axis={1; -1})", "x:D[3,2] i:I[n,2] | R.gather_elements(x, i, axis=0)"),
    "gather_nd": ("x:D[3,2] i:I[n,2] | R.gather_nd(x, i)", "x:D[n,3,2] i:I[n,1,1] | R.gather_nd(x, i, batch_dims=1)",
                  "x:D[3,2] i:I[1] | R.gather_nd(x, i)"),
    "index_tensor": ("x:D[3,n,2] i:I[2,1] j:I[3] | R.index_tensor(x, (i, j))", "x:D[n,3] i:I[2] | R.index_tensor(x, (i,))"),
    "scatter_elements": (
        'x:D[3,2] i:I[n,2] u:D[n,2] | R.scatter_elements(x, i, u, axis={0; -2}, reduction={"update"; "add"; "mul"; "mean"; "max"; "min"})',
    ),
    "scatter_nd": ('x:D[3,2] i:I[1,n] u:D[n,2] | R.scatter_nd(x, i, u, reduction={"update"; "add"; "mul"; "max"; "min"})',
                   'x:D[3,2] i:I[n,1] u:D[n,2] | R.scatter_nd(x, i, u, reduction={"update"; "add"; "mul"; "max"; "min"})'),
    "index_put": ("x:D[3,2] i:I[n] j:I[n] u:D[n] | R.index_put(x, (i, j), u, accumulate={False; True})", "x:D[3] i:I[2] u:D[1] | R.index_put(x, (i,), u)"),
    "slice_scatter": ("x:D[5,n] y:D[2,n] | R.slice_scatter(x, y, 1, 4, 2, axis={0; -2})",),
    "one_hot": ("i:I[n,3] | R.one_hot(i, {T.float32(2); T.int32(3); T.bool(True)}, {T.float32(-1); T.int32(0); T.bool(False)}, {4; 1}, axis={-1; 0; 1})",
                "i:I[3] a:D b:D | R.one_hot(i, a, b, 3)"),
    "bucketize": ("x:D[n,2] b:D[4] | R.bucketize(x, R.sort(b), out_int32={False; True}, right={False; True})", "x:D[] b:D[0] | R.bucketize(x, b)"),
    # linear algebra
    "matmul": ('x:D[n,3] y:D[3,2] | R.matmul(x, y, out_dtype={None; "E"})', "x:D[3] y:D[3] | R.matmul(x, y)",
               "x:D[n,0] y:D[0,2] | R.matmul(x, y)", "x:D[2,n,3] y:D[3] | R.matmul(x, y)", "x:D[2,3] y:E[3,1] | R.matmul(x, y)"),
    "einsum": ('x:D[n,3] y:D[3,2] | R.einsum((x, y), "ij,jk->ik")', 'x:D[n,3] | R.einsum((x,), {"ij->j"; "ij"; "ij->ji"; "...j->..."})',
               'x:D[n,n] | R.einsum((x,), "ii->i")'),
    "outer": ("x:D[n] y:D[3] | R.outer(x, y)", "x:D[n] y:E[3] | R.outer(x, y)"),
    "collapse_sum_like": ("x:D[n,2,3] y:D[2,1] | R.collapse_sum_like(x, y)",),
    "collapse_sum_to": ("x:D[n,2,3] | R.collapse_sum_to(x, R.shape([2, 1]))",),
    "tensor_to_shape": ("x:D[2] | R.tensor_to_shape(x)",),
    "shape_to_tensor": ("s:shape[n,3] | R.shape_to_tensor(s)",),
    # scans and orders
    "cumsum": _SCAN,
    "cumprod": _SCAN,
    "sort": ("x:D[n,3] | R.sort(x, axis={0; -1}, descending={False; True})",),
    "argsort": ('x:D[n,3] | R.argsort(x, axis={0; -1}, descending={False; True}, dtype={"int32"; "int64"; "E"})',),
    "topk": (
        'x:D[n,5] | R.topk(x, k={2; 5; 0; -1; 9}, axis={-1; 1}, ret_type={"both"; "values"; "indices"}, largest={True; False})',
        'x:D[2,3] | R.topk(x, k=1, dtype="E")',
    ),
    "multinomial_from_uniform": ('p:F[2,3] u:F[4,1] i:I[4,1] | R.multinomial_from_uniform(p, u, i, dtype={"int64"; "int32"; "uint8"})',),
    "unique": ("x:D[n,3] | R.unique(x, {True; False}, {True; False}, {True; False}, True, axis={None; 0; 1; -1})", "x:D[7] | R.unique(x)"),
    # networks
    "nn.leakyrelu": ("x:D[n,3] | R.nn.leakyrelu(x, {0.01; 0.5; -2.0})",),
    "nn.softplus": ("x:D[n,3] | R.nn.softplus(x, {1.0; 0.0; -1.0}, {20.0; 1.0})",),
    "nn.prelu": ("x:D[n,3] a:D[3] | R.nn.prelu(x, a, axis={1; -1})", "x:D[n,3] a:D[1] | R.nn.prelu(x, a)"),
    "nn.softmax": ("x:D[n,3] | R.nn.softmax(x, axis={0; -1})", "x:D[2,0] | R.nn.softmax(x)"),
    "nn.log_softmax": ("x:D[n,3] | R.nn.log_softmax(x, axis={0; -1})",),
    "nn.layer_norm": ("x:D[n,3] g:D[3] b:D[3] | R.nn.layer_norm(x, g, b, axes=[-1], epsilon={1e-05; 0.0}, center={True; False}, scale={True; False})",
                      "x:D[2,0] g:D[0] b:D[0] | R.nn.layer_norm(x, g, b, axes=[-1])"),
    "nn.rms_norm": ("x:D[n,3] w:D[3] | R.nn.rms_norm(x, w, axes=[-1], epsilon={1e-05; 0.0})",),
    "nn.group_norm": ("x:D[n,4,3] g:D[4] b:D[4] | R.nn.group_norm(x, g, b, num_groups=2, channel_axis=1, axes=[2])",),
    "nn.instance_norm": ("x:D[n,3,2] g:D[3] b:D[3] | R.nn.instance_norm(x, g, b, channel_axis=1, axes=[2])",),
    "nn.batch_norm": ("x:D[n,3,2] g:D[3] b:D[3] m:D[3] v:D[3] | R.nn.batch_norm(x, g, b, m, v, axis=1, training={True; False})",),
    "nn.conv1d": ("x:D[n,2,5] w:D[4,2,2] | R.nn.conv1d(x, w, strides={1; 2}, padding={0; [1, 0]}, dilation={1; 2})", "x:D[1,2,3] w:D[2,2,1] | R.nn.conv1d(x, w, out_dtype=\"E\")"),
    "nn.conv2d": ("x:D[n,4,3,2] w:D[2,2,2,1] | R.nn.conv2d(x, w, padding={0; [1, 0, 1, 2]}, groups=2)", 'x:D[1,3,2,2] w:D[1,2,2,2] | R.nn.conv2d(x, w, data_layout="NHWC", kernel_layout="OHWI", out_dtype={None; "E"})'),
    "nn.conv3d": ("x:D[1,2,2,3,n] w:D[1,2,2,2,1] | R.nn.conv3d(x, w)",),
    "nn.conv1d_transpose": ("x:D[n,2,3] w:D[2,3,2] | R.nn.conv1d_transpose(x, w, strides={1; 2}, padding={0; 1})",),
    "nn.conv2d_transpose": ("x:D[n,2,3,2] w:D[2,1,2,3] | R.nn.conv2d_transpose(x, w, strides=[1, 2], groups={1; 2})",),
    "nn.conv3d_transpose": ("x:D[1,1,2,2,n] w:D[1,1,2,1,2] | R.nn.conv3d_transpose(x, w)",),
    **{f"nn.{kind}_pool{n}d": _POOL[n] for kind in ("max", "avg") for n in (1, 2, 3)},
    "nn.adaptive_avg_pool1d": ("x:D[n,2,7] | R.nn.adaptive_avg_pool1d(x, output_size={3; 9; None})",),
    "nn.adaptive_avg_pool2d": ("x:D[n,2,5,4] | R.nn.adaptive_avg_pool2d(x, output_size={[3, 2]; 1})", "x:D[1,1,0,2] | R.nn.adaptive_avg_pool2d(x, output_size=1)"),
    "nn.adaptive_avg_pool3d": ("x:D[n,1,2,3,4] | R.nn.adaptive_avg_pool3d(x, output_size=[1, 2, 2])",),
    "nn.attention": ('q:D[1,n,2,2] k:D[1,3,2,2] v:D[1,3,2,1] | R.nn.attention(q, k, v, scale={None; T.float32(0.5)}, causal_mask={None; "TopLeft"; "BottomRight"})',),
    "nn.attention_bias": ("q:D[1,n,1,2] k:D[1,3,1,2] v:D[1,3,1,1] b:D[1,1,n,3] | R.nn.attention_bias(q, k, v, b)",),
    "nn.attention_var_len": ("q:D[1,4,1,2] k:D[1,4,1,2] v:D[1,4,1,2] s:I[3] m:I[] | R.nn.attention_var_len(q, k, v, s, m, s, m)",),
    "nn.pad": ('x:D[n,3] | R.nn.pad(x, pad_width=[0, 1, 2, 0], pad_mode={"constant"; "edge"; "circular"; "reflect"}, pad_value={0.0; 1.5; -300.0})',
               "x:D[3] | R.nn.pad(x, pad_width=[-1, 1])"),
    "nn.pixel_shuffle": ("x:D[n,8,2,3] | R.nn.pixel_shuffle(x, 2)",),
    "nn.dropout": ("x:D[n,3] | R.nn.dropout(x, {0.0; 0.5})",),
    "nn.cross_entropy_with_logits": ("x:D[n,3] y:D[n,3] | R.nn.cross_entropy_with_logits(x, y)", "x:D[3] y:D[3] | R.nn.cross_entropy_with_logits(x, y)"),
    "nn.nll_loss": ('p:D[n,3] t:I[n] w:D[3] | R.nn.nll_loss(p, t, w, reduction={"mean"; "sum"; "none"}, ignore_index={-100; 1})', "p:D[3] t:I[] | R.nn.nll_loss(p, t)"),
    "quantize": (
        'x:D[n,2] s:float32[2] z:int8[2] | R.quantize(x, s, z, axis={1; -1}, out_dtype={"int8"; "uint8"; "int32"; "float8_e4m3fn"})',
        'x:D[n,2] s:F[2] z:E[2] | R.quantize(x, s, z, axis=1, out_dtype={"int8"; "uint8"})',
        'x:D[n,2] s:float16[] z:float16[] | R.quantize(x, s, z, out_dtype="int8")',
    ),
    "dequantize": (
        'x:D[n,2] s:float32[2] z:int8[2] | R.dequantize(x, s, z, axis={1; -1}, out_dtype={"float32"; "float16"})',
        'x:D[n,2] s:F[2] z:E[2] | R.dequantize(x, s, z, axis=1, out_dtype="float32")',
    ),
    # images
    "image.resize2d": (
        'x:D[1,2,3,n] | R.image.resize2d(x, (4, 2), method={"linear"; "nearest_neighbor"; "cubic"}, coordinate_transformation_mode={"half_pixel"; "align_corners"; "asymmetric"})',
        'x:D[1,1,2,3] | R.image.resize2d(x, (4, 2), method="nearest_neighbor", rounding_method={"round"; "floor"; "ceil"; "round_prefer_floor"; "round_prefer_ceil"}, coordinate_transformation_mode={"tf_half_pixel_for_nn"; "pytorch_half_pixel"; "tf_crop_and_resize"}, out_dtype="E")',
        'x:D[1,1,2,3] | R.image.resize2d(x, (1, 0), method="cubic", cubic_exclude={0; 1})',
    ),
    "image.resize3d": ('x:D[1,1,2,3,n] | R.image.resize3d(x, (2, 1, 3), method={"linear"; "nearest_neighbor"; "cubic"})',),
    "image.affine_grid": ("x:D[n,2,3] | R.image.affine_grid(x, {(2, 3); (1, 1); (0, 2)}, align_corners={True; False})",),
    "image.grid_sample": (
        'x:D[1,2,3,2] g:D[1,2,n,2] | R.image.grid_sample(x, g, method={"bilinear"; "nearest"; "bicubic"}, padding_mode={"zeros"; "border"; "reflection"}, align_corners={True; False})',
        'x:D[1,1,0,2] g:D[1,2,1,2] | R.image.grid_sample(x, g, padding_mode={"zeros"; "border"; "reflection"})',
    ),
    # vision
    "vision.roi_align": ('x:D[1,2,4,3] r:D[n,5] | R.vision.roi_align(x, r, pooled_size=[2, 1], spatial_scale=0.5, sample_ratio={-1; 2}, aligned={True; False}, mode={"avg"; "max"})',),
    "vision.roi_pool": ("x:D[1,2,4,3] r:D[n,5] | R.vision.roi_pool(x, r, pooled_size=[2, 1], spatial_scale=0.5)",),
    "vision.get_valid_counts": ("x:D[1,n,6] | R.vision.get_valid_counts(x, score_threshold=0.5, id_index={0; -1})",),
    "vision.multibox_transform_loc": ("c:D[1,3,n] l:D[1,4*n] a:D[1,n,4] | R.vision.multibox_transform_loc(c, l, a, clip={True; False}, keep_background={True; False}, apply_softmax={True; False})",),
    "vision.non_max_suppression": (
        f"x:D[1,n,6] v:I[1] i:I[1,n] | R.vision.non_max_suppression(x, v, i, {_NMS}, iou_threshold=0.3, return_indices={{True; False}}, invalid_to_bottom={{True; False}}, soft_nms_sigma={{0.0; 0.5}}, top_k={{-1; 1}})",
    ),
    "vision.all_class_non_max_suppression": (
        'b:D[1,n,4] s:D[1,2,n] o:D[] t:D[] | R.vision.all_class_non_max_suppression(b, s, R.const(2, "int64"), o, t, output_format={"onnx"; "tensorflow"})',
    ),
    "layout_transform": (
        "x:D[n,6] | R.layout_transform(x, index_map=T.index_map(lambda i, j: (j, i)))",
        "x:D[2,6] | R.layout_transform(x, index_map=T.index_map(lambda i, j: (j // 4, i, j % 4)), pad_value={T.float32(9); T.int32(1); None})",
        "x:D[2,6] p:D | R.layout_transform(x, index_map=T.index_map(lambda i, j: (j // 4, i, j % 4)), pad_value=p)",
    ),
    # gradients
    "grad.take_backward": ('g:D[2,3] x:D[n,3] i:I[2] | R.grad.take_backward(g, x, i, axis=0, mode={"fast"; "wrap"; "clip"})',),
    "grad.nll_loss_backward": ('g:D[] p:D[n,3] t:I[n] w:D[3] | R.grad.nll_loss_backward(g, p, t, w, reduction={"mean"; "sum"})',),
    "grad.max_pool2d_backward": ("g:D[1,2,3,2] x:D[1,2,3,2] | R.grad.max_pool2d_backward(g, x, pool_size=[1, 1])", "g:D[1,1,2,2] x:D[1,1,3,2] | R.grad.max_pool2d_backward(g, x, pool_size=[2, 1])"),
    "grad.avg_pool2d_backward": ("g:D[1,1,2,2] x:D[1,1,3,2] | R.grad.avg_pool2d_backward(g, x, pool_size=[2, 1], count_include_pad={True; False})",),
    # devices, collectives, effects, memory
    "ccl.allreduce": ('x:D[n,3] | R.ccl.allreduce(x, {"sum"; "prod"; "min"; "max"; "avg"})',),
    "ccl.allgather": ("x:D[n,3] | R.ccl.allgather(x, 1)",),
    "ccl.scatter_from_worker0": ("x:D[n,3] | R.ccl.scatter_from_worker0(x, 1, 0)",),
    "dist.annotate_sharding": ('x:D[n,3] | R.dist.annotate_sharding(x, "mesh[0]", "S[0]")',),
    "dist.redistribute_replica_to_shard": ("x:D[n,3] | R.dist.redistribute_replica_to_shard(x, {1; 3}, axis={1; -1})",),
    "print": ('x:D[n,3] | R.print(x, format=R.str("{{}}"))',),
    "assert_op": ("x:D[] | R.assert_op(x)", 'x:D | R.assert_op(x, format=R.str("no"))'),
    "null_value": ("| R.null_value()",),
    "hint_on_device": ("x:D[n,3] | R.hint_on_device(x, R.device(device_type=1, index=0), \"global\")",),
    "to_vdevice": ('x:D[n,3] | R.to_vdevice(x, "llvm:0")',),
    **{f"inspect.tensor_{what}": ("x:D[n,3] | R.inspect.tensor_" + what + "(x)",) for what in _WHAT},
    "inspect.tensor_shape_i": ("x:D[n,3] | R.inspect.tensor_shape_i(x, {0; 1; 2; -1})", "x:D[n] k:int64 | R.inspect.tensor_shape_i(x, k)"),
    "inspect.tensor_stride_i": ("x:D[n,3] | R.inspect.tensor_stride_i(x, {0; 1; 2; -1})",),
    "builtin.alloc_tensor": ('s:shape[n,3] | R.builtin.alloc_tensor(s, R.dtype("D"), 0)',),
    "memory.alloc_storage": ('| R.memory.alloc_storage(R.shape([{8; 0}]), 0, "global", "D")',),
    "memory.alloc_tensor": ('| R.memory.alloc_tensor(R.memory.alloc_storage(R.shape([64]), 0, "global", "D"), {0; 8; 3; -1}, R.shape([2]), "D")',),
    "memory.kill_storage": ('| R.memory.kill_storage(R.memory.alloc_storage(R.shape([8]), 0, "global", "D"))',),
    "memory.kill_tensor": ("x:D[n] | R.memory.kill_tensor(x)",),
    "memory.view": ('x:D[4] | R.memory.view(x, R.shape([{2; 0; 9}]), R.dtype("{D; E}"), {0; 8; 1; -4})', "x:D[n,2] | R.memory.view(x, R.shape([n * 2]))"),
    "vm.alloc_storage": ('| R.vm.alloc_storage(R.shape([{8; 0}]), 0, R.dtype("D"))',),
    "vm.alloc_tensor": ('| R.vm.alloc_tensor(R.vm.alloc_storage(R.shape([64]), 0, R.dtype("D")), {0; 8}, R.shape([2]), R.dtype("D"))',),
    "vm.kill_object": ("x:D[n] | R.vm.kill_object(x)",),
}  # fmt: skip
"""Calls by operator, without the prefix ``relax.``."""
