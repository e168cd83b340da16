"""``trace``: a run, event by event."""

from __future__ import annotations

import argparse
import html
from collections.abc import Iterable
from typing import Any

from refrelax import api
from refrelax.commands import values
from refrelax.commands.run import NUMERICS
from refrelax.commands.shared import add_json, emit, positive, read_checked, without_effect
from refrelax.errors import Outcome, Returned
from refrelax.running.trace import Event, Tracer
from refrelax.semantics.budget import Budget


def arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("files", metavar="FILE", nargs="+", help="TVMScript; - is standard input")
    values.add_inputs(parser)
    parser.add_argument("--numerics", choices=NUMERICS, default="ieee", help="the reading")
    parser.add_argument("--loops", action="store_true", help="also every value of every loop variable")
    parser.add_argument("--steps", type=positive, metavar="N", help="budget: bindings and loop iterations")
    parser.add_argument("--elements", type=positive, metavar="N", help="budget: tensor elements made")
    parser.add_argument("--check-regions", action="store_true", help="hold blocks to their T.reads and T.writes")
    parser.add_argument("--html", metavar="OUT", help="write a page with the events as a table instead")
    add_json(parser)


def run(options: argparse.Namespace) -> int:
    """0 if every run was told to its end, whatever the end is."""
    if options.html:
        without_effect(options, ("--json",), "with --html")
    kept: list[tuple[str, list[Event], Outcome]] = []
    externs = values.externs(options)
    for file in options.files:
        checked = read_checked(file, options.consts)
        given = values.arguments(options, checked.module)
        events: list[Event] = []
        say = events.append if options.html else show_json if options.json else show
        limits = {k: v for k in ("steps", "elements") if (v := getattr(options, k)) is not None}
        outcome = api.run(
            checked,
            options.entry,
            args=given,
            externs=externs,
            numerics=options.numerics,
            budget=Budget(**limits),
            check_regions=options.check_regions,
            listener=Tracer(say, options.loops),
        )
        if options.html:
            kept.append((file, events, outcome))
        elif options.json:
            emit({"event": "end", **values.outcome_json(outcome)})
        else:
            show_end(outcome)
    if options.html:
        with open(options.html, "w", encoding="utf-8") as page:  # noqa: PTH123 (errors name the path as given)
            page.write(page_of(kept))
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


def row_of(event: Event) -> dict[str, Any]:
    """An event for JSON."""
    row: dict[str, Any] = {"event": event.kind, "path": event.path, "name": event.name}
    match event.kind:
        case "allocation":
            row |= {"shape": list(event.value), "dtype": event.dtype, "scope": event.scope or "global"}
        case "effect":
            row |= {"effect": event.scope, "payload": [values.value_json(each) for each in event.value]}
        case "call":
            row["arguments"] = [values.value_json(each) for each in event.value]
        case _:
            row["value"] = values.value_json(event.value)
    return row if event.span is None else {**row, "span": str(event.span)}


def show_json(event: Event) -> None:
    emit(row_of(event))


def page_of(runs: Iterable[tuple[str, list[Event], Outcome]]) -> str:
    """The events of some runs as one HTML page that needs nothing else."""
    parts = ["<!doctype html><meta charset=utf-8><title>refrelax trace</title>", STYLE]
    for file, events, outcome in runs:
        parts.append(f"<h1>{html.escape(file)}</h1><table>")
        for event in events:
            cells = (str(event.span or ""), event.kind, text_of(event))
            parts.append(f"<tr class={event.kind}>{''.join(f'<td>{html.escape(each)}</td>' for each in cells)}</tr>")
        parts.append(f"</table><p>{html.escape(values.outcome_text(outcome))}</p>")
    return "\n".join(parts) + "\n"


STYLE = (
    "<style>body{font:14px/1.5 system-ui;margin:2em}td{font-family:ui-monospace,monospace;padding:.1em .8em;"
    "vertical-align:top;white-space:pre-wrap}td:first-child{color:#777}.call{font-weight:600}</style>"
)
