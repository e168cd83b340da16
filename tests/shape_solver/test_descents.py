"""Recorded descents: what is written is accepted, each rule says what it should, and forgeries are refused."""

from __future__ import annotations

import ast
import copy
import json
import random
import tomllib
from functools import cache
from pathlib import Path
from typing import Any

import pytest

import refrelax as rr
from refrelax.cli import main
from refrelax.judge.evidence import Proved
from refrelax.judge.pointwise import Options, attempt
from refrelax.shape_solver.descents.document import examine
from refrelax.shape_solver.descents.steps import RULES
from tests.shape_solver.descent_mutants import mutant, places
from tests.shape_solver.descent_values import differs

ROOT = Path(__file__).parents[2]
HEAD = "".join(f"{s} = TypeVar('{s}')\n" for s in "nmpq") + "@I.ir_module\nclass Module:\n"
LIBRARY = {
    each["name"]: each
    for each in tomllib.loads((ROOT / "benchmarks" / "pointwise.toml").read_text(encoding="utf-8"))["pair"]
}
SLOW = ("convolution, direct and as a product of columns", "reshapes through dims that do not divide", "patchify",
        "attention with heads split and merged")  # fmt: skip
QUICK = (
    "softmax", "matmul, tiled and padded", "matmul, padded with zeros", "concat by choice and by ranges",
    "split of a concat", "a sum of partial sums", "pooling in two steps", "rows picked by an index tensor",
    "a table turned when it was folded", "a maximum from the lowest finite number",
    "rows by indices of a narrower dtype",
)  # fmt: skip
MUTANTS = 2_500


@cache
def record(name: str) -> Any:
    pair = LIBRARY[name]
    first, second = (rr.check(rr.parse(HEAD + pair[side])) for side in ("first", "second"))
    options = Options(relax=frozenset(pair.get("relaxations", ())), record=True)
    found = attempt(first, second, "main", options)
    assert isinstance(found, Proved)
    return json.loads(json.dumps(found.record))


@pytest.mark.parametrize(
    "name", [pytest.param(name, marks=[pytest.mark.thorough] * (name in SLOW)) for name in LIBRARY], ids=str
)
def test_a_proof_is_written_down_and_accepted(name: str) -> None:
    document = record(name)
    assert isinstance(document, dict), document
    found = examine(document)
    assert not found.rejected
    assert found.relaxations == tuple(LIBRARY[name].get("relaxations", ()))
    assert not differs(document, 1)


def test_the_checker_imports_the_certificate_checker_alone() -> None:
    for path in (ROOT / "refrelax" / "shape_solver" / "descents").glob("*.py"):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            names = [node.module or ""] if isinstance(node, ast.ImportFrom) else []
            names += [each.name for each in node.names] if isinstance(node, ast.Import) else []
            ours = [name for name in names if name.startswith("refrelax")]
            assert all(
                name.startswith(("refrelax.shape_solver.checker.", "refrelax.shape_solver.descents.")) for name in ours
            )


# --- one rule at a time: small records by hand


X = {"dtype": "float32", "shape": [["sym", "n"]]}
I, J = ["sym", "i"], ["sym", "j"]
INSIDE = [["ge", I, ["const", 0]], ["lt", I, ["sym", "n"]]]
ONE, ZERO = ["number", "float32", 0x3F800000], ["number", "float32", 0]


def by_hand(body: list[Any], other: list[Any], steps: list[Any], contexts: Any = ()) -> Any:
    """A record about two tensors over ``x[n]``, whose bodies are the last rows of two tables of terms; the last step
    compares them, after both are unfolded."""
    table = [X, *body]
    table.append({**X, "body": len(body) - 1, "variables": ["i"]})
    table += other
    count = len(body) + len(other)
    table.append({**X, "body": count - 1, "variables": ["i"]})
    table += [["load", 1, [I]], ["load", 2, [I]]]
    whole = [
        *steps,
        {
            "rule": "rewrite",
            "first": len(body) - 1,
            "second": count + 1,
            "under": 0,
            "side": "second",
            "by": ["unfold"],
            "premises": [len(steps) - 1],
        },
        {
            "rule": "rewrite",
            "first": count,
            "second": count + 1,
            "under": 0,
            "side": "first",
            "by": ["unfold"],
            "premises": [len(steps)],
        },
    ]
    result = {"first": 1, "second": 2, "variables": ["i"], "step": len(whole) - 1, "claims": []}
    return {
        "format": "refrelax-descent", "version": 1, "globals": {"n": "int"},
        "known": [["ge", ["sym", "n"], ["const", 0]]], "table": table, "certificates": [],
        "contexts": [INSIDE, *contexts], "steps": whole, "results": [result], "relaxations": [],
    }  # fmt: skip


def step(rule: str, first: int, second: int, **parts: Any) -> Any:
    return {"rule": rule, "first": first, "second": second, "under": 0, **parts}


LOAD = ["load", 0, [I]]


def apply(op: str, *args: int, dtype: str = "float32") -> list[Any]:
    return ["apply", op, dtype, "", list(args)]


def test_a_record_by_hand() -> None:
    document = by_hand([LOAD, ONE, apply("Mul", 0, 1)], [apply("Mul", 1, 0)], [
        step("same", 0, 0), step("same", 1, 1), step("operation", 2, 3, premises=[0, 1], turned=True),
    ])  # fmt: skip
    assert examine(document).rejected == ""
    document["steps"][2].pop("turned")
    assert "premise" in examine(document).rejected


TURNED = [step("same", 0, 0), step("same", 1, 1), step("operation", 2, 3, premises=[0, 1], turned=True)]
LESS = apply("LT", 0, 1, dtype="bool")
HAND = {
    "open": (by_hand([["open"]], [LOAD], [step("open", 0, 1)]), {"second": 0, "first": 1}),
    "either": (
        by_hand(
            [LOAD, ONE, apply("Mul", 0, 1), LESS, ["choose", 3, 2, 2]],
            [apply("Mul", 1, 0)],
            [
                *TURNED[:2],
                step("operation", 2, 5, premises=[0, 1], turned=True),
                step("either", 4, 5, premises=[2, 2]),
            ],
        ),
        {"premises": [0, 2]},
    ),
    "chosen": (
        by_hand(
            [LOAD, ONE, apply("Mul", 0, 1)],
            [apply("Mul", 1, 0), LESS, ["choose", 4, 3, 3]],
            [*TURNED, step("chosen", 2, 5, premises=[2, 2])],
        ),
        {"premises": [2, 0]},
    ),
    "choice": (
        by_hand(
            [LOAD, ONE, apply("Mul", 0, 1), LESS, ["choose", 3, 2, 0]],
            [apply("Mul", 1, 0), ["choose", 3, 5, 0]],
            [
                *TURNED[:2],
                step("operation", 2, 5, premises=[0, 1], turned=True),
                step("same", 3, 3),
                step("choice", 4, 6, premises=[3, 2, 0]),
            ],
        ),
        {"premises": [3, 0, 2]},
    ),
    "absurd": (by_hand([LOAD], [ONE], [step("absurd", 0, 1, under=1)], [[["false"]]]), {"under": 0}),
}


@pytest.mark.parametrize("rule", HAND)
def test_rules_that_few_proofs_need(rule: str) -> None:
    """Each is accepted as it should be, and refused with one part changed."""
    document, change = HAND[rule]
    place = next((k for k, row in enumerate(document["steps"]) if row["rule"] == rule), 2)
    if rule != "absurd":  # (which nothing follows from where something is)
        assert examine(document).rejected == ""
    forged = copy.deepcopy(document)
    forged["steps"][place] |= change
    assert f"step {place}" in examine(forged).rejected


def test_a_condition_that_may_be_poison_decides_nothing_of_the_second_program() -> None:
    document = copy.deepcopy(HAND["chosen"][0])
    unknown = document["table"].index(LESS)
    document["table"][unknown] = apply("T.unknown", 0, 1, dtype="bool")
    assert "never poison" in examine(document).rejected


@pytest.mark.parametrize("op", ["Sub", "Div", "LT", "T.atan2"])
def test_operands_of_what_does_not_commute_are_not_exchanged(op: str) -> None:
    dtype = "bool" if op == "LT" else "float32"
    document = by_hand([LOAD, ONE, apply(op, 0, 1, dtype=dtype)], [apply(op, 1, 0, dtype=dtype)], [
        step("same", 0, 0), step("same", 1, 1), step("operation", 2, 3, premises=[0, 1], turned=True),
    ])  # fmt: skip
    if dtype == "bool":
        for row in document["table"][4], document["table"][6]:
            row["dtype"] = "bool"
    assert "commutes" in examine(document).rejected


def test_a_load_of_the_second_program_needs_its_bounds() -> None:
    forged = by_hand([LOAD], [["load", 0, [["add", I, ["const", 1]]]]], [step("load", 0, 1)])
    assert "a claim that is shown" in examine(forged).rejected


@pytest.mark.thorough
def test_each_part_of_a_step_is_needed() -> None:
    """Without a premise, without a claim that certificates are there for, under more than is known."""
    for name in QUICK:
        document = record(name)
        for k, row in enumerate(document["steps"]):
            for part in ("premises", "variables", "by", "side", "on"):
                if part in row:
                    forged = copy.deepcopy(document)
                    del forged["steps"][k][part]
                    assert examine(forged).rejected, (name, k, part)


def test_a_case_may_not_be_left_out() -> None:
    document = record("concat by choice and by ranges")
    cases = [k for k, row in enumerate(document["steps"]) if row["rule"] == "cases"]
    assert cases
    for k in cases:
        yes, no = document["steps"][k]["premises"]
        for forged_premises in ([yes, yes], [no, no], [no, yes], [yes]):
            forged = copy.deepcopy(document)
            forged["steps"][k]["premises"] = forged_premises
            assert examine(forged).rejected


def test_a_variable_of_which_something_is_known_is_not_new() -> None:
    document = record("softmax")
    folds = [k for k, row in enumerate(document["steps"]) if row["rule"] == "fold"]
    assert folds
    for k in folds:
        under = document["contexts"][document["steps"][k]["under"]]
        known = {fact[1][1] for fact in under}
        for name in known | set(document["globals"]):
            forged = copy.deepcopy(document)
            forged["steps"][k]["variables"] = [name]
            assert "variables" in examine(forged).rejected


def test_another_order_of_floats_is_named() -> None:
    document = record("partial sums as one sum")
    assert document["relaxations"] == ["reassociation"]
    forged = copy.deepcopy(document)
    forged["relaxations"] = []
    assert "relaxations" in examine(forged).rejected


LOWEST = 0xFF7FFFFF
"""The bits of the lowest finite float32."""


def of_rule(document: Any, rule: str) -> Any:
    """The first step by a rule."""
    return next(row for row in document["steps"] if row["rule"] == rule)


def test_constants_are_compared_at_all_points_and_no_others_are_known() -> None:
    document = record("a table turned when it was folded")
    ranges = of_rule(document, "constants")["ranges"]
    assert sorted(high for _, _, high in ranges) == [2, 3]
    changes: list[list[Any]] = [[], ranges[:1], ranges[::-1], [*ranges, ["other", 0, 1]]]
    changes += [
        [
            [name, low + (k == j), high] if more else [name, low, high - (k == j)]
            for j, (name, low, high) in enumerate(ranges)
        ]
        for k in range(2)
        for more in (False, True)
    ]
    for change in changes:
        forged = copy.deepcopy(document)
        of_rule(forged, "constants")["ranges"] = change
        assert "ranges of" in examine(forged).rejected or "a claim that is shown" in examine(forged).rejected, change
    for k, row in enumerate(document["table"]):
        for place in range(len(row["data"]) if isinstance(row, dict) and "data" in row else 0):
            forged = copy.deepcopy(document)
            forged["table"][k]["data"][place] += 1
            assert "the same element" in examine(forged).rejected
            forged["table"][k]["data"].pop()
            assert "a constant array" in examine(forged).rejected


def test_starts_are_the_same_by_the_relaxation_that_says_so() -> None:
    document = record("a maximum from the lowest finite number")
    assert of_rule(document, "fold")["relaxed"] == "extreme-identity"
    for name in ("zero-sign", "reassociation", "", 1, ["extreme-identity"]):
        forged = copy.deepcopy(document)
        of_rule(forged, "fold")["relaxed"] = name
        assert "takes for the same" in examine(forged).rejected
    for other in (0x7F7FFFFF, 0xFF7FFFFE, 0, 0x7F800000, 0xFFC00000):
        forged = copy.deepcopy(document)
        (row,) = (row for row in forged["table"] if isinstance(row, list) and row[0] == "number" and row[2] == LOWEST)
        row[2] = other
        assert "takes for the same" in examine(forged).rejected
    forged = copy.deepcopy(document)
    forged["relaxations"] = []
    assert "relaxations" in examine(forged).rejected


def test_an_element_is_a_number_of_its_dtype_and_nothing_more() -> None:
    document = record("rows by indices of a narrower dtype")
    assumptions = document["certificates"][0]["question"]["assumptions"]
    assert sorted(each[2][1] for each in assumptions) == [-(2**31), 2**31 - 1]
    for k, each in enumerate(assumptions):
        forged = copy.deepcopy(document)
        forged["certificates"][0]["question"]["assumptions"][k][2][1] += 1 if each[0] == "ge" else -1
        assert "a claim that is shown" in examine(forged).rejected


def test_what_is_no_item_is_no_element() -> None:
    """Nothing to combine may stand where items are, not in what a tensor is made of."""
    document = by_hand([["nothing", "Add", "float32"]], [ZERO], [step("nothing", 0, 1)])
    assert "an element" in examine(document).rejected


def test_a_certificate_in_a_dtype_or_without_values_is_none() -> None:
    document = record("split of a concat")
    assert document["certificates"]
    for change in ({"fits": "int64"}, {"division": "assume"}):
        forged = copy.deepcopy(document)
        forged["certificates"][0]["question"] |= change
        assert "a certificate" in examine(forged).rejected


@pytest.mark.thorough
def test_every_rule_is_in_some_record() -> None:
    used = {row["rule"] for name in LIBRARY if name not in SLOW for row in record(name)["steps"]}
    assert used >= RULES.keys() - {"absurd", "open", "choice", "either", "chosen", "integers", "words", "supposed"}


# --- forgeries


def forged(names: tuple[str, ...], count: int, seed: int) -> int:
    """How many of ``count`` mutants are accepted; one that says something else says nothing that is false."""
    rng = random.Random(seed)
    documents = {name: record(name) for name in names}
    where = {name: list(places(document)) for name, document in documents.items()}
    accepted = tried = 0
    while tried < count:
        name = rng.choice(names)
        new = mutant(documents[name], rng, where[name])
        if new is None:
            continue
        tried += 1
        if not examine(new).rejected:
            accepted += 1
            assert not differs(new, tried, 10), (name, tried)
    return accepted


def test_forged_records_are_refused() -> None:
    assert forged(QUICK, 60, 7) < 25


@pytest.mark.parametrize(
    "count", [pytest.param(150, marks=pytest.mark.thorough), pytest.param(MUTANTS, marks=pytest.mark.nightly)]
)
def test_many_forged_records_are_refused(count: int) -> None:
    assert forged(tuple(name for name in LIBRARY if name not in SLOW), count, 11) < count // 4


# --- the command line


def test_the_command_line(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    pair, folder = LIBRARY["concat by choice and by ranges"], tmp_path / "c"
    one, other = tmp_path / "one.py", tmp_path / "other.py"
    one.write_text(HEAD + pair["first"], encoding="utf-8")
    other.write_text(HEAD + pair["second"], encoding="utf-8")
    assert main(["validate", str(one), str(other), "--certificates", str(folder)]) == 0
    assert "descent recorded: " in capsys.readouterr().out
    written = folder / "descent.json"
    assert main(["certify", str(written)]) == 0
    assert "CERTIFIED by descent: each element of float32[" in capsys.readouterr().out
    assert main(["certify", "--with", "verified", str(written)]) == 3
    document = json.loads(written.read_text(encoding="utf-8"))
    document["steps"].pop()
    written.write_text(json.dumps(document), encoding="utf-8")
    assert main(["certify", str(written)]) == 1
    assert "REJECTED" in capsys.readouterr().out


def test_why_a_descent_is_not_recorded_is_said(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    one, folder = tmp_path / "one.py", tmp_path / "c"
    one.write_text(HEAD + LIBRARY["softmax"]["first"], encoding="utf-8")
    assert main(["validate", str(one), str(one), "--certificates", str(folder)]) == 0
    assert "descent recorded: no: the programs are the same up to names" in capsys.readouterr().out
