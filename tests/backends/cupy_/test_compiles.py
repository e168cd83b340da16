"""NVRTC takes what is generated, for every generation of devices that it knows; no device is needed."""

from __future__ import annotations

import pytest

pytest.importorskip("numpy")

from row_operators import lowered as rows
from test_attention import lowered as attention

from refrelax.backends.cupy_ import nvrtc
from refrelax.backends.cupy_.plan import cuda_source


def missing() -> str:
    try:
        nvrtc.library()
    except nvrtc.NotInstalled as absent:
        return str(absent)
    return ""


pytestmark = pytest.mark.skipif(bool(missing()), reason=missing() or "NVRTC is here")


@pytest.mark.thorough
@pytest.mark.parametrize("architecture", ["sm_80", "sm_90", "sm_100"])
@pytest.mark.parametrize("dtype", ["float32", "bfloat16", "float16", "float64"])
def test_row_programs_and_attention(dtype: str, architecture: str) -> None:
    cubin = nvrtc.compile_source(cuda_source(rows(dtype), "fast"), "fast", architecture)
    assert b"softmax" in cubin
    assert b"attention" in nvrtc.compile_source(cuda_source(attention(dtype, 4, 64, 64), "fast"), "fast", architecture)
