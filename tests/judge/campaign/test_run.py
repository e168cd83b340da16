"""A campaign: the same findings however it is run, nothing lost, and only what is new is looked into."""

from __future__ import annotations

import os
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from refrelax.commands.pool import Pool
from refrelax.errors import UsageError
from refrelax.judge import fuzz
from refrelax.judge.campaign import run as campaigns
from refrelax.judge.campaign.memory import Memory
from refrelax.judge.fuzz import Finding, Plan

sys.path.insert(0, str(Path(__file__).parent))
import killed
from strange import find

ABOUT = {"impl": "strange", "seed": "0"}
PROGRAMS = 118


@pytest.fixture(autouse=True, scope="module")
def small_campaigns() -> Iterator[None]:
    """Few operators, so that a campaign meets each defect soon."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("refrelax.testing.cells.SKETCHES", _some(("exp", "sum", "tril", "abs", "concat")))
        patch.setattr(campaigns, "PACKS", 6)
        patch.setattr(campaigns, "ROUND", 6)
        patch.setattr(fuzz, "MOST_TRIES", 30)
        campaigns._all_cells.cache_clear()
        yield
    campaigns._all_cells.cache_clear()


@pytest.fixture(scope="module")
def whole(small_campaigns: None) -> list[Finding]:
    """What a campaign finds that nobody disturbs."""
    return go(Memory(None, ABOUT))


def _some(names: tuple[str, ...]) -> dict[str, Any]:
    from refrelax.testing.sketches import SKETCHES

    return {name: SKETCHES[name] for name in names}


def plan(programs: int = PROGRAMS, seed: int = 0) -> Plan:
    return Plan(find, "strange", seed, ("elementwise",), ("graph",), count=programs)


def here(work: Callable[..., Any], *args: Any) -> Callable[[], Any]:
    return lambda: work(*args)


def at_once(work: Callable[..., Any], *args: Any) -> Callable[[], Any]:
    """What is submitted is done before it is asked for, as by other processes."""
    result = work(*args)
    return lambda: result


def go(memory: Memory, submit: Any = here, ahead: int = 1, stop: Any = lambda: False, **more: Any) -> list[Finding]:
    found = []
    for state, finding in campaigns.campaign(plan(**more), memory, submit, ahead, {}, stop):
        if finding is not None:
            found.append(finding)
            report = {"message": finding.message, "program": finding.text}
            memory.finding(finding.cause.id, finding.cause.row(), report, state.programs, state.inputs)
    return found


def said(found: list[Finding]) -> list[tuple[str, str, Any]]:
    return [(each.cause.id, each.text, each.args) for each in found]


@pytest.mark.thorough
def test_every_kind_of_defect_is_found_once_and_is_small(whole: list[Finding]) -> None:
    causes = [each.cause.id for each in whole]
    assert len(causes) == len(set(causes))
    assert {"refused: build.py:convert", "values: elements | R.exp float", "values: elements | R.sum float"} <= set(
        causes
    )
    assert any(each.startswith("crash: SIGSEGV | R.tril") for each in causes)
    for each in whole:
        assert each.text.count(" = R.") == 1
        assert each.blame["operator"].startswith("R.")


@pytest.mark.thorough
def test_a_seed_gives_the_same_findings_however_many_work(whole: list[Finding]) -> None:
    assert whole and said(whole) == said(go(Memory(None, ABOUT), at_once, 5))


@pytest.mark.thorough
def test_stopped_and_gone_on(whole: list[Finding], tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    done: list[Any] = []
    look = campaigns.work

    def counted(a: Plan, task: Any) -> Any:
        done.append(task.name)
        return look(a, task)

    monkeypatch.setattr(campaigns, "work", counted)
    found: list[Finding] = []
    for after in (1, 5, 9, 10**6):
        left = iter(range(after))
        with closing(Memory(tmp_path / "s.sqlite", ABOUT)) as memory:
            found += go(memory, stop=lambda left=left: next(left, None) is None)
            assert [each["program"] for each in memory.findings()] == [each.text for each in found]
    assert said(found) == said(whole)
    assert len(done) == len(set(done)), "a task was done twice"


@pytest.mark.thorough
def test_only_what_is_new_is_looked_into(monkeypatch: pytest.MonkeyPatch) -> None:
    made: list[str] = []
    make = campaigns.make

    def counted(a: Plan, task: Any, sighting: Any) -> Any:
        made.append(sighting.cause.id)
        return make(a, task, sighting)

    monkeypatch.setattr(campaigns, "make", counted)
    found = go(Memory(None, ABOUT), programs=96)
    assert len(made) == len(set(made)) and len(found) <= len(made) <= len(found) + 2


@pytest.mark.thorough
def test_what_is_known_is_counted_and_not_found() -> None:
    memory = Memory(None, ABOUT)
    states = list(campaigns.campaign(plan(80), memory, here, 1, {"refused:*": "no-bfloat16"}, lambda: False))
    assert states[-1][0].known.keys() == {"no-bfloat16"}
    assert all(f is None or f.cause.kind != "refused" for _, f in states)


def test_a_state_is_of_one_campaign(tmp_path: Path) -> None:
    Memory(tmp_path / "s", ABOUT).close()
    with pytest.raises(UsageError, match="its seed is 0, not 1"):
        Memory(tmp_path / "s", {**ABOUT, "seed": "1"})
    (tmp_path / "other").write_bytes(b"no database at all, but a text that is long enough to be looked at")
    with pytest.raises(UsageError, match="no state of a campaign"):
        Memory(tmp_path / "other", ABOUT)


def test_a_count_counts_all_programs() -> None:
    for size in (1, 7, 9, 175, 400):
        assert sum(each.size for each in campaigns.tasks(plan(size))) == size


@pytest.mark.thorough
def test_a_fault_of_ours_costs_one_task(whole: list[Finding], tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    look = campaigns.look

    def broken(cells: Any, *rest: Any) -> Any:
        if cells[0] == campaigns._all_cells(0, plan().dtypes_of_cells)[8]:
            raise IndexError("out of order")
        return look(cells, *rest)

    monkeypatch.setattr(campaigns, "look", broken)
    with closing(Memory(tmp_path / "s", ABOUT)) as memory:
        states = [state for state, _ in campaigns.campaign(plan(), memory, here, 1, {}, lambda: False)]
        assert states[-1].lost == ["cells/1: IndexError: out of order"] and states[-1].found
        assert memory.task("cells", 1) is None and memory.task("cells", 2) is not None, "done again the next time"


@pytest.mark.thorough
def test_a_fault_of_ours_costs_one_finding(whole: list[Finding], monkeypatch: pytest.MonkeyPatch) -> None:
    """It is told, and what is found after it is the same."""
    told, broken = campaigns._told, whole[0].cause

    def faulty(plan: Plan, found: Finding) -> Finding:
        if found.cause == broken:
            raise KeyError("nobody thought of it")
        return told(plan, found)

    monkeypatch.setattr(campaigns, "_told", faulty)
    states, found = [], []
    for state, finding in campaigns.campaign(plan(), Memory(None, ABOUT), here, 1, {}, lambda: False):
        states.append(state)
        found += [] if finding is None else [finding]
    first = states[-1].lost[0]
    assert f"the finding of {broken.id}: KeyError" in first and "nobody thought of it" in first
    assert {each.cause.id for each in found} == {each.cause.id for each in whole[1:]}


# --- processes that die ----------------------------------------------------------------------------------------------


@pytest.mark.thorough
def test_a_killed_worker_loses_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PYTHONPATH", os.pathsep.join([str(Path(__file__).parent), *sys.path]))
    with closing(Pool(2)) as pool:
        results = [pool.submit(killed.dies_once, str(tmp_path / f"m{k % 2}"), k) for k in range(4)]
        assert [each() for each in results] == [0, 1, 2, 3]


@pytest.mark.thorough
def test_what_goes_first_overtakes_what_waits(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Findings are not made behind tasks that nobody needs yet."""
    monkeypatch.setenv("PYTHONPATH", os.pathsep.join([str(Path(__file__).parent), *sys.path]))
    place = str(tmp_path / "order")
    with closing(Pool(1, first=killed.urgent)) as pool:
        held = pool.submit(killed.begins, str(tmp_path))
        while not (tmp_path / "began").exists():
            time.sleep(0.01)
        others = [pool.submit(killed.notes, place, each) for each in "ab"] + [pool.submit(killed.urgent, place, "c")]
        (tmp_path / "end").touch()
        held()
        assert [each() for each in others] == ["a", "b", "c"]
    assert Path(place).read_text() == "cab"


@pytest.mark.thorough
def test_a_pool_that_closes_waits_for_nobody(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """What is under way when the time of a campaign is over may take minutes, and nobody asks for it."""
    monkeypatch.setenv("PYTHONPATH", os.pathsep.join([str(Path(__file__).parent), *sys.path]))
    pool = Pool(1)
    pool.submit(killed.begins, str(tmp_path))
    while not (tmp_path / "began").exists():
        time.sleep(0.01)
    pool.submit(killed.notes, str(tmp_path / "order"), "a")
    pool.close()
    assert not (tmp_path / "order").exists()
