"""The paper's ablation in kind, on small models of the kinds that it measures: what each pattern of optimisation takes,
fuses and saves, the claims that it rests on, and what is said of the result.

No time is compared: a count of operators, launches and bytes is what a definition can say about Figure 17 and Table 2.
And that one compiled program is right for every batch and length, which the paper does not check.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from time import process_time
from typing import Any

from refrelax import api, judge
from refrelax.errors import Returned
from refrelax.examples import Example
from refrelax.judge.outcomes import words
from refrelax.lower import PIPELINES, Lowered, Step, lower
from refrelax.lower.counts import dispatched, launches, operators
from refrelax.lower.memory_report import successive_use
from refrelax.semantics.numbers.verdicts import Inside, Outside
from refrelax.semantics.types.checked import CheckedModule
from refrelax.syntax.module import Module

PIPELINE = PIPELINES["paper"]

JUDGED = ("lift_workspace", "plan_memory", "capture", "build")
"""After these passes the whole is validated against the model as it was imported: the last that leaves it a program of
pure calls, and each that goes on to memory and the machine. The other passes are held one by one, each to the module
before it, in ``tests/commands/test_ablation.py``."""


@dataclass(slots=True)
class AblationRow:
    """One function of one model. ``operators``: at graph level, as imported; ``kernels``: calls of loop programs after
    legalization and after fusion, to which ``dispatched`` calls of library functions are to be added; TVM's dispatches
    nothing. ``held``: bytes in a pool after the last of the ``series`` of runs, without and with a plan. ``evidence``:
    what is said after which pass."""

    model: str
    function: str
    operators: int
    dispatched: int = 0
    kernels: tuple[int, int] = (0, 0)
    tvm_kernels: tuple[int, int] = (0, 0)
    series: str = ""
    held: tuple[int, int] = (0, 0)
    tvm_held: tuple[int, int] = (0, 0)
    bindings: tuple[int, int] = (0, 0)
    """Inside, judged: of the fused module's NumPy form, on the recorded inputs."""
    tvm_outputs: tuple[int, int] = (0, 0)
    """Of TVM's recorded outputs: not outside what the imported model permits, all."""
    built: tuple[int, int] = (0, 0)
    """The same of what the definition gives for the module after the last pass."""
    evidence: dict[str, str] = field(default_factory=dict)
    unproved: list[str] = field(default_factory=list)
    trouble: list[str] = field(default_factory=list)


@dataclass(slots=True)
class ModelAblation:
    """One model: claims of its passes (proved, all), a row for each function, seconds of this process."""

    model: str
    claims: dict[str, tuple[int, int]] = field(default_factory=dict)
    open_claims: list[str] = field(default_factory=list)
    """The claims that were not proved, in words; what rests on them was left alone."""
    rows: list[AblationRow] = field(default_factory=list)
    theirs: list[str] = field(default_factory=list)
    """What is said of TVM's own passes, where a live TVM was asked."""
    seconds: dict[str, float] = field(default_factory=dict)

    @property
    def agrees(self) -> bool:
        """Whether nothing is wrong; what is not proved is no fault, and named."""
        return not any(row.trouble for row in self.rows)


def ablation(example: Example, rounds: int = 1, live: bool = False) -> ModelAblation:
    """Lower a model by the paper's pipeline, count, judge; ``live``: validate TVM's own passes beside it."""
    stage = example.stage("imported")
    found = ModelAblation(example.name)
    clock = _Clock(found)
    checked = api.check(api.bind_constants(api.parse(stage.text, filename=stage.path.name), stage.constants))
    clock.lap("read")
    lowered = lower(checked, passes=PIPELINE)
    clock.lap("lower")
    for step in lowered.steps:
        found.claims[step.name] = (sum(claim.proved for claim in step.claims), len(step.claims))
        found.open_claims += [f"{step.name}: {claim}" for claim in step.claims if not claim.proved]
    for function in example.functions:
        row = AblationRow(example.name, function, operators(checked.module, function))
        found.rows.append(row)
        _count(row, example, lowered)
        clock.lap("count")
        _judge(row, example, checked, _after(lowered, "fuse_loops").module, lowered.module)
        clock.lap("judge")
        for name in JUDGED:
            _validate(row, name, checked, _after(lowered, name).module, example, rounds)
        clock.lap("validate")
    if live:
        found.theirs = [str(each) for each in theirs(checked, example, rounds)]
    return found


class _Clock:
    """Books the time of steps."""

    def __init__(self, found: ModelAblation) -> None:
        self.found, self.start = found, process_time()

    def lap(self, name: str) -> None:
        now = process_time()
        self.found.seconds[name] = self.found.seconds.get(name, 0.0) + now - self.start
        self.start = now


def _after(lowered: Lowered, name: str) -> Step:
    return next(step for step in lowered.steps if step.name == name)


def _before(lowered: Lowered, name: str) -> Step:
    names = [step.name for step in lowered.steps]
    return lowered.steps[names.index(name) - 1]


def _count(row: AblationRow, example: Example, lowered: Lowered) -> None:
    legal, fused = (_after(lowered, name).module.module for name in ("legalize", "fuse_loops"))
    row.dispatched = dispatched(legal, row.function)
    row.kernels = launches(legal, row.function), launches(fused, row.function)
    runs = example.facts["series"][row.function]
    row.series = series_of(runs)
    bare, planned = _before(lowered, "plan_memory").module.module, _after(lowered, "plan_memory").module.module
    before, after = (successive_use(module, runs, row.function)[-1].held for module in (bare, planned))
    row.held = before, after
    theirs = example.facts["tvm"][row.function]
    row.tvm_kernels = theirs["kernels"][0], theirs["kernels"][1]
    row.tvm_held = theirs["held"][0][-1], theirs["held"][1][-1]


def series_of(runs: list[dict[str, int]]) -> str:
    """Successive runs in a few words: what stays the same, then what goes up."""
    parts = {name: list(dict.fromkeys(run[name] for run in runs)) for name in runs[0]}
    return " ".join(f"{name}={','.join(map(str, found))}" for name, found in sorted(parts.items(), key=_by_count))


def _by_count(part: tuple[str, list[int]]) -> int:
    return len(part[1])


def _judge(
    row: AblationRow, example: Example, checked: CheckedModule, fused: CheckedModule, built: CheckedModule
) -> None:
    """The recorded runs: TVM's outputs, and what the module after the last pass gives, against the imported model;
    NumPy binding by binding after fusion."""
    for recorded in example.runs:
        if recorded.function != row.function:
            continue
        permitted: Any = api.run(checked, row.function, *recorded.args, numerics="enclosure")
        fields = permitted.value if isinstance(permitted.value, tuple) else (permitted.value,)
        ours: Any = api.run(built, row.function, *recorded.args)
        if not isinstance(ours, Returned):
            row.trouble.append(f"after the last pass, at {recorded.dims}: it {words(ours)}")
            continue
        for what, outputs in (("TVM's output", recorded.outputs), ("the last pass", ours.value)):
            verdicts = [field_.judge(seen) for field_, seen in zip(fields, outputs, strict=True)]
            outside = [v for v in verdicts if isinstance(v, Outside)]
            row.trouble += [f"{what} at {recorded.dims}: {v}" for v in outside]
            kept, whole = row.tvm_outputs if outputs is recorded.outputs else row.built
            counted = kept + len(verdicts) - len(outside), whole + len(verdicts)
            if outputs is recorded.outputs:
                row.tvm_outputs = counted
            else:
                row.built = counted
        found = judge.diff(fused, row.function, list(recorded.args), impl="numpy")
        shown = getattr(found, "bindings", ())
        if not shown or any(not isinstance(each.verdict, Inside) for each in shown):
            row.trouble.append(f"NumPy after fusion at {recorded.dims}: {found}")
            continue
        row.bindings = row.bindings[0] + len(shown), row.bindings[1] + len(shown)
        if not isinstance(found, judge.Agreement):
            row.unproved.append("NumPy after fusion does not show what goes into some calls of library functions")


def _validate(
    row: AblationRow, name: str, checked: CheckedModule, after: CheckedModule, example: Example, rounds: int
) -> None:
    """What is said of the module after a pass; recorded arguments are among those that are tried."""
    args = next(list(recorded.args) for recorded in example.runs if recorded.function == row.function)
    match judge.validate(checked, after, row.function, rounds=rounds, args=args):
        case judge.Equivalent():
            row.evidence[name] = "PROVED"
        case (judge.ProvedAt() | judge.Tested()) as found:
            row.evidence[name] = type(found).__name__.upper().replace("PROVEDAT", "PROVED AT")
            why = found.unproved.partition("\n")[0]
            row.unproved.append(f"after {name}: not proved for all shapes, for {why}")
        case other:
            row.evidence[name] = type(other).__name__.upper()
            row.trouble.append(f"after {name}: {other}")


# --- TVM's own passes ------------------------------------------------------------------------------------------------

RELAXED = ("extreme-identity",)
"""TVM starts a maximum at the lowest finite number."""

PATIENCE = 240.0
"""Seconds for one of TVM's passes on one function, as in ``docs/tvm-pipelines.md``."""


@dataclass(frozen=True, slots=True)
class TheirStep:
    """One of TVM's passes on one function: what is said of it."""

    function: str
    name: str
    verdict: str

    def __str__(self) -> str:
        return f"TVM's {self.name} on {self.function}: {self.verdict}"


def theirs(checked: CheckedModule, example: Example, rounds: int = 1) -> list[TheirStep]:
    """TVM's passes in the order of ``zero`` and ``default_build``, each validated against the module before it, as long
    as its texts are programs of the definition."""
    found: list[TheirStep] = []
    before = checked
    for name, module in _their_stages(checked):
        after = api.check(module)
        for function in example.functions:
            args = next(list(recorded.args) for recorded in example.runs if recorded.function == function)
            verdict = judge.validate(before, after, function, rounds=rounds, args=args, relax=RELAXED, timeout=PATIENCE)
            why = getattr(verdict, "unproved", "").partition("\n")[0]
            found.append(TheirStep(function, name, f"{verdict}{f'; not proved for {why}' if why else ''}"))
        before = after
    return found


def _their_stages(checked: CheckedModule) -> Iterator[tuple[str, Module]]:
    """What each pass made that changed something."""
    from refrelax.interop.tvm.passes import TvmPasses

    passes, module, text = TvmPasses(), checked.module, ""
    try:
        for pipeline in ("zero", "default_build"):
            for stage in passes.stages(module, pipeline):
                if stage.text != text:
                    text = stage.text
                    module = api.bind_constants(api.parse(text, filename=stage.name), stage.constants)
                    yield stage.name, module
    finally:
        passes.close()
