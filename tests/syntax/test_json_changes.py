"""Whatever the tree: refused with a place, or checked, printed and run to an end, in bounded time."""

from __future__ import annotations

from collections.abc import Iterable
from itertools import islice

import pytest

import refrelax as rr
from refrelax.semantics.budget import Budget
from refrelax.testing import arguments
from refrelax.testing.arguments import random_arguments

from .json_changes import changed, other_arguments
from .test_mutations import Hang, alarm

SECONDS = 20.0
BUDGET = Budget(steps=3000, elements=20_000)


@pytest.fixture(autouse=True)
def few_elements(monkeypatch: pytest.MonkeyPatch) -> None:
    """What random arguments may hold here: making up 16 million elements takes longer than a program may, of which the
    budget then permits 20 000."""
    monkeypatch.setattr(arguments, "MOST_ELEMENTS", 1 << 20)


def judge(text: str) -> None:
    """Take a text through all that may be done with it.

    Raises:
        AssertionError: a refusal without a place, or JSON that does not come back.
    """
    try:
        module = rr.from_json(text)
    except rr.Malformed as refused:
        assert all(each.span is not None and "\n" not in each.message for each in refused.diagnostics)
        return
    assert rr.to_json(rr.from_json(rr.to_json(module))) == rr.to_json(module)
    try:
        checked = rr.check(module)
    except rr.Rejection as refused:
        assert all("\n" not in each.message for each in refused.diagnostics)
        return
    rr.print_module(module)
    for name in {**module.relax_functions(), **module.prim_funcs()}:
        try:
            rr.run(checked, name, args=random_arguments(module, name, 1), budget=BUDGET)
        except (rr.Unlinkable, rr.UsageError):
            continue


def findings(texts: Iterable[tuple[str, str]]) -> list[str]:
    found = []
    for what, text in texts:
        try:
            with alarm(SECONDS):
                judge(text)
        except Hang:
            found.append(f"{what}: hangs")
        except Exception as error:
            found.append(f"{what}: {type(error).__name__}: {str(error)[:200]}")
    return found


def numbered(numbers: range) -> Iterable[tuple[str, str]]:
    return ((str(number), changed(number)) for number in numbers)


@pytest.mark.thorough
def test_changed() -> None:
    assert not findings(numbered(range(1500)))


@pytest.mark.nightly
@pytest.mark.parametrize("part", range(10))
def test_changed_long(part: int) -> None:
    assert not findings(numbered(range(10_000 * part, 10_000 * (part + 1))))


@pytest.mark.thorough
def test_arguments() -> None:
    assert not findings(islice(other_arguments(1), 0, None, 29))


@pytest.mark.nightly
def test_every_argument() -> None:
    assert not findings(other_arguments(2))
