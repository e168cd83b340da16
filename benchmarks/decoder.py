"""The decoder layer at hidden size 256, n = 128: our NumPy lowering against the same layer hand-written in NumPy.

    python benchmarks/decoder.py

Prints the ratio of the ``fast`` and ``bits`` modes to the hand-written layer, measured in one process, interleaved, one
thread each (set by this script), as medians; and the greatest difference of the results.
"""

from __future__ import annotations

import os

os.environ.setdefault("OMP_NUM_THREADS", "1")
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")

import statistics
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

import refrelax as rr

TEXT = Path(__file__).parent / "data" / "decoder256.py"
WIDTH, HEADS, GROUPS, INNER = 256, 4, 2, 688
HEAD = WIDTH // HEADS
FREQUENCY = (10_000.0 ** (-np.arange(0, HEAD, 2, dtype=np.float32) / HEAD)).astype(np.float32)

Array = Any


def rms_norm(x: Array, scale: Array) -> Array:
    return x / np.sqrt((x * x).mean(-1, keepdims=True, dtype=np.float32) + np.float32(1e-5)) * scale


def rotate(x: Array, cos: Array, sin: Array) -> Array:
    a, b = np.split(x, 2, axis=-1)
    return x * cos + np.concatenate([-b, a], axis=-1) * sin


def softmax(x: Array) -> Array:
    e = np.exp(x - x.max(-1, keepdims=True))
    return e / e.sum(-1, keepdims=True)


def by_hand(
    x: Array,
    norm1: Array,
    norm2: Array,
    q_: Array,
    k_: Array,
    v_: Array,
    o_: Array,
    gate: Array,
    up: Array,
    down: Array,
) -> Array:
    """What somebody who knows NumPy writes for this layer."""
    n = x.shape[1]
    angle = np.arange(n, dtype=np.float32)[:, None] * FREQUENCY
    angle = np.concatenate([angle, angle], axis=-1)
    cos, sin = np.cos(angle), np.sin(angle)
    y = rms_norm(x, norm1)
    q = rotate((y @ q_.T).reshape(1, n, HEADS, HEAD).transpose(0, 2, 1, 3), cos, sin)
    k = rotate((y @ k_.T).reshape(1, n, GROUPS, HEAD).transpose(0, 2, 1, 3), cos, sin)
    v = (y @ v_.T).reshape(1, n, GROUPS, HEAD).transpose(0, 2, 1, 3)
    k, v = np.repeat(k, HEADS // GROUPS, axis=1), np.repeat(v, HEADS // GROUPS, axis=1)
    scores = q @ k.transpose(0, 1, 3, 2) / np.float32(HEAD**0.5)
    scores = np.where(np.tri(n, dtype=bool), scores, np.float32(-np.inf))
    mixed = (softmax(scores) @ v).transpose(0, 2, 1, 3).reshape(1, n, WIDTH)
    x = x + mixed @ o_.T
    y = rms_norm(x, norm2)
    g = y @ gate.T
    return x + (g / (1 + np.exp(-g)) * (y @ up.T)) @ down.T


def interleaved(contenders: dict[str, Callable[[], object]], repeats: int) -> dict[str, float]:
    """Median process time of each contender, in seconds, taken in turns."""
    times: dict[str, list[float]] = {name: [] for name in contenders}
    for _ in range(repeats):
        for name, work in contenders.items():
            start = time.process_time()
            work()
            times[name].append(time.process_time() - start)
    return {name: statistics.median(each) for name, each in times.items()}


def main(n: int = 128) -> None:
    rng = np.random.default_rng(0)
    module = rr.bind_constants(rr.parse(TEXT.read_text()), {0: FREQUENCY})
    checked = rr.check(module)
    kv = GROUPS * HEAD
    shapes = [(WIDTH,), (WIDTH,), (WIDTH, WIDTH), (kv, WIDTH), (kv, WIDTH), (WIDTH, WIDTH)]
    shapes += [(INNER, WIDTH), (INNER, WIDTH), (WIDTH, INNER)]
    weights = [(rng.standard_normal(s) * (0.05 if len(s) > 1 else 1)).astype(np.float32) for s in shapes]
    args = [rng.standard_normal((1, n, WIDTH)).astype(np.float32), *weights]
    fast, bits = rr.compile(checked, mode="fast"), rr.compile(checked, mode="bits")
    contenders = {
        "by hand": lambda: by_hand(*args),
        "fast": lambda: fast["main"](*args),
    }
    times = interleaved(contenders, 15)
    slow = interleaved({"bits": lambda: bits["main"](*args)}, 3)
    result = fast["main"](*args)[0]
    print(f"by hand {times['by hand'] * 1e3:.1f} ms")
    print(f"fast    {times['fast'] * 1e3:.1f} ms, {times['fast'] / times['by hand']:.2f}x")
    print(f"bits    {slow['bits'] * 1e3:.1f} ms, {slow['bits'] / times['by hand']:.1f}x")
    print(f"greatest difference: {np.abs(result - by_hand(*args)).max():.2g}")


if __name__ == "__main__":
    main()
