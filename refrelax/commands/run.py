"""``run``: one function, one outcome."""

from __future__ import annotations

import argparse

from refrelax import api
from refrelax.commands import values
from refrelax.commands.shared import add_json, emit, read_checked
from refrelax.errors import Outcome, Returned
from refrelax.semantics.budget import Budget
from refrelax.semantics.types.checked import CheckedModule

BACKENDS = ("interpreter", "numpy", "cupy", "cuda-emulated")
NUMERICS = ("ieee", "enclosure", "strict", "exact", "symbolic", "sampled")


def arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("file", metavar="FILE", help="TVMScript; - is standard input")
    values.add_inputs(parser)
    parser.add_argument("--numerics", choices=NUMERICS, default="ieee", help="the reading (interpreter only)")
    parser.add_argument("--backend", choices=BACKENDS, default="interpreter")
    parser.add_argument("--mode", choices=("bits", "fast"), default="fast", help="of a backend")
    parser.add_argument("--steps", type=int, metavar="N", help="budget: bindings and loop iterations")
    parser.add_argument("--elements", type=int, metavar="N", help="budget: tensor elements made")
    parser.add_argument("--check-regions", action="store_true", help="hold blocks to their T.reads and T.writes")
    add_json(parser)


def run(options: argparse.Namespace) -> int:
    """0 if it returned, 1 otherwise."""
    checked = read_checked(options.file, options.consts)
    given = values.arguments(options, checked.module)
    outcome = _outcome(checked, options, given)
    if options.json:
        emit(values.outcome_json(outcome))
    else:
        _show(outcome)
    return 0 if isinstance(outcome, Returned) else 1


def _outcome(checked: CheckedModule, options: argparse.Namespace, given: list[object]) -> Outcome:
    if options.backend == "interpreter":
        limits = {k: v for k in ("steps", "elements") if (v := getattr(options, k)) is not None}
        return api.run(
            checked,
            options.entry,
            *given,
            numerics=options.numerics,
            budget=Budget(**limits),
            check_regions=options.check_regions,
        )
    from refrelax.backends import compile as compile_

    outcome: Outcome = compile_(checked, backend=options.backend, mode=options.mode).run(options.entry, *given)
    return outcome


def _show(outcome: Outcome) -> None:
    print(values.outcome_text(outcome))
    if not isinstance(outcome, Returned):
        return
    print(f"value: {values.value_text(outcome.value)}")
    for effect in outcome.effects:
        payload = ", ".join(values.value_text(each) for each in effect.payload)
        print(f"effect: {effect.kind} {effect.name}({payload})")
    for path, rule in outcome.poison[: values.MOST_ELEMENTS]:
        print(f"poison: {path} [{rule}]")
