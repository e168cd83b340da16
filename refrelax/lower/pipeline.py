"""Passes by name, pipelines by name, and running them.

Every pass has the same shape: ``pass_(checked, ledger) -> Module``. The result is checked again before the next one
sees it: a pass that breaks well-formedness or typing is a bug of refrelax and raises ``InternalError``.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from importlib import import_module
from pathlib import Path

from refrelax.errors import InternalError, Rejection, UsageError
from refrelax.lower.claims import Claim, Ledger
from refrelax.lower.set_aside import beside_contracts
from refrelax.notebook import table
from refrelax.semantics.types.check import check
from refrelax.semantics.types.checked import CheckedModule, wants
from refrelax.syntax.module import Module

Pass = Callable[[CheckedModule, Ledger], Module]

DISPATCH = "dispatch_library"

MACHINE = frozenset({"capture", "build"})
"""The passes that write calls of the virtual machine's library."""

PASSES: dict[str, str] = {
    DISPATCH: "refrelax.lower.dispatch_library",
    "legalize": "refrelax.lower.legalize",
    "fold_constants": "refrelax.lower.fold_constants",
    "dead_code": "refrelax.lower.dead_code",
    "fuse_ops": "refrelax.lower.fuse_ops",
    "fuse_loops": "refrelax.lower.fuse_loops",
    "lift_workspace": "refrelax.lower.lift_workspace",
    "to_destinations": "refrelax.lower.to_destinations",
    "plan_memory": "refrelax.lower.plan_memory",
    "capture": "refrelax.lower.capture",
    "build": "refrelax.lower.build",
}
"""Where each pass lives; its function is called ``run``."""

PIPELINES: dict[str, tuple[str, ...]] = {
    "default": ("legalize", "dead_code", "fuse_ops", "fuse_loops", "to_destinations", "plan_memory"),
    "build": ("legalize", "dead_code", "fuse_ops", "fuse_loops", "to_destinations", "plan_memory", "capture", "build"),
    "kernels": ("legalize", "dead_code", "fuse_ops", "fuse_loops"),
    "dispatch": (DISPATCH, "legalize", "dead_code", "fuse_ops", "fuse_loops"),
    "paper": (
        DISPATCH, "legalize", "dead_code", "fuse_ops", "fuse_loops", "lift_workspace", "to_destinations", "plan_memory",
        "capture", "build",
    ),
    "legalize": ("legalize",),
    "none": (),
}  # fmt: skip
"""Named sequences of passes. ``kernels`` stops before memory, which is what the array backends compile; ``dispatch``
first gives library functions what they compute; ``paper`` is the order of the Relax paper (§4.7), whole."""


@dataclass(frozen=True, slots=True)
class Step:
    """One pass that ran: its claims with their answers, the evidence in a few words, and the module after it."""

    name: str
    claims: tuple[Claim, ...]
    evidence: str
    module: CheckedModule

    def __iter__(self):  # type: ignore[no-untyped-def]
        """As the triple (pass name, claims, evidence)."""
        return iter((self.name, self.claims, self.evidence))


@dataclass(frozen=True, slots=True)
class Lowered:
    """A lowered module and how it came about."""

    module: CheckedModule
    steps: tuple[Step, ...]

    def __repr__(self) -> str:
        return f"<Lowered: {' '.join(each.name for each in self.steps)}; {len(self.claims)} claims; {self.module!r}>"

    def _repr_html_(self) -> str:
        return table("Lowered", ((each.name, each.evidence) for each in self.steps)) + self.module._repr_html_()

    @property
    def claims(self) -> tuple[Claim, ...]:
        return tuple(claim for step in self.steps for claim in step.claims)


def lower(
    checked: CheckedModule,
    pipeline: str = "default",
    passes: Sequence[str] | None = None,
    effort: str = "normal",
    libraries: Sequence[str | Path | Module | CheckedModule] | None = None,
) -> Lowered:
    """Run a pipeline, or the named ``passes``.

    ``libraries``: for ``dispatch_library``, in place of its own: their names, files of contracts, or modules.

    Raises:
        UsageError: an unknown pipeline, pass or library; libraries where no pass takes any.
        Rejection: a library that cannot be read, or a contract in it that is no pattern.
        InternalError: a pass produced a module that does not check (always a bug of refrelax).
    """
    wants("lower", checked, checked=True)
    if not isinstance(pipeline, str):
        raise UsageError(f"expected the name of a pipeline, found {pipeline!r}; a list of passes is passes=[…]")
    names = tuple(passes) if passes is not None else PIPELINES.get(pipeline)
    if names is None:
        raise UsageError(f"unknown pipeline {pipeline!r}; known: {', '.join(PIPELINES)}")
    if libraries is not None and DISPATCH not in names:
        raise UsageError(f"libraries are for the pass {DISPATCH}, which is none of {', '.join(names) or 'no passes'}")
    steps: list[Step] = []
    for name in names:
        ledger = Ledger(effort)
        run: Callable[..., Module] = find_pass(name)
        if name == DISPATCH and libraries is not None:
            run = partial(run, libraries=libraries)
        checked = _checked_again(name, run(checked, ledger))
        steps.append(Step(name, tuple(ledger.claims), evidence(ledger), checked))
    return Lowered(checked, tuple(steps))


def find_pass(name: str) -> Pass:
    """The function of a pass. Contracts are no code: only the dispatch to libraries sees them."""
    if name not in PASSES:
        raise UsageError(f"unknown pass {name!r}; known: {', '.join(PASSES)}")
    found: Pass = import_module(PASSES[name]).run
    return found if name == DISPATCH else beside_contracts(found, name in MACHINE)


def _checked_again(name: str, module: Module) -> CheckedModule:
    try:
        return check(module)
    except Rejection as rejection:
        raise InternalError(f"the pass {name} gave a module that does not check: {rejection}") from rejection


def evidence(ledger: Ledger) -> str:
    """How the rewrites of a pass are justified, and what it says of them, in a few words."""
    stay = (f"{name} stays as it is: {why}" for name, why in ledger.left.items())
    nowhere = (f"{name} is called nowhere: {why}" for name, why in ledger.unused.items())
    return "; ".join((_evidence(ledger), *ledger.done, *stay, *nowhere))


def _evidence(ledger: Ledger) -> str:
    proved = len(ledger.claims) - ledger.unproved
    if not ledger.claims:
        return "no claim needed"
    left = f", {ledger.unproved} not proved (left alone)" if ledger.unproved else ""
    return f"{proved} of {len(ledger.claims)} claims proved{left}"
