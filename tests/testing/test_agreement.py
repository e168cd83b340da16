"""Properties that hold the readings and the NumPy backend together, on generated modules."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import refrelax as rr
from refrelax.backends.numpy_.compile import outward
from refrelax.semantics.values import TensorValue, from_payloads

from .comparing import same_bits, within
from .programs import programs

EXTERNS = rr.testing.EXTERNS
Program = tuple[rr.CheckedModule, list[Any]]


def run(program: Program, **options: Any) -> Any:
    checked, args = program
    return rr.run(checked, "main", *args, externs=EXTERNS, **options)


# --- readings --------------------------------------------------------------------------------------------------------


def ieee_lies_in_its_enclosure(program: Program) -> None:
    """``ieee ∈ enclosure`` for whole modules, wherever the enclosure reading gets to the end."""
    exact, permitted = run(program), run(program, numerics="enclosure")
    if isinstance(exact, rr.Returned) and isinstance(permitted, rr.Returned):
        assert within(permitted.value, exact.value)


def sampled_lies_in_its_enclosure(program: Program, seed: int) -> None:
    """``sampled ∈ enclosure``: any legal implementation stays inside."""
    sample, permitted = run(program, numerics="sampled", seed=seed), run(program, numerics="enclosure")
    if isinstance(sample, rr.Returned) and isinstance(permitted, rr.Returned):
        assert within(permitted.value, sample.value)


def nothing_looks_into_elements(program: Program) -> None:
    """The guarded reading, whose elements refuse Python's operators, gives the same bits."""
    plain = run(program)
    guarded = run(program, numerics="guarded")
    assert type(plain) is type(guarded)
    if isinstance(plain, rr.Returned):
        assert same_bits(plain.value, guarded.value)


@given(programs())
def test_ieee_lies_in_its_enclosure(program: Program) -> None:
    ieee_lies_in_its_enclosure(program)


@given(programs(), st.integers(0, 3))
def test_sampled_lies_in_its_enclosure(program: Program, seed: int) -> None:
    sampled_lies_in_its_enclosure(program, seed)


@given(programs())
def test_nothing_looks_into_elements(program: Program) -> None:
    nothing_looks_into_elements(program)


# --- the NumPy backend -----------------------------------------------------------------------------------------------


class Values:
    """A listener: what the interpreter bound, by path and name, in order; copies, since stores in place come later."""

    def __init__(self) -> None:
        self.bound: dict[tuple[str, str], list[Any]] = {}

    def on_binding(self, path: str, binding: Any, value: Any, scope: Any) -> None:
        self.bound.setdefault((path, binding.name), []).append(copied(value))


def copied(value: Any) -> Any:
    """A surface value with memory of its own."""
    match value:
        case TensorValue():
            return rr.Tensor(from_payloads(value.numerics, value.dtype, value.shape, value.payloads()))
        case tuple():
            return tuple(copied(each) for each in value)
        case rr.Prim():
            return value.value
        case _:
            return value


def bits_mode_has_the_bits(program: Program) -> None:
    """Mode ``bits``: the interpreter's bits in the result, the arguments and every binding; the same effects."""
    checked, args = program
    wanted = run(program)
    found = rr.compile(checked, mode="bits").run("main", *args, externs=EXTERNS)
    assert type(wanted) is type(found), found
    if isinstance(wanted, rr.Returned):
        assert same_bits(wanted.value, found.value)
        assert same_bits(wanted.arguments, found.arguments)
        assert [(e.kind, e.name) for e in wanted.effects] == [(e.kind, e.name) for e in found.effects]


def every_binding_has_the_bits(program: Program) -> None:
    """What the backend shows of each binding is what the interpreter bound, as far as its run came."""
    checked, args = program
    listener = Values()
    left_open = not isinstance(run(program, listener=listener), rr.Returned)
    observed = rr.compile(checked, mode="bits").observe("main", *args, externs=EXTERNS)
    for frame in observed.frames:
        if frame.name and frame.done and not callable(frame.value):
            if left_open and not listener.bound.get((frame.path, frame.name)):
                return
            expected, found = listener.bound[frame.path, frame.name].pop(0), outward(frame.value)
            assert same_bits(expected, found), f"{frame.path}/{frame.name}: expected {expected}, found {found}"


def fast_mode_is_permitted(program: Program) -> None:
    """Mode ``fast``: every binding is inside what the definition permits on the backend's own inputs, or undecided."""
    checked, args = program
    verdict = rr.diff(checked, "main", args, impl="numpy", mode="fast", externs=EXTERNS)
    assert not isinstance(verdict, rr.Divergence), verdict


@given(programs())
def test_bits_mode_has_the_bits(program: Program) -> None:
    bits_mode_has_the_bits(program)


@pytest.mark.thorough
@given(programs())
def test_every_binding_has_the_bits(program: Program) -> None:
    every_binding_has_the_bits(program)


@pytest.mark.thorough
@given(programs())
def test_fast_mode_is_permitted(program: Program) -> None:
    fast_mode_is_permitted(program)


# --- long ------------------------------------------------------------------------------------------------------------

LONG = {
    "ieee in enclosure": ieee_lies_in_its_enclosure,
    "guarded": nothing_looks_into_elements,
    "bits": bits_mode_has_the_bits,
    "every binding": every_binding_has_the_bits,
    "fast": fast_mode_is_permitted,
}


@pytest.mark.nightly
@pytest.mark.parametrize("what", LONG)
def test_long_campaign(what: str) -> None:
    @settings(max_examples=3_000)
    @given(programs(max_bindings=12))
    def campaign(program: Program) -> None:
        LONG[what](program)

    campaign()


@pytest.mark.nightly
@settings(max_examples=3_000)
@given(programs(max_bindings=12), st.integers(0, 10_000))
def test_sampled_long(program: Program, seed: int) -> None:
    sampled_lies_in_its_enclosure(program, seed)
