"""Every deliberately wrong variant of the fusion passes is shown wrong by a small program; the right passes are not."""

from __future__ import annotations

from typing import Any

import pytest

import refrelax as rr
from refrelax.errors import InternalError
from refrelax.judge import validate
from refrelax.judge.evidence import Equivalent, ProvedAt, Refuted
from refrelax.lower import lower
from refrelax.semantics.types.checked import CheckedModule
from refrelax.testing.arguments import random_arguments, symbols_of
from tests.lower.fusion_modules import MODULES
from tests.lower.mutants_fusion import MUTANTS, Mutant

FUSION = ("fuse_ops", "fuse_loops")
POLICIES = ("normal", "special", "dyadic")


def legal(name: str) -> CheckedModule:
    """A module of the collection, down to loop programs."""
    return lower(rr.check(rr.parse(MODULES[name])), "legalize").module


def observed(checked: CheckedModule, dims: dict[str, int], policy: Any, seed: int = 1) -> Any:
    """The outcome of ``main`` on random arguments, down to the bits and the poison."""
    known = {k: v for k, v in dims.items() if k in symbols_of(checked.module, "main")}
    outcome = rr.run(checked, "main", *random_arguments(checked.module, "main", seed, known, policy))
    if not isinstance(outcome, rr.Returned):
        return outcome
    return (bits(outcome.value), bits(outcome.arguments), outcome.poison, outcome.effects)


def bits(value: Any) -> Any:
    if isinstance(value, tuple):
        return tuple(map(bits, value))
    return (value.dtype, value.shape, tuple(value.patterns())) if isinstance(value, rr.Tensor) else value


def bindings(checked: CheckedModule) -> int:
    main = checked.module.relax_functions()["main"]
    return sum(len(block.bindings) for block in main.body.blocks)


@pytest.mark.by_day(7)
@pytest.mark.parametrize("mutant", MUTANTS, ids=[m.name for m in MUTANTS])
def test_mutant_is_shown_wrong(mutant: Mutant, monkeypatch: pytest.MonkeyPatch) -> None:
    before = legal(mutant.shows)
    assert bindings(before) <= 4
    wanted = [observed(before, mutant.dims, policy) for policy in POLICIES]
    right = lower(before, passes=FUSION).module
    assert [observed(right, mutant.dims, policy) for policy in POLICIES] == wanted
    for where, attribute, replacement in mutant.patches:
        monkeypatch.setattr(where, attribute, replacement)
    if mutant.how == "rejected":
        with pytest.raises((InternalError, rr.Rejection)):
            lower(before, passes=FUSION)
        return
    wrong = lower(before, passes=FUSION).module
    assert [observed(wrong, mutant.dims, policy) for policy in POLICIES] != wanted


UNREFUTED = {
    "negation as 0 - x": "differs in the sign of zero alone",
    "reduction in another order": "any order of a reduction is permitted",
}
"""Mutants that ``validate`` does not refute, and how they are wrong all the same: by the bits of ``ieee``."""


@pytest.mark.by_day(8)
@pytest.mark.parametrize("mutant", [m for m in MUTANTS if m.how == "outcome"], ids=lambda m: m.name)
def test_validate_refutes_it(mutant: Mutant, monkeypatch: pytest.MonkeyPatch) -> None:
    before = legal(mutant.shows)
    for where, attribute, replacement in mutant.patches:
        monkeypatch.setattr(where, attribute, replacement)
    verdict = validate(before, lower(before, passes=FUSION).module)
    assert isinstance(verdict, Refuted) is (mutant.name not in UNREFUTED)
    assert not isinstance(verdict, Refuted) or verdict.counterexample is not None


@pytest.mark.thorough
@pytest.mark.parametrize("name", MODULES)
def test_validate_proves_the_right_one(name: str) -> None:
    """Not only tested: proved, mostly for all extents and all values."""
    before = legal(name)
    verdict = validate(before, lower(before, passes=FUSION).module)
    assert isinstance(verdict, Equivalent | ProvedAt) and not verdict.relaxations
    assert isinstance(verdict, Equivalent) or name == "two-symbols"


def test_there_are_enough() -> None:
    assert len([m for m in MUTANTS if m.how == "outcome"]) >= 20
    assert len({m.name for m in MUTANTS}) == len(MUTANTS)
