"""Wrong loop programs: each is caught, by a claim that is refuted or by its result on a small input."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import pytest

import refrelax as rr
from refrelax.lower import lower
from refrelax.lower.legalize import driver
from refrelax.lower.legalize.axes import Axes, replaced
from refrelax.lower.legalize.scalars import Scalar, cast, function, if_then_else, index, least, lit
from refrelax.lower.legalize.site import Site
from refrelax.shape_solver import Refuted
from refrelax.testing.arguments import random_arguments, symbols_of
from tests.lower.cases import module_text
from tests.lower.test_legalize import cells, same


@dataclass(frozen=True)
class Mutant:
    """A wrong program for an operator; ``by_claim``: a claim refutes it before it runs."""

    name: str
    op: str
    params: str
    call: str
    wrong: Callable[[Site], Any]
    by_claim: bool = False


def _shifted(s: Site) -> None:
    x = s.array(0)
    s.k.compute(s.out, lambda i, j: x[i, j + 1])


def _swapped(s: Site) -> None:
    x = s.array(0)
    s.k.compute(s.out, lambda i, j: x[i, j])


def _no_accumulation_dtype(s: Site) -> None:
    a, b = s.array(0), s.array(1)
    total = s.k.alloc("total", s.out.dims, a.dtype)
    s.k.reduce(total, [a.dims[1]], "Add", lit(a.dtype, 0), lambda i, j, k: a[i, k] * b[k, j])
    s.k.compute(s.out, lambda *i: cast(s.out.dtype, total[i]))


def _product(late: int) -> Callable[[Site], None]:
    def legalize(s: Site) -> None:
        a, b = s.array(0), s.array(1)
        s.k.reduce(s.out, [a.dims[1] - late], "Add", lit(s.out.dtype, 0), lambda i, j, k: a[i, k] * b[k, j])

    return legalize


def _maximum_from_zero(s: Site) -> None:
    x = s.array(0)
    axes = Axes(x, [1], False)
    s.k.reduce(s.out, axes.lengths, "Max", lit(x.dtype, 0), lambda i, k: x[i, k])


def _softmax_without_sum(s: Site) -> None:
    x = s.array(0)
    top = s.k.alloc("top", x.dims[:1], x.dtype)
    s.k.reduce(top, x.dims[1:], "Max", least(x.dtype), lambda i, k: x[i, k])
    s.k.compute(s.out, lambda i, j: function("exp", x[i, j] - top[i]))


def _concat_off_by_one(s: Site) -> None:
    x, y = s.arrays(0)
    n = x.dims[0]
    s.k.compute(s.out, lambda i: if_then_else(i <= n, x[i], y[i - n]))


def _concat_swapped(s: Site) -> None:
    x, y = s.arrays(0)
    n = y.dims[0]
    s.k.compute(s.out, lambda i: if_then_else(i < n, y[i], x[i - n]))


def _reshape_column_major(s: Site) -> None:
    x = s.array(0)
    s.k.compute(s.out, lambda i, j: x[j * 3 + i])


def _slice_without_stride(s: Site) -> None:
    x = s.array(0)
    s.k.compute(s.out, lambda i: x[i + 1])


def _unguarded_padding(s: Site) -> None:
    x = s.array(0)
    s.k.compute(s.out, lambda i: x[i - 1])


def _half_written(s: Site) -> None:
    x = s.array(0)
    view = s.k.alloc("unused", x.dims, x.dtype)
    s.k.compute(view, lambda *i: x[i])


def _flip_past_the_end(s: Site) -> None:
    x = s.array(0)
    s.k.compute(s.out, lambda i: x[replaced([i], 0, x.dims[0] - i)])


def _take_unclamped_clip(s: Site) -> None:
    x, indices = s.array(0), s.array(1)
    s.k.compute(s.out, lambda i: x[cast("int64", indices[i]) % (x.dims[0] + 1)])


def _mean_of_one_less(s: Site) -> None:
    x = s.array(0)
    total = s.k.alloc("total", s.out.dims, x.dtype)
    s.k.reduce(total, x.dims[1:], "Add", lit(x.dtype, 0), lambda i, k: x[i, k])
    s.k.compute(s.out, lambda i: total[i].over(cast(x.dtype, x.dims[1] - 1)))


def _scan_backwards(s: Site) -> None:
    x = s.array(0)
    n = x.dims[0]

    def element(i: Scalar) -> Scalar:
        return if_then_else(i > 0, s.out[i - 1] + x[n - 1 - i], x[n - 1 - i])

    s.k.scan(s.out, 0, element)


def _cast_dropped(s: Site) -> None:
    x = s.array(0)
    s.k.compute(s.out, lambda i: cast(s.out.dtype, cast("int8", x[i])))


def _convolution_shifted(s: Site) -> None:
    x, w = s.array(0), s.array(1)
    lengths = [index(2), index(3)]
    s.k.reduce(s.out, lengths, "Add", lit(x.dtype, 0), lambda b, o, y, c, k: x[b, c, y + k + 1] * w[o, c, k])


MUTANTS = [
    Mutant("load one to the right", "exp", "x: f32[n, 3]", "R.exp(x)", _shifted, by_claim=True),
    Mutant("axes not swapped", "permute_dims", "x: f32[3, 3]", "R.permute_dims(x)", _swapped),
    Mutant("axes not swapped, symbolic", "permute_dims", "x: f32[n, m]", "R.permute_dims(x)", _swapped, by_claim=True),
    Mutant(
        "accumulation dtype dropped", "matmul", "x: f16[2, 9], y: f16[9, 3]", "R.matmul(x, y, out_dtype='float32')",
        _no_accumulation_dtype,
    ),
    Mutant("last term dropped", "matmul", "x: f32[n, 4], y: f32[4, 3]", "R.matmul(x, y)", _product(1)),
    Mutant("one term more", "matmul", "x: f32[n, 4], y: f32[4, 3]", "R.matmul(x, y)", _product(-1), by_claim=True),
    Mutant("maximum from zero", "max", "x: f32[5, 2]", "R.max(x, axis=1)", _maximum_from_zero),
    Mutant("not normalised", "nn.softmax", "x: f32[n, 3]", "R.nn.softmax(x)", _softmax_without_sum),
    Mutant(
        "concat off by one", "concat", "x: f32[n], y: f32[m]", "R.concat((x, y))", _concat_off_by_one, by_claim=True
    ),
    Mutant("concat in the other order", "concat", "x: f32[n], y: f32[m]", "R.concat((x, y))", _concat_swapped),
    Mutant("column-major", "reshape", "x: f32[6]", "R.reshape(x, R.shape([3, 2]))", _reshape_column_major),
    Mutant(
        "stride dropped", "strided_slice", "x: f32[8]", "R.strided_slice(x, [0], [1], [7], [2])", _slice_without_stride
    ),
    Mutant("padding unguarded", "nn.pad", "x: f32[n]", "R.nn.pad(x, [1, 1])", _unguarded_padding, by_claim=True),
    Mutant("result not written", "exp", "x: f32[3]", "R.exp(x)", _half_written),
    Mutant("past the end", "flip", "x: f32[n]", "R.flip(x, axis=0)", _flip_past_the_end, by_claim=True),
    Mutant(
        "wrap by one more", "take", "x: f32[n], i: i64[5]", "R.take(x, i, axis=0, mode='wrap')", _take_unclamped_clip,
        by_claim=True,
    ),
    Mutant("mean of one less", "mean", "x: f32[2, 3]", "R.mean(x, axis=1)", _mean_of_one_less),
    Mutant("scan backwards", "cumsum", "x: f32[5]", "R.cumsum(x, axis=0)", _scan_backwards),
    Mutant("cast through int8", "astype", "x: f32[9]", "R.astype(x, 'float16')", _cast_dropped),
    Mutant(
        "window shifted", "nn.conv1d", "x: f32[1, 2, 6], w: f32[2, 2, 3]", "R.nn.conv1d(x, w)", _convolution_shifted,
        by_claim=True,
    ),
]  # fmt: skip


@pytest.mark.parametrize("mutant", MUTANTS, ids=[m.name for m in MUTANTS])
def test_a_wrong_program_is_caught(mutant: Mutant, monkeypatch: pytest.MonkeyPatch) -> None:
    checked = rr.check(rr.parse(module_text(mutant.params, mutant.call)))
    monkeypatch.setattr(driver, "LEGALIZERS", {**driver.LEGALIZERS, f"relax.{mutant.op}": mutant.wrong})
    lowered = lower(checked, "legalize")
    if mutant.by_claim:
        assert any(isinstance(claim.answer, Refuted) for claim in lowered.claims)
        assert lowered.module.module == checked.module
        return
    assert all(claim.proved for claim in lowered.claims)
    dims = {k: v for k, v in {"n": 5, "m": 3}.items() if k in symbols_of(checked.module, "main")}
    args = random_arguments(checked.module, "main", 1, dims, "normal")
    wanted, found = rr.run(checked, "main", *args), rr.run(lowered.module, "main", *args)
    assert isinstance(wanted, rr.Returned) and isinstance(found, rr.Returned)
    assert not same(cells(wanted.value), cells(found.value))
