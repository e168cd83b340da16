"""float16 and bfloat16 in float32: every element, every rounding, and chains with the bits of their steps."""

from __future__ import annotations

from typing import Any

import ml_dtypes
import numpy as np
import pytest

import refrelax as rr
from refrelax.backends.numpy_ import narrow
from refrelax.lower.pipeline import lower

KINDS = [np.dtype(np.float16), np.dtype(ml_dtypes.bfloat16)]


def every(kind: Any) -> Any:
    return np.arange(1 << 16, dtype=np.uint16).view(kind)


def same(found: Any, wanted: Any) -> bool:
    """The same bits, or NaNs."""
    bits = f"uint{8 * found.itemsize}"
    nan = np.isnan(found.astype(np.float64)) & np.isnan(wanted.astype(np.float64))
    return bool(((found.view(bits) == wanted.view(bits)) | nan).all())


def numbers(kind: Any) -> list[Any]:
    """Float32 arrays: elements, what lies between two, sums, products, what is too small or too great."""
    turn = np.random.default_rng(2)
    with np.errstate(all="ignore"):
        wide = every(kind).astype(np.float32)
        finite = wide[np.isfinite(wide)]
        between = ((finite[:-1].astype(np.float64) + finite[1:]) / 2).astype(np.float32)
        x, y = (turn.choice(finite, 20_000) for _ in "xy")
        z = [turn.normal(size=5000) * 10.0**k for k in range(-9, 6)]
        return [
            wide,
            finite,
            between,
            x + y,
            x * y,
            x / y,
            *(each.astype(np.float32) for each in z),
            -np.zeros(300, "f"),
        ]


@pytest.mark.parametrize("kind", KINDS, ids=str)
def test_every_element_and_rounding(kind: Any) -> None:
    with np.errstate(all="ignore"):
        for part in (every(kind), every(kind)[np.isfinite(every(kind).astype(np.float32))], every(kind)[:9]):
            assert same(narrow.widened(part), part.astype(np.float32))
        for each in numbers(kind):
            for t in (each, each[np.abs(each) < 60_000]):
                wanted, near = t.astype(kind), t.copy()
                narrow.rounded(near, kind)
                assert same(near, wanted.astype(np.float32))
                assert same(narrow.narrowed(t.copy(), kind), wanted)


@pytest.mark.parametrize("kind", KINDS, ids=str)
@pytest.mark.parametrize("sign", [1, -1])
def test_roundings_of_numbers_whose_sign_is_known(kind: Any, sign: int) -> None:
    """Shares, and distances from a greatest number, which may be infinite; NaNs stay."""
    with np.errstate(all="ignore"):
        for each in numbers(kind):
            t = np.minimum(np.abs(each), 1) if sign > 0 else -np.abs(each)
            for part in (t, t[~np.isnan(t)], t[t > -60_000], t[np.abs(t) < 1e-3], t[:50]):
                near = part.copy()
                narrow.rounded(near, kind, sign)
                assert same(near, part.astype(kind).astype(np.float32))
                assert same(narrow.narrowed(part.copy(), kind, None, sign), part.astype(kind))


CHAIN = """n = TypeVar("n")
@I.ir_module
class Module:
    @R.function
    def main(x: R.Tensor((n,), "{0}"), y: R.Tensor((n,), "{0}"), z: R.Tensor((), "{0}")):
        with R.dataflow():
            a = R.add(x, y)
            b = R.multiply(a, x)
            c = R.divide(b, R.const(0.0009765625, "{0}"))
            d = R.subtract(c, z)
            m = R.less(d, y)
            e = R.where(m, d, y)
            f = R.nn.relu(e)
            g = R.square(a)
            R.output(b, f, g)
        return (b, f, g)
"""


@pytest.mark.by_day(2)
@pytest.mark.parametrize("kind", KINDS, ids=str)
@pytest.mark.parametrize("size", [0, 1, 7, 3000, 200_000])
def test_a_chain_has_the_bits_of_its_steps(kind: Any, size: int) -> None:
    f = rr.compile(rr.check(rr.parse(CHAIN.format(kind.name))))
    assert "rt.widened" in f.source
    turn = np.random.default_rng(size)
    x, y = (turn.choice(every(kind), size) for _ in "xy")
    z = np.array(0.7, kind)
    b, low, g = f["main"](x, y, z)
    with np.errstate(all="ignore"):
        a = x + y
        d = (a * x) / np.array(0.0009765625, kind) - z
        e = np.where(d < y, d, y)
        assert same(b, a * x) and same(g, a * a)
        zero = np.zeros((), kind)
        assert same(low, np.where(np.isnan(e), e, np.where(e > zero, e, zero)))


UPPER = np.dtype(ml_dtypes.bfloat16)


def raises(number: float, sum_: bool) -> bool:
    t = np.full(70, number, np.float32)
    try:
        with narrow.told():
            narrow.near(t, sum_)
    except FloatingPointError:
        return True
    assert same(t, np.full(70, number, np.float32).astype(UPPER).astype(np.float32))
    return False


def test_a_quick_rounding_is_the_rounding_or_raises() -> None:
    """Of every float32 of one exponent, and of the first and last ones that it takes."""
    assert narrow.TELLS
    t = np.arange(0x3F800000, 0x40000000, dtype=np.uint32).view(np.float32)
    wanted = t.copy()
    narrow.rounded(wanted, UPPER)
    for part in (slice(None), slice(0, 1 << 22)):
        near = t[part].copy()
        with narrow.told():
            narrow.near(near, False)
        assert same(near, wanted[part])
    for sign in (1, -1):
        assert raises(sign * 2.0**112, True) and raises(sign * 3e38, True) and raises(sign * np.inf, True)
        assert not raises(sign * 2.0**110, True) and not raises(0.0 * sign, False)
        assert not raises(sign * 2.0**-133, False) and not raises(sign * 127 * 2.0**-133, False)
        for odd in (1.5 * 2.0**-133, 2.0**-149, 2.0**-126 - 2.0**-140, 255.5 * 2.0**-133):
            assert raises(sign * odd, False), odd
    assert not raises(np.nan, False)


QUIET = """n = TypeVar("n")
@I.ir_module
class Module:
    @R.function
    def main(x: R.Tensor((n,), "bfloat16"), y: R.Tensor((n,), "bfloat16")):
        with R.dataflow():
            a = R.add(x, y)
            b = R.multiply(a, x)
            c = R.subtract(b, y)
            d = R.maximum(c, x)
            e = R.square(d)
            m = R.less(e, y)
            f = R.where(m, e, b)
            g = R.nn.relu(f)
            R.output(b, e, g)
        return (b, e, g)
"""


@pytest.mark.parametrize("size", [7, 3000, 200_000])
@pytest.mark.parametrize("odd", ["", "tiny", "great", "infinite", "none"])
def test_a_chain_that_rounds_quickly(size: int, odd: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """One element that it cannot round, and all are rounded in the other way."""
    f = rr.compile(rr.check(rr.parse(QUIET)))
    assert "rt.blocked_told" in f.source
    turn = np.random.default_rng(size)
    x, y = (turn.standard_normal(size).astype(UPPER) for _ in "xy")
    x[:2] = -0.0, 0.0
    if odd:
        x[-1], y[-1] = {"tiny": (3e-25, 0), "great": (1e37, 1e37), "infinite": (np.inf, 0), "none": (np.nan, 1)}[odd]
    called, whole = list[int](), narrow._cut

    def counted(t: Any) -> None:
        called.append(t.size)
        whole(t)

    monkeypatch.setattr(narrow, "_cut", counted)
    b, e, g = f["main"](x, y)
    with np.errstate(all="ignore"):
        a = x + y
        c = a * x - y
        d = np.where(np.isnan(c) | np.isnan(x), c + x, np.where(c > x, c, x))
        wanted = np.where(d * d < y, d * d, a * x)
        assert same(b, a * x) and same(e, d * d)
        assert same(g, np.where(wanted > 0, wanted, np.where(np.isnan(wanted), wanted, np.zeros((), UPPER))))
    assert bool(called) == (odd in ("tiny", "great", "infinite") and size > 256)


SOFTMAX = """@I.ir_module
class Module:
    @R.function
    def main(x: R.Tensor({1}, "{0}")):
        with R.dataflow():
            r = R.nn.{2}(x, axis=-1)
            R.output(r)
        return r
"""


@pytest.mark.by_day(3)
@pytest.mark.parametrize("kind", KINDS, ids=str)
@pytest.mark.parametrize("name", ["softmax", "log_softmax"])
def test_each_step_of_a_narrow_softmax_is_rounded(kind: Any, name: str) -> None:
    """Weights near 0 tell how the differences were rounded."""
    text = SOFTMAX.format(kind.name, "(2, 5)", name)
    for pipeline in ("kernels", "build"):
        module = lower(rr.check(rr.parse(text)), pipeline=pipeline).module
        turn = np.random.default_rng(5)
        for scale in (1, 30, 30, 30):
            x = (turn.normal(size=(2, 5)) * scale).astype(kind)
            assert not isinstance(rr.diff(module, "main", [x]), rr.Divergence)


@pytest.mark.parametrize("kind", KINDS, ids=str)
@pytest.mark.parametrize("name", ["softmax", "log_softmax"])
def test_a_narrow_softmax_of_many_rows(kind: Any, name: str) -> None:
    f = rr.compile(rr.check(rr.parse(SOFTMAX.format(kind.name, "(600, 300)", name))))["main"]
    x = (np.random.default_rng(6).normal(size=(600, 300)) * 4).astype(kind)
    x[3, 4], x[5, :] = -np.inf, np.inf
    with np.errstate(all="ignore"):
        apart = x - x.max(-1, keepdims=True)
        raised = np.exp(apart.astype(np.float32)).astype(kind)
        total = raised.astype(np.float64).sum(-1, keepdims=True).astype(kind)
        logs = np.log(total.astype(np.float32)).astype(kind)
        wanted = apart - logs if name == "log_softmax" else raised / total
        places = np.spacing(np.abs(wanted.astype(np.float16 if kind == np.float16 else np.float32)).astype(np.float32))
        apart_by = np.abs(f(x).astype(np.float64) - wanted.astype(np.float64))
    assert np.isnan(f(x)[5].astype(np.float32)).all() and not np.isnan(np.delete(f(x), 5, 0).astype(np.float32)).any()
    room = np.abs(wanted.astype(np.float64)) * 2.0 ** (-9 if kind == np.float16 else -6) + places
    assert (np.delete(apart_by, 5, 0) <= np.delete(room, 5, 0))[
        np.isfinite(np.delete(wanted, 5, 0).astype(np.float32))
    ].all()
