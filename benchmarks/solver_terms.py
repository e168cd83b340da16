"""Our evaluators of typed terms against one written from the words of chapter 06b alone (``solver_terms.js``, a stack
machine): ``python benchmarks/solver_terms.py --seed NAME --first 0 --last 1000000``.

Each term is read from the text of its claim (parser, door, closures: what judges counterexamples) and as a certificate
has it (the checker's evaluator). All three have to say one thing at three points: the value, or that there is none.
Where one of them does not compute a value that is too long, the point is counted apart.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
from collections import Counter
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).parents[1]))

from refrelax.shape_solver import parse_claim, parse_dim
from refrelax.shape_solver.checker import points as checker
from refrelax.shape_solver.door import Door
from refrelax.shape_solver.evaluate import TooLarge, Undefined, compiled
from refrelax.syntax.dtypes import is_dtype

NAMES = ("n", "m", "k", "p", "q")
"""Three integers and two truths."""

INFIX = {
    "add": "+", "sub": "-", "mul": "*", "floordiv": "//", "floormod": "%", "shl": "<<", "shr": ">>", "and": "&",
    "or": "|", "xor": "^", "lt": "<", "le": "<=", "gt": ">", "ge": ">=", "eq": "==", "ne": "!=", "iff": "==",
}  # fmt: skip
FUNCTIONS = {"truncdiv", "truncmod", "min", "max", "implies", "select"}


def text(term: list[Any], sort: str) -> str:
    """A term as a claim, or an integer, is written."""
    match term:
        case ["const", str(number)]:
            return f"({number})"
        case ["sym", int(k)]:
            return NAMES[k]
        case ["true" | "false" as truth]:
            return str(truth).capitalize()
        case ["wrap", str(dtype), a] if is_dtype(dtype):
            return f"{dtype}({text(a, 'int')})"
        case ["wrap", *_]:
            raise Unwritten
        case ["abs", a]:
            return f"abs({text(a, 'int')})"
        case ["not", a]:
            return f"(not {text(a, 'bool')})" if sort == "bool" else f"(~{text(a, 'int')})"
        case ["and" | "or" as op, a, b] if sort == "bool":
            return f"({text(a, 'bool')} {op} {text(b, 'bool')})"
        case ["select", c, a, b]:
            return f"select({text(c, 'bool')}, {text(a, sort)}, {text(b, sort)})"
        case [str(op), a, b]:
            below = "bool" if op in ("iff", "implies") else "int"
            left, right = text(a, below), text(b, below)
            return f"{op}({left}, {right})" if op in FUNCTIONS else f"({left} {INFIX[op]} {right})"
    raise AssertionError(term)


class Unwritten(Exception):
    """A certificate has a width that no dtype of a program has."""


def numbers(term: Any) -> Any:
    """A term with its integers as such."""
    match term:
        case ["const", str(number)]:
            return ["const", int(number)]
        case list():
            return [numbers(each) for each in term]
        case _:
            return term


def by_closures(term: list[Any], sort: str, points: list[list[int]]) -> list[int | str]:
    door = Door()
    said = text(term, sort)
    e = door.claim(parse_claim(said)) if sort == "bool" else door.dim(parse_dim(said))
    run, inner = compiled(e), {name: number for number, name in door.names().items()}
    found: list[int | str] = []
    for point in points:
        env = {inner[name]: value for name, value in zip(NAMES, point) if name in inner}
        try:
            found.append(int(run(env)))
        except Undefined:
            found.append("none")
        except TooLarge:
            found.append("large")
    return found


def by_checker(term: list[Any], sort: str, points: list[list[int]]) -> list[int | str]:
    evaluate = checker.truth if sort == "bool" else checker.integer
    found: list[int | str] = []
    for point in points:
        try:
            found.append(int(evaluate(term, point)))
        except checker.NoValue:
            found.append("none")
        except checker.TooLarge:
            found.append("large")
    return found


def compare(line: str, counts: Counter[str]) -> None:
    row = json.loads(line)
    points = [[int(value) for value in point] for point in row["points"]]
    expected = [value if value in ("none", "large") else int(value) for value in row["values"]]
    theirs = by_checker(numbers(row["term"]), row["sort"], points)
    try:
        ours = by_closures(row["term"], row["sort"], points)
    except Unwritten:
        counts["read by the checker alone"] += 1
        ours = theirs
    counts["terms"] += 1
    counts[row["sort"]] += 1
    for values in zip(expected, ours, theirs):
        if "large" in values:
            counts["large"] += 1
        elif len(set(values)) == 1:
            counts["none" if values[0] == "none" else "values"] += 1
        else:
            counts["differ"] += 1
            print(json.dumps({"values": [str(each) for each in values], **row}), flush=True)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seed", default="1")
    parser.add_argument("--first", type=int, default=0)
    parser.add_argument("--last", type=int, default=10_000)
    options = parser.parse_args()
    sys.setrecursionlimit(50_000)
    machine = Path(__file__).with_suffix(".js")
    command = ["node", str(machine), options.seed, str(options.first), str(options.last)]
    counts: Counter[str] = Counter()
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as drawn:
        assert drawn.stdout is not None
        for line in drawn.stdout:
            compare(line, counts)
            if counts["terms"] % 50_000 == 0:
                print(dict(counts), flush=True)
    print(dict(counts))


if __name__ == "__main__":
    main()
