"""The emulation sees what it says it sees; and seeded faults in generated kernels are found."""

# ruff: noqa: E501

from __future__ import annotations

import re
from typing import Any

import pytest

pytest.importorskip("numpy")

import numpy as np
from programs import arguments, module

import refrelax as rr
from refrelax.backends.cupy_ import emulate
from refrelax.backends.cupy_.compile import CudaExecutable
from refrelax.backends.cupy_.emulate import EmulatedDevice, EmulatedProgram, build, entry
from refrelax.backends.cupy_.geometry import Geometry
from refrelax.backends.cupy_.kernels import Kernel, Parameter
from refrelax.backends.cupy_.plan import prelude
from refrelax.errors import InternalError

pytestmark = pytest.mark.skipif(emulate.compiler() is None, reason="no g++ on this machine")

PARAMETERS = (Parameter("buffer", "A", "float32"), Parameter("buffer", "B", "float32", written=True))

KERNELS = {
    "copy": "B[threadIdx.x] = A[threadIdx.x];",
    "beyond": "B[threadIdx.x] = A[threadIdx.x + 1];",
    "below": "B[threadIdx.x] = A[(i64)threadIdx.x - 1];",
    "rotate": "SHARED(f32, row, 64); row[threadIdx.x] = A[threadIdx.x]; SYNC(); B[threadIdx.x] = row[(threadIdx.x + 1) % 64];",
    "unsynchronised": "SHARED(f32, row, 64); row[threadIdx.x] = A[threadIdx.x]; B[threadIdx.x] = row[(threadIdx.x + 1) % 64];",
    "unwritten": "SHARED(f32, row, 65); row[threadIdx.x] = A[threadIdx.x]; SYNC(); B[threadIdx.x] = row[threadIdx.x + 1];",
    "outside_shared": "SHARED(f32, row, 63); row[threadIdx.x] = A[threadIdx.x]; SYNC(); B[threadIdx.x] = row[threadIdx.x];",
    "diverging": "if (threadIdx.x < 40) return; SYNC(); B[threadIdx.x] = A[threadIdx.x];",
    "two_barriers": "if (threadIdx.x < 40) {\n SYNC();\n } else {\n SYNC();\n } B[threadIdx.x] = A[threadIdx.x];",
    "same_element": "B[threadIdx.x / 2] = A[threadIdx.x];",
    "own_element_twice": "B[threadIdx.x] = A[threadIdx.x]; B[threadIdx.x] = (f32)B[threadIdx.x] + 1.0f;",
    "neighbour": "B[threadIdx.x] = A[threadIdx.x] + (threadIdx.x == 0 ? 0.0f : (f32)B[threadIdx.x - 1]);",
    "warp_sum": "f32 x = A[threadIdx.x]; for (i32 d = 16; d > 0; d /= 2) x += __shfl_down_sync(~0u, x, d); if (threadIdx.x % 32 == 0) B[threadIdx.x] = x;",
    "half_warp": "f32 x = A[threadIdx.x]; if (threadIdx.x % 2) x += __shfl_down_sync(~0u, x, 1); B[threadIdx.x] = x;",
    "block_sum": "f32 x = row_total<Sum>((f32)A[threadIdx.x], 64); B[threadIdx.x] = x;",
    "warp_sums": "f32 x = row_total<Sum>((f32)A[threadIdx.x], 32); B[threadIdx.x] = x;",
    "kept": "KEPT(f32, row, 256, 64); row[threadIdx.x] = A[threadIdx.x]; SYNC(); B[threadIdx.x] = row[(threadIdx.x + 1) % 64];",
    "kept_unsynchronised": "KEPT(f32, row, 0, 64); row[threadIdx.x] = A[threadIdx.x]; B[threadIdx.x] = row[(threadIdx.x + 1) % 64];",
    "kept_unwritten": "KEPT(f32, row, 0, 65); row[threadIdx.x] = A[threadIdx.x]; SYNC(); B[threadIdx.x] = row[threadIdx.x + 1];",
    "kept_outside": "KEPT(f32, row, 0, 63); row[threadIdx.x] = A[threadIdx.x]; SYNC(); B[threadIdx.x] = row[threadIdx.x];",
    "kept_beyond": "KEPT(f32, row, 260, 64); row[threadIdx.x] = A[threadIdx.x]; SYNC(); B[threadIdx.x] = row[threadIdx.x];",
    "kept_misaligned": "KEPT(f32, row, 2, 64); row[threadIdx.x] = A[threadIdx.x]; SYNC(); B[threadIdx.x] = row[threadIdx.x];",
    "kept_over_another": "KEPT(u16, half, 0, 64); KEPT(f32, row, 0, 64); half[threadIdx.x] = 1; SYNC(); row[threadIdx.x] = A[threadIdx.x]; SYNC(); B[threadIdx.x] = (u16)half[threadIdx.x];",
}  # fmt: skip

FAULTS = {
    "beyond": "out of bounds: A[64] of 64",
    "below": "out of bounds: A[-1] of 64",
    "unsynchronised": "row[",
    "unwritten": "uninitialised: row[64]",
    "outside_shared": "out of bounds: shared row[63] of 63",
    "diverging": "divergence",
    "two_barriers": "divergence",
    "same_element": "race: B[",
    "neighbour": "race: B[",
    "half_warp": "divergence",
    "kept_unsynchronised": "row[",
    "kept_unwritten": "uninitialised: row[64]",
    "kept_outside": "out of bounds: kept row[63] of 63",
    "kept_beyond": "out of bounds: kept row[63] lies beyond 512 bytes",
    "kept_misaligned": "misaligned: kept row starts at byte 2",
    "kept_over_another": "uninitialised: half[",
}


def kernels() -> dict[str, Kernel]:
    return {
        name: Kernel(f"{name}_0", "elementwise", PARAMETERS, (text,), (), threads=64, barriers=True)
        for name, text in KERNELS.items()
    }


def program(order: int) -> EmulatedProgram:
    made = kernels().values()
    source = "\n".join([prelude(), *(k.source() for k in made), *(entry(k) for k in made)])
    return EmulatedProgram(build(source), order)


def launch(name: str, order: int, blocks: int = 1) -> Any:
    device = EmulatedDevice()
    a, b = device.upload(np.arange(64, dtype=np.float32)), device.upload(np.zeros(64, np.float32))
    program(order).launch(kernels()[name], Geometry(blocks, 64, shared=512), [a, b], None)
    return device.download(b)


@pytest.mark.thorough
@pytest.mark.parametrize("order", [0, 1, 5])
@pytest.mark.parametrize("name", FAULTS)
def test_faults_are_seen(name: str, order: int) -> None:
    with pytest.raises(InternalError, match=re.escape(FAULTS[name])):
        launch(name, order)


@pytest.mark.thorough
@pytest.mark.parametrize("order", [0, 1, 5])
def test_right_kernels_pass(order: int) -> None:
    line = np.arange(64, dtype=np.float32)
    assert (launch("copy", order) == line).all()
    assert (launch("rotate", order) == np.roll(line, -1)).all()
    assert (launch("own_element_twice", order) == line + 1).all()
    assert launch("warp_sum", order)[[0, 32]].tolist() == [line[:32].sum(), line[32:].sum()]
    assert (launch("block_sum", order) == line.sum()).all()
    assert launch("warp_sums", order).tolist() == [line[:32].sum()] * 32 + [line[32:].sum()] * 32
    assert (launch("kept", order) == np.roll(line, -1)).all()


@pytest.mark.thorough
def test_blocks_are_not_ordered() -> None:
    """Two blocks that write the same elements race whatever barriers they have."""
    with pytest.raises(InternalError, match="race"):
        launch("copy", 0, blocks=2)


# --- seeded faults ---------------------------------------------------------------------------------------------------

SEEDED = [
    ("matmul", "SYNC();", ""),
    ("matmul", "step < depth", "step <= depth"),
    ("matmul", "row < rows && step", "step"),
    ("matmul", "column < columns && step", "step"),
    ("matmul", "row < rows && column < columns", "row < rows"),
    ("matmul", "right[inner * 17 + lane]", "right[lane * 17 + inner]"),
    ("matmul", "left[line * 17 + inner]", "left[line * 16 + inner]"),
    ("matmul", "inner < 16", "inner < 15"),
    ("matmul", "start += 16", "start += 17"),
    ("matmul", "(columns + 15) / 16", "columns / 16"),
    ("row_sum", "step += lanes", "step += 16"),
    ("row_sum", "step < counta", "step < counta - 1"),
    ("row_sum", "lane == 0", "lane < 2"),
    ("row_sum", "acc = -0.0", "acc = 1"),
    ("row_sum", "row_total<Sum>", "row_total<Maximum>"),
    ("row_sum", "flat >= total", "flat > total"),
    ("row_max_f16", "(idx)blockIdx.x", "1 + (idx)blockIdx.x"),
    ("broadcast_f16", "flat >= total", "flat > total"),
    ("broadcast_f16", "flat % chunks", "flat % (chunks + 1)"),
    ("broadcast_f16", "placea, many", "placea, 8"),
    ("running_sum", "(j - 1)", "(j - 2)"),
    ("where_inside", "< n", "<= n"),
    ("argmax", " > ", " < "),
    ("gather", "at(", "(false ? i64(0) : "),
    ("conv", "start < depth", "start < depth - 2"),
    ("concat", "(3 <= ", "(2 <= "),
    ("in_place", "rest /= 4", "rest /= 5"),
]  # fmt: skip


@pytest.mark.thorough
@pytest.mark.parametrize(("name", "old", "new"), SEEDED)
def test_seeded_faults_are_found(name: str, old: str, new: str) -> None:
    """A fault is found by the emulation itself or by the result."""
    assert found(name, old, new), f"{old!r} → {new!r} in {name} goes unseen"


def found(name: str, old: str, new: str) -> bool:
    wrong = CudaExecutable(module(), "fast", _Seeding(name, old, new))
    for k in range(4):
        try:
            args = _arguments(name, k)
        except IndexError:
            return False
        try:
            ended = wrong.run(name, *args)
        except InternalError:
            return True
        wanted = rr.run(module(), name, *_arguments(name, k))
        assert isinstance(wanted, rr.Returned)
        if not isinstance(ended, rr.Returned):
            return True
        for f, w in zip(ended.arguments, wanted.arguments, strict=True):
            a, b = f.numpy().astype(np.float64), w.numpy().astype(np.float64)
            if not np.allclose(a, b, rtol=1e-3, atol=1e-4, equal_nan=True):
                return True
    return False


def _arguments(name: str, k: int) -> list[Any]:
    if name == "gather" and k == 0:
        return [np.ones((6, 5), np.float32), np.array([1 << 40, 0, 6, -1]), np.zeros((4, 5), np.float32)]
    return arguments(name, k)


class _Seeding(EmulatedDevice):
    """An emulated device that loads one kernel with a fault, and nothing else."""

    def __init__(self, name: str, old: str, new: str) -> None:
        super().__init__()
        self.name, self.old, self.new = name, old, new

    def load(self, source: str, plans: Any, mode: str) -> EmulatedProgram:
        (kernel,) = plans[self.name].kernels
        text = kernel.source()
        assert self.old in text, f"{self.old!r} is not in\n{text}"
        return EmulatedProgram(build("\n".join([prelude(), text.replace(self.old, self.new), entry(kernel)])), 0)
