"""How a command ends that raised: the line that says so, and the exit code. Loaded only then."""

from __future__ import annotations

from refrelax.backends.errors import Unsupported
from refrelax.commands import shared
from refrelax.errors import InternalError, Rejection, UsageError
from refrelax.extras import advice
from refrelax.semantics.numbers import exact


def ending(error: Exception, command: str) -> tuple[str, int] | None:
    """Message (empty: all was said) and exit code; ``None``: a fault of refrelax."""
    match error:
        case UsageError():
            return str(error), 2
        case Unsupported() | exact.Unsupported():
            return str(error), 3
        case Rejection():
            shared.complain(error)
            return "", 1
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
