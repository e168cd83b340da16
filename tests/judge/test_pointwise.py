"""Proofs for all shapes and values: the library of pairs, each with edits that break it, and the example models."""

from __future__ import annotations

import tomllib
from pathlib import Path
from typing import Any

import pytest

import refrelax as rr
from refrelax import examples
from refrelax.judge.evidence import Proved
from refrelax.judge.pointwise import Options, attempt, explain

HEAD = "".join(f"{s} = TypeVar('{s}')\n" for s in "nmpq") + "@I.ir_module\nclass Module:\n"
PAIRS: list[dict[str, Any]] = tomllib.loads(
    (Path(__file__).parents[2] / "benchmarks" / "pointwise.toml").read_text(encoding="utf-8")
)["pair"]
WRONG = [(pair, *edit) for pair in PAIRS for edit in pair["wrong"]]
SLOW = {"convolution, direct and as a product of columns", "pixel shuffle", "patchify"}
"""Pairs whose wrong variants take seconds to give up on."""


def checked(body: str) -> Any:
    return rr.check(rr.parse(HEAD + body))


@pytest.mark.by_day(4)
@pytest.mark.parametrize("pair", PAIRS, ids=lambda pair: pair["name"])
def test_a_good_pair_is_proved_for_all_shapes(pair: dict[str, Any]) -> None:
    relax = frozenset(pair.get("relaxations", ()))
    found = attempt(checked(pair["first"]), checked(pair["second"]), "main", Options(relax=relax))
    assert isinstance(found, Proved), found
    assert found.claims
    assert found.relaxations == tuple(pair.get("relaxations", ()))


@pytest.mark.thorough
@pytest.mark.parametrize(
    ("pair", "what", "old", "new"),
    [
        pytest.param(*each, id=f"{each[0]['name']}: {each[1]}", marks=[pytest.mark.nightly] * (each[0]["name"] in SLOW))
        for each in WRONG
    ],
)
def test_a_wrong_variant_is_not_proved_and_is_refuted(pair: dict[str, Any], what: str, old: str, new: str) -> None:
    assert old in pair["second"]
    first, second = checked(pair["first"]), checked(pair["second"].replace(old, new))
    assert isinstance(attempt(first, second, "main"), str)
    found = rr.validate(first, second)
    assert isinstance(found, rr.Refuted)
    assert found.counterexample is not None


@pytest.mark.thorough
@pytest.mark.parametrize("name", examples.names())
def test_tvms_kernels_of_a_model_are_proved_equal_to_its_operators(name: str) -> None:
    example = examples.load(name)
    stages = [example.stage(each) for each in ("imported", "zero")]
    first, second = (rr.check(rr.bind_constants(rr.parse(s.text), s.constants)) for s in stages)
    found = attempt(first, second, example.entry, Options(relax=frozenset({"extreme-identity"})))
    assert isinstance(found, Proved), found
    assert found.relaxations == ("extreme-identity",)
    assert "extreme-identity" in found.trusts
    assert any(each.startswith("the definitions of R.") for each in found.trusts)


COPY = """
    @T.prim_func
    def main(x: T.Buffer((n,), "float32"), z: T.Buffer((n,), "float32")):
        for i in range({count}):
            z[i] = {value}
"""


def test_what_the_first_program_leaves_open_may_become_anything() -> None:
    open_ = checked("""
    @T.prim_func
    def main(x: T.Buffer((n,), "float32"), z: T.Buffer((n,), "float32")):
        t = T.alloc_buffer((n,))
        for i in range(n):
            z[i] = t[i]
""")
    defined = checked(COPY.format(count="n", value="x[i]"))
    assert isinstance(attempt(open_, defined, "main"), Proved)
    assert isinstance(attempt(defined, open_, "main"), str)


def test_a_store_out_of_bounds_in_the_second_program_is_no_refinement() -> None:
    good = checked(COPY.format(count="n", value="x[i]"))
    wild = checked(COPY.format(count="n + 1", value="x[i]"))
    assert "store in bounds" in explain(good, wild)
    assert isinstance(attempt(wild, good, "main"), Proved)


def test_narrow_index_arithmetic_must_fit() -> None:
    wide = checked(COPY.format(count="n", value="x[i] * T.float32(2)"))
    narrow = checked(COPY.format(count="n", value="x[T.Cast('int32', i) + T.int32(0)] * T.float32(2)"))
    assert isinstance(attempt(wide, narrow, "main"), str)


def test_a_serial_sum_is_not_another_order_without_a_relaxation() -> None:
    serial = """
    @T.prim_func
    def main(x: T.Buffer((n, 4), "float32"), z: T.Buffer((n,), "float32")):
        for i in range(n):
            z[i] = T.float32(0)
            for k in range(4):
                z[i] = z[i] + x[i, {k}]
"""
    forward, backward = checked(serial.format(k="k")), checked(serial.format(k="3 - k"))
    assert isinstance(attempt(forward, backward, "main"), str)
    assert attempt(forward, checked(serial.format(k="k + 0")), "main").relaxations == ()  # type: ignore[union-attr]


def test_reading_what_an_earlier_iteration_wrote_is_not_read() -> None:
    scan = checked("""
    @T.prim_func
    def main(x: T.Buffer((n,), "float32"), z: T.Buffer((n,), "float32")):
        for i in range(n):
            z[i] = T.if_then_else(0 < i, z[i - 1], T.float32(0)) + x[i]
""")
    assert "iteration" in explain(scan, checked(COPY.format(count="n", value="x[i]")))


def test_a_failed_step_says_at_which_shape_to_look_for_a_difference() -> None:
    whole = checked(COPY.format(count="n", value="x[i]"))
    part = checked(COPY.format(count="T.min(n, 40)", value="x[i]"))
    found = rr.validate(whole, part)
    assert isinstance(found, rr.Refuted)
    assert found.model["n"] > 40


def test_tiles_with_gaps_are_not_proved() -> None:
    tiles = next(pair for pair in PAIRS if pair["name"] == "padded tiling of a copy")
    gaps = checked(tiles["second"].replace("range(32)", "range(31)"))
    assert isinstance(attempt(checked(tiles["first"]), gaps, "main"), str)
