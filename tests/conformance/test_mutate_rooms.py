"""``tools/mutate_rooms.py``: probes say which statements run, a mutant is in force while it is asked about, and a copy
of the process that dies or hangs is seen."""

from __future__ import annotations

import ast
import gc
import os
from itertools import islice
from types import ModuleType

import pytest

from refrelax.conformance import mutants as M
from tests.scripts import script


@pytest.fixture(scope="module")
def tools() -> tuple[ModuleType, ModuleType]:
    """The two scripts as modules."""
    return script("mutate_rooms"), script("mutation_killers")


@pytest.mark.thorough
def test_a_mutant_is_in_force_as_long_as_it_is_asked_about(tools: tuple[ModuleType, ModuleType]) -> None:
    rooms, killers = tools
    rooms.load()
    mutant = next(rooms.every("passes"))
    honest = mutant.function.__code__
    seen = killers.Killer("test", "looks", lambda: "" if mutant.function.__code__ is honest else "other code")
    said = killers.in_a_child(lambda: rooms.judge(mutant, [seen, seen], 5), 60)
    assert said == "killed: test looks: other code"
    assert mutant.function.__code__ is honest


@pytest.mark.thorough
def test_probes_tell_the_branch_that_runs(tools: tuple[ModuleType, ModuleType]) -> None:
    rooms, killers = tools
    rooms.load()
    chosen = list(islice(rooms.every("passes"), 400))
    cases = [each for each in killers.of_cases() if each.name.startswith("lowering/")][:12]
    honest = [each.function.__code__ for each in chosen]
    with killers.probes(chosen, set(range(len(chosen)))) as hit:
        kept = killers.follow(cases, hit, 60)
    assert [each.function.__code__ for each in chosen] == honest
    through = set().union(*(each.through for each in kept))
    assert through and through < set(range(len(chosen)))
    assert all(each.through for each in kept)
    assert sum(each.seconds for each in kept) > 0  # (a clock may count in steps that are longer than a case)


@pytest.mark.thorough
def test_a_function_that_another_one_made_is_broken_too(tools: tuple[ModuleType, ModuleType]) -> None:
    """A rule of deduction in a table was made when its file was imported, and the collector does not look at it."""
    rooms, killers = tools
    rooms.load()
    inner = "arity(d, call, 2)"
    (mutant,) = (
        each
        for each in rooms.every("evaluator")
        if each.file.endswith("/ops/image.py") and rooms.text_of(each) == inner and each.what == "2 becomes 3"
    )
    cases = [each for each in killers.of_cases() if each.name.startswith("ops-image/image-resize")]
    gc.freeze()
    try:
        with killers.probes([mutant], {0}) as hit:
            kept = killers.follow(cases, hit, 60)
        assert kept
        with M.settled():
            said = killers.in_a_child(lambda: rooms.judge(mutant, kept, 20), 120)
    finally:
        gc.unfreeze()
    assert said.startswith("killed: case")


def test_a_copy_that_dies_or_hangs_is_seen(
    tools: tuple[ModuleType, ModuleType], monkeypatch: pytest.MonkeyPatch
) -> None:
    _, killers = tools
    monkeypatch.setattr(killers, "PATIENCE", 1000)  # (on a machine that has much to do)

    def hangs() -> str:
        while True:
            pass

    def dies() -> str:
        os._exit(3)

    assert killers.in_a_child(lambda: "fine", 20) == "fine"
    assert killers.in_a_child(hangs, 0.2) == "killed: does not end"
    assert killers.in_a_child(dies, 20).startswith("killed: the process died")
    assert killers.asked(killers.Killer("test", "hangs", hangs), 0.1) == "does not end"


def test_a_probe_stands_on_the_line_that_it_is_before(tools: tuple[ModuleType, ModuleType]) -> None:
    """Whoever follows lines (``tests/backends/numpy_/ways.py``) must not see another one, or it is never asked."""
    _, killers = tools
    root = ast.parse("def f(x):\n    y = x\n    if (y >\n            1):\n        return y\n    return x\n").body[0]
    assert isinstance(root, ast.FunctionDef)
    probed = killers._with_probes(root, root, {2: [0], 4: [1], 5: [2]})
    calls = [each for each in ast.walk(probed) if isinstance(each, ast.Expr)]
    lines = [{part.lineno for part in ast.walk(each) if isinstance(part, ast.expr | ast.stmt)} for each in calls]
    assert sorted(map(sorted, lines)) == [[2], [3], [5]]
