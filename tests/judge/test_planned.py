"""Proofs about memory: a plan that is proved means the same, whatever was done to its offsets, kills and branches."""

from __future__ import annotations

import re
from functools import cache
from itertools import cycle

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

import refrelax as rr
from refrelax.judge.evidence import Proved
from refrelax.judge.pointwise import attempt, explain
from refrelax.lower import plan_memory, to_destinations
from refrelax.lower.claims import Ledger
from refrelax.lower.pipeline import lower
from tests.lower.memory_faults import PROGRAMS, V, call, program
from tests.lower.memory_modules import MODULES
from tests.lower.mutants_memory import MUTANTS, Mutant
from tests.lower.test_plan_memory import outcomes
from tests.lower.test_plan_memory_random import KINDS, Choices, observed
from tests.lower.test_plan_memory_random import program as random_program

OFFSET = re.compile(r"alloc_tensor\(arena, \d+,")
ARENA = re.compile(r"alloc_storage\(R\.shape\(\[\d+\]\)")


@pytest.mark.thorough
@given(
    st.lists(st.tuples(st.integers(0, len(KINDS) - 1), st.integers(0, 9), st.integers(0, 9)), min_size=2, max_size=10),
    st.integers(0, 3),
    st.lists(st.integers(0, 10), min_size=1, max_size=12),
    st.integers(0, 99),
)
def test_what_is_proved_of_moved_tensors_is_so(choices: Choices, result: int, places: list[int], kill: int) -> None:
    """Offsets of a plan drawn anew, and one kill somewhere else: mostly wrong, and never proved then."""
    promise = '        R.func_attr({"tir_var_upper_bound": {}})\n        cls = Module\n'
    head, main = random_program(choices, result).split("    def main(")
    text = head + "    def main(" + main.replace("        cls = Module\n", promise, 1)
    checked = rr.check(rr.parse(text))
    plan = rr.print_module(lower(checked, passes=("to_destinations", "plan_memory")).module.module)
    assume("alloc_storage" in plan)
    drawn = cycle(places)
    moved = OFFSET.sub(
        lambda _: f"alloc_tensor(arena, {8 * next(drawn)},", ARENA.sub("alloc_storage(R.shape([512])", plan)
    )
    lines = moved.splitlines()
    kills = [k for k, line in enumerate(lines) if "kill_tensor" in line]
    if kills and kill % 3 == 0:
        at = kills[kill % len(kills)]
        lines.insert(max(0, at - 1 - kill % 2), lines.pop(at))
    try:
        second = rr.check(rr.parse("\n".join(lines)))
    except rr.Rejection:
        return
    if isinstance(attempt(checked, second, "main"), str):
        return
    for c in (True, False):
        args = [c, [1.0, 2.0, 3.0, 4.0], [0.5, -8.0, 16.0, 32.0]]
        assert observed(rr.run(second, "main", *args)) == observed(rr.run(checked, "main", *args))


@cache
def symbolic(name: str) -> tuple[rr.CheckedModule, str]:
    checked = rr.check(rr.parse(PROGRAMS[name]))
    return checked, rr.print_module(lower(checked, passes=("to_destinations", "plan_memory")).module.module)


@pytest.mark.nightly
@given(
    st.sampled_from(["chain", "cast", "reshape", "branch"]),
    st.lists(st.integers(0, 100), min_size=4, max_size=4),
    st.sampled_from([640, 480, 352, 351, 320]),
)
def test_what_is_proved_at_symbolic_sizes_is_so_at_the_bound(name: str, places: list[int], size: int) -> None:
    checked, plan = symbolic(name)
    drawn = cycle(places)
    plan = ARENA.sub(f"alloc_storage(R.shape([{size}])", plan)
    moved = OFFSET.sub(lambda _: f"alloc_tensor(arena, {4 * next(drawn)},", plan)
    second = rr.check(rr.parse(moved))
    if isinstance(attempt(checked, second, "main"), str):
        return
    x, y = [0.5 * k for k in range(40)], [1.0 - k for k in range(40)]
    for args in [[x, y]] if name != "branch" else [[True, x, y], [False, x, y]]:
        first, found = (rr.run(each, "main", *args) for each in (checked, second))
        assert isinstance(first, rr.Returned) and isinstance(found, rr.Returned), found
        assert (first.value.core.bits(), first.poison) == (found.value.core.bits(), found.poison)


@pytest.mark.thorough
@given(
    st.lists(st.tuples(st.integers(0, len(KINDS) - 2), st.integers(0, 9), st.integers(0, 9)), min_size=2, max_size=10),
    st.integers(0, 3),
    st.booleans(),
)
def test_every_plan_is_proved(choices: Choices, result: int, arena: bool) -> None:
    """All of ``KINDS`` but calls of Relax functions, which a proof does not read."""
    assert KINDS[-1] == "same"
    text = random_program(choices, result)
    assume("cls.same(" not in text)
    if arena:
        head, main = text.split("    def main(")
        promise = '        R.func_attr({"tir_var_upper_bound": {}})\n        cls = Module\n'
        text = head + "    def main(" + main.replace("        cls = Module\n", promise, 1)
    checked = rr.check(rr.parse(text))
    plan = lower(checked, passes=("to_destinations", "plan_memory")).module
    assert not isinstance(attempt(checked, plan, "main"), str), explain(checked, plan)


@pytest.mark.thorough
@pytest.mark.parametrize("mutant", MUTANTS, ids=lambda m: m.name)
def test_a_wrong_plan_has_no_proof(mutant: Mutant, monkeypatch: pytest.MonkeyPatch) -> None:
    text = MODULES[mutant.module]
    checked = rr.check(rr.parse(text))
    mutant.patch(monkeypatch)
    try:
        plan = rr.check(plan_memory.run(rr.check(to_destinations.run(checked, Ledger())), Ledger()))
    except rr.Rejection:
        return
    monkeypatch.undo()
    assert outcomes(plan, text) != outcomes(checked, text)
    assert isinstance(attempt(checked, plan, "main"), str)


# --- what a proof says and does not say ------------------------------------------------------------------------------

FIRST = program(f"a = {call('bump', 'x')}", f"r = {call('bump', 'a')}", "return r", bound=None)


def planned(*lines: str, attrs: str = '"relax.force_pure": True') -> rr.CheckedModule:
    return rr.check(rr.parse(program(f"R.func_attr({{{attrs}}})", *lines, "return r", bound=None)))


def own(name: str) -> str:
    return f'{name}: {V} = R.builtin.alloc_tensor(R.shape([n]), "float32", 0, "global")'


def test_a_view_of_memory_of_its_own_is_the_memory_and_a_reshape_is_not() -> None:
    first = rr.check(rr.parse(FIRST))
    for view, proved in (("R.memory.view(a, R.shape([n]))", False), ("R.reshape(a, R.shape([n]))", True)):
        second = planned(
            own("a"), "_ = cls.bump(x, a)", f"v: {V} = {view}", "_1 = cls.bump(y, a)", own("r"), "_2 = cls.bump(v, r)"
        )
        assert isinstance(attempt(first, second, "main"), str) is not proved
        assert isinstance(rr.validate(first, second), rr.Equivalent if proved else rr.Refuted)


def test_writing_through_a_view() -> None:
    first = rr.check(rr.parse(FIRST))
    second = planned(
        own("a"), f"v: {V} = R.memory.view(a, R.shape([n]))", "_ = cls.bump(x, v)", own("r"), "_2 = cls.bump(a, r)"
    )
    assert isinstance(rr.validate(first, second), rr.Equivalent)


@pytest.mark.parametrize(
    ("lines", "why"),
    [
        ((own("a"), "_ = cls.bump(x, a)", "_1 = cls.bump(a, a)", "r = a"), "which it is given twice"),
        ((own("a"), "_ = cls.bump(x, y)", "_1 = cls.bump(y, a)", "r = a"), "y[i]  is not seen to be"),
        ((own("a"), "_ = cls.bump(x, a)", "_k = R.memory.kill_tensor(a)", "r = a"), "used after it was killed"),
    ],
)
def test_no_proof(lines: tuple[str, ...], why: str) -> None:
    assert why in explain(rr.check(rr.parse(FIRST)), planned(*lines))


@pytest.mark.parametrize(
    ("later", "read"),
    [((), True), (("_2 = cls.bump(x, a)",), False), (("_2 = cls.bump(y, w)",), False),
     (("b = R.memory.ensure_zero_offset(a)", "_2 = cls.bump(x, b)"), False),
     (("_k = R.memory.kill_tensor(a)",), True)],
)  # fmt: skip
def test_an_operator_that_may_share_memory_is_not_read_where_that_is_stored_in_later(
    later: tuple[str, ...], read: bool
) -> None:
    first = rr.check(rr.parse(FIRST))
    second = planned(
        own("a"), "_ = cls.bump(x, a)", "v = R.expand_dims(a, axis=0)", f"w: {V} = R.squeeze(v, axis=[0])", own("r"),
        "_1 = cls.bump(w, r)", *later,
    )  # fmt: skip
    assert isinstance(attempt(first, second, "main"), Proved) is read
    assert read or "relax.expand_dims" in explain(first, second)


@pytest.mark.parametrize("kill", [(), ("_k = R.memory.kill_tensor(a)",), ("_k = R.vm.kill_object(a)",)])
def test_an_operator_is_not_read_where_its_argument_lies_in_a_storage_that_is_used_again(kill: tuple[str, ...]) -> None:
    first = rr.check(rr.parse(FIRST))
    again = 'R.memory.alloc_tensor(s, 0, R.shape([n]), "float32")'
    second = planned(
        's = R.memory.alloc_storage(R.shape([n * 4]), 0, "global", "float32")', f"a: {V} = {again}",
        "_ = cls.bump(x, a)", f"w: {V} = R.permute_dims(a)", *kill, f"b: {V} = {again}", "_1 = cls.bump(y, b)",
        own("r"), "_2 = cls.bump(w, r)",
    )  # fmt: skip
    assert "relax.permute_dims" in explain(first, second)


def test_a_branch_that_may_not_be_taken_promises_nothing() -> None:
    """An operator of a branch that leaves a run open says nothing about runs that take the other one."""
    head = 'c: R.Tensor((), "bool"), x: R.Tensor((n,), "float32")'
    lines = (
        "if c:",
        "    v = R.reshape(R.reshape(x, R.shape([n, 1])), R.shape([n]))",
        "else:",
        "    v = x",
        "return v",
    )
    first = rr.check(rr.parse(program(*lines, params=head, bound=None)))
    same = rr.check(rr.parse(program("return x", params=head, bound=None)))
    assert isinstance(rr.validate(first, same), rr.Equivalent)
    other = rr.check(rr.parse(program(f"v = {call('bump', 'x')}", "return v", params=head, bound=None)))
    assert isinstance(rr.validate(first, other), rr.Refuted)
