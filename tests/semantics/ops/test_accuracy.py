"""Contracts of accuracy: the exact result, rounded once, is permitted by every operator at every float dtype, and the
word of each operator says what its enclosures are."""

from __future__ import annotations

import math
import random
from collections.abc import Iterator
from contextlib import contextmanager
from functools import lru_cache
from itertools import islice
from typing import Any

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

import refrelax as rr
from refrelax.errors import Rejection
from refrelax.running.arrays import pack, tensors
from refrelax.semantics.numbers.enclosure import enclose
from refrelax.semantics.numbers.interval_functions import Inflation
from refrelax.semantics.ops import FAMILIES, OPERATORS
from refrelax.semantics.ops.accuracy import ACCURACY, STEPS, WORDS, accuracy_of
from refrelax.syntax import dtypes
from refrelax.testing.exactness import BUDGET, FORMATS, Found, arguments, drawn, exact_elements, faults
from refrelax.testing.sketches import SKETCHES
from refrelax.testing.sweep import Program, programs
from refrelax.testing.sweep import _parameters as parameters_of
from refrelax.testing.sweep import _program as program_of
from tests.draws import draws

Checked = tuple[Program, rr.CheckedModule]


def accepted(op: str, seed: int, only: tuple[str, ...], per_dtype: int = 1) -> Iterator[Checked]:
    for program in programs(op, seed, per_dtype=per_dtype, only=only):
        checked = checked_of(program.text)
        if checked is not None:
            yield program, checked


@lru_cache(maxsize=1024)
def checked_of(text: str) -> rr.CheckedModule | None:
    """Another seed writes the same program, of which it draws other arguments: of 16 texts that 40 seeds write for an
    operator one is new, and half of the time went into reading them."""
    try:
        return rr.check(rr.parse(text))
    except Rejection:
        return None


def test_every_operator_has_a_word() -> None:
    assert set(ACCURACY) <= set(OPERATORS)
    assert all(OPERATORS[name].accuracy is ACCURACY[name] and ACCURACY[name].word in WORDS for name in ACCURACY)
    assert all(OPERATORS[name].accuracy is STEPS for name in set(OPERATORS) - set(ACCURACY))


def test_a_text_that_no_row_names_has_the_widest_word() -> None:
    assert accuracy_of("relax.nn.new", is_text=True) is STEPS


# --- the law ----------------------------------------------------------------------------------------------------------


def holds(op: str, seed: int, only: tuple[str, ...], found: Found, per_dtype: int = 1) -> None:
    for program, checked in accepted(op, seed, only, per_dtype):
        args = arguments(program, 1 if seed % 5 == 4 else 3, seed)
        for why in faults(checked, args, found=found):
            raise AssertionError(f"{program.text}{args}\n{why}")


@settings(max_examples=draws(60), deadline=None)
@given(st.sampled_from(sorted(SKETCHES)), st.integers(0, 10_000), st.sampled_from(FORMATS))
@example("nn.batch_norm", 0, "float32")
@example("nn.layer_norm", 2, "float16")
@example("nn.selu", 0, "float32")
@example("hamming_window", 1, "float16")
@example("quantize", 3, "float16")
@example("std", 1, "float16")
def test_the_exact_result_is_permitted(op: str, seed: int, dtype: str) -> None:
    holds(op, seed, (dtype,), Found())


@pytest.mark.nightly
@pytest.mark.parametrize("op", sorted(SKETCHES))
def test_the_exact_result_is_permitted_everywhere(op: str) -> None:
    found = Found()
    for seed in range(40):
        holds(op, seed, FORMATS, found, per_dtype=3)


AIMED = {
    "nn.attention_var_len": (
        "q:D[1,3,1,2] k:D[1,3,1,2] v:D[1,3,1,2] s:int32[2] m:int32[]",
        "R.nn.attention_var_len(q, k, v, s, m, s, m)",
    ),
    "dynamic_strided_slice": ("x:D[5] b:int64[1] e:int64[1] t:int64[1]", "R.dynamic_strided_slice(x, b, e, t)"),
    "one_hot": ("i:int64[7]", "R.one_hot(i, T.D(2), T.D(1), 5)"),
    "scatter_elements": ("x:D[5] i:int64[7] u:D[7]", 'R.scatter_elements(x, i, u, axis=0, reduction="add")'),
    "scatter_nd": ("x:D[5] i:int64[7,1] u:D[7]", 'R.scatter_nd(x, i, u, reduction="add")'),
    "multinomial_from_uniform": (
        "p:D[1,3] u:D[3,1] z:int64[3,1]",
        'R.multinomial_from_uniform(p, u, z, dtype="int64")',
    ),
}
"""Calls of operators whose positions, drawn at random, leave nearly every run open."""

PLACES = {"i": [0, 0, 1, 0, 4, 0, 1], "s": [0, 3], "m": [3], "b": [0], "e": [4], "t": [1], "z": [0, 0, 0]}

NO_ELEMENTS = {name for name in SKETCHES if name.startswith("inspect.")} | {"shape_of", "shape_to_tensor"}
"""Their results are numbers of the tensor, of no float."""

NO_FLOATS = {"bitwise_and", "bitwise_not", "bitwise_or", "bitwise_xor", "left_shift", "right_shift", "tensor_to_shape"}
"""They take no tensor of floats."""


def aimed(op: str, dtype: str, found: Found) -> None:
    head, call = AIMED[op]
    program = program_of(op, parameters_of(head), call.replace("T.D", f"T.{dtype}"), {"D": dtype})
    args = [
        rr.Tensor.of_bytes(p.dtype, tuple(map(int, p.extents or ())), pack(p.dtype, PLACES[p.name]))
        if p.name in PLACES
        else drawn(p, 3, k)
        for k, p in enumerate(program.params)
    ]
    why = list(faults(rr.check(rr.parse(program.text)), args, found=found))
    assert not why, f"{program.text}{args}\n{why}"


@pytest.mark.nightly
@pytest.mark.parametrize(
    "op", sorted(name for name in SKETCHES if OPERATORS[f"relax.{name}"].accuracy.word != "none")
)  # fmt: skip
def test_every_operator_is_looked_at_in_every_float_dtype(op: str) -> None:
    """The law could hold of a dtype because no element of it was ever decided."""
    taken = 0
    for dtype in FORMATS:
        found, programs_taken = Found(), 0
        for seed in range(40):
            for program, checked in accepted(op, seed, (dtype,)):
                programs_taken += 1
                for why in faults(checked, arguments(program, 3, seed), found=found):
                    raise AssertionError(f"{program.text}\n{why}")
            if found.decided:
                break
        if op in AIMED:
            aimed(op, dtype, found)
        taken += programs_taken
        assert found.decided or not programs_taken or op in NO_ELEMENTS, dtype
    assert bool(taken) != (op in NO_FLOATS)


@pytest.mark.parametrize("op", sorted(AIMED))
def test_the_exact_result_is_permitted_at_given_positions(op: str) -> None:
    found = Found()
    for dtype in ("float32", "float16", "bfloat16"):
        aimed(op, dtype, found)
    assert found.decided > 2


# --- the words --------------------------------------------------------------------------------------------------------


def ends(payload: Any, dtype: str) -> tuple[float, float] | None:
    """Least and greatest permitted number; ``None`` where a NaN or poison is permitted too."""
    held: Any = enclose(payload, dtype)
    if held.rule is not None or held.nan or not (math.isfinite(held.lo) and math.isfinite(held.hi)):
        return None
    return held.lo, held.hi


def measured(op: str, only: tuple[str, ...], seeds: range) -> Iterator[tuple[str, float, float, float, str]]:
    """The dtype, the least, the greatest and the exact result of elements of ordinary arguments, and where."""
    for seed in seeds:
        for program, checked in accepted(op, seed, only):
            args = arguments(program, 3, 2 * seed)
            wide = rr.run(checked, "main", *args, numerics="enclosure", budget=BUDGET)
            exact = exact_elements(checked, args)
            if not isinstance(wide, rr.Returned) or exact is None:
                continue
            for tensor, column in zip(tensors(wide.value), exact, strict=True):
                if not dtypes.is_float(tensor.dtype) or len(column) != tensor.size:
                    continue
                for payload, best in zip(tensor.core.payloads(), column, strict=True):
                    found = ends(payload, tensor.dtype)
                    if found is not None and best is not None:
                        yield tensor.dtype, *found, best, f"{program.call} of {args}"


@contextmanager
def by_its_steps(op: str) -> Iterator[None]:
    """The operator without its contract, which makes every set as wide as the word says."""
    kept = OPERATORS[f"relax.{op}"]
    (OPERATORS[kept.name],) = (row for family in FAMILIES for row in family.OPERATORS if row.name == kept.name)
    try:
        yield
    finally:
        OPERATORS[kept.name] = kept


def needless(op: str, seeds: range) -> str | None:
    """Why a word is wider than the operator: its steps give one number, the exact result, wherever we looked."""
    count = 0
    with by_its_steps(op):
        for _, low, high, best, _ in measured(op, ("float32", "float16"), seeds):
            count += 1
            if not low == high == best:
                return None
    return f"every step gives the exact result, of {count} elements" if count else None


def contradiction(op: str, word: str, ulps: float, seeds: range) -> str | None:
    """Why a word is not that of an operator, of what could be seen; ``None`` if it may be."""
    wide = False
    for dtype, low, high, best, where in measured(op, ("float32", "float16"), seeds):
        wide = wide or low < high
        if word in ("exact", "correctly-rounded") and not low == high == best:
            return f"{word}, but [{low!r}, {high!r}] is permitted around {best!r}: {where}"
        if word == "ulps":
            reach = (ulps + 1) * Inflation(dtype).ulp(best) + Inflation(dtype).normal
            reach = max(reach, 2 * Inflation(dtype).ulp(1.0)) if op == "tanh" else reach
            if best - low > reach or high - best > reach:
                return f"{ulps} ulps, but [{low!r}, {high!r}] is permitted around {best!r}: {where}"
    if word in ("ulps", "reduction", "stepwise") and not wide:
        return f"{word}, but every permitted set is a single number"
    return None


DECIDED_INTEGERS = {"multinomial_from_uniform", "vision.non_max_suppression", "vision.all_class_non_max_suppression"}
"""What rounding decides here is integers, or which rows are copied."""

ALONE = {"ccl.allreduce", "outer"}
"""Alone in its world there is nothing to add; a product of two is a sum of one."""

EVEN = {"arange", "nn.nll_loss"}
"""Calls of the sketches round nothing here: whole steps, losses of one."""

COLLIDING = {
    "scatter_elements": (
        "x:float32[5] i:int64[7] u:float32[7]",
        'R.scatter_elements(x, i, u, axis=0, reduction="add")',
    ),
    "scatter_nd": ("x:float32[5] i:int64[7,1] u:float32[7]", 'R.scatter_nd(x, i, u, reduction="add")'),
    "index_put": ("x:float32[5] i:int64[7] u:float32[7]", "R.index_put(x, (i,), u, accumulate=True)"),
    "grad.take_backward": ("u:float32[7] x:float32[5] i:int64[7]", "R.grad.take_backward(u, x, i, axis=0)"),
    "nn.attention_var_len": (
        "q:float32[1,3,1,2] k:float32[1,3,1,2] v:float32[1,3,1,2] s:int32[2] m:int32[]",
        "R.nn.attention_var_len(q, k, v, s, m, s, m)",
    ),
}
"""Operators that add at one place: calls in which several meet there."""

GIVEN = {"i": [0, 0, 1, 0, 4, 0, 1], "s": [0, 3], "m": [3]}


@pytest.mark.parametrize("op", sorted(COLLIDING))
def test_what_meets_at_one_place_is_added_in_any_order(op: str) -> None:
    head, call = COLLIDING[op]
    params = program_of(op, parameters_of(head), call, {}).params
    args = [
        rr.Tensor.of_bytes(p.dtype, shape, pack(p.dtype, GIVEN[p.name])) if p.name in GIVEN else drawn(p, 3, k)
        for k, p in enumerate(params)
        for shape in [tuple(map(int, p.extents or ()))]
    ]
    checked = rr.check(rr.parse(program_of(op, parameters_of(head), call, {}).text))
    wide = rr.run(checked, "main", *args, numerics="enclosure")
    assert isinstance(wide, rr.Returned)
    assert any(
        low < high
        for t in tensors(wide.value)
        for p in t.core.payloads()
        if (e := ends(p, t.dtype))
        for low, high in [e]
    )
    assert not list(faults(checked, args))


@pytest.mark.thorough
@pytest.mark.parametrize("op", sorted(name for name in SKETCHES if OPERATORS[f"relax.{name}"].accuracy.word != "none"))
def test_the_word_is_what_enclosures_are(op: str) -> None:
    accuracy = OPERATORS[f"relax.{op}"].accuracy
    found = contradiction(op, accuracy.word, accuracy.ulps(24), range(2))
    seen = op in DECIDED_INTEGERS | ALONE | set(COLLIDING) and found is not None and found.endswith("single number")
    assert found is None or seen, found
    if accuracy.word in ("stepwise", "reduction") and not accuracy.jumps and op not in {*ALONE, *COLLIDING, *EVEN}:
        assert needless(op, range(6)) is None


@pytest.mark.parametrize("op", ["flip", "nn.max_pool1d", "clip", "concat"])
def test_a_word_that_is_too_wide_is_found(op: str) -> None:
    assert needless(op, range(2))


@pytest.mark.parametrize(
    ("op", "word"),
    [("nn.softmax", "exact"), ("matmul", "correctly-rounded"), ("exp", "exact"), ("add", "stepwise"),
     ("nn.relu", "ulps"), ("sum", "exact"), ("concat", "reduction"), ("nn.gelu", "correctly-rounded")],
)  # fmt: skip
def test_a_wrong_word_is_found(op: str, word: str) -> None:
    assert contradiction(op, word, 4.0, range(4)) is not None


def test_the_law_sees_what_steps_leave_out() -> None:
    """Without its contract an operator of several steps has faults: the property can fail."""
    turn = random.Random(1)
    with by_its_steps("nn.layer_norm"):
        seen = [
            why
            for program, checked in islice(accepted("nn.layer_norm", 1, ("float16",), 4), 8)
            for why in faults(checked, arguments(program, 3, 2 * turn.randrange(50)))
        ]
    assert seen
