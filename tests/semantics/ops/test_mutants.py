"""Detection power: faulty implementations of operators, each of which the enclosure must exclude.

A mutant is a NumPy function that does what a buggy lowering would do: the wrong operator or axis, a dropped product, an
index off by one, swapped operands, the wrong accumulation dtype, a missing scale.
"""

# ruff: noqa: E501
from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import refrelax as rr

from . import models as M
from . import vision_models as V
from .catalogue import SAMPLES, Sample, data

F16 = np.float16


def half_sum(a: np.ndarray, axis: Any = None) -> np.ndarray:
    """A sum accumulated in float16."""
    a = a.astype(F16)
    lines = np.moveaxis(a, axis, -1) if axis is not None else a.reshape(-1)
    total = np.zeros(lines.shape[:-1], F16)
    for k in range(lines.shape[-1]):
        total = (total + lines[..., k]).astype(F16)
    return total


def drop_first(a: np.ndarray, b: np.ndarray) -> np.ndarray:
    return a[:, 1:] @ b[1:]


def swap_statistics(a: np.ndarray, g: np.ndarray, b: np.ndarray) -> np.ndarray:
    return M.layer_norm(a, b, g)


MUTANTS: list[tuple[str, str, str, Callable[..., Any]]] = [
    ("add", "R.add(a, b)", "wrong operator", np.subtract),
    ("subtract", "R.subtract(a, b)", "swapped operands", lambda a, b: b - a),
    ("multiply", "R.multiply(a, b)", "wrong operator", np.add),
    ("divide", "R.divide(a, b)", "floored quotient", np.floor_divide),
    ("mod", "R.mod(a, b)", "sign of the divisor", np.mod),
    ("floor_mod", "R.floor_mod(a, b)", "sign of the dividend", np.fmod),
    ("floor_divide", "R.floor_divide(a, b)", "truncated quotient", M.truncdiv),
    ("maximum", "R.maximum(a, b)", "wrong operator", np.minimum),
    ("less", "R.less(a, b)", "swapped operands", lambda a, b: b < a),
    ("greater_equal", "R.greater_equal(a, b)", "swapped operands", lambda a, b: b >= a),
    ("where", "R.where(a, b, c)", "swapped choices", lambda a, b, c: np.where(a, c, b)),
    ("clip", "R.clip", "bounds missed", lambda a: np.clip(a, -2, 1)),
    ("round", "R.round(a)", "half away from zero", lambda a: np.floor(a + 0.5) + 1),
    ("exp", "R.exp(a)", "base 2", np.exp2),
    ("rsqrt", "R.rsqrt(a)", "not inverted", np.sqrt),
    ("tanh", "R.tanh(a)", "relative error 1e-5", lambda a: (np.tanh(a) * 1.00001).astype("float32")),
    ("sigmoid", "R.sigmoid(a)", "sign lost", lambda a: 1 / (1 + np.exp(a))),
    ("erf", "R.erf(a)", "complement", lambda a: 1 - M.erf(a)),
    ("sum", "R.sum(a, axis=[1])", "wrong axis", lambda a: a.sum(2).T[: a.shape[2], :].T[:, [0, 1, 2, 0]]),
    ("sum", "R.sum(a)", "last element dropped", lambda a: a.ravel()[:-1].sum()),
    ("sum", "R.sum(a)", "float16 accumulation", half_sum),
    ("mean", "R.mean(a)", "divided by one less", lambda a: a.sum() / (a.size - 1)),
    ("variance", "R.variance(a)", "sample variance", lambda a: np.var(a, ddof=1)),
    ("std", "R.std(a)", "root missing", np.var),
    ("prod", "R.prod(a)", "sum", np.sum),
    ("argmax", "R.argmax(a, axis=1)", "last on ties or least", lambda a: np.argmin(a, 1)),
    ("permute_dims", "axes=[2, 0, 1]", "inverse permutation of the data", lambda a: a.transpose(1, 2, 0).reshape(4, 2, 3)),
    ("reshape", "R.reshape(a, R.shape([4, 6]))", "column-major", lambda a: a.reshape((4, 6), order="F")),
    ("concat", "R.concat((a, b), axis=1)", "swapped operands", lambda a, b: np.concatenate((b, a), 1)),
    ("stack", "R.stack((a, b), axis=1)", "swapped operands", lambda a, b: np.stack((b, a), 1)),
    ("repeat", "R.repeat(a, repeats=2)", "tile", lambda a: np.tile(a.ravel(), 2)),
    ("tile", "repeats=[2])", "repeat", lambda a: a.repeat(2, 1)),
    ("flip", "R.flip(a, axis=1)", "wrong axis", lambda a: a[::-1]),
    ("strided_slice", "strides=[2])", "off by one", lambda a: a[0:4:2]),
    ("take", "R.take(a, b, axis=0)", "off by one", lambda a, b: a[(b + 1) % 4]),
    ("gather_elements", "R.gather_elements", "index shifted", lambda a, b: np.take_along_axis(a, (b + 1) % 4, 1)),
    ("scatter_elements", 'reduction="add"', "update instead", lambda a, b, c: M.scatter_update(a, b, c)),
    ("matmul", "R.matmul(a, b)", "dropped product", drop_first),
    ("matmul", "R.matmul(a, b)", "sign", lambda a, b: -(a @ b)),
    ("matmul", 'out_dtype="float32"', "float16 accumulation", lambda a, b: np.stack([half_sum(a * b[:, k], 1) for k in range(1)], 1).astype("float32") * np.float32(1.001)),
    ("einsum", '"ij,jk->ik"', "dropped product", drop_first),
    ("cumsum", "R.cumsum(a, axis=1)", "exclusive", lambda a: np.cumsum(a, 1) - a),
    ("sort", "R.sort(a, axis=0)", "descending", lambda a: -np.sort(-a, 0)),
    ("nn.relu", "R.nn.relu(a)", "negative kept", lambda a: a),
    ("nn.leakyrelu", "R.nn.leakyrelu", "missing scale", lambda a: np.where(a > 0, a, a * 0.25)),
    ("nn.gelu", "R.nn.gelu(a)", "tanh form", M.gelu_tanh),
    ("nn.gelu_tanh", "R.nn.gelu_tanh", "erf form", lambda a: a * (0.5 + 0.5 * M.erf(a * 0.5**0.5))),
    ("nn.silu", "R.nn.silu(a)", "not scaled", lambda a: 1 / (1 + np.exp(-a))),
    ("nn.softmax", "R.nn.softmax", "wrong axis", lambda a: M.softmax(a, 2)),
    ("nn.log_softmax", "R.nn.log_softmax", "logarithm missing", lambda a: M.softmax(a, -1)),
    ("nn.layer_norm", "R.nn.layer_norm", "gamma and beta swapped", swap_statistics),
    ("nn.rms_norm", "R.nn.rms_norm", "mean subtracted", lambda a, b: M.rms_norm(a - a.mean(-1, keepdims=True), b)),
    ("nn.rms_norm", "R.nn.rms_norm", "epsilon 1e-3", lambda a, b: a / np.sqrt((a * a).mean(-1, keepdims=True) + 1e-3) * b),
    ("nn.group_norm", "R.nn.group_norm", "per channel", lambda a, g, b: M.instance_norm(a, g, b)),
    ("nn.instance_norm", "R.nn.instance_norm", "beta dropped", lambda a, g, b: M.instance_norm(a, g, 0 * b)),
    ("nn.conv1d", "R.nn.conv1d", "padding on the other side", lambda a, b: M.conv(a, b, [2], [0], [1], [1], 1)),
    ("nn.conv2d", "groups=2", "kernel flipped", lambda a, b: M.conv(a, b[:, :, ::-1], [1, 1], [1, 0], [1, 2], [1, 2], 2)),
    ("nn.conv1d_transpose", "R.nn.conv1d_transpose", "kernel flipped", lambda a, b: M.conv_transpose(a, b[:, :, ::-1], [2], [1], [1], [1], [1], 1)),
    ("nn.max_pool2d", "R.nn.max_pool2d", "average", lambda a: M.pool(a, [2, 3], [1, 2], [0, 0], [0, 0], [1, 1], np.mean)),
    ("nn.avg_pool2d", "R.nn.avg_pool2d", "padding counted", lambda a: M.pool(np.pad(a, ((0, 0), (0, 0), (1, 1), (1, 1))), [2, 3], [2, 1], [0, 0], [0, 0], [1, 1], np.mean)),
    ("nn.attention", "R.nn.attention(a, b, c)", "missing scale", lambda a, b, c: M.attention(a, b, c, None, 1.0)),
    ("nn.attention", "TopLeft", "mask missing", lambda a, b, c: M.attention(a, b, c, None, 0.5)),
    ("nn.attention_bias", "BottomRight", "bias missing", lambda a, b, c, d: M.attention(a, b, c, None, None, 2)),
    ("nn.nll_loss", "R.nn.nll_loss", "ignored class counted", lambda a, t, w: -(a[np.arange(4), t] * w[t]).sum() / w[t].sum() - 0.125),
    ("nn.cross_entropy_with_logits", "R.nn", "sum instead of mean", lambda a, b: -(a * b).sum()),
    ("quantize", "R.quantize", "zero point dropped", lambda a, s, z: np.clip(np.round(a / s), -128, 127) + (z == 0)),
    ("dequantize", "R.dequantize", "zero point after the scale", lambda a, s, z: a * s - z),
    ("image.affine_grid", "[3, 4]", "rows and columns swapped", lambda a: V.affine_grid(a, (4, 3), True).transpose(0, 1, 3, 2)),
    ("image.affine_grid", "[2, 5]", "corners", lambda a: V.affine_grid(a, (2, 5), True)),
    ("image.grid_sample", '"bilinear", padding_mode="zeros"', "corners", lambda a, b: V.grid_sample(a, b, corners=True)),
    ("image.grid_sample", '"bilinear", padding_mode="border"', "zeros outside", lambda a, b: V.grid_sample(a, b, corners=True)),
    ("image.grid_sample", '"bilinear", padding_mode="reflection"', "border instead", lambda a, b: V.grid_sample(a, b, padding="border")),
    ("image.grid_sample", '"nearest", padding_mode="zeros"', "coordinates swapped", lambda a, b: V.grid_sample(a, b[:, ::-1], "nearest")),
    ("image.grid_sample", '"bicubic", padding_mode="zeros"', "linear", lambda a, b: V.grid_sample(a, b)),
    ("image.grid_sample", "NCDHW", "depth flipped", lambda a, b: V.grid_sample(a[:, :, ::-1], b, padding="border")),
    ("vision.roi_align", "sample_ratio=2", "one sample", lambda a, b: V.roi_align(a, b, 2, 0.5, 1, False)),
    ("vision.roi_align", "aligned=True", "least extent 1", lambda a, b: V.roi_align(a, b - [[0, 0, 0, 3, 3]], 2, 0.75, -1, True)),
    ("vision.roi_align", "NHWC", "mean", lambda a, b: V.roi_align(a.transpose(0, 3, 1, 2), b, 2, 1.0, -1, False).transpose(0, 2, 3, 1)),
    ("vision.roi_pool", "R.vision.roi_pool", "scale dropped", lambda a, b: V.roi_pool(a, b, 2, 1.0)),
    ("vision.get_valid_counts", "R.vision", "threshold dropped", lambda a: V.get_valid_counts(a, -9.0)),
    ("vision.multibox_transform_loc", "R.vision", "softmax missing", lambda a, b, c: V.multibox(np.exp(a), b, c, 0.3)),
    ("vision.non_max_suppression", "force_suppress=True", "nothing suppressed", lambda a, b, c: V.nms(a, b, c, "indices", 2.0)),
    ("vision.non_max_suppression", "max_output_size=2", "limit dropped", lambda a, b, c: V.nms(a, b, c, "rows", 0.6)),
    ("vision.non_max_suppression", "soft_nms_sigma", "scores kept", lambda a, b, c: V.nms(a, b, c, "soft", 0.5)),
    ("vision.all_class_non_max_suppression", "tensorflow", "nothing suppressed", lambda a, b, c, d, e: V.all_class(a, b, c, np.array(2.0), e, "tensorflow")),
    ("grad.nll_loss_backward", "R.grad", "sign", lambda *a: -V.nll_backward(*a)),
    ("grad.max_pool2d_backward", "R.grad", "gradient of the mean", lambda g, a: V.pool_backward(g, a, True)),
    ("grad.avg_pool2d_backward", "R.grad", "gradient of the maximum", lambda g, a: V.pool_backward(g, a, False)),
]  # fmt: skip


def find(op: str, part: str) -> Sample:
    """The first sample of ``op`` whose expression has ``part`` in it, with elements to tell results apart."""
    return next(s for s in SAMPLES if s.op == op and part in s.expr and all(0 not in shape for shape, _ in s.params))


@pytest.mark.by_day(4)
@pytest.mark.parametrize("mutant", MUTANTS, ids=lambda m: f"{m[0]}-{m[2].replace(' ', '-')}")
def test_mutant_is_outside(mutant: tuple[str, str, str, Callable[..., Any]]) -> None:
    op, part, _, faulty = mutant
    sample = find(op, part)
    arrays = data(sample)
    checked = rr.check(rr.parse(sample.text))
    enclosed = rr.run(checked, "main", *arrays, numerics="enclosure")
    right = rr.run(checked, "main", *arrays)
    assert isinstance(enclosed, rr.Returned) and isinstance(right, rr.Returned)
    wrong = faulty(*arrays)
    if not isinstance(right.value, tuple):
        enclosed_values, right_values, wrong_values = (enclosed.value,), (right.value,), (wrong,)
    else:
        enclosed_values, right_values, wrong_values = enclosed.value, right.value, wrong
    inside = []
    for permitted, one, other in zip(enclosed_values, right_values, wrong_values, strict=True):
        cast = np.asarray(other).astype(one.dtype)
        assert cast.shape == tuple(one.shape)
        assert permitted.contains(one)
        inside.append(permitted.contains(cast))
    assert not all(inside)
