"""Every deliberately wrong variant of the fusion passes is shown wrong by a small program; the right passes are not."""

from __future__ import annotations

from typing import Any

import pytest

import refrelax as rr
from refrelax.errors import InternalError
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


def test_there_are_enough() -> None:
    assert len([m for m in MUTANTS if m.how == "outcome"]) >= 20
    assert len({m.name for m in MUTANTS}) == len(MUTANTS)
