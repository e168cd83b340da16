"""NumPy models of sampling, regions, boxes and gradients, in float64, written element by element."""

from __future__ import annotations

import itertools
import math
from typing import Any

import numpy as np

Array = np.ndarray


def affine_grid(m: Array, size: tuple[int, ...], corners: bool) -> Array:
    out = np.zeros((m.shape[0], len(size), *size))
    for at in np.ndindex(*size):
        spots = [2 * p / (s - 1) - 1 if corners else (2 * p + 1) / s - 1 for p, s in zip(at, size, strict=True)]
        for b in range(m.shape[0]):
            out[(b, slice(None), *at)] = m[b].astype(np.float64) @ np.array([*spots[::-1], 1.0])
    return out


def _mirror(p: float, m: int, corners: bool) -> float:
    low, high = (0.0, m - 1.0) if corners else (-0.5, m - 0.5)
    while not low <= p <= high:
        p = 2 * low - p if p < low else 2 * high - p
    return p


def _hat(t: float, method: str) -> float:
    """The weight of an element at distance ``t``."""
    t, a = abs(t), -0.75
    if method == "bilinear":
        return max(0.0, 1 - t)
    if t <= 1:
        return (a + 2) * t**3 - (a + 3) * t**2 + 1
    return a * t**3 - 5 * a * t**2 + 8 * a * t - 4 * a if t < 2 else 0.0


def grid_sample(
    x: Array, grid: Array, method: str = "bilinear", padding: str = "zeros", corners: bool = False
) -> Array:
    n, size = x.ndim - 2, x.shape[2:]
    out = np.zeros((*x.shape[:2], *grid.shape[2:]))
    for b, c, *at in np.ndindex(*out.shape):
        spots = []
        for k, m in enumerate(size):
            g = float(grid[(b, n - 1 - k, *at)])
            spots.append((g + 1) * (m - 1) / 2 if corners else (g + 1) * m / 2 - 0.5)
        if method != "bicubic":
            if padding == "reflection":
                spots = [_mirror(p, m, corners) for p, m in zip(spots, size, strict=True)]
            if padding != "zeros":
                spots = [min(max(p, 0.0), m - 1.0) for p, m in zip(spots, size, strict=True)]
        out[(b, c, *at)] = _mix(x[b, c], spots, method, padding, corners)
    return out


def _mix(x: Array, spots: list[float], method: str, padding: str, corners: bool) -> float:
    if method == "nearest":
        near = [round(p) for p in spots]
        return float(x[tuple(near)]) if all(0 <= p < m for p, m in zip(near, x.shape, strict=True)) else 0.0
    total = 0.0
    for taps in itertools.product(*(range(math.floor(p) - 1, math.floor(p) + 3) for p in spots)):
        weight = math.prod(_hat(p - t, method) for p, t in zip(spots, taps, strict=True))
        inner = list(taps)
        if method == "bicubic" and padding == "border":
            inner = [min(max(t, 0), m - 1) for t, m in zip(taps, x.shape, strict=True)]
        if method == "bicubic" and padding == "reflection":
            inner = [round(_mirror(t, m, corners)) for t, m in zip(taps, x.shape, strict=True)]
        if all(0 <= t < m for t, m in zip(inner, x.shape, strict=True)):
            total += weight * float(x[tuple(inner)])
    return total


def roi_align(x: Array, rois: Array, pooled: int, scale: float, ratio: int, aligned: bool, mode: str = "avg") -> Array:
    out = np.zeros((rois.shape[0], x.shape[1], pooled, pooled))
    for i, (batch, *corners) in enumerate(rois.astype(np.float64)):
        x1, y1, x2, y2 = (v * scale for v in corners)
        extent = [y2 - y1, x2 - x1] if aligned else [max(y2 - y1, 1), max(x2 - x1, 1)]
        counts = [ratio if ratio > 0 else math.ceil(v / pooled) for v in extent]
        for c, ph, pw in np.ndindex(x.shape[1], pooled, pooled):
            lines = [
                [start + p * v / pooled + (k + 0.5) * v / pooled / n for k in range(n)]
                for start, p, v, n in zip((y1, x1), (ph, pw), extent, counts, strict=True)
            ]
            items = [_bilinear(x[int(batch), c], at) for at in itertools.product(*lines)]
            out[i, c, ph, pw] = max(items) if mode == "max" else sum(items) / max(len(items), 1)
    return out


def _bilinear(x: Array, at: tuple[float, ...]) -> float:
    if any(p < -1 or p > m for p, m in zip(at, x.shape, strict=True)):
        return 0.0
    inner = [min(max(p, 0.0), m - 1.0) for p, m in zip(at, x.shape, strict=True)]
    return _mix(x, inner, "bilinear", "zeros", False)


def roi_pool(x: Array, rois: Array, pooled: int, scale: float) -> Array:
    out = np.zeros((rois.shape[0], x.shape[1], pooled, pooled))
    for i, (batch, *corners) in enumerate(rois.astype(np.float64)):
        x1, y1, x2, y2 = (math.floor(v * scale + 0.5) for v in corners)
        h, w = max(y2 - y1 + 1, 1), max(x2 - x1 + 1, 1)
        for c, ph, pw in np.ndindex(x.shape[1], pooled, pooled):
            rows = [r for r in range(y1 + ph * h // pooled, y1 - (-(ph + 1) * h // pooled)) if 0 <= r < x.shape[2]]
            cols = [r for r in range(x1 + pw * w // pooled, x1 - (-(pw + 1) * w // pooled)) if 0 <= r < x.shape[3]]
            out[i, c, ph, pw] = x[int(batch), c][np.ix_(rows, cols)].max(initial=-9e9) if rows and cols else 0
    return out


def get_valid_counts(x: Array, threshold: float) -> tuple[Array, Array, Array]:
    counts, rows = np.zeros(x.shape[0], "int32"), np.full(x.shape, -1.0, x.dtype)
    where = np.full(x.shape[:2], -1, "int32")
    for b in range(x.shape[0]):
        good = [j for j in range(x.shape[1]) if x[b, j, 1] > threshold and x[b, j, 0] >= 0]
        counts[b], rows[b, : len(good)], where[b, : len(good)] = len(good), x[b, good], good
    return counts, rows, where


def overlap(a: Array, b: Array) -> float:
    a, b = a.astype(np.float64), b.astype(np.float64)
    areas, shared = [1.0, 1.0], 1.0
    for k in range(2):
        ends = [sorted((box[k], box[k + 2])) for box in (a, b)]
        shared *= max(0.0, min(e[1] for e in ends) - max(e[0] for e in ends))
        areas = [area * (e[1] - e[0]) for area, e in zip(areas, ends, strict=True)]
    union = sum(areas) - shared
    return shared / union if union > 0 else 0.0


def suppress(x: Array, count: int, iou: float, sigma: float = 0.0, most: int = -1) -> list[tuple[int, float]]:
    """Boxes that stay and their scores, of rows ``(class, score, four sides)``; classes do not matter."""
    scores = {j: float(x[j, 1]) for j in range(count)}
    kept = []
    while (best := max(scores, key=lambda j: (scores[j], -j), default=None)) is not None and (
        most < 1 or len(kept) < most
    ):
        kept.append((best, scores.pop(best)))
        if kept[-1][1] <= 0:
            kept.pop()
            break
        for j in list(scores):
            shared = overlap(x[best, 2:6], x[j, 2:6])
            if shared >= iou:
                del scores[j]
            elif sigma:
                scores[j] *= math.exp(-shared * shared / 2 / sigma)
    return kept


def nms(x: Array, counts: Array, indices: Array, form: str, iou: float, sigma: float = 0.0, most: int = -1) -> Any:
    rows, where = np.full(x.shape, -1.0, x.dtype), np.full(x.shape[:2], -1, "int32")
    total = np.zeros((x.shape[0], 1), "int32")
    for b in range(x.shape[0]):
        kept = suppress(x[b], int(counts[b]), iou, sigma, most)
        total[b] = len(kept)
        for k, (j, score) in enumerate(kept):
            rows[b, k], where[b, k] = x[b, j], indices[b, j]
            rows[b, k, 1] = score
    return {"indices": (where, total), "rows": rows, "soft": (rows, where, total)}[form]


def all_class(boxes: Array, scores: Array, most: Array, iou: Array, least: Array, form: str) -> Any:
    batch, classes, count = scores.shape
    found = np.zeros((batch * classes * count, 3), "int64")
    rows, values = np.zeros((batch, classes * count, 2), "int64"), np.zeros((batch, classes * count), "float32")
    totals = np.zeros(batch, "int64")
    total = 0
    for b, c in np.ndindex(batch, classes):
        x = np.concatenate([np.zeros((count, 1)), scores[b, c][:, None] - least, boxes[b]], 1)
        for j, _ in suppress(x, count, float(iou), 0.0, int(most)):
            found[total] = b, c, j
            rows[b, totals[b]], values[b, totals[b]] = (c, j), scores[b, c, j]
            total += 1
            totals[b] += 1
    return (found, np.array([total])) if form == "onnx" else (rows, values, totals)


def multibox(scores: Array, locs: Array, anchors: Array, threshold: float) -> tuple[Array, Array]:
    a = anchors[0].astype(np.float64)
    d = locs.reshape(locs.shape[0], -1, 4).astype(np.float64)
    centre, extent = (a[:, :2] + a[:, 2:]) / 2, a[:, 2:] - a[:, :2]
    middle, half = d[..., :2] * 0.5 * extent + centre, np.exp(d[..., 2:] * 0.25) * extent / 2
    boxes = np.concatenate([(middle - half)[..., ::-1], (middle + half)[..., ::-1]], -1)
    raised = np.exp(scores.astype(np.float64))
    likely = raised / raised.sum(1, keepdims=True)
    likely[likely < threshold] = 0
    likely[:, 0] = 0
    return boxes, likely


def nll_backward(g: Array, x: Array, t: Array, w: Array) -> Array:
    out, share = np.zeros(x.shape), sum(w[k] for k in t if k != 1)
    for n, k in enumerate(t):
        if k != 1:
            out[n, k] = -w[k] * g / share
    return out


def pool_backward(g: Array, x: Array, mean: bool) -> Array:
    """Windows of 3 x 2, strides 2 and 1, one row of padding before."""
    out = np.zeros(x.shape)
    for b, c, i, j in np.ndindex(*g.shape):
        spots = [(h, w) for h in range(2 * i - 1, 2 * i + 2) for w in range(j, j + 2) if 0 <= h < x.shape[2]]
        best = max(spots, key=lambda at: x[b, c][at])
        for at in spots if mean else [best]:
            out[(b, c, *at)] += g[b, c, i, j] / (len(spots) if mean else 1)
    return out
