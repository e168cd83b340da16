"""Sequences of passes as programs of a campaign, of a compiler that has one wrong pass."""

from __future__ import annotations

import random
from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Any

import pytest

import refrelax as rr
from refrelax.commands import campaign_page
from refrelax.judge import fuzz
from refrelax.judge.campaign import run as campaigns
from refrelax.judge.campaign import sequences
from refrelax.judge.campaign.memory import Memory
from refrelax.judge.campaign.sequences import Corpus, Lead, Pair
from refrelax.judge.fuzz import Finding, Plan
from refrelax.judge.stages import Stage, StagesEnded
from refrelax.syntax.module import Module

pytestmark = pytest.mark.thorough

STEPS = ("same", "fold_constants", "dead_code", "swap", "refuse(7)")


class Compiler:
    """Some passes are right; ``swap`` takes a negative for an absolute value, ``refuse`` no bounds."""

    def stages(self, module: Module, pipeline: str) -> Iterator[Stage]:
        yield Stage("read", rr.print_module(module), {}, "import")
        for step in pipeline.split(","):
            text = rr.print_module(module)
            if step.startswith("refuse") and "R.clip" in text:
                raise StagesEnded(step, "refused", "no bounds", "no bounds here", place="bounds.cc:refuse")
            if step == "swap":
                text = text.replace("R.abs(", "R.negative(")
            elif step in ("fold_constants", "dead_code"):
                text = rr.print_module(rr.lower(rr.check(module), passes=(step,), effort="quick").module.module)
            module = rr.parse(text)
            yield Stage(step, text, {})

    def sequence(self, turn: random.Random) -> tuple[str, ...]:
        return tuple(turn.choice(STEPS) for _ in range(turn.randrange(1, 6)))

    def varied(self, turn: random.Random, steps: Sequence[str]) -> tuple[str, ...]:
        return (*steps, turn.choice(STEPS))

    def close(self) -> None:
        pass


def compiler(_name: str, _target: str | None) -> Compiler:
    return Compiler()


def nobody(*_: Any) -> Any:
    return object()


def plan(count: int = 48, **more: Any) -> Plan:
    return Plan(
        nobody, "own", 3, ("elementwise",), ("graph",), ("float32",), count=count, kinds=("passes",),
        compiler=compiler, **more,
    )  # fmt: skip


def go(submit: Any, ahead: int, memory: Memory | None = None, **more: Any) -> list[Finding]:
    found = []
    kept = memory or Memory(None, {})
    for state, finding in campaigns.campaign(plan(**more), kept, submit, ahead, {}, lambda: False):
        if finding is not None:
            found.append(finding)
            kept.finding(finding.cause.id, finding.cause.row(), {"program": finding.text}, state.programs, 1)
    return found


def here(work: Any, *args: Any) -> Any:
    return lambda: work(*args)


def at_once(work: Any, *args: Any) -> Any:
    result = work(*args)
    return lambda: result


def said(found: list[Finding]) -> list[Any]:
    return [(each.cause.id, each.text, each.steps, str(each.args)) for each in found]


def test_each_wrong_step_is_found_once_alone_and_the_same_for_any_number_of_processes() -> None:
    found = go(here, 1)
    assert {each.cause.id for each in found} == {"pass: swap: elements", "refused: bounds.cc:refuse"}
    for each in found:
        assert len(each.steps) == 1 and each.steps[0].partition("(")[0] in ("swap", "refuse")
        assert each.text.count(" = R.") == 1 and each.blame["pass"] == each.steps[0]
        assert each.blame["stage"] == "pass" and each.blame["index"] == 1
    assert said(go(at_once, 7)) == said(found)
    assert said(go(here, 2, guided=False)) != [] and len(found) == 2


def test_what_was_seen_is_remembered() -> None:
    memory = Memory(None, {})
    first = go(here, 1, memory, count=24)
    states = list(campaigns.campaign(plan(24), memory, here, 1, {}, lambda: False))
    assert first and states[-1][0].resumed == 3 and states[-1][0].corpus.covered
    shown = f"{len(states[-1][0].corpus.covered)} pairs of a step and what stood after it"
    assert shown in campaign_page._coverage(memory, "led") and "of 24 programs, led" in campaign_page._coverage(
        memory, "led"
    )


def test_a_corpus_keeps_what_is_new() -> None:
    corpus = Corpus()
    pair = Pair("text", (1.5, (2, True)), ("a", "b(1,2)"))
    other = replace(pair, steps=("c",))
    corpus.add([[pair.row(), ["x", "y"], ["w"]], [other.row(), ["y"], []]])
    corpus.add([[other.row(), ["z"]]])  # (as states of earlier versions have it)
    assert corpus.upto(1) == Lead((pair,), frozenset("wxy"))
    assert corpus.upto(2) == Lead((pair, other), frozenset("wxyz")) and corpus.upto(0) == Lead()
    assert len(corpus.covered) == 3


NOTHING = """
@I.ir_module
class Module:
    @R.function
    def main(x: R.Tensor((2,), "int8")):
        return x
"""


@pytest.mark.parametrize(("kind", "message", "how"), [
    ("changed", "the program is rejected: f.py:1:2: k is a dim [wf/dataflow-var-in-type]", "wf/dataflow-var-in-type"),
    ("changed", "the result[0] is outside what the first program permits: 1, permitted 2", "elements"),
    ("changed", "the result has another dtype or shape", "dtype"),
    ("changed", "value[0] means nothing in the second program [st/never-written]", "st/never-written"),
])  # fmt: skip
def test_how_a_step_is_wrong(kind: str, message: str, how: str) -> None:
    stage = Stage("A(1)", "", {})
    wrong = rr.WrongPass("A(1)", 1, message, "", stage, stage, (), None, None, kind)  # type: ignore[arg-type]
    checked = rr.check(
        rr.parse(
            '@I.ir_module\nclass Module:\n    @R.function\n    def main(x: R.Tensor((2,), "int8")):\n        return x\n'
        )
    )
    assert sequences.cause_of_step(wrong, checked).how == f"A: {how}"


def test_kinds_are_those_of_the_command() -> None:
    from refrelax.commands.fuzz import KINDS

    assert KINDS == fuzz.KINDS


ADDS = NOTHING.replace("return x", "y = R.add(x, x)\n        return y")


def pairs_of(lead: Lead | None, texts: Sequence[str]) -> list[tuple[Pair, frozenset[str]]]:
    programs: Any = [(rr.parse(text), [1]) for text in texts]
    return list(sequences._pairs(Compiler(), programs, "seed", lead))


def test_of_several_pairs_the_one_is_judged_that_promises_most() -> None:
    ((pair, promised),) = pairs_of(Lead(), [NOTHING, NOTHING, ADDS, NOTHING])
    assert "R.add" in pair.text
    assert {each.partition(": ")[0] for each in promised} == {each.partition("(")[0] for each in pair.steps}
    assert {each.partition(": ")[2] for each in promised} >= {"relax.add", "Function"}


def test_what_was_tried_promises_nothing() -> None:
    """Whether it was covered or not; and what an earlier pair of the same task promised counts as tried."""
    steps = {each.partition("(")[0] for each in STEPS}
    tried = frozenset(f"{step}: {each}" for step in steps for each in sequences.parts(rr.check(rr.parse(ADDS))))
    less = NOTHING.replace("return x", "y = R.negative(x)\n        return y")
    ((pair, _),) = pairs_of(Lead((), tried), [ADDS, ADDS, ADDS, less])
    assert "R.negative" in pair.text
    first, second = pairs_of(Lead(), [*[ADDS] * 4, ADDS, ADDS, ADDS, less])
    assert second[1] != first[1]


def test_without_a_lead_every_program_is_judged() -> None:
    assert [(pair.text, promised) for pair, promised in pairs_of(None, [NOTHING, ADDS])] == [
        (rr.print_module(rr.parse(text)), frozenset()) for text in (NOTHING, ADDS)
    ]
