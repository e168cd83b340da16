"""The order of a campaign: tasks, what each of them saw, and what is made of a cause that nobody has met before.

A task does not know what others found, and what they saw is gone through in their order: so a seed gives the same
findings for any number of processes, however often it is stopped. Only a new cause is shrunk, confirmed and blamed.
"""

from __future__ import annotations

import gc
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import asdict, dataclass, field, replace
from functools import cache
from itertools import count, islice
from typing import Any

from refrelax.errors import Outcome, Rejection, Returned, UsageError
from refrelax.judge.campaign import front, mutants, sequences
from refrelax.judge.campaign.blame import blame, compiler_of
from refrelax.judge.campaign.causes import Cause
from refrelax.judge.campaign.known import known_as
from refrelax.judge.campaign.look import BUDGET, Seen, Sighting, found_in, look, verdict_of
from refrelax.judge.campaign.memory import Memory
from refrelax.judge.campaign.sequences import CHOICES, Corpus, Lead, Pair
from refrelax.judge.campaign.shrink import shrink
from refrelax.judge.fuzz import (
    BATCH,
    PIPELINED,
    Finding,
    Plan,
    Signature,
    blamed,
    cause_in,
    generated,
    implementation_of,
    kind_of,
    look_round,
    portable,
    shrink_round,
)
from refrelax.judge.implementation import ImplementationFailed
from refrelax.judge.outcomes import copies
from refrelax.judge.report import NOTHING
from refrelax.judge.verdicts import Agreement, Divergence, NoVerdict, Verdict
from refrelax.judge.wheels import Told
from refrelax.running.arrays import Tensor
from refrelax.running.run import make_headroom, run
from refrelax.semantics.numbers.verdicts import Counts
from refrelax.semantics.types.check import check
from refrelax.semantics.types.checked import CheckedModule
from refrelax.syntax.module import ConstantArray
from refrelax.syntax.read import parse
from refrelax.syntax.write.module import print_module
from refrelax.testing.cells import Cell, cells

PACK = 8
"""Programs of single calls that are judged together."""

PACKS = 40
"""How many of those come before a round of composed programs."""

ROUND = 10
"""Composed programs of a round between them."""

TURN = 10
"""How many packs come before a task of passes."""

PAIRS = 8
"""Programs with their sequences of passes that are judged together."""

OBJECTS = 50_000
"""New objects in a task before Python looks for cycles among them (its own habit: 700)."""

FRONTS = 5
"""Programs of front ends that are judged together: each takes about a second."""

BEHIND = 4
"""A task of passes knows what those showed that are so many before it: so they can be under way together."""


@dataclass(frozen=True, slots=True)
class Task:
    """``kind`` is one of ``fuzz.KINDS``; ``size``: how many programs; ``lead``: what leads ``passes``."""

    kind: str
    number: int
    size: int
    lead: Lead = Lead()

    @property
    def name(self) -> str:
        return f"{self.kind}/{self.number}"


@cache
def _all_cells(seed: int, only: tuple[str, ...]) -> tuple[Cell, ...]:
    return tuple(cells(seed, only))


def prepare(plan: Plan) -> None:
    """Make what every process of a campaign needs, before it is forked."""
    if plan.cells and "cells" in plan.kinds:
        _all_cells(plan.seed, plan.dtypes_of_cells)
    make_headroom()


def tasks(plan: Plan) -> Iterator[Task]:
    """The tasks of a plan, in order."""
    left = plan.count
    for task in _endless(plan):
        if left is not None and left <= 0:
            return
        yield task if left is None else replace(task, size=min(task.size, left))
        if left is not None:
            left -= task.size


def _endless(plan: Plan) -> Iterator[Task]:
    if not plan.cells:
        yield from (Task("rounds", k, BATCH) for k in count())
    others = {"rounds": (count(), ROUND, PACKS), "passes": (count(), PAIRS, TURN), "mutants": (count(), PACK, TURN)}
    others["front"] = (count(), FRONTS, TURN)
    others = {kind: each for kind, each in others.items() if kind in plan.kinds}
    if plan.compiler is None or plan.pipeline is not None:
        others.pop("passes", None)
    if not plan.sources:
        others.pop("mutants", None)
    if plan.importer is None or plan.dtypes is not None:
        others.pop("front", None)
    if "cells" in plan.kinds:
        total = len(_all_cells(plan.seed, plan.dtypes_of_cells))
        for k in range(-(-total // PACK)):
            yield Task("cells", k, min(PACK, total - k * PACK))
            for kind, (numbers, size, every) in others.items():
                if k % every == every - 1:
                    yield Task(kind, next(numbers), size)
    while others:
        yield from (Task(kind, next(numbers), size) for kind, (numbers, size, _) in others.items())


def _cells_of(plan: Plan, task: Task) -> tuple[Cell, ...]:
    first = task.number * PACK
    return tuple(islice(_all_cells(plan.seed, plan.dtypes_of_cells), first, first + task.size))


def work(plan: Plan, task: Task) -> Seen:
    """Do a task. A fault of ours costs this task alone."""
    try:
        with _seldom_collected():
            return _work(plan, task)
    except (UsageError, ImplementationFailed, ImportError):  # there is no such implementation
        raise
    except Exception as error:
        return Seen(lost=f"{task.name}: {type(error).__name__}: {error}")


@contextmanager
def _seldom_collected() -> Iterator[None]:
    """Python looks for cycles after so many new objects: a task makes many, hardly one of them in a cycle."""
    before = gc.get_threshold()
    gc.set_threshold(max(before[0], OBJECTS) if before[0] else 0, *before[1:])
    try:
        yield
    finally:
        gc.set_threshold(*before)


def _work(plan: Plan, task: Task) -> Seen:
    if task.kind == "rounds":
        return look_round(plan, task.number, task.size)
    if task.kind == "passes":
        lead = task.lead if plan.guided else None
        count = task.size * CHOICES if plan.guided else task.size
        made = generated(_for_passes(plan), task.kind, task.number, count)
        return sequences.look(compiler_of(plan), made, f"{plan.seed}/passes/{task.number}", lead, plan.strict)
    make_headroom()
    implementation = implementation_of(plan.find, plan.name, plan.pipeline, plan.target)
    if task.kind == "front":
        first, seed = task.number * FRONTS, str(plan.seed)
        return front.look(importer_of(plan), seed, first, task.size, implementation, cause_in, plan.strict)
    if task.kind == "mutants":
        seed = f"{plan.seed}/mutants/{task.number}"
        return mutants.look(plan.sources, seed, task.size, implementation, cause_in, plan.strict)
    return look(_cells_of(plan, task), implementation, plan.strict)


def _for_passes(plan: Plan) -> Plan:
    """The plan with programs that graph passes take."""
    return replace(plan, features=tuple(each for each in plan.features if each in PIPELINED))


@dataclass(frozen=True, slots=True)
class Lost:
    """A fault of refrelax while it made a finding: what it was of, and the fault."""

    why: str


def make(plan: Plan, task: Task, sighting: Sighting) -> Finding | str | Lost:
    """The finding behind a sighting: shrunk, confirmed alone, blamed; or why there is none. A fault of ours costs this
    finding alone."""
    try:
        return _made(plan, task, sighting)
    except (UsageError, ImplementationFailed, ImportError):
        raise
    except Exception as error:
        return Lost(f"{task.name}, the finding of {sighting.cause.id}: {type(error).__name__}: {error}")


def _made(plan: Plan, task: Task, sighting: Sighting) -> Finding | str:
    found = _shrunk(plan, task, sighting)
    if isinstance(found, str) or found.fault:
        return found
    if not _again(plan, found):
        return "it did not show again in a fresh process"
    return _told(plan, found if found.blame else replace(found, blame=blame(plan, found)))


@cache
def _importer(make: Callable[[str], Any], name: str) -> Any:
    return make(name)


def importer_of(plan: Plan, name: str | None = None) -> Any:
    """What imports programs of front ends, once in each process."""
    assert plan.importer is not None
    return _importer(plan.importer, name or plan.name)


def _again(plan: Plan, found: Finding) -> bool:
    """Whether a process that ran no other program diverges in the same way: what another did to it is no finding. Who
    runs each program in a process of its own is asked again; the others are started anew."""
    if found.front is not None:
        again = front.verdict_of(importer_of(plan), found.front, _given(found), plan.strict)
        return isinstance(again, Divergence) and again.kind == found.blame["how"]
    if found.steps:
        compiler = compiler_of(plan)
        _made_fresh(compiler)
        wrong = sequences.judge(compiler, _pair(found), plan.strict).wrong
        return wrong is not None and wrong.kind == found.blame["how"]
    implementation = implementation_of(plan.find, plan.name, plan.pipeline, plan.target)
    if not hasattr(implementation, "run_many"):
        return True
    _made_fresh(implementation)
    verdict = verdict_of(check(parse(found.text)), _given(found), _Whole(implementation), plan.strict)
    return isinstance(verdict, Divergence) and verdict.kind == found.cause.kind


def _made_fresh(asked: Any) -> None:
    """End a process in which programs of other requests ran."""
    if not getattr(getattr(asked, "process", None), "alone", False):
        asked.close()


def _told(plan: Plan, found: Finding) -> Finding:
    """The finding with what a reader needs besides: what was expected, a script, versions."""
    if found.front is not None:
        return _told_of_front(plan, found)
    implementation = implementation_of(plan.find, plan.name, plan.pipeline, plan.target)
    checked = check(parse(found.text))
    args = _given(found)
    expected = shown(run(checked, "main", *copies(args), budget=BUDGET))
    writes, versions = getattr(implementation, "script", None), getattr(implementation, "versions", None)
    title = f"{found.cause.id}\n\n{found.message}"
    script = "" if writes is None else writes(checked.module, args, title, expected, found.steps)
    told = replace(found, expected=expected, script=script, versions={} if versions is None else versions())
    return replace(told, elsewhere=_elsewhere(plan, told, checked, args)) if plan.also else told


def _told_of_front(plan: Plan, found: Finding) -> Finding:
    """The same for an import: what is expected is what the program itself gives."""
    assert found.front is not None
    rows = []
    for name in (plan.name, *plan.also):
        importer = importer_of(plan, name)
        verdict = front.verdict_of(importer, found.front, _given(found), plan.strict)
        version = str(importer.versions().get("tvm", name)) if hasattr(importer, "versions") else name
        rows.append(
            Told(version, verdict.word, verdict.why if not isinstance(verdict, Divergence) else verdict.message)
        )
    writes, versions = getattr(importer_of(plan), "script", None), getattr(importer_of(plan), "versions", None)
    title = f"{found.cause.id}\n\n{found.message}"
    script = "" if writes is None else writes(found.front, _given(found), title)
    told = replace(found, script=script, elsewhere=tuple(rows) if plan.also else ())
    return replace(told, versions={**({} if versions is None else versions()), **found.versions})


def _given(found: Finding) -> list[Any]:
    """The arguments of a finding."""
    return [Tensor.of(each) if isinstance(each, ConstantArray) else each for each in found.args]


def _elsewhere(plan: Plan, found: Finding, checked: CheckedModule, args: Sequence[Any]) -> tuple[Told, ...]:
    """What other versions say of a finding."""
    rows = [Told(found.versions.get("tvm", plan.name), "DIVERGE", found.message)]
    for name in plan.also:
        other = implementation_of(plan.find, name, plan.pipeline, plan.target)
        verdict: Verdict
        if found.steps:
            verdict = sequences.verdict(compiler_of(plan, name), _pair(found), plan.strict)
        else:
            verdict = verdict_of(checked, args, _Whole(other), plan.strict)
        said = verdict.why if isinstance(verdict, NoVerdict | Agreement) else verdict.message
        version = name
        if hasattr(other, "versions"):
            with suppress(ImplementationFailed):
                version = str(other.versions().get("tvm", name))
        rows.append(Told(version, verdict.word, said))
    return tuple(rows)


def shown(end: Outcome) -> str:
    """How a run ends, in a few lines."""
    said = str(end.value) if isinstance(end, Returned) else str(end)
    return said if len(said) <= 1000 else f"{said[:1000]} …"


def _shrunk(plan: Plan, task: Task, sighting: Sighting) -> Finding | str:
    if task.kind == "rounds":
        return shrink_round(plan, task.number, task.size, sighting.cause) or "it did not show again"
    if sighting.case is not None and len(sighting.case) == 2:
        return _shrunk_front(plan, task, sighting, sighting.case)
    if sighting.case is not None and task.kind in ("mutants", "front"):
        return _shrunk_mutant(plan, task, sighting, sighting.case)
    if sighting.case is not None:
        return _shrunk_pair(plan, task, sighting, Pair.of_row(sighting.case))
    implementation = implementation_of(plan.find, plan.name, plan.pipeline, plan.target)
    cell = _cells_of(plan, task)[sighting.cell]
    small, tried = shrink(cell, sighting.given, sighting.cause, implementation, plan.strict)
    if small is None:
        return "it did not show again, alone"
    try:
        checked = check(parse(small.program.text))
    except Rejection as rejection:
        return str(rejection)
    verdict = verdict_of(checked, list(small.args), _Whole(implementation), plan.strict)
    met = found_in(verdict, small.program, small.dtype, small.args)
    if met is None or met[0] != sighting.cause or not isinstance(verdict, Divergence | NoVerdict):
        return f"it did not show again where it was confirmed: {verdict}"
    said = replace(verdict, bindings=(), report=NOTHING)
    signature = Signature(kind_of(verdict), (f"R.{cell.op}",))
    given = tuple(map(portable, small.args))
    return Finding(signature, sighting.cause, small.program.text, given, said, task.name, tried=tried)


def _shrunk_pair(plan: Plan, task: Task, sighting: Sighting, pair: Pair) -> Finding | str:
    """The finding behind a pair of a program and its passes."""
    if sighting.fault:
        fault = NoVerdict(sighting.message, reason="fault")
        return Finding(Signature(kind_of(fault), ()), sighting.cause, pair.text, pair.args, fault, task.name)
    small = sequences.shrink(compiler_of(plan), pair, sighting.cause, plan.strict)
    if small is None:
        return "it did not show again, alone"
    wrong = small.wrong
    who = {"stage": wrong.part, "pass": wrong.name, "index": wrong.index, "how": wrong.kind, "why": wrong.message[:400]}
    said = {"operator": "+".join(small.cause.operators), "place": wrong.place, **who}
    signature = Signature(f"{wrong.kind} by {wrong.name.partition('(')[0]}", small.cause.operators)
    given = tuple(map(portable, small.pair.args))
    verdict = sequences.divergence(wrong)
    return Finding(
        signature, small.cause, small.pair.text, given, verdict, task.name, said, small.tried, steps=small.pair.steps
    )


def _shrunk_front(plan: Plan, task: Task, sighting: Sighting, case: Sequence[Any]) -> Finding | str:
    """The finding behind a program whose import is wrong."""
    if sighting.fault:
        fault = NoVerdict(sighting.message, reason="fault")
        signature = Signature(kind_of(fault), sighting.cause.operators)
        return Finding(signature, sighting.cause, "", (), fault, task.name, front=front.Program.of_row(case[0]))
    small = front.shrink(importer_of(plan), case, sighting.cause, plan.strict)
    if small is None:
        return "it did not show again, alone"
    found, imported, operators = small.found, small.judged.imported, small.cause.operators
    who = {"operator": "+".join(operators), "place": found.place, "stage": "import", "pass": imported.by, "index": 0}
    who |= {"how": found.kind, "why": found.message[:400]}
    own = next((each.value for each in imported.runs if each.args == small.args and not each.why), None)
    return Finding(
        Signature(f"import {kind_of(found)}", operators),
        small.cause,
        imported.stage.text if imported.stage is not None else "",
        tuple(map(portable, small.args)),
        replace(found, bindings=(), report=NOTHING),
        task.name,
        who,
        small.tried,
        "" if own is None else shown(Returned(own)),
        versions=imported.versions,
        front=small.judged.program,
    )


def _shrunk_mutant(plan: Plan, task: Task, sighting: Sighting, case: Sequence[Any]) -> Finding | str:
    """The finding behind a mutant."""
    implementation = implementation_of(plan.find, plan.name, plan.pipeline, plan.target)
    small = mutants.shrink(case, sighting.cause, implementation, cause_in, plan.strict)
    if small is None:
        return "it did not show again, alone"
    (module, args), verdict, tried = small
    if not isinstance(verdict, Divergence | NoVerdict):
        return f"it did not show again: {verdict}"
    signature, cause = Signature(kind_of(verdict), blamed(module, verdict)), cause_in(module, verdict)
    said, given = replace(verdict, bindings=(), report=NOTHING), tuple(map(portable, args))
    return Finding(signature, cause, print_module(module), given, said, task.name, tried=tried)


def _pair(found: Finding) -> Pair:
    return Pair(found.text, tuple(_given(found)), found.steps)


class _Whole:
    """An implementation whose bindings nobody asks for: of one call, the result is the binding."""

    def __init__(self, implementation: Any) -> None:
        self.implementation = implementation

    def run(self, module: Any, entry: str, args: Any) -> Any:
        return self.implementation.run(module, entry, args)


# --- the campaign ----------------------------------------------------------------------------------------------------

Submit = Callable[..., Callable[[], Any]]
"""Starts a call somewhere and gives what waits for its result."""


@dataclass
class State:
    """How far a campaign is."""

    programs: int = 0
    inputs: int = 0
    judged: int = 0
    counts: Counts = Counts()
    open: dict[str, int] = field(default_factory=dict)
    found: list[Cause] = field(default_factory=list)
    known: dict[str, int] = field(default_factory=dict)
    made: dict[str, int] = field(default_factory=dict)
    """How many of the findings of an earlier start were made in a task and not yet met again there."""
    again: int = 0
    doubted: int = 0
    resumed: int = 0
    lost: list[str] = field(default_factory=list)
    corpus: Corpus = field(default_factory=Corpus)

    def add(self, seen: Seen) -> None:
        self.programs += seen.programs
        self.inputs += seen.inputs
        self.judged += seen.judged
        self.counts += seen.counts
        for why, n in seen.open.items():
            self.open[why] = self.open.get(why, 0) + n


def to_row(seen: Seen) -> dict[str, Any]:
    """For the memory."""
    row = {"programs": seen.programs, "inputs": seen.inputs, "judged": seen.judged, "open": seen.open}
    row["kept"] = seen.kept
    return {**row, "counts": asdict(seen.counts), "sightings": [each.row() for each in seen.sightings]}


def of_row(row: dict[str, Any]) -> Seen:
    sightings = [Sighting.of_row(each) for each in row["sightings"]]
    counts, kept = Counts(**row["counts"]), row.get("kept", [])
    return Seen(sightings, row["programs"], row["inputs"], row["judged"], counts, row["open"], kept=kept)


def campaign(
    plan: Plan, memory: Memory, submit: Submit, ahead: int, known: dict[str, str], stop: Callable[[], bool]
) -> Iterator[tuple[State, Finding | None]]:
    """The state after every task, and each finding as it is made. ``ahead``: how many tasks are under way at once;
    ``stop``: whether to begin no more."""
    state = State()
    for each in memory.findings():
        state.found.append(Cause.of_row(each["row"]))
        made_in = str(each.get("task", ""))
        state.made[made_in] = state.made.get(made_in, 0) + 1
    for task, seen, new in _in_order(plan, memory, submit, ahead, stop, state.corpus):
        if seen.lost:
            state.lost.append(seen.lost)
        elif new:
            memory.done(task.kind, task.number, {"size": task.size, **to_row(seen)}, seen.cells)
        else:
            state.resumed += 1
        state.add(seen)
        yield from _gone_through(plan, memory, submit, known, state, task, seen)
        yield state, None


def _in_order(
    plan: Plan, memory: Memory, submit: Submit, ahead: int, stop: Callable[[], bool], corpus: Corpus
) -> Iterator[tuple[Task, Seen, bool]]:
    """What every task saw, in the order of the tasks, and whether it was done now."""
    waiting: list[tuple[Task, Callable[[], Seen] | None, Seen | None]] = []
    coming = tasks(plan)
    held: Task | None = None
    while True:
        while len(waiting) < ahead and not (stop() and waiting):
            task = held or next(coming, None)
            held = None
            if task is None:
                break
            if task.kind == "passes":
                if task.number - BEHIND >= len(corpus.kept):
                    held = task  # until the tasks are done that it learns from
                    break
                task = replace(task, lead=corpus.upto(task.number - BEHIND + 1))
            row = memory.task(task.kind, task.number)
            if row is not None and row["size"] >= task.size:
                waiting.append((task, None, of_row(row)))
            else:
                waiting.append((task, submit(work, plan, task), None))
        if not waiting:
            return
        task, result, seen = waiting.pop(0)
        done = seen if seen is not None else result()  # type: ignore[misc]
        if task.kind == "passes":
            corpus.add(done.kept)
        yield task, done, seen is None
        if stop() and all(result is not None for _, result, _ in waiting):
            return


def _gone_through(
    plan: Plan, memory: Memory, submit: Submit, known: dict[str, str], state: State, task: Task, seen: Seen
) -> Iterator[tuple[State, Finding | None]]:
    """The new causes of a task."""
    wanted: list[tuple[Sighting, Callable[[], Any]]] = []
    for each in seen.sightings:
        if (name := known_as(each.cause.id, known)) is not None:
            state.known[name] = state.known.get(name, 0) + 1
        elif _met(state.found, each.cause) and state.made.get(task.name):
            state.made[task.name] -= 1  # the sighting of which the finding was made
        elif _met(state.found, each.cause):
            state.again += 1
        elif memory.doubts(each.cause.id, task.name):
            state.doubted += 1
        else:
            wanted.append((each, submit(make, plan, task, each)))
    for each, result in wanted:
        made = result()
        if isinstance(made, Lost):
            state.lost.append(made.why)
        elif isinstance(made, str):
            state.doubted += 1
            memory.doubt(each.cause.id, task.name, made)
        elif (name := known_as(made.cause.id, known)) is not None:
            state.known[name] = state.known.get(name, 0) + 1
        elif _met(state.found, made.cause):
            state.again += 1
        else:
            state.found.append(made.cause)
            yield state, made


def _met(found: Iterable[Cause], cause: Cause) -> bool:
    return any(each.covers(cause) for each in found)


__all__ = ["PACK", "State", "Task", "campaign", "make", "prepare", "tasks", "work"]
