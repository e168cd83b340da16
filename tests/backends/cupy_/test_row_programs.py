"""Row programs, emulated: permitted at all sizes, in every order of threads; one launch, every element moved once."""

from __future__ import annotations

from functools import cache
from typing import Any

import pytest

pytest.importorskip("numpy")

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st
from row_operators import ARGUMENTS, OPERATORS, lowered

import refrelax as rr
from refrelax.backends.cupy_ import emulate, geometry
from refrelax.backends.cupy_.compile import CudaExecutable, cost_of
from refrelax.backends.cupy_.emulate import EmulatedDevice
from refrelax.judge import diff
from refrelax.running.arrays import numpy_dtype

pytestmark = [pytest.mark.skipif(emulate.compiler() is None, reason="no g++ on this machine"), pytest.mark.thorough]


@cache
def executable(dtype: str, order: int) -> CudaExecutable:
    return CudaExecutable(lowered(dtype), "fast", EmulatedDevice(order))


class Emulated:
    def __init__(self, dtype: str, order: int) -> None:
        self.executable = executable(dtype, order)

    def run(self, _module: Any, entry: str, args: Any) -> Any:
        return self.executable.run(entry, *args)


def arguments(name: str, dtype: str, n: int, m: int, seed: int) -> list[Any]:
    r, sizes = np.random.default_rng(seed), {"n": n, "m": m}
    shapes = [tuple(sizes.get(d) or (0 if d in sizes else int(d)) for d in dims) for dims in ARGUMENTS[name]]
    return [(r.standard_normal(shape) * 3).astype(numpy_dtype(dtype)) for shape in shapes]


def permitted(name: str, dtype: str, n: int, m: int, order: int, seed: int = 0) -> None:
    verdict = diff(lowered(dtype), name, arguments(name, dtype, n, m, seed), impl=Emulated(dtype, order))
    assert not isinstance(verdict, rr.Divergence), verdict
    assert verdict.report.outside == 0


@pytest.mark.parametrize("name", OPERATORS)
def test_permitted_in_every_order(name: str) -> None:
    for order, (n, m) in enumerate([(5, 33), (9, 3), (1, 70), (0, 4), (3, 1)]):
        permitted(name, "float32", n, m, order % 3)


@pytest.mark.parametrize(
    "dtype", ["float16", *(pytest.param(d, marks=pytest.mark.thorough) for d in ("bfloat16", "float64"))]
)
def test_other_dtypes(dtype: str) -> None:
    for name in OPERATORS:
        permitted(name, dtype, 3, 37, 2)


@pytest.mark.parametrize("limit", [0, 300])
def test_rows_that_do_not_fit(limit: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """Read again from memory, or kept by blocks of fewer rows."""
    monkeypatch.setattr(geometry, "SHARED", limit)
    for name in OPERATORS:
        permitted(name, "float32", 4, 33, 1)


def test_rows_of_whole_blocks(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(geometry, "SHORT", 16)
    for order, name in enumerate(OPERATORS):
        permitted(name, "float32", 2, 67, order % 3)


@settings(max_examples=20)
@given(
    st.sampled_from(sorted(OPERATORS)), st.sampled_from(["float32", "float16"]), st.integers(0, 12),
    st.integers(0, 300), st.integers(0, 2), st.integers(0, 1 << 20),
)  # fmt: skip
def test_permitted_at_any_size(name: str, dtype: str, n: int, m: int, order: int, seed: int) -> None:
    if n * m > 600:
        m = 600 // n
    permitted(name, dtype, n, m, order, seed)


@settings(max_examples=20)
@given(st.integers(1, 6), st.integers(1, 80), st.integers(0, 1 << 20), st.integers(0, 2))
def test_positions_are_the_first(n: int, m: int, seed: int, order: int) -> None:
    """Of equal elements, of zeros of either sign, and of NaN."""
    x = np.random.default_rng(seed).choice(
        np.array([0.0, -0.0, 1.0, -1.0, np.nan], np.float32), (n, m), p=[0.3, 0.3, 0.2, 0.19, 0.01]
    )
    for name in ("argmax", "argmin"):
        ended, wanted = executable("float32", order).run(name, x), rr.run(lowered("float32"), name, x)
        assert isinstance(ended, rr.Returned) and isinstance(wanted, rr.Returned)
        assert ended.value.numpy().tolist() == wanted.value.numpy().tolist()


# --- what they cost --------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", sorted(OPERATORS.keys() - {"masked", "centred"}))
def test_one_launch(name: str) -> None:
    cost = executable("float32", 0).cost(name, n=6, m=50)
    assert [each.form for each in cost.kernels] == ["row program"]


NORMS = {
    "softmax": 1, "log_softmax": 1, "layer_norm": 1, "layer_norm_2": 5, "rms_norm": 1, "instance_norm": 2,
    "group_norm": 3,
}  # fmt: skip
"""Elements of a row, in units of ``m``."""
SIZES = [(4096, 1024), (8192, 4096), (512, 8191), (100_000, 100)]
FORMATS = {"float32": 4, "bfloat16": 2, "float16": 2, "float64": 8}
SHAPES = [
    *((d, *s) for d in ("float32", "bfloat16") for s in SIZES),
    *((d, *s) for d in FORMATS for s in ((1, 3), (3, 257))),
]
SHAPES += [("float16", 8192, 4096), ("float64", 512, 8191)]


@pytest.mark.parametrize(("dtype", "n", "m"), SHAPES)
@pytest.mark.parametrize("name", NORMS)
def test_bytes_are_minimal(name: str, dtype: str, n: int, m: int) -> None:
    """One launch, which reads every argument once and writes the result once; a row that does not fit into a block's
    memory is read by each of its two or three passes."""
    cost, item = cost_of(lowered(dtype), name, {"n": n, "m": m}), FORMATS[dtype]
    most = 1.05 if NORMS[name] * m * item <= geometry.SHARED else 2.05
    sizes = [int(np.prod([{"n": n, "m": m}.get(d) or int(d) for d in dims])) for dims in ARGUMENTS[name]]
    assert cost.launches == 1
    assert cost.bytes <= most * item * (sum(sizes) + sizes[0])
    assert cost.read >= item * sum(sizes) and cost.written == item * sizes[0]


@pytest.mark.parametrize("name", NORMS)
def test_a_row_that_does_not_fit_is_read_by_every_pass_and_stored_once(name: str) -> None:
    """What a pass leaves for the next is computed again: nothing but the result is written."""
    n, m = 6, 100_000
    cost = cost_of(lowered("float32"), name, {"n": n, "m": m})
    whole = 4 * int(np.prod([{"n": n, "m": m}.get(d) or int(d) for d in ARGUMENTS[name][0]]))
    assert cost.launches == 1 and cost.written == whole
    assert whole < cost.read <= (2 if name == "rms_norm" else 3) * whole * 1.2


def test_rows_fit_where_the_device_has_room() -> None:
    """32 000 columns: over 96 KiB, and within what a device of sm_90 gives a block."""
    known = CudaExecutable(lowered("float32"), "fast", EmulatedDevice(room=225 * 1024))
    bytes_ = 4 * 2 * 3 * 32_000
    assert known.cost("softmax", n=3, m=32_000).bytes == bytes_
    assert executable("float32", 0).cost("softmax", n=3, m=32_000).bytes > 1.2 * bytes_
    x = np.random.default_rng(3).standard_normal((2, 32_000)).astype(np.float32)
    for run in (known, executable("float32", 0)):  # (kept, and a fourth of it read again)
        found = run["softmax"](x)
        e = np.exp(x.astype(np.float64) - x.max(axis=1, keepdims=True))
        assert np.allclose(found, e / e.sum(axis=1, keepdims=True), rtol=1e-4, atol=0)


@pytest.mark.parametrize("name", NORMS)
def test_what_fits_of_a_row_stays(name: str) -> None:
    """Of a longer row each pass reads again what did not fit, and no more."""
    known, m = CudaExecutable(lowered("float32"), "fast", EmulatedDevice(room=225 * 1024)), 57_000 // NORMS[name]
    whole, longer = (known.cost(name, n=3, m=each).bytes / each for each in (m, m + 1000))
    assert whole < longer <= whole * (1 + 1.2 * NORMS[name] * 1000 / m)


@settings(max_examples=12)
@given(
    st.sampled_from(["softmax", "log_softmax", "layer_norm", "rms_norm", "variance", "argmax", "instance_norm"]),
    st.sampled_from(["float32", "float16", "float64"]), st.integers(1, 3), st.integers(1025, 1500),
    st.sampled_from([64, 500, 2048, 4000]), st.integers(0, 2), st.integers(0, 1 << 20),
)  # fmt: skip
def test_a_row_of_which_a_part_stays(name: str, dtype: str, n: int, m: int, room: int, order: int, seed: int) -> None:
    checked, args = lowered(dtype), arguments(name, dtype, n, m, seed)
    part = CudaExecutable(checked, "fast", EmulatedDevice(order, room=room))
    found, wanted = part.run(name, *args), executable(dtype, order).run(name, *args)
    assert isinstance(found, rr.Returned) and isinstance(wanted, rr.Returned)
    assert found.value.patterns() == wanted.value.patterns()


@pytest.mark.parametrize("name", ["softmax", "log_softmax", "variance", "mean", "argmax"])
def test_what_is_counted_where_a_part_stays_is_what_threads_do(name: str) -> None:
    run = CudaExecutable(lowered("float32"), "fast", EmulatedDevice(room=2048))
    assert isinstance(run.run(name, *arguments(name, "float32", 3, 1300, 1)), rr.Returned)
    cost = run.cost(name, n=3, m=1300)
    assert cost.read == 4 * sum(sum(each.read.values()) for each in run.program.seen)
    assert cost.written == {"argmax": 8}.get(name, 4) * sum(sum(e.written.values()) for e in run.program.seen)


@pytest.mark.parametrize("fits", [True, False])
@pytest.mark.parametrize("name", ["softmax", "log_softmax", "variance", "mean", "argmax"])
def test_what_is_counted_is_what_threads_do(name: str, fits: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    """Where no block reads what another one reads, the elements that the emulated threads touch are those counted."""
    if not fits:
        monkeypatch.setattr(geometry, "SHARED", 0)
    run = executable("float32", 0)
    run.program.seen.clear()
    args = arguments(name, "float32", 5, 41, 1)
    assert isinstance(run.run(name, *args), rr.Returned)
    cost = run.cost(name, n=5, m=41)
    assert cost.launches == len(run.program.seen)
    item = {"argmax": 8}.get(name, 4)
    assert cost.read == 4 * sum(sum(each.read.values()) for each in run.program.seen)
    assert cost.written == item * sum(sum(each.written.values()) for each in run.program.seen)
