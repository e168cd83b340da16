"""Operators of this tree against those of another revision: the same outcomes, and the time of each.

    python benchmarks/operators.py --against /path/to/another/checkout [relax.nn. …]

Programs: every case that calls the operator, with its own arguments and random ones of all policies, under ``ieee`` and
``enclosure``; the programs of ``testing.sweep`` (every dtype, extents 0 and 1, corner values, types that say less); and
the working sizes of ``WORK``. Outcomes are compared by their text (bits, bounds, poison, how the run ends). Times are
CPU time, best of several; each program is run in both trees in turn.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import math
import os
import re
import subprocess
import sys
import time
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Any

HERE = Path(__file__).resolve().parents[1]

HEAD = "@I.ir_module\nclass Module:\n    @R.function\n    def main("
WORK = {
    "relax.nn.softmax": 'x: R.Tensor((12, 11, 10), "float32")):\n        return R.nn.softmax(x, axis=-1)\n',
    "relax.nn.log_softmax": 'x: R.Tensor((12, 11, 10), "float32")):\n        return R.nn.log_softmax(x, axis=-1)\n',
    "relax.nn.layer_norm": 'x: R.Tensor((12, 11, 10), "float32"), g: R.Tensor((10,), "float32"), b: R.Tensor((10,), '
    '"float32")):\n        return R.nn.layer_norm(x, g, b, axes=[-1])\n',
    "relax.nn.rms_norm": 'x: R.Tensor((12, 11, 10), "float16"), g: R.Tensor((10,), "float16")):\n'
    "        return R.nn.rms_norm(x, g, axes=[-1])\n",
    "relax.nn.group_norm": 'x: R.Tensor((4, 8, 6, 5), "float32"), g: R.Tensor((8,), "float32"), b: R.Tensor((8,), '
    '"float32")):\n        return R.nn.group_norm(x, g, b, num_groups=4, channel_axis=1, axes=[2, 3])\n',
    "relax.nn.instance_norm": 'x: R.Tensor((4, 8, 6, 5), "float32"), g: R.Tensor((8,), "float32"), b: R.Tensor((8,), '
    '"float32")):\n        return R.nn.instance_norm(x, g, b, channel_axis=1, axes=[2, 3])\n',
    "relax.nn.batch_norm": 'x: R.Tensor((4, 8, 6, 5), "float32"), g: R.Tensor((8,), "float32"), b: R.Tensor((8,), '
    '"float32"), m: R.Tensor((8,), "float32"), v: R.Tensor((8,), "float32")):\n'
    "        return R.nn.batch_norm(x, g, b, m, v, axis=1)\n",
    "relax.nn.conv1d": 'x: R.Tensor((2, 6, 30), "float32"), w: R.Tensor((8, 6, 3), "float32")):\n'
    "        return R.nn.conv1d(x, w, padding=[1, 1])\n",
    "relax.nn.conv2d": 'x: R.Tensor((2, 6, 10, 9), "float32"), w: R.Tensor((8, 6, 3, 3), "float32")):\n'
    "        return R.nn.conv2d(x, w, padding=[1, 1, 1, 1])\n",
    "relax.nn.conv2d_transpose": 'x: R.Tensor((2, 6, 6, 7), "float32"), w: R.Tensor((6, 4, 3, 3), "float32")):\n'
    "        return R.nn.conv2d_transpose(x, w, strides=[2, 1])\n",
    "relax.nn.conv1d_transpose": 'x: R.Tensor((2, 6, 30), "float32"), w: R.Tensor((6, 4, 3), "float32")):\n'
    "        return R.nn.conv1d_transpose(x, w, strides=[2])\n",
    "relax.nn.conv3d_transpose": 'x: R.Tensor((1, 4, 10, 3, 3), "float32"), w: R.Tensor((4, 3, 2, 1, 3), "float32")):\n'
    "        return R.nn.conv3d_transpose(x, w, strides=[2, 1, 1])\n",
    "relax.nn.max_pool1d": 'x: R.Tensor((2, 6, 40), "float32")):\n'
    "        return R.nn.max_pool1d(x, pool_size=[3], strides=[2], padding=[1, 1])\n",
    "relax.nn.max_pool2d": 'x: R.Tensor((2, 6, 10, 11), "float32")):\n'
    "        return R.nn.max_pool2d(x, pool_size=[3, 3], strides=[2, 2], padding=[1, 1, 1, 1])\n",
    "relax.nn.max_pool3d": 'x: R.Tensor((2, 10, 11, 10, 3), "float32")):\n'
    '        return R.nn.max_pool3d(x, pool_size=[3, 2, 2], strides=[2, 2, 2], layout="NDHWC")\n',
    "relax.nn.avg_pool1d": 'x: R.Tensor((2, 6, 40), "float32")):\n'
    "        return R.nn.avg_pool1d(x, pool_size=[3], dilation=[2], padding=[1, 1])\n",
    "relax.nn.avg_pool2d": 'x: R.Tensor((2, 6, 10, 11), "float32")):\n'
    "        return R.nn.avg_pool2d(x, pool_size=[3, 3], strides=[2, 2], padding=[1, 1, 1, 1])\n",
    "relax.nn.avg_pool3d": 'x: R.Tensor((2, 3, 10, 11, 10), "float32")):\n'
    "        return R.nn.avg_pool3d(x, pool_size=[3, 2, 2], strides=[2, 2, 2])\n",
    "relax.nn.adaptive_avg_pool1d": 'x: R.Tensor((2, 6, 40), "float32")):\n'
    "        return R.nn.adaptive_avg_pool1d(x, output_size=[7])\n",
    "relax.nn.adaptive_avg_pool2d": 'x: R.Tensor((2, 6, 12, 13), "float32")):\n'
    "        return R.nn.adaptive_avg_pool2d(x, output_size=[4, 5])\n",
    "relax.nn.adaptive_avg_pool3d": 'x: R.Tensor((2, 3, 10, 11, 10), "float32")):\n'
    "        return R.nn.adaptive_avg_pool3d(x, output_size=[3, 4, 5])\n",
    "relax.grad.max_pool2d_backward": 'g: R.Tensor((2, 3, 10, 11), "float32"), '
    'x: R.Tensor((2, 3, 10, 11), "float32")):\n'
    "        return R.grad.max_pool2d_backward(g, x, pool_size=[3, 3], strides=[1, 1], padding=[1, 1, 1, 1])\n",
    "relax.grad.avg_pool2d_backward": 'g: R.Tensor((2, 3, 10, 11), "float32"), '
    'x: R.Tensor((2, 3, 10, 11), "float32")):\n'
    "        return R.grad.avg_pool2d_backward(g, x, pool_size=[3, 3], strides=[1, 1], padding=[1, 1, 1, 1])\n",
    "relax.grad.nll_loss_backward": 'x: R.Tensor((12, 5, 11), "float32"), t: R.Tensor((12, 11), "int64"), '
    'w: R.Tensor((5,), "float32"), g: R.Tensor((), "float32")):\n'
    '        c = R.floor_mod(t, R.const(5, "int64"))\n        return R.grad.nll_loss_backward(g, x, c, w)\n',
    "relax.nn.nll_loss": 'x: R.Tensor((12, 5, 11), "float32"), t: R.Tensor((12, 11), "int64"), '
    'w: R.Tensor((5,), "float32")):\n'
    '        c = R.floor_mod(t, R.const(5, "int64"))\n        return R.nn.nll_loss(x, c, w)\n',
    "relax.nn.cross_entropy_with_logits": 'x: R.Tensor((12, 11), "float32"), y: R.Tensor((12, 11), "float32")):\n'
    "        return R.nn.cross_entropy_with_logits(x, y)\n",
    "relax.nn.pad": 'x: R.Tensor((12, 11, 10), "float32")):\n'
    "        return R.nn.pad(x, pad_width=[1, 1, 0, 2, 1, 0])\n",
    "relax.nn.pixel_shuffle": 'x: R.Tensor((3, 8, 10, 11), "float32")):\n'
    "        return R.nn.pixel_shuffle(x, upscale_factor=2)\n",
    "relax.take": 'x: R.Tensor((12, 11, 10), "float32"), t: R.Tensor((13,), "int64")):\n'
    '        i = R.floor_mod(t, R.const(2, "int64"))\n        return R.take(x, i, axis=1)\n',
    "relax.gather_elements": 'x: R.Tensor((12, 11, 10), "float32"), t: R.Tensor((12, 11, 10), "int64")):\n'
    '        i = R.floor_mod(t, R.const(2, "int64"))\n        return R.gather_elements(x, i, axis=1)\n',
    "relax.gather_nd": 'x: R.Tensor((12, 11, 10), "float32"), t: R.Tensor((12, 13, 2), "int64")):\n'
    '        i = R.floor_mod(t, R.const(2, "int64"))\n        return R.gather_nd(x, i)\n',
    "relax.index_tensor": 'x: R.Tensor((12, 11, 10), "float32"), t: R.Tensor((12, 1), "int64"), '
    's: R.Tensor((13,), "int64")):\n'
    '        i = R.floor_mod(t, R.const(2, "int64"))\n        j = R.floor_mod(s, R.const(2, "int64"))\n'
    "        return R.index_tensor(x, (i, j))\n",
    "relax.scatter_elements": 'x: R.Tensor((12, 11, 10), "float32"), t: R.Tensor((12, 11, 10), "int64"), '
    'u: R.Tensor((12, 11, 10), "float32")):\n'
    '        i = R.floor_mod(t, R.const(2, "int64"))\n'
    '        return R.scatter_elements(x, i, u, axis=1, reduction="add")\n',
    "relax.scatter_nd": 'x: R.Tensor((12, 11, 10), "float32"), t: R.Tensor((12, 13, 2), "int64"), '
    'u: R.Tensor((12, 13, 10), "float32")):\n'
    '        i = R.floor_mod(t, R.const(2, "int64"))\n        return R.scatter_nd(x, i, u, reduction="update")\n',
    "relax.index_put": 'x: R.Tensor((12, 11), "float32"), t: R.Tensor((12, 1), "int64"), '
    's: R.Tensor((13,), "int64"), u: R.Tensor((12, 13), "float32")):\n'
    '        i = R.floor_mod(t, R.const(2, "int64"))\n        j = R.floor_mod(s, R.const(2, "int64"))\n'
    "        return R.index_put(x, (i, j), u, accumulate=True)\n",
    "relax.slice_scatter": 'x: R.Tensor((12, 11, 10), "float32"), s: R.Tensor((12, 1, 10), "float32")):\n'
    "        return R.slice_scatter(x, s, 1, 2, 2, axis=1)\n",
    "relax.nn.attention": 'q: R.Tensor((2, 10, 3, 8), "float32"), k: R.Tensor((2, 11, 3, 8), "float32"), '
    'v: R.Tensor((2, 11, 3, 5), "float32")):\n        return R.nn.attention(q, k, v)\n',
    "relax.nn.attention_bias": 'q: R.Tensor((1, 12, 2, 5), "float32"), k: R.Tensor((1, 12, 2, 5), "float32"), '
    'v: R.Tensor((1, 12, 2, 5), "float32"), b: R.Tensor((1, 2, 12, 12), "float32")):\n'
    '        return R.nn.attention(q, k, v, b, causal_mask="TopLeft")\n',
    "relax.nn.attention_var_len": 'q: R.Tensor((1, 12, 2, 5), "float32"), k: R.Tensor((1, 12, 2, 5), "float32"), '
    'v: R.Tensor((1, 12, 2, 5), "float32")):\n'
    '        s = R.const([0, 5, 5, 12], "int32")\n        return R.nn.attention_var_len(q, k, v, s, '
    'R.const(7, "int32"), s, R.const(7, "int32"), causal_mask="BottomRight")\n',
    "relax.bucketize": 'x: R.Tensor((12, 11, 10), "float32"), e: R.Tensor((13,), "float32")):\n'
    "        return R.bucketize(x, e)\n",
    "relax.multinomial_from_uniform": 'p: R.Tensor((12, 11), "float32"), u: R.Tensor((40, 1), "float32"), '
    't: R.Tensor((40, 1), "int64")):\n        i = R.floor_mod(t, R.const(2, "int64"))\n'
    "        return R.multinomial_from_uniform(p, u, i)\n",
    "relax.vision.multibox_transform_loc": 's: R.Tensor((2, 3, 20), "float32"), b: R.Tensor((2, 80), "float32"), '
    'a: R.Tensor((1, 20, 4), "float32")):\n        return R.vision.multibox_transform_loc(s, b, a)\n',
    "relax.image.resize2d": 'x: R.Tensor((1, 2, 10, 11), "float32")):\n'
    '        return R.image.resize2d(x, (13, 12), method="linear")\n',
    "relax.image.resize3d": 'x: R.Tensor((1, 1, 10, 3, 11), "float32")):\n'
    '        return R.image.resize3d(x, (12, 3, 13), method="nearest_neighbor")\n',
    "relax.image.affine_grid": 'x: R.Tensor((3, 2, 3), "float32")):\n        return R.image.affine_grid(x, (12, 13))\n',
    "relax.image.grid_sample": 'x: R.Tensor((2, 3, 10, 11), "float32"), g: R.Tensor((2, 2, 12, 10), "float32")):\n'
    '        return R.image.grid_sample(x, g, method="bilinear", padding_mode="border")\n',
    "relax.vision.roi_align": 'x: R.Tensor((2, 3, 10, 11), "float32"), t: R.Tensor((10, 5), "float32")):\n'
    "        r = R.abs(t)\n        return R.vision.roi_align(x, r, pooled_size=[2, 3], spatial_scale=0.5, "
    "sample_ratio=2)\n",
    "relax.vision.roi_pool": 'x: R.Tensor((2, 3, 10, 11), "float32"), t: R.Tensor((10, 5), "float32")):\n'
    "        r = R.abs(t)\n        return R.vision.roi_pool(x, r, pooled_size=[2, 3], spatial_scale=0.5)\n",
    "relax.matmul": 'x: R.Tensor((4, 12, 11), "float32"), w: R.Tensor((11, 10), "float32")):\n'
    "        return R.matmul(x, w)\n",
    "relax.concat": 'x: R.Tensor((12, 11, 10), "float32"), y: R.Tensor((12, 13, 10), "float32")):\n'
    "        return R.concat((x, y), axis=1)\n",
    "relax.stack": 'x: R.Tensor((12, 11, 10), "float32"), y: R.Tensor((12, 11, 10), "float32")):\n'
    "        return R.stack((x, y), axis=1)\n",
    "relax.split": 'x: R.Tensor((12, 11, 10), "float32")):\n        return R.split(x, [3, 7], axis=1)\n',
    "relax.tile": 'x: R.Tensor((12, 11, 10), "float32")):\n        return R.tile(x, [2, 1, 1])\n',
    "relax.repeat": 'x: R.Tensor((12, 11, 10), "float32")):\n        return R.repeat(x, 2, 1)\n',
    "relax.flip": 'x: R.Tensor((12, 11, 10), "float32")):\n        return R.flip(x, axis=1)\n',
    "relax.sum": 'x: R.Tensor((12, 11, 10), "float32")):\n        return R.sum(x, axis=[1])\n',
    "relax.max": 'x: R.Tensor((12, 11, 10), "float32")):\n        return R.max(x, axis=[2])\n',
    "relax.mean": 'x: R.Tensor((12, 11, 10), "float32")):\n        return R.mean(x, axis=[0])\n',
    "relax.variance": 'x: R.Tensor((12, 11, 10), "float32")):\n        return R.variance(x, axis=[2])\n',
    "relax.std": 'x: R.Tensor((12, 11, 10), "float32")):\n        return R.std(x, axis=[2])\n',
    "relax.argmax": 'x: R.Tensor((12, 11, 10), "float32")):\n        return R.argmax(x, axis=1)\n',
    "relax.cumsum": 'x: R.Tensor((12, 11, 10), "float32")):\n        return R.cumsum(x, axis=1)\n',
}
"""Programs of a working size, by operator."""

CUBE, ROW = 'R.Tensor((12, 11, 10), "float32")', 'R.Tensor((10,), "float32")'
CALLS = {
    f"x: {CUBE}": "negative abs square exp sqrt floor isnan nn.relu nn.silu nn.gelu flatten nn.batch_flatten "
    "permute_dims zeros_like ones_like nn.dropout",
    f"x: {CUBE}, y: {CUBE}": "add multiply divide floor_mod maximum power less atan2 nn.cross_entropy_with_logits",
    f"x: {CUBE}, y: {ROW}": "subtract greater_equal collapse_sum_like",
    'x: R.Tensor((12, 11, 10), "int32"), y: R.Tensor((12, 11, 10), "int32")': "bitwise_and left_shift logical_or mod",
    'x: R.Tensor((12, 11, 10), "bool")': "logical_not",
    f"x: {ROW}, y: {ROW}": "outer",
}
"""Operators that take the parameters and nothing else."""

WRITTEN = {
    "astype": (f"x: {CUBE}", 'x, "float16"'),
    "where": (f'c: R.Tensor((12, 11, 10), "bool"), x: {CUBE}, y: {ROW}', "c, x, y"),
    "clip": (f"x: {CUBE}", "x, -1, 1"),
    "ewise_fma": (f"x: {CUBE}, y: {CUBE}, z: {CUBE}", "x, y, z"),
    "nn.leakyrelu": (f"x: {CUBE}", "x, 0.01"),
    "nn.prelu": (f"x: {CUBE}, y: {ROW}", "x, y, axis=2"),
    "quantize": (f'x: {CUBE}, s: {ROW}, z: R.Tensor((10,), "int8")', 'x, s, z, axis=2, out_dtype="int8"'),
    "dequantize": (
        f'x: R.Tensor((12, 11, 10), "int8"), s: {ROW}, z: R.Tensor((10,), "int8")',
        'x, s, z, axis=2, out_dtype="float32"',
    ),
    "full": ('x: R.Tensor((), "float32")', "(12, 11, 10), x"),
    "full_like": (f'x: {CUBE}, y: R.Tensor((), "float32")', "x, y"),
    "zeros": ("", '(12, 11, 10), "float32"'),
    "eye": ("", 'R.prim_value(40), R.prim_value(30), R.prim_value(1), "float32"'),
    "arange": ("", 'R.prim_value(0), R.prim_value(1300), R.prim_value(1), "float32"'),
    "tril": (f"x: {CUBE}", "x, 1"),
    "hamming_window": ("", '100, 1, T.float32(0.54), T.float32(0.46), "float32"'),
    "reshape": (f"x: {CUBE}", "x, (12, 110)"),
    "expand_dims": (f"x: {CUBE}", "x, axis=[1, -1]"),
    "squeeze": ('x: R.Tensor((12, 1, 110), "float32")', "x, axis=[1]"),
    "broadcast_to": (f"x: {ROW}", "x, (12, 11, 10)"),
    "strided_slice": (f"x: {CUBE}", "x, axes=[0, 1], begin=[1, 9], end=[11, 0], strides=[1, -2]"),
    "dynamic_strided_slice": (
        'x: R.Tensor((12, 11), "float32"), b: R.Tensor((2,), "int64"), e: R.Tensor((2,), "int64"), '
        's: R.Tensor((2,), "int64")',
        "x, b, e, s",
    ),
    "one_hot": ('x: R.Tensor((12, 11), "int64")', "x, T.float32(2), T.float32(0), 10"),
    "layout_transform": (f"x: {CUBE}", "x, index_map=T.index_map(lambda i, j, k: (k, i // 2, j, i % 2))"),
    "grad.take_backward": (
        'g: R.Tensor((9, 11, 10), "float32"), x: R.Tensor((12, 11, 10), "float32"), i: R.Tensor((9,), "uint8")',
        "g, x, i, axis=0",
    ),
    "meshgrid": ('x: R.Tensor((40,), "float32"), y: R.Tensor((30,), "float32")', "(x, y)"),
    "einsum": (f'x: {CUBE}, y: R.Tensor((10, 12), "float32")', '(x, y), "ijk,kl->ijl"'),
    "collapse_sum_to": (f"x: {CUBE}", "x, (11, 1)"),
    "bucketize": (f"x: {CUBE}, y: {ROW}", "x, y"),
    "multinomial_from_uniform": (
        'p: R.Tensor((9, 10), "float32"), u: R.Tensor((12, 1), "float32"), i: R.Tensor((12, 1), "int64")',
        'p, u, i, dtype="int64"',
    ),
    "nn.pad": (f"x: {CUBE}", "x, pad_width=[1, 1, 2, 0, 0, 1]"),
    "nn.pixel_shuffle": ('x: R.Tensor((12, 8, 6, 5), "float32")', "x, 2"),
}
"""Parameters and arguments of the others."""

WORK |= {
    f"relax.{name}": f"{head}):\n        return R.{name}({', '.join(re.findall(r'(?:^|, )(.): ', head))})\n"
    for head, names in CALLS.items()
    for name in names.split()
} | {f"relax.{name}": f"{head}):\n        return R.{name}({given})\n" for name, (head, given) in WRITTEN.items()}

TINY = re.compile(r"\d\d+(?=[,)])")


def programs(prefixes: list[str]) -> list[tuple[str, str, list[Any] | None, int]]:
    """(operator, text, the arguments of a case, seed) of everything that is compared."""
    from refrelax import conformance

    found: list[tuple[str, str, list[Any] | None, int]] = []
    for name, body in WORK.items():
        if any(name.startswith(each) for each in prefixes):
            found += [(f"{name} work", HEAD + body, None, 0), (f"{name} tiny", HEAD + TINY.sub("2", body), None, 0)]
    for case in conformance.load():
        names = {f"relax.{n}" for n in re.findall(r"\bR\.([a-z_0-9.]+)\(", case.module or "")}
        hit = sorted(n for n in names if n in WORK and any(n.startswith(p) for p in prefixes))
        if hit and case.entry and case.expect.kind == "Returned":
            found += [(hit[0], case.module, list(case.args), 0)]
            found += [(hit[0], case.module, None, seed) for seed in range(1, 5)]
    return found


def swept(prefixes: list[str]) -> Iterator[tuple[str, str, list[Any]]]:
    """(operator, text, arguments) of the programs of ``testing.sweep``."""
    from refrelax.testing.sketches import SKETCHES
    from refrelax.testing.sweep import EXTENTS, programs

    for name in SKETCHES:
        if not any(f"relax.{name}".startswith(each) for each in prefixes):
            continue
        for k, program in enumerate(programs(name, per_dtype=4)):
            known = ("all", "all", "rank", "nothing")[k % 4]
            for j, n in enumerate(EXTENTS):
                text = program.loosened(known).text
                yield name, text, program.loosened(known).arguments(n, k, ("corners", "plain")[(j + k) % 2])


def serve() -> None:
    """Time the programs that stand on the input, a JSON line each: text, reading, how often."""
    import refrelax as rr
    from refrelax.testing.arguments import random_arguments

    @cache
    def made(text: str) -> tuple[Any, list[Any]]:
        checked = rr.check(rr.parse(text))
        return checked, random_arguments(checked.module, "main", 0, {}, "normal")

    for line in sys.stdin:
        text, numerics, count = json.loads(line)
        found = []
        try:
            checked, args = made(text)
            for _ in range(count):
                began = time.process_time()
                rr.run(checked, "main", *args, numerics=numerics)
                found.append(time.process_time() - began)
        except Exception:  # a tree that does not know it
            found = [math.inf]
        print(json.dumps(min(found)), flush=True)


SLOW = 0.08
"""Seconds of a run that is timed twice only."""


def times(trees: tuple[Path, Path], options: argparse.Namespace) -> Iterator[tuple[str, str, float, float]]:
    """(program, reading, best time in the first tree, in the second) of the working and tiny sizes. A process a tree;
    each program is run in both in turn, so that what else the machine does meets both."""
    command = [sys.executable, __file__, "--serve"]
    both = [
        subprocess.Popen(command, env={**os.environ, "PYTHONPATH": str(tree)}, text=True,
                         stdin=subprocess.PIPE, stdout=subprocess.PIPE) for tree in trees
    ]  # fmt: skip
    for name, body in WORK.items():
        for kind, text in (("work", HEAD + body), ("tiny", HEAD + TINY.sub("2", body))):
            for numerics in ("ieee", "enclosure") if name.startswith(tuple(options.prefixes)) else ():
                best = [math.inf, math.inf]
                for turn in range(options.rounds):
                    if turn > 1 and best[0] > SLOW:
                        break
                    for k in (0, 1) if turn % 2 else (1, 0):
                        count = 1 if SLOW < best[k] < math.inf else 15 if kind == "tiny" else options.repeat
                        print(json.dumps([text, numerics, count]), file=both[k].stdin, flush=True)
                        best[k] = min(best[k], json.loads(both[k].stdout.readline()))  # type: ignore[union-attr]
                if math.inf not in best:
                    yield f"{name} {kind}", numerics, *best


def worker(prefixes: list[str]) -> None:
    """Run everything in this process and print one JSON line a program."""
    import refrelax as rr
    from refrelax.conformance import data
    from refrelax.conformance.library import LIBRARY
    from refrelax.semantics.budget import Budget
    from refrelax.testing.arguments import random_arguments

    @cache
    def accepted(text: str) -> Any:
        try:
            return rr.check(rr.parse(text))
        except rr.Rejection:
            return None

    for name, text, args in swept(prefixes):
        if accepted(text) is not None:
            for numerics in ("ieee", "enclosure"):
                budget = Budget(elements=10**5)
                try:
                    said = shown(rr.run(accepted(text), "main", *args, numerics=numerics, budget=budget))
                except Exception as error:
                    said = repr(error)
                digest = hashlib.sha256(said.encode()).hexdigest()[:16]
                row = {"name": name, "numerics": numerics, "digest": digest, "said": said[:200]}
                print(json.dumps(row | {"text": text, "key": key(text, repr(args), numerics)}))
    policies = ("normal", "special", "integer", "dyadic")
    for name, text, given, seed in programs(prefixes):
        try:
            checked = rr.check(rr.parse(text))
            if given is not None:
                args: list[Any] = [data.to_value(each) for each in given]
            else:
                args = random_arguments(checked.module, "main", seed, {}, policies[seed % 4])
        except Exception:
            continue
        for numerics in ("ieee", "enclosure"):
            try:
                out: Any = rr.run(checked, "main", *args, numerics=numerics, externs=LIBRARY)
            except (rr.Unlinkable, rr.UsageError) as error:
                out = error
            said = shown(out)
            row = {"name": name, "numerics": numerics, "digest": hashlib.sha256(said.encode()).hexdigest()[:16],
                   "said": said[:200]}  # fmt: skip
            print(json.dumps(row | {"key": key(name, text, repr(given), seed, numerics)}))


def key(*parts: Any) -> str:
    """What is run: a tree may know other cases than the other."""
    return hashlib.sha256(repr(parts).encode()).hexdigest()


def shown(out: Any) -> str:
    """An outcome as text, every bit of it."""

    def value(v: Any) -> str:
        if isinstance(v, tuple):
            return "(" + ", ".join(map(value, v)) + ")"
        if hasattr(v, "core"):
            return f"{v.dtype}{v.shape}{[repr(p) for p in v.core.payloads()]}"
        return repr(v)

    if hasattr(out, "value"):
        return f"{value(out.value)} {out.poison}"
    return f"{type(out).__name__} {getattr(out, 'rule', '')}"


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("prefixes", nargs="*", default=["relax."])
    parser.add_argument("--against", help="another checkout")
    parser.add_argument("--repeat", type=int, default=3)
    parser.add_argument("--times", action="store_true", help="only the working sizes")
    parser.add_argument("--rounds", type=int, default=8)
    parser.add_argument("--worker", action="store_true")
    parser.add_argument("--serve", action="store_true")
    options = parser.parse_args()
    if options.worker:
        worker(options.prefixes)
        return 0
    if options.serve:
        serve()
        return 0
    trees = (Path(options.against).resolve(), HERE)
    differ = [] if options.times else compared(trees, options)
    groups: dict[tuple[str, str], list[float]] = {}
    for name, numerics, before, after in times(trees, options):
        groups.setdefault((name.rpartition(" ")[2], numerics), []).append(after / before)
        print(f"{name:36} {numerics:10} {1000 * before:9.3f} ms  x{after / before:.2f}", flush=True)
    for (kind, numerics), ratios in sorted(groups.items()):
        mean = math.prod(ratios) ** (1 / len(ratios))
        print(f"{kind} {numerics}: {len(ratios)} operators, geometric mean {mean:.2f}, worst {max(ratios):.2f}")
    return 1 if differ else 0


def compared(trees: tuple[Path, Path], options: argparse.Namespace) -> list[Any]:
    """The runs of both trees whose outcomes differ."""
    found = [{row["key"]: row for row in run(tree, options)} for tree in trees]
    pairs = [(row, found[1][k]) for k, row in found[0].items() if k in found[1]]
    differ = [(a, b) for a, b in pairs if a["digest"] != b["digest"]]
    for a, b in differ[:20]:
        print(f"DIFFER {a['name']} {a['numerics']} {a.get('text', '')}\n  {a['said']}\n  {b['said']}")
    print(f"{len(pairs)} runs, {len(differ)} differ")
    return differ


def run(tree: Path, options: argparse.Namespace) -> list[dict[str, Any]]:
    """The rows of one tree, run by this script in a process that imports that tree."""
    command = [sys.executable, __file__, "--worker", *options.prefixes]
    done = subprocess.run(
        command, env={**os.environ, "PYTHONPATH": str(tree)}, capture_output=True, text=True, check=True
    )
    return [json.loads(line) for line in done.stdout.splitlines()]


if __name__ == "__main__":
    sys.exit(main())
