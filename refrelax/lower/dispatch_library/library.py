"""Libraries: texts of contracts, in the order in which they are tried.

Spec: ``spec/10-lowering.md``, ``lo/dispatch-order``.
"""

from __future__ import annotations

from collections.abc import Iterable
from functools import cache
from pathlib import Path

from refrelax.errors import Diagnostic, IllFormed, Span, UsageError
from refrelax.lower.dispatch_library.patterns import RULE, NoPattern, Pattern, pattern_of
from refrelax.rules import rule
from refrelax.semantics.types.check import check
from refrelax.semantics.types.checked import CheckedModule
from refrelax.semantics.types.wellformed.heads import contracts_of
from refrelax.syntax.module import Module
from refrelax.syntax.read import parse

FOLDER = Path(__file__).parent / "libraries"
KNOWN = ("flash", "cutlass", "cudnn", "cublas", "cblas")
"""The libraries of the package, each a text of contracts."""

DEFAULT = ("flash", "cutlass", "cudnn", "cublas")
"""Those that are tried where the caller names none, in this order."""


def load(name: str | Path) -> CheckedModule:
    """A library of the package by its name, or a file of contracts.

    Raises:
        UsageError: no such library or file.
        Rejection: a text that is no module.
    """
    if str(name) in KNOWN:
        return _known(str(name))
    path = Path(name)
    try:
        text = path.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as problem:
        known = ", ".join(KNOWN)
        raise UsageError(f"no library {str(name)!r} ({problem}); there are {known}, and files of contracts") from None
    return check(parse(text, filename=str(path)))


@cache
def _known(name: str) -> CheckedModule:
    return check(parse((FOLDER / f"{name}.tvmscript").read_text(encoding="utf-8"), filename=f"{name}.tvmscript"))


@rule("lo/dispatch-order")
def in_order(checked: CheckedModule) -> list[str]:
    """The functions of a library that are contracts, as they stand in its text."""
    spans = {name: checked.module.functions[name].span for name in contracts_of(checked.module).values()}
    return sorted(spans, key=lambda name: (0, 0, name) if (s := spans[name]) is None else (s.line, s.column, ""))


def patterns_of(library: CheckedModule, file: str | None = None) -> list[Pattern]:
    """The contracts of a library as patterns. ``file``: where it was read from.

    Raises:
        IllFormed: a contract that is no pattern, or none at all.
    """
    found: list[Pattern] = []
    wrong: list[Diagnostic] = []
    for name in in_order(library):
        try:
            found.append(pattern_of(library, name))
        except NoPattern as problem:
            wrong.append(problem.diagnostic)
    if not found and not wrong:
        spans = [each.span for each in library.module.functions.values() if each.span is not None]
        begin = min(spans, key=lambda each: (each.line, each.column), default=file and Span(file, 1, 1))
        what = "in a library, expected a function with the attribute Contract, found"
        told = f"{what} {', '.join(library.module.functions) or 'no function'}"
        wrong.append(Diagnostic(RULE, told, begin or None))
    if wrong:
        raise IllFormed(wrong)
    return found


def tried(libraries: Iterable[str | Path | Module | CheckedModule]) -> list[tuple[Pattern, bool]]:
    """The patterns of several libraries, one library after the other, and whether somebody gave the library; of two
    with one name, the first.

    Raises:
        UsageError, Rejection: as ``load`` and ``patterns_of``.
    """
    found: dict[str, tuple[Pattern, bool]] = {}
    for each in libraries:
        library = load(each) if isinstance(each, str | Path) else each
        checked = library if isinstance(library, CheckedModule) else check(library)
        for pattern in patterns_of(checked, str(each) if isinstance(each, str | Path) else None):
            found.setdefault(pattern.library, (pattern, each not in KNOWN))
    return list(found.values())


def own_patterns(checked: CheckedModule) -> list[Pattern]:
    """The contracts of a module that are patterns."""
    found: list[Pattern] = []
    for name in in_order(checked):
        try:
            found.append(pattern_of(checked, name))
        except NoPattern:
            continue  # a contract of what is only called by name
    return found
