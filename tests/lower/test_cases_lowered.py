"""The cases of the suite after all passes: a run that returns or traps does so still, and no pass refuses a program."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from refrelax import api
from refrelax.conformance import Case, data, load
from refrelax.conformance.library import LIBRARY
from refrelax.judge.outcomes import Difference, Reference, copies
from refrelax.lower import PIPELINES, lower
from refrelax.semantics.budget import Budget

PASSES = {
    "all": ("dispatch_library", "fold_constants", *PIPELINES["paper"][1:]),
    "without loops": ("fold_constants", "dead_code", "fuse_ops", "to_destinations", "plan_memory", "capture", "build"),
}

FOUND = (
    "separating-runs/scalars-lazy",  # `and` and `or` of dims in a program on the host, which evaluates both sides
    "causes/let-in-a-shape-that-is-run",  # one variable in two dims, so twice in such a program
    "storage/call-builtin-drops-its-result",  # where nothing is promised
    "storage/view-arguments",  # left out
    "storage/symbol-of-a-killed-scalar",  # read where it is needed
    "numbers/no-elements-of-pointers",  # no loop program computes
)
"""Cases that ended otherwise behind a pass, or were refused there."""


FUNCTIONS = frozenset({"separating-runs/a-function-returned"})
"""Cases that return a function: that of the lowered module is another one."""


def cases() -> Iterator[Case]:
    for case in load():
        plain = (
            case.name not in FUNCTIONS and case.module and case.entry and case.question is None and case.second is None
        )
        if plain and case.manner.lower is None and case.manner.numerics == "ieee" and case.expect.kind != "IllTyped":
            if case.expect.kind in ("Returned", "Trapped", "Unspecified", "Exhausted"):
                yield case


def other(case: Case, passes: tuple[str, ...]) -> str | None:
    """How the lowered program ends otherwise; ``None`` if it does not."""
    module = api.parse(case.module, filename=case.place)
    if case.constants:
        module = api.bind_constants(module, dict(enumerate(map(data.to_value, case.constants))))
    checked = api.check(module)
    lowered = lower(checked, passes=passes).module
    args = [data.to_value(each) for each in case.args]
    assert case.entry is not None
    reference = Reference(checked, case.entry, args, LIBRARY, Budget())
    if reference.open:
        return None
    found = reference.judge(api.run(lowered, case.entry, *copies(args), externs=LIBRARY))
    return f"{case.name}: {found}" if isinstance(found, Difference) else None


@pytest.mark.parametrize("name", FOUND)
def test_what_was_found(name: str) -> None:
    (case,) = (each for each in cases() if each.name == name)
    assert other(case, PASSES["all"]) is None


@pytest.mark.nightly
@pytest.mark.parametrize("passes", PASSES)
def test_every_case(passes: str) -> None:
    every = list(cases())
    assert len(every) > 1000
    assert not [found for each in every if (found := other(each, PASSES[passes])) is not None]
