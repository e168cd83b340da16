"""Programs that record runs: what holds on the first call must hold on the next ones.

A recorded run does the same launches again at the same addresses. Whether that is right shows only when the machine
goes on: a call with other elements, at other extents, and once more; and the results of the calls before must stand.

Spec: ``spec/08-effects-and-storage.md``, ``vm/cuda-graph``.
"""

from __future__ import annotations

from collections.abc import Sequence

from refrelax.errors import Outcome
from refrelax.judge.outcomes import Difference, Externs, Reference, copies
from refrelax.running.run import run
from refrelax.semantics.budget import Budget
from refrelax.semantics.graph.link import nodes
from refrelax.semantics.session import Session
from refrelax.semantics.types.checked import CheckedModule
from refrelax.syntax.graph import ExternFunc
from refrelax.syntax.module import Module


def records(module: Module) -> bool:
    """Whether a program keeps something from one call to the next."""
    functions = module.relax_functions().values()
    names = (n.name for f in functions for n in nodes(f) if isinstance(n, ExternFunc))
    return any(name.startswith("vm.builtin.cuda_graph.") for name in names)


def other_when_called_again(
    program: CheckedModule, entry: str, calls: Sequence[Reference], externs: Externs, budget: Budget
) -> tuple[Reference, Difference, Outcome] | None:
    """The first call of a session whose outcome is none of those permitted, then or after the later calls. Where the
    first program records runs, too, and does not do in a session what each of its calls does alone, anything is
    permitted from there on."""
    session, kept = Session(), Session()
    done: list[tuple[Reference, Outcome]] = []
    own: list[tuple[Reference, Outcome]] = []
    for number, reference in enumerate(calls, start=1):
        if records(reference.checked.module):
            given = copies(reference.args)
            own.append((reference, run(reference.checked, entry, *given, externs=externs, budget=budget, session=kept)))
            if any(isinstance(alone.compare(outcome)[0], Difference) for alone, outcome in own):
                return None
        given = copies(reference.args)
        found = run(program, entry, *given, externs=externs, budget=budget, session=session)
        done.append((reference, found))
        for earlier, (before, outcome) in enumerate(done, start=1):
            judged = before.compare(outcome)[0]
            if isinstance(judged, Difference):
                shapes = "; ".join(_shapes(each) for each in calls[:number])
                when = f"call {earlier}" + ("" if earlier == number else f", looked at after call {number}")
                message = f"{when} of a session (calls with {shapes}): {judged.message}"
                return before, Difference(message, structural=True, field=judged.field), outcome
    return None


def _shapes(reference: Reference) -> str:
    return ", ".join(str(list(getattr(each, "shape", ()))) for each in reference.args) or "no arguments"
