"""Whatever number of an operator's call is huge: the budget ends the run before time or memory does."""

from __future__ import annotations

import ast
import re
import resource
import time
from collections.abc import Iterator
from functools import cache

import pytest

import refrelax as rr
from refrelax.conformance.cases import load, load_examples
from refrelax.semantics.ops import OPERATORS
from refrelax.testing import random_arguments
from tests.clock import seconds_since

from .catalogue import SAMPLES

HUGE = (10**6, 10**12, 2**62)
BUDGET = rr.Budget(steps=10_000, elements=10_000)
"""So small that one second is long: work of another order than what was charged shows."""

SECONDS, MEGABYTES = 1.0, 200


@cache
def texts() -> dict[str, str]:
    """For each operator, the shortest module that calls it, of the samples, the cases and the examples."""
    found: dict[str, str] = {}
    cases = [c.module for c in (*load(), *load_examples()) if c.module]
    for text in sorted([*(s.text for s in SAMPLES), *cases], key=len):
        for name in re.findall(r"\bR\.([a-z_0-9.]+)", text):
            found.setdefault(f"relax.{name}", text)
    return found


def inflated(text: str) -> Iterator[str]:
    """The text with one integer of a function's body made huge, and with all of them; nothing says what they were."""
    tree = ast.parse(text)
    functions = [each for each in ast.walk(tree) if isinstance(each, ast.FunctionDef)]
    for each in functions:
        each.returns = None
    found = [n for f in functions for s in f.body for n in ast.walk(s) if isinstance(n, ast.Constant)]
    places = [n for n in found if type(n.value) is int and n.value >= 0]
    for group in (*([each] for each in places), places):
        before = [each.value for each in group]
        for huge in HUGE if group else ():
            for each in group:
                each.value = huge
            yield ast.unparse(tree)
        for each, value in zip(group, before, strict=True):
            each.value = value


@pytest.mark.thorough
@pytest.mark.parametrize("name", sorted(OPERATORS))
def test_a_huge_number_ends_in_time(name: str) -> None:
    for text in inflated(texts()[name]):
        try:
            checked = rr.check(rr.parse(text))
            args = random_arguments(checked.module)
        except (rr.Rejection, rr.UsageError):
            continue
        began, peak = time.process_time(), resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
        try:
            outcome = rr.run(checked, "main", *args, budget=BUDGET)
        except (rr.Unlinkable, rr.UsageError):
            continue
        assert seconds_since(began) < SECONDS, text
        assert resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - peak < MEGABYTES * 1000, text
        assert outcome != rr.Exhausted("memory"), text


@pytest.mark.parametrize("call", ["cumsum(x)", "cumprod(x, exclusive=True)"])
def test_a_scan_costs_as_much_as_it_has_elements(call: str) -> None:
    text = f'@R.function\ndef main(x: R.Tensor((3, 4001), "float32")):\n    y = R.{call}\n    return y\n'
    ones = [[1.0] * 4001] * 3
    assert isinstance(rr.run(rr.check(rr.parse(text)), "main", ones, budget=rr.Budget(elements=80_000)), rr.Returned)
