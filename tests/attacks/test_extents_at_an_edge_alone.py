"""A difference where one extent of several is 0 or 1 and the others are not is found without luck."""

import pytest

import refrelax as rr
from refrelax.judge import extents
from refrelax.judge.evidence import Refuted

SIGNATURE = 'A: T.Buffer((n, k), "float32"), B: T.Buffer((k, m), "float32"), C: T.Buffer((n, m), "float32")'
TEXT = """
n, k, m = TypeVar("n"), TypeVar("k"), TypeVar("m")

@T.prim_func
def main({signature}):
    acc = T.alloc_buffer((1,), "float32")
    for i, j in T.grid(n, m):
        acc[0] = T.float32(0)
        for l in range(k):
            acc[0] = acc[0] + A[i, l] * B[l, j]
            {inside}
        {behind}
"""
STORE = "C[i, j] = acc[0]"
"""Inside of the inner loop nothing is stored if it does not run."""
WRONG = {
    "no terms": (STORE, "pass"),
    "one term": ("pass", "C[i, j] = T.if_then_else(k == 1, acc[0] + T.float32(1), acc[0])"),
    "one row": ("pass", "C[i, j] = T.if_then_else(n == 1, acc[0] + T.float32(1), acc[0])"),
}
EDGES = {"no terms": ("k", 0), "one term": ("k", 1), "one row": ("n", 1)}


def module(inside: str, behind: str) -> rr.CheckedModule:
    text = TEXT.format(signature=SIGNATURE, inside=inside, behind=behind)
    return rr.check(rr.parse("".join(line for line in text.splitlines(True) if line.strip() != "pass")))


@pytest.mark.by_day(4)
@pytest.mark.parametrize("seed", range(4))
@pytest.mark.parametrize("name", WRONG)
def test_one_extent_at_an_edge(name: str, seed: int) -> None:
    found = rr.validate(module("pass", STORE), module(*WRONG[name]), seed=seed)
    symbol, edge = EDGES[name]
    assert isinstance(found, Refuted) and found.model[symbol] == edge, str(found)


def test_a_single_extent_is_at_its_edges_in_the_rounds() -> None:
    assert not list(extents.edges(["n"])) and not list(extents.edges([]))
    assert {"m": 0} in extents.edges(["n", "m"]) and {"n": 1} in extents.edges(["n", "m"])
    assert len(list(extents.edges("abcdefg"))) == 2 * extents.MOST_EDGES
