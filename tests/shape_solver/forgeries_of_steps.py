"""Certificates whose last doubtful step is one of the newest rules: streams of bits, axioms of ``&``, cases around them.

Each would prove something false if that step were believed; ``HONEST`` are the same files told straight, which are accepted, so that no lie is refused for another reason.
"""

# ruff: noqa: E501

from __future__ import annotations

from typing import Any

from tests.shape_solver.forgeries import (
    AND_XY,
    BOTH,
    FALSE,
    LEAVES,
    NONE4,
    NONE8,
    PX,
    PY,
    TWO,
    B,
    V,
    W,
    X,
    Y,
    bitwise,
    carried,
    combine,
    const,
    forged,
    log,
    plus,
    times,
)

DONE = combine([1, [0]], [1, [1]])


def streams(
    claim: Any, rows: Any, *assumptions: Any, atoms: Any = None, premises: Any = (0,), before: Any = (), **more: Any
) -> str:
    """``claim``, by steps ``before`` and one of the rule ``carries``."""
    step = {"rule": "carries", "streams": rows, "premises": list(premises), "gives": FALSE, **more}
    return forged(claim, log(*before, step, atoms=atoms or [X, Y, AND_XY]), *assumptions)


BELOW: Any = ["le", ["and", X, Y], X]
"""False where ``x`` is negative; its negation is ``(x & y) - x - 1 >= 0``."""

MORE: Any = ["sum", [[1, 2], [-1, 0]], -1]
POSITIVE: Any = ["ge", X, const(0)]
FLOOR2: Any = ["fd", PX, [[2, []]]]
CEIL2: Any = ["td", PX, [[2, []]]]
EVEN: Any = ["eq", ["floormod", X, TWO], const(0)]
ODD: Any = [["leaf", PX], ["sum", [], -2], ["floor", 1, 1, 0, 1], ["sum", [[1, 0], [-1, 2]], -1]]
"""Streams of ``x - 2 * (x // 2) - 1``."""

HONEST: dict[str, str] = {
    "x & y is at most x from 0 on": streams(BELOW, [*BOTH, MORE, ["sum", [[1, 0]], 0]], POSITIVE, premises=[0, 1]),
    "what is left of x by 2 is at most 1": streams(
        ["le", ["floormod", X, TWO], const(1)], [*ODD[:3], ["sum", [[1, 0], [-1, 2]], -2]], atoms=[X, FLOOR2]
    ),
    "x & y is y & x": bitwise(
        ["ge", ["and", X, Y], ["and", Y, X]],
        "and/commute",
        NONE4,
        plus(V, times(-1, W)),
        AND_XY,
        ["and", PY, PX],
        on=(2, 3),
    ),
}

STEPS: dict[str, str] = {
    # --- carries: what is read
    "the fact that is needed is not named": streams(BELOW, [*BOTH, MORE, ["sum", [[1, 0]], 0]], POSITIVE, premises=[1]),
    "a stream is missing for the fact that is needed": streams(BELOW, BOTH, POSITIVE, premises=[0, 1]),
    "a leaf for the atom itself": streams(BELOW, [["leaf", PX], ["leaf", V], ["sum", [[1, 1], [-1, 0]], -1]]),
    "a leaf that is 0": streams(BELOW, [["leaf", []], ["leaf", PY], ["and", 2, 1, 0, 1], ["sum", [[1, 2], [-1, 0]], -1]]),
    "the operands of another atom": streams(BELOW, [*BOTH, MORE], atoms=[X, Y, ["and", PY, PX], AND_XY], premises=[0]),
    "the operands of a scaled atom, unscaled": streams(BELOW, [*LEAVES, ["and", 2, 2, 0, 1], ["sum", [[1, 2], [-2, 0]], -2]]),
    "a negative scale on both sides": streams(BELOW, [["sum", [], 0], ["leaf", times(-1, PX)], ["leaf", times(-1, PY)], ["and", 2, -1, 1, 2], ["sum", [[-1, 3], [1, 1]], -1]]),
    "a quotient towards 0": streams(["eq", ["truncmod", X, TWO], const(0)], [*ODD, ["sum", [[-1, 0], [1, 2]], -1]], atoms=[X, CEIL2]),
    "a quotient by 1 for one by 2": streams(EVEN, [["leaf", PX], ["sum", [], -1], ["floor", 1, 1, 0, 1], ["sum", [[1, 0], [-1, 2]], -1]], atoms=[X, FLOOR2]),
    "a quotient at the scale of a half": streams(EVEN, [["leaf", PX], ["sum", [], -1], ["floor", 1, 0.5, 0, 1], ["sum", [[1, 0], [-1, 2]], -1]], atoms=[X, FLOOR2]),
    "a quotient by a symbol": streams(["eq", ["floormod", X, Y], const(0)], [*LEAVES, ["sum", [[-1, 1]], 0], ["floor", 2, 1, 0, 2], ["sum", [[1, 0], [-1, 3]], -1]], atoms=[X, Y, ["fd", PX, PY]]),
    "a quotient for an atom &": streams(BELOW, [*LEAVES, ["floor", 2, 1, 0, 1], MORE]),
    "an atom & for a quotient": streams(EVEN, [["leaf", PX], ["sum", [], 2], ["and", 1, 1, 0, 1], ["sum", [[1, 0], [-1, 2]], -1]], atoms=[X, FLOOR2]),
    "a stream with more than it has": streams(BELOW, [["leaf", PX, PX], ["leaf", PY], ["and", 2, 1, 0, 1], MORE]),
    "a sum with more than it has": streams(BELOW, [*BOTH, ["sum", [[1, 2], [-1, 0]], -1, 0]]),
    "a sum of pairs that are triples": streams(BELOW, [*BOTH, ["sum", [[1, 2, 0], [-1, 0, 0]], -1]]),
    "streams that are an object": carried({"0": ["leaf", PX]}),
    "a disjunction of which nothing is asked": streams(["eq", ["and", X, Y], X], [*LEAVES, ["and", 2, 1, 0, 1]]),
    "half of a disjunction": streams(["eq", ["and", X, Y], X], [*BOTH, MORE], POSITIVE, premises=[1]),
    "a fact that a branch had": forged(BELOW, log(
        {"rule": "cases", "on": {"sign": PX}, "branches": [[combine([1, ["not"]], [1, [1]], gives=["ge", PX])], []], "gives": ["ge", [[0, []]]]},
        {"rule": "carries", "streams": [*BOTH, MORE, ["sum", [[1, 0]], 0]], "premises": [0, 1], "gives": FALSE}, atoms=[X, Y, AND_XY])),
    "carries for one side of a sign": forged(BELOW, log(
        {"rule": "cases", "on": {"sign": PX}, "branches": [[{"rule": "carries", "streams": [*BOTH, MORE], "premises": [0, 1], "gives": FALSE}]], "gives": FALSE},
        atoms=[X, Y, AND_XY])),
    "carries in one branch for both": forged(BELOW, log(
        {"rule": "cases", "on": {"sign": PX}, "branches": [[{"rule": "carries", "streams": [*BOTH, MORE], "premises": [0, 1], "gives": FALSE}], []], "gives": FALSE},
        atoms=[X, Y, AND_XY])),
    "carries that give an equation": streams(BELOW, [*BOTH, MORE, ["sum", [[1, 0]], 0]], POSITIVE, premises=[0, 1], gives=["eq", [[1, []]]]),
    "carries about two atoms": streams(BELOW, [*BOTH, MORE], atoms_=[2]),
    # --- the axioms of &
    "x & y is y & x & x": bitwise(["ge", ["and", X, Y], Y], "and/commute", NONE4, plus(V, times(-1, W)), AND_XY, ["and", PY, PY], on=(2, 3)),
    "x & y is x & x by a premise about others": bitwise(["ge", ["and", X, Y], X], "and/same", [0, None], plus(V, times(-1, PX)), AND_XY),
    "and/or by the product of both": bitwise(["ge", ["and", ["mul", X, Y], Y], Y], "and/or", NONE4, plus(W, times(-1, PY)), AND_XY, ["and", [[1, [0, 1]]], PY], on=(3, 2)),
    "and/xor with once what both have": bitwise(["ge", ["and", ["sub", ["add", X, Y], ["and", X, Y]], Y], ["sub", Y, ["and", X, Y]]], "and/xor", NONE4, plus(W, V, times(-1, PY)), AND_XY, ["and", plus(PX, PY, times(-1, V)), PY], on=(3, 2)),
    "and/and the other way round": bitwise(["ge", ["and", X, Y], ["and", ["and", X, Y], X]], "and/and", NONE4, plus(V, times(-1, PX)), AND_XY, ["and", V, PX], on=(3, 2)),
    "and/signs of 0 to 2": bitwise(["ge", const(0), ["add", ["and", X, Y], ["and", ["sub", const(0), X], ["sub", const(0), Y]]]], "and/signs", [*NONE4, 0, 0, 0, 0], plus(W, V), AND_XY, ["and", times(-1, PX), times(-1, PY)], on=(3, 2)),
    "and/split whose rest is as large as the place": bitwise(["ge", ["and", ["mul", X, TWO], Y], const(0)], "and/split", NONE8, plus(V, times(-2, W), [[-1, [4]]]), ["and", times(2, PX), PY], ["and", PX, []], ["and", [], PY], on=(2, 3, 4), number=1),
    "and/apart of a multiple and itself": bitwise(["ge", const(0), ["and", ["mul", X, TWO], ["mul", X, TWO]]], "and/apart", NONE4, times(-1, V), ["and", times(2, PX), times(2, PX)], ["and", PX, times(2, PX)], on=(2, 3), number=1),
    "a congruence of & and of a minimum": bitwise(["ge", ["and", X, Y], ["min", X, Y]], "congruence", [None, None], plus(V, times(-1, W)), AND_XY, ["min", PX, PY], on=(2, 3)),
    "a congruence of & whose operands are turned": bitwise(["ge", ["and", X, Y], ["and", Y, Y]], "congruence", [None, None], plus(V, times(-1, W)), AND_XY, ["and", PY, PY], on=(2, 3)),
    "a congruence of & by a fact about other operands": bitwise(["ge", ["and", X, Y], ["and", Y, Y]], "congruence", [0, None], plus(V, times(-1, W)), AND_XY, ["and", PY, PY], on=(2, 3)),
    "a congruence of symbols": bitwise(["ge", X, Y], "congruence", [], plus(PX, times(-1, PY)), on=(0, 1)),
    "bits whose sums forget an atom": forged(["eq", ["and", X, Y], X], log({"rule": "bits", "leaves": [PX, PY], "atoms": [2], "sums": [[[1, 1]], [[1, 1]], [[1, 3], [-1, 1]]], "gives": ["eq", plus(V, times(-1, PX))]}, atoms=[X, Y, AND_XY])),
    "a truth as a bit": streams(["implies", B, BELOW], [*BOTH, MORE], atoms=[X, Y, AND_XY, B], premises=[0, 1, 2, 3]),
}  # fmt: skip
