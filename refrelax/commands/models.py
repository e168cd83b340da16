"""The main job on the models in the package: parse, check, run, compile to NumPy, judge.

Each printed stage of each model is one row: the interpreter's outcome, every binding of the NumPy backend judged on
that backend's own inputs, bit-equality on dyadic inputs, and the outputs that TVM recorded against the enclosure.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from time import perf_counter
from typing import Any

from refrelax import api, examples, judge
from refrelax.backends import compile as compile_
from refrelax.backends.errors import Unsupported
from refrelax.errors import Returned, UsageError
from refrelax.examples import Example, RecordedRun, Stage
from refrelax.judge import Agreement
from refrelax.semantics.numbers.verdicts import Inside, Outside, Undecided
from refrelax.semantics.types.checked import CheckedModule
from refrelax.testing.arguments import random_arguments

DEFAULT = ("mlp", "cnn", "decoder")
"""What the demo shows unless told: every stage of every model."""

MOST_UNDECIDED = 0.05
"""Share of bindings that may stay undecided before a row no longer counts as agreement."""


@dataclass(slots=True)
class Shares:
    """How many bindings were judged how, and the least margin seen."""

    inside: int = 0
    outside: int = 0
    undecided: int = 0
    margin: float = 1.0

    @property
    def total(self) -> int:
        return self.inside + self.outside + self.undecided

    def add(self, verdict: Inside | Outside | Undecided) -> None:
        """Count one verdict."""
        match verdict:
            case Inside(margin):
                self.inside += 1
                self.margin = min(self.margin, margin)
            case Outside():
                self.outside += 1
            case Undecided():
                self.undecided += 1


@dataclass(slots=True)
class Row:
    """One stage of one model."""

    model: str
    stage: str
    outcome: str = ""
    bindings: Shares = field(default_factory=Shares)
    dyadic_equal: bool | None = None
    tvm: Shares = field(default_factory=Shares)
    seconds: dict[str, float] = field(default_factory=dict)
    trouble: list[str] = field(default_factory=list)

    @property
    def agrees(self) -> bool:
        """Whether everything in the row is as it should be."""
        settled = self.bindings.undecided <= MOST_UNDECIDED * self.bindings.total
        judged = self.bindings.total > 0 and self.tvm.total > 0 and self.dyadic_equal is True
        return not self.trouble and judged and settled and self.bindings.outside + self.tvm.outside == 0


class _Clock:
    """Times steps into a row."""

    def __init__(self, row: Row) -> None:
        self.row = row
        self.start = perf_counter()

    def lap(self, name: str) -> None:
        """Book the time since the last lap under ``name``."""
        now = perf_counter()
        self.row.seconds[name] = self.row.seconds.get(name, 0.0) + now - self.start
        self.start = now


def pick(names: Sequence[str]) -> list[tuple[Example, Stage]]:
    """``"mlp"`` (all its stages) and ``"mlp/zero"`` to stages.

    Raises:
        UsageError: no such model or stage.
    """
    found = []
    for each in names:
        name, _, stage = each.partition("/")
        try:
            example = examples.load(name)
            found += [(example, s) for s in ([example.stage(stage)] if stage else example.stages)]
        except KeyError:
            raise UsageError(f"no model {each!r}; there are {', '.join(examples.names())}") from None
    return found


def judge_stage(example: Example, stage: Stage) -> Row:
    """Everything about one stage. A rejection is raised: the models in the package are programs."""
    row = Row(example.name, stage.name)
    clock = _Clock(row)
    module = api.bind_constants(api.parse(stage.text, filename=f"{example.name}/{stage.path.name}"), stage.constants)
    clock.lap("parse")
    checked = api.check(module)
    clock.lap("check")
    for recorded in example.runs:
        _interpret(row, checked, example.entry, recorded, clock)
    try:
        _compile_and_judge(row, checked, example, clock)
    except Unsupported as missing:
        row.trouble.append(f"NumPy: {missing}")
    return row


def _interpret(row: Row, checked: CheckedModule, entry: str, recorded: RecordedRun, clock: _Clock) -> None:
    """Run the definition on recorded inputs, and TVM's recorded outputs against the enclosure."""
    outcome = api.run(checked, entry, *recorded.args)
    clock.lap("run")
    row.outcome = type(outcome).__name__
    if not isinstance(outcome, Returned) or outcome.poison:
        row.trouble.append(f"{recorded.dims}: {outcome}")
        return
    permitted = api.run(checked, entry, *recorded.args, numerics="enclosure")
    if not isinstance(permitted, Returned):
        row.trouble.append(f"{recorded.dims}, enclosure: {permitted}")
        return
    for field_, observed in zip(permitted.value, recorded.outputs, strict=True):
        verdict = field_.judge(observed)
        row.tvm.add(verdict)
        if isinstance(verdict, Outside):
            row.trouble.append(f"TVM's output at {recorded.dims}: {verdict}")
    clock.lap("enclosure")


def _compile_and_judge(row: Row, checked: CheckedModule, example: Example, clock: _Clock) -> None:
    """NumPy in both modes: bindings judged on its own inputs, bits compared on dyadic inputs."""

    fast = compile_(checked, backend="numpy", mode="fast")
    bits = compile_(checked, backend="numpy", mode="bits")
    clock.lap("compile")
    for recorded in example.runs:
        judged = judge.diff(checked, example.entry, list(recorded.args), impl="numpy")
        clock.lap("judge")
        _count(row, judged, recorded)
        dyadic = random_arguments(checked.module, example.entry, 0, recorded.dims, "dyadic")
        wanted = api.run(checked, example.entry, *dyadic)
        clock.lap("run")
        found = bits.run(example.entry, *dyadic)
        clock.lap("numpy")
        same = same_bits(wanted, found)
        row.dyadic_equal = same if row.dyadic_equal is None else row.dyadic_equal and same
        fast.run(example.entry, *dyadic)
        clock.lap("numpy")


def same_bits(a: Any, b: Any) -> bool:
    """Whether both runs returned the same tensors, bit for bit."""
    if not (isinstance(a, Returned) and isinstance(b, Returned)):
        return False
    return [t.patterns() for t in a.value] == [t.patterns() for t in b.value]


def _count(row: Row, judged: Any, recorded: RecordedRun) -> None:
    """Add the bindings of one comparison; anything but agreement is trouble."""

    for each in getattr(judged, "bindings", ()):
        row.bindings.add(each.verdict)
    if not isinstance(judged, Agreement):
        row.trouble.append(f"{recorded.dims}: {judged}")
