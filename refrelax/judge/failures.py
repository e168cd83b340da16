"""What it means that an implementation gave no outcome: a finding about it, or no verdict.

An implementation that did not start, could not read our text or says that it has no such thing tells nothing about the
program or itself. One that crashes, hangs or refuses a program that the text accepts does.
"""

from __future__ import annotations

from refrelax.errors import UsageError
from refrelax.extras import advice
from refrelax.judge.report import Report
from refrelax.judge.verdicts import Divergence, Kind, NoVerdict, Reason

SILENT: dict[str, Reason] = {
    "absent": "absent", "unread": "unread", "unsupported": "unsupported", "lacking": "lacking", "library": "library",
    "fault": "fault",
}  # fmt: skip
"""``ImplementationFailed.kind`` to the reason why there is no verdict."""

FINDINGS: dict[str, tuple[Kind, str]] = {
    "crash": ("crash", "the implementation crashed"),
    "hang": ("hang", "the implementation hung"),
    "refused": ("refused", "the implementation refuses the program"),
}
"""``ImplementationFailed.kind`` to the kind of divergence, and how its message begins."""


def failed(error: Exception) -> Divergence | NoVerdict:
    """The verdict on an implementation that raised."""
    kind = getattr(error, "kind", None)
    if isinstance(error, UsageError):
        raise error  # what the user named does not exist: nothing was found about anybody
    detail = str(getattr(error, "detail", "") or "")
    if kind in SILENT:
        return NoVerdict(said(error), reason=SILENT[kind], detail=detail)
    if kind in FINDINGS:
        what, begins = FINDINGS[kind]
        report = Report(refused=int(what == "refused"))
        place = str(getattr(error, "place", ""))
        return Divergence("", f"{begins}: {said(error)}", kind=what, detail=detail, report=report, place=place)
    if isinstance(error, ImportError) and advice(error) is not None:
        return NoVerdict(str(error), reason="absent")  # an extra of ours that is not installed
    if isinstance(error, TimeoutError):
        return Divergence("", f"the implementation hung: {error}", kind="hang")
    message = f"the implementation failed ({type(error).__name__}: {error})"
    return Divergence("", message, kind="error", detail=detail)


def said(error: Exception) -> str:
    """What an implementation says, without its kind, which has a field of its own."""
    return str(error).removeprefix(f"{getattr(error, 'kind', '')}: ")
