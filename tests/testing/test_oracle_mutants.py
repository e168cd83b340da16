"""Broken on purpose, a definition is caught by its oracle."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache
from typing import Any

import pytest

from refrelax.semantics.ops import OPERATORS
from refrelax.semantics.ops.meaning.indices import Unfit
from refrelax.testing.oracles import ORACLES, Absent, Library, Oracle

from .data_mutants import changes, mutants, seen, taken
from .oracle_calls import asked, by_numpy
from .test_oracles import PYTHON, Libraries, libraries  # noqa: F401

SEEDS = (0, 1)
WANTED = 0.95
"""The share of broken definitions that the oracles see."""


def broken(oracle: Oracle, name: str, most: int, ask: Any) -> Iterator[tuple[str, bool]]:
    """What was done to a definition, spread over all that can be done, and whether the library's answers show it. What
    is the same function in exact arithmetic, also on other arguments, is not broken."""
    call = asked(oracle)
    try:
        cases = [(taken(name, call, arrays), ask(call, arrays)) for arrays in map(call.arguments, SEEDS)]
    except Unfit:
        return  # what no data can say of these attributes

    @cache
    def others() -> list[Any]:
        return [taken(name, call, call.arguments(seed)) for seed in (2, 3, 4, 5)]

    all_of_them = [list(mutants(each.program)) for each, _ in cases]
    count = len(all_of_them[0])
    for k in range(0, count, max(1, count // most)):
        dead = any(
            seen(each, there[k][1](), answers) for (each, answers), there in zip(cases, all_of_them, strict=True)
        )
        if dead or any(changes(each, list(mutants(each.program))[k][1]()) for each in others()):
            yield all_of_them[0][k][0], dead


def share(names: list[str], libraries_: tuple[Library, ...], most: int, ask: Any) -> tuple[int, int, list[str]]:
    """How many were seen, of how many, and the ones that were not."""
    caught, total, missed = 0, 0, []
    for name in names:
        found = ORACLES[name]
        if isinstance(found, Absent) or OPERATORS[name].text is None:
            continue
        for oracle in found:
            for what, dead in broken(oracle, name, most, ask) if oracle.library in libraries_ else ():
                caught, total = caught + dead, total + 1
                missed += [] if dead else [f"{name}: {what}"]
    return caught, total, missed


FEW = ["add", "maximum", "less", "where", "matmul", "sum", "cumsum", "concat", "tril", "take", "nn.pad", "permute_dims"]


def test_a_broken_definition_is_caught_by_numpy() -> None:
    caught, total, missed = share([f"relax.{name}" for name in FEW], ("numpy",), 8, by_numpy)
    assert total > 40 and caught >= WANTED * total, missed


@pytest.mark.nightly
def test_every_definition_that_numpy_knows_is_caught() -> None:
    caught, total, missed = share(list(ORACLES), ("numpy",), 60, by_numpy)
    assert total > 400 and caught >= WANTED * total, missed


@pytest.mark.nightly
@pytest.mark.tvm
@pytest.mark.skipif(not PYTHON, reason="REFRELAX_TVM_PYTHON is not set")
def test_every_definition_that_the_libraries_know_is_caught(libraries: Libraries) -> None:  # noqa: F811
    from .test_oracles import _arrays

    caught, total, missed = share(
        list(ORACLES), ("torch", "tvm"), 16, lambda call, arrays: _arrays(libraries.ask(call, arrays))
    )
    assert total > 400 and caught >= WANTED * total, missed
