"""Words and reductions of integers in recorded descents: what proofs say is accepted, and nothing that is false."""

from __future__ import annotations

import copy
import json
import random
import tomllib
from collections.abc import Sequence
from functools import cache
from pathlib import Path
from typing import Any

import pytest

import refrelax as rr
from refrelax.judge.evidence import Proved
from refrelax.judge.pointwise import Options, attempt
from refrelax.shape_solver.checker.terms import Rejected
from refrelax.shape_solver.descents.document import Finding, examine
from refrelax.shape_solver.descents.reductions import REDUCTIONS
from refrelax.shape_solver.descents.said import said
from refrelax.shape_solver.descents.terms import Table
from refrelax.shape_solver.descents.words import Words
from refrelax.shape_solver.parse import parse_claim
from refrelax.shape_solver.pointwise.recording_words import certified
from tests.judge.rewrite_rules import rules, text
from tests.shape_solver.descent_mutants import mutant, places
from tests.shape_solver.descent_values import differs

QUICK = (
    "select-bool", "absorb", "compare-max", "mul-distributes", "div-mod", "udiv-shift", "or-and", "cast-add",
    "concat-reduce", "select-select", "reduce-where", "reduce-of-one",
    "reduce-neg", "reduce-add", "broadcast-max", "reverse-reduce", "dot-zero", "abs-neg",
)  # fmt: skip
MORE = (
    "not-not", "de-morgan", "xor-self", "compare-never", "compare-unsigned", "max-min", "max-select", "sub-add",
    "mul-shift", "div-div", "mod-and", "and-self", "xor-xor", "not-neg", "shift-shift", "cast-cast", "concat-max",
    "dot-concat", "dot-outer", "dot-pad", "reduce-scale", "reduce-pad", "reduce-max-add", "min-max-clamp",
)  # fmt: skip


@cache
def record(name: str) -> Any:
    (found,) = (each for each in rules(1) if each.name == name)
    first, second = (rr.check(rr.parse(text(found.params, side))) for side in (found.left, found.right))
    proof = attempt(first, second, "main", Options(assume=tuple(map(parse_claim, found.given)), record=True))
    assert isinstance(proof, Proved)
    return json.loads(json.dumps(proof.record))


@pytest.mark.parametrize("name", [*QUICK, *(pytest.param(name, marks=pytest.mark.thorough) for name in MORE)], ids=str)
def test_a_proof_about_words_is_written_down_and_accepted(name: str) -> None:
    document = record(name)
    assert isinstance(document, dict), document
    assert not examine(document).rejected
    assert not differs(document, 3)


# --- by hand: elements of x[n] and y[n], under a context


INT, I, N = "int32", ["sym", "i"], ["sym", "n"]
TENSORS = [{"dtype": INT, "shape": [N]}, {"dtype": INT, "shape": [N]}, {"dtype": "bool", "shape": [N]},
           {"dtype": INT, "shape": [N], "poison": True}]  # fmt: skip
INSIDE = [["ge", I, ["const", 0]], ["lt", I, N]]
X, Y, P, Q = (["load", k, [I]] for k in range(4))
"""Of which ``P`` is a truth and ``Q`` may be poison."""


def elem(t: int) -> list[Any]:
    return ["elem", t]


def number(value: int, dtype: str = INT) -> list[Any]:
    return ["int", dtype, ["const", value]]


def apply(op: str, *args: int, dtype: str = INT) -> list[Any]:
    return ["apply", op, dtype, "", list(args)]


def fold(op: str, start: int, body: int, extent: Any = N, name: str = "k", free: bool = True) -> list[Any]:
    return ["fold", op, start, [[name, extent]], None, body, free]


def about(terms: list[Any], steps: list[Any], x: int, y: int, contexts: Any = (), certificates: Any = ()) -> Any:
    """That element ``y`` may stand for ``x``, by the last step."""
    return {
        "format": "refrelax-descent", "version": 1, "globals": {"n": "int"}, "known": [["ge", N, ["const", 0]]],
        "table": copy.deepcopy([*TENSORS, *terms]), "certificates": list(certificates), "contexts": [INSIDE, *contexts],
        "steps": [{"under": 0, **each} for each in steps], "relaxations": [],
        "results": [{"elements": [x, y], "under": 0, "step": len(steps) - 1, "claims": []}],
    }  # fmt: skip


def same(t: int) -> Any:
    return {"rule": "same", "first": t, "second": t}


def words(terms: list[Any], x: int, y: int, leaves: list[int], meets: Sequence[tuple[int, ...]]) -> Any:
    """A record by one step on words, of which the leaves are the same; with the certificate that it needs."""
    table = Table({"n": "int"})
    table.read([*TENSORS, *terms])
    one = Words(table, {t: ("elem", t) for t in leaves})
    two = Words(table, {each[0]: ("elem", each[-1]) for each in meets})
    dtype = table.dtype(x)
    documents: list[Any] = []
    try:
        claim = ("iff" if dtype == "bool" else "eq", one.word(x, dtype), two.word(y, dtype))
        claims = certified(table, claim, documents)
    except Rejected:
        claims = []
    mapped = [each for each in meets if len(each) == 2]
    steps = [same(t) if t == other else {"rule": "load", "first": other, "second": t} for t, other in mapped]
    step = {"rule": "words", "first": x, "second": y, "leaves": [elem(t) for t in leaves],
            "meets": [[elem(t) for t in each] for each in meets], "premises": list(range(len(steps))),
            "claims": claims or []}  # fmt: skip
    return about(terms, [*steps, step], x, y, certificates=documents)


def rejected(document: Any) -> str:
    return examine(document).rejected


COMMUTED = [X, Y, apply("Add", 0, 1), apply("Add", 1, 0), apply("Sub", 1, 0)]


def test_words_by_hand() -> None:
    assert not rejected(words(COMMUTED, 2, 3, [0, 1], [(0, 0), (1, 1)]))
    assert "a claim that is shown" in rejected(words(COMMUTED, 2, 4, [0, 1], [(0, 0), (1, 1)]))
    exchanged = words([*COMMUTED, apply("Sub", 0, 1)], 5, 4, [0, 1], [(0, 1), (1, 0)])
    exchanged["steps"][:2] = [{**same(0), "under": 0}, {**same(1), "under": 0}]
    assert "premise" in rejected(exchanged)
    assert "a leaf of the first element" in rejected(words(COMMUTED, 2, 3, [0], [(0, 0), (1, 1)]))
    assert "an operation on words or a leaf" in rejected(words(COMMUTED, 2, 3, [0, 1], [(0, 0)]))


@pytest.mark.by_day(1)
@pytest.mark.parametrize(
    ("left", "right", "holds"),
    [
        ((apply("Mul", 0, 2), number(8)), (apply("T.shift_left", 0, 4), number(3)), True),
        ((apply("Mul", 0, 2), number(8)), (apply("T.shift_left", 0, 4), number(2)), False),
        ((apply("FloorMod", 0, 2), number(8)), (apply("T.bitwise_and", 0, 4), number(7)), True),
        ((apply("FloorMod", 0, 2), number(6)), (apply("T.bitwise_and", 0, 4), number(5)), False),
        ((apply("FloorDiv", 0, 2), number(2)), (apply("T.shift_right", 0, 4), number(1)), True),
        ((apply("Add", 0, 2), number(1)), (apply("Max", 0, 4), number(2)), False),
    ],
)
def test_words_are_exact(left: Any, right: Any, holds: bool) -> None:
    terms = [X, left[1], left[0], right[1], right[0]]
    terms[2] = ["apply", *left[0][1:4], [0, 1]]
    terms[4] = ["apply", *right[0][1:4], [0, 3]]
    found = rejected(words(terms, 2, 4, [0], [(0, 0)]))
    assert not found if holds else "a claim that is shown" in found


def test_what_overflows_is_no_larger() -> None:
    """``x < x + 1`` is no truth: the sum wraps."""
    terms = [X, number(1), apply("Add", 0, 1), apply("LT", 0, 2, dtype="bool"), ["int", "bool", ["true"]]]
    assert "a claim that is shown" in rejected(words(terms, 3, 4, [0], []))


@pytest.mark.parametrize("op", ["FloorDiv", "FloorMod", "T.shift_left", "T.shift_right"])
def test_divisors_and_shifts_are_literals_in_range(op: str) -> None:
    for value in (-1, 0, 32, 40):
        if op.startswith("T.") or value <= 0:
            if op.startswith("T.") and value == 0:
                continue
            terms = [X, number(value), apply(op, 0, 1)]
            assert "an operation on words" in rejected(words(terms, 2, 2, [0], [(0, 0)]))


def test_numbers_are_of_their_dtype() -> None:
    """One that is not would be less than ``2**31`` as an element, and more as an integer."""
    for value in (1 << 31, -(1 << 31) - 1):
        assert "a number of int32" in rejected(about([X, number(value)], [same(1)], 1, 1))


def test_of_integers_over_indices_no_range_is_known() -> None:
    last = number((1 << 31) - 1)
    for first, holds in ((X, True), (["int", INT, ["mul", N, N]], False)):
        terms = [first, last, apply("LE", 0, 1, dtype="bool"), ["int", "bool", ["true"]]]
        steps = [same(0)]
        documents: list[Any] = []
        table = Table({"n": "int"})
        table.read([*TENSORS, X, *terms[1:2]])
        claims = certified(table, ("iff", ("le", ("elem", 0), ("const", (1 << 31) - 1)), ("true",)), documents)
        step = {"rule": "words", "first": 2, "second": 3, "leaves": [elem(0)], "claims": claims}
        found = rejected(about(terms, [*steps, step], 2, 3, certificates=documents))
        assert not found if holds else "a claim that is shown" in found


def test_what_is_computed_of_indices_is_no_number_of_its_dtype_behind_a_choice_or_a_load() -> None:
    """``n * n`` as an ``int32`` is exact, also where a choice gives it or a tensor is made of it; a sum wraps."""
    table = Table({"n": "int"})
    square = ["int", INT, ["mul", N, N]]
    table.read([
        {"dtype": INT, "shape": []}, ["load", 0, []], square, ["int", "bool", ["lt", N, ["const", 3]]],
        ["choose", 2, 1, 0], ["choose", 2, 0, 0], ["apply", "Add", INT, "", [1, 1]],
        {"dtype": INT, "shape": [], "body": 1, "variables": []}, ["load", 1, []],
        {"dtype": INT, "shape": [], "body": 5, "variables": []}, ["load", 2, []],
    ])  # fmt: skip
    kinds = {node: table.sized(k) for k, node in enumerate(table.nodes)}
    found = [kinds[node] for node in table.nodes]
    assert found == [True, False, False, False, True, True, False, True]


def test_a_leaf_of_the_second_element_is_poison_only_where_the_first_is() -> None:
    """``p ? q : 0`` is 0 where ``p`` fails, whatever ``q`` is; ``q * (p ? 1 : 0)`` is poison."""
    arms = [P, Q, number(0), ["choose", 0, 1, 2], number(1), ["choose", 0, 4, 2], apply("Mul", 1, 5)]
    leaves, meets = [0, 1], [(0, 0), (1, 1)]
    assert "makes the first poison" in rejected(words(arms, 3, 6, leaves, meets))
    assert not rejected(words(arms, 6, 3, leaves, meets))
    arms[1] = X
    assert not rejected(words(arms, 3, 6, leaves, meets))


def test_a_leaf_of_its_own_is_never_poison() -> None:
    terms = [X, Q, number(0), apply("Mul", 1, 2), apply("Add", 0, 3)]
    assert "makes the first poison" in rejected(words(terms, 0, 4, [0], [(0, 0), (1,)]))
    terms[1] = Y
    assert not rejected(words(terms, 0, 4, [0], [(0, 0), (1,)]))
    assert "does not have" in rejected(words([X, number(0), apply("Mul", 0, 1)], 0, 2, [0], [(0,)]))


def test_the_sums_of_one_program_may_be_of_two_orders() -> None:
    zero, at = ["number", "float32", 0], ["load", 4, [["sym", "k"]]]
    table = [{"dtype": "float32", "shape": [N]}, zero, at, fold("Add", 0, 1), apply("Cast", 2), number(0)]
    terms = [*table, apply("Sub", 3, 3)]
    step = {"rule": "words", "first": 4, "second": 5, "meets": [[elem(3)]]}
    assert "one value" in rejected(about(terms, [step], 4, 5))


def test_two_leaves_for_one_that_may_be_poison_are_two() -> None:
    """``p ? x : open`` may be ``x``, and as well ``p ? x : y``: their difference is not 0 where the first program does
    not look at it."""
    other = ["load", 2, [["sub", ["sub", N, ["const", 1]], I]]]
    terms = [
        P, X, Y, ["open"], ["choose", 0, 1, 3], ["choose", 0, 1, 2], other, number(0), ["choose", 6, 7, 4],
        apply("Sub", 1, 5), ["choose", 6, 9, 1],
    ]  # fmt: skip
    steps = [
        same(0), same(1), {"rule": "open", "first": 3, "second": 1}, {"rule": "open", "first": 3, "second": 2},
        {"rule": "either", "first": 4, "second": 1, "premises": [1, 2]},
        {"rule": "choice", "first": 4, "second": 5, "premises": [0, 1, 3]}, same(6),
    ]  # fmt: skip
    leaves = [elem(6), elem(4)]
    meets = [[elem(6), elem(6)], [elem(1), elem(4)], [elem(5), elem(4)]]
    last = {"rule": "words", "first": 8, "second": 10, "leaves": leaves, "meets": meets, "premises": [6, 4, 5]}
    documents: list[Any] = []
    table = Table({"n": "int"})
    table.read([*TENSORS, *terms])
    one, zero = ("elem", 6), ("const", 0)
    claim = ("eq", ("select", one, zero, ("elem", 4)),
             ("select", one, ("wrap", INT, ("sub", ("elem", 4), ("elem", 4))), ("elem", 4)))  # fmt: skip
    last["claims"] = certified(table, claim, documents)
    found = rejected(about(terms, [*steps, last], 8, 10, certificates=documents))
    assert "never poison by itself" in found or "one value" in found
    terms[3] = number(7)
    steps[2:6] = [same(1), same(2), *steps[4:6]]  # (and what is no longer open is no longer permitted)
    assert "premise" in rejected(about(terms, [*steps, last], 8, 10, certificates=documents))


# --- truths that are data


R2 = ["load", 2, [["sub", ["sub", N, ["const", 1]], I]]]
"""Another truth, which is seen in bounds by certificates alone."""
NESTED = [P, X, Y, ["choose", 0, 1, 2], ["choose", 0, 3, 2], ["open"]]
HOLDS, FAILS = [*INSIDE, elem(0)], [*INSIDE, ["not", elem(0)]]


def cases(terms: list[Any], first: int, second: int, arms: tuple[int, int], contexts: Any = (HOLDS, FAILS)) -> Any:
    """That a choice in a choice by the same truth (terms 3 and 4) is an element, by both cases of the truth."""
    steps: list[Any] = []
    for under, arm in ((1, arms[0]), (2, arms[1])):
        holds = under == 1
        by = {"rule": "rewrite", "side": "first", "by": ["told", holds, [elem(0)]], "under": under}
        then = {"rule": "rewrite", "side": "second", "by": ["told", holds, [elem(0)]], "under": under}
        steps.append({**same(arm), "under": under})
        steps.append({**then, "first": arm, "second": second, "premises": [len(steps) - 1]})
        if holds:
            steps.append({**by, "first": 3, "second": second, "premises": [len(steps) - 1]})
        steps.append({**by, "first": first, "second": second, "premises": [len(steps) - 1]})
    last = {"rule": "supposed", "first": first, "second": second, "on": elem(0), "premises": [3, len(steps) - 1]}
    return about(terms, [*steps, last], first, second, contexts)


def test_both_cases_of_a_truth() -> None:
    document = cases(NESTED, 4, 3, (1, 2))
    assert not rejected(document)
    for change in ({"premises": [3, 3]}, {"premises": [6, 6]}, {"premises": [6, 3]}, {"on": elem(1)}):
        forged = copy.deepcopy(document)
        forged["steps"][-1] |= change
        assert rejected(forged)
    for k, row in enumerate(document["steps"]):
        if row["rule"] == "rewrite":
            forged = copy.deepcopy(document)
            forged["steps"][k]["by"][1] = not row["by"][1]
            assert "a claim that is shown" in rejected(forged)
            forged = copy.deepcopy(document)
            forged["steps"][k]["under"] = 0
            assert rejected(forged)


def test_a_truth_that_may_be_poison_is_no_case_of_the_second_program() -> None:
    """Of the first program's element it is, where it is the condition of it: that is poison then as well."""
    table = [*TENSORS, {"dtype": "bool", "shape": [N], "poison": True}]
    unknown = ["load", 4, [I]]
    document = cases([unknown, *NESTED[1:]], 4, 3, (1, 2))
    document["table"] = [*table, unknown, *NESTED[1:]]
    assert not rejected(document)
    terms = [unknown, X, Y, ["choose", 0, 1, 1]]
    steps = [{**same(1), "under": under} for under in (1, 2)]
    steps += [
        {"rule": "rewrite", "side": "second", "by": ["told", under == 1, [elem(0)]], "under": under, "first": 1,
         "second": 3, "premises": [under - 1]} for under in (1, 2)
    ]  # fmt: skip
    steps.append({"rule": "supposed", "first": 1, "second": 3, "on": elem(0), "premises": [2, 3]})
    forged = about(terms, steps, 1, 3, (HOLDS, FAILS))
    forged["table"] = [*table, *terms]
    assert "never poison" in rejected(forged)
    forged["table"][len(table)] = P
    assert not rejected(forged)


def test_what_is_told_of_a_part_says_nothing_of_the_other() -> None:
    """``p or q`` holds where ``p`` does, but may be poison by ``q``; ``p and q`` is not decided."""
    table = [*TENSORS, {"dtype": "bool", "shape": [N], "poison": True}]
    other = ["load", 4, [I]]
    for op, side, good in (("Or", "first", True), ("Or", "second", False), ("And", "first", False)):
        terms = [P, X, Y, other, apply(op, 0, 3, dtype="bool"), ["choose", 4, 1, 2]]
        pair = {"first": 5, "second": 1} if side == "first" else {"first": 1, "second": 5}
        step = {"rule": "rewrite", "side": side, "by": ["told", True, [elem(0), elem(3)]], "under": 1, **pair}
        document = about(terms, [{**same(1), "under": 1}, {**step, "premises": [0]}], *pair.values(), (HOLDS,))
        document["table"] = [*table, *terms]
        document["results"][0]["under"] = 1
        assert (not rejected(document)) is good, (op, side, rejected(document))


def test_a_truth_of_sums_that_may_be_of_another_order_is_no_case() -> None:
    zero, at = ["number", "float32", 0], ["load", 4, [["sym", "k"]]]
    table = [{"dtype": "float32", "shape": [N]}, zero, at, fold("Add", 0, 1), apply("LT", 0, 2, dtype="bool"), X, Y,
             ["choose", 3, 4, 5]]  # fmt: skip
    arms = [{"rule": "same", "first": t, "second": t, "under": 0} for t in (6, 6)]
    step = {"rule": "supposed", "first": 6, "second": 6, "on": elem(3), "premises": [0, 1]}
    assert "one value" in rejected(about(table, [*arms, step], 6, 6))


@pytest.mark.parametrize("op", ["Max", "Min"])
def test_an_infinity_is_passed_over_by_the_first_program_alone(op: str) -> None:
    bits, other = (0xFF800000, "Min") if op == "Max" else (0x7F800000, "Max")
    table = [{"dtype": "float32", "shape": [N]}, ["load", 4, [I]], ["number", "float32", bits],
             apply(op, 1, 0, dtype="float32"), apply(other, 1, 0, dtype="float32")]  # fmt: skip
    assert not rejected(rewritten(table, 2, ["passed-over", 0], 0))
    for which, how, side in ((2, 0, "second"), (2, 1, "first"), (3, 0, "first")):
        found = rejected(rewritten(table, which, ["passed-over", how], 0, side))
        assert "a rule" in found or "an infinity" in found


# --- reductions of integers


BODY = ["load", 0, [["sym", "k"]]]
SUM = [BODY, number(0), fold("Add", 1, 0)]


def rewritten(terms: list[Any], x: int, how: list[Any], new: int, side: str = "first", claims: Any = ()) -> Any:
    """That a term is another one by a rule, on one side."""
    last = {"rule": "rewrite", "side": side, "by": how, "premises": [0], "claims": list(claims)}
    pair = {"first": x, "second": new} if side == "first" else {"first": new, "second": x}
    return about(terms, [same(new), {**last, **pair}], pair["first"], pair["second"])


def item(factor: Any) -> list[Any]:
    """A sum of products with a factor, and what it is with the factor in front."""
    return [
        factor, BODY, apply("Mul", 0, 1), number(0), fold("Add", 3, 2), fold("Add", 3, 1), apply("Mul", 0, 5),
        apply("Add", 3, 6),
    ]  # fmt: skip


@pytest.mark.parametrize("side", ["first", "second"])
def test_a_factor_in_front_of_a_sum(side: str) -> None:
    assert not rejected(rewritten(item(Y), 4, ["outside", 0], 7, side))
    assert "no axis changes" in rejected(rewritten(item(["load", 1, [["sym", "k"]]]), 4, ["outside", 0], 7, side))
    assert "no axis changes" in rejected(rewritten(item(Y), 4, ["outside", 1], 7, side))
    # (a sum of nothing is not poison by its factor)
    found = rejected(rewritten(item(Q), 4, ["outside", 0], 7, side))
    assert "never poison" in found if side == "first" else not found


def test_parts_of_items() -> None:
    terms = [BODY, ["load", 1, [["sym", "k"]]], apply("Sub", 0, 1), number(5), fold("Add", 3, 2), number(0),
             fold("Add", 3, 0), fold("Add", 5, 1), apply("Sub", 6, 7), fold("Max", 3, 2), fold("Max", 3, 0),
             fold("Max", 5, 1), apply("Sub", 10, 11)]  # fmt: skip
    for side in ("first", "second"):
        assert not rejected(rewritten(terms, 4, ["spread"], 8, side))
        assert "made of parts" in rejected(rewritten(terms, 9, ["spread"], 12, side))
    wrong = copy.deepcopy(terms)
    wrong[7] = fold("Add", 3, 1)
    assert "premise" in rejected(rewritten(wrong, 4, ["spread"], 8))


def test_a_sum_in_two_pieces() -> None:
    half = ["floordiv", N, ["const", 2]]
    later = ["load", 0, [["add", ["sym", "k"], half]]]
    terms = [*SUM, fold("Add", 1, 0, half), later, fold("Add", 1, 4, ["sub", N, half]), apply("Add", 3, 5)]
    assert "a claim that is shown" in rejected(rewritten(terms, 2, ["parted", 0, half], 6))
    document = rewritten(terms, 2, ["parted", 0, half], 6)
    document["contexts"][0] += [["ge", half, ["const", 0]], ["le", half, N]]
    assert not rejected(document)
    for place in (["const", -1], ["add", N, ["const", 1]], ["sym", "k"]):
        forged = copy.deepcopy(document)
        forged["steps"][1]["by"][2] = place
        assert "a claim that is shown" in rejected(forged) or "no axis changes" in rejected(forged)


def test_floats_are_not_parted() -> None:
    terms = [["number", "float32", 0], fold("Add", 0, 0), apply("Add", 1, 1, dtype="float32")]
    for how in (["parted", 0, N], ["spread"], ["outside"], ["alike"]):
        assert "a reduction of integers" in rejected(rewritten(terms, 1, how, 2))


def test_an_extreme_of_one_number() -> None:
    terms = [Y, number(5), fold("Max", 1, 0), apply("Max", 1, 0)]
    assert "a claim that is shown" in rejected(rewritten(terms, 2, ["alike"], 3))
    document = rewritten(terms, 2, ["alike"], 3)
    document["contexts"][0].append(["ge", N, ["const", 1]])
    assert not rejected(document)
    document["table"][len(TENSORS) + 2] = fold("Add", 1, 0)
    assert "an extreme" in rejected(document)


def test_a_choice_of_a_sum_or_its_start() -> None:
    some = ["int", "bool", ["ge", N, ["const", 1]]]
    terms = [*SUM, some, ["choose", 3, 2, 1], number(1), ["choose", 3, 2, 5]]
    for side in ("first", "second"):
        assert not rejected(rewritten(terms, 4, ["vacuous", [0]], 2, side))
        assert "the start in the other arm" in rejected(rewritten(terms, 6, ["vacuous", [0]], 2, side))
    terms[3] = ["int", "bool", ["ge", N, ["const", 2]]]
    assert "a claim that is shown" in rejected(rewritten(terms, 4, ["vacuous", [0]], 2))


@pytest.mark.parametrize("dtype", [INT, "float32"])
@pytest.mark.parametrize("free", [True, False])
def test_backwards(dtype: str, free: bool) -> None:
    """A sum of floats in another order is a relaxation unless it is free; of integers nothing changes."""
    start = number(0) if dtype == INT else ["number", dtype, 0]
    back = ["load", 0, [["sub", ["sub", N, ["const", 1]], ["sym", "k"]]]]
    terms = [BODY, start, fold("Add", 1, 0, free=free), back, fold("Add", 1, 3, free=free), ["load", 0, [["sym", "j"]]]]
    context = [*INSIDE, ["ge", ["sym", "j"], ["const", 0]], ["lt", ["sym", "j"], N]]
    step = {"rule": "fold", "first": 2, "second": 4, "variables": ["j"], "premises": [0, 1], "backwards": [0]}
    document = about(terms, [same(1), {**same(5), "under": 1}, step], 2, 4, [context])
    for tensor in document["table"][:4]:
        tensor["dtype"] = dtype if tensor["dtype"] == INT else tensor["dtype"]
    found = rejected(document)
    assert found == "" or "relax" in found, found
    assert "the relaxations ['reassociation']" in found if dtype == "float32" and not free else not found
    document["steps"][2]["backwards"] = []
    assert "premise" in rejected(document)


# --- forgeries


def forged(names: tuple[str, ...], count: int, seed: int) -> int:
    """How many of ``count`` mutants are accepted; what they say is true at small points."""
    rng = random.Random(seed)
    where = {name: list(places(record(name))) for name in names}
    accepted = tried = 0
    while tried < count:
        name = rng.choice(names)
        new = mutant(record(name), rng, where[name])
        if new is None:
            continue
        tried += 1
        if not examine(new).rejected:
            accepted += 1
            assert not differs(new, tried, 12), (name, tried)
    return accepted


@pytest.mark.thorough
def test_forged_records_of_words_are_refused() -> None:
    assert forged(QUICK, 80, 5) < 35


@pytest.mark.parametrize(
    "count", [pytest.param(300, marks=pytest.mark.thorough), pytest.param(6000, marks=pytest.mark.nightly)]
)
def test_many_forged_records_of_words_are_refused(count: int) -> None:
    assert forged((*QUICK, *MORE), count, 23) < count // 3


def test_every_rule_of_reductions_is_in_some_record() -> None:
    used = json.dumps([row.get("by") for name in QUICK for row in record(name)["steps"]])
    assert all(f'"{name}"' in used for name in (*REDUCTIONS, "vacuous")), used


# --- facts of elements


UP_TO_TWO = [["k"], [["le", ["sym", "k"], ["const", 2]]], [["sym", "k"]], 0]
"""``x[k]`` is term 0, for ``k <= 2``."""


def by_fact(fact: Any, how: Any, side: str = "second", contexts: Any = ([["le", I, ["const", 2]]],)) -> Any:
    """That ``x[i]`` is 7, or 7 is ``x[i]``, for ``i <= 2``."""
    terms = [number(7), X]
    one, other = (0, 1) if side == "second" else (1, 0)
    step = {"rule": "rewrite", "first": one, "second": other, "side": side, "by": how, "premises": [0], "under": 1}
    document = about(terms, [same(0), step], one, other, [[*INSIDE, *facts] for facts in contexts])
    document["results"][0]["under"] = 1
    document["table"].insert(0, document["table"].pop(len(TENSORS)))  # (the literal comes before the tensor)
    document["table"][1] = {**TENSORS[0], "facts": [fact]}
    return document


@pytest.mark.parametrize("side", ["first", "second"])
def test_a_fact_of_an_element(side: str) -> None:
    assert not rejected(by_fact(UP_TO_TWO, ["fact", 0, [I]], side))
    assert "tensor 0[k] is term 0 where (k <= 2)" in said(by_fact(UP_TO_TWO, ["fact", 0, [I]]), Finding())
    assert "a claim that is shown" in rejected(by_fact(UP_TO_TWO, ["fact", 0, [I]], side, [[]]))
    assert "a claim that is shown" in rejected(by_fact(UP_TO_TWO, ["fact", 0, [["const", 1]]], side))
    assert "the number of a fact" in rejected(by_fact(UP_TO_TWO, ["fact", 1, [I]], side))
    assert "the number of a fact" in rejected(by_fact(UP_TO_TWO, ["fact", -1, [I]], side))
    assert "a value for each name" in rejected(by_fact(UP_TO_TWO, ["fact", 0, []], side))


def test_facts_are_about_their_names_and_literals() -> None:
    names, given, at, value = UP_TO_TWO
    how = ["fact", 0, [I]]
    assert "over its names" in rejected(by_fact([[], given, at, value], how))
    assert "variables that are no globals" in rejected(by_fact([["n"], [], [["sym", "n"]], value], how))
    assert "an index for each axis" in rejected(by_fact([names, given, [*at, *at], value], how))
    assert "the number of an earlier term" in rejected(by_fact([names, given, at, 1], how))
    document = by_fact(UP_TO_TWO, how)
    document["table"][0] = number(7, "int64")
    assert "a literal of int32" in rejected(document)
    document["table"][0] = ["int", INT, N]
    assert "a literal of int32" in rejected(document)
    document = by_fact(UP_TO_TWO, how)
    document["table"][1] |= {"data": [7]}
    assert rejected(document)


@cache
def assumed(name: str) -> Any:
    path = Path(rr.__file__).parent / "conformance" / "cases" / "validation.toml"
    (found,) = (each for each in tomllib.loads(path.read_text(encoding="utf-8"))["case"] if each["name"] == name)
    first, second = (rr.check(rr.parse(found[side])) for side in ("module", "validate"))
    proof = attempt(first, second, "main", Options(record=True))
    assert isinstance(proof, Proved) and isinstance(proof.record, dict), proof
    return json.loads(json.dumps(proof.record))


@pytest.mark.parametrize("name", ["validation/assumed-elements", "validation/descent-by-facts"])
def test_a_proof_by_facts_is_written_down_and_accepted(name: str) -> None:
    document = assumed(name)
    assert not rejected(document)
    assert not differs(document, 5)
    assert any('"fact"' in json.dumps(row.get("by")) for row in document["steps"])
    for k, row in enumerate(document["table"]):
        if isinstance(row, dict) and "facts" in row:  # (without it nothing is known)
            forged_ = copy.deepcopy(document)
            del forged_["table"][k]["facts"]
            assert "the number of a fact" in rejected(forged_)


@pytest.mark.thorough
def test_forged_records_by_facts_are_refused() -> None:
    rng, accepted = random.Random(9), 0
    document = assumed("validation/assumed-elements")
    where = list(places(document))
    for tried in range(120):
        new = mutant(document, rng, where)
        if new is not None and not rejected(new):
            accepted += 1
            assert not differs(new, tried, 10), tried
    assert accepted < 40


# --- scans: reductions, once they are read


SCANS = {
    "a sum so far": ("R.cumsum(R.add(x, x), axis=1)", "T.if_then_else(j > 0, O[i, j - 1], 0) + A[i, j] * 2"),
    "a sum before": (
        "R.cumsum(R.add(x, x), axis=1, exclusive=True)",
        "T.if_then_else(j > 0, O[i, j - 1] + A[i, j - 1] * 2, 0)",
    ),
}


@cache
def scanned(name: str) -> Any:
    op, update = SCANS[name]
    head = 'n = TypeVar("n")\nm = TypeVar("m")\n@I.ir_module\nclass Module:\n'
    X_ = 'R.Tensor((n, m), "int32")'
    first = f"{head}    @R.function\n    def main(x: {X_}):\n        y = {op}\n        return y\n"
    second = f"""{head}    @T.prim_func(private=True)
    def scan(A: T.Buffer((n, m), "int32"), O: T.Buffer((n, m), "int32")):
        for i, j in T.grid(n, m):
            O[i, j] = {update}
    @R.function
    def main(x: {X_}):
        cls = Module
        y = R.call_tir(cls.scan, (x,), out_ty={X_})
        return y
"""
    proof = attempt(*(rr.check(rr.parse(each)) for each in (first, second)), "main", Options(record=True))
    assert isinstance(proof, Proved) and isinstance(proof.record, dict), proof
    return json.loads(json.dumps(proof.record))


@pytest.mark.parametrize("name", SCANS)
def test_a_scan_is_written_down_as_a_reduction(name: str) -> None:
    document = scanned(name)
    assert not rejected(document)
    assert not differs(document, 2)
    folds = [k for k, row in enumerate(document["table"]) if isinstance(row, list) and row[0] == "fold"]
    assert len(folds) >= 2
    for k in folds:
        for extent in (["sub", document["table"][k][3][0][1], ["const", 1]], ["sym", "m"]):
            forged_ = copy.deepcopy(document)
            forged_["table"][k][3][0][1] = extent
            assert rejected(forged_)


def test_forged_records_of_scans_are_refused() -> None:
    rng, accepted = random.Random(4), 0
    document = scanned("a sum before")
    where = list(places(document))
    for tried in range(80):
        new = mutant(document, rng, where)
        if new is not None and not rejected(new):
            accepted += 1
            assert not differs(new, tried, 10), tried
    assert accepted < 30
