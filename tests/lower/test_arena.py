"""One arena under promised bounds: best fit, apart, aligned; the definition's peak is the plan's; wrong arenas are
caught."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

import refrelax as rr
from refrelax.lower import arena as arena_module
from refrelax.lower import plan_memory
from refrelax.lower.arena import ALIGNMENT, Room, best_fit, greatest
from refrelax.lower.claims import Ledger
from refrelax.lower.lives import Life
from refrelax.lower.memory_report import successive_use
from refrelax.lower.pipeline import lower
from refrelax.lower.plan_memory import planned_bytes
from refrelax.running.run import run
from refrelax.semantics.graph.live_bytes import LiveBytes
from refrelax.shape_solver.parse import parse_claim
from refrelax.syntax.write.scalars import expression
from refrelax.testing.arguments import random_arguments, symbols_of

from .memory_faults import PASSES, PROGRAMS, V, call, program
from .test_plan_memory_random import KINDS, Choices, observed
from .test_plan_memory_random import program as random_program

# --- placement -------------------------------------------------------------------------------------------------------


@given(st.lists(st.tuples(st.integers(0, 12), st.integers(0, 6), st.integers(0, 700)), max_size=14))
def test_tensors_that_live_together_are_apart(found: list[tuple[int, int, int]]) -> None:
    wanted = [(Life(f"t{k}", (), "uint8", t, t + length), size) for k, (t, length, size) in enumerate(found)]
    arena = best_fit(wanted)
    assert {room.life.name for room in arena.rooms} == {life.name for life, _ in wanted}
    for room in arena.rooms:
        assert room.offset % ALIGNMENT == 0
        assert room.offset >= 0 and room.end <= arena.size
        assert room.size >= dict(wanted)[room.life]
        for other in arena.rooms:
            assert room is other or not (room.life.meets(other.life) and room.shares(other))
    peaks = [sum(r.size for r in arena.rooms if r.life.begin <= t <= r.life.end) for t in range(20)]
    assert max(peaks) <= arena.size <= sum(room.size for room in arena.rooms)


def test_rooms_that_touch_share_no_byte() -> None:
    life = Life("a", (), "uint8", 0, 1)
    low, high = Room(life, 64, 0), Room(life, 64, 64)
    assert not low.shares(high) and not high.shares(low) and low.shares(low)
    wide = Room(life, 128, 0)
    assert wide.shares(high) and high.shares(wide) and wide.shares(low) and low.shares(wide)


def test_the_smallest_gap_is_taken() -> None:
    lives = [Life(name, (), "uint8", *when) for name, *when in (
        ("a", 0, 2), ("b", 0, 9), ("c", 0, 4), ("d", 0, 9), ("e", 5, 9),
    )]  # fmt: skip
    arena = best_fit(list(zip(lives, (128, 512, 64, 256, 64), strict=True)))
    assert arena.offsets == {"b": 0, "d": 512, "a": 768, "c": 896, "e": 768}
    assert arena.size == 960


@pytest.mark.parametrize(
    ("size", "promised", "most"),
    [
        ("n * 4", {"n": (None, 7)}, 28),
        ("n * m * 4", {"n": (None, 7), "m": (None, 3)}, 84),
        ("(n + 3) // 4 * 16", {"n": (None, 6)}, 32),
        ("(7 - n) * 4", {"n": (2, 7)}, 20),
        ("n * m * 4", {"n": (None, 7)}, None),
        ("n * 4", {"n": (None, 1 << 61)}, None),
    ],
)
def test_greatest_sizes(size: str, promised: dict[str, Any], most: int | None) -> None:
    claim = parse_claim(f"{size} == 0")
    assert greatest(claim.a, promised) == most  # type: ignore[union-attr]


# --- plans -----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", [name for name, text in PROGRAMS.items() if "tir_var_upper_bound" in text])
def test_a_plan_under_bounds_is_one_literal_storage(name: str) -> None:
    lowered = lower(rr.check(rr.parse(PROGRAMS[name])), passes=PASSES)
    assert all(claim.proved for claim in lowered.claims)
    text = rr.print_module(lowered.module.module)
    assert text.count("alloc_storage") == 1 and "arena = R.memory.alloc_storage(R.shape([" in text
    assert {"lo/size-fits", "lo/arena-fits"} <= {claim.rule for claim in lowered.claims}


@pytest.mark.thorough
@pytest.mark.parametrize("name", PROGRAMS)
@pytest.mark.parametrize("n", [0, 1, 5, 40])
def test_the_peak_of_a_run_is_what_the_report_says(name: str, n: int) -> None:
    checked = rr.check(rr.parse(PROGRAMS[name]))
    symbols = {"n": n, "m": 3}
    known = {k: symbols[k] for k in symbols_of(checked.module, "main")}
    args = random_arguments(checked.module, "main", 1, known, "normal")
    for passes in (PASSES[:2], PASSES):
        module = lower(checked, passes=passes).module
        for c in (True, False) if name == "branch" else (None,):
            given_ = args if c is None else [c, *args[1:]]
            meter = LiveBytes()
            assert isinstance(run(module, "main", *given_, listener=meter), rr.Returned)
            (use,) = successive_use(module.module, [symbols])
            if passes == PASSES:
                assert meter.peak == use.peak
            else:  # nothing is killed there: the meter counts all
                assert meter.peak >= use.peak


def test_what_no_promise_bounds_has_storages_beside_the_arena() -> None:
    text = program(
        "m = T.int64()", f"a = {call('bump', 'x')}", 'z = R.match_cast(w, R.Tensor((m,), "float32"))',
        "b = " + call("bump", "z", out='R.Tensor((m,), "float32")'),
        "d = " + call("bump", "b", out='R.Tensor((m,), "float32")'), f"r = {call('bump', 'a')}", "return r",
        params=f'x: {V}, w: R.Tensor(ndim=1, dtype="float32")',
    )  # fmt: skip
    checked = rr.check(rr.parse(text))
    module = lower(checked, passes=("to_destinations", "plan_memory")).module
    assert expression(planned_bytes(module.module)[1]) == "m * 8 + n * 4 + 192"
    out = rr.run(module, "main", [1.0, 2.0], [3.0])
    assert isinstance(out, rr.Returned) and out.value.core.payloads() is not None
    assert observed_value(out) == observed_value(rr.run(checked, "main", [1.0, 2.0], [3.0]))


def observed_value(out: Any) -> Any:
    return out.value.core.bits(), out.poison


def test_a_run_beyond_a_promise_is_open() -> None:
    checked = rr.check(rr.parse(PROGRAMS["chain"]))
    out = rr.run(checked, "main", [0.0] * 41, [0.0] * 41)
    assert isinstance(out, rr.Unspecified) and out.rule == "ev/symbol-bounds"
    assert "promises n <= 40" in out.message and "n = 41" in out.message


@pytest.mark.thorough
@given(
    st.lists(st.tuples(st.integers(0, len(KINDS) - 1), st.integers(0, 9), st.integers(0, 9)), min_size=2, max_size=12),
    st.integers(0, 3),
)
def test_random_programs_in_an_arena(choices: Choices, result: int) -> None:
    promise = '        R.func_attr({"tir_var_upper_bound": {}})\n        cls = Module\n'
    text = random_program(choices, result)
    head, main = text.split("    def main(")
    checked = rr.check(rr.parse(head + "    def main(" + main.replace("        cls = Module\n", promise, 1)))
    lowered = lower(checked, passes=("to_destinations", "plan_memory"))
    assert all(claim.proved for claim in lowered.claims)
    for c in (True, False):
        args = [c, [1.0, 2.0, 3.0, 4.0], [0.5, -8.0, 16.0, 32.0]]
        assert observed(rr.run(lowered.module, "main", *args)) == observed(rr.run(checked, "main", *args))


# --- wrong arenas ----------------------------------------------------------------------------------------------------

Patch = Callable[[pytest.MonkeyPatch], None]


def _nobody_meets(m: pytest.MonkeyPatch) -> None:
    m.setattr(Life, "meets", lambda life, other: False)


def _last_use_is_forgotten(m: pytest.MonkeyPatch) -> None:
    m.setattr(Life, "meets", lambda life, other: life.begin < other.end - 1 and other.begin < life.end - 1)


def _bound_less_one(m: pytest.MonkeyPatch) -> None:
    honest = greatest
    m.setattr(arena_module, "ALIGNMENT", 4)
    m.setattr(
        arena_module, "greatest", lambda size, promised: honest(size, {k: (a, b - 1) for k, (a, b) in promised.items()})
    )
    m.setattr(Ledger, "holds", lambda *args, **more: True)


def _rounded_down(m: pytest.MonkeyPatch) -> None:
    m.setattr(arena_module, "aligned", lambda size: size // ALIGNMENT * ALIGNMENT)


def _any_gap(m: pytest.MonkeyPatch) -> None:
    m.setattr(arena_module, "_gap", lambda room, taken: 0)


def _arena_of_the_largest(m: pytest.MonkeyPatch) -> None:
    honest = arena_module._placed

    def placed(rooms: Any) -> Any:
        arena = honest(rooms)
        return arena_module.Arena(arena.rooms, max(room.size for room in arena.rooms))

    m.setattr(arena_module, "_placed", placed)


def _item_size_of_bytes(m: pytest.MonkeyPatch) -> None:
    honest = arena_module.nbytes
    m.setattr(arena_module, "ALIGNMENT", 4)
    m.setattr(arena_module, "nbytes", lambda dims, dtype: honest(dims, "int8"))


WRONG: dict[str, Patch] = {
    "no two tensors live together": _nobody_meets,
    "the last use does not count": _last_use_is_forgotten,
    "the bound is taken for its exclusive end": _bound_less_one,
    "sizes are rounded down": _rounded_down,
    "every gap is large enough": _any_gap,
    "the arena is as large as its largest tensor": _arena_of_the_largest,
    "the item size is one": _item_size_of_bytes,
}


@pytest.mark.thorough
@pytest.mark.parametrize("what", WRONG)
def test_a_wrong_arena_is_refuted(what: str, monkeypatch: pytest.MonkeyPatch) -> None:
    checked = rr.check(rr.parse(PROGRAMS["cast" if what == "the last use does not count" else "branch"]))
    spelled_out = lower(checked, passes=("to_destinations",)).module
    WRONG[what](monkeypatch)
    ledger = Ledger()
    plan = rr.check(plan_memory.run(spelled_out, ledger))
    monkeypatch.undo()
    found = rr.validate(checked, plan)
    assert isinstance(found, rr.Refuted), found
    assert found.counterexample is not None
