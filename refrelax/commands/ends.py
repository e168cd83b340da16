"""How a command ends that raised: the line that says so, and the exit code. Loaded only then."""

from __future__ import annotations

from argparse import Namespace
from traceback import extract_tb

from refrelax.backends.errors import Unsupported
from refrelax.commands import shared
from refrelax.errors import InternalError, Rejection, Unlinkable, UsageError
from refrelax.extras import advice
from refrelax.judge.implementation import ImplementationFailed
from refrelax.judge.verdicts import Reason
from refrelax.semantics.numbers import exact

JUDGES = ("diff", "bisect", "validate", "prove-rewrite")
"""Commands that answer with a verdict, however they end."""


def ending(error: Exception, options: Namespace) -> tuple[str, int] | None:
    """Message (empty: all was said) and exit code; ``None``: a fault of refrelax."""
    command = options.command
    if not isinstance(error, ImplementationFailed | UsageError | Rejection) and (given := _given(error, options)):
        return given, 3
    match error:
        case ImplementationFailed():
            return _no_verdict(error, options)
        case UsageError():
            return str(error), 2
        case Unsupported() | exact.Unsupported():
            return str(error), 3
        case Rejection():
            shared.complain(error)
            return _rejected(error, options)
        case OSError():
            where = f"{error.filename}: " if error.filename else ""
            return f"{where}{(error.strerror or str(error)).lower()}", 2
        case ImportError() if (said := advice(error)) is not None:
            told = str(error)
            return told if " needs " in told else f"{command} {said}", 3
        case RecursionError() if not isinstance(error, InternalError):
            return "the program is nested too deeply for this machine's stack", 3
        case MemoryError():
            return "there is not enough memory", 3
        case _:
            return None


def _given(error: Exception, options: Namespace) -> str:
    """What a function of ``--extern`` raised, and where; nothing if none of them did."""
    files = {item.rpartition("=")[2].rpartition(":")[0] for item in getattr(options, "extern", None) or ()}
    places = [each for each in extract_tb(error.__traceback__) if each.filename in files]
    if not places:
        return ""
    what = f"{type(error).__name__}: {error}".splitlines()[0][:300]
    return f"--extern: {places[-1].filename}:{places[-1].lineno}: {places[-1].name} raised {what}"


def _rejected(error: Rejection, options: Namespace) -> tuple[str, int]:
    """A program that is none: what ``check`` finds is its other answer; who judges has no verdict on it, which is no
    difference that was found."""
    if options.command not in JUDGES:
        return "", 1
    from refrelax.commands.reports import tell
    from refrelax.judge import NoVerdict

    reason: Reason = "library" if isinstance(error, Unlinkable) else "rejected"
    why = f"the program is rejected: {error.diagnostics[0]}"
    return "", tell(NoVerdict(why, reason=reason, detail=str(error)), options)


def _no_verdict(failed: ImplementationFailed, options: Namespace) -> tuple[str, int]:
    """An implementation that gave nothing to look at: no verdict, with the kind of its failure."""
    if options.command not in JUDGES:
        return f"no verdict ({failed.kind}): {failed.message}", 3
    from refrelax.commands.reports import tell
    from refrelax.judge import NoVerdict
    from refrelax.judge.failures import SILENT

    reason = SILENT.get(failed.kind, "")
    why = failed.message if reason else str(failed)
    return "", tell(NoVerdict(why, reason=reason, detail=failed.detail), options)
