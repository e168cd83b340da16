"""``exercise``: twelve exercises with automatic checks and hints."""

from __future__ import annotations

import argparse
from pathlib import Path

from refrelax.commands.shared import add_json, busy, emit, positive, source, without_effect
from refrelax.errors import UsageError


def arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("number", metavar="N", nargs="?", type=positive, help="the exercise; without it, a list of all")
    parser.add_argument("answer", metavar="FILE", nargs="?", help="your answer, to be checked; - is standard input")
    parser.add_argument("--hint", metavar="K", type=positive, help="the K-th hint")
    parser.add_argument(
        "--start", metavar="OUT", help="write the file to begin with; a file that is there is left alone"
    )
    add_json(parser)


def exercise(options: argparse.Namespace) -> int:
    """0 for a right answer (or none), 1 for a wrong one."""
    from refrelax.exercises import EXERCISES
    from refrelax.exercises.exercise import verdict

    if options.number is None:
        without_effect(options, ("--hint", "--start"), "without the number of an exercise")
        for k, each in enumerate(EXERCISES, 1):
            emit({"exercise": k, "title": each.title}) if options.json else print(f"{k:2} {each.title}")
        return 0
    if not 1 <= options.number <= len(EXERCISES):
        raise UsageError(f"there are exercises 1 to {len(EXERCISES)}")
    chosen = EXERCISES[options.number - 1]
    if options.hint is not None and not 1 <= options.hint <= len(chosen.hints):
        raise UsageError(f"exercise {options.number} has hints 1 to {len(chosen.hints)}")
    if options.answer is None:
        return _tell(options, chosen.title, chosen.task, chosen.start, chosen.hints)
    without_effect(options, ("--hint", "--start"), "with an answer")
    text, _ = source(options.answer)
    with busy("checking"):
        missing = verdict(chosen, text)
    if options.json:
        emit({"exercise": options.number, "right": not missing, "missing": missing})
    else:
        print(missing or "Right.")
    return 1 if missing else 0


def _tell(options: argparse.Namespace, title: str, task: str, start: str, hints: tuple[str, ...]) -> int:
    if options.start is not None:
        try:
            with Path(options.start).open("x", encoding="utf-8") as file:
                file.write(start)
        except FileExistsError:
            raise UsageError(f"{options.start} is there already, perhaps with your answer: name another file") from None
    if options.json:
        hint = None if options.hint is None else hints[options.hint - 1]
        emit({"exercise": options.number, "title": title, "task": task, "start": start, "hint": hint})
    elif options.hint is not None:
        print(hints[options.hint - 1])
    elif options.start is None:
        print(f"{options.number}. {title}\n\n{task}\n\n{start}")
        print(f"refrelax exercise {options.number} --start FILE writes this; exercise {options.number} FILE checks it.")
    return 0
