"""Mode ``bits`` of the NumPy backend against the definition, on many generated modules, lowered ones among them.

    python benchmarks/bits.py [--rounds K] [--cells K] [--first ROUND] [--every K] [--seed S] [--seconds S] [--json OUT]
                              [--modules N] [--state FILE]

A round is forty composed programs (those of ``refrelax fuzz``); a cell is a call of one operator with its inputs. Each
program is judged as it stands, and every ``--every``th lowered as well: to loops (``legalize``), to planned memory
(``plan_memory``), and built (``build``). A module is one of these: it is run by the definition and by the backend on
the same arguments, and result, arguments and effects have to be the same, bit for bit where the definition determines a
bit. The exit code is 1 if a module differs. What does not compile is counted by its reason. ``--modules N`` goes on
with the next seeds until so many modules are compared; with ``--state FILE`` a run that was stopped goes on behind the
last round that it finished.
"""

from __future__ import annotations

import argparse
import json
import sys
from collections import Counter
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from time import perf_counter, process_time
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

import refrelax as rr
from refrelax.backends.errors import Unsupported
from refrelax.judge.campaign.look import BUDGET
from refrelax.judge.fuzz import BATCH, Plan, generated
from refrelax.judge.outcomes import copies
from refrelax.semantics.values import Opaque
from refrelax.syntax.write.module import print_module
from refrelax.testing.cells import Cell, cells
from tests.testing.comparing import same_bits

STAGES = ("legalize", "plan_memory", "build")
"""The passes of the pipeline ``build`` after which a module is judged."""

CHUNK = 200
"""Cells between two rounds."""

Drawn = tuple[str, rr.CheckedModule, list[list[Any]]]
"""Where a program comes from, the program, and the arguments of each of its calls."""


def composed(seed: int, number: int) -> Iterator[Drawn]:
    """The programs of a round."""
    plan = Plan(lambda *_: None, "numpy", seed, max_bindings=8)
    for k, (module, args) in enumerate(generated(plan, "bits", number, BATCH)):
        yield f"round {number}, program {k}", rr.check(module), [args]


@cache
def _cells(seed: int) -> tuple[Cell, ...]:
    return tuple(cells(seed))


def single(seed: int, first: int, count: int) -> Iterator[Drawn]:
    """Calls of one operator."""
    for k, cell in enumerate(_cells(seed)[first : first + count], first):
        try:
            checked = rr.check(rr.parse(cell.program.text))
        except rr.Rejection:
            continue
        yield f"cell {k} ({cell.op})", checked, [cell.arguments(each) for each in cell.inputs]


def turn(seed: int, number: int, rounds: int, wanted: int, first: int) -> Iterator[Drawn]:
    """The programs of one turn: a round, and the cells after it."""
    if number < first + rounds:
        yield from composed(seed, number)
    begun = (number - first) * CHUNK
    if begun < wanted:
        yield from single(seed, first * CHUNK + begun, min(CHUNK, wanted - begun))


def differs(wanted: rr.Outcome, found: rr.Outcome) -> str | None:
    """Why a run of the backend is not what the definition says, if it is not."""
    if isinstance(wanted, rr.Returned):
        if not isinstance(found, rr.Returned):
            return f"expected a value, found {found}"
        if not isinstance(wanted.value, Opaque) and not same_bits(wanted.value, found.value):
            return f"expected {wanted.value}, found {found.value}"
        if not same_bits(wanted.arguments, found.arguments):
            return f"expected arguments {wanted.arguments}, found {found.arguments}"
        if [(e.kind, e.name) for e in wanted.effects] != [(e.kind, e.name) for e in found.effects]:
            return f"expected effects {wanted.effects}, found {found.effects}"
        return None
    if isinstance(wanted, rr.Trapped) and not isinstance(found, rr.Trapped):
        return f"expected a trap, found {found}"
    return None


def judged(checked: rr.CheckedModule, calls: list[list[Any]], counts: Counter[str]) -> str | None:
    """Compile and run one module; what is wrong, if anything is."""
    try:
        compiled = rr.compile(checked, mode="bits")
    except Unsupported as error:
        counts["unsupported"] += 1
        counts[f"unsupported: {error}"] += 1
        return None
    compared = False
    for args in calls:
        wanted = rr.run(checked, "main", *copies(args), budget=BUDGET, externs=rr.testing.EXTERNS)
        if isinstance(wanted, rr.Unspecified | rr.Exhausted):
            counts[f"runs {type(wanted).__name__.lower()}"] += 1
            continue
        found = compiled.run("main", *copies(args), externs=rr.testing.EXTERNS)
        if (why := differs(wanted, found)) is not None:
            return f"{why}\narguments: {args}"
        counts["runs compared"] += 1
        compared = True
    counts["modules compared" if compared else "modules without a run"] += 1
    return None


def stages(checked: rr.CheckedModule, lowered: bool) -> Iterator[tuple[str, rr.CheckedModule]]:
    """The modules that one program gives."""
    yield "graph", checked
    if lowered:
        yield from ((step.name, step.module) for step in rr.lower(checked, "build").steps if step.name in STAGES)


def look(program: Drawn, lowered: bool, counts: Counter[str]) -> list[dict[str, str]]:
    """One program in all its forms; what differs."""
    name, checked, calls = program
    found, met = list[dict[str, str]](), set[str]()
    stage, text = "", ""
    try:
        for stage, module in stages(checked, lowered):
            text = print_module(module.module)
            if text not in met:
                met.add(text)
                counts["modules"] += 1
                counts[f"modules {stage}"] += 1
                why = judged(module, calls if stage == "graph" else calls[:2], counts)
                if why is not None:
                    found.append({"program": name, "stage": stage, "why": why, "text": text})
    except Exception as error:
        found.append({"program": name, "stage": stage, "why": f"{type(error).__name__}: {error}", "text": text})
    counts["different"] += len(found)
    return found


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rounds", type=int, default=300, help="rounds of composed programs (300)")
    parser.add_argument("--cells", type=int, default=20_000, help="calls of one operator (20000)")
    parser.add_argument("--every", type=int, default=8, help="each so-manyth program is lowered, too (8)")
    parser.add_argument("--first", type=int, default=0, help="the first round")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--seconds", type=float, default=float("inf"), help="stop after so many")
    parser.add_argument("--modules", type=int, help="go on with the next seed until so many are compared")
    parser.add_argument("--state", type=Path, help="where the run stands; it goes on from there")
    parser.add_argument("--json", type=Path, help="what differs, one object a line, as it is met")
    options = parser.parse_args()
    state: dict[str, Any] = {"seed": options.seed, "turn": options.first, "cpu": 0.0, "counts": {}}
    if options.state and options.state.exists():
        state = json.loads(options.state.read_text())
    counts = Counter[str](state["counts"])
    start, spent = perf_counter(), process_time() - state["cpu"]
    last = options.first + max(options.rounds, -(-options.cells // CHUNK))
    while perf_counter() < start + options.seconds:
        if options.modules is not None and counts["modules compared"] >= options.modules:
            break
        if state["turn"] >= last:
            if options.modules is None:
                break
            state |= {"seed": state["seed"] + 1, "turn": options.first}
        seed, number = state["seed"], state["turn"]
        for program in turn(seed, number, options.rounds, options.cells, options.first):
            counts["programs"] += 1
            for each in look(program, counts["programs"] % options.every == 0, counts):
                print(f"seed {seed}, {each['program']}, {each['stage']}: {each['why'][:400]}", flush=True)
                if options.json:
                    with options.json.open("a") as out:
                        out.write(json.dumps({"seed": seed, **each}) + "\n")
        state |= {"turn": number + 1, "cpu": process_time() - spent, "counts": counts}
        if options.state:
            written = options.state.with_suffix(".part")  # (a run may be stopped while it writes)
            written.write_text(json.dumps(state))
            written.replace(options.state)
        print(f"seed {seed}, turn {number}: {dict(counts)}, {state['cpu']:.0f} s CPU", file=sys.stderr, flush=True)
    print(f"{dict(sorted(counts.items()))}, {process_time() - spent:.0f} s CPU, {perf_counter() - start:.0f} s")
    return 1 if counts["different"] else 0


if __name__ == "__main__":
    raise SystemExit(main())
