"""The second half of the main job: the imported models lowered with proofs, and the result judged.

For each model: the claims that every pass raised, the kernels before and after fusion, the memory before and after
planning as formulas in the symbols, the lowered module against the definition, and the lowering validated as a whole.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from time import perf_counter

from refrelax import api, judge
from refrelax.commands.models import same_bits
from refrelax.examples import Example
from refrelax.lower import Lowered, lower
from refrelax.lower.counts import launches
from refrelax.running.run import run
from refrelax.semantics.types.checked import CheckedModule
from refrelax.testing.arguments import random_arguments

RELAXED = {"ours": (), "zero": ("extreme-identity",)}
"""The relaxations that each comparison switches on: TVM starts a maximum at the lowest finite number."""


@dataclass(slots=True)
class LoweringRow:
    """One model, lowered."""

    model: str
    proved: int = 0
    claims: int = 0
    kernels: tuple[int, int] = (0, 0)
    memory: tuple[str, str] = ("-", "-")
    bits_equal: bool | None = None
    bindings: tuple[int, int] = (0, 0)
    """Inside, judged: of the lowered module's NumPy form."""
    undecided: int = 0
    evidence: dict[str, str] = field(default_factory=dict)
    """What ``validate`` says of our lowering and of TVM's ``zero``."""
    seconds: dict[str, float] = field(default_factory=dict)
    trouble: list[str] = field(default_factory=list)

    @property
    def agrees(self) -> bool:
        """Whether everything in the row is as it should be."""
        return not self.trouble and self.bits_equal is True and self.proved >= 0.95 * self.claims


def lowering_row(example: Example) -> LoweringRow:
    """Lower the imported stage of a model and judge what came out."""
    row = LoweringRow(example.name)
    stage = example.stage("imported")
    checked = api.check(api.bind_constants(api.parse(stage.text, filename=stage.path.name), stage.constants))
    started = perf_counter()
    kernels = lower(checked, pipeline="kernels")
    lowered = lower(checked, pipeline="default")
    row.seconds["lower"] = perf_counter() - started
    _count_claims(row, lowered)
    row.kernels = (_launches(_after(kernels, "legalize")), _launches(kernels.module))
    row.memory = _memory(lowered)
    _judge(row, example, checked, kernels.module, lowered.module)
    _validate(row, example, checked, kernels.module)
    return row


def _count_claims(row: LoweringRow, lowered: Lowered) -> None:
    row.claims = len(lowered.claims)
    row.proved = sum(claim.proved for claim in lowered.claims)


def _after(lowered: Lowered, name: str) -> CheckedModule:
    return next(step.module for step in lowered.steps if step.name == name)


def _launches(checked: CheckedModule) -> int:
    """Calls of loop programs in the graph functions of a module."""
    return sum(launches(checked.module, name) for name in checked.module.relax_functions())


def _memory(lowered: Lowered) -> tuple[str, str]:
    """Bytes of intermediate memory before and after planning, as formulas."""
    from refrelax.lower.memory_sizes import planned_bytes
    from refrelax.syntax.write.scalars import expression

    before, after = planned_bytes(lowered.module.module)
    return expression(before), expression(after)


def _judge(
    row: LoweringRow, example: Example, checked: CheckedModule, kernels: CheckedModule, planned: CheckedModule
) -> None:
    """The planned module bit for bit on dyadic inputs; the kernels' NumPy form binding by binding."""
    for recorded in example.runs:
        started = perf_counter()
        dyadic = random_arguments(checked.module, example.entry, 0, recorded.dims, "dyadic")
        same = same_bits(run(checked, example.entry, *dyadic), run(planned, example.entry, *dyadic))
        row.bits_equal = same if row.bits_equal is None else row.bits_equal and same
        row.seconds["run"] = row.seconds.get("run", 0.0) + perf_counter() - started
        started = perf_counter()
        verdict = judge.diff(kernels, example.entry, list(recorded.args), impl="numpy")
        row.seconds["judge"] = row.seconds.get("judge", 0.0) + perf_counter() - started
        if not isinstance(verdict, judge.Agreement):
            row.trouble.append(f"lowered, {recorded.dims}: {verdict}")
            continue
        row.bindings = (row.bindings[0] + verdict.inside, row.bindings[1] + len(verdict.bindings))
        row.undecided += verdict.undecided


def _validate(row: LoweringRow, example: Example, checked: CheckedModule, lowered: CheckedModule) -> None:
    zero = example.stage("zero")
    tvm = api.check(api.bind_constants(api.parse(zero.text, filename=zero.path.name), zero.constants))
    for name, after in (("ours", lowered), ("zero", tvm)):
        started = perf_counter()
        found = judge.validate(checked, after, example.entry, rounds=1, relax=RELAXED[name])
        row.seconds[f"validate {name}"] = perf_counter() - started
        match found:
            case judge.Equivalent() | judge.ProvedAt() | judge.Tested():
                row.evidence[name] = str(found)
            case other:
                row.trouble.append(f"validate {name}: {other}")
