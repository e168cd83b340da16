"""Attention over sequences that lie one after the other costs what its sequences cost, each alone."""

from __future__ import annotations

import sys
from collections.abc import Callable
from itertools import accumulate
from typing import Any

import pytest

import refrelax as rr
from refrelax.semantics.numbers import reading
from refrelax.semantics.ops import OPERATORS
from refrelax.semantics.ops.meaning import data
from refrelax.semantics.ops.meaning.evaluate import evaluate
from refrelax.semantics.ops.meaning.terms import written
from refrelax.syntax.graph import Call

WIDE = 3
"""The length of each of many sequences."""


def text(queries: int, keys: int, sequences: int, mask: str = "") -> str:
    return (
        "@I.ir_module\nclass Module:\n    @R.function\n    def main("
        f'q: R.Tensor((1, {queries}, 1, 2), "float32"), k: R.Tensor((1, {keys}, 1, 2), "float32"), '
        f'v: R.Tensor((1, {keys}, 1, 1), "float32"), s: R.Tensor(({sequences + 1},), "int32"), '
        f'e: R.Tensor(({sequences + 1},), "int32"), m: R.Tensor((), "int32")):\n'
        f"        return R.nn.attention_var_len(q, k, v, s, m, e, m{mask})\n"
    )


def arguments(queries: list[int], keys: list[int]) -> list[Any]:
    def tensor(n: int, width: int) -> rr.Tensor:
        rows = [[[((7 * (k * width + c)) % 5 - 2) / 4 for c in range(width)]] for k in range(n)]
        return rr.Tensor.of([rows], "float32")

    starts = [rr.Tensor.of([0, *accumulate(x)], "int32") for x in (queries, keys)]
    most = rr.Tensor.of(max(queries), "int32")
    return [tensor(sum(queries), 2), tensor(sum(keys), 2), tensor(sum(keys), 1), *starts, most]


def counted(run: Callable[[], Any]) -> int:
    """How many functions are called, built in or not."""
    calls = 0

    def count(_frame: Any, event: str, _arg: Any) -> None:
        nonlocal calls
        calls += event in ("call", "c_call")

    outer = sys.getprofile()
    sys.setprofile(count)
    try:
        run()
    finally:
        sys.setprofile(outer)
    return calls


def work(queries: list[int], keys: list[int], mask: str = "", numerics: str = "ieee") -> int:
    checked = rr.check(rr.parse(text(sum(queries), sum(keys), len(queries), mask)))
    given = arguments(queries, keys)

    def run() -> None:
        assert isinstance(rr.run(checked, "main", *given, numerics=numerics), rr.Returned)

    run()
    return counted(run)


@pytest.mark.by_day(3)
@pytest.mark.parametrize("numerics", ["ieee", "enclosure"])
@pytest.mark.parametrize("mask", ["", ', causal_mask="BottomRight"'])
def test_twice_the_sequences_are_twice_the_work(numerics: str, mask: str) -> None:
    few, many = (work([WIDE] * n, [WIDE + 1] * n, mask, numerics) for n in (16, 32))
    assert many < 2.1 * few, (few, many)


def test_long_queries_beside_long_keys_cost_no_product() -> None:
    """One sequence has all queries, another all keys."""
    few, many = (work([n, 1], [1, n]) for n in (32, 64))
    assert many < 2.1 * few, (few, many)


def test_the_budget_is_charged_by_sequence() -> None:
    checked = rr.check(rr.parse(text(48, 48, 16)))
    given = arguments([WIDE] * 16, [WIDE] * 16)
    assert isinstance(rr.run(checked, "main", *given, budget=rr.Budget(elements=3000)), rr.Returned)


def program(queries: int, keys: int, sequences: int) -> data.Program:
    checked = rr.check(rr.parse(text(queries, keys, sequences)))
    (call,) = (
        each.value
        for block in checked.module.functions["main"].body.blocks  # type: ignore[union-attr]
        for each in block.bindings
        if isinstance(each.value, Call)
    )
    ends = (sequences + 1,)
    operands = [("q", (1, queries, 1, 2)), ("k", (1, keys, 1, 2)), ("v", (1, keys, 1, 1))]
    given = [(name, list(dims), "float32") for name, dims in operands]
    positions = [(name, list(dims), "int32") for name, dims in (("s", ends), ("e", ends), ("m", ()), ("n", ()))]
    found = OPERATORS["relax.nn.attention_var_len"].text
    assert found is not None
    return written(found, call, *given, *positions)


def test_the_text_as_data_says_which_keys_there_are() -> None:
    """Evaluated, it computes as many scores as there are pairs of a query and a key of one sequence."""
    n = 8
    found = program(n * WIDE, n * WIDE, n)
    scores = next(step for step in found.steps if isinstance(step, data.Definition) and step.within is not None)
    given = arguments([WIDE] * n, [WIDE] * n)
    cells = [(x.shape, list(x.core.payloads())) for x in (*given, given[5])]
    dots = 0
    ieee = reading("ieee")

    class Counting:
        """The reading, with its dots counted."""

        def __getattr__(self, name: str) -> Any:
            return getattr(ieee, name)

        def at(self, dtype: str) -> Any:
            inner = ieee.at(dtype)

            class At:
                def __getattr__(self, name: str) -> Any:
                    return getattr(inner, name)

                def dot(self, *args: Any) -> Any:
                    nonlocal dots
                    dots += 1
                    return inner.dot(*args)

            return At()

    evaluate(found, Counting(), {}, cells)
    assert scores.dims[-1] == found.operands[1].dims[1]
    assert dots == n * WIDE * WIDE + n * WIDE
