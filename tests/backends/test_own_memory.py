"""Memory of scope ``local`` around loops over threads, on the backends: what a neighbour wrote is not there."""

from __future__ import annotations

import numpy as np
import pytest

import refrelax as rr
from refrelax.backends.cupy_ import emulate
from refrelax.backends.errors import Unsupported
from refrelax.backends.own_memory import with_own_memory
from refrelax.syntax.loops import PrimFunc
from tests.attacks.test_memory_of_neighbours import BODIES, BX, GIVEN, TX, TX2, TY, module

REFUSED = {
    "a view that the threads declare": "another name",
    "another dtype": "another name",
    "another dtype, of threads that wait": "another name",
    "blocks, and threads that wait": "barrier",
    "launches of two tags, of which one waits": "barrier",
    "what is added to it": "atomic_add",
}
COMPILED = [name for name in BODIES if name not in REFUSED]

MORE = {
    "an element for each, of what was there": (
        f"L = T.alloc_buffer((6,), scope='local')\nfor k in range(6):\n    L[k] = T.float32(7)\n"
        f"for t in {TX}:\n    L[t] = A[t]\nfor t in {TX}:\n    B[t] = L[0]",
        [1, 7, 7, 7, 7, 7],
    ),
    "a scalar": (
        f"l: T.float32 = T.float32(3)\nfor t in {TX}:\n    l = l + A[t]\nfor t in {TX}:\n    B[t] = l",
        [4, 5, 6, 7, 8, 9],
    ),
    "in a block": (
        f"with T.sblock('a'):\n    L = T.sblock_alloc_buffer((1,), scope='local')\n    for t in {TX}:\n"
        f"        with T.sblock('b'):\n            v = T.axis.spatial(6, t)\n            L[0] = A[v]\n"
        f"    for t in {TX}:\n        with T.sblock('c'):\n            v = T.axis.spatial(6, t)\n"
        "            B[v] = L[0]",
        [1, 2, 3, 4, 5, 6],
    ),
    "started by its block": (
        "for k in range(1):\n    with T.sblock('a'):\n        j = T.axis.reduce(1, k)\n"
        "        L = T.sblock_alloc_buffer((1,), scope='local')\n"
        "        with T.init():\n            L[0] = T.float32(3)\n"
        f"        for t in {TX}:\n            L[0] = L[0] + A[t]\n        for t in {TX}:\n            B[t] = L[0]",
        [4, 5, 6, 7, 8, 9],
    ),
    "in a condition": (
        f"L = T.alloc_buffer((1,), scope='local')\nfor t in {TX}:\n    L[0] = A[t]\nfor t in {TX}:\n"
        "    if L[0] > T.float32(3):\n        B[t] = L[0]\n    else:\n        B[t] = T.float32(0)",
        [0, 0, 0, 4, 5, 6],
    ),
    "inside a block of threads": (
        f"for b in {BX}:\n    L = T.alloc_buffer((1,), scope='local')\n    for u in {TY}:\n"
        f"        L[0] = A[b * 3 + u]\n    for u in {TY}:\n        B[b * 3 + u] = L[0]",
        [1, 2, 3, 4, 5, 6],
    ),
}
ALL = {**{name: BODIES[name] for name in COMPILED}, **MORE}


def backends() -> list[tuple[str, str]]:
    emulated = [("cuda-emulated", mode) for mode in ("bits", "fast")] if emulate.compiler() else []
    return [("numpy", "bits"), ("numpy", "fast"), *emulated]


@pytest.mark.by_day(4)
@pytest.mark.parametrize(("backend", "mode"), backends())
@pytest.mark.parametrize("name", ALL)
def test_backends_agree_with_the_definition(name: str, backend: str, mode: str) -> None:
    body, wanted = ALL[name]
    checked = rr.check(module(body))
    for run in (rr.run, rr.compile(checked, backend, mode).run):
        given = (checked,) if run is rr.run else ()
        found = run(*given, "main", GIVEN, np.zeros(6, "float32"))
        assert isinstance(found, rr.Returned)
        assert found.arguments[1].numpy().tolist() == wanted


@pytest.mark.parametrize("name", REFUSED)
def test_what_is_not_seen_is_not_compiled(name: str) -> None:
    with pytest.raises(Unsupported, match=REFUSED[name]):
        rr.compile(rr.check(module(BODIES[name][0])), mode="bits")


def test_much_memory_is_not_copied() -> None:
    body = (
        f"L = T.alloc_buffer((2048,), scope='local')\nfor t in {TX}:\n    L[0] = A[t]\nfor t in {TX}:\n    B[t] = L[0]"
    )
    with pytest.raises(Unsupported, match="the same element"):
        rr.compile(rr.check(module(body)), mode="bits")


SAME = {
    "elements of their own": (
        f"L = T.alloc_buffer((4096,), scope='local')\nfor t in {TX2}:\n    for k in range(3):\n"
        "        L[t * 3 + k] = A[t * 3 + k]\n"
        f"for t in {TX2}:\n    for j in range(3):\n        B[t * 3 + j] = L[t * 3 + j]"
    ),
    "in one go": (
        f"L = T.alloc_buffer((4096,), scope='local')\nfor b in {BX}:\n    for u in {TY}:\n        L[0] = A[b * 3 + u]\n"
        "        B[b * 3 + u] = L[0]"
    ),
    "no threads": "L = T.alloc_buffer((1,), scope='local')\nfor k in range(6):\n    L[0] = A[k]\n    B[k] = L[0]",
}


@pytest.mark.parametrize("name", SAME)
def test_what_needs_no_copies_has_none(name: str) -> None:
    made = module(SAME[name]).functions["main"]
    assert isinstance(made, PrimFunc)
    assert with_own_memory(made) == made
    found = rr.compile(rr.check(module(SAME[name])), mode="bits").run("main", GIVEN, np.zeros(6, "float32"))
    assert isinstance(found, rr.Returned)
    assert found.arguments[1].numpy().tolist() == GIVEN.tolist()


@pytest.mark.parametrize(
    "second", [f"for t in {TX2}:\n    for j in range(3):\n        B[t * 3 + j] = L[j * 2 + t]",
               f"for t in {TX}:\n    B[t] = L[t]"],
)  # fmt: skip
def test_other_indices_are_copies(second: str) -> None:
    first = f"L = T.alloc_buffer((6,), scope='local')\nfor t in {TX2}:\n    for k in range(3):\n"
    first += "        L[t * 3 + k] = A[t]\n"
    made = module(first + second).functions["main"]
    assert isinstance(made, PrimFunc)
    assert with_own_memory(made) != made
