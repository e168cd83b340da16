"""The laws between the readings: what ``ieee`` and ``sampled`` compute lies in ``enclosure``; poison stays poison."""

from __future__ import annotations

import math
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from number_payloads import ENCLOSURE, FLOATS, IEEE, held, ordinary, values

from refrelax.errors import Ended
from refrelax.semantics.numbers import reading
from refrelax.semantics.numbers.interface import MATH, MATH2
from refrelax.semantics.numbers.intervals import Interval
from refrelax.semantics.numbers.poison import Poison, poison
from tests.draws import draws

BINARY = ("add", "sub", "mul", "div", "mod", "floordiv", "floormod", "maximum", "minimum")
COMPARISONS = ("less", "less_equal", "equal", "not_equal")
QUICK = settings(max_examples=draws(60), deadline=None)


def program(numerics: Any, dtype: str, steps: list[tuple[str, int, int]], inputs: list[float]) -> list[Any]:
    """A straight-line program over elements, run under any reading; every step's result can feed the later ones."""
    f = numerics.at(dtype)
    found = [f.lit(x) if x == x else f.from_bits(IEEE.at(dtype).to_bits(x)) for x in inputs]
    for name, i, j in steps:
        a, b = found[i % len(found)], found[j % len(found)]
        if name in MATH:
            found.append(f.math(name)(a))
        elif name in MATH2:
            found.append(f.math2(name)(a, b))
        elif name == "neg":
            found.append(f.neg(a))
        elif name == "select":
            found.append(f.select(f.less(a, b), f.add(a, b), a))
        elif name in ("sum", "product", "largest"):
            op = {"sum": "add", "product": "mul", "largest": "maximum"}[name]
            found.append(f.reduce(op, found[-(i % 7 + 1) :]))
        elif name == "loop":
            partial = f.begin("add", f.lit(0.0))
            for each in found[-(i % 7 + 1) :]:
                partial = f.accumulate("add", partial, f.mul(each, b))
            found.append(f.settle(partial))
        elif name == "dot":
            k = i % 7 + 1
            found.append(f.dot(found[-k:], found[:k][: len(found[-k:])], dtype))
        elif name == "sort":
            found.append(f.order(found[-3:])[0][0])
        elif name == "pick":
            tail = found[-4:]
            found.append(f.pick(tail, f.argreduce("maximum", tail)))
        else:
            found.append(getattr(f, name)(a, b))
    return found


NAMES = (*BINARY, "fma2", "neg", "select", "sum", "product", "largest", "loop", "dot", "sort", "pick")
STEPS = st.lists(
    st.tuples(
        st.sampled_from([n for n in (*NAMES, *MATH, *(m for m in MATH2 if m != "ldexp")) if n != "fma2"]),
        st.integers(0, 40),
        st.integers(0, 40),
    ),
    min_size=1,
    max_size=3,
)


@pytest.mark.by_day(1)
@pytest.mark.parametrize("dtype", ["float64", "float32", "bfloat16", "float16", "float8_e4m3fn", "float8_e5m2"])
def test_ieee_lies_in_the_enclosure(dtype: str) -> None:
    @settings(max_examples=draws(150), deadline=None)
    @given(STEPS, st.lists(values(dtype), min_size=1, max_size=8))
    def law(steps: list[tuple[str, int, int]], inputs: list[float]) -> None:
        inputs = [x for x in inputs if not isinstance(x, Poison)] or [1.0]
        # one step at a time from exact inputs, and the whole program
        for enclosed, exact in zip(
            program(ENCLOSURE, dtype, steps, inputs), program(IEEE, dtype, steps, inputs), strict=True
        ):
            assert held(enclosed, dtype, exact), (enclosed, exact)

    law()


@pytest.mark.parametrize("dtype", ["float64", "float32", "bfloat16", "float16", "float8_e4m3fn", "float8_e5m2"])
def test_sampled_lies_in_the_enclosure(dtype: str) -> None:
    @settings(max_examples=draws(40), deadline=None)
    @given(STEPS, st.lists(values(dtype), min_size=1, max_size=8), st.integers(0, 1 << 20))
    def law(steps: list[tuple[str, int, int]], inputs: list[float], seed: int) -> None:
        inputs = [x for x in inputs if not isinstance(x, Poison)] or [1.0]
        enclosed = program(ENCLOSURE, dtype, steps, inputs)
        for k in range(4):
            for held_by, drawn in zip(
                enclosed, program(reading("sampled", seed + k), dtype, steps, inputs), strict=True
            ):
                assert held(held_by, dtype, drawn), (held_by, drawn)

    law()


@pytest.mark.nightly
@pytest.mark.parametrize("dtype", FLOATS)
def test_sampled_lies_in_the_enclosure_at_length(dtype: str) -> None:
    @settings(max_examples=30_000, deadline=None)
    @given(STEPS, st.lists(values(dtype), min_size=1, max_size=40), st.integers(0, 1 << 20))
    def law(steps: list[tuple[str, int, int]], inputs: list[float], seed: int) -> None:
        enclosed = program(ENCLOSURE, dtype, steps, inputs)
        for k in range(4):
            for held_by, drawn in zip(
                enclosed, program(reading("sampled", seed + k), dtype, steps, inputs), strict=True
            ):
                assert held(held_by, dtype, drawn), (held_by, drawn)

    law()


@QUICK
@given(st.lists(ordinary("float32"), min_size=1, max_size=9), st.integers(0, 3))
def test_wide_accumulation_and_casts(items: list[float], seed: int) -> None:
    for acc, result in (("float32", "float16"), ("float64", "float32")):
        narrow = [IEEE.at(acc).cast(x, "float32") for x in items]
        enclosed = ENCLOSURE.at(result).reduce("add", narrow, acc)
        for numerics in (IEEE, reading("sampled", seed)):
            assert held(enclosed, result, numerics.at(result).reduce("add", narrow, acc))
        half = [IEEE.at("float16").cast(x, "float32") for x in items]
        enclosed = ENCLOSURE.at("float16").dot(half, half, "float16", "float32")
        for numerics in (IEEE, reading("sampled", seed)):
            assert held(enclosed, "float16", numerics.at("float16").dot(half, half, "float16", "float32"))


@pytest.mark.parametrize("name", ["ieee", "enclosure", "exact", "symbolic"])
@pytest.mark.parametrize("op", ["add", "mul", "maximum", "bit_xor"])
def test_a_scan_is_the_reductions_of_all_beginnings(name: str, op: Any) -> None:
    numerics = reading(name)

    @settings(max_examples=draws(40), deadline=None)
    @given(st.lists(st.integers(-(2**31), 2**31 - 1) | st.just(poison("ev/uninitialized")), max_size=9))
    def law(items: list[Any]) -> None:
        for dtype in ("int32", *(("float32",) if op != "bit_xor" else ())):
            f = numerics.at(dtype)
            pool = [x if isinstance(x, Poison) else f.lit(x) for x in items]
            found = [f.reduce(op, pool[: k + 1]) for k in range(len(pool))]
            assert list(map(repr, f.scan(op, pool))) == list(map(repr, found))

    law()


@QUICK
@given(ordinary("float32"), ordinary("float32"))
def test_comparisons_of_enclosures(a: float, b: float) -> None:
    wide = ENCLOSURE.at("float32")
    x, y = wide.math("exp")(a), wide.math("exp")(b)
    for name in COMPARISONS:
        truth = getattr(wide, name)(x, y)
        for seed in range(3):
            f = reading("sampled", seed).at("float32")
            drawn = getattr(f, name)(f.math("exp")(a), f.math("exp")(b))
            assert held(truth, "bool", drawn)


@QUICK
@given(st.lists(st.floats(-100, 100, width=32), min_size=2, max_size=6), st.sampled_from(["int8", "uint8", "int32"]))
def test_integers_made_from_intervals(items: list[float], dtype: str) -> None:
    names = ("add", "sub", "mul", "maximum", "minimum", "bit_and", "shift_left")

    def run(numerics: Any) -> list[tuple[str, Any]]:
        g, f = numerics.at("float32"), numerics.at(dtype)
        a, b = (f.cast(g.math("sinh")(g.lit(x / 30)), "float32") for x in items[:2])
        found = [(dtype, getattr(f, name)(a, b)) for name in names] + [("bool", f.less(a, b)), ("bool", f.equal(a, b))]
        found.append((dtype, f.reduce("add", [a, b, a])))
        found.append(("int64", f.argreduce("maximum", [a, b, f.lit(3)])))
        return [*found, ("float16", numerics.at("float16").cast(a, dtype))]

    enclosed = run(ENCLOSURE)
    for seed in range(4):
        for (kind, held_by), (_, drawn) in zip(enclosed, run(reading("sampled", seed)), strict=True):
            assert held(held_by, kind, drawn), (held_by, drawn)


@pytest.mark.parametrize("name", ["ieee", "enclosure", "sampled", "guarded"])
@pytest.mark.parametrize("dtype", ["float64", "float32", "float16", "bfloat16"])
def test_poison_is_poison_beside_what_decides_alone(name: str, dtype: str) -> None:
    """``mod`` of an infinity, or by NaN or 0, is NaN whatever the other operand is, unless that is poison."""
    spoiled = poison("st/never-written")
    f = reading(name).at(dtype)
    names = (*COMPARISONS, "add", "sub", "mul", "div", "mod", "floordiv", "floormod", "maximum", "minimum")
    for value in (math.nan, math.inf, -math.inf, 0.0, -0.0):
        other = f.lit(value)
        for each in names:
            assert isinstance(getattr(f, each)(spoiled, other), Poison), (each, value)
            assert isinstance(getattr(f, each)(other, spoiled), Poison), (each, value)
        for each in (m for m in MATH2 if m != "ldexp"):  # (takes an integer)
            assert isinstance(f.math2(each)(spoiled, other), Poison), (each, value)
            assert isinstance(f.math2(each)(other, spoiled), Poison), (each, value)


@pytest.mark.parametrize("name", ["ieee", "enclosure", "sampled", "guarded"])
@pytest.mark.parametrize("dtype", ["float32", "float16", "int8", "uint64", "bool"])
def test_poison_in_any_operand_is_poison(name: str, dtype: str) -> None:
    numerics, spoiled = reading(name), poison("st/never-written")
    f = numerics.at(dtype)
    one = f.lit(1)
    floats, ints = dtype.startswith("float"), "int" in dtype
    binary = [*COMPARISONS, "add", "mul", "maximum", "minimum"]
    binary += ["sub"] if dtype != "bool" else []
    divisions = ("div", "mod", "floordiv", "floormod")
    binary += divisions if floats else []
    for each in divisions if ints else ():
        with pytest.raises(Ended) as ended:
            getattr(f, each)(one, spoiled)
        assert getattr(ended.value.outcome, "rule", "") == "num/int-division-by-zero"
        assert getattr(f, each)(spoiled, one) is spoiled
    binary += ["shift_left", "shift_right"] if ints else []
    binary += ["bit_and", "bit_or", "bit_xor"] if not floats else []
    for each in binary:
        assert getattr(f, each)(spoiled, one) is spoiled, each
        assert getattr(f, each)(one, spoiled) is spoiled, each
    for each in MATH if floats else ("abs", "sign") if ints else ():
        assert f.math(each)(spoiled) is spoiled
    for each in (m for m in MATH2 if m != "ldexp") if floats else ():
        assert f.math2(each)(one, spoiled) is spoiled
    assert f.neg(spoiled) is spoiled
    assert f.fma(one, spoiled, one) is spoiled
    assert f.cast(spoiled, "float32") is spoiled
    assert f.reinterpret(spoiled, dtype) is spoiled
    assert f.reduce("add", [one, spoiled, one]) is spoiled
    assert f.dot([one, spoiled], [one, one], dtype) is spoiled
    assert f.argreduce("maximum", [one, spoiled]) is spoiled
    assert f.order([one, spoiled]) == ([spoiled, spoiled], [spoiled, spoiled])
    assert f.pick([one, one], spoiled) is spoiled
    assert f.isnan(spoiled) is spoiled
    assert f.select(spoiled, one, one) is spoiled
    assert numerics.poison_rule(f.select(numerics.truth(True), one, spoiled)) is None
    assert f.select(numerics.truth(False), one, spoiled) is spoiled
    partial = f.accumulate("add", f.accumulate("add", f.begin("add", one), spoiled), one)
    assert f.settle(partial) is spoiled
    for combine in (numerics.all_of, numerics.any_of):
        assert combine(spoiled, numerics.truth(True)) is spoiled
        assert combine(numerics.truth(False), spoiled) is spoiled
    with pytest.raises(Ended) as ended:
        numerics.decide(spoiled)
    assert ended.value.outcome.rule == "st/never-written"
    with pytest.raises(Ended):
        numerics.to_index(spoiled, "int64")


def test_undetermined_ends_the_run_only_under_enclosure() -> None:
    f = ENCLOSURE.at("float32")
    truth = f.less(f.math("exp")(f.lit(1.0)), f.lit(2.7182818))
    with pytest.raises(Ended) as ended:
        ENCLOSURE.decide(truth)
    assert ended.value.outcome.rule == "num/undetermined"
    index = ENCLOSURE.at("int64").cast(f.math("log2")(f.lit(8.0)), "float32")
    with pytest.raises(Ended) as ended:
        ENCLOSURE.to_index(index, "int64")
    assert ended.value.outcome.rule == "num/undetermined"


def test_enclosures_of_dyadic_reductions_are_points() -> None:
    f = ENCLOSURE.at("float32")
    items = [f.lit(k / 8) for k in range(-7, 30)]
    assert f.reduce("add", items) == IEEE.at("float32").reduce("add", items)
    assert f.dot(items, items, "float32") == IEEE.at("float32").dot(items, items, "float32")
    tenths = [f.lit(k / 10) for k in range(-7, 30)]
    assert isinstance(f.reduce("add", tenths), Interval)


def test_a_dropped_product_is_outside() -> None:
    f = ENCLOSURE.at("float32")
    a = [f.lit(0.1 + k / 64 * 1e-3) for k in range(64)]
    wide = f.dot(a, a, "float32")
    assert held(wide, "float32", IEEE.at("float32").dot(a, a, "float32"))
    assert not held(wide, "float32", IEEE.at("float32").dot(a[1:], a[1:], "float32"))
