"""The cells of a campaign: everything comes, what is new first, and the same every time."""

from __future__ import annotations

from itertools import islice

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import refrelax as rr
from refrelax.running.arrays import Tensor
from refrelax.semantics.graph.link import nodes
from refrelax.syntax.module import Module
from refrelax.syntax.read import parse
from refrelax.testing.cells import COMMON, INPUTS, WHOLE, cells, inputs, of_operator
from refrelax.testing.sketches import SKETCHES
from refrelax.testing.sweep import Program

SEEDS = st.integers(0, 10**6)


@pytest.mark.thorough
@settings(max_examples=2)
@given(SEEDS)
def test_every_operator_comes_before_one_comes_twice(seed: int) -> None:
    first = [each.op for each in islice(cells(seed), len(SKETCHES))]
    assert sorted(first) == sorted(SKETCHES)


@given(st.sampled_from(sorted(SKETCHES)), SEEDS)
def test_cells_differ_and_are_the_same_again(op: str, seed: int) -> None:
    found = of_operator(op, seed, WHOLE)
    assert len({each.key for each in found}) == len(found) > 0
    assert [each.key for each in found] == [each.key for each in of_operator(op, seed, WHOLE)]


@settings(max_examples=20)
@given(st.sampled_from(["add", "matmul", "sum", "take", "nn.conv2d"]), SEEDS)
def test_common_dtypes_come_first_each_once_before_one_twice(op: str, seed: int) -> None:
    first = [each.dtype for each in of_operator(op, seed, WHOLE)[:6]]
    assert set(first) <= set(COMMON) and len(set(first)) == len(first)


@given(st.sampled_from(sorted(SKETCHES)), SEEDS)
def test_no_dtype_but_those_chosen(op: str, seed: int) -> None:
    for each in of_operator(op, seed, ("float32", "int32")):
        assert not any(name in each.program.text for name in ("float16", "float8", "bfloat", "uint8", "int16"))


def _positions(program: Program, given: int) -> list[int]:
    args = cells_arguments(program, given)
    found = [a for p, a in zip(program.params, args, strict=True) if p.index and isinstance(a, Tensor)]
    return [int(pattern) for each in found for pattern in each.patterns() if pattern is not None]


def cells_arguments(program: Program, given: int) -> list[object]:
    from refrelax.testing.cells import arguments

    return arguments(program, INPUTS[given])


@given(st.sampled_from(["take", "gather_elements", "scatter_nd", "index_put", "nn.nll_loss"]), SEEDS)
def test_positions_are_in_range_but_in_the_last_input(op: str, seed: int) -> None:
    for each in of_operator(op, seed, ("float32", "int64", "int32"))[:4]:
        if not all(p.dtype in ("int64", "int32") for p in each.program.params if p.index):
            continue
        for k in (0, 1, 2):
            assert set(_positions(each.program, k)) <= {0, 1}
        assert inputs(each.program)[-1].positions == "corners"


@settings(max_examples=20)
@given(st.sampled_from(sorted(SKETCHES)), SEEDS)
def test_most_are_judged(op: str, seed: int) -> None:
    """The first cells of every operator: some are well typed, and their arguments are taken."""
    for each in of_operator(op, seed, COMMON)[:3]:
        try:
            checked = rr.check(rr.parse(each.program.text))
        except rr.Rejection:
            continue
        for chosen in each.inputs[:2]:
            try:
                rr.run(checked, "main", *each.arguments(chosen), budget=rr.Budget(steps=10_000, elements=10_000))
            except rr.Unlinkable:
                break


@settings(max_examples=20)
@given(SEEDS)
def test_boundaries_ascend(seed: int) -> None:
    """TVM's documentation wants them so; what is found otherwise is nobody's fault."""
    for each in of_operator("bucketize", seed, COMMON)[:4]:
        for chosen in each.inputs:
            boundaries = each.arguments(chosen)[1]
            flat = boundaries.tolist()
            assert flat == sorted(flat)


def _read(program: Program) -> object:
    """What a text says, with its places."""
    try:
        return parse(program.text)
    except rr.Malformed as refusal:
        return str(refusal)


def _built(program: Program) -> object:
    try:
        return program.module
    except rr.Malformed as refusal:
        return str(refusal)


def _places(module: object) -> list[object]:
    functions = module.functions.values() if isinstance(module, Module) else ()
    return [getattr(node, "span", None) for function in functions for node in nodes(function)]


@pytest.mark.thorough
@settings(max_examples=25)
@given(st.sampled_from(sorted(SKETCHES)), SEEDS)
def test_a_module_is_what_the_text_says_where_it_says_it(op: str, seed: int) -> None:
    for each in of_operator(op, seed, WHOLE)[:12]:
        read, built = _read(each.program), _built(each.program)
        assert built == read and _places(built) == _places(read)
        assert getattr(built, "source", "") == getattr(read, "source", "")


@settings(max_examples=25)
@given(st.sampled_from(sorted(SKETCHES)), SEEDS)
def test_an_input_is_the_same_list_where_it_has_the_same_elements(op: str, seed: int) -> None:
    for each in of_operator(op, seed, WHOLE)[:6]:
        found = each.every_input()
        alone = [repr(each.arguments(given)) for given in each.inputs]
        assert [repr(args) for args in found] == alone
        for k, one in enumerate(found):
            for j, other in enumerate(found[:k]):
                same = [a.patterns() if isinstance(a, Tensor) else a for a in one] == [
                    b.patterns() if isinstance(b, Tensor) else b for b in other
                ]
                shapes = [getattr(a, "shape", None) for a in one] == [getattr(b, "shape", None) for b in other]
                assert (one is other) == (same and shapes), (each.key, k, j)
