"""A wheel without CUDA, asked for CUDA: it was a divergence of TVM."""

from __future__ import annotations

import pytest

from refrelax.interop.tvm.implementation import _refusal

CUDA = "CUDA runtime is not linked into this build; cannot launch kernels. Re-link with USE_CUDA=ON or load this module"


@pytest.mark.parametrize(("kind", "message"), [("RuntimeError", CUDA), ("RuntimeError", "Cannot find ROCm path")])
def test_a_device_that_the_wheel_lacks_is_no_finding(kind: str, message: str) -> None:
    assert _refusal("build", kind, message, "").kind == "unsupported"


def test_what_is_refused_for_another_reason_is_still_refused() -> None:
    assert _refusal("build", "InternalError", "Check failed: (n >= 0) is false", "").kind == "refused"
