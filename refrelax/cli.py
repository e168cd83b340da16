"""The command line: arguments in, API calls, text or JSON out. No logic lives here.

Exit codes: 0 the good answer, 1 the other one, 2 a usage error (a missing file included), 3 no verdict.
A bad program never shows a traceback; a fault of refrelax itself is no verdict: one line that asks for a report, and
the traceback with ``REFRELAX_DEBUG=1``.
"""

from __future__ import annotations

import argparse
import os
import sys
from collections.abc import Sequence

from refrelax.backends.errors import Unsupported
from refrelax.commands import COMMANDS, Stop, shared
from refrelax.errors import Rejection, UsageError
from refrelax.version import SPEC_EDITION, __version__


def make_parser() -> argparse.ArgumentParser:
    """The parser of the whole command line."""
    parser = argparse.ArgumentParser(
        prog="refrelax",
        description=f"The executable specification of Relax (edition: {SPEC_EDITION}).",
        epilog="Exit codes: 0 the good answer, 1 the other one, 2 usage, 3 no verdict. - is standard input.",
    )
    parser.add_argument("--version", action="version", version=f"refrelax {__version__} (edition: {SPEC_EDITION})")
    subparsers = parser.add_subparsers(dest="command", metavar="COMMAND", required=True)
    for name, command in COMMANDS.items():
        sub = subparsers.add_parser(name, help=command.help, description=command.help)
        command.arguments(sub)
        sub.set_defaults(run=command.run)
    return parser


def main(argv: Sequence[str] | None = None) -> int:
    """Run one command line and give its exit code."""
    options = make_parser().parse_args(argv)
    try:
        code: int = options.run(options)
        sys.stdout.flush()
    except Stop as stop:
        code = stop.code
    except UsageError as error:
        code = _say(f"{error}", 2)
    except Unsupported as error:
        code = _say(f"{error}", 3)
    except OSError as error:
        code = _os_error(error)
    except Rejection as rejection:
        shared.complain(rejection)
        code = 1
    except KeyboardInterrupt:
        code = _say("interrupted", 130)
    except Exception as error:
        if os.environ.get("REFRELAX_DEBUG"):
            raise
        what = f"{type(error).__name__}: {error}".splitlines()[0][:300]
        code = _say(
            f"a fault of refrelax, not of the program ({what}); please report it; REFRELAX_DEBUG=1 shows more", 3
        )
    return code


def _os_error(error: OSError) -> int:
    if isinstance(error, BrokenPipeError):
        # Whoever read our output has seen enough; keep the interpreter from flushing into the closed pipe at exit.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 0
    where = f"{error.filename}: " if error.filename else ""
    return _say(f"{where}{(error.strerror or str(error)).lower()}", 2)


def _say(message: str, code: int) -> int:
    print(f"refrelax: {message}", file=sys.stderr)
    return code


if __name__ == "__main__":
    sys.exit(main())
