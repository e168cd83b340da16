"""Modules near those of the suite, most of them ill-formed: does the second implementation refuse what the definition
refuses, and take what it takes?

    python tools/compare_second.py [--count 2000] [--seed 1] [--out differ.jsonl] [--small] [--main FILE]

Every module is one of a case with an edit or two of its tree: a node for another of its sort, a part left out, doubled
or moved, a name, a number, a dtype (``tools/tree_edits.py``). What cannot be read as a module is left out. Both are
asked ``check``. A difference is written down by the rule that the definition names, or that it does not refuse; one of
the two is wrong, or the text leaves it open. ``unsupported`` is no difference, and is counted. ``--small``: each is
made smaller while it stays one of its kind. Ends with 1 if there is one.
"""

from __future__ import annotations

import argparse
import json
import random
import subprocess
import sys
from collections import Counter, defaultdict
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import tree_edits

import refrelax as rr
from refrelax.conformance import load
from refrelax.conformance.suite import deduced
from refrelax.conformance.suite.deduced import types_of
from refrelax.errors import Malformed, Rejection
from refrelax.syntax.json_ import from_json, to_json

ROOT = Path(__file__).resolve().parents[1]
MAIN = ROOT / "conformance" / "second" / "main.js"
LONGEST = 8_000
"""Characters of the largest tree that is edited."""

Tree = Any


@dataclass(frozen=True)
class Edited:
    """A tree, the case that it was made from, the rules that the definition refuses it for, and otherwise its types."""

    case: str
    tree: Tree
    rules: tuple[str, ...]
    types: dict[str, Any] | None
    fault: str = ""
    """What ended the definition instead."""


@dataclass(frozen=True)
class Difference:
    """Where the two part: ``kind`` is ``taken``, ``refused``, ``types``, ``crash`` or (of the definition) ``fault``;
    ``what`` the rule, or why."""

    kind: str
    what: str
    edited: Edited
    answer: dict[str, Any]


def bases() -> list[tuple[str, Tree]]:
    """The trees of the suite: those of cases without constants, each once."""
    found: dict[str, str] = {}
    for case in load():
        if case.question is not None or case.second is not None or case.constants:
            continue
        try:
            tree = to_json(from_json(case.json) if case.json is not None else rr.parse(case.module))
        except Rejection:
            continue
        if len(tree) < LONGEST:
            found.setdefault(tree, case.name)
    return [(name, json.loads(tree)) for tree, name in found.items()]


def edits(trees: list[tuple[str, Tree]], rnd: random.Random) -> Iterator[tuple[str, Tree]]:
    """Endless trees near others."""
    pool = tree_edits.Pool()
    for _, tree in trees:
        pool.add(tree)
    while True:
        name, tree = rnd.choice(trees)
        for _ in range(rnd.choice((1, 1, 1, 2))):
            tree = (tree_edits.moved if rnd.random() < 0.4 else tree_edits.edited)(tree, pool, rnd) or tree
        yield name, tree


def said(name: str, tree: Tree) -> Edited | None:
    """What the definition says of a tree; ``None`` if it is no module."""
    try:
        module = from_json(json.dumps(tree))
    except (Malformed, RecursionError):
        return None
    try:
        return Edited(name, tree, (), types_of(rr.check(module)))
    except Rejection as refused:
        return Edited(name, tree, tuple(sorted({each.rule for each in refused.diagnostics})), None)
    except Exception as fault:  # ours
        return Edited(name, tree, (), None, f"{type(fault).__name__}: {fault}")


def answers(asked: list[Edited], main: Path) -> list[dict[str, Any]]:
    """What the second implementation says of the trees; one that ends its process is told as a crash."""
    found: list[dict[str, Any]] = []
    while len(found) < len(asked):
        lines = [
            json.dumps({"id": k, "ask": "check", "tree": each.tree, "constants": []}) + "\n"
            for k, each in enumerate(asked)
        ]
        ended = subprocess.run(
            ["node", main], input="".join(lines[len(found) :]), capture_output=True, text=True, check=False
        )
        found += map(json.loads, ended.stdout.splitlines())
        if len(found) < len(asked):
            why = next((line for line in ended.stderr.splitlines() if "Error" in line), "")
            found.append({"end": "crash", "why": why})
    return found


class Process:
    """The second implementation, asked one tree after the other."""

    def __init__(self, main: Path) -> None:
        self.main = main
        self.process: subprocess.Popen[str] | None = None

    def close(self) -> None:
        """End it."""
        if self.process is not None:
            self.process.communicate()

    def ask(self, tree: Tree) -> dict[str, Any]:
        """What it says of a tree."""
        if self.process is not None and self.process.poll() is not None:
            self.close()
            self.process = None
        if self.process is None:
            self.process = subprocess.Popen(
                ["node", self.main],
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=subprocess.DEVNULL,
                text=True,
            )
        assert self.process.stdin is not None and self.process.stdout is not None
        self.process.stdin.write(json.dumps({"id": 1, "ask": "check", "tree": tree, "constants": []}) + "\n")
        self.process.stdin.flush()
        line = self.process.stdout.readline()
        if line:
            found: dict[str, Any] = json.loads(line)
            return found
        self.process.wait()
        return {"end": "crash", "why": ""}


def smaller(found: Difference, process: Process) -> Difference:
    """A difference of the same kind, and by the same rules, with fewer parts."""
    best, again = found, True
    while again:
        again = False
        for tree in tree_edits.smaller(best.edited.tree):
            edited = said(best.edited.case, tree)
            if edited is None or edited.rules != found.edited.rules:
                continue
            other = difference(edited, process.ask(tree))
            if other is not None and other.kind == found.kind:
                best, again = other, True
                break
    return best


def difference(edited: Edited, answer: dict[str, Any]) -> Difference | None:
    """How an answer is not what the definition says."""
    if edited.fault:
        return Difference("fault", edited.fault, edited, answer)
    match answer["end"]:
        case "crash":
            return Difference("crash", str(answer["why"]), edited, answer)
        case "accepted" if edited.rules:
            return Difference("taken", " ".join(edited.rules), edited, answer)
        case "rejected" if not edited.rules:
            return Difference("refused", str(answer["why"]), edited, answer)
        case "accepted":
            found = deduced.difference(edited.types or {}, json.loads(json.dumps(answer["types"])))
            return None if found is None else Difference("types", found[1], edited, answer)
    return None


def main() -> int:
    """1 if there is a difference."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--count", type=int, default=2000, help="trees that the definition refuses")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--out", type=Path, help="write the differences there, a line each")
    parser.add_argument("--small", action="store_true", help="make the differences smaller")
    parser.add_argument("--main", type=Path, default=MAIN, help="another version of the second implementation")
    options = parser.parse_args()
    found, counts = compared(options.count, options.seed, options.main)
    if options.small:
        process = Process(options.main)
        found = [smaller(each, process) for each in found]
        process.close()
    by: dict[tuple[str, str], list[Difference]] = defaultdict(list)
    for each in found:
        by[each.kind, each.what if each.kind != "types" else each.what.split(":")[0]].append(each)
    for (kind, what), listed in sorted(by.items(), key=lambda pair: (pair[0][0], -len(pair[1]))):
        print(f"{kind:8} {len(listed):4}  {what[:120]}  ({listed[0].edited.case})")
    print(", ".join(f"{count} {word}" for word, count in counts.items()) + f", {len(found)} differences")
    if options.out:
        rows = (
            {"kind": d.kind, "what": d.what, "case": d.edited.case, "tree": d.edited.tree, "answer": d.answer}
            for d in found
        )
        options.out.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    return 1 if found else 0


def compared(count: int, seed: int, main: Path = MAIN) -> tuple[list[Difference], Counter[str]]:
    """The differences at edited trees, until the definition refused ``count`` of them, and how many trees ended how."""
    made, refused, seen = [], 0, set[str]()
    for name, tree in edits(bases(), random.Random(seed)):
        text = json.dumps(tree)
        if text in seen:
            continue
        seen.add(text)
        edited = said(name, tree)
        if edited is None:
            continue
        made.append(edited)
        refused += bool(edited.rules)
        if refused == count:
            break
    told = answers(made, main)
    counts = Counter({"modules": len(made), "refused by the definition": refused})
    counts += Counter(f"{each['end']} by the second" for each in told)
    found = [difference(each, answer) for each, answer in zip(made, told, strict=True)]
    return [each for each in found if each is not None], counts


if __name__ == "__main__":
    sys.exit(main())
