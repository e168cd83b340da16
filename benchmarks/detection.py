"""How many seeded faults the judge's enclosures see, by fault and by dtype.

A fault is an implementation that is wrong in one way: the last element along an axis missing (0 in its place), indices
off by one, an axis backwards, operands swapped, float16 (of float16: bfloat16) on the way, a result off by a
thousandth or a hundred-thousandth. The calls are those of the tests' catalogue. A fault that changes no bit of the
result is none.

Usage: ``python benchmarks/detection.py [--seeds N] [--dtype D] [--by-operator]``.
"""

from __future__ import annotations

import argparse
import sys
from collections import Counter, defaultdict
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import ml_dtypes
import numpy as np

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

import refrelax as rr
from tests.semantics.ops.catalogue import SAMPLES, Sample, data

NARROWER = {"float32": np.float16, "float16": ml_dtypes.bfloat16, "float64": np.float32}


def leaves(value: Any) -> list[Any]:
    return [leaf for each in value for leaf in leaves(each)] if isinstance(value, tuple) else [value]


def wrong_arguments(arrays: list[np.ndarray]) -> Iterator[tuple[str, list[np.ndarray]]]:
    """Arguments that a faulty implementation acts as if it had been given."""
    for k, a in enumerate(arrays):
        if a.dtype.kind not in "fV":
            continue
        for axis in range(a.ndim):
            if a.shape[axis] < 2:
                continue
            short = a.copy()
            short[(slice(None),) * axis + (-1,)] = 0
            yield "last element missing", [*arrays[:k], short, *arrays[k + 1 :]]
            yield "index off by one", [*arrays[:k], np.roll(a, 1, axis), *arrays[k + 1 :]]
            yield "axis backwards", [*arrays[:k], np.flip(a, axis).copy(), *arrays[k + 1 :]]
        for j in range(k):
            if arrays[j].shape == a.shape and arrays[j].dtype == a.dtype:
                swapped = list(arrays)
                swapped[j], swapped[k] = a, arrays[j]
                yield "operands swapped", swapped


def wrong_results(dtype: str, arrays: list[np.ndarray]) -> Iterator[tuple[str, list[np.ndarray]]]:
    """Results that are rounded wrongly, or off."""
    floats = [a.dtype.kind in "fV" for a in arrays]
    narrow = NARROWER[dtype]
    with np.errstate(all="ignore"):
        yield (
            "narrower on the way",
            [a.astype(narrow).astype(a.dtype) if f else a for a, f in zip(arrays, floats, strict=True)],
        )
        for off in (1e-3, 1e-5):
            yield (
                f"off by {off:g}",
                [(a * (1 + off)).astype(a.dtype) if f else a for a, f in zip(arrays, floats, strict=True)],
            )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seeds", type=int, default=2)
    parser.add_argument("--dtype", default="float32", choices=("float32", "float16"))
    parser.add_argument("--by-operator", action="store_true")
    options = parser.parse_args()
    seen, made = Counter[str](), Counter[str]()
    missed: dict[str, Counter[str]] = defaultdict(Counter)
    for sample in SAMPLES:
        if not any(t == "float32" for _, t in sample.params):
            continue
        for seed in range(options.seeds):
            for fault, detected in judged(sample, options.dtype, seed):
                made[fault] += 1
                seen[fault] += detected
                if not detected:
                    missed[sample.op][fault] += 1
    for fault in made:
        print(f"{fault:24} {seen[fault]:5} of {made[fault]:5}  {seen[fault] / made[fault]:7.2%}")
    print(f"{'all':24} {seen.total():5} of {made.total():5}  {seen.total() / made.total():7.2%}")
    for op, faults in missed.items() if options.by_operator else ():
        print(f"  {op}: {dict(faults)}")


def judged(sample: Sample, dtype: str, seed: int) -> Iterator[tuple[str, bool]]:
    """Each fault of one call, and whether the enclosure excludes what it gives."""
    text = sample.text.replace("float32", dtype)
    arrays = [a.astype(dtype) if a.dtype == np.float32 else a for a in data(sample, seed)]
    try:
        checked = rr.check(rr.parse(text))
    except rr.Rejection:
        return
    right = rr.run(checked, "main", *arrays)
    held = rr.run(checked, "main", *arrays, numerics="enclosure")
    if not isinstance(right, rr.Returned) or not isinstance(held, rr.Returned):
        return
    sets = [x for x in leaves(held.value) if isinstance(x, rr.Tensor)]
    plain = [np.asarray(x) for x in leaves(right.value) if isinstance(x, rr.Tensor)]
    wrong: list[tuple[str, list[np.ndarray]]] = list(wrong_results(dtype, plain))
    for fault, given in wrong_arguments(arrays):
        out = rr.run(checked, "main", *given)
        if isinstance(out, rr.Returned):
            wrong.append((fault, [np.asarray(x) for x in leaves(out.value) if isinstance(x, rr.Tensor)]))
    for fault, results in wrong:
        if [(x.shape, x.tobytes()) for x in results] == [(x.shape, x.tobytes()) for x in plain]:
            continue
        yield (
            fault,
            any(x.shape != y.shape or isinstance(y.judge(x), rr.Outside) for x, y in zip(results, sets, strict=True)),
        )


if __name__ == "__main__":
    main()
