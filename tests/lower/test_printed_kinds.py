"""The paper's Algorithm 1 as printed, and where it parts from the rule ``lo/pattern-kind``."""

from __future__ import annotations

import itertools

import pytest
from hypothesis import given
from hypothesis import strategies as st

import refrelax as rr
from refrelax.lower import lower
from refrelax.lower.fuse_ops import graph as fuse_graph
from refrelax.lower.pattern_kinds import Kind, nest_kind, pattern_kind
from refrelax.lower.printed_kinds import as_printed, printed_kind
from refrelax.syntax.scalars import Binary, PrimExpr, int_imm
from tests.lower.fusion_modules import MODULES, buffer, kernel, nest, pointwise, program
from tests.lower.test_fusion_kinds import CASES, READS, I, J, function, reading

PARTS = {
    "transpose first": (Kind.ELEMENTWISE, Kind.INJECTIVE),
    "gather": (Kind.ELEMENTWISE, Kind.INJECTIVE),
    "diagonal": (Kind.BROADCAST, Kind.OPAQUE),
    "constant": (Kind.OPAQUE, Kind.ELEMENTWISE),
    "unit axis": (Kind.OPAQUE, Kind.BROADCAST),
    "reversed": (Kind.OPAQUE, Kind.INJECTIVE),
    "mean": (Kind.OPAQUE, Kind.REDUCTION),
    "pooling": (Kind.REDUCTION, Kind.OUTPUT_FUSIBLE),
}
"""Where they differ: as printed, ours. In the first three the printed one permits what is wrong."""


@pytest.mark.parametrize("name", CASES)
def test_where_they_part(name: str) -> None:
    func = function(CASES[name][1])
    printed, ours = PARTS.get(name, (CASES[name][0], CASES[name][0]))
    assert (printed_kind(func), pattern_kind(func)) == (printed, ours)


def test_the_printed_algorithm_depends_on_the_order() -> None:
    """``C[i, j] = A[j, i] + B[i, j]``: elementwise as printed, since the last read wins; injective in truth."""
    nest_, loads = reading(((J, I), (I, J)))
    assert as_printed(nest_, loads) == Kind.ELEMENTWISE
    assert as_printed(nest_, loads[::-1]) == Kind.INJECTIVE
    assert nest_kind(nest_) == Kind.INJECTIVE


def test_the_printed_algorithm_forgets_a_read() -> None:
    """``C[i, j] = B[i, j] + A[i + 1, j]``: the second read matches no test, and the kind of the first stays."""
    nest_, loads = reading(((I, J), (Binary("Add", I, int_imm(1)), J)))
    assert as_printed(nest_, loads) == Kind.ELEMENTWISE
    assert nest_kind(nest_) == Kind.INJECTIVE


@given(st.lists(st.sampled_from(READS), min_size=1, max_size=4))
def test_only_the_repaired_one_is_a_function_of_the_program(reads: list[tuple[PrimExpr, ...]]) -> None:
    """The property that separates them: ours does not depend on the order of the reads. The printed one does wherever
    it is injective in one order and elementwise in another; ours is then the greater of the two."""
    orders = [reading(order) for order in itertools.permutations(reads)]
    (ours,) = {nest_kind(nest_) for nest_, _ in orders}
    printed = {as_printed(nest_, loads) for nest_, loads in orders}
    assert len(printed) == 1 or ours == Kind.INJECTIVE or printed <= {Kind.BROADCAST, Kind.ELEMENTWISE}
    known = printed - {Kind.OPAQUE}
    assert all(kind <= max(ours, Kind.BROADCAST) for kind in known)


def test_there_are_programs_that_the_property_separates() -> None:
    found = {
        reads
        for reads in itertools.product(READS, repeat=2)
        if len({as_printed(*reading(order)) for order in itertools.permutations(reads)}) > 1
    }
    assert len(found) == 6


# --- what comes of it ------------------------------------------------------------------------------------------------

SQUARE = buffer("X", "n, n")
PRODUCT = kernel(
    "mm",
    f"{SQUARE}; {buffer('W', 'n, n')}; {buffer('O', 'n, n')}",
    nest("mm", "O", "i, j", "O[i, j] + X[i, k] * W[k, j]", "n, n, n", "T.float32(0)", "SSR"),
)
TURNED_SUM = program(
    PRODUCT + pointwise("turn", "X[j, i] + Y[i, j]", "n, n", f"{SQUARE}; {buffer('Y', 'n, n')}"),
    "x: f32[n, n], w: f32[n, n], y: f32[n, n]",
    "a = R.call_tir(cls.mm, (x, w), out_ty=f32[n, n])",
    "out = R.call_tir(cls.turn, (a, y), out_ty=f32[n, n])",
)


def test_a_pass_that_trusts_the_printed_kind_is_refuted() -> None:
    """An elementwise epilogue may update each element of the product where it stands. ``X[j, i] + Y[i, j]`` is said to
    be one, and is none."""
    before = rr.check(rr.parse(TURNED_SUM))
    turn = before.module.prim_funcs()["turn"]
    assert printed_kind(turn) == Kind.ELEMENTWISE and pattern_kind(turn) == Kind.INJECTIVE
    trusting = rr.parse(TURNED_SUM.replace("X[j, i] + Y[i, j]", "X[i, j] + Y[i, j]"))
    assert isinstance(rr.validate(before, trusting), rr.Refuted)


@pytest.mark.parametrize("name", ["square-matmul", "matmul-transposed", "take-add", "palindrome"])
def test_kinds_steer_and_are_not_trusted(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """With the printed kinds other calls are grouped, and every rewrite still rests on indices that are proved."""
    before = lower(rr.check(rr.parse(MODULES[name])), "legalize").module
    monkeypatch.setattr(fuse_graph, "pattern_kind", printed_kind)
    after = lower(before, passes=("fuse_ops", "fuse_loops")).module
    assert isinstance(rr.validate(before, after, rounds=2), rr.Equivalent)
