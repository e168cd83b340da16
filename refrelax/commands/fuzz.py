"""``fuzz``: generated programs against an implementation; what diverges is shrunk and kept."""

from __future__ import annotations

import argparse
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ProcessPoolExecutor, as_completed
from contextlib import contextmanager
from functools import partial
from multiprocessing import get_context
from pathlib import Path
from typing import TYPE_CHECKING

from refrelax.commands import reproducers
from refrelax.commands.shared import add_implementation, add_json, emit, meter, positive, seconds
from refrelax.errors import UsageError
from refrelax.judge.report import EXIT, Report
from refrelax.semantics.numbers.verdicts import Counts

if TYPE_CHECKING:
    from refrelax.judge.fuzz import Plan, Round, Signature

Task = tuple[int, tuple["Signature", ...]]


def arguments(parser: argparse.ArgumentParser) -> None:
    add_implementation(parser)
    limit = parser.add_mutually_exclusive_group()
    limit.add_argument("--time", metavar="60s", type=seconds, default=None, help="how long: 90, 60s, 10m, 2h (60s)")
    limit.add_argument("--count", metavar="N", type=positive, help="how many programs instead: the same every time")
    parser.add_argument("--jobs", metavar="J", type=positive, default=1, help="processes (default: 1)")
    parser.add_argument("--seed", metavar="S", type=int, default=0, help="a seed and a count give the same findings")
    parser.add_argument("--out", metavar="DIR", default="findings", help="where reproducers go (default: findings)")
    parser.add_argument("--features", metavar="A,B", help="only these features of rr.testing.modules")
    parser.add_argument("--levels", metavar="A,B", help="graph, loops (default: both)")
    parser.add_argument("--dtypes", metavar="A,B", help="only tensors of these dtypes")
    parser.add_argument("--bindings", metavar="N", type=positive, default=6, help="rules that build a program (6)")
    add_json(parser)


def fuzz(options: argparse.Namespace) -> int:
    """0 nothing found, 1 something found, 3 no verdict: nothing was compared, or refrelax itself failed."""
    plan = _plan(options)
    from refrelax.judge.fuzz import BATCH, waves

    rounds = None if options.count is None else -(-options.count // BATCH)
    limit = None if rounds is not None else options.time or 60.0
    deadline = None if limit is None else time.monotonic() + limit
    found, faults, examined, open_, counts = 0, 0, 0, dict[str, int](), Counts()
    with _runner(plan, options.jobs, deadline) as run, meter(limit or float(rounds or 0), "fuzz") as show:
        for each in waves(plan, run, rounds):
            examined += each.examined
            counts += each.counts
            for why, count in each.open.items():
                open_[why] = open_.get(why, 0) + count
            if each.finding is not None:
                found += not each.finding.fault
                faults += each.finding.fault
                _tell(options, reproducers.keep(Path(options.out), each.finding, plan))
            left = None if deadline is None else deadline - time.monotonic()
            show(None if limit is None or left is None else limit - left, f"{examined} programs, {found} found")
            if left is not None and left < 0:
                break
    word = "FOUND" if found else "NO-VERDICT" if faults or not counts.compared else "NONE"
    _sum_up(options, word, examined, open_, found, faults, counts)
    return EXIT[word]


def _plan(options: argparse.Namespace) -> Plan:
    from hypothesis.errors import InvalidArgument

    from refrelax.conformance.alone import find_to_fuzz
    from refrelax.judge.fuzz import PIPELINED, PORTABLE, Plan
    from refrelax.testing import modules

    made = find_to_fuzz(
        options.impl, options.pipeline, options.target
    )  # a name that leads nowhere is a usage error, before any round
    if hasattr(made, "close"):
        made.close()

    def split(text: str | None) -> tuple[str, ...] | None:
        return None if text is None else tuple(part.strip() for part in text.split(","))

    features = split(options.features) or (PORTABLE if options.pipeline is None else PIPELINED)
    try:
        modules(features=features, levels=split(options.levels), dtypes=split(options.dtypes))
    except InvalidArgument as error:
        raise UsageError(str(error)) from None
    levels, dtypes = split(options.levels), split(options.dtypes)
    return Plan(
        find_to_fuzz,
        options.impl,
        options.seed,
        features,
        levels,
        dtypes,
        options.bindings,
        options.count,
        options.pipeline,
        options.target,
        options.strict,
    )


@contextmanager
def _runner(plan: Plan, jobs: int, deadline: float | None) -> Iterator[Callable[[list[Task]], Iterator[Round]]]:
    """What runs the rounds of a wave: here, or in processes."""
    from refrelax.judge.fuzz import run_round

    if jobs == 1:
        yield lambda tasks: (run_round(plan, number, known, deadline) for number, known in tasks)
        return
    with ProcessPoolExecutor(jobs, mp_context=get_context("spawn")) as pool:
        work = partial(run_round, plan, deadline=deadline)
        yield lambda tasks: (each.result() for each in as_completed([pool.submit(work, *task) for task in tasks]))


def _tell(options: argparse.Namespace, kept: reproducers.Kept) -> None:
    if options.json:
        emit({"finding": kept.name, **kept.report})
        return
    print(f"{kept.report['verdict']} {kept.folder}  {kept.report['signature']}")
    print(f"  {kept.report['message']}")
    print(f"  {kept.command}")


def _sum_up(
    options: argparse.Namespace,
    word: str,
    examined: int,
    open_: dict[str, int],
    found: int,
    faults: int,
    counts: Counts,
) -> None:
    without = sum(open_.values())
    if options.json:
        said = {"verdict": word, "programs": examined, "found": found, "faults": faults, "no_verdict": open_}
        emit({**said, **Report(counts).row(), "seed": options.seed, "impl": options.impl})
        return
    own = f", {faults} faults of refrelax itself" if faults else ""
    short = options.count is not None and examined < options.count
    of = f" of {options.count}" if short else ""
    print(f"{word}  {examined}{of} programs, {without} without a verdict, {found} findings{own} (seed {options.seed})")
    if short:
        print("  what follows a finding in its round was not generated: another seed goes on")
    print(f"  {counts.compared} elements compared: {counts.inside} inside, {counts.excluded} left open")
    for why, count in sorted(open_.items(), key=lambda item: -item[1])[:5]:
        print(f"  no verdict, {count} times: {why.splitlines()[0][:150]}")
