"""Certificates that must be refused, each by its cause: what is wrong with it would make a false claim look proved, or
would keep a checker busy without end.

``FORGERIES`` maps a name to the text of a file: some are no JSON value that Python could hold (a key twice).
"""

# ruff: noqa: E501

from __future__ import annotations

import json
from typing import Any

X: Any = ["sym", 0]
B: Any = ["sym", 1]
ONE, TWO = ["const", 1], ["const", 2]
FALSE: Any = ["ge", [[-1, []]]]
POINTS: Any = {"kind": "points"}


def const(z: Any) -> Any:
    return ["const", z]


def log(*steps: Any, atoms: Any = (X,)) -> Any:
    return {"kind": "log", "atoms": list(atoms), "steps": list(steps)}


def combine(*terms: Any, gives: Any = FALSE) -> Any:
    return {"rule": "combine", "terms": list(terms), "gives": gives}


def forged(claim: Any, evidence: Any = None, *assumptions: Any, **more: Any) -> str:
    """A file with this claim about the integer 0, the truth 1 and the integer 2."""
    asked = {"symbols": ["int", "bool", "int"], "assumptions": list(assumptions), "claim": claim, "fits": None,
             "division": "assume"}  # fmt: skip
    outside = {key: more.pop(key) for key in ("names", "version", "format", "extra") if key in more}
    asked.update(more)
    found = {"format": "refrelax-certificate", "version": 2, "question": asked, "evidence": evidence or log()}
    return json.dumps({**found, **outside})


def twice(text: str, key: str, value: Any) -> str:
    """``text`` with ``key`` once more, before where it stands."""
    return text.replace(f'"{key}":', f'"{key}": {json.dumps(value)}, "{key}":', 1)


def nested(op: str, depth: int, inner: Any, beside: Any = None) -> Any:
    for _ in range(depth):
        inner = [op, inner] if beside is None else [op, inner, beside]
    return inner


def deep(depth: int) -> str:
    return forged(["true"]).replace('["true"]', '["not", ' * depth + '["true"]' + "]" * depth)


def product(count: int) -> Any:
    """A product of sums, which has as many terms as two to the power ``count``."""
    term: Any = ONE
    for number in range(count):
        term = ["mul", term, ["add", ["sym", number], ["sym", number + count]]]
    return term


ZERO = ["eq", X, const(0)]
SMALL = [["ge", X, const(0)], ["le", X, const(3)]]
BIG = 1 << 6000
AND_SO_ON = [combine([1, [0]])]
OVER_SEVEN = {"kind": "log", "atoms": [X, ["fd", [[1, [0]]], [[7, []]]]]}
LIES: dict[str, str] = {
    # --- conversions: the width that is written is the one that counts
    "wrap with a source dtype": forged(["eq", ["wrap", "int8", "int8", X], X]),
    "wrap that is dropped": forged(["eq", ["wrap", "int8", X], X], log({"rule": "cases", "on": {"or": 0},
                                   "branches": [[], []], "gives": FALSE}, atoms=[X, ["fd", [[1, [0]], [128, []]], [[256, []]]]])),
    "wrap, all points": forged(["eq", ["wrap", "int8", X], X], POINTS, ["ge", X, const(100)], ["le", X, const(200)]),
    **{f"wrap into {dtype!r}": forged(["eq", ["wrap", dtype, X], X], POINTS, *SMALL)
       for dtype in ("bool", "float32", "int0", "int08", " int8", "int8\n", "int\u0663", "int1000", "uint-8", "", 8, None)},
    "Cast of format 1": forged(["eq", ["Cast", "int8", "int8", X], X]),
    "a certificate of format 1": forged(["EQ", ["Cast", "int8", "int8", X], X], version=1),
    "version 2.0": forged(["true"], version=2.0),
    "version true": forged(["true"], version=True),
    "another format": forged(["true"], format="refrelax-certificate-2"),
    # --- sorts
    "an integer as a truth": forged(["implies", X, ["le", X, ONE]], POINTS, *SMALL),
    "a truth as an integer": forged(["le", B, ONE], POINTS),
    "a constant as a claim": forged(const(5), POINTS),
    "an integer as an assumption": forged(["eq", X, ONE], POINTS, X, *SMALL),
    "a constant as an assumption": forged(["eq", X, ONE], POINTS, const(0)),
    "a sum as an assumption": forged(["eq", X, ONE], POINTS, ["add", X, ONE], *SMALL),
    "equality of truths as of integers": forged(["eq", ["lt", X, ONE], ["lt", X, TWO]], POINTS, *SMALL),
    "iff of integers": forged(["iff", X, X], POINTS, *SMALL),
    "select of two sorts": forged(["lt", ["select", B, ["true"], ONE], TWO], POINTS),
    "select by an integer": forged(["lt", ["select", X, ONE, ONE], TWO], POINTS, *SMALL),
    "bitwise not of a comparison": forged(["lt", ["not", ["lt", X, ONE]], ONE], POINTS, *SMALL),
    "and of a truth and an integer": forged(["and", ["true"], X], POINTS, *SMALL),
    "true with an operand": forged(["true", ["false"]], POINTS),
    "a claim of JSON": forged(True, POINTS),
    "a term that is a string": forged(["eq", "x", ONE], POINTS),
    "a term that is empty": forged([], POINTS),
    "a term that is an object": forged({"op": "true"}, POINTS),
    "an operator in capitals": forged(["EQ", X, X], POINTS, *SMALL),
    "an operator with three operands": forged(["eq", ["add", X, ONE, TWO], X], POINTS, *SMALL),
    "the sort of a symbol in capitals": forged(["true"], POINTS, symbols=["Int"]),
    "sorts that are no list": forged(["true"], POINTS, symbols="int"),
    "a sort that is a number": forged(["true"], POINTS, symbols=[0]),
    # --- symbols
    "a symbol that is not declared": forged(["le", ["sym", 3], ONE], POINTS),
    "a symbol by its name": forged(["le", ["sym", "x"], ONE], POINTS),
    "a symbol with a dtype": forged(["le", ["sym", 0, "int8"], ONE], POINTS),
    "the symbol -1": forged(["le", ["sym", -1], ONE], POINTS, *SMALL),
    "the symbol true": forged(["eq", ["sym", True], ["sym", True]], POINTS, symbols=["int", "int"]),
    "the symbol 0.0": forged(["le", ["sym", 0.0], ONE], POINTS, *SMALL),
    "a symbol out of the table's range": forged(ZERO, log(atoms=[["sym", 7]])),
    # --- numbers
    "a constant that is a float": forged(["lt", const(1.0), TWO], POINTS),
    "a constant that is a truth": forged(["lt", const(True), TWO], POINTS),
    "a constant that is a string": forged(["lt", const("1"), TWO], POINTS),
    "a constant that is nothing": forged(["lt", const(None), TWO], POINTS),
    "a constant with an exponent": forged(["lt", const(1), TWO], POINTS).replace('["const", 1]', '["const", 1e0]'),
    "a constant that is no number": forged(["lt", const(1), TWO], POINTS).replace('["const", 1]', '["const", NaN]'),
    "a constant that is infinite": forged(["lt", const(1), TWO], POINTS).replace('["const", 1]', '["const", -Infinity]'),
    "a constant of 9000 bits": forged(["lt", X, const(1 << 9000)], POINTS),
    "a constant of 10000 digits": forged(["lt", const(1), TWO], POINTS).replace("1]", "9" * 10_000 + "]"),
    # --- keys
    "the claim twice": twice(forged(ZERO, POINTS, *SMALL), "claim", ["true"]),
    "the assumptions twice": twice(forged(ZERO, POINTS, *SMALL), "assumptions", [["false"]]),
    "the question twice": twice(forged(ZERO, POINTS, *SMALL), "question", {}),
    "the evidence twice": twice(forged(ZERO, POINTS, *SMALL), "evidence", POINTS),
    "fits twice": twice(forged(["true"], POINTS), "fits", "int8"),
    "a conclusion twice": twice(forged(ZERO, log(combine([1, [0]], [1, [1]]))), "gives", ["ge", [[1, []]]]),
    "a field that is not known": forged(["true"], POINTS, extra=1),
    "a field of the question that is not known": forged(["true"], POINTS, assume=[["false"]]),
    "no assumptions": forged(["true"], POINTS).replace('"assumptions": [], ', ""),
    "assumptions that are no list": forged(["true"], POINTS, assumptions={}),
    "points with a list of points": forged(ZERO, {"kind": "points", "points": [[0, 0, 0]]}, *SMALL),
    "evidence of an unknown kind": forged(["true"], {"kind": "trust me"}),
    # --- fits and division
    **{f"fits {span!r}": forged(["le", ["floormod", X, const(6)], const(10)], POINTS, fits=span)
       for span in ([5, 10], [-128, 127], "int1", "bool", "uint0", "float32", True, "int8 ", 8, {}, "int_8")},
    "division: maybe": forged(["true"], POINTS, division="maybe"),
    "division: true": forged(["true"], POINTS, division=True),
    "a sum that leaves the range": forged(["ge", ["add", X, ONE], X], POINTS, fits="int8"),
    "a constant out of range": forged(["lt", X, const(128)], POINTS, fits="int8"),
    "a wrap out of range": forged(["ge", ["wrap", "uint8", X], const(0)], POINTS, fits="int8"),
    "undefined where it must not be": forged(["eq", ["floordiv", X, X], ONE], POINTS, *SMALL, division="require"),
    # --- points
    "shift_right further than it is looked at": forged(
        ["eq", ["shr", ["mul", ["shl", ONE, const(4000)], ["shl", ONE, const(1000)]], const(5000)], ["shl", ONE, const(904)]],
        POINTS, *SMALL),
    "shift_right of 2**6000": forged(["eq", ["shr", const(BIG), X], ONE], POINTS, ["ge", X, const(5990)], ["le", X, const(6100)]),
    "shift_left further than it is looked at": forged(["gt", ["shl", ONE, X], const(0)], POINTS, ["ge", X, const(4000)],
                                                      ["le", X, const(5000)]),
    "shift_left of shift_left": forged(["gt", ["shl", ONE, ["shl", ONE, X]], const(0)], POINTS, *SMALL, ["eq", X, const(60)],
                                       ["ge", ["shl", ONE, ["shl", ONE, const(13)]], const(0)]),
    "no bounds": forged(["ge", ["mul", X, X], X], POINTS),
    "one bound": forged(["ge", X, const(-5)], POINTS, ["ge", X, const(0)]),
    "a bound under or": forged(ZERO, POINTS, ["or", ["eq", X, const(0)], ["true"]]),
    "a bound under not": forged(ZERO, POINTS, ["not", ["ne", X, const(0)]], ["ge", X, ONE]),
    "too many points": forged(["ge", X, const(0)], POINTS, ["ge", X, const(0)], ["le", X, const(10**6)]),
    "no point in a wide box": forged(["ge", X, const(0)], POINTS, ["ge", ["sym", 2], const(9)], ["le", ["sym", 2], const(5)], fits="int32"),
    "too many nodes at all points": forged(nested("and", 150, ["ge", X, const(0)], ["ge", ["mul", X, X], X]), POINTS,
                                           ["ge", X, const(0)], ["le", X, const(400_000)], symbols=["int"]),
    "a point that refutes": forged(["ne", ["mul", X, X], const(9)], POINTS, *SMALL, symbols=["int"]),
    "the last point refutes": forged(["lt", X, const(3)], POINTS, *SMALL, symbols=["int"]),
    "a truth that refutes": forged(["implies", B, ["eq", X, ONE]], POINTS, ["eq", X, TWO], symbols=["int", "bool"]),
    # --- the table of atoms
    "an atom that is not in the table": forged(["lt", ["floordiv", X, TWO], X]),
    "an atom twice": forged(ZERO, log(atoms=[X, X])),
    "an atom of itself": forged(["lt", ["floordiv", X, TWO], X], log(atoms=[X, ["fd", [[1, [1]]], [[2, []]]]])),
    "an atom before its operands": forged(["lt", X, X], log(atoms=[["fd", [[1, [1]]], [[2, []]]], X])),
    "an atom of an unknown kind": forged(ZERO, log(atoms=[X, ["zero", [[1, [0]]]]])),
    "an atom that is any number": forged(ZERO, log(atoms=[X, ["define"]])),
    "an atom that stands for two": forged(ZERO, log(atoms=[X, ["define", [[1, []]], [[2, []]]]])),
    "a minimum of one": forged(ZERO, log(atoms=[X, ["min", [[1, [0]]]]])),
    "a choice by an integer": forged(ZERO, log(atoms=[X, ["ite", X, [[1, []]], [[0, []]]]])),
    "a choice by an unknown symbol": forged(ZERO, log(atoms=[X, ["ite", ["sym", 9], [[1, []]], [[0, []]]]])),
    "a choice by what is not in the table": forged(ZERO, log(atoms=[["ite", ["eq", X, ONE], [[1, []]], [[0, []]]], X])),
    "a choice with its own facts": forged(ZERO, log(atoms=[X, ["ite", ["true"], [[1, []]], [[0, []]], FALSE]])),
    "a table that is no list": forged(ZERO, {"kind": "log", "atoms": {}, "steps": []}),
    "a monomial of floats": forged(ZERO, log(atoms=[X, ["define", [[1.0, [0]]]]])),
    "a monomial of truths": forged(ZERO, log(atoms=[X, ["define", [[1, [False]]]]])),
    # --- steps
    "no steps": forged(ZERO),
    "steps that are no list": forged(ZERO, {"kind": "log", "atoms": [X], "steps": {}}),
    "trust me": forged(ZERO, log({"rule": "trust me", "atoms": [], "premises": [], "gives": FALSE})),
    "a fact that is given": forged(ZERO, log(FALSE)),
    "a negative factor of an inequality": forged(["lt", X, ONE], log(combine([-1, [0]]))),
    "a factor 0 of nothing": forged(ZERO, log(combine([0, []]))),
    "a negative constant from nothing": forged(ZERO, log(combine([-1, []]))),
    "a polynomial factor of an inequality": forged(["lt", X, ONE], log(combine([[[-1, [0]]], [0]], [1, [0]]))),
    "a negative square": forged(ZERO, log(combine([-1, [[[1, [0]]]]], [1, [[[1, [0]]]]], [-1, []]))),
    "a factor that is true": forged(["lt", X, ONE], log(combine([True, [0]]))),
    "a factor that is a float": forged(["lt", X, ONE], log(combine([1.0, [0]]))),
    "a premise that is true": forged(["lt", X, ONE], log(combine([1, [True]]))),
    "a premise that is -1": forged(["lt", X, ONE], log(combine([1, [-1]]))),
    "a premise of the future": forged(["lt", X, ONE], log(combine([1, [1]]))),
    "a premise of another branch": forged(["lt", X, ONE], log({"rule": "cases", "on": {"sign": [[1, [0]]]}, "gives": FALSE,
        "branches": [AND_SO_ON, [combine([1, [0]], [1, [1]])]]})),
    "a branch less": forged(["lt", X, ONE], log({"rule": "cases", "on": {"sign": [[1, [0]]]}, "branches": [[]], "gives": FALSE})),
    "a branch without a proof": forged(["lt", X, ONE], log({"rule": "cases", "on": {"sign": [[1, [0]]]},
                                                            "branches": [[], []], "gives": FALSE})),
    "cases of an inequality": forged(["lt", X, ONE], log({"rule": "cases", "on": {"or": 0}, "branches": [], "gives": FALSE})),
    "cases of a symbol": forged(["lt", X, ONE], log({"rule": "cases", "on": {"atom": 0}, "branches": [], "gives": FALSE})),
    "cases of a quotient": forged(["lt", ["floordiv", X, const(7)], ONE], {**OVER_SEVEN, "steps": [
        {"rule": "cases", "on": {"atom": 1}, "branches": [], "gives": FALSE}]}),
    "cases of two things": forged(["lt", X, ONE], log({"rule": "cases", "on": {"sign": [[1, [0]]], "or": 0},
                                                       "branches": [[], []], "gives": FALSE})),
    "equal, by one side": forged(["lt", X, ONE], log({"rule": "equal", "premises": [0, 0], "gives": ["eq", [[1, [0]], [-1, []]]]})),
    "congruence of two kinds": forged(["lt", ["floordiv", X, const(7)], ONE], {**OVER_SEVEN, "steps": [
        {"rule": "congruence", "atoms": [0, 1], "premises": [None, None], "gives": ["eq", [[1, [0]], [-1, [1]]]]}]}),
    "congruence of different operands": forged(["lt", ["floordiv", X, const(7)], ["floordiv", X, const(8)]], {
        "kind": "log", "atoms": [X, ["fd", [[1, [0]]], [[7, []]]], ["fd", [[1, [0]]], [[8, []]]]], "steps": [
            {"rule": "congruence", "atoms": [1, 2], "premises": [None, None], "gives": ["eq", [[1, [1]], [-1, [2]]]]}]}),
    "an axiom without its premise": forged(["lt", ["floordiv", X, ["sym", 2]], ONE], {
        "kind": "log", "atoms": [X, ["sym", 2], ["fd", [[1, [0]]], [[1, [1]]]]], "steps": [
            {"rule": "fd/low", "atoms": [2], "premises": [None], "gives": ["ge", [[1, [0]], [-1, [1, 2]]]]}]}),
    "an axiom with another conclusion": forged(["lt", ["floordiv", X, const(7)], ONE], {**OVER_SEVEN, "steps": [
        {"rule": "fd/low", "atoms": [1], "premises": [None], "gives": ["ge", [[1, [0]], [-8, [1]]]]}]}),
    "an axiom of another kind": forged(["lt", ["floordiv", X, const(7)], ONE], {**OVER_SEVEN, "steps": [
        {"rule": "td/low-pp", "atoms": [1], "premises": [0, None], "gives": ["ge", [[1, [0]], [-7, [1]]]]}]}),
    "a number where none belongs": forged(["lt", ["floordiv", X, const(7)], ONE], {**OVER_SEVEN, "steps": [
        {"rule": "fd/low", "number": 0, "atoms": [1], "premises": [None], "gives": ["ge", [[1, [0]], [-7, [1]]]]}]}),
    "a member that the minimum lacks": forged(["lt", ["min", X, ONE], ONE], {
        "kind": "log", "atoms": [X, ["min", [[1, [0]]], [[1, []]]]], "steps": [
            {"rule": "min/low", "number": 2, "atoms": [1], "premises": [], "gives": ["ge", [[-1, [1]]]]}]}),
    "the member -1 of a minimum": forged(["lt", ["min", X, ONE], ONE], {
        "kind": "log", "atoms": [X, ["min", [[1, [0]]], [[1, []]]]], "steps": [
            {"rule": "min/low", "number": -1, "atoms": [1], "premises": [], "gives": ["ge", [[1, []], [-1, [1]]]]}]}),
    "a step with rewrites": forged(["lt", X, ONE], log({**combine([1, [0]]), "rewrites": [[0, 0]]})),
    # --- what would take for ever
    "nested 1000 deep": deep(1_000),
    "nested 100000 deep": deep(100_000),
    "brackets 100000 deep": "[" * 100_000,
    "a product of 40 sums": forged(["ge", product(40), const(0)], log(atoms=[["sym", n] for n in range(80)]), symbols=["int"] * 80),
    "a product of 12 sums, squared for ever": forged(["ge", nested("mul", 100, product(12), product(12)), const(0)],
                                                     log(atoms=[["sym", n] for n in range(24)]), symbols=["int"] * 24),
    "shifts of shifts": forged(["ge", nested("shl", 190, X, const(4096)), const(0)]),
    "equivalences of equivalences": forged(nested("iff", 60, ["lt", X, ONE], ["lt", X, TWO])),
    "a choice in a choice in a condition": forged(["ge", nested("add", 2, X, nested("select", 1, ["true"])), X]),
    "60 conditions in conditions": forged(["ge", ["select", nested("iff", 60, ["lt", X, ONE], ["lt", X, TWO]), X, X], X]),
    "a power of 512": forged(ZERO, log(*[combine([1, [[[1, [0]], [1, []]]] * 400])])),
    "a fact times itself 10000 times": forged(["lt", X, const(-1)], log(combine([1, [0] * 10_000]))),
    "a mask of 4096 runs": forged(["ge", ["and", X, const(int("10" * 4096, 2))], const(0)]),
    "a question of a million nodes": forged(["ge", X, const(0)], log(), *[["ge", X, const(0)]] * 60_000),
    "a million symbols": forged(["true"], log(), symbols=["int"] * 10**6),
    # --- no certificate
    "nothing": "", "null": "null", "a list": "[]", "a number": "2", "half": forged(["true"])[:100], "two": forged(["true"]) * 2,
    "a byte order mark": "\ufeff" + forged(["true"]), "a comment": forged(["true"]) + "// true",
}  # fmt: skip

# --- bits: each derives a false claim if its first step is believed, and nearly has what that step asks for
Y: Any = ["sym", 2]
PX, PY, V, W, CONST = [[1, [0]]], [[1, [1]]], [[1, [2]]], [[1, [3]]], [[1, []]]
NONE4: list[Any] = [None] * 4


def plus(*parts: Any) -> Any:
    return [row for part in parts for row in part]


def times(factor: int, p: Any) -> Any:
    return [[factor * c, mono] for c, mono in p]


def bitwise(claim: Any, rule: str, premises: list[Any], gives: Any, *rows: Any, on: Any = (2,), **more: Any) -> str:
    """``claim`` says that something is at least something else; ``gives`` is 0, and says so with its negation."""
    step = {"rule": rule, "atoms": list(on), "premises": premises, "gives": ["eq", gives], **more}
    return forged(claim, log(step, combine([1, [0]], [1, [1]]), atoms=[X, Y, *rows]))


BITS: dict[str, str] = {
    "x & y is x": bitwise(["ge", ["and", X, Y], X], "and/same", [None, None], plus(V, times(-1, PX)), ["and", PX, PY]),
    "x & y is x, by what is no premise": bitwise(["ge", ["and", X, Y], X], "and/same", [0, 0], plus(V, times(-1, PX)), ["and", PX, PY]),
    "x & -x is 0": bitwise(["ge", const(0), ["and", X, ["sub", const(0), X]]], "and/opposite", [None, None], times(-1, V),
                           ["and", PX, times(-1, PX)]),
    "x & y is x & -y": bitwise(["ge", ["and", X, Y], ["and", X, ["sub", const(0), Y]]], "and/commute", NONE4, plus(V, times(-1, W)),
                               ["and", PX, PY], ["and", PX, times(-1, PY)], on=(2, 3)),
    "(x & y) & -y is x & y": bitwise(["ge", ["and", ["and", X, Y], ["sub", const(0), Y]], ["and", X, Y]], "and/and", NONE4,
                                     plus(W, times(-1, V)), ["and", PX, PY], ["and", V, times(-1, PY)], on=(3, 2)),
    "(x + y) & y is y": bitwise(["ge", ["and", ["add", X, Y], Y], Y], "and/or", NONE4, plus(V, times(-1, PY)),
                                ["and", plus(PX, PY), PY], ["and", PX, PY], on=(2, 3)),
    "(x | y) & y is y - (x & y)": bitwise(["ge", ["sub", Y, ["and", X, Y]], ["and", ["or", X, Y], Y]], "and/xor", NONE4,
                                          plus(W, V, times(-1, PY)), ["and", PX, PY],
                                          ["and", plus(PX, PY, times(-1, V)), PY], on=(3, 2)),
    "-x & y is y - (x & y)": bitwise(["ge", ["sub", Y, ["and", X, Y]], ["and", ["sub", const(0), X], Y]], "and/not", NONE4,
                                     plus(W, V, times(-1, PY)), ["and", PX, PY], ["and", times(-1, PX), PY], on=(3, 2)),
    "x & 6 is x % 4": bitwise(["ge", ["floormod", X, const(4)], ["and", X, const(6)]], "and/mask", [],
                              plus(V, times(-1, PX), [[4, [3]]]), ["and", PX, [[6, []]]], ["fd", PX, [[4, []]]],
                              ["fd", PX, [[2, []]]], ["fd", [[1, [4]]], [[4, []]]]),
    "x & y by a mask": bitwise(["ge", X, ["and", X, Y]], "and/mask", [], plus(V, times(-1, PX)), ["and", PX, PY]),
    "a mask of a quotient": bitwise(["ge", X, ["floordiv", X, Y]], "and/mask", [], plus(V, times(-1, PX)), ["fd", PX, PY]),
    "a mask with a number": bitwise(["ge", ["and", X, const(3)], X], "and/mask", [], plus(V, times(-1, PX)), ["and", PX, [[3, []]]],
                                  ["fd", PX, [[4, []]]], number=2),
    "a mask with a premise": bitwise(["ge", ["and", X, const(3)], X], "and/mask", [0], plus(V, times(-1, PX)), ["and", PX, [[3, []]]],
                                   ["fd", PX, [[4, []]]]),
    "2*x & y is 0": bitwise(["ge", const(0), ["and", ["mul", X, TWO], Y]], "and/apart", [None, None, 0, 0], times(-1, V),
                            ["and", times(2, PX), PY], ["and", PX, PY], on=(2, 3), number=1),
    "2*x & 2 is 0": bitwise(["ge", const(0), ["and", ["mul", X, TWO], TWO]], "and/apart", NONE4, times(-1, V),
                            ["and", times(2, PX), [[2, []]]], ["and", PX, PY], ["fd", times(2, PX), [[2, []]]],
                            ["fd", [[1, [4]]], [[2, []]]], on=(2, 3), number=1),
    "x & 1 is 0": bitwise(["ge", const(0), ["and", X, Y]], "and/apart", NONE4, times(-1, V),
                          ["and", PX, CONST], ["and", PX, PY], on=(2, 3), number=1),
    **{f"bits apart by {number!r}": bitwise(["ge", const(0), ["and", X, Y]], "and/apart", NONE4, times(-1, V), ["and", [], CONST],
                                            ["and", PX, PY], on=(2, 3), number=number) for number in (-1, 257, True, None, "1", 1.0)},
    **{f"bits below by {number!r}": bitwise(["ge", const(3), ["or", X, Y]], "and/below", NONE4, plus([[3, []]], times(-1, PX), times(-1, PY), V),
                                            ["and", PX, PY], number=number) for number in (2, -1, 257, None)},
}  # fmt: skip
LIES |= BITS

# --- the rule "bits": -1, the leaves and the atoms are what is known
AND_XY = ["and", PX, PY]


def by_bits(claim: Any, leaves: list[Any], sums: list[Any], gives: Any, *rows: Any, on: Any = (2,), **more: Any) -> str:
    step = {"rule": "bits", "leaves": leaves, "atoms": list(on), "sums": sums, "gives": ["eq", gives], **more}
    return forged(claim, log(step, combine([1, [0]], [1, [1]]), atoms=[X, Y, *rows]))


X_AND_Y: Any = ["ge", ["and", X, Y], X]
AND_IS_X, OPERANDS = plus(V, times(-1, PX)), [[[1, 1]], [[1, 2]]]
PLACES: dict[str, str] = {
    "a & b by its bits is a": by_bits(X_AND_Y, [PX, PY], [*OPERANDS, [[1, 3], [-1, 1]]], AND_IS_X, AND_XY),
    "operands that are others": by_bits(X_AND_Y, [PX, PY], [[[1, 1]], [[1, 1]], [[1, 3], [-1, 1]]], AND_IS_X, AND_XY),
    "operands left out": by_bits(X_AND_Y, [PX, PY], [[[1, 3], [-1, 1]]], AND_IS_X, AND_XY),
    "a sum that is no bit": by_bits(["ge", ["and", ["add", X, Y], Y], Y], [PX, PY], [[[1, 1], [1, 2]], [[1, 2]], [[1, 3], [-1, 2]]],
                                    plus(V, times(-1, PY)), ["and", plus(PX, PY), PY]),
    "-x for ~x": by_bits(["ge", ["and", ["sub", const(0), X], X], const(1)], [PX], [[[-1, 1]], [[1, 1]], [[1, 2]]], plus(times(-1, V), CONST),
                         ["and", times(-1, PX), PX]),
    "a conclusion with a constant": by_bits(X_AND_Y, [PX, PY], [*OPERANDS, [[0, 0]]], AND_IS_X, AND_XY),
    "a conclusion that is another": by_bits(X_AND_Y, [PX, PY], [*OPERANDS, [[1, 3], [-1, 3]]], AND_IS_X, AND_XY),
    "an atom before it is opened": by_bits(
        X_AND_Y, [PX], [[[1, 1]], [[1, 2]], [[1, 2], [-1, 1]]], plus(W, times(-1, PX)), AND_XY, ["and", PX, PX], on=(3,)
    ),
    "two leaves with one bit": by_bits(["ge", X, Y], [PX, PX], [[[1, 1], [-1, 2]]], plus(PX, times(-1, PY)), on=()),
    "a quotient for an and": by_bits(["ge", ["floordiv", X, Y], ["and", X, Y]], [PX, PY], [*OPERANDS, *OPERANDS, [[1, 3], [-1, 4]]],
                                     plus(V, times(-1, W)), ["fd", PX, PY], AND_XY, on=(2, 3)),
    "a leaf of a leaf": by_bits(["ge", X, const(0)], [PX], [[[1, 1]]], plus(PX, CONST), on=()),
    "7 leaves": by_bits(ZERO, [PX, PY, *[CONST] * 5], [[]], [[-1, []]], on=()),
    "3 where a number is -1": by_bits(
        X_AND_Y, [PX], [[[1, 1]], [[3, 0]], [[1, 2], [-1, 1]]], plus(W, times(-1, PX)), AND_XY, ["and", PX, [[-3, []]]], on=(3,)
    ),
    **{f"the leaf number {number!r}": by_bits(X_AND_Y, [PX, PY], [*OPERANDS, [[1, 3], [-1, number]]], AND_IS_X, AND_XY)
       for number in (-1, True, None, 1.0, "1", 4)},
    **{f"the factor {factor!r}": by_bits(X_AND_Y, [PX, PY], [*OPERANDS, [[1, 3], [factor, 1]]], AND_IS_X, AND_XY)
       for factor in (True, None, -1.0, "-1", [])},
    "bits with premises": by_bits(X_AND_Y, [PX, PX], [*OPERANDS, [[1, 3], [-1, 1]]], AND_IS_X, AND_XY, premises=[]),
}  # fmt: skip
LIES |= PLACES

# --- "and/power": atom 2 is the power 2**y, 3 the quotient x // 2**y, 4 is x & (2**y - 1), 5 another
POW, LOW = ["p2", PY], plus(V, times(-1, CONST))


def by_power(other: Any, on: Any, premises: Any = (0,), **more: Any) -> str:
    """That ``x`` is at least 1 follows from the step; but for ``other``, ``on`` and ``premises``, it is as it should be."""
    left, power, quotient = on if len(on) == 3 else (4, 2, 3)
    gives = ["eq", plus([[1, [left]]], times(-1, PX), [[1, [power, quotient]]])]
    mask, power_said = ["sub", ["shl", ONE, Y], ONE], ["shl", ONE, Y]
    claim = ["and", ["eq", ["and", X, mask], ["floormod", X, power_said]], ["lt", X, ONE]]
    step = {"rule": "and/power", "atoms": list(on), "premises": list(premises), "gives": gives, **more}
    rows = [X, Y, POW, ["fd", PX, V], ["and", PX, LOW], other]
    return forged(claim, log(step, combine([1, [2]]), atoms=rows), ["ge", Y, const(0)])


SPARE: Any = ["define", PX]
POWERS: dict[str, str] = {
    "a power without a premise": by_power(SPARE, [4, 2, 3], [None]),
    "a power with no premises": by_power(SPARE, [4, 2, 3], []),
    "a power with two premises": by_power(SPARE, [4, 2, 3], [0, 0]),
    "a power with another premise": by_power(SPARE, [4, 2, 3], [1]),
    "a power with a number": by_power(SPARE, [4, 2, 3], number=1),
    "a power for its mask": by_power(["and", PX, V], [5, 2, 3]),
    "a mask past its power": by_power(["and", PX, plus(V, CONST)], [5, 2, 3]),
    "a quotient of another": by_power(["fd", PY, V], [4, 2, 5]),
    "a quotient by another": by_power(["fd", PX, PY], [4, 2, 5]),
    "a truncated quotient": by_power(["td", PX, V], [4, 2, 5]),
    "operands the other way round": by_power(["and", LOW, PX], [5, 2, 3]),
    "another power": by_power(["p2", PX], [4, 5, 3]),
    "a symbol for a power": by_power(SPARE, [4, 5, 3]),
    "atoms in another order": by_power(SPARE, [4, 3, 2]),
    "two atoms of three": by_power(SPARE, [4, 2]),
}  # fmt: skip
LIES |= POWERS

# --- "and/bit": atom 2 is the power 2**y, 3 the quotient x // 2**y, 4 is half of that, 5 is x & 2**y, 6 another
HALF: Any = ["fd", W, [[2, []]]]


def by_bit(other: Any, on: Any, premises: Any = (0,), gives: Any = None, **more: Any) -> str:
    """That ``x`` is at least 1 follows from the step; but for what is given, it is as it should be."""
    v, power, quotient, half = on if len(on) == 4 else (5, 2, 3, 4)
    said = ["eq", plus([[1, [v]]], [[-1, [power, quotient]]], [[2, sorted([power, half])]])] if gives is None else gives
    bit = ["shl", ["floormod", ["shr", X, Y], TWO], Y]
    claim = ["and", ["eq", ["and", X, ["shl", ONE, Y]], bit], ["lt", X, ONE]]
    step = {"rule": "and/bit", "atoms": list(on), "premises": list(premises), "gives": said, **more}
    rows = [X, Y, POW, ["fd", PX, V], HALF, ["and", PX, V], other]
    return forged(claim, log(step, combine([1, [2]]), atoms=rows), ["ge", Y, const(0)])


SINGLE: dict[str, str] = {
    "a bit without a premise": by_bit(SPARE, [5, 2, 3, 4], [None]),
    "a bit with two premises": by_bit(SPARE, [5, 2, 3, 4], [0, 0]),
    "a bit with another premise": by_bit(SPARE, [5, 2, 3, 4], [1]),
    "a bit with a number": by_bit(SPARE, [5, 2, 3, 4], number=1),
    "a bit of a mask": by_bit(["and", PX, plus(V, times(-1, CONST))], [6, 2, 3, 4]),
    "a bit the other way round": by_bit(["and", V, PX], [6, 2, 3, 4]),
    "a bit of another quotient": by_bit(["fd", PY, V], [5, 2, 6, 4]),
    "a bit by a third": by_bit(["fd", W, [[3, []]]], [5, 2, 3, 6]),
    "a bit by half of another": by_bit(["fd", PX, [[2, []]]], [5, 2, 3, 6]),
    "a bit by a half that is rounded": by_bit(["td", W, [[2, []]]], [5, 2, 3, 6]),
    "a bit of three atoms": by_bit(SPARE, [5, 2, 3]),
    "a bit that is 0": by_bit(SPARE, [5, 2, 3, 4], gives=["eq", [[1, [5]]]]),
}  # fmt: skip
LIES |= SINGLE

# --- operands split at a place: atom 2 is x & y, 3 and 4 are what it is made of
NONE8: list[Any] = [None] * 8


def by_split(first: Any, second: Any, premises: Any = NONE8, on: Any = (2, 3, 4), **more: Any) -> str:
    """That ``x & y`` is ``2 * first + second``, atoms 3 and 4."""
    gives = plus(V, times(-2, W), [[-1, [4]]])
    return bitwise(["ge", ["and", X, Y], X], "and/split", list(premises), gives, AND_XY, first, second, on=on, **more)


SPLITS: dict[str, str] = {
    "x & y split without a premise": by_split(["and", PX, PX], ["and", PY, PY], number=1),
    "x & y split by what is no premise": by_split(["and", PX, PX], ["and", PY, PY], [0] * 8, number=1),
    "x & y split with few premises": by_split(["and", PX, PX], ["and", PY, PY], [None] * 4, number=1),
    "x & y split into two": by_split(["and", PX, PX], ["and", PY, PY], on=(2, 3), number=1),
    "x & y split into a quotient": by_split(["fd", PX, [[2, []]]], ["and", PY, PY], number=1),
    **{f"x & y split at {number!r}": by_split(["and", [], []], ["and", PX, PY], number=number) for number in (-1, 257, True, None, "1", 1.0)},
    "-x & -y is -(x & y)": bitwise(["ge", const(0), ["add", ["and", X, Y], ["and", ["sub", const(0), X], ["sub", const(0), Y]]]], "and/signs",
                                   NONE8, plus(W, V), AND_XY, ["and", times(-1, PX), times(-1, PY)], on=(3, 2)),
    "x & y is at most x": forged(["le", ["and", X, Y], X], log(
        {"rule": "and/least-left", "atoms": [2], "premises": [None], "gives": ["ge", plus(PX, times(-1, V))]}, combine([1, [0]], [1, [1]]),
        atoms=[X, Y, AND_XY])),
    "x & y is at most x by another bound": forged(["le", ["and", X, Y], X], log(
        {"rule": "and/least-left", "atoms": [2], "premises": [0], "gives": ["ge", plus(PX, times(-1, V))]}, combine([1, [1]], [1, [2]]),
        atoms=[X, Y, AND_XY]), ["lt", X, const(0)]),
    **{f"2**y below 2**{number!r}": forged(["le", ["shl", ONE, Y], const(8)], log(
        {"rule": "p2/below", "atoms": [2], "premises": [0, None], "number": number, "gives": ["ge", plus([[8, []]], times(-1, V))]},
        combine([1, [1]], [1, [2]]), atoms=[X, Y, POW]), ["ge", Y, const(0)]) for number in (3, 4, -1, 257, None, True)},
    "2**y above 2**3": forged(["ge", ["shl", ONE, Y], const(8)], log(
        {"rule": "p2/above", "atoms": [2], "premises": [0], "number": 3, "gives": ["ge", plus(V, [[-8, []]])]},
        combine([1, [1]], [1, [2]]), atoms=[X, Y, POW]), ["ge", Y, const(0)]),
}  # fmt: skip
LIES |= SPLITS

# --- the rule "carries": x & y <= x, which fails for x < 0, and x // 3 as if it were by a power of two


def carried(streams: Any, premises: Any = (0,), atoms: Any = None, claim: Any = None, **more: Any) -> str:
    step = {"rule": "carries", "streams": streams, "premises": list(premises), "gives": FALSE, **more}
    return forged(claim or ["le", ["and", X, Y], X], log(step, atoms=atoms or [X, Y, AND_XY]))


LEAVES = [["leaf", PX], ["leaf", PY]]
BOTH = [*LEAVES, ["and", 2, 1, 0, 1]]
OVER_THREE = [X, ["fd", PX, [[3, []]]]]
CARRIES: dict[str, str] = {
    "bits that hold": carried([*BOTH, ["sum", [[1, 2], [-1, 0]], -1]]),
    "bits of nothing": carried([]),
    "bits without facts": carried([*BOTH, ["sum", [[1, 2], [-1, 0]], -1]], []),
    "bits of other operands": carried([*LEAVES, ["and", 2, 1, 1, 1], ["sum", [[1, 2], [-1, 0]], -1]]),
    "bits of operands the other way round": carried([*LEAVES, ["and", 2, 1, 1, 0], ["sum", [[1, 2], [-1, 0]], -1]]),
    "bits of a stream that is no atom &": carried([*LEAVES, ["and", 0, 1, 0, 1], ["sum", [[1, 2], [-1, 0]], -1]]),
    "bits of streams to come": carried([["and", 2, 1, 1, 2], *LEAVES, ["sum", [[1, 0], [-1, 1]], -1]]),
    "bits of itself": carried([["sum", [[1, 0]], 0]]),
    **{f"bits of the stream {n!r}": carried([*BOTH, ["sum", [[1, n], [-1, 0]], -1]]) for n in (-1, 3, 9, True, None, "2", 2.0)},
    **{f"bits times {c!r}": carried([*BOTH, ["sum", [[c, 2], [-1, 0]], -1]]) for c in (0, True, None, "1", 1.0, 1 << 200)},
    **{f"bits from {c!r}": carried([*BOTH, ["sum", [[1, 2], [-1, 0]], c]]) for c in (0, True, None, "1", 1 << 200)},
    **{f"bits of the fact {n!r}": carried([*BOTH, ["sum", [[1, 2], [-1, 0]], -1]], [n]) for n in (1, -1, True, None, "0")},
    **{f"bits at the scale {e!r}": carried([*LEAVES, ["and", 2, e, 0, 1], ["sum", [[1, 2], [-1, 0]], -1]]) for e in (0, -1, 2, 3, True, None, 1 << 200)},
    "bits of seven leaves": carried([["leaf", [[k, [0]]]] for k in range(1, 8)]),
    "bits of many streams": carried([["sum", [], k] for k in range(61)]),
    "bits that give something else": carried([*BOTH, ["sum", [[1, 2], [-1, 0]], -1]], gives=["ge", plus(PX, times(-1, V))]),
    "bits and more": carried([*BOTH, ["sum", [[1, 2], [-1, 0]], -1]], number=1),
    "bits of a stream of another kind": carried([["or", 2, 1, 0, 1]]),
    "bits of a quotient by 3": carried(
        [["leaf", PX], ["sum", [], -3], ["floor", 1, 1, 0, 1], ["sum", [[1, 0], [-1, 2]], -2]],
        atoms=OVER_THREE, claim=["le", ["floormod", X, const(3)], ONE]),
    "bits of a quotient by 3 at the scale 4": carried(
        [["leaf", PX], ["sum", [[4, 0]], 0], ["sum", [], -12], ["floor", 1, 4, 1, 2], ["sum", [[4, 0], [-1, 3]], -8]],
        atoms=OVER_THREE, claim=["le", ["floormod", X, const(3)], ONE]),
    **{f"bits of a quotient by 2 under {c}": carried(
        [["leaf", PX], ["sum", [], c], ["floor", 1, 1, 0, 1], ["sum", [[1, 0], [-1, 2]], -1]],
        atoms=[X, ["fd", PX, [[2, []]]]], claim=["le", ["floormod", X, TWO], const(0)]) for c in (-2, 2, -1, 0, -4)},
    **{f"bits of a quotient by {d}": carried(
        [["leaf", PX], ["sum", [], -d], ["floor", 1, e, 0, 1], ["sum", [[1, 0], [-1, 2]], -1]],
        atoms=[X, ["fd", PX, [[d, []]]]], claim=["le", ["floormod", X, const(d)], const(0)]) for d, e in ((-2, 1), (-2, -1), (2, -1))},
}  # fmt: skip
LIES |= CARRIES

SCRIPT = "(set-logic ALL)\n(declare-const a0 Int) ; x\n(assert false) ;\n(check-sat)\n"
FORGERIES = {
    **LIES, "a script of its own": forged(["eq", X, ONE], {"kind": "smt2", "script": SCRIPT}, names=["x\n(assert false) ;", "b", "y"]),
}  # fmt: skip
