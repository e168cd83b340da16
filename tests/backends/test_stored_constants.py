"""A constant that a call stores into: what is stored is there until the run ends, and the next run has the constant."""

from __future__ import annotations

import numpy as np
import pytest

import refrelax as rr
from refrelax.conformance import load
from refrelax.conformance.cases import Case

NAMES = ("lowering/constants-that-a-call-stores-in", "lowering/name-of-a-constant-that-a-call-stores-in")
CASES = [case for case in load() if case.name in NAMES]


@pytest.mark.by_day(3)
@pytest.mark.parametrize("backend", ["numpy", "cuda-emulated"])
@pytest.mark.parametrize("case", CASES, ids=lambda case: case.name.rpartition("/")[2])
def test_every_run_begins_with_the_constant(case: Case, backend: str) -> None:
    module = rr.parse(case.module)
    arrays = {k: np.array(each["data"], each["dtype"]) for k, each in enumerate(case.constants)}
    checked = rr.check(rr.bind_constants(module, arrays) if arrays else module)
    args = [np.array(each["data"], each["dtype"]) for each in case.args]
    compiled = rr.compile(checked, backend)
    for _ in range(2):
        outcome = compiled.run("main", *args)
        assert isinstance(outcome, rr.Returned)
        assert outcome.value.tolist() == case.value["data"]
