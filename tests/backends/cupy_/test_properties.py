"""Generated modules, lowered and compiled to kernels, against the interpreter."""

from __future__ import annotations

from typing import Any

import pytest

pytest.importorskip("numpy")

from hypothesis import given, settings
from hypothesis import strategies as st

import refrelax as rr
from refrelax.backends.cupy_ import emulate
from refrelax.backends.cupy_.compile import CudaExecutable
from refrelax.backends.cupy_.emulate import EmulatedDevice
from refrelax.backends.cupy_.names import c_name
from refrelax.backends.cupy_.nests import determined
from refrelax.backends.intervals import Overflow, UncheckedIndex, interval
from refrelax.lower.pipeline import lower
from refrelax.shape_solver.parse import parse_claim
from refrelax.syntax import bits, dtypes
from refrelax.syntax.loops import For
from refrelax.syntax.scalars import Binary, PrimExpr, SymVar, int_imm

EXTERNS = rr.testing.EXTERNS
FEATURES = [f for f in rr.testing.FEATURES if f not in ("functions", "recursion")]
"""Without closures among the results, which cannot be compared."""

needs_gxx = pytest.mark.skipif(emulate.compiler() is None, reason="no g++ on this machine")


def same_bits(wanted: Any, found: Any) -> bool:
    """Equal bits wherever ``wanted`` is determined; any NaN equals any NaN."""
    if isinstance(wanted, tuple):
        return isinstance(found, tuple) and len(wanted) == len(found) and all(map(same_bits, wanted, found))
    if not isinstance(wanted, rr.Tensor):
        return bool(wanted == found or (wanted != wanted and found != found))
    pairs = zip(wanted.patterns(), found.patterns(), strict=True)
    return wanted.dtype == found.dtype and wanted.shape == found.shape and all(_same(wanted.dtype, *p) for p in pairs)


def _same(dtype: str, x: int | None, y: int | None) -> bool:
    if x is None or x == y:
        return True
    if y is None or not dtypes.is_float(dtype):
        return False
    a, b = bits.decode(dtype, x), bits.decode(dtype, y)
    return a != a and b != b


def bits_mode_has_the_bits(data: st.DataObject) -> None:
    """Lowered or not, in any order of threads."""
    module = data.draw(rr.testing.modules(features=FEATURES))
    checked = rr.check(module)
    if data.draw(st.booleans(), "lowered"):
        checked = lower(checked, pipeline="kernels").module
    args = data.draw(
        rr.testing.call_arguments(module, policy=data.draw(st.sampled_from(("special", "normal", "dyadic"))))
    )
    wanted = rr.run(checked, "main", *args, externs=EXTERNS)
    compiled = CudaExecutable(checked, "bits", EmulatedDevice(order=data.draw(st.integers(0, 3), "order")))
    found = compiled.run("main", *args, externs=EXTERNS)
    if isinstance(wanted, rr.Unspecified):
        return
    assert type(wanted) is type(found), (wanted, found)
    if isinstance(wanted, rr.Returned) and isinstance(found, rr.Returned):
        assert same_bits(wanted.value, found.value)
        assert same_bits(wanted.arguments, found.arguments)


def fast_mode_is_permitted(data: st.DataObject) -> None:
    """Every binding lies inside what the definition permits on the backend's own inputs, or is undecided."""
    module = data.draw(rr.testing.modules(features=FEATURES))
    args = data.draw(rr.testing.call_arguments(module))
    checked = lower(rr.check(module), pipeline="kernels").module
    verdict = rr.diff(checked, "main", args, impl="cuda-emulated", mode="fast", externs=EXTERNS)
    assert not isinstance(verdict, rr.Divergence), verdict


@pytest.mark.thorough
@needs_gxx
@given(st.data())
@settings(max_examples=3)
def test_bits_mode_has_the_bits(data: st.DataObject) -> None:
    bits_mode_has_the_bits(data)


@pytest.mark.thorough
@needs_gxx
@given(st.data())
@settings(max_examples=3)
def test_fast_mode_is_permitted(data: st.DataObject) -> None:
    fast_mode_is_permitted(data)


@needs_gxx
@pytest.mark.nightly
@given(st.data())
@settings(max_examples=500)
def test_bits_mode_at_length(data: st.DataObject) -> None:
    bits_mode_has_the_bits(data)


@needs_gxx
@pytest.mark.nightly
@given(st.data())
@settings(max_examples=500)
def test_fast_mode_at_length(data: st.DataObject) -> None:
    fast_mode_is_permitted(data)


# --- the parts that decide what is safe ------------------------------------------------------------------------------

NAMES = ("i", "j", "n")


@st.composite
def indices(draw: Any, depth: int = 3) -> PrimExpr:
    if depth == 0 or draw(st.booleans()):
        return draw(st.one_of(st.sampled_from(NAMES).map(SymVar), st.integers(-9, 9).map(int_imm)))
    op = draw(st.sampled_from(["Add", "Sub", "Mul", "Min", "Max", "FloorDiv", "FloorMod", "Div", "Mod"]))
    return Binary(op, draw(indices(depth=depth - 1)), draw(indices(depth=depth - 1)))


def steps(e: PrimExpr, env: dict[str, int]) -> int:
    """The value of an index; `ZeroDivisionError` where it has none."""
    from refrelax.semantics.dims.exact import arithmetic
    from refrelax.syntax.scalars import as_int

    if isinstance(e, SymVar):
        return env[e.name]
    if not isinstance(e, Binary):
        number = as_int(e)
        assert number is not None
        return number
    return arithmetic(e.op, steps(e.a, env), steps(e.b, env))


@given(indices(), st.lists(st.tuples(st.integers(-20, 20), st.integers(0, 12)), min_size=3, max_size=3), st.data())
def test_intervals_hold_every_value(e: PrimExpr, boxes: list[tuple[int, int]], data: st.DataObject) -> None:
    known = {name: (low, low + size) for name, (low, size) in zip(NAMES, boxes, strict=True)}
    env = {name: data.draw(st.integers(*known[name])) for name in NAMES}
    low, high = interval(e, known)
    try:
        value = steps(e, env)
    except ZeroDivisionError:
        return
    assert low <= value <= high


def test_obligations() -> None:
    n, i = SymVar("n"), SymVar("i")
    index = Binary("Add", Binary("Mul", i, Binary("Mul", n, n)), i)
    obligation = UncheckedIndex(index, (("i", int_imm(0), n),))
    assert obligation.fits({"n": (0, 1 << 20)})
    assert not obligation.fits({"n": (0, 1 << 31)}), "n cubed leaves int64"
    assert not obligation.fits({}), "nothing is known of n"
    with pytest.raises(Overflow):
        interval(Binary("Mul", n, n), {"n": (0, 1 << 32)})


@given(st.lists(st.integers(1, 5), min_size=1, max_size=3), st.lists(st.integers(1, 12), min_size=3, max_size=3))
def test_a_determined_variable_can_be_read_back(sizes: list[int], factors: list[int]) -> None:
    """Where an index is said to determine its loop variables, no two iterations give the same index."""
    loops = {f"i{k}": For(SymVar(f"i{k}"), int_imm(0), int_imm(size), ()) for k, size in enumerate(sizes)}
    index: PrimExpr = int_imm(3)
    for name, factor in zip(loops, factors, strict=False):
        index = Binary("Add", index, Binary("Mul", SymVar(name), int_imm(factor)))
    values = [3]
    for size, factor in zip(sizes, factors, strict=False):
        values = [v + factor * k for v in values for k in range(size)]
    if determined(index, loops):
        assert len(set(values)) == len(values)


def test_determined() -> None:
    def loops(**sizes: str) -> dict[str, For]:
        extents = {name: parse_claim(f"{size} == 0").a for name, size in sizes.items()}  # type: ignore[union-attr]
        return {name: For(SymVar(name), int_imm(0), extent, ()) for name, extent in extents.items()}

    def names(text: str, **sizes: str) -> set[str]:
        return set(determined(parse_claim(f"{text} == 0").a, loops(**sizes)))  # type: ignore[union-attr]

    assert names("i", i="n") == {"i"}
    assert names("i*4 + j", i="n", j="4") == {"i", "j"}
    assert names("i*4 + j", i="n", j="5") == set()
    assert names("i*4 + j", i="n", j="n") == set()
    assert names("i + j", i="3", j="3") == set()
    assert names("i*0", i="3") == set()
    assert names("i // 2", i="4") == set()
    assert names("i + n", i="4") == set(), "a symbol is no digit: it may differ between the accesses of a nest"


@given(st.sets(st.text("ab1_é", min_size=1, max_size=4).filter(str.isidentifier), max_size=12))
def test_names_are_told_apart(names: set[str]) -> None:
    made = {c_name(name) for name in names}
    assert len(made) == len(names)
    assert all(name.isascii() and name.isidentifier() for name in made)
    assert not made & {"flat", "total", "status", "acc", "left", "right", "rest", "int", "float"}
