"""``trace``: a run, event by event."""

from __future__ import annotations

import argparse

from refrelax import api
from refrelax.commands import values
from refrelax.commands.run import NUMERICS
from refrelax.commands.shared import add_json, emit, positive, read_checked, without_effect
from refrelax.errors import Outcome, Returned, UsageError
from refrelax.running.trace import Event, Tracer
from refrelax.semantics.budget import Budget
from refrelax.views.recording import STEPS, record
from refrelax.views.stepper import page


def arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("files", metavar="FILE", nargs="+", help="TVMScript; - is standard input")
    values.add_inputs(parser)
    parser.add_argument(
        "--numerics", choices=NUMERICS, default="ieee", help="the reading; symbolic: floats of --random are unknowns"
    )
    parser.add_argument("--loops", action="store_true", help="also every value of every loop variable")
    parser.add_argument("--steps", type=positive, metavar="N", help="budget: bindings and loop iterations")
    parser.add_argument("--elements", type=positive, metavar="N", help="budget: tensor elements made")
    parser.add_argument("--check-regions", action="store_true", help="hold blocks to their T.reads and T.writes")
    parser.add_argument(
        "--keep", type=positive, default=STEPS, metavar="N", help=f"steps that are kept (default: {STEPS})"
    )
    parser.add_argument("--html", metavar="OUT", help="write the stepper instead: one page, forward and back")
    add_json(parser)


def run(options: argparse.Namespace) -> int:
    """0 if every run was told to its end, whatever the end is."""
    if options.html:
        without_effect(options, ("--json",), "with --html")
        if len(options.files) > 1:
            raise UsageError("--html writes the page of one file")
    externs = None if len(options.files) == 1 else values.externs(options)
    for file in options.files:
        checked = read_checked(file, options.consts)
        externs = values.externs(options, checked.module) if externs is None else externs
        numerics, given = values.reading(options, checked.module, values.arguments(options, checked.module))
        limits = {k: v for k in ("steps", "elements") if (v := getattr(options, k)) is not None}
        how = {
            "externs": externs, "numerics": numerics, "budget": Budget(**limits),
            "check_regions": options.check_regions,
        }  # fmt: skip
        if options.html or options.json:
            recording = record(checked, options.entry, *given, loops=options.loops, keep=options.keep, **how)
            if options.json:
                emit(recording.json())
                continue
            with open(options.html, "w", encoding="utf-8") as target:  # noqa: PTH123 (errors name the path as given)
                target.write(page(recording.json()))
        else:
            show_end(api.run(checked, options.entry, args=given, listener=Tracer(show, options.loops), **how))
    return 0


def show(event: Event) -> None:
    """An event as a line of text."""
    print(f"{place(event)}{event.kind} {text_of(event)}")


def show_end(outcome: Outcome) -> None:
    """The end of a run as lines of text."""
    print(f"end {values.outcome_text(outcome)}")
    if isinstance(outcome, Returned):
        print(f"value {values.value_text(outcome.value)}")


def place(event: Event) -> str:
    return f"{event.span}: " if event.span is not None else ""


def text_of(event: Event) -> str:
    """What an event says after its kind."""
    where = f"{event.path}/" if event.path else ""
    match event.kind:
        case "call":
            return f"{event.path}({', '.join(values.value_text(each) for each in event.value)})"
        case "allocation":
            extents = ", ".join(map(str, event.value))
            return f"{where}{event.name}: {event.dtype}[{extents}] in {event.scope or 'global'}"
        case "effect":
            return f"{event.scope} {event.name}({', '.join(values.value_text(each) for each in event.value)})"
        case _:
            return f"{where}{event.name} = {values.value_text(event.value)}"
