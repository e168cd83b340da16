"""The three laws of element terms hold on generated programs, and do not hold once a cause of a wrong proof is back."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from time import process_time
from typing import Any
from unittest.mock import patch

import pytest

from refrelax.lower.legalize import LEGALIZERS
from refrelax.lower.legalize import scalars as S
from refrelax.lower.legalize.from_text import Writer, legalizer
from refrelax.semantics.numbers.bounds import EXTREME_IDENTITY, ZERO_SIGN
from refrelax.semantics.ops import attributes as A
from refrelax.semantics.ops.meaning import Array, Meaning
from refrelax.semantics.ops.meaning.calculus import lines
from refrelax.semantics.ops.reduce import axes_of, kept
from refrelax.shape_solver.pointwise import closing, descent, elements, memories, simplify
from refrelax.shape_solver.pointwise.descent import Descent
from refrelax.shape_solver.pointwise.elements import Reading
from refrelax.shape_solver.pointwise.terms import Choose, Terms
from refrelax.syntax.graph import Call

from .term_laws import Broken, laws, operator_laws

FEW, MANY, OPERATORS, BLOCKS = 40, 50_000, 10_000, 20
"""Pairs in every run; at night, two programs each; calls of operators at night; in how many tests."""

SECONDS, FIRST = 60, 100_000
"""Within these a law fails that does not hold, of the processor (the machine may be shared); from this pair on."""


@pytest.mark.thorough
def test_the_laws_hold() -> None:
    counts = sum((laws(seed) for seed in range(FEW)), Counter[str]())
    assert counts["extracted"] > 2 * FEW and counts["simplified"] > 20 * FEW and counts["equal"] > 8 * FEW, counts


def test_terms_of_two_tables_are_not_mixed() -> None:
    """A comparison in step has its own table, in which ``?0`` is another element than in that of the reading."""
    assert laws(2038741)["equal"] > 0


@pytest.mark.nightly
@pytest.mark.parametrize("block", range(BLOCKS))
def test_the_laws_hold_of_many(block: int) -> None:
    """``benchmarks/term_laws.py --count`` does the same, as often as one likes."""
    for seed in range(block * MANY // BLOCKS, (block + 1) * MANY // BLOCKS):
        laws(seed)


def _any_width(self: Reading, new: Any, dtype: str, purpose: str, given: Any) -> None:
    if dtype != "int64":
        FITS(self, new, dtype, purpose, given)


def _equal_arms(self: Terms, condition: Any, yes: Any, no: Any) -> Any:
    return yes if yes is no else self._put(("choose", id(condition), id(yes), id(no)), Choose(condition, yes, no))


def _not_named(relaxation: str) -> Callable[[Descent, str], bool]:
    return lambda self, name: name == relaxation or RELAX(self, name)


FITS, RELAX = Reading._fits, Descent.relax

CAUSES: dict[str, tuple[object | tuple[object, ...], str, object]] = {
    "an index may be the element that is stored": (elements, "has_old", lambda t: False),
    "int64 is as wide as need be": (Reading, "_fits", _any_width),
    "iterations of a parallel loop have an order": ((closing, memories), "UNORDERED", frozenset()),
    "a choice between equals forgets its condition": (Terms, "choose", _equal_arms),
    "zeros of both signs are one start": (Descent, "relax", _not_named(ZERO_SIGN)),
    "infinity and the greatest number are one start": (Descent, "relax", _not_named(EXTREME_IDENTITY)),
    "what is read out of bounds is what would be there": (Descent, "_in_bounds", lambda *_: True),
    # others of their kind
    "a difference commutes": (descent, "COMMUTES", descent.COMMUTES | {"Sub"}),
    "a digit needs no bounds": (simplify, "within", lambda *_: ()),
}
"""Causes of wrong proofs that were found, put back: where (in each of several), and what stands there instead."""


def _no_maximum(m: Meaning, call: Call, x: Array) -> Array:
    """``softmax`` without its maximum."""
    f, (one, line) = m.at(x.dtype), lines(x, [A.integer(call, "axis") % x.ndim])
    powers = m.pointwise(x.dtype, f.math("exp"), x)
    total = m.tensor(one, x.dtype, lambda *i: f.reduce("add", powers.over(line(i))))
    return m.pointwise(x.dtype, f.div, powers, total)


def _at_most_64(m: Meaning, call: Call, x: Array) -> Array:
    """A mean that divides by at most 64."""
    axes = axes_of(call, x)
    f, (one, line) = m.at(x.dtype), lines(x, axes)
    count = m.least(m.product(x.dims[k] for k in axes), 64)
    total = m.tensor(one, x.dtype, lambda *i: f.div(f.reduce("add", x.over(line(i))), f.lit(count)))
    return kept(m, call, total, axes)


def _doubled(m: Meaning, call: Call, x: Array) -> Array:
    """A ``relu`` that doubles above 1e8."""
    f, zero = m.at(x.dtype), m.at(x.dtype).lit(0)
    if x.dtype == "bool":
        return m.copy(x)
    large = f.lit(100 if x.dtype == "int8" else 100_000_000)
    return m.pointwise(
        x.dtype, lambda a: f.select(f.less(large, a), f.add(a, a), f.maximum(a, zero)), x
    )  # fmt: skip


def _position(self: Writer, out: Any, lengths: Any, t: Any, family: Any, env: Any) -> None:
    """The position of an extreme, found by reading the element at the best position so far."""

    def at(i: Any) -> Any:
        digits = [i[-1]] if lengths else []
        for n in reversed(lengths[1:]):
            digits[:1] = [digits[0] // n, digits[0] % n]
        return self.element(family.item, env((*i[:-1], *digits)))

    def step(best: Any, *i: Any) -> Any:
        new, old = at(i), at((*i[:-1], best))
        return S.select(new > old if t.op == "maximum" else new < old, i[-1], best)

    self.s.k.fold(out, [S.product(lengths)], S.index(0), step)


LOOPS: dict[str, tuple[str, object, object, object]] = {
    "softmax without the maximum": ("nn.softmax", LEGALIZERS, "relax.nn.softmax", legalizer(_no_maximum)),
    "a mean divides by at most 64": ("mean", LEGALIZERS, "relax.mean", legalizer(_at_most_64)),
    "relu doubles above 1e8": ("nn.relu", LEGALIZERS, "relax.nn.relu", legalizer(_doubled)),
    "a position that may be poison is an index": ("argm", Writer, "position", _position),
}
"""Loops of operators that are wrong: of which operators, where, and what stands there instead."""


@pytest.mark.thorough
def test_operators_are_what_their_loops_say() -> None:
    counts = sum((operator_laws(seed) for seed in range(FEW)), Counter[str]())
    assert counts["extracted"] > FEW // 3, counts


@pytest.mark.thorough
def test_operators_that_take_tuples_are_what_their_loops_say() -> None:
    """A parameter that is a tuple is all of its tensors."""
    assert sum((operator_laws(seed, "concat") for seed in range(16)), Counter[str]())["extracted"] > 8


@pytest.mark.nightly
@pytest.mark.parametrize("block", range(BLOCKS))
def test_many_operators_are_what_their_loops_say(block: int) -> None:
    for seed in range(block * OPERATORS // BLOCKS, (block + 1) * OPERATORS // BLOCKS):
        operator_laws(seed)


@pytest.mark.nightly
@pytest.mark.parametrize("fault", LOOPS)
def test_wrong_loops_of_an_operator_are_found(fault: str) -> None:
    """The proof itself cannot see them: it reads both programs by the same loops."""
    start = process_time()
    only, where, name, what = LOOPS[fault]
    broken: Any = patch.dict(where, {name: what}) if isinstance(where, dict) else patch.object(where, str(name), what)
    with broken:
        for seed in range(1_000_000):
            try:
                operator_laws(seed, only)
            except Broken:
                return
            assert process_time() < start + SECONDS, f"not found among {seed} calls"


@contextmanager
def put_back(cause: str) -> Iterator[None]:
    where, name, what = CAUSES[cause]
    with ExitStack() as stack:
        for each in where if isinstance(where, tuple) else (where,):
            stack.enter_context(patch.object(each, name, what))
        yield


@pytest.mark.parametrize("cause", CAUSES)
def test_a_cause_can_be_put_back(cause: str) -> None:
    """What it takes the place of is still there."""
    with put_back(cause):
        pass


@pytest.mark.nightly
@pytest.mark.parametrize("cause", CAUSES)
def test_a_cause_of_wrong_proofs_is_found(cause: str) -> None:
    start = process_time()
    with put_back(cause):
        for seed in range(FIRST, 1_000_000):
            try:
                laws(seed)
            except Broken:
                return
            assert process_time() < start + SECONDS, f"not found among {seed - FIRST} pairs"
