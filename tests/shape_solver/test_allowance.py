"""What one question may spend: over all stages, counted, and named where it was spent."""

from __future__ import annotations

import time
from typing import Any

import pytest

import refrelax as rr
from refrelax.shape_solver import Proved, Unknown, prove, z3_
from refrelax.shape_solver.allowance import FEWEST, KEPT, LOOP, NODES, SPENT, Allowance
from refrelax.shape_solver.claim import LIMITS
from tests.clock import seconds_since

N = 200
CHAINS = {
    "sums of two": (f"x{N} >= 0", ["x0 >= 0", "x1 >= 0", *(f"x{i + 2} == x{i} + x{i + 1}" for i in range(N))]),
    "multiples": (f"x{N} % 4 == 0", ["x0 % 4 == 0", *(f"x{i + 1} == x{i} + 4*y{i}" for i in range(N))]),
    "minima": (f"x{N} <= x0", [f"x{i + 1} == min(x{i}, y{i})" for i in range(N)]),
    "halves": (f"x{N} <= x0", ["x0 >= 0", *(f"x{i + 1} == x{i} // 2" for i in range(N))]),
    "bits": (f"(x{N} & 7) == (x0 & 7)", [f"(x{i + 1} & 7) == (x{i} & 7)" for i in range(N)]),
    "sums of a symbol": (f"x{N} == x0 + {N}*z", [f"x{i + 1} == x{i} + z" for i in range(N)]),
    "products": (f"x{N} >= 1", ["x0 >= 1", *(f"x{i + 1} == x{i} * y{i} and y{i} >= 1" for i in range(N))]),
}  # fmt: skip


@pytest.mark.thorough
@pytest.mark.skipif(not z3_.AVAILABLE, reason="needs z3")
@pytest.mark.parametrize("name", CHAINS)
def test_chains_of_equations_end_soon(name: str) -> None:
    claim, assume = CHAINS[name]
    start = time.process_time()
    assert isinstance(prove(claim, assume), Proved)
    assert seconds_since(start) < 2


def test_shares() -> None:
    allowance = Allowance(400_000 + KEPT)
    assert allowance.share(400_000, KEPT) == 400_000 and not allowance.short
    assert allowance.has(KEPT) and not allowance.short
    allowance.spend(300_000)
    assert allowance.share(400_000, KEPT) == 100_000 and allowance.short
    assert allowance.points(10, 100) == 10 and allowance.left == 100_000 + KEPT - 10 * 100 // NODES
    assert allowance.points(10**9, 100) == (100_000 + KEPT) * NODES // 100 - 10
    assert allowance.points(10, 100) == 0 == allowance.share(1) and not allowance.has(100)
    few = Allowance(10**9, nodes=1_000)
    assert few.points(50, 100) == 10 and few.short and few.points(1, 100) == 0


HARD = ("x*x*x + y*y*y != z*z*z", ["x >= 1", "y >= 1", "z >= 1"])


@pytest.mark.thorough
@pytest.mark.skipif(not z3_.AVAILABLE, reason="needs z3")
def test_what_z3_takes_is_paid_for(monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[int] = []
    inner = z3_._checked

    def checked(
        solver: object, context: object, resources: int, until: float, allowance: Allowance, *more: Any
    ) -> object:
        before = allowance.left
        answer, stopped = inner(solver, context, resources, until, allowance, *more)
        spent = before - allowance.left
        assert resources <= spent <= resources + LOOP if stopped else 0 < spent <= resources + 10_000
        assert not stopped or allowance.left >= min(KEPT, before - resources)
        asked.append(resources)
        return answer, stopped

    monkeypatch.setattr(z3_, "_checked", checked)
    answer = prove(*HARD)
    assert isinstance(answer, Unknown) and min(asked) >= FEWEST
    assert sum(asked) <= LIMITS["normal"].work - KEPT


@pytest.mark.skipif(not z3_.AVAILABLE, reason="needs z3")
def test_what_was_spent_is_named() -> None:
    small = Allowance(KEPT + 3 * FEWEST)
    prover = rr.shape_solver.prover.Prover(HARD[1])
    claim = prover.door.claim(rr.shape_solver.parse_claim(HARD[0]))
    answer = prover.inside(claim, small)
    assert isinstance(answer, Unknown) and SPENT in answer.reason
    assert any(stage.outcome == SPENT for stage in answer.stages)
    again = prover.inside(claim, Allowance(KEPT + 3 * FEWEST))
    assert isinstance(again, Unknown) and again.stages == answer.stages


@pytest.mark.thorough
@pytest.mark.parametrize(
    ("e", "assume", "found"),
    [
        ("x % y", ["0 < y <= 100000"], (0, 99_999)),
        ("(x ^ y) - (x & y)", ["0 <= x < 4096", "0 <= y < 4096"], (-4_095, 4_095)),
        ("x*x - 3*x + y*y", [], (-2, None)),
    ],
)
@pytest.mark.skipif(not z3_.AVAILABLE, reason="needs z3")
def test_bounds_are_exact_and_soon(e: str, assume: list[str], found: tuple[int | None, int | None]) -> None:
    start = time.process_time()
    assert rr.bounds(e, assume) == found
    assert seconds_since(start) < 2
