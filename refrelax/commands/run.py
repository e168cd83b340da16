"""``run``: one function, one outcome."""

from __future__ import annotations

import argparse

from refrelax import api
from refrelax.commands import values
from refrelax.commands.shared import add_json, emit, positive, read_checked, without_effect
from refrelax.errors import Outcome, Returned, UsageError
from refrelax.semantics.budget import Budget
from refrelax.semantics.numbers.symbolic import Symbolic
from refrelax.semantics.types.checked import CheckedModule

BACKENDS = ("interpreter", "numpy", "cupy", "cuda-emulated")
NUMERICS = ("ieee", "enclosure", "strict", "exact", "symbolic", "sampled")


def arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("file", metavar="FILE", help="TVMScript; - is standard input")
    values.add_inputs(parser)
    parser.add_argument(
        "--numerics",
        choices=NUMERICS,
        help="the reading (interpreter only; default: ieee); symbolic: floats of --random are unknowns",
    )
    parser.add_argument("--backend", choices=BACKENDS, default="interpreter")
    parser.add_argument("--mode", choices=("bits", "fast"), help="of a backend (default: fast)")
    parser.add_argument("--steps", type=positive, metavar="N", help="budget: bindings and loop iterations")
    parser.add_argument("--elements", type=positive, metavar="N", help="budget: tensor elements made")
    parser.add_argument("--check-regions", action="store_true", help="hold blocks to their T.reads and T.writes")
    parser.add_argument(
        "--html", metavar="OUT", help="also a page: how wide the permitted sets are along the network, and one element"
    )
    parser.add_argument("--element", metavar="value[0]", help="with --html: that element (default: the widest)")
    add_json(parser)


INTERPRETED = ("--numerics", "--steps", "--elements", "--check-regions")
"""Options that say something to the interpreter alone."""


def run(options: argparse.Namespace) -> int:
    """0 if it returned, 1 otherwise."""
    without_effect(options, ("--mode",) if options.backend == "interpreter" else INTERPRETED, f"by {options.backend}")
    if options.html is None:
        without_effect(options, ("--element",), "without --html")
    elif options.numerics == "symbolic":
        raise UsageError("--html has no effect on unknowns: it shows sets of numbers")
    checked = read_checked(options.file, options.consts)
    reading, given = values.reading(options, checked.module, values.arguments(options, checked.module))
    made = values.arguments_text(options, checked.module, given)
    inputs = [values.value_json(each) for each in given] if options.json and made else []
    paged = options.html is not None
    outcome = _outcome(checked, options, _copied(given) if paged else given, reading)
    if paged:
        _page(checked, options, given, outcome)
    if options.json:
        emit({**values.outcome_json(outcome), **({"given": inputs} if made else {})})
    else:
        print(*made, sep="\n", end="\n" if made else "")
        _show(outcome)
    return 0 if isinstance(outcome, Returned) else 1


def _copied(given: list[object]) -> list[object]:
    """Arguments for a run that may change them, where they are needed again as they were given."""
    from refrelax.judge.outcomes import copies

    return list(copies(given))


def _page(checked: CheckedModule, options: argparse.Namespace, given: list[object], outcome: Outcome) -> None:
    """Write the page of ``--html``; what a backend gave is a mark on it."""
    from refrelax.views import permitted

    observed = None if options.backend == "interpreter" else outcome
    page = permitted.page(
        checked, options.entry, given, options.element or "", observed, externs=values.externs(options)
    )
    with open(options.html, "w", encoding="utf-8") as target:  # noqa: PTH123 (errors name the path as given)
        target.write(page)


def _outcome(
    checked: CheckedModule, options: argparse.Namespace, given: list[object], reading: str | Symbolic
) -> Outcome:
    externs = values.externs(options, checked.module)
    if options.backend == "interpreter":
        limits = {k: v for k in ("steps", "elements") if (v := getattr(options, k)) is not None}
        return api.run(
            checked,
            options.entry,
            args=given,
            numerics=reading,
            budget=Budget(**limits),
            externs=externs,
            check_regions=options.check_regions,
        )
    from refrelax.backends import compile as compile_

    executable = compile_(checked, backend=options.backend, mode=options.mode or "fast")
    return executable.run(options.entry, *given, externs=externs)


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
