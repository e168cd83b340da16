"""The command line: arguments in, API calls, text or JSON out. No logic lives here.

Exit codes: 0 the good answer, 1 the other one, 2 a usage error (a missing file included), 3 no verdict.
A bad program never shows a traceback; a fault of refrelax itself is no verdict: one line that asks for a report, and
the traceback with ``REFRELAX_DEBUG=1``.
"""

from __future__ import annotations

import argparse
import io
import os
import sys
from collections.abc import Sequence
from contextlib import suppress
from typing import TextIO

from refrelax.commands import COMMANDS, LazyParser
from refrelax.version import SPEC_EDITION, __version__

EPILOG = """\
first steps:
  refrelax demo                                 the main job on real models
  refrelax run m.py --random 0 --dim n=3        run a function on made-up arguments
  refrelax trace m.py --random 0 --html o.html  step through a run in a browser
  refrelax validate before.py after.py          is the second program what the first permits?
  refrelax explain match_cast                   what a rule says, where it lives, cases
  refrelax exercise                             twelve exercises

Exit codes: 0 the good answer, 1 the other one, 2 usage, 3 no verdict. - is standard input."""


def make_parser() -> argparse.ArgumentParser:
    """The parser of the whole command line."""
    parser = argparse.ArgumentParser(
        prog="refrelax",
        description=f"The executable specification of Relax (edition: {SPEC_EDITION}).",
        epilog=EPILOG,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("--version", action="version", version=f"refrelax {__version__} (edition: {SPEC_EDITION})")
    commands = parser.add_subparsers(dest="command", metavar="COMMAND", required=True, parser_class=LazyParser)
    for name, command in COMMANDS.items():
        commands.add_parser(
            name,
            help=command.help,
            description=command.help,
            epilog=command.examples(name),
            formatter_class=argparse.RawDescriptionHelpFormatter,
            command=command,
        )
    return parser


def main(argv: Sequence[str] | None = None) -> int:
    """Run one command line and give its exit code."""
    _open_streams()
    try:
        code = _delivered(_run(argv))
    except BrokenPipeError:
        _drop(sys.stdout)
        return 3  # whoever read our output has seen enough; what the answer would have been is not known
    with suppress(OSError):
        sys.stderr.flush()
        return code
    _drop(sys.stderr)
    return code


def _run(argv: Sequence[str] | None) -> int:
    options = argparse.Namespace(command="")
    try:
        options = make_parser().parse_args(argv)
        code: int = options.run(options)
    except BrokenPipeError:
        raise
    except SystemExit as stop:
        if options.command:  # code that the user gave, in the middle of a command: whatever it says, nothing was found
            return _say(f"code that was given ended the process: SystemExit({stop.code!r})", 3)
        code = stop.code if isinstance(stop.code, int) else 2  # argparse: help, the version, a usage error
    except KeyboardInterrupt:
        return _say("interrupted", 130)
    except Exception as error:
        from refrelax.commands.ends import ending

        said = ending(error, options)
        if said is None and os.environ.get("REFRELAX_DEBUG"):
            raise
        return _say(*(said or _fault(error)))
    return code


def _delivered(code: int) -> int:
    """The exit code, if what was said before it could be written."""
    try:
        sys.stdout.flush()
    except BrokenPipeError:
        _drop(sys.stdout)  # the answer is known, and only its text was cut
    except OSError as error:
        _drop(sys.stdout)
        return _say(f"standard output: {(error.strerror or str(error)).lower()}", 2)
    return code


def _fault(error: Exception) -> tuple[str, int]:
    what = f"{type(error).__name__}: {error}".splitlines()[0][:300]
    return f"a fault of refrelax, not of the program ({what}); please report it; REFRELAX_DEBUG=1 shows more", 3


def _open_streams() -> None:
    """Streams that were closed when we started lead nowhere, and nothing that is opened later takes their numbers;
    what a stream's encoding lacks is written as an escape."""
    for name in ("stdout", "stderr"):
        stream = getattr(sys, name)
        if stream is None:
            setattr(sys, name, open(os.devnull, "w", encoding="utf-8"))  # noqa: PTH123, SIM115
        elif isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="backslashreplace")


def _drop(stream: TextIO) -> None:
    """Keep the interpreter from writing what is left at its exit."""
    with suppress(OSError, ValueError):
        os.dup2(os.open(os.devnull, os.O_WRONLY), stream.fileno())


def _say(message: str, code: int) -> int:
    with suppress(OSError):
        if message:
            print(f"refrelax: {message}", file=sys.stderr)
    return code


if __name__ == "__main__":
    sys.exit(main())
