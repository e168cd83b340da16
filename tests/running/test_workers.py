"""Several workers on one program: collectives against NumPy."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import refrelax as rr
from refrelax.running.workers import run_workers

KINDS = {"sum": np.sum, "prod": np.prod, "min": np.min, "max": np.max, "avg": np.mean}


def checked(body: str, params: str = 'x: R.Tensor((2, 3), "float32")') -> rr.CheckedModule:
    lines = "".join(f"        {line}\n" for line in body.split("; "))
    return rr.check(
        rr.parse(f"@I.ir_module\nclass Module:\n    @R.function(pure=False)\n    def main({params}):\n{lines}")
    )


def arrays(workers: int, shape: tuple[int, ...] = (2, 3)) -> list[np.ndarray]:
    """Small dyadic numbers: sums and products of a few are exact."""
    return [(np.random.default_rng(k).integers(-8, 9, shape) / 4).astype("float32") for k in range(workers)]


def values(module: rr.CheckedModule, given: list[np.ndarray], **options: Any) -> list[Any]:
    found = run_workers(module, "main", [[x] for x in given], **options)
    assert all(isinstance(each, rr.Returned) for each in found), found
    return [each.value for each in found if isinstance(each, rr.Returned)]


@given(st.integers(1, 4), st.integers(1, 2), st.sampled_from(sorted(KINDS)), st.booleans())
@settings(max_examples=25)
def test_allreduce(size: int, groups: int, kind: str, in_group: bool) -> None:
    given_ = arrays(size * groups)
    found = values(checked(f'y = R.ccl.allreduce(x, "{kind}", {in_group}); return y'), given_, groups=groups)
    for k, each in enumerate(found):
        first = k - k % size
        partners = given_[first : first + size] if in_group else given_
        expected = KINDS[kind](np.stack(partners).astype(np.float64), 0)
        assert np.allclose(each.numpy(), expected, rtol=1e-6)


@pytest.mark.parametrize("numerics", ["ieee", "enclosure", "sampled", "guarded"])
def test_readings_agree_on_a_sum(numerics: str) -> None:
    given_ = [x + np.float32(1e-8) for x in arrays(4)]
    module = checked("y = R.ccl.allreduce(x); return y")
    ieee = values(module, given_)
    for one, other in zip(values(module, given_, numerics=numerics), ieee, strict=True):
        assert other.numpy().shape == one.shape
        assert one.contains(other) if numerics == "enclosure" else np.allclose(one.numpy(), other.numpy(), rtol=1e-5)


@pytest.mark.parametrize("workers", [1, 2, 3])
def test_gather_then_scatter_is_the_identity(workers: int) -> None:
    body = f"y = R.ccl.allgather(x, {workers}); z = R.ccl.scatter_from_worker0(y, {workers}); return (y, z)"
    given_ = arrays(workers)
    for k, (whole, own) in enumerate(values(checked(body), given_)):
        assert np.array_equal(whole.numpy(), np.concatenate(given_))
        assert np.array_equal(own.numpy(), given_[k])


def test_parts_along_another_axis_and_broadcast() -> None:
    body = (
        "y = R.ccl.broadcast_from_worker0(x); z = R.dist.redistribute_replica_to_shard(y, 2, 1); "
        "w = R.ccl.scatter_from_worker0(x, 2, 1); return (y, z, w)"
    )
    given_ = arrays(2, (3, 4))
    for k, (whole, part, scattered) in enumerate(values(checked(body, 'x: R.Tensor((3, 4), "float32")'), given_)):
        assert np.array_equal(whole.numpy(), given_[0])
        assert np.array_equal(part.numpy(), given_[0][:, 2 * k : 2 * k + 2])
        assert np.array_equal(scattered.numpy(), part.numpy())


def test_lowered_collectives_are_the_same() -> None:
    shape = 'R.Tensor((2, 3), "float32")'
    body = (
        f'a = R.call_dps_packed("runtime.disco.allreduce", (x, R.shape([3]), True), out_ty={shape}); '
        'b = R.call_dps_packed("runtime.disco.allgather", (x, True), out_ty=R.Tensor((4, 3), "float32")); '
        'c = R.call_dps_packed("runtime.disco.scatter_from_worker0", (b, False), out_ty=R.Tensor((2, 3), "float32")); '
        'w = R.call_packed("runtime.disco.worker_id", ty_args=(R.Shape(ndim=1),)); return (a, b, c, w)'
    )
    given_ = arrays(2)
    for k, (greatest, whole, own, worker) in enumerate(values(checked(body), given_)):
        assert np.array_equal(greatest.numpy(), np.maximum(*given_))
        assert np.array_equal(whole.numpy(), np.concatenate(given_))
        assert np.array_equal(own.numpy(), given_[k])
        assert tuple(worker.dims) == (k,)


def test_workers_that_do_not_meet() -> None:
    """Worker 1 is done while worker 0 waits; and two that wait at different collectives."""
    module = checked(
        'w = R.call_packed("runtime.disco.worker_id", ty_args=(R.Shape(ndim=1),)); '
        "y = R.call_packed('meet', w, x, ty_args=(R.Tensor((2, 3), \"float32\"),)); "
        "z = R.ccl.allreduce(y); return z"
    )

    def fails_on_one(worker: rr.Shape, x: Any) -> Any:
        return x if worker.dims[0] == 0 else "no tensor"

    found = run_workers(module, "main", [[x] for x in arrays(2)], externs={"meet": fails_on_one})
    assert [getattr(each, "rule", None) for each in found] == ["op.ccl/all-take-part", "ev/packed-result-type"]


def test_different_shapes_do_not_meet() -> None:
    module = checked("y = R.ccl.allreduce(x); return y", 'x: R.Tensor(("n",), "float32")')
    found = run_workers(module, "main", [[np.ones(2, "float32")], [np.ones(3, "float32")]])
    assert [getattr(each, "rule", None) for each in found] == ["op.ccl/all-take-part"] * 2


def test_unequal_groups_and_faults_are_told() -> None:
    module = checked("y = R.ccl.allreduce(x); return y")
    with pytest.raises(rr.UsageError):
        run_workers(module, "main", [[x] for x in arrays(3)], groups=2)
    with pytest.raises(rr.UsageError):
        run_workers(module, "absent", [[x] for x in arrays(2)])


@pytest.mark.parametrize("call", ["R.ccl.scatter_from_worker0", "R.dist.redistribute_replica_to_shard"])
@pytest.mark.parametrize(("written", "workers"), [(1, 2), (2, 4), (4, 2), (2, 1)])
def test_a_part_for_another_number_of_workers_is_open(call: str, written: int, workers: int) -> None:
    """Also the workers behind those that the call was written for, which have no part."""
    module = checked(f"y = {call}(x, {written}, 0); return y", 'x: R.Tensor((4,), "float32")')
    found = run_workers(module, "main", [[[1.0, 2.0, 3.0, 4.0]]] * workers)
    assert [each.rule for each in found if isinstance(each, rr.Unspecified)] == ["op.ccl/workers"] * workers
