"""Calls of operators that the rows of the NumPy backend treat in different ways, with neighbours on either side of
each question that a row asks: axes counted from both ends, extents that differ in pairs, 1 and 0, repeated places,
attributes one step beside the usual ones.

``test_rows.py`` holds what they give against the definition; ``ways.py`` writes down which statements they run.
"""

# ruff: noqa: E501
from __future__ import annotations

from functools import cache
from itertools import product
from typing import Any
from zlib import crc32

import numpy as np

import refrelax as rr
from refrelax.running.arrays import numpy_dtype
from refrelax.semantics.types.checked import CheckedModule

X3 = "x: 2 3 4"
BOTH = ("False", "True")
ENDS = tuple(product((-3, 2, 0, 1), BOTH))

CONV = 'R.nn.conv{n}d(x, w, strides={s}, padding={p}, dilation={d}, groups={g}, data_layout="{l}", kernel_layout="{k}")'
POOL = 'R.nn.{f}_pool{n}d(x, pool_size={k}, strides={s}, padding={p}, dilation={d}, ceil_mode={c}, count_include_pad={i}, layout="{l}")'
TURNED = 'R.nn.conv{n}d_transpose(x, w, strides={s}, padding={p}, output_padding={o}, dilation={d}, groups={g}, data_layout="{l}", kernel_layout="{k}")'


def conv(n: int, s: Any, p: Any, d: Any, g: int = 1, layout: str = "", kernel: str = "") -> str:
    usual = {1: ("NCW", "OIW"), 2: ("NCHW", "OIHW"), 3: ("NCDHW", "OIDHW")}[n]
    return CONV.format(n=n, s=s, p=p, d=d, g=g, l=layout or usual[0], k=kernel or usual[1])


def turned(n: int, s: Any, p: Any, o: Any, d: Any, g: int = 1, layout: str = "", kernel: str = "") -> str:
    usual = {1: ("NCW", "IOW"), 2: ("NCHW", "IOHW"), 3: ("NCDHW", "IODHW")}[n]
    return TURNED.format(n=n, s=s, p=p, o=o, d=d, g=g, l=layout or usual[0], k=kernel or usual[1])


def pools(n: int, layout: str, *more: tuple[Any, Any, Any, Any]) -> tuple[str, ...]:
    return tuple(
        POOL.format(f=f, n=n, k=k, s=s, p=p, d=d, c=c, i=i, l=layout)
        for f, c, i in (("max", "False", "False"), ("max", "True", "False"), ("avg", "False", "False"), ("avg", "True", "True"))
        for k, s, p, d in more
    )  # fmt: skip


def resize(size: str, layout: str, *more: str, n: int = 2) -> tuple[str, ...]:
    return tuple(f'R.image.resize{n}d(x, {size}, layout="{layout}", {each})' for each in more)


MODES = ("half_pixel", "align_corners", "asymmetric", "pytorch_half_pixel", "tf_half_pixel_for_nn")
NEAREST = tuple(
    f'method="nearest_neighbor", coordinate_transformation_mode="{m}", rounding_method="{r}"'
    for m in MODES for r in ("round", "floor", "ceil", "round_prefer_floor", "round_prefer_ceil", "")
)  # fmt: skip
BETWEEN = tuple(
    f'method="{f}", coordinate_transformation_mode="{m}"{more}'
    for f, more in (("linear", ""), ("cubic", ""), ("cubic", ", cubic_exclude=1"), ("cubic", ", cubic_alpha=-0.75"))
    for m in MODES[:4]
)  # fmt: skip
CROPPED = tuple(
    f'roi=(0.25, -0.5, 0.75, 1.25), method="{f}", coordinate_transformation_mode="tf_crop_and_resize", extrapolation_value={v}'
    for f, v in (("nearest_neighbor", 2.5), ("linear", -1.5), ("cubic", 0.0))
)  # fmt: skip

ROWS: dict[str, tuple[str, tuple[str, ...]]] = {
    # --- loads
    "gathered": ("x: 2 3 4, i: 2 1 4 int64, j: 1 3 2 int32", tuple(f"R.gather_elements(x, {of}, axis={a})" for a in (1, -2) for of in ("i",)) + ("R.gather_elements(x, j, axis=0)", "R.gather_elements(x, j, axis=-1)")),
    "gathered by places": ("x: 2 3 4, i: 2 2 int64, k: 2 5 1 int64, e: 4 0 int64", ("R.gather_nd(x, i)", "R.gather_nd(x, k, batch_dims=1)", "R.gather_nd(x, R.reshape(k, R.shape([2, 5, 1])))", "R.gather_nd(x, e)")),
    "gathered by indices": ("x: 5 3 4, j: 2 3 int8, k: 3 int64, i: 2 1 int32", ("R.index_tensor(x, (j,))", "R.index_tensor(x, (j, k))", "R.index_tensor(x, (i, k))", "R.index_tensor(x, (j, i, k))")),
    "gathered from many": ("x: 200 2, j: 3 int8", ("R.index_tensor(x, (j,))",)),
    "gathered from nothing": ("x: 0 3, i: 0 int64", ("R.index_tensor(x, (i,))", "R.gather_elements(x, R.reshape(i, R.shape([0, 1])), axis=1)")),
    **{f"reversed in part, {s} {b}": (f"x: 2 3 4, i: {(2, 3, 4)[b]} int32", (f"R.reverse_sequence(x, i, seq_axis={s}, batch_axis={b})", f"R.reverse_sequence(x, i, seq_axis={s - 3}, batch_axis={b - 3})")) for s, b in ((1, 0), (2, 1), (1, 2), (2, 0))},
    "taken": ("x: 2 3 4, v: 4, j: 2 5 int64, k: 3 uint8", tuple(f'R.take({x}, {i}, axis={a}, mode="{m}")' for i in "jk" for x, a in (("x", 0), ("x", -2), ("x", 2), ("v", "None")) for m in ("clip", "wrap", "nan"))),
    "taken at another dtype": ("x: 2 3 int8, y: 2 3 float16, j: 5 int64, u: 3 uint64, m: 2 3 int64", tuple(f'R.take({x}, {i}, axis=1, mode="{m}")' for x in "xy" for i in "ju" for m in ("clip", "wrap", "nan")) + ('R.take(x, R.prim_value(T.int64(1)), axis=1, mode="wrap")', 'R.take(x, R.prim_value(T.int64(-1)), axis=0, mode="clip")')),
    "taken from nothing": ("x: 2 0 float32, y: 2 0 int8, i: 0 int64", tuple(f'R.take({x}, i, axis=1, mode="{m}")' for x in "xy" for m in ("clip", "wrap", "nan"))),
    # --- stores
    **{
        f"stored along an axis, {dtype}": (f"x: 4 3 5 {dtype}, i: 3 2 5 int64, u: 3 2 5 {dtype}", tuple(f'R.scatter_elements(x, i, u, axis={a}, reduction="{r}")' for a in (0, -2) for r in ("update", "add", "mul", "max", "min")))
        for dtype in ("float32", "int8", "float16", "int64")
    },
    **{
        f"stored at numbers, {dtype}": (f"x: 5 {dtype}, i: 7 int32, u: 7 {dtype}", tuple(f'R.scatter_elements(x, i, u, axis=0, reduction="{r}")' for r in ("update", "add", "mul", "max", "min", "mean")) + tuple(f"R.index_put(x, (i,), u, accumulate={a})" for a in BOTH))
        for dtype in ("float32", "int8", "bfloat16", "float64")
    },
    **{
        f"stored at places, {depth}": (f"x: 4 3 5 float32, j: 6 {depth} int64, u: 6 {' '.join(('4', '3', '5')[depth:])} float32", tuple(f'R.scatter_nd(x, j, u, reduction="{r}")' for r in ("update", "add", "mul", "max", "min")))
        for depth in (1, 2, 3)
    },
    "stored at places of two axes": ("x: 3 3 4, i: 2 5 2 int64, u: 2 5 4", tuple(f'R.scatter_nd(x, i, u, reduction="{r}")' for r in ("update", "add", "min"))),
    "stored at indices": ("x: 4 3, j: 2 5 int64, k: 5 int64, u: 2 5, v: 5, w: 1", ("R.index_put(x, (j, k), u)", "R.index_put(x, (j, k), u, accumulate=True)", "R.index_put(x, (k, k), v, accumulate=True)", "R.index_put(x, (k, k), v)")),
    "stored in a slice": ("x: 4 7 3, u: 4 2 3, v: 4 3 3, w: 1 7 3", tuple(f"R.slice_scatter(x, {v}, {a}, {b}, {s}, axis={k})" for v, a, b, s, k in (("u", 1, 3, 1, 1), ("u", 0, 4, 2, 1), ("u", 3, 6, 2, -2), ("v", 0, 7, 3, 1), ("v", 1, 7, 2, 1), ("v", 4, 7, 1, 1), ("w", 3, 4, 1, 0), ("w", 0, 1, 5, -3)))),
    # --- order
    **{
        f"order, {dtype}": (f"x: 2 9 3 {dtype}", tuple(f"R.{f}(x, axis={a}, descending={d}{more})" for f, more in (("sort", ""), ("argsort", ', dtype="int32"')) for a in (1, -1, 0) for d in BOTH) + tuple(f'R.topk(x, k={k}, axis=1, ret_type="both", largest={d}, dtype="int64")' for k in (1, 3, 9, 12, -1) for d in BOTH))
        for dtype in ("float32", "float64", "float16", "bfloat16", "int8", "int64", "uint16", "uint64", "float8_e4m3fn")
    },
    **{
        f"few of many, {t}, {dtype}": (f"x: 2 40 {dtype}, y: 33 2 {dtype}", tuple(f'R.topk(x, k={k}, axis=-1, ret_type="{t}", largest={d}, dtype="int32")' for k, d in product((1, 4, 5, 6, 9, 10, 11), BOTH)) + tuple(f'R.topk(y, k={k}, axis=0, ret_type="{t}", largest={d})' for k, d in product((3, 4, 5, 8, 9), BOTH)))
        for dtype, t in product(("float32", "float64", "int32", "float16", "uint16"), ("both", "values", "indices"))
    },
    "few of many, apart": ("s: 2 40, t: 33 3", tuple(f'R.topk({x}, k={k}, axis={a}, ret_type="{t}", largest={d})' for (x, a), k, t, d in product((("s", -1), ("t", 0)), (1, 4, 5, 8, 9), ("both", "values", "indices"), BOTH))),
    "sorted numbers apart": ("s: 2 40, t: 33 3", tuple(f"R.{f}({x}, axis={a}, descending={d})" for f, (x, a), d in product(("sort", "argsort"), (("s", -1), ("t", 0)), BOTH))),
    "buckets": ("x: 2 5, e: 4, y: 3 float16, i: 3 int32", tuple(f"R.bucketize({x}, e, out_int32={a}, right={b})" for x in "xyi" for a in BOTH for b in BOTH)),
    "buckets without edges": ("x: 2 5, e: 0, y: 0 float32", tuple(f"R.bucketize({x}, e, out_int32=True, right={b})" for x in "xy" for b in BOTH)),
    # --- scans
    **{
        f"scans, {dtype}": (f"x: 2 5 3 {dtype}, y: 2 1 3 {dtype}", tuple(f"R.{f}({x}, axis={a}, exclusive={e})" for f in ("cumsum", "cumprod") for x in "xy" for a in (1, -1, 0, "None") for e in BOTH))
        for dtype in ("float32", "float64", "int8", "bfloat16", "int64")
    },
    "scans at another dtype": ("x: 2 5 3, y: 3 int8", tuple(f'R.{f}({x}, axis=0, dtype="{to}", exclusive={e})' for f in ("cumsum", "cumprod") for x, to in (("x", "float64"), ("y", "int32"), ("y", "float32")) for e in BOTH)),
    **{f"scans beside, {beside}": (f"x: 2 5 {beside} float32, y: 5 {beside} int32", tuple(f"R.cumsum({x}, axis={a}, exclusive={e})" for x, a in (("x", 1), ("y", 0)) for e in BOTH)) for beside in (7, 8, 32, 63, 64)},
    # --- cutting, joining, borders
    "cut": ("x: 2 7 4", tuple(f"R.split(x, {c}, axis={a})" for c, a in (("2", 0), ("7", 1), ("3", 1), ("4", 1), ("2", -1), ("[3]", 1), ("[2, 5]", -2), ("[5, 2]", 1), ("[0, 9]", 1), ("[1]", 0), ("1", 1)))),
    "slices": ("x: 5 7", tuple(f"R.strided_slice(x, axes=[{k}], begin=[{a}], end=[{b}], strides=[{s}])" for k, a, b, s in ((0, 1, 4, 2), (1, -3, 9, 1), (-1, 6, 0, -2), (1, 9, -9, -3), (0, 4, 4, 1), (0, 3, 1, 1), (1, 1, 3, -1), (0, 0, -5, -1), (-2, -6, 6, 1), (1, 7, -8, -1)))),
    "slices in bounds": ("x: 5 7", tuple(f"R.strided_slice(x, axes=[1], begin=[{a}], end=[{b}], strides=[{s}], assume_inbound=True)" for a, b, s in ((1, 4, 2), (0, 7, 3), (6, 0, -2), (7, 7, 1)))),
    "slices by tensors": ("x: 5 7, i: 2 int64, k: 2 int64, p: 2 int64", ("R.dynamic_strided_slice(x, i, R.add(i, p), p)",)),
    "slices of nothing": ("x: 0 3", tuple(f"R.strided_slice(x, axes=[0], begin=[{a}], end=[{b}], strides=[{s}])" for a, b, s in ((0, 4, 1), (3, 0, -1), (-1, 1, 1)))),
    **{
        f"borders, {dtype}": (f"x: 3 4 {dtype}, y: 1 2 {dtype}", tuple(f'R.nn.pad(x, pad_width={w}, pad_mode="{m}", pad_value=1.5)' for m in ("constant", "reflect", "replicate", "circular") for w in ("[1, 2, 0, 3]", "[2, 0, 3, 1]", "[0, 0, 0, 0]", "[2, 2, 3, 3]", "[0, 1, 0, 0]", "[-1, 0, 2, 1]", "[1, -1, 0, 0]")) + tuple(f'R.nn.pad(y, pad_width={w}, pad_mode="{m}")' for m in ("replicate", "circular", "constant") for w in ("[1, 2, 3, 4]", "[5, 0, 0, 1]", "[1, 1, 2, 2]", "[0, 1, 2, 3]")) + tuple(f'R.nn.pad(y, pad_width={w}, pad_mode="reflect")' for w in ("[0, 0, 1, 1]", "[0, 0, 1, 0]")) + ('R.nn.pad(x, pad_width=[3, 3, 4, 4], pad_mode="circular")', 'R.nn.pad(x, pad_width=[3, 4, 5, 4], pad_mode="circular")'))
        for dtype in ("float32", "int8")
    },
    "triangles": ("x: 2 3 5, y: 70 66 int8, z1: 5 3", tuple(f"R.{f}({x}, {k})" for f in ("tril", "triu") for x, k in (*product(("x", "z1"), (-4, -1, 0, 1, 3, 6)), *product("y", (-66, -3, 0, 5, 64))))),
    "diagonals": ("x: 3 5 int8, y: 4 2 float16", tuple(f"R.eye_like({x}, {k})" for x in "xy" for k in (0, 1, -1)) + ('R.eye(3, 4, 1, "float32")', 'R.eye(4, 2, -2, "int32")')),
    "one hot": ("i: 2 3 int64, k: 2 int32, l: 0 int64", tuple(f"R.one_hot({i}, {on}, {off}, {d}, axis={a})" for i, (on, off), d, a in product("ikl", (("T.float32(2.5)", "T.float32(-1)"), ("T.float32(1)", "T.float32(0)"), ("T.int8(3)", "T.int8(0)"), ("T.float16(1)", "T.float16(-0.0)")), (2, 3, 4), (-1, 0)))),
    "one hot in the middle": ("i: 2 3 int64", tuple(f"R.one_hot(i, T.float32(2.5), T.float32(0), 4, axis={a})" for a in (1, -2, 2))),
    "joined": ("x: 2 3 4, y: 2 1 4, w: 2 3 4", tuple(f"R.{c}" for c in ("concat((x, y), axis=1)", "concat((x, y, w), axis=-2)", "concat((x, w), axis=0)", "concat((x,), axis=2)", "stack((x, w), axis=0)", "stack((x, w), axis=-1)", "stack((x, w, x), axis=2)", "stack((x,), axis=1)"))),
    "repeated": ("x: 2 3 4", ("R.repeat(x, repeats=3, axis=1)", "R.repeat(x, repeats=2, axis=-1)", "R.repeat(x, repeats=2)", "R.tile(x, repeats=[2])", "R.tile(x, repeats=[3, 1, 2])", "R.tile(x, repeats=[2, 1, 1, 3])", "R.flip(x, axis=0)", "R.flip(x, axis=-2)")),
    "without axes": ("x: 1 3 1 4", ("R.squeeze(x)", "R.squeeze(x, axis=[0])", "R.squeeze(x, axis=[-2])", "R.squeeze(x, axis=[0, 2])", "R.expand_dims(x, axis=[0, -1])", "R.expand_dims(x, axis=2)", "R.flatten(x)", "R.nn.batch_flatten(x)")),
    "shuffled": ("x: 2 8 3 5, y: 9 2 1", ("R.nn.pixel_shuffle(x, 2)", "R.nn.pixel_shuffle(y, 3)", "R.nn.pixel_shuffle(x, 1)")),
    "meshes": ("x: 2, y: 3, v: 1", tuple(f'R.meshgrid((x, y, v), indexing="{w}")' for w in ("ij", "xy"))),
    "undone broadcasts": ("x: 2 3 4, v: 4, w: 3 1, u: 1 3 4", tuple(f"R.collapse_sum_like(x, {t})" for t in "vwux") + tuple(f"R.collapse_sum_to(x, R.shape([{s}]))" for s in ("3, 4", "2, 1, 1", "1, 1, 4", "1", "4", "2, 3, 4"))),
    "axes in another order": ("x: 2 3 4", ("R.permute_dims(x)", "R.permute_dims(x, axes=[2, 0, 1])", "R.permute_dims(x, axes=[-1, 0, -2])", "R.permute_dims(x, axes=[0, -1, 1])")),
    "numbers in turn": ("x: 1", tuple(f'R.arange({a}, {b}, {s}, "{d}")' for a, b, s, d in ((0, 5, 1, "int64"), (1, 6, 2, "int32"), (5, 0, -2, "float32"), (0, 5, 2, "float64"), (0, 0, 1, "int64"), (3, 1, 1, "float32"), (0, 4, 1, "float16"), (-2, 3, 1, "int8"), (0, -3, 1, "int32")))),
    # --- products
    **{
        f"products, {dtype}": (f"x: 3 4 {dtype}, y: 4 5 {dtype}, a: 2 3 4 {dtype}, b: 2 4 5 {dtype}, v: 4 {dtype}, c: 1 4 5 {dtype}", ("R.matmul(x, y)", "R.matmul(a, b)", "R.matmul(a, y)", "R.matmul(x, b)", "R.matmul(v, y)", "R.matmul(x, v)", "R.matmul(v, v)", "R.matmul(a, v)", "R.matmul(v, b)", "R.matmul(a, c)"))
        for dtype in ("float32", "float16", "bfloat16", "int8", "int32", "uint8", "float64", "int64")
    },
    "products of bytes": ("x: 3 4 int8, y: 4 5 int8, a: 2 3 4 uint8, b: 2 4 5 uint8, c: 2 4 5 int8", tuple(f'R.matmul({x}, {y}, out_dtype="{o}")' for (x, y), o in product((("x", "y"), ("a", "b"), ("a", "c")), ("int32", "float32", "int64", "int16", "uint32")) if (x, y) != ("a", "c"))),
    "contractions": ("x: 3 4, y: 4 5, a: 2 3 4, b: 2 4 5, v: 4, q: 3 3, o: 1 4", tuple(f'R.einsum({xs}, "{t}")' for xs, t in (("(x, y)", "ij,jk->ik"), ("(x, y)", "ij,jk->ki"), ("(x, y)", "ij,jk"), ("(a, b)", "bij,bjk->bik"), ("(a, b)", "bij,bjk->ikb"), ("(a, y)", "bij,jk->bik"), ("(a, y)", "bij,jk->kbi"), ("(x, v)", "ij,j->i"), ("(x, v)", "ij,j->ij"), ("(v, v)", "i,i->"), ("(x, v)", "ij,k->ijk"), ("(q,)", "ii->i"), ("(q,)", "ii"), ("(q,)", "ii->"), ("(x, y, b)", "ij,jk,bmk->ibm"), ("(a, b)", "...ij,...jk->...ik"), ("(a, y)", "...j,jk->...k"), ("(x, o)", "ij,kj->ik"), ("(x, o)", "ij,ij->i"), ("(x, y)", "ab,cd->ad"), ("(q, q)", "ij,ji->i"), ("(x,)", "ij->ji"), ("(x,)", "ij->"), ("(q, x)", "ii,ij->j")))),
    "contractions of integers": ("x: 3 4 int8, y: 4 5 int8, q: 3 3 int8", tuple(f'R.einsum({xs}, "{t}")' for xs, t in (("(x, y)", "ij,jk->ik"), ("(x, y)", "ij,jk->k"), ("(q, x)", "ij,jk->ki"), ("(q,)", "ii->i")))),
    "outer": ("x: 3, y: 4, i: 3 int8, k: 4 int32, t: 3 bool, s: 2 bool", ("R.outer(x, y)", "R.outer(i, k)", "R.outer(k, i)", "R.outer(t, s)")),
    # --- attention
    **{
        f"attention, {q} {k} {dtype}": (f"q: 2 {q} 4 4 {dtype}, k: 2 {k} 2 4 {dtype}, v: 2 {k} 2 3 {dtype}, b: 2 4 {q} {k} {dtype}, c: 1 1 {q} {k} {dtype}", tuple(f"R.nn.attention(q, k, v{rest}, scale={s}, causal_mask={m})" for rest, s, m in (("", "None", "None"), ("", "T.float32(0.5)", "None"), ("", "None", '"TopLeft"'), ("", "None", '"BottomRight"'), (", b", "T.float32(0.25)", '"TopLeft"'), (", b", "None", '"BottomRight"'))))
        for q, k, dtype in ((3, 5, "float32"), (5, 3, "float32"), (1, 4, "float32"), (3, 5, "float16"), (3, 3, "float64"))
    },
    "attention of five features": ("q: 1 2 1 5, k: 1 3 1 5, v: 1 3 1 2", ("R.nn.attention(q, k, v)", 'R.nn.attention(q, k, v, causal_mask="TopLeft")')),
    "attention of no key": ("q: 1 2 1 5, k: 1 0 1 5, v: 1 0 1 2", ("R.nn.attention(q, k, v)",)),
    # --- windows
    "convolutions": ("x: 2 4 7 6, w: 6 4 3 2, y: 6 2 2 3", (conv(2, [1, 1], [0, 0, 0, 0], [1, 1]).replace("(x, w", "(x, w"), conv(2, [2, 1], [1, 0, 2, 1], [1, 2]), conv(2, [3, 2], [0, 0, 0, 0], [1, 1]), conv(2, [3, 2], [1, 2, 0, 1], [1, 1]), conv(2, [3, 2], [0, 0, 0, 0], [2, 1]), conv(2, [1, 2], [0, 1, 1, 0], [2, 2], 2).replace("w,", "y,"), conv(2, [2, 3], [0, 0, 0, 0], [1, 1], 2).replace("w,", "y,"))),
    "convolutions of patches": ("x: 2 4 7 6, w: 5 4 3 3", (conv(2, [3, 3], [0, 0, 0, 0], [1, 1]), conv(2, [3, 3], [1, 1, 1, 2], [1, 1]), conv(2, [3, 2], [0, 0, 0, 0], [1, 1]), conv(2, [3, 3], [0, 0, 0, 0], [2, 1]), conv(2, [3, 3], [2, 0, 0, 3], [1, 1]))),
    "convolutions, channels last": ("x: 2 7 6 4, w: 3 2 4 5, y: 5 3 2 2", (conv(2, [1, 1], [0, 0, 0, 0], [1, 1], 1, "NHWC", "HWIO"), conv(2, [2, 1], [1, 0, 2, 1], [1, 2], 1, "NHWC", "HWIO"), conv(2, [3, 2], [0, 0, 0, 0], [1, 1], 1, "NHWC", "HWIO"))),
    "convolutions of groups": ("x: 2 4 7, w: 6 2 3, y: 4 1 2", (conv(1, [1], [0, 0], [1], 2), conv(1, [2], [1, 2], [2], 2), conv(1, [3], [0, 0], [1], 2), conv(1, [2], [1, 0], [1], 4).replace("w,", "y,"))),
    "convolutions of three axes": ("x: 1 2 4 5 3, w: 3 2 2 3 1", (conv(3, [1, 1, 1], [0] * 6, [1, 1, 1]), conv(3, [2, 1, 2], [1, 0, 1, 0, 2, 1], [2, 1, 1]), conv(3, [2, 3, 1], [0] * 6, [1, 1, 1]))),
    "convolutions at other dtypes": ("x: 1 2 4 5 int8, w: 3 2 2 3 int8, y: 1 2 4 5 float16, u: 3 2 2 3 float16", tuple(c for d in ("int32", "float32", "int8") for c in (conv(2, [2, 1], [1, 0, 0, 1], [1, 1])[:-1] + f', out_dtype="{d}")',)) + (conv(2, [1, 1], [0, 0, 0, 0], [1, 2]).replace("x, w", "y, u"), conv(2, [2, 3], [0, 0, 0, 0], [1, 1]).replace("x, w", "y, u"))),
    "windows of one axis": ("x: 2 3 7", pools(1, "NCW", ([3], [2], [0, 0], [1]), ([2], [3], [1, 1], [2]), ([1], [2], [0, 0], [1]), ([3], [3], [1, 0], [1]), ([2], [2], [0, 0], [1]))),
    "windows": ("x: 2 3 7 6", pools(2, "NCHW", ([3, 2], [2, 1], [0, 0, 0, 0], [1, 1]), ([2, 3], [3, 2], [1, 1, 0, 2], [2, 1]), ([2, 2], [2, 2], [1, 0, 1, 0], [1, 1]), ([4, 1], [1, 3], [2, 0, 1, 0], [1, 1]))),
    "windows, channels last": ("x: 2 7 6 3", pools(2, "NHWC", ([3, 2], [2, 1], [0, 0, 0, 0], [1, 1]), ([2, 3], [3, 2], [1, 1, 0, 2], [2, 1]))),
    "windows of three axes": ("x: 1 2 4 5 3", pools(3, "NCDHW", ([2, 1, 2], [1, 2, 1], [0] * 6, [1, 1, 1]), ([2, 3, 1], [2, 2, 2], [1, 0, 0, 0, 1, 0], [1, 2, 1]))),
    **{f"windows, {dtype}": (f"x: 2 2 5 4 {dtype}", pools(2, "NCHW", ([3, 2], [2, 1], [1, 0, 0, 1], [1, 1]), ([1, 1], [1, 1], [0] * 4, [1, 1]))) for dtype in ("int8", "uint8", "float16", "bfloat16", "float64", "float8_e4m3fn")},
    "pools of a size": ("x: 2 3 8 6, y: 2 3 5, w: 1 2 4 2 6", tuple(f"R.nn.adaptive_avg_pool2d(x, output_size={o})" for o in ("[4, 3]", "[1, 1]", "[3, 4]", "[8, 6]", "[8, 4]", "None", "[2]", "[5, 2]")) + tuple(f"R.nn.adaptive_avg_pool1d(y, output_size={o})" for o in ("[1]", "[5]", "[2]", "[3]")) + tuple(f"R.nn.adaptive_avg_pool3d(w, output_size={o})" for o in ("[2, 1, 3]", "[3, 2, 4]", "[1, 1, 1]", "[2]"))),
    "pools of a size, channels last": ("x: 2 8 6 3, y: 2 8 6 3 int8", tuple(f'R.nn.adaptive_avg_pool2d({x}, output_size={o}, layout="NHWC")' for x in "xy" for o in ("[4, 3]", "[1, 1]", "[3, 4]"))),
    "convolutions, transposed": ("x: 2 4 3 5, w: 4 3 2 3, y: 4 2 3 2", (turned(2, [1, 1], [0] * 4, [0, 0], [1, 1]), turned(2, [2, 3], [1, 0, 0, 1], [1, 2], [1, 1]), turned(2, [3, 2], [0, 1, 2, 0], [2, 1], [2, 1]), turned(2, [2, 1], [0] * 4, [1, 0], [1, 2], 2).replace("w,", "y,"), turned(2, [2, 2], [1] * 4, [0, 1], [1, 1], 4).replace("w,", "y,"), turned(2, [4, 1], [0] * 4, [3, 0], [1, 1]))),
    "convolutions of one axis, transposed": ("x: 2 4 3, w: 4 3 2, y: 4 1 3", (turned(1, [1], [0, 0], [0], [1]), turned(1, [3], [1, 2], [2], [2]), turned(1, [2], [0, 1], [1], [1], 2).replace("w,", "y,"), turned(1, [2], [0, 0], [0], [3]))),
    "convolutions of three axes, transposed": ("x: 1 2 3 2 4, w: 2 3 2 1 3", (turned(3, [1, 1, 1], [0] * 6, [0, 0, 0], [1, 1, 1]), turned(3, [2, 1, 3], [1, 0, 1, 0, 0, 2], [1, 0, 2], [1, 1, 2]))),
    "convolutions, transposed, channels last": ("x: 2 3 5 4, w: 4 3 2 3", (turned(2, [2, 3], [1, 0, 0, 1], [1, 2], [1, 1], 1, "NHWC"), turned(2, [1, 1], [0] * 4, [0, 0], [1, 1], 2, "NHWC"))),
    "convolutions, transposed, at other dtypes": ("x: 1 4 3 5 float16, w: 4 3 2 3 float16, y: 1 4 3 5 int8, u: 4 3 2 3 int8", (turned(2, [2, 1], [1, 0, 0, 1], [1, 0], [1, 1]), turned(2, [2, 1], [1, 0, 0, 1], [1, 0], [1, 1]).replace("x, w", "y, u"), turned(2, [2, 1], [0] * 4, [0, 0], [1, 2])[:-1].replace("x, w", "y, u") + ', out_dtype="int32")')),
    # --- images
    **{f"nearest, {s}": ("x: 1 2 4 3", resize(s, "NCHW", *NEAREST)) for s in ("(7, 2)", "(1, 5)")},
    **{f"between, {s} {dtype}": (f"x: 1 2 4 3 {dtype}", resize(s, "NCHW", *BETWEEN)) for s, dtype in (("(7, 2)", "float32"), ("(1, 5)", "float32"), ("(3, 4)", "float16"), ("(5, 3)", "int8"), ("(2, 7)", "float64"))},
    **{f"cropped, {s}": ("x: 1 2 4 3", resize(s, "NCHW", *CROPPED)) for s in ("(7, 2)", "(1, 5)", "(6, 1)")},
    "cropped, channels last": ("x: 1 4 3 2", resize("(7, 2)", "NHWC", *CROPPED, *BETWEEN[::4], *NEAREST[::9])),
    "resized at another dtype": ("x: 1 2 4 3", resize("(7, 2)", "NCHW", *(f'method="{f}", out_dtype="{d}"' for f in ("linear", "nearest_neighbor") for d in ("float16", "int8", "float64")))),
    "resized of three axes": ("x: 1 2 4 3 2", resize("(3, 5, 4)", "NCDHW", *BETWEEN[:5:2], *NEAREST[:3], n=3)),
    "resized to nothing": ("x: 1 2 4 3, y: 0 2 4 3", (*resize("(0, 2)", "NCHW", *BETWEEN[:2]), *(each.replace("(x,", "(y,") for each in resize("(5, 2)", "NCHW", *BETWEEN[:1], *NEAREST[:1])))),
    **{
        f"sampled, {m} {p}": ("x: 2 3 4 5, g: 2 2 3 4, w: 2 3 1 1", tuple(f'R.image.grid_sample({x}, g, method="{m}", padding_mode="{p}", align_corners={c})' for x in "xw" for c in BOTH))
        for m in ("nearest", "bilinear", "bicubic") for p in ("zeros", "border", "reflection")
    },
    # --- statistics and norms
    **{
        f"folds, {dtype}": (f"x: 2 3 4 {dtype}", tuple(f"R.{f}(x, axis={a}, keepdims={k})" for f in ("sum", "max", "prod") for a, k in ((None, False), (None, True), ([1], False), ([-1], True), ([2, 0], False), ([0, -2], True), ([1, 2], False))) + tuple(f"R.{f}(x, axis={a}, keepdims={k})" for f in ("argmax", "argmin") for a, k in ((None, False), (None, True), (1, False), (-1, True), (0, False))))
        for dtype in ("float32", "float16", "int8", "float64", "bfloat16", "int64")
    },
    **{
        f"statistics, {dtype}": (f"x: 2 3 4 {dtype}", tuple(f"R.{f}(x, axis={a}, keepdims={k})" for f in ("mean", "variance", "std") for a, k in ((None, False), (None, True), ([1], False), ([-1], True), ([2], False), ([2, 0], False), ([0, -2], True), ([1, 2], True))))
        for dtype in ("float32", "float16", "float64", "bfloat16")
    },
    "statistics of integers": ("x: 2 3 4 int8, y: 2 3 int64", tuple(f"R.{f}(x, axis={a}, keepdims={k})" for f in ("mean", "variance") for a, k in ((None, False), ([1], True), ([0, 2], False)))),
    **{f"middles, {dtype}": (f"x: 2 3 4 {dtype}, y: 5 2 {dtype}", tuple(f"R.median({x}, axis={a}, keepdims={k})" for x in "xy" for a, k in (("None", False), ("None", True), ([0], False), ([1], True), ([-1], False)))) for dtype in ("float32", "float16", "int8", "bfloat16", "float64")},
    **{
        f"norms, {dtype}": (f"x: 2 6 3 {dtype}, v: 3 {dtype}, w: 3 {dtype}, a: 6 3 {dtype}, b: 6 3 {dtype}, c: 6 {dtype}, d: 6 {dtype}", tuple(f"R.nn.layer_norm(x, {g}, {h}, axes={ax}, epsilon=0.25, center={c}, scale={s})" for (g, h, ax), (c, s) in product((("v", "w", [-1]), ("a", "b", [1, 2]), ("c", "d", [1])), (("True", "True"), ("False", "True"), ("True", "False")))) + tuple(f"R.nn.rms_norm(x, {g}, axes={ax}, epsilon=0.25)" for g, ax in (("v", [-1]), ("a", [-2, -1]), ("c", [1]))) + tuple(f"R.nn.group_norm(x, c, d, num_groups={g}, channel_axis={k}, axes=[{t}], epsilon=0.25, center={e}, scale={s})" for g, k, t, e, s in ((2, 1, 2, "True", "True"), (3, -2, 2, "False", "True"), (6, 1, -1, "True", "False"), (1, 1, 2, "True", "True"))) + ("R.nn.group_norm(x, v, w, num_groups=3, channel_axis=2, axes=[1], epsilon=0.25)", "R.nn.instance_norm(x, c, d, channel_axis=1, axes=[2], epsilon=0.25)", "R.nn.instance_norm(x, v, w, channel_axis=-1, axes=[1], epsilon=0.25)", "R.nn.instance_norm(x, c, d, channel_axis=1, axes=[2], epsilon=0.25, center=False)"))
        for dtype in ("float32", "float16", "float64", "bfloat16")
    },
    "norms of two axes the other way": ("x: 2 6 3, a: 3 6, b: 3 6", ("R.nn.layer_norm(x, a, b, axes=[2, 1], epsilon=0.25)", "R.nn.rms_norm(x, a, axes=[2, 1], epsilon=0.25)")),
    **{
        f"norms of batches, {dtype}": (f"x: 3 4 2 {dtype}, g: 4 {dtype}, b: 4 {dtype}, m: 4 {dtype}, p: 4 {dtype}, h: 2 {dtype}, q: 2 {dtype}", tuple(f"R.nn.batch_norm(x, g, b, m, p, axis={a}, epsilon=0.25, center={c}, scale={s}, momentum=0.25, training={t})" for a, c, s, t in ((1, "True", "True", "False"), (-2, "False", "True", "True"), (1, "True", "False", "True"), (1, "True", "True", "True"))) + ("R.nn.batch_norm(x, h, h, h, q, axis=2, epsilon=0.25, momentum=0.25, training=True)", "R.nn.batch_norm(x, h, h, h, q, axis=-1, epsilon=0.25, training=False)"))
        for dtype in ("float32", "float16", "float64")
    },
    **{f"soft maxima, {dtype}": (f"x: 2 3 4 {dtype}, v: 5 {dtype}, w: 3 1 {dtype}", tuple(f"R.nn.{f}({x}, axis={a})" for f in ("softmax", "log_softmax") for x, a in (("x", -1), ("x", 2), ("x", 1), ("x", 0), ("x", -2), ("v", 0), ("w", 1), ("w", 0)))) for dtype in ("float32", "float16", "float64", "bfloat16")},
    **{f"activations, {dtype}": (f"x: 2 3 4 {dtype}, s: 3 {dtype}, o: 1 {dtype}, l: 4 {dtype}", (*(f"R.nn.{f}(x)" for f in ("relu", "silu", "gelu", "gelu_tanh", "selu")), *(f"R.nn.leakyrelu(x, alpha={a})" for a in (0.5, 1.0, 2.0, 0.0, -0.5)), "R.nn.prelu(x, s, axis=1)", "R.nn.prelu(x, o, axis=0)", "R.nn.prelu(x, l, axis=-1)", "R.nn.softplus(x, 1.0, 20.0)", "R.nn.softplus(x, 2.0, 1.0)", "R.nn.softplus(x, 0.5, 0.25)", "R.ewise_fma(x, x, x)")) for dtype in ("float32", "float16", "float64", "bfloat16")},
    "losses": ("x: 3 4, i: 3 int64, p: 4, y: 3 4, v: 4, w: 4", (*(f'R.nn.nll_loss(x, i{w}, reduction="{r}", ignore_index={k})' for w in ("", ", p") for r in ("mean", "sum", "none") for k in (-100, 1)), "R.nn.cross_entropy_with_logits(x, y)", "R.nn.cross_entropy_with_logits(v, w)")),
    "losses of places": ("x: 2 4 3, i: 2 3 int32, p: 4", tuple(f'R.nn.nll_loss(x, i{w}, reduction="{r}", ignore_index={k})' for w in ("", ", p") for r in ("mean", "sum", "none") for k in (-100, 0))),
    "losses of one": ("x: 4, p: 4", ('R.nn.nll_loss(x, R.const(2, "int64"))', 'R.nn.nll_loss(x, R.const(1, "int64"), p, reduction="sum")')),
    "losses at other dtypes": ("x: 3 4 float16, y: 3 4 float16, i: 3 int64, p: 4 float16", ("R.nn.cross_entropy_with_logits(x, y)", 'R.nn.nll_loss(x, i, p, reduction="sum")', 'R.nn.nll_loss(x, i, reduction="mean")')),
    "quantized": ("x: 3 4, p: 4, j: 4 int8, o: 1, k: 1 int8, r: 3, l: 3 int32", tuple(f'R.quantize(x, {s}, {z}, axis={a}, out_dtype="{d}")' for (s, z, a), d in product((("p", "j", 1), ("p", "j", -1), ("o", "k", 0), ("p", "k", 1)), ("int8", "uint8", "int16", "float8_e4m3fn")))),
    "dequantized": ("i: 3 4 int8, p: 4, j: 4 int8, o: 1, k: 1 int32, y: 2 4 3 uint8, l: 4 int32", tuple(f'R.dequantize({x}, {s}, {z}, axis={a}, out_dtype="{d}")' for (x, s, z, a), d in product((("i", "p", "j", 1), ("i", "o", "k", -1), ("i", "p", "k", 1), ("y", "p", "l", 1), ("y", "o", "k", 0)), ("float32", "float16")))),
    # --- elementwise
    **{
        f"of two, {dtype}": (f"x: 3 4 {dtype}, y: 4 {dtype}, c: 3 1 {dtype}, o: 1 {dtype}, s: {dtype}, p: 4 {dtype}, q: {dtype}, pp: 3 4 {dtype}, pq: 1 {dtype}", tuple(f"R.{f}({a}, {b})" for f in ("add", "subtract", "multiply", "maximum", "minimum", "equal", "less") for a, b in (("x", "y"), ("c", "y"), ("x", "o"), ("s", "x"), ("s", "s"))) + tuple(f"R.{f}({a}, {b})" for f in ("divide", "mod", "floor_mod", "floor_divide", "power") for a, b in (("x", "p"), ("c", "p"), ("x", "pp"), ("x", "pq"), ("s", "pp"), ("s", "q"))))
        for dtype in ("float32", "float16", "bfloat16", "int8", "uint8", "int64")
    },
    "of two dtypes": ("x: 3 4 int8, u: 4 uint8, y: 4 float32, h: 4 float16", tuple(f"R.{f}({a}, {b})" for f in ("equal", "less", "greater_equal") for a, b in (("x", "u"), ("u", "x"), ("x", "y"), ("h", "y"), ("h", "x")))),
    "truths": ("t: 3 4 bool, s: 4 bool", tuple(f"R.{f}(t, s)" for f in ("add", "multiply", "maximum", "minimum", "logical_and", "logical_or", "logical_xor", "bitwise_and", "bitwise_or", "bitwise_xor", "equal", "less", "subtract")) + ("R.logical_not(t)", "R.bitwise_not(t)", "R.where(t, t, s)", "R.abs(t)", "R.negative(t)")),
    "shifts": ("x: 3 4 int8, p: 4 int8, y: 3 4 uint16, q: 4 uint16", ("R.left_shift(x, p)", "R.right_shift(x, p)", "R.left_shift(y, q)", "R.right_shift(y, q)", "R.bitwise_not(x)", "R.bitwise_xor(x, p)")),
    **{f"of one, {dtype}": (f"x: 3 4 {dtype}, s: {dtype}", tuple(f"R.{f}({a})" for f in ("abs", "sign", "square", "negative", "floor", "ceil", "round", "trunc", "exp", "log", "sqrt", "rsqrt", "sigmoid", "tanh", "sin", "cos", "erf") for a in "xs")) for dtype in ("float32", "float16", "float64", "bfloat16")},
    **{f"of one, {dtype}": (f"x: 3 4 {dtype}, s: {dtype}", tuple(f"R.{f}({a})" for f in ("abs", "sign", "square", "negative", "floor", "ceil", "round", "trunc") for a in "xs")) for dtype in ("int8", "uint8", "int64")},
    **{f"choices, {dtype}": (f"t: 3 1 bool, x: 3 4 {dtype}, y: 4 {dtype}, s: {dtype}", ("R.where(t, x, y)", "R.where(t, y, x)", "R.where(t, s, x)", "R.where(t, s, s)", "R.clip(x, -1, 1)", "R.clip(x, 2, -2)", "R.clip(x, 0, 0)")) for dtype in ("float32", "int8", "float16", "int32")},
    **{f"to {to}": ("x: 3 4, y: 3 4 float64, h: 3 4 float16, b: 3 4 bfloat16, i: 3 4 int8, l: 3 4 int64, u: 3 4 uint8, t: 3 4 bool, e: 2 float8_e4m3fn", tuple(f'R.astype({a}, "{to}")' for a in "xyhbilute")) for to in ("float32", "float64", "float16", "bfloat16", "int8", "int64", "uint8", "bool", "float8_e4m3fn", "float8_e5m2")},
    "distinct": ("x: 2 5 int8, w: 3 2 2 float32", tuple(f"R.unique({a}, sorted={s}, return_index={i}, return_inverse={v}, return_counts={c}{ax})" for a, s, (i, v, c), ax in product("xw", BOTH, (("False", "False", "False"), ("True", "False", "True"), ("False", "True", "False")), ("", ", axis=0", ", axis=-1")))),
    "nonzero": ("x: 2 3 4, y: 5 int8, t: 3 bool, s: float32", ("R.nonzero(x)", "R.nonzero(y)", "R.nonzero(t)")),
}  # fmt: skip
"""The parameters (name, extents, a dtype if it is none of binary32), and the calls."""


@cache
def program(name: str, call: str = "") -> CheckedModule:
    """One module with all calls of a row, or with one of them."""
    params, calls = ROWS[name]
    given = ", ".join(
        f'{label}: R.Tensor(({", ".join(dims)}{"," * (len(dims) == 1)}), "{dtype}")'
        for label, dims, dtype in map(of, params.split(","))
    )
    made = [f"z{k} = {each}" for k, each in enumerate([call] if call else calls)]
    lines = ["@I.ir_module", "class Module:", "    @R.function(pure=True)", f"    def main({given}):"]
    lines += ["        with R.dataflow():", *(f"            {each}" for each in made)]
    lines += [
        f"            z = ({', '.join(f'z{k}' for k in range(len(made)))},)",
        "            R.output(z)",
        "        return z",
        "",
    ]
    return rr.check(rr.parse("\n".join(lines), f"{name}.py"))


def of(param: str) -> tuple[str, list[str], str]:
    label, rest = param.split(":")
    *dims, last = rest.split() or [""]
    return (
        (label.strip(), dims, last)
        if last and not last.isdigit()
        else (label.strip(), [*dims, *filter(None, [last])], "float32")
    )


PLACES, SIGNED, APART, UP, ABOVE = frozenset("ikl"), frozenset("j"), frozenset("st"), frozenset("e"), frozenset("pq")


def arguments(name: str, turn: int) -> list[Any]:
    """Quarters, with zeros of both signs; ``i``, ``k``, ``l`` are places from 0 to 2 (1, of two) where they are
    integers, ``j`` such from both ends, ``e`` increases, ``p`` and ``q`` are above 0, and of ``s`` and ``t`` all
    elements differ. ``turn`` 1: NaN, infinities and extremes among ``x`` and ``y``."""
    drawn, found = np.random.default_rng(crc32(name.encode()) + turn), list[Any]()
    for label, dims, dtype in map(of, ROWS[name][0].split(",")):
        shape = [int(d) for d in dims]
        values = drawn.integers(-6, 7, shape)
        whole = "int" in dtype
        if label in PLACES and whole:
            values = np.abs(values) % (3 if label == "i" and "reversed" not in name else 2)
        elif label in SIGNED and whole:
            values = values % 5 - 2 if "200" not in ROWS[name][0] else values * 20
        elif label in APART and values.size > 1:
            values = drawn.permutation(values.size).reshape(shape) * 4 - 2 * values.size
        elif label in UP:
            values = np.sort(drawn.permutation(values.size) * 3 - 4).reshape(shape)
        elif label[0] in ABOVE or dtype.startswith("uint"):
            values = np.abs(values) + (label[0] in ABOVE)
        if dtype == "bool":
            found.append(np.asarray(values > 0))
            continue
        kind = numpy_dtype(dtype)
        made = values.astype(kind) if whole else np.where(values == 1, -0.0, values / 4).astype(kind)
        if turn and label in "xyab" and made.size:
            flat = np.asarray(made).reshape(-1)
            odd = ODD.get(dtype) or (
                (float("nan"), float("inf"), -float("inf"), -0.0)
                if not whole
                else (np.iinfo(dtype).max, np.iinfo(dtype).min)
                if not dtype.startswith("uint")
                else (np.iinfo(dtype).max,)
            )
            for k, each in enumerate(odd):
                if k * 3 < flat.size:
                    flat[k * 3] = each
            made = flat.reshape(shape)
        found.append(np.asarray(made))
    return found


ODD: dict[str, tuple[float, ...]] = {"float8_e4m3fn": (float("nan"), 448.0, -448.0, -0.0)}


LONG: dict[str, tuple[str, tuple[str, ...]]] = {
    **{f"few of long lines, {n} {dtype}": (f"s: 1 {n} {dtype}, x: 1 {n} {dtype}", tuple(f'R.topk({x}, k={k}, axis=-1, ret_type="values", largest={d})' for x in "sx" for k in (1, 4, 32, 33) for d in BOTH)) for n in (8191, 8192, 8200) for dtype in ("float32", "float64", "int32")},
    "few of long lines, float16": ("x: 1 8192 float16", tuple(f'R.topk(x, k=4, axis=-1, ret_type="values", largest={d})' for d in BOTH)),
    "few of long lines, turned": ("s: 8192 2 float32", tuple(f'R.topk(s, k=4, axis=0, ret_type="values", largest={d})' for d in BOTH)),
    **{f"between many, {c} {n} {m}": (f"x: 1 {c} {n} {m}", resize("(40, 21)", "NCHW", 'method="linear"', 'method="cubic"')) for c, n, m in ((1, 31, 16), (1, 32, 16), (1, 32, 15), (3, 33, 7))},
    **{f"between very many, {n}": (f"x: 1 1 {n} 3", resize("(2, 3)", "NCHW", 'method="cubic"')) for n in (1024, 1025)},
    **{f"between many, channels last, {n} {m} {c}": (f"x: 2 {n} {m} {c}", resize("(40, 35)", "NHWC", 'method="linear"', 'method="cubic"')) for n, m, c in ((32, 32, 2), (33, 31, 15), (34, 40, 16), (5, 36, 63), (6, 37, 64))},
    "pools of one, short": ("x: 2 1 128 128", ("R.nn.adaptive_avg_pool2d(x, output_size=[1, 1])",)),
    "pools of one, long": ("x: 2 1 128 129", ("R.nn.adaptive_avg_pool2d(x, output_size=[1, 1])",)),
    **{f"large products, {n}": (f"x: {n} 64, y: 64 3, h: {n} 64 float16, g: 64 3 float16, i: {n} 64 int8, k: 64 3 int8", ("R.matmul(x, y)", "R.matmul(h, g)", 'R.matmul(i, k, out_dtype="int32")')) for n in (63, 64)},
    "long products of bytes": ("x: 2 1023 int8, y: 1023 2 int8, a: 2 1024 int8, b: 1024 2 int8", ('R.matmul(x, y, out_dtype="int32")', 'R.matmul(a, b, out_dtype="int32")')),
    **{f"large choices, {n}": (f"t: {n} 64 bool, x: {n} 64 int32, y: {n} 64 int32, a: {n} 64 int16, b: {n} 64 int16, c: {n} 1 int32", ("R.where(t, x, y)", "R.where(t, a, b)", "R.where(t, x, c)", "R.where(t, R.permute_dims(R.permute_dims(x)), y)")) for n in (63, 64)},
    **{f"sums of lines, {a} {n}": (f"x: {a} 4 {n}", ("R.sum(x, axis=[0, 2])", "R.sum(x, axis=[0, 2], keepdims=True)", "R.mean(x, axis=[0, 2])", "R.variance(x, axis=[0, 2])", "R.max(x, axis=[0, 2])", "R.sum(x, axis=[1, 2])")) for a, n in ((32, 32), (64, 31), (31, 32), (3, 512))},
    **{f"sums of very long lines, {n}": (f"x: 2 1 {n}", ("R.sum(x, axis=[0, 2])",)) for n in (16384, 16385)},
    **{f"sums of long lines, {n}": (f"x: 2 {n}", ("R.sum(x, axis=[-1], keepdims=True)", "R.mean(x, axis=[1])", "R.std(x, axis=[1], keepdims=True)", "R.nn.cross_entropy_with_logits(x, x)")) for n in (16384, 16385)},
    **{f"large soft maxima, {n}": (f"x: {n} 128, h: 4 128 float16", tuple(f"R.nn.{f}({x}, axis=-1)" for f in ("softmax", "log_softmax") for x in "xh")) for n in (127, 128)},
    **{f"rows of bytes, {n}": (f"x: 5 {n}, i: 3 1 int64, u: 3 {n}", tuple(f'R.scatter_nd(x, i, u, reduction="{r}")' for r in ("update", "add", "max"))) for n in (1024, 1025)},
    **{f"one row gets most, {n}": (f"x: 5 3, i: {n} 1 int64, u: {n} 3", tuple(f'R.scatter_nd(x, i, u, reduction="{r}")' for r in ("add", "max"))) for n in (16, 64, 80)},
    "many numbers added": ("x: 40 int32, i: 70000 int64, u: 70000 int32, y: 40, v: 70000", ("R.index_put(x, (i,), u, accumulate=True)", "R.index_put(y, (i,), v, accumulate=True)", 'R.scatter_elements(x, i, u, axis=0, reduction="mul")')),
    "large borders": ("x: 3 70 90", tuple(f'R.nn.pad(x, pad_width=[0, 0, 1, 2, 3, 4], pad_mode="{m}")' for m in ("constant", "reflect", "replicate", "circular"))),
    **{f"scans beside, {n} {b}": (f"x: 2 {n} {b}, y: 1 {n} {b} int32", tuple(f"R.{f}(x, axis=1, exclusive={e})" for f in ("cumsum", "cumprod") for e in BOTH) + ("R.cumsum(y, axis=1)", "R.cumsum(y, axis=0)")) for n, b in ((5, 31), (5, 32), (3, 1023), (3, 1024), (3, 2048), (3, 7), (3, 8))},
    **{f"large quantized, {n}": (f"x: 3 {n} 4, p: {n}, j: {n} int8, o: 1, k: 1 int8", tuple(f'R.quantize(x, {s}, {z}, axis=1, out_dtype="{d}")' for s, z in (("p", "j"), ("o", "k")) for d in ("int8", "uint8"))) for n in (33, 5000)},
    "patches": ("x: 2 3 9 9, w: 4 3 3 3, y: 4 3 2 4, v: 4 3 2 3", (conv(2, [3, 3], [0] * 4, [1, 1]), conv(2, [2, 4], [0] * 4, [1, 1]).replace("w,", "y,"), conv(2, [2, 3], [0] * 4, [1, 1]).replace("w,", "v,"))),
}  # fmt: skip
"""Of these the definition takes long: mode ``fast`` is held against mode ``bits``."""
ROWS |= LONG
