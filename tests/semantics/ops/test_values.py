"""Every operator: the ieee reading against NumPy, and the other readings against the ieee one."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import refrelax as rr

from .catalogue import SAMPLES, Sample, data, identify


def run(sample: Sample, arrays: list[np.ndarray], numerics: str = "ieee", seed: int = 0) -> Any:
    out = rr.run(rr.check(rr.parse(sample.text)), "main", *arrays, numerics=numerics, seed=seed)
    assert isinstance(out, rr.Returned), out
    return out.value


def leaves(value: Any) -> list[Any]:
    if isinstance(value, tuple):
        return [leaf for each in value for leaf in leaves(each)]
    return [value]


def as_array(value: Any) -> np.ndarray:
    return value.numpy() if isinstance(value, rr.Tensor) else np.asarray(value.dims)


def close(found: np.ndarray, expected: Any, ulps: float) -> bool:
    """Equal, or within ``ulps`` units in the last place of the greatest expected element."""
    expected = np.asarray(expected)
    if found.shape != expected.shape:
        return False
    if not ulps or found.dtype.kind != "f":
        return bool(np.array_equal(found, expected.astype(found.dtype)))
    scale = max(float(np.abs(expected).max(initial=0)), 1e-3)
    return bool(np.abs(found.astype(np.float64) - expected).max(initial=0) <= ulps * np.finfo(found.dtype).eps * scale)


@pytest.mark.parametrize("sample", SAMPLES, ids=identify)
def test_against_numpy(sample: Sample) -> None:
    arrays = data(sample)
    expected = sample.model(*arrays)
    found = run(sample, arrays)
    expected_leaves = list(expected) if isinstance(expected, tuple) and not isinstance(found, rr.Shape) else [expected]
    for one, other in zip(leaves(found), expected_leaves, strict=True):
        one = as_array(one)
        assert close(one, other, sample.ulps), f"{one}\nexpected\n{other}"


@pytest.mark.by_day(4)
@pytest.mark.parametrize("sample", SAMPLES, ids=identify)
def test_readings_agree(sample: Sample) -> None:
    """Guarded gives the bits of ieee; what ieee and sampled compute lies in the enclosure."""
    arrays = data(sample, seed=1)
    ieee = leaves(run(sample, arrays))
    guarded = leaves(run(sample, arrays, "guarded"))
    sampled = leaves(run(sample, arrays, "sampled", seed=5))
    enclosed = leaves(run(sample, arrays, "enclosure"))
    for a, b, c, e in zip(ieee, guarded, sampled, enclosed, strict=True):
        assert np.array_equal(as_array(a), as_array(b), equal_nan=as_array(a).dtype.kind == "f")
        if isinstance(e, rr.Tensor) or hasattr(e, "contains"):
            assert e.contains(a)
            assert e.contains(c)
