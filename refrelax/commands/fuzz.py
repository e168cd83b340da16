"""``fuzz``: a campaign of generated programs against an implementation; of what diverges, each new cause is shrunk,
blamed and kept."""

from __future__ import annotations

import argparse
import hashlib
import os
import time
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

from refrelax.commands import findings, reproducers
from refrelax.commands.pool import Pool
from refrelax.commands.shared import add_implementation, add_json, cpu_seconds, emit, meter, positive, seconds
from refrelax.errors import UsageError
from refrelax.interop.names import is_tvm
from refrelax.interop.tvm.process import POISONED
from refrelax.judge.report import EXIT, Report

if TYPE_CHECKING:
    from refrelax.judge.campaign.memory import Memory
    from refrelax.judge.campaign.run import State, Submit
    from refrelax.judge.fuzz import Finding, Plan


def arguments(parser: argparse.ArgumentParser) -> None:
    add_implementation(parser)
    limit = parser.add_mutually_exclusive_group()
    limit.add_argument("--time", metavar="60s", type=seconds, default=None, help="how long: 90, 60s, 10m, 2h (60s)")
    limit.add_argument("--count", metavar="N", type=positive, help="how many programs instead: the same every time")
    where = parser.add_mutually_exclusive_group()
    where.add_argument("--jobs", metavar="J", type=positive, default=1, help="processes (default: 1)")
    where.add_argument(
        "--scheduler", metavar="ADDRESS", help="instead: the workers of a Dask scheduler, tcp://host:8786"
    )
    parser.add_argument("--seed", metavar="S", type=int, default=0, help="a seed and a count give the same findings")
    parser.add_argument("--out", metavar="DIR", default="findings", help="where reproducers go (default: findings)")
    parser.add_argument("--state", metavar="FILE", help="SQLite: stop, and go on where it ended")
    parser.add_argument(
        "--known", metavar="FILE", help="causes not to report: a list, or --json of an earlier campaign"
    )
    parser.add_argument("--html", metavar="OUT", help="the campaign as one page")
    parser.add_argument(
        "--features", metavar="A,B", help="composed programs alone, of these features of rr.testing.modules"
    )
    parser.add_argument("--levels", metavar="A,B", help="composed programs alone: graph, loops (default: both)")
    parser.add_argument("--dtypes", metavar="A,B", help="only tensors of these dtypes")
    parser.add_argument(
        "--bindings", metavar="N", type=positive, help="composed programs alone: rules that build one (6)"
    )
    kinds = ", ".join(KINDS)
    parser.add_argument("--kinds", metavar="A,B", type=_kinds, help=f"only these of {kinds} (all that there are)")
    given = "mutate the modules of a folder, too; the word `cases` stands for those of the suite; repeatable"
    parser.add_argument("--from", dest="sources", metavar="DIR", action="append", default=[], help=given)
    parser.add_argument("--plain", action="store_true", help="sequences of passes at random, not led by what was new")
    add_json(parser)


AHEAD = 4
"""Tasks under way for each process: they are done while findings are made, of which a task may have several."""

KINDS = ("cells", "rounds", "passes", "mutants", "front")


def _kinds(text: str) -> tuple[str, ...]:
    """``cells,passes``, for argparse."""
    found = tuple(part.strip() for part in text.split(","))
    unknown = [each for each in found if each not in KINDS]
    if unknown:
        raise argparse.ArgumentTypeError(f"unknown {unknown[0]!r}; known: {', '.join(KINDS)}")
    return found


def fuzz(options: argparse.Namespace) -> int:
    """0 nothing found, 1 something found, 3 no verdict: nothing was compared, or refrelax itself failed."""
    plan = _plan(options)
    if is_tvm(options.impl):
        os.environ.setdefault(*POISONED)  # for whoever is started from here
    from refrelax.judge.campaign.known import load
    from refrelax.judge.campaign.run import State, campaign

    known = {} if options.known is None else load(Path(options.known))
    limit = None if options.count is not None else options.time or 60.0
    deadline = None if limit is None else time.monotonic() + limit

    def stop() -> bool:
        return deadline is not None and time.monotonic() > deadline

    state, found, faults, began = State(), 0, 0, cpu_seconds()
    with _submit(options, plan) as (submit, ahead), closing(_memory(options, plan)) as memory:
        before = memory.findings()
        found, faults = (sum(each["verdict"] == word for each in before) for word in ("FOUND", "FAULT"))
        with meter(limit or float(options.count or 0), "fuzz") as show:
            for now, finding in campaign(plan, memory, submit, ahead, known, stop):
                state = now
                if finding is not None:
                    found += not finding.fault
                    faults += finding.fault
                    _keep(options, plan, memory, finding, state)
                left = None if deadline is None else deadline - time.monotonic()
                done = float(state.programs) if limit is None or left is None else limit - left
                show(done, f"{state.programs} programs, {found} found")
        if options.html is not None:
            from refrelax.commands.campaign_page import page

            Path(options.html).write_text(page(memory, state, vars(options)), encoding="utf-8")
    spent = _spent(options, plan, state, began)
    word = "FOUND" if found else "NO-VERDICT" if faults or state.lost or not state.counts.compared else "NONE"
    _sum_up(options, word, state, found, faults, spent)
    return EXIT[word]


def _spent(options: argparse.Namespace, plan: Plan, state: State, began: float) -> float | None:
    """The CPU seconds of a campaign from its first task on, those of the implementation's process among them; ``None``
    where some of it was done elsewhere, or before."""
    if options.jobs != 1 or options.scheduler is not None or state.resumed:
        return None
    from refrelax.judge.fuzz import implementation_of

    made = implementation_of(plan.find, plan.name, plan.pipeline, plan.target)
    if hasattr(made, "close"):
        made.close()  # so that its process is counted
    return cpu_seconds() - began


def _plan(options: argparse.Namespace) -> Plan:
    from hypothesis.errors import InvalidArgument

    from refrelax.conformance.alone import find_to_fuzz
    from refrelax.judge.fuzz import PIPELINED, PORTABLE, Plan
    from refrelax.testing import modules
    from refrelax.testing.cells import WHOLE

    for name in (options.impl, *options.also):  # one that leads nowhere is a usage error, before any round
        made = find_to_fuzz(name, options.pipeline, options.target)
        if hasattr(made, "close"):
            made.close()

    def split(text: str | None) -> tuple[str, ...] | None:
        return None if text is None else tuple(part.strip() for part in text.split(","))

    if options.kinds == ("front",) and (not is_tvm(options.impl) or options.dtypes is not None):
        raise UsageError("--kinds front: programs of front ends are for tvm, and choose their dtypes themselves")
    features = split(options.features) or (PORTABLE if options.pipeline is None else PIPELINED)
    levels, dtypes = split(options.levels), split(options.dtypes)
    try:
        modules(features=features, levels=levels, dtypes=dtypes)
    except InvalidArgument as error:
        raise UsageError(str(error)) from None
    return Plan(
        find_to_fuzz,
        options.impl,
        options.seed,
        features,
        levels,
        dtypes,
        options.bindings or 6,
        options.count,
        options.pipeline,
        options.target,
        options.strict,
        cells=options.features is None and options.levels is None and options.bindings is None,
        dtypes_of_cells=WHOLE if dtypes is None else tuple(each for each in WHOLE if each in dtypes),
        kinds=options.kinds or KINDS,
        sources=_sources(options),
        guided=not options.plain,
        also=options.also,
        compiler=findings.compiler if is_tvm(options.impl) else None,
        importer=findings.importer if is_tvm(options.impl) else None,
    )


def _sources(options: argparse.Namespace) -> tuple[str, ...]:
    """The texts that ``--from`` names.

    Raises:
        UsageError: no such folder, or nothing in it that could be mutated; mutants alone, and nothing to mutate.
    """
    from refrelax.commands.sources import sources

    if options.kinds is not None and "mutants" in options.kinds and not options.sources:
        raise UsageError("--kinds mutants: --from says of what: a folder, or cases")
    return tuple(text for each in options.sources for text in sources(each))


def _memory(options: argparse.Namespace, plan: Plan) -> Memory:
    from refrelax.judge.campaign.memory import Memory

    about = {"impl": plan.name, "seed": plan.seed, "pipeline": plan.pipeline, "target": plan.target}
    chosen: dict[str, Any] = {
        "strict": plan.strict,
        "dtypes": plan.dtypes,
        "cells": plan.cells,
        "bindings": plan.max_bindings,
    }
    chosen |= {"kinds": plan.kinds, "guided": plan.guided}
    if plan.sources:
        chosen["sources"] = hashlib.sha256("\n".join(plan.sources).encode()).hexdigest()
    more = {"features": plan.features, "levels": plan.levels, **({"also": plan.also} if plan.also else {})}
    said = {name: str(value) for name, value in {**about, **chosen, **more}.items()}
    return Memory(None if options.state is None else Path(options.state), said)


@contextmanager
def _submit(options: argparse.Namespace, plan: Plan) -> Iterator[tuple[Submit, int]]:
    """What runs a call (here, when its result is wanted, in processes, or on other machines), and how many at once."""
    jobs = options.jobs
    if options.scheduler is not None:
        from refrelax.commands.scheduler import Scheduler

        with closing(Scheduler(options.scheduler)) as scheduler:
            yield scheduler.submit, scheduler.ahead
        return
    if jobs == 1:

        def here(work: Callable[..., Any], *args: Any) -> Callable[[], Any]:
            return lambda: work(*args)

        yield here, 2
        return
    from refrelax.judge.campaign.run import make, prepare

    prepare(plan)
    with closing(Pool(jobs, first=make)) as pool:
        yield pool.submit, AHEAD * jobs


def _keep(options: argparse.Namespace, plan: Plan, memory: Memory, finding: Finding, state: State) -> None:
    """Write a finding, remember it, and say so."""
    report = findings.report(finding, plan, state)
    kept = reproducers.keep(Path(options.out), finding, plan, report)
    memory.finding(finding.cause.id, finding.cause.row(), kept.report, state.programs, state.inputs)
    if options.json:
        emit({"finding": kept.name, **kept.report})
        return
    print(f"{kept.report['verdict']} {kept.folder}  {kept.report['signature']}")
    print(f"  {kept.report['message']}")
    if (blame := findings.blame_line(kept.report)) != "":
        print(f"  {blame}")
    if kept.report.get("history"):
        print(f"  {kept.report['history']}")
    print(f"  {kept.command}", flush=True)


def _sum_up(options: argparse.Namespace, word: str, state: State, found: int, faults: int, spent: float | None) -> None:
    if options.json:
        said = {"verdict": word, "programs": state.programs, "inputs": state.inputs, "judged": state.judged}
        ends = {"found": found, "faults": faults, "no_verdict": state.open, "known": state.known}
        rest: dict[str, Any] = {
            "again": state.again,
            "doubted": state.doubted,
            "resumed": state.resumed,
            "lost": state.lost,
        }
        rest["covered"] = len(state.corpus.covered)
        if spent is not None:
            rest["cpu_s"] = round(spent, 2)
        emit({**said, **ends, **rest, **Report(state.counts).row(), "seed": options.seed, "impl": options.impl})
        return
    own = f", {faults} faults of refrelax itself" if faults else ""
    left = 0 if options.count is None else options.count - state.programs
    short = f" of {options.count} ({left} choices of dtypes are ill typed)" if left > 0 else ""
    judged = f"{state.programs} programs{short}, {state.inputs} inputs, {sum(state.open.values())} without a verdict"
    print(f"{word}  {judged}, {found} findings{own} (seed {options.seed})")
    if spent:
        rates = [f"{n / spent:.1f} {what}" for n, what in ((state.programs, "programs"), (state.inputs, "inputs"))]
        print(f"  {spent:.1f} s of CPU: {' and '.join(rates)} a second, {state.judged} inputs with a verdict")
    if state.corpus.covered:
        print(f"  sequences of passes covered {len(state.corpus.covered)} pairs of a step and what stood after it")
    counts = state.counts
    print(f"  {counts.compared} elements compared: {counts.inside} inside, {counts.excluded} left open")
    for why, times in sorted(state.open.items(), key=lambda item: -item[1])[:5]:
        print(f"  no verdict, {times} times: {why}")
    known = ", ".join(sorted(state.known))[:200]
    told = [f"{state.again} sightings of causes found before"] * bool(state.again)
    told += [f"{sum(state.known.values())} of causes known ({known})"] * bool(state.known)
    told += [f"{state.doubted} did not show again"] * bool(state.doubted)
    for each in state.lost:
        print(f"  a fault of refrelax, in {each}")
    if told:
        print(f"  {'; '.join(told)}")
