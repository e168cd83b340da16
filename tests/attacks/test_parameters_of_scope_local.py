"""A parameter of scope ``local`` is the caller's memory, however the threads of its function run.

Where threads wait for each other each of them had a copy of it, and the caller found what the greatest one wrote; where
they do not, they saw each other's stores, and nothing called that a race.
"""

from __future__ import annotations

import numpy as np
import pytest

import refrelax as rr

SYNC = {"in turns": "T.evaluate(0)", "in lockstep": 'T.tvm_storage_sync("shared")'}
HEAD = """
@T.prim_func(private=True)
def main(P: T.Buffer((3,), "int32", scope="local"), O: T.Buffer((3,), "int32")):
    for x in T.thread_binding(3, thread="threadIdx.x"):
"""


def outcome(body: str) -> object:
    lines = "".join(f"        {line}\n" for line in body.split("\n"))
    given = (np.array([7, 8, 9], "int32"), np.zeros(3, "int32"))
    return rr.run(rr.check(rr.parse(HEAD + lines)), "main", *given)


@pytest.mark.parametrize("sync", SYNC.values(), ids=SYNC.keys())
def test_the_caller_finds_what_each_thread_stored(sync: str) -> None:
    found = outcome(f"O[x] = P[x]\n{sync}\nP[2 - x] = 10 + x")
    assert isinstance(found, rr.Unspecified) is (sync == SYNC["in turns"])  # P[0] is read by 0, then written by 2
    found = outcome(f"O[x] = P[x]\n{sync}\nP[x] = 10 + x")
    assert isinstance(found, rr.Returned)
    assert [each.numpy().tolist() for each in found.arguments] == [[10, 11, 12], [7, 8, 9]]


@pytest.mark.parametrize("sync", SYNC.values(), ids=SYNC.keys())
def test_threads_that_store_in_one_element_race(sync: str) -> None:
    found = outcome(f"{sync}\nO[x] = P[0]\nif x == 1:\n    P[0] = 10\n{sync}")
    assert isinstance(found, rr.Unspecified) and found.rule == "ev/data-race"


@pytest.mark.parametrize("sync", SYNC.values(), ids=SYNC.keys())
def test_no_proof_forgets_what_the_caller_finds(sync: str) -> None:
    first, second = (
        rr.parse(f"{HEAD}        {sync}\n        P[x] = O[x] + {k}\n".replace("private=True", "")) for k in (1, 2)
    )
    assert not isinstance(rr.validate(first, second, timeout=20), rr.Equivalent)
    assert isinstance(rr.validate(first, first, timeout=20), rr.Equivalent)
