"""``Sizes.fits`` says yes only where it is so: index expressions, brute force over small ranges and at the edge."""

from __future__ import annotations

import itertools

from hypothesis import given
from hypothesis import strategies as st

from refrelax.semantics.dims.exact import arithmetic
from refrelax.shape_solver.pointwise.fits import LAST, Sizes
from refrelax.syntax.scalars import Binary, PrimExpr, SymVar, as_int, int_imm

N, M, I, J, X = (SymVar(name) for name in "nmijx")
ZERO = int_imm(0)
DOMAINS = [
    Binary("GE", I, ZERO), Binary("LT", I, N), Binary("GE", J, ZERO),
    Binary("LT", J, Binary("Add", M, Binary("FloorMod", I, int_imm(2)))),
]  # fmt: skip

LEAVES = st.sampled_from([N, M, I, J]) | st.integers(-5, 5).map(int_imm)


def grown(parts: st.SearchStrategy[PrimExpr]) -> st.SearchStrategy[PrimExpr]:
    sums = st.builds(Binary, st.sampled_from(["Add", "Sub", "Mul", "Min", "Max"]), parts, parts)
    divided = st.builds(
        Binary, st.sampled_from(["FloorDiv", "FloorMod", "Div", "Mod"]), parts, st.sampled_from([2, 3, -2]).map(int_imm)
    )
    return sums | divided


EXPRESSIONS = st.recursive(LEAVES, grown, max_leaves=6)


def value(e: PrimExpr, at: dict[str, int]) -> int:
    if isinstance(e, SymVar):
        return at[e.name]
    if isinstance(e, Binary):
        return arithmetic(e.op, value(e.a, at), value(e.b, at))
    known = as_int(e)
    assert known is not None
    return known


def points() -> list[dict[str, int]]:
    """Everything at small extents, and the corners at extents whose bytes just fit int8 (see below)."""
    found = []
    for n, m in itertools.product((0, 1, 2, 3, 7), (0, 1, 2, 5)):
        for i in range(n):
            found += [{"n": n, "m": m, "i": i, "j": j} for j in range(m + i % 2)]
    return found


POINTS = points()


@given(EXPRESSIONS, st.sampled_from(["int8", "int16"]))
def test_what_is_said_to_fit_does(e: PrimExpr, dtype: str) -> None:
    """With extents that are known to be at most 7 and 5, narrow dtypes are easily left."""
    sizes = Sizes(lambda name: None)
    sizes.extents |= {"n", "m"}
    bounds = [
        *DOMAINS,
        Binary("GE", N, ZERO),
        Binary("LE", N, int_imm(7)),
        Binary("GE", M, ZERO),
        Binary("LE", M, int_imm(5)),
    ]
    if sizes.fits(e, dtype, bounds):
        low, high = (-128, 127) if dtype == "int8" else (-(1 << 15), (1 << 15) - 1)
        assert all(low <= value(e, at) <= high for at in POINTS)


HUGE = [
    {"n": n, "m": m, "i": i, "j": j}
    for n, m in (
        (LAST // 4, 1),
        (1, LAST // 4),
        (1 << 30, 1 << 30),
        ((1 << 61) - 1, 0),
        (0, (1 << 61) - 1),
        (3, (1 << 58)),
    )
    for i in ((0, n // 2, n - 1) if n else ())
    for j in ((0, m // 2, m - 1) if m else ())
]


@given(EXPRESSIONS)
def test_what_fits_by_the_size_of_a_buffer_does(e: PrimExpr) -> None:
    """A float32 buffer of (n, m) exists: at the greatest extents too no step leaves int64."""
    sizes = Sizes(lambda name: None)
    sizes.extents |= {"n", "m"}
    sizes.exists((N, M), "float32")
    if sizes.fits(e, "int64", DOMAINS):
        assert all(-LAST - 1 <= value(e, at) <= LAST for at in HUGE)


def test_flat_indices_and_tiles_fit() -> None:
    sizes = Sizes(lambda name: None)
    sizes.extents |= {"n", "m"}
    sizes.exists((N, M), "float32")
    domains = [*DOMAINS[:3], Binary("LT", J, M)]
    flat = Binary("Add", Binary("Mul", I, M), J)
    tiles = Binary("Mul", Binary("FloorDiv", Binary("Add", N, int_imm(15)), int_imm(16)), int_imm(16))
    assert sizes.fits(flat, "int64", domains) and sizes.fits(tiles, "int64", domains)
    assert not sizes.fits(Binary("Mul", I, int_imm(1 << 55)), "int64", domains)
    assert not sizes.fits(Binary("Mul", N, N), "int64", domains)
    assert not sizes.fits(Binary("Mul", I, int_imm(2)), "int32", domains)


def test_a_symbol_read_from_memory_has_the_range_of_its_dtype() -> None:
    known = {"x": "int32"}
    sizes = Sizes(known.get)
    assert sizes.fits(Binary("Mul", X, int_imm(1 << 30)), "int64", [])
    assert not Sizes(lambda name: None).fits(Binary("Add", X, int_imm(1)), "int64", [])


def test_digits_of_a_block_of_threads_fit() -> None:
    """``x % (n * n) // n * n`` where ``x = i * 1024 + j`` counts the elements of a buffer in blocks of threads."""
    sizes = Sizes(lambda name: None)
    sizes.extents |= {"n"}
    sizes.exists((int_imm(4), N, N), "float32")
    plane = Binary("Mul", N, N)
    count, width = Binary("Mul", plane, int_imm(4)), int_imm(1024)
    blocks = Binary("FloorDiv", Binary("Add", count, int_imm(1023)), width)
    x = Binary("Add", Binary("Mul", I, width), J)
    domains = [Binary("GE", I, ZERO), Binary("LT", I, blocks), Binary("GE", J, ZERO), Binary("LT", J, width)]
    rows = Binary("Mul", Binary("FloorDiv", Binary("FloorMod", x, plane), N), N)
    assert sizes.fits(rows, "int64", domains)
    assert not sizes.fits(Binary("Mul", rows, int_imm(1 << 10)), "int64", domains)
    assert not sizes.fits(rows, "int64", domains[2:])
