"""A campaign that goes on counts what it counts undisturbed: findings are no sightings of themselves."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from refrelax.judge.campaign import run as campaigns
from refrelax.judge.campaign.causes import Cause
from refrelax.judge.campaign.memory import Memory
from refrelax.judge.campaign.run import State


class _Found:
    def __init__(self, cause: Cause) -> None:
        self.cause = cause


class _Sighting(_Found):
    pass


class _Task:
    name = "cells/0"


class _Seen:
    def __init__(self, *causes: Cause) -> None:
        self.sightings = [_Sighting(each) for each in causes]


def _through(memory: Memory, state: State, *causes: Cause) -> State:
    def submit(make: Callable[..., Any], plan: Any, task: Any, sighting: Any) -> Callable[[], Any]:
        return lambda: "it did not show again" if "doubted" in sighting.cause.how else sighting

    for each, made in campaigns._gone_through(None, memory, submit, {}, state, _Task(), _Seen(*causes)):  # type: ignore[arg-type]
        if made is not None:
            report = {"task": _Task.name}
            memory.finding(made.cause.id, made.cause.row(), report, each.programs, each.inputs)
    return state


def test_a_finding_is_no_sighting_of_itself(monkeypatch: pytest.MonkeyPatch) -> None:
    """Killed and started again, a campaign said `4 sightings of causes found before`, and 0 undisturbed."""
    a, b = Cause("refused", "a.cc:f", ("R.exp",), "float", True), Cause("refused", "doubted", (), "", True)
    memory = Memory(None, {"impl": "strange", "seed": "0"})
    first = _through(memory, State(), a, b, a)
    state = State()
    monkeypatch.setattr(campaigns, "State", lambda: state)
    monkeypatch.setattr(campaigns, "_in_order", lambda *_: iter(()))
    list(campaigns.campaign(None, memory, None, 1, {}, lambda: False))  # type: ignore[arg-type]
    second = _through(memory, state, a, b, a)
    assert (first.again, first.doubted) == (second.again, second.doubted) == (1, 1)
