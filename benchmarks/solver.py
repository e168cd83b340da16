"""How many shape questions are decided, how fast, and whether any answer is wrong.

``python benchmarks/solver.py [FILE.json]... [--effort normal] [--cvc5 MS] [--tvm PYTHON] [--sympy PYTHON] [--list]``
``--certify``: and the logs of what was proved, their cost and who accepts them (``solver_certify.py``). ``--drawn N``:
``N`` questions of the campaign's generator (``tests/shape_solver/outside.py``) beside the files.
``python benchmarks/solver.py --lowering``: the claims of our own lowerings instead (``solver_lowering.py``).

Files hold questions with a known truth (``benchmarks/solver_queries/``). Beside refrelax: cvc5 on the same SMT-LIB
text, TVM's analyzer with and without Z3 (bounds given as constraints) and SymPy, each in a process of its own. Times
are processor time: all of them use one thread, and a busy machine must not decide the comparison.
"""

from __future__ import annotations

import argparse
import json
import statistics
import subprocess
import sys
import time
from collections import Counter
from dataclasses import dataclass, field
from pathlib import Path
from random import Random
from typing import Any

from solver_certify import certified
from solver_lowering import lowering

from refrelax.shape_solver import Proved, Prover, Refuted, Unknown, prove

HERE = Path(__file__).parent / "solver_queries"
SEED = 77
"""Of drawn questions."""


@dataclass
class Row:
    name: str
    counts: Counter[str] = field(default_factory=Counter)
    times: list[float] = field(default_factory=list)
    open: list[str] = field(default_factory=list)

    def add(self, query: dict[str, Any], verdict: bool | None, seconds: float) -> None:
        self.times.append(seconds)
        if verdict is None:
            self.counts["unknown"] += 1
            truth = "true" if query["truth"] else "false"
            self.open.append(f"{query['name']} ({truth}): {query['claim']}  if {query['assume']}")
        elif verdict != query["truth"]:
            self.counts["wrong"] += 1
            self.open.append(f"WRONG {query}")
        else:
            self.counts["proved" if verdict else "refuted"] += 1

    def line(self) -> str:
        ordered = sorted(self.times)
        p95 = ordered[int(0.95 * (len(ordered) - 1))]
        numbers = "".join(f"{self.counts[key]:>9}" for key in ("proved", "refuted", "unknown", "wrong"))
        median = statistics.median(ordered)
        times = f"{1e3 * median:>10.2f}{1e3 * p95:>10.1f}{1e3 * ordered[-1]:>10.0f}{sum(ordered):>9.2f}"
        return f"{self.name:<22}{numbers}{times}"


COLUMNS = ("", "proved", "refuted", "unknown", "wrong", "median ms", "p95 ms", "max ms", "total s")
HEADER = "".join(f"{name:>{width}}" for name, width in zip(COLUMNS, (22, 9, 9, 9, 9, 10, 10, 10, 9)))


def ours(queries: list[dict[str, Any]], effort: Any) -> Row:
    row = Row(f"refrelax {effort}")
    for query in queries:
        start = time.process_time()
        answer = prove(query["claim"], query["assume"], effort, query.get("fits"))
        row.add(query, {Proved: True, Refuted: False, Unknown: None}[type(answer)], time.process_time() - start)
    return row


def script(query: dict[str, Any]) -> str:
    """The question as SMT-LIB: unsatisfiable exactly if the claim holds."""
    return Prover(query["assume"], fits=query.get("fits")).posed(query["claim"]).smt2()


def cvc5(queries: list[dict[str, Any]], milliseconds: int) -> Row:
    from refrelax.shape_solver.replay import replay

    row = Row(f"cvc5 {milliseconds} ms")
    for query in queries:
        start = time.process_time()
        answer = replay(script(query), milliseconds)
        row.add(query, {"unsat": True, "sat": False}.get(answer), time.process_time() - start)
    return row


def beside(name: str, command: list[str], queries: list[dict[str, Any]]) -> Row:
    """A prover in a process of its own; what it cannot prove, and every question with ``fits``, is unknown."""
    row = Row(name)
    plain = [query for query in queries if not query.get("fits")]
    done = subprocess.run(command, input=json.dumps(plain), capture_output=True, text=True, check=False)
    answers = [json.loads(line) for line in done.stdout.splitlines() if line.startswith("{")]
    for query, answer in zip(plain, answers):
        row.add(query, True if answer["proved"] else None, answer["seconds"])
    row.counts["unknown"] += len(queries) - len(plain)
    if len(answers) < len(plain):
        print(f"{name}: stopped after {len(answers)} of {len(plain)}: {done.stderr[-200:]}", file=sys.stderr)
    return row


def others(queries: list[dict[str, Any]], options: argparse.Namespace) -> list[Row]:
    """The rows that were asked for."""
    here = Path(__file__).parent
    rows = [cvc5(queries, options.cvc5)] if options.cvc5 else []
    if options.tvm:
        script = str(here / "solver_tvm.py")
        rows.append(beside("TVM default", [options.tvm, script], queries))
        rows.append(beside("TVM + Z3 1 s", [options.tvm, script, "--z3"], queries))
    if options.sympy:
        rows.append(beside("SymPy 2 s", [options.sympy, str(here / "solver_sympy.py")], queries))
    return rows


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("files", nargs="*", type=Path, default=sorted(HERE.glob("*.json")))
    parser.add_argument("--effort", default="normal")
    parser.add_argument("--cvc5", type=int, metavar="MS", default=0)
    parser.add_argument("--tvm", metavar="PYTHON")
    parser.add_argument("--sympy", metavar="PYTHON")
    parser.add_argument("--certify", action="store_true", help="check the certificates of what was proved")
    parser.add_argument("--list", action="store_true", help="list what stayed unknown")
    parser.add_argument("--lowering", action="store_true", help="the claims of lowering the examples instead")
    parser.add_argument("--pipeline", default="default", help="with --lowering")
    parser.add_argument("--json", type=Path, metavar="OUT", help="with --lowering: write the claims as questions")
    parser.add_argument("--drawn", type=int, metavar="N", default=0, help="with --certify: N drawn questions as well")
    options = parser.parse_args()
    if options.lowering:
        found = lowering(options.pipeline)
        if options.json:
            options.json.write_text("[\n" + ",\n".join(map(json.dumps, found)) + "\n]\n", encoding="utf-8")
        return
    for path in options.files:
        queries = json.loads(path.read_text(encoding="utf-8"))
        rows = [ours(queries, options.effort)]
        rows += others(queries, options)
        true = sum(1 for query in queries if query["truth"])
        print(f"\n{path.name}: {true} true, {len(queries) - true} false\n{HEADER}")
        for row in rows:
            print(row.line())
        if options.certify:
            certified(path.stem, queries, options.effort)
        if options.list:
            print(*rows[0].open, sep="\n")
    if options.certify and options.drawn:
        certified(f"drawn, seed {SEED}", drawn(options.drawn), options.effort)


def drawn(count: int) -> list[dict[str, Any]]:
    """Questions of the campaign's generator, whose truth nobody knows beforehand."""
    sys.path.insert(0, str(Path(__file__).parents[1]))
    from tests.shape_solver import outside

    found = []
    for number in range(count):
        claim, assume = outside.question(Random(f"{SEED}/{number}"))
        found.append({"name": f"{number}", "claim": outside.text(claim), "assume": list(map(outside.text, assume))})
    return found


if __name__ == "__main__":
    main()
