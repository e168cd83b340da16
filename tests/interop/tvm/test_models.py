"""Models from TVM's own front end, judged binding by binding on TVM's own inputs. By night: an import takes seconds."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

import refrelax as rr
from refrelax.backends.executable import Frame
from refrelax.interop.tvm import TvmImplementation, find_python
from refrelax.interop.tvm.live_module import read
from refrelax.judge.bindings import judge_frames
from refrelax.testing.arguments import random_arguments

pytestmark = [pytest.mark.tvm, pytest.mark.skipif(find_python() is None, reason="no interpreter with TVM")]
FILE = Path(__file__).with_name("models.py")
SEEDS = (1, 2, 3)

MODELS: dict[str, dict[str, int]] = {
    "mlp": {},
    "cnn": {},
    "transformer": {"take": 8},
    "unet": {},
    "lstm": {"take": 4},
    "gru": {"take": 4},
    "residual": {},
    "mixer": {},
    "bag": {},
    "gated": {},
    "statistics": {},
    "detector": {},
    "wave": {},
    "groups": {},
    "decoder": {},
}
"""The elements that the definition leaves open, by the operator where they arise: ``y[:, -1]`` is imported as ``take``
at -1 in mode ``fast``, which reads out of bounds."""


@pytest.fixture(scope="module")
def tvm() -> Iterator[TvmImplementation]:
    implementation = TvmImplementation(timeout=120)
    yield implementation
    implementation.close()


def with_error(frame: Frame, by: float) -> Frame | None:
    """The frame with a relative error in its largest element; ``None`` where there is no float32 above the
    subnormals."""
    value: Any = frame.value
    if not isinstance(value, rr.Tensor) or value.dtype != "float32":
        return None
    array = value.numpy().copy()
    flat = array.reshape(-1)
    if not flat.size:
        return None
    largest = max(range(flat.size), key=lambda k: abs(flat[k]))
    if not abs(flat[largest]) > 1e-30:
        return None
    flat[largest] *= 1 + by
    return replace(frame, value=rr.Tensor.of(array))


@pytest.mark.nightly
@pytest.mark.parametrize("name", MODELS)
def test_every_binding_is_decided(tvm: TvmImplementation, name: str) -> None:
    """Nothing is undecided, what is open is known, and a relative error of 1e-4 in any one binding is found."""
    module = read(f"{FILE}:{name}")
    checked = rr.check(module)
    for seed in SEEDS:
        observed = tvm.observe(module, "main", random_arguments(module, "main", seed))
        assert isinstance(observed.outcome, rr.Returned) and observed.unobserved == ()
        verdicts = judge_frames(checked, observed.frames)
        assert len(verdicts) == len(observed.frames) > 3
        assert [v for v in verdicts if v.word not in ("inside", "open")] == []
        assert {v.what: v.excluded for v in verdicts if v.excluded} == MODELS[name]
        planted = [each for frame in observed.frames if (each := with_error(frame, 1e-4)) is not None]
        found = judge_frames(checked, tuple(planted))
        missed = [v for v in found if not isinstance(v.verdict, rr.Outside) and not v.excluded]
        assert missed == []


LAST_STEP = """
@I.ir_module
class Module:
    @R.function
    def main(x: R.Tensor((1, 5, 4), "float32")) -> R.Tensor((1, 4), "float32"):
        with R.dataflow():
            y = R.exp(x)
            z = R.take(y, R.const(-1, "int64"), axis=1, mode="fast")
            w = R.add(z, z)
            R.output(w)
        return w
"""


def test_an_access_out_of_bounds_is_open_where_it_is_made(tvm: TvmImplementation) -> None:
    module = rr.parse(LAST_STEP)
    observed = tvm.observe(module, "main", random_arguments(module, "main", 3))
    verdicts = {v.name: v for v in judge_frames(rr.check(module), observed.frames)}
    assert list(verdicts) == ["y", "z", "w"] and observed.unobserved == ()
    assert [v.excluded for v in verdicts.values()] == [0, 4, 0]
    assert [type(v.verdict) for v in verdicts.values()] == [rr.Inside, rr.Undecided, rr.Inside]
